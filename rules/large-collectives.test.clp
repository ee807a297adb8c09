(case "exchanges of 7 MB take the time, not their number"
  (given (run (id "r1") (processes 6) (locations 6) (duration 2.3) (clock offsets))
         (pattern (run "r1") (name "message-passing") (id "message-passing"))
         (pattern (run "r1") (name "bulk-synchronous") (id "bulk-synchronous"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.6 run.location_time 13.8 run.lost 5.4))
  (expect (need (metric "run.transfer_share"))
          (finding (name low-parallel-efficiency)))
  (given (metrics (pattern "message-passing") run.load_balance 0.8 run.transfer_share 0.21 run.large_share 1.0
           run.large_each 60.0 run.large_moving 2.88 run.large_moving_each 0.008 run.large_bytes 7.2e6
           run.large_least 4.0 run.large_exchanging 2.88 run.large_reducing 0.0 run.clock_error 0.0001
           run.transferring 2.9 run.collective_transfer_share 1.0 run.collective_calls 60.0)
         (metrics (pattern "bulk-synchronous") run.efficiency 0.6 run.phases_each 60.0 run.moving_share 0.21
           run.moving 2.88 run.moving_each 0.008 run.phase_work 0.022 run.members 6.0 run.lost 5.4))
  (expect (finding (name low-parallel-efficiency))
          (finding (name low-phase-efficiency))
          (finding (name phases))
          (finding (kind cause) (name large-collectives) (lost 2.88) (gain 0.48) (gain-kind remove)
                   (what-if "transfer(all)/2")
                   (headline "All-to-all operations are long because they carry 7.2 MB each per rank: 8.00 ms beyond waiting, 20.9 % of the process time.")
                   (because "run.large_moving" "run.large_bytes"))))

(case "clocks do not tell moving from waiting, but all compute equally long"
  (given (pattern (run "r1") (name "message-passing"))
         (run (id "r1") (processes 4) (locations 4) (duration 2.0) (clock messages))
         (metrics (pattern "message-passing") run.load_balance 0.97 run.location_time 8.0 run.lost 3.0 run.transfer_share 0.2
           run.large_share 0.9 run.large_each 40.0 run.large_moving 1.6 run.large_moving_each 0.01
           run.large_bytes 1.0e7 run.large_least 2.4 run.large_exchanging 0.1 run.large_reducing 1.5
           run.clock_error 0.02))
  (expect (finding (name large-collectives) (lost 2.4) (gain 0.6)
                   (fix "Keep the result distributed (MPI_Reduce_scatter), reduce only what is needed, or overlap them (MPI_Iallreduce)."))))

(case "the same with uneven work: they may wait for somebody"
  (given (pattern (run "r1") (name "message-passing"))
         (run (id "r1") (processes 4) (locations 4) (duration 2.0) (clock messages))
         (quality (run "r1") (note "clock-one-sided") (count 1))
         (metrics (pattern "message-passing") run.load_balance 0.6 run.location_time 8.0 run.lost 3.0 run.transfer_share 0.2
           run.large_share 0.9 run.large_each 40.0 run.large_moving 1.6 run.large_moving_each 0.01
           run.large_bytes 1.0e7 run.large_least 2.4 run.clock_error 0.0))
  (expect))

(case "100 kB in 20 ms is slower than any network: not the data"
  (given (pattern (run "r1") (name "message-passing"))
         (run (id "r1") (processes 4) (locations 4) (duration 2.0) (clock messages))
         (metrics (pattern "message-passing") run.load_balance 0.97 run.location_time 8.0 run.lost 3.5 run.transfer_share 0.4
           run.large_share 0.9 run.large_each 40.0 run.large_moving 3.2 run.large_moving_each 0.02
           run.large_bytes 1.0e5 run.large_least 3.2 run.clock_error 0.0))
  (expect))

(case "barriers of the same run take as long: not the data"
  (given (like "100 kB in 20 ms is slower than any network: not the data")
         (metrics (pattern "message-passing") run.lost 2.0 run.large_share 0.6 run.large_moving 0.64
           run.large_moving_each 0.004 run.large_least 0.7 run.small_moving_each 0.003 run.small_each 40.0))
  (expect))

(case "a barrier at the end that takes as long says nothing"
  (given (like "barriers of the same run take as long: not the data")
         (metrics (pattern "message-passing") run.small_each 1.0))
  (expect (finding (name large-collectives) (kind cause) (lost 0.64))))

(case "a good efficiency is asked, too, where a tenth of the time is no computation"
  (given (run (id "r1") (processes 6) (locations 6) (duration 2.3) (clock offsets))
         (pattern (run "r1") (name "message-passing") (id "message-passing"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.91 run.location_time 13.6 run.lost 2.6))
  (expect (need (metric "run.transfer_share"))
          (finding (name good-parallel-efficiency)))
  (given (metrics (pattern "message-passing") run.transfer_share 0.083))
  (expect (need (metric "run.large_share"))
          (finding (name good-parallel-efficiency))))

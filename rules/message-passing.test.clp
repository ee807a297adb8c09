;; What the rules of message-passing conclude from given facts, and nothing else.

(case "an efficient run is accepted"
  (given (pattern (run "r1") (name "message-passing"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.93))
  (expect (finding (name good-parallel-efficiency) (healthy yes)
                   (because "run.parallel_efficiency"))))

(case "a low efficiency is a symptom and is split into its parts"
  (given (pattern (run "r1") (name "message-passing"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.5 run.lost 2.0))
  (expect (finding (name low-parallel-efficiency) (kind symptom) (lost 2.0)
                   (because "run.parallel_efficiency" "run.lost"))
          (need (metric "run.load_balance"))))

(case "waiting that goes back to a process with more work blames it, with both parts of its cost"
  (given (run (id "r1") (processes 4)) (pattern (run "r1") (name "message-passing"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.5 run.lost 10.0 run.location_time 20.0
           run.wait_share 0.4 run.waiting 8.0 run.late_sender 8.0 run.late_receiver 0.0 run.wait_collective 0.0
           run.load_balance 0.9 process.compute_time ("3" 5.0 "0" 2.5 "1" 2.5 "2" 2.5) run.step_count 40.0)
         (metric (run "r1") (pattern "message-passing") (name "process.delay_share") (location "3") (value 0.75) (unit "1") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_cost") (location "3") (value 6.0) (unit "s") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_cost_direct") (location "3") (value 4.0) (unit "s") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_cost_indirect") (location "3") (value 2.0) (unit "s") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_computed_share") (location "3") (value 1.0) (unit "1") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.relative_compute") (location "3") (value 2.0) (unit "1") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.excess") (location "3") (value 2.0) (unit "s") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.heavy_steps") (location "3") (value 38.0) (unit "1") (rank 1) (of 4)))
  (expect (finding (name low-parallel-efficiency))
          (finding (name waiting))
          (finding (name late-process) (kind cause)
                   (fix "Share out the work of rank 3, or make that part faster.") (gain-kind even-out)
                   (culprits "3") (lost 6.0) (gain 1.875) (what-if "compute(3)=even")
                   (text "Process 3 is late: 6.00 s of waiting, 75.0 % of all, go back to it; 4.00 s are waiting for it, 2.00 s waiting for processes that had waited for it and pass the delay on. It computes 5.00 s, 2.00 times the median. It computes longest in 38 of 40 steps.")
                   (because "process.delay_cost" "process.excess"))))

(case "a process that only receives, is busy all the time and holds those who send is a late receiver"
  (given (run (id "r1") (processes 4)) (pattern (run "r1") (name "message-passing"))
         (role (run "r1") (pattern "message-passing") (name "sink") (location "3"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.5 run.lost 10.0 run.location_time 20.0
           run.wait_share 0.4 run.waiting 8.0 run.late_sender 0.0 run.late_receiver 8.0 run.late_receiver_share 0.4
           run.wait_collective 0.0 run.load_balance 0.9 process.compute_time ("3" 4.8 "0" 2.4 "1" 2.4 "2" 2.4))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_share") (location "3") (value 0.9) (unit "1") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_cost") (location "3") (value 7.2) (unit "s") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_cost_direct") (location "3") (value 7.2) (unit "s") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_cost_indirect") (location "3") (value 0.0) (unit "s") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_computed_share") (location "3") (value 1.0) (unit "1") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.relative_compute") (location "3") (value 2.0) (unit "1") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.excess") (location "3") (value 2.4) (unit "s") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.own_wait_share") (location "3") (value 0.02) (unit "1") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "sink.held") (location "3") (value 7.2) (unit "s") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "sink.taken_each") (location "3") (value 0.012) (unit "s") (rank 1) (of 4)))
  (expect (finding (name low-parallel-efficiency))
          (finding (name waiting))
          (finding (name late-receiver) (kind observation))
          (finding (name late-receiver) (kind cause) (culprits "3") (lost 7.2) (gain 2.4) (gain-kind remove)
                   (what-if "compute(3)/2")
                   (headline "Rank 3 takes 12.0 ms per message, longer than the others need to send one each: they are held for 7.20 s.")
                   (because "sink.held" "process.own_wait_share"))))

(case "one that waits for messages itself is late as any other"
  (given (like "a process that only receives, is busy all the time and holds those who send is a late receiver")
         (metric (run "r1") (pattern "message-passing") (name "process.own_wait_share") (location "3") (value 0.3) (unit "1") (rank 1) (of 4)))
  (expect (finding (name low-parallel-efficiency))
          (finding (name waiting))
          (finding (name late-receiver) (kind observation))
          (finding (name late-process) (kind cause) (culprits "3"))))

(case "who computes at the wrong moment is late without computing more"
  (given (run (id "r1") (processes 4)) (pattern (run "r1") (name "message-passing"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.5 run.lost 10.0 run.location_time 20.0
           run.wait_share 0.4 run.waiting 8.0 run.late_sender 8.0 run.late_receiver 0.0 run.wait_collective 0.0
           run.load_balance 0.9)
         (metric (run "r1") (pattern "message-passing") (name "process.delay_share") (location "1") (value 0.6) (unit "1") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_cost") (location "1") (value 4.8) (unit "s") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_cost_direct") (location "1") (value 4.8) (unit "s") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_cost_indirect") (location "1") (value 0.0) (unit "s") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_computed_share") (location "1") (value 0.9) (unit "1") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.relative_compute") (location "1") (value 1.0) (unit "1") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.excess") (location "1") (value 0.0) (unit "s") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.compute_time") (location "1") (value 2.5) (unit "s") (rank 1) (of 4)))
  (expect (finding (name low-parallel-efficiency))
          (finding (name waiting))
          (finding (name late-process) (culprits "1") (rule CAUSES::mp-late-process-without-work) (confidence 0.7)
                   (lost 4.8) (gain 1.6))))

(case "where a pattern accounts for the waiting and blames nobody, the one to whom most of it goes back is late all the same"
  (given (like "who computes at the wrong moment is late without computing more")
         (pattern (run "r1") (name "geometric-decomposition") (id "geometric-decomposition"))
         (explained (run "r1") (pattern "geometric-decomposition") (loss waiting))
         (blamed (run "r1") (location "1")))
  (expect (finding (name low-parallel-efficiency))
          (finding (name waiting))
          (finding (name late-process) (culprits "1") (rule CAUSES::mp-late-process-without-work) (confidence 0.7)
                   (lost 4.8) (gain 1.6))))

(case "where a pattern accounts for the waiting and blames nobody, and nobody has most of it, nobody is late"
  (given (like "where a pattern accounts for the waiting and blames nobody, the one to whom most of it goes back is late all the same")
         (without (blamed (run "r1") (location "1"))))
  (expect (finding (name low-parallel-efficiency))
          (finding (name waiting))))

(case "who computes all the time sets the pace, and no more can be saved than what it computes above the others"
  (given (like "who computes at the wrong moment is late without computing more")
         (metrics (pattern "message-passing") process.compute_time ("1" 4.8 "0" 4.0 "2" 4.0 "3" 4.0)))
  (expect (finding (name low-parallel-efficiency))
          (finding (name waiting))
          (finding (name late-process) (culprits "1") (rule CAUSES::mp-late-process-without-work) (lost 3.2) (gain 0.8)
                   (headline "Rank 1 computes nearly all the time, 4.80 s of 5.00 s: it sets the pace, and the others wait for it.")
                   (fix "Make what rank 1 computes faster, or let others do part of it."))))

(case "so do all who compute as long, also where they are more than half"
  (given (run (id "r1") (processes 5)) (pattern (run "r1") (name "message-passing"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.5 run.lost 10.0 run.location_time 25.0
           run.wait_share 0.4 run.waiting 8.0 run.late_sender 8.0 run.late_receiver 0.0 run.wait_collective 0.0
           run.load_balance 0.9 process.compute_time ("1" 4.8 "2" 4.8 "3" 4.8 "0" 3.0 "4" 3.0))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_share") (location "1") (value 0.6) (unit "1") (rank 1) (of 5))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_cost") (location "1") (value 4.8) (unit "s") (rank 1) (of 5))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_cost_direct") (location "1") (value 4.8) (unit "s") (rank 1) (of 5))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_cost_indirect") (location "1") (value 0.0) (unit "s") (rank 1) (of 5))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_computed_share") (location "1") (value 0.9) (unit "1") (rank 1) (of 5))
         (metric (run "r1") (pattern "message-passing") (name "process.relative_compute") (location "1") (value 1.0) (unit "1") (rank 1) (of 5))
         (metric (run "r1") (pattern "message-passing") (name "process.excess") (location "1") (value 0.0) (unit "s") (rank 1) (of 5)))
  (expect (finding (name low-parallel-efficiency))
          (finding (name waiting))
          (finding (name late-process) (culprits "1" "2" "3") (rule CAUSES::mp-late-process-without-work) (lost 4.8) (gain 1.8)
                   (headline "Ranks 1 to 3 compute nearly all the time, up to 4.80 s of 5.00 s: they set the pace, and the others wait for them.")
                   (fix "Make what ranks 1 to 3 compute faster, or let others do part of it."))))

(case "who is late because of its calls is not blamed; nobody else is either"
  (given (like "who computes at the wrong moment is late without computing more")
         (metric (run "r1") (pattern "message-passing") (name "process.delay_computed_share") (location "1") (value 0.2) (unit "1") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.compute_time") (location "1") (value 5.0) (unit "s") (rank 1) (of 4)))
  (expect (finding (name low-parallel-efficiency))
          (finding (name waiting))
          (finding (name late-in-calls) (kind observation) (locations "1"))
          (finding (name spread-waiting) (culprits))))

(case "a small delay cost of a process that does not compute more blames nobody"
  (given (like "who computes at the wrong moment is late without computing more")
         (metric (run "r1") (pattern "message-passing") (name "process.delay_cost") (location "1") (value 0.8) (unit "s") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_cost_direct") (location "1") (value 0.8) (unit "s") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.compute_time") (location "1") (value 5.0) (unit "s") (rank 1) (of 4)))
  (expect (finding (name low-parallel-efficiency))
          (finding (name waiting))
          (finding (name spread-waiting) (culprits))))

(case "when a pattern explains the waiting, the general causes keep quiet"
  ;; No rule of the pattern has found a cause: the process that delays the others is named after all.
  (given (like "waiting that goes back to a process with more work blames it, with both parts of its cost")
         (without (metric (name "process.compute_time") (location "0"))
                  (metric (name "process.compute_time") (location "1"))
                  (metric (name "process.compute_time") (location "2")) (metric (name "process.heavy_steps")))
         (pattern (run "r1") (name "pipeline") (id "pipeline"))
         (explained (run "r1") (pattern "pipeline") (loss waiting))
         (metrics (pattern "message-passing") run.step_synchronised 1.0 run.step_unevenness 0.4 run.step_cost 6.0
           run.step_cost_share 0.3 run.step_kept 0.9 run.step_rank_correlation 0.8 run.step_same_heaviest 0.9
           run.step_trend 0.0 run.step_slope 0.0 run.step_mean 0.05)
         (metric (run "r1") (pattern "message-passing") (name "process.heavy_excess") (location "3") (value 2.0) (unit "s") (rank 1) (of 4)))
  (expect (finding (name low-parallel-efficiency))
          (finding (name waiting)))
  (given (last-call (run "r1")))
  (expect (finding (name low-parallel-efficiency))
          (finding (name waiting))
          (finding (name late-process) (culprits "3"))
          (measure (record "user-regions") (locations "3"))))

(case "patterns of parts that together hold most of the message passing account for the waiting of the run"
  (given (like "when a pattern explains the waiting, the general causes keep quiet")
         (without (pattern (run "r1") (id "pipeline") (name "pipeline")) (explained (run "r1") (pattern "pipeline"))
                  (last-call (run "r1")))
         (pattern (run "r1") (name "pipeline") (id "pipeline@comm1") (scope "comm1") (share 0.5))
         (pattern (run "r1") (name "task-farm") (id "task-farm@rest") (scope "rest") (share 0.4))
         (explained (run "r1") (pattern "pipeline@comm1") (loss waiting))
         (explained (run "r1") (pattern "task-farm@rest") (loss waiting)))
  (expect (finding (name low-parallel-efficiency))
          (finding (name waiting))))

(case "a pattern of one communicator does not account for the waiting of the run, whatever bases it has"
  (given (like "when a pattern explains the waiting, the general causes keep quiet")
         (without (pattern (run "r1") (id "pipeline") (name "pipeline")) (explained (run "r1") (pattern "pipeline"))
                  (last-call (run "r1")))
         (pattern (run "r1") (name "farm") (id "farm@comm1") (scope "comm1") (share 0.45))
         (pattern (run "r1") (name "master-worker") (id "farm@comm1") (scope "comm1") (share 0.45))
         (explained (run "r1") (pattern "farm@comm1") (loss waiting)))
  (expect (finding (name low-parallel-efficiency))
          (finding (name waiting))
          (finding (name late-process) (culprits "3"))))

(case "several processes that are heavy in every step are a static imbalance"
  (given (run (id "r1") (processes 8)) (pattern (run "r1") (name "message-passing"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.5 run.lost 10.0 run.location_time 20.0
           run.wait_share 0.4 run.waiting 8.0 run.late_sender 8.0 run.late_receiver 0.0 run.wait_collective 0.0
           run.load_balance 0.9
           process.compute_time ("3" 5.0 "5" 4.5 "6" 3.1 "0" 3.0 "1" 3.0 "2" 3.0 "4" 3.0 "7" 3.0)
           run.step_count 40.0 run.step_synchronised 1.0 run.step_unevenness 0.4 run.step_cost 6.0
           run.step_cost_share 0.3 run.step_kept 0.9 run.step_rank_correlation 0.5 run.step_same_heaviest 0.4
           run.step_trend 0.0 run.step_slope 0.0 run.step_mean 0.05)
         (metric (run "r1") (pattern "message-passing") (name "process.delay_share") (location "3") (value 0.2) (unit "1") (rank 1) (of 8))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_cost") (location "3") (value 1.6) (unit "s") (rank 1) (of 8))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_cost_direct") (location "3") (value 1.6) (unit "s") (rank 1) (of 8))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_cost_indirect") (location "3") (value 0.0) (unit "s") (rank 1) (of 8))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_computed_share") (location "3") (value 1.0) (unit "1") (rank 1) (of 8))
         (metric (run "r1") (pattern "message-passing") (name "process.relative_compute") (location "3") (value 1.4) (unit "1") (rank 1) (of 8))
         (metric (run "r1") (pattern "message-passing") (name "process.excess") (location "3") (value 0.5) (unit "s") (rank 1) (of 8))
         (metric (run "r1") (pattern "message-passing") (name "process.heavy_excess") (location "3") (value 2.0) (unit "s") (rank 1) (of 8))
         (metric (run "r1") (pattern "message-passing") (name "process.heavy_excess") (location "5") (value 1.5) (unit "s") (rank 2) (of 8))
         (metric (run "r1") (pattern "message-passing") (name "process.heavy_excess") (location "6") (value 0.1) (unit "s") (rank 3) (of 8)))
  (expect (finding (name low-parallel-efficiency))
          (finding (name waiting))
          (finding (name static-imbalance) (culprits "3" "5") (lost 5.4) (because "run.step_kept" "process.heavy_excess"))))

(case "where the heaviest process changes nobody is to blame, and growth says how often to rebalance"
  (given (run (id "r1") (processes 8)) (pattern (run "r1") (name "message-passing"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.5 run.lost 10.0 run.location_time 20.0
           run.wait_share 0.4 run.waiting 8.0 run.late_sender 8.0 run.late_receiver 0.0 run.wait_collective 0.0
           run.load_balance 0.9 run.step_count 40.0 run.step_synchronised 1.0 run.step_unevenness 0.4
           run.step_cost 6.0 run.step_cost_share 0.3 run.step_kept 0.1 run.step_rank_correlation 0.7
           run.step_same_heaviest 0.6 run.step_trend 0.5 run.step_slope 0.0001 run.step_mean 0.05)
         (metric (run "r1") (pattern "message-passing") (name "process.delay_share") (location "3") (value 0.2) (unit "1") (rank 1) (of 8))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_cost") (location "3") (value 1.6) (unit "s") (rank 1) (of 8))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_cost_direct") (location "3") (value 1.6) (unit "s") (rank 1) (of 8))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_cost_indirect") (location "3") (value 0.0) (unit "s") (rank 1) (of 8))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_computed_share") (location "3") (value 1.0) (unit "1") (rank 1) (of 8))
         (metric (run "r1") (pattern "message-passing") (name "process.relative_compute") (location "3") (value 1.0) (unit "1") (rank 1) (of 8))
         (metric (run "r1") (pattern "message-passing") (name "process.excess") (location "3") (value 0.0) (unit "s") (rank 1) (of 8))
         (metric (run "r1") (pattern "message-passing") (name "process.compute_time") (location "3") (value 5.0) (unit "s") (rank 1) (of 8)))
  (expect (finding (name low-parallel-efficiency))
          (finding (name waiting))
          (finding (name moving-work) (culprits) (lost 6.0) (gain 0.75)
                   (remedy "Divide the work again from time to time, by the cost of the last steps; up to 0.750 s of run time. The loss grows by 100.0 us per step: moving work that costs R seconds pays every sqrt(2 R / 100.0 us) steps; if it costs as much as one step computes (50.0 ms), that is every 32 steps."))))

(case "steps in ever another order are noise"
  (given (like "where the heaviest process changes nobody is to blame, and growth says how often to rebalance")
         (metrics (pattern "message-passing") run.step_unevenness 0.3 run.step_cost 4.0 run.step_cost_share 0.2
           run.step_rank_correlation 0.0 run.step_same_heaviest 0.1 run.step_trend 0.0 run.step_slope 0.0))
  (expect (finding (name low-parallel-efficiency))
          (finding (name waiting))
          (finding (name noise) (culprits) (lost 4.0) (because "run.step_rank_correlation"))))

(case "three processes have too few orders to distinguish noise from moving work"
  (given (run (id "r1") (processes 3)) (pattern (run "r1") (name "message-passing"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.5 run.lost 10.0 run.location_time 20.0
           run.wait_share 0.4 run.waiting 8.0 run.late_sender 8.0 run.late_receiver 0.0 run.wait_collective 0.0
           run.load_balance 0.9 run.step_count 40.0 run.step_synchronised 1.0 run.step_unevenness 0.3
           run.step_cost 4.0 run.step_cost_share 0.2 run.step_kept 0.1 run.step_rank_correlation 0.0
           run.step_same_heaviest 0.1 run.step_trend 0.0 run.step_slope 0.0 run.step_mean 0.05)
         (metric (run "r1") (pattern "message-passing") (name "process.delay_share") (location "2") (value 0.4) (unit "1") (rank 1) (of 3))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_cost") (location "2") (value 3.2) (unit "s") (rank 1) (of 3))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_cost_direct") (location "2") (value 3.2) (unit "s") (rank 1) (of 3))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_cost_indirect") (location "2") (value 0.0) (unit "s") (rank 1) (of 3))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_computed_share") (location "2") (value 1.0) (unit "1") (rank 1) (of 3))
         (metric (run "r1") (pattern "message-passing") (name "process.relative_compute") (location "2") (value 1.0) (unit "1") (rank 1) (of 3))
         (metric (run "r1") (pattern "message-passing") (name "process.excess") (location "2") (value 0.0) (unit "s") (rank 1) (of 3))
         (metric (run "r1") (pattern "message-passing") (name "process.compute_time") (location "2") (value 5.0) (unit "s") (rank 1) (of 3)))
  (expect (finding (name low-parallel-efficiency))
          (finding (name waiting))
          (finding (name spread-waiting))))

(case "steps that only messages bound do not hold up everybody"
  (given (like "where the heaviest process changes nobody is to blame, and growth says how often to rebalance")
         (metrics (pattern "message-passing") run.step_synchronised 0.0 run.step_unevenness 0.3 run.step_cost 4.0
           run.step_cost_share 0.2 run.step_trend 0.0 run.step_slope 0.0))
  (expect (finding (name low-parallel-efficiency))
          (finding (name waiting))
          (finding (name spread-waiting))))

(case "what was said of nobody is taken back when a process turns out to be late"
  (given (run (id "r1") (processes 4)) (pattern (run "r1") (name "message-passing"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.5 run.lost 10.0 run.location_time 20.0
           run.wait_share 0.4 run.waiting 8.0 run.late_sender 8.0 run.late_receiver 0.0 run.wait_collective 0.0
           run.load_balance 0.9)
         (metric (run "r1") (pattern "message-passing") (name "process.delay_share") (location "3") (value 0.75) (unit "1") (rank 1) (of 4)))
  (expect (finding (name low-parallel-efficiency))
          (finding (name waiting))
          (finding (name spread-waiting)))
  (given (metric (run "r1") (pattern "message-passing") (name "process.delay_cost") (location "3") (value 6.0) (unit "s") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_cost_direct") (location "3") (value 4.0) (unit "s") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_cost_indirect") (location "3") (value 2.0) (unit "s") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.delay_computed_share") (location "3") (value 1.0) (unit "1") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.relative_compute") (location "3") (value 2.0) (unit "1") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.excess") (location "3") (value 2.0) (unit "s") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.compute_time") (location "3") (value 5.0) (unit "s") (rank 1) (of 4)))
  (expect (finding (name low-parallel-efficiency))
          (finding (name waiting))
          (finding (name late-process) (culprits "3"))))

(case "many calls with little computation between them are too fine a grain"
  (given (run (id "r1") (processes 4)) (pattern (run "r1") (name "message-passing"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.5 run.lost 10.0 run.transfer_share 0.3
           run.transferring 6.0 run.grain 0.001 run.call_cost 0.001 run.message_mean 8.0
           run.calls_per_process 4000.0 run.collective_transfer_share 0.1 run.collective_calls 50.0
           run.step_count 100.0))
  (expect (finding (name low-parallel-efficiency))
          (finding (name fine-grain) (remedy "Combine about 10 messages into one, or give each process that much more work per message (fewer processes), so that computation is 10 times the cost of a call."))))

(case "nor is the grain too fine where that is most of it"
  (given (like "many calls with little computation between them are too fine a grain")
         (metrics (pattern "message-passing") run.held_sending 4.0))
  (expect (finding (name low-parallel-efficiency))
          (finding (name held-sends) (kind observation))))

(case "who computes longest hardly pays for its calls: the others wait, and the clocks hide it"
  (given (like "many calls with little computation between them are too fine a grain")
         (metrics (pattern "message-passing") run.load_balance 0.6 process.in_mpi ("0" 2.0 "1" 0.1 "2" 2.0 "3" 2.0)
           process.compute_time ("1" 4.5 "0" 2.5 "2" 2.5 "3" 2.5))
         (metric (run "r1") (pattern "message-passing") (name "process.relative_compute") (location "1") (value 1.8) (unit "1") (rank 1) (of 4)))
  (expect (finding (name low-parallel-efficiency))
          (finding (kind observation) (name unequal-transfer) (locations "1") (because "run.transferring" "process.in_mpi"))
          (finding (kind cause) (name suspected-late-process) (culprits "1") (because unequal-transfer))))

(case "more messages than a step has cannot be combined"
  (given (like "many calls with little computation between them are too fine a grain")
         (metrics (pattern "message-passing") run.calls_per_process 400.0))
  (expect (finding (name low-parallel-efficiency))
          (finding (name fine-grain) (remedy "Give each process about 10 times the work per message (fewer processes, or more steps at a time), so that computation is 10 times the cost of a call; a step has only 4 calls, so that combining messages is not enough."))))

(case "a few calls say nothing of the grain"
  (given (like "many calls with little computation between them are too fine a grain")
         (without (metric (name "run.step_count"))) (metrics (pattern "message-passing") run.calls_per_process 30.0))
  (expect (finding (name low-parallel-efficiency))))

(case "where collectives move the data, the size of messages is not quoted"
  (given (like "more messages than a step has cannot be combined") (without (metric (name "run.step_count")))
         (metrics (pattern "message-passing") run.collective_transfer_share 0.8))
  (expect (finding (name low-parallel-efficiency))
          (finding (name collective-cost) (lost 4.8) (gain 1.2))))

(case "the collectives of set-up and end are no cause"
  (given (like "more messages than a step has cannot be combined") (without (metric (name "run.step_count")))
         (metrics (pattern "message-passing") run.collective_transfer_share 0.8 run.collective_calls 4.0))
  (expect (finding (name low-parallel-efficiency))))

(case "the efficiencies of POP are reported side by side"
  (given (pattern (run "r1") (name "message-passing"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.5 run.lost 10.0 run.load_balance 0.8
           run.communication_efficiency 0.625 run.serialisation_efficiency 0.7 run.transfer_efficiency 0.9))
  (expect (finding (name low-parallel-efficiency))
          (finding (name pop-efficiencies) (text "Load balance is 80.0 %, communication efficiency 62.5 %."))
          (finding (name pop-ideal-network) (because "run.serialisation_efficiency" "run.transfer_efficiency"))))

(case "senders that are held, and waiting that is passed on, are observations"
  (given (pattern (run "r1") (name "message-passing"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.5 run.lost 10.0 run.wait_share 0.4
           run.waiting 8.0 run.late_sender 4.0 run.late_receiver 4.0 run.wait_collective 0.0
           run.late_receiver_share 0.2 run.passed_on_share 0.3))
  (expect (finding (name low-parallel-efficiency))
          (finding (name waiting))
          (finding (kind observation) (name late-receiver) (lost 4.0) (share 0.4)
                   (because waiting "run.late_receiver"))
          (finding (kind observation) (name passed-on) (because waiting "run.passed_on_share"))))

(case "a receiver that takes the wrong message first is named"
  (given (pattern (run "r1") (name "message-passing")) (finding (kind observation) (name waiting) (run "r1") (pattern "message-passing") (text "Given."))
         (metrics (pattern "message-passing") run.location_time 20.0 run.wrong_order_ready 2.0)
         (metric (run "r1") (pattern "message-passing") (name "process.order_wait") (location "2") (value 2.0) (unit "s") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.order_waits") (location "2") (value 50.0) (unit "1") (rank 1) (of 4)))
  (expect (finding (kind observation) (name wrong-order) (locations "2") (culprits) (lost 2.0)
                   (because "process.order_wait" "process.order_waits"))))

(case "a receiver that seldom does is not"
  (given (pattern (run "r1") (name "message-passing")) (finding (kind observation) (name waiting) (run "r1") (pattern "message-passing") (text "Given."))
         (metrics (pattern "message-passing") run.location_time 20.0 run.wrong_order_ready 2.0)
         (metric (run "r1") (pattern "message-passing") (name "process.order_wait") (location "2") (value 0.5) (unit "s") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.order_waits") (location "2") (value 50.0) (unit "1") (rank 1) (of 4)))
  (expect ))

(case "calls that take long for small messages, though they are not too frequent, are latency"
  (given (run (id "r1") (processes 4) (locations 4) (duration 5.0)) (pattern (run "r1") (name "message-passing"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.5 run.lost 10.0 run.transfer_share 0.3
           run.calls_per_process 1000.0 run.collective_transfer_share 0.1 run.transferring 6.0 run.grain 0.0125
           run.call_cost 0.0015 run.message_mean 800.0))
  (expect (finding (name low-parallel-efficiency))
          (finding (kind cause) (name call-latency) (culprits) (lost 6.0) (gain 1.5) (confidence 0.7)
                   (because "run.call_cost" "run.message_mean"))))

(case "where sends last as long as their receivers compute, calls do not cost what they seem to"
  (given (like "calls that take long for small messages, though they are not too frequent, are latency")
         (metrics (pattern "message-passing") run.held_sending 4.0))
  (expect (finding (name low-parallel-efficiency))
          (finding (name held-sends) (kind observation) (lost 4.0) (because "run.held_sending" "run.transferring"))))

(case "processes that end before the others: the trace records shut-down, so it is a cause"
  (given (pattern (run "r1") (name "message-passing")) (capability (run "r1") (name "init-finalize"))
         (finding (kind symptom) (name low-parallel-efficiency) (run "r1") (pattern "message-passing") (lost 10.0) (text "Given."))
         (metrics (pattern "message-passing") run.early_ends 3.0 run.location_time 20.0 run.lost 10.0))
  (expect (finding (kind cause) (name uneven-ends) (lost 3.0) (share 0.3) (because "run.early_ends"))
          (need (metric "process.excess"))))

(case "the others end before the process that computes longest: it is named, whether shut-down is recorded or not"
  (given (pattern (run "r1") (name "message-passing"))
         (finding (kind symptom) (name low-parallel-efficiency) (run "r1") (pattern "message-passing") (lost 10.0) (text "Given."))
         (metrics (pattern "message-passing") run.early_ends 3.0 run.location_time 20.0 run.lost 10.0
           process.compute_time ("2" 2.0 "0" 1.0 "1" 1.0 "3" 1.0))
         (metric (run "r1") (pattern "message-passing") (name "process.excess") (location "2") (value 1.0) (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.relative_compute") (location "2") (value 2.0) (rank 1) (of 4)))
  (expect (finding (kind observation) (name uneven-ends))
          (finding (kind cause) (name static-imbalance) (culprits "2") (lost 3.0) (gain 0.75)
                   (gain-kind even-out) (what-if "compute(2)=even") (because "run.early_ends" "process.excess"))
          (need (metric "process.excess")) (need (metric "process.relative_compute"))
          (need (metric "process.compute_time"))))

(case "processes that end before the others: shut-down may be in it, so it is an observation"
  (given (pattern (run "r1") (name "message-passing"))
         (finding (kind symptom) (name low-parallel-efficiency) (run "r1") (pattern "message-passing") (lost 10.0) (text "Given."))
         (metrics (pattern "message-passing") run.early_ends 3.0 run.location_time 20.0 run.lost 10.0))
  (expect (finding (kind observation) (name uneven-ends) (lost 3.0) (because "run.early_ends"))))

(case "where events are missing, the end of a process says nothing"
  (given (pattern (run "r1") (name "message-passing")) (quality (run "r1") (note "truncated-events") (count 1))
         (finding (kind symptom) (name low-parallel-efficiency) (run "r1") (pattern "message-passing") (lost 10.0) (text "Given."))
         (metrics (pattern "message-passing") run.early_ends 3.0 run.location_time 20.0 run.lost 10.0))
  (expect ))

(case "work that grows from rank to rank is one cause, at the upper half; a coordinator is not compared"
  (given (run (id "r1") (processes 7)) (pattern (run "r1") (name "message-passing"))
         (finding (kind symptom) (name low-parallel-efficiency) (run "r1") (pattern "message-passing") (lost 10.0) (text "Given."))
         (metrics (pattern "message-passing") run.early_ends 3.0 run.location_time 21.0 run.lost 10.0
           process.compute_time ("6" 1.8 "5" 1.56 "4" 1.32 "3" 1.08 "2" 0.84 "1" 0.6 "0" 0.01))
         (metric (run "r1") (pattern "message-passing") (name "process.excess") (location "6") (value 0.6) (unit "s") (rank 1) (of 7))
         (metric (run "r1") (pattern "message-passing") (name "process.relative_compute") (location "6") (value 1.5) (unit "1") (rank 1) (of 7)))
  (expect (finding (name uneven-ends) (kind observation))
          (finding (name static-imbalance) (culprits "6" "5" "4")
                   (headline "Ranks 4 to 6 compute up to 2.1 times as long as the others; the others are done before and idle for 3.00 s."))))

(case "partners are not recorded: who computes longer and is less in MPI is suspected"
  (given (pattern (run "r1") (name "message-passing"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.5 run.lost 10.0 run.unknown_share 0.4
           run.unknown 8.0 process.in_mpi ("0" 2.5 "1" 0.5 "2" 2.5 "3" 2.5)
           process.compute_time ("1" 7.5 "0" 5.0 "2" 5.0 "3" 5.0))
         (metric (run "r1") (pattern "message-passing") (name "process.relative_compute") (location "1") (value 1.5) (unit "1") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.excess") (location "1") (value 2.5) (unit "s") (rank 1) (of 4)))
  (expect (finding (name low-parallel-efficiency))
          (finding (kind observation) (name unknown-waiting) (lost 8.0) (because "run.unknown_share" "run.unknown"))
          (finding (kind cause) (name suspected-late-process) (culprits "1") (lost 6.0) (gain 1.5) (confidence 0.6)
                   (because unknown-waiting "process.in_mpi" "process.relative_compute"))))

(case "who is seen to be late a moment later is no longer suspected"
  (given (like "partners are not recorded: who computes longer and is less in MPI is suspected"))
  (expect (finding (name low-parallel-efficiency))
          (finding (kind observation) (name unknown-waiting) (lost 8.0) (because "run.unknown_share" "run.unknown"))
          (finding (kind cause) (name suspected-late-process) (culprits "1") (lost 6.0) (gain 1.5) (confidence 0.6)
                   (because unknown-waiting "process.in_mpi" "process.relative_compute")))
  (given (finding (kind cause) (name late-process) (run "r1") (pattern "message-passing") (culprits "1") (text "Given.")))
  (expect (finding (name low-parallel-efficiency))
          (finding (kind observation) (name unknown-waiting) (lost 8.0))))

(case "partners are not recorded, and nobody computes longer: nobody is suspected"
  (given (pattern (run "r1") (name "message-passing"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.5 run.lost 10.0 run.unknown_share 0.4
           run.unknown 8.0 process.in_mpi ("0" 2.5 "1" 0.5 "2" 2.5 "3" 2.5))
         (metric (run "r1") (pattern "message-passing") (name "process.relative_compute") (location "1") (value 1.05) (unit "1") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.excess") (location "1") (value 2.5) (unit "s") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.compute_time") (location "1") (value 7.5) (unit "s") (rank 1) (of 4)))
  (expect (finding (name low-parallel-efficiency))
          (finding (kind observation) (name unknown-waiting))))

(case "servers that wait for requests are no loss where no pattern knows them"
  (given (pattern (run "r1") (name "message-passing") (id "message-passing"))
         (role (run "r1") (pattern "message-passing") (name "server") (location "0"))
         (role (run "r1") (pattern "message-passing") (name "server") (location "1"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.72 run.served_efficiency 0.96
           run.server_idle 2.6 run.lost 2.9))
  (expect (finding (kind observation) (name idle-server) (locations "0" "1") (lost 2.6) (healthy yes)
                   (text "Without what ranks 0 and 1 wait for requests of the others (2.60 s), which is their role, parallel efficiency is 96.0 %."))))

(case "where those whom servers answer wait, too, the efficiency is low"
  (given (pattern (run "r1") (name "message-passing") (id "message-passing"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.5 run.served_efficiency 0.7
           run.server_idle 2.6 run.lost 5.0))
  (expect (finding (kind symptom) (name low-parallel-efficiency))))

(case "the root reads input alone: what that means for more processes"
  (given (run (id "r1") (processes 4) (duration 10.0))
         (pattern (run "r1") (name "message-passing") (id "message-passing"))
         (metrics (pattern "message-passing") run.lost 8.0 run.location_time 40.0
           process.alone_time ("0" 2.0 "1" 0.0 "2" 0.0 "3" 0.1)
           process.compute_time ("0" 8.0 "1" 6.0 "2" 6.0 "3" 6.1))
         (metric (run "r1") (pattern "message-passing") (name "process.alone_at_start") (location "0") (value 2.0) (unit "s") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.alone_at_end") (location "0") (value 0.0) (unit "s") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.alone_sections") (location "0") (value 1.0) (unit "1") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.is_root") (location "0") (value 1.0) (unit "1") (rank 1) (of 4)))
  (expect (need (metric "process.alone_time"))
          (finding (name serial-root) (kind cause) (culprits "0") (lost 6.0) (gain 1.5) (gain-kind even-out)
                   (headline "Rank 0 works alone for 2.00 s of 10.0 s, at the start: twice the ranks run at best 1.7 times as fast, ten times the ranks 3.6 times.")
                   (fix "Let all ranks share that work (reading and writing: MPI-IO), or do it while the others compute.")
                   (what-if "compute(0)=even") (because "process.alone_time"))))

(case "another one has something to do that nobody else has"
  (given (run (id "r1") (processes 4) (duration 10.0))
         (pattern (run "r1") (name "message-passing") (id "message-passing"))
         (metrics (pattern "message-passing") run.lost 8.0 run.location_time 40.0
           process.alone_time ("0" 0.0 "1" 0.0 "2" 0.6 "3" 0.0)
           process.compute_time ("0" 6.0 "1" 6.0 "2" 6.6 "3" 6.0))
         (metric (run "r1") (pattern "message-passing") (name "process.alone_at_start") (location "2") (value 0.0) (unit "s") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.alone_at_end") (location "2") (value 0.0) (unit "s") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.alone_sections") (location "2") (value 3.0) (unit "1") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.is_root") (location "2") (value 0.0) (unit "1") (rank 1) (of 4)))
  (expect (finding (name serial-section) (kind cause) (culprits "2") (lost 1.8) (gain 0.45) (gain-kind even-out)
                   (headline "Rank 2 works alone for 0.600 s of 10.0 s, in 3 places: twice the ranks run at best 1.9 times as fast, ten times the ranks 6.5 times.")
                   (fix "See what that rank does there that the others do not; let all share it, or do it while the others compute.")
                   (what-if "compute(2)=even"))))

(case "below a twentieth of the run nothing is said"
  (given (like "the root reads input alone: what that means for more processes")
         (metrics (pattern "message-passing") process.alone_time ("0" 0.49 "1" 0.0 "2" 0.0 "3" 0.0)
           process.compute_time ("0" 8.0 "1" 6.0 "2" 6.0 "3" 6.0))
         (metric (run "r1") (pattern "message-passing") (name "process.alone_at_start") (location "0") (value 0.49) (unit "s") (rank 1) (of 4)))
  (expect))

(case "noise makes several alone now and then"
  (given (like "the root reads input alone: what that means for more processes")
         (metrics (pattern "message-passing") process.alone_time ("0" 1.0 "1" 0.6 "2" 0.2 "3" 0.4)
           process.compute_time ("0" 8.0 "1" 7.5 "2" 7.0 "3" 7.2))
         (metric (run "r1") (pattern "message-passing") (name "process.alone_at_start") (location "0") (value 0.0) (unit "s") (rank 1) (of 4))
         (metric (run "r1") (pattern "message-passing") (name "process.alone_sections") (location "0") (value 9.0) (unit "1") (rank 1) (of 4)))
  (expect))

(case "who takes what the others are held in sends for does not work alone"
  (given (like "noise makes several alone now and then") (holds-senders (run "r1") (location "0") (held 4.0))
         (metrics (pattern "message-passing") process.alone_time ("0" 1.0 "1" 0.3 "2" 0.2 "3" 0.25)))
  (expect))

(case "who computes much longer in other places, too, is late there"
  (given (like "the root reads input alone: what that means for more processes")
         (metrics (pattern "message-passing") process.alone_time ("0" 0.6 "1" 0.0 "2" 0.0 "3" 0.0)
           process.compute_time ("0" 8.0 "1" 5.0 "2" 5.0 "3" 5.0))
         (metric (run "r1") (pattern "message-passing") (name "process.alone_at_start") (location "0") (value 0.6) (unit "s") (rank 1) (of 4)))
  (expect))

(case "where tasks are handed out, the rules of the farm say more"
  (given (run (id "r1") (processes 4) (duration 10.0))
         (pattern (run "r1") (name "message-passing") (id "message-passing"))
         (pattern (run "r1") (name "master-worker") (id "master-worker"))
         (explained (run "r1") (pattern "master-worker") (loss waiting))
         (metrics (pattern "message-passing") run.lost 8.0 run.location_time 40.0))
  (expect))

(case "of two processes the other one loses half of the time: that is said, too"
  (given (run (id "r1") (processes 2) (duration 10.0))
         (pattern (run "r1") (name "message-passing") (id "message-passing"))
         (metrics (pattern "message-passing") run.lost 0.6 run.location_time 20.0))
  (expect (need (metric "process.alone_time"))))

(case "where less is lost than somebody alone for a twentieth of the run would cost, nothing is asked"
  (given (run (id "r1") (processes 2) (duration 10.0))
         (pattern (run "r1") (name "message-passing") (id "message-passing"))
         (metrics (pattern "message-passing") run.lost 0.4 run.location_time 20.0))
  (expect))

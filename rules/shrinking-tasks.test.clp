(case "worker 3 gets three tasks, each much longer than those handed out beside it: it is slow"
  (given (pattern (run "r1") (name "master-worker") (id "master-worker"))
         (run (id "r1") (processes 6) (locations 6) (duration 1.6))
         (role (run "r1") (pattern "master-worker") (name "worker") (location "1"))
         (role (run "r1") (pattern "master-worker") (name "worker") (location "2"))
         (role (run "r1") (pattern "master-worker") (name "worker") (location "3"))
         (role (run "r1") (pattern "master-worker") (name "worker") (location "4"))
         (metrics (pattern "master-worker") run.first_over 4.0 run.against_cv 0.3 run.total_lost 0.5 run.workers 4.0
           worker.against ("1" 1.0 "2" 0.9 "3" 5.0 "4" 0.95) worker.tasks ("1" 25.0 "2" 24.0 "3" 3.0 "4" 24.0)
           worker.t_comp ("3" 1.5) worker.holds_up ("3" 0.0)))
  (expect (need (metric "worker.against"))
          (finding (kind observation) (name slow-beside-others) (culprits "3"))
          (finding (kind cause) (name slow-worker) (culprits "3") (gain 0.3) (gain-kind remove) (lost 1.2)
                   (headline "Worker 3 takes 5.0 times as long as others for tasks handed out at the same time, which costs 1.20 s.")
                   (because slow-beside-others "worker.t_comp" "worker.against"))))

(case "two tasks, or tasks that differ as much, or more tasks than the others have, say nothing of a worker"
  (given (pattern (run "r1") (name "master-worker") (id "master-worker"))
         (run (id "r1") (processes 6) (locations 6) (duration 1.6))
         (metrics (pattern "master-worker") run.first_over 4.0 run.against_cv 0.6 run.total_lost 0.5 run.workers 4.0
           worker.against ("1" 5.0 "2" 2.0 "3" 1.8 "4" 0.9) worker.tasks ("1" 2.0 "2" 4.0 "3" 24.0 "4" 20.0)
           worker.t_comp ("1" 1.5) worker.holds_up ("1" 0.0)))
  (expect (need (metric "worker.against"))))

(case "tasks that do not become smaller compare as they are"
  (given (pattern (run "r1") (name "master-worker") (id "master-worker"))
         (metrics (pattern "master-worker") run.first_over 1.1))
  (expect))

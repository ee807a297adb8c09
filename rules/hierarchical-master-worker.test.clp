;; What the rules of hierarchical-master-worker conclude from given facts, and nothing else. Times are
;; seconds. The engine asserts a pattern under the names of its bases, too.

(case "masters that wait for the top are not blamed for their workers"
  (given (pattern (run "r1") (name "hierarchical-master-worker") (id "hierarchical-master-worker"))
         (pattern (run "r1") (name "master-worker") (id "hierarchical-master-worker"))
         (role (run "r1") (pattern "hierarchical-master-worker") (name "top") (location "0"))
         (role (run "r1") (pattern "hierarchical-master-worker") (name "master") (location "1"))
         (role (run "r1") (pattern "hierarchical-master-worker") (name "master") (location "2"))
         (role (run "r1") (pattern "hierarchical-master-worker") (name "worker") (location "3"))
         (finding (kind symptom) (name low-worker-efficiency) (run "r1") (pattern "hierarchical-master-worker") (locations "1") (text "Given."))
         (finding (kind observation) (name task-setup) (run "r1") (pattern "hierarchical-master-worker") (locations "1") (text "Given."))
         (metrics (pattern "hierarchical-master-worker") run.masters 2.0 run.top_wait 1.2 run.own_wait 0.1
           run.total_lost 4.0 run.refill_share 0.22 run.refills 20.0 run.refill_mean 0.02 run.workers 6.0
           run.saturation 0.5 run.service 0.01 run.workers_each 3.0 run.useful_workers 2.0 run.masters_good 3.0
           run.batch 2.0 run.batch_gain 0.2 run.total_bn 1.0 run.total_setup 0.5 run.total_stop 0.0
           run.master_share 0.5 master.services ("1" 50.0) master.service_mean ("1" 0.01)
           master.service_total ("1" 0.5) run.cycle_mean 0.02))
  (expect (finding (name hierarchy) (healthy yes))
          (finding (name top-bottleneck) (culprits "0") (locations "3") (lost 1.2) (gain 0.2)
                   (because "run.top_wait" "run.refill_share"))
          (need (metric "run.top_wait"))))

(case "masters that need too long per request are reported together, not one by one"
  (given (like "masters that wait for the top are not blamed for their workers")
         (metrics (pattern "hierarchical-master-worker") run.top_wait 0.01 run.own_wait 1.4 run.refill_share 0.01
           run.saturation 1.5))
  (expect (finding (name hierarchy) (healthy yes))
          (finding (name masters-bottleneck) (culprits "1" "2") (lost 1.4) (gain 0.2) (what-if "compute(1,2)/2")
                   (because "run.saturation" "run.own_wait"))))

(case "masters and top that answer at once are no cause"
  (given (like "masters that wait for the top are not blamed for their workers")
         (metrics (pattern "hierarchical-master-worker") run.top_wait 0.01 run.refill_share 0.01))
  (expect (finding (name hierarchy) (healthy yes))))

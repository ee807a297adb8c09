;; What the rules of static-deal conclude from given facts, and nothing else. Times are seconds. The
;; engine asserts a pattern under the names of its bases, too, so the rules of master-worker fire.

(case "a part of the run is asked about by its own id, also by the rules of the base"
  (given (pattern (run "r1") (name "static-deal") (id "static-deal@comm3") (scope "comm 3"))
         (pattern (run "r1") (name "master-worker") (id "static-deal@comm3") (scope "comm 3")))
  (expect (need (pattern "static-deal@comm3") (metric "run.tasks_least"))
          (need (pattern "static-deal@comm3") (metric "run.task_count"))))

(case "the worker with most work is named, and not again as a slow worker"
  (given (pattern (run "r1") (name "static-deal") (id "static-deal"))
         (pattern (run "r1") (name "master-worker") (id "static-deal"))
         (metrics (pattern "static-deal") run.task_count 100.0 run.efficiency_mean 0.6 run.total_lost 1.3 run.workers 3.0
           run.tasks_least 4.0 run.tasks_most 4.0 run.deal_cost 1.2 run.t_comp_mean 0.4 run.t_comp_max 0.8
           run.t_comp_cv 0.4 worker.tasks ("3" 4.0) worker.relative_task_time ("3" 2.0))
         (metric (run "r1") (pattern "static-deal") (name "worker.efficiency") (location "1") (value 0.5) (rank 3) (of 3))
         (metric (run "r1") (pattern "static-deal") (name "worker.t_comp") (location "3") (value 0.8) (rank 1) (of 3))
         (metric (run "r1") (pattern "static-deal") (name "worker.task_time") (location "3") (value 0.2) (rank 1) (of 3)))
  (expect (finding (name tasks-assigned) (healthy yes)) (finding (name low-worker-efficiency) (kind symptom))
          (finding (name unequal-deal) (kind cause) (culprits "3") (lost 1.2) (gain 0.4)
                   (because low-worker-efficiency "run.deal_cost"))))

(case "equal shares are no cause, whatever else is lost"
  (given (like "the worker with most work is named, and not again as a slow worker")
         (metrics (pattern "static-deal") run.task_count 100.0 run.deal_cost 0.1 run.t_comp_max 0.43)
         (metric (run "r1") (pattern "static-deal") (name "worker.t_comp") (location "3") (value 0.43) (rank 1) (of 3)))
  (expect (finding (name tasks-assigned) (healthy yes)) (finding (name low-worker-efficiency) (kind symptom))))

(case "busy workers are no problem"
  (given (pattern (run "r1") (name "static-deal") (id "static-deal"))
         (pattern (run "r1") (name "master-worker") (id "static-deal"))
         (metrics (pattern "static-deal") run.efficiency_mean 0.9 run.total_lost 0.3 run.workers 3.0
           run.tasks_least 4.0 run.tasks_most 4.0 run.deal_cost 0.2 run.t_comp_mean 0.4 run.t_comp_max 0.5
           run.t_comp_cv 0.4 worker.tasks ("3" 4.0) worker.relative_task_time ("3" 2.0))
         (metric (run "r1") (pattern "static-deal") (name "worker.efficiency") (location "1") (value 0.91) (rank 3) (of 3))
         (metric (run "r1") (pattern "static-deal") (name "worker.t_comp") (location "3") (value 0.5) (rank 1) (of 3))
         (metric (run "r1") (pattern "static-deal") (name "worker.task_time") (location "3") (value 0.2) (rank 1) (of 3)))
  (expect (finding (name tasks-assigned) (healthy yes))))

(case "equal shares that wait for others in each round are reported"
  (given (like "equal shares are no cause, whatever else is lost")
         (metrics (pattern "static-deal") run.task_count 100.0 worker.lost ("1" 0.4) worker.t_wait ("1" 0.3) worker.share_bn ("1" 0.5)
           worker.t_bn ("1" 0.2) run.own_lost 0.0 run.total_setup 0.0 run.total_held_back 0.5 run.total_bn 0.7))
  (expect (finding (name tasks-assigned) (healthy yes)) (finding (name low-worker-efficiency) (kind symptom))
          (finding (name waiting-significant)) (finding (name queueing))
          (finding (name dealt-in-rounds) (kind cause) (lost 0.6) (gain 0.233333) (because queueing "run.total_bn"))))

(case "the master computes between rounds while all wait: it is to blame"
  (given (like "equal shares that wait for others in each round are reported")
         (metrics (pattern "static-deal") run.task_count 100.0 run.total_held_back 0.1 master.occupied ("0" 0.2)
           master.occupied_share ("0" 0.3)))
  (expect (finding (name tasks-assigned) (healthy yes)) (finding (name low-worker-efficiency) (kind symptom))
          (finding (name waiting-significant)) (finding (name queueing))
          (finding (name master-bottleneck) (kind cause) (culprits "0") (lost 0.6) (gain 0.2) (because queueing "master.occupied"))))

(case "what the master computes of its own meanwhile is no order"
  (given (like "equal shares are no cause, whatever else is lost")
         (metrics (pattern "static-deal") run.task_count 100.0 worker.lost ("1" 0.4) worker.t_wait ("1" 0.3) worker.share_bn ("1" 0.5)
           worker.t_bn ("1" 0.2) run.own_lost 0.58 run.total_bn 0.7))
  (expect (finding (name tasks-assigned) (healthy yes)) (finding (name low-worker-efficiency) (kind symptom))
          (finding (name waiting-significant)) (finding (name queueing))))

(case "waiting between tasks that unequal shares explain is reported once"
  (given (like "the worker with most work is named, and not again as a slow worker")
         (metrics (pattern "static-deal") run.task_count 100.0 run.deal_cost 0.68 worker.lost ("1" 0.4) worker.t_wait ("1" 0.3)
           worker.share_bn ("1" 0.5) worker.t_bn ("1" 0.2) run.total_bn 0.7))
  (expect (finding (name tasks-assigned) (healthy yes)) (finding (name low-worker-efficiency) (kind symptom))
          (finding (name waiting-significant)) (finding (name queueing))
          (finding (name unequal-deal) (lost 0.68))))

(case "a slow worker that has fewer tasks shows that they are handed out on request after all"
  (given (pattern (run "r1") (name "static-deal") (id "static-deal"))
         (pattern (run "r1") (name "master-worker") (id "static-deal"))
         (metrics (pattern "static-deal") run.task_count 100.0 run.own_cv 0.1 worker.tasks ("1" 61.0 "2" 60.0 "3" 15.0)
           worker.relative_task_time ("3" 4.0))
         (metric (run "r1") (pattern "static-deal") (name "worker.task_time") (location "3") (value 0.1) (rank 1) (of 3)))
  (expect (finding (kind observation) (name slow-worker) (culprits "3"))))

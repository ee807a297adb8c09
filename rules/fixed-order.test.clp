;; What the rules of fixed-order conclude from given facts, and nothing else. Times are seconds.

(case "workers that wait for their turn are reported once, and not as waiting for their own set-up"
  (given (pattern (run "r1") (name "fixed-order") (id "fixed-order"))
         (pattern (run "r1") (name "master-worker") (id "fixed-order"))
         (role (run "r1") (pattern "fixed-order") (name "master") (location "0"))
         (role (run "r1") (pattern "fixed-order") (name "worker") (location "1"))
         (finding (kind symptom) (name low-worker-efficiency) (run "r1") (pattern "fixed-order") (locations "1") (text "Given."))
         (finding (kind observation) (name queueing) (run "r1") (pattern "fixed-order") (locations "1") (text "Given."))
         (metrics (pattern "fixed-order") run.saturation 0.5 run.turn_wait 1.5 run.total_lost 4.0 run.order_wait 0.5
           run.useful_workers 10.0 run.workers 5.0 run.turn_gain 0.3 run.total_bn 1.0 run.total_setup 0.5
           run.total_stop 0.0 run.master_share 0.5 master.services ("0" 50.0) master.service_mean ("0" 0.001)))
  (expect (finding (name out-of-turn) (culprits "0") (locations "1") (lost 1.5) (gain 0.3)
                   (because "run.turn_wait"))
          (need (metric "run.turn_wait"))))

(case "where receives tell what they asked for the order is certain"
  (given (like "workers that wait for their turn are reported once, and not as waiting for their own set-up")
         (capability (run "r1") (name "wildcards")))
  (expect (finding (name out-of-turn) (culprits "0") (confidence 0.95))
          (need (metric "run.turn_wait"))))

(case "an order that costs the workers little is no cause of their waiting"
  (given (pattern (run "r1") (name "fixed-order") (id "fixed-order"))
         (pattern (run "r1") (name "master-worker") (id "fixed-order"))
         (role (run "r1") (pattern "fixed-order") (name "master") (location "0"))
         (role (run "r1") (pattern "fixed-order") (name "worker") (location "1"))
         (finding (kind symptom) (name low-worker-efficiency) (run "r1") (pattern "fixed-order") (locations "1") (text "Given."))
         (finding (kind observation) (name queueing) (run "r1") (pattern "fixed-order") (locations "1") (text "Given."))
         (metrics (pattern "fixed-order") run.saturation 0.5 run.turn_wait 0.1 run.total_lost 4.0 run.order_wait 0.5
           run.useful_workers 10.0 run.workers 5.0 run.turn_gain 0.3))
  (expect ))

(case "a master that cannot feed its workers in any order is not reported as out of turn"
  (given (like "an order that costs the workers little is no cause of their waiting")
         (metrics (pattern "fixed-order") run.saturation 1.5 run.turn_wait 1.5))
  (expect ))

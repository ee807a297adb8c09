;; fixed-order: a master that serves its workers in an order of its own. The rules of master-worker
;; hold for it (efficiency, equations 1 and 2, what the master loses: fixed-order-collection). Here
;; is what the order costs the workers, who queue although the master has time:
;;
;;   symptom        low worker efficiency (master-worker)
;;   `- observation queueing, or task set-up (master-worker)
;;      `- cause    the master could feed them, but waits for others   -> out-of-turn
;;
;; A master that could not feed them in any order is reported by master-worker (master-bottleneck).

(defrule SYMPTOMS::order-ask
  "What is lost by the order takes the place of what is lost by single set-ups."
  (pattern (run ?r) (name "fixed-order") (id ?p))
  =>
  (foreach ?name (create$ task-setup-latency irregular-service)
    (assert (refined (run ?r) (pattern ?p) (name ?name)))))

(defrule CAUSES::order-out-of-turn
  "Workers whose messages are there wait until it is their turn, while the master waits for others."
  (pattern (run ?r) (name "fixed-order") (id ?p))
  (exists (finding (kind observation) (name queueing | task-setup) (run ?r) (pattern ?p)))
  (finding (kind symptom) (name low-worker-efficiency) (run ?r) (pattern ?p))
  (role (run ?r) (pattern ?p) (name "master") (location ?m))
  (metric (run ?r) (pattern ?p) (name "run.saturation") (value ?sat&:(< ?sat 1.0)))
  (metric (run ?r) (pattern ?p) (name "run.turn_wait") (value ?turn))
  (metric (run ?r) (pattern ?p) (name "run.total_lost")
          (value ?lost&:(>= ?turn (* ?*part-shown* ?lost))))
  (metric (run ?r) (pattern ?p) (name "run.order_wait") (value ?idle))
  (metric (run ?r) (pattern ?p) (name "run.useful_workers") (value ?useful))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.turn_gain") (value ?gain))
  =>
  (assert (finding (kind cause) (name out-of-turn) (run ?r) (pattern ?p)
                   (headline (text "Master {} serves its workers in a fixed order: those that are ready wait {s} for their turn."
                                   ?m ?turn))
                   (fix "Serve whoever comes first: MPI_ANY_SOURCE, or MPI_Irecv for all workers and MPI_Waitany.")
                   (gain-kind remove)
                   (locations (role-locations ?r ?p "worker")) (culprits ?m) (lost ?turn)
                   (share (/ ?turn (max ?lost 1e-12))) (gain ?gain) (level 3)
                   ;; Certain where receives are recorded to name their source; else only turns show it.
                   (confidence (if (any-factp ((?c capability)) (and (eq ?c:run ?r) (eq ?c:name "wildcards"))) then 0.95 else 0.8))
                   (functions-of ?m) (calls-of ?m)
                   (text (text "Master {} serves the workers in an order of its own: it waits {s} for one worker while others have already sent their messages, and these wait up to {s} in all for their turn. It could feed {.1} workers and has {n}."
                               ?m ?idle ?turn ?useful ?n))
                   (remedy (text "Serve whoever comes first: MPI_ANY_SOURCE, or MPI_Irecv for all workers and MPI_Waitany; up to {s} of run time."
                                 ?gain)))))

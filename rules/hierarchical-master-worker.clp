;; hierarchical-master-worker: a top gives batches of tasks to masters, which serve workers. The rules
;; of master-worker hold (protocol, efficiency, equations 1 and 2, ends, grain); what they say about one
;; master is said here for several, and of the top:
;;
;;   symptom        low worker efficiency (master-worker)
;;   `- observation queueing, or task set-up (master-worker)
;;      |- cause    their masters wait for the top                        -> top-bottleneck
;;      `- cause    the masters need too long per request                 -> masters-bottleneck

(defrule SYMPTOMS::hier-refines
  "What master-worker says about its only master is asked of several here; who waits for the top keeps no order."
  (pattern (run ?r) (name "hierarchical-master-worker") (id ?p))
  =>
  (foreach ?name (create$ master-bottleneck task-setup-latency irregular-service late-stop
                          sequential-master fixed-order-collection)
    (assert (refined (run ?r) (pattern ?p) (name ?name)))))

(defrule SYMPTOMS::hier-levels
  "Who is the top, and how many masters it has."
  (pattern (run ?r) (name "hierarchical-master-worker") (id ?p))
  (role (run ?r) (pattern ?p) (name "top") (location ?top))
  (metric (run ?r) (pattern ?p) (name "run.masters") (value ?masters))
  =>
  (assert (finding (kind observation) (name hierarchy) (run ?r) (pattern ?p) (healthy yes) (level 1)
                   (text (text "Process {}, the top-level master, gives tasks to {n} masters, which serve the workers." ?top ?masters)))))

(defrule CAUSES::hier-top
  "The masters wait for the top, and their workers for them."
  (pattern (run ?r) (name "hierarchical-master-worker") (id ?p))
  (exists (finding (kind observation) (name queueing | task-setup) (run ?r) (pattern ?p)))
  (finding (kind symptom) (name low-worker-efficiency) (run ?r) (pattern ?p))
  (role (run ?r) (pattern ?p) (name "top") (location ?top))
  (metric (run ?r) (pattern ?p) (name "run.top_wait") (value ?wait))
  (metric (run ?r) (pattern ?p) (name "run.total_lost")
          (value ?lost&:(>= ?wait (* ?*part-shown* ?lost))))
  (metric (run ?r) (pattern ?p) (name "run.refill_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.refills") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.refill_mean") (value ?mean))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?workers))
  =>
  ;; Fewer requests wait less in all, even if the top-level master needs as long for each.
  (bind ?times (integer (+ 0.999999 (/ ?share ?*significant*))))
  (assert (finding (kind cause) (name top-bottleneck) (run ?r) (pattern ?p)
                   (headline (text "The masters wait {%} of their time for the top-level master, rank {}, and their workers up to {s} with them."
                                   ?share ?top ?wait))
                   (fix (text "Let the masters ask before they run out, or for {n} times as many tasks per request."
                              ?times))
                   (gain-kind remove)
                   (locations (role-locations ?r ?p "worker")) (culprits ?top) (lost ?wait)
                   (share (/ ?wait (max ?lost 1e-12))) (gain (/ ?wait (max 1.0 ?workers))) (level 3)
                   (confidence 0.8)
                   (functions-of ?top)
                   (text (text "The masters wait {%} of their time for process {}, the top-level master: {n} requests, {s} each. Their workers wait up to {s} in all meanwhile."
                               ?share ?top ?n ?mean ?wait))
                   (remedy (text "Let the masters ask before they run out, or for {n} times as many tasks per request, so that they wait for less than {%} of their time if the top-level master needs as long for a request as now; up to {s} of run time."
                                 ?times ?*significant* (/ ?wait (max 1.0 ?workers)))))))

(defrule CAUSES::hier-masters
  "The masters need so long per request that their workers queue."
  (pattern (run ?r) (name "hierarchical-master-worker") (id ?p))
  (exists (finding (kind observation) (name queueing | task-setup) (run ?r) (pattern ?p)))
  (finding (kind symptom) (name low-worker-efficiency) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.saturation") (value ?sat&:(>= ?sat 1.0)))
  (metric (run ?r) (pattern ?p) (name "run.own_wait") (value ?wait))
  (metric (run ?r) (pattern ?p) (name "run.total_lost")
          (value ?lost&:(>= ?wait (* ?*part-shown* ?lost))))
  (metric (run ?r) (pattern ?p) (name "run.service") (value ?service))
  (metric (run ?r) (pattern ?p) (name "run.workers_each") (value ?each))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?workers))
  (metric (run ?r) (pattern ?p) (name "run.useful_workers") (value ?useful))
  (metric (run ?r) (pattern ?p) (name "run.masters_good") (value ?good))
  (metric (run ?r) (pattern ?p) (name "run.batch") (value ?batch))
  (metric (run ?r) (pattern ?p) (name "run.batch_gain") (value ?gain))
  =>
  (assert (finding (kind cause) (name masters-bottleneck) (run ?r) (pattern ?p)
                   (headline (text "Each master can feed {.1} workers and has {.1}: the workers wait {s} for their masters."
                                   ?useful ?each ?wait))
                   (fix (text "Hand out {n} tasks per request, or use {n} masters." ?batch ?good))
                   (gain-kind remove)
                   (locations (role-locations ?r ?p "worker"))
                   (culprits (role-locations ?r ?p "master")) (lost ?wait)
                   (share (/ ?wait (max ?lost 1e-12))) (gain ?gain) (level 3)
                   (what-if (what-if-of "compute" (role-locations ?r ?p "master") "/" ?batch))
                   (where "Service.prepare")
                   (text (text "The masters need {s} per request, so that each can feed {.1} workers; it has {.1}. The workers wait {s} for them."
                               ?service ?useful ?each ?wait))
                   (remedy (text "Hand out tasks in batches of {n} per request, which saves {s} of run time by the model, or use {n} masters for the {n} workers."
                                 ?batch ?gain ?good ?workers)))))

;; static-deal: a master that assigns tasks in turn or beforehand. It cannot know who will be done first,
;; so what matters is how equal the shares are that it assigns. The rules of master-worker hold for it,
;; too (protocol, efficiency, equations 1 and 2); these rules replace some of theirs:
;;
;;   symptom      low worker efficiency (master-worker)
;;   |- the workers' computation differs, tasks and workers alike          -> unequal-deal
;;   |- a worker takes longer per task than the others, and gets as many   -> unequal-deal, named
;;   |- the workers wait between tasks for what others are still doing     -> dealt-in-rounds
;;   `- the workers wait between tasks while the master computes           -> master-bottleneck
;;
;; In which order results are collected matters little where no task depends on it: that is not reported.

(defrule SYMPTOMS::deal-refines
  "A static assignment is judged by how equally the workers compute; what follows from asking for tasks does not hold."
  (pattern (run ?r) (name "static-deal") (id ?p))
  =>
  (foreach ?name (create$ unequal-deal too-few-tasks unequal-tasks uneven-end master-bottleneck
                          task-setup-latency irregular-service late-stop
                          fixed-order-collection slow-stage)
    (assert (refined (run ?r) (pattern ?p) (name ?name)))))

(defrule SYMPTOMS::deal-assigned
  "How many tasks each worker is assigned."
  (pattern (run ?r) (name "static-deal") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.tasks_least") (value ?least))
  (metric (run ?r) (pattern ?p) (name "run.tasks_most") (value ?most))
  =>
  (assert (finding (kind observation) (name tasks-assigned) (run ?r) (pattern ?p) (healthy yes) (level 1)
                   (text (text "Tasks are assigned statically, without requests: {n} to {n} to each worker."
                               ?least ?most)))))

(defrule CAUSES::deal-unequal
  "The assignment is unequal: whoever has less work waits for the busiest worker."
  (pattern (run ?r) (name "static-deal") (id ?p))
  (finding (kind symptom) (name low-worker-efficiency) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.total_lost") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.deal_cost") (value ?cost&:(>= ?cost (* ?*part-shown* ?lost))))
  (metric (run ?r) (pattern ?p) (name "run.t_comp_mean") (value ?mean))
  (metric (run ?r) (pattern ?p) (name "run.t_comp_max") (value ?max))
  (test (>= ?max (* ?*heavy* ?mean)))
  (metric (run ?r) (pattern ?p) (name "run.t_comp_cv") (value ?cv))
  (metric (run ?r) (pattern ?p) (name "worker.t_comp") (location ?w) (rank 1))
  (metric (run ?r) (pattern ?p) (name "worker.tasks") (location ?w) (value ?n))
  (metric (run ?r) (pattern ?p) (name "worker.relative_task_time") (location ?w) (value ?rel))
  =>
  (bind ?busiest (as-heavy-as-any ?r ?p "worker.t_comp"))
  (assert (finding (kind cause) (name unequal-deal) (run ?r) (pattern ?p) (locations ?busiest)
                   (headline (text "Tasks are assigned statically, and unequally: worker {} computes {s}, the mean worker {s}."
                                   ?w ?max ?mean))
                   (fix "Hand out tasks on request: each result asks for the next task (MPI_ANY_SOURCE).")
                   (gain-kind even-out)
                   (culprits ?busiest) (lost (min ?lost ?cost)) (share (/ (min ?lost ?cost) (max ?lost 1e-12)))
                   (gain (- ?max ?mean)) (level 2) (what-if "compute(worker)=even")
                   (where "TaskLifeCycle.work") (functions-of ?w)
                   (text (text "Tasks are assigned statically, without requests, and unequally: worker {} computes {s} in {n} tasks ({.1} times the median per task), the mean worker {s} (coefficient of variation {.2}). The others have {s} less to do in all."
                               ?w ?max ?n ?rel ?mean ?cv ?cost))
                   (remedy (text "Hand out tasks on request: each result asks for the next task (MPI_ANY_SOURCE). Up to {s} of run time."
                                 (- ?max ?mean))))))

;; Shares that are equal in sum may be unequal in each round. What the heaviest share explains is not
;; counted again, so only what is beyond it counts.
(defrule CAUSES::deal-rounds
  "The workers wait between tasks until the master, busy with others, assigns the next ones."
  (pattern (run ?r) (name "static-deal") (id ?p))
  (finding (kind observation) (name queueing) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.total_lost") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.total_bn") (value ?bn))
  (metric (run ?r) (pattern ?p) (name "run.deal_cost") (value ?cost))
  ;; Nor is the master's own work due to the order.
  (metric (run ?r) (pattern ?p) (name "run.own_lost") (value ?own))
  (test (>= (- ?bn ?cost ?own) (* ?*part-shown* ?lost)))
  ;; They wait for the others, not for what the master computes.
  (metric (run ?r) (pattern ?p) (name "run.total_setup") (value ?setup))
  (not (metric (run ?r) (pattern ?p) (name "run.total_held_back") (value ?held&:(< (* 2.0 ?held) (+ ?bn ?setup)))))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?n))
  =>
  (bind ?beyond (- ?bn ?cost ?own))
  ;; A worker that gets the next task when a result comes has an equal share, too.
  (bind ?gain (/ (if (>= ?beyond ?cost) then (- ?bn ?own) else ?beyond) (max 1.0 ?n)))
  (assert (finding (kind cause) (name dealt-in-rounds) (run ?r) (pattern ?p)
                   (headline (text "Tasks are handed out in rounds: between tasks, workers wait {s} while the master is busy with others."
                                   ?bn))
                   (fix "Give a worker its next task when its result comes, or one task ahead.")
                   (gain-kind remove)
                   (locations (role-locations ?r ?p "worker")) (lost ?beyond)
                   (share (/ ?beyond (max ?lost 1e-12)))
                   (gain ?gain) (level 3) (confidence 0.7)
                   (text (text "Tasks are assigned in rounds: between their tasks the workers wait {s} in all while the master is busy with others, {s} more than unequal assignment explains."
                               ?bn ?beyond))
                   (remedy (text "Give a worker its next task when its result comes, or one task ahead, whatever the others do; up to {s} of run time."
                                 ?gain)))))

(defrule CAUSES::deal-busy-master
  "The workers wait between tasks, and the master computes most of that time."
  (pattern (run ?r) (name "static-deal") (id ?p))
  (finding (kind observation) (name queueing | task-setup) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.total_lost") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.total_bn") (value ?bn))
  (metric (run ?r) (pattern ?p) (name "run.total_setup") (value ?setup))
  (metric (run ?r) (pattern ?p) (name "run.deal_cost") (value ?cost))
  (metric (run ?r) (pattern ?p) (name "run.own_lost") (value ?own))
  (test (>= (- (+ ?bn ?setup) ?cost ?own) (* ?*part-shown* ?lost)))
  (metric (run ?r) (pattern ?p) (name "run.total_held_back") (value ?held&:(< (* 2.0 ?held) (+ ?bn ?setup))))
  (metric (run ?r) (pattern ?p) (name "master.occupied") (location ?m) (value ?occupied))
  ;; A master that is never idle is reported as in any farm.
  (metric (run ?r) (pattern ?p) (name "master.occupied_share") (location ?m) (value ?busy&:(< ?busy ?*balanced*)))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?n&:(> ?n 0.0)))
  =>
  (bind ?waited (- (+ ?bn ?setup) ?held))
  (bind ?gain (/ ?waited ?n))
  (assert (finding (kind cause) (name master-bottleneck) (run ?r) (pattern ?p) (via rounds)
                   (headline (text "Master {} computes {s} between rounds of tasks ({%} of the run), and the workers wait for it."
                                   ?m ?occupied ?busy))
                   (fix "Hand out the next tasks before the master computes, or let the workers share that work.")
                   (gain-kind remove)
                   (locations (role-locations ?r ?p "worker")) (culprits ?m)
                   (lost ?waited) (share (min 1.0 (/ ?waited (max ?lost 1e-12)))) (gain ?gain) (level 3)
                   (confidence 0.8) (functions-of ?m)
                   (text (text "Workers wait {s} between their tasks, {s} of it no longer than master {} computes, {s} in all: it takes what they send, and computes, before it assigns the next tasks."
                               (+ ?bn ?setup) ?waited ?m ?occupied))
                   (remedy (text "Hand out the next tasks first and compute then, or let the workers share what master {} computes; up to {s} of run time."
                                 ?m ?gain)))))

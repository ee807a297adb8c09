;; static-deal: a master that deals tasks in turn or beforehand. It cannot know who will be done first,
;; so what matters is how equal the hands are that it deals:
;;
;;   symptom      low worker efficiency
;;   |- the workers' computation differs, tasks and workers alike          -> unequal-deal
;;   `- a worker takes longer per task than the others, and gets as many   -> unequal-deal, named
;;
;; What else costs time there (set-up, message passing) is master-worker's to tell: `--pattern
;; master-worker`.

(defrule SYMPTOMS::deal-ask
  "A deal is judged by how equally the workers compute."
  (pattern (run ?r) (name "static-deal") (id ?p))
  =>
  (foreach ?loss (create$ waiting ends)
    (assert (explained (run ?r) (pattern ?p) (loss ?loss))))
  (foreach ?m (create$ "run.efficiency_mean" "run.total_lost" "run.task_count" "run.workers"
                       "run.task_mean" "run.task_cv" "run.t_comp_mean" "run.t_comp_max"
                       "run.t_comp_cv" "run.deal_cost" "run.tasks_least" "run.tasks_most"
                       "worker.t_comp" "worker.tasks" "worker.relative_task_time")
    (assert (need (run ?r) (pattern ?p) (metric ?m) (level 1)
                  (reason "see how equally tasks are dealt")))))

(defrule SYMPTOMS::deal-protocol
  "How tasks are dealt."
  (pattern (run ?r) (name "static-deal") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.task_count") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?workers))
  (metric (run ?r) (pattern ?p) (name "run.task_mean") (value ?mean))
  (metric (run ?r) (pattern ?p) (name "run.tasks_least") (value ?least))
  (metric (run ?r) (pattern ?p) (name "run.tasks_most") (value ?most))
  =>
  (assert (finding (kind observation) (name protocol) (run ?r) (pattern ?p) (healthy yes) (level 1)
                   (text (text "{n} tasks of {s} on average are dealt to {n} workers without being asked for: {n} to {n} each."
                               ?n ?mean ?workers ?least ?most)))))

(defrule SYMPTOMS::deal-low
  "The workers spend much of the run outside tasks."
  (pattern (run ?r) (name "static-deal") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.efficiency_mean")
          (value ?e&:(< ?e ?*efficiency-acceptable*)))
  (metric (run ?r) (pattern ?p) (name "run.total_lost") (value ?lost))
  =>
  (assert (finding (kind symptom) (name low-deal-efficiency) (run ?r) (pattern ?p) (lost ?lost)
                   (level 1)
                   (text (text "The workers are busy with tasks {%} of the time: {s} are lost."
                               ?e ?lost)))))

(defrule CAUSES::deal-unequal
  "The hands are unequal: whoever has the lighter ones waits for the busiest worker."
  (finding (kind symptom) (name low-deal-efficiency) (run ?r) (pattern ?p) (lost ?lost))
  (metric (run ?r) (pattern ?p) (name "run.deal_cost") (value ?cost&:(>= ?cost (* ?*part-told* ?lost))))
  (metric (run ?r) (pattern ?p) (name "run.t_comp_mean") (value ?mean))
  (metric (run ?r) (pattern ?p) (name "run.t_comp_max") (value ?max))
  (test (>= ?max (* ?*heavy* ?mean)))
  (metric (run ?r) (pattern ?p) (name "run.t_comp_cv") (value ?cv))
  (metric (run ?r) (pattern ?p) (name "worker.t_comp") (location ?w) (rank 1))
  (metric (run ?r) (pattern ?p) (name "worker.tasks") (location ?w) (value ?n))
  (metric (run ?r) (pattern ?p) (name "worker.relative_task_time") (location ?w) (value ?rel))
  =>
  (assert (finding (kind cause) (name unequal-deal) (run ?r) (pattern ?p) (locations ?w)
                   (culprits ?w) (lost (min ?lost ?cost)) (share (/ (min ?lost ?cost) (max ?lost 1e-12)))
                   (gain (- ?max ?mean)) (level 2)
                   (where "TaskLifeCycle.work" (str-cat "location " ?w))
                   (text (text "Tasks are dealt without being asked for, and the hands are unequal: worker {} computes {s} in {n} tasks ({.1} times the median per task), the mean worker {s} (coefficient of variation {.2}). The others have {s} less to do in all."
                               ?w ?max ?n ?rel ?mean ?cv ?cost))
                   (remedy (text "Hand out tasks on request: each result asks for the next task (MPI_ANY_SOURCE). Up to {s} of run time."
                                 (- ?max ?mean))))))

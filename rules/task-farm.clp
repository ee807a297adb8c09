;; task-farm: a chain of three stations, of which the middle one is many workers. No paper; the
;; reasoning is that of a pipeline: the station that is busy longest sets the pace.
;;
;;   symptom      low worker efficiency
;;   observation  which station is busy longest: the emitter, a collector, a worker
;;   |- the emitter: workers wait for tasks                              -> slow-emitter
;;   |- a collector: workers are held, or it goes on after them          -> slow-collector
;;   |- a worker that needs longer per task, others wait in turn         -> slow-worker
;;   |    or all are busy: it lacks capacity                              -> slow-worker
;;   `- a worker, tasks alike: the end is uneven                         -> uneven-end
;;   moving tasks costs too much for what they compute                   -> grain-too-fine
;;
;; Waiting here is the whole time in the calls that get tasks: where messages only go forwards, clocks
;; are open and a tracer without offsets cannot tell waiting from moving (a farm of 6 workers whose
;; emitter took 8 ms per task seemed to move each task for 25 ms). How long a station is busy is on one
;; clock. With buffered sends workers never notice a slow collector: then only the time that it goes on
;; after the last worker reports (drain).

(deftemplate MAIN::farm-pace
  "The station of a farm that is busy longest."
  (slot run (type STRING))
  (slot pattern (type STRING))
  (slot station (type SYMBOL) (allowed-symbols emitter worker collector))
  (slot busy (type FLOAT))           ; s
  (slot next (type FLOAT)))          ; s: the slowest of the other stations if this one did not hold them up

(defrule SYMPTOMS::farm-explains
  "A farm is judged by the efficiency of its workers."
  (pattern (run ?r) (name "task-farm") (id ?p))
  =>
  (foreach ?loss (create$ waiting transfer grain ends)
    (assert (explained (run ?r) (pattern ?p) (loss ?loss)))))

(defrule SYMPTOMS::farm-protocol
  "How many tasks there are, and where results go."
  (pattern (run ?r) (name "task-farm") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.task_count") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?workers))
  (metric (run ?r) (pattern ?p) (name "run.task_mean") (value ?mean))
  (metric (run ?r) (pattern ?p) (name "run.efficiency_mean") (value ?e))
  (metric (run ?r) (pattern ?p) (name "run.collectors") (value ?c))
  =>
  (assert (finding (kind observation) (name protocol) (run ?r) (pattern ?p) (healthy yes) (level 1)
                   (text (text "{n} tasks of {s} on average for {n} workers, whose mean efficiency is {%}; results go to {}."
                               ?n ?mean ?workers ?e
                               (if (> ?c 0.0) then (plural (integer ?c) "collector") else "nobody"))))))

(defrule SYMPTOMS::farm-idle-ends
  "An emitter and collectors that wait for workers are how the pattern works, not a loss to act on."
  (pattern (run ?r) (name "task-farm") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.emitter_idle") (value ?e))
  (metric (run ?r) (pattern ?p) (name "run.collectors_idle") (value ?c))
  (test (> (+ ?e ?c) 0.0))
  =>
  (assert (finding (kind observation) (name idle-ends) (run ?r) (pattern ?p) (lost (+ ?e ?c))
                   (healthy yes) (level 1)
                   (text (text "The emitter is idle for {s} and the collectors for {s}, which is normal for this pattern: the workers are to be busy."
                               ?e ?c)))))

(defrule SYMPTOMS::farm-good
  "The workers are busy with tasks."
  (pattern (run ?r) (name "task-farm") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.efficiency_mean")
          (value ?e&:(>= ?e ?*efficiency-good*)))
  =>
  (assert (finding (kind observation) (name good-farm-efficiency) (run ?r) (pattern ?p)
                   (healthy yes) (all-clear yes) (level 1)
                   (text (text "The workers of the farm are busy with tasks {%} of the time." ?e)))))

(defrule SYMPTOMS::farm-low
  "The workers spend much of the run outside tasks."
  (pattern (run ?r) (name "task-farm") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.efficiency_mean")
          (value ?e&:(< ?e ?*efficiency-good*)))
  (metric (run ?r) (pattern ?p) (name "run.farm_lost") (value ?lost))
  =>
  (assert (finding (kind symptom) (name low-farm-efficiency) (run ?r) (pattern ?p) (lost ?lost)
                   (level 1)
                   (text (text "The workers of the farm are busy with tasks {%} of the time: {s} are lost."
                               ?e ?lost)))))

(defrule REFINE::farm-pace
  "The station that is busy longest sets the pace of all."
  (pattern (run ?r) (name "task-farm") (id ?p))
  (exists (finding (kind symptom) (name low-farm-efficiency) (run ?r) (pattern ?p)))
  (metric (run ?r) (pattern ?p) (name "run.emitter_busy") (value ?e))
  (metric (run ?r) (pattern ?p) (name "run.worker_busiest") (value ?w))
  (metric (run ?r) (pattern ?p) (name "run.collector_busy") (value ?c))
  (metric (run ?r) (pattern ?p) (name "run.worker_pace") (value ?pace))
  =>
  (if (and (>= ?e ?w) (>= ?e ?c))
   then (assert (farm-pace (run ?r) (pattern ?p) (station emitter) (busy ?e) (next (max ?pace ?c))))
   else (if (>= ?c ?w)
         then (assert (farm-pace (run ?r) (pattern ?p) (station collector) (busy ?c)
                                 (next (max ?pace ?e))))
         else (assert (farm-pace (run ?r) (pattern ?p) (station worker) (busy ?w)
                                 (next (max ?e ?c)))))))

(defrule CAUSES::farm-slow-emitter
  "The workers wait because the emitter makes tasks too slowly."
  (finding (kind symptom) (name low-farm-efficiency) (run ?r) (pattern ?p))
  (farm-pace (run ?r) (pattern ?p) (station emitter) (busy ?busy) (next ?next))
  (role (run ?r) (pattern ?p) (name "emitter") (location ?x))
  (metric (run ?r) (pattern ?p) (name "run.waiting_all") (value ?wait))
  (metric (run ?r) (pattern ?p) (name "run.farm_time") (value ?time))
  (test (>= ?wait (* ?*significant* ?time)))
  (metric (run ?r) (pattern ?p) (name "run.farm_lost") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.emitter_task") (value ?task))
  (metric (run ?r) (pattern ?p) (name "run.task_mean") (value ?mean))
  (metric (run ?r) (pattern ?p) (name "run.fed") (value ?fed))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.batch") (value ?batch))
  =>
  (bind ?gain (max 0.0 (min (- ?busy ?next) (/ ?wait (max 1.0 ?n)))))
  (assert (finding (kind cause) (name slow-emitter) (run ?r) (pattern ?p) (locations ?x) (culprits ?x)
                   (headline (text "Emitter {} takes {s} per task and can feed {.1} workers; there are {n}, and they wait {s}."
                                   ?x ?task ?fed ?n ?wait))
                   (fix (text "Send {n} tasks per message, or use several emitters or fewer workers." ?batch))
                   (gain-kind remove)
                   (lost ?wait) (share (/ ?wait (max ?lost 1e-12))) (gain ?gain) (level 3)
                   (what-if (what-if-of "compute" ?x "/" ?batch))
                   (functions-of ?x)
                   (text (text "Emitter {} needs {s} per task and a worker {s}: it can feed {.1} workers, there are {n}. They wait {s} for tasks."
                               ?x ?task ?mean ?fed ?n ?wait))
                   (remedy (text "Make tasks in less than {s}: {n} tasks per message if a message costs the same whatever it holds, several emitters, or fewer workers. Up to {s} of run time."
                                 (/ ?mean (max 1.0 ?n)) ?batch ?gain)))))

(defrule CAUSES::farm-slow-collector
  "A collector takes results more slowly than the workers make them."
  (finding (kind symptom) (name low-farm-efficiency) (run ?r) (pattern ?p))
  (farm-pace (run ?r) (pattern ?p) (station collector) (busy ?busy) (next ?next))
  (metric (run ?r) (pattern ?p) (name "run.holding_all") (value ?hold))
  (metric (run ?r) (pattern ?p) (name "run.drain") (value ?drain))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.farm_time") (value ?time))
  (test (>= (+ ?hold (* ?n ?drain)) (* ?*significant* ?time)))
  (metric (run ?r) (pattern ?p) (name "run.farm_lost") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.collector_task") (value ?task))
  (metric (run ?r) (pattern ?p) (name "run.collectors") (value ?c))
  (metric (run ?r) (pattern ?p) (name "run.task_mean") (value ?mean))
  =>
  (bind ?cost (min ?lost (+ ?hold (* ?n ?drain))))
  (bind ?gain (max 0.0 (min (- ?busy ?next) (/ ?cost (max 1.0 ?n)))))
  (bind ?who (create$))
  (do-for-all-facts ((?f role)) (and (eq ?f:run ?r) (eq ?f:pattern ?p) (eq ?f:name "collector"))
    (bind ?who (create$ ?who ?f:location)))
  (assert (finding (kind cause) (name slow-collector) (run ?r) (pattern ?p) (locations ?who)
                   (headline (text "{} {s} per result, and the workers finish one each {s}: they are held for {s}."
                                   (if (= ?c 1.0) then (text "Collector {} takes" ?who) else "The busiest collector takes") ?task (/ ?mean (max 1.0 ?n)) ?hold))
                   (fix (text "Take {n} results per message, use {n} collectors, or leave part of that work to the workers."
                              (integer (+ 1 (/ (* ?task ?n) (max ?mean 1e-12)))) (integer (+ 1 (/ (* ?task ?n) (max ?mean 1e-12))))))
                   (gain-kind remove)
                   (culprits ?who) (lost ?cost) (share (/ ?cost (max ?lost 1e-12))) (gain ?gain)
                   (level 3)
                   (text (text "{} {s} per result, and the workers together finish one each {s}: they are held for {s} until results are taken, and {s} pass after the last task."
                               (if (= ?c 1.0) then (text "Collector {} needs" ?who)
                                else "The busiest collector needs")
                               ?task (/ ?mean (max 1.0 ?n)) ?hold ?drain))
                   (remedy (text "Take {n} results per message, use {n} collectors, or leave part of that work to the workers; up to {s} of run time."
                                 (integer (+ 1 (/ (* ?task ?n) (max ?mean 1e-12))))
                                 (integer (+ 1 (/ (* ?task ?n) (max ?mean 1e-12)))) ?gain)))))

(defrule CAUSES::farm-slow-worker
  "A worker needs longer per task than the others, and gets as many."
  (finding (kind symptom) (name low-farm-efficiency) (run ?r) (pattern ?p))
  (farm-pace (run ?r) (pattern ?p) (station worker) (busy ?busy) (next ?next))
  (metric (run ?r) (pattern ?p) (name "worker.t_comp") (location ?x) (rank 1) (value ?comp))
  (metric (run ?r) (pattern ?p) (name "worker.relative_task_time") (location ?x)
          (value ?rel&:(>= ?rel ?*outlier*)))
  (metric (run ?r) (pattern ?p) (name "worker.task_time") (location ?x) (value ?t))
  (metric (run ?r) (pattern ?p) (name "run.waiting_all") (value ?wait))
  (metric (run ?r) (pattern ?p) (name "run.ending_all") (value ?end))
  (metric (run ?r) (pattern ?p) (name "run.farm_time") (value ?time))
  (test (>= (+ ?wait ?end) (* ?*significant* ?time)))
  (metric (run ?r) (pattern ?p) (name "run.farm_lost") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?n))
  =>
  ;; With tasks as long as the median it would have computed for comp / rel.
  (bind ?cost (min ?lost (+ ?wait ?end) (* (max 1.0 (- ?n 1.0)) (- ?comp (/ ?comp ?rel)))))
  (bind ?gain (min (/ ?cost (max 1.0 ?n)) (max 0.0 (- ?busy ?next))))
  (assert (finding (kind cause) (name slow-worker) (run ?r) (pattern ?p) (locations ?x) (culprits ?x)
                   (headline (text "Worker {} takes {.1} times the median per task and gets as many as the others, which wait {s}."
                                   ?x ?rel (+ ?wait ?end)))
                   (fix (text "Hand out tasks on request instead of in turn, so that worker {} gets fewer; look at its node."
                              ?x))
                   (gain-kind even-out)
                   (lost ?cost) (share (/ ?cost (max ?lost 1e-12))) (gain ?gain) (level 3)
                   (functions-of ?x)
                   (what-if (what-if-of "compute" ?x "/" ?rel))
                   (text (text "Worker {} needs {s} per task, {.1} times the median, and computes {s}, longest of all: the others wait {s} for tasks that are assigned in turn, and {s} for it at the end."
                               ?x ?t ?rel ?comp ?wait ?end))
                   (remedy (text "Hand out tasks on request instead of in turn, so that worker {} gets fewer; look at its node. Up to {s} of run time."
                                 ?x ?gain)))))

(defrule CAUSES::farm-slow-worker-on-request
  "All workers are busy to the end, but one lacks capacity that the others have."
  (finding (kind observation) (name good-farm-efficiency) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "worker.relative_task_time") (location ?x)
          (value ?rel&:(>= ?rel ?*outlier*)))
  (metric (run ?r) (pattern ?p) (name "worker.tasks") (location ?x) (value ?tasks&:(>= ?tasks 3.0)))
  (metric (run ?r) (pattern ?p) (name "run.own_cv") (value ?cv))
  (test (mw-beyond-chance ?rel ?cv ?tasks))
  (metric (run ?r) (pattern ?p) (name "worker.task_time") (location ?x) (value ?t))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?n))
  =>
  ;; Its tasks would have taken the others that much less time. A replay does not redistribute tasks here.
  (bind ?capacity (* ?tasks ?t (- 1.0 (/ 1.0 ?rel))))
  (bind ?gain (/ ?capacity (max 1.0 ?n)))
  (assert (finding (kind cause) (name slow-worker) (run ?r) (pattern ?p) (locations ?x) (culprits ?x)
                   (headline (text "Worker {} takes {.1} times the median per task, which costs the others {s}."
                                   ?x ?rel ?capacity))
                   (fix (text "Look at the node of worker {}: clock, binding, other load; keep handing out tasks on request."
                              ?x))
                   (gain-kind remove)
                   (lost ?capacity) (computing ?capacity) (gain ?gain) (level 2)
                   (functions-of ?x)
                   (text (text "Worker {} is slow: {s} per task, {.1} times the median. Its {n} tasks would have taken another worker {s} less."
                               ?x ?t ?rel ?tasks ?capacity))
                   (remedy (text "Look at the node of worker {} (clock, binding, other load); with a worker as fast as the others up to {s} of run time."
                                 ?x ?gain)))))

(defrule ADVISE::farm-uneven-end
  "The workers finish at different times although none is slow."
  (finding (kind symptom) (name low-farm-efficiency) (run ?r) (pattern ?p))
  (farm-pace (run ?r) (pattern ?p) (station worker))
  (not (finding (kind cause) (name slow-worker) (run ?r) (pattern ?p)))
  (metric (run ?r) (pattern ?p) (name "worker.t_comp") (location ?x) (rank 1) (value ?comp))
  (metric (run ?r) (pattern ?p) (name "worker.relative_task_time") (location ?x)
          (value ?rel&:(< ?rel ?*outlier*)))
  (metric (run ?r) (pattern ?p) (name "run.ending_all") (value ?end))
  (metric (run ?r) (pattern ?p) (name "run.farm_time") (value ?time))
  (test (>= ?end (* ?*significant* ?time)))
  (metric (run ?r) (pattern ?p) (name "run.farm_lost") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.task_count") (value ?tasks))
  (metric (run ?r) (pattern ?p) (name "run.task_mean") (value ?mean))
  (metric (run ?r) (pattern ?p) (name "run.task_cv") (value ?cv))
  =>
  (assert (finding (kind cause) (name uneven-end) (run ?r) (pattern ?p) (lost ?end)
                   (headline (text "The workers finish at different times, {n} tasks for {n} workers: they wait {s} for the last one."
                                   ?tasks ?n ?end))
                   (fix (text "Hand out tasks on request, long ones first, and make at least {n}."
                              (* ?n ?*rounds-good*)))
                   (gain-kind even-out)
                   (share (/ ?end (max ?lost 1e-12))) (gain (/ ?end (max 1.0 ?n))) (level 3)
                   (confidence 0.8) (where "Task.work")
                   (text (text "The workers finish at different times ({s} of waiting for the last one): {n} tasks of {s} (coefficient of variation {.2}) for {n} workers."
                               ?end ?tasks ?mean ?cv ?n))
                   (remedy (text "Hand out tasks on request, long ones first, and make at least {n} ({n} per worker); up to {s} of run time."
                                 (* ?n ?*rounds-good*) ?*rounds-good* (/ ?end (max 1.0 ?n)))))))

(defrule ADVISE::farm-fine-grain
  "Moving a task costs too much for what it computes."
  (finding (kind symptom) (name low-farm-efficiency) (run ?r) (pattern ?p))
  ;; On open clocks waiting looks like moving, and the seconds of a slow station are reported there.
  (metric (run ?r) (pattern ?p) (name "run.clocks_open") (value 0.0))
  (farm-pace (run ?r) (pattern ?p) (station worker))
  (not (finding (kind cause) (name slow-emitter | slow-collector | slow-worker) (run ?r)
                (pattern ?p)))
  (metric (run ?r) (pattern ?p) (name "run.task_mean") (value ?mean))
  (metric (run ?r) (pattern ?p) (name "run.overhead") (value ?o))
  (test (< ?mean (* ?*grain-fine* ?o)))
  (metric (run ?r) (pattern ?p) (name "run.overhead_all") (value ?cost))
  (metric (run ?r) (pattern ?p) (name "run.farm_time") (value ?time))
  (test (>= ?cost (* ?*significant* ?time)))
  (metric (run ?r) (pattern ?p) (name "run.farm_lost") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?n))
  =>
  (bind ?b (integer (+ 1 (/ (* ?*grain-good* ?o) (max ?mean 1e-12)))))
  (assert (finding (kind cause) (name grain-too-fine) (run ?r) (pattern ?p) (lost ?cost)
                   (headline (text "Tasks are too small: {s} of computation, and {s} to hand one out and move its result."
                                   ?mean ?o))
                   (fix (text "Put {n} tasks into one message." ?b))
                   (gain-kind remove)
                   (share (/ ?cost (max ?lost 1e-12)))
                   (gain (/ (* ?cost (- 1.0 (/ 1.0 ?b))) (max 1.0 ?n))) (level 3)
                   (text (text "Tasks are too small: {s} of computation against {s} for handing one out and moving its result."
                               ?mean ?o))
                   (remedy (text "Put {n} tasks into one message, so that computation is {n} times the overhead."
                                 ?b (integer ?*grain-good*))))))

;; master-worker: Li & Malony, section 4. The tree behind Figs. 4 and 7:
;;
;;   level 1   symptom      low worker efficiency (equation 3), reported for the least utilised worker
;;   level 2   observation  which term of equation (1) is significant: initialisation,
;;                          communication, waiting, finalisation
;;   level 3   observation  which term of equation (2) the waiting consists of: sequential parts
;;                          of the master, set-up of the own task, queueing, end of the run
;;             cause        sequential code in the master; the master's time per request
;;                          (against the number of workers and the size of tasks); number and
;;                          size of tasks; scheduling; grain
;;
;; Observations are about the least utilised worker, as the paper does (its lost time is 100 %);
;; causes about all workers. The rules hold for parts of a run and for patterns that extend this
;; one: what these report themselves they name in `refined`.

;; ---- level 1 -------------------------------------------------------------------------------

(defrule SYMPTOMS::mw-explains
  "The rules below account for all that the workers and the master lose."
  (pattern (run ?r) (name "master-worker") (id ?p))
  =>
  (foreach ?loss (create$ waiting transfer grain ends)
    (assert (explained (run ?r) (pattern ?p) (loss ?loss)))))

(defrule SYMPTOMS::mw-idle-master
  "A master that waits for requests is how the pattern works, not a loss to act on."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (exists (metric (run ?r) (pattern ?p) (name "run.task_count") (value ?k&:(> ?k 0.0))))
  (metric (run ?r) (pattern ?p) (name "master.idle") (location ?m)
          (value ?idle&:(> ?idle 0.0)))
  =>
  (assert (finding (kind observation) (name idle-master) (run ?r) (pattern ?p)
                   (locations ?m) (lost ?idle) (healthy yes) (level 1)
                   (text (text "Master {} waits {s} for requests, which is normal for this pattern." ?m ?idle)))))

(defrule SYMPTOMS::mw-low-efficiency
  "The least utilised worker spends much of the run outside tasks."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (exists (metric (run ?r) (pattern ?p) (name "run.task_count") (value ?k&:(> ?k 0.0))))
  (metric (run ?r) (pattern ?p) (name "worker.efficiency") (location ?w)
          (value ?e) (rank ?k) (of ?k))
  (test (< ?e ?*efficiency-good*))
  (metric (run ?r) (pattern ?p) (name "run.efficiency_mean") (value ?mean))
  =>
  (assert (finding (kind symptom) (name low-worker-efficiency) (run ?r)
                   (pattern ?p) (locations ?w) (level 1)
                   (text (text "Worker {} is least utilised: its efficiency is {.3}. The mean over all workers is {.3}."
                               ?w ?e ?mean)))))

(defrule SYMPTOMS::mw-good-efficiency
  "All workers are busy with tasks."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (exists (metric (run ?r) (pattern ?p) (name "run.task_count") (value ?k&:(> ?k 0.0))))
  (metric (run ?r) (pattern ?p) (name "worker.efficiency") (location ?w)
          (value ?e) (rank ?k) (of ?k))
  (test (>= ?e ?*efficiency-good*))
  (metric (run ?r) (pattern ?p) (name "run.efficiency_mean") (value ?mean))
  (metric (run ?r) (pattern ?p) (name "run.task_count") (value ?n))
  =>
  (assert (finding (kind observation) (name good-worker-efficiency) (run ?r)
                   (pattern ?p) (healthy yes) (all-clear yes) (level 1)
                   (text (text "The workers are busy: they compute {n} tasks with a mean efficiency of {%}; the lowest is {%} (worker {})."
                               ?n ?mean ?e ?w)))))

(defrule SYMPTOMS::mw-protocol
  "How tasks and results travel."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.task_count") (value ?n&:(> ?n 0.0)))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?workers))
  (metric (run ?r) (pattern ?p) (name "run.task_mean") (value ?mean))
  (metric (run ?r) (pattern ?p) (name "run.pushed") (value ?pushed))
  (metric (run ?r) (pattern ?p) (name "run.terminations") (value ?stops))
  =>
  (assert (finding (kind observation) (name protocol) (run ?r) (pattern ?p)
                   (healthy yes) (level 1)
                   (text (text "{n} tasks of {s} on average for {n} workers; {n} handed out without a request, {n} orders to stop."
                               ?n ?mean ?workers ?pushed ?stops)))))

(deffunction MAIN::mw-beyond-chance (?rel ?cv ?n)
  "Whether a median of n tasks differs from that of others by more than the spread of tasks explains."
  ;; The standard error of a median is 1.25 times that of a mean.
  (>= (- ?rel 1.0) (/ (* ?*beyond-chance* 1.25 ?cv) (sqrt (max 1.0 ?n)))))

(deffunction MAIN::mw-process-time (?run)
  "Locations times run time, s."
  (bind ?all 0.0)
  (do-for-all-facts ((?r run)) (eq ?r:id ?run)
    (bind ?all (* ?r:locations ?r:duration)))
  ?all)

(deffunction MAIN::mw-is-more-than-chance (?run ?lost ?each)
  "Whether something that happens once takes longer than other load on a core explains."
  (or (>= ?each ?*time-slice*) (>= ?lost (* ?*noise-large* (max 1e-12 (mw-process-time ?run))))))

(deffunction MAIN::mw-has-more-tasks (?run ?pattern ?n)
  "Whether n tasks are more than the median worker has."
  (bind ?median (median-of ?run ?pattern "worker.tasks"))
  (and (> ?median 0.0) (> ?n (* ?*heavy* ?median))))

(deffunction MAIN::mw-gets-its-share (?run ?pattern ?n)
  "Whether n tasks are about as many as the median worker has, where they are assigned without requests: then its
   share is too large. A slow worker with fewer tasks shows that they are handed out on request after all."
  (and (any-factp ((?q pattern)) (and (eq ?q:run ?run) (eq ?q:id ?pattern) (eq ?q:name "static-deal")))
       (>= (* ?n ?*heavy*) (median-of ?run ?pattern "worker.tasks"))))

(deffunction MAIN::mw-had-one-of-many (?run ?pattern ?n)
  "Whether a worker had a single task where others had several: it may be slow, or the task large."
  (and (< ?n 2.0) (>= (median-of ?run ?pattern "worker.tasks") 3.0)))

(defrule REFINE::mw-slow-worker
  "A worker takes much longer per task than the others."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (exists (metric (run ?r) (pattern ?p) (name "run.task_count") (value ?k&:(> ?k 0.0))))
  (not (refined (run ?r) (pattern ?p) (name slow-worker)))
  (metric (run ?r) (pattern ?p) (name "worker.relative_task_time") (location ?w)
          (value ?rel))
  (test (>= ?rel ?*outlier*))
  (metric (run ?r) (pattern ?p) (name "worker.task_time") (location ?w) (value ?t))
  (metric (run ?r) (pattern ?p) (name "worker.tasks") (location ?w) (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.own_cv") (value ?cv))
  (test (mw-beyond-chance ?rel ?cv ?n))
  ;; A worker with only a large first task has none to compare.
  (not (metric (run ?r) (pattern ?p) (name "run.first_over")
               (value ?over&:(and (< ?n 3.0) (>= ?over ?*first-large*)))))
  =>
  ;; On request a slow worker gets fewer tasks, and never more: these are tasks of another kind.
  (if (not (or (mw-has-more-tasks ?r ?p ?n) (mw-gets-its-share ?r ?p ?n) (mw-had-one-of-many ?r ?p ?n))) then
  (assert (finding (kind observation) (name slow-worker) (run ?r) (pattern ?p)
                   (locations ?w) (culprits ?w) (level 1)
                   (functions-of ?w)
                   (text (text "Worker {} is an outlier: {s} per task, {.2} times the median of the workers. It computed {n} tasks; tasks that are handed out on request go to the faster workers instead."
                               ?w ?t ?rel ?n))
                   (remedy (text "Look at the node of process {} (clock, binding, other load) before the program; keep handing out tasks on request."
                                 ?w))))))

;; ---- level 2: equation (1) --------------------------------------------------------------------

(deffunction MAIN::mw-part (?part ?lost)
  (if (> ?lost 0.0) then (/ ?part ?lost) else 0.0))

(defrule REFINE::mw-waiting
  "Waiting of the least utilised worker is a significant part of its lost time."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (finding (kind symptom) (name low-worker-efficiency) (run ?r) (pattern ?p) (locations ?w))
  (metric (run ?r) (pattern ?p) (name "worker.lost") (location ?w) (value ?lost))
  (metric (run ?r) (pattern ?p) (name "worker.t_wait") (location ?w) (value ?wait))
  (test (>= (mw-part ?wait ?lost) ?*part-shown*))
  =>
  (assert (finding (kind observation) (name waiting-significant) (run ?r)
                   (pattern ?p) (locations ?w) (lost ?wait)
                   (share (mw-part ?wait ?lost)) (level 2)
                   (text (text "Waiting time of worker {} is significant: {s}, {%} of its {s} of lost time."
                               ?w ?wait (mw-part ?wait ?lost) ?lost)))))

(defrule REFINE::mw-communication
  "Effective message passing of the least utilised worker is a significant part of its lost time."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (finding (kind symptom) (name low-worker-efficiency) (run ?r) (pattern ?p) (locations ?w))
  (metric (run ?r) (pattern ?p) (name "worker.lost") (location ?w) (value ?lost))
  (metric (run ?r) (pattern ?p) (name "worker.t_comm") (location ?w) (value ?comm))
  (test (>= (mw-part ?comm ?lost) ?*part-shown*))
  =>
  (assert (finding (kind observation) (name communication-significant) (run ?r)
                   (pattern ?p) (locations ?w) (lost ?comm)
                   (share (mw-part ?comm ?lost)) (level 2)
                   (text (text "Of the lost time of worker {}, {%} is spent in message passing itself ({s}, waiting excluded)."
                               ?w (mw-part ?comm ?lost) ?comm)))))

(defrule REFINE::mw-initialisation
  "The least utilised worker loses a significant part of its time before its first task."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (finding (kind symptom) (name low-worker-efficiency) (run ?r) (pattern ?p) (locations ?w))
  (metric (run ?r) (pattern ?p) (name "worker.lost") (location ?w) (value ?lost))
  (metric (run ?r) (pattern ?p) (name "worker.t_init") (location ?w) (value ?init))
  (test (>= (mw-part ?init ?lost) ?*part-shown*))
  =>
  (assert (finding (kind observation) (name initialisation-significant) (run ?r)
                   (pattern ?p) (locations ?w) (lost ?init)
                   (share (mw-part ?init ?lost)) (level 2)
                   (text (text "Of the lost time of worker {}, {%} is spent before it first asks for a task ({s})."
                               ?w (mw-part ?init ?lost) ?init)))))

(defrule REFINE::mw-own-start
  "For most of the run one worker has not asked for a task yet, unlike the others: it begins with work of its own."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (finding (kind observation) (name initialisation-significant) (run ?r) (pattern ?p))
  (run (id ?r) (duration ?t))
  (metric (run ?r) (pattern ?p) (name "worker.t_init") (location ?w) (rank 1)
          (value ?own&:(>= ?own (* ?*accounted-least* ?t))))
  (test (>= ?own (* ?*outlier* (median-of ?r ?p "worker.t_init"))))
  =>
  (assert (refined (run ?r) (pattern ?p) (name initialisation)))
  (assert (finding (kind observation) (name own-start) (run ?r) (pattern ?p) (locations ?w) (level 3)
                   (text (text "Worker {} first asks for a task after {s} of {s}, half of the workers by {s}."
                               ?w ?own ?t (median-of ?r ?p "worker.t_init"))))))

(defrule REFINE::mw-finalisation
  "The least utilised worker loses a significant part of its time after the last task of all."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (finding (kind symptom) (name low-worker-efficiency) (run ?r) (pattern ?p) (locations ?w))
  (metric (run ?r) (pattern ?p) (name "worker.lost") (location ?w) (value ?lost))
  (metric (run ?r) (pattern ?p) (name "worker.t_final") (location ?w) (value ?final))
  (test (>= (mw-part ?final ?lost) ?*part-shown*))
  =>
  (assert (finding (kind observation) (name finalisation-significant) (run ?r)
                   (pattern ?p) (locations ?w) (lost ?final)
                   (share (mw-part ?final ?lost)) (level 2)
                   (text (text "Of the lost time of worker {}, {%} is spent after the last task of all ({s})."
                               ?w (mw-part ?final ?lost) ?final)))))

(defrule REFINE::mw-shares
  "The parts of equations (1) and (2) add up to the lost time; what they leave is reported, too."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (finding (kind symptom) (name low-worker-efficiency) (run ?r) (pattern ?p) (locations ?w))
  (exists (finding (kind observation) (name waiting-significant) (run ?r) (pattern ?p)))
  (metric (run ?r) (pattern ?p) (name "worker.lost") (location ?w) (value ?lost))
  (metric (run ?r) (pattern ?p) (name "worker.share_init") (location ?w) (value ?init))
  (metric (run ?r) (pattern ?p) (name "worker.share_comm") (location ?w) (value ?comm))
  (metric (run ?r) (pattern ?p) (name "worker.share_seq") (location ?w) (value ?seq))
  (metric (run ?r) (pattern ?p) (name "worker.share_setup") (location ?w) (value ?setup))
  (metric (run ?r) (pattern ?p) (name "worker.share_bn") (location ?w) (value ?bn))
  (metric (run ?r) (pattern ?p) (name "worker.share_w_final") (location ?w) (value ?end))
  (metric (run ?r) (pattern ?p) (name "worker.share_stop") (location ?w) (value ?stop))
  (metric (run ?r) (pattern ?p) (name "worker.share_final") (location ?w) (value ?final))
  (metric (run ?r) (pattern ?p) (name "worker.share_rest") (location ?w) (value ?rest))
  =>
  (assert (finding (kind observation) (name lost-time-shares) (run ?r)
                   (pattern ?p) (locations ?w) (level 3)
                   (healthy yes)
                   (text (text "The {s} of lost time of worker {} in full: queueing at the master {%}, set-up of its own tasks {%}, sequential parts of the master {%}, waiting for the last worker {%}, for the orders to stop {%}, message passing {%}, initialisation {%}, finalisation {%}, not explained by the model {%}."
                               ?lost ?w ?bn ?setup ?seq ?end ?stop ?comm ?init ?final ?rest)))))

;; ---- level 3: equation (2) ----------------------------------------------------------------------

(defrule REFINE::mw-queue
  "The least utilised worker waits while the master serves others."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (finding (kind observation) (name waiting-significant) (run ?r) (pattern ?p) (locations ?w))
  (metric (run ?r) (pattern ?p) (name "worker.share_bn") (location ?w)
          (value ?share&:(>= ?share ?*part-shown*)))
  (metric (run ?r) (pattern ?p) (name "worker.t_bn") (location ?w) (value ?bn))
  =>
  (assert (finding (kind observation) (name queueing) (run ?r) (pattern ?p)
                   (locations ?w) (lost ?bn) (share ?share) (level 3)
                   (text (text "Of the lost time of worker {}, {%} ({s}) is spent waiting for the master to process other workers' requests: workers queue up for task assignment."
                               ?w ?share ?bn)))))

(defrule REFINE::mw-setup
  "The least utilised worker waits while the master sets up its task."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (finding (kind observation) (name waiting-significant) (run ?r) (pattern ?p) (locations ?w))
  (metric (run ?r) (pattern ?p) (name "worker.share_setup") (location ?w)
          (value ?share&:(>= ?share ?*part-shown*)))
  (metric (run ?r) (pattern ?p) (name "worker.t_setup") (location ?w) (value ?t))
  =>
  (assert (finding (kind observation) (name task-setup) (run ?r) (pattern ?p)
                   (locations ?w) (lost ?t) (share ?share) (level 3)
                   (text (text "Of the lost time of worker {}, {%} ({s}) is spent waiting for the master computing the next task to assign."
                               ?w ?share ?t)))))

(defrule REFINE::mw-end
  "The least utilised worker waits for the last worker to finish."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (finding (kind observation) (name waiting-significant) (run ?r) (pattern ?p) (locations ?w))
  (metric (run ?r) (pattern ?p) (name "worker.share_w_final") (location ?w)
          (value ?share&:(>= ?share ?*part-shown*)))
  (metric (run ?r) (pattern ?p) (name "worker.t_w_final") (location ?w) (value ?t))
  =>
  (assert (finding (kind observation) (name time-imbalance) (run ?r) (pattern ?p)
                   (locations ?w) (lost ?t) (share ?share) (level 3)
                   (text (text "Of the lost time of worker {}, {%} ({s}) is spent waiting for the last worker to finish up (time imbalance)."
                               ?w ?share ?t)))))

(defrule REFINE::mw-first-deal
  "The last worker to finish spends most of the run on its first task, which is far longer than later ones."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (not (refined (run ?r) (pattern ?p) (name unequal-deal)))
  (finding (kind observation) (name time-imbalance) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.first_over") (value ?over&:(>= ?over ?*first-large*)))
  (metric (run ?r) (pattern ?p) (name "worker.last_finish") (location ?last) (value ?end) (rank 1))
  (metric (run ?r) (pattern ?p) (name "worker.first_work") (location ?last)
          (value ?first&:(>= ?first (* ?*accounted-least* ?end))))
  (metric (run ?r) (pattern ?p) (name "run.first_typical") (value ?typical))
  (metric (run ?r) (pattern ?p) (name "run.later_work") (value ?later))
  =>
  (assert (finding (kind observation) (name first-deal) (run ?r) (pattern ?p) (locations ?last) (level 3)
                   (text (text "A first task takes {s} (median), {.1} times a later one ({s}); worker {} computes {s} in its first and is the last to finish."
                               ?typical ?over ?later ?last ?first)))))

(defrule REFINE::mw-single-deal
  "The last worker to finish spends most of the run on its only task, while the others had several each."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (not (refined (run ?r) (pattern ?p) (name unequal-deal)))
  (finding (kind observation) (name time-imbalance) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.first_over") (value ?over&:(< ?over ?*first-large*)))
  (metric (run ?r) (pattern ?p) (name "worker.last_finish") (location ?last) (value ?end) (rank 1))
  (metric (run ?r) (pattern ?p) (name "worker.first_work") (location ?last)
          (value ?first&:(>= ?first (* ?*accounted-least* ?end))))
  (metric (run ?r) (pattern ?p) (name "worker.tasks") (location ?last) (value ?n))
  (test (mw-had-one-of-many ?r ?p ?n))
  (metric (run ?r) (pattern ?p) (name "worker.relative_task_time") (location ?last)
          (value ?rel&:(>= ?rel ?*first-large*)))
  =>
  (assert (finding (kind observation) (name first-deal) (run ?r) (pattern ?p) (locations ?last) (level 3)
                   (text (text "Worker {} is busy with its only task for {s}, {.1} times what a task takes the median worker, and is the last to finish. A single task does not show whether it is large or the worker slow; the more is assigned first, the less can be evened out later."
                               ?last ?first ?rel)))))

(defrule CAUSES::mw-oversized-deal
  "The first task of a worker is so large that it is still busy with it when there is nothing else left."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (finding (kind observation) (name first-deal) (run ?r) (pattern ?p) (locations ?w))
  ;; A worker that takes long for each task was assigned no more than others.
  (not (finding (kind observation) (name slow-beside-others) (run ?r) (pattern ?p) (locations ?w)))
  (metric (run ?r) (pattern ?p) (name "worker.first_work") (location ?w) (value ?first))
  (metric (run ?r) (pattern ?p) (name "run.first_typical") (value ?typical))
  (metric (run ?r) (pattern ?p) (name "run.total_w_final") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.total_lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.balance_gain") (value ?gain))
  =>
  (assert (finding (kind cause) (name unequal-deal) (run ?r) (pattern ?p)
                   (headline (text "The first assignment is too large: worker {} computes {s} in it and ends last; the others wait {s}."
                                   ?w ?first ?lost))
                   (fix "Assign less at the start: half of the work in equal shares, then half of what is left, and so on.")
                   (gain-kind even-out)
                   (locations (role-locations ?r ?p "worker")) (culprits ?w) (lost ?lost)
                   (share (mw-part ?lost ?all)) (gain ?gain) (level 3)
                   ;; A single task may be slow rather than large.
                   (confidence (if (mw-had-one-of-many ?r ?p (metric-value ?r ?p "worker.tasks" ?w 0.0)) then 0.8 else 0.9))
                   (where "TaskLifeCycle.work") (functions-of ?w)
                   (text (text "The first assignment is too large to be evened out later: worker {} computes {s} in it ({.1} times the median of the workers) and is the last to finish; the others wait {s}."
                               ?w ?first (/ ?first (max 1e-12 ?typical)) ?lost))
                   (remedy (text "Assign less at the start: half of the work in equal shares, then half of what is left, and so on (factoring), or single tasks on request. Up to {s} of run time."
                                 ?gain)))))

(defrule REFINE::mw-sequential
  "The least utilised worker waits while the master initialises or finalises."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (finding (kind observation) (name waiting-significant) (run ?r) (pattern ?p) (locations ?w))
  (metric (run ?r) (pattern ?p) (name "worker.share_seq") (location ?w)
          (value ?share&:(>= ?share ?*part-shown*)))
  (metric (run ?r) (pattern ?p) (name "worker.t_seq") (location ?w) (value ?t))
  =>
  (assert (finding (kind observation) (name sequential-parts) (run ?r) (pattern ?p)
                   (locations ?w) (lost ?t) (share ?share) (level 3)
                   (text (text "Of the lost time of worker {}, {%} ({s}) is spent while the master initialises before the first or finalises after the last task."
                               ?w ?share ?t)))))

(defrule REFINE::mw-stop
  "The least utilised worker waits until the master has told all workers to stop."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (finding (kind observation) (name waiting-significant) (run ?r) (pattern ?p) (locations ?w))
  (metric (run ?r) (pattern ?p) (name "worker.share_stop") (location ?w)
          (value ?share&:(>= ?share ?*part-shown*)))
  (metric (run ?r) (pattern ?p) (name "worker.t_stop") (location ?w) (value ?t))
  =>
  (assert (finding (kind observation) (name stopping) (run ?r) (pattern ?p)
                   (locations ?w) (lost ?t) (share ?share) (level 3)
                   (text (text "Of the lost time of worker {}, {%} ({s}) is spent after the last task, until the master has told every worker to stop, one after the other."
                               ?w ?share ?t)))))

;; ---- causes ------------------------------------------------------------------------------------

(deffunction MAIN::mw-nearest (?workers)
  "The whole number of workers next to what the master can feed: with 3.9 the fourth is worth having."
  (max 1 (integer (+ ?workers 0.5))))

(defrule CAUSES::mw-master-bottleneck
  "The master needs so long per request that the workers queue for tasks."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (not (refined (run ?r) (pattern ?p) (name master-bottleneck)))
  (or (finding (kind observation) (name queueing) (run ?r) (pattern ?p))
      (finding (kind observation) (name task-setup) (run ?r) (pattern ?p)))
  (role (run ?r) (pattern ?p) (name "master") (location ?m))
  (metric (run ?r) (pattern ?p) (name "run.saturation") (value ?sat&:(>= ?sat 1.0)))
  (metric (run ?r) (pattern ?p) (name "run.saturation_regular") (value ?regular&:(>= ?regular 1.0)))
  (metric (run ?r) (pattern ?p) (name "run.total_bn") (value ?bn))
  (metric (run ?r) (pattern ?p) (name "run.total_setup") (value ?setup))
  (metric (run ?r) (pattern ?p) (name "run.total_stop") (value ?stop))
  (metric (run ?r) (pattern ?p) (name "run.master_share") (value ?share))
  (metric (run ?r) (pattern ?p) (name "master.services") (value ?services))
  (metric (run ?r) (pattern ?p) (name "master.service_mean") (value ?sm))
  (metric (run ?r) (pattern ?p) (name "master.service_total") (value ?total))
  (metric (run ?r) (pattern ?p) (name "run.cycle_mean") (value ?sw))
  (metric (run ?r) (pattern ?p) (name "run.useful_workers") (value ?useful))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?workers))
  (metric (run ?r) (pattern ?p) (name "run.batch") (value ?batch))
  (metric (run ?r) (pattern ?p) (name "run.batch_gain") (value ?gain))
  =>
  (assert (finding (kind cause) (name master-bottleneck) (run ?r) (pattern ?p)
                   (headline (text "Master {} takes {s} per request, so it can feed {.1} workers; there are {n}, and they wait {s}."
                                   ?m ?sm ?useful ?workers (+ ?bn ?setup ?stop)))
                   (fix (text "Make requests cheaper for the master, or hand out {n} or more tasks per request."
                              ?batch))
                   (gain-kind remove)
                   (locations (role-locations ?r ?p "worker")) (culprits ?m)
                   (lost (+ ?bn ?setup ?stop)) (share ?share) (level 3)
                   ;; Of requests so cheap that workers hardly wait, not of the smallest batch with which the
                   ;; master keeps up: one that is busy half of the time still lets them wait.
                   (gain (* (- 1.0 (/ 1.0 ?*cheap*)) (/ (+ ?bn ?setup ?stop) ?workers)))
                   (what-if (what-if-of "compute" ?m "/" ?*cheap*))
                   (where "Service.prepare")
                   (text (text "Master {} needs {s} per request: {n} requests, {s} one after the other. A task takes a worker {s}, so the master can feed {.1} workers; there are {n}. This explains {%} of the workers' lost time: {s} in the queue at the master, {s} while the own task is set up, {s} at the end while it tells one after the other to stop."
                               ?m ?sm ?services ?total ?sw ?useful ?workers ?share ?bn ?setup ?stop))
                   (remedy (text "Make the master's {s} per request shorter, or hand out more tasks per request: batches of {n} per request save {s} of run time by the model if a request costs the same whatever it holds, and larger ones more. As it is, more than {n} workers only queue; for more, use several masters."
                                 ?sm ?batch ?gain (mw-nearest ?useful))))))

(deffunction MAIN::mw-is-one-more-slice (?own ?all ?alone ?slice)
  "Whether a master that computes of its own is early or late by just one such slice: that is no other fault."
  (and (>= ?own (* ?*part-shown* ?all)) (<= ?alone (* 2.0 ?slice))))

(deffunction MAIN::mw-look-every (?task)
  "How often a master should look for requests: half a slice is what one waits, a twentieth of a task."
  (* 2.0 ?*significant* ?task))

(defrule CAUSES::mw-master-computes
  "The master computes itself, and does not look for requests meanwhile."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (finding (kind observation) (name task-setup | queueing) (run ?r) (pattern ?p))
  (role (run ?r) (pattern ?p) (name "master") (location ?m))
  (metric (run ?r) (pattern ?p) (name "run.own_lost") (value ?waited))
  (metric (run ?r) (pattern ?p) (name "run.total_lost") (value ?all))
  (test (>= ?waited (* ?*part-shown* ?all)))
  (metric (run ?r) (pattern ?p) (name "run.own_work") (value ?own))
  (metric (run ?r) (pattern ?p) (name "run.own_slice") (value ?slice))
  (metric (run ?r) (pattern ?p) (name "run.task_mean") (value ?mean))
  (test (>= ?slice (mw-look-every ?mean)))
  (metric (run ?r) (pattern ?p) (name "run.total_seq") (value ?seq))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?n&:(> ?n 0.0)))
  =>
  (bind ?lost (+ ?waited (if (mw-is-one-more-slice ?waited ?all (/ ?seq ?n) ?slice) then ?seq else 0.0)))
  ;; Work of the master may be tasks, which it then computes like a worker.
  (bind ?gain (/ ?lost (+ ?n 1.0)))
  (assert (finding (kind cause) (name master-computes) (run ?r) (pattern ?p)
                   (headline (text "Master {} computes itself, {s} at a time, and answers nobody meanwhile: workers wait {s}."
                                   ?m ?slice ?lost))
                   (fix (text "Let the master look for requests every {s} (MPI_Iprobe), or leave all computing to the workers."
                              (mw-look-every ?mean)))
                   (gain-kind remove)
                   (locations (role-locations ?r ?p "worker")) (culprits ?m) (lost ?lost)
                   (share (mw-part ?lost ?all)) (gain ?gain) (level 3)
                   (where "Own.own") (functions-of ?m)
                   (text (text "Master {} computes {s} that no worker has asked for, {s} at a time where requests meet it; a task takes {s}. Workers that ask meanwhile wait {s}, {%} of their lost time."
                               ?m ?own ?slice ?mean ?lost (mw-part ?lost ?all)))
                   (remedy (text "Let the master look for requests every {s} (MPI_Iprobe between slices of its work, or a thread of its own), or leave all computing to the workers; up to {s} of run time."
                                 (mw-look-every ?mean) ?gain)))))

;; Set-up per task is only what requests of about the same length explain, not a single long one or the end of
;; the run.
(deffunction MAIN::mw-held-back (?run ?pattern)
  "What workers wait for tasks while the master waits, too; 0 where it is not known."
  (metric-value ?run ?pattern "run.total_held_back" "" 0.0))

(deffunction MAIN::mw-busy-workers (?run ?pattern)
  "Labels of the workers that compute nearly all the time."
  (locations-from ?run ?pattern "worker.efficiency" ?*balanced*))

(defrule CAUSES::mw-slow-stage
  "Some workers wait for tasks that do not exist yet, and others are busy all the time: what these give back becomes tasks, or makes room for them."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (not (refined (run ?r) (pattern ?p) (name slow-stage)))
  (finding (kind observation) (name task-setup | queueing) (run ?r) (pattern ?p))
  (not (finding (name slow-worker) (run ?r) (pattern ?p)))
  (metric (run ?r) (pattern ?p) (name "run.total_held_back") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.total_lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.total_bn") (value ?bn))
  (metric (run ?r) (pattern ?p) (name "run.total_setup") (value ?setup))
  ;; Workers wait for this rather than for the master.
  (test (and (>= ?lost (* ?*part-shown* ?all)) (>= ?lost (* 0.5 (+ ?bn ?setup)))))
  ;; Nor does the master wait for one while others are ready.
  (metric (run ?r) (pattern ?p) (name "master.wrong_order_share") (value ?order&:(< ?order ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "worker.efficiency") (location ?idle) (value ?least&:(< ?least ?*efficiency-good*)) (rank ?n) (of ?n))
  (metric (run ?r) (pattern ?p) (name "master.occupied") (location ?m) (value ?occupied))
  =>
  (bind ?who (mw-busy-workers ?r ?p))
  (bind ?share (mw-part ?lost ?all))
  (if (> (length$ ?who) 0) then
  (assert (finding (kind cause) (name slow-stage) (run ?r) (pattern ?p)
                   (headline (text "Worker{} {} {} busy all the time; the others wait {s} for tasks that depend on theirs."
                                   (if (> (length$ ?who) 1) then "s" else "") (location-list ?who)
                                   (if (> (length$ ?who) 1) then "are" else "is") ?lost))
                   (fix "Let the others do such tasks, too, or make these tasks shorter.")
                   (gain-kind even-out)
                   (locations (role-locations ?r ?p "worker")) (culprits ?who)
                   (lost ?lost) (share ?share) (gain (/ ?lost ?n)) (level 3) (confidence 0.8)
                   (functions-of (nth$ 1 ?who))
                   (text (text "Workers wait {s} for tasks while master {}, which is occupied for {s} in all, waits itself: there was no task to give. Workers {} compute all the time, worker {} {%} of it: the farm has stages, and theirs is the slowest."
                               ?lost ?m ?occupied (location-list ?who) ?idle ?least))
                   (remedy (text "Let the other workers do such tasks, too, or make these tasks shorter; as the work is, evening it out saves up to {s} of run time."
                                 (/ ?lost ?n)))))))

(defrule CAUSES::mw-occupied-master
  "The master is never idle and workers wait for it, also where a result does not mean that its sender gets the next task."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (finding (kind observation) (name task-setup | queueing) (run ?r) (pattern ?p))
  (role (run ?r) (pattern ?p) (name "master") (location ?m))
  (metric (run ?r) (pattern ?p) (name "master.occupied_share") (value ?busy&:(>= ?busy ?*balanced*)))
  (metric (run ?r) (pattern ?p) (name "master.occupied") (value ?occupied))
  (metric (run ?r) (pattern ?p) (name "master.received") (value ?results&:(> ?results 0.0)))
  ;; With more services mw-bottleneck judges its requests.
  (metric (run ?r) (pattern ?p) (name "master.services") (value ?services&:(< ?services (* 0.5 ?results))))
  (metric (run ?r) (pattern ?p) (name "run.total_bn") (value ?bn))
  (metric (run ?r) (pattern ?p) (name "run.total_setup") (value ?setup))
  (metric (run ?r) (pattern ?p) (name "run.total_stop") (value ?stop))
  (metric (run ?r) (pattern ?p) (name "run.total_lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?n))
  =>
  (bind ?lost (+ ?bn ?setup ?stop))
  (bind ?each (/ ?occupied ?results))
  (assert (finding (kind cause) (name master-bottleneck) (run ?r) (pattern ?p) (via occupied)
                   (headline (text "Master {} is occupied {%} of the run, {s} for each result; {n} workers wait {s} for it."
                                   ?m ?busy ?each ?n ?lost))
                   (fix "Hand out several tasks at a time, or make what the master does for each result shorter.")
                   (gain-kind remove)
                   (locations (role-locations ?r ?p "worker")) (culprits ?m)
                   (lost ?lost) (share (mw-part ?lost ?all)) (gain (/ ?lost (max 1.0 ?n))) (level 3)
                   (functions-of ?m)
                   (text (text "Master {} hardly ever waits: it is occupied {%} of the run, {s} for each of {n} results. The workers wait {s} for it."
                               ?m ?busy ?each ?results ?lost))
                   (remedy (text "Hand out several tasks at a time, let a worker have one task ahead, or make the {s} shorter that the master takes for each result; up to {s} of run time."
                                 ?each (/ ?lost (max 1.0 ?n)))))))

(defrule CAUSES::mw-setup-latency
  "The master is fast enough for its workers, but each of them waits while its task is set up."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (not (refined (run ?r) (pattern ?p) (name task-setup-latency)))
  (finding (kind observation) (name task-setup | queueing) (run ?r) (pattern ?p))
  (role (run ?r) (pattern ?p) (name "master") (location ?m))
  (metric (run ?r) (pattern ?p) (name "run.saturation") (value ?sat))
  (metric (run ?r) (pattern ?p) (name "run.saturation_regular") (value ?sat-regular))
  (test (or (< ?sat 1.0) (< ?sat-regular 1.0)))
  (metric (run ?r) (pattern ?p) (name "run.total_bn") (value ?bn))
  (metric (run ?r) (pattern ?p) (name "run.total_setup") (value ?setup))
  (metric (run ?r) (pattern ?p) (name "run.total_lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.service_typical") (value ?typical))
  (metric (run ?r) (pattern ?p) (name "run.service_regular") (value ?regular))
  (metric (run ?r) (pattern ?p) (name "run.own_lost") (value ?own))
  (test (>= (* ?regular (- (+ ?bn ?setup) ?own (mw-held-back ?r ?p))) (* ?*part-shown* ?all)))
  (metric (run ?r) (pattern ?p) (name "master.services") (value ?services))
  (metric (run ?r) (pattern ?p) (name "run.useful_workers") (value ?useful))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?workers))
  =>
  (bind ?lost (* ?regular (- (+ ?bn ?setup) ?own (mw-held-back ?r ?p))))
  (assert (finding (kind cause) (name task-setup-latency) (run ?r) (pattern ?p)
                   (headline (text "Workers idle for {s} while master {} prepares their next task, although it is fast enough to feed them all."
                                   ?lost ?m))
                   (fix "Keep one task ahead: give each worker two at the start, or let it ask before it computes (MPI_Irecv).")
                   (gain-kind remove)
                   (locations (role-locations ?r ?p "worker")) (culprits ?m)
                   (lost ?lost) (share (mw-part ?lost ?all))
                   (gain (/ ?lost (max 1.0 ?workers))) (level 3)
                   (where "Service.prepare")
                   (text (text "Master {} typically needs {s} per request ({n} requests). It can feed {.1} workers and has {n}, yet every worker stands idle while its next task is prepared: {s} in all, {%} of the workers' lost time."
                               ?m ?typical ?services ?useful ?workers ?lost (mw-part ?lost ?all)))
                   (remedy (text "Keep one task ahead: give each worker two tasks at the start, or let it ask for the next one before it computes (MPI_Irecv); up to {s} of run time."
                                 (/ ?lost (max 1.0 ?workers)))))))

(defrule CAUSES::mw-irregular-service
  "A few requests take the master much longer than the others, and workers wait for that."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (not (refined (run ?r) (pattern ?p) (name irregular-service)))
  (finding (kind observation) (name task-setup | queueing) (run ?r) (pattern ?p))
  (role (run ?r) (pattern ?p) (name "master") (location ?m))
  (metric (run ?r) (pattern ?p) (name "run.total_bn") (value ?bn))
  (metric (run ?r) (pattern ?p) (name "run.total_setup") (value ?setup))
  (metric (run ?r) (pattern ?p) (name "run.total_lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.saturation") (value ?sat))
  (metric (run ?r) (pattern ?p) (name "run.saturation_regular") (value ?sat-regular))
  ;; A saturated master is reported with all that its requests take.
  (test (or (< ?sat 1.0) (< ?sat-regular 1.0)))
  (metric (run ?r) (pattern ?p) (name "run.service_regular") (value ?regular))
  (metric (run ?r) (pattern ?p) (name "run.own_lost") (value ?own))
  (test (>= (* (- 1.0 ?regular) (- (+ ?bn ?setup) ?own)) (* ?*part-shown* ?all)))
  (metric (run ?r) (pattern ?p) (name "run.service_typical") (value ?typical))
  (metric (run ?r) (pattern ?p) (name "run.service_long") (value ?long))
  (metric (run ?r) (pattern ?p) (name "run.service_long_count") (value ?n))
  (metric (run ?r) (pattern ?p) (name "master.services") (value ?services))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?workers))
  =>
  (bind ?lost (* (- 1.0 ?regular) (- (+ ?bn ?setup) ?own)))
  (assert (finding (kind (if (>= ?long ?*time-slice*) then cause else observation))
                   (name irregular-service) (run ?r) (pattern ?p)
                   (headline (text "{n} of {n} requests take master {} {s} instead of {s}, and workers wait {s} for these."
                                   ?n ?services ?m ?long ?typical ?lost))
                   (fix (text "Look at what master {} does in its longest requests, and at what else runs on its core."
                              ?m))
                   (gain-kind remove)
                   (locations (role-locations ?r ?p "worker")) (culprits ?m)
                   (lost ?lost) (share (mw-part ?lost ?all))
                   (gain (/ ?lost (max 1.0 ?workers))) (level 3) (confidence 0.7)
                   (where "Service.prepare") (functions-of ?m)
                   (text (text "Master {} typically needs {s} per request, but {n} of {n} take it {s} on average: the workers wait {s} for these. {}"
                               ?m ?typical ?n ?services ?long ?lost
                               (if (>= ?long ?*time-slice*)
                                then "It does something else in them now and then."
                                else "They are no longer than a busy core makes them: it does something else now and then, or something else runs where it does.")))
                   (remedy (text "Look at what master {} does in its longest requests, such as writing results, and at what else runs on its core; up to {s} of run time."
                                 ?m (/ ?lost (max 1.0 ?workers)))))))

(defrule ADVISE::mw-late-stop
  "After the last task the workers wait long for the orders to stop."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (not (refined (run ?r) (pattern ?p) (name late-stop)))
  (finding (kind observation) (name stopping) (run ?r) (pattern ?p))
  ;; That cause includes the orders to stop.
  (not (finding (kind cause) (name master-bottleneck) (run ?r) (pattern ?p)))
  (role (run ?r) (pattern ?p) (name "master") (location ?m))
  (metric (run ?r) (pattern ?p) (name "run.total_stop") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.total_lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?workers&:(> ?workers 0.0)))
  (test (mw-is-more-than-chance ?r ?lost (/ ?lost ?workers)))
  =>
  (assert (finding (kind cause) (name late-stop) (run ?r) (pattern ?p)
                   (headline (text "After the last task, master {} takes {s} until all {n} workers are told to stop."
                                   ?m (/ ?lost ?workers) ?workers))
                   (fix "Tell the workers to stop as soon as the last result is there, and finish up afterwards.")
                   (gain-kind remove)
                   (locations (role-locations ?r ?p "worker")) (culprits ?m) (lost ?lost)
                   (share (mw-part ?lost ?all)) (gain (/ ?lost ?workers)) (level 3)
                   (confidence 0.7) (functions-of ?m)
                   (text (text "From the end of the last task until master {} has told all {n} workers to stop pass {s}: {s} of idle workers."
                               ?m ?workers (/ ?lost ?workers) ?lost))
                   (remedy (text "Tell the workers to stop as soon as the last result is there, and do what remains to be done afterwards; up to {s} of run time."
                                 (/ ?lost ?workers))))))

(deffunction MAIN::mw-last-round-tells (?efficiency ?rounds ?idle ?lost)
  "Whether the end is uneven as the last round of tasks is not full: that alone costs much, or most of it."
  (or (< ?efficiency ?*rounds-poor*)
      (and (< ?efficiency (- 1.0 ?*significant*)) (< ?rounds ?*rounds-good*)
           (>= ?idle (* ?*accounted-least* ?lost)))))

(deffunction MAIN::mw-tasks-served (?work ?workers ?service)
  "How many tasks, in full rounds, the work can be split into before the master is the limit: a task must
   last while it serves the other workers."
  (* ?workers (integer (/ ?work (* ?workers (max 1 (- ?workers 1)) (max 1e-12 ?service))))))

(deffunction MAIN::mw-split (?n ?work ?workers ?served)
  "The advice that ends with what it gains."
  (bind ?good (* ?workers ?*rounds-good*))
  (if (>= ?served ?good)
   then (text "Split the work into at least {n} tasks ({n} per worker, of some {s} each)"
              ?good ?*rounds-good* (/ ?work ?good))
   else (if (> ?served ?n)
         then (text "Split the work into {n} tasks ({n} per worker, of some {s} each); with more the master is the limit"
                    ?served (/ ?served ?workers) (/ ?work ?served))
         else (text "Make the number of tasks a multiple of {n}; with smaller ones the master is the limit, unless its time per request becomes shorter"
                    ?workers))))

(defrule CAUSES::mw-too-few-tasks
  "There are too few tasks to fill the last round."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (not (finding (name first-deal) (run ?r) (pattern ?p)))
  (not (refined (run ?r) (pattern ?p) (name too-few-tasks)))
  (finding (kind observation) (name time-imbalance) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.total_w_final") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.total_lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.round_efficiency") (value ?re))
  (metric (run ?r) (pattern ?p) (name "run.round_lost") (value ?idle))
  (metric (run ?r) (pattern ?p) (name "run.task_count") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?workers))
  (metric (run ?r) (pattern ?p) (name "run.rounds") (value ?rounds))
  (metric (run ?r) (pattern ?p) (name "run.task_mean") (value ?mean))
  (metric (run ?r) (pattern ?p) (name "run.balance_gain") (value ?gain))
  (metric (run ?r) (pattern ?p) (name "run.efficiency_mean") (value ?e))
  (metric (run ?r) (pattern ?p) (name "master.service_mean") (value ?sm))
  (test (mw-last-round-tells ?re ?rounds ?idle ?lost))
  =>
  (bind ?last (- ?n (* (- ?rounds 1) ?workers)))
  (assert (finding (kind cause) (name too-few-tasks) (run ?r) (pattern ?p)
                   (headline (text "{n} tasks are too few for {n} workers: in the last of {n} rounds only {n} of them are busy."
                                   ?n ?workers ?rounds ?last))
                   (fix (text "{}." (mw-split ?n (* ?n ?mean) ?workers
                                             (mw-tasks-served (* ?n ?mean) ?workers ?sm))))
                   (gain-kind even-out)
                   (locations (role-locations ?r ?p "worker")) (lost ?lost)
                   (share (mw-part ?lost ?all)) (gain ?gain) (level 3)
                   (text (text "There are too few tasks, the grain is too coarse: {n} tasks of {s} for {n} workers are {n} rounds, and the last round keeps {n} of {n} busy. At best that is an efficiency of {%}; measured are {%}."
                               ?n ?mean ?workers ?rounds ?last ?workers ?re ?e))
                   (remedy (text "{}; up to {s} of run time."
                                 (mw-split ?n (* ?n ?mean) ?workers
                                           (mw-tasks-served (* ?n ?mean) ?workers ?sm))
                                 ?gain)))))

(defrule CAUSES::mw-unequal-tasks
  "Long tasks at the end keep one worker busy while the others are done."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (not (refined (run ?r) (pattern ?p) (name unequal-tasks)))
  (finding (kind observation) (name time-imbalance) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.total_w_final") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.total_lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.round_efficiency") (value ?re))
  (metric (run ?r) (pattern ?p) (name "run.rounds") (value ?rounds))
  (metric (run ?r) (pattern ?p) (name "run.round_lost") (value ?idle))
  (test (not (mw-last-round-tells ?re ?rounds ?idle ?lost)))
  (metric (run ?r) (pattern ?p) (name "run.task_cv") (value ?cv&:(>= ?cv ?*unequal-tasks*)))
  (metric (run ?r) (pattern ?p) (name "run.task_mean") (value ?mean))
  (metric (run ?r) (pattern ?p) (name "run.task_max") (value ?max))
  (metric (run ?r) (pattern ?p) (name "worker.last_finish") (location ?last) (rank 1))
  (metric (run ?r) (pattern ?p) (name "run.balance_gain") (value ?gain))
  (not (finding (name slow-worker | slow-beside-others | first-deal) (run ?r) (pattern ?p)))
  =>
  (assert (finding (kind cause) (name unequal-tasks) (run ?r) (pattern ?p)
                   (headline (text "Tasks are unequal, {s} on average and {s} at most: workers wait {s} for worker {}, which has the last one."
                                   ?mean ?max ?lost ?last))
                   (fix (text "Hand out the longest tasks first, or split tasks above {s}." (* 2.0 ?mean)))
                   (gain-kind even-out)
                   (locations (role-locations ?r ?p "worker")) (culprits ?last) (lost ?lost)
                   (share (mw-part ?lost ?all)) (gain ?gain) (level 3)
                   (where "TaskLifeCycle.work")
                   (text (text "Tasks are unequal (mean {s}, longest {s}, coefficient of variation {.2}), and the workers finish at different times: {s} of waiting for worker {}, which has the last one."
                               ?mean ?max ?cv ?lost ?last))
                   (remedy (text "Hand out the longest tasks first, or split tasks above {s} (twice the mean); up to {s} of run time."
                                 (* 2.0 ?mean) ?gain)))))

(defrule CAUSES::mw-uneven-end
  "Workers finish at different times although tasks are many and alike."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (not (refined (run ?r) (pattern ?p) (name uneven-end)))
  (finding (kind observation) (name time-imbalance) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.total_w_final") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.total_lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.round_efficiency") (value ?re))
  (metric (run ?r) (pattern ?p) (name "run.rounds") (value ?rounds))
  (metric (run ?r) (pattern ?p) (name "run.round_lost") (value ?idle))
  (test (not (mw-last-round-tells ?re ?rounds ?idle ?lost)))
  (metric (run ?r) (pattern ?p) (name "run.task_cv") (value ?cv&:(< ?cv ?*unequal-tasks*)))
  (metric (run ?r) (pattern ?p) (name "run.task_mean") (value ?mean))
  (metric (run ?r) (pattern ?p) (name "run.task_count") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.pushed") (value ?pushed))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?workers))
  (metric (run ?r) (pattern ?p) (name "worker.last_finish") (location ?last) (rank 1))
  (metric (run ?r) (pattern ?p) (name "run.balance_gain") (value ?gain))
  (not (finding (name slow-worker | slow-beside-others | first-deal) (run ?r) (pattern ?p)))
  ;; On request everybody finishes within a task; what takes longer happens once, at the end.
  (test (or (> ?pushed ?workers) (<= ?gain ?mean) (mw-is-more-than-chance ?r ?lost ?gain)))
  =>
  (assert (finding (kind cause) (name uneven-end) (run ?r) (pattern ?p)
                   (headline (text "Workers finish at different times although tasks are alike: they wait {s} for worker {}, the last."
                                   ?lost ?last))
                   (fix (if (> ?pushed ?workers)
                        then "Hand out tasks on request instead of beforehand."
                        else "Make the last tasks smaller (guided self-scheduling)."))
                   (gain-kind even-out)
                   (locations (role-locations ?r ?p "worker")) (culprits ?last) (lost ?lost)
                   (share (mw-part ?lost ?all)) (gain ?gain) (level 3) (confidence 0.7)
                   (text (text "The workers finish at different times although their {n} tasks are alike: {s} of waiting for worker {}, which is the last."
                               ?n ?lost ?last))
                   (remedy (text "{}; up to {s} of run time."
                                 (if (> ?pushed ?workers)
                                  then "Hand out tasks on request instead of beforehand"
                                  else "Make the last tasks smaller (guided chunks)")
                                 ?gain)))))

(deffunction MAIN::mw-slow-workers (?run ?pattern)
  "Labels of the workers that were found to be slow."
  (bind ?labels (create$))
  (do-for-all-facts ((?f finding))
    (and (eq ?f:run ?run) (eq ?f:pattern ?pattern) (eq ?f:kind observation) (eq ?f:name slow-worker))
    (bind ?labels (create$ ?labels ?f:culprits)))
  ?labels)

(deffunction MAIN::mw-capacity (?run ?pattern ?w)
  "How much less time the tasks of a slow worker would have taken the others. One or two that took long may be long tasks."
  (bind ?tasks (metric-value ?run ?pattern "worker.tasks" ?w 0.0))
  (if (>= ?tasks 3.0)
   then (* ?tasks (metric-value ?run ?pattern "worker.task_time" ?w 0.0)
           (- 1.0 (/ 1.0 (max 1.0 (metric-value ?run ?pattern "worker.relative_task_time" ?w 0.0)))))
   else 0.0))

(defrule CAUSES::mw-slow-worker
  "Slow workers: what the others could have done meanwhile is lost, also where all are busy to the end."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (finding (kind observation) (name slow-worker) (run ?r) (pattern ?p) (locations ?w))
  (metric (run ?r) (pattern ?p) (name "worker.holds_up") (location ?w))
  (metric (run ?r) (pattern ?p) (name "run.total_lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "worker.task_time") (location ?w) (value ?t))
  (metric (run ?r) (pattern ?p) (name "worker.tasks") (location ?w) (value ?tasks))
  (metric (run ?r) (pattern ?p) (name "worker.relative_task_time") (location ?w) (value ?rel))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?n))
  ;; Several are one cause, reported with the slowest.
  (not (and (finding (kind observation) (name slow-worker) (run ?r) (pattern ?p) (locations ?other&~?w))
            (metric (run ?r) (pattern ?p) (name "worker.relative_task_time") (location ?other)
                    (value ?slower&:(or (> ?slower ?rel)
                                        (and (= ?slower ?rel) (> (str-compare ?w ?other) 0)))))))
  =>
  (bind ?who (mw-slow-workers ?r ?p))
  (bind ?many (> (length$ ?who) 1))
  (bind ?capacity 0.0)
  (bind ?held 0.0)
  (bind ?what "")
  (foreach ?x ?who
    (bind ?its (mw-capacity ?r ?p ?x))
    (bind ?capacity (+ ?capacity ?its))
    (bind ?held (max ?held (metric-value ?r ?p "worker.holds_up" ?x 0.0)))
    (if (> ?its 0.0) then
      (bind ?what (str-cat ?what (if (eq ?what "") then "" else ", ")
                           (what-if-of "compute" ?x "/" (metric-value ?r ?p "worker.relative_task_time" ?x 0.0))))))
  (bind ?lost (+ ?capacity ?held))
  (if (> ?lost 0.0) then
  (assert (finding (kind cause) (name slow-worker) (run ?r) (pattern ?p)
                   (headline (text "Worker{} {} take{} {.1} times the median per task, which costs the others {s}."
                                   (if ?many then "s" else "") (location-list ?who) (if ?many then " up to" else "s")
                                   ?rel ?lost))
                   (fix (text "Look at the node of worker{} {}: clock, binding, other load; keep handing out tasks on request."
                              (if ?many then "s" else "") (location-list ?who)))
                   (gain-kind remove)
                   (locations (role-locations ?r ?p "worker")) (culprits ?who) (lost ?lost) (computing ?capacity)
                   (share (min 1.0 (mw-part ?lost ?all))) (gain (/ ?lost (max 1.0 ?n))) (level 2)
                   (functions-of ?w) (what-if ?what)
                   (text (str-cat
                           (if ?many then (text "Workers {} are slow. " (location-list ?who)) else "")
                           (text "Worker {} is {}: {s} per task, {.1} times the median."
                                 ?w (if ?many then "the slowest" else "slow") ?t ?rel)
                           (if (<= ?capacity 0.0) then ""
                            else (if ?many
                             then (text " What they computed would have taken others {s} less." ?capacity)
                             else (text " Its {n} tasks would have taken another worker {s} less." ?tasks ?capacity)))
                           (if (> ?held 0.0)
                            then (text " {} last: the others wait {s} for it at the end."
                                       (if ?many then "One of them finishes" else "It finishes") ?held)
                            else "")))
                   (remedy (text "Repair or replace the node of worker{} {}, or give it no task in the last {s}; with a worker as fast as the others up to {s} of run time."
                                 (if ?many then "s" else "") (location-list ?who) ?t (/ ?lost (max 1.0 ?n))))))))

;; ---- where the trace does not show tasks: results show what they take ----------------------------

(deffunction MAIN::mw-slow-by-results (?run ?pattern ?cv)
  "Labels of the workers that take much longer from result to result than the others."
  (bind ?labels (create$))
  (do-for-all-facts ((?m metric) (?n metric))
    (and (eq ?m:run ?run) (eq ?m:pattern ?pattern) (eq ?m:name "worker.relative_result_time")
         (>= ?m:value ?*outlier*)
         (eq ?n:run ?run) (eq ?n:pattern ?pattern) (eq ?n:name "worker.results") (eq ?n:location ?m:location)
         (>= ?n:value 3.0) (mw-beyond-chance ?m:value ?cv ?n:value))
    (bind ?labels (create$ ?labels ?m:location)))
  ?labels)

(deffunction MAIN::mw-capacity-by-results (?run ?pattern ?who)
  "How much less time their results would have taken others."
  (bind ?sum 0.0)
  (do-for-all-facts ((?m metric) (?n metric) (?t metric))
    (and (eq ?m:run ?run) (eq ?m:pattern ?pattern) (eq ?m:name "worker.relative_result_time")
         (member$ ?m:location ?who)
         (eq ?n:run ?run) (eq ?n:pattern ?pattern) (eq ?n:name "worker.results") (eq ?n:location ?m:location)
         (eq ?t:run ?run) (eq ?t:pattern ?pattern) (eq ?t:name "worker.result_time") (eq ?t:location ?m:location))
    (bind ?sum (+ ?sum (* ?n:value ?t:value (- 1.0 (/ 1.0 (max 1.0 ?m:value)))))))
  ?sum)

(defrule CAUSES::mw-slow-worker-by-results
  "A worker is slow, and the others do part of its work: it sends fewer results. What they could have done meanwhile is lost."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.task_count") (value 0.0))
  ;; A process that only collects hands out no tasks.
  (metric (run ?r) (pattern ?p) (name "master.answers_share") (value ?answers&:(>= ?answers ?*explained-most*)))
  (metric (run ?r) (pattern ?p) (name "run.result_own_cv") (value ?cv))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?n))
  (metric (run ?r) (pattern ?p) (name "worker.results") (rank 1))
  (metric (run ?r) (pattern ?p) (name "worker.result_time") (rank 1))
  (metric (run ?r) (pattern ?p) (name "worker.relative_result_time") (rank 1) (location ?w) (value ?rel))
  (metric (run ?r) (pattern ?p) (name "worker.relative_results") (location ?w) (value ?fewer&:(<= ?fewer (/ 1.0 ?*heavy*))))
  =>
  (bind ?who (mw-slow-by-results ?r ?p ?cv))
  (bind ?lost (mw-capacity-by-results ?r ?p ?who))
  (bind ?many (> (length$ ?who) 1))
  (if (member$ ?w ?who) then
  (assert (finding (kind cause) (name slow-worker) (run ?r) (pattern ?p) (via results)
                   (headline (text "Worker{} {} take{} {.1} times the median per task, which costs the others {s}."
                                   (if ?many then "s" else "") (location-list ?who) (if ?many then " up to" else "s") ?rel ?lost))
                   (fix (text "Look at the node of worker{} {}: clock, binding, other load; keep handing out tasks on request."
                              (if ?many then "s" else "") (location-list ?who)))
                   (gain-kind remove)
                   (locations (role-locations ?r ?p "worker")) (culprits ?who) (lost ?lost) (computing ?lost)
                   (gain (/ ?lost (max 1.0 ?n))) (level 2) (confidence 0.8)
                   (functions-of ?w)
                   (text (text "Worker {} computes {.1} times the median from result to result, and sends {%} of the results of the median worker. The trace does not show when workers have a task, so it is not known whether they wait."
                               ?w ?rel ?fewer))
                   (remedy (text "Repair or replace the node of worker {}; with workers as fast as the others up to {s} of run time."
                                 (location-list ?who) (/ ?lost (max 1.0 ?n))))))))

(defrule CAUSES::mw-busy-master-by-results
  "The master serves all the time, and the workers do not compute all the time: they queue."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.task_count") (value 0.0))
  (role (run ?r) (pattern ?p) (name "master") (location ?m))
  (metric (run ?r) (pattern ?p) (name "master.busy_share") (location ?m) (value ?busy&:(>= ?busy ?*balanced*)))
  (metric (run ?r) (pattern ?p) (name "master.service_mean") (location ?m) (value ?each))
  (metric (run ?r) (pattern ?p) (name "master.services") (location ?m) (value ?services))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.worker_compute") (value ?compute))
  (run (id ?r) (duration ?t))
  (test (< ?compute (* ?*efficiency-good* ?t)))
  =>
  (bind ?gain (- ?t ?compute))
  (assert (finding (kind cause) (name master-bottleneck) (run ?r) (pattern ?p) (via results)
                   (headline (text "Master {} takes {s} per request and is busy {%} of the run: {n} workers queue, {s} each."
                                   ?m ?each ?busy ?n ?gain))
                   (fix "Hand out several tasks per request, or make requests cheaper for the master.")
                   (gain-kind remove)
                   (locations (role-locations ?r ?p "worker")) (culprits ?m) (lost (* ?gain ?n))
                   (gain ?gain) (level 2) (confidence 0.8) (where "Service.prepare") (functions-of ?m)
                   (text (text "Master {} needs {s} for each of {n} requests and is busy with them {%} of the run, while a worker computes {s} of {s}. The trace does not show when workers have a task; what they do not compute is taken for queueing."
                               ?m ?each ?services ?busy ?compute ?t))
                   (remedy (text "Hand out several tasks per request, or make the master's {s} per request shorter; with workers that need not queue up to {s} of run time."
                                 ?each ?gain)))))

(defrule CAUSES::mw-sequential-master
  "The workers idle while the master computes alone before the first or after the last task."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (not (refined (run ?r) (pattern ?p) (name sequential-master)))
  (finding (kind observation) (name sequential-parts) (run ?r) (pattern ?p))
  (role (run ?r) (pattern ?p) (name "master") (location ?m))
  (metric (run ?r) (pattern ?p) (name "run.total_seq") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.total_lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?n&:(> ?n 0.0)))
  (test (mw-is-more-than-chance ?r ?lost (/ ?lost ?n)))
  (metric (run ?r) (pattern ?p) (name "run.own_lost") (value ?own))
  (metric (run ?r) (pattern ?p) (name "run.own_slice") (value ?slice))
  (test (not (mw-is-one-more-slice ?own ?all (/ ?lost ?n) ?slice)))
  =>
  (assert (finding (kind cause) (name sequential-master) (run ?r) (pattern ?p)
                   (headline (text "Master {} computes alone before the first or after the last task, while the workers idle for {s}."
                                   ?m ?lost))
                   (fix "Hand out first tasks before all are prepared, let workers read their input, collect results as they come.")
                   (gain-kind remove)
                   (locations (role-locations ?r ?p "worker")) (culprits ?m) (lost ?lost)
                   (share (mw-part ?lost ?all)) (gain (/ ?lost (max 1.0 ?n))) (level 3)
                   (functions-of ?m)
                   (text (text "Master {} computes alone before it hands out the first task or after the last one: {s} of idle workers, {s} of run time."
                               ?m ?lost (/ ?lost (max 1.0 ?n))))
                   (remedy "Hand out first tasks before the rest is prepared, let workers read their own input, and collect results as they come."))))

(defrule CAUSES::mw-fine-grain
  "Handing out a task costs too much for what the task computes."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (finding (kind observation) (name communication-significant) (run ?r) (pattern ?p))
  ;; Single messages that are held up are no reason to send fewer.
  (metric (run ?r) (pattern ?p) (name "run.overhead_typical") (value ?o))
  (metric (run ?r) (pattern ?p) (name "run.task_mean") (value ?mean))
  (test (< ?mean (* ?*grain-fine* ?o)))
  (metric (run ?r) (pattern ?p) (name "run.total_comm") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.total_lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?n))
  =>
  (bind ?b (max 2 (integer (+ 1 (/ (* ?*grain-good* ?o) (max ?mean 1e-12))))))
  (assert (finding (kind cause) (name grain-too-fine) (run ?r) (pattern ?p)
                   (headline (text "Tasks are too small: {s} of computation, and {s} to hand one out and take it back."
                                   ?mean ?o))
                   (fix (text "Put {n} tasks into one message." ?b))
                   (gain-kind remove)
                   (locations (role-locations ?r ?p "worker")) (lost ?lost)
                   (share (mw-part ?lost ?all))
                   (gain (/ (* ?lost (- 1.0 (/ 1.0 ?b))) (max 1.0 ?n))) (level 3)
                   (what-if (what-if-of "transfer" all "/" ?b))
                   (text (text "Tasks are too small: {s} of computation against {s} for handing one out and taking it back."
                               ?mean ?o))
                   (remedy (text "Put {n} tasks into one message, so that computation is {n} times the overhead."
                                 ?b (integer ?*grain-good*))))))

(defrule CAUSES::mw-unequal-start
  "What one worker begins with takes it so long that the others are idle at the end."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (finding (kind observation) (name own-start) (run ?r) (pattern ?p) (locations ?w))
  (run (id ?r) (processes ?n))
  (metric (run ?r) (pattern "message-passing") (name "process.compute_time") (location ?w) (rank 1)
          (value ?compute))
  (metric (run ?r) (pattern ?p) (name "worker.t_init") (location ?w) (value ?own))
  (test (>= ?compute (* ?*balanced* ?own)))
  (metric (run ?r) (pattern ?p) (name "run.total_lost") (value ?all))
  =>
  (bind ?gain (above-mean ?r "message-passing" "process.compute_time" (create$ ?w)))
  (bind ?lost (* ?gain ?n))
  (assert (finding (kind cause) (name unequal-deal) (run ?r) (pattern ?p) (via own-start)
                   (headline (text "Worker {} begins with {s} of work and ends last; the mean process computes {s}, and idles the rest."
                                   ?w ?own (- ?compute ?gain)))
                   (fix "Assign less at the start: half of the work in equal shares, then half of what is left, and so on.")
                   (gain-kind even-out)
                   (locations (role-locations ?r ?p "worker")) (culprits ?w) (lost ?lost)
                   (share (mw-part ?lost ?all)) (gain ?gain) (level 3) (functions-of ?w)
                   (what-if (what-if-of "compute" ?w "=" even))
                   (text (text "Worker {} computes {s} before it first asks for a task, {s} more than the mean process in the whole run. What is handed out on request cannot even that out, and the others have nothing to do."
                               ?w ?own ?gain))
                   (remedy (text "Assign less at the start: half of the work in equal shares, then half of what is left, and so on (factoring), or single tasks on request. Up to {s} of run time."
                                 ?gain)))))

(defrule CAUSES::mw-late-start
  "The workers reach their first task late."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (finding (kind observation) (name initialisation-significant) (run ?r) (pattern ?p))
  (not (refined (run ?r) (pattern ?p) (name initialisation)))
  (metric (run ?r) (pattern ?p) (name "run.total_init") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.total_lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?n&:(> ?n 0.0)))
  (test (mw-is-more-than-chance ?r ?lost (/ ?lost ?n)))
  =>
  (assert (finding (kind cause) (name initialisation) (run ?r) (pattern ?p)
                   (headline (text "The workers spend {s} before they first ask for a task: input, broadcasts, or a late start."
                                   ?lost))
                   (fix "Shorten or overlap the initialisation; measure a longer run first, where its share is smaller.")
                   (gain-kind remove)
                   (locations (role-locations ?r ?p "worker")) (lost ?lost)
                   (share (mw-part ?lost ?all)) (gain (/ ?lost (max 1.0 ?n))) (level 2)
                   (confidence 0.7)
                   (text (text "The workers spend {s} in all before they first ask for a task: reading input, broadcasts, or starting late."
                               ?lost))
                   (remedy "Shorten or overlap the initialisation; in a longer run its share shrinks by itself, so measure one before you act."))))

(defrule CAUSES::mw-fixed-order
  "The master waits for one worker while the message of another is already there."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (not (refined (run ?r) (pattern ?p) (name fixed-order-collection)))
  (metric (run ?r) (pattern ?p) (name "master.wrong_order_share") (location ?m)
          (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "master.wait_in_order") (location ?m) (value ?w))
  (metric (run ?r) (pattern ?p) (name "master.wrong_order_count") (location ?m) (value ?n))
  (metric (run ?r) (pattern ?p) (name "master.received") (location ?m) (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?workers))
  ;; On a busy machine single messages overtake one another.
  (test (>= (* ?n ?workers) (* ?*order-kept* ?all)))
  (metric (run ?r) (pattern ?p) (name "master.collect_wait") (location ?m) (value ?late))
  (metric (run ?r) (pattern ?p) (name "master.held_in_order") (location ?m) (value ?held))
  =>
  (assert (finding (kind cause) (name fixed-order-collection) (run ?r) (pattern ?p)
                   (headline (text "Master {} receives in a fixed order: it waits {s} for one worker while another has already sent."
                                   ?m ?w))
                   (fix "Receive with MPI_ANY_SOURCE, or post MPI_Irecv for all workers and use MPI_Waitany.")
                   (gain-kind remove)
                   (locations ?m) (culprits ?m) (lost ?w) (level 1)
                   ;; Workers that are not held, as small messages are buffered, may gain more or nothing.
                   (gain (if (> ?held 0.0) then (min ?w (/ ?held ?workers)) else -1.0))
                   (functions-of ?m) (calls-of ?m)
                   (text (text "Master {} collects in a fixed order: in {n} of {n} receives it waits for one worker while the message of another has already been sent, {s} ({%} of the run). Late senders hold it up for {s} in all."
                               ?m ?n ?all ?w ?share ?late))
                   (remedy (text "Receive with MPI_ANY_SOURCE, or post MPI_Irecv for all workers and take them with MPI_Waitany: in those {s} the master could have processed what was there."
                                 ?w)))))

;; ---- several runs: the model of the pattern ------------------------------------------------------
;; N workers with s_w per task and a master with s_m per request compute n tasks in
;; max(n s_m, ceil(n / N) (s_w + s_m)); from s_w / s_m + 1 workers on the master is the limit. What the
;; smaller run takes beyond that (start, end, uneven tasks) is expected of the larger one, too.

(deffunction MAIN::mw-model (?tasks ?workers ?sw ?sm ?own)
  "Run time by the model, s: a master that is the limit does not wait for messages."
  (max (* ?tasks ?own)
       (* (+ 1 (integer (/ (- ?tasks 1.0) ?workers))) (+ ?sw ?sm))))

(defrule REFINE::mw-scales
  "Runs are compared by workers and tasks where their tasks take about as long."
  (scaling (from ?f) (to ?t))
  (pattern (run ?f) (name "master-worker") (id ?pf) (scope "world"))
  (pattern (run ?t) (name "master-worker") (id ?pt) (scope "world"))
  (not (pattern (run ?f) (name "hierarchical-master-worker") (id ?pf)))
  (not (pattern (run ?t) (name "hierarchical-master-worker") (id ?pt)))
  (metric (run ?f) (pattern ?pf) (name "run.task_mean") (value ?mf))
  (metric (run ?t) (pattern ?pt) (name "run.task_mean") (value ?mt))
  (test (<= (max ?mf ?mt) (* ?*same-work* (min ?mf ?mt))))
  =>
  (assert (scaling-of (from ?f) (to ?t) (name "master-worker") (from-id ?pf) (to-id ?pt))))

(defrule CAUSES::mw-expect-time
  "The run time that the model expects of the larger run."
  (scaling-of (from ?f) (to ?t) (name "master-worker") (from-id ?pf) (to-id ?pt))
  (scaling (from ?f) (to ?t) (duration-from ?df) (duration-to ?dt))
  (metric (run ?f) (pattern ?pf) (name "run.workers") (value ?nf&:(> ?nf 0.0)))
  (metric (run ?f) (pattern ?pf) (name "run.task_count") (value ?kf&:(> ?kf 0.0)))
  (metric (run ?f) (pattern ?pf) (name "run.cycle_mean") (value ?sw))
  (metric (run ?f) (pattern ?pf) (name "master.service_mean") (value ?sm))
  (metric (run ?f) (pattern ?pf) (name "run.service_own") (value ?so))
  (metric (run ?t) (pattern ?pt) (name "run.workers") (value ?nt&:(> ?nt 0.0)))
  (metric (run ?t) (pattern ?pt) (name "run.task_count") (value ?kt&:(> ?kt 0.0)))
  =>
  (bind ?rest (max 0.0 (- ?df (mw-model ?kf ?nf ?sw ?sm ?so))))
  (bind ?own (mw-model ?kt ?nt ?sw ?sm ?so))
  (assert (expectation (from ?f) (to ?t) (pattern "master-worker") (quantity "run time")
                       (unit "s") (expected (+ ?own ?rest)) (measured ?dt)
                       (model (text "{n} tasks for {n} workers: the longer of {n} x {s} of the master and {n} rounds of {s}, and {s} for start and end"
                                    ?kt ?nt ?kt ?so (+ 1 (integer (/ (- ?kt 1.0) ?nt)))
                                    (+ ?sw ?sm) ?rest)))))

(defrule CAUSES::mw-expect-saturation
  "From how many workers on the master is the limit: s_w / s_m + 1 by the model, throughput measured."
  (scaling-of (from ?f) (to ?t) (name "master-worker") (from-id ?pf) (to-id ?pt))
  (scaling (from ?f) (to ?t) (duration-to ?dt))
  (metric (run ?f) (pattern ?pf) (name "run.workers") (value ?nf&:(> ?nf 0.0)))
  (metric (run ?f) (pattern ?pf) (name "run.cycle_mean") (value ?sw))
  (metric (run ?f) (pattern ?pf) (name "run.service_own") (value ?sm&:(> ?sm 0.0)))
  (test (< ?nf (+ 1.0 (/ ?sw ?sm))))
  (metric (run ?t) (pattern ?pt) (name "run.workers") (value ?nt&:(> ?nt 0.0)))
  (metric (run ?t) (pattern ?pt) (name "run.task_count") (value ?kt))
  (metric (run ?t) (pattern ?pt) (name "run.useful_workers") (value ?ut&:(>= ?nt ?ut)))
  =>
  ;; Tasks per second of all workers, over those of a worker that does not wait.
  (assert (expectation (from ?f) (to ?t) (pattern "master-worker")
                       (quantity "workers that the master can feed") (unit "1")
                       (expected (+ 1.0 (/ ?sw ?sm))) (measured (* (/ ?kt ?dt) (+ ?sw ?sm)))
                       (model (text "s_w / s_m + 1 with {s} per task and {s} of the master per request"
                                    ?sw ?sm)))))

(defrule CAUSES::mw-saturates
  "Between two numbers of workers the master becomes the limit."
  (scaling-of (from ?f) (to ?t) (name "master-worker") (from-id ?pf) (to-id ?pt))
  (scaling (from ?f) (to ?t) (is-next yes))
  (expectation (from ?f) (to ?t) (pattern "master-worker")
               (quantity "workers that the master can feed") (expected ?uf) (measured ?measured))
  (metric (run ?f) (pattern ?pf) (name "run.workers") (value ?nf))
  (metric (run ?t) (pattern ?pt) (name "run.workers") (value ?nt))
  ;; Where the model of the smaller run does not predict it, the master itself has become slower.
  (test (<= ?uf (* ?*same-work* ?nt)))
  =>
  (assert (finding (kind cause) (name master-saturates) (run ?t) (pattern ?pt)
                   (headline (text "With {n} workers the master is the limit, with {n} it is not yet: it can feed {.1}."
                                   ?nt ?nf ?uf))
                   (fix (text "Use no more than {n} workers; for more, hand out several tasks per request, or use several masters."
                              (mw-nearest ?uf)))
                   (gain-kind remove)
                   (locations (role-locations ?t ?pt "worker"))
                   (culprits (role-locations ?t ?pt "master")) (level 3)
                   (text (text "With {n} workers the master is not yet the limit, with {n} it is. From the smaller run {.1} workers are predicted that it can feed; the tasks per second of the larger run are those of {.1} workers."
                               ?nf ?nt ?uf ?measured))
                   (remedy (text "Use no more than {n} workers; for more, hand out several tasks per request, or use several masters."
                                 (mw-nearest ?uf))))))

(defrule CAUSES::mw-master-slower
  "The master needs longer per request in the larger run, by so much that it matters."
  (scaling-of (from ?f) (to ?t) (name "master-worker") (from-id ?pf) (to-id ?pt))
  (scaling (from ?f) (to ?t) (is-next yes) (from-processes ?n) (to-processes ?m) (duration-to ?d))
  (metric (run ?f) (pattern ?pf) (name "master.service_mean") (value ?sf&:(> ?sf 0.0)))
  (metric (run ?t) (pattern ?pt) (name "master.service_mean") (location ?l) (value ?st))
  (test (>= ?st (* ?*outlier* ?sf)))
  (metric (run ?t) (pattern ?pt) (name "run.task_count") (value ?k))
  (test (>= (* ?k (- ?st ?sf)) (* ?*significant* ?d)))
  =>
  (assert (finding (kind observation) (name master-slower) (run ?t) (pattern ?pt) (level 3)
                   (locations ?l) (culprits ?l)
                   (text (text "With {n} processes the master needs {s} per request, with {n} it needed {s}: it is not their number alone that keeps the workers waiting."
                               ?m ?st ?n ?sf)))))

(defrule CAUSES::mw-scaling
  "How the throughput of the workers grows with their number."
  (scaling-of (from ?f) (to ?t) (name "master-worker") (from-id ?pf) (to-id ?pt))
  (scaling (from ?f) (to ?t) (is-next yes) (duration-from ?df) (duration-to ?dt))
  (metric (run ?f) (pattern ?pf) (name "run.workers") (value ?nf&:(> ?nf 0.0)))
  (metric (run ?f) (pattern ?pf) (name "run.task_count") (value ?kf&:(> ?kf 0.0)))
  (metric (run ?t) (pattern ?pt) (name "run.workers") (value ?nt&:(> ?nt 0.0)))
  (metric (run ?t) (pattern ?pt) (name "run.task_count") (value ?kt&:(> ?kt 0.0)))
  =>
  (bind ?gain (/ (/ ?kt ?dt) (/ ?kf ?df)))
  (assert (finding (kind observation) (name worker-scaling) (run ?t) (pattern ?pt) (level 1)
                   (healthy (if (>= ?gain (* ?*efficiency-acceptable* (/ ?nt ?nf))) then yes else no))
                   (text (text "With {n} instead of {n} workers {n} tasks take {s}; {n} took {s}. That is {.2} times the tasks per second, where {.2} times would be ideal."
                               ?nt ?nf ?kt ?dt ?kf ?df ?gain (/ ?nt ?nf))))))

;; A master with one worker is not recognised as a farm, yet series begin with it.

(defrule SYMPTOMS::mw-scales-from-one
  "Two processes of the same program are a master with its only worker."
  (scaling (from ?f) (to ?t) (from-processes 2) (kind strong))
  (pattern (run ?t) (name "master-worker") (id ?pt) (scope "world"))
  (not (pattern (run ?t) (name "hierarchical-master-worker") (id ?pt)))
  (not (pattern (run ?f) (name "master-worker")))
  =>
  (assert (scaling-of (from ?f) (to ?t) (name "master-worker") (from-id "") (to-id ?pt))))

(defrule CAUSES::mw-expect-from-one
  "Its time per task is that of every worker, as long as the master is fast enough."
  (scaling-of (from ?f) (to ?t) (name "master-worker") (from-id "") (to-id ?pt))
  (scaling (from ?f) (to ?t) (duration-from ?df) (duration-to ?dt))
  (metric (run ?t) (pattern ?pt) (name "run.workers") (value ?n&:(> ?n 0.0)))
  (metric (run ?t) (pattern ?pt) (name "run.task_count") (value ?k&:(> ?k 0.0)))
  =>
  (assert (expectation (from ?f) (to ?t) (pattern "master-worker") (quantity "run time")
                       (unit "s") (expected (* (/ ?df ?k) (+ 1 (integer (/ (- ?k 1.0) ?n)))))
                       (measured ?dt)
                       (model (text "{n} tasks for {n} workers in rounds of {s}, as the only worker of the smaller run needs per task, if the master keeps up"
                                    ?k ?n (/ ?df ?k))))))

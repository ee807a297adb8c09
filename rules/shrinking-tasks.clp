;; shrinking-tasks: a slow worker of a farm whose tasks become smaller in the course of the run, such as guided
;; chunks. No paper. Beside master-worker.clp, whose comparison of median tasks does not hold there: a slow worker
;; gets a few large tasks, early, and the others many small ones, late. Only those that were handed out at about the
;; same time are alike, so each task is compared with those that other workers got just before and just after it.
;;
;; A single slow task may mean a slow worker or a large task: then nothing is reported here.

(defrule REFINE::shrink-slow-worker
  "Its tasks take much longer than those that others got at about the same time."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (not (refined (run ?r) (pattern ?p) (name slow-worker)))
  (not (finding (kind observation) (name slow-worker) (run ?r) (pattern ?p)))
  (exists (metric (run ?r) (pattern ?p) (name "run.first_over") (value ?over&:(>= ?over ?*first-large*))))
  (metric (run ?r) (pattern ?p) (name "run.against_cv") (value ?cv))
  (metric (run ?r) (pattern ?p) (name "worker.against") (location ?w) (value ?times&:(>= ?times ?*outlier*)))
  (metric (run ?r) (pattern ?p) (name "worker.tasks") (location ?w) (value ?n&:(>= ?n 3.0)))
  (test (mw-beyond-chance ?times ?cv ?n))
  ;; On request a slow worker gets fewer.
  (test (not (mw-has-more-tasks ?r ?p ?n)))
  =>
  (assert (finding (kind observation) (name slow-beside-others) (run ?r) (pattern ?p)
                   (locations ?w) (culprits ?w) (level 2) (functions-of ?w)
                   (text (text "Tasks become smaller in the course of the run, so medians do not compare. The {n} tasks of worker {} take {.2} times as long as those that other workers got just before and just after them."
                               ?n ?w ?times)))))

(defrule CAUSES::shrink-slow-worker
  "What the others could have done meanwhile is lost, and they may wait for it at the end."
  (pattern (run ?r) (name "master-worker") (id ?p))
  (finding (kind observation) (name slow-beside-others) (run ?r) (pattern ?p) (locations ?w))
  (metric (run ?r) (pattern ?p) (name "worker.against") (location ?w) (value ?times))
  (metric (run ?r) (pattern ?p) (name "worker.holds_up") (location ?w))
  (metric (run ?r) (pattern ?p) (name "worker.t_comp") (location ?w))
  (metric (run ?r) (pattern ?p) (name "run.total_lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?n))
  ;; Several are one cause, reported with the slowest.
  (not (and (finding (kind observation) (name slow-beside-others) (run ?r) (pattern ?p) (locations ?other&~?w))
            (metric (run ?r) (pattern ?p) (name "worker.against") (location ?other)
                    (value ?slower&:(or (> ?slower ?times)
                                        (and (= ?slower ?times) (> (str-compare ?w ?other) 0)))))))
  =>
  (bind ?who (create$ ?w))
  (do-for-all-facts ((?f finding))
    (and (eq ?f:run ?r) (eq ?f:pattern ?p) (eq ?f:name slow-beside-others) (not (member$ ?w ?f:culprits)))
    (bind ?who (create$ ?who ?f:culprits)))
  (bind ?capacity 0.0)
  (bind ?held 0.0)
  (foreach ?x ?who
    (bind ?its (- 1.0 (/ 1.0 (max 1.0 (metric-value ?r ?p "worker.against" ?x 1.0)))))
    (bind ?capacity (+ ?capacity (* ?its (metric-value ?r ?p "worker.t_comp" ?x 0.0))))
    (bind ?held (max ?held (metric-value ?r ?p "worker.holds_up" ?x 0.0))))
  (bind ?lost (+ ?capacity ?held))
  (bind ?many (> (length$ ?who) 1))
  (bind ?gain (/ ?lost (max 1.0 ?n)))
  (assert (finding (kind cause) (name slow-worker) (run ?r) (pattern ?p) (via shrinking)
                   (headline (text "Worker{} {} take{} {.1} times as long as others for tasks handed out at the same time, which costs {s}."
                                   (if ?many then "s" else "") (location-list ?who) (if ?many then " up to" else "s") ?times ?lost))
                   (fix (text "Look at the node of worker{} {}: clock, binding, other load; make first chunks smaller."
                              (if ?many then "s" else "") (location-list ?who)))
                   (gain-kind remove)
                   (locations (role-locations ?r ?p "worker")) (culprits ?who) (lost ?lost) (computing ?capacity)
                   (share (min 1.0 (mw-part ?lost ?all))) (gain ?gain) (level 2)
                   (functions-of ?w)
                   (text (text "Worker {} is slow: its tasks take {.1} times as long as those that others got just before and just after. What {} computed would have taken others {s} less{}."
                               ?w ?times (if ?many then (str-cat "workers " (location-list ?who)) else "it") ?capacity
                               (if (> ?held 0.0) then (text ", and they wait {s} at the end" ?held) else "")))
                   (remedy (text "Repair or replace the node of worker{} {}, or assign less at the start, so that the others can do more of it; with a worker as fast as the others up to {s} of run time."
                                 (if ?many then "s" else "") (location-list ?who) ?gain)))))

;; work-stealing: whether idle workers get a task soon. The reasoning is that of random stealing (Blumofe and
;; Leiserson 1999): work spreads as fast as requests for work are answered with some.
;;
;;   symptom   workers have nothing to do                                             -> idle-thieves
;;   |- cause  one computes longer than the mean by at least the time between two looks
;;   |         for requests, times the workers: it gives no work, or is not asked     -> no-stealing
;;   `- cause  requests wait for victims that compute                                 -> rare-polling
;;
;; Where work stays with one, requests may wait for it, too, but faster answers without work would not help.

(defrule SYMPTOMS::steal-explains
  "Stealing is judged by how long workers have nothing to do."
  (pattern (run ?r) (name "work-stealing") (id ?p))
  =>
  (foreach ?loss (create$ waiting transfer grain ends)
    (assert (explained (run ?r) (pattern ?p) (loss ?loss)))))

(defrule SYMPTOMS::steal-good
  "Workers hardly ever have nothing to do."
  (pattern (run ?r) (name "work-stealing") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.idle_share") (value ?idle&:(<= ?idle (- 1.0 ?*balanced*))))
  (metric (run ?r) (pattern ?p) (name "run.steals") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.answer") (value ?answer))
  =>
  (assert (finding (kind observation) (name good-stealing) (run ?r) (pattern ?p) (healthy yes) (all-clear yes) (level 1)
                   (text (text "Workers compute {%} of the time: {n} requests for work are answered, after {s} on average."
                               (- 1.0 ?idle) ?n ?answer)))))

(defrule SYMPTOMS::steal-idle
  "Workers have nothing to do for a good part of the run."
  (pattern (run ?r) (name "work-stealing") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.idle_share") (value ?share&:(> ?share (- 1.0 ?*balanced*))))
  (metric (run ?r) (pattern ?p) (name "run.idle") (value ?idle))
  =>
  (assert (finding (kind symptom) (name idle-thieves) (run ?r) (pattern ?p)
                   (locations (role-locations ?r ?p "worker")) (lost ?idle) (share ?share) (level 1)
                   (text (text "Workers have nothing to do for {s}, {%} of the process time." ?idle ?share)))))

(defrule REFINE::steal-work-stays
  "One worker computes longer than working stealing would let it."
  (finding (kind symptom) (name idle-thieves) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.balance") (value ?balance&:(< ?balance ?*balanced*)))
  (metric (run ?r) (pattern ?p) (name "run.poll") (value ?poll))
  ;; Where stealing works, each look for requests passes work to at least one more worker.
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.uneven") (value ?uneven&:(>= ?uneven (* ?n ?poll))))
  (metric (run ?r) (pattern ?p) (name "worker.computing") (rank 1) (location ?w) (value ?most))
  =>
  (assert (finding (kind observation) (name work-stays) (run ?r) (pattern ?p) (locations ?w) (level 2)
                   (text (text "Worker {} computes {s}, {s} above the mean: workers compute {s} at most between two looks for requests, so that is not because an answer took long."
                               ?w ?most ?uneven ?poll)))))

(deffunction MAIN::steal-asked (?asked ?last ?duration)
  "How often a worker was asked for work: the end of a sentence about what it computes."
  (if (= ?asked 0.0) then "; no idle rank asks it"
   else (if (< ?last (* 0.5 ?duration))
         then (text "; after {s} no idle rank asks it" ?last)
         else (text ", although it was asked {n} {}" ?asked (if (= ?asked 1.0) then "time" else "times")))))

(defrule CAUSES::steal-none
  "Work stays with some workers although others are idle: they do not ask, give up, or get none."
  (finding (kind observation) (name work-stays) (run ?r) (pattern ?p) (locations ?w))
  (run (id ?r) (duration ?t))
  (metric (run ?r) (pattern ?p) (name "run.idle") (value ?idle))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.uneven") (value ?uneven))
  (metric (run ?r) (pattern ?p) (name "run.balance") (value ?balance))
  (metric (run ?r) (pattern ?p) (name "worker.computing") (location ?w) (value ?most))
  (metric (run ?r) (pattern ?p) (name "worker.asked") (location ?w) (value ?asked))
  (metric (run ?r) (pattern ?p) (name "worker.last_asked") (location ?w) (value ?last))
  =>
  (bind ?heavy (as-heavy-as-any ?r ?p "worker.computing"))
  (bind ?gain (gain-of-evening-out ?uneven ?idle ?n))
  (bind ?early (< ?last (* 0.5 ?t)))
  (assert (finding (kind cause) (name no-stealing) (run ?r) (pattern ?p)
                   (headline (text "Work stays with rank {}: it computes {s}, the mean rank {s}{}."
                                   ?w ?most (- ?most ?uneven) (steal-asked ?asked ?last ?t)))
                   (fix (if ?early
                         then "Let idle ranks ask again, and others, until all work is done; who is asked gives half of its tasks."
                         else "Let who is asked give half of its tasks, and idle ranks ask those that have many."))
                   (gain-kind even-out)
                   (locations ?heavy) (culprits ?heavy) (lost (min ?idle (* ?n ?gain))) (gain ?gain) (level 3)
                   (confidence (if (< ?balance ?*efficiency-acceptable*) then 0.9 else 0.7)) (functions-of ?w)
                   (text (text "Work is not stolen from worker {}, which computes {s}, {s} above the mean: it has answered {n} {}{}. The others have nothing to do for {s} in all."
                               ?w ?most ?uneven ?asked (if (= ?asked 1.0) then "request" else "requests")
                               (if (> ?asked 0.0) then (text ", the last one after {s}" ?last) else "") ?idle))
                   (remedy (text "{} Up to {s} of run time."
                                 (if ?early
                                  then "Let who has nothing to do ask one worker after the other, again and again, until all work is done, and let who is asked give half of its tasks."
                                  else "Let who is asked give half of its tasks (one at a time does not spread them), and let who was refused ask somebody else.")
                                 ?gain)))))

(deffunction MAIN::steal-rare (?run ?pattern ?late)
  "Labels of the workers that compute much longer between looks than the others, if most requests wait for them."
  (bind ?labels (create$))
  (bind ?theirs 0.0)
  (do-for-all-facts ((?m metric) (?k metric))
    (and (eq ?m:run ?run) (eq ?m:pattern ?pattern) (eq ?m:name "worker.relative_poll") (>= ?m:value ?*outlier*)
         (eq ?k:run ?run) (eq ?k:pattern ?pattern) (eq ?k:name "worker.late_answers")
         (eq ?k:location ?m:location))
    (bind ?labels (create$ ?labels ?m:location))
    (bind ?theirs (+ ?theirs ?k:value)))
  (if (>= (* 2.0 ?theirs) ?late) then ?labels else (create$)))

(defrule CAUSES::steal-rare-polling
  "Workers that have work look for requests rarely, so thieves wait."
  (finding (kind symptom) (name idle-thieves) (run ?r) (pattern ?p))
  (not (finding (kind observation) (name work-stays) (run ?r) (pattern ?p)))
  (metric (run ?r) (pattern ?p) (name "run.late_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.late") (value ?late))
  (metric (run ?r) (pattern ?p) (name "run.poll") (value ?poll))
  (metric (run ?r) (pattern ?p) (name "run.balance"))
  (metric (run ?r) (pattern ?p) (name "run.uneven"))
  (metric (run ?r) (pattern ?p) (name "run.waiting") (value ?wait))
  (metric (run ?r) (pattern ?p) (name "run.answer") (value ?answer))
  (metric (run ?r) (pattern ?p) (name "run.idle") (value ?idle))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?n))
  (metric (run ?r) (pattern ?p) (name "worker.late_answers") (rank 1))
  (metric (run ?r) (pattern ?p) (name "worker.relative_poll") (rank 1))
  =>
  (bind ?cost (min ?idle ?wait))
  (bind ?gain (* (- 1.0 (/ 1.0 ?*polls-more*)) (/ ?cost (max 1.0 ?n))))
  (bind ?often (/ ?poll ?*polls-more*))
  (bind ?who (steal-rare ?r ?p ?late))
  (assert (finding (kind cause) (name rare-polling) (run ?r) (pattern ?p)
                   (headline (text "{} for requests only every {s}, so idle ranks wait {s} for work."
                                   (if (= (length$ ?who) 0) then "Ranks that have work look"
                                    else (if (= (length$ ?who) 1) then (text "Rank {} looks" ?who)
                                          else (text "Ranks {} look" (location-list ?who))))
                                   ?poll ?cost))
                   (fix (text "Look for requests (MPI_Iprobe) every {s} instead of every {s}, also in the middle of a task."
                              ?often ?poll))
                   (gain-kind remove)
                   (locations (role-locations ?r ?p "worker")) (culprits ?who) (lost ?cost) (gain ?gain) (level 3)
                   (where "Serve.gap")
                   (text (text "A request for work is answered after {s} on average, because victims compute {s} before they look for one. Requests wait {s} for that, and thieves have nothing to do for {s}, what is given later included."
                               ?answer ?poll ?late ?cost))
                   (remedy (text "Look for requests every {s} instead of every {s}: waiting for answers shrinks likewise, up to {s} of run time. A look (MPI_Iprobe) costs about a microsecond. Where one task is longer than that, look within it, or let a thread answer."
                                 ?often ?poll ?gain)))))

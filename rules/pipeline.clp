;; pipeline: KNOWLEDGE.md, "Pipeline (1-D)". The tree:
;;
;;   level 1   symptom      the stages compute on items for less than what is acceptable
;;             observation  fill and drain, (P - 1) / (M + P - 1) of the time where stages are equal
;;   level 2   observation  starvation: stages behind wait in receives
;;             observation  back-pressure: stages before are held in sends, or ran ahead (buffers)
;;             observation  which stage takes longest per item
;;             cause        filling and draining, one of: serial-chain, too-few-items
;;             cause        work-after-pipeline
;;   level 3   cause        slow-stage: the others wait for the stage with the longest time per item
;;             cause        degrading-stage, uneven-items: stages are alike on average, items are not
;;             cause        item-overhead, slow-transfer: moving an item
;;             cause        slow-worker: one of several processes of a stage (farm-pipeline)
;;
;; What the slowest stage costs by the model is (M - 1) * sum(s_b - s_i); of the measured waiting
;; behind the first item no more is attributed to it, the rest to items that differ, as far as they
;; do. So no second is attributed twice, and no cause claims more than its reason can account for:
;; what is left is for the general rules of message passing.
;;
;; KNOWLEDGE asks for "blocked upstream, starved downstream" as the sign of a slow stage. Eager
;; sends hide the former: a stage before the slow one is never held, but is done early. Both are
;; back-pressure here (`ran_ahead`), so that the verdict does not depend on the protocol.

(deffunction MAIN::pl-slow (?run ?pattern ?slowest)
  "Labels of the stages that take as long as the slowest one, but for what counts as alike."
  (bind ?labels (create$))
  (do-for-all-facts ((?m metric))
    (and (eq ?m:run ?run) (eq ?m:pattern ?pattern) (eq ?m:name "stage.service")
         (>= (* ?*heavy* ?m:value) ?slowest))
    (bind ?labels (create$ ?labels ?m:location)))
  ?labels)

(deffunction MAIN::pl-members (?run ?pattern)
  "Labels of all stages."
  (bind ?labels (create$))
  (do-for-all-facts ((?f role))
    (and (eq ?f:run ?run) (eq ?f:pattern ?pattern) (eq ?f:name "stage"))
    (bind ?labels (create$ ?labels ?f:location)))
  ?labels)

(deffunction MAIN::pl-rest (?run ?pattern ?slow)
  "Over the stages that are not in ?slow: their number, the sum and the largest of their times per item (s). Workers
   that share a stage get its items by chance, so of them the mean counts."
  (bind ?n 0)
  (bind ?sum 0.0)
  (bind ?max 0.0)
  (bind ?workers (role-locations ?run ?pattern "worker"))
  (bind ?sharing 0)
  (bind ?shared 0.0)
  (do-for-all-facts ((?m metric))
    (and (eq ?m:run ?run) (eq ?m:pattern ?pattern) (eq ?m:name "stage.service")
         (not (member$ ?m:location ?slow)))
    (bind ?n (+ ?n 1))
    (bind ?sum (+ ?sum ?m:value))
    (if (member$ ?m:location ?workers)
     then (bind ?sharing (+ ?sharing 1)) (bind ?shared (+ ?shared ?m:value))
     else (bind ?max (max ?max ?m:value))))
  (create$ ?n ?sum (max ?max (/ ?shared (max 1 ?sharing)))))

(deffunction MAIN::pl-limit (?run ?pattern)
  "The times per item of the slowest stage and of the next slowest (s), if several processes share the slowest and
   the next takes an acceptable share of its time at most; else nothing. Those that share a stage are busy all
   the time, which hides what the others wait."
  (bind ?slowest 0.0)
  (do-for-all-facts ((?m metric))
    (and (eq ?m:run ?run) (eq ?m:pattern ?pattern) (eq ?m:name "stage.service"))
    (bind ?slowest (max ?slowest ?m:value)))
  (bind ?slow (pl-slow ?run ?pattern ?slowest))
  (bind ?next (nth$ 3 (pl-rest ?run ?pattern ?slow)))
  (foreach ?l ?slow
    (if (not (member$ ?l (role-locations ?run ?pattern "worker"))) then (bind ?next 0.0)))
  (if (and (> ?next 0.0) (<= ?next (* ?*efficiency-acceptable* ?slowest)))
   then (create$ ?slowest ?next) else (create$)))

(deffunction MAIN::pl-side (?run ?pattern ?position ?metric ?is-before)
  "Labels of the stages before (or behind) position ?position, and the sum of a metric (s) over them."
  (bind ?labels (create$))
  (bind ?sum 0.0)
  (do-for-all-facts ((?at metric) (?m metric))
    (and (eq ?at:run ?run) (eq ?at:pattern ?pattern) (eq ?at:name "stage.position")
         (if ?is-before then (< ?at:value ?position) else (> ?at:value ?position))
         (eq ?m:run ?run) (eq ?m:pattern ?pattern) (eq ?m:name ?metric)
         (eq ?m:location ?at:location))
    (bind ?sum (+ ?sum ?m:value))
    (bind ?labels (create$ ?labels ?m:location)))
  (create$ ?sum ?labels))

(deffunction MAIN::pl-order (?run ?pattern)
  "Where they stand: \", in the order 0, 2, 1\"; nothing is said where that is not known, or of more than twelve."
  (bind ?text "")
  (bind ?least -1.0)
  (bind ?n 0)
  (while (>= ?n 0)
    (bind ?next 1e300)
    (bind ?who "")
    (do-for-all-facts ((?m metric))
      (and (eq ?m:run ?run) (eq ?m:pattern ?pattern) (eq ?m:name "stage.position") (> ?m:value ?least) (< ?m:value ?next))
      (bind ?next ?m:value)
      (bind ?who ?m:location))
    (if (or (eq ?who "") (= ?n 13)) then (break))
    (bind ?text (str-cat ?text (if (= ?n 0) then ", in the order " else ", ") ?who))
    (bind ?least ?next)
    (bind ?n (+ ?n 1)))
  (if (> ?n 12) then "" else ?text))

(deffunction MAIN::pl-mismatch (?n ?items ?slowest ?balance)
  "Seconds that ?n stages wait for the slowest one by the model, behind the first item."
  (* (max 0.0 (- ?items 1.0)) ?n ?slowest (- 1.0 (min 1.0 ?balance))))

(deffunction MAIN::pl-by-spread (?waiting ?n ?items ?slowest ?balance ?cv)
  "Seconds of waiting beyond the model that items can cause whose times have a coefficient of
   variation of ?cv: per item and stage, no more than what times deviate by."
  (max 0.0 (min (- ?waiting (pl-mismatch ?n ?items ?slowest ?balance))
                (* ?items ?n ?slowest ?cv))))

(deffunction MAIN::pl-by-drift (?waiting ?n ?items ?slowest ?balance ?drift)
  "The same for a stage that takes ?drift times as long in the second half: what both halves differ
   from the mean, (drift - 1) / (drift + 1) of it, per item and stage."
  (max 0.0 (min (- ?waiting (pl-mismatch ?n ?items ?slowest ?balance))
                (* ?items ?n ?slowest (/ (- ?drift 1.0) (+ ?drift 1.0))))))

(deffunction MAIN::pl-part (?part ?all)
  (if (> ?all 0.0) then (min 1.0 (/ ?part ?all)) else 0.0))

(deffunction MAIN::pl-is-part (?run ?pattern ?n)
  "Whether only some processes of the run are the ?n stages: then nobody knows what the run gains."
  (and (str-index "@" ?pattern)
       (any-factp ((?f run)) (and (eq ?f:id ?run) (> ?f:processes ?n)))))

(deffunction MAIN::pl-gain (?run ?pattern ?n ?gain)
  "Slot `gain` of a finding: ?gain seconds of run time, or unknown in a part of the run."
  (if (pl-is-part ?run ?pattern ?n) then -1.0 else ?gain))

(deffunction MAIN::pl-saves (?run ?pattern ?n ?gain)
  "?gain seconds in words: of run time, or of the time of these processes."
  (if (pl-is-part ?run ?pattern ?n)
   then (text "{s} of the time of these {n} processes (the run ends no earlier than the others let it)" ?gain ?n)
   else (text "{s} of run time" ?gain)))

(deffunction MAIN::pl-stages (?labels ?one ?many)
  "The stages with their verb."
  (if (= (length$ ?labels) 1)
   then (text "stage {} {}" (location-list ?labels) ?one)
   else (text "stages {} {}" (location-list ?labels) ?many)))

(deffunction MAIN::pl-times (?n)
  "How often something happens."
  (if (< ?n 1.5) then "once" else (text "{n} times" ?n)))

;; ---- level 1 ---------------------------------------------------------------------------------

(defrule SYMPTOMS::pl-explains
  "The rules of the pipeline account for its waiting, its overhead per item, and stages that are done early."
  (pattern (run ?r) (name "pipeline") (id ?p))
  =>
  (assert (explained (run ?r) (pattern ?p) (loss waiting))
          (explained (run ?r) (pattern ?p) (loss grain))
          (explained (run ?r) (pattern ?p) (loss transfer)))
  ; When the processes of a part end, they wait for others, of which these rules know nothing.
  (if (not (str-index "@" ?p))
   then
   (assert (explained (run ?r) (pattern ?p) (loss ends)))))

(defrule SYMPTOMS::pl-low-efficiency
  "The stages spend much of the run not working on items."
  (pattern (run ?r) (name "pipeline") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.efficiency") (value ?e&:(< ?e ?*efficiency-good*)))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.depth") (value ?stages))
  (metric (run ?r) (pattern ?p) (name "run.items") (value ?items))
  =>
  (assert (finding (kind symptom) (name low-pipeline-efficiency) (run ?r) (pattern ?p)
                   (lost ?lost) (level 1)
                   (text (text "The {n} stages work on their {n} items for {%} of the run on average; {s} of their time are lost."
                               ?stages ?items ?e ?lost)))))

(defrule SYMPTOMS::pl-good-efficiency
  "The stages work on items nearly all the time, unless that is so as several processes share the slowest of them."
  (pattern (run ?r) (name "pipeline") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.efficiency") (value ?e&:(>= ?e ?*efficiency-good*)))
  (metric (run ?r) (pattern ?p) (name "run.depth") (value ?stages))
  (metric (run ?r) (pattern ?p) (name "run.items") (value ?items))
  (metric (run ?r) (pattern ?p) (name "run.bubble") (value ?bubble))
  =>
  (bind ?lost 0.0)
  (do-for-all-facts ((?m metric)) (and (eq ?m:run ?r) (eq ?m:pattern ?p) (eq ?m:name "run.lost"))
    (bind ?lost ?m:value))
  (bind ?limit (pl-limit ?r ?p))
  (if (> (length$ ?limit) 0)
   then (assert (finding (kind symptom) (name low-pipeline-efficiency) (run ?r) (pattern ?p) (lost ?lost) (level 1)
                         (text (text "The {n} stages work on their {n} items for {%} of the run on average, as most processes are those of the slowest one: it takes {s} per item, the others at most {s}."
                                     ?stages ?items ?e (nth$ 1 ?limit) (nth$ 2 ?limit)))))
   else (assert (finding (kind observation) (name good-pipeline-efficiency) (run ?r) (pattern ?p)
                         (healthy yes) (all-clear yes) (level 1)
                         (text (text "The {n} stages work on their {n} items for {%} of the run on average; filling and draining must cost {%} with so many stages and items."
                                     ?stages ?items ?e ?bubble))))))

(defrule SYMPTOMS::pl-fill-drain
  "What filling and draining cost is reported; with enough items it is how a pipeline works."
  (pattern (run ?r) (name "pipeline") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.bubble") (value ?bubble&:(< ?bubble ?*bubble-large*)))
  (metric (run ?r) (pattern ?p) (name "run.fill_drain") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.fill_drain_share") (value ?share))
  (metric (run ?r) (pattern ?p) (name "run.depth") (value ?stages))
  (metric (run ?r) (pattern ?p) (name "run.items") (value ?items))
  (metric (run ?r) (pattern ?p) (name "run.fills") (value ?fills))
  =>
  (assert (finding (kind observation) (name fill-and-drain) (run ?r) (pattern ?p) (lost ?lost)
                   (healthy yes) (level 1)
                   (text (text "Filling and draining cost {s}, {%} of the stages' time. With {n} items, {n} stages, filled {}, equal stages would lose (P - 1) / (M + P - 1) = {%}."
                               ?lost ?share ?items ?stages (pl-times ?fills) ?bubble)))))

;; ---- level 2: where the stages wait ------------------------------------------------------------

(defrule REFINE::pl-slowest
  "One stage takes longest per item."
  (finding (kind symptom) (name low-pipeline-efficiency) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "stage.service") (location ?b) (value ?sb) (rank 1))
  (metric (run ?r) (pattern ?p) (name "run.others") (value ?others))
  (test (>= ?sb (* ?*heavy* ?others)))
  (metric (run ?r) (pattern ?p) (name "run.rate") (value ?rate))
  (metric (run ?r) (pattern ?p) (name "run.rate_bound") (value ?bound))
  =>
  (assert (finding (kind observation) (name slowest-stage) (run ?r) (pattern ?p) (locations ?b)
                   (culprits ?b) (level 2) (functions-of ?b)
                   (text (text "Stage {} takes longest: {s} per item, {s} on average the others. It allows {.3} items per second; {.3} come through."
                               ?b ?sb ?others ?bound ?rate)))))

(defrule REFINE::pl-starvation
  "The stages behind the slowest one wait for items."
  (finding (kind observation) (name slowest-stage) (run ?r) (pattern ?p) (locations ?b))
  (metric (run ?r) (pattern ?p) (name "stage.position") (location ?b) (value ?at))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.waiting"))
  (metric (run ?r) (pattern ?p) (name "stage.starved") (rank 1))
  (metric (run ?r) (pattern ?p) (name "stage.position") (location ?last) (rank 1)
          (value ?end&:(> ?end ?at)))
  =>
  (bind ?side (pl-side ?r ?p ?at "stage.starved" FALSE))
  (bind ?sum (nth$ 1 ?side))
  (if (>= (pl-part ?sum ?lost) ?*part-shown*)
   then
   (assert (finding (kind observation) (name starvation) (run ?r) (pattern ?p)
                    (locations (rest$ ?side)) (culprits ?b) (lost ?sum)
                    (share (pl-part ?sum ?lost)) (level 2)
                    (text (text "Behind stage {}, {}: {s} of waiting in receives for items (late sender)."
                                ?b (pl-stages (rest$ ?side) "starves" "starve") ?sum))))))

(defrule REFINE::pl-back-pressure
  "The stages before the slowest one are held in sends, or run ahead and are done early."
  (finding (kind observation) (name slowest-stage) (run ?r) (pattern ?p) (locations ?b))
  (metric (run ?r) (pattern ?p) (name "stage.position") (location ?b) (value ?at&:(> ?at 0.0)))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.waiting"))
  (metric (run ?r) (pattern ?p) (name "stage.blocked") (rank 1))
  (metric (run ?r) (pattern ?p) (name "stage.ran_ahead") (rank 1))
  =>
  (bind ?side (pl-side ?r ?p ?at "stage.blocked" TRUE))
  (bind ?held (nth$ 1 ?side))
  (bind ?ahead (nth$ 1 (pl-side ?r ?p ?at "stage.ran_ahead" TRUE)))
  (if (>= (pl-part (+ ?held ?ahead) ?lost) ?*part-shown*)
   then
   (assert (finding (kind observation) (name back-pressure) (run ?r) (pattern ?p)
                    (locations (rest$ ?side)) (culprits ?b) (lost (+ ?held ?ahead))
                    (share (pl-part (+ ?held ?ahead) ?lost)) (level 2)
                    (text (str-cat
                      (text "Before stage {}, {} back-pressure: " ?b
                            (pl-stages (rest$ ?side) "feels" "feel"))
                      (if (> ?held 0.0)
                       then (text "{s} held in sends until it receives (late receiver)" ?held)
                       else "")
                      (if (and (> ?held 0.0) (> ?ahead 0.0)) then ", " else "")
                      (if (> ?ahead 0.0)
                       then (text "{s} done early, having run ahead" ?ahead)
                       else "")
                      "."))))))

(defrule CAUSES::pl-serial-chain
  "A collective operation follows each item, so the stages work one after the other."
  (finding (kind symptom) (name low-pipeline-efficiency) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.serial") (value ?serial&:(> ?serial 0.0)))
  (metric (run ?r) (pattern ?p) (name "run.fill_drain_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.fill_drain") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.stages") (value ?stages))
  (metric (run ?r) (pattern ?p) (name "run.fills") (value ?fills))
  (metric (run ?r) (pattern ?p) (name "run.per_fill") (value ?per))
  (metric (run ?r) (pattern ?p) (name "run.own_part") (value ?own))
  =>
  (bind ?gain (/ ?lost ?stages))
  (assert (finding (kind cause) (name serial-chain) (run ?r) (pattern ?p)
                   (headline (if (< ?per 1.5)
                              then (text "In each of {n} steps {n} ranks work one after the other, from rank {} to rank {}, and then all meet in a collective."
                                         ?fills ?stages (join-words (role-locations ?r ?p "first"))
                                         (join-words (role-locations ?r ?p "last")))
                              else (text "The {n} stages work one after the other: a collective operation drains the pipeline after every {.1} items."
                                         ?stages ?per)))
                   (fix (if (< ?per 1.5)
                         then "Do before the receive what does not need the rank before; or let steps overlap: fewer or non-blocking collectives."
                         else "Call it only every few steps or make it non-blocking (MPI_Iallreduce), so that items follow each other."))
                   (gain-kind remove)
                   (locations (pl-members ?r ?p)) (lost ?lost) (share (pl-part ?lost ?all))
                   (gain (pl-gain ?r ?p ?stages ?gain)) (level 2)
                   (text (text "The {n} stages form a serial chain{}: they are filled and drained in each of {n} steps, with {.1} items per filling, because a collective operation synchronises all before the next item follows. In each step one stage after the other takes, computes for {s} on average and gives on, while those before it wait in the collective operation and those behind it in receives: {s}, {%} of the stages' time."
                               ?stages (pl-order ?r ?p) ?fills ?per ?own ?lost ?share))
                   (remedy (text "Let items follow each other: do the collective operation every few steps or make it non-blocking (MPI_Iallreduce), or send the item on in parts; or shorten the chain: compute before the receive what does not need it, MPI_Scan or MPI_Exscan where a value is accumulated, another order (red-black) where neighbours are relaxed. Up to {}."
                                 (pl-saves ?r ?p ?stages ?gain))))))

(defrule CAUSES::pl-too-few-items
  "There are too few items for so many stages."
  (finding (kind symptom) (name low-pipeline-efficiency) (run ?r) (pattern ?p))
  (not (metric (run ?r) (pattern ?p) (name "run.serial") (value ?serial&:(> ?serial 0.0))))
  (metric (run ?r) (pattern ?p) (name "run.bubble") (value ?bubble&:(>= ?bubble ?*bubble-large*)))
  (metric (run ?r) (pattern ?p) (name "run.fill_drain_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.fill_drain") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.stages") (value ?processes))
  (metric (run ?r) (pattern ?p) (name "run.depth") (value ?stages))
  (metric (run ?r) (pattern ?p) (name "run.items") (value ?items))
  (metric (run ?r) (pattern ?p) (name "run.fills") (value ?fills))
  =>
  (bind ?per (/ ?items (max 1.0 ?fills)))
  (bind ?wanted (integer (+ 0.999999 (* (- ?stages 1) (- (/ 1.0 ?*bubble-good*) 1.0)))))
  (bind ?parts (max 2 (integer (+ 0.999999 (/ ?wanted (max 1.0 ?per))))))
  (bind ?gain (/ (* ?lost (- 1.0 (/ 1.0 ?parts))) ?processes))
  (assert (finding (kind cause) (name too-few-items) (run ?r) (pattern ?p)
                   (headline (text "There are too few items for {n} stages: filling and draining the pipeline cost {%} of their time."
                                   ?stages ?share))
                   (fix (text "Split each item into {n} parts, so that {n} or more flow through per filling."
                              ?parts ?wanted))
                   (gain-kind remove)
                   (locations (pl-members ?r ?p)) (lost ?lost) (share (pl-part ?lost ?all))
                   (gain (pl-gain ?r ?p ?processes ?gain)) (level 2)
                   (text (text "There are too few items for {n} stages: filling and draining cost {s}, {%} of the stages' time, with {n} items per filling. Equal stages would lose (P - 1) / (M + P - 1) = {%}."
                               ?stages ?lost ?share ?per ?bubble))
                   (remedy (text "Split each item into {n} parts, so that {n} or more flow through per filling{}; up to {}, as long as a part is worth its messages."
                                 ?parts ?wanted
                                 (if (> ?fills 1.0) then ", and let the next batch in before the last one is out" else "")
                                 (pl-saves ?r ?p ?processes ?gain))))))

(defrule CAUSES::pl-after
  "When the last item is done, some stage goes on alone; what it computes then is long enough for that."
  (finding (kind symptom) (name low-pipeline-efficiency) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.after") (value ?after))
  (metric (run ?r) (pattern ?p) (name "run.rest_apart") (value ?apart))
  (run (id ?r) (duration ?t))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.stages") (value ?stages))
  (metric (run ?r) (pattern ?p) (name "stage.rest") (location ?who) (value ?rest) (rank 1))
  (test (>= (min ?after ?apart) (* ?*significant* ?stages ?t)))
  =>
  (bind ?lost (min ?after ?apart))
  (bind ?gain (/ ?lost ?stages))
  (assert (finding (kind cause) (name work-after-pipeline) (run ?r) (pattern ?p)
                   (headline (text "Stage {} computes {s} outside the pipeline, while the stages idle for {s}."
                                   ?who ?rest ?after))
                   (fix (text "Let the stages share what stage {} does outside the pipeline, or do it while items flow."
                              ?who))
                   (gain-kind remove)
                   (locations (pl-members ?r ?p)) (culprits ?who) (lost ?lost)
                   (share (pl-part ?lost ?all)) (gain (pl-gain ?r ?p ?stages ?gain)) (level 2) (confidence 0.7)
                   (functions-of ?who)
                   (text (text "When the last item is done the run goes on, and the stages idle for {s} ({%} of their time). Stage {} computes most that is not work on items, {s}, which accounts for {s} of it."
                               ?after (pl-part ?after (* ?stages ?t)) ?who ?rest ?lost))
                   (remedy (text "Let the stages share what stage {} does outside the pipeline, or do it while items flow; up to {}."
                                 ?who (pl-saves ?r ?p ?stages ?gain))))))

;; ---- level 3: why they wait ---------------------------------------------------------------------

(defrule CAUSES::pl-slow-stage
  "The other stages wait because one takes longer per item."
  (finding (kind observation) (name slowest-stage) (run ?r) (pattern ?p) (locations ?b))
  (not (refined (run ?r) (pattern ?p) (name slow-stage | bottleneck)))
  (metric (run ?r) (pattern ?p) (name "run.waiting_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.waiting") (value ?waiting))
  (metric (run ?r) (pattern ?p) (name "stage.service") (location ?b) (value ?sb))
  (metric (run ?r) (pattern ?p) (name "run.items") (value ?items))
  (metric (run ?r) (pattern ?p) (name "run.stages") (value ?stages))
  (metric (run ?r) (pattern ?p) (name "run.balance") (value ?balance))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "stage.delayed") (location ?b) (value ?delayed))
  (metric (run ?r) (pattern ?p) (name "stage.drift") (location ?b) (value ?drift))
  =>
  (bind ?slow (pl-slow ?r ?p ?sb))
  (bind ?rest (pl-rest ?r ?p ?slow))
  (bind ?n (nth$ 1 ?rest))
  (bind ?mean (/ (nth$ 2 ?rest) (max 1 ?n)))
  (bind ?next (nth$ 3 ?rest))
  (bind ?cost (min ?waiting (pl-mismatch ?stages ?items ?sb ?balance)))
  (bind ?copies (max 2 (integer (+ 0.999999 (/ ?sb (max ?mean 1e-9))))))
  (bind ?after (max ?next (/ ?sb ?copies)))
  (bind ?gain (min (* ?items (max 0.0 (- ?sb ?after)))
                   (/ ?cost (max 1 (- ?stages (length$ ?slow))))))
  (bind ?names (location-list ?slow))
  (bind ?others (create$))
  (do-for-all-facts ((?f role))
    (and (eq ?f:run ?r) (eq ?f:pattern ?p) (eq ?f:name "stage") (not (member$ ?f:location ?slow)))
    (bind ?others (create$ ?others ?f:location)))
  (assert (finding (kind cause) (name slow-stage) (run ?r) (pattern ?p)
                   (headline (if (= (length$ ?slow) 1)
                              then (text "Stage {} is the bottleneck: {s} per item, the other stages {s}, and they wait {s} for it."
                                         ?names ?sb ?mean ?cost)
                              else (text "Stages {} are the bottleneck: up to {s} per item, the others {s}, and these wait {s}."
                                         ?names ?sb ?mean ?cost)))
                   (fix (if (= (length$ ?slow) 1)
                         then (text "Split stage {} into {n}, or run {n} copies of it that take items in turn."
                                    ?names ?copies ?copies)
                         else (text "Split each of stages {} into {n}, or run {n} copies that take items in turn."
                                    ?names ?copies ?copies)))
                   (gain-kind remove)
                   (locations ?others) (culprits ?slow) (lost ?cost) (share (pl-part ?cost ?lost))
                   (gain (pl-gain ?r ?p ?stages ?gain)) (level 3) (functions-of ?b)
                   (what-if (what-if-of "compute" ?slow "/" ?copies))
                   (text (str-cat
                     (if (= (length$ ?slow) 1)
                      then (text "Stage {} is the bottleneck: it takes {s} per item, the other stages {s} on average, so they wait {s} for it ({%} of what the stages lose)."
                                 ?names ?sb ?mean ?cost (pl-part ?cost ?lost))
                      else (text "Stages {} are the bottleneck: they take up to {s} per item, the other stages {s} on average, so these wait {s} for them ({%} of what the stages lose)."
                                 ?names ?sb ?mean ?cost (pl-part ?cost ?lost)))
                     (text " Followed back through the chain, {s} of waiting begin at stage {}." ?delayed ?b)
                     (if (>= ?drift ?*outlier*)
                      then (text " It gets slower: {.1} times as long per item in the second half as in the first." ?drift)
                      else "")))
                   (remedy (text "Split {} {} into {n} stages of {s}, or replicate it {n} times and distribute the items in turn; the next limit then is {s} per item, which saves {} by the model ({n} items, {s} less each). Without more processes, move work from it to its neighbours: {s} per item for each stage would be even."
                                 (if (= (length$ ?slow) 1) then "stage" else "stages") ?names ?copies (/ ?sb ?copies) ?copies ?after
                                 (pl-saves ?r ?p ?stages ?gain) ?items
                                 (max 0.0 (- ?sb ?after)) (* ?balance ?sb))))))

(defrule CAUSES::pl-degrading
  "Stages wait more than their mean times per item explain, and one gets slower from item to item."
  (finding (kind symptom) (name low-pipeline-efficiency) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.waiting") (value ?waiting))
  (metric (run ?r) (pattern ?p) (name "run.slowest") (value ?sb))
  (metric (run ?r) (pattern ?p) (name "run.items") (value ?items))
  (metric (run ?r) (pattern ?p) (name "run.stages") (value ?stages))
  (metric (run ?r) (pattern ?p) (name "run.balance") (value ?balance))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  (run (id ?r) (duration ?t))
  (metric (run ?r) (pattern ?p) (name "stage.drift") (location ?worse) (rank 1)
          (value ?drift&:(>= ?drift ?*outlier*)))
  (test (>= (pl-by-drift ?waiting ?stages ?items ?sb ?balance ?drift) (* ?*significant* ?stages ?t)))
  =>
  (bind ?cost (pl-by-drift ?waiting ?stages ?items ?sb ?balance ?drift))
  (bind ?gain (/ ?cost ?stages))
  (assert (finding (kind cause) (name degrading-stage) (run ?r) (pattern ?p) (locations ?worse)
                   (headline (text "Stage {} gets slower, {.1} times as long per item in the second half as in the first: {s} of waiting."
                                   ?worse ?drift ?cost))
                   (fix (text "Find out what grows in stage {} from item to item: lists that are searched, memory, files."
                              ?worse))
                   (gain-kind remove)
                   (culprits ?worse) (lost ?cost) (share (pl-part ?cost ?lost))
                   (gain (pl-gain ?r ?p ?stages ?gain))
                   (level 3) (confidence 0.7) (functions-of ?worse)
                   (text (text "Stage {} gets slower: {.1} times as long per item in the second half of its items as in the first. The stages wait {s} more than their mean times per item explain; as much as {s} of it can come from that."
                               ?worse ?drift (- ?waiting (pl-mismatch ?stages ?items ?sb ?balance)) ?cost))
                   (remedy (text "See what grows in stage {} from item to item (lists that are searched, memory, files); up to {}."
                                 ?worse (pl-saves ?r ?p ?stages ?gain))))))

(defrule CAUSES::pl-uneven
  "Stages wait more than their times per item explain: items differ, and nothing evens that out."
  (finding (kind symptom) (name low-pipeline-efficiency) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.waiting") (value ?waiting))
  (metric (run ?r) (pattern ?p) (name "run.slowest") (value ?sb))
  (metric (run ?r) (pattern ?p) (name "run.items") (value ?items))
  (metric (run ?r) (pattern ?p) (name "run.stages") (value ?stages))
  (metric (run ?r) (pattern ?p) (name "run.balance") (value ?balance))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  (run (id ?r) (duration ?t))
  (metric (run ?r) (pattern ?p) (name "stage.spread") (location ?uneven) (rank 1)
          (value ?cv&:(>= ?cv ?*unequal-tasks*)))
  (metric (run ?r) (pattern ?p) (name "stage.drift") (rank 1) (value ?drift&:(< ?drift ?*outlier*)))
  (test (>= (pl-by-spread ?waiting ?stages ?items ?sb ?balance ?cv) (* ?*significant* ?stages ?t)))
  =>
  (bind ?cost (pl-by-spread ?waiting ?stages ?items ?sb ?balance ?cv))
  (bind ?gain (/ ?cost ?stages))
  (assert (finding (kind cause) (name uneven-items) (run ?r) (pattern ?p)
                   (headline (text "Items that take long in one stage hold up all others: the stages wait {s}, and nothing is buffered between them."
                                   ?cost))
                   (fix "Buffer items between the stages: MPI_Isend some items ahead, MPI_Irecv posted early; or split long items.")
                   (gain-kind remove)
                   (locations (pl-members ?r ?p)) (lost ?cost) (share (pl-part ?cost ?lost))
                   (gain (pl-gain ?r ?p ?stages ?gain)) (level 3) (confidence 0.8)
                   (text (text "The stages wait {s} more than their mean times per item explain: an item that takes long in one stage holds up all others, and nothing is buffered between them. Times differ most in stage {} (coefficient of variation {.2})."
                               ?cost ?uneven ?cv))
                   (remedy (text "Put buffers between the stages: MPI_Isend for some items ahead instead of MPI_Ssend or large blocking sends, MPI_Irecv posted early; or split the longest items; up to {}."
                                 (pl-saves ?r ?p ?stages ?gain))))))

(defrule CAUSES::pl-item-overhead
  "Moving an item costs too much for what a stage computes on it."
  (finding (kind symptom) (name low-pipeline-efficiency) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.transfer_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.transferring") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.overhead") (value ?o))
  (metric (run ?r) (pattern ?p) (name "run.grain") (value ?g))
  (test (< ?g (* ?*grain-fine* ?o)))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.stages") (value ?stages))
  =>
  (bind ?together (max 2 (integer (+ 0.999999 (/ (* ?*grain-good* ?o) (max ?g 1e-12))))))
  (bind ?gain (/ (* ?lost (- 1.0 (/ 1.0 ?together))) ?stages))
  (assert (finding (kind cause) (name item-overhead) (run ?r) (pattern ?p)
                   (headline (text "Items are too small: a stage computes {s} on one, and moving it costs {s} beyond waiting."
                                   ?g ?o))
                   (fix (text "Send {n} items in one message." ?together))
                   (gain-kind remove)
                   (locations (pl-members ?r ?p)) (lost ?lost) (share (pl-part ?lost ?all))
                   (gain (pl-gain ?r ?p ?stages ?gain)) (level 3)
                   (what-if (what-if-of "transfer" (pl-members ?r ?p) "/" ?together))
                   (text (text "Items are too small: a stage computes {s} on one, and moving it in and out costs {s} beyond waiting; {s} in all."
                               ?g ?o ?lost))
                   (remedy (text "Send {n} items in one message, so that computation is {n} times the overhead; up to {}."
                                 ?together (integer ?*grain-good*) (pl-saves ?r ?p ?stages ?gain))))))

(defrule CAUSES::pl-slow-transfer
  "Moving items takes long, although a stage computes long on each."
  (finding (kind symptom) (name low-pipeline-efficiency) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.transfer_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.transferring") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.overhead") (value ?o))
  (metric (run ?r) (pattern ?p) (name "run.grain") (value ?g))
  (test (>= ?g (* ?*grain-fine* ?o)))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.stages") (value ?stages))
  =>
  (assert (finding (kind cause) (name slow-transfer) (run ?r) (pattern ?p)
                   (headline (text "Moving an item takes {s} per stage beyond waiting; a stage computes {s} on it."
                                   ?o ?g))
                   (fix "Post MPI_Irecv for the next item before working on this one, and pass items on with MPI_Isend.")
                   (gain-kind remove)
                   (locations (pl-members ?r ?p)) (lost ?lost) (share (pl-part ?lost ?all))
                   (gain (pl-gain ?r ?p ?stages (/ ?lost ?stages))) (level 3) (confidence 0.7)
                   (text (text "Moving items takes {s} per item and stage beyond waiting, {s} in all; a stage computes {s} on one."
                               ?o ?lost ?g))
                   (remedy (text "Overlap: post the receive of the next item (MPI_Irecv) before working on this one, and give it on with MPI_Isend; up to {}."
                                 (pl-saves ?r ?p ?stages (/ ?lost ?stages)))))))

;; ---- farm-pipeline: stages of several processes ---------------------------------------------------
;; A pattern that extends pipeline: the time of a process is counted per item of the run, so all of the
;; above holds. Where several processes share the slowest stage, what to do is another thing: all of them
;; take as long (slow-stage: more workers), or one of them (slow-worker: hand out items on request).

(deffunction MAIN::fp-team (?run ?pattern ?feeder)
  "Labels of the processes that get their items from the same one: those of a stage."
  (bind ?labels (create$))
  (do-for-all-facts ((?m metric))
    (and (eq ?m:run ?run) (eq ?m:pattern ?pattern) (eq ?m:name "stage.feeder")
         (>= ?m:value 0.0) (= ?m:value ?feeder))
    (bind ?labels (create$ ?labels ?m:location)))
  ?labels)

(deffunction MAIN::fp-most-and-sum (?run ?pattern ?metric ?who ?are-in)
  "The largest value of a metric, and the sum, over the processes that are (or are not) in ?who."
  (bind ?most 0.0)
  (bind ?sum 0.0)
  (do-for-all-facts ((?m metric))
    (and (eq ?m:run ?run) (eq ?m:pattern ?pattern) (eq ?m:name ?metric) (neq ?m:location "")
         (eq ?are-in (neq FALSE (member$ ?m:location ?who))))
    (bind ?most (max ?most ?m:value))
    (bind ?sum (+ ?sum ?m:value)))
  (create$ ?most ?sum))

(deffunction MAIN::fp-behind (?run ?pattern ?team)
  "Of the processes of a stage those that take longer for an item than half of it, by more than items that differ explain;
   the slowest first. Where they ask for items, all are busy: that one takes longer shows in what it gets only."
  (bind ?those (create$))
  (foreach ?l (metric-locations ?run ?pattern "stage.per_item") ; the slowest first
    (if (member$ ?l ?team) then (bind ?those (create$ ?those ?l))))
  (bind ?half (nth$ (+ 1 (div (length$ ?those) 2)) ?those))
  (bind ?usual (max 1e-12 (metric-value ?run ?pattern "stage.per_item" ?half 0.0)))
  (bind ?items (metric-value ?run ?pattern "run.items" "" 0.0))
  (bind ?labels (create$))
  (foreach ?l ?those
    (bind ?times (/ (metric-value ?run ?pattern "stage.per_item" ?l 0.0) ?usual))
    (if (and (>= ?times ?*outlier*)
             (mw-beyond-chance ?times (metric-value ?run ?pattern "stage.spread" ?l 0.0)
                               (* ?items (metric-value ?run ?pattern "stage.share" ?l 0.0))))
     then (bind ?labels (create$ ?labels ?l))))
  ?labels)

(deffunction MAIN::fp-together (?run ?pattern ?team ?most)
  "What a team takes per item of the run if each takes one when it is free, and takes no longer for it than ?most, s.
   A stage may have several teams, of which each gets a part of the items."
  (bind ?rate 0.0)
  (foreach ?l ?team
    (bind ?rate (+ ?rate (/ 1.0 (max 1e-12 (min ?most (metric-value ?run ?pattern "stage.per_item" ?l 0.0)))))))
  (/ (min 1.0 (sum-of ?run ?pattern "stage.share" ?team)) ?rate))

(defrule SYMPTOMS::fp-shape
  "The stages, and how many processes share the items of one."
  (pattern (run ?r) (name "farm-pipeline") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.depth") (value ?depth))
  (metric (run ?r) (pattern ?p) (name "run.items") (value ?items))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?workers))
  (metric (run ?r) (pattern ?p) (name "run.splitters") (value ?splitters))
  (metric (run ?r) (pattern ?p) (name "run.collectors") (value ?collectors))
  =>
  (assert (finding (kind observation) (name farm-in-pipeline) (run ?r) (pattern ?p) (healthy yes)
                   (level 1)
                   (text (text "{n} items pass through {n} stages. {n} workers share the work of a stage with others; {} gives them items, and {} takes their results."
                               ?items ?depth ?workers (plural (integer ?splitters) "process" "processes")
                               (plural (integer ?collectors) "process" "processes"))))))

(defrule SYMPTOMS::fp-passing
  "Who hardly works on an item waits for those that do, which is how the pattern works."
  (pattern (run ?r) (name "farm-pipeline") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.passing") (value ?idle&:(> ?idle 0.0)))
  =>
  (assert (finding (kind observation) (name idle-dealers) (run ?r) (pattern ?p) (lost ?idle) (healthy yes) (level 1)
                   (text (text "Processes that only pass items on are idle for {s}, which is normal for this pattern: the others are to be busy."
                               ?idle)))))

(defrule REFINE::fp-spare
  "Stages that set the pace together, and beside them only workers with time to spare: no stage is slow, a farm is fast."
  (pattern (run ?r) (name "farm-pipeline") (id ?p))
  (finding (kind observation) (name slowest-stage) (run ?r) (pattern ?p) (locations ?b))
  (metric (run ?r) (pattern ?p) (name "stage.service") (location ?b) (value ?sb))
  (metric (run ?r) (pattern ?p) (name "stage.works") (location ?b))
  (metric (run ?r) (pattern ?p) (name "stage.waited") (location ?b))
  =>
  (bind ?slow (pl-slow ?r ?p ?sb))
  (bind ?workers (role-locations ?r ?p "worker"))
  (bind ?spare (create$))
  (bind ?is-spare (> (length$ ?slow) 1))
  (bind ?waited 0.0)
  (bind ?work 0.0)
  (foreach ?l (pl-members ?r ?p)
    (if (and (not (member$ ?l ?slow)) (> (metric-value ?r ?p "stage.works" ?l 1.0) 0.0)) then
      (bind ?is-spare (and ?is-spare (neq FALSE (member$ ?l ?workers))))
      (bind ?spare (create$ ?spare ?l))
      (bind ?waited (+ ?waited (metric-value ?r ?p "stage.waited" ?l 0.0)))
      (bind ?work (+ ?work (metric-value ?r ?p "stage.service" ?l 0.0)))))
  ;; Several processes of one stage are one slow stage.
  (foreach ?l ?slow (bind ?is-spare (and ?is-spare (not (member$ ?l ?workers)))))
  (if (and ?is-spare (> (length$ ?spare) 0)) then
    (assert (refined (run ?r) (pattern ?p) (name bottleneck)))
    (assert (finding (kind observation) (name spare-workers) (run ?r) (pattern ?p) (locations ?spare)
                     (lost ?waited) (healthy yes) (level 2)
                     (text (text "Stages {} take about as long and set the pace, {s} per item. Workers {} have time to spare, {s} in all; {n} would do instead of {n}."
                                 (location-list ?slow) ?sb (location-list ?spare) ?waited
                                 (min (length$ ?spare) (integer (+ 0.999999 (/ ?work ?sb)))) (length$ ?spare)))))))

(defrule REFINE::fp-shared
  "Several processes share the slowest stage: that it is slow is said here."
  (pattern (run ?r) (name "farm-pipeline") (id ?p))
  (finding (kind observation) (name slowest-stage) (run ?r) (pattern ?p) (locations ?b))
  (metric (run ?r) (pattern ?p) (name "stage.feeder") (location ?b) (value ?feeder))
  =>
  (if (> (length$ (fp-team ?r ?p ?feeder)) 1)
   then (assert (refined (run ?r) (pattern ?p) (name slow-stage)))))

(defrule CAUSES::fp-slow-stage
  "The other stages wait because one has too few workers for the time that an item takes in it."
  (refined (run ?r) (pattern ?p) (name slow-stage))
  (pattern (run ?r) (name "farm-pipeline") (id ?p))
  (finding (kind observation) (name slowest-stage) (run ?r) (pattern ?p) (locations ?b))
  (metric (run ?r) (pattern ?p) (name "run.waiting_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.waiting") (value ?waiting))
  (metric (run ?r) (pattern ?p) (name "stage.service") (location ?b) (value ?sb))
  (metric (run ?r) (pattern ?p) (name "stage.per_item") (location ?b) (value ?each))
  (metric (run ?r) (pattern ?p) (name "stage.feeder") (location ?b) (value ?feeder))
  (metric (run ?r) (pattern ?p) (name "run.items") (value ?items))
  (metric (run ?r) (pattern ?p) (name "run.stages") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.balance") (value ?balance))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  =>
  (bind ?team (fp-team ?r ?p ?feeder))
  (bind ?slow (pl-slow ?r ?p ?sb))
  (bind ?k (length$ ?team))
  (bind ?who (create$))
  (bind ?fast (create$))
  (foreach ?l ?team
    (if (member$ ?l ?slow) then (bind ?who (create$ ?who ?l)) else (bind ?fast (create$ ?fast ?l))))
  (bind ?work (nth$ 2 (fp-most-and-sum ?r ?p "stage.service" ?team TRUE)))
  (bind ?next (nth$ 1 (fp-most-and-sum ?r ?p "stage.service" ?team FALSE)))
  (bind ?working (metric-value ?r ?p "run.working" "" ?n))
  (bind ?cost (min ?waiting (pl-mismatch ?working ?items ?sb ?balance)))
  (bind ?is-all (= (length$ ?who) ?k))
  (bind ?after (fp-together ?r ?p ?team 1e9))
  ;; All take as long, as they ask. Would the stage still be slowest if its slow workers were as fast as the others?
  (bind ?behind (if ?is-all then (fp-behind ?r ?p ?team) else (create$)))
  (bind ?is-asked FALSE)
  (if (> (length$ ?behind) 0) then
    (bind ?rest (create$))
    (foreach ?l ?team (if (not (member$ ?l ?behind)) then (bind ?rest (create$ ?rest ?l))))
    (bind ?usual (nth$ 1 (fp-most-and-sum ?r ?p "stage.per_item" ?rest TRUE)))
    (bind ?equal (max ?next (fp-together ?r ?p ?team ?usual)))
    (if (<= ?equal (* 0.5 (+ ?sb ?next))) then
      (bind ?is-asked TRUE)
      (bind ?is-all FALSE)
      (bind ?after ?equal)
      (bind ?who ?behind)
      (bind ?fast ?rest)
      (bind ?each (metric-value ?r ?p "stage.per_item" (nth$ 1 ?who) ?each))))
  (bind ?others-each (/ (nth$ 2 (fp-most-and-sum ?r ?p "stage.per_item" ?fast TRUE)) (max 1 (length$ ?fast))))
  (bind ?workers (max (+ ?k 1) (integer (+ 0.999999 (/ ?work (max ?next 1e-9))))))
  (bind ?after (max ?next (if ?is-all then (/ ?work ?workers) else ?after)))
  (bind ?gain (min (* ?items (max 0.0 (- ?sb ?after))) (/ ?cost (max 1 (- ?working (length$ (if ?is-asked then ?team else ?who)))))))
  (bind ?names (location-list ?who))
  (bind ?others (create$))
  (foreach ?l (pl-members ?r ?p)
    (if (not (member$ ?l ?who)) then (bind ?others (create$ ?others ?l))))
  (if ?is-all then
    (assert (finding (kind cause) (name slow-stage) (run ?r) (pattern ?p)
                   (headline (text "The stage of ranks {} is the bottleneck: its {n} workers finish an item every {s}, the next slowest stage every {s}."
                                   ?names ?k ?sb ?next))
                   (fix (text "Give that stage {n} workers instead of {n}, or make their work on an item shorter."
                              ?workers ?k))
                   (gain-kind remove)
                   (locations ?others) (culprits ?who) (lost ?cost) (share (pl-part ?cost ?lost))
                   (gain (pl-gain ?r ?p ?n ?gain)) (level 3) (functions-of ?b)
                   (what-if (what-if-of "compute" ?who "/" (/ ?workers ?k)))
                   (text (text "The stage of ranks {} is the bottleneck: an item takes {s} in it, so its {n} workers together finish one every {s}; the next slowest stage takes {s}. The others wait {s} for it ({%} of what the stages lose)."
                               ?names ?each ?k ?sb ?next ?cost (pl-part ?cost ?lost)))
                   (remedy (text "Give the stage {n} workers instead of {n}: they finish an item every {s}, as fast as the rest of the pipeline; that saves {} by the model ({n} items, {s} less each). Without more processes, move work from it to the other stages."
                                 ?workers ?k (/ ?work ?workers) (pl-saves ?r ?p ?n ?gain) ?items
                                 (max 0.0 (- ?sb ?after))))))
   else
    (assert (finding (kind cause) (name slow-worker) (run ?r) (pattern ?p)
                   (headline (text "{} {s} for an item, the others of that stage {s}{}: the stages wait {s}."
                                   (text (if (> (length$ ?who) 1) then "Workers {} take" else "Worker {} takes") ?names)
                                   ?each ?others-each (if ?is-asked then "" else ", for as many items") ?cost))
                   (fix (if ?is-asked
                         then (text "Find out why rank {} is slow: clock, binding, other load; keep giving out items on request." ?names)
                         else (text "Give out items on request instead of in turn, or find out why rank {} is slow." ?names)))
                   (gain-kind (if ?is-asked then remove else even-out))
                   (locations ?others) (culprits ?who) (lost ?cost) (share (pl-part ?cost ?lost))
                   (gain (pl-gain ?r ?p ?n ?gain)) (level 3) (functions-of ?b)
                   ;; A replay does not hand out items again: a worker that asks would get no more of them.
                   (what-if (if ?is-asked then "" else (what-if-of "compute" ?who "/" (/ ?sb (max ?after 1e-12)))))
                   (text (if ?is-asked
                          then (text "Rank {} needs {s} for an item, the other workers of its stage {s}. It takes fewer, as they ask for items, but so the stage finishes one every {s} only, the next slowest stage every {s}. The others wait {s} ({%} of what the stages lose)."
                                     ?names ?each ?others-each ?sb ?next ?cost (pl-part ?cost ?lost))
                          else (text "Rank {} needs {s} for an item, the other workers of its stage {s}, and it takes as many as they do: its share takes {s} per item of the run, the next slowest stage {s}. The others wait {s} ({%} of what the stages lose)."
                                     ?names ?each ?others-each ?sb ?next ?cost (pl-part ?cost ?lost))))
                   (remedy (if ?is-asked
                            then (text "Find out why it is slow; as fast as the others it would let the stage finish an item every {s}. That saves {} by the model."
                                       ?after (pl-saves ?r ?p ?n ?gain))
                            else (text "Let the workers of the stage ask for items, so that a slow one gets fewer, or find out why it is slow; that saves {} by the model."
                                       (pl-saves ?r ?p ?n ?gain))))))))

;; ---- several runs: the model of the pattern ------------------------------------------------------
;; M items pass P stages in (M + P - 1) s_b, each time that the pipeline is filled. The slowest stage of
;; the larger run is expected to have its share of what all compute.

(defrule SYMPTOMS::pipe-scales
  "Both runs are pipelines: the number of stages and their slowest one give the run time."
  (scaling (from ?f) (to ?t))
  (pattern (run ?f) (name "pipeline") (id ?pf) (scope "world"))
  (not (pattern (run ?f) (name "farm-pipeline") (id ?pf))) ; more processes need not be more stages
  (pattern (run ?t) (name "pipeline") (id ?pt) (scope "world"))
  =>
  (assert (scaling-of (from ?f) (to ?t) (name "pipeline") (from-id ?pf) (to-id ?pt))))

(defrule CAUSES::pipe-expect-time
  "The run time that the model expects of the larger run."
  (scaling-of (from ?f) (to ?t) (name "pipeline") (from-id ?pf) (to-id ?pt))
  (scaling (from ?f) (to ?t) (kind ?kind) (work-ratio ?work) (duration-from ?df)
           (duration-to ?dt))
  (metric (run ?f) (pattern ?pf) (name "run.stages") (value ?nf&:(> ?nf 0.0)))
  (metric (run ?f) (pattern ?pf) (name "run.fills") (value ?ff))
  (metric (run ?f) (pattern ?pf) (name "run.per_fill") (value ?mf&:(> ?mf 0.0)))
  (metric (run ?f) (pattern ?pf) (name "run.slowest") (value ?s))
  (metric (run ?t) (pattern ?pt) (name "run.stages") (value ?nt&:(> ?nt 0.0)))
  (metric (run ?t) (pattern ?pt) (name "run.fills") (value ?ft&:(> ?ft 0.0)))
  (metric (run ?t) (pattern ?pt) (name "run.per_fill") (value ?mt&:(> ?mt 0.0)))
  =>
  (bind ?rest (max 0.0 (- ?df (* ?ff (+ ?mf ?nf -1.0) ?s))))
  ;; The same computation for another number of items and stages. Where the work has grown with the
  ;; stages, the slowest of them is what it was.
  (bind ?own (if (and (eq ?kind weak) (= (* ?ff ?mf) (* ?ft ?mt))) then ?s
              else (/ (* ?s ?work ?nf ?ff ?mf) (* ?nt ?ft ?mt))))
  (assert (expectation (from ?f) (to ?t) (pattern "pipeline") (quantity "run time") (unit "s")
                       (expected (+ ?rest (* ?ft (+ ?mt ?nt -1.0) ?own))) (measured ?dt)
                       (model (text "({n} items + {n} stages - 1) x {s} of the slowest stage, and {s} besides; it takes {s} with {n} stages"
                                    ?mt ?nt ?own ?rest ?s ?nf)))))

;; pipeline: KNOWLEDGE.md, "Pipeline (1-D)". The tree:
;;
;;   level 1   symptom      the stages compute on items for less than what is acceptable
;;             observation  fill and drain, (P - 1) / (M + P - 1) of the time where stages are equal
;;   level 2   observation  starvation: stages behind wait in receives
;;             observation  back-pressure: stages before are held in sends, or ran ahead (buffers)
;;             observation  which stage takes longest per item
;;             cause        too-few-items: filling and draining
;;   level 3   cause        slow-stage: the others wait for the stage with the longest time per item
;;             cause        degrading-stage, uneven-items: stages are alike on average, items are not
;;             cause        item-overhead, slow-transfer: moving an item
;;
;; What the slowest stage costs by the model is (M - 1) * sum(s_b - s_i); of the measured waiting
;; behind the first item no more is attributed to it, the rest to items that differ. So no second
;; is attributed twice.
;;
;; KNOWLEDGE asks for "blocked upstream, starved downstream" as the sign of a slow stage. Eager
;; sends hide the former: a stage before the slow one is never held, but is done early. Both are
;; back-pressure here (`ran_ahead`), so that the verdict does not depend on the protocol.

(deffunction MAIN::pl-ask (?run ?pattern ?level ?reason ?names)
  "Needs for several metrics of the pattern."
  (foreach ?m ?names
    (assert (need (run ?run) (pattern ?pattern) (metric ?m) (level ?level) (reason ?reason)))))

(deffunction MAIN::pl-slow (?run ?pattern ?slowest)
  "Labels of the stages that take as long as the slowest one, but for what counts as alike."
  (bind ?labels (create$))
  (do-for-all-facts ((?m metric))
    (and (eq ?m:run ?run) (eq ?m:pattern ?pattern) (eq ?m:name "stage.service")
         (>= (* ?*heavy* ?m:value) ?slowest))
    (bind ?labels (create$ ?labels ?m:location)))
  ?labels)

(deffunction MAIN::pl-rest (?run ?pattern ?slow)
  "Over the stages that are not in ?slow: their number, the sum and the largest of their times per item (s)."
  (bind ?n 0)
  (bind ?sum 0.0)
  (bind ?max 0.0)
  (do-for-all-facts ((?m metric))
    (and (eq ?m:run ?run) (eq ?m:pattern ?pattern) (eq ?m:name "stage.service")
         (not (member$ ?m:location ?slow)))
    (bind ?n (+ ?n 1))
    (bind ?sum (+ ?sum ?m:value))
    (bind ?max (max ?max ?m:value)))
  (create$ ?n ?sum ?max))

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

(deffunction MAIN::pl-mismatch (?n ?items ?slowest ?balance)
  "Seconds that ?n stages wait for the slowest one by the model, behind the first item."
  (* (max 0.0 (- ?items 1.0)) ?n ?slowest (- 1.0 (min 1.0 ?balance))))

(deffunction MAIN::pl-part (?part ?all)
  (if (> ?all 0.0) then (min 1.0 (/ ?part ?all)) else 0.0))

;; ---- level 1 ---------------------------------------------------------------------------------

(defrule SYMPTOMS::pl-explains
  "The rules of the pipeline account for its waiting, its overhead per item, and stages that are done early."
  (pattern (run ?r) (name "pipeline") (id ?p))
  =>
  (assert (explained (run ?r) (pattern ?p) (loss waiting))
          (explained (run ?r) (pattern ?p) (loss ends))
          (explained (run ?r) (pattern ?p) (loss grain))
          (explained (run ?r) (pattern ?p) (loss transfer))))

(defrule SYMPTOMS::pl-ask-efficiency
  "A pipeline is judged by the time that its stages work on items."
  (pattern (run ?r) (name "pipeline") (id ?p))
  =>
  (pl-ask ?r ?p 1 "see how busy the stages are, and what filling and draining cost"
          (create$ "run.efficiency" "run.stages" "run.items" "run.lost" "run.fills" "run.bubble"
                   "run.fill_drain" "run.fill_drain_share" "run.slowest" "run.balance"
                   "stage.service" "stage.busy_share" "run.rate" "run.rate_bound")))

(defrule SYMPTOMS::pl-low-efficiency
  "The stages spend much of the run not working on items."
  (metric (run ?r) (pattern ?p) (name "run.efficiency") (value ?e&:(< ?e ?*efficiency-acceptable*)))
  (pattern (run ?r) (name "pipeline") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.stages") (value ?stages))
  (metric (run ?r) (pattern ?p) (name "run.items") (value ?items))
  =>
  (assert (finding (kind symptom) (name low-pipeline-efficiency) (run ?r) (pattern ?p)
                   (lost ?lost) (level 1)
                   (text (text "The {n} stages work on their {n} items for {%} of the run on average; {s} of their time are lost."
                               ?stages ?items ?e ?lost)))))

(defrule SYMPTOMS::pl-good-efficiency
  "The stages work on items nearly all the time."
  (metric (run ?r) (pattern ?p) (name "run.efficiency") (value ?e&:(>= ?e ?*efficiency-acceptable*)))
  (pattern (run ?r) (name "pipeline") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.stages") (value ?stages))
  (metric (run ?r) (pattern ?p) (name "run.items") (value ?items))
  (metric (run ?r) (pattern ?p) (name "run.bubble") (value ?bubble))
  =>
  (assert (finding (kind observation) (name good-pipeline-efficiency) (run ?r) (pattern ?p)
                   (healthy yes) (level 1)
                   (text (text "The {n} stages work on their {n} items for {%} of the run on average; filling and draining must cost {%} with so many stages and items."
                               ?stages ?items ?e ?bubble)))))

(defrule SYMPTOMS::pl-fill-drain
  "What filling and draining cost is told; with enough items it is how a pipeline works."
  (pattern (run ?r) (name "pipeline") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.bubble") (value ?bubble&:(< ?bubble ?*bubble-large*)))
  (metric (run ?r) (pattern ?p) (name "run.fill_drain") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.fill_drain_share") (value ?share))
  (metric (run ?r) (pattern ?p) (name "run.stages") (value ?stages))
  (metric (run ?r) (pattern ?p) (name "run.items") (value ?items))
  (metric (run ?r) (pattern ?p) (name "run.fills") (value ?fills))
  =>
  (assert (finding (kind observation) (name fill-and-drain) (run ?r) (pattern ?p) (lost ?lost)
                   (healthy yes) (level 1)
                   (text (text "Filling and draining cost {s}, {%} of the stages' time. With {n} items, {n} stages and {n} times filled, equal stages would lose (P - 1) / (M + P - 1) = {%}."
                               ?lost ?share ?items ?stages ?fills ?bubble)))))

;; ---- level 2: where the stages wait ------------------------------------------------------------

(defrule REFINE::pl-ask-waits
  "Lost time is split into filling, starving, being held, and transfer."
  (finding (kind symptom) (name low-pipeline-efficiency) (run ?r) (pattern ?p))
  =>
  (pl-ask ?r ?p 2 "see which stages starve, which are held, and how long each takes per item"
          (create$ "stage.fill" "stage.drain" "stage.starved" "stage.blocked" "stage.ran_ahead"
                   "stage.waited" "stage.position" "run.waiting" "run.waiting_share" "run.others"
                   "run.transferring" "run.transfer_share" "run.overhead" "run.grain"
                   "stage.relative" "run.after" "run.after_share" "stage.rest")))

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
                   (culprits ?b) (level 2) (where (str-cat "location " ?b))
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
  (if (>= (pl-part ?sum ?lost) ?*part-told*)
   then
   (assert (finding (kind observation) (name starvation) (run ?r) (pattern ?p)
                    (locations (rest$ ?side)) (culprits ?b) (lost ?sum)
                    (share (pl-part ?sum ?lost)) (level 2)
                    (text (text "Behind stage {}, stages {} starve: they wait {s} in receives for items (late sender)."
                                ?b (location-list (rest$ ?side)) ?sum))))))

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
  (if (>= (pl-part (+ ?held ?ahead) ?lost) ?*part-told*)
   then
   (assert (finding (kind observation) (name back-pressure) (run ?r) (pattern ?p)
                    (locations (rest$ ?side)) (culprits ?b) (lost (+ ?held ?ahead))
                    (share (pl-part (+ ?held ?ahead) ?lost)) (level 2)
                    (text (str-cat
                      (text "Before stage {}, stages {} feel back-pressure: " ?b
                            (location-list (rest$ ?side)))
                      (if (> ?held 0.0)
                       then (text "{s} held in sends until it receives (late receiver)" ?held)
                       else "")
                      (if (and (> ?held 0.0) (> ?ahead 0.0)) then ", " else "")
                      (if (> ?ahead 0.0)
                       then (text "{s} done early because they ran ahead" ?ahead)
                       else "")
                      "."))))))

(defrule CAUSES::pl-too-few-items
  "There are too few items for so many stages."
  (finding (kind symptom) (name low-pipeline-efficiency) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.bubble") (value ?bubble&:(>= ?bubble ?*bubble-large*)))
  (metric (run ?r) (pattern ?p) (name "run.fill_drain_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.fill_drain") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.stages") (value ?stages))
  (metric (run ?r) (pattern ?p) (name "run.items") (value ?items))
  (metric (run ?r) (pattern ?p) (name "run.fills") (value ?fills))
  =>
  (bind ?per (/ ?items ?fills))
  (bind ?wanted (integer (+ 0.999999 (* (- ?stages 1) (- (/ 1.0 ?*bubble-good*) 1.0)))))
  (bind ?parts (max 2 (integer (+ 0.999999 (/ ?wanted (max 1.0 ?per))))))
  (bind ?gain (/ (* ?lost (- 1.0 (/ 1.0 ?parts))) ?stages))
  (assert (finding (kind cause) (name too-few-items) (run ?r) (pattern ?p)
                   (locations (pl-slow ?r ?p 0.0)) (lost ?lost) (share (pl-part ?lost ?all))
                   (gain ?gain) (level 2)
                   (text (text "There are too few items for {n} stages: filling and draining cost {s}, {%} of the stages' time, with {n} items per filling. Equal stages would lose (P - 1) / (M + P - 1) = {%}."
                               ?stages ?lost ?share ?per ?bubble))
                   (remedy (text "Split each item into {n} parts, so that {n} or more flow through per filling{}; up to {s} of run time as long as a part is worth its messages."
                                 ?parts ?wanted
                                 (if (> ?fills 1.0) then ", and let the next batch in before the last one is out" else "")
                                 ?gain)))))

(defrule CAUSES::pl-after
  "When the last item is done, some stage goes on alone."
  (finding (kind symptom) (name low-pipeline-efficiency) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.after_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.after") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.stages") (value ?stages))
  (metric (run ?r) (pattern ?p) (name "stage.rest") (location ?who) (value ?rest) (rank 1))
  =>
  (assert (finding (kind cause) (name work-after-pipeline) (run ?r) (pattern ?p)
                   (locations (pl-slow ?r ?p 0.0)) (culprits ?who) (lost ?lost)
                   (share (pl-part ?lost ?all)) (gain (/ ?lost ?stages)) (level 2) (confidence 0.7)
                   (where (str-cat "location " ?who))
                   (text (text "When the last item is done the run goes on, and the stages idle for {s} ({%} of their time). Stage {} computes most that is not work on items: {s}."
                               ?lost ?share ?who ?rest))
                   (remedy (text "Let the stages share what stage {} does outside the pipeline, or do it while items flow; up to {s} of run time."
                                 ?who (/ ?lost ?stages))))))

;; ---- level 3: why they wait ---------------------------------------------------------------------

(defrule REFINE::pl-ask-items
  "Waiting behind the first item comes from stages or from items that differ."
  (finding (kind symptom) (name low-pipeline-efficiency) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.waiting_share") (value ?share&:(>= ?share ?*significant*)))
  =>
  (pl-ask ?r ?p 3 "tell slow stages from items that differ"
          (create$ "stage.spread" "stage.drift" "stage.queued" "stage.delayed")))

(defrule CAUSES::pl-slow-stage
  "The other stages wait because one takes longer per item."
  (finding (kind observation) (name slowest-stage) (run ?r) (pattern ?p) (locations ?b))
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
  (bind ?gain (* ?items (max 0.0 (- ?sb ?after))))
  (bind ?names (location-list ?slow))
  (bind ?others (create$))
  (do-for-all-facts ((?f role))
    (and (eq ?f:run ?r) (eq ?f:pattern ?p) (eq ?f:name "stage") (not (member$ ?f:location ?slow)))
    (bind ?others (create$ ?others ?f:location)))
  (assert (finding (kind cause) (name slow-stage) (run ?r) (pattern ?p)
                   (locations ?others) (culprits ?slow) (lost ?cost) (share (pl-part ?cost ?lost))
                   (gain ?gain) (level 3) (where (str-cat "location " ?b))
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
                   (remedy (text "Split stage {} into {n} stages of {s}, or replicate it {n} times and deal out the items in turn; the next limit then is {s} per item, which saves {s} of run time by the model ({n} items, {s} less each). Without more processes, move work from it to its neighbours: {s} per item for each stage would be even."
                                 ?names ?copies (/ ?sb ?copies) ?copies ?after ?gain ?items
                                 (max 0.0 (- ?sb ?after)) (* ?balance ?sb))))))

(defrule CAUSES::pl-uneven
  "Stages wait more than their times per item explain: items differ, and nothing evens that out."
  (finding (kind symptom) (name low-pipeline-efficiency) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.waiting") (value ?waiting))
  (metric (run ?r) (pattern ?p) (name "run.waiting_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.slowest") (value ?sb))
  (metric (run ?r) (pattern ?p) (name "run.items") (value ?items))
  (metric (run ?r) (pattern ?p) (name "run.stages") (value ?stages))
  (metric (run ?r) (pattern ?p) (name "run.balance") (value ?balance))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  (run (id ?r) (duration ?t))
  (test (>= (- ?waiting (pl-mismatch ?stages ?items ?sb ?balance)) (* ?*significant* ?stages ?t)))
  (metric (run ?r) (pattern ?p) (name "stage.spread") (location ?uneven) (value ?cv) (rank 1))
  (metric (run ?r) (pattern ?p) (name "stage.drift") (location ?worse) (value ?drift) (rank 1))
  =>
  (bind ?cost (- ?waiting (pl-mismatch ?stages ?items ?sb ?balance)))
  (bind ?gain (/ ?cost ?stages))
  (if (>= ?drift ?*outlier*)
   then
   (assert (finding (kind cause) (name degrading-stage) (run ?r) (pattern ?p) (locations ?worse)
                    (culprits ?worse) (lost ?cost) (share (pl-part ?cost ?lost)) (gain ?gain)
                    (level 3) (confidence 0.7) (where (str-cat "location " ?worse))
                    (text (text "Stage {} gets slower: {.1} times as long per item in the second half of its items as in the first. The stages wait {s} more than their mean times per item explain."
                                ?worse ?drift ?cost))
                    (remedy (text "See what grows in stage {} from item to item (lists that are searched, memory, files); up to {s} of run time." ?worse ?gain))))
   else
   (assert (finding (kind cause) (name uneven-items) (run ?r) (pattern ?p)
                    (locations (pl-slow ?r ?p 0.0)) (lost ?cost) (share (pl-part ?cost ?lost))
                    (gain ?gain) (level 3)
                    (confidence (if (>= ?cv ?*unequal-tasks*) then 0.8 else 0.6))
                    (text (text "The stages wait {s} more than their mean times per item explain: an item that takes long in one stage holds up all others, and nothing is buffered between them. Times differ most in stage {} (coefficient of variation {.2})."
                                ?cost ?uneven ?cv))
                    (remedy (text "Put buffers between the stages: MPI_Isend for some items ahead instead of MPI_Ssend or large blocking sends, MPI_Irecv posted early; or split the longest items; up to {s} of run time." ?gain))))))

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
                   (locations (pl-slow ?r ?p 0.0)) (lost ?lost) (share (pl-part ?lost ?all))
                   (gain ?gain) (level 3)
                   (text (text "Items are too small: a stage computes {s} on one, and moving it in and out costs {s} beyond waiting; {s} in all."
                               ?g ?o ?lost))
                   (remedy (text "Send {n} items in one message, so that computation is {n} times the overhead; up to {s} of run time."
                                 ?together (integer ?*grain-good*) ?gain)))))

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
                   (locations (pl-slow ?r ?p 0.0)) (lost ?lost) (share (pl-part ?lost ?all))
                   (gain (/ ?lost ?stages)) (level 3) (confidence 0.7)
                   (text (text "Moving items takes {s} per item and stage beyond waiting, {s} in all; a stage computes {s} on one."
                               ?o ?lost ?g))
                   (remedy (text "Overlap: post the receive of the next item (MPI_Irecv) before working on this one, and give it on with MPI_Isend; up to {s} of run time."
                                 (/ ?lost ?stages))))))

;; Several runs of one program with different numbers of processes (facts `scaling`). What a pattern
;; expects of a larger run by its own model stands in the pattern's file and comes as facts
;; `expectation`; here is what holds for all programs:
;;
;;   observation   how much faster the larger run is, and by which factor its efficiency falls
;;   expectation   the run time if it stayed as efficient as the smaller run, where no pattern has a model
;;   observation   which cause takes over between the two
;;
;; What these rules conclude is about the larger run. Facts `scaling` connect runs that represent
;; their groups, next to each other in size, and the smallest with each.

(deffunction MAIN::scaling-pattern (?run)
  "Id of the pattern that the run as a whole shows, as its scaling is that of the pattern."
  (bind ?found "message-passing")
  (do-for-all-facts ((?p pattern))
    (and (eq ?p:run ?run) (eq ?p:scope "world") (neq ?p:name "message-passing"))
    (bind ?found ?p:id))
  ?found)

(deffunction MAIN::scaling-severity (?run ?name)
  "What the causes of a name cost, as a share of the process time of a run."
  (bind ?lost 0.0)
  (bind ?all 0.0)
  (do-for-all-facts ((?f finding))
    (and (eq ?f:run ?run) (eq ?f:kind cause) (eq ?f:name ?name) (> ?f:lost 0.0))
    (bind ?lost (+ ?lost ?f:lost)))
  (do-for-all-facts ((?r run)) (eq ?r:id ?run)
    (bind ?all (* ?r:locations ?r:duration)))
  (if (> ?all 0.0) then (min 1.0 (/ ?lost ?all)) else 0.0))

(deffunction MAIN::scaling-growth (?from ?to ?name)
  (- (scaling-severity ?to ?name) (scaling-severity ?from ?name)))

(deffunction MAIN::scaling-takes-over (?from ?to)
  "The cause of the larger run that has grown most, if that is significant; else the symbol nothing."
  (bind ?most ?*significant*)
  (bind ?found nothing)
  (do-for-all-facts ((?f finding))
    (and (eq ?f:run ?to) (eq ?f:kind cause) (> ?f:lost 0.0))
    (bind ?growth (scaling-growth ?from ?to ?f:name))
    (if (>= ?growth ?most) then
      (bind ?most ?growth)
      (bind ?found ?f:name)))
  ?found)

;; ---- how it scales ------------------------------------------------------------------------------

(defrule ADVISE::scaling-strong
  "The same work with more processes: the run should be faster by as many as compute."
  (last-call (run ?f))
  (last-call (run ?t))
  (scaling (from ?f) (to ?t) (kind strong) (is-next yes) (from-processes ?pf)
           (to-processes ?pt) (from-computing ?cf) (to-computing ?ct) (work-ratio ?work)
           (duration-from ?df) (duration-to ?dt))
  ;; There workers count, not processes.
  (not (scaling-of (from ?f) (to ?t) (name "master-worker")))
  (metric (run ?f) (pattern "message-passing") (name "run.parallel_efficiency") (value ?ef))
  (metric (run ?t) (pattern "message-passing") (name "run.parallel_efficiency") (value ?et))
  =>
  (bind ?speed-up (/ ?df ?dt))
  (bind ?ideal (/ ?ct ?cf))
  (assert (finding (kind observation) (name strong-scaling) (run ?t) (pattern (scaling-pattern ?t))
                   (healthy (if (>= ?speed-up (* ?*efficiency-acceptable* ?ideal)) then yes else no))
                   (level 1)
                   (text (text "Strong scaling: with {n} instead of {n} processes, of which {n} instead of {n} compute, the run takes {s} instead of {s}: {.2} times as fast, where {.2} times would be as efficient. Parallel efficiency is {%} instead of {%}."
                               ?pt ?pf ?ct ?cf ?dt ?df ?speed-up ?ideal ?et ?ef)))))

(defrule ADVISE::scaling-weak
  "As many times the work as processes: the run should take as long."
  (last-call (run ?f))
  (last-call (run ?t))
  (scaling (from ?f) (to ?t) (kind weak) (is-next yes) (from-processes ?pf)
           (to-processes ?pt) (work-ratio ?work) (duration-from ?df) (duration-to ?dt))
  (metric (run ?f) (pattern "message-passing") (name "run.parallel_efficiency") (value ?ef))
  (metric (run ?t) (pattern "message-passing") (name "run.parallel_efficiency") (value ?et))
  =>
  (assert (finding (kind observation) (name weak-scaling) (run ?t) (pattern (scaling-pattern ?t))
                   (healthy (if (>= (/ ?df ?dt) ?*efficiency-acceptable*) then yes else no))
                   (level 1)
                   (text (text "Weak scaling: with {n} instead of {n} processes and {.2} times the computation the run takes {s} instead of {s}. Parallel efficiency is {%} instead of {%}. If the work was meant to be the same, the processes share cores, or compute some of it several times."
                               ?pt ?pf ?work ?dt ?df ?et ?ef)))))

(defrule ADVISE::scaling-unclear
  "Neither the same work nor the same per process: only efficiencies can be compared."
  (last-call (run ?f))
  (last-call (run ?t))
  (scaling (from ?f) (to ?t) (kind unclear) (is-next yes) (from-processes ?pf)
           (to-processes ?pt) (work-ratio ?work) (duration-from ?df) (duration-to ?dt))
  ;; There tasks are compared.
  (not (scaling-of (from ?f) (to ?t) (name "master-worker")))
  (metric (run ?f) (pattern "message-passing") (name "run.parallel_efficiency") (value ?ef))
  (metric (run ?t) (pattern "message-passing") (name "run.parallel_efficiency") (value ?et))
  =>
  (assert (finding (kind observation) (name unclear-scaling) (run ?t)
                   (pattern (scaling-pattern ?t)) (level 1)
                   (text (text "With {n} instead of {n} processes the run takes {s} instead of {s} and computes {.2} times as long in all: neither the same work nor the same per process, so that the run times cannot be compared as they are. Parallel efficiency is {%} instead of {%}."
                               ?pt ?pf ?dt ?df ?work ?et ?ef)))))

(defrule REFINE::scaling-factors
  "Where efficiency falls, its factors tell why: balance, dependencies, transfer."
  (scaling (from ?f) (to ?t) (is-next yes) (from-processes ?pf) (to-processes ?pt))
  (metric (run ?f) (pattern "message-passing") (name "run.parallel_efficiency") (value ?ef))
  (metric (run ?t) (pattern "message-passing") (name "run.parallel_efficiency")
          (value ?et&:(<= ?et (- ?ef ?*significant*))))
  (metric (run ?f) (pattern "message-passing") (name "run.load_balance") (value ?lf))
  (metric (run ?t) (pattern "message-passing") (name "run.load_balance") (value ?lt))
  (metric (run ?f) (pattern "message-passing") (name "run.serialisation_efficiency") (value ?sf))
  (metric (run ?t) (pattern "message-passing") (name "run.serialisation_efficiency") (value ?st))
  (metric (run ?f) (pattern "message-passing") (name "run.transfer_efficiency") (value ?tf))
  (metric (run ?t) (pattern "message-passing") (name "run.transfer_efficiency") (value ?tt))
  =>
  (assert (finding (kind observation) (name efficiency-falls) (run ?t)
                   (pattern "message-passing") (level 2)
                   (text (text "From {n} to {n} processes parallel efficiency falls from {%} to {%}: load balance from {%} to {%}, serialisation efficiency from {%} to {%}, transfer efficiency from {%} to {%}."
                               ?pf ?pt ?ef ?et ?lf ?lt ?sf ?st ?tf ?tt)))))

;; ---- what was expected ----------------------------------------------------------------------------

(defrule ADVISE::scaling-expect
  "Where no pattern has a model, a run is expected to stay as efficient as the smaller one."
  (last-call (run ?f))
  (last-call (run ?t))
  (scaling (from ?f) (to ?t) (from-processes ?pf) (to-processes ?pt) (from-computing ?cf)
           (to-computing ?ct) (work-ratio ?work) (duration-from ?df) (duration-to ?dt))
  (not (expectation (from ?f) (to ?t) (quantity "run time")))
  (test (and (> ?cf 0) (> ?ct 0)))
  =>
  (assert (expectation (from ?f) (to ?t) (pattern (scaling-pattern ?t)) (quantity "run time")
                       (unit "s") (expected (* ?df ?work (/ ?cf ?ct))) (measured ?dt)
                       (model (text "as efficient as with {n} processes: {s}, times {.2} for the computation of all, times {n} / {n} for the processes that compute"
                                    ?pf ?df ?work ?cf ?ct)))))

;; ---- which cause takes over -------------------------------------------------------------------------

(defrule ADVISE::scaling-cause-takes-over
  "The cause whose share of the process time grows most from one number of processes to the next."
  (last-call (run ?f))
  (last-call (run ?t))
  (scaling (from ?f) (to ?t) (is-next yes) (from-processes ?pf) (to-processes ?pt))
  (finding (kind cause) (run ?t) (name ?n) (pattern ?p) (lost ?l&:(> ?l 0.0)))
  (not (finding (kind cause) (run ?t) (name ?n) (lost ?m&:(> ?m ?l))))
  (test (eq ?n (scaling-takes-over ?f ?t)))
  =>
  (assert (finding (kind observation) (name cause-takes-over) (run ?t) (pattern ?p) (level 1)
                   (text (text "From {n} to {n} processes {} {}: it costs {%} of the process time instead of {%}."
                               ?pf ?pt ?n
                               (if (< (scaling-severity ?f ?n) ?*significant*) then "takes over" else "grows most")
                               (scaling-severity ?t ?n) (scaling-severity ?f ?n))))))

(defrule ADVISE::scaling-no-cause-takes-over
  "No cause costs significantly more with more processes."
  (last-call (run ?f))
  (last-call (run ?t))
  (scaling (from ?f) (to ?t) (is-next yes) (from-processes ?pf) (to-processes ?pt))
  (test (eq nothing (scaling-takes-over ?f ?t)))
  =>
  (assert (finding (kind observation) (name no-cause-takes-over) (run ?t)
                   (pattern (scaling-pattern ?t)) (healthy yes) (level 1)
                   (text (text "From {n} to {n} processes no cause takes over: none costs {%} of the process time more."
                               ?pf ?pt ?*significant*)))))

;; Nesting (Li & Malony, section 6): what one pattern sees as computation is another pattern inside.
;; A worker that is late may be late because its group has a problem of its own; then the cause is
;; inside, which also causes the loss outside. The engine says in `nested` what is inside
;; of what, and takes a finding named explained-inside as the link from the outer to the inner one.

;; ---- by how much a location takes longer than others of its role ------------------------------

(defrule SYMPTOMS::composition-workers
  "Workers whose tasks are computed by patterns inside: these rules say by how much one is slower than the others."
  (pattern (run ?r) (name "master-worker" | "static-deal") (id ?o))
  (exists (nested (run ?r) (outer ?o)))
  =>
  (assert (excess-known (run ?r) (pattern ?o))))

(defrule REFINE::composition-worker-excess
  "What a worker computes beyond the median of the workers, for as many tasks."
  (nested (run ?r) (outer ?o) (location ?w))
  (metric (run ?r) (pattern ?o) (name "worker.excess_work") (location ?w) (value ?s&:(> ?s 0.0)))
  =>
  (assert (excess (run ?r) (pattern ?o) (location ?w) (seconds ?s))))

(defrule REFINE::composition-gain-as-excess
  "Where nothing better is known, what the remedy of the outer finding would save."
  (finding (kind cause) (run ?r) (pattern ?o) (culprits ?w) (gain ?gain&:(> ?gain 0.0)))
  (nested (run ?r) (outer ?o) (location ?w))
  (not (excess-known (run ?r) (pattern ?o)))
  =>
  (assert (excess (run ?r) (pattern ?o) (location ?w) (seconds ?gain))))

;; ---- the outer finding and the inner cause ------------------------------------------------------

(defrule ADVISE::composition-explained
  "A location is blamed, its work is a pattern of its own, and a cause in there accounts for it; other groups have no such cause."
  (nested (run ?r) (outer ?o) (inner ?i) (location ?w))
  (excess (run ?r) (pattern ?o) (location ?w) (seconds ?excess))
  (finding (kind cause) (name ?inner) (run ?r) (pattern ?i) (culprits $?who)
           (gain ?gain&:(>= ?gain (* ?*inner-accounts* ?excess))))
  (finding (name ?outer&~explained-inside) (run ?r) (pattern ?o) (culprits ?w) (healthy no))
  (pattern (run ?r) (id ?i) (scope ?where))
  (not (and (nested (run ?r) (outer ?o) (inner ?other&~?i))
            (finding (kind cause) (run ?r) (pattern ?other)
                     (gain ?like&:(> ?like (- ?gain (* ?*inner-accounts* ?excess)))))))
  =>
  (assert (finding (kind observation) (name explained-inside) (run ?r) (pattern ?o)
                   (locations ?w) (level 3) (healthy yes)
                   (text (text "Process {} takes {s} longer than the others ({}) because, inside {}, there is a cause of its own: {}{}. Its remedy saves up to {s} there, {%}."
                               ?w ?excess ?outer ?where ?inner
                               (if (= (length$ ?who) 0) then ""
                                else (text ", process {}" (location-list ?who)))
                               ?gain (min 1.0 (/ ?gain ?excess)))))))

(defrule ADVISE::composition-general
  "The general rules blame a location that is blamed by a cause inside of a part, which says more."
  (finding (kind cause) (name ?inner) (run ?r) (pattern ?i&~"message-passing") (culprits ?c)
           (lost ?lost&:(> ?lost 0.0)))
  (exists (nested (run ?r) (inner ?i)))
  (finding (kind cause) (name ?outer) (run ?r) (pattern "message-passing") (culprits ?c))
  (pattern (run ?r) (id ?i) (scope ?where))
  =>
  (assert (finding (kind observation) (name explained-inside) (run ?r)
                   (pattern "message-passing") (locations ?c) (level 3) (healthy yes)
                   (text (text "Process {} is blamed ({}) for what it does inside {}: {}."
                               ?c ?outer ?where ?inner)))))

(defrule ADVISE::composition-phase
  "The general rules blame somebody for waiting of which a cause in one phase accounts for the most, and says more."
  (finding (kind cause) (name ?inner) (run ?r) (pattern ?i&~"message-passing") (culprits $? ?c $?)
           (lost ?lost&:(> ?lost 0.0)))
  (pattern (run ?r) (id ?i) (scope ?where&~"world"))
  (not (nested (run ?r) (inner ?i)))
  (finding (kind cause) (name ?outer) (run ?r) (pattern "message-passing") (culprits ?c)
           (lost ?all&:(<= (* ?*accounted-least* ?all) ?lost)))
  =>
  (assert (finding (kind observation) (name explained-inside) (run ?r)
                   (pattern "message-passing") (locations ?c) (level 3) (healthy yes)
                   (text (text "Process {} is blamed ({}) for what it does in one part of the run ({}): {}."
                               ?c ?outer ?where ?inner)))))

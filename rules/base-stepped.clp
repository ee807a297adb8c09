;; What bulk-synchronous and geometric-decomposition have in common: all compute and then wait for one another, step
;; by step. Their own rules say who is late, and what to call it; these classify the waiting for which nobody is
;; to blame in particular. Metrics are called as the pattern calls its processes.

(deftemplate MAIN::stepped-late
  "Waiting goes back to a process that computes longer than the others."
  (slot run (type STRING)) (slot pattern (type STRING)) (slot location (type STRING))
  (slot cost (type FLOAT)))

(deftemplate MAIN::stepped-rest
  "Waiting for which no single process is to blame."
  (slot run (type STRING)) (slot pattern (type STRING)) (slot role (type STRING)) (slot wait (type FLOAT)))

(deftemplate MAIN::stepped-kind
  "Why processes wait although no single one is to blame."
  (slot run (type STRING)) (slot pattern (type STRING)) (slot role (type STRING)) (slot wait (type FLOAT))
  (slot kind (type SYMBOL) (allowed-symbols static moving noise even unknown)))

(deftemplate MAIN::stepped-grain
  "Operations or exchanges are too frequent: they cost more than the computation between them. Their waiting counts to them."
  (slot run (type STRING)) (slot pattern (type STRING)) (slot wait (type FLOAT)))

(deftemplate MAIN::stepped-unsure
  "The trace does not show which part of collectives is waiting."
  (slot run (type STRING)) (slot pattern (type STRING)) (slot why (type STRING)))

(deffunction MAIN::stepped-blamed (?run ?pattern)
  "Seconds of waiting that go back to late processes."
  (bind ?sum 0.0)
  (do-for-all-facts ((?f stepped-late)) (and (eq ?f:run ?run) (eq ?f:pattern ?pattern))
    (bind ?sum (+ ?sum ?f:cost)))
  ?sum)

(deffunction MAIN::stepped-hidden-wait (?run ?pattern)
  "Seconds in calls whose waiting the trace does not tell, if nobody is suspected of it."
  (if (> (length$ (locations-from ?run ?pattern "subdomain.relative" ?*heavy*)) 0) then 0.0
   else (metric-value ?run ?pattern "run.unsplit" "" 0.0)))

(defrule SYMPTOMS::stepped-explains
  "The rules below account for waiting, for moving data and for the grain; ends of processes are left."
  (pattern (run ?r) (name "bulk-synchronous" | "geometric-decomposition") (id ?p))
  =>
  (foreach ?loss (create$ waiting transfer grain)
    (assert (explained (run ?r) (pattern ?p) (loss ?loss)))))

(defrule REFINE::stepped-unbounded-clocks
  "Nothing is known about the error of some clocks."
  (declare (salience 10)) ; before somebody is found late
  (finding (kind symptom) (name low-phase-efficiency | low-subdomain-efficiency) (run ?r) (pattern ?p))
  (exists (quality (run ?r) (note "clock-one-sided" | "clock-unconnected")))
  =>
  (assert (stepped-unsure (run ?r) (pattern ?p)
                      (why "no bound is known for the error of some clocks"))))

(defrule CAUSES::stepped-kind-by-steps
  "The waiting that is left is split by how computation changes from step to step."
  (stepped-rest (run ?r) (pattern ?p) (role ?role) (wait ?rest))
  (not (stepped-late (run ?r) (pattern ?p)))
  (metric (run ?r) (pattern ?p) (name "run.static_cost") (value ?static))
  (metric (run ?r) (pattern ?p) (name "run.step_cost") (value ?cost))
  (metric (run ?r) (pattern ?p) (name "run.step_kept") (value ?kept))
  (metric (run ?r) (pattern ?p) (name "run.step_order") (value ?order))
  (metric (run ?r) (pattern ?p) (name "run.step_same") (value ?same))
  =>
  (assert (stepped-kind (run ?r) (pattern ?p) (role ?role) (wait ?rest)
                    (kind (kind-of-steps ?rest ?static ?cost ?kept ?order ?same)))))

(defrule CAUSES::stepped-kind-by-totals
  "Without common steps only totals of computation can be compared."
  (stepped-rest (run ?r) (pattern ?p) (role ?role) (wait ?rest))
  (not (stepped-late (run ?r) (pattern ?p)))
  (metric (run ?r) (pattern ?p) (name "run.static_cost") (value ?static))
  (not (metric (run ?r) (pattern ?p) (name "run.step_kept")))
  (metric (run ?r) (pattern ?p) (name "member.relative" | "subdomain.relative") (rank 1) (value ?relative))
  =>
  (assert (stepped-kind (run ?r) (pattern ?p) (role ?role) (wait ?rest)
                    (kind (if (and (>= (* 2.0 ?static) ?rest) (>= ?relative ?*heavy*))
                           then static else unknown)))))

(defrule ADVISE::stepped-other-waiting
  "What waiting is left beside that for late processes."
  (stepped-rest (run ?r) (pattern ?p) (role ?role) (wait ?rest))
  (exists (stepped-late (run ?r) (pattern ?p)))
  =>
  (assert (finding (kind observation) (name other-waiting) (run ?r) (pattern ?p) (lost ?rest)
                   (level 3)
                   (text (text "Another {s} of waiting go back to several {}. Diagnose again when the {} ones are lighter: they hide what else there is."
                               ?rest (if (eq ?role "member") then "processes" else "subdomains")
                               (if (eq ?role "member") then "late" else "heavy"))))))

(defrule ADVISE::stepped-moving
  "Some processes have more to do for a number of steps, then others."
  (not (in-turn (run ?r)))
  (stepped-kind (run ?r) (pattern ?p) (role ?role) (wait ?rest) (kind moving))
  (metric (run ?r) (pattern ?p) (name "run.step_count") (value ?steps))
  (metric (run ?r) (pattern ?p) (name "run.step_cost") (value ?cost))
  (metric (run ?r) (pattern ?p) (name "run.step_kept") (value ?kept))
  (metric (run ?r) (pattern ?p) (name "run.step_order") (value ?order))
  (metric (run ?r) (pattern ?p) (name "run.step_same") (value ?same))
  (metric (run ?r) (pattern ?p) (name "run.step_growth") (value ?growth))
  (metric (run ?r) (pattern ?p) (name "run.members" | "run.subdomains") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  =>
  (bind ?claim (min (+ ?rest (stepped-hidden-wait ?r ?p)) ?cost))
  (assert (finding (kind cause) (name moving-work) (run ?r) (pattern ?p)
                   (headline (text "The load moves from rank to rank: in each of {n} steps some compute longer, and the others wait, {s} in all."
                                   ?steps ?claim))
                   (fix "Balance the load while the program runs, by the computation measured in the last steps.")
                   (gain-kind even-out)
                   (lost ?claim) (share (min 1.0 (/ ?claim ?lost))) (level 3) (confidence 0.8)
                   (gain (/ ?claim ?n)) (what-if (str-cat "compute(" ?role ")=even"))
                   (text (text "The load moves: in each of {n} steps somebody computes longer than the others, {s} of waiting in all, but only {%} of that is left when the steps are added up. The steps before say which process is heaviest in {%} of the cases (rank correlation of neighbouring steps {.2}), so it is no noise; the imbalance of a step changes by {.2} from the first to the last quarter."
                               ?steps ?claim ?kept ?same ?order ?growth))
                   (remedy (text "Balance while the program runs, by the computation measured in the last steps: a step loses {s} of run time, so balancing pays whenever it costs less than that times the steps until the next one."
                                 (/ ?claim (* ?n (max 1.0 ?steps))))))))

(defrule ADVISE::stepped-noise
  "In each step another process takes longer: nobody is to blame."
  (not (in-turn (run ?r)))
  (stepped-kind (run ?r) (pattern ?p) (role ?role) (wait ?rest) (kind noise))
  (not (stepped-grain (run ?r) (pattern ?p)))
  (metric (run ?r) (pattern ?p) (name "run.step_count") (value ?steps))
  (metric (run ?r) (pattern ?p) (name "run.step_cost") (value ?cost))
  (metric (run ?r) (pattern ?p) (name "run.step_kept") (value ?kept))
  (metric (run ?r) (pattern ?p) (name "run.step_order") (value ?order))
  (metric (run ?r) (pattern ?p) (name "run.members" | "run.subdomains") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.member_time" | "run.domain_time") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  =>
  (bind ?claim (min (+ ?rest (stepped-hidden-wait ?r ?p)) ?cost))
  (assert (finding (kind (if (>= ?claim (* ?*noise-large* ?all)) then cause else observation)) (name noise) (run ?r) (pattern ?p)
                   (headline (text "In each of {n} steps another rank is late, without any order; the others wait {s}. No rank is to blame."
                                   ?steps ?claim))
                   (fix "Synchronise less often; bind ranks to cores and leave one core to the system.")
                   (gain-kind even-out)
                   (lost ?claim) (share (min 1.0 (/ ?claim ?lost))) (level 3) (confidence 0.7)
                   (gain (/ ?claim ?n)) (what-if (str-cat "compute(" ?role ")=even"))
                   (text (text "In each of {n} steps another process takes longer, without any order (rank correlation {.2}; {%} is left when the steps are added up), and the others wait {s}. That is noise of the machine or chance in the work; nobody is to blame."
                               ?steps ?order ?kept ?claim))
                   (remedy (text "Synchronise less often, so that noise averages out: synchronising in every fourth step halves it (up to {s} of run time). Bind processes to cores, no more of them than cores, and leave one core to the system."
                                 (/ (* 0.5 ?claim) ?n))))))

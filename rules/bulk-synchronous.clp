;; bulk-synchronous: who is late where all meet, and what the meetings cost.
;;
;;   symptom   processes compute less than what is acceptable of their time           (level 1)
;;   |- they are done before the one that computes longest             -> static-imbalance
;;   |- waiting in collective operations                                              (level 2)
;;   |  |- one process causes it, which computes longer                               (level 3)
;;   |  |  |- as root of broadcasts or scatters, mostly                -> serial-root
;;   |  |  `- otherwise                                                -> late-member
;;   |  `- what is left when these are taken off
;;   |     |- the totals of computation differ                         -> static-imbalance
;;   |     |- they do not, and roots of broadcasts are waited for      -> serial-root (in turn)
;;   |     `- they do not: phases are unequal                          -> unequal-phases
;;   |        |- the heavy processes stay heavy for some steps         -> moving-work (base-stepped.clp)
;;   |        `- each step has another one                             -> noise
;;   `- collective operations beyond waiting                           (level 2)
;;      |- little computation between them                             -> frequent-collectives
;;      `- enough                                                      -> slow-collectives
;;
;; KNOWLEDGE.md, bulk-synchronous, asks for the spread of entries per operation. Waits in
;; collectives are that spread, and delay costs say from whom it comes even when a process is late only
;; because it left the operation before late, so they are used instead. An early root of a reduction
;; (early reduce) is no cause: it waits for the same late processes as all others do.
;;
;; The seconds: waits go to late processes by their delay cost, the rest to one of the other causes;
;; what is no wait goes to the last two. So none is claimed twice. Where clocks are not known better
;; than a collective takes (programs without messages), or where parts of collectives are missing,
;; waiting and the rest of them cannot be distinguished: then nothing is said about what they cost, and
;; of a late process the total is, as far as its longer computation accounts for it.
;;
;; A root that is late in a loop of reductions, or a process that is late there, holds up nobody until
;; the end; others end before it. That is imbalance as any other (idle_end), if they compute less.

;; What functions look up.
(deftemplate MAIN::bsp-outside
  "Others wait for a member of a part of the processes that is in calls outside of it meanwhile."
  (slot run (type STRING)) (slot pattern (type STRING)) (slot location (type STRING))
  (slot cost (type FLOAT)))

(deffunction MAIN::bsp-elsewhere (?run ?pattern)
  "Seconds of waiting for members that are in calls outside of the part."
  (bind ?sum 0.0)
  (do-for-all-facts ((?f bsp-outside)) (and (eq ?f:run ?run) (eq ?f:pattern ?pattern))
    (bind ?sum (+ ?sum ?f:cost)))
  ?sum)

(deffunction MAIN::bsp-ends (?run ?pattern ?l ?n)
  "Seconds that others idle at the end because process ?l is not done; 0 where it is not among the last.
   They are of the same fault as the waiting for it in between."
  (bind ?idle (metric-value ?run ?pattern "run.idle_ends" "" 0.0))
  (if (and (>= ?idle (* ?*significant* (metric-value ?run ?pattern "run.member_time" "" 0.0)))
           (<= (* 2.0 (metric-value ?run ?pattern "member.ended_early" ?l 0.0)) (/ ?idle (max 1 (- ?n 1)))))
   then ?idle else 0.0))

(deffunction MAIN::bsp-and-ends (?ends)
  "A sentence about them."
  (if (> ?ends 0.0) then (text " Another {s} they idle at the end, until it is done." ?ends) else ""))

(deffunction MAIN::bsp-times (?work ?cost)
  "How many times the work makes computation outweigh operations, see grain-good."
  (max 2 (integer (+ 0.999 (/ (* ?*grain-good* ?cost) (max ?work 1e-12))))))

;; ---- level 1 -------------------------------------------------------------------------------

(defrule SYMPTOMS::bsp-shape
  "How many phases there are."
  (pattern (run ?r) (name "bulk-synchronous") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.members") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.phases_each") (value ?phases))
  (metric (run ?r) (pattern ?p) (name "run.phase_work") (value ?work))
  =>
  (assert (finding (kind observation) (name phases) (run ?r) (pattern ?p) (healthy yes) (level 1)
                   (text (text "{n} processes compute and synchronise in collective operations: {n} phases each, with {s} of computation in a phase."
                               ?n ?phases ?work)))))

(defrule SYMPTOMS::bsp-low-efficiency
  "Processes spend much of their time outside computation."
  (pattern (run ?r) (name "bulk-synchronous") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.efficiency") (value ?e))
  ;; Members may last a little shorter than the run; what is too little for the run is too little for them.
  (or (test (< ?e ?*efficiency-good*))
      (and (finding (kind symptom) (name low-parallel-efficiency) (run ?r))
           (test (>= ?e ?*efficiency-good*))))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  =>
  (assert (finding (kind symptom) (name low-phase-efficiency) (run ?r) (pattern ?p) (lost ?lost)
                   (level 1)
                   (text (text "Processes compute {%} of their time; {s} are lost." ?e ?lost)))))

(defrule SYMPTOMS::bsp-good-efficiency
  "Processes compute nearly all the time."
  (logical (pattern (run ?r) (name "bulk-synchronous") (id ?p))
           (not (finding (kind symptom) (name low-phase-efficiency) (run ?r) (pattern ?p)))
           (metric (run ?r) (pattern ?p) (name "run.efficiency") (value ?e)))
  (test (>= ?e ?*efficiency-good*))
  =>
  (assert (finding (kind observation) (name good-phase-efficiency) (run ?r) (pattern ?p)
                   (healthy yes) (all-clear yes) (level 1)
                   (text (text "Processes compute {%} of their time." ?e)))))

;; ---- level 2: where the time goes -----------------------------------------------------------

(defrule REFINE::bsp-unsure-clocks
  "Clocks may be wrong by more than a collective takes."
  (declare (salience 10)) ; before somebody is found late
  (pattern (run ?r) (name "bulk-synchronous") (id ?p))
  (exists (finding (kind symptom) (name low-phase-efficiency) (run ?r) (pattern ?p)))
  (metric (run ?r) (pattern ?p) (name "run.clock_error") (value ?error))
  (metric (run ?r) (pattern ?p) (name "run.moving_each") (value ?each&:(< ?each ?error)))
  =>
  (assert (stepped-unsure (run ?r) (pattern ?p)
                      (why (text "clocks may be wrong by {s}, more than the {s} that an operation seems to take"
                                 ?error ?each)))))

(defrule REFINE::bsp-incomplete
  "Many collectives lack the part of some member."
  (declare (salience 10)) ; before somebody is found late
  (finding (kind symptom) (name low-phase-efficiency) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.phases_each") (value ?phases))
  (quality (run ?r) (note "unmatched-collective") (count ?k))
  (test (>= ?k (* ?*incomplete* ?phases)))
  =>
  (assert (stepped-unsure (run ?r) (pattern ?p)
                      (why (text "the trace lacks parts of {n} of them" ?k)))))

(defrule CAUSES::bsp-unsure-cost
  "The trace does not show which part of collectives is waiting."
  (finding (kind symptom) (name low-phase-efficiency) (run ?r) (pattern ?p))
  (stepped-unsure (run ?r) (pattern ?p) (why ?why))
  (not (stepped-unsure (run ?r) (pattern ?p) (why ?w&:(> (str-compare ?w ?why) 0)))) ; one reason is enough
  (metric (run ?r) (pattern ?p) (name "run.moving_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.moving") (value ?moving))
  =>
  (assert (finding (kind observation) (name unsure-collectives) (run ?r) (pattern ?p) (lost ?moving)
                   (level 2)
                   (text (text "Collective operations take {s} beyond the waiting that can be seen, but all of that may be waiting: {}."
                               ?moving ?why)))))

(defrule CAUSES::bsp-done-before
  "Processes are done before the one that computes longest, and nobody waits for it before the end."
  (declare (salience -5)) ; after late-member, which counts the end to the waiting before it
  (finding (kind symptom) (name low-phase-efficiency) (run ?r) (pattern ?p) (lost ?lost))
  (metric (run ?r) (pattern ?p) (name "run.idle_ends") (value ?idle))
  (metric (run ?r) (pattern ?p) (name "run.member_time") (value ?all))
  (test (>= ?idle (* ?*significant* ?all)))
  (metric (run ?r) (pattern ?p) (name "member.relative") (location ?l) (rank 1)
          (value ?relative&:(>= ?relative ?*heavy*)))
  (not (finding (kind cause) (name late-member) (run ?r) (pattern ?p) (culprits $? ?l $?)))
  ;; Whether others wait for it, too, is known when waiting has been traced.
  (not (and (finding (kind observation) (name members-wait) (run ?r) (pattern ?p))
            (not (metric (run ?r) (pattern ?p) (name "member.delay_share")))))
  (metric (run ?r) (pattern ?p) (name "member.excess") (location ?l) (value ?excess))
  (metric (run ?r) (pattern ?p) (name "member.compute_time") (location ?l) (value ?compute))
  (metric (run ?r) (pattern ?p) (name "member.ended_early") (location ?l) (value ?end))
  (metric (run ?r) (pattern ?p) (name "run.members") (value ?n))
  ;; It is among the last, or the run does not last until it is done.
  (test (<= (* 2.0 ?end) (/ ?idle (max 1.0 (- ?n 1.0)))))
  (not (serial (run ?r) (location ?l)))
  =>
  (bind ?heavy (as-heavy-as-any ?r ?p "member.compute_time"))
  (if (not (member$ ?l ?heavy)) then (bind ?heavy (create$ ?l)))
  (assert (finding (kind cause) (name static-imbalance) (run ?r) (pattern ?p) (locations ?heavy) (via ends)
                   (headline (text "{} {.1} times as long as the {}; the others are done before and idle for {s}."
                                   (ranks-compute ?heavy)
                                   (times-the-others ?r ?p "member.compute_time" ?heavy ?relative)
                                   (median-or-others ?heavy) ?idle))
                   (fix (text "Give the others a part of the work of rank {}." ?l))
                   (gain-kind even-out)
                   (culprits ?heavy) (lost ?idle) (share (min 1.0 (/ ?idle ?lost))) (level 2)
                   (gain (/ ?idle ?n)) (functions-of ?l)
                   (what-if (what-if-of "compute" ?heavy "=" even))
                   (text (text "Process {} computes {s} longer than the median ({s}, {.2} times as long), and the run lasts until it is done: the others end before, because they compute less, and are idle for {s}."
                               ?l ?excess ?compute ?relative ?idle))
                   (remedy (text "Give the others a part of the {s} that process {} computes longer, or look there for work that they do not have; with equal computation up to {s} of run time."
                                 ?excess ?l (/ ?idle ?n))))))

(defrule REFINE::bsp-waiting
  "Waiting in collective operations is a significant part of the time."
  (finding (kind symptom) (name low-phase-efficiency) (run ?r) (pattern ?p) (lost ?lost))
  (metric (run ?r) (pattern ?p) (name "run.wait_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.waiting") (value ?wait))
  (metric (run ?r) (pattern ?p) (name "run.wait_all") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.wait_root") (value ?root))
  (metric (run ?r) (pattern ?p) (name "run.wait_ranks") (value ?ranks))
  =>
  (assert (finding (kind observation) (name members-wait) (run ?r) (pattern ?p) (lost ?wait)
                   (share (min 1.0 (/ ?wait ?lost))) (level 2)
                   (text (text "Processes wait {s}, {%} of what they lose: {s} in operations in which all wait for the last one, {s} for roots of broadcasts and scatters, {s} in reductions, gathers and scans."
                               ?wait (/ ?wait ?lost) ?all ?root ?ranks)))))

(deffunction MAIN::bsp-is-outside (?run ?pattern ?l ?excess)
  "Whether a member is in calls outside of its part for at least half of what it seems to compute longer."
  (and (neq ?pattern "bulk-synchronous") ; of all processes nothing is outside
       (>= (* 2.0 (- (metric-value ?run ?pattern "member.compute_time" ?l 0.0)
                     (metric-value ?run "message-passing" "process.compute_time" ?l 1e9)))
           ?excess)))

;; ---- level 3: waiting -------------------------------------------------------------------------

(defrule REFINE::bsp-late
  "A process causes more waiting than its share, and computes long enough for it."
  (finding (kind observation) (name members-wait) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "member.delay_share") (location ?l) (value ?share) (of ?n))
  (metric (run ?r) (pattern ?p) (name "member.delay_cost") (location ?l) (value ?cost))
  (metric (run ?r) (pattern ?p) (name "member.relative") (location ?l) (value ?relative))
  (metric (run ?r) (pattern ?p) (name "member.excess") (location ?l) (value ?excess))
  (test (>= ?share (blame-share ?n)))
  (test (is-heavy ?relative ?excess ?cost ?n))
  (metric (run ?r) (pattern ?p) (name "run.in_collectives_least") (value ?least))
  (metric (run ?r) (pattern ?p) (name "run.moving") (value ?moving))
  (metric (run ?r) (pattern ?p) (name "member.compute_time") (location ?l))
  (or (pattern (run ?r) (id ?p) (scope "world"))
      (metric (run ?r) (pattern "message-passing") (name "process.compute_time") (location ?l)))
  (test (not (bsp-is-outside ?r ?p ?l ?excess)))
  =>
  ;; The shortest time that a process is in collectives is what they cost at most: the rest is waiting,
  ;; which only clocks hide.
  (bind ?hidden 0.0)
  (if (any-factp ((?u stepped-unsure)) (and (eq ?u:run ?r) (eq ?u:pattern ?p)))
   then (bind ?hidden (* ?share (max 0.0 (- ?moving ?least)))))
  (assert (stepped-late (run ?r) (pattern ?p) (location ?l)
                    (cost (max ?cost (min (+ ?cost ?hidden) (* ?excess (max 1 (- ?n 1)))))))))

(defrule REFINE::bsp-late-outside
  "Members wait for one that is in calls with others meanwhile: who is to blame, they do not see."
  (finding (kind observation) (name members-wait) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "member.delay_share") (location ?l) (value ?share) (of ?n))
  (metric (run ?r) (pattern ?p) (name "member.delay_cost") (location ?l) (value ?cost))
  (metric (run ?r) (pattern ?p) (name "member.relative") (location ?l) (value ?relative))
  (metric (run ?r) (pattern ?p) (name "member.excess") (location ?l) (value ?excess))
  (test (>= ?share (blame-share ?n)))
  (test (is-heavy ?relative ?excess ?cost ?n))
  (metric (run ?r) (pattern ?p) (name "member.compute_time") (location ?l) (value ?seen))
  (metric (run ?r) (pattern "message-passing") (name "process.compute_time") (location ?l) (value ?really))
  (test (bsp-is-outside ?r ?p ?l ?excess))
  (pattern (run ?r) (id ?p) (scope ?scope))
  =>
  (assert (bsp-outside (run ?r) (pattern ?p) (location ?l) (cost ?cost))
          (finding (kind observation) (name late-outside) (run ?r) (pattern ?p) (locations ?l) (lost ?cost) (level 3)
                   (text (text "The others of {} wait {s} for process {}, which is in calls with processes outside of it for {s} meanwhile."
                               ?scope ?cost ?l (- ?seen ?really))))))

(deffunction MAIN::bsp-is-alone (?run ?pattern ?root ?excess)
  "Whether what a root computes longer is before its broadcasts and scatters, and the others compute little meanwhile:
   who is just slower is late there only as it does what all do. True where it is not known."
  (bind ?own (metric-value ?run ?pattern "member.given_work" ?root -1.0))
  (bind ?others (median-of ?run ?pattern "member.given_work"))
  (or (< ?own 0.0)
      (and (>= (- ?own ?others) (* 0.5 ?excess)) (<= (* 2.0 ?others) ?own))))

(defrule CAUSES::bsp-late-member
  "The others wait for one process in collective operations, because it computes longer."
  (stepped-late (run ?r) (pattern ?p) (location ?l) (cost ?cost))
  (metric (run ?r) (pattern ?p) (name "member.waited_as_root") (location ?l) (value ?root))
  (metric (run ?r) (pattern ?p) (name "member.excess") (location ?l) (value ?excess))
  ;; A root that is late alone may do something else than the others: see serial-root.
  (or (test (or (< (* 2.0 ?root) ?cost) (not (bsp-is-alone ?r ?p ?l ?excess))))
      (exists (stepped-late (run ?r) (pattern ?p) (location ~?l))))
  ;; One fault of several is one cause, reported with the one that costs most.
  (not (stepped-late (run ?r) (pattern ?p) (location ?o&~?l)
                 (cost ?c&:(or (> ?c ?cost) (and (= ?c ?cost) (< (str-compare ?o ?l) 0))))))
  (metric (run ?r) (pattern ?p) (name "member.delay_share") (location ?l) (value ?share) (of ?n))
  (metric (run ?r) (pattern ?p) (name "member.relative") (location ?l) (value ?relative))
  (metric (run ?r) (pattern ?p) (name "member.compute_time") (location ?l) (value ?compute))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  (not (serial (run ?r) (location ?l)))
  =>
  (bind ?ends (bsp-ends ?r ?p ?l ?n))
  (bind ?who (as-heavy-as-any ?r ?p "member.compute_time"))
  (if (not (member$ ?l ?who)) then (bind ?who (create$ ?l)))
  (bind ?all (+ (stepped-blamed ?r ?p) ?ends))
  (bind ?gain (gain-of-evening-out (excess-of (above-mean ?r ?p "member.compute_time" ?who) ?all ?who ?n)
                                   ?lost ?n))
  (assert (finding (kind cause) (name late-member) (run ?r) (pattern ?p)
                   (headline (text "{} {.1} times as long as the {}, and the others wait {s} for {}."
                                   (ranks-compute ?who)
                                   (times-the-others ?r ?p "member.compute_time" ?who ?relative)
                                   (median-or-others ?who) ?all (it-or-them ?who)))
                   (fix (text "Give the others about {%} of the computation of rank {}."
                              (/ ?excess ?compute) ?l))
                   (gain-kind even-out)
                   (locations ?who) (culprits ?who) (lost ?all) (share (min 1.0 (/ ?all ?lost)))
                   (level 3) (gain ?gain) (functions-of ?l)
                   (what-if (what-if-of "compute" ?who "=" even))
                   (text (str-cat
                           (and-its-like ?who)
                           (text "Process {} computes {s} longer than the median ({s}, {.2} times as long), and the others wait for it in collective operations: {s}; {%} of the waiting that can be seen goes back to it."
                                 ?l ?excess ?compute ?relative ?cost ?share)
                           (bsp-and-ends ?ends)))
                   (remedy (text "Take about {s} of computation ({%}) off process {}, or look there for work that the others do not have. Up to {s} of run time."
                                 ?excess (/ ?excess ?compute) ?l ?gain)))))

(defrule CAUSES::bsp-serial-root
  "The others wait for the root of broadcasts or scatters, which computes alone before it sends."
  (stepped-late (run ?r) (pattern ?p) (location ?l) (cost ?cost))
  (metric (run ?r) (pattern ?p) (name "member.waited_as_root") (location ?l) (value ?root))
  (test (>= (* 2.0 ?root) ?cost))
  (not (stepped-late (run ?r) (pattern ?p) (location ~?l)))
  (metric (run ?r) (pattern ?p) (name "member.excess") (location ?l) (value ?excess))
  (test (bsp-is-alone ?r ?p ?l ?excess))
  (metric (run ?r) (pattern ?p) (name "member.delay_share") (location ?l) (value ?share) (of ?n))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  (not (serial (run ?r) (location ?l)))
  =>
  (bind ?gain (gain-of-evening-out (above-mean ?r ?p "member.compute_time" (create$ ?l))
                                   ?lost ?n))
  (assert (finding (kind cause) (name serial-root) (run ?r) (pattern ?p)
                   (headline (text "Rank {} computes alone before it broadcasts or scatters, and the others wait {s} for it."
                                   ?l ?cost))
                   (fix "Let all ranks share that work, compute it everywhere instead of sending it, or prepare it in advance.")
                   (gain-kind even-out)
                   (locations ?l) (culprits ?l) (lost ?cost) (share (min 1.0 (/ ?cost ?lost)))
                   (level 3) (gain ?gain) (functions-of ?l)
                   (what-if (what-if-of "compute" ?l "=" even))
                   (text (text "Process {} works alone before it broadcasts or scatters: it computes {s} longer than the median, and the others wait {s} for it, {%} of all waiting."
                               ?l ?excess ?cost ?share))
                   (remedy (text "Let all processes share the {s} that process {} computes before it sends (up to {s} of run time), compute it everywhere instead of sending it, or prepare the next broadcast while the others still compute."
                                 ?excess ?l ?gain)))))

(defrule CAUSES::bsp-rest
  "Waiting for which no single process is to blame."
  (finding (kind observation) (name members-wait) (run ?r) (pattern ?p) (lost ?wait))
  (metric (run ?r) (pattern ?p) (name "run.static_cost"))
  (metric (run ?r) (pattern ?p) (name "member.delay_share") (rank 1))
  (metric (run ?r) (pattern ?p) (name "run.member_time") (value ?all))
  =>
  (bind ?rest (- ?wait (stepped-blamed ?r ?p) (bsp-elsewhere ?r ?p)))
  (if (>= ?rest (* ?*significant* ?all))
   then (assert (stepped-rest (run ?r) (pattern ?p) (role "member") (wait ?rest)))))

(defrule ADVISE::bsp-static-imbalance
  "Several processes have more work than others, all the time."
  (stepped-kind (run ?r) (pattern ?p) (wait ?rest) (kind static))
  (metric (run ?r) (pattern ?p) (name "run.static_cost") (value ?static))
  (metric (run ?r) (pattern ?p) (name "member.relative") (location ?l) (rank 1)
          (value ?relative))
  (metric (run ?r) (pattern ?p) (name "run.members") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  (not (serial (run ?r) (location ?l)))
  =>
  (bind ?heavy (as-heavy-as-any ?r ?p "member.compute_time"))
  (if (not (member$ ?l ?heavy)) then (bind ?heavy (create$ ?l)))
  (bind ?claim (min ?rest ?static))
  (assert (finding (kind cause) (name static-imbalance) (run ?r) (pattern ?p)
                   (headline (text "Work is uneven. {} {.1} times as long as the {}, and the others wait {s}."
                                   (ranks-compute ?heavy)
                                   (times-the-others ?r ?p "member.compute_time" ?heavy ?relative)
                                   (median-or-others ?heavy) ?claim))
                   (fix "Distribute by measured work instead of by number.")
                   (gain-kind even-out)
                   (locations ?heavy) (culprits ?heavy) (lost ?claim) (share (min 1.0 (/ ?claim ?lost)))
                   (level 3) (gain (/ ?static ?n)) (confidence 0.8)
                   (what-if "compute(member)=even")
                   (text (text "Work is uneven: process {} computes longest, {.2} times the median, and the others wait {s} for it and its like ({})."
                               ?l ?relative ?claim (location-list ?heavy)))
                   (remedy (text "Distribute by measured work instead of by number; up to {s} of run time."
                                 (/ ?claim ?n))))))

(defrule ADVISE::bsp-roots-in-turn
  "Processes wait for roots of broadcasts, again and again, but for another one each time."
  (not (in-turn (run ?r)))
  (stepped-kind (run ?r) (pattern ?p) (wait ?rest) (kind even | unknown))
  (metric (run ?r) (pattern ?p) (name "run.wait_root") (value ?root&:(>= (* 2.0 ?root) ?rest)))
  ;; Chance holds up few operations for long.
  (metric (run ?r) (pattern ?p) (name "run.often_wait") (value ?often&:(>= ?often 1.0)))
  (metric (run ?r) (pattern ?p) (name "run.static_cost") (value ?static))
  (metric (run ?r) (pattern ?p) (name "run.phases_each") (value ?phases))
  (metric (run ?r) (pattern ?p) (name "run.members") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  =>
  (bind ?gain (/ (max 0.0 (- ?rest ?static)) ?n))
  (assert (finding (kind cause) (name serial-root) (run ?r) (pattern ?p) (via in-turn)
                   (headline (text "Roots of broadcasts compute before they send while the others wait, {s} in all: another root each time."
                                   ?root))
                   (fix "Prepare the next broadcast while the others still compute (look-ahead), or share out that work.")
                   (gain-kind even-out)
                   (lost ?rest) (share (min 1.0 (/ ?rest ?lost))) (level 3) (confidence 0.7)
                   (gain ?gain)
                   (text (text "Processes wait {s} in {n} phases, {s} of it for roots of broadcasts or scatters, and not only now and then; but over the whole run all compute equally long. So roots take turns, and each has something to compute before it sends that the others do not have at that moment."
                               ?rest ?phases ?root))
                   (remedy (text "Let a root prepare what it sends next while the others still compute (look-ahead, MPI_Ibcast), or share that work among those who wait; up to {s} of run time."
                                 ?gain)))))

(defrule ADVISE::bsp-unequal-phases
  "Processes wait in collective operations, their totals are even, and no common steps are found."
  (not (in-turn (run ?r)))
  (stepped-kind (run ?r) (pattern ?p) (wait ?rest) (kind even | unknown))
  (not (stepped-grain (run ?r) (pattern ?p)))
  (not (and (metric (run ?r) (pattern ?p) (name "run.wait_root") (value ?root&:(>= (* 2.0 ?root) ?rest)))
            (metric (run ?r) (pattern ?p) (name "run.often_wait") (value ?often&:(>= ?often 1.0)))))
  (metric (run ?r) (pattern ?p) (name "run.static_cost") (value ?static))
  (metric (run ?r) (pattern ?p) (name "run.phases_each") (value ?phases))
  (metric (run ?r) (pattern ?p) (name "run.members") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  ;; As for noise: less is not worth acting on.
  (metric (run ?r) (pattern ?p) (name "run.member_time") (value ?time))
  (test (>= (- ?rest ?static) (* ?*noise-large* ?time)))
  =>
  (assert (finding (kind cause) (name unequal-phases) (run ?r) (pattern ?p)
                   (headline (text "Ranks wait {s} in {n} phases, each time for another one; over the whole run their work is even."
                                   ?rest ?phases))
                   (fix "Synchronise less often, or complete collectives a phase later (MPI_Iallreduce).")
                   (gain-kind remove)
                   (lost ?rest) (share (min 1.0 (/ ?rest ?lost))) (level 3) (confidence 0.7)
                   (gain (/ (- ?rest ?static) ?n))
                   (what-if "compute(member)=even")
                   (text (text "Phases are unequal, totals are not: processes wait {s} in {n} phases, but would wait only {s} if they synchronised once, at the end. In one phase one process is late, in another one another, and no single one is to blame."
                               ?rest ?phases ?static))
                   (remedy (text "Synchronise less often, or with operations that need not wait for everybody at once (MPI_Iallreduce completed a phase later): up to {s} of run time. Work that moves from process to process can be given to all in each phase."
                                 (/ (- ?rest ?static) ?n))))))

;; ---- level 3: the operations themselves ------------------------------------------------------------

(defrule CAUSES::bsp-frequent-collectives
  "There is too little computation between two collective operations."
  (logical (pattern (run ?r) (id ?p))
           (not (stepped-grain (run ?r) (pattern ?p)))
           (not (finding (kind cause) (name large-collectives) (run ?r))))
  (finding (kind symptom) (name low-phase-efficiency) (run ?r) (pattern ?p))
  (not (stepped-unsure (run ?r) (pattern ?p)))
  ;; Fewer would be set-up and end of the run.
  (metric (run ?r) (pattern ?p) (name "run.phases_each") (value ?phases&:(>= ?phases ?*collectives-enough*)))
  (metric (run ?r) (pattern ?p) (name "run.moving_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.moving") (value ?moving))
  (metric (run ?r) (pattern ?p) (name "run.moving_each") (value ?cost))
  (metric (run ?r) (pattern ?p) (name "run.phase_work") (value ?work))
  (test (< ?work (* ?*grain-fine* ?cost)))
  (metric (run ?r) (pattern ?p) (name "run.members") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  =>
  (bind ?times (bsp-times ?work ?cost))
  (assert (finding (kind cause) (name frequent-collectives) (run ?r) (pattern ?p)
                   (headline (text "Collective operations are too frequent: {s} each beyond waiting, after only {s} of computation."
                                   ?cost ?work))
                   (fix (text "Do {n} times the work between two of them: combine operations, or use fewer ranks with more work each."
                              ?times))
                   (gain-kind remove)
                   (lost ?moving) (share (min 1.0 (/ ?moving ?lost))) (level 3) (confidence 0.8)
                   (gain (/ (* ?moving (- 1.0 (/ 1.0 ?times))) ?n))
                   (what-if (what-if-of "transfer" all "/" ?times))
                   (text (text "Collective operations are too frequent for what they cost: {s} each beyond waiting, after {s} of computation. That is {s}, {%} of the time of the processes."
                               ?cost ?work ?moving ?share))
                   (remedy (text "Let them come after {n} times the work (then computation is {n} times their cost): combine operations, or let fewer processes do more each. Non-blocking ones (MPI_Iallreduce) can be completed a phase later. With more processes than cores every operation is slow."
                                 ?times (integer ?*grain-good*))))))

(defrule CAUSES::bsp-grain
  "What is waited in operations, and the operations, cost too much for what is computed between them."
  (stepped-kind (run ?r) (pattern ?p) (wait ?wait) (kind ?kind&even | unknown | noise))
  (not (stepped-unsure (run ?r) (pattern ?p)))
  (metric (run ?r) (pattern ?p) (name "run.phases_each") (value ?phases&:(>= ?phases ?*collectives-enough*)))
  (metric (run ?r) (pattern ?p) (name "run.members") (value ?n))
  (test (or (neq ?kind noise) (<= ?wait (* ?*jitter* ?phases ?n))))
  (metric (run ?r) (pattern ?p) (name "run.moving_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.moving") (value ?moving&:(>= (* 2.0 ?moving) ?wait)))
  (metric (run ?r) (pattern ?p) (name "run.moving_each") (value ?cost))
  (metric (run ?r) (pattern ?p) (name "run.phase_work") (value ?work))
  (test (< ?work (* ?*grain-fine* ?cost (/ (+ ?moving ?wait) ?moving))))
  =>
  (assert (stepped-grain (run ?r) (pattern ?p) (wait ?wait))))

(defrule CAUSES::bsp-frequent-and-waiting
  "There is too little computation between two collective operations, in which processes wait, too."
  (logical (pattern (run ?r) (id ?p))
           (not (finding (kind cause) (name large-collectives) (run ?r)))
           (stepped-grain (run ?r) (pattern ?p) (wait ?wait)))
  (metric (run ?r) (pattern ?p) (name "run.moving") (value ?moving))
  (metric (run ?r) (pattern ?p) (name "run.moving_each") (value ?cost))
  (metric (run ?r) (pattern ?p) (name "run.phase_work") (value ?work))
  (metric (run ?r) (pattern ?p) (name "run.members") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  =>
  (bind ?all (+ ?moving ?wait))
  (bind ?each (* ?cost (/ ?all ?moving)))
  (bind ?times (bsp-times ?work ?each))
  (assert (finding (kind cause) (name frequent-collectives) (run ?r) (pattern ?p) (via waiting)
                   (headline (text "Collective operations are too frequent: {s} each, waiting included, after only {s} of computation."
                                   ?each ?work))
                   (fix (text "Do {n} times the work between two of them: combine operations, or use fewer ranks with more work each."
                              ?times))
                   (gain-kind remove)
                   (lost ?all) (share (min 1.0 (/ ?all ?lost))) (level 3) (confidence 0.8)
                   (gain (/ ?all ?n))
                   (text (text "Collective operations are too frequent for what they cost: {s} each after {s} of computation, of which {s} are waiting. Over the whole run all compute equally long, so that is what meeting so often costs: {s} in all."
                               ?each ?work (- ?each ?cost) ?all))
                   (remedy (text "Let them come after {n} times the work (then computation is {n} times their cost): combine operations, or let fewer processes do more each. Non-blocking ones (MPI_Iallreduce) can be completed a phase later. With more processes than cores every operation is slow."
                                 ?times (integer ?*grain-good*))))))

(defrule CAUSES::bsp-slow-collectives
  "Collective operations take a good part of the time although there is computation between them."
  (logical (pattern (run ?r) (id ?p))
           (not (stepped-grain (run ?r) (pattern ?p)))
           (not (finding (kind cause) (name large-collectives) (run ?r))))
  (finding (kind symptom) (name low-phase-efficiency) (run ?r) (pattern ?p))
  (not (stepped-unsure (run ?r) (pattern ?p)))
  (metric (run ?r) (pattern ?p) (name "run.moving_share") (value ?share&:(>= ?share ?*significant*)))
  ;; A process that a late one holds up in calls without a known wait seems to pay more than they cost.
  (metric (run ?r) (pattern ?p) (name "run.in_collectives_least") (value ?least))
  (metric (run ?r) (pattern ?p) (name "run.member_time") (value ?all))
  (not (and (stepped-late (run ?r) (pattern ?p)) (test (< ?least (* ?*significant* ?all)))))
  (metric (run ?r) (pattern ?p) (name "run.moving") (value ?moving))
  (metric (run ?r) (pattern ?p) (name "run.moving_each") (value ?cost))
  (metric (run ?r) (pattern ?p) (name "run.phase_work") (value ?work))
  (test (>= ?work (* ?*grain-fine* ?cost)))
  (metric (run ?r) (pattern ?p) (name "run.members") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  =>
  (assert (finding (kind cause) (name slow-collectives) (run ?r) (pattern ?p)
                   (headline (text "Collective operations are slow: {s} each beyond waiting, {%} of the process time."
                                   ?cost ?share))
                   (fix "Overlap them with computation (MPI_Iallreduce, MPI_Ialltoall), send less, or exchange within nodes first.")
                   (gain-kind remove)
                   (lost ?moving) (share (min 1.0 (/ ?moving ?lost))) (level 3) (confidence 0.7)
                   (gain (/ (* 0.5 ?moving) ?n))
                   (what-if (what-if-of "transfer" all "/" 2))
                   (text (text "Collective operations take {s} each beyond waiting, after {s} of computation: {s}, {%} of the time of the processes. They are not too frequent, so it is the data that they move, or the network."
                               ?cost ?work ?moving ?share))
                   (remedy (text "Overlap them with computation that does not need the result (MPI_Ialltoall, MPI_Iallreduce: up to {s} of run time), send less, or exchange in groups (nodes first)."
                                 (/ ?moving ?n))))))

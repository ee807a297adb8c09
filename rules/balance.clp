;; What several patterns say of work that is uneven: who has more than the others, and by how much.

(deffunction MAIN::blame-share (?n)
  "The share of all waiting from which on one of ?n processes is to blame."
  (min 0.75 (/ ?*blame* ?n)))

(deffunction MAIN::is-heavy (?relative ?excess ?caused ?n)
  "Whether computation above the median explains at least half of what ?n - 1 others wait."
  (and (>= ?relative ?*heavy*) (>= (* 2.0 ?excess (max 1 (- ?n 1))) ?caused)))

(deffunction MAIN::mp-value (?run ?name ?location)
  "A metric of message-passing where it is known, else -1."
  (metric-value ?run "message-passing" ?name ?location -1.0))

(deffunction MAIN::least-of-work (?run ?pattern ?metric)
  "The least computation that is compared: a location that computes next to nothing, such as a coordinator,
   is left out."
  (* ?*idle* (median-of ?run ?pattern ?metric)))

(deffunction MAIN::mean-of (?run ?pattern ?metric ?least ?but)
  "The mean of a metric over all locations but some where it is at least ?least; 0 where there are none."
  (bind ?sum 0.0)
  (bind ?n 0)
  (foreach ?l (locations-from ?run ?pattern ?metric ?least)
    (if (not (member$ ?l ?but)) then
      (bind ?sum (+ ?sum (metric-value ?run ?pattern ?metric ?l 0.0)))
      (bind ?n (+ ?n 1))))
  (/ ?sum (max 1 ?n)))

(deffunction MAIN::as-heavy-as-any (?run ?pattern ?metric)
  "Labels of the upper of two classes of locations, at most half of all, between which a metric differs most
   (Otsu 1979): one fault may be that of one process, a column of a grid, half of a tree, or of those above
   the middle where work grows from rank to rank. Who is at the mean is neither."
  (bind ?floor (least-of-work ?run ?pattern ?metric))
  (bind ?mean (mean-of ?run ?pattern ?metric ?floor (create$)))
  (bind ?median (median-of ?run ?pattern ?metric))
  (bind ?values (metric-values ?run ?pattern ?metric))
  (bind ?n (how-many-from ?values ?floor))
  (bind ?most (if (> ?n 0) then (max ?median (nth$ 1 ?values)) else ?median))
  (bind ?best -1.0)
  (bind ?least ?most)
  (bind ?k 0)
  (bind ?above 0.0)
  (loop-for-count (?i 0 32)
    (bind ?bound (- ?most (* (- ?most ?median) (/ ?i 32.0))))
    (while (and (< ?k ?n) (>= (nth$ (+ ?k 1) ?values) ?bound))
      (bind ?k (+ ?k 1))
      (bind ?above (+ ?above (- (nth$ ?k ?values) ?mean))))
    (if (and (> ?k 0) (< ?k ?n) (<= (* 2 ?k) (+ ?n 1))
             (> (/ (* ?above ?above) (* ?k (- ?n ?k))) ?best)) then
      (bind ?best (/ (* ?above ?above) (* ?k (- ?n ?k))))
      (bind ?least (nth$ ?k ?values))))
  ;; Processes nearly as heavy have the same fault, even if that makes more than half of all.
  (bind ?least (- ?least (* ?*at-mean* (- ?most ?mean))))
  ;; A process in the middle adds nothing to the difference, so that it may be in either class.
  (bind ?least (max ?least (+ ?mean (* ?*at-mean* (- ?most ?mean)))))
  (locations-from ?run ?pattern ?metric (max ?least ?floor)))

(deffunction MAIN::apart (?run ?pattern ?metric ?who)
  "How clearly some locations differ from the others: the share of the variance of a metric that lies between
   both classes (the correlation ratio). If they differ by chance, much of it lies within the classes."
  (bind ?least (least-of-work ?run ?pattern ?metric))
  (bind ?mean (mean-of ?run ?pattern ?metric ?least (create$)))
  (bind ?others (mean-of ?run ?pattern ?metric ?least ?who))
  (bind ?heavy (/ (sum-of ?run ?pattern ?metric ?who) (max 1 (length$ ?who))))
  (bind ?within 0.0)
  (bind ?all 0.0)
  (foreach ?l (locations-from ?run ?pattern ?metric ?least)
    (bind ?value (metric-value ?run ?pattern ?metric ?l 0.0))
    (bind ?within (+ ?within (** (- ?value (if (member$ ?l ?who) then ?heavy else ?others)) 2)))
    (bind ?all (+ ?all (** (- ?value ?mean) 2))))
  (if (> ?all 0.0) then (- 1.0 (/ ?within ?all)) else 0.0))

(deffunction MAIN::most-of (?run ?pattern ?metric ?who)
  "The largest value of a metric over some locations; 0 where there are none."
  (bind ?most 0.0)
  (foreach ?l ?who
    (bind ?most (max ?most (metric-value ?run ?pattern ?metric ?l 0.0))))
  ?most)

(deffunction MAIN::above-mean (?run ?pattern ?metric ?who)
  "By how much the largest value of some locations is above the mean of all, which is what evening out saves."
  (max 0.0 (- (most-of ?run ?pattern ?metric ?who)
              (mean-of ?run ?pattern ?metric (least-of-work ?run ?pattern ?metric) (create$)))))

(deffunction MAIN::times-the-others (?run ?pattern ?metric ?who ?relative)
  "How many times as long the heaviest of several computes as the others do on average, as the median may lie
   between both; of a single one ?relative, to the median."
  (bind ?others (mean-of ?run ?pattern ?metric (least-of-work ?run ?pattern ?metric) ?who))
  (if (and (> (length$ ?who) 1) (> ?others 0.0))
   then (/ (most-of ?run ?pattern ?metric ?who) ?others)
   else ?relative))

;; Facts of serial-root.clp; rules that blame a process leave out one that works alone.
(deftemplate MAIN::serial
  "A process is alone for so long that it explains at least half of what it computes above the mean."
  (slot run (type STRING)) (slot location (type STRING)) (slot seconds (type FLOAT)))

;; Of serial-chain.clp; other rules keep quiet about such waiting.
(deftemplate MAIN::in-turn
  "Processes work one after the other within steps."
  (slot run (type STRING)))

;; Of message-passing.clp; such a process does not work alone, and evening out does not help it.
(deftemplate MAIN::holds-senders
  "A process that only takes messages is busy with them, and those who send them are held."
  (slot run (type STRING)) (slot location (type STRING)) (slot held (type FLOAT)))

;; Of refinements of geometric-decomposition, whose rules advise how to cut a domain.
(deftemplate MAIN::no-domain
  "The processes of a refined pattern share no domain: what to do instead of cutting it, and how delays spread."
  (slot run (type STRING)) (slot pattern (type STRING)) (slot fix (type STRING)) (slot spread (type STRING)))

;; Of patterns whose processes compute evenly; the general rules say what that one does.
(deftemplate MAIN::blamed
  "Most of the waiting goes back to a process that computes no longer than the others in all."
  (slot run (type STRING)) (slot location (type STRING)))

;; ---- what persists from step to step -------------------------------------------------------------------

(deffunction MAIN::moves (?kept ?order ?same)
  "Whether work moves from process to process: neighbouring steps order processes alike (?order) by more than
   lasting imbalance (?kept) explains, or earlier steps predict who is heaviest (?same). Noise does neither."
  (or (and (>= ?order ?*persistence-noise*) (> ?order ?kept))
      (and (>= ?same 0.5) (> ?same ?kept))))

(deffunction MAIN::kind-of-steps (?wait ?static ?cost ?kept ?order ?same)
  "Why processes wait although no single one is to blame: even | static | moving | noise. ?static and ?cost are
   what all would wait if they met once at the end, and after each step."
  (if (< (* 2.0 (max ?cost ?static)) ?wait) then even
   else (if (or (>= ?kept ?*kept-static*) (< (* 2.0 ?cost) ?wait)) then static
   else (if (moves ?kept ?order ?same) then moving else noise))))

;; Of patterns in which all wait for whoever is slowest in a round, though no collective operation says so.
(deftemplate MAIN::uneven-rounds
  "Rounds are uneven, each in another way, and that accounts for most of what is lost."
  (slot run (type STRING)) (slot pattern (type STRING)) (slot cost (type FLOAT)) (slot processes (type FLOAT))
  (slot moving-fix (type STRING)) (slot noise-fix (type STRING)))

(deffunction MAIN::rounds-uneven (?kept ?cost ?lost ?all ?n)
  "Whether what uneven rounds cost is much, the larger part of what is lost, and of no process in particular."
  (and (< ?kept ?*kept-static*) (>= ?n ?*ranks-enough*)
       (>= ?cost (* ?*noise-large* ?all)) (>= ?cost (* ?*accounted-least* ?lost))))

(deffunction MAIN::rounds-text (?steps ?kept ?same ?order ?cost ?so)
  (text "In each of {n} steps some process computes longer than the others, but only {%} of what that costs is left when the steps of each are added up. The steps before say who is heaviest in {%} of the cases (rank correlation {.2}): {}. No process can overtake another, so all wait for the slowest in the end: {s}."
        ?steps ?kept ?same ?order ?so ?cost))

(defrule CAUSES::rounds-moving
  "Now one process has more to do, now another one."
  (uneven-rounds (run ?r) (pattern ?p) (cost ?cost) (processes ?n) (moving-fix ?fix))
  (metric (run ?r) (pattern ?p) (name "run.step_kept") (value ?kept))
  (metric (run ?r) (pattern ?p) (name "run.step_order") (value ?order))
  (metric (run ?r) (pattern ?p) (name "run.step_same") (value ?same))
  (test (moves ?kept ?order ?same))
  (metric (run ?r) (pattern ?p) (name "run.step_count") (value ?steps))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  (exists (metric (run ?r) (pattern ?p) (name "run.step_cost")))
  =>
  (assert (finding (kind cause) (name moving-work) (run ?r) (pattern ?p)
                   (headline (text "The load moves: now one rank, now another has more to do, and the others wait, {s} in {n} steps."
                                   ?cost ?steps))
                   (fix ?fix)
                   (gain-kind even-out) (clocks own)
                   (lost ?cost) (share (min 1.0 (/ ?cost ?lost))) (level 2) (confidence 0.8)
                   (gain (/ ?cost ?n)) (what-if "compute(all)=even")
                   (text (rounds-text ?steps ?kept ?same ?order ?cost "the load moves"))
                   (remedy (text "{} Up to {s} of run time." ?fix (/ ?cost ?n))))))

(defrule CAUSES::rounds-noise
  "In each round somebody else is slowest, without any order."
  (uneven-rounds (run ?r) (pattern ?p) (cost ?cost) (processes ?n) (noise-fix ?fix))
  (metric (run ?r) (pattern ?p) (name "run.step_kept") (value ?kept))
  (metric (run ?r) (pattern ?p) (name "run.step_order") (value ?order))
  (metric (run ?r) (pattern ?p) (name "run.step_same") (value ?same))
  (test (not (moves ?kept ?order ?same)))
  (metric (run ?r) (pattern ?p) (name "run.step_count") (value ?steps))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  (exists (metric (run ?r) (pattern ?p) (name "run.step_cost")))
  =>
  (assert (finding (kind cause) (name noise) (run ?r) (pattern ?p)
                   (headline (text "In each of {n} steps another rank is late, without any order; the others wait {s}. No rank is to blame."
                                   ?steps ?cost))
                   (fix ?fix)
                   (gain-kind even-out) (clocks own)
                   (lost ?cost) (share (min 1.0 (/ ?cost ?lost))) (level 2) (confidence 0.7)
                   (gain (/ ?cost ?n)) (what-if "compute(all)=even")
                   (text (rounds-text ?steps ?kept ?same ?order ?cost "noise of the machine, or chance in the work"))
                   (remedy (text "{} Up to {s} of run time." ?fix (/ ?cost ?n))))))

;; ---- where the rules of patterns say nothing -------------------------------------------------------------

;; Uneven computation costs time, whatever the trace shows of waiting: the run lasts at least
;; until the longest is done, and where all meet in collectives, each step does. So where no cause was found,
;; because the trace does not show who waits for whom or because the efficiency is acceptable, computation
;; alone is looked at.

(deftemplate MAIN::without-cause
  "No cause was found, and computation is compared."
  (slot run (type STRING)))

(deffunction MAIN::has-cause (?run ?least)
  "Whether a cause is known that costs at least so many seconds; waiting without a reason is none."
  (any-factp ((?f finding))
    (and (eq ?f:run ?run) (eq ?f:kind cause) (neq ?f:name spread-waiting) (eq ?f:healthy no)
         (>= ?f:lost ?least))))

(defrule ADVISE::balance-without-cause
  "Time is lost and no cause was found: computation is compared."
  (last-call (run ?r))
  (pattern (run ?r) (name "message-passing"))
  ;; Where processes pass tasks or items on in most of the run, one that computes less may have waited for them.
  (not (and (explained (run ?r) (pattern ?p) (loss waiting))
            (pattern (run ?r) (id ?p) (share ?share&:(>= ?share ?*accounted-least*)))
            (not (pattern (run ?r) (id ?p) (name "bulk-synchronous" | "geometric-decomposition")))))
  (metric (run ?r) (pattern "message-passing") (name "run.lost_at_work") (value ?lost))
  (metric (run ?r) (pattern "message-passing") (name "run.location_time") (value ?all))
  (test (>= ?lost (* ?*significant* ?all)))
  (test (not (has-cause ?r (* ?*significant* ?all))))
  =>
  (assert (without-cause (run ?r))))

(deffunction MAIN::is-blamed (?run ?who)
  "Whether one cause names all of them."
  (any-factp ((?f finding))
    (and (eq ?f:kind cause) (eq ?f:run ?run) (subsetp ?who ?f:culprits))))

(defrule ADVISE::balance-static
  "Some processes compute longer than the others in all, and nothing else was found."
  ;; The process that others wait for may be found in a later round.
  (logical (without-cause (run ?r))
           (not (finding (kind cause) (run ?r) (pattern "message-passing") (name late-process))))
  (metric (run ?r) (pattern "message-passing") (name "run.location_time") (value ?all))
  (metric (run ?r) (pattern "message-passing") (name "run.lost_at_work") (value ?lost))
  (metric (run ?r) (pattern "message-passing") (name "process.compute_time") (location ?p)
          (value ?compute) (rank 1) (of ?n))
  (metric (run ?r) (pattern "message-passing") (name "process.relative_compute") (location ?p)
          (value ?relative))
  =>
  (bind ?who (as-heavy-as-any ?r "message-passing" "process.compute_time"))
  (bind ?above (above-mean ?r "message-passing" "process.compute_time" ?who))
  (bind ?times (times-the-others ?r "message-passing" "process.compute_time" ?who ?relative))
  (bind ?cost (min ?lost (* ?above ?n)))
  ;; POP: a load balance of 0.9 is acceptable. A smaller imbalance is no chance where the heavy ones are so alike,
  ;; and so are the others.
  (if (and (> (length$ ?who) 0)
           (not (is-blamed ?r ?who))
           (or (and (>= ?compute (* ?*heavy* (- ?compute ?above))) (>= ?cost (* ?*noise-large* ?all)))
               (and (>= ?times ?*heavy*) (>= ?cost (* ?*significant* ?all))
                    (>= (apart ?r "message-passing" "process.compute_time" ?who) ?*apart*)))) then
    (assert (finding (kind cause) (name static-imbalance) (run ?r) (pattern "message-passing") (via totals)
                     (headline (text "{} {.1} times as long as the {}: the run lasts at least until {} done."
                                     (ranks-compute ?who) ?times (median-or-others ?who)
                                     (if (> (length$ ?who) 1) then "they are" else "it is")))
                     (fix "Divide the work by measured cost.")
                     (gain-kind even-out)
                     (locations ?who) (culprits ?who) (lost ?cost) (share (min 1.0 (/ ?cost ?lost))) (level 3)
                     (confidence 0.8) (clocks own) (gain (/ ?cost ?n)) (what-if "compute(all)=even")
                     (text (text "{}Process {} computes {s}, {.2} times as long as the {} and {s} longer than the mean; all others together are done with their computation {s} earlier. Whom they wait for does not matter."
                                 (and-its-like ?who) ?p ?compute ?times (median-or-others ?who) ?above ?cost))
                     (remedy (text "Divide the work by measured cost: take about {s} off process {}, and likewise off the other heavy ones; up to {s} of run time."
                                   ?above ?p (/ ?cost ?n)))))))

(deffunction MAIN::heavy-in-turn (?run ?steps)
  "Labels of the few processes that are heaviest in nearly all steps, by turns: one in some phases, another one in
   others. Empty where the load goes on to many of them."
  (bind ?n (length$ (metric-values ?run "message-passing" "process.heavy_steps")))
  (bind ?who (locations-from ?run "message-passing" "process.heavy_steps" (* ?*significant* ?steps)))
  (bind ?sum (sum-of ?run "message-passing" "process.heavy_steps" ?who))
  (if (and (>= ?sum (* ?*explained-most* ?steps)) (<= (* 2 (length$ ?who)) ?n)) then ?who else (create$)))

(defrule ADVISE::balance-steps
  "Steps are uneven, each in another way, and nothing else was found."
  (without-cause (run ?r))
  (metric (run ?r) (pattern "message-passing") (name "run.location_time") (value ?all))
  (metric (run ?r) (pattern "message-passing") (name "run.lost_at_work") (value ?lost))
  (metric (run ?r) (pattern "message-passing") (name "run.step_synchronised") (value ?meet))
  (metric (run ?r) (pattern "message-passing") (name "run.step_peers_cost") (value ?cost))
  ;; No run is shorter than the longest computation, which stays when steps become even: where that fills
  ;; the run, only others wait, e.g. one that collects.
  (metric (run ?r) (pattern "message-passing") (name "run.communication_efficiency") (value ?busiest))
  (test (>= (min ?lost ?cost (* ?all (- 1.0 ?busiest))) (* ?*noise-large* ?all)))
  ;; Where no collective ends the steps, that processes wait for those who send them messages is a
  ;; guess. It holds if about what it predicts is lost: more, as transfers take time, too, or less, where
  ;; messages are under way while both compute; not where processes work in turn, so that the same step
  ;; of two of them is not the same moment.
  (not (and (metric (run ?r) (pattern "message-passing") (name "run.step_synchronised") (value 0.0))
            (metric (run ?r) (pattern "message-passing") (name "run.in_turn_share")
                    (value ?turns&:(>= ?turns ?*significant*)))))
  (test (or (= ?meet 1.0)
            (and (>= ?lost (* ?*accounted-least* ?cost)) (>= ?cost (* ?*accounted-least* ?lost)))))
  (metric (run ?r) (pattern "message-passing") (name "run.step_unevenness") (value ?uneven))
  (metric (run ?r) (pattern "message-passing") (name "run.step_kept")
          (value ?kept&:(< ?kept ?*kept-static*)))
  (metric (run ?r) (pattern "message-passing") (name "run.step_rank_correlation") (value ?order))
  (metric (run ?r) (pattern "message-passing") (name "run.step_same_heaviest") (value ?same))
  (metric (run ?r) (pattern "message-passing") (name "run.step_count") (value ?steps))
  (run (id ?r) (processes ?n&:(>= ?n ?*ranks-enough*)))
  =>
  ;; Where one has been slow, others have waited in calls whose partners are not recorded, within steps: of
  ;; several pauses in a step of several ranks its longest computation shows one.
  (bind ?within (if (>= (mp-value ?r "run.unknown_share" "") ?*unknown-large*)
                 then (mp-value ?r "run.unknown" "") else 0.0))
  (bind ?seconds (min ?lost (+ ?cost (if (= ?meet 1.0) then ?within else 0.0)) (* ?all (- 1.0 ?busiest))))
  (bind ?how (if (= ?meet 1.0) then "this follows from computation alone"
              else (text "if each goes on when those that send it messages are done, that costs {s} by computation alone, and {s} are lost"
                         ?cost ?lost)))
  (bind ?why (text "In each of {n} steps some process computes longer than the others, by {%} of the mean; {%} of what it would cost if all met after each step is left when the steps of each process are added up, the rank correlation of neighbouring steps is {.2}, and the steps before say which process is heaviest in {%} of them."
                   ?steps ?uneven ?kept ?order ?same))
  (bind ?few (heavy-in-turn ?r ?steps))
  (if (moves ?kept ?order ?same) then
    (assert (finding (kind cause) (name moving-work) (run ?r) (pattern "message-passing") (via totals)
                     (headline (if (> (length$ ?few) 0)
                                then (text "Ranks {} are heaviest by turns: in {n} steps the longest computation is {%} above the mean."
                                           (location-list ?few) ?steps ?uneven)
                                else (text "The load moves from rank to rank: in {n} steps the longest computation is {%} above the mean."
                                           ?steps ?uneven)))
                     (fix (if (> (length$ ?few) 0)
                           then "Divide the work of each phase by measured cost."
                           else "Balance the load while the program runs, by the computation measured in the last steps."))
                     (locations ?few) (culprits ?few)
                     (gain-kind even-out) (lost ?seconds) (share (/ ?seconds ?lost)) (level 3)
                     (confidence 0.6) (clocks own) (gain (/ ?seconds ?n)) (what-if "compute(all)=even")
                     (text (text "{} Steps follow those before them, so the load moves. The trace does not tell who waits for whom; {}."
                                 ?why ?how))
                     (remedy (text "{}; up to {s} of run time."
                                   (if (> (length$ ?few) 0)
                                    then "Divide the work of each phase of the program by measured cost, not only that of the whole run"
                                    else "Balance while the program runs, by the computation measured in the last steps")
                                   (/ ?seconds ?n)))))
   else
    (assert (finding (kind cause) (name noise) (run ?r) (pattern "message-passing") (via totals)
                     (headline (text "In each of {n} steps another rank is slowest, by {%} of the mean, without any order. No rank is to blame."
                                     ?steps ?uneven))
                     (fix (str-cat (if (= ?meet 1.0) then "Synchronise" else "Exchange") " less often; bind ranks to cores and keep other load away."))
                     (gain-kind even-out) (lost ?seconds) (share (/ ?seconds ?lost)) (level 3)
                     (confidence 0.6) (clocks own) (gain (/ ?seconds ?n)) (what-if "compute(all)=even")
                     (text (text "{} There is no order, so it is noise of the machine or chance in the work. The trace does not tell who waits for whom; {}."
                                 ?why ?how))
                     (remedy (text "{} less often, so that noise averages out; bind processes to cores; up to {s} of run time."
                                   (if (= ?meet 1.0) then "Synchronise" else "Exchange data, in wider halos,") (/ ?seconds ?n)))))))

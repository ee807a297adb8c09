;; geometric-decomposition: who is late in a halo exchange and in which way, and what the exchange
;; itself costs.
;;
;;   symptom   subdomains compute less than what is acceptable of their time          (level 1)
;;   |- waiting (for neighbours, in reductions)                                       (level 2)
;;   |  |- one subdomain is to blame by delay cost, and computes longer
;;   |  |  |- when others do, too                                      -> heavy-subdomain
;;   |  |  `- alone                                                    -> serial-root.clp
;;   |  `- the waiting that is left when these are taken off                          (level 3)
;;   |     |- the totals of computation differ                           -> static-imbalance
;;   |     |- they do not, but the steps do
;;   |     |  |- the heavy ones stay heavy for some steps                -> moving-work (base-stepped.clp)
;;   |     |  `- each step has another one                               -> noise
;;   |     |- computation is even, and the waits are chains
;;   |     |  |- for one that computes alone, another one each time       -> serial-chain
;;   |     |  `- for communication                                       -> serialised-exchange
;;   |     `- computation is even, and they are none                     -> exchange-jitter
;;   |- moving halos
;;   |  |- too little computation per exchange                           -> fine-grain
;;   |  `- enough of it, but none while halos are under way               -> no-overlap, halo-volume
;;   |- collectives beyond waiting                                       -> costly-reductions
;;   `- waits that the trace does not split                 -> unsplit-waits, suspected-heavy-subdomain
;;
;; KNOWLEDGE.md, geometric decomposition, C1 to C9. What real traces changed there:
;;
;; - C1 to C3 by rank correlation alone: one late process of 16 among 15 equal ones, whose order is
;;   noise, gives a correlation of 0.17 (of 8: 0.29), which would be noise or a moving load.
;;   So the process that delay costs blame is looked for first, and the correlation is about the
;;   rest only, as far as it is beyond what the sum of the steps explains (oddeven-np16: 0.32, with
;;   0.36 of the imbalance left when steps are added up; it is noise).
;; - C1: the waits that an idle wave makes are mostly waits for processes that wait themselves
;;   (70 % in prk-stencil-slow6), so the process waited for says nothing; delay costs do.
;; - C8 needs no rule of its own: delay costs pass the waits in reductions down to who made them.
;; - C7 (more neighbours than others) is reported with the late subdomain, of which it is a reason.
;;
;; The seconds: waits go to heavy subdomains by their delay cost, the rest to one of the other
;; causes; what is no wait goes to the causes of moving halos and of collectives. So none is claimed twice.
;; Beside a late subdomain those get no more than what each process pays: its neighbours wait for it in
;; calls of which no wait is known. Of collectives the median counts, times their number (the first of a
;; run set up connections), and nothing where clocks or missing records hide the waits in them.

(deftemplate MAIN::geo-fine
  "There is too little computation between two exchanges of small messages."
  (slot run (type STRING)) (slot pattern (type STRING)) (slot times (type INTEGER))
  (slot far (type SYMBOL) (allowed-symbols yes no))) ; an exchange costs more than what it is for

(deftemplate MAIN::geo-cost
  "What moving halos, or collectives, cost beyond waiting, as far as they account for it themselves."
  (slot run (type STRING)) (slot pattern (type STRING))
  (slot of (type SYMBOL) (allowed-symbols halos meetings))
  (slot seconds (type FLOAT)) (slot each (type FLOAT)) (slot share (type FLOAT)))

(deffunction MAIN::geo-has-late (?run ?pattern)
  "Whether a late subdomain is known."
  (any-factp ((?f stepped-late)) (and (eq ?f:run ?run) (eq ?f:pattern ?pattern))))

;; A refinement whose processes share no domain says so (no-domain).
(deffunction MAIN::geo-cut (?run ?pattern ?otherwise)
  "What to do about uneven work, as a part of a sentence."
  (bind ?fix ?otherwise)
  (do-for-all-facts ((?f no-domain)) (and (eq ?f:run ?run) (eq ?f:pattern ?pattern))
    (bind ?fix ?f:fix))
  ?fix)

(deffunction MAIN::geo-cut-fix (?run ?pattern ?otherwise)
  "The same as a sentence."
  (bind ?fix (geo-cut ?run ?pattern ?otherwise))
  (str-cat (upcase (sub-string 1 1 ?fix)) (sub-string 2 (str-length ?fix) ?fix) "."))

(deffunction MAIN::geo-uneven (?run ?pattern)
  "What is uneven, as a sentence."
  (if (any-factp ((?f no-domain)) (and (eq ?f:run ?run) (eq ?f:pattern ?pattern)))
   then "Work is uneven" else "The parts of the domain are uneven"))

(deffunction MAIN::geo-spread (?run ?pattern)
  "How a delay spreads."
  (bind ?how "its neighbours, theirs in turn, and collectives wait for it")
  (do-for-all-facts ((?f no-domain)) (and (eq ?f:run ?run) (eq ?f:pattern ?pattern))
    (bind ?how ?f:spread))
  ?how)

;; ---- level 1 -------------------------------------------------------------------------------

(defrule SYMPTOMS::geo-shape
  "How the domain is cut."
  (pattern (run ?r) (name "geometric-decomposition") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.subdomains") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.exchanges_each") (value ?exchanges))
  (metric (run ?r) (pattern ?p) (name "run.gives_each") (value ?gives))
  (metric (run ?r) (pattern ?p) (name "run.message_mean") (value ?bytes))
  (metric (run ?r) (pattern ?p) (name "run.work_each") (value ?work))
  =>
  (assert (finding (kind observation) (name halo-exchange) (run ?r) (pattern ?p) (healthy yes)
                   (level 1)
                   (text (text "{n} subdomains exchange halos with neighbours {n} times each, {.1} messages of {n} bytes at a time, with {s} of computation per exchange."
                               ?n ?exchanges ?gives ?bytes ?work)))))

(defrule SYMPTOMS::geo-shape-unseen
  "The trace does not record the messages of MPI_Sendrecv, so neighbours are not known."
  (pattern (run ?r) (name "geometric-decomposition") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.subdomains") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.exchanges_each") (value ?exchanges))
  (metric (run ?r) (pattern ?p) (name "run.work_each") (value ?work))
  (unknown (run ?r) (pattern ?p) (name "run.message_mean"))
  =>
  (assert (finding (kind observation) (name halo-exchange) (run ?r) (pattern ?p) (healthy yes)
                   (level 1)
                   (text (text "{n} subdomains exchange with others {n} times each, with {s} of computation per exchange. The trace does not record with whom, so that they are neighbours is an assumption."
                               ?n ?exchanges ?work)))))

(defrule SYMPTOMS::geo-low-efficiency
  "Subdomains spend much of their time outside computation."
  (pattern (run ?r) (name "geometric-decomposition") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.efficiency") (value ?e))
  (test (< ?e ?*efficiency-good*))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  =>
  (assert (finding (kind symptom) (name low-subdomain-efficiency) (run ?r) (pattern ?p)
                   (lost ?lost) (level 1)
                   (text (text "Subdomains compute {%} of their time; {s} are lost."
                               ?e ?lost)))))

(defrule SYMPTOMS::geo-good-efficiency
  "Subdomains compute nearly all the time."
  (pattern (run ?r) (name "geometric-decomposition") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.efficiency") (value ?e))
  (test (>= ?e ?*efficiency-good*))
  =>
  (assert (finding (kind observation) (name good-subdomain-efficiency) (run ?r) (pattern ?p)
                   (healthy yes) (all-clear yes) (level 1)
                   (text (text "Subdomains compute {%} of their time." ?e)))))

;; ---- level 2: where the time goes -----------------------------------------------------------

(defrule REFINE::geo-waiting
  "Waiting is a significant part of the time of the subdomains."
  (finding (kind symptom) (name low-subdomain-efficiency) (run ?r) (pattern ?p) (lost ?lost))
  (metric (run ?r) (pattern ?p) (name "run.wait_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.waiting") (value ?wait))
  (metric (run ?r) (pattern ?p) (name "run.wait_neighbours") (value ?near))
  (metric (run ?r) (pattern ?p) (name "run.wait_meetings") (value ?all))
  =>
  (assert (finding (kind observation) (name subdomains-wait) (run ?r) (pattern ?p) (lost ?wait)
                   (share (/ ?wait ?lost)) (level 2)
                   (text (text "Subdomains wait {s}, {%} of what they lose: {s} for neighbours, {s} in collectives. Collectives only show how late somebody is; the blame is passed down to who made it."
                               ?wait (/ ?wait ?lost) ?near ?all)))))

;; ---- level 3: waiting -------------------------------------------------------------------------

(defrule REFINE::geo-late
  "A subdomain causes more waiting than its share, and computes long enough for it."
  (finding (kind observation) (name subdomains-wait) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "subdomain.delay_share") (location ?l) (value ?share) (of ?n))
  (metric (run ?r) (pattern ?p) (name "subdomain.delay_cost") (location ?l) (value ?cost))
  (metric (run ?r) (pattern ?p) (name "subdomain.relative") (location ?l) (value ?relative))
  (metric (run ?r) (pattern ?p) (name "subdomain.excess") (location ?l) (value ?excess))
  (test (>= ?share (blame-share ?n)))
  (test (is-heavy ?relative ?excess ?cost ?n))
  (metric (run ?r) (pattern ?p) (name "run.in_meetings_least") (value ?least))
  (metric (run ?r) (pattern ?p) (name "run.moving_meetings") (value ?moving))
  =>
  ;; The shortest time that a process is in collectives is what they cost at most: the rest is waiting,
  ;; which only clocks or missing records hide.
  (bind ?hidden 0.0)
  (if (any-factp ((?u stepped-unsure)) (and (eq ?u:run ?r) (eq ?u:pattern ?p)))
   then (bind ?hidden (* ?share (max 0.0 (- ?moving ?least)))))
  (assert (stepped-late (run ?r) (pattern ?p) (location ?l)
                    (cost (max ?cost (min (+ ?cost ?hidden) (* ?excess (max 1 (- ?n 1)))))))))

(defrule CAUSES::geo-heavy-subdomain
  "Waiting spreads from one subdomain, because it computes longer than the others."
  (stepped-late (run ?r) (pattern ?p) (location ?l) (cost ?cost))
  ;; One fault of several is one cause, reported with the one that costs most.
  (not (stepped-late (run ?r) (pattern ?p) (location ?o&~?l)
                 (cost ?c&:(or (> ?c ?cost) (and (= ?c ?cost) (< (str-compare ?o ?l) 0))))))
  (finding (kind observation) (name subdomains-wait) (run ?r) (pattern ?p))
  (not (serial (run ?r) (location ?l)))
  (metric (run ?r) (pattern ?p) (name "subdomain.delay_share") (location ?l) (value ?share) (of ?n))
  (metric (run ?r) (pattern ?p) (name "subdomain.delay_cost") (location ?l))
  (metric (run ?r) (pattern ?p) (name "subdomain.relative") (location ?l) (value ?relative))
  (metric (run ?r) (pattern ?p) (name "subdomain.excess") (location ?l) (value ?excess))
  (metric (run ?r) (pattern ?p) (name "subdomain.compute_time") (location ?l) (value ?compute))
  (metric (run ?r) (pattern ?p) (name "subdomain.given_relative") (location ?l) (value ?rim))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  =>
  (bind ?who (as-heavy-as-any ?r ?p "subdomain.compute_time"))
  (if (not (member$ ?l ?who)) then (bind ?who (create$ ?l)))
  (bind ?all (stepped-blamed ?r ?p))
  (bind ?gain (gain-of-evening-out (excess-of (above-mean ?r ?p "subdomain.compute_time" ?who) ?all ?who ?n)
                                   ?lost ?n))
  (assert (finding (kind cause) (name heavy-subdomain) (run ?r) (pattern ?p)
                   (headline (text "{} {.1} times as long as the others, which wait {s} for {}."
                                   (ranks-compute ?who)
                                   (times-the-others ?r ?p "subdomain.compute_time" ?who ?relative)
                                   ?all (it-or-them ?who)))
                   (fix (geo-cut-fix ?r ?p "cut the domain by measured work"))
                   (gain-kind even-out)
                   (locations ?who) (culprits ?who) (lost ?all) (share (min 1.0 (/ ?all ?lost))) (level 3)
                   (gain ?gain) (functions-of ?l)
                   (what-if (what-if-of "compute" ?who "=" even))
                   (text (str-cat
                           (and-its-like ?who)
                           (text "Subdomain {} computes {s} longer than the median ({s}, {.2} times as long); {}: {s}; {%} of the waiting that can be seen goes back to it."
                                 ?l ?excess ?compute ?relative (geo-spread ?r ?p) ?cost ?share)
                           (if (>= ?rim ?*outlier*)
                            then (text " It also sends {.1} times as many bytes as the mean." ?rim)
                            else "")))
                   (remedy (text "Take about {s} of computation ({%}) off subdomain {}: {}, or look there for work that the others do not have. Up to {s} of run time."
                                 ?excess (/ ?excess ?compute) ?l (geo-cut ?r ?p "cut the domain by measured work") ?gain)))))

;; What is left when the waits of late subdomains are taken off.
(defrule CAUSES::geo-rest
  "Waiting for which no single subdomain is to blame."
  (finding (kind observation) (name subdomains-wait) (run ?r) (pattern ?p) (lost ?wait))
  (metric (run ?r) (pattern ?p) (name "run.static_cost"))
  (metric (run ?r) (pattern ?p) (name "subdomain.delay_share") (rank 1))
  (metric (run ?r) (pattern ?p) (name "run.domain_time") (value ?all))
  =>
  (bind ?rest (- ?wait (stepped-blamed ?r ?p)))
  (if (>= ?rest (* ?*significant* ?all))
   then (assert (stepped-rest (run ?r) (pattern ?p) (role "subdomain") (wait ?rest)))))

(defrule ADVISE::geo-static-imbalance
  "Several parts are heavier than others, all the time."
  (stepped-kind (run ?r) (pattern ?p) (wait ?rest) (kind static))
  (metric (run ?r) (pattern ?p) (name "run.static_cost") (value ?static))
  (metric (run ?r) (pattern ?p) (name "subdomain.relative") (location ?l) (rank 1)
          (value ?relative))
  (metric (run ?r) (pattern ?p) (name "run.subdomains") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  (not (serial (run ?r) (location ?l)))
  =>
  (bind ?heavy (as-heavy-as-any ?r ?p "subdomain.compute_time"))
  (if (not (member$ ?l ?heavy)) then (bind ?heavy (create$ ?l)))
  (bind ?claim (min ?rest ?static))
  (assert (finding (kind cause) (name static-imbalance) (run ?r) (pattern ?p)
                   (headline (text "{}. {} {.1} times as long as the {}, and the others wait {s}."
                                   (geo-uneven ?r ?p) (ranks-compute ?heavy)
                                   (times-the-others ?r ?p "subdomain.compute_time" ?heavy ?relative)
                                   (median-or-others ?heavy) ?claim))
                   (fix (geo-cut-fix ?r ?p "cut the domain by measured work instead of by size"))
                   (gain-kind even-out)
                   (locations ?heavy) (culprits ?heavy) (lost ?claim) (share (/ ?claim ?lost))
                   (level 3) (gain (/ ?static ?n)) (confidence 0.8)
                   (what-if "compute(subdomain)=even")
                   (text (text "{}: subdomain {} computes longest, {.2} times the median, and the others wait {s} for it and its like ({})."
                               (geo-uneven ?r ?p) ?l ?relative ?claim (location-list ?heavy)))
                   (remedy (text "{} Up to {s} of run time."
                                 (geo-cut-fix ?r ?p "cut the domain by measured work instead of by size") (/ ?claim ?n))))))

(defrule CAUSES::geo-blamed
  "Computation is even, and yet most of the waiting goes back to one subdomain: a coupler, a writer."
  (not (in-turn (run ?r)))
  (stepped-rest (run ?r) (pattern ?p))
  (stepped-kind (run ?r) (pattern ?p) (kind even | unknown))
  (metric (run ?r) (pattern ?p) (name "subdomain.delay_share") (location ?l) (rank 1)
          (value ?share&:(>= ?share 0.5)))
  =>
  (assert (blamed (run ?r) (location ?l))))

(defrule ADVISE::geo-serialised
  "Computation is even, and processes wait in chains: the order of the exchange makes them."
  (not (in-turn (run ?r)))
  (stepped-rest (run ?r) (pattern ?p) (wait ?rest))
  (stepped-kind (run ?r) (pattern ?p) (kind even | unknown))
  ;; Who is late after waits that are not split cannot be known.
  (not (metric (run ?r) (pattern ?p) (name "run.unsplit_share") (value ?u&:(>= ?u ?*unknown-large*))))
  (not (stepped-grain (run ?r) (pattern ?p)))
  (metric (run ?r) (pattern ?p) (name "run.chained") (value ?chained&:(>= ?chained ?*chained*)))
  (not (metric (run ?r) (pattern ?p) (name "run.for_one") (value ?one&:(>= (* 2.0 ?one) ?rest))))
  (metric (run ?r) (pattern ?p) (name "run.wait_neighbours") (value ?near))
  (test (>= (* 2.0 ?near) ?rest))
  (metric (run ?r) (pattern ?p) (name "run.subdomains") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  =>
  (bind ?claim (min ?rest ?near))
  (assert (finding (kind cause) (name serialised-exchange) (run ?r) (pattern ?p)
                   (headline (text "Ranks exchange with one neighbour after the other, so delays pass from rank to rank: {s} of waiting."
                                   ?claim))
                   (fix "Post all MPI_Irecv and MPI_Isend of an exchange, then MPI_Waitall.")
                   (gain-kind remove)
                   (lost ?claim) (share (/ ?claim ?lost)) (level 3) (confidence 0.7)
                   (gain (/ ?claim ?n))
                   (text (text "Subdomains wait for neighbours that wait themselves: {%} of {s} of waiting are such chains, while computation is even. Halos are exchanged one neighbour after the other, so that a delay goes from one subdomain to the next."
                               ?chained ?claim))
                   (remedy (text "Post all MPI_Irecv and MPI_Isend of an exchange, then MPI_Waitall; with blocking calls let every second subdomain receive first. Up to {s} of run time."
                                 (/ ?claim ?n))))))

(defrule ADVISE::geo-owners
  "Computation is even, but often one process computes alone, and all wait for it: another one each time."
  (not (in-turn (run ?r)))
  (stepped-rest (run ?r) (pattern ?p) (wait ?rest))
  (stepped-kind (run ?r) (pattern ?p) (kind even | unknown))
  (not (metric (run ?r) (pattern ?p) (name "run.unsplit_share") (value ?u&:(>= ?u ?*unknown-large*))))
  (not (stepped-grain (run ?r) (pattern ?p)))
  (metric (run ?r) (pattern ?p) (name "run.chained") (value ?chained&:(>= ?chained ?*chained*)))
  (metric (run ?r) (pattern ?p) (name "run.for_one") (value ?one&:(>= (* 2.0 ?one) ?rest)))
  (metric (run ?r) (pattern ?p) (name "run.computed_share") (value ?computed))
  (metric (run ?r) (pattern ?p) (name "run.wait_neighbours") (value ?near))
  (test (>= (* 2.0 ?near) ?rest))
  (metric (run ?r) (pattern ?p) (name "run.subdomains") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  =>
  (bind ?claim (min ?rest ?near))
  (assert (finding (kind cause) (name serial-chain) (run ?r) (pattern ?p)
                   (headline (text "Each time another rank computes what the others wait for: {s} of waiting, though all compute equally long in the end."
                                   ?claim))
                   (fix "Compute and send first what others wait for (look-ahead), or share out that part of the work.")
                   (gain-kind remove)
                   (lost ?claim) (share (/ ?claim ?lost)) (level 3) (confidence 0.7)
                   (gain (/ ?claim ?n))
                   (text (text "Subdomains wait {s} for one another, {%} of it because somebody computes meanwhile, and {%} for processes that have waited themselves; yet all compute equally long. Often exactly one computes, another one each time: something that the others need before they can go on: their work is done one after the other."
                               ?claim ?computed ?chained))
                   (remedy (text "Let each do first what others wait for, send it, and then the rest (look-ahead); or cut that part into pieces for several. Up to {s} of run time."
                                 (/ ?claim ?n))))))

(defrule ADVISE::geo-jitter
  "Computation is even, nobody is to blame, and the waits are no chains."
  (not (in-turn (run ?r)))
  (stepped-rest (run ?r) (pattern ?p) (wait ?rest))
  (stepped-kind (run ?r) (pattern ?p) (kind even | unknown))
  ;; Who is late after waits that are not split cannot be known.
  (not (metric (run ?r) (pattern ?p) (name "run.unsplit_share") (value ?u&:(>= ?u ?*unknown-large*))))
  (not (stepped-grain (run ?r) (pattern ?p)))
  (metric (run ?r) (pattern ?p) (name "run.chained") (value ?chained))
  (metric (run ?r) (pattern ?p) (name "run.wait_neighbours") (value ?near))
  (test (or (< ?chained ?*chained*) (< (* 2.0 ?near) ?rest)))
  (metric (run ?r) (pattern ?p) (name "run.wait_meetings") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.subdomains") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  (not (blamed (run ?r)))
  =>
  (bind ?meet (>= (* 2.0 ?all) ?rest))
  (assert (finding (kind cause) (name exchange-jitter) (run ?r) (pattern ?p)
                   (headline (text "Ranks wait {s} for one another {}, though their work is even. No rank is to blame."
                                   ?rest (if ?meet then "in collectives" else "at exchanges")))
                   (fix (if ?meet
                         then "Call collectives less often: one for several values or pieces; or MPI_Iallreduce, completed later."
                         else "Run no more ranks than cores and bind them; exchange less often, and post receives early."))
                   (gain-kind remove)
                   (lost ?rest) (share (/ ?rest ?lost)) (level 3) (confidence 0.6)
                   (gain (/ ?rest ?n))
                   (text (text "Subdomains wait {s} for one another, but neither their totals of computation nor those of common steps differ by as much. Computation varies from one exchange to the next, calls take sometimes longer, or processes are held up from outside; nobody is to blame."
                               ?rest))
                   (remedy (if ?meet
                            then "Pieces between two collectives are unequal, and even out over a step: let one collective stand for several, or complete them later (MPI_Iallreduce), so that nobody waits for each piece of the others."
                            else "See that no more processes run than there are cores, and bind them; exchange less often with wider halos, and post receives early, so that a short delay is made up for before anybody waits.")))))

;; ---- level 3: moving halos ------------------------------------------------------------------------

(defrule CAUSES::geo-halo-cost
  "Moving halos costs what it takes beyond waiting. Beside a late subdomain it costs what it costs all."
  (pattern (run ?r) (name "geometric-decomposition") (id ?p))
  (exists (finding (kind symptom) (name low-subdomain-efficiency) (run ?r) (pattern ?p)))
  (exists (metric (run ?r) (pattern ?p) (name "run.halo_share") (value ?part&:(>= ?part ?*significant*))))
  (metric (run ?r) (pattern ?p) (name "run.moving_halos") (value ?moving))
  (metric (run ?r) (pattern ?p) (name "run.least_moving") (value ?least))
  (metric (run ?r) (pattern ?p) (name "run.exchanges") (value ?count&:(> ?count 0.0)))
  (metric (run ?r) (pattern ?p) (name "run.domain_time") (value ?all))
  =>
  ;; Neighbours of a late subdomain seem to pay more: they are held up by it in calls that are no waits.
  (bind ?cost (if (geo-has-late ?r ?p) then (min ?moving ?least) else ?moving))
  (if (>= ?cost (* ?*significant* ?all))
   then (assert (geo-cost (run ?r) (pattern ?p) (of halos) (seconds ?cost) (each (/ ?cost ?count))
                          (share (/ ?cost ?all))))))

(defrule CAUSES::geo-fine
  "There is too little computation between two exchanges of small messages."
  (geo-cost (run ?r) (pattern ?p) (of halos) (each ?cost))
  (pattern (run ?r) (name "geometric-decomposition") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.work_each") (value ?work))
  (test (< ?work (* ?*grain-fine* ?cost)))
  (metric (run ?r) (pattern ?p) (name "run.message_mean") (value ?bytes&:(< ?bytes ?*message-large*)))
  =>
  (if (< ?work ?cost) then (assert (stepped-grain (run ?r) (pattern ?p) (wait 0.0))))
  (assert (geo-fine (run ?r) (pattern ?p) (far (if (< ?work ?cost) then yes else no))
                    (times (max 2 (integer (+ 0.999 (/ (* ?*grain-good* ?cost) (max ?work 1e-12)))))))))

(defrule ADVISE::geo-fine-halo
  "The grain is too fine: moving halos costs too much for the computation between two exchanges."
  (geo-fine (run ?r) (pattern ?p) (times ?times) (far ?far))
  (not (refined (run ?r) (pattern ?p) (name fine-grain)))
  (geo-cost (run ?r) (pattern ?p) (of halos) (seconds ?moving) (each ?cost) (share ?share))
  (metric (run ?r) (pattern ?p) (name "run.halo_each"))
  (metric (run ?r) (pattern ?p) (name "run.work_each") (value ?work))
  (metric (run ?r) (pattern ?p) (name "run.message_mean") (value ?bytes))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.subdomains") (value ?n))
  =>
  ;; Waits that no computation accounts for are waits for neighbours that are in such calls; and
  ;; noise does not average out over steps as short as these.
  (bind ?waits 0.0)
  (do-for-all-facts ((?f stepped-kind))
    (and (eq ?far yes) (eq ?f:run ?r) (eq ?f:pattern ?p) (neq ?f:kind static) (neq ?f:kind moving))
    (bind ?waits ?f:wait))
  (bind ?all (+ ?moving ?waits))
  (assert (finding (kind cause) (name fine-grain) (run ?r) (pattern ?p)
                   (headline (text "The grain is too fine: {s} of computation per exchange, which costs {s} beyond waiting."
                                   ?work ?cost))
                   (fix (text "Give an exchange about {n} times the work: fewer, larger subdomains, or wider halos exchanged less often."
                              ?times))
                   (gain-kind remove)
                   (lost ?all) (share (min 1.0 (/ ?all ?lost))) (level 3)
                   (gain (/ (* ?all (- 1.0 (/ 1.0 ?times))) ?n))
                   ;; Collectives do not become fewer with the exchanges.
                   (what-if (if (any-factp ((?c geo-cost)) (and (eq ?c:run ?r) (eq ?c:pattern ?p)
                                                                (eq ?c:of meetings)))
                             then "" else (what-if-of "transfer" all "/" ?times)))
                   (text (str-cat
                           (text "The grain is too fine: {s} of computation per exchange, and an exchange costs {s} beyond waiting, for messages of {n} bytes. That is {s}, {%} of the time of the subdomains."
                                 ?work ?cost ?bytes ?moving ?share)
                           (if (> ?waits 0.0)
                            then (text " Another {s} are waits that no computation accounts for: neighbours are in such calls themselves, and so short steps do not average anything out." ?waits)
                            else "")))
                   (remedy (text "Give an exchange about {n} times the work, so that computation is {n} times its cost: fewer, larger subdomains (threads inside), or halos several layers deep that are exchanged every few steps; put all fields for a neighbour into one message."
                                 ?times (integer ?*grain-good*))))))

(defrule CAUSES::geo-no-overlap
  "Exchanges take a good part of the time although they are not too frequent, and nothing is computed meanwhile."
  (geo-cost (run ?r) (pattern ?p) (of halos) (seconds ?moving) (each ?cost) (share ?share))
  (not (refined (run ?r) (pattern ?p) (name no-overlap)))
  (metric (run ?r) (pattern ?p) (name "run.halo_each"))
  (pattern (run ?r) (name "geometric-decomposition") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.work_each") (value ?work))
  (metric (run ?r) (pattern ?p) (name "run.message_mean") (value ?bytes))
  (test (or (>= ?work (* ?*grain-fine* ?cost)) (>= ?bytes ?*message-large*)))
  (metric (run ?r) (pattern ?p) (name "run.overlap") (value ?overlap&:(< ?overlap ?*overlap-little*)))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.surface") (value ?surface))
  (metric (run ?r) (pattern ?p) (name "run.subdomains") (value ?n))
  =>
  (bind ?hidden (* ?moving (min 1.0 (/ ?work (max ?cost 1e-12)))))
  (assert (finding (kind cause) (name no-overlap) (run ?r) (pattern ?p)
                   (headline (text "Nothing is computed during halo exchanges, which take {%} of the process time, {s} each."
                                   ?share ?cost))
                   (fix "Post MPI_Irecv and MPI_Isend, compute the interior, then complete them and compute the boundary.")
                   (gain-kind remove)
                   (lost ?moving) (share (/ ?moving ?lost)) (level 3) (confidence 0.8)
                   (gain (/ ?hidden ?n))
                   (text (text "Nothing is computed while halos are under way ({%} of the time of exchanges): moving them takes {s}, {%} of the time of the subdomains, {s} per exchange of messages of {n} bytes ({n} MB per second of computation)."
                               ?overlap ?moving ?share ?cost ?bytes (/ ?surface 1e6)))
                   (remedy (text "Post MPI_Irecv and MPI_Isend, compute the interior, then complete and compute the boundary: {s} of computation per exchange can hide {s}; up to {s} of run time."
                                 ?work (min ?work ?cost) (/ ?hidden ?n))))))

(defrule CAUSES::geo-volume
  "Halos are moved while something is computed, and still take long: their surface is too large."
  (geo-cost (run ?r) (pattern ?p) (of halos) (seconds ?moving) (each ?cost) (share ?share))
  (not (refined (run ?r) (pattern ?p) (name halo-volume)))
  (metric (run ?r) (pattern ?p) (name "run.halo_each"))
  (pattern (run ?r) (name "geometric-decomposition") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.work_each") (value ?work))
  (metric (run ?r) (pattern ?p) (name "run.message_mean") (value ?bytes))
  (test (or (>= ?work (* ?*grain-fine* ?cost)) (>= ?bytes ?*message-large*)))
  (metric (run ?r) (pattern ?p) (name "run.overlap") (value ?overlap&:(>= ?overlap ?*overlap-little*)))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.surface") (value ?surface))
  (metric (run ?r) (pattern ?p) (name "run.subdomains") (value ?n))
  =>
  (assert (finding (kind cause) (name halo-volume) (run ?r) (pattern ?p)
                   (headline (text "Halos are large for the work behind them: moving them takes {%} of the process time, {n} bytes per message."
                                   ?share ?bytes))
                   (fix "Cut the domain into fewer or more cubic parts; send only what changed, or at lower precision.")
                   (gain-kind remove)
                   (lost ?moving) (share (/ ?moving ?lost)) (level 3) (confidence 0.7)
                   (gain (/ (* 0.5 ?moving) ?n))
                   (text (text "Halos are large for the work behind them: {n} MB per second of computation, messages of {n} bytes; moving them takes {s}, {%} of the time of the subdomains, although {%} of the time of exchanges is computation."
                               (/ ?surface 1e6) ?bytes ?moving ?share ?overlap))
                   (remedy "Cut the domain into fewer or more cubic parts (an eighth of the processes with threads inside halves the surface per volume in 3-D, a quarter in 2-D); send only what changed, or with less precision."))))

;; ---- level 3: collectives beyond waiting ------------------------------------------------------------

(defrule REFINE::geo-unsure-clocks
  "Clocks may be wrong by more than a collective takes."
  (declare (salience 10)) ; before somebody is found late
  (pattern (run ?r) (name "geometric-decomposition") (id ?p))
  (exists (finding (kind symptom) (name low-subdomain-efficiency) (run ?r) (pattern ?p)))
  (metric (run ?r) (pattern ?p) (name "run.clock_error") (value ?error))
  (metric (run ?r) (pattern ?p) (name "run.meeting_typical") (value ?each&:(< ?each ?error)))
  =>
  (assert (stepped-unsure (run ?r) (pattern ?p)
                      (why (text "clocks may be wrong by {s}, more than the {s} that one seems to take"
                                 ?error ?each)))))

(defrule REFINE::geo-incomplete
  "Many collectives lack the part of some member."
  (declare (salience 10)) ; before somebody is found late
  (pattern (run ?r) (name "geometric-decomposition") (id ?p))
  (exists (finding (kind symptom) (name low-subdomain-efficiency) (run ?r) (pattern ?p)))
  (metric (run ?r) (pattern ?p) (name "run.meetings") (value ?count))
  (metric (run ?r) (pattern ?p) (name "run.subdomains") (value ?n))
  (quality (run ?r) (note "unmatched-collective") (count ?k))
  (test (>= (* ?k ?n) (* ?*incomplete* ?count)))
  =>
  (assert (stepped-unsure (run ?r) (pattern ?p)
                      (why (text "the trace lacks parts of {n} of them" ?k)))))

(defrule CAUSES::geo-unsure-cost
  "The trace does not show which part of collectives is waiting."
  (stepped-unsure (run ?r) (pattern ?p) (why ?why))
  (not (stepped-unsure (run ?r) (pattern ?p) (why ?w&:(> (str-compare ?w ?why) 0)))) ; one reason is enough
  (metric (run ?r) (pattern ?p) (name "run.meeting_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.moving_meetings") (value ?moving))
  =>
  (assert (finding (kind observation) (name unsure-collectives) (run ?r) (pattern ?p) (lost ?moving)
                   (level 2)
                   (text (text "Collectives take {s} beyond the waiting that can be seen, but all of that may be waiting: {}."
                               ?moving ?why)))))

(defrule CAUSES::geo-meeting-cost
  "What the usual collective costs, as often as there are some: not that of set-up, or of a delay."
  (pattern (run ?r) (name "geometric-decomposition") (id ?p))
  (exists (finding (kind symptom) (name low-subdomain-efficiency) (run ?r) (pattern ?p)))
  (exists (metric (run ?r) (pattern ?p) (name "run.meeting_share") (value ?part&:(>= ?part ?*significant*))))
  (metric (run ?r) (pattern ?p) (name "run.meeting_typical") (value ?each))
  (not (stepped-unsure (run ?r) (pattern ?p)))
  (metric (run ?r) (pattern ?p) (name "run.meetings") (value ?count))
  (metric (run ?r) (pattern ?p) (name "run.subdomains") (value ?n))
  (test (>= ?count (* ?*collectives-enough* ?n)))
  (metric (run ?r) (pattern ?p) (name "run.moving_meetings") (value ?moving))
  (metric (run ?r) (pattern ?p) (name "run.least_meeting") (value ?least))
  (metric (run ?r) (pattern ?p) (name "run.domain_time") (value ?all))
  =>
  (bind ?cost (min ?moving (* ?each ?count)))
  (if (geo-has-late ?r ?p) then (bind ?cost (min ?cost ?least)))
  (if (>= ?cost (* ?*significant* ?all))
   then (assert (geo-cost (run ?r) (pattern ?p) (of meetings) (seconds ?cost) (each (/ ?cost ?count))
                          (share (/ ?cost ?all))))))

(defrule CAUSES::geo-costly-reductions
  "Collectives take long beyond waiting for the last process, and follow closely on each other."
  (declare (salience -5)) ; after the cost of halos: what replays both does not tell one from the other
  (logical (pattern (run ?r) (id ?p))
           (not (finding (kind cause) (name large-collectives) (run ?r))))
  (geo-cost (run ?r) (pattern ?p) (of meetings) (seconds ?moving) (each ?cost) (share ?share))
  (metric (run ?r) (pattern ?p) (name "run.meeting_typical"))
  (metric (run ?r) (pattern ?p) (name "run.between_meetings") (value ?work))
  (test (< ?work (* ?*grain-fine* ?cost)))
  (metric (run ?r) (pattern ?p) (name "run.meetings") (value ?count))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.subdomains") (value ?n))
  =>
  (assert (finding (kind cause) (name costly-reductions) (run ?r) (pattern ?p)
                   (headline (text "Collective operations take {s} each beyond waiting, after {s} of computation: {%} of the process time."
                                   ?cost ?work ?share))
                   (fix "Reduce only every second step or several values at once, or use MPI_Iallreduce and complete it later.")
                   (gain-kind remove)
                   (lost ?moving) (share (/ ?moving ?lost)) (level 3) (confidence 0.7)
                   (gain (/ (* 0.5 ?moving) ?n))
                   (what-if (if (any-factp ((?c geo-cost)) (and (eq ?c:run ?r) (eq ?c:pattern ?p)
                                                                (eq ?c:of halos)))
                             then "" else (what-if-of "transfer" all "/" 2)))
                   (text (text "Reductions and other collectives take {s} each beyond waiting, after {s} of computation on average, {n} per subdomain: {s}, {%} of the time of the subdomains."
                               ?cost ?work (/ ?count ?n) ?moving ?share))
                   (remedy (text "Reduce only every second step or several values at once (half as many save {s} of run time), or use MPI_Iallreduce and complete it a step later. If there are more processes than cores, that is what makes collectives slow."
                                 (/ (* 0.5 ?moving) ?n))))))

;; ---- what the trace does not show -------------------------------------------------------------------

(defrule ADVISE::geo-unsplit-even
  "Waits are not split, and computation is even: what can still be said."
  (finding (kind symptom) (name low-subdomain-efficiency) (run ?r) (pattern ?p) (lost ?lost))
  (metric (run ?r) (pattern ?p) (name "run.unsplit_share") (value ?share&:(>= ?share ?*unknown-large*)))
  (metric (run ?r) (pattern ?p) (name "run.unsplit") (value ?unsplit))
  (metric (run ?r) (pattern ?p) (name "subdomain.relative") (location ?l) (rank 1) (value ?relative))
  (metric (run ?r) (pattern ?p) (name "run.work_each") (value ?work))
  (metric (run ?r) (pattern ?p) (name "run.exchanges_each") (value ?count))
  (metric (run ?r) (pattern ?p) (name "run.subdomains") (value ?n))
  =>
  (bind ?each (/ ?unsplit (max 1.0 (* ?count ?n))))
  (assert (finding (kind observation) (name unsplit-waits) (run ?r) (pattern ?p) (lost ?unsplit)
                   (share (/ ?unsplit ?lost)) (level 3)
                   (text (text "{s} ({%} of the time of the subdomains) are in MPI_Wait and its like, {s} per exchange against {s} of computation. The trace has no records of receives that complete there, so late neighbours and slow transfer cannot be distinguished. What can be said: the heaviest subdomain ({}) computes {.2} times the median{}."
                               ?unsplit ?share ?each ?work ?l ?relative
                               (if (< ?relative ?*heavy*)
                                then ", so uneven parts are not the reason"
                                else ""))))))

(defrule ADVISE::geo-suspected-subdomain
  "Some subdomains compute longer than the others and are that much less in calls."
  (pattern (run ?r) (name "geometric-decomposition") (id ?p))
  (exists (finding (kind symptom) (name low-subdomain-efficiency) (run ?r) (pattern ?p)))
  (metric (run ?r) (pattern ?p) (name "run.unsplit_share") (value ?share&:(>= ?share ?*unknown-large*)))
  (metric (run ?r) (pattern ?p) (name "subdomain.in_calls") (location ?l) (value ?in))
  (metric (run ?r) (pattern ?p) (name "subdomain.compute_time") (location ?l) (rank 1) (of ?n))
  (metric (run ?r) (pattern ?p) (name "subdomain.relative") (location ?l)
          (value ?relative&:(>= ?relative ?*heavy*)))
  (not (stepped-late (run ?r) (pattern ?p)))
  (not (serial (run ?r) (location ?l)))
  ;; Nor is anybody to blame for steps that are uneven in another way each time.
  (not (metric (run ?r) (pattern ?p) (name "run.step_kept") (value ?kept&:(< ?kept ?*kept-static*))))
  (metric (run ?r) (pattern ?p) (name "run.domain_time") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.unsplit") (value ?unsplit))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  =>
  (bind ?who (as-heavy-as-any ?r ?p "subdomain.compute_time"))
  ;; The heaviest hardly waits: the time that the others are longer in calls than it, they wait for it.
  (bind ?above (above-mean ?r ?p "subdomain.compute_time" ?who))
  (bind ?less (min ?above (- (mean-of ?r ?p "subdomain.in_calls" 0.0 (create$)) ?in)))
  (bind ?waits (min (* ?less ?n) ?unsplit))
  (bind ?times (times-the-others ?r ?p "subdomain.compute_time" ?who ?relative))
  (if (>= (* ?less ?n) (* ?*significant* ?all)) then
    (assert (finding (kind cause) (name suspected-heavy-subdomain) (run ?r) (pattern ?p)
                     (headline (text "{} {.1} times as long as the {} and {s} less in MPI calls: the others probably wait."
                                     (ranks-compute ?who) ?times (median-or-others ?who) ?less))
                     (fix "Cut the domain by measured work; to be sure, trace again with receive completions (Score-P).")
                     (gain-kind even-out)
                     (locations ?who) (culprits ?who) (lost ?waits) (share (/ ?waits ?lost)) (level 3)
                     (confidence 0.6) (gain ?less) (functions-of ?l)
                     (text (str-cat
                             (and-its-like ?who)
                             (text "Subdomain {} computes {s} longer than the mean ({.2} times as long as the {}) and is {s} less in calls: the others probably wait for it. The trace does not record whom they wait for; this is inferred from the totals."
                                   ?l ?above ?times (median-or-others ?who) ?less)))
                     (remedy (text "Give subdomain {} about {s} less to compute; trace with receive completions (Score-P) to be sure."
                                   ?l ?above))))))

;; wavefront: KNOWLEDGE.md, "Wavefront (Sweep3D, SNAP, NPB-LU, Kripke)". The tree:
;;
;;   level 1   symptom      low efficiency
;;             observation  shape: chain, grid or irregular; K blocks per sweep, depth D
;;   level 2   observation  filling, turning, draining; waiting in the middle of sweeps; moving blocks
;;   level 3   cause        of filling and turning, one of: elongated-grid, blocks-too-coarse,
;;                          sweep-turns, fill-and-drain
;;             cause        of waiting in the middle, one of: step-imbalance, back-pressure, step-jitter
;;             cause        of moving blocks, one of: blocks-too-fine, slow-transfer
;;             cause        of waiting in collectives behind sweeps: drain-at-collective
;;
;; Each second of waiting belongs to the first block of a sweep or to a later one, to a receive, a
;; send or a collective, so the four groups cannot claim the same one. No cause claims more than
;; its reason can account for; what is left is for the general rules of message passing.
;;
;; Unlike KNOWLEDGE: where sweeps change direction, a process waits for its first block while the old sweep
;; drains and the new one fills (at depth d of D: 2 (D - d) steps), so filling and draining can be
;; distinguished only at a start and behind collectives. And "K > 2 K*" alone is no cause of blocks-too-fine:
;; it needs moving blocks to cost time (a third of it on npb-lu-W, with K = 31 and K* near 8).

(deffunction MAIN::wf-cells (?run ?pattern)
  "Labels of the processes of the grid."
  (bind ?labels (create$))
  (do-for-all-facts ((?f role))
    (and (eq ?f:run ?run) (eq ?f:pattern ?pattern) (eq ?f:name "cell"))
    (bind ?labels (create$ ?labels ?f:location)))
  ?labels)

(deffunction MAIN::wf-part (?part ?all)
  (if (> ?all 0.0) then (min 1.0 (/ ?part ?all)) else 0.0))

(deffunction MAIN::wf-sweeps (?n)
  "?n sweeps in words."
  (text (if (= (integer (+ 0.5 ?n)) 1) then "{n} sweep" else "{n} sweeps") ?n))

(deffunction MAIN::wf-is-part (?run ?pattern ?n)
  "Whether only some processes of the run are the ?n of the grid: then nobody knows what the run gains."
  (and (str-index "@" ?pattern)
       (any-factp ((?f run)) (and (eq ?f:id ?run) (> ?f:processes ?n)))))

(deffunction MAIN::wf-gain (?run ?pattern ?n ?gain)
  "Slot `gain` of a finding: ?gain seconds of run time, or unknown in a part of the run."
  (if (wf-is-part ?run ?pattern ?n) then -1.0 else ?gain))

(deffunction MAIN::wf-saves (?run ?pattern ?n ?gain)
  "?gain seconds in words: of run time, or of the time of these processes."
  (if (wf-is-part ?run ?pattern ?n)
   then (text "{s} of the time of these {n} processes (the run ends no earlier than the others let it)" ?gain ?n)
   else (text "{s} of run time" ?gain)))

(deffunction MAIN::wf-width (?p ?sum)
  "The shorter side of a grid of ?p processes whose sides add up to ?sum, or 0 when there is none."
  (bind ?d (- (* ?sum ?sum) (* 4 ?p)))
  (bind ?side (if (< ?d -0.5) then 0 else (integer (+ 0.5 (/ (- ?sum (sqrt (max 0.0 ?d))) 2.0)))))
  (if (and (> ?side 0) (= (integer (+ 0.5 (* ?side (- ?sum ?side)))) (integer (+ 0.5 ?p))))
   then ?side else 0))

(deffunction MAIN::wf-squarest (?p)
  "The shorter side of the most square grid of ?p processes."
  (bind ?n (integer (+ 0.5 ?p)))
  (bind ?side (integer (sqrt ?n)))
  (while (and (> ?side 1) (<> 0 (mod ?n ?side)))
    (bind ?side (- ?side 1)))
  (max 1 ?side))

(deffunction MAIN::wf-less-deep (?n ?depth)
  "Share of the depth that the most square grid of ?n processes saves, or 0 where that is not much."
  (bind ?side (wf-squarest ?n))
  (bind ?best (+ ?side (/ ?n ?side) -2))
  (if (and (> ?depth (* ?*grid-elongated* 2.0 (- (sqrt ?n) 1.0))) (< ?best (- ?depth 0.5)))
   then (- 1.0 (/ ?best ?depth))
   else 0.0))

(deffunction MAIN::wf-not-shape (?run ?pattern ?seconds)
  "What is left of waiting for first blocks when the share due to a long and narrow grid is taken off."
  (bind ?less 0.0)
  (do-for-fact ((?f finding) (?n metric) (?d metric))
    (and (eq ?f:run ?run) (eq ?f:pattern ?pattern) (member$ ?f:name (create$ grid chain))
         (eq ?n:run ?run) (eq ?n:pattern ?pattern) (eq ?n:name "run.cells")
         (eq ?d:run ?run) (eq ?d:pattern ?pattern) (eq ?d:name "run.depth"))
    (bind ?less (wf-less-deep ?n:value ?d:value)))
  (* ?seconds (- 1.0 ?less)))

(deffunction MAIN::wf-is-heavy (?lambda ?excess ?waiting ?n ?delayed ?delays)
  "Whether the heaviest of ?n processes is to blame: it computes longer per step, by enough to
   explain half of the waiting, and the waiting goes back to it. Where full buffers hold senders, origins of
   most waiting are not known."
  (and (> ?lambda ?*step-imbalance*)
       (>= (* 2.0 ?excess ?n) ?waiting)
       (or (>= ?delayed (* (min 0.75 (/ ?*blame* ?n)) ?delays))
           (< (* 2.0 ?delays) ?waiting))))

(deffunction MAIN::wf-delayed (?run ?pattern)
  "Waiting that goes back to the processes with the longest steps, such as a row of the grid."
  (sum-of ?run ?pattern "cell.delayed" (as-heavy-as-any ?run ?pattern "cell.step_work")))

(deffunction MAIN::wf-is-fine (?ratio ?k ?best)
  "Whether blocks are too fine: little work per message, and fewer blocks would be better."
  (and (< ?ratio ?*grain-fine*) (< ?best ?k)))

;; ---- level 1 ---------------------------------------------------------------------------------

(defrule SYMPTOMS::wf-explains
  "The rules of the wavefront account for its waiting and for what moving blocks costs."
  (pattern (run ?r) (name "wavefront") (id ?p))
  =>
  (assert (explained (run ?r) (pattern ?p) (loss waiting))
          (explained (run ?r) (pattern ?p) (loss grain))
          (explained (run ?r) (pattern ?p) (loss transfer))))

(defrule SYMPTOMS::wf-chain
  "The processes form a chain."
  (pattern (run ?r) (name "wavefront") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.n_end") (value ?ends&:(= ?ends 2.0)))
  (metric (run ?r) (pattern ?p) (name "run.cells") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.n_corner") (value ?inside&:(= ?inside (- ?n 2.0))))
  (metric (run ?r) (pattern ?p) (name "run.depth") (value ?d))
  (metric (run ?r) (pattern ?p) (name "run.blocks") (value ?k))
  (metric (run ?r) (pattern ?p) (name "run.sweeps") (value ?s))
  (metric (run ?r) (pattern ?p) (name "run.ideal") (value ?ideal))
  =>
  (assert (finding (kind observation) (name chain) (run ?r) (pattern ?p) (healthy yes) (level 1)
                   (text (text "The sweeps go along a chain of {n} processes: {} of {.1} blocks (K), {n} steps deep (D). Filling and draining leave at best K / (K + D) = {%}."
                               ?n (wf-sweeps ?s) ?k ?d ?ideal)))))

(defrule SYMPTOMS::wf-grid
  "The processes form a grid."
  (pattern (run ?r) (name "wavefront") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.n_end") (value ?ends&:(= ?ends 0.0)))
  (metric (run ?r) (pattern ?p) (name "run.n_odd") (value ?odd&:(= ?odd 0.0)))
  (metric (run ?r) (pattern ?p) (name "run.n_corner") (value ?corners&:(= ?corners 4.0)))
  (metric (run ?r) (pattern ?p) (name "run.cells") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.depth") (value ?d))
  (test (> (wf-width ?n (+ ?d 2.0)) 1))
  (metric (run ?r) (pattern ?p) (name "run.blocks") (value ?k))
  (metric (run ?r) (pattern ?p) (name "run.sweeps") (value ?s))
  (metric (run ?r) (pattern ?p) (name "run.ideal") (value ?ideal))
  =>
  (bind ?width (wf-width ?n (+ ?d 2.0)))
  (assert (finding (kind observation) (name grid) (run ?r) (pattern ?p) (healthy yes) (level 1)
                   (text (text "The sweeps go over a grid of {n} x {n} processes: {} of {.1} blocks (K), {n} steps deep (D). Filling and draining leave at best K / (K + D) = {%}."
                               ?width (/ ?n ?width) (wf-sweeps ?s) ?k ?d ?ideal)))))

(defrule SYMPTOMS::wf-irregular
  "The processes form neither a chain nor a flat grid; the model does not apply."
  (pattern (run ?r) (name "wavefront") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.cells") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.blocks") (value ?k))
  (metric (run ?r) (pattern ?p) (name "run.sweeps") (value ?s))
  (not (finding (name chain | grid) (run ?r) (pattern ?p)))
  =>
  (assert (finding (kind observation) (name irregular) (run ?r) (pattern ?p) (healthy yes) (level 1)
                   (text (text "The sweeps are irregular: the {n} processes form neither a chain nor a flat grid. A process takes part in {} of {.1} blocks; how deep they are is not known."
                               ?n (wf-sweeps ?s) ?k)))))

(defrule SYMPTOMS::wf-low-efficiency
  "Much of the process time is not computation."
  (pattern (run ?r) (name "wavefront") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.efficiency") (value ?e&:(< ?e ?*efficiency-good*)))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  =>
  (assert (finding (kind symptom) (name low-wavefront-efficiency) (run ?r) (pattern ?p)
                   (lost ?lost) (level 1)
                   (text (text "The processes of the sweeps compute for {%} of the run; {s} of process time are lost."
                               ?e ?lost)))))

(defrule SYMPTOMS::wf-good-efficiency
  "The sweeps keep the processes busy."
  (pattern (run ?r) (name "wavefront") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.efficiency") (value ?e&:(>= ?e ?*efficiency-good*)))
  =>
  (assert (finding (kind observation) (name good-wavefront-efficiency) (run ?r) (pattern ?p)
                   (healthy yes) (all-clear yes) (level 1)
                   (text (text "The sweeps keep the processes busy: they compute for {%} of the run." ?e)))))

(defrule SYMPTOMS::wf-fill-and-drain
  "What filling and draining cost is reported in any case."
  (pattern (run ?r) (name "wavefront") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.fill") (value ?fill))
  (metric (run ?r) (pattern ?p) (name "run.turn") (value ?turn))
  (metric (run ?r) (pattern ?p) (name "run.drain") (value ?drain))
  (metric (run ?r) (pattern ?p) (name "run.first_wait") (value ?waits))
  (metric (run ?r) (pattern ?p) (name "run.fill_drain") (value ?sum))
  (metric (run ?r) (pattern ?p) (name "run.fill_drain_share") (value ?share))
  =>
  (assert (finding (kind observation) (name filling-and-draining) (run ?r) (pattern ?p)
                   (level 1)
                   (healthy (if (< ?share ?*significant*) then yes else no)) (lost ?sum)
                   (text (str-cat
                     (text "Processes wait {s} for the first block of a sweep: {s} at the start and behind collectives, {s} where they change direction. The depth of the sweeps explains {s} of it ({%} of the process time) as filling and draining."
                           ?waits ?fill ?turn ?sum ?share)
                     (if (> ?drain 0.0)
                      then (text " Another {s} is waited in collectives, where the end of a drain shows." ?drain)
                      else ""))))))

;; ---- level 2 ---------------------------------------------------------------------------------

(defrule REFINE::wf-steady
  "Processes wait for blocks in the middle of sweeps, too."
  (finding (kind symptom) (name low-wavefront-efficiency) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.steady_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.steady") (value ?sum))
  (metric (run ?r) (pattern ?p) (name "run.late") (value ?late))
  (metric (run ?r) (pattern ?p) (name "run.held") (value ?held))
  (metric (run ?r) (pattern ?p) (name "run.ahead") (value ?ahead))
  (metric (run ?r) (pattern ?p) (name "run.imbalance") (value ?lambda))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  =>
  (assert (finding (kind observation) (name steady-waiting) (run ?r) (pattern ?p) (lost ?sum)
                   (share (wf-part ?sum ?lost)) (level 2)
                   (text (text "In the middle of sweeps, {s} ({%} of the process time) are waited: {s} in receives for later blocks, {s} in sends, {s} afterwards by processes that ran ahead. Steps are {%} longer in the heaviest process than on average."
                               ?sum ?share ?late ?held ?ahead ?lambda)))))

(defrule REFINE::wf-model
  "The model of a sweep says how many blocks are best."
  (finding (kind symptom) (name low-wavefront-efficiency) (run ?r) (pattern ?p))
  (finding (name chain | grid) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.blocks") (value ?k))
  (metric (run ?r) (pattern ?p) (name "run.best_blocks") (value ?best))
  (metric (run ?r) (pattern ?p) (name "run.grain") (value ?g))
  (metric (run ?r) (pattern ?p) (name "run.overhead") (value ?o))
  (metric (run ?r) (pattern ?p) (name "run.grain_ratio") (value ?ratio))
  (metric (run ?r) (pattern ?p) (name "run.sweep_time") (value ?now))
  (metric (run ?r) (pattern ?p) (name "run.best_time") (value ?then))
  =>
  (assert (finding (kind observation) (name sweep-model) (run ?r) (pattern ?p) (level 3)
                   (healthy yes)
                   (text (text "A step computes {s} (g) and moves blocks for {s} (o), g / o = {.1}. By T(K) = (K + D) (W / K + o) a sweep of {.1} blocks takes {s}; the best number is sqrt(D W / o) = {.1}, with {s}."
                               ?g ?o ?ratio ?k ?now ?best ?then)))))

;; ---- level 3: first blocks ------------------------------------------------------------------------

(defrule CAUSES::wf-elongated
  "The grid is long and narrow, so sweeps are deep."
  (finding (name low-wavefront-efficiency) (run ?r) (pattern ?p))
  (finding (name grid | chain) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.fill_drain_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.fill_drain") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.cells") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.depth") (value ?d))
  (test (> (wf-less-deep ?n ?d) 0.0))
  =>
  (bind ?a (wf-squarest ?n))
  (bind ?b (/ ?n ?a))
  (bind ?cost (* ?lost (wf-less-deep ?n ?d)))
  (assert (finding (kind cause) (name elongated-grid) (run ?r) (pattern ?p)
                   (headline (text "The grid of {n} ranks is long and narrow: sweeps are {n} steps deep, which costs {s} of waiting."
                                   ?n ?d ?cost))
                   (fix (text "Use a grid of {n} x {n} ranks." ?a ?b))
                   (gain-kind remove)
                   (locations (wf-cells ?r ?p)) (lost ?cost) (share (wf-part ?cost ?all))
                   (gain (wf-gain ?r ?p ?n (/ ?cost ?n))) (level 3)
                   (text (text "The grid of {n} processes is long and narrow: a sweep is {n} steps deep, and waiting for first blocks costs {s} ({%} of the process time), {s} of it because of the shape."
                               ?n ?d ?lost ?share ?cost))
                   (remedy (text "Use a grid of {n} x {n} processes: {n} steps deep instead of {n}; by that {} less for filling and draining."
                                 ?a ?b (+ ?a ?b -2) ?d (wf-saves ?r ?p ?n (/ ?cost ?n)))))))

(defrule CAUSES::wf-coarse
  "The blocks are so large that the processes wait long for their first one."
  (finding (name low-wavefront-efficiency) (run ?r) (pattern ?p))
  (finding (name grid | chain) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.fill_drain_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.fill_drain") (value ?first))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.cells") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.blocks") (value ?k))
  (metric (run ?r) (pattern ?p) (name "run.best_blocks") (value ?best))
  (test (< ?k (* 0.5 ?best)))
  (metric (run ?r) (pattern ?p) (name "run.depth") (value ?d))
  (metric (run ?r) (pattern ?p) (name "run.grain") (value ?g))
  (metric (run ?r) (pattern ?p) (name "run.blocks_gain") (value ?model))
  =>
  (bind ?lost (wf-not-shape ?r ?p ?first))
  (bind ?to (max 2 (integer (+ 0.5 ?best))))
  ; Of the model, not of waiting for first blocks: the last drain becomes shorter, too.
  (bind ?gain (min ?model (/ ?all ?n)))
  (assert (finding (kind cause) (name blocks-too-coarse) (run ?r) (pattern ?p)
                   (headline (text "Blocks are too coarse: a sweep has {.1} of {s} each, so ranks wait {s} for their first one."
                                   ?k ?g ?lost))
                   (fix (text "Divide the work of a sweep into about {n} blocks." ?to))
                   (gain-kind remove)
                   (locations (wf-cells ?r ?p)) (lost ?lost) (share (wf-part ?lost ?all))
                   (gain (wf-gain ?r ?p ?n ?gain)) (level 3)
                   (text (text "The blocks are too coarse: a sweep has {.1} of them, {s} each, and is {n} steps deep, so waiting for first blocks costs {s} ({%} of what is lost)."
                               ?k ?g ?d ?lost (wf-part ?lost ?all)))
                   (remedy (text "Divide the work of a sweep into about {n} blocks (sqrt(D W / o)) instead of {.1}; {} by the model."
                                 ?to ?k (wf-saves ?r ?p ?n ?gain))))))

(defrule CAUSES::wf-turns
  "Sweeps follow one another in other directions, and each drains before the next one fills."
  (finding (name low-wavefront-efficiency) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.fill_drain_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.fill_drain") (value ?first))
  (metric (run ?r) (pattern ?p) (name "run.fill") (value ?fill))
  (metric (run ?r) (pattern ?p) (name "run.turn") (value ?turn))
  (test (> ?turn ?fill))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.cells") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.sweeps") (value ?s))
  (metric (run ?r) (pattern ?p) (name "run.best_blocks"))
  (not (finding (name blocks-too-coarse) (run ?r) (pattern ?p)))
  =>
  (bind ?lost (wf-not-shape ?r ?p ?first))
  (assert (finding (kind cause) (name sweep-turns) (run ?r) (pattern ?p)
                   (headline (text "Each of {n} sweeps drains before the next one, in another direction, fills the ranks: {s} of waiting."
                                   ?s ?lost))
                   (fix "Begin the next sweep on each rank once its own part is done, and where the last one ended.")
                   (gain-kind remove)
                   (locations (wf-cells ?r ?p)) (lost ?lost) (share (wf-part ?lost ?all))
                   (gain (wf-gain ?r ?p ?n (/ (min ?turn ?lost) (* 2.0 ?n)))) (level 3) (confidence 0.8)
                   (text (text "The sweeps do not overlap: each of {n} drains before the next one, in another direction, fills the processes; waiting for first blocks costs {s} ({%} of what is lost), {s} of it where sweeps change direction."
                               ?s ?lost (wf-part ?lost ?all) (min ?turn ?lost)))
                   (remedy (text "Begin the next sweep at each process as soon as its own part of the old one is done, and order the sweeps so that one begins where the last one ended; halving the waiting at changes of direction saves {}."
                                 (wf-saves ?r ?p ?n (/ (min ?turn ?lost) (* 2.0 ?n))))))))

(defrule CAUSES::wf-starts
  "Sweeps begin anew behind collectives, and each time the processes wait for their first block."
  (finding (name low-wavefront-efficiency) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.fill_drain_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.fill_drain") (value ?first))
  (metric (run ?r) (pattern ?p) (name "run.fill") (value ?fill))
  (metric (run ?r) (pattern ?p) (name "run.turn") (value ?turn))
  (test (<= ?turn ?fill))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.blocks") (value ?k))
  (metric (run ?r) (pattern ?p) (name "run.sweeps") (value ?s))
  (metric (run ?r) (pattern ?p) (name "run.best_blocks"))
  (not (finding (name blocks-too-coarse) (run ?r) (pattern ?p)))
  =>
  (bind ?lost (wf-not-shape ?r ?p ?first))
  (assert (finding (kind cause) (name fill-and-drain) (run ?r) (pattern ?p)
                   (headline (text "Filling the sweeps costs {s}: they begin anew at the start or behind each collective operation."
                                   ?lost))
                   (fix "Leave out the collective or call it every few sweeps, and give each sweep more blocks.")
                   (gain-kind remove)
                   (locations (wf-cells ?r ?p)) (lost ?lost) (share (wf-part ?lost ?all))
                   (level 3) (confidence 0.8)
                   (text (text "Filling the sweeps costs {s} ({%} of what is lost): {} of {.1} blocks, begun anew at the start or behind a collective operation."
                               ?lost (wf-part ?lost ?all) (wf-sweeps ?s) ?k))
                   (remedy "Leave out the collective operation between sweeps or do it every few sweeps, so that the next sweep fills while the old one drains; give each sweep more blocks (several groups or angles, one behind the other)."))))

;; ---- level 3: the middle of sweeps --------------------------------------------------------------

(defrule CAUSES::wf-imbalance
  "One process computes longer per step, and the others wait for it in the middle of sweeps."
  (finding (kind observation) (name steady-waiting) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.imbalance") (value ?lambda&:(> ?lambda ?*step-imbalance*)))
  (metric (run ?r) (pattern ?p) (name "cell.step_work") (location ?heavy) (value ?work) (rank 1))
  (metric (run ?r) (pattern ?p) (name "run.grain") (value ?g))
  (metric (run ?r) (pattern ?p) (name "run.excess") (value ?excess))
  (metric (run ?r) (pattern ?p) (name "run.steady") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.cells") (value ?n))
  (metric (run ?r) (pattern ?p) (name "cell.delayed") (rank 1))
  (metric (run ?r) (pattern ?p) (name "run.delayed_all") (value ?delays))
  =>
  (bind ?delayed (wf-delayed ?r ?p))
  (if (wf-is-heavy ?lambda ?excess ?lost ?n ?delayed ?delays) then
  ; All others wait for what the heaviest computes more than they do.
  (bind ?cost (min ?lost (* ?n ?excess)))
  (bind ?who (as-heavy-as-any ?r ?p "cell.step_work"))
  ;; Of the lost time, not of waiting: processes before it in the sweep do not wait, but end early.
  (bind ?gain (min ?excess (/ ?all (max 1.0 ?n))))
  (assert (finding (kind cause) (name step-imbalance) (run ?r) (pattern ?p)
                   (headline (text "{} {s} per step, the mean of all is {s}; the others wait {s} for {}."
                                   (ranks-compute ?who) ?work ?g ?cost (it-or-them ?who)))
                   (fix (text "Give rank {} a part of the grid that is {%} smaller."
                              ?heavy (- 1.0 (/ ?g ?work))))
                   (gain-kind even-out)
                   (locations (wf-cells ?r ?p)) (culprits ?who) (lost ?cost)
                   (share (wf-part ?cost ?all)) (gain (wf-gain ?r ?p ?n ?gain)) (level 3)
                   (functions-of ?heavy)
                   (what-if (what-if-of "compute" ?who "=" even))
                   (text (text "Process {} computes {s} per step, {s} the mean of all: the others wait {s} for it in the middle of sweeps. {s} of all waiting go back to {} {}."
                               ?heavy ?work ?g ?cost ?delayed (if (> (length$ ?who) 1) then "processes" else "process") (location-list ?who)))
                   (remedy (text "Give process {} a smaller part of the grid ({%} less), so that all steps take {s}; up to {}."
                                 ?heavy (- 1.0 (/ ?g ?work)) ?g (wf-saves ?r ?p ?n ?gain)))))))

(defrule CAUSES::wf-back-pressure
  "Processes are held in sends although steps are alike."
  (finding (kind observation) (name steady-waiting) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.late") (value ?late))
  (metric (run ?r) (pattern ?p) (name "run.held") (value ?held&:(> ?held ?late)))
  (metric (run ?r) (pattern ?p) (name "run.steady") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.cells") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.excess") (value ?excess))
  (metric (run ?r) (pattern ?p) (name "run.imbalance") (value ?lambda))
  (metric (run ?r) (pattern ?p) (name "cell.step_work") (rank 1))
  (metric (run ?r) (pattern ?p) (name "cell.delayed") (rank 1))
  (metric (run ?r) (pattern ?p) (name "run.delayed_all") (value ?delays))
  =>
  (if (not (wf-is-heavy ?lambda ?excess ?lost ?n (wf-delayed ?r ?p) ?delays)) then
  (assert (finding (kind cause) (name back-pressure) (run ?r) (pattern ?p)
                   (headline (text "Ranks are held for {s} in sends, until the next one receives." ?held))
                   (fix "Post MPI_Irecv for the next block before computing this one, and send with MPI_Isend.")
                   (gain-kind remove)
                   (locations (wf-cells ?r ?p)) (lost ?held) (share (wf-part ?held ?all))
                   (gain (wf-gain ?r ?p ?n (/ ?held ?n))) (level 3)
                   (text (text "Processes wait {s} in the middle of sweeps, {s} of it held in sends until the next one receives; steps of the heaviest process are {%} longer than on average, which does not explain it."
                               ?lost ?held ?lambda))
                   (remedy (text "Post the receive of the next block before computing this one (MPI_Irecv), and send with MPI_Isend; up to {}."
                                 (wf-saves ?r ?p ?n (/ ?held ?n))))))))

(defrule CAUSES::wf-jitter
  "Steps are alike on average, yet the processes wait for one another in the middle of sweeps."
  (finding (kind observation) (name steady-waiting) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.late") (value ?late))
  (metric (run ?r) (pattern ?p) (name "run.held") (value ?held&:(<= ?held ?late)))
  (metric (run ?r) (pattern ?p) (name "run.steady") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.cells") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.excess") (value ?excess))
  (metric (run ?r) (pattern ?p) (name "run.imbalance") (value ?lambda))
  (metric (run ?r) (pattern ?p) (name "run.grain") (value ?g))
  (metric (run ?r) (pattern ?p) (name "cell.step_work") (rank 1))
  (metric (run ?r) (pattern ?p) (name "cell.delayed") (rank 1))
  (metric (run ?r) (pattern ?p) (name "run.delayed_all") (value ?delays))
  =>
  (if (not (wf-is-heavy ?lambda ?excess ?lost ?n (wf-delayed ?r ?p) ?delays)) then
  (assert (finding (kind cause) (name step-jitter) (run ?r) (pattern ?p)
                   (headline (text "Ranks wait {s} for one another in the middle of sweeps, as steps vary. No rank is to blame."
                                   ?lost))
                   (fix "Bind ranks to cores, run no more than cores, and let each run a block ahead (MPI_Isend, early MPI_Irecv).")
                   (gain-kind remove)
                   (locations (wf-cells ?r ?p)) (lost ?lost) (share (wf-part ?lost ?all))
                   (level 3) (confidence 0.6)
                   (text (text "Processes wait {s} in the middle of sweeps, and the one with the longest steps ({%} above the mean of {s}) does not explain it: probably steps vary from one to the next, and each delay is passed on. Nobody in particular is to blame."
                               ?lost ?lambda ?g))
                   (remedy "Bind processes to cores and run no more of them than there are cores; let a process run a block ahead (MPI_Isend, MPI_Irecv posted early), so that short delays are not passed on.")))))

;; ---- level 3: moving blocks -----------------------------------------------------------------------

(defrule CAUSES::wf-fine
  "The blocks are so small that moving them costs too much."
  (finding (name low-wavefront-efficiency) (run ?r) (pattern ?p))
  (finding (name grid | chain) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.moving_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.grain_ratio") (value ?ratio))
  (metric (run ?r) (pattern ?p) (name "run.blocks") (value ?k))
  (metric (run ?r) (pattern ?p) (name "run.best_blocks") (value ?best))
  (test (wf-is-fine ?ratio ?k ?best))
  (metric (run ?r) (pattern ?p) (name "run.blocks_gain") (value ?model))
  (metric (run ?r) (pattern ?p) (name "run.moving") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.grain") (value ?g))
  (metric (run ?r) (pattern ?p) (name "run.overhead") (value ?o))
  (metric (run ?r) (pattern ?p) (name "run.cells") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.block_bytes") (value ?bytes))
  =>
  (bind ?to (max 1 (integer (+ 0.5 ?best))))
  (bind ?gain (min ?model (/ ?lost ?n)))
  (assert (finding (kind cause) (name blocks-too-fine) (run ?r) (pattern ?p)
                   (headline (text "Blocks are too fine: a step computes {s}, and moving its messages takes {s} beyond waiting."
                                   ?g ?o))
                   (fix (text "Put about {.1} blocks into one, {n} per sweep." (/ ?k ?to) ?to))
                   (gain-kind remove)
                   (locations (wf-cells ?r ?p)) (lost ?lost) (share (wf-part ?lost ?all))
                   (gain (wf-gain ?r ?p ?n ?gain)) (level 3)
                   (text (text "The blocks are too fine: a step computes {s} and moves its messages ({n} bytes each) for {s}, waiting excluded; {s} in all, {%} of the process time."
                               ?g ?bytes ?o ?lost ?share))
                   (remedy (text "Put about {.1} blocks into one, {n} per sweep instead of {.1} (sqrt(D W / o)); by the model that saves {}, the longer filling counted."
                                 (/ ?k ?to) ?to ?k (wf-saves ?r ?p ?n ?gain))))))

(defrule CAUSES::wf-fine-irregular
  "The blocks are so small that moving them costs too much; how deep sweeps are is not known."
  (finding (name low-wavefront-efficiency) (run ?r) (pattern ?p))
  (finding (name irregular) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.moving_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.grain_ratio") (value ?ratio&:(< ?ratio ?*grain-fine*)))
  (metric (run ?r) (pattern ?p) (name "run.moving") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.grain") (value ?g))
  (metric (run ?r) (pattern ?p) (name "run.overhead") (value ?o))
  (metric (run ?r) (pattern ?p) (name "run.cells") (value ?n))
  =>
  (bind ?together (max 2 (integer (+ 0.5 (/ (* ?*grain-fine* ?o) (max ?g 1e-12))))))
  (assert (finding (kind cause) (name blocks-too-fine) (run ?r) (pattern ?p)
                   (headline (text "Blocks are fine: a step computes {s}, and moving its messages takes {s} beyond waiting."
                                   ?g ?o))
                   (fix (text "Try {n} blocks in one; sweeps then fill more slowly, so measure it." ?together))
                   (gain-kind remove)
                   (locations (wf-cells ?r ?p)) (lost ?lost) (share (wf-part ?lost ?all))
                   (gain (wf-gain ?r ?p ?n (/ (* ?lost (- 1.0 (/ 1.0 ?together))) ?n))) (level 3) (confidence 0.7)
                   (text (text "The blocks are fine: a step computes {s} and moves its messages for {s}, waiting excluded; {s} in all, {%} of the process time."
                               ?g ?o ?lost ?share))
                   (remedy (text "Try {n} blocks in one, so that computation is {n} times the overhead; sweeps then fill more slowly, so measure it."
                                 ?together (integer ?*grain-fine*))))))

(defrule CAUSES::wf-slow-transfer
  "Moving blocks takes long, and larger blocks would not help."
  (finding (name low-wavefront-efficiency) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.moving_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.grain_ratio") (value ?ratio))
  (metric (run ?r) (pattern ?p) (name "run.blocks") (value ?k))
  (metric (run ?r) (pattern ?p) (name "run.best_blocks") (value ?best))
  (test (not (wf-is-fine ?ratio ?k ?best)))
  (metric (run ?r) (pattern ?p) (name "run.moving") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.overhead") (value ?o))
  (metric (run ?r) (pattern ?p) (name "run.block_bytes") (value ?bytes))
  (metric (run ?r) (pattern ?p) (name "run.cells") (value ?n))
  (not (finding (kind cause) (name blocks-too-fine) (run ?r) (pattern ?p)))
  =>
  (assert (finding (kind cause) (name slow-transfer) (run ?r) (pattern ?p)
                   (headline (text "Moving blocks takes {%} of the process time: {s} per step, for messages of {n} bytes."
                                   ?share ?o ?bytes))
                   (fix "Run no more ranks than cores, place neighbours on one node, combine messages, send with MPI_Isend.")
                   (gain-kind remove)
                   (locations (wf-cells ?r ?p)) (lost ?lost) (share (wf-part ?lost ?all))
                   (gain (wf-gain ?r ?p ?n (/ ?lost ?n))) (level 3) (confidence 0.7)
                   (text (text "Moving blocks takes {s} ({%} of the process time), {s} per step, for messages of {n} bytes."
                               ?lost ?share ?o ?bytes))
                   (remedy (text "See that no more processes run than there are cores; place neighbours of the grid on one node; put the faces of several angles or groups into one message; send with MPI_Isend and go on; up to {}."
                                 (wf-saves ?r ?p ?n (/ ?lost ?n)))))))

;; ---- level 3: collectives behind sweeps -------------------------------------------------------------

(defrule CAUSES::wf-collective
  "Processes that finish a sweep early wait for the others in a collective operation."
  (finding (name low-wavefront-efficiency) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.drain_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.drain") (value ?wait))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.cells") (value ?n))
  ; Draining costs no more than that in sweeps of this depth.
  (metric (run ?r) (pattern ?p) (name "run.fill_bound") (value ?bound))
  (test (>= (* ?share (wf-part ?bound ?wait)) ?*significant*))
  =>
  (bind ?lost (min ?wait ?bound))
  (assert (finding (kind cause) (name drain-at-collective) (run ?r) (pattern ?p)
                   (headline (text "Ranks that finish a sweep early wait {s} for the others in a collective operation."
                                   ?lost))
                   (fix "Make the collective non-blocking or less frequent, so that the next sweep begins meanwhile.")
                   (gain-kind remove)
                   (locations (wf-cells ?r ?p)) (lost ?lost) (share (wf-part ?lost ?all))
                   (gain (wf-gain ?r ?p ?n (/ ?lost ?n))) (level 3) (confidence 0.6)
                   (text (text "Processes wait {s} ({%} of the process time) in collective operations; {s} of it those that are done with a sweep, for those that are not: the sweeps drain there."
                               ?wait ?share ?lost))
                   (remedy "Make the collective operation non-blocking or less frequent, and let the next sweep begin where this one ends first; more and smaller blocks shorten the drain itself."))))

;; ---- several runs: the model of the pattern ------------------------------------------------------
;; A sweep of K blocks over a grid of depth D takes (K + D) (W / K + o). A larger grid is deeper, and each of
;; its processes computes less; time outside of sweeps shrinks as the computation of a process does.

(deffunction MAIN::wf-sweep (?blocks ?depth ?work ?overhead)
  "Time of a sweep by the model, s."
  (* (+ ?blocks ?depth) (+ (/ ?work ?blocks) ?overhead)))

(defrule SYMPTOMS::wf-scales
  "Both runs are wavefronts: the depth of the grid and the work of a process give the run time."
  (scaling (from ?f) (to ?t))
  (pattern (run ?f) (name "wavefront") (id ?pf) (scope "world"))
  (pattern (run ?t) (name "wavefront") (id ?pt) (scope "world"))
  =>
  (assert (scaling-of (from ?f) (to ?t) (name "wavefront") (from-id ?pf) (to-id ?pt))))

(defrule CAUSES::wf-expect-time
  "The run time that the model expects of the larger run."
  (scaling-of (from ?f) (to ?t) (name "wavefront") (from-id ?pf) (to-id ?pt))
  (scaling (from ?f) (to ?t) (work-ratio ?ratio) (duration-from ?df) (duration-to ?dt))
  (metric (run ?f) (pattern ?pf) (name "run.cells") (value ?nf&:(> ?nf 0.0)))
  (metric (run ?f) (pattern ?pf) (name "run.sweeps") (value ?sf&:(> ?sf 0.0)))
  (metric (run ?f) (pattern ?pf) (name "run.blocks") (value ?kf&:(> ?kf 0.0)))
  (metric (run ?f) (pattern ?pf) (name "run.depth") (value ?gf))
  (metric (run ?f) (pattern ?pf) (name "run.work") (value ?w))
  (metric (run ?f) (pattern ?pf) (name "run.overhead") (value ?o))
  (metric (run ?t) (pattern ?pt) (name "run.cells") (value ?nt&:(> ?nt 0.0)))
  (metric (run ?t) (pattern ?pt) (name "run.sweeps") (value ?st&:(> ?st 0.0)))
  (metric (run ?t) (pattern ?pt) (name "run.blocks") (value ?kt&:(> ?kt 0.0)))
  (metric (run ?t) (pattern ?pt) (name "run.depth") (value ?gt))
  =>
  ;; Computation of a process of the larger run over that of one of the smaller.
  (bind ?each (/ (* ?ratio ?nf) ?nt))
  (bind ?rest (* ?each (max 0.0 (- ?df (* ?sf (wf-sweep ?kf ?gf ?w ?o))))))
  (bind ?work (/ (* ?w ?each ?sf) ?st))
  (assert (expectation (from ?f) (to ?t) (pattern "wavefront") (quantity "run time") (unit "s")
                       (expected (+ ?rest (* ?st (wf-sweep ?kt ?gt ?work ?o)))) (measured ?dt)
                       (model (text "{n} sweeps of ({n} blocks + depth {n}) x ({s} of work + {s} of messages), and {s} besides; with {n} processes the depth is {n}"
                                    ?st ?kt ?gt (/ ?work ?kt) ?o ?rest ?nf ?gf)))))

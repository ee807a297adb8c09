;; tree-collective: what a node does while all below it wait, and what messages cost.
;;
;;   a node computes between having all parts and passing them on, or having the result and passing it on
;;                                                                                  -> serial-combine
;;   messages cost a good part of the time, and all compute equally long            -> hand-written-collective
;;   rounds are uneven, each in another way                                         -> moving-work, noise
;;                                                                                     (balance.clp)
;;   all wait for combining, which each node does: an observation, or where nodes thereby compute longer
;;   than leaves                                                                    -> serial-combine
;;   a part that is late is left to the general rules, which follow waiting through the tree
;;
;; What a node computes before it passes its parts on delays every result. All wait for the sum of that over the
;; nodes on the longest way from a leaf to the root. Where less than half of this much waiting goes back to these
;; nodes, another branch is slower at the same time, and only that waiting counts. Combining itself, which every
;; node does in addition to the work of a leaf, is part of any reduction and no fault.

(deffunction MAIN::tree-sum-up (?run ?pattern ?metric ?node)
  "Sum of a metric from a node up to the root."
  (bind ?sum 0.0)
  (bind ?at ?node)
  (loop-for-count (?hops 1 64) ; more levels than a tree of processes has
    (if (neq ?at "") then
      (bind ?sum (+ ?sum (metric-value ?run ?pattern ?metric ?at 0.0)))
      (bind ?at (one-before ?run ?pattern "inner.above" ?at))))
  ?sum)

(deffunction MAIN::tree-longest (?run ?pattern ?metric)
  "The largest such sum over all inner nodes."
  (bind ?most 0.0)
  (foreach ?node (metric-locations ?run ?pattern ?metric)
    (bind ?most (max ?most (tree-sum-up ?run ?pattern ?metric ?node))))
  ?most)

(defrule CAUSES::tree-serial-combine
  "Nodes compute before they pass on what all others wait for."
  (pattern (run ?r) (name "tree-collective") (id ?p))
  (metric (run ?r) (pattern ?p) (name "inner.own") (location ?l) (rank 1) (value ?held))
  (metric (run ?r) (pattern ?p) (name "run.nodes") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.rounds") (value ?rounds))
  (metric (run ?r) (pattern ?p) (name "run.node_time") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.delay_total") (value ?waits))
  (exists (metric (run ?r) (pattern ?p) (name "inner.above")))
  (exists (metric (run ?r) (pattern ?p) (name "node.delay_cost")))
  =>
  (bind ?who (locations-from ?r ?p "inner.own" (* 0.5 ?held)))
  (bind ?way (tree-longest ?r ?p "inner.own"))
  (bind ?delays (sum-of ?r ?p "node.delay_cost" ?who))
  (bind ?all-wait (* ?way (- ?n 1)))
  ;; Where nodes do their own work late, leaves are waited for as well, and that waiting is not of these nodes.
  (bind ?cost (min ?lost (if (>= ?delays (* ?*accounted-least* ?all-wait)) then ?all-wait else ?delays)))
  (if (>= ?cost (* ?*significant* ?all)) then
    ;; Processes that are late for another reason are left to the general rules.
    (bind ?other 0.0)
    (foreach ?o (metric-locations ?r ?p "node.delay_cost")
      (if (not (member$ ?o ?who)) then (bind ?other (max ?other (metric-value ?r ?p "node.delay_cost" ?o 0.0)))))
    (if (< ?other (* (blame-share ?n) ?waits)) then
      (assert (explained (run ?r) (pattern ?p) (loss waiting))))
    (bind ?gain (/ ?cost (- ?n 1)))
    (assert (finding (kind cause) (name serial-combine) (run ?r) (pattern ?p)
                     (headline (text "{} {} {s} in each of {n} rounds between taking and passing on; all others wait for that."
                                     (if (> (length$ ?who) 1) then "Ranks" else "Rank")
                                     (str-cat (location-list ?who) (if (> (length$ ?who) 1) then " compute up to" else " computes"))
                                     (/ ?held ?rounds) ?rounds))
                     (fix "Pass on first, then compute; or share that work out, or do it before taking the parts.")
                     (gain-kind remove)
                     (locations ?who) (culprits ?who) (lost ?cost) (share (min 1.0 (/ ?cost ?lost))) (level 2)
                     (gain ?gain) (functions-of ?l)
                     (text (text "Of the tree, {} {} while having all parts of those below, or the result, and not having passed them on: process {} {s} in all. On the longest way to the root that adds up to {s}; {s} of waiting go back to it."
                                 (location-list ?who) (if (> (length$ ?who) 1) then "compute" else "computes")
                                 ?l ?held ?way ?cost))
                     (remedy (text "Do own work before the first part is taken, and what follows from the result behind passing it on; share out what the root does alone. Up to {s} of run time."
                                   ?gain))))))

(defrule REFINE::tree-uneven
  "Rounds are uneven, each in another way; all wait for the slowest, as the result needs its part."
  (pattern (run ?r) (name "tree-collective") (id ?p))
  (exists (finding (kind symptom) (name low-parallel-efficiency) (run ?r)))
  (metric (run ?r) (pattern ?p) (name "run.step_kept") (value ?kept))
  (metric (run ?r) (pattern ?p) (name "run.step_cost") (value ?met))
  (metric (run ?r) (pattern ?p) (name "run.nodes") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.node_time") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  =>
  (if (rounds-uneven ?kept (min ?met ?lost) ?lost ?all ?n) then
    (foreach ?loss (create$ waiting transfer grain)
      (assert (explained (run ?r) (pattern ?p) (loss ?loss))))
    (assert (uneven-rounds (run ?r) (pattern ?p) (cost (min ?met ?lost)) (processes ?n)
                           (moving-fix "Balance the load while the program runs, by the computation measured in the last rounds.")
                           (noise-fix "Combine less often; bind ranks to cores and keep other load away.")))))

(defrule CAUSES::tree-combining
  "Most of the waiting is for combining, which every node does: where it leaves computation even, it is part of any
   reduction, else it is too much for a few to do one behind the other."
  (pattern (run ?r) (name "tree-collective") (id ?p))
  (exists (finding (kind symptom) (name low-parallel-efficiency) (run ?r)))
  (metric (run ?r) (pattern ?p) (name "inner.combined") (location ?l) (rank 1) (value ?most))
  (not (finding (kind cause) (run ?r) (pattern ?p)))
  (metric (run ?r) (pattern ?p) (name "run.nodes") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.rounds") (value ?rounds))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.delay_total") (value ?waits))
  (metric (run ?r) (pattern ?p) (name "run.balance") (value ?b))
  (exists (metric (run ?r) (pattern ?p) (name "inner.held")))
  =>
  (bind ?way (tree-longest ?r ?p "inner.combined"))
  (bind ?cost (min ?waits (* ?way (- ?n 1))))
  (bind ?who (locations-from ?r ?p "inner.combined" (* 0.5 ?most)))
  (if (and (>= (* 2.0 ?cost) ?waits)
           (>= (* 2.0 (sum-of ?r ?p "node.delay_cost" (role-locations ?r ?p "inner"))) ?waits)) then
    (assert (explained (run ?r) (pattern ?p) (loss waiting)))
    (if (>= ?b ?*balanced*) then
      (assert (finding (kind observation) (name combining) (run ?r) (pattern ?p) (healthy yes) (lost ?cost) (level 2)
                       (text (text "On the longest way to the root nodes combine for {s} in each of {n} rounds, and all others wait for that, {s} in all. Every reduction combines; MPI_Allreduce does so {n} times one behind the other."
                                   (/ ?way ?rounds) ?rounds ?cost (integer (+ 0.999999 (/ (log ?n) (log 2.0))))))))
     else
      ;; A part that comes early is combined while another branch is still at work: only the last part of a
      ;; node lies on the longest way, unless many are there already, as at the root.
      (bind ?way (max (tree-longest ?r ?p "inner.held") (/ ?cost (- ?n 1))))
      (assert (finding (kind cause) (name serial-combine) (run ?r) (pattern ?p) (via combining)
                       (headline (text "Combining takes {s} on the longest way to the root in each of {n} rounds, and all others wait for that."
                                       (/ ?way ?rounds) ?rounds))
                       (fix "Let each rank combine its own piece of the data (MPI_Reduce_scatter, then MPI_Allgather), or make combining cheaper.")
                       (gain-kind remove)
                       (locations ?who) (culprits ?who) (lost ?cost) (share (min 1.0 (/ ?cost ?lost))) (level 2)
                       (gain ?way) (confidence 0.8) (functions-of ?l)
                       (text (text "Nodes of the tree combine the parts that they take one after the other, {} longest, for {s}. On the longest way to the root that adds up to {s}, {s} in each of {n} rounds, and {s} of waiting go back to it."
                                   ?l ?most ?way (/ ?way ?rounds) ?rounds ?cost))
                       (remedy (text "Cut the data into as many pieces as there are processes, of which each combines one (MPI_Reduce_scatter, then MPI_Allgather), combine less often, or make combining cheaper; up to {s} of run time."
                                     ?way)))))))

(defrule CAUSES::tree-by-hand
  "The messages of the tree cost a good part of the time, one behind the other."
  (pattern (run ?r) (name "tree-collective") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.moving") (value ?moving))
  (metric (run ?r) (pattern ?p) (name "run.passed") (value ?passed))
  (metric (run ?r) (pattern ?p) (name "run.delay_total") (value ?waits))
  (metric (run ?r) (pattern ?p) (name "run.balance") (value ?b&:(>= ?b ?*balanced*)))
  (metric (run ?r) (pattern ?p) (name "run.nodes") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.rounds") (value ?rounds&:(>= ?rounds ?*collectives-enough*)))
  (metric (run ?r) (pattern ?p) (name "run.node_time") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.part") (value ?bytes))
  (exists (metric (run ?r) (pattern ?p) (name "inner.moved")))
  (test (>= ?moving (* ?*significant* ?all)))
  =>
  ;; Most waits may be for nodes that are busy with messages: these belong to the cost of messages.
  (bind ?waiting (if (>= (* 2.0 ?passed) ?waits) then ?passed else 0.0))
  (bind ?cost (min ?lost (+ ?moving ?waiting)))
  ;; Steps of the tree one after the other, against log2 P of recursive doubling.
  (bind ?steps (tree-longest ?r ?p "inner.moved"))
  (bind ?doubling (integer (+ 0.999999 (/ (log ?n) (log 2.0)))))
  (bind ?saved (max 0.0 (- 1.0 (/ ?doubling (max 1.0 ?steps)))))
  (foreach ?loss (create$ transfer grain)
    (assert (explained (run ?r) (pattern ?p) (loss ?loss))))
  (if (> ?waiting 0.0) then (assert (explained (run ?r) (pattern ?p) (loss waiting))))
  (assert (finding (kind cause) (name hand-written-collective) (run ?r) (pattern ?p)
                   (headline (text "A reduction by hand has {n} messages one behind the other in each of {n} rounds, {s} of {s} each."
                                   ?steps ?rounds (/ ?cost (* ?n ?rounds)) (/ ?all (* ?n ?rounds))))
                   (fix "Use MPI_Allreduce (or MPI_Reduce and MPI_Bcast): the library has better trees, and splits large data.")
                   (gain-kind remove)
                   (lost ?cost) (share (min 1.0 (/ ?cost ?lost))) (level 2) (confidence 0.7)
                   (gain (/ (* ?saved ?cost) ?n))
                   (text (text "Combining up a tree of messages and spreading the result down again takes {s} beyond waiting for who computes: messages of {n} bytes, of which {n} follow each other on the longest way up and down. MPI_Allreduce by recursive doubling needs {n} steps."
                               ?cost ?bytes ?steps ?doubling))
                   (remedy (text "Use MPI_Allreduce, or MPI_Reduce and MPI_Bcast; fewer steps alone save about {s} of run time, and of large data the library sends parts at the same time."
                                 (/ (* ?saved ?cost) ?n))))))

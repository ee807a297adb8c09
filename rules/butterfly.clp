;; butterfly: recursive doubling or halving that was written by hand. It refines geometric-decomposition, whose
;; rules hold for it: who is late (heavy-subdomain), what persists from step to step, waiting in chains.
;;
;;   exchanges cost a good part of the time beyond waiting (geometric-decomposition)
;;   |- work lies before one stage of a round only: the others combine what comes      -> hand-written-collective
;;   `- each stage has its own work (a transform, a sort): as in any exchange          -> fine-grain, no-overlap
;;
;; Thakur, Rabenseifner, Gropp (2005), "Optimization of collective communication operations in MPICH": of n bytes
;; recursive doubling sends n log2 P from each process, reduce-scatter with allgather 2 n (P - 1) / P. Of small
;; messages neither is better; but MPI_Iallreduce may go on during the work.

(deftemplate MAIN::stages-combine
  "Processes work before one stage of each round; the other stages only combine."
  (slot run (type STRING)) (slot pattern (type STRING)))

(defrule SYMPTOMS::butterfly-spread
  "A delay reaches everybody in the stages of one round; there is no domain to be cut."
  (pattern (run ?r) (name "butterfly") (id ?p))
  =>
  (assert (no-domain (run ?r) (pattern ?p) (fix "share out the work of each round by measured cost")
                     (spread "in the stages of one round its delay reaches everybody"))))

(defrule REFINE::butterfly-combines
  "There is work before one stage of a round only."
  (pattern (run ?r) (name "butterfly") (id ?p))
  ;; Of the whole run's time or of what its processes take from their first to their last event.
  (exists (finding (kind symptom) (name low-subdomain-efficiency | low-parallel-efficiency) (run ?r)))
  (metric (run ?r) (pattern ?p) (name "run.stages") (value ?stages))
  ;; With work in k of the s stages of a round the share is k / s; the limit lies between k = 1 and k = 2.
  (metric (run ?r) (pattern ?p) (name "run.worked") (value ?worked&:(<= (* ?worked ?stages) 1.5)))
  =>
  (assert (stages-combine (run ?r) (pattern ?p)))
  (foreach ?name (create$ fine-grain no-overlap halo-volume)
    (assert (refined (run ?r) (pattern ?p) (name ?name)))))

(defrule CAUSES::butterfly-by-hand
  "The stages of a collective operation that was written by hand cost a good part of the time."
  (stages-combine (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.moving_halos") (value ?moving))
  (metric (run ?r) (pattern ?p) (name "run.least_moving") (value ?least))
  (metric (run ?r) (pattern ?p) (name "run.domain_time") (value ?all))
  (test (>= (min ?moving ?least) (* ?*significant* ?all)))
  (metric (run ?r) (pattern ?p) (name "run.waiting") (value ?waiting))
  (metric (run ?r) (pattern ?p) (name "subdomain.relative") (rank 1) (value ?relative))
  (metric (run ?r) (pattern ?p) (name "run.exchanges_each") (value ?exchanges))
  (metric (run ?r) (pattern ?p) (name "run.worked") (value ?worked&:(> ?worked 0.0)))
  (metric (run ?r) (pattern ?p) (name "run.stages") (value ?stages))
  (metric (run ?r) (pattern ?p) (name "run.work_each") (value ?work))
  (metric (run ?r) (pattern ?p) (name "run.message_mean") (value ?bytes))
  (metric (run ?r) (pattern ?p) (name "run.alike") (value ?alike))
  (metric (run ?r) (pattern ?p) (name "run.subdomains") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  =>
  ;; Partners of a late process seem to pay more: they are held up by it in calls that are no waits. Where an
  ;; exchange costs more than what it is for, waits are for partners in such calls.
  (bind ?far (< ?work (/ ?moving (* ?n ?exchanges))))
  (bind ?cost (if (>= ?relative ?*heavy*) then (min ?moving ?least)
               else (min ?lost (+ ?moving (if ?far then ?waiting else 0.0)))))
  (bind ?rounds (* ?exchanges ?worked))
  (bind ?round-cost (/ ?cost (* ?n ?rounds)))
  (bind ?round-work (/ ?work ?worked))
  (bind ?sent (/ (* 2.0 (- ?n 1)) (* ?n ?stages)))
  (bind ?whole (and (>= ?bytes ?*message-large*) (>= ?alike 0.9)))
  (bind ?gain (if ?whole then (* ?rounds ?round-cost (- 1.0 ?sent)) else (* ?rounds (min ?round-cost ?round-work))))
  (assert (finding (kind cause) (name hand-written-collective) (run ?r) (pattern ?p)
                   (headline (text "A collective by hand: {n} exchanges one after the other take {s} of each round, beside {s} of work."
                                   (/ 1.0 ?worked) ?round-cost ?round-work))
                   (fix (if ?whole
                         then (text "Use MPI_Allreduce (MPI_Allgather, MPI_Reduce_scatter): of large data it sends {%} of the bytes." ?sent)
                         else "Use MPI_Allreduce for several values or rounds at once, or MPI_Iallreduce and compute meanwhile."))
                   (gain-kind remove)
                   (lost ?cost) (share (min 1.0 (/ ?cost ?lost))) (level 3) (confidence 0.7)
                   (gain ?gain)
                   (text (text "In each of {n} rounds a process exchanges {n} bytes with {n} partners, one after the other, and computes before the first exchange only: that is a collective operation. The exchanges take {s} beyond waiting, {s} in a round with {s} of computation."
                               ?rounds ?bytes (/ 1.0 ?worked) ?cost ?round-cost ?round-work))
                   (remedy (if ?whole
                            then (text "Let the library do it (MPI_Allreduce): recursive doubling sends all data in each of {n} stages, reduce-scatter with allgather {%} of that; up to {s} of run time. MPI_Iallreduce, completed later, hides more."
                                       ?stages ?sent ?gain)
                            else (text "Messages are small or grow from stage to stage, so that a library sends no less: do it less often or for several values at once, or let MPI_Iallreduce go on during the work; up to {s} of run time."
                                       ?gain))))))

;; serial-chain: processes that work one after the other inside of a step, because each waits for a message of
;; the one before it: a file written in the order of the ranks, a recurrence along a row of a grid that is not
;; cut into pieces, a value that is accumulated from rank to rank.
;;
;;   Waiting is caused by processes that have waited themselves for as long as they then compute, while those
;;   behind them compute nothing (delay_in_turn). Of a chain of k processes that is (k - 2) / k of the waiting at
;;   least: the first one does not wait, and nobody waits for the last one but those that have waited before.
;;
;; Where all compute at the same time nobody is in turn: not beside a heavy process, and not in idle waves, in
;; which a delay goes from rank to rank, but each computes as long as the one that waits for it. Pipelines,
;; wavefronts, token rings and farms have rules of their own.

(deffunction MAIN::chain-links (?run ?share)
  "Labels of the processes whose turn costs a good part of what all turns do."
  (bind ?sum (mp-sum ?run "process.in_turn_cost" (mp-all ?run "process.in_turn_cost" 0.0)))
  (mp-all ?run "process.in_turn_cost" (* ?share ?sum)))

(defrule REFINE::chain-found
  "A good part of the waiting is for processes that had to wait for their turn, and there are several."
  (pattern (run ?r) (name "message-passing"))
  (not (pattern (run ?r) (name "token-ring")))
  (not (and (explained (run ?r) (pattern ?p) (loss waiting))
            (not (pattern (run ?r) (id ?p) (name "bulk-synchronous" | "geometric-decomposition")))))
  (metric (run ?r) (pattern "message-passing") (name "run.lost") (value ?lost))
  (metric (run ?r) (pattern "message-passing") (name "run.location_time") (value ?all))
  (test (>= ?lost (* ?*significant* ?all)))
  (exists (metric (run ?r) (pattern "message-passing") (name "run.in_turn_share") (value ?turns&:(>= ?turns ?*significant*))))
  (metric (run ?r) (pattern "message-passing") (name "run.wait_share") (value ?wait))
  (metric (run ?r) (pattern "message-passing") (name "run.in_turn_share")
          (value ?share&:(>= (* ?share ?wait) ?*significant*)))
  (metric (run ?r) (pattern "message-passing") (name "process.in_turn_cost") (rank 1) (value ?most))
  (metric (run ?r) (pattern "message-passing") (name "process.in_turn_cost") (rank 2)
          (value ?next&:(>= (* 4.0 ?next) ?most)))
  (not (finding (kind cause) (name serial-combine) (run ?r))) ; of a tree, which is reported with its nodes
  (run (id ?r) (duration ?time) (processes ?n))
  (metric (run ?r) (pattern "message-passing") (name "run.section_best") (value ?best))
  ;; Where in each step another process is late, those that wait in turn do so by chance: then
  ;; even steps save more than another order.
  (test (or (<= ?best 0.0) (>= (- ?time ?best) (- ?best (/ (- ?all ?lost) ?n)))))
  =>
  (if (>= ?share ?*chain-least*) then (assert (in-turn (run ?r)))))

(defrule CAUSES::chain-serial
  "Processes work one after the other within a step."
  (in-turn (run ?r))
  (run (id ?r) (duration ?time) (processes ?n))
  (metric (run ?r) (pattern "message-passing") (name "run.in_turn_share") (value ?share))
  (metric (run ?r) (pattern "message-passing") (name "run.waiting") (value ?wait))
  (metric (run ?r) (pattern "message-passing") (name "run.section_best") (value ?best))
  (metric (run ?r) (pattern "message-passing") (name "process.in_turn_cost") (location ?p) (rank 1))
  (exists (metric (run ?r) (pattern "message-passing") (name "process.in_turn_after")))
  (metric (run ?r) (pattern "message-passing") (name "run.lost") (value ?lost))
  =>
  (bind ?who (chain-links ?r ?*part-shown*))
  ;; Where steps are known, what the longest of each step computes is needed in any order.
  (bind ?gain (if (> ?best 0.0) then (max 0.0 (min (- ?time ?best) (/ ?wait ?n))) else (* ?share (/ ?wait ?n))))
  (bind ?claim (* ?gain ?n))
  (assert (finding (kind cause) (name serial-chain) (run ?r) (pattern "message-passing")
                   (headline (text "Ranks work one after the other within a step: {} compute only when the rank before is done, and the next wait."
                                   (location-list ?who)))
                   (fix "If it need not be in order, let all do it at once; else in smaller pieces, each passed on as soon as it is done.")
                   (gain-kind remove)
                   (locations ?who) (lost ?claim) (share (min 1.0 (/ ?claim ?lost))) (level 2) (confidence 0.8)
                   (gain ?gain) (functions-of ?p)
                   (text (text "Processes work in turn: {%} of {s} of waiting are for processes ({}) that have waited themselves for the one before them, and compute while those behind them have nothing to do; the order is {}. If in each step all computed at the same time, the run would take {s} less."
                               ?share ?wait (location-list ?who)
                               (in-order ?r "message-passing" "process.in_turn_after" ?who) ?gain))
                   (remedy (text "See whether what they do in turn needs that order: if each writes its own part, or only the sum counts, let all do it at the same time (MPI-IO, MPI_Scan, MPI_Exscan). If it needs it, cut it into pieces, so that the next one begins when the first piece is done, or do before the receive what does not need the one before; up to {s} of run time."
                                 ?gain)))))

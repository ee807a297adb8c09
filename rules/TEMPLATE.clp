;; Rules to start from: copy this file beside the others, under the name of your pattern, and change it rule
;; by rule; the cases in TEMPLATE.test.clp likewise. It is not loaded itself. It goes with the pattern
;; "exchange" of patterns/TEMPLATE.yaml. The language is described in doc/rules.md.
;;   marple rule lint FILE     looks for misspelt names and for what is missing
;;   marple rule test FILE     runs the cases

;; Say what is lost, if it matters. A metric is evaluated once the conditions before it are met. Numbers to compare with are globals of thresholds.clp.
(defrule REFINE::exchange-waits
  "The left side waits for a significant part of the process time."
  (pattern (run ?r) (name "exchange") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.lost_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.swaps") (value ?swaps))
  =>
  ;; General rules need not explain this waiting any more.
  (assert (explained (run ?r) (pattern ?p) (loss waiting)))
  (assert (finding (kind symptom) (name exchange-waiting) (run ?r) (pattern ?p)
                   (locations (role-locations ?r ?p "left")) (lost ?lost) (level 1)
                   (text (text "In {n} exchanges the left side waits {s}, {%} of the process time."
                               ?swaps ?lost ?share)))))

;; Say why, and what to do: one rule for each cause, with numbers in the remedy.
(defrule CAUSES::exchange-late-right
  "The left side waits because the right side computes longer before it gives."
  (finding (name exchange-waiting) (run ?r) (pattern ?p) (lost ?lost))
  (metric (run ?r) (pattern ?p) (name "run.lead") (value ?lead&:(> ?lead 0.0)))
  =>
  (assert (finding (kind cause) (name late-right-side) (run ?r) (pattern ?p)
                   (headline (text "The right side computes {s} longer before each exchange, and the left side waits {s} for it."
                                   ?lead ?lost))
                   (fix "Move work from the right to the left side, or give before that work.")
                   (gain-kind even-out)
                   (locations (role-locations ?r ?p "left"))
                   (culprits (role-locations ?r ?p "right"))
                   (lost ?lost) (gain (/ ?lost 2)) (level 2)
                   (text (text "The right side computes {s} longer than the left one before each exchange."
                               ?lead))
                   (remedy (text "Move {s} of work from the right to the left side, or give before that work."
                                 (/ ?lead 2))))))

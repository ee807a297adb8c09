;; Asks for a run with 4 processes whatever is known, so that a test has a second experiment, and sees
;; that it is not carried out for ever.

(defrule ADVISE::test-ask-scaling
  "A run with 4 processes."
  (pattern (run ?r) (name "master-worker"))
  =>
  (assert (measure (run ?r) (pattern "master-worker") (level 4) (processes 4)
                   (reason "see the program with 4 processes")
                   (separates master-bottleneck)
                   (expects "the queue at the master is gone"))))

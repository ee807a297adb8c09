;; Asks for runs with 3 and 4 processes as long as there is only one size: a test sees that what a
;; spent budget cut short between them is finished.

(defrule ADVISE::test-ask-sizes
  "Runs with 3 and 4 processes."
  (pattern (run ?r) (name "master-worker"))
  (not (scaling))
  =>
  (assert (measure (run ?r) (pattern "master-worker") (level 4) (processes 3 4)
                   (reason "see the program with 3 and 4 processes")
                   (separates master-bottleneck)
                   (expects "the queue at the master is gone"))))

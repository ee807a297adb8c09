;; Asks for every share of a worker's lost time, so that a test can add them up.

(defrule REFINE::test-ask-shares
  "The shares of a worker's lost time, all of them."
  (pattern (run ?r) (name "master-worker"))
  =>
  (foreach ?m (create$ "share_bn" "share_setup" "share_w_final" "share_seq" "share_comm"
                       "share_init" "share_stop" "share_final" "share_rest")
    (assert (need (run ?r) (pattern "master-worker") (metric (str-cat "worker." ?m)) (level 3)
                  (reason "add up the shares of the lost time")))))

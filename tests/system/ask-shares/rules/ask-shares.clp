;; Asks for every share of a worker's lost time, so that a test can add them up.

(defrule REFINE::test-ask-shares
  "The shares of a worker's lost time, all of them."
  (pattern (run ?r) (name "master-worker"))
  (exists (metric (run ?r) (pattern "master-worker")
                  (name "worker.share_bn" | "worker.share_setup" | "worker.share_w_final" | "worker.share_seq"
                        | "worker.share_comm" | "worker.share_init" | "worker.share_stop" | "worker.share_final"
                        | "worker.share_rest")))
  =>)

(case "a worker is slow because of a cause inside its group"
  (given (pattern (run "r1") (name "master-worker") (id "x@rest"))
         (pattern (run "r1") (name "g") (id "g@comm1") (scope "communicator left, ranks 1 to 3"))
         (pattern (run "r1") (name "g") (id "g@comm2") (scope "communicator right, ranks 4 to 6"))
         (nested (run "r1") (outer "x@rest") (inner "g@comm1") (location "1"))
         (nested (run "r1") (outer "x@rest") (inner "g@comm2") (location "4"))
         (finding (kind cause) (name heavy-part) (run "r1") (pattern "g@comm2") (locations "4" "6") (culprits "5") (lost 2.0) (gain 0.9) (text "5 is heavy.") (remedy "Help it."))
         (finding (kind cause) (name slow) (run "r1") (pattern "x@rest") (locations "1") (culprits "4") (lost 0.5) (gain 0.2) (text "4 is slow.") (remedy "Help it.")))
  (expect (need (metric "worker.excess_work") (pattern "x@rest")))
  (given (metrics (pattern "x@rest") worker.excess_work ("1" 0.0 "4" 1.0)))
  (expect (finding (name explained-inside) (kind observation) (pattern "x@rest") (locations "4")
                   (text "Process 4 takes 1.00 s longer than the others (slow) because, inside communicator right, ranks 4 to 6, there is a cause of its own: heavy-part, process 5. Its remedy saves up to 0.900 s there, 90.0 %.")
                   (because "nested" "excess" "finding"))))

(case "the cause inside accounts for half of it only: somebody else slows the worker down, too"
  (given (pattern (run "r1") (name "master-worker") (id "x@rest"))
         (pattern (run "r1") (name "g") (id "g@comm2") (scope "communicator right, ranks 4 to 6"))
         (nested (run "r1") (outer "x@rest") (inner "g@comm2") (location "4"))
         (finding (kind cause) (name heavy-part) (run "r1") (pattern "g@comm2") (culprits "5") (gain 0.5) (text "5 is heavy.") (remedy "Help it."))
         (finding (kind cause) (name slow) (run "r1") (pattern "x@rest") (culprits "4") (gain 0.2) (text "4 is slow.") (remedy "Help it."))
         (metrics (pattern "x@rest") worker.excess_work ("4" 1.0)))
  (expect))

(case "all groups have the same cause inside: it does not make one of them slower than the others"
  (given (pattern (run "r1") (name "master-worker") (id "x@rest"))
         (pattern (run "r1") (name "g") (id "g@comm1") (scope "communicator left, ranks 1 to 3"))
         (pattern (run "r1") (name "g") (id "g@comm2") (scope "communicator right, ranks 4 to 6"))
         (nested (run "r1") (outer "x@rest") (inner "g@comm1") (location "1"))
         (nested (run "r1") (outer "x@rest") (inner "g@comm2") (location "4"))
         (finding (kind cause) (name fine-grain) (run "r1") (pattern "g@comm1") (gain 0.8) (text "left is fine.") (remedy "Help it."))
         (finding (kind cause) (name fine-grain) (run "r1") (pattern "g@comm2") (gain 0.9) (text "right is fine.") (remedy "Help it."))
         (finding (kind cause) (name slow) (run "r1") (pattern "x@rest") (culprits "4") (gain 0.2) (text "4 is slow.") (remedy "Help it."))
         (metrics (pattern "x@rest") worker.excess_work ("4" 1.0)))
  (expect))

(case "an outer pattern without a measure of its own: what its remedy saves is compared"
  (given (pattern (run "r1") (name "pipeline") (id "p@rest"))
         (pattern (run "r1") (name "g") (id "g@comm2") (scope "communicator right, ranks 4 to 6"))
         (nested (run "r1") (outer "p@rest") (inner "g@comm2") (location "4"))
         (finding (kind cause) (name fine-grain) (run "r1") (pattern "g@comm2") (gain 0.9) (text "right is fine.") (remedy "Help it."))
         (finding (kind cause) (name bottleneck) (run "r1") (pattern "p@rest") (culprits "4") (gain 1.2) (text "4 is the bottleneck.") (remedy "Help it.")))
  (expect (finding (name explained-inside) (pattern "p@rest") (locations "4")
                   (text "Process 4 takes 1.20 s longer than the others (bottleneck) because, inside communicator right, ranks 4 to 6, there is a cause of its own: fine-grain. Its remedy saves up to 0.900 s there, 75.0 %."))))

(case "a location outside of the group is not explained by it"
  (given (like "an outer pattern without a measure of its own: what its remedy saves is compared")
         (finding (kind cause) (name bottleneck) (run "r1") (pattern "p@rest") (culprits "1") (gain 1.2) (text "1 is the bottleneck.") (remedy "Help it.")))
  (expect))

(case "the general rules blame who is blamed inside"
  (given (pattern (run "r1") (name "g") (id "g@comm2") (scope "communicator right, ranks 4 to 6"))
         (nested (run "r1") (outer "p@rest") (inner "g@comm2") (location "4"))
         (finding (kind cause) (name heavy-part) (run "r1") (pattern "g@comm2") (culprits "5") (lost 2.0) (gain 0.9) (text "5 is heavy.") (remedy "Help it."))
         (finding (kind cause) (name late) (run "r1") (pattern "message-passing") (culprits "5") (lost 4.0) (gain 0.3) (text "5 is late.") (remedy "Help it."))
         (finding (kind cause) (name late) (run "r1") (pattern "message-passing") (culprits "1") (lost 1.0) (gain 0.3) (text "1 is late.") (remedy "Help it.")))
  (expect (finding (name explained-inside) (pattern "message-passing") (locations "5")
                   (text "Process 5 is blamed (late) for what it does inside communicator right, ranks 4 to 6: heavy-part."))))

(case "a cause in one phase accounts for most of what the general rules blame somebody for"
  (given (pattern (run "r1") (name "g") (id "g@phase1") (scope "phase 1, 0 s to 2 s"))
         (finding (kind cause) (name heavy-part) (run "r1") (pattern "g@phase1") (culprits "4" "5") (lost 2.1) (gain 0.9) (text "5 is heavy.") (remedy "Help it."))
         (finding (kind cause) (name late) (run "r1") (pattern "message-passing") (culprits "5") (lost 4.0) (gain 0.3) (text "5 is late.") (remedy "Help it.")))
  (expect (finding (name explained-inside) (pattern "message-passing") (locations "5")
                   (text "Process 5 is blamed (late) for what it does in one part of the run (phase 1, 0 s to 2 s): heavy-part."))))

(case "a little in one phase is not what somebody is late for in the run"
  (given (pattern (run "r1") (name "g") (id "g@phase2") (scope "phase 2, 2 s to 3 s"))
         (finding (kind cause) (name heavy-part) (run "r1") (pattern "g@phase2") (culprits "5") (lost 1.9) (gain 0.9) (text "5 is heavy.") (remedy "Help it."))
         (finding (kind cause) (name late) (run "r1") (pattern "message-passing") (culprits "5") (lost 4.0) (gain 0.3) (text "5 is late.") (remedy "Help it.")))
  (expect))

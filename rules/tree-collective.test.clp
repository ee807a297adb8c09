;; What the rules of tree-collective conclude. Rank 0 is the root, 1 and 2 are below it, and 3 to 6 are leaves.

(case "the root computes 8 ms before it spreads the result"
  (given (run (id "r1") (processes 7) (locations 7) (duration 2.0) (clock messages))
         (pattern (run "r1") (name "tree-collective") (id "tree-collective")))
  (expect (need (metric "inner.own")))
  (given (metrics (pattern "tree-collective") run.nodes 7.0 run.rounds 50.0 run.node_time 14.0 run.lost 4.0
           run.delay_total 3.0 run.moving 0.1 run.passed 0.1 run.balance 0.95 run.part 80.0
           inner.own ("0" 0.4 "1" 0.01 "2" 0.01) inner.above ("0" -1.0 "1" 0.0 "2" 0.0)
           inner.moved ("0" 4.0 "1" 4.0 "2" 4.0)
           node.delay_cost ("0" 2.4 "1" 0.0 "2" 0.0 "3" 0.0 "4" 0.3 "5" 0.0 "6" 0.0)))
  (expect (finding (kind cause) (name serial-combine) (culprits "0") (lost 2.46) (gain 0.41) (gain-kind remove)
                   (headline "Rank 0 computes 8.00 ms in each of 50 rounds between taking and passing on; all others wait for that.")
                   (because "inner.own" "run.delay_total"))))

(case "inner nodes that do their own work only when they have all parts work one level after the other"
  (given (like "the root computes 8 ms before it spreads the result")
         (metrics (pattern "tree-collective") run.lost 10.0 run.delay_total 11.0 inner.own ("0" 0.8 "1" 0.8 "2" 0.8)
           node.delay_cost ("0" 3.0 "1" 2.5 "2" 2.3 "3" 0.0 "4" 0.0 "5" 1.0 "6" 0.0)))
  (expect (finding (kind cause) (name serial-combine) (culprits "0" "1" "2") (lost 9.6) (gain 1.6)
                   (headline "Ranks 0 to 2 compute up to 16.0 ms in each of 50 rounds between taking and passing on; all others wait for that."))))

(case "in the shade of a slower branch only the waiting counts that goes back to the node"
  (given (like "the root computes 8 ms before it spreads the result")
         (metrics (pattern "tree-collective") run.delay_total 4.0 inner.own ("0" 0.01 "1" 0.01 "2" 0.4)
           node.delay_cost ("0" 0.0 "1" 0.0 "2" 0.9 "3" 3.0 "4" 0.0 "5" 0.0 "6" 0.0)))
  (expect (finding (kind cause) (name serial-combine) (culprits "2") (lost 0.9) (gain 0.15))))

(case "a node that computes in the shade of others all the time holds up nobody"
  (given (like "the root computes 8 ms before it spreads the result")
         (metrics (pattern "tree-collective") inner.own ("0" 0.01 "1" 0.01 "2" 0.4)
           node.delay_cost ("0" 0.0 "1" 0.0 "2" 0.1 "3" 2.9 "4" 0.0 "5" 0.0 "6" 0.0)))
  (expect))

(case "combining that takes next to nothing is part of a reduction"
  (given (like "the root computes 8 ms before it spreads the result")
         (metrics (pattern "tree-collective") inner.own ("0" 0.02 "1" 0.02 "2" 0.02)
           node.delay_cost ("0" 0.1 "1" 0.0 "2" 0.0 "3" 0.0 "4" 0.0 "5" 2.0 "6" 0.0)))
  (expect))

(case "messages of 4 MB, and all compute equally long"
  (given (like "the root computes 8 ms before it spreads the result")
         (metrics (pattern "tree-collective") run.lost 3.0 run.delay_total 1.0 run.moving 1.2 run.passed 0.8
           run.part 4000000.0 inner.own ("0" 0.01 "1" 0.01 "2" 0.01)
           node.delay_cost ("0" 0.0 "1" 0.0 "2" 0.0 "3" 0.0 "4" 0.0 "5" 0.0 "6" 0.0)))
  (expect (finding (kind cause) (name hand-written-collective) (lost 2.0) (gain 0.178571) (gain-kind remove)
                   (headline "A reduction by hand has 8 messages one behind the other in each of 50 rounds, 5.71 ms of 40.0 ms each.")
                   (because "run.moving" "run.balance"))))

(case "waits that are for computation are not counted to the messages"
  (given (like "messages of 4 MB, and all compute equally long")
         (metrics (pattern "tree-collective") run.passed 0.3))
  (expect (finding (kind cause) (name hand-written-collective) (lost 1.2))))

(case "beside a slow process nothing is said of messages, which it makes long"
  (given (like "messages of 4 MB, and all compute equally long")
         (metrics (pattern "tree-collective") run.delay_total 3.0 run.balance 0.6))
  (expect))

(case "a few rounds are set-up, not a collective that is worth to be replaced"
  (given (like "messages of 4 MB, and all compute equally long")
         (metrics (pattern "tree-collective") run.rounds 3.0 run.delay_total 3.0))
  (expect))

(case "another rank is late in each round"
  (given (like "combining that takes next to nothing is part of a reduction")
         (finding (kind symptom) (name low-parallel-efficiency) (run "r1") (pattern "message-passing") (lost 4.0))
         (metrics (pattern "tree-collective") run.step_count 50.0 run.step_cost 3.0 run.step_kept 0.1
           run.step_order 0.05 run.step_same 0.1))
  (expect (need (metric "run.step_cost"))
          (finding (kind cause) (name noise) (lost 3.0) (gain 0.428571) (gain-kind even-out) (clocks own)
                   (headline "In each of 50 steps another rank is late, without any order; the others wait 3.00 s. No rank is to blame.")
                   (fix "Combine less often; bind ranks to cores and keep other load away.")
                   (because "run.step_kept" "run.step_same"))))

(case "the load moves from rank to rank, some rounds each"
  (given (like "another rank is late in each round")
         (metrics (pattern "tree-collective") run.step_order 0.6 run.step_same 0.8))
  (expect (finding (kind cause) (name moving-work) (lost 3.0)
                   (fix "Balance the load while the program runs, by the computation measured in the last rounds."))))

(case "who is late in all rounds is left to the general rules"
  (given (like "another rank is late in each round")
         (metrics (pattern "tree-collective") run.step_kept 0.9 run.step_order 0.6 run.step_same 0.8))
  (expect))

(case "uneven rounds that account for less than half of what is lost"
  (given (like "another rank is late in each round") (metrics (pattern "tree-collective") run.step_cost 1.8))
  (expect))

(case "all wait for combining, which every node does"
  (given (run (id "r1") (processes 7) (locations 7) (duration 2.0) (clock messages))
         (pattern (run "r1") (name "tree-collective") (id "tree-collective"))
         (finding (kind symptom) (name low-parallel-efficiency) (run "r1") (pattern "message-passing") (lost 3.0) (text "Given."))
         (role (run "r1") (pattern "tree-collective") (name "inner") (location "0"))
         (role (run "r1") (pattern "tree-collective") (name "inner") (location "1"))
         (role (run "r1") (pattern "tree-collective") (name "inner") (location "2"))
         (metrics (pattern "tree-collective") run.nodes 7.0 run.rounds 50.0 run.node_time 14.0 run.lost 3.0
           run.delay_total 1.0 run.moving 0.1 run.passed 0.8 run.balance 0.95 run.part 4000000.0
           inner.own ("0" 0.01 "1" 0.01 "2" 0.01) inner.above ("0" -1.0 "1" 0.0 "2" 0.0)
           inner.moved ("0" 4.0 "1" 4.0 "2" 4.0)
           node.delay_cost ("0" 0.7 "1" 0.0 "2" 0.0 "3" 0.0 "4" 0.0 "5" 0.0 "6" 0.0)
           inner.combined ("0" 0.06 "1" 0.06 "2" 0.06) inner.held ("0" 0.05 "1" 0.05 "2" 0.05)))
  (expect (finding (kind observation) (name combining) (healthy yes) (lost 0.72)
                   (text "On the longest way to the root nodes combine for 2.40 ms in each of 50 rounds, and all others wait for that, 0.720 s in all. Every reduction combines; MPI_Allreduce does so 3 times one behind the other."))))

(case "combining that makes nodes compute much longer than leaves is too much for them"
  (given (like "all wait for combining, which every node does")
         (metrics (pattern "tree-collective") run.balance 0.7))
  (expect (finding (kind cause) (name serial-combine) (culprits "0" "1" "2") (lost 0.72) (gain 0.12) (gain-kind remove)
                   (headline "Combining takes 2.40 ms on the longest way to the root in each of 50 rounds, and all others wait for that.")
                   (because "inner.combined" "run.balance"))))

(case "combining that accounts for little of the waiting"
  (given (like "all wait for combining, which every node does")
         (metrics (pattern "tree-collective") inner.combined ("0" 0.02 "1" 0.02 "2" 0.02)))
  (expect))

;; What the rules of divide-and-conquer conclude from given facts, and nothing else. A tree of seven:
;; root 0, inner nodes 1 and 2, leaves 3 and 4 below 1, 5 and 6 below 2. Times are seconds.

(case "the tree is judged by its efficiency"
  (given (pattern (run "r1") (name "divide-and-conquer") (id "divide-and-conquer")))
  (expect (need (pattern "divide-and-conquer") (metric "run.tree_efficiency"))
          (need (pattern "divide-and-conquer") (metric "leaf.part_parent"))))

(case "a part of the run is asked about by its own id"
  (given (pattern (run "r1") (name "divide-and-conquer") (id "divide-and-conquer@comm 3") (scope "comm 3")))
  (expect (need (pattern "divide-and-conquer@comm 3") (metric "run.tree_efficiency"))))

(case "a busy tree is no problem"
  (given (pattern (run "r1") (name "divide-and-conquer") (id "divide-and-conquer"))
         (metrics (pattern "divide-and-conquer") run.tree_efficiency 0.9))
  (expect (finding (name good-tree-efficiency) (healthy yes) (because "run.tree_efficiency"))))

(case "a leaf with much more work is named with its path; the first result is the late one"
  (given (pattern (run "r1") (name "divide-and-conquer") (id "divide-and-conquer"))
         (metrics (pattern "divide-and-conquer") run.tree_efficiency 0.244898 run.work 2.4 run.tree_time 9.8
           run.tree_lost 7.4 run.nodes 7.0 run.leaves 4.0 run.parents 3.0 run.problems 1.0
           leaf.part_parent ("3" 1.0 "4" 1.0 "5" 2.0 "6" 2.0) leaf.solve ("3" 0.3 "4" 0.3 "5" 1.2 "6" 0.6)
           leaf.part_done ("3" 0.4 "4" 0.4 "5" 1.3 "6" 0.7) inner.parent_rank ("1" 0.0 "2" 0.0)
           inner.own ("1" 0.0 "2" 0.0) inner.divide ("1" 0.01 "2" 0.01) inner.merge ("1" 0.01 "2" 0.01)
           inner.done ("1" 0.5 "2" 1.4) inner.result_wait ("1" 0.3 "2" 1.2) inner.last_child ("1" 4.0 "2" 6.0)
           inner.last_wait ("1" 0.01 "2" 0.0) inner.awaited ("1" 3.0 "2" 5.0) root.root_own ("0" 0.0)
           root.root_divide ("0" 0.01) root.root_merge ("0" 0.01) root.root_result_wait ("0" 1.2)
           root.root_last_child ("0" 2.0) root.root_last_wait ("0" 0.88) root.root_awaited ("0" 1.0) run.ramp 0.02
           run.tail 0.03 run.split_skew 2.0 run.typical_solve 0.3 run.longest_solve 1.2 run.solve_work 2.4
           run.own_work 0.0 run.merge_work 0.03 run.divide_work 0.03 run.merge_share 0.012195
           run.divide_share 0.012195 run.parents_wait 0.1 run.parents_in_order 0.0 run.grain 0.6 run.hand_over 0.001
           run.moving_all 0.01 run.part_bytes 1000.0))
  (expect (finding (name low-tree-efficiency) (kind symptom) (because "run.tree_efficiency"))
          (finding (name tree) (healthy yes)
                   (text "A tree of depth 2 with root 0: 3 processes divide and merge, 4 are leaves; 1 problem."))
          (finding (name critical-path) (healthy yes) (locations "0" "2" "5"))
          (finding (name bad-split) (kind cause) (culprits "5") (gain 0.6) (what-if "compute(leaf)=even") (lost 5.28)
                   (where "Solve.solve") (functions-of "5") (because low-tree-efficiency "run.typical_solve"))))

(case "equal leaves are nobody's fault; parents that only wait are reported"
  (given (like "a leaf with much more work is named with its path; the first result is the late one")
         (metrics (pattern "divide-and-conquer") run.tree_efficiency 0.436364 run.work 1.68 run.tree_time 3.85
           run.tree_lost 2.17 leaf.solve ("3" 0.4 "4" 0.4 "5" 0.42 "6" 0.4)
           leaf.part_done ("3" 0.5 "4" 0.5 "5" 0.52 "6" 0.5) inner.done ("1" 0.6 "2" 0.62)
           inner.result_wait ("1" 0.4 "2" 0.42) root.root_result_wait ("0" 0.42) root.root_last_wait ("0" 0.02)
           run.split_skew 1.037037 run.typical_solve 0.4 run.longest_solve 0.42 run.solve_work 1.62
           run.merge_share 0.017857 run.divide_share 0.017857 run.parents_wait 1.2 run.grain 0.405))
  (expect (finding (name low-tree-efficiency) (kind symptom) (because "run.tree_efficiency"))
          (finding (name tree) (healthy yes)
                   (text "A tree of depth 2 with root 0: 3 processes divide and merge, 4 are leaves; 1 problem."))
          (finding (name critical-path) (healthy yes))
          (finding (name idle-parents) (kind cause) (lost 1.2)
                   (because "run.parents" "run.typical_solve"))))

(case "an inner node that merges longer than its peer is named"
  (given (like "a leaf with much more work is named with its path; the first result is the late one")
         (metrics (pattern "divide-and-conquer") run.tree_efficiency 0.214286 run.work 1.2 run.tree_time 5.6
           run.tree_lost 4.4 leaf.solve ("3" 0.2 "4" 0.2 "5" 0.2 "6" 0.2)
           leaf.part_done ("3" 0.3 "4" 0.3 "5" 0.3 "6" 0.3) inner.merge ("1" 0.02 "2" 0.4)
           inner.done ("1" 0.4 "2" 0.4) inner.result_wait ("1" 0.2 "2" 0.2) root.root_merge ("0" 0.02)
           root.root_result_wait ("0" 0.2) root.root_last_wait ("0" 0.38) run.tail 0.43 run.split_skew 1.0
           run.typical_solve 0.2 run.longest_solve 0.2 run.solve_work 0.8 run.merge_work 0.44
           run.merge_share 0.346457 run.divide_share 0.023622 run.grain 0.2))
  (expect (finding (name low-tree-efficiency) (kind symptom) (because "run.tree_efficiency"))
          (finding (name tree) (healthy yes)
                   (text "A tree of depth 2 with root 0: 3 processes divide and merge, 4 are leaves; 1 problem."))
          (finding (name critical-path) (healthy yes))
          (finding (name slow-node) (kind cause) (culprits "2") (gain 0.38)
                   (where "Node.merge") (functions-of "2") (because "inner.merge"))))

(case "parents that keep a part are not idle"
  (given (pattern (run "r1") (name "divide-and-conquer") (id "divide-and-conquer"))
         (dc-path (run "r1") (pattern "divide-and-conquer") (nodes "0" "2" "5") (depth 2) (part 0.42) (divide 0.02) (merge 0.02) (slack 0.0) (slow "") (slow-excess 0.0))
         (metrics (pattern "divide-and-conquer") run.tree_efficiency 0.548571 run.work 2.88 run.tree_time 5.25
           run.tree_lost 2.37 run.nodes 7.0 run.leaves 4.0 run.parents 3.0 run.problems 1.0 run.ramp 0.02
           run.tail 0.03 run.split_skew 1.037037 run.typical_solve 0.4 run.longest_solve 0.42 run.solve_work 1.62
           run.own_work 1.2 run.merge_work 0.03 run.divide_work 0.03 run.merge_share 0.010417
           run.divide_share 0.010417 run.parents_wait 1.2 run.parents_in_order 0.0 run.grain 0.405
           run.hand_over 0.001 run.moving_all 0.01 run.part_bytes 1000.0))
  (expect (finding (name low-tree-efficiency) (kind symptom) (because "run.tree_efficiency"))
          (finding (name tree) (healthy yes)
                   (text "A tree of depth 2 with root 0: 3 processes divide and merge, 4 are leaves; 1 problem."))
          (finding (name critical-path) (healthy yes))))

(case "one leaf has somewhat more: uneven, and it is named"
  (given (pattern (run "r1") (name "divide-and-conquer") (id "divide-and-conquer"))
         (dc-node (run "r1") (pattern "divide-and-conquer") (node "3") (parent "1") (kind leaf) (part 0.55) (divide 0.0) (merge 0.0))
         (dc-node (run "r1") (pattern "divide-and-conquer") (node "4") (parent "1") (kind leaf) (part 0.4) (divide 0.0) (merge 0.0))
         (dc-node (run "r1") (pattern "divide-and-conquer") (node "5") (parent "1") (kind leaf) (part 0.4) (divide 0.0) (merge 0.0))
         (dc-node (run "r1") (pattern "divide-and-conquer") (node "6") (parent "1") (kind leaf) (part 0.35) (divide 0.0) (merge 0.0))
         (dc-path (run "r1") (pattern "divide-and-conquer") (nodes "0" "1" "3") (depth 2) (part 0.4) (divide 0.02) (merge 0.02) (slack 0.3) (slow "") (slow-excess 0.0))
         (metrics (pattern "divide-and-conquer") run.tree_efficiency 0.275325 run.work 1.06 run.tree_time 3.85
           run.tree_lost 2.79 run.nodes 7.0 run.leaves 4.0 run.parents 3.0 run.problems 1.0 run.ramp 0.02
           run.tail 0.03 run.split_skew 1.6 run.typical_solve 0.4 run.longest_solve 0.55 run.solve_work 1.0
           run.own_work 0.0 run.merge_work 0.03 run.divide_work 0.03 run.merge_share 0.028302
           run.divide_share 0.028302 run.parents_wait 0.1 run.parents_in_order 0.0 run.grain 0.25
           run.hand_over 0.001 run.moving_all 0.01 run.part_bytes 1000.0))
  (expect (finding (name low-tree-efficiency) (kind symptom) (because "run.tree_efficiency"))
          (finding (name tree) (healthy yes)
                   (text "A tree of depth 2 with root 0: 3 processes divide and merge, 4 are leaves; 1 problem."))
          (finding (name critical-path) (healthy yes))
          (finding (name uneven-leaves) (kind cause) (culprits "3") (because "run.longest_solve"))))


(case "most leaves are as heavy as the heaviest: uneven, and nobody is named"
  (given (like "one leaf has somewhat more: uneven, and it is named")
         (dc-node (run "r1") (pattern "divide-and-conquer") (node "4") (parent "1") (kind leaf) (part 0.54) (divide 0.0) (merge 0.0))
         (dc-node (run "r1") (pattern "divide-and-conquer") (node "5") (parent "1") (kind leaf) (part 0.53) (divide 0.0) (merge 0.0)))
  (expect (finding (name low-tree-efficiency) (kind symptom)) (finding (name tree) (healthy yes))
          (finding (name critical-path) (healthy yes))
          (finding (name uneven-leaves) (kind cause) (culprits)
                   (headline "The leaves solve for different times: 0.250 s on average, 0.550 s at most; the others idle until the last one is done."))))

(case "leaves are even over all problems, and each problem has another longest part"
  (given (like "one leaf has somewhat more: uneven, and it is named")
         (without (dc-node))
         (metrics (pattern "divide-and-conquer") run.problems 8.0 run.part_cv 0.12 run.longest_solve 0.42
           run.solve_work 1.6 run.tree_lost 1.0))
  (expect (finding (name low-tree-efficiency) (kind symptom)) (finding (name tree) (healthy yes))
          (finding (name critical-path) (healthy yes))
          (finding (name uneven-leaves) (kind cause) (culprits) (lost 0.77) (gain 0.11) (gain-kind even-out)
                   (because "run.part_cv"))))

(case "long merging at the top keeps the others idle, and so does long dividing"
  (given (pattern (run "r1") (name "divide-and-conquer") (id "divide-and-conquer"))
         (dc-path (run "r1") (pattern "divide-and-conquer") (nodes "0" "2" "5") (depth 2) (part 0.2) (divide 0.22) (merge 0.5) (slack 0.0) (slow "") (slow-excess 0.0))
         (metrics (pattern "divide-and-conquer") run.tree_efficiency 0.195238 run.work 1.64 run.tree_time 8.4
           run.tree_lost 6.76 run.nodes 7.0 run.leaves 4.0 run.parents 3.0 run.problems 1.0
           root.root_merge ("0" 0.4) root.root_divide ("0" 0.2) run.ramp 0.22 run.tail 0.5 run.split_skew 1.0
           run.typical_solve 0.2 run.longest_solve 0.2 run.solve_work 0.8 run.own_work 0.0 run.merge_work 0.6
           run.divide_work 0.24 run.merge_share 0.365854 run.divide_share 0.146341 run.parents_wait 0.1
           run.parents_in_order 0.0 run.grain 0.2 run.hand_over 0.001 run.moving_all 0.01 run.part_bytes 1000.0))
  (expect (finding (name low-tree-efficiency) (kind symptom) (because "run.tree_efficiency"))
          (finding (name tree) (healthy yes)
                   (text "A tree of depth 2 with root 0: 3 processes divide and merge, 4 are leaves; 1 problem."))
          (finding (name critical-path) (healthy yes))
          (finding (name serial-merge) (kind cause) (culprits "0") (because "run.merge_work"))
          (finding (name serial-divide) (kind cause) (culprits "0") (because "run.divide_work"))))

(case "a tree that starts and ends slowly, beyond dividing and merging"
  (given (pattern (run "r1") (name "divide-and-conquer") (id "divide-and-conquer"))
         (dc-path (run "r1") (pattern "divide-and-conquer") (nodes "0" "2" "5") (depth 2) (part 0.2) (divide 0.02) (merge 0.02) (slack 0.0) (slow "") (slow-excess 0.0))
         (dc-node (run "r1") (pattern "divide-and-conquer") (node "5") (parent "2") (kind leaf) (part 0.2) (divide 0.0) (merge 0.0))
         (metrics (pattern "divide-and-conquer") run.tree_efficiency 0.204762 run.work 0.86 run.tree_time 4.2
           run.tree_lost 3.34 run.nodes 7.0 run.leaves 4.0 run.parents 3.0 run.problems 1.0 run.ramp 0.15
           run.tail 0.2 run.clock_error 0.001 run.split_skew 1.0 run.typical_solve 0.2 run.longest_solve 0.2
           run.solve_work 0.8 run.own_work 0.0 run.merge_work 0.03 run.divide_work 0.03 run.merge_share 0.034884
           run.divide_share 0.034884 run.parents_wait 0.1 run.parents_in_order 0.0 run.grain 0.2 run.hand_over 0.001
           run.moving_all 0.01 run.part_bytes 1000.0))
  (expect (finding (name low-tree-efficiency) (kind symptom) (because "run.tree_efficiency"))
          (finding (name tree) (healthy yes)
                   (text "A tree of depth 2 with root 0: 3 processes divide and merge, 4 are leaves; 1 problem."))
          (finding (name critical-path) (healthy yes))
          (finding (name tree-latency) (kind cause) (because "run.ramp" "run.tail"))))

(case "small parts with expensive messages are too small"
  (given (pattern (run "r1") (name "divide-and-conquer") (id "divide-and-conquer"))
         (metrics (pattern "divide-and-conquer") run.tree_efficiency 0.114286 run.work 0.08 run.tree_time 0.7
           run.tree_lost 0.62 run.nodes 7.0 run.leaves 4.0 run.parents 3.0 run.problems 1.0 run.grain 0.001
           run.hand_over 0.002 run.moving_all 0.2 run.part_bytes 1000.0))
  (expect (finding (name low-tree-efficiency) (kind symptom) (because "run.tree_efficiency"))
          (finding (name parts-too-small) (kind cause) (lost 0.2) (because "run.grain" "run.hand_over"))))

(case "large parts are a matter of data, not of grain"
  (given (like "small parts with expensive messages are too small")
         (metrics (pattern "divide-and-conquer") run.part_bytes 10000000.0))
  (expect (finding (name low-tree-efficiency) (kind symptom) (because "run.tree_efficiency"))
          (finding (name data-migration) (kind cause) (lost 0.2) (because "run.part_bytes"))))

(case "a parent that could merge while it waits for another child receives in a fixed order"
  (given (pattern (run "r1") (name "divide-and-conquer") (id "divide-and-conquer"))
         (metrics (pattern "divide-and-conquer") run.tree_efficiency 0.485714 run.work 1.7 run.tree_time 3.5
           run.tree_lost 1.8 run.nodes 7.0 run.leaves 4.0 run.parents 3.0 run.problems 1.0 run.merge_work 0.3
           run.parents_in_order 0.4))
  (expect (finding (name low-tree-efficiency) (kind symptom) (because "run.tree_efficiency"))
          (finding (name fixed-child-order) (kind cause) (lost 0.3) (because "run.parents_in_order"))))

(case "waiting in an order costs nothing where there is nothing to merge"
  (given (like "a parent that could merge while it waits for another child receives in a fixed order")
         (metrics (pattern "divide-and-conquer") run.merge_work 0.01))
  (expect (finding (name low-tree-efficiency) (kind symptom) (because "run.tree_efficiency"))))

(case "a slow start that clocks may have made up is no cause"
  (given (like "a tree that starts and ends slowly, beyond dividing and merging")
         (metrics (pattern "divide-and-conquer") run.clock_error 0.4))
  (expect (finding (name low-tree-efficiency) (kind symptom) (because "run.tree_efficiency"))
          (finding (name tree) (healthy yes)
                   (text "A tree of depth 2 with root 0: 3 processes divide and merge, 4 are leaves; 1 problem."))
          (finding (name critical-path) (healthy yes))))

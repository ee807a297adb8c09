(case "one member computes 1.8 times as long, and the whole ring is as slow as it is"
  (given (run (id "r1") (processes 4) (locations 4) (duration 4.0) (clock messages))
         (pattern (run "r1") (name "systolic-ring") (id "systolic-ring"))
         (metrics (pattern "systolic-ring") run.efficiency 0.6 run.lost 6.4 run.member_time 16.0 run.members 4.0
           run.shifts_each 60.0))
  (expect (finding (kind symptom) (name low-ring-efficiency) (lost 6.4)
                   (text "Members of the ring compute 60.0 % of their time; 6.40 s are lost in 60 shifts each."))
          (need (metric "member.work")))
  (given (metrics (pattern "systolic-ring") member.work ("0" 2.0 "1" 2.0 "2" 3.6 "3" 2.0)
           member.relative ("0" 1.0 "1" 1.0 "2" 1.8 "3" 1.0) member.heavy_steps ("0" 1.0 "1" 1.0 "2" 58.0 "3" 1.0)
           run.step_kept 0.97 run.step_count 60.0 run.moving_each 0.0005 run.work_each 0.04 run.block 8000.0
           run.overlap 0.9))
  (expect (finding (kind symptom) (name low-ring-efficiency))
          (finding (kind cause) (name slow-member) (culprits "2") (lost 4.8) (gain 1.2) (gain-kind even-out) (clocks own)
                   (headline "Rank 2 computes 1.8 times as long as the median, and each shift waits for it: the ring loses 4.80 s.")
                   (text "Process 2 computes 3.60 s, 1.80 times the median, and longest in 58 of 60 steps. Everybody makes as many shifts (60), each behind the one before: the others are as slow as it is, and lose 4.80 s, whatever the clocks say.")
                   (because low-ring-efficiency "member.work" "run.step_kept"))))

(case "two slow members are one cause"
  (given (run (id "r1") (processes 4) (locations 4) (duration 4.0) (clock messages))
         (pattern (run "r1") (name "systolic-ring") (id "systolic-ring"))
         (metrics (pattern "systolic-ring") run.efficiency 0.7 run.lost 4.8 run.member_time 16.0 run.members 4.0
           run.shifts_each 60.0 member.work ("0" 2.0 "1" 3.6 "2" 3.6 "3" 2.0)
           member.relative ("0" 0.714 "1" 1.286 "2" 1.286 "3" 0.714) run.step_kept 0.97 run.step_count 60.0
           run.moving_each 0.0005 run.work_each 0.04 run.block 8000.0 run.overlap 0.9)
         (metric (run "r1") (pattern "systolic-ring") (name "member.heavy_steps") (location "0") (value 1.0) (rank 3) (of 4) (unit "1"))
         (metric (run "r1") (pattern "systolic-ring") (name "member.heavy_steps") (location "1") (value 58.0) (rank 1) (of 4) (unit "1"))
         (metric (run "r1") (pattern "systolic-ring") (name "member.heavy_steps") (location "2") (value 1.0) (rank 2) (of 4) (unit "1"))
         (metric (run "r1") (pattern "systolic-ring") (name "member.heavy_steps") (location "3") (value 1.0) (rank 4) (of 4) (unit "1")))
  (expect (finding (kind symptom) (name low-ring-efficiency))
          (finding (kind cause) (name slow-member) (culprits "1" "2") (gain 0.8))))

(case "another one is slowest in each step: nobody holds the ring all the time"
  (given (like "one member computes 1.8 times as long, and the whole ring is as slow as it is")
         (metrics (pattern "systolic-ring") run.step_kept 0.2))
  (expect (finding (kind symptom) (name low-ring-efficiency))))

(case "what is computed longer explains less than half of the waiting: the general rules say more"
  (given (like "one member computes 1.8 times as long, and the whole ring is as slow as it is")
         (metrics (pattern "systolic-ring") member.work ("0" 2.0 "1" 2.0 "2" 2.8 "3" 2.0)
           member.relative ("0" 1.0 "1" 1.0 "2" 1.4 "3" 1.0)))
  (expect (finding (kind symptom) (name low-ring-efficiency))))

(case "who works alone, the others having nothing to do, is no slow member"
  (given (like "one member computes 1.8 times as long, and the whole ring is as slow as it is")
         (serial (run "r1") (location "2") (seconds 1.5)))
  (expect (finding (kind symptom) (name low-ring-efficiency))))

(case "large blocks move between the work"
  (given (like "one member computes 1.8 times as long, and the whole ring is as slow as it is")
         (metrics (pattern "systolic-ring") member.work ("0" 2.4 "1" 2.4 "2" 2.41 "3" 2.4)
           member.relative ("0" 1.0 "1" 1.0 "2" 1.004 "3" 1.0) run.moving_each 0.02 run.block 4000000.0
           run.overlap 0.01))
  (expect (finding (kind symptom) (name low-ring-efficiency))
          (finding (kind cause) (name no-overlap) (lost 4.8) (gain 1.2) (gain-kind remove) (clocks own)
                   (headline "Blocks of 4.0 MB move only when the work on them is done: 20.0 ms of each shift, beside 40.0 ms of work.")
                   (because low-ring-efficiency "run.overlap" "run.moving_each"))))

(case "what is computed in a shift hides no more than it takes"
  (given (like "large blocks move between the work") (metrics (pattern "systolic-ring") run.work_each 0.005))
  (expect (finding (kind symptom) (name low-ring-efficiency))
          (finding (kind cause) (name no-overlap) (lost 4.8) (gain 0.3))))

(case "a slow member and blocks that move between the work are reported each, and no second twice"
  (given (like "one member computes 1.8 times as long, and the whole ring is as slow as it is")
         (metrics (pattern "systolic-ring") run.efficiency 0.5 run.lost 8.0
           member.work ("0" 1.6 "1" 1.6 "2" 2.8 "3" 1.6) member.relative ("0" 1.0 "1" 1.0 "2" 1.75 "3" 1.0)
           run.moving_each 0.01 run.block 4000000.0 run.overlap 0.01))
  (expect (finding (kind symptom) (name low-ring-efficiency))
          (finding (kind cause) (name slow-member) (culprits "2") (lost 3.6))
          (finding (kind cause) (name no-overlap) (lost 2.4))))

(case "blocks that are moved during the work are not moved by MPI alone"
  (given (like "large blocks move between the work") (metrics (pattern "systolic-ring") run.overlap 0.6))
  (expect (finding (kind symptom) (name low-ring-efficiency))
          (finding (kind cause) (name transfer) (lost 4.8) (gain 1.2) (gain-kind remove) (clocks own)
                   (headline "Blocks of 4.0 MB are under way during the work, and yet their calls take 20.0 ms of each shift, beside 40.0 ms of work.")
                   (because low-ring-efficiency "run.overlap" "run.moving_each"))))

(case "small messages are no blocks: latency is reported by the general rules"
  (given (like "large blocks move between the work") (metrics (pattern "systolic-ring") run.block 8000.0))
  (expect (finding (kind symptom) (name low-ring-efficiency))))

(case "members that compute nearly all of the time are fine"
  (given (like "large blocks move between the work")
         (metrics (pattern "systolic-ring") run.efficiency 0.9 run.lost 1.6
           member.work ("0" 3.5 "1" 3.5 "2" 3.9 "3" 3.5) member.relative ("0" 1.0 "1" 1.0 "2" 1.114 "3" 1.0)))
  (expect))

(case "blocks look slow where all wait in turn for who computes longer"
  (given (like "large blocks move between the work")
         (metrics (pattern "systolic-ring") run.step_cost 5.0 run.step_peers 6.0 run.step_order 0.1
           run.step_same 0.2))
  (expect (finding (kind symptom) (name low-ring-efficiency))))

(case "a heavy block makes each of its holders late in turn"
  (given (like "one member computes 1.8 times as long, and the whole ring is as slow as it is")
         (metrics (pattern "systolic-ring") run.step_kept 0.2 run.step_cost 5.0 run.step_peers 4.0
           run.step_order 0.6 run.step_same 0.7))
  (expect (finding (kind symptom) (name low-ring-efficiency))
          (finding (kind cause) (name moving-work) (lost 5.0) (gain 1.25) (gain-kind even-out) (clocks own)
                   (headline "The load moves: now one rank, now another has more to do, and the others wait, 5.00 s in 60 steps.")
                   (because "run.step_kept" "run.step_same"))))

(case "steps that are uneven without any order are noise"
  (given (like "a heavy block makes each of its holders late in turn")
         (metrics (pattern "systolic-ring") run.step_order 0.0 run.step_same 0.2))
  (expect (finding (kind symptom) (name low-ring-efficiency))
          (finding (kind cause) (name noise) (lost 5.0) (gain 1.25) (clocks own)
                   (headline "In each of 60 steps another rank is late, without any order; the others wait 5.00 s. No rank is to blame."))))

(case "what moves is less than half of what is lost: it is not said to be the reason"
  (given (like "a heavy block makes each of its holders late in turn")
         (metrics (pattern "systolic-ring") run.step_peers 2.0))
  (expect (finding (kind symptom) (name low-ring-efficiency))))

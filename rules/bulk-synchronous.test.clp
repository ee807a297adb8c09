;; What the rules of bulk-synchronous conclude from given facts, and nothing else.



(case "phases are described, and efficiency is asked for"
  (given (pattern (run "r1") (name "bulk-synchronous") (id "bulk-synchronous")))
  (expect (need (pattern "bulk-synchronous") (metric "run.efficiency")))
  (given (metrics (pattern "bulk-synchronous") run.members 4.0 run.phases_each 100.0 run.phase_work 0.002))
  (expect (finding (name phases) (healthy yes)
                   (text "4 processes compute and synchronise in collective operations: 100 phases each, with 2.00 ms of computation in a phase."))))

(case "processes that compute nearly all the time are no problem"
  (given (pattern (run "r1") (name "bulk-synchronous") (id "bulk-synchronous"))
         (metrics (pattern "bulk-synchronous") run.moving 0.0 run.in_collectives_least 0.0 run.clock_error 0.0
           run.phases_each 100.0 run.idle_ends 0.0 run.efficiency 0.9 run.lost 4.0 run.member_time 8.0
           run.members 4.0 run.wait_share 0.3 run.waiting 2.4 run.wait_all 2.4 run.wait_root 0.0 run.wait_ranks 0.0
           member.delay_share ("0" 0.3 "1" 0.25 "2" 0.25 "3" 0.2)
           member.delay_cost ("0" 0.72 "1" 0.6 "2" 0.6 "3" 0.48) member.relative ("0" 1.02 "1" 1.0 "2" 1.0 "3" 0.98)
           member.excess ("0" 0.02 "1" 0.0 "2" 0.0 "3" 0.0) member.compute_time ("0" 1.02 "1" 1.0 "2" 1.0 "3" 0.98)
           member.waited_as_root ("0" 0.0 "1" 0.0 "2" 0.0 "3" 0.0)))
  (expect (finding (name good-phase-efficiency) (healthy yes) (because "run.efficiency"))))

(case "one process computes longer, and all wait for it"
  (given (pattern (run "r1") (name "bulk-synchronous") (id "bulk-synchronous"))
         (metrics (pattern "bulk-synchronous") run.moving 0.0 run.in_collectives_least 0.0 run.clock_error 0.0
           run.phases_each 100.0 run.idle_ends 0.0 run.efficiency 0.5 run.lost 4.0 run.member_time 8.0
           run.members 4.0 run.wait_share 0.3 run.waiting 2.4 run.wait_all 2.4 run.wait_root 0.0 run.wait_ranks 0.0
           run.static_cost 2.2 run.step_count 100.0 run.step_cost 2.2 run.step_kept 1.0 run.step_order 0.3
           run.step_same 0.9 run.step_growth 0.0 member.delay_share ("0" 0.9 "1" 0.05 "2" 0.03 "3" 0.02)
           member.delay_cost ("0" 2.16 "1" 0.12 "2" 0.072 "3" 0.048)
           member.relative ("0" 1.6 "1" 1.0 "2" 1.0 "3" 0.98) member.excess ("0" 0.6 "1" 0.0 "2" 0.0 "3" 0.0)
           member.compute_time ("0" 1.6 "1" 1.0 "2" 1.0 "3" 0.98)
           member.waited_as_root ("0" 0.0 "1" 0.0 "2" 0.0 "3" 0.0)))
  (expect (finding (name low-phase-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))
          (finding (name members-wait) (kind observation) (lost 2.4) (because "run.wait_share"))
          (finding (name late-member) (kind cause) (culprits "0") (lost 2.16) (gain 0.455) (gain-kind even-out) (what-if "compute(0)=even")
                   (because "member.delay_share" "member.excess"))))

(case "a member that is in calls outside of its group seems to compute longer, but is not to blame"
  (given (pattern (run "r1") (name "bulk-synchronous") (id "bulk-synchronous@comm2") (scope "comm2"))
         (metrics (pattern "bulk-synchronous@comm2") run.moving 0.0 run.in_collectives_least 0.0 run.clock_error 0.0
           run.phases_each 100.0 run.idle_ends 0.0 run.efficiency 0.5 run.lost 4.0 run.member_time 8.0
           run.members 4.0 run.wait_share 0.3 run.waiting 2.4 run.wait_all 2.4 run.wait_root 0.0 run.wait_ranks 0.0
           run.static_cost 2.2 run.step_count 100.0 run.step_cost 2.2 run.step_kept 1.0 run.step_order 0.3
           run.step_same 0.9 run.step_growth 0.0 member.delay_share ("0" 0.9 "1" 0.05 "2" 0.03 "3" 0.02)
           member.delay_cost ("0" 2.16 "1" 0.12 "2" 0.072 "3" 0.048)
           member.relative ("0" 1.6 "1" 1.0 "2" 1.0 "3" 0.98) member.excess ("0" 0.6 "1" 0.0 "2" 0.0 "3" 0.0)
           member.compute_time ("0" 1.6 "1" 1.0 "2" 1.0 "3" 0.98)
           member.waited_as_root ("0" 0.0 "1" 0.0 "2" 0.0 "3" 0.0))
         (metric (run "r1") (pattern "message-passing") (name "process.compute_time") (location "0") (value 1.1) (rank 1) (of 8)))
  (expect (finding (name low-phase-efficiency) (kind symptom) (lost 4.0))
          (finding (name members-wait) (kind observation) (lost 2.4))
          (finding (name late-outside) (kind observation) (lost 2.16)
                   (text "The others of comm2 wait 2.16 s for process 0, which is in calls with processes outside of it for 0.500 s meanwhile.")
                   (because "process.compute_time" "member.compute_time"))))

(case "what it costs in between and at the end is one cause"
  (given (like "one process computes longer, and all wait for it")
         (metrics (pattern "bulk-synchronous") run.idle_ends 1.2))
  (expect (finding (name low-phase-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))
          (finding (name members-wait) (kind observation) (lost 2.4) (because "run.wait_share"))
          (finding (name late-member) (kind cause) (culprits "0") (lost 3.36) (gain 0.455) (gain-kind even-out) (what-if "compute(0)=even")
                   (because "member.delay_share" "member.excess"))))

(case "the process that computes longer is the root of broadcasts: it works alone"
  (given (like "one process computes longer, and all wait for it")
         (metrics (pattern "bulk-synchronous") member.waited_as_root ("0" 2.0 "1" 0.0 "2" 0.0 "3" 0.0)))
  (expect (finding (name low-phase-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))
          (finding (name members-wait) (kind observation) (lost 2.4) (because "run.wait_share"))
          (finding (name serial-root) (kind cause) (culprits "0") (lost 2.16) (because "member.waited_as_root"))))

(case "who roots broadcasts and is slower in what all do before them is a late process, not a serial root"
  (given (like "the process that computes longer is the root of broadcasts: it works alone")
         (metrics (pattern "bulk-synchronous") member.given_work ("0" 1.6 "1" 1.0 "2" 1.0 "3" 0.98)))
  (expect (finding (name low-phase-efficiency))
          (finding (name members-wait))
          (finding (name late-member) (kind cause) (culprits "0"))))

(case "of several that are late none is a root alone"
  (given (like "one process computes longer, and all wait for it")
         (metrics (pattern "bulk-synchronous") member.delay_share ("0" 0.5 "1" 0.5 "2" 0.03 "3" 0.02)
           member.delay_cost ("0" 1.2 "1" 1.2 "2" 0.072 "3" 0.048)
           member.relative ("0" 1.6 "1" 1.6 "2" 1.0 "3" 0.98) member.excess ("0" 0.6 "1" 0.6 "2" 0.0 "3" 0.0)
           member.compute_time ("0" 1.6 "1" 1.6 "2" 1.0 "3" 0.98)
           member.waited_as_root ("0" 1.1 "1" 1.1 "2" 0.0 "3" 0.0)))
  (expect (finding (name low-phase-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))
          (finding (name members-wait) (kind observation) (lost 2.4) (because "run.wait_share"))
          (finding (name late-member) (kind cause) (culprits "0" "1") (lost 2.4) (because "member.waited_as_root"))))


(case "what is left beside a late process is reported, but no cause"
  (given (like "one process computes longer, and all wait for it")
         (metrics (pattern "bulk-synchronous") run.static_cost 1.2 run.step_cost 1.2
           member.delay_share ("0" 0.6 "1" 0.2 "2" 0.1 "3" 0.1)
           member.delay_cost ("0" 1.44 "1" 0.48 "2" 0.24 "3" 0.24)
           member.relative ("0" 1.3 "1" 1.0 "2" 1.0 "3" 0.98) member.excess ("0" 0.3 "1" 0.0 "2" 0.0 "3" 0.0)
           member.compute_time ("0" 1.3 "1" 1.0 "2" 1.0 "3" 0.98)))
  (expect (finding (name low-phase-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))
          (finding (name members-wait) (kind observation) (lost 2.4) (because "run.wait_share"))
          (finding (name late-member) (culprits "0") (lost 1.44))
          (finding (name other-waiting) (kind observation))))

(case "work that is uneven all the time, on several processes"
  (given (like "one process computes longer, and all wait for it")
         (metrics (pattern "bulk-synchronous") run.static_cost 2.0 run.step_kept 0.9 run.step_order 0.8
           run.step_same 0.6 member.delay_share ("0" 0.45 "1" 0.4 "2" 0.1 "3" 0.05)
           member.delay_cost ("0" 1.08 "1" 0.96 "2" 0.24 "3" 0.12)
           member.relative ("0" 1.25 "1" 1.2 "2" 0.8 "3" 0.75) member.excess ("0" 0.25 "1" 0.2 "2" 0.0 "3" 0.0)
           member.compute_time ("0" 1.25 "1" 1.2 "2" 0.8 "3" 0.75)))
  (expect (finding (name low-phase-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))
          (finding (name members-wait) (kind observation) (lost 2.4) (because "run.wait_share"))
          (finding (name static-imbalance) (kind cause) (culprits "0" "1") (lost 2.0) (because "run.static_cost"))))

(case "work that moves from process to process"
  (given (like "processes that compute nearly all the time are no problem")
         (metrics (pattern "bulk-synchronous") run.efficiency 0.5 run.static_cost 0.2 run.step_count 100.0
           run.step_cost 2.2 run.step_kept 0.05 run.step_order 0.7 run.step_same 0.9 run.step_growth 0.0))
  (expect (finding (name low-phase-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))
          (finding (name members-wait) (kind observation) (lost 2.4) (because "run.wait_share"))
          (finding (name moving-work) (kind cause) (culprits) (lost 2.2) (because "run.step_order" "run.step_kept"))))

(case "noise blames nobody"
  (given (like "work that moves from process to process")
         (metrics (pattern "bulk-synchronous") run.step_order 0.05 run.step_same 0.25 run.step_growth 0.02))
  (expect (finding (name low-phase-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))
          (finding (name members-wait) (kind observation) (lost 2.4) (because "run.wait_share"))
          (finding (name noise) (kind cause) (culprits) (lost 2.2) (because "run.step_order"))))

(case "noise that any machine has costs much only where operations are too frequent"
  (given (like "noise blames nobody")
         (metrics (pattern "bulk-synchronous") run.moving 1.4 run.phases_each 10000.0 run.moving_share 0.175
           run.moving_each 0.000035 run.phase_work 0.0001))
  (expect (finding (name low-phase-efficiency) (kind symptom) (lost 4.0))
          (finding (name phases) (kind observation))
          (finding (name members-wait) (kind observation) (lost 2.4))
          (finding (name frequent-collectives) (kind cause) (culprits) (lost 3.8))))

(case "without common steps only the totals tell: phases are unequal"
  (given (like "processes that compute nearly all the time are no problem")
         (metrics (pattern "bulk-synchronous") run.efficiency 0.5 run.static_cost 0.2 run.phases_each 50.0))
  (expect (finding (name low-phase-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))
          (finding (name members-wait) (kind observation) (lost 2.4) (because "run.wait_share"))
          (finding (name unequal-phases) (kind cause) (culprits) (lost 2.4) (gain 0.55) (because "run.static_cost"))))

(case "operations in which processes wait, too, are one cause with them where there is little between them"
  (given (like "without common steps only the totals tell: phases are unequal")
         (metrics (pattern "bulk-synchronous") run.moving 2.2 run.wait_share 0.225 run.waiting 1.8 run.wait_all 1.8
           run.moving_share 0.275 run.moving_each 0.000011 run.phase_work 0.00006))
  (expect (finding (name low-phase-efficiency) (kind symptom) (lost 4.0))
          (finding (name phases) (kind observation))
          (finding (name members-wait) (kind observation) (lost 1.8))
          (finding (name frequent-collectives) (kind cause) (culprits) (lost 4.0) (gain 1.0))))

(case "with enough between them, waiting and operations are two causes"
  (given (like "operations in which processes wait, too, are one cause with them where there is little between them")
         (metrics (pattern "bulk-synchronous") run.phase_work 0.0006))
  (expect (finding (name low-phase-efficiency) (kind symptom) (lost 4.0))
          (finding (name phases) (kind observation))
          (finding (name members-wait) (kind observation) (lost 1.8))
          (finding (name unequal-phases) (kind cause) (culprits) (lost 1.8))
          (finding (name slow-collectives) (kind cause) (lost 2.2))))

(case "roots take turns to compute before they broadcast"
  (given (like "without common steps only the totals tell: phases are unequal")
         (metrics (pattern "bulk-synchronous") run.wait_root 2.3 run.often_wait 1.5))
  (expect (finding (name low-phase-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))
          (finding (name members-wait) (kind observation) (lost 2.4) (because "run.wait_share"))
          (finding (name serial-root) (kind cause) (culprits) (lost 2.4) (gain 0.55) (gain-kind even-out)
                   (headline "Roots of broadcasts compute before they send while the others wait, 2.30 s in all: another root each time.")
                   (because "run.wait_root" "run.often_wait"))))



(case "operations that are too frequent for what they cost"
  (given (pattern (run "r1") (name "bulk-synchronous") (id "bulk-synchronous"))
         (metrics (pattern "bulk-synchronous") run.in_collectives_least 0.0 run.clock_error 0.0
           run.phases_each 100.0 run.idle_ends 0.0 run.efficiency 0.5 run.lost 4.0 run.member_time 8.0
           run.members 4.0 run.moving_share 0.2 run.moving 1.6 run.moving_each 0.001 run.phase_work 0.002))
  (expect (finding (name phases) (healthy yes))
          (finding (name low-phase-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))
          (finding (name frequent-collectives) (kind cause) (lost 1.6) (because "run.moving_each" "run.phase_work"))))

(case "members that compute just enough of their own time, in a run of which that is too little"
  (given (like "operations that are too frequent for what they cost")
         (finding (kind symptom) (name low-parallel-efficiency) (run "r1") (pattern "message-passing") (text "Given."))
         (metrics (pattern "bulk-synchronous") run.efficiency 0.801))
  (expect (finding (name phases) (healthy yes))
          (finding (name low-phase-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))
          (finding (name frequent-collectives) (kind cause) (lost 1.6) (because "run.moving_each" "run.phase_work"))))

(case "operations that take long although they are not frequent"
  (given (like "operations that are too frequent for what they cost")
         (metrics (pattern "bulk-synchronous") run.phase_work 0.01))
  (expect (finding (name phases) (healthy yes))
          (finding (name low-phase-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))
          (finding (name slow-collectives) (kind cause) (lost 1.6) (gain 0.2) (because "run.moving_each"))))

(case "operations that take no significant part are no cause"
  (given (like "operations that are too frequent for what they cost")
         (metrics (pattern "bulk-synchronous") run.moving_share 0.01))
  (expect (finding (name phases) (healthy yes))
          (finding (name low-phase-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))))

(case "operations that take less than clocks may be wrong are not said to be too frequent"
  (given (like "operations that are too frequent for what they cost")
         (metrics (pattern "bulk-synchronous") run.clock_error 0.05))
  (expect (finding (name low-phase-efficiency))
          (finding (name phases) (healthy yes))
          (finding (name unsure-collectives) (kind observation) (because "run.moving_share"))))

(case "nor are they where no bound of the clocks is known"
  (given (like "operations that are too frequent for what they cost")
         (quality (run "r1") (note "clock-one-sided") (count 5)))
  (expect (finding (name low-phase-efficiency))
          (finding (name phases) (healthy yes))
          (finding (name unsure-collectives) (kind observation))))

(case "nor where parts of many are missing"
  (given (like "operations that are too frequent for what they cost")
         (quality (run "r1") (note "unmatched-collective") (count 100)))
  (expect (finding (name low-phase-efficiency))
          (finding (name phases) (healthy yes))
          (finding (name unsure-collectives) (kind observation))))

(case "parts of few that are missing change nothing"
  (given (like "nor where parts of many are missing") (quality (run "r1") (note "unmatched-collective") (count 2)))
  (expect (finding (name low-phase-efficiency))
          (finding (name phases) (healthy yes))
          (finding (name frequent-collectives) (kind cause))))

(case "a few operations belong to set-up and end of a run"
  (given (like "operations that are too frequent for what they cost")
         (metrics (pattern "bulk-synchronous") run.phases_each 5.0))
  (expect (finding (name low-phase-efficiency))
          (finding (name phases) (healthy yes))))

(case "what unsure clocks hide of the waiting goes to the late process, as far as it computes longer"
  (given (like "one process computes longer, and all wait for it")
         (metrics (pattern "bulk-synchronous") run.moving_each 0.004 run.moving 0.8 run.clock_error 0.05
           member.delay_cost ("0" 1.2 "1" 0.12 "2" 0.072 "3" 0.048)))
  (expect (finding (name low-phase-efficiency))
          (finding (name members-wait))
          (finding (name late-member) (culprits "0") (lost 1.8))
          (finding (name other-waiting) (kind observation))))

(case "processes that are done before the one that computes longest"
  (given (pattern (run "r1") (name "bulk-synchronous") (id "bulk-synchronous"))
         (metrics (pattern "bulk-synchronous") run.efficiency 0.6 run.lost 4.0 run.member_time 10.0
           run.idle_ends 3.6 run.members 4.0 member.relative ("2" 2.0 "0" 1.0 "1" 1.0 "3" 1.0)
           member.excess ("2" 1.2 "0" 0.0 "1" 0.0 "3" 0.0) member.compute_time ("2" 2.4 "0" 1.2 "1" 1.2 "3" 1.2)
           member.ended_early ("2" 0.01 "0" 1.21 "1" 1.2 "3" 1.2)))
  (expect (finding (name low-phase-efficiency) (kind symptom) (lost 4.0))
          (finding (name static-imbalance) (kind cause) (culprits "2") (lost 3.6) (gain 0.9)
                   (because low-phase-efficiency "run.idle_ends" "member.relative"))))

(case "where it ends early itself, the run lasts for another reason"
  (given (like "processes that are done before the one that computes longest")
         (metrics (pattern "bulk-synchronous") member.ended_early ("2" 1.0 "0" 1.21 "1" 1.2 "3" 1.2)))
  (expect (finding (name low-phase-efficiency))))

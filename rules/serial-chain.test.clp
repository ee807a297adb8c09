(case "ranks compute in turn: those in the middle are named"
  (given (run (id "r1") (processes 4) (duration 10.0))
         (pattern (run "r1") (name "message-passing") (id "message-passing"))
         (metrics (pattern "message-passing") run.lost 16.0 run.location_time 40.0 run.in_turn_share 0.5
           run.wait_share 0.35 run.waiting 14.0 run.section_best 7.0
           process.in_turn_cost ("0" 0.0 "1" 3.5 "2" 3.4 "3" 0.1) process.in_turn_after ("1" 0.0 "2" 1.0)))
  (expect (need (metric "run.in_turn_share"))
          (finding (kind cause) (name serial-chain) (culprits) (locations "1" "2") (lost 12.0) (gain 3.0) (gain-kind remove)
                   (headline "Ranks work one after the other within a step: 1 and 2 compute only when the rank before is done, and the next wait.")
                   (fix "If it need not be in order, let all do it at once; else in smaller pieces, each passed on as soon as it is done.")
                   (text "Processes work in turn: 50.0 % of 14.0 s of waiting are for processes (1 and 2) that have waited themselves for the one before them, and compute while those behind them have nothing to do; the order is 0, 1, 2. If in each step all computed at the same time, the run would take 3.00 s less.")
                   (because "run.in_turn_share" "run.waiting" "run.section_best"))))

(case "where even steps save more than another order, who comes late is in turn by chance"
  (given (like "ranks compute in turn: those in the middle are named")
         (metrics (pattern "message-passing") run.section_best 8.5))
  (expect (need (metric "run.in_turn_share"))))

(case "without steps only what is seen to be in turn can be saved"
  (given (like "ranks compute in turn: those in the middle are named")
         (metrics (pattern "message-passing") run.section_best 0.0))
  (expect (need (metric "run.in_turn_share"))
          (finding (name serial-chain) (kind cause) (lost 7.0) (gain 1.75) (because "run.in_turn_share"))))

(case "one process that waits and then computes alone is no chain"
  (given (like "ranks compute in turn: those in the middle are named")
         (without (metric (name "process.in_turn_after")))
         (metrics (pattern "message-passing") process.in_turn_cost ("0" 0.0 "1" 7.0 "2" 0.1 "3" 0.0)))
  (expect (need (metric "run.in_turn_share"))))

(case "the filling of a sweep is small beside the run"
  (given (like "one process that waits and then computes alone is no chain")
         (metrics (pattern "message-passing") run.wait_share 0.05 run.waiting 2.0 run.section_best 9.5
           process.in_turn_cost ("0" 0.0 "1" 0.5 "2" 0.5 "3" 0.0)))
  (expect (need (metric "run.in_turn_share"))))

(case "a little of much waiting is in turn"
  (given (like "one process that waits and then computes alone is no chain")
         (metrics (pattern "message-passing") run.in_turn_share 0.15
           process.in_turn_cost ("0" 0.0 "1" 1.1 "2" 1.0 "3" 0.0)))
  (expect (need (metric "run.in_turn_share"))))

(case "what a pipeline accounts for is reported by its own rules"
  (given (run (id "r1") (processes 4) (duration 10.0))
         (pattern (run "r1") (name "message-passing") (id "message-passing"))
         (pattern (run "r1") (name "pipeline") (id "pipeline"))
         (explained (run "r1") (pattern "pipeline") (loss waiting))
         (metrics (pattern "message-passing") run.lost 16.0 run.location_time 40.0))
  (expect))

(case "six processes that work only with the token are as fast as one"
  (given (pattern (run "r1") (name "message-passing"))
         (run (id "r1") (processes 6) (locations 6) (duration 3.4) (clock messages))
         (pattern (run "r1") (name "token-ring") (id "token-ring")))
  (expect (need (metric "run.efficiency")))
  (given (role (run "r1") (pattern "token-ring") (name "member") (location "0"))
         (role (run "r1") (pattern "token-ring") (name "member") (location "1"))
         (role (run "r1") (pattern "token-ring") (name "member") (location "2"))
         (role (run "r1") (pattern "token-ring") (name "member") (location "3"))
         (role (run "r1") (pattern "token-ring") (name "member") (location "4"))
         (role (run "r1") (pattern "token-ring") (name "member") (location "5"))
         (metrics (pattern "token-ring") run.efficiency 0.16 run.held_all 3.3 run.balance 0.98 run.wait_share 0.8
           run.waiting 16.3 run.members 6.0 run.turns 25.0 run.held_mean 0.022 run.work_share 1.0 run.serial 2.8
           member.held_relative ("2" 1.9) member.turn_after ("0" 4.0 "1" 5.0 "2" 0.0 "3" 2.0 "4" 1.0 "5" 3.0))
         (metric (run "r1") (pattern "token-ring") (name "member.held") (location "2") (rank 1) (value 0.04) (unit "s")))
  (expect (finding (kind symptom) (name members-wait-for-token) (lost 16.3) (because "run.held_all"))
          (finding (kind cause) (name token-serialisation) (lost 16.3) (gain 2.8) (gain-kind remove)
                   (headline "The 6 ranks work one at a time: each waits for a token, works 22.0 ms with it and passes it on.")
                   (text "A token goes round 6 processes, in the order 0, 2, 3, 5, 1, 4, and 100.0 % of all computation is done by the one that has it, 22.0 ms at a time, 25 turns each; the others wait 16.3 s for their turn. Longest process 2 has it: 40.0 ms, 1.9 times the median.")
                   (because members-wait-for-token "run.serial" "member.held"))))

(case "a token that mostly waits for its next holder limits nothing"
  (given (run (id "r1") (processes 6) (locations 6) (duration 3.4) (clock messages))
         (pattern (run "r1") (name "token-ring") (id "token-ring"))
         (metrics (pattern "token-ring") run.efficiency 0.6 run.held_all 0.7 run.serial 0.1 run.wait_share 0.3
           run.waiting 6.0))
  (expect))

(case "all compute nearly all of the time: that is no problem"
  (given (run (id "r1") (processes 6) (locations 6) (duration 3.4) (clock messages))
         (pattern (run "r1") (name "token-ring") (id "token-ring"))
         (metrics (pattern "token-ring") run.efficiency 0.9 run.held_all 0.7 run.wait_share 0.8 run.waiting 16.3
           run.members 6.0 run.turns 25.0 run.held_mean 0.022 run.work_share 1.0 run.serial 0.3
           member.held_relative ("2" 30.0))
         (metric (run "r1") (pattern "token-ring") (name "member.held") (location "2") (rank 1) (value 0.13) (unit "s")))
  (expect))

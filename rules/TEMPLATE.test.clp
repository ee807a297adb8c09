;; Given these facts, the rules of TEMPLATE.clp find this and nothing else.
(case "a left side that waits is told, with the right side to blame"
  (given (pattern (run "r1") (name "exchange") (id "exchange"))
         (role (run "r1") (pattern "exchange") (name "left") (location "0"))
         (role (run "r1") (pattern "exchange") (name "right") (location "1")))
  (expect (need (metric "run.lost_share") (level 1)))
  (given (metric (run "r1") (pattern "exchange") (name "run.swaps") (value 20.0) (unit "1"))
         (metric (run "r1") (pattern "exchange") (name "run.lost") (value 0.4) (unit "s"))
         (metric (run "r1") (pattern "exchange") (name "run.lost_share") (value 0.2) (unit "1"))
         (metric (run "r1") (pattern "exchange") (name "run.lead") (value 0.02) (unit "s")))
  (expect (finding (kind symptom) (name exchange-waiting) (lost 0.4) (because "run.lost_share"))
          (finding (kind cause) (name late-right-side) (locations "0") (culprits "1") (gain 0.2)
                   (remedy "Move 10.0 ms of work from the right to the left side, or give before that work.")
                   (because exchange-waiting "run.lead"))))

(case "a left side that hardly waits is no problem"
  (given (pattern (run "r1") (name "exchange") (id "exchange"))
         (metric (run "r1") (pattern "exchange") (name "run.swaps") (value 20.0) (unit "1"))
         (metric (run "r1") (pattern "exchange") (name "run.lost") (value 0.01) (unit "s"))
         (metric (run "r1") (pattern "exchange") (name "run.lost_share") (value 0.005) (unit "1"))
         (metric (run "r1") (pattern "exchange") (name "run.lead") (value 0.0) (unit "s")))
  (expect))

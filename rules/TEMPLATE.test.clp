;; Given these facts, the rules of TEMPLATE.clp find this and nothing else.
(case "a left side that waits is reported, with the right side to blame"
  (given (pattern (run "r1") (name "exchange") (id "exchange"))
         (role (run "r1") (pattern "exchange") (name "left") (location "0"))
         (role (run "r1") (pattern "exchange") (name "right") (location "1")))
  (expect (need (metric "run.lost_share")))
  (given (metrics (pattern "exchange") run.swaps 20.0 run.lost 0.4 run.lost_share 0.2 run.lead 0.02))
  (expect (finding (kind symptom) (name exchange-waiting) (lost 0.4) (because "run.lost_share"))
          (finding (kind cause) (name late-right-side)
                   (headline "The right side computes 20.0 ms longer before each exchange, and the left side waits 0.400 s for it.")
                   (fix "Move work from the right to the left side, or give before that work.") (gain-kind even-out)
                   (locations "0") (culprits "1") (gain 0.2)
                   (remedy "Move 10.0 ms of work from the right to the left side, or give before that work.")
                   (because exchange-waiting "run.lead"))))

(case "a left side that hardly waits is no problem"
  (given (like "a left side that waits is reported, with the right side to blame")
         (metrics (pattern "exchange") run.lost 0.01 run.lost_share 0.005 run.lead 0.0))
  (expect))

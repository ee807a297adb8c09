;; What the rules of message-passing conclude from given facts, and nothing else.

(case "an efficient run is accepted"
  (given (pattern (run "r1") (name "message-passing"))
         (metric (run "r1") (pattern "message-passing") (name "run.parallel_efficiency")
                 (location "") (value 0.93) (unit "1")))
  (expect (finding (name good-parallel-efficiency) (healthy yes)
                   (because "run.parallel_efficiency"))))

(case "a low efficiency is a symptom and is split into its parts"
  (given (pattern (run "r1") (name "message-passing"))
         (metric (run "r1") (pattern "message-passing") (name "run.parallel_efficiency")
                 (location "") (value 0.5) (unit "1"))
         (metric (run "r1") (pattern "message-passing") (name "run.lost") (location "")
                 (value 2.0) (unit "s")))
  (expect (finding (name low-parallel-efficiency) (kind symptom) (lost 2.0)
                   (because "run.parallel_efficiency" "run.lost"))
          (need (metric "run.load_balance") (level 2))))

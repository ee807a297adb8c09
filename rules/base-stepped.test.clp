;; What the rules that bulk-synchronous and geometric-decomposition share conclude from given facts, and nothing else.

(case "work that moves is evened out among those who have the role of the pattern"
  (given (stepped-rest (run "r1") (pattern "p") (role "member") (wait 2.4))
         (metrics (pattern "p") run.members 4.0 run.member_time 8.0 run.lost 4.0 run.static_cost 0.2 run.step_count 100.0
           run.step_cost 2.2 run.step_kept 0.05 run.step_order 0.7 run.step_same 0.9 run.step_growth 0.0))
  (expect (finding (name moving-work) (kind cause) (culprits) (lost 2.2) (gain 0.55) (what-if "compute(member)=even")
                   (because "run.members" "run.step_order" "run.step_kept"))))

(case "noise that grows is noise all the same"
  (given (stepped-rest (run "r1") (pattern "p") (role "subdomain") (wait 2.4))
         (metrics (pattern "p") run.subdomains 4.0 run.domain_time 8.0 run.lost 4.0 run.static_cost 0.5 run.step_count 100.0
           run.step_cost 2.2 run.step_kept 0.2 run.step_order 0.1 run.step_same 0.1 run.step_growth 0.4))
  (expect (finding (name noise) (kind cause) (culprits) (what-if "compute(subdomain)=even")
                   (because "run.subdomains" "run.step_order"))))

(case "waiting of too fine a grain is no noise"
  (given (like "noise that grows is noise all the same")
         (stepped-grain (run "r1") (pattern "p") (wait 2.4)))
  (expect))

(case "work is not said to move beside a process that is late"
  (given (like "work that moves is evened out among those who have the role of the pattern")
         (stepped-late (run "r1") (pattern "p") (location "2") (cost 1.0)))
  (expect (finding (name other-waiting) (kind observation)
                   (text "Another 2.40 s of waiting go back to several processes. Diagnose again when the late ones are lighter: they hide what else there is."))))

(case "what is left beside late subdomains is reported in the words of their pattern"
  (given (stepped-rest (run "r1") (pattern "p") (role "subdomain") (wait 2.4))
         (stepped-late (run "r1") (pattern "p") (location "2") (cost 1.0)))
  (expect (finding (name other-waiting) (kind observation)
                   (text "Another 2.40 s of waiting go back to several subdomains. Diagnose again when the heavy ones are lighter: they hide what else there is."))))

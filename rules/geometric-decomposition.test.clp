;; What the rules of geometric-decomposition conclude from given facts, and nothing else.



(case "a decomposition is described, its efficiency asked for, and general rules keep quiet"
  (given (pattern (run "r1") (name "geometric-decomposition") (id "geometric-decomposition@rows") (scope "rows")))
  (expect (need (pattern "geometric-decomposition@rows") (metric "run.efficiency")))
  (given (metrics (pattern "geometric-decomposition@rows") run.subdomains 4.0 run.exchanges_each 200.0
           run.gives_each 4.0 run.message_mean 512.0 run.work_each 0.001))
  (expect (finding (name halo-exchange) (pattern "geometric-decomposition@rows") (healthy yes)
                   (text "4 subdomains exchange halos with neighbours 200 times each, 4.0 messages of 512 bytes at a time, with 1.00 ms of computation per exchange."))))

(case "where the trace has no messages of MPI_Sendrecv, who the neighbours are is an assumption"
  (given (pattern (run "r1") (name "geometric-decomposition") (id "geometric-decomposition"))
         (unknown (run "r1") (pattern "geometric-decomposition") (name "run.message_mean") (why "nothing is recorded"))
         (metrics (pattern "geometric-decomposition") run.subdomains 4.0 run.exchanges_each 200.0
           run.work_each 0.001))
  (expect (finding (name halo-exchange) (healthy yes)
                   (text "4 subdomains exchange with others 200 times each, with 1.00 ms of computation per exchange. The trace does not record with whom, so that they are neighbours is an assumption."))))

(case "subdomains that compute nearly all the time are no problem, whatever else is known"
  (given (pattern (run "r1") (name "geometric-decomposition") (id "geometric-decomposition"))
         (metrics (pattern "geometric-decomposition") run.moving_meetings 0.0 run.in_meetings_least 0.0
           run.clock_error 0.0 run.least_moving 0.0 run.least_meeting 0.0 run.efficiency 0.9 run.lost 4.0
           run.domain_time 8.0 run.subdomains 4.0 run.wait_share 0.3 run.waiting 2.4 run.wait_neighbours 2.0
           run.wait_meetings 0.4 subdomain.delay_share ("0" 0.3 "1" 0.25 "2" 0.25 "3" 0.2)
           subdomain.delay_cost ("0" 0.72 "1" 0.6 "2" 0.6 "3" 0.48)
           subdomain.relative ("0" 1.02 "1" 1.0 "2" 1.0 "3" 0.98)
           subdomain.excess ("0" 0.02 "1" 0.0 "2" 0.0 "3" 0.0)
           subdomain.compute_time ("0" 1.02 "1" 1.0 "2" 1.0 "3" 0.98)
           subdomain.given_relative ("0" 1.0 "1" 1.0 "2" 1.0 "3" 1.0)))
  (expect (finding (name good-subdomain-efficiency) (healthy yes) (because "run.efficiency"))))

(case "one subdomain computes longer and delays the others: it is to blame, for its delay cost"
  (given (pattern (run "r1") (name "geometric-decomposition") (id "geometric-decomposition"))
         (metrics (pattern "geometric-decomposition") run.moving_meetings 0.0 run.in_meetings_least 0.0
           run.clock_error 0.0 run.least_moving 0.0 run.least_meeting 0.0 run.efficiency 0.5 run.lost 4.0
           run.domain_time 8.0 run.subdomains 4.0 run.wait_share 0.3 run.waiting 2.4 run.wait_neighbours 2.0
           run.wait_meetings 0.4 run.chained 0.7 run.static_cost 2.2 run.step_count 100.0 run.step_cost 2.2
           run.step_kept 1.0 run.step_order 0.3 run.step_same 0.9 run.step_growth 0.0
           subdomain.delay_share ("0" 0.9 "1" 0.05 "2" 0.03 "3" 0.02)
           subdomain.delay_cost ("0" 2.16 "1" 0.12 "2" 0.072 "3" 0.048)
           subdomain.relative ("0" 1.6 "1" 1.0 "2" 1.0 "3" 0.98) subdomain.excess ("0" 0.6 "1" 0.0 "2" 0.0 "3" 0.0)
           subdomain.compute_time ("0" 1.6 "1" 1.0 "2" 1.0 "3" 0.98)
           subdomain.given_relative ("0" 1.0 "1" 1.0 "2" 1.0 "3" 1.0)))
  (expect (finding (name low-subdomain-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))
          (finding (name subdomains-wait) (kind observation) (lost 2.4) (because "run.wait_share"))
          (finding (name heavy-subdomain) (kind cause)
                   (headline "Rank 0 computes 1.6 times as long as the others, which wait 2.16 s for it.")
                   (fix "Cut the domain by measured work.") (gain-kind even-out)
                   (culprits "0") (lost 2.16) (gain 0.455) (what-if "compute(0)=even")
                   (because "subdomain.delay_cost" "subdomain.excess" subdomains-wait))))

(case "a subdomain that is waited for but computes no longer than the others is not blamed"
  (given (pattern (run "r1") (name "geometric-decomposition") (id "geometric-decomposition"))
         (metrics (pattern "geometric-decomposition") run.moving_meetings 0.0 run.in_meetings_least 0.0
           run.clock_error 0.0 run.least_moving 0.0 run.least_meeting 0.0 run.efficiency 0.5 run.lost 4.0
           run.domain_time 8.0 run.subdomains 4.0 run.wait_share 0.3 run.waiting 2.4 run.wait_neighbours 2.0
           run.wait_meetings 0.4 run.chained 0.7 run.static_cost 0.1
           subdomain.delay_share ("0" 0.9 "1" 0.05 "2" 0.03 "3" 0.02)
           subdomain.delay_cost ("0" 2.16 "1" 0.12 "2" 0.072 "3" 0.048)
           subdomain.relative ("0" 1.01 "1" 1.0 "2" 1.0 "3" 0.98)
           subdomain.excess ("0" 0.01 "1" 0.0 "2" 0.0 "3" 0.0)
           subdomain.compute_time ("0" 1.01 "1" 1.0 "2" 1.0 "3" 0.98)
           subdomain.given_relative ("0" 1.0 "1" 1.0 "2" 1.0 "3" 1.0)))
  (expect (finding (name low-subdomain-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))
          (finding (name subdomains-wait) (kind observation) (lost 2.4) (because "run.wait_share"))
          (finding (name serialised-exchange) (kind cause) (culprits) (lost 2.0) (because "run.chained"))))

(case "one computes what all others wait for, another one each time"
  (given (like "a subdomain that is waited for but computes no longer than the others is not blamed")
         (metrics (pattern "geometric-decomposition") run.for_one 2.0 run.computed_share 0.9))
  (expect (finding (name low-subdomain-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))
          (finding (name subdomains-wait) (kind observation) (lost 2.4) (because "run.wait_share"))
          (finding (name serial-chain) (kind cause) (culprits) (lost 2.0) (gain 0.5) (gain-kind remove)
                   (because "run.for_one"))))



(case "what is left beside a heavy subdomain is reported, but no cause"
  (given (like "one subdomain computes longer and delays the others: it is to blame, for its delay cost")
         (metrics (pattern "geometric-decomposition") run.chained 0.2 run.static_cost 1.2 run.step_cost 1.2
           subdomain.delay_share ("0" 0.6 "1" 0.2 "2" 0.1 "3" 0.1)
           subdomain.delay_cost ("0" 1.44 "1" 0.48 "2" 0.24 "3" 0.24)
           subdomain.relative ("0" 1.3 "1" 1.0 "2" 1.0 "3" 0.98) subdomain.excess ("0" 0.3 "1" 0.0 "2" 0.0 "3" 0.0)
           subdomain.compute_time ("0" 1.3 "1" 1.0 "2" 1.0 "3" 0.98)))
  (expect (finding (name low-subdomain-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))
          (finding (name subdomains-wait) (kind observation) (lost 2.4) (because "run.wait_share"))
          (finding (name heavy-subdomain) (culprits "0") (lost 1.44))
          (finding (name other-waiting) (kind observation))))

(case "parts that are uneven all the time, none of them alone"
  (given (like "one subdomain computes longer and delays the others: it is to blame, for its delay cost")
         (metrics (pattern "geometric-decomposition") run.chained 0.2 run.static_cost 2.0 run.step_kept 0.9
           run.step_order 0.8 run.step_same 0.6 subdomain.delay_share ("0" 0.45 "1" 0.4 "2" 0.1 "3" 0.05)
           subdomain.delay_cost ("0" 1.08 "1" 0.96 "2" 0.24 "3" 0.12)
           subdomain.relative ("0" 1.25 "1" 1.2 "2" 0.8 "3" 0.75)
           subdomain.excess ("0" 0.25 "1" 0.2 "2" 0.0 "3" 0.0)
           subdomain.compute_time ("0" 1.25 "1" 1.2 "2" 0.8 "3" 0.75)))
  (expect (finding (name low-subdomain-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))
          (finding (name subdomains-wait) (kind observation) (lost 2.4) (because "run.wait_share"))
          (finding (name static-imbalance) (kind cause) (culprits "0" "1") (lost 2.0) (because "run.static_cost"))))

(case "load that moves: steps are alike beyond what their sum explains"
  (given (like "subdomains that compute nearly all the time are no problem, whatever else is known")
         (metrics (pattern "geometric-decomposition") run.efficiency 0.5 run.chained 0.2 run.static_cost 0.2
           run.step_count 100.0 run.step_cost 2.2 run.step_kept 0.05 run.step_order 0.7 run.step_same 0.9
           run.step_growth 0.0))
  (expect (finding (name low-subdomain-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))
          (finding (name subdomains-wait) (kind observation) (lost 2.4) (because "run.wait_share"))
          (finding (name moving-work) (kind cause) (culprits) (lost 2.2) (because "run.step_order" "run.step_kept"))))

(case "a moving load accounts for calls whose waits are not recorded, too"
  (given (pattern (run "r1") (name "geometric-decomposition") (id "geometric-decomposition"))
         (metrics (pattern "geometric-decomposition") run.efficiency 0.5 run.lost 4.0 run.domain_time 8.0
           run.subdomains 4.0 run.wait_share 0.3 run.waiting 2.4 run.wait_neighbours 0.0 run.wait_meetings 2.4
           run.static_cost 0.2 run.step_count 100.0 run.step_cost 3.0 run.step_kept 0.05 run.step_order 0.7
           run.step_same 0.9 run.step_growth 0.0 run.unsplit 1.0)
         (metric (run "r1") (pattern "geometric-decomposition") (name "subdomain.relative") (location "0") (value 1.02) (rank 1) (of 4))
         (metric (run "r1") (pattern "geometric-decomposition") (name "subdomain.delay_share") (location "0") (value 0.3) (rank 1) (of 4)))
  (expect (finding (name low-subdomain-efficiency))
          (finding (name subdomains-wait) (lost 2.4))
          (finding (name moving-work) (lost 3.0) (gain 0.75))))

(case "who computes longer in all is suspected of those calls, and they are not claimed twice"
  (given (like "a moving load accounts for calls whose waits are not recorded, too")
         (metric (run "r1") (pattern "geometric-decomposition") (name "subdomain.relative") (location "0") (value 1.2) (rank 1) (of 4)))
  (expect (finding (name low-subdomain-efficiency))
          (finding (name subdomains-wait) (lost 2.4))
          (finding (name moving-work) (lost 2.4))))

(case "noise blames nobody"
  (given (like "load that moves: steps are alike beyond what their sum explains")
         (metrics (pattern "geometric-decomposition") run.step_order 0.05 run.step_same 0.25 run.step_growth 0.02))
  (expect (finding (name low-subdomain-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))
          (finding (name subdomains-wait) (kind observation) (lost 2.4) (because "run.wait_share"))
          (finding (name noise) (kind cause) (culprits) (lost 2.2) (because "run.step_order"))))

(case "a little noise is only observed"
  (given (like "noise blames nobody")
         (metrics (pattern "geometric-decomposition") run.waiting 0.6 run.static_cost 0.05 run.step_cost 0.5))
  (expect (finding (name low-subdomain-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))
          (finding (name subdomains-wait) (lost 0.6))
          (finding (name noise) (kind observation) (culprits) (lost 0.5))))

(case "even computation and no chains: nobody is to blame, and confidence is low"
  (given (like "noise blames nobody")
         (metrics (pattern "geometric-decomposition") run.step_cost 0.3 run.step_kept 0.3))
  (expect (finding (name low-subdomain-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))
          (finding (name subdomains-wait) (kind observation) (lost 2.4) (because "run.wait_share"))
          (finding (name exchange-jitter) (kind cause) (culprits) (lost 2.4) (confidence 0.6))))

(case "computation is even, but most waiting goes back to one: the general rule says what it does meanwhile"
  (given (like "even computation and no chains: nobody is to blame, and confidence is low")
         (metrics (pattern "geometric-decomposition") subdomain.delay_share ("0" 0.7 "1" 0.1 "2" 0.1 "3" 0.1)
           subdomain.delay_cost ("0" 1.68 "1" 0.24 "2" 0.24 "3" 0.24)))
  (expect (finding (name low-subdomain-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))
          (finding (name subdomains-wait) (kind observation) (lost 2.4) (because "run.wait_share"))))

(case "too little computation per exchange: how much more it should be"
  (given (pattern (run "r1") (name "geometric-decomposition") (id "geometric-decomposition"))
         (metrics (pattern "geometric-decomposition") run.moving_meetings 0.0 run.in_meetings_least 0.0
           run.clock_error 0.0 run.least_moving 0.0 run.least_meeting 0.0 run.exchanges 20000.0 run.efficiency 0.5
           run.lost 4.0 run.domain_time 8.0 run.subdomains 4.0 run.halo_share 0.25 run.moving_halos 2.0
           run.surface 10000000.0 run.halo_each 0.0001 run.overlap 0.02 run.work_each 0.0002 run.message_mean 512.0))
  (expect (finding (name low-subdomain-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))
          (finding (name fine-grain) (kind cause) (lost 2.0) (because "run.halo_each" "run.work_each")
                   (remedy "Give an exchange about 5 times the work, so that computation is 10 times its cost: fewer, larger subdomains (threads inside), or halos several layers deep that are exchanged every few steps; put all fields for a neighbour into one message."))))

(case "where an exchange costs more than the work, waits that nothing else explains belong to the grain"
  (given (like "noise blames nobody")
         (metrics (pattern "geometric-decomposition") run.exchanges 20000.0 run.lost 5.0 run.halo_share 0.25
           run.moving_halos 2.0 run.surface 10000000.0 run.halo_each 0.0001 run.overlap 0.02 run.work_each 5e-05
           run.message_mean 512.0 run.step_cost 0.3 run.step_kept 0.3))
  (expect (finding (name low-subdomain-efficiency))
          (finding (name subdomains-wait) (kind observation) (lost 2.4) (because "run.wait_share"))
          (finding (name fine-grain) (kind cause) (lost 4.4) (because "run.halo_each"))))

(case "enough computation, none of it while halos are under way"
  (given (like "too little computation per exchange: how much more it should be")
         (metrics (pattern "geometric-decomposition") run.work_each 0.001))
  (expect (finding (name low-subdomain-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))
          (finding (name no-overlap) (kind cause) (lost 2.0) (gain 0.5) (because "run.overlap" "run.halo_each"))))

(case "large halos in spite of overlap: their volume"
  (given (like "too little computation per exchange: how much more it should be")
         (metrics (pattern "geometric-decomposition") run.overlap 0.4 run.work_each 0.0001 run.message_mean 200000.0))
  (expect (finding (name low-subdomain-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))
          (finding (name halo-volume) (kind cause) (lost 2.0) (because "run.overlap" "run.surface"))))

(case "moving halos that is no significant part is no cause, and is not compared"
  (given (like "too little computation per exchange: how much more it should be")
         (without (metric (name "run.work_each")) (metric (name "run.message_mean")))
         (metrics (pattern "geometric-decomposition") run.exchanges 800.0 run.halo_share 0.01 run.moving_halos 0.08))
  (expect (finding (name low-subdomain-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))))

(case "reductions that follow closely on each other cost more than their worth"
  (given (pattern (run "r1") (name "geometric-decomposition") (id "geometric-decomposition"))
         (metrics (pattern "geometric-decomposition") run.in_meetings_least 0.0 run.clock_error 0.0
           run.least_moving 0.0 run.least_meeting 0.0 run.meeting_typical 0.001 run.efficiency 0.5 run.lost 4.0
           run.domain_time 8.0 run.subdomains 4.0 run.meeting_share 0.1 run.moving_meetings 0.8
           run.meeting_each 0.001 run.meetings 800.0 run.between_meetings 0.002))
  (expect (finding (name low-subdomain-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))
          (finding (name costly-reductions) (kind cause) (lost 0.8) (gain 0.1) (because "run.meeting_typical" "run.between_meetings"))))

(case "rare reductions are no cause"
  (given (like "reductions that follow closely on each other cost more than their worth")
         (metrics (pattern "geometric-decomposition") run.between_meetings 0.02))
  (expect (finding (name low-subdomain-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))))

(case "waits that the trace does not split: what can be said and what to measure"
  (given (pattern (run "r1") (name "geometric-decomposition") (id "geometric-decomposition"))
         (metrics (pattern "geometric-decomposition") run.moving_meetings 0.0 run.in_meetings_least 0.0
           run.clock_error 0.0 run.least_moving 0.0 run.least_meeting 0.0 run.efficiency 0.5 run.lost 4.0
           run.domain_time 8.0 run.subdomains 4.0 run.unsplit_share 0.4 run.unsplit 3.2 run.exchanges_each 100.0
           run.work_each 0.01 subdomain.excess ("0" 0.02 "1" 0.0 "2" 0.0 "3" 0.0)
           subdomain.relative ("0" 1.02 "1" 1.0 "2" 1.0 "3" 0.99)
           subdomain.compute_time ("0" 1.02 "1" 1.0 "2" 1.0 "3" 0.99)))
  (expect (finding (name low-subdomain-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))
          (finding (name unsplit-waits) (kind observation) (lost 3.2) (because "run.unsplit" "subdomain.relative"))))

(case "of such waits the totals make one subdomain suspect, with less confidence"
  (given (pattern (run "r1") (name "geometric-decomposition") (id "geometric-decomposition"))
         (metrics (pattern "geometric-decomposition") run.moving_meetings 0.0 run.in_meetings_least 0.0
           run.clock_error 0.0 run.least_moving 0.0 run.least_meeting 0.0 run.efficiency 0.5 run.lost 4.0
           run.domain_time 8.0 run.subdomains 4.0 run.unsplit_share 0.4 run.unsplit 3.2 run.exchanges_each 100.0
           run.work_each 0.01 subdomain.excess ("0" 0.6 "1" 0.0 "2" 0.0 "3" 0.0)
           subdomain.in_calls ("0" 0.5 "1" 1.0 "2" 1.0 "3" 1.0)
           subdomain.relative ("0" 1.6 "1" 1.0 "2" 1.0 "3" 0.99)
           subdomain.compute_time ("0" 1.6 "1" 1.0 "2" 1.0 "3" 0.99)))
  (expect (finding (name low-subdomain-efficiency) (kind symptom) (lost 4.0) (because "run.efficiency"))
          (finding (name unsplit-waits) (kind observation))
          (finding (name suspected-heavy-subdomain) (kind cause) (culprits "0") (lost 1.5) (confidence 0.6)
                   (because "subdomain.in_calls" "subdomain.compute_time"))))

(case "the first ones that take long are set-up, and no cause"
  (given (like "reductions that follow closely on each other cost more than their worth")
         (metrics (pattern "geometric-decomposition") run.meeting_typical 6e-05))
  (expect (finding (name low-subdomain-efficiency))))

(case "too few of them to be part of the steps"
  (given (like "reductions that follow closely on each other cost more than their worth")
         (metrics (pattern "geometric-decomposition") run.meetings 36.0))
  (expect (finding (name low-subdomain-efficiency))))

(case "reductions that take less than clocks may be wrong"
  (given (like "reductions that follow closely on each other cost more than their worth")
         (metrics (pattern "geometric-decomposition") run.clock_error 0.05))
  (expect (finding (name low-subdomain-efficiency))
          (finding (name unsure-collectives) (kind observation))))

(case "reductions of which parts are missing"
  (given (like "reductions that follow closely on each other cost more than their worth")
         (quality (run "r1") (note "unmatched-collective") (count 200)))
  (expect (finding (name low-subdomain-efficiency))
          (finding (name unsure-collectives) (kind observation) (because "run.moving_meetings"))))

(case "nothing is known about the error of some clocks"
  (given (like "reductions of which parts are missing") (quality (run "r1") (note "clock-unconnected") (count 1)))
  (expect (finding (name low-subdomain-efficiency))
          (finding (name unsure-collectives) (kind observation))))

(case "reductions beside a late subdomain cost what the one pays that pays least"
  (given (like "reductions that follow closely on each other cost more than their worth")
         (stepped-late (run "r1") (pattern "geometric-decomposition") (location "3") (cost 2.0)))
  (expect (finding (name low-subdomain-efficiency))))

(case "moving halos beside a late subdomain costs what the one pays that pays least"
  (given (like "enough computation, none of it while halos are under way")
         (stepped-late (run "r1") (pattern "geometric-decomposition") (location "3") (cost 2.0)))
  (expect (finding (name low-subdomain-efficiency))))

(case "that may still be a cause"
  (given (like "moving halos beside a late subdomain costs what the one pays that pays least")
         (metrics (pattern "geometric-decomposition") run.least_moving 1.0))
  (expect (finding (name low-subdomain-efficiency))
          (finding (name no-overlap) (kind cause) (lost 1.0) (gain 0.25))))

(case "waiting that missing parts of collectives hide goes to the late subdomain, as far as it computes longer"
  (given (like "one subdomain computes longer and delays the others: it is to blame, for its delay cost")
         (quality (run "r1") (note "unmatched-collective") (count 200))
         (metrics (pattern "geometric-decomposition") run.meetings 800.0 run.moving_meetings 0.8
           subdomain.delay_cost ("0" 1.2 "1" 0.12 "2" 0.072 "3" 0.048)))
  (expect (finding (name low-subdomain-efficiency))
          (finding (name subdomains-wait))
          (finding (name heavy-subdomain) (culprits "0") (lost 1.8))
          (finding (name other-waiting) (kind observation))))

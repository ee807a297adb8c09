(case "the upper half computes longer, and the efficiency is good: it is reported all the same"
  (given (run (id "r1") (processes 4)) (pattern (run "r1") (name "message-passing") (id "message-passing"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.91 run.lost_at_work 4.0
           run.location_time 20.0))
  (given (last-call (run "r1")))
  (expect (finding (name good-parallel-efficiency)) (need (metric "process.compute_time")))
  (given (metrics (pattern "message-passing") process.compute_time ("0" 3.0 "1" 3.0 "2" 5.0 "3" 5.2)
           process.relative_compute ("0" 0.6 "1" 0.6 "2" 1.0 "3" 1.04)))
  (expect (finding (name good-parallel-efficiency))
          (finding (name static-imbalance) (kind cause) (culprits "3" "2") (lost 4.0) (gain 1.0) (gain-kind even-out)
                   (headline "Ranks 2 and 3 compute up to 1.7 times as long as the others: the run lasts at least until they are done.")
                   (fix "Divide the work by measured cost.") (what-if "compute(all)=even")
                   (because "process.compute_time"))))

(case "half of them computes a little longer, and all of that half alike: no chance"
  (given (run (id "r1") (processes 4)) (pattern (run "r1") (name "message-passing") (id "message-passing"))
         (without-cause (run "r1"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.91 run.lost_at_work 0.9
           run.location_time 10.0 process.compute_time ("0" 2.0 "1" 2.37 "2" 2.0 "3" 2.36)
           process.relative_compute ("0" 0.917 "1" 1.087 "2" 0.917 "3" 1.083)))
  (expect (finding (name good-parallel-efficiency))
          (finding (name static-imbalance) (kind cause) (culprits "1" "3") (lost 0.75) (gain-kind even-out)
                   (because "process.compute_time"))))

(case "as much more for the longest, and the others lie between: it may be chance"
  (given (like "half of them computes a little longer, and all of that half alike: no chance")
         (metrics (pattern "message-passing") process.compute_time ("0" 2.0 "1" 2.37 "2" 2.12 "3" 2.24)
           process.relative_compute ("0" 0.917 "1" 1.087 "2" 0.972 "3" 1.028)))
  (expect (finding (name good-parallel-efficiency))))

(case "work grows from rank to rank: who is at the mean is no culprit"
  (given (run (id "r1") (processes 7)) (pattern (run "r1") (name "message-passing") (id "message-passing"))
         (without-cause (run "r1"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.66 run.lost_at_work 14.0
           run.location_time 42.0
           process.compute_time ("0" 2.00 "1" 2.68 "2" 3.32 "3" 4.04 "4" 4.68 "5" 5.32 "6" 6.00)
           process.relative_compute ("0" 0.50 "1" 0.66 "2" 0.82 "3" 1.00 "4" 1.16 "5" 1.32 "6" 1.49)))
  (expect (finding (name static-imbalance) (kind cause) (culprits "6" "5" "4"))))

(case "two thirds are heavy: all of them are named, as the last differs from the one before by next to nothing"
  (given (run (id "r1") (processes 9)) (pattern (run "r1") (name "message-passing") (id "message-passing"))
         (without-cause (run "r1"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.91 run.lost_at_work 4.4
           run.location_time 23.5
           process.compute_time ("7" 2.578 "1" 2.577 "8" 2.527 "5" 2.508 "2" 2.507 "4" 2.4905 "3" 1.3005 "6" 1.2937 "0" 1.2662))
         (metric (run "r1") (pattern "message-passing") (name "process.relative_compute") (location "7") (value 1.028) (unit "1") (rank 1) (of 9)))
  (expect (finding (name good-parallel-efficiency))
          (finding (name static-imbalance) (kind cause) (culprits "7" "1" "8" "5" "2" "4"))))

(case "all compute as long: nothing is said"
  (given (run (id "r1") (processes 4)) (pattern (run "r1") (name "message-passing") (id "message-passing"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.91 run.lost_at_work 4.0
           run.location_time 20.0))
  (given (last-call (run "r1")))
  (expect (finding (name good-parallel-efficiency)) (need (metric "process.compute_time")))
  (given (metrics (pattern "message-passing") process.compute_time ("0" 4.0 "1" 4.1 "2" 4.0 "3" 4.05)
           process.relative_compute ("0" 0.988 "1" 1.012 "2" 0.988 "3" 1.0)))
  (expect (finding (name good-parallel-efficiency))))

(case "steps are uneven, each in another way: noise, whose gain is all of it"
  (given (run (id "r1") (processes 4)) (pattern (run "r1") (name "message-passing") (id "message-passing"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.91 run.lost_at_work 4.0
           run.location_time 20.0))
  (given (last-call (run "r1")))
  (expect (finding (name good-parallel-efficiency)) (need (metric "process.compute_time")))
  (given (metrics (pattern "message-passing") process.compute_time ("0" 4.0 "1" 4.1 "2" 4.0 "3" 4.05)
           process.relative_compute ("0" 0.988 "1" 1.012 "2" 0.988 "3" 1.0) run.communication_efficiency 0.8
           run.step_synchronised 1.0 run.step_peers_cost 3.0 run.step_unevenness 0.3 run.step_kept 0.1
           run.step_rank_correlation 0.05 run.step_same_heaviest 0.25 run.step_count 50.0))
  (expect (finding (name good-parallel-efficiency))
          (finding (name noise) (kind cause) (culprits) (lost 3.0) (gain 0.75) (gain-kind even-out)
                   (headline "In each of 50 steps another rank is slowest, by 30.0 % of the mean, without any order. No rank is to blame.")
                   (fix "Synchronise less often; bind ranks to cores and keep other load away.") (what-if "compute(all)=even")
                   (because "run.step_rank_correlation"))
          (measure (separates noise))))

(case "only messages end the steps: noise where waiting for their senders explains what is lost"
  (given (run (id "r1") (processes 4)) (pattern (run "r1") (name "message-passing") (id "message-passing"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.91 run.lost_at_work 4.0
           run.location_time 20.0))
  (given (last-call (run "r1")))
  (expect (finding (name good-parallel-efficiency)) (need (metric "process.compute_time")))
  (given (metrics (pattern "message-passing") process.compute_time ("0" 4.0 "1" 4.1 "2" 4.0 "3" 4.05)
           process.relative_compute ("0" 0.988 "1" 1.012 "2" 0.988 "3" 1.0) run.communication_efficiency 0.8
           run.step_synchronised 0.0 run.step_peers_cost 3.0 run.step_unevenness 0.3 run.step_kept 0.1
           run.step_rank_correlation 0.05 run.step_same_heaviest 0.25 run.step_count 50.0))
  (expect (finding (name good-parallel-efficiency))
          (finding (name noise) (kind cause) (culprits) (lost 3.0) (gain 0.75) (gain-kind even-out)
                   (headline "In each of 50 steps another rank is slowest, by 30.0 % of the mean, without any order. No rank is to blame.")
                   (fix "Exchange less often; bind ranks to cores and keep other load away.") (what-if "compute(all)=even")
                   (because "run.step_rank_correlation"))
          (measure (separates noise))))

(case "two of four are heaviest by turns, for some steps each: they are named"
  (given (run (id "r1") (processes 4)) (pattern (run "r1") (name "message-passing") (id "message-passing"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.91 run.lost_at_work 4.0
           run.location_time 20.0))
  (given (last-call (run "r1")))
  (expect (finding (name good-parallel-efficiency)) (need (metric "process.compute_time")))
  (given (metrics (pattern "message-passing") process.compute_time ("0" 4.0 "1" 4.1 "2" 4.0 "3" 4.05)
           process.relative_compute ("0" 0.988 "1" 1.012 "2" 0.988 "3" 1.0) run.communication_efficiency 0.8
           run.step_synchronised 0.0 run.step_peers_cost 3.0 run.step_unevenness 0.3 run.step_kept 0.4
           run.step_rank_correlation 0.6 run.step_same_heaviest 0.9
           process.heavy_steps ("0" 1.0 "1" 25.0 "2" 1.0 "3" 23.0) run.step_count 50.0))
  (expect (finding (name good-parallel-efficiency))
          (finding (name moving-work) (kind cause) (culprits "1" "3") (lost 3.0) (gain 0.75)
                   (headline "Ranks 1 and 3 are heaviest by turns: in 50 steps the longest computation is 30.0 % above the mean.")
                   (because "run.step_rank_correlation"))))

(case "the run is as long as the longest computation: even steps would not shorten it"
  (given (run (id "r1") (processes 4)) (pattern (run "r1") (name "message-passing") (id "message-passing"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.91 run.lost_at_work 4.0
           run.location_time 20.0))
  (given (last-call (run "r1")))
  (expect (finding (name good-parallel-efficiency)) (need (metric "process.compute_time")))
  (given (metrics (pattern "message-passing") process.compute_time ("0" 4.0 "1" 4.1 "2" 4.0 "3" 4.05)
           process.relative_compute ("0" 0.988 "1" 1.012 "2" 0.988 "3" 1.0) run.communication_efficiency 0.96
           run.step_synchronised 0.0 run.step_peers_cost 3.0 run.step_unevenness 0.3 run.step_kept 0.1
           run.step_rank_correlation 0.05 run.step_same_heaviest 0.25 run.step_count 50.0))
  (expect (finding (name good-parallel-efficiency))))

(case "within steps others have waited in calls that do not tell for whom"
  (given (run (id "r1") (processes 4)) (pattern (run "r1") (name "message-passing") (id "message-passing"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.91 run.lost 4.0 run.lost_at_work 4.0
           run.location_time 20.0))
  (given (last-call (run "r1")))
  (expect (finding (name good-parallel-efficiency)) (need (metric "process.compute_time")))
  (given (metrics (pattern "message-passing") process.compute_time ("0" 4.0 "1" 4.1 "2" 4.0 "3" 4.05)
           process.relative_compute ("0" 0.988 "1" 1.012 "2" 0.988 "3" 1.0) run.communication_efficiency 0.8
           run.step_synchronised 1.0 run.step_peers_cost 3.0 run.step_unevenness 0.3 run.step_kept 0.1
           run.step_rank_correlation 0.05 run.step_same_heaviest 0.25 run.step_count 50.0 run.unknown_share 0.1
           run.unknown 2.0))
  (expect (finding (name good-parallel-efficiency))
          (finding (name noise) (kind cause) (culprits) (lost 4.0) (gain 1.0) (gain-kind even-out)
                   (headline "In each of 50 steps another rank is slowest, by 30.0 % of the mean, without any order. No rank is to blame.")
                   (fix "Synchronise less often; bind ranks to cores and keep other load away.") (what-if "compute(all)=even")
                   (because "run.step_rank_correlation"))
          (measure (separates noise))))

(case "where processes work in turn, the same step of two of them is not the same moment"
  (given (run (id "r1") (processes 4)) (pattern (run "r1") (name "message-passing") (id "message-passing"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.91 run.lost 4.0 run.lost_at_work 4.0
           run.location_time 20.0))
  (given (last-call (run "r1")))
  (expect (finding (name good-parallel-efficiency)) (need (metric "process.compute_time")))
  (given (metrics (pattern "message-passing") process.compute_time ("0" 4.0 "1" 4.1 "2" 4.0 "3" 4.05)
           process.relative_compute ("0" 0.988 "1" 1.012 "2" 0.988 "3" 1.0) run.communication_efficiency 0.8
           run.step_synchronised 0.0 run.step_peers_cost 3.0 run.step_unevenness 0.3 run.step_kept 0.1
           run.step_rank_correlation 0.05 run.step_same_heaviest 0.25 run.step_count 50.0 run.in_turn_share 0.2))
  (expect (finding (name good-parallel-efficiency))))

(case "only messages end the steps, and waiting for their senders would cost more than twice what is lost: nothing is said"
  (given (run (id "r1") (processes 4)) (pattern (run "r1") (name "message-passing") (id "message-passing"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.91 run.lost_at_work 4.0
           run.location_time 20.0))
  (given (last-call (run "r1")))
  (expect (finding (name good-parallel-efficiency)) (need (metric "process.compute_time")))
  (given (metrics (pattern "message-passing") process.compute_time ("0" 4.0 "1" 4.1 "2" 4.0 "3" 4.05)
           process.relative_compute ("0" 0.988 "1" 1.012 "2" 0.988 "3" 1.0) run.communication_efficiency 0.8
           run.step_synchronised 0.0 run.step_peers_cost 8.6 run.step_unevenness 0.3 run.step_kept 0.1
           run.step_rank_correlation 0.05 run.step_same_heaviest 0.25 run.step_count 50.0))
  (expect (finding (name good-parallel-efficiency))))

(case "neighbouring steps are alike: the load moves"
  (given (run (id "r1") (processes 4)) (pattern (run "r1") (name "message-passing") (id "message-passing"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.91 run.lost_at_work 4.0
           run.location_time 20.0))
  (given (last-call (run "r1")))
  (expect (finding (name good-parallel-efficiency)) (need (metric "process.compute_time")))
  (given (metrics (pattern "message-passing") process.compute_time ("0" 4.0 "1" 4.1 "2" 4.0 "3" 4.05)
           process.relative_compute ("0" 0.988 "1" 1.012 "2" 0.988 "3" 1.0) run.communication_efficiency 0.8
           run.step_synchronised 1.0 run.step_peers_cost 3.0 run.step_unevenness 0.3 run.step_kept 0.1
           run.step_rank_correlation 0.4 run.step_same_heaviest 0.7 run.step_count 50.0))
  (expect (finding (name good-parallel-efficiency))
          (finding (name moving-work) (kind cause) (culprits) (lost 3.0) (gain 0.75)
                   (headline "The load moves from rank to rank: in 50 steps the longest computation is 30.0 % above the mean.")
                   (fix "Balance the load while the program runs, by the computation measured in the last steps."))))

(case "where items are passed on, a process that computes less may have waited: computation alone says nothing"
  (given (run (id "r1") (processes 4)) (pattern (run "r1") (name "message-passing") (id "message-passing"))
         (pattern (run "r1") (name "wavefront") (id "wavefront"))
         (explained (run "r1") (pattern "wavefront") (loss waiting))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.91 run.lost_at_work 4.0
           run.location_time 20.0))
  (given (last-call (run "r1"))
         (metrics (pattern "message-passing") process.compute_time ("0" 3.0 "1" 3.0 "2" 5.0 "3" 5.2)
           process.relative_compute ("0" 0.6 "1" 0.6 "2" 1.0 "3" 1.04)))
  (expect (finding (name good-parallel-efficiency))))

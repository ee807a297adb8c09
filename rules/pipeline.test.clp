;; What the rules of pipeline conclude from given facts, and nothing else.

(case "five of nine processes share a stage that limits the others: busy on average is no good efficiency"
  (given (pattern (run "r1") (name "pipeline") (id "p"))
         (role (run "r1") (pattern "p") (name "worker") (location "2"))
         (role (run "r1") (pattern "p") (name "worker") (location "3"))
         (metrics (pattern "p") run.efficiency 0.92 run.lost 4.3 run.depth 5.0 run.items 240.0 run.bubble 0.016
           stage.service ("0" 0.0085 "1" 0.0087 "2" 0.0124 "3" 0.0123)))
  (expect (finding (kind symptom) (name low-pipeline-efficiency) (lost 4.3)
                   (text "The 5 stages work on their 240 items for 92.0 % of the run on average, as most processes are those of the slowest one: it takes 12.4 ms per item, the others at most 8.70 ms.")
                   (because "run.efficiency"))))

(case "single processes are the slowest stages: those that share a stage wait, and are busy enough"
  (given (pattern (run "r1") (name "pipeline") (id "p"))
         (metrics (pattern "p") run.efficiency 0.92 run.lost 4.3 run.depth 5.0 run.items 240.0 run.bubble 0.016
           stage.service ("0" 0.0085 "1" 0.0087 "2" 0.0124 "3" 0.0123)))
  (expect (finding (name good-pipeline-efficiency))))

(case "stages that are alike: filling and draining are reported as normal"
  (given (pattern (run "r1") (name "message-passing"))
         (pattern (run "r1") (name "pipeline") (id "pipeline")))
  (expect (need (metric "run.efficiency")) (need (metric "run.bubble")))
  (given (metrics (pattern "pipeline") run.efficiency 0.9 run.stages 4.0 run.depth 4.0 run.items 40.0 run.fills 1.0
           run.bubble 0.0697674 run.fill_drain 0.96 run.fill_drain_share 0.07))
  (expect (finding (name good-pipeline-efficiency) (healthy yes) (because "run.efficiency" "run.bubble"))
          (finding (name fill-and-drain) (healthy yes) (lost 0.96) (because "run.fill_drain"))))

(case "a slow stage: it is named, what is before it is held, what is behind it starves"
  (given (pattern (run "r1") (name "pipeline") (id "pipeline"))
         (run (id "r1") (processes 3) (locations 3) (duration 11.0))
         (role (run "r1") (pattern "pipeline") (name "stage") (location "0"))
         (role (run "r1") (pattern "pipeline") (name "stage") (location "1"))
         (role (run "r1") (pattern "pipeline") (name "stage") (location "2"))
         (metrics (pattern "pipeline") run.efficiency 0.5 run.lost 16.0 run.stages 3.0 run.depth 3.0 run.items 101.0
           run.waiting_share 0.45 run.waiting 15.0 run.balance 0.5 run.slowest 0.1 run.others 0.025 run.rate 10.0
           run.rate_bound 10.0 stage.service ("1" 0.1 "0" 0.03 "2" 0.02) stage.position ("2" 2.0 "1" 1.0 "0" 0.0))
         (metric (run "r1") (pattern "pipeline") (name "stage.starved") (location "2") (value 8.0) (unit "s") (rank 1) (of 3))
         (metric (run "r1") (pattern "pipeline") (name "stage.blocked") (location "0") (value 7.0) (unit "s") (rank 1) (of 3))
         (metric (run "r1") (pattern "pipeline") (name "stage.ran_ahead") (location "0") (value 0.0) (unit "s") (rank 1) (of 3))
         (metric (run "r1") (pattern "pipeline") (name "stage.delayed") (location "1") (value 14.0) (unit "s") (rank 1) (of 3))
         (metric (run "r1") (pattern "pipeline") (name "stage.drift") (location "1") (value 1.0) (unit "1") (rank 1) (of 3))
         (metric (run "r1") (pattern "pipeline") (name "stage.spread") (location "1") (value 0.01) (unit "1") (rank 1) (of 3)))
  (expect (finding (kind symptom) (name low-pipeline-efficiency) (lost 16.0))
          (finding (name slowest-stage) (locations "1") (culprits "1") (because "stage.service"))
          (finding (name starvation) (locations "2") (culprits "1") (lost 8.0))
          (finding (name back-pressure) (locations "0") (culprits "1") (lost 7.0))
          (finding (kind cause) (name slow-stage)
                   (fix "Split stage 1 into 4, or run 4 copies of it that take items in turn.") (gain-kind remove)
                   (locations "0" "2") (culprits "1") (lost 15.0)
                   (gain 7.07) (what-if "compute(1)/4") (because slowest-stage "run.waiting" "stage.delayed"))))

(case "stages are alike on average, but items are not"
  (given (pattern (run "r1") (name "pipeline") (id "pipeline"))
         (run (id "r1") (processes 3) (locations 3) (duration 10.0))
         (metrics (pattern "pipeline") run.efficiency 0.6 run.lost 12.0 run.stages 3.0 run.depth 3.0 run.items 101.0
           run.waiting_share 0.3 run.waiting 9.0 run.balance 1.0 run.slowest 0.06 run.others 0.06)
         (metric (run "r1") (pattern "pipeline") (name "stage.spread") (location "2") (value 0.8) (unit "1") (rank 1) (of 3))
         (metric (run "r1") (pattern "pipeline") (name "stage.drift") (location "0") (value 1.1) (unit "1") (rank 1) (of 3)))
  (expect (finding (kind symptom) (name low-pipeline-efficiency))
          (finding (kind cause) (name uneven-items) (lost 9.0) (gain 3.0) (because "run.waiting" "stage.spread"))))

(case "items that differ by 4 % hold nobody up"
  (given (like "stages are alike on average, but items are not")
         (metric (run "r1") (pattern "pipeline") (name "stage.spread") (location "2") (value 0.04) (unit "1") (rank 1) (of 3)))
  (expect (finding (kind symptom) (name low-pipeline-efficiency))))

(case "five items for four stages are too few"
  (given (pattern (run "r1") (name "pipeline") (id "pipeline"))
         (metrics (pattern "pipeline") run.efficiency 0.6 run.lost 1.5 run.stages 4.0 run.depth 4.0 run.items 5.0
           run.fills 1.0 run.bubble 0.375 run.fill_drain 1.2 run.fill_drain_share 0.35))
  (expect (finding (kind symptom) (name low-pipeline-efficiency))
          (finding (kind cause) (name too-few-items) (lost 1.2) (because "run.bubble" "run.fill_drain"))))

(case "a stage goes on alone when the last item is done"
  (given (pattern (run "r1") (name "pipeline") (id "pipeline"))
         (run (id "r1") (processes 3) (locations 3) (duration 10.0))
         (metrics (pattern "pipeline") run.efficiency 0.6 run.lost 12.0 run.stages 3.0 run.depth 3.0 run.items 101.0
           run.rest_apart 4.5 run.after 6.0)
         (metric (run "r1") (pattern "pipeline") (name "stage.rest") (location "1") (value 3.0) (unit "s") (rank 1) (of 3)))
  (expect (finding (kind symptom) (name low-pipeline-efficiency))
          (finding (kind cause) (name work-after-pipeline) (culprits "1") (lost 4.5) (gain 1.5)
                   (because low-pipeline-efficiency "run.after" "stage.rest" "run.rest_apart"))))

(case "36 us of other work do not make the stages idle for seconds"
  (given (like "a stage goes on alone when the last item is done")
         (metrics (pattern "pipeline") run.rest_apart 0.00006)
         (metric (run "r1") (pattern "pipeline") (name "stage.rest") (location "1") (value 0.000036) (unit "s") (rank 1) (of 3)))
  (expect (finding (kind symptom) (name low-pipeline-efficiency))))

(case "what a part of the run loses is reported, but no run time is promised for it"
  (given (pattern (run "r1") (name "pipeline") (id "pipeline@comm3"))
         (run (id "r1") (processes 6) (locations 6) (duration 10.0))
         (metrics (pattern "pipeline@comm3") run.efficiency 0.6 run.lost 12.0 run.stages 3.0 run.depth 3.0
           run.items 101.0 run.after 6.0 run.rest_apart 4.5)
         (metric (run "r1") (pattern "pipeline@comm3") (name "stage.rest") (location "1") (value 3.0) (unit "s") (rank 1) (of 3)))
  (expect (finding (kind symptom) (name low-pipeline-efficiency))
          (finding (kind cause) (name work-after-pipeline) (culprits "1") (lost 4.5)
                   (remedy "Let the stages share what stage 1 does outside the pipeline, or do it while items flow; up to 1.50 s of the time of these 3 processes (the run ends no earlier than the others let it).")
                   (because low-pipeline-efficiency "run.after" "run.rest_apart"))))

(case "a collective operation behind each item makes a serial chain of the stages"
  (given (pattern (run "r1") (name "pipeline") (id "pipeline"))
         (run (id "r1") (processes 6) (locations 6) (duration 3.0))
         (role (run "r1") (pattern "pipeline") (name "first") (location "5"))
         (role (run "r1") (pattern "pipeline") (name "last") (location "0"))
         (metrics (pattern "pipeline") run.efficiency 0.4 run.lost 10.6 run.stages 6.0 run.depth 6.0 run.items 30.0
           run.fills 30.0 run.per_fill 1.0 run.serial 1.0 run.bubble 0.83 run.fill_drain 9.0
           run.fill_drain_share 0.5 run.own_part 0.01))
  (expect (finding (kind symptom) (name low-pipeline-efficiency))
          (finding (kind cause) (name serial-chain) (culprits) (lost 9.0) (gain 1.5)
                   (headline "In each of 30 steps 6 ranks work one after the other, from rank 5 to rank 0, and then all meet in a collective.")
                   (because "run.serial" "run.fill_drain"))))

(case "a stage that gets slower is distinguished from items that differ"
  (given (pattern (run "r1") (name "pipeline") (id "pipeline"))
         (run (id "r1") (processes 3) (locations 3) (duration 10.0))
         (metrics (pattern "pipeline") run.efficiency 0.6 run.lost 12.0 run.stages 3.0 run.depth 3.0 run.items 101.0
           run.waiting_share 0.3 run.waiting 9.0 run.balance 1.0 run.slowest 0.05)
         (metric (run "r1") (pattern "pipeline") (name "stage.spread") (location "2") (value 0.6) (unit "1") (rank 1) (of 3))
         (metric (run "r1") (pattern "pipeline") (name "stage.drift") (location "2") (value 3.0) (unit "1") (rank 1) (of 3)))
  (expect (finding (kind symptom) (name low-pipeline-efficiency))
          (finding (kind cause) (name degrading-stage) (culprits "2") (lost 7.575) (gain 2.525) (confidence 0.7)
                   (because "run.waiting" "stage.drift"))))

(case "items are too small for what it costs to move them"
  (given (pattern (run "r1") (name "pipeline") (id "pipeline"))
         (run (id "r1") (processes 3) (locations 3) (duration 10.0))
         (metrics (pattern "pipeline") run.efficiency 0.6 run.lost 12.0 run.stages 3.0 run.depth 3.0 run.items 101.0
           run.transfer_share 0.3 run.transferring 9.0 run.overhead 0.03 run.grain 0.06))
  (expect (finding (kind symptom) (name low-pipeline-efficiency))
          (finding (kind cause) (name item-overhead) (culprits) (lost 9.0) (gain 2.4)
                   (because "run.transferring" "run.overhead" "run.grain"))))

(case "items are large enough, and moving them takes long"
  (given (like "items are too small for what it costs to move them") (metrics (pattern "pipeline") run.grain 0.3))
  (expect (finding (kind symptom) (name low-pipeline-efficiency))
          (finding (kind cause) (name slow-transfer) (culprits) (lost 9.0) (gain 3.0)
                   (because "run.transferring" "run.overhead" "run.grain"))))

(case "pipelines of two sizes are asked for what the model of the larger one needs"
  (given (pattern (run "r1") (name "message-passing"))
         (pattern (run "r1") (name "pipeline") (id "pipeline") (coverage 1.0) (fit 1.0))
         (pattern (run "r2") (name "pipeline") (id "pipeline") (coverage 1.0) (fit 1.0))
         (scaling (from "r1") (to "r2") (from-processes 4) (to-processes 8) (from-computing 4) (to-computing 8) (is-first yes) (is-next yes) (kind strong) (work-ratio 1.0) (duration-from 4.0) (duration-to 2.5) (spread 0.0)))
  (expect (need (run "r1") (metric "run.stages"))
          (need (run "r2") (metric "run.efficiency"))))

(case "two workers of a stage are too few: all of them are slow, and it needs six"
  (given (pattern (run "r1") (name "pipeline") (id "farm-pipeline"))
         (pattern (run "r1") (name "farm-pipeline") (id "farm-pipeline"))
         (run (id "r1") (processes 6) (locations 6) (duration 6.3))
         (role (run "r1") (pattern "farm-pipeline") (name "stage") (location "0"))
         (role (run "r1") (pattern "farm-pipeline") (name "stage") (location "1"))
         (role (run "r1") (pattern "farm-pipeline") (name "stage") (location "2"))
         (role (run "r1") (pattern "farm-pipeline") (name "stage") (location "3"))
         (role (run "r1") (pattern "farm-pipeline") (name "stage") (location "4"))
         (role (run "r1") (pattern "farm-pipeline") (name "stage") (location "5"))
         (metrics (pattern "farm-pipeline") run.workers 2.0 run.splitters 1.0 run.collectors 1.0 run.depth 5.0
           run.efficiency 0.5 run.lost 18.0 run.stages 6.0 run.items 101.0 run.waiting_share 0.4 run.waiting 17.0
           run.balance 0.555556 run.slowest 0.06 run.others 0.028000 run.rate 16.0 run.rate_bound 16.0
           stage.service ("0" 0.02 "1" 0.02 "2" 0.06 "3" 0.06 "4" 0.02 "5" 0.02)
           stage.per_item ("0" 0.02 "1" 0.02 "2" 0.12 "3" 0.12 "4" 0.02 "5" 0.02)
           stage.feeder ("0" -1.0 "1" 0.0 "2" 1.0 "3" 1.0 "4" 2.0 "5" 4.0)))
  (expect (need (metric "run.workers")) (need (metric "stage.feeder"))
          (finding (name farm-in-pipeline) (healthy yes) (because "run.depth" "run.workers"))
          (finding (name low-pipeline-efficiency))
          (finding (name slowest-stage))
          (finding (kind cause) (name slow-stage) (culprits "2" "3") (locations "0" "1" "4" "5") (gain 4.0)
                   (gain-kind remove) (what-if "compute(2,3)/3")
                   (headline "The stage of ranks 2 and 3 is the bottleneck: its 2 workers finish an item every 60.0 ms, the next slowest stage every 20.0 ms.")
                   (fix "Give that stage 6 workers instead of 2, or make their work on an item shorter.")
                   (because slowest-stage "run.waiting" "stage.service" "stage.feeder"))))

(case "one of two workers that ask for items is slow: both are busy, and it is named"
  (given (like "two workers of a stage are too few: all of them are slow, and it needs six")
         (metrics (pattern "farm-pipeline") stage.per_item ("0" 0.02 "1" 0.02 "2" 0.075 "3" 0.3 "4" 0.02 "5" 0.02)
           stage.share ("2" 0.8 "3" 0.2) stage.spread ("2" 0.1 "3" 0.1)))
  (expect (need (metric "run.workers")) (need (metric "stage.feeder"))
          (finding (name farm-in-pipeline) (healthy yes) (because "run.depth" "run.workers"))
          (finding (name low-pipeline-efficiency))
          (finding (name slowest-stage))
          (finding (kind cause) (name slow-worker) (culprits "3") (locations "0" "1" "2" "4" "5") (gain 2.2725)
                   (gain-kind remove)
                   (headline "Worker 3 takes 0.300 s for an item, the others of that stage 75.0 ms: the stages wait 16.0 s.")
                   (fix "Find out why rank 3 is slow: clock, binding, other load; keep giving out items on request.")
                   (because slowest-stage "run.waiting" "stage.service" "stage.feeder"))))

(case "workers with time to spare beside stages that are alike are no reason to call these slow; a splitter that only hands out items is idle"
  (given (like "two workers of a stage are too few: all of them are slow, and it needs six")
         (without (metric (name "stage.per_item")))
         (role (run "r1") (pattern "farm-pipeline") (name "worker") (location "2"))
         (role (run "r1") (pattern "farm-pipeline") (name "worker") (location "3"))
         (metrics (pattern "farm-pipeline") run.passing 6.0 run.efficiency 0.75 run.lost 12.0 run.waiting_share 0.2
           run.waiting 8.0 run.balance 0.75 run.others 0.05
           stage.service ("0" 0.06 "4" 0.06 "5" 0.059 "2" 0.02 "3" 0.02 "1" 0.001)
           stage.works ("0" 1.0 "1" 0.0 "2" 1.0 "3" 1.0 "4" 1.0 "5" 1.0)
           stage.waited ("0" 0.1 "1" 0.1 "2" 3.5 "3" 3.5 "4" 0.1 "5" 0.1)
           stage.delayed ("0" 0.0 "1" 0.0 "2" 0.0 "3" 0.0 "4" 0.0 "5" 0.0)
           stage.drift ("0" 1.0 "1" 1.0 "2" 1.0 "3" 1.0 "4" 1.0 "5" 1.0)
           stage.feeder ("0" -1.0 "1" 0.0 "2" 1.0 "3" 1.0 "4" 3.0 "5" 4.0)))
  (expect (need (metric "run.passing")) (need (metric "stage.works"))
          (finding (name farm-in-pipeline) (healthy yes))
          (finding (name low-pipeline-efficiency))
          (finding (name slowest-stage))
          (finding (name idle-dealers) (healthy yes) (lost 6.0) (because "run.passing"))
          (finding (name spare-workers) (healthy yes) (locations "2" "3") (lost 7.0) (because slowest-stage "stage.service"))))

(case "one of two workers is slow and gets as many items: it is named, not the stage"
  (given (like "two workers of a stage are too few: all of them are slow, and it needs six")
         (metrics (pattern "farm-pipeline") run.balance 0.444444 run.others 0.020000
           stage.service ("0" 0.02 "1" 0.02 "2" 0.02 "3" 0.06 "4" 0.02 "5" 0.02) stage.share ("2" 0.5 "3" 0.5)
           stage.per_item ("0" 0.02 "1" 0.02 "2" 0.04 "3" 0.12 "4" 0.02 "5" 0.02)))
  (expect (need (metric "run.workers")) (need (metric "stage.feeder"))
          (finding (name farm-in-pipeline) (healthy yes) (because "run.depth" "run.workers"))
          (finding (name low-pipeline-efficiency))
          (finding (name slowest-stage))
          (finding (kind cause) (name slow-worker) (culprits "3") (gain 3.03) (gain-kind even-out)
                   (headline "Worker 3 takes 0.120 s for an item, the others of that stage 40.0 ms, for as many items: the stages wait 17.0 s.")
                   (because slowest-stage "stage.per_item" "stage.feeder"))))

(case "two of four workers get their items from another process: the slow one has half of the items to share"
  (given (like "one of two workers is slow and gets as many items: it is named, not the stage")
         (metrics (pattern "farm-pipeline") stage.share ("2" 0.25 "3" 0.25)))
  (expect (need (metric "run.workers")) (need (metric "stage.feeder"))
          (finding (name farm-in-pipeline) (healthy yes) (because "run.depth" "run.workers"))
          (finding (name low-pipeline-efficiency))
          (finding (name slowest-stage))
          (finding (kind cause) (name slow-worker) (culprits "3") (gain 3.4) (gain-kind even-out)
                   (headline "Worker 3 takes 0.120 s for an item, the others of that stage 40.0 ms, for as many items: the stages wait 17.0 s.")
                   (because slowest-stage "stage.per_item" "stage.feeder"))))

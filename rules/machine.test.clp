;; Processes without a core, known by calls that go on although nothing holds them up.

(case "CPU times tell who had no core: that is certain, leads, and makes other causes doubtful"
  (given (run (id "r1") (processes 8) (per-host 8) (cores 2) (duration 9.0)) (pattern (run "r1") (name "message-passing"))
         (capability (run "r1") (name "cpu-time")))
  (expect (need (metric "run.descheduled_share")))
  (given (metrics (pattern "message-passing") run.descheduled_share 0.71 run.descheduled_time 6.0 run.computing_longest 1.5 run.lost 8.0
           run.stall_share 0.25 run.stall_count 54.0 run.stall_length 0.009 run.unknown 0.0
           run.unknown_share 0.0 run.stall_time 4.0))
  (expect (finding (kind cause) (name oversubscribed) (culprits) (lost 6.0) (share 0.75) (gain 7.5)
                   (gain-kind remove) (confidence 0.95)
                   (doubt "processes were without a core for 71.0 % of their computing time, which distorts all times")
                   (headline "8 processes share 2 cores: they were descheduled 71.0 % of their computing time.")
                   (because "run.descheduled_share" "run.descheduled_time" "run.computing_longest"))))

(case "CPU times show a core for each: calls that stall are no sign of too few cores"
  (given (like "CPU times tell who had no core: that is certain, leads, and makes other causes doubtful")
         (run (id "r1") (processes 2) (per-host 2) (cores 2))
         (metrics (pattern "message-passing") run.descheduled_share 0.01 run.descheduled_time 0.1 run.computing_longest 1.5 run.lost 8.0
           run.stall_share 0.25 run.stall_count 54.0 run.stall_length 0.009 run.unknown 0.0
           run.unknown_share 0.0 run.stall_time 4.0))
  (expect (need (metric "run.descheduled_share"))))

(case "there are cores enough, but CPU times show that something else has them"
  (given (like "CPU times tell who had no core: that is certain, leads, and makes other causes doubtful")
         (run (id "r1") (processes 2) (per-host 2) (cores 2) (duration 9.0)))
  (expect (finding (kind cause) (name oversubscribed) (confidence 0.95) (gain 6.0)
                   (headline "Processes share cores with something else: they were descheduled 71.0 % of their computing time."))))

(case "every process stalls: probably there are too few cores, and other causes are doubtful"
  (given (run (id "r1") (processes 8)) (pattern (run "r1") (name "message-passing")))
  (expect (need (metric "run.stall_share")))
  (given (metrics (pattern "message-passing") run.stall_share 0.25 run.stall_count 54.0 run.stall_length 0.009
           run.unknown 0.0 run.unknown_share 0.0 run.stall_time 4.0 run.lost 8.0))
  (expect (finding (kind cause) (name oversubscribed) (culprits) (lost 4.0) (share 0.5) (gain 0.5)
                   (gain-kind remove) (what-if "network*0") (confidence 0.7)
                   (doubt "processes seem to wait for cores, which distorts all times")
                   (headline "Probably more processes than cores: calls go on for 9.00 ms each although all they need is there.")
                   (because "run.stall_share" "run.stall_count"))))

(case "what the trace cannot split waits for cores as well"
  (given (run (id "r1") (processes 8)) (pattern (run "r1") (name "message-passing")))
  (expect (need (metric "run.stall_share")))
  (given (metrics (pattern "message-passing") run.stall_share 0.25 run.stall_count 54.0 run.stall_length 0.009
           run.unknown 20.0 run.unknown_share 0.5 run.stall_time 4.0 run.lost 30.0))
  (expect (finding (kind cause) (name oversubscribed) (culprits) (lost 9.0) (share 0.3) (gain 1.125) (confidence 0.6)
                   (because "run.unknown" "run.unknown_share" "run.stall_share"))))

(case "hosts and cores are known: it is certain"
  (given (run (id "r1") (processes 16) (per-host 8) (cores 2))
         (metrics (pattern "message-passing") run.stall_share 0.25 run.stall_count 54.0 run.stall_length 0.009
           run.unknown 0.0 run.unknown_share 0.0 run.stall_time 4.0 run.lost 8.0))
  (expect (finding (kind cause) (name oversubscribed) (confidence 0.9)
                   (doubt "more processes than cores ran, which distorts all times")
                   (headline "8 processes share 2 cores: calls go on for 9.00 ms each although all they need is there."))))

(case "there are cores enough: something else uses them"
  (given (like "hosts and cores are known: it is certain") (run (id "r1") (processes 8) (cores 8)))
  (expect (finding (kind cause) (name oversubscribed) (confidence 0.7)
                   (headline "Processes share cores with something else: calls go on for 9.00 ms each although all they need is there."))))

(case "there are cores enough, but ranks are bound to the same: it is certain"
  (given (run (id "r1") (processes 8) (cores 8) (ranks-per-core 4.0)) (pattern (run "r1") (name "message-passing"))
         (metrics (pattern "message-passing") run.stall_share 0.25 run.stall_count 54.0 run.stall_length 0.009
           run.unknown 0.0 run.unknown_share 0.0 run.stall_time 4.0 run.lost 8.0))
  (expect (finding (kind cause) (name oversubscribed) (confidence 0.9)
                   (doubt "more processes than cores ran, which distorts all times")
                   (headline "4.0 ranks are bound to one core: calls go on for 9.00 ms each although all they need is there."))))

(case "there is a core for each, and others use them: their load is said"
  (given (like "every process stalls: probably there are too few cores, and other causes are doubtful")
         (run (id "r1") (processes 8) (cores 8) (ranks-per-core 1.0) (foreign-cores 3.0)))
  (expect (finding (kind observation) (name foreign-load) (doubt "other programs used the machine meanwhile")
                   (headline "Other programs kept 3.0 of 8 cores busy during the run: its times may be too long."))
          (finding (kind cause) (name oversubscribed) (confidence 0.7))))

(case "there are cores to spare for other programs"
  (given (run (id "r1") (processes 4) (cores 8) (foreign-cores 3.0)) (pattern (run "r1") (name "message-passing")))
  (expect))

(case "nobody knows what other programs did"
  (given (run (id "r1") (processes 8) (cores 8)) (pattern (run "r1") (name "message-passing")))
  (expect))

(case "a few long stalls at the begin are no lack of cores"
  (given (run (id "r1") (processes 16))
         (metrics (pattern "message-passing") run.stall_share 0.13 run.stall_count 1.0 run.stall_length 0.015
           run.unknown 0.0 run.unknown_share 0.0 run.stall_time 0.2 run.lost 0.5))
  (expect))

(case "stalls that take little are noise"
  (given (run (id "r1") (processes 6))
         (metrics (pattern "message-passing") run.stall_share 0.028 run.stall_count 16.0 run.stall_length 0.004
           run.unknown 0.0 run.unknown_share 0.0 run.stall_time 0.4 run.lost 4.0))
  (expect))

(case "any two of eight compute at a time, and never three: probably two cores"
  (given (pattern (run "r1") (name "message-passing"))
         (run (id "r1") (processes 8)) (last-call (run "r1"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.2 run.lost 8.0 run.computing_most 2.0
           run.computing_most_share 0.7 run.computing_pairs 1.0))
  (expect (finding (kind symptom) (name low-parallel-efficiency))
          (finding (kind cause) (name oversubscribed) (lost 8.0)
                   (headline "Probably more processes than cores: never more than 2 of 8 compute at the same time.")
                   (because "run.computing_most" "run.computing_pairs"))))

(case "every other subdomain computes: half of the processes, but not any of them"
  (given (pattern (run "r1") (name "message-passing"))
         (run (id "r1") (processes 8)) (last-call (run "r1"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.2 run.lost 8.0 run.computing_most 4.0
           run.computing_most_share 0.7 run.computing_pairs 0.43))
  (expect (finding (kind symptom) (name low-parallel-efficiency))))

(case "there are more cores than processes that compute: it is something else"
  (given (pattern (run "r1") (name "message-passing"))
         (run (id "r1") (processes 8) (cores 8)) (last-call (run "r1"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.2 run.lost 8.0 run.computing_most 2.0
           run.computing_most_share 0.7 run.computing_pairs 1.0))
  (expect (finding (kind symptom) (name low-parallel-efficiency))))

;; Where cores are known, what the trace does not record is probably waiting for them.

(case "there are too few cores, and most of the lost time is in calls without recorded partners"
  (given (pattern (run "r1") (name "message-passing"))
         (run (id "r1") (processes 8) (cores 2))
         (metrics (pattern "message-passing") run.stall_share 0.02 run.stall_count 1.0 run.parallel_efficiency 0.2
           run.lost 8.0 run.unknown_share 0.7 run.unknown 7.0))
  (expect (finding (kind symptom) (name low-parallel-efficiency))
          (finding (kind observation) (name unknown-waiting))
          (finding (kind cause) (name oversubscribed) (confidence 0.7) (lost 7.0)
                   (doubt "more processes than cores ran, which distorts all times")
                   (headline "8 processes share 2 cores, and 70.0 % of their time is in calls whose partners are not recorded.")
                   (because "run.unknown_share" "run.parallel_efficiency"))))

(case "there are cores enough: nobody knows"
  (given (pattern (run "r1") (name "message-passing"))
         (run (id "r1") (processes 8) (cores 8))
         (metrics (pattern "message-passing") run.stall_share 0.02 run.stall_count 1.0 run.parallel_efficiency 0.2
           run.lost 8.0 run.unknown_share 0.7 run.unknown 7.0))
  (expect (finding (kind symptom) (name low-parallel-efficiency))
          (finding (kind observation) (name unknown-waiting))))

(case "pairs of ranks that alternate: each one at a time, but with all others"
  (given (pattern (run "r1") (name "message-passing"))
         (run (id "r1") (processes 8)) (last-call (run "r1"))
         (metrics (pattern "message-passing") run.parallel_efficiency 0.4 run.lost 8.0 run.computing_most 4.0
           run.computing_most_share 0.7 run.computing_pairs 0.857))
  (expect (finding (kind symptom) (name low-parallel-efficiency))))

;; ---- accelerators and threads ------------------------------------------------------------------

(case "hosts wait for accelerators: how long, and who longest"
  (given (pattern (run "r1") (name "message-passing")))
  (expect (need (metric "run.device_share")))
  (given (metrics (pattern "message-passing") run.device_share 0.13 run.device_time 0.7
           process.device_seconds ("0" 0.6 "1" 0.1)))
  (expect (finding (kind cause) (name device-wait) (locations "0") (lost 0.7) (where "device-wait")
                   (headline "Hosts wait 0.700 s for their accelerators, 13.0 % of the process time; longest rank 0, for 0.600 s.")
                   (because "run.device_share" "process.device_seconds"))))

(case "an accelerator that hardly anybody waits for is not worth a word"
  (given (metrics (pattern "message-passing") run.device_share 0.03 run.device_time 0.7)
         (metric (run "r1") (pattern "message-passing") (name "process.device_seconds") (location "0") (value 0.6) (unit "s") (rank 1) (of 2)))
  (expect))

(case "threads mostly wait at barriers"
  (given (pattern (run "r1") (name "message-passing"))
         (metrics (pattern "message-passing") run.thread_lost_share 0.3 run.idle_threads 6.0
           run.thread_waiting_share 0.25 run.thread_waiting 5.0))
  (expect (finding (kind cause) (name thread-wait) (lost 6.0) (where "thread-wait")
                   (headline "Threads wait 5.00 s for one another at barriers, locks and joins, 25.0 % of the time of all threads.")
                   (because "run.thread_lost_share" "run.idle_threads"))))

(case "threads mostly have no work"
  (given (pattern (run "r1") (name "message-passing"))
         (metrics (pattern "message-passing") run.thread_lost_share 0.3 run.idle_threads 6.0
           run.thread_waiting_share 0.02 run.thread_waiting 0.4))
  (expect (finding (kind cause) (name thread-wait) (lost 6.0) (where "one-thread")
                   (headline "Threads have no work for 6.00 s, 30.0 % of the time of all: their process goes on with one thread."))))

(case "threads that compute nearly all the time"
  (given (metrics (pattern "message-passing") run.thread_lost_share 0.03 run.idle_threads 0.6
           run.thread_waiting_share 0.02 run.thread_waiting 0.4))
  (expect))

(case "processes that ask in vain for a tenth of the time may pause in between: whatever is said is doubtful"
  (given (pattern (run "r1") (name "message-passing"))
         (metrics (pattern "message-passing") run.asking_share 0.3 run.asking_time 4.8 run.asks 40000.0
           process.asking_seconds ("0" 0.2 "4" 1.1)))
  (expect (finding (kind observation) (name asking) (healthy no) (locations "4")
                   (doubt "30.0 % of the time lies between calls that ask in vain, and may be pauses")
                   (because "run.asking_share"))))

(case "asking now and then is nothing"
  (given (like "processes that ask in vain for a tenth of the time may pause in between: whatever is said is doubtful")
         (metrics (pattern "message-passing") run.asking_share 0.05))
  (expect))

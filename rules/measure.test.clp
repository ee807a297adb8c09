;; What the rules ask to be measured, and that they ask for nothing that is known already.

(case "waits without partners: record when receives complete"
  (given (run (id "r1") (processes 8))
         (finding (kind observation) (name unknown-waiting) (run "r1") (pattern "message-passing") (text "Given."))
         (last-call (run "r1")))
  (expect (measure (run "r1") (record "receive-completions")
                   (separates unknown-waiting unsplit-waits suspected-heavy-subdomain
                              suspected-late-process))))

(case "a run of the set records completions already"
  (given (run (id "r1") (processes 8)) (run (id "r2") (processes 8))
         (capability (run "r2") (name "receive-completions"))
         (capability (run "r2") (name "immediate-collective-completions"))
         (finding (kind observation) (name unknown-waiting) (run "r1") (pattern "message-passing") (text "Given."))
         (last-call (run "r1")))
  (expect))

(case "receives complete, non-blocking collectives do not: those are asked for"
  (given (run (id "r1") (processes 8)) (capability (run "r1") (name "receive-completions"))
         (finding (kind observation) (name unknown-waiting) (run "r1") (pattern "message-passing") (text "Given."))
         (last-call (run "r1")))
  (expect (measure (record "immediate-collective-completions"))))

(case "before the last call nothing is asked for"
  (given (run (id "r1") (processes 8))
         (finding (kind observation) (name unknown-waiting) (run "r1") (pattern "message-passing") (text "Given.")))
  (expect))

(case "the leading cause names a process: its functions are asked for, not those of a lesser cause"
  (given (run (id "r1") (processes 4))
         (finding (kind cause) (name heavy-subdomain) (run "r1") (pattern "p") (culprits "3") (lost 2.0) (functions-of "3") (text "Given."))
         (finding (kind cause) (name late-process) (run "r1") (pattern "p") (culprits "1") (lost 1.0) (functions-of "1") (text "Given."))
         (last-call (run "r1")))
  (expect (measure (record "user-regions") (locations "3") (separates heavy-subdomain) (level 4))))

(case "functions are recorded: nothing is asked"
  (given (run (id "r1") (processes 4)) (capability (run "r1") (name "user-regions"))
         (finding (kind cause) (name heavy-subdomain) (run "r1") (pattern "p") (culprits "3") (lost 2.0) (functions-of "3") (text "Given."))
         (last-call (run "r1")))
  (expect))

(case "an order of receives is no matter of functions"
  (given (run (id "r1") (processes 4))
         (finding (kind cause) (name fixed-order-collection) (run "r1") (pattern "p") (culprits "0") (lost 2.0) (functions-of "0") (text "Given."))
         (last-call (run "r1")))
  (expect))

(case "a damaged trace is made again before anybody looks for functions"
  (given (run (id "r1") (processes 4)) (quality (run "r1") (note "truncated-events") (count 1))
         (finding (kind cause) (name slow-stage) (run "r1") (pattern "p") (culprits "2") (lost 2.0) (functions-of "2") (text "Given."))
         (last-call (run "r1")))
  (expect (measure (level 1) (separates unknown-waiting slow-stage)
                   (reason "have a whole trace: of this one a part is missing or damaged"))))

(case "noise is repeated"
  (given (run (id "r1") (processes 16))
         (finding (kind observation) (name noise) (run "r1") (pattern "p") (lost 0.6) (text "Given."))
         (last-call (run "r1")) (metrics (pattern "message-passing") run.location_time 10.0))
  (expect (measure (repetitions 3) (separates noise))))

(case "a leading cause that costs little more than noise is repeated, a large one is not"
  (given (run (id "r1") (processes 16))
         (finding (kind cause) (name small) (run "r1") (pattern "p") (lost 0.6) (text "Given."))
         (last-call (run "r1")) (metrics (pattern "message-passing") run.location_time 10.0))
  (expect (measure (repetitions 3) (separates small))))

(case "a large leading cause needs no repetition"
  (given (run (id "r1") (processes 16))
         (finding (kind cause) (name large) (run "r1") (pattern "p") (lost 3.0) (text "Given."))
         (finding (kind cause) (name small) (run "r1") (pattern "p") (lost 0.6) (text "Given."))
         (last-call (run "r1")) (metrics (pattern "message-passing") run.location_time 10.0))
  (expect))

(case "what was repeated is not repeated again"
  (given (like "noise is repeated") (run (id "r2") (processes 16))
         (repeats (group "g1") (run "r1") (runs 2) (processes 16) (median 1.0) (low 1.0) (high 1.1)))
  (expect))

;; What EZTrace leaves of MPI_Sendrecv: all requests complete, and yet partners are unknown.
(case "messages that are not recorded are asked for where nothing else is missing"
  (given (run (id "r1") (processes 16)) (capability (run "r1") (name "messages"))
         (capability (run "r1") (name "receive-completions"))
         (capability (run "r1") (name "immediate-collective-completions"))
         (finding (kind observation) (name unknown-waiting) (run "r1") (pattern "message-passing") (lost 0.6) (text "Given."))
         (last-call (run "r1")))
  (expect (measure (record "messages") (level 3))))

(case "where the end of non-blocking receives is missing, that is asked for"
  (given (like "messages that are not recorded are asked for where nothing else is missing")
         (without (capability (run "r1") (name "receive-completions"))))
  (expect (measure (record "receive-completions"))))

(case "of a damaged trace no messages are asked for that may be in the lost part"
  (given (run (id "r1") (processes 16)) (capability (run "r1") (name "receive-completions"))
         (capability (run "r1") (name "immediate-collective-completions"))
         (quality (run "r1") (note "missing-events-file") (count 1))
         (finding (kind observation) (name unknown-waiting) (run "r1") (pattern "message-passing") (lost 0.6) (text "Given."))
         (last-call (run "r1")))
  (expect))

(case "a bottleneck is checked with as many workers as the master can feed, and half of them"
  (given (run (id "r1") (processes 9) (duration 2.0)) (capability (run "r1") (name "user-regions"))
         (finding (kind cause) (name master-bottleneck) (run "r1") (pattern "master-worker") (culprits "0") (lost 4.5) (text "Given."))
         (last-call (run "r1")) (metrics (pattern "master-worker") run.useful_workers 4.6 run.workers 8.0))
  (expect (measure (processes 3 6) (separates master-bottleneck)
                   (expects "with 6 processes the run time stays the same, 2.00 s; with 3 it is longer"))))

(case "other numbers of processes are there already"
  (given (like "a bottleneck is checked with as many workers as the master can feed, and half of them")
         (run (id "r2") (processes 5) (duration 2.0))
         (scaling (from "r2") (to "r1") (from-processes 5) (to-processes 9) (is-first yes) (is-next yes) (kind strong) (work-ratio 1.0) (duration-from 2.0) (duration-to 2.0) (spread 0.0)))
  (expect))

(case "a slow worker that leads: more instructions, or slower ones?"
  (given (run (id "r1") (processes 4)) (capability (run "r1") (name "user-regions"))
         (finding (kind cause) (name slow-worker) (run "r1") (pattern "p") (culprits "2") (lost 2.0) (functions-of "2") (text "Given."))
         (last-call (run "r1")))
  (expect (measure (record "counters") (counters "PAPI_TOT_INS" "PAPI_TOT_CYC") (locations "2"))))

(case "threads that idle for much of the time are tried without"
  (given (run (id "r1") (processes 4))
         (finding (kind cause) (name thread-wait) (run "r1") (pattern "message-passing") (lost 2.0) (text "Given."))
         (last-call (run "r1")) (metrics (pattern "message-passing") run.thread_lost_share 0.4))
  (expect (measure (knob "threads per process: 1") (separates thread-wait))))

(case "a healthy run asks for nothing"
  (given (run (id "r1") (processes 4))
         (finding (kind observation) (name good-worker-efficiency) (run "r1") (pattern "p") (healthy yes) (text "Given."))
         (finding (kind observation) (name slow-worker) (run "r1") (pattern "p") (culprits "2") (functions-of "2") (text "Given."))
         (last-call (run "r1")) (metrics (pattern "message-passing") run.location_time 10.0))
  (expect))

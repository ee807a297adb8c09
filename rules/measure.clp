;; What another run of the program would show. These rules wait for last-call: they judge what others
;; have found, and ask for nothing where nothing is wrong. Rules of a pattern that know more about
;; what to vary stand beside it (scaling of master-worker below). What a run of the set has already,
;; nobody asks for again: a run that records it, repetitions, other numbers of processes. Of several
;; runs the one with most processes asks, and of repetitions the one that represents them.

(deffunction MAIN::is-first-cause (?run ?lost)
  "Whether no cause of the run costs more."
  (bind ?is-first TRUE)
  (do-for-all-facts ((?f finding))
    (and (eq ?f:run ?run) (eq ?f:kind cause) (eq ?f:healthy no) (> ?f:lost ?lost))
    (bind ?is-first FALSE))
  ?is-first)

(deffunction MAIN::has-recorded (?capability)
  "Whether any run of the set records it."
  (any-factp ((?c capability)) (eq ?c:name ?capability)))

(deffunction MAIN::asks (?run)
  "Whether it is this run of the set that may ask for others."
  (bind ?n 0)
  (do-for-all-facts ((?r run)) (eq ?r:id ?run) (bind ?n ?r:processes))
  (and (not (any-factp ((?r run)) (> ?r:processes ?n)))
       (or (any-factp ((?g repeats)) (eq ?g:run ?run))
           (not (any-factp ((?g repeats)) (= ?g:processes ?n))))))

(deffunction MAIN::is-damaged (?run)
  "Whether a part of what was recorded is gone."
  (any-factp ((?q quality))
    (and (eq ?q:run ?run)
         (not (not (member$ ?q:note (create$ "truncated-events" "damaged-events"
                                             "missing-events-file")))))))

(deffunction MAIN::causes-of (?run)
  "The names of its causes, each once."
  (bind ?names (create$))
  (do-for-all-facts ((?f finding)) (and (eq ?f:run ?run) (eq ?f:kind cause) (eq ?f:healthy no))
    (if (not (member$ ?f:name ?names)) then (bind ?names (create$ ?names ?f:name))))
  ?names)

(deffunction MAIN::near-noise (?run ?name ?lost ?all)
  "Whether a finding says that it is noise, or is the leading cause and costs little more than noise."
  (if (member$ ?name (create$ noise step-jitter irregular-service))
   then (>= ?lost (* ?*significant* ?all))
   else (and (any-factp ((?f finding))
               (and (eq ?f:run ?run) (eq ?f:name ?name) (eq ?f:kind cause)))
             (is-first-cause ?run ?lost)
             (>= ?lost (* ?*significant* ?all))
             (< ?lost (* ?*noise-large* ?all)))))

;; ---- what the trace lacks -----------------------------------------------------------------------

(defrule ADVISE::measure-completions
  "Waits whose partners are not recorded: late neighbours and slow transfer look alike."
  (last-call (run ?r))
  (test (asks ?r))
  (test (not (has-recorded "receive-completions")))
  (or (exists (finding (run ?r) (name unknown-waiting | unsplit-waits)))
      (exists (finding (run ?r) (name suspected-heavy-subdomain | suspected-late-process))))
  =>
  (assert (measure (run ?r) (pattern "message-passing") (level 3)
                   (record "receive-completions")
                   (separates unknown-waiting unsplit-waits suspected-heavy-subdomain
                              suspected-late-process)
                   (reason "tell late neighbours from slow transfer, as the trace does not say which receives complete in MPI_Wait and its like")
                   (expects "late neighbours show as waiting for a few processes; slow transfer as time that is left when this waiting is taken off"))))

(defrule ADVISE::measure-collective-completions
  "Non-blocking collectives whose end is not recorded."
  (last-call (run ?r))
  (test (asks ?r))
  (capability (run ?r) (name "receive-completions"))
  (test (not (has-recorded "immediate-collective-completions")))
  (exists (finding (run ?r) (name unknown-waiting | unsure-collectives)))
  =>
  (assert (measure (run ?r) (pattern "message-passing") (level 3)
                   (record "immediate-collective-completions")
                   (separates unknown-waiting unsure-collectives)
                   (reason "tell waiting from work in non-blocking collectives, as the trace does not say where they end"))))

(defrule ADVISE::measure-messages
  "Receives of which no message is recorded, though the trace says where operations complete."
  (last-call (run ?r))
  (test (asks ?r))
  (test (not (is-damaged ?r)))
  (capability (run ?r) (name "receive-completions"))
  (capability (run ?r) (name "immediate-collective-completions"))
  (exists (finding (run ?r) (name unknown-waiting | unsplit-waits)))
  ;; A run of the set where all are known has them.
  (not (and (capability (run ?other&~?r) (name "receive-completions"))
            (not (finding (run ?other) (name unknown-waiting | unsplit-waits)))))
  =>
  (assert (measure (run ?r) (pattern "message-passing") (level 3) (record "messages")
                   (separates unknown-waiting unsplit-waits suspected-heavy-subdomain
                              suspected-late-process)
                   (reason "see the messages of calls for which the trace has none, as some tracers leave out those of MPI_Sendrecv, MPI_Mrecv and others")
                   (expects "late partners show as waiting for a few processes; slow transfer as time that is left when this waiting is taken off"))))

(defrule ADVISE::measure-functions
  "The leading cause names who computes too long; which function does is not recorded."
  (last-call (run ?r))
  (test (asks ?r))
  (test (not (has-recorded "user-regions")))
  (test (not (is-damaged ?r)))
  (finding (kind cause) (name ?name&~fixed-order-collection&~late-in-calls) (run ?r)
           (pattern ?p) (culprits $?who) (lost ?lost) (healthy no)
           (where $?where) (functions-of $?of))
  (test (and (> (length$ ?who) 0) (> (+ (length$ ?where) (length$ ?of)) 0)))
  (test (is-first-cause ?r ?lost))
  =>
  (assert (measure (run ?r) (pattern ?p) (level 4) (record "user-regions") (locations ?who)
                   (separates ?name)
                   (reason (text "find what takes long at process {}: the trace records no function of the program"
                                 (location-list ?who)))
                   (expects (text "a few functions hold most of what process {} takes" (location-list ?who))))))

(defrule ADVISE::measure-counters
  "A worker takes longer for its tasks than others: more to do, or slower at it?"
  (last-call (run ?r))
  (test (asks ?r))
  ;; A tracer of CPU time counts what the operating system does, not what the processor does.
  (test (or (not (has-recorded "counters")) (has-recorded "cpu-time")))
  (finding (kind cause) (name slow-worker) (run ?r) (pattern ?p) (culprits $?w) (lost ?lost))
  (test (is-first-cause ?r ?lost))
  =>
  (assert (measure (run ?r) (pattern ?p) (level 4) (record "counters") (locations ?w)
                   (counters "PAPI_TOT_INS" "PAPI_TOT_CYC") (separates slow-worker)
                   (reason (text "tell longer tasks from a slower core: count instructions and cycles of worker {}" (location-list ?w)))
                   (expects "a slower core needs as many instructions per task as the others, and more time for each"))))

(defrule ADVISE::measure-damaged
  "A part of the trace is gone, and with it the reason of some of the waiting."
  (last-call (run ?r))
  (test (and (asks ?r) (is-damaged ?r)))
  (exists (finding (run ?r) (kind cause | symptom) (healthy no)))
  =>
  (assert (measure (run ?r) (pattern "message-passing") (level 1)
                   (separates unknown-waiting (causes-of ?r))
                   (reason "have a whole trace: of this one a part is missing or damaged"))))

;; ---- noise ----------------------------------------------------------------------------------------

(defrule ADVISE::measure-noise
  "What costs most is noise, or costs little more than noise does: only repetitions tell."
  (last-call (run ?r))
  (run (id ?r) (processes ?n))
  (test (asks ?r))
  (not (repeats (processes ?n) (runs ?k&:(> ?k 1))))
  (test (not (is-damaged ?r)))
  (finding (name ?name) (run ?r) (pattern ?p) (lost ?lost) (healthy no))
  (metric (run ?r) (pattern "message-passing") (name "run.location_time") (value ?all))
  (test (near-noise ?r ?name ?lost ?all))
  =>
  (assert (measure (run ?r) (pattern ?p) (level 2) (repetitions 3) (separates ?name)
                   (reason (text "see whether {} comes back: a single run cannot tell it from noise" ?name))
                   (expects (text "the repetitions lose about {s} as well, where noise would differ from run to run"
                                  ?lost)))))

;; ---- how it scales -----------------------------------------------------------------------------

(defrule ADVISE::measure-master-scaling
  "A master that feeds fewer workers than there are: with fewer, the run must not take longer."
  (last-call (run ?r))
  (finding (kind cause) (name master-bottleneck) (run ?r) (pattern ?p) (lost ?lost))
  (test (is-first-cause ?r ?lost))
  (test (asks ?r))
  (not (scaling))
  (run (id ?r) (processes ?n) (duration ?t))
  (metric (run ?r) (pattern ?p) (name "run.useful_workers") (value ?useful&:(> ?useful 0.0)))
  (metric (run ?r) (pattern ?p) (name "run.workers") (value ?workers&:(> ?workers ?useful)))
  =>
  ;; Just as many as it can feed, and half of that: these hardly wait for each other. One worker alone
  ;; would be no farm.
  (bind ?others (- ?n (integer ?workers)))
  (bind ?at (+ ?others (min (- (integer ?workers) 1) (max 2 (integer (+ ?useful 0.999))))))
  (bind ?below (+ ?others (max 2 (integer (/ ?useful 2.0)))))
  (bind ?sizes (if (< ?below ?at) then (create$ ?below ?at) else (create$ ?at)))
  (if (< ?at ?n) then
    (assert (measure (run ?r) (pattern ?p) (level 3) (processes ?sizes)
                     (separates master-bottleneck)
                     (reason (text "check with {} that the master can feed {.1} and no more"
                                   (if (< ?below ?at)
                                    then (text "{n} and with {n} workers" (- ?below ?others) (- ?at ?others))
                                    else (text "{n} workers" (- ?at ?others)))
                                   ?useful))
                     (expects (text "with {n} processes the run time stays the same, {s}{}" ?at ?t
                                    (if (< ?below ?at) then (text "; with {n} it is longer" ?below)
                                     else "")))))))

;; ---- threads ---------------------------------------------------------------------------------------

(defrule ADVISE::measure-threads
  "Threads that make no MPI calls do not compute for much of the time."
  (last-call (run ?r))
  (run (id ?r) (processes ?n))
  (test (asks ?r))
  (not (repeats (processes ?n) (run ?s&~?r)))
  (finding (name thread-wait) (run ?r) (lost ?lost))
  (metric (run ?r) (pattern "message-passing") (name "run.thread_lost_share")
          (value ?share&:(>= ?share ?*unaccounted*)))
  =>
  (assert (measure (run ?r) (pattern "message-passing") (level 2) (knob "threads per process: 1")
                   (separates thread-wait)
                   (reason (text "see what the threads gain: they do not compute for {s}" ?lost))
                   (expects "the run takes about as long with one thread per process"))))

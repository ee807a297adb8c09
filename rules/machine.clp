;; machine: is there a core for every process, and who waits for threads and accelerators?
;;
;; Where there is none, a process waits for its turn while others that share its core run, and its partners
;; wait for it: calls go on for milliseconds, the slices of the scheduler, although the partner is there and
;; what they move is little (src/events/stalls.c). That hits all processes alike. One that is hit alone
;; shares its core with something else, and is not meant here. What calls cost and how even work is cannot be
;; judged then, so that other causes are doubtful (slot doubt), unless processes stand out all the same.

(deffunction MAIN::crowd (?processes ?per-host ?cores ?ranks-per-core)
  "Whether more processes than cores ran on a host: yes, bound (there are cores enough, but several are bound to one), no, or unknown."
  (bind ?ran (if (> ?per-host 0) then ?per-host else ?processes))
  (if (= ?cores 0) then unknown
   else (if (> ?ran ?cores) then yes
   else (if (>= ?ranks-per-core ?*shares-core*) then bound
   else no))))

(deffunction MAIN::cores-said (?crowd ?ran ?cores ?ranks-per-core)
  "Who shares cores, as a clause."
  (switch ?crowd
    (case yes then (text "{n} processes share {n} core{}" ?ran ?cores (if (= ?cores 1) then "" else "s")))
    (case bound then (text "{.1} ranks are bound to one core" ?ranks-per-core))
    (case no then "Processes share cores with something else")
    (default "Processes have no core of their own")))

;; CPU times prove it: a process in its own code needs a core, and had none for so much of that time.

(defrule CAUSES::machine-descheduled
  "Processes had no core for a good part of the time in which they had work."
  (run (id ?r) (processes ?n) (per-host ?per-host) (cores ?cores) (ranks-per-core ?per-core)
       (foreign-cores ?foreign) (duration ?duration))
  (capability (run ?r) (name "cpu-time"))
  (metric (run ?r) (pattern "message-passing") (name "run.descheduled_share")
          (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern "message-passing") (name "run.descheduled_time") (value ?time))
  (metric (run ?r) (pattern "message-passing") (name "run.computing_longest") (value ?longest))
  (metric (run ?r) (pattern "message-passing") (name "run.lost") (value ?lost))
  =>
  (bind ?crowd (crowd ?n ?per-host ?cores ?per-core))
  (bind ?ran (if (> ?per-host 0) then ?per-host else ?n))
  (bind ?is-elsewhere (eq ?crowd no))
  ; Cores for all would speed up MPI, too; without other load only its time and the waiting for that is saved.
  (bind ?most (- ?duration ?longest))
  (bind ?clause (cores-said ?crowd ?ran ?cores ?per-core))
  (assert (finding (kind cause) (name oversubscribed) (run ?r) (pattern "message-passing")
                   (headline (text "{}: they were descheduled {%} of their computing time." ?clause ?share))
                   (fix (if (or ?is-elsewhere (eq ?crowd bound))
                         then "Give each rank a core of its own (mpirun --bind-to core --report-bindings) and keep other load away."
                         else "Run no more ranks than cores (--bind-to core)."))
                   (gain-kind remove) (lost (min ?lost ?time)) (share (min 1.0 (/ ?time ?lost))) (level 1)
                   (confidence 0.95)
                   (gain (if (or (eq ?crowd yes) (eq ?crowd bound)) then ?most else (min ?most ?time)))
                   (doubt (text "processes were without a core for {%} of their computing time, which distorts all times"
                                ?share))
                   (text (text "By their CPU times processes were descheduled for {s} while they had work, {%} of the time that they were in their own code. {} All who wait for such a process wait longer, too: what calls cost and how even the work is cannot be judged by such a run."
                               ?time ?share
                               (switch ?crowd
                                 (case yes then (text "{n} of them ran on a host with {n} core{} for them." ?ran ?cores
                                                      (if (= ?cores 1) then "" else "s")))
                                 (case bound then (text "There are {n} cores for {n} of them, but {.1} are bound to one." ?cores ?ran ?per-core))
                                 (case no then
                                   (if (>= ?foreign ?*foreign-load*)
                                    then (text "There are {n} cores for {n} of them, but other programs kept {.1} of the cores busy." ?cores ?ran ?foreign)
                                    else (text "There are {n} cores for {n} of them, so several are bound to one, have threads that need more, or share the host with other load." ?cores ?ran)))
                                 (default "The trace does not tell how many cores they had."))))
                   (remedy (if ?is-elsewhere
                            then "Measure again when nothing else runs there, with each process bound to a core of its own (mpirun --bind-to core --report-bindings shows where they are)."
                            else (text "Run no more processes than cores, and bind each to its own (mpirun --bind-to core --report-bindings shows where they are). Measure again before anything else is changed: with a core of its own the process that computes most takes {s}." ?longest))))))

;; Without CPU times, calls that stall are a sign.

(defrule CAUSES::machine-oversubscribed
  "Calls go on for slices of the scheduler at all processes although nothing holds them up."
  (not (metric (run ?r) (pattern "message-passing") (name "run.descheduled_share")))
  (run (id ?r) (processes ?n) (per-host ?per-host) (cores ?cores) (ranks-per-core ?per-core)
       (foreign-cores ?foreign))
  (metric (run ?r) (pattern "message-passing") (name "run.stall_share")
          (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern "message-passing") (name "run.stall_count")
          (value ?count&:(>= ?count ?*stalls-enough*)))
  (metric (run ?r) (pattern "message-passing") (name "run.stall_length") (value ?length))
  (metric (run ?r) (pattern "message-passing") (name "run.stall_time") (value ?seen-time))
  (metric (run ?r) (pattern "message-passing") (name "run.unknown") (value ?unknown))
  (metric (run ?r) (pattern "message-passing") (name "run.unknown_share") (value ?unknown-share))
  (metric (run ?r) (pattern "message-passing") (name "run.lost") (value ?lost))
  =>
  ;; Calls that the trace cannot split wait for cores, too: where they are much of the time, for the same share of it.
  (bind ?hidden (if (>= ?unknown-share ?*unknown-large*) then (* (min 1.0 ?share) ?unknown) else 0.0))
  (bind ?time (min ?lost (+ ?seen-time ?hidden)))
  (bind ?crowd (crowd ?n ?per-host ?cores ?per-core))
  (bind ?is-seen (or (eq ?crowd yes) (eq ?crowd bound)))
  (bind ?ran (if (> ?per-host 0) then ?per-host else ?n))
  (bind ?seen (text "calls go on for {s} each although all they need is there" ?length))
  (assert (finding (kind cause) (name oversubscribed) (run ?r) (pattern "message-passing")
                   (headline
                     (switch ?crowd
                       (case yes then (text "{n} processes share {n} cores: {}." ?ran ?cores ?seen))
                       (case bound then (text "{.1} ranks are bound to one core: {}." ?per-core ?seen))
                       (case no then (text "Processes share cores with something else: {}." ?seen))
                       (default (text "Probably more processes than cores: {}." ?seen))))
                   (fix (if (or (eq ?crowd no) (eq ?crowd bound))
                         then "Give each rank a core of its own (mpirun --bind-to core --report-bindings) and keep other load away."
                         else "Run no more ranks than cores (--bind-to core). If waiting ranks spin, let them yield: --mca mpi_yield_when_idle 1."))
                   (gain-kind remove)
                   (lost ?time) (share (min 1.0 (/ ?time ?lost))) (level 1)
                   (confidence (if ?is-seen then 0.9 else (if (> ?hidden ?seen-time) then 0.6 else 0.7)))
                   (gain (/ ?time ?n)) (what-if "network*0")
                   (doubt (if ?is-seen then "more processes than cores ran, which distorts all times"
                           else "processes seem to wait for cores, which distorts all times"))
                   (text (text "At all processes alike, calls that move little go on for milliseconds although everybody they need is in MPI: {n} of a process (median), {s} each, {s} in all. That is how long a scheduler lets others run: processes wait for a core.{} {} What calls cost and how even the work is cannot be judged by such a run."
                               ?count ?length ?seen-time
                               (if (> ?hidden 0.0)
                                then (text " That is {%} of the time that the trace can split; as much of the {s} in calls whose partners are not recorded would be another {s}."
                                           ?share ?unknown ?hidden)
                                else "")
                               (switch ?crowd
                                 (case yes then (text "{n} of them ran on a host with {n} cores." ?ran ?cores))
                                 (case bound then (text "There are {n} cores for {n} of them, but {.1} are bound to one." ?cores ?ran ?per-core))
                                 (case no then
                                   (if (>= ?foreign ?*foreign-load*)
                                    then (text "There are {n} cores for {n} of them, but other programs kept {.1} of the cores busy." ?cores ?ran ?foreign)
                                    else (text "There are {n} cores for {n} of them, so several are bound to one, have threads that need more, or share the host with other load." ?cores ?ran)))
                                 (default (if (> ?per-host 0)
                                           then (text "{n} of them ran on one host; the trace does not tell how many cores it has." ?ran)
                                           else "The trace does not tell how many cores they had.")))))
                   (remedy "Run no more processes than cores, and bind each to its own (mpirun --bind-to core --report-bindings shows where they are). Where that cannot be, let waiting processes give their core away (Open MPI: --mca mpi_yield_when_idle 1); the trace does not tell whether they do so already, and then only fewer of them help. Measure again before anything else is changed. The gain is at least what calls stall; what computation takes longer than it needs is not seen."))))

;; Processes that give their core away while they wait do not stall, but no more of them compute at a time
;; than there are cores. Dependences look much the same, so this is reported only where nothing else explains
;; the loss.

(deffunction MAIN::pairs-of-groups (?most ?n)
  "Share of all pairs of ?n processes that compute together if they form ?most groups, in each of which one computes at a time."
  (/ (* ?n (- ?most 1.0)) (* ?most (- ?n 1.0))))

(defrule ADVISE::machine-crowded
  "Any few processes compute at the same time, but never more of them."
  (not (metric (run ?r) (pattern "message-passing") (name "run.descheduled_share")))
  (last-call (run ?r))
  (run (id ?r) (processes ?n) (cores ?cores))
  (exists (metric (run ?r) (pattern "message-passing") (name "run.parallel_efficiency")
                    (value ?e&:(< ?e ?*efficiency-good*))))
  (not (finding (kind cause) (run ?r)))
  (metric (run ?r) (pattern "message-passing") (name "run.computing_most")
          (value ?most&:(and (>= ?most 2.0) (<= (* 2.0 ?most) ?n))))
  (metric (run ?r) (pattern "message-passing") (name "run.computing_most_share")
          (value ?share&:(>= ?share ?*crowd-full*)))
  (metric (run ?r) (pattern "message-passing") (name "run.computing_pairs")
          (value ?pairs))
  (test (>= (- ?pairs (pairs-of-groups ?most ?n))
            (* ?*crowd-any* (- 1.0 (pairs-of-groups ?most ?n)))))
  (test (or (= ?cores 0) (>= ?most ?cores)))
  (metric (run ?r) (pattern "message-passing") (name "run.lost") (value ?lost))
  =>
  (assert (finding (kind cause) (name oversubscribed) (run ?r) (pattern "message-passing")
                   (headline (text "Probably more processes than cores: never more than {n} of {n} compute at the same time."
                                   ?most ?n))
                   (fix "Run no more ranks than cores, and bind each to its own (--bind-to core).")
                   (gain-kind remove) (lost ?lost) (share 1.0) (level 2) (confidence 0.7) (via crowd)
                   (doubt "processes seem to wait for cores, which distorts all times")
                   (text (text "For {%} of the time {n} of {n} processes compute, and never more, though any two of them do so together ({%} of all pairs): that is what as many cores allow. All others wait for messages of processes that have no core. {}"
                               ?share ?most ?n ?pairs
                               (if (> ?cores 0) then (text "There are {n} cores." ?cores)
                                else "The trace does not tell how many cores there were; a manifest can.")))
                   (remedy "Run no more processes than cores, bind each to its own (mpirun --bind-to core --report-bindings shows where they are), and measure again: how well the program communicates cannot be judged before."))))

;; Where cores are known to be too few and the trace does not say what most of the lost time was spent for, that is
;; the likeliest reason, and whatever is said of the rest is doubtful.

(defrule CAUSES::machine-few-cores
  "More processes than cores, and calls that the trace cannot split."
  (not (metric (run ?r) (pattern "message-passing") (name "run.descheduled_share")))
  (run (id ?r) (processes ?n) (per-host ?per-host) (cores ?cores) (ranks-per-core ?per-core))
  (test (or (eq (crowd ?n ?per-host ?cores ?per-core) yes)
            (eq (crowd ?n ?per-host ?cores ?per-core) bound)))
  (metric (run ?r) (pattern "message-passing") (name "run.parallel_efficiency")
          (value ?e&:(< ?e ?*efficiency-good*)))
  (metric (run ?r) (pattern "message-passing") (name "run.unknown_share") (value ?share))
  (metric (run ?r) (pattern "message-passing") (name "run.unknown") (value ?unknown))
  (metric (run ?r) (pattern "message-passing") (name "run.lost") (value ?lost))
  (test (> (* 2.0 ?unknown) ?lost))
  (metric (run ?r) (pattern "message-passing") (name "run.stall_share") (value ?stalls))
  (metric (run ?r) (pattern "message-passing") (name "run.stall_count") (value ?count))
  (test (or (< ?stalls ?*significant*) (< ?count ?*stalls-enough*)))
  =>
  (bind ?ran (if (> ?per-host 0) then ?per-host else ?n))
  (bind ?what (if (eq (crowd ?n ?per-host ?cores ?per-core) yes)
               then (text "{n} processes share {n} cores" ?ran ?cores)
               else (text "{.1} ranks are bound to one core" ?per-core)))
  (assert (finding (kind cause) (name oversubscribed) (run ?r) (pattern "message-passing")
                   (headline (text "{}, and {%} of their time is in calls whose partners are not recorded."
                                   ?what ?share))
                   (fix "Run no more ranks than cores, and bind each to its own (--bind-to core).")
                   (gain-kind remove) (lost ?unknown) (share (min 1.0 (/ ?unknown ?lost))) (level 2)
                   (confidence 0.7)
                   (doubt "more processes than cores ran, which distorts all times")
                   (text (text "{}. {s} ({%} of the process time) are in receives and waits whose partner the trace does not record: a good part of it is probably waiting for processes that have no core, but the trace does not tell how much."
                               ?what ?unknown ?share))
                   (remedy "Run no more processes than cores, bind each to its own (mpirun --bind-to core --report-bindings shows where they are), and measure again: how well the program communicates cannot be judged before."))))

;; Other programs on the same cores make all times longer, whatever the program does.

(defrule ADVISE::machine-foreign-load
  "Others used the cores on which the run was measured, and there were none to spare."
  (run (id ?r) (processes ?n) (per-host ?per-host) (cores ?cores&:(> ?cores 0))
       (foreign-cores ?foreign&:(>= ?foreign ?*foreign-load*)))
  (test (>= (+ (if (> ?per-host 0) then ?per-host else ?n) ?foreign) (+ ?cores ?*foreign-load*)))
  (pattern (run ?r) (name "message-passing"))
  =>
  (assert (finding (kind observation) (name foreign-load) (run ?r) (pattern "message-passing") (level 1)
                   (headline (text "Other programs kept {.1} of {n} cores busy during the run: its times may be too long."
                                   ?foreign ?cores))
                   (doubt "other programs used the machine meanwhile")
                   (text (text "Other programs kept {.2} of {n} cores busy while the run was measured, and none was left for them: its processes may have waited for cores, so that times are longer, and less even, than they would be on a machine of its own. Measure again when nothing else runs there."
                               ?foreign ?cores)))))

;; ---- accelerators and threads ------------------------------------------------------------------
;; Which functions wait for them stands in regions.yaml.

;; A process that asks again and again, with a pause in between (usleep, sched_yield), waits; one that computes in
;; between makes progress. Both look alike, so this is no cause, but makes whatever is said doubtful.

(defrule CAUSES::machine-asking
  "For a good part of the time processes ask again and again in vain."
  (pattern (run ?r) (name "message-passing"))
  (metric (run ?r) (pattern "message-passing") (name "run.asking_share") (value ?share&:(>= ?share ?*noise-large*)))
  (metric (run ?r) (pattern "message-passing") (name "run.asking_time") (value ?time))
  (metric (run ?r) (pattern "message-passing") (name "run.asks") (value ?n&:(> ?n 0.0)))
  (metric (run ?r) (pattern "message-passing") (name "process.asking_seconds") (location ?p) (value ?most) (rank 1))
  =>
  (assert (finding (kind observation) (name asking) (run ?r) (pattern "message-passing") (locations ?p) (level 1)
                   (doubt (text "{%} of the time lies between calls that ask in vain, and may be pauses" ?share))
                   (text (text "{n} times a process asks (MPI_Test, MPI_Iprobe) and gets no answer, every {s}. What lies in between, {s} in all and most at rank {} ({s}), counts as computation; if processes only pause there, they wait."
                               ?n (/ ?time ?n) ?time ?p ?most)))))

(defrule CAUSES::machine-device-wait
  "Hosts wait for their accelerators for a significant part of the process time."
  (pattern (run ?r) (name "message-passing"))
  (metric (run ?r) (pattern "message-passing") (name "run.device_share")
          (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern "message-passing") (name "run.device_time") (value ?time))
  (metric (run ?r) (pattern "message-passing") (name "process.device_seconds") (location ?p)
          (value ?most) (rank 1))
  =>
  (bind ?who (as-heavy-as-any ?r "message-passing" "process.device_seconds"))
  (assert (finding (kind cause) (name device-wait) (run ?r) (pattern "message-passing")
                   (headline (text "Hosts wait {s} for their accelerators, {%} of the process time; longest rank {}, for {s}."
                                   ?time ?share ?p ?most))
                   (fix "Let hosts compute or communicate meanwhile and wait late, copy asynchronously, or make kernels faster.")
                   (gain-kind remove) (locations ?who) (lost ?time) (level 1) (where "device-wait")
                   (text (text "Hosts spend {s} ({%} of the process time) in calls that wait for an accelerator: synchronisation, and copies that block. Rank {} does so longest, {s}. What the accelerator does meanwhile is not diagnosed."
                               ?time ?share ?p ?most))
                   (remedy "Where the host has other work, such as computation or messages of its own, do it between starting a kernel and waiting for it; copy with the asynchronous calls from pinned memory, and overlap copies with kernels in several streams. Otherwise make the kernels themselves faster: a profiler of the accelerator (Nsight, rocprof) shows how, this trace does not."))))

(defrule CAUSES::machine-thread-wait
  "Threads wait at barriers and locks, or have no work, for a significant part of the time of all locations."
  (pattern (run ?r) (name "message-passing"))
  (metric (run ?r) (pattern "message-passing") (name "run.thread_lost_share") (value ?idle-share))
  (metric (run ?r) (pattern "message-passing") (name "run.idle_threads") (value ?idle))
  (metric (run ?r) (pattern "message-passing") (name "run.thread_waiting_share") (value ?sync-share))
  (metric (run ?r) (pattern "message-passing") (name "run.thread_waiting") (value ?sync))
  (test (>= (max ?idle-share ?sync-share) ?*significant*))
  =>
  (bind ?share (max ?idle-share ?sync-share))
  (bind ?time (max ?idle ?sync))
  (bind ?at-barriers (>= (* 2.0 ?sync) ?time))
  (assert (finding (kind cause) (name thread-wait) (run ?r) (pattern "message-passing")
                   (headline (if ?at-barriers
                              then (text "Threads wait {s} for one another at barriers, locks and joins, {%} of the time of all threads."
                                         ?sync ?sync-share)
                              else (text "Threads have no work for {s}, {%} of the time of all: their process goes on with one thread."
                                         ?time ?share)))
                   (fix (if ?at-barriers
                         then "Share out loops evenly (schedule(dynamic)), drop barriers (nowait), hold locks for less time."
                         else "Do in parallel what one thread does alone, or run more processes with fewer threads each."))
                   (gain-kind even-out) (lost ?time) (level 1) (confidence 0.8)
                   (where (if ?at-barriers then "thread-wait" else "one-thread"))
                   (text (text "Threads are without work for {s}, {%} of the time of all locations: {s} at barriers, locks and joins, {s} before they begin, after they end, and while their process goes on with one thread, which computes, communicates or waits for an accelerator."
                               ?time ?share ?sync (max 0.0 (- ?time ?sync))))
                   (remedy (if ?at-barriers
                            then "Where one thread comes late to a barrier, share out the iterations of the loop before it more evenly, such as with schedule(dynamic) or smaller chunks; join parallel regions, and use nowait where the next loop does not need all of the last; hold locks for less, or give each thread data of its own."
                            else "Put what one thread does alone into parallel regions, also initialisation and packing of messages; let the other threads compute while one communicates; or start more processes with fewer threads each, if there is memory for that.")))))

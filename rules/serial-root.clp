;; serial-root: what one process does alone while the others have nothing to do, such as reading input and
;; distributing it, or a checkpoint that it writes for all. Amdahl (1967): if S of the run time T is serial and
;; the rest is divided among k times the processes, the run takes S + (T - S) / k.
;;
;; It is reported at any efficiency: a run that loses 15 % to it today loses half of its time to it on six times
;; the processes. Where processes pass tasks or items on, the rules of their patterns say more.

(defrule REFINE::serial
  "One process is alone for a significant part of the run, and no other one for half as long."
  (pattern (run ?r) (name "message-passing"))
  (not (and (explained (run ?r) (pattern ?p) (loss waiting))
            (not (pattern (run ?r) (id ?p) (name "bulk-synchronous" | "geometric-decomposition" | "static-deal")))))
  (run (id ?r) (duration ?time) (processes ?n&:(> ?n 1)))
  (metric (run ?r) (pattern "message-passing") (name "run.lost") (value ?lost))
  (metric (run ?r) (pattern "message-passing") (name "run.location_time") (value ?all))
  ;; While one works alone the others lose their time, not the one: of two processes it is half of it.
  (test (>= (* ?lost ?n) (* ?*significant* ?all (- ?n 1))))
  (metric (run ?r) (pattern "message-passing") (name "process.alone_time") (location ?p) (rank 1)
          (value ?s&:(>= ?s (* ?*significant* ?time))))
  ;; With noise many work alone now and then, and processes that work in turn are alone one after the other.
  (not (metric (run ?r) (pattern "message-passing") (name "process.alone_time") (rank 2)
               (value ?next&:(> (* 2.0 ?next) ?s))))
  (exists (metric (run ?r) (pattern "message-passing") (name "process.compute_time")))
  =>
  (if (>= (* 2.0 ?s) (above-mean ?r "message-passing" "process.compute_time" (create$ ?p))) then
    (assert (serial (run ?r) (location ?p) (seconds ?s)))))

(deffunction MAIN::serial-times (?time ?s ?k)
  "How many times as fast a run gets with ?k times the processes of which ?s of ?time seconds stay."
  (/ ?time (+ ?s (/ (- ?time ?s) ?k))))

(deffunction MAIN::serial-when (?s ?begin ?end ?n)
  "When it is alone, in words."
  (if (>= (* 2.0 ?begin) ?s) then "at the start"
   else (if (>= (* 2.0 ?end) ?s) then "at the end"
   else (str-cat "in " (plural (max 1 (integer (+ ?n 0.5))) "place")))))

(deffunction MAIN::serial-text (?p ?time ?s ?when)
  "What it means for more processes."
  (text "Process {} computes alone for {s} ({%} of the run), {}. More processes do not shorten that (Amdahl), nor what each of them repeats: twice as many make the run {.1} times as fast at best, ten times as many {.1} times, any number {.1} times."
        ?p ?s (/ ?s ?time) ?when (serial-times ?time ?s 2.0) (serial-times ?time ?s 10.0) (/ ?time ?s)))

(deffunction MAIN::serial-headline (?p ?time ?s ?when)
  "The same, short."
  (text "Rank {} works alone for {s} of {s}, {}: twice the ranks run at best {.1} times as fast, ten times the ranks {.1} times."
        ?p ?s ?time ?when (serial-times ?time ?s 2.0) (serial-times ?time ?s 10.0)))

(defrule CAUSES::serial-root
  "The root works alone while the others have nothing to do, as if it reads input or writes a checkpoint."
  ;; A process that receives what others are held up in sending works for them, not alone, though they may be a step ahead.
  (logical (serial (run ?r) (location ?p) (seconds ?s))
           (not (holds-senders (run ?r) (location ?p))))
  (run (id ?r) (duration ?time))
  (metric (run ?r) (pattern "message-passing") (name "process.alone_time") (location ?p) (of ?n))
  (metric (run ?r) (pattern "message-passing") (name "process.alone_at_start") (location ?p) (value ?begin))
  (metric (run ?r) (pattern "message-passing") (name "process.alone_at_end") (location ?p) (value ?end))
  (metric (run ?r) (pattern "message-passing") (name "process.alone_sections") (location ?p) (value ?sections))
  (metric (run ?r) (pattern "message-passing") (name "process.is_root") (location ?p) (value 1.0))
  (metric (run ?r) (pattern "message-passing") (name "run.lost") (value ?lost))
  =>
  (bind ?when (serial-when ?s ?begin ?end ?sections))
  (bind ?cost (min ?lost (* ?s (- ?n 1))))
  (bind ?gain (/ ?cost ?n))
  (assert (finding (kind cause) (name serial-root) (run ?r) (pattern "message-passing")
                   (headline (serial-headline ?p ?time ?s ?when))
                   (fix "Let all ranks share that work (reading and writing: MPI-IO), or do it while the others compute.")
                   (gain-kind even-out)
                   (locations ?p) (culprits ?p) (lost ?cost) (share (min 1.0 (/ ?cost ?lost))) (level 2)
                   (gain ?gain) (functions-of ?p)
                   (what-if (what-if-of "compute" ?p "=" even))
                   (text (serial-text ?p ?time ?s ?when))
                   (remedy (text "Let all share what process {} does alone (input and output: MPI-IO, a file per process), or do it while the others compute; up to {s} of run time, and a larger share with more processes."
                                 ?p ?gain)))))

(defrule CAUSES::serial-section
  "A process that is no root works alone while the others have nothing to do."
  (logical (serial (run ?r) (location ?p) (seconds ?s))
           (not (holds-senders (run ?r) (location ?p))))
  (run (id ?r) (duration ?time))
  (metric (run ?r) (pattern "message-passing") (name "process.alone_time") (location ?p) (of ?n))
  (metric (run ?r) (pattern "message-passing") (name "process.alone_at_start") (location ?p) (value ?begin))
  (metric (run ?r) (pattern "message-passing") (name "process.alone_at_end") (location ?p) (value ?end))
  (metric (run ?r) (pattern "message-passing") (name "process.alone_sections") (location ?p) (value ?sections))
  (metric (run ?r) (pattern "message-passing") (name "process.is_root") (location ?p) (value 0.0))
  (metric (run ?r) (pattern "message-passing") (name "run.lost") (value ?lost))
  =>
  (bind ?when (serial-when ?s ?begin ?end ?sections))
  (bind ?cost (min ?lost (* ?s (- ?n 1))))
  (bind ?gain (/ ?cost ?n))
  (assert (finding (kind cause) (name serial-section) (run ?r) (pattern "message-passing")
                   (headline (serial-headline ?p ?time ?s ?when))
                   (fix "See what that rank does there that the others do not; let all share it, or do it while the others compute.")
                   (gain-kind even-out)
                   (locations ?p) (culprits ?p) (lost ?cost) (share (min 1.0 (/ ?cost ?lost))) (level 2)
                   (gain ?gain) (functions-of ?p)
                   (what-if (what-if-of "compute" ?p "=" even))
                   (text (serial-text ?p ?time ?s ?when))
                   (remedy (text "See what process {} does there that the others do not (output, statistics, a core that it lost), and let all share it, or do it while the others compute; up to {s} of run time, and a larger share with more processes."
                                 ?p ?gain)))))

;; ---- what it means for a larger run -------------------------------------------------------------

(deffunction MAIN::serial-computed (?run)
  "What all processes compute."
  (bind ?sum 0.0)
  (foreach ?value (metric-values ?run "message-passing" "process.compute_time")
    (bind ?sum (+ ?sum ?value)))
  ?sum)

(defrule CAUSES::serial-expect
  "What one process does alone stays as it is in the larger run, all else is divided among more processes."
  (serial (run ?f) (location ?p) (seconds ?s))
  (scaling (from ?f) (to ?t) (kind strong) (from-computing ?cf&:(> ?cf 0))
           (to-computing ?ct&:(> ?ct 0)) (work-ratio ?work) (duration-from ?df) (duration-to ?dt))
  (not (scaling-of (from ?f) (to ?t)))
  =>
  ;; Work that each process repeats grows with their number, so each run has its own work to divide: 5.7 s in all
  ;; with 3 and 6.3 s with 6, of which 0.3 s are serial, leave 5.4 and 6.0 s.
  (bind ?all (serial-computed ?f))
  (bind ?more (/ (max 0.0 (- (* ?work ?all) ?s)) (max 1e-9 (- ?all ?s))))
  (bind ?expected (+ ?s (* (- ?df ?s) ?more (/ ?cf ?ct))))
  (assert (expectation (from ?f) (to ?t) (pattern (scaling-pattern ?t)) (quantity "run time") (unit "s")
                       (expected ?expected) (measured ?dt)
                       (model (text "rank {} works alone for {s}, which stays; the other {s}, times {.2} for the computation of all, times {n} / {n} for the processes that compute"
                                    ?p ?s (- ?df ?s) ?more ?cf ?ct)))))

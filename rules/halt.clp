;; halt: runs that do not end. The trace ends in calls that never return (facts halt, halted, unreceived).
;;
;;   MPI_Abort                                                   -> aborted
;;   else: standstill?
;;   |- no: killed at work                                       -> killed-at-work (observation)
;;   `- yes
;;      |- nobody is left who could act, or a recorded circle    -> deadlock
;;      `- some process computes, polls, or has gone             -> hang

(deffunction MAIN::halted-in (?run ?state ?call)
  "Labels of those in a state, and in a call (\"\": any)."
  (bind ?labels (create$))
  (do-for-all-facts ((?h halted))
    (and (eq ?h:run ?run) (eq ?h:state ?state) (or (eq ?call "") (eq ?h:call ?call)))
    (bind ?labels (create$ ?labels ?h:location)))
  ?labels)

(deffunction MAIN::for-how-long (?before ?silence)
  "\", for 3.00 s\"; nothing where the trace ends when it begins."
  (if (> ?silence 0.0) then (text "{}for {s}" ?before ?silence) else ""))

(deffunction MAIN::halted-seconds (?run ?silence)
  "What a standstill costs all processes."
  (bind ?n 0)
  (do-for-all-facts ((?h halted)) (eq ?h:run ?run) (bind ?n (+ ?n 1)))
  (* ?silence ?n))

(deffunction MAIN::halted-calls (?run)
  "The calls in which processes are stuck, the one with most of them first."
  (bind ?calls (create$))
  (do-for-all-facts ((?h halted)) (and (eq ?h:run ?run) (eq ?h:state in-call))
    (if (not (member$ ?h:call ?calls)) then
      (bind ?n (length$ (halted-in ?run in-call ?h:call)))
      (bind ?i 1)
      (while (and (<= ?i (length$ ?calls))
                  (>= (length$ (halted-in ?run in-call (nth$ ?i ?calls))) ?n))
        (bind ?i (+ ?i 1)))
      (bind ?calls (insert$ ?calls ?i ?h:call))))
  ?calls)

(deffunction MAIN::halted-groups (?run)
  "\"ranks 0, 1 and 3 wait in MPI_Allreduce, rank 2 in MPI_Recv\"; the largest groups."
  (bind ?text "")
  (bind ?calls (halted-calls ?run))
  (loop-for-count (?i 1 (min 3 (length$ ?calls)))
    (bind ?who (halted-in ?run in-call (nth$ ?i ?calls)))
    (bind ?text (str-cat ?text (if (= ?i 1) then "" else ", ") (ranks-named ?who)
                         (if (> ?i 1) then "" else (if (> (length$ ?who) 1) then " wait" else " waits"))
                         " in " (nth$ ?i ?calls))))
  (if (> (length$ ?calls) 3) then (str-cat ?text " and others elsewhere") else ?text))

(deffunction MAIN::halted-otherwise (?run)
  "Those stuck whose last step differs from their steps before; nobody where that is said of all."
  (bind ?labels (create$))
  (do-for-all-facts ((?h halted))
    (and (eq ?h:run ?run) (eq ?h:state in-call) (neq ?h:expected ""))
    (bind ?labels (create$ ?labels ?h:location)))
  (if (= (length$ ?labels) (length$ (halted-in ?run in-call ""))) then (create$) else ?labels))

(deffunction MAIN::halted-minority (?run)
  "Those that are in another call than most; nobody where most are not in one."
  (bind ?all (halted-in ?run in-call ""))
  (bind ?calls (halted-calls ?run))
  (bind ?most (halted-in ?run in-call (nth$ 1 ?calls)))
  (bind ?labels (create$))
  (if (> (* 2 (length$ ?most)) (length$ ?all)) then
    (foreach ?l ?all
      (if (not (member$ ?l ?most)) then (bind ?labels (create$ ?labels ?l)))))
  ?labels)

(deffunction MAIN::deadlock-suspects (?run ?cycle)
  (bind ?who (halted-otherwise ?run))
  (if (= (length$ ?who) 0) then (bind ?who (halted-minority ?run)))
  (if (= (length$ ?who) 0) then (bind ?who ?cycle))
  (if (= (length$ ?who) 0) then (bind ?who (halted-in ?run in-call "")))
  ?who)

(deffunction MAIN::halted-line (?run ?label)
  "What is known of one process, a sentence."
  (bind ?text "")
  (do-for-all-facts ((?h halted)) (and (eq ?h:run ?run) (eq ?h:location ?label))
    (bind ?text
      (str-cat " Rank " ?label
        (if (eq ?h:state in-call) then (text " has been in {}{}" ?h:call (for-how-long " " ?h:for))
         else (if (eq ?h:state polling) then (text " has asked with {}{}" ?h:call (for-how-long " " ?h:for))
         else (if (eq ?h:state outside) then (text " has been in its own code{}" (for-how-long " " ?h:for))
         else (if (eq ?h:state over) then " has left the program"
         else " cannot be judged"))))
        (if (eq ?h:place "") then "" else (str-cat ", in " ?h:place))
        (if (eq ?h:last "") then ", its first call" else (str-cat ", after " ?h:last))
        (if (= (length$ ?h:waits-for) 0) then ""
         else (str-cat "; it waits for " (location-list ?h:waits-for)
                       (if (< ?h:tag 0) then "" else (str-cat " with tag " ?h:tag))
                       (if (eq ?h:known yes) then "" else ", as far as its earlier calls show")))
        (if (eq ?h:expected "") then ""
         else (text "; {} times before, {} followed there" ?h:times ?h:expected))
        ".")))
  ?text)

(deffunction MAIN::halted-lines (?run ?first)
  "A sentence for each, those named first; at most twelve."
  (bind ?text "")
  (bind ?labels ?first)
  (do-for-all-facts ((?h halted)) (eq ?h:run ?run)
    (if (not (member$ ?h:location ?labels)) then
      (bind ?labels (create$ ?labels ?h:location))))
  (loop-for-count (?i 1 (min 12 (length$ ?labels)))
    (bind ?text (str-cat ?text (halted-line ?run (nth$ ?i ?labels)))))
  (if (> (length$ ?labels) 12) then (str-cat ?text " The others are left out.") else ?text))

(deffunction MAIN::leftover-fix (?run)
  "Where a message lies at a process that waits for one."
  (bind ?text "")
  (do-for-all-facts ((?u unreceived)) (and (eq ?u:run ?run) (neq ?u:tag ?u:usual-tag))
    (bind ?text (str-cat "Compare tags: rank " ?u:from " sent rank " ?u:to " a message with tag " ?u:tag
                         " that it does not take"
                         (if (>= ?u:usual-tag 0) then (str-cat "; those before had tag " ?u:usual-tag) else "")
                         ".")))
  ?text)

(deffunction MAIN::step-fix (?run ?who)
  "Where the step of the first of them differs from those before."
  (bind ?text "")
  (do-for-all-facts ((?h halted))
    (and (eq ?h:run ?run) (eq ?h:location (nth$ 1 ?who)) (neq ?h:expected ""))
    (bind ?text (str-cat "Look at " (ranks-named ?who) " after " ?h:last ": " ?h:expected
                         " has always followed there, now it is "
                         (if (eq ?h:state in-call) then ?h:call else "none") ".")))
  ?text)

(deffunction MAIN::order-fix (?run ?who)
  "Where some are in one collective and most in another."
  (bind ?most (nth$ 1 (halted-calls ?run)))
  (bind ?is-so (< (length$ ?who) (length$ (halted-in ?run in-call ""))))
  (do-for-all-facts ((?h halted))
    (and (eq ?h:run ?run) (or (eq ?h:call ?most) (member$ ?h:location ?who)))
    (if (or (eq ?h:comm "") (and (eq ?h:call ?most) (member$ ?h:location ?who))) then (bind ?is-so FALSE)))
  (if ?is-so then
    (str-cat "Let all ranks call the same collectives in the same order: look at " (ranks-named ?who) ".")
   else ""))

(deffunction MAIN::partner-fix (?run ?who)
  "Where the first of them waits for messages of a few."
  (bind ?text "")
  (do-for-all-facts ((?h halted))
    (and (eq ?h:run ?run) (eq ?h:location (nth$ 1 ?who)) (eq ?h:comm ""))
    (if (and (>= (length$ ?h:waits-for) 1) (<= (length$ ?h:waits-for) 3)) then
      (bind ?text (str-cat "Look at what rank " ?h:location " expects of " (ranks-named ?h:waits-for)
                           " in " ?h:call ", and whether it ever comes."))))
  ?text)

(deffunction MAIN::call-fix (?run ?who)
  "By the calls that do not return."
  (bind ?call (lowcase (nth$ 1 (halted-calls ?run))))
  (if (and (= 1 (length$ (halted-calls ?run))) (str-index "send" ?call)) then
    "Post the receives before the sends (MPI_Irecv), or use MPI_Sendrecv: a large MPI_Send waits for its receive."
   else (if (and (= 1 (length$ (halted-calls ?run))) (str-index "recv" ?call)) then
    "Look at who should send first: send before you receive, or receive with MPI_Irecv or MPI_Sendrecv."
   else
    (str-cat "Look at what " (ranks-named ?who)
             (if (> (length$ ?who) 1) then " wait" else " waits") " for, and who should answer."))))

(deffunction MAIN::first-text ($?texts)
  "The first that is not empty."
  (foreach ?t ?texts (if (neq ?t "") then (return ?t)))
  "")

(deffunction MAIN::circle-text (?cycle)
  "\"0 waits for 1, 1 for 2 and 2 for 0\"."
  (bind ?n (length$ ?cycle))
  (bind ?parts (create$))
  (loop-for-count (?i 1 ?n)
    (bind ?parts (create$ ?parts
      (str-cat (nth$ ?i ?cycle) (if (= ?i 1) then " waits for " else " for ")
               (nth$ (+ 1 (mod ?i ?n)) ?cycle)))))
  (join-words ?parts))

(defrule CAUSES::halt-aborted
  "A process ends the run with MPI_Abort."
  (halt (run ?r))
  (exists (halted (run ?r) (call "MPI_Abort")))
  =>
  (bind ?who (halted-in ?r in-call "MPI_Abort"))
  (bind ?place "")
  (bind ?last "")
  (do-for-all-facts ((?h halted)) (and (eq ?h:run ?r) (eq ?h:location (nth$ 1 ?who)))
    (bind ?place ?h:place)
    (bind ?last ?h:last))
  (bind ?fix (str-cat "Look at why " (ranks-named ?who) (if (> (length$ ?who) 1) then " do" else " does") " so"
                      (if (eq ?last "") then "" else (str-cat " after " ?last))
                      (if (eq ?place "") then "" else (str-cat ", in " ?place)) "."))
  (assert (finding (kind cause) (name aborted) (run ?r) (pattern "message-passing")
                   (locations ?who) (culprits ?who) (fatal yes) (level 1) (confidence 0.95)
                   (headline (text "The run was aborted: {}{} MPI_Abort." (ranks-named ?who)
                                   (if (> (length$ ?who) 1) then " call" else " calls")))
                   (fix ?fix)
                   (text (text "The program ended itself by MPI_Abort before its work was done; what follows is of the run until then.{}"
                               (halted-lines ?r ?who)))
                   (remedy ?fix))))

(defrule SYMPTOMS::halt-killed
  "The trace ends in calls that have not returned, but things were still moving."
  (halt (run ?r) (standstill no) (stuck ?n) (silence ?silence))
  (not (halted (run ?r) (call "MPI_Abort")))
  =>
  (assert (finding (kind observation) (name killed-at-work) (run ?r) (pattern "message-passing")
                   (locations (halted-in ?r in-call "")) (level 1)
                   (text (text "The run was ended from outside while {}, {} in all. Nothing says that it hung: calls returned until {} the end."
                               (halted-groups ?r) (plural ?n "process" "processes")
                               (if (> ?silence 0.0) then (str-cat (seconds ?silence) " before") else "just before"))))))

(defrule CAUSES::halt-deadlock
  "Nobody can release those who wait: all wait, or some for each other in a circle."
  (halt (run ?r) (standstill yes) (silence ?silence) (working ?working)
        (unjudged ?unjudged) (gone ?gone) (release ?release) (cycle $?cycle) (known ?known))
  (not (halted (run ?r) (call "MPI_Abort")))
  (test (or (eq ?known yes)
            (and (= 0 ?unjudged) (eq ?gone no)
                 (or (= 0 ?working) (and (eq ?release no) (> (length$ ?cycle) 0))))))
  =>
  (bind ?who (deadlock-suspects ?r ?cycle))
  (bind ?is-circle (and (eq ?known yes) (> (length$ ?cycle) 1) (<= (length$ ?cycle) 4)))
  (bind ?is-one-call (= 1 (length$ (halted-calls ?r))))
  (bind ?fix (first-text (leftover-fix ?r)
                         (if (and (eq ?known yes) ?is-one-call) then (call-fix ?r ?who) else "")
                         (step-fix ?r ?who) (order-fix ?r ?who)
                         (if ?is-one-call then (call-fix ?r ?who) else (partner-fix ?r ?who))
                         (call-fix ?r ?who)))
  (assert (finding (kind cause) (name deadlock) (run ?r) (pattern "message-passing")
                   (locations (halted-in ?r in-call "")) (culprits ?who) (fatal yes) (level 1)
                   (lost (halted-seconds ?r ?silence)) (confidence (if (or (eq ?known yes) (= 0 ?working)) then 0.95 else 0.8))
                   (headline
                     (text "Deadlock{}: {}{}." (for-how-long ", " ?silence) (halted-groups ?r)
                           (if ?is-circle then (str-cat "; " (circle-text ?cycle))
                            else (if (eq ?known yes) then ", in a circle" else ""))))
                   (fix ?fix)
                   (text (text "The run does not end: {}nobody has come out of a call, and nobody can release those who wait.{}{}"
                               (if (> ?silence 0.0) then (text "for {s} " ?silence) else "")
                               (if (> (length$ ?cycle) 1)
                                then (text " They wait in a circle: {}{}." (circle-text ?cycle)
                                           (if (eq ?known yes) then "" else ", as far as their earlier calls show"))
                                else "")
                               (halted-lines ?r ?who)))
                   (remedy ?fix))))

(deffunction MAIN::hang-suspects (?run)
  "Of those who do not wait, those for whom others do; where that is not known, all of them."
  (bind ?waited (create$))
  (do-for-all-facts ((?h halted)) (and (eq ?h:run ?run) (eq ?h:state in-call))
    (bind ?waited (create$ ?waited ?h:waits-for)))
  (bind ?all (create$ (halted-in ?run outside "") (halted-in ?run polling "")))
  (if (= 0 (length$ ?all)) then (bind ?all (halted-in ?run over "")))
  (if (= 0 (length$ ?all)) then (bind ?all (halted-in ?run unknown "")))
  (bind ?who (create$))
  (foreach ?l ?all (if (member$ ?l ?waited) then (bind ?who (create$ ?who ?l))))
  (if (> (length$ ?who) 0) then ?who else ?all))

(deffunction MAIN::hang-reason (?run ?state ?who ?usual ?call)
  (bind ?many (> (length$ ?who) 1))
  (str-cat (ranks-named ?who)
    (if (eq ?state outside) then
      (str-cat (if ?many then " are" else " is")
               " in the program's own code"
               ;; What marple's tracer leaves of a process that was killed looks like that, too.
               (if (any-factp ((?c capability)) (and (eq ?c:run ?run) (eq ?c:name "wildcards")))
                then (if ?many then ", or were killed there" else ", or was killed there") else "")
               (text ", at most {s} at a time before" ?usual))
     else (if (eq ?state polling) then (str-cat (if ?many then " keep asking with " else " keeps asking with ") ?call)
     else (if (eq ?state over) then (if ?many then " have left the program" else " has left the program")
     else (if ?many then " have damaged events" else " has damaged events"))))))

(deffunction MAIN::hang-fix (?state ?who ?last ?place)
  (str-cat
    (if (eq ?state over) then (str-cat "Look at why " (ranks-named ?who) (if (> (length$ ?who) 1) then " end" else " ends"))
     else (str-cat "Look at what " (ranks-named ?who) (if (> (length$ ?who) 1) then " do" else " does")))
    (if (eq ?last "") then "" else (str-cat " after " ?last))
    (if (eq ?place "") then "" else (str-cat ", in " ?place))
    (if (eq ?state over) then "." else "; attach a debugger there.")))

(defrule CAUSES::halt-hang
  "Some wait in calls that never return for somebody who does something else."
  (halt (run ?r) (standstill yes) (silence ?silence) (usual ?usual))
  (not (finding (kind cause) (name deadlock) (run ?r)))
  (not (halted (run ?r) (call "MPI_Abort")))
  =>
  (bind ?who (hang-suspects ?r))
  (bind ?state unknown)
  (bind ?last "")
  (bind ?place "")
  (bind ?call "")
  (do-for-all-facts ((?h halted)) (and (eq ?h:run ?r) (eq ?h:location (nth$ 1 ?who)))
    (bind ?state ?h:state)
    (bind ?call ?h:call)
    (bind ?last ?h:last)
    (bind ?place ?h:place))
  (bind ?fix (hang-fix ?state ?who ?last ?place))
  (assert (finding (kind cause) (name hang) (run ?r) (pattern "message-passing")
                   (locations (halted-in ?r in-call "")) (culprits ?who) (fatal yes) (level 1)
                   (lost (halted-seconds ?r ?silence)) (confidence 0.8)
                   (headline (text "Hang{}: {}; {}." (for-how-long ", " ?silence) (halted-groups ?r)
                                   (hang-reason ?r ?state ?who ?usual ?call)))
                   (fix ?fix)
                   (text (text "The run does not end: {}no call has returned, while {}.{}"
                               (if (> ?silence 0.0) then (text "for {s}, " ?silence) else "")
                               (hang-reason ?r ?state ?who ?usual ?call) (halted-lines ?r ?who)))
                   (remedy ?fix))))

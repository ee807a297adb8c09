(defmodule MAIN (export ?ALL))
;; The contract between the engine and the author of a rule: what facts come in, what goes out.
;; `marple vocab facts` prints this vocabulary. Times are seconds, shares are 0 to 1.

;; ---- in: asserted by the engine ------------------------------------------------

(deftemplate MAIN::run
  "One trace of the set."
  (slot id (type STRING))
  (slot processes (type INTEGER))
  (slot locations (type INTEGER))
  (slot duration (type FLOAT))        ; of the diagnosed window, without start-up and shut-down
  (slot clock (type SYMBOL))          ; single | offsets | messages | raw
  (slot per-host (type INTEGER) (default 0)) ; the most processes of a host; 0: the trace does not tell
  (slot cores (type INTEGER) (default 0)) ; of a host, as noted by `marple run` or the tracer; 0: not known
  (slot ranks-per-core (type FLOAT) (default 0.0)) ; where most of them share one, likewise; 0: not known
  (slot foreign-cores (type FLOAT) (default -1.0))) ; that other programs used meanwhile, likewise; -1: not known

(deftemplate MAIN::location
  "A thread of a process; its label is what people see."
  (slot run (type STRING))
  (slot label (type STRING)))

(deftemplate MAIN::capability
  "Something that the run records, e.g. receive-completions."
  (slot run (type STRING))
  (slot name (type STRING)))

(deftemplate MAIN::quality
  "A defect of the data that weakens conclusions."
  (slot run (type STRING))
  (slot note (type STRING))
  (slot count (type INTEGER)))

(deftemplate MAIN::pattern
  "A pattern that fits the run or a part of it: coverage of communication, share of instances meeting all constraints. One that extends another is asserted under the names of its bases, too, with the same id, so that their rules hold for it."
  (slot run (type STRING))
  (slot name (type STRING))           ; its own, or in a further fact that of a base
  (slot id (type STRING))             ; what the slot `pattern` of other facts says: the name for
                                      ; the world, "name@scope" for a part of the run
  (slot scope (type STRING) (default "world")) ; "world", or a communicator, group or phase
  (slot share (type FLOAT) (default 1.0)) ; of the run's time in message-passing calls, what lies in
                                          ; the scope; those of different scopes may be added
  (slot coverage (type FLOAT))
  (slot fit (type FLOAT)))

(deftemplate MAIN::role
  "A location plays a role in a pattern."
  (slot run (type STRING))
  (slot pattern (type STRING))
  (slot name (type STRING))
  (slot location (type STRING)))

(deftemplate MAIN::place
  "A place of the program that makes MPI calls, of runs whose tracer records it (capability call-sites); the 100 with most time."
  (slot run (type STRING))
  (slot function (type STRING))       ; of the program
  (slot file (type STRING))           ; "" where not known
  (slot line (type INTEGER))          ; of the call; 0: not known
  (slot call (type STRING))           ; "MPI_Waitall"
  (slot calls (type INTEGER))         ; so many, of all processes, as the next three
  (slot inside (type FLOAT))          ; s in these calls
  (slot waited (type FLOAT))          ; s of that for others, as far as known
  (slot before (type FLOAT)))         ; s between the previous call and this one

;; ---- in: where a run stands that never ends ------------------------------------------

(deftemplate MAIN::halt
  "The trace ends in calls that do not return: the run hangs, or was killed."
  (slot run (type STRING))
  (slot standstill (type SYMBOL) (allowed-symbols yes no)) ; nothing moves for longer than ever before; then
                                      ; the times of the run end where it begins
  (slot silence (type FLOAT))         ; s, from the last thing that happened to the end
  (slot pause (type FLOAT))           ; s, the longest before in which as little happened
  (slot usual (type FLOAT))           ; s, the longest that a process was in its own code before
  (slot stuck (type INTEGER))         ; processes in such calls
  (slot working (type INTEGER))       ; in their own code, or asking again and again
  (slot unjudged (type INTEGER))      ; of which the trace does not show it
  (slot gone (type SYMBOL) (allowed-symbols yes no)) ; somebody waits for one that has left the program
  (slot release (type SYMBOL) (allowed-symbols yes no)) ; somebody may wait for one of those that work
  (multislot cycle (type STRING))     ; each waits for the next, the last for the first; empty: none
  (slot known (type SYMBOL) (allowed-symbols yes no))) ; the cycle is recorded; no: guessed from exchanges before

(deftemplate MAIN::halted
  "Where a process is when such a trace ends."
  (slot run (type STRING))
  (slot location (type STRING))
  (slot state (type SYMBOL) (allowed-symbols in-call polling outside over unknown))
  (slot call (type STRING))           ; that it is in, or polls; else ""
  (slot comm (type STRING))           ; of a collective, its name; else ""
  (slot place (type STRING))          ; "solve (heat.c:12)": where the call is made, or the function around;
                                      ; "" where not recorded
  (slot for (type FLOAT))             ; s, for how long at the end
  (slot last (type STRING))           ; its last call that has returned; "": none has
  (slot expected (type STRING))       ; the call that has always followed here before, if it is another
  (slot times (type INTEGER))         ; how often it has
  (multislot waits-for (type STRING)) ; locations
  (slot tag (type INTEGER) (default -1)) ; of the message that it waits for, if it is one; -1: any, or not known
  (slot known (type SYMBOL) (allowed-symbols yes no))) ; waits-for is recorded; no: with whom it exchanged before

(deftemplate MAIN::unreceived
  "A message to a process that is in such a call and does not take it."
  (slot run (type STRING))
  (slot from (type STRING))           ; locations
  (slot to (type STRING))
  (slot tag (type INTEGER))
  (slot usual-tag (type INTEGER)))    ; of the message before it, which was received; -1: none

(deffunction MAIN::three-digits (?x)
  "The number with three significant digits at least, whole ones as such."
  (bind ?tens 1.0)
  (while (and (> ?x 0.0) (< (* ?x ?tens) 100.0) (< ?tens 1e9))
    (bind ?tens (* ?tens 10.0)))
  (bind ?y (/ (round (* ?x ?tens)) ?tens))
  (if (= ?y (integer ?y)) then (integer ?y) else ?y))

(deffunction MAIN::what-if-of (?what ?who ?how ?number)
  "A remedy as a change to replay (slot what-if): \"compute(3,4)=even\", \"compute(3)-0.5s\"."
  (bind ?labels "")
  (foreach ?l (create$ ?who)
    (bind ?labels (str-cat ?labels (if (eq ?labels "") then "" else ",") ?l)))
  (str-cat ?what "(" ?labels ")" ?how
           (if (numberp ?number) then (three-digits ?number) else ?number)
           (if (eq ?how "-") then "s" else "")))

(deffunction MAIN::gain-of-evening-out (?above ?lost ?n)
  "Run time saved when computation is made even: what the longest is above the mean (above-mean), at most the
   mean time lost of ?n processes. Not all of that shows as waiting: little may be recorded of calls, and
   processes may end early."
  (min ?above (/ ?lost (max 1 ?n))))

(deffunction MAIN::excess-of (?above ?waited ?who ?n)
  "What evening out takes off the run: what the longest of ?who computes above the mean. Several that are heavy at
   different times hold up the others one after the other, for more than that: the others wait ?waited in all."
  (if (> (length$ ?who) 1) then (max ?above (/ ?waited (max 1 ?n))) else ?above))

(deffunction MAIN::role-locations (?run ?pattern ?name)
  "Labels of the locations that play a role in a pattern; ?pattern is its id."
  (bind ?labels (create$))
  (do-for-all-facts ((?f role))
    (and (eq ?f:run ?run) (eq ?f:pattern ?pattern) (eq ?f:name ?name))
    (bind ?labels (create$ ?labels ?f:location)))
  ?labels)

(deftemplate MAIN::metric
  "A number that the engine evaluated because a condition asked for it, the ones before being met; location is \"\" for the run."
  (slot run (type STRING))
  (slot pattern (type STRING))
  (slot name (type STRING))
  (slot location (type STRING))
  (slot value (type FLOAT))
  (slot unit (type STRING))
  (slot rank (type INTEGER) (default 0)) ; 1 for the largest value of this metric over its
                                         ; locations, 2 for the next …; 0 for the run
  (slot of (type INTEGER) (default 0)))  ; how many locations have this metric

(deffunction MAIN::how-many-from (?values ?least)
  "How many of some values, largest first, are at least ?least."
  (bind ?from 0)
  (bind ?to (length$ ?values))
  (while (< ?from ?to)
    (bind ?middle (div (+ ?from ?to 1) 2))
    (if (>= (nth$ ?middle ?values) ?least) then (bind ?from ?middle) else (bind ?to (- ?middle 1))))
  ?from)

(deffunction MAIN::locations-from (?run ?pattern ?metric ?least)
  "Labels of the locations where a metric is at least ?least, the largest first."
  (subseq$ (metric-locations ?run ?pattern ?metric) 1 (how-many-from (metric-values ?run ?pattern ?metric) ?least)))

(deffunction MAIN::sum-of (?run ?pattern ?metric ?who)
  "The sum of a metric over some locations, where it is known."
  (bind ?sum 0.0)
  (foreach ?l ?who
    (bind ?sum (+ ?sum (metric-value ?run ?pattern ?metric ?l 0.0))))
  ?sum)

(deffunction MAIN::ranks-named (?labels)
  "\"rank 3\", \"ranks 0, 1 and 4\"."
  (str-cat (if (> (length$ ?labels) 1) then "ranks " else "rank ") (location-list ?labels)))

(deffunction MAIN::ranks-compute (?who)
  "The start of a headline: \"Rank 3 computes\", \"Ranks 1 and 4 compute up to\"."
  (if (> (length$ ?who) 1) then (str-cat "Ranks " (location-list ?who) " compute up to")
   else (str-cat "Rank " (nth$ 1 ?who) " computes")))

(deffunction MAIN::median-or-others (?who)
  "What times-the-others compares with."
  (if (> (length$ ?who) 1) then "others" else "median"))

(deffunction MAIN::it-or-them (?who)
  (if (> (length$ ?who) 1) then "them" else "it"))

(deffunction MAIN::and-its-like (?labels)
  "The start of a sentence about processes that have the same fault."
  (if (> (length$ ?labels) 1)
   then (str-cat "Processes " (location-list ?labels) " compute longer than the others. ")
   else ""))

(deffunction MAIN::one-before (?run ?pattern ?metric ?who)
  "The location before another one, by a metric whose value is its rank; \"\": none."
  (bind ?before (metric-value ?run ?pattern ?metric ?who -1.0))
  (if (>= ?before 0.0) then (str-cat (integer ?before)) else ""))

(deffunction MAIN::in-order (?run ?pattern ?metric ?who)
  "Locations one after the other, by a metric that names the rank before each; a circle begins with the first of them. \"0, 1, 2, …\"."
  (bind ?first "")
  (foreach ?w ?who
    (if (and (eq ?first "") (not (member$ (one-before ?run ?pattern ?metric ?w) ?who))) then (bind ?first ?w)))
  (if (eq ?first "") then (bind ?first (nth$ 1 ?who)))
  (bind ?before (one-before ?run ?pattern ?metric ?first))
  (bind ?row (if (or (eq ?before "") (member$ ?before ?who)) then (create$ ?first) else (create$ ?before ?first)))
  (bind ?at ?first)
  (while (neq ?at "")
    (bind ?next "")
    (foreach ?w ?who
      (if (and (eq ?next "") (not (member$ ?w ?row)) (eq (one-before ?run ?pattern ?metric ?w) ?at)) then (bind ?next ?w)))
    (if (neq ?next "") then (bind ?row (create$ ?row ?next)))
    (bind ?at ?next))
  (bind ?text (nth$ 1 ?row))
  (loop-for-count (?i 2 (min 12 (length$ ?row)))
    (bind ?text (str-cat ?text ", " (nth$ ?i ?row))))
  (if (> (length$ ?row) 12) then (str-cat ?text ", …") else ?text))

(deftemplate MAIN::unknown
  "A metric was needed and the traces cannot answer it."
  (slot run (type STRING))
  (slot pattern (type STRING))
  (slot name (type STRING))
  (slot location (type STRING))
  (slot why (type STRING)))

(deftemplate MAIN::nested
  "What a location does in an inner pattern is computation for an outer one, such as a group that works on a task."
  (slot run (type STRING))
  (slot outer (type STRING))          ; ids of patterns
  (slot inner (type STRING))
  (slot location (type STRING)))      ; plays a role in the outer one and belongs to the inner one

;; Rules that judge what other rules have found begin with this; what they need is still evaluated.
(deftemplate MAIN::last-call
  "All that was needed has been evaluated and no rule has more to say, unless it waited for this."
  (slot run (type STRING)))

;; ---- in: several runs of one program ----------------------------------------------

(deftemplate MAIN::repeats
  "Runs alike: same number of processes, same settings, about the same work. A single run is a group, too."
  (slot group (type STRING))          ; "g1", ascending by processes
  (slot run (type STRING))            ; the one with the median duration, which represents them all
  (slot runs (type INTEGER))          ; how many there are
  (slot processes (type INTEGER))
  (slot median (type FLOAT))          ; of the duration, s
  (slot low (type FLOAT))
  (slot high (type FLOAT)))

(deftemplate MAIN::scaling
  "Two groups with different numbers of processes: neighbours in size, or the smallest and any other. A run stands for its group."
  (slot from (type STRING))           ; id of the run with fewer processes
  (slot to (type STRING))
  (slot from-processes (type INTEGER))
  (slot to-processes (type INTEGER))
  (slot from-computing (type INTEGER)) ; of them, those that compute: an idle master does not
  (slot to-computing (type INTEGER))
  (slot is-first (type SYMBOL) (allowed-symbols yes no)) ; `from` is of the smallest group of all
  (slot is-next (type SYMBOL) (allowed-symbols yes no))  ; no group lies between
  (slot kind (type SYMBOL) (allowed-symbols strong weak unclear)) ; same work in all; same work each
  (slot work-ratio (type FLOAT))      ; computation of all processes, to / from
  (slot duration-from (type FLOAT))   ; s, medians of the groups
  (slot duration-to (type FLOAT))
  (slot spread (type FLOAT)))         ; by how much durations vary within the groups, share of the median

;; ---- out: asserted by rules ------------------------------------------------------

(deftemplate MAIN::finding
  "What the rules conclude. The engine records the facts that it rests on by itself."
  (slot kind (type SYMBOL) (allowed-symbols symptom observation cause))
  (slot name (type SYMBOL))
  (slot run (type STRING))
  (slot pattern (type STRING))
  (multislot locations (type STRING))       ; where it is seen: whose time is lost
  (multislot culprits (type STRING))        ; who is to blame, where somebody is
  (slot lost (type FLOAT) (default -1.0))   ; seconds of location time; -1 when not said
  (slot computing (type FLOAT) (default 0.0)) ; of these, computation, as of a slow worker: it explains
                                            ; no loss outside of computation
  (slot share (type FLOAT) (default -1.0))  ; of the lost time of the locations; -1 when not said
  (slot gain (type FLOAT) (default -1.0))   ; seconds of run time that the remedy saves by the pattern's
                                            ; own model, a closed formula; -1 unknown
  (slot gain-kind (type SYMBOL) (allowed-symbols none remove even-out) (default none)) ; what the remedy
                                            ; does with the work: takes it away, or shares it out
  (slot what-if (type STRING) (default "")) ; the remedy as a change to replay: "compute(3)=even"
  (slot confidence (type FLOAT) (range 0.0 1.0) (default 0.9))
  (slot level (type INTEGER) (range 0 9) (default 0))
  (slot healthy (type SYMBOL) (allowed-symbols yes no) (default no))
  (slot all-clear (type SYMBOL) (allowed-symbols yes no) (default no)) ; of one that is healthy: where no
                                            ; problem is found, it says why
  (slot fatal (type SYMBOL) (allowed-symbols yes no) (default no)) ; the run does not end because of it: it
                                            ; leads, whatever others cost
  (slot headline (type STRING) (default ""))  ; of a cause, what is wrong in at most 150 letters;
                                            ; "": the first sentence of text
  (slot fix (type STRING) (default ""))     ; what to do, as short; "": the first sentence of remedy
  (slot text (type STRING))
  (slot remedy (type STRING) (default ""))
  (slot doubt (type STRING) (default ""))   ; of a cause that spoils what was measured: why other causes of
                                            ; the run are doubtful, "more processes than cores ran"; of an
                                            ; observation: why they are no more than likely
  (slot clocks (type SYMBOL) (allowed-symbols compared own) (default compared)) ; own: it rests on nothing
                                            ; but what each process measures by its own clock
  (multislot where (type STRING))           ; the code: "TaskLifeCycle.setup", "device-wait"
  (multislot functions-of (type STRING))    ; likewise: what these locations execute
  (multislot calls-of (type STRING))        ; likewise: where they call MPI
  (slot via (type SYMBOL) (default none)))  ; distinguishes rules that assert the same finding

(deftemplate MAIN::measure
  "Asks for another run of the program, as no trace at hand can answer; see `marple plan`."
  (slot run (type STRING))
  (slot pattern (type STRING))
  (slot level (type INTEGER) (range 1 9) (default 1))
  (slot reason (type STRING))               ; "find out from which number of workers on the master ..."
  (multislot record (type STRING))          ; capabilities: "receive-completions", see `marple vocab`
  (multislot regions (type STRING))         ; functions to record; none: all
  (multislot counters (type STRING))
  (multislot locations (type STRING))       ; of special interest
  (multislot processes (type INTEGER))      ; numbers of processes to run with
  (slot repetitions (type INTEGER) (range 1 100) (default 1)) ; of each
  (slot knob (type STRING) (default ""))    ; what only the user can vary: "tasks per batch: 4"
  (multislot separates (type SYMBOL))       ; names of findings that it would confirm or refute
  (slot expects (type STRING) (default ""))) ; what it shows if they hold, with a number

(deftemplate MAIN::expectation
  "What the model of a pattern expects of a run from a smaller one, and what was measured."
  (slot from (type STRING))
  (slot to (type STRING))
  (slot pattern (type STRING))              ; its name
  (slot quantity (type STRING))             ; "run time", "workers that the master can feed"
  (slot unit (type STRING))
  (slot expected (type FLOAT))
  (slot measured (type FLOAT))
  (slot model (type STRING)))               ; the formula in words with its numbers

(deftemplate MAIN::scaling-of
  "A pattern has a model of its own for how the run at `from` becomes the one at `to`: more general rules keep quiet."
  (slot from (type STRING))
  (slot to (type STRING))
  (slot name (type STRING))           ; of the pattern
  (slot from-id (type STRING))        ; ids of the patterns, as in other facts
  (slot to-id (type STRING)))

(deftemplate MAIN::settled
  "The patterns whose rules account for a kind of loss cover most of the run: more general rules keep quiet about it."
  (slot run (type STRING))
  (slot loss (type SYMBOL) (allowed-symbols waiting transfer grain ends)))

(deftemplate MAIN::unsettled
  "Specific patterns fit, but their rules leave most of the lost time without a cause."
  (slot run (type STRING)))

(deftemplate MAIN::refined
  "A refined pattern has rules of its own in place of its base's: the base keeps quiet about this finding."
  (slot run (type STRING))
  (slot pattern (type STRING))        ; id of the refined pattern
  (slot name (type SYMBOL)))          ; of the finding

(deftemplate MAIN::explained
  "The rules of a pattern account for a kind of loss within its scope."
  (slot run (type STRING))
  (slot pattern (type STRING))        ; id of the pattern whose rules do
  (slot loss (type SYMBOL) (allowed-symbols waiting transfer grain ends)))

(deftemplate MAIN::excess-known
  "The rules of an outer pattern say by how much its locations take longer, see excess."
  (slot run (type STRING))
  (slot pattern (type STRING)))

(deftemplate MAIN::excess
  "By how many seconds of the run a location takes longer than others of its role."
  (slot run (type STRING))
  (slot pattern (type STRING))
  (slot location (type STRING))
  (slot seconds (type FLOAT)))

;; A finding with the name explained-inside links two of its reasons: a finding of its own pattern is
;; explained by a cause of another one, so that its seconds are counted only once (composition.clp).

;; ---- phases: the engine focuses them in this order in every round ------------------

(defmodule SYMPTOMS (import MAIN ?ALL))
(defmodule REFINE (import MAIN ?ALL))
(defmodule CAUSES (import MAIN ?ALL))
(defmodule ADVISE (import MAIN ?ALL))

;; message-passing: wait states, efficiencies, and who is waited for.
;;
;;   symptom   parallel efficiency below what is acceptable
;;   |- load balance, serialisation, transfer            (POP, level 2)
;;   |- waiting by kind                                  (level 2)
;;   |  |- a process that causes waiting: its delay cost (Böhme et al.), so that a process
;;   |  |  that only passes a delay on is not blamed       (level 3)
;;   |  |  |- it computes longer than the others                    -> late-process
;;   |  |  |- it only takes what others send, who are held            -> late-receiver
;;   |  |  |- it computes at the wrong moment                       -> late-process (without-work)
;;   |  |  `- its communication takes longer                        -> late-in-calls
;;   |  `- nobody in particular: steps of the run          (level 3)
;;   |     |- the same processes are heavy in every step            -> static-imbalance
;;   |     |- the heaviest process changes, or imbalance grows      -> moving-work
;;   |     |- each step has another order                           -> noise
;;   |     `- no common steps, or even ones                         -> spread-waiting
;;   |- waiting in receives while other messages are ready          -> fixed-order
;;   |- senders held by receivers                                   -> late-receiver (observed)
;;   |- others end before the process that computes longest         -> static-imbalance
;;   |- transfer and call overhead: grain, latency, volume, collectives
;;   `- time that the trace cannot split                            -> unknown-waiting
;;
;; Where the rules of more specific patterns account for a kind of loss (facts `explained`) in most
;; of the run, they name its causes; here only observations of it remain, so that each second is
;; attributed once. A pattern of one communicator says nothing about the waiting in the others.

(deffunction MAIN::explained-share (?run ?loss)
  "Share of the run's message passing that lies in the scopes of patterns that account for a loss."
  (bind ?seen (create$))
  (bind ?share 0.0)
  (do-for-all-facts ((?e explained) (?p pattern))
    (and (eq ?e:run ?run) (eq ?e:loss ?loss) (eq ?p:run ?run) (eq ?p:id ?e:pattern))
    (if (not (member$ ?p:id ?seen)) then
      (bind ?seen (create$ ?seen ?p:id))
      (bind ?share (+ ?share ?p:share))))
  ?share)

(defrule SYMPTOMS::mp-settled
  "General causes of a loss are not reported where specific patterns account for most of it."
  (explained (run ?r) (loss ?loss))
  =>
  (if (>= (explained-share ?r ?loss) ?*explained-most*) then
    (assert (settled (run ?r) (loss ?loss)))))

;; A pattern may fit and still not see why the run is slow: its rules find nothing wrong, but most
;; of the lost time is elsewhere. Then a process that delays the others is named all the same.

(deffunction MAIN::accounted-seconds (?run)
  "What the causes of specific patterns claim, and what is normal for them."
  (bind ?sum 0.0)
  (do-for-all-facts ((?f finding))
    (and (eq ?f:run ?run) (neq ?f:pattern "message-passing") (> ?f:lost 0.0)
         (or (eq ?f:kind cause) (eq ?f:healthy yes)))
    (bind ?sum (+ ?sum ?f:lost)))
  ?sum)

(defrule ADVISE::mp-unsettled
  "The rules of specific patterns account for too little of the lost time to keep others quiet."
  (last-call (run ?r))
  ?settled <- (settled (run ?r) (loss waiting))
  ;; A process that they name would be named twice.
  (not (finding (kind cause) (run ?r) (pattern ~"message-passing") (culprits ? $?)))
  (metric (run ?r) (pattern "message-passing") (name "run.lost") (value ?lost))
  (metric (run ?r) (pattern "message-passing") (name "run.location_time") (value ?all))
  (test (< (accounted-seconds ?r) (* ?*accounted-least* ?lost)))
  (test (>= (- ?lost (accounted-seconds ?r)) (* ?*unaccounted* ?all)))
  ;; Nor is the cause unknown where a process is named for a loss that may be chance.
  (not (finding (kind observation) (run ?r) (pattern ~"message-passing") (healthy no)
                (culprits ? $?) (lost ?l&:(>= ?l (* ?*significant* ?all)))))
  =>
  (assert (unsettled (run ?r)))
  (retract ?settled))

;; ---- level 1 -----------------------------------------------------------------------------

(defrule SYMPTOMS::mp-low-efficiency
  "Much of the process time is not computation."
  (pattern (run ?r) (name "message-passing"))
  (metric (run ?r) (pattern "message-passing") (name "run.parallel_efficiency") (value ?e))
  (test (< ?e ?*efficiency-good*))
  ;; Servers that nothing more specific knows wait by design: then the others are judged (mp-served).
  (not (and (metric (run ?r) (pattern "message-passing") (name "run.served_efficiency")
                    (value ?s&:(>= ?s ?*efficiency-good*)))
            (not (pattern (run ?r) (name ~"message-passing")))))
  (metric (run ?r) (pattern "message-passing") (name "run.lost") (value ?lost))
  =>
  (assert (finding (kind symptom) (name low-parallel-efficiency) (run ?r)
                   (pattern "message-passing") (lost ?lost) (level 1)
                   (text (text "Parallel efficiency is {%}: {s} of process time are not computation."
                               ?e ?lost)))))

(defrule SYMPTOMS::mp-served
  "Servers wait for requests, and nearly all time of the others is computation."
  (pattern (run ?r) (name "message-passing"))
  (metric (run ?r) (pattern "message-passing") (name "run.parallel_efficiency")
          (value ?e&:(< ?e ?*efficiency-good*)))
  (metric (run ?r) (pattern "message-passing") (name "run.served_efficiency")
          (value ?served&:(>= ?served ?*efficiency-good*)))
  (metric (run ?r) (pattern "message-passing") (name "run.server_idle") (value ?idle))
  (not (pattern (run ?r) (name ~"message-passing")))
  =>
  (bind ?who (role-locations ?r "message-passing" "server"))
  (assert (finding (kind observation) (name idle-server) (run ?r) (pattern "message-passing")
                   (locations ?who) (lost ?idle) (healthy yes) (level 1)
                   (text (text "Without what ranks {} wait for requests of the others ({s}), which is their role, parallel efficiency is {%}."
                               (location-list ?who) ?idle ?served)))))

(defrule SYMPTOMS::mp-good-efficiency
  "Nearly all process time is computation."
  (pattern (run ?r) (name "message-passing"))
  (metric (run ?r) (pattern "message-passing") (name "run.parallel_efficiency") (value ?e))
  (test (>= ?e ?*efficiency-good*))
  =>
  (assert (finding (kind observation) (name good-parallel-efficiency) (run ?r)
                   (pattern "message-passing") (healthy yes) (all-clear yes) (level 1)
                   (text (text "Parallel efficiency is {%}; from {%} on no causes are sought."
                               ?e ?*efficiency-good*)))))

;; ---- level 2 -----------------------------------------------------------------------------

(defrule REFINE::mp-efficiencies
  "The POP efficiencies separate imbalance, dependencies and data transfer."
  (finding (kind symptom) (name low-parallel-efficiency) (run ?r))
  (metric (run ?r) (pattern "message-passing") (name "run.load_balance") (value ?lb))
  (metric (run ?r) (pattern "message-passing") (name "run.communication_efficiency") (value ?ce))
  =>
  (assert (finding (kind observation) (name pop-efficiencies) (run ?r) (pattern "message-passing")
                   (level 2)
                   (text (text "Load balance is {%}, communication efficiency {%}." ?lb ?ce)))))

(defrule REFINE::mp-efficiencies-ideal
  "On an ideal network the waiting that remains is serialisation; the difference is transfer."
  (finding (kind symptom) (name low-parallel-efficiency) (run ?r))
  (metric (run ?r) (pattern "message-passing") (name "run.serialisation_efficiency") (value ?se))
  (metric (run ?r) (pattern "message-passing") (name "run.transfer_efficiency") (value ?te))
  =>
  (assert (finding (kind observation) (name pop-ideal-network) (run ?r)
                   (pattern "message-passing") (level 2)
                   (text (text "Replayed with instantaneous transfers (the ideal network), serialisation efficiency is {%} and transfer efficiency {%}."
                               ?se ?te)))))

(defrule REFINE::mp-waiting
  "Waiting for partners is a significant part of the process time."
  (finding (kind symptom) (name low-parallel-efficiency) (run ?r))
  (metric (run ?r) (pattern "message-passing") (name "run.wait_share") (value ?share))
  (test (>= ?share ?*significant*))
  (metric (run ?r) (pattern "message-passing") (name "run.waiting") (value ?wait))
  (metric (run ?r) (pattern "message-passing") (name "run.lost") (value ?lost))
  (metric (run ?r) (pattern "message-passing") (name "run.late_sender") (value ?ls))
  (metric (run ?r) (pattern "message-passing") (name "run.late_receiver") (value ?lr))
  (metric (run ?r) (pattern "message-passing") (name "run.wait_collective") (value ?coll))
  =>
  (assert (finding (kind observation) (name waiting) (run ?r) (pattern "message-passing")
                   (lost ?wait) (share (/ ?wait ?lost)) (level 2)
                   (text (text "Waiting is {s}, {%} of the lost time: late senders {s}, late receivers {s}, collectives {s}."
                               ?wait (/ ?wait ?lost) ?ls ?lr ?coll)))))

;; ---- level 3: who causes the waiting -----------------------------------------------------------

(deffunction MAIN::in-steps (?run ?p)
  "In how many steps a process is the heaviest, as a sentence; empty where steps are not known."
  (bind ?steps (mp-value ?run "run.step_count" ""))
  (bind ?heavy (mp-value ?run "process.heavy_steps" ?p))
  (if (and (> ?steps 0.0) (>= ?heavy 0.0))
   then (text " It computes longest in {n} of {n} steps." ?heavy ?steps)
   else ""))

(deffunction MAIN::directly (?direct ?indirect)
  "Who waits for a delay: the others for it, and others for those."
  (if (> ?indirect (* ?*part-shown* (+ ?direct ?indirect)))
   then (text "{s} are waiting for it, {s} waiting for processes that had waited for it and pass the delay on"
              ?direct ?indirect)
   else "nearly all of it is waiting for this process itself"))

(deffunction MAIN::mp-is-first (?run ?p ?share)
  "Whether no other process that computes longer has more waiting go back to it; of equals the first."
  (bind ?labels (metric-locations ?run "message-passing" "process.delay_share"))
  (bind ?i 1)
  (while (and (neq (nth$ ?i ?labels) ?p)
              (< (mp-value ?run "process.relative_compute" (nth$ ?i ?labels)) ?*heavy*))
    (bind ?i (+ ?i 1)))
  (eq (nth$ ?i ?labels) ?p))

(deffunction MAIN::mp-most-but (?run ?name ?who)
  "The largest value of a metric at any process but some; 0 where there is none."
  (foreach ?l (metric-locations ?run "message-passing" ?name)
    (if (not (member$ ?l ?who)) then
      (return (max 0.0 (metric-value ?run "message-passing" ?name ?l 0.0)))))
  0.0)

(deffunction MAIN::mp-named (?run ?p)
  "Whether a cause of a specific pattern names a process, so that it is blamed already."
  (any-factp ((?f finding))
    (and (eq ?f:run ?run) (eq ?f:kind cause) (neq ?f:pattern "message-passing") (member$ ?p ?f:culprits))))

(deffunction MAIN::mp-late-too (?run ?p ?share)
  "It and those who compute as long; where there are no common steps and totals are not all that counts, only
   those who are about equal, or to whom half as much of the waiting goes back at least."
  (bind ?heavy (as-heavy-as-any ?run "message-passing" "process.compute_time"))
  (bind ?least (if (> (mp-value ?run "run.step_count" "") 0.0) then 0.0 else (* 0.5 ?share)))
  (bind ?equal (/ (mp-value ?run "process.compute_time" ?p) ?*heavy*))
  (bind ?labels (create$ ?p))
  (foreach ?l (metric-locations ?run "message-passing" "process.delay_share")
    (if (and (neq ?l ?p) (member$ ?l ?heavy) (not (mp-named ?run ?l))
             (or (>= (mp-value ?run "process.delay_share" ?l) ?least)
                 (>= (mp-value ?run "process.compute_time" ?l) ?equal)))
     then (bind ?labels (create$ ?labels ?l))))
  ;; All that compute longer than one of them are named: which of them the others wait for first may be chance.
  (bind ?shortest (mp-value ?run "process.compute_time" ?p))
  (foreach ?l ?labels (bind ?shortest (min ?shortest (mp-value ?run "process.compute_time" ?l))))
  (foreach ?l ?heavy
    (if (and (not (member$ ?l ?labels)) (not (mp-named ?run ?l))
             (>= (mp-value ?run "process.compute_time" ?l) ?shortest))
     then (bind ?labels (create$ ?labels ?l))))
  ?labels)

(deffunction MAIN::mp-all (?run ?name ?least)
  "Labels of the locations where a metric is at least so large."
  (locations-from ?run "message-passing" ?name ?least))

(deffunction MAIN::mp-sum (?run ?name ?who)
  "The sum of a metric of message-passing over some locations."
  (sum-of ?run "message-passing" ?name ?who))

(defrule REFINE::mp-holds-senders
  "Most of the waiting that goes back to a receiver is in sends to it, and it waits for no message itself."
  (pattern (run ?r) (name "message-passing"))
  (exists (finding (kind observation) (name late-receiver) (run ?r) (pattern "message-passing")))
  (exists (role (run ?r) (pattern "message-passing") (name "sink")))
  (not (settled (run ?r) (loss waiting)))
  (metric (run ?r) (pattern "message-passing") (name "sink.held") (location ?p) (value ?held&:(> ?held 0.0)))
  (metric (run ?r) (pattern "message-passing") (name "process.delay_share") (location ?p)
          (value ?share) (of ?n))
  (test (>= ?share (blame-share ?n)))
  (metric (run ?r) (pattern "message-passing") (name "process.delay_cost") (location ?p)
          (value ?cost&:(>= (* 2.0 ?held) ?cost)))
  (metric (run ?r) (pattern "message-passing") (name "process.own_wait_share") (location ?p)
          (value ?own&:(< ?own (- 1.0 ?*efficiency-good*))))
  =>
  (assert (holds-senders (run ?r) (location ?p) (held ?held))))

(defrule CAUSES::mp-late-receiver
  "Senders are held by a process that takes longer with each message than they need to make them."
  (holds-senders (run ?r) (location ?p) (held ?held))
  (metric (run ?r) (pattern "message-passing") (name "sink.held") (location ?p))
  (metric (run ?r) (pattern "message-passing") (name "process.own_wait_share") (location ?p))
  (metric (run ?r) (pattern "message-passing") (name "sink.taken_each") (location ?p) (value ?each))
  (metric (run ?r) (pattern "message-passing") (name "process.compute_time") (location ?p)
          (value ?compute) (of ?n))
  (metric (run ?r) (pattern "message-passing") (name "run.lost") (value ?lost))
  =>
  ;; Then whoever computes longest sets the pace.
  (bind ?next (mp-most-but ?r "process.compute_time" (create$ ?p)))
  (bind ?times (max 2 (integer (+ 0.999 (/ ?compute (max ?next 1e-9))))))
  (bind ?gain (max 0.0 (- ?compute ?next)))
  (assert (finding (kind cause) (name late-receiver) (run ?r) (pattern "message-passing")
                   (headline (text "Rank {} takes {s} per message, longer than the others need to send one each: they are held for {s}."
                                   ?p ?each ?held))
                   (fix (text "Let {n} ranks receive, take several messages at a time, or leave part of that work to the senders."
                              ?times))
                   (gain-kind remove)
                   (locations ?p) (culprits ?p) (lost ?held) (share (min 1.0 (/ ?held ?lost))) (level 3)
                   (gain ?gain) (functions-of ?p) (what-if (what-if-of "compute" ?p "/" ?times))
                   (text (text "Process {} only receives, and computes {s} for each message, {s} in all; the next busiest process computes {s}. The others are held for {s} in their sends until it is ready."
                               ?p ?each ?compute ?next ?held))
                   (remedy (text "Let {n} processes receive, take several messages at a time if what one costs is not in its data, or leave part of that work to the senders; up to {s} of run time. Sends that do not wait (MPI_Isend) help only as long as there is room for what piles up."
                                 ?times ?gain)))))

(defrule CAUSES::mp-late-process
  "Waiting goes back to one process because it computes longer than the others."
  (finding (kind observation) (name waiting) (run ?r) (pattern "message-passing"))
  (not (settled (run ?r) (loss waiting)))
  (metric (run ?r) (pattern "message-passing") (name "process.delay_share") (location ?p)
          (value ?share) (of ?n))
  (test (>= ?share (blame-share ?n)))
  (metric (run ?r) (pattern "message-passing") (name "process.delay_cost") (location ?p)
          (value ?cost))
  (metric (run ?r) (pattern "message-passing") (name "process.relative_compute") (location ?p)
          (value ?relative))
  (metric (run ?r) (pattern "message-passing") (name "process.excess") (location ?p) (value ?excess))
  (test (is-heavy ?relative ?excess ?cost ?n))
  (test (mp-is-first ?r ?p ?share)) ; one fault of several is one cause
  (metric (run ?r) (pattern "message-passing") (name "process.delay_cost_direct") (location ?p)
          (value ?direct))
  (metric (run ?r) (pattern "message-passing") (name "process.delay_cost_indirect") (location ?p)
          (value ?indirect))
  (metric (run ?r) (pattern "message-passing") (name "process.compute_time") (location ?p)
          (value ?compute))
  (metric (run ?r) (pattern "message-passing") (name "run.lost") (value ?lost))
  (not (serial (run ?r) (location ?p)))
  (not (holds-senders (run ?r) (location ?p)))
  =>
  (bind ?who (mp-late-too ?r ?p ?share))
  (bind ?all (mp-sum ?r "process.delay_cost" ?who))
  ;; Where the trace does not show whom calls wait for, the waiting that is known is only a part of
  ;; what the others wait, and says nothing about how much could be saved.
  (bind ?is-partial (>= (mp-value ?r "run.unknown_share" "") ?*unknown-large*))
  (bind ?gain (gain-of-evening-out
                (excess-of (above-mean ?r "message-passing" "process.compute_time" ?who) ?all ?who ?n) ?lost ?n))
  (assert (finding (kind cause) (name late-process) (run ?r) (pattern "message-passing")
                   (headline (text "{} {.1} times as long as the {}, and {s} of waiting go back to {}."
                                   (ranks-compute ?who)
                                   (times-the-others ?r "message-passing" "process.compute_time" ?who ?relative)
                                   (median-or-others ?who) ?all (it-or-them ?who)))
                   (fix (text "Share out the work of {}, or make that part faster." (ranks-named ?who)))
                   (gain-kind even-out)
                   (locations ?who) (culprits ?who) (lost ?all) (share (min 1.0 (/ ?all ?lost))) (level 3)
                   (gain ?gain) (functions-of ?p)
                   (what-if (what-if-of "compute" ?who "=" even))
                   (text (str-cat
                           (and-its-like ?who)
                           (text "Process {} is late: {s} of waiting, {%} of all, go back to it; {}. It computes {s}, {.2} times the median."
                                 ?p ?cost ?share (directly ?direct ?indirect) ?compute ?relative)
                           (in-steps ?r ?p)
                           (if ?is-partial
                            then (text " More is hidden in {s} of calls whose partners the trace does not record."
                                       (mp-value ?r "run.unknown" ""))
                            else "")))
                   (remedy (if (> (length$ ?who) 1)
                            then (text "Move work away from {}, of process {} about {s} (its computation above the median), or make that part faster; up to {s} of run time."
                                       (ranks-named ?who) ?p ?excess ?gain)
                            else (text "Move about {s} of work away from process {} (its computation above the median), or make that part faster; up to {s} of run time."
                                       ?excess ?p ?gain))))))

(defrule CAUSES::mp-late-process-without-work
  "Waiting goes back to one process although it does not compute longer in all."
  (finding (kind observation) (name waiting) (run ?r) (pattern "message-passing"))
  (not (in-turn (run ?r)))
  (or (not (settled (run ?r) (loss waiting))) (blamed (run ?r) (location ?p)))
  (not (unsettled (run ?r)))
  (metric (run ?r) (pattern "message-passing") (name "process.delay_share") (location ?p)
          (value ?share) (of ?n))
  (test (>= ?share (blame-share ?n)))
  (metric (run ?r) (pattern "message-passing") (name "process.delay_cost") (location ?p)
          (value ?cost))
  (metric (run ?r) (pattern "message-passing") (name "run.location_time") (value ?all))
  (test (>= ?cost (* ?*significant* ?all)))
  (metric (run ?r) (pattern "message-passing") (name "process.delay_computed_share") (location ?p)
          (value ?computed&:(>= ?computed 0.5)))
  (metric (run ?r) (pattern "message-passing") (name "process.relative_compute") (location ?p)
          (value ?relative))
  (metric (run ?r) (pattern "message-passing") (name "process.excess") (location ?p) (value ?excess))
  (test (not (is-heavy ?relative ?excess ?cost ?n)))
  (not (holds-senders (run ?r) (location ?p)))
  (metric (run ?r) (pattern "message-passing") (name "process.delay_cost_direct") (location ?p)
          (value ?direct))
  (metric (run ?r) (pattern "message-passing") (name "process.delay_cost_indirect") (location ?p)
          (value ?indirect))
  (metric (run ?r) (pattern "message-passing") (name "run.lost") (value ?lost))
  (not (serial (run ?r) (location ?p)))
  =>
  (bind ?own (mp-value ?r "process.compute_time" ?p))
  ;; At most what it computes can be saved; by computing at another moment, at most what it is idle at
  ;; others; by computing less, at most what it computes above the others: one that computes all the time sets
  ;; the pace, as the first stage of a pipeline may.
  (bind ?all-time (/ ?all ?n))
  (bind ?idle (- ?all-time ?own))
  ;; Where more than half compute as long as it, none of them is above the median.
  (bind ?heavy (as-heavy-as-any ?r "message-passing" "process.compute_time"))
  (bind ?who (if (and (member$ ?p ?heavy) (> (* 2 (length$ ?heavy)) ?n)) then ?heavy else (create$ ?p)))
  (bind ?above (max (above-mean ?r "message-passing" "process.compute_time" ?who)
                    (- ?own (mp-most-but ?r "process.compute_time" ?who))))
  (bind ?gain (/ ?cost (max 1 (- ?n (length$ ?who)))))
  (bind ?gain (if (>= ?own 0.0) then (min ?gain ?own (max ?idle ?above)) else ?gain))
  (bind ?part (min ?cost (* ?n ?gain)))
  (bind ?paces (and (>= ?own 0.0) (> ?above ?idle)))
  (assert (finding (kind cause) (name late-process) (run ?r) (pattern "message-passing")
                   (headline (if ?paces
                              then (if (> (length$ ?who) 1)
                                    then (text "Ranks {} compute nearly all the time, up to {s} of {s}: they set the pace, and the others wait for them."
                                               (location-list ?who) ?own ?all-time)
                                    else (text "Rank {} computes nearly all the time, {s} of {s}: it sets the pace, and the others wait for it."
                                               ?p ?own ?all-time))
                              else (text "The others wait {s} for rank {}, which computes while they wait, though no longer than they do in all."
                                         ?cost ?p)))
                   (fix (if ?paces
                         then (text "Make what {} faster, or let others do part of it."
                                    (if (> (length$ ?who) 1) then (text "ranks {} compute" (location-list ?who)) else (text "rank {} computes" ?p)))
                         else (text "Let rank {} send before that work, or split that work among the ranks." ?p)))
                   (gain-kind remove)
                   (locations ?who) (culprits ?who) (lost ?part) (share (/ ?part ?lost)) (level 3)
                   (confidence 0.7) (gain ?gain) (via without-work)
                   (functions-of ?p)
                   (text (str-cat
                           (and-its-like ?who)
                           (text "Process {} is late: {s} of waiting, {%} of all, go back to it; {}. Over the whole run it does not compute that much more ({.2} times the median){}."
                                 ?p ?cost ?share (directly ?direct ?indirect) ?relative
                                 (if ?paces
                                  then (text ", but it has no pause that could be used: {s} in all" (max 0.0 ?idle))
                                  else ", so its work comes at the wrong moment: it computes while the others wait"))
                           (in-steps ?r ?p)))
                   (remedy (if ?paces
                            then (text "Make what process {} computes faster, or let others do part of it; up to {s} of run time." ?p ?gain)
                            else (text "See what process {} computes before the calls in which the others wait for it: send before that work, or split it among the processes; up to {s} of run time."
                                       ?p ?gain))))))

(defrule REFINE::mp-late-in-calls
  "Waiting goes back to one process because its communication takes longer."
  (finding (kind observation) (name waiting) (run ?r) (pattern "message-passing"))
  (metric (run ?r) (pattern "message-passing") (name "process.delay_share") (location ?p)
          (value ?share) (of ?n))
  (test (>= ?share (blame-share ?n)))
  (metric (run ?r) (pattern "message-passing") (name "process.delay_computed_share") (location ?p)
          (value ?computed&:(< ?computed 0.5)))
  (metric (run ?r) (pattern "message-passing") (name "process.delay_cost") (location ?p)
          (value ?cost))
  =>
  (assert (finding (kind observation) (name late-in-calls) (run ?r) (pattern "message-passing")
                   (locations ?p) (lost ?cost) (level 3)
                   (text (text "{s} of waiting, {%} of all, go back to process {}, but only {%} of that because it computes longer: mostly its own calls take longer than those of the others."
                               ?cost ?share ?p ?computed)))))

(defrule REFINE::mp-passed-on
  "Much of the waiting is passed on by processes that wait themselves."
  (finding (kind observation) (name waiting) (run ?r) (pattern "message-passing"))
  (metric (run ?r) (pattern "message-passing") (name "run.passed_on_share") (value ?share))
  (test (>= ?share ?*part-shown*))
  =>
  (assert (finding (kind observation) (name passed-on) (run ?r) (pattern "message-passing") (level 3)
                   (text (text "{%} of the waiting is for processes that are late because they had to wait themselves; it counts to those that were late first."
                               ?share)))))

;; Metrics may come in any round, since other patterns ask for them, too; `logical` takes back what
;; was said of steps, or of nobody, when a process is found to be late.
;; ---- level 3: steps --------------------------------------------------------------------------------

(defrule ADVISE::mp-static-imbalance
  "The same processes compute longer in every step, and none of them alone is to blame."
  (logical (finding (kind observation) (name waiting) (run ?r) (pattern "message-passing"))
           (not (settled (run ?r) (loss waiting)))
           (not (finding (kind cause) (name late-process) (run ?r) (pattern "message-passing"))))
  (exists (metric (run ?r) (pattern "message-passing") (name "run.step_count") (value ?k&:(> ?k 0.0))))
  (metric (run ?r) (pattern "message-passing") (name "run.step_cost_share")
          (value ?part&:(>= ?part ?*significant*)))
  (metric (run ?r) (pattern "message-passing") (name "run.step_unevenness")
          (value ?uneven&:(>= ?uneven ?*uneven-steps*)))
  (metric (run ?r) (pattern "message-passing") (name "run.step_kept")
          (value ?kept&:(>= ?kept ?*kept-static*)))
  (metric (run ?r) (pattern "message-passing") (name "run.step_cost") (value ?cost))
  (metric (run ?r) (pattern "message-passing") (name "run.step_count") (value ?steps))
  (metric (run ?r) (pattern "message-passing") (name "run.waiting") (value ?wait))
  (metric (run ?r) (pattern "message-passing") (name "run.lost") (value ?lost))
  (metric (run ?r) (pattern "message-passing") (name "process.heavy_excess") (location ?p)
          (value ?excess) (rank 1) (of ?n))
  (not (serial (run ?r) (location ?p)))
  =>
  (bind ?heavy (as-heavy-as-any ?r "message-passing" "process.compute_time"))
  (bind ?seconds (min ?wait (* ?kept ?cost)))
  (assert (finding (kind cause) (name static-imbalance) (run ?r) (pattern "message-passing")
                   (headline (text "Work is uneven, always in the same way: over {n} steps rank {} computes {s} above the mean."
                                   ?steps ?p ?excess))
                   (fix "Divide the work once, by measured cost.")
                   (gain-kind even-out)
                   (locations ?heavy) (culprits ?heavy) (lost ?seconds)
                   (share (/ ?seconds ?lost)) (level 3) (confidence 0.8)
                   (gain (/ ?seconds ?n)) (what-if "compute(all)=even")
                   (text (text "Work is divided unevenly, and always in the same way: in {n} steps the longest computation is {%} above the mean; {%} of what that costs is left when the steps of each process are added up. Process {} computes {s} above the mean{}."
                               ?steps ?uneven ?kept ?p ?excess
                               (if (> (length$ ?heavy) 1)
                                then (str-cat "; heavy are processes " (location-list ?heavy))
                                else "")))
                   (remedy (text "Divide the work once, by measured cost: take about {s} from process {} and likewise from the other heavy ones; up to {s} of run time."
                                 ?excess ?p (/ ?seconds ?n))))))

(deffunction MAIN::rebalance-text (?slope ?mean)
  "How often to move work: i steps lose slope i^2 / 2, and moving costs R, so i = sqrt(2 R / slope)."
  (if (and (> ?slope 0.0) (> ?mean 0.0))
   then (text " The loss grows by {s} per step: moving work that costs R seconds pays every sqrt(2 R / {s}) steps; if it costs as much as one step computes ({s}), that is every {n} steps."
              ?slope ?slope ?mean (max 1 (integer (+ 0.5 (sqrt (/ (* 2.0 ?mean) ?slope))))))
   else ""))

(defrule ADVISE::mp-moving-work
  "Steps are uneven, and the heaviest process changes in an orderly way, or the imbalance grows."
  (logical (finding (kind observation) (name waiting) (run ?r) (pattern "message-passing"))
           (not (settled (run ?r) (loss waiting)))
           (not (in-turn (run ?r)))
           (not (unsettled (run ?r)))
           (not (finding (kind cause) (name late-process) (run ?r) (pattern "message-passing"))))
  (exists (metric (run ?r) (pattern "message-passing") (name "run.step_count") (value ?k&:(> ?k 0.0))))
  (metric (run ?r) (pattern "message-passing") (name "run.step_synchronised") (value 1.0))
  (metric (run ?r) (pattern "message-passing") (name "run.step_cost_share")
          (value ?part&:(>= ?part ?*significant*)))
  (metric (run ?r) (pattern "message-passing") (name "run.step_unevenness")
          (value ?uneven&:(>= ?uneven ?*uneven-steps*)))
  (metric (run ?r) (pattern "message-passing") (name "run.step_kept")
          (value ?kept&:(< ?kept ?*kept-static*)))
  (metric (run ?r) (pattern "message-passing") (name "run.step_rank_correlation") (value ?rho))
  (metric (run ?r) (pattern "message-passing") (name "run.step_same_heaviest") (value ?same))
  (metric (run ?r) (pattern "message-passing") (name "run.step_trend") (value ?trend))
  (run (id ?r) (processes ?n&:(>= ?n ?*ranks-enough*)))
  (test (moves ?kept ?rho ?same))
  (metric (run ?r) (pattern "message-passing") (name "run.step_cost") (value ?cost))
  (metric (run ?r) (pattern "message-passing") (name "run.step_count") (value ?steps))
  (metric (run ?r) (pattern "message-passing") (name "run.step_slope") (value ?slope))
  (metric (run ?r) (pattern "message-passing") (name "run.step_mean") (value ?mean))
  (metric (run ?r) (pattern "message-passing") (name "run.waiting") (value ?wait))
  (metric (run ?r) (pattern "message-passing") (name "run.lost") (value ?lost))
  =>
  (bind ?seconds (min ?wait ?cost))
  (assert (finding (kind cause) (name moving-work) (run ?r) (pattern "message-passing")
                   (headline (text "Work is uneven, differently over time: in {n} steps the longest computation is {%} above the mean."
                                   ?steps ?uneven))
                   (fix "Divide the work again from time to time, by the cost of the last steps.")
                   (gain-kind even-out)
                   (lost ?seconds) (share (/ ?seconds ?lost)) (level 3) (confidence 0.7)
                   (gain (/ ?cost ?n)) (what-if "compute(all)=even")
                   (text (text "The work of a step is divided unevenly, and not always in the same way: in {n} steps the longest computation is {%} above the mean, but only {%} of what that costs is left when the steps of each process are added up. The rank correlation of neighbouring steps is {.2}, the steps before say which process is heaviest in {%} of them, and the imbalance changes by {.2} from the first to the last quarter. Nobody is slow in all of them."
                               ?steps ?uneven ?kept ?rho ?same ?trend))
                   (remedy (text "Divide the work again from time to time, by the cost of the last steps; up to {s} of run time.{}"
                                 (/ ?seconds ?n)
                                 (if (>= ?trend ?*imbalance-growth*)
                                  then (rebalance-text ?slope ?mean) else ""))))))

(defrule ADVISE::mp-noise
  "Steps are uneven, each in another order."
  (logical (finding (kind observation) (name waiting) (run ?r) (pattern "message-passing"))
           (not (settled (run ?r) (loss waiting)))
           (not (in-turn (run ?r)))
           (not (unsettled (run ?r)))
           (not (finding (kind cause) (name late-process) (run ?r) (pattern "message-passing"))))
  (exists (metric (run ?r) (pattern "message-passing") (name "run.step_count") (value ?k&:(> ?k 0.0))))
  (metric (run ?r) (pattern "message-passing") (name "run.step_synchronised") (value 1.0))
  (metric (run ?r) (pattern "message-passing") (name "run.step_cost_share")
          (value ?part&:(>= ?part ?*significant*)))
  (metric (run ?r) (pattern "message-passing") (name "run.step_unevenness")
          (value ?uneven&:(>= ?uneven ?*uneven-noise*)))
  (metric (run ?r) (pattern "message-passing") (name "run.step_kept")
          (value ?kept&:(< ?kept ?*kept-static*)))
  (metric (run ?r) (pattern "message-passing") (name "run.step_rank_correlation")
          (value ?rho))
  (metric (run ?r) (pattern "message-passing") (name "run.step_same_heaviest")
          (value ?same))
  (test (not (moves ?kept ?rho ?same)))
  (run (id ?r) (processes ?n&:(>= ?n ?*ranks-enough*)))
  (metric (run ?r) (pattern "message-passing") (name "run.step_cost") (value ?cost))
  (metric (run ?r) (pattern "message-passing") (name "run.step_count") (value ?steps))
  (metric (run ?r) (pattern "message-passing") (name "run.waiting") (value ?wait))
  (metric (run ?r) (pattern "message-passing") (name "run.lost") (value ?lost))
  =>
  (bind ?seconds (min ?wait ?cost))
  (assert (finding (kind cause) (name noise) (run ?r) (pattern "message-passing")
                   (headline (text "In each of {n} steps another rank is slowest, by {%} of the mean, without any order. No rank is to blame."
                                   ?steps ?uneven))
                   (fix "Synchronise less often; bind ranks to cores and keep other load away.")
                   (gain-kind even-out)
                   (lost ?seconds) (share (/ ?seconds ?lost)) (level 3) (confidence 0.6)
                   (gain (/ ?cost ?n)) (what-if "compute(all)=even")
                   (text (text "From step to step another process computes longest (rank correlation of neighbouring steps {.2}): the longest computation is {%} above the mean in {n} steps, yet over all of them work is balanced. Either the machine interrupts processes, or the work of a step depends on its data. Nobody is to blame."
                               ?rho ?uneven ?steps))
                   (remedy (text "Each synchronisation waits for whoever is slowest: synchronise less often (half as often saves up to about {s} of run time of {s}); bind processes to cores and keep other load away; if the work itself varies, use smaller pieces."
                                 (* (/ ?seconds ?n) (- 1.0 (sqrt 0.5))) (/ ?seconds ?n))))))

(deffunction MAIN::spread-seconds (?run ?waiting)
  "Waiting without that of servers, which wait by design."
  (max 0.0 (- ?waiting (max 0.0 (mp-value ?run "run.server_idle" "")))))

(defrule MAIN::mp-spread-waiting
  "Processes wait for one another, and neither a process nor uneven steps account for it."
  (logical (finding (kind observation) (name waiting) (run ?r) (pattern "message-passing"))
           (not (settled (run ?r) (loss waiting)))
           (not (unsettled (run ?r)))
           (not (finding (kind cause) (run ?r) (pattern "message-passing")
                         (name late-process | late-receiver | static-imbalance | moving-work | noise
                               | suspected-late-process | serial-chain))))
  (metric (run ?r) (pattern "message-passing") (name "process.delay_share") (location ?p)
          (value ?share) (rank 1) (of ?n))
  (metric (run ?r) (pattern "message-passing") (name "run.waiting") (value ?all))
  (metric (run ?r) (pattern "message-passing") (name "run.lost") (value ?lost))
  (metric (run ?r) (pattern "message-passing") (name "run.wait_collective") (value ?coll))
  (metric (run ?r) (pattern "message-passing") (name "run.load_balance") (value ?even))
  (metric (run ?r) (pattern "message-passing") (name "run.location_time") (value ?time))
  ;; As for noise: less is not worth acting on.
  (test (>= (spread-seconds ?r ?all) (* ?*noise-large* ?time)))
  =>
  (bind ?wait (spread-seconds ?r ?all))
  ;; Servers make the work uneven, too.
  (bind ?lb (if (< ?wait ?all) then 1.0 else ?even))
  (assert (finding (kind cause) (name spread-waiting) (run ?r) (pattern "message-passing")
                   (headline (text "Ranks wait {s} for one another, {%} of it in collectives, and no single rank is to blame."
                                   ?wait (/ ?coll (max ?wait 1e-9))))
                   (fix (if (>= ?lb 0.9)
                        then "Synchronise less often, post receives early, and send as soon as data are ready."
                        else (text "Balance the work first (load balance is {%}), then synchronise less often." ?lb)))
                   (gain-kind (if (>= ?lb 0.9) then remove else even-out))
                   (lost ?wait) (share (/ ?wait ?lost)) (level 3) (confidence 0.6)
                   (text (text "Processes wait {s} for one another ({%} of the lost time), and no single one is to blame: most goes back to process {}, {%} of it. {%} of the waiting is in collectives; load balance over the whole run is {%}."
                               ?wait (/ ?wait ?lost) ?p ?share (/ ?coll (max ?wait 1e-9)) ?even))
                   (remedy (if (>= ?lb 0.9)
                            then "Work is balanced over the run, so steps are unequal from moment to moment or depend on one another in a chain: synchronise less often, post receives early, send as soon as data are ready."
                            else (text "Balance the work first: load balance is {%}; then synchronise less often, post receives early, send as soon as data are ready." ?lb))))))

;; ---- other causes ----------------------------------------------------------------------------

(defrule REFINE::mp-late-receiver
  "Senders are held until the receive is posted."
  (finding (kind observation) (name waiting) (run ?r) (pattern "message-passing"))
  (metric (run ?r) (pattern "message-passing") (name "run.late_receiver_share") (value ?share))
  (test (>= ?share ?*significant*))
  (metric (run ?r) (pattern "message-passing") (name "run.late_receiver") (value ?wait))
  (metric (run ?r) (pattern "message-passing") (name "run.lost") (value ?lost))
  =>
  (assert (finding (kind observation) (name late-receiver) (run ?r) (pattern "message-passing")
                   (lost ?wait) (share (/ ?wait ?lost)) (level 2)
                   (text (text "Senders are held for {s} until the receive is posted (synchronous or large messages)."
                               ?wait))
                   (remedy "Post receives earlier (MPI_Irecv before the computation), or send with MPI_Isend and complete later."))))

(defrule REFINE::mp-fixed-order
  "A receiver waits for one message while another has already been sent."
  (pattern (run ?r) (name "message-passing"))
  (exists (finding (kind observation) (name waiting) (run ?r) (pattern "message-passing")))
  (exists (metric (run ?r) (pattern "message-passing") (name "run.wrong_order_ready") (value ?ready&:(> ?ready 0.0))))
  (metric (run ?r) (pattern "message-passing") (name "process.order_wait") (location ?p)
          (value ?w) (rank 1))
  (metric (run ?r) (pattern "message-passing") (name "process.order_waits") (location ?p)
          (value ?n))
  (metric (run ?r) (pattern "message-passing") (name "run.location_time") (value ?all))
  (test (>= ?w (* ?*significant* ?all)))
  =>
  (assert (finding (kind observation) (name wrong-order) (run ?r) (pattern "message-passing")
                   (locations ?p) (lost ?w) (level 3)
                   (text (text "Process {} waits {s} in {n} receives while a message that it receives later has already been sent."
                               ?p ?w ?n))
                   (remedy "Receive in the order of arrival: MPI_ANY_SOURCE, or MPI_Irecv for all and MPI_Waitany."))))

(defrule REFINE::mp-held-sends
  "Most of what calls take beyond known waiting is sends that last until a receiver is done with its computation."
  (pattern (run ?r) (name "message-passing"))
  (exists (finding (kind symptom) (name low-parallel-efficiency) (run ?r)))
  (metric (run ?r) (pattern "message-passing") (name "run.transfer_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern "message-passing") (name "run.held_sending") (value ?held))
  (metric (run ?r) (pattern "message-passing") (name "run.transferring") (value ?transfer&:(<= ?transfer (* 2.0 ?held))))
  =>
  (assert (finding (kind observation) (name held-sends) (run ?r) (pattern "message-passing") (lost ?held) (level 3)
                   (text (text "Sends last for {s} while their receivers compute, until these call MPI again: the library moves a message only while both are in it. That is no cost of calls, but waiting for whoever computes."
                               ?held))
                   (remedy "Balance computation; send with MPI_Isend and complete later; let a helper thread of the MPI library make progress."))))

(defrule REFINE::mp-unequal-transfer
  "Who computes longest spends hardly any time in its calls: what the others spend in theirs is waiting that the clocks hide."
  (pattern (run ?r) (name "message-passing"))
  (exists (finding (kind symptom) (name low-parallel-efficiency) (run ?r)))
  (exists (metric (run ?r) (pattern "message-passing") (name "run.transfer_share") (value ?share&:(>= ?share ?*significant*))))
  (metric (run ?r) (pattern "message-passing") (name "run.grain") (value ?grain))
  (exists (metric (run ?r) (pattern "message-passing") (name "run.call_cost") (value ?cost&:(< ?grain (* ?*grain-fine* ?cost)))))
  (metric (run ?r) (pattern "message-passing") (name "run.transferring") (value ?transfer))
  (metric (run ?r) (pattern "message-passing") (name "run.load_balance") (value ?balance&:(< ?balance ?*balanced*)))
  (metric (run ?r) (pattern "message-passing") (name "process.compute_time") (location ?p) (rank 1) (of ?n))
  (metric (run ?r) (pattern "message-passing") (name "process.relative_compute") (location ?p) (value ?rel&:(>= ?rel ?*heavy*)))
  (metric (run ?r) (pattern "message-passing") (name "process.in_mpi") (location ?p)
          (value ?in&:(< (* ?in ?n) (* ?*accounted-least* ?transfer))))
  =>
  (assert (finding (kind observation) (name unequal-transfer) (run ?r) (pattern "message-passing")
                   (locations ?p) (lost ?transfer) (level 3)
                   (text (text "Process {} computes longest and is in MPI calls for {s} only; the mean process is for {s} longer than what is known to be waiting. A call that costs much would cost process {} as much: the others probably wait, and the clocks hide it."
                               ?p ?in (/ ?transfer ?n) ?p)))))

(defrule CAUSES::mp-fine-grain
  "There is too little computation between two MPI calls."
  (logical (pattern (run ?r) (name "message-passing"))
           (not (finding (kind observation) (name unequal-transfer | held-sends) (run ?r))))
  (exists (finding (kind symptom) (name low-parallel-efficiency) (run ?r)))
  (not (settled (run ?r) (loss grain)))
  (metric (run ?r) (pattern "message-passing") (name "run.transfer_share")
          (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern "message-passing") (name "run.calls_per_process")
          (value ?calls&:(>= ?calls ?*calls-enough*)))
  (metric (run ?r) (pattern "message-passing") (name "run.collective_transfer_share")
          (value ?in-coll&:(< ?in-coll 0.5)))
  (metric (run ?r) (pattern "message-passing") (name "run.transferring") (value ?transfer))
  (metric (run ?r) (pattern "message-passing") (name "run.lost") (value ?lost))
  (metric (run ?r) (pattern "message-passing") (name "run.grain") (value ?grain))
  (metric (run ?r) (pattern "message-passing") (name "run.call_cost") (value ?cost))
  (test (< ?grain (* ?*grain-fine* ?cost)))
  (metric (run ?r) (pattern "message-passing") (name "run.message_mean")
          (value ?bytes&:(< ?bytes ?*message-large*)))
  (run (id ?r) (processes ?n))
  =>
  (bind ?together (max 2 (integer (+ 0.5 (/ (* ?*grain-good* ?cost) (max ?grain 1e-12))))))
  (bind ?steps (max 1.0 (mp-value ?r "run.step_count" "")))
  (assert (finding (kind cause) (name fine-grain) (run ?r) (pattern "message-passing")
                   (headline (text "The grain is too fine: {s} of computation between two MPI calls, and a call costs {s} beyond waiting."
                                   ?grain ?cost))
                   (fix (if (<= ?together (/ ?calls ?steps))
                        then (text "Combine about {n} messages into one, or use fewer ranks with more work per message."
                                   ?together)
                        else (text "Give each rank about {n} times the work per message: fewer ranks, or several steps at a time."
                                   ?together)))
                   (gain-kind remove)
                   (lost ?transfer) (share (/ ?transfer ?lost)) (level 3)
                   (gain (/ (* ?transfer (- 1.0 (/ 1.0 ?together))) ?n))
                   (text (text "The grain is too fine: between two MPI calls lie {s} of computation, and a call costs {s} beyond waiting, for messages of {n} bytes on average. That is {s}, {%} of the process time."
                               ?grain ?cost ?bytes ?transfer ?share))
                   (remedy (if (<= ?together (/ ?calls ?steps))
                            then (text "Combine about {n} messages into one, or give each process that much more work per message (fewer processes), so that computation is {n} times the cost of a call."
                                       ?together (integer ?*grain-good*))
                            else (text "Give each process about {n} times the work per message (fewer processes, or more steps at a time), so that computation is {n} times the cost of a call; a step has only {n} calls, so that combining messages is not enough."
                                       ?together (integer ?*grain-good*) (/ ?calls ?steps)))))))

(defrule CAUSES::mp-collective-cost
  "Most of the transfer is in collective operations."
  (logical (pattern (run ?r) (name "message-passing"))
           (not (finding (kind cause) (name large-collectives) (run ?r))))
  (exists (finding (kind symptom) (name low-parallel-efficiency) (run ?r)))
  (not (settled (run ?r) (loss transfer)))
  (metric (run ?r) (pattern "message-passing") (name "run.transfer_share")
          (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern "message-passing") (name "run.collective_transfer_share")
          (value ?in-coll&:(>= ?in-coll 0.5)))
  (metric (run ?r) (pattern "message-passing") (name "run.collective_calls")
          (value ?n&:(>= ?n ?*collectives-enough*)))
  (metric (run ?r) (pattern "message-passing") (name "run.transferring") (value ?transfer))
  (metric (run ?r) (pattern "message-passing") (name "run.lost") (value ?lost))
  (run (id ?r) (processes ?processes))
  =>
  (bind ?seconds (* ?in-coll ?transfer))
  (bind ?each (/ ?seconds (* ?n ?processes)))
  (assert (finding (kind cause) (name collective-cost) (run ?r) (pattern "message-passing")
                   (headline (text "Collective operations take {s} of process time beyond waiting: {s} in each of {n} per rank."
                                   ?seconds ?each ?n))
                   (fix "Combine several into one, reduce after several steps, or use non-blocking ones and compute meanwhile.")
                   (gain-kind remove)
                   (lost ?seconds) (share (/ ?seconds ?lost)) (level 3) (confidence 0.7)
                   (gain (/ ?seconds ?processes))
                   (text (text "Collective operations take {s} of process time beyond waiting for those who come late: {s} on average in each of {n} per process."
                               ?seconds ?each ?n))
                   (remedy (text "Call fewer of them: combine several into one, or reduce after several steps; half as many save up to {s} of run time. If they move much data, send less, or use the non-blocking form and compute meanwhile."
                                 (/ ?seconds (* 2.0 ?processes)))))))

(defrule CAUSES::mp-latency
  "Calls take long for what they carry, although they are not too frequent."
  (logical (pattern (run ?r) (name "message-passing"))
           (not (finding (kind observation) (name held-sends) (run ?r))))
  (exists (finding (kind symptom) (name low-parallel-efficiency) (run ?r)))
  (not (settled (run ?r) (loss transfer)))
  (metric (run ?r) (pattern "message-passing") (name "run.transfer_share")
          (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern "message-passing") (name "run.calls_per_process")
          (value ?calls&:(>= ?calls ?*calls-enough*)))
  (metric (run ?r) (pattern "message-passing") (name "run.collective_transfer_share")
          (value ?in-coll&:(< ?in-coll 0.5)))
  (metric (run ?r) (pattern "message-passing") (name "run.transferring") (value ?transfer))
  (metric (run ?r) (pattern "message-passing") (name "run.lost") (value ?lost))
  (metric (run ?r) (pattern "message-passing") (name "run.grain") (value ?grain))
  (metric (run ?r) (pattern "message-passing") (name "run.call_cost") (value ?cost))
  (test (>= ?grain (* ?*grain-fine* ?cost)))
  (metric (run ?r) (pattern "message-passing") (name "run.message_mean")
          (value ?bytes&:(< ?bytes ?*message-large*)))
  (run (id ?r) (processes ?n))
  =>
  (assert (finding (kind cause) (name call-latency) (run ?r) (pattern "message-passing")
                   (headline (text "MPI calls take {s} each beyond waiting for messages of {n} bytes: latency, not volume."
                                   ?cost ?bytes))
                   (fix "Run no more ranks than cores and bind them; then post receives and sends early, complete them late.")
                   (gain-kind remove)
                   (lost ?transfer) (share (/ ?transfer ?lost)) (level 3) (confidence 0.7)
                   (gain (/ ?transfer ?n))
                   (text (text "MPI calls take {s} each beyond waiting, for messages of {n} bytes on average: {s} in all, {%} of the process time. That is latency, not volume."
                               ?cost ?bytes ?transfer ?share))
                   (remedy "See that no more processes run than there are cores (a waiting process then holds up others), and that they are bound to cores; then overlap: post receives and sends early, complete them late."))))

(defrule CAUSES::mp-bandwidth
  "Moving the data takes long because messages are large."
  (pattern (run ?r) (name "message-passing"))
  (exists (finding (kind symptom) (name low-parallel-efficiency) (run ?r)))
  (not (settled (run ?r) (loss transfer)))
  (metric (run ?r) (pattern "message-passing") (name "run.transfer_share")
          (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern "message-passing") (name "run.calls_per_process")
          (value ?calls&:(>= ?calls ?*calls-enough*)))
  (metric (run ?r) (pattern "message-passing") (name "run.collective_transfer_share")
          (value ?in-coll&:(< ?in-coll 0.5)))
  (metric (run ?r) (pattern "message-passing") (name "run.transferring") (value ?transfer))
  (metric (run ?r) (pattern "message-passing") (name "run.lost") (value ?lost))
  (metric (run ?r) (pattern "message-passing") (name "run.call_cost") (value ?cost))
  (metric (run ?r) (pattern "message-passing") (name "run.message_mean")
          (value ?bytes&:(>= ?bytes ?*message-large*)))
  (run (id ?r) (processes ?n))
  =>
  (assert (finding (kind cause) (name transfer) (run ?r) (pattern "message-passing")
                   (headline (text "Moving data takes {%} of the process time: {s} per call beyond waiting, for messages of {n} bytes."
                                   ?share ?cost ?bytes))
                   (fix "Post MPI_Irecv and MPI_Isend before computation that does not need the data; send less, or within nodes.")
                   (gain-kind remove)
                   (lost ?transfer) (share (/ ?transfer ?lost)) (level 3)
                   (gain (/ ?transfer ?n))
                   (text (text "Moving data takes {s}, {%} of the process time: messages of {n} bytes on average, {s} per call beyond waiting."
                               ?transfer ?share ?bytes ?cost))
                   (remedy "Overlap: post MPI_Irecv and MPI_Isend before computation that does not need the data, complete them after it; send less or less precise data; place neighbours on one node."))))

(defrule ADVISE::mp-done-before
  "The others end before the process that computes longest, and nobody waits for it before."
  (declare (salience 5)) ; before uneven-ends, which names nobody
  (pattern (run ?r) (name "message-passing"))
  (exists (finding (kind symptom) (name low-parallel-efficiency) (run ?r)))
  (not (settled (run ?r) (loss ends)))
  (not (quality (run ?r) (note "truncated-events" | "damaged-events" | "missing-events-file"
                               | "empty-events-file")))
  (metric (run ?r) (pattern "message-passing") (name "run.early_ends") (value ?ends))
  (metric (run ?r) (pattern "message-passing") (name "run.location_time") (value ?all))
  (test (>= ?ends (* ?*significant* ?all)))
  (metric (run ?r) (pattern "message-passing") (name "process.excess") (location ?p) (value ?excess)
          (rank 1) (of ?n))
  (metric (run ?r) (pattern "message-passing") (name "process.relative_compute") (location ?p)
          (value ?relative&:(>= ?relative ?*heavy*)))
  ;; What it computes longer explains at least half of what the others end earlier.
  (test (>= (* 2.0 ?excess (max 1 (- ?n 1))) ?ends))
  (metric (run ?r) (pattern "message-passing") (name "process.compute_time") (location ?p)
          (value ?compute))
  (not (finding (kind cause) (run ?r) (culprits $? ?p $?))) ; or it is reported already
  (metric (run ?r) (pattern "message-passing") (name "run.lost") (value ?lost))
  (not (serial (run ?r) (location ?p)))
  =>
  (bind ?who (as-heavy-as-any ?r "message-passing" "process.compute_time"))
  (if (not (member$ ?p ?who)) then (bind ?who (create$ ?p)))
  (assert (finding (kind cause) (name static-imbalance) (via ends) (run ?r) (pattern "message-passing")
                   (headline (text "{} {.1} times as long as the {}; the others are done before and idle for {s}."
                                   (ranks-compute ?who)
                                   (times-the-others ?r "message-passing" "process.compute_time" ?who ?relative)
                                   (median-or-others ?who) ?ends))
                   (fix "Share out what they compute longer.")
                   (gain-kind even-out)
                   (locations ?who) (culprits ?who) (lost ?ends) (share (min 1.0 (/ ?ends ?lost)))
                   (level 2) (functions-of ?p)
                   (gain (gain-of-evening-out
                           (above-mean ?r "message-passing" "process.compute_time" ?who) ?ends ?n))
                   (what-if (what-if-of "compute" ?who "=" even))
                   (text (text "{}Process {} computes {s} longer than the median ({s}, {.2} times as long), and the run lasts until it is done: the others end before it, {s} earlier in all."
                               (and-its-like ?who) ?p ?excess ?compute ?relative ?ends))
                   (remedy (text "Give the others a part of the {s} that process {} computes longer, or look there for work that they do not have."
                                 ?excess ?p)))))

(defrule ADVISE::mp-ends
  "Processes end before the run does."
  (not (settled (run ?r) (loss ends)))
  (not (finding (kind cause) (name static-imbalance) (run ?r)))
  (not (halt (run ?r))) ; It was cut off: nobody was done.
  (capability (run ?r) (name "init-finalize"))
  (exists (finding (kind symptom) (name low-parallel-efficiency) (run ?r)))
  (not (quality (run ?r) (note "truncated-events" | "damaged-events" | "missing-events-file"
                               | "empty-events-file")))
  (metric (run ?r) (pattern "message-passing") (name "run.early_ends") (value ?ends))
  (metric (run ?r) (pattern "message-passing") (name "run.location_time") (value ?all))
  (test (>= ?ends (* ?*significant* ?all)))
  (metric (run ?r) (pattern "message-passing") (name "run.lost") (value ?lost))
  =>
  (assert (finding (kind cause) (name uneven-ends) (run ?r) (pattern "message-passing")
                   (headline (text "Ranks end at different times: {s} of process time pass between their ends and that of the run."
                                   ?ends))
                   (fix "Give more of the work to ranks that finish long before the others.")
                   (gain-kind even-out)
                   (lost ?ends) (share (/ ?ends ?lost)) (level 2) (confidence 0.7)
                   (text (text "Processes end at different times: {s} of process time lie between the last events of processes and the end of the run."
                               ?ends))
                   (remedy "See which processes finish their part long before the others, and give them more of it."))))

(defrule REFINE::mp-ends-unrecorded
  "Processes end before the run does, but MPI_Finalize is not recorded and may be in it."
  (pattern (run ?r) (name "message-passing"))
  (exists (finding (kind symptom) (name low-parallel-efficiency) (run ?r)))
  (not (halt (run ?r)))
  (not (capability (run ?r) (name "init-finalize")))
  (not (quality (run ?r) (note "truncated-events" | "damaged-events" | "missing-events-file"
                               | "empty-events-file")))
  (metric (run ?r) (pattern "message-passing") (name "run.early_ends") (value ?ends))
  (metric (run ?r) (pattern "message-passing") (name "run.location_time") (value ?all))
  (test (>= ?ends (* ?*significant* ?all)))
  =>
  (assert (finding (kind observation) (name uneven-ends) (run ?r) (pattern "message-passing")
                   (lost ?ends) (level 2)
                   (text (text "Processes end at different times: {s} of process time lie between the last events of processes and the end of the run. The trace does not record MPI_Finalize, so part of it may be shut-down."
                               ?ends)))))

(defrule REFINE::mp-unknown
  "A large part of the communication cannot be split into waiting and transfer."
  (finding (kind symptom) (name low-parallel-efficiency) (run ?r))
  (metric (run ?r) (pattern "message-passing") (name "run.unknown_share") (value ?share))
  (test (>= ?share ?*unknown-large*))
  (metric (run ?r) (pattern "message-passing") (name "run.unknown") (value ?unknown))
  =>
  (assert (finding (kind observation) (name unknown-waiting) (run ?r) (pattern "message-passing")
                   (lost ?unknown) (level 2) (confidence 0.9)
                   (text (text "{s} ({%} of the process time) are spent in receives and waits whose partner the trace does not record, so waiting and transfer cannot be distinguished there."
                               ?unknown ?share)))))

(defrule ADVISE::mp-suspected-process
  "Some processes compute longer and spend less time in MPI than the others."
  ;; A process that is found to be late, even in a later round, is not merely suspected.
  (logical (finding (kind observation) (name ?why&unknown-waiting | unequal-transfer) (run ?r) (lost ?unknown))
           (metric (run ?r) (pattern "message-passing") (name "process.compute_time") (location ?p)
                   (value ?compute) (rank 1) (of ?n))
           (not (finding (kind cause) (name late-process) (run ?r) (culprits $? ?p $?))))
  (not (settled (run ?r) (loss waiting)))
  (not (unsettled (run ?r)))
  (metric (run ?r) (pattern "message-passing") (name "process.in_mpi") (location ?p) (value ?in))
  (metric (run ?r) (pattern "message-passing") (name "process.relative_compute") (location ?p)
          (value ?relative&:(>= ?relative ?*heavy*)))
  (metric (run ?r) (pattern "message-passing") (name "run.lost") (value ?lost))
  (not (serial (run ?r) (location ?p)))
  ;; One fault is reported once: what the clocks hide may be seen in the steps.
  (not (and (test (eq ?why unequal-transfer))
            (finding (kind cause) (name static-imbalance) (run ?r))))
  =>
  (bind ?who (as-heavy-as-any ?r "message-passing" "process.compute_time"))
  (bind ?above (above-mean ?r "message-passing" "process.compute_time" ?who))
  ;; How much longer all others together are in calls than the one that hardly waits.
  (bind ?less (min ?above (- (mean-of ?r "message-passing" "process.in_mpi" 0.0 (create$)) ?in)))
  (bind ?waits (min (* ?less ?n) ?unknown))
  (bind ?times (times-the-others ?r "message-passing" "process.compute_time" ?who ?relative))
  (if (> ?less 0.0) then
    (assert (finding (kind cause) (name suspected-late-process) (run ?r) (pattern "message-passing")
                     (headline (text "{} {.1} times as long as the {} and {s} less in MPI: the others probably wait."
                                     (ranks-compute ?who) ?times (median-or-others ?who) ?less))
                     (fix (text "Move work away from {}, or make that part faster." (ranks-named ?who)))
                     (gain-kind even-out)
                     (locations ?who) (culprits ?who) (lost ?waits) (share (/ ?waits ?lost)) (level 3)
                     (confidence 0.6) (gain ?less) (functions-of ?p)
                     (text (str-cat
                             (and-its-like ?who)
                             (text "Process {} computes {s}, {.2} times as long as the {}, and spends {s} less in MPI than the mean: the others probably wait for it. {}, so this is inferred from the totals."
                                   ?p ?compute ?times (median-or-others ?who) ?less
                                   (if (eq ?why unknown-waiting) then "The trace does not record their partners"
                                    else "The clocks are not known well enough to show it"))))
                     (remedy (text "Move about {s} of work away from process {}, or make that part faster."
                                   ?above ?p))))))

;; token-ring: whether the token is what limits the run.
;;
;;   the token is held for a good part of what the run takes longer than it computes -> token-serialisation
;;   |- and somebody computes longer: the general rules name it, too (late-process)
;;   the token mostly waits for its next holder: the ring follows its slowest member, whom the general
;;   rules name
;;
;; KNOWLEDGE.md has no ring; what counts is how long the token is held, as with a lock.

(defrule REFINE::token-in-use
  "Some process has the token for a good part of the run, and the others wait for it."
  (pattern (run ?r) (name "token-ring") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.efficiency") (value ?e&:(< ?e ?*efficiency-good*)))
  (run (id ?r) (duration ?t))
  (metric (run ?r) (pattern ?p) (name "run.serial") (value ?serial&:(>= ?serial (* ?*significant* ?t))))
  (metric (run ?r) (pattern ?p) (name "run.held_all") (value ?held))
  (metric (run ?r) (pattern ?p) (name "run.wait_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.waiting") (value ?wait))
  =>
  (assert (finding (kind symptom) (name members-wait-for-token) (run ?r) (pattern ?p) (lost ?wait)
                   (level 1)
                   (text (text "Some process has the token for {s} of {s}; the others wait for it {s}, {%} of the process time."
                               ?held ?t ?wait ?share)))))

(defrule REFINE::token-even
  "All compute equally long, so that nobody but the token is waited for."
  (finding (kind symptom) (name members-wait-for-token) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.balance") (value ?balance&:(>= ?balance ?*balanced*)))
  =>
  (assert (explained (run ?r) (pattern ?p) (loss waiting))))

(defrule CAUSES::token-serialisation
  "Processes work one after the other, because they do so with the token."
  (finding (kind symptom) (name members-wait-for-token) (run ?r) (pattern ?p) (lost ?wait))
  (metric (run ?r) (pattern ?p) (name "run.members") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.turns") (value ?turns))
  (metric (run ?r) (pattern ?p) (name "run.held_mean") (value ?held))
  (metric (run ?r) (pattern ?p) (name "run.work_share") (value ?part))
  (metric (run ?r) (pattern ?p) (name "run.serial") (value ?serial))
  (metric (run ?r) (pattern ?p) (name "member.held") (location ?l) (rank 1) (value ?longest))
  (metric (run ?r) (pattern ?p) (name "member.held_relative") (location ?l) (value ?times))
  (exists (metric (run ?r) (pattern ?p) (name "member.turn_after")))
  (run (id ?r) (duration ?t))
  =>
  (bind ?who (role-locations ?r ?p "member"))
  (assert (finding (kind cause) (name token-serialisation) (run ?r) (pattern ?p)
                   (headline (text "The {n} ranks work one at a time: each waits for a token, works {s} with it and passes it on."
                                   ?n ?held))
                   (fix "Work before taking the token and after passing it; with it only what needs the order. Or use several tokens.")
                   (gain-kind remove)
                   (locations ?who) (lost ?wait) (level 2)
                   (gain ?serial)
                   (text (text "A token goes round {n} processes, in the order {}, and {%} of all computation is done by the one that has it, {s} at a time, {n} turns each; the others wait {s} for their turn.{}"
                               ?n (in-order ?r ?p "member.turn_after" ?who) ?part ?held ?turns ?wait
                               (if (>= ?times ?*outlier*)
                                then (text " Longest process {} has it: {s}, {.1} times the median." ?l ?longest ?times)
                                else "")))
                   (remedy (text "Do with the token only what must be done in order (writing, updating what is shared), and the rest before taking it or after passing it on. If parts are independent, use a token for each. If nothing needed the token, the run would take {s} instead of {s}."
                                 (- ?t ?serial) ?t)))))

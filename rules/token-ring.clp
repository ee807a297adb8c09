;; token-ring: whether the token is what limits the run.
;;
;;   some process has the token nearly all the time, and the others wait for it  -> token-serialisation
;;   |- and somebody computes longer: the general rules name him beside it (late-process)
;;   it mostly waits for its next holder: the ring only follows its slowest member, whom the general
;;   rules name (late-process)
;;
;; KNOWLEDGE.md has no ring; as of a lock, its use is what counts: at 1 nothing goes faster unless it is
;; held for a shorter time.

(defrule SYMPTOMS::token-ask
  "A ring with a token is judged by how much of the run somebody has it."
  (pattern (run ?r) (name "token-ring") (id ?p))
  =>
  (foreach ?m (create$ "run.members" "run.turns" "run.waiting" "run.wait_share" "run.held_share"
                       "run.held_mean" "run.work_share" "run.parallel" "run.balance" "member.held"
                       "member.held_relative")
    (assert (need (run ?r) (pattern ?p) (metric ?m) (level 1)
                  (reason "see whether the token limits the run")))))

(defrule REFINE::token-in-use
  "The token is held nearly all the time, and the others wait for it."
  (metric (run ?r) (pattern ?p) (name "run.held_share") (value ?use&:(>= ?use ?*explained-most*)))
  (pattern (run ?r) (name "token-ring") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.wait_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.waiting") (value ?wait))
  =>
  (assert (finding (kind symptom) (name members-wait-for-token) (run ?r) (pattern ?p) (lost ?wait)
                   (level 1)
                   (text (text "Some process has the token {%} of the time; the others wait for it {s}, {%} of the process time."
                               ?use ?wait ?share)))))

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
  (metric (run ?r) (pattern ?p) (name "run.parallel") (value ?parallel))
  (metric (run ?r) (pattern ?p) (name "member.held") (location ?l) (rank 1) (value ?longest))
  (metric (run ?r) (pattern ?p) (name "member.held_relative") (location ?l) (value ?times))
  (run (id ?r) (duration ?t&:(>= (- ?t ?parallel) (* ?*significant* ?t))))
  =>
  (assert (finding (kind cause) (name token-serialisation) (run ?r) (pattern ?p)
                   (headline (text "The {n} ranks work one at a time: each waits for a token, works {s} with it and passes it on."
                                   ?n ?held))
                   (fix "Work before taking the token and after passing it; with it only what needs the order. Or use several tokens.")
                   (gain-kind remove)
                   (locations (role-locations ?r ?p "member")) (lost ?wait) (level 2)
                   (gain (- ?t ?parallel))
                   (text (text "A token goes round {n} processes, and {%} of all computation is done by the one that has it, {s} at a time, {n} turns each; the others wait {s} for their turn.{}"
                               ?n ?part ?held ?turns ?wait
                               (if (>= ?times ?*outlier*)
                                then (text " Longest process {} has it: {s}, {.1} times the median." ?l ?longest ?times)
                                else "")))
                   (remedy (text "Do with the token only what must be done in order (writing, updating what is shared), and the rest before taking it or after passing it on. If parts are independent, use a token for each. If nothing needed the token, the run would take {s} instead of {s}."
                                 ?parallel ?t)))))

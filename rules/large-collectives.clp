;; Collective operations that are long because they carry much, in a run of any pattern. Called less often
;; or combined they would carry the same, so the advice of other rules about collectives would not help.
;;
;; What a collective takes behind the last to enter is its own cost. It is due to the data where there are
;; many of them, where they explain the time at a plausible speed, and where operations that carry little
;; are much faster in the same run. Where clocks cannot separate that time from waiting, but everybody computes
;; as long as the others, nobody need be waited for: then what each spends in them is their cost at most.

(deffunction MAIN::large-unsure (?run ?each)
  "Whether the time of collectives that take so long may be waiting, and only clocks hide it."
  (or (any-factp ((?q quality))
        (and (eq ?q:run ?run) (member$ ?q:note (create$ "clock-one-sided" "clock-unconnected"))))
      (> (mp-value ?run "run.clock_error" "") ?each)))

(deffunction MAIN::large-family (?run)
  "Which kind of operation takes most of the time: how it is called, and what to do."
  (bind ?most 0.0)
  (bind ?best (create$ "Collective operations" ""))
  (foreach ?f (create$ "exchanging" "reducing" "spreading" "collecting")
    (bind ?value (mp-value ?run (str-cat "run.large_" ?f) ""))
    (if (> ?value ?most) then
      (bind ?most ?value)
      (bind ?best
        (switch ?f
          (case "exchanging" then
            (create$ "All-to-all operations" "Overlap them with computation, piece by piece (MPI_Ialltoall), or send less: lower precision, only what changed."))
          (case "reducing" then
            (create$ "Reductions" "Keep the result distributed (MPI_Reduce_scatter), reduce only what is needed, or overlap them (MPI_Iallreduce)."))
          (case "spreading" then
            (create$ "Broadcasts" "Send only what changed, keep one copy per node (shared memory), or overlap them with computation (MPI_Ibcast)."))
          (default
            (create$ "Gathers" "Leave the data distributed: let every rank write its part (MPI-IO), gather less, or overlap (MPI_Iallgather)."))))))
  ?best)

(defrule CAUSES::large-collectives
  "Collectives are long because they carry much."
  (pattern (run ?r) (name "message-passing"))
  (metric (run ?r) (pattern "message-passing") (name "run.location_time") (value ?all))
  (metric (run ?r) (pattern "message-passing") (name "run.lost") (value ?lost&:(>= ?lost (* ?*noise-large* ?all))))
  (exists (metric (run ?r) (pattern "message-passing") (name "run.transfer_share")
                    (value ?share&:(>= ?share ?*significant*))))
  (metric (run ?r) (pattern "message-passing") (name "run.large_share") (value ?part&:(>= ?part 0.5)))
  (metric (run ?r) (pattern "message-passing") (name "run.large_each")
          (value ?count&:(>= ?count ?*collectives-enough*)))
  (metric (run ?r) (pattern "message-passing") (name "run.large_moving") (value ?moving))
  (metric (run ?r) (pattern "message-passing") (name "run.large_moving_each") (value ?each))
  (metric (run ?r) (pattern "message-passing") (name "run.large_bytes") (value ?bytes))
  (metric (run ?r) (pattern "message-passing") (name "run.large_least") (value ?least))
  (metric (run ?r) (pattern "message-passing") (name "run.load_balance") (value ?balance))
  (run (id ?r) (processes ?n))
  (test (<= ?each (/ ?bytes ?*bandwidth-least*)))
  =>
  ;; Looked up here, since there need be none; of a few, such as a barrier at the end, any may be slow by chance.
  (bind ?small (if (>= (mp-value ?r "run.small_each" "") ?*collectives-enough*)
                then (max 0.0 (mp-value ?r "run.small_moving_each" "")) else 0.0))
  (bind ?unsure (large-unsure ?r ?each))
  (bind ?cost (if ?unsure then ?least else ?moving))
  (bind ?family (large-family ?r))
  (if (and (>= ?each (* 2.0 ?small)) (>= ?cost (* ?*significant* ?all))
           (or (not ?unsure) (>= ?balance ?*balanced*))) then
    (assert (finding (kind cause) (name large-collectives) (run ?r) (pattern "message-passing")
                     (headline (text "{} are long because they carry {} MB each per rank: {s} beyond waiting, {%} of the process time."
                                     (nth$ 1 ?family) (three-digits (/ ?bytes 1e6)) (/ ?cost (* ?count ?n)) (/ ?cost ?all)))
                     (fix (nth$ 2 ?family))
                     (gain-kind remove)
                     (lost ?cost) (share (min 1.0 (/ ?cost ?lost))) (level 3)
                     (confidence (if ?unsure then 0.6 else 0.8))
                     (gain (/ ?cost ?n)) (what-if (what-if-of "transfer" all "/" 2))
                     (text (text "Collective operations that carry much take {s}, {%} of the process time: {n} per process, of {n} bytes and {s} each beyond waiting ({n} MB per second). It is the data that take the time, not the number of calls: combined, they would carry the same.{}"
                                 ?cost (/ ?cost ?all) ?count ?bytes (/ ?cost (* ?count ?n))
                                 (/ (* ?bytes ?count ?n) (* 1e6 (max ?cost 1e-9)))
                                 (if ?unsure then " Clocks do not tell waiting from moving here; but all compute equally long." else "")))
                     (remedy (text "{} Half the data save about {s} of run time; with all of it hidden behind computation it is {s}."
                                   (nth$ 2 ?family) (/ ?cost (* 2.0 ?n)) (/ ?cost ?n)))))))

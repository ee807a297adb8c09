;; systolic-ring: a slow member, and blocks that are moved between the work.
;;
;;   members compute less than what is acceptable of their time
;;   |- one computes longer than the others, always the same                -> slow-member
;;   |- another one for some steps each                                     -> moving-work (balance.clp)
;;   |- another one in each step, without any order                         -> noise (balance.clp)
;;   `- moving large blocks takes long
;;      |- and nobody computes meanwhile                                    -> no-overlap
;;      `- although they are under way during the work                      -> transfer
;;   anything else is left to the general rules
;;
;; Messages go round in one direction only, so that they say little about the clocks: by how much clocks are
;; wrong, and what of a call is waiting, often stays open. But each block goes to all: each process makes as many
;; shifts, none before its neighbour's. So the one that computes longest sets the pace, and all others wait in
;; their calls for what they compute less, each by its own clock; and the calls of the one that waits for nobody,
;; as it is in them for the shortest time, cost what moving a block costs.

(deftemplate MAIN::systolic-moves
  "Moving large blocks takes a good part of the time."
  (slot run (type STRING)) (slot pattern (type STRING)) (slot cost (type FLOAT)) (slot each (type FLOAT))) ; s, of all, of a shift

(defrule SYMPTOMS::systolic-low-efficiency
  "Members spend much of their time outside computation."
  (pattern (run ?r) (name "systolic-ring") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.efficiency") (value ?e&:(< ?e ?*efficiency-good*)))
  (metric (run ?r) (pattern ?p) (name "run.lost") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.shifts_each") (value ?shifts))
  =>
  (assert (finding (kind symptom) (name low-ring-efficiency) (run ?r) (pattern ?p) (lost ?lost) (level 1)
                   (text (text "Members of the ring compute {%} of their time; {s} are lost in {n} shifts each."
                               ?e ?lost ?shifts)))))

(defrule CAUSES::systolic-slow-member
  "The same process computes longest in all steps, and all others wait for it."
  (finding (kind symptom) (name low-ring-efficiency) (run ?r) (pattern ?p) (lost ?lost))
  (metric (run ?r) (pattern ?p) (name "member.work") (location ?l) (rank 1) (value ?work) (of ?n))
  (metric (run ?r) (pattern ?p) (name "member.relative") (location ?l) (value ?relative&:(>= ?relative ?*heavy*)))
  (metric (run ?r) (pattern ?p) (name "member.heavy_steps") (location ?l) (value ?heavy))
  (metric (run ?r) (pattern ?p) (name "run.step_count") (value ?steps))
  (metric (run ?r) (pattern ?p) (name "run.step_kept") (value ?kept&:(>= ?kept ?*kept-static*)))
  (metric (run ?r) (pattern ?p) (name "run.shifts_each") (value ?shifts))
  (metric (run ?r) (pattern ?p) (name "run.moving_each") (value ?moving))
  (metric (run ?r) (pattern ?p) (name "run.member_time") (value ?all))
  (not (serial (run ?r) (location ?l)))
  =>
  (bind ?who (as-heavy-as-any ?r ?p "member.work"))
  (bind ?above (above-mean ?r ?p "member.work" ?who))
  (bind ?waits (- ?lost (* ?n ?shifts ?moving)))
  (bind ?cost (min (* ?n ?above) ?waits))
  ;; Of a ring that waits for something else, too, the general rules say more.
  (if (and (> (length$ ?who) 0) (>= ?cost (* ?*significant* ?all)) (>= ?cost (* ?*accounted-least* ?waits))) then
    (foreach ?loss (create$ waiting transfer grain)
      (assert (explained (run ?r) (pattern ?p) (loss ?loss))))
    (assert (finding (kind cause) (name slow-member) (run ?r) (pattern ?p)
                     (headline (text "{} {.1} times as long as the {}, and each shift waits for {}: the ring loses {s}."
                                     (ranks-compute ?who) (times-the-others ?r ?p "member.work" ?who ?relative)
                                     (median-or-others ?who) (it-or-them ?who) ?cost))
                     (fix "Cut the blocks by measured work, or make that part faster: a ring is as fast as its slowest rank.")
                     (gain-kind even-out) (clocks own)
                     (locations ?who) (culprits ?who) (lost ?cost) (share (min 1.0 (/ ?cost ?lost))) (level 2)
                     (gain (gain-of-evening-out ?above ?lost ?n)) (functions-of ?l)
                     (what-if (what-if-of "compute" ?who "=" even))
                     (text (text "{}Process {} computes {s}, {.2} times the median, and longest in {n} of {n} steps. Everybody makes as many shifts ({n}), each behind the one before: the others are as slow as it is, and lose {s}, whatever the clocks say."
                                 (and-its-like ?who) ?l ?work ?relative ?heavy ?steps ?shifts ?cost))
                     (remedy (text "Cut the blocks so that each takes equally long, or give process {} less of what is not shifted: {s} above the mean. Up to {s} of run time."
                                   ?l ?above (gain-of-evening-out ?above ?lost ?n)))))))

(defrule REFINE::systolic-uneven
  "Steps are uneven, each in another way."
  (finding (kind symptom) (name low-ring-efficiency) (run ?r) (pattern ?p) (lost ?lost))
  (metric (run ?r) (pattern ?p) (name "run.step_kept") (value ?kept))
  (metric (run ?r) (pattern ?p) (name "run.step_cost") (value ?met))
  (metric (run ?r) (pattern ?p) (name "run.step_peers") (value ?peers&:(>= ?peers (* ?*accounted-least* ?lost))))
  (metric (run ?r) (pattern ?p) (name "run.members") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.member_time") (value ?all))
  =>
  ;; A delay goes on by one process with each shift: more than neighbours wait in a step, less than all.
  (if (rounds-uneven ?kept (min ?met ?lost) ?lost ?all ?n) then
    (foreach ?loss (create$ waiting transfer grain)
      (assert (explained (run ?r) (pattern ?p) (loss ?loss))))
    (assert (uneven-rounds (run ?r) (pattern ?p) (cost (min ?met ?lost)) (processes ?n)
                           (moving-fix "Cut the blocks by measured work: one that is heavy makes each of its holders late.")
                           (noise-fix "Shift less often, in larger blocks; bind ranks to cores and keep other load away.")))))

(defrule REFINE::systolic-large-blocks
  "Moving large blocks takes a good part of the time."
  (finding (kind symptom) (name low-ring-efficiency) (run ?r) (pattern ?p) (lost ?lost))
  (metric (run ?r) (pattern ?p) (name "run.block") (value ?bytes&:(>= ?bytes ?*message-large*)))
  (metric (run ?r) (pattern ?p) (name "run.moving_each") (value ?each))
  (metric (run ?r) (pattern ?p) (name "run.shifts_each") (value ?shifts))
  (metric (run ?r) (pattern ?p) (name "run.members") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.member_time") (value ?all))
  =>
  ;; Where each one is late in turn all wait, and no calls show what moving costs: computation alone does not
  ;; say how much is waiting.
  (bind ?cost (min (* ?each ?shifts ?n) (- ?lost (metric-value ?r ?p "run.step_peers" "" 0.0))))
  (if (>= ?cost (* ?*significant* ?all)) then
    (assert (systolic-moves (run ?r) (pattern ?p) (cost ?cost) (each (/ ?cost (* ?shifts ?n))))
            (explained (run ?r) (pattern ?p) (loss transfer)))))

(defrule CAUSES::systolic-no-overlap
  "Large blocks are moved, and nobody computes meanwhile."
  (systolic-moves (run ?r) (pattern ?p) (cost ?cost) (each ?each))
  (finding (kind symptom) (name low-ring-efficiency) (run ?r) (pattern ?p) (lost ?lost))
  (metric (run ?r) (pattern ?p) (name "run.overlap") (value ?overlap&:(< ?overlap ?*overlap-little*)))
  (metric (run ?r) (pattern ?p) (name "run.moving_each"))
  (metric (run ?r) (pattern ?p) (name "run.block") (value ?bytes))
  (metric (run ?r) (pattern ?p) (name "run.work_each") (value ?work))
  (metric (run ?r) (pattern ?p) (name "run.shifts_each") (value ?shifts))
  =>
  (bind ?gain (* ?shifts (min ?each ?work)))
  (assert (finding (kind cause) (name no-overlap) (run ?r) (pattern ?p)
                   (headline (text "Blocks of {.1} MB move only when the work on them is done: {s} of each shift, beside {s} of work."
                                   (/ ?bytes 1e6) ?each ?work))
                   (fix "Two buffers: MPI_Isend the block and MPI_Irecv the next one first, work on it meanwhile, then MPI_Waitall.")
                   (gain-kind remove) (clocks own)
                   (lost ?cost) (share (min 1.0 (/ ?cost ?lost))) (level 2) (confidence 0.6)
                   (gain ?gain)
                   (text (text "Blocks of {n} bytes are shifted {n} times by each process, and nothing is computed meanwhile ({%} of the time of shifts). A shift costs {s} at least, as it costs the process that is in its calls for the shortest time, beside {s} of computation."
                               ?bytes ?shifts ?overlap ?each ?work))
                   (remedy (text "Two buffers: begin to send the block and to receive the next one (MPI_Isend, MPI_Irecv), work on the block, then complete both. As far as MPI moves data while the program computes (across a network rather than within a node), the {s} of work can hide {s} of each shift; up to {s} of run time."
                                 ?work (min ?each ?work) ?gain)))))

(defrule CAUSES::systolic-transfer
  "Large blocks are under way during the work, and their calls take long all the same."
  (systolic-moves (run ?r) (pattern ?p) (cost ?cost) (each ?each))
  (finding (kind symptom) (name low-ring-efficiency) (run ?r) (pattern ?p) (lost ?lost))
  (metric (run ?r) (pattern ?p) (name "run.overlap") (value ?overlap&:(>= ?overlap ?*overlap-little*)))
  (metric (run ?r) (pattern ?p) (name "run.moving_each"))
  (metric (run ?r) (pattern ?p) (name "run.block") (value ?bytes))
  (metric (run ?r) (pattern ?p) (name "run.work_each") (value ?work))
  (metric (run ?r) (pattern ?p) (name "run.shifts_each") (value ?shifts))
  =>
  (bind ?gain (* ?shifts (min ?each ?work)))
  (assert (finding (kind cause) (name transfer) (run ?r) (pattern ?p)
                   (headline (text "Blocks of {.1} MB are under way during the work, and yet their calls take {s} of each shift, beside {s} of work."
                                   (/ ?bytes 1e6) ?each ?work))
                   (fix "Let MPI move data meanwhile (progress thread, MPI_Test during the work), or do more work per byte: larger blocks.")
                   (gain-kind remove) (clocks own)
                   (lost ?cost) (share (min 1.0 (/ ?cost ?lost))) (level 2) (confidence 0.6)
                   (gain ?gain)
                   (text (text "Blocks of {n} bytes are shifted {n} times by each process while it computes ({%} of the time of shifts), and still a shift costs {s} in calls at least, beside {s} of computation: MPI seems to move them only when it is called."
                               ?bytes ?shifts ?overlap ?each ?work))
                   (remedy (text "Call MPI_Test now and then during the work, or let the library have a thread for it; within a node share memory instead of copying; in a matrix product blocks of twice the width have twice the work per byte. Up to {s} of run time."
                                 ?gain)))))

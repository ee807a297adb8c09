;; lock-server: a lock, or a token, that one process gives to the others in turn. No paper; the reasoning is
;; that of a single station: what is done under the lock is done one after the other.
;;
;;   symptom   clients wait for the lock                                      -> lock-waiting
;;   |- cause  more of that is for others under it than for the server        -> lock-contention
;;   `- cause  the server takes longer to give it than clients have it        -> slow-lock-server
;;
;; The server waits for requests by design, so it is no yardstick for those that compute.

(defrule SYMPTOMS::lock-ask
  "A lock is judged by how long clients wait for it."
  (pattern (run ?r) (name "lock-server") (id ?p))
  =>
  (foreach ?loss (create$ waiting transfer grain)
    (assert (explained (run ?r) (pattern ?p) (loss ?loss))))
  (foreach ?m (create$ "run.waiting" "run.waiting_share" "run.held" "run.held_share" "run.section"
                       "run.section_count" "run.clients" "run.serving" "run.serve_mean")
    (assert (need (run ?r) (pattern ?p) (metric ?m) (level 1)
                  (reason "see how long processes wait for the lock")))))

(defrule SYMPTOMS::lock-waiting
  "Clients spend a significant part of their time waiting for the lock."
  (pattern (run ?r) (name "lock-server") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.waiting_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.waiting") (value ?lost))
  =>
  (foreach ?m (create$ "client.wait_lock" "client.held_typical" "client.relative_held" "client.sections")
    (assert (need (run ?r) (pattern ?p) (metric ?m) (level 2) (reason "see who has the lock for long"))))
  (assert (finding (kind symptom) (name lock-waiting) (run ?r) (pattern ?p)
                   (locations (role-locations ?r ?p "client")) (lost ?lost) (share ?share) (level 1)
                   (text (text "Processes wait {s} for the lock, {%} of their time." ?lost ?share)))))

(defrule SYMPTOMS::lock-healthy
  "Hardly anybody waits for the lock."
  (pattern (run ?r) (name "lock-server") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.waiting_share") (value ?share&:(< ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.section_count") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.section") (value ?held))
  =>
  (assert (finding (kind observation) (name free-lock) (run ?r) (pattern ?p) (healthy yes) (level 1)
                   (text (text "The lock is hardly contended: processes wait {%} of their time for it ({n} sections of {s})."
                               ?share ?n ?held)))))

(deffunction MAIN::lock-long-holders (?run ?pattern)
  "Labels of the clients that have the lock much longer each time than the others."
  (bind ?labels (create$))
  (do-for-all-facts ((?m metric))
    (and (eq ?m:run ?run) (eq ?m:pattern ?pattern) (eq ?m:name "client.relative_held")
         (>= ?m:value ?*outlier*))
    (bind ?labels (create$ ?labels ?m:location)))
  ?labels)

(defrule CAUSES::lock-contention
  "Clients wait while others are under the lock."
  (pattern (run ?r) (name "lock-server") (id ?p))
  (finding (kind symptom) (name lock-waiting) (run ?r) (pattern ?p) (lost ?lost))
  (metric (run ?r) (pattern ?p) (name "run.held") (value ?held))
  (metric (run ?r) (pattern ?p) (name "run.serving") (value ?serving&:(< ?serving ?held)))
  (metric (run ?r) (pattern ?p) (name "run.held_share") (value ?busy))
  (metric (run ?r) (pattern ?p) (name "run.section") (value ?section))
  (metric (run ?r) (pattern ?p) (name "run.section_count") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.clients") (value ?clients&:(> ?clients 0.0)))
  (metric (run ?r) (pattern ?p) (name "client.relative_held") (rank 1))
  =>
  (bind ?long (lock-long-holders ?r ?p))
  (assert (finding (kind cause) (name lock-contention) (run ?r) (pattern ?p)
                   (headline (text "One lock serialises {n} processes: it is held {%} of the run, {s} at a time{}, and they wait {s}."
                                   ?clients (min 1.0 ?busy) ?section
                                   (if (> (length$ ?long) 0)
                                    then (text ", longest by rank {}" (location-list ?long)) else "")
                                   ?lost))
                   (fix "Do less under the lock, use a lock for each part of the data, or merge private copies at the end.")
                   (gain-kind remove)
                   (locations (role-locations ?r ?p "client")) (culprits ?long) (lost ?lost)
                   (gain (/ ?lost ?clients)) (level 2)
                   (where "Section.work")
                   (text (text "What is done under the lock is done by one process at a time: {n} sections of {s}, {%} of the run. The {n} processes wait {s} for each other there."
                               ?n ?section (min 1.0 ?busy) ?clients ?lost))
                   (remedy (text "Do less under the lock than {s}, use a lock for each part of the data, or let each process work on a copy of its own and merge them at the end; for counters, MPI_Fetch_and_op needs no server. Up to {s} of run time."
                                 ?section (/ ?lost ?clients))))))

(defrule CAUSES::lock-slow-server
  "The server takes longer to give the lock than clients have it."
  (pattern (run ?r) (name "lock-server") (id ?p))
  (finding (kind symptom) (name lock-waiting) (run ?r) (pattern ?p) (lost ?lost))
  (role (run ?r) (pattern ?p) (name "server") (location ?s))
  (metric (run ?r) (pattern ?p) (name "run.held") (value ?held))
  (metric (run ?r) (pattern ?p) (name "run.serving") (value ?serving&:(>= ?serving ?held)))
  (metric (run ?r) (pattern ?p) (name "run.serve_mean") (value ?each))
  (metric (run ?r) (pattern ?p) (name "run.section") (value ?section))
  (metric (run ?r) (pattern ?p) (name "run.clients") (value ?clients&:(> ?clients 0.0)))
  =>
  (bind ?part (* ?lost (/ ?serving (max 1e-12 (+ ?serving ?held)))))
  (assert (finding (kind cause) (name slow-lock-server) (run ?r) (pattern ?p)
                   (headline (text "Server {} takes {s} to give the lock, which is held {s}: {n} processes wait {s}."
                                   ?s ?each ?section ?clients ?lost))
                   (fix (text "Let server {} grant first and do its other work afterwards." ?s))
                   (gain-kind remove)
                   (locations (role-locations ?r ?p "client")) (culprits ?s) (lost ?lost)
                   (gain (/ ?part ?clients)) (level 2) (where "Section.serve" (str-cat "location " ?s))
                   (text (text "Server {} computes {s} before it gives the lock, and clients have it for {s}: they wait {s} in all."
                               ?s ?each ?section ?lost))
                   (remedy (text "Let server {} grant first and do its other work afterwards, or use MPI_Fetch_and_op and MPI_Compare_and_swap, which need no server; up to {s} of run time."
                                 ?s (/ ?part ?clients))))))

;; lock-server: a lock, or a token, that one process gives to the others in turn. No paper; the reasoning is
;; that of a single station: what is done under the lock is done one after the other.
;;
;;   symptom   clients wait for the lock                                      -> lock-waiting
;;   |- cause  more of that is for others under it than for the server        -> lock-contention
;;   `- cause  the server takes longer to give it than clients have it        -> slow-lock-server
;;
;; Servers wait for requests by design: that is no loss, and those that compute are not compared with them.

;; What is said names the servers whose locks are waited for, where there are several.

(defrule SYMPTOMS::lock-explains
  "A lock is judged by how long clients wait for it."
  (pattern (run ?r) (name "lock-server") (id ?p))
  =>
  (foreach ?loss (create$ waiting transfer grain)
    (assert (explained (run ?r) (pattern ?p) (loss ?loss)))))

(defrule SYMPTOMS::lock-waiting
  "Clients spend a significant part of their time waiting for the lock."
  (pattern (run ?r) (name "lock-server") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.waiting_share") (value ?share&:(>= ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.waiting") (value ?lost))
  =>
  (assert (finding (kind symptom) (name lock-waiting) (run ?r) (pattern ?p)
                   (locations (role-locations ?r ?p "client")) (lost ?lost) (share ?share) (level 1)
                   (text (text "Processes wait {s} for the lock, {%} of their time." ?lost ?share)))))

(defrule SYMPTOMS::lock-idle-server
  "A server that waits for requests is how the pattern works, not a loss to act on."
  (pattern (run ?r) (name "lock-server") (id ?p))
  (metric (run ?r) (pattern ?p) (name "server.idle") (location ?s) (value ?idle&:(> ?idle 0.0)))
  =>
  (assert (finding (kind observation) (name idle-server) (run ?r) (pattern ?p)
                   (locations ?s) (lost ?idle) (healthy yes) (level 1)
                   (text (text "Server {} waits {s} for requests; that is its role." ?s ?idle)))))

(defrule SYMPTOMS::lock-healthy
  "Hardly anybody waits for the lock."
  (pattern (run ?r) (name "lock-server") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.waiting_share") (value ?share&:(< ?share ?*significant*)))
  (metric (run ?r) (pattern ?p) (name "run.section_count") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.section_mean") (value ?held))
  =>
  (assert (finding (kind observation) (name free-lock) (run ?r) (pattern ?p) (healthy yes) (level 1)
                   (text (text "The lock is hardly contended: processes wait {%} of their time for it ({n} sections of {s})."
                               ?share ?n ?held)))))

(deffunction MAIN::lock-awaited (?run ?pattern ?slow)
  "Servers for whose locks a significant part of the waiting is; those that compute longer than the lock is held, or the others."
  (bind ?labels (create$))
  (do-for-all-facts ((?m metric) (?all metric))
    (and (eq ?m:run ?run) (eq ?m:pattern ?pattern) (eq ?m:name "server.waited")
         (eq ?all:run ?run) (eq ?all:pattern ?pattern) (eq ?all:name "run.waiting")
         (> ?m:value (* ?*unaccounted* ?all:value)))
    (if (eq ?slow (if (>= (metric-value ?run ?pattern "server.serving" ?m:location 0.0)
                          (metric-value ?run ?pattern "server.held" ?m:location 0.0)) then yes else no))
     then (bind ?labels (create$ ?labels ?m:location))))
  ?labels)

(deffunction MAIN::lock-long-holders (?run ?pattern)
  "Labels of the clients that have the lock much longer each time than the others."
  (bind ?labels (create$))
  (do-for-all-facts ((?m metric))
    (and (eq ?m:run ?run) (eq ?m:pattern ?pattern) (eq ?m:name "client.relative_held")
         (>= ?m:value ?*outlier*))
    (bind ?labels (create$ ?labels ?m:location)))
  ?labels)

(deffunction MAIN::lock-name (?run ?pattern ?servers)
  "\"One lock\" or, where there are several, those of some servers."
  (if (= 1 (length$ (role-locations ?run ?pattern "server"))) then "One lock"
   else (text "The lock{} of server{} {}" (if (> (length$ ?servers) 1) then "s" else "")
              (if (> (length$ ?servers) 1) then "s" else "") (location-list ?servers))))

(deffunction MAIN::lock-kept (?who ?long ?usual ?lost)
  "The headline where few keep the lock."
  (text "Rank{} {} keep{} the lock {s} at a time, the others {s}: they wait {s}."
        (if (> (length$ ?who) 1) then "s" else "") (location-list ?who)
        (if (> (length$ ?who) 1) then "" else "s") ?long ?usual ?lost))

(defrule CAUSES::lock-contention
  "Clients wait while others are under the lock."
  (pattern (run ?r) (name "lock-server") (id ?p))
  (finding (kind symptom) (name lock-waiting) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.waiting") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.saved") (value ?saved))
  (metric (run ?r) (pattern ?p) (name "run.clients") (value ?clients))
  (metric (run ?r) (pattern ?p) (name "server.held") (rank 1))
  (metric (run ?r) (pattern ?p) (name "server.held_share") (rank 1) (value ?busy))
  (metric (run ?r) (pattern ?p) (name "server.waited") (rank 1))
  (metric (run ?r) (pattern ?p) (name "server.section") (rank 1))
  (metric (run ?r) (pattern ?p) (name "server.given") (rank 1))
  (metric (run ?r) (pattern ?p) (name "server.serving") (rank 1))
  (metric (run ?r) (pattern ?p) (name "client.relative_held") (rank 1))
  (metric (run ?r) (pattern ?p) (name "client.held_typical") (rank 1))
  (metric (run ?r) (pattern ?p) (name "client.over_held") (rank 1))
  =>
  (bind ?servers (lock-awaited ?r ?p no))
  (bind ?long (lock-long-holders ?r ?p))
  (bind ?lost (sum-of ?r ?p "server.waited" ?servers))
  (bind ?n (sum-of ?r ?p "server.given" ?servers))
  (bind ?held (sum-of ?r ?p "server.held" ?servers))
  (bind ?section (/ ?held (max 1.0 ?n)))
  (bind ?longest (sum-of ?r ?p "client.held_typical" (first$ ?long)))
  (bind ?usual (median-of ?r ?p "client.held_typical"))
  ;; Most of the time the lock is held only because they have it for so long.
  (bind ?kept (> (* 2.0 (sum-of ?r ?p "client.over_held" ?long)) ?held))
  (bind ?busy (min 1.0 (sum-of ?r ?p "server.held_share" (first$ ?servers))))
  (bind ?gain (* ?saved (min 1.0 (/ ?lost (max 1e-12 ?all)))))
  (if (> (length$ ?servers) 0) then
  (assert (finding (kind cause) (name lock-contention) (run ?r) (pattern ?p)
                   (headline (if ?kept then (lock-kept ?long ?longest ?usual ?lost)
                              else (text "{} serialise{} {n} processes: held {%} of the run, {s} at a time{}, and they wait {s}."
                                         (lock-name ?r ?p ?servers) (if (> (length$ ?servers) 1) then "" else "s")
                                         ?clients ?busy ?section
                                         (if (> (length$ ?long) 0)
                                          then (text ", longest by rank {}" (location-list ?long)) else "")
                                         ?lost)))
                   (fix (if ?kept
                         then (text "Let rank{} {} do less under the lock: only what others must not do meanwhile."
                                    (if (> (length$ ?long) 1) then "s" else "") (location-list ?long))
                         else "Do less under the lock, use a lock for each part of the data, or merge private copies at the end."))
                   (gain-kind remove)
                   (locations (role-locations ?r ?p "client")) (culprits ?long) (lost ?lost)
                   (gain ?gain) (level 2)
                   (where "Section.work")
                   (text (text "What is done under the lock is done by one process at a time: {n} sections of {s}, {%} of the run. The {n} processes wait {s} for each other there."
                               ?n ?section ?busy ?clients ?lost))
                   (remedy (text "Do less under the lock than {s}, use a lock for each part of the data, or let each process work on a copy of its own and merge them at the end; for counters, MPI_Fetch_and_op needs no server. Up to {s} of run time."
                                 ?section ?gain))))))

(defrule CAUSES::lock-slow-server
  "The server takes longer to give the lock than clients have it."
  (pattern (run ?r) (name "lock-server") (id ?p))
  (finding (kind symptom) (name lock-waiting) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.waiting") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.saved") (value ?saved))
  (metric (run ?r) (pattern ?p) (name "run.clients") (value ?clients))
  (metric (run ?r) (pattern ?p) (name "server.waited") (rank 1))
  (metric (run ?r) (pattern ?p) (name "server.section") (rank 1))
  (metric (run ?r) (pattern ?p) (name "server.held") (rank 1))
  (metric (run ?r) (pattern ?p) (name "server.serving") (rank 1))
  (metric (run ?r) (pattern ?p) (name "server.serve_mean") (rank 1))
  =>
  (bind ?servers (lock-awaited ?r ?p yes))
  (bind ?lost (sum-of ?r ?p "server.waited" ?servers))
  (bind ?serving (sum-of ?r ?p "server.serving" ?servers))
  (bind ?each (sum-of ?r ?p "server.serve_mean" (first$ ?servers)))
  (bind ?section (sum-of ?r ?p "server.section" (first$ ?servers)))
  (bind ?part (/ ?serving (max 1e-12 (+ ?serving (sum-of ?r ?p "server.held" ?servers)))))
  (bind ?gain (* ?saved ?part (min 1.0 (/ ?lost (max 1e-12 ?all)))))
  (bind ?who (text "erver{} {}" (if (> (length$ ?servers) 1) then "s" else "") (location-list ?servers)))
  (if (> (length$ ?servers) 0) then
  (assert (finding (kind cause) (name slow-lock-server) (run ?r) (pattern ?p)
                   (headline (text "S{} compute{} {s} each time the lock is given, which is held {s}: {n} processes wait {s}."
                                   ?who (if (> (length$ ?servers) 1) then "" else "s") ?each ?section ?clients ?lost))
                   (fix (text "Let s{} grant first and do other work afterwards." ?who))
                   (gain-kind remove)
                   (locations (role-locations ?r ?p "client")) (culprits ?servers) (lost ?lost)
                   (gain ?gain) (level 2) (functions-of (nth$ 1 ?servers))
                   (text (text "S{} computes {s} for each time that the lock is given, and clients have it for {s}: they wait {s} in all."
                               ?who ?each ?section ?lost))
                   (remedy (text "Let s{} grant first and do other work afterwards, or use MPI_Fetch_and_op and MPI_Compare_and_swap, which need no server; up to {s} of run time."
                                 ?who ?gain))))))

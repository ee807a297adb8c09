;; What the rules of lock-server conclude from given facts, and nothing else.

(case "processes that wait for each other under a lock are serialised by it"
  (given (pattern (run "r1") (name "lock-server") (id "lock-server"))
         (role (run "r1") (pattern "lock-server") (name "server") (location "0"))
         (role (run "r1") (pattern "lock-server") (name "client") (location "1"))
         (role (run "r1") (pattern "lock-server") (name "client") (location "2")))
  (expect (need (metric "run.waiting_share")))
  (given (metrics (pattern "lock-server") run.waiting_share 0.4 run.waiting 2.4 run.saved 1.1 run.clients 2.0
           server.waited ("0" 2.4) server.held ("0" 2.7) server.held_share ("0" 0.9) server.section ("0" 0.0135)
           server.given ("0" 200.0) server.serving ("0" 0.01) server.serve_mean ("0" 0.00005)
           client.held_typical ("1" 0.0135 "2" 0.0135) client.relative_held ("1" 1.0 "2" 1.0))
         (metric (run "r1") (pattern "lock-server") (name "client.over_held") (location "1") (value 0.0) (rank 1) (of 2)))
  (expect (finding (kind symptom) (name lock-waiting) (locations "1" "2") (lost 2.4) (because "run.waiting_share"))
          (finding (kind cause) (name lock-contention) (culprits) (locations "1" "2") (lost 2.4) (gain 1.1)
                   (gain-kind remove)
                   (headline "One lock serialises 2 processes: held 90.0 % of the run, 13.5 ms at a time, and they wait 2.40 s.")
                   (fix "Do less under the lock, use a lock for each part of the data, or merge private copies at the end.")
                   (because lock-waiting "server.held" "server.section"))))

(case "who has the lock much longer than the others is named"
  (given (pattern (run "r1") (name "lock-server") (id "lock-server"))
         (role (run "r1") (pattern "lock-server") (name "server") (location "0"))
         (metrics (pattern "lock-server") run.waiting_share 0.4 run.waiting 2.4 run.saved 1.1 run.clients 3.0
           server.waited ("0" 2.4) server.held ("0" 2.7) server.held_share ("0" 0.9) server.section ("0" 0.009)
           server.given ("0" 300.0) server.serving ("0" 0.01) server.serve_mean ("0" 0.00005))
         (metric (run "r1") (pattern "lock-server") (name "client.held_typical") (location "2") (value 0.012) (rank 1) (of 3))
         (metric (run "r1") (pattern "lock-server") (name "client.held_typical") (location "1") (value 0.0075) (rank 2) (of 3))
         (metric (run "r1") (pattern "lock-server") (name "client.over_held") (location "2") (value 0.45) (rank 1) (of 3))
         (metric (run "r1") (pattern "lock-server") (name "client.relative_held") (location "2") (value 1.6) (rank 1) (of 3)))
  (expect (finding (name lock-waiting))
          (finding (kind cause) (name lock-contention) (culprits "2")
                   (headline "One lock serialises 3 processes: held 90.0 % of the run, 9.00 ms at a time, longest by rank 2, and they wait 2.40 s."))))

(case "who makes up most of the time that a lock is held shall do less under it"
  (given (pattern (run "r1") (name "lock-server") (id "lock-server"))
         (role (run "r1") (pattern "lock-server") (name "server") (location "0"))
         (metrics (pattern "lock-server") run.waiting_share 0.3 run.waiting 4.7 run.saved 1.38 run.clients 3.0
           server.waited ("0" 4.7) server.held ("0" 1.6) server.held_share ("0" 0.53) server.section ("0" 0.0053)
           server.given ("0" 300.0) server.serving ("0" 0.01) server.serve_mean ("0" 0.00005))
         (metric (run "r1") (pattern "lock-server") (name "client.held_typical") (location "2") (value 0.0286) (rank 1) (of 3))
         (metric (run "r1") (pattern "lock-server") (name "client.held_typical") (location "1") (value 0.0006) (rank 2) (of 3))
         (metric (run "r1") (pattern "lock-server") (name "client.over_held") (location "2") (value 1.4) (rank 1) (of 3))
         (metric (run "r1") (pattern "lock-server") (name "client.relative_held") (location "2") (value 48.0) (rank 1) (of 3)))
  (expect (finding (name lock-waiting))
          (finding (kind cause) (name lock-contention) (culprits "2") (gain 1.38)
                   (headline "Rank 2 keeps the lock 28.6 ms at a time, the others 600 us: they wait 4.70 s.")
                   (fix "Let rank 2 do less under the lock: only what others must not do meanwhile."))))

(case "a server that computes longer than clients have the lock is slow; that of another lock is not to blame"
  (given (pattern (run "r1") (name "lock-server") (id "lock-server"))
         (role (run "r1") (pattern "lock-server") (name "server") (location "0"))
         (role (run "r1") (pattern "lock-server") (name "server") (location "1"))
         (metrics (pattern "lock-server") run.waiting_share 0.3 run.waiting 2.05 run.saved 0.41 run.clients 4.0
           server.waited ("0" 2.0 "1" 0.05) server.section ("0" 0.002 "1" 0.002) server.held ("0" 0.5 "1" 0.5)
           server.serving ("0" 1.5 "1" 0.001) server.serve_mean ("0" 0.006 "1" 0.000004)))
  (expect (finding (name lock-waiting))
          (finding (kind cause) (name slow-lock-server) (culprits "0") (lost 2.0) (gain 0.3) (gain-kind remove)
                   (headline "Server 0 computes 6.00 ms each time the lock is given, which is held 2.00 ms: 4 processes wait 2.00 s.")
                   (because lock-waiting "server.serving" "server.held"))))

(case "a lock that hardly anybody waits for is no problem, nor is a server that waits for requests"
  (given (pattern (run "r1") (name "lock-server") (id "lock-server"))
         (metrics (pattern "lock-server") run.waiting_share 0.02 run.waiting 0.1 run.section_count 200.0
           run.section_mean 0.002 server.idle ("0" 1.3)))
  (expect (finding (kind observation) (name free-lock) (healthy yes))
          (finding (kind observation) (name idle-server) (locations "0") (lost 1.3) (healthy yes))))

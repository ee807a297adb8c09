;; What the rules of butterfly conclude beside those of geometric-decomposition.

(case "all data in each of three stages, and work before the first of them only"
  (given (run (id "r1") (processes 8) (locations 8) (duration 2.0) (clock messages))
         (pattern (run "r1") (name "butterfly") (id "butterfly"))
         (finding (kind symptom) (name low-subdomain-efficiency) (run "r1") (pattern "butterfly") (lost 6.0)))
  (expect (need (metric "run.stages")))
  (given (metrics (pattern "butterfly") run.moving_halos 3.0 run.least_moving 2.4 run.domain_time 16.0
           run.exchanges_each 120.0 run.work_each 0.02 run.message_mean 4000000.0 run.subdomains 8.0 run.lost 6.0
           run.stages 3.0 run.worked 0.333333 run.alike 1.0 run.waiting 0.5)
         (metric (run "r1") (pattern "butterfly") (name "subdomain.relative") (location "5") (rank 1) (of 8) (value 1.02) (unit "1")))
  (expect (finding (kind cause) (name hand-written-collective) (lost 3.0) (gain 0.15625) (gain-kind remove)
                   (headline "A collective by hand: 3 exchanges one after the other take 9.38 ms of each round, beside 60.0 ms of work.")
                   (fix "Use MPI_Allreduce (MPI_Allgather, MPI_Reduce_scatter): of large data it sends 58.3 % of the bytes.")
                   (because "run.moving_halos" "run.worked" "run.alike"))))

(case "small messages: a library needs as many stages, but may go on during the work"
  (given (like "all data in each of three stages, and work before the first of them only")
         (metrics (pattern "butterfly") run.message_mean 512.0))
  (expect (finding (kind cause) (name hand-written-collective) (lost 3.0) (gain 0.375)
                   (fix "Use MPI_Allreduce for several values or rounds at once, or MPI_Iallreduce and compute meanwhile."))))

(case "what is halved in each stage is not sent twice: no bytes are saved"
  (given (like "all data in each of three stages, and work before the first of them only")
         (metrics (pattern "butterfly") run.alike 0.25))
  (expect (finding (kind cause) (name hand-written-collective) (gain 0.375))))

(case "where an exchange costs more than what it is for, waits are for partners in exchanges"
  (given (like "all data in each of three stages, and work before the first of them only")
         (metrics (pattern "butterfly") run.work_each 0.001 run.message_mean 512.0))
  (expect (finding (kind cause) (name hand-written-collective) (lost 3.5) (gain 0.12))))

(case "beside a process that computes longer it costs what it costs all"
  (given (like "all data in each of three stages, and work before the first of them only")
         (metric (run "r1") (pattern "butterfly") (name "subdomain.relative") (location "5") (rank 1) (of 8) (value 1.6) (unit "1")))
  (expect (finding (kind cause) (name hand-written-collective) (lost 2.4))))

(case "work before each stage: a transform or a sort, and no collective operation"
  (given (like "all data in each of three stages, and work before the first of them only")
         (metrics (pattern "butterfly") run.worked 1.0))
  (expect))

(case "exchanges that cost little may be written by hand"
  (given (like "all data in each of three stages, and work before the first of them only")
         (metrics (pattern "butterfly") run.moving_halos 0.5 run.least_moving 0.4))
  (expect))

(case "there is no domain to be cut: what is said of a process that computes longer"
  (given (run (id "r1") (processes 8) (locations 8) (duration 2.0) (clock messages))
         (pattern (run "r1") (name "butterfly") (id "butterfly"))
         (pattern (run "r1") (name "geometric-decomposition") (id "butterfly"))
         (finding (kind observation) (name subdomains-wait) (run "r1") (pattern "butterfly") (lost 5.0))
         (stepped-late (run "r1") (pattern "butterfly") (location "5") (cost 4.9))
         (metrics (pattern "butterfly") run.lost 5.2 subdomain.delay_cost ("5" 4.9) subdomain.relative ("5" 1.8)
           subdomain.excess ("5" 0.8) subdomain.compute_time ("5" 1.8 "0" 1.0) subdomain.given_relative ("5" 1.0))
         (metric (run "r1") (pattern "butterfly") (name "subdomain.delay_share") (location "5") (rank 1) (of 2) (value 0.98) (unit "1")))
  (expect (finding (kind cause) (name heavy-subdomain) (culprits "5")
                   (fix "Share out the work of each round by measured cost.")
                   (text "Subdomain 5 computes 0.800 s longer than the median (1.80 s, 1.80 times as long); in the stages of one round its delay reaches everybody: 4.90 s; 98.0 % of the waiting that can be seen goes back to it."))))

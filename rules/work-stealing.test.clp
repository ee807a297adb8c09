;; What the rules of work-stealing conclude from given facts, and nothing else. Times are seconds.

(case "ranks that look for requests rarely let thieves wait; how often to look is said"
  (given (pattern (run "r1") (name "work-stealing") (id "work-stealing"))
         (run (id "r1") (processes 3) (locations 3) (duration 2.0) (clock single))
         (role (run "r1") (pattern "work-stealing") (name "worker") (location "0"))
         (role (run "r1") (pattern "work-stealing") (name "worker") (location "1"))
         (role (run "r1") (pattern "work-stealing") (name "worker") (location "2")))
  (expect (need (metric "run.idle_share")))
  (given (metrics (pattern "work-stealing") run.idle_share 0.3 run.idle 1.8 run.workers 3.0 run.steals 20.0
           run.answer 0.06))
  (expect (finding (kind symptom) (name idle-thieves) (locations "0" "1" "2") (lost 1.8)))
  (given (metrics (pattern "work-stealing") run.late_share 0.2 run.late 1.2 run.waiting 1.5 run.poll 0.12
           run.balance 0.85 run.uneven 0.2 worker.relative_poll ("0" 1.1 "1" 0.9))
         (metric (run "r1") (pattern "work-stealing") (name "worker.late_answers") (location "0") (value 0.7) (rank 1) (of 3))
         (metric (run "r1") (pattern "work-stealing") (name "worker.late_answers") (location "1") (value 0.5) (rank 2) (of 3)))
  (expect (finding (kind symptom) (name idle-thieves))
          (finding (kind cause) (name rare-polling) (culprits) (locations "0" "1" "2") (lost 1.5) (gain 0.45) (gain-kind remove)
                   (headline "Ranks that have work look for requests only every 0.120 s, so idle ranks wait 1.50 s for work.")
                   (fix "Look for requests (MPI_Iprobe) every 12.0 ms instead of every 0.120 s, also in the middle of a task.")
                   (because idle-thieves "run.late_share" "run.poll"))))

(case "as uneven as rare looks leave it, for fewer times between two looks than there are workers"
  (given (pattern (run "r1") (name "work-stealing") (id "work-stealing"))
         (run (id "r1") (processes 3) (locations 3) (duration 2.0) (clock single))
         (role (run "r1") (pattern "work-stealing") (name "worker") (location "0"))
         (role (run "r1") (pattern "work-stealing") (name "worker") (location "1"))
         (role (run "r1") (pattern "work-stealing") (name "worker") (location "2")))
  (expect (need (metric "run.idle_share")))
  (given (metrics (pattern "work-stealing") run.idle_share 0.3 run.idle 1.8 run.workers 3.0 run.steals 20.0
           run.answer 0.06))
  (expect (finding (kind symptom) (name idle-thieves) (locations "0" "1" "2") (lost 1.8)))
  (given (metrics (pattern "work-stealing") run.late_share 0.2 run.late 1.2 run.waiting 1.5 run.poll 0.12
           run.balance 0.7 run.uneven 0.35 worker.relative_poll ("0" 1.1 "1" 0.9))
         (metric (run "r1") (pattern "work-stealing") (name "worker.late_answers") (location "0") (value 0.7) (rank 1) (of 3))
         (metric (run "r1") (pattern "work-stealing") (name "worker.late_answers") (location "1") (value 0.5) (rank 2) (of 3)))
  (expect (finding (kind symptom) (name idle-thieves))
          (finding (kind cause) (name rare-polling) (culprits) (locations "0" "1" "2") (lost 1.5) (gain 0.45) (gain-kind remove))))

(case "one that looks rarely, among others that do not, is named"
  (given (pattern (run "r1") (name "work-stealing") (id "work-stealing"))
         (run (id "r1") (processes 3) (locations 3) (duration 2.0) (clock single))
         (metrics (pattern "work-stealing") run.idle_share 0.3 run.idle 1.8 run.workers 3.0 run.answer 0.06
           run.late_share 0.2 run.late 1.2 run.waiting 1.5 run.poll 0.12 run.balance 0.85 run.uneven 0.2
           worker.relative_poll ("0" 9.0 "1" 1.0))
         (metric (run "r1") (pattern "work-stealing") (name "worker.late_answers") (location "0") (value 1.1) (rank 1) (of 3))
         (metric (run "r1") (pattern "work-stealing") (name "worker.late_answers") (location "1") (value 0.1) (rank 2) (of 3)))
  (expect (finding (kind symptom) (name idle-thieves))
          (finding (kind cause) (name rare-polling) (culprits "0")
                   (headline "Rank 0 looks for requests only every 0.120 s, so idle ranks wait 1.50 s for work."))))

(case "work that stays with one although it is asked again and again is not stolen, however long answers take"
  (given (pattern (run "r1") (name "work-stealing") (id "work-stealing"))
         (run (id "r1") (processes 3) (locations 3) (duration 2.0) (clock single))
         (metrics (pattern "work-stealing") run.idle_share 0.4 run.idle 2.4 run.workers 3.0 run.answer 0.004
           run.late_share 0.2 run.late 1.2 run.waiting 1.5 run.poll 0.008 run.balance 0.6 run.uneven 0.7
           worker.computing ("0" 1.9 "1" 0.9 "2" 0.8) worker.relative_poll ("0" 1.0))
         (metric (run "r1") (pattern "work-stealing") (name "worker.asked") (location "0") (value 50.0) (rank 1) (of 3))
         (metric (run "r1") (pattern "work-stealing") (name "worker.last_asked") (location "0") (value 1.8) (rank 1) (of 3))
         (metric (run "r1") (pattern "work-stealing") (name "worker.late_answers") (location "0") (value 1.2) (rank 1) (of 3)))
  (expect (finding (kind symptom) (name idle-thieves))
          (finding (kind observation) (name work-stays) (locations "0"))
          (finding (kind cause) (name no-stealing) (culprits "0") (lost 2.1) (gain 0.7) (gain-kind even-out) (confidence 0.9)
                   (headline "Work stays with rank 0: it computes 1.90 s, the mean rank 1.20 s, although it was asked 50 times.")
                   (fix "Let who is asked give half of its tasks, and idle ranks ask those that have many.")
                   (because work-stays "run.idle" "worker.asked"))))

(case "idle ranks that give up asking are to ask again"
  (given (pattern (run "r1") (name "work-stealing") (id "work-stealing"))
         (run (id "r1") (processes 3) (locations 3) (duration 2.0) (clock single))
         (metrics (pattern "work-stealing") run.idle_share 0.4 run.idle 2.4 run.workers 3.0 run.answer 0.004
           run.poll 0.0 run.balance 0.85 run.uneven 0.21 worker.computing ("0" 1.41 "1" 1.1 "2" 1.1))
         (metric (run "r1") (pattern "work-stealing") (name "worker.asked") (location "0") (value 1.0) (rank 1) (of 3))
         (metric (run "r1") (pattern "work-stealing") (name "worker.last_asked") (location "0") (value 0.5) (rank 1) (of 3)))
  (expect (finding (kind symptom) (name idle-thieves))
          (finding (kind observation) (name work-stays) (locations "0"))
          (finding (kind cause) (name no-stealing) (culprits "0") (confidence 0.7)
                   (headline "Work stays with rank 0: it computes 1.41 s, the mean rank 1.20 s; after 0.500 s no idle rank asks it.")
                   (fix "Let idle ranks ask again, and others, until all work is done; who is asked gives half of its tasks."))))

(case "workers that are idle for some other reason have no cause here"
  (given (pattern (run "r1") (name "work-stealing") (id "work-stealing"))
         (run (id "r1") (processes 3) (locations 3) (duration 2.0) (clock single))
         (metrics (pattern "work-stealing") run.idle_share 0.3 run.idle 1.8 run.workers 3.0 run.answer 0.001
           run.late_share 0.02 run.late 0.12 run.waiting 1.5 run.poll 0.01 run.balance 0.97 run.uneven 0.04
           worker.relative_poll ("0" 1.0))
         (metric (run "r1") (pattern "work-stealing") (name "worker.late_answers") (location "0") (value 0.12) (rank 1) (of 3)))
  (expect (finding (kind symptom) (name idle-thieves))))

(case "workers that are busy to the end are no problem"
  (given (pattern (run "r1") (name "work-stealing") (id "work-stealing"))
         (metrics (pattern "work-stealing") run.idle_share 0.06 run.idle 0.4 run.steals 40.0 run.answer 0.005))
  (expect (finding (kind observation) (name good-stealing) (healthy yes)
                   (text "Workers compute 94.0 % of the time: 40 requests for work are answered, after 5.00 ms on average."))))

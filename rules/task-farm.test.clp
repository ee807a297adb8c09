;; What the rules of task-farm conclude from given facts, and nothing else. Emitter 0, workers 1 to 4,
;; collector 5. Times are seconds.

(case "a part of the run is asked about by its own id"
  (given (pattern (run "r1") (name "task-farm") (id "task-farm@comm 3") (scope "comm 3")))
  (expect (need (pattern "task-farm@comm 3") (metric "run.efficiency_mean"))))

(case "busy workers are no problem"
  (given (pattern (run "r1") (name "task-farm") (id "task-farm"))
         (role (run "r1") (pattern "task-farm") (name "emitter") (location "0"))
         (role (run "r1") (pattern "task-farm") (name "collector") (location "5"))
         (metrics (pattern "task-farm") run.efficiency_mean 0.9 run.farm_lost 0.7999999999999998 run.farm_time 8.0
           run.task_count 200.0 run.workers 4.0 run.collectors 1.0 run.task_mean 0.02 run.emitter_busy 0.2
           run.worker_busiest 1.0 run.worker_pace 1.0 run.collector_busy 0.1 run.emitter_task 0.001
           run.collector_task 0.0005 run.fed 20.0 run.batch 2.0 run.waiting_all 0.0 run.holding_all 0.0
           run.ending_all 0.0 run.drain 0.0 run.overhead_all 0.01 run.overhead 0.0001 run.clocks_open 0.0
           run.task_cv 0.1))
  (expect (finding (name protocol) (healthy yes))
          (finding (name good-farm-efficiency) (healthy yes)
                   (text "The workers of the farm are busy with tasks 90.0 % of the time."))))

(case "an idle emitter and idle collectors are normal, and their seconds are reported"
  (given (pattern (run "r1") (name "task-farm") (id "task-farm"))
         (metrics (pattern "task-farm") run.emitter_idle 1.2 run.collectors_idle 1.6))
  (expect (finding (name idle-ends) (kind observation) (healthy yes) (lost 2.8)
                   (because "run.emitter_idle" "run.collectors_idle"))))

(case "workers that wait for an emitter that is busy longest"
  (given (like "busy workers are no problem")
         (metrics (pattern "task-farm") run.efficiency_mean 0.5 run.farm_lost 4.0 run.emitter_busy 1.9
           run.emitter_task 0.0095 run.fed 2.1052631578947367 run.waiting_all 3.2
           worker.relative_task_time ("3" 1.0) worker.task_time ("3" 0.02))
         (metric (run "r1") (pattern "task-farm") (name "worker.t_comp") (location "3") (value 1.0) (rank 1) (of 4)))
  (expect (finding (name protocol) (healthy yes))
          (finding (name low-farm-efficiency) (kind symptom) (because "run.efficiency_mean"))
          (finding (name slow-emitter) (kind cause) (culprits "0") (lost 3.2) (gain 0.8)
                   (because low-farm-efficiency "run.waiting_all"))))

(case "workers that are held by a collector that is busy longest"
  (given (like "workers that wait for an emitter that is busy longest")
         (metrics (pattern "task-farm") run.emitter_busy 0.2 run.collector_busy 1.9 run.emitter_task 0.001
           run.collector_task 0.0095 run.fed 20.0 run.waiting_all 0.0 run.holding_all 3.2 run.drain 0.1))
  (expect (finding (name protocol) (healthy yes))
          (finding (name low-farm-efficiency) (kind symptom) (because "run.efficiency_mean"))
          (finding (name slow-collector) (kind cause) (culprits "5") (lost 3.6)
                   (because "run.holding_all" "run.drain"))))

(case "a worker that got more of the tasks for which all ask would get fewer if the collector held up nobody"
  (given (like "workers that are held by a collector that is busy longest")
         (metrics (pattern "task-farm") run.worker_busiest 1.5))
  (expect (finding (name protocol) (healthy yes))
          (finding (name low-farm-efficiency) (kind symptom) (because "run.efficiency_mean"))
          (finding (name slow-collector) (kind cause) (culprits "5") (lost 3.6) (gain 0.9)
                   (because "run.holding_all" "run.drain"))))

(case "a slow worker sets the pace where tasks are assigned in turn"
  (given (like "busy workers are no problem")
         (metrics (pattern "task-farm") run.efficiency_mean 0.5 run.farm_lost 4.0 run.worker_busiest 1.9
           run.worker_pace 1.9 run.waiting_all 2.0 run.ending_all 1.0 worker.relative_task_time ("3" 2.0)
           worker.task_time ("3" 0.04))
         (metric (run "r1") (pattern "task-farm") (name "worker.t_comp") (location "3") (value 1.9) (rank 1) (of 4)))
  (expect (finding (name protocol) (healthy yes))
          (finding (name low-farm-efficiency) (kind symptom) (because "run.efficiency_mean"))
          (finding (name slow-worker) (kind cause) (culprits "3") (lost 2.85)
                   (because "worker.relative_task_time"))))

(case "a slow worker costs capacity where all are busy to the end"
  (given (pattern (run "r1") (name "task-farm") (id "task-farm"))
         (metrics (pattern "task-farm") run.efficiency_mean 0.98 run.task_count 800.0 run.workers 4.0
           run.collectors 1.0 run.task_mean 0.0125 run.own_cv 0.2 worker.tasks ("3" 60.0)
           worker.task_time ("3" 0.04) worker.relative_task_time ("3" 4.0)))
  (expect (finding (name protocol) (healthy yes))
          (finding (name good-farm-efficiency) (healthy yes))
          (finding (name slow-worker) (kind cause) (culprits "3") (lost 1.8) (computing 1.8) (gain 0.45)
                   (gain-kind remove))))

(case "workers that finish at different times, none of them slow"
  (given (like "a slow worker sets the pace where tasks are assigned in turn")
         (metrics (pattern "task-farm") run.waiting_all 0.0 worker.relative_task_time ("3" 1.1)
           worker.task_time ("3" 0.022000000000000002)))
  (expect (finding (name protocol) (healthy yes))
          (finding (name low-farm-efficiency) (kind symptom) (because "run.efficiency_mean"))
          (finding (name uneven-end) (kind cause) (lost 1.0) (because "run.ending_all"))))

(case "tasks that are smaller than what it takes to move them"
  (given (like "workers that finish at different times, none of them slow")
         (metrics (pattern "task-farm") run.task_mean 0.001 run.worker_busiest 1.1 run.worker_pace 1.1 run.fed 1.0
           run.ending_all 0.0 run.overhead_all 3.0 run.overhead 0.001)
         (metric (run "r1") (pattern "task-farm") (name "worker.t_comp") (location "3") (value 1.1) (rank 1) (of 4)))
  (expect (finding (name protocol) (healthy yes))
          (finding (name low-farm-efficiency) (kind symptom) (because "run.efficiency_mean"))
          (finding (name grain-too-fine) (kind cause) (lost 3.0) (because "run.overhead"))))

(case "on open clocks moving and waiting cannot be distinguished"
  (given (like "tasks that are smaller than what it takes to move them")
         (metrics (pattern "task-farm") run.clocks_open 1.0))
  (expect (finding (name protocol) (healthy yes))
          (finding (name low-farm-efficiency) (kind symptom) (because "run.efficiency_mean"))))

(case "an emitter that is busy longest without anybody waiting is no cause"
  (given (like "workers that wait for an emitter that is busy longest")
         (metrics (pattern "task-farm") run.waiting_all 0.1))
  (expect (finding (name protocol) (healthy yes))
          (finding (name low-farm-efficiency) (kind symptom) (because "run.efficiency_mean"))))

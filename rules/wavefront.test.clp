;; What the rules of wavefront conclude from given facts, and nothing else.

(case "busy processes on a grid of 2 x 3: the shape is reported, nothing is wrong"
  (given (pattern (run "r1") (name "wavefront") (id "wavefront")))
  (expect (need (metric "run.cells")))
  (given (metrics (pattern "wavefront") run.efficiency 0.9 run.cells 6.0 run.n_end 0.0 run.n_odd 0.0
           run.n_corner 4.0 run.depth 3.0 run.blocks 27.0 run.sweeps 8.0 run.ideal 0.9))
  (expect (finding (name good-wavefront-efficiency) (healthy yes) (because "run.efficiency"))
          (finding (name grid) (healthy yes)
                   (text "The sweeps go over a grid of 2 x 3 processes: 8 sweeps of 27.0 blocks (K), 3 steps deep (D). Filling and draining leave at best K / (K + D) = 90.0 %.")
                   (because "run.depth"))))

(case "what is neither a chain nor a grid is irregular, and the model is not applied"
  (given (pattern (run "r1") (name "wavefront") (id "wavefront"))
         (metrics (pattern "wavefront") run.cells 7.0 run.n_end 1.0 run.n_odd 1.0 run.n_corner 3.0 run.depth 3.0
           run.blocks 27.0 run.sweeps 8.0 run.ideal 0.9))
  (expect (finding (name irregular) (healthy yes))))

(case "small steps on a chain: the blocks are too fine, and the best number is reported"
  (given (pattern (run "r1") (name "wavefront") (id "wavefront"))
         (metrics (pattern "wavefront") run.efficiency 0.5 run.lost 4.0 run.cells 4.0 run.n_end 2.0 run.n_corner 2.0
           run.depth 3.0 run.blocks 32.0 run.sweeps 600.0 run.ideal 0.9 run.moving_share 0.4 run.moving 3.2
           run.grain 2e-5 run.overhead 3e-5 run.grain_ratio 0.667 run.block_bytes 640.0 run.best_blocks 8.0
           run.blocks_gain 0.5 run.sweep_time 0.00175 run.best_time 0.00121))
  (expect (finding (kind symptom) (name low-wavefront-efficiency))
          (finding (name chain) (healthy yes))
          (finding (name sweep-model) (healthy yes) (because "run.best_blocks"))
          (finding (kind cause) (name blocks-too-fine) (lost 3.2) (gain 0.5)
                   (because "run.grain_ratio" "run.best_blocks" chain))))

(case "one process has longer steps, and the waiting goes back to it"
  (given (pattern (run "r1") (name "wavefront") (id "wavefront"))
         (role (run "r1") (pattern "wavefront") (name "cell") (location "0"))
         (metrics (pattern "wavefront") run.efficiency 0.6 run.lost 4.0 run.cells 4.0 run.steady_share 0.3
           run.steady 3.0 run.late 2.5 run.held 0.5 run.ahead 0.0 run.imbalance 0.5 run.excess 0.9 run.grain 0.002
           run.delayed_all 3.5)
         (metric (run "r1") (pattern "wavefront") (name "cell.step_work") (location "2") (value 0.003) (unit "s") (rank 1) (of 4))
         (metric (run "r1") (pattern "wavefront") (name "cell.delayed") (location "2") (value 2.9) (unit "s") (rank 1) (of 4)))
  (expect (finding (kind symptom) (name low-wavefront-efficiency))
          (finding (name steady-waiting) (lost 3.0))
          (finding (kind cause) (name step-imbalance) (culprits "2") (lost 3.0) (gain 0.9)
                   (because steady-waiting "cell.step_work" "cell.delayed"))))

(case "a row of the grid is late together: what goes back to all of it counts"
  (given (pattern (run "r1") (name "wavefront") (id "wavefront"))
         (metrics (pattern "wavefront") run.efficiency 0.6 run.lost 4.0 run.cells 4.0 run.steady_share 0.3
           run.steady 3.0 run.late 1.0 run.held 2.0 run.ahead 0.0 run.imbalance 0.2 run.excess 0.5 run.grain 0.0025
           cell.step_work ("2" 0.003 "3" 0.003 "0" 0.002 "1" 0.002) cell.delayed ("2" 1.3 "3" 1.3 "0" 0.5 "1" 0.4)
           run.delayed_all 3.5))
  (expect (finding (kind symptom) (name low-wavefront-efficiency))
          (finding (name steady-waiting))
          (finding (kind cause) (name step-imbalance) (culprits "2" "3") (lost 2.0) (gain 0.5)
                   (because steady-waiting "cell.step_work"))))

(case "the same steps, but the waiting goes back to nobody in particular: nobody is blamed"
  (given (like "one process has longer steps, and the waiting goes back to it")
         (without (role (run "r1") (pattern "wavefront") (name "cell") (location "0")))
         (metric (run "r1") (pattern "wavefront") (name "cell.delayed") (location "1") (value 1.0) (unit "s") (rank 1) (of 4))
         (metric (run "r1") (pattern "wavefront") (name "cell.delayed") (location "2") (value 0.9) (unit "s") (rank 2) (of 4)))
  (expect (finding (kind symptom) (name low-wavefront-efficiency))
          (finding (name steady-waiting))
          (finding (kind cause) (name step-jitter) (lost 3.0) (because steady-waiting))))

(case "filling and draining are reported, and are normal where they cost little"
  (given (pattern (run "r1") (name "wavefront") (id "wavefront"))
         (metrics (pattern "wavefront") run.efficiency 0.9 run.fill 0.2 run.turn 0.2 run.drain 0.0
           run.first_wait 0.4 run.fill_drain 0.4 run.fill_drain_share 0.03))
  (expect (finding (name good-wavefront-efficiency))
          (finding (name filling-and-draining) (healthy yes) (lost 0.4)
                   (because "run.fill" "run.turn" "run.fill_drain"))))

(case "a long and narrow grid: 2 x 8 where 4 x 4 would do"
  (given (pattern (run "r1") (name "wavefront") (id "wavefront"))
         (metrics (pattern "wavefront") run.efficiency 0.5 run.lost 8.0 run.cells 16.0 run.n_end 0.0 run.n_odd 0.0
           run.n_corner 4.0 run.depth 8.0 run.blocks 30.0 run.sweeps 8.0 run.ideal 0.7894736842105263 run.fill 4.0
           run.turn 2.0 run.drain 0.0 run.first_wait 6.0 run.fill_drain 6.0 run.fill_drain_share 0.3
           run.best_blocks 40.0))
  (expect (finding (kind symptom) (name low-wavefront-efficiency))
          (finding (name grid))
          (finding (kind observation) (name filling-and-draining) (healthy no) (lost 6.0))
          (finding (kind cause) (name elongated-grid) (culprits) (lost 1.5) (gain 0.09375)
                   (because "run.fill_drain" "run.depth" grid))
          (finding (kind cause) (name fill-and-drain) (culprits) (lost 4.5) (because "run.fill_drain"))))

(case "large blocks: more and smaller ones would fill sooner"
  (given (like "a long and narrow grid: 2 x 8 where 4 x 4 would do")
         (metrics (pattern "wavefront") run.cells 6.0 run.depth 3.0 run.blocks 4.0 run.ideal 0.5714285714285714
           run.best_blocks 20.0 run.grain 0.01 run.blocks_gain 0.6))
  (expect (finding (kind symptom) (name low-wavefront-efficiency))
          (finding (name grid))
          (finding (kind observation) (name filling-and-draining) (healthy no) (lost 6.0))
          (finding (kind cause) (name blocks-too-coarse) (culprits) (lost 6.0) (gain 0.6)
                   (because "run.fill_drain" "run.best_blocks"))))

(case "sweeps that turn: each drains before the next one fills"
  (given (like "a long and narrow grid: 2 x 8 where 4 x 4 would do")
         (metrics (pattern "wavefront") run.cells 6.0 run.depth 3.0 run.blocks 20.0 run.ideal 0.8695652173913043
           run.fill 1.0 run.turn 5.0 run.best_blocks 20.0))
  (expect (finding (kind symptom) (name low-wavefront-efficiency))
          (finding (name grid))
          (finding (kind observation) (name filling-and-draining) (healthy no) (lost 6.0))
          (finding (kind cause) (name sweep-turns) (culprits) (lost 6.0)
                   (because "run.turn" "run.fill_drain"))))

(case "sweeps that begin anew behind collectives"
  (given (like "sweeps that turn: each drains before the next one fills")
         (metrics (pattern "wavefront") run.fill 5.0 run.turn 1.0))
  (expect (finding (kind symptom) (name low-wavefront-efficiency))
          (finding (name grid))
          (finding (kind observation) (name filling-and-draining) (healthy no) (lost 6.0))
          (finding (kind cause) (name fill-and-drain) (culprits) (lost 6.0)
                   (because "run.fill" "run.fill_drain"))))

(case "senders are held although steps are alike"
  (given (pattern (run "r1") (name "wavefront") (id "wavefront"))
         (metrics (pattern "wavefront") run.efficiency 0.5 run.lost 8.0 run.cells 4.0 run.steady_share 0.3
           run.steady 3.0 run.late 0.5 run.held 2.5 run.ahead 0.0 run.imbalance 0.02 run.excess 0.05 run.grain 0.002
           run.delayed_all 3.0)
         (metric (run "r1") (pattern "wavefront") (name "cell.step_work") (location "2") (value 0.00204) (unit "s") (rank 1) (of 4))
         (metric (run "r1") (pattern "wavefront") (name "cell.delayed") (location "2") (value 0.8) (unit "s") (rank 1) (of 4)))
  (expect (finding (kind symptom) (name low-wavefront-efficiency))
          (finding (name steady-waiting))
          (finding (kind cause) (name back-pressure) (culprits) (lost 2.5) (gain 0.625)
                   (because steady-waiting "run.held"))))

(case "moving blocks takes long, and larger ones would not help"
  (given (pattern (run "r1") (name "wavefront") (id "wavefront"))
         (metrics (pattern "wavefront") run.efficiency 0.5 run.lost 8.0 run.cells 4.0 run.moving_share 0.3
           run.moving 4.0 run.grain_ratio 8.0 run.blocks 10.0 run.best_blocks 12.0 run.overhead 0.001
           run.block_bytes 1000000.0))
  (expect (finding (kind symptom) (name low-wavefront-efficiency))
          (finding (kind cause) (name slow-transfer) (culprits) (lost 4.0) (gain 1.0) (confidence 0.7)
                   (because "run.moving" "run.grain_ratio"))))

(case "processes that are done with a sweep wait in collectives"
  (given (pattern (run "r1") (name "wavefront") (id "wavefront"))
         (metrics (pattern "wavefront") run.efficiency 0.5 run.lost 8.0 run.cells 4.0 run.drain_share 0.2
           run.drain 4.0 run.fill_bound 5.0))
  (expect (finding (kind symptom) (name low-wavefront-efficiency))
          (finding (kind cause) (name drain-at-collective) (culprits) (lost 4.0) (gain 1.0)
                   (because "run.drain"))))

(case "collectives take longer than sweeps of their depth drain"
  (given (pattern (run "r1") (name "wavefront") (id "wavefront"))
         (metrics (pattern "wavefront") run.efficiency 0.5 run.lost 8.0 run.cells 4.0 run.drain_share 0.2
           run.drain 4.0 run.fill_bound 1.5))
  (expect (finding (kind symptom) (name low-wavefront-efficiency))
          (finding (kind cause) (name drain-at-collective) (culprits) (lost 1.5) (gain 0.375)
                   (because "run.drain"))))

(case "wavefronts of two sizes are asked for what the model of the larger one needs"
  (given (pattern (run "r1") (name "wavefront") (id "wavefront") (coverage 1.0) (fit 1.0))
         (pattern (run "r2") (name "wavefront") (id "wavefront") (coverage 1.0) (fit 1.0))
         (scaling (from "r1") (to "r2") (from-processes 4) (to-processes 16) (from-computing 4) (to-computing 16) (is-first yes) (is-next yes) (kind strong) (work-ratio 1.0) (duration-from 4.0) (duration-to 1.5) (spread 0.0)))
  (expect (need (run "r1") (metric "run.cells"))
          (need (run "r2") (metric "run.cells"))))

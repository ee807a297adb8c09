;; What the rules of halt conclude from given facts, and nothing else. Times are seconds.

(case "where one receives instead of taking part, it is named, with what it has always done there"
  (given (halted (run "r1") (location "0") (state in-call) (call "MPI_Allreduce") (comm "world") (for 3.0) (last "MPI_Send") (waits-for "2") (known yes))
         (halted (run "r1") (location "1") (state in-call) (call "MPI_Allreduce") (comm "world") (for 3.0) (last "MPI_Send") (waits-for "2") (known yes))
         (halted (run "r1") (location "2") (state in-call) (call "MPI_Recv") (for 3.0) (last "MPI_Send") (expected "MPI_Allreduce") (times 20) (known no))
         (halt (run "r1") (standstill yes) (silence 3.0) (stuck 3) (working 0) (unjudged 0) (gone no) (release no) (known no)))
  (expect (finding (kind cause) (name deadlock) (locations "0" "1" "2") (culprits "2") (fatal yes) (lost 9.0)
                   (headline "Deadlock, for 3.00 s: ranks 0 and 1 wait in MPI_Allreduce, rank 2 in MPI_Recv.")
                   (fix "Look at rank 2 after MPI_Send: MPI_Allreduce has always followed there, now it is MPI_Recv.")
                   (because "halt"))))

(case "a circle that is recorded is reported, and what helps against large sends"
  (given (halted (run "r1") (location "0") (state in-call) (call "MPI_Send") (for 2.0) (waits-for "1") (known yes))
         (halted (run "r1") (location "1") (state in-call) (call "MPI_Send") (for 2.0) (waits-for "0") (known yes))
         (halt (run "r1") (standstill yes) (silence 2.0) (stuck 2) (working 0) (unjudged 0) (gone no) (release no) (cycle "0" "1") (known yes)))
  (expect (finding (name deadlock) (culprits "0" "1")
                   (headline "Deadlock, for 2.00 s: ranks 0 and 1 wait in MPI_Send; 0 waits for 1 and 1 for 0.")
                   (fix "Post the receives before the sends (MPI_Irecv), or use MPI_Sendrecv: a large MPI_Send waits for its receive."))))

(case "a message that is not taken has another tag than those before"
  (given (halted (run "r1") (location "0") (state in-call) (call "MPI_Barrier") (comm "world") (for 2.0) (waits-for "1") (known yes))
         (halted (run "r1") (location "1") (state in-call) (call "MPI_Recv") (for 2.0) (waits-for "0") (known no))
         (unreceived (run "r1") (from "0") (to "1") (tag 4) (usual-tag 3))
         (halt (run "r1") (standstill yes) (silence 2.0) (stuck 2) (working 0) (unjudged 0) (gone no) (release no) (cycle "0" "1") (known no)))
  (expect (finding (name deadlock)
                   (fix "Compare tags: rank 0 sent rank 1 a message with tag 4 that it does not take; those before had tag 3."))))

(case "different collectives are reported as such"
  (given (halted (run "r1") (location "0") (state in-call) (call "MPI_Allreduce") (comm "world") (for 2.0) (waits-for "1") (known yes))
         (halted (run "r1") (location "1") (state in-call) (call "MPI_Bcast") (comm "world") (for 2.0) (waits-for "0") (known yes))
         (halted (run "r1") (location "2") (state in-call) (call "MPI_Allreduce") (comm "world") (for 2.0) (waits-for "1") (known yes))
         (halt (run "r1") (standstill yes) (silence 2.0) (stuck 3) (working 0) (unjudged 0) (gone no) (release no) (cycle "0" "1") (known yes)))
  (expect (finding (name deadlock) (culprits "1")
                   (fix "Let all ranks call the same collectives in the same order: look at rank 1."))))

(case "who computes on while the others wait is to blame for a hang, with its function"
  (given (halted (run "r1") (location "0") (state in-call) (call "MPI_Barrier") (comm "world") (for 2.0) (waits-for "1") (known yes))
         (halted (run "r1") (location "1") (state outside) (call "") (place "solve (heat.c:12)") (for 2.0) (last "MPI_Send"))
         (halt (run "r1") (standstill yes) (silence 2.0) (usual 0.01) (stuck 1) (working 1) (unjudged 0) (gone no) (release yes) (known no)))
  (expect (finding (name hang) (locations "0") (culprits "1") (fatal yes) (lost 4.0)
                   (headline "Hang, for 2.00 s: rank 0 waits in MPI_Barrier; rank 1 is in the program's own code, at most 10.0 ms at a time before.")
                   (fix "Look at what rank 1 does after MPI_Send, in solve (heat.c:12); attach a debugger there."))))

(case "who has left the program will not send what others wait for"
  (given (halted (run "r1") (location "0") (state in-call) (call "MPI_Recv") (for 2.0) (waits-for "1") (known yes))
         (halted (run "r1") (location "1") (state over) (last "MPI_Recv"))
         (halt (run "r1") (standstill yes) (silence 2.0) (stuck 1) (working 0) (unjudged 0) (gone yes) (release no) (known no)))
  (expect (finding (name hang) (culprits "1") (fix "Look at why rank 1 ends after MPI_Recv."))))

(case "a run that is killed at work does not hang"
  (given (halted (run "r1") (location "0") (state in-call) (call "MPI_Recv") (for 0.01) (waits-for "1") (known no))
         (halted (run "r1") (location "1") (state outside) (for 0.01))
         (halt (run "r1") (standstill no) (silence 0.01) (stuck 1) (working 1) (unjudged 0) (gone no) (release yes) (known no)))
  (expect (finding (kind observation) (name killed-at-work) (locations "0")
                   (text "The run was ended from outside while rank 0 waits in MPI_Recv, 1 process in all. Nothing says that it hung: calls returned until 10.0 ms before the end."))))

(case "who calls MPI_Abort has ended the run, however long the others have waited"
  (given (halted (run "r1") (location "0") (state in-call) (call "MPI_Barrier") (for 2.0) (waits-for "1") (known yes))
         (halted (run "r1") (location "1") (state in-call) (call "MPI_Abort") (place "main (heat.c:80)") (for 0.02) (last "MPI_Recv") (known no))
         (halt (run "r1") (standstill yes) (silence 2.0) (stuck 2) (working 0) (unjudged 0) (gone no) (release no) (known no)))
  (expect (finding (kind cause) (name aborted) (locations "1") (culprits "1") (fatal yes)
                   (headline "The run was aborted: rank 1 calls MPI_Abort.")
                   (fix "Look at why rank 1 does so after MPI_Recv, in main (heat.c:80)."))))

(case "a run that MPI_Abort ends was not killed from outside"
  (given (halted (run "r1") (location "0") (state in-call) (call "MPI_Barrier") (for 0.01) (waits-for "1") (known yes))
         (halted (run "r1") (location "1") (state in-call) (call "MPI_Abort") (for 0.01) (known no))
         (halt (run "r1") (standstill no) (silence 0.01) (stuck 2) (working 0) (unjudged 0) (gone no) (release no) (known no)))
  (expect (finding (name aborted))))

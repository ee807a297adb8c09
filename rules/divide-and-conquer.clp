;; divide-and-conquer: a tree of processes. The tree, after KNOWLEDGE.md:
;;
;;   level 1  symptom      low tree efficiency, T1 / (P T)
;;            observation  the tree: its depth, its nodes
;;   level 2  observation  the critical path, from the root to the leaf that ends latest and back
;;   level 3  cause        one leaf on the path has much more than the others      bad-split
;;                         an inner node on the path takes longer than its peers    slow-node
;;                         leaves are unequal, none by far, or by turns             uneven-leaves
;;                         merging (dividing) on the path keeps the others idle     serial-merge,
;;                                                                                  serial-divide
;;                         parents only wait while the leaves solve                 idle-parents
;;                         a parent waits for one child, the next is there          fixed-child-order
;;                         the tree starts and ends slowly beyond that              tree-latency
;;                         parts are too small for their messages, or data large    parts-too-small,
;;                                                                                  data-migration
;;
;; What real traces changed: KNOWLEDGE's parallelism T1/Tinf < 2P marks a serial top. A tree whose
;; parents do not solve has fewer leaves than processes, so that T1/Tinf < P always (dcsort, 7
;; processes, 4 leaves: 3.7). So the parts of the path are compared, and parents that idle are a
;; cause of their own. Who is late is taken from the parent's own clock where possible: with one
;; message per direction clocks are known to half a second only (dcsort-slowleaf), but a parent that
;; waits for its last child after all others knows exactly by how much that one is late.

(deftemplate MAIN::dc-node
  "A process of the tree."
  (slot run (type STRING))
  (slot pattern (type STRING))
  (slot node (type STRING))
  (slot parent (type STRING))         ; "" for the root
  (slot kind (type SYMBOL) (allowed-symbols root inner leaf))
  (slot part (type FLOAT))            ; s: solving its own part
  (slot divide (type FLOAT))          ; s
  (slot merge (type FLOAT))           ; s
  (slot done (type FLOAT) (default 0.0))      ; s: when its result is ready, mean over problems
  (slot wait (type FLOAT) (default 0.0))      ; s: waiting for results
  (slot last (type STRING) (default ""))      ; child whose result came last
  (slot awaited (type STRING) (default ""))   ; child that it waits for longest
  (slot last-wait (type FLOAT) (default 0.0))); s: waiting for the last one after all others

(deftemplate MAIN::dc-path
  "The critical path, and what is on it."
  (slot run (type STRING))
  (slot pattern (type STRING))
  (multislot nodes (type STRING))     ; from the root down
  (slot depth (type INTEGER))         ; of the tree
  (slot part (type FLOAT))            ; s: solved at its lower end
  (slot divide (type FLOAT))          ; s: dividing on it
  (slot merge (type FLOAT))           ; s: merging on it
  (slot slack (type FLOAT))           ; s: by how much the root's last child is later than the others
  (slot slow (type STRING))           ; inner node on it that takes longer than its peers, or ""
  (slot slow-excess (type FLOAT)))    ; s: by how much

(deffunction MAIN::dc-label (?rank)
  "The label of a process from its rank, as metrics give it."
  (if (< ?rank 0.0) then "" else (str-cat (integer (+ ?rank 0.5)))))

;; ---- level 1 -------------------------------------------------------------------------------

(defrule SYMPTOMS::dc-explains
  "A tree is judged by its work over run time and processes."
  (pattern (run ?r) (name "divide-and-conquer") (id ?p))
  =>
  (assert (explained (run ?r) (pattern ?p) (loss waiting))
          (explained (run ?r) (pattern ?p) (loss transfer))
          (explained (run ?r) (pattern ?p) (loss grain))
          (explained (run ?r) (pattern ?p) (loss ends))))

(defrule SYMPTOMS::dc-low-efficiency
  "Much of the time of the processes in the tree is not its work."
  (pattern (run ?r) (name "divide-and-conquer") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.tree_efficiency")
          (value ?e&:(< ?e ?*efficiency-good*)))
  (metric (run ?r) (pattern ?p) (name "run.work") (value ?work))
  (metric (run ?r) (pattern ?p) (name "run.tree_time") (value ?time))
  (metric (run ?r) (pattern ?p) (name "run.tree_lost") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "run.nodes") (value ?n))
  =>
  (assert (finding (kind symptom) (name low-tree-efficiency) (run ?r) (pattern ?p) (lost ?lost)
                   (level 1)
                   (text (text "The {n} processes of the tree work {s} of {s}: its efficiency is {%}."
                               ?n ?work ?time ?e)))))

(defrule SYMPTOMS::dc-good-efficiency
  "The tree is busy."
  (pattern (run ?r) (name "divide-and-conquer") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.tree_efficiency")
          (value ?e&:(>= ?e ?*efficiency-good*)))
  =>
  (assert (finding (kind observation) (name good-tree-efficiency) (run ?r) (pattern ?p)
                   (healthy yes) (all-clear yes) (level 1)
                   (text (text "The processes of the tree are busy: its efficiency is {%}." ?e)))))

;; ---- level 2: the tree and its critical path ------------------------------------------------

(defrule REFINE::dc-leaf
  "A leaf of the tree."
  (pattern (run ?r) (name "divide-and-conquer") (id ?p))
  (metric (run ?r) (pattern ?p) (name "leaf.part_parent") (location ?x) (value ?up))
  (metric (run ?r) (pattern ?p) (name "leaf.solve") (location ?x) (value ?part))
  (metric (run ?r) (pattern ?p) (name "leaf.part_done") (location ?x) (value ?done))
  =>
  (assert (dc-node (run ?r) (pattern ?p) (node ?x) (parent (dc-label ?up)) (kind leaf)
                   (part ?part) (divide 0.0) (merge 0.0) (done ?done))))

(defrule REFINE::dc-inner
  "An inner node of the tree."
  (pattern (run ?r) (name "divide-and-conquer") (id ?p))
  (metric (run ?r) (pattern ?p) (name "inner.parent_rank") (location ?x) (value ?up))
  (metric (run ?r) (pattern ?p) (name "inner.own") (location ?x) (value ?own))
  (metric (run ?r) (pattern ?p) (name "inner.divide") (location ?x) (value ?divide))
  (metric (run ?r) (pattern ?p) (name "inner.merge") (location ?x) (value ?merge))
  (metric (run ?r) (pattern ?p) (name "inner.done") (location ?x) (value ?done))
  (metric (run ?r) (pattern ?p) (name "inner.result_wait") (location ?x) (value ?wait))
  (metric (run ?r) (pattern ?p) (name "inner.last_child") (location ?x) (value ?last))
  (metric (run ?r) (pattern ?p) (name "inner.awaited") (location ?x) (value ?awaited))
  (metric (run ?r) (pattern ?p) (name "inner.last_wait") (location ?x) (value ?lw))
  =>
  (assert (dc-node (run ?r) (pattern ?p) (node ?x) (parent (dc-label ?up)) (kind inner)
                   (part ?own) (divide ?divide) (merge ?merge) (done ?done) (wait ?wait)
                   (last (dc-label ?last)) (awaited (dc-label ?awaited)) (last-wait ?lw))))

(defrule REFINE::dc-root
  "The root of the tree."
  (pattern (run ?r) (name "divide-and-conquer") (id ?p))
  (metric (run ?r) (pattern ?p) (name "root.root_own") (location ?x) (value ?own))
  (metric (run ?r) (pattern ?p) (name "root.root_divide") (location ?x) (value ?divide))
  (metric (run ?r) (pattern ?p) (name "root.root_merge") (location ?x) (value ?merge))
  (metric (run ?r) (pattern ?p) (name "root.root_result_wait") (location ?x) (value ?wait))
  (metric (run ?r) (pattern ?p) (name "root.root_last_child") (location ?x) (value ?last))
  (metric (run ?r) (pattern ?p) (name "root.root_awaited") (location ?x) (value ?awaited))
  (metric (run ?r) (pattern ?p) (name "root.root_last_wait") (location ?x) (value ?lw))
  =>
  (assert (dc-node (run ?r) (pattern ?p) (node ?x) (parent "") (kind root) (part ?own)
                   (divide ?divide) (merge ?merge) (wait ?wait)
                   (last (dc-label ?last)) (awaited (dc-label ?awaited)) (last-wait ?lw))))

(deffunction MAIN::dc-late-child (?r ?p ?x ?last ?last-wait ?awaited ?wait)
  "The child that decides when node ?x goes on, by the node's own clock: the last one, if it is
   waited for after all others, else the one that is waited for longest. Where all results come in
   one call, the one whose result is ready latest on the common time line."
  (bind ?late "")
  (bind ?when -1.0)
  (do-for-all-facts ((?c dc-node)) (and (eq ?c:run ?r) (eq ?c:pattern ?p) (eq ?c:parent ?x))
    (if (> ?c:done ?when) then (bind ?when ?c:done) (bind ?late ?c:node)))
  (if (or (eq ?last "") (eq ?awaited "") (= ?wait 0.0))
   then ?late
   else (if (>= ?last-wait (* ?*part-shown* ?wait)) then ?last else ?awaited)))

(deffunction MAIN::dc-path-from (?r ?p ?root)
  "The nodes of the critical path from the root down."
  (bind ?nodes (create$ ?root))
  (bind ?x ?root)
  (while (neq ?x "") do
    (bind ?next "")
    (do-for-fact ((?f dc-node))
      (and (eq ?f:run ?r) (eq ?f:pattern ?p) (eq ?f:node ?x) (neq ?f:kind leaf)
           (>= ?f:wait (* ?*part-shown* ?f:part)))
      (bind ?next (dc-late-child ?r ?p ?x ?f:last ?f:last-wait ?f:awaited
                                ?f:wait)))
    (if (member$ ?next ?nodes) then (bind ?next ""))
    (bind ?x ?next)
    (if (neq ?x "") then (bind ?nodes (create$ ?nodes ?x))))
  ?nodes)

(deffunction MAIN::dc-level (?r ?p ?node)
  "Edges between the root and a node."
  (bind ?level 0)
  (bind ?x ?node)
  (while (and (neq ?x "") (< ?level 1000)) do
    (bind ?up "")
    (do-for-fact ((?f dc-node)) (and (eq ?f:run ?r) (eq ?f:pattern ?p) (eq ?f:node ?x))
      (bind ?up ?f:parent))
    (if (neq ?up "") then (bind ?level (+ ?level 1)))
    (bind ?x ?up))
  ?level)

(deffunction MAIN::dc-excess (?r ?p ?node ?own)
  "How much longer an inner node divides and merges than the longest other one of its level; 0 if
   there is no other one."
  (bind ?level (dc-level ?r ?p ?node))
  (bind ?most -1.0)
  (do-for-all-facts ((?f dc-node))
    (and (eq ?f:run ?r) (eq ?f:pattern ?p) (eq ?f:kind inner) (neq ?f:node ?node)
         (= (dc-level ?r ?p ?f:node) ?level))
    (bind ?most (max ?most (+ ?f:divide ?f:merge))))
  (if (< ?most 0.0) then 0.0 else (max 0.0 (- ?own ?most))))

(deffunction MAIN::dc-depth (?r ?p)
  "Edges from the root to the deepest leaf."
  (bind ?depth 0)
  (do-for-all-facts ((?f dc-node)) (and (eq ?f:run ?r) (eq ?f:pattern ?p) (eq ?f:kind leaf))
    (bind ?depth (max ?depth (dc-level ?r ?p ?f:node))))
  ?depth)

(defrule CAUSES::dc-follow-path
  "From the root always to the child that decides when its parent can go on."
  (dc-node (run ?r) (pattern ?p) (kind root) (node ?root) (last-wait ?slack))
  =>
  (bind ?nodes (dc-path-from ?r ?p ?root))
  (bind ?divide 0.0) (bind ?merge 0.0) (bind ?part 0.0) (bind ?slow "") (bind ?excess 0.0)
  (foreach ?x ?nodes
    (do-for-fact ((?f dc-node)) (and (eq ?f:run ?r) (eq ?f:pattern ?p) (eq ?f:node ?x))
      (bind ?divide (+ ?divide ?f:divide))
      (bind ?merge (+ ?merge ?f:merge))
      (bind ?part ?f:part)
      (if (eq ?f:kind inner)
       then (bind ?e (dc-excess ?r ?p ?x (+ ?f:divide ?f:merge)))
            (if (> ?e ?excess) then (bind ?excess ?e) (bind ?slow ?x)))))
  (assert (dc-path (run ?r) (pattern ?p) (nodes ?nodes) (depth (dc-depth ?r ?p)) (part ?part)
                   (divide ?divide) (merge ?merge) (slack ?slack) (slow ?slow)
                   (slow-excess ?excess))))

(deffunction MAIN::dc-way (?nodes)
  "The path as people write it: 0-2-5-2-0."
  (bind ?n (length$ ?nodes))
  (bind ?way (nth$ 1 ?nodes))
  (loop-for-count (?i 2 ?n) do (bind ?way (str-cat ?way "-" (nth$ ?i ?nodes))))
  (loop-for-count (?i 1 (- ?n 1)) do (bind ?way (str-cat ?way "-" (nth$ (- ?n ?i) ?nodes))))
  ?way)

(defrule ADVISE::dc-tree
  "What the tree looks like."
  (dc-path (run ?r) (pattern ?p) (nodes ?root $?) (depth ?depth))
  (metric (run ?r) (pattern ?p) (name "run.leaves") (value ?leaves))
  (metric (run ?r) (pattern ?p) (name "run.parents") (value ?parents))
  (metric (run ?r) (pattern ?p) (name "run.problems") (value ?problems))
  =>
  (assert (finding (kind observation) (name tree) (run ?r) (pattern ?p) (healthy yes) (level 1)
                   (text (text "A tree of depth {n} with root {}: {n} processes divide and merge, {n} are leaves; {}."
                               ?depth ?root ?parents ?leaves
                               (plural (integer ?problems) "problem"))))))

(defrule ADVISE::dc-critical-path
  "The longest way through the tree, and what it consists of."
  (dc-path (run ?r) (pattern ?p) (nodes $?nodes) (part ?part) (divide ?divide) (merge ?merge))
  (metric (run ?r) (pattern ?p) (name "run.work") (value ?work))
  (metric (run ?r) (pattern ?p) (name "run.nodes") (value ?n))
  =>
  (bind ?span (+ ?part ?divide ?merge))
  (assert (finding (kind observation) (name critical-path) (run ?r) (pattern ?p) (healthy yes)
                   (locations ?nodes) (level 2)
                   (text (text "The critical path is {}: {s} of dividing, {s} of solving at its end, {s} of merging. All work over this span is {.1} (the speed-up that the tree allows) on {n} processes."
                               (dc-way ?nodes) ?divide ?part ?merge
                               (/ ?work (max ?span 1e-12)) ?n)))))

;; ---- level 3: causes ----------------------------------------------------------------------

(deffunction MAIN::dc-idle (?n ?path ?all)
  "Time of all processes during the work ?path on the critical path, less the work ?all that is done
   then by all of them."
  (max 0.0 (- (* ?n ?path) ?all)))

(deffunction MAIN::dc-split-gain (?part ?typical ?slack)
  "What a leaf on the path has more than the typical one, and never more than the root waits for its
   last child after all others, where that is known."
  (bind ?excess (max 0.0 (- ?part ?typical)))
  (if (> ?slack (* ?*part-shown* ?excess)) then (min ?excess ?slack) else ?excess))

(deffunction MAIN::dc-heaviest (?run ?pattern ?typical ?longest)
  "Labels of those who solve nearer to the longest part than to the typical one: half of a tree may be heavy."
  (bind ?labels (create$))
  (do-for-all-facts ((?f dc-node))
    (and (eq ?f:run ?run) (eq ?f:pattern ?pattern) (>= (* 2.0 ?f:part) (+ ?typical ?longest)))
    (bind ?labels (create$ ?labels ?f:node)))
  ?labels)

(defrule ADVISE::dc-bad-split
  "One process solves much longer than the others, and the whole tree waits for it."
  (finding (kind symptom) (name low-tree-efficiency) (run ?r) (pattern ?p))
  (dc-path (run ?r) (pattern ?p) (nodes $?up ?leaf) (part ?part) (slack ?slack))
  (dc-node (run ?r) (pattern ?p) (node ?leaf) (kind ?kind))
  (metric (run ?r) (pattern ?p) (name "run.typical_solve") (value ?typical))
  (test (>= ?part (* ?*outlier* ?typical)))
  (metric (run ?r) (pattern ?p) (name "run.nodes") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.tree_time") (value ?time))
  (metric (run ?r) (pattern ?p) (name "run.tree_lost") (value ?lost))
  (test (>= (* (- ?n 1.0) (dc-split-gain ?part ?typical ?slack)) (* ?*significant* ?time)))
  (metric (run ?r) (pattern ?p) (name "run.split_skew") (value ?skew))
  (metric (run ?r) (pattern ?p) (name "run.solve_work") (value ?solve))
  (metric (run ?r) (pattern ?p) (name "run.own_work") (value ?own))
  (metric (run ?r) (pattern ?p) (name "run.leaves") (value ?leaves))
  =>
  (bind ?late (dc-split-gain ?part ?typical ?slack))
  ;; Where a parent is the one that solves longest, all processes have a part.
  (bind ?equal (if (eq ?kind leaf) then (/ ?solve (max 1.0 ?leaves))
                else (/ (+ ?solve ?own) (max 1.0 ?n))))
  (bind ?cost (min ?lost (* (- ?n 1.0) ?late)))
  (bind ?who (dc-heaviest ?r ?p ?typical ?part))
  ;; Then the others can take over its excess.
  (bind ?gain (min ?late (max 0.0 (- ?part ?equal))))
  (assert (finding (kind cause) (name bad-split) (run ?r) (pattern ?p) (locations ?who)
                   (headline (text "{} {} solves for {s}, the typical other leaf for {s}, and all others wait for it."
                                   (if (eq ?kind leaf) then "Leaf" else "Rank") ?leaf ?part ?typical))
                   (fix "Divide by measured work, or make more parts than processes and hand them out on request.")
                   (gain-kind even-out)
                   (culprits ?who) (lost ?cost) (share (/ ?cost (max ?lost 1e-12))) (gain ?gain)
                   (what-if (if (eq ?kind leaf) then "compute(leaf)=even" else "compute(all)=even"))
                   (level 3)
                   (where (if (eq ?kind leaf) then "Solve.solve" else "Node.own")) (functions-of ?leaf)
                   (text (text "{} {} solves for {s}, the typical other leaf for {s}: {s} more. It is on the critical path {}, so that all {n} others wait that long (the longest part of a leaf is {.2} times the mean)."
                               (if (eq ?kind leaf) then "Leaf" else "Process") ?leaf ?part ?typical (max 0.0 (- ?part ?typical))
                               (dc-way (create$ ?up ?leaf)) (- ?n 1.0) ?skew))
                   (remedy (text "Divide by measured work, not by size: with equal parts each solves for {s}. Or make more parts than processes and let idle processes take the next. If the part of process {} is not larger, look at its node. Up to {s} of run time."
                                 ?equal ?leaf ?gain)))))

(defrule ADVISE::dc-uneven-leaves
  "The leaves are unequal, though none by far."
  (finding (kind symptom) (name low-tree-efficiency) (run ?r) (pattern ?p))
  (dc-path (run ?r) (pattern ?p) (part ?part))
  (metric (run ?r) (pattern ?p) (name "run.typical_solve") (value ?typical))
  (metric (run ?r) (pattern ?p) (name "run.longest_solve") (value ?longest))
  (test (< ?part (* ?*outlier* ?typical)))
  (metric (run ?r) (pattern ?p) (name "run.leaves") (value ?leaves))
  (metric (run ?r) (pattern ?p) (name "run.solve_work") (value ?solve))
  (metric (run ?r) (pattern ?p) (name "run.tree_time") (value ?time))
  (metric (run ?r) (pattern ?p) (name "run.tree_lost") (value ?lost))
  (test (>= (- (* ?leaves ?longest) ?solve) (* ?*significant* ?time)))
  =>
  ;; Where most are as heavy, the others have less than usual: nobody is named.
  (bind ?who (dc-heaviest ?r ?p ?typical ?longest))
  (if (> (* 2 (length$ ?who)) ?leaves) then (bind ?who (create$)))
  (bind ?named (if (= (length$ ?who) 0) then "" else (str-cat " (" (ranks-named ?who) ")")))
  (bind ?cost (min ?lost (- (* ?leaves ?longest) ?solve)))
  (assert (finding (kind cause) (name uneven-leaves) (run ?r) (pattern ?p) (lost ?cost)
                   (locations ?who) (culprits ?who)
                   (headline (text "The leaves solve for different times: {s} on average, {s} at most{}; the others idle until the last one is done."
                                   (/ ?solve (max 1.0 ?leaves)) ?longest ?named))
                   (fix "Divide by measured work, or make several parts per leaf and hand them out on request.")
                   (gain-kind even-out)
                   (share (/ ?cost (max ?lost 1e-12))) (gain (/ ?cost (max 1.0 ?leaves))) (level 3)
                   (where "Solve.solve")
                   (text (text "The leaves solve for different times: {s} on average, {s} at most{}. {s} of the leaves' time pass until the last one is done."
                               (/ ?solve (max 1.0 ?leaves)) ?longest ?named ?cost))
                   (remedy (text "Divide by measured work (sampled splitters), or make several parts per leaf and hand them out on request; up to {s} of run time."
                                 (/ ?cost (max 1.0 ?leaves)))))))

(defrule ADVISE::dc-uneven-problems
  "Each problem has another longest part, over all of them the leaves are even."
  (finding (kind symptom) (name low-tree-efficiency) (run ?r) (pattern ?p))
  (dc-path (run ?r) (pattern ?p) (divide ?divide) (merge ?merge))
  (metric (run ?r) (pattern ?p) (name "run.problems") (value ?problems&:(> ?problems 1.0)))
  (metric (run ?r) (pattern ?p) (name "run.part_cv") (value ?cv&:(>= ?cv (- ?*heavy* 1.0))))
  (metric (run ?r) (pattern ?p) (name "run.typical_solve") (value ?typical))
  (metric (run ?r) (pattern ?p) (name "run.longest_solve") (value ?longest&:(< ?longest (* ?*heavy* ?typical))))
  (metric (run ?r) (pattern ?p) (name "run.nodes") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.divide_work") (value ?divides))
  (metric (run ?r) (pattern ?p) (name "run.merge_work") (value ?merges))
  (metric (run ?r) (pattern ?p) (name "run.moving_all") (value ?moving))
  (metric (run ?r) (pattern ?p) (name "run.grain") (value ?grain))
  (metric (run ?r) (pattern ?p) (name "run.tree_time") (value ?time))
  (metric (run ?r) (pattern ?p) (name "run.tree_lost") (value ?lost))
  =>
  ;; What dividing, merging and moving do not account for.
  (bind ?cost (- ?lost ?moving (dc-idle ?n ?divide ?divides) (dc-idle ?n ?merge ?merges)))
  (if (>= ?cost (* ?*significant* ?time)) then
    (assert (finding (kind cause) (name uneven-leaves) (run ?r) (pattern ?p) (lost ?cost) (via problems)
                     (headline (text "In each of {n} problems another leaf has the longest part: parts of {s} differ by {%}, and all wait for the longest."
                                     ?problems ?grain ?cv))
                     (fix "Make several parts per leaf and hand them out on request, or begin the next problem before the last one is merged.")
                     (gain-kind even-out)
                     (share (/ ?cost (max ?lost 1e-12))) (gain (/ ?cost (max 1.0 ?n))) (level 3) (confidence 0.7)
                     (where "Solve.solve")
                     (text (text "Over {n} problems the leaves solve for as long, but in each of them another one longest: a part takes {s} with a standard deviation of {%}. Until the longest is done {s} of the processes' time pass."
                                 ?problems ?grain ?cv ?cost))
                     (remedy (text "Make several parts per leaf and hand them out on request, or begin the next problem before the last one is merged; up to {s} of run time."
                                   (/ ?cost (max 1.0 ?n))))))))

(defrule ADVISE::dc-slow-node
  "An inner node on the path divides or merges longer than the others of its level."
  (finding (kind symptom) (name low-tree-efficiency) (run ?r) (pattern ?p))
  (dc-path (run ?r) (pattern ?p) (nodes $?nodes) (slow ?x&~"") (slow-excess ?excess) (slack ?slack))
  (metric (run ?r) (pattern ?p) (name "run.nodes") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.tree_time") (value ?time))
  (metric (run ?r) (pattern ?p) (name "run.tree_lost") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "inner.divide") (location ?x) (value ?divide))
  (metric (run ?r) (pattern ?p) (name "inner.merge") (location ?x) (value ?merge))
  (test (>= ?excess (* (- ?*outlier* 1.0) (- (+ ?divide ?merge) ?excess))))
  (test (>= (* (- ?n 1.0) (dc-split-gain ?excess 0.0 ?slack)) (* ?*significant* ?time)))
  =>
  (bind ?gain (dc-split-gain ?excess 0.0 ?slack))
  (bind ?cost (min ?lost (* (- ?n 1.0) ?gain)))
  (assert (finding (kind cause) (name slow-node) (run ?r) (pattern ?p) (locations ?x) (culprits ?x)
                   (headline (text "Inner node {} divides and merges {s} longer than any other of its level, and all others wait."
                                   ?x ?excess))
                   (fix (text "Find out why rank {} takes longer: larger parts, extra work, or a slow machine."
                              ?x))
                   (gain-kind remove)
                   (lost ?cost) (share (/ ?cost (max ?lost 1e-12))) (gain ?gain) (level 3)
                   (what-if (what-if-of "compute" ?x "-" (max 0.0 ?excess)))
                   (where (if (>= ?merge ?divide) then "Node.merge" else "Node.divide")) (functions-of ?x)
                   (text (text "Inner node {} divides for {s} and merges for {s}, {s} longer than any other of its level. It is on the critical path {}: all others wait."
                               ?x ?divide ?merge ?excess (dc-way ?nodes)))
                   (remedy (text "See why process {} needs {s} more (larger parts, its node, extra work there); up to {s} of run time."
                                 ?x ?excess ?gain)))))

(defrule ADVISE::dc-serial-merge
  "Merging on the critical path keeps the other processes idle."
  (finding (kind symptom) (name low-tree-efficiency) (run ?r) (pattern ?p))
  (dc-path (run ?r) (pattern ?p) (nodes $?nodes) (merge ?path) (slow-excess ?slow))
  (metric (run ?r) (pattern ?p) (name "run.nodes") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.merge_work") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.merge_share") (value ?share))
  (metric (run ?r) (pattern ?p) (name "run.tree_time") (value ?time))
  (metric (run ?r) (pattern ?p) (name "run.tree_lost") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "root.root_merge") (location ?root) (value ?top))
  (test (>= (dc-idle ?n (max 0.0 (- ?path ?slow)) (max 0.0 (- ?all ?slow)))
            (* ?*significant* ?time)))
  =>
  (bind ?cost (min ?lost (dc-idle ?n (max 0.0 (- ?path ?slow)) (max 0.0 (- ?all ?slow)))))
  (assert (finding (kind cause) (name serial-merge) (run ?r) (pattern ?p) (locations ?nodes)
                   (headline (text "Merging takes {s} on the critical path, {s} of it in the root, while most of the {n} ranks are idle."
                                   ?path ?top ?n))
                   (fix "Merge in parallel, each rank its own range of the result, or leave the result distributed.")
                   (gain-kind remove)
                   (culprits ?root) (lost ?cost) (share (/ ?cost (max ?lost 1e-12)))
                   (gain (/ ?cost (max 1.0 ?n))) (level 3)
                   (where "Whole.merge") (functions-of ?root)
                   (text (text "Merging takes {s} on the critical path ({s} of it in the root), while most of the {n} processes are idle; it is {%} of all work."
                               ?path ?top ?n ?share))
                   (remedy (text "Merge in parallel (by sampled splitters each process merges its range), or leave the result distributed; up to {s} of run time."
                                 (/ ?cost (max 1.0 ?n)))))))

(defrule ADVISE::dc-serial-divide
  "Dividing on the critical path keeps the other processes idle."
  (finding (kind symptom) (name low-tree-efficiency) (run ?r) (pattern ?p))
  (dc-path (run ?r) (pattern ?p) (nodes $?nodes) (divide ?path))
  (metric (run ?r) (pattern ?p) (name "run.nodes") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.divide_work") (value ?all))
  (metric (run ?r) (pattern ?p) (name "run.divide_share") (value ?share))
  (metric (run ?r) (pattern ?p) (name "run.tree_time") (value ?time))
  (metric (run ?r) (pattern ?p) (name "run.tree_lost") (value ?lost))
  (metric (run ?r) (pattern ?p) (name "root.root_divide") (location ?root) (value ?top))
  (test (>= (dc-idle ?n ?path ?all) (* ?*significant* ?time)))
  =>
  (bind ?cost (min ?lost (dc-idle ?n ?path ?all)))
  (assert (finding (kind cause) (name serial-divide) (run ?r) (pattern ?p) (locations ?nodes)
                   (headline (text "Dividing takes {s} on the critical path, {s} of it in the root, while most of the {n} ranks have no work yet."
                                   ?path ?top ?n))
                   (fix "Let the ranks read or make their parts themselves, or divide by index without touching the data.")
                   (gain-kind remove)
                   (culprits ?root) (lost ?cost) (share (/ ?cost (max ?lost 1e-12)))
                   (gain (/ ?cost (max 1.0 ?n))) (level 3)
                   (where "Whole.divide") (functions-of ?root)
                   (text (text "Dividing takes {s} on the critical path ({s} of it in the root), while most of the {n} processes have nothing yet; it is {%} of all work."
                               ?path ?top ?n ?share))
                   (remedy (text "Let the processes read or make their parts themselves, or divide without touching the data (by index); up to {s} of run time."
                                 (/ ?cost (max 1.0 ?n)))))))

(defrule ADVISE::dc-idle-parents
  "Parents wait while the leaves solve, because they keep no part for themselves."
  (finding (kind symptom) (name low-tree-efficiency) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.typical_solve") (value ?typical))
  (metric (run ?r) (pattern ?p) (name "run.parents") (value ?parents))
  (metric (run ?r) (pattern ?p) (name "run.own_work") (value ?own))
  (metric (run ?r) (pattern ?p) (name "run.nodes") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.leaves") (value ?leaves))
  (metric (run ?r) (pattern ?p) (name "run.parents_wait") (value ?wait))
  (metric (run ?r) (pattern ?p) (name "run.tree_time") (value ?time))
  (metric (run ?r) (pattern ?p) (name "run.tree_lost") (value ?lost))
  (test (>= (min ?wait (dc-idle ?parents ?typical ?own)) (* ?*significant* ?time)))
  =>
  (bind ?cost (min ?lost ?wait (dc-idle ?parents ?typical ?own)))
  (assert (finding (kind cause) (name idle-parents) (run ?r) (pattern ?p) (lost ?cost)
                   (headline (text "{n} of {n} ranks only divide and merge, and wait {s} while the leaves solve."
                                   ?parents ?n ?wait))
                   (fix "Let every parent keep one part and solve it while its children work.")
                   (gain-kind even-out)
                   (share (/ ?cost (max ?lost 1e-12))) (gain (/ ?cost (max 1.0 ?n))) (level 3)
                   (confidence 0.8)
                   (text (text "{n} of {n} processes only divide and merge: while a leaf solves for {s} they wait ({s} of waiting for results in all, {s} of it for a leaf of typical size)."
                               ?parents ?n ?typical ?wait ?cost))
                   (remedy (text "Let every parent keep one part and solve it while its children work (a binomial tree: {n} parts instead of {n}); up to {s} of run time."
                                 ?n ?leaves (/ ?cost (max 1.0 ?n)))))))

(defrule ADVISE::dc-fixed-child-order
  "A parent waits for one child while the result of another is there, and could merge meanwhile."
  (finding (kind symptom) (name low-tree-efficiency) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.parents_in_order") (value ?w))
  (metric (run ?r) (pattern ?p) (name "run.merge_work") (value ?merge))
  (metric (run ?r) (pattern ?p) (name "run.tree_time") (value ?time))
  (metric (run ?r) (pattern ?p) (name "run.tree_lost") (value ?lost))
  (test (>= (min ?w ?merge) (* ?*significant* ?time)))
  =>
  (bind ?cost (min ?w ?merge))
  (assert (finding (kind cause) (name fixed-child-order) (run ?r) (pattern ?p) (lost ?cost)
                   (headline (text "Parents wait {s} for the result of one child while that of another is already there."
                                   ?w))
                   (fix "Receive with MPI_ANY_SOURCE or MPI_Waitany, and merge each result as it comes.")
                   (gain-kind remove)
                   (share (/ ?cost (max ?lost 1e-12))) (level 3) (confidence 0.6)
                   (text (text "Parents receive results in a fixed order: they wait {s} for one child while the result of another is already there, and merge for {s} only afterwards."
                               ?w ?merge))
                   (remedy "Receive the results with MPI_ANY_SOURCE or MPI_Waitany and merge each as it comes."))))

(defrule ADVISE::dc-tree-latency
  "The tree starts and ends slowly, beyond dividing and merging."
  (finding (kind symptom) (name low-tree-efficiency) (run ?r) (pattern ?p))
  ;; A parent that solves longest ends after the leaves, which is no latency.
  (dc-path (run ?r) (pattern ?p) (nodes $? ?end) (divide ?divide) (merge ?merge) (depth ?depth))
  (dc-node (run ?r) (pattern ?p) (node ?end) (kind leaf))
  (metric (run ?r) (pattern ?p) (name "run.ramp") (value ?ramp))
  (metric (run ?r) (pattern ?p) (name "run.tail") (value ?tail))
  (metric (run ?r) (pattern ?p) (name "run.nodes") (value ?n))
  (metric (run ?r) (pattern ?p) (name "run.tree_time") (value ?time))
  (metric (run ?r) (pattern ?p) (name "run.tree_lost") (value ?lost))
  ;; Both compare clocks, and what a leaf's clock adds to one it takes off the other.
  (metric (run ?r) (pattern ?p) (name "run.clock_error") (value ?error))
  (test (>= (- (+ ?ramp ?tail) ?divide ?merge) (max ?error (/ (* ?*significant* ?time) ?n))))
  =>
  (bind ?slow (- (+ ?ramp ?tail) ?divide ?merge))
  (bind ?cost (min ?lost (* ?n ?slow)))
  (assert (finding (kind cause) (name tree-latency) (run ?r) (pattern ?p) (lost ?cost)
                   (headline (text "Passing parts down {n} levels of the tree and results up takes {s} beyond dividing and merging."
                                   (+ ?depth 1) ?slow))
                   (fix "Make the tree flatter, send parts with MPI_Isend, and place parents and children on one node.")
                   (gain-kind remove)
                   (share (/ ?cost (max ?lost 1e-12))) (gain ?slow) (level 3) (confidence 0.6)
                   (text (text "It takes {s} until a leaf has its part, and {s} from the last leaf's end to the root's: {s} more than dividing and merging on the critical path. They pass between {n} levels of processes."
                               ?ramp ?tail ?slow (+ ?depth 1)))
                   (remedy (text "Make the tree flatter (more children per node), send the parts with MPI_Isend so that the second child does not wait for the first, and place parents and children on one node; up to {s} of run time."
                                 ?slow)))))

(defrule ADVISE::dc-parts-too-small
  "Moving a part costs too much for what it takes to solve it."
  (finding (kind symptom) (name low-tree-efficiency) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.grain") (value ?grain))
  (metric (run ?r) (pattern ?p) (name "run.hand_over") (value ?o))
  (test (< ?grain (* ?*grain-good* ?o)))
  (metric (run ?r) (pattern ?p) (name "run.moving_all") (value ?cost))
  (metric (run ?r) (pattern ?p) (name "run.part_bytes") (value ?bytes&:(< ?bytes ?*message-large*)))
  (metric (run ?r) (pattern ?p) (name "run.tree_time") (value ?time))
  (metric (run ?r) (pattern ?p) (name "run.tree_lost") (value ?lost))
  (test (>= ?cost (* ?*significant* ?time)))
  =>
  (assert (finding (kind cause) (name parts-too-small) (run ?r) (pattern ?p) (lost ?cost)
                   (headline (text "Parts are too small: a leaf solves one for {s} and takes {s} to get it and return the result."
                                   ?grain ?o))
                   (fix (text "Stop dividing earlier: a part should take at least {s}." (* ?*grain-good* ?o)))
                   (gain-kind remove)
                   (share (/ ?cost (max ?lost 1e-12))) (level 3) (where "Solve.solve")
                   (text (text "Parts are too small: a leaf solves for {s} and takes {s} to get the part and give back the result; {s} of moving in all."
                               ?grain ?o ?cost))
                   (remedy (text "Stop dividing earlier, so that a part takes at least {s} ({n} times its messages), or put several problems into one message."
                                 (* ?*grain-good* ?o) (integer ?*grain-good*))))))

(defrule ADVISE::dc-data-migration
  "Moving the data down and up the tree takes a significant part of the time."
  (finding (kind symptom) (name low-tree-efficiency) (run ?r) (pattern ?p))
  (metric (run ?r) (pattern ?p) (name "run.part_bytes") (value ?bytes&:(>= ?bytes ?*message-large*)))
  (metric (run ?r) (pattern ?p) (name "run.moving_all") (value ?cost))
  (metric (run ?r) (pattern ?p) (name "run.tree_time") (value ?time))
  (metric (run ?r) (pattern ?p) (name "run.tree_lost") (value ?lost))
  (test (>= ?cost (* ?*significant* ?time)))
  =>
  (assert (finding (kind cause) (name data-migration) (run ?r) (pattern ?p) (lost ?cost)
                   (headline (text "Moving parts and results takes {s}; the root alone moves {n} bytes per problem."
                                   ?cost ?bytes))
                   (fix "Leave the data where they are and send only what is needed to find them, or keep one half in place.")
                   (gain-kind remove)
                   (share (/ ?cost (max ?lost 1e-12))) (level 3) (confidence 0.7)
                   (text (text "Moving parts and results takes {s} of process time; the root alone sends and receives {n} bytes per problem."
                               ?cost ?bytes))
                   (remedy "Keep the data where they are and send what is needed to find them, keep one half in place, or send with MPI_Isend while dividing goes on."))))

(defrule CAUSES::first-late
  "A cause of its own for each process that others wait for."
  (metric (run ?r) (pattern ?p) (name "process.delay_cost") (location ?l) (value ?s&:(> ?s 0.0)))
  =>
  (assert (finding (kind cause) (name late) (run ?r) (pattern ?p) (lost ?s) (level 1)
                   (locations ?l) (culprits ?l) (text (text "Others wait {s} for it." ?s)))))

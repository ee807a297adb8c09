(defrule CAUSES::unknown-names
  "A rule in a hurry."
  (metric (run ?r) (name "run.lost") (value ?lost&:(> ?lost ?*significnt*)))
  =>
  (assert (finding (kind cause) (name hurry) (run ?r) (lost ?lost) (level 1)
                   (culprits ?location) (text (text "{s} are lost." ?lost)))))

(defrule CAUSES::unknown-variable
  "Another one."
  (metric (run ?r) (name "run.lost") (value ?lost))
  =>
  (assert (finding (kind cause) (name hurry) (run ?r) (lost ?los) (level 1))))

(defrule CAUSES::no-values
  "And one more."
  (metric (run ?r) (value 8))
  =>
  (assert (finding (kind cause) (name hurry) (run ?r)
                   (text (text "{} of {} are lost." ?r)))))

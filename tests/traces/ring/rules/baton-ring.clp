(defrule SYMPTOMS::ring-ask
  "A ring is judged by what its stations wait for the token."
  (pattern (run ?r) (name "baton-ring") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.wait" | "station.hold"))
  =>)

(defrule CAUSES::ring-serial
  "Only one station works at a time."
  (pattern (run ?r) (name "baton-ring") (id ?p))
  (metric (run ?r) (pattern ?p) (name "run.wait") (value ?wait))
  (finding (name ring-found) (run ?r))
  =>
  (assert (finding (kind cause) (name serial-ring) (run ?r) (pattern ?p) (lost ?wait) (level 1)
                   (text (text "Stations wait {s} for the token." ?wait)))))

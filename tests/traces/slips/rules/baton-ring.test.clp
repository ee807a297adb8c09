(case "a share is a number with a point"
  (given (metric (run "r1") (pattern "baton-ring") (name "run.wait") (value 8) (unit "s")))
  (expect (finding (name serial-ring))))

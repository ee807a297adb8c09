(defrule CAUSES::wordy
  "What is wrong and what to do is said at length."
  (metric (run ?r) (pattern "message-passing") (name "run.lost") (value ?lost&:(> ?lost 1.0)))
  =>
  (assert (finding (kind cause) (name wordy) (run ?r) (pattern "message-passing") (lost ?lost)
                   (headline (text "Ranks lose {s}, and what is worse, they do so in a great many places of the program, of which every single one is small, so that it is hard to say which of them matters most." ?lost))
                   (fix (if (> ?lost 10.0)
                         then "Look at the places one after the other, beginning with the one that costs most, and see for each of them whether it can be left out, done once, or be done in larger pieces."
                         else "Leave it."))
                   (gain-kind remove)
                   (text (text "Ranks lose {s}." ?lost))
                   (remedy "Look at the places one after the other."))))

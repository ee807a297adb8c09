;; What several patterns say of work that is uneven: who has more than the others, and by how much.

(deffunction MAIN::least-of-work (?run ?pattern ?metric)
  "What a location computes at least whose computation can be compared: who computes next to nothing beside
   the median, such as a coordinator, is no yardstick."
  (* ?*idle* (median-of ?run ?pattern ?metric)))

(deffunction MAIN::mean-of (?run ?pattern ?metric ?least ?but)
  "The mean of a metric over all locations but some where it is at least ?least; 0 where there are none."
  (bind ?sum 0.0)
  (bind ?n 0)
  (do-for-all-facts ((?m metric))
    (and (eq ?m:run ?run) (eq ?m:pattern ?pattern) (eq ?m:name ?metric) (neq ?m:location "")
         (>= ?m:value ?least) (not (member$ ?m:location ?but)))
    (bind ?sum (+ ?sum ?m:value))
    (bind ?n (+ ?n 1)))
  (/ ?sum (max 1 ?n)))

(deffunction MAIN::as-heavy-as-any (?run ?pattern ?metric)
  "Labels of the upper of two classes of locations, at most half of all, between which a metric differs most
   (Otsu 1979): one fault may be that of one process, a column of a grid, half of a tree, or of those above
   the middle where work grows from rank to rank."
  (bind ?floor (least-of-work ?run ?pattern ?metric))
  (bind ?mean (mean-of ?run ?pattern ?metric ?floor (create$)))
  (bind ?median (median-of ?run ?pattern ?metric))
  (bind ?most ?median)
  (bind ?labels (create$))
  (bind ?values (create$))
  (do-for-all-facts ((?m metric))
    (and (eq ?m:run ?run) (eq ?m:pattern ?pattern) (eq ?m:name ?metric) (> ?m:rank 0)
         (>= ?m:value ?floor))
    (bind ?labels (create$ ?labels ?m:location))
    (bind ?values (create$ ?values ?m:value))
    (bind ?most (max ?most ?m:value)))
  (bind ?n (length$ ?values))
  (bind ?best -1.0)
  (bind ?least ?most)
  (loop-for-count (?i 0 32)
    (bind ?bound (- ?most (* (- ?most ?median) (/ ?i 32.0))))
    (bind ?k 0)
    (bind ?above 0.0)
    (foreach ?v ?values
      (if (>= ?v ?bound) then
        (bind ?k (+ ?k 1))
        (bind ?above (+ ?above (- ?v ?mean)))))
    (if (and (> ?k 0) (< ?k ?n) (<= (* 2 ?k) (+ ?n 1))
             (> (/ (* ?above ?above) (* ?k (- ?n ?k))) ?best)) then
      (bind ?best (/ (* ?above ?above) (* ?k (- ?n ?k))))
      (bind ?least ?bound)))
  (bind ?who (create$))
  (loop-for-count (?i 1 ?n)
    (if (>= (nth$ ?i ?values) ?least) then (bind ?who (create$ ?who (nth$ ?i ?labels)))))
  ?who)

(deffunction MAIN::most-of (?run ?pattern ?metric ?who)
  "The largest value of a metric over some locations; 0 where there are none."
  (bind ?most 0.0)
  (do-for-all-facts ((?m metric))
    (and (eq ?m:run ?run) (eq ?m:pattern ?pattern) (eq ?m:name ?metric) (member$ ?m:location ?who))
    (bind ?most (max ?most ?m:value)))
  ?most)

(deffunction MAIN::above-mean (?run ?pattern ?metric ?who)
  "By how much the largest value of some locations is above the mean of all: what evening out takes off them."
  (max 0.0 (- (most-of ?run ?pattern ?metric ?who)
              (mean-of ?run ?pattern ?metric (least-of-work ?run ?pattern ?metric) (create$)))))

(deffunction MAIN::times-the-others (?run ?pattern ?metric ?who ?relative)
  "How many times as long the heaviest of several computes as the others do on average, as the median may lie
   between both; of a single one ?relative, to the median."
  (bind ?others (mean-of ?run ?pattern ?metric (least-of-work ?run ?pattern ?metric) ?who))
  (if (and (> (length$ ?who) 1) (> ?others 0.0))
   then (/ (most-of ?run ?pattern ?metric ?who) ?others)
   else ?relative))

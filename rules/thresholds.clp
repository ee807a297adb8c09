;; Every number that a rule compares with, its unit and where it comes from.
;; Shares are 0 to 1. A changed threshold names its evidence in the commit.

(defglobal MAIN
  ;; A cause worth acting on: its share of the process time (locations x run time). 1.
  ;; KNOWLEDGE: warn from 5 %; below it, run-to-run noise of a shared machine is as large.
  ?*significant* = 0.05

  ;; Efficiency from which on no causes are sought. 1. 1 less twice ?*significant*: half of the loss may be
  ;; noise, and the other half is not worth acting on.
  ?*efficiency-good* = 0.9

  ;; Share of the ideal speed-up that is accepted, and balance. 1. POP: "0.8 acceptable".
  ?*efficiency-acceptable* = 0.8

  ;; Share of a worker's lost time from which on a part is reported. 1. Li & Malony, Fig. 6, list
  ;; parts down to 6.2 %.
  ?*part-shown* = 0.05

  ;; A worker or process is an outlier when it takes this many times the median. 1. Beyond what
  ;; equal cores differ by turbo and cache (some 10 to 30 %).
  ?*outlier* = 1.5

  ;; A process computes more than its share from this many times the median. 1. POP asks for a
  ;; load balance of at least 0.9, which is 1.1 times the mean.
  ?*heavy* = 1.1

  ;; Computation counts as equal where it differs by no more than this share of what the heaviest process
  ;; computes above the mean. 1. As in events, where steps are compared. Where work grows evenly over 2 k ranks,
  ;; the first rank above the mean exceeds it by 1 / (2 k - 1) of that: with up to 20 ranks it is not equal.
  ?*at-mean* = 0.05

  ;; A process that computes less than this many times the median has no part of the work: it hands it out,
  ;; or collects results. 1. As the pattern geometric-decomposition asks of a subdomain.
  ?*idle* = 0.1

  ;; A process is to blame when the waiting it causes is this many times an equal share. 1.
  ;; One slow process reaches twice where all others are alike and noise is small.
  ?*blame* = 2.0

  ;; Coefficient of variation from which on tasks count as unequal. 1. An exponential
  ;; distribution has 1; equal tasks with timer noise stay below 0.1.
  ?*unequal-tasks* = 0.3

  ;; Computation per message must be this many times the message's cost. 1. KNOWLEDGE: grain at
  ;; least 5 to 10 times the overhead.
  ?*grain-fine* = 5.0
  ?*grain-good* = 10.0

  ;; Messages from this size on are limited by bandwidth, below it by latency and call overhead.
  ;; B. The usual change from eager to rendezvous protocols.
  ?*message-large* = 65536.0

  ;; A process that waits for this share of the run passes delays on rather than causing them. 1.
  ;; It waits longer than it does anything else.
  ?*mostly-waiting* = 0.5

  ;; Rounds of equal tasks per worker that keep the loss in the last round below 5 %. 1.
  ;; With r rounds at most one round of r is badly filled: 1/20 = 5 %.
  ?*rounds-good* = 20.0

  ;; Best efficiency that the number of tasks allows, below which they are too few. 1.
  ?*rounds-poor* = 0.9

  ;; Share of the waiting that is for processes which work in turn, from which on they are a chain. 1. A
  ;; chain of three processes has a third, longer ones more; without a chain there is no such waiting.
  ?*chain-least* = 0.25

  ;; Share of the process time that the trace cannot split into waiting and transfer, from which
  ;; on conclusions about waiting are withheld. 1.
  ?*unknown-large* = 0.1)

;; ---- geometric-decomposition, bulk-synchronous ----------------------------------------------
(defglobal MAIN
  ;; Share of the waiting that is for processes that wait themselves, from which on waits are
  ;; chains. 1. Half: more delays are passed on than caused.
  ?*chained* = 0.5

  ;; Computation as a share of the time of exchanges, below which nothing is computed meanwhile. 1.
  ;; KNOWLEDGE, geometric decomposition, C5.
  ?*overlap-little* = 0.1

  ;; Rank correlation of computation between neighbouring steps, below which each step has
  ;; another order. 1. KNOWLEDGE, geometric decomposition, C3.
  ?*persistence-noise* = 0.2

  ;; Heavy processes and the others are two classes if their means explain this share of the variance. 1.
  ;; Halves of evenly spread values explain three quarters of it, of normally distributed ones two thirds.
  ?*apart* = 0.9

  ;; Growth of the imbalance from the first to the last quarter of the steps that counts as a
  ;; trend, in times the mean. 1. As ?*heavy*: 0.1 of the mean.
  ?*imbalance-growth* = 0.1

  ;; Share of the steps below which somebody computes longer now and then only. 1. What recurs in
  ;; every third step is part of the steps; output and checkpoints are rarer.
  ?*now-and-then* = 0.3

  ;; Share of the collectives of which some member is not recorded, from which on their waiting counts as
  ;; unknown. 1. As ?*significant*: so large a part could itself be a cause.
  ?*incomplete* = 0.05

  ;; Waiting by noise, as a share of the process time, from which on it is a cause and not only an
  ;; observation. 1. Twice ?*significant*: the noise of a shared machine reaches about that
  ;; (oddeven-np16, where nothing is wrong: 0.07), and nobody can be asked to do something about it.
  ?*noise-large* = 0.1)

;; ---- message-passing: root causes and steps --------------------------------------------------
(defglobal MAIN
  ;; Share of the step imbalance that is left when the steps of each process are added up, from
  ;; which on the same processes are heavy in every step. 1. KNOWLEDGE asks for a rank correlation
  ;; of 0.7 instead, but one slow process in n raises that by 3 / n only, if the others are alike:
  ;; oddeven-slow5 has 0.57, lulesh-np8 0.39, scorep-halo 0.61, while 0.77 to 1.0 of their imbalance
  ;; is left. Of runs in which nobody is slow 0.03 to 0.4 is left.
  ?*kept-static* = 0.5

  ;; Longest over mean computation of a step, less 1, from which on steps are uneven. 1. KNOWLEDGE:
  ;; 0.1 is imbalance, 0.05 is worth a look where it is noise.
  ?*uneven-steps* = 0.1
  ?*uneven-noise* = 0.05

  ;; Processes from which on the order in which they compute says something. 1. Three have 6
  ;; orders, so that the same two in a row come by chance once in 6; four have 24.
  ?*ranks-enough* = 4

  ;; MPI calls per process from which on their mean cost is reported. 1. If their times vary by as much as
  ;; the mean (standard deviation), the mean of 100 is known to a tenth.
  ?*calls-enough* = 100.0

  ;; Waiting per process and collective that every machine causes. s. A sleep ends up to 50 us late (timer slack,
  ;; prctl(2)), and a tick of the kernel takes some tens more. Processes that wait no longer synchronise too often.
  ?*jitter* = 0.0001

  ;; Collectives per process from which on "fewer of them" is advice. 1. Chosen: below it they are
  ;; set-up and end of a run, such as the barrier before a clock is read.
  ?*collectives-enough* = 10.0)

;; ---- large collectives -----------------------------------------------------------------------
(defglobal MAIN
  ;; Bytes per second and process from which on it may be the data that make a collective long. B/s.
  ;; A tenth of Gigabit Ethernet, the slowest network of clusters, for ranks that share it; at a lower
  ;; speed they wait for something else.
  ?*bandwidth-least* = 1.0e7

  ;; Load balance from which on computation counts as even. 1. POP asks for 0.9.
  ?*balanced* = 0.9)

;; ---- patterns of parts of a run --------------------------------------------------------------

(defglobal MAIN
  ;; Share of the run's time in message-passing calls that lies in patterns whose rules account for a
  ;; loss, from which on general rules keep quiet about it. 1. As the default of a pattern's
  ;; minimum_coverage.
  ?*explained-most* = 0.8

  ;; General rules seek causes after all where those of specific patterns claim less than the first share
  ;; of the lost time and leave at least the second share of the process time. 1. Half of the loss makes
  ;; them the main cause; where 0.2 is left, the verdict would be "inconclusive".
  ?*accounted-least* = 0.5
  ?*unaccounted* = 0.2)

;; ---- pipeline and wavefront ---------------------------------------------------------------------

(defglobal MAIN
  ;; Share of the time that filling and draining cost a pipeline of equal stages, from which on
  ;; there are too few items. 1. The other side of ?*efficiency-good*.
  ?*bubble-large* = 0.1

  ;; The share that the remedy aims at. 1. Half of that leaves room for the rest.
  ?*bubble-good* = 0.05

  ;; A grid of processes is long and narrow when sweeps are this many times as deep as over a
  ;; square one. 1. KNOWLEDGE.
  ?*grid-elongated* = 1.2

  ;; Steps of a sweep differ when the heaviest process computes this much more than the mean. 1.
  ;; KNOWLEDGE; as ?*heavy*.
  ?*step-imbalance* = 0.1)

;; ---- composition ----------------------------------------------------------------------------------

(defglobal MAIN
  ;; A cause inside of a location's work explains why it takes longer if it accounts for this share of the
  ;; difference. 1. KNOWLEDGE, compositional models: 0.6 inside nested intervals.
  ?*inner-accounts* = 0.6)

;; ---- several runs -----------------------------------------------------------------------------------

(defglobal MAIN
  ;; Amounts of work are about the same up to this factor, as for runs that are taken for repetitions.
  ;; 1. Computation of the same work differs by some 10 to 20 % from run to run on a machine that others
  ;; use, too; what somebody changes on purpose usually changes it by half or more.
  ?*same-work* = 1.25)
;; ---- master-worker: what comes back, and what happens once -------------------------------------------

(defglobal MAIN
  ;; What happens once in a run may be chance unless it takes at least this. s. A process whose core
  ;; others use, too, waits for it some slices of a few ms each; with a dozen others that are 0.1 s.
  ?*time-slice* = 0.1

  ;; Standard errors by which a median must differ before it is no chance. 1. Three are exceeded once
  ;; in 700 times, so that it stays rare with hundreds of workers to choose from.
  ?*beyond-chance* = 3.0

  ;; Share of the rounds (a message of each worker) in which a master waits for one while another is
  ;; ready, from which on it keeps an order. 1. Masters that do (tasks that differ by 30 % and more)
  ;; have 0.6 to 2; those that take what comes have below 0.5 on a machine with four processes a core.
  ?*order-kept* = 0.5

  ;; The gain of cheaper requests is that of a master that takes one of so many parts of the time. 1. As
  ;; ?*grain-good*: then workers hardly wait for it.
  ?*cheap* = 10.0

  ;; First tasks are too large when they take this many times a later one. 1. Chosen: as two tasks they could have
  ;; been handed out one after the other.
  ?*first-large* = 2.0)

;; ---- machine ---------------------------------------------------------------------------------------

(defglobal MAIN
  ;; Calls of the median process that stall, from which on that is no chance. 1. Chosen: a few are the
  ;; first messages of a run, or other load that comes and goes.
  ?*stalls-enough* = 10.0

  ;; Cores that other programs keep busy, from which on they disturb a run that needs all cores. 1. Chosen:
  ;; the services of an idle system and marple itself take some hundredths.
  ?*foreign-load* = 0.25

  ;; Ranks on one core, from which on one waits for another. 1. More than one; the rest is rounding.
  ?*shares-core* = 1.01

  ;; Share of the time in which the largest number of processes compute at once, from which on that number is
  ;; taken for the number of cores. 1. 2-core runs of 4 to 16 ranks have 0.55 to 0.82.
  ;; Dependences limit that number, too: they divide processes into groups, in each of which one computes at a
  ;; time, so that two of a group never do so together. A scheduler lets any two. Share of such pairs that must
  ;; compute together. 1. Chosen; where every other subdomain computes it is below 0.
  ?*crowd-full* = 0.5
  ?*crowd-any* = 0.25)

;; ---- work-stealing ---------------------------------------------------------------------------------

(defglobal MAIN
  ;; How many times as often to look for requests. 1. Waiting shrinks likewise, to a tenth.
  ?*polls-more* = 10.0)

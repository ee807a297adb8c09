"""
Root causes on real runs. Every figure names its source:

  program    the traced program measured it and printed it (app-truth.txt beside the trace)
  built      it follows from how the run was made
  Scalasca   scout 2.6 on the same archive
"""

import os
import tempfile

import product

tap = product.Tap()

# An own rule asks for what the shipped ones need only where efficiency is low.
ASKED = (
    "run.late_sender run.wait_n_to_n run.wait_barrier run.early_reduce run.late_broadcast"
    " run.early_scan run.waiting process.delay_cost process.delay_cost_direct"
    " process.delay_cost_indirect process.passed_on process.delay_share process.excess"
    " run.step_count run.step_kept process.heavy_steps"
).split()


def diagnose(path):
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "rules"))
        with open(os.path.join(folder, "rules", "ask.clp"), "w", encoding="ascii") as file:
            file.write(
                '(defrule SYMPTOMS::ask-root-causes "Figures to compare."\n'
                '  (pattern (run ?r) (name "message-passing"))\n'
                '  (exists (metric (run ?r) (pattern "message-passing") (name %s)))\n  =>)\n'
                % " | ".join('"%s"' % name for name in ASKED)
            )
        # Only the general rules: where a specific pattern fits, its rules name the cause.
        return product.diagnose(path, "--pattern", "message-passing", "--knowledge", folder)


def total(d, metric):
    return sum(v for v in d.values(metric).values() if v is not None)


def figures(d, trace, expected):
    """Waiting by kind as Scalasca has it, to 1 %."""
    for metric, seconds in expected.items():
        tap.near(d.value(metric), seconds, 0.01 * seconds, "%s: %s as Scalasca" % (trace, metric))


def is_conserved(d, trace):
    waiting = d.value("run.waiting")
    tap.near(
        total(d, "process.delay_cost"), waiting, 1e-5 * waiting + 1e-9,
        trace + ": delay costs are all waiting",
    )


def costs(d, trace, direct_s, passed_s, within):
    """All kinds together, within a share of the waiting; see its reason where it is above 1 %."""
    tolerance = within * d.value("run.waiting")
    tap.near(
        total(d, "process.delay_cost_direct"), direct_s, tolerance, trace + ": direct as Scalasca"
    )
    tap.near(total(d, "process.passed_on"), passed_s, tolerance, trace + ": indirect as Scalasca")


def is_late(d, trace, rank, injected_s, within):
    """The rank leads, nobody else is named as late, and the seconds are those injected."""
    late = d.causes("late-process")
    tap.ok([f["culprits"] for f in late] == [[rank]], trace + ": only rank %s is late" % rank, late)
    leading = d.leading()
    tap.ok(leading["culprits"] == [rank], trace + ": and that leads", leading)
    tap.near(
        d.values("process.excess").get(rank), injected_s, within * injected_s,
        trace + ": it computes as much longer as was injected",
    )
    shares = d.values("process.delay_share")
    tap.ok(
        all(shares[rank] >= 3 * s for label, s in shares.items() if label != rank),
        trace + ": no neighbour has a third of its delay cost",
        shares,
    )
    gain = leading.get("gain_s") or 0
    tap.ok(0 < gain <= 1.1 * injected_s, trace + ": the gain is possible", leading)
    heavy = d.values("process.heavy_steps").get(rank) or 0
    tap.ok(
        heavy >= 0.9 * d.value("run.step_count"), trace + ": it is heaviest in nearly all steps", heavy
    )


def halo_imb(d, trace):
    figures(d, trace, {"run.late_sender": 1.1692, "run.wait_n_to_n": 0.186009})
    costs(d, trace, 0.928632 + 0.170104, 0.240563 + 0.015906, 0.01)
    is_conserved(d, trace)
    # built: rank 3 computes three times as much; program: 0.593 s against 0.278, 0.283 and 0.296.
    is_late(d, trace, "3", 0.593 - 0.283, 0.2)


def halo(d, trace):
    figures(d, trace, {"run.late_sender": 0.0245671, "run.wait_n_to_n": 0.0016015})
    # Waits are 40 us long here, and half of the delays are in calls: Scalasca compares them call path
    # by call path (Isend with Isend, Waitall with Waitall), marple all communication together. That
    # moves 0.6 of 26 ms.
    costs(d, trace, 0.0245671 + 0.0016015 - 0.00369533, 0.00369533, 0.025)
    is_conserved(d, trace)


def colls(d, trace):
    figures(
        d,
        trace,
        {
            "run.wait_n_to_n": 0.167901,
            "run.late_broadcast": 0.0342829,
            "run.early_reduce": 0.0346464,
            "run.early_scan": 0.0330731,
            "run.wait_barrier": 0.0419144,
        },
    )
    # Scalasca gives no delay costs of scans: taken as direct. Its 3.6 ms of indirect waits at
    # broadcasts go back to roots that waited in the reduction before; marple takes the reduction as
    # a meeting of all, so that they are direct.
    costs(
        d,
        trace,
        0.167596 + 0.030695 + 0.0346464 + 0.0419144 + 0.0330731,
        0.000305091 + 0.00358787,
        0.013,
    )
    is_conserved(d, trace)
    # built: in each round of ten operations the next process has most work, in turn.
    tap.ok(d.causes("moving-work"), trace + ": moving work", d.leading())
    blamed = [f for f in d.causes() if f["culprits"]]
    tap.empty(blamed, trace + ": nobody is blamed")


def colls_skew(d, trace):
    tap.ok(d.causes("moving-work"), trace + ": moving work", d.leading())
    tap.empty([f for f in d.causes() if f["culprits"]], trace + ": nobody is blamed")


def halo_twins(d, trace):
    is_conserved(d, trace)
    tap.ok(d.leading()["name"] == "fine-grain", trace + ": the grain leads", d.leading())
    blamed = {rank for f in d.causes() for rank in f["culprits"]}
    # built: the last rank has more points.
    tap.ok(blamed <= {"3"}, trace + ": nobody but rank 3 is blamed", blamed)


def oddeven_slow(d, trace):
    is_conserved(d, trace)
    # program: 3.0865 s; all 15 others wait for it, at the barrier or along the chain.
    is_late(d, trace, "5", 3.0865, 0.05)
    tap.near(
        d.values("process.delay_cost").get("5"), 15 * 3.0865, 0.05 * 15 * 3.0865,
        trace + ": its delay costs all others that much",
    )


def lulesh_slow(d, trace):
    is_conserved(d, trace)
    is_late(d, trace, "3", 1.185082, 0.05)  # program


def prk_slow(d, trace):
    is_conserved(d, trace)
    is_late(d, trace, "6", 0.513385, 0.05)  # program


def nobody(d, trace):
    is_conserved(d, trace)
    blamed = [f for f in d.causes() if f["culprits"] and f["severity"] >= 0.05]
    tap.empty(blamed, trace + ": nobody is blamed for a significant part")


def no_problem(d, trace):
    nobody(d, trace)
    tap.ok(d["verdict"] == "no-significant-problem", trace + ": no problem", d["summary"])


def few_calls(d, trace):
    # built: bucket sort; sizes of point-to-point messages say nothing of its collectives.
    tap.empty(d.causes("fine-grain"), trace + ": collectives are not judged by message size")
    tap.ok(d.causes("collective-cost") or d.causes("large-collectives"), trace + ": its collectives are named", d.leading())


TESTS = {
    "scorep-halo-imb": halo_imb,
    "scorep-halo": halo,
    "scorep-halo-skew": halo_twins,
    "scorep-halo-omp": halo_twins,
    "scorep-halo-omp-skew": halo_twins,
    "scorep-colls": colls,
    "scorep-colls-skew": colls_skew,
    "oddeven-slow5-np16": oddeven_slow,
    "lulesh-slow3-np8": lulesh_slow,
    "prk-stencil-slow6-np16": prk_slow,
    "oddeven-np16": nobody,
    "lulesh-np8": nobody,
    "prk-stencil-np16": nobody,
    "npb-ep-W-np8": no_problem,
    "npb-is-W-np8": few_calls,
}

for name, test in TESTS.items():
    where = product.shared_trace(name)
    if where is None:
        tap.skip(name, "no such trace here")
    else:
        tap.guarded(name, lambda: test(diagnose(where), name))
tap.done()

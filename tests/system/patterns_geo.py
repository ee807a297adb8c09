"""
Halo exchanges and collective phases on real runs. Every figure names its source: the traced program
measured it (TRACES), it follows from how the run was made (built), or Scalasca counted it.
"""

import re

import product

tap = product.Tap()

OWN = ("geometric-decomposition", "bulk-synchronous")


def own_causes(d):
    return [f for f in d.causes() if f["pattern"].split("@")[0] in OWN]


def late_subdomain(d, trace, rank, injected_s):
    """The rank leads, and what it computes too long is what was injected, within 20 %."""
    leading = d.leading()
    tap.ok(d.pattern("geometric-decomposition"), trace + ": a halo exchange", d["patterns"])
    tap.ok(
        (leading["name"], leading["culprits"]) == ("heavy-subdomain", [rank]),
        "%s: subdomain %s leads" % (trace, rank),
        "%s, %s" % (leading["name"], leading["culprits"]),
    )
    excess = d.values("subdomain.excess").get(rank)
    tap.near(excess, injected_s, 0.2 * injected_s, trace + ": by the injected seconds")
    tap.ok(
        0 < (leading.get("gain_s") or 0) <= 1.2 * injected_s,
        trace + ": the gain is at most that",
        leading,
    )
    tap.ok(re.search(r"[1-9]", leading.get("remedy") or ""), trace + ": the remedy has a number")
    blamed = {r for f in d.causes() for r in f["culprits"]}
    tap.ok(blamed == {rank}, trace + ": nobody else is blamed", blamed)


def each_second_once(d, trace):
    """What the causes claim together is no more than what is lost."""
    lost = [f["lost_s"] for f in own_causes(d)]
    total = [f["lost_s"] for f in d.findings(kind="symptom") if f["pattern"] in OWN]
    tap.ok(
        not lost or sum(lost) <= 1.001 * max(total),
        trace + ": no second is claimed twice",
        "%s of %s" % (lost, total),
    )


def lulesh_slow(d, trace):
    late_subdomain(d, trace, "3", 1.185082)  # program: 59 delays


def stencil_slow(d, trace):
    late_subdomain(d, trace, "6", 0.513385)  # program: 101 delays
    # built: nothing else is slowed down; messages beside rank 6 take longer because of it.
    others = [f["name"] for f in own_causes(d) if f["name"] != "heavy-subdomain"]
    tap.empty(others, trace + ": there is no second cause")


def oddeven_slow(d, trace):
    late_subdomain(d, trace, "5", 3.0865)  # program: fault seconds


def halo_imbalanced(d, trace):
    # Score-P: stencil takes 0.593 s on rank 3, and 0.278, 0.283 and 0.296 s on the others.
    late_subdomain(d, trace, "3", 0.593 - 0.283)
    # Scalasca: delay costs 0.928632 + 0.240563 + 0.170104 + 0.015906 s over all processes.
    costs = d.values("subdomain.delay_cost").values()
    tap.near(sum(costs), 1.355205, 0.0136, trace + ": delay costs as Scalasca")


def halo_fine(d, trace):
    tap.ok(d.pattern("geometric-decomposition"), trace + ": a halo exchange", d["patterns"])
    # built: 2 ms of stencil against 13 ms of MPI_Waitall per rank; start-up is 0.52 of 0.54 s.
    tap.ok(d.leading()["name"] == "fine-grain", trace + ": the grain is too fine", d.leading())
    tap.ok(not d.leading()["culprits"], trace + ": that is nobody's fault", d.leading())
    tap.ok(d["runs"][0]["duration_s"] < 0.1, trace + ": start-up is kept apart", d["runs"][0])


def fine(d, trace):
    tap.ok(d.pattern("geometric-decomposition"), trace + ": a halo exchange", d["patterns"])
    tap.ok(d.leading()["name"] == "fine-grain", trace + ": the grain is too fine", d.leading())


def unsplit(d, trace):
    """No completions of receives: what can be said, and what to measure."""
    pattern = d.pattern("geometric-decomposition") or {"coverage": 0}
    tap.ok(pattern["coverage"] >= 0.95, trace + ": recognised from sends alone", pattern)
    tap.empty([f for f in d.causes() if f["culprits"]], trace + ": nobody is blamed")
    unsplit = d.findings("unsplit-waits")
    tap.ok(len(unsplit) == 1, trace + ": the waits are not split", unsplit)
    wanted = [e for e in d.document["experiments"] if e["status"] == "needed"]
    tap.ok(
        any("receive-completions" in e["record"]["capabilities"] for e in wanted if unsplit[0]["id"] in e["findings"]),
        trace + ": the report says what to measure",
        wanted,
    )
    # built: nothing is slowed down, so computation is about even.
    tap.ok(unsplit and "computes 1." in unsplit[0]["text"], trace + ": computation is judged", unsplit)


def stencil_healthy(d, trace):
    unsplit(d, trace)
    # built: 13 collectives; those of set-up take 40 ms, the usual one 0.06 ms of 87.
    tap.empty(d.findings("costly-reductions"), trace + ": set-up is no cause")


def oddeven_healthy(d, trace):
    tap.ok(d.pattern("geometric-decomposition"), trace + ": a halo exchange", d["patterns"])
    tap.ok(d["verdict"] != "problems", trace + ": nothing alarming", d["summary"])
    tap.empty([f for f in own_causes(d) if f["culprits"]], trace + ": nobody is blamed")


def phases_healthy(d, trace):
    tap.ok(d.pattern("bulk-synchronous"), trace + ": collective phases", d["patterns"])
    tap.ok(d["verdict"] == "no-significant-problem", trace + ": no problem", d["summary"])


def phases(d, trace):
    tap.ok(d.pattern("bulk-synchronous"), trace + ": collective phases", d["patterns"])


def phases_noise(d, trace):
    phases(d, trace)
    # built: work is random in each phase, the same for all in the long run.
    tap.empty([f for f in own_causes(d) if f["culprits"]], trace + ": nobody is blamed")


def quiet(d, trace):
    chosen = [p["name"] for p in d["patterns"] if p["scope"] == "world" and p["name"] in OWN]
    tap.empty(chosen, trace + ": neither a halo exchange nor collective phases")


def main():
    tests = [
        ("lulesh-slow3-np8", lulesh_slow),
        ("prk-stencil-slow6-np16", stencil_slow),
        ("oddeven-slow5-np16", oddeven_slow),
        ("scorep-halo-imb", halo_imbalanced),
        ("scorep-halo", halo_fine),
        ("scorep-halo-skew", fine),
        ("scorep-halo-omp", fine),
        ("scorep-halo-omp-skew", fine),
        ("lulesh-np8", unsplit),
        ("prk-stencil-np16", stencil_healthy),
        ("oddeven-np16", oddeven_healthy),
        ("npb-ep-W-np8", phases_healthy),
        ("npb-is-W-np8", phases),
        ("scorep-colls", phases_noise),
    ]
    tests += [
        (trace, quiet)
        for trace in (
            "npb-cg-W-np8",
            "npb-lu-W-np4",
            "npb-lu-W-drift-np4",
            "dcsort-np7",
            "dcsort-slowleaf-np7",
            "pipeline-np4",
            "pipeline-slowM1-np4",
            "pipeline-balanced-np4",
            "mandel-mw-np4",
            "mandel-mw-np8",
            "mandel-mw-coarse-np8",
            "mandel-mw-masterslow-np8",
            "mandel-mw-slowworker-np8",
            "scorep-mw",
            "scorep-mw8",
            "public-pipit-pingpong",
        )
    ]
    for trace, test in tests:
        path = product.shared_trace(trace)
        if path is None:
            tap.skip(trace, "no such trace here")
        else:
            d = product.diagnose(path)
            tap.guarded(trace, test, d, trace)
            tap.guarded(trace, each_second_once, d, trace)
    tap.done()


main()

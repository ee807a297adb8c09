"""
What a repaired time line must fulfil on real runs. Where figures are compared, the source stands
beside them: TRACES.md's Scalasca and tracer figures, or the same run undisturbed.
"""

import os
import re
import shutil
import subprocess
import tempfile

import product

tap = product.Tap()
KINDS = ("p2p", "collective", "thread")


def total(violations):
    return sum(violations[k] for k in KINDS)


def check(path, *options):
    """The only run of `marple check`; None where the trace cannot be used."""
    answer = product.run("check", "--format", "json", *options, path)
    if answer.status != 0:
        return None
    return product.parse(answer.out)["runs"][0]


def location(run, label):
    return next(one for one in run["clock"]["locations"] if one["location"] == label)


# ---- every trace ---------------------------------------------------------------------------


def no_violation_is_left(path, name):
    run = check(path)
    if run is None or "clock" not in run:
        tap.skip(name + ": clocks", "the trace cannot be used")
        return
    clock = run["clock"]
    repair = clock["repair"]
    ignored = repair["ignored_pairs"] if repair else 0
    tap.ok(total(clock["violations_after"]) <= ignored, name + ": no violation is left", clock)
    if total(clock["violations_mapped"]) == 0:
        tap.ok(repair is None, name + ": what is right is not repaired", repair)
    else:
        tap.ok(repair is not None, name + ": what is wrong is repaired", clock)


def choices_are_obeyed(path, name):
    """Asked for nothing, nothing changes; asked for no repair, nothing is repaired."""
    raw = check(path, "--clock", "none")
    mapped = check(path, "--no-repair")
    if raw is None or mapped is None or "clock" not in raw:
        tap.skip(name + ": choices", "the trace cannot be used")
        return
    tap.ok(
        raw["clock"]["repair"] is None
        and raw["clock"]["violations_after"] == raw["clock"]["violations_before"],
        name + ": without a clock everything stays as recorded",
        raw["clock"],
    )
    tap.ok(
        mapped["clock"]["repair"] is None
        and mapped["clock"]["violations_after"] == mapped["clock"]["violations_mapped"],
        name + ": without repair the violations stay",
        mapped["clock"],
    )


# ---- clocks that swing -----------------------------------------------------------------------

SKEWED = ("scorep-halo-skew", "scorep-mw-skew", "scorep-colls-skew", "scorep-halo-omp-skew")


def times(path):
    """Location to the times of its records, as libotf2 corrects them."""
    anchors = [f for f in os.listdir(path) if f.endswith(".otf2")]
    done = subprocess.run(
        ["otf2-print", os.path.join(path, anchors[0])],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=product.TIME_LIMIT_S,
        check=False,
    )
    found = {}
    for line in done.stdout.decode("utf-8", "replace").split("\n"):
        match = re.match(r"[A-Z][A-Z_]+ +(\d+) +(\d+)  ", line)
        if match:
            found.setdefault(match.group(1), []).append(int(match.group(2)))
    return found


def shifts(path, options=()):
    """By how many ticks each record moves, per location; and the length of the run."""
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "copy")
        answer = product.run("sync", *options, "-o", copy, path)
        if answer.status != 0:
            raise RuntimeError(str(answer))
        before, after = times(path), times(copy)
    moved = {}
    for key, old in before.items():
        new = after[key]
        if len(new) != len(old):
            raise RuntimeError("%s has %d records, the copy %d" % (key, len(old), len(new)))
        moved[key] = [b - a for a, b in zip(old, new)]
    return moved, max(map(max, before.values())) - min(map(min, before.values()))


def ticks_per_s(path):
    done = subprocess.run(
        ["otf2-print", "-G", os.path.join(path, "traces.otf2")],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=product.TIME_LIMIT_S,
        check=False,
    )
    return int(re.search(r"Ticks per Seconds: (\d+)", done.stdout.decode("utf-8")).group(1))


def little_moves(name):
    """
    Against the interpolation of the recorded offsets. Scalasca: 3.39 ms and 0.453 % on a trace
    whose worst reversal is 1.13 ms.
    """
    path = product.shared_trace(name)
    if path is None or shutil.which("otf2-print") is None:
        tap.skip(name + ": shifts", "no trace or no otf2-print")
        return
    moved, length = shifts(path)
    largest_s = max(max(map(abs, m)) for m in moved.values()) / ticks_per_s(path)
    end_share = max(abs(m[-1]) for m in moved.values()) / length
    tap.remark("%s: largest shift %.3g s, at the end %.3g %%" % (name, largest_s, 100 * end_share))
    tap.ok(largest_s <= 1.3e-3, name + ": nothing moves by more than 1.3 ms", largest_s)
    tap.ok(end_share <= 1e-3, name + ": the end moves by at most 0.1 %", end_share)


def skewed_run(name):
    path = product.shared_trace(name)
    if path is None:
        tap.skip(name, "the trace is not there")
        return
    run = check(path)
    tap.ok(total(run["clock"]["violations_after"]) == 0, name + ": 0 violations", run["clock"])
    recorded = check(path, "--clock", "offsets")
    tap.ok(
        total(recorded["clock"]["violations_after"]) == 0,
        name + ": 0 violations with the recorded offsets alone",
        recorded["clock"],
    )
    for label, one in (("refined", run), ("offsets alone", recorded)):
        repair = one["clock"]["repair"]
        tap.remark(
            "%s, %s: %s, worst %.3g s; repair moves by up to %.3g s in %s passes"
            % (
                name,
                label,
                one["clock"]["violations_mapped"],
                one["clock"]["worst_reversal_mapped_s"],
                one["clock"]["max_shift_s"],
                repair["passes"] if repair else 0,
            )
        )


# ---- drift, and two clocks of different nodes --------------------------------------------------


def same_as_twin():
    """Two runs of one program, one with disturbed clocks: they must get the same diagnosis."""
    disturbed = product.shared_trace("npb-lu-W-drift-np4")
    twin = product.shared_trace("npb-lu-W-np4")
    if disturbed is None or twin is None:
        tap.skip("drift: same diagnosis as the twin", "the traces are not there")
        return
    a, b = product.diagnose(disturbed), product.diagnose(twin)
    tap.ok(a["verdict"] == b["verdict"], "drift: the verdict is the twin's", a["verdict"])
    for key in ("name", "culprits"):
        tap.ok(
            a.leading()[key] == b.leading()[key],
            "drift: the leading cause has the %s of the twin" % key,
            "%s, twin %s" % (a.leading()[key], b.leading()[key]),
        )
    tap.ok(
        total(a["runs"][0]["clock"]["violations_after"]) == 0, "drift: no violation is left"
    )


def recorded_range():
    """TRACES.md: the recorded offset of rank 1 goes from 21,214,646 to 21,216,053 ns."""
    name = "public-casita-2_jacobi_blame_cpu_015"
    path = product.shared_trace(name)
    if path is None:
        tap.skip(name + ": offset of rank 1", "the trace is not there")
        return
    for choice in ("messages", "eventspace"):
        clock = location(check(path, "--clock", choice), "1")
        begin = clock["offset_s"] - clock["drift_s"] / 2
        end = clock["offset_s"] + clock["drift_s"] / 2
        bound = clock["error_bound_s"]
        tap.remark("%s: %.9f s to %.9f s, bound %s" % (choice, begin, end, bound))
        if choice == "messages":
            for place, offset in (("begin", begin), ("end", end)):
                tap.ok(
                    21214646e-9 - bound <= offset <= 21216053e-9 + bound,
                    "%s: the offset at the %s is in the recorded range" % (name, place),
                    "%.9f within %.9f" % (offset, bound),
                )
            tap.ok(bound < 2e-5, name + ": the bound says something", bound)


def copies_are_no_better():
    """A corrected copy must not state smaller errors than what it was made from."""
    path = os.path.join(product.top, "examples", "traces", "clock-violation")
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "copy")
        answer = product.run("sync", "-o", copy, path)
        tap.ok(answer.status == 0, "clock-violation: can be copied", answer)
        original, copied = location(check(path), "1"), location(check(copy), "1")
    tap.ok(
        copied["error_bound_s"] >= original["error_bound_s"],
        "clock-violation: the copy states no smaller error than the original",
        "%s, original %s" % (copied["error_bound_s"], original["error_bound_s"]),
    )


def shipped_truth():
    """Made up, so that the offsets of rank 1 at both ends are known exactly: truth.tsv."""
    path = os.path.join(product.top, "examples", "traces", "clock-violation")
    with open(os.path.join(path, "truth.tsv"), encoding="ascii") as file:
        rows = [line.split("\t") for line in file if not line.startswith("#")]
    truth = [1e-9 * int(offset) for rank, _, offset in rows if rank == "1"]
    clock = location(check(path), "1")
    for place, sign, offset in (("begin", -1, truth[0]), ("end", 1, truth[1])):
        tap.near(
            clock["offset_s"] + sign * clock["drift_s"] / 2,
            offset,
            clock["error_bound_s"],
            "clock-violation: the offset at the %s is right within its bound" % place,
        )
    tap.ok(clock["error_bound_s"] < 5e-6, "clock-violation: the bound says something", clock)


for trace in product.all_traces(with_broken=False):
    base = os.path.basename(trace)
    tap.guarded(base, no_violation_is_left, trace, base)
    tap.guarded(base, choices_are_obeyed, trace, base)
for trace in SKEWED:
    tap.guarded(trace, skewed_run, trace)
    tap.guarded(trace, little_moves, trace)
tap.guarded("drift", same_as_twin)
tap.guarded("jacobi", recorded_range)
tap.guarded("clock-violation", shipped_truth)
tap.guarded("clock-violation", copies_are_no_better)
tap.done()

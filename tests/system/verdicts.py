"""
Verdict, efficiencies, causes and residual are several views of the same seconds: on no trace, whole or damaged,
do two of them contradict each other. A damaged trace is not healthy because of what it lacks.
"""

import os
import shutil
import tempfile

import product

tap = product.Tap()

# From these shares of the process time on, a cause is a problem and a residual inconclusive.
PROBLEM = 0.05
UNEXPLAINED = 0.2

# Damaged copies are made of traces up to this size; larger ones say nothing more.
LARGEST_BYTES = 100000

DAMAGE_NOTES = {
    "truncated-events",
    "damaged-events",
    "missing-events-file",
    "empty-events-file",
    "undefined-regions",
    "undefined-communicators",
    "missing-local-definitions",
    "damaged-local-definitions",
    "damaged-communicators",
    "damaged-definitions",
}


def unknown_share(d):
    runs = [r for r in d["runs"] if "unknown_s" in r]
    return sum(r["unknown_s"] for r in runs) / d["time"]["location_s"]


def cost_of(cause):
    return (cause["lost_s"] or 0) + (cause["outer_s"] or 0)


def verdict_follows_from_costs(d):
    """The verdict is a sentence about the costs that stand below it."""
    time = d["time"]
    causes = [c for c in d.causes() if c["lost_s"] is not None and not c["explained_by"]]
    largest = max([cost_of(c) for c in causes], default=0) / time["location_s"]
    residual = time["unexplained_s"] / time["location_s"]
    unknown = unknown_share(d)
    said = "verdict %s; largest cause %.3f, residual %.3f, unknown %.3f" % (
        d["verdict"],
        largest,
        residual,
        unknown,
    )
    is_right = {
        "no-significant-problem": largest < PROBLEM and residual < UNEXPLAINED and unknown < PROBLEM,
        "problems": largest >= PROBLEM and unknown < largest,
        "inconclusive": residual >= UNEXPLAINED or unknown >= max(PROBLEM, largest),
    }[d["verdict"]]
    return [] if is_right else [said]


def efficiency_is_about_the_same_time(d):
    """Parallel efficiency is the share of computation, which the residual mentions, too."""
    pattern = d.pattern("message-passing")
    efficiency = d.value("run.parallel_efficiency")
    time = d["time"]
    if pattern is None or efficiency != efficiency or pattern["scope"] != "world":
        return []
    n_locations = d["runs"][0]["locations"]
    computed = 1 - time["lost_s"] / time["location_s"]
    if len(pattern["roles"]["process"]) < n_locations:
        return []
    if abs(efficiency - computed) > 2e-3:
        return ["efficiency %.4f, but %.4f of the time is computation" % (efficiency, computed)]
    return []


def low_efficiency_is_no_health(d):
    """Who says that nothing is wrong has accounted for the time that is not computation."""
    efficiency = d.value("run.parallel_efficiency")
    time = d["time"]
    accounted = (time["normal_s"] + time["explained_s"] + time["nested_s"]) / time["location_s"]
    if d["verdict"] == "no-significant-problem" and efficiency + accounted < 1 - UNEXPLAINED - 1e-6:
        return ["efficiency %.3f, %.3f accounted for" % (efficiency, accounted)]
    return []


def damage_comes_first(d):
    """Conclusions rest on what is left, so what is not left is said before them."""
    bad = []
    for run in d["runs"]:
        notes = DAMAGE_NOTES & {q["note"] for q in run.get("quality", ())}
        if notes and not run["damage"]:
            bad.append("%s is said nowhere" % sorted(notes))
        if notes and "is damaged: it lacks " not in d["summary"][:40]:
            bad.append("%s does not come first: %s" % (sorted(notes), d["summary"][:80]))
        if not notes and (run.get("damage") or run.get("unknown_s")):
            bad.append("%s without a note" % run["damage"])
    return bad


RELATIONS = (
    verdict_follows_from_costs,
    efficiency_is_about_the_same_time,
    low_efficiency_is_no_health,
    damage_comes_first,
)


def complaints_about(path):
    answer = product.run("diagnose", "--format", "json", path)
    if answer.status == 3 and product.parse(answer.out)["verdict"] == "unusable":
        return []
    if answer.status not in (0, 1):
        return [str(answer)]
    diagnosis = product.Diagnosis(answer)
    return ["%s: %s" % (r.__name__, c) for r in RELATIONS for c in r(diagnosis)]


def size_of(folder):
    return sum(
        os.path.getsize(os.path.join(where, file)) for where, _, files in os.walk(folder) for file in files
    )


def files_of(folder, ending):
    found = []
    for where, _, files in os.walk(folder):
        found += [os.path.relpath(os.path.join(where, f), folder) for f in files if f.endswith(ending)]
    return sorted(found)


def damages_of(trace):
    """(file, share of it that is left): definitions cut in several places, events and mappings once."""
    top = [f for f in files_of(trace, ".def") if os.sep not in f]
    local = [f for f in files_of(trace, ".def") if os.sep in f]
    events = files_of(trace, ".evt")
    return (
        [(f, share) for f in top for share in (0.3, 0.5, 0.7, 0.9)]
        + [(f, share) for f in events[:4] for share in (0.0, 0.5)]
        + [(f, None) for f in events[-1:]]
        + [(f, share) for f in local[:2] for share in (0.0, 0.5)]
    )


def remove(folder):
    for where, _, _ in os.walk(folder):
        os.chmod(where, 0o755)
    shutil.rmtree(folder)


def test_damaged(trace, scratch):
    copy = os.path.join(scratch, "copy")
    bad = []
    damages = product.some(damages_of(trace), 8)
    for file, share in damages:
        shutil.copytree(trace, copy)
        path = os.path.join(copy, file)
        os.chmod(path, 0o644)
        if share is None:
            os.chmod(os.path.dirname(path), 0o755)
            os.remove(path)
        else:
            os.truncate(path, int(share * os.path.getsize(path)))
        bad += ["%s, %s left: %s" % (file, share, c) for c in complaints_about(copy)]
        remove(copy)
    tap.empty(bad, "%s: %d damaged copies" % (os.path.basename(trace), len(damages)))


def main():
    for trace in product.all_traces():
        name = os.path.basename(trace)
        tap.empty(complaints_about(trace), name)
        if size_of(trace) <= LARGEST_BYTES and not name.startswith("broken-"):
            with tempfile.TemporaryDirectory() as scratch:
                tap.guarded(name, test_damaged, trace, scratch)
    tap.done()


main()

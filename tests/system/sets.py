"""
Several runs of a program. Figures name their source:

  built    it follows from how the runs were made (number and length of tasks, injected sleeps)

Where MPI and EZTrace are installed, the shipped example is traced here and now, too.
"""

import os
import shutil
import subprocess
import tempfile

import product

tap = product.Tap()
example = os.path.join(product.top, "examples", "master-worker", "trace.sh")
FEED = "workers that the master can feed"


def together(*paths):
    return product.Diagnosis(product.run("diagnose", "--format", "json", *paths))


def rows(d, quantity):
    return [row for row in d["scaling"] if row["quantity"] == quantity]


def shared(*names):
    """The paths of traces; None and a remark where one is not there."""
    paths = [product.shared_trace(name) for name in names]
    if None in paths:
        tap.skip(" ".join(names), "no such traces")
        return None
    return paths


# ---- traces with a known truth ---------------------------------------------------------------


def test_series(paths):
    what = "401 tasks with 3 and 7 workers"
    d = together(*paths)
    tap.ok([g["processes"] for g in d["groups"]] == [4, 8], what + ": two groups", d["groups"])
    found = rows(d, "run time")
    tap.ok(
        len(found) == 1 and found[0]["pattern"] == "master-worker" and found[0]["model"],
        what + ": the model of master-worker expects a run time",
        found,
    )
    # built: 58 rounds of about 10.1 ms.
    tap.near(found[0]["expected"], 58 * 10.1e-3, 0.02, what + ": as many rounds as there are")
    tap.ok(abs(found[0]["residual"]) <= 0.1, what + ": the run is what was expected", found)
    tap.ok(d["verdict"] == "no-significant-problem", what + ": nothing is wrong", d["summary"])
    tap.ok(len(d.findings("no-cause-takes-over")) == 1, what + ": no cause takes over")
    tap.empty(d.findings("master-saturates"), what + ": the master does not saturate")
    text = product.run("diagnose", "--full", *paths).out
    tap.ok("\nScaling\n" in text and "\nRuns\n" in text, what + ": the report has both parts")


def test_saturation(paths):
    what = "master that serves 3 ms"
    d = together(*paths)
    found = rows(d, FEED)
    tap.ok(len(found) == 1 and abs(found[0]["residual"]) <= 0.25, what + ": saturation", found)
    # built: 8 to 12 ms per task and 3 ms of the master feed 10 / 3 + 1 workers.
    tap.near(found[0]["expected"] if found else None, 4.3, 0.4, what + ": about 4 workers")
    over = d.findings("cause-takes-over")
    tap.ok(
        len(over) == 1 and "master-bottleneck" in over[0]["text"],
        what + ": the master takes over",
        over,
    )


def test_not_repeated(paths):
    what = "tasks ten times as long"
    d = together(*paths)
    tap.ok(len(d["groups"]) == 2, what + ": are no repetition", d["groups"])
    tap.ok("16.7 times as many messages" in " ".join(d["remarks"]), what + ": reported", d["remarks"])
    tap.empty(d["scaling"], what + ": no scaling without other sizes")


def test_slow_process(paths):
    what = "a process made slow"
    d = together(*paths)
    tap.ok(len(d["groups"]) == 2, what + ": is no repetition", d["groups"])
    tap.ok(d["verdict"] == "problems", what + ": is not taken for noise", d["summary"])


def test_repeated(paths):
    what = "the same run on other clocks"
    d = together(*paths)
    tap.ok(len(d["groups"]) == 1, what + ": is a repetition", d["groups"])
    leading = d.leading()
    tap.ok(
        leading["n_seen"] == 2
        and leading["lost_low_s"] <= leading["lost_s"] <= leading["lost_high_s"],
        what + ": its cause is seen in both",
        leading,
    )
    names = [(f["name"], tuple(f["culprits"])) for f in d.causes()]
    tap.ok(len(names) == len(set(names)), what + ": no cause is named twice", names)


def test_strangers(paths):
    d = together(*paths)
    tap.ok(
        any("do not look like runs of one program" in r for r in d["remarks"]),
        "runs of two programs are distinguished",
        d["remarks"],
    )
    tap.empty(d["scaling"], "and are not compared")
    verdicts = [p["verdict"] for p in d["programs"]]
    tap.ok(len(verdicts) == 2, "each has a verdict of its own", d["programs"])
    tap.ok(d["verdict"] in verdicts, "that of all is one of them", d["verdict"])
    tap.ok(
        d["summary"].startswith("These are runs of 2 programs. r1: ") and "r2: " in d["summary"],
        "and a headline of its own",
        d["summary"],
    )
    answer = product.run("diagnose", "--full", *paths)
    tap.ok("These are runs of 2 programs" in answer.out, "in text, too", answer)


def test_manifest(paths):
    with tempfile.TemporaryDirectory() as folder:
        manifest = os.path.join(folder, "runs.yaml")
        with open(manifest, "w", encoding="ascii") as file:
            file.write("runs:\n")
            for path, size in zip(paths, (4, 4)):
                file.write("  - {trace: '%s', processes: %d, label: try %d}\n" % (path, size, size))
        answer = product.run("diagnose", "--format", "json", "--manifest", manifest)
        d = product.Diagnosis(answer)
        tap.ok(len(d["runs"]) == 2, "a manifest names the runs", d["runs"])
        tap.ok(
            d["remarks"] == ["The manifest says that r2 has 4 processes; its trace has 8."],
            "what it says is compared with the traces",
            d["remarks"],
        )
        labels = [r["label"] for r in d["runs"]]
        tap.ok(labels == ["try 4", "try 4"], "its labels are reported", labels)
        text = product.run("diagnose", "--full", "--manifest", manifest)
        tap.ok('r1 "try 4"' in text.out, "and where the runs are named", text)
        os.rename(manifest, os.path.join(folder, "case.yaml"))
        d = together(folder)
        tap.ok(len(d["runs"]) == 2, "a directory with case.yaml stands for its runs", d["runs"])
        with open(os.path.join(folder, "bad.yaml"), "w", encoding="ascii") as file:
            file.write("runs:\n  - {trace: nowhere}\n")
        answer = product.run("diagnose", "--manifest", os.path.join(folder, "bad.yaml"))
        tap.ok(
            answer.status == 3 and "bad.yaml:2:" in answer.complaint,
            "a manifest that names no trace is refused with its place",
            answer,
        )


# ---- runs made here and now --------------------------------------------------------------------


def trace(folder, processes, *knobs):
    done = subprocess.run(
        ["sh", example, folder, str(processes), *knobs],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=product.TIME_LIMIT_S,
        check=False,
    )
    if done.returncode != 0:
        tap.remark(done.stderr.decode("utf-8", "replace")[-1500:])
        return None
    return done.stdout.decode("utf-8").strip().split("\n")[-1]


def test_live(folder):
    """On a busy machine one of the runs may be slowed down, so it may take three attempts."""
    knobs = ("--master-ms", "3", "--task-ms", "12", "--tasks", "240")
    bad = None
    for attempt in range(3):
        place = os.path.join(folder, str(attempt))
        sizes = [trace(os.path.join(place, "n%d" % n), n, *knobs) for n in (3, 5, 9)]
        again = [trace(os.path.join(place, "a%d" % i), 5, *knobs) for i in (1, 2)]
        if None in sizes + again:
            tap.skip("runs made here and now", "tracing failed")
            return
        d = together(*sizes, *again)
        found = rows(d, FEED)
        bad = [row for row in found if abs(row["residual"]) > 0.25]
        if found and not bad:
            break
        tap.remark("attempt %d: %s" % (attempt + 1, found))
    tap.ok(
        [len(g["runs"]) for g in d["groups"]] == [1, 3, 1],
        "live: three runs with 5 processes are repetitions, the others are not",
        d["groups"],
    )
    tap.ok(found, "live: the master saturates", d["scaling"])
    tap.empty(bad, "live: where it saturates agrees with the prediction to 25 %")
    distinct = {(f["run"], f["name"], tuple(f["culprits"])) for f in d.causes()}
    tap.ok(len(distinct) == len(d.causes()), "live: no cause is named twice", distinct)


def main():
    series = ("mandel-mw-np4", "mandel-mw-np8")
    for test, names in (
        (test_series, series),
        (test_saturation, ("scorep-mw", "scorep-mw8")),
        (test_not_repeated, ("mandel-mw-coarse-np8", "mandel-mw-np8")),
        (test_slow_process, ("oddeven-np16", "oddeven-slow5-np16")),
        (test_repeated, ("npb-lu-W-np4", "npb-lu-W-drift-np4")),
        (test_strangers, ("mandel-mw-np4", "pipeline-np4")),
        (test_manifest, series),
    ):
        paths = shared(*names)
        if paths is not None:
            tap.guarded(" ".join(names), test, paths)
    missing = [t for t in ("mpicc", "mpirun", "eztrace") if shutil.which(t) is None]
    if missing:
        tap.skip("runs made here and now", "%s not installed" % ", ".join(missing))
    else:
        with tempfile.TemporaryDirectory() as folder:
            tap.guarded("live", test_live, folder)
    tap.done()


main()

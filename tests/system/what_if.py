"""What-ifs against programs that were really changed; sleeps are the computation."""

import os
import shutil
import statistics
import subprocess
import tempfile

import product

tap = product.Tap()
TIMES = 3
example = os.path.join(product.top, "examples", "master-worker", "trace.sh")
halo = os.path.join(product.top, "tests", "system", "what-if", "halo.c")
# Open MPI refuses to run as root unless told twice.
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def call(words, folder):
    done = subprocess.run(
        words,
        cwd=folder,
        env={**os.environ, **AS_ROOT},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=product.TIME_LIMIT_S,
        check=False,
    )
    if done.returncode != 0:
        tap.remark((done.stdout + done.stderr).decode("utf-8", "replace")[-1500:])
        raise RuntimeError("cannot run " + " ".join(words))
    return done.stdout.decode("utf-8")


def trace_farm(folder, *knobs):
    return call(["sh", example, folder, "7", *knobs], ".").strip().split("\n")[-1]


def trace_halo(folder, *knobs):
    os.makedirs(folder)
    call(["mpicc", "-O2", "-o", "halo", halo], folder)
    call(["mpirun", "--oversubscribe", "-np", "5", "eztrace", "-t", "openmpi", "./halo", *knobs], folder)
    return os.path.join(folder, "halo_trace")


def answer(path, change):
    what_if = product.diagnose(path, "--what-if", change)["what_if"]
    assert len(what_if) == 1 and what_if[0]["change"] == change, what_if
    return what_if[0]


def compare(what, folder, trace, change, before, after):
    """The run time that is predicted for `after` from runs of `before`: medians of both."""
    told, measured, was = [], [], []
    for i in range(TIMES):
        a = answer(trace(os.path.join(folder, "before%d" % i), *before), change)
        tap.near(a["baseline_s"], a["recorded_s"], 1e-6, what + ": the replay of the run is the run")
        told.append(a["changed_s"])
        was.append(a["recorded_s"])
        measured.append(answer(trace(os.path.join(folder, "after%d" % i), *after), change)["recorded_s"])
    expected = statistics.median(measured)
    tap.remark(
        "%s: %.3f s before; %.3f s predicted, %.3f s measured, from %s and %s"
        % (
            what,
            statistics.median(was),
            statistics.median(told),
            expected,
            ["%.3f" % s for s in sorted(told)],
            ["%.3f" % s for s in sorted(measured)],
        )
    )
    # Sleepers wake late on a machine that is busy with others, by amounts that differ from run to run.
    busy = os.getloadavg()[0] > len(os.sched_getaffinity(0))
    tap.near(
        statistics.median(told),
        expected,
        (0.3 if busy else 0.15) * expected,
        what + ": what was predicted is what is measured",
    )
    tap.ok(
        statistics.median(was) - expected > 0.25 * expected,
        what + ": and the change matters",
        statistics.median(was),
    )


def test_master(folder):
    knobs = ["--tasks", "60", "--task-ms", "40", "--master-ms"]
    compare("master of half the time", folder, trace_farm, "compute(master)/2", knobs + ["16"], knobs + ["8"])


def test_halo(folder):
    compare(
        "process as fast as the others",
        folder,
        trace_halo,
        "compute(3)=others",
        ["30", "10", "3", "30"],
        ["30", "10", "3", "10"],
    )


def main():
    missing = [t for t in ("mpicc", "mpirun", "eztrace") if shutil.which(t) is None]
    if missing:
        print("1..0 # SKIP not installed: " + ", ".join(missing))
        return
    with tempfile.TemporaryDirectory() as folder:
        tap.guarded("master", test_master, os.path.join(folder, "farm"))
        tap.guarded("halo", test_halo, os.path.join(folder, "halo"))
    tap.done()


main()

"""Threads of OpenMP beside MPI under marple trace, where the compiler's runtime reports them to tools (clang's does)."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

import product
import traced

tap = product.Tap()
RANKS = 2
STEPS = 8
MS = 5
# Of 8 regions one in four has two threads, the others three. The first thread opens the trace, the others come in any order.
TURNS = [8, 8, 6]
# The last thread works for two MS longer than each of the others, which wait for it.
WAITING_S = RANKS * (6 * 2 + 2 * 1) * 2 * MS / 1e3


def build(folder, mpi, compiler="clang"):
    program = os.path.join(folder, "hybrid-%s-%s" % (mpi, compiler))
    source = os.path.join(traced.apps, "hybrid.c")
    words = [traced.MPIS[mpi][0], "-g", "-O1", "-w", "-fopenmp", "-o", program, source]
    env = dict(os.environ, OMPI_CC=compiler, MPICH_CC=compiler)
    return program if subprocess.run(words, env=env, capture_output=True, check=False).returncode == 0 else None


def counts(events):
    """Name of a record, or of the region that it enters or leaves, to how often it stands there."""
    found = {}
    for name, text in events:
        region = re.search(r'Region: "(!\$omp [^"]*)"', text)
        key = name + " " + region.group(1) if region else name
        found[key] = found.get(key, 0) + 1
    return found


def whole_turns(of, n):
    regions = ("!$omp parallel", "!$omp barrier", "!$omp implicit barrier")
    keys = ["THREAD_TEAM_BEGIN", "THREAD_TEAM_END", *("%s %s" % (w, r) for w in ("ENTER", "LEAVE") for r in regions)]
    return all(of.get(key) == n for key in keys)


def hybrid(folder, program, mpi):
    run = traced.Traced(folder, RANKS, [program, str(STEPS), str(MS)], mpi)
    tap.ok("hybrid: 44" in run.out, "%s: the program computes what it computes without a tracer" % mpi, str(run))
    for rank in range(RANKS):
        threads = [counts(run.events(rank + (t << 32))) for t in range(3)]
        tap.ok(
            [t.get("THREAD_FORK", 0) for t in threads] == [STEPS, 0, 0]
            and [t.get("THREAD_JOIN", 0) for t in threads] == [STEPS, 0, 0],
            "%s, rank %d: each region begins and ends once, at the first thread" % (mpi, rank),
            str(threads),
        )
        turns = sorted((t.get("THREAD_TEAM_BEGIN", 0) for t in threads), reverse=True)
        tap.ok(
            turns == TURNS and all(whole_turns(t, t["THREAD_TEAM_BEGIN"]) for t in threads),
            "%s, rank %d: each thread takes part in its regions, and ends them all" % (mpi, rank),
            str(threads),
        )
    traced.is_clean(tap, run, mpi)
    diagnosis = product.run("diagnose", run.path).out
    waits = re.search(r"Threads wait ([\d.]+) (m?)s for one another", " ".join(diagnosis.split()))
    found = float(waits.group(1)) / (1000 if waits.group(2) else 1) if waits else 0.0
    tap.ok(found >= 0.95 * WAITING_S, "%s: it is said that threads wait, and as long as they do at least" % mpi, diagnosis)
    tap.ok("hybrid.c:" in diagnosis or "!$omp" in diagnosis, "%s: and where" % mpi, diagnosis)


def switches(folder, program, mpi):
    """Where recording is off it is so for all threads: they are not idle then."""
    run = traced.Traced(folder, RANKS, [program, "3000", "0"], mpi, MARPLE_TRACE_MAX_MB="1")
    found = [[text for name, text in run.events(t << 32) if name == "MEASUREMENT_ON_OFF"] for t in range(3)]
    tap.ok(len(found[0]) > 1 and found[0] == found[1] == found[2], "%s: all threads are switched" % mpi, str(run))
    found = product.diagnose(run.path)
    window_s = found["runs"][0]["duration_s"]
    off_s = sum(seconds_off(run, (t << 32) + rank) for rank in range(RANKS) for t in (1, 2))
    idle_s = found.value("run.idle_threads")
    tap.ok(0 < idle_s <= 2 * RANKS * window_s - off_s, "%s: threads that are not recorded are not idle" % mpi, idle_s)


def seconds_off(run, location):
    """How long recording was off."""
    lines = re.findall(r"^MEASUREMENT_ON_OFF +\d+ +(\d+) +Mode: (\w+)", run.print("-L", str(location))[0], re.M)
    times = [int(time) / 1e9 for time, _ in lines]
    return sum(times[i + 1] - times[i] for i in range(0, len(times) - 1, 2))


def gcc(folder, _, mpi):
    """GCC's runtime reports its threads to nobody."""
    run = traced.Traced(folder, RANKS, [build(folder, mpi, "gcc"), "2", "1"], mpi, OMP_NUM_THREADS="3")
    report = " ".join(run.check().split())
    tap.ok("no threads:" in report, "%s: threads of GCC's OpenMP are not said to be recorded" % mpi, report)
    tap.ok("threads of GCC's OpenMP runtime, if there were any, are not recorded" in report, "%s: but why not" % mpi, report)
    run = traced.Traced(folder, RANKS, [build(folder, mpi, "gcc"), "2", "1"], mpi, OMP_NUM_THREADS="1")
    tap.ok("yes threads:" in run.check(), "%s: where it may use one there are none" % mpi, str(run))


def main():
    with tempfile.TemporaryDirectory() as folder:
        for mpi in traced.MPIS:
            lack = traced.missing(mpi) or ("no clang" if shutil.which("clang") is None else None)
            program = None if lack else build(folder, mpi)
            if program is None:
                tap.skip("%s: threads of OpenMP" % mpi, lack or "clang has no OpenMP here")
                continue
            for test in (hybrid, switches, gcc):
                tap.guarded("%s: %s of OpenMP's threads" % (mpi, test.__name__), test, folder, program, mpi)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())

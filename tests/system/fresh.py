"""Runs of the same program, traced here and now: marple diff must not suspect anybody in any pair of them, whatever
order the machine lets their messages come in."""

import glob
import itertools
import os
import shutil
import signal
import subprocess
import tempfile

import product

tap = product.Tap()
N_RUNS = 4
TIME_LIMIT_S = 60
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
# What it is, its source, how many processes, and what it is called with.
PROGRAMS = (
    ("a farm", "examples/master-worker/mw.c", 6, ["--tasks", "80", "--task-ms", "5"]),
    ("a farm of groups", "examples/nested/farm.c", 7, ["--groups", "3", "--tasks", "12"]),
    ("a ring", "tests/system/what-if/halo.c", 5, ["40", "5", "0", "5"]),
)


def missing_tools():
    return [t for t in ("mpicc", "mpirun", "eztrace") if shutil.which(t) is None]


def trace(folder, program, n_processes, arguments):
    """The path of a trace; None where the machine does not let one be made."""
    os.makedirs(folder)
    command = ["mpirun", "--oversubscribe", "-np", str(n_processes), "eztrace", "-t", "openmpi", program]
    with subprocess.Popen(
        command + arguments,
        cwd=folder,
        env={**os.environ, **AS_ROOT},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            status = process.wait(TIME_LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return None
    found = glob.glob(os.path.join(folder, "*", "*.otf2"))
    return found[0] if status == 0 and found else None


def complaint(base, new):
    """What is wrong with the answer about two good runs; None: nothing."""
    done = product.run("diff", "--format", "json", base, new)
    if done.status != 0:
        return str(done)
    diff = product.parse(done.out)
    suspects = [suspect["location"] for suspect in diff["suspects"]]
    is_good = not suspects and diff["verdict"] in ("SAME", "SLOWER", "FASTER")
    return None if is_good else "%s %s: %s, suspects %s" % (base, new, diff["verdict"], suspects)


def compare(place, what, source, n_processes, arguments):
    name = "nobody is suspected in pairs of runs of " + what
    program = os.path.join(place, os.path.basename(source)[:-2])
    subprocess.run(["mpicc", "-O2", "-o", program, os.path.join(product.top, source)], check=True)
    folders = [os.path.join(place, "%s-%d" % (os.path.basename(program), i)) for i in range(N_RUNS)]
    runs = [run for run in (trace(folder, program, n_processes, arguments) for folder in folders) if run]
    if len(runs) < 2:
        tap.skip(name, "EZTrace traced %d of %d runs" % (len(runs), N_RUNS))
        return
    complaints = [complaint(*pair) for pair in itertools.combinations(runs, 2)]
    tap.remark("%s: %d pairs" % (what, len(complaints)))
    tap.empty([c for c in complaints if c is not None], name)


if missing_tools():
    print("1..0 # SKIP no " + ", ".join(missing_tools()))
else:
    with tempfile.TemporaryDirectory() as scratch:
        for case in PROGRAMS:
            tap.guarded(case[0], compare, scratch, *case)
    tap.done()

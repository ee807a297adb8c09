"""What tracers cost: `tracer.py MARPLE [RUNS [STEPS...]]`, STEPS as probe:200000.

Runs a program of two ranks without a tracer, with marple's own and with EZTrace, one behind the other, RUNS times (9), each
rank on a core of its own, and prints the median time of a step, what a tracer adds to it, and bytes per event. To be
run on a machine that does nothing else.
"""

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

STEPS = ["probe:200000", "pingpong:200000", "halo:50000", "work:1000"]
MPIS = {
    "openmpi": ("mpicc.openmpi", ["mpirun.openmpi", "--bind-to", "core"]),
    "mpich": ("mpicc.mpich", ["mpirun.mpich", "-bind-to", "core"]),
}
here = os.path.dirname(os.path.abspath(__file__))


def run(words, folder, **more):
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **more)
    done = subprocess.run(words, capture_output=True, text=True, env=environment, cwd=folder, check=True)
    found = re.search(r"^\d+\.\d$", done.stdout, re.M)
    return float(found.group(0))


def bytes_per_event(marple, folder):
    """Of the archive below a folder that has one."""
    n_bytes = n_events = 0
    for path, _, names in os.walk(folder):
        n_bytes += sum(os.path.getsize(os.path.join(path, n)) for n in names if n.endswith((".evt", ".otf2", ".def")))
        for name in (n for n in names if n.endswith(".otf2")):
            told = subprocess.run([marple, "check", os.path.join(path, name)], capture_output=True, text=True, check=False)
            found = re.search(r"([\d,]+)\s+events", told.stdout)
            n_events += int(found.group(1).replace(",", "")) if found else 0
    return n_bytes / n_events if n_events else 0


def measure(marple, mpi, step, n_runs):
    compiler, launch = MPIS[mpi]
    launch = [*launch, "-np", "2"]
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        subprocess.run([compiler, "-O2", "-w", "-o", program, os.path.join(here, "tracer.c")], check=True)
        words = [program, *step.split(":")]
        ways = {
            "none": lambda: run([*launch, *words], folder),
            "marple": lambda: run([marple, "trace", "-f", "-o", folder + "/marple", "--", *launch, *words], folder),
        }
        if mpi == "openmpi" and shutil.which("eztrace"):
            ways["eztrace"] = lambda: run(
                [*launch, "eztrace", "-t", "openmpi", "-o", folder + "/eztrace", *words], folder
            )
        times = {way: [] for way in ways}
        for _ in range(n_runs):
            for way, once in ways.items():
                shutil.rmtree(os.path.join(folder, way), ignore_errors=True)
                times[way].append(once())
        plain = statistics.median(times["none"])
        for way in ways:
            median = statistics.median(times[way])
            size = bytes_per_event(marple, os.path.join(folder, way))
            print(
                "%-8s %-16s %-8s %11.1f %+10.1f %+7.1f %% %7.1f"
                % (mpi, step, way, median, median - plain, 100 * (median / plain - 1), size),
                flush=True,
            )


def main():
    marple = os.path.abspath(sys.argv[1])
    n_runs = int(sys.argv[2]) if len(sys.argv) > 2 else 9
    print("%-8s %-16s %-8s %11s %10s %9s %7s" % ("MPI", "steps", "tracer", "ns a step", "more", "", "B/event"))
    for mpi in MPIS:
        if shutil.which(MPIS[mpi][0]):
            for step in sys.argv[3:] or STEPS:
                measure(marple, mpi, step, n_runs)


if __name__ == "__main__":
    main()

"""Programs under marple trace, and their archives as otf2-print shows them."""

import os
import re
import shutil
import subprocess
import tempfile

import product

apps = os.path.join(product.top, "tests", "system", "apps")
MPIS = {
    "openmpi": ("mpicc.openmpi", "mpirun.openmpi", ["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]),
    "mpich": ("mpicc.mpich", "mpirun.mpich", []),
}


def missing(mpi):
    """What lacks for tests with that MPI; None: nothing."""
    for tool in (*MPIS[mpi][:2], "otf2-print"):
        if shutil.which(tool) is None:
            return "no " + tool
    os.environ["MARPLE_TRACE_MPI"] = mpi
    is_built = product.run("trace", "--preload", tempfile.gettempdir(), "true").status == 0
    del os.environ["MARPLE_TRACE_MPI"]
    return None if is_built else "no tracer was built for it"


def environment(**more):
    """Who runs the tests may be root."""
    ours = {k: v for k, v in os.environ.items() if not k.startswith("MARPLE_TRACE_")}
    return dict(ours, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", **more)


def build(folder, name, mpi="openmpi", *options):
    program = os.path.join(folder, "%s-%s" % (name, mpi))
    source = os.path.join(apps, name + ".c")
    subprocess.run([MPIS[mpi][0], "-g", "-O1", "-w", "-o", program, source, *options], check=True)
    return program


def launch(n, mpi="openmpi"):
    return [MPIS[mpi][1], *MPIS[mpi][2], "-np", str(n)]


class Traced:
    """A program that was run under marple trace."""

    def __init__(self, folder, n, words, mpi="openmpi", limit_s=240, options=(), **more):
        self.path = tempfile.mkdtemp(dir=folder) + "/trace"
        done = subprocess.run(
            ["timeout", str(limit_s), product.marple, "trace", *options, "-o", self.path, "--", *launch(n, mpi), *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=environment(**more),
            cwd=folder,
            check=False,
        )
        self.status = done.returncode
        self.out = done.stdout.decode("utf-8", "replace")
        self.complaint = done.stderr.decode("utf-8", "replace")

    def __str__(self):
        return "status %d\n%s\n%s" % (self.status, self.out[-1500:], self.complaint[-1500:])

    def print(self, *options):
        """What otf2-print says on both streams."""
        done = subprocess.run(
            ["otf2-print", *options, self.path + "/trace.otf2"], capture_output=True, text=True, check=False
        )
        return done.stdout, done.stderr

    def check(self):
        return product.run("check", self.path).out

    def events(self, location):
        """Of one location: pairs of a record's name and its text, with that of its attributes."""
        found = []
        for line in self.print("-L", str(location))[0].split("\n"):
            parts = re.match(r"([A-Z_]+) +\d+ +\d+ +(.*)", line)
            if parts:
                found.append([parts.group(1), parts.group(2)])
            elif found and line.startswith(" "):
                found[-1][1] += " " + line.strip()
        return found


def is_clean(tap, traced, what):
    """Whether the archive is as good as a trace can be."""
    _, complaints = traced.print("--silent")
    tap.ok(complaints == "", "%s: otf2-print has no complaint" % what, complaints)
    report = traced.check()
    tap.ok(
        " 0 sends and 0 receives without a partner" in report and "0 of them incomplete" in report,
        "%s: all messages and operations are whole" % what,
        report,
    )
    lacks = set(re.findall(r"^  no ([a-z-]+):", report, re.M))
    allowed = {"user-regions", "source-lines"}
    tap.ok(lacks <= allowed, "%s: nothing of MPI is lacking" % what, report)

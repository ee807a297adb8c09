"""marple's own tracer: real programs under it, and what its archives hold."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

import product

tap = product.Tap()
apps = os.path.join(product.top, "tests", "system", "apps")


def environment():
    """Who runs the tests may be root, and have fewer cores than ranks."""
    ours = {k: v for k, v in os.environ.items() if not k.startswith("MARPLE_TRACE_")}
    return dict(ours, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


class Traced:
    """A program that was run under marple trace."""

    def __init__(self, folder, n, words, options=()):
        self.path = tempfile.mkdtemp(dir=folder) + "/trace"
        launcher = ["mpirun", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "-np", str(n)]
        done = subprocess.run(
            [product.marple, "trace", "-o", self.path, *options, "--", *launcher, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=product.TIME_LIMIT_S,
            env=environment(),
            cwd=folder,
            check=False,
        )
        self.status = done.returncode
        self.out = done.stdout.decode("utf-8", "replace")
        self.complaint = done.stderr.decode("utf-8", "replace")

    def __str__(self):
        return "status %d\n%s\n%s" % (self.status, self.out[-1500:], self.complaint[-1500:])

    def printed(self, *options):
        """What otf2-print says on both streams."""
        done = subprocess.run(
            ["otf2-print", *options, self.path + "/trace.otf2"], capture_output=True, text=True, check=False
        )
        return done.stdout, done.stderr

    def checked(self):
        return product.run("check", self.path).out


def build(folder, name, *options):
    program = os.path.join(folder, name)
    subprocess.run(["mpicc", "-g", "-O1", *options, "-o", program, os.path.join(apps, name + ".c")], check=True)
    return program


def is_clean(traced, what):
    """The archive is as good as a trace can be."""
    _, complaints = traced.printed("--silent")
    tap.ok(complaints == "", "%s: otf2-print has no complaint" % what, complaints)
    told = traced.checked()
    tap.ok(
        " 0 sends and 0 receives without a partner" in told
        and "  0 receives without completion" in told
        and "0 of them incomplete" in told,
        "%s: all messages and operations are whole" % what,
        told,
    )
    lacks = re.findall(r"^  no ([a-z-]+):", told, re.M)
    allowed = {"user-regions", "source-lines", "threads", "counters", "collectives", "messages"}
    tap.ok(set(lacks) <= allowed, "%s: nothing of MPI is lacking" % what, told)


def halos(folder):
    program = build(folder, "halo")
    for idiom in ("irecv", "sendrecv", "persistent"):
        traced = Traced(folder, 4, [program, idiom, "60", "1500", "2", "3"])
        tap.ok(traced.status == 0, "a halo exchange by %s is traced" % idiom, str(traced))
        is_clean(traced, idiom)
        diagnosis = product.diagnose(traced.path)
        causes = diagnosis.causes()
        tap.ok(
            causes and causes[0]["locations"] == ["2"],
            "%s: the rank that computes longer is named first" % idiom,
            str(causes[:1]),
        )


def main():
    missing = [t for t in ("mpicc", "mpirun", "otf2-print") if shutil.which(t) is None]
    if missing or not product.run("trace", "--preload", tempfile.gettempdir(), "true").status == 0:
        print("1..0 # SKIP %s" % (", ".join(missing) + " missing" if missing else "no tracer was built"))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        halos(folder)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())

"""Calls that come to MPI through a layer: those of Fortran, and those of other tools at the profiling interface."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import product
import traced

tap = product.Tap()
RANKS = 3
TURNS = 20
FORTRAN = {1: "mpif.h", 2: "the module mpi", 3: "mpi_f08"}
# What each is, as its source says; None: no pattern that marple has a name for.
KERNELS = {
    "cg": None,
    "mg": "geometric-decomposition",
    "ft": "bulk-synchronous",
    "is": "bulk-synchronous",
    "lu": "wavefront",
    "ep": None,
}
RING = (
    ["MPI_Init"]
    + ["MPI_Irecv", "MPI_Isend", "MPI_Waitall", "MPI_Sendrecv"] * 5
    + ["MPI_Comm_split", "MPI_Allreduce", "MPI_Bcast", "MPI_Barrier", "MPI_Comm_free", "MPI_Finalize"]
)


def entered(run, rank):
    return [re.search(r'Region: "(\w+)"', text).group(1) for name, text in run.events(rank) if name == "ENTER"]


def has_calls(run, wanted, what):
    found = [entered(run, rank) for rank in range(RANKS)]
    tap.ok(found == [wanted] * RANKS, "%s: each call is recorded once" % what, "%s\n%s" % (run, found))
    traced.is_clean(tap, run, what)


def fortran(folder, mpi):
    compiler = "mpifort." + mpi
    for number, name in FORTRAN.items():
        what = "%s, %s" % (mpi, name)
        if shutil.which(compiler) is None:
            tap.skip(what, "no " + compiler)
            continue
        program = os.path.join(folder, "ring-%s-%d" % (mpi, number))
        source = os.path.join(traced.apps, "ring.F90")
        subprocess.run([compiler, "-g", "-w", "-DRING_USES=%d" % number, "-o", program, source], check=True)
        run = traced.Traced(folder, RANKS, [program], mpi)
        tap.ok("ring: done" in run.out, "%s: the program comes to its end" % what, str(run))
        has_calls(run, RING, what)
        texts = [text for name, text in run.events(0) if name == "MPI_RECV"]
        tap.ok(
            len(texts) == 5 and all("MARPLE::ANY_SOURCE" in text and "ANY_TAG" not in text for text in texts),
            "%s: it is recorded that any source was asked for" % what,
            str(texts),
        )


def kernels(folder, mpi):
    """Whole programs in Fortran; each aborts when what it has computed is wrong."""
    compiler = "mpifort." + mpi
    if shutil.which(compiler) is None:
        tap.skip("%s, kernels" % mpi, "no " + compiler)
        return
    program = os.path.join(folder, "kernels-" + mpi)
    subprocess.run(
        [compiler, "-g", "-O1", "-w", "-o", program, os.path.join(traced.apps, "kernels.F90")], check=True, cwd=folder
    )
    for name, pattern in KERNELS.items():
        what = "%s, kernel %s" % (mpi, name)
        run = traced.Traced(folder, 4, [program, name, "20"], mpi)
        tap.ok("kernels: right, " + name in run.out, "%s: computes what it computes without a tracer" % what, str(run))
        traced.is_clean(tap, run, what)
        if pattern is not None:
            found = json.loads(product.run("diagnose", "--format", "json", run.path).out)["patterns"]
            tap.ok(pattern in [p["name"] for p in found], "%s: is recognized as %s" % (what, pattern), str(found))


def other_tools(folder, mpi):
    tool = os.path.join(folder, "libcounter-%s.so" % mpi)
    source = os.path.join(traced.apps, "counter.c")
    subprocess.run([traced.MPIS[mpi][0], "-shared", "-fPIC", "-o", tool, source], check=True)
    for where, words in (("in the program", source), ("in a library", tool)):
        what = "%s, another tool %s" % (mpi, where)
        program = traced.build(folder, "counted", mpi, "-Wl,--no-as-needed", words, "-Wl,-rpath," + folder)
        run = traced.Traced(folder, RANKS, [program], mpi)
        counted = ["counter: rank %d, %d sends, 1 barriers" % (rank, TURNS) in run.out for rank in range(RANKS)]
        tap.ok(all(counted), "%s: sees what it sees without marple" % what, str(run))
        n_barriers = 2 if where == "in the program" else 1
        has_calls(
            run, ["MPI_Init"] + ["MPI_Send", "MPI_Recv"] * TURNS + ["MPI_Barrier"] * n_barriers + ["MPI_Finalize"], what
        )


def main():
    n_mpis = 0
    with tempfile.TemporaryDirectory() as folder:
        for mpi in traced.MPIS:
            if traced.missing(mpi):
                continue
            n_mpis += 1
            for test in (fortran, kernels, other_tools):
                tap.guarded("%s: %s" % (mpi, test.__name__), test, folder, mpi)
    if n_mpis == 0:
        print("1..0 # SKIP there is no MPI that marple has a tracer for")
        return 0
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())

"""Programs under marple trace that abort, are killed, hang, fork, or cannot be recorded."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import product
import traced

tap = product.Tap()
RANKS = 3
TURNS = 20


def n_messages(path):
    report = product.run("check", path).out
    parts = re.search(r"([\d,]+) messages matched; ([\d,]+) sends and ([\d,]+) receives", report)
    return tuple(int(n.replace(",", "")) for n in parts.groups()) if parts else report


def bad_ends(folder, program, mpi):
    """Whatever ends it, everything up to there is in the trace."""
    for how, says in (
        ("abort", "did not come to MPI_Finalize"),
        ("exit", "did not come to MPI_Finalize"),
        ("segv", "did not come to MPI_Finalize"),
        ("kill", "did not come to MPI_Finalize"),
    ):
        name = "%s, %s" % (mpi, how)
        run = traced.Traced(folder, RANKS, [program, how], mpi)
        tap.ok(run.status == 0 and says in run.complaint, "%s: it is said that the run was cut short" % name, str(run))
        tap.ok(run.print("--silent")[1] == "", "%s: otf2-print has no complaint" % name)
        found = n_messages(run.path)
        tap.ok(found == (RANKS * TURNS, 0, 0), "%s: all messages are there" % name, str(found))


def good_ends(folder, program, mpi):
    run = traced.Traced(folder, RANKS, [program, "fork"], mpi)
    tap.ok(n_messages(run.path) == (2 * RANKS * TURNS, 0, 0), "%s: a child leaves its parent's records alone" % mpi, str(run))
    traced.is_clean(tap, run, "%s, fork" % mpi)
    run = traced.Traced(folder, RANKS, [program, "threads"], mpi)
    tap.ok(n_messages(run.path) == (RANKS * (TURNS + 150), 0, 0), "%s: threads have locations of their own" % mpi, str(run))
    tap.ok("%d locations" % (4 * RANKS) in " ".join(run.check().split()), "%s: one for each that calls MPI" % mpi, run.check())
    traced.is_clean(tap, run, "%s, threads" % mpi)


def too_much(folder, program, mpi):
    run = traced.Traced(folder, 2, [program, "much"], mpi, MARPLE_TRACE_MAX_MB="1")
    tap.ok(
        run.status == 0 and "2 processes had no room for all of their records" in run.complaint,
        "%s: a limit stops recording and nothing else, and it is said" % mpi,
        str(run),
    )
    tap.ok(run.print("--silent")[1] == "", "%s: what fits is a trace" % mpi)


def start(folder, path, program, how, mpi):
    return subprocess.Popen(
        [product.marple, "trace", "-o", path, "--", *traced.launch(2, mpi), program, how],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=traced.environment(),
        cwd=folder,
        start_new_session=True,
    )


def wait_for_spools(path):
    """Until both processes have come to where they hang."""
    for _ in range(200):
        spools = os.path.join(path, "spools")
        if os.path.isdir(spools) and sum(n.endswith(".spool") for n in os.listdir(spools)) == 2:
            time.sleep(2)
            return
        time.sleep(0.1)


def thinned(folder, _, mpi):
    """A loop that is too long is recorded in part, the same part by all processes, and its end as well."""
    program = traced.build(folder, "long", mpi)
    run = traced.Traced(folder, 2, [program, "20000", "0"], mpi, MARPLE_TRACE_MAX_MB="1")
    parts = re.search(r"(\d+) of (\d+) stretches between operations of all processes", run.complaint)
    kept, n = (int(p) for p in parts.groups()) if parts else (0, 0)
    tap.ok(n == 20000 and 1000 < kept < n / 2, "%s: a limit thins a long loop, and it is said" % mpi, str(run))
    tap.ok("no room" not in run.complaint and "long: 1" in run.out, "%s: and nothing is cut off" % mpi, str(run))
    tap.ok(n_messages(run.path) == (2 * kept, 0, 0), "%s: what is recorded fits together" % mpi, str(n_messages(run.path)))
    tap.ok(
        "%d of %d stretches" % (kept, n) in " ".join(run.check().split()), "%s: the trace says so, too" % mpi, run.check()
    )
    ends = [e for e in run.events(0) if e[0] == "LEAVE" and "MPI_Finalize" in e[1]]
    tap.ok(len(ends) == 1, "%s: its end is recorded" % mpi, str(run.events(0)[-3:]))
    size = sum(os.path.getsize(os.path.join(run.path, "trace", f)) for f in os.listdir(os.path.join(run.path, "trace")))
    tap.ok(size < 2 * 1100000, "%s: it is as small as was asked for" % mpi, str(size))


def deadlock(folder, program, mpi):
    path = os.path.join(folder, "deadlock-" + mpi)
    marple = start(folder, path, program, "deadlock", mpi)
    wait_for_spools(path)
    marple.send_signal(signal.SIGTERM)
    complaint = marple.communicate(timeout=240)[1].decode()
    tap.ok(marple.returncode == 0, "%s: a run that hangs is ended with marple, and traced" % mpi, complaint)
    out = subprocess.run(["otf2-print", path + "/trace.otf2"], capture_output=True, text=True, check=False).stdout
    asked = re.findall(r'ASKED_SOURCE" <\d+>; INT32; (\d+)\), .*ASKED_TAG" <\d+>; INT32; (\d+)\)', out)
    tap.ok(
        sorted(asked) == [("0", "8"), ("1", "7")],
        "%s: the report says for whom, and for which tag, each process waits" % mpi,
        str(asked),
    )


def recovered(folder, program, mpi):
    path = os.path.join(folder, "recovered-" + mpi)
    marple = start(folder, path, program, "deadlock", mpi)
    wait_for_spools(path)
    os.killpg(marple.pid, signal.SIGKILL)
    marple.communicate()
    again = product.run("trace", "-o", path, "--", "true")
    tap.ok(
        again.status == 2 and "--recover" in again.complaint,
        "%s: what was left is not replaced" % mpi,
        str(again),
    )
    recovery = product.run("trace", "--recover", path)
    tap.ok(
        recovery.status == 0 and n_messages(path) == (2 * TURNS, 0, 0),
        "%s: a trace is made of it later" % mpi,
        str(recovery),
    )
    tap.ok(not os.path.exists(path + "/spools"), "%s: in its place" % mpi)


def no_trace(folder, _, mpi):
    """Who recovers what cannot be recovered is not told to recover it."""
    path = tempfile.mkdtemp(dir=folder)
    os.mkdir(path + "/spools")
    with open(path + "/spools/0-1.spool", "w", encoding="ascii") as file:
        file.write("nothing\n" * 1000)
    again = product.run("trace", "--recover", path)
    tap.ok(
        again.status == 3 and "is no spool" in again.complaint and "makes a trace of it" not in again.complaint,
        "%s: a strange file is named and stays" % mpi,
        str(again),
    )
    tap.ok(os.path.exists(path + "/spools/0-1.spool"), "%s: it is still there" % mpi)


def no_spool(folder, program, mpi):
    """Nobody can write below a file, not even root; the program must not notice."""
    words = [product.marple, "trace", "--preload", program + "/spools", "--", program, "well"]
    done = subprocess.run(
        [*traced.launch(2, mpi), *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=traced.environment(MARPLE_TRACE_MPI=mpi),
        timeout=240,
        check=False,
    )
    tap.ok(
        done.returncode == 0 and done.stderr.count("is not recorded: cannot write") == 2,
        "%s: a program whose spools cannot be written runs, and each process says so" % mpi,
        str(done),
    )


def strangers(folder, program, mpi):
    plain = os.path.join(folder, "plain")
    subprocess.run(["cc", "-static", "-o", plain, os.path.join(traced.apps, "plain.c")], check=True)
    run = traced.Traced(folder, 1, [plain], mpi)
    tap.ok(
        run.status == 3 and "no process recorded anything" in run.complaint and "plain: done" in run.out
        and run.complaint.count("it is linked statically") == 1,
        "%s: a program without a shared MPI runs, and it is said that nothing was recorded, and why" % mpi,
        str(run),
    )
    tap.ok(not os.path.exists(run.path), "%s: nothing is left of that" % mpi)
    os.makedirs(run.path + "/spools")
    with open(run.path + "/spools/command", "w", encoding="ascii") as file:
        file.write("./app")
    again = product.run("trace", "-o", run.path, "--", plain)
    tap.ok(
        "no process recorded anything" in again.complaint and not os.path.exists(run.path),
        "%s: what a run left that was ended before is no hindrance" % mpi,
        str(again),
    )
    script = os.path.join(folder, "script-" + mpi)
    with open(script, "w", encoding="ascii") as file:
        file.write("#!/bin/sh\nls >/dev/null\nexec %s well\n" % program)
    os.chmod(script, 0o755)
    run = traced.Traced(folder, 2, [script], mpi)
    tap.ok(n_messages(run.path) == (2 * TURNS, 0, 0), "%s: a script may start the program" % mpi, str(run))


def other_mpi(folder, program, mpi):
    """A tracer of another MPI than the launcher's would not be survived by the program."""
    other = next(m for m in traced.MPIS if m != mpi)
    run = traced.Traced(folder, 2, [program, "well"], mpi, MARPLE_TRACE_MPI=other)
    tap.ok(
        run.status == 2 and "but the MPI of the program is %s" % mpi in run.complaint,
        "%s: the tracer of %s is refused" % (mpi, other),
        str(run),
    )


def chosen(folder, program, mpi):
    """Without a launcher the program shows which MPI it is, even if only a library of it needs that."""
    library = os.path.join(folder, "libuses-%s.so" % mpi)
    source = os.path.join(traced.apps, "ends.c")
    compiler = traced.MPIS[mpi][0]
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-w", "-Dmain=uses", "-pthread", "-o", library, source], check=True
    )
    indirect = os.path.join(folder, "indirect-" + mpi)
    with open(indirect + ".c", "w", encoding="ascii") as file:
        file.write("int uses(int, char **);\nint main(int n, char **v) { return uses(n, v); }\n")
    subprocess.run(["cc", "-o", indirect, indirect + ".c", library, "-Wl,-rpath," + folder], check=True)
    for name, words in (("itself", [program]), ("a library of it", [indirect])):
        path = tempfile.mkdtemp(dir=folder) + "/trace"
        done = run_as(None, [product.marple, "trace", "-o", path, "--", *words, "well"], folder)
        definitions = subprocess.run(["otf2-print", "-A", path + "/trace.otf2"], capture_output=True, text=True, check=False)
        wanted = {"openmpi": "Open MPI", "mpich": "MPICH"}[mpi]
        tap.ok(
            done.returncode == 0 and re.search(r"MPI_LIBRARY\n.*" + wanted, definitions.stdout) is not None,
            "%s: a program is known by what %s needs" % (mpi, name),
            str(done) + definitions.stdout[:500],
        )


def run_as(user, words, folder):
    return subprocess.run(
        ["setpriv", "--reuid", user, "--regid", user, "--clear-groups", *words] if user else words,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=traced.environment(HOME=folder),
        cwd=folder,
        timeout=240,
        check=False,
    )


def setuid(folder, program, mpi):
    """The loader preloads nothing into a program that runs with the rights of somebody else."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        tap.skip("%s: setuid" % mpi, "only root can make such a program")
        return
    with tempfile.TemporaryDirectory() as public:
        os.chmod(public, 0o777)
        private = os.path.join(public, "private")
        shutil.copy(program, private)
        os.chmod(private, 0o4755)
        words = [product.marple, "trace", "-o", public + "/trace", "--", private, "well"]
        run = run_as("65534", words, public)
        if "failed to execute" in run.stderr:
            tap.skip("%s: setuid" % mpi, "others than root cannot run marple here")
            return
        tap.ok(
            run.returncode == 3
            and "it runs with other rights than yours (setuid)" in run.stderr
            and "no process recorded anything" in run.stderr,
            "%s: it is said why a setuid program is not recorded" % mpi,
            str(run),
        )


def main():
    with tempfile.TemporaryDirectory() as folder:
        for mpi in traced.MPIS:
            lack = traced.missing(mpi)
            if lack:
                tap.skip(mpi, lack)
                continue
            program = traced.build(folder, "ends", mpi, "-pthread")
            for test in (bad_ends, good_ends, too_much, thinned, deadlock, recovered, no_trace, no_spool, strangers, other_mpi, chosen, setuid):
                tap.guarded("%s: %s" % (mpi, test.__name__), test, folder, program, mpi)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())

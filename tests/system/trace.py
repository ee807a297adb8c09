"""marple's own tracer: real programs under it, and what its archives hold."""

import os
import re
import subprocess
import sys
import tempfile

import product
import traced

tap = product.Tap()
table = os.path.join(product.top, "src", "trace", "calls.def")

# Calls that need other programs, or that end this one.
APART = {
    "Abort",
    "Comm_accept",
    "Comm_connect",
    "Comm_create_from_group",
    "Comm_idup_with_info",
    "Comm_join",
    "Comm_remote_group",
    "Comm_spawn",
    "Comm_spawn_multiple",
    "Init_thread",
    "Pcontrol",
}
# Tag to integers that each process sends so many times; the tag is that number, too.
SENT = {tag: 2 if 11 <= tag <= 14 else 1 for tag in (*range(1, 23), *range(30, 44), 51)}
ASKED = {2: "TAG", 3: "SOURCE", 4: "SOURCE TAG", 5: "SOURCE", 17: "SOURCE", 18: "TAG"}
# Of rank 1: operation, root, bytes sent and received.
OPERATIONS = [
    "BARRIER NONE 0 0",
    "BCAST 1 20 0",
    "GATHER 2 8 0",
    "GATHERV 3 8 0",
    "SCATTER 1 32 8",
    "SCATTERV 2 0 8",
    "ALLGATHER NONE 12 48",
    "ALLGATHERV NONE 8 40",
    "ALLTOALL NONE 32 32",
    "ALLTOALLV NONE 16 16",
    "ALLTOALLW NONE 16 16",
    "REDUCE 3 24 0",
    "ALLREDUCE NONE 28 28",
    "REDUCE_SCATTER NONE 40 8",
    "REDUCE_SCATTER_BLOCK NONE 32 8",
    "SCAN NONE 32 32",
    "EXSCAN NONE 36 36",
]


def rows(kinds):
    with open(table, encoding="utf-8") as file:
        found = re.findall(r"^(OWN|CALL|SIZED)\((?:(V[34]), )?(\w+)", file.read(), re.M)
    return {name for kind, since, name in found if since in kinds}


def messages_of(events):
    """Tag to how often it was sent and received, with bytes; and what was left open."""
    sent = {}
    received = {}
    asked = {}
    for name, text in events:
        parts = re.search(r"Tag: (\d+), Length: (\d+)", text)
        if parts is None:
            continue
        key = (int(parts.group(1)), int(parts.group(2)))
        into = sent if "SEND" in name else received
        into[key] = into.get(key, 0) + 1
        if "RECV" in name and "ANY" in text:
            asked[key[0]] = " ".join(re.findall(r"ANY_([A-Z]+)", text))
    return sent, received, asked


def operations_of(events, name):
    found = []
    for record, text in events:
        parts = re.match(r"Operation: (\w+), .* Root: (\w+)(?: .*)?, Sent: (\d+), Received: (\d+)", text)
        if record == name and parts and parts.group(1) != "CREATE_HANDLE":
            found.append(" ".join(parts.groups()))
    return found


def probe(folder, mpi):
    program = traced.build(folder, "probe", mpi)
    run = traced.Traced(folder, 4, [program, os.path.join(folder, "probe.file")], mpi)
    tap.ok(run.status == 0 and "status" not in run.complaint, "%s: every call is traced" % mpi, str(run))
    traced.is_clean(tap, run, "%s: every call" % mpi)
    events = run.events(1)
    seen = set(re.findall(r'^ENTER .*"MPI_(\w+)"', run.print()[0], re.M))
    tap.empty(sorted(rows(("", "V3")) - seen - APART), "%s: there is a region of every call" % mpi)
    sent, received, asked = messages_of(events)
    expected = {(tag, 4 * tag): n for tag, n in SENT.items()}
    tap.ok(sent == expected, "%s: every message that is sent has its record" % mpi, "%s\n%s" % (sent, expected))
    tap.ok(received == expected, "%s: and every one that is received" % mpi, "%s\n%s" % (received, expected))
    tap.ok(asked == ASKED, "%s: what receives left open is recorded" % mpi, str(asked))
    operations = operations_of(events, "MPI_COLLECTIVE_END")
    tap.ok([o for o in operations if o in OPERATIONS and o != OPERATIONS[0]] == OPERATIONS[1:],
           "%s: operations have their roots and bytes" % mpi, "\n".join(operations))
    operations = operations_of(events, "NON_BLOCKING_COLLECTIVE_COMPLETE")
    tap.ok(operations == OPERATIONS, "%s: so have those with requests" % mpi, "\n".join(operations))
    n_cancelled = sum(name == "MPI_REQUEST_CANCELLED" for name, _ in events)
    tap.ok(n_cancelled == 1, "%s: what was cancelled is said to be" % mpi, str(n_cancelled))
    halves = [text for name, text in events if 'Communicator: "halves"' in text]
    tap.ok(len(halves) == 2, "%s: a communicator has the name that the program gives it" % mpi, str(halves))
    communicators(run, mpi)


def communicators(run, mpi):
    """One definition for all members of each."""
    definitions = run.print("-G")[0]
    groups = {
        number: re.findall(r"(\d+) \(", members)
        for number, members in re.findall(r"^GROUP +(\d+) .*Members?: (.*)$", definitions, re.M)
    }
    comms = re.findall(r"^(?:COMM|INTER_COMM) +\d+ +[Nn]ame: \"([^\"]*)\"", definitions, re.M)
    inter = re.findall(r"^INTER_COMM +\d+ .*Group A: .*<(\d+)>, Group B: .*<(\d+)>", definitions, re.M)
    # World and self; twelve that were made, three of them by halves; the pair and both together.
    tap.ok(len(comms) == 2 + 12 + 2 + 2, "%s: each communicator is defined once" % mpi, str(comms))
    halves = sorted(m for m in groups.values() if len(m) == 2)
    tap.ok(
        halves == sorted([["1", "0"], ["3", "2"]] * 3),
        "%s: their groups are in the order of their ranks" % mpi,
        str(groups),
    )
    tap.ok(
        [sorted((groups[a], groups[b])) for a, b in inter] == [[["1", "0"], ["3", "2"]]],
        "%s: two groups that talk to each other are one communicator" % mpi,
        str(inter),
    )


def halos(folder, mpi):
    program = traced.build(folder, "halo", mpi)
    for idiom in ("irecv", "sendrecv", "persistent"):
        name = "%s, halo by %s" % (mpi, idiom)
        run = traced.Traced(folder, 4, [program, idiom, "40", "4000", "2", "3"], mpi)
        tap.ok(run.status == 0, "%s: is traced" % name, str(run))
        traced.is_clean(tap, run, name)
        causes = product.diagnose(run.path).causes()
        tap.ok(
            any(c["locations"] == ["2"] for c in causes),
            "%s: the rank that computes longer is named" % name,
            str(causes),
        )


def clocks(folder, mpi):
    """Each rank reads a clock of its own; the archive brings them back to that of the kernel."""
    shim = os.path.join(folder, "shift.so")
    source = os.path.join(traced.apps, "shift.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", shim, source], check=True)
    program = traced.build(folder, "ticks", mpi)
    script = os.path.join(folder, "shifted-" + mpi)
    with open(script, "w", encoding="ascii") as file:
        file.write('#!/bin/sh\nLD_PRELOAD=$LD_PRELOAD:%s exec %s "$@"\n' % (shim, program))
    os.chmod(script, 0o755)
    for n in (2, 4):
        log = os.path.join(folder, "ticks-%s-%d" % (mpi, n))
        run = traced.Traced(folder, n, [script, log, "100", "5000"], mpi, MARPLE_TRACE_CLOCKS="each")
        bound = re.search(r"CLOCK_ERROR_NS\n.* (\d+)\n", run.print("-A")[0])
        worst = max(off_ns(run, log, rank) for rank in range(n))
        # Where ranks share cores, with each other or with whoever else is at work, the bound decides.
        tap.ok(
            bound is not None and worst <= max(5000, int(bound.group(1))),
            "%s: clocks of %d ranks that differ and drift are %d ns off" % (mpi, n, worst),
            str(run),
        )


def clocks_in_between(folder, mpi):
    """Clocks are compared where all processes meet, and that counts as the tracer's own time."""
    program = traced.build(folder, "halo", mpi)
    words = [program, "irecv", "200", "2000", "0", "1"]
    each = {"MARPLE_TRACE_CLOCKS": "each", "MARPLE_TRACE_CLOCK_INTERVAL": "50"}
    run = traced.Traced(folder, 2, words, mpi, **each)
    offsets = re.findall(r"^CLOCK_OFFSET +(\d+) ", run.print("-C")[0], re.M)
    counts = [offsets.count(str(rank)) for rank in range(2)]
    # 400 ms of work between the first and the last comparison.
    tap.ok(min(counts) >= 4, "%s: clocks are compared again and again" % mpi, "%s\n%s" % (counts, run))
    flushes = sum(name == "BUFFER_FLUSH" for name, _ in run.events(1))
    tap.ok(flushes >= counts[1] - 2, "%s: what that takes is recorded" % mpi, str(flushes))
    traced.is_clean(tap, run, "%s: clocks in between" % mpi)
    run = traced.Traced(folder, 2, words, mpi, MARPLE_TRACE_CLOCK_INTERVAL="50")
    offsets = re.findall(r"^CLOCK_OFFSET +1 ", run.print("-C")[0], re.M)
    tap.ok(len(offsets) == 2, "%s: but not where all read one clock" % mpi, str(offsets))
    thinned = traced.Traced(folder, 2, [*words[:2], "6000", "1", *words[4:]], mpi, MARPLE_TRACE_MAX_MB="1", **each)
    offsets = re.findall(r"^CLOCK_OFFSET +1 ", thinned.print("-C")[0], re.M)
    tap.ok(
        "stretches between" in thinned.complaint and len(offsets) >= 2,
        "%s: also where not all of the run is recorded" % mpi,
        "%s\n%s" % (offsets, thinned),
    )


def off_ns(run, log, rank):
    """How far the times of calls are outside of what the kernel's clock said before and after them."""
    with open("%s.%d" % (log, rank), encoding="ascii") as file:
        kernel = [tuple(map(int, line.split())) for line in file]
    found = re.findall(r'^(ENTER|LEAVE) +\d+ +(\d+) +Region: "MPI_Iprobe"', run.print("-L", str(rank))[0], re.M)
    begins = [int(ns) for name, ns in found if name == "ENTER"]
    ends = [int(ns) for name, ns in found if name == "LEAVE"]
    assert len(begins) == len(kernel) > 0
    return max(max(low - begin, end - high, 0) for (low, high), begin, end in zip(kernel, begins, ends))


def main():
    with tempfile.TemporaryDirectory() as folder:
        for mpi in traced.MPIS:
            lack = traced.missing(mpi)
            if lack:
                tap.skip(mpi, lack)
                continue
            tap.guarded("%s: every call" % mpi, probe, folder, mpi)
            tap.guarded("%s: halos" % mpi, halos, folder, mpi)
            tap.guarded("%s: clocks" % mpi, clocks, folder, mpi)
            tap.guarded("%s: clocks in between" % mpi, clocks_in_between, folder, mpi)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())

"""What marple trace records, record by record, against what a program of random messages writes down itself."""

import os
import re
import sys
import tempfile

import product
import traced

tap = product.Tap()
RANKS = 4
STEPS = 20

MESSAGE = re.compile(r'(Receiver|Sender): (\d+) .*Communicator: "([^"]*)" <\d+>, Tag: (\d+), Length: (\d+)')
OPERATION = re.compile(
    r'Operation: (\w+), Communicator: "([^"]*)" <\d+>, Root: (\w+)(?: .*)?, Sent: (\d+), Received: (\d+)'
)


def line_of(name, text):
    """The record in the words of the program's own log; None: it writes nothing down of it."""
    if name in ("MPI_SEND", "MPI_ISEND"):
        _, peer, comm, tag, length = MESSAGE.match(text).groups()
        return "send %s %s %s %s" % (comm, peer, tag, length)
    if name in ("MPI_RECV", "MPI_IRECV"):
        _, peer, comm, tag, length = MESSAGE.match(text).groups()
        any_source = " any-source" if "MARPLE::ANY_SOURCE" in text else ""
        any_tag = " any-tag" if "MARPLE::ANY_TAG" in text else ""
        return "recv %s %s %s %s%s%s" % (comm, peer, tag, length, any_source, any_tag)
    if name in ("MPI_COLLECTIVE_END", "NON_BLOCKING_COLLECTIVE_COMPLETE"):
        operation, comm, root, sent, received = OPERATION.match(text).groups()
        if operation != "CREATE_HANDLE":
            return "coll %s %s %s %s %s" % (comm, operation, root, sent, received)
    return None


def difference(log, records):
    """The first line that differs, with its seed; None: there is none."""
    seed = None
    at = 0
    for line in log:
        if line.startswith("seed"):
            seed = line
            continue
        if at >= len(records) or records[at] != line:
            return "%s: the program says \"%s\", the trace \"%s\"" % (
                seed, line, records[at] if at < len(records) else "nothing")
        at += 1
    return None if at == len(records) else "the trace goes on with \"%s\"" % records[at]


def compare(folder, program, mpi, first, n):
    log = os.path.join(folder, "log-%s-%d" % (mpi, first))
    run = traced.Traced(folder, RANKS, [program, log, str(first), str(n), str(STEPS)], mpi)
    name = "%s, seeds %d to %d" % (mpi, first, first + n - 1)
    if run.status != 0 or "exit status" in run.complaint:
        tap.ok(False, name + " are traced", str(run))
        return
    n_lines = 0
    complaints = []
    for rank in range(RANKS):
        with open("%s.%d" % (log, rank), encoding="ascii") as file:
            lines = file.read().split("\n")[:-1]
        records = [line for line in (line_of(*event) for event in run.events(rank)) if line is not None]
        wrong = difference(lines, records)
        n_lines += len(records)
        if wrong is not None:
            complaints.append("rank %d, %s" % (rank, wrong))
    tap.ok(not complaints and n_lines > n, "%s: %d records are as the program says" % (name, n_lines),
           "\n".join(complaints))
    traced.is_clean(tap, run, name)


def main():
    n_seeds = int(os.environ.get("TRACE_SEEDS", "200"))
    batch = min(20, n_seeds)
    n_mpis = 0
    with tempfile.TemporaryDirectory() as folder:
        for mpi in traced.MPIS:
            lack = traced.missing(mpi)
            if lack:
                continue
            n_mpis += 1
            program = traced.build(folder, "random", mpi)
            # MPICH's ranks wait without giving way to those that share their core.
            last = n_seeds if mpi == "openmpi" else n_seeds // 10
            for first in range(1, last + 1, batch):
                compare(folder, program, mpi, first, batch)
    if n_mpis == 0:
        print("1..0 # SKIP there is no MPI that marple has a tracer for")
        return 0
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())

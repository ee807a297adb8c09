"""Small message-passing programs, run on paper: text traces of them, with and without a fault.

A program is, per rank, a list of steps; a step is a list of calls:

    ("send", peer, tag, bytes)  ("recv", peer, tag)  ("isend", peer, tag, bytes)
    ("irecv", peer, tag)  ("waitall",)  ("barrier",)  ("allreduce", bytes)
    ("bcast", root, bytes)  ("reduce", root, bytes)  ("stuck",)

Sends are buffered. What waits for ever is unfinished when the run is stopped.
"""

COLLECTIVES = ("barrier", "allreduce", "bcast", "reduce")
STOPPED = 10**7


def odd_even(n_ranks, n_steps):
    """Each step exchanges with both neighbours in turn; the ends have one only."""
    program = []
    for rank in range(n_ranks):
        step = []
        for phase in (0, 1):
            peer = rank ^ 1 if phase == 0 else rank + 1 if rank % 2 == 1 else rank - 1
            if 0 <= peer < n_ranks:
                both = [("send", peer, 0, 80), ("recv", peer, 0)]
                step += both if rank % 2 == 0 else both[::-1]
            step.append(("barrier",))
        program.append([[("bcast", 0, 64)]] + [list(step) for _ in range(n_steps)] + [[("reduce", 0, 8)]])
    return program


def halo(n_ranks, n_steps):
    """A ring of borders, and a sum at the end of each step."""
    program = []
    for rank in range(n_ranks):
        left, right = (rank - 1) % n_ranks, (rank + 1) % n_ranks
        step = [
            ("irecv", left, 1),
            ("irecv", right, 2),
            ("isend", right, 1, 512),
            ("isend", left, 2, 512),
            ("waitall",),
            ("allreduce", 8),
        ]
        program.append([[("bcast", 0, 64)]] + [list(step) for _ in range(n_steps)] + [[("barrier",)]])
    return program


def pipeline(n_ranks, n_steps):
    """Blocks go from rank to rank, three per step; then the last one tells all."""
    program = []
    for rank in range(n_ranks):
        step = []
        for _ in range(3):
            if rank > 0:
                step.append(("recv", rank - 1, 5))
            if rank < n_ranks - 1:
                step.append(("send", rank + 1, 5, 256))
        step.append(("bcast", n_ranks - 1, 8))
        program.append([[("barrier",)]] + [list(step) for _ in range(n_steps)] + [[("barrier",)]])
    return program


PROGRAMS = {"odd_even": odd_even, "halo": halo, "pipeline": pipeline}


class Run:
    """Carries a program out: who waits for whom, and until when."""

    def __init__(self, program):
        self.calls = [[call for step in steps for call in step] for steps in program]
        self.n = len(program)
        self.at = [0] * self.n
        self.now = [0] * self.n
        self.items = [[] for _ in range(self.n)]
        self.sent = {}  # (from, to, tag): times
        self.received = {}  # likewise: how many
        self.posted = [[] for _ in range(self.n)]  # Of each rank: (name, time at which it is over)
        self.entered = []  # Per collective: rank: time
        self.n_entered = [0] * self.n
        self.n_requests = [0] * self.n
        while any([self.go(rank) for rank in range(self.n)]):
            pass
        for rank in range(self.n):
            self.stop(rank)

    def text(self):
        return "".join("rank %d: %s\n" % (r, "\n    ".join(self.items[r])) for r in range(self.n))

    def add(self, rank, item, end, rest=""):
        self.items[rank].append("%s %d..%d%s" % (item, self.now[rank], end, rest))
        self.now[rank] = end + 1
        self.at[rank] += 1

    def request(self, rank):
        self.n_requests[rank] += 1
        return "q%d" % self.n_requests[rank]

    def arrival(self, rank, peer, tag):
        """When the next message is there: None if it was not sent yet."""
        times = self.sent.get((peer, rank, tag), [])
        seen = self.received.get((peer, rank, tag), 0)
        return times[seen] if seen < len(times) else None

    def go(self, rank):
        """One call, if nothing holds it up."""
        if self.at[rank] >= len(self.calls[rank]):
            return False
        call = self.calls[rank][self.at[rank]]
        now = self.now[rank]
        if call[0] in ("send", "isend"):
            _, peer, tag, n_bytes = call
            self.sent.setdefault((rank, peer, tag), []).append(now + 1)
            rest = " to %d tag %d bytes %d" % (peer, tag, n_bytes)
            if call[0] == "isend":
                name = self.request(rank)
                self.posted[rank].append((name, None))
                rest += " as " + name
            self.add(rank, call[0], now + 2, rest)
        elif call[0] == "recv":
            there = self.arrival(rank, *call[1:])
            if there is None:
                return False
            key = (call[1], rank, call[2])
            self.received[key] = self.received.get(key, 0) + 1
            self.add(rank, "recv", max(now, there) + 2, " from %d tag %d" % call[1:])
        elif call[0] == "irecv":
            name = self.request(rank)
            self.posted[rank].append((name, call[1:]))
            self.add(rank, "irecv", now + 1, " from %d tag %d as %s" % (*call[1:], name))
        elif call[0] == "waitall":
            return self.wait(rank)
        elif call[0] in COLLECTIVES:
            return self.meet(rank, call)
        else:
            return False
        return True

    def wait(self, rank):
        end = self.now[rank]
        before = dict(self.received)
        for _, message in self.posted[rank]:
            if message is not None:
                there = self.arrival(rank, *message)
                if there is None:
                    self.received = before
                    return False
                key = (message[0], rank, message[1])
                self.received[key] = self.received.get(key, 0) + 1
                end = max(end, there)
        names = "".join(" " + name for name, _ in self.posted[rank])
        self.posted[rank] = []
        self.add(rank, "waitall" if names else "region MPI_Waitall", end + 2, " for" + names if names else "")
        return True

    def meet(self, rank, call):
        k = self.n_entered[rank]
        if k == len(self.entered):
            self.entered.append({})
        self.entered[k].setdefault(rank, self.now[rank])
        if len(self.entered[k]) < self.n:
            return False
        self.n_entered[rank] += 1
        rest = " root %d" % call[1] if call[0] in ("bcast", "reduce") else ""
        rest += " bytes %d" % call[-1] if len(call) > 1 else ""
        self.add(rank, call[0], max(self.entered[k].values()) + 3, rest)
        return True

    def stop(self, rank):
        if self.at[rank] >= len(self.calls[rank]):
            return
        call = self.calls[rank][self.at[rank]]
        rest = " unfinished"
        name = call[0]
        if name == "recv":
            rest = " from %d tag %d" % call[1:] + rest
        elif name == "stuck":
            name = "region work"
        elif name == "waitall":
            rest = " for" + "".join(" " + q for q, _ in self.posted[rank]) + rest
        elif name in ("bcast", "reduce"):
            rest = " root %d" % call[1] + rest
        self.add(rank, name, STOPPED, rest)


def trace(program):
    return "# us\n" + Run(program).text()


# ---- faults ------------------------------------------------------------------------------------


def other(step, at, change):
    """The step with its call at that place changed."""
    return step[:at] + change(step[at]) + step[at + 1 :]


def fault(program, seed):
    """A copy with one fault: (program, rank, step from 0 behind the first, what). None: no place for it."""
    import random

    rng = random.Random(seed)
    program = [[list(step) for step in steps] for steps in program]
    n = len(program)
    rank = rng.randrange(n)
    number = rng.randrange(1, len(program[rank]) - 1)
    step = program[rank][number]
    at = rng.randrange(len(step))
    call = step[at]
    kind = rng.choice(["swap", "drop", "double", "peer", "tag", "bytes", "root", "more", "stuck"])
    if kind == "swap":
        if at + 1 == len(step) or step[at + 1] == call:
            return None
        step[at], step[at + 1] = step[at + 1], step[at]
    elif kind == "drop":
        del step[at]
    elif kind == "double":
        step.insert(at, call)
    elif kind == "peer" and call[0] in ("send", "isend"):
        step[at] = (call[0], (call[1] + 1 + rng.randrange(n - 1)) % n, *call[2:])
    elif kind == "tag" and call[0] in ("send", "isend"):
        step[at] = (call[0], call[1], call[2] + 7, call[3])
    elif kind == "bytes" and call[0] in ("send", "isend", "allreduce", "bcast"):
        step[at] = (*call[:-1], call[-1] + 8)
    elif kind == "root" and call[0] in ("bcast", "reduce"):
        step[at] = (call[0], (call[1] + 1) % n, *call[2:])
    elif kind == "more":
        program[rank].insert(number, list(step))
        number = len(program[rank]) - 2
    elif kind == "stuck":
        step[at:at] = [("stuck",)]
    else:
        return None
    return program, rank, number - 1, kind

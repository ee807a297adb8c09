"""
Trees of processes, task farms and static assignments. Real runs name the source of their truth as in
must_show.py; made ones are written here as text traces, so that the truth is what was written.
"""

import os
import re
import shutil
import tempfile

import product

tap = product.Tap()


def is_pattern(d, name, what):
    """The pattern is chosen, and no rule failed on it."""
    chosen = [p["name"] for p in d["patterns"]]
    tap.ok(name in chosen, "%s: it is %s" % (what, name), d["rejected_patterns"])
    tap.empty(d["rule_errors"], what + ": no rule fails")


def leads(d, name, culprits, what):
    leading = d.leading()
    tap.ok(
        (leading["name"], leading["culprits"]) == (name, culprits),
        "%s: %s of %s leads" % (what, name, ", ".join(culprits) or "nobody"),
        "leading: %s of %s" % (leading["name"], leading["culprits"]),
    )


def path_is(d, path, what):
    text = " ".join(f["text"] for f in d.findings("critical-path"))
    tap.ok("critical path is %s:" % path in text, "%s: the critical path is %s" % (what, path), text)


# ---- real runs ----------------------------------------------------------------------------


def equal_leaves(d, trace):
    is_pattern(d, "divide-and-conquer", trace)
    text = " ".join(f["text"] for f in d.findings("tree"))
    tap.ok("depth 2" in text and "root 0" in text, trace + ": a tree of depth 2 below 0", text)
    # program: leaves of 0.34 to 0.40 s.
    tap.empty([f for f in d.causes() if f["culprits"]], trace + ": nobody is to blame")


def slow_leaf(d, trace):
    is_pattern(d, "divide-and-conquer", trace)
    leads(d, "bad-split", ["5"], trace)
    path_is(d, "0-2-5-2-0", trace)
    # built: rank 5 sleeps 0.9 s longer; program: 1.5231 s, 0.80 s more than the other subtree's
    # leaves (0.7235 and 0.7221 s) and 0.93 s more than its sibling.
    late = d.leading()["lost_s"] / 6
    tap.near(late, 0.85, 0.1, trace + ": by about 0.9 s")
    # The work stays: with equal parts all four leaves solve for 0.89 s.
    gain = d.leading().get("gain_s") or 0
    equal = sum(d.values("leaf.solve").values()) / 4
    tap.near(gain, 1.5231 - equal, 0.05, trace + ": and equal parts save that without its fourth")


REAL = (("dcsort-np7", equal_leaves), ("dcsort-slowleaf-np7", slow_leaf))

# Programs of other kinds, on which none of these patterns may be seen.
OTHERS = (
    "pipeline-np4",
    "pipeline-slowM1-np4",
    "pipeline-balanced-np4",
    "npb-lu-W-np4",
    "npb-cg-W-np8",
    "npb-ep-W-np8",
    "npb-is-W-np8",
    "oddeven-np16",
    "oddeven-slow5-np16",
    "lulesh-np8",
    "lulesh-slow3-np8",
    "prk-stencil-np16",
    "prk-stencil-slow6-np16",
    "scorep-halo",
    "scorep-halo-imb",
    "scorep-colls",
)
OURS = (
    "divide-and-conquer",
    "task-farm",
    "master-worker",
    "static-deal",
    "fixed-order",
    "hierarchical-master-worker",
)
# Farms on request assign nothing statically.
ON_REQUEST = ("mandel-mw-np8", "mandel-mw-coarse-np8", "mandel-mw-masterslow-np8", "scorep-mw")


def is_other(d, trace):
    seen = [p["name"] for p in d["patterns"] if p["name"] in OURS]
    tap.empty(seen, trace + ": neither tree nor farm")


def is_on_request(d, trace):
    tap.ok(d.pattern("master-worker"), trace + ": it is master-worker")
    seen = [p["name"] for p in d["patterns"] if p["name"] in OURS and p["name"] != "master-worker"]
    tap.empty(seen, trace + ": tasks are given on request, and results come back")


# ---- made runs ----------------------------------------------------------------------------

# Microseconds of a call and of a message.
CALL = 2


class Made:
    """A text trace in the making: each rank has a clock and a line."""

    def __init__(self, n):
        self.now = [0] * n
        self.items = [[] for _ in range(n)]

    def compute(self, rank, us):
        if us > 0:
            self.items[rank].append("compute %d..%d" % (self.now[rank], self.now[rank] + us))
            self.now[rank] += us

    def send(self, rank, to):
        """When it begins, which is when the other side can have it."""
        begin = self.now[rank]
        self.now[rank] += CALL
        self.items[rank].append("send %d..%d to %d" % (begin, self.now[rank], to))
        return begin

    def receive(self, rank, sender, sent):
        end = max(self.now[rank], sent) + CALL
        self.items[rank].append("recv %d..%d from %d" % (self.now[rank], end, sender))
        self.now[rank] = end

    def receive_later(self, rank, senders_sent):
        """Receives posted together and completed together."""
        names = []
        for sender in senders_sent:
            names.append("q%d" % sender)
            begin = self.now[rank]
            self.now[rank] += CALL
            self.items[rank].append(
                "irecv %d..%d from %d as q%d" % (begin, self.now[rank], sender, sender)
            )
        end = max([self.now[rank], *senders_sent.values()]) + CALL
        self.items[rank].append("waitall %d..%d for %s" % (self.now[rank], end, " ".join(names)))
        self.now[rank] = end

    def text(self, speed=1):
        def faster(match):
            return "%g..%g" % (int(match[1]) * speed, int(match[2]) * speed)

        rows = ("rank %d: %s" % (r, "  ".join(i)) for r, i in enumerate(self.items))
        return "# us\n" + re.sub(r"(\d+)\.\.(\d+)", faster, "\n".join(rows)) + "\n"


def tree(n, problems=1, is_blocking=True, solve=1000, merge=20, extra=None):
    """A binary tree of n processes; extra: rank to microseconds that it takes longer."""
    made = Made(n)
    extra = extra or {}

    def visit(rank):
        children = [c for c in (2 * rank + 1, 2 * rank + 2) if c < n]
        if not children:
            made.compute(rank, solve + extra.get(rank, 0))
            return
        made.compute(rank, 10)
        for child, sent in [(c, made.send(rank, c)) for c in children]:
            made.receive(child, rank, sent)
        back = {}
        for child in children:
            visit(child)
            back[child] = made.send(child, rank)
        if is_blocking:
            for child in children:
                made.receive(rank, child, back[child])
        else:
            made.receive_later(rank, back)
        made.compute(rank, merge + extra.get(rank, 0))

    for _ in range(problems):
        visit(0)
    return made


def farm(n_workers, n_tasks, make=5, work=1000, use=5, slow=None):
    """Emitter 0, workers, and a collector that is the last rank; tasks are assigned in turn."""
    collector = n_workers + 1
    made = Made(n_workers + 2)
    results = []
    for task in range(n_tasks):
        worker = 1 + task % n_workers
        made.compute(0, make)
        made.receive(worker, 0, made.send(0, worker))
        made.compute(worker, work * (4 if worker == slow else 1))
        results.append((made.send(worker, collector), worker))
    for sent, worker in sorted(results):
        made.receive(collector, worker, sent)
        made.compute(collector, use)
    return made


def assign(hands, n_tasks):
    """Master 0 assigns n_tasks to each worker beforehand; hands: microseconds per task."""
    made = Made(len(hands) + 1)
    sent = []
    for _ in range(n_tasks):
        for worker in range(1, len(hands) + 1):
            sent.append((worker, made.send(0, worker)))
    results = []
    for worker, when in sent:
        made.receive(worker, 0, when)
        made.compute(worker, hands[worker - 1])
        results.append((made.send(worker, 0), worker))
    for when, worker in sorted(results):
        made.receive(0, worker, when)
    return made


def diagnose_made(made, *options, speed=1):
    folder = tempfile.mkdtemp()
    try:
        path = os.path.join(folder, "made.trace")
        with open(path, "w", encoding="ascii") as file:
            file.write(made.text(speed))
        return product.diagnose(path, *options)
    finally:
        shutil.rmtree(folder)


def made_trees():
    for is_blocking in (True, False):
        kind = "blocking" if is_blocking else "non-blocking"
        what = "15 processes, %s, inner node 4 is slow" % kind
        d = diagnose_made(tree(15, is_blocking=is_blocking, extra={4: 1500}))
        is_pattern(d, "divide-and-conquer", what)
        leads(d, "slow-node", ["4"], what)
        path = " ".join(f["text"] for f in d.findings("critical-path"))
        tap.ok("is 0-1-4-" in path, what + ": it is on the critical path", path)
        tap.near(d.leading().get("gain_s"), 1500e-6, 20e-6, what + ": by what it takes longer")

        what = "7 processes, %s, three problems, leaf 6 is slow" % kind
        made = tree(7, problems=3, is_blocking=is_blocking, extra={6: 2000})
        d = diagnose_made(made)
        leads(d, "bad-split", ["6"], what)
        path_is(d, "0-2-6-2-0", what)
        late = d.leading()["lost_s"] / 6
        tap.near(late, 3 * 2000e-6, 100e-6, what + ": by what it takes longer")
        # Four leaves share the work: with equal parts each has a fourth of the excess.
        gain = d.leading().get("gain_s")
        tap.near(gain, 0.75 * 3 * 2000e-6, 100e-6, what + ": equal parts save three fourths of it")
        slower = diagnose_made(made, speed=10)
        tap.near(
            slower.leading()["severity"],
            d.leading()["severity"],
            1e-5,
            what + ": ten times slower changes no share",
        )

    d = diagnose_made(tree(7, solve=500, merge=1500))
    leads(d, "serial-merge", ["0"], "long merging")


def made_farms():
    what = "a farm with a slow emitter"
    d = diagnose_made(farm(6, 60, make=600))
    is_pattern(d, "task-farm", what)
    leads(d, "slow-emitter", ["0"], what)
    d = diagnose_made(farm(6, 60, use=600))
    leads(d, "slow-collector", ["7"], "a farm with a slow collector")
    d = diagnose_made(farm(6, 60, slow=3))
    leads(d, "slow-worker", ["3"], "a farm with a slow worker")
    d = diagnose_made(farm(6, 120))
    tap.empty(d.causes(), "a good farm: nothing to say")


def made_deals():
    """The refined pattern is chosen by itself, though its base explains as much."""
    d = diagnose_made(assign([100, 100, 100, 400], 5))
    is_pattern(d, "static-deal", "an unequal assignment")
    leads(d, "unequal-deal", ["4"], "an unequal assignment")
    tap.ok(d.findings("low-worker-efficiency"), "an unequal assignment: the rules of the base hold, too")
    tap.empty(d.causes("slow-worker"), "an unequal assignment: the same seconds are reported once")
    tap.ok(d.pattern("master-worker") is None, "an unequal assignment: its base is not chosen beside it")
    d = diagnose_made(assign([100, 100, 100, 100], 5))
    is_pattern(d, "static-deal", "an equal assignment")
    tap.empty(d.causes("unequal-deal"), "an equal assignment: nobody has more")


class Actors:
    """Processes as generators that yield ("compute", us), ("send", to, value), ("recv", from)."""

    def __init__(self, actors):
        self.made = Made(len(actors))
        self.actors = actors
        self.mail = [[] for _ in actors]
        self.answer = [None] * len(actors)
        self.wanted = {r: ("start",) for r in range(len(actors))}

    def ready_at(self, rank):
        """When it can go on; None while what it receives has not been sent."""
        wanted = self.wanted[rank]
        if wanted[0] != "recv":
            return self.made.now[rank]
        sent = [m[0] for m in self.mail[rank] if wanted[1] in (None, m[1])]
        return max(self.made.now[rank], min(sent)) if sent else None

    def go_on(self, rank):
        wanted = self.wanted[rank]
        if wanted[0] == "recv":
            got = min(m for m in self.mail[rank] if wanted[1] in (None, m[1]))
            self.mail[rank].remove(got)
            self.made.receive(rank, got[1], got[0])
            self.answer[rank] = got[1:]
        elif wanted[0] == "send":
            self.mail[wanted[1]].append((self.made.send(rank, wanted[1]), rank, wanted[2]))
        elif wanted[0] == "compute":
            self.made.compute(rank, wanted[1])
        try:
            self.wanted[rank] = self.actors[rank].send(self.answer[rank])
        except StopIteration:
            del self.wanted[rank]
        self.answer[rank] = None

    def run(self):
        while self.wanted:
            ready = [(self.ready_at(r), r) for r in self.wanted if self.ready_at(r) is not None]
            self.go_on(min(ready)[1])
        return self.made


def asking_worker(master, tasks):
    for us in tasks:
        yield ("send", master, None)
        if not (yield ("recv", master))[1]:
            return
        yield ("compute", us)


def turns_master(n_workers, n_tasks, us, is_any):
    """Takes results in the order of ranks, or as they come."""
    turn = 0
    running = n_workers
    while running > 0:
        worker = (yield ("recv", None if is_any else turn % n_workers + 1))[0]
        turn += 1
        yield ("compute", us)
        yield ("send", worker, n_tasks > 0)
        running -= n_tasks <= 0
        n_tasks -= 1


def turns(is_any):
    # Each worker has its long and its short tasks in another order.
    lengths = [200, 1000, 400, 1600, 600]
    tasks = [[lengths[(i * i + w) % 5] for i in range(60)] for w in range(5)]
    workers = [asking_worker(0, t) for t in tasks]
    return Actors([turns_master(5, 100, 20, is_any), *workers]).run()


def top_master(n_masters, n_tasks, batch, us):
    while n_masters > 0:
        master = (yield ("recv", None))[0]
        yield ("compute", us)
        given = min(batch, n_tasks)
        n_tasks -= given
        yield ("send", master, given)
        n_masters -= given == 0


def middle_master(n_workers, us):
    has = 0
    is_over = False
    while n_workers > 0:
        worker = (yield ("recv", None))[0]
        if has == 0 and not is_over:
            yield ("send", 0, None)
            has = (yield ("recv", 0))[1]
            is_over = has == 0
        yield ("compute", us)
        yield ("send", worker, has > 0)
        n_workers -= has == 0
        has -= has > 0


def hierarchy(n_masters, n_each, top_us=5, middle_us=5, batch=4):
    masters = [middle_master(n_each, middle_us) for _ in range(n_masters)]
    workers = [
        asking_worker(1 + w % n_masters, [1000 + 10 * w] * 200) for w in range(n_masters * n_each)
    ]
    top = top_master(n_masters, 20 * len(workers), batch, top_us)
    return Actors([top, *masters, *workers]).run()


def made_orders():
    d = diagnose_made(turns(is_any=False))
    is_pattern(d, "fixed-order", "workers in turn")
    leads(d, "out-of-turn", ["0"], "workers in turn")
    d = diagnose_made(turns(is_any=True))
    is_pattern(d, "master-worker", "workers as they come")
    tap.ok(d.pattern("fixed-order") is None, "workers as they come: no order")
    tap.empty(
        d.causes("out-of-turn") + d.causes("fixed-order-collection"),
        "workers as they come: nobody waits for a turn",
    )


def made_hierarchies():
    name = "hierarchical-master-worker"
    for n_masters, n_each in ((2, 3), (4, 6)):
        what = "%d masters of %d workers" % (n_masters, n_each)
        d = diagnose_made(hierarchy(n_masters, n_each))
        is_pattern(d, name, what)
        tap.empty([f for f in d.causes() if f["culprits"]], what + ": nobody is to blame")
        d = diagnose_made(hierarchy(n_masters, n_each, top_us=2000 // n_masters, batch=n_each))
        leads(d, "top-bottleneck", ["0"], what + ", slow top")
        d = diagnose_made(hierarchy(n_masters, n_each, middle_us=900))
        masters = [str(m) for m in range(1, n_masters + 1)]
        leads(d, "masters-bottleneck", masters, what + ", slow masters")


def main():
    tests = list(REAL) + [(t, is_other) for t in OTHERS] + [(t, is_on_request) for t in ON_REQUEST]
    for trace, test in tests:
        path = product.shared_trace(trace)
        if path is None:
            tap.skip(trace, "no such trace here")
        else:
            tap.guarded(trace, lambda: test(product.diagnose(path), trace))
    for test in (made_trees, made_farms, made_deals, made_orders, made_hierarchies):
        tap.guarded(test.__name__, test)
    tap.done()


main()

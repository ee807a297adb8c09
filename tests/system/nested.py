"""
A farm of groups, real (examples/traces/farm-slow-member) and made up. Every expected figure follows
from how the program computes: 4 steps of 40 ms per task, 120 ms on rank 5.
"""

import os
import tempfile

import product

tap = product.Tap()

STEPS = 4


class Group:
    """Ranks that compute tasks together: each step's work, then borders with the neighbours."""

    def __init__(self, name, ranks, step_us):
        self.name, self.ranks, self.step_us = name, ranks, step_us
        self.lines = {r: [] for r in ranks}
        self.now = {r: 0 for r in ranks}

    def call(self, rank, what, leave, rest):
        self.lines[rank].append(
            "rank %d: %s %d..%d %s" % (rank, what, self.now[rank], leave, rest)
        )
        self.now[rank] = leave

    def work(self, rank, us):
        self.now[rank] += us

    def message(self, sender, receiver, tag):
        """As the program: a send that is buffered, a receive that waits for it."""
        self.call(
            self.ranks[sender],
            "send",
            self.now[self.ranks[sender]] + 2,
            "to %d tag %d comm %s" % (receiver, tag, self.name),
        )
        arrived = self.now[self.ranks[sender]]
        self.call(
            self.ranks[receiver],
            "recv",
            max(self.now[self.ranks[receiver]], arrived) + 1,
            "from %d tag %d comm %s" % (sender, tag, self.name),
        )

    def compute(self, task_us):
        """The leader begins at task_us; returns when it has the result."""
        leader = self.ranks[0]
        self.now[leader] = task_us
        for other in range(1, len(self.ranks)):
            self.message(other - 1, other, 5)
        for _ in range(STEPS):
            for i, rank in enumerate(self.ranks):
                self.work(rank, self.step_us[i])
            for first in (0, 1):
                for left in range(first, len(self.ranks) - 1, 2):
                    self.message(left, left + 1, 4)
                    self.message(left + 1, left, 4)
        return self.now[leader]


def farm(step_us, tasks):
    """The text trace of rank 0 and groups of len(step_us[g]) ranks."""
    groups, rank = [], 1
    for number, steps in enumerate(step_us):
        groups.append(Group("g%d" % number, list(range(rank, rank + len(steps))), steps))
        rank += len(steps)
    head = ["# us"] + ["comm %s: %s" % (g.name, " ".join(map(str, g.ranks))) for g in groups]
    master, lines, outer = 0, [], []
    ready = [(10 * i, i) for i in range(len(groups))]
    while ready:
        ready.sort()
        at, number = ready.pop(0)
        leader = groups[number].ranks[0]
        outer.append("rank %d: send %d..%d to 0 tag 2" % (leader, at, at + 2))
        lines.append("rank 0: recv %d..%d from %d tag 2" % (master, max(master, at + 2) + 1, leader))
        master = max(master, at + 2) + 1
        lines.append("rank 0: send %d..%d to %d tag %d" % (master, master + 2, leader, 1 if tasks else 3))
        master += 2
        outer.append("rank %d: recv %d..%d from 0 tag %d" % (leader, at + 2, master + 1, 1 if tasks else 3))
        if tasks:
            tasks -= 1
            ready.append((groups[number].compute(master + 1), number))
    body = lines + outer + [line for g in groups for r in g.ranks for line in g.lines[r]]
    # A rank's calls in the order of time, as text traces want them.
    body.sort(key=lambda line: (line.split(":")[0], int(line.split()[3].split("..")[0])))
    return "\n".join(head + body) + "\n"


def diagnose_text(text):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "farm.trace")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return product.diagnose(path)


def structure(d, name, workers, n_groups):
    outer = [p for p in d["patterns"] if p["id"] == "master-worker@rest"]
    inner = [p for p in d["patterns"] if p["name"] == "geometric-decomposition"]
    tap.ok(
        outer and outer[0]["roles"]["master"] == ["0"] and outer[0]["roles"]["worker"] == workers,
        name + ": rank 0 is the master, leaders are the workers",
        outer,
    )
    tap.ok(len(inner) == n_groups, name + ": each group is a halo exchange", inner)
    for p in outer + inner:
        tap.ok(p["coverage"] >= 0.9 and p["fit"] >= 0.9, name + ": " + p["id"] + " fits", p)


def slow_member(d, name, member, excess_s, leader):
    leading = d.leading()
    tap.ok(
        (leading["name"], leading["culprits"]) == ("heavy-subdomain", [member]),
        "%s: process %s leads" % (name, member),
        (leading["name"], leading["culprits"]),
    )
    # Of three in a group, a third of what is evened out stays with it.
    tap.near(
        leading["gain_s"], 2 / 3 * excess_s, 0.1 * excess_s, name + ": by what it computes longer"
    )
    outer = [
        f
        for f in d["findings"]
        if f["pattern"] == "master-worker@rest" and f["culprits"] == [leader]
    ]
    tap.empty(
        [f for f in outer if f["explained_by"] != [leading["id"]]],
        name + ": what the farm blames on its leader is explained by it",
    )
    tap.empty(
        [f for f in d.causes() if f["culprits"] not in ([], [member]) and not f["explained_by"]],
        name + ": nobody else is to blame",
    )
    return outer


def each_second_once(d, name):
    time = d["time"]
    parts = ("explained_s", "nested_s", "normal_s", "unexplained_s")
    tap.near(sum(time[p] for p in parts), time["lost_s"], 1e-6, name + ": parts are the whole")
    causes = [f for f in d.causes() if f["lost_s"] is not None]
    tap.near(
        sum(f["lost_s"] - f["computing_s"] for f in causes if not f["explained_by"]),
        time["explained_s"],
        1e-6,
        name + ": what is explained inside is not added",
    )
    tap.near(
        sum(f["outer_s"] for f in causes),
        time["nested_s"],
        1e-6,
        name + ": what is lost outside is counted to the cause inside",
    )


def check_text(path, name):
    text = product.run("diagnose", "--full", path).out
    tap.ok(
        "whose work is a geometric-decomposition" in " ".join(text.split()),
        name + ": nesting comes first",
        text[:400],
    )
    tap.ok(
        text.count("As geometric-decomposition@") == 2 and "and the same in 1 more" in text,
        name + ": groups in which nothing is wrong are reported once",
        text,
    )


def real():
    name = "farm-slow-member"
    path = os.path.join(product.top, "examples", "traces", name)
    d = product.diagnose(path)
    structure(d, name, ["1", "4", "7"], 3)
    # built: 3 tasks of 4 steps, 80 ms longer each.
    outer = slow_member(d, name, "5", 0.96, "4")
    kinds = {f["kind"] for f in outer if f["name"] == "slow-worker"}
    tap.ok("cause" in kinds, name + ": the farm has a slow worker", outer)
    each_second_once(d, name)
    check_text(path, name)


def made():
    # Groups of four: a chain of three is a star as well, and may be a farm of two workers.
    d = diagnose_text(farm([[4000] * 4, [4000, 12000, 4000, 4000], [4000] * 4], 17))
    structure(d, "made", ["1", "5", "9"], 3)
    each_second_once(d, "made")


def healthy():
    d = diagnose_text(farm([[4000] * 4, [4000] * 4, [4000] * 4], 18))
    structure(d, "healthy", ["1", "5", "9"], 3)
    tap.ok(d["verdict"] == "no-significant-problem", "healthy: no problem", d["summary"])
    tap.empty([f for f in d["findings"] if f["explained_by"]], "healthy: nothing to explain")


def main():
    tap.guarded("real", real)
    tap.guarded("made", made)
    tap.guarded("healthy", healthy)
    tap.done()


main()

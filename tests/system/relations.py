"""
Relations: each holds for every run, whatever it is; each function says why.

Numbers in the document have 15 digits, and sums are formed in another order here than there, so
that equality means within 1e-9 of the larger.
"""

import math
import os
import random
import shutil
import tempfile

import library
import product
import relations_made

tap = product.Tap()
ask_shares = os.path.join(product.top, "tests", "system", "ask-shares")


def differ(a, b, tolerance=1e-9):
    return abs(a - b) > tolerance * max(1.0, abs(a), abs(b))


# ---- on every trace -----------------------------------------------------------------------


def time_adds_up(d):
    """Process seconds are computation or lost; the lost ones are explained, normal, or neither."""
    time = d["time"]
    runs = [r for r in d["runs"] if "duration_s" in r]
    bad = []
    if differ(time["location_s"], sum(r["locations"] * r["duration_s"] for r in runs), 1e-6):
        bad.append("location_s is not locations x duration: %s" % time)
    if time["lost_s"] > time["location_s"] * (1 + 1e-9):
        bad.append("more is lost than there was: %s" % time)
    parts = ("explained_s", "nested_s", "normal_s", "unexplained_s")
    if differ(time["lost_s"], sum(time[k] for k in parts), 1e-6):
        bad.append("explained, normal and unexplained are not all: %s" % time)
    return bad


def seconds_are_attributed_once(d):
    """Causes share out the lost time; what a cause inside explains is counted there."""
    total = sum(c["lost_s"] or 0 for c in d.causes() if not c["explained_by"])
    if total > d["time"]["lost_s"] * 1.001 + 1e-6:
        return ["causes attribute %.6g s of %.6g s lost" % (total, d["time"]["lost_s"])]
    return []


def severity_is_relative(d):
    """severity = lost_s / (locations x duration), and both are known or neither is."""
    bad = []
    for f in d["findings"]:
        run = next(r for r in d["runs"] if r["id"] == f["run"])
        all_s = run["locations"] * run["duration_s"]
        if (f["severity"] is None) != (f["lost_s"] is None):
            bad.append("%s: severity %s, lost_s %s" % (f["id"], f["severity"], f["lost_s"]))
        elif f["lost_s"] is not None and differ(f["severity"], f["lost_s"] / all_s, 1e-5):
            bad.append("%s: severity %s of %s s" % (f["id"], f["severity"], f["lost_s"]))
    return bad


def causes_are_ranked(d):
    """Where most can be gained comes first; what has no figure comes last."""
    causes = sorted(d.causes(), key=lambda c: bool(c["explained_by"]))
    worths = [-1 if c["worth_s"] is None else c["worth_s"] for c in causes if not c["explained_by"]]
    kinds = [f["kind"] for f in d["findings"]]
    bad = []
    if worths != sorted(worths, reverse=True):
        bad.append("what acting on the causes is worth: %s" % worths)
    if [c["id"] for c in causes] != [c["id"] for c in d.causes()]:
        bad.append("causes that others explain do not come last")
    if kinds != sorted(kinds, key=lambda kind: kind != "cause"):
        bad.append("causes do not come first: %s" % kinds)
    return bad


def people_exist(d):
    """Whoever is named is a location of the run."""
    bad = []
    for run in d["runs"]:
        known = {c["location"] for c in run["clock"]["locations"]}
        named = [x for f in d["findings"] if f["run"] == run["id"] for x in f["locations"] + f["culprits"]]
        named += [x for p in d["patterns"] if p["run"] == run["id"] for r in p["roles"].values() for x in r]
        bad += ["%s is in no run" % x for x in set(named) - known]
    return bad


SHARE_WORDS = ("share", "efficiency", "load_balance")


def shares_are_shares(d):
    """A share of a whole lies between nothing and the whole."""
    bad = []
    for m in d["metrics"]:
        name = m["name"].split(".")[1]
        if m["unit"] != "1" or not any(w in name for w in SHARE_WORDS) or m["value"] is None:
            continue
        if not -1e-6 <= m["value"] <= 1 + 1e-6:
            bad.append("%s(%s) = %s" % (m["name"], m["location"], m["value"]))
    return bad


def gains_are_possible(d):
    """No remedy saves more than the whole run, and none makes it longer."""
    return [
        "%s: %s gains %s s of %s s" % (f["id"], f["name"], f["gain_s"], r["duration_s"])
        for r in d["runs"]
        for f in d["findings"]
        if f["run"] == r["id"]
        and not -1e-9 <= (f["gain_s"] or 0) <= r["duration_s"] * (1 + 1e-9)
    ]


def parts_are_no_more_than_all(d):
    """What a finding costs is some of the lost time, so at least nothing and at most all of it."""
    bad = []
    for f in d["findings"]:
        if f["kind"] == "cause" and (f["lost_s"] or 0) > d["time"]["lost_s"] * 1.001 + 1e-6:
            bad.append("%s: %s of %s s lost" % (f["id"], f["lost_s"], d["time"]["lost_s"]))
        if (f["lost_s"] or 0) < -1e-9:
            bad.append("%s: %s s" % (f["id"], f["lost_s"]))
        if not -1e-9 <= (f["share_of_lost"] or 0) <= 1 + 1e-6:
            bad.append("%s: share %s" % (f["id"], f["share_of_lost"]))
    return bad


def clocks_do_not_run_backwards(d):
    """No amount of time is negative, but for differences, which say so in their name."""
    return [
        "%s(%s) = %s s" % (m["name"], m["location"], m["value"])
        for m in d["metrics"]
        if m["unit"] == "s" and m["value"] is not None and m["value"] < -1e-9
        and not m["name"].endswith(("_slope", "_trend"))
    ]


# Sums: each moment of a process is in exactly one class, each wait of exactly one kind. By pattern:
# the same name means another thing elsewhere. Sums of members are formed for each of them.
SUMS = {
    "message-passing": (
        ("run.location_time", ("run.computing", "run.lost")),
        (
            "run.lost",
            ("run.waiting", "run.transferring", "run.unknown", "run.other", "run.at_the_ends"),
        ),
        ("run.waiting", ("run.late_sender", "run.late_receiver", "run.wait_collective")),
        (
            "run.wait_collective",
            (
                "run.wait_barrier",
                "run.wait_n_to_n",
                "run.late_broadcast",
                "run.early_reduce",
                "run.early_scan",
            ),
        ),
        ("process.delay_cost", ("process.delay_cost_direct", "process.delay_cost_indirect")),
    ),
    "master-worker": (
        (
            "worker.lost",
            ("worker.t_init", "worker.t_comm", "worker.t_wait", "worker.t_final", "worker.t_rest"),
        ),
        (
            "worker.t_wait",
            ("worker.t_seq", "worker.t_setup", "worker.t_bn", "worker.t_w_final", "worker.t_stop"),
        ),
    ),
    "bulk-synchronous": (("run.member_time", ("run.computing", "run.lost")),),
    "wavefront": (
        ("run.first_wait", ("run.fill", "run.turn")),
        ("run.first_wait", ("run.fill_drain", "run.ahead")),
        ("run.steady", ("run.late", "run.held", "run.ahead")),
    ),
}


def by_pattern(d):
    """Id of a pattern -> name of a metric -> location -> value."""
    found = {}
    for m in d["metrics"]:
        found.setdefault(m["pattern"], {}).setdefault(m["name"], {})[m["location"]] = m["value"]
    return found


def parts_make_the_whole(d):
    """The whole is the sum of its parts, wherever all of them were asked for."""
    bad = []
    for where, metrics in by_pattern(d).items():
        for whole, parts in SUMS.get(where.split("@")[0], ()):
            for who, value in metrics.get(whole, {}).items():
                values = [metrics.get(part, {}).get(who) for part in parts]
                if value is not None and None not in values and differ(value, sum(values), 1e-6):
                    bad.append(
                        "%s: %s(%s) = %.9g, its parts %.9g" % (where, whole, who, value, sum(values))
                    )
    return bad


def delays_are_waits(d):
    """Conservation (Böhme et al.): what delays cost is what is waited, no more."""
    metrics = by_pattern(d).get("message-passing", {})
    costs = [c for c in metrics.get("process.delay_cost", {}).values() if c is not None]
    waits = metrics.get("run.waiting", {}).get(None)
    if costs and waits is not None and sum(costs) > waits * (1 + 1e-6) + 1e-9:
        return ["delays cost %.9g s, %.9g s are waited" % (sum(costs), waits)]
    return []


def efficiencies_multiply(d):
    """POP: parallel = load balance x communication; communication = serialisation x transfer."""
    bad = []
    for whole, one, other in (
        ("parallel", "load_balance", "communication"),
        ("communication", "serialisation", "transfer"),
    ):
        names = ["run.%s" % (n if n == "load_balance" else n + "_efficiency") for n in (whole, one, other)]
        product_of, a, b = (d.value(n) for n in names)
        # The replay's window is the measured one, which on noisy clocks differs by 0.1 %.
        if not any(math.isnan(v) for v in (product_of, a, b)) and differ(product_of, a * b, 2e-3):
            bad.append("%s = %.6g, but %.6g x %.6g" % (names[0], product_of, a, b))
    return bad


def wrong_order_is_late(d):
    """Receiving in the wrong order is one way of waiting for late senders."""
    if d.value("run.wrong_order") > d.value("run.late_sender") + 1e-9:
        return ["%s s of %s s" % (d.value("run.wrong_order"), d.value("run.late_sender"))]
    return []


def worker_shares_make_one(d):
    """The lost time of a worker is the sum of its parts, the rest included."""
    shares = ("bn", "setup", "w_final", "stop", "seq", "comm", "init", "final", "rest")
    bad = []
    if d.pattern("master-worker") is None:
        return bad
    for worker in d.pattern("master-worker")["roles"]["worker"]:
        values = [d.values("worker.share_" + s).get(worker) for s in shares]
        if None in values:
            bad.append("worker %s has no share of %s" % (worker, shares[values.index(None)]))
        elif abs(sum(values) - 1) > 1e-6:
            bad.append("worker %s: the shares add up to %.9g" % (worker, sum(values)))
    return bad


RELATIONS = (
    time_adds_up,
    seconds_are_attributed_once,
    severity_is_relative,
    parts_are_no_more_than_all,
    clocks_do_not_run_backwards,
    causes_are_ranked,
    people_exist,
    shares_are_shares,
    gains_are_possible,
    parts_make_the_whole,
    delays_are_waits,
    efficiencies_multiply,
    wrong_order_is_late,
    worker_shares_make_one,
)


def test_trace(path):
    answer = product.run("diagnose", "--format", "json", "--knowledge", ask_shares, path)
    name = os.path.basename(path)
    if answer.status == 3 and product.parse(answer.out)["verdict"] == "unusable":
        tap.skip(name, "it cannot be used")
        return
    diagnosis = product.Diagnosis(answer)
    complaints = [
        "%s: %s" % (relation.__name__, complaint)
        for relation in RELATIONS
        for complaint in relation(diagnosis)
    ]
    tap.empty(complaints, "%s: %d relations hold" % (name, len(RELATIONS)))


# ---- on traces that are made here --------------------------------------------------------


def farm(seed, n_workers, n_tasks, service_us, task_us):
    """
    Events of a master-worker run, computed as a queue: rank -> [(enter, leave, item)].

    Every request, service and task takes a random time around its mean, so that no two workers
    are alike and no tie has to be broken.
    """
    chance = random.Random(seed)
    events = {rank: [] for rank in range(n_workers + 1)}
    asked = {}  # worker -> when its request is sent

    def around(mean):
        return 1 + int(mean * chance.uniform(0.7, 1.3))

    for worker in range(1, n_workers + 1):
        asked[worker] = around(20) + worker
        events[worker].append((0, asked[worker], "compute"))
    free = 0
    left = n_tasks
    while asked:
        worker = min(asked, key=lambda w: (asked[w], w))
        sent = asked.pop(worker)
        taken = max(free, sent) + 2
        given = taken + around(service_us)
        events[worker].append((sent, sent + 2, "send to 0 tag 1"))
        events[0].append((free, taken, "recv from %d tag 1" % worker))
        events[0].append((taken, given, "compute"))
        events[0].append((given, given + 2, "send to %d tag 2" % worker))
        events[worker].append((sent + 2, given + 3, "recv from 0 tag 2"))
        free = given + 2
        if left > 0:
            left -= 1
            finished = given + 3 + around(task_us)
            events[worker].append((given + 3, finished, "compute"))
            asked[worker] = finished
    end = max(leave for items in events.values() for _, leave, _ in items) + 1
    for rank, items in events.items():
        enter = items[-1][1]
        events[rank].append((enter, end + 2 + rank, "barrier"))
    return events


def write_trace(path, events, scale=1, swap=None):
    """As a text trace; times are multiplied by scale, two ranks may change places."""
    names = {rank: rank for rank in events}
    if swap is not None:
        names[swap[0]], names[swap[1]] = swap[1], swap[0]
    with open(path, "w", encoding="ascii") as file:
        file.write("# us.\n")
        for rank in sorted(events, key=lambda r: names[r]):
            for enter, leave, item in events[rank]:
                words = item.split()
                if len(words) > 2:
                    words[2] = str(names[int(words[2])])
                times = "%d..%d" % (enter * scale, leave * scale)
                file.write("rank %d: %s\n" % (names[rank], " ".join([words[0], times, *words[1:]])))


# Metrics whose value is the rank of somebody.
RANK_WORDS = ("last_child", "_parent", "parent_rank", "awaited", "turn_after", ".above")


def essence(d, names=None, scale=1.0):
    """
    What a diagnosis says, without what may depend on the order of things: sets of metrics and
    findings, locations translated by names, times divided by scale.
    """

    def label(location):
        return (names or {}).get(location, location)

    def labels(locations):
        return tuple(sorted(label(x) for x in locations))

    metrics = {}
    for m in d["metrics"]:
        # Without a rooted operation, rank 0 is the root by convention.
        if m["name"].endswith((".rank", ".is_root")):
            continue
        # A scheduler's turns last some milliseconds, however long the run is.
        if ".stall_" in m["name"]:
            continue
        value = m["value"]
        if value is not None and m["unit"] == "s":
            value /= scale
        elif value is not None and m["unit"].endswith("/s"):
            value *= scale
        elif value is not None and m["name"].endswith(RANK_WORDS):
            value = label("%d" % value)
        metrics[(m["pattern"], m["name"], label(m["location"]))] = value
    findings = {}
    for f in d["findings"]:
        key = (f["kind"], f["name"], labels(f["locations"]), labels(f["culprits"]))
        numbers = [f["severity"], f["share_of_lost"], f["confidence"]]
        numbers += [None if f[k] is None else f[k] / scale for k in ("lost_s", "gain_s")]
        findings[key] = numbers
    roles = {
        (p["name"], role): labels(who) for p in d["patterns"] for role, who in p["roles"].items()
    }
    return {"verdict": d["verdict"], "metrics": metrics, "findings": findings, "roles": roles}


def unlike(a, b):
    """Where two essences differ, as sentences."""
    bad = []
    if a["verdict"] != b["verdict"]:
        bad.append("verdicts: %s, %s" % (a["verdict"], b["verdict"]))
    if a["roles"] != b["roles"]:
        bad.append("roles: %s, %s" % (a["roles"], b["roles"]))
    for part in ("metrics", "findings"):
        bad += ["%s: only one has %s" % (part, key) for key in set(a[part]) ^ set(b[part])]
        for key in set(a[part]) & set(b[part]):
            one, other = a[part][key], b[part][key]
            pairs = zip(one, other) if isinstance(one, list) else [(one, other)]
            # Rules get numbers of six digits, and subtract some of them.
            tolerance = 1e-4 if part == "findings" else 1e-6
            for x, y in pairs:
                if isinstance(x, str) or isinstance(y, str) or x is None or y is None:
                    is_same = x == y
                else:
                    is_same = abs(x - y) <= max(1e-11, tolerance * max(abs(x), abs(y)))
                if not is_same:
                    bad.append("%s: %s is %s and %s" % (part, key, x, y))
    return bad


# A saturated master, a healthy farm, one with few tasks, one that is all overhead.
FARMS = ((5, 60, 400, 800), (4, 80, 10, 2000), (6, 14, 20, 5000), (3, 50, 30, 25))


def test_farm(seed, folder, shape):
    events = farm(seed, *shape)
    what = "seed %d, %d workers, %d tasks, service %d us, task %d us" % (seed, *shape)
    path = os.path.join(folder, "farm.txt")
    write_trace(path, events)
    plain = product.diagnose(path)
    tap.ok(plain.pattern("master-worker"), what + ": it is a master-worker run", plain["summary"])

    write_trace(path, events, scale=10)
    slow = product.diagnose(path)
    tap.empty(unlike(essence(plain), essence(slow, scale=10.0)), what + ": ten times as long")

    write_trace(path, events, swap=(2, 3))
    swapped = product.diagnose(path)
    tap.empty(
        unlike(essence(plain), essence(swapped, names={"2": "3", "3": "2"})),
        what + ": two workers renumbered",
    )


def test_example(example, folder):
    """Each pattern's own example, twice as long and with other ranks."""
    lines = relations_made.without_ties(example.lines)
    path = os.path.join(folder, "example.trace")

    def diagnosed(text):
        with open(path, "w", encoding="ascii") as file:
            file.writelines(text)
        return product.diagnose(path)

    plain = diagnosed(lines)
    slow = diagnosed(relations_made.scaled(lines, 2))
    tap.empty(unlike(essence(plain), essence(slow, scale=2.0)), "%s Twice as long" % example)
    ranks = relations_made.ranks_of(lines)
    names = {rank: (rank + 1) % len(ranks) for rank in ranks}
    other = diagnosed(relations_made.renumbered(lines, names))
    labels = {str(old): str(new) for old, new in names.items()}
    tap.empty(unlike(essence(plain, names=labels), essence(other)), "%s Renumbered" % example)


# One or two of each pattern, of both tracers.
SLOWED = (
    "pipeline-np4",
    "scorep-mw",
    "npb-lu-W-np4",
    "oddeven-slow5-np16",
    "dcsort-np7",
    "scorep-halo-imb",
    "scorep-colls",
)


def test_slowed(name, folder):
    """A real run whose clocks tick half as fast: twice as long, and all else as it was."""
    source = product.shared_trace(name)
    if source is None:
        tap.skip(name + ": twice as long", "it is not there")
        return
    copy = relations_made.slower_archive(source, folder)
    if copy is None:
        tap.skip(name + ": twice as long", "its ticks cannot be halved")
        return
    plain, slow = product.diagnose(source), product.diagnose(copy)
    tap.empty(unlike(essence(plain), essence(slow, scale=2.0)), name + ": twice as long")
    shutil.rmtree(copy)


RULE = """
(defrule CAUSES::test-%(name)s
  "Fires on every run, on nothing that others find."
  (run (id ?r))
  =>
  (assert (finding (kind observation) (name test-%(name)s) (run ?r) (pattern "message-passing")
                   (level 1) (text "This is %(name)s."))))
"""


def test_order_of_knowledge(folder):
    """Directories that do not refine one another may come in any order."""
    directories = []
    for name in ("one", "two"):
        directories.append(os.path.join(folder, name))
        os.makedirs(os.path.join(directories[-1], "rules"))
        rule = os.path.join(directories[-1], "rules", name + ".clp")
        with open(rule, "w", encoding="ascii") as file:
            file.write(RULE % {"name": name})
    trace = os.path.join(product.top, "examples", "traces", "mw-slow-master")
    options = [["--knowledge", d] for d in directories]
    forth = product.diagnose(trace, *options[0], *options[1])
    back = product.diagnose(trace, *options[1], *options[0])
    tap.ok(
        forth.findings("test-one") and forth.findings("test-two"),
        "rules of added directories fire",
        forth["rules_fired"],
    )
    tap.empty(unlike(essence(forth), essence(back)), "the order of directories does not matter")
    stock = essence(product.diagnose(trace))
    added = essence(forth)
    for key in [k for k in added["findings"] if k[1].startswith("test-")]:
        del added["findings"][key]
    tap.empty(unlike(stock, added), "added rules change nothing that others find")


# Asks of all computation and calls what goes on elsewhere at the same time, with numbers that depend on it. These
# are put into the pattern that always fits: one of its own could be taken instead of another one.
TOGETHER = {
    "events:": """
  TestWork:
    on: process
    says: Computing before a call.
    expression: "work use"
    members:
      work: {event: compute}
      use: {event: call}
    attributes:
      order: {value: "precedes(work, use) + 2 * concurrent(use, work)", unit: 1, says: Asked.}
  TestTogether:
    on: process
    says: With somebody else.
    expression: "mine & theirs"
    members:
      mine: {event: TestWork}
      theirs: {event: TestWork, on: process}
""",
    "metrics:": """
  test_pairs: {per: run, value: "count(TestTogether.duration)", unit: 1, says: So many.}
""",
}
NEED = """
(defrule SYMPTOMS::test-together
  "Asks how many."
  (pattern (run ?r) (name "message-passing"))
  (metric (run ?r) (pattern "message-passing") (name "run.test_pairs"))
  =>)
"""


def together(folder):
    """A directory of knowledge in which message-passing asks who was first."""
    for part in ("patterns", "rules"):
        os.makedirs(os.path.join(folder, part))
    with open(os.path.join(product.top, "patterns", "message-passing.yaml"), encoding="utf-8") as file:
        text = file.read()
    for key, added in TOGETHER.items():
        text = text.replace("\n%s\n" % key, "\n%s%s" % (key, added), 1)
    with open(os.path.join(folder, "patterns", "message-passing.yaml"), "w", encoding="utf-8") as file:
        file.write(text)
    with open(os.path.join(folder, "rules", "test-together.clp"), "w", encoding="ascii") as file:
        file.write(NEED)


def test_together(path, folder):
    """A pattern that asks who was first, on two locations at once, finds what it found, and so do others."""
    name = os.path.basename(path)
    stock = product.run("diagnose", "--format", "json", path)
    if stock.status == 3:
        tap.skip(name + ": with a pattern that asks who was first", "it cannot be used")
        return
    stock = product.Diagnosis(stock)
    asked = product.Diagnosis(product.run("diagnose", "--format", "json", "--knowledge", folder, path))
    added = essence(asked)
    pairs = [v for k, v in added["metrics"].items() if "run.test_pairs" in k]
    fits = asked.pattern("message-passing") is not None
    tap.ok(len(pairs) == fits, name + ": it is asked who was first", pairs)
    added["metrics"] = {k: v for k, v in added["metrics"].items() if "run.test_pairs" not in k}
    tap.empty(unlike(essence(stock), added), name + ": asking who was first changes nothing else")


def main():
    for path in product.all_traces():
        tap.guarded(os.path.basename(path), test_trace, path)
    with tempfile.TemporaryDirectory() as folder:
        together(folder)
        for path in product.some(product.all_traces(), 3):
            tap.guarded(os.path.basename(path), test_together, path, folder)
    seed = int(os.environ.get("MARPLE_SEED", "20"))
    with tempfile.TemporaryDirectory() as folder:
        for i, shape in enumerate(FARMS):
            tap.guarded("farm %d" % (seed + i), test_farm, seed + i, folder, shape)
        examples = [e for e in library.read_library()[0] if e.kind == "fires"]
        for example in product.some(examples, 3):
            tap.guarded(str(example), test_example, example, folder)
        for name in SLOWED:
            tap.guarded(name, test_slowed, name, folder)
        tap.guarded("order of knowledge", test_order_of_knowledge, folder)
    tap.done()


main()

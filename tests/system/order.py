"""marple order: what is known of real traces, and that no answer depends on a clock."""

import json
import os
import random
import shutil
import tempfile

from jsonschema import Draft202012Validator

import product

tap = product.Tap()

# Receives of which it is known that they take whatever comes first.
RACES = {
    "mandel-mw-np4": ("0", 2, 401),
    "mandel-mw-np8": ("0", 2, 401),
    "mandel-mw-slowworker-np8": ("0", 2, 401),
    "mandel-mw-masterslow-np8": ("0", 2, 401),
    "mandel-mw-coarse-np8": ("0", 2, 17),
    "scorep-mw8": ("0", 1, 207),
}
UNLIKELY = ("oddeven-", "npb-", "scorep-halo", "pipeline-")
# Keys whose values are times.
TIMED = ("time_s", "clock", "trace", "note")
PAIRS = 12 if product.IS_FULL else 4


def ask(*words):
    answer = product.run("order", *words, "--format", "json")
    if answer.status != 0:
        raise RuntimeError(str(answer))
    return product.parse(answer.out)


def without_times(value):
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if k not in TIMED}
    if isinstance(value, list):
        return [without_times(v) for v in value]
    return value


def likely(path):
    return [r for r in ask("races", path)["races"] if r["verdict"] == "likely"]


def test_races(name):
    path = product.shared_trace(name)
    if path is None:
        return
    location, tag, count = RACES[name]
    found = [(r["location"], r["tag"], r["count"]) for r in likely(path)]
    tap.ok(found == [(location, tag, count)], "%s: likely races" % name, found)


def test_unlikely(path):
    name = os.path.basename(path)
    tap.ok(likely(path) == [], name + ": no likely race")


def questions(path):
    """Records by address, drawn from a seed, and what is asked about them."""
    draw = random.Random(7)
    last = {}
    for run in product.parse(product.run("check", "--format", "json", path).out)["runs"]:
        for label in [str(rank) for rank in range(run["processes"])]:
            answer = product.run("order", "past", path, label + "#4000000000")
            if " to %s#" % label in answer.complaint:
                last[label] = int(answer.complaint.split(" to %s#" % label)[1].split()[0])
    labels = sorted(last)
    for _ in range(PAIRS):
        a, b = ("%s#%d" % (l, draw.randint(1, last[l])) for l in draw.sample(labels, 2))
        yield ["between", path, a, b]
        yield ["past", path, a]
        yield ["future", path, b]
    yield ["races", path]
    yield ["sizes", path, "--max-cluster", "3..4"]


def timed_questions(path):
    """Their answers depend on clocks."""
    return [["origin", path], ["origin", path, "f1"], ["path", path]]


def test_clock_free(path, copy):
    name = os.path.basename(path)
    different = []
    for words in questions(path):
        usual = without_times(ask(*words))
        others = [ask(*words, "--clock", "none"), ask(*words, "--clock", "messages")]
        if copy is not None:
            others.append(ask(words[0], copy, *words[2:]))
        different += [" ".join(words) for other in others if without_times(other) != usual]
    tap.empty(different, name + ": the same answers from other clocks")


def test_shifted(seed, scratch):
    """The same run by clocks of which each is wrong by as much as you like."""
    draw = random.Random(seed)
    path = os.path.join(scratch, "shifted.trace")
    text, _, _, n = wave(seed)
    asked = [["between", "%d#%d" % (r, draw.randint(1, 60)), "%d#%d" % (q, draw.randint(1, 60))]
             for r, q in (draw.sample(range(n), 2) for _ in range(PAIRS))]
    asked += [[verb, "%d#%d" % (draw.randrange(n), draw.randint(1, 60))] for verb in ("past", "future")]
    asked += [["races"], ["sizes", "--max-cluster", "3..4"]]
    answers = []
    for shift_us in (0, 5, 40000, 900000000):
        clocks = "".join("clock %d %+dus\n" % (r, draw.randint(-shift_us, shift_us)) for r in range(n))
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("\n", "\n" + clocks, 1) if shift_us > 0 else text)
        answers += [[without_times(ask(words[0], path, *words[1:], "--clock", clock)) for words in asked]
                    for clock in ("auto", "none")]
    tap.ok(all(a == answers[0] for a in answers), "seed %d: the same answers from shifted clocks" % seed, answers)


def test_broken(path):
    name = os.path.basename(path)
    check = product.run("check", path)
    order = product.run("order", "races", path)
    tap.ok(order.status == check.status, name + ": can be asked if and only if it can be checked", order)


def test_calls(path):
    """The calls of a critical path are named as the other questions take them."""
    wrong = []
    calls = ask("path", path)["path"]["calls"]
    for call in calls:
        spot = ask("past", path, call["address"])["a"]
        length_s = spot["end"]["time_s"] - spot["begin"]["time_s"]
        is_there = spot["begin"]["location"] == call["location"] and call["region"] in (None, spot["begin"]["region"])
        # A stretch lies between two records: what is behind it is its begin.
        if not is_there or abs(length_s) < call["path_s"] - 1e-9:
            wrong.append("%s: %s" % (call, spot))
    tap.ok(calls != [] and wrong == [], os.path.basename(path) + ": calls of the path can be asked about", wrong)


def wave(seed):
    """A chain in which neighbours exchange messages after each step, as text; one rank is late once, by
    so much that nothing else matters. Who waits then, and when, follows from the drawing."""
    draw = random.Random(seed)
    n, n_steps = draw.randint(5, 10), 24
    late, step = draw.randrange(n), draw.randint(3, 9)
    times, lines = [0.0] * n, [[] for _ in range(n)]
    for k in range(n_steps):
        done = [t + draw.uniform(95, 105) + (1200 if (r, k) == (late, step) else 0) for r, t in enumerate(times)]
        for r in range(n):
            near = [q for q in (r - 1, r + 1) if 0 <= q < n]
            at, words = done[r], ["compute %.3f..%.3f" % (times[r], done[r])]
            for verb, link in (("irecv", "from"), ("isend", "to")):
                for q in near:
                    words.append("%s %.3f..%.3f %s %d as %s%d" % (verb, at, at + 1, link, q, verb[1], q))
                    at += 1
            end = max([at] + [done[q] + 4 for q in near]) + 1
            words.append("waitall %.3f..%.3f for %s" % (at, end, " ".join("%s%d" % (v, q) for v in "rs" for q in near)))
            times[r] = end
            lines[r] += words
    text = "# us.\n" + "".join("rank %d: %s\n" % (r, "\n    ".join(w)) for r, w in enumerate(lines))
    return text, late, step, n


def test_wave(seed, scratch):
    path = os.path.join(scratch, "wave.trace")
    text, late, step, n = wave(seed)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    origins = ask("origin", path)["origins"]
    name = "a chain of %d, rank %d late in step %d" % (n, late, step)
    tap.ok([(o["location"], o["step"]) for o in origins] == [(str(late), step)], name, origins)
    reached = origins[0]["spread"]["reached"] if origins else []
    found = {int(r["location"]): r["hops"] for r in reached}
    tap.ok(found == {r: abs(r - late) for r in range(n) if r != late}, name + ": by one neighbour after the other", reached)
    # A neighbour goes on when it has what it waits for, and computes for 95 to 105 us until it sends.
    hops_per_s = origins[0]["spread"]["hops_per_s"] if origins else None
    tap.ok(hops_per_s is None or 1 / 115e-6 < hops_per_s < 1 / 95e-6, name + ": in a step each", hops_per_s)


def ring(n, n_steps):
    """All send to the next and receive from the one before, as text."""
    rank = "rank %d: %s\n"
    step = "compute %d..%d send %d..%d to %d recv %d..%d from %d"
    text = "# us.\n"
    for r in range(n):
        steps = [(t, t + 10, t + 10, t + 11, (r + 1) % n, t + 12, t + 20, (r - 1) % n) for t in range(0, 30 * n_steps, 30)]
        text += rank % (r, "\n    ".join(step % s for s in steps))
    return text


def test_sizes(scratch):
    """What is used is named, with the reason, whatever is asked."""
    path = os.path.join(scratch, "ring.trace")
    for n, kind in ((16, "vectors"), (24, "informed")):
        with open(path, "w", encoding="utf-8") as file:
            file.write(ring(n, 20))
        for words in ([], ["--kind", "static"], ["--max-cluster", "2..3"]):
            sizes = ask("sizes", path, *words)["sizes"]
            used = [(s["kind"], s["max_cluster"], s["why_used"] is not None) for s in sizes if s["is_used"]]
            name = "ring of %d: what is used is named%s" % (n, "".join(" " + w for w in words))
            tap.ok(used == [(kind, 8 if kind == "informed" else 0, True)], name, sizes)


# What is known of where the waiting begins; the grid of the stencil is 4 x 4.
ORIGINS = {
    "oddeven-slow5-np16": ("5", 7),
    "prk-stencil-slow6-np16": ("6", 0),
    "lulesh-slow3-np8": ("3", 0),
}
NO_ORIGIN = {"oddeven-np16": "none", "lulesh-np8": "not-known", "prk-stencil-np16": "not-known"}


def test_origin(name):
    path = product.shared_trace(name)
    if path is None:
        return
    answer = ask("origin", path)
    found = [(o["location"], o["step"]) for o in answer["origins"]]
    tap.ok(found == [ORIGINS[name]], name + ": where the waiting begins", found)
    for finding in ("f1",):
        of = [o["location"] for o in ask("origin", path, finding)["origins"]]
        tap.ok(of == [ORIGINS[name][0]], "%s: where that of %s begins" % (name, finding), of)
    if name == "prk-stencil-slow6-np16":
        reached = answer["origins"][0]["spread"]["reached"]
        rows = [abs(int(r["location"]) // 4 - 1) + abs(int(r["location"]) % 4 - 2) for r in reached]
        tap.ok(rows == sorted(rows) and len(rows) == 15, name + ": the nearest come first", rows)
        tap.ok(rows == [r["hops"] for r in reached], name + ": a hop for each neighbour on the way", reached)


def test_no_origin(name):
    path = product.shared_trace(name)
    if path is not None:
        answer = ask("origin", path)
        tap.ok(
            (answer["answer"], answer["origins"]) == (NO_ORIGIN[name], []),
            name + ": no origin",
            answer["answer"],
        )


def test_schema(traces):
    with open(os.path.join(product.top, "doc", "order.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    for path in traces:
        wrong = [
            "%s: %s" % (" ".join(words), e.message[:200])
            for words in list(questions(path)) + timed_questions(path)
            for e in validator.iter_errors(ask(*words))
        ]
        tap.empty(wrong, os.path.basename(path) + ": answers are valid")
    tap.ok(list(validator.iter_errors({"schema": "marple-order/1"})), "refused: no query")


def main():
    for name in RACES:
        tap.guarded(name, test_races, name)
    for path in product.all_traces():
        name = os.path.basename(path)
        if name.startswith("broken-"):
            tap.guarded(name, test_broken, path)
        elif name.startswith(UNLIKELY) or name == "scorep-mw":
            tap.guarded(name, test_unlikely, path)
    for name in ORIGINS:
        tap.guarded(name, test_origin, name)
    for name in NO_ORIGIN:
        tap.guarded(name, test_no_origin, name)
    scratch = tempfile.mkdtemp()
    for seed in range(20 if product.IS_FULL else 4):
        tap.guarded("wave", test_wave, seed, scratch)
    tap.guarded("sizes", test_sizes, scratch)
    for seed in range(8 if product.IS_FULL else 2):
        tap.guarded("shifted", test_shifted, seed, scratch)
    for name in ("scorep-mw", "oddeven-slow5-np16", "probe-thread-np4", "dcsort-slowleaf-np7"):
        path = product.shared_trace(name)
        if path is not None:
            tap.guarded(name, test_calls, path)
    skewed = ("scorep-mw-skew", "scorep-halo-skew", "scorep-colls-skew", "scorep-halo-omp-skew")
    for name in skewed + ("npb-lu-W-drift-np4", "pipeline-np4"):
        path = product.shared_trace(name)
        if path is None:
            continue
        copy = os.path.join(scratch, name)
        made = product.run("sync", path, "-o", copy)
        tap.ok(made.status == 0, name + ": there is a corrected copy", made)
        tap.guarded(name, test_clock_free, path, copy)
    shutil.rmtree(scratch)
    example = os.path.join(product.top, "examples", "traces", "mw-slow-master")
    tap.guarded("schema", test_schema, [example])
    tap.done()


main()

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


def test_broken(path):
    name = os.path.basename(path)
    check = product.run("check", path)
    order = product.run("order", "races", path)
    tap.ok(order.status == check.status, name + ": can be asked if and only if it can be checked", order)


def test_schema(traces):
    with open(os.path.join(product.top, "doc", "order.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    for path in traces:
        wrong = [
            "%s: %s" % (" ".join(words), e.message[:200])
            for words in questions(path)
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
    scratch = tempfile.mkdtemp()
    for name in ("scorep-mw-skew", "scorep-halo-skew", "npb-lu-W-drift-np4", "pipeline-np4"):
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

"""Every document validates; a schema that lets wrong documents pass would be worth nothing."""

import copy
import json
import os

from jsonschema import Draft202012Validator

import product

tap = product.Tap()


def load(name):
    with open(os.path.join(product.top, "doc", name), encoding="utf-8") as file:
        schema = json.load(file)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def faults(validator, document):
    return [
        "%s: %s" % ("/".join(str(p) for p in e.absolute_path), e.message[:200])
        for e in validator.iter_errors(document)
    ]


def refers_to_nothing(document):
    """What a schema cannot say: ids lead to something in the same document."""
    bad = []
    runs = {run["id"] for run in document["runs"]}
    findings = {f["id"] for f in document["findings"]}
    for finding in document["findings"]:
        bad += [f"{finding['id']} rests on {b}" for b in finding["because"] if b not in findings]
        bad += [f"{finding['id']} rests on itself" for b in finding["because"] if b == finding["id"]]
        if not finding["because"] and not finding["evidence"] and not finding["facts"]:
            bad.append(finding["id"] + " rests on nothing")
    for part in ("patterns", "rejected_patterns", "experiments", "metrics", "findings"):
        bad += [f"{part}: no run {x['run']}" for x in document[part] if x["run"] not in runs]
    if len(findings) != len(document["findings"]):
        bad.append("two findings have the same id")
    return bad


def test_trace(path, diagnosis, check, plan):
    name = os.path.basename(path)
    answer = product.run("diagnose", "--format", "json", path)
    document = product.parse(answer.out)
    tap.empty(faults(diagnosis, document), name + ": the diagnosis is valid")
    tap.empty(refers_to_nothing(document), name + ": ids lead somewhere, findings rest on something")
    is_unusable = document["verdict"] == "unusable"
    tap.ok((answer.status == 3) == is_unusable, name + ": status 3 if and only if unusable", answer)
    tap.ok(
        all((run["failure"] is not None) == is_unusable for run in document["runs"]),
        name + ": what cannot be used says why",
    )

    answer = product.run("plan", "--format", "json", path)
    if not is_unusable:
        planned = product.parse(answer.out)
        tap.empty(faults(plan, planned), name + ": the plan is valid")
        tap.ok(
            planned["experiments"] == [e for e in document["experiments"] if e["status"] == "needed"],
            name + ": the diagnosis has the experiments of the plan",
        )

    answer = product.run("check", "--format", "json", path)
    document = product.parse(answer.out)
    tap.empty(faults(check, document), name + ": the check is valid")
    tap.ok((answer.status == 3) != document["usable"], name + ": status 3 if and only if not usable")


def change(document, where, value):
    """A copy with one value replaced, or removed where the value is the word itself."""
    changed = copy.deepcopy(document)
    inner = changed
    for key in where[:-1]:
        inner = inner[key]
    if value is REMOVED:
        del inner[where[-1]]
    else:
        inner[where[-1]] = value
    return changed


REMOVED = object()

# Each must be refused: one for every kind of promise that the schema makes.
WRONG = [
    ("a verdict nobody knows", ["verdict"], "fine"),
    ("no summary", ["summary"], REMOVED),
    ("an empty summary", ["summary"], ""),
    ("a key nobody knows", ["mood"], "good"),
    ("another version", ["schema"], "marple-diagnosis/2"),
    ("no runs", ["runs"], []),
    ("a usable run without events", ["runs", 0, "events"], REMOVED),
    ("a negative count", ["runs", 0, "events"], -1),
    ("half an event", ["runs", 0, "events"], 0.5),
    ("a clock of an unknown source", ["runs", 0, "clock", "source"], "sundial"),
    ("a run without violations", ["runs", 0, "clock", "violations_after"], None),
    ("a location that is no label", ["findings", 0, "locations"], ["rank 3"]),
    ("a severity above 1", ["findings", 0, "severity"], 1.5),
    ("a negative loss", ["findings", 0, "lost_s"], -1),
    ("a finding of unknown kind", ["findings", 0, "kind"], "hunch"),
    ("an id that is none", ["findings", 0, "id"], "1"),
    ("a finding without text", ["findings", 0, "text"], None),
    ("a confidence that is unknown", ["findings", 0, "confidence"], None),
    ("a metric without unit", ["metrics", 0, "unit"], REMOVED),
    ("a metric that is text", ["metrics", 0, "value"], "much"),
    ("an experiment of unknown status", ["experiments", 0, "status"], "maybe"),
    ("an experiment that is answered and lacks something", ["experiments", 0, "missing"], "all"),
    ("a coverage above 1", ["patterns", 0, "coverage"], 1.01),
    ("a role without list", ["patterns", 0, "roles"], {"master": "0"}),
    ("seconds that are null", ["time", "lost_s"], None),
]


def test_wrong_documents(validator):
    path = os.path.join(product.top, "examples", "traces", "mw-slow-master")
    document = product.diagnose(path).document
    tap.empty(faults(validator, document), "the document that is to be spoilt is valid")
    for name, where, value in WRONG:
        tap.ok(faults(validator, change(document, where, value)), "refused: " + name)


def main():
    diagnosis = load("diagnosis.schema.json")
    check = load("check.schema.json")
    plan = load("plan.schema.json")
    shared = check.schema["$defs"]
    tap.ok(
        all(diagnosis.schema["$defs"][name] == shared[name] for name in shared),
        "both schemas describe runs in the same words",
    )
    tap.ok(
        diagnosis.schema["$defs"]["planned"] == plan.schema["$defs"]["planned"],
        "both schemas describe experiments in the same words",
    )
    tap.guarded("wrong documents", test_wrong_documents, diagnosis)
    for path in product.all_traces():
        tap.guarded(os.path.basename(path), test_trace, path, diagnosis, check, plan)
    tap.done()


main()

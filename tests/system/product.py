"""Runs marple, reads its answers, and prints results as TAP."""

import json
import math
import os
import subprocess
import sys

top = os.environ["top_srcdir"]
marple = os.environ["MARPLE"]
shared = os.environ.get("MARPLE_TRACES", "")
# configure names the folder beside the project, which need not be there.
if not os.path.isdir(shared):
    shared = ""

# No answer takes long; what takes longer hangs. Sanitizers and busy machines are slow, though.
TIME_LIMIT_S = 300


class Answer:
    """What one call of marple left: exit status, standard output, standard error."""

    def __init__(self, words):
        environment = {
            k: v for k, v in os.environ.items() if k not in ("MARPLE_DATA", "MARPLE_LOG")
        }
        done = subprocess.run(
            [marple, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIME_LIMIT_S,
            env=environment,
            check=False,
        )
        self.words = words
        self.status = done.returncode
        self.out = done.stdout.decode("utf-8")
        self.complaint = done.stderr.decode("utf-8", "replace")

    def __str__(self):
        return "marple %s ends with status %d\n%s" % (
            " ".join(self.words),
            self.status,
            self.complaint[-2000:],
        )


def run(*words):
    return Answer(list(words))


def not_a_number(word):
    raise ValueError("%s is not JSON" % word)


def parse(text):
    """JSON as the standard has it: Python alone would let NaN and Infinity pass."""
    return json.loads(text, parse_constant=not_a_number)


class Diagnosis:
    """A diagnosis in JSON, and ways to look into it."""

    def __init__(self, answer):
        if answer.status not in (0, 1):
            raise RuntimeError(str(answer))
        self.document = parse(answer.out)

    def __getitem__(self, key):
        return self.document[key]

    def pattern(self, name):
        """The chosen pattern of that name, or None."""
        for pattern in self["patterns"]:
            if pattern["name"] == name:
                return pattern
        return None

    def findings(self, name=None, kind=None):
        return [
            f
            for f in self["findings"]
            if name in (None, f["name"]) and kind in (None, f["kind"])
        ]

    def causes(self, name=None):
        return self.findings(name, "cause")

    def leading(self):
        """The cause that is shown first; an empty one when there is none."""
        causes = self.causes()
        return causes[0] if causes else {"name": None, "culprits": [], "severity": 0}

    def values(self, metric):
        """Label to value; the label of a number about the run is None."""
        return {m["location"]: m["value"] for m in self["metrics"] if m["name"] == metric}

    def value(self, metric):
        """The only value of a metric; NaN when it is unknown or was not asked for."""
        values = list(self.values(metric).values())
        return values[0] if len(values) == 1 and values[0] is not None else math.nan


def diagnose(path, *options):
    return Diagnosis(run("diagnose", "--format", "json", *options, path))


def shared_trace(name):
    """The path of a trace beside the project, or None where it is not there."""
    path = os.path.join(shared, name)
    return path if shared and os.path.isdir(path) else None


# Whether what takes long is tried, too.
IS_FULL = os.environ.get("MARPLE_TESTS") == "full"


def some(items, each):
    """All of them, or where there is little time one of so many."""
    return items if IS_FULL else items[::each]


def all_traces(with_broken=True):
    """Every trace that can be found: shipped ones, and those beside the project."""
    found = []
    for folder in (os.path.join(top, "examples", "traces"), shared):
        if not folder or not os.path.isdir(folder):
            continue
        for name in sorted(os.listdir(folder)):
            if os.path.isdir(os.path.join(folder, name)) and (
                with_broken or not name.startswith("broken-")
            ):
                found.append(os.path.join(folder, name))
    return found


class Tap:
    def __init__(self):
        self.n = 0
        self.n_failed = 0

    def ok(self, is_good, name, reason=""):
        self.n += 1
        self.n_failed += not is_good
        print("%sok %d - %s" % ("" if is_good else "not ", self.n, name))
        if not is_good and reason:
            self.remark(reason)
        sys.stdout.flush()

    def skip(self, name, reason):
        self.n += 1
        print("ok %d - %s # SKIP %s" % (self.n, name, reason))

    def remark(self, text):
        for line in str(text).rstrip().split("\n"):
            print("#   " + line)

    def empty(self, complaints, name):
        """Passes if there are no complaints; shows the first of them otherwise."""
        self.ok(not complaints, name, "\n".join(str(c) for c in complaints[:10]))

    def near(self, actual, expected, tolerance, name):
        is_good = actual is not None and abs(actual - expected) <= tolerance
        self.ok(
            is_good,
            name,
            "expected %.9g within %.3g, got %s" % (expected, tolerance, actual),
        )

    def guarded(self, name, test, *arguments):
        """A test that ends in an exception has failed, and the others go on."""
        try:
            test(*arguments)
        except Exception as error:  # pylint: disable=broad-except
            self.ok(False, name, "%s: %s" % (type(error).__name__, error))

    def done(self):
        """A script that has come to no test has failed."""
        if self.n == 0:
            self.ok(False, "there is something to test")
        print("1..%d" % self.n)
        sys.exit(0)

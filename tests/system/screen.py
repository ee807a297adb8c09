"""One screen: it has room on a terminal, and says how far it can be relied on in one word."""

import os
import re

import product

tap = product.Tap()

LINES = 30
COLUMNS = 80
CERTAINTIES = ("sure", "likely", "doubtful")

FIRST = re.compile(r"^((NO )?PROBLEM, (%s)|INCONCLUSIVE|UNUSABLE): \S" % "|".join(CERTAINTIES))
CAUSE = re.compile(r"^[1-9]\. \S+ \(f\d+(, r\d+)?\), (%s)(: |$)" % "|".join(CERTAINTIES))
# What only says the same in other words.
ELSEWHERE = re.compile(r"confiden|do not rely|with care|trust")


def complaints_about(text):
    lines = text.split("\n")[:-1]
    if len(lines) > LINES:
        yield "%d lines" % len(lines)
    # A path has no place where it could be broken.
    for line in lines:
        if len(line) > COLUMNS and " " in line.strip() and "/" not in line:
            yield "%d columns: %s" % (len(line), line)
    if not FIRST.match(text):
        yield "no verdict with its certainty: %s" % lines[:1]
    for line in lines:
        if re.match(r"^[1-9]\. ", line) and not CAUSE.match(line):
            yield "a cause without its certainty: %s" % line
        if ELSEWHERE.search(line):
            yield "certainty in other words: %s" % line


def complaints_about_causes(text):
    """Each cause says what is wrong."""
    for cause in re.split(r"^[1-9]\. ", text, flags=re.MULTILINE)[1:]:
        if "\n   what   " not in cause.split("\n\n")[0]:
            yield "nothing is wrong: %s" % cause
    if not text.startswith("UNUSABLE"):
        for label in ("  efficiency ", "\nUnexplained   ", "\nMeasure next  ", "\nMore          --full"):
            if label not in text:
                yield "no %s" % label.strip()


def test_trace(path):
    name = os.path.basename(path)
    screen = product.run("diagnose", path)
    brief = product.run("diagnose", "--brief", path)
    full = product.run("diagnose", "--full", path)
    tap.empty(list(complaints_about(screen.out)) + list(complaints_about_causes(screen.out)), name + ": one screen")
    tap.ok(
        brief.out.count("\n") == 2 and FIRST.match(brief.out) is not None,
        name + ": two lines",
        brief.out,
    )
    tap.ok(
        brief.out.split(":")[0] == screen.out.split(":")[0],
        name + ": both have the same verdict",
        brief.out,
    )
    is_known = not screen.out.startswith("UNUSABLE")
    tap.ok(len(full.out) > len(screen.out) or not is_known, name + ": --full says more", full.out)
    tap.ok("confidence" not in full.out and "do not rely" not in full.out, name + ": in the same words", full.out)
    statuses = {screen.status, brief.status, full.status}
    tap.ok(len(statuses) == 1, name + ": all end with the same status", statuses)


def test_sets(paths):
    """Several runs have a row each, and still fit."""
    screen = product.run("diagnose", *paths).out
    tap.empty(list(complaints_about(screen)), "several runs: one screen")
    tap.ok("\nRuns          %d runs" % len(paths) in screen, "several runs: they are counted", screen)


def test_options(path):
    for other in ("--full", "--verbose", "--top=3"):
        answer = product.run("diagnose", "--brief", other, path)
        tap.ok(
            answer.status == 2 and "cannot be asked together" in answer.complaint,
            "--brief and %s exclude each other" % other,
            answer,
        )
    for other in ("--verbose", "--top=3"):
        answer = product.run("diagnose", other, path)
        tap.ok("\nHow it was found\n" in answer.out, other + " implies --full", answer.out)
    plain = product.run("diagnose", path).out
    asked = product.run("diagnose", "--what-if", "network*0", path).out
    tap.ok(
        asked.startswith(plain) and "\nWhat if\n" in asked,
        "answers to --what-if stand below the screen",
        asked,
    )
    wide = product.run("diagnose", "--width", "120", path).out
    narrow = product.run("diagnose", "--width", "50", path).out
    tap.ok(max(len(line) for line in wide.split("\n")) > COLUMNS, "--width makes it wider", wide)
    tap.ok(max(len(line) for line in narrow.split("\n")) <= 50, "and narrower", narrow)


for trace in product.all_traces():
    tap.guarded(os.path.basename(trace), test_trace, trace)
examples = os.path.join(product.top, "examples", "traces")
test_sets([os.path.join(examples, name) for name in ("mw-healthy", "mw-slow-master", "farm-slow-member")])
test_options(os.path.join(examples, "mw-slow-master"))
tap.done()

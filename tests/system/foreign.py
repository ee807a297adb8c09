"""Names in traces, paths, patterns and rules come from anybody: shown on a terminal, they neither move the
cursor nor add a line of their own."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

import product

tap = product.Tap()

# Clears a screen, ends a line, is no UTF-8, is an eight-bit CSI, turns the direction of writing.
EVIL = b"e\x1b[2J\nADDED\x01\xff\xc2\x9b2J\xe2\x80\xae!x"
NAME = b"NAME_THAT_BECOMES_EVIL"[: len(EVIL)]
assert len(NAME) == len(EVIL)

# What moves cursors or is no text; tabs and line ends are judged apart.
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def complaints_about(output):
    try:
        text = output.decode("utf-8")
    except UnicodeDecodeError as error:
        return ["not UTF-8: %r" % output[error.start - 30 : error.end]]
    bad = ["control character in %r" % line for line in text.split("\n") if CONTROL.search(line)]
    return bad + ["a line of its own: %r" % x for x in text.split("\n") if x.startswith("ADDED")]


def call(*words):
    done = subprocess.run(
        [os.fsencode(product.marple), *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=product.TIME_LIMIT_S,
        check=False,
    )
    bad = complaints_about(done.stdout) + complaints_about(done.stderr)
    if done.returncode not in (0, 1, 2, 3):
        bad.append("status %d" % done.returncode)
    return done, bad


def shown(name, *words, status=None):
    """The call prints what is evil, but tamed."""
    done, bad = call(*words)
    if status is not None and done.returncode != status:
        bad.append("status %d: %r" % (done.returncode, done.stderr[-300:]))
    if b"ADDED" not in done.stdout + done.stderr:
        bad.append("the text is not shown at all: %r" % (done.stdout + done.stderr)[:300])
    tap.empty(bad, name)


def evil_copy(source, target):
    """A copy of a folder in whose files the name is evil."""
    shutil.copytree(source, target)
    for folder, _, files in os.walk(target):
        for file in files:
            path = os.path.join(folder, file)
            with open(path, "rb") as stream:
                data = stream.read()
            with open(path, "wb") as stream:
                stream.write(data.replace(NAME, EVIL))


def make_trace(scratch):
    with open(os.path.join(product.top, "tests/traces/slow-master.trace"), "rb") as stream:
        text = stream.read()
    text = re.sub(rb"compute (\d+\.\.\d+)", rb"compute \1 in " + NAME, text)
    plain = os.path.join(scratch, b"plain")
    with open(plain + b".trace", "wb") as stream:
        stream.write(text)
    done, _ = call(b"convert", plain + b".trace", plain)
    assert done.returncode == 0, done.stderr
    evil = os.path.join(scratch, EVIL)
    evil_copy(plain, evil)
    return evil


# Rules are refused for most control characters; these are left.
EVIL_TEXT = b"ADDED \nADDED \xc2\x9b2J\xe2\x80\xae!x"

RULES = b"""
(defrule evil-rule "%s"
  (pattern (name "master-worker") (run ?run))
  =>
  (assert (finding (kind cause) (name evil) (pattern "master-worker") (run ?run) (lost 1.0)
    (confidence 0.9) (text "%s") (remedy "%s"))))
""" % (EVIL_TEXT, EVIL_TEXT, EVIL_TEXT)

PATTERN = b"""pattern: evil
says: "ADDED %s"
roles:
  one: {count: 1, where: "peers >= 2"}
"""


def make_knowledge(scratch, escaped):
    folder = os.path.join(scratch, b"know " + EVIL)
    os.makedirs(os.path.join(folder, b"rules"))
    os.makedirs(os.path.join(folder, b"patterns"))
    with open(os.path.join(folder, b"rules", b"evil.clp"), "wb") as stream:
        stream.write(RULES)
    with open(os.path.join(folder, b"patterns", b"evil.yaml"), "wb") as stream:
        stream.write(PATTERN % escaped)
    return folder


def test_traces(trace):
    for words in (
        ["diagnose"],
        ["diagnose", "-v"],
        ["check"],
    ):
        shown(" ".join(words) + ": a function and a directory", *map(os.fsencode, words), trace)
    for words in (
        ["plan"],
        ["plan", "--explain"],
        ["plan", "--format", "yaml"],
        ["diagnose", "--why", "f1"],
        ["diagnose", "--why-not", "slow-worker"],
    ):
        _, bad = call(*map(os.fsencode, words), trace)
        tap.empty(bad, " ".join(words))
    # A document carries the name as it is; jansson escapes what JSON does not take.
    done, _ = call(b"diagnose", b"--format", b"json", trace)
    regions = [w["region"] for f in product.parse(done.stdout.decode())["findings"] for w in f["where"]]
    tap.ok(any("e\x1b[2J\nADDED" in r for r in regions), "JSON keeps the name", str(regions))


def test_paths(scratch, trace):
    missing = os.path.join(scratch, b"not there " + EVIL)
    for words in (
        [b"diagnose", missing],
        [b"check", missing],
        [b"plan", missing],
        [b"sync", missing, b"-o", missing],
        [b"convert", missing, missing],
        [b"run", b"-o", missing + b"/x/y", b"--", missing],
        [b"diagnose", b"--knowledge", missing, trace],
        [b"diagnose", b"--" + EVIL],
        [b"diagnose", b"--pattern", EVIL, trace],
        [b"diagnose", b"--why", EVIL, trace],
        [b"diagnose", b"--why-not", EVIL, trace],
        [b"diagnose", b"--what-if", EVIL, trace],
        [b"pattern", b"show", EVIL],
        [b"pattern", b"lint", missing],
        [b"rule", b"lint", missing],
        [b"vocab", EVIL],
        [b"help", EVIL],
        [EVIL],
    ):
        said = " ".join(w.decode() for w in words if EVIL not in w)
        shown("complaint: %s and what is evil" % said, *words)


def test_knowledge(scratch, trace):
    escaped = b"\\x1b[2J\\nADDED\\x01\\x9b2J\\u202ex"
    knowledge = make_knowledge(scratch, escaped)
    for words in (
        [b"diagnose", b"--top", b"9", trace],
        [b"diagnose", b"--why", b"evil", trace],
        [b"pattern", b"list"],
        [b"pattern", b"show", b"evil"],
        [b"rule", b"list"],
        [b"plan", b"--explain", trace],
    ):
        done, bad = call(words[0], b"--knowledge", knowledge, *words[1:])
        if done.returncode > 1:
            bad.append(done.stderr)
        tap.empty(bad, "knowledge: " + " ".join(w.decode() for w in words if w != trace))
    for kind in (b"patterns", b"rules"):
        word = b"pattern" if kind == b"patterns" else b"rule"
        for verb in (b"lint", b"test"):
            _, bad = call(word, verb, os.path.join(knowledge, kind))
            tap.empty(bad, "%s %s" % (word.decode(), verb.decode()))


def main():
    scratch = os.fsencode(tempfile.mkdtemp())
    try:
        trace = make_trace(scratch)
        test_traces(trace)
        test_paths(scratch, trace)
        test_knowledge(scratch, trace)
    finally:
        shutil.rmtree(scratch)
    return tap.done()


sys.exit(main())

"""
The stock patterns against each other: every example of every pattern is diagnosed with all
patterns loaded, as a user would. A firing example must show its own pattern; no example may show
a pattern of somebody else, unless the table below says in words why it is one.
"""

import glob
import os
import re
import tempfile

import product

tap = product.Tap()

# Every run is one of these: it is what is said where nothing more specific fits.
ALWAYS = {"message-passing"}

# (pattern that owns the example, how its title begins, pattern that is chosen) -> why that is right.
REASONS = {
    ("pipeline", "One process hands out items", "wavefront"): "The messages are those of a sweep "
    "over 2 x 2 processes from one corner to the other; task-farm asks for three workers for that.",
    ("pipeline", "A ring; everybody", "systolic-ring"): "That is what it is.",
    ("wavefront", "A halo exchange", "geometric-decomposition"): "That is what it is.",
    ("wavefront", "Neighbours exchange", "geometric-decomposition"): "That is what it is, in a "
    "bad order: a wavefront comes of it by accident, not by what is computed.",
}


class Example:
    """One trace below "examples" of a pattern file."""

    def __init__(self, pattern, kind, says):
        self.pattern = pattern
        self.kind = kind
        self.says = says
        self.lines = []

    def __str__(self):
        return "%s, %s: %s" % (self.pattern, self.kind, self.says)


def unquote(text):
    return text[1:-1] if text[:1] == '"' else text


def read_pattern(path):
    """
    The examples of a pattern file, and at last its name and base (None without one).

    This is no YAML reader: the stock is written in one way, and test_all_are_read() shows when it
    is not.
    """
    name, base, kind, example = None, None, None, None
    for line in open(path, encoding="utf-8"):
        words = line.strip()
        depth = len(line) - len(line.lstrip(" "))
        if depth == 0:
            found = re.match(r"(pattern|extends): *(\S+)", line)
            name = found.group(2) if found and found.group(1) == "pattern" else name
            base = found.group(2) if found and found.group(1) == "extends" else base
            example = None if words else example
            kind = None if words else kind
        elif depth == 2 and words in ("fires:", "quiet:"):
            kind, example = words[:-1], None
        elif kind and depth == 4 and words.startswith("- says: "):
            example = Example(name, kind, unquote(words[8:]))
            yield example
        elif example and depth >= 8:
            example.lines.append(line[8:])
    yield (name, base)


def read_library():
    examples, bases = [], {}
    for path in sorted(glob.glob(os.path.join(product.top, "patterns", "*.yaml"))):
        if os.path.basename(path) == "TEMPLATE.yaml":
            continue
        *found, (name, base) = read_pattern(path)
        examples += found
        bases[name] = base
    return examples, bases


def is_kin(one, other, bases):
    """Whether one of two patterns extends the other, perhaps by way of a third one."""

    def line(name):
        while name is not None:
            yield name
            name = bases.get(name)

    return one in line(other) or other in line(one)


def chosen(example, folder):
    """What is chosen somewhere in the run, the fallback aside."""
    path = os.path.join(folder, "example.trace")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(example.lines)
    answer = product.run("diagnose", "--format", "json", "--no-user-knowledge", path)
    if answer.status == 3 and product.parse(answer.out)["verdict"] == "unusable":
        return set()
    return {p["name"] for p in product.Diagnosis(answer)["patterns"]}


def allowed(example, bases):
    """Own pattern or, of a near miss, those that its title names; and kin of these."""
    own = {example.pattern} if example.kind == "fires" else {p for p in bases if p in example.says}
    own |= {
        to
        for (pattern, title, to) in REASONS
        if pattern == example.pattern and example.says.startswith(title)
    }
    return {p for p in bases for o in own if is_kin(p, o, bases)}


def test_example(example, folder, bases):
    names = chosen(example, folder)
    may_be = allowed(example, bases)
    bad = ["%s is chosen" % name for name in sorted(names - may_be - ALWAYS)]
    if example.kind == "fires" and example.pattern not in names:
        bad.append("it is not chosen, but %s" % sorted(names))
    if example.kind == "quiet" and example.pattern in names:
        bad.append("it is chosen")
    # A near miss whose title names what it is instead shows that.
    if example.kind == "quiet" and may_be and not names & may_be:
        bad.append("none of %s is chosen" % sorted(may_be))
    tap.empty(bad, str(example))


def test_all_are_read(examples, bases):
    answer = product.run("pattern", "test", "--no-user-knowledge").out
    counts = dict(re.findall(r"^(\S+): (\d+) examples?$", answer, re.MULTILINE))
    bad = []
    for name in sorted(bases):
        n = sum(example.pattern == name for example in examples)
        if counts.get(name) != str(n):
            bad.append("%s: %d read here, %s by marple" % (name, n, counts.get(name)))
        for kind in ("fires", "quiet"):
            if not any(e.pattern == name and e.kind == kind for e in examples):
                bad.append("%s has no example below %s" % (name, kind))
    tap.empty(bad, "all examples are read, and every pattern has both kinds")


def main():
    examples, bases = read_library()
    tap.guarded("reading", test_all_are_read, examples, bases)
    with tempfile.TemporaryDirectory() as folder:
        for example in product.some(examples, 3):
            tap.guarded(str(example), test_example, example, folder, bases)
    tap.done()


if __name__ == "__main__":
    main()

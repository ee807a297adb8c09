"""
Stock patterns and rules with mistakes in them: whatever is written, the loaders neither crash nor
refuse it without saying where.

MARPLE_SEED and MARPLE_ROUNDS (mutations of each file) make it run other and more ones.
"""

import glob
import os
import random
import re
import tempfile

import product

tap = product.Tap()

PIECES = {
    ".yaml": (": ", "- ", "[", "]", "{", "}", ", ", '"', "'", "|\n", "#", "\n", "\t", "  ", "\\", "(", ")",
              "extends: pipeline\n", "event: compute", "max(", "all.", "1e999", "-1", "0 s", "*", "+", "?"),
    ".clp": ("(", ")", '"', ";", "?", "$?", "&", ":", "~", "=>", "<-", "(test", "(not ", "(or ", "\\",
             "1e999", "-1", "?r", "(defrule MAIN::x ", "(deftemplate ", "MAIN::", "\n", "(bind ?x "),
}


def mutated(text, chance, pieces):
    """One to four mistakes: something left out, doubled, put elsewhere, or strewn in."""
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(text) + 1)
        n = chance.choice((1, 1, 3, 20, 200))
        kind = chance.randrange(5)
        if kind == 0:
            text = text[:at] + text[at + n :]
        elif kind == 1:
            text = text[:at] + text[at : at + n] + text[at:]
        elif kind == 2:
            to = chance.randrange(len(text) + 1)
            text = text[:to] + text[at : at + n] + text[to:]
        elif kind == 3:
            text = text[:at] + chance.choice(pieces) + text[at:]
        else:
            text = text[:at] + chr(chance.choice((0, 1, 9, 13, 0x7F, 0xE9, 0x2028))) + text[at + 1 :]
    return text


def complaint_of(path, word):
    """What is wrong with the answer to a file; None where nothing is."""
    folder = os.path.dirname(path)
    answer = product.run(word, "lint", "--no-user-knowledge", "--knowledge", folder)
    if answer.status not in (0, 1, 3):
        return str(answer)
    said = answer.out + answer.complaint
    if answer.status != 0 and not re.search(r"^\S+:\d+(:\d+)?: (error: )?\S", said, re.MULTILINE):
        return "refused without a place\n%s" % answer
    return None


def test_file(path, rounds, seed, folder):
    name = os.path.basename(path)
    ending = os.path.splitext(name)[1]
    chance = random.Random("%s %s" % (seed, name))
    with open(path, encoding="utf-8") as file:
        text = file.read()
    copy = os.path.join(folder, name)
    bad = []
    for i in range(rounds):
        with open(copy, "w", encoding="utf-8", newline="") as file:
            file.write(mutated(text, chance, PIECES[ending]))
        complaint = complaint_of(copy, "pattern" if ending == ".yaml" else "rule")
        if complaint:
            bad.append("mutation %d: %s" % (i, complaint))
    os.remove(copy)
    tap.empty(bad, "%s: %d mutations, seed %s" % (name, rounds, seed))


def main():
    seed = os.environ.get("MARPLE_SEED", "1")
    usual = "4" if product.IS_FULL else "1"
    rounds = int(os.environ.get("MARPLE_ROUNDS", usual))
    files = sorted(glob.glob(os.path.join(product.top, "patterns", "*.yaml")))
    files += sorted(glob.glob(os.path.join(product.top, "rules", "*.clp")))
    with tempfile.TemporaryDirectory() as folder:
        for path in files:
            tap.guarded(os.path.basename(path), test_file, path, rounds, seed, folder)
    tap.done()


main()

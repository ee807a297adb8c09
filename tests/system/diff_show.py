"""marple diff --show: text and JSON say the same."""

import json
import os
import re
import tempfile

from jsonschema import Draft202012Validator

import product
import programs

tap = product.Tap()
TRACES = os.path.join(product.top, "tests", "traces")
EXAMPLES = os.path.join(product.top, "examples", "traces")


class Pair:
    """Two runs, and what is shown of them in both formats."""

    def __init__(self, name, base, new):
        self.name = name
        self.runs = (base, new)

    def ask(self, what, *options):
        """What is shown, as lines of text and as a document; what the schema says against it is a failure."""
        show = ["diff", "--show", *what.split(), *options]
        text = product.run(*show, *self.runs)
        document = product.run(*show, "--format", "json", *self.runs)
        if text.status != 0 or document.status != 0:
            raise RuntimeError("%s\n%s" % (text, document))
        answer = product.parse(document.out)
        wrong = [e.message[:200] for e in VALIDATOR.iter_errors(answer)]
        tap.ok(not wrong, "%s: --show %s follows its schema" % (self.name, what), wrong)
        return text.out.splitlines(), answer


def read_schema():
    with open(os.path.join(product.top, "doc", "diff-show.schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


VALIDATOR = read_schema()


def unwrap(lines):
    """Lines that are continued (deep indentation) become one."""
    result = []
    for line in lines:
        if re.match(r" {3,}\S", line) and not re.match(r" {3,}(base|new|both) ", line) and result:
            result[-1] += " " + line.strip()
        else:
            result.append(line.rstrip())
    return result


def items_of(text):
    return [] if text.strip() == "-" else text.split()


def check_nlr(pair):
    lines, document = pair.ask("nlr")
    sequences, loops, label = {}, {}, None
    for line in unwrap(lines):
        row = re.match(r"(\S*)\s+(base|new) +(.*)", line)
        loop = re.match(r"(L\d+) = (.*)", line)
        if loop:
            loops[loop[1]] = items_of(loop[2])
        elif row:
            label = row[1] or label
            sequences[label, row[2]] = items_of(row[3])
    expected = {(s["location"], side): s[side] for s in document["sequences"] for side in ("base", "new")}
    tap.ok(sequences == expected, pair.name + ": nlr: the same sequences", (sequences, expected))
    tap.ok(loops == document["loops"], pair.name + ": nlr: the same loops", (loops, document["loops"]))


def check_context(pair):
    lines, document = pair.ask("context", "--attributes", "doub.actual")
    expected = [
        {label: sorted(g["attributes"]) for g in document[key] for label in g["locations"]}
        for key in ("base_context", "new_context")
    ]
    seen, labels = [], None
    for line in lines:
        row = re.match(r" {5}((?: +[x.])+)  (\S.*)", line)
        if line.startswith("formal context"):
            seen.append({})
        elif row:
            for label, mark in zip(labels, row[1].split()):
                seen[-1].setdefault(label, [])
                seen[-1][label] += [row[2]] if mark == "x" else []
        elif line.startswith("     "):
            labels = line.split()
    seen = [{label: sorted(a) for label, a in side.items()} for side in seen]
    tap.ok(seen == expected, pair.name + ": context: who has which attribute", (seen, expected))


def labels_of(text):
    """Of "0, 2, 5 to 7"."""
    result = []
    for part in filter(None, text.split(", ")):
        first, _, last = part.partition(" to ")
        result += [str(r) for r in range(int(first), int(last or first) + 1)]
    return result


def check_lattice(pair):
    lines, document = pair.ask("lattice")
    for side in ("base", "new"):
        concepts, edges = [], set()
        for line in lines:
            concept = re.match(r" +%s\d+ \[label=\"(.*)\"\];" % side, line)
            edge = re.match(r" +%s(\d+) -> %s(\d+);" % (side, side), line)
            if concept:
                words = concept[1].split("\\n")
                concepts.append((words[:-1], labels_of(words[-1].strip("[]"))))
            elif edge:
                edges.add((int(edge[1]), int(edge[2])))
        listed = document[side + "_lattice"]["concepts"]
        expected = [(c["attributes"], c["locations"]) for c in listed]
        tap.ok(concepts == expected, "%s: lattice of %s: the same concepts" % (pair.name, side), (concepts, expected))
        expected = {(p, i) for i, c in enumerate(listed) for p in c["parents"]}
        tap.ok(edges == expected, "%s: lattice of %s: the same edges" % (pair.name, side), (edges, expected))


def spread(matrix, labels):
    """The matrix of all locations."""
    at = {label: i for i, group in enumerate(matrix["groups"]) for label in group}
    return [["%.3f" % matrix["matrix"][at[a]][at[b]] for b in labels] for a in labels]


def check_jsm(pair):
    lines, document = pair.ask("jsm")
    keys = {"JSM(base)": "base_similarity", "JSM(new)": "new_similarity", "JSM_D": "changed_similarity"}
    key, labels, seen, sums = None, None, {}, {}
    for line in lines:
        words = line.split()
        if line.startswith("sums of"):
            key = "sums"
        elif line.startswith("pairs"):
            key = None
        elif line.startswith("JSM"):
            key = keys[words[0].rstrip(",")]
            seen[key] = []
        elif key == "sums" and re.match(r"\d\S* +[\d.]+$", line):
            sums[words[0]] = words[1]
        elif key and key != "sums" and line.startswith("     "):
            labels = words
        elif key and "|" in line:
            seen[key].append(line.partition("|")[0].split()[1:])
    for name, matrix in seen.items():
        expected = spread(document[name], labels)
        tap.ok(matrix == expected, "%s: %s: the same numbers" % (pair.name, name), (matrix, expected))
    changed = document["changed_similarity"]
    expected = {label: "%.4f" % s for group, s in zip(changed["groups"], changed["row_sums"]) for label in group}
    tap.ok(sums == expected and len(sums) > 0, pair.name + ": jsm: the same sums of rows", (sums, expected))


def check_ranking(pair):
    lines, document = pair.ask("ranking", "--top", "1000")
    text = " ".join(lines)
    votes = [v for v in document["votes"] if v["votes"] > 0]
    first = max(votes, key=lambda v: v["votes"])
    tap.ok(
        "Changed most: %s in %.3g" % (first["location"], first["votes"]) in text
        and "of %d configuration" % document["telling"] in text,
        pair.name + ": ranking: who changed most",
        (lines[:3], first),
    )
    at, missed = 0, []
    for line in lines:
        row = re.match(r"(\S+)  +(\S+) +(\S+) +(\d+) +(\S+)  (.{10})  (.*)", line)
        more = re.match(r"  and (\d+) more with this", line)
        if more:
            at += int(more[1])
        if row and row[1] != "Filter":
            entry = document["rows"][at]
            score = "-" if entry["b_score"] is None else "%.6f" % entry["b_score"]
            suspects = (row[6] + " " + row[7]).replace("-", "").split()
            said = [entry["filter"], entry["attributes"], entry["linkage"], str(entry["clusters"]), score, entry["suspects"]]
            if said != [*row.groups()[:5], suspects]:
                missed.append((line, said))
            at += 1
    tap.ok(at == len(document["rows"]) > 0 and not missed, pair.name + ": ranking: the same rows", missed[:2])
    _, candidates = pair.ask("candidates")
    tap.ok(
        all(r["members"] is None or len(r["members"]) == r["clusters"] for r in candidates["rows"]),
        pair.name + ": candidates: as many clusters as asked for",
    )


def unfold(items, loops):
    """All calls, without "MPI_"."""
    result = []
    for item in items:
        name, _, times = item.rpartition("^")
        body = loops[name] if times and name in loops else None
        result += [item.replace("MPI_", "", 1)] if body is None else unfold(body, loops) * int(times)
    return result


def words_of(text):
    """Items of a row: blanks inside of brackets do not part them."""
    return re.findall(r"[^\s(]+(?:\([^)]*\))?", text)


def check_align(pair, label, *options):
    lines, document = pair.ask("align " + label, *options)
    rows, bodies, loop = {"base": [], "new": []}, {}, None
    for line in lines[1:]:
        row = re.match(r" {7}(base|new|both)  +(.*)", line)
        body = re.match(r" {9}([A-Z]\d*) = (.*)", line)
        if row:
            for side in rows if row[1] == "both" else [row[1]]:
                rows[side] += words_of(row[2])
        elif body:
            loop = body[1]
            bodies[loop] = body[2]
        elif loop and line.startswith(" " * 12):
            bodies[loop] += " " + line.strip()
    loops = {name: words_of(text) for name, text in bodies.items()}
    for side in rows:
        items = [i for b in document["blocks"] if b["side"] in ("both", side) for i in b["items"]]
        seen = unfold(rows[side], loops)
        tap.ok(
            seen == unfold(items, document["loops"]) and len(seen) > 0,
            "%s: align %s: the same calls in the %s" % (pair.name, label, side),
            (seen[:20], items[:20]),
        )
    tap.ok(
        document["differs"] == ("the same calls in both runs" not in lines[0]),
        "%s: align %s: whether it changes" % (pair.name, label),
        lines[0],
    )


def check(pair, labels):
    check_nlr(pair)
    check_context(pair)
    check_lattice(pair)
    check_jsm(pair)
    check_ranking(pair)
    for label in labels:
        check_align(pair, label)
        check_align(pair, label, "--no-loops")
        check_align(pair, label, "--symbols", "relative-peer,tag,bytes")


def main():
    swap = [os.path.join(EXAMPLES, name) for name in ("oddeven.trace", "oddeven-swap.trace")]
    tap.guarded("oddeven", check, Pair("oddeven", *swap), ["5", "0"])
    with tempfile.TemporaryDirectory() as folder:
        for name, make in sorted(programs.PROGRAMS.items()):
            base = make(6, 12)
            seed = next(s for s in range(1000) if (programs.fault(base, s) or " " * 4)[3] == "swap")
            faulty, rank, _, _ = programs.fault(base, seed)
            paths = []
            for suffix, program in (("base", base), ("new", faulty)):
                paths.append(os.path.join(folder, "%s-%s.trace" % (name, suffix)))
                with open(paths[-1], "w", encoding="utf-8") as file:
                    file.write(programs.trace(program))
            tap.guarded(name, check, Pair(name, *paths), [str(rank)])
    real = [os.path.join(product.shared, n) for n in ("oddeven-np16", "oddeven-swapBug-np16")]
    if all(os.path.isdir(path) for path in real):
        tap.guarded("swapBug", check, Pair("swapBug", *real), ["5", "9"])
    else:
        tap.skip("swapBug", "no ../shared")
    tap.done()


main()

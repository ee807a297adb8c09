"""Every view of every trace: text, JSON and CSV say the same, and damaged traces are no exception."""

import csv
import io
import json
import os
import re

from jsonschema import Draft202012Validator

import product

tap = product.Tap()

with open(os.path.join(product.top, "doc", "view.schema.json"), encoding="utf-8") as schema_file:
    schema = json.load(schema_file)
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)

answer = product.run("vocab", "views", "--format", "json")
words = product.parse(answer.out)["words"]
VIEWS = {w["name"]: [] for w in words if "of" not in w}
for w in words:
    if "of" in w:
        VIEWS[w["of"]].append((w["name"], w["unit"]))
tap.ok(
    sorted(VIEWS) == sorted(schema["properties"]["view"]["enum"]), "the schema knows all views", answer
)


def cell_of(text, unit):
    if text == "":
        return None
    return text if unit is None else float(text)


def csv_rows(text, columns):
    """Cells as JSON has them; an apostrophe is what CSV adds."""
    lines = list(csv.reader(io.StringIO(text)))
    rows = []
    for line in lines[1:]:
        row = [cell_of(x, c["unit"]) for x, c in zip(line, columns)]
        rows.append([x[1:] if isinstance(x, str) and x[:2] in ("'=", "'+", "'-", "'@") else x for x in row])
    return lines[0], rows


def plain(rows):
    """What CSV cannot tell apart."""
    return [
        [None if x == "" else float(x) if isinstance(x, (int, float)) else x for x in row]
        for row in rows
    ]


UNITS = {"(s)": 1.0, "(ms)": 1e3, "(us)": 1e6}


def matrix_faults(lines, document, by):
    """The figures of a matrix, as far as they are printed."""
    head = next(i for i, line in enumerate(lines) if re.search(r" all  \(\w+\)$", line))
    names = lines[head].split()[:-2]
    scale = UNITS[lines[head].split()[-1]]
    known = {}
    for row in document["rows"]:
        known[str(row[0]), row[1]] = row[by]
    bad = []
    for line in lines[head + 1 :]:
        cells = line.split()
        if not line.startswith("  ") or len(cells) != len(names) + 2:
            break
        for name, cell in zip(names, cells[1:]):
            value = known.get((cells[0], name))
            expected = 0.0 if value is None else value * scale
            decimals = len(cell.partition(".")[2])
            shown = 0.0 if cell == "." else float(cell)
            if abs(shown - expected) > 0.500001 * 10**-decimals:
                bad.append(f"{cells[0]},{name}: {cell} is not {expected}")
    return bad


def table_faults(lines, document):
    """Each printed line has its row; columns are those of the heading."""
    names = [c["name"] for c in document["columns"]]
    head = next(i for i, line in enumerate(lines) if line.split()[:1] == [names[0]])
    columns = [names.index(name) for name in lines[head].split()]
    number = lambda c: document["columns"][c]["unit"] is not None
    rows = {}
    for row in document["rows"]:
        key = tuple(word(row[c], document["columns"][c]["unit"]) for c in columns)
        rows[" ".join(key).split().__str__()] = True
    bad = []
    for line in lines[head + 1 :]:
        if not line.startswith("  "):
            break
        if set(line.split()) <= {"s", "bytes"}:
            continue
        if str(line.split()) not in rows:
            bad.append(line)
    return bad


def word(cell, unit):
    if cell is None:
        return "-"
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int):
        return str(cell)
    return "%.6f" % cell if unit == "s" else "%.3f" % cell


def test_view(name, path, view):
    answer = product.run("view", view, path, "--format", "json")
    if answer.status == 3:
        tap.ok("the trace cannot be used" in answer.complaint, f"{name}: {view} says why not", answer)
        return None
    document = product.parse(answer.out)
    errors = [e.message[:200] for e in validator.iter_errors(document)]
    columns = document["columns"]
    errors += ["a row of another width" for r in document["rows"] if len(r) != len(columns)]
    if [(c["name"], c["unit"]) for c in columns] != [(n, u) for n, u in VIEWS[view]]:
        errors.append("columns are not those of vocab")
    tap.empty(errors, f"{name}: {view} is valid")

    table = product.run("view", view, path, "--format", "csv")
    head, rows = csv_rows(table.out, columns)
    tap.ok(
        len(head) == len(columns) and rows == plain(document["rows"]),
        f"{name}: {view} is the same as CSV",
        table,
    )
    text = product.run("view", view, path, "--top", "1000000")
    lines = text.out.splitlines()
    if any(" across: " in line for line in lines):
        by = next(i for i, c in enumerate(columns) if c["name"] == "wait")
        faults = matrix_faults(lines, document, by)
    elif document["rows"]:
        faults = table_faults(lines, document)
    else:
        faults = [] if "Nothing to show." in lines else ["no rows, and it does not say so"]
    tap.empty(faults[:5], f"{name}: {view} is the same as text")
    tap.ok(
        all(n.split()[0] in text.out for n in document["notes"]), f"{name}: {view} has its notes", text
    )
    return document


def column(document, name):
    i = next(i for i, c in enumerate(document["columns"]) if c["name"] == name)
    return [row[i] for row in document["rows"]]


for path in product.some(product.all_traces(), 5):
    for view in VIEWS:
        name = os.path.basename(path)
        tap.guarded(f"{name}: {view}", test_view, name, path, view)
tap.done()

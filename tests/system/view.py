"""Every view of every trace: text, JSON and CSV say the same, and damaged traces are no exception."""

import csv
import io
import json
import os
import re
import statistics
import tempfile
import xml.etree.ElementTree as tree

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


def same(attribute, cell, unit):
    """What a data- attribute says is the cell; names with characters that are no letters are shown otherwise."""
    if isinstance(cell, str):
        return attribute == cell or not cell.isprintable() or len(cell) > 600
    return cell_of(attribute, unit) == cell


def row_faults(elements, document):
    """Each element that is a row has all of its cells."""
    names = [(c["name"], c["unit"]) for c in document["columns"]]
    for e in elements:
        row = document["rows"][int(e["data-row"])]
        yield from (
            f"row {e['data-row']}: {n} is {e.get('data-' + n)}, not {cell}"
            for (n, unit), cell in zip(names, row)
            if not same(e.get("data-" + n), cell, unit)
        )


def line_faults(elements, document):
    """Lines of which each point is a row have the numbers of these, in their order."""
    names = [c["name"] for c in document["columns"]]
    for e in (e for e in elements if e.get("data-mean-of") == "1"):
        keys = [n for n in names if "data-" + n in e]
        rows = [
            row
            for row in document["rows"]
            if all(e["data-" + n] == row[names.index(n)] for n in keys[:2] if document["columns"][names.index(n)]["unit"] is None)
        ]
        for n in keys:
            column = names.index(n)
            if document["columns"][column]["unit"] is not None:
                shown = [float(x) for x in e["data-" + n].split()]
                known = [0.0 if row[column] is None else float(row[column]) for row in rows]
                if not set(shown) <= set(known) and document["rows"][0][column] is not None:
                    yield f"{n} of {keys[:2]}"


def sum_faults(elements, document):
    """What stands for several rows has their sums: of a matrix what its view is about, of edges all numbers."""
    names = [c["name"] for c in document["columns"]]
    total = lambda n: sum(row[names.index(n)] or 0 for row in document["rows"])
    if any("data-sum" in e for e in elements) and "wait" in names:
        shown = sum(float(e["data-sum"]) for e in elements if "data-sum" in e)
        if abs(shown - total("wait")) > 1e-9 * (1 + shown):
            yield f"cells have {shown}, rows {total('wait')}"
    edges = [e for e in elements if "data-messages" in e and "data-count" in e]
    rows = [row for row in document["rows"] if row[0] is not None and row[1] is not None]
    if edges and sum(int(e["data-count"]) for e in edges) == len(rows):
        for n in ("bytes", "wait"):
            shown = sum(float(e["data-" + n]) for e in edges)
            known = sum(row[names.index(n)] or 0 for row in rows)
            if abs(shown - known) > 1e-9 * (1 + known):
                yield f"arrows have {shown} {n}, rows {known}"


def picture_faults(root, document):
    """A picture says the numbers of JSON, and says where it does not draw all rows."""
    elements = [e.attrib for e in root.iter() if any(k.startswith("data-") for k in e.attrib)]
    rows = [e for e in elements if "data-row" in e]
    words = " ".join(e.text or "" for e in root.iter() if e.tag.endswith("text"))
    yield from row_faults(rows, document)
    yield from line_faults(elements, document)
    yield from sum_faults(elements, document)
    if rows and len(rows) < len(document["rows"]) and f"{len(rows)} of {len(document['rows'])} rows" not in words:
        yield "rows are missing, and it does not say so"
    if not document["rows"] and "Nothing to show" not in words:
        yield "no rows, and it does not say so"
    yield from (f"note {n[:30]} is missing" for n in document["notes"] if n.split()[0] not in words)


def test_pictures(name, path, view, document):
    svg = product.run("view", view, path, "--format", "svg")
    root = tree.fromstring(svg.out)
    faults = [] if root.get("data-rows") == str(len(document["rows"])) else ["another number of rows"]
    tap.empty((faults + list(picture_faults(root, document)))[:5], f"{name}: {view} is the same as a picture")

    page = product.run("view", view, path, "--format", "html").out
    rows = [(int(n), r) for n, r in re.findall(r'<tr data-row="(\d+)">(.*?)</tr>', page)]
    faults = [] if len(rows) == min(len(document["rows"]), 5000) else [f"{len(rows)} rows"]
    faults += ["a script"] * ("<script" in page)
    numbers = [i for i, c in enumerate(document["columns"]) if c["unit"] is not None]
    for n, row in rows:
        known = [float(document["rows"][n][i]) for i in numbers if document["rows"][n][i] is not None]
        if [float(x) for x in re.findall(r'data-value="([^"]*)"', row)] != known:
            faults.append(f"row {n}")
    picture = re.search(r'<svg class="picture".*</svg>', page, re.S).group(0)
    faults += picture_faults(tree.fromstring(picture), document)
    tap.empty(faults[:5], f"{name}: {view} is the same on a page")


def test_view(name, path, view):
    answer = product.run("view", view, path, "--format", "json")
    if answer.status == 3:
        tap.ok("the trace cannot be used" in answer.complaint, f"{name}: {view} says why not", answer)
        return
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
    test_pictures(name, path, view, document)


def dictionaries(path, view):
    document = product.parse(product.run("view", view, path, "--format", "json").out)
    names = [c["name"] for c in document["columns"]]
    return [dict(zip(names, row)) for row in document["rows"]]


def test_statistics(name, path):
    """What Python's own statistics make of the timeline."""
    if product.run("view", "statistics", path).status == 3:
        return
    times = {}
    for r in dictionaries(path, "timeline"):
        times.setdefault((r["class"], r["region"]), []).append((r["end"] - r["begin"], r["wait"] or 0))
    rows = dictionaries(path, "statistics")
    faults = [] if len(rows) == len(times) else ["other functions"]
    for r in rows:
        known = sorted(t for t, _ in times[r["class"], r["region"]])
        at = lambda percent: known[max(-(-len(known) * percent // 100) - 1, 0)]
        expected = {
            "calls": len(known),
            "time": sum(known),
            "wait": sum(w for _, w in times[r["class"], r["region"]]),
            "mean": statistics.mean(known),
            "median": statistics.median_low(known),
            "deviation": statistics.pstdev(known),
            "most": known[-1],
            "least": known[0],
            "lower_quartile": at(25),
            "upper_quartile": at(75),
            "percentile_95": at(95),
        }
        faults += [
            f"{r['region']}: {n} is {r[n]}, not {x}"
            for n, x in expected.items()
            if abs(r[n] - x) > 1e-9 + 1e-9 * abs(x)
        ]
    tap.empty(faults[:5], f"{name}: statistics are those of the timeline")


def test_hostile(folder):
    """Names of a trace are text in a picture, whatever they hold."""
    name = "</text><script>alert(1)</script><img src=x onerror='alert(2)'> \u202e]]>&amp;"
    path = os.path.join(folder, "hostile.trace")
    with open(path, "w", encoding="utf-8") as out:
        out.write(f'# us.\nhost "{name}": 0 1\ncomm "{name}": 0 1\n')
        out.write(f'rank 0: region "{name}" 0..100 send 100..105 to 1 barrier 105..140 comm "{name}"\n')
        out.write(f'rank 1: region "{name}" 0..10 recv 10..110 from 0 barrier 110..140 comm "{name}"\n')
    ours = {"svg", "g", "path", "text", "title", "rect", "style", "defs", "pattern", "line"}
    for view in VIEWS:
        answer = product.run("view", view, path, "--format", "svg")
        root = tree.fromstring(answer.out)
        foreign = {e.tag.rpartition("}")[2] for e in root.iter()} - ours
        running = [k for e in root.iter() for k in e.attrib if k.startswith("on") or k.endswith("href")]
        tap.ok(not foreign and not running and "\u202e" not in answer.out, f"hostile names: {view} is inert", foreign or running)
    hosts = product.run("view", "hosts", path, "--format", "svg").out
    tap.ok("&lt;script&gt;" in hosts, "hostile names: they are shown as text", hosts)
    page = product.run("view", "hosts", path, "--format", "html").out
    tap.ok("<script" not in page and "<img" not in page, "hostile names: a page holds none of their elements")


with tempfile.TemporaryDirectory() as scratch:
    tap.guarded("hostile names", test_hostile, scratch)
for path in product.some(product.all_traces(), 5):
    for view in VIEWS:
        name = os.path.basename(path)
        tap.guarded(f"{name}: {view}", test_view, name, path, view)
    tap.guarded(f"{name}: statistics", test_statistics, os.path.basename(path), path)
tap.done()

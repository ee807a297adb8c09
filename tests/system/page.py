"""The diagnosis as one page, without a browser: it is well-formed, needs nothing else, says the same numbers as
JSON, and holds no markup that is not ours."""

import base64
import hashlib
import html.parser
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

import product

tap = product.Tap()

VOID = {"meta", "br", "link", "img", "input", "hr"}
# Elements that the page is made of: any other came from a name.
OURS = set(
    "html head meta title style body header main section article p h1 h2 h3 a span dl dt dd div figure figcaption "
    "details summary ul li small table caption thead tbody tr th td script svg defs pattern path g rect text tspan "
    "line i b".split()
)
# Attributes whose value a browser would fetch, run or go to.
FETCHING = {"src", "srcset", "action", "formaction", "poster", "background", "ping", "style", "data"}


class Page(html.parser.HTMLParser):
    """What a page consists of, and what is wrong with it."""

    def __init__(self, text):
        super().__init__()
        self.open = []
        self.complaints = []
        self.ids = []
        self.links = []
        self.rows = []  # data-* of each element
        self.text = {"style": "", "script": "", "title": ""}
        self.metas = {}
        self.cells = []  # texts of table cells, a list per row
        self.named_rows = []  # rows of tables: attributes and cells
        self.feed(text)
        self.close()
        if self.open:
            self.complaints.append("not closed: %s" % self.open)

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        if len(named) != len(attrs):
            self.complaints.append("an attribute twice in %s" % tag)
        if tag not in OURS:
            self.complaints.append("element %s" % tag)
        for key, value in attrs:
            if key in FETCHING or key.startswith("on"):
                self.complaints.append("attribute %s of %s" % (key, tag))
            if key in ("href", "xlink:href"):
                self.links.append(value)
        self.ids += [named["id"]] if "id" in named else []
        if any(key.startswith("data-") for key in named):
            self.rows.append(named)
        if tag == "meta":
            self.metas[named.get("http-equiv") or named.get("name") or "charset"] = named.get("content")
        if tag == "tr":
            self.cells.append([])
            self.named_rows.append((named, self.cells[-1]))
        if tag in ("td", "th") and self.cells:
            self.cells[-1].append([named.get("data-value"), ""])
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.complaints.append("</%s> ends %s" % (tag, self.open[-1:]))
            return
        self.open.pop()

    def handle_comment(self, data):
        self.complaints.append("a comment")

    def handle_data(self, data):
        for tag in self.text:
            if tag in self.open:
                self.text[tag] += data
        if "td" in self.open and self.cells:
            self.cells[-1][-1][1] += data


def hash_of(text):
    return "'sha256-%s'" % base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def complaints_about(text):
    page = Page(text)
    yield from page.complaints
    yield from ("id %s twice" % i for i in set(page.ids) if page.ids.count(i) > 1)
    for link in page.links:
        if not link.startswith("#") or link[1:] not in page.ids:
            yield "link to %s" % link
    for picture in re.findall(r"<svg.*?</svg>(?:\n</svg>)?", text, re.DOTALL):
        try:
            while picture.count("<svg") > picture.count("</svg>"):
                start = text.index(picture)
                end = text.index("</svg>", start + len(picture)) + len("</svg>")
                picture = text[start:end]
            tree.fromstring(picture)
        except (tree.ParseError, ValueError) as error:
            yield "SVG: %s" % error
    policy = page.metas.get("Content-Security-Policy") or ""
    if not policy.startswith("default-src 'none';"):
        yield "policy %s" % policy
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    for what, texts in ("style-src", [page.text["style"]]), ("script-src", scripts):
        for one in texts:
            if "%s %s" % (what, hash_of(one)) not in policy:
                yield "%s is not allowed by the policy" % what
    for byte in "\u202a\u202e\u2066\u2069\x00\x1b":
        if byte in text:
            yield "control character %r" % byte


def same(shown, expected):
    if expected is None:
        return shown in ("", None)
    return shown not in ("", None) and abs(float(shown) - expected) <= 1e-12 * abs(expected)


def differences(page, document):
    """What the page and JSON say differently."""
    findings = {f["id"]: f for f in document["findings"]}
    shown = [r for r in page.rows if "data-gain" in r]
    for row in shown:
        finding = findings[row["id"]]
        for key, name in ("lost", "lost_s"), ("gain", "gain_s"), ("severity", "severity"):
            if not same(row["data-" + key], finding[name]):
                yield "%s of %s: %s, not %s" % (name, row["id"], row["data-" + key], finding[name])
    leading = [f for f in document["findings"] if f["kind"] == "cause"]
    if leading and document["verdict"] == "problems" and not shown:
        yield "no cause is shown"
    metrics = {
        (m["run"], m["pattern"], m["name"], m["location"] or ""): m["value"] for m in document["metrics"]
    }
    n = 0
    for cells in page.cells:
        key = tuple(text for _, text in cells[:4])
        if len(cells) == 5 and key in metrics:
            n += 1
            if not same(cells[4][0], metrics[key]):
                yield "metric %s: %s, not %s" % (key, cells[4][0], metrics[key])
    if n < min(len(metrics), 600):
        yield "%d of %d metrics" % (n, len(metrics))
    for row in page.rows:
        if "data-metric" in row:
            value = [m["value"] for m in document["metrics"] if m["name"] == row["data-metric"]]
            if value and not any(same(row["data-value"], v) for v in value):
                yield "%s: %s, not %s" % (row["data-metric"], row["data-value"], value)
    verdict = [r["data-verdict"] for r in page.rows if "data-verdict" in r]
    if verdict != [document["verdict"]]:
        yield "verdict %s" % verdict


def test_views():
    """The views that a pattern names stand with its findings, and say what `view --finding` does."""
    path = os.path.join(product.top, "examples/traces/mw-slow-master")
    page = Page(product.run("diagnose", "--format", "html", path).out)
    rows = [r for r in page.rows if "data-waits_for" in r]
    known = product.parse(product.run("view", "waits", path, "--finding", "f1", "--format", "json").out)["rows"]
    shown = [[r["data-location"], r["data-waits_for"], float(r["data-wait"])] for r in rows[: len(known)]]
    tap.ok(shown == [row[:3] for row in known], "a cause has the views of its pattern", shown)
    names = [r["data-is"] for r in page.rows if "data-is" in r]
    tap.ok(names == ["master"] + 6 * ["worker"], "rows have the names of their roles", names)


def numbers_of(text):
    """Seven bits of each in a byte, the lowest first."""
    number = shift = 0
    for byte in base64.b64decode(text):
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield number
            number = shift = 0


def delay_differences(page, document):
    """Delay costs as the page and JSON have them: the largest, in this order."""
    names = ("delay_cost", "delay_share", "delay_cost_direct", "delay_cost_indirect", "delay_computed_share")
    run = document["runs"][0]["id"]
    costs = {}
    for m in document["metrics"]:
        if m["run"] == run and m["pattern"] == "message-passing" and m["name"].split(".")[-1] in names:
            costs.setdefault(m["location"], {})[m["name"].split(".")[-1]] = m["value"]
    known = [[who, *(cost.get(name) for name in names)] for who, cost in costs.items() if (cost.get(names[0]) or 0) > 0]
    known.sort(key=lambda row: -row[1])
    shown = [cells for tag, cells in page.named_rows if "data-delays" in tag]
    if len(document["runs"]) > 1 or document["verdict"] == "unusable":
        return
    expected = [row for i, row in enumerate(known[:16]) if i == 0 or row[2] >= 0.01]
    if len(shown) != len(expected):
        yield "delays of %d locations, not %d" % (len(shown), len(expected))
    for cells, row in zip(shown, known):
        values = [value for value, _ in cells[3:]]
        if not all(same(v, k) for v, k in zip(values, row[1:])):
            yield "delays %s, not %s" % (cells, row)


def path_differences(page, document):
    """What each location has of the critical path in the window, of the page's data and in JSON."""
    rows = [r for r in page.rows if "data-path" in r]
    labels = [r["data-label"] for r in page.rows if "data-calls" in r]
    data = [r for r in page.rows if "data-whole" in r]
    if not rows or not data or document["critical_path"] is None:
        return
    ticks, begin, end = (int(data[0]["data-" + key]) for key in ("ticks", "begin", "end"))
    at, *numbers = numbers_of(rows[0]["data-path"])
    sums = dict.fromkeys(labels, 0)
    for location, length in zip(numbers[::2], numbers[1::2]):
        sums[labels[location]] += max(min(at + length, end) - max(at, begin), 0)
        at += length
    for share in document["critical_path"]["locations"]:
        if abs(sums[share["location"]] / ticks - share["path_s"]) > 1e-9 + 1e-12 * share["path_s"]:
            yield "path of %s: %g, not %g" % (share["location"], sums[share["location"]] / ticks, share["path_s"])


def rows_of(view, path):
    """The rows of a view, each a dictionary."""
    document = product.parse(product.run("view", view, path, "--format", "json").out)
    names = [c["name"] for c in document["columns"]]
    return [dict(zip(names, row)) for row in document["rows"]]


def step_differences(page, path):
    """When each process comes to each step, of the page's data and as the view of steps has it."""
    data = [r for r in page.rows if "data-whole" in r]
    rows = {(r["location"], r["step"]): r for r in rows_of("steps", path)} if data else {}
    n = 0
    for one in (r for r in page.rows if "data-comes" in r):
        at, comes = 0, []
        for number in numbers_of(one["data-comes"]):
            at += number
            comes.append(at / int(data[0]["data-ticks"]))
        for step in range(1, len(comes)):
            row = rows.get((one["data-label"], step))
            n += row is not None
            # Steps without length are no rows.
            if row is None and comes[step] > comes[step - 1]:
                yield "step %d of %s is not in the view" % (step, one["data-label"])
            if row and abs(comes[step - 1] - row["begin"]) > 1e-9 or row and abs(comes[step] - row["begin"] - row["time"]) > 2e-9:
                yield "step %d of %s: %s, not %s" % (step, one["data-label"], comes[step - 1 : step + 1], row)
    if n not in (0, len(rows)):
        yield "%d of %d steps" % (n, len(rows))


def role_differences(page, document):
    """What rows of the time line are called is a role that JSON gives them."""
    roles = {}
    for pattern in document["patterns"]:
        for role, labels in pattern["roles"].items():
            for label in labels:
                roles.setdefault(label, set()).add(role)
    for row in (r for r in page.rows if "data-is" in r):
        known = roles.get(row["data-label"], set())
        if (row["data-is"] or None) not in (known or {None}) or not set(filter(None, row["data-role"].split(", "))) <= known:
            yield "%s is %s, not one of %s" % (row["data-label"], row["data-is"], known)


def wait_differences(text, path):
    """Who waits for whom, in sum, in the matrix and in the view."""
    matrix = text.partition('<section id="waits">')[2].partition("</section>")[0]
    shown = re.findall('data-waits_for="[^"]*" data-(?:wait|count="[0-9]*" data-sum)="([^"]*)"', matrix)
    known = sum(r["wait"] for r in rows_of("waits", path))
    if abs(sum(map(float, shown)) - known) > 1e-9 * (1 + known):
        yield "waits of %s, not %s" % (sum(map(float, shown)), known)


def accuracy_differences(page, clock):
    """Table 1 of the paper, of the page and in JSON."""
    known = clock.get("accuracy")
    rows = [cells for cells in page.cells if len(cells) == 7 and known and cells[0][0] == str(known["messages"])]
    if known and known["messages"] > 0 and not rows:
        yield "no table of accuracy"
    for cells in rows:
        for (shown, _), key in zip(cells[1:], ("in_order", None, "mean_s", "median_s", "stddev_s", "worst_s")):
            if key is not None and not same(shown, known[key]):
                yield "%s: %s, not %s" % (key, shown, known[key])


def test_check(path):
    name = os.path.basename(path)
    answer = product.run("check", "--format", "html", path)
    json = product.run("check", "--format", "json", path)
    tap.ok(answer.status == json.status, name + ": check has the same exit status", answer)
    tap.empty(list(complaints_about(answer.out)), name + ": check is a page that needs nothing else")
    notes = [n["note"] for n in product.parse(json.out)["runs"][0].get("quality", [])] if json.status == 0 else []
    tap.empty([n for n in notes if ">%s<" % n not in answer.out], name + ": check has all notes")
    if json.status == 0:
        clock = product.parse(json.out)["runs"][0]["clock"]
        tap.empty(list(accuracy_differences(Page(answer.out), clock)), name + ": check has the accuracy of JSON")


PAIRS = (
    ("oddeven-np16", "oddeven-slow5-np16", "SLOWER"),
    ("oddeven-np16", "oddeven-swapBug-np16", "DIFFERENT"),
    ("scorep-halo", "scorep-halo", "SAME"),
    ("oddeven-np16", "lulesh-np8", "NOT COMPARABLE"),
)


def diff_differences(page, document):
    """What the page and JSON say differently about computation."""
    loads = document.get("performance", [])
    expected = {load["location"]: load for load in loads if load["where"] == "computation"}
    if document["verdict"] == "SLOWER" and not expected:
        yield "nobody computes"
    for cells in page.cells:
        if len(cells) > 4 and cells[0][1] in expected:
            load = expected.pop(cells[0][1])
            if not same(cells[2][0], load["base_s"]) or not same(cells[3][0], load["new_s"]):
                yield "computation of %s: %s, not %s" % (cells[0][1], cells, load)
    if expected:
        yield "missing: %s" % sorted(expected)


def test_diff(base, new, verdict):
    """A comparison as a page."""
    name = "%s and %s" % (base, new)
    paths = [os.path.join(product.shared, one) for one in (base, new)]
    answer = product.run("diff", "--format", "html", *paths)
    json = product.run("diff", "--format", "json", *paths)
    tap.ok(answer.status == json.status, name + ": the same exit status", answer)
    tap.empty(list(complaints_about(answer.out)), name + ": a page that needs nothing else")
    page = Page(answer.out)
    shown = [r["data-verdict"] for r in page.rows if "data-verdict" in r]
    tap.ok(shown == [verdict], name + ": the verdict", shown)
    tap.empty(list(diff_differences(page, product.parse(json.out))), name + ": the numbers of JSON")
    tap.ok(product.run("diff", "--format", "html", *paths).out == answer.out, name + ": the same bytes again")


def page_of(path, *options):
    return product.run("diagnose", "--format", "html", *options, path)


def test_trace(path):
    name = os.path.basename(path)
    answer = page_of(path)
    json = product.run("diagnose", "--format", "json", path)
    tap.ok(answer.status == json.status, name + ": the same exit status", answer)
    tap.empty(list(complaints_about(answer.out)), name + ": a page that needs nothing else")
    tap.empty(
        list(differences(Page(answer.out), product.parse(json.out))),
        name + ": the numbers of JSON",
    )
    tap.empty(
        list(path_differences(Page(answer.out), product.parse(json.out))),
        name + ": the critical path of JSON",
    )
    tap.empty(list(delay_differences(Page(answer.out), product.parse(json.out))), name + ": the delay costs of JSON")
    if product.parse(json.out)["verdict"] != "unusable":
        tap.empty(list(role_differences(Page(answer.out), product.parse(json.out)))[:5], name + ": roles are those of JSON")
        tap.empty(list(step_differences(Page(answer.out), path))[:5], name + ": steps are those of the view")
        tap.empty(list(wait_differences(answer.out, path)), name + ": waits are those of the view")
    tap.ok(page_of(path).out == answer.out, name + ": the same bytes again")


# ---- names ---------------------------------------------------------------------------------------

HOSTILE = [
    "</script><script>alert(1)</script>",
    "'><img src=x onerror=alert(1)>",
    "]]></style><svg onload=alert(1)>",
    "\u202egnp.exe\u2066",
    "--><!-- {{x}} %s %n",
    "&lt;b&gt;",
    "x" * 1000000,
    "no UTF-8: \udcff\udcfe \udcc3( \udced\udca0\udc80",
]

PROGRAM = """host "%(name)s": 0 1 2
comm "%(name)s": 0 1 2
rank 0: compute 0..50 in "%(name)s"  send 50..52 to 1 tag 7  barrier 60..90 comm "%(name)s"
rank 1: compute 0..10 in "%(name)s"  recv 10..53 from 0 tag 7  barrier 55..90 comm "%(name)s"
rank 2: compute 0..80 in "%(name)s"  barrier 80..90 comm "%(name)s"
"""


def test_name(folder, name):
    shown = ascii(name[:20])
    path = os.path.join(folder, "hostile.trace")
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as out:
        out.write(PROGRAM % {"name": name})
    answer = page_of(path)
    tap.ok(answer.status == 0, "%s: a page" % shown, answer)
    tap.empty(list(complaints_about(answer.out)), "%s: inert" % shown)
    tap.ok(len(answer.out) < 1000000, "%s: not longer than others" % shown, len(answer.out))
    for words in ("check", path), ("diff", path, path):
        answer = product.run(words[0], "--format", "html", *words[1:])
        tap.empty(list(complaints_about(answer.out)), "%s: inert in %s" % (shown, words[0]))
    for view, form in ("hosts", "html"), ("paths", "svg"), ("timeline", "html"):
        answer = product.run("view", view, "--format", form, path)
        tap.ok(answer.status == 0 and not re.search("<(script|img|svg onload)", answer.out), "%s: inert in %s" % (shown, view))


def test_path(folder):
    path = os.path.join(folder, "\"><img onerror=alert(1)>.trace")
    with open(path, "w", encoding="utf-8") as out:
        out.write(PROGRAM % {"name": "main"})
    tap.empty(list(complaints_about(page_of(path).out)), "a path: inert")


# ---- size ----------------------------------------------------------------------------------------


def test_size(folder):
    """Many calls: the page keeps to its size, and says what it leaves out."""
    path = os.path.join(folder, "long.trace")
    with open(path, "w", encoding="utf-8") as out:
        out.write("rank 0: ")
        out.writelines("compute %d..%d\nsend %d..%d to 1 tag 1\n" % (10 * i, 10 * i + 8, 10 * i + 8, 10 * i + 10) for i in range(40000))
        out.write("rank 1: ")
        out.writelines("recv %d..%d from 0 tag 1\n" % (10 * i, 10 * i + 10) for i in range(40000))
    small = page_of(path, "--size", "1")
    large = page_of(path)
    tap.ok(small.status == 0 and len(small.out) < 1000000, "--size 1: at most 1 MB", len(small.out))
    tap.ok("Left out" in small.out, "--size 1: says what is left out")
    tap.ok("Left out" not in large.out and len(large.out) < 8000000, "8 MB hold 80,000 calls", len(large.out))
    calls = re.findall(r'data-calls="([^"]*)"', large.out)
    tap.ok(
        len(calls) == 2 and all(len(base64.b64decode(c)) > 40000 * 8 for c in calls),
        "all of them are in it",
    )
    tap.ok(
        product.run("diagnose", "--size", "1", path).status == 2,
        "--size is refused where there is no page",
    )


# ---- odd runs ------------------------------------------------------------------------------------

ODD = {
    "one process": "rank 0: compute 0..50\n",
    "one moment": "rank 0: compute 5..5\nrank 1: compute 5..5\n",
    "one message": "rank 0: send 0..1 to 1 tag 1\nrank 1: recv 0..2 from 0 tag 1\n",
    "zero-length calls": "rank 0: compute 0..9 send 9..9 to 1 tag 1\nrank 1: recv 9..9 from 0 tag 1\n",
}


def test_odd(folder, name, text):
    path = os.path.join(folder, "odd.trace")
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    answer = page_of(path)
    tap.ok(answer.status in (0, 3), name + ": an answer", answer)
    tap.empty(list(complaints_about(answer.out)), name + ": a page")


def test_output(folder):
    """A page that cannot be written leaves nothing behind."""
    trace = os.path.join(product.top, "examples", "traces", "mw-slow-master")
    full = subprocess.run(
        [product.marple, "diagnose", "--format", "html", "-o", "/dev/full", trace],
        capture_output=True,
        check=False,
    )
    tap.ok(full.returncode == 3, "a full disk is reported", full.stderr)
    into = os.path.join(folder, "page.html")
    answer = product.run("diagnose", "--format", "html", "-o", into, trace)
    with open(into, encoding="utf-8") as page:
        tap.ok(answer.status == 0 and page.read() == page_of(trace).out, "-o writes the same page", answer)


def main():
    for path in product.all_traces():
        if os.environ.get("MARPLE_TESTS") == "full" or not path.startswith(product.shared or "-"):
            tap.guarded(os.path.basename(path), test_trace, path)
            tap.guarded(os.path.basename(path), test_check, path)
    if os.environ.get("MARPLE_TESTS") != "full":
        tap.skip("the other traces", "only ./bootstrap check full")
    else:
        for pair in PAIRS if product.shared else ():
            tap.guarded(pair[1], test_diff, *pair)
        if not product.shared:
            tap.skip("pages of two runs", "no ../shared")
    with tempfile.TemporaryDirectory() as folder:
        for name in HOSTILE:
            tap.guarded(ascii(name[:20]), test_name, folder, name)
        tap.guarded("path", test_path, folder)
        for name, text in ODD.items():
            tap.guarded(name, test_odd, folder, name, text)
        tap.guarded("output", test_output, folder)
        tap.guarded("size", test_size, folder)
    tap.guarded("views of a pattern", test_views)
    tap.done()


if __name__ == "__main__":
    sys.exit(main())

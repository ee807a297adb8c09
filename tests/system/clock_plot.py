"""The picture of clock errors in the guide, the tool that makes it, and the trace of two clocks."""

import filecmp
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import product

tap = product.Tap()
tools = os.path.join(os.environ["top_builddir"], "tests", "tools")
example = os.path.join(product.top, "examples", "traces", "clock-violation")
drift = os.path.join(product.shared, "npb-lu-W-drift-np4")
SVG = "{http://www.w3.org/2000/svg}"
SIZE_LIMIT = 60000


def run_tool(name, *words):
    return subprocess.run(
        [os.path.join(tools, name), *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=product.TIME_LIMIT_S,
        check=False,
    )


def figures(done):
    """Per stage: RMS, maximum and bound in microseconds."""
    found = {}
    for line in done.stdout.decode("utf-8").splitlines():
        words = line.split()
        found[words[0]] = tuple(float(words[i]) for i in (2, 5, 8))
    return found


def complaints_about(path, n_ranks):
    """What is wrong with a picture: it needs nothing else, and has a curve per rank and panel."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    bad = []
    if len(text.encode("utf-8")) >= SIZE_LIMIT:
        bad.append("%d bytes" % len(text))
    if re.search(r"<script|<image|@import|url\(|href", text):
        bad.append("it needs something else")
    if "plot_clock_error" not in text:
        bad.append("it does not say how it was made")
    root = xml.etree.ElementTree.fromstring(text)
    curves = root.findall(SVG + "polyline")
    titles = [t.text for t in root.findall(SVG + "text") if (t.text or "").startswith("RMS")]
    labels = " ".join("".join(t.itertext()) for t in root.findall(SVG + "text"))
    if len(titles) not in (2, 3) or len(curves) != len(titles) * n_ranks:
        bad.append("%d curves in %d panels" % (len(curves), len(titles)))
    if any(len(c.get("points").split()) < 2 for c in curves):
        bad.append("a curve is no curve")
    for wanted in ("(s)", "error (", "rank %d" % (n_ranks - 1), "(reference)"):
        if wanted not in labels:
            bad.append("no '%s'" % wanted)
    return bad


def check_example(folder):
    subprocess.run(
        [sys.executable, os.path.join(example, "make.py")], cwd=folder, check=True
    )
    for name in ("exchange.trace", "truth.tsv"):
        tap.ok(
            filecmp.cmp(os.path.join(folder, name), os.path.join(example, name), False),
            "%s is what make.py writes" % name,
        )
    converted = os.path.join(folder, "archive")
    answer = product.run("convert", os.path.join(example, "exchange.trace"), converted)
    # The anchor file holds a number that is new each time.
    names = ["trace.def"] + ["trace/%d.%s" % (r, k) for r in (0, 1) for k in ("def", "evt")]
    different = [
        n
        for n in names
        if answer.status != 0
        or not filecmp.cmp(os.path.join(converted, n), os.path.join(example, n), False)
    ]
    tap.ok(not different, "the archive is what marple convert makes of it", different)


def check_example_plot(folder):
    picture = os.path.join(folder, "example.svg")
    done = run_tool("plot_clock_error", example, os.path.join(example, "truth.tsv"), picture)
    tap.ok(done.returncode == 0, "the errors of the example are plotted", done.stderr)
    found = figures(done)
    tap.remark(done.stdout.decode("utf-8"))
    # 42.238 - 32 us of drift, less the time before the first event; half of it either way.
    tap.ok(5.10 <= found["recorded"][1] <= 5.12, "its drift is what make.py says", found)
    for stage in ("estimated", "repaired"):
        tap.ok(
            found[stage][1] <= found[stage][2] <= 5,
            "its %s times are within the stated bound" % stage,
            found,
        )
    tap.empty(complaints_about(picture, 2), "its picture is complete")


def check_example_table():
    """Every reply is received before it is sent: half of all messages, by 31 to 40 us."""
    done = run_tool("clock_table", example)
    lines = done.stdout.decode("utf-8").splitlines()
    found = {line.split()[0]: re.findall(r"[-+.\d]+", line) for line in lines[1:]}
    tap.remark("\n".join(lines[1:]))
    share, mean_us, median_us = (float(found["recorded"][i]) for i in (1, 2, 3))
    tap.ok(
        share == 50 and 34 < mean_us < 36 and 34 < median_us < 36,
        "half of its messages are reversed as recorded",
        lines,
    )
    tap.ok(
        float(found["messages"][1]) == 100,
        "none of them are on the estimated time line",
        lines,
    )


def check_drift_trace(folder):
    picture = os.path.join(folder, "drift.svg")
    done = run_tool("plot_clock_error", drift, os.path.join(drift, "clock-truth-drift.txt"), picture)
    found = figures(done)
    tap.remark(done.stdout.decode("utf-8"))
    tap.ok(
        done.returncode == 0 and found["repaired"][0] <= 5,
        "drift of 80 ppm leaves an error of 5 us RMS at most",
        found,
    )
    tap.ok(
        found["repaired"][1] <= found["repaired"][2],
        "the largest error lies within the stated bound",
        found,
    )
    tap.empty(complaints_about(picture, 4), "the picture of the drift is complete")


def check_faults(folder):
    picture = os.path.join(folder, "fault.svg")
    truths = {
        "a truth that is not there": None,
        "a truth about another rank": "0 0\n1 0\n2 0\n",
        "a truth that lacks a rank": "0 0\n",
        "a truth that runs backwards": "0 5 0\n0 4 0\n1 0 0\n",
        "a truth of five columns": "0 0\n1 2 3 4 5\n",
    }
    for what, text in truths.items():
        truth = os.path.join(folder, "truth")
        if text is None:
            truth = os.path.join(folder, "missing")
        else:
            with open(truth, "w", encoding="ascii") as out:
                out.write(text)
        done = run_tool("plot_clock_error", example, truth, picture)
        tap.ok(
            done.returncode == 3 and done.stderr and not os.path.exists(picture),
            "%s is refused" % what,
            done.stderr,
        )


with tempfile.TemporaryDirectory() as scratch:
    check_example(scratch)
    check_example_plot(scratch)
    check_example_table()
    check_faults(scratch)
    if os.path.isdir(drift):
        check_drift_trace(scratch)
    else:
        tap.skip("drift of 80 ppm leaves an error of 5 us RMS at most", "no shared traces")
tap.empty(
    complaints_about(os.path.join(product.top, "doc", "clock-error.svg"), 4),
    "the picture in the guide is complete",
)
tap.done()

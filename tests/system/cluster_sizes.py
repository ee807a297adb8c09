"""Sizes of cluster timestamps on made programs, and the picture of them in the documentation."""

import filecmp
import os
import subprocess
import tempfile

import product

tap = product.Tap()
tool = os.path.join(os.environ["top_builddir"], "tests", "tools", "plot_cluster_sizes")

# Of an independent prototype, for sizes 4 to 10: what static and self-organising clusters take.
EXPECTED = {
    "web, 12 servers, 88 clients": ((0.31, 0.36), (0.11, 0.20)),
    "halo, 16 by 16": ((0.175, 0.184), (0.12, 0.15)),
    "halo, 16 by 16, shuffled": ((0.286, 0.296), (0.15, 0.18)),
    "ring of 300": ((0.05, 0.06), (0.05, 0.06)),
    "scatter and gather, 64": ((0.24, 0.30), (0.21, 0.22)),
}
WITHIN = 1.1
ROUNDED = 0.005
LEVELS = "4 16 64"


def read(text):
    found = {}
    for line in text.splitlines():
        program, kind, most, ratio = line.split("\t")
        found[program, kind, most] = float(ratio)
    return found


def spread(found, program, kind):
    ratios = [found[program, kind, str(most)] for most in range(4, 11)]
    return min(ratios), max(ratios)


def is_within(seen, wanted):
    """Both ends within a tenth of what is rounded to hundredths; smaller is as good."""
    return all(x <= (y + ROUNDED) * WITHIN for x, y in zip(seen, wanted))


with tempfile.TemporaryDirectory() as folder:
    picture = os.path.join(folder, "sizes.svg")
    done = subprocess.run(
        [tool, picture],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=product.TIME_LIMIT_S,
        check=False,
    )
    tap.ok(done.returncode == 0, "the tool measures all programs", done.stderr.decode("utf-8"))
    found = read(done.stdout.decode("utf-8"))
    tap.ok(
        filecmp.cmp(picture, os.path.join(product.top, "doc", "cluster-sizes.svg"), False),
        "the picture in the documentation is what the tool draws",
    )

for program, wanted in EXPECTED.items():
    for kind, range_wanted in zip(("static", "self-organising"), wanted):
        seen = spread(found, program, kind)
        tap.ok(is_within(seen, range_wanted), "%s: %s" % (program, kind), str(seen))

for program in sorted({program for program, _, _ in found}):
    worse = [
        most
        for most in range(1, 51)
        if found[program, "informed", str(most)]
        > 1.05 * found[program, "self-organising", str(most)]
    ]
    tap.ok(not worse, "%s: who knows all traffic does no worse" % program, str(worse))
    worse = [
        most
        for most in range(1, 51)
        if found[program, "self-organising", str(most)] > found[program, "static", str(most)]
    ]
    tap.ok(not worse, "%s: neighbours by number do no better" % program, str(worse))

for program in EXPECTED:
    shuffled = program + ", shuffled"
    if (shuffled, "static", "4") not in found:
        continue
    pairs = [
        (found[shuffled, "self-organising", str(most)], found[program, "self-organising", str(most)])
        for most in range(4, 11)
    ]
    tap.ok(
        all(x <= 4 / 3 * y for x, y in pairs),
        "%s: processes numbered at random cost at most a third" % program,
        str(pairs),
    )
for kind in ("self-organising", "informed"):
    tap.ok(
        found["halo, 16 by 16", kind, LEVELS] <= 0.06
        and found["halo, 16 by 16, shuffled", kind, LEVELS] <= 0.09,
        "three levels, %s" % kind,
    )


def tables_of(text):
    return [line for line in text.splitlines() if line.startswith(("|", "### "))]


costs = subprocess.run(
    [os.path.join(os.path.dirname(tool), "timestamp_costs")],
    stdin=subprocess.DEVNULL,
    capture_output=True,
    timeout=product.TIME_LIMIT_S,
    check=False,
)
with open(os.path.join(product.top, "doc", "happened-before.md"), encoding="utf-8") as file:
    page = tables_of(file.read())
made = tables_of(costs.stdout.decode("utf-8"))
tap.ok(
    page == made,
    "the tables in the documentation are what the tool measures",
    str([pair for pair in zip(page, made) if pair[0] != pair[1]][:3]),
)
tap.done()

"""What the time line of the page shows, point by point: the class that the view of the run says, in aggregated pixels
that with most time, and no wait is skipped, however short."""

import bisect
import os
import random
import re
import tempfile

import page_browser
import product

tap = product.Tap()

TOP, ROW, BAR, SHOWN = 15, 18, 12, 48
LOOKS = ("none", "compute", "p2p", "collective", "other", "edge", "wait")
LOOK_OF = {"startup": "edge", "shutdown": "edge"}
POINTS, ZOOMS = 1000, (0, 5, 10)
TRACES = ("oddeven-slow5-np16", "mandel-mw-masterslow-np8", "prk-stencil-slow6-np16", "scorep-halo-omp")


class Model:
    """When each location is in which class, from the view, which is tested against diagnose."""

    def __init__(self, path):
        document = product.parse(product.run("view", "timeline", "--format", "json", path).out)
        self.pieces = {}
        for who, begin, end, what, _, wait, *_ in document["rows"]:
            pieces = self.pieces.setdefault(who, [])
            pieces.append((begin, begin + wait, "wait"))
            pieces.append((begin + wait, end, LOOK_OF.get(what, what)))
        self.ends = {who: [end for _, end, _ in pieces] for who, pieces in self.pieces.items()}

    def times(self, who, begin, end):
        """Seconds by class between two moments."""
        times = dict.fromkeys(LOOKS, 0.0)
        pieces = self.pieces.get(who, [])
        for i in range(bisect.bisect_right(self.ends.get(who, []), begin), len(pieces)):
            if pieces[i][0] >= end:
                break
            times[pieces[i][2]] += max(min(pieces[i][1], end) - max(pieces[i][0], begin), 0)
        return times


PALETTE = """const style = getComputedStyle(document.documentElement), pen = document.createElement('canvas').getContext('2d');
const read = (key) => {
  pen.clearRect(0, 0, 1, 1); pen.fillStyle = style.getPropertyValue('--' + key).trim(); pen.fillRect(0, 0, 1, 1);
  return [...pen.getImageData(0, 0, 1, 1).data];
};
return [arguments[0].map(read), read('x')];"""
COLUMNS = """const c = document.getElementById('canvas'), pen = c.getContext('2d');
return arguments[0].map(([x, y, n]) => [...pen.getImageData(x, y, 1, n).data]);"""


def distance(pixel, base, stroke):
    """Of a pixel to a colour under no, some or all of a stroke."""
    share = stroke[3] / 255
    steps = [[b + (s - b) * share * k / 4 for b, s in zip(base, stroke)] for k in range(5)]
    return min(sum((p - s) ** 2 for p, s in zip(pixel, step)) ** 0.5 for step in steps)


def look_of(column, palette, stroke):
    """The class of a column of pixels, with its texture."""
    pixels = [column[i : i + 4] for i in range(0, len(column), 4)]
    if all(p[3] == 0 for p in pixels):
        return "none"
    far = {look: sum(distance(p[:3], palette[look][:3], stroke) for p in pixels) for look in LOOKS[1:]}
    return min(far, key=far.get)


def bin_of(levels, begin, per_pixel, moment):
    """Where the page has no calls, it shows the finest bins that are not narrower than a pixel."""
    width = levels[0]
    for one in levels:
        width = one if one >= per_pixel else width
    number = int((moment - begin) // width)
    return begin + number * width, begin + (number + 1) * width


def complaints(chrome, model, points):
    palette, stroke = chrome.execute_script(PALETTE, LOOKS[1:])
    palette = dict(zip(LOOKS[1:], palette))
    data = chrome.execute_script(
        """const d = document.getElementById('data').dataset, c = document.getElementById('canvas');
        return {ticks: Number(d.ticks), begin: Number(d.begin), end: Number(d.end), whole: d.whole === '1',
            from: Number(c.dataset.from), to: Number(c.dataset.to), width: c.width, gutter: Number(c.dataset.gutter),
            labels: [...document.querySelectorAll('#data [data-calls]')].map(e => e.dataset.label),
            levels: [...document.querySelectorAll('#data [data-look]')].map(e => Number(e.dataset.width))}"""
    )
    gutter = data["gutter"]
    n = data["width"] - gutter
    per_pixel = (data["to"] - data["from"]) / n
    asked = [(random.randrange(n), random.randrange(min(len(data["labels"]), SHOWN))) for _ in range(points)]
    columns = chrome.execute_script(COLUMNS, [(gutter + x, TOP + ROW * row, BAR) for x, row in asked])
    strips = chrome.execute_script(COLUMNS, [(gutter + x, TOP + ROW * row + BAR + 1, 1) for x, row in asked])
    for (x, row), column, strip in zip(asked, columns, strips):
        begin, end = data["from"] + x * per_pixel, data["from"] + (x + 1) * per_pixel
        if not data["whole"]:
            begin, end = bin_of(data["levels"], data["begin"], per_pixel, (begin + end) / 2)
        begin, end = max(begin, data["begin"]), min(end, data["end"])
        times = model.times(data["labels"][row], begin / data["ticks"], end / data["ticks"])
        most = max(times.values())
        # Times of the view are rounded to some digits of a second.
        right = [k for k, t in times.items() if t > 0 and t >= most - 2e-9 - 1e-6 * most] or ["none"]
        shown = look_of(column, palette, stroke)
        if shown not in right:
            yield "%s from %.9f to %.9f: %s, not %s" % (
                data["labels"][row], begin / data["ticks"], end / data["ticks"], shown, times)
        if times["wait"] > 2e-9 and strip[3] == 0:
            yield "%s at %.9f: no sign of waiting for %g s" % (data["labels"][row], begin / data["ticks"], times["wait"])
        if times["wait"] == 0 and strip[3] != 0 and end - begin > 3:
            yield "%s at %.9f: a sign of waiting where nobody waits" % (data["labels"][row], begin / data["ticks"])


def test_trace(chrome, folder, name, path, *options):
    page = os.path.join(folder, name + ".html")
    product.run("diagnose", "--format", "html", "-o", page, *options, path)
    model = Model(path)
    # Frames of findings and arrows lie above what is compared.
    with open(page, encoding="utf-8") as file:
        text = re.sub('<i data-frame="[^>]*></i>', "", file.read())
    with open(page, "w", encoding="utf-8") as file:
        file.write(text)
    page_browser.resize(chrome, 1280)
    chrome.get("file://" + page)
    canvas = chrome.find_element("id", "canvas")
    canvas.send_keys("a")
    for zoom in ZOOMS:
        canvas.send_keys("0" + "+" * zoom)
        for _ in range(random.randrange(4) if zoom else 0):
            canvas.send_keys(page_browser.Keys.ARROW_RIGHT)
        page_browser.settle(chrome)
        found = list(complaints(chrome, model, POINTS))
        tap.empty(found[:5], "%s: %d points, zoomed %d times (%d wrong)" % (name, POINTS, zoom, len(found)))


HOUR = 3600 * 1000000
AT = 2345678901


def hour(calls):
    """An hour, in us, in which rank 1 waits 1 us once, among so many calls without waiting."""
    gap = HOUR // (calls + 1)
    sends = ["send %d..%d to 2 tag 1\n" % (i * gap, i * gap + 1) for i in range(1, calls) if abs(i * gap - AT) > 10]
    receives = ["recv %d..%d from 1 tag 1\n" % (i * gap, i * gap + 2) for i in range(1, calls) if abs(i * gap - AT) > 10]
    split = sum(1 for i in range(1, calls) if i * gap < AT - 10)
    sends.insert(split, "recv %d..%d from 0 tag 7\n" % (AT, AT + 2))
    return (
        "rank 0: compute 0..%d send %d..%d to 1 tag 7 compute %d..%d\n" % (AT + 1, AT + 1, AT + 2, AT + 2, HOUR)
        + "rank 1: " + "".join(sends) + "rank 2: " + "".join(receives)
    )


def test_short_wait(chrome, folder, name, calls, *options):
    trace, page = os.path.join(folder, name + ".trace"), os.path.join(folder, name + ".html")
    with open(trace, "w", encoding="utf-8") as out:
        out.write(hour(calls))
    answer = product.run("diagnose", "--format", "html", "-o", page, *options, trace)
    chrome.get("file://" + page)
    canvas = chrome.find_element("id", "canvas")
    canvas.send_keys(page_browser.Keys.ARROW_DOWN, "n")
    page_browser.settle(chrome)
    begin, end, ticks = chrome.execute_script(
        """const c = document.getElementById('canvas');
        return [Number(c.dataset.from), Number(c.dataset.to), Number(document.getElementById('data').dataset.ticks)]""")
    tap.ok(
        begin / ticks <= AT / 1e6 <= end / ticks and end - begin < 3600 * ticks / 100,
        "%s: n goes to the wait of 1 us" % name, (begin / ticks, end / ticks, answer))
    tip = page_browser.tip(chrome)
    tap.ok("waits 1 us for 0" in tip or (options and "waits 0 % of" in tip), name + ": it is reported", tip)
    canvas.send_keys("n")
    page_browser.settle(chrome)
    tip = page_browser.tip(chrome)
    tap.ok("no wait behind" in tip, name + ": there is no other", tip)


def main():
    random.seed(int(os.environ.get("MARPLE_SEED", "15")))
    chrome = page_browser.browser()
    with tempfile.TemporaryDirectory() as folder:
        for name in TRACES:
            path = os.path.join(product.shared or "", name)
            if not product.shared or not os.path.isdir(path):
                tap.skip(name + ": pixels", "no ../shared")
                continue
            tap.guarded(name, test_trace, chrome, folder, name, path)
        name = "mw-slow-master"
        path = os.path.join(product.top, "examples/traces", name)
        tap.guarded(name, test_trace, chrome, folder, name, path)
        if product.shared:
            path = os.path.join(product.shared, TRACES[2])
            tap.guarded("bins", test_trace, chrome, folder, "bins", path, "--size", "1")
        else:
            tap.skip("bins", "no ../shared")
        tap.guarded("hour", test_short_wait, chrome, folder, "an hour", 1000)
        tap.guarded("hour", test_short_wait, chrome, folder, "an hour in 1 MB", 40000, "--size", "1")
    chrome.quit()
    tap.done()


if __name__ == "__main__":
    main()

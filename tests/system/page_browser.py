"""The page in a browser: it asks nobody for anything, complains of nothing, fits narrow and wide windows, shows calls
when one zooms in, and is whole without its script."""

import base64
import os
import re
import shutil
import tempfile

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.keys import Keys

import product

tap = product.Tap()

# Of regions and communicators, and thus in tooltips, tables and texts; 1 MB of it in one.
HOSTILE = {
    "hostile tags": "</script><img src=x onerror='alert(1)'>'>]]><svg onload=alert(1)>",
    "hostile direction": "\u202egnp.exe\u2066\u200f --><!-- &lt;b&gt; {{x}} %s %n",
    "hostile length": "x" * 1000000,
}
PROGRAM = """comm "%(name)s": 0 1
rank 0: compute 0..50 in "%(name)s"  send 50..52 to 1 tag 7  barrier 60..90 comm "%(name)s"
rank 1: compute 0..10 in "%(name)s"  recv 10..53 from 0 tag 7  barrier 55..90 comm "%(name)s"
"""
FEW = """oddeven-slow5-np16 mandel-mw-masterslow-np8 prk-stencil-slow6-np16 scorep-mw8 lulesh-np8 broken-truncated-evt
    broken-zero-evt broken-dlBug-sigkill-noanchor-np16 dcsort-slowleaf-np7 lulesh-slow3-np8 npb-cg-W-np8 npb-ep-W-np8
    npb-lu-W-drift-np4 pipeline-slowM1-np4 probe-coll-np4 probe-omp-ompt-t3 probe-thread-np4 public-pipit-pingpong
    scorep-colls scorep-halo-omp-skew""".split()


def browser():
    options = Options()
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))


def resize(chrome, width):
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def hover(chrome, x, y):
    chrome.execute_script(
        """const c = document.getElementById('canvas'), box = c.getBoundingClientRect();
        c.dispatchEvent(new PointerEvent('pointermove', {clientX: box.left + arguments[0],
            clientY: box.top + arguments[1], bubbles: true}));""",
        x,
        y,
    )
    return tip(chrome)


def tip(chrome):
    return chrome.execute_script("return document.getElementById('tip').textContent")


def settle(chrome):
    chrome.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")


def facts(text):
    """Of a call: who, where, its times, its record. The time line also says a role."""
    text = re.sub(r"^(\S+) \([^)]*\): ", r"\1: ", text)
    times = re.search(r"from (\S+) s to (\S+) s", text)
    record = re.search(r"record (\S+)", text)
    return (
        re.split(r"[,;]", text)[0],
        [float(t) for t in times.groups()] if times else None,
        record.group(1) if record else None,
        re.findall(r"(?:tag|to|from) \d+(?=,)|\d+ B", text),
        re.findall(r"waits \S+ \S+ for (\w+(?:\.\d+)?)", text),
        re.findall(r" B(?: and \d+ more)?, on ([^;]*);", text),
    )


CROWDED = """const crowded = [];
document.querySelectorAll('.plot .axis').forEach((axis) => {
  const shown = [...axis.querySelectorAll('text')].filter((t) => t.getClientRects().length).map((t) => [t.getBoundingClientRect(), t.textContent]);
  shown.forEach(([box, text], i) => { if (i > 0 && box.left < shown[i - 1][0].right) { crowded.push(`${shown[i - 1][1]} and ${text}`); } });
});
return crowded;"""


def keep(chrome, name, width):
    """What a person should look at: screenshots/NAME-WIDTH.png where the tests run."""
    os.makedirs("screenshots", exist_ok=True)
    height = chrome.execute_script("return document.documentElement.scrollHeight")
    clip = {"x": 0, "y": 0, "width": width, "height": min(height, 8000), "scale": 1}
    shot = chrome.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
    with open("screenshots/%s-%d.png" % (name.replace(" ", "-"), width), "wb") as out:
        out.write(base64.b64decode(shot["data"]))


def test_page(chrome, name, path):
    for width in (1280, 400):
        resize(chrome, width)
        chrome.get("file://" + path)
        settle(chrome)
        keep(chrome, name, width)
        shown = chrome.execute_script("return document.documentElement.scrollWidth")
        tap.ok(shown <= width, "%s: fits %d pixels" % (name, width), shown)
        tap.empty(chrome.execute_script(CROWDED)[:5], "%s: no number of an axis lies on another, %d pixels" % (name, width))
    resize(chrome, 1280)
    chrome.get("file://" + path)
    settle(chrome)
    asked = chrome.execute_script("return performance.getEntriesByType('resource').map(e => e.name)")
    tap.empty(asked, name + ": asks nobody")


def test_zoom(chrome, name):
    """The calls that a picture shows are those that the time line shows there."""
    titles = chrome.execute_script(
        "return [...document.querySelectorAll('article.cause:first-of-type figure g > title')].map(t => t.textContent)"
    )
    titles = [t for t in titles if "; record " in t and facts(t)[1][1] > facts(t)[1][0]]
    if not titles:
        tap.skip(name + ": zooms to a call", "no cause with calls in its picture")
        return
    chrome.execute_script("document.querySelector('article.cause a[href=\"#timeline\"]').click()")
    settle(chrome)
    labels = chrome.execute_script(
        "return [...document.querySelectorAll('#data [data-calls]')].map(e => e.dataset.label)"
    )
    begin, end, ticks, width, gutter = chrome.execute_script(
        """const c = document.getElementById('canvas');
        return [Number(c.dataset.from), Number(c.dataset.to),
            Number(document.getElementById('data').dataset.ticks), c.clientWidth, Number(c.dataset.gutter)]"""
    )
    complaints = []
    for title in titles[:: max(len(titles) // 40, 1)]:
        who, times, *_ = facts(title)
        middle = sum(times) / 2 * ticks
        x = gutter + (middle - begin) / (end - begin) * (width - gutter)
        pixel = (end - begin) / (width - gutter) / ticks
        label = who.split(":")[0]
        if times[1] - times[0] < 2 * pixel or not gutter < x < width or labels.index(label) >= 48:
            continue
        shown = hover(chrome, x, labels.index(label) * 18 + 21)
        if facts(shown) != facts(title):
            complaints.append("%s\nis shown as\n%s" % (title, shown))
    tap.empty(complaints, name + ": a call under the pointer is that of the picture")
    chrome.find_element("id", "canvas").send_keys("0", "n")
    settle(chrome)
    shown = tip(chrome)
    tap.ok("waits" in shown or "no wait" in shown, name + ": the next wait", shown)
    chrome.find_element("id", "canvas").send_keys(Keys.ARROW_DOWN, "+", Keys.ARROW_RIGHT, Keys.ENTER)
    settle(chrome)
    tap.ok(re.match(r"[^:]+: ", tip(chrome)) is not None, name + ": keys move", tip(chrome))


def test_links(chrome, name):
    """The link of each cause leads to its stretch, with some room around it."""
    moves = chrome.execute_async_script(
        """const done = arguments[0], c = document.getElementById('canvas'), found = [];
        const links = [...document.querySelectorAll('article.cause a[href="#timeline"]')];
        const next = () => {
          const link = links.shift();
          if (!link) { done(found); return; }
          const id = link.closest('article').id, frame = document.querySelector(`[data-frame="${id}"]`);
          link.click();
          requestAnimationFrame(() => requestAnimationFrame(() => {
            found.push([id, Number(frame.dataset.from), Number(frame.dataset.to), Number(c.dataset.from), Number(c.dataset.to)]);
            next(); }));
        };
        next();"""
    )
    frames = chrome.execute_script("return document.querySelectorAll('[data-frame]').length")
    tap.ok(len(moves) == frames, name + ": each stretch has its link", (len(moves), frames))
    # The run ends somewhere, so there may be less room on one side; of very short ones ten ticks are shown.
    wrong = [m for m in moves if m[3] > m[1] or m[4] < m[2] or m[4] - m[3] > max(1.6 * (m[2] - m[1]), 12)]
    tap.empty(wrong, name + ": links lead to the stretches of their causes")


def test_print(chrome, name):
    answer = chrome.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    content = base64.b64decode(answer["data"])
    pages = len(re.findall(rb"/Type\s*/Page\b", content))
    tap.ok(content.startswith(b"%PDF") and 1 <= pages <= 30, name + ": prints", pages)


def order_of(trace, what, address):
    """What `marple order` says: of which call, records by location, and whether there may be more."""
    document = product.parse(product.run("order", what, trace, address, "--format", "json").out)
    known = {m["location"]: m["record"] for m in document[what]}
    return document["a"]["begin"]["record"], known, document["is_complete"]


def click(chrome, x, y):
    chrome.execute_script(
        """const c = document.getElementById('canvas'), box = c.getBoundingClientRect();
        for (const what of ['pointerdown', 'pointerup']) {
          c.dispatchEvent(new PointerEvent(what, {clientX: box.left + arguments[0], clientY: box.top + arguments[1],
              bubbles: true, pointerId: 1}));
        }""",
        x,
        y,
    )


def test_order(chrome, name, trace):
    """A click on a call shows what `marple order` says of it, within what is drawn."""
    titles = chrome.execute_script(
        "return [...document.querySelectorAll('article.cause:first-of-type figure g > title')].map(t => t.textContent)"
    )
    titles = [t for t in titles if "; record " in t and facts(t)[1][1] > facts(t)[1][0]]
    if not titles:
        tap.skip(name + ": before and after a call", "no cause with calls in its picture")
        return
    chrome.execute_script("document.querySelector('article.cause a[href=\"#timeline\"]').click()")
    settle(chrome)
    begin, end, ticks, width, gutter, whole, labels = chrome.execute_script(
        """const c = document.getElementById('canvas'), d = document.getElementById('data').dataset;
        return [Number(c.dataset.from), Number(c.dataset.to), Number(d.ticks), c.clientWidth, Number(c.dataset.gutter), d.net,
            [...document.querySelectorAll('#data [data-calls]')].map(e => e.dataset.label)]"""
    )
    complaints, n = [], 0
    for title in titles[:: max(len(titles) // 8, 1)]:
        who, times, record, *_ = facts(title)
        label, middle = who.split(":")[0], sum(times) / 2
        x = gutter + (middle * ticks - begin) / (end - begin) * (width - gutter)
        if times[1] - times[0] < 4 * (end - begin) / (width - gutter) / ticks or not gutter < x < width or labels.index(label) >= 48:
            continue
        click(chrome, x, labels.index(label) * 18 + 21)
        shown = chrome.execute_script(
            "return [...document.querySelectorAll('#order tbody tr')].map(e => [e.dataset.who, e.dataset.past, e.dataset.future])"
        )
        text = chrome.execute_script("return document.getElementById('order').textContent")
        n += 1
        if "record " + record not in text:
            complaints.append("%s is not what is asked about: %s" % (title, text))
        for what, column in ("past", 1), ("future", 2):
            first, known, is_complete = order_of(trace, what, "%s@%.9f" % (label, middle))
            if record != "%s#%d" % (label, first):
                continue  # Idle threads are in no call for it.
            page = {row[0]: int(row[column]) for row in shown if row[column]}
            # A page of a part knows nothing of what is outside of it; no table has more than 48 rows.
            if whole == "1" and len(labels) <= 48 and page != known or not page.items() <= known.items():
                complaints.append("%s of %s: %s, not %s" % (what, title, page, known))
            if not is_complete and "There may be more" not in text:
                complaints.append("%s of %s: nothing says that there may be more" % (what, title))
    tap.empty(complaints, "%s: before and after %d calls is what order says" % (name, n))


def test_without_script(chrome, name, path):
    chrome.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    chrome.get("file://" + path)
    chrome.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    canvas = chrome.find_elements("id", "canvas")
    picture = chrome.find_elements("css selector", "#run svg")
    tap.ok(
        not canvas and (not picture or picture[0].is_displayed()),
        name + ": has its picture without the script",
    )


def test_trace(chrome, folder, name, trace):
    path = os.path.join(folder, name + ".html")
    answer = product.run("diagnose", "--format", "html", "-o", path, trace)
    if not os.path.exists(path):
        tap.ok(False, name + ": a page", answer)
        return
    test_page(chrome, name, path)
    if chrome.find_elements("id", "canvas"):
        test_links(chrome, name)
        test_zoom(chrome, name)
        test_order(chrome, name, trace)
    test_print(chrome, name)
    tap.empty([e["message"] for e in chrome.get_log("browser")], name + ": no complaint of the browser")
    test_without_script(chrome, name, path)


def test_other(chrome, folder, name, *words):
    """Pages of other commands: each of their time lines can be zoomed."""
    path = os.path.join(folder, name + ".html")
    answer = product.run(words[0], "--format", "html", "-o", path, *words[1:])
    if not os.path.exists(path):
        tap.ok(False, name + ": a page", answer)
        return
    test_page(chrome, name, path)
    lines = chrome.find_elements("class name", "canvas")
    tap.ok(len(lines) == (2 if words[0] == "diff" else 1), name + ": its time lines", len(lines))
    steps = chrome.execute_script("return [...document.querySelectorAll('.bar input')].map(e => Number(e.max))")
    chrome.get("file://%s#step=%d" % (path, min(steps, default=1)))
    settle(chrome)
    shown = chrome.execute_script(
        """return [...document.querySelectorAll('.canvas')].map((c, i) => [Number(c.dataset.from), Number(c.dataset.to),
            Number(document.querySelectorAll('.data')[i].dataset.end)])"""
    )
    tap.empty([s for s in shown if steps and s[1] - s[0] > s[2] / 2], name + ": a step in each of them")
    tap.empty([e["message"] for e in chrome.get_log("browser")], name + ": no complaint of the browser")


def main():
    if not shutil.which("chromedriver"):
        tap.ok(False, "chromedriver is there")
        tap.done()
    chrome = browser()
    with tempfile.TemporaryDirectory() as folder:
        traces = {}
        for name, text in HOSTILE.items():
            traces[name] = hostile = os.path.join(folder, name + ".trace")
            with open(hostile, "w", encoding="utf-8") as out:
                out.write(PROGRAM % {"name": text})
        traces.update({"mw-slow-master": os.path.join(product.top, "examples/traces/mw-slow-master")})
        traces.update((n, os.path.join(product.shared, n)) for n in FEW if os.path.isdir(os.path.join(product.shared, n)))
        for name, trace in traces.items():
            tap.guarded(name, test_trace, chrome, folder, name, trace)
        example = os.path.join(product.top, "examples/traces/mw-slow-master")
        tap.guarded("check", test_other, chrome, folder, "check", "check", example)
        tap.guarded("check", test_other, chrome, folder, "check hostile", "check", hostile)
        if product.shared:
            both = [os.path.join(product.shared, n) for n in ("oddeven-np16", "oddeven-swapBug-np16")]
            tap.guarded("diff", test_other, chrome, folder, "diff", "diff", *both)
        else:
            tap.skip("diff: a page", "no ../shared")
    chrome.quit()
    tap.done()


if __name__ == "__main__":
    main()

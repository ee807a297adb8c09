"""The page for everybody: contrast in light and dark, colours that the colour-blind tell apart, names for whom does not
see, the keyboard alone, anchors, and paper."""

import base64
import itertools
import os
import re
import subprocess
import tempfile

import page_browser
import product
from page_browser import Keys

tap = product.Tap()

LOOKS = ("compute", "p2p", "collective", "other", "edge", "wait")
# Which of three kinds of cones sees nothing: Machado, Oliveira and Fernandes (2009), table 1, severity 1.0.
BLIND = {
    "nobody": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
# Lightness and hue in CIE L*a*b*: 2.3 is just noticeable.
LEAST_DIFFERENCE = 10


def linear(value):
    value /= 255
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def lab(rgb):
    xyz = (
        (0.4124 * rgb[0] + 0.3576 * rgb[1] + 0.1805 * rgb[2]) / 0.95047,
        0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2],
        (0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9505 * rgb[2]) / 1.08883,
    )
    x, y, z = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def seen_by(matrix, rgb):
    rgb = [linear(v) for v in rgb]
    return lab([min(max(sum(a * b for a, b in zip(row, rgb)), 0), 1) for row in matrix])


def test_colours(chrome, theme):
    colours = chrome.execute_script(
        """const pen = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
        return arguments[0].map((look) => {
          pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--' + look).trim();
          pen.fillRect(0, 0, 1, 1);
          return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3); });""",
        LOOKS,
    )
    for who, matrix in BLIND.items():
        seen = dict(zip(LOOKS, (seen_by(matrix, c) for c in colours)))
        close = [
            "%s and %s" % pair
            for pair in itertools.combinations(LOOKS, 2)
            if sum((a - b) ** 2 for a, b in zip(seen[pair[0]], seen[pair[1]])) ** 0.5 < LEAST_DIFFERENCE
        ]
        tap.empty(close, "%s: colours differ for %s" % (theme, who))


CONTRAST = """
const parse = (text) => (text.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
const light = (c) => { const l = c.slice(0, 3).map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2]; };
const behind = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor);
  if (c.length < 4 || c[3] > 0) { return c; } } return [255, 255, 255]; };
document.querySelectorAll('details').forEach((d) => { d.open = true; });
let n = 0;
const wrong = [];
for (const e of document.querySelectorAll('body *')) {
  const text = [...e.childNodes].filter((c) => c.nodeType === 3).map((c) => c.data).join('').trim();
  if (!text || !e.getClientRects().length || ['SCRIPT', 'STYLE', 'title'].includes(e.tagName)) { continue; }
  const style = getComputedStyle(e), front = parse(e instanceof SVGElement ? style.fill : style.color);
  const a = light(front), b = light(behind(e)), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  n++;
  if (ratio < 4.5) { wrong.push(e.tagName + '.' + e.getAttribute('class') + ' ' + ratio.toFixed(2) + ': ' + text.slice(0, 40)); }
}
return [n, [...new Set(wrong)]];"""


def test_theme(chrome, name, page, theme):
    chrome.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": theme}]}
    )
    chrome.get("file://" + page)
    n, wrong = chrome.execute_script(CONTRAST)
    tap.ok(n > 50, "%s, %s: texts are there" % (name, theme), n)
    tap.empty(wrong, "%s, %s: texts stand out 4.5 to 1" % (name, theme))
    test_colours(chrome, "%s, %s" % (name, theme))
    chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


UNNAMED = """
const name = (e) => (e.getAttribute('aria-label') || e.textContent || e.title || '').trim();
const wrong = [];
const check = (what, ok) => document.querySelectorAll(what).forEach((e) => { if (!ok(e)) { wrong.push(what + ' ' + e.outerHTML.slice(0, 80)); } });
check('button, a, summary, [role=img], [role=application], [role=region]', name);
check('input', (e) => e.labels.length);
check('table', (e) => e.caption && e.caption.textContent.trim());
check('th', (e) => e.scope);
check('svg', (e) => e.getAttribute('role') === 'img' || e.closest('[aria-hidden=true], svg[role=img]'));
check('.wide', (e) => e.tabIndex === 0);
if (!document.documentElement.lang || !document.title || document.querySelectorAll('main, h1').length !== 2) { wrong.push('page'); }
let level = 1;
document.querySelectorAll('h1, h2, h3, h4').forEach((h) => {
  const now = Number(h.tagName[1]);
  if (now > level + 1) { wrong.push('heading ' + h.textContent); }
  level = now; });
return wrong;"""


def window(chrome):
    page_browser.settle(chrome)
    return chrome.execute_script(
        """const c = document.getElementById('canvas'), t = Number(document.getElementById('data').dataset.ticks);
        return [Number(c.dataset.from) / t, Number(c.dataset.to) / t]"""
    )


def focused(chrome):
    return chrome.execute_script(
        """const e = document.activeElement, s = getComputedStyle(e);
        return [e.id, e.tagName, e.textContent, s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2]"""
    )


def test_keyboard(chrome, name):
    """From the beginning of the page with the tabulator alone to the time line, and through it."""
    seen = []
    for _ in range(60):
        page_browser.webdriver.ActionChains(chrome).send_keys(Keys.TAB).perform()
        seen.append(focused(chrome))
        if seen[-1][0] == "canvas":
            break
    tap.ok(seen[-1][0] == "canvas", name + ": the tabulator reaches the time line", seen[-3:])
    tap.empty([f for f in seen if not f[3]], name + ": where the focus is can be seen")
    press = lambda *keys: page_browser.webdriver.ActionChains(chrome).send_keys(*keys).perform()
    whole = window(chrome)
    press("+")
    near = window(chrome)
    tap.ok(abs((near[1] - near[0]) * 2 - (whole[1] - whole[0])) < 1e-6, name + ": + zooms in", (whole, near))
    press(Keys.ARROW_RIGHT)
    right = window(chrome)
    tap.ok(right[0] > near[0], name + ": arrows move", (near, right))
    press("0", Keys.ARROW_DOWN, Keys.ENTER)
    tap.ok(window(chrome) == whole, name + ": 0 shows the whole run", window(chrome))
    tip = page_browser.tip(chrome)
    tap.ok(re.match(r"[^:]+: .*from \S+ s to \S+ s", tip) is not None, name + ": Enter says what is there", tip)
    pressed = lambda: chrome.execute_script(
        "return ['path', 'arrows'].map(id => document.getElementById(id).getAttribute('aria-pressed'))"
    )
    press("c", "a")
    tap.ok(pressed() == ["true", "false"], name + ": c shows the critical path, a hides arrows", pressed())
    tap.ok("critical path" in page_browser.tip(chrome), name + ": and says so", page_browser.tip(chrome))
    press("N")
    tap.ok("waits" in page_browser.tip(chrome), name + ": N goes to a wait", page_browser.tip(chrome))


# ---- anchors -------------------------------------------------------------------------------------


def test_steps(chrome, name, page, trace):
    """#step=N is the stretch that the view of that step has."""
    steps = chrome.execute_script("const i = document.getElementById('step'); return i && Number(i.max)")
    if not steps:
        tap.skip(name + ": steps", "the run has none")
        return
    for step in sorted({1, steps // 2, steps}):
        rows = product.parse(product.run("view", "timeline", "--format", "json", "--step", str(step), trace).out)["rows"]
        begin, end = min(r[1] for r in rows), max(r[2] for r in rows)
        chrome.get("about:blank")
        chrome.get("file://%s#step=%d" % (page, step))
        shown = window(chrome)
        tip = page_browser.tip(chrome)
        times = [float(t) for t in re.findall(r"from (\S+) s to (\S+) s", tip)[0]]
        tap.ok(
            shown[0] <= begin and shown[1] >= end and shown[1] - shown[0] < 2 * (end - begin),
            "%s: #step=%d shows it" % (name, step), (shown, begin, end))
        tap.ok(
            abs(times[0] - begin) < 1e-9 and abs(times[1] - end) < 1e-9,
            "%s: #step=%d is when the view says" % (name, step), (tip, begin, end))
    chrome.get("file://%s#step=%d" % (page, steps + 1))
    page_browser.settle(chrome)
    tap.ok("steps 1 to %d" % steps in page_browser.tip(chrome), name + ": a step too many", page_browser.tip(chrome))
    chrome.execute_script(
        """const c = document.querySelector('.heat > svg > svg'), box = c.getBoundingClientRect();
        c.dispatchEvent(new MouseEvent('click', {clientX: box.right - 1, clientY: box.top + 2, bubbles: true}))""")
    tap.ok(chrome.current_url.endswith("#step=%d" % steps) or "#step=" in chrome.current_url, name + ": a click on the heat map leads to its step", chrome.current_url)


def test_findings(chrome, name, page):
    frames = chrome.execute_script(
        """const t = Number(document.getElementById('data').dataset.ticks);
        return [...document.querySelectorAll('[data-frame]')].map(e =>
          [e.dataset.frame, Number(e.dataset.from) / t, Number(e.dataset.to) / t])""")
    for finding, begin, end in frames:
        chrome.get("about:blank")
        chrome.get("file://%s#%s" % (page, finding))
        shown = window(chrome)
        tap.ok(shown[0] <= begin and shown[1] >= end and shown[1] - shown[0] < 2 * (end - begin),
               "%s: #%s moves the time line there" % (name, finding), (shown, begin, end))
        top = chrome.execute_script("return document.getElementById(arguments[0]).getBoundingClientRect().top", finding)
        tap.ok(-2 <= top < 900, "%s: #%s is in the window" % (name, finding), top)


# ---- paper ---------------------------------------------------------------------------------------


def words_of(path):
    """The text of a PDF, where something reads it."""
    try:
        done = subprocess.run(["pdftotext", path, "-"], capture_output=True, check=False)
    except OSError:
        return None
    return done.stdout.decode("utf-8", "replace")


def test_print(chrome, folder, name, page):
    chrome.get("file://" + page)
    headline = chrome.execute_script("return document.querySelector('h1').textContent")
    answer = chrome.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    path = os.path.join(folder, name + ".pdf")
    with open(path, "wb") as out:
        out.write(base64.b64decode(answer["data"]))
    with open(path, "rb") as file:
        content = file.read()
    tap.ok(content.startswith(b"%PDF") and 1 <= len(re.findall(rb"/Type\s*/Page\b", content)) <= 20, name + ": prints", len(content))
    text = words_of(path)
    if text is None:
        tap.skip(name + ": paper says it", "no pdftotext")
    else:
        tap.ok(headline.split()[-1] in text and "What this rests on".split()[-1] in text, name + ": paper says it", text[:200])
    chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    shown = chrome.execute_script(
        """const is = (what) => { const e = document.querySelector(what); return e ? e.getClientRects().length > 0 : null; };
        return [is('#run'), is('#canvas'), is('.bar'), is('#tip')]""")
    tap.ok(shown == [True, False, False, False], name + ": on paper the whole run, and nothing to press", shown)
    chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_trace(chrome, folder, name, trace):
    page = os.path.join(folder, name + ".html")
    product.run("diagnose", "--format", "html", "-o", page, trace)
    page_browser.resize(chrome, 1280)
    for theme in "light", "dark":
        test_theme(chrome, name, page, theme)
    chrome.get("file://" + page)
    tap.empty(chrome.execute_script(UNNAMED), name + ": all has a name")
    test_keyboard(chrome, name)
    test_steps(chrome, name, page, trace)
    test_findings(chrome, name, page)
    test_print(chrome, folder, name, page)
    tap.empty([e["message"] for e in chrome.get_log("browser")], name + ": no complaint of the browser")


def main():
    chrome = page_browser.browser()
    with tempfile.TemporaryDirectory() as folder:
        traces = {"mw-slow-master": os.path.join(product.top, "examples/traces/mw-slow-master")}
        for name in "oddeven-slow5-np16", "scorep-halo-imb":
            path = os.path.join(product.shared or "-", name)
            if os.path.isdir(path):
                traces[name] = path
            else:
                tap.skip(name, "no ../shared")
        for name, trace in traces.items():
            tap.guarded(name, test_trace, chrome, folder, name, trace)
    chrome.quit()
    tap.done()


if __name__ == "__main__":
    main()

"""How long a browser takes for pages: browser.py PAGE...

Per page, in milliseconds: when it has painted first, when all of it is there, time lines and all; while it is zoomed
and moved by a key per frame, the time from frame to frame (no less than 16.7: a screen shows 60 a second), and how
much of that the script takes: medians and the longest. Then the same while rows are gone through."""

import os
import shutil
import sys

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

LOADED = """const of = performance.timing, paint = performance.getEntriesByType('paint')[0];
return [paint ? paint.startTime : NaN, of.loadEventEnd - of.navigationStart];"""

# A key per frame; a frame of the page is drawn between two of ours.
FRAMES = """const keys = arguments[0], done = arguments[1], canvas = document.getElementById('canvas');
const next = window.requestAnimationFrame.bind(window), frames = [], script = [];
const sum = (all) => { all.sort((a, b) => a - b); return [all[all.length >> 1], all[all.length - 1]]; };
window.requestAnimationFrame = (draw) => next((time) => {
  const begin = performance.now();
  draw(time);
  script.push(performance.now() - begin);
});
let i = 0, last = 0;
const step = (time) => {
  if (last) { frames.push(time - last); }
  last = time;
  if (i === keys.length) {
    window.requestAnimationFrame = next;
    done(sum(frames).concat(sum(script)));
    return;
  }
  canvas.dispatchEvent(new KeyboardEvent('keydown', { key: keys[i++], bubbles: true, cancelable: true }));
  next(step);
};
canvas.scrollIntoView();
next(step);"""

TIMES = [k for k in ("+", "ArrowRight", "+", "ArrowLeft", "+", "+", "-") for _ in range(8)] + ["0"]
ROWS = ["PageDown"] * 40 + ["PageUp"] * 20


def browser():
    options = Options()
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(word)
    chrome = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    chrome.set_script_timeout(120)
    size = {"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    return chrome


def main():
    chrome = browser()
    heads = ("MB", "painted", "there", "frame", "longest", "script", "longest", "rows", "longest", "script", "longest")
    print("  ".join("%8s" % h for h in heads))
    for path in sys.argv[1:]:
        chrome.get("file://" + os.path.abspath(path))
        figures = chrome.execute_script(LOADED)
        for keys in (TIMES, ROWS):
            figures += chrome.execute_async_script(FRAMES, keys)
        print("  ".join("%8.1f" % f for f in [os.path.getsize(path) / 1e6] + figures))
    chrome.quit()


if __name__ == "__main__":
    main()

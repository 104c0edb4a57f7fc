#!/usr/bin/env python3
"""Checks a report in headless Chromium, light and dark, at desktop and phone size.

    browser_test.py PROGRAM            test the page that PROGRAM prints
    browser_test.py --page FILE        test an existing page
    … --screenshots FOLDER             save screenshots

Fails on a console message, a request for anything except the page, a chart without a curve, a page
wider than the screen, a pointer that shows no values, a zoom without effect, or a table that does
not sort. An existing page need not have a chart; the time that it takes to open is printed. Drives Chromium over a pair of pipes with the DevTools protocol, which needs
no other package.
"""
import argparse
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
SCREENS = {"desktop": (1280, 900, False), "phone": (390, 844, True)}
THEMES = ("light", "dark")

# Returns the faults of a page at this theme and width, as sentences.
LOOK = """((theme, most, needsChart) => {
  const wrong = [];
  const width = document.documentElement.scrollWidth;
  if (width > most) wrong.push(`the page is ${width} pixels wide`);
  const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number);
  if ((r + g + b > 384) !== (theme === "light")) wrong.push(`the background is ${r},${g},${b}`);
  const plots = [...document.querySelectorAll(".plot")];
  if (plots.length === 0 && needsChart) wrong.push("there is no chart");
  for (const plot of plots) {
    const name = plot.closest(".panel").id;
    if (plot.offsetWidth < 250) wrong.push(`${name} is ${plot.offsetWidth} pixels wide`);
    const canvas = plot.querySelector("canvas");
    if (!canvas) { wrong.push(`${name} has no canvas`); continue; }
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const context = copy.getContext("2d", {willReadFrequently: true});
    context.drawImage(canvas, 0, 0);
    const pixels = context.getImageData(0, 0, copy.width, copy.height).data;
    // Axes and grid are grey. Each curve of a model must be visible in its own colour.
    for (const swatch of plot.closest(".panel").querySelectorAll(".rwa, .lstm")) {
      const colour = getComputedStyle(swatch).color.match(/\\d+/g).map(Number);
      let found = 0;
      for (let i = 0; i < pixels.length; i += 4) {
        if (pixels[i + 3] > 200 && colour.every((c, k) => Math.abs(c - pixels[i + k]) < 24)) ++found;
      }
      if (found < 5) wrong.push(`${name}: no curve in the colour of ${swatch.className}`);
    }
  }
  return wrong;
})"""

CENTRE_OF_FIRST_PLOT = """(() => {
  const plot = document.querySelector(".plot");
  plot.scrollIntoView({block: "center"});
  const box = plot.getBoundingClientRect();
  return [box.left, box.top, box.width, box.height];
})()"""
VALUES = """[...document.querySelector(".plot").closest(".panel").querySelectorAll("output")]
    .map(o => o.textContent)"""
TICKS = """[...document.querySelector(".plot").querySelectorAll(".dygraph-axis-label-x")]
    .map(o => o.textContent)"""

# Sorts the first table that sorts by its first column, twice. Returns the faults as sentences.
SORT = """(() => {
  const table = document.querySelector("table.sorts");
  if (!table) return [];
  const header = table.tHead.rows[0].cells[0];
  const texts = () => [...table.tBodies[0].rows].map(row => row.cells[0].textContent);
  const wrong = [];
  header.querySelector("button").click();
  const rising = texts();
  if (header.ariaSort !== "ascending") wrong.push("a sorted column is not marked");
  header.querySelector("button").click();
  if (texts().reverse().join() !== rising.join()) wrong.push("a table does not sort");
  return wrong;
})()"""


class Browser:
    """Chromium, and one page in it."""

    def __init__(self, program, profile, needs_chart):
        self.needs_chart = needs_chart
        commands, to_browser = os.pipe()
        from_browser, answers = os.pipe()
        # Chromium reads commands from descriptor 3 and answers on 4.
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{commands} 4>&{answers}', "bash", program, "--headless",
             "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(commands, answers), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self.out = os.fdopen(to_browser, "wb", buffering=0)
        self.reader = os.fdopen(from_browser, "rb", buffering=0)
        self.buffer = b""
        self.events = []
        self.number = 0
        self.session = None
        self.slowest = 0
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(t["targetId"] for t in targets if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def receive(self):
        while b"\0" not in self.buffer:
            piece = self.reader.read(1 << 16)
            if not piece:
                raise RuntimeError("the browser ended")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **params):
        self.number += 1
        command = {"id": self.number, "method": method, "params": params}
        if self.session:
            command["sessionId"] = self.session
        self.out.write(json.dumps(command).encode() + b"\0")
        while True:
            message = self.receive()
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def wait_for(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.receive())

    def evaluate(self, code):
        result = self.call("Runtime.evaluate", expression=code, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"]["description"])
        return result["result"].get("value")

    def look(self, theme, width):
        return self.evaluate(f"{LOOK}({json.dumps(theme)}, {width}, {json.dumps(self.needs_chart)})")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def open(self, url, theme, width, height, mobile):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=2 if mobile else 1, mobile=mobile)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": theme}])
        self.events.clear()
        self.call("Page.navigate", url=url)
        self.wait_for("Page.loadEventFired")
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.slowest = max(self.slowest, self.evaluate("performance.now()"))

    def screenshot(self, file):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True,
                         clip={"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1})
        file.write_bytes(base64.b64decode(shot["data"]))

    def complaints(self, url):
        """Returns console messages, and requests for anything except the page."""
        found = []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                details = params["exceptionDetails"]
                found.append(details.get("exception", {}).get("description", details["text"]))
            elif method == "Runtime.consoleAPICalled":
                found.append("console: " + " ".join(str(a.get("value")) for a in params["args"]))
            elif method == "Log.entryAdded":
                found.append("console: " + params["entry"]["text"])
            elif method == "Network.requestWillBeSent" and params["request"]["url"] != url:
                found.append("it asks for " + params["request"]["url"])
        return found

    def close(self):
        self.out.close()  # Chromium exits when its command pipe closes
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def use(browser):
    """Checks that the pointer shows values, dragging zooms, a double click resets, and the button changes the theme."""
    if not browser.evaluate("document.querySelector('.plot') !== null"):
        return []
    left, top, width, height = browser.evaluate(CENTRE_OF_FIRST_PLOT)
    x, y = left + 0.4 * width, top + 0.5 * height
    wrong = []
    before = browser.evaluate(TICKS)
    browser.mouse("mouseMoved", x, y)
    if not any(browser.evaluate(VALUES)):
        wrong.append("the pointer shows no values")
    browser.mouse("mousePressed", x, y, button="left", clickCount=1)
    browser.mouse("mouseMoved", x + 0.2 * width, y, button="left", buttons=1)
    browser.mouse("mouseReleased", x + 0.2 * width, y, button="left", clickCount=1)
    if browser.evaluate(TICKS) == before:
        wrong.append("dragging does not zoom")
    for kind in ("mousePressed", "mouseReleased") * 2:
        browser.mouse(kind, x, y, button="left", clickCount=2)
    if browser.evaluate(TICKS) != before:
        wrong.append("a double click does not reset")
    browser.evaluate("document.getElementById('theme').click()")
    return wrong + browser.look("dark", SCREENS["desktop"][0])


def check(browser, url, screenshots):
    wrong = []
    for screen, metrics in SCREENS.items():
        for theme in THEMES:
            browser.open(url, theme, *metrics)
            found = browser.look(theme, metrics[0])
            if screenshots:
                browser.screenshot(screenshots / f"{screen}-{theme}.png")
            if (screen, theme) == ("desktop", "light") and not found:
                found += use(browser) + browser.evaluate(SORT)
            found += browser.complaints(url)
            wrong += [f"{screen}, {theme}: {text}" for text in found]
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?")
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--screenshots", type=pathlib.Path)
    options = parser.parse_args()
    if (options.program is None) == (options.page is None):
        parser.error("expected PROGRAM or --page FILE")
    chromium = shutil.which("chromium")
    if chromium is None:
        print("skipped: chromium is not installed (Debian: apt install chromium)")
        return SKIPPED
    if options.screenshots:
        options.screenshots.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="rwa-browser-", ignore_cleanup_errors=True) as folder:
        page = options.page
        if page is None:
            page = pathlib.Path(folder) / "page.html"
            page.write_bytes(subprocess.run([options.program], check=True, stdout=subprocess.PIPE).stdout)
        browser = Browser(chromium, folder + "/profile", options.page is None)
        try:
            wrong = check(browser, page.resolve().as_uri(), options.screenshots)
        finally:
            browser.close()
    print("\n".join(wrong) or "no faults found")
    if options.page:
        print(f"opened in {browser.slowest:.0f} ms at most")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

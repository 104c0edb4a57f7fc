#!/usr/bin/env python3
"""Build examples/browser with a small network, open it in headless Chromium and draw.

    RWA_PROGRAM=build/release/rwa RWA_NODE_MODULES=…/node_modules tests/browser/browser_test.py

The drawings (drawings.py) do not come from the example's own script, which generates the training
data. RWA_SCREENSHOTS=FOLDER keeps screenshots.
"""
from __future__ import annotations

import contextlib
import functools
import http.server
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import types
import unittest
from collections.abc import Iterator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import drawings  # noqa: E402

TESTS = pathlib.Path(__file__).resolve().parent.parent
EXAMPLE = TESTS.parent / "examples/browser"
SHAPES = ("line", "circle", "triangle", "zigzag")
QUICK = (
    "STROKES=--strokes 600 --shapes " + ",".join(SHAPES),
    "TRAIN=--cell rwa-forget --units 40 --epochs 16 --schedule cosine --learning-rate 0.008",
)

# Records the prediction at each step, and the positions of the pointer.
LISTEN = """(() => {
  const sheet = document.getElementById("sheet");
  [window.told, window.seen] = [[], []];
  sheet.addEventListener("answer", (event) => told.push(event.detail));
  sheet.addEventListener("pointerdown", (event) => seen.push([event.clientX, event.clientY]));
  sheet.addEventListener("pointermove", (event) => {
    for (const part of event.getCoalescedEvents()) seen.push([part.clientX, part.clientY]);
  });
})()"""
# Resolves when the condition holds, or after 20 seconds.
UNTIL = """new Promise((done) => {
  const begun = performance.now();
  const look = () => {
    const holds = Boolean(%s);
    if (holds || performance.now() - begun > 20000) done(holds); else setTimeout(look, 10);
  };
  look();
})"""
SHEET = """(({left, top, width}) => [left, top, width])(
    document.getElementById("sheet").getBoundingClientRect())"""
BUTTONS = "[...document.querySelectorAll('#shapes button')]"


def report_test() -> types.ModuleType:
    """Load tests/report/browser_test.py, which has the class Browser."""
    file = TESTS / "report/browser_test.py"
    spec = importlib.util.spec_from_file_location("report_browser_test", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def served(folder: pathlib.Path) -> Iterator[str]:
    """Serve the folder like `python3 -m http.server` and yield its address."""
    handler = functools.partial(QuietHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


def needed(name: str, what: str) -> str:
    """Return an environment variable; skip the tests if it is not set."""
    value = os.environ.get(name)
    if not value:
        raise unittest.SkipTest(f"{name} is not set, expected {what}")
    return value


class BrowserTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        chromium = shutil.which("chromium")
        if chromium is None:
            raise unittest.SkipTest("chromium is not installed (Debian: apt install chromium)")
        cls.program = needed("RWA_PROGRAM", "the program rwa")
        modules = needed("RWA_NODE_MODULES", "the folder that npm ci creates from tests/node")
        cls.build = pathlib.Path(tempfile.mkdtemp(prefix="rwa-browser-"))
        cls.addClassCleanup(shutil.rmtree, cls.build, ignore_errors=True)
        made = subprocess.run(
            [
                "make",
                "-C",
                EXAMPLE,
                f"BUILD={cls.build}",
                f"RWA={cls.program}",
                f"PYTHON={sys.executable}",
                f"NODE_MODULES={modules}",
                *QUICK,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if made.returncode:
            raise RuntimeError(made.stdout)
        stack = contextlib.ExitStack()
        cls.addClassCleanup(stack.close)
        cls.address = stack.enter_context(served(cls.build / "site"))
        cls.report = report_test()
        cls.browser = cls.report.Browser(chromium, str(cls.build / "profile"), False)
        stack.callback(cls.browser.close)

    def open(self, screen="desktop", theme="light"):
        self.browser.open(self.address, theme, *self.report.SCREENS[screen])
        self.until(BUTTONS + ".length", "the network was not loaded")
        self.browser.evaluate(LISTEN)
        self.left, self.top, self.side = self.browser.evaluate(SHEET)
        self.labels = self.browser.evaluate(BUTTONS + ".map(b => b.innerText.trim())")

    def until(self, condition: str, otherwise: str):
        result = self.browser.call(
            "Runtime.evaluate", expression=UNTIL % condition, awaitPromise=True, returnByValue=True
        )
        if not result["result"].get("value"):
            self.fail(f"{otherwise}; the page says {self.text('about')!r}")

    def text(self, identity: str) -> str:
        return self.browser.evaluate(f"document.getElementById('{identity}').innerText")

    def sure(self) -> list[float]:
        """Return the lengths of the bars."""
        return self.browser.evaluate(
            BUTTONS + ".map(b => Number(b.style.getPropertyValue('--sure')))"
        )

    def places(self, shape: str, which: int = 0) -> drawings.Places:
        drawn = drawings.drawn(drawings.DRAWINGS[shape][which], seed=1, pace=14)
        scale = self.side / drawings.SIDE
        return [(self.left + scale * x, self.top + scale * y) for x, y in drawn]

    def begin(self, places: drawings.Places):
        self.browser.evaluate("told.length = seen.length = 0")
        self.browser.mouse("mousePressed", *places[0], button="left", buttons=1, clickCount=1)
        self.move(places[1:])

    def move(self, places: drawings.Places):
        for place in places:
            self.browser.mouse("mouseMoved", *place, button="left", buttons=1)

    def lift(self, place: tuple[float, float]):
        self.browser.mouse("mouseReleased", *place, button="left", clickCount=1)

    def told(self) -> list[dict]:
        """Return the predictions at each step of the stroke, after the pen was lifted."""
        self.until("told.at(-1)?.x[2] === 1", "no prediction for the end of the stroke")
        return self.browser.evaluate("told")

    def draw(self, places: drawings.Places) -> list[dict]:
        self.begin(places)
        self.lift(places[-1])
        return self.told()

    def keep(self, name: str):
        folder = os.environ.get("RWA_SCREENSHOTS")
        if folder:
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
            self.browser.screenshot(pathlib.Path(folder) / f"{name}.png")

    def test_says_what_is_drawn(self):
        self.open()
        self.assertEqual(sorted(SHAPES), sorted(self.labels))
        for shape in SHAPES:
            for which in range(len(drawings.DRAWINGS[shape])):
                with self.subTest(shape=shape, which=which):
                    last = self.draw(self.places(shape, which))[-1]["probabilities"]
                    self.assertEqual(shape, self.labels[last.index(max(last))])
                    self.assertEqual(shape, self.text("name"))
                    self.assertRegex(self.text("spoken"), f"^{shape}, \\d+ percent$")
            self.keep(shape)

    def test_bars_move_while_the_pen_does(self):
        self.open()
        places = self.places("zigzag")
        seen = []
        self.begin(places[:1])
        for part in (places[1:10], places[10:]):
            self.move(part)
            self.until("told.length > 0", "no prediction before the pen is lifted")
            seen.append(self.sure())
        self.assertRegex(self.text("name"), r"^\w+\?$")
        self.assertGreater(max(abs(a - b) for a, b in zip(*seen)), 0.1)
        self.lift(places[-1])
        told = self.told()
        for answer in told:
            self.assertAlmostEqual(1, sum(answer["probabilities"]), places=5)
        for shown, said in zip(self.sure(), told[-1]["probabilities"]):
            self.assertAlmostEqual(shown, said, delta=1e-4)

    def test_follows_the_pen_as_the_script_does(self):
        self.open()
        told = self.draw(self.places("circle", 1))
        points = [
            complex(x - self.left, y - self.top) / self.side
            for x, y in self.browser.evaluate("seen")
        ]
        steps = list(drawings.strokes.follow(points))
        self.assertEqual(len(steps) + 1, len(told))
        for step, answer in zip(steps, told):
            self.assertAlmostEqual(step.real, answer["x"][0], places=6)
            self.assertAlmostEqual(step.imag, answer["x"][1], places=6)

    def test_agrees_with_the_program(self):
        self.open()
        told = self.draw(self.places("triangle"))
        self.assertGreater(len(told), 40)
        lines = "".join(json.dumps({"x": answer["x"]}) + "\n" for answer in told)
        answers = subprocess.run(
            [self.program, "stream", self.build / "model", "--json"],
            input=lines,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout
        self.assertEqual(len(told), len(answers.splitlines()))
        for step, (answer, line) in enumerate(zip(told, answers.splitlines())):
            expected = json.loads(line)["probabilities"]
            for label, probability in zip(self.labels, answer["probabilities"]):
                self.assertAlmostEqual(
                    expected[label], probability, delta=1e-4, msg=f"step {step}, {label}"
                )

    def test_a_new_stroke_is_a_new_beginning(self):
        self.open()
        places = self.places("circle")
        first = self.draw(places)
        self.begin(self.places("line")[:9])  # Replaced before it ends.
        self.assertEqual(first, self.draw(places))

    def test_a_dot_says_nothing(self):
        self.open()
        places = self.places("line")
        self.draw(places)
        self.begin(places[:1])
        self.lift(places[0])
        self.assertEqual("", self.text("name") + self.text("spoken"))
        self.assertEqual([0] * len(SHAPES), self.sure())

    def test_a_key_has_a_shape_drawn(self):
        self.open()
        for shape in ("circle", "zigzag"):
            self.browser.evaluate("told.length = 0")
            self.browser.evaluate(f"{BUTTONS}[{self.labels.index(shape)}].focus()")
            for kind in ("keyDown", "keyUp"):
                self.browser.call(
                    "Input.dispatchKeyEvent",
                    type=kind,
                    key="Enter",
                    code="Enter",
                    text="\r",
                    windowsVirtualKeyCode=13,
                )
            self.told()
            self.assertEqual(shape, self.text("name"))

    def test_a_finger_draws_on_a_phone(self):
        self.browser.call("Emulation.setTouchEmulationEnabled", enabled=True)
        self.addCleanup(self.browser.call, "Emulation.setTouchEmulationEnabled", enabled=False)
        for theme in self.report.THEMES:
            self.open("phone", theme)
            kind = "touchStart"
            for x, y in self.places("triangle"):
                self.browser.call(
                    "Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y}]
                )
                kind = "touchMove"
            self.browser.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
            self.told()
            self.assertEqual("triangle", self.text("name"))
            self.assertEqual([], self.browser.look(theme, self.report.SCREENS["phone"][0]))
            self.keep(f"phone-{theme}")

    def test_needs_nothing_from_elsewhere_and_does_not_complain(self):
        self.open(theme="dark")
        self.draw(self.places("circle"))
        self.assertEqual([], self.browser.look("dark", self.report.SCREENS["desktop"][0]))
        ours = ("it asks for " + self.address, "it asks for data:")
        self.assertEqual(
            [],
            [
                found
                for found in self.browser.complaints(self.address)
                if not found.startswith(ours)
            ],
        )

    def test_says_what_is_wrong_with_a_model(self):
        broken = self.build / "broken"
        shutil.copytree(self.build / "site", broken)
        model = broken / "model.onnx"
        model.write_bytes(model.read_bytes().replace(b'["dx","dy","up"]', b'["up","dx","dy"]'))
        with served(broken) as address:
            for wrong in ("the model reads up,dx,dy, expected dx,dy,up", "model.onnx: 404"):
                self.browser.open(address, "light", *self.report.SCREENS["desktop"])
                said = f"document.getElementById('about').innerText.startsWith({json.dumps(wrong)})"
                self.until(said, f"expected {wrong!r}")
                model.unlink(missing_ok=True)


if __name__ == "__main__":
    unittest.main()

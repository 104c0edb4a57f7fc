"""The package as a whole: how it finds its library, what it imports, what it raises."""

from __future__ import annotations

import ast
import re
import sys
import threading
import time
import unittest

import rwa
from rwa import _library
from support import ROOT, run_python


class Loading(unittest.TestCase):
    def test_imports_neither_numpy_nor_torch(self) -> None:
        code = "import rwa, sys; print([m for m in ('numpy', 'torch') if m in sys.modules])"
        found = run_python(code)
        self.assertEqual(found.stdout.strip(), "[]", found.stderr)

    def test_a_missing_library_is_named(self) -> None:
        found = run_python("import rwa", RWA_LIBRARY="/nowhere/librwa_c.so")
        self.assertNotEqual(found.returncode, 0)
        self.assertIn("ImportError: rwa: found no library /nowhere/librwa_c.so", found.stderr)

    def test_another_file_is_no_library(self) -> None:
        found = run_python("import rwa", RWA_LIBRARY=__file__)
        self.assertIn("ImportError: rwa: cannot load the library", found.stderr)

    def test_another_version_is_refused(self) -> None:
        version = _library.API_VERSION
        self.addCleanup(setattr, _library, "API_VERSION", version)
        _library.API_VERSION = version + 1
        with self.assertRaisesRegex(ImportError, f"version {version} .*expected {version + 1}"):
            _library._load()

    def test_knows_every_function_of_the_header(self) -> None:
        header = (ROOT / "include" / "rwa" / "c_api.h").read_text()
        header = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
        declared = {}
        for kind, name, arguments in re.findall(
            r"RWA_C_EXPORT\s+([\w\s*]+?)\s*(rwa_\w+)\(([^)]*)\)", header
        ):
            if kind.strip() == "rwa_result":
                declared[name] = arguments.count(",") + 1
        self.assertGreater(len(declared), 40)
        known = {name: len(types) for name, types in _library._ARGUMENTS.items()}
        self.assertEqual(known, declared)
        for name in known:
            self.assertTrue(getattr(_library.library, name))

    def test_sources_are_python_3_9(self) -> None:
        files = [*(ROOT / "python").rglob("*.py"), *(ROOT / "tests" / "python").glob("*.py")]
        files.append(ROOT / "tools" / "python_build.py")
        self.assertGreater(len(files), 15)
        for file in files:
            with self.subTest(file=file.name):
                tree = ast.parse(file.read_text(), str(file), feature_version=(3, 9))
                self.assertTrue(ast.get_docstring(tree))

    def test_all_names_are_there(self) -> None:
        for name in rwa.__all__:
            with self.subTest(name=name):
                self.assertIsNotNone(getattr(rwa, name))
        self.assertLessEqual(set(rwa.__all__), set(dir(rwa)))
        with self.assertRaisesRegex(AttributeError, "no attribute 'nothing'"):
            rwa.nothing


class Words(unittest.TestCase):
    def test_version_and_devices(self) -> None:
        cmake = (ROOT / "CMakeLists.txt").read_text()
        self.assertIn(f"VERSION {rwa.__version__} ", cmake)
        self.assertEqual(rwa.devices()[0].name, "cpu")
        self.assertTrue(rwa.devices()[0].description)

    def test_errors_are_those_of_python_too(self) -> None:
        for error, base in [
            (rwa.ConfigError, ValueError),
            (rwa.InputError, ValueError),
            (rwa.DivergenceError, ArithmeticError),
            (rwa.ResourceError, OSError),
            (rwa.ModelFileError, rwa.Error),
            (rwa.Interrupted, rwa.Error),
        ]:
            with self.subTest(error=error.__name__):
                self.assertTrue(issubclass(error, base))
                self.assertTrue(issubclass(error, rwa.Error))

    def test_options_that_cannot_be(self) -> None:
        model = rwa.Model(units=2)
        for words, make in [
            ("unknown cell 'gated', expected one of: rwa,", lambda: rwa.Model(cell="gated")),
            ('units is "many", expected a whole number', lambda: rwa.Model(units="many")),
            ("units is 0, expected 1", lambda: rwa.Model(units=0)),
            ("dropout is nan, expected", lambda: rwa.Model(dropout=float("nan"))),
            ("units is <object.*it has the type object", lambda: rwa.Model(units=object())),
            ("abacus", lambda: rwa.Session(model, device="abacus")),
            ("threads is 0", lambda: rwa.Session(model, threads=0)),
            ("beta1 is 2", lambda: rwa.Trainer(model, beta1=2)),
            ("no stream", lambda: rwa.Stream(rwa.Model(bidirectional=True))),
        ]:
            with self.subTest(words=words), self.assertRaisesRegex(rwa.ConfigError, words):
                make()

    def test_an_unknown_option_has_the_nearest_name(self) -> None:
        with self.assertRaisesRegex(rwa.ConfigError, "unknown option 'unit', did you mean units"):
            _library.Handle(
                "rwa_model_free", _library.library.rwa_model_new, _library.options(unit=3)
            )


class Threads(unittest.TestCase):
    def test_others_run_while_the_library_works(self) -> None:
        """No other thread gets a turn but where this one lets go of the interpreter."""
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        turns, end = [0], threading.Event()

        def count() -> None:
            while not end.is_set():
                turns[0] += 1
                time.sleep(0)

        model = rwa.Model(units=128)
        x = rwa.Array((400, 16, 1))
        session = rwa.Session(model)
        thread = threading.Thread(target=count)
        thread.start()
        sys.setswitchinterval(100)
        try:
            before = turns[0]
            session.run(x)
            after = turns[0]
        finally:
            sys.setswitchinterval(0.005)
            end.set()
            thread.join()
        self.assertGreater(after, before)

    def test_one_session_may_be_shared(self) -> None:
        session = rwa.Session(rwa.Model(inputs=2, units=16))
        x = [[[0.5, -1.0]] * 3] * 20
        expected = session.run(x).tolist()
        found = []
        threads = [
            threading.Thread(target=lambda: found.append(session.run(x).tolist())) for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [expected] * 8)


if __name__ == "__main__":
    unittest.main()

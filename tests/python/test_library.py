"""The package as a whole: finding the library, imports, exceptions, handles and threads."""

from __future__ import annotations

import ast
import copy
import gc
import os
import pickle
import re
import sys
import threading
import time
import unittest
from ctypes import c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint8, c_void_p
from pathlib import Path
from typing import Any

import rwa
import rwa.torch._handles as torch_handles
from rwa import _from_arrays, _library
from support import ROOT, run_python


NUMBERS = {
    "int": c_int,
    "uint8_t": c_uint8,
    "int32_t": c_int32,
    "int64_t": c_int64,
    "size_t": c_size_t,
    "double": c_double,
}


def header() -> str:
    """Return the C header without its comments."""
    text = (ROOT / "include" / "rwa" / "c_api.h").read_text()
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def type_of(declaration: str) -> Any:
    """Return the ctypes type of a parameter or field such as `const char* path`."""
    kind = declaration.rpartition(" ")[0].replace("const ", "").strip()
    if kind == "char*":
        return c_char_p
    return c_void_p if kind.endswith(("*", "* const")) or kind == "rwa_listener" else NUMBERS[kind]


def functions() -> dict[str, tuple[str, tuple[Any, ...]]]:
    """Return the result type and argument types of each function."""
    found = re.findall(r"RWA_C_EXPORT\s+([\w\s*]+?)\s*(rwa_\w+)\(([^)]*)\)", header())
    return {
        name: (kind, tuple(type_of(a.strip()) for a in arguments.split(",") if a != "void"))
        for kind, name, arguments in found
    }


def structs() -> dict[str, list[tuple[str, Any]]]:
    found = re.findall(r"typedef struct rwa_\w+ \{(.*?)\}\s*(rwa_\w+);", header(), re.DOTALL)
    return {
        name: [(f.split()[-1], type_of(f.strip())) for f in fields.split(";") if f.strip()]
        for fields, name in found
    }


class Header(unittest.TestCase):
    def test_the_functions_are_those_of_the_header(self) -> None:
        declared = functions()
        self.assertGreater(len(declared), 50)
        failing = {n: takes for n, (gives, takes) in declared.items() if gives == "rwa_result"}
        self.assertEqual(_library._ARGUMENTS, failing)
        for name, (gives, takes) in declared.items():
            function = getattr(_library.library, name)
            self.assertEqual(tuple(function.argtypes), takes, name)
            if name not in failing:
                gives = {"void": None, "void*": c_void_p, "const char*": c_char_p, "int": c_int}[
                    gives
                ]
                self.assertIs(function.restype, gives, name)

    def test_the_structs_are_those_of_the_header(self) -> None:
        known = {
            "rwa_batch": _library.Batch,
            "rwa_targets": _library.Targets,
            "rwa_sequence": _from_arrays.RawSequence,
            "rwa_layer_input": torch_handles._Input,
            "rwa_layer_output": torch_handles._Output,
            "rwa_layer_gradient": torch_handles._Gradient,
        }
        self.assertEqual({name: list(type._fields_) for name, type in known.items()}, structs())

    def test_sizes_are_not_cut_off(self) -> None:
        for steps in (2**31, 2**32 + 5, -(2**31) - 1):
            with self.assertRaisesRegex(rwa.InputError, f"steps is {steps}, .*32-bit"):
                _library.Batch(steps=steps)
            with self.assertRaisesRegex(rwa.InputError, f"steps is {steps}, .*32-bit"):
                _from_arrays.RawSequence().steps = steps
        self.assertEqual(_library.Batch(None, None, None, 2**31 - 1, 3).steps, 2**31 - 1)


class Loading(unittest.TestCase):
    def test_imports_neither_numpy_nor_torch(self) -> None:
        code = "import rwa, sys; print([m for m in ('numpy', 'torch') if m in sys.modules])"
        found = run_python(code)
        self.assertEqual(found.stdout.strip(), "[]", found.stderr)

    def test_a_missing_library_is_named(self) -> None:
        found = run_python("import rwa", RWA_LIBRARY="/nowhere/librwa_c.so")
        self.assertNotEqual(found.returncode, 0)
        self.assertIn("ImportError: rwa: found no library /nowhere/librwa_c.so", found.stderr)

    def test_a_library_in_the_folder_that_one_is_in(self) -> None:
        chosen = Path(os.environ.get("RWA_LIBRARY", Path(rwa.__file__).with_name("librwa_c.so")))
        found = run_python("import rwa", folder=chosen.parent, RWA_LIBRARY=chosen.name)
        self.assertEqual(found.returncode, 0, found.stderr)

    def test_another_file_is_no_library(self) -> None:
        found = run_python("import rwa", RWA_LIBRARY=__file__)
        self.assertIn("ImportError: rwa: cannot load the library", found.stderr)

    def test_another_version_is_refused(self) -> None:
        version = _library.API_VERSION
        self.addCleanup(setattr, _library, "API_VERSION", version)
        _library.API_VERSION = version + 1
        with self.assertRaisesRegex(ImportError, f"version {version} .*expected {version + 1}"):
            _library._load()

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
            ("units is <object.*type object is not JSON", lambda: rwa.Model(units=object())),
            ("abacus", lambda: rwa.Session(model, device="abacus")),
            ("threads is 0", lambda: rwa.Session(model, threads=0)),
            ("beta1 is 2", lambda: rwa.Trainer(model, beta1=2)),
            ("cannot be streamed", lambda: rwa.Stream(rwa.Model(bidirectional=True))),
        ]:
            with self.subTest(words=words), self.assertRaisesRegex(rwa.ConfigError, words):
                make()

    def test_an_unknown_option_has_the_nearest_name(self) -> None:
        with self.assertRaisesRegex(rwa.ConfigError, "unknown option 'unit', did you mean units"):
            _library.Handle(
                "rwa_model_free", _library.library.rwa_model_new, _library.options(unit=3)
            )


class Handles(unittest.TestCase):
    def test_no_copy_and_no_pickle(self) -> None:
        data = rwa.Sequences.from_arrays([[1.0]])
        for value in (data, data._handle):
            for work in (copy.deepcopy, pickle.dumps):
                with self.assertRaisesRegex(TypeError, "cannot be copied or pickled"):
                    work(value)

    def test_half_made_ones_go_without_words(self) -> None:
        raised: list[Any] = []
        self.addCleanup(setattr, sys, "unraisablehook", sys.unraisablehook)
        sys.unraisablehook = raised.append
        _library.Handle.__new__(_library.Handle)
        gc.collect()
        self.assertEqual(raised, [])


class Threads(unittest.TestCase):
    def test_others_run_while_the_library_works(self) -> None:
        """Other threads run only if this one releases the GIL."""
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
            for _ in range(1000):  # on a busy machine, others may not get their turn at once
                session.run(x)
                if turns[0] > before:
                    break
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

"""Sequences, read from files and built from arrays."""

from __future__ import annotations

import gc
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from typing import Any
from unittest import mock

import rwa
from rwa import Sequences
from rwa._library import described

try:
    import numpy
except ImportError:
    numpy = None

DATA = pathlib.Path(__file__).resolve().parents[1] / "data" / "formats"
PROGRAM = os.environ.get("RWA_PROGRAM")


class FilesTest(unittest.TestCase):
    def test_numbers_and_classes(self) -> None:
        data = rwa.read(DATA / "good" / "classes.jsonl")
        self.assertEqual((len(data), data.features, data.task), (3, ["x0", "x1"], "class"))
        self.assertEqual((data.labels, data.y), (["up", "down"], ["up", "down", "up"]))
        self.assertEqual([one.id for one in data][:2], ["a", "7"])
        self.assertEqual(data[0].x.shape, (2, 2))
        self.assertTrue(math.isnan(data[0].x[1, 1]))
        self.assertEqual(data[0].x[1, 0], 3.0)
        self.assertEqual((data[2].x.shape, data[2].x.tolist()), ((0, 2), []))
        self.assertEqual(data[-1].y, "up")
        with self.assertRaises(IndexError):
            data[3]

    def test_symbols(self) -> None:
        letters = rwa.read(DATA / "good" / "one_label.txt")
        self.assertTrue(letters.of_symbols)
        self.assertIsInstance(letters[0].x, str)
        words = rwa.read(DATA / "good" / "words.jsonl")
        self.assertEqual(words[0].x, ["the", "cat"])
        self.assertEqual(words[0].y, ["D", "N"])
        several = rwa.read(DATA / "good" / "several_labels.txt")
        self.assertIn(frozenset("ab"), several.y)

    def test_several_files_and_options(self) -> None:
        files = [DATA / "good" / "records.fa", DATA / "good" / "numbers.fa"]
        data = rwa.read(files, label_from="file", kmer=2)
        self.assertEqual(data.labels, ["records", "numbers"])
        self.assertEqual(max(len(symbol) for symbol in data.symbols), 2)
        numbers = rwa.read(DATA / "good" / "numbers.jsonl", target="y", task="numbers")
        self.assertEqual(numbers.targets, ["y0", "y1"])
        self.assertEqual(numbers[0].y, [0.5, 1.0])
        words = rwa.read(DATA / "good" / "one_label.txt", tokens="words", lower=True)
        self.assertEqual(words[1].x, ["not", "fine"])

    def test_findings_and_warnings(self) -> None:
        data = rwa.read(DATA / "good" / "classes.jsonl")
        self.assertEqual(set(data.findings), {"columns", "task", "warnings"})

        def doubtful(function: Any, *arguments: Any) -> Any:
            about = described(function, *arguments)
            return {**about, "findings": {"columns": [], "task": "", "warnings": ["not sorted"]}}

        with mock.patch("rwa.sequences.described", doubtful):
            with self.assertWarnsRegex(UserWarning, "not sorted") as caught:
                rwa.read(DATA / "good" / "classes.jsonl")
        self.assertEqual(caught.filename, __file__)

    def test_what_is_wrong_is_said(self) -> None:
        with self.assertRaisesRegex(
            rwa.ConfigError, r"clases.jsonl: no such file or folder, did you mean classes.jsonl"
        ):
            rwa.read(DATA / "good" / "clases.jsonl")
        with self.assertRaisesRegex(rwa.ConfigError, "unknown format 'cvs'"):
            rwa.read(DATA / "good" / "classes.jsonl", format="cvs")
        with self.assertRaisesRegex(rwa.InputError, "ragged.jsonl:2:16: found 1 value"):
            rwa.read(DATA / "bad" / "ragged.jsonl")

    @unittest.skipUnless(PROGRAM, "RWA_PROGRAM does not name the program to compare with")
    def test_every_file_is_read_as_the_program_reads_it(self) -> None:
        seen = 0
        for file in sorted(DATA.glob("*/*")):
            with self.subTest(file=file.name):
                run = subprocess.run([PROGRAM, "inspect", file], capture_output=True, text=True)
                try:
                    data = rwa.read(file)
                except rwa.Error as error:
                    self.assertIn(str(error), run.stderr)
                    continue
                self.assertEqual(run.returncode, 0, run.stderr)
                counts = re.search(r"sequences +(\d+) of (?:(\d+) to )?(\d+) steps?", run.stdout)
                lengths = [len(one.x) for one in data]
                shortest = counts[2] or counts[3]
                self.assertEqual([int(counts[1]), int(shortest), int(counts[3])],
                                 [len(data), min(lengths), max(lengths)])
                self.assertRegex(run.stdout, rf"task +{data.task}\b")
                self.assertRegex(run.stdout, rf"format +{data.format}\b")
                seen += 1
        self.assertGreater(seen, 10)


class ArraysTest(unittest.TestCase):
    def test_lists_need_no_numpy(self) -> None:
        script = (
            "import rwa, sys\n"
            "data = rwa.Sequences.from_arrays([[[1, 2], [3, 4]], [[5, 6]]], ['a', 'b'])\n"
            "assert data[0].x.tolist() == [[1, 2], [3, 4]] and data.y == ['a', 'b']\n"
            "assert 'numpy' not in sys.modules\n"
        )
        subprocess.run([sys.executable, "-c", script], check=True)

    def test_unequal_lengths_and_views(self) -> None:
        data = Sequences.from_arrays([[[1, 2], [3, 4]], [], [[5, 6]]], ids=["p", "q", "r"])
        self.assertEqual([len(one.x) for one in data], [2, 0, 1])
        self.assertEqual([one.id for one in data], ["p", "q", "r"])
        view = data[2].x
        del data
        gc.collect()
        self.assertEqual(view.tolist(), [[5, 6]])  # the list lives as long as the view
        with self.assertRaises(TypeError):
            view[0, 0] = 1

    def test_a_step_may_be_one_number(self) -> None:
        data = Sequences.from_arrays([[1, 2, 3], [4]])
        self.assertEqual((data.features, data[0].x.shape), (["x"], (3, 1)))

    def test_answers_and_what_they_are_for(self) -> None:
        X = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
        for y, task in (
            (["a", "b", "a"], "class"),
            ([0, 1, 0], "class"),
            ([True, False, True], "class"),
            ([0.5, 1.5, 2.5], "numbers"),
            ([{"a"}, {"a", "b"}, set()], "labels"),
            ([["a", "b"], ["b", "b"], ["a", "a"]], "class-per-step"),
            ([[0.5, 1.0], [1.0, 2.0], [3.0, 4.0]], "numbers-per-step"),
            ([[0.5, 1.0, 2.0], [1.0, 2.0, 3.0], [3.0, 4.0, 5.0]], "numbers"),
            ([[[0.5, 1.0], [2.0, 3.0]]] * 3, "numbers-per-step"),
        ):
            with self.subTest(y=y):
                data = Sequences.from_arrays(X, y)
                self.assertEqual((data.task, data.y), (task, y))
        self.assertEqual(Sequences.from_arrays(X).task, "forecast")
        explicit = Sequences.from_arrays(X, [[0.5, 1.0], [1.0, 2.0], [3.0, 4.0]], task="numbers")
        self.assertEqual(explicit.targets, ["y0", "y1"])

    def test_texts(self) -> None:
        data = Sequences.from_arrays(["añb", "b", ""], [1, 0, 1])
        self.assertEqual((data.symbols, data[0].x, data.labels), (["a", "ñ", "b"], "añb", [1, 0]))
        words = Sequences.from_arrays([["to", "be"], ["or"]])
        self.assertEqual(words[0].x, ["to", "be"])

    def test_the_first_with_steps_tells_what_they_are(self) -> None:
        words = Sequences.from_arrays([[], ["to", "be"], ""])
        self.assertTrue(words.of_symbols)
        self.assertEqual([len(one.x) for one in words], [0, 2, 0])
        numbers = Sequences.from_arrays(["", [], [[1, 2]]])
        self.assertFalse(numbers.of_symbols)
        self.assertEqual([one.x.shape for one in numbers], [(0, 2), (0, 2), (1, 2)])
        self.assertTrue(Sequences.from_arrays(["", ""]).of_symbols)
        self.assertFalse(Sequences.from_arrays([[], []]).of_symbols)

    def test_parts_of_a_list_make_a_list(self) -> None:
        data = Sequences.from_arrays([[1, 2], [3], [4]], [{"a"}, {"b"}, {"a", "b"}], ids="pqr")
        part = Sequences.from_arrays(data[1:])
        self.assertEqual([tuple(one.x.tolist()) for one in part], [([3.0],), ([4.0],)])
        self.assertEqual((part.y, part.task, part[0].id), ([{"b"}, {"a", "b"}], "labels", "q"))

    @unittest.skipUnless(numpy, "NumPy is not installed")
    def test_layouts_of_three_dimensions(self) -> None:
        cube = numpy.arange(24, dtype=numpy.float64).reshape(2, 3, 4)
        expected = Sequences.from_arrays(list(cube)).x
        self.assertEqual(expected[1].shape, (3, 4))
        for layout, axes in (("ntc", (0, 1, 2)), ("nct", (0, 2, 1)), ("tnc", (1, 0, 2))):
            found = Sequences.from_arrays(cube.transpose(axes), layout=layout).x
            numpy.testing.assert_array_equal(found, expected)
        with self.assertRaisesRegex(rwa.InputError, r'\(2, 3, 4\).*"ntc".*"nct" or "tnc"'):
            Sequences.from_arrays(cube)
        with self.assertRaisesRegex(rwa.InputError, "'ctn', expected one of: ntc, nct, tnc"):
            Sequences.from_arrays(cube, layout="ctn")

    @unittest.skipUnless(numpy, "NumPy is not installed")
    def test_numpy_in_and_out(self) -> None:
        X = [numpy.ones((2, 3)), numpy.zeros((0, 3)), numpy.full((1, 3), numpy.nan)]
        data = Sequences.from_arrays(X, numpy.array([3, 5, 3]))
        self.assertEqual(data.labels, [3, 5])
        for found, given in zip(data.x, X):
            numpy.testing.assert_array_equal(found, given)
            self.assertEqual(found.dtype, numpy.float32)
        self.assertFalse(data.x[0].flags.writeable)
        with self.assertRaisesRegex(rwa.InputError, "steps is 4294967301, .*32-bit"):
            Sequences.from_arrays([numpy.zeros((1, 2)), numpy.zeros((2**32 + 5, 0))])

    def test_bad_inputs_have_good_words(self) -> None:
        for words, X, y in (
            ("X is the str 'abc'", "abc", None),
            (r"X\[1\] has shape \(1, 1\), expected \[T, 2\]", [[[1, 2]], [[3]]], None),
            (r"X\[0\] has shape \(1, 1, 1\)", [[[[1]]]], None),
            (r"X\[1\] has numbers, expected symbols as in X\[0\]", ["ab", [1.0]], None),
            (r"X\[0\] has", [[["a", 1]]], None),
            ("y has length 1, expected 2, one target per sequence", [[1], [2]], ["a"]),
            (r"y\[1\] is the int 1, expected a label of type str", [[1], [2]], ["a", 1]),
            ("single targets and lists", [[1], [2]], ["a", ["b"]]),
            (r"a symbol of X\[0\] is .*without NUL", ["a\0"], None),
            (r"a symbol of X\[1\] is empty, expected a non-empty string", ["a", ["b", ""]], None),
            (r"X\[2\] has symbols, expected numbers as in X\[1\]", [[], [1.0], ["a"]], None),
            (r"y\[1\] is empty, expected a non-empty string", [[1], [2]], ["a", ""]),
            (r"y\[1\] is .*without NUL", [[1], [2]], ["a", "b\0"]),
            (r"y\[0\] is the .*, expected a label of type", [[1]], [{1, "a"}]),
            (r"y\[0\] is the NoneType None, expected a string or a number", [[1]], [{None}]),
        ):
            with self.subTest(words=words), self.assertRaisesRegex(rwa.InputError, words):
                Sequences.from_arrays(X, y)
        with self.assertRaisesRegex(rwa.ConfigError, "unknown task 'clas'"):
            Sequences.from_arrays([[1]], [1], task="clas")
        with self.assertRaisesRegex(rwa.InputError, "sequence 1 .*: steps: 2, labels: 3"):
            Sequences.from_arrays([[1, 2]], [["a", "b", "a"]], task="class-per-step")
        with self.assertRaisesRegex(rwa.InputError, "ids has length 1, expected 2"):
            Sequences.from_arrays([[1], [2]], ids=["a"])
        with self.assertRaisesRegex(
            rwa.InputError, r"ids\[1\] is 'a.x00b', expected a string without"
        ):
            Sequences.from_arrays([[1], [2]], ids=["a", "a\0b"])
        with self.assertRaisesRegex(rwa.InputError, "the path is .*without NUL"):
            rwa.read([DATA / "good" / "classes.jsonl", "a\0b"])


class FolderTest(unittest.TestCase):
    def test_a_folder_is_a_class_per_file(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for name in ("Irish", "Greek"):
                pathlib.Path(folder, f"{name}.txt").write_text("abc\nbcd\n")
            data = rwa.read(folder)
        self.assertEqual(data.y, ["Greek", "Greek", "Irish", "Irish"])


if __name__ == "__main__":
    unittest.main()

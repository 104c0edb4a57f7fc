#!/usr/bin/python3
"""Compare the modules that `rwa export --torch` writes with the library, for all cells or one.

    tests/export/torch_module_test.py PATH_OF_TORCH_SAMPLES [CELL]

Exits with 77 if PyTorch is not installed.
"""

from __future__ import annotations

import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

try:
    import torch
except ImportError:
    print("skipped: PyTorch is not installed (Debian: apt install python3-torch)")
    sys.exit(77)

torch.set_num_threads(1)  # the networks are small, and the machine may be busy
SAMPLES = ""  # the program that writes the samples
CELL: list[str] = []  # the cell of the networks; empty: all cells


def load_module(file: pathlib.Path) -> types.ModuleType:
    """Load a Python file as a module."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write_samples(kind: str, folder: str, *cell: str) -> list[pathlib.Path]:
    """Write samples and return the files of their modules."""
    command = [SAMPLES, kind, folder, *cell]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [pathlib.Path(folder, name + ".py") for name in done.stdout.split()]


class NetworkTest(unittest.TestCase):
    """Random networks of all parts."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.files = write_samples("networks", cls.folder.name, *CELL)
        cls.modules = [load_module(file) for file in cls.files]

    def each(self):
        """Yield the name, network and expected tensors of each sample."""
        self.assertGreater(len(self.files), 30 if CELL else 150)
        for file, module in zip(self.files, self.modules):
            with self.subTest(file.stem):
                expected = module.read_safetensors(file.with_suffix(".expected.safetensors"))
                yield file.stem, module.load(), expected

    @staticmethod
    def run_network(network: torch.nn.Module, expected: dict, lengths) -> torch.Tensor:
        """Run the module with invalid values as padding, which must not matter."""
        x = expected["x"].clone() if "x" in expected else expected["symbols"].long()
        if lengths is not None:
            past = torch.arange(len(x))[:, None] >= lengths
            x[past] = torch.nan if x.is_floating_point() else 999
        # A decoder takes the number of steps.
        said = (len(expected["y"]),) if hasattr(network, "decoder") else ()
        return network(x, *said, lengths=lengths)

    def test_outputs(self) -> None:
        for name, network, expected in self.each():
            lengths = expected["lengths"].long()
            for wanted, used in {"y": lengths, "y_whole": None}.items():
                y = self.run_network(network, expected, used)
                self.assertEqual(y.shape, expected[wanted].shape)
                if used is not None and "_every_" in name:
                    inside = torch.arange(len(y))[:, None] < lengths
                    y, expected[wanted] = y[inside], expected[wanted][inside]
                # Two orders of the same sums; large ones may cancel.
                size = max(1, expected[wanted].abs().max().item())
                torch.testing.assert_close(y, expected[wanted], rtol=1e-5, atol=1e-5 * size)

    def test_can_be_trained(self) -> None:
        for _, network, expected in self.each():
            network.train()
            y = self.run_network(network, expected, expected["lengths"].long())
            y.square().sum().backward()
            for name, parameter in network.named_parameters():
                if parameter.requires_grad:
                    self.assertTrue(parameter.grad.isfinite().all(), name)

    def test_can_be_read(self) -> None:
        for file in self.files:
            with self.subTest(file.stem):
                lines = file.read_text(encoding="utf-8").splitlines()
                self.assertLess(max(map(len, lines)), 101)
                self.assertLess(len(lines), 151)
                self.assertFalse([line for line in lines if line.rstrip() != line])
                self.assertNotIn("import rwa", lines)
                self.assertFalse([line for line in lines if line.startswith("#if") or "@" in line])

    def test_runs_as_a_script(self) -> None:
        for file in self.files[:: len(self.files) // 2]:
            done = subprocess.run(
                [sys.executable, file], check=True, capture_output=True, text=True
            )
            self.assertRegex(done.stdout, r"\(5, 2.*\) -> \(.*\)")


class DataTest(unittest.TestCase):
    """Networks with a description of their data."""

    def test_answers(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            files = write_samples("data", folder)
            self.assertEqual(len(files), 9)
            for file in files:
                with self.subTest(file.stem):
                    self.check(file)

    def check(self, file: pathlib.Path) -> None:
        module = load_module(file)
        sample = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
        sequence, expected = sample["sequence"], sample["answers"]
        if isinstance(sequence[0], list):
            sequence = [[float("nan") if x is None else x for x in row] for row in sequence]
        found = module.predict(module.load(), sequence)
        if isinstance(found, dict):
            found, expected = [found], [expected]
        self.assertEqual(len(found), len(expected))
        for answer, wanted in zip(found, expected):
            self.assertEqual(answer.keys(), wanted.keys())
            for name, value in answer.items():
                self.assertAlmostEqual(value / wanted[name], 1, delta=1e-4)


if __name__ == "__main__":
    SAMPLES = sys.argv.pop(1)
    CELL = [sys.argv.pop(1)] if len(sys.argv) > 1 else []
    unittest.main()

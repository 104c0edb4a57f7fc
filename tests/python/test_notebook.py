"""The notebooks run from the first cell to the last and contain their outputs."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pathlib
import unittest
from unittest import mock

try:
    import numpy
except ImportError:
    numpy = None

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "notebooks"
MOST_BYTES = 200 * 1024


@unittest.skipUnless(numpy, "NumPy is not installed")
class NotebookTest(unittest.TestCase):
    def test_every_cell_runs(self) -> None:
        notebooks = sorted(FOLDER.glob("*.ipynb"))
        self.assertTrue(notebooks)
        for path in notebooks:
            with self.subTest(notebook=path.name), mock.patch.dict(os.environ, MPLBACKEND="Agg"):
                self.run_cells(json.loads(path.read_text(encoding="utf-8")))

    def run_cells(self, notebook: dict) -> None:
        self.assertEqual(notebook["nbformat"], 4)
        names: dict = {}
        for cell in notebook["cells"]:
            if cell["cell_type"] == "code":
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
        self.assertIn("model", names)

    def test_outputs_are_kept_and_small(self) -> None:
        for path in FOLDER.glob("*.ipynb"):
            with self.subTest(notebook=path.name):
                self.assertLess(path.stat().st_size, MOST_BYTES)
                cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
                outputs = [out for cell in cells for out in cell.get("outputs", [])]
                kinds = {out["output_type"] for out in outputs}
                self.assertEqual(kinds, {"stream", "display_data"})


if __name__ == "__main__":
    unittest.main()

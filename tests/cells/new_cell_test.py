"""The package over a library with the cell of tests/cells/elman-inl.h: models and estimators."""

from __future__ import annotations

import math
import tempfile
import unittest
from pathlib import Path

import rwa


def elman(x: list, weights: dict, units: int) -> list:
    """Return the outputs after the last step of one sequence, in plain Python."""
    wide = {name: values.tolist() for name, values in weights.items()}
    h = [0.0] * units
    for row in x:
        sums = [
            bias
            + sum(w * v for w, v in zip(of_x, row))
            + sum(w * v for w, v in zip(of_h, h))
            for of_x, of_h, bias in zip(
                wide["layers.0.weight_x"], wide["layers.0.weight_h"], wide["layers.0.bias"]
            )
        ]
        h = [math.tanh(value) for value in sums]
    return [
        bias + sum(w * v for w, v in zip(row, h))
        for row, bias in zip(wide["output.weight"], wide["output.bias"])
    ]


class NewCellTest(unittest.TestCase):
    def test_is_listed(self) -> None:
        cell = rwa.cells()[-1]
        self.assertEqual(cell, rwa.Cell("elman", "Elman", "simple recurrent network", False))

    def test_a_model_is_what_the_formula_says(self) -> None:
        model = rwa.Model(cell="elman", inputs=2, units=3, outputs=2)
        x = [[0.5, -1.0], [0.25, 2.0], [-0.75, 0.125]]
        found = model([[row] for row in x]).tolist()[0]
        for value, expected in zip(found, elman(x, model.parameters, 3)):
            self.assertAlmostEqual(value, expected, places=5)

    def test_a_model_survives_a_file(self) -> None:
        model = rwa.Model(cell="elman", units=4)
        with tempfile.TemporaryDirectory() as folder:
            model.save(Path(folder, "model.safetensors"))
            again = rwa.Model.load(Path(folder, "model.safetensors"))
        self.assertEqual(again.config, model.config)
        self.assertEqual(again.weights.tolist(), model.weights.tolist())

    def test_an_estimator_learns(self) -> None:
        x = [[[math.sin(t * (1 + i % 2) + i)] for t in range(8)] for i in range(80)]
        y = ["even" if i % 2 == 0 else "odd" for i in range(80)]
        classifier = rwa.SequenceClassifier(cell="elman", units=16, epochs=60)
        classifier.fit(x, y)
        self.assertGreater(classifier.score(x, y), 0.9)


if __name__ == "__main__":
    unittest.main()

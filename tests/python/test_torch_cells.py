"""rwa.torch's averages are those of the library: the same gates, defaults and initial values."""

from __future__ import annotations

import inspect
import unittest
from typing import Dict, Tuple

import torch
import torch_testing as testing

import rwa
import rwa.torch
from rwa._library import described, library
from rwa.torch import _handles

INPUTS, UNITS = 30, 200
GATES = ("gates_x", "gates_h", "gates_bias")  # of rwa_layer_describe


def default(kind: type, name: str) -> object:
    return inspect.signature(kind.__init__).parameters[name].default


class CellsTest(unittest.TestCase):
    def test_gates_are_the_librarys(self) -> None:
        for cell, kind in testing.AVERAGES.items():
            layer = _handles.LayerHandle(_handles.Layer(cell, "tanh", 3, 5, False, "cpu", 1))
            about = described(library.rwa_layer_describe, layer)
            found = [list(gates) for gates in (kind.BLOCKS.x, kind.BLOCKS.h, kind.BLOCKS.bias)]
            self.assertEqual(found, [about[name] for name in GATES], cell)

    def test_defaults_are_the_librarys(self) -> None:
        config = rwa.Model().config
        self.assertEqual(default(rwa.torch.RWAForget, "span"), config["span"])
        self.assertEqual(default(rwa.torch.RWAForget, "lasting"), config["lasting"])
        self.assertEqual(default(rwa.torch.RWA, "activation"), config["activation"])

    def test_initial_values_are_drawn_like_the_librarys(self) -> None:
        for cell, kind in testing.AVERAGES.items():
            for options in ({}, {"span": 1000, "lasting": 0.25}) if cell != "rwa" else ({},):
                model = rwa.Model(cell=cell, inputs=INPUTS, units=UNITS, **options)
                module = kind(INPUTS, UNITS, **options)
                for ours, theirs in self.pairs(model, module).values():
                    self.compare(ours, theirs)

    def pairs(
        self, model: rwa.Model, module: torch.nn.Module
    ) -> Dict[str, Tuple[torch.Tensor, torch.Tensor]]:
        """Ours and the library's, each gate for itself."""
        names = {"weight_ih_l0": "weight_x", "weight_hh_l0": "weight_h"}
        names.update({"bias_l0": "bias", "start_l0": "start"})
        found = {}
        for ours, theirs in names.items():
            values = torch.from_dlpack(model.parameters[f"layers.0.{theirs}"])
            blocks = zip(getattr(module, ours).detach().split(UNITS), values.split(UNITS))
            found.update({f"{ours}.{place}": pair for place, pair in enumerate(blocks)})
        return found

    def compare(self, ours: torch.Tensor, theirs: torch.Tensor) -> None:
        """Where they are fixed they are the same; where they are drawn, their range and spread."""
        self.assertEqual(ours.shape, theirs.shape)
        for number in (0, 30):  # 30: forgets nothing
            self.assertTrue(torch.equal(ours == number, theirs == number))
        spread = [values[(values != 0) & (values != 30)] for values in (ours, theirs)]
        self.assertEqual(len(spread[0]), len(spread[1]))
        if len(spread[0]) > 0:
            width = spread[1].std().item()
            self.assertAlmostEqual(spread[0].std().item(), width, delta=0.25 * width)
            self.assertAlmostEqual(
                spread[0].mean().item(), spread[1].mean().item(), delta=width / 2
            )


if __name__ == "__main__":
    unittest.main()

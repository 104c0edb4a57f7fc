"""rwa.torch's cells match the library's: the same gates, defaults and initial values."""

from __future__ import annotations

import inspect
import unittest
from typing import Dict, Tuple

import oracle
import torch
import torch_testing as testing

import rwa
import rwa.torch
from rwa.torch import _cells

INPUTS, UNITS = 30, 200


def default(kind: type, name: str) -> object:
    return inspect.signature(kind.__init__).parameters[name].default


class CellsTest(unittest.TestCase):
    def test_gates_are_the_oracles(self) -> None:
        for cell, kind in testing.AVERAGES.items():
            layout = _cells.layout_of(kind.CELL)
            found = ["".join(gates) for gates in (layout.x, layout.h, layout.bias)]
            self.assertEqual(found, list(oracle.BLOCKS[cell]))

    def test_every_cell_has_a_module(self) -> None:
        x = testing.numbers(7, 4, 3)
        for cell in rwa.cells():
            module = rwa.torch.Recurrent(cell.name, 3, 5, num_layers=2, bidirectional=True)
            whole, after = module(x)
            first, state = module(x[:3])
            self.assertEqual(whole.shape, (7, 4, 10))
            state_parts = state if isinstance(state, tuple) else (state,)
            self.assertEqual({part.shape for part in state_parts}, {(4, 4, 5)})
            whole.square().sum().backward()
            for name, parameter in module.named_parameters():
                self.assertGreater(parameter.grad.abs().max(), 0, f"{cell.name}: {name}")

    def test_every_module_goes_on_where_it_was(self) -> None:
        x = testing.numbers(7, 4, 3)
        for cell in rwa.cells():
            module = testing.with_random_weights(rwa.torch.Recurrent(cell.name, 3, 5))
            whole, _ = module(x)
            first, state = module(x[:3])
            rest, _ = module(x[3:], state)
            self.assertTrue(torch.equal(torch.cat([first, rest]), whole), cell.name)

    def test_every_module_is_the_librarys_layer(self) -> None:
        x = testing.numbers(7, 4, 3)
        for cell in rwa.cells():
            model = rwa.Model(cell=cell.name, inputs=3, units=5, outputs=2, readout="every")
            module = rwa.torch.Recurrent(cell.name, 3, 5)
            with torch.no_grad():
                for name, theirs in testing.PARAMETERS.items():
                    if hasattr(module, name):
                        values = torch.from_dlpack(model.parameters[f"layers.0.{theirs}"])
                        getattr(module, name).copy_(values)
            weight, bias = (
                torch.from_dlpack(model.parameters[f"output.{name}"]) for name in ("weight", "bias")
            )
            expected = torch.from_dlpack(model(x))
            torch.testing.assert_close(module(x)[0] @ weight.t() + bias, expected)

    def test_the_averages_are_recurrent_modules(self) -> None:
        for cell, kind in testing.AVERAGES.items():
            torch.manual_seed(1)
            ours = rwa.torch.Recurrent(cell, 3, 5)
            torch.manual_seed(1)
            theirs = kind(3, 5)
            for a, b in zip(ours.parameters(), theirs.parameters()):
                self.assertTrue(torch.equal(a, b))
            self.assertEqual(repr(ours), f"Recurrent({cell!r}, 3, 5)")

    def test_what_a_cell_does_not_have_is_refused(self) -> None:
        for arguments, expected in (
            (("elmann", 3, 5), "elmann"),
            (("rwa", 3, 5), "never forgets"),
        ):
            with self.assertRaisesRegex(rwa.ConfigError, expected):
                rwa.torch.Recurrent(*arguments, span=3)

    def test_defaults_are_the_librarys(self) -> None:
        config = rwa.Model().config
        self.assertEqual(default(rwa.torch.RWAForget, "span"), config["span"])
        self.assertEqual(default(rwa.torch.RWAForget, "lasting"), config["lasting"])
        self.assertEqual(default(rwa.torch.RWA, "activation"), config["activation"])

    def test_initial_values_are_drawn_like_the_librarys(self) -> None:
        torch.manual_seed(1)  # with some seeds, one of 600,000 weights is exactly 0
        for cell, kind in testing.AVERAGES.items():
            for options in ({}, {"span": 1000, "lasting": 0.25}) if cell != "rwa" else ({},):
                model = rwa.Model(cell=cell, inputs=INPUTS, units=UNITS, **options)
                module = kind(INPUTS, UNITS, **options)
                for ours, theirs in self.pairs(model, module).values():
                    self.compare(ours, theirs)

    def pairs(
        self, model: rwa.Model, module: torch.nn.Module
    ) -> Dict[str, Tuple[torch.Tensor, torch.Tensor]]:
        """Return pairs of the module's and the library's values, gate by gate."""
        found = {}
        for ours, theirs in testing.PARAMETERS.items():
            values = torch.from_dlpack(model.parameters[f"layers.0.{theirs}"])
            blocks = zip(getattr(module, ours).detach().split(UNITS), values.split(UNITS))
            found.update({f"{ours}.{place}": pair for place, pair in enumerate(blocks)})
        return found

    def compare(self, ours: torch.Tensor, theirs: torch.Tensor) -> None:
        """Compare fixed values exactly, and random ones by their mean and deviation."""
        self.assertEqual(ours.shape, theirs.shape)
        for number in (0, 30):  # 30: never forgets
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

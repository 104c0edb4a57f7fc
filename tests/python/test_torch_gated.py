"""Compare rwa.torch.LSTM and GRU with torch.nn's with the same weights: results and gradients."""

from __future__ import annotations

import itertools
import unittest
from typing import Any, Iterator, List, Tuple

import torch
import torch_testing as testing
from torch import Tensor

import rwa.torch

LENGTHS = [2, 9, 1, 7, 7]
Pair = Tuple[torch.nn.Module, torch.nn.Module]


def as_list(state: Any) -> List[Tensor]:
    return list(state) if isinstance(state, tuple) else [state]


class GatedTest(unittest.TestCase):
    def pairs(self, **options: Any) -> Iterator[Pair]:
        """Yield a module of rwa and PyTorch's with the same weights."""
        for ours, theirs in testing.GATED.values():
            pair = ours(3, 5, **options), theirs(3, 5, **options)
            pair[1].load_state_dict(testing.with_random_weights(pair[0]).state_dict())
            yield pair

    def results(
        self, module: torch.nn.Module, x: Tensor, hx: List[Tensor], lengths: List[int]
    ) -> Tuple[List[Tensor], List[Tensor]]:
        """Return outputs and state, and the gradients of x and the initial state."""
        inputs = testing.leaves([x, *hx])
        state = None
        if hx:
            state = tuple(inputs[1:]) if len(hx) == 2 else inputs[1]
        given = testing.packed(inputs[0], lengths, sort=False) if lengths else inputs[0]
        y, end = module(given, state)
        found = [y.data if lengths else y, *as_list(end)]
        module.zero_grad()
        testing.weighted_sum(found).backward()
        return found, [tensor.grad for tensor in inputs]

    def compare(
        self, pair: Pair, x: Tensor, hx: Tuple[Tensor, ...] = (), lengths: Tuple[int, ...] = ()
    ) -> None:
        ours, theirs = pair
        hx = hx[:1] if ours.CELL == "gru" else hx
        results = [self.results(module, x, list(hx), list(lengths)) for module in pair]
        for found, expected in zip(*(a + b for a, b in results)):
            self.assertEqual(found.shape, expected.shape)
            testing.assert_close(found, expected, str(ours))
        testing.assert_same_gradients(ours, dict(theirs.named_parameters()))

    def test_layers_and_directions(self) -> None:
        for layers, both, bias in itertools.product((1, 2), (False, True), (True, False)):
            for pair in self.pairs(num_layers=layers, bidirectional=both, bias=bias):
                self.compare(pair, testing.numbers(9, 4, 3))

    def test_an_initial_state_and_its_gradient(self) -> None:
        hx = testing.numbers(4, 4, 5, seed=7), testing.numbers(4, 4, 5, seed=8)
        for pair in self.pairs(num_layers=2, bidirectional=True):
            self.compare(pair, testing.numbers(9, 4, 3), hx)

    def test_packed_sequences_in_any_order(self) -> None:
        hx = testing.numbers(4, 5, 5, seed=7), testing.numbers(4, 5, 5, seed=8)
        for pair in self.pairs(num_layers=2, bidirectional=True):
            self.compare(pair, testing.numbers(9, 5, 3), (), tuple(LENGTHS))
            self.compare(pair, testing.numbers(9, 5, 3), hx, tuple(LENGTHS))

    def test_batch_first_and_single_sequences(self) -> None:
        hx = testing.numbers(2, 9, 5, seed=7), testing.numbers(2, 9, 5, seed=8)
        single = testing.numbers(2, 5, seed=7), testing.numbers(2, 5, seed=8)
        for first in (False, True):
            for pair in self.pairs(num_layers=2, batch_first=first):
                x = testing.numbers(9, 4, 3) if first else testing.numbers(4, 9, 3)
                self.compare(pair, x, hx)
                self.compare(pair, testing.numbers(7, 3))
                self.compare(pair, testing.numbers(7, 3), single)

    def test_the_same_seed_gives_the_same_weights(self) -> None:
        for ours, theirs in testing.GATED.values():
            found = []
            for kind in (ours, theirs):
                torch.manual_seed(5)
                found.append(kind(3, 5, num_layers=2, bidirectional=True).state_dict())
            self.assertEqual(list(found[0]), list(found[1]))
            for name, value in found[0].items():
                self.assertTrue(torch.equal(value, found[1][name]), name)

    def test_state_dicts_go_both_ways(self) -> None:
        for ours, theirs in testing.GATED.values():
            there, back = theirs(3, 5, num_layers=2), ours(3, 5, num_layers=2)
            back.load_state_dict(there.state_dict())
            again = theirs(3, 5, num_layers=2)
            again.load_state_dict(back.state_dict())
            for name, value in there.state_dict().items():
                self.assertTrue(torch.equal(again.state_dict()[name], value), name)

    def test_projections_are_refused(self) -> None:
        with self.assertRaisesRegex(rwa.ConfigError, "proj_size is 3, expected 0"):
            rwa.torch.LSTM(3, 5, proj_size=3)
        rwa.torch.LSTM(3, 5, proj_size=0)


if __name__ == "__main__":
    unittest.main()

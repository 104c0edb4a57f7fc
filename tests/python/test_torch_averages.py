"""Compare rwa.torch's averages in float32 with the oracle in float64: results and gradients."""

from __future__ import annotations

import itertools
import unittest
from typing import Any, Iterator, Tuple

import torch
import torch_testing as testing
from torch.nn.utils.rnn import pad_packed_sequence

import rwa.torch

LENGTHS = [9, 7, 7, 2, 1]


class AveragesTest(unittest.TestCase):
    def each(self, **options: Any) -> Iterator[Tuple[str, torch.nn.Module]]:
        """Yield the name and a module of each cell, with 3 features and 5 units."""
        for cell, kind in testing.AVERAGES.items():
            yield cell, testing.with_random_weights(kind(3, 5, **options))

    def test_layers_and_directions(self) -> None:
        for layers, both in itertools.product((1, 2, 3), (False, True)):
            for cell, module in self.each(num_layers=layers, bidirectional=both):
                testing.compare_with_oracle(cell, module, testing.numbers(9, 4, 3))

    def test_an_initial_state_and_its_gradient(self) -> None:
        for layers, both in ((1, False), (2, True)):
            for cell, module in self.each(num_layers=layers, bidirectional=both):
                state = testing.average_state(layers * (2 if both else 1), 4, 5)
                testing.compare_with_oracle(cell, module, testing.numbers(9, 4, 3), state)

    def test_without_activation_or_bias(self) -> None:
        for cell, module in self.each(activation="identity"):
            testing.compare_with_oracle(cell, module, testing.numbers(9, 4, 3) * 0.5)
        for kind in (rwa.torch.RWA, rwa.torch.RWAForget):
            module = testing.with_random_weights(kind(3, 5, bias=False))
            self.assertNotIn("bias_l0", module.state_dict())
            testing.compare_with_oracle(module.CELL, module, testing.numbers(9, 4, 3))

    def test_one_step(self) -> None:
        for cell, module in self.each(bidirectional=True):
            testing.compare_with_oracle(cell, module, testing.numbers(1, 2, 3))

    def test_many_units_and_features(self) -> None:
        """Use more than one vector, strip of units and shard of sequences."""
        for cell, kind in testing.AVERAGES.items():
            module = kind(20, 70, num_layers=2)
            testing.compare_with_oracle(cell, module, testing.numbers(12, 19, 20))

    def test_packed_sequences(self) -> None:
        for layers, both in ((1, False), (2, True)):
            for cell, module in self.each(num_layers=layers, bidirectional=both):
                x = testing.numbers(9, 5, 3)
                state = testing.average_state(layers * (2 if both else 1), 5, 5)
                ours = testing.leaves([x, *state])
                y, end = module(testing.packed(ours[0], LENGTHS), rwa.torch.RWAState(*ours[1:]))
                padded, lengths = pad_packed_sequence(y)
                self.assertEqual(lengths.tolist(), LENGTHS)
                testing.compare_results(cell, module, ours, (padded, *end), x, LENGTHS)

    def test_packed_sequences_in_any_order(self) -> None:
        order = [3, 0, 4, 2, 1]
        lengths = [LENGTHS[place] for place in order]
        for cell, module in self.each(bidirectional=True):
            x = testing.numbers(9, 5, 3)
            state = testing.average_state(2, 5, 5)
            ours = testing.leaves([x, *state])
            given = testing.packed(ours[0], lengths, sort=False)
            y, end = module(given, rwa.torch.RWAState(*ours[1:]))
            self.assertIs(y.sorted_indices, given.sorted_indices)
            self.assertIs(y.unsorted_indices, given.unsorted_indices)
            self.assertTrue(torch.equal(y.batch_sizes, given.batch_sizes))
            padded, found = pad_packed_sequence(y)
            self.assertEqual(found.tolist(), lengths)
            testing.compare_results(cell, module, ours, (padded, *end), x, lengths)

    def test_batch_first(self) -> None:
        for cell, module in self.each(num_layers=2, bidirectional=True, batch_first=True):
            x = testing.numbers(9, 4, 3)
            ours = testing.leaves([x])
            y, end = module(ours[0].transpose(0, 1))
            self.assertEqual(list(y.shape), [4, 9, 10])
            self.assertEqual(list(end.h.shape), [4, 4, 5])
            testing.compare_results(cell, module, ours, (y.transpose(0, 1), *end), x, None)

    def test_a_single_sequence(self) -> None:
        for first in (False, True):
            for cell, module in self.each(num_layers=2, batch_first=first):
                x = testing.numbers(9, 1, 3)
                ours = testing.leaves([x, *testing.average_state(2, 1, 5)])
                hx = rwa.torch.RWAState(*(part[:, 0] for part in ours[1:]))
                y, end = module(ours[0][:, 0], hx)
                self.assertEqual(list(y.shape), [9, 5])
                self.assertEqual(list(end.h.shape), [2, 5])
                results = (y.unsqueeze(1), *(part.unsqueeze(1) for part in end))
                testing.compare_results(cell, module, ours, results, x, None)

    def test_a_sequence_in_parts_is_the_sequence(self) -> None:
        x = testing.numbers(20, 4, 3)
        for _, module in self.each(num_layers=2):
            whole, end = module(x)
            first, state = module(x[:7])
            second, last = module(x[7:], state)
            self.assertTrue(torch.equal(torch.cat([first, second]), whole))
            self.assertTrue(all(map(torch.equal, last, end)))

    def test_only_some_gradients_are_asked_for(self) -> None:
        x = testing.numbers(9, 4, 3)
        for cell, module in self.each():
            testing.compare_with_oracle(cell, module, x)
            expected = {name: p.grad.clone() for name, p in module.named_parameters()}
            module.zero_grad()
            y, end = module(x)  # no gradient of x
            testing.weighted_sum([y, end.h, end.r, end.L]).backward()
            for name, parameter in module.named_parameters():
                self.assertTrue(torch.equal(parameter.grad, expected[name]), name)
            _, end = module(x)  # the outputs are not used
            found = torch.autograd.grad(end.h.sum(), module.weight_ih_l0)[0]
            h = torch.autograd.grad(module(x)[0][-1].sum(), module.weight_ih_l0)[0]
            torch.testing.assert_close(found, h)

    def test_frozen_weights(self) -> None:
        for _, module in self.each():
            x = testing.numbers(9, 4, 3).requires_grad_()
            module(x)[0].sum().backward()
            expected = x.grad.clone()
            module.requires_grad_(False)
            x.grad = None
            module(x)[0].sum().backward()
            self.assertTrue(torch.equal(x.grad, expected))

    def test_threads_do_not_change_the_result(self) -> None:
        x = testing.numbers(9, 20, 3)
        before = torch.get_num_threads()
        try:
            for _, module in self.each():
                results = []
                for threads in (1, 3, 64):
                    torch.set_num_threads(threads)
                    results.append(module(x)[0])
                self.assertTrue(torch.equal(results[0], results[1]))
                self.assertTrue(torch.equal(results[0], results[2]))
        finally:
            torch.set_num_threads(before)


if __name__ == "__main__":
    unittest.main()

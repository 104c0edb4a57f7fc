"""Calls of rwa.torch do not leak memory."""

from __future__ import annotations

import gc
import unittest

import support
import torch

import rwa.torch

CALLS = 20_000
WARM_UP = 4_000
ALLOWED = 1 << 20  # a leak of a hundred bytes per call would be twice as much

STEPS = 200
KEPT = 64 << 20  # the weights of 64 of the steps, or everything if no weights are copied


class LeakTest(unittest.TestCase):
    def test_no_call_leaves_memory_behind(self) -> None:
        """Alternate between a backward pass, none, and no_grad."""
        module = rwa.torch.RWA(2, 3)
        x = torch.randn(2, 1, 2, requires_grad=True)
        before = 0
        for call in range(WARM_UP + CALLS):
            if call == WARM_UP:
                gc.collect()
                before = support.resident_bytes()
            if call % 3 == 2:
                with torch.no_grad():
                    module(x)
                continue
            output, _ = module(x)
            if call % 3 == 0:
                output.sum().backward()
        gc.collect()
        self.assertLess(support.resident_bytes() - before, ALLOWED)

    def test_many_steps_in_one_graph(self) -> None:
        """Call the layer step by step, as a decoder does: one tape per step, of a layer with a
        megabyte of weights."""
        x = torch.randn(1, 8, 64)
        rwa.torch.LSTM(64, 2)(x)[0].sum().backward()  # PyTorch imports modules on the first call
        before = support.resident_bytes()
        module = rwa.torch.LSTM(64, 256)
        state, total = None, torch.zeros(())
        for _ in range(STEPS):
            output, state = module(x, state)
            total = total + output.sum()
        self.assertLess(support.resident_bytes() - before, 2 * KEPT)
        total.backward()
        self.assertLess(support.resident_bytes() - before, 2 * KEPT)
        del module, output, state, total
        self.assertLess(support.resident_bytes() - before, KEPT)


if __name__ == "__main__":
    unittest.main()

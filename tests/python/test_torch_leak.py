"""Twenty thousand calls of rwa.torch take no memory that the first thousands have not taken."""

from __future__ import annotations

import gc
import unittest

import torch

import rwa.torch

CALLS = 20_000
WARM_UP = 4_000
ALLOWED = 1 << 20  # a hundred bytes a call would be twice as much


def resident_bytes() -> int:
    with open("/proc/self/status", encoding="ascii") as status:
        for line in status:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
    raise AssertionError("/proc/self/status has no VmRSS")


class LeakTest(unittest.TestCase):
    def test_no_call_leaves_memory_behind(self) -> None:
        """By turns: backward, none, and no gradient at all."""
        module = rwa.torch.RWA(2, 3)
        x = torch.randn(2, 1, 2, requires_grad=True)
        before = 0
        for call in range(WARM_UP + CALLS):
            if call == WARM_UP:
                gc.collect()
                before = resident_bytes()
            if call % 3 == 2:
                with torch.no_grad():
                    module(x)
                continue
            output, _ = module(x)
            if call % 3 == 0:
                output.sum().backward()
        gc.collect()
        self.assertLess(resident_bytes() - before, ALLOWED)


if __name__ == "__main__":
    unittest.main()

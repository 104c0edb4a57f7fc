"""rwa.torch on a GPU: the same results as on the CPU, on any current stream."""

from __future__ import annotations

import unittest
from typing import Any, Iterator, Tuple

import torch
import torch_testing as testing
from torch.nn.utils.rnn import pad_packed_sequence

import rwa
import rwa.torch

LENGTHS = [9, 7, 7, 2, 1]


def why_not() -> str:
    """Return why there is no GPU for both PyTorch and rwa; empty if there is one."""
    if not torch.cuda.is_available():
        return "PyTorch finds no GPU"
    if not any(device.name.startswith("cuda") for device in rwa.devices()):
        return "rwa finds no GPU"
    return ""


@unittest.skipIf(why_not(), why_not())
class CudaTest(unittest.TestCase):
    def setUp(self) -> None:
        # Some results are compared with PyTorch's own matrix products.
        torch.backends.cudnn.allow_tf32 = False
        torch.backends.cuda.matmul.allow_tf32 = False

    def each(
        self, inputs: int = 3, units: int = 5, **options: Any
    ) -> Iterator[Tuple[str, torch.nn.Module]]:
        for cell, kind in testing.AVERAGES.items():
            module = testing.with_random_weights(kind(inputs, units, **options))
            yield cell, module.to("cuda")

    def test_layers_directions_and_states(self) -> None:
        for layers, both in ((1, False), (2, True)):
            for cell, module in self.each(num_layers=layers, bidirectional=both):
                state = testing.average_state(layers * (2 if both else 1), 4, 5)
                testing.compare_with_oracle(cell, module, testing.numbers(9, 4, 3))
                module.zero_grad()
                testing.compare_with_oracle(cell, module, testing.numbers(9, 4, 3), state)

    def test_many_units_and_features(self) -> None:
        for cell, kind in testing.AVERAGES.items():
            module = kind(20, 70, num_layers=2).to("cuda")
            testing.compare_with_oracle(cell, module, testing.numbers(12, 19, 20))

    def test_packed_sequences(self) -> None:
        for cell, module in self.each(num_layers=2, bidirectional=True):
            x = testing.numbers(9, 5, 3)
            state = testing.average_state(4, 5, 5)
            ours = testing.leaves([x.cuda(), *(part.cuda() for part in state)])
            given = testing.packed(ours[0], LENGTHS)
            y, end = module(given, rwa.torch.RWAState(*ours[1:]))
            padded, _ = pad_packed_sequence(y)
            testing.compare_results(cell, module, ours, (padded, *end), x, LENGTHS)

    def test_lstm_and_gru_are_pytorchs(self) -> None:
        for ours, theirs in testing.GATED.values():
            module = testing.with_random_weights(ours(3, 5, num_layers=2, bidirectional=True))
            other = theirs(3, 5, num_layers=2, bidirectional=True).double()
            other.load_state_dict(module.state_dict())
            module.to("cuda")
            x = testing.numbers(9, 4, 3)
            y, _ = module(x.cuda())
            expected, _ = other(x.double())
            testing.assert_close(y, expected, str(module))
            testing.weighted_sum([y]).backward()
            testing.weighted_sum([expected]).backward()
            testing.assert_same_gradients(module, dict(other.named_parameters()))

    def test_a_side_stream(self) -> None:
        """Work runs in the order in which it was queued on the stream."""
        for _, module in self.each(units=64):
            x = testing.numbers(200, 64, 3).cuda()
            expected = module(x)[0].sum(0)
            busy = torch.randn(4096, 4096, device="cuda")
            late = torch.full_like(x, float("nan"))
            torch.cuda.synchronize()
            side = torch.cuda.Stream()
            with torch.cuda.stream(side):
                for _ in range(20):
                    busy = busy @ busy * 1e-3
                late.copy_(x)
                found = module(late)[0].sum(0)
                late.fill_(float("nan"))
            side.synchronize()
            self.assertTrue(torch.equal(found, expected))

    def test_gradients_on_a_side_stream(self) -> None:
        side = torch.cuda.Stream()
        for cell, module in self.each(num_layers=2):
            torch.cuda.synchronize()
            with torch.cuda.stream(side):
                testing.compare_with_oracle(cell, module, testing.numbers(9, 4, 3))

    def test_a_module_goes_there_and_back(self) -> None:
        x = testing.numbers(9, 4, 3)
        for _, module in self.each():
            on_gpu, _ = module(x.cuda())
            on_cpu, _ = module.cpu()(x)
            testing.assert_close(on_gpu, on_cpu, str(module))

    def test_autocast_computes_in_float32(self) -> None:
        x = testing.numbers(9, 4, 3).cuda().half()
        for _, module in self.each():
            expected, _ = module(x.float())
            given = x.clone().requires_grad_()
            with torch.autocast("cuda", dtype=torch.float16):
                y, _ = module(given)
            self.assertTrue(torch.equal(y, expected))
            y.sum().backward()
            self.assertEqual(given.grad.dtype, torch.float16)

    def test_another_device_is_refused(self) -> None:
        for _, module in self.each():
            with self.assertRaisesRegex(rwa.InputError, "input is on cpu and the weights on cuda"):
                module(testing.numbers(9, 4, 3))

    def test_data_parallel(self) -> None:
        x = testing.numbers(4, 9, 3).cuda()
        for _, module in self.each(batch_first=True):
            expected, _ = module(x)
            y, _ = torch.nn.DataParallel(module)(x)
            testing.assert_close(y, expected, str(module))

    def test_calls_take_no_more_memory_after_the_first(self) -> None:
        module = rwa.torch.RWA(2, 64).cuda()
        x = testing.numbers(50, 16, 2).cuda()
        free = []
        for call in range(2000):
            module(x)[0].sum().backward()
            if call in (200, 1999):
                torch.cuda.synchronize()
                free.append(torch.cuda.mem_get_info()[0])
        self.assertLess(free[0] - free[1], 16 << 20)


if __name__ == "__main__":
    unittest.main()

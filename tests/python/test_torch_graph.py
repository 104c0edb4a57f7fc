"""rwa.torch's modules in autograd graphs: retained, checkpointed, in threads and in children."""

from __future__ import annotations

import contextlib
import gc
import threading
import unittest
import unittest.mock
from typing import Any, Dict, Iterator, List

import support
import torch
import torch_testing as testing
from torch.utils.checkpoint import checkpoint

import rwa.torch
from rwa.torch import _handles


@contextlib.contextmanager
def counted_forwards() -> Iterator[List[bool]]:
    """Collect the library's forward passes: whether each one records a tape."""
    counted: List[bool] = []
    forward = _handles.forward

    def count(call: _handles.Call, record: bool) -> Any:
        counted.append(record)
        return forward(call, record)

    with unittest.mock.patch.object(_handles, "forward", count):
        yield counted


def tapes_alive() -> int:
    return sum(type(thing) is _handles.Tape for thing in gc.get_objects())


class GraphTest(unittest.TestCase):
    def setUp(self) -> None:
        self.module = testing.with_random_weights(rwa.torch.RWA(3, 5, num_layers=2))
        self.x = testing.numbers(9, 4, 3)

    def assert_same(self, found: Dict[str, torch.Tensor], *parts: Dict[str, torch.Tensor]) -> None:
        for name, value in found.items():
            torch.testing.assert_close(value, sum(part[name] for part in parts))

    def of(self, x: torch.Tensor) -> Dict[str, torch.Tensor]:
        self.module(x)[0].sum().backward()
        return testing.gradients(self.module)

    def test_two_forwards_before_two_backwards(self) -> None:
        expected = self.of(self.x), self.of(self.x[:4] * 2)
        losses = [self.module(x)[0].sum() for x in (self.x, self.x[:4] * 2)]
        losses[0].backward()
        self.assert_same(testing.gradients(self.module), expected[0])
        losses[1].backward()
        self.assert_same(testing.gradients(self.module), expected[1])

    def test_a_module_used_twice(self) -> None:
        expected = self.of(self.x), self.of(self.x * 2)
        (self.module(self.x)[0].sum() + self.module(self.x * 2)[0].sum()).backward()
        self.assert_same(testing.gradients(self.module), *expected)

    def test_a_retained_graph_goes_back_again(self) -> None:
        expected = self.of(self.x)
        loss = self.module(self.x)[0].sum()
        loss.backward(retain_graph=True)
        self.assert_same(testing.gradients(self.module), expected)
        loss.backward()
        self.assert_same(testing.gradients(self.module), expected)
        with self.assertRaisesRegex(RuntimeError, "second time"):
            loss.backward()

    def test_no_tape_outlives_its_use(self) -> None:
        loss = self.module(self.x)[0].sum()
        self.assertEqual(tapes_alive(), 2)
        loss.backward()
        self.assertEqual(tapes_alive(), 0)  # although the graph still exists
        loss = self.module(self.x)[0].sum()
        del loss
        self.assertEqual(tapes_alive(), 0)  # although there was no backward pass
        with torch.no_grad():
            y, _ = self.module(self.x.clone().requires_grad_())
        self.assertEqual(tapes_alive(), 0)
        self.assertFalse(y.requires_grad)

    def test_modes_do_not_change_the_result(self) -> None:
        y, state = self.module(self.x)
        for mode in (torch.no_grad, torch.inference_mode):
            with mode():
                again, end = self.module.eval()(self.x)
            self.assertTrue(torch.equal(again, y) and torch.equal(end.L, state.L))
            self.assertIsNone(again.grad_fn)

    def test_changes_in_place_are_noticed(self) -> None:
        x = self.x.clone().requires_grad_()
        doubled = x * 2
        y, _ = self.module(doubled)
        doubled.add_(1)
        with self.assertRaisesRegex(RuntimeError, "modified by an inplace operation"):
            y.sum().backward()
        self.module.zero_grad()
        expected = self.of(self.x)
        y, _ = self.module(self.x)
        y.mul_(2)  # backward does not need the output
        y.sum().backward()
        self.assert_same(testing.gradients(self.module), expected, expected)

    def test_a_second_derivative_is_refused(self) -> None:
        x = self.x.clone().requires_grad_()
        (first,) = torch.autograd.grad(self.module(x)[0].sum(), x, create_graph=True)
        (expected,) = torch.autograd.grad(self.module(x)[0].sum(), x)
        self.assertTrue(torch.equal(first, expected))
        with self.assertRaisesRegex(NotImplementedError, "no second derivatives"):
            first.sum().backward()

    def test_rounding_errors_have_no_gradient(self) -> None:
        _, state = self.module(self.x)
        found = {name: part.requires_grad for name, part in state._asdict().items()}
        self.assertEqual(found, {"h": True, "r": True, "r_lo": False, "L": True, "L_lo": False})

    def test_checkpoints(self) -> None:
        expected = self.of(self.x)
        for reentrant in (False, True):
            x = self.x.clone().requires_grad_()
            y = checkpoint(lambda x: self.module(x)[0], x, use_reentrant=reentrant)
            self.assertEqual(tapes_alive(), 0)  # the purpose of checkpoints
            with counted_forwards() as counted:
                y.sum().backward()
            self.assertEqual(counted, [True, True])  # each layer once
            self.assertEqual(tapes_alive(), 0)
            self.assert_same(testing.gradients(self.module), expected)

    def test_a_checkpoint_that_is_retained(self) -> None:
        expected = self.of(self.x)
        y = checkpoint(lambda x: self.module(x)[0], self.x, use_reentrant=False)
        for retain in (True, False):
            y.sum().backward(retain_graph=retain)
            self.assert_same(testing.gradients(self.module), expected)

    def test_hooks_of_saved_tensors(self) -> None:
        expected = self.of(self.x)
        with torch.autograd.graph.save_on_cpu():
            y, _ = self.module(self.x)
        y.sum().backward()
        self.assert_same(testing.gradients(self.module), expected)
        with torch.autograd.graph.saved_tensors_hooks(torch.clone, lambda packed: packed):
            y, _ = self.module(self.x)
        self.assertEqual(tapes_alive(), 0)
        y.sum().backward()
        self.assert_same(testing.gradients(self.module), expected)

    def test_weights_are_not_copied_for_backward(self) -> None:
        kept = []

        def keep(tensor: torch.Tensor) -> torch.Tensor:
            kept.append(tensor.data_ptr())
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(keep, lambda packed: packed):
            self.module(self.x)
        for name in ("weight_ih_l0", "weight_hh_l0", "weight_ih_l1", "weight_hh_l1"):
            self.assertIn(getattr(self.module, name).data_ptr(), kept)

    def test_threads_may_share_a_module(self) -> None:
        expected, _ = self.module(self.x)
        wrong: List[int] = []

        def work(number: int) -> None:
            for _ in range(50):
                y, _ = self.module(self.x)
                same = torch.equal(y, expected)
                torch.autograd.grad(y.sum(), list(self.module.parameters()))
                if not same:
                    wrong.append(number)

        workers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(wrong, [])

    def test_a_child_computes_too(self) -> None:
        """The library's threads do not survive a fork. The child continues the parent's graph, runs
        the module itself, and exits normally."""
        code = """
import os, signal, sys, torch, rwa.torch
torch.set_num_threads(2)
module = rwa.torch.RWA(3, 5, num_layers=2)
x = torch.randn(9, 20, 3)
y, _ = module(x)
child = os.fork()
if child == 0:
    signal.alarm(60)
    y.sum().backward()
    found = [parameter.grad.clone() for parameter in module.parameters()]
    module.zero_grad()
    again, _ = module(x)
    again.sum().backward()
    same = all(torch.equal(a, b.grad) for a, b in zip(found, module.parameters()))
    sys.exit(0 if torch.equal(again, y) and same else 1)
sys.exit(os.waitpid(child, 0)[1] != 0)
"""
        # Python 3.12 warns when a process with threads forks.
        quiet = "ignore::DeprecationWarning"
        ended = support.run_python(code, CUDA_VISIBLE_DEVICES="", PYTHONWARNINGS=quiet)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()

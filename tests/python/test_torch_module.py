"""rwa.torch's modules as PyTorch modules: modes, copies, files, layers and errors."""

from __future__ import annotations

import copy
import doctest
import gc
import io
import math
import pickle
import unittest

import torch
import torch_testing as testing

import rwa.torch
from rwa.torch import _handles, _modules

KINDS = [rwa.torch.RWA, rwa.torch.RWAForget, rwa.torch.RWADecay, rwa.torch.LSTM, rwa.torch.GRU]


class ModuleTest(unittest.TestCase):
    def test_tracing_is_refused(self) -> None:
        with self.assertRaisesRegex(rwa.ConfigError, "cannot be traced.*rwa.export_onnx"):
            torch.jit.trace(rwa.torch.RWA(2, 3), torch.zeros(4, 1, 2))

    def test_dropout_is_between_layers_in_training(self) -> None:
        x = testing.numbers(9, 4, 3)
        for kind in KINDS:
            module = kind(3, 5, num_layers=2, dropout=0.5)
            plain = kind(3, 5, num_layers=2)
            plain.load_state_dict(module.state_dict())
            expected, _ = plain(x)
            self.assertFalse(torch.equal(module(x)[0], module(x)[0]))
            self.assertTrue(torch.equal(module.eval()(x)[0], expected))
            all_hidden = kind(3, 5, num_layers=2, dropout=1.0)
            all_hidden.load_state_dict(module.state_dict())
            self.assertTrue(torch.equal(all_hidden(x)[0], all_hidden(x * 2)[0]))
        with self.assertWarnsRegex(UserWarning, "dropout=0.5 has no effect"):
            rwa.torch.RWA(3, 5, dropout=0.5)

    def test_copies_and_files(self) -> None:
        x = testing.numbers(9, 4, 3)
        for kind in KINDS:
            module = kind(3, 5, num_layers=2, bidirectional=True)
            expected, state = module(x)
            file = io.BytesIO()
            torch.save(module, file)
            file.seek(0)
            options = {} if torch.__version__ < "2" else {"weights_only": False}
            fresh = kind(3, 5, num_layers=2, bidirectional=True)
            fresh.load_state_dict(module.state_dict())
            for same in (
                copy.deepcopy(module),
                pickle.loads(pickle.dumps(module)),
                torch.load(file, **options),
                fresh,
            ):
                self.assertTrue(torch.equal(same(x)[0], expected), kind)
                self.assertEqual(repr(same), repr(module))
            again = pickle.loads(pickle.dumps(state))
            self.assertEqual(type(again), type(state))

    @unittest.skipIf(torch.cuda.is_available(), "test_torch_cuda.py tests it on GPUs")
    def test_data_parallel(self) -> None:
        x = testing.numbers(4, 9, 3)
        for kind in KINDS:
            module = kind(3, 5, batch_first=True)
            self.assertTrue(torch.equal(torch.nn.DataParallel(module)(x)[0], module(x)[0]))

    @unittest.skipUnless(hasattr(torch, "compile"), "this PyTorch has no torch.compile")
    def test_compile_leaves_it_as_it_is(self) -> None:
        class Network(torch.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.layer = rwa.torch.RWA(3, 5)
                self.output = torch.nn.Linear(5, 2)

            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return torch.relu(self.output(self.layer(x * 2)[0]))

        network = Network()
        x = testing.numbers(9, 4, 3)
        network(x).sum().backward()
        expected = testing.gradients(network)
        compiled = torch.compile(network, backend="eager")
        torch.testing.assert_close(compiled(x), network(x))
        compiled(x).sum().backward()
        for name, value in testing.gradients(network).items():
            torch.testing.assert_close(value, expected[name])

    def test_autocast_computes_in_float32(self) -> None:
        x = testing.numbers(9, 4, 3)
        for kind in KINDS:
            module = kind(3, 5)
            expected, _ = module(x.bfloat16().float())
            given = x.bfloat16().requires_grad_()
            with torch.autocast("cpu", dtype=torch.bfloat16):
                y, _ = module(given)
            self.assertTrue(torch.equal(y, expected))
            y.sum().backward()
            self.assertEqual(given.grad.dtype, torch.bfloat16)

    def test_parameters_have_names_and_shapes(self) -> None:
        shapes = {
            name: list(value.shape)
            for name, value in rwa.torch.RWAForget(3, 5, num_layers=2, bidirectional=True)
            .state_dict()
            .items()
        }
        for way in ("", "_reverse"):
            for layer, inputs in ((0, 3), (1, 10)):
                self.assertEqual(shapes.pop(f"weight_ih_l{layer}{way}"), [20, inputs])
                self.assertEqual(shapes.pop(f"weight_hh_l{layer}{way}"), [15, 5])
                self.assertEqual(shapes.pop(f"bias_l{layer}{way}"), [15])
                self.assertEqual(shapes.pop(f"start_l{layer}{way}"), [5])
        self.assertEqual(shapes, {})
        rwa.torch.LSTM(3, 5).flatten_parameters()

    def test_a_description_says_what_is_not_usual(self) -> None:
        for module, expected in (
            (rwa.torch.RWA(3, 5), "RWA(3, 5)"),
            (rwa.torch.LSTM(3, 5, proj_size=0), "LSTM(3, 5)"),
            (rwa.torch.RWAForget(3, 5), "RWAForget(3, 5)"),
            (
                rwa.torch.RWADecay(3, 5, 2, span=1000, lasting=0.25, activation="identity"),
                "RWADecay(3, 5, num_layers=2, activation='identity', span=1000, lasting=0.25)",
            ),
            (
                rwa.torch.GRU(3, 5, bias=False, batch_first=True, bidirectional=True),
                "GRU(3, 5, bias=False, batch_first=True, bidirectional=True)",
            ),
        ):
            self.assertEqual(repr(module), expected)

    def test_states_are_the_librarys(self) -> None:
        for kind in KINDS:
            handle = _handles.LayerHandle(_handles.Layer(kind.CELL, "tanh", 3, 5, False, "cpu", 1))
            module = kind(3, 5)
            self.assertEqual(list(module.STATE), handle.state)
            carried = [module.STATE[place] for place in handle.carried]
            self.assertEqual(carried, list(module.CARRIED))

    def test_layers_go_with_their_modules(self) -> None:
        x = testing.numbers(9, 4, 3)
        gc.collect()
        self.assertEqual(len(_handles._layers), 0)
        module = rwa.torch.RWA(3, 5, num_layers=2)
        y = module(x)[0]
        same = copy.deepcopy(module)
        same(x)
        self.assertEqual([layer.inputs for layer in _handles._layers], [3, 5])
        del module
        self.assertEqual(len(_handles._layers), 2)  # the copy keeps them
        del same
        y.sum().backward()  # and so does the graph
        del y
        self.assertEqual(len(_handles._layers), 0)

    def test_views_that_negate(self) -> None:
        x = testing.numbers(9, 4, 3)
        for kind in KINDS:
            module = kind(3, 5)
            y, _ = module(torch._neg_view(x))
            expected, _ = module(-x)
            self.assertTrue(torch.equal(y, expected))
            share = testing.numbers(9, 4, 5, seed=2)
            found = torch.autograd.grad(y, module.weight_hh_l0, torch._neg_view(share))
            negated = torch.autograd.grad(expected, module.weight_hh_l0, -share)
            self.assertTrue(torch.equal(*found, *negated))

    def test_no_sequences(self) -> None:
        for kind in KINDS:
            module = kind(3, 5, num_layers=2, bidirectional=True)
            x = torch.zeros(9, 0, 3, requires_grad=True)
            y, state = module(x)
            y, state = module(x, state)
            self.assertEqual(list(y.shape), [9, 0, 10])
            for part in state if isinstance(state, tuple) else (state,):
                self.assertEqual(list(part.shape), [4, 0, 5])
            y.sum().backward()
            self.assertEqual(x.grad.shape, x.shape)
            for name, value in testing.gradients(module).items():
                self.assertTrue((value == 0).all(), name)

    def test_initial_values_are_the_papers(self) -> None:
        units, inputs = 200, 30
        module = rwa.torch.RWAForget(inputs, units, span=1000, lasting=0.25)
        limit = math.sqrt(6 / (inputs + units + units))
        for gates in (module.weight_ih_l0[: 3 * units], module.weight_hh_l0):
            self.assertLessEqual(gates.abs().max(), limit)
            self.assertGreater(gates.abs().max(), 0.98 * limit)
            self.assertLess(gates.mean().abs(), 0.05 * limit)
        of_u = module.weight_ih_l0[3 * units :].abs().max()
        self.assertGreater(of_u, limit)
        self.assertLessEqual(of_u, math.sqrt(6 / (inputs + units)))
        g, f, u = module.bias_l0.split(units)
        self.assertTrue((g == 0).all() and (u == 0).all())
        self.assertTrue((f[:50] == 30).all())
        self.assertTrue(((f[50:] >= 0) & (f[50:] <= math.log(1000))).all())
        self.assertGreater(f[50:].max() - f[50:].min(), 6)
        self.assertAlmostEqual(module.start_l0.std().item(), 1, delta=0.2)

    def test_a_seed_gives_the_same_weights(self) -> None:
        for kind in KINDS:
            modules = []
            for _ in range(2):
                torch.manual_seed(7)
                modules.append(kind(3, 5))
            for first, second in zip(*(module.parameters() for module in modules)):
                self.assertTrue(torch.equal(first, second))

    def test_examples(self) -> None:
        for module in (rwa.torch, _modules):
            found = doctest.testmod(module)
            self.assertGreater(found.attempted, 0)
            self.assertEqual(found.failed, 0)


class RefusalsTest(unittest.TestCase):
    def refuse(
        self, words: str, *arguments: object, kind: type = rwa.torch.RWA, **options: object
    ) -> None:
        with self.assertRaisesRegex(rwa.ConfigError, words):
            kind(*arguments, **options)

    def test_of_descriptions(self) -> None:
        self.refuse("input_size is 0, expected a whole number of 1 or more", 0, 5)
        self.refuse("hidden_size is 2.5, expected a whole number", 3, 2.5)
        self.refuse("num_layers is 0", 3, 5, 0)
        self.refuse("dropout is 1.5, expected a share from 0 to 1", 3, 5, dropout=1.5)
        self.refuse("dtype is torch.float16, expected torch.float32", 3, 5, dtype=torch.float16)
        self.refuse("activation is 'relu', expected 'tanh' or 'identity'", 3, 5, activation="relu")
        self.refuse("span is 0, expected", 3, 5, span=0, kind=rwa.torch.RWAForget)
        self.refuse("lasting is 2, expected", 3, 5, lasting=2, kind=rwa.torch.RWADecay)
        self.refuse("bias is False, expected True", 3, 5, bias=False, kind=rwa.torch.RWADecay)

    def refuse_call(self, words: str, *arguments: object, module: object = None) -> None:
        with self.assertRaisesRegex(rwa.InputError, words):
            (module or rwa.torch.RWA(3, 5))(*arguments)

    def test_of_inputs(self) -> None:
        x = testing.numbers(9, 4, 3)
        self.refuse_call("input is a list, expected a tensor", [1.0])
        self.refuse_call("input is torch.float64, expected torch.float32", x.double())
        self.refuse_call("input is torch.int64", torch.ones(9, 4, 3, dtype=torch.int64))
        self.refuse_call(r"input is \[9, 4, 2\], expected \[T, B, 3\]", x[:, :, :2])
        self.refuse_call(r"input is \[3\], expected", x[0, 0])
        self.refuse_call("expected at least one step", x[:0])
        self.refuse_call(
            r"input is \[4294967301, 1, 3\] .*, expected .* at most 2147483647 steps",
            x[:1, :1].expand(2**32 + 5, 1, 3),
        )
        self.refuse_call(
            r"input is \[1, 2147483648, 3\] .* at most", x[:1, :1].expand(1, 2**31, 3)
        )
        self.refuse_call(
            r"expected \[B, T, 3\]", x[:, :, :2], module=rwa.torch.RWA(3, 5, batch_first=True)
        )
        self.refuse_call(
            r"data of shape \[12, 2\], expected \[steps, 3\]",
            testing.packed(x[:3, :, :2], [3, 3, 3, 3]),
        )
        self.refuse_call("input is on meta", x.to("meta"))

    def test_of_weights(self) -> None:
        x = testing.numbers(9, 4, 3)
        self.refuse_call(
            "weights are torch.float16, expected torch.float32",
            x.half(),
            module=rwa.torch.LSTM(3, 5).half(),
        )
        self.refuse_call("weights are torch.float64", x, module=rwa.torch.RWA(3, 5).double())

    def test_of_states(self) -> None:
        x = testing.numbers(9, 4, 3)
        state = testing.average_state(1, 4, 5)
        self.refuse_call("is a tuple of 2, expected a tuple of h, r, r_lo, L, L_lo", x, state[:2])
        self.refuse_call("hx is a Tensor, expected a tuple", x, state.h)
        self.refuse_call(
            r"h of hx is \[1, 4, 4\], expected \[1, 4, 5\]", x, state._replace(h=state.h[:, :, :4])
        )
        self.refuse_call(r"expected \[1, 5\]", x[:, 0], state)
        self.refuse_call("L of hx is torch.float64", x, state._replace(L=state.L.double()))
        self.refuse_call(
            "hx is a tuple of 1, expected a tuple of h, c",
            x,
            (state.h,),
            module=rwa.torch.LSTM(3, 5),
        )
        self.refuse_call(
            "h of hx is a tuple, expected a tensor", x, (state.h,), module=rwa.torch.GRU(3, 5)
        )


if __name__ == "__main__":
    unittest.main()

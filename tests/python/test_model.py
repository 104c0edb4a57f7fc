"""Models, sessions, streams and trainers work like the library's, with any kind of array."""

from __future__ import annotations

import copy
import inspect
import math
import os
import pickle
import tempfile
import unittest
from pathlib import Path
from typing import Any

import numpy as np
import torch

import rwa
from support import numbers, resident_bytes, rwa_outputs

LENGTHS = [5, 2, 4]


class Models(unittest.TestCase):
    def test_arguments_are_the_fields_of_the_description(self) -> None:
        arguments = set(inspect.signature(rwa.Model.__init__).parameters) - {"self"}
        model = rwa.Model()
        self.assertEqual(arguments, set(model.config))
        self.assertEqual(rwa.Model(**model.config).config, model.config)

    def test_what_is_given_is_taken(self) -> None:
        model = rwa.Model(inputs=np.int64(3), units=4, cell="lstm", layers=2, loss="sigmoid")
        config = model.config
        self.assertEqual(
            [config[name] for name in ("inputs", "units", "cell", "layers", "loss")],
            [3, 4, "lstm", 2, "sigmoid"],
        )
        self.assertEqual(
            repr(model), "rwa.Model(3 numbers -> 2 x 4 lstm -> 1 sigmoid, 277 parameters)"
        )
        self.assertEqual(sum(p.parameters for p in model.describe()), model.parameter_count)
        self.assertEqual(model.describe()[1].name, "layers.0")

    def test_parameters_are_copies(self) -> None:
        model = rwa.Model(inputs=3, units=4, outputs=2)
        parameters = model.parameters
        self.assertEqual(parameters["layers.0.weight_x"].shape, (12, 3))
        flat = [v for p in parameters.values() for v in p.reshape((p.size,)).tolist()]
        self.assertEqual(flat, model.weights.tolist())
        parameters["output.bias"].numpy()[:] = 7
        self.assertNotIn(7, model.weights.tolist())

    def test_parameters_can_be_set(self) -> None:
        model = rwa.Model(inputs=3, units=4, outputs=2)
        model.set_parameter("output.bias", [1.5, -2])
        self.assertEqual(model.parameters["output.bias"].tolist(), [1.5, -2])
        other = rwa.Model(inputs=3, units=4, outputs=2, seed=9)
        other.weights = model.weights
        self.assertEqual(other.weights.tolist(), model.weights.tolist())
        for words, name, values in [
            ("no parameter 'output.bia', did you mean output.bias", "output.bia", [1, 2]),
            (r"output.bias has shape \[3\], expected \[2\]", "output.bias", [1, 2, 3]),
            ("expected a finite number", "output.bias", [1, math.nan]),
        ]:
            with self.assertRaisesRegex(rwa.InputError, words):
                model.set_parameter(name, values)
        with self.assertRaisesRegex(rwa.InputError, "weights has 2 values"):
            model.weights = [1, 2]

    def test_files(self) -> None:
        model = rwa.Model(inputs=3, units=4)
        model.set_note("who", "ü")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "modèle.safetensors")
            model.save(path)
            loaded = rwa.Model.load(path)
            self.assertEqual(loaded.config, model.config)
            self.assertEqual(loaded.notes, {"who": "ü"})
            self.assertEqual(loaded.weights.tolist(), model.weights.tolist())
            path.write_bytes(path.read_bytes()[:-1])
            with self.assertRaisesRegex(rwa.ModelFileError, "modèle"):
                rwa.Model.load(str(path))
            with self.assertRaisesRegex(OSError, "cannot open"):
                rwa.Model.load(Path(folder, "none"))
            for words, wrong in [
                ("the path is .*expected a string without NUL", f"{folder}/a\0b"),
                ("the path is 5, expected a string or a path", 5),
            ]:
                with self.assertRaisesRegex(rwa.InputError, words):
                    model.save(wrong)
                with self.assertRaisesRegex(rwa.InputError, words):
                    rwa.Model.load(wrong)
            self.assertEqual(os.listdir(folder), [path.name])
        loaded.set_note("who", "")
        self.assertEqual(loaded.notes, {})
        with self.assertRaisesRegex(rwa.InputError, "format"):
            loaded.set_note("format", "x")

    def test_the_folder_of_a_run(self) -> None:
        model = rwa.Model(inputs=3, units=4)
        with tempfile.TemporaryDirectory() as folder:
            model.save(Path(folder, "model.safetensors"))
            loaded = rwa.Model.load(folder)
        self.assertEqual(loaded.weights.tolist(), model.weights.tolist())

    def test_notes_are_texts_without_nul(self) -> None:
        model = rwa.Model(inputs=3, units=4)
        for words, name, text in [
            (r"text is 'b\\x00c', expected a string without NUL", "a", "b\0c"),
            (r"name is 'b\\x00c', expected a string without NUL", "b\0c", "a"),
            ("text is 3, expected a string", "a", 3),
            (r"text is '\\ud800', expected a string", "a", "\ud800"),
        ]:
            with self.subTest(words=words), self.assertRaisesRegex(rwa.InputError, words):
                model.set_note(name, text)
        with self.assertRaisesRegex(rwa.InputError, "name is 'output.bias.x00'"):
            model.set_parameter("output.bias\0", [0.0])
        self.assertEqual(model.notes, {})

    def test_copies_and_pickles(self) -> None:
        model = rwa.Model(inputs=3, units=4)
        model.set_note("who", "me")
        for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
            self.assertEqual(other.config, model.config)
            self.assertEqual(other.notes, model.notes)
            self.assertEqual(other.weights.tolist(), model.weights.tolist())


class Sessions(unittest.TestCase):
    def setUp(self) -> None:
        self.model = rwa.Model(inputs=2, units=4, outputs=3)
        self.x = numbers(5, 3, 2)

    def test_the_papers_equations(self) -> None:
        parameters = {name: p.tolist() for name, p in self.model.parameters.items()}
        found = self.model(self.x, LENGTHS)
        self.assertIsInstance(found, rwa.Array)
        for b, length in enumerate(LENGTHS):
            expected = rwa_outputs(parameters, [step[b] for step in self.x], length)
            np.testing.assert_allclose(found[b].tolist(), expected, rtol=1e-5, atol=1e-6)

    def test_any_kind_of_array(self) -> None:
        session = rwa.Session(self.model, threads=2)
        expected = session.run(self.x, LENGTHS).tolist()
        n = np.array(self.x, np.float32)
        for x, lengths, kind in [
            (n, np.array(LENGTHS), np.ndarray),
            (np.array(self.x), LENGTHS, np.ndarray),
            (np.asfortranarray(n), tuple(LENGTHS), np.ndarray),
            (torch.tensor(self.x), torch.tensor(LENGTHS), torch.Tensor),
            (memoryview(n), np.array(LENGTHS, np.int32), rwa.Array),
        ]:
            with self.subTest(kind=type(x)):
                y = session.run(x, lengths)
                self.assertIsInstance(y, kind)
                self.assertEqual(y.tolist(), expected)

    def test_a_negated_view_of_torch(self) -> None:
        x = torch.tensor(self.x)
        found = self.model(torch._neg_view(x)).tolist()
        self.assertEqual(found, self.model(-x).tolist())

    def test_every_step_and_symbols(self) -> None:
        model = rwa.Model(input="symbols", inputs=4, units=5, readout="every", outputs=2)
        x = np.array([[0, 1], [3, 2], [1, 1]])
        y = model(x, [3, 1])
        self.assertEqual(y.shape, (3, 2, 2))
        self.assertTrue((y[1:, 1] == 0).all())
        self.assertTrue((y[:, 0] != 0).all())
        with self.assertRaisesRegex(rwa.InputError, "symbol of sequence 0, step 0 is 4"):
            model(x + 4)

    def test_a_decoder(self) -> None:
        session = rwa.Session(rwa.Model(inputs=2, units=4, outputs=3, code=3))
        self.assertEqual(session.run(self.x, LENGTHS, steps=7).shape, (7, 3, 3))
        classes = [[0, 1, 2], [2, 1, 0]]
        whole = session.loss(self.x, classes)
        self.assertNotEqual(session.loss(self.x, classes, target_lengths=[2, 1, 1]), whole)
        for words, steps in [
            ("steps is None, expected a number", None),
            ("steps is 2.5, expected a whole number", 2.5),
            ("steps is 2147483648, expected a 32-bit integer", 2**31),
            ("expected a 32-bit integer", 2**62 + 1),
        ]:
            with self.subTest(steps=steps), self.assertRaisesRegex(rwa.InputError, words):
                session.run(self.x, steps=steps)
        with self.assertRaisesRegex(rwa.InputError, "steps is 3, expected None"):
            self.model(self.x, steps=3)

    def test_loss(self) -> None:
        session = rwa.Session(self.model)
        classes = [0, 2, 1]
        losses = []
        for row, c in zip(session.run(self.x, LENGTHS).tolist(), classes):
            losses.append(math.log(sum(math.exp(v) for v in row)) - row[c])
        found = session.loss(self.x, classes, LENGTHS)
        self.assertAlmostEqual(found, sum(losses) / len(losses), places=6)

        values = rwa.Session(rwa.Model(inputs=2, units=4, outputs=3, loss="squared-error"))
        y = np.array(values.run(self.x).tolist())
        wanted = np.array(numbers(3, 3))
        self.assertAlmostEqual(values.loss(self.x, wanted), ((y - wanted) ** 2).mean(), places=5)

    def test_gradient(self) -> None:
        session = rwa.Session(self.model, memory="chunked")
        x, classes = np.array(self.x, np.float32), np.array([0, 2, 1])
        loss, weights, of_x = session.gradient(x, classes, LENGTHS, of_x=True)
        self.assertEqual(loss, session.loss(x, classes, LENGTHS))
        self.assertEqual((weights.shape, of_x.shape), ((self.model.parameter_count,), x.shape))
        self.assertTrue((of_x[2:, 1] == 0).all())
        self.assertIsNone(session.gradient(x, classes).x)
        self.assertEqual(session.gradient(x[:0], classes, of_x=True).x.shape, (0, 3, 2))

        # Along the gradient, the loss changes by its squared norm.
        def loss_at(step: float) -> float:
            other = copy.deepcopy(self.model)
            other.weights = self.model.weights.numpy() + np.float32(step) * weights
            return rwa.Session(other).loss(x + np.float32(step) * of_x, classes, LENGTHS)

        slope = (loss_at(1e-2) - loss_at(-1e-2)) / 2e-2
        expected = float((weights**2).sum() + (of_x**2).sum())
        self.assertAlmostEqual(slope / expected, 1, delta=2e-2)
        parts = self.model.split(weights)
        self.assertEqual(parts["output.weight"].shape, (3, 4))
        self.assertEqual(parts["output.bias"].tolist(), weights[-3:].tolist())
        self.assertEqual(set(parts), set(self.model.parameters))

    def test_shares(self) -> None:
        shares = rwa.Session(self.model).shares(np.array(self.x, np.float32), LENGTHS)
        self.assertEqual(shares.shape, (5, 3, 4))
        np.testing.assert_allclose(shares.sum(axis=0), 1, rtol=1e-5)
        with self.assertRaisesRegex(rwa.ConfigError, "lstm keeps no average"):
            rwa.Session(rwa.Model(inputs=2, cell="lstm")).shares(self.x)

    def test_shapes_that_do_not_fit(self) -> None:
        session, x = rwa.Session(self.model), self.x
        run, loss = session.run, session.loss
        for words, call in [
            (r"x has shape \[3, 2\], expected \[T,B,D\] with D = 2", lambda: run(x[0])),
            (r"x has shape \[5, 3, 1\]", lambda: run(numbers(5, 3, 1))),
            ("steps is 4294967301", lambda: run(np.zeros((2**32 + 5, 0, 2), np.float32))),
            (r"lengths has shape \[2\], expected \[B\] with B = 3", lambda: run(x, [1, 2])),
            ("the length of sequence 0 is 6, expected 0 to 5", lambda: run(x, [6, 1, 1])),
            (r"targets has shape \[2\], expected \[B\] with B = 3", lambda: loss(x, [1, 2])),
            ("target class of sequence 1, step 0 is 3", lambda: loss(x, [0, 3, 0])),
            ("float.*expected int32", lambda: loss(x, [0.5, 1, 1])),
            (
                "targets: lengths has 3 values, expected none",
                lambda: loss(x, [0, 1, 2], target_lengths=[1, 1, 1]),
            ),
        ]:
            with self.subTest(words=words), self.assertRaisesRegex(rwa.InputError, words):
                call()

    def test_a_session_keeps_its_model(self) -> None:
        session = rwa.Session(rwa.Model(inputs=2, units=4, outputs=3))
        self.assertEqual(session.run(self.x).tolist(), self.model(self.x).tolist())


class Streams(unittest.TestCase):
    def test_steps_are_those_of_a_session(self) -> None:
        model = rwa.Model(inputs=2, units=4, outputs=3, readout="every")
        x = np.array(numbers(6, 1, 2), np.float32)
        expected = rwa.Session(model).run(x)
        stream = rwa.Stream(model)
        for t in range(3):
            self.assertEqual(stream.step(x[t, 0]).tolist(), expected[t, 0].tolist())
        state = stream.state
        later = [stream.step(x[t, 0].tolist()).tolist() for t in range(3, 6)]
        self.assertEqual(later, expected[3:, 0].tolist())
        stream.state = state
        self.assertEqual(stream.step(torch.tensor(x[3, 0])).tolist(), later[0])
        stream.reset()
        self.assertEqual(stream.step(x[0, 0]).tolist(), expected[0, 0].tolist())
        with self.assertRaisesRegex(rwa.InputError, "x has 3 values, expected 2"):
            stream.step([1, 2, 3])
        with self.assertRaises(rwa.InputError):
            stream.state = [1.0]

    def test_symbols(self) -> None:
        model = rwa.Model(input="symbols", inputs=4, units=5, readout="every")
        stream = rwa.Stream(model)
        found = [stream.step(symbol).tolist() for symbol in (3, np.int64(0), [1])]
        self.assertEqual(found, [row[0].tolist() for row in model([[3], [0], [1]])])
        with self.assertRaisesRegex(rwa.InputError, "the symbol is 4, expected 0 to 3"):
            stream.step(4)


class Trainers(unittest.TestCase):
    def data(self) -> tuple[Any, Any]:
        """Return a batch whose class is the larger of two features at the first step."""
        x = np.array(numbers(4, 32, 2), np.float32)
        return x, (x[0, :, 0] > x[0, :, 1]).astype(np.int32)

    def test_learns(self) -> None:
        x, classes = self.data()
        model = rwa.Model(inputs=2, units=16, outputs=2)
        trainer = rwa.Trainer(model, learning_rate=0.01, clip_norm=1)
        first = trainer.step(x, classes)
        self.assertEqual(first.loss, rwa.Session(rwa.Model(**model.config)).loss(x, classes))
        for _ in range(150):
            last = trainer.step(x, classes)
        self.assertLess(last.loss, first.loss / 4)
        right = (model(x).argmax(axis=1) == classes).mean()
        self.assertGreater(right, 0.95)

    def test_goes_on_from_its_state(self) -> None:
        x, classes = self.data()
        model = rwa.Model(inputs=2, units=8, outputs=2)
        trainer = rwa.Trainer(model)
        for _ in range(3):
            trainer.step(x, classes)
        other = copy.deepcopy(model)
        again = rwa.Trainer(other)
        again.state = trainer.state
        self.assertEqual(again.state.steps, 3)
        for t in (trainer, again):
            t.set_learning_rate(0.01)
            t.step(x, classes)
        self.assertEqual(other.weights.tolist(), model.weights.tolist())
        with self.assertRaisesRegex(rwa.InputError, "the mean has 1 value,"):
            again.state = rwa.TrainerState(1, [0.0], [0.0])
        with self.assertRaisesRegex(rwa.InputError, r"mean has shape \[1\] and variance \[2\]"):
            again.state = rwa.TrainerState(1, [0.0], [0.0, 0.0])
        with self.assertRaisesRegex(
            rwa.InputError, "steps is .*, expected a 64-bit integer"
        ):
            again.state = again.state._replace(steps=2**64 + 1)
        for wrong in ("a", None):
            with self.assertRaisesRegex(rwa.ConfigError, "learning_rate is .*, expected a number"):
                again.set_learning_rate(wrong)

    def test_diverges_with_words(self) -> None:
        x, classes = self.data()
        trainer = rwa.Trainer(rwa.Model(inputs=2, units=4, outputs=2, cell="lstm"))
        with self.assertRaisesRegex(rwa.DivergenceError, "training diverged at step 1"):
            trainer.step(x * np.float32("nan"), classes)
        self.assertIsInstance(rwa.DivergenceError(), ArithmeticError)


class Leaks(unittest.TestCase):
    def test_twenty_thousand_calls(self) -> None:
        model = rwa.Model(inputs=2, units=3, outputs=2)
        session, stream = rwa.Session(model), rwa.Stream(model)
        n, t = np.zeros((2, 2, 2), np.float32), torch.zeros(2, 2, 2)

        def call(times: int) -> None:
            for i in range(times):
                session.run(t if i % 2 else n)
                stream.step([1, 2])
                if i % 10 == 0:
                    session.gradient(n, [0, 1], of_x=True)
                    rwa.Session(model).run([[[1, 2]]])
                    with self.assertRaises(rwa.InputError):
                        session.run(n[0])

        call(1000)
        before = resident_bytes()
        call(20000)
        self.assertLess(resident_bytes() - before, 2 << 20)  # 100 bytes per call


if __name__ == "__main__":
    unittest.main()

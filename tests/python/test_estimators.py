"""The estimators: training, scores, saving, and the scikit-learn protocol."""

from __future__ import annotations

import contextlib
import csv
import io
import os
import pathlib
import pickle
import signal
import subprocess
import tempfile
import threading
import unittest
from typing import Any
from unittest import mock

import rwa

try:
    import numpy
except ImportError:
    numpy = None
try:
    import sklearn
except ImportError:
    sklearn = None

PROGRAM = os.environ.get("RWA_PROGRAM")


def make_data(count: int = 60, seed: int = 0) -> tuple[list[Any], list[str]]:
    """Return sequences of 5 to 19 steps around -1, 0 or 1, which is the class."""
    random = numpy.random.default_rng(seed)
    X, y = [], []
    for i in range(count):
        steps = int(random.integers(5, 20))
        X.append(random.normal(size=(steps, 2)) * 0.5 + [i % 3 - 1, 0])
        y.append("abc"[i % 3])
    return X, y


@unittest.skipUnless(numpy, "NumPy is not installed")
class EstimatorTest(unittest.TestCase):
    def setUp(self) -> None:
        self.X, self.y = make_data()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def classifier(self, **parameters: Any) -> rwa.SequenceClassifier:
        usual = {"units": 8, "epochs": 25, "learning_rate": 0.02, "random_state": 1}
        return rwa.SequenceClassifier(**{**usual, **parameters})

    def write_csv(self, name: str, X: list[Any], y: list[Any] | None) -> pathlib.Path:
        path = self.folder / name
        with open(path, "w", newline="") as file:
            table = csv.writer(file)
            table.writerow(["id", "u", "v"] + (["label"] if y else []))
            for i, steps in enumerate(X):
                for row in steps:
                    table.writerow([f"s{i}", *row] + ([y[i]] if y else []))
        return path


class ClassifierTest(EstimatorTest):
    def test_learns_and_answers(self) -> None:
        model = self.classifier().fit(self.X, self.y)
        X, y = make_data(seed=1)
        self.assertGreater(model.score(X, y), 0.9)
        self.assertEqual(model.classes_.tolist(), ["a", "b", "c"])
        self.assertEqual(model.n_features_in_, 2)
        p = model.predict_proba(X)
        self.assertEqual(p.shape, (len(X), 3))
        numpy.testing.assert_allclose(p.sum(1), 1, atol=1e-6)
        self.assertEqual(model.predict(X).tolist(), model.classes_[p.argmax(1)].tolist())
        self.assertEqual(model.predict([]).shape, (0,))
        self.assertEqual({line["split"] for line in model.history_}, {"train"})

    def test_history_has_the_scores_of_a_split(self) -> None:
        model = self.classifier(split=0.2).fit(self.X, self.y)
        splits = {line["split"] for line in model.history_}
        self.assertEqual(splits, {"train", "valid", "final"})

    def test_baselines_stand_beside_the_score(self) -> None:
        model = self.classifier(epochs=1).fit(self.X, self.y, validation_data=make_data(seed=1))
        self.assertEqual([line["name"] for line in model.baselines_], ["majority class", "1-NN"])
        best = max(line["accuracy"] for line in model.baselines_)
        final = next(line for line in model.history_ if line["split"] == "final")
        self.assertEqual(model.remark_ != "", final["accuracy"] <= best and final["accuracy"] < 1)

    def test_same_seed_same_bits_for_any_threads(self) -> None:
        weights = [
            self.classifier(epochs=3, threads=threads, random_state=seed)
            .fit(self.X, self.y)
            .model_.weights.tolist()
            for threads, seed in ((1, 7), (2, 7), (2, 8))
        ]
        self.assertEqual(weights[0], weights[1])
        self.assertNotEqual(weights[0], weights[2])

    def test_layouts_of_the_same_data_give_the_same_model(self) -> None:
        cube = numpy.stack([x[:5] for x in self.X])
        expected = self.classifier(epochs=2).fit(list(cube), self.y).predict_proba(list(cube))
        for layout, axes in (("ntc", (0, 1, 2)), ("nct", (0, 2, 1)), ("tnc", (1, 0, 2))):
            X = cube.transpose(axes)
            model = self.classifier(epochs=2, layout=layout).fit(X, self.y)
            numpy.testing.assert_array_equal(model.predict_proba(X), expected)
        with self.assertRaisesRegex(rwa.InputError, '"ntc".*"nct" or "tnc"'):
            self.classifier().fit(cube, self.y)

    def test_classes_come_back_as_they_were_given(self) -> None:
        for classes in ([2, 10, 7], [True, False, True], [0.5, 1.5, 2.5], ["x", "ä", "y"]):
            y = [classes["abc".index(label)] for label in self.y]
            model = self.classifier(epochs=1).fit(self.X, y)
            self.assertEqual(model.classes_.tolist(), sorted(set(classes)))
            model.save(self.folder / "m.safetensors")
            loaded = rwa.SequenceClassifier.load(self.folder / "m.safetensors")
            self.assertEqual(loaded.predict(self.X).tolist(), model.predict(self.X).tolist())
            self.assertIs(type(loaded.classes_.tolist()[0]), type(classes[0]))

    def test_classes_are_in_the_order_of_numpy(self) -> None:
        words = {"a": "9", "b": "10", "c": "100"}
        model = self.classifier().fit(self.X, [words[label] for label in self.y])
        self.assertEqual(model.classes_.tolist(), ["10", "100", "9"])
        best = model.predict_proba(self.X).argmax(1)
        self.assertEqual(model.classes_[best].tolist(), model.predict(self.X).tolist())
        self.assertGreater(model.score(self.X, [words[label] for label in self.y]), 0.9)

    def test_a_score_of_other_types_is_refused(self) -> None:
        model = self.classifier(epochs=1).fit(self.X, self.y)
        with self.assertRaisesRegex(rwa.InputError, "numbers such as 1, expected strings"):
            model.score(self.X, [1] * len(self.X))
        model = self.classifier(epochs=1).fit(self.X, ["abc".index(label) for label in self.y])
        with self.assertRaisesRegex(rwa.InputError, "strings such as 'a', expected numbers"):
            model.score(self.X, self.y)

    def test_several_labels(self) -> None:
        y = [{"low", "known"} if label == "a" else {"known"} for label in self.y]
        model = self.classifier().fit(self.X, y)
        self.assertGreater(model.score(self.X, y), 0.9)
        self.assertLessEqual(model.predict(self.X)[0], {"low", "known"})
        with self.assertRaisesRegex(rwa.InputError, r"y has shape \(60, 2\)"):
            self.classifier().fit(self.X, numpy.zeros((60, 2), int))

    def test_symbols(self) -> None:
        X = ["ACGT", "GGGA", "ACCT", "GGTA"] * 8
        y = [text[0] for text in X]
        model = self.classifier(embedding=4).fit(X, y)
        self.assertEqual(model.score(X, y), 1.0)
        # A letter that is not in the training data adds nothing, whichever it is.
        unknown = model.predict_proba(["NAG", "XAG"])
        self.assertEqual(unknown[0].tolist(), unknown[1].tolist())

    def test_windows_give_one_answer_for_a_sequence(self) -> None:
        model = self.classifier(window=4, stride=2).fit(self.X, self.y)
        p = model.predict_proba(self.X)
        self.assertEqual(p.shape, (60, 3))
        numpy.testing.assert_allclose(p.sum(1), 1, atol=1e-6)
        pieces = [self.X[0][i : i + 4] for i in range(0, max(len(self.X[0]) - 2, 1), 2)]
        numpy.testing.assert_allclose(p[0], model.predict_proba(pieces).mean(0), atol=1e-6)


class TrainingTest(EstimatorTest):
    def test_sequences_of_other_sizes_are_scaled_by_themselves(self) -> None:
        X = [x * 10.0 ** (i % 5) for i, x in enumerate(self.X)]
        classifier = self.classifier(positions=0).fit(X, self.y)
        self.assertEqual(classifier.model_.config["inputs"], 6)
        self.assertEqual(classifier.predict_proba(X).shape, (60, 3))
        with self.assertRaisesRegex(rwa.ConfigError, "cannot be streamed: train with --scale data"):
            rwa.Stream(classifier.model_)
        as_data = self.classifier(scale="data", positions=0).fit(X, self.y)
        self.assertEqual(as_data.model_.config["inputs"], 2)

    def test_ends_when_nothing_becomes_better(self) -> None:
        noise = list(numpy.random.default_rng(3).permutation(self.y))
        model = self.classifier(epochs=500, patience=2).fit(self.X, noise)
        self.assertEqual(model.end_, "patience")
        self.assertLess(max(line["step"] for line in model.history_), 300)

    def test_validation_data_decides(self) -> None:
        X, y = make_data(30, seed=1)
        model = self.classifier(epochs=3)
        model.fit(self.X, self.y, validation_data=(X, y))
        final = next(line for line in model.history_ if line["split"] == "final")
        self.assertAlmostEqual(final["accuracy"], model.score(X, y))
        again = self.classifier(epochs=3)
        again.fit(self.X, self.y, validation_data=rwa.Sequences.from_arrays(X, y))
        self.assertEqual(again.model_.weights.tolist(), model.model_.weights.tolist())

    def test_the_callback_is_told_and_may_stop(self) -> None:
        told = []
        whole = self.classifier(split=0.2, callback=lambda progress: told.append(progress))
        whole.fit(self.X, self.y)
        self.assertEqual(whole.end_, "steps")
        self.assertEqual(told[-1]["step"], told[-1]["steps"])
        self.assertTrue(any(progress["score"] for progress in told))

        # Long, since without scores the callback is told at intervals of time.
        steps = 15000
        stopped = self.classifier(
            epochs=None, steps=steps, callback=lambda progress: progress["step"] >= 4
        )
        stopped.fit(self.X, self.y)
        self.assertEqual(stopped.end_, "stopped")
        self.assertLess(stopped.history_[-1]["step"], steps)
        self.assertEqual(len(stopped.predict(self.X)), len(self.X))

    def test_verbose_prints_every_score(self) -> None:
        def printed(model: Any, **fit: Any) -> list[str]:
            with contextlib.redirect_stdout(io.StringIO()) as out:
                model.fit(self.X, self.y, **fit)
            return out.getvalue().splitlines()

        self.assertEqual(printed(self.classifier()), [])
        model = self.classifier(split=0.2)
        lines = printed(model, verbose=1)
        steps = {score["step"] for score in model.history_ if score["split"] == "valid"}
        self.assertEqual(len(lines), len(steps))
        for line in lines:
            self.assertRegex(
                line, r"^step \d+ of \d+: loss [\d.e-]+ bits, accuracy [\d.]+ %, \d+ s left$"
            )
        self.assertEqual(len(printed(self.classifier(split=0.2, verbose=1))), len(lines))
        self.assertEqual(printed(self.classifier(verbose=1), verbose=0), [])

    def test_what_the_callback_raises_is_raised(self) -> None:
        def fail(progress: dict) -> None:
            raise KeyError("mine")

        with self.assertRaisesRegex(KeyError, "mine"):
            self.classifier(callback=fail).fit(self.X, self.y)

    def test_ctrl_c_ends_it(self) -> None:
        def interrupt_once(progress: dict) -> None:
            if not sent:
                sent.append(True)
                os.kill(os.getpid(), signal.SIGINT)

        sent: list[bool] = []
        self.assertIs(threading.current_thread(), threading.main_thread())
        endless = {"schedule": "constant", "patience": 0, "epochs": 1e6}
        with self.assertRaises(KeyboardInterrupt):
            self.classifier(callback=interrupt_once, **endless).fit(self.X, self.y)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_leaves_nothing_behind(self) -> None:
        seen = set()
        with mock.patch.dict(os.environ, TMPDIR=str(self.folder)):
            look = self.classifier(callback=lambda _: seen.update(os.listdir(self.folder)))
            look.fit(self.X, self.y)
            with self.assertRaises(rwa.ConfigError):
                self.classifier(readout="every").fit(self.X, self.y)
        self.assertEqual(seen, set())
        self.assertEqual(os.listdir(self.folder), [])

    def test_bad_parameters_and_data_have_good_words(self) -> None:
        for words, parameters in (
            ("^training options: units is 0, expected a whole number from 1 to 1048576$", {"units": 0}),
            ("unknown cell 'rnn', expected one of: rwa", {"cell": "rnn"}),
            ("epochs and steps are both given, expected one", {"steps": 3}),
            ("^readout is every, expected", {"readout": "every"}),
            ('units is "8", expected a whole number', {"units": "8"}),
        ):
            with self.subTest(words=words), self.assertRaisesRegex(rwa.ConfigError, words):
                self.classifier(**parameters).fit(self.X, self.y)
        with self.assertRaisesRegex(rwa.InputError, "a single class, expected at least two"):
            self.classifier().fit(self.X, ["a"] * len(self.X))
        with self.assertRaisesRegex(rwa.InputError, "expected class or labels"):
            self.classifier().fit(rwa.Sequences.from_arrays(self.X))
        missing = [x.copy() for x in self.X]
        missing[3][1, 1] = numpy.nan
        words = 'sequences:4: found no number for "x1" at step 2'
        with self.assertRaisesRegex(rwa.InputError, words):
            self.classifier().fit(missing, self.y)
        self.classifier(epochs=1, missing="mean").fit(missing, self.y)
        model = self.classifier(epochs=1).fit(self.X, self.y)
        with self.assertRaisesRegex(rwa.InputError, "has the features x0, x1, x2, expected x0, x1"):
            model.predict([numpy.zeros((4, 3))])
        with self.assertRaisesRegex(rwa.ConfigError, "not fitted"):
            self.classifier().predict(self.X)


class OthersTest(EstimatorTest):
    def test_a_number_of_each_sequence(self) -> None:
        y = [5 + 10 * float(x[:, 0].mean()) for x in self.X]
        model = rwa.SequenceRegressor(units=8, epochs=60, learning_rate=0.02, random_state=1)
        model.fit(self.X, y)
        self.assertGreater(model.score(self.X, y), 0.8)
        self.assertEqual(model.predict(self.X).shape, (60,))

    def test_several_numbers(self) -> None:
        y = numpy.array([x.mean(0) for x in self.X])
        model = rwa.SequenceRegressor(units=4, epochs=2).fit(self.X, y)
        self.assertEqual(model.predict(self.X).shape, (60, 2))
        with self.assertRaisesRegex(rwa.InputError, r"y has shape \(60,\), expected \(60, 2\)"):
            model.score(self.X, y[:, 0])

    def test_a_class_of_every_step(self) -> None:
        y = [(x[:, 0] > 0).astype(int) for x in self.X]
        usual = {"units": 8, "epochs": 60, "learning_rate": 0.02, "random_state": 1}
        model = rwa.SequenceTagger(cell="gru", **usual).fit(self.X, y)
        self.assertGreater(model.score(self.X, y), 0.8)
        self.assertEqual([len(one) for one in model.predict(self.X)], [len(x) for x in self.X])
        self.assertEqual(model.predict_proba(self.X)[0].shape, (len(self.X[0]), 2))
        self.assertEqual(model.classes_.tolist(), [0, 1])

    def test_overlapping_windows_answer_every_step_once(self) -> None:
        y = [(x[:, 0] > 0).astype(int) for x in self.X]
        model = rwa.SequenceTagger(units=4, epochs=1, window=4, stride=1).fit(self.X, y)
        self.assertEqual([len(one) for one in model.predict(self.X)], [len(x) for x in self.X])

    def test_a_number_of_every_step(self) -> None:
        y = [x[:, 0].cumsum() for x in self.X]
        usual = {"units": 8, "epochs": 40, "learning_rate": 0.02, "random_state": 1}
        model = rwa.SequenceTagger(cell="lstm", **usual).fit(self.X, y)
        self.assertGreater(model.score(self.X, y), 0.6)
        with self.assertRaisesRegex(rwa.ConfigError, "a regression model, expected a classifier"):
            model.predict_proba(self.X)

    def test_models_are_for_their_task(self) -> None:
        self.classifier(epochs=1).fit(self.X, self.y).save(self.folder / "m.safetensors")
        with self.assertRaisesRegex(rwa.ConfigError, "for task class, expected numbers"):
            rwa.SequenceRegressor.load(self.folder / "m.safetensors")

    def test_pickles(self) -> None:
        model = self.classifier(epochs=1).fit(self.X, self.y)
        again = pickle.loads(pickle.dumps(model))
        numpy.testing.assert_array_equal(again.predict_proba(self.X), model.predict_proba(self.X))
        self.assertEqual(again.get_params(), model.get_params())


@unittest.skipUnless(PROGRAM, "RWA_PROGRAM does not name the program to compare with")
class ProgramTest(EstimatorTest):
    def predict(self, model: pathlib.Path, data: pathlib.Path) -> Any:
        run = subprocess.run(
            [PROGRAM, "predict", model, data], capture_output=True, text=True, check=True
        )
        rows = list(csv.DictReader(run.stdout.splitlines()))
        return numpy.array([[float(row[f"p_{c}"]) for c in "abc"] for row in rows], numpy.float32)

    def test_same_files_same_seed_same_model(self) -> None:
        data = self.write_csv("data.csv", self.X, self.y)
        out = self.folder / "run"
        settings = ["--units", "6", "--epochs", "2", "--seed", "5", "--out", out]
        subprocess.run([PROGRAM, "train", data, *settings], capture_output=True, check=True)
        ours = rwa.SequenceClassifier(units=6, epochs=2, random_state=5).fit(rwa.read(data))
        ours.save(self.folder / "ours.safetensors")
        theirs = (out / "model.safetensors").read_bytes()
        self.assertEqual((self.folder / "ours.safetensors").read_bytes(), theirs)

        new = self.write_csv("new.csv", self.X[:7], None)
        loaded = rwa.SequenceClassifier.load(out)
        answers = loaded.predict_proba(rwa.read(new))
        numpy.testing.assert_array_equal(answers, self.predict(out, new))

    def test_a_model_of_arrays_is_used_by_the_program(self) -> None:
        model = self.classifier(epochs=2).fit(self.X, self.y)
        model.save(self.folder / "m.safetensors")
        cube = numpy.stack([x[:5] for x in self.X]).astype(numpy.float32)
        numpy.save(self.folder / "cube.npy", cube)
        answers = self.predict(self.folder / "m.safetensors", self.folder / "cube.npy")
        numpy.testing.assert_array_equal(answers, model.predict_proba(list(cube)))

    def test_columns_are_found_by_name(self) -> None:
        model = self.classifier(epochs=1).fit(rwa.read(self.write_csv("a.csv", self.X, self.y)))
        path = self.folder / "swapped.csv"
        with open(path, "w") as file:
            file.write("id,w,v,u\n")
            for i, steps in enumerate(self.X):
                file.writelines(f"s{i},0,{row[1]},{row[0]}\n" for row in steps)
        swapped = model.predict_proba(rwa.read(path))
        numpy.testing.assert_array_equal(swapped, model.predict_proba(self.X))
        with self.assertRaisesRegex(rwa.InputError, "has the features u, expected u, v"):
            model.predict(rwa.read(path, features="u", task="forecast"))


class ProtocolTest(EstimatorTest):
    def test_parameters_are_kept_as_given(self) -> None:
        model = rwa.SequenceClassifier(units=8, cell="gru")
        self.assertEqual(repr(model), "SequenceClassifier(cell='gru', units=8)")
        self.assertEqual((model.get_params()["units"], model.get_params()["layers"]), (8, None))
        self.assertIs(model.set_params(units=9), model)
        self.assertEqual(model.units, 9)
        with self.assertRaisesRegex(rwa.ConfigError, "no parameter 'unit'"):
            model.set_params(unit=9)

    @unittest.skipUnless(sklearn, "scikit-learn is not installed")
    def test_scikit_learn(self) -> None:
        from sklearn.base import clone
        from sklearn.model_selection import GridSearchCV, cross_val_score
        from sklearn.pipeline import Pipeline
        from sklearn.preprocessing import FunctionTransformer

        model = self.classifier()
        self.assertEqual(clone(model).get_params(), model.get_params())
        scores = cross_val_score(model, self.X, self.y, cv=3)
        self.assertGreater(min(scores), 0.8)
        data = rwa.Sequences.from_arrays(self.X, self.y)
        numpy.testing.assert_array_equal(cross_val_score(model, data, data.y, cv=3), scores)

        grid = {"units": numpy.array([2, 8]), "learning_rate": [0.02]}
        search = GridSearchCV(model, grid, cv=2).fit(self.X, self.y)
        self.assertIn(search.best_params_["units"], (2, 8))
        self.assertGreater(search.score(self.X, self.y), 0.8)

        double = FunctionTransformer(lambda X: [2 * x for x in X])
        pipeline = Pipeline([("double", double), ("model", model)]).fit(self.X, self.y)
        self.assertGreater(pipeline.score(self.X, self.y), 0.8)
        self.assertEqual(pipeline.set_params(model__units=6).get_params()["model__units"], 6)

        tagger = rwa.SequenceTagger(units=4, epochs=2)
        steps = [(x[:, 0] > 0).astype(int) for x in self.X]
        self.assertEqual(len(cross_val_score(tagger, self.X, steps, cv=3)), 3)


@unittest.skipUnless(numpy, "NumPy is not installed")
class ForecasterTest(unittest.TestCase):
    def setUp(self) -> None:
        steps = numpy.arange(96)
        self.waves = 50 + 0.1 * steps + 10 * numpy.sin(2 * numpy.pi * steps / 12)

    def forecaster(self, **parameters: Any) -> rwa.SequenceForecaster:
        return rwa.SequenceForecaster(**{"steps": 20, "random_state": 1, **parameters})

    def test_goes_on_from_the_end_of_a_series(self) -> None:
        model = self.forecaster().fit(self.waves[:84])
        (found,) = model.predict(self.waves[:84])
        self.assertEqual(found.shape, (12,))
        self.assertLess(abs(found - self.waves[84:]).max(), 1)
        (low,), (high,) = model.predict_interval(self.waves[:84])
        self.assertTrue((low <= found).all() and (found <= high).all())
        error = model.score(self.waves[:84], self.waves[84:])
        self.assertAlmostEqual(error, -abs(found - self.waves[84:]).mean(), places=5)

    def test_several_series_and_features(self) -> None:
        two = numpy.stack([self.waves, -self.waves], axis=1)
        model = self.forecaster(horizon=4, season=12).fit([two, two[:60]])
        self.assertEqual([one.shape for one in model.predict([two, two[:30]])], [(4, 2), (4, 2)])

    def test_is_saved_and_loaded(self) -> None:
        model = self.forecaster(horizon=3).fit(self.waves)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "model.safetensors"
            model.save(path)
            loaded = rwa.SequenceForecaster.load(path)
            with self.assertRaisesRegex(rwa.ConfigError, "SequenceRegressor"):
                rwa.SequenceRegressor.load(path)
        numpy.testing.assert_array_equal(loaded.predict(self.waves), model.predict(self.waves))

    def test_needs_enough_steps(self) -> None:
        with self.assertRaisesRegex(rwa.InputError, "found series of up to 96 steps"):
            self.forecaster(horizon=96).fit(self.waves)
        with self.assertRaises(rwa.Error):
            self.forecaster().fit([])


if __name__ == "__main__":
    unittest.main()

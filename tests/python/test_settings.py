"""Every setting through all four interfaces: an option of the program, a key of its configuration
file, the C API's JSON, and a keyword argument."""

import contextlib
import ctypes
import io
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

try:
    import tomllib
except ImportError:
    tomllib = None

import rwa
from rwa._library import Handle, library
from rwa.training import cross_validate, train, tune

PROGRAM = os.environ["RWA_PROGRAM"]

# Values other than the default, and the settings that they need.
VALUES = {
    "name": "other",
    "seed": 5,
    "context": 2,
    "positions": 3,
    "scale": "sequence",
    "missing": "mean",
    "window": 3,
    "stride": (2, {"window": 3}),
    "horizon": 2,
    "season": 3,
    "interval": 0.5,
    "split": 0.25,
    "balance": True,
    "cell": "gru",
    "activation": "identity",
    "units": 5,
    "layers": 2,
    "bidirectional": True,
    "dropout": (0.5, {"layers": 2}),
    "embedding": (3, {}),
    "stem": "3,2",
    "channels": (3, {"stem": "2"}),
    "span": (9, {"cell": "rwa-forget"}),
    "lasting": (0.75, {"cell": "rwa-forget"}),
    "learned_decay": (False, {"cell": "rwa-decay"}),
    "readout": "mean",
    "epochs": 2,
    "steps": 3,
    "batch": 6,
    "learning_rate": 0.125,
    "beta1": 0.5,
    "beta2": 0.75,
    "epsilon": 0.0625,
    "clip_norm": 3.0,
    "noise": 0.5,
    "shift": 0.25,
    "schedule": "cosine",
    "truncate": 2,
    "every": 2,
    "samples": 4,
    "patience": 7,
}
NOT_HERE = ("device",)  # only the CPU exists on every machine
SYMBOLS = ("embedding",)  # settings for symbols only
FORECASTS = ("horizon", "season", "interval")  # and for forecasts
USUAL = {"units": 2, "steps": 1}


def numbers_file(folder):
    draws = random.Random(1)
    lines = ["seq,a,b,label"]
    for i in range(20):
        for _ in range(4):
            lines.append(f"s{i},{draws.gauss(i % 2, 1):.3f},{draws.gauss(0, 1):.3f},{'xy'[i % 2]}")
    file = folder / "numbers.csv"
    file.write_text("\n".join(lines) + "\n")
    return file


def letters_file(folder):
    draws = random.Random(2)
    lines = [f"{'xy'[i % 2]}\t{''.join(draws.choices('abc', k=5))}" for i in range(20)]
    file = folder / "letters.txt"
    file.write_text("\n".join(lines) + "\n")
    return file


@unittest.skipIf(tomllib is None, "Python 3.11 is needed for tomllib")
class FourDoors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        # Of numbers, of symbols, and numbers that are forecast.
        cls.files = {False: numbers_file(cls.folder), True: letters_file(cls.folder)}
        cls.files[None] = cls.files[False]
        cls.sequences = {
            False: rwa.read(cls.files[False], id="seq", target=["label"]),
            True: rwa.read(cls.files[True]),
            None: rwa.read(cls.files[False], id="seq", features=["a", "b"], task="forecast"),
        }
        cls.of_sequences = [s for s in rwa.settings() if s.of_sequences]

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def given(self, name):
        value = VALUES[name]
        value, others = value if isinstance(value, tuple) else (value, {})
        usual = {} if name == "epochs" else dict(USUAL)
        usual.setdefault("units", 2)
        return {**usual, **others, name: value}, value

    def run_program(self, arguments, out):
        command = [PROGRAM, "train", *map(str, arguments), "--out", out]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        last = out / "all" if (out / "all").exists() else out  # after folds
        return tomllib.loads((last / "config.toml").read_text())

    def data_arguments(self, symbols):
        reading = [] if symbols else ["--id", "seq", "--target", "label"]
        if symbols is None:
            reading = ["--id", "seq", "--features", "a,b", "--task", "forecast"]
        return [self.files[symbols], *reading]

    def by_option(self, given, symbols, out):
        options = [f"--{name.replace('_', '-')}={str(v).lower() if v in (True, False) else v}"
                   for name, v in given.items()]
        return self.run_program([*self.data_arguments(symbols), *options], out)

    def by_file(self, given, symbols, out):
        tables = {s.name: s.table for s in self.of_sequences}
        lines = [f"{tables[name] + '.' if tables[name] else ''}{name} = {json.dumps(value)}"
                 for name, value in given.items()]
        config = out.with_suffix(".toml")
        config.write_text("\n".join(lines))
        return self.run_program([*self.data_arguments(symbols), "--config", config], out)

    def by_json(self, given, symbols):
        summary = ctypes.c_char_p()

        def make(out):
            handle = self.sequences[symbols]._handle
            text = json.dumps(given).encode()
            library.rwa_train(handle, None, text, None, None, out, ctypes.byref(summary))

        Handle("rwa_model_free", make)
        return json.loads(summary.value)["settings"]

    def test_every_setting(self):
        for setting in self.of_sequences:
            if setting.name in NOT_HERE:
                continue
            with self.subTest(setting.name):
                self.check(setting)

    def check(self, setting):
        symbols = None if setting.name in FORECASTS else setting.name in SYMBOLS
        given, value = self.given(setting.name)
        option = self.by_option(given, symbols, self.folder / f"{setting.name}-option")
        file = self.by_file(given, symbols, self.folder / f"{setting.name}-file")
        by_json = self.by_json(given, symbols)
        by_keyword = train(self.sequences[symbols], **given).settings
        self.assertEqual(option, file)
        self.assertEqual(by_json, by_keyword)
        kind = rwa.SequenceForecaster if symbols is None else rwa.SequenceClassifier
        estimator = kind(
            **{("random_state" if n == "seed" else n): v for n, v in given.items() if n != "name"})
        estimator.fit(self.sequences[symbols])
        if setting.name == "epochs":  # stored as steps
            self.assertEqual(option["training"]["steps"], by_json["steps"])
            return
        table = option[setting.table] if setting.table else option
        self.assertEqual(table[setting.name], value)
        self.assertEqual(by_json[setting.name], value)

    def test_every_setting_has_a_value_here(self):
        self.assertEqual({s.name for s in self.of_sequences}, {*VALUES, *NOT_HERE})

    def test_settings_of_reading_are_those_of_read(self):
        values = {"format": "table", "layout": "long", "task": "class", "target": ["label"],
                  "features": ["a"], "id": "seq", "time": None, "label_from": None, "decimal": ".",
                  "kmer": None, "tokens": None, "lower": None}
        of_reading = {s.name for s in rwa.settings() if s.group.startswith("Reading")}
        self.assertEqual(of_reading, set(values))
        given = {name: value for name, value in values.items() if value is not None}
        sequences = rwa.read(self.files[False], **given)
        self.assertEqual(sequences.features, ["a"])
        options = [f"--{n}={','.join(v) if isinstance(v, list) else v}" for n, v in given.items()]
        done = subprocess.run([PROGRAM, "inspect", self.files[False], *options],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_options_come_before_the_file_and_that_before_the_data(self):
        config = self.folder / "order.toml"
        config.write_text("task.window = 3\n[network]\nunits = 3\n[training]\nsteps = 2\n")
        arguments = [*self.data_arguments(False), "--config", config, "--units", "4"]
        found = self.run_program(arguments, self.folder / "order")
        self.assertEqual(found["network"]["units"], 4)
        self.assertEqual(found["training"]["steps"], 2)
        self.assertEqual(found["task"]["window"], 3)  # in spite of DATA
        self.assertEqual(found["training"]["batch"], 8)  # chosen: the sequences are few
        # Without DATA, an option about the data counts.
        again = self.run_program(
            ["--config", self.folder / "order/all/config.toml", "--window", "2"], self.folder / "again")
        self.assertEqual(again["task"]["window"], 2)
        self.assertEqual(again["network"]["units"], 4)

    def test_folds_of_a_file_have_folders_of_their_own(self):
        config = self.folder / "folds.toml"
        config.write_text("task.folds = 3\n[network]\nunits = 2\n[training]\nsteps = 1\n")
        out = self.folder / "folds"
        command = [PROGRAM, "train", *self.data_arguments(False), "--config", config, "--out", out]
        subprocess.run(list(map(str, command)), check=True, capture_output=True)
        self.assertEqual(sorted(f.name for f in out.iterdir()),
                         ["all", "comparison.html", "fold-1", "fold-2", "fold-3", "model.safetensors",
                          "report.html"])


class SeveralRuns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            file = numbers_file(pathlib.Path(folder))
            cls.sequences = rwa.read(file, id="seq", target=["label"])
            cls.others = rwa.read(file, id="seq", target=["label"])

    def test_cross_validation_has_a_score_for_each_fold(self):
        runs = cross_validate(self.sequences, folds=4, units=2, steps=2)
        self.assertEqual(len(runs), 4)
        self.assertEqual(sum(run.scores["sequences"] for run in runs), 20)
        self.assertEqual({run.steps for run in runs}, {2})
        for run in runs:
            names = [baseline["name"] for baseline in run.baselines]
            self.assertEqual(names, ["majority class", "1-NN"])
            best = max(baseline["accuracy"] for baseline in run.baselines)
            self.assertEqual(run.remark != "", run.scores["accuracy"] <= best)
        self.assertTrue(all(isinstance(run.model, rwa.Model) for run in runs))
        self.assertEqual(len(cross_validate(self.sequences, folds=2, units=2, steps=2)), 2)
        again = cross_validate(self.sequences, folds=4, units=2, steps=2, jobs=2)
        self.assertEqual([run.scores for run in runs], [run.scores for run in again])

    def test_tuning_ranks_its_candidates(self):
        runs = tune(self.sequences, candidates=3, time_budget=1, cell="lstm", split=0.2)
        self.assertEqual(len(runs), 3)
        losses = [run.loss for run in runs]
        self.assertEqual(losses[0], min(losses))
        self.assertEqual({run.settings["cell"] for run in runs}, {"lstm"})
        self.assertEqual({(len(run.baselines), run.remark, run.expected) for run in runs}, {(0, "", "")})
        self.assertTrue(all(isinstance(run.model, rwa.Model) for run in runs))

    def test_few_sequences_are_tuned_by_folds(self):
        runs = tune(self.sequences, candidates=3, units=2, steps=4)
        self.assertEqual({run.title for run in runs}, {f"candidate {number}" for number in range(3)})
        self.assertRegex(runs[0].expected, "^accuracy .* ± .* %$")
        self.assertIsInstance(runs[0].model, rwa.Model)
        self.assertEqual({run.model for run in runs[1:]}, {None})
        for run in runs:
            self.assertEqual(set(run.scores), {"accuracy", "loss"})
            self.assertEqual(run.settings["units"], 2)
        again = tune(self.sequences, candidates=3, units=2, steps=4, jobs=2)
        self.assertEqual([run.scores for run in runs], [run.scores for run in again])
        self.assertEqual(len(tune(self.sequences, candidates=2, folds=2, units=2, steps=4)), 2)

    def test_candidates_that_diverge_are_an_error(self):
        draws = random.Random(3)
        noise = [[[draws.gauss(0, 1)] for _ in range(4)] for _ in range(60)]
        sequences = rwa.Sequences.from_arrays(noise, [draws.gauss(0, 1) for _ in noise])
        with self.assertRaisesRegex(rwa.DivergenceError, "all candidates diverged"):
            tune(sequences, candidates=2, stem="none", learning_rate=1e15)

    def test_nothing_is_written(self):
        """Not even to the folder for temporary files, which does not exist here."""
        code = (
            "import rwa, sys\n"
            "s = rwa.Sequences.from_arrays([[[float(i % 2)], [1.0]] for i in range(20)],"
            " [str(i % 2) for i in range(20)])\n"
            "rwa.train(s, units=2, steps=2)\n"
            "rwa.cross_validate(s, folds=3, units=2, steps=2)\n"
        )
        environment = {**os.environ, "TMPDIR": "/nowhere"}
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, "-c", code], check=True, cwd=folder, env=environment)
            self.assertEqual(os.listdir(folder), [])

    def test_a_callback_ends_a_search(self):
        told = []

        def stop(progress):
            told.append(progress["run"])
            return True

        runs = cross_validate(self.sequences, folds=3, units=2, steps=100000, callback=stop)
        self.assertEqual({run.end for run in runs}, {"stopped"})
        self.assertTrue(told[0].startswith("sequences fold-"))

    def test_verbose_names_the_runs(self):
        for search, given, words in (
            (cross_validate, {"folds": 3}, "sequences fold-1: step 4 of 4: loss "),
            (tune, {"candidates": 2}, "candidate 1 fold-2: step 4 of 4: "),
            (tune, {"candidates": 2, "time_budget": 1, "split": 0.5}, "candidate 1: step 4 of 4: loss "),
            (train, {}, "step 4 of 4: training loss "),
            (train, {"split": 0.5}, "step 4 of 4: loss "),
        ):
            with contextlib.redirect_stdout(io.StringIO()) as out:
                search(self.sequences, units=2, steps=4, verbose=1, **given)
            self.assertIn(words, out.getvalue())

    def test_names_are_read_in_any_case(self):
        trained = rwa.train(self.sequences, units=2, steps=2, cell="LSTM", readout="Mean")
        self.assertEqual(trained.settings["cell"], "lstm")
        self.assertEqual(trained.model.config["readout"], "mean")

    def test_numbers_are_in_their_range(self):
        numbers = [s for s in rwa.settings() if s.of_sequences and s.kind in ("int", "float")]
        self.assertGreater(len(numbers), 25)
        for setting in numbers:
            self.assertTrue(setting.range)
            with self.assertRaisesRegex(rwa.ConfigError, f"{setting.name} is -1"):
                rwa.train(self.sequences, **{setting.name: -1})
            most = 1e300 if setting.kind == "float" else 2**64
            for value in (most, float("nan"), float("inf"), "many", ""):
                with self.assertRaisesRegex(rwa.ConfigError, f"{setting.name} is "):
                    rwa.train(self.sequences, **{setting.name: value})
        for search, given in ((cross_validate, {"folds": 1}), (cross_validate, {"folds": 10**6}),
                              (cross_validate, {"repeat": 10**6}), (tune, {"candidates": 0}),
                              (tune, {"jobs": 10**6}), (train, {"threads": 0}),
                              (train, {"time_budget": -1}), (train, {"time_budget": 0}),
                              (train, {"time_budget": 1e8})):
            with self.assertRaisesRegex(rwa.ConfigError, f"{next(iter(given))} is "):
                search(self.sequences, units=2, steps=2, **given)

    def test_what_is_given_has_an_effect(self):
        for given, message in (({"span": 3}, "span has no effect on this cell"),
                               ({"stem": "none", "channels": 3}, "channels has no effect"),
                               ({"interval": 0.5}, "interval has no effect on this task"),
                               ({"split": 0, "patience": 3}, "patience has no effect")):
            with self.assertRaisesRegex(rwa.ConfigError, message):
                rwa.train(self.sequences, units=2, steps=2, **given)
        with self.assertRaisesRegex(rwa.ConfigError, "split has no effect beside validation data"):
            rwa.train(self.sequences, self.others, split=0.5)
        for search in (train, tune):
            with self.assertRaisesRegex(rwa.ConfigError, "validation data is the training data"):
                search(self.sequences, self.sequences, units=2)

    def test_mistakes_are_named(self):
        with self.assertRaisesRegex(rwa.ConfigError, "'lr', did you mean learning_rate"):
            rwa.train(self.sequences, lr=0.1)
        with self.assertRaisesRegex(rwa.ConfigError, "unknown option 'unitz', did you mean units"):
            train(self.sequences, unitz=3)
        with self.assertRaisesRegex(rwa.ConfigError, "units is \"x\", expected a whole number"):
            train(self.sequences, units="x")
        with self.assertRaisesRegex(rwa.ConfigError, "unknown option 'format'"):
            train(self.sequences, format="table")
        with self.assertRaisesRegex(rwa.ConfigError, "no parameter 'unitz', did you mean units"):
            rwa.SequenceClassifier(unitz=3)


if __name__ == "__main__":
    unittest.main()

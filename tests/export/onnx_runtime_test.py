#!/usr/bin/env python3
"""Compare exported ONNX files in ONNX Runtime with Session, Stream and the program.

    RWA_NODE_MODULES=… RWA_LIBRARY=… RWA_PROGRAM=… PYTHONPATH=python onnx_runtime_test.py
"""

from __future__ import annotations

import csv
import itertools
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import rwa

RUNNER = Path(__file__).with_name("run_onnx.mjs")
CELLS = [cell.name for cell in rwa.cells()]
AVERAGES = [cell.name for cell in rwa.cells() if cell.averages]
INPUTS = [{}, {"input": "symbols"}, {"input": "symbols", "embedding": 3}]
STEM_INPUTS = [{}, {"input": "symbols", "embedding": 3}]
STEMS = [[3], [4, 1, 2], [15], [1], [2, 2]]  # 15 is longer than any sequence, 1 has no state
READOUTS = ["last", "every", "mean", "attention"]
TYPES = {"f": "float32", "i": "int64"}


class Result(NamedTuple):
    """The result of one file."""

    metadata: dict[str, str]
    outputs: list[dict[str, np.ndarray]]  # of each feed


def as_json(array: np.ndarray) -> dict[str, Any]:
    flat = array.reshape(-1).tolist()
    return {
        "type": TYPES[array.dtype.kind],
        "dims": list(array.shape),
        "data": [None if value != value else value for value in flat],
    }


def as_array(output: dict[str, Any]) -> np.ndarray:
    numbers = [np.nan if value is None else value for value in output["data"]]
    return np.array(numbers, np.float32).reshape(output["dims"])


def runtime(cases: list[tuple[Path, list[dict[str, np.ndarray]]]]) -> list[Result]:
    """Run files with their feeds, all in one process."""
    with tempfile.TemporaryDirectory() as folder:
        asked, answered = Path(folder, "cases.json"), Path(folder, "results.json")
        asked.write_text(
            json.dumps(
                [
                    {
                        "file": str(file),
                        "feeds": [{n: as_json(a) for n, a in feed.items()} for feed in feeds],
                    }
                    for file, feeds in cases
                ]
            )
        )
        command = ["node", str(RUNNER), str(asked), str(answered)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise AssertionError(f"run_onnx.mjs ended with {done.returncode}: {done.stderr}")
        results = json.loads(answered.read_text())
    return [
        Result(r["metadata"], [{n: as_array(a) for n, a in out.items()} for out in r["outputs"]])
        for r in results
    ]


def softmax(y: np.ndarray) -> np.ndarray:
    e = np.exp(y - y.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def sigmoid(y: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-y))


def encoding(schema: dict[str, Any], **fields: Any) -> str:
    """Return the note "data" of a model that was trained on files, with these fields."""
    none = {"mean": [], "scale": []}
    whole = {
        "schema": {
            "format": "table",
            "layout": "long",
            "symbols": False,
            "features": [],
            "targets": [],
            "id": "",
            "time": "",
            "label_from": "",
            **schema,
        },
        "kmer": 1,
        "missing": "refuse",
        "window": 0,
        "stride": 0,
        "widening": {"context": 1, "positions": 0, "span": 0},
        "features": none,
        "alphabet": [],
        "labels": [],
        "targets": none,
        **fields,
    }
    return json.dumps(whole)


class Network:
    """A random network with the given fields, and batches for it."""

    def __init__(self, draw: np.random.Generator, **fields: Any) -> None:
        self.draw = draw
        config = {
            "inputs": int(draw.integers(1, 6)),
            "units": int(draw.integers(1, 7)),
            "layers": int(draw.integers(1, 4)),
            "outputs": int(draw.integers(1, 5)),
            "activation": str(draw.choice(["tanh", "identity"])),
            "loss": str(draw.choice(["softmax", "sigmoid", "squared-error"])),
            "seed": int(draw.integers(1 << 30)),
            **fields,
        }
        self.model = rwa.Model(**config)
        self.config = self.model.config
        weights = np.asarray(self.model.weights)
        self.model.weights = weights + 0.4 * draw.standard_normal(weights.shape, np.float32)

    def batch(self, steps: int, count: int) -> np.ndarray:
        """Return numbers [T,B,D] or symbols [T,B]."""
        inputs = self.config["inputs"]
        if self.config["input"] == "symbols":
            return self.draw.integers(0, inputs, (steps, count))
        return self.draw.standard_normal((steps, count, inputs), np.float32)

    def feed(self, x: np.ndarray, **others: np.ndarray) -> dict[str, np.ndarray]:
        return {"symbols" if x.dtype.kind == "i" else "x": x, **others}

    def probabilities(self, y: np.ndarray) -> np.ndarray:
        return softmax(y) if self.config["loss"] == "softmax" else sigmoid(y)


class OnnxCase(unittest.TestCase):
    """A test with a folder for files and a tolerance."""

    @classmethod
    def setUpClass(cls) -> None:
        if not Path(os.environ.get("RWA_NODE_MODULES", ""), "onnxruntime-web").is_dir():
            raise unittest.SkipTest(
                "RWA_NODE_MODULES does not name a folder with onnxruntime-web; see tests/node"
            )

    def setUp(self) -> None:
        self.draw = np.random.default_rng(1703_01253)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.files = 0

    def assert_near(self, found: np.ndarray, expected: np.ndarray, about: Any) -> None:
        self.assertEqual(found.shape, expected.shape, about)
        allowed = 1e-5 * max(1, np.abs(expected).max(initial=0))  # large values may cancel
        self.assertTrue((np.abs(found - expected) <= allowed).all(), (about, found, expected))


class OnnxRuntimeTest(OnnxCase):
    def export(self, model: rwa.Model, step: bool = False) -> Path:
        self.files += 1
        file = self.folder / f"{self.files}.onnx"
        rwa.export_onnx(model, file, step=step)
        return file

    def lengths(self, steps: int, count: int) -> np.ndarray:
        """Return random lengths; at least one is the full length."""
        lengths = self.draw.integers(0, steps + 1, count)
        lengths[self.draw.integers(count)] = steps
        return lengths

    def with_wild_padding(self, x: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        x = x.copy()
        past = np.arange(len(x))[:, None] >= lengths
        x[past] = -(2**40) if x.dtype.kind == "i" else np.nan
        return x

    def check(self, networks: list[Network], steps: int | None = None) -> None:
        """Check two batches of different shapes per network; a decoder runs for `steps`."""
        cases, expected = [], []
        for network in networks:
            feeds = []
            for _ in range(2):
                one_step = network.config["layers"] == 0
                T = 1 if one_step else int(self.draw.integers(1, 12))
                B = int(self.draw.integers(1, 5))
                x, lengths = network.batch(T, B), self.lengths(T, B)
                y = np.asarray(rwa.Session(network.model).run(x, lengths, steps=steps))
                feed = network.feed(self.with_wild_padding(x, lengths), lengths=lengths)
                feeds.append(feed if steps is None else {**feed, "steps": np.array(steps)})
                expected.append((network, lengths, y))
            cases.append((self.export(network.model), feeds))
        outputs = [output for result in runtime(cases) for output in result.outputs]
        for output, (network, lengths, y) in zip(outputs, expected):
            about = (network.config, lengths.tolist())
            self.assert_near(output["y"], y, about)
            if network.config["readout"] == "every":
                past = np.arange(len(y))[:, None] >= lengths
                self.assertFalse(output["y"][past].any(), about)
            if network.config["loss"] == "squared-error":
                self.assertEqual(list(output), ["y"], about)
            else:
                self.assert_near(output["probabilities"], network.probabilities(y), about)

    def test_every_cell_input_and_readout(self) -> None:
        ways = itertools.cycle([False, True])
        self.check(
            [
                Network(self.draw, cell=cell, readout=readout, bidirectional=next(ways), **fields)
                for cell, readout, fields in itertools.product(CELLS, READOUTS, INPUTS)
            ]
        )

    def test_stems(self) -> None:
        stems = itertools.cycle(STEMS)
        self.check(
            [
                Network(
                    self.draw,
                    cell=cell,
                    readout=readout,
                    bidirectional=bool(self.draw.integers(2)),
                    stem=next(stems),
                    channels=5,
                    **fields,
                )
                for fields, cell, readout in itertools.product(STEM_INPUTS, CELLS, READOUTS)
            ]
        )

    def test_decoders(self) -> None:
        fields = {"loss": "softmax", "code": 3}
        networks = [
            Network(self.draw, cell=cell, readout=readout, **fields)
            for cell, readout in itertools.product(CELLS, ["last", "mean", "attention"])
        ]
        networks.append(Network(self.draw, layers=0, readout="mean", **fields))
        networks.append(Network(self.draw, stem=[3], readout="last", **fields))
        self.check(networks, steps=5)

    def test_attention_that_is_far_from_zero(self) -> None:
        """Weights e^a overflow for a in the hundreds; the graph must not."""
        networks = [Network(self.draw, cell=cell, layers=1) for cell in AVERAGES]
        for network in networks:
            weights = dict(network.model.parameters)
            large = 300 * np.asarray(weights["layers.0.weight_x"])
            network.model.set_parameter("layers.0.weight_x", large)
        self.check(networks)

    def test_steps_of_a_stream(self) -> None:
        self.check_stream(
            [
                Network(self.draw, cell=cell, readout="every", **fields)
                for cell, fields in itertools.product(CELLS, INPUTS)
            ]
        )

    def test_steps_of_a_stem(self) -> None:
        choices = itertools.product(["rwa", "gru"], STEM_INPUTS, STEMS)
        self.check_stream(
            [
                Network(self.draw, cell=cell, readout="every", stem=stem, channels=5, **fields)
                for cell, fields, stem in choices
            ]
        )

    def check_stream(self, networks: list[Network]) -> None:
        """Check the outputs of each step, and the state after the last."""
        cases, expected = [], []
        for network in networks:
            x = network.batch(7, 3)
            cases.append((self.export(network.model, step=True), [network.feed(row) for row in x]))
            stream = rwa.Stream(network.model)
            for row in x:
                stream.step(row[0].tolist() if row.ndim > 1 else int(row[0]))
            y = np.asarray(rwa.Session(network.model).run(x))
            expected.append((network, y, np.asarray(stream.state)))
        for result, (network, y, state) in zip(runtime(cases), expected):
            found = np.stack([output["y"] for output in result.outputs])
            self.assert_near(found, y, network.config)
            after = result.outputs[-1]["next_state"]
            self.assert_near(after[0], state, network.config)

    def test_numbers_of_files(self) -> None:
        """The graph encodes the data, and the metadata describes it."""
        mean, scale = np.array([1e6, -3.0]), np.array([0.5, 20.0])
        network = Network(self.draw, inputs=2, outputs=1, loss="squared-error", readout="mean")
        note = encoding(
            {"features": ["load", "temperature"], "target": "numbers", "targets": ["tomorrow"]},
            missing="mean",
            features={"mean": mean.tolist(), "scale": scale.tolist()},
            targets={"mean": [100.0], "scale": [10.0]},
        )
        network.model.set_note("data", note)
        raw = (mean + scale * network.batch(6, 2)).astype(np.float32)
        x = ((raw - mean) / scale).astype(np.float32)
        raw[2, 1, 0], x[2, 1, 0] = np.nan, 0
        lengths = np.array([6, 4])
        result = runtime([(self.export(network.model), [{"x": raw, "lengths": lengths}])])[0]
        y = np.asarray(rwa.Session(network.model).run(x, lengths))
        self.assert_near(result.outputs[0]["y"], y, "y")
        self.assert_near(result.outputs[0]["values"], 100 + 10 * y, "values")
        self.assertEqual(json.loads(result.metadata["features"]), ["load", "temperature"])
        self.assertEqual(json.loads(result.metadata["outputs"]), ["tomorrow"])
        self.assertEqual(json.loads(result.metadata["network"]), network.config)

    def test_sequences_that_are_scaled_by_themselves(self) -> None:
        """As in rwa, with a constant feature, missing numbers and a feature without any."""
        network = Network(self.draw, inputs=12, outputs=2, loss="softmax", readout="mean")
        own = {
            "least": [0.5, 0.25],
            "means": {"mean": [1e3, 0.0], "scale": [20.0, 2.0]},
            "deviations": {"mean": [1.0, -1.0], "scale": [0.5, 2.0]},
        }
        note = encoding(
            {"features": ["a", "b"], "target": "class", "targets": ["y"]},
            missing="mean",
            widening={"context": 2, "positions": 0, "span": 0},
            features={"mean": [0.0, 0.0], "scale": [1.0, 1.0]},
            labels=["no", "yes"],
            scale="sequence",
            own=own,
        )
        network.model.set_note("data", note)
        raw = (1e3 + 5 * self.draw.standard_normal((7, 4, 2))).astype(np.float32)
        raw[:, 1, 0] = 1000.1
        raw[3, 1, 0] = np.nextafter(np.float32(1000.1), np.float32(2e3))
        raw[2:4, 2, 1] = np.nan
        raw[:, 3, 0] = np.nan
        raw[:, 0, 1] = 0.125 * np.sign(raw[:, 0, 1] - 1e3)
        lengths = np.array([7, 5, 6, 1])
        feed = {"x": self.with_wild_padding(raw, lengths), "lengths": lengths}
        result = runtime([(self.export(network.model), [feed])])[0]
        items = [raw[:length, b] for b, length in enumerate(lengths)]
        expected = rwa.predict(network.model, rwa.Sequences.from_arrays(items, features=["a", "b"]))
        self.assert_near(result.outputs[0]["probabilities"], np.asarray(expected), "probabilities")
        self.assertEqual(json.loads(result.metadata["scale"]), "sequence")

    def test_numbers_as_they_are(self) -> None:
        network = Network(self.draw, inputs=1, outputs=1, loss="squared-error", readout="every")
        note = encoding(
            {"features": ["a"], "target": "forecast"},
            missing="mean",
            features={"mean": [3.0], "scale": [2.0]},
            scale="none",
        )
        network.model.set_note("data", note)
        raw = network.batch(5, 1)
        raw[2] = np.nan
        x = np.where(np.isnan(raw), np.float32(3), raw)
        lengths = np.array([5])
        result = runtime([(self.export(network.model), [{"x": raw, "lengths": lengths}])])[0]
        y = np.asarray(rwa.Session(network.model).run(x, lengths))
        self.assert_near(result.outputs[0]["y"], y, "y")
        self.assert_near(result.outputs[0]["values"], y, "values")

    def test_steps_that_are_seen_with_others(self) -> None:
        context, positions, span = 3, 2, 9
        network = Network(self.draw, inputs=context * 4 + positions, outputs=2, loss="softmax")
        note = encoding(
            {"format": "text", "layout": None, "symbols": True, "target": "class"},
            widening={"context": context, "positions": positions, "span": span},
            alphabet=["A", "C", "G", "<unknown>"],
            unknown=True,
            labels=["no", "yes"],
        )
        network.model.set_note("data", note)
        symbols = self.draw.integers(0, 4, (7, 2))
        x = np.zeros((7, 2, network.config["inputs"]), np.float32)
        apart = span / positions
        for t, before in itertools.product(range(7), range(context)):
            for b in range(2 if t >= before else 0):
                x[t, b, before * 4 + symbols[t - before, b]] = 1
            tops = (np.arange(positions) + 0.5) * apart
            x[t, :, context * 4 :] = np.exp(-0.5 * ((t - tops) / apart) ** 2)
        lengths = np.array([5, 7])
        feed = {"symbols": self.with_wild_padding(symbols, lengths), "lengths": lengths}
        result = runtime([(self.export(network.model), [feed])])[0]
        y = np.asarray(rwa.Session(network.model).run(x, lengths))
        self.assert_near(result.outputs[0]["y"], y, "y")
        self.assertEqual(json.loads(result.metadata["symbols"]), ["A", "C", "G", "<unknown>"])
        self.assertIs(json.loads(result.metadata["unknown"]), True)
        self.assertEqual(json.loads(result.metadata["tokens"]), "characters")
        self.assertIs(json.loads(result.metadata["lower"]), False)


@unittest.skipUnless(os.environ.get("RWA_PROGRAM"), "RWA_PROGRAM does not name the program")
class ProgramTest(OnnxCase):
    def test_says_what_the_program_predicts(self) -> None:
        """From a file to probabilities, for sequences of different lengths in one batch."""
        program, data = os.environ["RWA_PROGRAM"], self.folder / "waves.csv"
        run, file = self.folder / "run", self.folder / "waves.onnx"
        waves = Path(__file__).parents[1] / "cli" / "waves.py"
        data.write_bytes(subprocess.check_output([sys.executable, waves, "class", "40"]))

        def rwa_says(*arguments: Any) -> str:
            command = [program, *map(str, arguments)]
            return subprocess.run(command, check=True, capture_output=True, text=True).stdout

        rwa_says("train", data, "--out", run, "--units", 8, "--epochs", 3)
        rwa_says("export", run, "--onnx", file)
        rows = csv.DictReader(rwa_says("predict", run, data).splitlines())
        expected = [[row["p_fast"], row["p_slow"]] for row in rows]

        sequences: dict[str, list[list[float]]] = {}
        for row in csv.DictReader(data.read_text().splitlines()):
            sequences.setdefault(row["id"], []).append([float(row["u"]), float(row["v"])])
        lengths = np.array([len(steps) for steps in sequences.values()])
        x = np.full((lengths.max(), len(lengths), 2), np.nan, np.float32)
        for b, steps in enumerate(sequences.values()):
            x[: len(steps), b] = steps
        result = runtime([(file, [{"x": x, "lengths": lengths}])])[0]
        self.assertEqual(json.loads(result.metadata["outputs"]), ["fast", "slow"])
        found = result.outputs[0]["probabilities"]
        self.assert_near(found, np.array(expected, np.float32), "probabilities")


if __name__ == "__main__":
    unittest.main()

"""Export from Python: files and exceptions. tests/export tests what the files compute."""

from __future__ import annotations

import json
import struct
import tempfile
import unittest
from pathlib import Path

import rwa


def write_lstm(file: Path, inputs: int, units: int, outputs: int) -> dict[str, list[float]]:
    """Write the weights of a torch.nn.LSTM `rnn` and a torch.nn.Linear `head`."""
    shapes = {
        "rnn.weight_ih_l0": [4 * units, inputs],
        "rnn.weight_hh_l0": [4 * units, units],
        "rnn.bias_ih_l0": [4 * units],
        "rnn.bias_hh_l0": [4 * units],
        "head.weight": [outputs, units],
        "head.bias": [outputs],
    }
    return write_tensors(file, shapes)


def write_tensors(file: Path, shapes: dict[str, list[int]]) -> dict[str, list[float]]:
    """Write tensors as safetensors."""
    header, data, tensors = {}, b"", {}
    for name, shape in shapes.items():
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        tensors[name] = [(7 * i % 11 - 5) / 8 for i in range(count)]
        raw = struct.pack(f"<{count}f", *tensors[name])
        offsets = [len(data), len(data) + len(raw)]
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": offsets}
        data += raw
    text = json.dumps(header).encode()
    file.write_bytes(len(text).to_bytes(8, "little") + text + data)
    return tensors


class ExportTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.model = rwa.Model(inputs=3, units=4, outputs=2)

    def need_onnx(self) -> None:
        """Skip the test in a build without ONNX, whose error says so."""
        try:
            rwa.export_onnx(self.model, self.folder / "probe.onnx")
        except rwa.ConfigError as error:
            self.assertIn("or export to PyTorch", str(error))
            self.assertEqual(list(self.folder.iterdir()), [])
            self.skipTest("this build has no ONNX export")
        (self.folder / "probe.onnx").unlink()

    def test_onnx_of_a_model_and_of_its_file(self) -> None:
        self.need_onnx()
        saved, one, other = (self.folder / n for n in ("m.safetensors", "1.onnx", "2.onnx"))
        self.model.save(saved)
        rwa.export_onnx(self.model, one)
        rwa.export_onnx(str(saved), str(other))
        self.assertEqual(one.read_bytes(), other.read_bytes())
        saved.rename(self.folder / "model.safetensors")
        rwa.export_onnx(self.folder, other)
        self.assertEqual(one.read_bytes(), other.read_bytes())
        rwa.export_onnx(self.model, other, step=True)
        self.assertIn(b"initial_state", other.read_bytes())

    def test_onnx_that_cannot_be(self) -> None:
        self.need_onnx()
        both = rwa.Model(inputs=3, units=4, bidirectional=True)
        with self.assertRaisesRegex(rwa.ConfigError, "it is bidirectional"):
            rwa.export_onnx(both, self.folder / "x.onnx", step=True)
        with self.assertRaisesRegex(rwa.ResourceError, "x.onnx"):
            rwa.export_onnx(self.model, self.folder / "none" / "x.onnx")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_torch_module(self) -> None:
        rwa.export_torch(self.model, self.folder / "network.py")
        compile((self.folder / "network.py").read_text(), "network.py", "exec")
        self.assertTrue((self.folder / "network.safetensors").is_file())
        with self.assertRaises(rwa.ConfigError):
            rwa.export_torch(self.model, self.folder / "network.txt")

    def test_torch_weights(self) -> None:
        file = self.folder / "lstm.safetensors"
        tensors = write_lstm(file, inputs=3, units=4, outputs=2)
        model = rwa.import_torch(file, rnn="rnn", head="head", readout="every", loss="sigmoid")
        expected = {"cell": "lstm", "inputs": 3, "units": 4, "outputs": 2}
        expected |= {"readout": "every", "loss": "sigmoid"}
        self.assertEqual({name: model.config[name] for name in expected}, expected)
        self.assertEqual(
            sum(model.parameters["output.weight"].tolist(), []), tensors["head.weight"]
        )
        with self.assertRaisesRegex(rwa.ConfigError, "nobody"):
            rwa.import_torch(file, rnn="nobody")
        with self.assertRaises(rwa.ConfigError):
            rwa.import_torch(file, readout="some")
        write_tensors(file, {"head.weight": [2, 4], "head.bias": [2]})
        with self.assertRaisesRegex(rwa.ModelFileError, "expected the weights of a torch.nn.LSTM"):
            rwa.import_torch(file)
        file.write_bytes(file.read_bytes()[:-1])
        with self.assertRaises(rwa.ModelFileError):
            rwa.import_torch(file)

    def test_torch_weights_with_data(self) -> None:
        import numpy

        file = self.folder / "lstm.safetensors"
        write_lstm(file, inputs=3, units=4, outputs=2)
        draws = numpy.random.default_rng(1)
        X = [draws.normal(5, 3, (4, 3)).astype("float32") for _ in range(6)]
        data = rwa.Sequences.from_arrays(X, [7, 30] * 3)
        every = numpy.concatenate(X)
        scaled = [(x - every.mean(0)) / every.std(0) for x in X]
        for standardise, seen in (("none", X), (None, scaled)):
            model = rwa.import_torch(file, data=data, standardise=standardise)
            plain = rwa.import_torch(file)
            logits = [rwa.Session(plain).run(x.reshape(4, 1, 3).astype("float32")) for x in seen]
            expected = [numpy.exp(y) / numpy.exp(y).sum() for y in map(numpy.asarray, logits)]
            found = rwa.predict(model, data)
            numpy.testing.assert_allclose(found, numpy.array(expected).reshape(6, 2), atol=1e-5)
        turned = rwa.import_torch(file, data=data, labels=[30, 7])
        turned.save(self.folder / "model.safetensors")
        loaded = rwa.SequenceClassifier.load(self.folder / "model.safetensors")
        self.assertEqual(loaded.classes_.tolist(), [7, 30])
        numpy.testing.assert_allclose(
            loaded.predict_proba(X), numpy.array(found)[:, ::-1], atol=1e-6
        )
        with self.assertRaisesRegex(rwa.ConfigError, "has 2 outputs, but the task class .* 3"):
            rwa.import_torch(file, data=rwa.Sequences.from_arrays(X, ["a", "b", "c"] * 2))
        with self.assertRaisesRegex(rwa.ConfigError, "reads 3 features, but the data has 1"):
            rwa.import_torch(file, data=rwa.Sequences.from_arrays([[1.0], [2.0]], ["a", "b"]))
        with self.assertRaisesRegex(rwa.ConfigError, "unknown option 'labels'"):
            rwa.import_torch(file, labels=["a", "b"])


if __name__ == "__main__":
    unittest.main()

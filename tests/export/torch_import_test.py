#!/usr/bin/python3
"""Compare models that `rwa import` creates with the PyTorch networks they come from.

    tests/export/torch_import_test.py PATH_OF_RWA PATH_OF_TORCH_SAMPLES

Exits with 77 if PyTorch is not installed.
"""

from __future__ import annotations

import itertools
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import torch
except ImportError:
    print("skipped: PyTorch is not installed (Debian: apt install python3-torch)")
    sys.exit(77)

torch.set_num_threads(1)  # the networks are small, and the machine may be busy
RWA = SAMPLES = ""  # programs
DTYPES = {torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16", torch.float64: "F64"}
T, B, D, H, OUTPUTS = 7, 4, 3, 5, 2
LENGTHS = torch.tensor([7, 1, 3, 5])


def write_safetensors(file: pathlib.Path, tensors: dict[str, torch.Tensor]) -> None:
    """Write tensors like the package safetensors."""
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, tensor in tensors.items():
        # As bytes, because NumPy has no bfloat16.
        raw = bytes(tensor.detach().contiguous().reshape(-1).view(torch.uint8).numpy())
        header[name] = {
            "dtype": DTYPES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [len(data), len(data) + len(raw)],
        }
        data += raw
    text = json.dumps(header).encode()
    file.write_bytes(len(text).to_bytes(8, "little") + text + data)


def read_tensor(file: pathlib.Path, name: str) -> torch.Tensor:
    """Read one float tensor."""
    content = bytearray(file.read_bytes())
    start = 8 + int.from_bytes(content[:8], "little")
    entry = json.loads(content[8:start])[name]
    begin, end = (start + offset for offset in entry["data_offsets"])
    return torch.frombuffer(content[begin:end], dtype=torch.float32).reshape(entry["shape"])


class TorchNetwork(torch.nn.Module):
    """A typical PyTorch network."""

    def __init__(self, kind: type, embedding: int = 0, head: bool = True, **options) -> None:
        super().__init__()
        if embedding > 0:
            self.emb = torch.nn.Embedding(embedding, D)
        self.recurrence = kind(D, H, **options)
        width = H * (2 if options.get("bidirectional") else 1)
        self.fc = torch.nn.Linear(width, OUTPUTS) if head else torch.nn.Identity()

    def forward(self, x: torch.Tensor, readout: str) -> torch.Tensor:
        if hasattr(self, "emb"):
            x = self.emb(x)
        packed = torch.nn.utils.rnn.pack_padded_sequence(x, LENGTHS, enforce_sorted=False)
        h, state = self.recurrence(packed)
        h, _ = torch.nn.utils.rnn.pad_packed_sequence(h, total_length=T)  # zeros past the ends
        if readout == "every":
            return self.fc(h)
        if readout == "mean":
            return self.fc(h.sum(0) / LENGTHS[:, None])
        last = state[0] if isinstance(state, tuple) else state
        both = self.recurrence.bidirectional
        return self.fc(torch.cat([last[-2], last[-1]], dim=1) if both else last[-1])


class ImportTest(unittest.TestCase):
    """Same outputs, for every option of PyTorch's recurrent layers."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        torch.manual_seed(4)

    def check(self, network: TorchNetwork, readout: str = "last", options: tuple = ()) -> None:
        files = [self.folder / f"{name}.safetensors" for name in ("weights", "model", "in", "out")]
        weights, model, given, found = map(str, files)
        write_safetensors(files[0], network.state_dict())
        command = [RWA, "import", weights, "--out", model, "--readout", readout, *options]
        subprocess.run(command, check=True, capture_output=True)
        network = network.float()
        symbols = hasattr(network, "emb")
        x = torch.randint(0, 6, (T, B)) if symbols else torch.randn(T, B, D)
        inputs = {"symbols" if symbols else "x": x.float(), "lengths": LENGTHS.float()}
        write_safetensors(files[2], inputs)
        subprocess.run([SAMPLES, "run", model, given, found], check=True)
        with torch.no_grad():
            expected = network(x, readout)
        y = read_tensor(files[3], "y")
        if readout == "every":
            inside = torch.arange(T)[:, None] < LENGTHS
            y, expected = y[inside], expected[inside]
        torch.testing.assert_close(y, expected, rtol=1e-5, atol=1e-5)

    def test_layers_and_directions(self) -> None:
        kinds, either = (torch.nn.LSTM, torch.nn.GRU), (False, True)
        for kind, layers, both, bias in itertools.product(kinds, (1, 3), either, either):
            with self.subTest(kind=kind.__name__, layers=layers, both=both, bias=bias):
                options = {"num_layers": layers, "bidirectional": both, "bias": bias}
                self.check(TorchNetwork(kind, **options))

    def test_readouts(self) -> None:
        for kind, readout in itertools.product((torch.nn.LSTM, torch.nn.GRU), ("every", "mean")):
            with self.subTest(kind=kind.__name__, readout=readout):
                self.check(TorchNetwork(kind, bidirectional=True), readout)

    def test_embedding(self) -> None:
        self.check(TorchNetwork(torch.nn.GRU, embedding=6))

    def test_no_head(self) -> None:
        for readout in ("last", "every"):
            self.check(TorchNetwork(torch.nn.LSTM, head=False), readout, ("--no-head",))

    def test_head_without_bias(self) -> None:
        network = TorchNetwork(torch.nn.LSTM)
        network.fc = torch.nn.Linear(H, OUTPUTS, bias=False)
        self.check(network)

    def test_other_numbers(self) -> None:
        for dtype in (torch.float16, torch.bfloat16, torch.float64):
            with self.subTest(dtype):
                self.check(TorchNetwork(torch.nn.LSTM, embedding=6, num_layers=2).to(dtype))


if __name__ == "__main__":
    RWA, SAMPLES = sys.argv[1:3]
    del sys.argv[1:3]
    unittest.main()

#!/usr/bin/python3
# tests/data/make_lstm_golden.py: writes lstm_golden.json, values and gradients of PyTorch's LSTM in
# double precision, for the test of rwa's LSTM.
#
#   /usr/bin/python3 tests/data/make_lstm_golden.py
#
# It was run with Debian 12's python3-torch (1.13). The file is written next to this script.
#
# Layouts: gates in PyTorch's order i, f, g, o along the 4H rows; x and h are [T][B][feature].
# A sequence ends after lengths[b] steps; past its end h and d_x are zero, and probe_every is
# ignored. h_last and c_last are the states after the last valid step of each sequence.
# loss = sum(probe_every * h, valid steps) + sum(probe_last * h_last).
"""Write the golden file of the LSTM."""

import json
import pathlib

import torch

D, H, B, T = 3, 4, 3, 5
LENGTHS = [5, 3, 1]


def golden() -> dict:
    torch.manual_seed(20240229)
    torch.set_default_dtype(torch.float64)
    lstm = torch.nn.LSTM(D, H)
    x = torch.randn(T, B, D, requires_grad=True)
    probe_every, probe_last = torch.randn(T, B, H), torch.randn(B, H)

    packed = torch.nn.utils.rnn.pack_padded_sequence(x, LENGTHS, enforce_sorted=True)
    packed_h, (h_last, c_last) = lstm(packed)
    h, _ = torch.nn.utils.rnn.pad_packed_sequence(packed_h, total_length=T)  # zeros past the end
    loss = (probe_every * h).sum() + (probe_last * h_last[0]).sum()
    loss.backward()

    # One bias is enough: PyTorch adds its two, so they have the same gradient.
    torch.testing.assert_close(lstm.bias_ih_l0.grad, lstm.bias_hh_l0.grad)
    values = {
        "weight_ih": lstm.weight_ih_l0, "weight_hh": lstm.weight_hh_l0,
        "bias": lstm.bias_ih_l0 + lstm.bias_hh_l0, "x": x,
        "probe_every": probe_every, "probe_last": probe_last,
        "h": h, "h_last": h_last[0], "c_last": c_last[0], "loss": loss,
        "d_weight_ih": lstm.weight_ih_l0.grad, "d_weight_hh": lstm.weight_hh_l0.grad,
        "d_bias": lstm.bias_ih_l0.grad, "d_x": x.grad,
    }
    sizes = {"D": D, "H": H, "B": B, "T": T, "lengths": LENGTHS}
    return {**sizes, **{name: value.tolist() for name, value in values.items()}}


def text_of(value) -> str:
    """Return JSON with 17 significant digits per number and one line per row."""
    if isinstance(value, float):
        return f"{value:.17g}"
    if isinstance(value, list):
        separator = ",\n    " if isinstance(value[0], list) else ", "
        return "[" + separator.join(text_of(part) for part in value) + "]"
    return json.dumps(value)


def main() -> None:
    path = pathlib.Path(__file__).with_name("lstm_golden.json")
    lines = [f'  "{name}": {text_of(value)}' for name, value in golden().items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="ascii")


if __name__ == "__main__":
    main()

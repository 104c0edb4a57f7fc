#!/usr/bin/python3
# tests/data/make_gru_golden.py: writes gru_golden.json, the GRU's counterpart of lstm_golden.json,
# with the same sizes and layouts:
#
#   /usr/bin/python3 tests/data/make_gru_golden.py
#
# The biases are in the library's order: r, z, then n inside the reset gate, n outside of it.
"""Write the golden file of the GRU."""

import pathlib

import torch

from make_lstm_golden import B, D, H, LENGTHS, T, text_of


def golden() -> dict:
    torch.manual_seed(20240229)
    torch.set_default_dtype(torch.float64)
    gru = torch.nn.GRU(D, H)
    x = torch.randn(T, B, D, requires_grad=True)
    probe_every, probe_last = torch.randn(T, B, H), torch.randn(B, H)

    packed = torch.nn.utils.rnn.pack_padded_sequence(x, LENGTHS, enforce_sorted=True)
    packed_h, h_last = gru(packed)
    h, _ = torch.nn.utils.rnn.pad_packed_sequence(packed_h, total_length=T)  # zeros past the end
    loss = (probe_every * h).sum() + (probe_last * h_last[0]).sum()
    loss.backward()

    # PyTorch adds the two biases of a gate, so they have the same gradient.
    of_x, of_h, gates = gru.bias_ih_l0, gru.bias_hh_l0, 2 * H
    torch.testing.assert_close(of_x.grad[:gates], of_h.grad[:gates])
    values = {
        "weight_ih": gru.weight_ih_l0, "weight_hh": gru.weight_hh_l0,
        "bias": torch.cat([(of_x + of_h)[:gates], of_h[gates:], of_x[gates:]]), "x": x,
        "probe_every": probe_every, "probe_last": probe_last,
        "h": h, "h_last": h_last[0], "loss": loss,
        "d_weight_ih": gru.weight_ih_l0.grad, "d_weight_hh": gru.weight_hh_l0.grad,
        "d_bias": torch.cat([of_h.grad, of_x.grad[gates:]]), "d_x": x.grad,
    }
    sizes = {"D": D, "H": H, "B": B, "T": T, "lengths": LENGTHS}
    return {**sizes, **{name: value.tolist() for name, value in values.items()}}


def main() -> None:
    path = pathlib.Path(__file__).with_name("gru_golden.json")
    lines = [f'  "{name}": {text_of(value)}' for name, value in golden().items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="ascii")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Tests `rwa stream` with a million steps whose attention logits are +1e30 and -1e30: the average
is that of the steps with +1e30, to a relative error of 1e-5, as in double precision.

    tests/cli/long_stream_test.py PATH_OF_RWA
"""
import json
import math
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

RWA = os.path.abspath(sys.argv[1])
STEPS = 1_000_000
LOGIT = 1e30
# One unit: z = U x2 tanh(G x2), weighted by exp(LOGIT x1).
G, U = 0.75, 1.5


def train():
    """A model of one unit; its two features need no scale."""
    rows = [f"{s},{x1},{x2},{x2}" for s in range(8) for x1 in (-1, 1) for x2 in (-1, 1)]
    pathlib.Path("data.csv").write_text("id,u,v,y\n" + "\n".join(rows) + "\n", encoding="ascii")
    subprocess.run([RWA, "train", "data.csv", "--out", "model", "--id", "id", "--target", "y",
                    "--task", "numbers-per-step", "--scale", "none", "--stem", "none",
                    "--units", "1", "--epochs", "1"], check=True, capture_output=True)
    return pathlib.Path("model/model.safetensors")


def set_weights(file, **weights):
    content = bytearray(file.read_bytes())
    size = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:8 + size])
    for name, values in weights.items():
        begin, end = header[name.replace("__", ".")]["data_offsets"]
        packed = struct.pack(f"<{len(values)}f", *values)
        assert len(packed) == end - begin, (name, header)
        content[8 + size + begin:8 + size + end] = packed
    # The file is edited on purpose: the checksum becomes a note.
    file.write_bytes(content.replace(b'"sha256"', b'"edited"', 1))


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        file = train()
        set_weights(file, layers__0__weight_x=[0, G, LOGIT, 0, 0, U], layers__0__weight_h=[0, 0],
                    layers__0__bias=[0, 0], layers__0__start=[0], output__weight=[1],
                    output__bias=[0])
        draw = random.Random(1)
        steps = [(draw.choice((-1, 1)), round(draw.uniform(-2, 2), 4)) for _ in range(STEPS)]
        pathlib.Path("lines").write_text("".join(f"{a},{b}\n" for a, b in steps), encoding="ascii")
        with open("lines", "rb") as lines:
            said = subprocess.run([RWA, "stream", "model"], stdin=lines,
                                  capture_output=True, check=True, text=True).stdout.splitlines()
    assert len(said) == STEPS, len(said)
    total, count, leads = 0.0, 0, False
    for step, (sign, x) in enumerate(steps):
        if sign > 0 and not leads:
            total, count, leads = 0.0, 0, True
        if sign > 0 or not leads:
            total, count = total + U * x * math.tanh(G * x), count + 1
        if step < 100 or step % 9999 == 0 or step == STEPS - 1:
            expected, found = math.tanh(total / count), float(said[step])
            assert abs(found - expected) <= 1e-5 * abs(expected), (step, found, expected)


main()

"""Helpers of the package's tests."""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def numbers(*shape: int, seed: int = 1) -> Any:
    """Return nested lists of numbers that are exact in float32."""
    draw = random.Random(seed)

    def rows(sizes: tuple[int, ...]) -> Any:
        if not sizes:
            return draw.randrange(-512, 513) / 256
        return [rows(sizes[1:]) for _ in range(sizes[0])]

    return rows(shape)


def run_python(
    code: str, *, folder: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run code in a new Python process with this environment and the given changes."""
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT / "python"), **environment},
        cwd=folder,
        capture_output=True,
        text=True,
    )


def resident_bytes() -> int:
    """Return the resident memory of this process."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def rwa_outputs(parameters: dict[str, Any], x: list[list[float]], length: int) -> list[float]:
    """Return the outputs of a network with one rwa layer after `length` steps of one sequence, by
    the paper's plain equations. `parameters` are lists."""
    units = len(parameters["layers.0.start"])
    weight_x, weight_h = parameters["layers.0.weight_x"], parameters["layers.0.weight_h"]
    bias = parameters["layers.0.bias"]

    def product(matrix: list[list[float]], block: int, vector: list[float]) -> list[float]:
        rows = matrix[block * units : (block + 1) * units]
        return [math.fsum(w * v for w, v in zip(row, vector)) for row in rows]

    h = [math.tanh(s) for s in parameters["layers.0.start"]]
    numerator, denominator = [0.0] * units, [0.0] * units
    for step in x[:length]:
        gx, ax, u = (product(weight_x, block, step) for block in range(3))
        gh, ah = (product(weight_h, block, h) for block in range(2))
        for i in range(units):
            z = (u[i] + bias[units + i]) * math.tanh(gx[i] + gh[i] + bias[i])
            weight = math.exp(ax[i] + ah[i])
            numerator[i] += z * weight
            denominator[i] += weight
        h = [math.tanh(n / d) for n, d in zip(numerator, denominator)]
    pairs = zip(parameters["output.weight"], parameters["output.bias"])
    return [math.fsum(w * v for w, v in zip(row, h)) + b for row, b in pairs]

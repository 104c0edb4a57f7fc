#!/usr/bin/env python3
"""Write small sets of sequences with a class each, to choose defaults on.

Thirty to sixty training sequences of 128 steps, balanced, and 500 test sequences, so that a point of
accuracy can be told from chance, which the small sets of the archives do not allow. Some are the
well-known generators of the UCR archive, some move patterns in time, and with MNIST there are
outlines of digits: the radius as a function of the angle.

    benchmarks/generated_sets.py --out DIR [--mnist DIR] [--seed 1]
    benchmarks/first_model.py --data DIR --variants "defaults,no shift"
"""

from __future__ import annotations

import argparse
import gzip
import pathlib
from typing import Callable

import numpy as np

STEPS = 128
TEST = 500
TIME = np.arange(STEPS)
PLACE = np.linspace(0, 1, STEPS)


def cylinder_bell_funnel(kind: int, draw: np.random.Generator) -> np.ndarray:
    """A plateau, a rise or a fall between two random steps (Saito 1994)."""
    begin = draw.integers(16, 33)
    end = begin + draw.integers(32, 97)
    shape = [1, (TIME - begin) / (end - begin), (end - TIME) / (end - begin)][kind]
    height = 6 + draw.normal()
    return height * shape * ((TIME >= begin) & (TIME <= end)) + draw.normal(size=STEPS)


def control_chart(kind: int, draw: np.random.Generator) -> np.ndarray:
    """Normal, cyclic, rising, falling, step up or step down (Alcock and Manolopoulos 1999)."""
    t = np.linspace(0, 59, STEPS)
    made = 2 * draw.uniform(-3, 3, STEPS)
    if kind == 1:
        made += draw.uniform(10, 15) * np.sin(2 * np.pi * t / draw.uniform(10, 15))
    sign = 1 if kind % 2 == 0 else -1
    if kind in (2, 3):
        made += sign * draw.uniform(0.2, 0.5) * t
    if kind in (4, 5):
        made += sign * draw.uniform(7.5, 20) * (t >= draw.uniform(20, 40))
    return made


def two_patterns(kind: int, draw: np.random.Generator) -> np.ndarray:
    """Two steps, each up or down, in noise (Geurts 2001)."""
    made = draw.normal(size=STEPS)
    for half, goes_up in enumerate((kind // 2, kind % 2)):
        length = draw.integers(16, 33)
        begin = half * STEPS // 2 + draw.integers(0, STEPS // 2 - length)
        step = np.where(np.arange(length) < length / 2, -5, 5)
        made[begin : begin + length] = step if goes_up else -step
    return made


def bump_and_plateau(kind: int, draw: np.random.Generator) -> np.ndarray:
    """A bump before, after or without a plateau up or down."""
    made = draw.normal(0, 0.08, STEPS)
    begin = draw.integers(30, 60)
    made[begin : begin + draw.integers(25, 45)] += draw.choice([-1, 1])
    middle = [draw.integers(6, 20), draw.integers(110, 122), None][kind]
    if middle is not None:
        made += 0.8 * np.exp(-0.5 * ((TIME - middle) / 3.0) ** 2)
    return made


def gestures(kind: int, draw: np.random.Generator) -> np.ndarray:
    """Two waves in an envelope, in warped time."""
    frequency, first, second = [(3, 1, 0), (3, 0, 1), (5, 1, 0), (5, 0, 1),
                                (4, 0.7, 0.7), (2, 1, 1), (6, 0.5, 1), (2, 0.3, 1)][kind]  # fmt: skip
    place = PLACE ** draw.uniform(0.75, 1.33)
    envelope = np.exp(-0.5 * ((place - draw.uniform(0.4, 0.6)) / 0.22) ** 2)
    phases = 0.3 * draw.normal(size=2)
    waves = first * np.sin(2 * np.pi * frequency * place + phases[0])
    waves = waves + second * np.sin(4 * np.pi * frequency * place + phases[1])
    return envelope * waves + draw.normal(0, 0.1, STEPS)


def spectra(kind: int, draw: np.random.Generator) -> np.ndarray:
    """Peaks at fixed places; the class is in the heights of two of them."""
    heights = np.array([1, 0.6, 0.8, 0.5, 0.9]) + 0.1 * draw.normal(size=5)
    heights[1 + kind] += 0.25
    peaks = np.exp(-0.5 * ((PLACE[:, None] - np.array([0.15, 0.35, 0.42, 0.6, 0.8])) / 0.02) ** 2)
    return peaks @ heights + draw.normal(0, 0.05, STEPS)


GENERATORS: dict[str, tuple[Callable, int, int]] = {  # kinds, training sequences
    "CylinderBellFunnel": (cylinder_bell_funnel, 3, 30),
    "ControlChart": (control_chart, 6, 48),
    "TwoPatterns": (two_patterns, 4, 60),
    "BumpAndPlateau": (bump_and_plateau, 3, 30),
    "Gestures": (gestures, 8, 40),
    "Spectra": (spectra, 2, 30),
}
DIGITS = {"Outlines358": ([3, 5, 8], 36), "Outlines479": ([4, 7, 9], 36), "Outlines10": (range(10), 50)}


def outline(image: np.ndarray) -> np.ndarray:
    """The largest radius with ink at each angle, from the centre of the ink."""
    rows, columns = np.mgrid[:28, :28]
    y, x = (image * rows).sum() / image.sum(), (image * columns).sum() / image.sum()
    radius, angle = np.arange(0, 19, 0.25)[:, None], 2 * np.pi * PLACE
    at_y, at_x = y + radius * np.sin(angle), x + radius * np.cos(angle)
    inside = (at_y >= 0) & (at_y <= 27) & (at_x >= 0) & (at_x <= 27)
    top, left = np.clip(at_y, 0, 26.99).astype(int), np.clip(at_x, 0, 26.99).astype(int)
    down, right = np.clip(at_y - top, 0, 1), np.clip(at_x - left, 0, 1)
    ink = (image[top, left] * (1 - right) + image[top, left + 1] * right) * (1 - down)
    ink += (image[top + 1, left] * (1 - right) + image[top + 1, left + 1] * right) * down
    return (radius * ((ink > 0.4) & inside)).max(0)


def standardised(sequence: np.ndarray) -> np.ndarray:
    return (sequence - sequence.mean()) / sequence.std()


def write(path: pathlib.Path, sequences: list[np.ndarray], classes: list[int]) -> None:
    names = " ".join(f"c{kind}" for kind in sorted(set(classes)))
    lines = [f"@problemName {path.stem}", "@univariate true", f"@classLabel true {names}", "@data"]
    for sequence, kind in zip(sequences, classes):
        lines.append(",".join(f"{v:.5g}" for v in standardised(sequence)) + f":c{kind}")
    path.write_text("\n".join(lines) + "\n")


def write_generated(out: pathlib.Path, draw: np.random.Generator) -> None:
    for name, (generate, kinds, count) in GENERATORS.items():
        for part, size in (("TRAIN", count), ("TEST", TEST)):
            classes = [i % kinds for i in range(size)]
            write(out / f"{name}_{part}.ts", [generate(kind, draw) for kind in classes], classes)


def read_idx(path: pathlib.Path, header: int) -> np.ndarray:
    return np.frombuffer(gzip.open(path).read(), np.uint8)[header:]


def write_outlines(mnist: pathlib.Path, out: pathlib.Path, draw: np.random.Generator) -> None:
    images = read_idx(mnist / "train-images-idx3-ubyte.gz", 16).reshape(-1, 28, 28) / 255
    labels = read_idx(mnist / "train-labels-idx1-ubyte.gz", 8)
    for name, (digits, count) in DIGITS.items():
        of_digit = [draw.permutation(np.flatnonzero(labels == digit)) for digit in digits]
        kinds, used = len(of_digit), 0
        for part, size in (("TRAIN", count), ("TEST", TEST)):
            each = size // kinds
            pairs = [(i, kind) for kind in range(kinds) for i in of_digit[kind][used : used + each]]
            used += each
            write(out / f"{name}_{part}.ts", [outline(images[i]) for i, _ in pairs], [k for _, k in pairs])


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--out", type=pathlib.Path, required=True)
    options.add_argument("--mnist", type=pathlib.Path, help="folder of the IDX files")
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    draw = np.random.default_rng(given.seed)
    write_generated(given.out, draw)
    if given.mnist:
        write_outlines(given.mnist, given.out, draw)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Score the forecasts of the first model that rwa trains without options.

    benchmarks/forecasts.py --data DIR [OPTION…]     on public series
    benchmarks/forecasts.py --generated [OPTION…]    on generated series, each by itself

Trains with the defaults, scored from several origins in time, and prints a Markdown table: MASE
beside that of the last value, the seasonal naive forecast and the weighted simple forecasts that the
network corrects, and the coverage of the 80 % intervals. DIR has Airline.csv, ShampooSales.csv,
Lynx.csv, Uschange.csv and m1_yearly_dataset.tsf, as aeon carries them.

The generated series are those that the defaults of forecasts were chosen on; the table has geometric
means of ratios. Other OPTIONs are for `rwa train`, such as --cell lstm.
"""

from __future__ import annotations

import argparse
import math
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile

FILES = ["Airline.csv", "ShampooSales.csv", "Lynx.csv", "Uschange.csv", "m1_yearly_dataset.tsf"]
LAST, SEASONAL = "baseline: last value", "baseline: seasonal naive"
WEIGHTED = "baseline: weighted simple forecasts"
LENGTHS, REPEATS = (60, 150, 360), 8


class Trained:
    """The table that `rwa train` prints, and what it chose."""

    def __init__(self, options: argparse.Namespace, file: pathlib.Path, more: list[str]) -> None:
        with tempfile.TemporaryDirectory() as out:
            command = [options.rwa, "train", str(file), "--out", out, *more]
            done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}: {done.stderr}")
        self.notes = done.stderr
        rows = [re.split(r"\s{2,}", line.strip()) for line in done.stdout.splitlines()]
        header = next(row for row in rows if row[0] == "run")
        self.rows = {row[0]: dict(zip(header, row)) for row in rows if len(row) == len(header)}

    def of_model(self, score: str) -> str:
        """The mean over the runs, with its deviation unless there is one run."""
        mean = self.rows.get("mean ± standard deviation")
        return (mean or next(iter(row for name, row in self.rows.items() if name != "run")))[score]

    def mase(self, name: str) -> float | None:
        return float(self.rows[name]["MASE"]) if name in self.rows else None

    def naive(self) -> float:
        """The better one of last value and seasonal naive."""
        return min(one for one in (self.mase(LAST), self.mase(SEASONAL)) if one is not None)


def public(options: argparse.Namespace, more: list[str]) -> None:
    print(
        "| series | horizon | season | origins | MASE | last value | seasonal naive "
        "| weighted simple | model / better naive | coverage |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for name in FILES:
        made = Trained(options, options.data / name, ["--repeat", options.seeds, *more])
        horizon = re.search(r"horizon (\d+)", made.notes)[1]
        season = re.search(r"season of (\d+)", made.notes)
        origins = re.search(r"from (\d+) origin", made.notes)[1]
        cells = [name.partition(".")[0].removesuffix("_dataset"), horizon,
                 season[1] if season else "none", origins, f"**{made.of_model('MASE')}**"]
        for baseline in (LAST, SEASONAL, WEIGHTED):
            mase = made.mase(baseline)
            cells.append("—" if mase is None else f"{mase:.3f}")
        cells.append(f"{float(made.of_model('MASE').split()[0]) / made.naive():.2f}")
        cells.append(made.of_model("coverage, %").split()[0] + " %")
        print("| " + " | ".join(cells) + " |", flush=True)


def recursion(draw: random.Random, steps: int, first: float, second: float = 0) -> list[float]:
    """y(t) = first y(t-1) + second y(t-2) + noise."""
    numbers = [0.0, 0.0]
    for _ in range(steps):
        numbers.append(first * numbers[-1] + second * numbers[-2] + draw.gauss(0, 1))
    return numbers[2:]


def seasonal(draw: random.Random, steps: int) -> list[float]:
    months = [draw.gauss(0, 3) for _ in range(12)]
    level = recursion(draw, steps, 1)
    return [months[t % 12] + 0.4 * level[t] + draw.gauss(0, 0.5) for t in range(steps)]


def summers(draw: random.Random, steps: int) -> list[float]:
    """The size of a year's summer is that of its winter, and new every year."""
    sizes = [10 + 6 * draw.gauss(0, 1) for _ in range(steps // 12 + 1)]
    wave = [math.sin(2 * math.pi * t / 12) for t in range(steps)]
    return [100 + sizes[t // 12] * wave[t] + draw.gauss(0, 0.5) for t in range(steps)]


def cycle(draw: random.Random, steps: int) -> list[float]:
    """A noisy oscillation of 11 steps, which is no season: its phase drifts."""
    return recursion(draw, steps, 2 * 0.97 * math.cos(2 * math.pi / 11), -(0.97**2))


# Name, series, season, horizon.
KINDS = [
    ("random walk", lambda draw, steps: recursion(draw, steps, 1), 1, 6),
    ("autoregression", lambda draw, steps: recursion(draw, steps, 0.7), 1, 6),
    ("season and random walk", seasonal, 12, 12),
    ("summers that tell the winter", summers, 12, 6),
    ("noisy cycle", cycle, 1, 6),
]


def generated(options: argparse.Namespace, more: list[str]) -> None:
    print("| series | steps | model / better naive | model / weighted simple | coverage |")
    print("|---|---:|---:|---:|---:|")
    for name, make, season, horizon in KINDS:
        for steps in LENGTHS:
            naive, weighted, coverage = [], [], []
            for number in range(REPEATS):
                numbers = make(random.Random(1000 * steps + number), steps)
                with tempfile.TemporaryDirectory() as folder:
                    file = pathlib.Path(folder) / "series.csv"
                    rows = [f"{t},{y:.6g}" for t, y in enumerate(numbers)]
                    file.write_text("t,y\n" + "\n".join(rows) + "\n")
                    fixed = ["--task", "forecast", "--season", season, "--horizon", horizon]
                    made = Trained(options, file, [*fixed, *more])
                mase = float(made.of_model("MASE").split()[0])
                naive.append(mase / made.naive())
                weighted.append(mase / made.mase(WEIGHTED))
                coverage.append(float(made.of_model("coverage, %").split()[0]))
            print(
                f"| {name} | {steps} | {statistics.geometric_mean(naive):.2f} "
                f"| {statistics.geometric_mean(weighted):.2f} | {statistics.mean(coverage):.0f} % |",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--data", type=pathlib.Path)
    source.add_argument("--generated", action="store_true")
    parser.add_argument("--rwa", default="build/release/rwa")
    parser.add_argument("--seeds", type=int, default=5)
    options, more = parser.parse_known_args()
    (generated if options.generated else public)(options, more)


if __name__ == "__main__":
    main()

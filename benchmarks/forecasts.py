#!/usr/bin/env python3
"""Score the forecasts of the first model that rwa trains without options, on public series.

Trains on each file with the defaults and several seeds, scored from several origins in time, and
prints a Markdown table: MASE and MAE beside those of the last value, the seasonal naive forecast and
the weighted simple forecasts that the network corrects, and the coverage of the 80 % intervals.

    benchmarks/forecasts.py --data DIR [--rwa build/release/rwa] [--seeds 5] [OPTION…]

DIR has Airline.csv, ShampooSales.csv, Lynx.csv, Uschange.csv and m1_yearly_dataset.tsf, as aeon
carries them. OPTIONs are for `rwa train`, such as --cell lstm.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

FILES = ["Airline.csv", "ShampooSales.csv", "Lynx.csv", "Uschange.csv", "m1_yearly_dataset.tsf"]
MODEL, WEIGHTED = "mean ± standard deviation", "baseline: weighted simple forecasts"
NAIVE = ["baseline: last value", "baseline: seasonal naive"]


def run(command: list[str]) -> tuple[str, str]:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout, done.stderr


def table_of(text: str) -> dict[str, dict[str, str]]:
    """The rows of the table that `rwa train` prints, by name and column."""
    rows = [re.split(r"\s{2,}", line.strip()) for line in text.splitlines()]
    header = next(row for row in rows if row[0] == "run")
    return {row[0]: dict(zip(header, row)) for row in rows if len(row) == len(header)}


def line_of(file: pathlib.Path, options: argparse.Namespace, more: list[str]) -> str:
    with tempfile.TemporaryDirectory() as out:
        command = [options.rwa, "train", str(file), "--repeat", str(options.seeds), "--out", out]
        text, notes = run(command + more)
    scores = table_of(text)
    steps = re.search(r"horizon (\d+) steps?, (?:season of|no) (\w+)", notes)
    origins = re.search(r"from (\d+) origin", notes)
    cells = [file.stem, steps[1], steps[2], origins[1], f"**{scores[MODEL]['MASE']}**"]
    cells += [scores[name]["MASE"] if name in scores else "—" for name in [*NAIVE, WEIGHTED]]
    best = min(float(scores[name]["MASE"]) for name in NAIVE if name in scores)
    cells.append(f"{float(scores[MODEL]['MASE'].split()[0]) / best:.2f}")
    cells.append(scores[MODEL]["coverage, %"].split()[0] + " %")
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--rwa", default="build/release/rwa")
    parser.add_argument("--seeds", type=int, default=5)
    options, more = parser.parse_known_args()
    print(
        "| series | horizon | season | origins | MASE | last value | seasonal naive "
        "| weighted simple | model / better naive | coverage |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for name in FILES:
        print(line_of(options.data / name, options, more), flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What a run costs beyond its bare training steps: data, metrics, evaluations, progress, a checkpoint a minute.

    benchmarks/trainer_overhead.py [RWA] [ROUNDS]

A step of `rwa paper run adding-100`, from the difference between a long and a short run (which takes start-up and the
final scoring out), against a step of `rwa bench` of the same sizes, measured by turns; medians over the rounds.
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

SHORT, LONG = 100, 700


def run_seconds(rwa, cell, steps):
    with tempfile.TemporaryDirectory() as out:
        command = [rwa, "paper", "run", "adding-100", "--model", cell, "--steps", str(steps), "--out", out]
        begin = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        return time.perf_counter() - begin


def loop_step(rwa, cell):
    return (run_seconds(rwa, cell, LONG) - run_seconds(rwa, cell, SHORT)) / (LONG - SHORT)


def bare_step(rwa, cell):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "bench.json"
        sizes = ["--steps", "100", "--inputs", "2", "--mode", "train", "--memory", "full", "--seconds", "15"]
        subprocess.run([rwa, "bench", "--cells", cell, "--no-peers", "--json", file] + sizes,
                       check=True, capture_output=True)
        row = next(r for r in json.loads(file.read_text()) if r["name"] == cell)
        return row["us_per_step"] * 100 / 1e6


def main():
    rwa = sys.argv[1] if len(sys.argv) > 1 else "build/release/rwa"
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    for cell in ("rwa", "lstm"):
        pairs = [(bare_step(rwa, cell), loop_step(rwa, cell)) for _ in range(rounds)]
        bare, loop = (statistics.median(values) for values in zip(*pairs))
        print(f"{cell:5} bare step {1000 * bare:6.2f} ms   in a run {1000 * loop:6.2f} ms   "
              f"overhead {100 * (loop / bare - 1):+.1f} %   rounds " +
              " ".join(f"{100 * (l / b - 1):+.1f}" for b, l in pairs))


if __name__ == "__main__":
    main()

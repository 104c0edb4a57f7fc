#!/usr/bin/env python3
"""Score the first model that rwa trains without options, on public data sets with official splits.

Trains on each set with the defaults, with each default switched off in turn, and with LSTM, several
seeds each, and prints a Markdown table of the mean score on the test part beside the baselines.
Defaults were chosen by cross-validation on the training parts alone (--folds).

    benchmarks/first_model.py --data DIR [--rwa build/release/rwa] [--seeds 5] [--only NAME,…]
    benchmarks/first_model.py --data DIR --seeds 1 --variants defaults,tune

DIR has the files of the UEA and UCR archive: NAME_TRAIN.ts and NAME_TEST.ts, or .txt.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

VARIANTS = {
    "defaults": [],
    "no stem": ["--stem", "none"],
    "no positions": ["--positions", "0"],
    "no noise": ["--noise", "0"],
    "batch 32": ["--batch", "32"],
    "split, early stopping": ["--split", "0.2"],
    "LSTM": ["--cell", "lstm"],
}
TUNE = "tune"  # `rwa tune` for two minutes, instead of `rwa train`


def parts(folder: pathlib.Path) -> list[tuple[str, pathlib.Path, pathlib.Path]]:
    """Find the sets of a folder: name, training part, test part."""
    found = []
    for train in sorted(folder.rglob("*_TRAIN.*")):
        test = train.with_name(train.name.replace("_TRAIN.", "_TEST."))
        if test.exists():
            found.append((train.name.split("_TRAIN.")[0], train, test))
    return found


def main_score(scores: dict) -> float:
    """Accuracy in percent, or R²."""
    if scores.get("accuracy") is not None:
        return 100 * scores["accuracy"]
    return scores["per_number"][0]["r2"]


def train(rwa: str, files: tuple, variant: str, seed: int) -> dict:
    """Train once; return the score, its baselines and the seconds it took."""
    tunes = variant == TUNE
    options = ["--time-budget", "2m"] if tunes else VARIANTS[variant]
    with tempfile.TemporaryDirectory() as out:
        command = [rwa, "tune" if tunes else "train", files[1], "--test", files[2], *options]
        command += ["--seed", str(seed), "--out", out]
        begin = time.monotonic()
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        seconds = time.monotonic() - begin
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}: {done.stderr}")
        evaluated = subprocess.run(
            [rwa, "evaluate", f"{out}/model.safetensors", str(files[2]), "--json"],
            capture_output=True,
            text=True,
            check=True,
        )
        last = ("run.json", "all/run.json", "candidate-*/all/run.json")
        runs = [path for pattern in last for path in pathlib.Path(out).glob(pattern)]
        run = json.loads(runs[0].read_text())
        baselines = run.get("baselines", [])
        return {
            "score": main_score(json.loads(evaluated.stdout)),
            "baselines": baselines,
            "seconds": seconds,
        }


def baseline_in_words(one: dict) -> str:
    if one.get("accuracy") is not None:
        return f"{one['name']} {100 * one['accuracy']:.1f}"
    return f"{one['name']} {one['loss']:.3f} {one['unit']}"


def in_words(scores: list[float]) -> str:
    digits = 1 if max(map(abs, scores)) > 2 else 3
    text = f"{statistics.mean(scores):.{digits}f}"
    return text if len(scores) < 2 else f"{text} ± {statistics.stdev(scores):.{digits}f}"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--data", type=pathlib.Path, required=True)
    options.add_argument("--rwa", default="build/release/rwa")
    options.add_argument("--seeds", type=int, default=5)
    options.add_argument("--only", type=lambda text: text.split(","), default=[])
    options.add_argument("--variants", type=lambda text: text.split(","), default=list(VARIANTS))
    given = options.parse_args()
    names = given.variants
    print("| data | " + " | ".join(names) + " | baselines | seconds |")
    print("|---|" + "---|" * (len(names) + 2))
    for files in parts(given.data):
        if given.only and files[0] not in given.only:
            continue
        cells, last = [], None
        for name in names:
            runs = [train(given.rwa, files, name, seed + 1) for seed in range(given.seeds)]
            cells.append(in_words([run["score"] for run in runs]))
            last = last or runs[0]
        others = ", ".join(map(baseline_in_words, last["baselines"]))
        print(f"| {files[0]} | " + " | ".join(cells) + f" | {others} | {last['seconds']:.0f} |", flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Score the first model that rwa trains without options, on public data sets with official splits.

Trains on each set with the defaults, with each default switched off in turn, and with LSTM, several
seeds each on all training sequences, and prints a Markdown table of the mean score on the test part
beside those of the baselines and, for classes, of logistic regression (if scikit-learn is there).
Defaults were chosen by cross-validation on the training parts alone (--folds).

    benchmarks/first_model.py --data DIR [--rwa build/release/rwa] [--seeds 5] [--only NAME,…]
    benchmarks/first_model.py --data DIR --seeds 1 --variants defaults,tune

DIR has the files of the UEA and UCR archive: NAME_TRAIN.ts and NAME_TEST.ts, or .txt. The seconds
are those of `rwa train` without options, which trains five folds and a model on all data.
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
    "context 15": ["--context", "15"],
    "no positions": ["--positions", "0"],
    "no shift": ["--shift", "0", "--positions", "16"],
    "no noise": ["--noise", "0"],
    "batch 32": ["--batch", "32"],
    "300 steps": ["--steps", "300"],
    "early stopping": ["--split", "0.2"],
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


def run(command: list) -> str:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr}")
    return done.stdout


def evaluate(rwa: str, folder: pathlib.Path, test: pathlib.Path) -> dict:
    """Score the model of a training, from the folder of its last run, beside the baselines."""
    last = ("run.json", "all/run.json", "candidate-*/all/run.json")
    runs = [path.parent for pattern in last for path in folder.glob(pattern)]
    return json.loads(run([rwa, "evaluate", runs[0], test, "--json"]))


def train(rwa: str, files: tuple, variant: str, seeds: int) -> list[dict]:
    """Return the evaluations of the models of all seeds."""
    _, data, test = files
    with tempfile.TemporaryDirectory() as out:
        folders = [pathlib.Path(out, f"seed-{seed}") for seed in range(1, seeds + 1)]
        if variant != TUNE and not is_regression(data):  # all seeds at once, without folds
            command = [rwa, "train", data, "--test", test, "--repeat", max(seeds, 2)]
            run([*command, *VARIANTS[variant], "--out", out])
        else:
            options = ["--time-budget", "2m"] if variant == TUNE else VARIANTS[variant]
            for seed, folder in enumerate(folders, 1):
                command = [rwa, "tune" if variant == TUNE else "train", data, *options]
                run([*command, "--seed", seed, "--out", folder])
        return [evaluate(rwa, folder, test) for folder in folders]


def is_regression(data: pathlib.Path) -> bool:
    return "@targetlabel true" in data.read_text().lower()


def seconds_of_training(rwa: str, files: tuple) -> float:
    with tempfile.TemporaryDirectory() as out:
        begin = time.monotonic()
        run([rwa, "train", files[1], "--out", out])
        return time.monotonic() - begin


def baseline_in_words(one: dict) -> str:
    if one.get("accuracy") is not None:
        return f"{one['name']} {100 * one['accuracy']:.1f}"
    return f"{one['name']} {main_score(one):.3f}"


def sequences(path: pathlib.Path) -> tuple[list, list]:
    """Read a .ts file, or a table with the class in its first column: numbers [D,T], classes."""
    x, y = [], []
    for line in path.read_text().splitlines():
        if not line or line[0] in "#@":
            continue
        if path.suffix == ".ts":
            *features, label = line.split(":")
            x.append([[float(v) for v in feature.split(",")] for feature in features])
        else:
            label, *values = line.split()
            x.append([[float(v) for v in values]])
        y.append(label)
    return x, y


def logistic_regression(train: pathlib.Path, test: pathlib.Path) -> str:
    """Accuracy on standardised numbers, resampled to the median length; – without scikit-learn."""
    try:
        import numpy as np
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
    except ImportError:
        return "–"
    (x, y), (x_test, y_test) = sequences(train), sequences(test)
    steps = int(statistics.median(len(one[0]) for one in x))

    def rows(some: list) -> np.ndarray:
        at = np.linspace(0, 1, steps)
        return np.array(
            [[np.interp(at, np.linspace(0, 1, len(f)), f) for f in one] for one in some]
        ).reshape(len(some), -1)

    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=10000))
    return f"{100 * model.fit(rows(x), y).score(rows(x_test), y_test):.1f}"


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
    print("| data | " + " | ".join(names) + " | logistic regression | baselines | seconds |")
    print("|---|" + "---|" * (len(names) + 3))
    for files in parts(given.data):
        if given.only and files[0] not in given.only:
            continue
        runs = [train(given.rwa, files, name, given.seeds) for name in names]
        cells = [in_words(list(map(main_score, seeds))) for seeds in runs]
        first = runs[0][0]
        is_class = first.get("accuracy") is not None
        cells.append(logistic_regression(files[1], files[2]) if is_class else "–")
        cells.append(", ".join(map(baseline_in_words, first["baselines"])))
        cells.append(f"{seconds_of_training(given.rwa, files):.0f}")
        print(f"| {files[0]} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()

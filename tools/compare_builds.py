#!/usr/bin/env python3
"""Compare two builds of rwa bit by bit.

Trains one configuration per task, cell and kind of network in paper/results with both builds, for a
few steps, and compares metrics and weights.

    tools/compare_builds.py OLD NEW [--device cuda] [--steps 20] [--data FOLDER]
    tools/compare_builds.py OLD --out FOLDER      train with one build, keep checksums in FOLDER/old

OLD may also be a folder of checksums, to compare with an earlier build on the same kind of machine.
Prints one line per configuration; exits with 1 if any differs. Skips MNIST without --data.
"""
import argparse
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Networks that agree in these keys are of the same kind, whatever their sizes.
KIND = ("cell", "activation", "layers", "bidirectional", "readout", "embedding", "dropout", "code", "learned_decay")
TEST_SAMPLES = 300  # few, because the final score does not matter here


def configurations():
    """Return one configuration file of each kind."""
    found = {}
    for file in sorted((ROOT / "paper/results").glob("*/*/config.toml")):
        config = tomllib.loads(file.read_text())
        task, network = config["task"], config["network"]
        size = "long" if max(task.get(k, 0) for k in ("steps", "delay", "longest")) >= 500 else "short"
        variant = [task["kind"], size, config["variant"] if config["variant"] == "script" else ""]
        kind = [str(network.get(key, "")) for key in KIND]
        kind[KIND.index("code")] = str(network.get("code", 0) > 0)
        kind.append(str(task.get("permuted", "")))
        found.setdefault("|".join(variant + kind), file)
    return found.values()


def prepare(file, steps, device, folder):
    """Write a copy of the configuration with fewer steps and samples."""
    text = file.read_text()
    section = text.split("[training]")
    section[1] = re.sub(r"(?m)^steps = .*", f"steps = {steps}", section[1], count=1)
    text = "[training]".join(section)
    text = re.sub(r"(?m)^every = .*", f"every = {max(1, steps // 2)}", text)
    text = re.sub(r"(?m)^test = .*", f"test = {TEST_SAMPLES}", text)
    text = re.sub(r"(?m)^device = .*", f'device = "{device}"', text)
    name = f"{file.parent.parent.name}--{file.parent.name}"
    out = folder / f"{name}.toml"
    out.write_text(text)
    return name, out


def train(program, name, config, out, data):
    """Return the checksums of the run's files, or the error message."""
    command = [program, "paper", "run", config, "--out", out / name, "--threads", "2"]
    if "mnist" in name:
        command += ["--data", data]
    done = subprocess.run(command, capture_output=True, text=True)
    runs = [file.parent for file in (out / name).rglob("metrics.jsonl")]
    if done.returncode != 0 or len(runs) != 1:
        return done.stderr.strip().splitlines()[-1:] or ["no run"]
    files = ("metrics.jsonl", "model.safetensors")
    sums = [hashlib.sha256((runs[0] / file).read_bytes()).hexdigest() for file in files]
    (out / f"{name}.sums").write_text("\n".join(sums))
    return sums


def sums_of(build, name, config, out, data):
    if pathlib.Path(build).is_dir():
        kept = pathlib.Path(build) / f"{name}.sums"
        return kept.read_text().split("\n") if kept.exists() else ["not kept"]
    return train(build, name, config, out, data)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new", nargs="?")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--data", help="folder with the MNIST files")
    parser.add_argument("--out", help="folder to keep the runs in")
    options = parser.parse_args()
    different = compared = left_out = 0
    with tempfile.TemporaryDirectory() as temporary:
        root = pathlib.Path(options.out or temporary)
        for side in ("configs", "old", "new"):
            (root / side).mkdir(parents=True, exist_ok=False)  # finished runs would be skipped
        for file in configurations():
            name, config = prepare(file, options.steps, options.device, root / "configs")
            if "mnist" in name and not options.data:
                print(f"skipped    {name}: needs --data")
                left_out += 1
                continue
            old = sums_of(options.old, name, config, root / "old", options.data)
            new = sums_of(options.new, name, config, root / "new", options.data) if options.new else old
            same = old == new and len(old) == 2
            different += not same
            compared += 1
            print("identical " if same else "DIFFERENT ", name, "" if same else f"{old} {new}", flush=True)
    verdict = f"different: {different}" if different else "all bit-identical"
    print(f"compared: {compared}, skipped: {left_out}, {verdict}")
    return 1 if different or compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

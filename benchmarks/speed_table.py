#!/usr/bin/env python3
"""Prints the README's table of training speed, from outputs of `rwa bench`:

    benchmarks/speed_table.py benchmarks/results/zen4-avx512.txt benchmarks/results/h200-peers.txt

The first file is of a CPU (1,000 steps), the second of a GPU (784 steps).
"""

import pathlib
import re
import sys

# Title; the rows of `rwa bench` on the CPU and on the GPU; rwa's own row of the same cell.
ROWS = (
    ("**RWA**", "rwa", "rwa", None),
    ("RWA in PyTorch (CPU), JAX (GPU)", "torch-rwa", "jax-rwa", "rwa"),
    ("**LSTM**", "lstm", "lstm", None),
    ("LSTM in oneDNN (CPU), cuDNN fp32 (GPU)", "onednn-lstm", "cudnn-lstm", "lstm"),
    ("LSTM in PyTorch", "torch-lstm", "torch-lstm", "lstm"),
)


def fastest(path, steps):
    """{name: µs per step} of training at this length. Of several algorithms in fp32, the fastest."""
    lines = pathlib.Path(path).read_text().splitlines()
    header = next(line for line in lines if line.startswith("name "))
    variant = slice(header.index("variant"), header.index("steps") - 1)
    found = {}
    for line in lines:
        if not re.match(r"\S+ +train ", line) or re.search("chunked|ragged|tf32|fp16", line[variant]):
            continue
        cells = line[variant.stop :].split()
        time = float(cells[2 if "threads" in header else 1])
        if int(cells[0]) == steps:
            name = line.split()[0]
            found[name] = min(time, found.get(name, time))
    return found


def in_words(times, name, own):
    time = f"{times[name]:,.0f}" if times[name] >= 100 else f"{times[name]:.3g}"
    return f"{time} ({times[name] / times[own]:.2g} ×)" if own else f"**{time}**"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    cpu, gpu = fastest(sys.argv[1], 1000), fastest(sys.argv[2], 784)
    print("| µs per time step | 2 cores of a Zen 4 (AVX-512), T = 1,000 | H200, T = 784 |")
    print("|---|---:|---:|")
    for title, on_cpu, on_gpu, own in ROWS:
        print(f"| {title} | {in_words(cpu, on_cpu, own)} | {in_words(gpu, on_gpu, own)} |")


if __name__ == "__main__":
    main()

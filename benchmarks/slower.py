#!/usr/bin/env python3
"""Says what has become slower than the published results of the same kind of machine:

    rwa bench --no-peers > now.txt
    benchmarks/slower.py now.txt

Compares rwa's own rows with those of all files of benchmarks/results whose machine and sizes are
the same: on a CPU the share of the peak, which is measured in the same run, on a GPU the time per
step. Exits with status 1 if a row is slower than the best published one by more than 5 %.
"""

import pathlib
import sys

PUBLISHED = pathlib.Path(__file__).parent / "results"
CELLS = ("rwa", "rwa-forget", "rwa-decay", "lstm", "gru")
TOLERANCE = 0.05


class Results:
    """The rows of an output of `rwa bench`: {(name, mode, variant…, steps): µs per step}."""

    def __init__(self, path):
        lines = path.read_text().splitlines()
        start = next((i for i, line in enumerate(lines) if line.startswith("name ")), None)
        if start is None:
            raise ValueError(f"{path}: found no table, expected the output of rwa bench")
        machine = next(i for i, line in enumerate(lines[:start]) if not line.startswith("round "))
        # Without what is measured: "AMD EPYC, avx512, threads 2; measured peak: …".
        self.machine = lines[machine].split(";")[0]
        self.sizes = lines[machine + 1].split(";")[0].split(" (stream")[0]
        self.times, self.shares = {}, {}
        header = lines[start]
        for line in lines[start:]:
            if line.split(" ")[0] in CELLS:
                key = tuple(line[: header.index("steps") + len("steps")].split())
                self.times[key] = self.cell(line, header, "µs/step")
                if "of peak" in header:
                    self.shares[key] = self.cell(line, header, "of peak")

    @staticmethod
    def cell(line, header, title):
        end = header.index(title) + len(title)
        return float(line[:end].rstrip("% ").split()[-1].replace(",", ""))

    def slowness(self, key):
        """A number that grows as the row becomes slower."""
        return 1 / self.shares[key] if self.shares else self.times[key]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        now = Results(pathlib.Path(sys.argv[1]))
        published = [Results(path) for path in sorted(PUBLISHED.glob("*.txt"))
                     if "\nname " in path.read_text()]
    except (OSError, ValueError) as error:
        sys.exit(f"slower.py: {error}")
    same = [old for old in published if (old.machine, old.sizes) == (now.machine, now.sizes)]
    keys = [key for key in now.times if any(key in old.times for old in same)]
    if not keys:
        known = "".join(sorted({f"\n  {old.machine}; {old.sizes}" for old in published}))
        sys.exit(f"slower.py: nothing is published for {now.machine}; {now.sizes}. There is:{known}")
    slower = 0
    for key in keys:
        best = min((old for old in same if key in old.times), key=lambda old: old.slowness(key))
        change = now.slowness(key) / best.slowness(key) - 1
        if change > TOLERANCE:
            slower += 1
            what = "share of the peak" if now.shares else "µs per step"
            values = (old.shares[key] if old.shares else old.times[key] for old in (best, now))
            print("{}: {} {} published, {} now, {:.0f} % slower".format(
                " ".join(key), what, *values, 100 * change))
    print(f"{slower} of {len(keys)} rows are slower than published by more than 5 %")
    sys.exit(1 if slower else 0)


if __name__ == "__main__":
    main()

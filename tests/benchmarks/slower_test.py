"""benchmarks/slower.py compares an output of rwa bench with the published ones of that machine."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCHMARKS = pathlib.Path(__file__).parents[2] / "benchmarks"
CPU = BENCHMARKS / "results" / "zen4-avx512.txt"
GPU = BENCHMARKS / "results" / "h200.txt"


def compare(text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "now.txt"
        path.write_text(text)
        return subprocess.run([sys.executable, str(BENCHMARKS / "slower.py"), str(path)],
                              capture_output=True, text=True)


def row(text, start):
    return next(line for line in text.splitlines() if line.startswith(start))


class Slower(unittest.TestCase):
    def test_a_published_result_is_not_slower_than_itself(self):
        for path in CPU, GPU:
            result = compare(path.read_text())
            self.assertEqual(result.returncode, 0, result.stdout)
            self.assertTrue(result.stdout.startswith("0 of "), result.stdout)

    def change(self, path, start, column, factor):
        """Multiplies one number of a row, in place."""
        text = path.read_text()
        line = row(text, start)
        header = row(text, "name ")
        end = header.index(column) + len(column)
        old = line[:end].rstrip("% ").split()[-1]
        at = line[:end].rindex(old)
        new = f"{float(old) * factor:.2f}"[: len(old)].rjust(len(old))
        return text.replace(line, line[:at] + new + line[at + len(old):], 1)

    def test_a_longer_time_on_a_gpu_is_named(self):
        result = compare(self.change(GPU, "rwa   forward", "µs/step", 1.1))
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stdout, r"^rwa forward 784: µs per step .* published, .* slower\n1 of")
        self.assertEqual(compare(self.change(GPU, "rwa   forward", "µs/step", 1.03)).returncode, 0)

    def test_on_a_cpu_the_share_of_the_peak_counts(self):
        result = compare(self.change(CPU, "lstm         train", "of peak", 0.9))
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stdout, r"^lstm train 100: share of the peak")
        self.assertEqual(compare(self.change(CPU, "lstm         train", "µs/step", 1.1)).returncode, 0)

    def test_another_machine_has_nothing_to_compare_with(self):
        result = compare(GPU.read_text().replace("NVIDIA H200", "NVIDIA X1"))
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("nothing is published for NVIDIA X1; batch 100", result.stderr)
        self.assertIn("expected the output of rwa bench", compare("nothing\n").stderr)


if __name__ == "__main__":
    unittest.main()

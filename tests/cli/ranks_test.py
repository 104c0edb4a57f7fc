#!/usr/bin/env python3
"""Tests `rwa train`, `tune` and `paper run` on several ranks: they write the files of one process,
share runs, end with a message when a rank fails, and resume with any number of ranks.

    ranks_test.py PROGRAM [LAUNCHER [ARGUMENT...]]

Without a launcher there is nothing to test: exit status 77.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from launcher import TIME_LIMIT, Launcher, end, ranks_of  # noqa: E402

PROGRAM = pathlib.Path(sys.argv[1]).resolve()
LAUNCHER = Launcher(sys.argv[2:])
WAVES = pathlib.Path(__file__).resolve().parent / "waves.py"
FILES = ["config.toml", "metrics.jsonl", "model.safetensors"]
EXPERIMENT = """name = "{name}"
[task]
kind = "adding"
steps = 20
train = 1000
test = 50
[network]
units = 16
[training]
steps = {steps}
batch = 10
[evaluation]
every = 50
samples = 20
"""


def text_of(file):
    return file.read_text(encoding="utf-8") if file.exists() else ""


class Ranks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def start(self, ranks, *arguments):
        return LAUNCHER.start(ranks, PROGRAM, *arguments, cwd=self.folder)

    def rwa(self, ranks, *arguments, status=0):
        found, out, errors = end(self.start(ranks, *arguments))
        self.assertEqual(found, status, errors)
        return out, errors

    def write_experiment(self, name, steps):
        text = EXPERIMENT.format(name=name, steps=steps)
        (self.folder / f"{name}.toml").write_text(text, encoding="utf-8")

    def write_waves(self):
        done = subprocess.run(["python3", WAVES, "class", "60"], stdout=subprocess.PIPE, check=True)
        (self.folder / "waves.csv").write_bytes(done.stdout)

    def assert_same_run(self, found, expected):
        for name in FILES:
            left = (self.folder / found / name).read_bytes()
            right = (self.folder / expected / name).read_bytes()
            self.assertTrue(left == right, f"{found}/{name} is not {expected}/{name}")

    def start_long_run(self, ranks, *others):
        """Waits until there is a checkpoint after the first."""
        command = ["paper", "run", "long.toml", *others, "--out", "runs", "--checkpoint", "0"]
        job = self.start(ranks, *command)
        self.addCleanup(job.terminate)
        metrics = self.folder / "runs/long/rwa-seed1/metrics.jsonl"
        self.wait_until(lambda: '"step":50,' in text_of(metrics), job)
        return job

    def wait_until(self, is_so, job=None):
        """A job ends too early if it ends before."""
        limit = time.monotonic() + TIME_LIMIT
        while not is_so():
            self.assertLess(time.monotonic(), limit, "waited for what does not happen")
            if job:
                self.assertIsNone(job.poll(), "it ended too early")
            time.sleep(0.02)

    def test_have_the_files_of_one_process(self):
        self.write_waves()
        train = ["train", "waves.csv", "--units", "8", "--epochs", "3", "--split", "0.2"]
        self.rwa(1, *train, "--out", "alone")
        for ranks in (2, 4):
            out, errors = self.rwa(ranks, *train, "--out", f"on-{ranks}")
            self.assert_same_run(f"on-{ranks}", "alone")
            self.assertTrue((self.folder / f"on-{ranks}/report.html").exists())
            self.assertEqual(out.count("accuracy"), 1, out)
            self.assertEqual(errors.count("60 sequences of"), 1, errors)

    def test_choose_one_folder(self):
        self.write_waves()
        for number, cell in enumerate(["gru", "lstm"]):
            train = ["train", "waves.csv", "--units", "4", "--epochs", "1", "--cell", cell]
            out, errors = self.rwa(3, *train)
            folder = "runs/waves" if number == 0 else "runs/waves-2"
            self.assertIn(f"model: {folder}/model.safetensors", out)
            self.assertEqual(errors.count(f"folder: {folder}\n"), 1)

    def test_share_out_folds_and_candidates(self):
        self.write_waves()
        train = ["train", "waves.csv", "--units", "8", "--epochs", "2", "--folds", "3"]
        self.rwa(1, *train, "--out", "alone")
        for ranks in (2, 4):
            out, errors = self.rwa(ranks, *train, "--out", f"on-{ranks}")
            self.assertEqual(errors.count("finished in"), 4, errors)  # three folds, then all data
            self.assertIn("mean ± standard deviation", out)
            self.assert_same_run(f"on-{ranks}/all", "alone/all")
            for fold in (1, 2, 3):
                self.assert_same_run(f"on-{ranks}/fold-{fold}", f"alone/fold-{fold}")
        tune = ["tune", "waves.csv", "--candidates", "3", "--units", "8"]
        out, _ = self.rwa(2, *tune, "--time-budget", "2", "--split", "0.2", "--out", "tuned")
        self.assertEqual(out.count("model: tuned"), 1, out)
        for ranks in (1, 2):
            out, _ = self.rwa(ranks, *tune, "--steps", "10", "--out", f"races-{ranks}")
            self.assertEqual(out.count(f"model: races-{ranks}"), 1, out)
        self.assertEqual((self.folder / "races-1/model.safetensors").read_bytes(),
                         (self.folder / "races-2/model.safetensors").read_bytes())

    def test_do_experiments_side_by_side(self):
        names = ["one", "two", "three"]
        for number, name in enumerate(names):
            self.write_experiment(name, 60 + number)
        tomls = [f"{name}.toml" for name in names]
        self.rwa(1, "paper", "run", *tomls, "--out", "alone")
        self.rwa(2, "paper", "run", *tomls, "--out", "together")
        for name in names:
            self.assert_same_run(f"together/{name}/rwa-seed1", f"alone/{name}/rwa-seed1")

    def go_on(self, ranks):
        """Resumes with fewer steps to do, and compares with an uninterrupted run."""
        checkpoint = self.folder / "runs/long/rwa-seed1/metrics.jsonl"
        done = checkpoint.read_text(encoding="utf-8").count('"split":"test"') * 50
        self.write_experiment("long", done + 60)
        self.rwa(ranks, "paper", "run", "long.toml", "--out", "runs")
        self.rwa(1, "paper", "run", "long.toml", "--out", "alone")
        self.assert_same_run("runs/long/rwa-seed1", "alone/long/rwa-seed1")

    def test_leave_a_checkpoint_when_one_is_killed(self):
        self.write_experiment("long", 10**6)
        job = self.start_long_run(3)
        os.kill(ranks_of(job, PROGRAM)[-1], signal.SIGKILL)
        status, _, errors = end(job)
        self.assertNotEqual(status, 0, errors)
        self.go_on(2)

    def test_leave_a_checkpoint_when_one_hangs(self):
        self.write_experiment("long", 10**6)
        job = self.start_long_run(2)
        stopped = ranks_of(job, PROGRAM)[-1]
        os.kill(stopped, signal.SIGSTOP)
        status, _, errors = end(job)
        self.assertEqual(status, 7, errors)
        self.assertEqual(errors.count("rwa: "), 1, errors)
        self.assertIn("has not answered", errors)
        self.go_on(4)

    def test_notice_one_that_hangs_in_a_run_of_its_own(self):
        for name in ("long", "longer"):
            self.write_experiment(name, 10**6)
        job = self.start_long_run(2, "longer.toml")
        os.kill(ranks_of(job, PROGRAM)[-1], signal.SIGSTOP)
        status, _, errors = end(job)
        self.assertEqual(status, 7, errors)
        self.assertEqual(errors.count("rwa: rank 1 has not answered"), 1, errors)

    def test_refuse_to_work_on_different_things(self):
        self.write_waves()
        for rank, units in enumerate((8, 6)):
            (self.folder / f"config-{rank}").mkdir()
            config = self.folder / f"config-{rank}/c.toml"
            config.write_text(f"[network]\nunits = {units}\n", encoding="utf-8")
        script = (
            "cd config-$OMPI_COMM_WORLD_RANK && "
            'exec "$0" train ../waves.csv --config c.toml --out x'
        )
        job = LAUNCHER.start(2, "bash", "-c", script, PROGRAM, cwd=self.folder)
        status, _, errors = end(job)
        self.assertEqual(status, 2, errors)
        self.assertEqual(
            errors.count("rwa: rank 1 has other runs than rank 0: network.units"), 1, errors
        )

    def test_end_in_good_order_when_asked_to(self):
        self.write_experiment("long", 10**6)
        job = self.start_long_run(2)
        os.kill(ranks_of(job, PROGRAM)[-1], signal.SIGTERM)
        status, _, errors = end(job)
        self.assertEqual(status, 6, errors)
        self.assertEqual(errors.count("rwa: interrupted after step"), 1, errors)
        self.go_on(3)

    def test_leave_a_checkpoint_when_mpirun_is_told_twice(self):
        """mpirun dies of the second signal, before it passes on the first."""
        self.write_experiment("long", 10**6)
        command = ["paper", "run", "long.toml", "--out", "runs", "--checkpoint", "1000"]
        for pause in (0, 0.3):
            job = self.start(2, *command)
            self.addCleanup(job.kill)
            progress = self.folder / "runs/long/rwa-seed1/metrics.jsonl"
            more = len(text_of(progress)) + 1000
            self.wait_until(lambda: len(text_of(progress)) > more, job)
            ranks = ranks_of(job, PROGRAM)
            job.terminate()
            time.sleep(pause)
            job.terminate()
            end(job)
            self.wait_until(
                lambda: not any(pathlib.Path(f"/proc/{rank}").exists() for rank in ranks)
            )
            run = json.loads(progress.with_name("run.json").read_text(encoding="utf-8"))
            self.assertEqual(run["status"], "interrupted")
            self.assertGreater(run["steps"], 0)
        self.go_on(2)

    def test_say_what_is_wrong_once(self):
        (self.folder / "bad.csv").write_text("id,u,y\na,1,x\na,oops,x\n", encoding="utf-8")
        for what, status in (("bad.csv", 3), ("nothing.csv", 2)):
            _, errors = self.rwa(3, "train", what, "--out", "bad", status=status)
            self.assertEqual(errors.count("rwa: "), 1, errors)

    def test_work_together_only_where_that_is_meant(self):
        self.write_waves()
        script = (
            'exec "$0" train waves.csv --units 4 --epochs 1 --split 0.2 '
            "--out out-$OMPI_COMM_WORLD_RANK"
        )
        job = LAUNCHER.start(2, "bash", "-c", script, PROGRAM, cwd=self.folder)
        status, _, errors = end(job)
        self.assertEqual((status, errors.count("rwa: rank 1 was started as")), (2, 1), errors)
        job = LAUNCHER.start(
            2, "env", "RWA_RANKS=1", "bash", "-c", script, PROGRAM, cwd=self.folder
        )
        status, _, errors = end(job)
        self.assertEqual(status, 0, errors)
        self.assert_same_run("out-0", "out-1")
        out, _ = self.rwa(2, "--version")
        self.assertEqual(out.count("rwa "), 2, out)


if __name__ == "__main__":
    if not LAUNCHER.is_there():
        print("skipped: there is no mpirun")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)

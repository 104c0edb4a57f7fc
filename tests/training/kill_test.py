#!/usr/bin/env python3
"""A run that is killed, stopped or out of disk space at any time resumes bit for bit.

    kill_test.py PROGRAM (run_experiment)

Exit code 77 if strace cannot trace: the tests that need it are then skipped.
"""
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

CONFIG = """name = "killed"
seed = 3
[task]
kind = "adding"
steps = 10
train = 200
test = 40
[network]
units = 12
[training]
steps = {steps}
batch = 8
[evaluation]
every = 4
samples = 9
"""
# A user file, with a validation set, early stopping and best weights.
OWN_CONFIG = """name = "own"
seed = 3
[task]
kind = "files"
train = ["{data}"]
[network]
units = 6
[training]
steps = 1000
batch = 8
learning_rate = 0.05
schedule = "plateau"
truncate = 4
[evaluation]
every = 1
samples = 5
patience = 2
"""
# The system calls that write a checkpoint and metrics, and those around them.
CALLS = "openat,write,fsync,fdatasync,renameat,rename,close,ftruncate,unlink,unlinkat,flock,mkdir"
LONG, SHORT = 1000, 3  # steps; the short runs are killed at every system call


class Test:
    def __init__(self, program, work):
        self.program, self.work = program, work

    def config(self, steps):
        file = self.work / f"{steps}.toml"
        file.write_text(CONFIG.format(steps=steps))
        return file

    def own_config(self):
        file, data, chance = self.work / "own.toml", self.work / "own.jsonl", random.Random(1)
        steps = lambda: [[chance.gauss(0, 1)] for _ in range(chance.randint(3, 9))]
        samples = [{"x": steps(), "y": chance.choice("ab")} for _ in range(40)]
        data.write_text("".join(json.dumps(sample) + "\n" for sample in samples))
        file.write_text(OWN_CONFIG.format(data=data))
        return file

    def command(self, config, folder, seconds=0):
        return [self.program, config, folder, "--checkpoint-seconds", str(seconds)]

    def run(self, command, **more):
        return subprocess.run(command, capture_output=True, text=True, timeout=120, **more)

    def whole(self, config):
        """Returns the result of an uninterrupted run."""
        folder = self.work / f"whole-{config.stem}"
        result = self.run(self.command(config, folder))
        assert result.returncode == 0, result.stderr
        return result_of(folder)

    def finish(self, config, folder, what, seconds=0):
        """Resumes to the end and expects the result of an uninterrupted run."""
        result = self.run(self.command(config, folder, seconds))
        assert result.returncode == 0, f"{what}: cannot resume: {result.stderr}"
        assert result_of(folder) == self.whole_result[config], f"{what}: the result differs"
        left = [p.name for p in folder.iterdir() if p.name.endswith(".tmp")]
        assert not left, f"{what}: remnants {left}"
        shutil.rmtree(folder)


def result_of(folder):
    status = json.loads((folder / "run.json").read_text())
    assert status["status"] == "finished", status
    return (status["ended_by"], status.get("best_step"), (folder / "metrics.jsonl").read_bytes(),
            (folder / "model.safetensors").read_bytes())


def repeat_until_done(test, folder, seconds, number, chance):
    """Sends the signal at random times until a run finishes; returns the exit codes."""
    config, codes = test.config(LONG), []
    begin = time.monotonic()
    test.finish(config, folder, "not disturbed", seconds)
    duration = time.monotonic() - begin
    while True:
        process = subprocess.Popen(test.command(config, folder, seconds))
        try:
            # Increasingly late, so that a run finishes eventually.
            code = process.wait(chance.uniform(0, duration * (0.5 + 0.05 * len(codes))))
        except subprocess.TimeoutExpired:
            process.send_signal(number)
            code = process.wait()
        if code == 0:
            test.finish(config, folder, f"with signal {number}")
            return codes
        codes.append(code)


def check_kills_at_random(test):
    chance, kills = random.Random(1), 0
    for seconds in (0, 0.01, 0.01):
        codes = repeat_until_done(test, test.work / "random", seconds, signal.SIGKILL, chance)
        assert all(code == -signal.SIGKILL for code in codes), codes
        kills += len(codes)
    assert kills > 0, "too fast to be killed"
    print(f"{kills} kills at random times")


def check_interrupts(test):
    """Expects exit code 6 and a checkpoint, the only state kept between runs."""
    chance, stops = random.Random(2), 0
    for number in (signal.SIGINT, signal.SIGTERM):
        codes = repeat_until_done(test, test.work / "interrupted", 1e9, number, chance)
        # Or killed by the signal before the program has installed its handler.
        assert all(code in (6, -number) for code in codes), codes
        stops += codes.count(6)
    assert stops > 0, "too fast to be interrupted"
    print(f"{stops} interruptions with exit code 6")


def check_short_disk(test):
    """Limits the file size to less than a checkpoint needs."""
    config, folder = test.config(LONG), test.work / "limit"
    stop_early(test, config, folder)
    before = (folder / "checkpoint.safetensors").read_bytes()
    limit = len(before) // 2

    def limited():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # the call then fails, as on a full disk
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    result = test.run(test.command(config, folder), preexec_fn=limited)
    assert result.returncode == 7, (result.returncode, result.stderr)
    assert "checkpoint.safetensors: cannot write: File too large" in result.stderr, result.stderr
    assert (folder / "checkpoint.safetensors").read_bytes() == before
    test.finish(config, folder, "file size limit")
    print("a limit on file sizes")


def stop_early(test, config, folder):
    """Stops a run after its first checkpoint."""
    process = subprocess.Popen(test.command(config, folder))
    while not (folder / "checkpoint.safetensors").exists():
        assert process.poll() is None, "ended before its first checkpoint"
        time.sleep(0.001)
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 6


def traced(test, inject, command):
    return test.run(["strace", "-f", "-qq", "-o", test.work / "trace", "-e", f"trace={CALLS}",
                     "-e", f"inject={inject}"] + command)


def calls_of_a_run(test, config, folder):
    """Counts the system calls of a whole run."""
    result = test.run(["strace", "-f", "-qq", "-o", test.work / "trace", "-e", f"trace={CALLS}"]
                      + test.command(config, folder))
    assert result.returncode == 0, result.stderr
    shutil.rmtree(folder)
    counts = {}
    for line in (test.work / "trace").read_text().splitlines():
        name = line.split(maxsplit=1)[1].split("(")[0]
        if name in CALLS.split(","):
            counts[name] = counts.get(name, 0) + 1
    return counts


def check_kills_at_every_call(test, config):
    kills = 0
    for call, count in sorted(calls_of_a_run(test, config, test.work / "counted").items()):
        for number in range(1, count + 1):
            folder = test.work / f"{config.stem}-{call}-{number}"
            result = traced(test, f"{call}:signal=KILL:when={number}", test.command(config, folder))
            what = f"killed at {call} number {number}"
            assert result.returncode in (137, -signal.SIGKILL), (what, result)
            kills += 1
            test.finish(config, folder, what)
    print(f"{kills} kills, one at every system call of {config.stem}")


def check_full_disk(test):
    """Makes every write and fsync in turn fail with ENOSPC."""
    config, errors = test.config(SHORT), 0
    counts = calls_of_a_run(test, config, test.work / "counted")
    for call in ("write", "fsync", "fdatasync"):
        for number in range(1, counts.get(call, 0) + 1):
            folder = test.work / f"full-{call}-{number}"
            result = traced(test, f"{call}:error=ENOSPC:when={number}",
                            test.command(config, folder))
            what = f"no space at {call} number {number}"
            assert result.returncode == 7, (what, result)
            assert "No space left on device" in result.stderr, (what, result.stderr)
            assert str(folder) in result.stderr, (what, result.stderr)
            errors += 1
            test.finish(config, folder, what)
    print(f"{errors} failures for lack of space")


def can_trace(test):
    try:
        return test.run(["strace", "-f", "-o", test.work / "trace", "true"]).returncode == 0
    except FileNotFoundError:
        return False


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    # In memory if possible: kills behave the same there, and it is faster.
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="rwa-kill-", dir=memory) as work:
        test = Test(program, pathlib.Path(work))
        configs = [test.config(LONG), test.config(SHORT), test.own_config()]
        test.whole_result = {config: test.whole(config) for config in configs}
        ended_by, best_step, *_ = test.whole_result[configs[2]]
        assert ended_by == "patience" and best_step > 0, (ended_by, best_step)
        check_kills_at_random(test)
        check_interrupts(test)
        check_short_disk(test)
        if not can_trace(test):
            print("skipped: strace is missing or may not trace here; the other parts passed")
            return 77
        for config in configs[1:]:
            check_kills_at_every_call(test, config)
        check_full_disk(test)
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Tests that the program leaves nothing behind that it should not: no empty folder of a start that
failed, no temporary file of a process that was killed. And that it says so in its own words if the
file system refuses, and waits for a process that is about to end.

    tests/cli/leftovers_test.py PATH_OF_RWA
"""
import fcntl
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time

RWA = os.path.abspath(sys.argv[1])
WAVES = pathlib.Path(__file__).resolve().with_name("waves.py")
REMNANT = ".rwa-1-0.tmp"  # what a process that is killed in the middle of a save leaves
SMALL = ["--units", "4", "--steps", "10", "--every", "10"]


def rwa(*arguments, status=0, **how):
    done = subprocess.run([RWA, *arguments], capture_output=True, text=True, check=False, **how)
    assert done.returncode == status, (arguments, done)
    return done


def check_failed_starts():
    pathlib.Path("bad.csv").write_text("id,u,y\na,1,x\na,oops,x\n", encoding="ascii")
    pathlib.Path("one.csv").write_text("u,y\n1,2\n", encoding="ascii")
    before = sorted(os.listdir())
    for status, arguments in [(3, ["bad.csv"]), (2, ["nothing.csv"]),
                              (2, ["waves.csv", "--units", "0"]),
                              (2, ["waves.csv", "--target", "z"]),
                              (2, ["waves.csv", "--device", "abacus"]),
                              (7, ["waves.csv", "--units", "60000", "--layers", "60"])]:
        for command in ("train", "tune"):
            for out in ([], ["--out", "out"], ["--out", "out/of/many"]):
                rwa(command, *arguments, *out, status=status)
                assert sorted(os.listdir()) == before, (command, arguments, os.listdir())


def check_first_file_refused():
    """No file can be written, as on a full disk."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    before = sorted(os.listdir())
    for how in (["--split", "0.2"], ["--folds", "2"], ["--folds", "2", "--jobs", "2"]):
        with open(os.devnull, "wb") as quiet:
            done = subprocess.run([RWA, "train", "waves.csv", *SMALL, *how, "--out", "out/of/many"],
                                  preexec_fn=limit, stdout=quiet, stderr=quiet, check=False)
        assert done.returncode == 7, done
        assert sorted(os.listdir()) == before, (how, os.listdir())


def check_interrupted_while_reading():
    reader, writer = os.pipe()
    before = sorted(os.listdir())
    process = subprocess.Popen([RWA, "train", "-", "--out", "out"], stdin=reader,
                               stderr=subprocess.DEVNULL)
    os.write(writer, b"id,u,y\n")
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == -signal.SIGINT
    os.close(reader)
    os.close(writer)
    assert sorted(os.listdir()) == before, os.listdir()


def remnants():
    return sorted(str(file) for file in pathlib.Path().rglob(".rwa-*"))


def check_remnants():
    """Of a run that is finished, of several runs, and beside a state."""
    train = ["train", "waves.csv", *SMALL]
    runs = {"one": [*train, "--split", "0.2"], "folds": [*train, "--folds", "2"]}
    for out, command in runs.items():
        rwa(*command, "--out", out)
        for folder in pathlib.Path(out), *pathlib.Path(out).glob("*/"):
            if folder.is_dir():
                (folder / REMNANT).touch()
        assert remnants()
        rwa(*command, "--out", out)
        assert not remnants(), remnants()
    pathlib.Path(REMNANT).touch()
    rwa("stream", "one", "--state", "state", input="0.5,1\n")
    assert not remnants(), remnants()


def check_words():
    """Of the file system, not of the C++ library."""
    for arguments in (["train", "waves.csv", "--out", "waves.csv/run"],
                      ["train", "waves.csv", "--out", "waves.csv"],
                      ["paper", "run", "copy-100", "--out", "waves.csv"],
                      ["report", "one", "--out", "waves.csv/page.html"],
                      ["paper", "report", "one", "--out", "waves.csv/page"],
                      ["inspect", "waves.csv/model"], ["verify", "waves.csv/model"],
                      ["predict", "waves.csv/model", "waves.csv"]):
        done = subprocess.run([RWA, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode in (2, 3, 7), (arguments, done)
        assert "waves.csv" in done.stderr, (arguments, done.stderr)
        for word in ("filesystem error", "terminate", "internal"):
            assert word not in done.stderr, (arguments, done.stderr)


def check_restart():
    """A process that was just told to stop still holds the folder for a moment."""
    folder = os.open("one", os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    threading.Timer(1, lambda: os.close(folder)).start()
    more = ["--units", "4", "--every", "10", "--steps", "20"]
    done = rwa("train", "waves.csv", *more, "--split", "0.2", "--out", "one")
    assert "resuming from step 10" in done.stderr, done.stderr


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("waves.csv", "wb") as table:
            subprocess.run([sys.executable, WAVES, "class", "40"], stdout=table, check=True)
        check_failed_starts()
        check_first_file_refused()
        check_interrupted_while_reading()
        check_remnants()
        check_words()
        check_restart()


main()

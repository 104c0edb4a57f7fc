"""Small data, experiments, models and streams for the attacks."""

import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time

WAVES = pathlib.Path(__file__).resolve().parents[2] / "tests/cli/waves.py"
EXPERIMENT = """name = "long"
[task]
kind = "adding"
steps = 10
train = 200
test = 40
[network]
units = {units}
[training]
steps = {steps}
batch = 8
[evaluation]
every = 10
samples = 20
"""
RUN = "runs/long/rwa-seed1"  # the folder of that experiment's run, below where it was started
PIECE = 100  # lines that arrive at once
RUN_FILES = ("model.safetensors", "metrics.jsonl", "config.toml")


def paper_run(checkpoint_seconds=0):
    return ["paper", "run", "long.toml", "--out", "runs", "--checkpoint", str(checkpoint_seconds)]


def write_experiment(folder, steps, units=6):
    text = EXPERIMENT.format(steps=steps, units=units)
    (folder / "long.toml").write_text(text, encoding="utf-8")


def write_waves(folder, sequences=40):
    """Write waves.csv and return its rows, as lists of id, u, v and the class."""
    text = subprocess.run([sys.executable, WAVES, "class", str(sequences)], check=True,
                          capture_output=True, text=True).stdout
    (folder / "waves.csv").write_text(text, encoding="utf-8")
    return [row.split(",") for row in text.splitlines()[1:]]


def train(session, folder):
    """Write waves.csv and train a model of it, folder/model."""
    write_waves(folder)
    session.must("train", "waves.csv", "--units", "4", "--steps", "40", "--split", "0.2",
                 "--stem", "0", "--out", "model", cwd=folder)


def files_of(folder):
    return {name: (folder / name).read_bytes() for name in RUN_FILES}


class Stream:
    """Lines of several sequences for `rwa stream --id`, and the answers of an undisturbed run.

    A run that resumes from a state says on stderr after which line it goes on; one that does not
    say so must start from nothing.
    """

    GOES_ON = re.compile(r"\bline (\d[\d,]*)")

    def __init__(self, session, model, lines, ids=20):
        chance = session.chance
        self.session, self.model = session, model
        self.lines = [f"s{chance.randrange(ids)},{chance.random():.4f},{chance.random():.4f}\n"
                      for _ in range(lines)]
        self.answers = self.answer(session.folder, 0).out.splitlines()
        if len(self.answers) != lines:
            raise RuntimeError(f"{len(self.answers)} answers to {lines} lines")

    def answer(self, folder, first, end=None, state=None, seconds=0, **how):
        """Answer these lines, in a folder with the state, if one is named. They arrive over some
        seconds."""
        options = ["--state", state] if state else []
        with arriving(self.lines[first:end], seconds) as stdin:
            return self.session.rwa("stream", self.model, "--id", *options, cwd=folder,
                                    stdin=stdin, **how)

    def place(self, folder, state):
        """Return after which line a state goes on."""
        with self.session.trial() as spare:
            if (folder / state).exists():
                shutil.copy(folder / state, spare / state)
            found = self.GOES_ON.search(self.answer(spare, len(self.lines), state=state).errors)
        return int(found[1].replace(",", "")) if found else 0

    def resume(self, folder, state, first):
        """Go on after a line; return what is wrong, if anything, and how the run ended."""
        ended = self.answer(folder, first, state=state)
        if ended.status != 0:
            return "a stream does not resume", ended
        if ended.out.splitlines() != self.answers[first:]:
            return "a resumed stream has other answers than after the line that it names", ended
        return None, ended


@contextlib.contextmanager
def arriving(lines, seconds):
    """A pipe into which lines are written over some seconds. The reader closes it."""
    reader, writer = os.pipe()

    def write():
        with contextlib.suppress(BrokenPipeError), open(writer, "w", encoding="utf-8") as pipe:
            for first in range(0, len(lines), PIECE):
                pipe.write("".join(lines[first : first + PIECE]))
                pipe.flush()
                time.sleep(seconds * PIECE / len(lines))

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield reader
    finally:
        thread.join()

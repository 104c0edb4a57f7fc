"""Damages files by a flipped bit or a lost end: they are refused, or change no answer."""

import dataclasses
import os
import pathlib
import shutil
import signal
import time
from collections.abc import Callable

import samples
from session import Strike

WHAT = "a bit flipped, the end cut off: model, state, run folder"
STEPS = 400


@dataclasses.dataclass
class Victim:
    """A file, in a folder where a command answers from it."""

    folder: pathlib.Path
    file: str
    command: list
    answer: Callable  # makes of the ended command and the folder what must not change
    status: int  # with which it is refused
    named: str  # by the message
    stdin: str | None = None
    expected: dict | None = None

    def run(self, session, folder):
        given = folder / self.stdin if self.stdin else None
        return session.rwa(*self.command, cwd=folder, stdin=given)


def printed(ended, _):
    return {"answers": ended.out}


def trained(_, folder):
    return samples.files_of(folder / samples.RUN)


def trained_but_configuration(_, folder):
    """Another letter case or a comment is the same configuration, and stays."""
    return {name: content for name, content in trained(_, folder).items() if name != "config.toml"}


def damage(chance, file):
    content = bytearray(file.read_bytes())
    at = chance.randrange(len(content))
    if chance.random() < 0.2:
        del content[at:]
    else:
        content[at] ^= 1 << chance.randrange(8)
    file.write_bytes(content)


def with_state(session, folder):
    """Write the state of a stream and the lines that follow."""
    stream = samples.Stream(session, folder / "model", 60)
    stream.answer(folder, 0, 30, state="state")
    (folder / "rest.txt").write_text("".join(stream.lines[30:]), encoding="utf-8")


def with_run(session, folder):
    """Write a run that was stopped early."""
    samples.write_experiment(folder, STEPS)

    checkpoint = folder / samples.RUN / "checkpoint.safetensors"

    def stop(process):
        while not checkpoint.exists() and session.seconds_left() > 0:
            time.sleep(0.001)
        os.kill(process.pid, signal.SIGTERM)

    session.rwa(*samples.paper_run(), cwd=folder, strike=Strike(0, stop))


def victims(session):
    folders = {name: session.folder / name for name in ("predicts", "streams", "resumes")}
    folders["predicts"].mkdir()
    samples.train(session, folders["predicts"])
    shutil.copytree(folders["predicts"], folders["streams"])
    with_state(session, folders["streams"])
    folders["resumes"].mkdir()
    with_run(session, folders["resumes"])
    yield Victim(folders["predicts"], "model/model.safetensors",
                 ["predict", "model/model.safetensors", "waves.csv"], printed, 4,
                 "model/model.safetensors:")
    yield Victim(folders["streams"], "state",
                 ["stream", "model", "--id", "--state", "state"], printed, 4, "state:", "rest.txt")
    for name, status in (("checkpoint.safetensors", 4), ("run.json", 3), ("metrics.jsonl", 3)):
        file = f"{samples.RUN}/{name}"
        yield Victim(folders["resumes"], file, samples.paper_run(60), trained, status, f"{file}:")
    # A configuration that is still valid makes it the folder of another experiment.
    yield Victim(folders["resumes"], f"{samples.RUN}/config.toml", samples.paper_run(60),
                 trained_but_configuration, 2, samples.RUN)


def try_damage(session, victim):
    with session.trial(victim.folder) as folder:
        damage(session.chance, folder / victim.file)
        ended = victim.run(session, folder)
        name = pathlib.Path(victim.file).name
        if ended.is_refusal([victim.status], victim.named):
            session.tally.refused += 1
        elif ended.status != 0:
            session.find(f"damaged {name}: another end", ended, folder)
        elif other := differing(victim.answer(ended, folder), victim.expected):
            session.find(f"damaged {name}: undetected, other {other}", ended, folder)
        else:
            session.tally.exact += 1


def differing(found, expected):
    return ", ".join(name for name in expected if found[name] != expected[name])


def attack(session):
    every = list(victims(session))
    for victim in every:
        with session.trial(victim.folder) as folder:
            victim.expected = victim.answer(victim.run(session, folder), folder)
    while True:
        for victim in every:
            try_damage(session, victim)

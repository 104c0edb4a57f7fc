"""Lets the disk run full at a random size under whatever writes files."""

import contextlib
import dataclasses
import os
import re
import resource
import shutil
import subprocess

import samples
from session import limited, unfinished_in

WHAT = "a disk that runs full, then has room: train, predict, stream, report, export"
ROOM = 64 << 20
REASON = re.compile(r"No space left on device|File too large|disk (is )?full|no space", re.I)
OLD = b"old\n"


class Tmpfs:
    """A file system of a given size."""

    def __init__(self, folder, size):
        self.folder = folder
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "rwa-attack", folder],
                       check=True, capture_output=True)

    def limits(self):
        return {}

    def free(self):
        subprocess.run(["mount", "-o", f"remount,size={ROOM}", self.folder], check=True)

    def remove(self):
        subprocess.run(["umount", "--lazy", self.folder], check=True)


class ShortFiles:
    """Without the right to mount: no file may be longer than the size."""

    def __init__(self, folder, size):
        self.folder, self.size = folder, size

    def limits(self):
        return {"before": limited(resource.RLIMIT_FSIZE, self.size), "out": os.devnull}

    def free(self):
        self.size = resource.RLIM_INFINITY

    def remove(self):
        for entry in self.folder.iterdir():
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()


@dataclasses.dataclass
class Writer:
    """A command that writes files, in the folder `disk`."""

    command: list
    files: list
    replaces: bool = True  # it may find an older file there
    expected: list | None = None

    def read(self, folder):
        return [(folder / file).read_bytes() if (folder / file).exists() else None
                for file in self.files]


WRITERS = [
    Writer(["train", "waves.csv", "--units", "4", "--steps", "40", "--every", "10", "--split",
            "0.2", "--stem", "0", "--out", "disk/run"],
           [f"disk/run/{name}" for name in samples.RUN_FILES], replaces=False),
    Writer(["paper", "run", "long.toml", "--checkpoint", "0", "--out", "disk/runs"],
           [f"disk/{samples.RUN}/{name}" for name in samples.RUN_FILES], replaces=False),
    Writer(["predict", "model", "waves.csv", "--out", "disk/p.csv"], ["disk/p.csv"]),
    Writer(["report", "model", "--out", "disk/page.html"], ["disk/page.html"]),
    Writer(["export", "model", "--onnx", "disk/m.onnx"], ["disk/m.onnx"]),
    Writer(["export", "model", "--torch", "disk/m.py"], ["disk/m.py", "disk/m.safetensors"],
           replaces=False),
]


@contextlib.contextmanager
def disk(kind, folder, size):
    made = kind(folder, size)
    try:
        yield made
    finally:
        made.remove()


def kind_of_disk(folder):
    try:
        with disk(Tmpfs, folder, ROOM):
            return Tmpfs
    except (OSError, subprocess.CalledProcessError):
        return ShortFiles


def size_for(session, needed):
    page = os.sysconf("SC_PAGE_SIZE")
    return session.chance.randrange(page, max(needed, 2 * page) + 2 * page, page // 4)


def what_is_wrong(ended, folder, name):
    """How a run on a full disk ended otherwise than it should."""
    if ended.status != 7:
        return "a full disk: another status"
    if name not in ended.errors or not REASON.search(ended.errors):
        return "a full disk: file and reason are not named"
    if unfinished_in(folder):
        return "a full disk: temporary files are left"
    return None


def fill(session, kind, writer):
    folder = session.folder
    needed = sum(len(content) for content in writer.expected)
    with disk(kind, folder / "disk", size_for(session, needed)) as full:
        before = [OLD if writer.replaces else None for _ in writer.files]
        for file, content in zip(writer.files, before):
            if content:
                (folder / file).write_bytes(content)
        ended = session.rwa(*writer.command, **full.limits())
        if ended.status != 0:
            wrong = what_is_wrong(ended, folder, "rwa: disk/")
            if not wrong and writer.replaces and writer.read(folder) != before:
                wrong = "a full disk: the old file is lost"
            if wrong:
                session.find(f"{wrong} ({writer.command[0]})", ended, folder / "disk")
                return
            session.tally.refused += 1
            full.free()
            ended = session.rwa(*writer.command)
        if ended.status != 0 or writer.read(folder) != writer.expected:
            session.find(f"after a full disk: other files ({writer.command[0]})", ended,
                         folder / "disk")
        else:
            session.tally.exact += 1


def fill_under_stream(session, kind, stream):
    """The state grows with every new id until the disk is full."""
    folder = session.folder / "disk"
    with disk(kind, folder, size_for(session, 1 << 14)) as full:
        ended = stream.answer(folder, 0, state="state", **full.limits())
        if ended.status != 0:
            wrong = what_is_wrong(ended, folder, "rwa: state:")
            if wrong:
                session.find(f"{wrong} (stream)", ended, folder)
                return
            session.tally.refused += 1
        full.free()
        wrong, ended = stream.resume(folder, "state", stream.place(folder, "state"))
        if wrong:
            session.find(f"after a full disk: {wrong}", ended, folder)
        else:
            session.tally.exact += 1


def attack(session):
    folder = session.folder
    (folder / "disk").mkdir()
    samples.train(session, folder)
    samples.write_experiment(folder, 60)
    kind = kind_of_disk(folder / "disk")
    if kind is ShortFiles:
        session.tally.note = "no right to mount: files of limited length instead"
    for writer in WRITERS:
        with disk(kind, folder / "disk", ROOM):
            session.must(*writer.command)
            writer.expected = writer.read(folder)
    stream = samples.Stream(session, folder / "model", 2000, ids=200)
    while True:
        for writer in WRITERS:
            fill(session, kind, writer)
        fill_under_stream(session, kind, stream)

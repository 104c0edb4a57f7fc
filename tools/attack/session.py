"""What every attack uses: folders, a random generator, a time limit, a tally, and runs of the
program that leave no process behind."""

import collections
import contextlib
import dataclasses
import os
import pathlib
import resource
import select
import shlex
import shutil
import signal
import subprocess
import tempfile
import time

TIME_LIMIT = 120  # seconds, for busy machines; a run that has not ended by then never will
# What this process holds counts into the memory that a child is measured with.
LONGEST_OUTPUT = 16 << 20
KEPT_KINDS, KEPT_OF_A_KIND = 30, 2  # findings of each attack whose inputs are copied


class OutOfTime(Exception):
    """The time of this attack is over; the trial that was cut off does not count."""


class Skipped(Exception):
    """This attack cannot be made here."""


@dataclasses.dataclass
class Ended:
    """How a run of the program ended."""

    command: list
    status: int  # of a signal: its negative number
    timed_out: bool
    peak: int  # bytes of memory
    out: bytes
    errors: str

    def is_refusal(self, statuses, named):
        """Whether it ended with one of these statuses and a message that begins with a name."""
        return (not self.timed_out and self.status in statuses
                and f"rwa: {named}" in self.errors)

    def __str__(self):
        if self.timed_out:
            return "did not end"
        last = (self.errors.strip().splitlines() or ["no message"])[-1]
        return f"status {self.status}: {last[:200]}"


@dataclasses.dataclass
class Tally:
    runs: int = 0
    refused: int = 0
    exact: int = 0
    findings: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    first: dict = dataclasses.field(default_factory=dict)  # of each finding: how it ended
    untried: str = ""  # what there was no time for
    note: str = ""


class Strike:
    """Something that happens to a process after some seconds, such as a signal. It may not wait for
    the process, whose use of memory is still to be read."""

    def __init__(self, after, act):
        self.after, self.act = after, act

    @staticmethod
    def signal(after, number):
        return Strike(after, lambda process: os.kill(process.pid, number))


def limited(kind, value):
    """Return a function that limits a resource, for a child to call before it is the program."""

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a write then fails, as on a full disk
        resource.setrlimit(kind, (value, value))

    return limit


class Session:
    """An attack of one kind."""

    def __init__(self, program, folder, chance, deadline, kept):
        self.program, self.folder, self.chance = program, folder, chance
        self.deadline, self.kept = deadline, kept
        self.tally = Tally()

    def seconds_left(self):
        return self.deadline - time.monotonic()

    def rwa(self, *arguments, **how):
        return self.run([self.program, *arguments], **how)

    def run(self, command, cwd=None, stdin=None, out=None, strike=None, before=None,
            limit=TIME_LIMIT):
        """Run a command to its end. Raise OutOfTime if this attack's time ends before.

        stdin is a path or a descriptor, which is closed. out is a device that gets stdout.
        """
        command = [str(part) for part in command]
        with contextlib.ExitStack() as stack:
            given = stack.enter_context(open(os.devnull if stdin is None else stdin, "rb"))
            out = stack.enter_context(open(out, "r+b") if out else
                                      tempfile.TemporaryFile(dir=self.folder))
            errors = stack.enter_context(tempfile.TemporaryFile(dir=self.folder))
            process = subprocess.Popen(command, cwd=cwd or self.folder, stdin=given, stdout=out,
                                       stderr=errors, start_new_session=True, preexec_fn=before)
            status, peak, timed_out = self._wait(process, strike, limit)
            self.tally.runs += 1
            return Ended(command, status, timed_out, peak, _content(out),
                         _content(errors).decode("utf-8", "replace"))

    def _wait(self, process, strike, limit):
        """Return the exit status, the peak of memory, and whether the time limit was passed."""
        handle = os.pidfd_open(process.pid)
        try:
            if strike and not _has_ended(handle, min(strike.after, self.seconds_left())):
                strike.act(process)
            ended = _has_ended(handle, min(limit, self.seconds_left()))
        finally:
            os.close(handle)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if not ended and self.seconds_left() <= 0:
            raise OutOfTime
        return process.returncode, usage.ru_maxrss * 1024, not ended

    def must(self, *arguments, **how):
        """Run the program undisturbed; it must succeed."""
        ended = self.rwa(*arguments, **how)
        if ended.status != 0:
            raise RuntimeError(f"{shlex.join(ended.command)}: {ended}")
        return ended

    def find(self, what, ended, *files):
        """Count a finding; keep its command, how it ended, and its files."""
        self.tally.findings[what] += 1
        self.tally.first.setdefault(what, str(ended).replace(f"{self.folder}/", ""))
        kind, number = list(self.tally.first).index(what) + 1, self.tally.findings[what]
        if kind > KEPT_KINDS or number > KEPT_OF_A_KIND:
            return
        folder = self.kept.with_name(f"{self.kept.name}-{kind}-{number}")
        folder.mkdir(parents=True)
        (folder / "finding.txt").write_text(
            f"{what}\n{shlex.join(ended.command)}\n{ended}\n{ended.errors}", encoding="utf-8")
        for file in files:
            copy = shutil.copytree if file.is_dir() else shutil.copy
            if file.exists():
                copy(file, folder / file.name)

    @contextlib.contextmanager
    def trial(self, start=None):
        """A folder for one trial, with a copy of `start`."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="trial-", dir=self.folder))
        try:
            if start:
                shutil.copytree(start, folder, dirs_exist_ok=True)
            yield folder
        finally:
            shutil.rmtree(folder)


def _has_ended(handle, seconds):
    return bool(select.select([handle], [], [], max(0, seconds))[0])


def _content(file):
    file.seek(0)
    return file.read(LONGEST_OUTPUT)


def end_processes_in(folder):
    """Kill the processes that work in this folder, such as ranks that lost their mpirun."""
    for entry in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and (entry / "cwd").resolve().is_relative_to(folder):
                os.kill(int(entry.name), signal.SIGKILL)


def unfinished_in(folder):
    """Return the names of temporary files that were left."""
    return sorted(file.name for file in folder.rglob(".rwa-*.tmp"))

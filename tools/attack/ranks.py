"""Kills or stops one of several MPI ranks: the others end, and the checkpoint goes on exactly."""

import contextlib
import os
import pathlib
import shutil
import signal
import sys
import time

import samples
from session import Skipped, Strike, end_processes_in, unfinished_in

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests/support"))
from launcher import ENVIRONMENT, ranks_of  # noqa: E402

WHAT = "one of 2 or 3 MPI ranks killed or stopped; resume"
STEPS = 1500
SILENCE = 30  # seconds after which a rank that does not answer is given up
PATIENCE = 60


def mpirun(session, ranks, folder, strike=None):
    command = ["mpirun", "-n", str(ranks), session.program, *samples.paper_run(), "--threads", "1"]
    try:
        return session.run(command, cwd=folder, strike=strike, limit=PATIENCE)
    finally:
        end_processes_in(folder)


class Blow(Strike):
    """A signal to one of the ranks, if there are any: they may not have started, or have ended."""

    def __init__(self, session, after, number):
        super().__init__(after, self._hit_one)
        self.session, self.number, self.has_hit = session, number, False

    def _hit_one(self, process):
        ranks = ranks_of(process, self.session.program)
        with contextlib.suppress(IndexError, ProcessLookupError):
            os.kill(self.session.chance.choice(ranks), self.number)
            self.has_hit = True


def lose_one(session, start, whole, seconds, number):
    ranks = session.chance.choice((2, 3))
    with session.trial(start) as folder:
        blow = Blow(session, session.chance.uniform(0.1, 1) * seconds, number)
        ended = mpirun(session, ranks, folder, blow)
        if not blow.has_hit:
            if ended.status != 0:
                session.find("a job fails that lost no rank", ended, folder)
            return
        if ended.timed_out or not ended.errors:
            session.find("a job that lost a rank does not end with a message", ended, folder)
            return
        session.tally.refused += ended.status != 0
        ended = session.rwa(*samples.paper_run(60), cwd=folder)
        if ended.status != 0 or samples.files_of(folder / samples.RUN) != whole:
            session.find("a job that lost a rank does not resume exactly", ended, folder)
        elif unfinished_in(folder):
            session.find("temporary files are left", ended, folder)
        else:
            session.tally.exact += 1


def attack(session):
    if not shutil.which("mpirun"):
        raise Skipped("there is no mpirun")
    # What a killed mpirun leaves stays in this folder.
    os.environ.update(ENVIRONMENT, OMPI_MCA_orte_tmpdir_base=str(session.folder),
                      OMPI_MCA_btl_vader_backing_directory=str(session.folder))
    start = session.folder / "start"
    start.mkdir()
    samples.write_experiment(start, STEPS)
    with session.trial(start) as folder:
        session.must(*samples.paper_run(), cwd=folder)
        whole = samples.files_of(folder / samples.RUN)
    with session.trial(start) as folder:
        begin = time.monotonic()
        ended = mpirun(session, 2, folder)
        seconds = time.monotonic() - begin
        if ended.status != 0:
            raise Skipped(f"mpirun does not start it: {ended}")
        if samples.files_of(folder / samples.RUN) != whole:
            session.find("two ranks have other bits than one process", ended, folder)
    while True:
        lose_one(session, start, whole, seconds, signal.SIGKILL)
        if session.seconds_left() > 2 * SILENCE:
            lose_one(session, start, whole, seconds, signal.SIGSTOP)

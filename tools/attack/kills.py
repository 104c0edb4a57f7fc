"""Kills and interrupts training and streams at random moments, and resumes them to the end."""

import signal
import time

import samples
from session import Strike, unfinished_in

WHAT = "SIGKILL and SIGTERM at random moments; resume"
STEPS = 1500
LINES = 20000
STREAM_SECONDS = 10  # at most, in which the lines of a stream arrive
# What a killed stream may lose: the lines of a few intervals between two saves of its state, and
# those that had arrived at once.
LOST_SECONDS = 3
LOST_LINES = 4000  # a full pipe
RESUMABLE = 6  # the exit status of a run that was interrupted with a checkpoint


class Training:
    """A command that trains in a folder, and the run folder that it writes."""

    def __init__(self, session, start, command, run):
        self.session, self.start, self.command, self.run = session, start, command, run
        begin = time.monotonic()
        with session.trial(start) as folder:
            session.must(*command, cwd=folder)
            self.whole = samples.files_of(folder / run)
        self.seconds = time.monotonic() - begin

    def repeat_until_done(self, number):
        """Send the signal to each run, until one finishes, and compare that with the whole one."""
        session = self.session
        with session.trial(self.start) as folder:
            ended = self.disturb(number, folder, 0)
            strikes = 0
            while ended.status in (-number, RESUMABLE if number == signal.SIGTERM else -number):
                strikes += 1
                ended = self.disturb(number, folder, strikes)
            if ended.status != 0:
                session.find("a killed run does not resume", ended, folder)
            elif samples.files_of(folder / self.run) != self.whole:
                session.find("a resumed run is not the undisturbed one", ended, folder)
            elif unfinished_in(folder):
                session.find("temporary files are left", ended, folder)
            else:
                session.tally.exact += strikes

    def disturb(self, number, folder, strikes):
        # Increasingly late, so that a run finishes at last.
        after = self.session.chance.uniform(0, self.seconds * (0.5 + 0.05 * strikes))
        return self.session.rwa(*self.command, cwd=folder, strike=Strike.signal(after, number))


def trainings(session):
    start = session.folder / "start"
    start.mkdir()
    samples.write_experiment(start, STEPS)
    samples.write_waves(start)
    for seconds in (0, 0.01, 60):
        yield Training(session, start, samples.paper_run(seconds), samples.RUN)
    train = ["train", "waves.csv", "--units", "6", "--steps", STEPS, "--every", "10", "--patience",
             "0", "--split", "0.2", "--stem", "0", "--out", "run"]
    yield Training(session, start, train, "run")


def interrupt_stream(session, stream, number):
    seconds = session.chance.uniform(0.2, STREAM_SECONDS)
    with session.trial() as folder:
        strike = Strike.signal(session.chance.uniform(0, seconds), number)
        ended = stream.answer(folder, 0, state="state", seconds=seconds, strike=strike)
        if ended.status not in (0, -number, RESUMABLE):
            session.find("an interrupted stream has another status", ended, folder)
            return
        first, answered = stream.place(folder, "state"), ended.out.count(b"\n")
        was_killed = ended.status == -signal.SIGKILL
        may_lose = LOST_LINES + LOST_SECONDS * LINES / seconds if was_killed else 0
        if not 0 <= answered - first <= may_lose:
            session.find("an interrupted stream does not go on after its last answer", ended,
                         folder)
            return
        wrong, ended = stream.resume(folder, "state", first)
        if wrong:
            session.find(wrong, ended, folder)
        else:
            session.tally.exact += 1


def attack(session):
    samples.train(session, session.folder)
    stream = samples.Stream(session, session.folder / "model", LINES)
    disturbed = list(trainings(session))
    while True:
        for number in (signal.SIGKILL, signal.SIGTERM):
            session.chance.choice(disturbed).repeat_until_done(number)
            interrupt_stream(session, stream, number)

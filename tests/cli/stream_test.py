#!/usr/bin/env python3
"""Tests the command `rwa stream`: it answers each line before it reads the next, through a pipe and
a pseudo-terminal; several streams by id; a state that survives every kind of end.

    tests/cli/stream_test.py PATH_OF_RWA
"""
import contextlib
import json
import os
import pathlib
import pty
import re
import resource
import select
import signal
import subprocess
import sys
import tempfile
import termios
import time

RWA = os.path.abspath(sys.argv[1])
WAVES = pathlib.Path(__file__).resolve().with_name("waves.py")
PATIENCE = 60  # seconds, for busy machines; an answer that waits for the next line never comes


def run(*arguments, text=None, code=0):
    done = subprocess.run([RWA, *arguments], input=text, capture_output=True, text=True,
                          check=False)
    assert done.returncode == code, (arguments, done)
    return done


class Stream:
    """A process that is sent one line at a time."""

    def __init__(self, *arguments, terminal=False, before=None):
        self.answers = b""
        if terminal:
            self.asking, slave = pty.openpty()
            settings = termios.tcgetattr(slave)
            settings[3] &= ~termios.ECHO
            termios.tcsetattr(slave, termios.TCSANOW, settings)
        else:
            slave, self.asking = os.pipe()
        self.process = subprocess.Popen([RWA, "stream", *arguments], stdin=slave,
                                        stdout=slave if terminal else subprocess.PIPE,
                                        stderr=subprocess.PIPE, preexec_fn=before)
        os.close(slave)
        self.listening = self.asking if terminal else self.process.stdout.fileno()

    def say(self, line):
        os.write(self.asking, line.encode() + b"\n")

    def hear(self):
        while b"\n" not in self.answers:
            ready, _, _ = select.select([self.listening], [], [], PATIENCE)
            assert ready, "no answer before the next line"
            piece = os.read(self.listening, 65536)
            assert piece, "the end instead of an answer"
            self.answers += piece
        line, self.answers = self.answers.split(b"\n", 1)
        return line.decode().rstrip("\r")

    def ask(self, line):
        self.say(line)
        return self.hear()

    def end(self):
        os.close(self.asking)
        return self.wait()

    def wait(self):
        errors = self.process.stderr.read().decode()
        return self.process.wait(PATIENCE), errors


def train(table, out, *options):
    run("train", table, "--out", out, "--seed", "1", "--epochs", "1", "--units", "8", *options)


def table_of(kind, sequences):
    text = subprocess.run([sys.executable, WAVES, kind, str(sequences)], capture_output=True,
                          text=True, check=True).stdout
    pathlib.Path(f"{kind}.csv").write_text(text, encoding="utf-8")
    return [line.split(",") for line in text.splitlines()]


def check_equals_predict(kind, per_step):
    """The answer after the last step, or after each step, equals the row of `rwa predict`."""
    rows = table_of(kind, 12)
    options = {"forecast": ["--task", "next-step"], "numbers": ["--target", "period"]}
    train(f"{kind}.csv", kind, *options.get(kind, []))
    predicted = [row.split(",") for row in run("predict", kind, f"{kind}.csv").stdout.splitlines()]
    lines = "\n".join(",".join(row[:3]) for row in rows) + "\n"
    said = [row.split(",") for row in run("stream", kind, "--id", text=lines).stdout.splitlines()]
    if per_step:
        assert [row[:1] + row[2:] for row in predicted] == said, kind
    else:
        last = {row[0]: row for row in said}
        assert list(last.values()) == predicted, kind


def check_answers_at_once(terminal):
    stream = Stream("class", terminal=terminal)
    expected = run("stream", "class", text="u,v\n0.5,1\n0.25,2\n\n0.5,1\n").stdout.splitlines()
    assert stream.ask("u,v") == expected[0]
    assert stream.ask("0.5,1") == expected[1]
    assert stream.ask("0.25 2") == expected[2]
    stream.say("")  # ends the sequence, and has no answer
    assert stream.ask("0.5\t1") == expected[1] == expected[3]
    assert stream.end()[0] == 0 or terminal  # closing a terminal may send SIGHUP


def check_several():
    stream = Stream("class", "--id")
    alone = run("stream", "class", text="0.5,1\n0.25,2\n").stdout.splitlines()
    assert stream.ask("a,0.5,1") == "a," + alone[0]
    assert stream.ask("b,0.5,1") == "b," + alone[0]
    assert stream.ask("a,0.25,2") == "a," + alone[1]
    stream.say("a")
    assert stream.ask("a,0.5,1") == "a," + alone[0]
    assert stream.ask("b,0.25,2") == "b," + alone[1]
    assert stream.end() == (0, "")


def check_json():
    stream = Stream("class", "--json")
    plain = run("stream", "class", text="u,v\n0.5,1\n").stdout.splitlines()
    answer = json.loads(stream.ask('{"id": "a", "x": [0.5, 1]}'))
    fields = dict(zip(plain[0].split(","), plain[1].split(",")))
    assert answer["id"] == "a" and answer["prediction"] == fields["prediction"], answer
    for label, p in answer["probabilities"].items():
        assert p == float(fields["p_" + label]), answer
    assert stream.end() == (0, "")


LINES = ["a,0.5,1", "b,1,0", "a,0.25,2", "b,0,0", "a,0,-1"]


def check_state(end, first=3):
    """The second half resumes from the first, however that ends."""
    whole = run("stream", "class", "--id", text="\n".join(LINES) + "\n").stdout.splitlines()
    pathlib.Path("state").unlink(missing_ok=True)
    stream = Stream("class", "--id", "--state", "state")
    halves = [stream.ask(line) for line in LINES[:first]]
    if end == "input":
        assert stream.end() == (0, "")
    elif end == "bad line":
        stream.say("a,1")
        code, message = stream.wait()
        expected = "stdin:4: found 1 number, expected 2: u, v"
        assert code == 3 and expected in message, (code, message)
    else:
        stream.process.send_signal(end)
        code, message = stream.wait()
        assert code == 6 and "resume from state" in message, (code, message)
    halves += run("stream", "class", "--id", "--state", "state",
                  text="\n".join(LINES[first:]) + "\n").stdout.splitlines()
    assert halves == whole, (end, halves, whole)


def check_killed():
    """The next run says after which line it goes on, and it does."""
    whole = run("stream", "class", "--id", text="\n".join(LINES) + "\n").stdout.splitlines()
    stream = Stream("class", "--id", "--state", "killed")
    assert [stream.ask(line) for line in LINES[:3]] == whole[:3]
    deadline = time.monotonic() + PATIENCE
    while b'"lines":"3"' not in pathlib.Path("killed").read_bytes():
        assert time.monotonic() < deadline, "the state was not saved"
        time.sleep(0.05)
    stream.ask(LINES[3])
    stream.process.kill()
    stream.wait()
    done = run("stream", "class", "--id", "--state", "killed", text="\n".join(LINES[3:]) + "\n")
    assert "going on with 2 unfinished sequences, saved after line 3 " in done.stderr, done
    assert "the last run was killed" in done.stderr, done
    assert done.stdout.splitlines() == whole[3:], done
    done = run("stream", "class", "--id", "--state", "killed", text="")
    assert "going on" in done.stderr and "killed;" not in done.stderr, done


def saved_lines(state):
    found = re.search(rb'"lines":"([0-9]+)"', pathlib.Path(state).read_bytes())
    return int(found[1])


def check_slow():
    """A model that takes long is saved between lines, not only when no line waits."""
    run("train", "class.csv", "--out", "slow", "--steps", "1", "--units", "1000", "--layers", "2",
        "--stem", "none", "--split", "0.2")
    pathlib.Path("rows").write_text("0.5,1\n" * 10_000, encoding="ascii")  # less than one read
    with open("rows", "rb") as rows, subprocess.Popen(
            [RWA, "stream", "slow", "--state", "slow-state"], stdin=rows,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        while not pathlib.Path("slow-state").exists() or saved_lines("slow-state") == 0:
            assert process.poll() is None, "no state before the end"
            time.sleep(0.02)
        process.kill()
    assert 0 < saved_lines("slow-state") < 10_000, saved_lines("slow-state")


def check_not_written():
    """An answer that nobody got is not counted."""
    with open("/dev/full", "wb") as full:
        done = subprocess.run([RWA, "stream", "class", "--state", "unheard"], input=b"0.5,1\n",
                              stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 7 and b"standard output: cannot write" in done.stderr, done
    assert saved_lines("unheard") == 0


def check_full_disk():
    """A state that outgrows the disk on the way: the message says what is kept, and it is."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))

    lines = [f"{i},0.5,1" for i in range(5000)]
    whole = run("stream", "class", "--id", text="\n".join([*lines, "3,1,1"]) + "\n").stdout
    stream = Stream("class", "--id", "--state", "full", before=limit)
    for line in lines[:10]:
        stream.ask(line)
    while saved_lines("full") < 10:
        time.sleep(0.02)
    with contextlib.suppress(BrokenPipeError, AssertionError):  # if it ends before the last line
        for line in lines[10:]:
            stream.ask(line)
    code, message = stream.wait()
    kept = saved_lines("full")
    assert code == 7 and "full: cannot write: File too large" in message, (code, message)
    assert f"the state in the file is that after line {kept:,}" in message, (kept, message)
    done = run("stream", "class", "--id", "--state", "full",
               text="\n".join([*lines[kept:], "3,1,1"]) + "\n")
    assert f"saved after line {kept:,} " in done.stderr, done.stderr
    assert done.stdout.splitlines() == whole.splitlines()[kept:]


def check_shared():
    """Two runs never save to one file."""
    first = Stream("class", "--state", "shared")
    answer = first.ask("0.5,1")
    done = run("stream", "class", "--state", "shared", text="0.5,1\n", code=2)
    assert "shared: another process saves its state there" in done.stderr, done
    assert first.end()[0] == 0
    assert run("stream", "class", text="0.5,1\n").stdout == answer + "\n"


def check_header():
    """The later lines of an input have no header: its order of fields is part of the state."""
    whole = run("stream", "class", text="v,u\n0.5,1\n0.25,2\n").stdout.splitlines()
    halves = run("stream", "class", "--state", "fields", text="v,u\n0.5,1\n").stdout.splitlines()
    done = run("stream", "class", "--state", "fields", text="0.25,2\n")
    assert halves + done.stdout.splitlines() == whole, (halves, done, whole)
    assert "columns in the order of their header: v, u" in done.stderr, done


def check_many():
    """As many ids as people have, and as long."""
    lines = [f"sensor-{i},0.5,1" for i in range(100_000)] + ["x" * 1_000_000 + ",0.5,1"]
    said = run("stream", "class", "--id", "--state", "many", text="\n".join(lines) + "\n").stdout
    assert len(said.splitlines()) == len(lines)
    ends = lines[7::20_000] + lines[-1:]
    whole = run("stream", "class", "--id", text="0,0.5,1\n0,0.5,1\n").stdout.splitlines()
    done = run("stream", "class", "--id", "--state", "many", text="\n".join(ends) + "\n")
    assert "100,001 unfinished sequences, saved after line 100,001 of" in done.stderr, done.stderr[:500]
    said = [row.split(",", 1)[1] for row in done.stdout.splitlines()]
    assert said == [whole[1].split(",", 1)[1]] * len(ends), said


def check_refusals():
    done = run("stream", "class", text="0.5,1\n0.5,x\n0.5,1\n", code=3)
    assert "stdin:2:5: found \"x\", expected a number for \"v\"" in done.stderr, done
    assert len(done.stdout.splitlines()) == 1, done
    done = run("stream", "numbers", "--state", "state", text="", code=4)
    assert "found the state of another model" in done.stderr, done
    run("stream", "class", "--state", "/nowhere/state", text="0.5,1\n", code=7)
    train("class.csv", "both", "--bidirectional")
    assert "this network cannot be streamed" in run("stream", "both", text="", code=2).stderr
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([RWA, "stream", "class"], input=b"0.5,1\n", stdout=writer,
                          stderr=subprocess.PIPE, check=False)
    assert done.returncode == 141 and not done.stderr, done


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for kind in ("class", "numbers", "step", "forecast"):
            check_equals_predict(kind, per_step=kind in ("step", "forecast"))
        check_answers_at_once(terminal=False)
        check_answers_at_once(terminal=True)
        check_several()
        check_json()
        for end in ("input", "bad line", signal.SIGINT, signal.SIGTERM):
            check_state(end)
        check_killed()
        check_slow()
        check_not_written()
        check_full_disk()
        check_shared()
        check_header()
        check_many()
        check_refusals()


main()

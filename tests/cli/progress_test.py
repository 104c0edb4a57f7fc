#!/usr/bin/env python3
"""The progress bar of `rwa paper run`, in pseudo-terminals of several widths.

    tests/cli/progress_test.py PATH_OF_RWA
"""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios

EXPERIMENT = """
name = "{name}"
[task]
kind = "adding"
steps = 8
train = 1000
test = 100
[network]
units = 8
[training]
steps = {steps}
"""
ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Terminal:
    """`rwa paper run` with its standard error on a pseudo-terminal."""

    def __init__(self, rwa, folder, columns, steps=8000, names=("bar",), options=(), **environment):
        files = [f"{name}.toml" for name in names]
        for name, file in zip(names, files):
            with open(os.path.join(folder, file), "w", encoding="utf-8") as stream:
                stream.write(EXPERIMENT.format(name=name, steps=steps))
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        variables = {"PATH": os.environ["PATH"], "TERM": "xterm", "LANG": "C.UTF-8", **environment}
        self.process = subprocess.Popen(
            [rwa, "paper", "run", *files, *options, "--out", tempfile.mkdtemp(dir=folder)],
            cwd=folder, stdin=slave, stdout=subprocess.DEVNULL, stderr=slave, start_new_session=True,
            # Makes it the controlling terminal, which Ctrl-C is sent from.
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0), env=variables)
        os.close(slave)
        self.text = ""

    def read(self, until=None):
        """Reads everything, or up to the first occurrence of some text."""
        while until is None or until not in self.text:
            try:
                piece = os.read(self.master, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            self.text += piece.decode()
        return self.text

    def end(self):
        self.read()
        os.close(self.master)
        return self.process.wait(timeout=60)


def bars(text):
    """The texts between the sequences that clear the line."""
    return [piece.split("\r")[0] for piece in text.split("\r\x1b[K")[1:]]


def last_bar(rwa, folder, columns):
    """Returns the last bar drawn while training, and checks the width of all bars."""
    terminal = Terminal(rwa, folder, columns)
    assert terminal.end() == 0, terminal.text
    *drawn, after = [ESCAPE.sub("", bar) for bar in bars(terminal.text)]
    assert len(drawn) >= 2, terminal.text
    assert all(len(line) < columns for line in drawn), (columns, drawn)
    assert after.strip().startswith("finished in"), ("the bar was not erased", terminal.text)
    return [line for line in drawn if "8,000/8,000" not in line][-1]


def check_widths(rwa, folder):
    numbers = ("━", "/8,000", "/s", "loss ", "test ", " MSE", "ETA ")
    wide, usual, narrow, tiny = (last_bar(rwa, folder, columns) for columns in (120, 80, 40, 8))
    assert all(part in wide for part in ("bar rwa seed 1", *numbers)), wide
    assert all(part in usual for part in numbers), usual
    assert "/8,000" in narrow and "ETA " in narrow and "loss" not in narrow, narrow
    assert tiny == "", tiny


def check_environment(rwa, folder):
    terminal = Terminal(rwa, folder, 100)
    terminal.end()
    assert "\x1b[36m" in terminal.text and "━" in terminal.text
    terminal = Terminal(rwa, folder, 100, NO_COLOR="1", LANG="C")
    terminal.end()
    assert "\x1b[36m" not in terminal.text and terminal.text.isascii() and "#" in terminal.text
    terminal = Terminal(rwa, folder, 100, TERM="dumb")
    terminal.end()
    assert "\x1b" not in terminal.text, terminal.text


def check_control_c(rwa, folder):
    terminal = Terminal(rwa, folder, 100, steps=10**6)
    terminal.read(until="ETA")
    os.write(terminal.master, b"\x03")
    assert terminal.end() == 6, terminal.text
    last = bars(terminal.text)[-1]
    assert "rwa: interrupted after step" in last, terminal.text


def check_several(rwa, folder):
    """One bar for all runs, below permanent lines that stay intact."""
    names = ("one", "two", "three")
    for columns in (120, 80, 40, 8):
        terminal = Terminal(rwa, folder, columns, names=names, options=("--jobs", "2"))
        assert terminal.end() == 0, terminal.text
        pieces = [ESCAPE.sub("", piece) for piece in re.split("\r\x1b\\[K|\r\n", terminal.text)]
        lines = [piece for piece in pieces if re.match(r"\[[123]/3\]|\w+ rwa seed 1: ", piece)]
        begun = [line for line in lines if line.startswith("[")]
        ended = [line for line in lines if line.endswith(" on the whole test set")]
        assert len(begun) == len(ended) == 3 and len(lines) == 6, terminal.text
        drawn = [piece for piece in pieces if piece and piece not in lines]
        assert all(len(piece) < columns for piece in drawn), (columns, drawn)
        if columns == 120:
            assert any("of 3 done, 2 running" in bar and "/24,000" in bar and "/s" in bar
                       and "ETA " in bar and "━" in bar for bar in drawn), drawn
        if columns == 40:
            assert any("of 3 done" in bar and "/24,000" not in bar for bar in drawn), drawn


def check_control_c_of_several(rwa, folder):
    terminal = Terminal(rwa, folder, 100, steps=10**6, names=("one", "two", "three"),
                        options=("--jobs", "2"))
    terminal.read(until="ETA")
    os.write(terminal.master, b"\x03")
    assert terminal.end() == 6, terminal.text
    last = bars(terminal.text)[-1]
    assert last.count("after step") == 2 and "rwa: interrupted" in last, terminal.text


def main():
    rwa = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        check_widths(rwa, folder)
        check_environment(rwa, folder)
        check_control_c(rwa, folder)
        check_several(rwa, folder)
        check_control_c_of_several(rwa, folder)


if __name__ == "__main__":
    main()

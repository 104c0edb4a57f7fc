"""Attacks the program: kills, damaged files, bombs, full disks, lost ranks, threads.

    tools/attack RWA [--minutes 15] [--only KIND,...] [--seed N]

Prints a table; exit status 1 if anything was found. What was found is kept in build/attack/, each
with its input and its command. Nothing else is left behind.
"""

import argparse
import os
import pathlib
import random
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

import bombs
import disks
import flips
import kills
import ranks
import threads
from session import OutOfTime, Session, Skipped, end_processes_in

KEPT = pathlib.Path(__file__).resolve().parents[2] / "build/attack"
# The shares of the time, in the order in which they are made.
ATTACKS = {
    "kills": (kills, 20),
    "flips": (flips, 15),
    "bombs": (bombs, 35),
    "disks": (disks, 10),
    "ranks": (ranks, 15),
    "threads": (threads, 5),
}
RESERVE = 2  # seconds to clean up in
MESSAGES = 20  # per attack


def arguments():
    parser = argparse.ArgumentParser(prog="attack", description=__doc__.split("\n")[0])
    parser.add_argument("program", metavar="RWA", type=pathlib.Path)
    parser.add_argument("--minutes", type=float, default=15, help="time for all [15]")
    parser.add_argument("--only", metavar="KIND,...", default=",".join(ATTACKS),
                        help="attacks to make [%(default)s]")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6),
                        help="of what is random [random]")
    given = parser.parse_args()
    given.only = given.only.split(",")
    unknown = [name for name in given.only if name not in ATTACKS]
    if unknown:
        parser.error(f"found {unknown[0]}, expected some of {', '.join(ATTACKS)}")
    given.program = given.program.resolve()
    return given


def version_of(program):
    return subprocess.run([program, "--version"], check=True, capture_output=True,
                          text=True).stdout.splitlines()[0]


def work_folder():
    """In memory if there is room: kills behave the same there, and it is faster."""
    memory = "/dev/shm"
    has_room = os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 1 << 30
    return tempfile.TemporaryDirectory(prefix="rwa-attack-", dir=memory if has_room else None)


def attack(name, given, seconds):
    """Return the tally of one attack."""
    with work_folder() as work:
        folder = pathlib.Path(work).resolve()
        chance = random.Random(f"{given.seed} {name}")
        session = Session(given.program, folder, chance, time.monotonic() + seconds, KEPT / name)
        tally = session.tally
        try:
            ATTACKS[name][0].attack(session)
        except OutOfTime:
            if untried := tally.untried or ("" if tally.exact + tally.refused else "anything"):
                tally.findings[f"no time for {untried}: use more --minutes"] += 1
        except Skipped as reason:
            tally.note = f"skipped: {reason}"
        except Exception as error:  # of the attack or the program: shown, not hidden
            traceback.print_exc()
            tally.findings[f"the attack itself failed: {error}"] += 1
        finally:
            end_processes_in(folder)
        return tally


def table(tallies):
    head = ("attack", "runs", "refused", "exact", "findings", "what is tried")
    rows = [(name, f"{t.runs:,}", f"{t.refused:,}", f"{t.exact:,}", f"{t.findings.total():,}",
             ATTACKS[name][0].WHAT + (f" ({t.note})" if t.note else ""))
            for name, t in tallies.items()]
    widths = [max(map(len, column)) for column in zip(head, *rows)]
    for row in (head, *rows):
        numbers = [cell.rjust(width) for cell, width in zip(row[1:-1], widths[1:])]
        print("  ".join([row[0].ljust(widths[0]), *numbers, row[-1]]))
    print("refused: ended with the status and the message that are meant for it\n"
          "exact: the bytes of an undisturbed run; bombs: read in the memory that is promised")


def findings(tallies):
    for name, tally in tallies.items():
        for what, count in tally.findings.most_common(MESSAGES):
            print(f"{name}: {count} × {what}: {tally.first.get(what, '')}")
        more = len(tally.findings) - MESSAGES
        if more > 0:
            print(f"{name}: and {more} more kinds of findings")
    if any(tally.findings for tally in tallies.values()):
        print(f"inputs and commands: {KEPT}")


def main():
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda sent, _: sys.exit(128 + sent))  # cleans up
    given = arguments()
    shutil.rmtree(KEPT, ignore_errors=True)
    end = time.monotonic() + given.minutes * 60 - RESERVE
    print(f"{version_of(given.program)}, {os.cpu_count()} cores, seed {given.seed}, "
          f"{given.minutes:g} minutes", flush=True)
    tallies = {}
    for number, name in enumerate(given.only):
        shares = [ATTACKS[other][1] for other in given.only[number:]]
        seconds = (end - time.monotonic()) * shares[0] / sum(shares)
        tallies[name] = tally = attack(name, given, seconds)
        print(f"{name}: {tally.runs:,} runs, {tally.findings.total():,} findings", flush=True)
    print()
    table(tallies)
    findings(tallies)
    return int(any(tally.findings for tally in tallies.values()))


if __name__ == "__main__":
    sys.exit(main())

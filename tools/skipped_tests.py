#!/usr/bin/env python3
"""Prints why tests were skipped in the last run of CTest: skipped_tests.py BUILD_FOLDER

CTest's summary counts them and names them, but does not repeat what they printed."""

import pathlib
import re
import sys

BEGINNING = re.compile(r"^\d+/\d+ Testing: (\S+)$", re.MULTILINE)


def reasons(log):
    """{reason: [test, …]} of the tests that printed a line "skipped: REASON"."""
    found = {}
    pieces = BEGINNING.split(log)
    for name, output in zip(pieces[1::2], pieces[2::2]):
        if "\nTest Failed" in output or "\nTest Passed" in output:
            continue
        reason = re.search(r"^skipped: (.*)$", output, re.MULTILINE)
        found.setdefault(reason[1] if reason else "no reason given", []).append(name)
    return found


def main():
    log = pathlib.Path(sys.argv[1], "Testing/Temporary/LastTest.log")
    for reason, names in sorted(reasons(log.read_text(errors="replace")).items()):
        print(f"skipped {len(names)}: {reason} ({', '.join(names)})")


if __name__ == "__main__":
    main()

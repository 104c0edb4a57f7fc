#!/usr/bin/env python3
"""Keeps tables in the documentation in step with the commands that make them.

    tools/docs.py update PROGRAM    run the commands and replace their tables
    tools/docs.py check PROGRAM     fail if a table is out of date, a line is too long or a link broken

PROGRAM is rwa, as in build/release/rwa. A table stands between two lines:

    <!-- made by: rwa paper report paper/results --table scoreboard -->
    <!-- end -->

The command runs in the source tree. Output that is not Markdown, such as a table of `rwa bench`,
becomes a code block.
"""

import functools
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MADE = re.compile(r"(<!-- made by: ([^\n]*) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
LINK = re.compile(r"\]\(([^)#:\s]*)(?:#([^)]*))?\)")
COLUMNS = 100


def pages():
    folders = [ROOT / name for name in ("docs", "benchmarks", "examples")]
    return [*ROOT.glob("*.md"), *(page for folder in folders for page in folder.rglob("*.md"))]


def as_markdown(output):
    """The output without the padding of its tables, or as a code block."""
    if not re.search(r"^\|", output, re.MULTILINE):
        return "\n" + "".join(f"    {line}".rstrip() + "\n" for line in output.splitlines()) + "\n"
    lines = []
    for line in output.strip().splitlines():
        if line.startswith("|"):
            line = re.sub(r"-{4,}", "---", re.sub(r" {2,}", " ", line))
        lines.append(line)
    return "\n" + "\n".join(lines) + "\n\n"


@functools.cache
def make(command, program):
    folder = os.pathsep.join([str(program.resolve().parent), os.environ["PATH"]])
    run = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=os.environ | {"PATH": folder},
    )
    if run.returncode != 0:
        sys.exit(f"{command}: {run.stderr.strip()}")
    return as_markdown(run.stdout)


def updated(text, program):
    return MADE.sub(lambda table: table[1] + make(table[2], program) + table[4], text)


def long_lines(text):
    """Numbers of lines that are too long. Tables and program output cannot be wrapped."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        fenced ^= line.startswith("```")
        is_fixed = fenced or line.startswith(("|", "    ", "<!--", "!["))
        if len(line) > COLUMNS and not is_fixed:
            yield number


def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    for heading in re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def faults(page, program):
    text = page.read_text()
    name = page.relative_to(ROOT)
    if updated(text, program) != text:
        yield f"{name}: a table is out of date: run tools/docs.py update PROGRAM"
    for number in long_lines(text):
        yield f"{name}:{number}: more than {COLUMNS} columns"
    if text.count("<!-- made by:") != len(MADE.findall(text)):
        yield f"{name}: a table has no <!-- end -->"
    for target, anchor in LINK.findall(text):
        linked = page.parent / target if target else page
        if not linked.exists():
            yield f"{name}: {target} does not exist"
        elif anchor and anchor not in anchors(linked):
            yield f"{name}: {target} has no heading for #{anchor}"


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("update", "check"):
        sys.exit(__doc__)
    program = pathlib.Path(sys.argv[2])
    if sys.argv[1] == "update":
        for page in pages():
            page.write_text(updated(page.read_text(), program))
        return
    found = [fault for page in pages() for fault in faults(page, program)]
    print("\n".join(found) or "tables, lines and links are in order")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Check that every folder includes only from folders above it; folders on one line are independent.

    tools/check_layers.py [ROOT]
"""
import pathlib
import re
import sys

LAYERS = [
    ["include/rwa"],
    ["src/base"],
    ["src/comm"],
    ["src/cells"],
    ["src/backend"],
    ["src/io"],
    ["src/formats"],
    ["src/model", "src/datasets"],
    ["src/tasks"],
    ["src/api"],
    ["src/export"],
    ["src/report"],
    ["src/training"],
    ["src/paper", "src/workflows"],
    ["src/bench"],
    ["src/c_api"],
    ["cli"],
]
# Inside src/backend, devices do not include each other, and the common interface includes none.
BACKENDS = ["src/backend/reference", "src/backend/cpu", "src/backend/cuda"]
# The program is a user of the library and may include only these parts of src/; src/base for the
# suggestions of nearest.h, src/io for the numbers and paths that are typed.
CLI_SEES = ["include/rwa", "src/base", "src/comm", "src/io", "src/export", "src/training", "src/report", "src/paper", "src/workflows", "src/bench", "cli"]


def layer_of(path, layers):
    return next((level for level, names in enumerate(layers) if any(inside(path, n) for n in names)), None)


def inside(path, folder):
    return path == folder or path.startswith(folder + "/")


def complaint(source, target):
    """Return why `source` may not include `target`, or None. Both are relative to the root."""
    top = [name for names in LAYERS for name in names]
    home = next(n for n in top if inside(source, n))
    other = next((n for n in top if inside(target, n)), None)
    if other is None:
        return "is in no layer"
    if home == "cli" and other not in CLI_SEES:
        return "may not be included by the program, only: " + ", ".join(CLI_SEES)
    if home != other and layer_of(other, LAYERS) >= layer_of(home, LAYERS):
        return "is not in a layer above it"
    if home == other == "src/backend":
        mine = next((b for b in BACKENDS if inside(source, b)), None)
        theirs = next((b for b in BACKENDS if inside(target, b)), None)
        if theirs is not None and theirs != mine:
            return "belongs to another backend"
    return None


def resolve(root, source, name):
    for base in (root / "include", root / "src", root / "cli", source.parent):
        if (base / name).is_file():
            return str((base / name).resolve().relative_to(root))
    return None


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    failures, files = [], 0
    for folder in ("include", "src", "cli"):
        for source in sorted((root / folder).rglob("*.*")):
            if source.suffix not in (".h", ".cc", ".cu", ".cuh"):
                continue
            files += 1
            here = str(source.relative_to(root))
            for number, line in enumerate(source.read_text().splitlines(), 1):
                match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
                if not match:
                    continue
                target = resolve(root, source, match.group(1))
                why = "does not exist" if target is None else complaint(here, target)
                if why:
                    failures.append(f"{here}:{number}: {match.group(1)} {why}")
    print("\n".join(failures) or f"all includes of {files} files respect the layers")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

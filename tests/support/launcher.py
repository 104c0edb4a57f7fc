"""Starts programs as several ranks, with mpirun or another launcher that takes -n RANKS PROGRAM."""

import os
import pathlib
import shutil
import subprocess

# Allows more ranks than cores, and root. Keeps UCX, which MPICH uses, from complaining on stdout
# about what a bare machine lacks.
ENVIRONMENT = dict(
    os.environ,
    OMPI_ALLOW_RUN_AS_ROOT="1",
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
    OMPI_MCA_rmaps_base_oversubscribe="1",
    OMPI_MCA_hwloc_base_binding_policy="none",
    UCX_LOG_LEVEL="fatal",
)
# A job that hangs ends within 30 seconds; one that has not ended by now never will.
TIME_LIMIT = 60


class Launcher:
    def __init__(self, command):
        self.command = command or ["mpirun"]

    def is_there(self):
        return shutil.which(self.command[0]) is not None

    def start(self, ranks, *command, cwd=None):
        return subprocess.Popen(
            [*self.command, "-n", str(ranks), *command],
            cwd=cwd,
            env=ENVIRONMENT,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )


def end(job):
    """Wait for the job; return its exit status, stdout and stderr."""
    try:
        out, errors = job.communicate(timeout=TIME_LIMIT)
    except subprocess.TimeoutExpired:
        job.terminate()  # the ranks too, unlike kill()
        raise
    return job.returncode, out, errors


def ranks_of(job, program):
    """Return the sorted process ids of the program that the job has started."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if (
                entry.name.isdigit()
                and (entry / "exe").resolve() == program
                and _is_below(entry, job)
            ):
                found.append(int(entry.name))
        except OSError:
            continue  # it has ended
    return sorted(found)


def _is_below(entry, job):
    while entry.name not in ("0", "1"):
        fields = (entry / "stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
        entry = entry.parent / fields[1]
        if entry.name == str(job.pid):
            return True
    return False

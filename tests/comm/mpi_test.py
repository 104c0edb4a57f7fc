"""Ranks over MPI: the bits of one process, and a prompt end with a message when one of them fails.

    mpi_test.py PROGRAM [LAUNCHER [ARGUMENT...]]

The launcher is mpirun, or another that takes "-n RANKS PROGRAM" after these arguments, such as
"srun --mpi=pmix". Exits with status 77 (skipped) if there is none.
"""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from launcher import ENVIRONMENT, Launcher, end  # noqa: E402

PROGRAM = sys.argv[1]
LAUNCHER = Launcher(sys.argv[2:])
# The exit status of rank_program; srun's own PMI kills the ranks before it learns of it.
STATUS = 137 if "--mpi=pmi2" in LAUNCHER.command else 4
PATIENCE = 1  # of rank_program, in seconds


def run(ranks, *arguments):
    return end(LAUNCHER.start(ranks, PROGRAM, *arguments))


def run_alone(*arguments, **environment):
    return end(
        subprocess.Popen(
            [PROGRAM, *arguments],
            env=dict(ENVIRONMENT, **environment),
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    )


class Ranks(unittest.TestCase):
    def test_train_with_the_bits_of_one_process(self):
        for ranks in (1, 2, 3, 4):
            status, out, errors = run(ranks, "train")
            self.assertEqual((status, out), (0, f"{ranks} ranks train\n"), errors)

    def test_draw_tickets_while_rank_0_computes(self):
        with tempfile.TemporaryDirectory() as folder:
            status, out, errors = run(3, "tickets", folder)
            self.assertEqual((status, out), (0, "3 ranks tickets\n"), errors)

    def test_one_that_finds_no_others_does_not_go_on_alone(self):
        status, out, errors = run_alone("compute", SLURM_STEP_NUM_TASKS="2")
        self.assertEqual((status, out), (4, ""), errors)
        self.assertIn("error: started as one of 2 ranks", errors)

    def test_one_rank_is_alone_also_where_srun_has_started_mpirun(self):
        status, out, errors = run_alone(
            "compute", OMPI_COMM_WORLD_SIZE="1", SLURM_STEP_NUM_TASKS="2"
        )
        self.assertEqual((status, out), (0, "1 ranks compute\n"), errors)

    def expect_failure(self, ranks, *arguments):
        """Run a job that fails with its own status, and return its stderr."""
        status, out, errors = run(ranks, *arguments)
        self.assertEqual(status, STATUS, errors)
        self.assertNotIn("ranks", out)
        return errors

    def test_one_message_when_one_throws(self):
        for who in ("0", "2", "all"):
            errors = self.expect_failure(3, "throw", who)
            self.assertEqual(errors.count("error: bad data"), 1, errors)

    def test_nobody_waits_for_one_that_is_killed(self):
        status, out, errors = run(3, "kill", "1")
        self.assertIn(status, (9, 137), errors)
        self.assertIn("Killed", out + errors)

    def test_nobody_waits_for_one_that_hangs(self):
        for what, who in (("stop", "0"), ("stop", "1"), ("sleep", "2"), ("sleep", "0")):
            errors = self.expect_failure(3, what, who)
            self.assertEqual(errors.count("error: rank"), 1, errors)
            self.assertIn(f"rank {who} showed no sign of work", errors)

    def test_nobody_waits_because_another_group_works(self):
        errors = self.expect_failure(4, "groups")
        self.assertIn("rank 3 showed no sign of work", errors)

    def test_one_that_computes_for_long_is_waited_for(self):
        for who in ("0", "1"):
            status, out, errors = run(3, "compute", who)
            self.assertEqual((status, out), (0, "3 ranks compute\n"), errors)

    def test_a_job_that_was_suspended_goes_on(self):
        job = LAUNCHER.start(3, PROGRAM, "suspend", "1")
        ranks = [int(job.stdout.readline()) for _ in range(3)]
        time.sleep(1)
        for pid in ranks:
            os.kill(pid, signal.SIGSTOP)
        time.sleep(3 * PATIENCE)
        for pid in ranks:
            os.kill(pid, signal.SIGCONT)
        status, out, errors = end(job)
        self.assertEqual((status, out), (0, "3 ranks suspend\n"), errors)


if __name__ == "__main__":
    if not LAUNCHER.is_there():
        print(f"skipped: there is no {LAUNCHER.command[0]}")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)

"""Runs unittest on the files given. If every test skips itself, the exit status is 77, which CTest
counts as skipped, and the reason is printed. No tests at all are a failure."""

import sys
import unittest

SKIPPED = 77


class Result(unittest.TextTestResult):
    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1


def main():
    sys.path[0] = ""  # as with python -m unittest
    runner = unittest.TextTestRunner(verbosity=2, resultclass=Result)
    program = unittest.main(
        module=None, argv=["unittest", *sys.argv[1:]], testRunner=runner, exit=False
    )
    result = program.result
    if not result.wasSuccessful():
        return 1
    if result.passed > 0:
        return 0
    if not result.skipped:
        print("found no tests")
        return 1
    print("skipped:", result.skipped[0][1])
    return SKIPPED


if __name__ == "__main__":
    sys.exit(main())

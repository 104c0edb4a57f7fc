#!/usr/bin/env python3
"""Writes a table of small sequences that a model can learn: slow and fast waves.

    tests/cli/waves.py KIND SEQUENCES > FILE     KIND: class, numbers, step, forecast, unlabelled
"""
import math
import random
import sys


def waves(kind, sequences):
    draw = random.Random(1)
    answers = {"class": ",speed", "numbers": ",period", "step": ",side"}
    print("id,u,v" + answers.get(kind, ""))
    for number in range(sequences):
        slow = number % 2 == 0
        period = draw.uniform(10, 20) if slow else draw.uniform(3, 5)
        for step in range(draw.randint(5, 15)):
            u, v = math.sin(2 * math.pi * step / period), draw.gauss(0, 1)
            answer = {"class": ",slow" if slow else ",fast", "numbers": f",{period:.3f}",
                      "step": ",up" if u > 0 else ",down"}.get(kind, "")
            print(f"w{number},{u:.4f},{v:.4f}{answer}")


if __name__ == "__main__":
    waves(sys.argv[1], int(sys.argv[2]))

#!/usr/bin/env python3
"""Hand-made strokes: positions of the pen on a sheet 400 wide and high, joined by straight lines.

    drawings.py build/release/rwa build/browser/model    count how many a model recognises

They are independent of examples/browser/strokes.py, which generates the training data.
"""
from __future__ import annotations

import argparse
import collections
import csv
import itertools
import pathlib
import random
import subprocess
import sys
from collections.abc import Iterator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples/browser"))
import strokes  # noqa: E402

SIDE = 400  # Of the sheet.

Places = list[tuple[float, float]]

DRAWINGS: dict[str, list[Places]] = {
    "line": [
        [(60, 330), (120, 270), (190, 205), (260, 130), (335, 70)],
        [(50, 200), (150, 206), (250, 203), (350, 195)],
        [(210, 60), (204, 150), (207, 240), (212, 340)],
    ],
    "circle": [
        [
            (200, 80),
            (160, 86),
            (122, 108),
            (96, 145),
            (86, 190),
            (92, 238),
            (115, 280),
            (152, 308),
            (198, 318),
            (246, 310),
            (285, 284),
            (310, 244),
            (318, 198),
            (309, 152),
            (284, 113),
            (246, 88),
            (205, 79),
        ],
        [
            (290, 160),
            (282, 200),
            (255, 232),
            (214, 246),
            (170, 238),
            (138, 212),
            (124, 176),
            (130, 138),
            (158, 108),
            (200, 98),
            (244, 106),
            (276, 130),
            (290, 165),
        ],
    ],
    "triangle": [
        [(200, 70), (262, 180), (325, 300), (200, 306), (78, 300), (140, 180), (204, 74)],
        [(90, 310), (150, 200), (205, 90), (260, 195), (320, 312), (200, 315), (95, 311)],
        [(100, 100), (310, 108), (212, 290), (104, 106)],
    ],
    "square": [
        [
            (90, 90),
            (92, 200),
            (95, 305),
            (200, 308),
            (310, 304),
            (312, 200),
            (308, 92),
            (200, 88),
            (96, 90),
        ],
        [(300, 110), (302, 290), (120, 286), (116, 112), (294, 108)],
        [(80, 130), (330, 126), (334, 290), (84, 296), (80, 138)],
    ],
    "star": [
        [(110, 330), (200, 60), (292, 326), (66, 164), (338, 158), (116, 326)],
        [(80, 150), (320, 154), (130, 310), (196, 70), (276, 312), (86, 154)],
    ],
    "heart": [
        [
            (200, 140),
            (180, 104),
            (146, 84),
            (108, 90),
            (84, 122),
            (82, 166),
            (104, 212),
            (146, 260),
            (202, 320),
            (256, 262),
            (300, 210),
            (320, 164),
            (314, 118),
            (288, 90),
            (252, 86),
            (220, 106),
            (202, 142),
        ],
        [
            (200, 130),
            (226, 96),
            (264, 86),
            (298, 108),
            (306, 152),
            (286, 206),
            (244, 256),
            (200, 300),
            (152, 252),
            (112, 204),
            (94, 152),
            (104, 106),
            (140, 84),
            (176, 98),
            (198, 128),
        ],
    ],
    "infinity": [
        [
            (200, 200),
            (240, 160),
            (286, 142),
            (326, 160),
            (340, 200),
            (324, 240),
            (284, 258),
            (240, 240),
            (200, 200),
            (160, 160),
            (116, 142),
            (76, 160),
            (60, 200),
            (76, 242),
            (118, 258),
            (160, 240),
            (198, 202),
        ],
        [
            (250, 90),
            (214, 66),
            (170, 72),
            (146, 110),
            (160, 152),
            (204, 190),
            (250, 226),
            (272, 272),
            (256, 318),
            (212, 340),
            (164, 326),
            (142, 282),
            (156, 236),
            (200, 196),
            (244, 158),
            (264, 118),
            (246, 86),
        ],
    ],
    "spiral": [
        [
            (200, 200),
            (214, 196),
            (220, 210),
            (208, 226),
            (186, 224),
            (172, 204),
            (178, 178),
            (204, 164),
            (234, 172),
            (252, 200),
            (246, 236),
            (218, 260),
            (180, 260),
            (148, 236),
            (138, 196),
            (152, 152),
            (190, 126),
            (236, 126),
            (276, 154),
            (294, 202),
            (282, 252),
            (248, 290),
            (200, 304),
        ],
        [
            (330, 200),
            (316, 266),
            (268, 314),
            (204, 326),
            (138, 302),
            (98, 250),
            (92, 188),
            (122, 132),
            (176, 104),
            (234, 112),
            (276, 150),
            (288, 204),
            (268, 252),
            (222, 274),
            (176, 260),
            (152, 220),
            (160, 178),
            (194, 158),
            (228, 172),
            (234, 206),
            (212, 224),
        ],
    ],
    "wave": [
        [
            (40, 200),
            (58, 172),
            (80, 160),
            (102, 172),
            (120, 200),
            (138, 228),
            (160, 240),
            (182, 228),
            (200, 200),
            (218, 172),
            (240, 160),
            (262, 172),
            (280, 200),
            (298, 228),
            (320, 240),
            (342, 228),
            (360, 200),
        ],
        [
            (50, 240),
            (70, 204),
            (96, 180),
            (126, 190),
            (146, 222),
            (170, 248),
            (200, 244),
            (222, 212),
            (246, 182),
            (278, 184),
            (300, 216),
            (324, 246),
            (352, 240),
        ],
    ],
    "zigzag": [
        [(50, 260), (110, 130), (160, 262), (214, 128), (262, 258), (318, 132), (360, 256)],
        [(60, 150), (120, 280), (180, 148), (240, 282), (300, 150), (350, 276)],
        [(150, 60), (270, 120), (148, 180), (272, 240), (152, 304)],
    ],
    "check": [
        [(100, 210), (130, 250), (160, 292), (220, 200), (310, 90)],
        [(120, 220), (168, 282), (230, 196), (290, 124)],
        [(80, 180), (140, 300), (330, 80)],
    ],
    "arrow": [
        [(60, 200), (200, 202), (340, 200), (276, 146), (340, 200), (274, 256)],
        [(200, 340), (202, 200), (200, 70), (150, 132), (200, 70), (254, 136)],
        [(80, 300), (200, 190), (310, 90), (242, 98), (310, 90), (300, 160)],
    ],
}


def drawn(places: Places, seed: int, pace: float) -> Places:
    """Return what a mouse reports: a position about every `pace` pixels, off by about one."""
    draw = random.Random(seed)
    points = [places[0]]
    for (x, y), (to_x, to_y) in zip(places, places[1:]):
        length = ((to_x - x) ** 2 + (to_y - y) ** 2) ** 0.5
        reports = max(1, round(length / (pace * draw.uniform(0.7, 1.3))))
        for i in range(1, reports + 1):
            points.append(
                (
                    round(x + (to_x - x) * i / reports + draw.gauss(0, 1)),
                    round(y + (to_y - y) * i / reports + draw.gauss(0, 1)),
                )
            )
    return points


def variations(shape: str) -> Iterator[Places]:
    """Yield each drawing large and small, slow and fast, and in both directions if possible."""
    ways = (1,) if shape in strokes.ONE_WAY else (1, -1)
    for places, size, pace, way in itertools.product(
        DRAWINGS[shape], (1, 0.6, 0.35), (4, 7, 12, 20), ways
    ):
        smaller = [(size * x, size * y) for x, y in places[::way]]
        yield drawn(smaller, seed=pace, pace=pace)


def main() -> None:
    parser = argparse.ArgumentParser(description="Count how many drawings a model recognises.")
    parser.add_argument("program", help="the program rwa")
    parser.add_argument("model", help="a model trained on the output of strokes.py")
    options = parser.parse_args()
    shapes, lines = [], []
    for shape in DRAWINGS:
        for places in variations(shape):
            points = [complex(x, y) / SIDE for x, y in places]
            steps = [f"{step.real},{step.imag},0" for step in strokes.follow(points)]
            lines += [f"{len(shapes)},{step}" for step in steps + ["0,0,1"]]
            shapes.append(shape)
    answers = subprocess.run(
        [options.program, "predict", options.model, "-"],
        check=True,
        input="\n".join(["id,dx,dy,up"] + lines) + "\n",
        text=True,
        stdout=subprocess.PIPE,
    ).stdout
    last = {row["id"]: row["prediction"] for row in csv.DictReader(answers.splitlines())}
    wrong = collections.Counter(
        (shape, last[str(i)]) for i, shape in enumerate(shapes) if last[str(i)] != shape
    )
    for (shape, answer), count in wrong.most_common():
        print(f"{shape} predicted as {answer}: {count}")
    print(f"{len(shapes) - sum(wrong.values())} of {len(shapes)} correct")


if __name__ == "__main__":
    main()

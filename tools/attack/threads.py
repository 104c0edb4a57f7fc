"""Trains random networks with other numbers of threads: the same bits."""

import samples

WHAT = "random networks with 1, 2, 3 and 8 threads: the same bits"
THREADS = (1, 2, 3, 8)


def settings(chance):
    cell = chance.choice(["rwa", "rwa-forget", "rwa-decay", "lstm", "gru"])
    layers = chance.choice((["--layers", 1], ["--layers", 2], ["--layers", 2, "--dropout", 0.3]))
    options = [*layers, "--cell", cell, "--units", chance.choice((3, 8, 17, 40)),
               "--readout", chance.choice(("last", "mean", "attention")),
               "--batch", chance.choice((3, 8, 20)), "--seed", chance.randrange(1000),
               "--stem", chance.choice(("0", "5", "9,3"))]
    return [*map(str, options), *(["--bidirectional"] if chance.random() < 0.4 else [])]


def attack(session):
    start = session.folder / "start"
    start.mkdir()
    samples.write_waves(start)
    while True:
        options = settings(session.chance)
        with session.trial(start) as folder:
            runs = [f"on-{threads}" for threads in THREADS]
            for run, threads in zip(runs, THREADS):
                ended = session.must("train", "waves.csv", "--steps", "20", "--every", "10",
                                     "--split", "0.2", "--threads", str(threads), *options, "--out",
                                     run, cwd=folder)
            files = [samples.files_of(folder / run) for run in runs]
            if any(other != files[0] for other in files):
                session.find("the number of threads changes bits", ended, folder)
            else:
                session.tally.exact += len(THREADS) - 1

"""Measure training over ranks on one machine and predict it for more ranks: docs/scaling.md.

    scaling.py measure RWA RANK_SUMS --ranks 1,2 --out FILE.json
    scaling.py table FILE.json      print the measurements
    scaling.py predict FILE.json    check the model and print its predictions for 8 to 512 ranks

The runs are experiments of the catalogue with other batches and almost no evaluation. All are
repeated in turn, and medians are taken. Nothing is bound to a core.
"""

import argparse
import collections
import datetime
import functools
import json
import os
import pathlib
import platform
import re
import resource
import statistics
import subprocess
import sys
import tempfile

import scaling_model

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests/support"))
import launcher  # noqa: E402

# An experiment of the catalogue, the changes to it, and the length of its sequences.
Task = collections.namedtuple("Task", "experiment changes length")
TASKS = {
    "adding-100": Task("adding-100", {}, 100),
    "copy-100": Task("copy-100", {}, 120),
    # Sequences as long as MNIST's and nearly its network, but without its files.
    "adding-784": Task("adding-100", {"task.steps": 784}, 784),
}
# `copies` concurrent processes, or one job of `ranks`.
Setup = collections.namedtuple("Setup", "task batch ranks threads copies")

FIT_BATCHES = (1, 6, 25, 100, 400)  # on one thread, to fit the model
FIT_BYTES = 1 << 20  # gradients here are half of this; larger ones leave the caches
PREDICTED_RANKS = (8, 16, 32, 64, 128, 256, 512)
PREDICTED_BATCHES = (100, 1000, 10000)
ROWS_OF_RANK = (100, 10)
ENVIRONMENT = dict(launcher.ENVIRONMENT, OMPI_MCA_hwloc_base_use_hwthreads_as_cpus="1")


# Measuring


def changed(text, changes):
    """Return an experiment's TOML with other values for the given "section.key"s."""
    section, lines, left = "", [], dict(changes)
    for line in text.splitlines():
        if heading := re.fullmatch(r"\[(.+)\]", line):
            section = heading[1] + "."
        name = section + line.split(" = ")[0]
        if name in left:
            line = f"{line.split(' = ')[0]} = {left.pop(name)}"
        lines.append(line)
    if left:
        sys.exit(f"no {', '.join(left)} in the experiment:\n{text}")
    return "\n".join(lines) + "\n"


class Bench:
    def __init__(self, rwa, rank_sums, steps, folder):
        self.rwa, self.rank_sums, self.steps = rwa, rank_sums, steps
        self.folder = pathlib.Path(folder)
        self.templates = {}

    def template(self, task):
        """Return the config.toml that the program writes for the experiment."""
        name = TASKS[task].experiment
        if name not in self.templates:
            out = self.folder / "templates"
            run([[self.rwa, "paper", "run", name, "--model", "rwa", "--steps", 1, "--out", out]])
            self.templates[name] = next(out.glob(f"{name}/*/config.toml")).read_text()
        return self.templates[name]

    def steps_of(self, setup):
        """Return a number of steps that makes all runs take about equally long."""
        rows = setup.batch / (setup.ranks * setup.threads)
        return max(10, round(self.steps * 100 / rows * 100 / TASKS[setup.task].length))

    def configure(self, setup, folder):
        changes = {
            "training.batch": setup.batch,
            "training.steps": self.steps_of(setup),
            "task.test": 1,
            "evaluation.samples": 1,
            "evaluation.every": 1_000_000,
            **TASKS[setup.task].changes,
        }
        path = folder / "config.toml"
        path.write_text(changed(self.template(setup.task), changes))
        return path

    def command(self, setup, folder):
        command = [sys.executable, __file__, "watched", folder, self.rwa, "paper", "run"]
        command += [self.configure(setup, folder), "--threads", setup.threads]
        command += ["--checkpoint", 1_000_000, "--out", folder / "out"]
        return command if setup.ranks == 1 else ["mpirun", "-n", setup.ranks, *command]

    def measure(self, setup):
        """Return seconds per step of each copy, the largest peak memory in KiB, and run.json."""
        with tempfile.TemporaryDirectory(dir=self.folder) as parent:
            folders = [pathlib.Path(parent) / str(copy) for copy in range(setup.copies)]
            for folder in folders:
                folder.mkdir()
            run([self.command(setup, folder) for folder in folders])
            seconds = [seconds_of_steps(folder) / self.steps_of(setup) for folder in folders]
            peaks = [int(path.read_text()) for path in pathlib.Path(parent).glob("*/*.peak")]
            facts = json.loads(next(folders[0].glob("out/*/*/run.json")).read_text())
        return seconds, max(peaks), facts

    def measure_sums(self, ranks):
        return json.loads(run([["mpirun", "-n", ranks, self.rank_sums]]))["sums"]


def run(commands):
    """Run commands concurrently; return the output of the first."""
    jobs = [
        subprocess.Popen(
            [str(word) for word in command],
            env=ENVIRONMENT,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for command in commands
    ]
    outputs = [job.communicate() for job in jobs]
    for job, (_, errors) in zip(jobs, outputs):
        if job.returncode != 0:
            sys.exit(f"{' '.join(job.args)}\nexited with status {job.returncode}:\n{errors}")
    return outputs[0][0]


def seconds_of_steps(folder):
    """Return the time from the first file of a run to the checkpoint after its last step.

    train_seconds would miss the communication of ranks between steps.
    """
    folder = next(folder.glob("out/*/*/run.json")).parent
    times = [(folder / name).stat().st_mtime for name in ("config.toml", "checkpoint.safetensors")]
    return times[1] - times[0]


def watched(folder, command):
    """Run a command and write its peak memory in KiB to the folder."""
    status = subprocess.run(command, check=False).returncode
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    (pathlib.Path(folder) / f"{os.getpid()}.peak").write_text(str(peak))
    sys.exit(status)


def setups_of(task, batches, ranks):
    """Return the setups of the tables and of the model, each once."""
    found = [Setup(task, batch, 1, 1, 1) for batch in FIT_BATCHES]
    for n in ranks:
        for batch in batches:
            found += [Setup(task, batch, 1, n, 1), Setup(task, batch, n, 1, 1)]
        found += [Setup(task, 100, 1, 1, n), Setup(task, 100 * n, n, 1, 1)]
    return list(dict.fromkeys(found))


def measure(options):
    if max(options.ranks) < 2:
        sys.exit(f"found {options.ranks} ranks, expected some above 1")
    cores = len(os.sched_getaffinity(0))
    if max(options.ranks) > cores and not options.oversubscribe:
        sys.exit(f"{max(options.ranks)} ranks on {cores} cores; use --oversubscribe to run anyway")
    setups = [s for task in options.tasks for s in setups_of(task, options.batch, options.ranks)]
    taken = {setup: {"seconds": [], "peak_kib": []} for setup in setups}
    parameters = {}
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.rwa, options.rank_sums, options.steps, folder)
        sums = {n: bench.measure_sums(n) for n in options.ranks if n > 1}
        for turn in range(options.repeats):
            for number, setup in enumerate(setups):
                seconds, peak, facts = bench.measure(setup)
                taken[setup]["seconds"].append(seconds)
                taken[setup]["peak_kib"].append(peak)
                parameters[setup.task] = facts["parameters"]
                done = f"{turn + 1}/{options.repeats}, {number + 1}/{len(setups)}"
                mean = 1000 * statistics.fmean(seconds)
                print(f"{done}: {setup}: {mean:.2f} ms/step", file=sys.stderr)
            write(options, taken, turn + 1, sums, parameters, facts)


def write(options, taken, repeats, sums, parameters, facts):
    """Write the results; called after every turn, so that a failure loses little."""
    result = {
        "date": datetime.date.today().isoformat(),
        "processor": facts["machine"]["processor"],
        "cores": len(os.sched_getaffinity(0)),
        "system": platform.platform(),
        "mpi": run([["mpirun", "--version"]]).splitlines()[0],
        "version": facts["version"],
        "commit": facts["commit"],
        "repeats": repeats,
        "parameters": parameters,
        "runs": [{**setup._asdict(), **numbers} for setup, numbers in taken.items()],
        "sums": sums,
    }
    pathlib.Path(options.out).write_text(json.dumps(result, indent=1) + "\n")


# What was measured


class Measured:
    def __init__(self, path):
        self.whole = json.loads(pathlib.Path(path).read_text())
        self.runs = {Setup(*(run[f] for f in Setup._fields)): run for run in self.whole["runs"]}
        self.tasks = list(self.whole["parameters"])
        self.sums = {int(n): sums for n, sums in self.whole["sums"].items()}

    def seconds(self, task, batch, ranks=1, threads=1, copies=1, of=statistics.fmean):
        """Return the median seconds per step; `of` combines several copies."""
        run = self.runs[Setup(task, batch, ranks, threads, copies)]
        return statistics.median(of(each) for each in run["seconds"])

    def peak(self, task, batch, ranks=1, threads=1):
        return statistics.median(self.runs[Setup(task, batch, ranks, threads, 1)]["peak_kib"])

    def jobs(self, task):
        """Return (batch, ranks) of all jobs with several ranks."""
        return sorted((s.batch, s.ranks) for s in self.runs if s.task == task and s.ranks > 1)

    def has_threads(self, task, batch, threads):
        return Setup(task, batch, 1, threads, 1) in self.runs


def print_table(head, rows):
    print("\n| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")


def print_machine(measured):
    w = measured.whole
    print(f"{w['cores']} cores of {w['processor']}, {w['mpi']}, nothing bound to a core;")
    print(f"medians of {w['repeats']} runs in turn, {w['date']}, commit {w['commit']}.")


def print_strong(measured):
    rows = []
    for task in measured.tasks:
        for batch, n in measured.jobs(task):
            if not measured.has_threads(task, batch, n):
                continue
            threads = measured.seconds(task, batch, threads=n)
            ranks = measured.seconds(task, batch, ranks=n)
            mib = [measured.peak(task, batch, threads=n), measured.peak(task, batch, ranks=n)]
            rows.append(
                [task, f"{batch}", f"{n}", f"{1 / threads:.2f}", f"{1 / ranks:.2f}"]
                + [f"{threads / ranks:.3f}"]
                + [f"{kib / 1024:.1f}" for kib in mib]
                + [f"{mib[1] / mib[0]:.2f}"]
            )
    head = ["", "batch", "N", "N threads, steps/s", "N ranks, steps/s", "ranks / threads"]
    print_table(head + ["process of N threads, MiB", "largest rank, MiB", "ratio"], rows)


def print_weak(measured):
    rows = []
    for task in measured.tasks:
        for batch, n in measured.jobs(task):
            if batch != 100 * n:
                continue
            alone = measured.seconds(task, 100, copies=n)
            slowest = measured.seconds(task, 100, copies=n, of=max)
            ranks = measured.seconds(task, batch, ranks=n)
            rows.append(
                [task, f"{n}"]
                + [f"{1000 * seconds:.2f}" for seconds in (alone, slowest, ranks)]
                + [f"{100 * (ranks / by - 1):+.1f} %" for by in (alone, slowest)]
            )
    head = ["", "N", "N processes, ms/step", "slowest", "N ranks", "added", "to the slowest"]
    print_table(head, rows)


def print_sums(measured):
    sizes = [entry["bytes"] for entry in next(iter(measured.sums.values()))]
    rows = [
        [f"{size:,}"] + [f"{1e6 * sums[i]['seconds']:.1f}" for sums in measured.sums.values()]
        for i, size in enumerate(sizes)
    ]
    print_table(["bytes"] + [f"{n} ranks, µs" for n in measured.sums], rows)


def print_tables(options):
    measured = Measured(options.file)
    print_machine(measured)
    print_strong(measured)
    print_weak(measured)
    print_sums(measured)


# The model


class Model:
    """scaling_model fitted to the measurements."""

    def __init__(self, measured):
        self.measured = measured
        self.networks = {task: self.network(task) for task in measured.tasks}
        points = [
            (*scaling_model.messages_of_sum(entry["bytes"], n), entry["seconds"])
            for n, sums in measured.sums.items()
            for entry in sums
            if entry["bytes"] <= FIT_BYTES
        ]
        self.line = scaling_model.Line(*scaling_model.fitted(points))

    def network(self, task):
        seconds = [(1, batch, self.measured.seconds(task, batch)) for batch in FIT_BATCHES]
        parameters = self.measured.whole["parameters"][task]
        return scaling_model.Network(parameters, TASKS[task].length, *scaling_model.fitted(seconds))


def print_fit(model):
    for task, network in model.networks.items():
        ratios = [
            f"{scaling_model.seconds_of_rows(network, n) / model.measured.seconds(task, n):.3f}"
            for n in FIT_BATCHES
        ]
        print(f"- {task}: {1000 * network.fixed:.2f} ms and {1000 * network.row:.4f} ms a row;")
        print(f"  predicted / measured at batch {FIT_BATCHES}: {', '.join(ratios)}")
    message, byte = model.line
    print(f"- a message between ranks: {1e6 * message:.2f} µs and {1e-9 / byte:.2f} GB/s")


def print_check(model):
    rows = []
    for task, network in model.networks.items():
        for batch, n in model.measured.jobs(task):
            # Cores are slower when all are busy, as measured by processes without sums.
            together, alone = (model.measured.seconds(task, 100, copies=c) for c in (n, 1))
            most = scaling_model.most_rows(batch, n)
            compute = scaling_model.seconds_of_rows(network, most) * together / alone
            sums = scaling_model.seconds_of_sums(network, n, model.line)
            measured = model.measured.seconds(task, batch, ranks=n)
            times = [compute, sums, compute + sums, measured]
            rows.append(
                [task, f"{batch}", f"{n}"]
                + [f"{1000 * seconds:.2f}" for seconds in times]
                + [f"{(compute + sums) / measured:.3f}"]
            )
    head = ["", "batch", "ranks", "rows, ms", "sums, ms", "predicted, ms", "measured, ms", "ratio"]
    print_table(head, rows)


def print_predictions(title, steps):
    """Print efficiencies at all batches; beside them, the batch that reaches a half."""
    rows = []
    for n in PREDICTED_RANKS:
        row = [f"{n}"]
        for step in steps.values():
            shares = [100 * scaling_model.efficiency(step, batch, n) for batch in PREDICTED_BATCHES]
            least = scaling_model.least_batch(step, n)
            row += [" / ".join(f"{share:.0f}" for share in shares) + " %"]
            row += ["never" if least is None else f"{least:,}"]
        rows.append(row)
    print_table([title] + [word for name in steps for word in (name, "50 % from")], rows)


def print_shares(title, network, lines):
    """Print the sums' share of a step: the most that overlapping them could save."""
    rows = []
    for n in PREDICTED_RANKS:
        row = [f"{n}"]
        for line in lines.values():
            steps = [scaling_model.cpu_step(network, line, each * n, n) for each in ROWS_OF_RANK]
            sums = scaling_model.seconds_of_sums(network, n, line)
            row.append(" / ".join(f"{100 * sums / step:.1f}" for step in steps) + " %")
        rows.append(row)
    print_table([title, *lines], rows)


def print_model(options):
    model = Model(Measured(options.file))
    print_machine(model.measured)
    print()
    print_fit(model)
    print_check(model)
    lines = {"shared memory": model.line}
    for name, (message, byte) in scaling_model.WIRES.items():
        lines[name] = scaling_model.Line(message, byte + model.line.byte)
    of = functools.partial
    for task, network in model.networks.items():
        steps = {name: of(scaling_model.cpu_step, network, line) for name, line in lines.items()}
        print_predictions(f"{task}, ranks", steps)
        print_shares(f"{task}, sums, ranks", network, lines)
    steps = {task: of(scaling_model.gpu_step, network) for task, network in model.networks.items()}
    print_predictions("GPUs", steps)


def tasks(text):
    names = text.split(",")
    if not set(names) <= set(TASKS):
        raise argparse.ArgumentTypeError(f"found {text}, expected some of {','.join(TASKS)}")
    return names


def numbers(text):
    return sorted({int(word) for word in text.split(",")})


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("measure", help="takes minutes; keep the machine idle")
    one.add_argument("rwa", type=pathlib.Path)
    one.add_argument("rank_sums", type=pathlib.Path)
    one.add_argument("--ranks", type=numbers, required=True, help="for example 1,2,4")
    one.add_argument("--tasks", type=tasks, default=list(TASKS), help=f"some of {','.join(TASKS)}")
    one.add_argument("--batch", type=numbers, default=[100, 400], help="global batches of table 1")
    one.add_argument("--steps", type=int, default=100, help="at batch 100; others are scaled")
    one.add_argument("--repeats", type=int, default=3)
    one.add_argument("--oversubscribe", action="store_true", help="for trials: no valid timings")
    one.add_argument("--out", required=True)
    for name, print_all in (("table", print_tables), ("predict", print_model)):
        other = commands.add_parser(name)
        other.add_argument("file")
        other.set_defaults(act=print_all)
    one.set_defaults(act=measure)
    if sys.argv[1:2] == ["watched"]:
        watched(sys.argv[2], sys.argv[3:])
    options = parser.parse_args()
    options.act(options)


if __name__ == "__main__":
    main()

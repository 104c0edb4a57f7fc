"""Every number that an option of the program cannot be: the options are those that the help lists,
and each has its range there. What is refused has status 2, names the option as it was typed, and
leaves nothing behind.

  tests/cli/options_test.py PATH_OF_RWA
"""

import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

RWA = pathlib.Path(sys.argv[1]).resolve()
WAVES = pathlib.Path(__file__).with_name("waves.py")

# What else a command needs.
NEEDED = {
    "bench": [],
    "evaluate": ["model", "waves.csv"],
    "explain": ["model", "waves.csv"],
    "generate": ["model"],
    "import": ["model/model.safetensors", "--out", "x", "--data", "waves.csv"],
    "inspect": ["waves.csv"],
    "paper run": ["grammar"],
    "predict": ["model", "waves.csv"],
    "train": ["waves.csv", "--out", "out"],
    "tune": ["waves.csv", "--out", "out"],
}

WRONG = ["-1", "0", str(2**64), "nan", "inf", "-inf", "many", "", "3x", "1e400", "- 1", "1,000"]
WRONG_WHOLE = ["1e3", "1.5", "0x10"]
WRONG_TIMES = ["1h30", "m", "1001 days", "86400001"]
WRONG_LISTS = ["1,,2", "1,", ",", "1,nan", "1,-1", "1;2"]
# Lists of numbers that the program takes for texts.
STEMS = ["-1", "1025", ",".join(["1"] * 17), str(2**64), "nan", "many", "", "3x", "1e3", "3,",
         "3,-1"]


class Option(NamedTuple):
    command: str
    name: str
    kind: str
    help: str

    @property
    def range(self):
        """The least and the most value; `least` and `most` say whether they are included."""
        number = r"[0-9.]+(?:e[+-]?[0-9]+)?"
        closed = re.search(rf"[(;] ?({number}) to ({number})\)", self.help)
        if closed:
            return float(closed[1]), float(closed[2]), True, True
        half = re.search(
            rf"[(;] ?(at least|more than) ({number}) and (at most|less than) ({number})\)",
            self.help)
        assert half, f"{self.command} {self.name}: the help has no range: {self.help}"
        return float(half[2]), float(half[4]), half[1] == "at least", half[3] == "at most"

    def may_be(self, text):
        least, most, with_least, with_most = self.range
        if not re.fullmatch(r"-?[0-9]+" if self.kind != "X" else r"-?[0-9.]+(e[+-]?[0-9]+)?", text):
            return False
        value = float(text)
        return (value >= least if with_least else value > least) and (
            value <= most if with_most else value < most)

    def wrong_values(self):
        if self.kind == "TIME":
            return WRONG + WRONG_TIMES
        least, most, with_least, with_most = self.range
        texts = list(WRONG)
        if self.kind != "X":
            texts += WRONG_WHOLE + [str(int(least) - 1), str(int(most) + 1)]
        else:
            texts += [repr(most * 2)] if with_most else [repr(most)]
            texts += [repr(least - 1)] if with_least else [repr(least)]
        if self.kind.endswith("...]"):
            texts = [text for text in texts if text != "1,000"] + WRONG_LISTS
        return [text for text in dict.fromkeys(texts) if not self.may_be(text)]


def run(arguments, folder):
    return subprocess.run([RWA, *arguments], cwd=folder, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60, check=False)


def help_of(command, folder):
    return run(["help", *command.split()], folder).stdout


def commands(folder, above=""):
    """All commands that do something, from the help: "train", "paper run"."""
    found = []
    listed = re.search(r"^Commands:\n((?:  .*\n)+)", help_of(above, folder), re.M)
    for name in re.findall(r"^  (\w+)", listed[1], re.M):
        command = f"{above} {name}".strip()
        is_group = "\nCommands:\n" in help_of(command, folder) and name != "help"
        found += commands(folder, command) if is_group else [command]
    return [command for command in found if command != "help"]


def numeric_options(command, folder):
    text = help_of(command, folder)
    entry = r"^  (?:-\w, )?(--[\w-]+) (N\[,N\.\.\.\]|N|X|TIME)(?= |$)(.*(?:\n {20,}.*)*)"
    return [Option(command, name, kind, " ".join(about.split()))
            for name, kind, about in re.findall(entry, text, re.M)]


def refused(arguments, words, folder):
    """The reason why the program does not refuse these arguments as it must; None if it does."""
    before = sorted(folder.rglob("*"))
    try:
        done = run(arguments, folder)
    except subprocess.TimeoutExpired:
        return f"{arguments}: does not end"
    problems = []
    if done.returncode != 2:
        problems.append(f"status {done.returncode}, expected 2")
    problems += [f"does not name {word}" for word in words if word not in done.stderr]
    if done.stdout:
        problems.append("prints results")
    if sorted(folder.rglob("*")) != before:
        problems.append("leaves files behind")
    if not problems:
        return None
    return f"{' '.join(map(repr, arguments))}: {'; '.join(problems)}: {done.stderr.strip()}"


def check_all(cases, folder):
    assert cases
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda case: refused(*case, folder), cases))
    wrong = [problem for problem in found if problem]
    assert not wrong, f"{len(wrong)} of {len(cases)}:\n" + "\n".join(wrong)
    return len(cases)


def options_are_refused(folder):
    cases = []
    for command in commands(folder):
        options = numeric_options(command, folder)
        assert not options or command in NEEDED, f"NEEDED lacks the command {command}"
        for option in options:
            for text in option.wrong_values():
                # In one argument, as two, "-1" could be an option, and "" is easy to lose.
                cases.append(([*command.split(), *NEEDED[command], f"{option.name}={text}"]
                              if text else
                              [*command.split(), *NEEDED[command], option.name, text],
                              [option.name]))
            cases.append(([*command.split(), *NEEDED[command], option.name, "-1"], [option.name]))
    for command in ("train", "tune"):
        for text in STEMS:
            cases.append(([command, *NEEDED[command], "--stem", text], ["--stem"]))
    # Between 0, which is special, and what is of use.
    for name, value, expected in (("--split", "0.005", "0, or 0.01 to 0.5"),
                                  ("--folds", "1", "0, or 2 to 1000"),
                                  ("--layers", "0", "at least 1")):
        cases.append((["train", *NEEDED["train"], name, value],
                      [f"{name} is {value}, expected {expected}"]))
    return check_all(cases, folder)


def keys_are_refused(folder):
    """The same limits hold in a configuration file, whose messages have line and column."""
    recorded = (folder / "model/all/config.toml").read_text()
    options = {option.name[2:].replace("-", "_"): option
               for option in numeric_options("train", folder)}
    cases = []
    for key, option in options.items():
        line = re.search(rf"^{key} = .*$", recorded, re.M)
        if not line:
            continue  # --repeat and --threads are no settings; epochs are recorded as steps
        for text in option.wrong_values():
            is_number = re.fullmatch(r"-?[0-9.]+(e[+-]?[0-9]+)?|-?inf|nan", text)
            value = text if is_number and text != "1e400" else f'"{text}"'
            name = f"{len(cases)}.toml"
            (folder / name).write_text(recorded.replace(line[0], f"{key} = {value}"))
            number = recorded[:line.start()].count("\n") + 1
            words = [f"{name}:{number}:"]
            # The reader of TOML refuses a whole number of more than 64 bits itself.
            if not re.fullmatch(r"-?[0-9]+", text) or abs(int(text)) < 2**63:
                words.append(f" {key} is ")
            cases.append((["train", "--config", name, "--out", "out"], words))
    assert len({case[1][0] for case in cases}) > 100
    return check_all(cases, folder)


def ends_are_accepted(folder):
    """The range in the help is not narrower than what is accepted."""
    for arguments in (["--batch", "1048576"], ["--batch", "1"], ["--threads", "1"]):
        done = run(["evaluate", *NEEDED["evaluate"], *arguments], folder)
        assert done.returncode == 0, done.stderr
    for name, value in (("--split", "0.5"), ("--split", "0.01"), ("--beta1", "0"),
                        ("--stem", "1024"), ("--seed", str(2**63 - 1))):
        done = run(["train", "waves.csv", "--units", "2", "--steps", "1", "--out",
                    f"{name[2:]}-{value}", name, value], folder)
        assert done.returncode == 0, done.stderr


def paths_must_exist(folder):
    """A path where there is nothing is a mistake of the user."""
    model = ["train", "waves.csv", "--out", "out"]
    cases = [
        ["inspect", "none"], ["train", "none"], ["tune", "none"], [*model, "--config", "none"],
        [*model, "--valid", "none"], [*model, "--test", "none"], [*model, "--label-from", "none"],
        ["evaluate", "none", "waves.csv"], ["evaluate", "model", "none"],
        ["predict", "none", "waves.csv"], ["predict", "model", "none"],
        ["explain", "none", "waves.csv"], ["explain", "model", "none"],
        ["stream", "none"], ["generate", "none"],
        ["export", "none", "--onnx", "x.onnx"], ["import", "none", "--out", "x"],
        ["import", "model/model.safetensors", "--data", "none", "--out", "x"],
        ["verify", "none"], ["verify", "none.safetensors"], ["report", "none"],
        ["paper", "run", "none.toml"], ["paper", "report", "none"], ["paper", "results", "none"],
        ["paper", "gradients", "none"], ["paper", "report", "model", "--reference", "none"],
        ["paper", "run", "mnist", "--data", "none"],
    ]
    return check_all([(case, ["none"]) for case in cases], folder)


def paths_are_of_the_right_kind(folder):
    """A file where a folder must be, and the other way round, is a mistake of the user, too."""
    (folder / "note").write_text("a note\n")
    model = ["train", "waves.csv", "--out", "out"]
    cases = [
        ([*model, "--config", "model"], "model: found a folder, expected a file"),
        ([*model, "--label-from", "model"], "--label-from is 'model'"),
        (["import", "model", "--out", "x"], "model: found a folder, expected a file"),
        (["train", "waves.csv", "--out", "note"], "note, a file, expected a folder"),
        (["tune", "waves.csv", "--out", "note"], "note, a file, expected a folder"),
        (["predict", "empty", "waves.csv"], "empty: is a folder without a model"),
    ] + [(command, "note: found a file, expected a folder") for command in (
        ["report", "note"], ["paper", "report", "note"], ["paper", "gradients", "note"],
        ["paper", "results", "note"], ["paper", "report", "model", "--reference", "note"],
        ["paper", "run", "mnist", "--data", "note"])]
    (folder / "empty").mkdir()
    return check_all([(case, [words]) for case, words in cases], folder)


def main():
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        waves = subprocess.run([sys.executable, WAVES, "class", "40"], capture_output=True,
                               check=True)
        (folder / "waves.csv").write_bytes(waves.stdout)
        trained = run(["train", "waves.csv", "--units", "2", "--steps", "2", "--out", "model"],
                      folder)
        assert trained.returncode == 0, trained.stderr
        for check in (options_are_refused, keys_are_refused, paths_must_exist,
                      paths_are_of_the_right_kind, ends_are_accepted):
            print(check.__name__, check(folder) or "")


if __name__ == "__main__":
    main()

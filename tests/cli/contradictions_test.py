"""What two options can say against each other, and what has no effect: refused with status 2 and
advice. Beside it, pairs that look alike and are fine.

  tests/cli/contradictions_test.py PATH_OF_RWA
"""

import pathlib
import random
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

RWA = pathlib.Path(sys.argv[1]).resolve()
SMALL = "--units 2 --steps 2"

# The arguments, and what the message says. FEATURES, NUMBERS and SERIES are tables of numbers with
# classes, with numbers to predict, and of a series; WORDS and TEXT are text with classes and
# without.
REFUSED = {
    # columns
    "train FEATURES --features a,a": 'found "a" twice among --features',
    "train FEATURES --target a --features a": 'found "a" twice among --features, --target, --id',
    "train FEATURES --target label,label": 'found "label" twice',
    "train FEATURES --features a --id a": 'found "a" twice',
    "train FEATURES --features a,b --time a": 'found "a" twice',
    "train FEATURES --id id --time id": 'found "id" twice',
    "train FEATURES --id label --target label": 'found "label" twice',
    "train SERIES --task forecast --target v,v": "found \"v\" twice among --target",
    "train SERIES --task forecast --features v,v": "found \"v\" twice among --features",
    "train SERIES --task forecast --target v --id v": 'found "v" twice',
    "train SERIES --task forecast --features v --time v": 'found "v" twice',
    "train LINES --id y --target y": 'found "y" twice',
    "train FEATURES --layout wide --time a": "found --time with --layout wide",
    "train FEATURES --task class --target label --label-from file": "--target with --label-from",
    "train FEATURES --target label --label-from LABELS": "--target with --label-from",
    "train FEATURES --task next-step --label-from LABELS": "--label-from has no effect on this",
    "train FEATURES --task next-step --target a": "--task next-step takes no --target",
    "train FEATURES --layout wide --features a,b": "use --layout long",
    "train WORDS --id id": "--id does not apply to the format text",
    "train WORDS --decimal ,": "--decimal does not apply to the format text",
    "train WORDS --layout long": "--layout does not apply",
    "train SERIES --task forecast --label-from file": "--label-from has no effect on this task",
    "train TEXT --task next-step --label-from file": "--label-from has no effect on this task",
    "train FEATURES --kmer 2": "expected text for --kmer 2",
    "train FEATURES --tokens words": "expected text for --tokens words",
    "train WORDS --kmer 2 --tokens words": "found --kmer 2 with --tokens words",
    "train FEATURES --features a,,b": '--features is "a,,b", expected names separated by commas',
    "bench --cells rwa,": '--cells is "rwa,", expected names',
    # data
    "train FEATURES FEATURES": "found the same data twice",
    "train FEATURES ./FEATURES": "found the same data twice, here and as",
    "train FEATURES --test FEATURES": "found the same data twice, expected it once",
    "train FEATURES --valid FEATURES": "found the same data twice",
    "train FEATURES --valid MORE --test MORE": "found the same data twice",
    "tune FEATURES --test FEATURES": "found the same data twice",
    "evaluate model FEATURES FEATURES": "found the same data twice",
    "predict model FEATURES FEATURES": "found the same data twice",
    "inspect FEATURES FEATURES": "found the same data twice",
    "train FEATURES --folds 3 --valid MORE": "--folds cannot be combined with --valid",
    "train FEATURES --split 0.3 --valid MORE": "--split has no effect beside validation data",
    "train FEATURES --split 0 --patience 3": "--patience has no effect without validation data",
    "train FEATURES --folds 2 --patience 3": "--patience has no effect without validation data",
    "tune FEATURES --split 0": "tuning needs validation data",
    # tasks
    "train FEATURES --task class --horizon 3": "--horizon is for forecasts of numbers",
    "train FEATURES --task class --season 3": "--season is for forecasts of numbers",
    "train FEATURES --interval 0.5": "--interval has no effect on this task",
    "train WORDS --task class --horizon 3": "--horizon is for forecasts of numbers",
    "train SERIES --context 3": "--context cannot be combined with a forecast",
    "train SERIES --positions 3": "--positions cannot be combined with a forecast",
    "train SERIES --season 40 --window 20": "use a larger --window",
    "train SERIES --balance": "balance is only for the task class",
    "train NUMBERS --target y --balance": "balance is only for the task class",
    "train SERIES --scale sequence": "would tell a forecast its future",
    "train SERIES --task next-step --bidirectional": "--bidirectional would show the network",
    "train TEXT --bidirectional": "--bidirectional would show the network",
    "train TEXT --readout mean": "readout is mean, expected every",
    "train FEATURES --readout every": "readout is every, expected last",
    "train SERIES --task next-step --shift 0.1": "shift is 0.1, expected 0",
    "train FEATURES --stride 2": "stride is 2 without a window",
    "train FEATURES --window 2 --stride 3": "stride is 3, expected 1 to 2",
    # symbols and numbers
    "train FEATURES --embedding 4": "embedding is 4, expected 0 if the input is numbers",
    "train WORDS --embedding 4 --context 3": "embedding is 4, expected 0 if the input is numbers",
    "train WORDS --scale data": "--scale has no effect on symbols",
    "train WORDS --missing mean": "--missing has no effect on symbols",
    "train WORDS --embedding 4 --noise 0.1": "--noise has no effect on symbols",
    "train WORDS --stem 3 --context 1 --positions 0": "embedding is 0, expected at least 1",
    # the network and its training
    "train FEATURES --stem none --channels 4": "--channels has no effect without a stem",
    "train FEATURES --span 4": "--span has no effect on this cell: use --cell rwa-forget",
    "train FEATURES --lasting 0.5 --cell lstm": "--lasting has no effect on this cell",
    "train FEATURES --learned-decay --cell rwa-forget": "--learned-decay has no effect on",
    "train FEATURES --dropout 0.5": "dropout is 0.5, expected 0 with fewer than 2 layers",
    "train FEATURES --steps 3 --epochs 2": "--epochs and --steps are both given",
    "train FEATURES --patience 0 --schedule plateau": "use --schedule cosine",
    "train FEATURES --truncate 2 --bidirectional": "truncate is 2, expected 0",
    # output
    "train FEATURES --out FEATURES": "--out is features.csv, which is read",
    "train folder --out folder": "--out is folder, which is read",
    "train folder --out folder/run": "--out is folder/run, in folder, which is read",
    "train WORDS --valid folder --out folder/x/run": "in folder, which is read",
    "train FEATURES --out WORDS": "--out is words.txt, a file, expected a folder",
    "predict texts folder --out folder/x.txt": "--out is folder/x.txt, in folder, which is read",
    "predict texts folder --out folder/new.csv": "in folder, which is read",
    "explain model folder --out folder/x.html": "in folder, which is read",
    "import WEIGHTS --data folder --out folder/x.txt": "in folder, which is read",
    "predict model FEATURES --out model/config.toml": "which is a file of a run",
    "predict texts TEXT --out model/metrics.jsonl": "which is a file of a run",
    "explain model FEATURES --out model/report.html": "which is a file of a run",
    "export model --onnx model/run.json": "which is a file of a run",
    "report model --out model/report.html": "which is a file of a run",
    "predict several/all MORE --out several/model.safetensors": "which is a file of a run",
    "predict several/all MORE --out several/report.html": "which is a file of a run",
    "stream model --state model/checkpoint.safetensors": "which is a file of a run",
    "predict model FEATURES --out FEATURES": "--out is features.csv, which is read",
    "predict model FEATURES --out model/model.safetensors": "which is read",
    "predict model/model.safetensors FEATURES --out model/../model/model.safetensors": "is read",
    "explain model FEATURES --out x.html --json": "excludes",
    "explain model FEATURES --out x.txt": "expected a name that ends in .html",
    "explain model FEATURES --method shares --output x": "--output has no effect on shares",
    "export model --onnx x.onnx --torch x.py": "expected one of --onnx FILE and --torch FILE",
    "export model --torch x.py --step": "excludes",
    "export model --onnx model/model.safetensors": "model.safetensors, which is read",
    "export model --torch model/model.py": "would overwrite",
    "import WEIGHTS --out WEIGHTS": "which is read",
    "import WEIGHTS --out x --head a --no-head": "excludes",
    "import WEIGHTS --out x --target label": "use --data",
    "import WEIGHTS --out x --standardise all": "use --data",
    "import WEIGHTS --out x --data WORDS --missing mean": "--missing has no effect on symbols",
    "import WEIGHTS --out x --data WORDS --standardise all": "--standardise all has no effect on",
    "import WEIGHTS --out x --data FEATURES --labels y,y": '--labels has "y" twice',
    "report model --out model/model.safetensors": "expected a name that ends in .html",
    "paper report model --table claims --out x": "excludes",
    "stream model --state model/model.safetensors": "which is read",
    # what is given twice, or no truth
    "train FEATURES --units 3 --units 4": "--units is given twice",
    "train FEATURES --bidirectional --bidirectional=false": "--bidirectional is given twice",
    "evaluate model FEATURES --batch 3 --batch 4": "--batch is given twice",
    "evaluate model FEATURES --json --json": "--json is given twice",
    "train FEATURES --balance=": "--balance is '', expected a value",
    "train FEATURES --balance=yes": '--balance is "yes", expected true or false',
    "evaluate model FEATURES --json=2": '--json is "2", expected true or false',
    # other commands
    "explain model FEATURES --limit 1 --id s1 --id none": "no sequence with the id 'none'",
    "stream model --id --json": "excludes",
    "generate texts --prompt a --prompt-file TEXT": "excludes",
    "generate texts --prompt-file none": "none: no such file or folder",
    "generate texts --prompt a --temperature 0 --count 2": "--count with --temperature 0",
    "generate texts --prompt a --temperature 0 --seed 2": "--seed with --temperature 0",
    "generate next --prompt a": "use --prompt-file",
    "generate next --count 2": "numbers are predicted, not sampled",
    "generate next --temperature 1": "numbers are predicted, not sampled",
    "generate next --seed 3": "numbers are predicted, not sampled",
    "inspect model --target label": "found a network, expected data for --target",
    "bench --peers torch-lstm --no-peers": "excludes",
    "bench --mode forward --memory full": "--memory has no effect on these modes: use --mode train",
    "bench --mode stream --batch 4": "--batch has no effect on these modes",
    "bench --mode stream --ragged": "--ragged has no effect on these modes",
    "bench --cells rwa,rwa": "--cells has rwa twice",
    "bench --units 3,4,3": "--units has 3 twice",
    "bench --mode stream --networks stack": "--networks has no effect on these modes",
    "bench --mode stream --networks layer,upper": "--networks has no effect on these modes",
    "bench --networks embedding,upper --inputs 7 --no-peers": "--inputs has no effect on these",
    "bench --device cuda --mode stream": "mode stream is for the CPU",
    "paper run --quick --steps 3": "--quick or --steps, not both",
    "paper run grammar grammar": "given twice",
    "paper run all grammar": "'all' includes every experiment",
    "paper run grammar --data folder": "--data is for the MNIST experiments",
    "paper run step-size --quick": "has no quick length",
    "paper run step-size --variant script": "has no variants",
    "paper run model/config.toml --seed 2": "edit the file instead of giving --seed",
}

ACCEPTED = [
    "train FEATURES --features a,b --target label --id id",
    "train FEATURES --test MORE",
    "train FEATURES --folds 3 --test MORE",
    "train FEATURES --folds 3 --split 0",
    "train FEATURES --folds 3 --repeat 2",
    "train FEATURES --seed 9223372036854775807 --repeat 2",
    "train BIG --epochs 1e9 --batch 1 --time-budget 0.1",
    "train FEATURES --valid MORE --split 0",
    "train FEATURES --valid MORE --patience 2",
    "train FEATURES --horizon 0 --season 0 --missing mean --kmer 1",
    "train FEATURES --stem 3 --channels 4 --context 2",
    "train FEATURES --cell rwa-decay --span 3 --lasting 0.2 --learned-decay=false",
    "train FEATURES --layers 2 --dropout 0.2",
    "train WORDS --kmer 2 --context 2 --positions 2 --noise 0.1",
    "train WORDS --embedding 3 --stem 3 --channels 2 --missing refuse",
    "train SERIES --task forecast --target v --features v,w",
    "train SERIES --horizon 3 --season 4 --interval 0.5 --folds 2 --split 0.2",
    "train SERIES --bidirectional",
    "train SERIES --task next-step --window 5 --stride 5",
    "train TEXT --task next-step --truncate 3",
    "tune FEATURES --candidates 2 --lasting 0.3",
    "tune FEATURES --candidates 2 --stem none",
    "evaluate model FEATURES MORE",
    "predict model FEATURES --json --out x.json --strict",
    "explain model FEATURES --id s1 --limit 1",
    "explain model FEATURES --id s1 --id s2 --limit 1",
    "predict model FEATURES --out model/predictions.csv",
    "evaluate model FEATURES --json=false",
    "train FEATURES --features a --features b",
    "generate texts --prompt-file TEXT",
    "generate texts --prompt a --temperature 0",
    "generate texts --temperature 0 --count 2",
    "generate texts --prompt a --count 2 --seed 3",
    "generate next --length 3",
    "inspect FEATURES --target label --features a",
    "bench --quick --no-peers --rounds 1 --seconds 0.01 --units 4 --mode train --memory full",
    "bench --no-peers --rounds 1 --seconds 0.01 --steps 4 --units 4 --mode stream,forward",
    "report model",
]


def write_data(folder):
    draws = random.Random(1)

    def table(name, header, rows):
        (folder / name).write_text("\n".join([header, *rows]) + "\n")

    def steps(answer):
        return [f"s{i},{draws.random():.3f},{draws.random():.3f},{answer(i)}"
                for i in range(40) for _ in range(3)]

    table("features.csv", "id,a,b,label", steps(lambda i: "xy"[i % 2]))
    table("more.csv", "id,a,b,label", steps(lambda i: "xy"[i % 2]))
    table("numbers.csv", "id,a,b,y", steps(lambda i: f"{i / 7:.2f}"))
    table("series.csv", "t,v,w",
          [f"{i},{i % 12 + draws.random():.3f},{draws.random():.3f}" for i in range(150)])
    table("big.csv", "a,b,class",
          [f"{draws.random():.3f},{draws.random():.3f},{'xy'[i % 2]}" for i in range(1200)])
    table("labels.csv", "id,label", [f"s{i},{'xy'[i % 2]}" for i in range(40)])
    (folder / "lines.jsonl").write_text("".join(
        f'{{"x": [{i}, {i + 1}], "y": "{"xy"[i % 2]}"}}\n' for i in range(40)))
    texts = ["".join(draws.choices("abc", k=6)) for _ in range(40)]
    (folder / "text.txt").write_text("\n".join(texts) + "\n")
    labelled = [f"__label__{'xy'[i % 2]} {text}" for i, text in enumerate(texts)]
    (folder / "words.txt").write_text("\n".join(labelled) + "\n")
    (folder / "folder").mkdir()
    for name in "xy":
        (folder / "folder" / f"{name}.txt").write_text("\n".join(texts) + "\n")


NAMES = {name: f"{name.lower()}{ending}" for name, ending in (
    ("FEATURES", ".csv"), ("MORE", ".csv"), ("BIG", ".csv"), ("LABELS", ".csv"),
    ("LINES", ".jsonl"), ("NUMBERS", ".csv"), ("SERIES", ".csv"),
    ("TEXT", ".txt"), ("WORDS", ".txt"), ("WEIGHTS", ".safetensors"))}


def words_of(case, out):
    words = [NAMES.get(word.removeprefix("./"), word) for word in case.split()]
    if "./" in case.split()[-1]:
        words[-1] = "./" + words[-1]
    if words[0] in ("train", "tune"):
        given = set(words)
        words += ["--units", "2"] + ([] if given & {"--steps", "--epochs"} else ["--steps", "2"])
        words += [] if "--out" in given else ["--out", out]
    return words


def run(words, folder):
    return subprocess.run([RWA, *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=60, check=False)


def problem_of(case, message, folder):
    out = f"out-{abs(hash((case, message)))}"
    try:
        done = run(words_of(case, out), folder)
    except subprocess.TimeoutExpired:
        return f"rwa {case}: does not end"
    if message is None:
        return None if done.returncode == 0 else f"rwa {case}: {done.returncode}: {done.stderr}"
    if done.returncode != 2:
        return f"rwa {case}: status {done.returncode}, expected 2: {done.stderr[-300:]}"
    if message not in done.stderr:
        return f"rwa {case}: expected '{message}', found: {done.stderr}"
    return None


def check_all(cases, folder):
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda case: problem_of(*case, folder), cases))
    wrong = [problem for problem in found if problem]
    assert not wrong, f"{len(wrong)} of {len(cases)}:\n" + "\n".join(wrong)
    print(len(cases), "cases")


def content_of(folder):
    return {(str(path), path.read_bytes() if path.is_file() else None)
            for path in folder.rglob("*")}


def recorded_settings_are_no_contradictions(folder):
    """A run goes on with the same command, and its config.toml states every setting."""
    command = words_of("train FEATURES --stem none --folds 2", "again")
    for _ in range(2):
        done = run(command, folder)
        assert done.returncode == 0, done.stderr
    # For other data: without what was chosen for the first, but with all that is off or not used.
    lines = (folder / "again/all/config.toml").read_text().splitlines()
    chosen = ("train =", "task =", "scale =", "sha256 =", "shift =")
    (folder / "stated.toml").write_text(
        "\n".join(line for line in lines if not line.startswith(chosen)) + "\n")
    stated = ["--config", "stated.toml", "--folds", "0", "--positions", "0"]
    for data in ("MORE", "WORDS", "SERIES", "TEXT"):
        done = run([*words_of(f"train {data}", f"of-{data}"), *stated], folder)
        assert done.returncode == 0, f"{data}: {done.stderr}"
    done = run(["train", NAMES["MORE"], *stated, "--channels", "4", "--out", "typed"], folder)
    assert done.returncode == 2 and "--channels has no effect" in done.stderr, done.stderr


def validation_is_instead_of_recorded_folds(folder):
    """What is typed comes before the folds in the config.toml of a run with them."""
    for name, options in (("split", "--split 0.2"), ("own", "--valid FEATURES"),
                          ("patience", "--split 0.2 --patience 3")):
        command = words_of(f"train MORE --config again/all/config.toml {options}", f"typed-{name}")
        done = run(command, folder)
        assert done.returncode == 0, done.stderr
        assert ", 0 for validation" not in done.stderr, done.stderr
        assert "folds = 0" in (folder / f"typed-{name}/config.toml").read_text()
    again = words_of("train MORE --config again/all/config.toml --split 0.2 --folds 3", "folds")
    done = run(again, folder)
    assert done.returncode == 0 and (folder / "folds/fold-3").exists(), done.stderr


def names_are_no_paths(folder):
    """Without --out, the name is that of a folder in runs."""
    for name in ("../elsewhere", str(folder / "elsewhere"), ".."):
        done = run(["train", NAMES["FEATURES"], "--name", name], folder)
        assert done.returncode == 2 and "expected a name without slashes" in done.stderr, done.stderr
    (folder / "folder/runs").mkdir()
    done = run(["train", "."], folder / "folder")
    assert done.returncode == 2 and "the default of --out is runs, in ., which is read" in done.stderr, done.stderr


def prompts_come_from_standard_input(folder):
    done = subprocess.run([RWA, "generate", "texts", "--prompt-file", "-", "--length", "3"],
                          cwd=folder, input="abc\n", capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.startswith("abc"), done.stderr


def main():
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        write_data(folder)
        for data, name in (("FEATURES", "model"), ("FEATURES --folds 2", "several"),
                           ("TEXT", "texts"), ("SERIES --task next-step", "next")):
            done = run(words_of(f"train {data} --split 0.2", name), folder)
            assert done.returncode == 0, done.stderr
        weights = (folder / "model/model.safetensors").read_bytes()
        (folder / "weights.safetensors").write_bytes(weights)
        before = content_of(folder)
        check_all(list(REFUSED.items()), folder)
        changed = {name for name, _ in content_of(folder) ^ before}
        assert not changed, f"what is refused has changed {sorted(changed)}"
        check_all([(case, None) for case in ACCEPTED], folder)
        recorded_settings_are_no_contradictions(folder)
        validation_is_instead_of_recorded_folds(folder)
        names_are_no_paths(folder)
        prompts_come_from_standard_input(folder)


if __name__ == "__main__":
    main()

#!/bin/bash
# tests/cli/evaluate_test.sh: tests the command `rwa evaluate`: its tables, its JSON against the
# predictions, and its errors.
#   tests/cli/evaluate_test.sh PATH_OF_RWA
set -euo pipefail

rwa=$1
waves=$(realpath "$(dirname "$0")/waves.py")
# shellcheck source=tests/cli/expect.sh
source "$(dirname "$0")/expect.sh"
evaluate() { expect "$1" "$2" "$rwa" evaluate "${@:3}"; }
train() { expect 0 "model" "$rwa" train "$@" --seed 1 --units 8; }

### classes: tables, and JSON that agrees with the predictions
python3 "$waves" class 60 >waves.csv
train waves.csv --out trained --epochs 5
evaluate 0 "accuracy" trained waves.csv
for text in "macro F1" "Matthews correlation" "precision" "Confusion matrix" "Scores by length" \
  "Hardest examples" "calibration error"; do
  grep -qF "$text" out || fail "no $text"
done
evaluate 0 '"accuracy"' trained waves.csv --json
cp out scores.json
expect 0 "id,prediction" "$rwa" predict trained waves.csv
python3 - <<'PYTHON'
import csv
import json
import math

scores = json.load(open("scores.json", encoding="utf-8"))
truth = {row["id"]: row["speed"] for row in csv.DictReader(open("waves.csv", encoding="utf-8"))}
rows = list(csv.DictReader(open("out", encoding="utf-8")))
right = sum(truth[row["id"]] == row["prediction"] for row in rows)
loss = -sum(math.log2(float(row["p_" + truth[row["id"]]])) for row in rows) / len(rows)
assert scores["accuracy"] == right / 60, (scores["accuracy"], right)
assert abs(scores["loss"] - loss) < 1e-5 and scores["unit"] == "bits", (scores["loss"], loss)
assert [c["label"] for c in scores["per_class"]] == ["fast", "slow"], scores["per_class"]
assert sum(map(sum, scores["confusion"])) == sum(c["support"] for c in scores["per_class"]) == 60
assert sum(b["answers"] for b in scores["calibration"]) == 60
assert sum(b["sequences"] for b in scores["by_length"]) == 60
assert scores["hardest"][0]["loss"] >= scores["hardest"][-1]["loss"] >= 0, scores["hardest"]
assert -1 <= scores["matthews"] <= 1 and 0 <= scores["macro_f1"] <= 1
PYTHON

### baselines of the training files, if they are as they were
evaluate 0 "baseline: majority class  baseline: 1-NN" trained waves.csv
[[ ! -s err ]] || fail "words on standard error"
evaluate 0 '"baselines":[{"name":"majority class"' trained waves.csv --json
train waves.csv --out barely --steps 1 --split 0.2
evaluate 0 "note: the model is not better than 1-NN (98.3 %): try" barely waves.csv
evaluate 0 '"remark":"not better than 1-NN' barely waves.csv --json
evaluate 0 "accuracy" trained/model.safetensors waves.csv
! grep -q "baseline" out || fail "a model file has no training files"
evaluate 0 "accuracy" trained - <waves.csv
cp waves.csv more.csv && tail -n 5 waves.csv | sed 's/^[^,]*/new/' >>waves.csv
evaluate 0 "accuracy" trained more.csv
grep -q "^no baselines: waves.csv" err || fail "why are there no baselines?"
cp more.csv waves.csv

### numbers, in their own unit
python3 "$waves" numbers 40 >numbers.csv
train numbers.csv --target period --out numbers --epochs 1
evaluate 0 "RMSE" numbers numbers.csv
evaluate 0 '"rmse"' numbers numbers.csv --json
cp out scores.json
expect 0 "id,period" "$rwa" predict numbers numbers.csv
python3 - <<'PYTHON'
import csv
import json
import math

scores = json.load(open("scores.json", encoding="utf-8"))


def periods(path):
    with open(path, encoding="utf-8") as file:
        return {row["id"]: float(row["period"]) for row in csv.DictReader(file)}


truth, said = periods("numbers.csv"), periods("out")
errors = [said[name] - truth[name] for name in truth]
rmse = math.sqrt(sum(e * e for e in errors) / len(errors))
assert abs(scores["per_number"][0]["rmse"] - rmse) < 1e-4 * rmse, (scores["per_number"], rmse)
assert scores["unit"] == "mse" and "accuracy" not in scores, scores
PYTHON

### the next step needs no targets
python3 "$waves" forecast 20 >forecast.csv
train forecast.csv --task next-step --out forecast --epochs 1
evaluate 0 '"per_number":[{"name":"u"' forecast forecast.csv --json

### errors
cut -d, -f1-3 waves.csv >bare.csv
evaluate 3 "found a sequence without a target, expected speed" trained bare.csv
sed 's/slow/still/' waves.csv >other.csv
evaluate 3 'found the label "still"' trained other.csv
evaluate 2 "nothing: no such file or folder" nothing waves.csv

#!/bin/bash
# tests/cli/train_test.sh: tests the commands `rwa train`, `tune` and `verify`: every kind of target,
# folds and seeds, long sequences, resuming, and errors.
#   tests/cli/train_test.sh PATH_OF_RWA
set -euo pipefail

rwa=$1
waves=$(realpath "$(dirname "$0")/waves.py")
# shellcheck source=tests/cli/expect.sh
source "$(dirname "$0")/expect.sh"
train() { expect "$1" "$2" "$rwa" train "${@:3}" --units 8; }

# interrupted FOLDER ARGUMENT…: sends SIGTERM to a training once its folder has metrics of a step.
interrupted() {
  "$rwa" train "${@:2}" &
  local run=$!
  until grep -qs '"step":[1-9]' "$1/metrics.jsonl" || ! kill -0 $run; do sleep 0.1; done
  kill -TERM $run
  wait $run
}

for kind in class numbers step forecast; do python3 "$waves" "$kind" 200 >$kind.csv; done
cp class.csv waves.csv

### every kind of target, detected from the file; the model alone is enough to predict
train 0 "accuracy" class.csv --out runs/class --epochs 40
python3 - <<'PYTHON'
import re
table = open("out", encoding="utf-8").read()
assert float(re.search(r"^mean ± standard deviation +([0-9.]+)", table, re.M).group(1)) >= 90, table
PYTHON
[[ -s runs/class/report.html ]] || fail "there is no report"
train 0 "RMSE of period" numbers.csv --out runs/numbers --epochs 5 --target period
train 0 "accuracy" step.csv --out runs/step --epochs 5
train 0 "RMSE of u" forecast.csv --task next-step --out runs/forecast --epochs 5
printf 'id\ttext\tlabels\n' >labels.tsv
for i in $(seq 40); do
  if ((i % 2)); then printf '%s\tabba%s\todd|all\n' "$i" "$i"; else printf '%s\tcddc%s\tall\n' "$i" "$i"; fi
done >>labels.tsv
train 0 "macro F1" labels.tsv --id id --out runs/labels --epochs 5
for kind in class numbers step forecast; do
  mv $kind.csv away.csv
  expect 0 "id" "$rwa" predict runs/$kind away.csv
  mv away.csv $kind.csv
done

### the same seed gives the same bits; an interrupted run resumes
train 0 "model:" class.csv --out again --epochs 40 --threads 1
cmp again/model.safetensors runs/class/model.safetensors || fail "threads change the result"
long=(class.csv --out halves --epochs 1000000 --patience 0 --schedule constant --units 8)
expect 6 "run the same command to resume" interrupted halves "${long[@]}"
expect 0 "resuming from step" "$rwa" train "${long[@]}" --time-budget 3
expect 0 "valid checkpoint" "$rwa" verify halves

### without --out: a folder named after the data, another for other settings
train 0 "folder: runs/waves" waves.csv --epochs 2
train 0 "already finished" waves.csv --epochs 2
train 0 "folder: runs/waves-2" waves.csv --epochs 2 --cell LSTM
train 0 "already finished" waves.csv --epochs 2 --cell lstm
train 0 "folder: runs/mine" waves.csv --epochs 2 --name mine
train 0 "folder: runs/waves-3" waves.csv --epochs 2 --folds 3
search=("$rwa" tune waves.csv --candidates 2 --steps 20 --units 8)
expect 0 "model: runs/waves-4/model.safetensors (candidate " "${search[@]}"
expect 0 "model: runs/waves-4/model.safetensors (candidate " "${search[@]}"
long=(waves.csv --name long --epochs 1000000 --patience 0 --schedule constant --units 8)
expect 6 "run the same command to resume" interrupted runs/long "${long[@]}"
expect 0 "resuming from step" "$rwa" train "${long[@]}" --time-budget 3
grep -qF "task class: " err || fail "the task is not shown"

### settings of another run; folds, seeds, windows, truncation
train 0 "model:" class.csv --config runs/class/all/config.toml --out configured
cmp configured/model.safetensors runs/class/model.safetensors || fail "--config changes settings"
train 0 "mean ± standard deviation" class.csv --folds 3 --jobs 2 --epochs 2 --out folds
grep -q "^baseline: majority class  *[45]" out || fail "what is the baseline?"
grep -q "^baseline: 1-NN " out || fail "what is the stronger baseline?"
grep -q "^model: folds/model.safetensors (trained on all data for [0-9]* steps; expected accuracy \
[0-9.]* ± [0-9.]* %, from 3 folds)" out || fail "the folds leave no model"
expect 0 "accuracy" "$rwa" evaluate folds class.csv
train 0 "already finished" class.csv --folds 3 --jobs 2 --epochs 2 --out folds
train 0 "from 2 folds" numbers.csv --target period --folds 2 --epochs 2 --out halves-of-data
train 0 "baseline: last value" forecast.csv --task next-step --epochs 2 --out last-value
train 0 "mean ± standard deviation" class.csv --split 0.2 --repeat 2 --epochs 2 --out seeds
grep -q "(from seed-[12], which has the lowest validation loss)" out || fail "which seed is best?"
train 0 "no score: all data was used for training" class.csv --split 0 --epochs 1 --out all
train 0 "no score: all data was used for training" class.csv --split 0 --repeat 2 --jobs 2 --epochs 1 \
  --out all-seeds
tail -n 3 out | grep -q "^no score" || fail "the missing score is not at the end"
train 0 "model:" class.csv --patience 0 --epochs 1 --out patience
train 5 "training diverged" class.csv --learning-rate 1e15 --out diverged
[[ ! -s out ]] || fail "files of a diverged run are named"
grep -v '^w[1-9]' class.csv >one.csv
expect 0 "no score: all data was used for training, since 1 sequence cannot be split" \
  "$rwa" train one.csv --task next-step --units 8 --epochs 1 --out one
expect 2 "validation data, but 1 sequence cannot be split: use --valid" \
  "$rwa" tune one.csv --task next-step --out tuned-one
expect 0 "valid model" "$rwa" verify seeds/model.safetensors
train 0 "model:" forecast.csv --task next-step --window 4 --stride 2 --epochs 2 --out windows
train 0 "model:" forecast.csv --task next-step --truncate 3 --epochs 2 --out parts
train 0 "model:" class.csv --context 3 --positions 4 --epochs 2 --out wide
train 0 "model:" class.csv --balance --epochs 2 --out balanced
train 0 "model:" - --epochs 2 --out piped <class.csv
expect 0 "validation loss  settings" "$rwa" tune class.csv --candidates 3 --time-budget 3 --units 8 \
  --split 0.2 --patience 0 --schedule constant --epochs 1000000 --out tuned
grep -q "resuming from step" err || fail "the better candidates do not resume in the second round"
expect 0 "accuracy" "$rwa" evaluate tuned/model.safetensors class.csv
expect 0 "trained on all data for 20 steps; expected accuracy" \
  "$rwa" tune class.csv --test waves.csv --candidates 4 --steps 20 --units 8 --out races
grep -q "round 2 of 3: up to 4 candidates, 3 folds each" err || fail "the candidates have no second round"
grep -q "^Scores on the test data" out || fail "the tuned model is not scored on the test data"
grep -q "^0 (defaults)" out || fail "the defaults are not marked"
expect 0 "accuracy" "$rwa" evaluate races/model.safetensors class.csv
expect 0 "8 candidates not tried: the time was up" \
  "$rwa" tune class.csv --candidates 9 --time-budget 0.001 --steps 20 --units 8 --out hurried

### errors
sed '3s/,/,oops/' class.csv >bad.csv
train 3 "bad.csv:3:" bad.csv --out no
train 2 "nothing.csv: no such file or folder" nothing.csv --out no
train 2 "did you mean" class.csv --target sped --out no
train 2 "--folds cannot be combined with --valid" class.csv --folds 3 --valid waves.csv --out no
train 2 "task.train" class.csv --split 0.2 --out runs/step
train 2 "runs/step: already holds a single run" class.csv --out runs/step
sed 's/slow/new/' class.csv >new.csv
train 3 "new.csv:2: found the class" class.csv --test new.csv --out no
printf 'id,x,label\n' >empty.csv
train 3 "empty.csv" empty.csv --out no
truncate -s -1 again/model.safetensors
expect 4 "again/model.safetensors" "$rwa" verify again/model.safetensors
expect 3 "bad.csv:3:" "$rwa" verify bad.csv
echo "<html>404</html>" >page.csv
echo "a text" >good.txt
expect 3 "2 files not valid" "$rwa" verify bad.csv good.txt page.csv
grep -q "bad.csv:3:" err || fail "the first bad file is not named"
grep -q "page.csv: found an HTML page, expected data" err || fail "the last bad file is not named"
grep -q "good.txt: valid data" out || fail "verify stopped at a bad file"
mkdir texts
cp good.txt page.csv texts
cp page.csv texts/again.txt
expect 3 "2 files not valid" "$rwa" verify texts
grep -q "texts/again.txt: found an HTML page" err || fail "a file of the folder is not named"

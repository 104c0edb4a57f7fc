#!/bin/bash
# tests/cli/predict_test.sh: tests the command `rwa predict`: its output and its errors.
#   tests/cli/predict_test.sh PATH_OF_RWA
set -euo pipefail

rwa=$1
waves=$(realpath "$(dirname "$0")/waves.py")
# shellcheck source=tests/cli/expect.sh
source "$(dirname "$0")/expect.sh"
predict() { expect "$1" "$2" "$rwa" predict "${@:3}"; }

python3 "$waves" class 60 >waves.csv
expect 0 "model.safetensors" "$rwa" train waves.csv --out trained --seed 1 --epochs 5 --units 8

### a row for each sequence, in the order of the file; a run folder and its model file agree
predict 0 "id,prediction,p_fast,p_slow" trained waves.csv
cp out whole
[[ $(wc -l <whole) == 61 ]] || fail "not a row for each sequence"
tail -n +2 whole | cut -d, -f1 | diff - <(seq -f 'w%g' 0 59) || fail "not in the order of the file"
tail -n +2 whole | cut -d, -f2 | grep -qxvE 'slow|fast' && fail "unknown labels"
predict 0 "prediction" trained/model.safetensors waves.csv --threads 1 --batch 7
cmp out whole || fail "threads and batches change predictions"

### without targets in the file, compressed, from standard input, several files
cut -d, -f1-3 waves.csv >bare.csv
gzip -k bare.csv
predict 0 "prediction" trained bare.csv.gz
cmp out whole || fail "predictions depend on the labels, or on gzip"
"$rwa" predict trained - <bare.csv | cmp - whole || fail "standard input is read differently"
predict 0 "prediction" trained bare.csv waves.csv
[[ $(wc -l <out) == 121 ]] || fail "not the rows of both files"

### columns are found by name
awk -F, -v OFS=, '{ print $3, "x", $1, $2 }' bare.csv >turned.csv
predict 0 "prediction" trained turned.csv
cmp out whole || fail "the order of columns matters"

### JSON, with the same numbers
predict 0 '"prediction"' trained waves.csv --json
python3 - <<'PYTHON'
import csv
import json

rows = list(csv.DictReader(open("whole", encoding="utf-8")))
lines = [json.loads(line) for line in open("out", encoding="utf-8")]
assert len(rows) == len(lines) == 60, (len(rows), len(lines))
for row, line in zip(rows, lines):
    assert row["id"] == line["id"] and row["prediction"] == line["prediction"], (row, line)
    for label, p in line["probabilities"].items():
        assert float(row["p_" + label]) == p, (row, line)
    assert abs(sum(line["probabilities"].values()) - 1) < 1e-6, line
PYTHON

### --out: replaced as a whole or not at all
"$rwa" predict trained waves.csv --out answers.csv >out 2>err || fail "--out failed"
[[ ! -s out ]] || fail "also written to standard output"
cmp answers.csv whole || fail "--out has other rows"
grep -qxF "wrote answers.csv" err || fail "does not say what it wrote"
sed '50s/,/,oops/' waves.csv >bad.csv
predict 3 "bad.csv:50:" trained bad.csv --strict --out answers.csv
cmp answers.csv whole || fail "an error has changed the --out file"
[[ -z $(find . -name '.rwa-*') ]] || fail "a temporary file was left"
predict 7 "No space left" trained waves.csv --out /dev/full
"$rwa" predict trained waves.csv >/dev/full 2>err && fail "a full disk was not noticed"
predict 7 "/nowhere" trained waves.csv --out /nowhere/out.csv
python3 - "$rwa" <<'PYTHON'
import os
import subprocess
import sys

reader, writer = os.pipe()
os.close(reader)
done = subprocess.run([sys.argv[1], "predict", "trained", "waves.csv"], stdout=writer,
                      stderr=subprocess.PIPE, restore_signals=True, check=False)
assert done.returncode == 141 and not done.stderr, done
PYTHON

### per step, numbers, the next step, windows
train() { expect 0 "model" "$rwa" train "$@" --seed 1 --epochs 1 --units 8; }
python3 "$waves" step 20 >steps.csv
train steps.csv --out steps
predict 0 "id,step,prediction,p_down,p_up" steps steps.csv
[[ $(wc -l <out) == $(wc -l <steps.csv) ]] || fail "not a row for each step"
python3 "$waves" numbers 20 >numbers.csv
train numbers.csv --target period --out numbers
predict 0 "id,period" numbers numbers.csv
[[ $(wc -l <out) == 21 ]] || fail "not a number for each sequence"
python3 "$waves" forecast 20 >forecast.csv
train forecast.csv --task next-step --out forecast
predict 0 "id,step,u,v" forecast forecast.csv
[[ $(wc -l <out) == $(wc -l <forecast.csv) ]] || fail "not a prediction after each step"
train waves.csv --window 4 --out windows
predict 0 "id,from,prediction,p_fast,p_slow" windows waves.csv
grep -q '^w0,5,' out || fail "no second window"

### words; unknown ones; a line that cannot be read is skipped
for i in $(seq 20); do
  printf '__label__up Go UP, up %s!\n__label__down go down, down %s!\n' "$i" "$i"
done >words.txt
train words.txt --tokens words --lower --out words
printf '__label__down go sideways?\nbad \xff byte\nUp up UP\n' >new.txt
predict 3 "rwa: new.txt:2:5: found the byte 0xff, expected UTF-8 text: convert the file, such as with iconv; skipped" words new.txt
grep -qxF "rwa: 1 of 3 sequences skipped" err || fail "the skipped sequences are not counted"
[[ $(cut -d, -f1 out | xargs) == "id 1 3" ]] || fail "not the rows of the other sequences"
predict 3 "new.txt:2:5:" words new.txt --strict --out strict.csv
[[ ! -e strict.csv ]] || fail "--strict has written something"
for i in $(seq 12); do printf 'bad \xff\n'; done >>new.txt
predict 3 "13 of 15 sequences skipped" words new.txt
[[ $(grep -c "; skipped" err) == 10 ]] || fail "not the first ten reasons"
expect 2 "found --kmer 2 with --tokens words" "$rwa" train words.txt --tokens words --kmer 2 --out no

### files have ids of their own
printf 'go up\n' >one.txt
printf 'go up\n' >two.txt
predict 0 "one:1," words one.txt two.txt
grep -q "^two:1," out || fail "the second file has no ids of its own"
expect 0 "two:1" "$rwa" explain words one.txt two.txt --id two:1 --json

### errors
predict 2 "nothing: no such file or folder" nothing waves.csv
predict 2 "DATA is required" trained
mkdir empty
predict 2 "empty: is a folder without a model.safetensors" empty waves.csv
predict 4 "waves.csv: not a safetensors file: the header's length is" waves.csv waves.csv
train waves.csv --folds 3 --out folds
predict 0 "id,prediction" folds waves.csv  # the model of all data
predict 0 "id,prediction" folds/fold-1 waves.csv
rm folds/fold-1/model.safetensors
sed -i 's/"finished"/"interrupted"/' folds/fold-1/run.json
predict 2 "folds/fold-1: training is not finished (step" folds/fold-1 waves.csv
cut -d, -f1-2 waves.csv >short.csv
predict 3 'v' trained short.csv
predict 2 "--batch is 0" trained waves.csv --batch 0
predict 2 "abacus" trained waves.csv --device abacus

### symbols that the model does not know: some are counted, a sequence of nothing else is skipped
for i in 1 2 3 4 5 6 7 8 9 10; do printf '__label__p abba%s\n__label__q baab%s\n' "$i" "$i"; done |
  tr -d 0-9 >words.txt
expect 0 "model.safetensors" "$rwa" train words.txt --out letters --epochs 2 --units 4
printf 'abba\nabxy\n' >new.txt
predict 0 "id,prediction" letters new.txt
grep -qF "the model does not know 2 of 8 symbols" err || fail "unknown symbols are not counted"
printf 'abba\nxyz\n' >new.txt
predict 3 "1 of 2 sequences skipped" letters new.txt
grep -qF "new.txt:2: found only symbols that the model does not know" err || fail "not skipped"

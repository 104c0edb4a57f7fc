#!/bin/bash
# tests/cli/explain_test.sh: tests the command `rwa explain`: its output and its errors.
#   tests/cli/explain_test.sh PATH_OF_RWA
set -euo pipefail

rwa=$1
waves=$(realpath "$(dirname "$0")/waves.py")
# shellcheck source=tests/cli/expect.sh
source "$(dirname "$0")/expect.sh"
explain() { expect "$1" "$2" "$rwa" explain "${@:3}"; }
# explain_to FILE ARGUMENT…: writes the file, and nothing to standard output.
explain_to() {
  "$rwa" explain "${@:2}" --out "$1" >out 2>err || fail "--out $1 failed"
  [[ ! -s out && -s $1 ]] || fail "not written to $1 alone"
  grep -qxF "wrote $1" err || fail "does not say that it wrote $1"
}

# Each word has one letter, anywhere, that determines its class.
python3 - <<'PYTHON' >letters.txt
import random

draw = random.Random(1)
for number in range(400):
    word = draw.choices("abc", k=12)
    word[draw.randrange(12)] = "xy"[number % 2]
    print(f"__label__has-{'xy'[number % 2]} {''.join(word)}")
PYTHON
train() { expect 0 "model.safetensors" "$rwa" train "$@" --seed 1; }
train letters.txt --out letters --context 1 --positions 0 --units 16 --epochs 30 --learning-rate 0.01

### text: ten sequences by default
explain 0 "step   share  symbol" letters letters.txt
[[ $(grep -c '^step' out) == 10 ]] || fail "not ten sequences"
explain 0 "prediction has-" letters/model.safetensors letters.txt --limit 2
[[ $(grep -c '^step' out) == 2 ]] || fail "not two sequences"

### the letter that determines the class has the largest attribution
explain 0 '"method":"gradients"' letters letters.txt --method gradients --json --limit 60
cp out gradients
explain 0 '"method":"shares"' letters letters.txt --json --limit 60
python3 - <<'PYTHON'
import json

words = [line.split()[1] for line in open("letters.txt", encoding="utf-8")]
right = 0
for line, word in zip(map(json.loads, open("gradients", encoding="utf-8")), words):
    parts = line["gradients"]
    assert len(parts) == len(word), line
    assert abs(line["value"] - line["baseline"] - sum(parts) - line["gap"]) < 1e-4, line
    assert abs(line["gap"]) <= 0.01 * max(abs(line["value"] - line["baseline"]), 0.1), line
    right += word[max(range(len(word)), key=lambda t: parts[t])] in "xy"
assert right >= 50, right
shares = [json.loads(line) for line in open("out", encoding="utf-8")]
assert len(shares) == 60
for line in shares:
    assert abs(sum(line["shares"]) - 1) < 1e-5, line
    for unit in line["units"]:
        assert abs(sum(unit) - 1) < 1e-5 and min(unit) >= 0, line
PYTHON

### files: a page of several sequences, a picture of one, the same JSON lines
explain_to page.html letters letters.txt
[[ $(grep -o '<figure class="steps">' page.html | wc -l) == 10 ]] || fail "not ten pictures"
explain_to picture.svg letters letters.txt --id 7
python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("picture.svg")' || fail "not XML"
explain_to lines.json letters letters.txt --method gradients --limit 60
cmp lines.json gradients || fail "the file differs from standard output"
cp picture.svg before
explain 2 "several sequences for one picture" letters letters.txt --out picture.svg
cmp picture.svg before || fail "an error has changed the file"

### numbers, per-step predictions, another cell
python3 "$waves" class 60 >waves.csv
train waves.csv --out waves --units 8 --epochs 2 --cell gru
explain 2 "the cell gru keeps no average" waves waves.csv --method shares
explain 0 "for the baseline" waves waves.csv --limit 1
explain 0 "log₂ of the probability of fast" waves waves.csv --limit 1 --output fast
explain_to waves.svg waves waves.csv --limit 1
grep -q 'class="curve"' waves.svg || fail "no curve in the picture"
train letters.txt --task forecast --out next --units 8 --epochs 2
explain 0 "after its last step: prediction" next letters.txt --limit 1

### errors
explain 2 "found no sequence with the id 'nobody'" letters letters.txt --id nobody
explain 2 "did you mean has-x" letters letters.txt --output has-xx
explain 2 "unknown method 'share'" letters letters.txt --method share
explain 2 "ends in .html, .svg or .json" letters letters.txt --out page.pdf
explain 2 "--out excludes --json" letters letters.txt --out page.html --json
explain 2 "--limit" letters letters.txt --limit 0
explain 2 "nothing: no such file or folder" nothing letters.txt
echo "abcz" >strange.txt
explain 0 '"id":"1"' letters strange.txt --json  # an unknown symbol

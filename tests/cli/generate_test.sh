#!/bin/bash
# tests/cli/generate_test.sh: tests the command `rwa generate`.
#   tests/cli/generate_test.sh PATH_OF_RWA
set -euo pipefail

rwa=$1
waves=$(realpath "$(dirname "$0")/waves.py")
# shellcheck source=tests/cli/expect.sh
source "$(dirname "$0")/expect.sh"
generate() { expect "$1" "$2" "$rwa" generate "${@:3}"; }
train() { expect 0 "model" "$rwa" train "$@" --seed 1 --units 16; }

### text: b follows a, c follows b, a follows c
for _ in {1..60}; do printf 'abcabcabcabc\nbcabcabcabca\ncabcabcabcab\n'; done >letters.txt
train letters.txt --out letters --epochs 30
generate 0 "abcabcabcabc" letters --prompt ab --length 10 --temperature 0
[[ $(cat out) == abcabcabcabc ]] || fail "not the pattern of the training data"
generate 0 "" letters --count 5 --length 7
[[ $(grep -cxE '[abc]{7}' out) == 5 ]] || fail "not five texts of seven letters"
cp out before
generate 0 "" letters --count 5 --length 7 --seed 1
cmp out before || fail "the same seed gives other texts"
generate 0 "" letters --count 5 --length 7 --seed 2 --temperature 5
cmp -s out before && fail "another seed gives the same texts"

### numbers
python3 "$waves" forecast 20 >forecast.csv
train forecast.csv --task next-step --out forecast --epochs 1
generate 0 "id,step,u,v" forecast --length 5
[[ $(wc -l <out) == 6 ]] || fail "not five rows"
head -n 4 forecast.csv >start.csv
generate 0 "w0,4," forecast --length 2 --prompt-file start.csv

### unknown symbols can be in a prompt, and are never drawn
generate 0 "x" letters --prompt x --length 40
grep -q "<" out && fail "the unknown symbol was drawn"

### errors
python3 "$waves" class 20 >waves.csv
train waves.csv --out classes --epochs 1
generate 2 "found a model for the task class, expected one for next-step" classes
generate 2 "expected none" forecast --temperature 0.5
generate 2 "excludes" letters --prompt a --prompt-file letters.txt
"$rwa" generate letters --length 5 >/dev/full 2>err && fail "a full disk was not noticed"
grep -q "No space left" err || fail "a full disk was not named"

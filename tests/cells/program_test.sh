#!/bin/bash
# tests/cells/program_test.sh: the program with the cell of tests/cells/elman-inl.h: the help, messages and benchmarks
# name it, and it can be trained and exported.
#   tests/cells/program_test.sh PATH_OF_RWA_WITH_CELL
set -euo pipefail

rwa=$1
waves=$(realpath "$(dirname "$0")/../cli/waves.py")
# shellcheck source=tests/cli/expect.sh
source "$(dirname "$0")/../cli/expect.sh"

### whatever lists cells lists it
expect 2 ", elman" "$rwa" bench --cells gated
all=$(sed -n 's/.*expected one of: //p' err)
for command in train bench "paper run"; do
  # shellcheck disable=SC2086
  "$rwa" $command --help | tr -s '[:space:]' ' ' >help
  grep -qF "$all" help || fail "'rwa $command --help' does not name it"
done

### benchmarked in every mode
expect 0 "elman" "$rwa" bench --quick --cells elman --batch 4 --units 16 --steps 20 --seconds 0.01 --no-peers

### trained until it has learned something, then used
python3 "$waves" class 200 >waves.csv
expect 0 "accuracy" "$rwa" train waves.csv --cell elman --units 16 --epochs 30 --seed 1 --out run
expect 0 "elman, tanh, 16 units" "$rwa" inspect run/model.safetensors
expect 0 "accuracy" "$rwa" evaluate run waves.csv
expect 0 "," "$rwa" predict run waves.csv
expect 0 "of the probability" "$rwa" explain run waves.csv --limit 1
expect 2 "the cell elman keeps no average" "$rwa" explain run waves.csv --method shares
"$rwa" export run --onnx run.onnx >out 2>err || grep -qF "has no ONNX export" err || fail "no run.onnx"
expect 0 "run.py" "$rwa" export run --torch run.py
grep -qF "The cell elman: simple recurrent network" run.py || fail "the module does not say which cell it is"

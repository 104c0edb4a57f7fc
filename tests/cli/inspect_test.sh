#!/bin/bash
# tests/cli/inspect_test.sh: tests the command `rwa inspect`: its tables and its errors.
#   tests/cli/inspect_test.sh PATH_OF_RWA
set -euo pipefail

rwa=$1
# shellcheck source=tests/cli/expect.sh
source "$(dirname "$0")/expect.sh"
inspect() { expect "$1" "$2" "$rwa" inspect "${@:3}"; }

cat >sums.toml <<TOML
name = "sums"
[task]
kind = "adding"
steps = 8
train = 100
test = 10
[network]
units = 8
layers = 2
[training]
steps = 2
TOML

### an experiment, its run and its model have the same network
inspect 0 "2,212 bytes of weights; cell rwa, readout last, loss squared-error, seed 1" sums.toml
grep -qE '^layers\.1 +rwa, tanh, 8 units +\[T,B,8\] +344$' out || fail "no line for the second layer"
grep -qE '^total +553$' out || fail "no sum"
tail -n +2 out >experiment
expect 0 "sums" "$rwa" paper run sums.toml --out runs
run=$(dirname "$(find runs -name config.toml)")
inspect 0 "a run" "$run"
tail -n +2 out | cmp -s - experiment || fail "a run has another network than its experiment"
inspect 0 "a model" "$run/model.safetensors"
tail -n +2 out | cmp -s - experiment || fail "a model has another network than its experiment"

### errors
inspect 2 "did you mean sums.toml?" sum.toml
inspect 3 "found a folder nested too deeply" runs
inspect 2 "DATA is required"
inspect 4 "rwa-checkpoint" "$run/checkpoint.safetensors"

### data: how it is read, and options to change that
printf 'machine,time,load,label\nA,1,0.5,ok\nA,2,NA,ok\nB,1,2.5,bad\nB,2,3,bad\n' >sensors.csv
inspect 0 "2 of 2 steps, median 2" sensors.csv --id machine
grep -q 'load *0.5 *3 *1' out || fail "min, max and missing of the feature are not shown"
grep -qE 'ok +1' out || fail "the classes are not counted"
inspect 0 "task       forecast" sensors.csv --id machine --task forecast
inspect 2 "did you mean machine?" sensors.csv --id machina

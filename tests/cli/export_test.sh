#!/bin/bash
# tests/cli/export_test.sh: tests the command `rwa export`: its output and its errors.
#   tests/cli/export_test.sh PATH_OF_RWA
set -euo pipefail

rwa=$1
waves=$(realpath "$(dirname "$0")/waves.py")
# shellcheck source=tests/cli/expect.sh
source "$(dirname "$0")/expect.sh"
export_to() { expect "$1" "$2" "$rwa" export "${@:3}"; }
expect_unchanged() {
  [[ $(ls -A here) == model.onnx && $(cat here/model.onnx) == before ]] || fail "here has changed"
}
# refuse CODE TEXT ARGUMENT…: also checks that an existing file is unchanged, with nothing beside it.
refuse() {
  rm -rf here && mkdir here && echo before >here/model.onnx
  export_to "$@"
  expect_unchanged
}
train() { expect 0 "model.safetensors" "$rwa" train "$@" --seed 1 --units 8 --epochs 2; }

python3 "$waves" class 40 >waves.csv
train waves.csv --out waves --positions 0

### for PyTorch
export_to 0 "PyTorch module" waves --torch network.py
python3 -m py_compile network.py || fail "not Python"
[[ -s network.safetensors ]] || fail "no weights beside the module"

### errors
refuse 2 "expected one of --onnx FILE and --torch FILE" waves
refuse 2 "expected one of --onnx FILE and --torch FILE" waves --onnx here/model.onnx --torch x.py
refuse 2 "--torch excludes --step" waves --torch x.py --step
refuse 2 "nothing/model.safetensors" nothing/model.safetensors --onnx here/model.onnx
refuse 2 "here: is a folder without a model.safetensors" here --onnx here/model.onnx
refuse 4 "here/model.onnx" here/model.onnx --onnx here/other.onnx

### a build without ONNX says so
if ! "$rwa" export waves --onnx waves.onnx >out 2>err && grep -qF "this build has no ONNX export" err; then
  refuse 2 "or export to PyTorch" waves --onnx here/model.onnx
  echo "skipped: this build has no ONNX export"
  exit 0
fi

### a run folder or a model file: the same bytes each time
export_to 0 "ONNX graph of whole sequences" waves --onnx waves.onnx
export_to 0 "again.onnx: " waves/model.safetensors --onnx again.onnx
cmp waves.onnx again.onnx || fail "the same model gives another file"
export_to 0 "ONNX graph of one step" waves --onnx step.onnx --step
cmp -s waves.onnx step.onnx && fail "--step has no effect"

### the data encoding is in the file
for text in '"cell":"rwa' stem.0.weight '["fast","slow"]' probabilities lengths; do
  grep -qaF -- "$text" waves.onnx || fail "no $text in waves.onnx"
done
grep -qa initial_state step.onnx || fail "no initial state in step.onnx"
grep -qa initial_state waves.onnx && fail "an initial state in waves.onnx"

### a context of several steps
train waves.csv --out wide --context 3 --positions 0
export_to 0 "whole sequences" wide --onnx wide.onnx

### errors of ONNX
refuse 7 "no/model.onnx" waves --onnx here/no/model.onnx
train waves.csv --out both --bidirectional
refuse 2 "cannot be streamed: it is bidirectional" both --onnx here/model.onnx --step
refuse 2 "or train with --context 1 --positions 0" wide --onnx here/model.onnx --step

### a full disk leaves no partial file
(ulimit -f 1 && trap '' XFSZ && "$rwa" export waves --onnx here/model.onnx) >out 2>err &&
  fail "the limit on file sizes was exceeded"
grep -qF "here/model.onnx: cannot" err || fail "the file that cannot be written is not named"
expect_unchanged

#!/bin/bash
# tests/cli/import_test.sh: tests the command `rwa import`: its output and its errors.
# tests/export/torch_import_test.py compares the numbers with PyTorch.
#   tests/cli/import_test.sh PATH_OF_RWA
set -euo pipefail

rwa=$1
# shellcheck source=tests/cli/expect.sh
source "$(dirname "$0")/expect.sh"
import() { expect "$1" "$2" "$rwa" import "${@:3}"; }

# weights FILE NAME=SHAPE…: writes a safetensors file of ones, as PyTorch does. A shape may end in a
# type: fc.bias=4:F16.
weights() {
  python3 - "$@" <<'PYTHON'
import json
import math
import struct
import sys

BYTES = {"F32": struct.pack("<f", 1), "F16": struct.pack("<e", 1), "I64": struct.pack("<q", 1)}
header, data = {"__metadata__": {"format": "pt"}}, b""
for argument in sys.argv[2:]:
    name, _, rest = argument.partition("=")
    sizes, _, dtype = rest.partition(":")
    shape = [int(size) for size in sizes.split(",")]
    begin = len(data)
    data += BYTES[dtype or "F32"] * math.prod(shape)
    header[name] = {"dtype": dtype or "F32", "shape": shape, "data_offsets": [begin, len(data)]}
text = json.dumps(header).encode()
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + data)
PYTHON
}

lstm=(lstm.weight_ih_l0=8,3 lstm.weight_hh_l0=8,2 lstm.bias_ih_l0=8 lstm.bias_hh_l0=8)
gru=(gru.weight_ih_l0=6,3:F16 gru.weight_hh_l0=6,2:F16 gru.weight_ih_l0_reverse=6,3:F16 gru.weight_hh_l0_reverse=6,2:F16)

### a model that other commands can use
weights net.safetensors "${lstm[@]}" fc.weight=4,2 fc.bias=4
import 0 "model.safetensors: 60 parameters" net.safetensors --out model.safetensors
grep -qF 'lstm, tanh, 2 units, [T,B,2]' out || fail "the recurrent layer is not shown"
expect 0 "cell lstm, readout last, loss softmax" "$rwa" inspect model.safetensors
import 0 "mean over all steps" net.safetensors --out model.safetensors --readout mean --loss squared-error
expect 0 "readout mean, loss squared-error" "$rwa" inspect model.safetensors
weights both.safetensors emb.weight=9,3 "${gru[@]}" out.weight=1,4
import 0 "gru, tanh, 2 units, bidirectional, [T,B,4]" both.safetensors --out both-model.safetensors
expect 0 "9 symbols" "$rwa" inspect both-model.safetensors
weights bare.safetensors "${lstm[@]}"
import 0 "fully connected, loss softmax, [B,2]" bare.safetensors --out bare-model.safetensors --no-head

### with the data of the network: a model that predicts for files
{
  echo id,a,b,c,kind,d
  for i in $(seq 8); do
    for t in 1 2 3; do echo "s$i,$((i * t)),$t,$((i % 3)),k$((i % 4)),$i"; done
  done
} >train.csv
expect 4 "or imported with rwa import --data" "$rwa" predict model.safetensors train.csv
import 0 "60 parameters" net.safetensors --data train.csv --features a,b,c --out model.safetensors
expect 0 "id,prediction,p_k0,p_k1,p_k2,p_k3" "$rwa" predict model.safetensors train.csv
expect 0 "accuracy" "$rwa" evaluate model.safetensors train.csv
import 0 "60 parameters" net.safetensors --data train.csv --features a,b,c --labels k3,k2,k1,k0 --standardise None --out other.safetensors
expect 0 "id,prediction,p_k3,p_k2,p_k1,p_k0" "$rwa" predict other.safetensors train.csv
import 2 "the network reads 3 features, but the data has 2: a, b: use --features" \
  net.safetensors --data train.csv --features a,b --out none
import 2 "has 4 outputs, but the task numbers of the data has 1: d: use --target" \
  net.safetensors --data train.csv --features a,b,c --target d --task numbers --out none
import 2 "the data has \"k0\", which is not in --labels: k1, k2" \
  net.safetensors --data train.csv --features a,b,c --labels k1,k2 --out none
import 2 "expected last or mean and softmax for the task class" \
  net.safetensors --data train.csv --features a,b,c --readout every --out none
import 2 "the network reads symbols, but the data has numbers" both.safetensors --data train.csv --out none
import 2 "use --data" net.safetensors --target kind --out none
printf '__label__x abc\n__label__y cba\n' >letters.txt
echo abz >new.txt
weights letters.safetensors emb.weight=3,3 "${gru[@]}" out.weight=2,4 out.bias=2
import 0 "3 symbols" letters.safetensors --data letters.txt --out letters-model.safetensors
expect 3 'found the symbol "z", expected one of' "$rwa" predict letters-model.safetensors new.txt
weights unknown.safetensors emb.weight=4,3 "${gru[@]}" out.weight=2,4 out.bias=2
import 0 "4 symbols" unknown.safetensors --data letters.txt --symbols 'c,b,a,<unknown>' --out unknown-model.safetensors
expect 0 "id,prediction,p_x,p_y" "$rwa" predict unknown-model.safetensors new.txt

### ambiguous weights
import 4 "expected a *.weight of shape [outputs, 2]" bare.safetensors --out none
weights two.safetensors "${lstm[@]}" a.weight=4,2 a.bias=4 b.weight=5,2 b.bias=5
import 2 "expected the option head to name one of: a, b" two.safetensors --out none
import 0 "[B,5]" two.safetensors --out two-model.safetensors --head b.
import 2 'the option head is "c"' two.safetensors --out none --head c
import 2 "--head excludes --no-head" two.safetensors --out none --head a --no-head
import 2 "--out is required" net.safetensors
import 2 "unknown readout 'first'" net.safetensors --out none --readout first
import 2 "expected last, every or mean" net.safetensors --out none --readout attention

### other networks and files
weights extra.safetensors "${lstm[@]}" fc.weight=4,2 fc.bias=4 norm.weight=2
import 4 'tensor "norm.weight" [2] has no place' extra.safetensors --out none
weights steps.safetensors "${lstm[@]}" fc.weight=4,2 fc.bias=4 batches=1:I64
import 4 'has dtype "I64"' steps.safetensors --out none
weights rnn.safetensors rnn.weight_ih_l0=2,3 rnn.weight_hh_l0=2,2
import 4 "like a torch.nn.RNN" rnn.safetensors --out none
import 4 "already a model of rwa" model.safetensors --out none
printf 'PK\x03\x04' >net.pt
import 4 "torch.save()" net.pt --out none
import 2 "missing.safetensors: no such file or folder" missing.safetensors --out none
[[ ! -e none ]] || fail "a failed import has left a model"

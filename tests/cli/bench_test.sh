#!/bin/bash
# tests/cli/bench_test.sh: tests the command `rwa bench`: its output and its errors. Asserts no
# speed: a busy machine must not fail a test.
#   tests/cli/bench_test.sh PATH_OF_RWA
set -euo pipefail

rwa=$1
# shellcheck source=tests/cli/expect.sh
source "$(dirname "$0")/expect.sh"

size=(--batch 4 --units 8)
short=(--seconds 0.02 --threads 1 --no-peers)
small=("${size[@]}" --steps 5 --rounds 1 "${short[@]}")

expect 0 "GFLOP/s" "$rwa" bench "${small[@]}" --json "$tmp/x.json"
grep -qxF "wrote $tmp/x.json" err || fail "does not say what it wrote"
expect 0 "ragged" "$rwa" bench "${size[@]}" --steps 5 --rounds 2 "${short[@]}" --ragged \
  --mode forward,train --json "$tmp/ragged.json"

expect 0 "bidirectional" "$rwa" bench "${small[@]}" --mode train --cells rwa-forget,gru \
  --networks layer,upper,stack,bidirectional,embedding
expect 2 "unknown network 'tower'" "$rwa" bench "${small[@]}" --networks tower

python3 - "$tmp/x.json" "$tmp/ragged.json" <<'PYTHON'
import json
import sys

FIELDS = {"name", "device", "mode", "batch", "units", "inputs", "steps", "threads", "us_per_step",
          "us_min", "us_max", "gflops", "peak_fraction", "peak_bytes", "network"}


def rows(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def kinds(path):
    return sorted((r["name"], r["mode"], r.get("memory", ""), r.get("ragged", False))
                  for r in rows(path))


def check(row):
    extra = {"memory"} if row["mode"] == "train" else set()
    assert set(row) - {"ragged"} == FIELDS | extra, row
    assert row["device"] == "cpu" and row["units"] == 8 and row["inputs"] == 1, row
    stream = row["mode"] == "stream"
    assert (row["batch"], row["steps"], row["threads"]) == ((1, 1, 1) if stream else (4, 5, 1)), row
    for field in ("us_per_step", "us_min", "us_max", "gflops", "peak_fraction", "peak_bytes"):
        assert row[field] > 0, (field, row)
    assert row["us_min"] <= row["us_per_step"] <= row["us_max"], row


WHOLE = [("forward", ""), ("train", "full"), ("train", "chunked")]
CELLS = ("rwa", "lstm")
plain = [(cell, mode, memory, False) for cell in CELLS for mode, memory in WHOLE]
stream = [(cell, "stream", "", False) for cell in CELLS]
ragged = [(cell, mode, memory, True) for cell in CELLS for mode, memory in WHOLE]
assert kinds(sys.argv[1]) == sorted(plain + stream), kinds(sys.argv[1])
assert kinds(sys.argv[2]) == sorted(plain + ragged), kinds(sys.argv[2])
for path in sys.argv[1:]:
    for row in rows(path):
        check(row)
PYTHON

# Several sizes in one table; streams have no batch.
expect 0 "batch 2,4, units 8,16" "$rwa" bench --batch 2,4 --units 8,16 --steps 5 --rounds 1 \
  "${short[@]}" --cells rwa --mode forward,stream --json "$tmp/sizes.json"
grep -qE '^name +mode +variant +batch +units +steps ' "$tmp/out" || fail "the table has no sizes"
python3 - "$tmp/sizes.json" <<'PYTHON'
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    sizes = [(row["mode"], row["units"], row["batch"], row["device"]) for row in json.load(file)]
expected = [("forward", units, batch, "cpu") for units in (8, 16) for batch in (2, 4)]
expected += [("stream", units, 1, "cpu") for units in (8, 16)]
assert sizes == expected, sizes
PYTHON

# A copy of the program has its peers in Python, and says at the end what was left out.
mkdir "$tmp/copy"
cp "$rwa" "$tmp/copy/rwa"
expect 0 "onednn-lstm (rwa-bench-onednn is neither beside" "$tmp/copy/rwa" bench \
  "${size[@]}" --steps 5 --rounds 1 --seconds 0.02 --threads 1 --mode forward --cells lstm \
  --peers onednn-lstm,torch-lstm
grep -q "^left out: " out || fail "does not say what was left out"
grep -qE "^torch-lstm +forward" out ||
  grep -q "torch-lstm (/usr/bin/python3 has no module torch: 'make bench' installs it)" out ||
  fail "neither measures torch-lstm nor says why"

# Errors are found before any work, and name what is wrong.
expect 2 "device is 'abacus', expected one of: cpu" "$rwa" bench --device abacus
expect 2 "device is 'cuda:99', expected one of: cpu" "$rwa" bench --device cuda:99
[[ $(wc -l <"$tmp/err") == 1 ]] || fail "something was measured before the device was refused"
expect 2 "mode stream is for the CPU" "$rwa" bench --device cuda --mode stream
expect 2 "expected one of: onednn-lstm, torch-lstm, torch-rwa" "$rwa" bench --peers cudnn-lstm
expect 2 "expected one of: cudnn-lstm, torch-lstm" "$rwa" bench --device cuda --peers onednn-lstm
expect 2 "peers" "$rwa" bench --peers torch-rwa --no-peers
expect 2 "units" "$rwa" bench --units 8,8
expect 2 "units" "$rwa" bench --units 0
expect 2 "units" "$rwa" bench --units many
expect 2 "batch" "$rwa" bench --batch -1
expect 2 "steps" "$rwa" bench --steps 100,0
expect 2 "steps" "$rwa" bench --steps 100,100
expect 2 "seconds" "$rwa" bench --seconds nan
expect 2 "threads" "$rwa" bench --threads 0
expect 2 "expected one of: rwa, rwa-forget, rwa-decay, lstm, gru" "$rwa" bench --cells rwa,elman
expect 2 "expected one of: forward, train, stream" "$rwa" bench --mode sideways
expect 2 "expected one of: full, chunked" "$rwa" bench --memory none
expect 2 "RWA_CPU" env RWA_CPU=abacus "$rwa" bench "${small[@]}"
expect 7 "missing/x.json" "$rwa" bench "${small[@]}" --json "$tmp/missing/x.json"
[[ $(wc -l <"$tmp/err") == 1 ]] || fail "something was measured before the path was refused"
expect 7 "$tmp" "$rwa" bench "${small[@]}" --json "$tmp"

# A row that cannot be measured (it needs 400 TB) is reported; the others are still there.
expect 7 "failed" "$rwa" bench --batch 1000000 --steps 1000000 --inputs 100 --units 8 \
  --rounds 1 "${short[@]}" --mode forward,stream
grep -q "^rwa  *stream" "$tmp/out" || fail "the rows that could be measured are missing"

# Unknown commands and options, help and version.
expect 2 "unknown command 'nonsense'" "$rwa" nonsense
expect 2 "unknown command 'trian', did you mean train?" "$rwa" trian
expect 2 "unknown option '--unit', did you mean --units?" "$rwa" train data.csv --out run --unit 3
expect 2 "rwa --help" "$rwa" nonsense
expect 2 "unknown option '--nonsense'; see rwa bench --help" "$rwa" bench --nonsense
expect 2 "bench" "$rwa"
expect 0 "rwa bench --quick" "$rwa" --help
expect 0 "rwa bench --quick" "$rwa" bench --help
expect 0 "rwa " "$rwa" --version
grep -qE '^rwa [0-9]+\.[0-9]+\.[0-9]+ \((baseline|sse4|avx2|avx512)\)$' "$tmp/out" ||
  fail "--version has another format"
if [[ -w /dev/full ]]; then
  expect 7 "standard output" bash -c '"$1" --help >/dev/full' - "$rwa"
fi

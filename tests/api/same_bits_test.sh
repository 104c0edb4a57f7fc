#!/usr/bin/env bash
# AVX2 and AVX-512 give the same bits: the order of sums does not depend on the vector width.
# Usage: same_bits_test.sh PROGRAM (train_and_print)
set -euo pipefail
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for set in avx2 avx512; do
  if ! RWA_CPU=$set "$program" >"$work/$set" 2>"$work/error"; then
    grep -q "is not supported by this CPU" "$work/error" && { echo "skipped: RWA_CPU=$set is not supported by this CPU"; exit 77; }
    cat "$work/error" >&2
    exit 1
  fi
done
cmp "$work/avx2" "$work/avx512"

#!/usr/bin/env bash
# Runs fuzz targets for SECONDS each, with ASan and UBSan. Stops at the first finding and names its
# input. The corpus is kept in build/fuzz/corpus for the next run.
#
#     tools/fuzz.sh SECONDS [TARGET...]
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?"usage: tools/fuzz.sh SECONDS [TARGET...]"}
shift
[ $# -gt 0 ] || set -- $(ls fuzz/seeds)

build=build/fuzz
cmake -S . -B $build -G Ninja -DCMAKE_CXX_COMPILER=clang++-14 -DCMAKE_BUILD_TYPE=Debug \
      -DCMAKE_CXX_FLAGS_DEBUG='-O1 -g' -DRWA_SANITIZE=address,undefined,fuzzer-no-link -DRWA_FUZZ=ON \
      -DRWA_TESTS=ON -DRWA_CUDA=OFF -DRWA_BENCH_ONEDNN=OFF >/dev/null
cmake --build $build --target fuzz

for target in "$@"; do
  seeds=fuzz/seeds/$target
  [ -d "$seeds" ] || { echo "unknown target $target, expected one of:" $(ls fuzz/seeds); exit 2; }
  mkdir -p "$build/corpus/$target" $build/findings
  log=$build/findings/$target.log
  echo "fuzzing $target for $seconds s"
  # A huge allocation for a small file is a finding, and so is an input that takes long.
  if ! RWA_FUZZ_TARGET=$target $build/fuzz/fuzz -max_total_time="$seconds" -rss_limit_mb=1024 -malloc_limit_mb=256 \
       -timeout=20 -artifact_prefix="$build/findings/$target-" -print_final_stats=1 \
       "$build/corpus/$target" "$seeds" >"$log" 2>&1; then
    tail -n 60 "$log"
    echo "$target: failed; the input file is named above. Add it to $seeds and write a test."
    exit 1
  fi
  grep -E 'number_of_executed_units|peak_rss_mb' "$log"
done

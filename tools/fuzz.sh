#!/usr/bin/env bash
# Runs fuzz targets for SECONDS each, as many at a time as there are cores, with ASan and UBSan. Stops
# at the first finding and names its input. The corpus is kept in build/fuzz/corpus for the next run.
#
#     tools/fuzz.sh SECONDS [TARGET...]
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?"usage: tools/fuzz.sh SECONDS [TARGET...]"}
shift
[ $# -gt 0 ] || set -- $(ls fuzz/seeds)
for target in "$@"; do
  [ -d "fuzz/seeds/$target" ] || { echo "unknown target $target, expected one of:" $(ls fuzz/seeds); exit 2; }
done

# One instruction set of the kernels is enough.
build=build/fuzz
cmake -S . -B $build -G Ninja -DCMAKE_CXX_COMPILER=clang++-14 -DCMAKE_BUILD_TYPE=Debug \
      -DCMAKE_CXX_FLAGS_DEBUG='-O1 -g' -DCMAKE_CXX_FLAGS=-DHWY_COMPILE_ONLY_STATIC \
      -DRWA_SANITIZE=address,undefined,fuzzer-no-link -DRWA_FUZZ=ON \
      -DRWA_TESTS=ON -DRWA_CUDA=OFF -DRWA_BENCH_ONEDNN=OFF >/dev/null
cmake --build $build --target fuzz

fuzz() {
  local target=$1 log=$build/findings/$1.log
  mkdir -p "$build/corpus/$target" $build/findings
  # A huge allocation for a small file is a finding, and so is an input that takes long.
  if ! RWA_FUZZ_TARGET=$target $build/fuzz/fuzz -max_total_time="$seconds" -rss_limit_mb=1024 -malloc_limit_mb=256 \
       -timeout=20 -artifact_prefix="$build/findings/$target-" -print_final_stats=1 \
       "$build/corpus/$target" "fuzz/seeds/$target" >"$log" 2>&1; then
    tail -n 60 "$log"
    echo "$target: failed; the input file is named above. Add it to fuzz/seeds/$target and write a test."
    return 255  # xargs starts no others
  fi
  echo "$target:" $(sed -nE 's/^stat::number_of_executed_units: *([0-9]+)/\1 executions,/p
                            s/^stat::peak_rss_mb: *([0-9]+)/\1 MB/p' "$log")
}
export build seconds
export -f fuzz
echo "fuzzing $# targets for $seconds s each"
printf '%s\n' "$@" | xargs -P "$(nproc)" -I{} bash -euo pipefail -c 'fuzz {}'

#!/usr/bin/env bash
# Runs the unit tests and the tests of the program under sanitizers, one preset after the other.
# Reports of all processes go to files, so that none is lost, whoever started it and whatever its
# status is taken for; they are printed at the end, and fail the run.
#
#     tools/sanitize.sh PRESET...
set -euo pipefail
cd "$(dirname "$0")/.."

for preset in "$@"; do
  reports=$PWD/build/$preset/reports
  cmake --preset "$preset" >/dev/null
  cmake --build --preset "$preset"
  rm -rf "$reports" && mkdir "$reports"
  status=0
  ASAN_OPTIONS="abort_on_error=1:detect_stack_use_after_return=1:log_path=$reports/asan" \
  UBSAN_OPTIONS="abort_on_error=1:print_stacktrace=1:log_path=$reports/ubsan" \
  TSAN_OPTIONS="abort_on_error=1:second_deadlock_stack=1:log_path=$reports/tsan" \
    ctest --preset "$preset" || status=$?
  # Without a sanitizer these are std::bad_alloc, which tests provoke.
  find "$reports" -type f -exec \
    grep -qE 'SUMMARY: .*Sanitizer: (allocation-size-too-big|out-of-memory)' {} \; -delete
  if [ -n "$(ls "$reports")" ]; then
    tail -n +1 "$reports"/*
    echo "$preset: found $(ls "$reports" | wc -l) reports of sanitizers, expected none"
    status=1
  fi
  [ $status -eq 0 ] || exit $status
done

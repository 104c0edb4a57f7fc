#!/usr/bin/env bash
# Installs the build into an empty folder and builds an external program against it, with CMake and
# with pkg-config. Usage: package_test.sh BUILD-DIR SOURCE-DIR
set -euo pipefail
build=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >/dev/null
cp -r "$source/tests/package" "$work/outside"
cp "$source/tests/c_api/c_header.c" "$work/outside/in_c.c"

cmake -S "$work/outside" -B "$work/cmake" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" >/dev/null
cmake --build "$work/cmake" >/dev/null
"$work/cmake/outside" "$work/a.safetensors"
"$work/cmake/in_c"

export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name rwa.pc)")
lib=$(pkg-config --variable=libdir rwa)
# shellcheck disable=SC2046
c++ -std=c++20 "$work/outside/main.cc" $(pkg-config --cflags --libs rwa) -Wl,-rpath,"$lib" -o "$work/by-pkg-config"
"$work/by-pkg-config" "$work/b.safetensors"

# shellcheck disable=SC2046
cc -std=c99 -Wall -Wextra -Wpedantic -Werror "$work/outside/in_c.c" $(pkg-config --cflags --libs rwa_c) -Wl,-rpath,"$lib" \
  -o "$work/in-c-by-pkg-config"
"$work/in-c-by-pkg-config"

"$work/prefix/bin/rwa" --version
# Symbols that are not declared in include/rwa must not be exported.
shown=$(nm -DC --defined-only "$lib/librwa.so" | grep -E ' [TWV] ' | sed 's/^[0-9a-f]* . //' | grep rwa:: || true)
allowed='^(vtable for |typeinfo (name )?for )?rwa::(Model|Session|Stream|Trainer|[A-Za-z]*Error|to_string|parse_|version|instruction_set|describe|devices|find_device|default_threads|training_memory|rank_rows|Layer|Link|Tape|all_cells|cell_info|cell_names|averaging_cell_names)'
if hidden=$(grep -vE "$allowed" <<<"$shown") || grep -q '::Impl' <<<"$shown"; then
  echo "the library exports internal symbols: $hidden" >&2
  exit 1
fi

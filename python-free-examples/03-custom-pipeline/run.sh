#!/bin/sh
# Builds the example against a build folder and runs it. See README.md.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$here/../../build}" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake -S "$here" -B "$scratch" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DKILN_BUILD="$build" >"$scratch/log" || { cat "$scratch/log"; exit 1; }
cmake --build "$scratch" >"$scratch/log" || { cat "$scratch/log"; exit 1; }
"$scratch/custom-pipeline" | tee "$scratch/out"
grep -q 'kernel: 2 inputs, 1 results' "$scratch/out"
[ "$(grep -c 'function: ' "$scratch/out")" -eq 1 ]

#!/bin/sh
# Kernels from linalg. See README.md.
# run.sh LINALG-COMPILER: the program of main.cpp; kiln-run is in PATH.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$1" "$here/model.mlir" "$scratch/fused.mlir" | tee "$scratch/out"
grep -qx '9 structured ops became 2 kernels' "$scratch/out"
kiln-run "$scratch/fused.mlir" --inputs="$here/values/io.json" --check \
  --cache-dir="$scratch/cache" --stats="$scratch/stats.json"
tr -d ' \n' <"$scratch/stats.json" | grep -qF '"kernels":2,'

# What a nest cannot express is an error that says so.
sed 's/arith.maximumf/arith.maxnumf/' "$here/model.mlir" >"$scratch/other.mlir"
if "$1" "$scratch/other.mlir" "$scratch/none.mlir" 2>"$scratch/err"; then
  echo "expected a refusal of maxnumf" >&2
  exit 1
fi
grep -F "accumulates result 0 by arith.maxnumf" "$scratch/err"

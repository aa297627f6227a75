#!/bin/sh
# A C program that runs a package. See README.md.
# run.sh FROM-C: the program of main.c; Kiln's tools are in PATH.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

echo "== the package, for two kinds of processors"
kiln-compile "$here/model.mlir" -o "$scratch/model.kiln" \
  --target=x86-64-v3 --target=x86-64-v4
if ldd "$1" | grep -E 'LLVM|MLIR|Compiler'; then
  echo "expected no compiler among its libraries" >&2
  exit 1
fi
echo "== its results, alone in the world"
env -i "$1" "$scratch/model.kiln" | tee "$scratch/out"
printf '0.0320586\n0.0871443\n0.236883\n0.643914\n' | diff - "$scratch/out"

#!/bin/sh
# Tokens from a language model. See README.md.
# run.sh GENERATE: the program of main.cpp; kiln-compile is in PATH.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

for part in prefill decode; do
  kiln-compile "$here/$part.mlir" -o "$scratch/$part.kiln"
done
# Without a compiler: the packages hold code for every length.
"$1" "$scratch/prefill.kiln" "$scratch/decode.kiln" 40 | tee "$scratch/out"
grep -q 'the same as without a cache' "$scratch/out"

#!/bin/sh
# Loads Kiln into stock mlir-opt. See README.md.
# run.sh MLIR-OPT KILN-PLUGIN
set -eu
here=$(cd "$(dirname "$0")" && pwd)
opt=$1
plugin=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# lower PIPELINE OUT
lower() {
  "$opt" --load-dialect-plugin="$plugin" --load-pass-plugin="$plugin" \
    --pass-pipeline="builtin.module($1)" "$here/softmax.mlir" >"$scratch/$2"
}

# count WORD FILE NUMBER: the word is there that often.
count() {
  found=$(grep -cE "$1" "$scratch/$2" || true)
  [ "$found" -eq "$3" ] || {
    echo "expected $3 lines with '$1', found $found in:" >&2
    cat "$scratch/$2" >&2
    exit 1
  }
}

lower 'kiln-core,kiln-loop' loop.mlir
count 'loop\.kernel' loop.mlir 1
count 'aten\.' loop.mlir 0
echo "== one kernel of Kiln's loop dialect"
cat "$scratch/loop.mlir"

lower 'kiln-core,kiln-loop,kiln-lower-through-linalg' linalg.mlir
count 'loop\.launch' linalg.mlir 1
count 'linalg\.|tensor\.' linalg.mlir 0
lines=$(wc -l <"$scratch/linalg.mlir")
echo "== the same, lowered by stock passes through linalg: $lines lines of loops"

#!/bin/sh
# Trains a small network, stops, and continues. See README.md.
# run.sh TRAIN: the program of train.c; Kiln's tools are in PATH.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

train() {
  kiln-run "$here/model.mlir" --training \
    --optimizer=adamw,lr=1e-2 --weights=random:1 \
    --inputs=random:1 --inputs=random:2 --inputs=random:3 --inputs=random:4 \
    --cache-dir="$scratch/cache" "$@"
}

echo "== 400 steps"
train --steps=400 --checkpoint="$scratch/whole" >"$scratch/losses"
sed -n '1p;100p;200p;300p;400p' "$scratch/losses"
fell() { # fell COLUMN LOSSES
  awk -v c="$1" 'NR == 1 { first = $c } END { exit !($c < first / 10) }' "$2" || {
    echo "expected the loss to fall to a tenth" >&2
    exit 1
  }
}
fell 6 "$scratch/losses"

echo "== 200 steps, and 200 more by another process"
train --steps=200 --checkpoint="$scratch/parts" | tail -n 1
train --steps=200 --checkpoint="$scratch/parts" | tail -n 1
cmp "$scratch/whole" "$scratch/parts"
echo "the same weights, bit by bit"

echo "== a package of the step, from C"
kiln-compile "$here/model.mlir" -o "$scratch/step.kiln" --training --optimizer=adamw
if ldd "$1" | grep -E 'LLVM|MLIR|Compiler'; then
  echo "expected no compiler among its libraries" >&2
  exit 1
fi
env -i "$1" "$scratch/step.kiln" "$scratch/c-whole" 400 >"$scratch/losses"
sed -n '1p;100p;200p;300p;400p' "$scratch/losses"
fell 2 "$scratch/losses"
env -i "$1" "$scratch/step.kiln" "$scratch/c-parts" 200 | tail -n 1
env -i "$1" "$scratch/step.kiln" "$scratch/c-parts" 200 | tail -n 1
cmp "$scratch/c-whole" "$scratch/c-parts"
echo "the same weights, bit by bit"

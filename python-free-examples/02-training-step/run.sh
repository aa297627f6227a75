#!/bin/sh
# Trains a small network, stops, and continues. See README.md.
# kiln-run is in PATH.
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
awk 'NR == 1 { first = $6 } END { exit !($6 < first / 10) }' \
  "$scratch/losses" || {
  echo "expected the loss to fall to a tenth" >&2
  exit 1
}

echo "== 200 steps, and 200 more by another process"
train --steps=200 --checkpoint="$scratch/parts" | tail -n 1
train --steps=200 --checkpoint="$scratch/parts" | tail -n 1
cmp "$scratch/whole" "$scratch/parts"
echo "the same weights, bit by bit"

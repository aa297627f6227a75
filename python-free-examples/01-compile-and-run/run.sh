#!/bin/sh
# Runs an exported program cold, warm and with gradients. See README.md.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../../build}
model=$here/../../test/Inputs/pt2/attention_static
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

run() {
  "$build/bin/kiln-run" "$model/train.pt2" --inputs="$model/io.json" --check \
    --cache-dir="$scratch/cache" --stats="$scratch/stats.json" "$@"
}

# expect TEXT: the statistics of the last run contain it.
expect() {
  tr -d ' \n' <"$scratch/stats.json" | grep -qF "$1" || {
    echo "expected $1 in the statistics, found:" >&2
    cat "$scratch/stats.json" >&2
    exit 1
  }
}

echo "== cold"
run
expect '"compiler_loaded":true'
echo "== warm"
run
expect '"compiler_loaded":false'
echo "== forward and backward"
run --training

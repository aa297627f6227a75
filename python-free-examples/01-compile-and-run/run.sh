#!/bin/sh
# Runs an exported program cold, warm, from C++ and with gradients. See README.md.
# run.sh ATTENTION: the program of main.cpp; kiln-run is in PATH.
set -eu
model=$(cd "$(dirname "$0")" && pwd)/model
attention=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

run() {
  kiln-run "$model/train.pt2" --inputs="$model/io.json" --check \
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
echo "== from C++, what kiln-run left in the cache"
"$attention" "$model/train.pt2" "$model/io_in_0.bin" "$model/io_out_0.bin" \
  "$scratch/cache" | tee "$scratch/out"
grep -q 'from the cache' "$scratch/out"

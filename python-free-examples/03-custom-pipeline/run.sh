#!/bin/sh
# Runs the compiler of main.cpp. See README.md.
# run.sh CUSTOM-PIPELINE
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$1" | tee "$scratch/out"
grep -q 'kernel: 2 inputs, 1 results' "$scratch/out"
[ "$(grep -c 'function: ' "$scratch/out")" -eq 1 ]

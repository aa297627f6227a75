#!/bin/sh
# Uses the two libraries. See README.md.
# run.sh MYLIB-FUNCTIONS MYLIB-DIALECT; Kiln's tools are in PATH.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
functions=--load-operators=$1
dialect=--load-dialect-plugin=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
run() {
  kiln-run "$here/model/model.pt2" --inputs="$here/model/io.json" \
    --cache-dir="$scratch/cache" --check "$@"
}

# Without the libraries the program is refused, by the operator's name.
code=0
run >"$scratch/log" 2>&1 || code=$?
cat "$scratch/log"
[ "$code" -eq 4 ]
grep -q 'operators of other libraries: mylib.swish.default' "$scratch/log"

# The function alone: it is called, on each backend, and the call is shown.
run "$functions" --backend=eager
run "$functions" --stats="$scratch/called.json"
grep -q '"op": *"mylib.swish.default"' "$scratch/called.json"

# With the record: kernels, fused, and gradients.
run "$functions" "$dialect" --stats="$scratch/compiled.json"
grep -q '"fallback_ops": *\[\]' "$scratch/compiled.json"
run "$functions" "$dialect" --training
run "$functions" "$dialect" --training --stats="$scratch/warm.json"
grep -q '"compiler_loaded": *false' "$scratch/warm.json"
kiln-compile "$here/model/model.pt2" "$functions" "$dialect" \
  --explain=fusion | tee "$scratch/fusion"
grep -q 'swish' "$scratch/fusion"

# A reduction of one's own: called as a function, and as a kernel with what is
# around it, with the same numbers.
for backend in eager inductor; do
  kiln-run "$here/squares.mlir" --inputs="$here/squares/io.json" \
    --check --cache-dir="$scratch/cache" "$functions" "$dialect" \
    --backend=$backend --stats="$scratch/squares.json"
done
grep -q '"fallback_ops": *\[\]' "$scratch/squares.json"
kiln-opt "$dialect" "$here/squares.mlir" --kiln-core --kiln-loop |
  tee "$scratch/squares.mlir"
grep -q 'loop.kernel @fused_squares_sub_mul' "$scratch/squares.mlir"

# The op in MLIR.
kiln-opt "$dialect" "$here/swish.mlir" \
  --convert-aten-to-loop | tee "$scratch/loop.mlir"
grep -q 'math.exp' "$scratch/loop.mlir"

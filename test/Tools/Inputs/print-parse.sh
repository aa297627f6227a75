# print-parse.sh ARCHIVES SCRATCH: dumps every stage of every archive below a
# folder, for inference and for training, and compares each dump with what is
# printed of it again.
set -eu
archives=$1 scratch=$2
rm -rf "$scratch" && mkdir -p "$scratch"
count=0
# kiln-opt ends what it prints with one more blank line.
compare() {
  diff -B "$stage" "$scratch/custom.mlir" || { echo "$1"; exit 1; }
}
for archive in "$archives"/*/*.pt2; do
  for mode in --backend=inductor --training; do
    rm -rf "$scratch/stages"
    # Not every program has something to train.
    kiln-compile "$archive" $mode --stop-after=kernel \
      --dump-stages="$scratch/stages" >/dev/null 2>&1 || true
    for stage in "$scratch"/stages/*.mlir; do
      [ -e "$stage" ] || continue
      kiln-opt "$stage" -o "$scratch/custom.mlir"
      compare "$archive: $stage"
      kiln-opt "$stage" --mlir-print-op-generic -o "$scratch/generic.mlir"
      kiln-opt "$scratch/generic.mlir" -o "$scratch/custom.mlir"
      compare "$archive: $stage, from generic form"
      kiln-opt "$stage" --emit-bytecode -o "$scratch/stage.mlirbc"
      kiln-opt "$scratch/stage.mlirbc" -o "$scratch/custom.mlir"
      compare "$archive: $stage, from bytecode"
      count=$((count + 1))
    done
  done
done
echo "$count dumps"
[ "$count" -ge 10 ]

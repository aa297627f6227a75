#!/bin/sh
# same-kernels.sh MODEL FOLDER FLAGS...: compiles with these flags; then sends the
# captured graph through kiln-opt with the pipelines that --print-pipeline prints
# for them, and compares the IR behind each stage.
set -e
model=$1 folder=$2
shift 2
kiln-compile "$model" "$@" -o "$folder.kiln" --dump-stages="$folder/dumped"
kiln-compile --print-pipeline "$@" > "$folder/pipelines"
ir=$folder/dumped/0-capture.mlir
while IFS= read -r line; do
  stage=${line%%: *}
  kiln-opt "$ir" --pass-pipeline="${line#*: }" -o "$folder/$stage.mlir"
  diff -B "$folder/$stage.mlir" "$folder"/dumped/?-"$stage".mlir
  ir=$folder/$stage.mlir
  echo "$stage: equal"
done < "$folder/pipelines"

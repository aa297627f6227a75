#!/bin/sh
# same-gradients.sh MODEL FOLDER BACKEND: gradients of a model, then of every dump
# of its stages, compared bit by bit.
model=$1 folder=$2 backend=$3
gradients() {
  rm -rf "$2"
  kiln-run "$1" --no-cache --training --backend="$backend" --weights=random:1 \
    --inputs=random:1,s0=5 --outputs="$2" > "$2.log" 2>&1 || cat "$2.log"
}
gradients "$model" "$folder.expected"
ls "$folder.expected"
for file in "$folder"/*.mlir; do
  gradients "$file" "$folder.found"
  diff -r "$folder.expected" "$folder.found" && echo "$(basename "$file"): same"
done

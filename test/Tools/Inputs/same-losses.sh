#!/bin/sh
# same-losses.sh MODEL FOLDER FLAGS...: trains a model, then every dump of its
# stages, and compares the losses of the steps.
model=$1 folder=$2
shift 2
losses() {
  kiln-run "$@" --no-cache --training --steps=4 --weights=random:1 \
    --inputs=random:1,x=5x6 2>&1 | sed 's/ ([0-9.]* ms)//'
}
losses "$model" "$@" > "$folder.losses"
cat "$folder.losses"
for file in "$folder"/*.mlir; do
  losses "$file" "$@" | diff "$folder.losses" - && echo "$(basename "$file"): same"
done

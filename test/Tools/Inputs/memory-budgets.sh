#!/bin/sh
# memory-budgets.sh FOLDER SCRATCH [flags]: trains FOLDER/train.pt2 with falling
# memory budgets, prints the bytes saved at each, and fails if they grow, if a
# result is wrong, or if a gradient differs in a bit.
set -eu
folder=$1 scratch=$2
shift 2
last=
for budget in 1 0.75 0.5 0.25 0; do
  kiln-run "$folder/train.pt2" --inputs="$folder/io.json" --training --check \
    --no-cache --memory-budget=$budget --outputs="$scratch/$budget" \
    --stats="$scratch/stats.json" "$@" >"$scratch/log" || {
    cat "$scratch/log" >&2
    exit 1
  }
  saved=$(tr -d ' \n' <"$scratch/stats.json" |
    sed 's/.*"saved_for_backward_bytes":\([0-9]*\).*/\1/')
  echo "$budget: $saved"
  if [ -n "$last" ] && [ "$saved" -gt "$last" ]; then
    echo "more than at the budget before" >&2
    exit 1
  fi
  last=$saved
  for gradient in "$scratch"/1/grad_*; do
    cmp "$gradient" "$scratch/$budget/$(basename "$gradient")"
  done
done
echo "gradients: the same bits"

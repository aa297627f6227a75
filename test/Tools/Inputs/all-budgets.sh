#!/bin/sh
# all-budgets.sh FOLDER PROGRAM...: what the step of each FOLDER/PROGRAM/train.pt2
# saves for its backward at falling memory budgets. Fails if that grows.
set -eu
folder=$1
shift
for program in "$@"; do
  line=$program
  last=
  for budget in 1 0.75 0.5 0.25 0; do
    saved=$(kiln-compile "$folder/$program/train.pt2" --training \
      --memory-budget=$budget --explain=partition |
      sed -n 's/^saved for backward: \([0-9]*\) bytes.*/\1/p')
    line="$line $saved"
    if [ -n "$last" ] && [ "$saved" -gt "$last" ]; then
      echo "$line: more than at the budget before" >&2
      exit 1
    fi
    last=$saved
  done
  echo "$line"
done

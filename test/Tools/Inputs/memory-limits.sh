#!/bin/sh
# memory-limits.sh FOLDER SCRATCH FRACTION...: trains FOLDER/train.pt2 under limits that
# are these fractions of what the step needs without one. Prints whether each was kept;
# fails if a call takes other memory than was planned, if more was planned than the
# limit or the reason says, or if a result or gradient differs in a bit.
set -eu
folder=$1 scratch=$2
shift 2
explain() {
  kiln-compile "$folder/train.pt2" --training --explain=memory --memory-limit="$1" \
    >"$scratch/explained"
  grep 'memory limit of' "$scratch/explained"
}
run() {
  kiln-run "$folder/train.pt2" --inputs="$folder/io.json" --training --check \
    --no-cache --memory-limit="$1" --outputs="$scratch/$2" \
    --stats="$scratch/stats.json" >"$scratch/log" || {
    cat "$scratch/log" >&2
    exit 1
  }
}
number() {
  tr -d ' \n' <"$scratch/stats.json" | sed "s/.*\"$1\":\([0-9]*\).*/\1/"
}
# Results of both functions and the larger arena, as the plan has them.
planned() {
  awk '/arena of/ { for (i = 1; i < NF; ++i) if ($i == "of" && $(i - 1) == "arena" &&
         $(i + 1) > arena) arena = $(i + 1) + 0 }
       /handed to the caller/ { results += $(NF - 1) }
       END { print results + arena }' "$scratch/explained"
}
needed=$(explain 1 | sed 's/.*in place of \([0-9]*\).*/\1/')
run 0 all
for fraction in "$@"; do
  limit=$(awk "BEGIN { printf \"%d\", $needed * $fraction }")
  line=$(explain "$limit")
  case $line in
  *"not kept"*)
    echo "$fraction: not kept"
    most=$(echo "$line" | sed 's/.*; \([0-9]*\) bytes would be.*/\1/')
    ;;
  *)
    echo "$fraction: kept"
    most=$limit
    ;;
  esac
  if [ "$(planned)" -gt "$most" ]; then
    echo "$fraction: planned $(planned) bytes, at most $most were said" >&2
    exit 1
  fi
  run "$limit" "$fraction"
  if [ "$(number measured_peak_bytes)" -ne "$(number planned_peak_bytes)" ]; then
    cat "$scratch/stats.json" >&2
    exit 1
  fi
  for file in "$scratch"/all/*; do
    cmp "$file" "$scratch/$fraction/$(basename "$file")"
  done
done
echo "the same bits"

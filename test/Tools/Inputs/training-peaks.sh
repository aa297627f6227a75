#!/bin/sh
# training-peaks.sh FOLDER SCRATCH: trains one step of FOLDER/train.pt2 and prints
# what memory the plan asks for, what was measured, and what the same step takes
# when each operator allocates its own results. Fails unless the first
# two are the same and the last is more.
set -eu
folder=$1 scratch=$2
measure() {
  kiln-run "$folder/train.pt2" --inputs="$folder/io.json" --training --check \
    --no-cache --backend="$1" --stats="$scratch/stats.json" >"$scratch/log" || {
    cat "$scratch/log" >&2
    exit 1
  }
  tr -d ' \n' <"$scratch/stats.json" | sed "s/.*\"$2\":\([0-9]*\).*/\1/"
}
planned=$(measure inductor planned_peak_bytes)
measured=$(measure inductor measured_peak_bytes)
eager=$(measure aot_eager measured_peak_bytes)
echo "planned $planned, measured $measured, operator by operator $eager"
test "$measured" -eq "$planned"
test "$measured" -lt "$eager"

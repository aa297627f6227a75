#!/usr/bin/env bash
# Installs what is missing, builds the tools and takes a self-attention program
# of PyTorch through all of Kiln: graph, guards, fusion, forward and backward
# with a check of the numbers, and the same again from the cache.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
bin=$root/build/bin
build=yes

usage() {
  cat <<EOF
usage: tools/run-demo.sh [--no-build]

Installs missing packages, configures and builds the tools into build/bin/, then
runs test/Inputs/pt2/attention_static, a program written by torch.export:

  1. prints its graph, the guards it is compiled under, and the fusion rounds
  2. compiles and runs forward and backward, compares with PyTorch's results
  3. runs both again from the cache, prints cold and warm time side by side

Exits with 0 only if every step succeeded and every number agreed.
--no-build   use build/ as it is
EOF
}

for argument in "$@"; do
  case "$argument" in
  -h | --help)
    usage
    exit 0
    ;;
  --no-build) build=no ;;
  *)
    echo "run-demo: error: unknown argument '$argument', expected -h or" \
      "--no-build" >&2
    exit 2
    ;;
  esac
done

fail() {
  echo "run-demo: error: $*" >&2
  exit 1
}

cd "$root"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

if [ "$build" = yes ]; then
  tools/build.sh kiln-run kiln-translate kiln-compile KilnCompiler ||
    fail "the build failed"
fi

input=test/Inputs/pt2/attention_static
model=$input/train.pt2

# What the environment says about caches does not reach the demo.
unset "${!KILN_@}" "${!TORCHINDUCTOR_@}" TORCH_LOGS

step() { printf '\n--- %s\n\n' "$*"; }

# shown NAME COMMAND...: runs a tool, shows what it prints.
shown() {
  local name=$1
  shift
  local status=0
  "$@" >"$scratch/$name" 2>&1 || status=$?
  if [ $status != 0 ]; then
    cat "$scratch/$name" >&2
    fail "'${1##*/} ${*:2}' exited with $status"
  fi
  [ -s "$scratch/$name" ] || fail "'${1##*/} ${*:2}' printed nothing"
  cut -c 1-"${COLUMNS:-110}" "$scratch/$name"
}

step "the graph that was captured ($model)"
shown graph "$bin/kiln-translate" --import-pt2 --elide-weights "$model"
step "the guards it is compiled under"
shown guards "$bin/kiln-translate" --export-guards "$model"
step "what was fused, and why"
shown fusion "$bin/kiln-compile" "$model" -o "$scratch/attention.kiln" \
  --explain=fusion

# measured LABEL FLAGS...: one run with a check; its times go to LABEL.json.
measured() {
  local label=$1
  shift
  "$bin/kiln-run" "$model" --inputs="$input/io.json" --check \
    --cache-dir="$scratch/cache" --stats="$scratch/$label.json" "$@" \
    >"$scratch/$label" 2>&1 || {
    cat "$scratch/$label" >&2
    fail "the $label run failed, or its numbers differ from PyTorch's"
  }
  printf '%-16s agrees with PyTorch\n' "${label/-/, }"
}

# field LABEL NAME: a number or a word of a run's statistics.
field() {
  local value
  value=$(tr -d '\n' <"$scratch/$1.json" |
    sed -nE "s/.*\"$2\" *: *([-+.0-9eE]+|true|false).*/\1/p")
  [ -n "$value" ] || fail "the statistics of the $1 run have no '$2'"
  printf '%s' "$value"
}

step "forward and backward, cold and warm"
measured forward-cold
measured backward-cold --training
measured forward-warm
measured backward-warm --training

printf '\n%-22s %12s %12s\n' "" "cold" "warm"
for pass in forward backward; do
  for name in compile_s first_result_s process_s; do
    cold=$(field $pass-cold $name)
    warm=$(field $pass-warm $name)
    awk -v what="$pass ${name%_s}" -v c="$cold" -v w="$warm" 'BEGIN {
      gsub(/_/, " ", what)
      printf "%-22s %9.2f ms %9.2f ms\n", what, c * 1000, w * 1000 }'
  done
  [ "$(field $pass-warm compiler_loaded)" = false ] ||
    fail "the warm $pass run loaded the compiler, expected a cache hit"
done
printf '\nall steps succeeded; the tools are in build/bin/\n'

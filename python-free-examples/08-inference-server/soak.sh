#!/bin/sh
# A server under load for minutes, watched for growth of its memory. See README.md.
# soak.sh INFERENCE-SERVER LOAD-TEST [SECONDS]; kiln-compile is in PATH.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
seconds=${3:-600}
scratch=$(mktemp -d)
server=""
end() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  rm -rf "$scratch"
}
trap end EXIT

kiln-compile "$here/model.mlir" -o "$scratch/model.kiln"
: >"$scratch/log"
# With one arena that gives back what is free, what is resident is what is held; with an
# arena a thread it goes up and down by half, and says nothing.
MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=131072 \
  "$1" "$scratch/model.kiln" >"$scratch/log" &
server=$!
port=""
while [ -z "$port" ]; do
  kill -0 "$server"
  port=$(sed -n 's/^listening on .*://p' "$scratch/log")
  [ -n "$port" ] || sleep 0.05
done

# Kilobytes in memory, threads and open files of the server.
resident() { sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$server/status"; }
threads() { sed -n 's/^Threads:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$server/status"; }
files() { ls "/proc/$server/fd" | wc -l; }

# A round sends what must be refused, then rows of eight clients.
start=$(date +%s) early=0 late=0 told=0
echo "seconds   resident   threads   open files   a round of the load test"
while :; do
  round=$("$2" "$port" 8 "${REQUESTS:-1000}")
  now=$(($(date +%s) - start))
  # What grows has a higher top in the later half.
  size=$(resident)
  if [ $((now * 2)) -lt "$seconds" ]; then
    [ "$size" -le "$early" ] || early=$size
  else
    [ "$size" -le "$late" ] || late=$size
  fi
  if [ $((now - told)) -ge 30 ] || [ "$now" -ge "$seconds" ]; then
    told=$now
    printf '%7d %7d kB %9d %12d   %s\n' "$now" "$size" "$(threads)" "$(files)" "$round"
  fi
  [ "$now" -lt "$seconds" ] || break
done
if [ "$late" -gt $((early + early / 20)) ]; then
  echo "soak: error: up to $late kB were resident in the second half, expected at most" \
    "a twentieth more than the $early kB of the first" >&2
  exit 1
fi
echo "up to $early kB in the first half, up to $late kB in the second"

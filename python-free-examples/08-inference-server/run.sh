#!/bin/sh
# A server under load. See README.md.
# run.sh INFERENCE-SERVER LOAD-TEST; kiln-compile is in PATH.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
server=""
end() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  rm -rf "$scratch"
}
trap end EXIT

kiln-compile "$here/model.mlir" -o "$scratch/model.kiln"
: >"$scratch/log" # is there before the server writes
"$1" "$scratch/model.kiln" >"$scratch/log" &
server=$!
port=""
while [ -z "$port" ]; do
  kill -0 "$server" # ends the script if the server has ended
  port=$(sed -n 's/^listening on .*://p' "$scratch/log")
  [ -n "$port" ] || sleep 0.05
done
"$2" "$port" 8 "${REQUESTS:-100}"
kill "$server"
wait "$server"
server=""

# What is no model is refused at the start.
if "$1" "$here/model.mlir.none" 2>"$scratch/err"; then exit 1; fi
grep 'inference-server: error: ' "$scratch/err"

#!/usr/bin/env bash
# Two machines and a Redis: each has a network, a host name, a home with a key and
# a cache folder of its own; the server is a third. What the first one compiles the
# second one, which trusts its key, only loads.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: two-machines.sh BUILD MODEL [kiln-run's flags]

Needs root, for network name spaces, and redis-server. Prints a line for each start
and exits with 1 if the second machine compiled anything, took a second or more, or
gave other numbers.

  two-machines.sh build test/Inputs/pt2/attention_static/train.pt2 --inputs=random:1
TEXT
}
case "${1-}" in
-h | --help)
  usage
  exit 0
  ;;
esac
if [ $# -lt 2 ]; then
  usage >&2
  exit 2
fi
build=$(cd "$1" && pwd) model=$(realpath "$2")
shift 2
flags=("$@")
for tool in ip unshare redis-server python3; do
  command -v "$tool" >/dev/null || {
    echo "two-machines: error: '$tool' is missing" >&2
    exit 4
  }
done

folder=$(mktemp -d)
name=kiln$$
server=""
cleanup() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  for machine in redis one two; do
    ip netns del "$name-$machine" 2>/dev/null || true
  done
  rm -rf "$folder"
}
trap cleanup EXIT

# --- The network: a switch where the server is ------------------------------

for machine in redis one two; do
  ip netns add "$name-$machine" || {
    echo "two-machines: error: no network name spaces here; expected root" >&2
    exit 4
  }
done
in_redis=(ip netns exec "$name-redis")
"${in_redis[@]}" ip link add switch type bridge
"${in_redis[@]}" ip addr add 10.99.0.1/24 dev switch
"${in_redis[@]}" ip link set switch up
address=2
for machine in one two; do
  ip link add "$machine" netns "$name-redis" type veth \
    peer name eth0 netns "$name-$machine"
  "${in_redis[@]}" ip link set "$machine" master switch up
  ip netns exec "$name-$machine" ip addr add "10.99.0.$address/24" dev eth0
  ip netns exec "$name-$machine" ip link set eth0 up
  address=$((address + 1))
done
"${in_redis[@]}" redis-server --bind 10.99.0.1 --protected-mode no --save "" \
  --dir "$folder" >"$folder/redis.log" &
server=$!
for _ in $(seq 200); do
  grep -q "Ready to accept" "$folder/redis.log" && break
  sleep 0.05
done

# --- The machines -----------------------------------------------------------

# on MACHINE COMMAND...: with its network, host name and home.
on() {
  local machine=$1
  shift
  mkdir -p "$folder/$machine/state"
  ip netns exec "$name-$machine" unshare --uts -- sh -c \
    'hostname "$0" && exec "$@"' "$machine" env -i PATH="$PATH" \
    HOME="$folder/$machine" XDG_STATE_HOME="$folder/$machine/state" \
    TMPDIR="$folder/$machine" TORCHINDUCTOR_FX_GRAPH_REMOTE_CACHE=1 \
    TORCHINDUCTOR_AUTOGRAD_REMOTE_CACHE=1 TORCHINDUCTOR_REDIS_HOST=10.99.0.1 \
    ${environment[@]+"${environment[@]}"} "$@"
}
run() {
  on "$1" "$build/bin/kiln-run" "$model" "${flags[@]}" --stats
}
summary='
import json, sys
what, stats = sys.argv[1], json.loads(open(sys.argv[2]).read().splitlines()[-1])
cache = stats["cache"]
print(f"""{what}: compiled {stats["graphs_compiled"]} programs and {stats["kernels_compiled"]} kernels, remote hits {cache["remote_hits"]}, process to first result {stats["time"]["process_s"]:.3f} s""")
for reason in cache["miss_reasons"]:
    print("  " + reason)
if sys.argv[3:] == ["check"]:
    sys.exit(stats["graphs_compiled"] or stats["kernels_compiled"] or
             stats["compiler_loaded"] or stats["time"]["process_s"] >= 1)
'
environment=()
public=$(on one "$build/bin/kiln-cache" key-gen "$folder/one/key" |
  grep -o '[^ ]*:[A-Za-z0-9+/]*=')
environment=(KILN_CACHE_KEY_FILE="$folder/one/key")
run one >"$folder/first"
python3 -c "$summary" "machine one, cold " "$folder/first"
on two "$build/bin/kiln-cache" key-gen "$folder/two/key" >/dev/null
environment=(KILN_CACHE_KEY_FILE="$folder/two/key"
  KILN_CACHE_TRUSTED_KEYS="$public")
run two >"$folder/second"
python3 -c "$summary" "machine two, cold " "$folder/second" check
kill "$server"
wait "$server" 2>/dev/null || true
server=""
run two >"$folder/third"
python3 -c "$summary" "machine two, warm " "$folder/third" check

# usage: with-redis.sh MODEL   four runs with a redis-server of their own
set -eu
command -v redis-server >/dev/null || {
  echo "redis-server is not installed; tools/install-packages.sh installs it" >&2
  exit 1
}
folder=$(mktemp -d /tmp/kiln-redis-XXXXXX)
redis-server --port 0 --unixsocket "$folder/s" --save "" --dir "$folder" \
  >/dev/null &
server=$!
trap 'kill $server 2>/dev/null || true; rm -rf "$folder"' EXIT
for _ in $(seq 500); do
  [ -S "$folder/s" ] && break
  sleep 0.02
done
export KILN_REDIS_URL=unix://$folder/s TORCHINDUCTOR_FX_GRAPH_REMOTE_CACHE=1
# Deadlines are not what is tested here.
export KILN_REMOTE_BUDGET_MS=20000 KILN_REMOTE_COMPILE_BUDGET_MS=60000
export KILN_REDIS_CONNECT_TIMEOUT_MS=20000 KILN_REDIS_OP_TIMEOUT_MS=20000
run() {
  echo "$1 $(kiln-run "$model" --inputs=random --cache-dir="$2" --stats |
    tr -d '\n')"
}
model=$1
run cold "$folder/a"
run "other folder" "$folder/b"
run warm "$folder/b"
kill $server
wait $server 2>/dev/null || true
run "server away" "$folder/c"

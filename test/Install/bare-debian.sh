#!/usr/bin/env bash
# Installs the Debian packages by apt in a Debian 12 that has nothing else, and uses
# them as people do. ctest unpacks the packages (install.packages); that apt installs
# them, and what a user waits for, is seen here, by command.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

usage() {
  cat <<EOF
usage: test/Install/bare-debian.sh [--dev] [BUILD [ROOT]]

Makes the packages of BUILD (default: build/) by cpack and a minimal Debian 12 in ROOT
(default /var/tmp/kiln-bare-debian; made anew if it is there). Then, in ROOT:

  1. apt installs kiln-runtime: no package of LLVM comes along; the C program of
     python-free-examples/04-from-c, compiled out here, runs a package that was
     compiled out here, and so does kiln-run
  2. apt installs kiln-tools: within 10 s of the call of apt-get a model is compiled and
     run; LLVM, which is Debian's, is there before, since its way here is not Kiln's
  3. with --dev, apt installs libkiln-dev and what the examples want, and all examples
     are built and run from /usr/share/kiln/examples

Needs root, and debootstrap (installed if missing). Exit code: 0 if all of that held.
EOF
}

dev=no
while [ $# -gt 0 ]; do
  case "$1" in
  -h | --help) usage; exit 0 ;;
  --dev) dev=yes; shift ;;
  -*) usage >&2; exit 2 ;;
  *) break ;;
  esac
done
[ $# -le 2 ] || { usage >&2; exit 2; }
build=$(cd "${1:-$source/build}" && pwd) root=${2:-/var/tmp/kiln-bare-debian}
fail() { echo "bare-debian: error: $*" >&2; exit 1; }
[ "$(id -u)" = 0 ] || fail "making a Debian needs root"

# A mount namespace of its own: nothing stays mounted, however this ends.
if [ -z "${KILN_BARE_DEBIAN_INSIDE:-}" ]; then
  options=(); [ $dev = no ] || options+=(--dev)
  KILN_BARE_DEBIAN_INSIDE=1 exec unshare --mount --propagation private \
    bash "$0" ${options[@]+"${options[@]}"} "$build" "$root"
fi

# --- Out here: the packages, a model, a C program ------------------------------

rm -rf --one-file-system "$root" && mkdir -p "$root"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
echo "making the packages"
(cd "$build" && cpack -G DEB -B "$scratch" --config CPackConfig.cmake) >"$scratch/log" 2>&1 ||
  { tail -5 "$scratch/log" >&2; fail "cpack failed"; }
example=$source/python-free-examples/04-from-c
"$build/bin/kiln-compile" "$example/model.mlir" -o "$scratch/model.kiln" \
  --target=x86-64-v3 --target=x86-64-v4
dpkg-deb -x "$scratch"/libkiln-dev_*.deb "$scratch/unpacked"
dpkg-deb -x "$scratch"/kiln-runtime_*.deb "$scratch/unpacked"
lib=$(dirname "$(find "$scratch/unpacked" -name libkiln-c-runtime.so)")
cc -std=c99 -Wall -Wextra -pedantic -Werror -I"$scratch/unpacked/usr/include" \
  "$example/main.c" -o "$scratch/from-c" -L"$lib" -lkiln-c-runtime

# --- The bare Debian -----------------------------------------------------------

command -v debootstrap >/dev/null ||
  { apt-get -qq update && apt-get -qq -y install debootstrap; } >/dev/null
sources=$(ls /etc/apt/sources.list.d/debian.sources 2>/dev/null || ls /etc/apt/sources.list)
mirror=$(grep -hoE '(https?|file):[^ ]*/debian/?( |$)' "$sources" | grep -v security | head -1 | tr -d ' ')
echo "making a bare Debian 12"
debootstrap --variant=minbase bookworm "$root" $mirror >"$scratch/log" 2>&1 ||
  { tail -5 "$scratch/log" >&2; fail "debootstrap failed"; }
# Packages come from where this machine has them, through its proxies.
if [ "${sources##*.}" = sources ]; then
  cp "$sources" "$root/etc/apt/sources.list.d/"; : >"$root/etc/apt/sources.list"
else
  cp "$sources" "$root/etc/apt/"
fi
cp -n /etc/apt/apt.conf.d/* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
cp /etc/resolv.conf "$root/etc/" 2>/dev/null || true
mapfile -t proxies < <(env | grep -iE '^[a-z_]*(proxy|_ca_bundle|ssl_cert_file)=' || true)
mkdir "$root/w"
cp "$scratch"/*.deb "$scratch/model.kiln" "$scratch/from-c" "$example/model.mlir" "$root/w/"
mount -t proc proc "$root/proc"; mount --rbind /dev "$root/dev"

# inside COMMAND: in the bare Debian, in the folder with the packages.
inside() {
  chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
    TERM=dumb DEBIAN_FRONTEND=noninteractive ${proxies[@]+"${proxies[@]}"} \
    bash -euo pipefail -c "cd /w && $1"
}
# apt PACKAGE...: installs them, without what is merely recommended; prints the time.
apt() {
  local start=$SECONDS
  inside "apt-get -q -y --no-install-recommends install $*" >"$scratch/log" 2>&1 ||
    { tail -5 "$scratch/log" >&2; fail "apt-get install $* failed"; }
  echo "apt-get install $*: $((SECONDS - start)) s"
}
inside "apt-get -q update" >"$scratch/log" 2>&1 || fail "apt-get update failed"

echo "--- 1. kiln-runtime"
apt "./kiln-runtime_*.deb"
if inside "dpkg-query -W" | grep -iE 'llvm|mlir'; then
  fail "kiln-runtime brought LLVM"
fi
inside "ldd from-c && ldd /usr/bin/kiln-run" | tee "$scratch/ldd"
if grep -iE 'llvm|mlir|not found' "$scratch/ldd"; then
  fail "a program of the runtime loads LLVM, or something that is not there"
fi
inside "./from-c model.kiln" | tee "$scratch/out"
printf '0.0320586\n0.0871443\n0.236883\n0.643914\n' | diff - "$scratch/out" ||
  fail "the C program gave other numbers"
inside "kiln-run model.kiln --inputs=random:1 --stats" >"$scratch/stats"
grep -q '"compiler_loaded":false' "$scratch/stats" || fail "kiln-run loaded a compiler"

echo "--- 2. kiln-tools"
apt libmlir-22
start=$(date +%s%N)
apt "./kiln-tools_*.deb"
inside "kiln-opt --kiln-core --kiln-loop model.mlir" >"$scratch/out"
grep -q loop.kernel "$scratch/out" || fail "kiln-opt made no kernel"
inside "kiln-compile model.mlir -o again.kiln && kiln-run again.kiln --inputs=random:1"
inside "kiln-run model.mlir --inputs=random:1 --no-cache --stats" >"$scratch/stats"
grep -q '"compiler_loaded":true' "$scratch/stats" || fail "kiln-run found no compiler"
took=$((($(date +%s%N) - start) / 1000000))
echo "from apt-get install to compiled and run: $took ms"
[ $took -lt 10000 ] || fail "that took $took ms, expected less than 10,000"
for tool in $(inside "dpkg -L kiln-runtime kiln-tools" | sed -n 's|^/usr/bin/||p'); do
  inside "$tool --version" | grep -q "^$tool [0-9]" || fail "$tool does not say its version"
  inside "dpkg -L kiln-runtime kiln-tools" | grep -q "/man1/$tool.1" || fail "$tool has no man page"
  echo "$tool starts, and has a man page"
done

if [ $dev = yes ]; then
  echo "--- 3. libkiln-dev"
  apt "./libkiln-dev_*.deb" g++ cmake ninja-build libcpp-httplib-dev nlohmann-json3-dev
  for folder in "$root"/usr/share/kiln/examples/[0-9]*; do
    name=$(basename "$folder") start=$SECONDS
    inside "cmake -G Ninja -S /usr/share/kiln/examples/$name -B $name -DCMAKE_BUILD_TYPE=Release &&
      ninja -C $name && ctest --test-dir $name --output-on-failure" >"$scratch/log" 2>&1 ||
      { tail -20 "$scratch/log" >&2; fail "example $name failed"; }
    echo "$name: built and run in $((SECONDS - start)) s"
  done
fi
echo "all of that held"

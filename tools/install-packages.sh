#!/usr/bin/env bash
# Installs what Kiln is built from on Debian 12. This is the one place where the
# packages are listed.
set -euo pipefail

# Compiler, tools of the build and of cpack, libraries, tests; OpenBLAS is for
# bench/ only.
packages=(
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools
  clang-22 lld-22 libclang-rt-22-dev
  cmake ninja-build ccache python3 dpkg-dev file
  libhiredis-dev libssl-dev nlohmann-json3-dev libspdlog-dev libfmt-dev
  libzstd-dev zlib1g-dev
  libgtest-dev libgmock-dev libbenchmark-dev redis-server strace libcpp-httplib-dev
  libopenblas-dev
)

fail() {
  echo "install-packages: error: $*" >&2
  exit 1
}

case "${1:-}" in
-h | --help)
  cat <<EOF
usage: tools/install-packages.sh [--list]

Installs the missing ones of Kiln's packages with apt-get (through sudo unless
root). Does nothing when all are there. --list prints the packages.
EOF
  exit 0
  ;;
--list)
  printf '%s\n' "${packages[@]}"
  exit 0
  ;;
"") ;;
*)
  echo "install-packages: error: unknown argument '$1', expected -h or --list" >&2
  exit 2
  ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "install-packages: error: this is not a Debian system; install by hand:" \
    "${packages[*]}" >&2
  exit 4
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "install-packages: error: needs root or sudo to install:" \
      "${missing[*]}" >&2
    exit 4
  fi
  as_root=(sudo)
fi

echo "installing ${missing[*]}"
if [ ${#as_root[@]} -gt 0 ]; then
  sudo -v # asks for the password while nothing else is written
fi
progress=$(dirname "${BASH_SOURCE[0]}")/with-progress.sh
"$progress" "reading the list of packages" ${as_root[@]+"${as_root[@]}"} \
  apt-get -q update || fail "apt-get update failed"
# Services are not started: tests start a redis-server of their own.
"$progress" "installing packages" ${as_root[@]+"${as_root[@]}"} \
  env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
  apt-get -q -y --no-install-recommends install "${missing[@]}" ||
  fail "apt-get failed"

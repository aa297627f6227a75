#!/bin/sh
# A C program that runs a package. See README.md.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../../build}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

echo "== the package, for two kinds of processors"
"$build/bin/kiln-compile" "$here/model.mlir" -o "$scratch/model.kiln" \
  --target=x86-64-v3 --target=x86-64-v4
echo "== the program, C99"
# shellcheck disable=SC2086
"${CC:-cc}" -std=c99 -Wall -Wextra -pedantic -Werror ${CFLAGS:-} \
  -I"$here/../../include" "$here/main.c" -o "$scratch/main" \
  -L"$build/lib" -lkiln-c-runtime -Wl,-rpath,"$build/lib"
if ldd "$scratch/main" | grep -E 'LLVM|MLIR|Compiler'; then
  echo "expected no compiler among its libraries" >&2
  exit 1
fi
echo "== its results, alone in the world"
env -i "$scratch/main" "$scratch/model.kiln" | tee "$scratch/out"
printf '0.0320586\n0.0871443\n0.236883\n0.643914\n' | diff - "$scratch/out"

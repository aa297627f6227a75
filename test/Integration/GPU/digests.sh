#!/bin/sh
# Whether the kernels of Inputs have the PTX that bench/gpu.md was measured with.
#
#   digests.sh BUILD                   compare with bench/gpu-digests.txt; 1 where they differ
#   digests.sh BUILD measured          write the digests anew: the tables are of these kernels
#   digests.sh BUILD 'not re-measured: WHY'   the same, where kernels changed and tables did not
#
# The first line of the file says which LLVM made the PTX: 77 where it is another one here. The
# others are the digest of a kernel's PTX, its target, its name, and what is known of its times.
# BUILD is a build folder with kiln-opt and kiln-translate.
set -eu
[ $# -ge 1 ] || { sed -n 2,10p "$0" >&2; exit 2; }
build=$1 state=${2-}
here=$(cd "$(dirname "$0")" && pwd)
manifest=$here/../../../bench/gpu-digests.txt
case $state in
'' | measured | 'not re-measured: '?*) ;;
*) echo "digests.sh: found '$state', expected measured or 'not re-measured: WHY'" >&2; exit 2 ;;
esac
llvm="LLVM $("$build/bin/kiln-translate" --version | grep -o 'LLVM [0-9.]*' | cut -d' ' -f2)"
if [ -z "$state" ] && ! head -n 1 "$manifest" | grep -qxF "$llvm"; then
  echo "PTX is of $llvm here, and of $(head -n 1 "$manifest") in bench/gpu-digests.txt"
  exit 77
fi
now=$(mktemp)
trap 'rm -f "$now" "$now.ptx"' EXIT
for source in "$here"/Inputs/*.mlir; do
  for chip in sm_80 sm_90a; do
    "$build/bin/kiln-opt" --kiln-gpu=chip=$chip "$source" > "$now.ptx"
    digest=$("$build/bin/kiln-translate" --gpu-to-ptx - < "$now.ptx" | sha256sum | cut -c1-32)
    echo "$digest $chip $(basename "$source" .mlir)"
  done
done > "$now"
if [ -n "$state" ]; then
  touch "$manifest"
  # A kernel that is as it was keeps what is known of it.
  awk -v state="$state" '
    isOld { known[$1 " " $2 " " $3] = $0; next }
    { print state != "measured" && $0 in known ? known[$0] : $0 " " state }' \
    isOld=1 "$manifest" isOld=0 "$now" > "$now.ptx"
  { echo "$llvm"; cat "$now.ptx"; } > "$manifest"
  exit 0
fi
awk '
  isOld && FNR == 1 { next }
  isOld { digest[$2 " " $3] = $1; next }
  { key = $2 " " $3; seen[key] = 1 }
  digest[key] != $1 {
    print "PTX of " $3 " for " $2 " is " $1 ", but " \
          (digest[key] ? digest[key] : "nothing") " in bench/gpu-digests.txt"
    differs = 1
  }
  END {
    for (key in digest)
      if (!(key in seen)) {
        print "bench/gpu-digests.txt has " key ", of which there is no kernel"
        differs = 1
      }
    if (differs)
      print "expected tables in bench/gpu.md of the kernels that are emitted: measure them and " \
            "run digests.sh BUILD measured, or say why not"
    exit differs
  }' isOld=1 "$manifest" isOld=0 "$now"

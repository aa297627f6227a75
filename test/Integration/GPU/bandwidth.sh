#!/bin/sh
# bandwidth.sh BUILD OUT [CHIP]: a case to be measured of each kernel in Inputs.
set -eu
build=$1 out=$2 chip=${3:-sm_90a}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
for source in "$here"/Inputs/*.mlir; do
  name=$(basename "$source" .mlir)
  "$build/bin/kiln-opt" --kiln-gpu=chip="$chip" "$source" > "$out/$name.mlir"
  "$build/bin/kiln-translate" --gpu-to-ptx "$out/$name.mlir" > "$out/$name.ptx"
  python3 - "$out/$name" <<'PYTHON'
import re
import sys
text = open(sys.argv[1] + ".mlir").read()
ptx = open(sys.argv[1] + ".ptx", "rb").read()
launch = re.search(r"loop\.launch_grid.*", text).group()
operands, results = re.search(r": \(([^()]*)\) -> (.*)$", launch).groups()
size = {"f32": 4, "bf16": 2, "i64": 8}
lines = ["kiln-grid 1", f"ptx {len(ptx)}", "time 20"]
tensors = re.findall(r"tensor<((?:\d+x)+)(\w+)>", operands + results)
for dims, element in tensors:
    count = size[element]
    for dim in dims[:-1].split("x"):
        count *= int(dim)
    lines.append(f"buffer {element} {count} 0 0")
for step in re.findall(r"#loop\.step<kernel = @(\w+), symbols = \[\], "
                       r"blocks = <(\d+)>, threads = (\d+)>", launch):
    lines.append("step 0 %s %s %s" % step + "".join(
        f" b{k}" for k in range(len(tensors))) + " n0")
with open(sys.argv[1] + ".grid", "wb") as out:
    out.write("\n".join(lines + ["end", ""]).encode() + ptx)
PYTHON
done

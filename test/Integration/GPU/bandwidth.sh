#!/bin/sh
# bandwidth.sh BUILD OUT [CHIP]: a case to be measured of each kernel in Inputs. What it has to
# compute is said by a first line "// operations NUMBER".
set -eu
build=$1 out=$2 chip=${3:-sm_90a}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
for source in "$here"/Inputs/*.mlir; do
  name=$(basename "$source" .mlir)
  "$build/bin/kiln-opt" --kiln-gpu=chip="$chip" "$source" > "$out/$name.mlir"
  "$build/bin/kiln-translate" --gpu-to-ptx "$out/$name.mlir" > "$out/$name.ptx"
  python3 - "$out/$name" "$source" <<'PYTHON'
import re
import sys
text = open(sys.argv[1] + ".mlir").read()
ptx = open(sys.argv[1] + ".ptx", "rb").read()
launch = re.search(r"loop\.launch_grid.*", text).group()
operands, results = re.search(r": \(([^()]*)\) -> (.*)$", launch).groups()
size = {"f32": 4, "bf16": 2, "i64": 8}
buffers = []
for dims, element in re.findall(r"tensor<((?:\d+x)*)(\w+)>", operands + results):
    count = size[element]
    for dim in dims.split("x")[:-1]:
        count *= int(dim)
    buffers.append((element, count))
moved = sum(count for _, count in buffers)
workspace = re.search(r" workspace (\d+)", launch)
if workspace:
    buffers.append(("i8", int(workspace.group(1))))
arguments = "".join(f" b{k}" for k in range(len(buffers)))
if not workspace:
    arguments += " n0"
operations = re.match(r"// operations (\d+)", open(sys.argv[2]).read())
count = f" {operations.group(1)}" if operations else ""
lines = ["kiln-grid 1", f"ptx {len(ptx)}", f"time 20 {moved}{count}"]
lines += [f"buffer {element} {count} 0 0" for element, count in buffers]
lines += ["step 0 %s %s %s" % step[:3] + arguments + (step[3] and f" s{step[3]}")
          for step in re.findall(r"#loop\.step<kernel = @(\w+), symbols = \[\], "
                                 r"blocks = <(\d+)>, threads = (\d+)"
                                 r"(?:, shared = (\d+))?>", launch)]
with open(sys.argv[1] + ".grid", "wb") as out:
    out.write("\n".join(lines + ["end", ""]).encode() + ptx)
PYTHON
done

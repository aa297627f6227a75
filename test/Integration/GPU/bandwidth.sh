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
numbers = lambda text: re.findall(r"\d+", re.sub(r"#\S*?<", "", text))
steps = []
for step in re.split(r"#loop\.step<", launch)[1:]:
    kernel, blocks, threads = re.match(
        r"kernel = @(\w+), symbols = \[\], blocks = <(\d+)>, threads = (\d+)",
        step).groups()
    shared = re.search(r"shared = (\d+)", step)
    more = f" s{shared.group(1)}" if shared else ""
    for found in re.finditer(
            r"tensor_map<pointer = (\d+), element = (\w+), offset = <(\d+)>, "
            r"sizes = \[(.*?)\], strides = \[(.*?)\], box = (.*?), swizzle = (\d+)>",
            step):
        pointer, element, offset, sizes, strides, box, swizzle = found.groups()
        sizes, strides = numbers(sizes), numbers(strides)
        box = re.findall(r"\d+", re.sub(r"i64", "", box))
        more += f" m{sum(line.startswith('map') for line in lines)}"
        lines.append(" ".join(["map", pointer, element, offset, swizzle,
                               str(len(sizes)), *sizes, *strides, *box]))
    steps.append(f"step 0 {kernel} {blocks} {threads}{arguments}{more}")
lines += steps
with open(sys.argv[1] + ".grid", "wb") as out:
    out.write("\n".join(lines + ["end", ""]).encode() + ptx)
PYTHON
done

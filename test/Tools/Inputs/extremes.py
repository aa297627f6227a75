# extremes.py FILE.npy: the least and the greatest of a file of f32, or of bf16, which
# is written as unsigned integers of 16 bits.
import ast
import struct
import sys

data = open(sys.argv[1], "rb").read()
start = 10 + struct.unpack("<H", data[8:10])[0]
dtype = ast.literal_eval(data[10:start].decode().strip())["descr"]
data = data[start:]
if dtype == "<u2":  # the upper half of an f32
    data = b"".join(b"\0\0" + data[i : i + 2] for i in range(0, len(data), 2))
else:
    assert dtype == "<f4", dtype
values = struct.unpack(f"<{len(data) // 4}f", data)
print(f"min={min(values):.3g} max={max(values):.3g}")

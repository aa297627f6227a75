# compare.py TOLERANCE FOLDER FOLDER: whether all .npy of f32 in one folder are those in the
# other, but for TOLERANCE times the largest value.
import os
import struct
import sys


def read(path):
    data = open(path, "rb").read()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    assert b"'<f4'" in data[10:start], path
    return struct.unpack(f"<{(len(data) - start) // 4}f", data[start:])


tolerance, left, right = float(sys.argv[1]), sys.argv[2], sys.argv[3]
names = sorted(os.listdir(left))
assert names and names == sorted(os.listdir(right)), names
for name in names:
    one, other = (read(os.path.join(folder, name)) for folder in (left, right))
    assert len(one) == len(other)
    largest = max(map(abs, other))
    apart = max(abs(x - y) for x, y in zip(one, other))
    same = largest > 0 and apart <= tolerance * largest
    print(name, "same" if same else f"differs by {apart} of {largest}")

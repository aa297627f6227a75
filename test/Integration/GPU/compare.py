"""Compares .npy files of f32 in two folders: compare.py A B TOLERANCE. They agree if no difference
is larger than TOLERANCE times the largest number."""

import array
import pathlib
import struct
import sys


def read(path):
    data = path.read_bytes()
    (length,) = struct.unpack_from("<H", data, 8)
    if data[:6] != b"\x93NUMPY" or b"'<f4'" not in data[10 : 10 + length]:
        sys.exit("compare.py: %s: expected f32" % path)
    return array.array("f", data[10 + length :])


def main():
    first, second, tolerance = sys.argv[1:]
    names = sorted(path.name for path in pathlib.Path(first).glob("*.npy"))
    if not names:
        sys.exit("compare.py: %s: found no .npy" % first)
    for name in names:
        a, b = (read(pathlib.Path(folder) / name) for folder in (first, second))
        most = max(map(abs, b))
        error = max(abs(x - y) for x, y in zip(a, b))
        # Neither is true of NaN.
        if len(a) != len(b) or not most > 0 or not error <= float(tolerance) * most:
            sys.exit("compare.py: %s: %g apart, of %g at most" % (name, error, most))
        print("%s agrees: %g apart, of %g at most" % (name, error, most))


main()

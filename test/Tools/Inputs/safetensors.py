# Writes small safetensors and .npy files, right and wrong ones, and reads .npy:
#
#   safetensors.py write OUT.safetensors NAME=DTYPE:SIZES:V,V,... ...
#   safetensors.py damage KIND OUT.safetensors
#   safetensors.py npy OUT.npy V,V,...
#   safetensors.py print IN.npy
import json
import struct
import sys

FORMATS = {"F32": "f", "F64": "d", "I64": "q"}


def pack(header, data):
    text = json.dumps(header).encode() if isinstance(header, dict) else header
    return struct.pack("<Q", len(text)) + text + data


def write(path, specs):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for spec in specs:
        name, value = spec.split("=")
        dtype, sizes, numbers = value.split(":")
        raw = b"".join(
            struct.pack("<" + FORMATS[dtype], float(v) if dtype[0] == "F" else int(v))
            for v in numbers.split(",")
        )
        header[name] = {
            "dtype": dtype,
            "shape": [int(s) for s in sizes.split("x")],
            "data_offsets": [len(data), len(data) + len(raw)],
        }
        data += raw
    open(path, "wb").write(pack(header, data))


def damage(kind, path):
    def entry(begin, end, dtype="F32", shape=[2]):
        return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}

    data = bytes(16)
    made = {
        "empty": b"",
        "length": struct.pack("<Q", 1 << 60) + b"{}",
        "json": pack(b'{"w": ', data),
        "deep": pack(b'{"w": ' + b"[" * 1000, data),
        "twice": pack(b'{"w": {}, "w": {}}', data),
        "behind": pack({"w": entry(0, 24, shape=[6])}, data),
        "backwards": pack({"w": entry(8, 0)}, data),
        "shape": pack({"w": entry(0, 16, shape=[2])}, data),
        "huge": pack({"w": entry(0, 16, shape=[1 << 40, 1 << 40])}, data),
        "negative": pack({"w": entry(0, 16, shape=[-4])}, data),
        "dtype": pack({"w": entry(0, 16, dtype="Q7", shape=[4])}, data),
        "overlap": pack({"w": entry(0, 8), "v": entry(4, 12)}, data),
        "gap": pack({"w": entry(0, 4, shape=[1]), "v": entry(8, 16)}, data),
        "rest": pack({"w": entry(0, 8)}, data),
    }
    open(path, "wb").write(made[kind])


def npy(path, numbers):
    values = [float(v) for v in numbers.split(",")]
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    header = header.ljust(117) + "\n"
    magic = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header))
    open(path, "wb").write(
        magic + header.encode() + struct.pack("<%df" % len(values), *values)
    )


def show(path):
    raw = open(path, "rb").read()
    data = raw[10 + struct.unpack("<H", raw[8:10])[0] :]
    print(*struct.unpack("<%df" % (len(data) // 4), data))


command, arguments = sys.argv[1], sys.argv[2:]
if command == "write":
    write(arguments[0], arguments[1:])
elif command == "damage":
    damage(*arguments)
elif command == "npy":
    npy(*arguments)
else:
    show(*arguments)

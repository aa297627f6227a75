"""Structured ops at random, and what they mean, without numpy.

usage: random-linalg.py make SEED COUNT FOLDER     model.mlir, in_<i>.npy
       random-linalg.py check SEED COUNT FOLDER    compares FOLDER/out/out_<i>.npy

A program of COUNT ops: reads that are permuted, broadcast, windows, shifted,
reversed, divided or taken modulo; results that are written transposed; bodies of
arith; all reductions, from neutral and from other values; half of the ops read what an
earlier one gave. Numbers are such that nothing rounds, whatever the order of sums:
results are compared as they are. An op that would round is left out.
"""
import itertools, random, struct, sys


class Rounds(Exception):
    pass


def exact(value, kind):
    """The value in its type; floats with more bits than sums may use are refused."""
    if kind == "i64":
        return (value + 2**63) % 2**64 - 2**63
    if abs(value) >= 2**9 or value * 2**12 != int(value * 2**12):
        raise Rounds
    return value


BINARY = {
    "addf": lambda a, b: a + b, "subf": lambda a, b: a - b, "mulf": lambda a, b: a * b,
    "maximumf": max, "minimumf": min,
    "addi": lambda a, b: a + b, "subi": lambda a, b: a - b, "muli": lambda a, b: a * b,
    "maxsi": max, "minsi": min, "andi": lambda a, b: a & b,
    "ori": lambda a, b: a | b, "xori": lambda a, b: a ^ b}
# The combiners of reductions, and what changes nothing.
NEUTRAL = {
    "f32": {"addf": ("0.0", 0.0), "maximumf": ("0xFF800000", float("-inf")),
            "minimumf": ("0x7F800000", float("inf"))},
    "i64": {"addi": ("0", 0), "muli": ("1", 1), "maxsi": (str(-2**63), -2**63),
            "minsi": (str(2**63 - 1), 2**63 - 1), "andi": ("-1", -1),
            "ori": ("0", 0), "xori": ("0", 0)}}


class Tensor:
    def __init__(self, name, kind, sizes, values):
        self.name, self.kind, self.sizes, self.values = name, kind, sizes, values
        self.type = "tensor<" + "".join(f"{n}x" for n in sizes) + kind + ">"

    def at(self, index):
        flat = 0
        for i, n in zip(index, self.sizes):
            assert 0 <= i < n
            flat = flat * n + i
        return self.values[flat]


def points(sizes):
    return itertools.product(*(range(n) for n in sizes))


class Program:
    def __init__(self, seed, count):
        self.random = random.Random(seed)
        self.inputs, self.results, self.lines = [], [], []
        self.number = 0
        while len(self.results) < count:
            kept = len(self.inputs), len(self.lines)
            try:
                self.results.append(self.op())
            except Rounds:
                del self.inputs[kept[0]:], self.lines[kept[1]:]

    def name(self):
        self.number += 1
        return f"%v{self.number}"

    def draw(self, kind):
        return (self.random.randint(-9, 9) if kind == "i64"
                else self.random.randint(-16, 16) / 8)

    def input(self, kind, sizes):
        tensor = Tensor(self.name(), kind, sizes,
                        [self.draw(kind) for _ in points(sizes)])
        self.inputs.append(tensor)
        return tensor

    def index(self, extents):
        """An index of a read: its text and its function of the iterators."""
        d = self.random.randrange(len(extents))
        e = self.random.randrange(len(extents))
        n, c = extents[d], self.random.randint(1, 3)
        return self.random.choice([
            (f"d{d}", lambda p: p[d]), (f"d{d}", lambda p: p[d]),
            (f"d{d} + d{e}", lambda p: p[d] + p[e]),
            (f"{c} * d{d} + d{e}", lambda p: c * p[d] + p[e]),
            (f"d{d} + {c}", lambda p: p[d] + c),
            (f"{n - 1} - d{d}", lambda p: n - 1 - p[d]),
            (f"d{d} floordiv {c + 1}", lambda p: p[d] // (c + 1)),
            (f"d{d} mod {c + 1}", lambda p: p[d] % (c + 1)),
            (str(c), lambda p: c)])

    def op(self):
        r = self.random
        kind = r.choice(["f32", "i64"])
        earlier = [t for t in self.results if t.kind == kind and len(t.sizes) <= 3]
        first = r.choice(earlier) if earlier and r.random() < 0.5 else None
        extents = list(first.sizes) if first else []
        while len(extents) < 1 or (len(extents) < 5 and r.random() < 0.6):
            extents.append(r.randint(1, 5))
        dims = list(range(len(extents)))
        r.shuffle(dims)
        parallel = sorted(dims[:r.randint(0, min(3, len(dims)))])
        reduction = [d for d in range(len(extents)) if d not in parallel]
        # One operand has each iterator as an index of its own.
        maps = [([f"d{d}" for d in dims], lambda p: [p[d] for d in dims])]
        operands = [self.input(kind, [extents[d] for d in dims])]
        if first:
            k = len(first.sizes)
            maps.append(([f"d{d}" for d in range(k)], lambda p: list(p[:k])))
            operands.append(first)
        for _ in range(r.randint(0, 2)):
            indices = [self.index(extents) for _ in range(r.randint(0, 3))]
            read = lambda p, indices=indices: [f(p) for _, f in indices]
            seen = [read(p) for p in points(extents)]
            sizes = [max(i) + 1 for i in zip(*seen)]
            maps.append(([text for text, _ in indices], read))
            operands.append(self.input(kind, sizes))
        order = list(parallel)
        r.shuffle(order)
        sizes = [extents[d] for d in order]
        maps.append(([f"d{d}" for d in order], lambda p: [p[d] for d in order]))
        return self.emit(kind, extents, reduction, operands, maps, sizes)

    def start(self, kind, combiner, type, sizes):
        """What a result starts from: its name and its values."""
        r, name = self.random, self.name()
        count = len(list(points(sizes)))
        if r.random() < 0.3:
            given = self.input(kind, sizes)
            return given.name, given.values
        text, value = NEUTRAL[kind][combiner] if combiner else ("", 0)
        if not combiner or r.random() < 0.4:
            value = self.draw(kind)
            text = str(value)
        self.lines += [
            f"{name}c = arith.constant {text} : {kind}",
            f"{name}e = tensor.empty() : {type}",
            f"{name} = linalg.fill ins({name}c : {kind}) outs({name}e : {type}) -> {type}"]
        return name, [value] * count

    def body(self, kind, names, extents):
        """Lines of a body, the name of its value, and its function."""
        r = self.random
        terms = [(n, lambda p, x, k=k: x[k]) for k, n in enumerate(names)]
        lines = []
        if kind == "i64" and r.random() < 0.4:
            d, n = r.randrange(len(extents)), self.name()
            lines += [f"{n}i = linalg.index {d} : index",
                      f"{n} = arith.index_cast {n}i : index to i64"]
            terms.append((n, lambda p, x: p[d]))
        ops = [o for o in BINARY if o.endswith("f") == (kind == "f32")]
        while len(terms) > 1:
            (a, f), (b, g) = terms.pop(), terms.pop(r.randrange(len(terms)))
            op, n = r.choice(ops), self.name()
            lines.append(f"{n} = arith.{op} {a}, {b} : {kind}")
            terms.append((n, lambda p, x, f=f, g=g, o=BINARY[op]:
                          exact(o(f(p, x), g(p, x)), kind)))
        return lines, terms[0][0], terms[0][1]

    def emit(self, kind, extents, reduction, operands, maps, sizes):
        r = self.random
        combiner = r.choice(list(NEUTRAL[kind])) if reduction else None
        result = self.name()
        type = Tensor("", kind, sizes, []).type
        start, values = self.start(kind, combiner, type, sizes)
        names = [f"{result}a{k}" for k in range(len(operands))]
        out = f"{result}o"
        reads_out = not reduction and r.random() < 0.4
        lines, last, function = self.body(
            kind, names + ([out] if reads_out else []), extents)
        if combiner:
            lines.append(f"{result}y = arith.{combiner} {out}, {last} : {kind}")
            last = f"{result}y"
        tensor = Tensor(result, kind, sizes, list(values))
        where = {tuple(p): k for k, p in enumerate(points(sizes))}
        weight = [abs(v) if v not in (float("inf"), float("-inf")) else 0
                  for v in values]
        for p in points(extents):
            k = where[tuple(maps[-1][1](p))]
            x = [t.at(m(p)) for t, (_, m) in zip(operands, maps)]
            value = exact(function(p, x + [values[k]]), kind)
            weight[k] += abs(value)
            if kind == "f32":
                exact(weight[k], kind)  # in whatever order they are added
            if combiner:
                value = exact(BINARY[combiner](tensor.values[k], value), kind)
            tensor.values[k] = value
        args = ", ".join(f"d{d}" for d in range(len(extents)))
        texts = ", ".join(f"affine_map<({args}) -> ({', '.join(m)})>" for m, _ in maps)
        kinds = ", ".join('"reduction"' if d in reduction else '"parallel"'
                          for d in range(len(extents)))
        block = ", ".join(f"{n}: {kind}" for n in names + [out])
        self.lines += [
            f"{result} = linalg.generic {{indexing_maps = [{texts}],",
            f"    iterator_types = [{kinds}]}}",
            f"    ins({', '.join(t.name for t in operands)} : "
            f"{', '.join(t.type for t in operands)}) outs({start} : {type}) {{",
            f"^bb0({block}):", *("  " + l for l in lines),
            f"  linalg.yield {last} : {kind}", f"}} -> {type}"]
        return tensor

    def text(self):
        args = ", ".join(f"{t.name}: {t.type}" for t in self.inputs)
        types = ", ".join(t.type for t in self.results)
        names = ", ".join(t.name for t in self.results)
        return "\n".join([f"func.func @main({args}) -> ({types}) {{",
                          *("  " + l for l in self.lines),
                          f"  return {names} : {types}", "}", ""])


CODES = {"f32": ("<f4", "f"), "i64": ("<i8", "q")}


def write_npy(path, tensor):
    descr, code = CODES[tensor.kind]
    shape = "".join(f"{n}, " for n in tensor.sizes)
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode())
        file.write(struct.pack(f"<{len(tensor.values)}{code}", *tensor.values))


def read_npy(path, tensor):
    data = open(path, "rb").read()
    size = 10 + struct.unpack("<H", data[8:10])[0]
    head = data[10:size].decode().replace(" ", "")
    shape = "".join(f"{n}," for n in tensor.sizes)
    if CODES[tensor.kind][0] not in head or f"'shape':({shape})" not in head:
        sys.exit(f"{path}: found {head}, expected {tensor.type}")
    return list(struct.unpack(f"<{len(tensor.values)}{CODES[tensor.kind][1]}", data[size:]))


command, seed, count, folder = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
program = Program(seed, count)
if command == "make":
    open(f"{folder}/model.mlir", "w").write(program.text())
    for k, tensor in enumerate(program.inputs):
        write_npy(f"{folder}/in_{k}.npy", tensor)
    print(",".join(f"{folder}/in_{k}.npy" for k in range(len(program.inputs))))
else:
    wrong = [t.name for k, t in enumerate(program.results)
             if read_npy(f"{folder}/out/out_{k}.npy", t) != t.values]
    if wrong:
        sys.exit(f"seed {seed}: other values: {', '.join(wrong)}")
    print(f"{count} results are right")

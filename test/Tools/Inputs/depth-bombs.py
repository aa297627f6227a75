"""Writes IR that is small as text and deep, long or huge for who reads it."""

import os
import sys

folder, n = sys.argv[1], 10000


def main(body="", attributes="", argument=""):
    return f"func.func @main({argument}) {attributes} {{ {body} return }}"


def nested(opening, inner, closing):
    return opening * n + inner + closing * n


bombs = {
    "affine-parens": "#m = affine_map<(d0) -> (" + nested("(", "d0", ")") + ")>",
    "arrays": main(attributes="attributes {a = " + nested("[", "", "]") + "}"),
    "attributes": main(attributes="attributes " + nested("{b = ", "1", "}")),
    "functions": main(argument="%x: " + nested("(", "", ") -> ()")),
    "guards": "guard.symbol @s0\n"
    + main("guard.assert <" + nested("(", "s0", ")") + ' >= 1>, ""'),
    "locations": main() + " loc(" + nested("fused[", '"a"', "]") + ")",
    "modules": nested('"builtin.module"() ({', "", "})"),
    "regions": main(nested("scf.execute_region {", "scf.yield", "}")),
    "tuples": main(argument="%x: " + nested("tuple<", "f32", ">")),
    "tensor-size": main(argument="%x: tensor<9223372036854775807xf32>"),
    "tensor-bytes": main(argument="%x: tensor<1099511627776x1099511627776xf32>"),
    "memref-bytes": main(
        "%0 = memref.alloc() : memref<1099511627776x1099511627776xf32>"
    ),
    "constant": main(
        "%0 = arith.constant dense<0.0> : tensor<281474976710656xf32>"
    ),
}
for name, text in bombs.items():
    with open(os.path.join(folder, name + ".mlir"), "w") as file:
        file.write(text)

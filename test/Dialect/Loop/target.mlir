// RUN: kiln-opt %s --loop-set-target | FileCheck %s --check-prefix=KEPT
// RUN: kiln-opt --loop-set-target='vector-bits=512 vector-registers=32 masks=true l2-bytes=2097152' %S/Inputs/empty.mlir | FileCheck %s --check-prefix=SET
// RUN: kiln-opt --loop-set-target %S/Inputs/empty.mlir | FileCheck %s --check-prefix=DEFAULT
// RUN: not kiln-opt --loop-set-target=vector-bits=96 %S/Inputs/empty.mlir 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: kiln-opt --loop-set-target='vector-bits=512 bf16=tiles' %S/Inputs/empty.mlir | FileCheck %s --check-prefix=TILES
// RUN: kiln-opt --loop-set-target=stream-bytes=4194304 %S/Inputs/empty.mlir | FileCheck %s --check-prefix=STREAM
// RUN: not kiln-opt --loop-set-target=bf16=pairs %S/Inputs/empty.mlir 2>&1 | FileCheck %s --check-prefix=NARROW

// SET: module attributes {loop.target = #loop.target<vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 2097152, l3 = 16777216, grain_points = 16384, grain_ns = 20000>}
// DEFAULT: loop.target = #loop.target<vector_bits = 256, registers = 16, masks = false, l1 = 32768, l2 = 524288, l3 = 16777216, grain_points = 16384, grain_ns = 20000>
// RANGE: '96' is out of range, expected 128..512, a power of 2
// TILES: grain_ns = 20000, bf16 = tiles>}
// STREAM: grain_ns = 20000, stream = 4194304>}
// NARROW: vector_bits of a target with bf16 = pairs is 512, but found 256

// A module that states its target keeps it.
// KEPT: module attributes {loop.target = #loop.target<vector_bits = 128, registers = 8, masks = false, l1 = 0, l2 = 0, l3 = 0, grain_points = 1, grain_ns = 1>}
module attributes {loop.target = #loop.target<
    vector_bits = 128, registers = 8, masks = false, l1 = 0, l2 = 0, l3 = 0,
    grain_points = 1, grain_ns = 1>} {
}

// A pass on IR of another stage says so: an error where it would leave work
// undone, a warning where there is nothing left to do.
// RUN: split-file %s %t
// RUN: not kiln-opt %t/aten.mlir --convert-loop-to-scf 2>&1 | FileCheck %s --check-prefix=SCF
// SCF: error: 'aten.relu' op belongs to stages 'capture' to 'joint', but 'convert-loop-to-scf' takes IR of stage 'loop'; run 'kiln-loop' first
// RUN: not kiln-opt %t/aten.mlir --loop-fuse 2>&1 | FileCheck %s --check-prefix=FUSE
// FUSE: error: 'aten.relu' op belongs to stages 'capture' to 'joint', but 'loop-fuse' takes IR of stage 'loop'; run 'kiln-loop' first
// RUN: not kiln-opt %t/aten.mlir --program-join-launches 2>&1 | FileCheck %s --check-prefix=JOIN
// JOIN: error: 'aten.relu' op belongs to stages 'capture' to 'joint', but 'program-join-launches' takes IR of stage 'package'; run 'kiln-loop' first
// RUN: not kiln-opt %t/aten.mlir --joint-partition 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: error: {{.*}}has no 'joint.graph' to cut in two; run 'joint-differentiate' first
// RUN: not kiln-opt %t/loop.mlir --convert-loop-to-scf 2>&1 | FileCheck %s --check-prefix=NEST
// NEST: error: 'loop.pointwise' op stands in no 'loop.kernel', of which code is made; run 'loop-fuse' first
// RUN: kiln-opt %t/loop.mlir --aten-decompose 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: warning: 'loop.pointwise' op belongs to stage 'loop', but 'aten-decompose' takes IR of stages 'capture' to 'joint'; there is nothing left for it to do
// RUN: not kiln-opt %t/loop.mlir --kiln-core 2>&1 | FileCheck %s --check-prefix=CORE
// CORE: error: 'loop.pointwise' op belongs to stage 'loop', but the IR is to be of stage 'core'; it comes from 'kiln-loop'
// RUN: not kiln-opt %t/nested.mlir --convert-aten-to-loop 2>&1 | FileCheck %s --check-prefix=NESTED
// NESTED: error: 'aten.relu' op is out of reach of 'convert-aten-to-loop'
// NESTED: note: it stands inside of 'scf.for': passes rewrite what stands at the top of a 'func.func'
// RUN: not kiln-opt %t/nested.mlir --kiln-core --kiln-loop 2>&1 | FileCheck %s --check-prefix=NESTED
// RUN: not kiln-compile %t/nested.mlir -o %t/out.kiln 2>&1 | FileCheck %s --check-prefix=TOOL
// TOOL: error: stage 'loop': 'aten.relu' op is out of reach of 'convert-aten-to-loop'

//--- aten.mlir
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = aten.relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- loop.mlir
func.func @f() -> tensor<4xf32> {
  %0 = loop.pointwise (%i) in [4] : tensor<4xf32> {
    %one = arith.constant 1.0 : f32
    loop.yield %one : f32
  }
  return %0 : tensor<4xf32>
}

//--- nested.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %x) -> tensor<4xf32> {
    %0 = aten.relu(%t) : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

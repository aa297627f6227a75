// RUN: kiln-opt %s --convert-loop-to-nvvm | FileCheck %s

// An image twice as large: both lanes of a thread have the one element that is read.
// CHECK-LABEL: llvm.func @twice
// CHECK: %[[X:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> f32
// CHECK: vector.broadcast %[[X]] : f32 to vector<2xf32>
module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  func.func @main(%x: tensor<2x4x4xf32>) -> (tensor<2x8x8xf32>, tensor<2x4x4xf32>) {
    %r:2 = loop.kernel @twice ins(%a = %x : tensor<2x4x4xf32>) shared [2]
        schedule #loop.gpu_rows<threads = 256, rows = 1, lanes = 2, steps = 0> -> (tensor<2x8x8xf32>, tensor<2x4x4xf32>) {
      %s = loop.pointwise (%i, %j, %k) in [2, 8, 8] : tensor<2x8x8xf32> {
        %e = loop.load %a[%i, floordiv(%j, 2), floordiv(%k, 2)] : tensor<2x4x4xf32>
        loop.yield %e : f32
      }
      %t = loop.pointwise (%i, %j, %k) in [2, 4, 4] : tensor<2x4x4xf32> {
        %e = loop.load %a[%i, %j, %k] : tensor<2x4x4xf32>
        loop.yield %e : f32
      }
      loop.return %s, %t : tensor<2x8x8xf32>, tensor<2x4x4xf32>
    }
    return %r#0, %r#1 : tensor<2x8x8xf32>, tensor<2x4x4xf32>
  }
}

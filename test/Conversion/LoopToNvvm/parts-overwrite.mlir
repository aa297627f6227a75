// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-schedule \
// RUN:   --convert-loop-to-nvvm | FileCheck %s

// What is made of columns may lie where the like lay that it is made of: one thread reads, and
// then writes, an element of it.

// CHECK-LABEL: func.func @update
// CHECK: loop.launch_grid
// CHECK-SAME: overwrites = array<i64: 0, 1>
func.func @update(%x: tensor<16384x4096xf32>, %m: tensor<4096xf32>) -> tensor<4096xf32> {
  %r = loop.kernel @update ins(%a = %x : tensor<16384x4096xf32>, %b = %m : tensor<4096xf32>) shared [4096] -> tensor<4096xf32> {
    %s = loop.reduce parallel (%j) in [4096] reduction (%i) in [16384] <sum> : tensor<4096xf32> {
      %e = loop.load %a[%i, %j] : tensor<16384x4096xf32>
      loop.yield %e : f32
    }
    %t = loop.pointwise (%j) in [4096] : tensor<4096xf32> {
      %old = loop.load %b[%j] : tensor<4096xf32>
      %new = loop.load %s[%j] : tensor<4096xf32>
      %sum = arith.addf %old, %new : f32
      loop.yield %sum : f32
    }
    loop.return %t : tensor<4096xf32>
  }
  return %r : tensor<4096xf32>
}

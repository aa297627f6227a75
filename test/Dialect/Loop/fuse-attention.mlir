// RUN: kiln-opt %s --loop-inline-virtual --loop-fuse --loop-share-rows --loop-fuse-products="min-product=1 min-rows=1" | FileCheck %s

// Attention that counts batch and heads as one is one kernel, whatever the order in which
// its result is stored then: two of a batch, three heads.

// CHECK-LABEL: func.func @heads
// CHECK: loop.kernel {{.*}} shared [6, 9]
// CHECK: loop.contract parallel [6, 9, 7] reduction [4]
// CHECK: loop.reduce
// CHECK: loop.reduce
// CHECK: loop.contract parallel [6, 9, 5] reduction [7]
// CHECK: loop.kernel
// CHECK: loop.contract parallel [18, 11] reduction [15]
func.func @heads(%q: tensor<6x9x4xf32>, %k: tensor<6x7x4xf32>, %v: tensor<6x7x5xf32>,
    %u: tensor<11x15xf32>) -> tensor<18x11xf32> {
  %s = loop.contract parallel [6, 9, 7] reduction [4] lhs %q[d0, d1, d3] : tensor<6x9x4xf32>
      rhs %k[d0, d2, d3] : tensor<6x7x4xf32> acc f32 : tensor<6x9x7xf32>
  %m = loop.reduce parallel (%n, %i) in [6, 9] reduction (%j) in [7] <max> : tensor<6x9xf32> {
    %x = loop.load %s[%n, %i, %j] : tensor<6x9x7xf32>
    loop.yield %x : f32
  }
  %e = loop.pointwise (%n, %i, %j) in [6, 9, 7] : tensor<6x9x7xf32> {
    %x = loop.load %s[%n, %i, %j] : tensor<6x9x7xf32>
    %y = loop.load %m[%n, %i] : tensor<6x9xf32>
    %z = arith.subf %x, %y : f32
    %w = math.exp %z : f32
    loop.yield %w : f32
  }
  %t = loop.reduce parallel (%n, %i) in [6, 9] reduction (%j) in [7] <sum> : tensor<6x9xf32> {
    %x = loop.load %e[%n, %i, %j] : tensor<6x9x7xf32>
    loop.yield %x : f32
  }
  %p = loop.pointwise (%n, %i, %j) in [6, 9, 7] : tensor<6x9x7xf32> {
    %x = loop.load %e[%n, %i, %j] : tensor<6x9x7xf32>
    %y = loop.load %t[%n, %i] : tensor<6x9xf32>
    %z = arith.divf %x, %y : f32
    loop.yield %z : f32
  }
  %c = loop.contract parallel [6, 9, 5] reduction [7] lhs %p[d0, d1, d3] : tensor<6x9x7xf32>
      rhs %v[d0, d3, d2] : tensor<6x7x5xf32> acc f32 : tensor<6x9x5xf32>
  %r = loop.pointwise (%i, %j) in [18, 15] : tensor<18x15xf32> {
    %x = loop.load %c[floordiv(%i, 9) * 3 + floordiv(%j, 5), mod(%i, 9), mod(%j, 5)] : tensor<6x9x5xf32>
    %y = arith.negf %x : f32
    loop.yield %y : f32
  }
  %o = loop.contract parallel [18, 11] reduction [15] lhs %r[d0, d2] : tensor<18x15xf32>
      rhs %u[d1, d2] : tensor<11x15xf32> acc f32 : tensor<18x11xf32>
  return %o : tensor<18x11xf32>
}

// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-split-groups --remarks-filter=loop-split-groups 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=WHY --input-file=%t --implicit-check-not=remark
// RUN: kiln-opt %s --loop-set-target --loop-split-groups | FileCheck %s --check-prefix=CPU

// WHY: remark: {{.*}}split{{.*}}
// WHY: remark: {{.*}}split{{.*}}
// A processor has threads enough in images.
// CPU-NOT: in [4, 8, 4, 100]

!x = tensor<4x32x100xf32>
!s = tensor<4x8x1xf32>

// What reads the sums of groups, by way of another nest, has groups; a copy has channels.
// CHECK-LABEL: func.func @norm
// CHECK: %[[S:.*]] = loop.reduce
// CHECK: %[[M:.*]] = loop.pointwise (%i, %j, %k) in [4, 8, 1]
// CHECK: %[[R:.*]] = loop.pointwise (%i, %j, %k, %l) in [4, 8, 4, 100] : tensor<4x8x4x100xf32> {
// CHECK-DAG: loop.load %arg0[%i, %j * 4 + %k, %l]
// CHECK-DAG: loop.load %[[M]][%i, %j, 0]
// CHECK-DAG: loop.load %arg1[%j * 4 + %k]
// CHECK: %[[C:.*]] = loop.pointwise (%i, %j, %k) in [4, 32, 100]
// CHECK-NEXT: %[[E:.*]] = loop.load %[[R]][%i, floordiv(%j, 4), mod(%j, 4), %k]
// CHECK-NEXT: loop.yield %[[E]]
// CHECK: return %[[C]]
func.func @norm(%x: !x, %w: tensor<32xf32>) -> !x {
  %s = loop.reduce parallel (%n, %g, %o) in [4, 8, 1] reduction (%c, %p) in [4, 100] <sum> : !s {
    %e = loop.load %x[%n, %g * 4 + %c, %p] : !x
    loop.yield %e : f32
  }
  %m = loop.pointwise (%n, %g, %o) in [4, 8, 1] : !s {
    %k = arith.constant 400.0 : f32
    %e = loop.load %s[%n, %g, %o] : !s
    %d = arith.divf %e, %k : f32
    loop.yield %d : f32
  }
  %r = loop.pointwise (%n, %c, %p) in [4, 32, 100] : !x {
    %e = loop.load %x[%n, %c, %p] : !x
    %a = loop.load %m[%n, floordiv(%c, 4), 0] : !s
    %d = arith.subf %e, %a : f32
    %b = loop.load %w[%c] : tensor<32xf32>
    %f = arith.mulf %d, %b : f32
    loop.yield %f : f32
  }
  return %r : !x
}

// A product reads the copy.
// CHECK-LABEL: func.func @product
// CHECK: loop.reduce
// CHECK: loop.pointwise (%i, %j, %k, %l) in [4, 8, 4, 100]
// CHECK: %[[C:.*]] = loop.pointwise (%i, %j, %k) in [4, 32, 100]
// CHECK: loop.contract {{.*}} %[[C]]
func.func @product(%x: !x, %w: tensor<16x32xf32>) -> tensor<4x16x100xf32> {
  %s = loop.reduce parallel (%n, %g) in [4, 8] reduction (%c, %p) in [4, 100] <sum> : tensor<4x8xf32> {
    %e = loop.load %x[%n, %g * 4 + %c, %p] : !x
    loop.yield %e : f32
  }
  %r = loop.pointwise (%n, %c, %p) in [4, 32, 100] : !x {
    %e = loop.load %x[%n, %c, %p] : !x
    %a = loop.load %s[%n, floordiv(%c, 4)] : tensor<4x8xf32>
    %d = arith.subf %e, %a : f32
    loop.yield %d : f32
  }
  %q = loop.contract parallel [4, 16, 100] reduction [32] lhs %w[d1, d3] : tensor<16x32xf32>
      rhs %r[d0, d3, d2] : !x acc f32 : tensor<4x16x100xf32>
  return %q : tensor<4x16x100xf32>
}

// Sums of other rows, and a result that another nest reads.
// CHECK-LABEL: func.func @others
// CHECK-NOT: in [4, 8, 4, 100]
// CHECK: return
func.func @others(%x: !x) -> (!x, tensor<4x32xf32>) {
  %s = loop.reduce parallel (%n, %g) in [4, 8] reduction (%c) in [4] <sum> : tensor<4x8xf32> {
    %e = loop.load %x[%n, %g * 4 + %c, 0] : !x
    loop.yield %e : f32
  }
  %t = loop.reduce parallel (%n, %g) in [4, 8] reduction (%c, %p) in [4, 100] <sum> : tensor<4x8xf32> {
    %e = loop.load %x[%n, %g * 4 + %c, %p] : !x
    loop.yield %e : f32
  }
  %r = loop.pointwise (%n, %c, %p) in [4, 32, 100] : !x {
    %e = loop.load %x[%n, %c, %p] : !x
    %a = loop.load %s[%n, floordiv(%c, 4)] : tensor<4x8xf32>
    %d = arith.subf %e, %a : f32
    loop.yield %d : f32
  }
  %q = loop.pointwise (%n, %c, %p) in [4, 32, 100] : !x {
    %e = loop.load %x[%n, %c, %p] : !x
    %a = loop.load %t[%n, floordiv(%c, 4)] : tensor<4x8xf32>
    %d = arith.mulf %e, %a : f32
    loop.yield %d : f32
  }
  %z = loop.reduce parallel (%n, %c) in [4, 32] reduction (%p) in [100] <sum> : tensor<4x32xf32> {
    %e = loop.load %q[%n, %c, %p] : !x
    loop.yield %e : f32
  }
  return %r, %z : !x, tensor<4x32xf32>
}

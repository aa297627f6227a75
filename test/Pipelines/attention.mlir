// RUN: kiln-opt %s --kiln-core --kiln-loop | FileCheck %s

// Forms of attention that are one kernel: scores, the rows of weights and the product by
// the values.

!h = tensor<2x4x512x64xf32>
!g = tensor<2x8x512x64xf32>
!s = tensor<2x4x512x512xf32>

// What dropout draws is drawn where the weights are, for each row of them.

// CHECK-LABEL: func.func @dropout
// CHECK: loop.kernel {{.*}} shared [2, 4, 512] {{.*}}"native_dropout"
// CHECK-NEXT: loop.contract parallel [2, 4, 512, 512] reduction [64]
// CHECK: loop.reduce {{.*}} in [2, 4, 512, 1] reduction {{.*}} <max>
// CHECK: loop.reduce {{.*}} in [2, 4, 512, 1] reduction {{.*}} <sum>
// CHECK: %[[W:.*]] = loop.pointwise {{.*}} in [2, 4, 512, 512] origins ["native_dropout", "mul"]
// CHECK: loop.number 0
// CHECK: loop.contract parallel [2, 4, 512, 64] reduction [512] lhs %[[W]]
// CHECK-NOT: loop.kernel
// CHECK: return
func.func @dropout(%q: !h, %k: !h, %v: !h) -> !h {
  %0 = aten.scaled_dot_product_attention(%q, %k, %v, dropout_p = 0.1) : (!h, !h, !h) -> !h
  return %0 : !h
}

// CHECK-LABEL: func.func @no_dropout
// CHECK-NOT: draws
// CHECK: loop.kernel {{.*}} shared [2, 4, 512]
// CHECK-NOT: native_dropout
// CHECK-NOT: loop.number
// CHECK-NOT: loop.kernel
// CHECK: return
func.func @no_dropout(%q: !h, %k: !h, %v: !h) -> !h {
  %0 = aten.scaled_dot_product_attention(%q, %k, %v, dropout_p = 0.0) : (!h, !h, !h) -> !h
  return %0 : !h
}

// Weights that are wanted as well have to be stored: no row of them stays in a kernel.

// CHECK-LABEL: func.func @dropped_weights
// CHECK-COUNT-3: loop.kernel
// CHECK-NOT: loop.kernel
// CHECK: return
func.func @dropped_weights(%q: !h, %k: !h, %v: !h) -> (!h, !s) {
  %0 = aten.transpose.int(%k, dim0 = 2, dim1 = 3) : (!h) -> tensor<2x4x64x512xf32>
  %1 = aten.matmul(%q, %0) : (!h, tensor<2x4x64x512xf32>) -> !s
  %2 = aten.softmax.int(%1, dim = -1) : (!s) -> !s
  %3 = aten.dropout(%2, p = 0.1, train = true) : (!s) -> !s
  %4 = aten.matmul(%3, %v) : (!s, !h) -> !h
  return %4, %3 : !h, !s
}

// Heads that share keys, each query of which sees other keys: keys and values are repeated,
// and then it is attention as any.

// CHECK-LABEL: func.func @causal_groups
// CHECK: %[[K:.*]] = loop.kernel {{.*}} shared [16, 64, 512]
// CHECK: %[[V:.*]] = loop.kernel {{.*}} shared [16, 512, 64]
// CHECK: loop.kernel {{.*}} shared [2, 8, 512]
// CHECK-NEXT: loop.contract parallel [2, 8, 512, 512] reduction [64]
// CHECK: arith.cmpi
// CHECK: arith.select
// CHECK: loop.contract parallel [2, 8, 512, 64] reduction [512]
// CHECK-NOT: loop.kernel
// CHECK: return
func.func @causal_groups(%q: !g, %k: !h, %v: !h) -> !g {
  %0 = aten.scaled_dot_product_attention(%q, %k, %v, is_causal = true, enable_gqa = true) : (!g, !h, !h) -> !g
  return %0 : !g
}

// Where all queries see all keys, those of the heads that share them are rows of one matrix:
// keys and values are read as they are.

// CHECK-LABEL: func.func @groups
// CHECK-SAME: %[[Q:.*]]: tensor<2x8x512x64xf32>, %[[K:.*]]: tensor<2x4x512x64xf32>, %[[V:.*]]: tensor<2x4x512x64xf32>)
// CHECK: loop.kernel {{.*}} = %[[K]] : tensor<2x4x512x64xf32>, {{.*}} = %[[V]] : tensor<2x4x512x64xf32>) shared [2, 4, 1024]
// CHECK-NEXT: loop.contract parallel [2, 4, 1024, 512] reduction [64]
// CHECK-NOT: arith.cmpi
// CHECK: loop.contract parallel [2, 4, 1024, 64] reduction [512]
// CHECK: return
func.func @groups(%q: !g, %k: !h, %v: !h) -> !g {
  %0 = aten.scaled_dot_product_attention(%q, %k, %v, enable_gqa = true) : (!g, !h, !h) -> !g
  return %0 : !g
}

// A bias is added in the rows, read without the batch that it does not have; a row that it
// hides, whose largest score is minus infinity, is zeros.

// CHECK-LABEL: func.func @bias
// CHECK: loop.kernel {{.*}}%[[B:[a-z0-9]*]] = %{{[a-z0-9]*}} : tensor<4x512x512xf32>{{.*}} shared [2, 4, 512]
// CHECK-NEXT: loop.contract parallel [2, 4, 512, 512] reduction [64]
// CHECK: loop.reduce {{.*}} <max>
// CHECK: loop.load %[[B]][%j, %k, %m]
// CHECK: loop.pointwise {{.*}} origins ["where"
// CHECK: arith.constant 0xFF800000 : f32
// CHECK: arith.cmpf oeq
// CHECK: loop.contract parallel [2, 4, 512, 64] reduction [512]
// CHECK-NOT: loop.kernel
// CHECK: return
func.func @bias(%q: !h, %k: !h, %v: !h, %b: tensor<4x512x512xf32>) -> !h {
  %0 = aten.scaled_dot_product_attention(%q, %k, %v, attn_mask = %b) : (!h, !h, !h, tensor<4x512x512xf32>) -> !h
  return %0 : !h
}

// The scores behind the bias are wanted, too.

// CHECK-LABEL: func.func @biased_scores
// CHECK-COUNT-3: loop.kernel
// CHECK-NOT: loop.kernel
// CHECK: return
func.func @biased_scores(%q: !h, %k: !h, %v: !h, %b: tensor<4x512x512xf32>) -> (!h, !s) {
  %0 = aten.transpose.int(%k, dim0 = 2, dim1 = 3) : (!h) -> tensor<2x4x64x512xf32>
  %1 = aten.matmul(%q, %0) : (!h, tensor<2x4x64x512xf32>) -> !s
  %2 = aten.add.Tensor(%1, %b) : (!s, tensor<4x512x512xf32>) -> !s
  %3 = aten.softmax.int(%2, dim = -1) : (!s) -> !s
  %4 = aten.matmul(%3, %v) : (!s, !h) -> !h
  return %4, %2 : !h, !s
}

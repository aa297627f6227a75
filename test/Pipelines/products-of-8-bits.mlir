// RUN: kiln-opt --kiln-loop=chip=sm_90a --split-input-file %s | FileCheck %s

// Bytes are multiplied where they lie, with what follows the sum.
// CHECK-LABEL: func.func @bytes
// CHECK-COUNT-1: loop.kernel
// CHECK-SAME: unit = wgmma
// CHECK-NEXT: loop.contract {{.*}} lhs %{{.*}}[d0, d2] : tensor<4096x4096xi8> rhs %{{.*}}[d1, d2] : tensor<4096x4096xi8> acc i32 {{.*}} : tensor<4096x4096xbf16> epilogue
// CHECK: arith.sitofp
// CHECK-NOT: loop.kernel
func.func @bytes(%x: tensor<4096x4096xi8>, %w: tensor<4096x4096xi8>, %s: tensor<4096xf32>) -> tensor<4096x4096xbf16> {
  %t = aten.t(%w) : (tensor<4096x4096xi8>) -> tensor<4096x4096xi8>
  %r = aten._int_mm(%x, %t) : (tensor<4096x4096xi8>, tensor<4096x4096xi8>) -> tensor<4096x4096xi32>
  %f = aten._to_copy(%r, dtype = f32) : (tensor<4096x4096xi32>) -> tensor<4096x4096xf32>
  %g = aten.mul.Tensor(%f, %s) : (tensor<4096x4096xf32>, tensor<4096xf32>) -> tensor<4096x4096xf32>
  %h = aten._to_copy(%g, dtype = bf16) : (tensor<4096x4096xf32>) -> tensor<4096x4096xbf16>
  return %h : tensor<4096x4096xbf16>
}

// -----

// 8-bit floats become bf16, which units multiply; scales follow the sum.
// CHECK-LABEL: func.func @floats
// CHECK-COUNT-2: loop.kernel {{.*}} -> tensor<4096x4096xbf16>
// CHECK: loop.kernel
// CHECK-SAME: unit = wgmma
// CHECK-NEXT: loop.contract {{.*}} lhs %{{.*}} : tensor<4096x4096xbf16> rhs %{{.*}} : tensor<4096x4096xbf16> acc f32 {{.*}} : tensor<4096x4096xbf16> epilogue
// CHECK-COUNT-2: arith.mulf
// CHECK-NOT: loop.kernel
func.func @floats(%x: tensor<4096x4096xf8E4M3FN>, %w: tensor<4096x4096xf8E5M2>, %s: tensor<f32>, %t: tensor<f32>) -> tensor<4096x4096xbf16> {
  %y = aten.t(%w) : (tensor<4096x4096xf8E5M2>) -> tensor<4096x4096xf8E5M2>
  %r = aten._scaled_mm(%x, %y, %s, %t, out_dtype = bf16, use_fast_accum = false) : (tensor<4096x4096xf8E4M3FN>, tensor<4096x4096xf8E5M2>, tensor<f32>, tensor<f32>) -> tensor<4096x4096xbf16>
  return %r : tensor<4096x4096xbf16>
}

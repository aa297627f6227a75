// RUN: kiln-opt %s --split-input-file --loop-choose-layout | FileCheck %s

// Where bytes are multiplied four at once, an image of them has its channels last, as one of
// floats has, and so has the result.
#vnni = #loop.target<vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 1048576, l3 = 33554432, grain_points = 16384, grain_ns = 20000, bytes = quads>
module attributes {loop.target = #vnni} {
  // CHECK-LABEL: func.func @channels
  // CHECK: loop.pointwise {{.*}} in [2, 16, 16, 24] : tensor<2x16x16x24xui8>
  // CHECK: loop.contract parallel [2, 14, 14, 32] reduction [3, 3, 24] lhs %{{.*}}[d0, d1 + d4, d2 + d5, d6] : tensor<2x16x16x24xui8>
  func.func @channels(%a: tensor<2x24x16x16xui8>, %w: tensor<32x24x3x3xi8>) -> tensor<2x32x14x14xi32> {
    %0 = loop.pointwise (%n, %c, %i, %j) in [2, 24, 16, 16] : tensor<2x24x16x16xui8> {
      %e = loop.load %a[%n, %c, %i, %j] : tensor<2x24x16x16xui8>
      loop.yield %e : i8
    }
    %1 = loop.contract parallel [2, 32, 14, 14] reduction [24, 3, 3] lhs %0[d0, d4, d2 + d5, d3 + d6] : tensor<2x24x16x16xui8> rhs %w[d1, d4, d5, d6] : tensor<32x24x3x3xi8> acc i32 : tensor<2x32x14x14xi32> lhs_prologue (%v) {
      %e = arith.extui %v : i8 to i32
      loop.yield %e : i32
    } rhs_prologue (%v) {
      %e = arith.extsi %v : i8 to i32
      loop.yield %e : i32
    }
    return %1 : tensor<2x32x14x14xi32>
  }

  // Three channels are no words, eight taps of a row are: the image stays.
  // CHECK-LABEL: func.func @taps
  // CHECK: loop.pointwise {{.*}} in [2, 3, 32, 36] : tensor<2x3x32x36xui8>
  // CHECK: loop.contract parallel [2, 26, 29, 32] reduction [3, 7, 8] lhs %{{.*}}[d0, d4, d1 + d5, d2 + d6] : tensor<2x3x32x36xui8>
  func.func @taps(%a: tensor<2x3x32x36xui8>, %w: tensor<32x3x7x8xi8>) -> tensor<2x32x26x29xi32> {
    %0 = loop.pointwise (%n, %c, %i, %j) in [2, 3, 32, 36] : tensor<2x3x32x36xui8> {
      %e = loop.load %a[%n, %c, %i, %j] : tensor<2x3x32x36xui8>
      loop.yield %e : i8
    }
    %1 = loop.contract parallel [2, 32, 26, 29] reduction [3, 7, 8] lhs %0[d0, d4, d2 + d5, d3 + d6] : tensor<2x3x32x36xui8> rhs %w[d1, d4, d5, d6] : tensor<32x3x7x8xi8> acc i32 : tensor<2x32x26x29xi32> lhs_prologue (%v) {
      %e = arith.extui %v : i8 to i32
      loop.yield %e : i32
    } rhs_prologue (%v) {
      %e = arith.extsi %v : i8 to i32
      loop.yield %e : i32
    }
    return %1 : tensor<2x32x26x29xi32>
  }
}

// -----

// A processor without such units has its bytes as they were.
#v3 = #loop.target<vector_bits = 256, registers = 16, masks = false, l1 = 32768, l2 = 1048576, l3 = 33554432, grain_points = 16384, grain_ns = 20000>
module attributes {loop.target = #v3} {
  // CHECK-LABEL: func.func @lanes
  // CHECK: loop.contract parallel [2, 32, 14, 14] reduction [24, 3, 3]
  func.func @lanes(%a: tensor<2x24x16x16xui8>, %w: tensor<32x24x3x3xi8>) -> tensor<2x32x14x14xi32> {
    %1 = loop.contract parallel [2, 32, 14, 14] reduction [24, 3, 3] lhs %a[d0, d4, d2 + d5, d3 + d6] : tensor<2x24x16x16xui8> rhs %w[d1, d4, d5, d6] : tensor<32x24x3x3xi8> acc i32 : tensor<2x32x14x14xi32> lhs_prologue (%v) {
      %e = arith.extui %v : i8 to i32
      loop.yield %e : i32
    } rhs_prologue (%v) {
      %e = arith.extsi %v : i8 to i32
      loop.yield %e : i32
    }
    return %1 : tensor<2x32x14x14xi32>
  }
}

// RUN: kiln-opt %s --split-input-file --loop-choose-schedule | FileCheck %s --check-prefix=CHOOSE
// RUN: kiln-opt %s --split-input-file --loop-choose-schedule --convert-loop-to-scf | FileCheck %s

// The channels of an image of bf16 lie last: a word of two is broadcast from where it is, at
// any element, and nothing is packed but the weight.
#pairs = #loop.target<vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 1048576, l3 = 33554432, grain_points = 16384, grain_ns = 20000, bf16 = pairs>
module attributes {loop.target = #pairs} {
  // CHOOSE-LABEL: func.func @image
  // CHOOSE: unit = pairs, in_place = true
  // CHECK-LABEL: func.func @image_k
  // CHECK: llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr -> f32
  // CHECK: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
  func.func @image(%a: tensor<2x16x16x22xbf16>, %b: tensor<32x3x3x22xbf16>) -> tensor<2x14x14x32xf32> {
    %0 = loop.kernel @image_k ins(%x = %a : tensor<2x16x16x22xbf16>, %y = %b : tensor<32x3x3x22xbf16>) shared [2, 14, 14, 32] -> tensor<2x14x14x32xf32> {
      %1 = loop.contract parallel [2, 14, 14, 32] reduction [3, 3, 22] lhs %x[d0, d1 + d4, d2 + d5, d6] : tensor<2x16x16x22xbf16> rhs %y[d3, d4, d5, d6] : tensor<32x3x3x22xbf16> acc f32 : tensor<2x14x14x32xf32>
      loop.return %1 : tensor<2x14x14x32xf32>
    }
    return %0 : tensor<2x14x14x32xf32>
  }
}

// -----

// What a prologue changes, and channels that are no words, are packed.
#pairs = #loop.target<vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 1048576, l3 = 33554432, grain_points = 16384, grain_ns = 20000, bf16 = pairs>
module attributes {loop.target = #pairs} {
  // CHOOSE-LABEL: func.func @negated
  // CHOOSE: unit = pairs>
  func.func @negated(%a: tensor<2x16x16x22xbf16>, %b: tensor<32x3x3x22xbf16>) -> tensor<2x14x14x32xf32> {
    %0 = loop.kernel @negated_k ins(%x = %a : tensor<2x16x16x22xbf16>, %y = %b : tensor<32x3x3x22xbf16>) shared [2, 14, 14, 32] -> tensor<2x14x14x32xf32> {
      %1 = loop.contract parallel [2, 14, 14, 32] reduction [3, 3, 22] lhs %x[d0, d1 + d4, d2 + d5, d6] : tensor<2x16x16x22xbf16> rhs %y[d3, d4, d5, d6] : tensor<32x3x3x22xbf16> acc f32 : tensor<2x14x14x32xf32> lhs_prologue (%v) {
        %2 = arith.negf %v : bf16
        loop.yield %2 : bf16
      }
      loop.return %1 : tensor<2x14x14x32xf32>
    }
    return %0 : tensor<2x14x14x32xf32>
  }

  // CHOOSE-LABEL: func.func @odd
  // CHOOSE: unit = pairs>
  func.func @odd(%a: tensor<2x16x16x21xbf16>, %b: tensor<32x3x3x21xbf16>) -> tensor<2x7x14x32xf32> {
    %0 = loop.kernel @odd_k ins(%x = %a : tensor<2x16x16x21xbf16>, %y = %b : tensor<32x3x3x21xbf16>) shared [2, 7, 14, 32] -> tensor<2x7x14x32xf32> {
      %1 = loop.contract parallel [2, 7, 14, 32] reduction [3, 3, 21] lhs %x[d0, d1 * 2 + d4, d2 + d5, d6] : tensor<2x16x16x21xbf16> rhs %y[d3, d4, d5, d6] : tensor<32x3x3x21xbf16> acc f32 : tensor<2x7x14x32xf32>
      loop.return %1 : tensor<2x7x14x32xf32>
    }
    return %0 : tensor<2x7x14x32xf32>
  }
}

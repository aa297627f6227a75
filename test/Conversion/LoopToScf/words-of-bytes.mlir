// RUN: kiln-opt %s --split-input-file --loop-choose-schedule | FileCheck %s --check-prefix=CHOOSE
// RUN: kiln-opt %s --split-input-file --loop-choose-schedule --convert-loop-to-scf | FileCheck %s

// Unsigned bytes times signed ones: four of each are a word.
#vnni = #loop.target<vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 1048576, l3 = 33554432, grain_points = 16384, grain_ns = 20000, bytes = quads>
module attributes {loop.target = #vnni} {
  // CHOOSE-LABEL: func.func @product
  // CHOOSE: #loop.packed<lanes = 16
  // CHOOSE-SAME: unit = quads
  // CHECK: llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"({{.*}}) : (vector<16xi32>, vector<64xi8>, vector<64xi8>) -> vector<16xi32>
  func.func @product(%a: tensor<96x200xui8>, %b: tensor<200x80xi8>) -> tensor<96x80xi32> {
    %0 = loop.kernel @k ins(%x = %a : tensor<96x200xui8>, %y = %b : tensor<200x80xi8>) shared [96, 80] -> tensor<96x80xi32> {
      %1 = loop.contract parallel [96, 80] reduction [200] lhs %x[d0, d2] : tensor<96x200xui8> rhs %y[d2, d1] : tensor<200x80xi8> acc i32 : tensor<96x80xi32> lhs_prologue (%v) {
        %2 = arith.extui %v : i8 to i32
        loop.yield %2 : i32
      } rhs_prologue (%v) {
        %2 = arith.extsi %v : i8 to i32
        loop.yield %2 : i32
      }
      loop.return %1 : tensor<96x80xi32>
    }
    return %0 : tensor<96x80xi32>
  }
}

// -----

// Both are signed: there is no instruction, and 32 bits are multiplied.
#vnni = #loop.target<vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 1048576, l3 = 33554432, grain_points = 16384, grain_ns = 20000, bytes = quads>
module attributes {loop.target = #vnni} {
  // CHOOSE-LABEL: func.func @signed
  // CHOOSE: #loop.packed<lanes = 16
  // CHOOSE-NOT: unit
  // CHECK: arith.muli {{.*}} : vector<16xi32>
  func.func @signed(%a: tensor<96x200xi8>, %b: tensor<200x80xi8>) -> tensor<96x80xi32> {
    %0 = loop.kernel @k ins(%x = %a : tensor<96x200xi8>, %y = %b : tensor<200x80xi8>) shared [96, 80] -> tensor<96x80xi32> {
      %1 = loop.contract parallel [96, 80] reduction [200] lhs %x[d0, d2] : tensor<96x200xi8> rhs %y[d2, d1] : tensor<200x80xi8> acc i32 : tensor<96x80xi32> lhs_prologue (%v) {
        %2 = arith.extsi %v : i8 to i32
        loop.yield %2 : i32
      } rhs_prologue (%v) {
        %2 = arith.extsi %v : i8 to i32
        loop.yield %2 : i32
      }
      loop.return %1 : tensor<96x80xi32>
    }
    return %0 : tensor<96x80xi32>
  }
}

// -----

// The channels of an image lie last: a word of four is broadcast from where it is, at any
// byte, and nothing is packed but the weight.
#vnni = #loop.target<vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 1048576, l3 = 33554432, grain_points = 16384, grain_ns = 20000, bytes = quads>
module attributes {loop.target = #vnni} {
  // CHOOSE-LABEL: func.func @image
  // CHOOSE: unit = quads, in_place = true
  // CHECK-LABEL: func.func @image_k
  // CHECK: llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr -> i32
  // CHECK: vpdpbusd
  func.func @image(%a: tensor<2x16x16x24xui8>, %b: tensor<32x3x3x24xi8>) -> tensor<2x14x14x32xi32> {
    %0 = loop.kernel @image_k ins(%x = %a : tensor<2x16x16x24xui8>, %y = %b : tensor<32x3x3x24xi8>) shared [2, 14, 14, 32] -> tensor<2x14x14x32xi32> {
      %1 = loop.contract parallel [2, 14, 14, 32] reduction [3, 3, 24] lhs %x[d0, d1 + d4, d2 + d5, d6] : tensor<2x16x16x24xui8> rhs %y[d3, d4, d5, d6] : tensor<32x3x3x24xi8> acc i32 : tensor<2x14x14x32xi32> lhs_prologue (%v) {
        %2 = arith.extui %v : i8 to i32
        loop.yield %2 : i32
      } rhs_prologue (%v) {
        %2 = arith.extsi %v : i8 to i32
        loop.yield %2 : i32
      }
      loop.return %1 : tensor<2x14x14x32xi32>
    }
    return %0 : tensor<2x14x14x32xi32>
  }
}

// -----

// What a prologue changes besides, and channels that are no words, are packed.
#vnni = #loop.target<vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 1048576, l3 = 33554432, grain_points = 16384, grain_ns = 20000, bytes = quads>
module attributes {loop.target = #vnni} {
  // CHOOSE-LABEL: func.func @moved
  // CHOOSE: unit = quads>
  func.func @moved(%a: tensor<2x16x16x24xi8>, %b: tensor<32x3x3x24xi8>) -> tensor<2x14x14x32xi32> {
    %0 = loop.kernel @moved_k ins(%x = %a : tensor<2x16x16x24xi8>, %y = %b : tensor<32x3x3x24xi8>) shared [2, 14, 14, 32] -> tensor<2x14x14x32xi32> {
      %c128 = arith.constant 128 : i32
      %1 = loop.contract parallel [2, 14, 14, 32] reduction [3, 3, 24] lhs %x[d0, d1 + d4, d2 + d5, d6] : tensor<2x16x16x24xi8> rhs %y[d3, d4, d5, d6] : tensor<32x3x3x24xi8> acc i32 : tensor<2x14x14x32xi32> lhs_prologue (%v) {
        %2 = arith.extsi %v : i8 to i32
        %3 = arith.addi %2, %c128 : i32
        loop.yield %3 : i32
      } rhs_prologue (%v) {
        %2 = arith.extsi %v : i8 to i32
        loop.yield %2 : i32
      }
      loop.return %1 : tensor<2x14x14x32xi32>
    }
    return %0 : tensor<2x14x14x32xi32>
  }

  // CHOOSE-LABEL: func.func @odd
  // CHOOSE: unit = quads>
  func.func @odd(%a: tensor<2x16x16x22xui8>, %b: tensor<32x3x3x22xi8>) -> tensor<2x7x14x32xi32> {
    %0 = loop.kernel @odd_k ins(%x = %a : tensor<2x16x16x22xui8>, %y = %b : tensor<32x3x3x22xi8>) shared [2, 7, 14, 32] -> tensor<2x7x14x32xi32> {
      %1 = loop.contract parallel [2, 7, 14, 32] reduction [3, 3, 22] lhs %x[d0, d1 * 2 + d4, d2 + d5, d6] : tensor<2x16x16x22xui8> rhs %y[d3, d4, d5, d6] : tensor<32x3x3x22xi8> acc i32 : tensor<2x7x14x32xi32> lhs_prologue (%v) {
        %2 = arith.extui %v : i8 to i32
        loop.yield %2 : i32
      } rhs_prologue (%v) {
        %2 = arith.extsi %v : i8 to i32
        loop.yield %2 : i32
      }
      loop.return %1 : tensor<2x7x14x32xi32>
    }
    return %0 : tensor<2x7x14x32xi32>
  }
}

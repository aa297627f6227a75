// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-inline-virtual | FileCheck %s --check-prefix=GPU
// RUN: kiln-opt %s --loop-inline-virtual | FileCheck %s

// Bytes that are extended to the sum's type are multiplied as they lie in memory, where the
// contraction extends them as the nest does; with a prologue on a CPU.
// GPU-LABEL: func.func @bytes
// GPU: loop.contract {{.*}} lhs %arg0[d0, d2] : tensor<8x32xi8> rhs %arg1[d2, d1] : tensor<32x16xui8> acc i32 : tensor<8x16xi32>
// GPU-NOT: ext
// GPU-LABEL: func.func @other_signs
// GPU: arith.extui
// GPU: arith.addi
// GPU: loop.contract {{.*}} lhs %{{[0-9]+}}[d0, d2] : tensor<8x32xi32> rhs %{{[0-9]+}}[d1, d2] : tensor<16x32xi32>
// CHECK-LABEL: func.func @bytes
// CHECK: lhs %arg0[d0, d2] : tensor<8x32xi8> rhs %arg1[d2, d1] : tensor<32x16xui8>
// CHECK: lhs_prologue
// CHECK: arith.extsi
// CHECK: rhs_prologue
// CHECK: arith.extui
func.func @bytes(%a: tensor<8x32xi8>, %b: tensor<32x16xui8>) -> tensor<8x16xi32> {
  %s = loop.pointwise (%i, %j) in [8, 32] : tensor<8x32xi32> {
    %x = loop.load %a[%i, %j] : tensor<8x32xi8>
    %y = arith.extsi %x : i8 to i32
    loop.yield %y : i32
  }
  %t = loop.pointwise (%i, %j) in [16, 32] : tensor<16x32xi32> {
    %x = loop.load %b[%j, %i] : tensor<32x16xui8>
    %y = arith.extui %x : i8 to i32
    loop.yield %y : i32
  }
  %c = loop.contract parallel [8, 16] reduction [32] lhs %s[d0, d2] : tensor<8x32xi32> rhs %t[d1, d2] : tensor<16x32xi32> acc i32 : tensor<8x16xi32>
  return %c : tensor<8x16xi32>
}
func.func @other_signs(%a: tensor<8x32xi8>, %b: tensor<16x32xi8>) -> tensor<8x16xi32> {
  %s = loop.pointwise (%i, %j) in [8, 32] : tensor<8x32xi32> {
    %x = loop.load %a[%i, %j] : tensor<8x32xi8>
    %y = arith.extui %x : i8 to i32
    loop.yield %y : i32
  }
  %t = loop.pointwise (%i, %j) in [16, 32] : tensor<16x32xi32> {
    %one = arith.constant 1 : i32
    %x = loop.load %b[%i, %j] : tensor<16x32xi8>
    %y = arith.extsi %x : i8 to i32
    %z = arith.addi %y, %one : i32
    loop.yield %z : i32
  }
  %c = loop.contract parallel [8, 16] reduction [32] lhs %s[d0, d2] : tensor<8x32xi32> rhs %t[d1, d2] : tensor<16x32xi32> acc i32 : tensor<8x16xi32>
  return %c : tensor<8x16xi32>
}

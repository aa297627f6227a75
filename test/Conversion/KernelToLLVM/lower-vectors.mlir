// RUN: kiln-opt %s --kiln-lower-vectors --split-input-file | FileCheck %s

// A mask is a comparison of lane numbers.
// CHECK-LABEL: func @mask
// CHECK: %[[LANES:.*]] = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
// CHECK: arith.cmpi sgt, %{{.*}}, %[[LANES]] : vector<8xi32>
// CHECK-NOT: vector.create_mask
func.func @mask(%n: index) -> vector<8xi1> {
  %0 = vector.create_mask %n : vector<8xi1>
  return %0 : vector<8xi1>
}

// -----

// CHECK-LABEL: func @transpose
// CHECK-NOT: vector.transpose
// CHECK: vector.shuffle
func.func @transpose(%a: vector<16x16xf32>) -> vector<16x16xf32> {
  %0 = vector.transpose %a, [1, 0] : vector<16x16xf32> to vector<16x16xf32>
  return %0 : vector<16x16xf32>
}

// -----

// Nothing to do: nothing is done, not even folding.
// CHECK-LABEL: func @flat
// CHECK: arith.constant
// CHECK: arith.addf
func.func @flat(%a: vector<8xf32>) -> vector<8xf32> {
  %c = arith.constant dense<0.0> : vector<8xf32>
  %0 = arith.addf %a, %c : vector<8xf32>
  return %0 : vector<8xf32>
}

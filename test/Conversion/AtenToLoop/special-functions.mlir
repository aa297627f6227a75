// RUN: kiln-opt %s --convert-aten-to-loop | FileCheck %s --check-prefixes=CHECK,LONG
// RUN: kiln-opt %s --convert-aten-to-loop=short-specials | FileCheck %s --check-prefixes=CHECK,SHORT
// RUN: kiln-opt %s --kiln-loop | FileCheck %s --check-prefixes=CHECK,SHORT
// RUN: kiln-opt %s --kiln-loop=chip=sm_90a | FileCheck %s --check-prefixes=CHECK,LONG

// Special functions are computed in f64 and rounded once. Of f32 a processor needs fewer terms:
// erfinv is two polynomials of one logarithm, lgamma takes two logarithms and no sine.

// CHECK-LABEL: func.func @erfinv
// LONG-COUNT-3: math.erfc
// SHORT-NOT: math.er
// SHORT: math.log {{.*}} : f64
// SHORT-NOT: math.log
// CHECK: return
func.func @erfinv(%x: tensor<64xf32>) -> tensor<64xf32> {
  %r = aten.erfinv(%x) : (tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// CHECK-LABEL: func.func @lgamma
// LONG-COUNT-3: math.log
// LONG: math.sin
// LONG: math.log
// SHORT: math.log {{.*}} : f64
// SHORT-NOT: math.sin
// SHORT: math.log {{.*}} : f64
// SHORT-NOT: math.log
// CHECK: return
func.func @lgamma(%x: tensor<64xf32>) -> tensor<64xf32> {
  %r = aten.lgamma(%x) : (tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// f64 needs all of them.
// CHECK-LABEL: func.func @wide
// CHECK-COUNT-3: math.erfc
// CHECK: return
func.func @wide(%x: tensor<64xf64>) -> tensor<64xf64> {
  %r = aten.erfinv(%x) : (tensor<64xf64>) -> tensor<64xf64>
  return %r : tensor<64xf64>
}

// RUN: kiln-opt %s --canonicalize | FileCheck %s

// Constant expressions become constants of the wanted type.
// CHECK-LABEL: func.func @fold
func.func @fold() -> (i64, f64, i1, index) {
  // CHECK-DAG: %[[I:.*]] = arith.constant 12 : i64
  // CHECK-DAG: %[[F:.*]] = arith.constant 1.500000e+00 : f64
  // CHECK-DAG: %[[B:.*]] = arith.constant true
  // CHECK-DAG: %[[N:.*]] = arith.constant 3 : index
  // CHECK: return %[[I]], %[[F]], %[[B]], %[[N]]
  %0 = guard.value <3 * 4> : i64
  %1 = guard.value <truediv(3, 2)> : f64
  %2 = guard.value <lt(3, 4) * 2> : i1
  %3 = guard.value <3> : index
  return %0, %1, %2, %3 : i64, f64, i1, index
}

// A number that does not fit its type is left to the verifier of the run.
// CHECK-LABEL: func.func @does_not_fit
func.func @does_not_fit() -> i8 {
  // CHECK: guard.value <300> : i8
  %0 = guard.value <300> : i8
  return %0 : i8
}

// What holds needs no check; what fails must still fail.
// CHECK-LABEL: func.func @assertions
func.func @assertions() {
  // CHECK-NEXT: guard.assert <0>, "never"
  // CHECK-NEXT: return
  guard.assert <1>, "always"
  guard.assert <0>, "never"
  return
}

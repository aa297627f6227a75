// RUN: kiln-opt %s --kiln-expand-small-floats | FileCheck %s

// Each op is done in f32 and rounded.
// CHECK-LABEL: func @f16
// CHECK-SAME: %[[X:.*]]: vector<16xf16>, %[[Y:.*]]: vector<16xf16>
// CHECK-DAG: %[[A:.*]] = arith.extf %[[X]] {{.*}}: vector<16xf16> to vector<16xf32>
// CHECK-DAG: %[[B:.*]] = arith.extf %[[Y]] {{.*}}: vector<16xf16> to vector<16xf32>
// CHECK: %[[S:.*]] = arith.addf %[[A]], %[[B]] : vector<16xf32>
// CHECK: arith.truncf %[[S]] {{.*}}: vector<16xf32> to vector<16xf16>
func.func @f16(%a: vector<16xf16>, %b: vector<16xf16>) -> vector<16xf16> {
  %0 = arith.addf %a, %b : vector<16xf16>
  return %0 : vector<16xf16>
}

// A conversion to bf16 is integer arithmetic: the processor's own flushes
// denormals.
// CHECK-LABEL: func @to_bf16
// CHECK-NOT: arith.truncf
// CHECK: arith.trunci {{.*}} : vector<8xi32> to vector<8xi16>
// CHECK: arith.bitcast {{.*}} : vector<8xi16> to vector<8xbf16>
func.func @to_bf16(%a: vector<8xf32>) -> vector<8xbf16> {
  %0 = arith.truncf %a : vector<8xf32> to vector<8xbf16>
  return %0 : vector<8xbf16>
}

// From f64 by way of f32, as PyTorch rounds.
// CHECK-LABEL: func @from_f64
// CHECK: %[[F:.*]] = arith.truncf %{{.*}} : vector<8xf64> to vector<8xf32>
// CHECK: arith.truncf %[[F]] : vector<8xf32> to vector<8xf16>
func.func @from_f64(%a: vector<8xf64>) -> vector<8xf16> {
  %0 = arith.truncf %a : vector<8xf64> to vector<8xf16>
  return %0 : vector<8xf16>
}

// What is masked moves integers.
// CHECK-LABEL: func @masked
// CHECK: llvm.intr.masked.store {{.*}} : vector<8xi16>, vector<8xi1> into !llvm.ptr
func.func @masked(%v: vector<8xbf16>, %p: !llvm.ptr, %m: vector<8xi1>) {
  llvm.intr.masked.store %v, %p, %m {alignment = 2 : i32} : vector<8xbf16>, vector<8xi1> into !llvm.ptr
  return
}

// Other types are left alone.
// CHECK-LABEL: func @wide
// CHECK-NEXT: arith.addf %{{.*}} : vector<8xf32>
// CHECK-NEXT: return
func.func @wide(%a: vector<8xf32>) -> vector<8xf32> {
  %0 = arith.addf %a, %a : vector<8xf32>
  return %0 : vector<8xf32>
}

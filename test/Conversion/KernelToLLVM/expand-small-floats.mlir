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

// What is moved is integers, whatever moves it.
// CHECK-LABEL: func @masked
// CHECK: llvm.intr.masked.load {{.*}} -> vector<8xi16>
// CHECK: llvm.intr.masked.store {{.*}} : vector<8xi16>, vector<8xi1> into !llvm.ptr
func.func @masked(%p: !llvm.ptr, %m: vector<8xi1>) {
  %zero = arith.constant dense<0.0> : vector<8xbf16>
  %v = llvm.intr.masked.load %p, %m, %zero {alignment = 2 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xbf16>) -> vector<8xbf16>
  llvm.intr.masked.store %v, %p, %m {alignment = 2 : i32} : vector<8xbf16>, vector<8xi1> into !llvm.ptr
  return
}

// CHECK-LABEL: func @gathered
// CHECK: %[[ONE:.*]] = arith.constant dense<16256> : vector<8xi16>
// CHECK: %[[V:.*]] = llvm.intr.masked.gather %{{.*}}, %{{.*}}, %[[ONE]] {{.*}} -> vector<8xi16>
// CHECK: llvm.intr.masked.scatter %[[V]], {{.*}} : vector<8xi16>
func.func @gathered(%p: vector<8x!llvm.ptr>, %m: vector<8xi1>) {
  %one = arith.constant dense<1.0> : vector<8xbf16>
  %v = llvm.intr.masked.gather %p, %m, %one {alignment = 2 : i32} : (vector<8x!llvm.ptr>, vector<8xi1>, vector<8xbf16>) -> vector<8xbf16>
  llvm.intr.masked.scatter %v, %p, %m {alignment = 2 : i32} : vector<8xbf16>, vector<8xi1> into vector<8x!llvm.ptr>
  return
}

// CHECK-LABEL: func @compressed
// CHECK: %[[V:.*]] = "llvm.intr.masked.expandload"{{.*}} -> vector<8xi16>
// CHECK: "llvm.intr.masked.compressstore"(%[[V]], {{.*}} : (vector<8xi16>
func.func @compressed(%p: !llvm.ptr, %m: vector<8xi1>) {
  %zero = arith.constant dense<0.0> : vector<8xf16>
  %v = "llvm.intr.masked.expandload"(%p, %m, %zero) : (!llvm.ptr, vector<8xi1>, vector<8xf16>) -> (vector<8xf16>)
  "llvm.intr.masked.compressstore"(%v, %p, %m) : (vector<8xf16>, !llvm.ptr, vector<8xi1>) -> ()
  return
}

// A number in all lanes, a choice of lanes, and what loops carry.
// CHECK-LABEL: func @moved
// CHECK-NOT: bf16
// CHECK: %[[X:.*]] = llvm.load {{.*}} -> i16
// CHECK: %[[V:.*]] = vector.broadcast %[[X]] : i16 to vector<8xi16>
// CHECK: %[[S:.*]] = vector.shuffle %[[V]], {{.*}} : vector<8xi16>, vector<8xi16>
// CHECK: %[[T:.*]] = arith.select %{{.*}}, %[[V]], %[[S]] : vector<8xi1>, vector<8xi16>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[T]]) -> (vector<8xi16>)
// CHECK: vector.insert %[[X]], {{.*}} : i16 into vector<8xi16>
// CHECK: scf.yield {{.*}} : vector<8xi16>
// CHECK: llvm.store {{.*}} : vector<8xi16>, !llvm.ptr
func.func @moved(%p: !llvm.ptr, %m: vector<8xi1>, %n: index) {
  %c1 = arith.constant 1 : index
  %x = llvm.load %p : !llvm.ptr -> bf16
  %v = vector.broadcast %x : bf16 to vector<8xbf16>
  %s = vector.shuffle %v, %v [1, 0, 3, 2, 5, 4, 7, 6] : vector<8xbf16>, vector<8xbf16>
  %t = arith.select %m, %v, %s : vector<8xi1>, vector<8xbf16>
  %r = scf.for %i = %c1 to %n step %c1 iter_args(%acc = %t) -> (vector<8xbf16>) {
    %w = vector.insert %x, %acc [3] : bf16 into vector<8xbf16>
    scf.yield %w : vector<8xbf16>
  }
  llvm.store %r, %p : vector<8xbf16>, !llvm.ptr
  return
}

// An f16 is one between its bits and its conversion.
// CHECK-LABEL: func @converted
// CHECK: %[[B:.*]] = llvm.load {{.*}} -> vector<8xi16>
// CHECK: %[[H:.*]] = arith.bitcast %[[B]] : vector<8xi16> to vector<8xf16>
// CHECK: %[[F:.*]] = arith.extf %[[H]] : vector<8xf16> to vector<8xf32>
// CHECK: %[[R:.*]] = arith.truncf %{{.*}} : vector<8xf32> to vector<8xf16>
// CHECK: %[[S:.*]] = arith.bitcast %[[R]] : vector<8xf16> to vector<8xi16>
// CHECK: llvm.store %[[S]], {{.*}} : vector<8xi16>, !llvm.ptr
func.func @converted(%p: !llvm.ptr) {
  %v = llvm.load %p : !llvm.ptr -> vector<8xf16>
  %f = arith.extf %v : vector<8xf16> to vector<8xf32>
  %g = arith.negf %f : vector<8xf32>
  %r = arith.truncf %g : vector<8xf32> to vector<8xf16>
  llvm.store %r, %p : vector<8xf16>, !llvm.ptr
  return
}

// A sum is no move.
// CHECK-LABEL: func @summed
// CHECK: %[[S:.*]] = vector.reduction <add>, %{{.*}} : vector<8xf32> into f32
// CHECK: llvm.store %{{.*}} : i16, !llvm.ptr
func.func @summed(%p: !llvm.ptr) {
  %v = llvm.load %p : !llvm.ptr -> vector<8xbf16>
  %s = vector.reduction <add>, %v : vector<8xbf16> into bf16
  llvm.store %s, %p : bf16, !llvm.ptr
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

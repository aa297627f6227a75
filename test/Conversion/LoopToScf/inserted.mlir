// RUN: kiln-opt %s --convert-loop-to-scf --canonicalize --cse | FileCheck %s

// The 5 least of a row are lanes of a vector of 8. Each of the first 5 elements is put among
// those that there are; then vectors of 16 show which are before the last that is kept, lane
// 4, and these are put there one after the other.

// CHECK-LABEL: func.func @few
// CHECK-NOT: memref
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<8xi32>, vector<8xi32>)
// CHECK: vector.shuffle {{.*}} [0, 0, 1, 2, 3, 4, 5, 6] : vector<8xi32>, vector<8xi32>
// CHECK: arith.cmpi slt, {{.*}} : vector<8xi32>
// CHECK: arith.select {{.*}} : vector<8xi1>, vector<8xi32>
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<8xi32>, vector<8xi32>)
// CHECK: llvm.load {{.*}} -> vector<16xi32>
// CHECK: vector.extract {{.*}}[4] : i32 from vector<8xi32>
// CHECK: arith.cmpi slt, {{.*}} : vector<16xi32>
// CHECK: vector.bitcast {{.*}} : vector<16xi1> to vector<1xi16>
// CHECK: scf.while
// CHECK: llvm.intr.cttz
// CHECK: llvm.intr.masked.store
// CHECK: return
func.func @main(%x: tensor<7x100xi32>, %y: tensor<7x12xi32>) -> (tensor<7x5xi64>, tensor<7x12xi64>, tensor<7x33xi64>) {
  %r = loop.kernel @few ins(%a = %x : tensor<7x100xi32>) shared [7]
      schedule #loop.within<along = [16], beside = [1], sum_block = 0, masked = true, grain = 1>
      -> tensor<7x5xi64> {
    %s = loop.sort parallel (%i) in [7] along (%j) in [100] keeping [5] at 1 : tensor<7x5xi64> {
      %e = loop.load %a[%i, %j] : tensor<7x100xi32>
      loop.yield %e : i32
    }
    loop.return %s : tensor<7x5xi64>
  }

  // So is a row of few elements.
  // CHECK-LABEL: func.func @short
  // CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<16xi32>, vector<16xi32>)
  // CHECK-NOT: scf.while
  // CHECK: llvm.intr.masked.store
  // CHECK: return
  %t = loop.kernel @short ins(%a = %y : tensor<7x12xi32>) shared [7]
      schedule #loop.within<along = [1], beside = [1], sum_block = 0, masked = true, grain = 1>
      -> tensor<7x12xi64> {
    %s = loop.sort parallel (%i) in [7] along (%j) in [12] at 1 : tensor<7x12xi64> {
      %e = loop.load %a[%i, %j] : tensor<7x12xi32>
      loop.yield %e : i32
    }
    loop.return %s : tensor<7x12xi64>
  }

  // More are sorted by their digits (sorted.mlir): there are no runs that grow.
  // CHECK-LABEL: func.func @more
  // CHECK-NOT: vector.shuffle
  // CHECK-NOT: scf.while
  // CHECK: return
  %u = loop.kernel @more ins(%a = %x : tensor<7x100xi32>) shared [7]
      schedule #loop.within<along = [16], beside = [1], sum_block = 0, masked = true, grain = 1>
      -> tensor<7x33xi64> {
    %s = loop.sort parallel (%i) in [7] along (%j) in [100] keeping [33] at 1 : tensor<7x33xi64> {
      %e = loop.load %a[%i, %j] : tensor<7x100xi32>
      loop.yield %e : i32
    }
    loop.return %s : tensor<7x33xi64>
  }
  return %r, %t, %u : tensor<7x5xi64>, tensor<7x12xi64>, tensor<7x33xi64>
}

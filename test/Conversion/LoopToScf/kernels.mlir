// RUN: kiln-opt %s --convert-loop-to-scf --split-input-file | FileCheck %s

// What the code computes is tested by running it, in test/unittests/Conversion;
// this is about the shape of the code and of the launch.

// Neighbouring dimensions that are walked as one become one; lanes run along it.
// The size is an argument of the launch.
// CHECK-LABEL: func.func @main
// CHECK: loop.launch @kernels::@k(%{{.*}}) symbols [s0 * 8{{.*}}] work {{.*}} grain
// CHECK: func.func @k(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr)
// CHECK: scf.for
// CHECK: %[[V:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<8xf32>
// CHECK: arith.negf %[[V]] : vector<8xf32>
// CHECK-NOT: arith.remui {{.*}}%c8
// CHECK: llvm.store %{{.*}} : vector<8xf32>, !llvm.ptr
!t = tensor<?x8xf32, #guard.shape<[s0, 8]>>
func.func @main(%x: !t) -> !t {
  %r = loop.kernel @k ins(%a = %x : !t) shared [s0, 8]
      schedule #loop.across<lanes = 8, chunk = 32, sum_block = 0, masked = false,
                            grain = 512> -> !t {
    %p = loop.pointwise (%i, %j) in [s0, 8] : !t {
      %e = loop.load %a[%i, %j] : !t
      %n = arith.negf %e : f32
      loop.yield %n : f32
    }
    loop.return %p : !t
  }
  return %r : !t
}

// -----

// Kernels of equal content share one function.
// CHECK-LABEL: func.func @shared
// CHECK: loop.launch @kernels::@first
// CHECK: loop.launch @kernels::@first
// CHECK: func.func @first
// CHECK-NOT: func.func
func.func @shared(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = loop.kernel @first ins(%a = %x : tensor<4xf32>) shared [4]
      schedule #loop.across<lanes = 4, chunk = 4, sum_block = 0, masked = false,
                            grain = 4096> -> tensor<4xf32> {
    %p = loop.pointwise (%i) in [4] : tensor<4xf32> {
      %e = loop.load %a[%i] : tensor<4xf32>
      %n = arith.negf %e : f32
      loop.yield %n : f32
    }
    loop.return %p : tensor<4xf32>
  }
  %s = loop.kernel @second ins(%a = %r : tensor<4xf32>) shared [4]
      schedule #loop.across<lanes = 4, chunk = 4, sum_block = 0, masked = false,
                            grain = 4096> -> tensor<4xf32> {
    %p = loop.pointwise (%i) in [4] : tensor<4xf32> {
      %e = loop.load %a[%i] : tensor<4xf32>
      %n = arith.negf %e : f32
      loop.yield %n : f32
    }
    loop.return %p : tensor<4xf32>
  }
  return %s : tensor<4xf32>
}

// -----

// A row that stays in the kernel is scratch, as many bytes as it has, rounded up.
// CHECK-LABEL: func.func @scratch
// CHECK: loop.launch @kernels::@k(%{{.*}}) symbols [{{.*}}] work 4 grain {{[0-9]+}} scratch 64
func.func @scratch(%x: tensor<4x10xf32>) -> tensor<4xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<4x10xf32>) shared [4]
      schedule #loop.within<along = [8, 8], beside = [1, 1], sum_block = 128,
                            masked = false, grain = 1638> -> tensor<4xf32> {
    %e = loop.pointwise (%i, %j) in [4, 10] : tensor<4x10xf32> {
      %v = loop.load %a[%i, %j] : tensor<4x10xf32>
      %w = math.exp %v : f32
      loop.yield %w : f32
    }
    %s = loop.reduce parallel (%i) in [4] reduction (%j) in [10] <sum>
        : tensor<4xf32> {
      %v = loop.load %e[%i, %j] : tensor<4x10xf32>
      loop.yield %v : f32
    }
    loop.return %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A sum of many rows is made of blocks, each of which starts from zero.
// CHECK-LABEL: func.func @long
// CHECK: func.func @k
// CHECK: %[[SUM:.*]] = scf.for %[[FROM:.*]] = %{{.*}} to %[[ROWS:.*]] step %{{.*}} iter_args(%[[BEFORE:.*]] = %{{.*}}) -> (vector<8xf32>)
// CHECK: %[[TO:.*]] = arith.minui %{{.*}}, %[[ROWS]]
// CHECK: %[[PART:.*]] = scf.for %{{.*}} = %[[FROM]] to %[[TO]] step
// CHECK: %[[AFTER:.*]] = arith.addf %[[BEFORE]], %[[PART]]
// CHECK-NEXT: scf.yield %[[AFTER]] : vector<8xf32>
func.func @long(%x: tensor<300x8xf32>) -> tensor<8xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<300x8xf32>) shared [8]
      schedule #loop.across<lanes = 8, chunk = 8, sum_block = 128,
                            masked = false, grain = 6> -> tensor<8xf32> {
    %s = loop.reduce parallel (%i) in [8] reduction (%j) in [300] <sum>
        : tensor<8xf32> {
      %v = loop.load %a[%j, %i] : tensor<300x8xf32>
      loop.yield %v : f32
    }
    loop.return %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// Each reduction of a kernel of rows has lanes of its own: along its rows, or rows
// that lie side by side.
// CHECK-LABEL: func.func @lanes
// CHECK: func.func @k
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<16xf32>
// CHECK: %[[ROWS:.*]] = scf.for {{.*}} -> (vector<8xf32>)
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<8xf32>
// CHECK: llvm.store %[[ROWS]], %{{.*}} : vector<8xf32>, !llvm.ptr
func.func @lanes(%x: tensor<24x64xf32>) -> (tensor<24xf32>, tensor<64xf32>) {
  %r:2 = loop.kernel @k ins(%a = %x : tensor<24x64xf32>) shared []
      schedule #loop.within<along = [16, 1], beside = [1, 8], sum_block = 128,
                            masked = false, grain = 10>
      -> (tensor<24xf32>, tensor<64xf32>) {
    %s = loop.reduce parallel (%i) in [24] reduction (%j) in [64] <sum> : tensor<24xf32> {
      %v = loop.load %a[%i, %j] : tensor<24x64xf32>
      loop.yield %v : f32
    }
    %t = loop.reduce parallel (%i) in [64] reduction (%j) in [24] <sum> : tensor<64xf32> {
      %v = loop.load %a[%j, %i] : tensor<24x64xf32>
      loop.yield %v : f32
    }
    loop.return %s, %t : tensor<24xf32>, tensor<64xf32>
  }
  return %r#0, %r#1 : tensor<24xf32>, tensor<64xf32>
}

// -----

// Kernels that differ in a number alone are one function, which is handed it.
// CHECK-LABEL: func.func @numbers
// CHECK: loop.launch @kernels::@first(%{{.*}}) symbols [7]
// CHECK: loop.launch @kernels::@first(%{{.*}}) symbols [9]
// CHECK-NOT: loop.launch
// CHECK: func.func @first
// CHECK-NOT: func.func
func.func @numbers(%x: tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>) {
  %r = loop.kernel @first ins(%a = %x : tensor<4xi64>) shared [4]
      schedule #loop.across<lanes = 4, chunk = 4, sum_block = 0, masked = false,
                            grain = 512> -> tensor<4xi64> {
    %p = loop.pointwise (%i) in [4] : tensor<4xi64> {
      %e = loop.load %a[%i] : tensor<4xi64>
      %n = loop.number 7
      %s = arith.addi %e, %n : i64
      loop.yield %s : i64
    }
    loop.return %p : tensor<4xi64>
  }
  %s = loop.kernel @second ins(%a = %r : tensor<4xi64>) shared [4]
      schedule #loop.across<lanes = 4, chunk = 4, sum_block = 0, masked = false,
                            grain = 512> -> tensor<4xi64> {
    %p = loop.pointwise (%i) in [4] : tensor<4xi64> {
      %e = loop.load %a[%i] : tensor<4xi64>
      %n = loop.number 9
      %s = arith.addi %e, %n : i64
      loop.yield %s : i64
    }
    loop.return %p : tensor<4xi64>
  }
  return %r, %s : tensor<4xi64>, tensor<4xi64>
}

// -----

// The epilogue of a product is vectors along dimensions that it walks as one.
// CHECK-LABEL: func.func @epilogue
// CHECK: func.func @k(
// CHECK-NOT: vector.insert
// CHECK: arith.addf %{{.*}}, %{{.*}} : vector<8xf32>
// CHECK-NOT: vector.insert
// CHECK: func.func @l(
// CHECK: vector.insert
!p = tensor<1x64x12x16xf32>
!q = tensor<1x64x16x16xf32>
func.func @epilogue(%x: !p, %w: tensor<64x64xf32>, %y: !p) -> !p {
  %r = loop.kernel @k ins(%a = %x : !p, %b = %w : tensor<64x64xf32>, %c = %y : !p) shared []
      schedule #loop.packed<lanes = 8, tile_rows = 6, tile_columns = 16, block_rows = 66, block_depth = 64, item_rows = 66,
                            item_columns = 96, unroll = 4, masked = true, grain = 1> -> !p {
    %p = loop.contract parallel [1, 64, 12, 16] reduction [64]
        lhs %a[d0, d4, d2, d3] : !p rhs %b[d1, d4] : tensor<64x64xf32>
        acc f32 : !p epilogue (%acc, %n, %o, %i, %j) {
      %e = loop.load %c[%n, %o, %i, %j] : !p
      %f = arith.addf %acc, %e : f32
      loop.yield %f : f32
    }
    loop.return %p : !p
  }
  return %r : !p
}
func.func @transposed(%x: !q, %w: tensor<64x64xf32>, %y: !q) -> !q {
  %r = loop.kernel @l ins(%a = %x : !q, %b = %w : tensor<64x64xf32>, %c = %y : !q) shared []
      schedule #loop.packed<lanes = 8, tile_rows = 6, tile_columns = 16, block_rows = 66, block_depth = 64, item_rows = 66,
                            item_columns = 96, unroll = 4, masked = true, grain = 1> -> !q {
    %p = loop.contract parallel [1, 64, 16, 16] reduction [64]
        lhs %a[d0, d4, d2, d3] : !q rhs %b[d1, d4] : tensor<64x64xf32>
        acc f32 : !q epilogue (%acc, %n, %o, %i, %j) {
      %e = loop.load %c[%n, %o, %j, %i] : !q
      %f = arith.addf %acc, %e : f32
      loop.yield %f : f32
    }
    loop.return %p : !q
  }
  return %r : !q
}

// -----

// The taps of a small window are written out: no loop besides that over items and
// that over vectors. Of a long row they are not.
// CHECK-LABEL: func.func @window
// CHECK: func.func @k(
// CHECK-COUNT-2: scf.for
// CHECK-NOT: scf.for
// CHECK-COUNT-9: arith.maximumf
// CHECK: func.func @l(
// CHECK: scf.for {{.*}}
// CHECK: scf.for {{.*}}
// CHECK: scf.for {{.*}} iter_args
func.func @window(%x: tensor<66x34xf32>, %y: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<32xf32>) {
  %r = loop.kernel @k ins(%a = %x : tensor<66x34xf32>) shared [64, 32]
      schedule #loop.across<lanes = 16, chunk = 32, sum_block = 0, masked = true, grain = 4> -> tensor<64x32xf32> {
    %m = loop.reduce parallel (%i, %j) in [64, 32] reduction (%k, %l) in [3, 3] <max> : tensor<64x32xf32> {
      %e = loop.load %a[%i + %k, %j + %l] : tensor<66x34xf32>
      loop.yield %e : f32
    }
    loop.return %m : tensor<64x32xf32>
  }
  %s = loop.kernel @l ins(%a = %y : tensor<64x32xf32>) shared [32]
      schedule #loop.across<lanes = 16, chunk = 32, sum_block = 0, masked = true, grain = 4> -> tensor<32xf32> {
    %m = loop.reduce parallel (%i) in [32] reduction (%k) in [64] <max> : tensor<32xf32> {
      %e = loop.load %a[%k, %i] : tensor<64x32xf32>
      loop.yield %e : f32
    }
    loop.return %m : tensor<32xf32>
  }
  return %r, %s : tensor<64x32xf32>, tensor<32xf32>
}

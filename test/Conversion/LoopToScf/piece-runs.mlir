// RUN: kiln-opt %s --convert-loop-to-scf --canonicalize --cse --split-input-file | FileCheck %s

// Four pieces of 16 columns behind one of 32 are one loop, which looks up where the
// input of a piece lies. It is seen from where the first of them would begin.

// CHECK-LABEL: func.func @joined
// CHECK-SAME: (%[[INPUTS:.+]]: !llvm.ptr, %{{.+}}: !llvm.ptr, %{{.+}}: i64
// CHECK-DAG: %[[C1:.+]] = arith.constant 1 : index
// CHECK-DAG: %[[C4:.+]] = arith.constant 4 : index
// CHECK-DAG: %[[C16:.+]] = arith.constant 16 : index
// CHECK-DAG: %[[C32:.+]] = arith.constant 32 : index
// CHECK-DAG: %[[C48:.+]] = arith.constant 48 : index
// CHECK-DAG: %[[BACK:.+]] = arith.constant -16 : index
// CHECK: llvm.store
// CHECK: scf.for %[[PIECE:.+]] = %{{.+}} to %[[C4]] step %[[C1]]
// CHECK: %[[MOVED:.+]] = arith.muli %[[PIECE]], %[[C16]]
// CHECK: %[[FROM:.+]] = arith.addi %[[MOVED]], %[[C32]]
// CHECK: %[[TO:.+]] = arith.addi %[[MOVED]], %[[C48]]
// CHECK: %[[NUMBER:.+]] = arith.addi %[[PIECE]], %[[C1]]
// CHECK: %[[OFFSET:.+]] = arith.muli %[[PIECE]], %[[BACK]]
// CHECK: %[[SLOT:.+]] = arith.index_cast %[[NUMBER]]
// CHECK: llvm.getelementptr %[[INPUTS]][%[[SLOT]]]
// CHECK: %[[BEGIN:.+]] = llvm.load
// CHECK: %[[WORD:.+]] = arith.index_cast %[[OFFSET]]
// CHECK: %[[SEEN:.+]] = llvm.getelementptr %[[BEGIN]][%[[WORD]]] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK: scf.for %{{.+}} = %[[FROM]] to %[[TO]] step %[[C16]]
// CHECK: llvm.getelementptr %[[SEEN]]
// CHECK: llvm.load {{.*}} -> vector<16xf32>
// CHECK-NOT: load
// CHECK: llvm.store
// CHECK-NOT: llvm.store
// CHECK: return
func.func @main(%x: tensor<7x32xf32>, %y0: tensor<7x16xf32>, %y1: tensor<7x16xf32>,
    %y2: tensor<7x16xf32>, %y3: tensor<7x16xf32>) -> tensor<7x96xf32> {
  %r = loop.kernel @joined ins(%a = %x : tensor<7x32xf32>, %b0 = %y0 : tensor<7x16xf32>,
      %b1 = %y1 : tensor<7x16xf32>, %b2 = %y2 : tensor<7x16xf32>, %b3 = %y3 : tensor<7x16xf32>)
      shared [7, 96]
      schedule #loop.across<lanes = 16, chunk = 96, sum_block = 0, masked = true, grain = 1>
      -> tensor<7x96xf32> {
    %zero = arith.constant 0.0 : f32
    %c32 = arith.constant 32 : index
    %c48 = arith.constant 48 : index
    %c64 = arith.constant 64 : index
    %c80 = arith.constant 80 : index
    %p = loop.pointwise (%i, %j) in [7, 96] : tensor<7x96xf32> {
      %0 = arith.cmpi slt, %j, %c32 : index
      %1 = loop.load %a[%i, %j] mask %0, %zero : tensor<7x32xf32>
      %2 = arith.cmpi sge, %j, %c32 : index
      %3 = arith.cmpi slt, %j, %c48 : index
      %4 = arith.andi %2, %3 : i1
      %5 = loop.load %b0[%i, %j - 32] mask %4, %zero : tensor<7x16xf32>
      %6 = arith.select %4, %5, %1 : f32
      %7 = arith.cmpi sge, %j, %c48 : index
      %8 = arith.cmpi slt, %j, %c64 : index
      %9 = arith.andi %7, %8 : i1
      %10 = loop.load %b1[%i, %j - 48] mask %9, %zero : tensor<7x16xf32>
      %11 = arith.select %9, %10, %6 : f32
      %12 = arith.cmpi sge, %j, %c64 : index
      %13 = arith.cmpi slt, %j, %c80 : index
      %14 = arith.andi %12, %13 : i1
      %15 = loop.load %b2[%i, %j - 64] mask %14, %zero : tensor<7x16xf32>
      %16 = arith.select %14, %15, %11 : f32
      %17 = arith.cmpi sge, %j, %c80 : index
      %18 = loop.load %b3[%i, %j - 80] mask %17, %zero : tensor<7x16xf32>
      %19 = arith.select %17, %18, %16 : f32
      loop.yield %19 : f32
    }
    loop.return %p : tensor<7x96xf32>
  }
  return %r : tensor<7x96xf32>
}

// -----

// The one in the middle is read upside down: pieces by themselves.

// CHECK-LABEL: func.func @upside_down
// CHECK-COUNT-3: llvm.store
// CHECK-NOT: llvm.store
// CHECK: return
func.func @main(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>, %z: tensor<8x16xf32>)
    -> tensor<8x48xf32> {
  %r = loop.kernel @upside_down ins(%a = %x : tensor<8x16xf32>, %b = %y : tensor<8x16xf32>,
      %c = %z : tensor<8x16xf32>) shared [8, 48]
      schedule #loop.across<lanes = 16, chunk = 48, sum_block = 0, masked = true, grain = 1>
      -> tensor<8x48xf32> {
    %zero = arith.constant 0.0 : f32
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %p = loop.pointwise (%i, %j) in [8, 48] : tensor<8x48xf32> {
      %0 = arith.cmpi slt, %j, %c16 : index
      %1 = loop.load %a[%i, %j] mask %0, %zero : tensor<8x16xf32>
      %2 = arith.cmpi sge, %j, %c16 : index
      %3 = arith.cmpi slt, %j, %c32 : index
      %4 = arith.andi %2, %3 : i1
      %5 = loop.load %b[7 - %i, %j - 16] mask %4, %zero : tensor<8x16xf32>
      %6 = arith.select %4, %5, %1 : f32
      %7 = arith.cmpi sge, %j, %c32 : index
      %8 = loop.load %c[%i, %j - 32] mask %7, %zero : tensor<8x16xf32>
      %9 = arith.select %7, %8, %6 : f32
      loop.yield %9 : f32
    }
    loop.return %p : tensor<8x48xf32>
  }
  return %r : tensor<8x48xf32>
}

// -----

// Three pieces along the dimension around rows: rows of one after the other, without a
// question in them.

// CHECK-LABEL: func.func @around
// CHECK-SAME: (%[[INPUTS:.+]]: !llvm.ptr, %{{.+}}: !llvm.ptr, %[[B:.+]]: i64, %[[E:.+]]: i64
// CHECK-DAG: %[[C3:.+]] = arith.constant 3 : index
// CHECK-DAG: %[[C4:.+]] = arith.constant 4 : index
// CHECK-DAG: %[[BEGIN:.+]] = arith.index_cast %[[B]]
// CHECK-DAG: %[[END:.+]] = arith.index_cast %[[E]]
// CHECK: scf.for %[[PIECE:.+]] = %{{.+}} to %[[C3]]
// CHECK: %[[FROM:.+]] = arith.muli %[[PIECE]], %[[C4]]
// CHECK: %[[TO:.+]] = arith.addi %[[FROM]], %[[C4]]
// CHECK: %[[LOW:.+]] = arith.maxsi %[[BEGIN]], %[[FROM]]
// CHECK: %[[LEAST:.+]] = arith.minsi %[[END]], %[[TO]]
// CHECK: %[[HIGH:.+]] = arith.maxsi %[[LOW]], %[[LEAST]]
// CHECK: scf.for %{{.+}} = %[[LOW]] to %[[HIGH]]
// CHECK-NOT: {{cmpi|scf.if|select}}
// CHECK: llvm.store
// CHECK-NOT: llvm.store
// CHECK: return
func.func @main(%x: tensor<4x32xf32>, %y: tensor<4x32xf32>, %z: tensor<4x32xf32>)
    -> tensor<12x32xf32> {
  %r = loop.kernel @around ins(%a = %x : tensor<4x32xf32>, %b = %y : tensor<4x32xf32>,
      %c = %z : tensor<4x32xf32>) shared [12, 32]
      schedule #loop.across<lanes = 16, chunk = 32, sum_block = 0, masked = true, grain = 1>
      -> tensor<12x32xf32> {
    %zero = arith.constant 0.0 : f32
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %p = loop.pointwise (%i, %j) in [12, 32] : tensor<12x32xf32> {
      %0 = arith.cmpi slt, %i, %c4 : index
      %1 = loop.load %a[%i, %j] mask %0, %zero : tensor<4x32xf32>
      %2 = arith.cmpi sge, %i, %c4 : index
      %3 = arith.cmpi slt, %i, %c8 : index
      %4 = arith.andi %2, %3 : i1
      %5 = loop.load %b[%i - 4, %j] mask %4, %zero : tensor<4x32xf32>
      %6 = arith.select %4, %5, %1 : f32
      %7 = arith.cmpi sge, %i, %c8 : index
      %8 = loop.load %c[%i - 8, %j] mask %7, %zero : tensor<4x32xf32>
      %9 = arith.select %7, %8, %6 : f32
      loop.yield %9 : f32
    }
    loop.return %p : tensor<12x32xf32>
  }
  return %r : tensor<12x32xf32>
}

// -----

// Where pieces around rows are read otherwise each, there would be more code of them:
// they stay questions.

// CHECK-LABEL: func.func @apart
// CHECK: scf.if
// CHECK: return
func.func @main(%x: tensor<4x32xf32>, %y: tensor<8x32xf32>) -> tensor<12x32xf32> {
  %r = loop.kernel @apart ins(%a = %x : tensor<4x32xf32>, %b = %y : tensor<8x32xf32>)
      shared [12, 32]
      schedule #loop.across<lanes = 16, chunk = 32, sum_block = 0, masked = true, grain = 1>
      -> tensor<12x32xf32> {
    %zero = arith.constant 0.0 : f32
    %c4 = arith.constant 4 : index
    %p = loop.pointwise (%i, %j) in [12, 32] : tensor<12x32xf32> {
      %0 = arith.cmpi slt, %i, %c4 : index
      %1 = loop.load %a[%i, %j] mask %0, %zero : tensor<4x32xf32>
      %2 = arith.cmpi sge, %i, %c4 : index
      %3 = loop.load %b[%i - 4, %j] mask %2, %zero : tensor<8x32xf32>
      %4 = arith.select %2, %3, %1 : f32
      loop.yield %4 : f32
    }
    loop.return %p : tensor<12x32xf32>
  }
  return %r : tensor<12x32xf32>
}

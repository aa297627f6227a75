// RUN: kiln-opt %s --loop-share-kernels --split-input-file | FileCheck %s

// Two kernels that add two to rows of other lengths become one, to which launches
// hand in the lengths in units of 32. A third has a length that 32 does not divide:
// what is left of a division by 32 decides whether there is a tail.

// CHECK-LABEL: func.func @rows
// CHECK: loop.launch @kernels::@[[SHARED:k0]](%{{.*}}) symbols [3] work 4
// CHECK: loop.launch @kernels::@[[SHARED]](%{{.*}}) symbols [4] work 8
// CHECK: loop.launch @kernels::@k2(%{{.*}}) symbols [] work 8
// CHECK: module @kernels
// CHECK: func.func @[[SHARED]](%{{.*}}: !llvm.ptr, %[[S:.*]]: !llvm.ptr,
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[S]][0]
// CHECK: %[[UNITS:.*]] = llvm.load %[[AT]] : !llvm.ptr -> i64
// CHECK: %[[SIZE:.*]] = arith.muli %[[UNITS]], %{{.*}} overflow<nsw, nuw> : i64
// CHECK: %[[LENGTH:.*]] = arith.index_cast %[[SIZE]] : i64 to index
// CHECK: arith.remui %[[LENGTH]], %c32
// CHECK: arith.muli %{{.*}}, %[[LENGTH]]
// CHECK-NOT: func.func @k1
// CHECK: func.func @k2
// CHECK: arith.constant 100 : index
func.func @rows(%a: tensor<4x96xf32>, %b: tensor<8x128xf32>, %c: tensor<8x100xf32>) -> (tensor<4x96xf32>, tensor<8x128xf32>, tensor<8x100xf32>) {
  %0 = loop.launch @kernels::@k0(%a) symbols [] work 4 grain 1 : (tensor<4x96xf32>) -> tensor<4x96xf32>
  %1 = loop.launch @kernels::@k1(%b) symbols [] work 8 grain 1 : (tensor<8x128xf32>) -> tensor<8x128xf32>
  %2 = loop.launch @kernels::@k2(%c) symbols [] work 8 grain 1 : (tensor<8x100xf32>) -> tensor<8x100xf32>
  return %0, %1, %2 : tensor<4x96xf32>, tensor<8x128xf32>, tensor<8x100xf32>
}
module @kernels {
  func.func @k0(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) {
    %begin = arith.index_cast %b : i64 to index
    %end = arith.index_cast %e : i64 to index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %n = arith.constant 96 : index
    %rest = arith.remui %n, %c32 : index
    %whole = arith.subi %n, %rest : index
    %two = arith.constant dense<2.0> : vector<32xf32>
    scf.for %i = %begin to %end step %c1 {
      %row = arith.muli %i, %n : index
      scf.for %j = %c0 to %whole step %c32 {
        %at = arith.addi %row, %j : index
        %k = arith.index_cast %at : index to i64
        %q = llvm.getelementptr %p[%k] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        llvm.store %two, %q : vector<32xf32>, !llvm.ptr
      }
    }
    return
  }
  func.func @k1(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) {
    %begin = arith.index_cast %b : i64 to index
    %end = arith.index_cast %e : i64 to index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %n = arith.constant 128 : index
    %rest = arith.remui %n, %c32 : index
    %whole = arith.subi %n, %rest : index
    %two = arith.constant dense<2.0> : vector<32xf32>
    scf.for %i = %begin to %end step %c1 {
      %row = arith.muli %i, %n : index
      scf.for %j = %c0 to %whole step %c32 {
        %at = arith.addi %row, %j : index
        %k = arith.index_cast %at : index to i64
        %q = llvm.getelementptr %p[%k] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        llvm.store %two, %q : vector<32xf32>, !llvm.ptr
      }
    }
    return
  }
  func.func @k2(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) {
    %begin = arith.index_cast %b : i64 to index
    %end = arith.index_cast %e : i64 to index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %n = arith.constant 100 : index
    %rest = arith.remui %n, %c32 : index
    %whole = arith.subi %n, %rest : index
    %two = arith.constant dense<2.0> : vector<32xf32>
    scf.for %i = %begin to %end step %c1 {
      %row = arith.muli %i, %n : index
      scf.for %j = %c0 to %whole step %c32 {
        %at = arith.addi %row, %j : index
        %k = arith.index_cast %at : index to i64
        %q = llvm.getelementptr %p[%k] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        llvm.store %two, %q : vector<32xf32>, !llvm.ptr
      }
    }
    return
  }
}

// -----

// Numbers of one's own stand behind the values of symbols; equal columns of numbers
// are handed in once, and what both have in common stays in the code.

// CHECK-LABEL: func.func @symbols
// CHECK: loop.launch @kernels::@k0(%{{.*}}) symbols [s0, 7, 5] work
// CHECK: loop.launch @kernels::@k0(%{{.*}}) symbols [s0, 11, 6] work
// CHECK: func.func @k0(
// CHECK-DAG: llvm.getelementptr %{{.*}}[1]
// CHECK-DAG: llvm.getelementptr %{{.*}}[2]
// CHECK: arith.constant 9 : i64
func.func @symbols(%a: tensor<?xf32, #guard.shape<[s0]>>) -> (tensor<?xf32, #guard.shape<[s0]>>, tensor<?xf32, #guard.shape<[s0]>>) {
  %0 = loop.launch @kernels::@k0(%a) symbols [s0] work s0 grain 1 : (tensor<?xf32, #guard.shape<[s0]>>) -> tensor<?xf32, #guard.shape<[s0]>>
  %1 = loop.launch @kernels::@k1(%a) symbols [s0] work s0 grain 1 : (tensor<?xf32, #guard.shape<[s0]>>) -> tensor<?xf32, #guard.shape<[s0]>>
  return %0, %1 : tensor<?xf32, #guard.shape<[s0]>>, tensor<?xf32, #guard.shape<[s0]>>
}
module @kernels {
  func.func @k0(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) {
    %0 = arith.constant 7 : i64
    %1 = arith.constant 7 : i64
    %2 = arith.constant 5 : i64
    %3 = arith.constant 9 : i64
    %4 = arith.addi %0, %1 : i64
    %5 = arith.addi %2, %4 : i64
    %6 = arith.muli %5, %3 : i64
    %7 = llvm.getelementptr %p[%6] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    llvm.store %b, %7 : i64, !llvm.ptr
    return
  }
  func.func @k1(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) {
    %0 = arith.constant 11 : i64
    %1 = arith.constant 11 : i64
    %2 = arith.constant 6 : i64
    %3 = arith.constant 9 : i64
    %4 = arith.addi %0, %1 : i64
    %5 = arith.addi %2, %4 : i64
    %6 = arith.muli %5, %3 : i64
    %7 = llvm.getelementptr %p[%6] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    llvm.store %b, %7 : i64, !llvm.ptr
    return
  }
}

// -----

// Apart stay kernels whose numbers are factors of vectors in an inner loop, steps of
// loops, divide in an inner loop, are 1 in one of them, have another sign, or are very
// large; and one that another function calls.

// CHECK-LABEL: func.func @apart
// CHECK-COUNT-14: symbols []
// CHECK: module @kernels
func.func @apart(%a: tensor<4xf32>) {
  %0 = loop.launch @kernels::@lanes0(%a) symbols [] work 4 grain 1 : (tensor<4xf32>) -> tensor<4xf32>
  %1 = loop.launch @kernels::@lanes1(%a) symbols [] work 4 grain 1 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = loop.launch @kernels::@step0(%a) symbols [] work 4 grain 1 : (tensor<4xf32>) -> tensor<4xf32>
  %3 = loop.launch @kernels::@step1(%a) symbols [] work 4 grain 1 : (tensor<4xf32>) -> tensor<4xf32>
  %4 = loop.launch @kernels::@divisor0(%a) symbols [] work 4 grain 1 : (tensor<4xf32>) -> tensor<4xf32>
  %5 = loop.launch @kernels::@divisor1(%a) symbols [] work 4 grain 1 : (tensor<4xf32>) -> tensor<4xf32>
  %6 = loop.launch @kernels::@one0(%a) symbols [] work 4 grain 1 : (tensor<4xf32>) -> tensor<4xf32>
  %7 = loop.launch @kernels::@one1(%a) symbols [] work 4 grain 1 : (tensor<4xf32>) -> tensor<4xf32>
  %10 = loop.launch @kernels::@sign0(%a) symbols [] work 4 grain 1 : (tensor<4xf32>) -> tensor<4xf32>
  %11 = loop.launch @kernels::@sign1(%a) symbols [] work 4 grain 1 : (tensor<4xf32>) -> tensor<4xf32>
  %12 = loop.launch @kernels::@large0(%a) symbols [] work 4 grain 1 : (tensor<4xf32>) -> tensor<4xf32>
  %13 = loop.launch @kernels::@large1(%a) symbols [] work 4 grain 1 : (tensor<4xf32>) -> tensor<4xf32>
  %8 = loop.launch @kernels::@called0(%a) symbols [] work 4 grain 1 : (tensor<4xf32>) -> tensor<4xf32>
  %9 = loop.launch @kernels::@called1(%a) symbols [] work 4 grain 1 : (tensor<4xf32>) -> tensor<4xf32>
  return
}
module @kernels {
  func.func @lanes0(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) {
    %1 = arith.constant 1 : i64
    %0 = arith.constant 5 : i64
    %2 = vector.broadcast %0 : i64 to vector<8xi64>
    scf.for %i = %b to %e step %1 : i64 {
      %3 = vector.broadcast %i : i64 to vector<8xi64>
      %4 = arith.muli %3, %2 : vector<8xi64>
      llvm.store %4, %p : vector<8xi64>, !llvm.ptr
    }
    return
  }
  func.func @lanes1(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) {
    %1 = arith.constant 1 : i64
    %0 = arith.constant 6 : i64
    %2 = vector.broadcast %0 : i64 to vector<8xi64>
    scf.for %i = %b to %e step %1 : i64 {
      %3 = vector.broadcast %i : i64 to vector<8xi64>
      %4 = arith.muli %3, %2 : vector<8xi64>
      llvm.store %4, %p : vector<8xi64>, !llvm.ptr
    }
    return
  }
  func.func @step0(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) {
    %0 = arith.constant 5 : i64
    scf.for %i = %b to %e step %0 : i64 {
    }
    return
  }
  func.func @step1(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) {
    %0 = arith.constant 6 : i64
    scf.for %i = %b to %e step %0 : i64 {
    }
    return
  }
  func.func @divisor0(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) {
    %1 = arith.constant 1 : i64
    %0 = arith.constant 5 : i64
    scf.for %i = %b to %e step %1 : i64 {
      %2 = arith.divui %i, %0 : i64
      %3 = llvm.getelementptr %p[%2] : (!llvm.ptr, i64) -> !llvm.ptr, i64
      llvm.store %b, %3 : i64, !llvm.ptr
    }
    return
  }
  func.func @divisor1(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) {
    %1 = arith.constant 1 : i64
    %0 = arith.constant 6 : i64
    scf.for %i = %b to %e step %1 : i64 {
      %2 = arith.divui %i, %0 : i64
      %3 = llvm.getelementptr %p[%2] : (!llvm.ptr, i64) -> !llvm.ptr, i64
      llvm.store %b, %3 : i64, !llvm.ptr
    }
    return
  }
  func.func @one0(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) {
    %1 = arith.constant 1 : i64
    scf.for %i = %b to %1 step %1 : i64 {
    }
    return
  }
  func.func @one1(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) {
    %1 = arith.constant 5 : i64
    %2 = arith.constant 1 : i64
    scf.for %i = %b to %1 step %2 : i64 {
    }
    return
  }
  func.func @sign0(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) {
    %0 = arith.constant -6 : i64
    %1 = llvm.getelementptr %p[%0] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %b, %1 : i64, !llvm.ptr
    return
  }
  func.func @sign1(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) {
    %0 = arith.constant 6 : i64
    %1 = llvm.getelementptr %p[%0] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %b, %1 : i64, !llvm.ptr
    return
  }
  func.func @large0(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) {
    %0 = arith.constant 1099511627776 : i64
    %1 = llvm.getelementptr %p[%0] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %b, %1 : i64, !llvm.ptr
    return
  }
  func.func @large1(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) {
    %0 = arith.constant 2199023255552 : i64
    %1 = llvm.getelementptr %p[%0] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %b, %1 : i64, !llvm.ptr
    return
  }
  func.func @called0(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) {
    %0 = arith.constant 5 : i64
    %1 = llvm.getelementptr %p[%0] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    llvm.store %b, %1 : i64, !llvm.ptr
    return
  }
  func.func @called1(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) {
    %0 = arith.constant 6 : i64
    %1 = llvm.getelementptr %p[%0] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    llvm.store %b, %1 : i64, !llvm.ptr
    return
  }
  func.func @caller(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) {
    func.call @called1(%p, %s, %b, %e, %x) : (!llvm.ptr, !llvm.ptr, i64, i64, !llvm.ptr) -> ()
    return
  }
}

// -----

// Of one number others are made: the elements of a plane, the last of a row, how far
// to go back. What only rounds to a multiple has a number of its own.

// CHECK-LABEL: func.func @multiples
// CHECK: loop.launch @kernels::@k0(%{{.*}}) symbols [2, 5]
// CHECK: loop.launch @kernels::@k0(%{{.*}}) symbols [3, 6]
// CHECK: loop.launch @kernels::@k0(%{{.*}}) symbols [5, 9]
// CHECK: func.func @k0(
// CHECK-DAG: %[[N:.*]] = llvm.load
// CHECK-DAG: arith.constant -32 : i64
// CHECK-DAG: arith.constant 64 : i64
// CHECK-DAG: arith.constant 32 : i64
// CHECK-DAG: arith.constant -1 : i64
// CHECK: scf.for %{{.*}} iter_args(%[[AT:.*]] = %{{.*}})
// CHECK: llvm.store %[[AT]]
func.func @multiples(%a: tensor<4xf32>) {
  %0 = loop.launch @kernels::@k0(%a) symbols [] work 4 grain 1 : (tensor<4xf32>) -> tensor<4xf32>
  %1 = loop.launch @kernels::@k1(%a) symbols [] work 4 grain 1 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = loop.launch @kernels::@k2(%a) symbols [] work 4 grain 1 : (tensor<4xf32>) -> tensor<4xf32>
  return
}
module @kernels {
  func.func @k0(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) {
    %c1 = arith.constant 1 : i64
    %row = arith.constant 64 : i64
    %plane = arith.constant 128 : i64
    %last = arith.constant 63 : i64
    %back = arith.constant -64 : i64
    %own = arith.constant 5 : i64
    %end = arith.minsi %last, %e : i64
    %0 = arith.addi %back, %own : i64
    %1 = scf.for %i = %b to %end step %c1 iter_args(%at = %0) -> i64 : i64 {
      %2 = llvm.getelementptr %p[%row] : (!llvm.ptr, i64) -> !llvm.ptr, i64
      llvm.store %at, %2 : i64, !llvm.ptr
      %3 = arith.addi %at, %plane : i64
      scf.yield %3 : i64
    }
    %4 = llvm.getelementptr %p[%1] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    llvm.store %e, %4 : i64, !llvm.ptr
    return
  }
  func.func @k1(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) {
    %c1 = arith.constant 1 : i64
    %row = arith.constant 96 : i64
    %plane = arith.constant 192 : i64
    %last = arith.constant 95 : i64
    %back = arith.constant -96 : i64
    %own = arith.constant 6 : i64
    %end = arith.minsi %last, %e : i64
    %0 = arith.addi %back, %own : i64
    %1 = scf.for %i = %b to %end step %c1 iter_args(%at = %0) -> i64 : i64 {
      %2 = llvm.getelementptr %p[%row] : (!llvm.ptr, i64) -> !llvm.ptr, i64
      llvm.store %at, %2 : i64, !llvm.ptr
      %3 = arith.addi %at, %plane : i64
      scf.yield %3 : i64
    }
    %4 = llvm.getelementptr %p[%1] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    llvm.store %e, %4 : i64, !llvm.ptr
    return
  }
  func.func @k2(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) {
    %c1 = arith.constant 1 : i64
    %row = arith.constant 160 : i64
    %plane = arith.constant 320 : i64
    %last = arith.constant 159 : i64
    %back = arith.constant -160 : i64
    %own = arith.constant 9 : i64
    %end = arith.minsi %last, %e : i64
    %0 = arith.addi %back, %own : i64
    %1 = scf.for %i = %b to %end step %c1 iter_args(%at = %0) -> i64 : i64 {
      %2 = llvm.getelementptr %p[%row] : (!llvm.ptr, i64) -> !llvm.ptr, i64
      llvm.store %at, %2 : i64, !llvm.ptr
      %3 = arith.addi %at, %plane : i64
      scf.yield %3 : i64
    }
    %4 = llvm.getelementptr %p[%1] : (!llvm.ptr, i64) -> !llvm.ptr, i64
    llvm.store %e, %4 : i64, !llvm.ptr
    return
  }
}

// -----

// How many tiles there are, of which there may be one, and how many of them are a block.

// CHECK-LABEL: func.func @blocks
// CHECK: loop.launch @kernels::@k0(%{{.*}}) symbols [1, 17]
// CHECK: loop.launch @kernels::@k0(%{{.*}}) symbols [12, 9]
// CHECK: func.func @k0(
// CHECK-DAG: %[[TILES_AT:.*]] = llvm.getelementptr %{{.*}}[0]
// CHECK-DAG: %[[TILES:.*]] = llvm.load %[[TILES_AT]]
// CHECK-DAG: %[[STEP_AT:.*]] = llvm.getelementptr %{{.*}}[1]
// CHECK-DAG: %[[STEP:.*]] = llvm.load %[[STEP_AT]]
// CHECK: scf.for
// CHECK: arith.remui %{{.*}}, %[[TILES]]
// CHECK: scf.for %{{.*}} to %[[TILES]] step %[[STEP]]
func.func @blocks(%a: tensor<4xf32>) {
  %0 = loop.launch @kernels::@k0(%a) symbols [] work 4 grain 1 : (tensor<4xf32>) -> tensor<4xf32>
  %1 = loop.launch @kernels::@k1(%a) symbols [] work 4 grain 1 : (tensor<4xf32>) -> tensor<4xf32>
  return
}
module @kernels {
  func.func @k0(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) {
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %tiles = arith.constant 1 : i64
    %step = arith.constant 17 : i64
    scf.for %i = %b to %e step %c1 : i64 {
      %j = arith.remui %i, %tiles : i64
      scf.for %t = %c0 to %tiles step %step : i64 {
        scf.for %u = %c0 to %t step %c1 : i64 {
          scf.for %v = %c0 to %u step %c1 : i64 {
            %q = llvm.getelementptr %p[%v] : (!llvm.ptr, i64) -> !llvm.ptr, i64
            llvm.store %j, %q : i64, !llvm.ptr
          }
        }
      }
    }
    return
  }
  func.func @k1(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) {
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %tiles = arith.constant 12 : i64
    %step = arith.constant 9 : i64
    scf.for %i = %b to %e step %c1 : i64 {
      %j = arith.remui %i, %tiles : i64
      scf.for %t = %c0 to %tiles step %step : i64 {
        scf.for %u = %c0 to %t step %c1 : i64 {
          scf.for %v = %c0 to %u step %c1 : i64 {
            %q = llvm.getelementptr %p[%v] : (!llvm.ptr, i64) -> !llvm.ptr, i64
            llvm.store %j, %q : i64, !llvm.ptr
          }
        }
      }
    }
    return
  }
}

// -----

// A division by 8 of what is no multiple of 8, or by 6, leaves something anyhow: which
// powers of two divide these numbers is nobody's matter.

// CHECK-LABEL: func.func @rounded
// CHECK: loop.launch @kernels::@k0(%{{.*}}) symbols [8, 3] work 4
// CHECK: loop.launch @kernels::@k0(%{{.*}}) symbols [3, 4] work 8
// CHECK-NOT: func.func @k1
func.func @rounded(%a: tensor<4x96xf32>, %b: tensor<8x128xf32>) -> (tensor<4x96xf32>, tensor<8x128xf32>) {
  %0 = loop.launch @kernels::@k0(%a) symbols [] work 4 grain 1 : (tensor<4x96xf32>) -> tensor<4x96xf32>
  %1 = loop.launch @kernels::@k1(%b) symbols [] work 8 grain 1 : (tensor<8x128xf32>) -> tensor<8x128xf32>
  return %0, %1 : tensor<4x96xf32>, tensor<8x128xf32>
}
module @kernels {
  func.func @k0(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) {
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c7 = arith.constant 7 : i64
    %c8 = arith.constant 8 : i64
    %c6 = arith.constant 6 : i64
    %n = arith.constant 32 : i64
    %m = arith.constant 96 : i64
    %up = arith.addi %n, %c7 : i64
    %tiles = arith.divui %up, %c8 : i64
    %parts = arith.divui %m, %c6 : i64
    %count = arith.addi %tiles, %parts : i64
    %two = arith.constant 2.0 : f32
    scf.for %i = %c0 to %count step %c1 : i64 {
      %q = llvm.getelementptr %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %two, %q : f32, !llvm.ptr
    }
    return
  }
  func.func @k1(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) {
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c7 = arith.constant 7 : i64
    %c8 = arith.constant 8 : i64
    %c6 = arith.constant 6 : i64
    %n = arith.constant 12 : i64
    %m = arith.constant 128 : i64
    %up = arith.addi %n, %c7 : i64
    %tiles = arith.divui %up, %c8 : i64
    %parts = arith.divui %m, %c6 : i64
    %count = arith.addi %tiles, %parts : i64
    %two = arith.constant 2.0 : f32
    scf.for %i = %c0 to %count step %c1 : i64 {
      %q = llvm.getelementptr %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %two, %q : f32, !llvm.ptr
    }
    return
  }
}

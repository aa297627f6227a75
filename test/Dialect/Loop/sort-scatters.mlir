// RUN: kiln-opt %s --loop-sort-scatters --split-input-file | FileCheck %s
// RUN: kiln-opt %s --loop-sort-scatters --split-input-file --remarks-filter=loop-sort-scatters 2>&1 >/dev/null | FileCheck %s --check-prefix=TOLD --implicit-check-not=Function=stay

// TOLD: remark: [Passed] sorted | Category:loop-sort-scatters | Function=rows | nest="Scatter([4096, 64]

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800, deterministic = true>} {
  // Rows are sorted once for all columns; those that are added nowhere come last.
  // CHECK-LABEL: func.func @rows
  // CHECK: %[[K:.*]] = loop.pointwise (%i) in [4096] : tensor<4096xi32> {
  // CHECK-DAG: %[[AT:.*]] = loop.load %arg1[%i] : tensor<4096xi64>
  // CHECK-DAG: %[[LAST:.*]] = arith.constant 2147483647 : i32
  // CHECK: arith.select %{{.*}}, %{{.*}}, %[[LAST]] : i32
  // CHECK: %[[O:.*]] = loop.sort parallel () in [] along (%i) in [4096] at 0 : tensor<4096xi64> {
  // CHECK-NEXT: loop.load %[[K]][%i] : tensor<4096xi32>
  // CHECK: loop.scatter (%i, %j) in [4096, 64] grouped into %arg0 <add> : tensor<100x64xf32> {
  // CHECK-NEXT: %[[N:.*]] = loop.load %[[O]][%i] : tensor<4096xi64>
  // CHECK-NEXT: %[[P:.*]] = arith.index_cast %[[N]] : i64 to index
  // CHECK-DAG: loop.load %arg1[%[[P]]] : tensor<4096xi64>
  // CHECK-DAG: loop.load %arg2[%[[P]], %j] : tensor<4096x64xf32>
  // CHECK: loop.yield_at %{{.*}} at[%{{.*}}, %j] if
  func.func @rows(%x: tensor<100x64xf32>, %index: tensor<4096xi64>, %e: tensor<4096x64xf32>) -> tensor<100x64xf32> {
    %r = loop.scatter (%n, %d) in [4096, 64] into %x <add> : tensor<100x64xf32> {
      %i = loop.load %index[%n] : tensor<4096xi64>
      %p = arith.index_cast %i : i64 to index
      %v = loop.load %e[%n, %d] : tensor<4096x64xf32>
      %zero = arith.constant 0 : i64
      %valid = arith.cmpi sge, %i, %zero : i64
      loop.yield_at %v at [%p, %d] if %valid : f32
    }
    return %r : tensor<100x64xf32>
  }
}

// -----

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  // A place for each element: each column has an order of its own.
  // CHECK-LABEL: func.func @columns
  // CHECK: loop.pointwise (%i, %j) in [6, 1024] : tensor<6x1024xi32>
  // CHECK-NEXT: loop.load %arg1[%j, %i]
  // CHECK: loop.sort parallel (%i) in [6] along (%j) in [1024] at 1 : tensor<6x1024xi64>
  // CHECK: loop.scatter (%i, %j) in [1024, 6] grouped into %arg0 <set>
  // CHECK-NEXT: loop.load %{{.*}}[%j, %i] : tensor<6x1024xi64>
  func.func @columns(%x: tensor<100x6xf32>, %index: tensor<1024x6xi64>, %e: tensor<1024x6xf32>) -> tensor<100x6xf32> {
    %r = loop.scatter (%n, %d) in [1024, 6] into %x <set> : tensor<100x6xf32> {
      %i = loop.load %index[%n, %d] : tensor<1024x6xi64>
      %p = arith.index_cast %i : i64 to index
      %v = loop.load %e[%n, %d] : tensor<1024x6xf32>
      loop.yield_at %v at [%p, %d] : f32
    }
    return %r : tensor<100x6xf32>
  }

  // Points of two dimensions and two computed positions are one number each; positions that
  // make more than 2^31 have 64 bits.
  // CHECK-LABEL: func.func @two
  // CHECK: loop.pointwise (%i) in [1600] : tensor<1600xi64>
  // CHECK: loop.load %arg1[floordiv(%i, 40), mod(%i, 40)]
  // CHECK: loop.sort parallel () in [] along (%i) in [1600] at 0
  // CHECK: loop.scatter (%i) in [1600] grouped into %arg0 <set>
  func.func @two(%x: tensor<65536x65536xi8>, %a: tensor<40x40xi64>, %b: tensor<40xi64>) -> tensor<65536x65536xi8> {
    %r = loop.scatter (%m, %n) in [40, 40] into %x <set> : tensor<65536x65536xi8> {
      %i = loop.load %a[%m, %n] : tensor<40x40xi64>
      %p = arith.index_cast %i : i64 to index
      %j = loop.load %b[%n] : tensor<40xi64>
      %q = arith.index_cast %j : i64 to index
      %one = arith.constant 1 : i8
      loop.yield_at %one at [%p, %q] : i8
    }
    return %r : tensor<65536x65536xi8>
  }

  // Atomic operations add up in any order, few points are looked at by everybody, and what has
  // been written is read in no other order.
  // CHECK-LABEL: func.func @stay
  // CHECK-NOT: loop.sort
  // CHECK-NOT: grouped
  // CHECK: return
  func.func @stay(%x: tensor<100x64xf32>, %y: tensor<2x5000xf32>, %index: tensor<4096xi64>, %e: tensor<4096x64xf32>) -> (tensor<100x64xf32>, tensor<100x64xf32>, tensor<2x5000xf32>) {
    %r = loop.scatter (%n, %d) in [4096, 64] into %x <add> : tensor<100x64xf32> {
      %i = loop.load %index[%n] : tensor<4096xi64>
      %p = arith.index_cast %i : i64 to index
      %v = loop.load %e[%n, %d] : tensor<4096x64xf32>
      loop.yield_at %v at [%p, %d] : f32
    }
    %s = loop.scatter (%n, %d) in [511, 64] into %x <set> : tensor<100x64xf32> {
      %i = loop.load %index[%n] : tensor<4096xi64>
      %p = arith.index_cast %i : i64 to index
      %v = loop.load %e[%n, %d] : tensor<4096x64xf32>
      loop.yield_at %v at [%p, %d] : f32
    }
    %t = loop.scatter (%n, %d) in [2, 4999] independent 1 reading %now into %y <set> : tensor<2x5000xf32> {
      %v = loop.load %now[%n, %d] : tensor<2x5000xf32>
      %p = loop.index (%d + 1)
      loop.yield_at %v at [%n, %p] : f32
    }
    return %r, %s, %t : tensor<100x64xf32>, tensor<100x64xf32>, tensor<2x5000xf32>
  }
}

// -----

// A processor walks all points once.
// CHECK-LABEL: func.func @cpu
// CHECK-NOT: loop.sort
func.func @cpu(%x: tensor<100xf32>, %index: tensor<4096xi64>) -> tensor<100xf32> {
  %r = loop.scatter (%n) in [4096] into %x <set> : tensor<100xf32> {
    %i = loop.load %index[%n] : tensor<4096xi64>
    %p = arith.index_cast %i : i64 to index
    %one = arith.constant 1.0 : f32
    loop.yield_at %one at [%p] : f32
  }
  return %r : tensor<100xf32>
}

// -----

// Where 1024 floats of 16 bits are added up in each element they are so in f32, of zeros that are f32. A row for
// each of few points stays as it is.

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  // CHECK-LABEL: func.func @stay_wide
  // CHECK: %[[Z:.*]] = loop.pointwise (%i, %j) in [4, 64] : tensor<4x64xf32> {
  // CHECK-NOT: loop.load
  // CHECK: %[[S:.*]] = loop.scatter (%i, %j) in [4096, 64] into %[[Z]] <add> : tensor<4x64xf32> {
  // CHECK: %[[V:.*]] = loop.load %arg1[%i, %j] : tensor<4096x64xbf16>
  // CHECK: %[[W:.*]] = arith.extf %[[V]] : bf16 to f32
  // CHECK: loop.yield_at %[[W]] at[%{{.*}}, %j] : f32
  // CHECK: loop.pointwise (%i, %j) in [4, 64] : tensor<4x64xbf16> {
  // CHECK-NEXT: loop.load %[[S]][%i, %j]
  // CHECK-NEXT: arith.truncf
  func.func @stay_wide(%index: tensor<4096xi64>, %e: tensor<4096x64xbf16>) -> tensor<4x64xbf16> {
    %x = loop.pointwise (%i, %j) in [4, 64] : tensor<4x64xbf16> {
      %c = arith.constant 0.0 : bf16
      loop.yield %c : bf16
    }
    %r = loop.scatter (%n, %d) in [4096, 64] into %x <add> : tensor<4x64xbf16> {
      %i = loop.load %index[%n] : tensor<4096xi64>
      %p = arith.index_cast %i : i64 to index
      %v = loop.load %e[%n, %d] : tensor<4096x64xbf16>
      loop.yield_at %v at [%p, %d] : bf16
    }
    return %r : tensor<4x64xbf16>
  }

  // CHECK-LABEL: func.func @stay_narrow
  // CHECK: loop.scatter (%i, %j) in [64, 64] into %arg2 <add> : tensor<100x64xbf16> {
  func.func @stay_narrow(%index: tensor<64xi64>, %e: tensor<64x64xbf16>, %x: tensor<100x64xbf16>) -> tensor<100x64xbf16> {
    %r = loop.scatter (%n, %d) in [64, 64] into %x <add> : tensor<100x64xbf16> {
      %i = loop.load %index[%n] : tensor<64xi64>
      %p = arith.index_cast %i : i64 to index
      %v = loop.load %e[%n, %d] : tensor<64x64xbf16>
      loop.yield_at %v at [%p, %d] : bf16
    }
    return %r : tensor<100x64xbf16>
  }
}

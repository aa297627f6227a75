// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --mlir-print-op-generic | kiln-opt | FileCheck %s

// Scans and sorts, in their own text and in the generic form.

!t = tensor<?x8xf32, #guard.shape<[s77, 8]>>

// A running sum along the last dimension, in a wider type.
// CHECK-LABEL: @scan
// CHECK: loop.scan parallel (%[[I:.*]]) in [s77] along (%[[J:.*]]) in [8] at 1 <sum> origins ["cumsum"] : tensor<?x8xf32
// CHECK: loop.load %{{.*}}[%[[I]], %[[J]]]
func.func @scan(%t: !t) -> !t {
  %s = loop.scan parallel (%i) in [s77] along (%j) in [8] at 1 <sum>
      origins ["cumsum"] : !t {
    %x = loop.load %t[%i, %j] : !t
    %w = arith.extf %x : f32 to f64
    loop.yield %w : f64
  }
  return %s : !t
}

// Along the first dimension, with a combiner and two accumulators.
// CHECK-LABEL: @generic_scan
// CHECK: loop.scan parallel (%[[J:.*]]) in [8] along (%[[I:.*]]) in [s77] at 0 <generic> init(%{{.*}}, %{{.*}} : f32, i64) : tensor<?x8xf32{{.*}}>, tensor<?x8xi64
// CHECK: } combine (%{{.*}}: f32, %{{.*}}: i64, %{{.*}}: f32, %{{.*}}: i64) {
func.func @generic_scan(%t: !t)
    -> (!t, tensor<?x8xi64, #guard.shape<[s77, 8]>>) {
  %low = arith.constant 0xFF800000 : f32
  %first = arith.constant 0 : i64
  %v, %p = loop.scan parallel (%j) in [8] along (%i) in [s77] at 0 <generic>
      init(%low, %first : f32, i64)
      : !t, tensor<?x8xi64, #guard.shape<[s77, 8]>> {
    %x = loop.load %t[%i, %j] : !t
    %k = arith.index_cast %i : index to i64
    loop.yield %x, %k : f32, i64
  } combine (%a: f32, %k: i64, %b: f32, %l: i64) {
    %c = arith.cmpf oge, %b, %a : f32
    %m = arith.select %c, %b, %a : f32
    %n = arith.select %c, %l, %k : i64
    loop.yield %m, %n : f32, i64
  }
  return %v, %p : !t, tensor<?x8xi64, #guard.shape<[s77, 8]>>
}

// Two keys, the first one first.
// CHECK-LABEL: @sort
// CHECK: loop.sort parallel () in [] along (%[[J:.*]]) in [6] at 0 : tensor<6xi64> {
// CHECK: loop.yield %{{.*}}, %{{.*}} : i8, i32
func.func @sort(%a: tensor<6xi8>, %b: tensor<6xi32>) -> tensor<6xi64> {
  %p = loop.sort parallel () in [] along (%j) in [6] at 0 : tensor<6xi64> {
    %x = loop.load %a[%j] : tensor<6xi8>
    %y = loop.load %b[%j] : tensor<6xi32>
    loop.yield %x, %y : i8, i32
  }
  return %p : tensor<6xi64>
}

// Some of the elements of each row; all of them are written as no number.
// CHECK-LABEL: @first
// CHECK: loop.sort parallel (%{{.*}}) in [s77] along (%{{.*}}) in [8] keeping [3] at 1 : tensor<?x3xi64
// CHECK: loop.sort parallel (%{{.*}}) in [8] along (%{{.*}}) in [s77] keeping [min(4, s77)] at 0 : tensor<?x8xi64
// CHECK: loop.sort parallel (%{{.*}}) in [s77] along (%{{.*}}) in [8] at 1 : tensor<?x8xi64
!u = tensor<?x3xi64, #guard.shape<[s77, 3]>>
!v = tensor<?x8xi64, #guard.shape<[min(4, s77), 8]>>
!w = tensor<?x8xi64, #guard.shape<[s77, 8]>>
func.func @first(%t: tensor<?x8xi32, #guard.shape<[s77, 8]>>) -> (!u, !v, !w) {
  %p = loop.sort parallel (%i) in [s77] along (%j) in [8] keeping [3] at 1 : !u {
    %x = loop.load %t[%i, %j] : tensor<?x8xi32, #guard.shape<[s77, 8]>>
    loop.yield %x : i32
  }
  %q = loop.sort parallel (%j) in [8] along (%i) in [s77] keeping [min(s77, 4)] at 0 : !v {
    %x = loop.load %t[%i, %j] : tensor<?x8xi32, #guard.shape<[s77, 8]>>
    loop.yield %x : i32
  }
  %r = loop.sort parallel (%i) in [s77] along (%j) in [8] keeping [8] at 1 : !w {
    %x = loop.load %t[%i, %j] : tensor<?x8xi32, #guard.shape<[s77, 8]>>
    loop.yield %x : i32
  }
  return %p, %q, %r : !u, !v, !w
}

// CHECK-LABEL: @scatter_kinds
// CHECK: into %{{.*}} <prod>
// CHECK: into %{{.*}} <min>
// CHECK: into %{{.*}} <max>
func.func @scatter_kinds(%t: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant 2.0 : f32
  %p = loop.scatter (%i) in [4] into %t <prod> : tensor<4xf32> {
    loop.yield_at %c at [%i] : f32
  }
  %q = loop.scatter (%i) in [4] into %p <min> : tensor<4xf32> {
    loop.yield_at %c at [%i] : f32
  }
  %r = loop.scatter (%i) in [4] into %q <max> : tensor<4xf32> {
    loop.yield_at %c at [%i] : f32
  }
  return %r : tensor<4xf32>
}

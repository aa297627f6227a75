// RUN: kiln-opt %s --convert-aten-to-loop --split-input-file | FileCheck %s

// What a mask selects is counted; the count gives the symbol its value, and
// each element its place.

guard.symbol @u0 unbacked range [0, 32]

// CHECK-LABEL: func.func @masked_select
// CHECK: %[[COUNTS:.*]] = loop.scan parallel () in [] along (%{{.*}}) in [32] at 0 <sum>
// CHECK: %[[TOTAL:.*]] = loop.pointwise () in []
// CHECK: loop.load %[[COUNTS]][31]
// CHECK: loop.extern "aten.item.default"(%[[TOTAL]]) arguments [#loop.operand<0>] {symbol = "u0"}
// CHECK: %[[ZEROS:.*]] = loop.pointwise (%{{.*}}) in [u0]
// CHECK: loop.scatter (%{{.*}}) in [32] into %[[ZEROS]] <set>
// CHECK: loop.yield_at %{{.*}} at{{ *}}[%{{.*}}] if %{{.*}} : f32
func.func @masked_select(%x: tensor<4x8xf32>, %m: tensor<4x8xi1>)
    -> tensor<?xf32, #guard.shape<[u0]>> {
  %r = aten.masked_select(%x, %m) : (tensor<4x8xf32>, tensor<4x8xi1>)
      -> tensor<?xf32, #guard.shape<[u0]>>
  return %r : tensor<?xf32, #guard.shape<[u0]>>
}

// -----

// Who finds a size out first defines it; the others, and sizes of inputs, have to
// agree.
guard.symbol @s0 range [2, 64] hint 3
guard.symbol @u0 unbacked range [0, 32]

// CHECK-LABEL: func.func @agree
// CHECK: loop.scan {{.*}} origins ["masked_select"]
// CHECK: loop.extern "aten.item.default"({{.*}} {symbol = "u0"}
// CHECK: loop.scan {{.*}} origins ["nonzero"]
// CHECK-NOT: symbol =
// CHECK: loop.extern "aten._assert_async.msg"(%{{.*}}, "the number of selected elements is not the expected one"]
// CHECK: loop.scan {{.*}} origins ["index_put"]
// CHECK-NOT: symbol =
// CHECK: loop.extern "aten._assert_async.msg"(%{{.*}}, "the number of selected elements is not the expected one"]
func.func @agree(%x: tensor<4x8xf32>, %m: tensor<4x8xi1>,
                 %v: tensor<?xf32, #guard.shape<[s0]>>)
    -> (tensor<?xf32, #guard.shape<[u0]>>,
        tensor<?x2xi64, #guard.shape<[u0, 2]>>, tensor<4x8xf32>) {
  %r = aten.masked_select(%x, %m) : (tensor<4x8xf32>, tensor<4x8xi1>)
      -> tensor<?xf32, #guard.shape<[u0]>>
  %n = aten.nonzero(%x) : (tensor<4x8xf32>)
      -> tensor<?x2xi64, #guard.shape<[u0, 2]>>
  %p = aten.index_put(%x, [%m], %v, accumulate = false)
      : (tensor<4x8xf32>, tensor<4x8xi1>, tensor<?xf32, #guard.shape<[s0]>>)
      -> tensor<4x8xf32>
  return %r, %n, %p : tensor<?xf32, #guard.shape<[u0]>>,
                      tensor<?x2xi64, #guard.shape<[u0, 2]>>, tensor<4x8xf32>
}

// -----

// Elements that are written again and again join in f32 and are rounded once.
// CHECK-LABEL: func.func @scatter_mean
// CHECK: %[[TIMES:.*]] = loop.scatter (%{{.*}}) in [6] into %{{.*}} <add> {{.*}}: tensor<4xi64>
// CHECK: loop.scatter (%{{.*}}) in [6] into %{{.*}} <add> {{.*}}: tensor<4xf32>
// CHECK: loop.pointwise
// CHECK: loop.load %[[TIMES]]
// CHECK: arith.divf
func.func @scatter_mean(%x: tensor<4xbf16>, %i: tensor<6xi64>,
                        %s: tensor<6xbf16>) -> tensor<4xbf16> {
  %r = aten.scatter_reduce.two(%x, %i, %s, dim = 0, reduce = "mean")
      : (tensor<4xbf16>, tensor<6xi64>, tensor<6xbf16>) -> tensor<4xbf16>
  return %r : tensor<4xbf16>
}

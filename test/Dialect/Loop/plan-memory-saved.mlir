// RUN: kiln-opt %s --loop-fuse=fuse=false --loop-plan-memory --split-input-file | FileCheck %s
// RUN: kiln-opt %s --loop-fuse=fuse=false --loop-plan-memory --split-input-file -o /dev/null --remarks-filter=loop-plan-memory 2>&1 | FileCheck %s --check-prefix=REMARK

// The second function writes what its caller receives where the first one left a
// value for it, and its own intermediate where another one was: no arena.
// CHECK-LABEL: func.func @forward
// CHECK-LABEL: func.func @backward
// CHECK-SAME: loop.arena_bytes = #guard.expr<0>
// REMARK: remark: [Passed] planned | {{.*}} | Function=backward | {{.*}} saved_places=2, saved_places_bytes=8192
// CHECK: loop.kernel {{.*}} placements [#loop.argument<0>]
// CHECK: loop.kernel {{.*}} placements [#loop.argument<1>]
func.func @forward(%x: tensor<1024xf32>)
    -> (tensor<1024xf32> {loop.saved = "a"}, tensor<1024xf32> {loop.saved = "b"}) {
  %a = loop.pointwise (%i) in [1024] : tensor<1024xf32> {
    %e = loop.load %x[%i] : tensor<1024xf32>
    %y = arith.negf %e : f32
    loop.yield %y : f32
  }
  %b = loop.pointwise (%i) in [1024] : tensor<1024xf32> {
    %e = loop.load %x[1023 - %i] : tensor<1024xf32>
    %y = math.exp %e : f32
    loop.yield %y : f32
  }
  return %a, %b : tensor<1024xf32>, tensor<1024xf32>
}
func.func @backward(%a: tensor<1024xf32> {loop.saved = "a"},
                    %b: tensor<1024xf32> {loop.saved = "b"})
    -> tensor<1024xf32> {
  %p = loop.pointwise (%i) in [1024] : tensor<1024xf32> {
    %e = loop.load %a[%i] : tensor<1024xf32>
    %y = math.exp %e : f32
    loop.yield %y : f32
  }
  %q = loop.pointwise (%i) in [1024] : tensor<1024xf32> {
    %e = loop.load %p[1023 - %i] : tensor<1024xf32>
    %f = loop.load %b[%i] : tensor<1024xf32>
    %y = arith.addf %e, %f : f32
    loop.yield %y : f32
  }
  return %q : tensor<1024xf32>
}

// -----

// A value that the caller of the first function receives as well is the caller's;
// so is one whose name no function here hands out.
// CHECK-LABEL: func.func @backward
// CHECK-SAME: loop.arena_bytes = #guard.expr<4096>
// CHECK-NOT: #loop.argument
func.func @forward(%x: tensor<1024xf32>)
    -> (tensor<1024xf32>, tensor<1024xf32> {loop.saved = "a"}) {
  %a = loop.pointwise (%i) in [1024] : tensor<1024xf32> {
    %e = loop.load %x[%i] : tensor<1024xf32>
    %y = arith.negf %e : f32
    loop.yield %y : f32
  }
  return %a, %a : tensor<1024xf32>, tensor<1024xf32>
}
func.func @backward(%a: tensor<1024xf32> {loop.saved = "a"},
                    %b: tensor<1024xf32> {loop.saved = "b"})
    -> tensor<1024xf32> {
  %p = loop.pointwise (%i) in [1024] : tensor<1024xf32> {
    %e = loop.load %a[%i] : tensor<1024xf32>
    %y = math.exp %e : f32
    loop.yield %y : f32
  }
  %q = loop.pointwise (%i) in [1024] : tensor<1024xf32> {
    %e = loop.load %p[1023 - %i] : tensor<1024xf32>
    %f = loop.load %b[%i] : tensor<1024xf32>
    %y = arith.addf %e, %f : f32
    loop.yield %y : f32
  }
  return %q : tensor<1024xf32>
}

// -----

// While it is still to be read, nothing is written there.
// CHECK-LABEL: func.func @backward
// CHECK-SAME: loop.arena_bytes = #guard.expr<4096>
// CHECK: placements [#loop.arena<0>]
// CHECK: placements [#loop.new]
func.func @forward(%x: tensor<1024xf32>)
    -> (tensor<1024xf32> {loop.saved = "a"}) {
  %a = loop.pointwise (%i) in [1024] : tensor<1024xf32> {
    %e = loop.load %x[%i] : tensor<1024xf32>
    %y = arith.negf %e : f32
    loop.yield %y : f32
  }
  return %a : tensor<1024xf32>
}
func.func @backward(%a: tensor<1024xf32> {loop.saved = "a"})
    -> tensor<1024xf32> {
  %p = loop.pointwise (%i) in [1024] : tensor<1024xf32> {
    %e = loop.load %a[%i] : tensor<1024xf32>
    %y = math.exp %e : f32
    loop.yield %y : f32
  }
  %q = loop.pointwise (%i) in [1024] : tensor<1024xf32> {
    %e = loop.load %p[1023 - %i] : tensor<1024xf32>
    %f = loop.load %a[1023 - %i] : tensor<1024xf32>
    %y = arith.addf %e, %f : f32
    loop.yield %y : f32
  }
  return %q : tensor<1024xf32>
}

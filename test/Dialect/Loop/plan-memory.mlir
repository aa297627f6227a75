// RUN: kiln-opt %s --loop-fuse=fuse=false --loop-plan-memory --loop-choose-schedule --split-input-file | FileCheck %s
// RUN: kiln-opt %s --loop-fuse=fuse=false --loop-plan-memory --loop-choose-schedule --split-input-file -o /dev/null --remarks-filter='loop-(plan-memory|choose-schedule)' 2>&1 | FileCheck %s --check-prefix=REMARK

// The second result overwrites the first, element by element; the last one is
// handed to the caller.

// REMARK: remark: [Passed] planned | Category:loop-plan-memory | Function=chain | arena=4096, buffers=2, escaping=4096, in_place=1, lower_bound=4096, peak=4096, without_reuse=8192
// REMARK: remark: [Passed] scheduled | Category:loop-choose-schedule | Function=chain | kernel=fused_0, schedule="#loop.across<lanes = 8, {{.*}}>"
// CHECK-LABEL: func.func @chain
// CHECK-SAME: loop.arena_bytes = #guard.expr<4096>
// CHECK: loop.kernel {{.*}} schedule #loop.across<lanes = 8,{{.*}} placements [#loop.arena<0>]
// CHECK: loop.kernel {{.*}} placements [#loop.arena<0>]
// CHECK: loop.kernel {{.*}} placements [#loop.new]
func.func @chain(%a: tensor<1024xf32>) -> tensor<1024xf32> {
  %p = loop.pointwise (%i) in [1024] : tensor<1024xf32> {
    %x = loop.load %a[%i] : tensor<1024xf32>
    %y = arith.negf %x : f32
    loop.yield %y : f32
  }
  %q = loop.pointwise (%i) in [1024] : tensor<1024xf32> {
    %x = loop.load %p[%i] : tensor<1024xf32>
    %y = math.exp %x : f32
    loop.yield %y : f32
  }
  %r = loop.pointwise (%i) in [1024] : tensor<1024xf32> {
    %x = loop.load %q[%i] : tensor<1024xf32>
    %y = arith.negf %x : f32
    loop.yield %y : f32
  }
  return %r : tensor<1024xf32>
}

// -----

// What is read at other indices is not overwritten.

// CHECK-LABEL: func.func @reversed
// CHECK-SAME: loop.arena_bytes = #guard.expr<8192>
// CHECK: placements [#loop.arena<0>]
// CHECK: placements [#loop.arena<4096>]
func.func @reversed(%a: tensor<1024xf32>) -> tensor<1024xf32> {
  %p = loop.pointwise (%i) in [1024] : tensor<1024xf32> {
    %x = loop.load %a[%i] : tensor<1024xf32>
    %y = arith.negf %x : f32
    loop.yield %y : f32
  }
  %q = loop.pointwise (%i) in [1024] : tensor<1024xf32> {
    %x = loop.load %p[1023 - %i] : tensor<1024xf32>
    %y = math.exp %x : f32
    loop.yield %y : f32
  }
  %r = loop.pointwise (%i) in [1024] : tensor<1024xf32> {
    %x = loop.load %q[%i] : tensor<1024xf32>
    %y = arith.negf %x : f32
    loop.yield %y : f32
  }
  return %r : tensor<1024xf32>
}

// -----

// A symbolic size is rounded to the alignment.

// CHECK-LABEL: func.func @symbolic
// CHECK-SAME: loop.arena_bytes = #guard.expr<floordiv(s0 + 15, 16) * 64>
guard.symbol @s0 range [2, 64] hint 16
!v = tensor<?xf32, #guard.shape<[s0]>>
func.func @symbolic(%a: !v) -> !v {
  %p = loop.pointwise (%i) in [s0] : !v {
    %x = loop.load %a[%i] : !v
    %y = arith.negf %x : f32
    loop.yield %y : f32
  }
  %q = loop.pointwise (%i) in [s0] : !v {
    %x = loop.load %p[%i] : !v
    %y = math.exp %x : f32
    loop.yield %y : f32
  }
  return %q : !v
}

// -----

// Schedules follow the access pattern. Without masks there are no tiles.

// CHECK-LABEL: func.func @schedules
// CHECK: schedule #loop.within<
// CHECK: schedule #loop.across<
// CHECK: schedule #loop.across<
func.func @schedules(%a: tensor<64x64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>) {
  %p = loop.reduce parallel (%i) in [64] reduction (%j) in [64] <sum> : tensor<64xf32> {
    %x = loop.load %a[%i, %j] : tensor<64x64xf32>
    loop.yield %x : f32
  }
  %q = loop.reduce parallel (%i) in [64] reduction (%j) in [64] <sum> : tensor<64xf32> {
    %x = loop.load %a[%j, %i] : tensor<64x64xf32>
    loop.yield %x : f32
  }
  %r = loop.pointwise (%i, %j) in [64, 64] : tensor<64x64xf32> {
    %x = loop.load %a[%j, %i] : tensor<64x64xf32>
    loop.yield %x : f32
  }
  return %p, %q, %r : tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>
}

// -----

// What has as many elements as the program counts has no place in the arena,
// which is there before.

guard.symbol @u0 unbacked range [0, 100]

// CHECK-LABEL: func.func @counted
// CHECK-SAME: loop.arena_bytes = #guard.expr<0>
// CHECK: placements [#loop.new]
func.func @counted(%n: tensor<i64>) -> tensor<?xi64, #guard.shape<[u0]>> {
  %s = loop.extern "aten.item.default"(%n) arguments [#loop.operand<0>]
      {symbol = "u0"} : (tensor<i64>) -> i64
  %r = loop.pointwise (%i) in [u0] : tensor<?xi64, #guard.shape<[u0]>> {
    %c = arith.constant 1 : i64
    loop.yield %c : i64
  }
  %t = loop.extern "aten.neg.default"(%r) arguments [#loop.operand<0>]
      : (tensor<?xi64, #guard.shape<[u0]>>)
        -> tensor<?xi64, #guard.shape<[u0]>>
  return %t : tensor<?xi64, #guard.shape<[u0]>>
}

// -----

// New contents of an argument are written over it where every element is read
// at the same place, if at all.

// CHECK-LABEL: func.func @update
// CHECK: loop.kernel {{.*}} placements [#loop.argument<0>]
func.func @update(%w: tensor<1024xf32>, %g: tensor<1024xf32>)
    -> (tensor<1024xf32> {loop.updates = 0}) {
  %r = loop.pointwise (%i) in [1024] : tensor<1024xf32> {
    %x = loop.load %w[%i] : tensor<1024xf32>
    %y = loop.load %g[%i] : tensor<1024xf32>
    %z = arith.subf %x, %y : f32
    loop.yield %z : f32
  }
  return %r : tensor<1024xf32>
}

// -----

// Not where other elements are read, ...

// CHECK-LABEL: func.func @shifted
// CHECK: loop.kernel {{.*}} placements [#loop.new]
func.func @shifted(%w: tensor<1024xf32>)
    -> (tensor<1024xf32> {loop.updates = 0}) {
  %r = loop.pointwise (%i) in [1024] : tensor<1024xf32> {
    %x = loop.load %w[1023 - %i] : tensor<1024xf32>
    %z = arith.negf %x : f32
    loop.yield %z : f32
  }
  return %r : tensor<1024xf32>
}

// -----

// ... nor where a later kernel reads the old contents, ...

// CHECK-LABEL: func.func @read_later
// CHECK: loop.kernel {{.*}} placements [#loop.new]
// CHECK: loop.kernel {{.*}} placements [#loop.new]
func.func @read_later(%w: tensor<1024xf32>)
    -> (tensor<1024xf32> {loop.updates = 0}, tensor<1024xf32>) {
  %r = loop.pointwise (%i) in [1024] : tensor<1024xf32> {
    %x = loop.load %w[%i] : tensor<1024xf32>
    %z = arith.negf %x : f32
    loop.yield %z : f32
  }
  %s = loop.pointwise (%i) in [1024] : tensor<1024xf32> {
    %x = loop.load %w[1023 - %i] : tensor<1024xf32>
    loop.yield %x : f32
  }
  return %r, %s : tensor<1024xf32>, tensor<1024xf32>
}

// -----

// ... nor where the old contents are returned, or a call may hold a view.

// CHECK-LABEL: func.func @returned
// CHECK: loop.kernel {{.*}} placements [#loop.new]
func.func @returned(%w: tensor<1024xf32>)
    -> (tensor<1024xf32> {loop.updates = 0}, tensor<1024xf32>) {
  %r = loop.pointwise (%i) in [1024] : tensor<1024xf32> {
    %x = loop.load %w[%i] : tensor<1024xf32>
    %z = arith.negf %x : f32
    loop.yield %z : f32
  }
  return %r, %w : tensor<1024xf32>, tensor<1024xf32>
}

// -----

// CHECK-LABEL: func.func @viewed
// CHECK: loop.kernel {{.*}} placements [#loop.new]
func.func @viewed(%w: tensor<1024xf32>)
    -> (tensor<1024xf32> {loop.updates = 0}, tensor<1024xf32>) {
  %v = loop.extern "aten.alias.default"(%w) arguments [#loop.operand<0>]
      : (tensor<1024xf32>) -> tensor<1024xf32>
  %r = loop.pointwise (%i) in [1024] : tensor<1024xf32> {
    %x = loop.load %w[%i] : tensor<1024xf32>
    %z = arith.negf %x : f32
    loop.yield %z : f32
  }
  return %r, %v : tensor<1024xf32>, tensor<1024xf32>
}

// -----

// What is launched already lies where it was planned.

// CHECK-LABEL: func.func @launched
// CHECK-SAME: loop.arena_bytes = #guard.expr<4096>
func.func @launched(%a: tensor<1024xf32>) -> tensor<1024xf32>
    attributes {loop.arena_bytes = #guard.expr<4096>} {
  %p = loop.launch @kernels::@k0(%a) symbols [] work 1024 grain 64
      placements [#loop.arena<0>] : (tensor<1024xf32>) -> tensor<1024xf32>
  %r = loop.launch @kernels::@k0(%p) symbols [] work 1024 grain 64
      placements [#loop.new] : (tensor<1024xf32>) -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// RUN: kiln-opt %s --loop-join-launches --split-input-file | FileCheck %s
// RUN: kiln-opt %s --loop-join-launches --split-input-file -o /dev/null --remarks-filter=loop-join-launches 2>&1 | FileCheck %s --check-prefix=REMARK

#s = #loop.across<lanes = 8, chunk = 32, sum_block = 0, masked = false, grain = 512>

// Launches of different sizes that do not touch each other's memory become one.
// The chunks of the first are 0 to 4, those of the second 4 to 7; each part gets
// its own pointers.

// REMARK: remark: [Passed] joined | Category:loop-join-launches | Function=updates | kernel=joined_2_0, parts=2
// CHECK-LABEL: func.func @updates
// CHECK: %[[J:.*]]:3 = loop.launch @kernels::@joined_2_0(%arg0, %arg1, %arg2) symbols [] work 7 grain 7
// CHECK-SAME: placements [#loop.argument<0>, #loop.argument<1>, #loop.new]
// CHECK-SAME: parts = array<i64: 1, 1, 2, 2>
// CHECK-SAME: schedules = [#loop.across<{{.*}}>, #loop.across<{{.*}}>]
// CHECK: return %[[J]]#0, %[[J]]#1, %[[J]]#2
// CHECK: func.func private @k0
// CHECK: func.func private @k1
// CHECK: func.func @joined_2_0(%[[P:.*]]: !llvm.ptr, %[[S:.*]]: !llvm.ptr, %[[B:.*]]: i64, %[[E:.*]]: i64, %[[X:.*]]: !llvm.ptr)
// CHECK: scf.if
// CHECK: func.call @k0(%[[P]], %[[S]], %{{.*}}, %{{.*}}, %[[X]])
// CHECK: scf.if
// CHECK: %[[Q:.*]] = llvm.getelementptr %[[P]][2]
// CHECK: func.call @k1(%[[Q]], %[[S]],
func.func @updates(%a: tensor<1024xf32>, %b: tensor<9000xf32>, %c: tensor<9000xf32>)
    -> (tensor<1024xf32>, tensor<9000xf32>, tensor<9000xf32>) {
  %0 = loop.launch @kernels::@k0(%a) symbols [] work 1024 grain 256 placements [#loop.argument<0>]
      {schedules = [#s], traffic = #loop.traffic<read = 64, written = 64, unfused = 128>}
      : (tensor<1024xf32>) -> tensor<1024xf32>
  %1:2 = loop.launch @kernels::@k1(%b, %c) symbols [] work 9000 grain 4096 placements [#loop.argument<1>, #loop.new]
      {schedules = [#s], traffic = #loop.traffic<read = 64, written = 64, unfused = 128>}
      : (tensor<9000xf32>, tensor<9000xf32>) -> (tensor<9000xf32>, tensor<9000xf32>)
  return %0, %1#0, %1#1 : tensor<1024xf32>, tensor<9000xf32>, tensor<9000xf32>
}
module @kernels {
  func.func @k0(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) { return }
  func.func @k1(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) { return }
}

// -----

#s = #loop.across<lanes = 8, chunk = 32, sum_block = 0, masked = false, grain = 512>

// Apart stay: what reads another's result, what takes over the place in the
// arena that another still reads, what updates an argument that another reads.

// CHECK-LABEL: func.func @apart
// CHECK-NOT: joined
// CHECK: return
func.func @apart(%a: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %0 = loop.launch @kernels::@k(%a) symbols [] work 16 grain 16 placements [#loop.arena<0>]
      {schedules = [#s]} : (tensor<16xf32>) -> tensor<16xf32>
  %1 = loop.launch @kernels::@k(%0) symbols [] work 16 grain 16 placements [#loop.new]
      {schedules = [#s]} : (tensor<16xf32>) -> tensor<16xf32>
  %2 = loop.launch @kernels::@k(%a) symbols [] work 16 grain 16 placements [#loop.arena<32>]
      {schedules = [#s]} : (tensor<16xf32>) -> tensor<16xf32>
  %3 = loop.launch @kernels::@k(%2) symbols [] work 16 grain 16 placements [#loop.argument<0>]
      {schedules = [#s]} : (tensor<16xf32>) -> tensor<16xf32>
  return %1, %3 : tensor<16xf32>, tensor<16xf32>
}
module @kernels {
  func.func @k(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) { return }
}

// -----

#s = #loop.across<lanes = 8, chunk = 32, sum_block = 0, masked = false, grain = 512>

// Symbolic sizes: each part keeps its own arguments in front, chunks and items
// follow.

// CHECK-LABEL: func.func @symbolic
// CHECK: loop.launch @kernels::@joined_2_0(%arg0, %arg1) symbols [s0, s0, floordiv(s0 + 63, 64), {{.*}}] work
guard.symbol @s0 range [2, 64] hint 16
!v = tensor<?xf32, #guard.shape<[s0]>>
func.func @symbolic(%a: !v, %b: !v) -> (!v, !v) {
  %0 = loop.launch @kernels::@k(%a) symbols [s0] work s0 grain 64 placements [#loop.new]
      {schedules = [#s]} : (!v) -> !v
  %1 = loop.launch @kernels::@k(%b) symbols [s0] work s0 grain 64 placements [#loop.new]
      {schedules = [#s]} : (!v) -> !v
  return %0, %1 : !v, !v
}
module @kernels {
  func.func @k(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) { return }
}

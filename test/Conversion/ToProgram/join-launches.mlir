// RUN: kiln-opt %s --program-join-launches --split-input-file | FileCheck %s
// RUN: kiln-opt %s --program-join-launches --split-input-file -o /dev/null --remarks-filter=program-join-launches 2>&1 | FileCheck %s --check-prefix=REMARK

!a = !program.buffer<[1024], f32>
!b = !program.buffer<[9000], f32>
#s = #loop.across<lanes = 8, chunk = 32, sum_block = 0, masked = false, grain = 512>

// Launches of different sizes that do not touch each other's memory become one.
// The chunks of the first are 0 to 4, those of the second 4 to 7; each part gets
// its own pointers.

// REMARK: remark: [Passed] joined | Category:program-join-launches | Function=updates | kernel=joined_2_0, parts=2
// CHECK-LABEL: program.func @updates
// CHECK: %[[A:.*]] = program.slot user_input "a"
// CHECK: %[[B:.*]] = program.slot user_input "b"
// CHECK: %[[C:.*]] = program.slot user_input "c"
// CHECK: %[[V:.*]] = program.view %[[A]]
// CHECK: %[[W:.*]] = program.view %[[B]]
// CHECK: %[[N:.*]] = program.alloc new
// CHECK-NEXT: program.launch @kernels::@joined_2_0(%[[A]], %[[V]], %[[B]], %[[C]], %[[W]], %[[N]]) access [read, write, read, read, write, write] symbols [4, 1024, 256, 7, 9000, 4096] work 7 grain 7 alone
// CHECK-SAME: overwrites = array<i64: 1, 0, 4, 2>
// CHECK-SAME: schedules = [#loop.across<{{.*}}>, #loop.across<{{.*}}>]
// CHECK-NOT: program.launch
// CHECK: func.func private @k0
// CHECK: func.func private @k1
// CHECK: func.func @joined_2_0(%[[P:.*]]: !llvm.ptr, %[[S:.*]]: !llvm.ptr, %[[B:.*]]: i64, %[[E:.*]]: i64, %[[X:.*]]: !llvm.ptr)
// CHECK: scf.if
// CHECK: func.call @k0(%[[P]], %[[S]], %{{.*}}, %{{.*}}, %[[X]])
// CHECK: scf.if
// CHECK: %[[Q:.*]] = llvm.getelementptr %[[P]][2]
// CHECK: func.call @k1(%[[Q]], %[[S]],
program.func @updates {
  %a = program.slot user_input "a" : !a
  %b = program.slot user_input "b" : !b
  %c = program.slot user_input "c" : !b
  %v = program.view %a offset 0 : !a to !a
  program.launch @kernels::@k0(%a, %v) access [read, write] symbols [] work 1024 grain 256 {overwrites = array<i64: 1, 0>, schedules = [#s], traffic = #program.traffic<read = 64, written = 64, unfused = 128>} : !a, !a
  %w = program.view %b offset 0 : !b to !b
  %n = program.alloc new : !b
  program.launch @kernels::@k1(%b, %c, %w, %n) access [read, read, write, write] symbols [] work 9000 grain 4096 {overwrites = array<i64: 2, 0>, schedules = [#s], traffic = #program.traffic<read = 64, written = 64, unfused = 128>} : !b, !b, !b, !b
  program.return %v, %w, %n outputs [#program.output<role = input_mutation, target = "a">, #program.output<role = input_mutation, target = "b">, #program.output<role = user_output>] : !a, !b, !b
}
module @kernels {
  func.func @k0(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) { return }
  func.func @k1(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) { return }
}

// -----

!b = !program.buffer<[16], f32>

// Apart stay: what reads another's result, what takes over the place in the
// arena that another still reads, what updates a slot that another reads, and
// what wants to be alone.

// CHECK-LABEL: program.func @apart
// CHECK-NOT: joined
// CHECK: program.return
program.func @apart arena 128 {
  %a = program.slot user_input "a" : !b
  %0 = program.alloc at 0 : !b
  program.launch @kernels::@k(%a, %0) access [read, write] symbols [] work 16 grain 16 : !b, !b
  %1 = program.alloc new : !b
  program.launch @kernels::@k(%0, %1) access [read, write] symbols [] work 16 grain 16 : !b, !b
  %2 = program.alloc at 0 : !b
  program.launch @kernels::@k(%a, %2) access [read, write] symbols [] work 16 grain 16 : !b, !b
  %3 = program.view %a offset 0 : !b to !b
  program.launch @kernels::@k(%2, %3) access [read, write] symbols [] work 16 grain 16 : !b, !b
  %4 = program.alloc new : !b
  program.launch @kernels::@k(%1, %4) access [read, write] symbols [] work 16 grain 16 alone : !b, !b
  program.return %1, %3, %4 outputs [#program.output<role = user_output>, #program.output<role = input_mutation, target = "a">, #program.output<role = user_output>] : !b, !b, !b
}
module @kernels {
  func.func @k(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) { return }
}

// -----

// Symbolic sizes: each part keeps its own arguments in front, chunks and items
// follow.

// CHECK-LABEL: program.func @symbolic
// CHECK: program.launch @kernels::@joined_2_0(%{{.*}}) access [read, write, read, write] symbols [s0, s0, floordiv(s0 + 63, 64), {{.*}}] work
!v = !program.buffer<[s0], f32>
program.func @symbolic {
  %a = program.slot user_input "a" : !v
  %b = program.slot user_input "b" : !v
  program.symbol "s0" size 0 of %a range 2 to 64 : !v
  %0 = program.alloc new : !v
  program.launch @kernels::@k(%a, %0) access [read, write] symbols [s0] work s0 grain 64 : !v, !v
  %1 = program.alloc new : !v
  program.launch @kernels::@k(%b, %1) access [read, write] symbols [s0] work s0 grain 64 : !v, !v
  program.return %0, %1 outputs [#program.output<role = user_output>, #program.output<role = user_output>] : !v, !v
}
module @kernels {
  func.func @k(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) { return }
}

// -----

!e = !program.buffer<[0, 4], f32>

// What has no bytes is written before it is read all the same.

// CHECK-LABEL: program.func @empty
// CHECK-NOT: joined
// CHECK: program.return
program.func @empty arena 0 {
  %a = program.slot user_input "a" : !e
  %0 = program.alloc at 0 : !e
  program.launch @kernels::@k(%a, %0) access [read, write] symbols [] work 0 grain 16 : !e, !e
  %1 = program.alloc new : !e
  program.launch @kernels::@k(%0, %1) access [read, write] symbols [] work 0 grain 16 : !e, !e
  program.return %1 outputs [#program.output<role = user_output>] : !e
}
module @kernels {
  func.func @k(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) { return }
}

// -----

// Equal layers have equal groups, which share a function, and so do groups of the
// same kernels with other numbers, which are handed in.

!b = !program.buffer<[16], f32>

// CHECK-LABEL: program.func @layers
// CHECK: program.launch @kernels::@[[SHARED:joined_2_[0-9]+]]({{.*}} symbols [1, 16, 16, 2, 16, 16]
// CHECK: program.launch @kernels::@[[SHARED]]({{.*}} symbols [1, 16, 16, 2, 16, 16]
// CHECK: program.launch @kernels::@[[SHARED]]({{.*}} symbols [1, 16, 16, 3, 16, 8]
// CHECK: module @kernels
// CHECK-COUNT-1: func.func @joined_2_
// CHECK-NOT: func.func @joined_2_
program.func @layers {
  %a = program.slot user_input "a" : !b
  %0 = program.alloc new : !b
  program.launch @kernels::@k(%a, %0) access [read, write] symbols [] work 16 grain 16 : !b, !b
  %1 = program.alloc new : !b
  program.launch @kernels::@k(%a, %1) access [read, write] symbols [] work 16 grain 16 : !b, !b
  %2 = program.alloc new : !b
  program.launch @kernels::@k(%0, %2) access [read, write] symbols [] work 16 grain 16 : !b, !b
  %3 = program.alloc new : !b
  program.launch @kernels::@k(%1, %3) access [read, write] symbols [] work 16 grain 16 : !b, !b
  %4 = program.alloc new : !b
  program.launch @kernels::@k(%2, %4) access [read, write] symbols [] work 16 grain 16 : !b, !b
  %5 = program.alloc new : !b
  program.launch @kernels::@k(%3, %5) access [read, write] symbols [] work 16 grain 8 : !b, !b
  program.return %4, %5 outputs [#program.output<role = user_output>, #program.output<role = user_output>] : !b, !b
}
module @kernels {
  func.func @k(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %x: !llvm.ptr) { return }
}

// RUN: kiln-opt %s --program-plan-memory --split-input-file | FileCheck %s
// RUN: kiln-opt %s --program-plan-memory --split-input-file -o /dev/null --remarks-filter=program-plan-memory 2>&1 | FileCheck %s --check-prefix=REMARK

!b = !program.buffer<[1024], f32>

// The second buffer overwrites the first, element by element; the last one is
// handed to the caller.

// REMARK: remark: [Passed] planned | Category:program-plan-memory | Function=chain | arena=4096, buffers=2, escaping=4096, in_place=1, lower_bound=4096, peak=4096, without_reuse=8192
// CHECK-LABEL: program.func @chain arena 4096
// CHECK: program.alloc at 0
// CHECK: program.alloc at 0
// CHECK: program.alloc new
program.func @chain {
  %x = program.slot user_input "x" : !b
  %p = program.alloc : !b
  program.launch @kernels::@k(%x, %p) access [read, write] symbols [] work 1024 grain 64 : !b, !b
  %q = program.alloc : !b
  program.launch @kernels::@k(%p, %q) access [read, write] symbols [] work 1024 grain 64 {overwrites = array<i64: 1, 0>} : !b, !b
  %r = program.alloc : !b
  program.launch @kernels::@k(%q, %r) access [read, write] symbols [] work 1024 grain 64 {overwrites = array<i64: 1, 0>} : !b, !b
  program.return %r outputs [#program.output<role = user_output>] : !b
}

// -----

!b = !program.buffer<[1024], f32>

// Not where the kernel reads other elements.

// CHECK-LABEL: program.func @reversed arena 8192
// CHECK: program.alloc at 0
// CHECK: program.alloc at 4096
program.func @reversed {
  %x = program.slot user_input "x" : !b
  %p = program.alloc : !b
  program.launch @kernels::@k(%x, %p) access [read, write] symbols [] work 1024 grain 64 : !b, !b
  %q = program.alloc : !b
  program.launch @kernels::@k(%p, %q) access [read, write] symbols [] work 1024 grain 64 : !b, !b
  %r = program.alloc : !b
  program.launch @kernels::@k(%q, %r) access [read, write] symbols [] work 1024 grain 64 : !b, !b
  program.return %r outputs [#program.output<role = user_output>] : !b
}

// -----

// A symbolic size is rounded to the alignment.

// CHECK-LABEL: program.func @symbolic arena floordiv(s0 + 15, 16) * 64
guard.symbol @s0 range [2, 64] hint 16
!v = !program.buffer<[s0], f32>
program.func @symbolic {
  %x = program.slot user_input "x" : !v
  program.symbol "s0" size 0 of %x range 2 to 64 : !v
  %p = program.alloc : !v
  program.launch @kernels::@k(%x, %p) access [read, write] symbols [s0] work s0 grain 64 : !v, !v
  %q = program.alloc : !v
  program.launch @kernels::@k(%p, %q) access [read, write] symbols [s0] work s0 grain 64 : !v, !v
  program.return %q outputs [#program.output<role = user_output>] : !v
}

// -----

// What has as many elements as the program counts has no place in the arena,
// which is there before.

// CHECK-LABEL: program.func @counted arena 0
// CHECK: program.alloc new
!v = !program.buffer<[u0], i64>
program.func @counted {
  %n = program.slot user_input "n" : !program.buffer<[], i64>
  program.symbol "u0" step range 0 to 100
  %s = program.call "aten.item.default"(%n) arguments [#program.operand<0>] : (!program.buffer<[], i64>) -> !program.number
  program.define "u0" = %s : !program.number
  %r = program.alloc : !v
  program.launch @kernels::@k(%r) access [write] symbols [u0] work u0 grain 64 : !v
  %t = program.call "aten.neg.default"(%r) arguments [#program.operand<0>] : (!v) -> !v
  program.return %t outputs [#program.output<role = user_output>] : !v
}

// -----

!b = !program.buffer<[1024], f32>

// New contents of a slot are written over it where every element is read at the
// same place, if at all.

// CHECK-LABEL: program.func @update
// CHECK: %[[W:.*]] = program.slot buffer "w"
// CHECK: %[[V:.*]] = program.view %[[W]] offset 0
// CHECK: program.launch @kernels::@k(%[[W]], %{{.*}}, %[[V]])
// CHECK: program.return %[[V]]
program.func @update {
  %w = program.slot buffer "w" path "w" : !b
  %g = program.slot user_input "g" : !b
  %r = program.alloc : !b
  program.launch @kernels::@k(%w, %g, %r) access [read, read, write] symbols [] work 1024 grain 64 {overwrites = array<i64: 2, 0>} : !b, !b, !b
  program.return %r outputs [#program.output<role = buffer_mutation, target = "w">] : !b
}

// -----

!b = !program.buffer<[1024], f32>

// Not where other elements are read, ...

// CHECK-LABEL: program.func @shifted
// CHECK: program.alloc new
program.func @shifted {
  %w = program.slot buffer "w" path "w" : !b
  %r = program.alloc : !b
  program.launch @kernels::@k(%w, %r) access [read, write] symbols [] work 1024 grain 64 : !b, !b
  program.return %r outputs [#program.output<role = buffer_mutation, target = "w">] : !b
}

// -----

!b = !program.buffer<[1024], f32>

// ... nor where a later launch reads the old contents, ...

// CHECK-LABEL: program.func @read_later
// CHECK: program.alloc new
// CHECK: program.alloc new
program.func @read_later {
  %w = program.slot buffer "w" path "w" : !b
  %r = program.alloc : !b
  program.launch @kernels::@k(%w, %r) access [read, write] symbols [] work 1024 grain 64 {overwrites = array<i64: 1, 0>} : !b, !b
  %s = program.alloc : !b
  program.launch @kernels::@k(%w, %s) access [read, write] symbols [] work 1024 grain 64 : !b, !b
  program.return %r, %s outputs [#program.output<role = buffer_mutation, target = "w">, #program.output<role = user_output>] : !b, !b
}

// -----

!b = !program.buffer<[1024], f32>

// ... nor where the old contents are returned, or a call may hold a view.

// CHECK-LABEL: program.func @returned
// CHECK: program.alloc new
program.func @returned {
  %w = program.slot buffer "w" path "w" : !b
  %r = program.alloc : !b
  program.launch @kernels::@k(%w, %r) access [read, write] symbols [] work 1024 grain 64 {overwrites = array<i64: 1, 0>} : !b, !b
  program.return %r, %w outputs [#program.output<role = buffer_mutation, target = "w">, #program.output<role = user_output>] : !b, !b
}

// -----

!b = !program.buffer<[1024], f32>

// CHECK-LABEL: program.func @viewed
// CHECK: program.alloc new
program.func @viewed {
  %w = program.slot buffer "w" path "w" : !b
  %v = program.call "aten.alias.default"(%w) arguments [#program.operand<0>] : (!b) -> !b
  %r = program.alloc : !b
  program.launch @kernels::@k(%w, %r) access [read, write] symbols [] work 1024 grain 64 {overwrites = array<i64: 1, 0>} : !b, !b
  program.return %r, %v outputs [#program.output<role = buffer_mutation, target = "w">, #program.output<role = user_output>] : !b, !b
}

// -----

!b = !program.buffer<[1024], f32>

// What has an arena was planned.

// CHECK-LABEL: program.func @planned arena 4096
// CHECK: program.alloc at 0
program.func @planned arena 4096 {
  %x = program.slot user_input "x" : !b
  %p = program.alloc at 0 : !b
  program.launch @kernels::@k(%x, %p) access [read, write] symbols [] work 1024 grain 64 : !b, !b
  %r = program.alloc new : !b
  program.launch @kernels::@k(%p, %r) access [read, write] symbols [] work 1024 grain 64 : !b, !b
  program.return %r outputs [#program.output<role = user_output>] : !b
}

// -----

!b = !program.buffer<[1024], f32>

// The second program writes what its caller receives where the first one left a
// value for it, and its own intermediate where another one was: no arena.

// REMARK: remark: [Passed] planned | {{.*}} | Function=backward | {{.*}} saved_places=2, saved_places_bytes=8192
// CHECK-LABEL: program.func @backward arena 0
// CHECK: %[[A:.*]] = program.slot saved "a"
// CHECK: %[[B:.*]] = program.slot saved "b"
// CHECK: program.view %[[A]] offset 0
// CHECK: program.view %[[B]] offset 0
program.func @forward {
  %x = program.slot user_input "x" : !b
  %a = program.alloc : !b
  program.launch @kernels::@k(%x, %a) access [read, write] symbols [] work 1024 grain 64 : !b, !b
  %c = program.alloc : !b
  program.launch @kernels::@k(%x, %c) access [read, write] symbols [] work 1024 grain 64 : !b, !b
  program.return %a, %c outputs [#program.output<role = saved, target = "a">, #program.output<role = saved, target = "b">] : !b, !b
}
program.func @backward {
  %a = program.slot saved "a" : !b
  %c = program.slot saved "b" : !b
  %p = program.alloc : !b
  program.launch @kernels::@k(%a, %p) access [read, write] symbols [] work 1024 grain 64 {overwrites = array<i64: 1, 0>} : !b, !b
  %q = program.alloc : !b
  program.launch @kernels::@k(%p, %c, %q) access [read, read, write] symbols [] work 1024 grain 64 {overwrites = array<i64: 2, 1>} : !b, !b, !b
  program.return %q outputs [#program.output<role = user_output>] : !b
}

// -----

!b = !program.buffer<[1024], f32>

// A value that the caller of the first program receives as well is the caller's.

// CHECK-LABEL: program.func @backward arena 4096
// CHECK-NOT: program.view
program.func @forward {
  %x = program.slot user_input "x" : !b
  %a = program.alloc : !b
  program.launch @kernels::@k(%x, %a) access [read, write] symbols [] work 1024 grain 64 : !b, !b
  program.return %a, %a outputs [#program.output<role = user_output>, #program.output<role = saved, target = "a">] : !b, !b
}
program.func @backward {
  %a = program.slot saved "a" : !b
  %p = program.alloc : !b
  program.launch @kernels::@k(%a, %p) access [read, write] symbols [] work 1024 grain 64 {overwrites = array<i64: 1, 0>} : !b, !b
  %q = program.alloc : !b
  program.launch @kernels::@k(%p, %q) access [read, write] symbols [] work 1024 grain 64 : !b, !b
  program.return %q outputs [#program.output<role = user_output>] : !b
}

// -----

!b = !program.buffer<[1024], f32>

// What a launch begins with a copy of stays in the arena, where its result can be, too.

// CHECK-LABEL: program.func @backward arena 4096
// CHECK-NOT: program.view
// CHECK: %[[X:.*]] = program.alloc at 0
// CHECK: %[[Y:.*]] = program.alloc at 0
// CHECK: program.launch @kernels::@s(%{{.*}}, %[[X]], %[[Y]])
// CHECK-SAME: #program.grid<steps = [#program.grid_step<kernel = @kernels::@s,
program.func @forward {
  %x = program.slot user_input "x" : !b
  %a = program.alloc : !b
  program.launch @kernels::@k(%x, %a) access [read, write] symbols [] work 1024 grain 64 : !b, !b
  program.return %a outputs [#program.output<role = saved, target = "a">] : !b
}
program.func @backward {
  %a = program.slot saved "a" : !b
  %t = program.slot user_input "t" : !b
  %p = program.alloc : !b
  program.launch @kernels::@k(%a, %p) access [read, write] symbols [] work 1024 grain 64 : !b, !b
  %q = program.alloc : !b
  program.launch @kernels::@c(%t, %p, %q) access [read, read, write] symbols [] work 1 grain 1 {grid = #program.grid<steps = [#program.grid_step<kernel = @kernels::@c, symbols = [], blocks = <4>, threads = 256>, #program.grid_step<kernel = @kernels::@s, symbols = [], blocks = <1>, threads = 256>]>, overwrites = array<i64: 2, 1>, program.copies_first} : !b, !b, !b
  %r = program.alloc : !b
  program.launch @kernels::@k(%q, %r) access [read, write] symbols [] work 1024 grain 64 : !b, !b
  program.return %r outputs [#program.output<role = user_output>] : !b
}

// -----

!b = !program.buffer<[1024], f32>

// While it is still to be read, nothing is written there.

// CHECK-LABEL: program.func @backward arena 4096
// CHECK: program.alloc at 0
// CHECK: program.alloc new
program.func @forward {
  %x = program.slot user_input "x" : !b
  %a = program.alloc : !b
  program.launch @kernels::@k(%x, %a) access [read, write] symbols [] work 1024 grain 64 : !b, !b
  program.return %a outputs [#program.output<role = saved, target = "a">] : !b
}
program.func @backward {
  %a = program.slot saved "a" : !b
  %p = program.alloc : !b
  program.launch @kernels::@k(%a, %p) access [read, write] symbols [] work 1024 grain 64 {overwrites = array<i64: 1, 0>} : !b, !b
  %q = program.alloc : !b
  program.launch @kernels::@k(%p, %a, %q) access [read, read, write] symbols [] work 1024 grain 64 : !b, !b, !b
  program.return %q outputs [#program.output<role = user_output>] : !b
}

// -----

!b = !program.buffer<[1024], f32>

// What a scatter starts from is written where the caller will receive its result. The second
// one's is read once more, so it is copied.

// CHECK-LABEL: program.func @begins
// CHECK: %[[A:.*]] = program.alloc new
// CHECK: program.launch @kernels::@zeros(%[[A]])
// CHECK: program.launch @kernels::@s(%{{.*}}, %[[A]], %[[A]])
// CHECK-NOT: copies_first
// CHECK: %[[C:.*]] = program.alloc at 0
// CHECK: program.launch @kernels::@zeros(%[[C]])
// CHECK: program.launch @kernels::@c(%{{.*}}, %[[C]], %[[D:.*]])
// CHECK: program.return %[[A]], %[[D]]
program.func @begins {
  %x = program.slot user_input "x" : !b
  %z = program.alloc : !b
  program.launch @kernels::@zeros(%z) access [write] symbols [] work 1024 grain 64 : !b
  %a = program.alloc : !b
  program.launch @kernels::@c(%x, %z, %a) access [read, read, write] symbols [] work 1 grain 1 {grid = #program.grid<steps = [#program.grid_step<kernel = @kernels::@c, symbols = [], blocks = <4>, threads = 256>, #program.grid_step<kernel = @kernels::@s, symbols = [], blocks = <1>, threads = 256>]>, overwrites = array<i64: 2, 1>, program.copies_first} : !b, !b, !b
  %y = program.alloc : !b
  program.launch @kernels::@zeros(%y) access [write] symbols [] work 1024 grain 64 : !b
  %d = program.alloc : !b
  program.launch @kernels::@c(%x, %y, %d) access [read, read, write] symbols [] work 1 grain 1 {grid = #program.grid<steps = [#program.grid_step<kernel = @kernels::@c, symbols = [], blocks = <4>, threads = 256>, #program.grid_step<kernel = @kernels::@s, symbols = [], blocks = <1>, threads = 256>]>, overwrites = array<i64: 2, 1>, program.copies_first} : !b, !b, !b
  %e = program.alloc : !b
  program.launch @kernels::@k(%y, %e) access [read, write] symbols [] work 1024 grain 64 : !b, !b
  program.return %a, %d, %e outputs [#program.output<role = user_output>, #program.output<role = user_output>, #program.output<role = user_output>] : !b, !b, !b
}

// -----

!b = !program.buffer<[1024], f32>

// A kernel that copies by itself has no step for it: what it starts from is written there
// all the same, and nowhere if it is read once more.

// CHECK-LABEL: program.func @kernels_begin
// CHECK: %[[A:.*]] = program.alloc new
// CHECK: program.launch @kernels::@zeros(%[[A]])
// CHECK: program.launch @kernels::@s(%{{.*}}, %[[A]], %[[A]])
// CHECK-NOT: copies_first
// CHECK: %[[C:.*]] = program.alloc at 0
// CHECK: program.launch @kernels::@zeros(%[[C]])
// CHECK: program.launch @kernels::@s(%{{.*}}, %[[C]], %[[D:.*]])
// CHECK-NOT: copies_first
// CHECK: program.return %[[A]], %[[D]]
program.func @kernels_begin {
  %x = program.slot user_input "x" : !b
  %z = program.alloc : !b
  program.launch @kernels::@zeros(%z) access [write] symbols [] work 1024 grain 64 : !b
  %a = program.alloc : !b
  program.launch @kernels::@s(%x, %z, %a) access [read, read, write] symbols [] work 1 grain 1 {overwrites = array<i64: 2, 1>, program.copies_first} : !b, !b, !b
  %y = program.alloc : !b
  program.launch @kernels::@zeros(%y) access [write] symbols [] work 1024 grain 64 : !b
  %d = program.alloc : !b
  program.launch @kernels::@s(%x, %y, %d) access [read, read, write] symbols [] work 1 grain 1 {overwrites = array<i64: 2, 1>, program.copies_first} : !b, !b, !b
  %e = program.alloc : !b
  program.launch @kernels::@k(%y, %e) access [read, write] symbols [] work 1024 grain 64 : !b, !b
  program.return %a, %d, %e outputs [#program.output<role = user_output>, #program.output<role = user_output>, #program.output<role = user_output>] : !b, !b, !b
}

// -----

!b = !program.buffer<[1024], f32>

// A scatter that lies where it starts from copies nothing, one that does not does. The first
// slot is read again, so its new contents have memory of their own.

// CHECK-LABEL: program.func @scatter
// CHECK: %[[V:.*]] = program.view %[[K:.*]] offset 0
// CHECK: program.launch @kernels::@s(%{{.*}}, %[[K]], %[[V]])
// CHECK-SAME: steps = [#program.grid_step<kernel = @kernels::@s, symbols = [], blocks = <1>, threads = 256>], checks = ["wrong"]>
// CHECK-NOT: copies_first
// CHECK: program.launch @kernels::@c(
// CHECK-SAME: steps = [#program.grid_step<kernel = @kernels::@c, {{.*}}, #program.grid_step<kernel = @kernels::@s
// CHECK-NOT: copies_first
program.func @scatter {
  %x = program.slot user_input "x" : !b
  %k = program.slot buffer "b_k" path "k.k" : !b
  %l = program.slot buffer "b_l" path "l.l" : !b
  %a = program.alloc : !b
  program.launch @kernels::@c(%x, %k, %a) access [read, read, write] symbols [] work 1 grain 1 {grid = #program.grid<steps = [#program.grid_step<kernel = @kernels::@c, symbols = [], blocks = <4>, threads = 256>, #program.grid_step<kernel = @kernels::@s, symbols = [], blocks = <1>, threads = 256>], checks = ["wrong"]>, overwrites = array<i64: 2, 1>, program.copies_first} : !b, !b, !b
  %d = program.alloc : !b
  program.launch @kernels::@c(%x, %l, %d) access [read, read, write] symbols [] work 1 grain 1 {grid = #program.grid<steps = [#program.grid_step<kernel = @kernels::@c, symbols = [], blocks = <4>, threads = 256>, #program.grid_step<kernel = @kernels::@s, symbols = [], blocks = <1>, threads = 256>]>, overwrites = array<i64: 2, 1>, program.copies_first} : !b, !b, !b
  %e = program.alloc : !b
  program.launch @kernels::@k(%l, %e) access [read, write] symbols [] work 1024 grain 64 : !b, !b
  program.return %a, %d, %e outputs [#program.output<role = buffer_mutation, target = "k.k">, #program.output<role = buffer_mutation, target = "l.l">, #program.output<role = user_output>] : !b, !b, !b
}

// -----

!b = !program.buffer<[1024], f32>

// A GPU may do one half of this beside the other: they share nothing. What joins them comes behind
// both.

// CHECK-LABEL: program.func @halves arena 16384
// CHECK: program.alloc at 0 :
// CHECK: program.alloc at 4096 :
// CHECK: program.alloc at 8192 :
// CHECK: program.alloc at 12288 :
// CHECK: program.alloc at 0 :
// CHECK: program.alloc new
program.func @halves {
  %x = program.slot user_input "x" : !b
  %y = program.slot user_input "y" : !b
  %p = program.alloc : !b
  program.launch @kernels::@k(%x, %p) access [read, write] symbols [] work 1 grain 1 {grid = #program.grid<steps = [#program.grid_step<kernel = @kernels::@k, symbols = [], blocks = <4>, threads = 256>], workspace = false>} : !b, !b
  %q = program.alloc : !b
  program.launch @kernels::@k(%p, %q) access [read, write] symbols [] work 1 grain 1 {grid = #program.grid<steps = [#program.grid_step<kernel = @kernels::@k, symbols = [], blocks = <4>, threads = 256>], workspace = false>} : !b, !b
  %r = program.alloc : !b
  program.launch @kernels::@k(%y, %r) access [read, write] symbols [] work 1 grain 1 {grid = #program.grid<steps = [#program.grid_step<kernel = @kernels::@k, symbols = [], blocks = <4>, threads = 256>], workspace = false>} : !b, !b
  %s = program.alloc : !b
  program.launch @kernels::@k(%r, %s) access [read, write] symbols [] work 1 grain 1 {grid = #program.grid<steps = [#program.grid_step<kernel = @kernels::@k, symbols = [], blocks = <4>, threads = 256>], workspace = false>} : !b, !b
  %t = program.alloc : !b
  program.launch @kernels::@k(%q, %s, %t) access [read, read, write] symbols [] work 1 grain 1 {grid = #program.grid<steps = [#program.grid_step<kernel = @kernels::@k, symbols = [], blocks = <4>, threads = 256>], workspace = false>} : !b, !b, !b
  %u = program.alloc : !b
  program.launch @kernels::@k(%t, %u) access [read, write] symbols [] work 1 grain 1 {grid = #program.grid<steps = [#program.grid_step<kernel = @kernels::@k, symbols = [], blocks = <4>, threads = 256>], workspace = false>} : !b, !b
  program.return %u outputs [#program.output<role = user_output>] : !b
}

// -----

!b = !program.buffer<[1048576], f32>

// Large buffers fill it alone.

// CHECK-LABEL: program.func @large_halves arena 12582912
// CHECK: program.alloc at 0 :
// CHECK: program.alloc at 4194304 :
// CHECK: program.alloc at 0 :
program.func @large_halves {
  %x = program.slot user_input "x" : !b
  %y = program.slot user_input "y" : !b
  %p = program.alloc : !b
  program.launch @kernels::@k(%x, %p) access [read, write] symbols [] work 1 grain 1 {grid = #program.grid<steps = [#program.grid_step<kernel = @kernels::@k, symbols = [], blocks = <4>, threads = 256>], workspace = false>} : !b, !b
  %q = program.alloc : !b
  program.launch @kernels::@k(%p, %q) access [read, write] symbols [] work 1 grain 1 {grid = #program.grid<steps = [#program.grid_step<kernel = @kernels::@k, symbols = [], blocks = <4>, threads = 256>], workspace = false>} : !b, !b
  %r = program.alloc : !b
  program.launch @kernels::@k(%y, %r) access [read, write] symbols [] work 1 grain 1 {grid = #program.grid<steps = [#program.grid_step<kernel = @kernels::@k, symbols = [], blocks = <4>, threads = 256>], workspace = false>} : !b, !b
  %s = program.alloc : !b
  program.launch @kernels::@k(%r, %s) access [read, write] symbols [] work 1 grain 1 {grid = #program.grid<steps = [#program.grid_step<kernel = @kernels::@k, symbols = [], blocks = <4>, threads = 256>], workspace = false>} : !b, !b
  %t = program.alloc : !b
  program.launch @kernels::@k(%q, %s, %t) access [read, read, write] symbols [] work 1 grain 1 {grid = #program.grid<steps = [#program.grid_step<kernel = @kernels::@k, symbols = [], blocks = <4>, threads = 256>], workspace = false>} : !b, !b, !b
  %u = program.alloc : !b
  program.launch @kernels::@k(%t, %u) access [read, write] symbols [] work 1 grain 1 {grid = #program.grid<steps = [#program.grid_step<kernel = @kernels::@k, symbols = [], blocks = <4>, threads = 256>], workspace = false>} : !b, !b
  program.return %u outputs [#program.output<role = user_output>] : !b
}

// -----

!b = !program.buffer<[64, 24], f32>
!p = !program.buffer<[64, 8], f32, strides = [24, 1]>
!q = !program.buffer<[64, 16], f32, strides = [24, 1]>

// A buffer that is written by its parts lives from the first of them on.

// CHECK-LABEL: program.func @parts arena 12288
// CHECK: program.alloc at 0
// CHECK: program.alloc at 6144
// CHECK: program.alloc new
program.func @parts {
  %x = program.slot user_input "x" : !b
  %r = program.alloc : !b
  %a = program.view %r offset 0 : !b to !p
  program.launch @kernels::@k(%x, %a) access [read, write] symbols [] work 1024 grain 64 : !b, !p
  %t = program.alloc : !b
  program.launch @kernels::@k(%x, %t) access [read, write] symbols [] work 1024 grain 64 : !b, !b
  %c = program.view %r offset 8 : !b to !q
  program.launch @kernels::@k(%t, %c) access [read, write] symbols [] work 1024 grain 64 : !b, !q
  %s = program.alloc : !b
  program.launch @kernels::@k(%r, %s) access [read, write] symbols [] work 1024 grain 64 : !b, !b
  program.return %s outputs [#program.output<role = user_output>] : !b
}

// -----

!b = !program.buffer<[64, 16], f32>
!p = !program.buffer<[64, 8], f32, strides = [16, 1]>
!h = !program.buffer<[64, 8], f32>

// The place of a saved value, which the first program writes by its parts, is for the larger of
// two, whichever is first.

// CHECK-LABEL: program.func @backward arena 2048
// CHECK: %[[A:.*]] = program.slot saved "a"
// CHECK: program.alloc at 0 : !program.buffer<[64, 8], f32>
// CHECK: program.view %[[A]] offset 0
program.func @forward {
  %x = program.slot user_input "x" : !b
  %a = program.alloc : !b
  %c = program.view %a offset 0 : !b to !p
  program.launch @kernels::@k(%x, %c) access [read, write] symbols [] work 1024 grain 64 : !b, !p
  %d = program.view %a offset 8 : !b to !p
  program.launch @kernels::@k(%x, %d) access [read, write] symbols [] work 1024 grain 64 : !b, !p
  program.return %a outputs [#program.output<role = saved, target = "a">] : !b
}
program.func @backward {
  %a = program.slot saved "a" : !b
  %p = program.alloc new : !b
  program.launch @kernels::@k(%a, %p) access [read, write] symbols [] work 1024 grain 64 : !b, !b
  %h = program.alloc : !h
  program.launch @kernels::@k(%p, %h) access [read, write] symbols [] work 1024 grain 64 : !b, !h
  %q = program.alloc : !b
  program.launch @kernels::@k(%p, %q) access [read, write] symbols [] work 1024 grain 64 : !b, !b
  %r = program.alloc : !h
  program.launch @kernels::@k(%h, %q, %r) access [read, read, write] symbols [] work 1024 grain 64 : !h, !b, !h
  program.return %r outputs [#program.output<role = user_output>] : !h
}

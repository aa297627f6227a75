// RUN: kiln-opt %s --program-hoist-preparation=limit=4096 --split-input-file | FileCheck %s
// RUN: kiln-opt %s --program-hoist-preparation=limit=4096 --split-input-file -o /dev/null --remarks-filter=program-hoist-preparation 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: kiln-opt %s --program-hoist-preparation=limit=-1 --split-input-file | FileCheck %s --check-prefix=OFF --implicit-check-not="alloc prepared"

// OFF-LABEL: program.func @chain

!b = !program.buffer<[256], f32>

// What reads weights alone, and what reads that, runs before all else; equal launches
// become one. The weight is not read any more, which makes room.

// REMARK: remark: [Passed] prepared | Category:program-hoist-preparation | Function=chain | bytes=2048, launches=2, weights=1024
// CHECK-LABEL: program.func @chain
// CHECK: %[[X:.*]] = program.slot user_input
// CHECK: %[[W:.*]] = program.slot parameter
// CHECK-NEXT: %[[A:.*]] = program.alloc prepared
// CHECK-NEXT: program.launch @kernels::@cast(%[[W]], %[[A]])
// CHECK-NEXT: %[[V:.*]] = program.view %[[A]]
// CHECK-NEXT: %[[B:.*]] = program.alloc prepared
// CHECK-NEXT: program.launch @kernels::@scale(%[[V]], %[[B]])
// CHECK: program.launch @kernels::@add(%[[X]], %[[B]], %[[R:.*]])
// CHECK: program.launch @kernels::@add(%[[R]], %[[A]], %{{.*}})
// CHECK-NOT: @cast
program.func @chain {
  %x = program.slot user_input "x" : !b
  %w = program.slot parameter "w" path "w" : !b
  %r = program.alloc : !b
  %a = program.alloc : !b
  program.launch @kernels::@cast(%w, %a) access [read, write] symbols [] work 256 grain 64 : !b, !b
  %v = program.view %a offset 0 : !b to !b
  %b = program.alloc : !b
  program.launch @kernels::@scale(%v, %b) access [read, write] symbols [] work 256 grain 64 : !b, !b
  program.launch @kernels::@add(%x, %b, %r) access [read, read, write] symbols [] work 256 grain 64 : !b, !b, !b
  %c = program.alloc : !b
  program.launch @kernels::@cast(%w, %c) access [read, write] symbols [] work 256 grain 64 : !b, !b
  %s = program.alloc : !b
  program.launch @kernels::@add(%r, %c, %s) access [read, read, write] symbols [] work 256 grain 64 : !b, !b, !b
  program.return %s outputs [#program.output<role = user_output>] : !b
}

// -----

!b = !program.buffer<[256], f32>

// Not what an output changes, what the caller receives, or what an operator is given.

// CHECK-LABEL: program.func @changed
// CHECK-NOT: prepared
program.func @changed {
  %w = program.slot parameter "w" path "w" : !b
  %m = program.slot buffer "m" path "mean" : !b
  %a = program.alloc : !b
  program.launch @kernels::@cast(%m, %a) access [read, write] symbols [] work 256 grain 64 : !b, !b
  %n = program.alloc : !b
  program.launch @kernels::@add(%a, %w, %n) access [read, read, write] symbols [] work 256 grain 64 : !b, !b, !b
  %r = program.alloc : !b
  program.launch @kernels::@cast(%w, %r) access [read, write] symbols [] work 256 grain 64 : !b, !b
  %c = program.alloc : !b
  program.launch @kernels::@scale(%w, %c) access [read, write] symbols [] work 256 grain 64 : !b, !b
  %s = program.call "aten.sort.default"(%c) arguments [#program.operand<0>] : (!b) -> !b
  program.return %n, %r, %s outputs [#program.output<role = buffer_mutation, target = "mean">,
      #program.output<role = user_output>, #program.output<role = user_output>] : !b, !b, !b
}

// -----

!b = !program.buffer<[256], f32>

// Not what a step of the program writes: a launch, a copy, an operator, by
// whatever name.

// CHECK-LABEL: program.func @launched
// CHECK-NOT: prepared
program.func @launched {
  %x = program.slot user_input "x" : !b
  %w = program.slot parameter "w" path "w" : !b
  program.launch @kernels::@fill(%x, %w) access [read, write] symbols [] work 256 grain 64 : !b, !b
  %a = program.alloc : !b
  program.launch @kernels::@cast(%w, %a) access [read, write] symbols [] work 256 grain 64 : !b, !b
  %r = program.alloc : !b
  program.launch @kernels::@add(%x, %a, %r) access [read, read, write] symbols [] work 256 grain 64 : !b, !b, !b
  program.return %r outputs [#program.output<role = user_output>] : !b
}

// CHECK-LABEL: program.func @copied
// CHECK-NOT: prepared
program.func @copied {
  %x = program.slot user_input "x" : !b
  %w = program.slot buffer "w" path "w" : !b
  program.copy %x to %w : !b, !b
  %a = program.alloc : !b
  program.launch @kernels::@cast(%w, %a) access [read, write] symbols [] work 256 grain 64 : !b, !b
  %r = program.alloc : !b
  program.launch @kernels::@add(%x, %a, %r) access [read, read, write] symbols [] work 256 grain 64 : !b, !b, !b
  program.return %r outputs [#program.output<role = user_output>] : !b
}

// CHECK-LABEL: program.func @called
// CHECK: program.alloc prepared
// CHECK-NEXT: program.launch @kernels::@scale
// CHECK-NOT: prepared
program.func @called {
  %x = program.slot user_input "x" : !b
  %w = program.slot parameter "w" path "w" : !b
  %m = program.slot parameter "m" path "m" : !b
  %u = program.slot parameter "u" path "u" : !b
  %n = program.call "aten.add_.Tensor"(%w, %u) arguments [#program.operand<0>, #program.operand<1>, 1] : (!b, !b) -> !b
  %v = program.call "aten.detach.default"(%m) arguments [#program.operand<0>] : (!b) -> !b
  program.launch @kernels::@fill(%x, %v) access [read, write] symbols [] work 256 grain 64 : !b, !b
  %a = program.alloc : !b
  program.launch @kernels::@cast(%w, %a) access [read, write] symbols [] work 256 grain 64 : !b, !b
  %c = program.alloc : !b
  program.launch @kernels::@cast(%m, %c) access [read, write] symbols [] work 256 grain 64 : !b, !b
  %d = program.alloc : !b
  program.launch @kernels::@scale(%u, %d) access [read, write] symbols [] work 256 grain 64 : !b, !b
  %r = program.alloc : !b
  program.launch @kernels::@sum(%a, %c, %d, %r) access [read, read, read, write] symbols [] work 256 grain 64 : !b, !b, !b, !b
  program.return %r outputs [#program.output<role = user_output>] : !b
}

// -----

!b = !program.buffer<[256], f32>
!d = !program.buffer<[s0], f32>

// Not what depends on a size of the call.

// CHECK-LABEL: program.func @sizes
// CHECK-NOT: prepared
program.func @sizes {
  %x = program.slot user_input "x" : !d
  %w = program.slot parameter "w" path "w" : !b
  program.symbol "s0" size 0 of %x range 2 to 256 : !d
  %a = program.alloc : !b
  program.launch @kernels::@cast(%w, %a) access [read, write] symbols [s0] work 256 grain 64 : !b, !b
  %v = program.view %w offset s0 : !b to !program.buffer<[], f32>
  %c = program.alloc : !program.buffer<[], f32>
  program.launch @kernels::@cast(%v, %c) access [read, write] symbols [] work 1 grain 64 : !program.buffer<[], f32>, !program.buffer<[], f32>
  %r = program.alloc : !b
  program.launch @kernels::@add(%a, %c, %r) access [read, read, write] symbols [] work 256 grain 64 : !b, !program.buffer<[], f32>, !b
  program.return %r outputs [#program.output<role = user_output>] : !b
}

// -----

!b = !program.buffer<[256], f32>
!l = !program.buffer<[2048], f32>

// What does not fit stays, and what reads it; a weight that others read gives no room.

// REMARK: remark: [Missed] not-prepared | Category:program-hoist-preparation | Function=limited | Reason="it takes more memory than prepared-memory allows", bytes=8192, kernel=repeat
// REMARK: remark: [Missed] not-prepared | Category:program-hoist-preparation | Function=limited | Reason="what it reads is computed in each call", bytes=1024, kernel=sum
// REMARK: remark: [Passed] prepared | Category:program-hoist-preparation | Function=limited | bytes=1024, launches=1, weights=0
// CHECK-LABEL: program.func @limited
// CHECK: program.alloc prepared : !program.buffer<[256], f32>
// CHECK-NEXT: program.launch @kernels::@cast
// CHECK-NOT: prepared
program.func @limited {
  %w = program.slot parameter "w" path "w" : !b
  %l = program.alloc : !l
  program.launch @kernels::@repeat(%w, %l) access [read, write] symbols [] work 256 grain 64 : !b, !l
  %t = program.alloc : !b
  program.launch @kernels::@sum(%l, %t) access [read, write] symbols [] work 256 grain 64 : !l, !b
  %a = program.alloc : !b
  program.launch @kernels::@cast(%w, %a) access [read, write] symbols [] work 256 grain 64 : !b, !b
  %r = program.alloc : !b
  program.launch @kernels::@add(%a, %t, %r) access [read, read, write] symbols [] work 256 grain 64 : !b, !b, !b
  program.return %r outputs [#program.output<role = user_output>] : !b
}

// -----

!b = !program.buffer<[256], f32>
!w = !program.buffer<[1024], f32>
!l = !program.buffer<[2048], f32>

// One that does not fit takes nothing from those that cost nothing, wherever it
// stands.

// REMARK: remark: [Missed] not-prepared | Category:program-hoist-preparation | Function=misfit | Reason="it takes more memory than prepared-memory allows", bytes=8192, kernel=repeat
// REMARK: remark: [Passed] prepared | Category:program-hoist-preparation | Function=misfit | bytes=12288, launches=3, weights=12288
// CHECK-LABEL: program.func @misfit
// CHECK-COUNT-3: program.launch @kernels::@cast
// CHECK: program.launch @kernels::@repeat
program.func @misfit {
  %x = program.slot user_input "x" : !w
  %w = program.slot parameter "w" path "w" : !w
  %p = program.slot parameter "p" path "p" : !w
  %q = program.slot parameter "q" path "q" : !w
  %o = program.slot parameter "o" path "o" : !w
  %l = program.alloc : !l
  program.launch @kernels::@repeat(%w, %l) access [read, write] symbols [] work 1024 grain 64 : !w, !l
  %a = program.alloc : !w
  program.launch @kernels::@cast(%p, %a) access [read, write] symbols [] work 1024 grain 64 : !w, !w
  %b = program.alloc : !w
  program.launch @kernels::@cast(%q, %b) access [read, write] symbols [] work 1024 grain 64 : !w, !w
  %c = program.alloc : !w
  program.launch @kernels::@cast(%o, %c) access [read, write] symbols [] work 1024 grain 64 : !w, !w
  %r = program.alloc : !w
  program.launch @kernels::@add(%x, %w, %l, %a, %b, %c, %r) access [read, read, read, read, read, read, write] symbols [] work 1024 grain 64 : !w, !w, !l, !w, !w, !w, !w
  program.return %r outputs [#program.output<role = user_output>] : !w
}

// -----

!l = !program.buffer<[2048], f32>

// A launch that reads a few elements of a weight leaves most of it out of memory: what takes its
// place fits, where that takes none beside one that reads all of it.

// REMARK: remark: [Passed] prepared | Category:program-hoist-preparation | Function=sparse | bytes=8192, launches=1, weights=8192
// CHECK-LABEL: program.func @sparse
// CHECK-NOT: program.sparse
// CHECK: program.alloc prepared
// CHECK-NEXT: program.launch @kernels::@panels
// CHECK-NOT: program.sparse
// CHECK-LABEL: program.func @dense
// CHECK-NOT: prepared
program.func @sparse {
  %x = program.slot user_input "x" : !l
  %w = program.slot parameter "w" path "w" : !l
  %r = program.alloc : !l
  program.launch @kernels::@embed(%x, %w, %r) access [read, read, write] symbols [] work 2048 grain 64 {program.sparse = array<i64: 1>} : !l, !l, !l
  %p = program.alloc : !l
  program.launch @kernels::@panels(%w, %p) access [read, write] symbols [] work 2048 grain 64 : !l, !l
  %s = program.alloc : !l
  program.launch @kernels::@add(%r, %p, %s) access [read, read, write] symbols [] work 2048 grain 64 : !l, !l, !l
  program.return %s outputs [#program.output<role = user_output>] : !l
}
program.func @dense {
  %x = program.slot user_input "x" : !l
  %w = program.slot parameter "w" path "w" : !l
  %r = program.alloc : !l
  program.launch @kernels::@embed(%x, %w, %r) access [read, read, write] symbols [] work 2048 grain 64 : !l, !l, !l
  %p = program.alloc : !l
  program.launch @kernels::@panels(%w, %p) access [read, write] symbols [] work 2048 grain 64 : !l, !l
  %s = program.alloc : !l
  program.launch @kernels::@add(%r, %p, %s) access [read, read, write] symbols [] work 2048 grain 64 : !l, !l, !l
  program.return %s outputs [#program.output<role = user_output>] : !l
}

// -----

!t = !program.buffer<[768], f32>

// Equal ones count once: two would not fit beside a weight that is read besides.

// REMARK: remark: [Passed] prepared | Category:program-hoist-preparation | Function=twice | bytes=3072, launches=1, weights=0
// CHECK-LABEL: program.func @twice
// CHECK: program.launch @kernels::@cast(%{{.*}}, %[[P:.*]])
// CHECK: program.launch @kernels::@add(%{{.*}}, %[[P]], %[[R:.*]])
// CHECK: program.launch @kernels::@add(%[[R]], %[[P]], %[[S:.*]])
// CHECK: program.launch @kernels::@add(%[[S]], %[[W:.*]], %{{.*}})
program.func @twice {
  %x = program.slot user_input "x" : !t
  %w = program.slot parameter "w" path "w" : !t
  %a = program.alloc : !t
  program.launch @kernels::@cast(%w, %a) access [read, write] symbols [] work 768 grain 64 : !t, !t
  %r = program.alloc : !t
  program.launch @kernels::@add(%x, %a, %r) access [read, read, write] symbols [] work 768 grain 64 : !t, !t, !t
  %b = program.alloc : !t
  program.launch @kernels::@cast(%w, %b) access [read, write] symbols [] work 768 grain 64 : !t, !t
  %s = program.alloc : !t
  program.launch @kernels::@add(%r, %b, %s) access [read, read, write] symbols [] work 768 grain 64 : !t, !t, !t
  %u = program.alloc : !t
  program.launch @kernels::@add(%s, %w, %u) access [read, read, write] symbols [] work 768 grain 64 : !t, !t, !t
  program.return %u outputs [#program.output<role = user_output>] : !t
}

// -----

!l = !program.buffer<[2048], f32>

// What the preparation alone reads is let go of, and takes no room: both weights are laid out, and
// packed, though two of the four results would be too much. One is done before the
// other begins.

// REMARK: remark: [Passed] prepared | Category:program-hoist-preparation | Function=passing | bytes=16384, launches=4, weights=16384
// CHECK-LABEL: program.func @passing
// CHECK: program.launch @kernels::@turn(%[[V:.*]], %[[VT:.*]])
// CHECK: program.launch @kernels::@panels(%[[VT]], %[[VP:.*]])
// CHECK: program.launch @kernels::@turn(%[[W:.*]], %[[WT:.*]])
// CHECK: program.launch @kernels::@panels(%[[WT]], %[[WP:.*]])
// CHECK: program.alloc : !program.buffer
// CHECK-NEXT: program.launch @kernels::@add(%{{.*}}, %[[VP]], %[[WP]], %{{.*}})
program.func @passing {
  %x = program.slot user_input "x" : !l
  %v = program.slot parameter "v" path "v" : !l
  %w = program.slot parameter "w" path "w" : !l
  %vt = program.alloc : !l
  program.launch @kernels::@turn(%v, %vt) access [read, write] symbols [] work 2048 grain 64 : !l, !l
  %wt = program.alloc : !l
  program.launch @kernels::@turn(%w, %wt) access [read, write] symbols [] work 2048 grain 64 : !l, !l
  %vp = program.alloc : !l
  program.launch @kernels::@panels(%vt, %vp) access [read, write] symbols [] work 2048 grain 64 : !l, !l
  %wp = program.alloc : !l
  program.launch @kernels::@panels(%wt, %wp) access [read, write] symbols [] work 2048 grain 64 : !l, !l
  %r = program.alloc : !l
  program.launch @kernels::@add(%x, %vp, %wp, %r) access [read, read, read, write] symbols [] work 2048 grain 64 : !l, !l, !l, !l
  program.return %r outputs [#program.output<role = user_output>] : !l
}

// -----

!w = !program.buffer<[1024], f32>

// What a reader was compiled for comes before others.

// CHECK-LABEL: program.func @first
// CHECK: program.alloc prepared
// CHECK-NEXT: program.launch @kernels::@panels
// CHECK-NOT: prepared
program.func @first {
  %x = program.slot user_input "x" : !w
  %w = program.slot parameter "w" path "w" : !w
  %a = program.alloc : !w
  program.launch @kernels::@cast(%w, %a) access [read, write] symbols [] work 1024 grain 64 : !w, !w
  %b = program.alloc : !w
  program.launch @kernels::@panels(%w, %b) access [read, write] symbols [] work 1024 grain 64 {program.prepared_first} : !w, !w
  %r = program.alloc : !w
  program.launch @kernels::@add(%x, %w, %a, %b, %r) access [read, read, read, read, write] symbols [] work 1024 grain 64 : !w, !w, !w, !w, !w
  program.return %r outputs [#program.output<role = user_output>] : !w
}

// -----

!b = !program.buffer<[256], f32>

// Zeros that the next launch would write over are made in each call.

// CHECK-LABEL: program.func @zeros
// CHECK: program.alloc prepared
// CHECK-NEXT: program.launch @kernels::@range
// CHECK: program.alloc : !program.buffer
// CHECK-NEXT: program.launch @kernels::@zeros
program.func @zeros {
  %x = program.slot user_input "x" : !b
  %z = program.alloc : !b
  program.launch @kernels::@zeros(%z) access [write] symbols [] work 256 grain 64 : !b
  %i = program.alloc : !b
  program.launch @kernels::@range(%i) access [write] symbols [] work 256 grain 64 : !b
  %r = program.alloc : !b
  program.launch @kernels::@add(%x, %z, %i, %r) access [read, read, read, write] symbols [] work 256 grain 64 {overwrites = array<i64: 3, 1>} : !b, !b, !b, !b
  program.return %r outputs [#program.output<role = user_output>] : !b
}

// -----

!b = !program.buffer<[256], f32>

// Weights of a training step are others in each.

// CHECK-LABEL: program.func @forward
// CHECK-NOT: prepared
program.func @forward {
  %w = program.slot parameter "w" path "w" : !b
  %a = program.alloc : !b
  program.launch @kernels::@cast(%w, %a) access [read, write] symbols [] work 256 grain 64 : !b, !b
  %r = program.alloc : !b
  program.launch @kernels::@add(%a, %a, %r) access [read, read, write] symbols [] work 256 grain 64 : !b, !b, !b
  program.return %r outputs [#program.output<role = user_output>] : !b
}
program.func @backward {
  program.return outputs []
}

// -----

// The workspace of a grid is there while it is prepared: an arena is not yet.

!b = !program.buffer<[256], f32>

// CHECK-LABEL: program.func @workspace
// CHECK: %[[R:.*]] = program.alloc prepared
// CHECK: %[[S:.*]] = program.alloc prepared
// CHECK: program.launch @kernels::@sum(%{{.*}}, %[[R]], %[[S]])
program.func @workspace {
  %x = program.slot user_input "x" : !b
  %w = program.slot parameter "w" path "w" : !b
  %y = program.alloc : !b
  %r = program.alloc : !b
  %s = program.alloc : !b
  program.launch @kernels::@sum(%w, %r, %s) access [read, write, write] symbols [] work 1 grain 1 {grid = #program.grid<steps = [#program.grid_step<kernel = @kernels::@sum, symbols = [], blocks = <4>, threads = 256>], workspace = true>} : !b, !b, !b
  program.launch @kernels::@add(%x, %r, %y) access [read, read, write] symbols [] work 256 grain 64 : !b, !b, !b
  program.return %y outputs [#program.output<role = user_output>] : !b
}

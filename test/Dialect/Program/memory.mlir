// RUN: kiln-opt %s --split-input-file --verify-diagnostics -o /dev/null

// The memory plan of a program: what is read is what was written.

!b = !program.buffer<[64], f32>

// Two buffers take turns.
program.func @turns arena 512 {
  %x = program.slot user_input "x" : !b
  %a = program.alloc at 0 : !b
  program.launch @kernels::@k(%x, %a) access [read, write] symbols [] work 64 grain 64 : !b, !b
  %c = program.alloc at 256 : !b
  program.launch @kernels::@k(%a, %c) access [read, write] symbols [] work 64 grain 64 : !b, !b
  %d = program.alloc at 0 : !b
  program.launch @kernels::@k(%c, %d) access [read, write] symbols [] work 64 grain 64 : !b, !b
  %r = program.alloc new : !b
  program.launch @kernels::@k(%d, %r) access [read, write] symbols [] work 64 grain 64 : !b, !b
  program.return %r outputs [#program.output<role = user_output>] : !b
}

// -----

!b = !program.buffer<[64], f32>

// One is written where the other is still to be read.
program.func @overlap arena 320 {
  %x = program.slot user_input "x" : !b
  %a = program.alloc at 0 : !b
  program.launch @kernels::@k(%x, %a) access [read, write] symbols [] work 64 grain 64 : !b, !b
  %c = program.alloc at 64 : !b
  // expected-note @below {{this writes to the same bytes}}
  program.launch @kernels::@k(%x, %c) access [read, write] symbols [] work 64 grain 64 : !b, !b
  %r = program.alloc new : !b
  // expected-error @below {{'program.launch' op reads operand 0 after something else was written over it}}
  program.launch @kernels::@add(%a, %c, %r) access [read, read, write] symbols [] work 64 grain 64 : !b, !b, !b
  program.return %r outputs [#program.output<role = user_output>] : !b
}

// -----

!b = !program.buffer<[64], f32>

// A kernel may write over what it reads where it says so ...
program.func @in_place arena 256 {
  %x = program.slot user_input "x" : !b
  %a = program.alloc at 0 : !b
  program.launch @kernels::@k(%x, %a) access [read, write] symbols [] work 64 grain 64 : !b, !b
  %c = program.alloc at 0 : !b
  program.launch @kernels::@k(%a, %c) access [read, write] symbols [] work 64 grain 64 {overwrites = array<i64: 1, 0>} : !b, !b
  program.return %x outputs [#program.output<role = user_output>] : !b
}

// -----

!b = !program.buffer<[64], f32>

// ... and nowhere else.
program.func @not_in_place arena 256 {
  %x = program.slot user_input "x" : !b
  %a = program.alloc at 0 : !b
  program.launch @kernels::@k(%x, %a) access [read, write] symbols [] work 64 grain 64 : !b, !b
  %c = program.alloc at 0 : !b
  // expected-error @below {{'program.launch' op writes operand 1 over operand 0, which it reads at the same time}}
  program.launch @kernels::@k(%a, %c) access [read, write] symbols [] work 64 grain 64 : !b, !b
  program.return %x outputs [#program.output<role = user_output>] : !b
}

// -----

!b = !program.buffer<[64], f32>

// Not beside it, even then.
program.func @shifted arena 320 {
  %x = program.slot user_input "x" : !b
  %a = program.alloc at 0 : !b
  program.launch @kernels::@k(%x, %a) access [read, write] symbols [] work 64 grain 64 : !b, !b
  %c = program.alloc at 64 : !b
  // expected-error @below {{'program.launch' op writes operand 1 over operand 0, which it reads at the same time}}
  program.launch @kernels::@k(%a, %c) access [read, write] symbols [] work 64 grain 64 {overwrites = array<i64: 1, 0>} : !b, !b
  program.return %x outputs [#program.output<role = user_output>] : !b
}

// -----

!b = !program.buffer<[64], f32>

program.func @twice arena 256 {
  %x = program.slot user_input "x" : !b
  %a = program.alloc at 0 : !b
  %c = program.alloc at 0 : !b
  // expected-error @below {{'program.launch' op writes operands 1 and 2 to the same bytes}}
  program.launch @kernels::@k(%x, %a, %c) access [read, write, write] symbols [] work 64 grain 64 : !b, !b, !b
  program.return %x outputs [#program.output<role = user_output>] : !b
}

// -----

!b = !program.buffer<[64], f32>

program.func @nothing arena 256 {
  %x = program.slot user_input "x" : !b
  %a = program.alloc at 0 : !b
  %r = program.alloc new : !b
  // expected-error @below {{'program.launch' op reads operand 0 before anything is written into it}}
  program.launch @kernels::@k(%a, %r) access [read, write] symbols [] work 64 grain 64 : !b, !b
  program.return %r outputs [#program.output<role = user_output>] : !b
}

// -----

!b = !program.buffer<[64], f32>

program.func @outside arena 256 {
  // expected-error @below {{'program.alloc' op ends at byte 320 of an arena of 256}}
  %a = program.alloc at 64 : !b
  program.return outputs []
}

// -----

!b = !program.buffer<[64], f32>

program.func @crooked arena 512 {
  // expected-error @below {{'program.alloc' op is at byte 32 of the arena, expected a multiple of 64}}
  %a = program.alloc at 32 : !b
  program.return outputs []
}

// -----

!b = !program.buffer<[64], f32>

program.func @homeless {
  // expected-error @below {{'program.alloc' op is in the arena of 'homeless', which has none}}
  %a = program.alloc at 0 : !b
  program.return outputs []
}

// -----

!b = !program.buffer<[64], f32>

program.func @released {
  %x = program.slot user_input "x" : !b
  %a = program.call "aten.sin.default"(%x) arguments [#program.operand<0>] : (!b) -> !b
  // expected-note @below {{it is released here}}
  program.release %a : !b
  // expected-error @below {{'program.return' op reads operand 0 after its release}}
  program.return %a outputs [#program.output<role = user_output>] : !b
}

// -----

!s = !program.buffer<[s0], f32>

// Sizes are symbols: places that fit for some values and not for others do not
// fit.
program.func @symbolic arena s0 * 8 {
  %x = program.slot user_input "x" : !s
  program.symbol "s0" size 0 of %x range 64 to 4096 : !s
  %a = program.alloc at 0 : !s
  program.launch @kernels::@k(%x, %a) access [read, write] symbols [s0] work s0 grain 64 : !s, !s
  %c = program.alloc at 256 : !s
  // expected-note @below {{this writes to the same bytes}}
  program.launch @kernels::@k(%x, %c) access [read, write] symbols [s0] work s0 grain 64 : !s, !s
  // expected-error @below {{'program.call' op reads operand 0 after something else was written over it}}
  %r = program.call "aten.add.Tensor"(%a, %c) arguments [#program.operand<0>, #program.operand<1>, 1] : (!s, !s) -> !s
  program.return %r outputs [#program.output<role = user_output>] : !s
}

// -----

!s = !program.buffer<[s0 * 16], f32>

program.func @symbolic_apart arena s0 * 128 {
  %x = program.slot user_input "x" : !s
  program.symbol "s0" size 0 of %x scale 16 range 64 to 4096 : !s
  %a = program.alloc at 0 : !s
  program.launch @kernels::@k(%x, %a) access [read, write] symbols [s0] work s0 grain 64 : !s, !s
  %c = program.alloc at s0 * 64 : !s
  program.launch @kernels::@k(%x, %c) access [read, write] symbols [s0] work s0 grain 64 : !s, !s
  %r = program.call "aten.add.Tensor"(%a, %c) arguments [#program.operand<0>, #program.operand<1>, 1] : (!s, !s) -> !s
  program.return %r outputs [#program.output<role = user_output>] : !s
}

// -----

!s = !program.buffer<[s0], f32>

// Right for 2, 11 and 640 elements, wrong for 17 to 99.
program.func @for_some_sizes arena select(lt(s0, 100), 1, 64) * 64 + 2560 {
  %x = program.slot user_input "x" : !s
  program.symbol "s0" size 0 of %x range 2 to 640 : !s
  %a = program.alloc at 0 : !s
  program.launch @kernels::@k(%x, %a) access [read, write] symbols [s0] work s0 grain 64 : !s, !s
  %c = program.alloc at select(lt(s0, 100), 1, 64) * 64 : !s
  // expected-note @below {{this writes to the same bytes}}
  program.launch @kernels::@k(%x, %c) access [read, write] symbols [s0] work s0 grain 64 : !s, !s
  // expected-error @below {{'program.call' op reads operand 0 after something else was written over it}}
  %r = program.call "aten.add.Tensor"(%a, %c) arguments [#program.operand<0>, #program.operand<1>, 1] : (!s, !s) -> !s
  program.return %r outputs [#program.output<role = user_output>] : !s
}

// -----

!s = !program.buffer<[s0], f32>

// The arena is large enough, and places are aligned, for every size.
program.func @arena_for_some_sizes arena select(lt(s0, 100), 1, 64) * 64 {
  %x = program.slot user_input "x" : !s
  program.symbol "s0" size 0 of %x range 2 to 640 : !s
  // expected-error @below {{ends at byte s0 * 4 of an arena of select(lt(s0, 100), 1, 64) * 64}}
  %a = program.alloc at 0 : !s
  program.return %x outputs [#program.output<role = user_output>] : !s
}

// -----

!s = !program.buffer<[s0], f32>

program.func @aligned_for_some_sizes arena s0 * 8 {
  %x = program.slot user_input "x" : !s
  program.symbol "s0" size 0 of %x range 16 to 640 : !s
  // expected-error @below {{is at byte s0 * 4 of the arena, expected a multiple of 64}}
  %a = program.alloc at s0 * 4 : !s
  program.return %x outputs [#program.output<role = user_output>] : !s
}

// -----

!s = !program.buffer<[s0], f32>
!t = !program.buffer<[s1 - 300, s0], bf16>
!u = !program.buffer<[s1], i1>

// Rounded sizes, one behind the other: that a size is not negative holds because
// the buffer is there.
program.func @rounded arena floordiv(s0 * -1, 16) * -64 + floordiv(s0 * s1 * -1 + s0 * 300, 32) * -64 + floordiv(s1 * -1, 64) * -64 + 256 {
  %x = program.slot user_input "x" : !s
  %y = program.slot user_input "y" : !u
  program.symbol "s0" size 0 of %x range 0 to 9223372036854775807 : !s
  program.symbol "s1" size 0 of %y range 0 to 9223372036854775807 : !u
  %a = program.alloc at 256 : !s
  program.launch @kernels::@k(%x, %a) access [read, write] symbols [s0] work s0 grain 64 : !s, !s
  %b = program.alloc at floordiv(s0 * -1, 16) * -64 + 256 : !t
  program.launch @kernels::@k(%x, %b) access [read, write] symbols [s0] work s0 grain 64 : !s, !t
  %c = program.alloc at floordiv(s0 * -1, 16) * -64 + floordiv(s0 * s1 * -1 + s0 * 300, 32) * -64 + 256 : !u
  program.launch @kernels::@k(%y, %c) access [read, write] symbols [s0] work s0 grain 64 : !u, !u
  %r = program.call "aten.add.Tensor"(%a, %b, %c) arguments [#program.operand<0>, #program.operand<1>, #program.operand<2>] : (!s, !t, !u) -> !s
  program.return %r outputs [#program.output<role = user_output>] : !s
}

// -----

!b = !program.buffer<[64], f32>

// New contents of a slot are written when nobody needs the old ones.
program.func @update {
  %w = program.slot buffer "w" path "w" : !b
  %v = program.view %w offset 0 : !b to !b
  // expected-note @below {{this writes to the same bytes}}
  program.launch @kernels::@k(%w, %v) access [read, write] symbols [] work 64 grain 64 {overwrites = array<i64: 1, 0>} : !b, !b
  // expected-error @below {{'program.call' op reads operand 0 after something else was written over it}}
  %r = program.call "aten.sin.default"(%w) arguments [#program.operand<0>] : (!b) -> !b
  program.return %v, %r outputs [#program.output<role = buffer_mutation, target = "w">, #program.output<role = user_output>] : !b, !b
}

// -----

!b = !program.buffer<[64], f32>

// What a call returned may be a view of the slot.
program.func @held {
  %w = program.slot buffer "w" path "w" : !b
  %r = program.call "aten.alias.default"(%w) arguments [#program.operand<0>] : (!b) -> !b
  %v = program.view %w offset 0 : !b to !b
  // expected-note @below {{this writes to the same bytes}}
  program.launch @kernels::@k(%w, %v) access [read, write] symbols [] work 64 grain 64 {overwrites = array<i64: 1, 0>} : !b, !b
  // expected-error @below {{'program.return' op reads operand 1 after something else was written over it}}
  program.return %v, %r outputs [#program.output<role = buffer_mutation, target = "w">, #program.output<role = user_output>] : !b, !b
}

// -----

!b = !program.buffer<[4, 24], f32>
!p = !program.buffer<[4, 8], f32, strides = [24, 1]>
!q = !program.buffer<[2, 2, 16], f32, strides = [48, 24, 1]>

// A buffer that is written by its parts is there once they are.
program.func @parts {
  %x = program.slot user_input "x" : !b
  %r = program.alloc new : !b
  %a = program.view %r offset 0 : !b to !p
  %c = program.view %r offset 8 : !b to !q
  program.launch @kernels::@k(%x, %a, %c) access [read, write, write] symbols [] work 64 grain 64 : !b, !p, !q
  %s = program.alloc new : !b
  program.launch @kernels::@k(%r, %a, %s) access [read, read, write] symbols [] work 64 grain 64 : !b, !p, !b
  program.return %r, %s outputs [#program.output<role = user_output>, #program.output<role = user_output>] : !b, !b
}

// -----

!b = !program.buffer<[s0, 24], f32>
!p = !program.buffer<[s0, 8], f32, strides = [24, 1]>
!q = !program.buffer<[s0, 16], f32, strides = [24, 1]>

// However many rows there are.
program.func @symbolic_parts arena s0 * 96 + 64 {
  %x = program.slot user_input "x" : !b
  program.symbol "s0" size 0 of %x range 0 to 64 : !b
  %r = program.alloc at 64 : !b
  %a = program.view %r offset 0 : !b to !p
  program.launch @kernels::@k(%x, %a) access [read, write] symbols [] work 64 grain 64 : !b, !p
  %c = program.view %r offset 8 : !b to !q
  program.launch @kernels::@k(%x, %c) access [read, write] symbols [] work 64 grain 64 : !b, !q
  %s = program.alloc new : !b
  program.launch @kernels::@k(%r, %s) access [read, write] symbols [] work 64 grain 64 : !b, !b
  program.return %s outputs [#program.output<role = user_output>] : !b
}

// -----

!b = !program.buffer<[4, 24], f32>
!p = !program.buffer<[4, 8], f32, strides = [24, 1]>

// One is missing.
program.func @missing_part {
  %x = program.slot user_input "x" : !b
  %r = program.alloc new : !b
  %a = program.view %r offset 0 : !b to !p
  program.launch @kernels::@k(%x, %a) access [read, write] symbols [] work 64 grain 64 : !b, !p
  // expected-error @below {{'program.return' op reads operand 0, of which parts have not been written or are gone}}
  program.return %r outputs [#program.output<role = user_output>] : !b
}

// -----

!b = !program.buffer<[4, 24], f32>
!p = !program.buffer<[4, 8], f32, strides = [24, 1]>
!q = !program.buffer<[4, 16], f32, strides = [24, 1]>

// One is partly over the other.
program.func @parts_meet {
  %x = program.slot user_input "x" : !b
  %r = program.alloc new : !b
  %a = program.view %r offset 0 : !b to !p
  %c = program.view %r offset 7 : !b to !q
  // expected-error @below {{'program.launch' op writes operands 1 and 2 to the same bytes}}
  program.launch @kernels::@k(%x, %a, %c) access [read, write, write] symbols [] work 64 grain 64 : !b, !p, !q
  program.return %r outputs [#program.output<role = user_output>] : !b
}

// -----

!b = !program.buffer<[4, 24], f32>
!p = !program.buffer<[4, 8], f32, strides = [24, 1]>
!q = !program.buffer<[4, 16], f32, strides = [24, 1]>

// One is over the end of its rows: over the beginning of the next one.
program.func @part_behind_rows {
  %x = program.slot user_input "x" : !b
  %r = program.alloc new : !b
  %a = program.view %r offset 0 : !b to !p
  program.launch @kernels::@k(%x, %a) access [read, write] symbols [] work 64 grain 64 : !b, !p
  %c = program.view %r offset 9 : !b to !q
  program.launch @kernels::@k(%x, %c) access [read, write] symbols [] work 64 grain 64 : !b, !q
  // expected-error @below {{'program.return' op reads operand 0, of which parts have not been written or are gone}}
  program.return %r outputs [#program.output<role = user_output>] : !b
}

// -----

!b = !program.buffer<[4, 24], f32>
!p = !program.buffer<[4, 8], f32, strides = [24, 1]>
!q = !program.buffer<[4, 16], f32, strides = [24, 1]>

// One is gone by the time that the other is there.
program.func @part_gone arena 448 {
  %x = program.slot user_input "x" : !b
  %r = program.alloc at 0 : !b
  %a = program.view %r offset 0 : !b to !p
  program.launch @kernels::@k(%x, %a) access [read, write] symbols [] work 64 grain 64 : !b, !p
  %t = program.alloc at 64 : !b
  program.launch @kernels::@k(%x, %t) access [read, write] symbols [] work 64 grain 64 : !b, !b
  %c = program.view %r offset 8 : !b to !q
  program.launch @kernels::@k(%x, %c) access [read, write] symbols [] work 64 grain 64 : !b, !q
  %s = program.alloc new : !b
  // expected-error @below {{'program.launch' op reads operand 0, of which parts have not been written or are gone}}
  program.launch @kernels::@k(%r, %s) access [read, write] symbols [] work 64 grain 64 : !b, !b
  program.return %s outputs [#program.output<role = user_output>] : !b
}

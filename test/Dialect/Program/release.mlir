// RUN: kiln-opt %s --pass-pipeline='builtin.module(program.func(program-release))' | FileCheck %s

!b = !program.buffer<[64], f32>

// Behind the last use, also that of a view; what nobody uses at once. Slots, the
// arena and what the caller receives are not the program's to let go.

// CHECK-LABEL: program.func @main
// CHECK: %[[A:.*]]:2 = program.call "a"
// CHECK-NEXT: program.release %[[A]]#1
// CHECK: %[[N:.*]] = program.alloc new
// CHECK: program.launch @kernels::@k(%[[A]]#0, %[[N]])
// CHECK-NEXT: program.release %[[A]]#0
// CHECK-NEXT: %[[V:.*]] = program.view %[[N]]
// CHECK-NEXT: %[[C:.*]] = program.call "c"(%[[V]])
// CHECK-NEXT: program.release %[[N]]
// CHECK-NEXT: program.return %[[C]]
program.func @main arena 256 {
  %x = program.slot user_input "x" : !b
  %a:2 = program.call "a"(%x) arguments [#program.operand<0>] : (!b) -> (!b, !b)
  %t = program.alloc at 0 : !b
  program.launch @kernels::@k(%x, %t) access [read, write] symbols [] work 64 grain 64 : !b, !b
  %n = program.alloc new : !b
  program.launch @kernels::@k(%a#0, %n) access [read, write] symbols [] work 64 grain 64 : !b, !b
  %v = program.view %n offset 0 : !b to !program.buffer<[8, 8], f32>
  %c = program.call "c"(%v) arguments [#program.operand<0>] : (!program.buffer<[8, 8], f32>) -> !b
  program.return %c outputs [#program.output<role = user_output>] : !b
}

// What is released already is left alone.

// CHECK-LABEL: program.func @again
// CHECK: program.release
// CHECK-NOT: program.release
program.func @again {
  %x = program.slot user_input "x" : !b
  %a = program.call "a"(%x) arguments [#program.operand<0>] : (!b) -> !b
  %c = program.call "c"(%x) arguments [#program.operand<0>] : (!b) -> !b
  program.release %a : !b
  program.return %c outputs [#program.output<role = user_output>] : !b
}

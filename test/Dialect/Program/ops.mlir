// RUN: kiln-opt %s | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --mlir-print-op-generic | kiln-opt | FileCheck %s
// RUN: kiln-opt %s --emit-bytecode | kiln-opt | FileCheck %s

!x = !program.buffer<[s77, 4], f32>

// CHECK-LABEL: program.func @main arena s77 * 64 + 64 {
program.func @main arena s77 * 64 + 64 {
  // CHECK: %[[X:.*]] = program.slot user_input "x" path "[0][0]" grad : !program.buffer<[s77, 4], f32, strides = [1, s77]>
  %x = program.slot user_input "x" path "[0][0]" grad : !program.buffer<[s77, 4], f32, strides = [1, s77]>
  // CHECK: %[[W:.*]] = program.slot buffer "b_mean" path "mean" : !program.buffer<[4], bf16>
  %w = program.slot buffer "b_mean" path "mean" : !program.buffer<[4], bf16>
  // CHECK: %[[N:.*]] = program.slot user_input "n" value(#guard.expr<s3>) : !program.number
  %n = program.slot user_input "n" value(#guard.expr<s3>) : !program.number
  // CHECK: program.slot user_input "flag" value(true) : !program.number
  %f = program.slot user_input "flag" value(true) : !program.number
  // CHECK: program.symbol "s77" size 0 of %[[X]] scale 2 offset 1 range 2 to 64 : !program.buffer<[s77, 4], f32, strides = [1, s77]>
  program.symbol "s77" size 0 of %x scale 2 offset 1 range 2 to 64 : !program.buffer<[s77, 4], f32, strides = [1, s77]>
  // CHECK: program.symbol "s3" value of %[[N]] range -9223372036854775808 to 9223372036854775807 : !program.number
  program.symbol "s3" value of %n range -9223372036854775808 to 9223372036854775807 : !program.number
  // CHECK: program.symbol "u0" step range 0 to 64
  program.symbol "u0" step range 0 to 64
  // CHECK: %[[T:.*]] = program.alloc at 64 : !program.buffer<[s77, 4], f32>
  %t = program.alloc at 64 : !x
  // CHECK: program.launch @kernels::@k0(%[[X]], %[[T]]) access [read, write] symbols [s77, s77 * 4] work s77 grain 64 scratch 256 alone {origins = ["mul"], traffic = #program.traffic<read = 64, written = 64, unfused = 128>} : !program.buffer<[s77, 4], f32, strides = [1, s77]>, !program.buffer<[s77, 4], f32>
  program.launch @kernels::@k0(%x, %t) access [read, write] symbols [s77, s77 * 4] work s77 grain 64 scratch 256 alone {origins = ["mul"], traffic = #program.traffic<read = 64, written = 64, unfused = 128>} : !program.buffer<[s77, 4], f32, strides = [1, s77]>, !x
  // CHECK: %[[V:.*]]:2 = program.call "aten.unique.default"(%[[T]]) arguments [#program.operand<0>, [1, #guard.expr<s3>], 2.500000e+00, "sum", unit, f32, #complex.number<:f64 1.000000e+00, 2.000000e+00> : complex<f64>] reason "it has no kernel" : (!program.buffer<[s77, 4], f32>) -> (!program.buffer<[u0], i64>, none)
  %v, %left = program.call "aten.unique.default"(%t) arguments [#program.operand<0>, [1, #guard.expr<s3>], 2.5, "sum", unit, f32, #complex.number<:f64 1.0, 2.0>] reason "it has no kernel" : (!x) -> (!program.buffer<[u0], i64>, none)
  // CHECK: program.define "u0" = %[[V]]#0 dim 0 : !program.buffer<[u0], i64>
  program.define "u0" = %v dim 0 : !program.buffer<[u0], i64>
  // CHECK: program.assert le(u0, 4), "too many"
  program.assert le(u0, 4), "too many"
  // CHECK: %[[I:.*]] = program.call "aten.item.default"
  %i = program.call "aten.item.default"(%v) arguments [#program.operand<0>] : (!program.buffer<[u0], i64>) -> !program.number
  // CHECK: %[[R:.*]] = program.alloc new : !program.buffer<[u0], i64>
  %r = program.alloc new : !program.buffer<[u0], i64>
  // CHECK: program.copy %[[V]]#0 to %[[R]] : !program.buffer<[u0], i64>, !program.buffer<[u0], i64>
  program.copy %v to %r : !program.buffer<[u0], i64>, !program.buffer<[u0], i64>
  // CHECK: program.release %[[V]]#0 : !program.buffer<[u0], i64>
  program.release %v : !program.buffer<[u0], i64>
  // CHECK: %[[M:.*]] = program.view %[[W]] offset 0 : !program.buffer<[4], bf16> to !program.buffer<[2, 2], i16>
  %m = program.view %w offset 0 : !program.buffer<[4], bf16> to !program.buffer<[2, 2], i16>
  // CHECK: %[[C:.*]] = program.invoke while [@condition, @body](%[[M]]) arguments [#program.operand<0>, 3] carried 1 : (!program.buffer<[2, 2], i16>) -> !program.buffer<[2, 2], i16>
  %c = program.invoke while [@condition, @body](%m) arguments [#program.operand<0>, 3] carried 1 : (!program.buffer<[2, 2], i16>) -> !program.buffer<[2, 2], i16>
  // CHECK: program.return %[[R]], %[[I]], %[[C]] outputs [#program.output<role = user_output, name = "y", path = "">, #program.output<role = user_output>, #program.output<role = buffer_mutation, target = "mean">, #program.output<role = user_output, value = #guard.expr<s77>>] : !program.buffer<[u0], i64>, !program.number, !program.buffer<[2, 2], i16>
  program.return %r, %i, %c outputs [#program.output<role = user_output, name = "y", path = "">, #program.output<role = user_output>, #program.output<role = buffer_mutation, target = "mean">, #program.output<role = user_output, value = #guard.expr<s77>>] : !program.buffer<[u0], i64>, !program.number, !program.buffer<[2, 2], i16>
}

// CHECK-LABEL: program.func @condition attributes {sym_visibility = "private"} {
program.func @condition attributes {sym_visibility = "private"} {
  %x = program.slot user_input "x" : !program.buffer<[2, 2], i16>
  %n = program.slot user_input "n" : !program.number
  %p = program.call "aten.any.default"(%x) arguments [#program.operand<0>] : (!program.buffer<[2, 2], i16>) -> !program.buffer<[], i1>
  program.return %p outputs [#program.output<role = user_output>] : !program.buffer<[], i1>
}
program.func @body attributes {sym_visibility = "private"} {
  %x = program.slot user_input "x" : !program.buffer<[2, 2], i16>
  %n = program.slot user_input "n" : !program.number
  program.return %x outputs [#program.output<role = user_output>] : !program.buffer<[2, 2], i16>
}

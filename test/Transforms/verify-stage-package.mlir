// A program has a place for every buffer.
// RUN: kiln-opt %s --split-input-file --verify-diagnostics --kiln-verify-stage=stage=package

!b = !program.buffer<[64], f32>

program.func @main arena 256 {
  %x = program.slot user_input "x" : !b
  // expected-error @below {{'program.alloc' op is not in the form of stage 'package': expected a place in memory, as 'program-plan-memory' gives it}}
  %a = program.alloc : !b
  %c = program.alloc at 0 : !b
  %r = program.alloc new : !b
  program.return %x outputs [#program.output<role = user_output>] : !b
}

// -----

module @kernels {
  func.func private @k()
}
func.func @launched(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'loop.launch' op belongs to stage 'kernel', but the IR is to be of stage 'package'; run 'kiln-program' first}}
  %0 = loop.launch @kernels::@k(%x) symbols [] work 1 grain 1 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

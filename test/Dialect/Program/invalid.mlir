// RUN: kiln-opt %s --split-input-file --verify-diagnostics -o /dev/null

// expected-error @below {{element type 'i65' has no counterpart at run time}}
!t = !program.buffer<[4], i65>

// -----

// expected-error @below {{expected 1 strides or none, but found 2}}
!t = !program.buffer<[4], f32, strides = [1, 1]>

// -----

!b = !program.buffer<[64], f32>
program.func @late {
  %x = program.slot user_input "x" : !b
  %r = program.alloc new : !b
  // expected-error @below {{'program.slot' op stands behind a step, expected slots and symbols at the beginning of a program}}
  %y = program.slot user_input "y" : !b
  program.return outputs []
}

// -----

!s = !program.buffer<[s0], f32>
program.func @undeclared {
  // expected-error @below {{'program.slot' op names the symbol 's0', which is not declared}}
  %x = program.slot user_input "x" : !s
  program.return outputs []
}

// -----

!s = !program.buffer<[u0], f32>
program.func @early {
  %x = program.slot user_input "x" : !program.buffer<[64], f32>
  program.symbol "u0" step range 0 to 64
  // expected-error @below {{the symbol 'u0' is read in 'early' before an operation gives it a value}}
  %r = program.alloc new : !s
  program.return outputs []
}

// -----

!b = !program.buffer<[64], f32>
program.func @unknown_target {
  %x = program.slot user_input "x" : !b
  // expected-error @below {{'program.return' op output 0 changes 'mean', which is no input}}
  program.return %x outputs [#program.output<role = buffer_mutation, target = "mean">] : !b
}

// -----

!b = !program.buffer<[64], f32>
program.func @too_few {
  %x = program.slot user_input "x" : !b
  // expected-error @below {{'program.return' op has 2 outputs without a value and 1 operands}}
  program.return %x outputs [#program.output<role = user_output>, #program.output<role = user_output>] : !b
}

// -----

!b = !program.buffer<[64], f32>
program.func @arguments {
  %x = program.slot user_input "x" : !b
  // expected-error @below {{'program.call' op an argument names an operand that is not there, expected one of 1}}
  %r = program.call "aten.sin.default"(%x) arguments [[#program.operand<1>]] : (!b) -> !b
  program.return outputs []
}

// -----

!b = !program.buffer<[64], f32>
program.func @launch {
  %x = program.slot user_input "x" : !b
  // expected-error @below {{'program.launch' op expected 1 accesses, but found 2}}
  program.launch @kernels::@k(%x) access [read, write] symbols [] work 64 grain 64 : !b
  program.return outputs []
}

// -----

!b = !program.buffer<[64], f32>
program.func @product {
  %x = program.slot user_input "x" : !b
  %y = program.alloc : !b
  // expected-error @below {{'program.launch' op expected a library to read buffers that are read, and to write one that is written, but found #program.product<factors = f32}}
  program.launch @kernels::@k(%x, %y) access [read, write] symbols [] work 1 grain 1 {grid = #program.grid<
      steps = [#program.grid_step<kernel = @kernels::@k, symbols = [], blocks = <1>, threads = 32>],
      library = #program.product<factors = f32, results = f32, matrices = <1>, rows = <8>, columns = <8>, sum = <8>,
          left = <buffer = 0, offset = <0>, leading = <8>, apart = <0>>, right = <buffer = 1, offset = <0>, leading = <8>, apart = <0>>,
          result = <buffer = 1, offset = <0>, leading = <8>, apart = <0>>>>} : !b, !b
  program.return outputs []
}

// -----

!b = !program.buffer<[64], f32>
program.func @convolution {
  %x = program.slot user_input "x" : !b
  %w = program.slot user_input "w" : !b
  %y = program.alloc : !b
  // expected-error @below {{'program.launch' op expected a library to read buffers that are read, and to write one that is written, but found #program.convolution<elements = f32}}
  program.launch @kernels::@k(%x, %w, %y) access [read, read, write] symbols [] work 1 grain 1 {grid = #program.grid<
      steps = [#program.grid_step<kernel = @kernels::@k, symbols = [], blocks = <1>, threads = 32>],
      library = #program.convolution<elements = f32, images = <1>, groups = <1>, channels = <1>, filters = <1>,
          inputs = [#guard.expr<64>], outputs = [#guard.expr<62>], taps = [#guard.expr<3>], strides = [1], dilations = [1], padding = [0],
          source = <buffer = 0, offset = <0>, image = <0>, channel = <0>, places = [#guard.expr<1>]>,
          target = <buffer = 2, offset = <0>, image = <0>, channel = <0>, places = [#guard.expr<1>]>,
          weight = <buffer = 1, offset = <0>>, gradient = true>>} : !b, !b, !b
  program.return outputs []
}

// -----

!b = !program.buffer<[64], f32>
program.func @none {
  %x = program.slot user_input "x" : !b
  %y = program.alloc : !b
  // expected-error @below {{'program.launch' op expected a product or a convolution of a library, but found 4 : i64}}
  program.launch @kernels::@k(%x, %y) access [read, write] symbols [] work 1 grain 1 {grid = #program.grid<
      steps = [#program.grid_step<kernel = @kernels::@k, symbols = [], blocks = <1>, threads = 32>],
      library = 4 : i64>} : !b, !b
  program.return outputs []
}

// -----

!b = !program.buffer<[64], f32>
program.func @checks {
  %x = program.slot user_input "x" : !b
  %y = program.alloc : !b
  // expected-error @below {{'program.launch' op has the check 4 : i64 in its grid, expected a message, and no library}}
  program.launch @kernels::@k(%x, %y) access [read, write] symbols [] work 1 grain 1 {grid = #program.grid<
      steps = [#program.grid_step<kernel = @kernels::@k, symbols = [], blocks = <1>, threads = 32>],
      checks = [4 : i64]>} : !b, !b
  program.return outputs []
}

// -----

!b = !program.buffer<[64], f32>
program.func @owner {
  %x = program.slot user_input "x" : !b
  // expected-error @below {{'program.release' op releases what it does not own, expected results of calls and new buffers}}
  program.release %x : !b
  program.return outputs []
}

// -----

!b = !program.buffer<[64], f32>
program.func @runs {
  %p = program.slot user_input "p" : !program.buffer<[], i1>
  // expected-error @below {{'program.invoke' op runs @body with 0 slots and 0 outputs, expected 0 and 1}}
  %r = program.invoke branch [@body, @body](%p) arguments [#program.operand<0>] : (!program.buffer<[], i1>) -> !b
  program.return outputs []
}
program.func @body {
  program.return outputs []
}

// -----

// The halves of a training step agree by type ...
program.func @forward {
  %x = program.slot user_input "x" : !program.buffer<[64], f32>
  program.return %x outputs [#program.output<role = saved>] : !program.buffer<[64], f32>
}
program.func @backward {
  // expected-error @below {{'program.slot' op takes '!program.buffer<[64], f16>', but 'forward' saves '!program.buffer<[64], f32>'}}
  %x = program.slot saved "x" : !program.buffer<[64], f16>
  program.return outputs []
}

// -----

// ... and in number.
program.func @forward {
  %x = program.slot user_input "x" : !program.buffer<[64], f32>
  program.return %x outputs [#program.output<role = saved>] : !program.buffer<[64], f32>
}
// expected-error @below {{the forward program saves 1 values, the backward program expects 0}}
program.func @backward {
  program.return outputs []
}

// -----

// Views that lead back to themselves.
!b = !program.buffer<[64], f32>
program.func @self {
  // expected-error @below {{'program.view' op uses what no step before it gives}}
  %a = program.view %a offset 0 : !b to !b
  program.return outputs []
}

// -----

!b = !program.buffer<[64], f32>
program.func @cycle {
  // expected-error @below {{'program.view' op uses what no step before it gives}}
  %a = program.view %b offset 0 : !b to !b
  %b = program.view %a offset 0 : !b to !b
  program.return outputs []
}

// -----

!b = !program.buffer<[64], f32>
"program.func"() <{sym_name = "argument"}> ({
^bb0(%a: !b):
  // expected-error @below {{'program.return' op uses what no step before it gives}}
  "program.return"(%a) <{outputs = [#program.output<role = user_output>]}> : (!b) -> ()
}) : () -> ()

// -----

// In another order of its dimensions, but with gaps.
program.func @gaps {
  %a = program.alloc new : !program.buffer<[2, 3, 4], f32, strides = [12, 1, 3]>
  %u = program.alloc new : !program.buffer<[1, 3, 4], f32, strides = [7, 4, 1]>
  // expected-error @below {{'program.alloc' op expected a buffer without gaps}}
  %b = program.alloc new : !program.buffer<[2, 3, 4], f32, strides = [16, 1, 4]>
  program.return outputs []
}

// -----

// Stored tensors are row-major, without gaps alone is not enough.
program.constant @c dense_resource<weight> : tensor<2x3xf32>
program.func @transposed {
  // expected-error @below {{'program.get' op expected a row-major buffer}}
  %c = program.get @c : !program.buffer<[2, 3], f32, strides = [1, 2]>
  program.return outputs []
}

// -----

// A size whose number has no magnitude shows nothing.
!s = !program.buffer<[s0], f32>
!z = !program.buffer<[10 - s0], i8>
program.func @magnitude arena s0 * -9223372036854775808 {
  %x = program.slot user_input "x" : !s
  %z = program.slot user_input "z" : !z
  program.symbol "s0" size 0 of %x range 0 to 4096 : !s
  // expected-error @below {{'program.alloc' op ends at byte 256 of an arena of}}
  %a = program.alloc at 0 : !program.buffer<[64], f32>
  program.return outputs []
}

// -----

// A forward program that is broken, behind a backward program that is not.
program.func @backward {
  %x = program.slot saved "x" : !program.buffer<[64], f32>
  program.return outputs []
}
"program.func"() <{sym_name = "forward"}> ({
  // expected-error @below {{'program.return' op has 1 outputs without a value and 0 operands}}
  "program.return"() <{outputs = [#program.output<role = saved>]}> : () -> ()
}) : () -> ()

// -----

program.func @backward {
  %x = program.slot saved "x" : !program.buffer<[64], f32>
  program.return outputs []
}
"program.func"() <{sym_name = "forward"}> ({
  // expected-error @below {{block with no terminator}}
  %x = program.slot user_input "x" : !program.buffer<[64], f32>
}) : () -> ()

// -----

!b = !program.buffer<[256], f32>
program.func @prepared_of_what_is_copied {
  %x = program.slot user_input "x" : !b
  %w = program.slot parameter "w" path "w" : !b
  %a = program.alloc prepared : !b
  // expected-error @below {{'program.launch' op prepares a buffer and reads operand 0, expected a weight that stays, a constant or a prepared buffer}}
  program.launch @kernels::@cast(%w, %a) access [read, write] symbols [] work 256 grain 64 : !b, !b
  program.copy %x to %w : !b, !b
  program.return outputs []
}

// -----

!b = !program.buffer<[256], f32>
!d = !program.buffer<[s0], f32>
program.func @prepared_somewhere {
  %x = program.slot user_input "x" : !d
  %w = program.slot parameter "w" path "w" : !b
  program.symbol "s0" size 0 of %x range 2 to 256 : !d
  %a = program.alloc prepared : !program.buffer<[512], f32>
  %v = program.view %a offset s0 : !program.buffer<[512], f32> to !b
  // expected-error @below {{'program.launch' op prepares a buffer and writes operand 1, which is not prepared, or in no fixed place}}
  program.launch @kernels::@cast(%w, %v) access [read, write] symbols [] work 256 grain 64 : !b, !b
  program.return outputs []
}

// RUN: kiln-opt %s --convert-loop-to-program --split-input-file | FileCheck %s

#s = #loop.across<lanes = 8, chunk = 32, sum_block = 0, masked = false, grain = 512>

// The result of a launch is a buffer that it writes; what it overwrites is named
// by position. Only what may stand beside others is not alone.

// CHECK-LABEL: program.func @main {
// CHECK: %[[X:.*]] = program.slot user_input "arg0" : !program.buffer<[64], f32>
// CHECK: %[[A:.*]] = program.alloc : !program.buffer<[64], f32>
// CHECK: program.launch @kernels::@k0(%[[X]], %[[A]]) access [read, write] symbols [] work 64 grain 32 {origins = ["exp"], overwrites = array<i64: 1, 0>, schedules = [#loop.across<{{.*}}>], traffic = #program.traffic<read = 256, written = 256, unfused = 512>}
// CHECK: %[[B:.*]] = program.alloc : !program.buffer<[8], f32>
// CHECK: program.launch @kernels::@k1(%[[A]], %[[B]]) access [read, write] symbols [] work 8 grain 1 scratch 128 alone :
// CHECK: %[[C:.*]]:2 = program.call "aten.sort.default"(%[[B]]) arguments [#program.operand<0>, -1, false] reason "sorting has no kernel" : (!program.buffer<[8], f32>) -> (!program.buffer<[8], f32>, none)
// CHECK: program.return %[[C]]#0
func.func @main(%x: tensor<64xf32>) -> tensor<8xf32> {
  %a = loop.launch @kernels::@k0(%x) symbols [] work 64 grain 32
      {origins = ["exp"], overwrites = array<i64: 0, 0>, schedule = #s, traffic = #loop.traffic<read = 256, written = 256, unfused = 512>}
      : (tensor<64xf32>) -> tensor<64xf32>
  %b = loop.launch @kernels::@k1(%a) symbols [] work 8 grain 1 scratch 128 : (tensor<64xf32>) -> tensor<8xf32>
  %v, %i = loop.extern "aten.sort.default"(%b) arguments [#loop.operand<0>, -1, false] reason "sorting has no kernel"
      : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xi64>)
  return %v : tensor<8xf32>
}

// -----

// What a function runs comes along; what nothing runs stays.

// CHECK-LABEL: program.func @main {
// CHECK: program.invoke branch [@then, @else](%{{.*}}, %{{.*}}) arguments [#program.operand<0>, #program.operand<1>, #guard.expr<s0>]
// CHECK: program.func @then attributes {sym_visibility = "private"}
// CHECK: program.slot user_input "s0" value(#guard.expr<s0>) : !program.number
// CHECK: program.func @else attributes {sym_visibility = "private"}
// CHECK: func.func private @unused
guard.symbol @s0 range [2, 64]
func.func @main(%p: tensor<i1>, %x: tensor<?xf32, #guard.shape<[s0]>>) -> tensor<4xf32> {
  %n = guard.value <s0> : i64
  %r = loop.invoke branch [@then, @else](%p, %x, %n) : (tensor<i1>, tensor<?xf32, #guard.shape<[s0]>>, i64) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @then(%x: tensor<?xf32, #guard.shape<[s0]>>, %n: i64 {aten.input = #aten.input<kind = user_input, name = "s0", value = #guard.expr<s0>>}) -> tensor<4xf32> {
  %0 = loop.launch @kernels::@k(%x) symbols [s0] work s0 grain 64 : (tensor<?xf32, #guard.shape<[s0]>>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @else(%x: tensor<?xf32, #guard.shape<[s0]>>, %n: i64 {aten.input = #aten.input<kind = user_input, name = "s0", value = #guard.expr<s0>>}) -> tensor<4xf32> {
  %0 = loop.launch @kernels::@k(%x) symbols [s0] work s0 grain 64 : (tensor<?xf32, #guard.shape<[s0]>>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// A scatter copies what it starts from before it writes, unless that lies where its result does.

// CHECK-LABEL: program.func @main {
// CHECK: program.launch @kernels::@s(
// CHECK-SAME: overwrites = array<i64: 1, 0>, program.copies_first
// CHECK: program.launch @kernels::@p(
// CHECK-NOT: copies_first
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %a = loop.launch @kernels::@s(%x) symbols [] work 1 grain 1
      {overwrites = array<i64: 0, 0>, schedule = #loop.scatter<lanes = 8, masked = false, grain = 1>}
      : (tensor<64xf32>) -> tensor<64xf32>
  %b = loop.launch @kernels::@p(%a) symbols [] work 1 grain 1
      {overwrites = array<i64: 0, 0>, schedule = #loop.across<lanes = 8, chunk = 32, sum_block = 0, masked = false, grain = 512>}
      : (tensor<64xf32>) -> tensor<64xf32>
  return %b : tensor<64xf32>
}

// -----

// Of the inputs a backward program has those that something reads.

// CHECK-LABEL: program.func @forward {
// CHECK: program.slot buffer "mean" path "mean"
// CHECK: program.slot user_input "x"
// CHECK-LABEL: program.func @backward {
// CHECK-NEXT: %[[S:.*]] = program.slot saved "saved_0" : !program.buffer<[4], f32>
// CHECK-NEXT: %[[X:.*]] = program.slot user_input "x" : !program.buffer<[4], f32>
// CHECK-NEXT: program.slot parameter "w" path "w" : !program.buffer<[4], f32>
// CHECK-NEXT: %[[R:.*]] = program.alloc
// CHECK-NEXT: program.launch @kernels::@g(%[[S]], %[[X]], %[[R]])
func.func @forward(
    %m: tensor<4xf32> {aten.input = #aten.input<kind = buffer, name = "mean", path = "mean">},
    %w: tensor<4xf32> {aten.input = #aten.input<kind = parameter, name = "w", path = "w">},
    %x: tensor<4xf32> {aten.input = #aten.input<kind = user_input, name = "x">})
    -> (tensor<4xf32> {aten.output = #aten.output<kind = buffer_mutation, target = "mean">},
        tensor<4xf32> {aten.output = #aten.output<kind = saved, name = "saved_0">}) {
  %0:2 = loop.launch @kernels::@f(%m, %w, %x) symbols [] work 4 grain 4 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}
func.func @backward(
    %s: tensor<4xf32> {aten.input = #aten.input<kind = saved, name = "saved_0">},
    %m: tensor<4xf32> {aten.input = #aten.input<kind = buffer, name = "mean", path = "mean">},
    %x: tensor<4xf32> {aten.input = #aten.input<kind = user_input, name = "x">},
    %w: tensor<4xf32> {aten.input = #aten.input<kind = parameter, name = "w", path = "w">})
    -> (tensor<4xf32> {aten.output = #aten.output<kind = parameter_mutation, target = "w">}) {
  %0 = loop.launch @kernels::@g(%s, %x) symbols [] work 4 grain 4 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// RUN: kiln-opt %s --convert-aten-to-program --split-input-file | FileCheck %s
// RUN: kiln-opt %s --convert-aten-to-program=ignore-strides=true --split-input-file | FileCheck %s --check-prefix=IGNORE

// Operators become calls with all their arguments; constants are attributes.

// CHECK-LABEL: program.func @main {
// CHECK: %[[X:.*]] = program.slot user_input "x" path "[0][0]" : !program.buffer<[4, 8], f32, strides = [1, 4]>
// CHECK: %[[W:.*]] = program.slot parameter "p_w" path "w" grad : !program.buffer<[8], f32>
// CHECK: %[[A:.*]] = program.call "aten.add.Tensor"(%[[X]], %[[W]]) arguments [#program.operand<0>, #program.operand<1>, 1] : (!program.buffer<[4, 8], f32, strides = [1, 4]>, !program.buffer<[8], f32>) -> !program.buffer<[4, 8], f32>
// CHECK: %[[S:.*]] = program.call "aten.sum.dim_IntList"(%[[A]]) arguments [#program.operand<0>, [1], false, unit] : (!program.buffer<[4, 8], f32>) -> !program.buffer<[4], f32>
// The view of an intermediate may copy; that of a caller's tensor may not, unless
// strides mean nothing any more.
// CHECK: program.call "aten.reshape.default"(%[[S]]) arguments [#program.operand<0>, [2, 2]]
// CHECK: program.call "aten.view.default"(%[[W]]) arguments [#program.operand<0>, [2, 4]]
// IGNORE: program.call "aten.reshape.default"
// IGNORE: program.call "aten.reshape.default"
// CHECK: program.return %{{.*}}, %{{.*}} outputs [#program.output<role = user_output, name = "y", path = "">, #program.output<role = user_output>, #program.output<role = user_output, value = 3 : i64>] : !program.buffer<[2, 2], f32>, !program.buffer<[2, 4], f32>
func.func @main(
    %x: tensor<4x8xf32> {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]", strides = <[1, 4]>>},
    %w: tensor<8xf32> {aten.input = #aten.input<kind = parameter, name = "p_w", path = "w", requires_grad = true>})
    -> (tensor<2x2xf32> {aten.output = #aten.output<kind = user_output, name = "y", path = "">}, tensor<2x4xf32>, i64) {
  %0 = aten.add.Tensor(%x, %w) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %1 = aten.sum.dim_IntList(%0, dim = [1]) : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = aten.view(%1, size = [2, 2]) : (tensor<4xf32>) -> tensor<2x2xf32>
  %3 = aten.view(%w, size = [2, 4]) : (tensor<8xf32>) -> tensor<2x4xf32>
  %n = arith.constant 3 : i64
  return %2, %3, %n : tensor<2x2xf32>, tensor<2x4xf32>, i64
}

// -----

// A symbol is read from a size that is linear in it, or defined where it is
// counted.

guard.symbol @s0 range [2, 64] hint 8
guard.symbol @u0 unbacked range [0, 100]
// CHECK-LABEL: program.func @sizes {
// CHECK: %[[X:.*]] = program.slot user_input "arg0" : !program.buffer<[s0 * 2 + 1], f32>
// CHECK: program.symbol "s0" size 0 of %[[X]] scale 2 offset 1 range 2 to 64
// CHECK: program.symbol "u0" step range 0 to 100
// CHECK: %[[N:.*]] = program.call "aten.nonzero.default"(%[[X]])
// CHECK: program.define "u0" = %[[N]] dim 0
// CHECK: program.assert le(u0, 4), "too many"
func.func @sizes(%x: tensor<?xf32, #guard.shape<[s0 * 2 + 1]>>) -> tensor<?x1xi64, #guard.shape<[u0, 1]>> {
  %0 = aten.nonzero(%x) : (tensor<?xf32, #guard.shape<[s0 * 2 + 1]>>) -> tensor<?x1xi64, #guard.shape<[u0, 1]>>
  guard.assert <le(u0, 4)>, "too many"
  return %0 : tensor<?x1xi64, #guard.shape<[u0, 1]>>
}

// -----

// A body is a program of its own; a symbol that it uses and that no size of its
// arguments tells is passed as a number. Nothing of the loop dialect takes part.

guard.symbol @s0 range [2, 64] hint 8
// CHECK-LABEL: program.func @branches {
// CHECK: program.invoke branch [@branches_cond_then, @branches_cond_else](%{{.*}}, %{{.*}}) arguments [#program.operand<0>, #program.operand<1>, #guard.expr<s0>]
// CHECK: program.func @branches_cond_then attributes {sym_visibility = "private"} {
// CHECK: program.slot user_input "s0" value(#guard.expr<s0>) : !program.number
// CHECK: program.call "aten.mul.Scalar"(%{{.*}}) arguments [#program.operand<0>, #guard.expr<s0>]
// CHECK: program.func @branches_cond_else attributes {sym_visibility = "private"} {
// CHECK: program.call "aten.sin.default"
func.func @branches(%p: tensor<i1>, %x: tensor<4xf32>, %y: tensor<?xf32, #guard.shape<[s0]>>) -> tensor<4xf32> {
  %r = aten.cond %p(%x) then {
  ^bb0(%t: tensor<4xf32>):
    %n = guard.value <s0> : i64
    %0 = aten.mul.Scalar(%t, %n) : (tensor<4xf32>, i64) -> tensor<4xf32>
    aten.yield %0 : tensor<4xf32>
  } else {
  ^bb0(%t: tensor<4xf32>):
    %0 = aten.sin(%t) : (tensor<4xf32>) -> tensor<4xf32>
    aten.yield %0 : tensor<4xf32>
  } : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// RUN: kiln-opt %s --split-input-file --joint-partition | FileCheck %s
// RUN: kiln-opt %s --split-input-file --joint-partition=save-all | FileCheck %s --check-prefix=ALL
// RUN: kiln-opt %s --split-input-file --joint-partition -o /dev/null --remarks-filter=joint-partition 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: kiln-opt %s --split-input-file --joint-partition=memory-budget=0 -o /dev/null --remarks-filter-missed=joint-partition 2>&1 | FileCheck %s --check-prefix=BUDGET

// Pointwise ops are run again from the input: nothing is saved.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>) -> tensor<4xf32>
// REMARK: remark: [Passed] partitioned | Category:joint-partition | Function=forward | recomputed=1, saved_bytes=0, storages=0
// REMARK: remark: [Analysis] kept-input | Category:joint-partition | Function=forward | Reason="graph input, the caller holds it", value=%arg0
// REMARK: remark: [Passed] recomputed | Category:joint-partition | Function=forward | Reason="pointwise, fuses into its user", op=math.exp, value=%0
// CHECK-SAME: joint.saved_bytes = 0 : i64
// CHECK: %[[Y:.*]] = math.exp %[[X]]
// CHECK: return %[[Y]]
// CHECK-LABEL: func.func @backward
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[DY:.*]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK: %[[Y:.*]] = math.exp %[[X]]
// CHECK: %[[DX:.*]] = arith.mulf %[[DY]], %[[Y]]
// CHECK: return %[[DX]]

// Saving everything hands the exponential over.
// ALL-LABEL: func.func @forward
// ALL-SAME: joint.saved_bytes = 16 : i64
// ALL: return %[[Y:.*]], %[[Y]] : tensor<4xf32>, tensor<4xf32>
// ALL-LABEL: func.func @backward
// ALL-NOT: math.exp
joint.graph @main primals(%x: tensor<4xf32>) tangents(%dy: tensor<4xf32>)
    -> outputs(tensor<4xf32>) gradients(tensor<4xf32>) {
  %y = math.exp %x : tensor<4xf32>
  %dx = arith.mulf %dy, %y : tensor<4xf32>
  joint.return outputs(%y : tensor<4xf32>) gradients(%dx : tensor<4xf32>)
}

// -----

func.func private @opaque(tensor<4xf32>) -> tensor<4xf32>

// An op that nothing is known of runs once. Its result is saved although it
// is an output as well.
// CHECK-LABEL: func.func @forward
// REMARK: remark: [Passed] saved | Category:joint-partition | Function=forward | Reason="unknown op or one with effects, never recomputed", bytes=16, op=func.call, value=%0
// BUDGET: remark: [Missed] over-budget | Category:joint-partition | Function=forward | budget_bytes=0
// CHECK: %[[Y:.*]] = call @opaque
// CHECK: return %[[Y]], %[[Y]]
// CHECK-LABEL: func.func @backward
// CHECK-SAME: (%[[S:.*]]: tensor<4xf32>, %[[DY:.*]]: tensor<4xf32>)
// CHECK-NOT: call @opaque
// CHECK: arith.mulf %[[DY]], %[[S]]
// ALL: func.func @forward
joint.graph @main primals(%x: tensor<4xf32>) tangents(%dy: tensor<4xf32>)
    -> outputs(tensor<4xf32>) gradients(tensor<4xf32>) {
  %y = func.call @opaque(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %dx = arith.mulf %dy, %y : tensor<4xf32>
  joint.return outputs(%y : tensor<4xf32>) gradients(%dx : tensor<4xf32>)
}

// -----

// The user's mark outranks the rules, and goes away.
// CHECK-LABEL: func.func @forward
// REMARK: remark: [Passed] saved | {{.*}} | Reason="tagged by the user to be saved", bytes=16, op=math.exp
// CHECK-NOT: = joint.save
// CHECK-LABEL: func.func @backward
// CHECK-NOT: math.exp
// ALL: func.func @forward
joint.graph @main primals(%x: tensor<4xf32>) tangents(%dy: tensor<4xf32>)
    -> outputs(tensor<4xf32>) gradients(tensor<4xf32>) {
  %0 = math.exp %x : tensor<4xf32>
  %y = joint.save %0 : tensor<4xf32>
  %dx = arith.mulf %dy, %y : tensor<4xf32>
  joint.return outputs(%y : tensor<4xf32>) gradients(%dx : tensor<4xf32>)
}

// -----

// Symbolic sizes count by their hints: 8 rows of 4 floats are cheaper than
// 8 rows of 4 doubles.
guard.symbol @s0 range [2, 64] hint 8
func.func private @f(tensor<?x4xf64, #guard.shape<[s0, 4]>>) -> tensor<?x4xf64, #guard.shape<[s0, 4]>>
// CHECK-LABEL: func.func @forward
// CHECK-SAME: joint.saved_bytes = 128 : i64
// ALL: func.func @forward
joint.graph @main
    primals(%x: tensor<?x4xf64, #guard.shape<[s0, 4]>>)
    tangents(%dy: tensor<?x4xf32, #guard.shape<[s0, 4]>>)
    -> outputs(tensor<?x4xf32, #guard.shape<[s0, 4]>>)
    gradients(tensor<?x4xf32, #guard.shape<[s0, 4]>>) {
  %0 = func.call @f(%x) : (tensor<?x4xf64, #guard.shape<[s0, 4]>>) -> tensor<?x4xf64, #guard.shape<[s0, 4]>>
  %y = arith.truncf %0 : tensor<?x4xf64, #guard.shape<[s0, 4]>> to tensor<?x4xf32, #guard.shape<[s0, 4]>>
  %dx = arith.mulf %dy, %y : tensor<?x4xf32, #guard.shape<[s0, 4]>>
  joint.return outputs(%y : tensor<?x4xf32, #guard.shape<[s0, 4]>>)
    gradients(%dx : tensor<?x4xf32, #guard.shape<[s0, 4]>>)
}

// -----

// A value that is only needed by the backward is computed there.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK: math.sin
// CHECK-NOT: math.cos
// CHECK-LABEL: func.func @backward
// CHECK: math.cos
// ALL: func.func @forward
joint.graph @main primals(%x: tensor<4xf32>) tangents(%dy: tensor<4xf32>)
    -> outputs(tensor<4xf32>) gradients(tensor<4xf32>) {
  %y = math.sin %x : tensor<4xf32>
  %c = math.cos %x : tensor<4xf32>
  %dx = arith.mulf %dy, %c : tensor<4xf32>
  joint.return outputs(%y : tensor<4xf32>) gradients(%dx : tensor<4xf32>)
}

// -----

// A gradient of a sum has the sizes of what was summed, which no tensor of the
// backward has: the forward hands them over as numbers.
guard.symbol @s0 range [2, 64] hint 4
guard.symbol @s1 range [2, 64] hint 6

// CHECK-LABEL: func.func @forward
// CHECK-SAME: -> (tensor<?xf32, {{.*}}>, i64 {aten.output = {{.*}}saved
// CHECK: %[[N:.*]] = guard.value <s0> : i64
// CHECK: return %{{.*}}, %[[N]]
// CHECK-LABEL: func.func @backward
// CHECK-SAME: (%[[DY:.*]]: tensor<?xf32, {{[^)]*}}>, %{{.*}}: i64 {aten.input = #aten.input<kind = saved, name = "saved_0", value = #guard.expr<s0>>})
// CHECK: aten.expand(%[[DY]], size = [s0, s1])
// ALL: func.func @forward
joint.graph @main primals(%x: tensor<?x?xf32, #guard.shape<[s0, s1]>>)
    tangents(%dy: tensor<?xf32, #guard.shape<[s1]>>)
    -> outputs(tensor<?xf32, #guard.shape<[s1]>>)
    gradients(tensor<?x?xf32, #guard.shape<[s0, s1]>>) {
  %y = aten.sum.dim_IntList(%x, dim = [0])
      : (tensor<?x?xf32, #guard.shape<[s0, s1]>>)
      -> tensor<?xf32, #guard.shape<[s1]>>
  %dx = aten.expand(%dy, size = [s0, s1])
      : (tensor<?xf32, #guard.shape<[s1]>>)
      -> tensor<?x?xf32, #guard.shape<[s0, s1]>>
  joint.return outputs(%y : tensor<?xf32, #guard.shape<[s1]>>)
      gradients(%dx : tensor<?x?xf32, #guard.shape<[s0, s1]>>)
}

// -----

// Tags of a checkpoint on the ops themselves: what is in a region is run again
// although it could be saved, what a region hands to a later one is saved.
// CHECK-LABEL: func.func @forward
// REMARK: remark: [Passed] saved | {{.*}} | Reason="tagged by the user to be saved", bytes=16, op=math.sin
// REMARK: remark: [Passed] recomputed | {{.*}} | Reason="tagged by the user to be recomputed", op=math.exp
// REMARK: remark: [Passed] recomputed | {{.*}} | Reason="tagged by the user to be recomputed", op=math.log
// CHECK-SAME: joint.saved_bytes = 16 : i64
// CHECK-LABEL: func.func @backward
// CHECK-NOT: math.sin
// CHECK: math.log
// ALL: func.func @forward
joint.graph @main primals(%x: tensor<4xf32>) tangents(%dy: tensor<4xf32>)
    -> outputs(tensor<4xf32>) gradients(tensor<4xf32>) {
  %0 = math.exp %x {kiln.recompute = 1 : i64} : tensor<4xf32>
  %1 = math.sin %0 {kiln.recompute = 1 : i64} : tensor<4xf32>
  %2 = math.log %1 {kiln.recompute = 2 : i64} : tensor<4xf32>
  %3 = math.sin %2 {kiln.save} : tensor<4xf32>
  %4 = arith.mulf %dy, %2 : tensor<4xf32>
  %dx = arith.mulf %4, %0 : tensor<4xf32>
  joint.return outputs(%3 : tensor<4xf32>) gradients(%dx : tensor<4xf32>)
}

// -----

// A sum may add up in another order where it is run again, and then its maximum
// is not found among the new ones: it is saved, whatever the budget.
// CHECK-LABEL: func.func @forward
// REMARK: remark: [Passed] saved | {{.*}} | Reason="compared for equality, may differ in the last bit when run again", bytes=64, op=aten.sum.dim_IntList
// BUDGET: remark: [Missed] over-budget | {{.*}} | budget_bytes=0
// CHECK-SAME: joint.saved_bytes = 68 : i64
// CHECK-LABEL: func.func @backward
// CHECK-NOT: aten.sum.dim_IntList
// CHECK: aten.eq.Tensor
// ALL: func.func @forward
joint.graph @main primals(%x: tensor<16x3xf32>) tangents(%dm: tensor<1xf32>)
    -> outputs(tensor<1xf32>) gradients(tensor<16x3xf32>) {
  %0 = aten.sum.dim_IntList(%x, dim = [1]) : (tensor<16x3xf32>) -> tensor<16xf32>
  %1 = aten.amax(%0, dim = [0], keepdim = true) : (tensor<16xf32>) -> tensor<1xf32>
  %2 = aten.eq.Tensor(%0, %1) : (tensor<16xf32>, tensor<1xf32>) -> tensor<16xi1>
  %3 = aten.mul.Tensor(%dm, %2) : (tensor<1xf32>, tensor<16xi1>) -> tensor<16xf32>
  %4 = aten.mul.Tensor(%3, %0) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %5 = aten.unsqueeze(%4, dim = 1) : (tensor<16xf32>) -> tensor<16x1xf32>
  %dx = aten.expand(%5, size = [16, 3]) : (tensor<16x1xf32>) -> tensor<16x3xf32>
  joint.return outputs(%1 : tensor<1xf32>) gradients(%dx : tensor<16x3xf32>)
}

// -----

// Integers are equal whenever they were.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: joint.saved_bytes = 8 : i64
// CHECK-LABEL: func.func @backward
// CHECK: aten.sum.dim_IntList
// CHECK: aten.eq.Tensor
// ALL: func.func @forward
joint.graph @main primals(%x: tensor<16x3xi64>) tangents(%dm: tensor<1xf32>)
    -> outputs(tensor<1xi64>) gradients(tensor<16xf32>) {
  %0 = aten.sum.dim_IntList(%x, dim = [1]) : (tensor<16x3xi64>) -> tensor<16xi64>
  %1 = aten.amax(%0, dim = [0], keepdim = true) : (tensor<16xi64>) -> tensor<1xi64>
  %2 = aten.eq.Tensor(%0, %1) : (tensor<16xi64>, tensor<1xi64>) -> tensor<16xi1>
  %dx = aten.mul.Tensor(%dm, %2) : (tensor<1xf32>, tensor<16xi1>) -> tensor<16xf32>
  joint.return outputs(%1 : tensor<1xi64>) gradients(%dx : tensor<16xf32>)
}

// -----

// A contraction that kept its own derivative is one, and a norm adds up.
// CHECK-LABEL: func.func @forward
// REMARK: remark: [Passed] saved | {{.*}} | Reason="contraction or the like, not recomputed", bytes=1920, op=aten.conv1d
// REMARK: remark: [Passed] saved | {{.*}} | Reason="compared for equality, may differ in the last bit when run again", bytes=1920, op=aten.native_group_norm
// CHECK-LABEL: func.func @backward
// CHECK-NOT: aten.conv1d
// CHECK-NOT: aten.native_group_norm
// CHECK: aten.eq.Tensor
// ALL: func.func @forward
joint.graph @main primals(%x: tensor<2x4x34xf32>, %w: tensor<8x4x5xf32>)
    tangents(%dy: tensor<2x8x30xf32>) -> outputs(tensor<2x8x1xf32>)
    gradients(tensor<2x8x30xf32>) {
  %0 = aten.conv1d(%x, %w)
      : (tensor<2x4x34xf32>, tensor<8x4x5xf32>) -> tensor<2x8x30xf32>
  %1:3 = aten.native_group_norm(%0, N = 2, C = 8, HxW = 30, group = 2, eps = 1.0e-5)
      : (tensor<2x8x30xf32>)
      -> (tensor<2x8x30xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
  %2 = aten.amax(%1#0, dim = [2], keepdim = true)
      : (tensor<2x8x30xf32>) -> tensor<2x8x1xf32>
  %3 = aten.mul.Tensor(%dy, %0)
      : (tensor<2x8x30xf32>, tensor<2x8x30xf32>) -> tensor<2x8x30xf32>
  %4 = aten.mul.Tensor(%3, %1#0)
      : (tensor<2x8x30xf32>, tensor<2x8x30xf32>) -> tensor<2x8x30xf32>
  %5 = aten.eq.Tensor(%1#0, %2)
      : (tensor<2x8x30xf32>, tensor<2x8x1xf32>) -> tensor<2x8x30xi1>
  %dx = aten.mul.Tensor(%4, %5)
      : (tensor<2x8x30xf32>, tensor<2x8x30xi1>) -> tensor<2x8x30xf32>
  joint.return outputs(%2 : tensor<2x8x1xf32>) gradients(%dx : tensor<2x8x30xf32>)
}

// -----

// Attention that keeps its own derivative is a contraction, too.
// CHECK-LABEL: func.func @forward
// REMARK: remark: [Passed] saved | {{.*}} | Reason="contraction or the like, not recomputed", bytes={{.*}}, op=aten._scaled_dot_product_flash_attention_for_cpu
// CHECK-LABEL: func.func @backward
// CHECK-NOT: aten._scaled_dot_product_flash_attention_for_cpu(
// CHECK: aten._scaled_dot_product_flash_attention_for_cpu_backward(
// ALL: func.func @forward
joint.graph @main primals(%x: tensor<1x2x64x16xf32>) tangents(%dy: tensor<1x2x64x16xf32>)
    -> outputs(tensor<1x2x64x16xf32>) gradients(tensor<1x2x64x16xf32>) {
  %e = aten.exp(%x) : (tensor<1x2x64x16xf32>) -> tensor<1x2x64x16xf32>
  %0:2 = aten._scaled_dot_product_flash_attention_for_cpu(%e, %e, %e)
      : (tensor<1x2x64x16xf32>, tensor<1x2x64x16xf32>, tensor<1x2x64x16xf32>)
      -> (tensor<1x2x64x16xf32>, tensor<1x2x64xf32>)
  %y = aten.mul.Tensor(%0#0, %0#0) : (tensor<1x2x64x16xf32>, tensor<1x2x64x16xf32>) -> tensor<1x2x64x16xf32>
  %b = aten.mul.Tensor(%dy, %0#0) : (tensor<1x2x64x16xf32>, tensor<1x2x64x16xf32>) -> tensor<1x2x64x16xf32>
  %g:3 = aten._scaled_dot_product_flash_attention_for_cpu_backward(%b, %e, %e, %e, %0#0, %0#1, dropout_p = 0.0, is_causal = false) : (tensor<1x2x64x16xf32>, tensor<1x2x64x16xf32>, tensor<1x2x64x16xf32>, tensor<1x2x64x16xf32>, tensor<1x2x64x16xf32>, tensor<1x2x64xf32>) -> (tensor<1x2x64x16xf32>, tensor<1x2x64x16xf32>, tensor<1x2x64x16xf32>)
  joint.return outputs(%y : tensor<1x2x64x16xf32>) gradients(%g#0 : tensor<1x2x64x16xf32>)
}

// -----

// Floats are compared bit by bit with integers as well,
// CHECK-LABEL: func.func @forward
// REMARK: remark: [Passed] saved | {{.*}} | Reason="compared for equality, may differ in the last bit when run again", bytes=64, op=aten.sum.dim_IntList
// CHECK-LABEL: func.func @backward
// CHECK-NOT: aten.sum.dim_IntList
// ALL: func.func @forward
joint.graph @main primals(%x: tensor<16x3xf32>, %n: tensor<16xi64>) tangents(%dm: tensor<16xf32>)
    -> outputs(tensor<16xf32>) gradients(tensor<16xf32>) {
  %0 = aten.sum.dim_IntList(%x, dim = [1]) : (tensor<16x3xf32>) -> tensor<16xf32>
  %1 = aten.eq.Tensor(%0, %n) : (tensor<16xf32>, tensor<16xi64>) -> tensor<16xi1>
  %2 = aten.mul.Tensor(%0, %1) : (tensor<16xf32>, tensor<16xi1>) -> tensor<16xf32>
  %3 = aten.mul.Tensor(%dm, %1) : (tensor<16xf32>, tensor<16xi1>) -> tensor<16xf32>
  %4 = aten.mul.Tensor(%3, %0) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  joint.return outputs(%2 : tensor<16xf32>) gradients(%4 : tensor<16xf32>)
}

// -----

// and with a number.
// CHECK-LABEL: func.func @forward
// REMARK: remark: [Passed] saved | {{.*}} | Reason="compared for equality, may differ in the last bit when run again", bytes=64, op=aten.sum.dim_IntList
// CHECK-LABEL: func.func @backward
// CHECK-NOT: aten.sum.dim_IntList
// ALL: func.func @forward
joint.graph @main primals(%x: tensor<16x3xf32>) tangents(%dm: tensor<16xf32>)
    -> outputs(tensor<16xf32>) gradients(tensor<16xf32>) {
  %0 = aten.sum.dim_IntList(%x, dim = [1]) : (tensor<16x3xf32>) -> tensor<16xf32>
  %z = arith.constant 0.0 : f64
  %1 = aten.eq.Scalar(%0, %z) : (tensor<16xf32>, f64) -> tensor<16xi1>
  %2 = aten.mul.Tensor(%0, %1) : (tensor<16xf32>, tensor<16xi1>) -> tensor<16xf32>
  %3 = aten.mul.Tensor(%dm, %1) : (tensor<16xf32>, tensor<16xi1>) -> tensor<16xf32>
  %4 = aten.mul.Tensor(%3, %0) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  joint.return outputs(%2 : tensor<16xf32>) gradients(%4 : tensor<16xf32>)
}

// -----

// What is compared with infinity is the same in any order.
// CHECK-LABEL: func.func @forward
// CHECK-LABEL: func.func @backward
// CHECK: aten.sum.dim_IntList
// ALL: func.func @forward
joint.graph @main primals(%x: tensor<16x3xf32>) tangents(%dm: tensor<16xf32>)
    -> outputs(tensor<16xf32>) gradients(tensor<16xf32>) {
  %0 = aten.sum.dim_IntList(%x, dim = [1]) : (tensor<16x3xf32>) -> tensor<16xf32>
  %z = arith.constant 0xFFF0000000000000 : f64
  %1 = aten.eq.Scalar(%0, %z) : (tensor<16xf32>, f64) -> tensor<16xi1>
  %2 = aten.mul.Tensor(%0, %1) : (tensor<16xf32>, tensor<16xi1>) -> tensor<16xf32>
  %3 = aten.mul.Tensor(%dm, %1) : (tensor<16xf32>, tensor<16xi1>) -> tensor<16xf32>
  %4 = aten.mul.Tensor(%3, %0) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  joint.return outputs(%2 : tensor<16xf32>) gradients(%4 : tensor<16xf32>)
}

// -----

// Statistics of a batch are not taken again: whoever reads the result of a batch norm would
// have to wait for two passes over all of its operand.
// CHECK-LABEL: func.func @forward
// CHECK: aten._native_batch_norm_legit
// CHECK-LABEL: func.func @backward
// CHECK-NOT: aten._native_batch_norm_legit
joint.graph @main primals(%x: tensor<8x4x6x6xf32>) tangents(%dy: tensor<8x4x6x6xf32>)
    -> outputs(tensor<8x4x6x6xf32>) gradients(tensor<8x4x6x6xf32>) {
  %y:3 = aten._native_batch_norm_legit.no_stats(%x, training = true, momentum = 1.000000e-01, eps = 1.000000e-05) : (tensor<8x4x6x6xf32>) -> (tensor<8x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>)
  %z = math.exp %y#0 : tensor<8x4x6x6xf32>
  %dz = arith.mulf %dy, %z : tensor<8x4x6x6xf32>
  joint.return outputs(%z : tensor<8x4x6x6xf32>) gradients(%dz : tensor<8x4x6x6xf32>)
}

// -----

// Nobody waits for running statistics: a norm by them is pointwise.
// CHECK-LABEL: func.func @forward
// CHECK-SAME: joint.saved_bytes = 0 : i64
// CHECK-LABEL: func.func @backward
// CHECK: aten.native_batch_norm
// CHECK: aten._native_batch_norm_legit_functional
joint.graph @main
    primals(%x: tensor<8x4x6x6xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>)
    tangents(%dy: tensor<8x4x6x6xf32>)
    -> outputs(tensor<8x4x6x6xf32>) gradients(tensor<8x4x6x6xf32>) {
  %y:3 = aten.native_batch_norm(%x, running_mean = %m, running_var = %v, training = false, momentum = 1.000000e-01, eps = 1.000000e-05) : (tensor<8x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<8x4x6x6xf32>, tensor<0xf32>, tensor<0xf32>)
  %u:5 = aten._native_batch_norm_legit_functional(%y#0, %m, %v, training = false, momentum = 1.000000e-01, eps = 1.000000e-05) : (tensor<8x4x6x6xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<8x4x6x6xf32>, tensor<0xf32>, tensor<0xf32>, tensor<4xf32>, tensor<4xf32>)
  %z = math.exp %u#0 : tensor<8x4x6x6xf32>
  %dz = arith.mulf %dy, %z : tensor<8x4x6x6xf32>
  joint.return outputs(%z : tensor<8x4x6x6xf32>) gradients(%dz : tensor<8x4x6x6xf32>)
}

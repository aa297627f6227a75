// RUN: kiln-opt %s --kiln-loop=chip=sm_90a --convert-loop-to-nvvm | FileCheck %s

// Of elements as they are sorted in PyTorch, threads find the first among the floats and not
// among their keys: in pairs, where these have 16 bits.

// CHECK: llvm.func @fused_topk_0(
// CHECK: scf.for
// CHECK-NOT: arith.minsi
// CHECK: arith.maximumf {{.*}} : vector<2xbf16>
// CHECK: nvvm.barrier #nvvm.reduction<popc>
// CHECK: llvm.func @fused_topk_2(
// CHECK: scf.for
// CHECK-NOT: arith.minsi
// CHECK: arith.minnumf {{.*}} : vector<2xf16>
// CHECK: nvvm.barrier #nvvm.reduction<popc>
// CHECK: llvm.func @fused_topk_4(
// CHECK: scf.for
// CHECK-NOT: arith.minsi
// CHECK: arith.maximumf {{.*}} : f32
// CHECK: nvvm.barrier #nvvm.reduction<popc>
func.func @main(%x: tensor<64x32000xbf16>, %y: tensor<64x32000xf16>, %z: tensor<64x32000xf32>)
    -> (tensor<64x50xbf16>, tensor<64x50xf16>, tensor<64x50xf32>) {
  %0:2 = aten.topk(%x, k = 50) : (tensor<64x32000xbf16>) -> (tensor<64x50xbf16>, tensor<64x50xi64>)
  %1:2 = aten.topk(%y, k = 50, largest = false) : (tensor<64x32000xf16>) -> (tensor<64x50xf16>, tensor<64x50xi64>)
  %2:2 = aten.topk(%z, k = 50) : (tensor<64x32000xf32>) -> (tensor<64x50xf32>, tensor<64x50xi64>)
  return %0#0, %1#0, %2#0 : tensor<64x50xbf16>, tensor<64x50xf16>, tensor<64x50xf32>
}

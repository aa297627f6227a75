// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-schedule \
// RUN:   --convert-loop-to-nvvm | FileCheck %s

// Heads, of 64 elements each, that stand in another order, and three tensors behind each
// other whose boundaries are multiples of the lanes: a thread's eight neighbours are of one
// head and of one tensor, so they are vectors, behind one comparison.

// CHECK-LABEL: llvm.func @heads(
// CHECK-NOT: masked
// CHECK-NOT: vector<8xi1>
// CHECK: arith.cmpi sge, %{{.*}}, %{{.*}} : index
// CHECK: scf.if
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK: scf.if
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK-NOT: masked
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xbf16>
!q = tensor<8x12x512x64xbf16>
!o = tensor<4096x1536xbf16>
func.func @heads(%x: !q, %y: !q) -> !o {
  %r = loop.kernel @heads ins(%a = %x : !q, %b = %y : !q) shared [4096, 1536] -> !o {
    %p = loop.pointwise (%i, %j) in [4096, 1536] : !o {
      %zero = arith.constant 0.0 : bf16
      %end = arith.constant 768 : index
      %first = arith.cmpi slt, %j, %end : index
      %second = arith.cmpi sge, %j, %end : index
      %e = loop.load %a[floordiv(%i, 512), floordiv(%j, 64), mod(%i, 512), mod(%j, 64)] mask %first, %zero : !q
      %f = loop.load %b[floordiv(%i, 512), floordiv(%j - 768, 64), mod(%i, 512), mod(%j - 768, 64)] mask %second, %zero : !q
      %g = arith.select %first, %e, %f : bf16
      loop.yield %g : bf16
    }
    loop.return %p : !o
  }
  return %r : !o
}

// Boundaries at other places are in the midst of vectors.

// CHECK-LABEL: llvm.func @odd_heads(
// CHECK: vector<{{.*}}xi1>
func.func @odd_heads(%x: tensor<4096x60xbf16>, %y: tensor<4096x1024xbf16>) -> tensor<4096x1024xbf16> {
  %r = loop.kernel @odd_heads ins(%a = %x : tensor<4096x60xbf16>, %b = %y : tensor<4096x1024xbf16>)
      shared [4096, 1024] -> tensor<4096x1024xbf16> {
    %p = loop.pointwise (%i, %j) in [4096, 1024] : tensor<4096x1024xbf16> {
      %zero = arith.constant 0.0 : bf16
      %end = arith.constant 60 : index
      %first = arith.cmpi slt, %j, %end : index
      %e = loop.load %a[%i, %j] mask %first, %zero : tensor<4096x60xbf16>
      %f = loop.load %b[%i, %j] : tensor<4096x1024xbf16>
      %g = arith.addf %e, %f : bf16
      loop.yield %g : bf16
    }
    loop.return %p : tensor<4096x1024xbf16>
  }
  return %r : tensor<4096x1024xbf16>
}

// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-schedule \
// RUN:   --convert-loop-to-nvvm | FileCheck %s

// A transpose: vectors along both sides, and padded rows in between. Sizes that tiles
// do not divide are read again from the end, and not written.

// CHECK: func.func @transpose
// CHECK: #loop.step<kernel = @transpose, {{.*}}blocks = <272>, threads = 256>
// CHECK-SAME: #loop.gpu_tile<threads = 256, lanes = 4, side = 64, dim = 0>
// CHECK: llvm.mlir.global internal @transpose_tile() {addr_space = 3 : i32{{.*}}} : !llvm.array<4160 x f32>
// CHECK: llvm.func @transpose(
// CHECK: arith.minsi
// CHECK-COUNT-4: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-COUNT-16: llvm.store %{{.*}} : f32, !llvm.ptr<3>
// CHECK-NEXT: nvvm.barrier0
// CHECK: scf.if
// CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
func.func @transpose(%x: tensor<1024x1028xf32>) -> tensor<1028x1024xf32> {
  %r = loop.kernel @transpose ins(%a = %x : tensor<1024x1028xf32>) shared [1028, 1024] -> tensor<1028x1024xf32> {
    %p = loop.pointwise (%i, %j) in [1028, 1024] : tensor<1028x1024xf32> {
      %e = loop.load %a[%j, %i] : tensor<1024x1028xf32>
      loop.yield %e : f32
    }
    loop.return %p : tensor<1028x1024xf32>
  }
  return %r : tensor<1028x1024xf32>
}

// Places of an image are walked as one, so vectors begin where they do and not where its rows do.

// CHECK: llvm.func @image(
// CHECK: nvvm.barrier0
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr<1>
func.func @image(%x: tensor<4x28x28x64xbf16>) -> tensor<4x64x28x28xbf16> {
  %r = loop.kernel @image ins(%a = %x : tensor<4x28x28x64xbf16>) shared [4, 64, 28, 28] -> tensor<4x64x28x28xbf16> {
    %p = loop.pointwise (%n, %c, %i, %j) in [4, 64, 28, 28] : tensor<4x64x28x28xbf16> {
      %e = loop.load %a[%n, %i, %j, %c] : tensor<4x28x28x64xbf16>
      loop.yield %e : bf16
    }
    loop.return %p : tensor<4x64x28x28xbf16>
  }
  return %r : tensor<4x64x28x28xbf16>
}

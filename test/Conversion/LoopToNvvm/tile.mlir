// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-schedule \
// RUN:   --convert-loop-to-nvvm | FileCheck %s
// RUN: kiln-opt %s --kiln-gpu=chip=sm_90a \
// RUN:   | kiln-translate --gpu-to-ptx - | FileCheck %s --check-prefix=PTX

// A transpose: vectors along both sides, and padded rows in between. Sizes that tiles
// do not divide are read again from the end, and not written.

// CHECK: func.func @transpose
// CHECK: #loop.step<kernel = @transpose, {{.*}}blocks = <272>, threads = 256>
// CHECK-SAME: #loop.gpu_tile<threads = 256, lanes = 4, side = 64, dim = 0>
// CHECK: func.func @windows
// CHECK: #loop.step<kernel = @windows, {{.*}}blocks = <4992>, threads = 128>
// CHECK-SAME: #loop.gpu_tile<threads = 128, lanes = 8, side = 64, dim = 1, points = 4>
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

// Windows of channels that are last in the image and first in the result: four neighbours of eight
// channels are computed together, as by a thread for itself, from six vectors of a row and three of
// weights. Two neighbours are a word of shared memory, of rows that begin in other banks. Images are
// rows of 784 places there, whose last tile has fewer.

// CHECK: llvm.mlir.global internal @windows_tile() {addr_space = 3 : i32{{.*}}} : !llvm.array<4224 x bf16>
// CHECK: llvm.func @windows(
// CHECK: arith.minsi
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK: scf.yield
// CHECK-NOT: !llvm.ptr<1>
// CHECK-COUNT-16: llvm.store %{{.*}} {alignment = 4 : i64} : vector<2xbf16>, !llvm.ptr<3>
// CHECK-NEXT: nvvm.barrier0
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> vector<2xbf16>
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr<1>
// PTX: .visible .entry windows(
// PTX-COUNT-9: ld.global.nc.v4
// PTX-NOT: ld.global
// PTX: bra
// PTX-COUNT-16: st.shared.b32
// PTX-NOT: st.shared
// PTX: bar.sync
// PTX-COUNT-4: ld.shared.b32
// PTX: st.global.v4.b32
func.func @windows(%x: tensor<64x28x28x384xbf16>, %w: tensor<3x3x384xbf16>) -> tensor<64x384x28x28xbf16> {
  %r = loop.kernel @windows ins(%a = %x : tensor<64x28x28x384xbf16>, %b = %w : tensor<3x3x384xbf16>)
      shared [64, 384, 28, 28] -> tensor<64x384x28x28xbf16> {
    %c = loop.contract parallel [64, 384, 28, 28] reduction [3, 3]
        lhs %a[d0, d2 + d4 - 1, d3 + d5 - 1, d1] : tensor<64x28x28x384xbf16>
        mask and(and(le(1, d2 + d4), lt(d2 + d4, 29)), and(le(1, d3 + d5), lt(d3 + d5, 29)))
        rhs %b[d4, d5, d1] : tensor<3x3x384xbf16> mask 1
        acc f32 : tensor<64x384x28x28xbf16>
    loop.return %c : tensor<64x384x28x28xbf16>
  }
  return %r : tensor<64x384x28x28xbf16>
}

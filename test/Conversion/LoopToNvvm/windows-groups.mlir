// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-schedule \
// RUN:   --convert-loop-to-nvvm | FileCheck %s
// RUN: kiln-opt %s --kiln-gpu=chip=sm_90a \
// RUN:   | kiln-translate --gpu-to-ptx - | FileCheck %s --check-prefix=PTX

// CHECK-LABEL: func.func @groups
// CHECK: schedule = #loop.gpu_across<threads = 256, lanes = 8, sum_block = 128, points = 7>
// CHECK-LABEL: func.func @row
// CHECK: schedule = #loop.gpu_across<threads = 256, lanes = 1, sum_block = 128>
// CHECK-LABEL: func.func @few
// CHECK: schedule = #loop.gpu_product
// CHECK-LABEL: func.func @gradient
// CHECK: schedule = #loop.gpu_rows<threads = 256, rows = 1, lanes = 4, steps = 4>

// Groups of four channels: a thread has eight, which read those of two groups, one vector of
// the image at each place for all that is summed up there, and four of weights for all points.
//
// CHECK: llvm.func @groups(
// CHECK-NOT: scf.if
// CHECK: %[[IMAGE:.*]] = llvm.load %{{.*}} invariant {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
// CHECK: vector.shuffle %[[IMAGE]], %[[IMAGE]] [0, 0, 0, 0, 4, 4, 4, 4] : vector<8xbf16>
// CHECK: vector.shuffle %{{.*}} [1, 1, 1, 1, 5, 5, 5, 5] : vector<8xbf16>
// CHECK: vector.shuffle %{{.*}} [3, 3, 3, 3, 7, 7, 7, 7] : vector<8xbf16>
// PTX: .visible .entry groups(
// PTX-COUNT-11: ld.global.nc.v4
// PTX-NOT: ld.global
// PTX: bra
func.func @groups(%x: tensor<32x56x56x128xbf16>, %w: tensor<4x3x3x128xbf16>) -> tensor<32x56x56x128xbf16> {
  %r = loop.kernel @groups ins(%a = %x : tensor<32x56x56x128xbf16>, %b = %w : tensor<4x3x3x128xbf16>)
      shared [32, 56, 56, 128] -> tensor<32x56x56x128xbf16> {
    %c = loop.contract parallel [32, 56, 56, 128] reduction [3, 3, 4]
        lhs %a[d0, d1 + d4 - 1, d2 + d5 - 1, floordiv(d3, 4) * 4 + d6] : tensor<32x56x56x128xbf16>
        mask and(and(le(1, d1 + d4), lt(d1 + d4, 57)), and(le(1, d2 + d5), lt(d2 + d5, 57)))
        rhs %b[d6, d4, d5, d3] : tensor<4x3x3x128xbf16> mask 1
        acc f32 : tensor<32x56x56x128xbf16>
    loop.return %c : tensor<32x56x56x128xbf16>
  }
  return %r : tensor<32x56x56x128xbf16>
}

// Channels of their own that are first: matrices of one row, of which matrix units would
// multiply 16. A thread has an element, and no branch around what it reads.
//
// CHECK: llvm.func @row(
// CHECK-NOT: scf.if
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : !llvm.ptr<1>
// CHECK: llvm.return
func.func @row(%x: tensor<8x256x1000xf32>, %w: tensor<256x31xf32>) -> tensor<8x256x1000xf32> {
  %r = loop.kernel @row ins(%a = %x : tensor<8x256x1000xf32>, %b = %w : tensor<256x31xf32>)
      shared [8, 256, 1000] -> tensor<8x256x1000xf32> {
    %c = loop.contract parallel [8, 256, 1000] reduction [31]
        lhs %a[d0, d1, d2 + d3 - 15] : tensor<8x256x1000xf32>
        mask and(le(15, d2 + d3), lt(d2 + d3, 1015))
        rhs %b[d1, d3] : tensor<256x31xf32> mask 1
        acc f32 : tensor<8x256x1000xf32>
    loop.return %c : tensor<8x256x1000xf32>
  }
  return %r : tensor<8x256x1000xf32>
}

// So few of them that the machine is not full, with a longer sum, stay a product.
func.func @few(%x: tensor<2x16x1000xf32>, %w: tensor<16x31xf32>) -> tensor<2x16x1000xf32> {
  %r = loop.kernel @few ins(%a = %x : tensor<2x16x1000xf32>, %b = %w : tensor<16x31xf32>)
      shared [2, 16, 1000] -> tensor<2x16x1000xf32> {
    %c = loop.contract parallel [2, 16, 1000] reduction [31]
        lhs %a[d0, d1, d2 + d3 - 15] : tensor<2x16x1000xf32>
        mask and(le(15, d2 + d3), lt(d2 + d3, 1015))
        rhs %b[d1, d3] : tensor<16x31xf32> mask 1
        acc f32 : tensor<2x16x1000xf32>
    loop.return %c : tensor<2x16x1000xf32>
  }
  return %r : tensor<2x16x1000xf32>
}

// Lanes that have their own masks: what is outside is read from the first element.
//
// CHECK: llvm.func @gradient(
// CHECK-NOT: llvm.intr.masked.load
// CHECK: %[[AT:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : !llvm.ptr<1>
// CHECK-NEXT: llvm.load %[[AT]] invariant {alignment = 4 : i64} : !llvm.ptr<1> -> f32
// CHECK: llvm.return
func.func @gradient(%x: tensor<4x144x28x28xf32>, %y: tensor<4x144x28x28xf32>) -> tensor<144x3x3xf32> {
  %r = loop.kernel @gradient ins(%a = %x : tensor<4x144x28x28xf32>, %b = %y : tensor<4x144x28x28xf32>)
      shared [144, 3, 3] -> tensor<144x3x3xf32> {
    %c = loop.reduce parallel (%c, %u, %v) in [144, 3, 3] reduction (%n, %h, %w) in [4, 28, 28] <sum>
        : tensor<144x3x3xf32> {
      %g = loop.load %b[%n, %c, %h, %w] : tensor<4x144x28x28xf32>
      %i = loop.index (and(le(1, %u + %h), lt(%u + %h, 29), le(1, %v + %w), lt(%v + %w, 29)))
      %one = arith.constant 1 : index
      %inside = arith.cmpi eq, %i, %one : index
      %zero = arith.constant 0.0 : f32
      %e = loop.load %a[%n, %c, %u + %h - 1, %v + %w - 1] mask %inside, %zero : tensor<4x144x28x28xf32>
      %p = arith.mulf %g, %e : f32
      loop.yield %p : f32
    }
    loop.return %c : tensor<144x3x3xf32>
  }
  return %r : tensor<144x3x3xf32>
}

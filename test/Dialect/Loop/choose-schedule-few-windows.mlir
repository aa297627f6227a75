// RUN: kiln-opt %s --loop-choose-schedule | FileCheck %s
// RUN: kiln-opt %s --loop-choose-layout | FileCheck %s --check-prefix=LAYOUT

// Three channels made of windows fill little of a vector: lanes walk the image where its rows
// are neighbours, and the sum where its channels are. More are packed, and so is what is no
// window, which is read once.

// CHECK-LABEL: func.func @first
// CHECK: loop.kernel @first {{.*}} schedule #loop.across<lanes = 32
// CHECK-LABEL: func.func @last
// CHECK: loop.kernel @last {{.*}} schedule #loop.within<along = [16]
// CHECK-LABEL: func.func @more
// CHECK: loop.kernel @more {{.*}} schedule #loop.packed<
// CHECK-LABEL: func.func @single
// CHECK: loop.kernel @single {{.*}} schedule #loop.skinny_rows<
!x = tensor<1x64x130x130xf32>
!l = tensor<1x130x130x64xf32>
func.func @first(%x: !x, %w: tensor<3x64x3x3xf32>) -> tensor<1x3x128x128xf32> {
  %r = loop.kernel @first ins(%a = %x : !x, %b = %w : tensor<3x64x3x3xf32>)
      shared [1, 3, 128, 128] -> tensor<1x3x128x128xf32> {
    %c = loop.contract parallel [1, 3, 128, 128] reduction [64, 3, 3]
        lhs %a[d0, d4, d2 + d5, d3 + d6] : !x rhs %b[d1, d4, d5, d6] : tensor<3x64x3x3xf32>
        acc f32 : tensor<1x3x128x128xf32>
    loop.return %c : tensor<1x3x128x128xf32>
  }
  return %r : tensor<1x3x128x128xf32>
}

func.func @last(%x: !l, %w: tensor<3x3x3x64xf32>) -> tensor<1x128x128x3xf32> {
  %r = loop.kernel @last ins(%a = %x : !l, %b = %w : tensor<3x3x3x64xf32>)
      shared [1, 128, 128, 3] -> tensor<1x128x128x3xf32> {
    %c = loop.contract parallel [1, 128, 128, 3] reduction [3, 3, 64]
        lhs %a[d0, d1 + d4, d2 + d5, d6] : !l rhs %b[d3, d4, d5, d6] : tensor<3x3x3x64xf32>
        acc f32 : tensor<1x128x128x3xf32>
    loop.return %c : tensor<1x128x128x3xf32>
  }
  return %r : tensor<1x128x128x3xf32>
}

func.func @more(%x: !l, %w: tensor<8x3x3x64xf32>) -> tensor<1x128x128x8xf32> {
  %r = loop.kernel @more ins(%a = %x : !l, %b = %w : tensor<8x3x3x64xf32>)
      shared [1, 128, 128, 8] -> tensor<1x128x128x8xf32> {
    %c = loop.contract parallel [1, 128, 128, 8] reduction [3, 3, 64]
        lhs %a[d0, d1 + d4, d2 + d5, d6] : !l rhs %b[d3, d4, d5, d6] : tensor<8x3x3x64xf32>
        acc f32 : tensor<1x128x128x8xf32>
    loop.return %c : tensor<1x128x128x8xf32>
  }
  return %r : tensor<1x128x128x8xf32>
}

func.func @single(%x: !x, %w: tensor<3x64x1x1xf32>) -> tensor<1x3x130x130xf32> {
  %r = loop.kernel @single ins(%a = %x : !x, %b = %w : tensor<3x64x1x1xf32>)
      shared [1, 3, 130, 130] -> tensor<1x3x130x130xf32> {
    %c = loop.contract parallel [1, 3, 130, 130] reduction [64, 1, 1]
        lhs %a[d0, d4, d2 + d5, d3 + d6] : !x rhs %b[d1, d4, d5, d6] : tensor<3x64x1x1xf32>
        acc f32 : tensor<1x3x130x130xf32>
    loop.return %c : tensor<1x3x130x130xf32>
  }
  return %r : tensor<1x3x130x130xf32>
}

// An image that a caller gives with its channels first is not turned for them; for eight it is.

// LAYOUT-LABEL: func.func @few
// LAYOUT-NOT: loop.pointwise
// LAYOUT: loop.contract parallel [1, 3, 128, 128] reduction [64, 3, 3]
// LAYOUT-SAME: lhs %arg0[d0, d4, d2 + d5, d3 + d6]
// LAYOUT-LABEL: func.func @eight
// LAYOUT: loop.pointwise (%i, %j, %k, %l) in [1, 130, 130, 64]
// LAYOUT: loop.contract parallel [1, 128, 128, 8] reduction [3, 3, 64]
func.func @few(%x: !x, %w: tensor<3x64x3x3xf32>) -> tensor<1x3x128x128xf32> {
  %c = loop.contract parallel [1, 3, 128, 128] reduction [64, 3, 3]
      lhs %x[d0, d4, d2 + d5, d3 + d6] : !x rhs %w[d1, d4, d5, d6] : tensor<3x64x3x3xf32>
      acc f32 : tensor<1x3x128x128xf32>
  return %c : tensor<1x3x128x128xf32>
}

func.func @eight(%x: !x, %w: tensor<8x64x3x3xf32>) -> tensor<1x8x128x128xf32> {
  %c = loop.contract parallel [1, 8, 128, 128] reduction [64, 3, 3]
      lhs %x[d0, d4, d2 + d5, d3 + d6] : !x rhs %w[d1, d4, d5, d6] : tensor<8x64x3x3xf32>
      acc f32 : tensor<1x8x128x128xf32>
  return %c : tensor<1x8x128x128xf32>
}

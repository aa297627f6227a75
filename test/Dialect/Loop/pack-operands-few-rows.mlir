// RUN: kiln-opt %s --loop-set-target=chip=sm_80 --loop-pack-operands | FileCheck %s

// Steps of a recurrence read one matrix across their sums: it is turned once for all of them.

// CHECK-LABEL: func.func @steps
// CHECK: %[[T:.*]] = loop.kernel @a_right ins(%{{.*}} = %arg1 : tensor<512x128xf32>) shared [128, 512]
// CHECK: loop.load %{{.*}}[%j, %i] : tensor<512x128xf32>
// CHECK: loop.kernel @a
// CHECK: rhs %{{.*}}[d1, d2] : tensor<128x512xf32>
// CHECK: loop.kernel @b {{.*}} = %[[T]] : tensor<128x512xf32>
// CHECK: rhs %{{.*}}[d1, d2] : tensor<128x512xf32>
func.func @steps(%x: tensor<8x512xf32>, %w: tensor<512x128xf32>, %y: tensor<8x512xf32>)
    -> (tensor<8x128xf32>, tensor<8x128xf32>) {
  %r = loop.kernel @a ins(%a = %x : tensor<8x512xf32>, %b = %w : tensor<512x128xf32>)
      shared [8, 128] -> tensor<8x128xf32> {
    %c = loop.contract parallel [8, 128] reduction [512]
        lhs %a[d0, d2] : tensor<8x512xf32> rhs %b[d2, d1] : tensor<512x128xf32>
        acc f32 : tensor<8x128xf32>
    loop.return %c : tensor<8x128xf32>
  }
  %s = loop.kernel @b ins(%a = %y : tensor<8x512xf32>, %b = %w : tensor<512x128xf32>)
      shared [8, 128] -> tensor<8x128xf32> {
    %c = loop.contract parallel [8, 128] reduction [512]
        lhs %a[d0, d2] : tensor<8x512xf32> rhs %b[d2, d1] : tensor<512x128xf32>
        acc f32 : tensor<8x128xf32>
    loop.return %c : tensor<8x128xf32>
  }
  return %r, %s : tensor<8x128xf32>, tensor<8x128xf32>
}

// Many rows are a product in tiles, whatever the order.

// CHECK-LABEL: func.func @rows
// CHECK-NOT: _right
func.func @rows(%x: tensor<4096x512xf32>, %w: tensor<512x512xf32>) -> tensor<4096x512xf32> {
  %r = loop.kernel @c ins(%a = %x : tensor<4096x512xf32>, %b = %w : tensor<512x512xf32>)
      shared [4096, 512] -> tensor<4096x512xf32> {
    %c = loop.contract parallel [4096, 512] reduction [512]
        lhs %a[d0, d2] : tensor<4096x512xf32> rhs %b[d2, d1] : tensor<512x512xf32>
        acc f32 : tensor<4096x512xf32>
    loop.return %c : tensor<4096x512xf32>
  }
  return %r : tensor<4096x512xf32>
}

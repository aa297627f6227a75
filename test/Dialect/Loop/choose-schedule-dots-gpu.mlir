// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-schedule | FileCheck %s

// A step of a recurrence has eight rows: threads that share the sum of an element have read
// both factors sooner than tiles of so few rows, in parts of a sum, are filled and joined. Of
// more columns each would be read too often.

// CHECK-LABEL: func.func @step
// CHECK: loop.kernel @step {{.*}} schedule #loop.gpu_rows<threads = 16, rows = 8, lanes = 4, steps = 4>
// CHECK-LABEL: func.func @vocabulary
// CHECK: loop.kernel @vocabulary {{.*}} schedule #loop.gpu_product<unit = fma
// CHECK-LABEL: func.func @turned
// CHECK: loop.kernel @turned {{.*}} schedule #loop.gpu_product<unit = fma
func.func @step(%x: tensor<8x256xf32>, %w: tensor<256x256xf32>) -> tensor<8x256xf32> {
  %r = loop.kernel @step ins(%a = %x : tensor<8x256xf32>, %b = %w : tensor<256x256xf32>)
      shared [8, 256] -> tensor<8x256xf32> {
    %c = loop.contract parallel [8, 256] reduction [256]
        lhs %a[d0, d2] : tensor<8x256xf32> rhs %b[d1, d2] : tensor<256x256xf32>
        acc f32 : tensor<8x256xf32>
    loop.return %c : tensor<8x256xf32>
  }
  return %r : tensor<8x256xf32>
}

func.func @vocabulary(%x: tensor<8x1024xf32>, %w: tensor<32000x1024xf32>) -> tensor<8x32000xf32> {
  %r = loop.kernel @vocabulary ins(%a = %x : tensor<8x1024xf32>, %b = %w : tensor<32000x1024xf32>)
      shared [8, 32000] -> tensor<8x32000xf32> {
    %c = loop.contract parallel [8, 32000] reduction [1024]
        lhs %a[d0, d2] : tensor<8x1024xf32> rhs %b[d1, d2] : tensor<32000x1024xf32>
        acc f32 : tensor<8x32000xf32>
    loop.return %c : tensor<8x32000xf32>
  }
  return %r : tensor<8x32000xf32>
}

// Neighbours of the weights are not along the sum.
func.func @turned(%x: tensor<8x256xf32>, %w: tensor<256x256xf32>) -> tensor<8x256xf32> {
  %r = loop.kernel @turned ins(%a = %x : tensor<8x256xf32>, %b = %w : tensor<256x256xf32>)
      shared [8, 256] -> tensor<8x256xf32> {
    %c = loop.contract parallel [8, 256] reduction [256]
        lhs %a[d0, d2] : tensor<8x256xf32> rhs %b[d2, d1] : tensor<256x256xf32>
        acc f32 : tensor<8x256xf32>
    loop.return %c : tensor<8x256xf32>
  }
  return %r : tensor<8x256xf32>
}

// RUN: kiln-opt %s --loop-autotune=libraries=cudnn,cublas --split-input-file | FileCheck %s
// RUN: kiln-opt %s --loop-autotune=libraries=cublas --split-input-file | FileCheck %s --check-prefix=NONE

// Convolutions that a library has get one more candidate: the default beside the library, which
// who asks for another one does not get.

// NONE-NOT: library = cudnn

#gpu = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>
#tiles = #loop.gpu_product<unit = mma, rows = 64, columns = 64, sum = 64, part_rows = 32, part_columns = 32, stages = 3, lanes = 8, group = 8, split = 1>

// CHECK-LABEL: func.func @forward
// CHECK: loop.wanted = [#loop.gpu_product<unit = mma, rows = 64, columns = 64, sum = 64, part_rows = 32, part_columns = 32, stages = 3, lanes = 8, group = 8, split = 1>,
// CHECK-SAME: #loop.gpu_product<unit = mma, rows = 64, columns = 64, sum = 64, part_rows = 32, part_columns = 32, stages = 3, lanes = 8, group = 8, split = 1, library = cudnn>]
// CHECK-LABEL: func.func @pointwise
module attributes {loop.target = #gpu} {
  func.func @forward(%x: tensor<8x28x28x64xbf16>, %w: tensor<128x3x3x64xbf16>) -> tensor<8x28x28x128xbf16> {
    %r = loop.kernel @k ins(%a = %x : tensor<8x28x28x64xbf16>, %b = %w : tensor<128x3x3x64xbf16>) shared [] schedule #tiles -> tensor<8x28x28x128xbf16> {
      %c = loop.contract parallel [8, 28, 28, 128] reduction [3, 3, 64] lhs %a[d0, d1 + d4 - 1, d2 + d5 - 1, d6] : tensor<8x28x28x64xbf16> mask and(and(le(0, d1 + d4 - 1), lt(d1 + d4 - 1, 28)), and(le(0, d2 + d5 - 1), lt(d2 + d5 - 1, 28)))
          rhs %b[d3, d4, d5, d6] : tensor<128x3x3x64xbf16> mask 1 acc f32 : tensor<8x28x28x128xbf16>
      loop.return %c : tensor<8x28x28x128xbf16>
    }
    return %r : tensor<8x28x28x128xbf16>
  }

  // A convolution of one tap is a product of matrices where places follow each other, so it is no
  // window; with a stride it is.
  func.func @pointwise(%x: tensor<8x28x28x64xbf16>, %w: tensor<128x64xbf16>) -> tensor<8x28x28x128xbf16> {
    %r = loop.kernel @k ins(%a = %x : tensor<8x28x28x64xbf16>, %b = %w : tensor<128x64xbf16>) shared [] schedule #tiles -> tensor<8x28x28x128xbf16> {
      %c = loop.contract parallel [8, 28, 28, 128] reduction [64] lhs %a[d0, d1, d2, d4] : tensor<8x28x28x64xbf16>
          rhs %b[d3, d4] : tensor<128x64xbf16> acc f32 : tensor<8x28x28x128xbf16>
      loop.return %c : tensor<8x28x28x128xbf16>
    }
    return %r : tensor<8x28x28x128xbf16>
  }
// CHECK-NOT: library = cudnn
// CHECK-LABEL: func.func @strided
// CHECK: library = cudnn
  func.func @strided(%x: tensor<8x28x28x64xbf16>, %w: tensor<128x64xbf16>) -> tensor<8x14x14x128xbf16> {
    %r = loop.kernel @k ins(%a = %x : tensor<8x28x28x64xbf16>, %b = %w : tensor<128x64xbf16>) shared [] schedule #tiles -> tensor<8x14x14x128xbf16> {
      %c = loop.contract parallel [8, 14, 14, 128] reduction [64] lhs %a[d0, d1 * 2, d2 * 2, d4] : tensor<8x28x28x64xbf16>
          rhs %b[d3, d4] : tensor<128x64xbf16> acc f32 : tensor<8x14x14x128xbf16>
      loop.return %c : tensor<8x14x14x128xbf16>
    }
    return %r : tensor<8x14x14x128xbf16>
  }
}

// -----

// What the one library has is nothing for the other.

#gpu = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>
#tiles = #loop.gpu_product<unit = mma, rows = 64, columns = 64, sum = 64, part_rows = 32, part_columns = 32, stages = 3, lanes = 8, group = 8, split = 1>

// CHECK-LABEL: func.func @before
// CHECK-NOT: library = cudnn
// CHECK-LABEL: func.func @product
// CHECK-NOT: library = cudnn
// CHECK: library = cublas
// CHECK-NOT: library = cudnn
module attributes {loop.target = #gpu} {
  // Padded on one side alone.
  func.func @before(%x: tensor<8x28x28x64xbf16>, %w: tensor<128x3x3x64xbf16>) -> tensor<8x27x28x128xbf16> {
    %r = loop.kernel @k ins(%a = %x : tensor<8x28x28x64xbf16>, %b = %w : tensor<128x3x3x64xbf16>) shared [] schedule #tiles -> tensor<8x27x28x128xbf16> {
      %c = loop.contract parallel [8, 27, 28, 128] reduction [3, 3, 64] lhs %a[d0, d1 + d4 - 1, d2 + d5 - 1, d6] : tensor<8x28x28x64xbf16> mask and(le(0, d1 + d4 - 1), and(le(0, d2 + d5 - 1), lt(d2 + d5 - 1, 28)))
          rhs %b[d3, d4, d5, d6] : tensor<128x3x3x64xbf16> mask 1 acc f32 : tensor<8x27x28x128xbf16>
      loop.return %c : tensor<8x27x28x128xbf16>
    }
    return %r : tensor<8x27x28x128xbf16>
  }

  // Windows that leave some places out.
  func.func @cropped(%x: tensor<8x28x28x64xbf16>, %w: tensor<128x3x3x64xbf16>) -> tensor<8x20x28x128xbf16> {
    %r = loop.kernel @k ins(%a = %x : tensor<8x28x28x64xbf16>, %b = %w : tensor<128x3x3x64xbf16>) shared [] schedule #tiles -> tensor<8x20x28x128xbf16> {
      %c = loop.contract parallel [8, 20, 28, 128] reduction [3, 3, 64] lhs %a[d0, d1 + d4, d2 + d5 - 1, d6] : tensor<8x28x28x64xbf16> mask and(le(0, d2 + d5 - 1), lt(d2 + d5 - 1, 28))
          rhs %b[d3, d4, d5, d6] : tensor<128x3x3x64xbf16> mask 1 acc f32 : tensor<8x20x28x128xbf16>
      loop.return %c : tensor<8x20x28x128xbf16>
    }
    return %r : tensor<8x20x28x128xbf16>
  }

  // Weights that do not count at padding.
  func.func @both(%x: tensor<8x28x28x64xbf16>, %w: tensor<128x3x3x64xbf16>) -> tensor<8x28x28x128xbf16> {
    %r = loop.kernel @k ins(%a = %x : tensor<8x28x28x64xbf16>, %b = %w : tensor<128x3x3x64xbf16>) shared [] schedule #tiles -> tensor<8x28x28x128xbf16> {
      %c = loop.contract parallel [8, 28, 28, 128] reduction [3, 3, 64] lhs %a[d0, d1 + d4 - 1, d2 + d5 - 1, d6] : tensor<8x28x28x64xbf16> mask and(and(le(0, d1 + d4 - 1), lt(d1 + d4 - 1, 28)), and(le(0, d2 + d5 - 1), lt(d2 + d5 - 1, 28)))
          rhs %b[d3, d4, d5, d6] : tensor<128x3x3x64xbf16> mask and(and(le(0, d1 + d4 - 1), lt(d1 + d4 - 1, 28)), and(le(0, d2 + d5 - 1), lt(d2 + d5 - 1, 28))) acc f32 : tensor<8x28x28x128xbf16>
      loop.return %c : tensor<8x28x28x128xbf16>
    }
    return %r : tensor<8x28x28x128xbf16>
  }

  // A mask of anything else than places outside.
  func.func @masked(%x: tensor<8x28x28x64xbf16>, %w: tensor<128x3x3x64xbf16>) -> tensor<8x28x28x128xbf16> {
    %r = loop.kernel @k ins(%a = %x : tensor<8x28x28x64xbf16>, %b = %w : tensor<128x3x3x64xbf16>) shared [] schedule #tiles -> tensor<8x28x28x128xbf16> {
      %c = loop.contract parallel [8, 28, 28, 128] reduction [3, 3, 64] lhs %a[d0, d1 + d4 - 1, d2 + d5 - 1, d6] : tensor<8x28x28x64xbf16> mask and(and(and(le(0, d1 + d4 - 1), lt(d1 + d4 - 1, 28)), and(le(0, d2 + d5 - 1), lt(d2 + d5 - 1, 28))), lt(d6, 60))
          rhs %b[d3, d4, d5, d6] : tensor<128x3x3x64xbf16> mask 1 acc f32 : tensor<8x28x28x128xbf16>
      loop.return %c : tensor<8x28x28x128xbf16>
    }
    return %r : tensor<8x28x28x128xbf16>
  }

  // Padding that is no zero of the image: a place of it.
  func.func @inner(%x: tensor<8x28x28x64xbf16>, %w: tensor<128x3x3x64xbf16>) -> tensor<8x28x28x128xbf16> {
    %r = loop.kernel @k ins(%a = %x : tensor<8x28x28x64xbf16>, %b = %w : tensor<128x3x3x64xbf16>) shared [] schedule #tiles -> tensor<8x28x28x128xbf16> {
      %c = loop.contract parallel [8, 28, 28, 128] reduction [3, 3, 64] lhs %a[d0, d1 + d4 - 1, d2 + d5 - 1, d6] : tensor<8x28x28x64xbf16> mask and(and(le(0, d1 + d4 - 1), lt(d1 + d4 - 1, 27)), and(le(0, d2 + d5 - 1), lt(d2 + d5 - 1, 28)))
          rhs %b[d3, d4, d5, d6] : tensor<128x3x3x64xbf16> mask 1 acc f32 : tensor<8x28x28x128xbf16>
      loop.return %c : tensor<8x28x28x128xbf16>
    }
    return %r : tensor<8x28x28x128xbf16>
  }

  // Taps in the other order.
  func.func @flipped(%x: tensor<8x28x28x64xbf16>, %w: tensor<128x3x3x64xbf16>) -> tensor<8x28x28x128xbf16> {
    %r = loop.kernel @k ins(%a = %x : tensor<8x28x28x64xbf16>, %b = %w : tensor<128x3x3x64xbf16>) shared [] schedule #tiles -> tensor<8x28x28x128xbf16> {
      %c = loop.contract parallel [8, 28, 28, 128] reduction [3, 3, 64] lhs %a[d0, d1 + d4 - 1, d2 + d5 - 1, d6] : tensor<8x28x28x64xbf16> mask and(and(le(0, d1 + d4 - 1), lt(d1 + d4 - 1, 28)), and(le(0, d2 + d5 - 1), lt(d2 + d5 - 1, 28)))
          rhs %b[d3, d4 * -1 + 2, d5 * -1 + 2, d6] : tensor<128x3x3x64xbf16> mask 1 acc f32 : tensor<8x28x28x128xbf16>
      loop.return %c : tensor<8x28x28x128xbf16>
    }
    return %r : tensor<8x28x28x128xbf16>
  }

  // A weight that has its filters last.
  func.func @turned(%x: tensor<8x28x28x64xbf16>, %w: tensor<3x3x64x128xbf16>) -> tensor<8x28x28x128xbf16> {
    %r = loop.kernel @k ins(%a = %x : tensor<8x28x28x64xbf16>, %b = %w : tensor<3x3x64x128xbf16>) shared [] schedule #tiles -> tensor<8x28x28x128xbf16> {
      %c = loop.contract parallel [8, 28, 28, 128] reduction [3, 3, 64] lhs %a[d0, d1 + d4 - 1, d2 + d5 - 1, d6] : tensor<8x28x28x64xbf16> mask and(and(le(0, d1 + d4 - 1), lt(d1 + d4 - 1, 28)), and(le(0, d2 + d5 - 1), lt(d2 + d5 - 1, 28)))
          rhs %b[d4, d5, d6, d3] : tensor<3x3x64x128xbf16> mask 1 acc f32 : tensor<8x28x28x128xbf16>
      loop.return %c : tensor<8x28x28x128xbf16>
    }
    return %r : tensor<8x28x28x128xbf16>
  }

  // Dimensions of a weight in another order than those of the image.
  func.func @across(%x: tensor<8x28x28x64xbf16>, %w: tensor<128x3x3x64xbf16>) -> tensor<8x28x28x128xbf16> {
    %r = loop.kernel @k ins(%a = %x : tensor<8x28x28x64xbf16>, %b = %w : tensor<128x3x3x64xbf16>) shared [] schedule #tiles -> tensor<8x28x28x128xbf16> {
      %c = loop.contract parallel [8, 28, 28, 128] reduction [3, 3, 64] lhs %a[d0, d1 + d4 - 1, d2 + d5 - 1, d6] : tensor<8x28x28x64xbf16> mask and(and(le(0, d1 + d4 - 1), lt(d1 + d4 - 1, 28)), and(le(0, d2 + d5 - 1), lt(d2 + d5 - 1, 28)))
          rhs %b[d3, d5, d4, d6] : tensor<128x3x3x64xbf16> mask 1 acc f32 : tensor<8x28x28x128xbf16>
      loop.return %c : tensor<8x28x28x128xbf16>
    }
    return %r : tensor<8x28x28x128xbf16>
  }

  // A bias.
  func.func @bias(%x: tensor<8x28x28x64xbf16>, %w: tensor<128x3x3x64xbf16>, %y: tensor<128xbf16>) -> tensor<8x28x28x128xbf16> {
    %r = loop.kernel @k ins(%a = %x : tensor<8x28x28x64xbf16>, %b = %w : tensor<128x3x3x64xbf16>, %d = %y : tensor<128xbf16>) shared [] schedule #tiles -> tensor<8x28x28x128xbf16> {
      %c = loop.contract parallel [8, 28, 28, 128] reduction [3, 3, 64] lhs %a[d0, d1 + d4 - 1, d2 + d5 - 1, d6] : tensor<8x28x28x64xbf16> mask and(and(le(0, d1 + d4 - 1), lt(d1 + d4 - 1, 28)), and(le(0, d2 + d5 - 1), lt(d2 + d5 - 1, 28)))
          rhs %b[d3, d4, d5, d6] : tensor<128x3x3x64xbf16> mask 1 acc f32 : tensor<8x28x28x128xbf16> epilogue (%acc, %i, %j, %k, %l) {
        %e = loop.load %d[%l] : tensor<128xbf16>
        %f = arith.extf %e : bf16 to f32
        %g = arith.addf %acc, %f : f32
        %h = arith.truncf %g : f32 to bf16
        loop.yield %h : bf16
      }
      loop.return %c : tensor<8x28x28x128xbf16>
    }
    return %r : tensor<8x28x28x128xbf16>
  }

  // Any other function.
  func.func @negated(%x: tensor<8x28x28x64xbf16>, %w: tensor<128x3x3x64xbf16>) -> tensor<8x28x28x128xbf16> {
    %r = loop.kernel @k ins(%a = %x : tensor<8x28x28x64xbf16>, %b = %w : tensor<128x3x3x64xbf16>) shared [] schedule #tiles -> tensor<8x28x28x128xbf16> {
      %c = loop.contract parallel [8, 28, 28, 128] reduction [3, 3, 64] lhs %a[d0, d1 + d4 - 1, d2 + d5 - 1, d6] : tensor<8x28x28x64xbf16> mask and(and(le(0, d1 + d4 - 1), lt(d1 + d4 - 1, 28)), and(le(0, d2 + d5 - 1), lt(d2 + d5 - 1, 28)))
          rhs %b[d3, d4, d5, d6] : tensor<128x3x3x64xbf16> mask 1 acc f32 : tensor<8x28x28x128xbf16> epilogue (%acc, %i, %j, %k, %l) {
        %t = arith.negf %acc : f32
        %u = arith.truncf %t : f32 to bf16
        loop.yield %u : bf16
      }
      loop.return %c : tensor<8x28x28x128xbf16>
    }
    return %r : tensor<8x28x28x128xbf16>
  }

  // Results of another type.
  func.func @wide(%x: tensor<8x28x28x64xbf16>, %w: tensor<128x3x3x64xbf16>) -> tensor<8x28x28x128xf32> {
    %r = loop.kernel @k ins(%a = %x : tensor<8x28x28x64xbf16>, %b = %w : tensor<128x3x3x64xbf16>) shared [] schedule #tiles -> tensor<8x28x28x128xf32> {
      %c = loop.contract parallel [8, 28, 28, 128] reduction [3, 3, 64] lhs %a[d0, d1 + d4 - 1, d2 + d5 - 1, d6] : tensor<8x28x28x64xbf16> mask and(and(le(0, d1 + d4 - 1), lt(d1 + d4 - 1, 28)), and(le(0, d2 + d5 - 1), lt(d2 + d5 - 1, 28)))
          rhs %b[d3, d4, d5, d6] : tensor<128x3x3x64xbf16> mask 1 acc f32 : tensor<8x28x28x128xf32>
      loop.return %c : tensor<8x28x28x128xf32>
    }
    return %r : tensor<8x28x28x128xf32>
  }

  // A tap that is a place of two dimensions.
  func.func @diagonal(%x: tensor<8x28x28x64xbf16>, %w: tensor<128x3x64xbf16>) -> tensor<8x26x26x128xbf16> {
    %r = loop.kernel @k ins(%a = %x : tensor<8x28x28x64xbf16>, %b = %w : tensor<128x3x64xbf16>) shared [] schedule #tiles -> tensor<8x26x26x128xbf16> {
      %c = loop.contract parallel [8, 26, 26, 128] reduction [3, 64] lhs %a[d0, d1 + d4, d2 + d4, d5] : tensor<8x28x28x64xbf16>
          rhs %b[d3, d4, d5] : tensor<128x3x64xbf16> acc f32 : tensor<8x26x26x128xbf16>
      loop.return %c : tensor<8x26x26x128xbf16>
    }
    return %r : tensor<8x26x26x128xbf16>
  }

  // A product of matrices.
  func.func @product(%x: tensor<256x64xbf16>, %w: tensor<128x64xbf16>) -> tensor<256x128xbf16> {
    %r = loop.kernel @k ins(%a = %x : tensor<256x64xbf16>, %b = %w : tensor<128x64xbf16>) shared [] schedule #tiles -> tensor<256x128xbf16> {
      %c = loop.contract parallel [256, 128] reduction [64] lhs %a[d0, d2] : tensor<256x64xbf16>
          rhs %b[d1, d2] : tensor<128x64xbf16> acc f32 : tensor<256x128xbf16>
      loop.return %c : tensor<256x128xbf16>
    }
    return %r : tensor<256x128xbf16>
  }
}

// RUN: kiln-opt --convert-loop-to-nvvm --split-input-file %s | FileCheck %s

// Convolutions as a library is asked for them, which have their kernels all the same.

#tiles = #loop.gpu_product<unit = mma, rows = 64, columns = 64, sum = 64, part_rows = 32, part_columns = 32, stages = 3, lanes = 8, group = 8, split = 1, library = cudnn>

// Padding on both sides, and channels last everywhere.

// CHECK-LABEL: func.func @same
// CHECK: loop.launch_grid
// CHECK-SAME: #loop.step<kernel = @k
// CHECK-SAME: library = #loop.library_convolution<elements = bf16, images = <8>, groups = <1>, channels = <64>, filters = <128>, inputs = [#guard.expr<28>, #guard.expr<28>], outputs = [#guard.expr<28>, #guard.expr<28>], taps = [#guard.expr<3>, #guard.expr<3>], strides = [1, 1], dilations = [1, 1], padding = [1, 1],
// CHECK-SAME: source = <pointer = 0, offset = <0>, image = <50176>, channel = <1>, places = [#guard.expr<1792>, #guard.expr<64>]>, target = <pointer = 2, offset = <0>, image = <100352>, channel = <1>, places = [#guard.expr<3584>, #guard.expr<128>]>, weight = <pointer = 1, offset = <0>, channels_last = true>>
func.func @same(%x: tensor<8x28x28x64xbf16>, %w: tensor<128x3x3x64xbf16>) -> tensor<8x28x28x128xbf16> {
  %r = loop.kernel @k ins(%a = %x : tensor<8x28x28x64xbf16>, %b = %w : tensor<128x3x3x64xbf16>) shared [] schedule #tiles -> tensor<8x28x28x128xbf16> {
    %c = loop.contract parallel [8, 28, 28, 128] reduction [3, 3, 64] lhs %a[d0, d1 + d4 - 1, d2 + d5 - 1, d6] : tensor<8x28x28x64xbf16> mask and(and(le(0, d1 + d4 - 1), lt(d1 + d4 - 1, 28)), and(le(0, d2 + d5 - 1), lt(d2 + d5 - 1, 28)))
        rhs %b[d3, d4, d5, d6] : tensor<128x3x3x64xbf16> mask 1 acc f32 : tensor<8x28x28x128xbf16>
    loop.return %c : tensor<8x28x28x128xbf16>
  }
  return %r : tensor<8x28x28x128xbf16>
}

// -----

#tiles = #loop.gpu_product<unit = mma, rows = 64, columns = 64, sum = 64, part_rows = 32, part_columns = 32, stages = 3, lanes = 4, group = 8, split = 1, library = cudnn>

// Strides, of which only what is before the image is padding, that anybody reads; a dilation; the
// result has its channels first; images of any number; rounded behind the sum.

// CHECK-LABEL: func.func @strided
// CHECK: library = #loop.library_convolution<elements = bf16, images = <s0>, groups = <1>, channels = <64>, filters = <128>, inputs = [#guard.expr<28>, #guard.expr<28>], outputs = [#guard.expr<14>, #guard.expr<28>], taps = [#guard.expr<3>, #guard.expr<3>], strides = [2, 1], dilations = [1, 2], padding = [1, 2],
// CHECK-SAME: target = <pointer = 2, offset = <0>, image = <50176>, channel = <392>, places = [#guard.expr<28>, #guard.expr<1>]>, weight = <pointer = 1, offset = <0>, channels_last = true>>
func.func @strided(%x: tensor<?x28x28x64xbf16, #guard.shape<[s0, 28, 28, 64]>>, %w: tensor<128x3x3x64xbf16>) -> tensor<?x128x14x28xbf16, #guard.shape<[s0, 128, 14, 28]>> {
  %r = loop.kernel @k ins(%a = %x : tensor<?x28x28x64xbf16, #guard.shape<[s0, 28, 28, 64]>>, %b = %w : tensor<128x3x3x64xbf16>) shared [] schedule #tiles -> tensor<?x128x14x28xbf16, #guard.shape<[s0, 128, 14, 28]>> {
    %c = loop.contract parallel [s0, 128, 14, 28] reduction [3, 3, 64] lhs %a[d0, d2 * 2 + d4 - 1, d3 + d5 * 2 - 2, d6] : tensor<?x28x28x64xbf16, #guard.shape<[s0, 28, 28, 64]>> mask and(le(0, d2 * 2 + d4 - 1), and(le(0, d3 + d5 * 2 - 2), lt(d3 + d5 * 2 - 2, 28)))
        rhs %b[d1, d4, d5, d6] : tensor<128x3x3x64xbf16> mask 1 acc f32 : tensor<?x128x14x28xbf16, #guard.shape<[s0, 128, 14, 28]>> epilogue (%acc, %i, %j, %k, %l) {
      %t = arith.truncf %acc : f32 to bf16
      loop.yield %t : bf16
    }
    loop.return %c : tensor<?x128x14x28xbf16, #guard.shape<[s0, 128, 14, 28]>>
  }
  return %r : tensor<?x128x14x28xbf16, #guard.shape<[s0, 128, 14, 28]>>
}

// -----

#tiles = #loop.gpu_product<unit = mma, rows = 64, columns = 64, sum = 64, part_rows = 32, part_columns = 32, stages = 3, lanes = 8, group = 8, split = 1, library = cudnn>

// Groups; sizes of images are any.

// CHECK-LABEL: func.func @groups
// CHECK: library = #loop.library_convolution<elements = f16, images = <2>, groups = <4>, channels = <64>, filters = <32>, inputs = [#guard.expr<s0>, #guard.expr<20>], outputs = [#guard.expr<s0 - 2>, #guard.expr<18>],
// CHECK-SAME: source = <pointer = 0, offset = <0>, image = <s0 * 5120>, channel = <1>, places = [#guard.expr<5120>, #guard.expr<256>]>, target = <pointer = 2, offset = <0>, image = <s0 * 2304 - 4608>, channel = <1>, places = [#guard.expr<2304>, #guard.expr<128>]>, weight = <pointer = 1, offset = <0>, channels_last = true>>
func.func @groups(%x: tensor<2x?x20x256xf16, #guard.shape<[2, s0, 20, 256]>>, %w: tensor<128x3x3x64xf16>) -> tensor<2x?x18x4x32xf16, #guard.shape<[2, s0 - 2, 18, 4, 32]>> {
  %r = loop.kernel @k ins(%a = %x : tensor<2x?x20x256xf16, #guard.shape<[2, s0, 20, 256]>>, %b = %w : tensor<128x3x3x64xf16>) shared [] schedule #tiles -> tensor<2x?x18x4x32xf16, #guard.shape<[2, s0 - 2, 18, 4, 32]>> {
    %c = loop.contract parallel [2, s0 - 2, 18, 4, 32] reduction [3, 3, 64] lhs %a[d0, d1 + d5, d2 + d6, d3 * 64 + d7] : tensor<2x?x20x256xf16, #guard.shape<[2, s0, 20, 256]>>
        rhs %b[d3 * 32 + d4, d5, d6, d7] : tensor<128x3x3x64xf16> acc f32 : tensor<2x?x18x4x32xf16, #guard.shape<[2, s0 - 2, 18, 4, 32]>>
    loop.return %c : tensor<2x?x18x4x32xf16, #guard.shape<[2, s0 - 2, 18, 4, 32]>>
  }
  return %r : tensor<2x?x18x4x32xf16, #guard.shape<[2, s0 - 2, 18, 4, 32]>>
}

// -----

#tiles = #loop.gpu_product<unit = mma, rows = 64, columns = 64, sum = 32, part_rows = 32, part_columns = 32, stages = 3, lanes = 1, group = 8, split = 1, library = cudnn>

// Channels first everywhere, f32 that is rounded to tf32, one dimension.

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800, tf32 = true>} {
  // CHECK-LABEL: func.func @signal
  // CHECK: library = #loop.library_convolution<elements = f32, images = <4>, groups = <1>, channels = <32>, filters = <64>, inputs = [#guard.expr<100>], outputs = [#guard.expr<96>], taps = [#guard.expr<5>], strides = [1], dilations = [1], padding = [0], source = <pointer = 0, offset = <0>, image = <3200>, channel = <100>, places = [#guard.expr<1>]>, target = <pointer = 2, offset = <0>, image = <6144>, channel = <96>, places = [#guard.expr<1>]>, weight = <pointer = 1, offset = <0>>, tf32 = true>
func.func @signal(%x: tensor<4x32x100xf32>, %w: tensor<64x32x5xf32>) -> tensor<4x64x96xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<4x32x100xf32>, %b = %w : tensor<64x32x5xf32>) shared [] schedule #tiles -> tensor<4x64x96xf32> {
    %c = loop.contract parallel [4, 64, 96] reduction [32, 5] lhs %a[d0, d3, d2 + d4] : tensor<4x32x100xf32>
        rhs %b[d1, d3, d4] : tensor<64x32x5xf32> acc f32 : tensor<4x64x96xf32>
    loop.return %c : tensor<4x64x96xf32>
  }
  return %r : tensor<4x64x96xf32>
}
}

// -----

#tiles = #loop.gpu_product<unit = mma, rows = 64, columns = 64, sum = 64, part_rows = 32, part_columns = 32, stages = 3, lanes = 8, group = 8, split = 1, library = cudnn>

// The gradient of a weight.

// CHECK-LABEL: func.func @gradient
// CHECK: library = #loop.library_convolution<elements = bf16, images = <8>, groups = <1>, channels = <64>, filters = <128>, inputs = [#guard.expr<28>, #guard.expr<28>], outputs = [#guard.expr<14>, #guard.expr<14>], taps = [#guard.expr<3>, #guard.expr<3>], strides = [2, 2], dilations = [1, 1], padding = [1, 1],
// CHECK-SAME: source = <pointer = 1, offset = <0>, image = <50176>, channel = <1>, places = [#guard.expr<1792>, #guard.expr<64>]>, target = <pointer = 0, offset = <0>, image = <25088>, channel = <1>, places = [#guard.expr<1792>, #guard.expr<128>]>, weight = <pointer = 2, offset = <0>, channels_last = true>, gradient = true>
func.func @gradient(%x: tensor<8x14x14x128xbf16>, %w: tensor<8x28x28x64xbf16>) -> tensor<128x3x3x64xbf16> {
  %r = loop.kernel @k ins(%a = %x : tensor<8x14x14x128xbf16>, %b = %w : tensor<8x28x28x64xbf16>) shared [] schedule #tiles -> tensor<128x3x3x64xbf16> {
    %c = loop.contract parallel [128, 3, 3, 64] reduction [8, 14, 14] lhs %a[d4, d5, d6, d0] : tensor<8x14x14x128xbf16> mask 1
        rhs %b[d4, d1 + d5 * 2 - 1, d2 + d6 * 2 - 1, d3] : tensor<8x28x28x64xbf16> mask and(le(0, d1 + d5 * 2 - 1), le(0, d2 + d6 * 2 - 1)) acc f32 : tensor<128x3x3x64xbf16>
    loop.return %c : tensor<128x3x3x64xbf16>
  }
  return %r : tensor<128x3x3x64xbf16>
}

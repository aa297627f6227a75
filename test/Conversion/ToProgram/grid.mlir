// RUN: kiln-opt %s --convert-loop-to-program | FileCheck %s

// A grid has both widths of its kernels where it may choose, shared memory, tensor maps
// of the launch's buffers, and its workspace as a buffer.

// CHECK: program.func @main
// CHECK: %[[X:.*]] = program.slot
// CHECK: %[[R:.*]] = program.alloc : !program.buffer<[s0], bf16>
// CHECK: %[[W:.*]] = program.alloc : !program.buffer<[s0 * 4], i8>
// CHECK: program.launch @kernels::@k0(%[[X]], %[[R]], %[[W]]) access [read, write, write]
// CHECK-SAME: symbols [] work 1 grain 1
// CHECK-SAME: #program.grid_step<kernel = @kernels::@k0, wide = @kernels_64::@k0,
// CHECK-SAME: threads = 128, shared = 4096, maps = [#program.tensor_map<buffer = 0, element = bf16
// CHECK-SAME: workspace = true, narrow = <le(s0, 100)>
// CHECK-SAME: overwrites = array<i64: 1, 0>
!t = tensor<?xbf16, #guard.shape<[s0]>>
func.func @main(%x: !t) -> !t {
  %r = loop.launch_grid(%x) steps [#loop.step<kernel = @k0,
      symbols = [#guard.expr<s0>], blocks = #guard.expr<ceildiv(s0, 128)>,
      threads = 128, shared = 4096, maps = [#loop.tensor_map<pointer = 0,
      element = bf16, offset = <0>, sizes = [#guard.expr<8>, #guard.expr<s0>],
      strides = [#guard.expr<16>], box = [8, 64], swizzle = 0>]>]
      narrow le(s0, 100) workspace s0 * 4
      {overwrites = array<i64: 0, 0>} : (!t) -> !t
  return %r : !t
}

// What a library may do is of the launch's buffers.

// CHECK: program.func @product
// CHECK: library = #program.product<factors = f32, results = f32, matrices = <2>, rows = <s0>, columns = <8>, sum = <4>, left = <buffer = 0, offset = <0>, leading = <4>, apart = <s0 * 4>>, right = <buffer = 1, offset = <0>, leading = <4>, apart = <32>, transposed = true>, result = <buffer = 2, offset = <0>, leading = <8>, apart = <s0 * 8>>, bias = 1, tf32 = true>
func.func @product(%x: tensor<2x?x4xf32, #guard.shape<[2, s0, 4]>>, %y: tensor<2x8x4xf32>) -> tensor<2x?x8xf32, #guard.shape<[2, s0, 8]>> {
  %r = loop.launch_grid(%x, %y) steps [#loop.step<kernel = @k1, symbols = [],
      blocks = #guard.expr<1>, threads = 128, shared = 0>]
      {library = #loop.library_product<factors = f32, results = f32, matrices = <2>, rows = <s0>, columns = <8>, sum = <4>,
       left = <pointer = 0, offset = <0>, leading = <4>, apart = <s0 * 4>>, right = <pointer = 1, offset = <0>, leading = <4>, apart = <32>, transposed = true>,
       result = <pointer = 2, offset = <0>, leading = <8>, apart = <s0 * 8>>, bias = 1, tf32 = true>}
      : (tensor<2x?x4xf32, #guard.shape<[2, s0, 4]>>, tensor<2x8x4xf32>) -> tensor<2x?x8xf32, #guard.shape<[2, s0, 8]>>
  return %r : tensor<2x?x8xf32, #guard.shape<[2, s0, 8]>>
}

// CHECK: program.func @convolution
// CHECK: library = #program.convolution<elements = bf16, images = <s0>, groups = <2>, channels = <4>, filters = <8>, inputs = [#guard.expr<9>], outputs = [#guard.expr<4>], taps = [#guard.expr<3>], strides = [2], dilations = [1], padding = [0], source = <buffer = 0, offset = <0>, image = <72>, channel = <1>, places = [#guard.expr<8>]>, target = <buffer = 1, offset = <0>, image = <64>, channel = <1>, places = [#guard.expr<16>]>, weight = <buffer = 2, offset = <0>, channels_last = true>, gradient = true, tf32 = true>
func.func @convolution(%x: tensor<?x9x8xbf16, #guard.shape<[s0, 9, 8]>>, %y: tensor<?x4x16xbf16, #guard.shape<[s0, 4, 16]>>) -> tensor<16x3x4xbf16> {
  %r = loop.launch_grid(%x, %y) steps [#loop.step<kernel = @k1, symbols = [],
      blocks = #guard.expr<1>, threads = 128, shared = 0>]
      {library = #loop.library_convolution<elements = bf16, images = <s0>, groups = <2>, channels = <4>, filters = <8>, inputs = [#guard.expr<9>], outputs = [#guard.expr<4>],
       taps = [#guard.expr<3>], strides = [2], dilations = [1], padding = [0], source = <pointer = 0, offset = <0>, image = <72>, channel = <1>, places = [#guard.expr<8>]>,
       target = <pointer = 1, offset = <0>, image = <64>, channel = <1>, places = [#guard.expr<16>]>, weight = <pointer = 2, offset = <0>, channels_last = true>, gradient = true, tf32 = true>}
      : (tensor<?x9x8xbf16, #guard.shape<[s0, 9, 8]>>, tensor<?x4x16xbf16, #guard.shape<[s0, 4, 16]>>) -> tensor<16x3x4xbf16>
  return %r : tensor<16x3x4xbf16>
}

// A result of which the caller sees the dimensions in another order.

// CHECK: program.func @image
// CHECK: %[[I:.*]] = program.alloc : !program.buffer<[2, 8, 5, 3], f32, strides = [120, 1, 24, 8]>
// CHECK: program.return %[[I]]
func.func @image(%x: tensor<4xf32>) -> (tensor<2x5x3x8xf32> {loop.order = array<i64: 0, 3, 1, 2>}) {
  %r = loop.launch_grid(%x) steps [#loop.step<kernel = @k1, symbols = [],
      blocks = #guard.expr<1>, threads = 128, shared = 0>]
      : (tensor<4xf32>) -> tensor<2x5x3x8xf32>
  return %r : tensor<2x5x3x8xf32>
}

// Kernels may count on strides that were not recorded: those of a tangent, or of what a
// forward saves and returns as well.

// CHECK: program.func @backward
// CHECK: program.slot tangent "t" : !program.buffer<[2, 5, 3], f32, strides = [15, 1, 5]>
func.func @backward(%x: tensor<2x5x3xf32> {aten.input = #aten.input<kind = tangent, name = "t">,
      loop.strides = #guard.shape<[15, 1, 5]>}) -> tensor<4xf32> {
  %r = loop.launch_grid(%x) steps [#loop.step<kernel = @k1, symbols = [],
      blocks = #guard.expr<1>, threads = 128, shared = 0>]
      : (tensor<2x5x3xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// The first step of a scatter copies.

// CHECK: program.func @scatter
// CHECK: program.launch @kernels::@k1(
// CHECK-SAME: overwrites = array<i64: 1, 0>, program.copies_first
func.func @scatter(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = loop.launch_grid(%x) steps [#loop.step<kernel = @k1, symbols = [],
      blocks = #guard.expr<1>, threads = 128, shared = 0>, #loop.step<kernel = @k2, symbols = [],
      blocks = #guard.expr<1>, threads = 128, shared = 0>]
      {overwrites = array<i64: 0, 0>, schedule = #loop.gpu_scatter<threads = 128, atomic = false>}
      : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

gpu.module @kernels {
  llvm.func @k0()
  llvm.func @k1()
  llvm.func @k2()
}
gpu.module @kernels_64 {
  llvm.func @k0()
}

// Parts of a tensor are views of its memory, which is there before the first of them; the caller
// sees it in another order.

// CHECK: program.func @parts
// CHECK: %[[X:.*]] = program.slot
// CHECK: %[[W:.*]] = program.alloc : !program.buffer<[24, 4], f32, strides = [1, 24]>
// CHECK: %[[A:.*]] = program.view %[[W]] offset 0 : {{.*}} to !program.buffer<[4, 8], f32, strides = [24, 1]>
// CHECK: program.launch @kernels::@k1(%[[X]], %[[A]]) access [read, write]
// CHECK: %[[B:.*]] = program.view %[[W]] offset 8 : {{.*}} to !program.buffer<[4, 16], f32, strides = [24, 1]>
// CHECK: program.launch @kernels::@k1(%[[A]], %[[B]]) access [read, write]
// CHECK: program.return %[[W]]
func.func @parts(%x: tensor<4xf32>) -> (tensor<4x24xf32> {loop.order = array<i64: 1, 0>}) {
  %a = loop.launch_grid(%x) steps [#loop.step<kernel = @k1, symbols = [],
      blocks = #guard.expr<1>, threads = 128, shared = 0>] : (tensor<4xf32>) -> tensor<4x8xf32>
  %b = loop.launch_grid(%a) steps [#loop.step<kernel = @k1, symbols = [],
      blocks = #guard.expr<1>, threads = 128, shared = 0>] : (tensor<4x8xf32>) -> tensor<4x16xf32>
  %w = loop.assemble(%a, %b) offsets [0, 8]
      strides [#guard.shape<[24, 1]>, #guard.shape<[24, 1]>]
      : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<4x24xf32>
  return %w : tensor<4x24xf32>
}

// RUN: kiln-opt --convert-loop-to-nvvm --split-input-file --verify-diagnostics %s | FileCheck %s

// A product that a library may compute has its kernels all the same. Numbers are of symbols.

#tiles = #loop.gpu_product<unit = mma, rows = 64, columns = 64, sum = 64, part_rows = 32, part_columns = 32, stages = 3, lanes = 8, group = 8, split = 1, library = cublas>

// CHECK-LABEL: func.func @linear
// CHECK: loop.launch_grid
// CHECK-SAME: #loop.step<kernel = @linear
// CHECK-SAME: library = #loop.library_product<factors = bf16, results = bf16, matrices = <1>, rows = <s0>, columns = <64>, sum = <32>, left = <pointer = 0, offset = <0>, leading = <32>, apart = <0>>, right = <pointer = 1, offset = <0>, leading = <32>, apart = <0>, transposed = true>, result = <pointer = 3, offset = <0>, leading = <64>, apart = <0>>, bias = 2>
// CHECK: llvm.func @linear
func.func @linear(%x: tensor<?x32xbf16, #guard.shape<[s0, 32]>>, %w: tensor<64x32xbf16>, %y: tensor<64xbf16>) -> tensor<?x64xbf16, #guard.shape<[s0, 64]>> {
  %r = loop.kernel @linear ins(%a = %x : tensor<?x32xbf16, #guard.shape<[s0, 32]>>, %b = %w : tensor<64x32xbf16>, %d = %y : tensor<64xbf16>) shared []
      schedule #tiles -> tensor<?x64xbf16, #guard.shape<[s0, 64]>> {
    %c = loop.contract parallel [s0, 64] reduction [32] lhs %a[d0, d2] : tensor<?x32xbf16, #guard.shape<[s0, 32]>>
        rhs %b[d1, d2] : tensor<64x32xbf16> acc f32 : tensor<?x64xbf16, #guard.shape<[s0, 64]>> epilogue (%acc, %i, %j) {
      %e = loop.load %d[%j] : tensor<64xbf16>
      %f = arith.extf %e : bf16 to f32
      %g = arith.addf %acc, %f : f32
      %h = arith.truncf %g : f32 to bf16
      loop.yield %h : bf16
    }
    loop.return %c : tensor<?x64xbf16, #guard.shape<[s0, 64]>>
  }
  return %r : tensor<?x64xbf16, #guard.shape<[s0, 64]>>
}

// -----

// Heads in the middle, whose rows lie apart; f32 where the target lets it be rounded.

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800, tf32 = true>} {
  // CHECK-LABEL: func.func @heads
  // CHECK: library = #loop.library_product<factors = f32, results = f32, matrices = <4>, rows = <128>, columns = <96>, sum = <64>, left = <pointer = 0, offset = <0>, leading = <256>, apart = <64>>, right = <pointer = 1, offset = <0>, leading = <96>, apart = <6144>>, result = <pointer = 2, offset = <0>, leading = <96>, apart = <12288>>, tf32 = true>
  func.func @heads(%x: tensor<128x4x64xf32>, %w: tensor<4x64x96xf32>) -> tensor<4x128x96xf32> {
    %r = loop.kernel @heads ins(%a = %x : tensor<128x4x64xf32>, %b = %w : tensor<4x64x96xf32>) shared []
        schedule #loop.gpu_product<unit = mma, rows = 64, columns = 32, sum = 32, part_rows = 32, part_columns = 16, stages = 3, lanes = 4, group = 8, split = 1, library = cublas> -> tensor<4x128x96xf32> {
      %c = loop.contract parallel [4, 128, 96] reduction [64] lhs %a[d1, d0, d3] : tensor<128x4x64xf32>
          rhs %b[d0, d3, d2] : tensor<4x64x96xf32> acc f32 : tensor<4x128x96xf32>
      loop.return %c : tensor<4x128x96xf32>
    }
    return %r : tensor<4x128x96xf32>
  }
}

// -----

func.func @negated(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-error @below {{has the schedule #loop.gpu_product<unit = fma, rows = 32, columns = 32, sum = 8, part_rows = 4, part_columns = 4, stages = 2, lanes = 4, group = 8, split = 1, library = cublas>, but is nothing that the library has}}
  %r = loop.kernel @k ins(%a = %x : tensor<64x64xf32>) shared []
      schedule #loop.gpu_product<unit = fma, rows = 32, columns = 32, sum = 8, part_rows = 4, part_columns = 4, stages = 2, lanes = 4, group = 8, split = 1, library = cublas> -> tensor<64x64xf32> {
    %c = loop.contract parallel [64, 64] reduction [64] lhs %a[d0, d2] : tensor<64x64xf32> rhs %a[d2, d1] : tensor<64x64xf32>
        acc f32 : tensor<64x64xf32> epilogue (%acc, %i, %j) {
      %n = arith.negf %acc : f32
      loop.yield %n : f32
    }
    loop.return %c : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// RUN: kiln-opt %s --convert-loop-to-nvvm --split-input-file | FileCheck %s

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  // Of a tile of 64 rows 16 are there, and no more are brought: 144 lines of 128 bytes a stage
  // instead of 192. Columns come as ever, since those behind the last one may be stored.
  // CHECK-LABEL: func.func @few
  // CHECK: #loop.tensor_map<pointer = 0, {{.*}}sizes = [#guard.expr<512>, #guard.expr<16>], {{.*}}box = [64, 16], swizzle = 128>
  // CHECK-SAME: #loop.tensor_map<pointer = 1, {{.*}}sizes = [#guard.expr<512>, #guard.expr<100>], {{.*}}box = [64, 128], swizzle = 128>
  // CHECK: llvm.func @few(
  // CHECK: %[[BYTES:.*]] = arith.constant 18432 : i32
  // CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %[[BYTES]]
  func.func @few(%x: tensor<16x512xbf16>, %w: tensor<100x512xbf16>) -> tensor<16x100xbf16> {
    %r = loop.kernel @few ins(%a = %x : tensor<16x512xbf16>, %b = %w : tensor<100x512xbf16>) shared []
        schedule #loop.gpu_product<unit = wgmma, rows = 64, columns = 128, sum = 64, part_rows = 64, part_columns = 128,
                                   stages = 4, lanes = 4, group = 16, split = 1, blocks = 132> -> tensor<16x100xbf16> {
      %c = loop.contract parallel [16, 100] reduction [512]
          lhs %a[d0, d2] : tensor<16x512xbf16> rhs %b[d1, d2] : tensor<100x512xbf16>
          acc f32 : tensor<16x100xbf16>
      loop.return %c : tensor<16x100xbf16>
    }
    return %r : tensor<16x100xbf16>
  }
}

// -----

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  // Eight lines have their units exchanged alike. Across the sum 64 rows come at a time.
  // CHECK-LABEL: func.func @three
  // CHECK: #loop.tensor_map<pointer = 0, {{.*}}box = [64, 8], swizzle = 128>
  func.func @three(%x: tensor<3x512xbf16>, %w: tensor<128x512xbf16>) -> tensor<3x128xbf16> {
    %r = loop.kernel @three ins(%a = %x : tensor<3x512xbf16>, %b = %w : tensor<128x512xbf16>) shared []
        schedule #loop.gpu_product<unit = wgmma, rows = 64, columns = 128, sum = 64, part_rows = 64, part_columns = 128,
                                   stages = 4, lanes = 8, group = 16, split = 1, blocks = 132> -> tensor<3x128xbf16> {
      %c = loop.contract parallel [3, 128] reduction [512]
          lhs %a[d0, d2] : tensor<3x512xbf16> rhs %b[d1, d2] : tensor<128x512xbf16>
          acc f32 : tensor<3x128xbf16>
      loop.return %c : tensor<3x128xbf16>
    }
    return %r : tensor<3x128xbf16>
  }
  // CHECK-LABEL: func.func @across
  // CHECK: #loop.tensor_map<pointer = 0, {{.*}}box = [64, 64], swizzle = 128>
  // CHECK: llvm.func @across(
  // CHECK: %[[BYTES:.*]] = arith.constant 24576 : i32
  // CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %[[BYTES]]
  func.func @across(%x: tensor<512x16xbf16>, %w: tensor<128x512xbf16>) -> tensor<16x128xbf16> {
    %r = loop.kernel @across ins(%a = %x : tensor<512x16xbf16>, %b = %w : tensor<128x512xbf16>) shared []
        schedule #loop.gpu_product<unit = wgmma, rows = 128, columns = 128, sum = 64, part_rows = 64, part_columns = 128,
                                   stages = 4, lanes = 8, group = 16, split = 1, blocks = 132> -> tensor<16x128xbf16> {
      %c = loop.contract parallel [16, 128] reduction [512]
          lhs %a[d2, d0] : tensor<512x16xbf16> rhs %b[d1, d2] : tensor<128x512xbf16>
          acc f32 : tensor<16x128xbf16>
      loop.return %c : tensor<16x128xbf16>
    }
    return %r : tensor<16x128xbf16>
  }
}

// -----

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  // No map has boxes of nothing, also where nothing is there.
  // CHECK-LABEL: func.func @none
  // CHECK: blocks = <0>
  // CHECK-SAME: #loop.tensor_map<pointer = 0, {{.*}}sizes = [#guard.expr<512>, #guard.expr<0>], {{.*}}box = [64, 8], swizzle = 128>
  func.func @none(%x: tensor<0x512xbf16>, %w: tensor<128x512xbf16>) -> tensor<0x128xbf16> {
    %r = loop.kernel @none ins(%a = %x : tensor<0x512xbf16>, %b = %w : tensor<128x512xbf16>) shared []
        schedule #loop.gpu_product<unit = wgmma, rows = 64, columns = 128, sum = 64, part_rows = 64, part_columns = 128,
                                   stages = 4, lanes = 8, group = 16, split = 1, blocks = 132> -> tensor<0x128xbf16> {
      %c = loop.contract parallel [0, 128] reduction [512]
          lhs %a[d0, d2] : tensor<0x512xbf16> rhs %b[d1, d2] : tensor<128x512xbf16>
          acc f32 : tensor<0x128xbf16>
      loop.return %c : tensor<0x128xbf16>
    }
    return %r : tensor<0x128xbf16>
  }
}

// RUN: kiln-opt %s --loop-choose-schedule | FileCheck %s

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  // Rows of 50,257 begin anywhere, and are stored in pieces as long as a tile is wide.
  // CHECK-LABEL: @even
  // CHECK: #loop.gpu_product<unit = wgmma, rows = 128, columns = 128, {{.*}}lanes = 8, {{.*}}turns = 2>
  func.func @even(%x: tensor<4096x768xbf16>, %w: tensor<50304x768xbf16>) -> tensor<4096x50304xbf16> {
    %r = loop.kernel @even ins(%a = %x : tensor<4096x768xbf16>, %b = %w : tensor<50304x768xbf16>) shared [] -> tensor<4096x50304xbf16> {
      %c = loop.contract parallel [4096, 50304] reduction [768]
          lhs %a[d0, d2] : tensor<4096x768xbf16> rhs %b[d1, d2] : tensor<50304x768xbf16>
          acc f32 : tensor<4096x50304xbf16>
      loop.return %c : tensor<4096x50304xbf16>
    }
    return %r : tensor<4096x50304xbf16>
  }
  // CHECK-LABEL: @anywhere
  // CHECK: #loop.gpu_product<unit = wgmma, rows = 64, columns = 256, {{.*}}lanes = 1, {{.*}}turns = 2>
  func.func @anywhere(%x: tensor<4096x768xbf16>, %w: tensor<50257x768xbf16>) -> tensor<4096x50257xbf16> {
    %r = loop.kernel @anywhere ins(%a = %x : tensor<4096x768xbf16>, %b = %w : tensor<50257x768xbf16>) shared [] -> tensor<4096x50257xbf16> {
      %c = loop.contract parallel [4096, 50257] reduction [768]
          lhs %a[d0, d2] : tensor<4096x768xbf16> rhs %b[d1, d2] : tensor<50257x768xbf16>
          acc f32 : tensor<4096x50257xbf16>
      loop.return %c : tensor<4096x50257xbf16>
    }
    return %r : tensor<4096x50257xbf16>
  }
}

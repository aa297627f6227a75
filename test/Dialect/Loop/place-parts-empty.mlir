// RUN: kiln-opt %s --loop-place-parts | FileCheck %s

// Parts of no elements are launches that nobody makes: who puts them together stays.

// CHECK-LABEL: func.func @empty
// CHECK-NOT: loop.assemble
// CHECK: loop.kernel @cat
// CHECK-NOT: loop.assemble
!n = tensor<0x512xbf16>
module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  func.func @empty(%x: tensor<0x512xbf16>) -> tensor<0x1024xbf16> {
    %q:2 = loop.kernel @parts ins(%a = %x : tensor<0x512xbf16>) shared [0, 512] -> (!n, !n) {
      %p = loop.pointwise (%i, %j) in [0, 512] : tensor<0x512xbf16> {
        %0 = loop.load %a[%i, %j] : tensor<0x512xbf16>
        %1 = arith.negf %0 : bf16
        loop.yield %1 : bf16
      }
      %m = loop.pointwise (%i, %j) in [0, 512] : tensor<0x512xbf16> {
        %0 = loop.load %a[%i, %j] : tensor<0x512xbf16>
        %1 = arith.addf %0, %0 : bf16
        loop.yield %1 : bf16
      }
      loop.return %p, %m : tensor<0x512xbf16>, tensor<0x512xbf16>
    }
    %r = loop.kernel @cat ins(%a = %q#0 : tensor<0x512xbf16>, %b = %q#1 : tensor<0x512xbf16>) shared [0, 1024] -> tensor<0x1024xbf16> {
      %none = arith.constant 0.0 : bf16
      %c512 = arith.constant 512 : index
      %p = loop.pointwise (%i, %j) in [0, 1024] : tensor<0x1024xbf16> {
        %0 = arith.cmpi slt, %j, %c512 : index
        %1 = loop.load %a[%i, %j] mask %0, %none : tensor<0x512xbf16>
        %2 = arith.cmpi sge, %j, %c512 : index
        %3 = loop.load %b[%i, %j - 512] mask %2, %1 : tensor<0x512xbf16>
        loop.yield %3 : bf16
      }
      loop.return %p : tensor<0x1024xbf16>
    }
    return %r : tensor<0x1024xbf16>
  }
}

// RUN: kiln-opt %s --loop-autotune=libraries=cublas --split-input-file | FileCheck %s
// RUN: kiln-opt %s --loop-autotune --split-input-file | FileCheck %s --check-prefix=NONE

// Products that a library has get one more candidate: the default beside the library. Who
// does not ask for libraries gets none.

// NONE-NOT: library =

#gpu = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>
#tiles = #loop.gpu_product<unit = mma, rows = 64, columns = 64, sum = 64, part_rows = 32, part_columns = 32, stages = 3, lanes = 8, group = 8, split = 1>
!t = tensor<256x256xbf16>
!f = tensor<256x256xf32>

// CHECK-LABEL: func.func @plain
// CHECK: loop.wanted = [#loop.gpu_product<unit = mma, rows = 64, columns = 64, sum = 64, part_rows = 32, part_columns = 32, stages = 3, lanes = 8, group = 8, split = 1>,
// CHECK-SAME: #loop.gpu_product<unit = mma, rows = 64, columns = 64, sum = 64, part_rows = 32, part_columns = 32, stages = 3, lanes = 8, group = 8, split = 1, library = cublas>]
module attributes {loop.target = #gpu} {
  func.func @plain(%x: !t, %w: !t) -> !t {
    %r = loop.kernel @k ins(%a = %x : !t, %b = %w : !t) shared [256, 256] schedule #tiles -> !t {
      %c = loop.contract parallel [256, 256] reduction [256] lhs %a[d0, d2] : !t rhs %b[d1, d2] : !t acc f32 : !t
      loop.return %c : !t
    }
    return %r : !t
  }
  // CHECK-LABEL: func.func @bias
  // CHECK: library = cublas
  func.func @bias(%x: !t, %w: !t, %y: tensor<256xbf16>) -> !t {
    %r = loop.kernel @k ins(%a = %x : !t, %b = %w : !t, %d = %y : tensor<256xbf16>) shared [256, 256] schedule #tiles -> !t {
      %c = loop.contract parallel [256, 256] reduction [256] lhs %a[d0, d2] : !t rhs %b[d2, d1] : !t acc f32 : !t
          epilogue (%acc, %i, %j) {
        %e = loop.load %d[%j] : tensor<256xbf16>
        %f = arith.extf %e : bf16 to f32
        %g = arith.addf %f, %acc : f32
        %h = arith.truncf %g : f32 to bf16
        loop.yield %h : bf16
      }
      loop.return %c : !t
    }
    return %r : !t
  }
  // Three heads of a tensor that has them in the middle, times transposed keys.
  // CHECK-LABEL: func.func @heads
  // CHECK: library = cublas
  func.func @heads(%x: tensor<256x3x64xbf16>, %w: tensor<3x256x64xbf16>) -> tensor<3x256x256xf32> {
    %r = loop.kernel @k ins(%a = %x : tensor<256x3x64xbf16>, %b = %w : tensor<3x256x64xbf16>) shared [3, 256, 256] schedule #tiles -> tensor<3x256x256xf32> {
      %c = loop.contract parallel [3, 256, 256] reduction [64] lhs %a[d1, d0, d3] : tensor<256x3x64xbf16>
          rhs %b[d0, d2, d3] : tensor<3x256x64xbf16> acc f32 : tensor<3x256x256xf32>
      loop.return %c : tensor<3x256x256xf32>
    }
    return %r : tensor<3x256x256xf32>
  }
}

// -----

// No library has these: a bias of each row, one that is rounded first, any other function, what
// is done to factors, windows of a signal.

#gpu = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>
#tiles = #loop.gpu_product<unit = mma, rows = 64, columns = 64, sum = 64, part_rows = 32, part_columns = 32, stages = 3, lanes = 8, group = 8, split = 1>
!t = tensor<256x256xbf16>

// CHECK-LABEL: func.func @rows
// CHECK-NOT: library = cublas
module attributes {loop.target = #gpu} {
  func.func @rows(%x: !t, %w: !t, %y: tensor<256xbf16>) -> !t {
    %r = loop.kernel @k ins(%a = %x : !t, %b = %w : !t, %d = %y : tensor<256xbf16>) shared [256, 256] schedule #tiles -> !t {
      %c = loop.contract parallel [256, 256] reduction [256] lhs %a[d0, d2] : !t rhs %b[d2, d1] : !t acc f32 : !t
          epilogue (%acc, %i, %j) {
        %e = loop.load %d[%i] : tensor<256xbf16>
        %f = arith.extf %e : bf16 to f32
        %g = arith.addf %f, %acc : f32
        %h = arith.truncf %g : f32 to bf16
        loop.yield %h : bf16
      }
      loop.return %c : !t
    }
    return %r : !t
  }
  func.func @rounded(%x: !t, %w: !t, %y: tensor<256xbf16>) -> !t {
    %r = loop.kernel @k ins(%a = %x : !t, %b = %w : !t, %d = %y : tensor<256xbf16>) shared [256, 256] schedule #tiles -> !t {
      %c = loop.contract parallel [256, 256] reduction [256] lhs %a[d0, d2] : !t rhs %b[d2, d1] : !t acc f32 : !t
          epilogue (%acc, %i, %j) {
        %e = loop.load %d[%j] : tensor<256xbf16>
        %f = arith.truncf %acc : f32 to bf16
        %g = arith.addf %f, %e : bf16
        loop.yield %g : bf16
      }
      loop.return %c : !t
    }
    return %r : !t
  }
  func.func @negated(%x: !t, %w: !t) -> !t {
    %r = loop.kernel @k ins(%a = %x : !t, %b = %w : !t) shared [256, 256] schedule #tiles -> !t {
      %c = loop.contract parallel [256, 256] reduction [256] lhs %a[d0, d2] : !t rhs %b[d2, d1] : !t acc f32 : !t
          epilogue (%acc, %i, %j) {
        %g = arith.negf %acc : f32
        %h = arith.truncf %g : f32 to bf16
        loop.yield %h : bf16
      }
      loop.return %c : !t
    }
    return %r : !t
  }
  func.func @factors(%x: !t, %w: !t) -> !t {
    %r = loop.kernel @k ins(%a = %x : !t, %b = %w : !t) shared [256, 256] schedule #tiles -> !t {
      %c = loop.contract parallel [256, 256] reduction [256] lhs %a[d0, d2] : !t rhs %b[d2, d1] : !t acc f32 : !t
          lhs_prologue (%v) {
        %n = arith.negf %v : bf16
        loop.yield %n : bf16
      }
      loop.return %c : !t
    }
    return %r : !t
  }
  func.func @windows(%x: tensor<319xbf16>, %w: tensor<256x64xbf16>) -> !t {
    %r = loop.kernel @k ins(%a = %x : tensor<319xbf16>, %b = %w : tensor<256x64xbf16>) shared [256, 256] schedule #tiles -> !t {
      %c = loop.contract parallel [256, 256] reduction [64] lhs %a[d0 + d2] : tensor<319xbf16> rhs %b[d1, d2] : tensor<256x64xbf16> acc f32 : !t
      loop.return %c : !t
    }
    return %r : !t
  }
}

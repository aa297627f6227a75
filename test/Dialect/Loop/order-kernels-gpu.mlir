// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-fuse=fuse=false --loop-order-kernels | FileCheck %s

// On a GPU small kernels that make results of what was made for them alone stand side by side at
// the end, to be one launch; what is as large as other kernels stays where it is, and so does what
// reads arguments, or what others read.

// CHECK-LABEL: func.func @results
// CHECK: loop.kernel @fused_argument
// CHECK: loop.kernel @fused_parts
// CHECK: loop.kernel @fused_large
// CHECK: loop.kernel @fused_small
!l = tensor<1024x2048xf32>
!s = tensor<2048xf32>
func.func @results(%x: !l, %y: !s) -> (!s, !s, !l) {
  %argument = loop.pointwise (%i) in [2048] origins ["argument"] : !s {
    %v = loop.load %y[2047 - %i] : !s
    loop.yield %v : f32
  }
  %parts = loop.pointwise (%i) in [2048] origins ["parts"] : !s {
    %v = loop.load %y[mod(%i * 3, 2048)] : !s
    loop.yield %v : f32
  }
  %small = loop.pointwise (%i) in [2048] origins ["small"] : !s {
    %v = loop.load %parts[2047 - %i] : !s
    loop.yield %v : f32
  }
  %large = loop.pointwise (%i, %j) in [1024, 2048] origins ["large"] : !l {
    %v = loop.load %x[1023 - %i, %j] : !l
    loop.yield %v : f32
  }
  return %argument, %small, %large : !s, !s, !l
}

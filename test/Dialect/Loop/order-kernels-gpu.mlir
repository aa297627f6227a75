// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-fuse=fuse=false --loop-order-kernels | FileCheck %s

// On a GPU small kernels that make results stand side by side at the end, to be one launch; what
// is as large as other kernels stays where it is, and so does what somebody reads.

// CHECK-LABEL: func.func @results
// CHECK: loop.kernel @fused_large
// CHECK: loop.kernel @fused_read
// CHECK: loop.kernel @fused_reads
// CHECK: loop.kernel @fused_small
// CHECK: loop.kernel @fused_too
!l = tensor<1024x2048xf32>
!s = tensor<2048xf32>
func.func @results(%x: !l, %y: !s, %z: !l) -> (!s, !l, !l, !s) {
  %small = loop.pointwise (%i) in [2048] origins ["small"] : !s {
    %v = loop.load %y[2047 - %i] : !s
    loop.yield %v : f32
  }
  %large = loop.pointwise (%i, %j) in [1024, 2048] origins ["large"] : !l {
    %v = loop.load %x[1023 - %i, %j] : !l
    loop.yield %v : f32
  }
  %read = loop.pointwise (%i) in [2048] origins ["read"] : !s {
    %v = loop.load %y[mod(%i * 3, 2048)] : !s
    loop.yield %v : f32
  }
  %too = loop.pointwise (%i) in [2048] origins ["too"] : !s {
    %v = loop.load %read[2047 - %i] : !s
    loop.yield %v : f32
  }
  %reads = loop.pointwise (%i, %j) in [1024, 2048] origins ["reads"] : !l {
    %v = loop.load %z[%i, 2047 - %j] : !l
    %w = loop.load %read[%j] : !s
    %u = arith.addf %v, %w : f32
    loop.yield %u : f32
  }
  return %small, %large, %reads, %too : !s, !l, !l, !s
}

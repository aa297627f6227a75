// RUN: sed 's/TARGET/#loop.target<vector_bits = 512, registers = 32, masks = true, l1 = 32768, l2 = 1048576, l3 = 33554432, grain_points = 16384, grain_ns = 20000, bf16 = fma, stream = 85983232>/' %s \
// RUN:   | kiln-opt --convert-aten-to-loop --canonicalize | FileCheck %s
// RUN: sed 's/module attributes.*/module {/' %s \
// RUN:   | kiln-opt --pass-pipeline='builtin.module(loop-set-target{chip=sm_80},func.func(convert-aten-to-loop),canonicalize)' \
// RUN:   | FileCheck %s --check-prefix=GPU

// Positions of f32 are computed in f32 on a processor, and are indices of 32 bits there.
// CHECK-LABEL: func.func @sample
// CHECK: loop.pointwise
// CHECK-NOT: f64
// CHECK: arith.fptosi %{{.+}} : f32 to i32
// CHECK: loop.load %arg0[%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}] mask
// CHECK-NOT: f64
// CHECK: return
// GPU-LABEL: func.func @sample
// GPU: arith.fptosi %{{.+}} : f64 to i64

// Others are not.
// CHECK-LABEL: func.func @doubles
// CHECK: arith.fptosi %{{.+}} : f64 to i64
module attributes {loop.target = TARGET} {
  func.func @sample(%x: tensor<2x8x16x16xf32>, %g: tensor<2x5x7x2xf32>) -> tensor<2x8x5x7xf32> {
    %r = aten.grid_sampler_2d(%x, %g, interpolation_mode = 0, padding_mode = 0, align_corners = false) : (tensor<2x8x16x16xf32>, tensor<2x5x7x2xf32>) -> tensor<2x8x5x7xf32>
    return %r : tensor<2x8x5x7xf32>
  }
  func.func @doubles(%x: tensor<2x8x16x16xf64>, %g: tensor<2x5x7x2xf64>) -> tensor<2x8x5x7xf64> {
    %r = aten.grid_sampler_2d(%x, %g, interpolation_mode = 0, padding_mode = 0, align_corners = false) : (tensor<2x8x16x16xf64>, tensor<2x5x7x2xf64>) -> tensor<2x8x5x7xf64>
    return %r : tensor<2x8x5x7xf64>
  }
}

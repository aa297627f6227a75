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

// What a sample weighs, and where it is, is found once for all channels, whose rows it is
// added to.
// CHECK-LABEL: func.func @gradient
// CHECK: %[[WEIGHT:.+]] = loop.pointwise (%{{.+}}, %{{.+}}, %{{.+}}) in [2, 5, 7]
// CHECK: %[[PLACE:.+]] = loop.pointwise (%{{.+}}, %{{.+}}, %{{.+}}) in [2, 5, 7] {{.*}}: tensor<2x5x7xi32>
// CHECK: loop.scatter (%[[N:.+]], %[[C:.+]], %[[Y:.+]], %[[X:.+]]) in [2, 8, 5, 7] {{.*}}<add> {{.*}}: tensor<2x8x256xf32>
// CHECK: %[[AT:.+]] = loop.load %[[PLACE]][%[[N]], %[[Y]], %[[X]]]
// CHECK: loop.load %[[WEIGHT]][%[[N]], %[[Y]], %[[X]]]
// CHECK: loop.yield_at %{{.+}} at[%[[N]], %[[C]], %{{.+}}] if
// CHECK-COUNT-3: loop.scatter
// GPU-LABEL: func.func @gradient
// GPU: loop.scatter ({{.*}}) in [2, 5, 7, 2, 2, 8]
// GPU-NOT: loop.scatter

// Coordinates of an affine grid are images, whose rows are read along.
// CHECK-LABEL: func.func @affine
// CHECK: %[[GRID:.+]] = loop.pointwise (%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) in [2, 2, 5, 7]
// CHECK: loop.pointwise (%[[N:.+]], %[[C:.+]], %[[Y:.+]], %[[X:.+]]) in [2, 8, 5, 7]
// CHECK: loop.load %[[GRID]][%[[N]], 1, %[[Y]], %[[X]]]
// GPU-LABEL: func.func @affine
// GPU: loop.pointwise ({{.*}}) in [2, 5, 7, 2]
module attributes {loop.target = TARGET} {
  func.func @sample(%x: tensor<2x8x16x16xf32>, %g: tensor<2x5x7x2xf32>) -> tensor<2x8x5x7xf32> {
    %r = aten.grid_sampler_2d(%x, %g, interpolation_mode = 0, padding_mode = 0, align_corners = false) : (tensor<2x8x16x16xf32>, tensor<2x5x7x2xf32>) -> tensor<2x8x5x7xf32>
    return %r : tensor<2x8x5x7xf32>
  }
  func.func @doubles(%x: tensor<2x8x16x16xf64>, %g: tensor<2x5x7x2xf64>) -> tensor<2x8x5x7xf64> {
    %r = aten.grid_sampler_2d(%x, %g, interpolation_mode = 0, padding_mode = 0, align_corners = false) : (tensor<2x8x16x16xf64>, tensor<2x5x7x2xf64>) -> tensor<2x8x5x7xf64>
    return %r : tensor<2x8x5x7xf64>
  }
  func.func @gradient(%y: tensor<2x8x5x7xf32>, %x: tensor<2x8x16x16xf32>, %g: tensor<2x5x7x2xf32>) -> (tensor<2x8x16x16xf32>, tensor<2x5x7x2xf32>) {
    %r:2 = aten.grid_sampler_2d_backward(%y, %x, %g, interpolation_mode = 0, padding_mode = 0, align_corners = false, output_mask = [true, true]) : (tensor<2x8x5x7xf32>, tensor<2x8x16x16xf32>, tensor<2x5x7x2xf32>) -> (tensor<2x8x16x16xf32>, tensor<2x5x7x2xf32>)
    return %r#0, %r#1 : tensor<2x8x16x16xf32>, tensor<2x5x7x2xf32>
  }
  func.func @affine(%x: tensor<2x8x16x16xf32>, %m: tensor<2x2x3xf32>) -> tensor<2x8x5x7xf32> {
    %g = aten.affine_grid_generator(%m, size = [2, 8, 5, 7], align_corners = false) : (tensor<2x2x3xf32>) -> tensor<2x5x7x2xf32>
    %r = aten.grid_sampler_2d(%x, %g, interpolation_mode = 0, padding_mode = 0, align_corners = false) : (tensor<2x8x16x16xf32>, tensor<2x5x7x2xf32>) -> tensor<2x8x5x7xf32>
    return %r : tensor<2x8x5x7xf32>
  }
}

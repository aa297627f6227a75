// Derivatives of images: the gradients of all arguments against finite
// differences. Split at the dashes.
// -----
func.func @main(%a0: tensor<1x2x4x5xf64>) -> (tensor<1x2x2x3xf64>) {
  %r = aten._adaptive_avg_pool2d(%a0, output_size = [2, 3]) : (tensor<1x2x4x5xf64>) -> tensor<1x2x2x3xf64>
  return %r : tensor<1x2x2x3xf64>
}
// -----
func.func @main(%a0: tensor<1x2x4x5xf64>) -> (tensor<1x2x2x3xf64>) {
  %r = aten.adaptive_avg_pool2d(%a0, output_size = [2, 3]) : (tensor<1x2x4x5xf64>) -> tensor<1x2x2x3xf64>
  return %r : tensor<1x2x2x3xf64>
}
// -----
func.func @main(%a0: tensor<1x3x4x3xf64>) -> (tensor<1x2x2x2xf64>) {
  %r = aten._adaptive_avg_pool3d(%a0, output_size = [2, 2, 2]) : (tensor<1x3x4x3xf64>) -> tensor<1x2x2x2xf64>
  return %r : tensor<1x2x2x2xf64>
}
// -----
func.func @main(%a0: tensor<1x3x4x3xf64>) -> (tensor<1x2x2x2xf64>) {
  %r = aten.adaptive_avg_pool3d(%a0, output_size = [2, 2, 2]) : (tensor<1x3x4x3xf64>) -> tensor<1x2x2x2xf64>
  return %r : tensor<1x2x2x2xf64>
}
// -----
func.func @main(%a0: tensor<2x5xf64>) -> (tensor<2x3xf64>) {
  %r = aten.adaptive_avg_pool1d(%a0, output_size = [3]) : (tensor<2x5xf64>) -> tensor<2x3xf64>
  return %r : tensor<2x3xf64>
}
// -----
func.func @main(%a0: tensor<2x5xf64>) -> (tensor<2x3xf64>) {
  %r = aten.avg_pool1d(%a0, kernel_size = [2], padding = [1]) : (tensor<2x5xf64>) -> tensor<2x3xf64>
  return %r : tensor<2x3xf64>
}
// -----
func.func @main(%a0: tensor<1x2x4x5xf64>) -> (tensor<1x2x5x3xf64>) {
  %r = aten.avg_pool2d(%a0, kernel_size = [2, 2], stride = [1, 2], count_include_pad = false, padding = [1, 1]) : (tensor<1x2x4x5xf64>) -> tensor<1x2x5x3xf64>
  return %r : tensor<1x2x5x3xf64>
}
// -----
func.func @main(%a0: tensor<1x3x3x3xf64>) -> (tensor<1x2x2x2xf64>) {
  %r = aten.avg_pool3d(%a0, kernel_size = [2, 2, 2], stride = [1, 1, 1]) : (tensor<1x3x3x3xf64>) -> tensor<1x2x2x2xf64>
  return %r : tensor<1x2x2x2xf64>
}
// -----
func.func @main(%a0: tensor<1x2x4x5xf64>) -> (tensor<1x2x5x2xf64>, tensor<1x2x5x2xi64>) {
  %r:2 = aten.max_pool2d_with_indices(%a0, kernel_size = [2, 2], stride = [1, 2], padding = [1, 0]) : (tensor<1x2x4x5xf64>) -> (tensor<1x2x5x2xf64>, tensor<1x2x5x2xi64>)
  return %r#0, %r#1 : tensor<1x2x5x2xf64>, tensor<1x2x5x2xi64>
}
// -----
func.func @main(%a0: tensor<1x3x3x3xf64>) -> (tensor<1x2x2x2xf64>, tensor<1x2x2x2xi64>) {
  %r:2 = aten.max_pool3d_with_indices(%a0, kernel_size = [2, 2, 2], stride = [1, 1, 1]) : (tensor<1x3x3x3xf64>) -> (tensor<1x2x2x2xf64>, tensor<1x2x2x2xi64>)
  return %r#0, %r#1 : tensor<1x2x2x2xf64>, tensor<1x2x2x2xi64>
}
// -----
func.func @main(%a0: tensor<1x2x4x5xf64>) -> (tensor<1x2x2x3xf64>, tensor<1x2x2x3xi64>) {
  %r:2 = aten.adaptive_max_pool2d(%a0, output_size = [2, 3]) : (tensor<1x2x4x5xf64>) -> (tensor<1x2x2x3xf64>, tensor<1x2x2x3xi64>)
  return %r#0, %r#1 : tensor<1x2x2x3xf64>, tensor<1x2x2x3xi64>
}
// -----
func.func @main(%a0: tensor<1x2x3x4x5xf64>) -> (tensor<1x2x2x3x2xf64>, tensor<1x2x2x3x2xi64>) {
  %r:2 = aten.adaptive_max_pool3d(%a0, output_size = [2, 3, 2]) : (tensor<1x2x3x4x5xf64>) -> (tensor<1x2x2x3x2xf64>, tensor<1x2x2x3x2xi64>)
  return %r#0, %r#1 : tensor<1x2x2x3x2xf64>, tensor<1x2x2x3x2xi64>
}
// -----
func.func @main(%a0: tensor<1x2x4x5xf64>) -> (tensor<1x2x6x7xf64>) {
  %r = aten.upsample_nearest2d(%a0, output_size = [6, 7]) : (tensor<1x2x4x5xf64>) -> tensor<1x2x6x7xf64>
  return %r : tensor<1x2x6x7xf64>
}
// -----
func.func @main(%a0: tensor<1x2x4x5xf64>) -> (tensor<1x2x6x7xf64>) {
  %r = aten.upsample_bilinear2d(%a0, output_size = [6, 7], align_corners = false) : (tensor<1x2x4x5xf64>) -> tensor<1x2x6x7xf64>
  return %r : tensor<1x2x6x7xf64>
}
// -----
func.func @main(%a0: tensor<1x2x4xf64>) -> (tensor<1x2x6xf64>) {
  %r = aten.upsample_nearest1d.vec(%a0, output_size = [6]) : (tensor<1x2x4xf64>) -> tensor<1x2x6xf64>
  return %r : tensor<1x2x6xf64>
}
// -----
func.func @main(%a0: tensor<1x2x4x5xf64>) -> (tensor<1x2x6x7xf64>) {
  %r = aten.upsample_nearest2d.vec(%a0, output_size = [6, 7]) : (tensor<1x2x4x5xf64>) -> tensor<1x2x6x7xf64>
  return %r : tensor<1x2x6x7xf64>
}
// -----
func.func @main(%a0: tensor<1x1x2x3x2xf64>) -> (tensor<1x1x3x4x5xf64>) {
  %r = aten.upsample_nearest3d.vec(%a0, output_size = [3, 4, 5]) : (tensor<1x1x2x3x2xf64>) -> tensor<1x1x3x4x5xf64>
  return %r : tensor<1x1x3x4x5xf64>
}
// -----
func.func @main(%a0: tensor<1x2x4x5xf64>) -> (tensor<1x2x6x7xf64>) {
  %r = aten._upsample_nearest_exact2d.vec(%a0, output_size = [6, 7]) : (tensor<1x2x4x5xf64>) -> tensor<1x2x6x7xf64>
  return %r : tensor<1x2x6x7xf64>
}
// -----
func.func @main(%a0: tensor<1x2x4xf64>) -> (tensor<1x2x6xf64>) {
  %r = aten.upsample_linear1d.vec(%a0, output_size = [6], align_corners = true) : (tensor<1x2x4xf64>) -> tensor<1x2x6xf64>
  return %r : tensor<1x2x6xf64>
}
// -----
func.func @main(%a0: tensor<1x2x4x5xf64>) -> (tensor<1x2x6x7xf64>) {
  %r = aten.upsample_bilinear2d.vec(%a0, output_size = [6, 7], align_corners = true) : (tensor<1x2x4x5xf64>) -> tensor<1x2x6x7xf64>
  return %r : tensor<1x2x6x7xf64>
}
// -----
func.func @main(%a0: tensor<1x1x2x3x2xf64>) -> (tensor<1x1x3x4x5xf64>) {
  %r = aten.upsample_trilinear3d.vec(%a0, output_size = [3, 4, 5], align_corners = true) : (tensor<1x1x2x3x2xf64>) -> tensor<1x1x3x4x5xf64>
  return %r : tensor<1x1x3x4x5xf64>
}
// -----
func.func @main(%a0: tensor<1x2x4x5xf64>) -> (tensor<1x2x6x7xf64>) {
  %r = aten.upsample_bicubic2d.vec(%a0, output_size = [6, 7], align_corners = true) : (tensor<1x2x4x5xf64>) -> tensor<1x2x6x7xf64>
  return %r : tensor<1x2x6x7xf64>
}
// -----
func.func @main(%a0: tensor<1x2x4x5xf64>) -> (tensor<1x2x2x3xf64>) {
  %r = aten._upsample_bilinear2d_aa.vec(%a0, output_size = [2, 3], align_corners = false) : (tensor<1x2x4x5xf64>) -> tensor<1x2x2x3xf64>
  return %r : tensor<1x2x2x3xf64>
}
// -----
func.func @main(%a0: tensor<1x2x4x5xf64>, %a1: tensor<1x3x2x2xf64>) -> (tensor<1x2x3x2xf64>) {
  %r = aten.grid_sampler_2d(%a0, %a1, interpolation_mode = 0, padding_mode = 0, align_corners = false) : (tensor<1x2x4x5xf64>, tensor<1x3x2x2xf64>) -> tensor<1x2x3x2xf64>
  return %r : tensor<1x2x3x2xf64>
}
// -----
func.func @main(%a0: tensor<1x2x4x5xf64>, %a1: tensor<1x3x2x2xf64>) -> (tensor<1x2x3x2xf64>) {
  %r = aten.grid_sampler_2d(%a0, %a1, interpolation_mode = 2, padding_mode = 1, align_corners = true) : (tensor<1x2x4x5xf64>, tensor<1x3x2x2xf64>) -> tensor<1x2x3x2xf64>
  return %r : tensor<1x2x3x2xf64>
}
// -----
func.func @main(%a0: tensor<1x2x3x2x3xf64>, %a1: tensor<1x2x1x2x3xf64>) -> (tensor<1x2x2x1x2xf64>) {
  %r = aten.grid_sampler_3d(%a0, %a1, interpolation_mode = 0, padding_mode = 1, align_corners = true) : (tensor<1x2x3x2x3xf64>, tensor<1x2x1x2x3xf64>) -> tensor<1x2x2x1x2xf64>
  return %r : tensor<1x2x2x1x2xf64>
}
// -----
func.func @main(%a0: tensor<2x2x3xf64>) -> (tensor<2x3x4x2xf64>) {
  %r = aten.affine_grid_generator(%a0, size = [2, 1, 3, 4], align_corners = false) : (tensor<2x2x3xf64>) -> tensor<2x3x4x2xf64>
  return %r : tensor<2x3x4x2xf64>
}
// -----
func.func @main(%a0: tensor<1x3x4xf64>) -> (tensor<1x2x3x2x3xf64>) {
  %r = aten.affine_grid_generator(%a0, size = [1, 1, 2, 3, 2], align_corners = true) : (tensor<1x3x4xf64>) -> tensor<1x2x3x2x3xf64>
  return %r : tensor<1x2x3x2x3xf64>
}
// -----
func.func @main(%a0: tensor<1x2x4x5xf64>) -> (tensor<1x8x10xf64>) {
  %r = aten.im2col(%a0, kernel_size = [2, 2], dilation = [1, 1], padding = [1, 0], stride = [1, 2]) : (tensor<1x2x4x5xf64>) -> tensor<1x8x10xf64>
  return %r : tensor<1x8x10xf64>
}
// -----
func.func @main(%a0: tensor<1x8x10xf64>) -> (tensor<1x2x4x5xf64>) {
  %r = aten.col2im(%a0, output_size = [4, 5], kernel_size = [2, 2], dilation = [1, 1], padding = [1, 0], stride = [1, 2]) : (tensor<1x8x10xf64>) -> tensor<1x2x4x5xf64>
  return %r : tensor<1x2x4x5xf64>
}
// -----
func.func @main(%a0: tensor<2x4xf64>) -> (tensor<2x7xf64>) {
  %r = aten.reflection_pad1d(%a0, padding = [1, 2]) : (tensor<2x4xf64>) -> tensor<2x7xf64>
  return %r : tensor<2x7xf64>
}
// -----
func.func @main(%a0: tensor<2x4xf64>) -> (tensor<2x7xf64>) {
  %r = aten.replication_pad1d(%a0, padding = [1, 2]) : (tensor<2x4xf64>) -> tensor<2x7xf64>
  return %r : tensor<2x7xf64>
}
// -----
func.func @main(%a0: tensor<2x3x4xf64>) -> (tensor<2x4x7xf64>) {
  %r = aten.reflection_pad2d(%a0, padding = [1, 2, 0, 1]) : (tensor<2x3x4xf64>) -> tensor<2x4x7xf64>
  return %r : tensor<2x4x7xf64>
}
// -----
func.func @main(%a0: tensor<2x3x4xf64>) -> (tensor<2x4x7xf64>) {
  %r = aten.replication_pad2d(%a0, padding = [1, 2, 0, 1]) : (tensor<2x3x4xf64>) -> tensor<2x4x7xf64>
  return %r : tensor<2x4x7xf64>
}
// -----
func.func @main(%a0: tensor<1x2x3x3xf64>) -> (tensor<1x3x4x5xf64>) {
  %r = aten.reflection_pad3d(%a0, padding = [1, 1, 0, 1, 1, 0]) : (tensor<1x2x3x3xf64>) -> tensor<1x3x4x5xf64>
  return %r : tensor<1x3x4x5xf64>
}
// -----
func.func @main(%a0: tensor<1x2x3x3xf64>) -> (tensor<1x3x4x5xf64>) {
  %r = aten.replication_pad3d(%a0, padding = [1, 1, 0, 1, 1, 0]) : (tensor<1x2x3x3xf64>) -> tensor<1x3x4x5xf64>
  return %r : tensor<1x3x4x5xf64>
}
// -----
func.func @main(%a0: tensor<1x2x3x4xf64>) -> (tensor<1x2x5x7xf64>) {
  %r = aten._pad_circular(%a0, pad = [1, 2, 2, 0]) : (tensor<1x2x3x4xf64>) -> tensor<1x2x5x7xf64>
  return %r : tensor<1x2x5x7xf64>
}

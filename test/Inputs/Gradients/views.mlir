// Derivatives of views: the gradients of all arguments against finite
// differences. Split at the dashes.
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<4x3xf64>) {
  %r = aten.view_copy(%a0, size = [4, 3]) : (tensor<3x4xf64>) -> tensor<4x3xf64>
  return %r : tensor<4x3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<2x3x4xf64>) {
  %r = aten.expand_copy(%a0, size = [2, 3, 4]) : (tensor<3x4xf64>) -> tensor<2x3x4xf64>
  return %r : tensor<2x3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<4x3xf64>) {
  %r = aten.permute_copy(%a0, dims = [1, 0]) : (tensor<3x4xf64>) -> tensor<4x3xf64>
  return %r : tensor<4x3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x2x2xf64>) {
  %r = aten.unflatten.int(%a0, dim = 1, sizes = [2, 2]) : (tensor<3x4xf64>) -> tensor<3x2x2xf64>
  return %r : tensor<3x2x2xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<4x3xf64>) {
  %r = aten.swapaxes(%a0, axis0 = 0, axis1 = 1) : (tensor<3x4xf64>) -> tensor<4x3xf64>
  return %r : tensor<4x3xf64>
}
// -----
func.func @main(%a0: tensor<2x3x4xf64>) -> (tensor<3x4x2xf64>) {
  %r = aten.movedim.int(%a0, source = 0, destination = -1) : (tensor<2x3x4xf64>) -> tensor<3x4x2xf64>
  return %r : tensor<3x4x2xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<4x3xf64>) {
  %r = aten.rot90(%a0, k = 1) : (tensor<3x4xf64>) -> tensor<4x3xf64>
  return %r : tensor<4x3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.rot90(%a0, k = 2, dims = [1, 0]) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<4xf64>) {
  %r = aten.select_copy.int(%a0, dim = 0, index = 1) : (tensor<3x4xf64>) -> tensor<4xf64>
  return %r : tensor<4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x2xf64>) {
  %r = aten.slice_copy.Tensor(%a0, dim = 1, start = 1, step = 2) : (tensor<3x4xf64>) -> tensor<3x2xf64>
  return %r : tensor<3x2xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x2xf64>) {
  %r = aten.narrow(%a0, dim = 1, start = -3, length = 2) : (tensor<3x4xf64>) -> tensor<3x2xf64>
  return %r : tensor<3x2xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x2x3xf64>) {
  %r = aten.unfold(%a0, dimension = 1, size = 3, step = 1) : (tensor<3x4xf64>) -> tensor<3x2x3xf64>
  return %r : tensor<3x2x3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3xf64>) {
  %r = aten.diagonal(%a0, offset = 1) : (tensor<3x4xf64>) -> tensor<3xf64>
  return %r : tensor<3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x5x5xf64>) {
  %r = aten.diag_embed(%a0, offset = -1) : (tensor<3x4xf64>) -> tensor<3x5x5xf64>
  return %r : tensor<3x5x5xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x8xf64>) {
  %r = aten.tile(%a0, dims = [2]) : (tensor<3x4xf64>) -> tensor<3x8xf64>
  return %r : tensor<3x8xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<6x4xf64>) {
  %r = aten.repeat_interleave.self_int(%a0, repeats = 2, dim = 0) : (tensor<3x4xf64>) -> tensor<6x4xf64>
  return %r : tensor<6x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<24xf64>) {
  %r = aten.repeat_interleave.self_int(%a0, repeats = 2) : (tensor<3x4xf64>) -> tensor<24xf64>
  return %r : tensor<24xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<2x3xf64>) {
  %r = aten.as_strided(%a0, size = [2, 3], stride = [4, 2], storage_offset = 1) : (tensor<3x4xf64>) -> tensor<2x3xf64>
  return %r : tensor<2x3xf64>
}
// -----
func.func @main(%a0: tensor<1x4x2xf64>) -> (tensor<1x4x2xf64>) {
  %r = aten.channel_shuffle(%a0, groups = 2) : (tensor<1x4x2xf64>) -> tensor<1x4x2xf64>
  return %r : tensor<1x4x2xf64>
}
// -----
func.func @main(%a0: tensor<1x4x2xf64>) -> (tensor<1x4x2xf64>) {
  %r = aten.native_channel_shuffle(%a0, groups = 2) : (tensor<1x4x2xf64>) -> tensor<1x4x2xf64>
  return %r : tensor<1x4x2xf64>
}
// -----
func.func @main(%a0: tensor<1x4x2x3xf64>) -> (tensor<1x1x4x6xf64>) {
  %r = aten.pixel_shuffle(%a0, upscale_factor = 2) : (tensor<1x4x2x3xf64>) -> tensor<1x1x4x6xf64>
  return %r : tensor<1x1x4x6xf64>
}
// -----
func.func @main(%a0: tensor<1x1x4x6xf64>) -> (tensor<1x4x2x3xf64>) {
  %r = aten.pixel_unshuffle(%a0, downscale_factor = 2) : (tensor<1x1x4x6xf64>) -> tensor<1x4x2x3xf64>
  return %r : tensor<1x4x2x3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.real(%a0) : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<12xf64>) -> (tensor<12xf64>) {
  %r = aten.reshape_as(%a0, %a1) : (tensor<3x4xf64>, tensor<12xf64>) -> tensor<12xf64>
  return %r : tensor<12xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<12xf64>) -> (tensor<12xf64>) {
  %r = aten.view_as(%a0, %a1) : (tensor<3x4xf64>, tensor<12xf64>) -> tensor<12xf64>
  return %r : tensor<12xf64>
}
// -----
func.func @main(%a0: tensor<4xf64>, %a1: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %r = aten.expand_as(%a0, %a1) : (tensor<4xf64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x2xf64>, tensor<3x2xf64>) {
  %r:2 = aten.tensor_split.sections(%a0, sections = 2, dim = 1) : (tensor<3x4xf64>) -> (tensor<3x2xf64>, tensor<3x2xf64>)
  return %r#0, %r#1 : tensor<3x2xf64>, tensor<3x2xf64>
}
// -----
func.func @main(%a0: tensor<3x1xf64>, %a1: tensor<4xf64>) -> (tensor<3x4xf64>, tensor<3x4xf64>) {
  %r:2 = aten.broadcast_tensors([%a0, %a1]) : (tensor<3x1xf64>, tensor<4xf64>) -> (tensor<3x4xf64>, tensor<3x4xf64>)
  return %r#0, %r#1 : tensor<3x4xf64>, tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3xf64>, %a1: tensor<4xf64>) -> (tensor<3x4xf64>, tensor<3x4xf64>) {
  %r:2 = aten.meshgrid([%a0, %a1]) : (tensor<3xf64>, tensor<4xf64>) -> (tensor<3x4xf64>, tensor<3x4xf64>)
  return %r#0, %r#1 : tensor<3x4xf64>, tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3xf64>) -> (tensor<3x4xf64>) {
  %r = aten.diagonal_scatter(%a0, %a1, offset = 1) : (tensor<3x4xf64>, tensor<3xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3xf64>) -> (tensor<3x4xf64>) {
  %r = aten.select_scatter(%a0, %a1, dim = 1, index = 2) : (tensor<3x4xf64>, tensor<3xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x2xf64>) -> (tensor<3x4xf64>) {
  %r = aten.slice_scatter(%a0, %a1, dim = 1, start = 1, end = 3) : (tensor<3x4xf64>, tensor<3x2xf64>) -> tensor<3x4xf64>
  return %r : tensor<3x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x1xf64>, tensor<3x3xf64>) {
  %r:2 = aten.split_with_sizes(%a0, split_sizes = [1, 3], dim = 1) : (tensor<3x4xf64>) -> (tensor<3x1xf64>, tensor<3x3xf64>)
  return %r#0, %r#1 : tensor<3x1xf64>, tensor<3x3xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<3x2xf64>, tensor<3x2xf64>) {
  %r:2 = aten.chunk(%a0, chunks = 2, dim = 1) : (tensor<3x4xf64>) -> (tensor<3x2xf64>, tensor<3x2xf64>)
  return %r#0, %r#1 : tensor<3x2xf64>, tensor<3x2xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>, %a1: tensor<3x4xf64>) -> (tensor<3x2x4xf64>) {
  %r = aten.stack([%a0, %a1], dim = 1) : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x2x4xf64>
  return %r : tensor<3x2x4xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<12xf64>) {
  %r = aten._unsafe_view(%a0, size = [12]) : (tensor<3x4xf64>) -> tensor<12xf64>
  return %r : tensor<12xf64>
}
// -----
func.func @main(%a0: tensor<3x4xf64>) -> (tensor<12xf64>) {
  %r = aten.reshape(%a0, shape = [12]) : (tensor<3x4xf64>) -> tensor<12xf64>
  return %r : tensor<12xf64>
}
// -----
func.func @main(%a0: tensor<2x3x4xf64>) -> (tensor<24xf64>) {
  %r = aten.flatten.using_ints(%a0) : (tensor<2x3x4xf64>) -> tensor<24xf64>
  return %r : tensor<24xf64>
}
// -----
func.func @main(%a0: tensor<2x3x4xf64>) -> (tensor<4x3x2xf64>) {
  %r = aten.numpy_T(%a0) : (tensor<2x3x4xf64>) -> tensor<4x3x2xf64>
  return %r : tensor<4x3x2xf64>
}

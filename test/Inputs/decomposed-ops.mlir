// One op of each record that is decomposed, with arguments that its decomposition
// takes; the unit test DecompositionTest reads it. Every function has the name of
// its op.

func.func @"_fused_rms_norm"(%x0: tensor<8xbf16>) {
  %0:2 = aten._fused_rms_norm(%x0, normalized_shape = [8], eps = 9.9999999999999995E-7) : (tensor<8xbf16>) -> (tensor<8xbf16>, tensor<1xf32>)
  return
}
func.func @"_log_softmax"(%x0: tensor<f64>) {
  %0 = aten._log_softmax(%x0, dim = 0, half_to_float = false) : (tensor<f64>) -> tensor<f64>
  return
}
func.func @"_log_softmax_backward_data"(%x0: tensor<f64>, %x1: tensor<f64>) {
  %0 = aten._log_softmax_backward_data(%x0, %x1, dim = 0, input_dtype = f64) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return
}
func.func @"_native_batch_norm_legit.no_stats"(%x0: tensor<2x1x2x5xf64>) {
  %0:3 = aten._native_batch_norm_legit.no_stats(%x0, training = true, momentum = 1.000000e+00, eps = 1.000000e-05) : (tensor<2x1x2x5xf64>) -> (tensor<2x1x2x5xf64>, tensor<1xf64>, tensor<1xf64>)
  return
}
func.func @"_native_batch_norm_legit_functional"(%x0: tensor<4x4xf32>, %x1: tensor<4xf32>, %x2: tensor<4xf32>) {
  %0:5 = aten._native_batch_norm_legit_functional(%x0, %x1, %x2, training = true, momentum = 1.000000e+00, eps = 1.000000e-03) : (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}
func.func @"_native_batch_norm_legit_no_training"(%x0: tensor<4x6xf64>, %x1: tensor<6xf64>, %x2: tensor<6xf64>) {
  %0:3 = aten._native_batch_norm_legit_no_training(%x0, %x1, %x2, momentum = 1.000000e-01, eps = 1.000000e-05) : (tensor<4x6xf64>, tensor<6xf64>, tensor<6xf64>) -> (tensor<4x6xf64>, tensor<0xf64>, tensor<0xf64>)
  return
}
func.func @"_prelu_kernel_backward"(%x0: tensor<f64>, %x1: tensor<f64>, %x2: tensor<f64>) {
  %0:2 = aten._prelu_kernel_backward(%x0, %x1, %x2) : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return
}
func.func @"_scaled_dot_product_flash_attention_for_cpu"(%x0: tensor<1x1x3x7xf32>, %x1: tensor<1x1x3x7xf32>, %x2: tensor<1x1x3x7xf32>) {
  %0:2 = aten._scaled_dot_product_flash_attention_for_cpu(%x0, %x1, %x2, is_causal = true) : (tensor<1x1x3x7xf32>, tensor<1x1x3x7xf32>, tensor<1x1x3x7xf32>) -> (tensor<1x1x3x7xf32>, tensor<1x1x3xf32>)
  return
}
func.func @"_scaled_dot_product_flash_attention_for_cpu_backward"(%x0: tensor<1x1x6x4xf64>, %x1: tensor<1x1x6x4xf64>, %x2: tensor<1x1x3x4xf64>, %x3: tensor<1x1x3x4xf64>, %x4: tensor<1x1x6x4xf64>, %x5: tensor<1x1x6xf64>) {
  %0:3 = aten._scaled_dot_product_flash_attention_for_cpu_backward(%x0, %x1, %x2, %x3, %x4, %x5, dropout_p = 0.000000e+00, is_causal = false) : (tensor<1x1x6x4xf64>, tensor<1x1x6x4xf64>, tensor<1x1x3x4xf64>, tensor<1x1x3x4xf64>, tensor<1x1x6x4xf64>, tensor<1x1x6xf64>) -> (tensor<1x1x6x4xf64>, tensor<1x1x3x4xf64>, tensor<1x1x3x4xf64>)
  return
}
func.func @"_softmax"(%x0: tensor<f16>) {
  %0 = aten._softmax(%x0, dim = 0, half_to_float = false) : (tensor<f16>) -> tensor<f16>
  return
}
func.func @"_softmax_backward_data"(%x0: tensor<f16>, %x1: tensor<f16>) {
  %0 = aten._softmax_backward_data(%x0, %x1, dim = 0, input_dtype = f16) : (tensor<f16>, tensor<f16>) -> tensor<f16>
  return
}
func.func @"_unsafe_view"(%x0: tensor<f32>) {
  %0 = aten._unsafe_view(%x0, size = []) : (tensor<f32>) -> tensor<f32>
  return
}
func.func @"adaptive_avg_pool1d"(%x0: tensor<2x6xf32>) {
  %0 = aten.adaptive_avg_pool1d(%x0, output_size = [1]) : (tensor<2x6xf32>) -> tensor<2x1xf32>
  return
}
func.func @"adaptive_avg_pool2d"(%x0: tensor<3x6x5xf16>) {
  %0 = aten.adaptive_avg_pool2d(%x0, output_size = [2, 3]) : (tensor<3x6x5xf16>) -> tensor<3x2x3xf16>
  return
}
func.func @"adaptive_avg_pool3d"(%x0: tensor<3x4x4x4xf32>) {
  %0 = aten.adaptive_avg_pool3d(%x0, output_size = [2, 1, 6]) : (tensor<3x4x4x4xf32>) -> tensor<3x2x1x6xf32>
  return
}
func.func @"adaptive_max_pool1d"(%x0: tensor<1x8xf32>) {
  %0:2 = aten.adaptive_max_pool1d(%x0, output_size = [4]) : (tensor<1x8xf32>) -> (tensor<1x4xf32>, tensor<1x4xi64>)
  return
}
func.func @"addbmm"(%x0: tensor<3xf32>, %x1: tensor<3x1x5xf32>, %x2: tensor<3x5x3xf32>) {
  %0 = aten.addbmm(%x0, %x1, %x2) : (tensor<3xf32>, tensor<3x1x5xf32>, tensor<3x5x3xf32>) -> tensor<1x3xf32>
  return
}
func.func @"addcdiv"(%x0: tensor<f64>, %x1: tensor<f64>, %x2: tensor<f64>) {
  %0 = aten.addcdiv(%x0, %x1, %x2) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  return
}
func.func @"addcmul"(%x0: tensor<i64>, %x1: tensor<i64>, %x2: tensor<i64>) {
  %0 = aten.addcmul(%x0, %x1, %x2) : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<i64>
  return
}
func.func @"addmm"(%x0: tensor<i64>, %x1: tensor<2x2xi64>, %x2: tensor<2x3xi64>) {
  %0 = aten.addmm(%x0, %x1, %x2) : (tensor<i64>, tensor<2x2xi64>, tensor<2x3xi64>) -> tensor<2x3xi64>
  return
}
func.func @"addmv"(%x0: tensor<2xf16>, %x1: tensor<2x0xf16>, %x2: tensor<0xf16>) {
  %0 = aten.addmv(%x0, %x1, %x2) : (tensor<2xf16>, tensor<2x0xf16>, tensor<0xf16>) -> tensor<2xf16>
  return
}
func.func @"alias"(%x0: tensor<f16>) {
  %0 = aten.alias(%x0) : (tensor<f16>) -> tensor<f16>
  return
}
func.func @"all"(%x0: tensor<i64>) {
  %0 = aten.all(%x0) : (tensor<i64>) -> tensor<i1>
  return
}
func.func @"all.dim"(%x0: tensor<f64>) {
  %0 = aten.all.dim(%x0, dim = -1) : (tensor<f64>) -> tensor<i1>
  return
}
func.func @"all.dims"(%x0: tensor<f16>) {
  %0 = aten.all.dims(%x0, dim = []) : (tensor<f16>) -> tensor<i1>
  return
}
func.func @"aminmax"(%x0: tensor<i1>) {
  %0:2 = aten.aminmax(%x0) : (tensor<i1>) -> (tensor<i1>, tensor<i1>)
  return
}
func.func @"any.dims"(%x0: tensor<i64>) {
  %0 = aten.any.dims(%x0, dim = []) : (tensor<i64>) -> tensor<i1>
  return
}
func.func @"arange"() {
  %c0_i64 = arith.constant 0 : i64
  %0 = aten.arange(%c0_i64) : (i64) -> tensor<0xi64>
  return
}
func.func @"arange.start"() {
  %c-3_i64 = arith.constant -3 : i64
  %c3_i64 = arith.constant 3 : i64
  %0 = aten.arange.start(%c-3_i64, %c3_i64) : (i64, i64) -> tensor<6xi64>
  return
}
func.func @"as_strided_scatter"(%x0: tensor<1xi1>, %x1: tensor<1xi1>) {
  %0 = aten.as_strided_scatter(%x0, %x1, size = [1], stride = [1], storage_offset = 0) : (tensor<1xi1>, tensor<1xi1>) -> tensor<1xi1>
  return
}
func.func @"avg_pool1d"(%x0: tensor<2x3x9xi64>) {
  %0 = aten.avg_pool1d(%x0, kernel_size = [3]) : (tensor<2x3x9xi64>) -> tensor<2x3x3xi64>
  return
}
func.func @"baddbmm"(%x0: tensor<i32>, %x1: tensor<0x5x5xi32>, %x2: tensor<0x5x10xi32>) {
  %0 = aten.baddbmm(%x0, %x1, %x2) : (tensor<i32>, tensor<0x5x5xi32>, tensor<0x5x10xi32>) -> tensor<0x5x10xi32>
  return
}
func.func @"batch_norm"(%x0: tensor<3x1x8x2xf32>) {
  %0 = aten.batch_norm(%x0, training = true, momentum = 3.000000e-01, eps = 1.000000e-05, cudnn_enabled = false) : (tensor<3x1x8x2xf32>) -> tensor<3x1x8x2xf32>
  return
}
func.func @"batch_norm_backward"(%x0: tensor<3x1xf64>, %x1: tensor<3x1xf64>, %x2: tensor<1xf64>, %x3: tensor<1xf64>, %x4: tensor<1xf64>, %x5: tensor<1xf64>, %x6: tensor<1xf64>, %x7: tensor<0xui8>) {
  %0:3 = aten.batch_norm_backward(%x0, %x1, %x2, running_mean = %x3, running_var = %x4, save_mean = %x5, save_var = %x6, update = true, eps = 1.000000e-05, output_mask = [true, true, true], %x7) : (tensor<3x1xf64>, tensor<3x1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<0xui8>) -> (tensor<3x1xf64>, tensor<1xf64>, tensor<1xf64>)
  return
}
func.func @"bilinear"(%x0: tensor<3xf32>, %x1: tensor<4xf32>, %x2: tensor<5x3x4xf32>, %x3: tensor<5xf32>) {
  %0 = aten.bilinear(%x0, %x1, %x2, bias = %x3) : (tensor<3xf32>, tensor<4xf32>, tensor<5x3x4xf32>, tensor<5xf32>) -> tensor<5xf32>
  return
}
func.func @"binary_cross_entropy"(%x0: tensor<f32>, %x1: tensor<f32>) {
  %0 = aten.binary_cross_entropy(%x0, %x1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}
func.func @"binary_cross_entropy_backward"(%x0: tensor<0xf64>, %x1: tensor<0xf64>, %x2: tensor<0xf64>) {
  %0 = aten.binary_cross_entropy_backward(%x0, %x1, %x2, reduction = 0) : (tensor<0xf64>, tensor<0xf64>, tensor<0xf64>) -> tensor<0xf64>
  return
}
func.func @"binary_cross_entropy_with_logits"(%x0: tensor<2x0x3xf64>, %x1: tensor<2x0x3xf64>) {
  %0 = aten.binary_cross_entropy_with_logits(%x0, %x1, reduction = 2) : (tensor<2x0x3xf64>, tensor<2x0x3xf64>) -> tensor<f64>
  return
}
func.func @"broadcast_tensors"(%x0: tensor<1x2xf32>, %x1: tensor<2x1xi1>) {
  %0:2 = aten.broadcast_tensors([%x0, %x1]) : (tensor<1x2xf32>, tensor<2x1xi1>) -> (tensor<2x2xf32>, tensor<2x2xi1>)
  return
}
func.func @"cartesian_prod"(%x0: tensor<4xf32>, %x1: tensor<1xf32>) {
  %0 = aten.cartesian_prod([%x0, %x1]) : (tensor<4xf32>, tensor<1xf32>) -> tensor<4x2xf32>
  return
}
func.func @"channel_shuffle"(%x0: tensor<2x8x5x5xi1>) {
  %0 = aten.channel_shuffle(%x0, groups = 4) : (tensor<2x8x5x5xi1>) -> tensor<2x8x5x5xi1>
  return
}
func.func @"chunk"(%x0: tensor<5xi32>) {
  %0 = aten.chunk(%x0, chunks = 1) : (tensor<5xi32>) -> tensor<5xi32>
  return
}
func.func @"clamp_max"(%x0: tensor<f16>) {
  %c1_i64 = arith.constant 1 : i64
  %0 = aten.clamp_max(%x0, %c1_i64) : (tensor<f16>, i64) -> tensor<f16>
  return
}
func.func @"clamp_min"(%x0: tensor<bf16>) {
  %c0_i64 = arith.constant 0 : i64
  %0 = aten.clamp_min(%x0, %c0_i64) : (tensor<bf16>, i64) -> tensor<bf16>
  return
}
func.func @"contiguous"(%x0: tensor<ui8>) {
  %0 = aten.contiguous(%x0) : (tensor<ui8>) -> tensor<ui8>
  return
}
func.func @"conv1d"(%x0: tensor<4x5xi64>, %x1: tensor<3x4x3xi64>) {
  %0 = aten.conv1d(%x0, %x1) : (tensor<4x5xi64>, tensor<3x4x3xi64>) -> tensor<3x3xi64>
  return
}
func.func @"conv1d.padding"(%x0: tensor<1x2x8xf32>, %x1: tensor<3x2x3xf32>) {
  %0 = aten.conv1d.padding(%x0, %x1, padding = "same") : (tensor<1x2x8xf32>, tensor<3x2x3xf32>) -> tensor<1x3x8xf32>
  return
}
func.func @"conv2d"(%x0: tensor<4x6x6xbf16>, %x1: tensor<8x1x3x3xbf16>) {
  %0 = aten.conv2d(%x0, %x1, groups = 4) : (tensor<4x6x6xbf16>, tensor<8x1x3x3xbf16>) -> tensor<8x4x4xbf16>
  return
}
func.func @"conv2d.padding"(%x0: tensor<1x2x8x8xf32>, %x1: tensor<3x2x3x2xf32>) {
  %0 = aten.conv2d.padding(%x0, %x1, padding = "same") : (tensor<1x2x8x8xf32>, tensor<3x2x3x2xf32>) -> tensor<1x3x8x8xf32>
  return
}
func.func @"conv3d"(%x0: tensor<1x2x4x4x4xf32>, %x1: tensor<1x2x2x2x2xf32>) {
  %0 = aten.conv3d(%x0, %x1, stride = [2, 1, 2], padding = [1, 0, 1], dilation = [1, 2, 1]) : (tensor<1x2x4x4x4xf32>, tensor<1x2x2x2x2xf32>) -> tensor<1x1x3x2x3xf32>
  return
}
func.func @"conv3d.padding"(%x0: tensor<1x2x8x8x8xf32>, %x1: tensor<3x2x3x3x3xf32>) {
  %0 = aten.conv3d.padding(%x0, %x1, padding = "valid") : (tensor<1x2x8x8x8xf32>, tensor<3x2x3x3x3xf32>) -> tensor<1x3x6x6x6xf32>
  return
}
func.func @"conv_transpose1d"(%x0: tensor<4x5xbf16>, %x1: tensor<4x8x3xbf16>) {
  %0 = aten.conv_transpose1d(%x0, %x1) : (tensor<4x5xbf16>, tensor<4x8x3xbf16>) -> tensor<8x7xbf16>
  return
}
func.func @"conv_transpose2d.input"(%x0: tensor<1x1x6x6xf16>, %x1: tensor<1x3x1x3xf16>, %x2: tensor<3xf16>) {
  %0 = aten.conv_transpose2d.input(%x0, %x1, bias = %x2, padding = [2, 1]) : (tensor<1x1x6x6xf16>, tensor<1x3x1x3xf16>, tensor<3xf16>) -> tensor<1x3x2x6xf16>
  return
}
func.func @"conv_transpose3d.input"(%x0: tensor<1x1x6x6x6xf32>, %x1: tensor<1x3x1x3x2xf32>) {
  %0 = aten.conv_transpose3d.input(%x0, %x1) : (tensor<1x1x6x6x6xf32>, tensor<1x3x1x3x2xf32>) -> tensor<1x3x6x8x7xf32>
  return
}
func.func @"cosine_similarity"(%x0: tensor<f64>, %x1: tensor<f64>) {
  %0 = aten.cosine_similarity(%x0, %x1, dim = 0) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return
}
func.func @"count_nonzero"(%x0: tensor<i1>) {
  %0 = aten.count_nonzero(%x0, dim = -1) : (tensor<i1>) -> tensor<i64>
  return
}
func.func @"cross"(%x0: tensor<5x3xf16>, %x1: tensor<5x3xf16>) {
  %0 = aten.cross(%x0, %x1) : (tensor<5x3xf16>, tensor<5x3xf16>) -> tensor<5x3xf16>
  return
}
func.func @"cross_entropy_loss"(%x0: tensor<6x3xf64>, %x1: tensor<6xi64>) {
  %0 = aten.cross_entropy_loss(%x0, %x1) : (tensor<6x3xf64>, tensor<6xi64>) -> tensor<f64>
  return
}
func.func @"detach"(%x0: tensor<f32>) {
  %0 = aten.detach(%x0) : (tensor<f32>) -> tensor<f32>
  return
}
func.func @"diag_embed"(%x0: tensor<2xi1>) {
  %0 = aten.diag_embed(%x0, offset = -1) : (tensor<2xi1>) -> tensor<3x3xi1>
  return
}
func.func @"diagonal_backward"(%x0: tensor<2xf32>) {
  %0 = aten.diagonal_backward(%x0, input_sizes = [8, 2], offset = 0, dim1 = 0, dim2 = 1) : (tensor<2xf32>) -> tensor<8x2xf32>
  return
}
func.func @"diagonal_scatter"(%x0: tensor<3x5xi32>, %x1: tensor<3xi32>) {
  %0 = aten.diagonal_scatter(%x0, %x1) : (tensor<3x5xi32>, tensor<3xi32>) -> tensor<3x5xi32>
  return
}
func.func @"diff"(%x0: tensor<13xi64>) {
  %0 = aten.diff(%x0) : (tensor<13xi64>) -> tensor<12xi64>
  return
}
func.func @"dot"(%x0: tensor<0xf32>, %x1: tensor<0xf32>) {
  %0 = aten.dot(%x0, %x1) : (tensor<0xf32>, tensor<0xf32>) -> tensor<f32>
  return
}
func.func @"dropout"(%x0: tensor<f32>) {
  %0 = aten.dropout(%x0, p = 0.000000e+00, train = true) : (tensor<f32>) -> tensor<f32>
  return
}
func.func @"einsum"(%x0: tensor<2x2xf32>) {
  %0 = aten.einsum(equation = "ii", [%x0]) : (tensor<2x2xf32>) -> tensor<f32>
  return
}
func.func @"empty_like"(%x0: tensor<i8>) {
  %0 = aten.empty_like(%x0) : (tensor<i8>) -> tensor<i8>
  return
}
func.func @"empty_permuted"() {
  %0 = aten.empty_permuted(size = [], physical_layout = [], dtype = i32) : () -> tensor<i32>
  return
}
func.func @"empty_strided"() {
  %0 = aten.empty_strided(size = [7], stride = [1]) : () -> tensor<7xf32>
  return
}
func.func @"expand_as"(%x0: tensor<i32>, %x1: tensor<i32>) {
  %0 = aten.expand_as(%x0, %x1) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  return
}
func.func @"expand_copy"(%x0: tensor<i64>) {
  %0 = aten.expand_copy(%x0, size = []) : (tensor<i64>) -> tensor<i64>
  return
}
func.func @"eye"() {
  %0 = aten.eye(n = 3) : () -> tensor<3x3xf32>
  return
}
func.func @"fill.Tensor"(%x0: tensor<f16>, %x1: tensor<i64>) {
  %0 = aten.fill.Tensor(%x0, %x1) : (tensor<f16>, tensor<i64>) -> tensor<f16>
  return
}
func.func @"flatten.using_ints"(%x0: tensor<i1>) {
  %0 = aten.flatten.using_ints(%x0) : (tensor<i1>) -> tensor<1xi1>
  return
}
func.func @"gelu"(%x0: tensor<f32>) {
  %0 = aten.gelu(%x0) : (tensor<f32>) -> tensor<f32>
  return
}
func.func @"gelu_backward"(%x0: tensor<f16>, %x1: tensor<f16>) {
  %0 = aten.gelu_backward(%x0, %x1) : (tensor<f16>, tensor<f16>) -> tensor<f16>
  return
}
func.func @"glu"(%x0: tensor<2xf64>) {
  %0 = aten.glu(%x0) : (tensor<2xf64>) -> tensor<1xf64>
  return
}
func.func @"glu_backward"(%x0: tensor<1xf16>, %x1: tensor<2xf16>) {
  %0 = aten.glu_backward(%x0, %x1, dim = -1) : (tensor<1xf16>, tensor<2xf16>) -> tensor<2xf16>
  return
}
func.func @"group_norm"(%x0: tensor<3x6xf16>) {
  %0 = aten.group_norm(%x0, num_groups = 3, eps = 1.000000e-04) : (tensor<3x6xf16>) -> tensor<3x6xf16>
  return
}
func.func @"gru.input"(%x0: tensor<3x2x4xf32>, %x1: tensor<1x3x1xf32>, %x2: tensor<3x4xf32>, %x3: tensor<3x1xf32>) {
  %0:2 = aten.gru.input(%x0, %x1, [%x2, %x3], has_biases = false, num_layers = 1, dropout = 0.000000e+00, train = false, bidirectional = false, batch_first = true) : (tensor<3x2x4xf32>, tensor<1x3x1xf32>, tensor<3x4xf32>, tensor<3x1xf32>) -> (tensor<3x2x1xf32>, tensor<1x3x1xf32>)
  return
}
func.func @"gru_cell"(%x0: tensor<3x2xf16>, %x1: tensor<3x3xf16>, %x2: tensor<9x2xf16>, %x3: tensor<9x3xf16>) {
  %0 = aten.gru_cell(%x0, %x1, %x2, %x3) : (tensor<3x2xf16>, tensor<3x3xf16>, tensor<9x2xf16>, tensor<9x3xf16>) -> tensor<3x3xf16>
  return
}
func.func @"hstack"(%x0: tensor<8x2x3xui8>) {
  %0 = aten.hstack([%x0]) : (tensor<8x2x3xui8>) -> tensor<8x2x3xui8>
  return
}
func.func @"huber_loss"(%x0: tensor<1xf32>, %x1: tensor<1xf32>) {
  %0 = aten.huber_loss(%x0, %x1, reduction = 2) : (tensor<1xf32>, tensor<1xf32>) -> tensor<f32>
  return
}
func.func @"huber_loss_backward"(%x0: tensor<f16>, %x1: tensor<f16>, %x2: tensor<f16>) {
  %0 = aten.huber_loss_backward(%x0, %x1, %x2, reduction = 0, delta = 2.000000e+00) : (tensor<f16>, tensor<f16>, tensor<f16>) -> tensor<f16>
  return
}
func.func @"instance_norm"(%x0: tensor<3x3x9x11xbf16>) {
  %0 = aten.instance_norm(%x0, use_input_stats = true, momentum = 1.000000e-01, eps = 1.000000e-05, cudnn_enabled = false) : (tensor<3x3x9x11xbf16>) -> tensor<3x3x9x11xbf16>
  return
}
func.func @"kl_div"(%x0: tensor<0xf32>, %x1: tensor<0xf32>) {
  %0 = aten.kl_div(%x0, %x1) : (tensor<0xf32>, tensor<0xf32>) -> tensor<f32>
  return
}
func.func @"l1_loss"(%x0: tensor<f16>, %x1: tensor<f16>) {
  %0 = aten.l1_loss(%x0, %x1) : (tensor<f16>, tensor<f16>) -> tensor<f16>
  return
}
func.func @"layer_norm"(%x0: tensor<3xf64>) {
  %0 = aten.layer_norm(%x0, normalized_shape = [3], eps = 1.000000e-03) : (tensor<3xf64>) -> tensor<3xf64>
  return
}
func.func @"lerp.Scalar"(%x0: tensor<f16>, %x1: tensor<f16>) {
  %cst = arith.constant 4.000000e-01 : f64
  %0 = aten.lerp.Scalar(%x0, %x1, %cst) : (tensor<f16>, tensor<f16>, f64) -> tensor<f16>
  return
}
func.func @"lift_fresh_copy"(%x0: tensor<f32>) {
  %0 = aten.lift_fresh_copy(%x0) : (tensor<f32>) -> tensor<f32>
  return
}
func.func @"linalg_cross"(%x0: tensor<1x3xui8>, %x1: tensor<5x3xui8>) {
  %0 = aten.linalg_cross(%x0, %x1) : (tensor<1x3xui8>, tensor<5x3xui8>) -> tensor<5x3xui8>
  return
}
func.func @"linalg_vector_norm"(%x0: tensor<2x2xf16>) {
  %0 = aten.linalg_vector_norm(%x0, dim = [1, 0], keepdim = true) : (tensor<2x2xf16>) -> tensor<1x1xf16>
  return
}
func.func @"linear"(%x0: tensor<3x13xbf16>, %x1: tensor<8x13xbf16>) {
  %0 = aten.linear(%x0, %x1) : (tensor<3x13xbf16>, tensor<8x13xbf16>) -> tensor<3x8xbf16>
  return
}
func.func @"linspace"() {
  %c-2_i64 = arith.constant -2 : i64
  %c4_i64 = arith.constant 4 : i64
  %0 = aten.linspace(%c-2_i64, %c4_i64, steps = 9) : (i64, i64) -> tensor<9xf32>
  return
}
func.func @"log_sigmoid_backward"(%x0: tensor<f16>, %x1: tensor<f16>, %x2: tensor<f16>) {
  %0 = aten.log_sigmoid_backward(%x0, %x1, %x2) : (tensor<f16>, tensor<f16>, tensor<f16>) -> tensor<f16>
  return
}
func.func @"log_sigmoid_forward"(%x0: tensor<f64>) {
  %0:2 = aten.log_sigmoid_forward(%x0) : (tensor<f64>) -> (tensor<f64>, tensor<f64>)
  return
}
func.func @"log_softmax.int"(%x0: tensor<f16>) {
  %0 = aten.log_softmax.int(%x0, dim = 0, dtype = f32) : (tensor<f16>) -> tensor<f32>
  return
}
func.func @"logspace"() {
  %c-3_i64 = arith.constant -3 : i64
  %c2_i64 = arith.constant 2 : i64
  %0 = aten.logspace(%c-3_i64, %c2_i64, steps = 5) : (i64, i64) -> tensor<5xf32>
  return
}
func.func @"logsumexp"(%x0: tensor<f16>) {
  %0 = aten.logsumexp(%x0, dim = []) : (tensor<f16>) -> tensor<f16>
  return
}
func.func @"lstm.input"(%x0: tensor<3x2x1xf32>, %x1: tensor<1x3x2xf32>, %x2: tensor<1x3x2xf32>, %x3: tensor<8x1xf32>, %x4: tensor<8x2xf32>, %x5: tensor<8xf32>, %x6: tensor<8xf32>) {
  %0:3 = aten.lstm.input(%x0, [%x1, %x2], [%x3, %x4, %x5, %x6], has_biases = true, num_layers = 1, dropout = 0.000000e+00, train = false, bidirectional = false, batch_first = true) : (tensor<3x2x1xf32>, tensor<1x3x2xf32>, tensor<1x3x2xf32>, tensor<8x1xf32>, tensor<8x2xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<3x2x2xf32>, tensor<1x3x2xf32>, tensor<1x3x2xf32>)
  return
}
func.func @"lstm_cell"(%x0: tensor<3x2xf32>, %x1: tensor<3x2xf32>, %x2: tensor<3x2xf32>, %x3: tensor<8x2xf32>, %x4: tensor<8x2xf32>) {
  %0:2 = aten.lstm_cell(%x0, [%x1, %x2], %x3, %x4) : (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<8x2xf32>, tensor<8x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>)
  return
}
func.func @"masked_fill.Scalar"(%x0: tensor<i1>, %x1: tensor<i1>) {
  %c10_i64 = arith.constant 10 : i64
  %0 = aten.masked_fill.Scalar(%x0, %x1, %c10_i64) : (tensor<i1>, tensor<i1>, i64) -> tensor<i1>
  return
}
func.func @"masked_fill.Tensor"(%x0: tensor<i1>, %x1: tensor<i1>, %x2: tensor<i1>) {
  %0 = aten.masked_fill.Tensor(%x0, %x1, %x2) : (tensor<i1>, tensor<i1>, tensor<i1>) -> tensor<i1>
  return
}
func.func @"matmul"(%x0: tensor<7xi64>, %x1: tensor<7xi64>) {
  %0 = aten.matmul(%x0, %x1) : (tensor<7xi64>, tensor<7xi64>) -> tensor<i64>
  return
}
func.func @"max"(%x0: tensor<i1>) {
  %0 = aten.max(%x0) : (tensor<i1>) -> tensor<i1>
  return
}
func.func @"max_pool1d"(%x0: tensor<1x1x6xf64>) {
  %0 = aten.max_pool1d(%x0, kernel_size = [1]) : (tensor<1x1x6xf64>) -> tensor<1x1x6xf64>
  return
}
func.func @"max_pool1d_with_indices"(%x0: tensor<1x9xf32>) {
  %0:2 = aten.max_pool1d_with_indices(%x0, kernel_size = [3]) : (tensor<1x9xf32>) -> (tensor<1x3xf32>, tensor<1x3xi64>)
  return
}
func.func @"max_pool2d"(%x0: tensor<1x3x5x6xf32>) {
  %0 = aten.max_pool2d(%x0, kernel_size = [1, 3]) : (tensor<1x3x5x6xf32>) -> tensor<1x3x5x2xf32>
  return
}
func.func @"max_pool3d"(%x0: tensor<1x1x4x4x6xf32>) {
  %0 = aten.max_pool3d(%x0, kernel_size = [2, 2, 3]) : (tensor<1x1x4x4x6xf32>) -> tensor<1x1x2x2x2xf32>
  return
}
func.func @"mean"(%x0: tensor<f16>) {
  %0 = aten.mean(%x0) : (tensor<f16>) -> tensor<f16>
  return
}
func.func @"mean.dim"(%x0: tensor<f64>) {
  %0 = aten.mean.dim(%x0, dim = []) : (tensor<f64>) -> tensor<f64>
  return
}
func.func @"meshgrid"(%x0: tensor<3xf32>, %x1: tensor<2xf32>) {
  %0:2 = aten.meshgrid([%x0, %x1]) : (tensor<3xf32>, tensor<2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>)
  return
}
func.func @"min"(%x0: tensor<i8>) {
  %0 = aten.min(%x0) : (tensor<i8>) -> tensor<i8>
  return
}
func.func @"movedim.int"(%x0: tensor<0x3xi8>) {
  %0 = aten.movedim.int(%x0, source = 0, destination = 1) : (tensor<0x3xi8>) -> tensor<3x0xi8>
  return
}
func.func @"mse_loss"(%x0: tensor<f16>, %x1: tensor<f16>) {
  %0 = aten.mse_loss(%x0, %x1) : (tensor<f16>, tensor<f16>) -> tensor<f16>
  return
}
func.func @"mse_loss_backward"(%x0: tensor<f64>, %x1: tensor<f64>, %x2: tensor<f64>) {
  %0 = aten.mse_loss_backward(%x0, %x1, %x2, reduction = 0) : (tensor<f64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  return
}
func.func @"multi_margin_loss"(%x0: tensor<10x5xf64>, %x1: tensor<10xi64>) {
  %0 = aten.multi_margin_loss(%x0, %x1) : (tensor<10x5xf64>, tensor<10xi64>) -> tensor<f64>
  return
}
func.func @"mv"(%x0: tensor<2x0xf32>, %x1: tensor<0xf32>) {
  %0 = aten.mv(%x0, %x1) : (tensor<2x0xf32>, tensor<0xf32>) -> tensor<2xf32>
  return
}
func.func @"nan_to_num"(%x0: tensor<i1>) {
  %0 = aten.nan_to_num(%x0) : (tensor<i1>) -> tensor<i1>
  return
}
func.func @"nansum"(%x0: tensor<2x8xi1>) {
  %0 = aten.nansum(%x0, dim = [1]) : (tensor<2x8xi1>) -> tensor<2xi64>
  return
}
func.func @"narrow"(%x0: tensor<5x7xi1>) {
  %0 = aten.narrow(%x0, dim = 0, start = 5, length = 0) : (tensor<5x7xi1>) -> tensor<0x7xi1>
  return
}
func.func @"native_batch_norm"(%x0: tensor<1x2x3xf16>) {
  %0:3 = aten.native_batch_norm(%x0, training = true, momentum = 1.000000e-01, eps = 1.000000e-05) : (tensor<1x2x3xf16>) -> (tensor<1x2x3xf16>, tensor<2xf16>, tensor<2xf16>)
  return
}
func.func @"native_batch_norm_backward"(%x0: tensor<1x2x3xf32>, %x1: tensor<1x2x3xf32>, %x2: tensor<2xf32>, %x3: tensor<2xf32>) {
  %0:3 = aten.native_batch_norm_backward(%x0, %x1, save_mean = %x2, save_invstd = %x3, train = true, eps = 1.000000e-05, output_mask = [true, false, false]) : (tensor<1x2x3xf32>, tensor<1x2x3xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<1x2x3xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}
func.func @"native_channel_shuffle"(%x0: tensor<2x6x2x3xf32>) {
  %0 = aten.native_channel_shuffle(%x0, groups = 3) : (tensor<2x6x2x3xf32>) -> tensor<2x6x2x3xf32>
  return
}
func.func @"native_dropout"(%x0: tensor<bf16>) {
  %0:2 = aten.native_dropout(%x0, p = 0.000000e+00, train = true) : (tensor<bf16>) -> (tensor<bf16>, tensor<i1>)
  return
}
func.func @"native_group_norm"(%x0: tensor<2x2xf16>) {
  %0:3 = aten.native_group_norm(%x0, N = 2, C = 2, HxW = 1, group = 1, eps = 1.000000e-05) : (tensor<2x2xf16>) -> (tensor<2x2xf16>, tensor<2x1xf16>, tensor<2x1xf16>)
  return
}
func.func @"native_group_norm_backward"(%x0: tensor<2x3x7xf32>, %x1: tensor<2x3x7xf32>, %x2: tensor<2x3xf32>, %x3: tensor<2x3xf32>) {
  %0:3 = aten.native_group_norm_backward(%x0, %x1, %x2, %x3, N = 2, C = 3, HxW = 7, group = 3, output_mask = [true, true, true]) : (tensor<2x3x7xf32>, tensor<2x3x7xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3x7xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
func.func @"native_layer_norm"(%x0: tensor<2xf64>) {
  %0:3 = aten.native_layer_norm(%x0, normalized_shape = [2], eps = 1.000000e-03) : (tensor<2xf64>) -> (tensor<2xf64>, tensor<1xf64>, tensor<1xf64>)
  return
}
func.func @"native_layer_norm_backward"(%x0: tensor<1xf32>, %x1: tensor<1xf32>, %x2: tensor<1xf32>, %x3: tensor<1xf32>, %x4: tensor<1xf32>) {
  %0:3 = aten.native_layer_norm_backward(%x0, %x1, normalized_shape = [1], %x2, %x3, bias = %x4, output_mask = [true, false, true]) : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  return
}
func.func @"new_empty"(%x0: tensor<3x8xui8>) {
  %0 = aten.new_empty(%x0, size = [2, 7]) : (tensor<3x8xui8>) -> tensor<2x7xui8>
  return
}
func.func @"new_empty_strided"(%x0: tensor<bf16>) {
  %0 = aten.new_empty_strided(%x0, size = [], stride = []) : (tensor<bf16>) -> tensor<bf16>
  return
}
func.func @"new_full"(%x0: tensor<i1>) {
  %true = arith.constant true
  %0 = aten.new_full(%x0, size = [], %true, pin_memory = false) : (tensor<i1>, i1) -> tensor<i1>
  return
}
func.func @"new_ones"(%x0: tensor<8x2xi16>) {
  %0 = aten.new_ones(%x0, size = [2, 2]) : (tensor<8x2xi16>) -> tensor<2x2xi16>
  return
}
func.func @"new_zeros"(%x0: tensor<8xi16>) {
  %0 = aten.new_zeros(%x0, size = [3, 3]) : (tensor<8xi16>) -> tensor<3x3xi16>
  return
}
func.func @"nll_loss2d_backward"(%x0: tensor<2x2x2xf16>, %x1: tensor<2x3x2x2xf16>, %x2: tensor<2x2x2xi64>, %x3: tensor<f16>) {
  %0 = aten.nll_loss2d_backward(%x0, %x1, %x2, reduction = 0, ignore_index = 0, %x3) : (tensor<2x2x2xf16>, tensor<2x3x2x2xf16>, tensor<2x2x2xi64>, tensor<f16>) -> tensor<2x3x2x2xf16>
  return
}
func.func @"nll_loss2d_forward"(%x0: tensor<4x2x1x2xf64>, %x1: tensor<4x1x2xi64>) {
  %0:2 = aten.nll_loss2d_forward(%x0, %x1, reduction = 1, ignore_index = -100) : (tensor<4x2x1x2xf64>, tensor<4x1x2xi64>) -> (tensor<f64>, tensor<f64>)
  return
}
func.func @"nll_loss_backward"(%x0: tensor<bf16>, %x1: tensor<3xbf16>, %x2: tensor<i64>, %x3: tensor<bf16>) {
  %0 = aten.nll_loss_backward(%x0, %x1, %x2, reduction = 0, ignore_index = 0, %x3) : (tensor<bf16>, tensor<3xbf16>, tensor<i64>, tensor<bf16>) -> tensor<3xbf16>
  return
}
func.func @"nll_loss_forward"(%x0: tensor<3xf16>, %x1: tensor<i64>) {
  %0:2 = aten.nll_loss_forward(%x0, %x1, reduction = 0, ignore_index = 0) : (tensor<3xf16>, tensor<i64>) -> (tensor<f16>, tensor<f16>)
  return
}
func.func @"nll_loss_nd"(%x0: tensor<4x4xf32>, %x1: tensor<4xi64>) {
  %0 = aten.nll_loss_nd(%x0, %x1, ignore_index = 1) : (tensor<4x4xf32>, tensor<4xi64>) -> tensor<f32>
  return
}
func.func @"norm.Scalar"(%x0: tensor<1xf32>) {
  %0 = aten.norm.Scalar(%x0) : (tensor<1xf32>) -> tensor<f32>
  return
}
func.func @"norm.ScalarOpt_dim"(%x0: tensor<0xf32>) {
  %0 = aten.norm.ScalarOpt_dim(%x0, dim = [0]) : (tensor<0xf32>) -> tensor<f32>
  return
}
func.func @"numpy_T"(%x0: tensor<8x2xf32>) {
  %0 = aten.numpy_T(%x0) : (tensor<8x2xf32>) -> tensor<2x8xf32>
  return
}
func.func @"one_hot"(%x0: tensor<i64>) {
  %0 = aten.one_hot(%x0, num_classes = 6) : (tensor<i64>) -> tensor<6xi64>
  return
}
func.func @"ones"() {
  %0 = aten.ones(size = []) : () -> tensor<f32>
  return
}
func.func @"ones_like"(%x0: tensor<5x8xi8>) {
  %0 = aten.ones_like(%x0) : (tensor<5x8xi8>) -> tensor<5x8xi8>
  return
}
func.func @"outer"(%x0: tensor<5xi1>, %x1: tensor<10xi1>) {
  %0 = aten.outer(%x0, %x1) : (tensor<5xi1>, tensor<10xi1>) -> tensor<5x10xi1>
  return
}
func.func @"pad"(%x0: tensor<2x5xf64>) {
  %0 = aten.pad(%x0, pad = [0, 0]) : (tensor<2x5xf64>) -> tensor<2x5xf64>
  return
}
func.func @"pairwise_distance"(%x0: tensor<3xbf16>, %x1: tensor<3xbf16>) {
  %0 = aten.pairwise_distance(%x0, %x1) : (tensor<3xbf16>, tensor<3xbf16>) -> tensor<bf16>
  return
}
func.func @"permute_copy"(%x0: tensor<ui8>) {
  %0 = aten.permute_copy(%x0, dims = []) : (tensor<ui8>) -> tensor<ui8>
  return
}
func.func @"pixel_shuffle"(%x0: tensor<1x9x2x2xi1>) {
  %0 = aten.pixel_shuffle(%x0, upscale_factor = 3) : (tensor<1x9x2x2xi1>) -> tensor<1x1x6x6xi1>
  return
}
func.func @"pixel_unshuffle"(%x0: tensor<1x1x6x6xi1>) {
  %0 = aten.pixel_unshuffle(%x0, downscale_factor = 3) : (tensor<1x1x6x6xi1>) -> tensor<1x9x2x2xi1>
  return
}
func.func @"prelu"(%x0: tensor<f16>, %x1: tensor<f16>) {
  %0 = aten.prelu(%x0, %x1) : (tensor<f16>, tensor<f16>) -> tensor<f16>
  return
}
func.func @"rand_like"(%x0: tensor<f16>) {
  %0 = aten.rand_like(%x0) : (tensor<f16>) -> tensor<f16>
  return
}
func.func @"randn_like"(%x0: tensor<f16>) {
  %0 = aten.randn_like(%x0) : (tensor<f16>) -> tensor<f16>
  return
}
func.func @"renorm"(%x0: tensor<5x5x5xf16>) {
  %c1_i64 = arith.constant 1 : i64
  %c3_i64 = arith.constant 3 : i64
  %0 = aten.renorm(%x0, %c1_i64, dim = 2, %c3_i64) : (tensor<5x5x5xf16>, i64, i64) -> tensor<5x5x5xf16>
  return
}
func.func @"repeat"(%x0: tensor<f16>) {
  %0 = aten.repeat(%x0, repeats = []) : (tensor<f16>) -> tensor<f16>
  return
}
func.func @"repeat_interleave.self_int"(%x0: tensor<i1>) {
  %0 = aten.repeat_interleave.self_int(%x0, repeats = 2) : (tensor<i1>) -> tensor<2xi1>
  return
}
func.func @"reshape"(%x0: tensor<f16>) {
  %0 = aten.reshape(%x0, shape = []) : (tensor<f16>) -> tensor<f16>
  return
}
func.func @"reshape_as"(%x0: tensor<i1>, %x1: tensor<1xi1>) {
  %0 = aten.reshape_as(%x0, %x1) : (tensor<i1>, tensor<1xi1>) -> tensor<1xi1>
  return
}
func.func @"rms_norm"(%x0: tensor<5x3xf16>) {
  %0 = aten.rms_norm(%x0, normalized_shape = [3], eps = 1.000000e-05) : (tensor<5x3xf16>) -> tensor<5x3xf16>
  return
}
func.func @"rnn_relu.input"(%x0: tensor<1x4x3xf32>, %x1: tensor<1x1x2xf32>, %x2: tensor<2x3xf32>, %x3: tensor<2x2xf32>) {
  %0:2 = aten.rnn_relu.input(%x0, %x1, [%x2, %x3], has_biases = false, num_layers = 1, dropout = 0.0, train = false, bidirectional = false, batch_first = true) : (tensor<1x4x3xf32>, tensor<1x1x2xf32>, tensor<2x3xf32>, tensor<2x2xf32>) -> (tensor<1x4x2xf32>, tensor<1x1x2xf32>)
  return
}
func.func @"rnn_tanh.input"(%x0: tensor<1x4x3xf32>, %x1: tensor<1x1x2xf32>, %x2: tensor<2x3xf32>, %x3: tensor<2x2xf32>) {
  %0:2 = aten.rnn_tanh.input(%x0, %x1, [%x2, %x3], has_biases = false, num_layers = 1, dropout = 0.000000e+00, train = false, bidirectional = false, batch_first = true) : (tensor<1x4x3xf32>, tensor<1x1x2xf32>, tensor<2x3xf32>, tensor<2x2xf32>) -> (tensor<1x4x2xf32>, tensor<1x1x2xf32>)
  return
}
func.func @"roll"(%x0: tensor<f64>) {
  %0 = aten.roll(%x0, shifts = [-10]) : (tensor<f64>) -> tensor<f64>
  return
}
func.func @"rot90"(%x0: tensor<5x5x5xi64>) {
  %0 = aten.rot90(%x0, k = -5) : (tensor<5x5x5xi64>) -> tensor<5x5x5xi64>
  return
}
func.func @"rrelu_with_noise_functional"(%x0: tensor<f32>, %x1: tensor<f32>) {
  %cst = arith.constant 1.000000e-01 : f64
  %cst_0 = arith.constant 3.000000e-01 : f64
  %0:2 = aten.rrelu_with_noise_functional(%x0, %x1, lower = %cst, upper = %cst_0) : (tensor<f32>, tensor<f32>, f64, f64) -> (tensor<f32>, tensor<f32>)
  return
}
func.func @"rsub.Scalar"(%x0: tensor<f32>) {
  %c-3_i64 = arith.constant -3 : i64
  %0 = aten.rsub.Scalar(%x0, %c-3_i64) : (tensor<f32>, i64) -> tensor<f32>
  return
}
func.func @"scaled_dot_product_attention"(%x0: tensor<2x8xf64>, %x1: tensor<9x8xf64>, %x2: tensor<9x8xf64>) {
  %0 = aten.scaled_dot_product_attention(%x0, %x1, %x2) : (tensor<2x8xf64>, tensor<9x8xf64>, tensor<9x8xf64>) -> tensor<2x8xf64>
  return
}
func.func @"select_backward"(%x0: tensor<f64>) {
  %0 = aten.select_backward(%x0, input_sizes = [5], dim = -1, index = 0) : (tensor<f64>) -> tensor<5xf64>
  return
}
func.func @"select_copy.int"(%x0: tensor<2xi8>) {
  %0 = aten.select_copy.int(%x0, dim = -1, index = 1) : (tensor<2xi8>) -> tensor<i8>
  return
}
func.func @"select_scatter"(%x0: tensor<5xi1>, %x1: tensor<i1>) {
  %0 = aten.select_scatter(%x0, %x1, dim = 0, index = 2) : (tensor<5xi1>, tensor<i1>) -> tensor<5xi1>
  return
}
func.func @"sigmoid_backward"(%x0: tensor<f16>, %x1: tensor<f16>) {
  %0 = aten.sigmoid_backward(%x0, %x1) : (tensor<f16>, tensor<f16>) -> tensor<f16>
  return
}
func.func @"silu"(%x0: tensor<f32>) {
  %0 = aten.silu(%x0) : (tensor<f32>) -> tensor<f32>
  return
}
func.func @"slice_backward"(%x0: tensor<1xbf16>) {
  %0 = aten.slice_backward(%x0, input_sizes = [2], dim = 0, start = 0, end = 1, step = 1) : (tensor<1xbf16>) -> tensor<2xbf16>
  return
}
func.func @"slice_copy.Tensor"(%x0: tensor<5xi1>) {
  %0 = aten.slice_copy.Tensor(%x0) : (tensor<5xi1>) -> tensor<5xi1>
  return
}
func.func @"slice_scatter"(%x0: tensor<3x7xf32>, %x1: tensor<3x7xf32>) {
  %0 = aten.slice_scatter(%x0, %x1) : (tensor<3x7xf32>, tensor<3x7xf32>) -> tensor<3x7xf32>
  return
}
func.func @"smooth_l1_loss"(%x0: tensor<bf16>, %x1: tensor<bf16>) {
  %0 = aten.smooth_l1_loss(%x0, %x1) : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
  return
}
func.func @"smooth_l1_loss_backward"(%x0: tensor<bf16>, %x1: tensor<bf16>, %x2: tensor<bf16>) {
  %0 = aten.smooth_l1_loss_backward(%x0, %x1, %x2, reduction = 2, beta = 5.000000e-01) : (tensor<bf16>, tensor<bf16>, tensor<bf16>) -> tensor<bf16>
  return
}
func.func @"soft_margin_loss"(%x0: tensor<bf16>, %x1: tensor<bf16>) {
  %0 = aten.soft_margin_loss(%x0, %x1) : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
  return
}
func.func @"softmax.int"(%x0: tensor<i64>) {
  %0 = aten.softmax.int(%x0, dim = 0, dtype = f64) : (tensor<i64>) -> tensor<f64>
  return
}
func.func @"split.Tensor"(%x0: tensor<7xf32>) {
  %0 = aten.split.Tensor(%x0, split_size = 8) : (tensor<7xf32>) -> tensor<7xf32>
  return
}
func.func @"split_with_sizes"(%x0: tensor<8xf32>) {
  %0 = aten.split_with_sizes(%x0, split_sizes = [8], dim = -1) : (tensor<8xf32>) -> tensor<8xf32>
  return
}
func.func @"squeeze"(%x0: tensor<1xf32>) {
  %0 = aten.squeeze(%x0) : (tensor<1xf32>) -> tensor<f32>
  return
}
func.func @"stack"(%x0: tensor<7x2x3xi64>) {
  %0 = aten.stack([%x0], dim = 2) : (tensor<7x2x3xi64>) -> tensor<7x2x1x3xi64>
  return
}
func.func @"std"(%x0: tensor<0xf16>) {
  %0 = aten.std(%x0) : (tensor<0xf16>) -> tensor<f16>
  return
}
func.func @"std.correction"(%x0: tensor<5x5x5xf32>) {
  %0 = aten.std.correction(%x0) : (tensor<5x5x5xf32>) -> tensor<f32>
  return
}
func.func @"std.dim"(%x0: tensor<1x4xf32>) {
  %0 = aten.std.dim(%x0, dim = [0]) : (tensor<1x4xf32>) -> tensor<4xf32>
  return
}
func.func @"std_mean.correction"(%x0: tensor<3xbf16>) {
  %0:2 = aten.std_mean.correction(%x0, dim = [-1], keepdim = true) : (tensor<3xbf16>) -> (tensor<1xbf16>, tensor<1xbf16>)
  return
}
func.func @"sum"(%x0: tensor<f64>) {
  %0 = aten.sum(%x0) : (tensor<f64>) -> tensor<f64>
  return
}
func.func @"swapaxes"(%x0: tensor<0x3xi16>) {
  %0 = aten.swapaxes(%x0, axis0 = 0, axis1 = 1) : (tensor<0x3xi16>) -> tensor<3x0xi16>
  return
}
func.func @"t"(%x0: tensor<i8>) {
  %0 = aten.t(%x0) : (tensor<i8>) -> tensor<i8>
  return
}
func.func @"take_along_dim"(%x0: tensor<5xi64>, %x1: tensor<3xi64>) {
  %0 = aten.take_along_dim(%x0, %x1, dim = 0) : (tensor<5xi64>, tensor<3xi64>) -> tensor<3xi64>
  return
}
func.func @"tanh_backward"(%x0: tensor<f64>, %x1: tensor<f64>) {
  %0 = aten.tanh_backward(%x0, %x1) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return
}
func.func @"tensor_split.indices"(%x0: tensor<5xbf16>) {
  %0 = aten.tensor_split.indices(%x0, indices = []) : (tensor<5xbf16>) -> tensor<5xbf16>
  return
}
func.func @"tensor_split.sections"(%x0: tensor<2xi64>) {
  %0:2 = aten.tensor_split.sections(%x0, sections = 2) : (tensor<2xi64>) -> (tensor<1xi64>, tensor<1xi64>)
  return
}
func.func @"tile"(%x0: tensor<ui8>) {
  %0 = aten.tile(%x0, dims = []) : (tensor<ui8>) -> tensor<ui8>
  return
}
func.func @"to.device"(%x0: tensor<i64>) {
  %0 = aten.to.device(%x0, device = "cpu", dtype = i1) : (tensor<i64>) -> tensor<i1>
  return
}
func.func @"to.dtype"(%x0: tensor<i1>) {
  %0 = aten.to.dtype(%x0, dtype = i1) : (tensor<i1>) -> tensor<i1>
  return
}
func.func @"to.dtype_layout"(%x0: tensor<f16>) {
  %0 = aten.to.dtype_layout(%x0, dtype = i1) : (tensor<f16>) -> tensor<i1>
  return
}
func.func @"trace"(%x0: tensor<3x13xi8>) {
  %0 = aten.trace(%x0) : (tensor<3x13xi8>) -> tensor<i64>
  return
}
func.func @"transpose.int"(%x0: tensor<1xi1>) {
  %0 = aten.transpose.int(%x0, dim0 = 0, dim1 = 0) : (tensor<1xi1>) -> tensor<1xi1>
  return
}
func.func @"transpose_copy.int"(%x0: tensor<2x3xf32>) {
  %0 = aten.transpose_copy.int(%x0, dim0 = 0, dim1 = 1) : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}
func.func @"tril"(%x0: tensor<2x2xi1>) {
  %0 = aten.tril(%x0) : (tensor<2x2xi1>) -> tensor<2x2xi1>
  return
}
func.func @"tril_indices"() {
  %0 = aten.tril_indices(row = 4, col = 2) : () -> tensor<2x7xi64>
  return
}
func.func @"triu"(%x0: tensor<5x5xi1>) {
  %0 = aten.triu(%x0) : (tensor<5x5xi1>) -> tensor<5x5xi1>
  return
}
func.func @"triu_indices"() {
  %0 = aten.triu_indices(row = 3, col = 2) : () -> tensor<2x3xi64>
  return
}
func.func @"unbind.int"(%x0: tensor<1x1xi64>) {
  %0 = aten.unbind.int(%x0, dim = 1) : (tensor<1x1xi64>) -> tensor<1xi64>
  return
}
func.func @"unflatten.int"(%x0: tensor<8xi1>) {
  %0 = aten.unflatten.int(%x0, dim = 0, sizes = [8]) : (tensor<8xi1>) -> tensor<8xi1>
  return
}
func.func @"unfold_backward"(%x0: tensor<1xf16>) {
  %0 = aten.unfold_backward(%x0, input_sizes = [], dim = 0, size = 1, step = 1) : (tensor<1xf16>) -> tensor<f16>
  return
}
func.func @"unsqueeze_copy"(%x0: tensor<3xf32>) {
  %0 = aten.unsqueeze_copy(%x0, dim = 1) : (tensor<3xf32>) -> tensor<3x1xf32>
  return
}
func.func @"var"(%x0: tensor<1xf32>) {
  %0 = aten.var(%x0) : (tensor<1xf32>) -> tensor<f32>
  return
}
func.func @"var.correction"(%x0: tensor<5x5x5xbf16>) {
  %0 = aten.var.correction(%x0) : (tensor<5x5x5xbf16>) -> tensor<bf16>
  return
}
func.func @"var.dim"(%x0: tensor<2x8x5xf16>) {
  %0 = aten.var.dim(%x0) : (tensor<2x8x5xf16>) -> tensor<f16>
  return
}
func.func @"var_mean.correction"(%x0: tensor<5x5x5xf16>) {
  %0:2 = aten.var_mean.correction(%x0) : (tensor<5x5x5xf16>) -> (tensor<f16>, tensor<f16>)
  return
}
func.func @"var_mean.dim"(%x0: tensor<7xf64>) {
  %0:2 = aten.var_mean.dim(%x0, dim = [-1]) : (tensor<7xf64>) -> (tensor<f64>, tensor<f64>)
  return
}
func.func @"view_as"(%x0: tensor<i64>, %x1: tensor<1xi64>) {
  %0 = aten.view_as(%x0, %x1) : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
  return
}
func.func @"view_copy"(%x0: tensor<i64>) {
  %0 = aten.view_copy(%x0, size = []) : (tensor<i64>) -> tensor<i64>
  return
}
func.func @"vstack"(%x0: tensor<8x5xi8>) {
  %0 = aten.vstack([%x0]) : (tensor<8x5xi8>) -> tensor<8x5xi8>
  return
}
func.func @"zeros"() {
  %0 = aten.zeros(size = [2, 3, 3], dtype = ui8) : () -> tensor<2x3x3xui8>
  return
}
func.func @"zeros_like"(%x0: tensor<23xf16>) {
  %0 = aten.zeros_like(%x0) : (tensor<23xf16>) -> tensor<23xf16>
  return
}

// Composites.

func.func @"_convolution"(%x0: tensor<1x2x5x5xf32>, %x1: tensor<3x2x3x3xf32>, %x2: tensor<3xf32>) {
  %r = aten._convolution(%x0, %x1, bias = %x2, stride = [1, 1], padding = [1, 1], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 1, benchmark = false, deterministic = false, cudnn_enabled = true, allow_tf32 = true) : (tensor<1x2x5x5xf32>, tensor<3x2x3x3xf32>, tensor<3xf32>) -> tensor<1x3x5x5xf32>
  return
}
func.func @"_convolution.deprecated"(%x0: tensor<1x2x5x5xf32>, %x1: tensor<3x2x3x3xf32>) {
  %r = aten._convolution.deprecated(%x0, %x1, stride = [1, 1], padding = [1, 1], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 1, benchmark = false, deterministic = false, cudnn_enabled = true) : (tensor<1x2x5x5xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x5x5xf32>
  return
}
func.func @"_fake_quantize_learnable_per_channel_affine"(%x0: tensor<2x3x4xf32>, %x1: tensor<2xf32>, %x2: tensor<2xf32>) {
  %r = aten._fake_quantize_learnable_per_channel_affine(%x0, %x1, %x2, axis = 0, quant_min = -8, quant_max = 7) : (tensor<2x3x4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x3x4xf32>
  return
}
func.func @"_fake_quantize_learnable_per_channel_affine_backward"(%x0: tensor<2x3x4xf32>, %x1: tensor<2x3x4xf32>, %x2: tensor<3xf32>, %x3: tensor<3xf32>) {
  %r:3 = aten._fake_quantize_learnable_per_channel_affine_backward(%x0, %x1, %x2, %x3, axis = 1, quant_min = -8, quant_max = 7, grad_factor = 0.5) : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
func.func @"_fake_quantize_learnable_per_tensor_affine"(%x0: tensor<3x5xf32>, %x1: tensor<1xf32>, %x2: tensor<1xf32>) {
  %r = aten._fake_quantize_learnable_per_tensor_affine(%x0, %x1, %x2, quant_min = -8, quant_max = 7, grad_factor = 1.0) : (tensor<3x5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3x5xf32>
  return
}
func.func @"_fake_quantize_learnable_per_tensor_affine_backward"(%x0: tensor<3x5xf32>, %x1: tensor<3x5xf32>, %x2: tensor<1xf32>, %x3: tensor<1xf32>) {
  %r:3 = aten._fake_quantize_learnable_per_tensor_affine_backward(%x0, %x1, %x2, %x3, quant_min = -8, quant_max = 7, grad_factor = 1.0) : (tensor<3x5xf32>, tensor<3x5xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<3x5xf32>, tensor<1xf32>, tensor<1xf32>)
  return
}
func.func @"_fake_quantize_per_tensor_affine_cachemask_tensor_qparams"(%x0: tensor<3x5xf32>, %x1: tensor<1xf32>, %x2: tensor<1xi32>, %x3: tensor<1xi64>) {
  %r:2 = aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams(%x0, %x1, %x2, %x3, quant_min = -16, quant_max = 15) : (tensor<3x5xf32>, tensor<1xf32>, tensor<1xi32>, tensor<1xi64>) -> (tensor<3x5xf32>, tensor<3x5xi1>)
  return
}
func.func @"_fused_moving_avg_obs_fq_helper_functional"(%x0: tensor<3x4xf32>, %x1: tensor<1xi64>, %x2: tensor<1xi64>, %x3: tensor<1xf32>, %x4: tensor<1xf32>, %x5: tensor<1xf32>, %x6: tensor<1xi32>) {
  %r:6 = aten._fused_moving_avg_obs_fq_helper_functional(%x0, %x1, %x2, %x3, %x4, %x5, %x6, averaging_const = 0.01, quant_min = 0, quant_max = 255, ch_axis = -1, per_row_fake_quant = false, symmetric_quant = false) : (tensor<3x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xi32>) -> (tensor<3x4xf32>, tensor<3x4xi1>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xi32>)
  return
}
func.func @"_is_all_true"(%x0: tensor<2xi1>) {
  %r = aten._is_all_true(%x0) : (tensor<2xi1>) -> tensor<i1>
  return
}
func.func @"_is_any_true"(%x0: tensor<2xi1>) {
  %r = aten._is_any_true(%x0) : (tensor<2xi1>) -> tensor<i1>
  return
}
func.func @"_linalg_check_errors"(%x0: tensor<i32>) {
  aten._linalg_check_errors(%x0, api_name = "linalg.inv", is_matrix = true) : (tensor<i32>) -> ()
  return
}
func.func @"_linalg_det"(%x0: tensor<2x2xf32>) {
  %r:3 = aten._linalg_det(%x0) : (tensor<2x2xf32>) -> (tensor<f32>, tensor<2x2xf32>, tensor<2xi32>)
  return
}
func.func @"_linalg_slogdet"(%x0: tensor<2x2xf32>) {
  %r:4 = aten._linalg_slogdet(%x0) : (tensor<2x2xf32>) -> (tensor<f32>, tensor<f32>, tensor<2x2xf32>, tensor<2xi32>)
  return
}
func.func @"_linalg_solve_ex"(%x0: tensor<2x2xf32>, %x1: tensor<2x3xf32>) {
  %r:4 = aten._linalg_solve_ex(%x0, %x1) : (tensor<2x2xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x2xf32>, tensor<2xi32>, tensor<i32>)
  return
}
func.func @"_reshape_alias"(%x0: tensor<2x3xf32>) {
  %r = aten._reshape_alias(%x0, size = [6], stride = [1]) : (tensor<2x3xf32>) -> tensor<6xf32>
  return
}
func.func @"_reshape_copy"(%x0: tensor<2x3xf32>) {
  %r = aten._reshape_copy(%x0, size = [3, 2]) : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}
func.func @"_safe_softmax"(%x0: tensor<3x4xf32>) {
  %r = aten._safe_softmax(%x0, dim = 1) : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
func.func @"_upsample_bilinear2d_aa"(%x0: tensor<1x1x6x6xf32>) {
  %r = aten._upsample_bilinear2d_aa(%x0, output_size = [3, 4], align_corners = false) : (tensor<1x1x6x6xf32>) -> tensor<1x1x3x4xf32>
  return
}
func.func @"_upsample_nearest_exact2d"(%x0: tensor<1x2x3x3xf32>) {
  %r = aten._upsample_nearest_exact2d(%x0, output_size = [5, 4]) : (tensor<1x2x3x3xf32>) -> tensor<1x2x5x4xf32>
  return
}
func.func @"_weight_norm"(%x0: tensor<3x4x2xf32>, %x1: tensor<3x1x1xf32>) {
  %r = aten._weight_norm(%x0, %x1) : (tensor<3x4x2xf32>, tensor<3x1x1xf32>) -> tensor<3x4x2xf32>
  return
}
func.func @"_weight_norm_interface"(%x0: tensor<3x4xf32>, %x1: tensor<3x1xf32>) {
  %r:2 = aten._weight_norm_interface(%x0, %x1) : (tensor<3x4xf32>, tensor<3x1xf32>) -> (tensor<3x4xf32>, tensor<3x1xf32>)
  return
}
func.func @"addr"(%x0: tensor<2x3xf32>, %x1: tensor<2xf32>, %x2: tensor<3xf32>) {
  %r = aten.addr(%x0, %x1, %x2) : (tensor<2x3xf32>, tensor<2xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}
func.func @"adjoint"(%x0: tensor<2x3x4xf32>) {
  %r = aten.adjoint(%x0) : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
  return
}
func.func @"atleast_1d"(%x0: tensor<f32>) {
  %r = aten.atleast_1d(%x0) : (tensor<f32>) -> tensor<1xf32>
  return
}
func.func @"atleast_1d.Sequence"(%x0: tensor<f32>, %x1: tensor<2xf32>) {
  %r:2 = aten.atleast_1d.Sequence([%x0, %x1]) : (tensor<f32>, tensor<2xf32>) -> (tensor<1xf32>, tensor<2xf32>)
  return
}
func.func @"atleast_2d"(%x0: tensor<f32>) {
  %r = aten.atleast_2d(%x0) : (tensor<f32>) -> tensor<1x1xf32>
  return
}
func.func @"atleast_2d.Sequence"(%x0: tensor<2xf32>, %x1: tensor<f32>) {
  %r:2 = aten.atleast_2d.Sequence([%x0, %x1]) : (tensor<2xf32>, tensor<f32>) -> (tensor<1x2xf32>, tensor<1x1xf32>)
  return
}
func.func @"atleast_3d"(%x0: tensor<f32>) {
  %r = aten.atleast_3d(%x0) : (tensor<f32>) -> tensor<1x1x1xf32>
  return
}
func.func @"atleast_3d.Sequence"(%x0: tensor<f32>, %x1: tensor<2xf32>) {
  %r:2 = aten.atleast_3d.Sequence([%x0, %x1]) : (tensor<f32>, tensor<2xf32>) -> (tensor<1x1x1xf32>, tensor<1x2x1xf32>)
  return
}
func.func @"bartlett_window"() {
  %r = aten.bartlett_window(window_length = 7) : () -> tensor<7xf32>
  return
}
func.func @"bartlett_window.periodic"() {
  %r = aten.bartlett_window.periodic(window_length = 8, periodic = false) : () -> tensor<8xf32>
  return
}
func.func @"bitwise_and.Scalar_Tensor"(%x0: tensor<3xi64>) {
  %c0 = arith.constant 6 : i64
  %r = aten.bitwise_and.Scalar_Tensor(%c0, %x0) : (i64, tensor<3xi64>) -> tensor<3xi64>
  return
}
func.func @"bitwise_left_shift.Scalar_Tensor"(%x0: tensor<3xi64>) {
  %c0 = arith.constant 40 : i64
  %r = aten.bitwise_left_shift.Scalar_Tensor(%c0, %x0) : (i64, tensor<3xi64>) -> tensor<3xi64>
  return
}
func.func @"bitwise_left_shift.Tensor_Scalar"(%x0: tensor<2xi64>) {
  %c0 = arith.constant 2 : i64
  %r = aten.bitwise_left_shift.Tensor_Scalar(%x0, %c0) : (tensor<2xi64>, i64) -> tensor<2xi64>
  return
}
func.func @"bitwise_or.Scalar_Tensor"(%x0: tensor<3xi64>) {
  %c0 = arith.constant 6 : i64
  %r = aten.bitwise_or.Scalar_Tensor(%c0, %x0) : (i64, tensor<3xi64>) -> tensor<3xi64>
  return
}
func.func @"bitwise_right_shift.Scalar_Tensor"(%x0: tensor<3xi64>) {
  %c0 = arith.constant 40 : i64
  %r = aten.bitwise_right_shift.Scalar_Tensor(%c0, %x0) : (i64, tensor<3xi64>) -> tensor<3xi64>
  return
}
func.func @"bitwise_right_shift.Tensor_Scalar"(%x0: tensor<2xi64>) {
  %c0 = arith.constant 2 : i64
  %r = aten.bitwise_right_shift.Tensor_Scalar(%x0, %c0) : (tensor<2xi64>, i64) -> tensor<2xi64>
  return
}
func.func @"bitwise_xor.Scalar_Tensor"(%x0: tensor<3xi64>) {
  %c0 = arith.constant 6 : i64
  %r = aten.bitwise_xor.Scalar_Tensor(%c0, %x0) : (i64, tensor<3xi64>) -> tensor<3xi64>
  return
}
func.func @"blackman_window"() {
  %r = aten.blackman_window(window_length = 7) : () -> tensor<7xf32>
  return
}
func.func @"blackman_window.periodic"() {
  %r = aten.blackman_window.periodic(window_length = 8, periodic = false) : () -> tensor<8xf32>
  return
}
func.func @"block_diag"(%x0: tensor<2x1xf32>, %x1: tensor<2xf32>, %x2: tensor<f32>) {
  %r = aten.block_diag([%x0, %x1, %x2]) : (tensor<2x1xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4x4xf32>
  return
}
func.func @"bucketize.Scalar"(%x0: tensor<4xf32>) {
  %c0 = arith.constant 1.5 : f64
  %r = aten.bucketize.Scalar(%c0, %x0) : (f64, tensor<4xf32>) -> tensor<i64>
  return
}
func.func @"cdist"(%x0: tensor<3x4xf32>, %x1: tensor<5x4xf32>) {
  %r = aten.cdist(%x0, %x1, p = 1.0) : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
  return
}
func.func @"chain_matmul"(%x0: tensor<2x3xf32>, %x1: tensor<3x4xf32>, %x2: tensor<4x2xf32>) {
  %r = aten.chain_matmul([%x0, %x1, %x2]) : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
  return
}
func.func @"cholesky"(%x0: tensor<2x2xf32>) {
  %r = aten.cholesky(%x0) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}
func.func @"cholesky_inverse"(%x0: tensor<4x4xf64>) {
  %r = aten.cholesky_inverse(%x0) : (tensor<4x4xf64>) -> tensor<4x4xf64>
  return
}
func.func @"cholesky_solve"(%x0: tensor<4x2xf64>, %x1: tensor<4x4xf64>) {
  %r = aten.cholesky_solve(%x0, %x1) : (tensor<4x2xf64>, tensor<4x4xf64>) -> tensor<4x2xf64>
  return
}
func.func @"column_stack"(%x0: tensor<3xf32>, %x1: tensor<3x2xf32>) {
  %r = aten.column_stack([%x0, %x1]) : (tensor<3xf32>, tensor<3x2xf32>) -> tensor<3x3xf32>
  return
}
func.func @"combinations"(%x0: tensor<4xf32>) {
  %r = aten.combinations(%x0) : (tensor<4xf32>) -> tensor<6x2xf32>
  return
}
func.func @"conj"(%x0: tensor<3xf32>) {
  %r = aten.conj(%x0) : (tensor<3xf32>) -> tensor<3xf32>
  return
}
func.func @"conj_physical"(%x0: tensor<3xf32>) {
  %r = aten.conj_physical(%x0) : (tensor<3xf32>) -> tensor<3xf32>
  return
}
func.func @"conv_tbc"(%x0: tensor<5x2x3xf32>, %x1: tensor<3x3x4xf32>, %x2: tensor<4xf32>) {
  %r = aten.conv_tbc(%x0, %x1, %x2, pad = 1) : (tensor<5x2x3xf32>, tensor<3x3x4xf32>, tensor<4xf32>) -> tensor<5x2x4xf32>
  return
}
func.func @"corrcoef"(%x0: tensor<3x5xf32>) {
  %r = aten.corrcoef(%x0) : (tensor<3x5xf32>) -> tensor<3x3xf32>
  return
}
func.func @"cosine_embedding_loss"(%x0: tensor<3x4xf32>, %x1: tensor<3x4xf32>, %x2: tensor<3xi64>) {
  %r = aten.cosine_embedding_loss(%x0, %x1, %x2, margin = 0.1, reduction = 1) : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3xi64>) -> tensor<f32>
  return
}
func.func @"count_nonzero.dim_IntList"(%x0: tensor<2x3xi64>) {
  %r = aten.count_nonzero.dim_IntList(%x0, dim = [0]) : (tensor<2x3xi64>) -> tensor<3xi64>
  return
}
func.func @"cov"(%x0: tensor<3x5xf32>) {
  %r = aten.cov(%x0) : (tensor<3x5xf32>) -> tensor<3x3xf32>
  return
}
func.func @"ctc_loss.IntList"(%x0: tensor<5x4xf32>, %x1: tensor<2xi64>) {
  %r = aten.ctc_loss.IntList(%x0, %x1, input_lengths = [5], target_lengths = [2], blank = 3, reduction = 0) : (tensor<5x4xf32>, tensor<2xi64>) -> tensor<f32>
  return
}
func.func @"ctc_loss.Tensor"(%x0: tensor<6x2x4xf32>, %x1: tensor<2x3xi64>, %x2: tensor<2xi64>, %x3: tensor<2xi64>) {
  %r = aten.ctc_loss.Tensor(%x0, %x1, %x2, %x3) : (tensor<6x2x4xf32>, tensor<2x3xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<f32>
  return
}
func.func @"cumulative_trapezoid.dx"(%x0: tensor<2x4xf32>) {
  %r = aten.cumulative_trapezoid.dx(%x0) : (tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}
func.func @"cumulative_trapezoid.x"(%x0: tensor<2x4xf32>, %x1: tensor<4xf32>) {
  %r = aten.cumulative_trapezoid.x(%x0, %x1, dim = 1) : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x3xf32>
  return
}
func.func @"deg2rad"(%x0: tensor<3xf32>) {
  %r = aten.deg2rad(%x0) : (tensor<3xf32>) -> tensor<3xf32>
  return
}
func.func @"det"(%x0: tensor<2x2xf32>) {
  %r = aten.det(%x0) : (tensor<2x2xf32>) -> tensor<f32>
  return
}
func.func @"diag"(%x0: tensor<3xf32>) {
  %r = aten.diag(%x0, diagonal = 1) : (tensor<3xf32>) -> tensor<4x4xf32>
  return
}
func.func @"diagflat"(%x0: tensor<2x2xf32>) {
  %r = aten.diagflat(%x0, offset = -1) : (tensor<2x2xf32>) -> tensor<5x5xf32>
  return
}
func.func @"dist"(%x0: tensor<4xf32>, %x1: tensor<4xf32>) {
  %r = aten.dist(%x0, %x1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return
}
func.func @"dsplit.array"(%x0: tensor<1x2x4xf32>) {
  %r:2 = aten.dsplit.array(%x0, indices = [3]) : (tensor<1x2x4xf32>) -> (tensor<1x2x3xf32>, tensor<1x2x1xf32>)
  return
}
func.func @"dsplit.int"(%x0: tensor<1x2x4xf32>) {
  %r:2 = aten.dsplit.int(%x0, sections = 2) : (tensor<1x2x4xf32>) -> (tensor<1x2x2xf32>, tensor<1x2x2xf32>)
  return
}
func.func @"dstack"(%x0: tensor<2x3xf32>, %x1: tensor<2x3xf32>) {
  %r = aten.dstack([%x0, %x1]) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3x2xf32>
  return
}
func.func @"embedding_bag"(%x0: tensor<6x3xf32>, %x1: tensor<4xi64>, %x2: tensor<2xi64>) {
  %r:4 = aten.embedding_bag(%x0, %x1, %x2) : (tensor<6x3xf32>, tensor<4xi64>, tensor<2xi64>) -> (tensor<2x3xf32>, tensor<0xi64>, tensor<2xi64>, tensor<2xi64>)
  return
}
func.func @"embedding_bag.padding_idx"(%x0: tensor<6x3xf32>, %x1: tensor<4xi64>, %x2: tensor<2xi64>) {
  %r:4 = aten.embedding_bag.padding_idx(%x0, %x1, %x2, scale_grad_by_freq = false, mode = 0, sparse = false, include_last_offset = false, padding_idx = 2) : (tensor<6x3xf32>, tensor<4xi64>, tensor<2xi64>) -> (tensor<2x3xf32>, tensor<4xi64>, tensor<2xi64>, tensor<2xi64>)
  return
}
func.func @"eye.m"() {
  %r = aten.eye.m(n = 3, m = 5) : () -> tensor<3x5xf32>
  return
}
func.func @"fake_quantize_per_channel_affine"(%x0: tensor<2x3x4xf32>, %x1: tensor<3xf32>, %x2: tensor<3xi32>) {
  %r = aten.fake_quantize_per_channel_affine(%x0, %x1, %x2, axis = 1, quant_min = -8, quant_max = 7) : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xi32>) -> tensor<2x3x4xf32>
  return
}
func.func @"fake_quantize_per_channel_affine_cachemask"(%x0: tensor<2x8xf32>, %x1: tensor<2xf32>, %x2: tensor<2xi32>) {
  %r:2 = aten.fake_quantize_per_channel_affine_cachemask(%x0, %x1, %x2, axis = 0, quant_min = -128, quant_max = 127) : (tensor<2x8xf32>, tensor<2xf32>, tensor<2xi32>) -> (tensor<2x8xf32>, tensor<2x8xi1>)
  return
}
func.func @"fake_quantize_per_channel_affine_cachemask_backward"(%x0: tensor<2x3xf32>, %x1: tensor<2x3xi1>) {
  %r = aten.fake_quantize_per_channel_affine_cachemask_backward(%x0, %x1) : (tensor<2x3xf32>, tensor<2x3xi1>) -> tensor<2x3xf32>
  return
}
func.func @"fake_quantize_per_tensor_affine"(%x0: tensor<f32>) {
  %r = aten.fake_quantize_per_tensor_affine(%x0, scale = 0.1, zero_point = 0, quant_min = -128, quant_max = 127) : (tensor<f32>) -> tensor<f32>
  return
}
func.func @"fake_quantize_per_tensor_affine.tensor_qparams"(%x0: tensor<3x5xf32>, %x1: tensor<1xf32>, %x2: tensor<1xi32>) {
  %r = aten.fake_quantize_per_tensor_affine.tensor_qparams(%x0, %x1, %x2, quant_min = -8, quant_max = 7) : (tensor<3x5xf32>, tensor<1xf32>, tensor<1xi32>) -> tensor<3x5xf32>
  return
}
func.func @"fake_quantize_per_tensor_affine_cachemask"(%x0: tensor<16xf64>) {
  %r:2 = aten.fake_quantize_per_tensor_affine_cachemask(%x0, scale = 0.1, zero_point = 4, quant_min = -128, quant_max = 127) : (tensor<16xf64>) -> (tensor<16xf64>, tensor<16xi1>)
  return
}
func.func @"fake_quantize_per_tensor_affine_cachemask_backward"(%x0: tensor<2x3xf32>, %x1: tensor<2x3xi1>) {
  %r = aten.fake_quantize_per_tensor_affine_cachemask_backward(%x0, %x1) : (tensor<2x3xf32>, tensor<2x3xi1>) -> tensor<2x3xf32>
  return
}
func.func @"alpha_dropout"(%x0: tensor<4xf32>) {
  %r = aten.alpha_dropout(%x0, p = 0.5, train = true) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func @"feature_alpha_dropout"(%x0: tensor<2x3xf32>) {
  %r = aten.feature_alpha_dropout(%x0, p = 0.5, train = false) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
func.func @"feature_dropout"(%x0: tensor<2x3xf32>) {
  %r = aten.feature_dropout(%x0, p = 0.5, train = false) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
func.func @"fft_fft"(%x0: tensor<4x6xf32>) {
  %r = aten.fft_fft(%x0, n = 5, dim = 0) : (tensor<4x6xf32>) -> tensor<5x6xcomplex<f32>>
  return
}
func.func @"fft_fft2"(%x0: tensor<4x6xf32>) {
  %r = aten.fft_fft2(%x0) : (tensor<4x6xf32>) -> tensor<4x6xcomplex<f32>>
  return
}
func.func @"fft_fftfreq"() {
  %r = aten.fft_fftfreq(n = 5, d = 0.5) : () -> tensor<5xf32>
  return
}
func.func @"fft_fftn"(%x0: tensor<2x3x4xf32>) {
  %r = aten.fft_fftn(%x0) : (tensor<2x3x4xf32>) -> tensor<2x3x4xcomplex<f32>>
  return
}
func.func @"fft_fftshift"(%x0: tensor<5x4xf32>) {
  %r = aten.fft_fftshift(%x0) : (tensor<5x4xf32>) -> tensor<5x4xf32>
  return
}
func.func @"fft_hfft"(%x0: tensor<4xcomplex<f32>>) {
  %r = aten.fft_hfft(%x0) : (tensor<4xcomplex<f32>>) -> tensor<6xf32>
  return
}
func.func @"fft_ifft"(%x0: tensor<4x6xf32>) {
  %r = aten.fft_ifft(%x0, n = 8) : (tensor<4x6xf32>) -> tensor<4x8xcomplex<f32>>
  return
}
func.func @"fft_ifft2"(%x0: tensor<4x6xcomplex<f32>>) {
  %r = aten.fft_ifft2(%x0, s = [3, 7]) : (tensor<4x6xcomplex<f32>>) -> tensor<3x7xcomplex<f32>>
  return
}
func.func @"fft_ifftn"(%x0: tensor<4x6xcomplex<f32>>) {
  %r = aten.fft_ifftn(%x0, dim = [0]) : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
  return
}
func.func @"fft_ifftshift"(%x0: tensor<5x4xf32>) {
  %r = aten.fft_ifftshift(%x0, dim = [0]) : (tensor<5x4xf32>) -> tensor<5x4xf32>
  return
}
func.func @"fft_ihfft"(%x0: tensor<6xf32>) {
  %r = aten.fft_ihfft(%x0) : (tensor<6xf32>) -> tensor<4xcomplex<f32>>
  return
}
func.func @"fft_irfft"(%x0: tensor<3x4xcomplex<f32>>) {
  %r = aten.fft_irfft(%x0) : (tensor<3x4xcomplex<f32>>) -> tensor<3x6xf32>
  return
}
func.func @"fft_irfft2"(%x0: tensor<2x4x4xcomplex<f32>>) {
  %r = aten.fft_irfft2(%x0) : (tensor<2x4x4xcomplex<f32>>) -> tensor<2x4x6xf32>
  return
}
func.func @"fft_irfftn"(%x0: tensor<4x4xcomplex<f32>>) {
  %r = aten.fft_irfftn(%x0, s = [3, 5]) : (tensor<4x4xcomplex<f32>>) -> tensor<3x5xf32>
  return
}
func.func @"fft_rfft"(%x0: tensor<4x6xf32>) {
  %r = aten.fft_rfft(%x0) : (tensor<4x6xf32>) -> tensor<4x4xcomplex<f32>>
  return
}
func.func @"fft_rfft2"(%x0: tensor<2x4x6xf32>) {
  %r = aten.fft_rfft2(%x0) : (tensor<2x4x6xf32>) -> tensor<2x4x4xcomplex<f32>>
  return
}
func.func @"fft_rfftfreq"() {
  %r = aten.fft_rfftfreq(n = 6) : () -> tensor<4xf32>
  return
}
func.func @"fft_rfftn"(%x0: tensor<2x3x4xf32>) {
  %r = aten.fft_rfftn(%x0, s = [3, 5]) : (tensor<2x3x4xf32>) -> tensor<2x3x3xcomplex<f32>>
  return
}
func.func @"fliplr"(%x0: tensor<2x3xf32>) {
  %r = aten.fliplr(%x0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
func.func @"flipud"(%x0: tensor<2x3xf32>) {
  %r = aten.flipud(%x0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
func.func @"float_power.Scalar"(%x0: tensor<3xf32>) {
  %c0 = arith.constant 2 : i64
  %r = aten.float_power.Scalar(%c0, %x0) : (i64, tensor<3xf32>) -> tensor<3xf64>
  return
}
func.func @"float_power.Tensor_Scalar"(%x0: tensor<3xf32>) {
  %c0 = arith.constant 2 : i64
  %r = aten.float_power.Tensor_Scalar(%x0, %c0) : (tensor<3xf32>, i64) -> tensor<3xf64>
  return
}
func.func @"float_power.Tensor_Tensor"(%x0: tensor<3xf32>, %x1: tensor<3xf32>) {
  %r = aten.float_power.Tensor_Tensor(%x0, %x1) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf64>
  return
}
func.func @"frobenius_norm.dim"(%x0: tensor<2x3xf32>) {
  %r = aten.frobenius_norm.dim(%x0, dim = [0, 1]) : (tensor<2x3xf32>) -> tensor<f32>
  return
}
func.func @"grid_sampler"(%x0: tensor<1x2x4x4xf32>, %x1: tensor<1x3x3x2xf32>) {
  %r = aten.grid_sampler(%x0, %x1, interpolation_mode = 0, padding_mode = 0, align_corners = false) : (tensor<1x2x4x4xf32>, tensor<1x3x3x2xf32>) -> tensor<1x2x3x3xf32>
  return
}
func.func @"hamming_window"() {
  %r = aten.hamming_window(window_length = 7) : () -> tensor<7xf32>
  return
}
func.func @"hamming_window.periodic"() {
  %r = aten.hamming_window.periodic(window_length = 8, periodic = false) : () -> tensor<8xf32>
  return
}
func.func @"hamming_window.periodic_alpha"() {
  %r = aten.hamming_window.periodic_alpha(window_length = 6, periodic = true, alpha = 0.5) : () -> tensor<6xf32>
  return
}
func.func @"hamming_window.periodic_alpha_beta"() {
  %r = aten.hamming_window.periodic_alpha_beta(window_length = 6, periodic = false, alpha = 0.5, beta = 0.4) : () -> tensor<6xf32>
  return
}
func.func @"hann_window"() {
  %r = aten.hann_window(window_length = 7) : () -> tensor<7xf32>
  return
}
func.func @"hann_window.periodic"() {
  %r = aten.hann_window.periodic(window_length = 8, periodic = false) : () -> tensor<8xf32>
  return
}
func.func @"hinge_embedding_loss"(%x0: tensor<4xf32>, %x1: tensor<4xf32>) {
  %r = aten.hinge_embedding_loss(%x0, %x1, margin = 1.0, reduction = 1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return
}
func.func @"hsplit.array"(%x0: tensor<6xf32>) {
  %r:3 = aten.hsplit.array(%x0, indices = [1, 4]) : (tensor<6xf32>) -> (tensor<1xf32>, tensor<3xf32>, tensor<2xf32>)
  return
}
func.func @"hsplit.int"(%x0: tensor<4x4xf32>) {
  %r:2 = aten.hsplit.int(%x0, sections = 2) : (tensor<4x4xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>)
  return
}
func.func @"index_fill.int_Tensor"(%x0: tensor<3x4xf32>, %x1: tensor<2xi64>, %x2: tensor<f32>) {
  %r = aten.index_fill.int_Tensor(%x0, dim = 1, %x1, %x2) : (tensor<3x4xf32>, tensor<2xi64>, tensor<f32>) -> tensor<3x4xf32>
  return
}
func.func @"inner"(%x0: tensor<f32>, %x1: tensor<3xf32>) {
  %r = aten.inner(%x0, %x1) : (tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
  return
}
func.func @"inverse"(%x0: tensor<2x3x3xf64>) {
  %r = aten.inverse(%x0) : (tensor<2x3x3xf64>) -> tensor<2x3x3xf64>
  return
}
func.func @"isclose"(%x0: tensor<4xf32>, %x1: tensor<4xf32>) {
  %r = aten.isclose(%x0, %x1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}
func.func @"isin.Scalar_Tensor"(%x0: tensor<3xi64>) {
  %c0 = arith.constant 3 : i64
  %r = aten.isin.Scalar_Tensor(%c0, %x0) : (i64, tensor<3xi64>) -> tensor<i1>
  return
}
func.func @"isin.Tensor_Scalar"(%x0: tensor<3xi64>) {
  %c0 = arith.constant 2 : i64
  %r = aten.isin.Tensor_Scalar(%x0, %c0) : (tensor<3xi64>, i64) -> tensor<3xi1>
  return
}
func.func @"isin.Tensor_Tensor"(%x0: tensor<4xi64>, %x1: tensor<2xi64>) {
  %r = aten.isin.Tensor_Tensor(%x0, %x1) : (tensor<4xi64>, tensor<2xi64>) -> tensor<4xi1>
  return
}
func.func @"isreal"(%x0: tensor<3xf32>) {
  %r = aten.isreal(%x0) : (tensor<3xf32>) -> tensor<3xi1>
  return
}
func.func @"istft"(%x0: tensor<5x5xcomplex<f32>>) {
  %r = aten.istft(%x0, n_fft = 8) : (tensor<5x5xcomplex<f32>>) -> tensor<8xf32>
  return
}
func.func @"kron"(%x0: tensor<2xf32>, %x1: tensor<2x2xf32>) {
  %r = aten.kron(%x0, %x1) : (tensor<2xf32>, tensor<2x2xf32>) -> tensor<2x4xf32>
  return
}
func.func @"lcm"(%x0: tensor<5xi64>, %x1: tensor<5xi64>) {
  %r = aten.lcm(%x0, %x1) : (tensor<5xi64>, tensor<5xi64>) -> tensor<5xi64>
  return
}
func.func @"lift"(%x0: tensor<3xf32>) {
  %r = aten.lift(%x0) : (tensor<3xf32>) -> tensor<3xf32>
  return
}
func.func @"lift_fresh"(%x0: tensor<3xf32>) {
  %r = aten.lift_fresh(%x0) : (tensor<3xf32>) -> tensor<3xf32>
  return
}
func.func @"linalg_cholesky"(%x0: tensor<2x4x4xf64>) {
  %r = aten.linalg_cholesky(%x0) : (tensor<2x4x4xf64>) -> tensor<2x4x4xf64>
  return
}
func.func @"linalg_det"(%x0: tensor<1x1xf32>) {
  %r = aten.linalg_det(%x0) : (tensor<1x1xf32>) -> tensor<f32>
  return
}
func.func @"linalg_diagonal"(%x0: tensor<2x3x4xf32>) {
  %r = aten.linalg_diagonal(%x0, offset = 1) : (tensor<2x3x4xf32>) -> tensor<2x3xf32>
  return
}
func.func @"linalg_inv"(%x0: tensor<2x3x3xf64>) {
  %r = aten.linalg_inv(%x0) : (tensor<2x3x3xf64>) -> tensor<2x3x3xf64>
  return
}
func.func @"linalg_inv_ex"(%x0: tensor<2x3x3xf64>) {
  %r:2 = aten.linalg_inv_ex(%x0) : (tensor<2x3x3xf64>) -> (tensor<2x3x3xf64>, tensor<2xi32>)
  return
}
func.func @"linalg_matrix_norm"(%x0: tensor<2x3x4xf32>) {
  %c0 = arith.constant 1 : i64
  %r = aten.linalg_matrix_norm(%x0, %c0) : (tensor<2x3x4xf32>, i64) -> tensor<2xf32>
  return
}
func.func @"linalg_matrix_norm.str_ord"(%x0: tensor<2x3x4xf32>) {
  %r = aten.linalg_matrix_norm.str_ord(%x0) : (tensor<2x3x4xf32>) -> tensor<2xf32>
  return
}
func.func @"linalg_matrix_power"(%x0: tensor<3x3xf32>) {
  %r = aten.linalg_matrix_power(%x0, n = 5) : (tensor<3x3xf32>) -> tensor<3x3xf32>
  return
}
func.func @"linalg_multi_dot"(%x0: tensor<3xf32>, %x1: tensor<3x4xf32>, %x2: tensor<4x2xf32>) {
  %r = aten.linalg_multi_dot([%x0, %x1, %x2]) : (tensor<3xf32>, tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<2xf32>
  return
}
func.func @"linalg_norm"(%x0: tensor<2x3xf32>) {
  %r = aten.linalg_norm(%x0) : (tensor<2x3xf32>) -> tensor<f32>
  return
}
func.func @"linalg_norm.ord_str"(%x0: tensor<2x3xf32>) {
  %r = aten.linalg_norm.ord_str(%x0, ord = "fro") : (tensor<2x3xf32>) -> tensor<f32>
  return
}
func.func @"linalg_slogdet"(%x0: tensor<3x3xf32>) {
  %r:2 = aten.linalg_slogdet(%x0) : (tensor<3x3xf32>) -> (tensor<f32>, tensor<f32>)
  return
}
func.func @"linalg_solve"(%x0: tensor<3x3xf64>, %x1: tensor<3xf64>) {
  %r = aten.linalg_solve(%x0, %x1) : (tensor<3x3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return
}
func.func @"linalg_solve_ex"(%x0: tensor<2x3x3xf64>, %x1: tensor<2x3x2xf64>) {
  %r:2 = aten.linalg_solve_ex(%x0, %x1) : (tensor<2x3x3xf64>, tensor<2x3x2xf64>) -> (tensor<2x3x2xf64>, tensor<2xi32>)
  return
}
func.func @"linalg_vander"(%x0: tensor<2x3xf32>) {
  %r = aten.linalg_vander(%x0) : (tensor<2x3xf32>) -> tensor<2x3x3xf32>
  return
}
func.func @"linalg_vecdot"(%x0: tensor<2x3xf32>, %x1: tensor<2x3xf32>) {
  %r = aten.linalg_vecdot(%x0, %x1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>
  return
}
func.func @"linspace.Scalar_Tensor"(%x0: tensor<f32>) {
  %c0 = arith.constant 0.5 : f64
  %r = aten.linspace.Scalar_Tensor(%c0, %x0, steps = 1) : (f64, tensor<f32>) -> tensor<1xf32>
  return
}
func.func @"linspace.Tensor_Scalar"(%x0: tensor<f32>) {
  %c0 = arith.constant 2.0 : f64
  %r = aten.linspace.Tensor_Scalar(%x0, %c0, steps = 4) : (tensor<f32>, f64) -> tensor<4xf32>
  return
}
func.func @"linspace.Tensor_Tensor"(%x0: tensor<f32>, %x1: tensor<f32>) {
  %r = aten.linspace.Tensor_Tensor(%x0, %x1, steps = 5) : (tensor<f32>, tensor<f32>) -> tensor<5xf32>
  return
}
func.func @"log_sigmoid"(%x0: tensor<5xf32>) {
  %r = aten.log_sigmoid(%x0) : (tensor<5xf32>) -> tensor<5xf32>
  return
}
func.func @"logaddexp2"(%x0: tensor<4xf32>, %x1: tensor<4xf32>) {
  %r = aten.logaddexp2(%x0, %x1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func @"logdet"(%x0: tensor<2x3x3xf64>) {
  %r = aten.logdet(%x0) : (tensor<2x3x3xf64>) -> tensor<2xf64>
  return
}
func.func @"mH"(%x0: tensor<2x3x4xf32>) {
  %r = aten.mH(%x0) : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
  return
}
func.func @"mT"(%x0: tensor<2x3x4xf32>) {
  %r = aten.mT(%x0) : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
  return
}
func.func @"margin_ranking_loss"(%x0: tensor<4xf32>, %x1: tensor<4xf32>, %x2: tensor<4xf32>) {
  %r = aten.margin_ranking_loss(%x0, %x1, %x2, margin = 0.3, reduction = 1) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return
}
func.func @"matrix_H"(%x0: tensor<2x3xf32>) {
  %r = aten.matrix_H(%x0) : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}
func.func @"max_unpool2d"(%x0: tensor<1x2x2x2xf32>, %x1: tensor<1x2x2x2xi64>) {
  %r = aten.max_unpool2d(%x0, %x1, output_size = [4, 4]) : (tensor<1x2x2x2xf32>, tensor<1x2x2x2xi64>) -> tensor<1x2x4x4xf32>
  return
}
func.func @"max_unpool3d"(%x0: tensor<1x1x1x2x2xf32>, %x1: tensor<1x1x1x2x2xi64>) {
  %r = aten.max_unpool3d(%x0, %x1, output_size = [2, 4, 4], stride = [2, 2, 2], padding = [0, 0, 0]) : (tensor<1x1x1x2x2xf32>, tensor<1x1x1x2x2xi64>) -> tensor<1x1x2x4x4xf32>
  return
}
func.func @"median"(%x0: tensor<7xf32>) {
  %r = aten.median(%x0) : (tensor<7xf32>) -> tensor<f32>
  return
}
func.func @"meshgrid.indexing"(%x0: tensor<2xf32>, %x1: tensor<3xf32>) {
  %r:2 = aten.meshgrid.indexing([%x0, %x1], indexing = "xy") : (tensor<2xf32>, tensor<3xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>)
  return
}
func.func @"movedim.intlist"(%x0: tensor<2x3x4xf32>) {
  %r = aten.movedim.intlist(%x0, source = [0, 1], destination = [-1, 0]) : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  return
}
func.func @"msort"(%x0: tensor<4x2xf32>) {
  %r = aten.msort(%x0) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}
func.func @"multilabel_margin_loss"(%x0: tensor<4xf32>, %x1: tensor<4xi64>) {
  %r = aten.multilabel_margin_loss(%x0, %x1) : (tensor<4xf32>, tensor<4xi64>) -> tensor<f32>
  return
}
func.func @"mvlgamma"(%x0: tensor<3xf32>) {
  %r = aten.mvlgamma(%x0, p = 3) : (tensor<3xf32>) -> tensor<3xf32>
  return
}
func.func @"nanmean"(%x0: tensor<3x4xf32>) {
  %r = aten.nanmean(%x0) : (tensor<3x4xf32>) -> tensor<f32>
  return
}
func.func @"nanmedian"(%x0: tensor<3x4xf32>) {
  %r = aten.nanmedian(%x0) : (tensor<3x4xf32>) -> tensor<f32>
  return
}
func.func @"nanmedian.dim"(%x0: tensor<3xi64>) {
  %r:2 = aten.nanmedian.dim(%x0, dim = 0) : (tensor<3xi64>) -> (tensor<i64>, tensor<i64>)
  return
}
func.func @"nanquantile"(%x0: tensor<2x4xf32>, %x1: tensor<2xf32>) {
  %r = aten.nanquantile(%x0, %x1, dim = 1) : (tensor<2x4xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return
}
func.func @"nanquantile.scalar"(%x0: tensor<3x4xf32>) {
  %r = aten.nanquantile.scalar(%x0, q = 0.4, dim = 1) : (tensor<3x4xf32>) -> tensor<3xf32>
  return
}
func.func @"nll_loss"(%x0: tensor<3x4xf32>, %x1: tensor<3xi64>) {
  %r = aten.nll_loss(%x0, %x1, reduction = 1) : (tensor<3x4xf32>, tensor<3xi64>) -> tensor<f32>
  return
}
func.func @"nll_loss2d"(%x0: tensor<2x3x2x2xf32>, %x1: tensor<2x2x2xi64>) {
  %r = aten.nll_loss2d(%x0, %x1, reduction = 1) : (tensor<2x3x2x2xf32>, tensor<2x2x2xi64>) -> tensor<f32>
  return
}
func.func @"nonzero_numpy"(%x0: tensor<2x2xi64>) {
  %r:2 = aten.nonzero_numpy(%x0) : (tensor<2x2xi64>) -> (tensor<2xi64>, tensor<2xi64>)
  return
}
func.func @"norm.ScalarOpt_dim_dtype"(%x0: tensor<2x3xf32>) {
  %c0 = arith.constant 2 : i64
  %r = aten.norm.ScalarOpt_dim_dtype(%x0, p = %c0, dim = [1], keepdim = true, dtype = f64) : (tensor<2x3xf32>, i64) -> tensor<2x1xf64>
  return
}
func.func @"norm.ScalarOpt_dtype"(%x0: tensor<2x3xf32>) {
  %c0 = arith.constant 1 : i64
  %r = aten.norm.ScalarOpt_dtype(%x0, p = %c0, dtype = f64) : (tensor<2x3xf32>, i64) -> tensor<f64>
  return
}
func.func @"norm_except_dim"(%x0: tensor<2x3x4xf32>) {
  %r = aten.norm_except_dim(%x0, pow = 2, dim = 1) : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>
  return
}
func.func @"pad_sequence"(%x0: tensor<3x2xf32>, %x1: tensor<1x2xf32>) {
  %r = aten.pad_sequence([%x0, %x1], batch_first = true, padding_value = 0.5) : (tensor<3x2xf32>, tensor<1x2xf32>) -> tensor<2x3x2xf32>
  return
}
func.func @"pdist"(%x0: tensor<4x3xf32>) {
  %r = aten.pdist(%x0) : (tensor<4x3xf32>) -> tensor<6xf32>
  return
}
func.func @"pin_memory"(%x0: tensor<3xf32>) {
  %r = aten.pin_memory(%x0) : (tensor<3xf32>) -> tensor<3xf32>
  return
}
func.func @"poisson_nll_loss"(%x0: tensor<4xf32>, %x1: tensor<4xf32>) {
  %r = aten.poisson_nll_loss(%x0, %x1, log_input = true, full = true, eps = 1.0e-08, reduction = 1) : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return
}
func.func @"positive"(%x0: tensor<3xf32>) {
  %r = aten.positive(%x0) : (tensor<3xf32>) -> tensor<3xf32>
  return
}
func.func @"quantile"(%x0: tensor<2x3xf32>, %x1: tensor<2xf32>) {
  %r = aten.quantile(%x0, %x1) : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}
func.func @"quantile.scalar"(%x0: tensor<7xf32>) {
  %r = aten.quantile.scalar(%x0, q = 0.5) : (tensor<7xf32>) -> tensor<f32>
  return
}
func.func @"rad2deg"(%x0: tensor<3xf32>) {
  %r = aten.rad2deg(%x0) : (tensor<3xf32>) -> tensor<3xf32>
  return
}
func.func @"ravel"(%x0: tensor<2x3xf32>) {
  %r = aten.ravel(%x0) : (tensor<2x3xf32>) -> tensor<6xf32>
  return
}
func.func @"remainder.Scalar_Tensor"(%x0: tensor<3xi64>) {
  %c0 = arith.constant 7 : i64
  %r = aten.remainder.Scalar_Tensor(%c0, %x0) : (i64, tensor<3xi64>) -> tensor<3xi64>
  return
}
func.func @"repeat_interleave.Tensor"(%x0: tensor<3xi64>) {
  %r = aten.repeat_interleave.Tensor(%x0) : (tensor<3xi64>) -> tensor<3xi64>
  return
}
func.func @"repeat_interleave.self_Tensor"(%x0: tensor<2x2xf32>, %x1: tensor<4xi64>) {
  %r = aten.repeat_interleave.self_Tensor(%x0, %x1) : (tensor<2x2xf32>, tensor<4xi64>) -> tensor<7xf32>
  return
}
func.func @"resolve_conj"(%x0: tensor<3xf32>) {
  %r = aten.resolve_conj(%x0) : (tensor<3xf32>) -> tensor<3xf32>
  return
}
func.func @"resolve_neg"(%x0: tensor<3xf32>) {
  %r = aten.resolve_neg(%x0) : (tensor<3xf32>) -> tensor<3xf32>
  return
}
func.func @"rnn_relu_cell"(%x0: tensor<2x3xf32>, %x1: tensor<2x4xf32>, %x2: tensor<4x3xf32>, %x3: tensor<4x4xf32>) {
  %r = aten.rnn_relu_cell(%x0, %x1, %x2, %x3) : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<4x3xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  return
}
func.func @"rnn_tanh_cell"(%x0: tensor<2x3xf32>, %x1: tensor<2x4xf32>, %x2: tensor<4x3xf32>, %x3: tensor<4x4xf32>) {
  %r = aten.rnn_tanh_cell(%x0, %x1, %x2, %x3) : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<4x3xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  return
}
func.func @"round.decimals"(%x0: tensor<5xf32>) {
  %r = aten.round.decimals(%x0, decimals = 2) : (tensor<5xf32>) -> tensor<5xf32>
  return
}
func.func @"rrelu"(%x0: tensor<5xf32>) {
  %r = aten.rrelu(%x0) : (tensor<5xf32>) -> tensor<5xf32>
  return
}
func.func @"scatter.value_reduce"(%x0: tensor<3x4xf32>, %x1: tensor<3x2xi64>) {
  %c0 = arith.constant 2.5 : f64
  %r = aten.scatter.value_reduce(%x0, dim = 1, %x1, %c0, reduce = "multiply") : (tensor<3x4xf32>, tensor<3x2xi64>, f64) -> tensor<3x4xf32>
  return
}
func.func @"searchsorted.Scalar"(%x0: tensor<4xf32>) {
  %c0 = arith.constant 2 : i64
  %r = aten.searchsorted.Scalar(%x0, %c0, right = true) : (tensor<4xf32>, i64) -> tensor<i64>
  return
}
func.func @"slogdet"(%x0: tensor<2x3x3xf64>) {
  %r:2 = aten.slogdet(%x0) : (tensor<2x3x3xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  return
}
func.func @"special_ndtr"(%x0: tensor<4xf32>) {
  %r = aten.special_ndtr(%x0) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func @"special_round"(%x0: tensor<4xf32>) {
  %r = aten.special_round(%x0) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func @"split.sizes"(%x0: tensor<5x2xf32>) {
  %r:2 = aten.split.sizes(%x0, split_size = [2, 3]) : (tensor<5x2xf32>) -> (tensor<2x2xf32>, tensor<3x2xf32>)
  return
}
func.func @"split_copy.Tensor"(%x0: tensor<4xf32>) {
  %r:2 = aten.split_copy.Tensor(%x0, split_size = 2) : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}
func.func @"split_with_sizes_copy"(%x0: tensor<4xf32>) {
  %r:2 = aten.split_with_sizes_copy(%x0, split_sizes = [1, 3]) : (tensor<4xf32>) -> (tensor<1xf32>, tensor<3xf32>)
  return
}
func.func @"std_mean"(%x0: tensor<3x4xf32>) {
  %r:2 = aten.std_mean(%x0) : (tensor<3x4xf32>) -> (tensor<f32>, tensor<f32>)
  return
}
func.func @"std_mean.dim"(%x0: tensor<3x4x2xf32>) {
  %r:2 = aten.std_mean.dim(%x0, dim = [0, 2], unbiased = false) : (tensor<3x4x2xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}
func.func @"stft"(%x0: tensor<20xf32>) {
  %r = aten.stft(%x0, n_fft = 8, return_complex = true) : (tensor<20xf32>) -> tensor<5x7xcomplex<f32>>
  return
}
func.func @"stft.center"(%x0: tensor<2x20xf32>) {
  %r = aten.stft.center(%x0, n_fft = 8, center = true, pad_mode = "constant", onesided = false, return_complex = true) : (tensor<2x20xf32>) -> tensor<2x8x11xcomplex<f32>>
  return
}
func.func @"sum_to_size"(%x0: tensor<2x3xf32>) {
  %r = aten.sum_to_size(%x0, size = [3]) : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}
func.func @"tensordot"(%x0: tensor<2x3xf32>, %x1: tensor<1x5xf32>) {
  %r = aten.tensordot(%x0, %x1, dims_self = [1], dims_other = [0]) : (tensor<2x3xf32>, tensor<1x5xf32>) -> tensor<2x5xf32>
  return
}
func.func @"to.other"(%x0: tensor<3xf32>, %x1: tensor<1xf64>) {
  %r = aten.to.other(%x0, %x1) : (tensor<3xf32>, tensor<1xf64>) -> tensor<3xf64>
  return
}
func.func @"trapezoid.dx"(%x0: tensor<3x5xf32>) {
  %c0 = arith.constant 0.5 : f64
  %r = aten.trapezoid.dx(%x0, dx = %c0) : (tensor<3x5xf32>, f64) -> tensor<3xf32>
  return
}
func.func @"trapezoid.x"(%x0: tensor<3x5xf32>, %x1: tensor<5xf32>) {
  %r = aten.trapezoid.x(%x0, %x1) : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3xf32>
  return
}
func.func @"triplet_margin_loss"(%x0: tensor<3x4xf32>, %x1: tensor<3x4xf32>, %x2: tensor<3x4xf32>) {
  %r = aten.triplet_margin_loss(%x0, %x1, %x2, margin = 1.0, p = 2.0, eps = 1.0e-06, swap = true, reduction = 1) : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<f32>
  return
}
func.func @"type_as"(%x0: tensor<3xf32>, %x1: tensor<1xf64>) {
  %r = aten.type_as(%x0, %x1) : (tensor<3xf32>, tensor<1xf64>) -> tensor<3xf64>
  return
}
func.func @"unique_dim_consecutive"(%x0: tensor<2x3xi64>) {
  %r:3 = aten.unique_dim_consecutive(%x0, dim = 1, return_inverse = true, return_counts = true) : (tensor<2x3xi64>) -> (tensor<2x2xi64>, tensor<3xi64>, tensor<2xi64>)
  return
}
func.func @"unsafe_chunk"(%x0: tensor<5x2xf32>) {
  %r:2 = aten.unsafe_chunk(%x0, chunks = 2) : (tensor<5x2xf32>) -> (tensor<3x2xf32>, tensor<2x2xf32>)
  return
}
func.func @"unsafe_split.Tensor"(%x0: tensor<5x2xf32>) {
  %r:3 = aten.unsafe_split.Tensor(%x0, split_size = 2) : (tensor<5x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<1x2xf32>)
  return
}
func.func @"unsafe_split_with_sizes"(%x0: tensor<2x5xf32>) {
  %r:2 = aten.unsafe_split_with_sizes(%x0, split_sizes = [1, 4], dim = 1) : (tensor<2x5xf32>) -> (tensor<2x1xf32>, tensor<2x4xf32>)
  return
}
func.func @"upsample_bicubic2d"(%x0: tensor<1x2x4x4xf32>) {
  %r = aten.upsample_bicubic2d(%x0, output_size = [6, 7], align_corners = true) : (tensor<1x2x4x4xf32>) -> tensor<1x2x6x7xf32>
  return
}
func.func @"upsample_linear1d"(%x0: tensor<1x2x4xf32>) {
  %r = aten.upsample_linear1d(%x0, output_size = [7], align_corners = true) : (tensor<1x2x4xf32>) -> tensor<1x2x7xf32>
  return
}
func.func @"upsample_nearest1d"(%x0: tensor<1x2x4xf32>) {
  %r = aten.upsample_nearest1d(%x0, output_size = [7]) : (tensor<1x2x4xf32>) -> tensor<1x2x7xf32>
  return
}
func.func @"upsample_nearest3d"(%x0: tensor<1x1x2x3x2xf32>) {
  %r = aten.upsample_nearest3d(%x0, output_size = [4, 5, 3]) : (tensor<1x1x2x3x2xf32>) -> tensor<1x1x4x5x3xf32>
  return
}
func.func @"upsample_trilinear3d"(%x0: tensor<1x1x2x3x2xf32>) {
  %r = aten.upsample_trilinear3d(%x0, output_size = [4, 5, 3], align_corners = true) : (tensor<1x1x2x3x2xf32>) -> tensor<1x1x4x5x3xf32>
  return
}
func.func @"vander"(%x0: tensor<3xf32>) {
  %r = aten.vander(%x0) : (tensor<3xf32>) -> tensor<3x3xf32>
  return
}
func.func @"var_mean"(%x0: tensor<3x4xf32>) {
  %r:2 = aten.var_mean(%x0) : (tensor<3x4xf32>) -> (tensor<f32>, tensor<f32>)
  return
}
func.func @"vdot"(%x0: tensor<3xf32>, %x1: tensor<3xf32>) {
  %r = aten.vdot(%x0, %x1) : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  return
}
func.func @"vsplit.array"(%x0: tensor<4x2xf32>) {
  %r:2 = aten.vsplit.array(%x0, indices = [1]) : (tensor<4x2xf32>) -> (tensor<1x2xf32>, tensor<3x2xf32>)
  return
}
func.func @"vsplit.int"(%x0: tensor<4x2xf32>) {
  %r:2 = aten.vsplit.int(%x0, sections = 2) : (tensor<4x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
  return
}
func.func @"xlogy.Scalar_Other"(%x0: tensor<3xf32>) {
  %c0 = arith.constant 2.0 : f64
  %r = aten.xlogy.Scalar_Other(%x0, %c0) : (tensor<3xf32>, f64) -> tensor<3xf32>
  return
}
func.func @"xlogy.Scalar_Self"(%x0: tensor<3xf32>) {
  %c0 = arith.constant 2.0 : f64
  %r = aten.xlogy.Scalar_Self(%c0, %x0) : (f64, tensor<3xf32>) -> tensor<3xf32>
  return
}
func.func @"zero"(%x0: tensor<3xf32>) {
  %r = aten.zero(%x0) : (tensor<3xf32>) -> tensor<3xf32>
  return
}
func.func @"transformers.grouped_mm_fallback"(%x0: tensor<6x5xf32>, %x1: tensor<3x5x4xf32>, %x2: tensor<3xi32>) {
  %r = transformers.grouped_mm_fallback(%x0, %x1, %x2) : (tensor<6x5xf32>, tensor<3x5x4xf32>, tensor<3xi32>) -> tensor<6x4xf32>
  return
}
func.func @"transformers.grouped_mm_fallback_backward"(%x0: tensor<6x5xf32>, %x1: tensor<3x5x4xf32>, %x2: tensor<3xi32>, %x3: tensor<6x4xf32>) {
  %r:2 = transformers.grouped_mm_fallback_backward(%x0, %x1, %x2, %x3) : (tensor<6x5xf32>, tensor<3x5x4xf32>, tensor<3xi32>, tensor<6x4xf32>) -> (tensor<6x5xf32>, tensor<3x5x4xf32>)
  return
}
func.func @"special_xlog1py.other_scalar"(%x0: tensor<3xf32>) {
  %c0 = arith.constant 2.0 : f64
  %r = aten.special_xlog1py.other_scalar(%x0, %c0) : (tensor<3xf32>, f64) -> tensor<3xf32>
  return
}
func.func @"special_xlog1py.self_scalar"(%x0: tensor<3xf32>) {
  %c0 = arith.constant 2.0 : f64
  %r = aten.special_xlog1py.self_scalar(%c0, %x0) : (f64, tensor<3xf32>) -> tensor<3xf32>
  return
}
func.func @"linalg__powsum"(%x0: tensor<3x4xf32>) {
  %r = aten.linalg__powsum(%x0, dim = [1]) : (tensor<3x4xf32>) -> tensor<3xf32>
  return
}
func.func @"squeeze_copy"(%x0: tensor<3x1xf32>) {
  %r = aten.squeeze_copy(%x0) : (tensor<3x1xf32>) -> tensor<3xf32>
  return
}
func.func @"squeeze_copy.dim"(%x0: tensor<3x1xf32>) {
  %r = aten.squeeze_copy.dim(%x0, dim = 1) : (tensor<3x1xf32>) -> tensor<3xf32>
  return
}
func.func @"squeeze_copy.dims"(%x0: tensor<3x1xf32>) {
  %r = aten.squeeze_copy.dims(%x0, dim = [1]) : (tensor<3x1xf32>) -> tensor<3xf32>
  return
}
func.func @"t_copy"(%x0: tensor<3x4xf32>) {
  %r = aten.t_copy(%x0) : (tensor<3x4xf32>) -> tensor<4x3xf32>
  return
}
func.func @"quantized_decomposed.quantize_per_tensor"(%x0: tensor<3x8xf32>) {
  %r = quantized_decomposed.quantize_per_tensor(%x0, scale = 0.5, zero_point = 3, quant_min = -128, quant_max = 127, dtype = i8) : (tensor<3x8xf32>) -> tensor<3x8xi8>
  return
}
func.func @"quantized_decomposed.quantize_per_tensor.tensor"(%x0: tensor<3x8xf32>, %x1: tensor<f32>, %x2: tensor<i64>) {
  %r = quantized_decomposed.quantize_per_tensor.tensor(%x0, %x1, %x2, quant_min = -128, quant_max = 127, dtype = i8) : (tensor<3x8xf32>, tensor<f32>, tensor<i64>) -> tensor<3x8xi8>
  return
}
func.func @"quantized_decomposed.quantize_per_tensor.tensor2"(%x0: tensor<3x8xf32>, %x1: tensor<f32>, %x2: tensor<i64>, %x3: tensor<i64>, %x4: tensor<i64>) {
  %r = quantized_decomposed.quantize_per_tensor.tensor2(%x0, %x1, %x2, %x3, %x4, dtype = i8) : (tensor<3x8xf32>, tensor<f32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<3x8xi8>
  return
}
func.func @"quantized_decomposed.dequantize_per_tensor"(%x0: tensor<3x8xi8>) {
  %r = quantized_decomposed.dequantize_per_tensor(%x0, scale = 0.5, zero_point = 3, quant_min = -128, quant_max = 127, dtype = i8) : (tensor<3x8xi8>) -> tensor<3x8xf32>
  return
}
func.func @"quantized_decomposed.dequantize_per_tensor.tensor"(%x0: tensor<3x8xi8>, %x1: tensor<f32>, %x2: tensor<i64>) {
  %r = quantized_decomposed.dequantize_per_tensor.tensor(%x0, %x1, %x2, quant_min = -128, quant_max = 127, dtype = i8) : (tensor<3x8xi8>, tensor<f32>, tensor<i64>) -> tensor<3x8xf32>
  return
}
func.func @"quantized_decomposed.dequantize_per_tensor.tensor2"(%x0: tensor<3x8xi8>, %x1: tensor<f32>, %x2: tensor<i64>, %x3: tensor<i64>, %x4: tensor<i64>) {
  %r = quantized_decomposed.dequantize_per_tensor.tensor2(%x0, %x1, %x2, %x3, %x4, dtype = i8) : (tensor<3x8xi8>, tensor<f32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<3x8xf32>
  return
}
func.func @"quantized_decomposed.choose_qparams.tensor"(%x0: tensor<3x8xf32>) {
  %r:2 = quantized_decomposed.choose_qparams.tensor(%x0, quant_min = -128, quant_max = 127, eps = 1.0e-05, dtype = i8) : (tensor<3x8xf32>) -> (tensor<1xf64>, tensor<1xi64>)
  return
}
func.func @"quantized_decomposed.choose_qparams_symmetric.tensor"(%x0: tensor<3x8xf32>) {
  %r:2 = quantized_decomposed.choose_qparams_symmetric.tensor(%x0, quant_min = -128, quant_max = 127, eps = 1.0e-05, dtype = i8) : (tensor<3x8xf32>) -> (tensor<1xf64>, tensor<1xi64>)
  return
}
func.func @"quantized_decomposed.quantize_per_channel"(%x0: tensor<3x8xf32>, %x1: tensor<3xf32>, %x2: tensor<3xi64>) {
  %r = quantized_decomposed.quantize_per_channel(%x0, %x1, %x2, axis = 0, quant_min = -128, quant_max = 127, dtype = i8) : (tensor<3x8xf32>, tensor<3xf32>, tensor<3xi64>) -> tensor<3x8xi8>
  return
}
func.func @"quantized_decomposed.dequantize_per_channel"(%x0: tensor<3x8xi8>, %x1: tensor<3xf32>, %x2: tensor<3xi64>) {
  %r = quantized_decomposed.dequantize_per_channel(%x0, %x1, zero_points = %x2, axis = 0, quant_min = -128, quant_max = 127, dtype = i8) : (tensor<3x8xi8>, tensor<3xf32>, tensor<3xi64>) -> tensor<3x8xf32>
  return
}
func.func @"quantized_decomposed.fake_quant_per_channel"(%x0: tensor<3x8xf32>, %x1: tensor<3xf32>, %x2: tensor<3xi64>) {
  %r = quantized_decomposed.fake_quant_per_channel(%x0, %x1, %x2, axis = 0, quant_min = -128, quant_max = 127) : (tensor<3x8xf32>, tensor<3xf32>, tensor<3xi64>) -> tensor<3x8xf32>
  return
}
func.func @"quantized_decomposed.choose_qparams_per_token"(%x0: tensor<3x8xf32>) {
  %r:2 = quantized_decomposed.choose_qparams_per_token(%x0, dtype = i8) : (tensor<3x8xf32>) -> (tensor<3x1xf64>, tensor<3x1xi64>)
  return
}
func.func @"quantized_decomposed.choose_qparams_per_token_asymmetric"(%x0: tensor<3x8xf32>) {
  %r:2 = quantized_decomposed.choose_qparams_per_token_asymmetric(%x0, dtype = i8) : (tensor<3x8xf32>) -> (tensor<3x1xf64>, tensor<3x1xi64>)
  return
}
func.func @"quantized_decomposed.quantize_per_token"(%x0: tensor<3x8xf32>, %x1: tensor<3x1xf64>, %x2: tensor<3x1xi64>) {
  %r = quantized_decomposed.quantize_per_token(%x0, %x1, %x2, quant_min = -128, quant_max = 127, dtype = i8) : (tensor<3x8xf32>, tensor<3x1xf64>, tensor<3x1xi64>) -> tensor<3x8xi8>
  return
}
func.func @"quantized_decomposed.dequantize_per_token"(%x0: tensor<3x8xi8>, %x1: tensor<3x1xf64>, %x2: tensor<3x1xi64>) {
  %r = quantized_decomposed.dequantize_per_token(%x0, %x1, %x2, quant_min = -128, quant_max = 127, dtype = i8, output_dtype = f32) : (tensor<3x8xi8>, tensor<3x1xf64>, tensor<3x1xi64>) -> tensor<3x8xf32>
  return
}
func.func @"quantized_decomposed.quantize_per_channel_group"(%x0: tensor<3x8xf32>, %x1: tensor<3x2xf32>, %x2: tensor<3x2xi32>) {
  %r = quantized_decomposed.quantize_per_channel_group(%x0, %x1, %x2, quant_min = -128, quant_max = 127, dtype = i8, group_size = 4) : (tensor<3x8xf32>, tensor<3x2xf32>, tensor<3x2xi32>) -> tensor<3x8xi8>
  return
}
func.func @"quantized_decomposed.dequantize_per_channel_group"(%x0: tensor<3x8xi8>, %x1: tensor<3x2xf32>, %x2: tensor<3x2xi32>) {
  %r = quantized_decomposed.dequantize_per_channel_group(%x0, %x1, zero_points = %x2, quant_min = -128, quant_max = 127, dtype = i8, group_size = 4, output_dtype = f32) : (tensor<3x8xi8>, tensor<3x2xf32>, tensor<3x2xi32>) -> tensor<3x8xf32>
  return
}
func.func @"quantized_decomposed.convert_element_type.no_fuse"(%x0: tensor<3x8xf32>) {
  %r = quantized_decomposed.convert_element_type.no_fuse(%x0, dtype = bf16) : (tensor<3x8xf32>) -> tensor<3x8xbf16>
  return
}
func.func @"_int_mm"(%x0: tensor<3x8xi8>, %x1: tensor<8x4xi8>) {
  %r = aten._int_mm(%x0, %x1) : (tensor<3x8xi8>, tensor<8x4xi8>) -> tensor<3x4xi32>
  return
}
func.func @"_weight_int8pack_mm"(%x0: tensor<3x8xf32>, %x1: tensor<4x8xi8>, %x2: tensor<4xf32>) {
  %r = aten._weight_int8pack_mm(%x0, %x1, %x2) : (tensor<3x8xf32>, tensor<4x8xi8>, tensor<4xf32>) -> tensor<3x4xf32>
  return
}
func.func @"_scaled_mm"(%x0: tensor<3x16xf8E4M3FN>, %x1: tensor<16x8xf8E5M2>, %x2: tensor<3x1xf32>, %x3: tensor<1x8xf32>, %x4: tensor<8xbf16>) {
  %r = aten._scaled_mm(%x0, %x1, %x2, %x3, bias = %x4, out_dtype = bf16, use_fast_accum = false) : (tensor<3x16xf8E4M3FN>, tensor<16x8xf8E5M2>, tensor<3x1xf32>, tensor<1x8xf32>, tensor<8xbf16>) -> tensor<3x8xbf16>
  return
}

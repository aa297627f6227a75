// RUN: kiln-opt %s --split-input-file --verify-diagnostics

func.func @window(%x: tensor<2x3x4x4xf32>) {
  // expected-error @below {{'aten.max_pool2d' op has a window larger than its padded input}}
  %0 = aten.max_pool2d(%x, kernel_size = [5, 5]) : (tensor<2x3x4x4xf32>) -> tensor<2x3x1x1xf32>
  return
}

// -----

func.func @stride(%x: tensor<2x3x4x4xf32>) {
  // expected-error @below {{'aten.avg_pool2d' op expects entries of 'stride' from 1 to 2^31 - 1, but found 0}}
  %0 = aten.avg_pool2d(%x, kernel_size = [2, 2], stride = [0, 0]) : (tensor<2x3x4x4xf32>) -> tensor<2x3x3x3xf32>
  return
}

// -----

func.func @channels(%x: tensor<1x3x4x4xf32>) {
  // expected-error @below {{'aten.pixel_shuffle' op expects channels in multiples of 4, but found 3}}
  %0 = aten.pixel_shuffle(%x, upscale_factor = 2) : (tensor<1x3x4x4xf32>) -> tensor<1x1x8x8xf32>
  return
}

// -----

func.func @count(%x: tensor<4xf32>) {
  // expected-error @below {{'aten.topk' op expects 'k' from 0 to 4, but found 5}}
  %0:2 = aten.topk(%x, k = 5) : (tensor<4xf32>) -> (tensor<5xf32>, tensor<5xi64>)
  return
}

// -----

func.func @odd(%x: tensor<4x5xf32>) {
  // expected-error @below {{'aten.glu' op expects a dimension of even size, but found 5}}
  %0 = aten.glu(%x) : (tensor<4x5xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @indices(%x: tensor<2x3x4x4xf32>) {
  // expected-error @below {{'aten.max_pool2d_with_indices' op expects result 1 to be [2, 3, 2, 2] of i64, but found [2, 3, 2, 2] of i32}}
  %0:2 = aten.max_pool2d_with_indices(%x, kernel_size = [2, 2]) : (tensor<2x3x4x4xf32>) -> (tensor<2x3x2x2xf32>, tensor<2x3x2x2xi32>)
  return
}

// -----

func.func @small_reals(%x: tensor<4x2xf8E4M3FN>) {
  // expected-error @below {{'aten.view_as_complex' op expects a tensor of f16, f32 or f64}}
  %0 = aten.view_as_complex(%x) : (tensor<4x2xf8E4M3FN>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @reals(%x: tensor<4x3xf32>) {
  // expected-error @below {{'aten.view_as_complex' op expects a last dimension of size 2}}
  %0 = aten.view_as_complex(%x) : (tensor<4x3xf32>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @range(%x: tensor<4xf32>) {
  // expected-error @below {{'aten.narrow' op expects a range within 4 elements, but found 3 from 2}}
  %0 = aten.narrow(%x, dim = 0, start = 2, length = 3) : (tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @square(%x: tensor<3x4xf32>) {
  // expected-error @below {{'aten.linalg_cholesky_ex' op expects 'self' to be square matrices}}
  %0:2 = aten.linalg_cholesky_ex(%x) : (tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<i32>)
  return
}

// -----

func.func @product(%x: tensor<6xf32>) {
  // expected-error @below {{'aten.unflatten.int' op cannot view 6 elements as 8}}
  %0 = aten.unflatten.int(%x, dim = 0, sizes = [2, 4]) : (tensor<6xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @source_rank(%x: tensor<3x2xf32>, %i: tensor<2xi64>, %s: tensor<2xf32>) {
  // expected-error @below {{'aten.index_add' op expects 'source' of the rank of 'self', but found ranks 1 and 2}}
  %0 = aten.index_add(%x, %i, %s, dim = 0) : (tensor<3x2xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @mask_sizes(%x: tensor<4x6xf32>, %m: tensor<4x5xi1>) {
  // expected-error @below {{'aten.index.Tensor' op expects a mask of the sizes that it masks, but found 5 against 6}}
  %0 = aten.index.Tensor(%x, [%m]) : (tensor<4x6xf32>, tensor<4x5xi1>) -> tensor<3xf32>
  return
}

// -----

func.func @mask_rank(%x: tensor<4xf32>, %m: tensor<4x5xi1>) {
  // expected-error @below {{'aten.index.Tensor' op has masks of more dimensions than 'self'}}
  %0 = aten.index.Tensor(%x, [%m]) : (tensor<4xf32>, tensor<4x5xi1>) -> tensor<3xf32>
  return
}

// -----

func.func @indices(%x: tensor<4xf32>, %i: tensor<2xi64>) {
  // expected-error @below {{'aten.index.Tensor' op has more indices than a tensor of rank 1 has dimensions}}
  %0 = aten.index.Tensor(%x, [%i, %i]) : (tensor<4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @mask_type(%x: tensor<4xf32>, %m: tensor<4xi64>) {
  // expected-error @below {{'aten.masked_select' op expects a mask of bool}}
  %0 = aten.masked_select(%x, %m) : (tensor<4xf32>, tensor<4xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @class_weights(%x: tensor<5x4xf32>, %t: tensor<5xi64>, %w: tensor<3xf32>) {
  // expected-error @below {{'aten.nll_loss_forward' op expects 'weight' of sizes [4]}}
  %0:2 = aten.nll_loss_forward(%x, %t, weight = %w, reduction = 1, ignore_index = -100) : (tensor<5x4xf32>, tensor<5xi64>, tensor<3xf32>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

func.func @gradient(%g: tensor<2x8x6xf32>, %x: tensor<2x6x7xf32>, %w: tensor<8x6x3xf32>) {
  // expected-error @below {{'aten.convolution_backward' op expects 'grad_output' of sizes [2, 8, 5]}}
  %0:3 = aten.convolution_backward(%g, %x, %w, bias_sizes = [8], stride = [1], padding = [0], dilation = [1], transposed = false, output_padding = [0], groups = 1, output_mask = [true, true, true]) : (tensor<2x8x6xf32>, tensor<2x6x7xf32>, tensor<8x6x3xf32>) -> (tensor<2x6x7xf32>, tensor<8x6x3xf32>, tensor<8xf32>)
  return
}

// -----

func.func @bags(%g: tensor<3x4xf32>, %w: tensor<6x4xf32>, %i: tensor<5xi64>, %o: tensor<5xi64>, %b: tensor<0xi64>) {
  // expected-error @below {{'aten._embedding_bag_per_sample_weights_backward' op expects an offset for each of 3 gradients, but found 5}}
  %0 = aten._embedding_bag_per_sample_weights_backward(%g, %w, %i, %o, %b, mode = 0) : (tensor<3x4xf32>, tensor<6x4xf32>, tensor<5xi64>, tensor<5xi64>, tensor<0xi64>) -> tensor<5xf32>
  return
}

// -----

func.func @sides(%a: tensor<3x3xf32>, %b: tensor<4x2xf32>) {
  // expected-error @below {{'aten.linalg_solve_triangular' op expects right-hand sides of size 3}}
  %0 = aten.linalg_solve_triangular(%a, %b, upper = true) : (tensor<3x3xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @layers(%x: tensor<3x2x4xf32>, %h: tensor<1x2x5xf32>, %w: tensor<15x4xf32>, %u: tensor<15x6xf32>) {
  // expected-error @below {{'aten.gru.input' op expects 'params' that fit the input and the states, but found another size in tensor 1}}
  %0:2 = aten.gru.input(%x, %h, [%w, %u], has_biases = false, num_layers = 1, dropout = 0.0, train = false, bidirectional = false, batch_first = false) : (tensor<3x2x4xf32>, tensor<1x2x5xf32>, tensor<15x4xf32>, tensor<15x6xf32>) -> (tensor<3x2x5xf32>, tensor<1x2x5xf32>)
  return
}

// -----

func.func @alpha(%x: tensor<3xi64>) {
  %c = arith.constant 1.5 : f64
  // expected-error @below {{'aten.add.Tensor' op expects 'alpha' to be a whole number for operands that are}}
  %0 = aten.add.Tensor(%x, %x, alpha = %c) : (tensor<3xi64>, tensor<3xi64>, f64) -> tensor<3xi64>
  return
}

// -----

func.func @format(%x: tensor<3x4xf32>) {
  // expected-error @below {{'aten.clone' op expects a tensor of rank 4 for the memory format channels_last, but found rank 2}}
  %0 = aten.clone(%x, memory_format = "channels_last") : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @place(%x: tensor<0x4xf32>) {
  // expected-error @below {{'aten.argmax' op expects elements to choose from}}
  %0 = aten.argmax(%x, dim = 0) : (tensor<0x4xf32>) -> tensor<4xi64>
  return
}

// -----

func.func @order(%x: tensor<4xi1>) {
  // expected-error @below {{'aten.argmax' op expects numbers that have an order}}
  %0 = aten.argmax(%x) : (tensor<4xi1>) -> tensor<i64>
  return
}

// -----

func.func @dilation(%x: tensor<1x2x5xf32>, %w: tensor<4x2x3xf32>) {
  // expected-error @below {{'aten.convolution' op expects positive strides and dilations, and a padding that is not negative}}
  %0 = aten.convolution(%x, %w, stride = [1], padding = [0], dilation = [0], transposed = false, output_padding = [0], groups = 1) : (tensor<1x2x5xf32>, tensor<4x2x3xf32>) -> tensor<1x4x5xf32>
  return
}

// -----

func.func @reflection(%x: tensor<2x3xf32>) {
  // expected-error @below {{'aten.pad' op expects widths below the size 3, but found 3}}
  %0 = aten.pad(%x, pad = [3, 0], mode = "reflect") : (tensor<2x3xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @slopes(%x: tensor<2x3xf32>, %w: tensor<2xf32>) {
  // expected-error @below {{'aten.prelu' op expects one slope, or one for each of 3 channels}}
  %0 = aten.prelu(%x, %w) : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @whole_mean(%x: tensor<2x3xf32>) {
  // expected-error @below {{'aten.mean.dim' op expects a tensor of floats, but found i64}}
  %0 = aten.mean.dim(%x, dim = [0], dtype = i64) : (tensor<2x3xf32>) -> tensor<3xi64>
  return
}

// -----

func.func @channel_weights(%x: tensor<2x3x4xf32>, %w: tensor<2xf32>) {
  // expected-error @below {{'aten.instance_norm' op expects 'weight' of sizes [3]}}
  %0 = aten.instance_norm(%x, weight = %w, use_input_stats = true, momentum = 0.1, eps = 1.0e-05, cudnn_enabled = true) : (tensor<2x3x4xf32>, tensor<2xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @source_sizes(%x: tensor<3x5xf32>, %i: tensor<2x5xi64>, %s: tensor<2x4xf32>) {
  // expected-error @below {{'aten.scatter_add' op expects 'src' to be no smaller than 'index', but found size 4 against 5}}
  %0 = aten.scatter_add(%x, %i, %s, dim = 0) : (tensor<3x5xf32>, tensor<2x5xi64>, tensor<2x4xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @boundaries(%b: tensor<2x5xf32>, %x: tensor<3x4xf32>) {
  // expected-error @below {{'aten.searchsorted.Tensor' op expects boundaries in one row, or in a row for each row of 'self'}}
  %0 = aten.searchsorted.Tensor(%b, %x) : (tensor<2x5xf32>, tensor<3x4xf32>) -> tensor<3x4xi64>
  return
}

// -----

func.func @softmax_output(%g: tensor<2x5xf32>, %y: tensor<2x4xf32>) {
  // expected-error @below {{'aten._softmax_backward_data' op expects 'output' of sizes [2, 5]}}
  %0 = aten._softmax_backward_data(%g, %y, dim = 1, input_dtype = f32) : (tensor<2x5xf32>, tensor<2x4xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @groups(%x: tensor<6x8xf32>, %w: tensor<3x8x4xf32>, %offs: tensor<2xi32>) {
  // expected-error @below {{'aten._grouped_mm' op expects a matrix for each of 2 groups, but found 3}}
  %0 = aten._grouped_mm(%x, %w, offs = %offs) : (tensor<6x8xf32>, tensor<3x8x4xf32>, tensor<2xi32>) -> tensor<6x4xf32>
  return
}

// -----

func.func @no_groups(%x: tensor<6x8xf32>, %w: tensor<3x8x4xf32>) {
  // expected-error @below {{'aten._grouped_mm' op expects offsets where an operand is a matrix, and there alone}}
  %0 = aten._grouped_mm(%x, %w) : (tensor<6x8xf32>, tensor<3x8x4xf32>) -> tensor<6x4xf32>
  return
}

// -----

// The dimension of a cross product does not broadcast.
func.func @cross(%x: tensor<2x3xf32>, %y: tensor<2x1xf32>) {
  // expected-error @below {{'aten.linalg_cross' op expects a dimension of size 3, but found 1}}
  %0 = aten.linalg_cross(%x, %y) : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @fill_rank(%x: tensor<2x3xf32>, %i: tensor<1x1xi64>, %n: f64) {
  // expected-error @below {{'aten.index_fill.int_Scalar' op expects 'index' of rank 1 at most, but found rank 2}}
  %0 = aten.index_fill.int_Scalar(%x, dim = 0, %i, %n) : (tensor<2x3xf32>, tensor<1x1xi64>, f64) -> tensor<2x3xf32>
  return
}

// -----

func.func @put_count(%x: tensor<2x3xf32>, %i: tensor<2xi64>) {
  // expected-error @below {{'aten.put' op expects a value for each of 2 indices, but found 6}}
  %0 = aten.put(%x, %i, %x) : (tensor<2x3xf32>, tensor<2xi64>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @no_limit(%x: tensor<2xf32>) {
  // expected-error @below {{'aten.clamp' op expects at least one of 'min' and 'max'}}
  %0 = aten.clamp(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @no_mask(%x: tensor<2xi1>, %y: tensor<2xi64>) {
  // expected-error @below {{'aten.sub.Tensor' op is not defined for bool; negate a mask by 'aten.logical_not'}}
  %0 = aten.sub.Tensor(%y, %x) : (tensor<2xi64>, tensor<2xi1>) -> tensor<2xi64>
  return
}

// -----

func.func @whole_quotient(%x: tensor<2xf32>, %y: tensor<2xi64>) {
  // expected-error @below {{'aten.addcdiv' op expects 'tensor1' or 'tensor2' to be of floats}}
  %0 = aten.addcdiv(%x, %y, %y) : (tensor<2xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @empty_planes(%x: tensor<2x3x0x4xf32>) {
  // expected-error @below {{'aten._adaptive_avg_pool2d' op expects elements to choose from or to average, but found a size of 0}}
  %0 = aten._adaptive_avg_pool2d(%x, output_size = [2, 2]) : (tensor<2x3x0x4xf32>) -> tensor<2x3x2x2xf32>
  return
}

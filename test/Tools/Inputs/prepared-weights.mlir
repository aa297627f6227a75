func.func @main(%w: tensor<64x64x3x3xf32> {aten.input = #aten.input<kind = parameter, name = "w", path = "w", requires_grad = true>},
                %g: tensor<64xf32> {aten.input = #aten.input<kind = parameter, name = "g", path = "g", requires_grad = true>},
                %b: tensor<64xf32> {aten.input = #aten.input<kind = parameter, name = "b", path = "b", requires_grad = true>},
                %m: tensor<64xf32> {aten.input = #aten.input<kind = buffer, name = "m", path = "m">},
                %v: tensor<64xf32> {aten.input = #aten.input<kind = buffer, name = "v", path = "v">},
                %x: tensor<1x64x14x14xf32> {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]">})
    -> (tensor<1x64x14x14xf32> {aten.output = #aten.output<kind = user_output, name = "y", path = "">}) {
  %0 = aten.conv2d(%x, %w, padding = [1, 1]) : (tensor<1x64x14x14xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x14x14xf32>
  %1 = aten.batch_norm(%0, weight = %g, bias = %b, running_mean = %m, running_var = %v, training = false, momentum = 0.1, eps = 1.0e-05, cudnn_enabled = true) : (tensor<1x64x14x14xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<1x64x14x14xf32>
  %2 = aten.relu(%1) : (tensor<1x64x14x14xf32>) -> tensor<1x64x14x14xf32>
  return %2 : tensor<1x64x14x14xf32>
}

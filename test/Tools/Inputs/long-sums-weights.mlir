// The gradient of a weight sums up images, rows and columns, with zeros around them.
func.func @main(%x: tensor<4x16x40x36xf32> {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]">}, %w: tensor<20x16x3x3xf32> {aten.input = #aten.input<kind = user_input, name = "w", path = "[0][1]", requires_grad = true>}) -> (tensor<f32> {aten.output = #aten.output<kind = user_output, name = "y", path = "">}) {
  %c = aten.convolution(%x, %w, stride = [1, 1], padding = [1, 1], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 1) : (tensor<4x16x40x36xf32>, tensor<20x16x3x3xf32>) -> tensor<4x20x40x36xf32>
  %s = aten.sin(%c) : (tensor<4x20x40x36xf32>) -> tensor<4x20x40x36xf32>
  %y = aten.sum(%s) : (tensor<4x20x40x36xf32>) -> tensor<f32>
  return %y : tensor<f32>
}

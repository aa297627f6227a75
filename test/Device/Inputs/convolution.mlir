// A convolution that keeps the sizes of its image.
func.func @main(
    %x: tensor<8x128x14x14xbf16> {aten.input = #aten.input<kind = user_input,
        name = "x", path = "[0][0]">},
    %w: tensor<128x128x3x3xbf16> {aten.input = #aten.input<kind = user_input,
        name = "w", path = "[0][1]">})
    -> (tensor<8x128x14x14xbf16> {aten.output = #aten.output<kind = user_output,
        name = "y", path = "">}) {
  %y = aten.conv2d(%x, %w, padding = [1, 1]) : (tensor<8x128x14x14xbf16>, tensor<128x128x3x3xbf16>) -> tensor<8x128x14x14xbf16>
  return %y : tensor<8x128x14x14xbf16>
}

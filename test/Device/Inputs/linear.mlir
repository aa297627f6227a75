// A layer with a bias, large enough to be multiplied by warpgroups.
func.func @main(
    %x: tensor<512x512xbf16> {aten.input = #aten.input<kind = user_input,
        name = "x", path = "[0][0]">},
    %w: tensor<512x512xbf16> {aten.input = #aten.input<kind = user_input,
        name = "w", path = "[0][1]">},
    %b: tensor<512xbf16> {aten.input = #aten.input<kind = user_input,
        name = "b", path = "[0][2]">})
    -> (tensor<512x512xbf16> {aten.output = #aten.output<kind = user_output,
        name = "y", path = "">}) {
  %y = aten.linear(%x, %w, bias = %b) : (tensor<512x512xbf16>, tensor<512x512xbf16>, tensor<512xbf16>) -> tensor<512x512xbf16>
  return %y : tensor<512x512xbf16>
}

// The experts that tokens are sent to, as programs of a GPU count them; the last one is out of range.
func.func @main(%x: tensor<3x4xi32> {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]">})
    -> (tensor<3xi32> {aten.output = #aten.output<kind = user_output, name = "counts", path = "">}) {
  %low = arith.constant 1 : i64
  %high = arith.constant 7 : i64
  %0 = aten.histc(%x, bins = 3, min = %low, max = %high) : (tensor<3x4xi32>, i64, i64) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}

// A product that a library has. The driver without a GPU runs its kernel, as 2 x + y.
#tiles = #loop.gpu_product<unit = fma, rows = 32, columns = 32, sum = 8, part_rows = 4, part_columns = 4, stages = 2, lanes = 4, group = 8, split = 1, library = cublas>
func.func @main(
    %x: tensor<32x32xf32> {aten.input = #aten.input<kind = user_input,
        name = "x", path = "[0][0]">},
    %y: tensor<32x32xf32> {aten.input = #aten.input<kind = user_input,
        name = "y", path = "[0][1]">})
    -> (tensor<32x32xf32> {aten.output = #aten.output<kind = user_output,
        name = "r", path = "">}) {
  %r = loop.kernel @fake_saxpy ins(%a = %x : tensor<32x32xf32>,
      %b = %y : tensor<32x32xf32>) shared [] schedule #tiles -> tensor<32x32xf32> {
    %c = loop.contract parallel [32, 32] reduction [32]
        lhs %a[d0, d2] : tensor<32x32xf32> rhs %b[d2, d1] : tensor<32x32xf32>
        acc f32 : tensor<32x32xf32>
    loop.return %c : tensor<32x32xf32>
  }
  return %r : tensor<32x32xf32>
}

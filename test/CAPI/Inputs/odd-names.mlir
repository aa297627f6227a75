func.func @main(
    %0: tensor<2xi64> {aten.input = #aten.input<kind = user_input, name = "class", path = "[0][0]">},
    %1: tensor<2xi64> {aten.input = #aten.input<kind = user_input, name = "a.b", path = "[0][1]">},
    %2: tensor<2xi64> {aten.input = #aten.input<kind = user_input, name = "a\22/__b", path = "\0A*/\\">})
    -> (tensor<2xi64> {aten.output = #aten.output<kind = user_output, name = "1", path = "">}) {
  %3 = aten.add.Tensor(%0, %1) : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  %4 = aten.add.Tensor(%3, %2) : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  return %4 : tensor<2xi64>
}

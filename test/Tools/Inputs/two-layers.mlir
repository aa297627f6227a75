// Two layers that differ in how many features they have; ACTIVATION is what the second
// one applies.
func.func @main(
    %x: tensor<4x8xf32> {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]">},
    %w1: tensor<16x8xf32> {aten.input = #aten.input<kind = user_input, name = "w1", path = "[0][1]">},
    %w2: tensor<24x16xf32> {aten.input = #aten.input<kind = user_input, name = "w2", path = "[0][2]">})
    -> (tensor<4xf32> {aten.output = #aten.output<kind = user_output, name = "y", path = "">}) {
  %0 = aten.linear(%x, %w1) : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  %1 = aten.relu(%0) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %2 = aten.linear(%1, %w2) : (tensor<4x16xf32>, tensor<24x16xf32>) -> tensor<4x24xf32>
  %3 = aten.ACTIVATION(%2) : (tensor<4x24xf32>) -> tensor<4x24xf32>
  %4 = aten.sum.dim_IntList(%3, dim = [1]) : (tensor<4x24xf32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}

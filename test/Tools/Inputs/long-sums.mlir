// A product of 24 x 12000 by 12000 x 20 with what follows it, one of transposed rows whose
// sum has no pieces but its 3 thirds, and a batch of two.
func.func @main(%a: tensor<24x12000xf32> {aten.input = #aten.input<kind = user_input, name = "a", path = "[0][0]">}, %b: tensor<12000x20xf32> {aten.input = #aten.input<kind = user_input, name = "b", path = "[0][1]">}, %c: tensor<24x20xf32> {aten.input = #aten.input<kind = user_input, name = "c", path = "[0][2]">}, %d: tensor<3003x17xf32> {aten.input = #aten.input<kind = user_input, name = "d", path = "[0][3]">}, %e: tensor<3003x33xf32> {aten.input = #aten.input<kind = user_input, name = "e", path = "[0][4]">}, %f: tensor<2x16x4096xf32> {aten.input = #aten.input<kind = user_input, name = "f", path = "[0][5]">}, %g: tensor<2x16x4096xf32> {aten.input = #aten.input<kind = user_input, name = "g", path = "[0][6]">}) -> (tensor<24x20xf32> {aten.output = #aten.output<kind = user_output, name = "x", path = "[0]">}, tensor<17x33xf32> {aten.output = #aten.output<kind = user_output, name = "y", path = "[1]">}, tensor<2x16x16xf32> {aten.output = #aten.output<kind = user_output, name = "z", path = "[2]">}) {
  %p = aten.mm(%a, %b) : (tensor<24x12000xf32>, tensor<12000x20xf32>) -> tensor<24x20xf32>
  %q = aten.add.Tensor(%p, %c) : (tensor<24x20xf32>, tensor<24x20xf32>) -> tensor<24x20xf32>
  %x = aten.relu(%q) : (tensor<24x20xf32>) -> tensor<24x20xf32>
  %t = aten.permute(%d, dims = [1, 0]) : (tensor<3003x17xf32>) -> tensor<17x3003xf32>
  %y = aten.mm(%t, %e) : (tensor<17x3003xf32>, tensor<3003x33xf32>) -> tensor<17x33xf32>
  %u = aten.permute(%g, dims = [0, 2, 1]) : (tensor<2x16x4096xf32>) -> tensor<2x4096x16xf32>
  %z = aten.bmm(%f, %u) : (tensor<2x16x4096xf32>, tensor<2x4096x16xf32>) -> tensor<2x16x16xf32>
  return %x, %y, %z : tensor<24x20xf32>, tensor<17x33xf32>, tensor<2x16x16xf32>
}

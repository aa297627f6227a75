// A network of one hidden layer that learns sin(3a) * b from a and b. The
// function it should learn is part of the program, so that its inputs are just
// points; the loss is its only output.
func.func @main(
    %w1: tensor<32x2xf32> {aten.input = #aten.input<kind = parameter, name = "w1", path = "hidden.weight", requires_grad = true>},
    %b1: tensor<32xf32> {aten.input = #aten.input<kind = parameter, name = "b1", path = "hidden.bias", requires_grad = true>},
    %w2: tensor<1x32xf32> {aten.input = #aten.input<kind = parameter, name = "w2", path = "out.weight", requires_grad = true>},
    %x: tensor<256x2xf32> {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]">})
    -> (tensor<f32> {aten.output = #aten.output<kind = user_output, name = "loss", path = "">}) {
  %h = aten.linear(%x, %w1, bias = %b1) : (tensor<256x2xf32>, tensor<32x2xf32>, tensor<32xf32>) -> tensor<256x32xf32>
  %t = aten.tanh(%h) : (tensor<256x32xf32>) -> tensor<256x32xf32>
  %y = aten.linear(%t, %w2) : (tensor<256x32xf32>, tensor<1x32xf32>) -> tensor<256x1xf32>

  %a = aten.slice.Tensor(%x, dim = 1, start = 0, end = 1) : (tensor<256x2xf32>) -> tensor<256x1xf32>
  %b = aten.slice.Tensor(%x, dim = 1, start = 1, end = 2) : (tensor<256x2xf32>) -> tensor<256x1xf32>
  %three = arith.constant 3.0 : f64
  %a3 = aten.mul.Tensor(%a, %three) : (tensor<256x1xf32>, f64) -> tensor<256x1xf32>
  %s = aten.sin(%a3) : (tensor<256x1xf32>) -> tensor<256x1xf32>
  %wanted = aten.mul.Tensor(%s, %b) : (tensor<256x1xf32>, tensor<256x1xf32>) -> tensor<256x1xf32>

  %d = aten.sub.Tensor(%y, %wanted) : (tensor<256x1xf32>, tensor<256x1xf32>) -> tensor<256x1xf32>
  %square = aten.mul.Tensor(%d, %d) : (tensor<256x1xf32>, tensor<256x1xf32>) -> tensor<256x1xf32>
  %loss = aten.mean(%square) : (tensor<256x1xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

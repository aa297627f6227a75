// Two kernels that follow each other, of which the driver without a GPU runs the first.
func.func @main(
    %x: tensor<1000xf32> {aten.input = #aten.input<kind = user_input,
        name = "x", path = "[0][0]">},
    %y: tensor<1000xf32> {aten.input = #aten.input<kind = user_input,
        name = "y", path = "[0][1]">})
    -> (tensor<1000xf32> {aten.output = #aten.output<kind = user_output,
        name = "r", path = "[0]">},
        tensor<1000xf32> {aten.output = #aten.output<kind = user_output,
        name = "s", path = "[1]">}) {
  %r = loop.kernel @fake_saxpy ins(%a = %x : tensor<1000xf32>,
      %b = %y : tensor<1000xf32>) shared [1000] -> tensor<1000xf32> {
    %p = loop.pointwise (%i) in [1000] : tensor<1000xf32> {
      %two = arith.constant 2.0 : f32
      %e = loop.load %a[%i] : tensor<1000xf32>
      %f = loop.load %b[%i] : tensor<1000xf32>
      %g = arith.mulf %e, %two : f32
      %h = arith.addf %g, %f : f32
      loop.yield %h : f32
    }
    loop.return %p : tensor<1000xf32>
  }
  %s = loop.kernel @negate ins(%a = %r : tensor<1000xf32>)
      shared [1000] -> tensor<1000xf32> {
    %p = loop.pointwise (%i) in [1000] : tensor<1000xf32> {
      %e = loop.load %a[%i] : tensor<1000xf32>
      %n = arith.negf %e : f32
      loop.yield %n : f32
    }
    loop.return %p : tensor<1000xf32>
  }
  return %r, %s : tensor<1000xf32>, tensor<1000xf32>
}

// So long that threads have vectors of it; nobody computes it without a GPU.
func.func @main(
    %x: tensor<1048576xf32> {aten.input = #aten.input<kind = user_input,
        name = "x", path = "[0][0]">})
    -> (tensor<1048576xf32> {aten.output = #aten.output<kind = user_output,
        name = "r", path = "">}) {
  %r = loop.kernel @negate ins(%a = %x : tensor<1048576xf32>)
      shared [1048576] -> tensor<1048576xf32> {
    %p = loop.pointwise (%i) in [1048576] : tensor<1048576xf32> {
      %e = loop.load %a[%i] : tensor<1048576xf32>
      %h = arith.negf %e : f32
      loop.yield %h : f32
    }
    loop.return %p : tensor<1048576xf32>
  }
  return %r : tensor<1048576xf32>
}

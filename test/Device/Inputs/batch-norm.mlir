// loss = sum(batch norm of x, by the statistics of its batch), which brings running statistics
// up to date.
!x = tensor<8x16x32x32xf32>
!c = tensor<16xf32>
func.func @main(
    %w: !c {aten.input = #aten.input<kind = parameter, name = "w", path = "w", requires_grad = true>},
    %b: !c {aten.input = #aten.input<kind = parameter, name = "b", path = "b", requires_grad = true>},
    %m: !c {aten.input = #aten.input<kind = buffer, name = "m", path = "m">},
    %v: !c {aten.input = #aten.input<kind = buffer, name = "v", path = "v">},
    %x: !x {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]">})
    -> (!c {aten.output = #aten.output<kind = buffer_mutation, target = "m">},
        !c {aten.output = #aten.output<kind = buffer_mutation, target = "v">},
        tensor<f32> {aten.output = #aten.output<kind = user_output, name = "loss", path = "">}) {
  %y:5 = aten._native_batch_norm_legit_functional(%x, weight = %w, bias = %b, %m, %v, training = true, momentum = 1.000000e-01, eps = 1.000000e-05)
      : (!x, !c, !c, !c, !c) -> (!x, !c, !c, !c, !c)
  %s = aten.mul.Tensor(%y#0, %y#0) : (!x, !x) -> !x
  %l = aten.sum(%s) : (!x) -> tensor<f32>
  return %y#3, %y#4, %l : !c, !c, tensor<f32>
}

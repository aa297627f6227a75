// kiln-compile --training: exit 5, "the package does not verify: saved value 'saved_0' is a tensor in one program and a number in the other"
guard.symbol @s0 range [2, 64]
func.func @forward(%x: tensor<?xf32, #guard.shape<[s0]>> {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]", requires_grad = true>})
    -> (tensor<?xf32, #guard.shape<[s0]>> {aten.output = #aten.output<kind = user_output, name = "y", path = "">},
        i64 {aten.output = #aten.output<kind = saved, name = "saved_0", target = "saved_0">}) {
  %0 = aten.sin(%x) : (tensor<?xf32, #guard.shape<[s0]>>) -> tensor<?xf32, #guard.shape<[s0]>>
  %n = guard.value <s0> : i64
  return %0, %n : tensor<?xf32, #guard.shape<[s0]>>, i64
}
func.func @backward(%s: tensor<i64> {aten.input = #aten.input<kind = saved, name = "saved_0", path = "saved_0">},
                    %dy: tensor<4xf32> {aten.input = #aten.input<kind = tangent, name = "tangent_0", path = "">})
    -> (tensor<4xf32> {aten.output = #aten.output<kind = input_gradient, name = "grad_x", target = "[0][0]">}) {
  return %dy : tensor<4xf32>
}

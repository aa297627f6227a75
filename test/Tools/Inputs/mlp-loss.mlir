// Two layers and a loss, over a batch of any size from 2 to 64.
guard.symbol @s0 range [2, 64] hint 4
func.func @main(
    %w1: tensor<8x6xf32> {aten.input = #aten.input<kind = parameter, name = "w1", path = "up.weight", requires_grad = true>},
    %w2: tensor<3x8xf32> {aten.input = #aten.input<kind = parameter, name = "w2", path = "down.weight", requires_grad = true>},
    %x: tensor<?x6xf32, #guard.shape<[s0, 6]>> {aten.input = #aten.input<kind = user_input, name = "x", path = "[0][0]">})
    -> (tensor<f32> {aten.output = #aten.output<kind = user_output, name = "loss", path = "">}) {
  %up = aten.linear(%x, %w1) : (tensor<?x6xf32, #guard.shape<[s0, 6]>>, tensor<8x6xf32>) -> tensor<?x8xf32, #guard.shape<[s0, 8]>>
  %act = aten.gelu(%up) : (tensor<?x8xf32, #guard.shape<[s0, 8]>>) -> tensor<?x8xf32, #guard.shape<[s0, 8]>>
  %down = aten.linear(%act, %w2) : (tensor<?x8xf32, #guard.shape<[s0, 8]>>, tensor<3x8xf32>) -> tensor<?x3xf32, #guard.shape<[s0, 3]>>
  %p = aten.softmax.int(%down, dim = 1) : (tensor<?x3xf32, #guard.shape<[s0, 3]>>) -> tensor<?x3xf32, #guard.shape<[s0, 3]>>
  %sq = aten.mul.Tensor(%p, %p) : (tensor<?x3xf32, #guard.shape<[s0, 3]>>, tensor<?x3xf32, #guard.shape<[s0, 3]>>) -> tensor<?x3xf32, #guard.shape<[s0, 3]>>
  %loss = aten.mean(%sq) : (tensor<?x3xf32, #guard.shape<[s0, 3]>>) -> tensor<f32>
  return %loss : tensor<f32>
}

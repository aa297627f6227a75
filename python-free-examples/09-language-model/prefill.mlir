// The first part of a transformer layer's life: a whole prompt at once. Gives the
// scores of the token that comes next, and the keys and values of the prompt.
guard.symbol @s0 range [1, 63] hint 4
!tokens = tensor<?xi64, #guard.shape<[s0]>>
!rows = tensor<?x16xf32, #guard.shape<[s0, 16]>>
!batch = tensor<1x?x16xf32, #guard.shape<[1, s0, 16]>>
!w = tensor<16x16xf32>
func.func @main(
    %embed: tensor<32x16xf32> {aten.input = #aten.input<kind = parameter, name = "embed", path = "embed">},
    %positions: tensor<64x16xf32> {aten.input = #aten.input<kind = parameter, name = "positions", path = "positions">},
    %wq: tensor<16x16xf32> {aten.input = #aten.input<kind = parameter, name = "wq", path = "wq">},
    %wk: tensor<16x16xf32> {aten.input = #aten.input<kind = parameter, name = "wk", path = "wk">},
    %wv: tensor<16x16xf32> {aten.input = #aten.input<kind = parameter, name = "wv", path = "wv">},
    %wo: tensor<16x16xf32> {aten.input = #aten.input<kind = parameter, name = "wo", path = "wo">},
    %tokens: !tokens {aten.input = #aten.input<kind = user_input, name = "tokens", path = "[0][0]">})
    -> (tensor<1x32xf32> {aten.output = #aten.output<kind = user_output, name = "scores", path = "scores">},
        !rows {aten.output = #aten.output<kind = user_output, name = "keys", path = "keys">},
        !rows {aten.output = #aten.output<kind = user_output, name = "values", path = "values">}) {
  %e = aten.embedding(%embed, %tokens) : (tensor<32x16xf32>, !tokens) -> !rows
  %p = aten.slice.Tensor(%positions, dim = 0, start = 0, end = s0) : (tensor<64x16xf32>) -> !rows
  %x = aten.add.Tensor(%e, %p) : (!rows, !rows) -> !rows
  %q = aten.linear(%x, %wq) : (!rows, !w) -> !rows
  %k = aten.linear(%x, %wk) : (!rows, !w) -> !rows
  %v = aten.linear(%x, %wv) : (!rows, !w) -> !rows
  %qb = aten.unsqueeze(%q, dim = 0) : (!rows) -> !batch
  %kb = aten.unsqueeze(%k, dim = 0) : (!rows) -> !batch
  %vb = aten.unsqueeze(%v, dim = 0) : (!rows) -> !batch
  %yb = aten.scaled_dot_product_attention(%qb, %kb, %vb, is_causal = true) : (!batch, !batch, !batch) -> !batch
  %y = aten.squeeze.dim(%yb, dim = 0) : (!batch) -> !rows
  %o = aten.linear(%y, %wo) : (!rows, !w) -> !rows
  %h = aten.add.Tensor(%x, %o) : (!rows, !rows) -> !rows
  %last = aten.slice.Tensor(%h, dim = 0, start = s0 - 1, end = s0) : (!rows) -> tensor<1x16xf32>
  %scores = aten.linear(%last, %embed) : (tensor<1x16xf32>, tensor<32x16xf32>) -> tensor<1x32xf32>
  return %scores, %k, %v : tensor<1x32xf32>, !rows, !rows
}

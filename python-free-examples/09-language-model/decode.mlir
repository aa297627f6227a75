// The second part: one token, with the keys and values of those before it. Gives the
// scores of the next one, and keys and values with its own behind them.
guard.symbol @s0 range [1, 62] hint 4
!token = tensor<1xi64>
!row = tensor<1x16xf32>
!one = tensor<1x1x16xf32>
!cache = tensor<?x16xf32, #guard.shape<[s0, 16]>>
!rows = tensor<?x16xf32, #guard.shape<[s0 + 1, 16]>>
!batch = tensor<1x?x16xf32, #guard.shape<[1, s0 + 1, 16]>>
!w = tensor<16x16xf32>
func.func @main(
    %embed: tensor<32x16xf32> {aten.input = #aten.input<kind = parameter, name = "embed", path = "embed">},
    %positions: tensor<64x16xf32> {aten.input = #aten.input<kind = parameter, name = "positions", path = "positions">},
    %wq: tensor<16x16xf32> {aten.input = #aten.input<kind = parameter, name = "wq", path = "wq">},
    %wk: tensor<16x16xf32> {aten.input = #aten.input<kind = parameter, name = "wk", path = "wk">},
    %wv: tensor<16x16xf32> {aten.input = #aten.input<kind = parameter, name = "wv", path = "wv">},
    %wo: tensor<16x16xf32> {aten.input = #aten.input<kind = parameter, name = "wo", path = "wo">},
    %token: !token {aten.input = #aten.input<kind = user_input, name = "token", path = "[0][0]">},
    %keys: !cache {aten.input = #aten.input<kind = user_input, name = "keys", path = "[0][1]">},
    %values: !cache {aten.input = #aten.input<kind = user_input, name = "values", path = "[0][2]">})
    -> (tensor<1x32xf32> {aten.output = #aten.output<kind = user_output, name = "scores", path = "scores">},
        !rows {aten.output = #aten.output<kind = user_output, name = "new_keys", path = "new_keys">},
        !rows {aten.output = #aten.output<kind = user_output, name = "new_values", path = "new_values">}) {
  %e = aten.embedding(%embed, %token) : (tensor<32x16xf32>, !token) -> !row
  %p = aten.slice.Tensor(%positions, dim = 0, start = s0, end = s0 + 1) : (tensor<64x16xf32>) -> !row
  %x = aten.add.Tensor(%e, %p) : (!row, !row) -> !row
  %q = aten.linear(%x, %wq) : (!row, !w) -> !row
  %k1 = aten.linear(%x, %wk) : (!row, !w) -> !row
  %v1 = aten.linear(%x, %wv) : (!row, !w) -> !row
  %k = aten.cat([%keys, %k1], dim = 0) : (!cache, !row) -> !rows
  %v = aten.cat([%values, %v1], dim = 0) : (!cache, !row) -> !rows
  %qb = aten.unsqueeze(%q, dim = 0) : (!row) -> !one
  %kb = aten.unsqueeze(%k, dim = 0) : (!rows) -> !batch
  %vb = aten.unsqueeze(%v, dim = 0) : (!rows) -> !batch
  %yb = aten.scaled_dot_product_attention(%qb, %kb, %vb) : (!one, !batch, !batch) -> !one
  %y = aten.squeeze.dim(%yb, dim = 0) : (!one) -> !row
  %o = aten.linear(%y, %wo) : (!row, !w) -> !row
  %h = aten.add.Tensor(%x, %o) : (!row, !row) -> !row
  %scores = aten.linear(%h, %embed) : (!row, tensor<32x16xf32>) -> tensor<1x32xf32>
  return %scores, %k, %v : tensor<1x32xf32>, !rows, !rows
}

// Rows of features to rows of probabilities: normalized, squashed, softmax. Requests
// are batched along the first dimension, whose size is a symbol.
guard.symbol @s0 range [1, 256] hint 8
!rows = tensor<?x16xf32, #guard.shape<[s0, 16]>>
func.func @main(
    %x: !rows {aten.input = #aten.input<kind = user_input, name = "rows", path = "[0][0]">})
    -> (!rows {aten.output = #aten.output<kind = user_output, name = "probabilities", path = "">}) {
  %0:3 = aten.native_layer_norm(%x, normalized_shape = [16], eps = 1.0e-5)
    : (!rows) -> (!rows, tensor<?x1xf32, #guard.shape<[s0, 1]>>, tensor<?x1xf32, #guard.shape<[s0, 1]>>)
  %1 = aten.gelu(%0#0) : (!rows) -> !rows
  %2 = aten.softmax.int(%1, dim = 1) : (!rows) -> !rows
  return %2 : !rows
}

// A linear layer and a softmax over its rows, as a compiler that stops at linalg leaves
// them: a named op, generic ones, and values that reductions start from.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#col = affine_map<(i, j) -> (j)>
func.func @main(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>, %b: tensor<4xf32>)
    -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<8x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x4xf32>)
      -> tensor<8x4xf32>
  %p = linalg.matmul ins(%x, %w : tensor<8x16xf32>, tensor<16x4xf32>)
      outs(%z : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = linalg.generic {
      indexing_maps = [#id, #col, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<8x4xf32>, tensor<4xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %v = arith.addf %a, %c : f32
    linalg.yield %v : f32
  } -> tensor<8x4xf32>
  %er = tensor.empty() : tensor<8xf32>
  %lows = linalg.fill ins(%low : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %top = linalg.reduce { arith.maximumf } ins(%s : tensor<8x4xf32>)
      outs(%lows : tensor<8xf32>) dimensions = [1]
  %exp = linalg.generic {
      indexing_maps = [#id, #row, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%s, %top : tensor<8x4xf32>, tensor<8xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %d = arith.subf %a, %c : f32
    %v = math.exp %d : f32
    linalg.yield %v : f32
  } -> tensor<8x4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%er : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {
      indexing_maps = [#id, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%exp : tensor<8x4xf32>) outs(%zeros : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.addf %o, %a : f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  %r = linalg.generic {
      indexing_maps = [#id, #row, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%exp, %sum : tensor<8x4xf32>, tensor<8xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %v = arith.divf %a, %c : f32
    linalg.yield %v : f32
  } -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

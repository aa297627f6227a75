// RUN: kiln-opt %s --convert-linalg-to-loop --split-input-file --verify-diagnostics

func.func @buffers(%x: memref<4xf32>, %y: memref<4xf32>) {
  // expected-error @+1 {{works on buffers, expected tensors}}
  linalg.exp ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  return
}

// -----

func.func @unnamed(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{expected static sizes or names of them (#guard.shape)}}
  %r = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @combiner(%x: tensor<8xf32>, %e: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{accumulates result 0 by arith.maxnumf, expected a sum}}
  %r = linalg.reduce { arith.maxnumf } ins(%x : tensor<8xf32>)
      outs(%e : tensor<f32>) dimensions = [0]
  return %r : tensor<f32>
}

// -----

#v = affine_map<(i) -> (i)>
#s = affine_map<(i) -> ()>
func.func @running(%x: tensor<8xf32>, %e: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{accumulates a value that is computed from what result 0 has so far, expected values that are computed from inputs}}
  %r:2 = linalg.generic {indexing_maps = [#v, #s, #s],
      iterator_types = ["reduction"]}
      ins(%x : tensor<8xf32>) outs(%e, %e : tensor<f32>, tensor<f32>) {
  ^bb0(%v: f32, %o: f32, %p: f32):
    %a = arith.addf %o, %v : f32
    %b = arith.addf %p, %a : f32
    linalg.yield %a, %b : f32, f32
  } -> (tensor<f32>, tensor<f32>)
  return %r#1 : tensor<f32>
}

// -----

func.func @undefined(%x: tensor<8xf32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  // expected-error @+1 {{starts from the contents of 'tensor.empty'}}
  %r = linalg.reduce { arith.addf } ins(%x : tensor<8xf32>)
      outs(%e : tensor<f32>) dimensions = [0]
  return %r : tensor<f32>
}

// -----

func.func @body(%x: tensor<8xf32>, %t: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-error @+1 {{has 'tensor.extract' in its body, expected ops of arith and math}}
  %r = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %i = linalg.index 0 : index
    %w = tensor.extract %t[%i] : tensor<8xf32>
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @diagonal(%x: tensor<8xf32>, %e: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @+1 {{writes result 0 by (d0) -> (d0, d0), expected a permutation}}
  %r = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, i)>],
      iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// -----

func.func @softmax(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %e = tensor.empty() : tensor<2x8xf32>
  // expected-error @+1 {{has no iterators; decompose it into structured ops first}}
  %r = linalg.softmax dimension(1) ins(%x : tensor<2x8xf32>)
      outs(%e : tensor<2x8xf32>) -> tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// -----

func.func @inside(%n: i1, %x: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.if %n -> tensor<8xf32> {
    %e = tensor.empty() : tensor<8xf32>
    // expected-error @+1 {{stands inside of another op}}
    %y = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %y : tensor<8xf32>
  } else {
    scf.yield %x : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

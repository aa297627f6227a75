// RUN: kiln-opt %s --split-input-file --verify-diagnostics
//
// The verifier infers result types. Sizes may be symbolic; an op whose type
// contradicts them is refused, so what passes here was inferred.

!x = tensor<?x4x8xf32, #guard.shape<[s0, 4, 8]>>
func.func @symbolic(%x: !x, %w: tensor<16x8xf32>) {
  %0 = aten.view(%x, size = [-1, 8]) : (!x) -> tensor<?x8xf32, #guard.shape<[s0 * 4, 8]>>
  %1 = aten.linear(%x, %w) : (!x, tensor<16x8xf32>) -> tensor<?x4x16xf32, #guard.shape<[s0, 4, 16]>>
  %2 = aten.slice.Tensor(%x, start = 0, end = s0 - 1) : (!x) -> tensor<?x4x8xf32, #guard.shape<[s0 - 1, 4, 8]>>
  %3 = aten.cat([%x, %x]) : (!x, !x) -> tensor<?x4x8xf32, #guard.shape<[s0 * 2, 4, 8]>>
  %4 = aten.permute(%x, dims = [2, 0, -2]) : (!x) -> tensor<8x?x4xf32, #guard.shape<[8, s0, 4]>>
  %5 = aten.expand(%w, size = [s0, -1, 8]) : (tensor<16x8xf32>) -> tensor<?x16x8xf32, #guard.shape<[s0, 16, 8]>>
  %6 = aten.repeat(%x, repeats = [2, 1, s1]) : (!x) -> tensor<?x4x?xf32, #guard.shape<[s0 * 2, 4, s1 * 8]>>
  %7 = aten.flatten.using_ints(%x) : (!x) -> tensor<?xf32, #guard.shape<[s0 * 32]>>
  %8 = aten.unfold(%x, dimension = 0, size = 2, step = 2) : (!x) -> tensor<?x4x8x2xf32, #guard.shape<[floordiv(s0, 2), 4, 8, 2]>>
  %9:2 = aten.split_with_sizes(%x, split_sizes = [s0 - 1, 1]) : (!x) -> (tensor<?x4x8xf32, #guard.shape<[s0 - 1, 4, 8]>>, tensor<1x4x8xf32>)
  return
}

// -----

// Numbers come as expressions over symbols.
guard.symbol @s0
func.func @arange() {
  %n = guard.value <s0 + 1> : i64
  %0 = aten.arange(%n) : (i64) -> tensor<?xi64, #guard.shape<[s0 + 1]>>
  %1 = arith.constant 0.5 : f64
  %2 = arith.constant 2 : i64
  %3 = aten.arange.start(%1, %2) : (f64, i64) -> tensor<2xf32>
  return
}

// -----

// Promotion: dimensions before 0-d before numbers.
func.func @promotion(%f16: tensor<4xf16>, %f32: tensor<4xf32>, %f32s: tensor<f32>, %i32: tensor<4xi32>, %i64s: tensor<i64>, %u8: tensor<4xui8>, %i8: tensor<4xi8>, %b: tensor<4xi1>) {
  %half = arith.constant 0.5 : f64
  %two = arith.constant 2 : i64
  %0 = aten.add.Tensor(%f16, %f32) : (tensor<4xf16>, tensor<4xf32>) -> tensor<4xf32>
  %1 = aten.add.Tensor(%f16, %f32s) : (tensor<4xf16>, tensor<f32>) -> tensor<4xf16>
  %2 = aten.add.Tensor(%i32, %i64s) : (tensor<4xi32>, tensor<i64>) -> tensor<4xi32>
  %3 = aten.add.Tensor(%f16, %half) : (tensor<4xf16>, f64) -> tensor<4xf16>
  %4 = aten.add.Tensor(%i32, %half) : (tensor<4xi32>, f64) -> tensor<4xf32>
  %5 = aten.add.Tensor(%u8, %i8) : (tensor<4xui8>, tensor<4xi8>) -> tensor<4xi16>
  %6 = aten.mul.Tensor(%b, %two) : (tensor<4xi1>, i64) -> tensor<4xi64>
  %7 = aten.div.Tensor(%i32, %i32) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xf32>
  %8 = aten.sum(%b) : (tensor<4xi1>) -> tensor<i64>
  %9 = aten.eq.Scalar(%i8, %two) : (tensor<4xi8>, i64) -> tensor<4xi1>
  return
}

// -----

func.func @contradiction(%x: tensor<?x4xf32, #guard.shape<[s0, 4]>>) {
  // expected-error @below {{'aten.view' op expects result 0 to be [s0 * 4] of f32, but found [s0 * 4 + 1] of f32}}
  %0 = aten.view(%x, size = [-1]) : (tensor<?x4xf32, #guard.shape<[s0, 4]>>) -> tensor<?xf32, #guard.shape<[s0 * 4 + 1]>>
  return
}

// RUN: kiln-opt %s --aten-decompose=to=import --canonicalize | FileCheck %s
// RUN: kiln-opt %s --aten-decompose --kiln-verify-stage=stage=core -o /dev/null

// What PyTorch composes of others is opened, whatever the target; the types of its
// results are those of its parts.

// CHECK-LABEL: func.func @views
// CHECK: %[[M:.*]] = aten.permute(%{{.*}}, dims = [1, 0])
// CHECK: %[[S:.*]]:2 = aten.tensor_split.sections(%[[M]], sections = 2, dim = 1)
// CHECK: return %[[S]]#1
func.func @views(%x: tensor<2x3xf32>) -> tensor<3x1xf32> {
  %m = aten.mT(%x) : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %s:2 = aten.hsplit.int(%m, sections = 2)
    : (tensor<3x2xf32>) -> (tensor<3x1xf32>, tensor<3x1xf32>)
  return %s#1 : tensor<3x1xf32>
}

// CHECK-LABEL: func.func @itself
// CHECK-NEXT: return %arg0
func.func @itself(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = aten.positive(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// A size that is a symbol.
guard.symbol @s0 range [2, 64] hint 8
// CHECK-LABEL: func.func @symbolic
// CHECK: aten.mm
// CHECK-NEXT: return
func.func @symbolic(%a: tensor<?x3x4xf32, #guard.shape<[s0, 3, 4]>>, %b: tensor<3x4x5xf32>)
    -> tensor<?x5xf32, #guard.shape<[s0, 5]>> {
  %y = aten.tensordot(%a, %b, dims_self = [1, 2], dims_other = [0, 1])
    : (tensor<?x3x4xf32, #guard.shape<[s0, 3, 4]>>, tensor<3x4x5xf32>)
    -> tensor<?x5xf32, #guard.shape<[s0, 5]>>
  return %y : tensor<?x5xf32, #guard.shape<[s0, 5]>>
}

// CHECK-LABEL: func.func @spectrum
// CHECK-NEXT: %[[Y:.*]] = aten._fft_r2c(%{{.*}}, dim = [-1], normalization = 0, onesided = true)
// CHECK-NEXT: return %[[Y]]
func.func @spectrum(%x: tensor<8xf32>) -> tensor<5xcomplex<f32>> {
  %y = aten.fft_rfft(%x) : (tensor<8xf32>) -> tensor<5xcomplex<f32>>
  return %y : tensor<5xcomplex<f32>>
}

// A check has no results and is an assertion of the program.
// CHECK-LABEL: func.func @check
// CHECK: aten.operator "aten::_assert_async.msg"
// CHECK-NEXT: return
func.func @check(%info: tensor<i32>) {
  aten._linalg_check_errors(%info, api_name = "linalg.inv", is_matrix = true)
    : (tensor<i32>) -> ()
  return
}

// Of factors that nobody reads nothing has to be said.
// CHECK-LABEL: func.func @determinant
// CHECK-NOT: _linalg_det
// CHECK: return
func.func @determinant(%x: tensor<2x2xf32>) -> tensor<f32> {
  %d:3 = aten._linalg_det(%x)
    : (tensor<2x2xf32>) -> (tensor<f32>, tensor<2x2xf32>, tensor<2xi32>)
  return %d#0 : tensor<f32>
}

// What another library makes of PyTorch's operators.
// CHECK-LABEL: func.func @of_a_library
// CHECK: aten._grouped_mm
func.func @of_a_library(%x: tensor<6x4xf32>, %w: tensor<2x4x3xf32>, %ends: tensor<2xi32>)
    -> tensor<6x3xf32> {
  %y = transformers.grouped_mm_fallback(%x, %w, %ends)
    : (tensor<6x4xf32>, tensor<2x4x3xf32>, tensor<2xi32>) -> tensor<6x3xf32>
  return %y : tensor<6x3xf32>
}

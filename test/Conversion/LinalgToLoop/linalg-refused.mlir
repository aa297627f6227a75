// An op that is refused stays as it was; what had been made of it is gone.

// RUN: not kiln-opt %s --convert-linalg-to-loop --mlir-print-ir-after-failure 2>&1 \
// RUN:   | FileCheck %s

// CHECK: has 'tensor.extract' in its body
// CHECK-LABEL: func @main
// CHECK-NOT: loop.
// CHECK: linalg.generic
// CHECK-NOT: loop.
// CHECK: return
func.func @main(%x: tensor<8xf32>, %t: tensor<8xf32>, %e: tensor<f32>)
    -> (tensor<f32>, tensor<f32>) {
  %r:2 = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>,
                       affine_map<(i) -> ()>],
      iterator_types = ["reduction"]}
      ins(%x : tensor<8xf32>) outs(%e, %e : tensor<f32>, tensor<f32>) {
  ^bb0(%v: f32, %o: f32, %p: f32):
    %i = linalg.index 0 : index
    %w = tensor.extract %t[%i] : tensor<8xf32>
    %s = arith.addf %o, %v : f32
    %m = arith.maximumf %p, %w : f32
    linalg.yield %s, %m : f32, f32
  } -> (tensor<f32>, tensor<f32>)
  return %r#0, %r#1 : tensor<f32>, tensor<f32>
}

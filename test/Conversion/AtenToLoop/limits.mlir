// RUN: kiln-opt %s --convert-aten-to-loop | FileCheck %s
// RUN: kiln-opt %s --convert-aten-to-loop -o /dev/null --remarks-filter=convert-aten-to-loop 2>&1 | FileCheck %s --check-prefix=REMARK

// What only a call can do: functions of floats of integers, which PyTorch
// refuses, do not become kernels.
// CHECK-LABEL: func.func @integers
// REMARK: remark: [Missed] no-kernel | Category:convert-aten-to-loop | Function=integers | Reason="{{.+}}", op=aten.elu.default
// CHECK: loop.extern "aten.elu.default"
// CHECK: loop.extern "aten.logcumsumexp.default"
func.func @integers(%x: tensor<3x4xi32>) -> (tensor<3x4xi32>, tensor<3x4xi32>) {
  %0 = aten.elu(%x) : (tensor<3x4xi32>) -> tensor<3x4xi32>
  %1 = aten.logcumsumexp(%x, dim = 1) : (tensor<3x4xi32>) -> tensor<3x4xi32>
  return %0, %1 : tensor<3x4xi32>, tensor<3x4xi32>
}

// Sizes of 2^32 and more are not counted one by one.
// CHECK-LABEL: func.func @pool
// CHECK: loop.reduce
func.func @pool(%x: tensor<2x1x5xf64>) -> tensor<2x1x4294967296xf64> {
  %0 = aten._adaptive_avg_pool2d(%x, output_size = [1, 4294967296]) : (tensor<2x1x5xf64>) -> tensor<2x1x4294967296xf64>
  return %0 : tensor<2x1x4294967296xf64>
}

// CHECK-LABEL: func.func @resize
// CHECK: loop.pointwise
func.func @resize(%x: tensor<1x1x2x3xf64>) -> tensor<1x1x3x1099511627776xf64> {
  %0 = aten.upsample_nearest2d.vec(%x, output_size = [3, 1099511627776]) : (tensor<1x1x2x3xf64>) -> tensor<1x1x3x1099511627776xf64>
  return %0 : tensor<1x1x3x1099511627776xf64>
}

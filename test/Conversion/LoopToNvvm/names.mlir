// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-schedule \
// RUN:   --convert-loop-to-nvvm | FileCheck %s

// A kernel that has the name of a function that goes before another one's.

// CHECK-LABEL: func.func @add
// CHECK: steps [#loop.step<kernel = @add_init,
// CHECK: steps [#loop.step<kernel = @add_1_init
// CHECK-SAME: #loop.step<kernel = @add_1,
func.func @add(%z: tensor<10xf32>, %n: tensor<1000xi64>, %g: tensor<1000xf32>)
    -> tensor<10xf32> {
  %y = loop.kernel @add_init ins(%a = %z : tensor<10xf32>) shared [10] -> tensor<10xf32> {
    %s = loop.pointwise (%k) in [10] : tensor<10xf32> {
      %x = loop.load %a[%k] : tensor<10xf32>
      %w = math.exp %x : f32
      loop.yield %w : f32
    }
    loop.return %s : tensor<10xf32>
  }
  %r = loop.kernel @add ins(%a = %y : tensor<10xf32>, %b = %n : tensor<1000xi64>,
      %c = %g : tensor<1000xf32>) shared [] -> tensor<10xf32> {
    %s = loop.scatter (%k) in [1000] into %a <add> : tensor<10xf32> {
      %i = loop.load %b[%k] : tensor<1000xi64>
      %p = arith.index_cast %i : i64 to index
      %x = loop.load %c[%k] : tensor<1000xf32>
      loop.yield_at %x at [%p] : f32
    }
    loop.return %s : tensor<10xf32>
  }
  return %r : tensor<10xf32>
}

// RUN: kiln-opt %s --aten-make-dynamic="dynamic=x:0[2..64]" \
// RUN:   --mlir-print-local-scope | FileCheck %s --check-prefix=ONE
// RUN: kiln-opt %s --aten-make-dynamic="all fixed=x:-1,y:0,y:1 unbacked=x:0" \
// RUN:   --mlir-print-local-scope | FileCheck %s --check-prefix=OTHERS
// RUN: not kiln-opt %s --aten-make-dynamic="dynamic=y:0" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FIXED
// RUN: not kiln-opt %s --aten-make-dynamic="dynamic=z:0" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NAME
// RUN: not kiln-opt %s --aten-make-dynamic="dynamic=x:2" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DIM
// RUN: not kiln-opt %s --aten-make-dynamic="dynamic=x:0[5..9]" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RANGE
// RUN: not kiln-opt %s --aten-make-dynamic="dynamic=x:0[9..5]" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BOUNDS

// One size with bounds, and no other.
// ONE: guard.symbol @s0 range [2, 64] hint 4
// ONE-NOT: guard.symbol
// ONE: func.func @main(%{{.*}}: tensor<?x6xf32, #guard.shape<[s0, 6]>>

// Without a hint the general case is assumed, so it may be 0 or 1.
// OTHERS: guard.symbol @u0 unbacked range [0, 9223372036854775807]
// OTHERS-NOT: guard.symbol
// OTHERS: func.func @main(%{{.*}}: tensor<?x6xf32, #guard.shape<[u0, 6]>>

// FIXED: error: a size that is marked dynamic is not: 'y' dimension 0 is 2 for 'aten.unbind.int'
// NAME: error: 'z:0' marks no size: the program has no input tensor 'z'
// DIM: error: 'x:2' marks no size: 'x' has 2 dimensions
// RANGE: error: 'x:0[5..9]' marks no size: the example has a size of 4 there
// BOUNDS: error: 'x:0[9..5]' marks no size: expected a range 'min..max' of sizes
func.func @main(%x: tensor<4x6xf32> {aten.input = #aten.input<
                    kind = user_input, name = "x">},
                %y: tensor<2x5xf32> {aten.input = #aten.input<
                    kind = user_input, name = "y">})
    -> (tensor<4x2x3xf32>, tensor<5xf32>) {
  %0 = aten.view(%x, size = [-1, 2, 3])
      : (tensor<4x6xf32>) -> tensor<4x2x3xf32>
  %1:2 = aten.unbind.int(%y, dim = 0)
      : (tensor<2x5xf32>) -> (tensor<5xf32>, tensor<5xf32>)
  return %0, %1#0 : tensor<4x2x3xf32>, tensor<5xf32>
}

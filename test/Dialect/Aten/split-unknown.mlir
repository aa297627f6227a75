// RUN: kiln-opt %s | kiln-opt | FileCheck %s

// How many parts there are does not follow from the symbol; whoever wrote the op
// knew it, and a guard holds it.
// CHECK-LABEL: func.func @split
// CHECK: aten.split.Tensor
// CHECK: aten.chunk
guard.symbol @s0 range [2, 64] hint 5
func.func @split(%x: tensor<?xf32, #guard.shape<[s0]>>)
    -> (tensor<2xf32>, tensor<2xf32>, tensor<?xf32, #guard.shape<[s0 - 4]>>) {
  %0:3 = aten.split.Tensor(%x, split_size = 2, dim = 0) : (tensor<?xf32, #guard.shape<[s0]>>) -> (tensor<2xf32>, tensor<2xf32>, tensor<?xf32, #guard.shape<[s0 - 4]>>)
  %1:2 = aten.chunk(%x, chunks = 3, dim = 0) : (tensor<?xf32, #guard.shape<[s0]>>) -> (tensor<?xf32, #guard.shape<[floordiv(s0 + 2, 3)]>>, tensor<?xf32, #guard.shape<[s0 - floordiv(s0 + 2, 3)]>>)
  return %0#0, %0#1, %0#2 : tensor<2xf32>, tensor<2xf32>, tensor<?xf32, #guard.shape<[s0 - 4]>>
}

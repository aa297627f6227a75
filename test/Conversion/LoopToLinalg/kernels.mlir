// RUN: kiln-opt %s --loop-outline-kernels | FileCheck %s --check-prefix=OUTLINE
// RUN: kiln-opt %s --kiln-lower-through-linalg \
// RUN:   | FileCheck %s --implicit-check-not=linalg. --implicit-check-not=memref

// A kernel becomes a function of bare pointers. Sizes and strides are arguments.
// OUTLINE: loop.launch @kernels::@k(%{{.*}}) symbols [s0, s0 * 2] work 1 grain 1
// OUTLINE: loop.launch @kernels::@scaled(%{{.*}}) symbols [sqrt(tofloat(s0)), s0] work 1 grain 1
// OUTLINE: func.func @k(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr)
// OUTLINE: arith.index_cast %{{.*}} {loop.value = #guard.expr<s0>} : i64 to index
// OUTLINE: bufferization.to_tensor %{{.*}} restrict : memref<4x?xf32, strided<[?, 2]>>
// OUTLINE: bufferization.materialize_in_destination %{{.*}} in restrict writable %{{.*}} : (tensor<4xf32>, memref<4xf32>)

// In the end, what the kernel needs beside its arguments is scratch.
// CHECK: loop.launch @kernels::@k(%{{.*}}) symbols [s0, s0 * 2] work 1 grain 1 scratch
// CHECK: module @kernels
// CHECK: func.func @k
// CHECK: scf.for
// CHECK: llvm.load
// CHECK: llvm.store
func.func @main(%x: tensor<4x?xf32, #guard.shape<[4, s0]>>
    {loop.strides = #guard.shape<[s0 * 2, 2]>}) -> tensor<4xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<4x?xf32, #guard.shape<[4, s0]>>)
      shared [4] -> tensor<4xf32> {
    %e = loop.pointwise (%i, %j) in [4, s0]
        : tensor<4x?xf32, #guard.shape<[4, s0]>> {
      %v = loop.load %a[%i, %j] : tensor<4x?xf32, #guard.shape<[4, s0]>>
      %w = math.exp %v : f32
      loop.yield %w : f32
    }
    %s = loop.reduce parallel (%i) in [4] reduction (%j) in [s0] <sum>
        : tensor<4xf32> {
      %v = loop.load %e[%i, %j] : tensor<4x?xf32, #guard.shape<[4, s0]>>
      loop.yield %v : f32
    }
    loop.return %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// A float that sizes give is an argument by its bits.
// OUTLINE: func.func @scaled(
// OUTLINE: arith.bitcast %{{.*}} {loop.value = #guard.expr<sqrt(tofloat(s0))>} : i64 to f64
// CHECK: func.func @scaled(
// CHECK: %[[F:.*]] = arith.bitcast %{{.*}} : i64 to f64
// CHECK: scf.for
// CHECK: arith.divf %{{.*}}, %[[F]] : f64
guard.symbol @s0
func.func @scale(%x: tensor<?xf64, #guard.shape<[s0]>>)
    -> tensor<?xf64, #guard.shape<[s0]>> {
  %r = loop.kernel @scaled ins(%a = %x : tensor<?xf64, #guard.shape<[s0]>>)
      shared [s0] -> tensor<?xf64, #guard.shape<[s0]>> {
    %e = loop.pointwise (%i) in [s0] : tensor<?xf64, #guard.shape<[s0]>> {
      %v = loop.load %a[%i] : tensor<?xf64, #guard.shape<[s0]>>
      %n = guard.value <sqrt(tofloat(s0))> : f64
      %w = arith.divf %v, %n : f64
      loop.yield %w : f64
    }
    loop.return %e : tensor<?xf64, #guard.shape<[s0]>>
  }
  return %r : tensor<?xf64, #guard.shape<[s0]>>
}

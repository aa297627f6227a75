// RUN: kiln-opt %s --loop-outline-kernels=grid | FileCheck %s --check-prefix=OUTLINE
// RUN: kiln-opt %s --kiln-gpu='chip=sm_80 lowering=linalg' \
// RUN:   | FileCheck %s --implicit-check-not=linalg. --implicit-check-not=memref. \
// RUN:     --implicit-check-not='module @kernels ' --implicit-check-not=gpu.launch

// On a GPU pointers are in global memory, and all arguments come by value.
// OUTLINE: loop.launch_grid(%{{.*}}) steps [#loop.step<kernel = @k, symbols = [#guard.expr<s0>, #guard.expr<s0 * 2>], blocks = <1>, threads = 1>]
// OUTLINE: func.func @k(%{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %[[S0:.*]]: i64, %{{.*}}: i64)
// OUTLINE: arith.index_cast %[[S0]] {loop.value = #guard.expr<s0>} : i64 to index
// OUTLINE-NOT: scf.if
// OUTLINE: bufferization.to_tensor %{{.*}} restrict : memref<4x?xf32, strided<[?, 2]>>

// Each parallel loop is a step: exponentials, neutral elements, sums.
// CHECK: loop.launch_grid(%{{.*}}) steps
// CHECK-SAME: kernel = @k_0, symbols = [#guard.expr<s0>, #guard.expr<s0 * 2>], blocks = <floordiv(s0 + 63, 64)>, threads = 256
// CHECK-SAME: kernel = @k_1,
// CHECK-SAME: blocks = <1>, threads = 256
// CHECK-SAME: kernel = @k_2,
// CHECK-SAME: workspace floordiv(s0 + 3, 4) * 64

guard.symbol @s0
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

// What has no elements is a launch without blocks.
// CHECK: loop.launch_grid(%{{.*}}) steps [#loop.step<kernel = @nothing, symbols = [], blocks = <0>, threads = 1>]
func.func @empty(%x: tensor<0xf32>) -> tensor<0xf32> {
  %r = loop.kernel @nothing ins(%a = %x : tensor<0xf32>) shared [0]
      -> tensor<0xf32> {
    %e = loop.pointwise (%i) in [0] : tensor<0xf32> {
      %v = loop.load %a[%i] : tensor<0xf32>
      loop.yield %v : f32
    }
    loop.return %e : tensor<0xf32>
  }
  return %r : tensor<0xf32>
}

// A scatter is one thread's, between copies by many; a float comes by its bits.
// CHECK: loop.launch_grid(%{{.*}}) steps
// CHECK-SAME: kernel = @update_0, symbols = [#guard.expr<sqrt(tofloat(s0))>, #guard.expr<s0>], blocks = <4>, threads = 256
// CHECK-SAME: kernel = @update_1, symbols = [#guard.expr<sqrt(tofloat(s0))>, #guard.expr<s0>], blocks = <1>, threads = 256
// CHECK-SAME: kernel = @update_2, symbols = [#guard.expr<sqrt(tofloat(s0))>, #guard.expr<s0>], blocks = <4>, threads = 256
// CHECK-SAME: workspace 8000
func.func @scatter(%x: tensor<1000xf64>, %n: tensor<?xi64, #guard.shape<[s0]>>)
    -> tensor<1000xf64> {
  %r = loop.kernel @update ins(%a = %x : tensor<1000xf64>,
      %b = %n : tensor<?xi64, #guard.shape<[s0]>>) shared []
      -> tensor<1000xf64> {
    %s = loop.scatter (%i) in [s0] into %a <add> : tensor<1000xf64> {
      %k = loop.load %b[%i] : tensor<?xi64, #guard.shape<[s0]>>
      %p = arith.index_cast %k : i64 to index
      %f = guard.value <sqrt(tofloat(s0))> : f64
      loop.yield_at %f at [%p] : f64
    }
    loop.return %s : tensor<1000xf64>
  }
  return %r : tensor<1000xf64>
}

// CHECK: gpu.module @kernels_64 attributes {dlti.dl_spec = #dlti.dl_spec<index = 64 : i64>}
// CHECK: llvm.func @k_0(%{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %[[WORKSPACE:.*]]: !llvm.ptr<1>, %{{.*}}: i64, %{{.*}}: i64) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256>}
// CHECK-DAG: nvvm.read.ptx.sreg.ctaid.x
// CHECK-DAG: nvvm.read.ptx.sreg.tid.x
// CHECK-DAG: llvm.addrspacecast %[[WORKSPACE]] : !llvm.ptr<1> to !llvm.ptr
// CHECK: llvm.load
// CHECK: llvm.store
// CHECK: llvm.return
// CHECK: llvm.func @nothing(
// CHECK: llvm.return

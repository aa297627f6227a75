// RUN: kiln-opt %s --kiln-collect-launches | FileCheck %s --implicit-check-not='module @kernels '

// Launches that somebody made, each a step: what they take is computed in their functions.

// CHECK: loop.launch_grid(%{{.*}}) steps
// CHECK-SAME: kernel = @k_0, symbols = [#guard.expr<s0>], blocks = <floordiv(s0 + 1, 64) + 1>, threads = 128
// CHECK-SAME: kernel = @k_1, symbols = [#guard.expr<s0>], blocks = <7>, threads = 1
// CHECK: gpu.module @kernels_64 attributes {dlti.dl_spec = #dlti.dl_spec<index = 64 : i64>}
// CHECK: llvm.func @k_0(%[[A:.*]]: !llvm.ptr<1>, %[[R:.*]]: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %[[S:.*]]: i64)
// CHECK-SAME: nvvm.kernel, nvvm.reqntid = array<i32: 128>
// CHECK-DAG: %[[N:.*]] = arith.index_cast %[[S]] : i64 to index
// CHECK-DAG: %[[CTAID:.*]] = nvvm.read.ptx.sreg.ctaid.x : i32
// CHECK-DAG: arith.index_castui %[[CTAID]] : i32 to index
// CHECK-DAG: nvvm.read.ptx.sreg.nctaid.x : i32
// CHECK-DAG: arith.constant 128 : index
// CHECK: llvm.store %{{.*}}, %[[R]] : i64, !llvm.ptr<1>
// CHECK: llvm.return
// CHECK: llvm.func @k_1(
// CHECK-SAME: nvvm.reqntid = array<i32: 1>
// CHECK: nvvm.read.ptx.sreg.tid.x : i32
// CHECK-NOT: nvvm.read.ptx.sreg.tid.y
// CHECK: llvm.return
module {
guard.symbol @s0
func.func @main(%x: tensor<?xf32, #guard.shape<[s0]>>) -> tensor<1xf32> {
  %r = loop.launch_grid(%x) steps [#loop.step<kernel = @k,
      symbols = [#guard.expr<s0>], blocks = <1>, threads = 1>]
      : (tensor<?xf32, #guard.shape<[s0]>>) -> tensor<1xf32>
  return %r : tensor<1xf32>
}
module @kernels attributes {gpu.container_module} {
  func.func @k(%a: !llvm.ptr<1>, %r: !llvm.ptr<1>, %w: !llvm.ptr<1>, %s: i64)
      attributes {loop.symbols = [#guard.expr<s0>]} {
    %n = arith.index_cast %s {loop.value = #guard.expr<s0>} : i64 to index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c7 = arith.constant 7 : index
    %c128 = arith.constant 128 : index
    %m = arith.addi %n, %n : index
    %blocks = affine.apply affine_map<(d0)[s0] -> ((d0 + s0) ceildiv 128)>(%m)[%c3]
    gpu.launch_func @first::@first blocks in (%blocks, %c1, %c1)
        threads in (%c128, %c1, %c1) args(%n : index, %r : !llvm.ptr<1>)
    gpu.launch_func @second::@second blocks in (%c7, %c1, %c1)
        threads in (%c1, %c1, %c1) args(%a : !llvm.ptr<1>, %r : !llvm.ptr<1>)
    return
  }
  gpu.module @first {
    gpu.func @first(%n: index, %r: !llvm.ptr<1>) kernel {
      %b = gpu.block_id x
      %g = gpu.grid_dim x
      %d = gpu.block_dim x
      %x = arith.addi %b, %g : index
      %y = arith.addi %x, %d : index
      %z = arith.addi %y, %n : index
      %v = arith.index_cast %z : index to i64
      llvm.store %v, %r : i64, !llvm.ptr<1>
      gpu.return
    }
  }
  gpu.module @second {
    gpu.func @second(%a: !llvm.ptr<1>, %r: !llvm.ptr<1>) kernel {
      %t = gpu.thread_id x
      %u = gpu.thread_id y
      %x = arith.addi %t, %u : index
      %v = arith.index_cast %x : index to i64
      llvm.store %v, %r : i64, !llvm.ptr<1>
      gpu.return
    }
  }
}
}

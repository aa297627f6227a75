// RUN: kiln-opt %s --loop-set-target="chip=sm_90a deterministic" --loop-choose-schedule \
// RUN:   --convert-loop-to-nvvm | FileCheck %s

// A thread for four neighbours of each point. If the point before it goes elsewhere it looks for
// the last one of its own, joins eight values at a time and then those that are left, and stores
// once: no thread looks at all points, and nothing is atomic.

// CHECK-LABEL: func.func @add
// CHECK: #loop.step<kernel = @add,
// CHECK-SAME: blocks = <16>
// CHECK-SAME: #loop.gpu_scatter<threads = 256, atomic = false, lanes = 4>
// CHECK: llvm.func @add(
// CHECK-NOT: atomicrmw
// CHECK: scf.while
// CHECK: scf.while
// CHECK: scf.for {{.*}} iter_args(%{{.*}}) -> (vector<4xf32>)
// CHECK-COUNT-8: arith.addf %{{.*}}, %{{.*}} : vector<4xf32>
// CHECK: scf.for {{.*}} iter_args(%{{.*}}) -> (vector<4xf32>)
// CHECK-COUNT-1: arith.addf %{{.*}}, %{{.*}} : vector<4xf32>
// CHECK: llvm.store %{{.*}} : vector<4xf32>
// CHECK-NOT: atomicrmw
func.func @add(%z: tensor<10x16xf32>, %o: tensor<1000xi64>, %n: tensor<1000xi64>, %g: tensor<1000x16xf32>)
    -> tensor<10x16xf32> {
  %r = loop.kernel @add ins(%a = %z : tensor<10x16xf32>, %order = %o : tensor<1000xi64>, %b = %n : tensor<1000xi64>,
      %c = %g : tensor<1000x16xf32>) shared [] -> tensor<10x16xf32> {
    %s = loop.scatter (%m, %d) in [1000, 16] grouped into %a <add> : tensor<10x16xf32> {
      %k = loop.load %order[%m] : tensor<1000xi64>
      %w = arith.index_cast %k : i64 to index
      %i = loop.load %b[%w] : tensor<1000xi64>
      %p = arith.index_cast %i : i64 to index
      %x = loop.load %c[%w, %d] : tensor<1000x16xf32>
      loop.yield_at %x at [%p, %d] : f32
    }
    loop.return %s : tensor<10x16xf32>
  }
  return %r : tensor<10x16xf32>
}

// Of what is overwritten the last value alone is read.

// CHECK: llvm.func @set(
// CHECK: scf.while
// CHECK: scf.while
// CHECK-NOT: scf.for
// CHECK: llvm.store
func.func @set(%z: tensor<10xi8>, %n: tensor<1000xi64>, %g: tensor<1000xi8>) -> tensor<10xi8> {
  %r = loop.kernel @set ins(%a = %z : tensor<10xi8>, %b = %n : tensor<1000xi64>,
      %c = %g : tensor<1000xi8>) shared [] -> tensor<10xi8> {
    %s = loop.scatter (%m) in [1000] grouped into %a <set> : tensor<10xi8> {
      %i = loop.load %b[%m] : tensor<1000xi64>
      %p = arith.index_cast %i : i64 to index
      %x = loop.load %c[%m] : tensor<1000xi8>
      loop.yield_at %x at [%p] : i8
    }
    loop.return %s : tensor<10xi8>
  }
  return %r : tensor<10xi8>
}

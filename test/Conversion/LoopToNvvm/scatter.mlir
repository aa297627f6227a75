// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-schedule \
// RUN:   --convert-loop-to-nvvm | FileCheck %s
// RUN: kiln-opt %s --loop-set-target="chip=sm_90a deterministic" \
// RUN:   --loop-choose-schedule --convert-loop-to-nvvm | FileCheck %s --check-prefix=ORDER

// With one order of each sum nothing is atomic that adds up floats.

// ORDER-LABEL: func.func @add
// ORDER: #loop.gpu_scatter<threads = 256, atomic = false, owners = 512>
// ORDER-NOT: atomicrmw fadd

// A sum needs no order: a copy, then a thread for each point. Positions that do not fit
// into 32 bits stay outside of every tensor. What stands there already is not copied.

// CHECK-LABEL: func.func @add
// CHECK: steps [#loop.step<kernel = @add_init
// CHECK-SAME: #loop.step<kernel = @add,
// CHECK-SAME: blocks = <4>
// CHECK-SAME: overwrites = array<i64: 0, 0>
// CHECK-SAME: #loop.gpu_scatter<threads = 256, atomic = true>
// CHECK-LABEL: func.func @columns
// CHECK: steps [#loop.step<kernel = @columns_init
// CHECK-SAME: #loop.step<kernel = @columns,
// CHECK-SAME: blocks = <64>
// CHECK-SAME: #loop.gpu_scatter<threads = 256, atomic = false, owners = 16>
// CHECK: llvm.func @add_init
// CHECK: %[[ELSEWHERE:.*]] = llvm.icmp "ne" %{{.*}}, %{{.*}} : !llvm.ptr<1>
// CHECK: scf.if %[[ELSEWHERE]]
// CHECK: llvm.func @add(
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: llvm.atomicrmw fadd %{{.*}}, %{{.*}} syncscope("device") monotonic : !llvm.ptr<1>, f32
func.func @add(%z: tensor<10xf32>, %n: tensor<1000xi64>, %g: tensor<1000xf32>)
    -> tensor<10xf32> {
  %r = loop.kernel @add ins(%a = %z : tensor<10xf32>, %b = %n : tensor<1000xi64>,
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

// The greatest of several writes, in order: a thread for each column, which is a
// position itself, walks all rows, and 16 of them share the elements by their rows.

// CHECK: llvm.func @columns_init
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>
// CHECK: llvm.func @columns(
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: %[[PLACE:.*]] = arith.andi
// CHECK: %[[OWNED:.*]] = arith.cmpi eq, %[[PLACE]]
// CHECK: scf.if %[[OWNED]]
// CHECK: arith.maximumf
!t = tensor<10x1024xf32>
!g = tensor<1000x1024xf32>
func.func @columns(%z: !t, %n: tensor<1000xi64>, %g: !g) -> !t {
  %r = loop.kernel @columns ins(%a = %z : !t, %b = %n : tensor<1000xi64>,
      %c = %g : !g) shared [] -> !t {
    %s = loop.scatter (%k, %d) in [1000, 1024] into %a <max> : !t {
      %i = loop.load %b[%k] : tensor<1000xi64>
      %p = arith.index_cast %i : i64 to index
      %x = loop.load %c[%k, %d] : !g
      loop.yield_at %x at [%p, %d] : f32
    }
    loop.return %s : !t
  }
  return %r : !t
}

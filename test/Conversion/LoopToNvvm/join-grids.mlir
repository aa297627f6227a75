// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-schedule \
// RUN:   --convert-loop-to-nvvm --loop-join-grids | FileCheck %s
// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-schedule \
// RUN:   --convert-loop-to-nvvm --loop-join-grids -o /dev/null \
// RUN:   --remarks-filter=loop-join-grids 2>&1 | FileCheck %s --check-prefix=REMARK

// Updates of four parameters, two of which are alike: one launch, whose blocks are those
// of all of them. Blocks with one function are neighbours.

// REMARK: remark: [Passed] joined | Category:loop-join-grids | Function=updates | functions=2, kernel=a_joined, launches=3
// REMARK-NOT: remark
// CHECK-LABEL: func.func @updates
// CHECK-SAME: %[[A:arg[0-9]]]: {{[^%]*}}%[[B:arg[0-9]]]: {{[^%]*}}%[[C:arg[0-9]]]: {{[^%]*}}%[[S:arg[0-9]]]:
// CHECK: %[[R:.*]]:3 = loop.launch_grid(%[[A]], %[[S]], %[[B]], %[[C]])
// CHECK-SAME: kernel = @a_joined, symbols = [], blocks = <30>, threads = 256
// The third one is behind the first in the new launch.
// CHECK-SAME: overwrites = array<i64: 0, 0, 1, 3, 2, 2>
// CHECK: return %[[R]]#0, %[[R]]#2, %[[R]]#1

!t = tensor<2560xf32>
!u = tensor<10x256xf32>
!s = tensor<f32>
func.func @updates(%x: !t, %y: !u, %z: !t, %s: !s) -> (!t, !u, !t) {
  %a = loop.kernel @a ins(%p = %x : !t, %q = %s : !s) shared [2560] -> !t {
    %r = loop.pointwise (%i) in [2560] : !t {
      %e = loop.load %p[%i] : !t
      %f = loop.load %q[] : !s
      %d = arith.mulf %e, %f : f32
      loop.yield %d : f32
    }
    loop.return %r : !t
  }
  %b = loop.kernel @b ins(%p = %y : !u, %q = %s : !s) shared [10, 256] -> !u {
    %r = loop.pointwise (%i, %j) in [10, 256] : !u {
      %e = loop.load %p[%i, %j] : !u
      %f = loop.load %q[] : !s
      %d = arith.addf %e, %f : f32
      loop.yield %d : f32
    }
    loop.return %r : !u
  }
  %c = loop.kernel @c ins(%p = %z : !t, %q = %s : !s) shared [2560] -> !t {
    %r = loop.pointwise (%i) in [2560] : !t {
      %e = loop.load %p[%i] : !t
      %f = loop.load %q[] : !s
      %d = arith.mulf %e, %f : f32
      loop.yield %d : f32
    }
    loop.return %r : !t
  }
  return %a, %b, %c : !t, !u, !t
}

// The second one reads what the first one makes, and the third one reads what a result of
// the second may be written over: nothing is joined.

// CHECK-LABEL: func.func @chain
// CHECK-COUNT-3: loop.launch_grid

// CHECK: llvm.func @a_joined(%[[PA:[a-z0-9]*]]: !llvm.ptr<1>, %[[PS:[a-z0-9]*]]: !llvm.ptr<1>, %[[PB:[a-z0-9]*]]: !llvm.ptr<1>, %[[PC:[a-z0-9]*]]: !llvm.ptr<1>,
// CHECK-SAME: nvvm.kernel, nvvm.reqntid = array<i32: 256>
// CHECK: %[[BLOCK:.*]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK-DAG: %[[NEXT:.*]] = arith.constant 10 : i32
// CHECK-DAG: %[[OTHER:.*]] = arith.constant 20 : i32
// CHECK: %[[ALIKE:.*]] = arith.cmpi slt, %[[BLOCK]], %[[OTHER]]
// CHECK: scf.if %[[ALIKE]]
// CHECK: %[[FIRST:.*]] = arith.cmpi slt, %[[BLOCK]], %[[NEXT]]
// CHECK: scf.if %[[FIRST]]
// CHECK: scf.yield %[[PA]], %[[PS]]
// CHECK: scf.yield %[[PC]], %[[PS]]
// CHECK: arith.subi %[[BLOCK]]
// CHECK: llvm.store
// CHECK: } else {
// CHECK: arith.subi %[[BLOCK]], %[[OTHER]]
// CHECK: llvm.store
// CHECK-NOT: llvm.store
// CHECK-NOT: llvm.func @a(
// CHECK: llvm.func @chain(
func.func @chain(%x: !t, %y: !t) -> (!t, !t) {
  %a = loop.kernel @chain ins(%p = %x : !t) shared [2560] -> !t {
    %r = loop.pointwise (%i) in [2560] : !t {
      %e = loop.load %p[%i] : !t
      %d = arith.negf %e : f32
      loop.yield %d : f32
    }
    loop.return %r : !t
  }
  %b = loop.kernel @chained ins(%p = %a : !t) shared [2560] -> !t {
    %r = loop.pointwise (%i) in [2560] : !t {
      %e = loop.load %p[%i] : !t
      %d = math.sqrt %e : f32
      loop.yield %d : f32
    }
    loop.return %r : !t
  }
  %c = loop.kernel @reads ins(%p = %a : !t) shared [2560] -> !t {
    %r = loop.pointwise (%i) in [2560] : !t {
      %e = loop.load %p[2559 - %i] : !t
      %d = arith.negf %e : f32
      loop.yield %d : f32
    }
    loop.return %r : !t
  }
  return %b, %c : !t, !t
}

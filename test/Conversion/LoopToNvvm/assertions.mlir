// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-schedule \
// RUN:   --convert-loop-to-nvvm --loop-join-grids --split-input-file | FileCheck %s
// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-schedule \
// RUN:   --convert-loop-to-nvvm --split-input-file | FileCheck %s --check-prefix=APART

// Kernels that differ in their messages share a function, which takes the address of a cell
// behind its symbols. Joined they have a cell for each message.

// APART-LABEL: func.func @main
// APART: loop.launch_grid(%arg0) steps {{.*}}kernel = @a, symbols = [#guard.expr<s0>]{{.*}} checks ["one"]
// APART: loop.launch_grid(%arg1) steps {{.*}}kernel = @a, symbols = [#guard.expr<s0>]{{.*}} checks ["two"]
// APART: loop.launch_grid(%arg0) steps {{.*}}kernel = @a, symbols = [#guard.expr<s0>]{{.*}} checks ["two"]
// APART: llvm.func @a(%{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>, %{{.*}}: i64, %[[CELL:.*]]: i64)
// APART: %[[HOLDS:.*]] = arith.cmpi ult
// APART: %[[FAILS:.*]] = arith.xori %[[HOLDS]], %true
// APART: scf.if %[[FAILS]] {
// APART: %[[PLACE:.*]] = llvm.inttoptr %[[CELL]] : i64 to !llvm.ptr<1>
// APART: llvm.store volatile %{{.*}}, %[[PLACE]] {alignment = 4 : i64} : i32, !llvm.ptr<1>
// APART: llvm.fence seq_cst
// APART: llvm.intr.trap

// CHECK-LABEL: func.func @main
// CHECK: loop.launch_grid(%arg0, %arg1) steps
// CHECK-SAME: checks ["one", "two"]
// CHECK: llvm.func @a_joined(
// CHECK-SAME: %[[ONE:[a-z0-9]*]]: i64, %[[TWO:[a-z0-9]*]]: i64) attributes
// CHECK-DAG: scf.yield {{.*}}%[[ONE]]
// CHECK-DAG: scf.yield {{.*}}%[[TWO]]
!t = tensor<?xi64, #guard.shape<[s0]>>
func.func @main(%x: !t, %y: !t) -> (!t, !t, !t) {
  %a = loop.kernel @a ins(%p = %x : !t) shared [s0]
      schedule #loop.gpu_across<threads = 256, lanes = 1, sum_block = 0> -> !t {
    %r = loop.pointwise (%i) in [s0] : !t {
      %e = loop.load %p[%i] : !t
      %c = arith.constant 7 : i64
      %in = arith.cmpi ult, %e, %c : i64
      loop.assert %in, "one"
      %d = arith.addi %e, %c : i64
      loop.yield %d : i64
    }
    loop.return %r : !t
  }
  %b = loop.kernel @b ins(%p = %y : !t) shared [s0]
      schedule #loop.gpu_across<threads = 256, lanes = 1, sum_block = 0> -> !t {
    %r = loop.pointwise (%i) in [s0] : !t {
      %e = loop.load %p[%i] : !t
      %c = arith.constant 7 : i64
      %in = arith.cmpi ult, %e, %c : i64
      loop.assert %in, "two"
      %d = arith.addi %e, %c : i64
      loop.yield %d : i64
    }
    loop.return %r : !t
  }
  %c = loop.kernel @c ins(%p = %x : !t) shared [s0]
      schedule #loop.gpu_across<threads = 256, lanes = 1, sum_block = 0> -> !t {
    %r = loop.pointwise (%i) in [s0] : !t {
      %e = loop.load %p[%i] : !t
      %c = arith.constant 7 : i64
      %in = arith.cmpi ult, %e, %c : i64
      loop.assert %in, "two"
      %d = arith.addi %e, %c : i64
      loop.yield %d : i64
    }
    loop.return %r : !t
  }
  return %a, %b, %c : !t, !t, !t
}

// -----

// Of several lanes all are looked at together.

// CHECK-LABEL: llvm.func @lanes
// CHECK: vector.extract %[[ALL:.*]][0] : i1 from vector<4xi1>
// CHECK-COUNT-3: arith.andi
// CHECK-NEXT: %true
// CHECK-NEXT: arith.xori
!t = tensor<4096xi64>
func.func @main(%x: !t) -> tensor<4096xi8> {
  %a = loop.kernel @lanes ins(%p = %x : !t) shared [4096]
      schedule #loop.gpu_across<threads = 256, lanes = 4, sum_block = 0> -> tensor<4096xi8> {
    %r = loop.pointwise (%i) in [4096] : tensor<4096xi8> {
      %e = loop.load %p[%i] : !t
      %c = arith.constant 7 : i64
      %in = arith.cmpi ult, %e, %c : i64
      loop.assert %in, "one"
      %d = arith.trunci %e : i64 to i8
      loop.yield %d : i8
    }
    loop.return %r : tensor<4096xi8>
  }
  return %a : tensor<4096xi8>
}

// RUN: kiln-opt %s --kiln-fuse=chip=sm_90a --loop-fuse-checks --split-input-file | FileCheck %s
// RUN: kiln-opt %s --kiln-fuse=chip=sm_90a --loop-fuse-checks --split-input-file -o /dev/null \
// RUN:   --remarks-filter=loop-fuse-checks 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark
// RUN: kiln-opt %s --kiln-fuse --loop-fuse-checks --split-input-file | FileCheck %s --check-prefix=CPU
// CPU-NOT: loop.assert

// An embedding: the kernel looks at indices behind their load, and has the message that a
// call would have. A view of them is the same indices.

// REMARK: remark: [Passed] fused | Category:loop-fuse-checks | Function=embedding | check=fused_0, kernel=fused_1
// CHECK-LABEL: func.func @embedding
// CHECK-NOT: <all>
// CHECK: %[[E:.*]] = loop.load %{{.*}}[%{{.*}}, %{{.*}}] : tensor<4x32xi64>
// CHECK: %[[IN:.*]] = arith.cmpi ult, %[[E]], %{{.*}} : i64
// CHECK-NEXT: loop.assert %[[IN]], "aten._assert_async.msg: index out of range in self (at model.py:7)"
// CHECK-NOT: loop.extern
// CPU-LABEL: func.func @embedding
// CPU: loop.extern "aten._assert_async.msg"
!i = tensor<4x32xi64>
!t = tensor<500x64xf32>
!o = tensor<4x32x64xf32>
func.func @embedding(%t: !t, %i: !i) -> !o {
  %f = loop.reduce parallel () in [] reduction (%a) in [128] <all> : tensor<i1> {
    %limit = arith.constant 500 : i64
    %e = loop.load %i[floordiv(%a, 32), mod(%a, 32)] : !i
    %in = arith.cmpi ult, %e, %limit : i64
    loop.yield %in : i1
  }
  loop.extern "aten._assert_async.msg"(%f) arguments [#loop.operand<0>, "index out of range in self"] : (tensor<i1>) -> () loc("model.py":7:1)
  %r = loop.pointwise (%a, %b, %c) in [4, 32, 64] : !o {
    %zero = arith.constant 0 : index
    %last = arith.constant 499 : index
    %e = loop.load %i[%a, %b] : !i
    %p = arith.index_cast %e : i64 to index
    %m = arith.minsi %p, %last : index
    %n = arith.maxsi %m, %zero : index
    %x = loop.load %t[%n, %c] : !t
    loop.yield %x : f32
  }
  return %r : !o
}

// -----

// Who reads half of the indices does not look at all, nor does who reads each of them where a
// mask says so.

// REMARK: remark: [Missed] not-fused | Category:loop-fuse-checks | Function=half | Reason="no kernel that could fail reads each of these elements", kernel=fused_0
// CHECK-LABEL: func.func @half
// CHECK: loop.extern "aten._assert_async.msg"
// CHECK-NOT: loop.assert
!i = tensor<128xi64>
func.func @half(%i: !i) -> (tensor<64xi64>, !i) {
  %f = loop.reduce parallel () in [] reduction (%a) in [128] <all> : tensor<i1> {
    %limit = arith.constant 500 : i64
    %e = loop.load %i[%a] : !i
    %in = arith.cmpi ult, %e, %limit : i64
    loop.yield %in : i1
  }
  loop.extern "aten._assert_async.msg"(%f) arguments [#loop.operand<0>, "wrong"] : (tensor<i1>) -> ()
  %r = loop.pointwise (%a) in [64] : tensor<64xi64> {
    %e = loop.load %i[%a * 2] : !i
    loop.yield %e : i64
  }
  %s = loop.pointwise (%a) in [128] : !i {
    %none = arith.constant 0 : i64
    %half = arith.constant 64 : index
    %mask = arith.cmpi slt, %a, %half : index
    %e = loop.load %i[%a] mask %mask, %none : !i
    loop.yield %e : i64
  }
  return %r, %s : tensor<64xi64>, !i
}

// -----

// A nest that might have no columns would look at nothing; of 1 and more it does. What is
// asserted of a flag that is returned, too, is computed anyway.

// REMARK: remark: [Missed] not-fused | Category:loop-fuse-checks | Function=columns
// REMARK: remark: [Passed] fused | Category:loop-fuse-checks | Function=columns | check=fused_1
// CHECK-LABEL: func.func @columns
// CHECK: loop.extern "aten._assert_async.default"
// CHECK: loop.pointwise (%{{.*}}) in [128, s1]
// CHECK: loop.assert %{{.*}}, "aten._assert_async.default: assertion failed (at {{.*}}fuse-checks.mlir:{{[0-9]+}})"
// CHECK: loop.extern "aten._assert_async.default"
// CHECK: loop.pointwise (%{{.*}}) in [128, s0]
// CHECK-NOT: loop.assert
guard.symbol @s0 range [0, 64]
guard.symbol @s1 range [1, 64]
!i = tensor<128xi64>
!a = tensor<128x?xf32, #guard.shape<[128, s0]>>
!b = tensor<128x?xf32, #guard.shape<[128, s1]>>
func.func @columns(%i: !i, %j: !i, %k: !i, %x: !a, %y: !b) -> (!a, !b, tensor<i1>) {
  %f = loop.reduce parallel () in [] reduction (%a) in [128] <all> : tensor<i1> {
    %limit = arith.constant 500 : i64
    %e = loop.load %i[%a] : !i
    %in = arith.cmpi ult, %e, %limit : i64
    loop.yield %in : i1
  }
  loop.extern "aten._assert_async.default"(%f) arguments [#loop.operand<0>] : (tensor<i1>) -> ()
  %g = loop.reduce parallel () in [] reduction (%a) in [128] <all> : tensor<i1> {
    %limit = arith.constant 501 : i64
    %e = loop.load %j[%a] : !i
    %in = arith.cmpi ult, %e, %limit : i64
    loop.yield %in : i1
  }
  loop.extern "aten._assert_async.default"(%g) arguments [#loop.operand<0>] : (tensor<i1>) -> ()
  %h = loop.reduce parallel () in [] reduction (%a) in [128] <all> : tensor<i1> {
    %limit = arith.constant 502 : i64
    %e = loop.load %k[%a] : !i
    %in = arith.cmpi ult, %e, %limit : i64
    loop.yield %in : i1
  }
  loop.extern "aten._assert_async.default"(%h) arguments [#loop.operand<0>] : (tensor<i1>) -> ()
  %r = loop.pointwise (%a, %b) in [128, s0] : !a {
    %e = loop.load %i[%a] : !i
    %z = arith.sitofp %e : i64 to f32
    %v = loop.load %x[%a, %b] : !a
    %w = arith.addf %v, %z : f32
    loop.yield %w : f32
  }
  %s = loop.pointwise (%a, %b) in [128, s1] : !b {
    %e = loop.load %j[%a] : !i
    %d = loop.load %k[%a] : !i
    %c = arith.addi %e, %d : i64
    %z = arith.sitofp %c : i64 to f32
    %v = loop.load %y[%a, %b] : !b
    %w = arith.addf %v, %z : f32
    loop.yield %w : f32
  }
  return %r, %s, %h : !a, !b, tensor<i1>
}

// -----

// Points of a scatter that were sorted are in another order, and a product might be a library's:
// neither looks. A scatter as it is does.

// REMARK: remark: [Missed] not-fused | Category:loop-fuse-checks | Function=scatters
// REMARK: remark: [Passed] fused | Category:loop-fuse-checks | Function=scatters | check=fused_1
// CHECK-LABEL: func.func @scatters
// CHECK: loop.scatter
// CHECK-SAME: in [128, 64]
// CHECK: loop.load
// CHECK: loop.assert
// CHECK: loop.scatter {{.*}} grouped into
// CHECK-NOT: loop.assert
!i = tensor<128xi64>
!z = tensor<300x64xf32>
!w = tensor<128x64xf32>
func.func @scatters(%z: !z, %i: !i, %j: !i, %w: !w) -> (!z, !z) {
  %f = loop.reduce parallel () in [] reduction (%a) in [128] <all> : tensor<i1> {
    %limit = arith.constant 300 : i64
    %e = loop.load %j[%a] : !i
    %in = arith.cmpi ult, %e, %limit : i64
    loop.yield %in : i1
  }
  loop.extern "aten._assert_async.msg"(%f) arguments [#loop.operand<0>, "wrong"] : (tensor<i1>) -> ()
  %g = loop.reduce parallel () in [] reduction (%a) in [128] <all> : tensor<i1> {
    %limit = arith.constant 300 : i64
    %e = loop.load %i[%a] : !i
    %in = arith.cmpi ult, %e, %limit : i64
    loop.yield %in : i1
  }
  loop.extern "aten._assert_async.msg"(%g) arguments [#loop.operand<0>, "wrong"] : (tensor<i1>) -> ()
  %r = loop.scatter (%n, %d) in [128, 64] into %z <add> : !z {
    %e = loop.load %i[%n] : !i
    %p = arith.index_cast %e : i64 to index
    %x = loop.load %w[%n, %d] : !w
    loop.yield_at %x at [%p, %d] : f32
  }
  %s = loop.scatter (%n, %d) in [128, 64] grouped into %z <add> : !z {
    %e = loop.load %j[%n] : !i
    %p = arith.index_cast %e : i64 to index
    %x = loop.load %w[%n, %d] : !w
    loop.yield_at %x at [%p, %d] : f32
  }
  return %r, %s : !z, !z
}

// RUN: kiln-opt %s --split-input-file --convert-loop-to-scf | FileCheck %s

// What a sum reads of a row is made just before, in vectors of the row's own: one loop over
// whole vectors of the sum, and one with masks behind it. Then the sum of lanes.

// CHECK-LABEL: func.func @together
// CHECK: scf.for
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<32xf32>)
// CHECK-COUNT-2: math.exp {{.*}} : vector<16xf32>
// CHECK-NOT: math.exp
// CHECK: arith.addf {{.*}} : vector<32xf32>
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<32xf32>)
// CHECK: %[[LOW:.*]] = vector.shuffle %[[MASK:.*]], %[[MASK]] [0, 1, 2, {{.*}}, 15] : vector<32xi1>, vector<32xi1>
// CHECK: llvm.intr.masked.load %{{.*}}, %[[LOW]]
// CHECK: %[[HIGH:.*]] = vector.shuffle %[[MASK]], %[[MASK]] [16, 17, {{.*}}, 31] : vector<32xi1>, vector<32xi1>
// CHECK: llvm.intr.masked.load %{{.*}}, %[[HIGH]]
// CHECK: math.exp {{.*}} : vector<16xf32>
// CHECK-NOT: math.exp
// CHECK: arith.select {{.*}} : vector<32xi1>, vector<32xf32>
// CHECK: vector.extract
// CHECK: scf.for
!m = tensor<4x100xf32>
!f = tensor<4x1xf32>
func.func @main(%x: !m) -> !m {
  %r = loop.kernel @together ins(%a = %x : !m) shared [4]
      schedule #loop.within<along = [16, 32, 16], beside = [1, 1, 1], sum_block = 0,
                            masked = true, grain = 1> -> !m {
    %e = loop.pointwise (%i, %j) in [4, 100] : !m {
      %v = loop.load %a[%i, %j] : !m
      %h = math.exp %v : f32
      loop.yield %h : f32
    }
    %s = loop.reduce parallel (%i, %u) in [4, 1] reduction (%j) in [100] <sum> : !f {
      %v = loop.load %e[%i, %j] : !m
      loop.yield %v : f32
    }
    %p = loop.pointwise (%i, %j) in [4, 100] : !m {
      %v = loop.load %e[%i, %j] : !m
      %g = loop.load %s[%i, 0] : !f
      %q = arith.divf %v, %g : f32
      loop.yield %q : f32
    }
    loop.return %p : !m
  }
  return %r : !m
}

// -----

// Near misses: the sum reads another element of the row; it has a part of it; its vectors
// are shorter.

// CHECK-LABEL: func.func @turned
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NEXT: arith.constant
// CHECK: math.exp
// CHECK: scf.for {{.*}} iter_args
// CHECK-NOT: math.exp
// CHECK: return
// CHECK-LABEL: func.func @part
// CHECK: math.exp
// CHECK: scf.for {{.*}} iter_args
// CHECK-NOT: math.exp
// CHECK: return
// CHECK-LABEL: func.func @shorter
// CHECK: math.exp
// CHECK: scf.for {{.*}} iter_args
// CHECK-NOT: math.exp
// CHECK: return
!m = tensor<4x96xf32>
!f = tensor<4xf32>
func.func @main(%x: !m) -> (!m, !f, !m, !f, !m, !f) {
  %turned:2 = loop.kernel @turned ins(%a = %x : !m) shared [4]
      schedule #loop.within<along = [16, 16], beside = [1, 1], sum_block = 0,
                            masked = true, grain = 1> -> (!m, !f) {
    %e = loop.pointwise (%i, %j) in [4, 96] : !m {
      %v = loop.load %a[%i, %j] : !m
      %h = math.exp %v : f32
      loop.yield %h : f32
    }
    %s = loop.reduce parallel (%i) in [4] reduction (%j) in [96] <sum> : !f {
      %v = loop.load %e[%i, 95 - %j] : !m
      loop.yield %v : f32
    }
    loop.return %e, %s : !m, !f
  }
  %part:2 = loop.kernel @part ins(%a = %x : !m) shared [4]
      schedule #loop.within<along = [16, 16], beside = [1, 1], sum_block = 0,
                            masked = true, grain = 1> -> (!m, !f) {
    %e = loop.pointwise (%i, %j) in [4, 96] : !m {
      %v = loop.load %a[%i, %j] : !m
      %h = math.exp %v : f32
      loop.yield %h : f32
    }
    %s = loop.reduce parallel (%i) in [4] reduction (%j) in [64] <sum> : !f {
      %v = loop.load %e[%i, %j] : !m
      loop.yield %v : f32
    }
    loop.return %e, %s : !m, !f
  }
  %shorter:2 = loop.kernel @shorter ins(%a = %x : !m) shared [4]
      schedule #loop.within<along = [16, 8], beside = [1, 1], sum_block = 0,
                            masked = true, grain = 1> -> (!m, !f) {
    %e = loop.pointwise (%i, %j) in [4, 96] : !m {
      %v = loop.load %a[%i, %j] : !m
      %h = math.exp %v : f32
      loop.yield %h : f32
    }
    %s = loop.reduce parallel (%i) in [4] reduction (%j) in [96] <sum> : !f {
      %v = loop.load %e[%i, %j] : !m
      loop.yield %v : f32
    }
    loop.return %e, %s : !m, !f
  }
  return %turned#0, %turned#1, %part#0, %part#1, %shorter#0, %shorter#1 : !m, !f, !m, !f, !m, !f
}

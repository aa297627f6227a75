// RUN: kiln-opt %s --split-input-file --convert-loop-to-scf | FileCheck %s

// Exponentials lie where the quotients will: nothing is kept in memory of the kernel's own
// but two values a row, and the result is loaded where it is stored.

// CHECK-LABEL: func.func @softmax
// CHECK-SAME: %[[POINTERS:[a-z0-9]*]]: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %[[SCRATCH:[a-z0-9]*]]: !llvm.ptr
// CHECK: %[[SLOT:.*]] = llvm.getelementptr %[[POINTERS]][1]
// CHECK: %[[RESULT:.*]] = llvm.load %[[SLOT]]
// CHECK-NOT: llvm.getelementptr %[[SCRATCH]]
// CHECK: math.exp
// CHECK: %[[ROW:.*]] = llvm.getelementptr %[[RESULT]]
// CHECK: llvm.store %{{.*}}, %[[ROW]]
// CHECK: %[[EXPONENTIALS:.*]] = llvm.getelementptr %[[RESULT]]
// CHECK: llvm.load %[[EXPONENTIALS]]
// CHECK: arith.addf
// CHECK: llvm.getelementptr %[[RESULT]]
// CHECK: arith.divf
// CHECK: llvm.getelementptr %[[RESULT]]
// CHECK: llvm.store
!m = tensor<4x64xf32>
!f = tensor<4xf32>
func.func @main(%x: !m) -> !m {
  %r = loop.kernel @softmax ins(%a = %x : !m) shared [4]
      schedule #loop.within<along = [16, 16, 16, 16], beside = [1, 1, 1, 1], sum_block = 0,
                            masked = true, grain = 1> -> !m {
    %m = loop.reduce parallel (%i) in [4] reduction (%j) in [64] <max> : !f {
      %e = loop.load %a[%i, %j] : !m
      loop.yield %e : f32
    }
    %e = loop.pointwise (%i, %j) in [4, 64] : !m {
      %v = loop.load %a[%i, %j] : !m
      %g = loop.load %m[%i] : !f
      %d = arith.subf %v, %g : f32
      %h = math.exp %d : f32
      loop.yield %h : f32
    }
    %s = loop.reduce parallel (%i) in [4] reduction (%j) in [64] <sum> : !f {
      %v = loop.load %e[%i, %j] : !m
      loop.yield %v : f32
    }
    %p = loop.pointwise (%i, %j) in [4, 64] : !m {
      %v = loop.load %e[%i, %j] : !m
      %g = loop.load %s[%i] : !f
      %q = arith.divf %v, %g : f32
      loop.yield %q : f32
    }
    loop.return %p : !m
  }
  return %r : !m
}

// -----

// Near misses, each with a row of its own: the result goes past the caches; it reads another
// element of the row; the row is read behind it; what it is made of is of another
// type; the input, over which the result may be placed, is read again behind the row.

// CHECK-LABEL: func.func @streamed
// CHECK: llvm.getelementptr %arg4
// CHECK-LABEL: func.func @turned
// CHECK: llvm.getelementptr %arg4
// CHECK-LABEL: func.func @read_behind
// CHECK: llvm.getelementptr %arg4
// CHECK-LABEL: func.func @other_type
// CHECK: llvm.getelementptr %arg4
// CHECK-LABEL: func.func @input_again
// CHECK: llvm.getelementptr %arg4
!m = tensor<4x64xf32>
!d = tensor<4x64xbf16>
!f = tensor<4xf32>
func.func @main(%x: !m, %y: !d) -> (!m, !m, !m, !f, !m, !m) {
  %streamed = loop.kernel @streamed ins(%a = %x : !m) shared [4]
      schedule #loop.within<along = [16, 16], beside = [1, 1], sum_block = 0,
                            masked = true, grain = 1, stream = [0]> -> !m {
    %e = loop.pointwise (%i, %j) in [4, 64] : !m {
      %v = loop.load %a[%i, %j] : !m
      %h = math.exp %v : f32
      loop.yield %h : f32
    }
    %p = loop.pointwise (%i, %j) in [4, 64] : !m {
      %v = loop.load %e[%i, %j] : !m
      %q = arith.negf %v : f32
      loop.yield %q : f32
    }
    loop.return %p : !m
  }
  %turned = loop.kernel @turned ins(%a = %x : !m) shared [4]
      schedule #loop.within<along = [16, 16], beside = [1, 1], sum_block = 0,
                            masked = true, grain = 1> -> !m {
    %e = loop.pointwise (%i, %j) in [4, 64] : !m {
      %v = loop.load %a[%i, %j] : !m
      %h = math.exp %v : f32
      loop.yield %h : f32
    }
    %p = loop.pointwise (%i, %j) in [4, 64] : !m {
      %v = loop.load %e[%i, %j] : !m
      %w = loop.load %e[%i, 0] : !m
      %q = arith.divf %v, %w : f32
      loop.yield %q : f32
    }
    loop.return %p : !m
  }
  %behind:2 = loop.kernel @read_behind ins(%a = %x : !m) shared [4]
      schedule #loop.within<along = [16, 16, 16], beside = [1, 1, 1], sum_block = 0,
                            masked = true, grain = 1> -> (!m, !f) {
    %e = loop.pointwise (%i, %j) in [4, 64] : !m {
      %v = loop.load %a[%i, %j] : !m
      %h = math.exp %v : f32
      loop.yield %h : f32
    }
    %p = loop.pointwise (%i, %j) in [4, 64] : !m {
      %v = loop.load %e[%i, %j] : !m
      %q = arith.negf %v : f32
      loop.yield %q : f32
    }
    %s = loop.reduce parallel (%i) in [4] reduction (%j) in [64] <sum> : !f {
      %v = loop.load %e[%i, %j] : !m
      loop.yield %v : f32
    }
    loop.return %p, %s : !m, !f
  }
  %narrow = loop.kernel @other_type ins(%a = %y : !d) shared [4]
      schedule #loop.within<along = [16, 16], beside = [1, 1], sum_block = 0,
                            masked = true, grain = 1> -> !m {
    %e = loop.pointwise (%i, %j) in [4, 64] : !d {
      %v = loop.load %a[%i, %j] : !d
      %h = arith.negf %v : bf16
      loop.yield %h : bf16
    }
    %p = loop.pointwise (%i, %j) in [4, 64] : !m {
      %v = loop.load %e[%i, %j] : !d
      %q = arith.extf %v : bf16 to f32
      loop.yield %q : f32
    }
    loop.return %p : !m
  }
  %again = loop.kernel @input_again ins(%a = %x : !m) shared [4]
      schedule #loop.within<along = [16, 16], beside = [1, 1], sum_block = 0,
                            masked = true, grain = 1> -> !m {
    %e = loop.pointwise (%i, %j) in [4, 64] : !m {
      %v = loop.load %a[%i, %j] : !m
      %h = math.exp %v : f32
      loop.yield %h : f32
    }
    %p = loop.pointwise (%i, %j) in [4, 64] : !m {
      %v = loop.load %e[%i, %j] : !m
      %w = loop.load %a[%i, %j] : !m
      %q = arith.mulf %v, %w : f32
      loop.yield %q : f32
    }
    loop.return %p : !m
  }
  return %streamed, %turned, %behind#0, %behind#1, %narrow, %again : !m, !m, !m, !f, !m, !m
}

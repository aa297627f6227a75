// RUN: kiln-opt %s --convert-loop-to-scf --split-input-file | FileCheck %s

// What the code computes is tested by running it, in test/unittests/Conversion;
// this is about the shape of the code and of the launch.

// Neighbouring dimensions that are walked as one become one; lanes run along it.
// The size is an argument of the launch.
// CHECK-LABEL: func.func @main
// CHECK: loop.launch @kernels::@k(%{{.*}}) symbols [s0 * 8{{.*}}] work {{.*}} grain
// CHECK: func.func @k(%{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr)
// CHECK: scf.for
// CHECK: %[[V:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<8xf32>
// CHECK: arith.negf %[[V]] : vector<8xf32>
// CHECK-NOT: arith.remui {{.*}}%c8
// CHECK: llvm.store %{{.*}} : vector<8xf32>, !llvm.ptr
!t = tensor<?x8xf32, #guard.shape<[s0, 8]>>
func.func @main(%x: !t) -> !t {
  %r = loop.kernel @k ins(%a = %x : !t) shared [s0, 8]
      schedule #loop.schedule<pointwise, vector = 8> -> !t {
    %p = loop.pointwise (%i, %j) in [s0, 8] : !t {
      %e = loop.load %a[%i, %j] : !t
      %n = arith.negf %e : f32
      loop.yield %n : f32
    }
    loop.return %p : !t
  }
  return %r : !t
}

// -----

// Kernels of equal content share one function.
// CHECK-LABEL: func.func @shared
// CHECK: loop.launch @kernels::@first
// CHECK: loop.launch @kernels::@first
// CHECK: func.func @first
// CHECK-NOT: func.func
func.func @shared(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = loop.kernel @first ins(%a = %x : tensor<4xf32>) shared [4]
      -> tensor<4xf32> {
    %p = loop.pointwise (%i) in [4] : tensor<4xf32> {
      %e = loop.load %a[%i] : tensor<4xf32>
      %n = arith.negf %e : f32
      loop.yield %n : f32
    }
    loop.return %p : tensor<4xf32>
  }
  %s = loop.kernel @second ins(%a = %r : tensor<4xf32>) shared [4]
      -> tensor<4xf32> {
    %p = loop.pointwise (%i) in [4] : tensor<4xf32> {
      %e = loop.load %a[%i] : tensor<4xf32>
      %n = arith.negf %e : f32
      loop.yield %n : f32
    }
    loop.return %p : tensor<4xf32>
  }
  return %s : tensor<4xf32>
}

// -----

// A row that stays in the kernel is scratch, as many bytes as it has, rounded up.
// CHECK-LABEL: func.func @scratch
// CHECK: loop.launch @kernels::@k(%{{.*}}) symbols [{{.*}}] work 4 grain {{[0-9]+}} scratch 64
func.func @scratch(%x: tensor<4x10xf32>) -> tensor<4xf32> {
  %r = loop.kernel @k ins(%a = %x : tensor<4x10xf32>) shared [4]
      schedule #loop.schedule<row, vector = 8> -> tensor<4xf32> {
    %e = loop.pointwise (%i, %j) in [4, 10] : tensor<4x10xf32> {
      %v = loop.load %a[%i, %j] : tensor<4x10xf32>
      %w = math.exp %v : f32
      loop.yield %w : f32
    }
    %s = loop.reduce parallel (%i) in [4] reduction (%j) in [10] <sum>
        : tensor<4xf32> {
      %v = loop.load %e[%i, %j] : tensor<4x10xf32>
      loop.yield %v : f32
    }
    loop.return %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// RUN: kiln-opt %s --loop-fuse-columns="min-bytes=1 min-columns=2 max-rows=4 min-parts=2" --split-input-file | FileCheck %s
// RUN: kiln-opt %s --loop-fuse-columns="min-bytes=1 min-columns=2 max-rows=4 min-parts=2" --loop-choose-schedule --convert-loop-to-scf --split-input-file | FileCheck %s --check-prefix=CODE
// RUN: kiln-opt %s --loop-fuse-columns="min-bytes=1 min-columns=2 max-rows=4 min-parts=2" --split-input-file --remarks-filter=loop-fuse-columns 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: kiln-opt %s --loop-fuse-columns="min-columns=2 max-rows=4 min-parts=2" --split-input-file --remarks-filter=loop-fuse-columns 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: kiln-opt %s --loop-fuse-columns="min-bytes=1 max-rows=4 min-parts=2" --split-input-file --remarks-filter=loop-fuse-columns 2>&1 | FileCheck %s --check-prefix=NARROW

// The sum of columns reads what the kernel of the rows reads and makes. It comes before
// what may be written over %x.

// SMALL: remark: [Missed] not-fused | Category:loop-fuse-columns | Function=backward | Reason="too few bytes are read by both", kernel=columns
// NARROW: remark: [Missed] not-fused | Category:loop-fuse-columns | Function=backward | Reason="it has too few columns", kernel=columns
// WHY-NOT: not-fused
// WHY: remark: [Passed] fused | Category:loop-fuse-columns | Function=backward | kernel=rows, rows=4

// CHECK-LABEL: func.func @backward
// CHECK: %[[R:.*]]:3 = loop.kernel @rows ins(%[[X:.*]] = %arg0 : tensor<8x16xf32>) shared [8]
// CHECK: %[[M:.*]] = loop.reduce parallel (%i) in [8] reduction (%j) in [16] <max>
// CHECK: %[[P:.*]] = loop.reduce parallel (%i, %j) in [2, 16] reduction (%k) in [4] <sum> : tensor<2x16xf32>
// CHECK: %[[AT:.*]] = loop.index (%i * 4 + %k)
// CHECK: loop.load %[[X]][%[[AT]], %j]
// CHECK: loop.load %[[M]][%[[AT]]]
// CHECK: loop.pointwise
// CHECK: loop.return %[[M]], %{{.*}}, %[[P]]
// CHECK: loop.kernel @columns ins(%[[Q:.*]] = %[[R]]#2 : tensor<2x16xf32>) shared [16]
// CHECK: loop.reduce parallel (%i) in [16] reduction (%j) in [2] <sum>
// CHECK: loop.load %[[Q]][%j, %i]

// CODE-LABEL: func.func @backward
// CODE: loop.launch {{.*}} work 2 {{.*}}overwrites = array<i64: 1, 0>
func.func @backward(%x: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<16xf32>) {
  %r:2 = loop.kernel @rows ins(%a = %x : tensor<8x16xf32>) shared [8] -> (tensor<8xf32>, tensor<8x16xf32>) {
    %m = loop.reduce parallel (%i) in [8] reduction (%j) in [16] <max> : tensor<8xf32> {
      %e = loop.load %a[%i, %j] : tensor<8x16xf32>
      loop.yield %e : f32
    }
    %p = loop.pointwise (%i, %j) in [8, 16] : tensor<8x16xf32> {
      %e = loop.load %a[%i, %j] : tensor<8x16xf32>
      %t = loop.load %m[%i] : tensor<8xf32>
      %s = arith.subf %e, %t : f32
      loop.yield %s : f32
    }
    loop.return %m, %p : tensor<8xf32>, tensor<8x16xf32>
  }
  %c = loop.kernel @columns ins(%a = %x : tensor<8x16xf32>, %m = %r#0 : tensor<8xf32>) shared [16] -> tensor<16xf32> {
    %s = loop.reduce parallel (%j) in [16] reduction (%i) in [8] <sum> : tensor<16xf32> {
      %e = loop.load %a[%i, %j] : tensor<8x16xf32>
      %t = loop.load %m[%i] : tensor<8xf32>
      %y = arith.mulf %e, %t : f32
      loop.yield %y : f32
    }
    loop.return %s : tensor<16xf32>
  }
  return %r#1, %c : tensor<8x16xf32>, tensor<16xf32>
}

// -----

// Two shared dimensions, of which the second is cut; a kernel that was pointwise has
// rows now. The columns' kernel came first and stands behind it.

// CHECK-LABEL: func.func @bias
// CHECK: %[[R:.*]]:2 = loop.kernel @rows {{.*}} shared [3, 8]
// CHECK: loop.reduce parallel (%i, %j, %k) in [3, 2, 16] reduction (%l) in [4] <sum>
// CHECK: loop.index (%j * 4 + %l)
// CHECK: loop.kernel @columns ins(%{{.*}} = %[[R]]#1 : tensor<3x2x16xf32>)
// CHECK: loop.reduce parallel (%i) in [16] reduction (%j, %k) in [3, 2] <sum>
// CHECK: loop.pointwise (%i) in [16]
// CODE-LABEL: func.func @bias
// CODE: loop.launch {{.*}} work 6
func.func @bias(%x: tensor<3x8x16xf32>) -> (tensor<16xf32>, tensor<3x8x16xf32>) {
  %c = loop.kernel @columns ins(%a = %x : tensor<3x8x16xf32>) shared [16] -> tensor<16xf32> {
    %s = loop.reduce parallel (%j) in [16] reduction (%n, %i) in [3, 8] <sum> : tensor<16xf32> {
      %e = loop.load %a[%n, %i, %j] : tensor<3x8x16xf32>
      loop.yield %e : f32
    }
    %h = loop.pointwise (%j) in [16] : tensor<16xf32> {
      %e = loop.load %s[%j] : tensor<16xf32>
      %d = arith.addf %e, %e : f32
      loop.yield %d : f32
    }
    loop.return %h : tensor<16xf32>
  }
  %r = loop.kernel @rows ins(%a = %x : tensor<3x8x16xf32>) shared [3, 8, 16] -> tensor<3x8x16xf32> {
    %p = loop.pointwise (%n, %i, %j) in [3, 8, 16] : tensor<3x8x16xf32> {
      %e = loop.load %a[%n, %i, %j] : tensor<3x8x16xf32>
      %y = math.exp %e : f32
      loop.yield %y : f32
    }
    loop.return %p : tensor<3x8x16xf32>
  }
  return %c, %r : tensor<16xf32>, tensor<3x8x16xf32>
}

// -----

// Near misses: the row before its own is read of what the kernel of the rows makes.

// CHECK-LABEL: func.func @shifted
// CHECK: loop.kernel @columns {{.*}} shared [16]
// CHECK: reduction (%j) in [8] <sum>
// WHY: remark: [Missed] not-fused | Category:loop-fuse-columns | Function=shifted | Reason="it reads other rows than its own of what their kernel makes", kernel=columns
func.func @shifted(%x: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<16xf32>) {
  %r = loop.kernel @rows ins(%a = %x : tensor<8x16xf32>) shared [8, 16] -> tensor<8x16xf32> {
    %p = loop.pointwise (%i, %j) in [8, 16] : tensor<8x16xf32> {
      %e = loop.load %a[%i, %j] : tensor<8x16xf32>
      %y = math.exp %e : f32
      loop.yield %y : f32
    }
    loop.return %p : tensor<8x16xf32>
  }
  %c = loop.kernel @columns ins(%a = %x : tensor<8x16xf32>, %m = %r : tensor<8x16xf32>) shared [16] -> tensor<16xf32> {
    %s = loop.reduce parallel (%j) in [16] reduction (%i) in [8] <sum> : tensor<16xf32> {
      %e = loop.load %a[%i, %j] : tensor<8x16xf32>
      %t = loop.load %m[7 - %i, %j] : tensor<8x16xf32>
      %y = arith.mulf %e, %t : f32
      loop.yield %y : f32
    }
    loop.return %s : tensor<16xf32>
  }
  return %r, %c : tensor<8x16xf32>, tensor<16xf32>
}

// -----

// Seven rows have no parts; nor have rows of unknown number.

// CHECK-LABEL: func.func @seven
// CHECK: reduction (%j) in [7] <sum>
// CHECK: reduction (%j) in [s0] <sum>
// WHY-COUNT-2: remark: [Missed] not-fused | Category:loop-fuse-columns | Function=seven | Reason="its rows cannot be cut into enough parts of few rows"
func.func @seven(%x: tensor<7x16xf32>, %z: tensor<?x16xf32, #guard.shape<[s0, 16]>>) -> (tensor<7x16xf32>, tensor<16xf32>, tensor<?x16xf32, #guard.shape<[s0, 16]>>, tensor<16xf32>) {
  %r = loop.kernel @rows ins(%a = %x : tensor<7x16xf32>) shared [7, 16] -> tensor<7x16xf32> {
    %p = loop.pointwise (%i, %j) in [7, 16] : tensor<7x16xf32> {
      %e = loop.load %a[%i, %j] : tensor<7x16xf32>
      %y = math.exp %e : f32
      loop.yield %y : f32
    }
    loop.return %p : tensor<7x16xf32>
  }
  %c = loop.kernel @columns ins(%a = %x : tensor<7x16xf32>) shared [16] -> tensor<16xf32> {
    %s = loop.reduce parallel (%j) in [16] reduction (%i) in [7] <sum> : tensor<16xf32> {
      %e = loop.load %a[%i, %j] : tensor<7x16xf32>
      loop.yield %e : f32
    }
    loop.return %s : tensor<16xf32>
  }
  %q = loop.kernel @rows2 ins(%a = %z : tensor<?x16xf32, #guard.shape<[s0, 16]>>) shared [s0, 16] -> tensor<?x16xf32, #guard.shape<[s0, 16]>> {
    %p = loop.pointwise (%i, %j) in [s0, 16] : tensor<?x16xf32, #guard.shape<[s0, 16]>> {
      %e = loop.load %a[%i, %j] : tensor<?x16xf32, #guard.shape<[s0, 16]>>
      %y = math.exp %e : f32
      loop.yield %y : f32
    }
    loop.return %p : tensor<?x16xf32, #guard.shape<[s0, 16]>>
  }
  %d = loop.kernel @columns2 ins(%a = %z : tensor<?x16xf32, #guard.shape<[s0, 16]>>) shared [16] -> tensor<16xf32> {
    %s = loop.reduce parallel (%j) in [16] reduction (%i) in [s0] <sum> : tensor<16xf32> {
      %e = loop.load %a[%i, %j] : tensor<?x16xf32, #guard.shape<[s0, 16]>>
      loop.yield %e : f32
    }
    loop.return %s : tensor<16xf32>
  }
  return %r, %c, %q, %d : tensor<7x16xf32>, tensor<16xf32>, tensor<?x16xf32, #guard.shape<[s0, 16]>>, tensor<16xf32>
}

// RUN: kiln-opt %s --loop-pack-operands --loop-choose-schedule --split-input-file | FileCheck %s

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  // Rows of 4,010 bytes get longer, of whole lines; both operands are the same tensor, and copied once.
  // CHECK-LABEL: func.func @odd
  // CHECK: %[[COPY:.*]] = loop.kernel @odd_{{.*}} shared [2005, 2048]
  // CHECK: %[[IN:.*]] = arith.cmpi slt, %{{.*}}, %c2005
  // CHECK: loop.load %{{.*}}[%i, %j] mask %[[IN]], %{{.*}} : tensor<2005x2005xbf16>
  // CHECK-NOT: loop.pointwise
  // CHECK: loop.kernel @odd ins(%[[A:.*]] = %[[COPY]] : tensor<2005x2048xbf16>, %[[B:.*]] = %[[COPY]] : tensor<2005x2048xbf16>)
  // CHECK-SAME: unit = wgmma
  // CHECK: loop.contract parallel [2005, 2005] reduction [2005] lhs %{{.*}}[d0, d2] : tensor<2005x2048xbf16> rhs %{{.*}}[d1, d2] : tensor<2005x2048xbf16>
  func.func @odd(%x: tensor<2005x2005xbf16>) -> tensor<2005x2005xbf16> {
    %r = loop.kernel @odd ins(%a = %x : tensor<2005x2005xbf16>) shared [] -> tensor<2005x2005xbf16> {
      %c = loop.contract parallel [2005, 2005] reduction [2005]
          lhs %a[d0, d2] : tensor<2005x2005xbf16> rhs %a[d1, d2] : tensor<2005x2005xbf16>
          acc f32 : tensor<2005x2005xbf16>
      loop.return %c : tensor<2005x2005xbf16>
    }
    return %r : tensor<2005x2005xbf16>
  }
}

// -----

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  // What a prologue makes is stored where that gains; columns stay along memory.
  // CHECK-LABEL: func.func @prologue
  // CHECK: loop.kernel @prologue_right ins(%[[W:.*]] = %arg1 : tensor<4096x4096xf32>) shared [4096, 4096]
  // CHECK: arith.truncf {{.*}} : f32 to bf16
  // CHECK: loop.kernel @prologue ins(
  // CHECK-SAME: unit = wgmma
  // CHECK: rhs %{{.*}}[d2, d1] : tensor<4096x4096xbf16> acc f32
  // CHECK-NOT: truncf
  func.func @prologue(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xf32>) -> tensor<4096x4096xbf16> {
    %r = loop.kernel @prologue ins(%a = %x : tensor<4096x4096xbf16>, %b = %w : tensor<4096x4096xf32>) shared [] -> tensor<4096x4096xbf16> {
      %c = loop.contract parallel [4096, 4096] reduction [4096]
          lhs %a[d0, d2] : tensor<4096x4096xbf16> rhs %b[d2, d1] : tensor<4096x4096xf32>
          acc f32 : tensor<4096x4096xbf16>
          rhs_prologue (%e) {
        %f = arith.truncf %e : f32 to bf16
        loop.yield %f : bf16
      }
      loop.return %c : tensor<4096x4096xbf16>
    }
    return %r : tensor<4096x4096xbf16>
  }
}

// -----

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800, tf32 = true>} {
  // Warpgroups take f32 along the sum only: the right operand is transposed.
  // CHECK-LABEL: func.func @transposed
  // CHECK: loop.kernel @transposed_right {{.*}} shared [4096, 4096] {{.*}}#loop.gpu_tile
  // CHECK: loop.load %{{.*}}[%j, %i] : tensor<4096x4096xf32>
  // CHECK: loop.kernel @transposed ins(
  // CHECK-SAME: unit = wgmma
  func.func @transposed(%x: tensor<4096x4096xf32>, %w: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
    %r = loop.kernel @transposed ins(%a = %x : tensor<4096x4096xf32>, %b = %w : tensor<4096x4096xf32>) shared [] -> tensor<4096x4096xf32> {
      %c = loop.contract parallel [4096, 4096] reduction [4096]
          lhs %a[d0, d2] : tensor<4096x4096xf32> rhs %b[d2, d1] : tensor<4096x4096xf32>
          acc f32 : tensor<4096x4096xf32>
      loop.return %c : tensor<4096x4096xf32>
    }
    return %r : tensor<4096x4096xf32>
  }
}

// -----

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  // A product of one row reads its matrix once: a copy would only add to that. And aligned
  // operands stay as they are.
  // CHECK-LABEL: func.func @stay
  // CHECK-NOT: loop.pointwise
  // CHECK: loop.contract
  // CHECK-NOT: loop.pointwise
  // CHECK: loop.contract
  // CHECK-NOT: loop.pointwise
  func.func @stay(%x: tensor<1x2005xbf16>, %w: tensor<2003x2005xbf16>, %y: tensor<2048x2048xbf16>) -> (tensor<1x2003xbf16>, tensor<2048x2048xbf16>) {
    %r = loop.kernel @row ins(%a = %x : tensor<1x2005xbf16>, %b = %w : tensor<2003x2005xbf16>) shared [] -> tensor<1x2003xbf16> {
      %c = loop.contract parallel [1, 2003] reduction [2005]
          lhs %a[d0, d2] : tensor<1x2005xbf16> rhs %b[d1, d2] : tensor<2003x2005xbf16>
          acc f32 : tensor<1x2003xbf16>
      loop.return %c : tensor<1x2003xbf16>
    }
    %s = loop.kernel @even ins(%a = %y : tensor<2048x2048xbf16>) shared [] -> tensor<2048x2048xbf16> {
      %c = loop.contract parallel [2048, 2048] reduction [2048]
          lhs %a[d0, d2] : tensor<2048x2048xbf16> rhs %a[d1, d2] : tensor<2048x2048xbf16>
          acc f32 : tensor<2048x2048xbf16>
      loop.return %c : tensor<2048x2048xbf16>
    }
    return %r, %s : tensor<1x2003xbf16>, tensor<2048x2048xbf16>
  }
}

// -----

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  // Warpgroups take no sum of unknown size, so that stays, too; any number of rows will do.
  // CHECK-LABEL: func.func @symbols
  // CHECK-NOT: loop.pointwise
  // CHECK: loop.contract parallel [4096, 2003] reduction [s0]
  // CHECK: loop.kernel @rows_left {{.*}} shared [s0, 2048]
  // CHECK: loop.pointwise (%i, %j) in [s0, 2048]
  // CHECK: unit = wgmma
  func.func @symbols(%x: tensor<4096x?xbf16, #guard.shape<[4096, s0]>>, %w: tensor<2003x?xbf16, #guard.shape<[2003, s0]>>, %y: tensor<?x2005xbf16, #guard.shape<[s0, 2005]>>, %z: tensor<4096x2005xbf16>) -> (tensor<4096x2003xbf16>, tensor<?x4096xbf16, #guard.shape<[s0, 4096]>>) {
    %r = loop.kernel @sum ins(%a = %x : tensor<4096x?xbf16, #guard.shape<[4096, s0]>>, %b = %w : tensor<2003x?xbf16, #guard.shape<[2003, s0]>>) shared [] -> tensor<4096x2003xbf16> {
      %c = loop.contract parallel [4096, 2003] reduction [s0]
          lhs %a[d0, d2] : tensor<4096x?xbf16, #guard.shape<[4096, s0]>> rhs %b[d1, d2] : tensor<2003x?xbf16, #guard.shape<[2003, s0]>>
          acc f32 : tensor<4096x2003xbf16>
      loop.return %c : tensor<4096x2003xbf16>
    }
    %s = loop.kernel @rows ins(%a = %y : tensor<?x2005xbf16, #guard.shape<[s0, 2005]>>, %b = %z : tensor<4096x2005xbf16>) shared [] -> tensor<?x4096xbf16, #guard.shape<[s0, 4096]>> {
      %c = loop.contract parallel [s0, 4096] reduction [2005]
          lhs %a[d0, d2] : tensor<?x2005xbf16, #guard.shape<[s0, 2005]>> rhs %b[d1, d2] : tensor<4096x2005xbf16>
          acc f32 : tensor<?x4096xbf16, #guard.shape<[s0, 4096]>>
      loop.return %c : tensor<?x4096xbf16, #guard.shape<[s0, 4096]>>
    }
    return %r, %s : tensor<4096x2003xbf16>, tensor<?x4096xbf16, #guard.shape<[s0, 4096]>>
  }
}

// -----

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  // Two widths of one tensor that get equally wide are two copies: behind 2,005 elements of
  // the first stand zeros, where the second has two more.
  // CHECK-LABEL: func.func @widths
  // CHECK: %[[NARROW:.*]] = loop.kernel @narrow_left
  // CHECK: arith.cmpi slt, %{{.*}}, %c2005
  // CHECK: loop.kernel @narrow ins({{.*}} = %[[NARROW]] : tensor<2005x2048xbf16>
  // CHECK: %[[WIDE:.*]] = loop.kernel @wide_left
  // CHECK: arith.cmpi slt, %{{.*}}, %c2007
  // CHECK: loop.kernel @wide ins({{.*}} = %[[WIDE]] : tensor<2005x2048xbf16>
  func.func @widths(%x: tensor<2005x2101xbf16>, %w: tensor<4096x2008xbf16>) -> (tensor<2005x4096xbf16>, tensor<2005x4096xbf16>) {
    %r = loop.kernel @narrow ins(%a = %w : tensor<4096x2008xbf16>, %b = %x : tensor<2005x2101xbf16>) shared [] -> tensor<2005x4096xbf16> {
      %c = loop.contract parallel [2005, 4096] reduction [2005]
          lhs %b[d0, d2] : tensor<2005x2101xbf16> rhs %a[d1, d2] : tensor<4096x2008xbf16>
          acc f32 : tensor<2005x4096xbf16>
      loop.return %c : tensor<2005x4096xbf16>
    }
    %q = loop.kernel @wide ins(%a = %w : tensor<4096x2008xbf16>, %b = %x : tensor<2005x2101xbf16>) shared [] -> tensor<2005x4096xbf16> {
      %c = loop.contract parallel [2005, 4096] reduction [2007]
          lhs %b[d0, d2] : tensor<2005x2101xbf16> rhs %a[d1, d2] : tensor<4096x2008xbf16>
          acc f32 : tensor<2005x4096xbf16>
      loop.return %c : tensor<2005x4096xbf16>
    }
    return %r, %q : tensor<2005x4096xbf16>, tensor<2005x4096xbf16>
  }

  // A constant of the kernel stands in the copy as well.
  // CHECK-LABEL: func.func @constant
  // CHECK: loop.kernel @constant_right
  // CHECK: %[[TWO:.*]] = arith.constant 2.0
  // CHECK: arith.mulf %{{.*}}, %[[TWO]]
  // CHECK: loop.kernel @constant ins(
  func.func @constant(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xf32>) -> tensor<4096x4096xbf16> {
    %r = loop.kernel @constant ins(%a = %x : tensor<4096x4096xbf16>, %b = %w : tensor<4096x4096xf32>) shared [] -> tensor<4096x4096xbf16> {
      %two = arith.constant 2.0 : f32
      %c = loop.contract parallel [4096, 4096] reduction [4096]
          lhs %a[d0, d2] : tensor<4096x4096xbf16> rhs %b[d2, d1] : tensor<4096x4096xf32>
          acc f32 : tensor<4096x4096xbf16>
          rhs_prologue (%e) {
        %g = arith.mulf %e, %two : f32
        %f = arith.truncf %g : f32 to bf16
        loop.yield %f : bf16
      }
      loop.return %c : tensor<4096x4096xbf16>
    }
    return %r : tensor<4096x4096xbf16>
  }

  // Gradients of weights with a batch of unknown size are for no copy engine: a sum whose
  // size is known alone is walked by it.
  // CHECK-LABEL: func.func @batch
  // CHECK: loop.kernel @batch
  // CHECK-SAME: unit = mma
  func.func @batch(%x: tensor<?x1024xbf16, #guard.shape<[s0, 1024]>>, %y: tensor<?x2048xbf16, #guard.shape<[s0, 2048]>>) -> tensor<1024x2048xbf16> {
    %r = loop.kernel @batch ins(%a = %x : tensor<?x1024xbf16, #guard.shape<[s0, 1024]>>, %b = %y : tensor<?x2048xbf16, #guard.shape<[s0, 2048]>>) shared [] -> tensor<1024x2048xbf16> {
      %c = loop.contract parallel [1024, 2048] reduction [s0]
          lhs %a[d2, d0] : tensor<?x1024xbf16, #guard.shape<[s0, 1024]>> rhs %b[d2, d1] : tensor<?x2048xbf16, #guard.shape<[s0, 2048]>>
          acc f32 : tensor<1024x2048xbf16>
      loop.return %c : tensor<1024x2048xbf16>
    }
    return %r : tensor<1024x2048xbf16>
  }
}

// -----

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  // Few rows read bytes as they lie; what made floats of them is gone.
  // CHECK-LABEL: func.func @bytes
  // CHECK-NOT: loop.pointwise
  // CHECK: loop.kernel @few ins(%{{.*}} = %arg0 : tensor<16x4096xbf16>, %[[B:.*]] = %arg1 : tensor<4096x4096xi8>)
  // CHECK-SAME: unit = mma
  // CHECK: rhs %[[B]][d1, d2] : tensor<4096x4096xi8> acc f32
  // CHECK: rhs_prologue (%[[X:.*]]) {
  // CHECK-NEXT: %[[F:.*]] = arith.sitofp %[[X]] : i8 to bf16
  // CHECK-NEXT: loop.yield %[[F]]
  func.func @bytes(%x: tensor<16x4096xbf16>, %w: tensor<4096x4096xi8>) -> tensor<16x4096xbf16> {
    %f = loop.kernel @floats ins(%a = %w : tensor<4096x4096xi8>) shared [4096, 4096] -> tensor<4096x4096xbf16> {
      %p = loop.pointwise (%i, %j) in [4096, 4096] : tensor<4096x4096xbf16> {
        %e = loop.load %a[%i, %j] : tensor<4096x4096xi8>
        %h = arith.sitofp %e : i8 to bf16
        loop.yield %h : bf16
      }
      loop.return %p : tensor<4096x4096xbf16>
    }
    %r = loop.kernel @few ins(%a = %x : tensor<16x4096xbf16>, %b = %f : tensor<4096x4096xbf16>) shared [] -> tensor<16x4096xbf16> {
      %c = loop.contract parallel [16, 4096] reduction [4096]
          lhs %a[d0, d2] : tensor<16x4096xbf16> rhs %b[d1, d2] : tensor<4096x4096xbf16>
          acc f32 : tensor<16x4096xbf16>
      loop.return %c : tensor<16x4096xbf16>
    }
    return %r : tensor<16x4096xbf16>
  }

  // Many rows are quicker by warpgroups, for which floats are made once.
  // CHECK-LABEL: func.func @many
  // CHECK: loop.kernel @floats
  // CHECK: loop.kernel @many
  // CHECK-SAME: unit = wgmma
  func.func @many(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xi8>) -> tensor<4096x4096xbf16> {
    %f = loop.kernel @floats ins(%a = %w : tensor<4096x4096xi8>) shared [4096, 4096] -> tensor<4096x4096xbf16> {
      %p = loop.pointwise (%i, %j) in [4096, 4096] : tensor<4096x4096xbf16> {
        %e = loop.load %a[%i, %j] : tensor<4096x4096xi8>
        %h = arith.sitofp %e : i8 to bf16
        loop.yield %h : bf16
      }
      loop.return %p : tensor<4096x4096xbf16>
    }
    %r = loop.kernel @many ins(%a = %x : tensor<4096x4096xbf16>, %b = %f : tensor<4096x4096xbf16>) shared [] -> tensor<4096x4096xbf16> {
      %c = loop.contract parallel [4096, 4096] reduction [4096]
          lhs %a[d0, d2] : tensor<4096x4096xbf16> rhs %b[d1, d2] : tensor<4096x4096xbf16>
          acc f32 : tensor<4096x4096xbf16>
      loop.return %c : tensor<4096x4096xbf16>
    }
    return %r : tensor<4096x4096xbf16>
  }

  // What others read, too, stays a kernel.
  // CHECK-LABEL: func.func @shared_floats
  // CHECK: loop.kernel @floats
  // CHECK: loop.kernel @few ins(
  // CHECK-NOT: rhs_prologue
  func.func @shared_floats(%x: tensor<16x4096xbf16>, %w: tensor<4096x4096xi8>) -> (tensor<16x4096xbf16>, tensor<4096x4096xbf16>) {
    %f = loop.kernel @floats ins(%a = %w : tensor<4096x4096xi8>) shared [4096, 4096] -> tensor<4096x4096xbf16> {
      %p = loop.pointwise (%i, %j) in [4096, 4096] : tensor<4096x4096xbf16> {
        %e = loop.load %a[%i, %j] : tensor<4096x4096xi8>
        %h = arith.sitofp %e : i8 to bf16
        loop.yield %h : bf16
      }
      loop.return %p : tensor<4096x4096xbf16>
    }
    %r = loop.kernel @few ins(%a = %x : tensor<16x4096xbf16>, %b = %f : tensor<4096x4096xbf16>) shared [] -> tensor<16x4096xbf16> {
      %c = loop.contract parallel [16, 4096] reduction [4096]
          lhs %a[d0, d2] : tensor<16x4096xbf16> rhs %b[d1, d2] : tensor<4096x4096xbf16>
          acc f32 : tensor<16x4096xbf16>
      loop.return %c : tensor<16x4096xbf16>
    }
    return %r, %f : tensor<16x4096xbf16>, tensor<4096x4096xbf16>
  }
}

// -----

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  // So they do of bytes, which stay without a sign.
  // CHECK-LABEL: func.func @bytes
  // CHECK: loop.kernel @bytes_right {{.*}} shared [4096, 4096] {{.*}}#loop.gpu_tile<{{.*}} -> tensor<4096x4096xui8>
  // CHECK: loop.load %{{.*}}[%j, %i] : tensor<4096x4096xui8>
  // CHECK: loop.kernel @bytes ins(
  // CHECK-SAME: unit = wgmma
  // CHECK: rhs %{{.*}}[d1, d2] : tensor<4096x4096xui8> acc i32
  func.func @bytes(%x: tensor<4096x4096xui8>, %w: tensor<4096x4096xui8>) -> tensor<4096x4096xi32> {
    %r = loop.kernel @bytes ins(%a = %x : tensor<4096x4096xui8>, %b = %w : tensor<4096x4096xui8>) shared [] -> tensor<4096x4096xi32> {
      %c = loop.contract parallel [4096, 4096] reduction [4096]
          lhs %a[d0, d2] : tensor<4096x4096xui8> rhs %b[d2, d1] : tensor<4096x4096xui8>
          acc i32 : tensor<4096x4096xi32>
      loop.return %c : tensor<4096x4096xi32>
    }
    return %r : tensor<4096x4096xi32>
  }
}

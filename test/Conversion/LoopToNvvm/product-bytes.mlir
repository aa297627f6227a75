// RUN: kiln-opt --loop-choose-schedule --convert-loop-to-nvvm --split-input-file %s | FileCheck %s

module attributes {loop.target = #loop.gpu<chip = "sm_80", multiprocessors = 108, threads = 2048, registers = 65536, shared = 166912, l2 = 41943040>} {
  // Rows of both operands are copied past the registers, and four neighbours are a word. Sums wrap
  // around; an epilogue makes floats of them.
  // CHECK-LABEL: func.func @scaled
  // CHECK-SAME: tensor<1024x2048xi8>
  // CHECK: unit = mma, rows = {{[0-9]+}}, columns = {{[0-9]+}}, sum = 128,
  // CHECK: llvm.func @scaled(
  // CHECK-COUNT-2: nvvm.cp.async.shared.global {{.*}}, 16, cache = cg
  // CHECK: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<row>
  // CHECK-NOT: layout = #nvvm.mma_layout<col>, num
  // CHECK: nvvm.mma.sync A[{{.*}}] B[{{.*}}] C[{{.*}}] {intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>, {{.*}}multiplicandAPtxType = #nvvm.mma_type<s8>, multiplicandBPtxType = #nvvm.mma_type<s8>, shape = #nvvm.shape<m = 16, n = 8, k = 32>} : (i32, i32, i32) -> !llvm.struct<(i32, i32, i32, i32)>
  // CHECK: arith.sitofp {{.*}} : vector<8xi32> to vector<8xf32>
  func.func @scaled(%x: tensor<1024x2048xi8>, %w: tensor<1024x2048xi8>, %s: tensor<1024xf32>) -> tensor<1024x1024xbf16> {
    %r = loop.kernel @scaled ins(%a = %x : tensor<1024x2048xi8>, %b = %w : tensor<1024x2048xi8>, %c = %s : tensor<1024xf32>) shared [] -> tensor<1024x1024xbf16> {
      %p = loop.contract parallel [1024, 1024] reduction [2048]
          lhs %a[d0, d2] : tensor<1024x2048xi8> rhs %b[d1, d2] : tensor<1024x2048xi8>
          acc i32 : tensor<1024x1024xbf16> epilogue (%acc, %i, %j) {
        %e = arith.sitofp %acc : i32 to f32
        %f = loop.load %c[%j] : tensor<1024xf32>
        %g = arith.mulf %e, %f : f32
        %h = arith.truncf %g : f32 to bf16
        loop.yield %h : bf16
      }
      loop.return %p : tensor<1024x1024xbf16>
    }
    return %r : tensor<1024x1024xbf16>
  }
}

// -----

module attributes {loop.target = #loop.gpu<chip = "sm_80", multiprocessors = 108, threads = 2048, registers = 65536, shared = 166912, l2 = 41943040>} {
  // Bytes without a sign that lie across the sum go through registers, one by one to rows along it.
  // CHECK-LABEL: func.func @across
  // CHECK: llvm.func @across_parts(
  // CHECK: nvvm.cp.async.shared.global
  // CHECK: %[[BYTES:.*]] = scf.if {{.*}} -> (vector<16xi8>)
  // CHECK: %[[BYTE:.*]] = vector.extract %[[BYTES]][0] : i8 from vector<16xi8>
  // CHECK: llvm.store %[[BYTE]], %{{.*}} {alignment = 1 : i64} : i8, !llvm.ptr<3>
  // CHECK: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<row>
  // CHECK-NOT: layout = #nvvm.mma_layout<col>, num
  // CHECK: multiplicandAPtxType = #nvvm.mma_type<s8>, multiplicandBPtxType = #nvvm.mma_type<u8>
  func.func @across(%x: tensor<1024x2048xi8>, %w: tensor<2048x1024xui8>) -> tensor<1024x1024xi32> {
    %r = loop.kernel @across ins(%a = %x : tensor<1024x2048xi8>, %b = %w : tensor<2048x1024xui8>) shared [] -> tensor<1024x1024xi32> {
      %p = loop.contract parallel [1024, 1024] reduction [2048]
          lhs %a[d0, d2] : tensor<1024x2048xi8> rhs %b[d2, d1] : tensor<2048x1024xui8>
          acc i32 : tensor<1024x1024xi32>
      loop.return %p : tensor<1024x1024xi32>
    }
    return %r : tensor<1024x1024xi32>
  }
}

// -----

module attributes {loop.target = #loop.gpu<chip = "sm_75", multiprocessors = 40, threads = 1024, registers = 65536, shared = 65536, l2 = 4194304>} {
  // Before sm_80 a thread has neighbours of the result, and extends bytes itself.
  // CHECK-LABEL: func.func @early
  // CHECK: #loop.gpu_across
  // CHECK: llvm.func @early(
  // CHECK-NOT: nvvm.mma.sync
  // CHECK: arith.extsi
  // CHECK: arith.extui
  // CHECK: arith.muli
  func.func @early(%x: tensor<256x256xi8>, %w: tensor<256x256xui8>) -> tensor<256x256xi32> {
    %r = loop.kernel @early ins(%a = %x : tensor<256x256xi8>, %b = %w : tensor<256x256xui8>) shared [256, 256] -> tensor<256x256xi32> {
      %p = loop.contract parallel [256, 256] reduction [256]
          lhs %a[d0, d2] : tensor<256x256xi8> rhs %b[d2, d1] : tensor<256x256xui8>
          acc i32 : tensor<256x256xi32>
      loop.return %p : tensor<256x256xi32>
    }
    return %r : tensor<256x256xi32>
  }
}

// -----

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  // The copy engine brings 128 bytes of each row; warpgroups multiply 32 of them at a time.
  // CHECK-LABEL: func.func @warpgroups
  // CHECK: maps = [#loop.tensor_map<pointer = 0, element = i8, offset = <0>, sizes = [#guard.expr<4096>, #guard.expr<4096>], strides = [#guard.expr<4096>], box = [128, 128], swizzle = 128>, #loop.tensor_map<pointer = 1, element = i8,
  // CHECK-SAME: unit = wgmma, rows = 128, columns = 256, sum = 128,
  // CHECK: llvm.func @warpgroups(
  // CHECK-COUNT-4: nvvm.wgmma.mma_async {{.*}}, <m = 64, n = 256, k = 32>, D[<s32>, <one>], A[<s8>, <one>, <row>], B[<s8>, <one>, <col>]
  // CHECK-NOT: nvvm.wgmma.mma_async
  // CHECK: wgmma.wait_group.sync.aligned 0;", "=r,=r
  func.func @warpgroups(%x: tensor<4096x4096xi8>, %w: tensor<4096x4096xi8>) -> tensor<4096x4096xi32> {
    %r = loop.kernel @warpgroups ins(%a = %x : tensor<4096x4096xi8>, %b = %w : tensor<4096x4096xi8>) shared [] -> tensor<4096x4096xi32> {
      %p = loop.contract parallel [4096, 4096] reduction [4096]
          lhs %a[d0, d2] : tensor<4096x4096xi8> rhs %b[d1, d2] : tensor<4096x4096xi8>
          acc i32 : tensor<4096x4096xi32>
      loop.return %p : tensor<4096x4096xi32>
    }
    return %r : tensor<4096x4096xi32>
  }
}

// -----

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  // Rows of 1,000 bytes begin where no copy engine brings them: threads copy eight at a time.
  // CHECK-LABEL: func.func @odd
  // CHECK-NOT: tensor_map
  // CHECK: unit = mma
  // CHECK: llvm.func @odd(
  // CHECK: nvvm.cp.async.shared.global {{.*}}, 8, cache = ca
  // CHECK: nvvm.mma.sync
  func.func @odd(%x: tensor<512x1000xi8>, %w: tensor<512x1000xi8>) -> tensor<512x512xi32> {
    %r = loop.kernel @odd ins(%a = %x : tensor<512x1000xi8>, %b = %w : tensor<512x1000xi8>) shared [] -> tensor<512x512xi32> {
      %p = loop.contract parallel [512, 512] reduction [1000]
          lhs %a[d0, d2] : tensor<512x1000xi8> rhs %b[d1, d2] : tensor<512x1000xi8>
          acc i32 : tensor<512x512xi32>
      loop.return %p : tensor<512x512xi32>
    }
    return %r : tensor<512x512xi32>
  }
}

// -----

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  // A long sum in parts: integers are added up as such.
  // CHECK-LABEL: func.func @deep
  // CHECK: #loop.step<kernel = @deep_parts, {{.*}}#loop.step<kernel = @deep,
  // CHECK: llvm.func @deep(
  // CHECK: arith.addi {{.*}} : {{(vector<[0-9]+x)?}}i32
  // CHECK-NOT: arith.addf
  func.func @deep(%x: tensor<64x65536xi8>, %w: tensor<64x65536xi8>) -> tensor<64x64xi32> {
    %r = loop.kernel @deep ins(%a = %x : tensor<64x65536xi8>, %b = %w : tensor<64x65536xi8>) shared [] -> tensor<64x64xi32> {
      %p = loop.contract parallel [64, 64] reduction [65536]
          lhs %a[d0, d2] : tensor<64x65536xi8> rhs %b[d1, d2] : tensor<64x65536xi8>
          acc i32 : tensor<64x64xi32>
      loop.return %p : tensor<64x64xi32>
    }
    return %r : tensor<64x64xi32>
  }
}

// -----

module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  // Bytes with a sign by bytes without one are for warps.
  // CHECK-LABEL: func.func @signs
  // CHECK: unit = mma
  // CHECK: multiplicandAPtxType = #nvvm.mma_type<s8>, multiplicandBPtxType = #nvvm.mma_type<u8>
  func.func @signs(%x: tensor<4096x4096xi8>, %w: tensor<4096x4096xui8>) -> tensor<4096x4096xi32> {
    %r = loop.kernel @signs ins(%a = %x : tensor<4096x4096xi8>, %b = %w : tensor<4096x4096xui8>) shared [] -> tensor<4096x4096xi32> {
      %p = loop.contract parallel [4096, 4096] reduction [4096]
          lhs %a[d0, d2] : tensor<4096x4096xi8> rhs %b[d1, d2] : tensor<4096x4096xui8>
          acc i32 : tensor<4096x4096xi32>
      loop.return %p : tensor<4096x4096xi32>
    }
    return %r : tensor<4096x4096xi32>
  }
}

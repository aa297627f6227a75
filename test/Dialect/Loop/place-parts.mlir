// RUN: kiln-opt %s --loop-place-parts --split-input-file | FileCheck %s
// RUN: kiln-opt %s --loop-place-parts --loop-choose-schedule --kiln-gpu=chip=sm_90a --kiln-program --split-input-file | FileCheck %s --check-prefix=PROGRAM
// RUN: kiln-opt %s --loop-place-parts --loop-choose-schedule --loop-fuse-sums --split-input-file | FileCheck %s --check-prefix=SUMS
// RUN: sed 's/^module attributes.*/module {/' %s | kiln-opt --loop-place-parts --split-input-file | FileCheck %s --check-prefix=CPU --implicit-check-not=assemble

// Heads become columns of rows. A product stores them there as well as a pointwise nest, and
// who reads one of them finds it there. Everything is of one memory in the program.

// CHECK-LABEL: func.func @heads
// CHECK: %[[Q:.*]] = loop.kernel @queries
// CHECK: loop.return %{{.*}} : tensor<8x512x64xbf16> strides [#guard.shape<[64, 1024, 1]>]
// CHECK: %[[K:.*]] = loop.kernel @keys
// CHECK: loop.return %{{.*}} : tensor<8x512x64xbf16> strides [#guard.shape<[64, 1024, 1]>]
// CHECK: %[[S:.*]] = loop.kernel @sums ins(%{{.*}} = %[[K]] : tensor<8x512x64xbf16>)
// CHECK-NOT: loop.kernel
// CHECK: %[[R:.*]] = loop.assemble(%[[Q]], %[[K]]) offsets [0, 512] strides [#guard.shape<[64, 1024, 1]>, #guard.shape<[64, 1024, 1]>] : (tensor<8x512x64xbf16>, tensor<8x512x64xbf16>) -> tensor<512x1024xbf16>
// CHECK: return %[[R]], %[[S]]

// CPU-LABEL: func.func @heads
// CPU: loop.kernel @cat

// PROGRAM-LABEL: program.func @heads
// PROGRAM: %[[R:.*]] = program.alloc new : !program.buffer<[512, 1024], bf16>
// PROGRAM: %[[Q:.*]] = program.view %[[R]] offset 0 : !program.buffer<[512, 1024], bf16> to !program.buffer<[8, 512, 64], bf16, strides = [64, 1024, 1]>
// PROGRAM: program.launch @kernels::@queries(%{{.*}}, %[[Q]]) access [read, write]
// PROGRAM: %[[K:.*]] = program.view %[[R]] offset 512 : !program.buffer<[512, 1024], bf16> to !program.buffer<[8, 512, 64], bf16, strides = [64, 1024, 1]>
// PROGRAM: program.launch @kernels::@keys(%{{.*}}, %{{.*}}, %[[K]]) access [read, read, write]
// PROGRAM: program.launch @kernels::@sums(%[[K]], %[[S:.*]]) access [read, write]
// PROGRAM-NOT: program.launch
// PROGRAM: program.return %[[R]], %[[S]]
module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  func.func @heads(%x: tensor<512x512xbf16>, %y: tensor<8x512x32xbf16>, %w: tensor<8x32x64xbf16>) -> (tensor<512x1024xbf16>, tensor<8x512xf32>) {
    %q = loop.kernel @queries ins(%a = %x : tensor<512x512xbf16>) shared [8, 512, 64] -> tensor<8x512x64xbf16> {
      %p = loop.pointwise (%h, %i, %j) in [8, 512, 64] : tensor<8x512x64xbf16> {
        %0 = loop.load %a[%i, %h * 64 + %j] : tensor<512x512xbf16>
        %1 = arith.negf %0 : bf16
        loop.yield %1 : bf16
      }
      loop.return %p : tensor<8x512x64xbf16>
    }
    %k = loop.kernel @keys ins(%a = %y : tensor<8x512x32xbf16>, %b = %w : tensor<8x32x64xbf16>) shared [8, 512, 64] -> tensor<8x512x64xbf16> {
      %c = loop.contract parallel [8, 512, 64] reduction [32] lhs %a[d0, d1, d3] : tensor<8x512x32xbf16>
          rhs %b[d0, d3, d2] : tensor<8x32x64xbf16> acc f32 : tensor<8x512x64xbf16>
      loop.return %c : tensor<8x512x64xbf16>
    }
    %s = loop.kernel @sums ins(%a = %k : tensor<8x512x64xbf16>) shared [8, 512] -> tensor<8x512xf32> {
      %p = loop.reduce parallel (%h, %i) in [8, 512] reduction (%j) in [64] <sum> : tensor<8x512xf32> {
        %0 = loop.load %a[%h, %i, %j] : tensor<8x512x64xbf16>
        %1 = arith.extf %0 : bf16 to f32
        loop.yield %1 : f32
      }
      loop.return %p : tensor<8x512xf32>
    }
    %r = loop.kernel @cat ins(%a = %q : tensor<8x512x64xbf16>, %b = %k : tensor<8x512x64xbf16>) shared [512, 1024] -> tensor<512x1024xbf16> {
      %zero = arith.constant 0.0 : bf16
      %c512 = arith.constant 512 : index
      %p = loop.pointwise (%i, %j) in [512, 1024] : tensor<512x1024xbf16> {
        %0 = arith.cmpi slt, %j, %c512 : index
        %1 = loop.load %a[floordiv(%j, 64), %i, mod(%j, 64)] mask %0, %zero : tensor<8x512x64xbf16>
        %2 = arith.cmpi sge, %j, %c512 : index
        %3 = loop.load %b[floordiv(%j, 64) - 8, %i, mod(%j, 64)] mask %2, %zero : tensor<8x512x64xbf16>
        %4 = arith.select %2, %3, %1 : bf16
        loop.yield %4 : bf16
      }
      loop.return %p : tensor<512x1024xbf16>
    }
    return %r, %s : tensor<512x1024xbf16>, tensor<8x512xf32>
  }
}

// -----

// Any number of sequences, which one of the parts counts with its rows; the one of the caller is
// copied into its place, which is worth a launch where the others are large.

// CHECK-LABEL: func.func @caller
// CHECK: %[[A:.*]] = loop.kernel @rows
// CHECK: loop.return %{{.*}} strides [#guard.shape<[768, 1]>]
// CHECK: %[[B:.*]] = loop.kernel @cat ins(%{{.*}} = %arg1 : tensor<?x64x256xbf16, #guard.shape<[s0, 64, 256]>>) shared [s0, 64, 256]
// CHECK: loop.load %{{.*}}[%i, %j, %k] : tensor<?x64x256xbf16
// CHECK: loop.return %{{.*}} strides [#guard.shape<[49152, 768, 1]>]
// CHECK: loop.assemble(%[[A]], %[[B]]) offsets [0, 512] strides [#guard.shape<[768, 1]>, #guard.shape<[49152, 768, 1]>]
// CPU-LABEL: func.func @caller
// PROGRAM-LABEL: program.func @caller
// PROGRAM: %[[R:.*]] = program.alloc new : !program.buffer<[s0, 64, 768], bf16>
// PROGRAM: program.view %[[R]] offset 0
// PROGRAM: program.view %[[R]] offset 512
module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  guard.symbol @s0 range [2, 4096] hint 256
  func.func @caller(%x: tensor<?x512xbf16, #guard.shape<[s0 * 64, 512]>>, %y: tensor<?x64x256xbf16, #guard.shape<[s0, 64, 256]>>) -> tensor<?x64x768xbf16, #guard.shape<[s0, 64, 768]>> {
    %q = loop.kernel @rows ins(%a = %x : tensor<?x512xbf16, #guard.shape<[s0 * 64, 512]>>) shared [s0 * 64, 512] -> tensor<?x512xbf16, #guard.shape<[s0 * 64, 512]>> {
      %p = loop.pointwise (%i, %j) in [s0 * 64, 512] : tensor<?x512xbf16, #guard.shape<[s0 * 64, 512]>> {
        %0 = loop.load %a[%i, %j] : tensor<?x512xbf16, #guard.shape<[s0 * 64, 512]>>
        %1 = arith.negf %0 : bf16
        loop.yield %1 : bf16
      }
      loop.return %p : tensor<?x512xbf16, #guard.shape<[s0 * 64, 512]>>
    }
    %r = loop.kernel @cat ins(%a = %q : tensor<?x512xbf16, #guard.shape<[s0 * 64, 512]>>, %b = %y : tensor<?x64x256xbf16, #guard.shape<[s0, 64, 256]>>) shared [s0, 64, 768] -> tensor<?x64x768xbf16, #guard.shape<[s0, 64, 768]>> {
      %zero = arith.constant 0.0 : bf16
      %c512 = arith.constant 512 : index
      %p = loop.pointwise (%n, %i, %j) in [s0, 64, 768] : tensor<?x64x768xbf16, #guard.shape<[s0, 64, 768]>> {
        %0 = arith.cmpi slt, %j, %c512 : index
        %1 = loop.load %a[%n * 64 + %i, %j] mask %0, %zero : tensor<?x512xbf16, #guard.shape<[s0 * 64, 512]>>
        %2 = arith.cmpi sge, %j, %c512 : index
        %3 = loop.load %b[%n, %i, %j - 512] mask %2, %1 : tensor<?x64x256xbf16, #guard.shape<[s0, 64, 256]>>
        loop.yield %3 : bf16
      }
      loop.return %p : tensor<?x64x768xbf16, #guard.shape<[s0, 64, 768]>>
    }
    return %r : tensor<?x64x768xbf16, #guard.shape<[s0, 64, 768]>>
  }
}

// -----

// What is read twice is in one place and copied to the other. Rows that follow each other are
// parts without gaps.

// CHECK-LABEL: func.func @twice
// CHECK: %[[A:.*]] = loop.kernel @rows
// CHECK: loop.return %{{.*}} strides [#guard.shape<[2048, 1]>]
// CHECK: %[[B:.*]] = loop.kernel @cat ins(%{{.*}} = %[[A]] : tensor<1024x2048xf32>) shared [1024, 2048]
// CHECK: loop.return %{{.*}} strides [#guard.shape<[2048, 1]>]
// CHECK: loop.assemble(%[[A]], %[[B]]) offsets [0, 2097152]
// CPU-LABEL: func.func @twice
// PROGRAM-LABEL: program.func @twice
module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  func.func @twice(%x: tensor<1024x2048xf32>) -> tensor<2048x2048xf32> {
    %q = loop.kernel @rows ins(%a = %x : tensor<1024x2048xf32>) shared [1024, 2048] -> tensor<1024x2048xf32> {
      %p = loop.pointwise (%i, %j) in [1024, 2048] : tensor<1024x2048xf32> {
        %0 = loop.load %a[%i, %j] : tensor<1024x2048xf32>
        %1 = arith.negf %0 : f32
        loop.yield %1 : f32
      }
      loop.return %p : tensor<1024x2048xf32>
    }
    %r = loop.kernel @cat ins(%a = %q : tensor<1024x2048xf32>) shared [2048, 2048] -> tensor<2048x2048xf32> {
      %zero = arith.constant 0.0 : f32
      %c1024 = arith.constant 1024 : index
      %p = loop.pointwise (%i, %j) in [2048, 2048] : tensor<2048x2048xf32> {
        %0 = arith.cmpi slt, %i, %c1024 : index
        %1 = loop.load %a[%i, %j] mask %0, %zero : tensor<1024x2048xf32>
        %2 = arith.cmpi sge, %i, %c1024 : index
        %3 = loop.load %a[%i - 1024, %j] mask %2, %zero : tensor<1024x2048xf32>
        %4 = arith.select %2, %3, %1 : f32
        loop.yield %4 : f32
      }
      loop.return %p : tensor<2048x2048xf32>
    }
    return %r : tensor<2048x2048xf32>
  }
}

// -----

// Columns of a part are summed up where its tiles are, beside it.

// CHECK-LABEL: func.func @summed
// CHECK: loop.assemble
// CPU-LABEL: func.func @summed
// PROGRAM-LABEL: program.func @summed
// SUMS-LABEL: func.func @summed
// SUMS: %[[C:.*]]:2 = loop.kernel @product
// SUMS-SAME: #loop.gpu_product<unit = wgmma
// SUMS: loop.return %{{.*}}, %{{.*}} : tensor<4096x768xbf16>, tensor<{{.*}}x768xf32> strides [#guard.shape<[1536, 1]>, unit]
// SUMS: loop.kernel @columns ins(%{{.*}} = %[[C]]#1
// SUMS: loop.assemble(%[[C]]#0, %{{.*}}) offsets [0, 768]
!f = tensor<4096x768xbf16>
module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  func.func @summed(%x: !f, %w: tensor<768x768xbf16>) -> (tensor<4096x1536xbf16>, tensor<768xbf16>) {
    %q = loop.kernel @product ins(%a = %x : !f, %b = %w : tensor<768x768xbf16>) shared [4096, 768] -> !f {
      %c = loop.contract parallel [4096, 768] reduction [768] lhs %a[d0, d2] : !f
          rhs %b[d2, d1] : tensor<768x768xbf16> acc f32 : !f
      loop.return %c : !f
    }
    %k = loop.kernel @double ins(%a = %x : !f) shared [4096, 768] -> !f {
      %p = loop.pointwise (%i, %j) in [4096, 768] : !f {
        %0 = loop.load %a[%i, %j] : !f
        %1 = arith.addf %0, %0 : bf16
        loop.yield %1 : bf16
      }
      loop.return %p : !f
    }
    %s = loop.kernel @columns ins(%a = %q : !f) shared [768] -> tensor<768xbf16> {
      %p = loop.reduce parallel (%i) in [768] reduction (%j) in [4096] <sum> : tensor<768xbf16> {
        %0 = loop.load %a[%j, %i] : !f
        %1 = arith.extf %0 : bf16 to f32
        loop.yield %1 : f32
      }
      loop.return %p : tensor<768xbf16>
    }
    %r = loop.kernel @cat ins(%a = %q : !f, %b = %k : !f) shared [4096, 1536] -> tensor<4096x1536xbf16> {
      %zero = arith.constant 0.0 : bf16
      %c768 = arith.constant 768 : index
      %p = loop.pointwise (%i, %j) in [4096, 1536] : tensor<4096x1536xbf16> {
        %0 = arith.cmpi slt, %j, %c768 : index
        %1 = loop.load %a[%i, %j] mask %0, %zero : !f
        %2 = arith.cmpi sge, %j, %c768 : index
        %3 = loop.load %b[%i, %j - 768] mask %2, %1 : !f
        loop.yield %3 : bf16
      }
      loop.return %p : tensor<4096x1536xbf16>
    }
    return %r, %s : tensor<4096x1536xbf16>, tensor<768xbf16>
  }
}

// -----

// Each of these has a reason to stay: a part that the caller gets, rows of 24 bytes, columns
// that would be rows, a sum of what is joined, little that is saved beside a copy.

// CHECK-LABEL: func.func @stay
// CHECK-NOT: assemble
// CHECK: loop.kernel @returned
// CHECK: loop.kernel @narrow
// CHECK: loop.kernel @across
// CHECK: loop.kernel @computed
// CHECK: loop.kernel @little
// CHECK-NOT: assemble
// CPU-LABEL: func.func @stay
// PROGRAM-LABEL: program.func @stay
!n = tensor<512x512xbf16>
!w = tensor<512x1024xbf16>
!o = tensor<64x12xbf16>
module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  func.func @stay(%x: !n, %z: !o) -> (!n, !w, tensor<64x24xbf16>, !w, !w, !w) {
    %q:3 = loop.kernel @makes ins(%a = %x : !n) shared [512, 512] -> (!n, !n, !n) {
      %p = loop.pointwise (%i, %j) in [512, 512] : !n {
        %0 = loop.load %a[%i, %j] : !n
        %1 = arith.negf %0 : bf16
        loop.yield %1 : bf16
      }
      %t = loop.pointwise (%i, %j) in [512, 512] : !n {
        %0 = loop.load %a[%i, %j] : !n
        %1 = arith.addf %0, %0 : bf16
        loop.yield %1 : bf16
      }
      %u = loop.pointwise (%i, %j) in [512, 512] : !n {
        %0 = loop.load %a[%i, %j] : !n
        %1 = arith.mulf %0, %0 : bf16
        loop.yield %1 : bf16
      }
      loop.return %p, %t, %u : !n, !n, !n
    }
    %o = loop.kernel @makes_narrow ins(%a = %z : !o) shared [64, 12] -> !o {
      %p = loop.pointwise (%i, %j) in [64, 12] : !o {
        %0 = loop.load %a[%i, %j] : !o
        %1 = arith.negf %0 : bf16
        loop.yield %1 : bf16
      }
      loop.return %p : !o
    }
    %r0 = loop.kernel @returned ins(%a = %q#0 : !n, %b = %x : !n) shared [512, 1024] -> !w {
      %none = arith.constant 0.0 : bf16
      %c512 = arith.constant 512 : index
      %p = loop.pointwise (%i, %j) in [512, 1024] : !w {
        %0 = arith.cmpi slt, %j, %c512 : index
        %1 = loop.load %a[%i, %j] mask %0, %none : !n
        %2 = arith.cmpi sge, %j, %c512 : index
        %3 = loop.load %b[%i, %j - 512] mask %2, %1 : !n
        loop.yield %3 : bf16
      }
      loop.return %p : !w
    }
    %r1 = loop.kernel @narrow ins(%a = %o : !o, %b = %z : !o) shared [64, 24] -> tensor<64x24xbf16> {
      %none = arith.constant 0.0 : bf16
      %c12 = arith.constant 12 : index
      %p = loop.pointwise (%i, %j) in [64, 24] : tensor<64x24xbf16> {
        %0 = arith.cmpi slt, %j, %c12 : index
        %1 = loop.load %a[%i, %j] mask %0, %none : !o
        %2 = arith.cmpi sge, %j, %c12 : index
        %3 = loop.load %b[%i, %j - 12] mask %2, %1 : !o
        loop.yield %3 : bf16
      }
      loop.return %p : tensor<64x24xbf16>
    }
    %r2 = loop.kernel @across ins(%a = %q#1 : !n) shared [512, 1024] -> !w {
      %none = arith.constant 0.0 : bf16
      %c512 = arith.constant 512 : index
      %p = loop.pointwise (%i, %j) in [512, 1024] : !w {
        %0 = arith.cmpi slt, %j, %c512 : index
        %1 = loop.load %a[%j, %i] mask %0, %none : !n
        %2 = arith.cmpi sge, %j, %c512 : index
        %3 = loop.load %a[%j - 512, %i] mask %2, %1 : !n
        loop.yield %3 : bf16
      }
      loop.return %p : !w
    }
    %r3 = loop.kernel @computed ins(%a = %q#1 : !n, %b = %x : !n) shared [512, 1024] -> !w {
      %none = arith.constant 0.0 : bf16
      %c512 = arith.constant 512 : index
      %p = loop.pointwise (%i, %j) in [512, 1024] : !w {
        %0 = arith.cmpi slt, %j, %c512 : index
        %1 = loop.load %a[%i, %j] mask %0, %none : !n
        %2 = arith.cmpi sge, %j, %c512 : index
        %3 = loop.load %b[%i, %j - 512] mask %2, %none : !n
        %4 = arith.addf %1, %3 : bf16
        loop.yield %4 : bf16
      }
      loop.return %p : !w
    }
    %r4 = loop.kernel @little ins(%a = %q#2 : !n, %b = %x : !n) shared [512, 1024] -> !w {
      %none = arith.constant 0.0 : bf16
      %c512 = arith.constant 512 : index
      %p = loop.pointwise (%i, %j) in [512, 1024] : !w {
        %0 = arith.cmpi slt, %j, %c512 : index
        %1 = loop.load %a[%i, %j] mask %0, %none : !n
        %2 = arith.cmpi sge, %j, %c512 : index
        %3 = loop.load %b[%i, %j - 512] mask %2, %1 : !n
        loop.yield %3 : bf16
      }
      loop.return %p : !w
    }
    return %q#0, %r0, %r1, %r2, %r3, %r4 : !n, !w, tensor<64x24xbf16>, !w, !w, !w
  }
}

// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-schedule \
// RUN:   --convert-loop-to-nvvm | FileCheck %s
// RUN: kiln-opt %s --loop-set-target="chip=sm_90a deterministic" \
// RUN:   --loop-choose-schedule --convert-loop-to-nvvm | FileCheck %s --check-prefix=ORDER

// RUN: kiln-opt %s --loop-set-target=chip=sm_80 --loop-choose-schedule \
// RUN:   --convert-loop-to-nvvm | FileCheck %s --check-prefix=SM80

// With one order of each sum nothing is atomic that adds up floats.

// ORDER-LABEL: func.func @add
// ORDER: #loop.gpu_scatter<threads = 256, atomic = false, owners = 512>
// ORDER-NOT: atomicrmw fadd

// A sum needs no order: a copy, then a thread for each point. Positions that do not fit
// into 32 bits stay outside of every tensor. What stands there already is not copied.

// CHECK-LABEL: func.func @add
// CHECK: steps [#loop.step<kernel = @add_init
// CHECK-SAME: #loop.step<kernel = @add,
// CHECK-SAME: blocks = <4>
// CHECK-SAME: overwrites = array<i64: 0, 0>
// CHECK-SAME: #loop.gpu_scatter<threads = 256, atomic = true>
// CHECK-LABEL: func.func @columns
// CHECK: steps [#loop.step<kernel = @columns_init
// CHECK-SAME: #loop.step<kernel = @columns,
// CHECK-SAME: blocks = <64>
// CHECK-SAME: #loop.gpu_scatter<threads = 256, atomic = false, owners = 16>
// CHECK: llvm.func @add_init
// CHECK: %[[ELSEWHERE:.*]] = llvm.icmp "ne" %{{.*}}, %{{.*}} : !llvm.ptr<1>
// CHECK: scf.if %[[ELSEWHERE]]
// CHECK: llvm.func @add(
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: llvm.atomicrmw fadd %{{.*}}, %{{.*}} syncscope("device") monotonic : !llvm.ptr<1>, f32
func.func @add(%z: tensor<10xf32>, %n: tensor<1000xi64>, %g: tensor<1000xf32>)
    -> tensor<10xf32> {
  %r = loop.kernel @add ins(%a = %z : tensor<10xf32>, %b = %n : tensor<1000xi64>,
      %c = %g : tensor<1000xf32>) shared [] -> tensor<10xf32> {
    %s = loop.scatter (%k) in [1000] into %a <add> : tensor<10xf32> {
      %i = loop.load %b[%k] : tensor<1000xi64>
      %p = arith.index_cast %i : i64 to index
      %x = loop.load %c[%k] : tensor<1000xf32>
      loop.yield_at %x at [%p] : f32
    }
    loop.return %s : tensor<10xf32>
  }
  return %r : tensor<10xf32>
}

// The greatest of several writes, in order: a thread for each column, which is a
// position itself, walks all rows, and 16 of them share the elements by their rows.

// CHECK: llvm.func @columns_init
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>
// CHECK: llvm.func @columns(
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: %[[PLACE:.*]] = arith.andi
// CHECK: %[[OWNED:.*]] = arith.cmpi eq, %[[PLACE]]
// CHECK: scf.if %[[OWNED]]
// CHECK: arith.maximumf
!t = tensor<10x1024xf32>
!g = tensor<1000x1024xf32>
func.func @columns(%z: !t, %n: tensor<1000xi64>, %g: !g) -> !t {
  %r = loop.kernel @columns ins(%a = %z : !t, %b = %n : tensor<1000xi64>,
      %c = %g : !g) shared [] -> !t {
    %s = loop.scatter (%k, %d) in [1000, 1024] into %a <max> : !t {
      %i = loop.load %b[%k] : tensor<1000xi64>
      %p = arith.index_cast %i : i64 to index
      %x = loop.load %c[%k, %d] : !g
      loop.yield_at %x at [%p, %d] : f32
    }
    loop.return %s : !t
  }
  return %r : !t
}

// Rows of 64 f32: a thread adds four neighbours in one operation, whose number of a
// row and condition are one for all of them. Older chips have none for several f32.

// CHECK-LABEL: llvm.func @rows_init
// CHECK-LABEL: llvm.func @rows(
// CHECK-COUNT-1: llvm.load %{{.*}} : !llvm.ptr<1> -> i64
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: scf.if
// CHECK: llvm.inline_asm has_side_effects {{.*}}"red.relaxed.gpu.global.add.v4.f32 [$0], {$1, $2, $3, $4};", "l,f,f,f,f,~{memory}"
// CHECK-NOT: atomicrmw
// ORDER-NOT: red.relaxed
// SM80-LABEL: func.func @rows
// SM80: #loop.gpu_scatter<threads = 256, atomic = true>
// SM80-LABEL: llvm.func @rows(
// SM80: llvm.atomicrmw fadd
func.func @rows(%z: tensor<10x64xf32>, %n: tensor<1000xi64>,
    %g: tensor<1000x64xf32>) -> tensor<10x64xf32> {
  %r = loop.kernel @rows ins(%a = %z : tensor<10x64xf32>, %b = %n : tensor<1000xi64>,
      %c = %g : tensor<1000x64xf32>) shared [] -> tensor<10x64xf32> {
    %s = loop.scatter (%k, %d) in [1000, 64] into %a <add> : tensor<10x64xf32> {
      %i = loop.load %b[%k] : tensor<1000xi64>
      %p = arith.index_cast %i : i64 to index
      %x = loop.load %c[%k, %d] : tensor<1000x64xf32>
      %zero = arith.constant 0 : i64
      %valid = arith.cmpi ne, %i, %zero : i64
      loop.yield_at %x at [%p, %d] if %valid : f32
    }
    loop.return %s : tensor<10x64xf32>
  }
  return %r : tensor<10x64xf32>
}

// A row whose number is made of the index, with a condition on that number: both are one
// for all lanes.

// CHECK-LABEL: llvm.func @numbers(
// CHECK: scf.if %{{.*}} {
// CHECK: "red.relaxed.gpu.global.add.v4.f32
func.func @numbers(%z: tensor<10x64xf32>, %g: tensor<1000x64xf32>) -> tensor<10x64xf32> {
  %r = loop.kernel @numbers ins(%a = %z : tensor<10x64xf32>,
      %c = %g : tensor<1000x64xf32>) shared [] -> tensor<10x64xf32> {
    %s = loop.scatter (%k, %d) in [1000, 64] into %a <add> : tensor<10x64xf32> {
      %i = arith.index_cast %k : index to i64
      %ten = arith.constant 10 : i64
      %m = arith.remsi %i, %ten : i64
      %p = arith.index_cast %m : i64 to index
      %x = loop.load %c[%k, %d] : tensor<1000x64xf32>
      %four = arith.constant 4 : i64
      %valid = arith.cmpi ne, %m, %four : i64
      loop.yield_at %x at [%p, %d] if %valid : f32
    }
    loop.return %s : tensor<10x64xf32>
  }
  return %r : tensor<10x64xf32>
}

// Of 16 bits pairs are words. Rows of 12 begin at multiples of 8 bytes.

// CHECK-LABEL: llvm.func @halves(
// CHECK: "red.relaxed.gpu.global.add.noftz.v2.f16x2 [$0], {$1, $2};", "l,r,r,~{memory}"
// CHECK-NOT: red.relaxed
// SM80-LABEL: llvm.func @halves(
// SM80: "red.relaxed.gpu.global.add.noftz.f16x2 [$0], $1;", "l,r,~{memory}"
// SM80-NOT: red.relaxed
func.func @halves(%z: tensor<10x12xf16>, %n: tensor<1000xi64>,
    %g: tensor<1000x12xf16>) -> tensor<10x12xf16> {
  %r = loop.kernel @halves ins(%a = %z : tensor<10x12xf16>, %b = %n : tensor<1000xi64>,
      %c = %g : tensor<1000x12xf16>) shared [] -> tensor<10x12xf16> {
    %s = loop.scatter (%k, %d) in [1000, 12] into %a <add> : tensor<10x12xf16> {
      %i = loop.load %b[%k] : tensor<1000xi64>
      %p = arith.index_cast %i : i64 to index
      %x = loop.load %c[%k, %d] : tensor<1000x12xf16>
      loop.yield_at %x at [%p, %d] : f16
    }
    loop.return %s : tensor<10x12xf16>
  }
  return %r : tensor<10x12xf16>
}

// An index of each element, a condition of each, a row that is read across, and rows of
// no known size: an element a thread.

// CHECK-LABEL: llvm.func @places(
// CHECK: llvm.atomicrmw fadd
// CHECK-LABEL: llvm.func @conditions(
// CHECK: llvm.atomicrmw fadd
// CHECK-LABEL: llvm.func @across(
// CHECK: llvm.atomicrmw fadd
// CHECK-LABEL: llvm.func @dynamic(
// CHECK: llvm.atomicrmw fadd
!r = tensor<10x64xf32>
!g64 = tensor<1000x64xf32>
func.func @places(%z: !r, %n: tensor<1000x64xi64>, %g: !g64) -> !r {
  %r = loop.kernel @places ins(%a = %z : !r, %b = %n : tensor<1000x64xi64>,
      %c = %g : !g64) shared [] -> !r {
    %s = loop.scatter (%k, %d) in [1000, 64] into %a <add> : !r {
      %i = loop.load %b[%k, %d] : tensor<1000x64xi64>
      %p = arith.index_cast %i : i64 to index
      %x = loop.load %c[%k, %d] : !g64
      loop.yield_at %x at [%p, %d] : f32
    }
    loop.return %s : !r
  }
  return %r : !r
}

func.func @conditions(%z: !r, %n: tensor<1000xi64>, %g: !g64) -> !r {
  %r = loop.kernel @conditions ins(%a = %z : !r, %b = %n : tensor<1000xi64>,
      %c = %g : !g64) shared [] -> !r {
    %s = loop.scatter (%k, %d) in [1000, 64] into %a <add> : !r {
      %i = loop.load %b[%k] : tensor<1000xi64>
      %p = arith.index_cast %i : i64 to index
      %x = loop.load %c[%k, %d] : !g64
      %zero = arith.constant 0.0 : f32
      %valid = arith.cmpf one, %x, %zero : f32
      loop.yield_at %x at [%p, %d] if %valid : f32
    }
    loop.return %s : !r
  }
  return %r : !r
}

func.func @across(%z: !r, %n: tensor<1000xi64>, %g: tensor<64x1000xf32>) -> !r {
  %r = loop.kernel @across ins(%a = %z : !r, %b = %n : tensor<1000xi64>,
      %c = %g : tensor<64x1000xf32>) shared [] -> !r {
    %s = loop.scatter (%k, %d) in [1000, 64] into %a <add> : !r {
      %i = loop.load %b[%k] : tensor<1000xi64>
      %p = arith.index_cast %i : i64 to index
      %x = loop.load %c[%d, %k] : tensor<64x1000xf32>
      loop.yield_at %x at [%p, %d] : f32
    }
    loop.return %s : !r
  }
  return %r : !r
}

func.func @dynamic(%z: tensor<10x?xf32, #guard.shape<[10, s0]>>, %n: tensor<1000xi64>,
    %g: tensor<1000x?xf32, #guard.shape<[1000, s0]>>)
    -> tensor<10x?xf32, #guard.shape<[10, s0]>> {
  %r = loop.kernel @dynamic ins(%a = %z : tensor<10x?xf32, #guard.shape<[10, s0]>>,
      %b = %n : tensor<1000xi64>, %c = %g : tensor<1000x?xf32, #guard.shape<[1000, s0]>>)
      shared [] -> tensor<10x?xf32, #guard.shape<[10, s0]>> {
    %s = loop.scatter (%k, %d) in [1000, s0] into %a <add>
        : tensor<10x?xf32, #guard.shape<[10, s0]>> {
      %i = loop.load %b[%k] : tensor<1000xi64>
      %p = arith.index_cast %i : i64 to index
      %x = loop.load %c[%k, %d] : tensor<1000x?xf32, #guard.shape<[1000, s0]>>
      loop.yield_at %x at [%p, %d] : f32
    }
    loop.return %s : tensor<10x?xf32, #guard.shape<[10, s0]>>
  }
  return %r : tensor<10x?xf32, #guard.shape<[10, s0]>>
}

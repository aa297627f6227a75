// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-choose-schedule \
// RUN:   --convert-loop-to-nvvm | FileCheck %s
// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --kiln-gpu=chip=sm_90a \
// RUN:   | kiln-translate --gpu-to-ptx - | FileCheck %s --check-prefix=PTX

// The first 50 of rows of 32000, and the values there, in one kernel. A bound is found by a
// barrier that counts, for each bit. Of a row each thread has four vectors under way, whose least
// elements are apart: of slots whose least element is not above the bound all threads take
// vectors, and candidates go to shared memory, 256 at most, each of which
// counts those before it. Where they are more, the last that is kept is looked for, its key first.

// CHECK: kernel = @topk, symbols = [], blocks = <4096>, threads = 256>
// CHECK-SAME: #loop.gpu_rows<threads = 256, rows = 1, lanes = 8, steps = 0>
// CHECK-DAG: llvm.mlir.global internal @[[KEYS:topk_keys[_0-9]*]]() {{.*}} !llvm.array<1536 x i8>
// CHECK-DAG: llvm.mlir.global internal @[[OWNERS:topk_keys[_0-9]*]]() {{.*}} !llvm.array<2048 x i8>
// CHECK-DAG: llvm.mlir.global internal @[[RANKED:topk_keys[_0-9]*]]() {{.*}} !llvm.array<1024 x i8>
// CHECK: llvm.func @topk(
// CHECK: scf.for
// CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr{{.*}} -> vector<8xi16>
// CHECK-NOT: llvm.load
// CHECK: scf.yield %{{.*}} : vector<2xi16>, vector<2xi16>, vector<2xi16>, vector<2xi16>
// CHECK: nvvm.barrier #nvvm.reduction<popc>
// CHECK: llvm.atomicrmw add %{{.*}} syncscope("block") monotonic : !llvm.ptr<3>, i32
// CHECK: nvvm.barrier0
// CHECK: scf.for
// CHECK: llvm.atomicrmw add
// CHECK: llvm.store %{{.*}} : i16, !llvm.ptr<3>
// CHECK: nvvm.barrier0
// CHECK: %[[MANY:.*]] = arith.cmpi sgt, %{{.*}}, %{{.*}} : i32
// CHECK: scf.if %[[MANY]]
// CHECK: scf.for {{.*}} -> (i16)
// CHECK: scf.for {{.*}} -> (i32)
// CHECK: } else {
// CHECK: nvvm.barrier0
// CHECK: scf.for
// CHECK: scf.for {{.*}} -> (index)
// CHECK-NOT: scf.while
// CHECK: llvm.return
// PTX: .entry topk(
// PTX: bar{{.*}}red.popc.u32
// PTX: atom.{{.*}}shared.add.u32
!t = tensor<4096x32000xi16>
!p = tensor<4096x50xi64>
!v = tensor<4096x50xi16>
func.func @topk(%x: !t) -> !v {
  %r = loop.kernel @topk ins(%a = %x : !t) shared [4096] -> !v {
    %s = loop.sort parallel (%i) in [4096] along (%j) in [32000] keeping [50] at 1 : !p {
      %e = loop.load %a[%i, %j] : !t
      loop.yield %e : i16
    }
    %v = loop.pointwise (%i, %j) in [4096, 50] : !v {
      %k = loop.load %s[%i, %j] : !p
      %at = arith.index_cast %k : i64 to index
      %e = loop.load %a[%i, %at] : !t
      loop.yield %e : i16
    }
    loop.return %v : !v
  }
  return %r : !v
}

// A third of a row is sorted with all of it.

// CHECK: llvm.func @third(
// CHECK-NOT: popc
// CHECK: llvm.return
func.func @third(%x: tensor<64x900xi32>) -> tensor<64x300xi64> {
  %r = loop.kernel @third ins(%a = %x : tensor<64x900xi32>) shared [64] -> tensor<64x300xi64> {
    %s = loop.sort parallel (%i) in [64] along (%j) in [900] keeping [300] at 1 : tensor<64x300xi64> {
      %e = loop.load %a[%i, %j] : tensor<64x900xi32>
      loop.yield %e : i32
    }
    loop.return %s : tensor<64x300xi64>
  }
  return %r : tensor<64x300xi64>
}

// Keys that order floats are computed of the least one of each slot: of its greatest element, two
// of which are compared at once, and of its least one, where NaN is above everything.

// CHECK: llvm.func @greatest(
// CHECK: scf.for
// CHECK-NOT: arith.minsi
// CHECK: arith.maximumf %{{.*}}, %{{.*}} : vector<2xbf16>
// CHECK: nvvm.barrier #
// CHECK: llvm.func @least(
// CHECK: scf.for
// CHECK-NOT: arith.minsi
// CHECK: arith.minnumf %{{.*}}, %{{.*}} : vector<2xf16>
// CHECK: nvvm.barrier #
// PTX: .entry greatest(
// PTX-COUNT-4: ld.global{{.*}}.v2
// PTX-COUNT-8: max.NaN.bf16x2
// PTX: bar{{.*}}red.popc.u32
// PTX: .entry least(
// PTX-COUNT-4: ld.global{{.*}}.v2
// PTX-COUNT-8: min.f16x2
// PTX: bar{{.*}}red.popc.u32
func.func @greatest(%x: tensor<4096x32000xbf16>) -> !p {
  %r = loop.kernel @greatest ins(%a = %x : tensor<4096x32000xbf16>) shared [4096] -> !p {
    %s = loop.sort parallel (%i) in [4096] along (%j) in [32000] keeping [50] at 1 : !p {
      %ones = arith.constant -1 : i16
      %half = arith.constant 16 : i32
      %zero = arith.constant 0 : i32
      %real = arith.constant 0.0 : f32
      %most = arith.constant 2147483647 : i32
      %last = arith.constant 31 : i32
      %e = loop.load %a[%i, %j] : tensor<4096x32000xbf16>
      %f = arith.extf %e : bf16 to f32
      %bits = arith.bitcast %f : f32 to i32
      %sign = arith.shrsi %bits, %last : i32
      %flips = arith.andi %sign, %most : i32
      %k = arith.xori %bits, %flips : i32
      %isZero = arith.cmpf oeq, %f, %real : f32
      %l = arith.select %isZero, %zero, %k : i32
      %isNan = arith.cmpf uno, %f, %f : f32
      %m = arith.select %isNan, %most, %l : i32
      %upper = arith.shrui %m, %half : i32
      %n = arith.trunci %upper : i32 to i16
      %key = arith.xori %n, %ones : i16
      loop.yield %key : i16
    }
    loop.return %s : !p
  }
  return %r : !p
}

func.func @least(%x: tensor<4096x32000xf16>) -> !p {
  %r = loop.kernel @least ins(%a = %x : tensor<4096x32000xf16>) shared [4096] -> !p {
    %s = loop.sort parallel (%i) in [4096] along (%j) in [32000] keeping [50] at 1 : !p {
      %zero = arith.constant 0 : i32
      %real = arith.constant 0.0 : f32
      %most = arith.constant 2147483647 : i32
      %last = arith.constant 31 : i32
      %e = loop.load %a[%i, %j] : tensor<4096x32000xf16>
      %f = arith.extf %e : f16 to f32
      %bits = arith.bitcast %f : f32 to i32
      %sign = arith.shrsi %bits, %last : i32
      %flips = arith.andi %sign, %most : i32
      %k = arith.xori %bits, %flips : i32
      %isZero = arith.cmpf oeq, %f, %real : f32
      %l = arith.select %isZero, %zero, %k : i32
      %isNan = arith.cmpf uno, %f, %f : f32
      %key = arith.select %isNan, %most, %l : i32
      loop.yield %key : i32
    }
    loop.return %s : !p
  }
  return %r : !p
}

// A key in another order is computed of each element.

// CHECK: llvm.func @magnitude(
// CHECK-NOT: arith.m{{.*}}f %
// CHECK: arith.minsi
// CHECK: nvvm.barrier #
func.func @magnitude(%x: tensor<4096x32000xf32>) -> !p {
  %r = loop.kernel @magnitude ins(%a = %x : tensor<4096x32000xf32>) shared [4096] -> !p {
    %s = loop.sort parallel (%i) in [4096] along (%j) in [32000] keeping [50] at 1 : !p {
      %most = arith.constant 2147483647 : i32
      %e = loop.load %a[%i, %j] : tensor<4096x32000xf32>
      %bits = arith.bitcast %e : f32 to i32
      %key = arith.andi %bits, %most : i32
      loop.yield %key : i32
    }
    loop.return %s : !p
  }
  return %r : !p
}

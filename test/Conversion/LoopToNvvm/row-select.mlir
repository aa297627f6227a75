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

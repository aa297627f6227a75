// RUN: kiln-opt %s --split-input-file --convert-loop-to-scf | FileCheck %s

// A result that is streamed is stored past the caches in vectors at aligned addresses,
// wherever it begins; what is before and behind them is stored with masks, as ever.
// Stores of others follow behind a fence.

// CHECK-LABEL: func.func @row
// CHECK: %[[POINTER:.*]] = llvm.ptrtoint
// CHECK: %[[BACK:.*]] = arith.subi %{{.*}}, %[[POINTER]]
// CHECK: arith.andi %[[BACK]], %{{.*}}
// CHECK: scf.for
// CHECK: llvm.store %{{.*}} {alignment = 64 : i64, nontemporal} : vector<16xf32>
// CHECK: scf.for
// CHECK: scf.for
// CHECK: llvm.intr.masked.store %{{.*}} {alignment = 4 : i32}
// CHECK: llvm.call_intrinsic "llvm.x86.sse.sfence"()
// CHECK-NEXT: return

// A line has more of narrow elements.
// CHECK-LABEL: func.func @narrow
// CHECK: {alignment = 64 : i64, nontemporal} : vector<32xbf16>

// Vectors that are less than a line stay in the caches.
// CHECK-LABEL: func.func @scalar
// CHECK-NOT: nontemporal
// CHECK: llvm.call_intrinsic
// So do short rows where one ends within the line that the next one begins with.
// CHECK-LABEL: func.func @shared
// CHECK-NOT: nontemporal
// CHECK: llvm.call_intrinsic
func.func @main(%x: tensor<4x1050xf32>, %y: tensor<64xbf16>, %z: tensor<64xi1>,
                %w: tensor<4x50xf32>)
    -> (tensor<4x1050xf32>, tensor<64xbf16>, tensor<64xi1>, tensor<4x50xf32>) {
  %r = loop.kernel @row ins(%a = %x : tensor<4x1050xf32>) shared [4]
      schedule #loop.within<along = [16], beside = [1], sum_block = 0,
                            masked = true, grain = 1, stream = [0]>
      -> tensor<4x1050xf32> {
    %p = loop.pointwise (%i, %j) in [4, 1050] : tensor<4x1050xf32> {
      %v = loop.load %a[%i, %j] : tensor<4x1050xf32>
      %n = arith.negf %v : f32
      loop.yield %n : f32
    }
    loop.return %p : tensor<4x1050xf32>
  }
  %s = loop.kernel @narrow ins(%a = %y : tensor<64xbf16>) shared [64]
      schedule #loop.across<lanes = 32, chunk = 32, sum_block = 0,
                            masked = false, grain = 1, stream = [0]>
      -> tensor<64xbf16> {
    %p = loop.pointwise (%i) in [64] : tensor<64xbf16> {
      %v = loop.load %a[%i] : tensor<64xbf16>
      %n = arith.negf %v : bf16
      loop.yield %n : bf16
    }
    loop.return %p : tensor<64xbf16>
  }
  %t = loop.kernel @scalar ins(%a = %z : tensor<64xi1>) shared [64]
      schedule #loop.across<lanes = 8, chunk = 32, sum_block = 0,
                            masked = false, grain = 1, stream = [0]>
      -> tensor<64xi1> {
    %p = loop.pointwise (%i) in [64] : tensor<64xi1> {
      %v = loop.load %a[%i] : tensor<64xi1>
      %true = arith.constant true
      %n = arith.xori %v, %true : i1
      loop.yield %n : i1
    }
    loop.return %p : tensor<64xi1>
  }
  %u = loop.kernel @shared ins(%a = %w : tensor<4x50xf32>) shared [4]
      schedule #loop.within<along = [16], beside = [1], sum_block = 0,
                            masked = true, grain = 1, stream = [0]>
      -> tensor<4x50xf32> {
    %p = loop.pointwise (%i, %j) in [4, 50] : tensor<4x50xf32> {
      %v = loop.load %a[%i, %j] : tensor<4x50xf32>
      %n = arith.negf %v : f32
      loop.yield %n : f32
    }
    loop.return %p : tensor<4x50xf32>
  }
  return %r, %s, %t, %u : tensor<4x1050xf32>, tensor<64xbf16>, tensor<64xi1>, tensor<4x50xf32>
}

// -----

// Lines of a tile are looked at one by one.
// CHECK-LABEL: func.func @turned
// CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint
// CHECK: %[[BITS:.*]] = arith.andi %[[ADDRESS]]
// CHECK: %[[ALIGNED:.*]] = arith.cmpi eq, %[[BITS]]
// CHECK: scf.if %[[ALIGNED]] {
// CHECK: llvm.store %{{.*}} {alignment = 64 : i64, nontemporal} : vector<16xf32>
// CHECK: } else {
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : vector<16xf32>
// CHECK: llvm.call_intrinsic "llvm.x86.sse.sfence"()

// Where rows end within a line there are masks.
// CHECK-LABEL: func.func @ends
// CHECK-NOT: nontemporal
// CHECK: llvm.call_intrinsic
func.func @main(%x: tensor<64x32xf32>, %y: tensor<50x32xf32>)
    -> (tensor<32x64xf32>, tensor<32x50xf32>) {
  %r = loop.kernel @turned ins(%a = %x : tensor<64x32xf32>) shared [32, 64]
      schedule #loop.transpose<dim = 0, lanes = 16, block = 32, grain = 1,
                               stream = [0]>
      -> tensor<32x64xf32> {
    %p = loop.pointwise (%i, %j) in [32, 64] : tensor<32x64xf32> {
      %v = loop.load %a[%j, %i] : tensor<64x32xf32>
      loop.yield %v : f32
    }
    loop.return %p : tensor<32x64xf32>
  }
  %s = loop.kernel @ends ins(%a = %y : tensor<50x32xf32>) shared [32, 50]
      schedule #loop.transpose<dim = 0, lanes = 16, block = 32, grain = 1,
                               stream = [0]>
      -> tensor<32x50xf32> {
    %p = loop.pointwise (%i, %j) in [32, 50] : tensor<32x50xf32> {
      %v = loop.load %a[%j, %i] : tensor<50x32xf32>
      loop.yield %v : f32
    }
    loop.return %p : tensor<32x50xf32>
  }
  return %r, %s : tensor<32x64xf32>, tensor<32x50xf32>
}

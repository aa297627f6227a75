// RUN: kiln-opt %s --convert-loop-to-scf --canonicalize --cse | FileCheck %s

// Where lanes read is said by 32 bits, beyond an address that all of them have; and two
// channels, which are walked together, have one position in the image: it is computed once.
// CHECK-LABEL: func.func @sample
// CHECK: scf.for
// CHECK: scf.for
// CHECK: llvm.load %{{.+}} : !llvm.ptr -> vector<16xi32>
// CHECK: arith.muli %{{.+}} : vector<16xi32>
// CHECK: %[[OFFSETS:.+]] = arith.addi %{{.+}} : vector<16xi32>
// CHECK: llvm.getelementptr %{{.+}}[%[[OFFSETS]]] : (!llvm.ptr, vector<16xi32>) -> vector<16x!llvm.ptr>, f32
// CHECK: llvm.intr.masked.gather
// CHECK: llvm.store
// CHECK-NOT: vector<16xi32>
// CHECK: llvm.getelementptr %{{.+}}[%[[OFFSETS]]]
// CHECK: llvm.intr.masked.gather
// CHECK: llvm.store
func.func @sample(%x: tensor<8x40x50xf32>, %y: tensor<64xi32>, %z: tensor<64xi32>)
    -> tensor<8x64xf32> {
  %r = loop.kernel @sample ins(%a = %x : tensor<8x40x50xf32>, %b = %y : tensor<64xi32>,
                               %c = %z : tensor<64xi32>)
      shared [8, 64]
      schedule #loop.across<lanes = 16, chunk = 64, sum_block = 0, masked = true,
                            grain = 1, points = 2> -> tensor<8x64xf32> {
    %p = loop.pointwise (%i, %j) in [8, 64] : tensor<8x64xf32> {
      %zero = arith.constant 0.0 : f32
      %c0 = arith.constant 0 : index
      %h = loop.load %b[%j] : tensor<64xi32>
      %w = loop.load %c[%j] : tensor<64xi32>
      %m = arith.index_cast %h : i32 to index
      %n = arith.index_cast %w : i32 to index
      %inside = arith.cmpi sge, %m, %c0 : index
      %e = loop.load %a[%i, %m, %n] mask %inside, %zero : tensor<8x40x50xf32>
      loop.yield %e : f32
    }
    loop.return %p : tensor<8x64xf32>
  }
  return %r : tensor<8x64xf32>
}

// Of a tensor whose sizes are not known it is not.
// CHECK-LABEL: func.func @unknown
// CHECK: llvm.getelementptr %{{.+}}[%{{.+}}] : (!llvm.ptr, vector<16xi64>) -> vector<16x!llvm.ptr>, f32
func.func @dynamic(%x: tensor<?xf32, #guard.shape<[s0]>>, %y: tensor<64xi32>)
    -> tensor<64xf32> {
  %r = loop.kernel @unknown ins(%a = %x : tensor<?xf32, #guard.shape<[s0]>>, %b = %y : tensor<64xi32>)
      shared [64]
      schedule #loop.across<lanes = 16, chunk = 64, sum_block = 0, masked = true,
                            grain = 1> -> tensor<64xf32> {
    %p = loop.pointwise (%j) in [64] : tensor<64xf32> {
      %h = loop.load %b[%j] : tensor<64xi32>
      %m = arith.index_cast %h : i32 to index
      %e = loop.load %a[%m] : tensor<?xf32, #guard.shape<[s0]>>
      loop.yield %e : f32
    }
    loop.return %p : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}

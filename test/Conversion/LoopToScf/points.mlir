// RUN: kiln-opt %s --convert-loop-to-scf --cse | FileCheck %s

// Two points of a row go through the window together: accumulators of both are carried,
// and where padding is read there is no branch but another address. 7 points in rows of
// 4 items: the last item has one, which is walked alone.
// CHECK-LABEL: func.func @main
// CHECK: loop.launch @kernels::@window({{.*}}) symbols [] work 20 grain 1 scratch 128
// CHECK-LABEL: func.func @window
// CHECK: %[[PAD:.+]] = llvm.getelementptr %arg4[
// CHECK: llvm.store %{{.+}}, %[[PAD]] {{.*}} : vector<32xf32>, !llvm.ptr
// CHECK: scf.for
// CHECK: scf.if
// CHECK: scf.for {{.*}} iter_args({{.*}}) -> (vector<16xf32>, vector<16xf32>)
// CHECK-NOT: scf.if
// CHECK: arith.select %{{.+}}, %{{.+}}, %[[PAD]] : !llvm.ptr
// CHECK-NOT: scf.if
// CHECK: scf.yield
// CHECK: } else {
// CHECK-NEXT: scf.for
// CHECK: scf.if %{{.+}} -> (vector<16xf32>)
func.func @main(%x: tensor<1x5x7x16xf32>, %w: tensor<3x3x16xf32>)
    -> tensor<1x5x7x16xf32> {
  %r = loop.kernel @window ins(%a = %x : tensor<1x5x7x16xf32>,
                               %b = %w : tensor<3x3x16xf32>)
      shared [1, 5, 7, 16]
      schedule #loop.across<lanes = 16, chunk = 16, sum_block = 128, masked = true,
                            grain = 1, points = 2> -> tensor<1x5x7x16xf32> {
    %s = loop.contract parallel [1, 5, 7, 16] reduction [3, 3]
        lhs %a[d0, d1 + d4 - 1, d2 + d5 - 1, d3] : tensor<1x5x7x16xf32>
            mask and(le(1, d1 + d4), lt(d1 + d4 - 1, 5), le(1, d2 + d5), lt(d2 + d5 - 1, 7))
        rhs %b[d4, d5, d3] : tensor<3x3x16xf32> mask 1
        acc f32 : tensor<1x5x7x16xf32>
    loop.return %s : tensor<1x5x7x16xf32>
  }
  return %r : tensor<1x5x7x16xf32>
}

// RUN: kiln-opt %s --loop-pad-rows --loop-pack-operands --loop-choose-schedule --split-input-file | FileCheck %s
// RUN: sed s/sm_90a/sm_80/ %s | kiln-opt --loop-pad-rows --split-input-file | FileCheck %s --check-prefix=OTHER

// Rows of 2,005 logits, which a forward saves, get lines of their own in both functions, and so
// does what the backward makes of them. A thread stores eight of them, and nothing is copied.

// CHECK-LABEL: func.func @forward
// CHECK-SAME: -> (tensor<1024xf32>, tensor<1024x2048xbf16> {loop.carried = "l"})
// CHECK: %[[L:.*]] = loop.kernel @logits
// CHECK-SAME: #loop.gpu_product<unit = wgmma, {{.*}} lanes = 8,
// CHECK-SAME: -> tensor<1024x2048xbf16>
// CHECK: loop.contract parallel [1024, 2005] reduction [768] {{.*}} : tensor<1024x2005xbf16>
// CHECK: loop.kernel @sums ins(%{{.*}} = %[[L]] : tensor<1024x2048xbf16>) shared [1024]
// CHECK-SAME: lanes = 8
// CHECK: loop.load %{{.*}}[%i, %j] : tensor<1024x2048xbf16>
// CHECK: return %{{.*}}, %[[L]]
// CHECK-LABEL: func.func @backward(
// CHECK-SAME: %[[S:.*]]: tensor<1024x2048xbf16> {loop.carried = "l"}
// CHECK: %[[G:.*]] = loop.kernel @gradient ins(%{{.*}} = %[[S]] : tensor<1024x2048xbf16>)
// CHECK-SAME: -> tensor<1024x2048xbf16>
// CHECK: loop.pointwise (%i, %j) in [1024, 2005] : tensor<1024x2005xbf16>
// CHECK-NOT: loop.pointwise
// CHECK: loop.kernel @left ins(%{{.*}} = %[[G]] : tensor<1024x2048xbf16>
// CHECK-SAME: unit = wgmma
// CHECK-NOT: loop.pointwise
// CHECK: loop.kernel @right ins(%{{.*}} = %[[G]] : tensor<1024x2048xbf16>
// CHECK-SAME: unit = wgmma
// OTHER-LABEL: func.func @forward
// OTHER-NOT: 1024x2048
module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  func.func @forward(%x: tensor<1024x768xbf16>, %w: tensor<2005x768xbf16>) -> (tensor<1024xf32>, tensor<1024x2005xbf16> {loop.carried = "l"}) {
    %l = loop.kernel @logits ins(%a = %x : tensor<1024x768xbf16>, %b = %w : tensor<2005x768xbf16>) shared [] -> tensor<1024x2005xbf16> {
      %c = loop.contract parallel [1024, 2005] reduction [768]
          lhs %a[d0, d2] : tensor<1024x768xbf16> rhs %b[d1, d2] : tensor<2005x768xbf16>
          acc f32 : tensor<1024x2005xbf16>
      loop.return %c : tensor<1024x2005xbf16>
    }
    %s = loop.kernel @sums ins(%a = %l : tensor<1024x2005xbf16>) shared [1024] -> tensor<1024xf32> {
      %r = loop.reduce parallel (%i) in [1024] reduction (%j) in [2005] <max> : tensor<1024xf32> {
        %e = loop.load %a[%i, %j] : tensor<1024x2005xbf16>
        %f = arith.extf %e : bf16 to f32
        loop.yield %f : f32
      }
      loop.return %r : tensor<1024xf32>
    }
    return %s, %l : tensor<1024xf32>, tensor<1024x2005xbf16>
  }
  func.func @backward(%l: tensor<1024x2005xbf16> {loop.carried = "l"}, %w: tensor<2005x768xbf16>, %x: tensor<1024x768xbf16>) -> (tensor<1024x768xbf16>, tensor<2005x768xbf16>) {
    %g = loop.kernel @gradient ins(%a = %l : tensor<1024x2005xbf16>) shared [1024] -> tensor<1024x2005xbf16> {
      %r = loop.reduce parallel (%i) in [1024] reduction (%j) in [2005] <max> : tensor<1024xf32> {
        %e = loop.load %a[%i, %j] : tensor<1024x2005xbf16>
        %f = arith.extf %e : bf16 to f32
        loop.yield %f : f32
      }
      %p = loop.pointwise (%i, %j) in [1024, 2005] : tensor<1024x2005xbf16> {
        %e = loop.load %a[%i, %j] : tensor<1024x2005xbf16>
        %f = arith.extf %e : bf16 to f32
        %m = loop.load %r[%i] : tensor<1024xf32>
        %d = arith.subf %f, %m : f32
        %t = arith.truncf %d : f32 to bf16
        loop.yield %t : bf16
      }
      loop.return %p : tensor<1024x2005xbf16>
    }
    %y = loop.kernel @left ins(%a = %g : tensor<1024x2005xbf16>, %b = %w : tensor<2005x768xbf16>) shared [] -> tensor<1024x768xbf16> {
      %c = loop.contract parallel [1024, 768] reduction [2005]
          lhs %a[d0, d2] : tensor<1024x2005xbf16> rhs %b[d2, d1] : tensor<2005x768xbf16>
          acc f32 : tensor<1024x768xbf16>
      loop.return %c : tensor<1024x768xbf16>
    }
    %v = loop.kernel @right ins(%a = %g : tensor<1024x2005xbf16>, %b = %x : tensor<1024x768xbf16>) shared [] -> tensor<2005x768xbf16> {
      %c = loop.contract parallel [2005, 768] reduction [1024]
          lhs %a[d2, d0] : tensor<1024x2005xbf16> rhs %b[d2, d1] : tensor<1024x768xbf16>
          acc f32 : tensor<2005x768xbf16>
      loop.return %c : tensor<2005x768xbf16>
    }
    return %y, %v : tensor<1024x768xbf16>, tensor<2005x768xbf16>
  }
}

// -----

// What a caller gets stays as it is, and so does what walks rows beside it: of one of them
// vectors would be elements.

// CHECK-LABEL: func.func @seen
// CHECK: loop.kernel @logits
// CHECK-SAME: lanes = 1,
// CHECK-SAME: -> tensor<1024x2005xbf16>
// CHECK: loop.kernel @gradient
// CHECK-SAME: -> tensor<1024x2005xbf16>
// CHECK: loop.kernel @left_left
module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  func.func @seen(%x: tensor<1024x768xbf16>, %w: tensor<2005x768xbf16>) -> (tensor<1024x768xbf16>, tensor<1024x2005xbf16>) {
    %l = loop.kernel @logits ins(%a = %x : tensor<1024x768xbf16>, %b = %w : tensor<2005x768xbf16>) shared [] -> tensor<1024x2005xbf16> {
      %c = loop.contract parallel [1024, 2005] reduction [768]
          lhs %a[d0, d2] : tensor<1024x768xbf16> rhs %b[d1, d2] : tensor<2005x768xbf16>
          acc f32 : tensor<1024x2005xbf16>
      loop.return %c : tensor<1024x2005xbf16>
    }
    %g = loop.kernel @gradient ins(%a = %l : tensor<1024x2005xbf16>) shared [1024] -> tensor<1024x2005xbf16> {
      %r = loop.reduce parallel (%i) in [1024] reduction (%j) in [2005] <max> : tensor<1024xf32> {
        %e = loop.load %a[%i, %j] : tensor<1024x2005xbf16>
        %f = arith.extf %e : bf16 to f32
        loop.yield %f : f32
      }
      %p = loop.pointwise (%i, %j) in [1024, 2005] : tensor<1024x2005xbf16> {
        %e = loop.load %a[%i, %j] : tensor<1024x2005xbf16>
        %f = arith.extf %e : bf16 to f32
        %m = loop.load %r[%i] : tensor<1024xf32>
        %d = arith.subf %f, %m : f32
        %t = arith.truncf %d : f32 to bf16
        loop.yield %t : bf16
      }
      loop.return %p : tensor<1024x2005xbf16>
    }
    %y = loop.kernel @left ins(%a = %g : tensor<1024x2005xbf16>, %b = %w : tensor<2005x768xbf16>) shared [] -> tensor<1024x768xbf16> {
      %c = loop.contract parallel [1024, 768] reduction [2005]
          lhs %a[d0, d2] : tensor<1024x2005xbf16> rhs %b[d2, d1] : tensor<2005x768xbf16>
          acc f32 : tensor<1024x768xbf16>
      loop.return %c : tensor<1024x768xbf16>
    }
    return %y, %l : tensor<1024x768xbf16>, tensor<1024x2005xbf16>
  }
}

// -----

// Who walks all elements as one would find them apart; images, whose last dimension is short,
// stay, and so do products that no matrix unit has: f32.

// CHECK-LABEL: func.func @stay
// CHECK: loop.kernel @walked
// CHECK-SAME: -> tensor<1024x2005xbf16>
// CHECK: loop.kernel @image
// CHECK-SAME: -> tensor<64x512x7x7xbf16>
// CHECK: loop.kernel @exact
// CHECK-SAME: -> tensor<1024x2005xf32>
module attributes {loop.target = #loop.gpu<chip = "sm_90a", multiprocessors = 132, threads = 2048, registers = 65536, shared = 232448, l2 = 52428800>} {
  func.func @stay(%x: tensor<1024x768xbf16>, %w: tensor<2005x768xbf16>, %img: tensor<64x256x7x7xbf16>, %taps: tensor<512x256xbf16>, %xf: tensor<1024x768xf32>, %wf: tensor<2005x768xf32>) -> (tensor<1024x2005xbf16>, tensor<64x512xf32>, tensor<1024xf32>) {
    %walked = loop.kernel @walked ins(%a = %x : tensor<1024x768xbf16>, %b = %w : tensor<2005x768xbf16>) shared [] -> tensor<1024x2005xbf16> {
      %c = loop.contract parallel [1024, 2005] reduction [768]
          lhs %a[d0, d2] : tensor<1024x768xbf16> rhs %b[d1, d2] : tensor<2005x768xbf16>
          acc f32 : tensor<1024x2005xbf16>
      loop.return %c : tensor<1024x2005xbf16>
    }
    %n = loop.kernel @negated ins(%a = %walked : tensor<1024x2005xbf16>) shared [1024, 2005] -> tensor<1024x2005xbf16> {
      %p = loop.pointwise (%i, %j) in [1024, 2005] : tensor<1024x2005xbf16> {
        %e = loop.load %a[%i, %j] : tensor<1024x2005xbf16>
        %q = arith.negf %e : bf16
        loop.yield %q : bf16
      }
      loop.return %p : tensor<1024x2005xbf16>
    }
    %y = loop.kernel @image ins(%a = %img : tensor<64x256x7x7xbf16>, %b = %taps : tensor<512x256xbf16>) shared [] -> tensor<64x512x7x7xbf16> {
      %c = loop.contract parallel [64, 512, 7, 7] reduction [256]
          lhs %a[d0, d4, d2, d3] : tensor<64x256x7x7xbf16> rhs %b[d1, d4] : tensor<512x256xbf16>
          acc f32 : tensor<64x512x7x7xbf16>
      loop.return %c : tensor<64x512x7x7xbf16>
    }
    %m = loop.kernel @means ins(%a = %y : tensor<64x512x7x7xbf16>) shared [64, 512] -> tensor<64x512xf32> {
      %r = loop.reduce parallel (%i, %j) in [64, 512] reduction (%k, %l) in [7, 7] <max> : tensor<64x512xf32> {
        %e = loop.load %a[%i, %j, %k, %l] : tensor<64x512x7x7xbf16>
        %f = arith.extf %e : bf16 to f32
        loop.yield %f : f32
      }
      loop.return %r : tensor<64x512xf32>
    }
    %o = loop.kernel @exact ins(%a = %xf : tensor<1024x768xf32>, %b = %wf : tensor<2005x768xf32>) shared [] -> tensor<1024x2005xf32> {
      %c = loop.contract parallel [1024, 2005] reduction [768]
          lhs %a[d0, d2] : tensor<1024x768xf32> rhs %b[d1, d2] : tensor<2005x768xf32>
          acc f32 : tensor<1024x2005xf32>
      loop.return %c : tensor<1024x2005xf32>
    }
    %s = loop.kernel @sums ins(%a = %o : tensor<1024x2005xf32>) shared [1024] -> tensor<1024xf32> {
      %r = loop.reduce parallel (%i) in [1024] reduction (%j) in [2005] <max> : tensor<1024xf32> {
        %e = loop.load %a[%i, %j] : tensor<1024x2005xf32>
        loop.yield %e : f32
      }
      loop.return %r : tensor<1024xf32>
    }
    return %n, %m, %s : tensor<1024x2005xbf16>, tensor<64x512xf32>, tensor<1024xf32>
  }
}

// RUN: kiln-opt %s --loop-set-target="chip=sm_90a l2-bytes=52428800" --loop-choose-schedule --loop-fuse-results --loop-fuse-sums --split-input-file | FileCheck %s
// RUN: kiln-opt %s --loop-set-target="chip=sm_90a l2-bytes=52428800" --loop-choose-schedule --loop-fuse-results --split-input-file --remarks-filter=loop-fuse-results 2>&1 | FileCheck %s --check-prefix=WHY

// Between two layers: the backward wants the elements, the next product what follows them, whose
// rows are two dimensions. Tiles are chosen for both. The sum of columns is of the product's.

// WHY: remark: [Passed] fused | Category:loop-fuse-results | Function=layers | kernel=silu, product=product, results=2
// CHECK-LABEL: func.func @layers
// CHECK: %[[Y:.*]]:3 = loop.kernel @product ins(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %[[B:.*]] = %{{.*}} : tensor<3072xf32>) shared []
// CHECK-SAME: #loop.gpu_product<unit = wgmma, rows = 128, columns = 128, {{.*}}, turns = 2>
// CHECK-SAME: traffic #loop.traffic<read = 11022336, written = 50724864,
// CHECK-SAME: -> (tensor<4096x3072xbf16>, tensor<8x512x3072xbf16>, tensor<32x3072xf32>)
// CHECK: %[[C:.*]] = loop.contract
// CHECK: %[[P:.*]] = loop.pointwise (%i, %j, %k) in [8, 512, 3072] : tensor<8x512x3072xbf16> {
// CHECK: loop.load %[[C]][%i * 512 + %j, %k]
// CHECK: loop.load %[[B]][%k]
// CHECK: %[[S:.*]] = loop.reduce parallel (%i, %j) in [32, 3072] reduction (%k) in [128] <sum>
// CHECK: loop.load %[[C]]
// CHECK: loop.return %[[C]], %[[P]], %[[S]]
// CHECK-NOT: loop.kernel @silu
// CHECK: loop.kernel @next ins(%{{.*}} = %[[Y]]#1 : tensor<8x512x3072xbf16>
// CHECK: return %[[Y]]#0
!x = tensor<4096x768xbf16>
!w = tensor<3072x768xbf16>
!h = tensor<4096x3072xbf16>
!g = tensor<8x512x3072xbf16>
!b = tensor<3072xf32>
!v = tensor<768x3072xbf16>
!y = tensor<8x512x768xbf16>
func.func @layers(%x: !x, %w: !w, %b: !b, %v: !v) -> (!h, !y, !b) {
  %h = loop.kernel @product ins(%a = %x : !x, %c = %w : !w) shared [4096, 3072] -> !h {
    %c0 = loop.contract parallel [4096, 3072] reduction [768]
        lhs %a[d0, d2] : !x rhs %c[d1, d2] : !w acc f32 : !h
    loop.return %c0 : !h
  }
  %g = loop.kernel @silu ins(%a = %h : !h, %n = %b : !b) shared [8, 512, 3072] -> !g {
    %p = loop.pointwise (%i, %j, %k) in [8, 512, 3072] : !g {
      %one = arith.constant 1.0 : f32
      %e = loop.load %a[%i * 512 + %j, %k] : !h
      %f = arith.extf %e : bf16 to f32
      %m = loop.load %n[%k] : !b
      %z = arith.addf %f, %m : f32
      %t = arith.negf %z : f32
      %q = math.exp %t : f32
      %u = arith.addf %q, %one : f32
      %r = arith.divf %z, %u : f32
      %s = arith.truncf %r : f32 to bf16
      loop.yield %s : bf16
    }
    loop.return %p : !g
  }
  %y = loop.kernel @next ins(%a = %g : !g, %c = %v : !v) shared [8, 512, 768] -> !y {
    %c0 = loop.contract parallel [8, 512, 768] reduction [3072]
        lhs %a[d0, d1, d3] : !g rhs %c[d2, d3] : !v acc f32 : !y
    loop.return %c0 : !y
  }
  %s = loop.kernel @bias ins(%a = %h : !h) shared [3072] -> !b {
    %s = loop.reduce parallel (%i) in [3072] reduction (%j) in [4096] <sum> : !b {
      %e = loop.load %a[%j, %i] : !h
      %f = arith.extf %e : bf16 to f32
      loop.yield %f : f32
    }
    loop.return %s : !b
  }
  return %h, %y, %s : !h, !y, !b
}

// -----

// Two nests read the elements, which nobody else wants: they are stored no more. One nest reads
// what the other makes, and both have a type of their own.

// WHY: remark: [Passed] fused | Category:loop-fuse-results | Function=both | kernel=halves, product=product, results=2
// CHECK-LABEL: func.func @both
// CHECK: loop.kernel @product
// CHECK-SAME: -> (tensor<2048x1024xf32>, tensor<2048x1024xbf16>)
// CHECK: %[[C:.*]] = loop.contract
// CHECK: %[[P:.*]] = loop.pointwise {{.*}} : tensor<2048x1024xf32>
// CHECK: loop.load %[[C]][%i, %j]
// CHECK: %[[Q:.*]] = loop.pointwise {{.*}} : tensor<2048x1024xbf16>
// CHECK-DAG: loop.load %[[C]][%i, %j]
// CHECK-DAG: loop.load %[[P]][%i, %j]
// CHECK: loop.return %[[P]], %[[Q]]
!x = tensor<2048x512xbf16>
!w = tensor<512x1024xbf16>
!h = tensor<2048x1024xbf16>
!f = tensor<2048x1024xf32>
func.func @both(%x: !x, %w: !w) -> (!f, !h) {
  %h = loop.kernel @product ins(%a = %x : !x, %b = %w : !w) shared [2048, 1024] -> !h {
    %c = loop.contract parallel [2048, 1024] reduction [512]
        lhs %a[d0, d2] : !x rhs %b[d2, d1] : !w acc f32 : !h
    loop.return %c : !h
  }
  %r:2 = loop.kernel @halves ins(%a = %h : !h) shared [2048, 1024] -> (!f, !h) {
    %half = arith.constant 0.5 : f32
    %p = loop.pointwise (%i, %j) in [2048, 1024] : !f {
      %e = loop.load %a[%i, %j] : !h
      %f = arith.extf %e : bf16 to f32
      %m = arith.mulf %f, %half : f32
      loop.yield %m : f32
    }
    %q = loop.pointwise (%i, %j) in [2048, 1024] : !h {
      %e = loop.load %a[%i, %j] : !h
      %f = arith.extf %e : bf16 to f32
      %o = loop.load %p[%i, %j] : !f
      %m = arith.addf %f, %o : f32
      %t = arith.truncf %m : f32 to bf16
      loop.yield %t : bf16
    }
    loop.return %p, %q : !f, !h
  }
  return %r#0, %r#1 : !f, !h
}

// -----

// A gate reads two products and follows the later one, where the earlier one is there. What reads
// something that is made behind its product takes this with it.

// WHY: remark: [Passed] fused | Category:loop-fuse-results | Function=gate | kernel=gate, product=late, results=2
// WHY: remark: [Passed] fused | Category:loop-fuse-results | Function=gate | kernel=behind, product=early, results=2
// CHECK-LABEL: func.func @gate
// CHECK: %[[M:.*]] = loop.kernel @made
// CHECK: %[[E:.*]]:2 = loop.kernel @early ins({{.*}} = %[[M]] : tensor<2048x1024xbf16>)
// CHECK: loop.kernel @late ins({{.*}} = %[[E]]#0 : tensor<2048x1024xbf16>)
// CHECK-NOT: loop.kernel
!x = tensor<2048x512xbf16>
!w = tensor<512x1024xbf16>
!h = tensor<2048x1024xbf16>
func.func @gate(%x: !x, %w: !w, %v: !w, %z: !h) -> (!h, !h, !h, !h) {
  %e = loop.kernel @early ins(%a = %x : !x, %b = %w : !w) shared [2048, 1024] -> !h {
    %c = loop.contract parallel [2048, 1024] reduction [512]
        lhs %a[d0, d2] : !x rhs %b[d2, d1] : !w acc f32 : !h
    loop.return %c : !h
  }
  %m = loop.kernel @made ins(%a = %z : !h) shared [2048, 1024] -> !h {
    %p = loop.pointwise (%i, %j) in [2048, 1024] : !h {
      %e0 = loop.load %a[%i, %j] : !h
      %n = arith.negf %e0 : bf16
      loop.yield %n : bf16
    }
    loop.return %p : !h
  }
  %k = loop.kernel @behind ins(%a = %e : !h, %b = %m : !h) shared [2048, 1024] -> !h {
    %p = loop.pointwise (%i, %j) in [2048, 1024] : !h {
      %e0 = loop.load %a[%i, %j] : !h
      %e1 = loop.load %b[%i, %j] : !h
      %n = arith.addf %e0, %e1 : bf16
      loop.yield %n : bf16
    }
    loop.return %p : !h
  }
  %l = loop.kernel @late ins(%a = %x : !x, %b = %v : !w) shared [2048, 1024] -> !h {
    %c = loop.contract parallel [2048, 1024] reduction [512]
        lhs %a[d0, d2] : !x rhs %b[d2, d1] : !w acc f32 : !h
    loop.return %c : !h
  }
  %g = loop.kernel @gate ins(%a = %e : !h, %b = %l : !h) shared [2048, 1024] -> !h {
    %p = loop.pointwise (%i, %j) in [2048, 1024] : !h {
      %e0 = loop.load %a[%i, %j] : !h
      %e1 = loop.load %b[%i, %j] : !h
      %n = arith.mulf %e0, %e1 : bf16
      loop.yield %n : bf16
    }
    loop.return %p : !h
  }
  return %e, %k, %l, %g : !h, !h, !h, !h
}

// -----

// A schedule that somebody gave stays, also of parts of a sum.

// CHECK-LABEL: func.func @given
// CHECK: loop.kernel @product
// CHECK-SAME: #loop.gpu_product<unit = wgmma, rows = 64, columns = 128, {{.*}} split = 2,
// CHECK-SAME: -> (tensor<1024x512xbf16>, tensor<1024x512xbf16>)
// CHECK-NOT: loop.kernel
!x = tensor<1024x8192xbf16>
!w = tensor<8192x512xbf16>
!h = tensor<1024x512xbf16>
func.func @given(%x: !x, %w: !w) -> (!h, !h) {
  %h = loop.kernel @product ins(%a = %x : !x, %b = %w : !w) shared [1024, 512]
      schedule #loop.gpu_product<unit = wgmma, rows = 64, columns = 128, sum = 64, part_rows = 64, part_columns = 128,
                                 stages = 4, lanes = 8, group = 8, split = 2, blocks = 132> -> !h {
    %c = loop.contract parallel [1024, 512] reduction [8192]
        lhs %a[d0, d2] : !x rhs %b[d2, d1] : !w acc f32 : !h
    loop.return %c : !h
  }
  %n = loop.kernel @negated ins(%a = %h : !h) shared [1024, 512] -> !h {
    %p = loop.pointwise (%i, %j) in [1024, 512] : !h {
      %e = loop.load %a[%i, %j] : !h
      %f = arith.negf %e : bf16
      loop.yield %f : bf16
    }
    loop.return %p : !h
  }
  return %h, %n : !h, !h
}

// -----

// Elements of another point are another thread's; so is what is read across, or where memory says.

// WHY-COUNT-2: remark: [Missed] not-fused | Category:loop-fuse-results | Function=others | Reason="it reads other elements of the product than that of its point", kernel={{shifted|turned}}, product=product
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: loop.kernel
!x = tensor<1024x512xbf16>
!w = tensor<512x1024xbf16>
!h = tensor<1024x1024xbf16>
func.func @others(%x: !x, %w: !w) -> (!h, !h, !h) {
  %h = loop.kernel @product ins(%a = %x : !x, %b = %w : !w) shared [1024, 1024] -> !h {
    %c = loop.contract parallel [1024, 1024] reduction [512]
        lhs %a[d0, d2] : !x rhs %b[d2, d1] : !w acc f32 : !h
    loop.return %c : !h
  }
  %s = loop.kernel @shifted ins(%a = %h : !h) shared [1024, 1024] -> !h {
    %p = loop.pointwise (%i, %j) in [1024, 1024] : !h {
      %e = loop.load %a[mod(%i + 1, 1024), %j] : !h
      %f = arith.negf %e : bf16
      loop.yield %f : bf16
    }
    loop.return %p : !h
  }
  %t = loop.kernel @turned ins(%a = %h : !h) shared [1024, 1024] -> !h {
    %p = loop.pointwise (%i, %j) in [1024, 1024] : !h {
      %e = loop.load %a[%j, %i] : !h
      %f = arith.negf %e : bf16
      loop.yield %f : bf16
    }
    loop.return %p : !h
  }
  return %h, %s, %t : !h, !h, !h
}

// -----

// WHY: remark: [Missed] not-fused | Category:loop-fuse-results | Function=looked_up | Reason="its points are not the elements of the product", kernel=first, product=product
// WHY: remark: [Missed] not-fused | Category:loop-fuse-results | Function=looked_up | Reason="it reads at computed positions", kernel=looked_up, product=product
// CHECK-LABEL: func.func @looked_up
// CHECK-COUNT-3: loop.kernel
!x = tensor<1024x512xbf16>
!w = tensor<512x1024xbf16>
!h = tensor<1024x1024xbf16>
!n = tensor<1024xi64>
!f = tensor<512x1024xbf16>
func.func @looked_up(%x: !x, %w: !w, %n: !n) -> (!h, !h, !f) {
  %h = loop.kernel @product ins(%a = %x : !x, %b = %w : !w) shared [1024, 1024] -> !h {
    %c = loop.contract parallel [1024, 1024] reduction [512]
        lhs %a[d0, d2] : !x rhs %b[d2, d1] : !w acc f32 : !h
    loop.return %c : !h
  }
  %s = loop.kernel @looked_up ins(%a = %h : !h, %t = %w : !w, %o = %n : !n) shared [1024, 1024] -> !h {
    %p = loop.pointwise (%i, %j) in [1024, 1024] : !h {
      %c0 = arith.constant 0 : index
      %c511 = arith.constant 511 : index
      %e = loop.load %a[%i, %j] : !h
      %u = loop.load %o[%i] : !n
      %k = arith.index_cast %u : i64 to index
      %l = arith.maxsi %k, %c0 : index
      %m = arith.minsi %l, %c511 : index
      %g = loop.load %t[%m, %j] : !w
      %f = arith.mulf %e, %g : bf16
      loop.yield %f : bf16
    }
    loop.return %p : !h
  }
  %f = loop.kernel @first ins(%a = %h : !h) shared [512, 1024] -> !f {
    %p = loop.pointwise (%i, %j) in [512, 1024] : !f {
      %e = loop.load %a[%i, %j] : !h
      %g = arith.negf %e : bf16
      loop.yield %g : bf16
    }
    loop.return %p : !f
  }
  return %h, %s, %f : !h, !h, !f
}

// -----

// A parameter is updated where it lies, which tiles that others still read are not. What reads a
// product before a reader is made ready for it keeps both where they are.

// WHY: remark: [Missed] not-fused | Category:loop-fuse-results | Function=update | Reason="it is written over what it reads", kernel=update, product=product
// WHY: remark: [Missed] not-fused | Category:loop-fuse-results | Function=between | Reason="it reads what is made behind the product, which others read before", kernel=sum, product=product
// CHECK-LABEL: func.func @update
// CHECK: loop.kernel @update
!x = tensor<512x1024xbf16>
!w = tensor<512x1024xbf16>
!h = tensor<1024x1024xbf16>
func.func @update(%x: !x, %w: !w, %o: !h) -> (!h, !h) {
  %h = loop.kernel @product ins(%a = %x : !x, %b = %w : !w) shared [1024, 1024] -> !h {
    %c = loop.contract parallel [1024, 1024] reduction [512]
        lhs %a[d2, d0] : !x rhs %b[d2, d1] : !w acc f32 : !h
    loop.return %c : !h
  }
  %s = loop.kernel @update ins(%a = %h : !h, %b = %o : !h) shared [1024, 1024] -> !h {
    %p = loop.pointwise (%i, %j) in [1024, 1024] : !h {
      %e = loop.load %a[%i, %j] : !h
      %f = loop.load %b[%i, %j] : !h
      %g = arith.subf %f, %e : bf16
      loop.yield %g : bf16
    }
    loop.return %p : !h
  }
  return %h, %s : !h, !h
}

// CHECK-LABEL: func.func @between
// CHECK: loop.kernel @product
// CHECK: loop.kernel @largest
// CHECK: loop.kernel @sum
func.func @between(%x: !x, %w: !w) -> (!h, !h) {
  %h = loop.kernel @product ins(%a = %x : !x, %b = %w : !w) shared [1024, 1024] -> !h {
    %c = loop.contract parallel [1024, 1024] reduction [512]
        lhs %a[d2, d0] : !x rhs %b[d2, d1] : !w acc f32 : !h
    loop.return %c : !h
  }
  %m = loop.kernel @largest ins(%a = %h : !h) shared [1024] -> tensor<1024xbf16> {
    %s = loop.reduce parallel (%i) in [1024] reduction (%j) in [1024] <max> : tensor<1024xbf16> {
      %e = loop.load %a[%i, %j] : !h
      loop.yield %e : bf16
    }
    loop.return %s : tensor<1024xbf16>
  }
  %s = loop.kernel @sum ins(%a = %h : !h, %b = %m : tensor<1024xbf16>) shared [1024, 1024] -> !h {
    %p = loop.pointwise (%i, %j) in [1024, 1024] : !h {
      %e = loop.load %a[%i, %j] : !h
      %f = loop.load %b[%i] : tensor<1024xbf16>
      %g = arith.subf %e, %f : bf16
      loop.yield %g : bf16
    }
    loop.return %p : !h
  }
  return %h, %s : !h, !h
}

// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-repeat-rows --loop-choose-schedule --split-input-file | FileCheck %s
// RUN: kiln-opt %s --loop-set-target=chip=sm_90a --loop-repeat-rows -o /dev/null --split-input-file --remarks-filter=loop-repeat-rows 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: kiln-opt %s --loop-repeat-rows --split-input-file | FileCheck %s --check-prefix=CPU

// Each of 3072 dot products normalizes its row, which a warp keeps in registers.

// REMARK: remark: [Passed] repeated | Category:loop-repeat-rows | Function=norm | kernel=product, row=norm
// REMARK-NOT: remark
// CPU-LABEL: func.func @norm
// CPU: loop.kernel @norm
// CPU: loop.contract
// CHECK-LABEL: func.func @norm
// CHECK-SAME: %[[X:arg[0-9]]]: {{[^%]*}}%[[W:arg[0-9]]]:
// CHECK-NOT: @norm
// CHECK: loop.kernel @product ins(%[[B:.*]] = %[[W]] : tensor<3072x768xbf16>, %[[A:.*]] = %[[X]] : tensor<1x768xbf16>) shared [1, 3072]
// CHECK-SAME: #loop.gpu_rows<threads = 32, rows = 4, lanes = 8, steps = 3>
// CHECK: %[[S:.*]] = loop.reduce parallel (%i, %j, %k) in [1, 3072, 1] reduction (%l) in [768] <sum>
// CHECK: loop.load %[[A]][%k, %l]
// CHECK: %[[N:.*]] = loop.pointwise (%i, %j, %k, %l) in [1, 3072, 1, 768] : tensor<1x3072x1x768xbf16>
// CHECK: loop.load %[[S]][%i, %j, %k]
// CHECK: %[[D:.*]] = loop.reduce parallel (%i, %j) in [1, 3072] reduction (%k) in [768] <sum>
// CHECK-DAG: loop.load %[[N]][%i, %j, 0, %k]
// CHECK-DAG: loop.load %[[B]][%j, %k]
// CHECK: loop.pointwise (%i, %j) in [1, 3072]
// CHECK: loop.load %[[D]][%i, %j]
!x = tensor<1x768xbf16>
!w = tensor<3072x768xbf16>
!y = tensor<1x3072xbf16>
func.func @norm(%x: !x, %w: !w) -> !y {
  %n = loop.kernel @norm ins(%a = %x : !x) shared [1] -> !x {
    %s = loop.reduce parallel (%i) in [1] reduction (%j) in [768] <sum> : tensor<1xf32> {
      %e = loop.load %a[%i, %j] : !x
      %f = arith.extf %e : bf16 to f32
      %g = arith.mulf %f, %f : f32
      loop.yield %g : f32
    }
    %p = loop.pointwise (%i, %j) in [1, 768] : !x {
      %e = loop.load %a[%i, %j] : !x
      %f = arith.extf %e : bf16 to f32
      %t = loop.load %s[%i] : tensor<1xf32>
      %r = math.rsqrt %t : f32
      %g = arith.mulf %f, %r : f32
      %h = arith.truncf %g : f32 to bf16
      loop.yield %h : bf16
    }
    loop.return %p : !x
  }
  %r = loop.kernel @product ins(%a = %n : !x, %b = %w : !w) shared [1, 3072] -> !y {
    %c = loop.contract parallel [1, 3072] reduction [768] lhs %a[0, d2] : !x rhs %b[d1, d2] : !w acc f32 : !y
        epilogue (%acc, %i, %j) {
      %h = arith.truncf %acc : f32 to bf16
      loop.yield %h : bf16
    }
    loop.return %c : !y
  }
  return %r : !y
}

// -----

// A row that others read, too, has its kernel anyway; two rows are no row.

// CPU-LABEL: func.func @read_twice
// CHECK-LABEL: func.func @read_twice
// CHECK: loop.kernel @norm
// CHECK: loop.contract
// CHECK-LABEL: func.func @two
// CHECK: loop.kernel @two
// CHECK: loop.contract
!x = tensor<1x768xbf16>
!w = tensor<3072x768xbf16>
!y = tensor<1x3072xbf16>
func.func @read_twice(%x: !x, %w: !w) -> (!x, !y) {
  %n = loop.kernel @norm ins(%a = %x : !x) shared [1] -> !x {
    %p = loop.pointwise (%i, %j) in [1, 768] : !x {
      %e = loop.load %a[%i, %j] : !x
      %f = math.exp %e : bf16
      loop.yield %f : bf16
    }
    loop.return %p : !x
  }
  %r = loop.kernel @product ins(%a = %n : !x, %b = %w : !w) shared [1, 3072] -> !y {
    %c = loop.contract parallel [1, 3072] reduction [768] lhs %a[0, d2] : !x rhs %b[d1, d2] : !w acc f32 : !y
        epilogue (%acc, %i, %j) {
      %h = arith.truncf %acc : f32 to bf16
      loop.yield %h : bf16
    }
    loop.return %c : !y
  }
  return %n, %r : !x, !y
}
!x2 = tensor<2x768xbf16>
!y2 = tensor<2x3072xbf16>
func.func @two(%x: !x2, %w: !w) -> !y2 {
  %n = loop.kernel @two ins(%a = %x : !x2) shared [2] -> !x2 {
    %p = loop.pointwise (%i, %j) in [2, 768] : !x2 {
      %e = loop.load %a[%i, %j] : !x2
      %f = math.exp %e : bf16
      loop.yield %f : bf16
    }
    loop.return %p : !x2
  }
  %r = loop.kernel @product ins(%a = %n : !x2, %b = %w : !w) shared [2, 3072] -> !y2 {
    %c = loop.contract parallel [2, 3072] reduction [768] lhs %a[d0, d2] : !x2 rhs %b[d1, d2] : !w acc f32 : !y2
        epilogue (%acc, %i, %j) {
      %h = arith.truncf %acc : f32 to bf16
      loop.yield %h : bf16
    }
    loop.return %c : !y2
  }
  return %r : !y2
}

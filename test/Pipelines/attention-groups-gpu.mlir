// RUN: kiln-opt %s --pass-pipeline='builtin.module(kiln-core,kiln-loop{chip=sm_90a},convert-loop-to-nvvm)' | FileCheck %s

// A token whose heads share keys is two kernels on a GPU, parts of the keys and what joins
// them: the second rounds, multiplies with a gate, and has the sizes that are asked for.

!q = tensor<4x32x1x128xbf16>
!k = tensor<4x8x4096x128xbf16>
!r = tensor<4x1x4096xbf16>

// CHECK-LABEL: func.func @token
// CHECK: %[[R:.*]] = loop.launch_grid(%arg0, %arg1, %arg2) steps [#loop.step<kernel = @[[PARTS:.*]]_parts, {{.*}}, #loop.step<kernel = @[[PARTS]], {{.*}} -> tensor<4x32x1x128xbf16>
// CHECK-NEXT: return %[[R]]
func.func @token(%q: !q, %k: !k, %v: !k) -> !q {
  %0 = aten.scaled_dot_product_attention(%q, %k, %v, enable_gqa = true) : (!q, !k, !k) -> !q
  return %0 : !q
}

// CHECK-LABEL: func.func @gated
// CHECK: %[[R:.*]] = loop.launch_grid({{[^)]*}}) steps [#loop.step<kernel = @[[PARTS:.*]]_parts, {{.*}}, #loop.step<kernel = @[[PARTS]], {{.*}} -> tensor<4x32x1x128xbf16>
// CHECK-NEXT: return %[[R]]
func.func @gated(%q: !q, %k: !k, %v: !k, %g: !q) -> !q {
  %0 = aten.scaled_dot_product_attention(%q, %k, %v, enable_gqa = true) : (!q, !k, !k) -> !q
  %1 = aten.sigmoid(%g) : (!q) -> !q
  %2 = aten.mul.Tensor(%0, %1) : (!q, !q) -> !q
  return %2 : !q
}

// CHECK-LABEL: func.func @heads_as_columns
// CHECK: %[[R:.*]] = loop.launch_grid(%arg0, %arg1, %arg2) steps [#loop.step<kernel = @[[PARTS:.*]]_parts, {{.*}}, #loop.step<kernel = @[[PARTS]], {{.*}} -> tensor<4x1x4096xbf16>
// CHECK-NEXT: return %[[R]]
func.func @heads_as_columns(%q: !q, %k: !k, %v: !k) -> !r {
  %0 = aten.scaled_dot_product_attention(%q, %k, %v, enable_gqa = true) : (!q, !k, !k) -> !q
  %1 = aten.transpose.int(%0, dim0 = 1, dim1 = 2) : (!q) -> tensor<4x1x32x128xbf16>
  %2 = aten.view(%1, size = [4, 1, 4096]) : (tensor<4x1x32x128xbf16>) -> !r
  return %2 : !r
}

// All tokens of a text whose heads have keys of their own are one kernel, which writes
// heads as columns of rows.

!t = tensor<2x8x512x64xbf16>
!c = tensor<2x512x512xbf16>

// CHECK-LABEL: func.func @text
// CHECK: %[[R:.*]] = loop.launch_grid(%arg0, %arg1, %arg2) steps [#loop.step<kernel = @{{[^@]*}} -> tensor<2x512x512xbf16>
// CHECK-NEXT: return %[[R]]
func.func @text(%q: !t, %k: !t, %v: !t) -> !c {
  %0 = aten.scaled_dot_product_attention(%q, %k, %v, is_causal = true) : (!t, !t, !t) -> !t
  %1 = aten.transpose.int(%0, dim0 = 1, dim1 = 2) : (!t) -> tensor<2x512x8x64xbf16>
  %2 = aten.clone(%1) : (tensor<2x512x8x64xbf16>) -> tensor<2x512x8x64xbf16>
  %3 = aten.view(%2, size = [2, 512, 512]) : (tensor<2x512x8x64xbf16>) -> !c
  return %3 : !c
}

// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(aten-save-sums{types=f32}))' --split-input-file | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(aten-save-sums{types=f32}))' --split-input-file | kiln-opt --split-input-file | FileCheck %s

// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(aten-save-sums{types=bf16,f16}))' --split-input-file | FileCheck %s --check-prefix=NARROW
// RUN: not kiln-opt %s --pass-pipeline='builtin.module(func.func(aten-save-sums{types=f64}))' --split-input-file 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(aten-save-sums{types=f32}))' --split-input-file -o /dev/null --remarks-filter=aten-save-sums 2>&1 | FileCheck %s --check-prefix=WHY
// TYPE: error: option 'types' of aten-save-sums: expected 'f32', 'bf16' or 'f16', but found 'f64'

// Attention gives the logarithms of its sums, too.
// CHECK-LABEL: func.func @causal
// CHECK: %[[Y:.*]]:2 = aten._scaled_dot_product_flash_attention_for_cpu(%arg0, %arg1, %arg2, is_causal = true, scale = 2.5{{0*}}e-01)
// CHECK-SAME: -> (tensor<2x4x7x16xf32>, tensor<2x4x7xf32>)
// CHECK-NEXT: return %[[Y]]#0
func.func @causal(%q: tensor<2x4x7x16xf32>, %k: tensor<2x4x9x16xf32>, %v: tensor<2x4x9x16xf32>) -> tensor<2x4x7x16xf32> {
  %y = aten.scaled_dot_product_attention(%q, %k, %v, is_causal = true, scale = 0.25)
    : (tensor<2x4x7x16xf32>, tensor<2x4x9x16xf32>, tensor<2x4x9x16xf32>) -> tensor<2x4x7x16xf32>
  return %y : tensor<2x4x7x16xf32>
}

// Heads that share keys read them repeated.
// CHECK-LABEL: func.func @shared
// CHECK: %[[K:.*]] = aten.view(%{{.*}}, size = [2, 4, 9, 16])
// CHECK: %[[V:.*]] = aten.view(%{{.*}}, size = [2, 4, 9, 16])
// CHECK: aten._scaled_dot_product_flash_attention_for_cpu(%arg0, %[[K]], %[[V]]
func.func @shared(%q: tensor<2x4x7x16xf32>, %k: tensor<2x2x9x16xf32>, %v: tensor<2x2x9x16xf32>) -> tensor<2x4x7x16xf32> {
  %y = aten.scaled_dot_product_attention(%q, %k, %v, enable_gqa = true)
    : (tensor<2x4x7x16xf32>, tensor<2x2x9x16xf32>, tensor<2x2x9x16xf32>) -> tensor<2x4x7x16xf32>
  return %y : tensor<2x4x7x16xf32>
}

// So does attention with a mask of truths, or of floats that are made of such and of what the archive holds.
// CHECK-LABEL: func.func @masked
// CHECK: aten._scaled_dot_product_flash_attention_for_cpu(%arg0, %arg0, %arg0, attn_mask = %arg1)
// CHECK: aten._scaled_dot_product_flash_attention_for_cpu(%arg0, %arg0, %arg0, attn_mask = %{{.*}})
func.func @masked(%q: tensor<2x4x7x16xf32>, %m: tensor<2x1x1x7xi1>,
                  %low: tensor<f32> {aten.input = #aten.input<kind = buffer, name = "low", path = "low">},
                  %high: tensor<f32> {aten.input = #aten.input<kind = constant, name = "high", path = "high">})
    -> (tensor<2x4x7x16xf32>, tensor<2x4x7x16xf32>) {
  %0 = aten.scaled_dot_product_attention(%q, %q, %q, attn_mask = %m)
    : (tensor<2x4x7x16xf32>, tensor<2x4x7x16xf32>, tensor<2x4x7x16xf32>, tensor<2x1x1x7xi1>) -> tensor<2x4x7x16xf32>
  %f = aten.where.self(%m, %high, %low) : (tensor<2x1x1x7xi1>, tensor<f32>, tensor<f32>) -> tensor<2x1x1x7xf32>
  %1 = aten.scaled_dot_product_attention(%q, %q, %q, attn_mask = %f)
    : (tensor<2x4x7x16xf32>, tensor<2x4x7x16xf32>, tensor<2x4x7x16xf32>, tensor<2x1x1x7xf32>) -> tensor<2x4x7x16xf32>
  return %0, %1 : tensor<2x4x7x16xf32>, tensor<2x4x7x16xf32>
}

// Nor one of which a gradient is wanted.
// WHY: remark: [Missed] not-saved | Category:aten-save-sums | Function=bias | Reason="its mask may have a gradient"
// CHECK-LABEL: func.func @bias
// CHECK-NOT: flash
func.func @bias(%q: tensor<2x4x7x16xf32>,
                %b: tensor<7x7xf32> {aten.input = #aten.input<kind = parameter, name = "b", path = "b", requires_grad = true>})
    -> tensor<2x4x7x16xf32> {
  %0 = aten.scaled_dot_product_attention(%q, %q, %q, attn_mask = %b)
    : (tensor<2x4x7x16xf32>, tensor<2x4x7x16xf32>, tensor<2x4x7x16xf32>, tensor<7x7xf32>) -> tensor<2x4x7x16xf32>
  return %0 : tensor<2x4x7x16xf32>
}

// A gradient may flow to a mask of floats; f64 adds up in f64, and bf16 is not asked for; keys of one batch are not those of
// all; and a row of another depth is another operator's.
// WHY: not-saved {{.*}} Function=others | Reason="its mask may have a gradient"
// WHY: not-saved {{.*}} Function=others | Reason="sums of its element type are not saved"
// WHY: not-saved {{.*}} Function=others | Reason="it does not have keys and values for each query"
// WHY: not-saved {{.*}} Function=others | Reason="rows of its queries and values are not of one length, or there are no keys"
// WHY: not-saved {{.*}} Function=others | Reason="its tensors are not of four dimensions of known names"
// WHY: not-saved {{.*}} Function=others | Reason="sums of its element type are not saved"
// WHY: not-saved {{.*}} Function=dropped | Reason="it has dropout"
// CHECK-LABEL: func.func @others
// CHECK-NOT: flash
// CHECK-COUNT-6: aten.scaled_dot_product_attention
// The logarithms of 16 bits are f32.
// NARROW-LABEL: func.func @others
// NARROW-COUNT-5: aten.scaled_dot_product_attention
// NARROW: aten._scaled_dot_product_flash_attention_for_cpu
// NARROW-SAME: -> (tensor<2x4x7x16xbf16>, tensor<2x4x7xf32>)
func.func @others(%q: tensor<2x4x7x16xf32>, %m: tensor<7x7xf32>, %d: tensor<2x4x7x16xf64>, %one: tensor<1x4x7x16xf32>, %wide: tensor<2x4x7x24xf32>, %flat: tensor<4x7x16xf32>, %b: tensor<2x4x7x16xbf16>)
    -> (tensor<2x4x7x16xf32>, tensor<2x4x7x16xf64>, tensor<2x4x7x16xf32>, tensor<2x4x7x24xf32>, tensor<4x7x16xf32>, tensor<2x4x7x16xbf16>) {
  %0 = aten.scaled_dot_product_attention(%q, %q, %q, attn_mask = %m)
    : (tensor<2x4x7x16xf32>, tensor<2x4x7x16xf32>, tensor<2x4x7x16xf32>, tensor<7x7xf32>) -> tensor<2x4x7x16xf32>
  %1 = aten.scaled_dot_product_attention(%d, %d, %d)
    : (tensor<2x4x7x16xf64>, tensor<2x4x7x16xf64>, tensor<2x4x7x16xf64>) -> tensor<2x4x7x16xf64>
  %2 = aten.scaled_dot_product_attention(%q, %one, %one)
    : (tensor<2x4x7x16xf32>, tensor<1x4x7x16xf32>, tensor<1x4x7x16xf32>) -> tensor<2x4x7x16xf32>
  %3 = aten.scaled_dot_product_attention(%q, %q, %wide)
    : (tensor<2x4x7x16xf32>, tensor<2x4x7x16xf32>, tensor<2x4x7x24xf32>) -> tensor<2x4x7x24xf32>
  %4 = aten.scaled_dot_product_attention(%flat, %flat, %flat)
    : (tensor<4x7x16xf32>, tensor<4x7x16xf32>, tensor<4x7x16xf32>) -> tensor<4x7x16xf32>
  %5 = aten.scaled_dot_product_attention(%b, %b, %b)
    : (tensor<2x4x7x16xbf16>, tensor<2x4x7x16xbf16>, tensor<2x4x7x16xbf16>) -> tensor<2x4x7x16xbf16>
  return %0, %1, %2, %3, %4, %5 : tensor<2x4x7x16xf32>, tensor<2x4x7x16xf64>, tensor<2x4x7x16xf32>, tensor<2x4x7x24xf32>, tensor<4x7x16xf32>, tensor<2x4x7x16xbf16>
}

// Weights that are dropped are drawn again, and need their own.
// CHECK-LABEL: func.func @dropped
// CHECK-NOT: flash
func.func @dropped(%q: tensor<2x4x7x16xf32>) -> tensor<2x4x7x16xf32> {
  %0 = aten.scaled_dot_product_attention(%q, %q, %q, dropout_p = 0.5)
    : (tensor<2x4x7x16xf32>, tensor<2x4x7x16xf32>, tensor<2x4x7x16xf32>) -> tensor<2x4x7x16xf32>
  return %0 : tensor<2x4x7x16xf32>
}

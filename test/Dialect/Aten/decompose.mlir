// RUN: kiln-opt %s --aten-decompose --canonicalize | FileCheck %s --check-prefixes=CHECK,CORE
// RUN: kiln-opt %s --aten-decompose --kiln-verify-stage=stage=core -o /dev/null
// RUN: kiln-opt %s --aten-decompose=to=loop --canonicalize | FileCheck %s --check-prefixes=CHECK,LOOP

// The batch joins the rows: one matrix product.
// CHECK-LABEL: func.func @linear
func.func @linear(%x: tensor<2x3x4xf32>, %w: tensor<5x4xf32>) -> tensor<2x3x5xf32> {
  // CHECK: %[[T:.*]] = aten.permute(%{{.*}}, dims = [1, 0])
  // CHECK: %[[F:.*]] = aten.view(%{{.*}}, size = [6, 4])
  // CHECK: %[[M:.*]] = aten.mm(%[[F]], %[[T]])
  // CHECK: aten.view(%[[M]], size = [2, 3, 5])
  %y = aten.linear(%x, %w) : (tensor<2x3x4xf32>, tensor<5x4xf32>) -> tensor<2x3x5xf32>
  return %y : tensor<2x3x5xf32>
}

// Batches of equal size need neither expand nor view.
// CHECK-LABEL: func.func @matmul_batch
// CHECK-NEXT: aten.bmm
// CHECK-NEXT: return
func.func @matmul_batch(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>) -> tensor<2x3x5xf32> {
  %y = aten.matmul(%a, %b) : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  return %y : tensor<2x3x5xf32>
}

// A symbolic batch is folded as an expression.
// CHECK-LABEL: func.func @matmul_symbolic
// CHECK: aten.view(%{{.*}}, size = [{{3 \* s0|s0 \* 3}}, 4])
// CHECK: aten.mm
guard.symbol @s0 range [2, 64] hint 8
func.func @matmul_symbolic(%a: tensor<?x3x4xf32, #guard.shape<[s0, 3, 4]>>, %b: tensor<4x5xf32>)
    -> tensor<?x3x5xf32, #guard.shape<[s0, 3, 5]>> {
  %y = aten.matmul(%a, %b) : (tensor<?x3x4xf32, #guard.shape<[s0, 3, 4]>>, tensor<4x5xf32>) -> tensor<?x3x5xf32, #guard.shape<[s0, 3, 5]>>
  return %y : tensor<?x3x5xf32, #guard.shape<[s0, 3, 5]>>
}

// A slice says min(2, s0) of what is 2 where s0 is at least 2; what the program
// says stays.
// CHECK-LABEL: func.func @split_symbolic
// LOOP: aten.slice.Tensor(%{{.*}} -> tensor<2xf32>
func.func @split_symbolic(%a: tensor<?xf32, #guard.shape<[s0]>>)
    -> (tensor<2xf32>, tensor<?xf32, #guard.shape<[s0 - 2]>>) {
  %y:2 = aten.split_with_sizes(%a, split_sizes = [2, s0 - 2]) : (tensor<?xf32, #guard.shape<[s0]>>) -> (tensor<2xf32>, tensor<?xf32, #guard.shape<[s0 - 2]>>)
  return %y#0, %y#1 : tensor<2xf32>, tensor<?xf32, #guard.shape<[s0 - 2]>>
}

// bf16 is computed in f32 and rounded once.
// CHECK-LABEL: func.func @softmax
// CORE-NEXT: aten._softmax(
// LOOP: aten._to_copy(%{{.*}}, dtype = f32)
// LOOP-NEXT: aten.amax
// LOOP-NEXT: aten.sub.Tensor
// LOOP-NEXT: aten.exp
// LOOP-NEXT: aten.sum.dim_IntList
// LOOP-NEXT: aten.reciprocal
// LOOP-NEXT: aten.mul.Tensor
// LOOP-NEXT: aten._to_copy(%{{.*}}, dtype = bf16)
// CHECK: return
func.func @softmax(%x: tensor<3x4xbf16>) -> tensor<3x4xbf16> {
  %y = aten.softmax.int(%x, dim = -1) : (tensor<3x4xbf16>) -> tensor<3x4xbf16>
  return %y : tensor<3x4xbf16>
}

// A dropout that drops nothing is nothing; one that draws numbers stays whole.
// CHECK-LABEL: func.func @dropout
// CHECK: aten.native_dropout(%{{.*}}, p = 5.0{{.*}}train = true)
// CHECK-NOT: dropout
// CHECK: return
func.func @dropout(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = aten.dropout(%x, p = 0.5, train = false) : (tensor<4xf32>) -> tensor<4xf32>
  %b = aten.dropout(%x, p = 0.5, train = true) : (tensor<4xf32>) -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// The core set keeps what has a kernel or a derivative of its own.
// CHECK-LABEL: func.func @attention
// CORE: aten.scaled_dot_product_attention
// LOOP-NOT: aten.scaled_dot_product_attention
// LOOP: aten.bmm
// LOOP: aten.le.Tensor
// LOOP: aten.where.self
// LOOP: aten.exp
// LOOP: aten.bmm
// CHECK: return
func.func @attention(%q: tensor<2x4x8xf32>, %k: tensor<2x4x8xf32>, %v: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %y = aten.scaled_dot_product_attention(%q, %k, %v, is_causal = true) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %y : tensor<2x4x8xf32>
}

// Heads that share keys are rows of one product by them, whether they are said to share them or read
// them repeated: four queries of each of two heads. A mask for all rows changes nothing of that.
// CHECK-LABEL: func.func @shared_heads
// CHECK-SAME: %[[Q:.*]]: tensor<2x8x1x16xf32>, %[[K:.*]]: tensor<2x2x9x16xf32>
// LOOP-NOT: aten.expand
// LOOP: aten.view(%[[Q]], size = [2, 2, 4, 16])
// LOOP: aten.bmm({{.*}} -> tensor<4x4x9xf32>
// LOOP: aten.where.self
// LOOP: aten.bmm({{.*}} -> tensor<4x4x16xf32>
// CHECK: return
func.func @shared_heads(%q: tensor<2x8x1x16xf32>, %k: tensor<2x2x9x16xf32>, %v: tensor<2x2x9x16xf32>, %m: tensor<2x1x1x9xi1>) -> tensor<2x8x1x16xf32> {
  %y = aten.scaled_dot_product_attention(%q, %k, %v, attn_mask = %m, enable_gqa = true) : (tensor<2x8x1x16xf32>, tensor<2x2x9x16xf32>, tensor<2x2x9x16xf32>, tensor<2x1x1x9xi1>) -> tensor<2x8x1x16xf32>
  return %y : tensor<2x8x1x16xf32>
}

// CHECK-LABEL: func.func @repeated_heads
// LOOP: aten.bmm({{.*}} -> tensor<4x4x9xf32>
// LOOP: aten.bmm({{.*}} -> tensor<4x4x16xf32>
// CHECK: return
func.func @repeated_heads(%q: tensor<2x8x1x16xf32>, %k: tensor<2x2x9x16xf32>, %v: tensor<2x2x9x16xf32>) -> tensor<2x8x1x16xf32> {
  %k5 = aten.unsqueeze(%k, dim = 2) : (tensor<2x2x9x16xf32>) -> tensor<2x2x1x9x16xf32>
  %ke = aten.expand(%k5, size = [2, 2, 4, 9, 16]) : (tensor<2x2x1x9x16xf32>) -> tensor<2x2x4x9x16xf32>
  %kc = aten.clone(%ke) : (tensor<2x2x4x9x16xf32>) -> tensor<2x2x4x9x16xf32>
  %kr = aten.view(%kc, size = [2, 8, 9, 16]) : (tensor<2x2x4x9x16xf32>) -> tensor<2x8x9x16xf32>
  %v5 = aten.unsqueeze(%v, dim = 2) : (tensor<2x2x9x16xf32>) -> tensor<2x2x1x9x16xf32>
  %ve = aten.expand(%v5, size = [2, 2, 4, 9, 16]) : (tensor<2x2x1x9x16xf32>) -> tensor<2x2x4x9x16xf32>
  %vr = aten.view(%ve, size = [2, 8, 9, 16]) : (tensor<2x2x4x9x16xf32>) -> tensor<2x8x9x16xf32>
  %y = aten.scaled_dot_product_attention(%q, %kr, %vr) : (tensor<2x8x1x16xf32>, tensor<2x8x9x16xf32>, tensor<2x8x9x16xf32>) -> tensor<2x8x1x16xf32>
  return %y : tensor<2x8x1x16xf32>
}

// Not where a head's queries see keys of their own.
// CHECK-LABEL: func.func @shared_causal
// LOOP: aten.bmm({{.*}} -> tensor<16x3x9xf32>
// CHECK: return
func.func @shared_causal(%q: tensor<2x8x3x16xf32>, %k: tensor<2x2x9x16xf32>, %v: tensor<2x2x9x16xf32>) -> tensor<2x8x3x16xf32> {
  %y = aten.scaled_dot_product_attention(%q, %k, %v, is_causal = true, enable_gqa = true) : (tensor<2x8x3x16xf32>, tensor<2x2x9x16xf32>, tensor<2x2x9x16xf32>) -> tensor<2x8x3x16xf32>
  return %y : tensor<2x8x3x16xf32>
}

// A record's formula: bf16 is widened, reduced in f32 and rounded once.
// CHECK-LABEL: func.func @mse_loss
// CHECK: %[[A:.*]] = aten._to_copy(%{{.*}}, dtype = f32)
// CHECK: %[[B:.*]] = aten._to_copy(%{{.*}}, dtype = f32)
// CHECK: %[[D:.*]] = aten.sub.Tensor(%[[A]], %[[B]])
// CHECK: aten.square(%[[D]])
// CHECK: aten._to_copy(%{{.*}}, dtype = bf16)
// CHECK-NEXT: return
func.func @mse_loss(%x: tensor<4xbf16>, %y: tensor<4xbf16>) -> tensor<bf16> {
  %z = aten.mse_loss(%x, %y) : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<bf16>
  return %z : tensor<bf16>
}

// A view that changes nothing is a copy all the same.
// CHECK-LABEL: func.func @copies
// CHECK-NEXT: aten.clone
// CHECK-NEXT: return
func.func @copies(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = aten.permute_copy(%x, dims = [0, 1]) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// A letter that stands twice is a diagonal; an ellipsis is a batch.
// CHECK-LABEL: func.func @einsum
// CHECK: aten.diagonal(
// CHECK: aten.bmm
// CHECK-NOT: einsum
// CHECK: return
func.func @einsum(%a: tensor<3x3xf32>, %b: tensor<2x4x3xf32>, %c: tensor<2x3x5xf32>)
    -> (tensor<3xf32>, tensor<2x4x5xf32>) {
  %x = aten.einsum([%a], equation = "ii->i") : (tensor<3x3xf32>) -> tensor<3xf32>
  %y = aten.einsum([%b, %c], equation = "...ij,...jk->...ik") : (tensor<2x4x3xf32>, tensor<2x3x5xf32>) -> tensor<2x4x5xf32>
  return %x, %y : tensor<3xf32>, tensor<2x4x5xf32>
}

// Each step of a recurrence multiplies its state only; of a length that only
// the run knows it stays whole, and says so to the verifier of the stage.
// CHECK-LABEL: func.func @recurrence
// CHECK-COUNT-3: aten.mm
// CHECK-NOT: aten.mm
// CHECK: aten.gru.input
// CORE-SAME: aten.whole
// CHECK: return
guard.symbol @s1 range [1, 64] hint 8
func.func @recurrence(%x: tensor<2x1x3xf32>, %y: tensor<?x1x3xf32, #guard.shape<[s1, 1, 3]>>,
    %h: tensor<1x1x4xf32>, %a: tensor<12x3xf32>, %b: tensor<12x4xf32>)
    -> (tensor<2x1x4xf32>, tensor<?x1x4xf32, #guard.shape<[s1, 1, 4]>>) {
  %o, %s = aten.gru.input(%x, %h, [%a, %b], has_biases = false, num_layers = 1, dropout = 0.0, train = false, bidirectional = false, batch_first = false) : (tensor<2x1x3xf32>, tensor<1x1x4xf32>, tensor<12x3xf32>, tensor<12x4xf32>) -> (tensor<2x1x4xf32>, tensor<1x1x4xf32>)
  %p, %t = aten.gru.input(%y, %h, [%a, %b], has_biases = false, num_layers = 1, dropout = 0.0, train = false, bidirectional = false, batch_first = false) : (tensor<?x1x3xf32, #guard.shape<[s1, 1, 3]>>, tensor<1x1x4xf32>, tensor<12x3xf32>, tensor<12x4xf32>) -> (tensor<?x1x4xf32, #guard.shape<[s1, 1, 4]>>, tensor<1x1x4xf32>)
  return %o, %p : tensor<2x1x4xf32>, tensor<?x1x4xf32, #guard.shape<[s1, 1, 4]>>
}

// Mean and variance of f32 are two sums of one pass, of distances from the first
// element of each channel; they are a value per channel, and rounded before they meet elements.
// LOOP-LABEL: func.func @batch_norm_f32
// LOOP: %[[X:.*]] = aten._to_copy(%{{.*}}, dtype = f64) : (tensor<4x8x5x5xf32>) -> tensor<4x8x5x5xf64>
// LOOP: aten.slice.Tensor({{.*}} -> tensor<1x8x1x1xf32>
// LOOP: %[[D:.*]] = aten.sub.Tensor(%[[X]],
// LOOP: aten.sum.dim_IntList(%[[D]], dim = [0, 2, 3]) : {{.*}} -> tensor<8xf64>
// LOOP: %[[Q:.*]] = aten.{{.*}}(%[[D]]{{.*}} -> tensor<4x8x5x5xf64>
// LOOP: aten.sum.dim_IntList(%[[Q]], dim = [0, 2, 3]) : {{.*}} -> tensor<8xf64>
// LOOP-NOT: aten.sum
// LOOP: tensor<4x8x5x5xf32>, tensor<1x8x1x1xf32>
func.func @batch_norm_f32(%x: tensor<4x8x5x5xf32>) -> tensor<4x8x5x5xf32> {
  %y:3 = aten._native_batch_norm_legit.no_stats(%x, training = true, momentum = 0.1, eps = 1.0e-05) : (tensor<4x8x5x5xf32>) -> (tensor<4x8x5x5xf32>, tensor<8xf32>, tensor<8xf32>)
  return %y#0 : tensor<4x8x5x5xf32>
}

// Those of 16 bits are sums of the elements themselves, a few of which may be added in f32. Squares
// of f16 have too many digits for that.
// LOOP-LABEL: func.func @batch_norm_bf16
// LOOP: %[[X:.*]] = aten._to_copy(%{{.*}}, dtype = f64) : (tensor<4x8x5x5xf32>) -> tensor<4x8x5x5xf64>
// LOOP-NOT: aten.slice.Tensor
// LOOP: aten.sum.dim_IntList(%[[X]], dim = [0, 2, 3]) {kiln.short_sums} : {{.*}} -> tensor<8xf64>
// LOOP: %[[Q:.*]] = aten.{{.*}}(%[[X]]{{.*}} -> tensor<4x8x5x5xf64>
// LOOP: aten.sum.dim_IntList(%[[Q]], dim = [0, 2, 3]) {kiln.short_sums} : {{.*}} -> tensor<8xf64>
// LOOP-NOT: aten.sum
// LOOP: tensor<4x8x5x5xf32>, tensor<1x8x1x1xf32>
func.func @batch_norm_bf16(%x: tensor<4x8x5x5xbf16>) -> tensor<4x8x5x5xbf16> {
  %y:3 = aten._native_batch_norm_legit.no_stats(%x, training = true, momentum = 0.1, eps = 1.0e-05) : (tensor<4x8x5x5xbf16>) -> (tensor<4x8x5x5xbf16>, tensor<8xbf16>, tensor<8xbf16>)
  return %y#0 : tensor<4x8x5x5xbf16>
}

// LOOP-LABEL: func.func @batch_norm_f16
// LOOP: aten.sum.dim_IntList(%{{.*}}, dim = [0, 2, 3]) {kiln.short_sums} : {{.*}} -> tensor<8xf64>
// LOOP: aten.sum.dim_IntList(%{{.*}}, dim = [0, 2, 3]) : {{.*}} -> tensor<8xf64>
// LOOP-NOT: aten.sum
func.func @batch_norm_f16(%x: tensor<4x8x5x5xf16>) -> tensor<4x8x5x5xf16> {
  %y:3 = aten._native_batch_norm_legit.no_stats(%x, training = true, momentum = 0.1, eps = 1.0e-05) : (tensor<4x8x5x5xf16>) -> (tensor<4x8x5x5xf16>, tensor<8xf16>, tensor<8xf16>)
  return %y#0 : tensor<4x8x5x5xf16>
}

// Elements of 16 bits have their gradients in f32; what is one value per channel is f64 until then.
// LOOP-LABEL: func.func @batch_norm_backward
// LOOP-COUNT-2: aten.sum.dim_IntList({{.*}} {kiln.short_sums} : {{.*}} -> tensor<8xf64>
// LOOP-NOT: aten.div{{.*}} -> tensor<4x8x5x5xf64>
// LOOP: aten.div{{.*}} -> tensor<8xf64>
// LOOP-NOT: tensor<4x8x5x5xf64>
// LOOP: return
func.func @batch_norm_backward(%g: tensor<4x8x5x5xbf16>, %x: tensor<4x8x5x5xbf16>, %w: tensor<8xbf16>, %m: tensor<8xbf16>, %r: tensor<8xbf16>) -> (tensor<4x8x5x5xbf16>, tensor<8xbf16>, tensor<8xbf16>) {
  %y:3 = aten.native_batch_norm_backward(%g, %x, weight = %w, save_mean = %m, save_invstd = %r, train = true, eps = 1.0e-05, output_mask = [true, true, true]) : (tensor<4x8x5x5xbf16>, tensor<4x8x5x5xbf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<8xbf16>) -> (tensor<4x8x5x5xbf16>, tensor<8xbf16>, tensor<8xbf16>)
  return %y#0, %y#1, %y#2 : tensor<4x8x5x5xbf16>, tensor<8xbf16>, tensor<8xbf16>
}

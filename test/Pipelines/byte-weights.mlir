// RUN: kiln-opt %s --pass-pipeline='builtin.module(aten-decompose{to=import},kiln-core,kiln-loop{vector-bits=512 vector-registers=32 masks=true bf16=pairs bytes=quads})' | FileCheck %s
// RUN: kiln-opt %s --pass-pipeline='builtin.module(aten-decompose{to=import},kiln-core,kiln-loop{vector-bits=256})' | FileCheck %s --check-prefix=PLAIN
// RUN: kiln-opt %s --pass-pipeline='builtin.module(aten-decompose{to=import},kiln-core,kiln-loop{chip=sm_90a})' | FileCheck %s --check-prefix=GPU

// Weights of bytes beside activations of 16 bits are read as bytes, where panels are packed: they
// are numbers of 16 bits for the units that multiply such, and their scales are an epilogue. No
// floats of them are stored.

// CHECK-LABEL: func.func @packed_weight
// CHECK: loop.kernel {{.*}} = %arg1 : tensor<512x256xi8>{{.*}} schedule #loop.packed<{{.*}}unit = pairs
// CHECK: loop.contract {{.*}} rhs %{{.*}} : tensor<512x256xi8> {{.*}} lhs_prologue
// CHECK: rhs_prologue (%[[W:.*]]) {
// CHECK-NEXT: %[[B:.*]] = arith.sitofp %[[W]] : i8 to bf16
// CHECK-NEXT: arith.extf %[[B]]
// CHECK: epilogue
// CHECK: arith.mulf
// CHECK: arith.truncf
// CHECK-NOT: loop.kernel
// CHECK: return
// On a GPU they are numbers of 16 bits for matrix units on their way to shared memory.
// GPU-LABEL: func.func @packed_weight
// GPU: loop.kernel {{.*}} = %arg1 : tensor<512x256xi8>{{.*}}unit = mma
// GPU: rhs_prologue (%[[W:.*]]) {
// GPU-NEXT: %[[B:.*]] = arith.sitofp %[[W]] : i8 to bf16
// GPU-NEXT: loop.yield %[[B]]
// GPU-NOT: loop.kernel
// GPU: return
// PLAIN-LABEL: func.func @packed_weight
// PLAIN: loop.contract {{.*}} rhs %{{.*}} : tensor<512x256xi8>
// PLAIN-NOT: loop.kernel
// PLAIN: return
func.func @packed_weight(%x: tensor<64x256xbf16>, %w: tensor<512x256xi8>, %s: tensor<512xbf16>) -> tensor<64x512xbf16> {
  %0 = aten._weight_int8pack_mm(%x, %w, %s) : (tensor<64x256xbf16>, tensor<512x256xi8>, tensor<512xbf16>) -> tensor<64x512xbf16>
  return %0 : tensor<64x512xbf16>
}

// Few rows do not wait for a unit: bytes are extended at once.
// CHECK-LABEL: func.func @few_rows
// CHECK: loop.contract {{.*}} rhs %{{.*}} : tensor<512x256xi8>
// CHECK: arith.sitofp %{{.*}} : i8 to f32
// CHECK-NOT: loop.kernel
// CHECK: return
func.func @few_rows(%x: tensor<8x256xbf16>, %w: tensor<512x256xi8>, %s: tensor<512xbf16>) -> tensor<8x512xbf16> {
  %0 = aten._weight_int8pack_mm(%x, %w, %s) : (tensor<8x256xbf16>, tensor<512x256xi8>, tensor<512xbf16>) -> tensor<8x512xbf16>
  return %0 : tensor<8x512xbf16>
}

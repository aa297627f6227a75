// RUN: kiln-opt %s --kiln-reconcile-index-casts | FileCheck %s

// CHECK-LABEL: func @casts
// CHECK-NEXT: %[[A:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK-NEXT: arith.index_cast %[[A]] : i64 to index
// CHECK-NEXT: return
func.func @casts(%i: index) -> index {
  %a = builtin.unrealized_conversion_cast %i : index to i64
  %b = builtin.unrealized_conversion_cast %a : i64 to index
  return %b : index
}

// Others are not its business.
// CHECK-LABEL: func @other
// CHECK-NEXT: builtin.unrealized_conversion_cast %{{.*}} : memref<4xf32> to !llvm.ptr
func.func @other(%m: memref<4xf32>) -> !llvm.ptr {
  %p = builtin.unrealized_conversion_cast %m : memref<4xf32> to !llvm.ptr
  return %p : !llvm.ptr
}

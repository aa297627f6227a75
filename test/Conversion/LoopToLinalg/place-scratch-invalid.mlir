// RUN: kiln-opt %s --kiln-place-scratch --split-input-file --verify-diagnostics

module {
module @kernels {
  func.func @computed(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64,
                      %m: !llvm.ptr) {
    %n = arith.index_cast %b : i64 to index
    // expected-error @below {{'memref.alloc' op has a size that is computed in the kernel, expected sizes over symbols}}
    %t = memref.alloc(%n) : memref<?xf32>
    return
  }
}
}

// -----

module {
module @kernels {
  func.func @loop(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64,
                  %m: !llvm.ptr) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %c1 step %c1 {
      // expected-error @below {{'memref.alloc' op is in a loop, expected temporary buffers outside of loops}}
      %t = memref.alloc() : memref<4xf32>
    }
    return
  }
}
}

// RUN: kiln-opt %s --kiln-collect-launches --split-input-file --verify-diagnostics

module {
module @kernels attributes {gpu.container_module} {
  func.func @k(%a: !llvm.ptr<1>, %w: !llvm.ptr<1>, %s: i64)
      attributes {loop.symbols = [#guard.expr<s0>]} {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %n = arith.index_cast %s : i64 to index
    %m = arith.xori %n, %c2 : index
    // expected-error @below {{'gpu.launch_func' op has a number of blocks that is computed in the kernel, expected one over symbols}}
    gpu.launch_func @m::@g blocks in (%m, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%a : !llvm.ptr<1>)
    return
  }
  gpu.module @m {
    gpu.func @g(%a: !llvm.ptr<1>) kernel {
      gpu.return
    }
  }
}
}

// -----

module {
module @kernels attributes {gpu.container_module} {
  func.func @k(%a: !llvm.ptr<1>, %w: !llvm.ptr<1>, %s: i64)
      attributes {loop.symbols = [#guard.expr<s0>]} {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    // expected-error @below {{'gpu.launch_func' op expected a grid of one dimension, with blocks of 1 to 1024 threads that share no memory}}
    gpu.launch_func @m::@g blocks in (%c1, %c2, %c1) threads in (%c1, %c1, %c1)
        args(%a : !llvm.ptr<1>)
    return
  }
  gpu.module @m {
    gpu.func @g(%a: !llvm.ptr<1>) kernel {
      gpu.return
    }
  }
}
}

// -----

module {
module @kernels attributes {gpu.container_module} {
  func.func @k(%a: !llvm.ptr<1>, %w: !llvm.ptr<1>, %s: i64)
      attributes {loop.symbols = [#guard.expr<s0>]} {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %n = arith.index_cast %s : i64 to index
    // expected-error @below {{'gpu.launch_func' op expected a grid of one dimension, with blocks of 1 to 1024 threads that share no memory}}
    gpu.launch_func @m::@g blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
        args(%a : !llvm.ptr<1>)
    return
  }
  gpu.module @m {
    gpu.func @g(%a: !llvm.ptr<1>) kernel {
      gpu.return
    }
  }
}
}

// -----

module {
module @kernels attributes {gpu.container_module} {
  func.func @k(%a: !llvm.ptr<1>, %w: !llvm.ptr<1>, %s: i64)
      attributes {loop.symbols = [#guard.expr<s0>]} {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    // expected-error @below {{'scf.for' op is in no launch, expected kernels of loops that were mapped to threads}}
    scf.for %i = %c1 to %c2 step %c1 {
      llvm.store %s, %a : i64, !llvm.ptr<1>
    }
    return
  }
  gpu.module @m {
    gpu.func @g(%a: !llvm.ptr<1>) kernel {
      gpu.return
    }
  }
}
}

// -----

module {
module @kernels attributes {gpu.container_module} {
  func.func @k(%a: !llvm.ptr<1>, %w: !llvm.ptr<1>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@g blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
  gpu.module @m {
    gpu.func @g() kernel {
      // expected-error @below {{'gpu.barrier' op has no form in a kernel, expected positions and sizes of blocks and threads}}
      gpu.barrier
      gpu.return
    }
  }
}
}

// -----

module {
module @kernels {
  // expected-error @below {{'func.func' op is no kernel of a GPU, expected one of 'loop-outline-kernels' with 'grid'}}
  func.func @k(%p: !llvm.ptr, %s: !llvm.ptr, %b: i64, %e: i64, %m: !llvm.ptr) {
    return
  }
}
}

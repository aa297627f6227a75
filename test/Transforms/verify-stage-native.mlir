// Kernels are machine code of their own: nothing but 'llvm', and no calls of what
// is elsewhere.
// RUN: kiln-opt %s --split-input-file --verify-diagnostics --kiln-verify-stage=stage=native

llvm.func internal @part(%a: !llvm.ptr, %x: f32) {
  llvm.return
}
llvm.func @kernel(%a: !llvm.ptr, %x: f32) {
  llvm.call @part(%a, %x) : (!llvm.ptr, f32) -> ()
  %0 = llvm.intr.sqrt(%x) : (f32) -> f32
  llvm.store %0, %a : f32, !llvm.ptr
  llvm.return
}

// -----

llvm.func @sinf(f32) -> f32
llvm.func @calls(%a: !llvm.ptr, %x: f32) {
  // expected-error @below {{'llvm.call' op is left at stage 'native': expected a callee that the module defines}}
  %0 = llvm.call @sinf(%x) : (f32) -> f32
  llvm.store %0, %a : f32, !llvm.ptr
  llvm.return
}

// -----

llvm.func @arithmetic(%x: f32) {
  // expected-error @below {{'arith.negf' op is left at stage 'native', expected an op of 'llvm'}}
  %0 = arith.negf %x : f32
  llvm.return
}

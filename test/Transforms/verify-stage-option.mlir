// RUN: not kiln-opt %s --kiln-verify-stage=stage=lopp 2>&1 | FileCheck %s
// RUN: kiln-opt %s --kiln-verify-stage=stage=core
// RUN: kiln-opt %s --kiln-verify-stage=stage=capture
// RUN: not kiln-opt %s --kiln-verify-stage=stage=native 2>&1 | FileCheck %s --check-prefix=NATIVE
// CHECK: error: option 'stage' is 'lopp', expected one of capture, core, joint, loop, kernel, native, package
// NATIVE: error: 'func.func' op is left at stage 'native', expected an op of 'llvm'
func.func @f() {
  return
}

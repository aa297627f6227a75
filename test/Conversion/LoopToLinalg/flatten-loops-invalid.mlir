// RUN: kiln-opt %s --pass-pipeline='builtin.module(func.func(kiln-flatten-loops))' --split-input-file --verify-diagnostics

func.func @number(%p: !llvm.ptr<1>, %w: !llvm.ptr<1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'llvm.load' op gives another loop of its kernel a number, expected one in memory}}
  %x = llvm.load %p : !llvm.ptr<1> -> f32
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    llvm.store %x, %p : f32, !llvm.ptr<1>
  }
  return
}

// -----

func.func @joined(%p: !llvm.ptr<1>, %w: !llvm.ptr<1>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  // expected-error @below {{'scf.parallel' op joins values of threads, expected loops that store}}
  %r = scf.parallel (%i) = (%c0) to (%c1) step (%c1) init (%f) -> f32 {
    llvm.store %f, %p : f32, !llvm.ptr<1>
    scf.reduce(%f : f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }
  }
  return
}

// -----

// expected-error @below {{'func.func' op has branches at its top, expected structured loops}}
func.func @branches(%p: !llvm.ptr<1>, %w: !llvm.ptr<1>) {
  cf.br ^end
^end:
  return
}

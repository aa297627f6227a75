// RUN: kiln-opt %s --convert-kernel-to-llvm --split-input-file --verify-diagnostics
// RUN: kiln-opt %s --kiln-lower-vectors --split-input-file --verify-diagnostics
// RUN: kiln-opt %s --kiln-expand-small-floats --split-input-file --verify-diagnostics

// Splitting these into registers would not end.

func.func @lanes(%a: !llvm.ptr) {
  // expected-error @below {{'llvm.load' op has a value of type vector<4097xf32>, expected vectors of at most 4096 lanes}}
  %0 = llvm.load %a : !llvm.ptr -> vector<4097xf32>
  return
}

// -----

// expected-error @below {{'func.func' op has a value of type vector<9223372036854775807x8xbf16>, expected vectors of at most 4096 lanes}}
func.func @product(%a: vector<9223372036854775807x8xbf16>) {
  return
}

// -----

func.func @scalable(%a: f32) {
  // expected-error @below {{'vector.broadcast' op has a value of type vector<[4]xf32>, expected vectors of at most 4096 lanes}}
  %0 = vector.broadcast %a : f32 to vector<[4]xf32>
  return
}

// -----

func.func @most(%a: f32) {
  %0 = vector.broadcast %a : f32 to vector<4096xf32>
  return
}

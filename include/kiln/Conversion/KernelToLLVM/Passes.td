//===- Passes.td - Kernels in the llvm dialect -*- tablegen -*- -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_CONVERSION_KERNELTOLLVM_PASSES
#define KILN_CONVERSION_KERNELTOLLVM_PASSES

include "mlir/Pass/PassBase.td"

def KilnExpandSmallFloatsPass : Pass<"kiln-expand-small-floats"> {
  let summary = "Compute bf16 and f16 arithmetic in f32";
  let description = [{
    Arithmetic on bf16 and f16, scalar or vector, is done in f32 and rounded to
    nearest even after each op, as PyTorch does. Conversions from and to bf16
    become integer arithmetic: the processor's own (`vcvtneps2bf16`) flushes
    denormals. One between a small float and a type other than f32 goes through
    f32. Wherever small floats are not converted but moved, selected or carried
    through loops, they are integers of 16 bits: what code generation does with
    vectors of bf16 depends on the processor, and may be a call. Other types are
    left alone, and so are the signatures of functions. Calls nothing.

    Before:

    ```mlir
    %r = arith.addf %x, %y : vector<16xf16>
    ```

    After:

    ```mlir
    %0 = arith.extf %x : vector<16xf16> to vector<16xf32>
    %1 = arith.extf %y : vector<16xf16> to vector<16xf32>
    %2 = arith.addf %0, %1 : vector<16xf32>
    %r = arith.truncf %2 : vector<16xf32> to vector<16xf16>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def KilnLowerVectorsPass : Pass<"kiln-lower-vectors"> {
  let summary = "Lower vector ops to what has a direct LLVM equivalent";
  let description = [{
    Vector ops of more than one dimension, contractions, transposes, masks,
    interleaving and the like become ops on 1-D vectors. A module without any is
    left as it is.

    Before:

    ```mlir
    %m = vector.create_mask %n : vector<8xi1>
    ```

    After:

    ```mlir
    %i = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
    %b = vector.broadcast %n32 : i32 to vector<8xi32>
    %m = arith.cmpi sgt, %b, %i : vector<8xi32>
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"
  ];
}

def ConvertKernelToLLVMPass : Pass<"convert-kernel-to-llvm"> {
  let summary = "Convert kernels to the llvm dialect";
  let description = [{
    The functions of a module or `gpu.module`, and everything of `arith`, `math`, `vector`, `cf`,
    `index`, `ub` and `func` in them, become the llvm dialect in one conversion;
    pointers are bare, and `index` is as wide as the module's data layout
    says, 64 bits if it says nothing. `nvvm` stays. Assumes that `convert-scf-to-cf` has run. Fails at an op
    that none of the conversions knows, and at vectors of more than 4096 lanes, as the
    other passes over kernels do.

    Before:

    ```mlir
    func.func @k(%a: !llvm.ptr, %b: !llvm.ptr, %begin: i64, %end: i64,
                 %scratch: !llvm.ptr) {
      %0 = llvm.load %a : !llvm.ptr -> vector<8xf32>
      %1 = arith.negf %0 : vector<8xf32>
      llvm.store %1, %b : vector<8xf32>, !llvm.ptr
      return
    }
    ```

    After:

    ```mlir
    llvm.func @k(%a: !llvm.ptr, %b: !llvm.ptr, %begin: i64, %end: i64,
                 %scratch: !llvm.ptr) {
      %0 = llvm.load %a : !llvm.ptr -> vector<8xf32>
      %1 = llvm.fneg %0 : vector<8xf32>
      llvm.store %1, %b : vector<8xf32>, !llvm.ptr
      llvm.return
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // KILN_CONVERSION_KERNELTOLLVM_PASSES

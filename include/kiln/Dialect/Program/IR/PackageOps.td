//===- PackageOps.td - What a package holds beside programs -*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Part of ProgramOps.td: code, constants, facts and reasons of a package, as
// `kiln-translate --package-to-mlir` writes them.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_PROGRAM_IR_PACKAGEOPS_TD
#define KILN_DIALECT_PROGRAM_IR_PACKAGEOPS_TD

include "kiln/Dialect/Program/IR/ProgramAttrs.td"
include "mlir/IR/BuiltinAttributes.td"

def Program_ImageOp : Program_Op<"image", [IsolatedFromAbove, Symbol,
    SymbolTable, NoTerminator, SingleBlock, HasParent<"::mlir::ModuleOp">,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Machine code of kernels";
  let description = [{
    The image of a package (`KernelImage` of `kiln/Package/Package.h`): position
    independent code for one processor, and where each kernel begins in it. A
    module has it in place of a module `@kernels` of functions. The bytes are a
    resource, so that the text stays readable. With `ptx` they are texts for a driver
    of GPUs that end with a zero each, and a kernel is at the text with its entry.

    ```mlir
    program.image @kernels target "x86-64-v3" features 31
        code dense_resource<image> : tensor<4096xi8> {
      program.kernel @add at 0
    }
    ```

    The code is a resource of bytes (C1), `features` are 32 bits (C2), a kernel
    begins inside of the code (C3). A package has one image, so a module has no
    second one, and launches run kernels of it (C4).
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$target,
                       UnitAttr:$ptx, I64Attr:$features, ElementsAttr:$code);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `target` $target (`ptx` $ptx^)? `features` $features `code` $code
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Program_KernelOp : Program_Op<"kernel", [Symbol, HasParent<"ImageOp">]> {
  let summary = "Where a kernel begins in its image";
  let description = [{ Example: `program.kernel @add at 128` }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$entry);
  let assemblyFormat = "$sym_name `at` $entry attr-dict";
}

def Program_ConstantOp : Program_Op<"constant", [Symbol,
    HasParent<"::mlir::ModuleOp">]> {
  let summary = "A tensor that is stored in the package";
  let description = [{
    The bytes of its elements, row-major, as a resource. A slot names it behind
    `in` and may then be left out by the caller.

    ```mlir
    program.constant @weight dense_resource<weight> : tensor<8x4xf32>
    %w = program.slot parameter "p_w" path "weight" in @weight
        : !program.buffer<[8, 4], f32>
    ```

    The value is a resource of as many bytes as its type says (C1), and its
    elements have a counterpart at run time (C2).
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, ElementsAttr:$value);
  let assemblyFormat = "$sym_name $value attr-dict";
  let hasVerifier = 1;
}

def Program_FactsOp : Program_Op<"facts", [HasParent<"::mlir::ModuleOp">]> {
  let summary = "What `--stats` tells of a compilation";
  let description = [{
    `Facts` of `kiln/Package/Package.h`. A module without it is measured when it
    becomes a package. Only a training step that ends with an update has an
    `optimizer`.

    ```mlir
    program.facts "inductor" {bytes_read = 256 : i64, bytes_unfused = 1152 : i64,
        bytes_written = 256 : i64, planned_peak_bytes = 512 : i64,
        saved_for_backward_bytes = 0 : i64}
    ```
  }];
  let arguments = (ins StrAttr:$backend, I64Attr:$bytes_read,
                       I64Attr:$bytes_written, I64Attr:$bytes_unfused,
                       I64Attr:$saved_for_backward_bytes,
                       I64Attr:$planned_peak_bytes,
                       OptionalAttr<StrAttr>:$optimizer);
  let assemblyFormat = "$backend attr-dict";
}

def Program_ReasonOp : Program_Op<"reason", [HasParent<"::mlir::ModuleOp">]> {
  let summary = "Why the compiler decided something";
  let description = [{
    A remark of a pass that stays with the package: what came of it, the pass, the
    remark's name, the function, then keys and values in turn (C1). A module with
    some keeps these; for others the remarks of the passes are recorded.

    ```mlir
    program.reason missed "loop-fuse" "not-fused" of "main"
        ["first", "op0", "Reason", "too few elements"]
    ```
  }];
  let arguments = (ins Program_ReasonKindAttr:$kind, StrAttr:$pass, StrAttr:$name,
                       StrAttr:$function, StrArrayAttr:$arguments);
  let assemblyFormat = "$kind $pass $name `of` $function $arguments attr-dict";
  let hasVerifier = 1;
}

#endif // KILN_DIALECT_PROGRAM_IR_PACKAGEOPS_TD

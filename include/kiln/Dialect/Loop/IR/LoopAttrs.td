//===- LoopAttrs.td - Attributes of the loop dialect -------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_IR_LOOPATTRS
#define KILN_DIALECT_LOOP_IR_LOOPATTRS

include "kiln/Dialect/Loop/IR/LoopDialect.td"
include "kiln/Dialect/Loop/IR/LoopEnums.td"
include "kiln/Dialect/Loop/IR/LoopGPU.td"
include "kiln/Dialect/Loop/IR/LoopSchedules.td"
include "mlir/IR/EnumAttr.td"

//===----------------------------------------------------------------------===//
// Expressions of the guard dialect
//===----------------------------------------------------------------------===//

/// A size, index or mask: `#guard.expr`.
def Loop_ExprAttr
    : Attr<CPred<"::llvm::isa<::kiln::guard::ExprAttr>($_self)">,
           "symbolic expression"> {
  let storageType = "::kiln::guard::ExprAttr";
  let returnType = "::kiln::guard::ExprAttr";
  let convertFromStorage = "$_self";
}

/// A list of expressions: extents, or the indices of a load.
def Loop_ExprArrayAttr
    : TypedArrayAttrBase<Loop_ExprAttr, "list of symbolic expressions">;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def Loop_ReductionKindAttr
    : EnumAttr<Loop_Dialect, Loop_ReductionKind, "reduction"> {
  let assemblyFormat = "`<` $value `>`";
}

def Loop_ReductionKindArrayAttr
    : TypedArrayAttrBase<Loop_ReductionKindAttr, "list of reduction kinds">;

def Loop_ScatterKindAttr
    : EnumAttr<Loop_Dialect, Loop_ScatterKind, "scatter_kind"> {
  let assemblyFormat = "`<` $value `>`";
}

def Loop_InvokeKindAttr
    : EnumAttr<Loop_Dialect, Loop_InvokeKind, "invoke_kind"> {
  let assemblyFormat = "$value";
}

def Loop_TargetAttr : Loop_Attr<"Target", "target"> {
  let summary = "What schedules need to know of a processor";
  let description = [{
    The attribute `loop.target` of a module: the processor that its kernels are
    for. `loop-set-target` puts it there, and everything that weighs one way to
    emit a kernel against another reads it there; emission itself does not.

    | field | unit | what |
    |---|---|---|
    | `vector_bits` | bits | width of a vector register |
    | `registers` | | vector registers |
    | `masks` | | lanes of all types can be masked in loads and stores |
    | `l1`, `l2`, `l3` | bytes | caches: of a core, of a core, shared |
    | `grain_points` | points of nests | what is worth handing to a thread, of one kernel |
    | `grain_ns` | nanoseconds | the same, of a launch of several kernels |
    | `bf16` | | what multiplies bf16 fastest |
    | `bytes` | | what multiplies bytes fastest, `fma` if it is not said |
    | `threads` | | that run kernels side by side, 2 if it is not said |
    | `stream` | bytes | of a result, from which on it is better written past the caches; 0 (never) if it is not said |

    `bf16` is one of

    - `fma`: multiply-adds of f32, the default;
    - `pairs`: instructions that add the products of two neighbours in the sum to
      an f32 (AVX512-BF16), on processors where they do more than `fma`;
    - `tiles`: registers of 16 by 16 sums (AMX).

    `bytes` is one of

    - `fma`: multiplications and additions of i32, the default;
    - `quads`: instructions that add the products of four neighbours in the sum,
      unsigned bytes and signed ones, to an i32 (AVX512-VNNI).

    A module without it is for `TargetAttr::getDefault`: an x86-64-v3 with 32 KiB,
    512 KiB and 16 MiB of cache. A GPU, with warps and shared memory instead of
    vectors, has an attribute of its own under the same name, `#loop.gpu`; schedules
    are what both have in common.

    Constraints:
    - (C1) `vector_bits` is a power of two from 128 to 512, `registers` is from 8
      to 64.
    - (C2) caches have 0 (there is none) to 2^40 bytes, and so has `stream`.
    - (C3) `grain_points` and `grain_ns` are from 1 to 10^9.
    - (C4) `vector_bits` is 512 where `bf16` is not `fma`.
    - (C5) `threads` is from 1 to 10^9.
    - (C6) `bytes` is `fma`, or `quads` with masked vectors of 512 bits.

    Example:

    ```mlir
    #loop.target<vector_bits = 512, registers = 32, masks = true, l1 = 32768,
                 l2 = 1048576, l3 = 33554432, grain_points = 16384,
                 grain_ns = 20000, bf16 = tiles>
    ```
  }];
  let parameters = (ins
    "int64_t":$vector_bits,
    "int64_t":$registers,
    "bool":$masks,
    "int64_t":$l1,
    "int64_t":$l2,
    "int64_t":$l3,
    "int64_t":$grain_points,
    "int64_t":$grain_ns,
    Loop_DotUnitParameter:$bf16,
    DefaultValuedParameter<"int64_t", "2">:$threads,
    DefaultValuedParameter<"int64_t", "0">:$stream,
    Loop_DotUnitParameter:$bytes
  );
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// What a module without a target is compiled for.
    static TargetAttr getDefault(::mlir::MLIRContext *context);
  }];
}

def Loop_TrafficAttr : Loop_Attr<"Traffic", "traffic"> {
  let summary = "Bytes a kernel moves, at the hint sizes";
  let description = [{
    `read` and `written` are what the fused kernel moves, `unfused` is what its
    loop nests would move one by one, reads and writes together.

    Example: `#loop.traffic<read = 256, written = 256, unfused = 1152>`
  }];
  let parameters = (ins "int64_t":$read, "int64_t":$written,
                        "int64_t":$unfused);
  let assemblyFormat = "`<` struct($read, $written, $unfused) `>`";
}

def Loop_OperandAttr : Loop_Attr<"Operand", "operand"> {
  let summary = "The k-th operand of a `loop.extern`, within its schema";
  let description = [{ Example: `#loop.operand<0>` }];
  let parameters = (ins "unsigned":$index);
  let assemblyFormat = "`<` $index `>`";
}

#endif // KILN_DIALECT_LOOP_IR_LOOPATTRS

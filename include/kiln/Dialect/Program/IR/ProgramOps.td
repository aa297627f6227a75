//===- ProgramOps.td - The ops of the program dialect ------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_PROGRAM_IR_PROGRAMOPS_TD
#define KILN_DIALECT_PROGRAM_IR_PROGRAMOPS_TD

include "kiln/Dialect/Guard/IR/GuardedOpInterface.td"
include "kiln/Dialect/Program/IR/ProgramAttrs.td"
include "kiln/Dialect/Program/IR/ProgramTypes.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Program_Op<string mnemonic, list<Trait> traits = []>
    : Op<Program_Dialect, mnemonic, traits>;

/// A step: its place among the others matters.
class Program_Step<string mnemonic, list<Trait> traits = []>
    : Program_Op<mnemonic, !listconcat(traits, [HasParent<"FuncOp">])>;

def Program_Value : AnyTypeOf<[Program_BufferType, Program_NumberType],
                              "buffer or number">;
/// What an operator returns; `none` for what it leaves out.
def Program_Result : AnyTypeOf<[Program_BufferType, Program_NumberType, NoneType],
                               "buffer, number or none">;

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

def Program_FuncOp : Program_Op<"func", [IsolatedFromAbove, Symbol,
    SingleBlock, DeclareOpInterfaceMethods<GuardedOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "One program of a package";
  let description = [{
    Slots and symbols stand at its beginning, the steps behind them in the order
    in which they run. `arena` is the number of bytes of the arena, which is there
    before the first step.

    Constraints:
    - (C1) it ends with `program.return`; slots and symbols come first; a step
      uses what steps before it give.
    - (C2) an expression names symbols that are declared, and is evaluated when
      they have their values.
    - (C3) the memory plan: buffers that hold at the same time what is still to
      be read do not overlap, buffers in the arena are inside of it, at multiples
      of 64 bytes. Where symbols decide, this is shown for all values that they may
      have; what cannot be shown is refused.
    - (C4) `@forward` and `@backward` of a module agree: what one saves the other
      takes, in order and by type.
    - (C5) a launch that writes a `prepared` buffer is *preparation*, which runs only
      where the weights are others than in the call before: it reads weights that no
      output changes, constants and prepared buffers, depends on no symbol, and
      writes prepared buffers alone, its workspace among them. A prepared buffer has one
      writer, and launches alone read it.

    ```mlir
    program.func @main arena 256 {
      %x = program.slot user_input "x" : !program.buffer<[64], f32>
      program.return %x outputs [#program.output<role = user_output>]
          : !program.buffer<[64], f32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<Program_ExprAttr>:$arena,
                       OptionalAttr<StrAttr>:$sym_visibility);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name (`arena` custom<Expr>($arena)^)? attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name)>];
  let extraClassDeclaration = [{
    ReturnOp getReturn();
  }];
}

def Program_ReturnOp : Program_Step<"return", [Terminator,
    MemoryEffects<[MemRead]>]> {
  let summary = "The outputs of a program";
  let description = [{
    Outputs without a `value` of their own are the operands, in order.

    Constraints:
    - (C1) there are as many operands as outputs without a value.
    - (C2) a changed buffer, parameter or input is a slot of the program.

    ```mlir
    program.return %y outputs [#program.output<role = user_output, name = "y">]
        : !program.buffer<[64], f32>
    ```
  }];
  let arguments = (ins Variadic<Program_Value>:$values,
                       Program_OutputArrayAttr:$outputs);
  let assemblyFormat = [{
    ($values^)? `outputs` $outputs attr-dict (`:` type($values)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The slot that an output changes; null for one that changes none.
    SlotOp getTarget(OutputAttr output);
  }];
}

def Program_SlotOp : Program_Step<"slot", [
    MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "An input of a program";
  let description = [{
    A tensor or a number that the caller passes. `name` is its name in the
    captured graph, `path` the pytree path or the name of a weight. A number that
    varies has an expression as `value`, another one its constant. `of_output` is
    the output of `@forward` that a tangent belongs to, `payload` the
    `program.constant` that holds a tensor.

    ```mlir
    %w = program.slot parameter "p_w" path "linear.weight" grad
        : !program.buffer<[8, 4], f32>
    %n = program.slot user_input "n" value (#guard.expr<s3>) : !program.number
    ```

    A number has no payload (C1), a tensor no value (C2). The payload has the
    element type, the rank and the sizes of the slot; sizes that vary may be any
    (C3).
  }];
  let arguments = (ins Program_SlotKindAttr:$kind, StrAttr:$name,
                       OptionalAttr<StrAttr>:$path,
                       UnitAttr:$requires_grad,
                       OptionalAttr<AnyAttr>:$value,
                       OptionalAttr<I64Attr>:$of_output,
                       OptionalAttr<FlatSymbolRefAttr>:$payload);
  let results = (outs Program_Value:$result);
  let assemblyFormat = [{
    $kind $name (`path` $path^)? (`grad` $requires_grad^)? (`value` `(` $value^ `)`)?
    (`of` $of_output^)? (`in` $payload^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Program_SymbolOp : Program_Step<"symbol", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "A symbol of a program and where its value comes from";
  let description = [{
    The value is read from a slot when a call begins, such that size (or stride)
    `dim` of the slot is `scale * symbol + offset`, or a number is it; or it is
    given by a `program.define` (`step`). `range` is what the program was compiled
    for.

    ```mlir
    program.symbol "s77" size 0 of %x range 2 to 64
        : !program.buffer<[s77, 4], f32>
    program.symbol "u0" step range 0 to 64
    ```

    A `step` has no slot, others have one of their kind (C1); the scale is not 0
    (C2); the dimension exists (C3).
  }];
  let arguments = (ins StrAttr:$name, Program_SymbolSourceAttr:$source,
                       OptionalAttr<I64Attr>:$dim,
                       Optional<Program_Value>:$slot,
                       DefaultValuedAttr<I64Attr, "1">:$scale,
                       DefaultValuedAttr<I64Attr, "0">:$offset,
                       I64Attr:$min, I64Attr:$max);
  let assemblyFormat = [{
    $name $source ($dim^)? (`of` $slot^)? (`scale` $scale^)? (`offset` $offset^)?
    `range` $min `to` $max attr-dict (`:` type($slot)^)?
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

def Program_AllocOp : Program_Step<"alloc"> {
  let summary = "A buffer of a call";
  let description = [{
    With `at`, that many bytes into the arena; with `new`, in storage of its own,
    which may be returned; with `prepared`, in storage that stays from one call to the
    next and is written once for each version of the weights. One that has no place yet
    gets it from `program-plan-memory`.

    ```mlir
    %t = program.alloc at s77 * 64 : !program.buffer<[s77, 4], f32>
    %r = program.alloc new : !program.buffer<[s77, 4], f32>
    %p = program.alloc prepared : !program.buffer<[8, 4], f32>
    ```

    It is in the arena, `new` or `prepared`, one of them at most (C1). Its elements
    stand without gaps, in any order of its dimensions (C2).
  }];
  let arguments = (ins OptionalAttr<Program_ExprAttr>:$place,
                       UnitAttr:$is_new, UnitAttr:$is_prepared);
  let results = (outs Res<Program_BufferType, "", [MemAlloc]>:$result);
  let assemblyFormat = [{
    (`at` custom<Expr>($place)^)? (`new` $is_new^)? (`prepared` $is_prepared^)?
    attr-dict `:` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Program_ViewOp : Program_Step<"view", [Pure]> {
  let summary = "Other elements in the memory of a buffer";
  let description = [{
    `offset` counts elements of the result's type from the first of the base. It
    holds what the base holds until something is written into it; what the base
    held is gone then. One that is less than the base is a part of it: the base holds
    what its parts do once all of its elements have been written so.

    ```mlir
    %v = program.view %saved offset 0
        : !program.buffer<[64], f32> to !program.buffer<[8, 4], bf16>
    ```
  }];
  let arguments = (ins Program_BufferType:$base, Program_ExprAttr:$offset);
  let results = (outs Program_BufferType:$result);
  let assemblyFormat = [{
    $base `offset` custom<Expr>($offset) attr-dict `:` qualified(type($base))
    `to` qualified(type($result))
  }];
}

def Program_GetOp : Program_Step<"get", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A tensor that is stored in the package";
  let description = [{
    The contents of a `program.constant`, which nothing writes.

    ```mlir
    %c = program.get @table : !program.buffer<[64], f32>
    ```

    The constant has the element type, the rank and the sizes of the result;
    sizes that vary may be any (C1). The result is row-major (C2).
  }];
  let arguments = (ins FlatSymbolRefAttr:$constant);
  let results = (outs Program_BufferType:$result);
  let assemblyFormat = "$constant attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

def Program_ReleaseOp : Program_Step<"release"> {
  let summary = "Let go of storage";
  let description = [{
    The storage of these is free from here on, unless somebody else holds it.

    ```mlir
    program.release %a, %b : !program.buffer<[64], f32>, !program.number
    ```

    They are results of calls or `new` (C1).
  }];
  let arguments = (ins Arg<Variadic<Program_Value>, "", [MemFree]>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
  let hasVerifier = 1;
}

def Program_CopyOp : Program_Step<"copy"> {
  let summary = "Copy the elements of a buffer";
  let description = [{
    ```mlir
    program.copy %a to %b : !program.buffer<[64], f32>, !program.buffer<[64], f32>
    ```

    Both have the same sizes and elements (C1).
  }];
  let arguments = (ins Arg<Program_BufferType, "", [MemRead]>:$source,
                       Arg<Program_BufferType, "", [MemWrite]>:$target);
  let assemblyFormat = [{
    $source `to` $target attr-dict `:` qualified(type($source)) `,`
    qualified(type($target))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

def Program_LaunchOp : Program_Step<"launch", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Run a compiled kernel";
  let description = [{
    A call of the function `kernel` in the form of `kiln/ABI/KernelABI.h`: its
    pointers are the buffers, its integers the values of `symbols`, its work items
    `work`, handed to threads in ranges of `grain` and more. `scratch` is the
    number of bytes that each thread needs.

    `access` says of each buffer what the kernel does with it. `overwrites` has
    pairs of positions: the kernel reads no element of the second buffer after it
    has written the element of the first that stands in the same place, so the two
    may be one. `alone` keeps it from being joined with others.

    ```mlir
    program.launch @kernels::@k0(%x, %t) access [read, write] symbols [s77]
        work s77 * 4 grain 64 {overwrites = array<i64: 1, 0>}
        : !program.buffer<[s77, 4], f32>, !program.buffer<[s77, 4], f32>
    ```

    With `grid` the launch is of functions of a GPU, which `kernel` is the first of;
    `work` is then 1 and `symbols` are the grid's own.

    ```mlir
    program.launch @kernels::@k0(%x, %t) access [read, write] symbols [] work 1
        grain 1 {grid = #program.grid<steps = [#program.grid_step<
            kernel = @kernels::@k0, symbols = [#guard.expr<s77>],
            blocks = #guard.expr<ceildiv(s77, 256)>, threads = 256>]>}
        : !program.buffer<[s77, 4], f32>, !program.buffer<[s77, 4], f32>
    ```

    Constraints:
    - (C1) there is one access for each buffer.
    - (C2) `grain` is at least 1.
    - (C3) `overwrites` has pairs of a written and a read buffer.
    - (C4) a grid has a step of which `kernel` is the kernel, its steps have a wide
      one exactly if there is `narrow`, and its workspace is written. What
      `library` reads are buffers that are read, and what it writes is one that is written.
      Its checks are messages, and there are none beside a library.
  }];
  let arguments = (ins SymbolRefAttr:$kernel,
                       Variadic<Program_BufferType>:$buffers,
                       DenseBoolArrayAttr:$writes,
                       Program_ExprArrayAttr:$symbols,
                       Program_ExprAttr:$work, I64Attr:$grain,
                       OptionalAttr<Program_ExprAttr>:$scratch,
                       OptionalAttr<DenseI64ArrayAttr>:$overwrites,
                       UnitAttr:$alone,
                       OptionalAttr<Program_TrafficAttr>:$traffic,
                       OptionalAttr<StrArrayAttr>:$origins,
                       OptionalAttr<ArrayAttr>:$schedules,
                       OptionalAttr<Program_GridAttr>:$grid);
  let assemblyFormat = [{
    $kernel `(` $buffers `)` `access` custom<Access>($writes) `symbols`
    custom<ExprList>($symbols) `work` custom<Expr>($work) `grain` $grain
    (`scratch` custom<Expr>($scratch)^)? (`alone` $alone^)? attr-dict
    (`:` type($buffers)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// True if it writes a `prepared` buffer: it runs once for a version of the weights.
    bool isPreparation();
    /// All functions that it may run: `kernel`, or those of its grid.
    ::llvm::SmallVector<::mlir::SymbolRefAttr> getKernels();
  }];
}

def Program_CallOp : Program_Step<"call", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Call an operator";
  let description = [{
    `arguments` is the operator's argument list in schema order with all defaults
    filled in: `#program.operand<k>` for an operand, `unit` for none, a string, an
    integer, a float, a bool, a complex number, a `#guard.expr`, a type for a
    dtype, or a list of these. A result of type `none` is left out. `reason` says
    why there is no kernel. The op's location is the model's source line.

    ```mlir
    %v, %i = program.call "aten.sort.default"(%x)
        arguments [#program.operand<0>, -1, false] reason "sorting has no kernel"
        : (!program.buffer<[4], f32>)
          -> (!program.buffer<[4], f32>, !program.buffer<[4], i64>)
    ```

    Arguments name operands that are there (C1).
  }];
  let arguments = (ins StrAttr:$overload, Variadic<Program_Value>:$inputs,
                       ArrayAttr:$arguments, OptionalAttr<StrAttr>:$reason);
  let results = (outs Variadic<Program_Result>:$results);
  let assemblyFormat = [{
    $overload `(` $inputs `)` `arguments` $arguments (`reason` $reason^)?
    attr-dict `:` functional-type($inputs, $results)
  }];
  let hasVerifier = 1;
}

def Program_InvokeOp : Program_Step<"invoke", [
    MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Run other programs of the module: a branch or a loop";
  let description = [{
    - `branch [@then, @else]`: the first if the first argument is true, else the
      second; both take what follows the predicate.
    - `while [@condition, @body]`: as long as the first gives true, the second
      gives the next `carried` arguments. The rest stays.
    - `scan [@body]`: the first arguments are `carried`, of the next `scanned` the
      program takes one slice along the first dimension after the other. It gives
      the next carried ones and a slice of each further result.

    ```mlir
    %r = program.invoke branch [@f_then, @f_else](%p, %x)
        arguments [#program.operand<0>, #program.operand<1>]
        : (!program.buffer<[], i1>, !program.buffer<[4], f32>)
          -> !program.buffer<[4], f32>
    ```

    Constraints:
    - (C1) a branch and a while loop have two callees, a scan has one.
    - (C2) each is a program with as many slots and outputs as its part asks for.
    - (C3) arguments name operands that are there.
  }];
  let arguments = (ins Program_InvokeKindAttr:$kind,
                       FlatSymbolRefArrayAttr:$callees,
                       Variadic<Program_Value>:$inputs, ArrayAttr:$arguments,
                       DefaultValuedAttr<I64Attr, "0">:$carried,
                       DefaultValuedAttr<I64Attr, "0">:$scanned);
  let results = (outs Variadic<Program_Result>:$results);
  let assemblyFormat = [{
    $kind $callees `(` $inputs `)` `arguments` $arguments (`carried` $carried^)?
    (`scanned` $scanned^)? attr-dict `:` functional-type($inputs, $results)
  }];
  let hasVerifier = 1;
}

def Program_DefineOp : Program_Step<"define", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Give a symbol its value";
  let description = [{
    The number, or the size `dim` of the buffer.

    ```mlir
    program.define "u0" = %r dim 0 : !program.buffer<[u0, 1], i64>
    program.define "u1" = %n : !program.number
    ```

    A buffer has a dimension (C1), which exists (C2), a number has none (C3).
  }];
  let arguments = (ins StrAttr:$name, Program_Value:$value,
                       OptionalAttr<I64Attr>:$dim);
  let assemblyFormat = [{
    $name `=` $value (`dim` $dim^)? attr-dict `:` type($value)
  }];
  let hasVerifier = 1;
}

def Program_AssertOp : Program_Step<"assert", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Check a condition as the program runs";
  let description = [{ Example: `program.assert le(u0, 4), "too many"` }];
  let arguments = (ins Program_ExprAttr:$condition, StrAttr:$message);
  let assemblyFormat = "custom<Expr>($condition) `,` $message attr-dict";
}

include "kiln/Dialect/Program/IR/PackageOps.td"

#endif // KILN_DIALECT_PROGRAM_IR_PROGRAMOPS_TD

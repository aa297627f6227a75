//===- GuardOps.td - Symbols, values, checks ---------------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_GUARD_IR_GUARDOPS_TD
#define KILN_DIALECT_GUARD_IR_GUARDOPS_TD

include "kiln/Dialect/Guard/IR/GuardAttrs.td"
include "kiln/Dialect/Guard/IR/GuardInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"

class Guard_Op<string mnemonic, list<Trait> traits = []>
    : Op<Guard_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Symbols and values
//===----------------------------------------------------------------------===//

def Guard_SymbolOp : Guard_Op<"symbol", [Symbol]> {
  let summary = "Declare a symbol, its range and the value it was traced with";
  let description = [{
    Declares a size or number that varies from call to call. The range is
    inclusive on both ends and is what the program is compiled for; without
    one an integer may have any value. `hint` is the value of the example the
    program was captured with; it steers decisions and never correctness.

    An `unbacked` symbol is not readable from the inputs: an operator defines
    it while the program runs (`aten.item`, `aten.nonzero`).

    Floats are the symbols whose names are `zf<n>` and `zuf<n>`; they must say
    `float`, and have no range (C1). A range must not be empty (C2).

    ```mlir
    guard.symbol @s77 range [2, 64] hint 8
    guard.symbol @u0 unbacked range [0, 9223372036854775807]
    guard.symbol @zuf0 unbacked float
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, UnitAttr:$unbacked,
                       UnitAttr:$isFloat, OptionalAttr<I64Attr>:$min,
                       OptionalAttr<I64Attr>:$max,
                       OptionalAttr<I64Attr>:$hint);
  let assemblyFormat = [{
    $sym_name (`unbacked` $unbacked^)? (`float` $isFloat^)?
    (`range` custom<Range>($min, $max)^)? (`hint` custom<Integer>($hint)^)?
    attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The lowest value it may have; the lowest integer if not stated.
    int64_t getLowerBound() {
      return getMin().value_or(std::numeric_limits<int64_t>::min());
    }
    /// The highest value it may have; the highest integer if not stated.
    int64_t getUpperBound() {
      return getMax().value_or(std::numeric_limits<int64_t>::max());
    }
  }];
}

def Guard_ValueOp : Guard_Op<"value", [Pure]> {
  let summary = "The value of an expression";
  let description = [{
    Turns an expression over symbols into an SSA value. Loop indices have no
    meaning here (C1). An integer expression gives `index`, an integer or `i1`,
    a float expression gives a float (C2). Constants fold.

    ```mlir
    %n = guard.value <s77 * 4 + 1> : i64
    ```
  }];
  let arguments = (ins Guard_ExprAttr:$expr);
  let results = (outs AnyTypeOf<[Index, AnyInteger, AnyFloat]>:$result);
  let assemblyFormat = "$expr attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Guard_AssertOp : Guard_Op<"assert"> {
  let summary = "End the call with an error if a relation does not hold";
  let description = [{
    Checked while the program runs, at this place; the expression must be an
    integer over symbols (C1), zero means false. A true constant makes the op
    go away.

    ```mlir
    guard.assert <le(u0, 64)>, "at most 64 items are supported"
    ```
  }];
  let arguments = (ins Guard_ExprAttr:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// The checks of a program
//===----------------------------------------------------------------------===//

def Guard_ProgramOp : Guard_Op<"program", [
    Symbol, NoRegionArguments, SingleBlock, NoTerminator,
    IsolatedFromAbove]> {
  let summary = "The checks that a compiled function makes of its inputs";
  let description = [{
    Lists, in order, what must hold of the inputs of a function before the
    compiled code may be used. The first check that fails names the reason for
    a recompilation, so the ones that read best stand first. Only checks may
    stand in the body (C1).

    ```mlir
    guard.program @main_guards for @main {
      guard.check_tensor 0 "x"
      guard.check_dtype 0 "x" is f32
      guard.check_rank 0 "x" is 2
      guard.check_size 0 "x"[1] is 4
      guard.check_expr <le(s77, 64)> source "s77 <= 64"
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$function);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `for` $function attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
}

/// What a kind of check is called in packages, its number there, and how it reads.
/// The text names the fields of a record that the kind has: {slot}, {dim} of that
/// slot, {value}, {dtype} (a value that is a kiln::DType), {constant}, {expr}. A
/// record of another kind leaves them as they are. Numbers ascend by one.
///
/// kiln-tblgen --gen-guard-kinds writes `kiln/ABI/GuardKinds.def` from these: the
/// format of packages, its verifier, what reads them back as IR and the runtime need
/// no other mention of a kind than the function that evaluates it, in
/// lib/Runtime/GuardEvaluator.cpp.
class GuardKind<string guardName, int guardNumber, string guardText> {
  string name = guardName;
  int number = guardNumber;
  string text = guardText;
}

/// A check stands in a `guard.program`. The fields of its record in a package are
/// attributes of the same names, with `type` for a dtype and `source` for a text.
class Guard_CheckOpBase<string mnemonic, GuardKind guardKind>
    : Guard_Op<"check_" # mnemonic,
               [HasParent<"ProgramOp">,
                DeclareOpInterfaceMethods<Guard_CheckOpInterface>]> {
  GuardKind kind = guardKind;
  let extraClassDefinition =
      "::kiln_guard_kind $cppClass::getGuardKind() { return KILN_GUARD_"
      # guardKind.name # "; }";
}

/// A check of one input, named by its position and, for messages, its name.
class Guard_CheckOp<string mnemonic, GuardKind kind, dag extra = (ins)>
    : Guard_CheckOpBase<mnemonic, kind> {
  let arguments = !con((ins I64Attr:$slot, StrAttr:$name), extra);
}

def Guard_CheckTensorOp : Guard_CheckOp<"tensor",
    GuardKind<"KIND_TENSOR", 1, "{slot} is a tensor">> {
  let summary = "The input is a tensor";
  let description = [{
    ```mlir
    guard.check_tensor 0 "x"
    ```
  }];
  let assemblyFormat = "custom<Integer>($slot) $name attr-dict";
}

def Guard_CheckDTypeOp : Guard_CheckOp<"dtype",
    GuardKind<"DTYPE", 2, "{slot}.dtype == {dtype}">,
    (ins TypeAttr:$type)> {
  let summary = "The input has this element type";
  let description = [{
    ```mlir
    guard.check_dtype 0 "x" is f32
    ```
  }];
  let assemblyFormat = "custom<Integer>($slot) $name `is` $type attr-dict";
}

def Guard_CheckRankOp : Guard_CheckOp<"rank",
    GuardKind<"RANK", 3, "{slot}.dim() == {value}">,
    (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$value)> {
  let summary = "The input has this number of dimensions";
  let description = [{
    ```mlir
    guard.check_rank 0 "x" is 2
    ```
  }];
  let assemblyFormat =
      "custom<Integer>($slot) $name `is` custom<Integer>($value) attr-dict";
}

def Guard_CheckSizeOp : Guard_CheckOp<"size",
    GuardKind<"SIZE", 4, "{slot}.size[{dim}] == {value}">,
    (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$dim,
         ConfinedAttr<I64Attr, [IntNonNegative]>:$value)> {
  let summary = "One size of the input is this number";
  let description = [{
    ```mlir
    guard.check_size 0 "x"[1] is 4
    ```
  }];
  let assemblyFormat = [{
    custom<Integer>($slot) $name `[` custom<Integer>($dim) `]`
    `is` custom<Integer>($value) attr-dict
  }];
}

def Guard_CheckSizeExprOp : Guard_CheckOp<"size_expr",
    GuardKind<"SIZE_EXPR", 5, "{slot}.size[{dim}] == {expr}">,
    (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$dim, Guard_ExprAttr:$expr)> {
  let summary = "One size of the input equals an expression";
  let description = [{
    ```mlir
    guard.check_size_expr 1 "y"[0] is <s77 + 1>
    ```
  }];
  let assemblyFormat = [{
    custom<Integer>($slot) $name `[` custom<Integer>($dim) `]`
    `is` $expr attr-dict
  }];
}

def Guard_CheckStrideOp : Guard_CheckOp<"stride",
    GuardKind<"STRIDE", 9, "{slot}.stride[{dim}] == {expr}">,
    (ins ConfinedAttr<I64Attr, [IntNonNegative]>:$dim, Guard_ExprAttr:$expr)> {
  let summary = "One stride of the input equals an expression";
  let description = [{
    Of an input whose strides decided, when the program was captured, whether an
    operator such as `reshape` gave a view or a copy, which a later write makes
    seen. Where the input has no second element to step to, any stride will do.

    ```mlir
    guard.check_stride 0 "x"[0] is <s77>
    ```
  }];
  let assemblyFormat = [{
    custom<Integer>($slot) $name `[` custom<Integer>($dim) `]`
    `is` $expr attr-dict
  }];
}

def Guard_CheckNoAliasOp : Guard_CheckOp<"no_alias",
    GuardKind<"NO_ALIAS", 7, "{slot} has memory of its own">> {
  let summary = "The memory of the input is its own";
  let description = [{
    Of an input that the function writes to: no tensor that the caller passes
    beside it overlaps it. What a program was captured with did not, so the order
    of its reads and writes says nothing of what an overlap would give.

    ```mlir
    guard.check_no_alias 0 "x"
    ```
  }];
  let assemblyFormat = "custom<Integer>($slot) $name attr-dict";
}

def Guard_CheckScalarOp : Guard_CheckOp<"scalar",
    GuardKind<"SCALAR_VALUE", 6, "{slot} == {constant}">,
    (ins AnyAttr:$constant)> {
  let summary = "The input equals the constant it was captured with";
  let description = [{
    The constant is an integer, a float, a bool, text, or `unit` for none (C1).

    ```mlir
    guard.check_scalar 2 "n" is 3 : i64
    ```
  }];
  let assemblyFormat = "custom<Integer>($slot) $name `is` $constant attr-dict";
  let hasVerifier = 1;
}

def Guard_CheckExprOp : Guard_CheckOpBase<"expr",
    GuardKind<"EXPR", 8, "{expr}">> {
  let summary = "A relation between symbols holds";
  let description = [{
    The text is what a failure shows. The expression is an integer over symbols
    (C1), zero means false.

    ```mlir
    guard.check_expr <le(s77, 64)> source "s77 <= 64"
    ```
  }];
  let arguments = (ins Guard_ExprAttr:$expr, StrAttr:$source);
  let assemblyFormat = "$expr `source` $source attr-dict";
}

#endif // KILN_DIALECT_GUARD_IR_GUARDOPS_TD

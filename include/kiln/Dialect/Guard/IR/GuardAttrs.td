//===- GuardAttrs.td - Expressions and shapes --------------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_GUARD_IR_GUARDATTRS_TD
#define KILN_DIALECT_GUARD_IR_GUARDATTRS_TD

include "kiln/Dialect/Guard/IR/GuardDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"

class Guard_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Guard_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Guard_ExprAttr : Guard_Attr<"Expr", "expr"> {
  let summary = "An expression over symbols and loop indices";
  let description = [{
    An immutable tree of integers, floats, symbols (`s77`), loop indices (`d0`)
    and functions. `+`, `-` and `*` are written infix, everything else as a
    call. Building an expression (also by parsing one) brings it to its
    canonical form: sums are sorted polynomials, products are distributed over
    sums, and what can be computed is computed, as long as it fits 64 bits.

    ```mlir
    #guard.expr<s77 * 4 + 1>
    #guard.expr<floordiv(s77 - 1, 2) + 1>
    #guard.expr<max(s0, 1)>
    #guard.expr<le(s77, 64)>
    #guard.expr<trunc(mul(tofloat(s0), float(0.5)))>
    ```

    Names of the form `d0` mean loop indices. Symbols `zf0`, `zuf0` hold
    floats, all others integers. A symbol whose name is not an identifier, or
    looks like a loop index, is written in quotes.
  }];
  let parameters = (ins
    "::kiln::guard::ExprKind":$kind,
    "int64_t":$payload,
    "::mlir::StringAttr":$symbol,
    ArrayRefParameter<"::kiln::guard::ExprAttr">:$operands
  );
  let hasCustomAssemblyFormat = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    AttrBuilder<(ins "ExprKind":$kind, "int64_t":$payload,
                     "::mlir::StringAttr":$symbol,
                     "::llvm::ArrayRef<ExprAttr>":$operands)>
  ];
  let extraClassDeclaration = [{
    /// True for an integer constant.
    bool isConstant() const { return getKind() == ExprKind::Constant; }
    /// The value of an integer constant, nothing for other expressions.
    std::optional<int64_t> getConstant() const {
      return isConstant() ? std::optional<int64_t>(getPayload())
                          : std::nullopt;
    }
    /// True for the integer constant `value`.
    bool isConstant(int64_t value) const {
      return isConstant() && getPayload() == value;
    }
    /// True for a float constant.
    bool isFloatConstant() const { return getKind() == ExprKind::Float; }
    /// The value of a float constant; only for those.
    double getFloat() const;
    bool isSymbol() const { return getKind() == ExprKind::Symbol; }
    bool isDim() const { return getKind() == ExprKind::Dim; }
    /// The position of a loop index; only for those.
    unsigned getPosition() const { return getPayload(); }
    /// True if the value is a float rather than an integer.
    bool isFloatTyped() const;
    ExprAttr getOperand(unsigned i) const { return getOperands()[i]; }
    /// Prints the expression without `#guard.expr<...>` around it.
    void printExpression(::llvm::raw_ostream &os) const;
    /// The same as text.
    std::string str() const;
  }];
}

def Guard_ShapeAttr : Guard_Attr<"Shape", "shape", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "A list of expressions, one for each dimension";
  let description = [{
    The sizes of a tensor, or the `SymInt[]` argument of an operator. As the
    encoding of a tensor type it names the dynamic dimensions:

    ```mlir
    tensor<?x4x64xf32, #guard.shape<[s77, 4, 64]>>
    ```

    The verifier asks that the list has the tensor's rank (S1), that a static
    dimension is written as the same constant (S2), and that a dynamic one is
    not a constant (S3).
  }];
  let parameters = (ins
    OptionalArrayRefParameter<"::kiln::guard::ExprAttr">:$dims);
  let hasCustomAssemblyFormat = 1;
  let builders = [
    AttrBuilder<(ins "::llvm::ArrayRef<int64_t>":$constants)>
  ];
  let extraClassDeclaration = [{
    size_t size() const { return getDims().size(); }
    bool empty() const { return getDims().empty(); }
    ExprAttr operator[](size_t i) const { return getDims()[i]; }
    auto begin() const { return getDims().begin(); }
    auto end() const { return getDims().end(); }
    /// All entries as numbers, or nothing if one is symbolic.
    std::optional<::llvm::SmallVector<int64_t>> getConstants() const;
  }];
}

#endif // KILN_DIALECT_GUARD_IR_GUARDATTRS_TD

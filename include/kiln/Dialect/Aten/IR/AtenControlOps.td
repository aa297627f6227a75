//===- AtenControlOps.td - Ops that are no overloads -------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators that are not known here, and PyTorch's higher-order ones. A body is a
// closed graph, as in an exported program: it sees its own arguments and the
// symbols of the module, nothing else. Bodies are functional and pass tensors; a number is carried as a tensor
// without dimensions.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_ATENCONTROLOPS_TD
#define KILN_DIALECT_ATEN_IR_ATENCONTROLOPS_TD

include "kiln/Dialect/Aten/IR/AtenDialect.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Aten_Tensor : RankedTensorOf<[AnyType], [], "a ranked tensor">;
/// A number as PyTorch passes it: `Scalar`.
def Aten_Number : AnyTypeOf<[I1, I64, F64, Complex<F64>],
                            "a number (i1, i64, f64 or complex<f64>)">;
def Aten_TensorOrNumber : AnyTypeOf<[Aten_Tensor, Aten_Number],
                                    "a tensor or a number">;

def Aten_OperatorOp : Op<Aten_Dialect, "operator"> {
  let summary = "An operator that is no ATen overload known here";
  let description = [{
    Calls a registered operator by its qualified name. Tensors and numbers are
    operands; `arguments` has one entry per argument of the schema in order: an
    attribute for a constant, the index of an operand as `#aten.operand<0>`,
    a list of such, or `unit` for none. The result types are what the program
    says. An operator may have effects, so it is neither removed nor merged.

    ```mlir
    %r = aten.operator "mylib::scale"(%x) [#aten.operand<0>, 2.0 : f64]
      : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins StrAttr:$name,
                       Variadic<Aten_TensorOrNumber>:$inputs,
                       ArrayAttr:$args);
  let results = (outs Variadic<Aten_TensorOrNumber>:$results);
  let assemblyFormat = [{
    $name `(` $inputs `)` $args attr-dict `:` functional-type($inputs, $results)
  }];
  let hasVerifier = 1;
}

/// The effect of an op that gives symbols their values.
defvar Aten_SymbolEffects = [{
  void $cppClass::getEffects(
      ::llvm::SmallVectorImpl<::mlir::MemoryEffects::EffectInstance> &effects) {
    ::kiln::guard::addSymbolEffects(getOperation(), effects);
  }
}];

class Aten_ControlOp<string mnemonic, list<Trait> traits = []>
    : Op<Aten_Dialect, mnemonic, !listconcat(traits, [
        IsolatedFromAbove, RecursiveMemoryEffects, SingleBlock,
        RecursivelySpeculatable,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>])> {
  let results = (outs Variadic<Aten_Tensor>:$results);
  // Besides those of the bodies.
  let extraClassDefinition = Aten_SymbolEffects;
  let hasRegionVerifier = 1;
}

def Aten_YieldOp : Op<Aten_Dialect, "yield", [Pure, Terminator, ReturnLike,
    ParentOneOf<["CondOp", "WhileLoopOp", "ScanOp", "MapOp"]>]> {
  let summary = "The results of a body";
  let description = [{ Example: `aten.yield %y : tensor<4xf32>` }];
  let arguments = (ins Variadic<Aten_TensorOrNumber>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def Aten_CondOp : Aten_ControlOp<"cond"> {
  let summary = "Run one of two graphs";
  let description = [{
    `torch.cond`. The predicate is a bool: a number, or a tensor of one element
    that is read as the program runs. Both bodies take `inputs`; the results are
    those of the body that runs, whose sizes a symbol stands for where the bodies
    differ.

    Constraints:
    - (C1) each body takes what it is given: number and types of the arguments.
    - (C2) each body yields the results: number, element types and shapes, up to
      the spelling of symbolic sizes.
    - (C3) the predicate is of type i1, or a tensor of that type.

    ```mlir
    %r = aten.cond %p(%x) then {
    ^bb0(%t: tensor<4xf32>):
      %0 = aten.sin(%t) : (tensor<4xf32>) -> tensor<4xf32>
      aten.yield %0 : tensor<4xf32>
    } else {
    ^bb0(%t: tensor<4xf32>):
      aten.yield %t : tensor<4xf32>
    } : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Aten_TensorOrNumber:$predicate,
                       Variadic<Aten_Tensor>:$inputs);
  let regions = (region SizedRegion<1>:$thenBody, SizedRegion<1>:$elseBody);
  let assemblyFormat = [{
    $predicate `(` $inputs `)` `then` $thenBody `else` $elseBody attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Aten_WhileLoopOp : Aten_ControlOp<"while_loop", [AttrSizedOperandSegments]> {
  let summary = "Run a graph as long as another gives true";
  let description = [{
    `torch.while_loop`. Both bodies take the carried tensors and then `extras`.
    `cond` yields one bool; while it is true, `do` gives the next carried
    tensors. The results are the last ones, which are the operands if `cond` is
    false at once.

    Constraints:
    - (C1) each body takes what it is given: number and types of the arguments,
      up to the spelling of symbolic sizes.
    - (C2) `do` yields the results, and those are as many and of the types as
      what is carried in, up to the spelling of symbolic sizes.
    - (C3) `cond` yields one value of type i1, or a tensor of that type.

    ```mlir
    %r = aten.while_loop carry(%x) extra(%limit) cond {
    ^bb0(%a: tensor<f32>, %l: tensor<f32>):
      %0 = aten.lt.Tensor(%a, %l) : (tensor<f32>, tensor<f32>) -> tensor<i1>
      aten.yield %0 : tensor<i1>
    } do {
    ^bb0(%a: tensor<f32>, %l: tensor<f32>):
      %0 = aten.add.Tensor(%a, %l) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      aten.yield %0 : tensor<f32>
    } : (tensor<f32>, tensor<f32>) -> tensor<f32>
    ```
  }];
  let arguments = (ins Variadic<Aten_Tensor>:$carried,
                       Variadic<Aten_Tensor>:$extras);
  let regions = (region SizedRegion<1>:$condition, SizedRegion<1>:$body);
  let assemblyFormat = [{
    `carry` `(` $carried `)` (`extra` `(` $extras^ `)`)? `cond` $condition
    `do` $body attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Aten_ScanOp : Aten_ControlOp<"scan", [AttrSizedOperandSegments]> {
  let summary = "Run a graph on each slice, handing on what it carries";
  let description = [{
    `torch._higher_order_ops.scan`. The body takes the carried tensors, a slice
    of each scanned tensor along its first dimension, and `extras`; it yields the
    next carried tensors and then one more slice of each stacked result. The
    results are the last carried tensors and the stacked slices.

    Constraints:
    - (C1) the body takes what it is given: number and types of the arguments,
      up to the spelling of symbolic sizes.
    - (C2) the body yields the results, of which the stacked ones have the number
      of slices as a first dimension more.
    - (C3) at least one tensor is scanned, and all have a first dimension.

    ```mlir
    %last, %all = aten.scan carry(%c) over(%xs) do {
    ^bb0(%a: tensor<2xf32>, %x: tensor<2xf32>):
      %0 = aten.add.Tensor(%a, %x)
        : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      aten.yield %0, %0 : tensor<2xf32>, tensor<2xf32>
    } : (tensor<2xf32>, tensor<5x2xf32>) -> (tensor<2xf32>, tensor<5x2xf32>)
    ```
  }];
  let arguments = (ins Variadic<Aten_Tensor>:$carried,
                       Variadic<Aten_Tensor>:$scanned,
                       Variadic<Aten_Tensor>:$extras);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `carry` `(` $carried `)` `over` `(` $scanned `)`
    (`extra` `(` $extras^ `)`)? `do` $body attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Aten_MapOp : Aten_ControlOp<"map", [AttrSizedOperandSegments]> {
  let summary = "Run a graph on each slice";
  let description = [{
    `torch._higher_order_ops.map`: a scan that carries nothing.

    Constraints: (C1), (C2) and (C3) of `aten.scan`.

    ```mlir
    %r = aten.map over(%xs) extra(%y) do {
    ^bb0(%x: tensor<2xf32>, %z: tensor<2xf32>):
      %0 = aten.add.Tensor(%x, %z)
        : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      aten.yield %0 : tensor<2xf32>
    } : (tensor<3x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
    ```
  }];
  let arguments = (ins Variadic<Aten_Tensor>:$scanned,
                       Variadic<Aten_Tensor>:$extras);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `over` `(` $scanned `)` (`extra` `(` $extras^ `)`)? `do` $body attr-dict
    `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // KILN_DIALECT_ATEN_IR_ATENCONTROLOPS_TD

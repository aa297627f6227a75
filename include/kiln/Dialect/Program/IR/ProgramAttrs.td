//===- ProgramAttrs.td - Attributes of the program dialect -*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_PROGRAM_IR_PROGRAMATTRS_TD
#define KILN_DIALECT_PROGRAM_IR_PROGRAMATTRS_TD

include "kiln/Dialect/Program/IR/ProgramDialect.td"
include "kiln/Dialect/Program/IR/ProgramEnums.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

/// A size, offset or condition: `#guard.expr`.
def Program_ExprAttr
    : Attr<CPred<"::llvm::isa<::kiln::guard::ExprAttr>($_self)">,
           "symbolic expression"> {
  let storageType = "::kiln::guard::ExprAttr";
  let returnType = "::kiln::guard::ExprAttr";
  let convertFromStorage = "$_self";
}

def Program_ExprArrayAttr
    : TypedArrayAttrBase<Program_ExprAttr, "list of symbolic expressions">;

class Program_Attr<string name, string attrMnemonic>
    : AttrDef<Program_Dialect, name> {
  let mnemonic = attrMnemonic;
}

class Program_EnumAttr<EnumInfo info, string attrMnemonic>
    : EnumAttr<Program_Dialect, info, attrMnemonic> {
  let assemblyFormat = "$value";
}

def Program_SlotKindAttr : Program_EnumAttr<Program_SlotKind, "slot_kind">;
def Program_SymbolSourceAttr
    : Program_EnumAttr<Program_SymbolSource, "symbol_source">;
def Program_InvokeKindAttr : Program_EnumAttr<Program_InvokeKind, "invoke_kind">;

def Program_ReasonKindAttr : Program_EnumAttr<Program_ReasonKind, "reason_kind">;

def Program_OperandAttr : Program_Attr<"Operand", "operand"> {
  let summary = "The k-th operand, among the arguments of an operator";
  let description = [{ Example: `#program.operand<0>` }];
  let parameters = (ins "unsigned":$index);
  let assemblyFormat = "`<` $index `>`";
}

def Program_OutputAttr : Program_Attr<"Output", "output"> {
  let summary = "What an output is and where it goes";
  let description = [{
    `path` is the pytree path of a user output, `target` the name of what is
    changed or differentiated. With `value` the output is that constant or
    expression, without it an operand of `program.return`.

    ```mlir
    #program.output<role = buffer_mutation, name = "add", target = "mean">
    ```
  }];
  let parameters = (ins
    EnumParameter<Program_Role>:$role,
    OptionalParameter<"::mlir::StringAttr">:$name,
    OptionalParameter<"::mlir::StringAttr">:$path,
    OptionalParameter<"::mlir::StringAttr">:$target,
    OptionalParameter<"::mlir::Attribute">:$value);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Program_OutputArrayAttr : TypedArrayAttrBase<
    Attr<CPred<"::llvm::isa<::kiln::program::OutputAttr>($_self)">, "output">,
    "list of outputs">;

def Program_TrafficAttr : Program_Attr<"Traffic", "traffic"> {
  let summary = "Bytes a launch moves, at the hint sizes";
  let description = [{
    `unfused` is what the loop nests of its kernels would move one by one.

    Example: `#program.traffic<read = 256, written = 256, unfused = 1152>`
  }];
  let parameters = (ins "int64_t":$read, "int64_t":$written,
                        "int64_t":$unfused);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Program_TensorMapAttr : Program_Attr<"TensorMap", "tensor_map"> {
  let summary = "How a function of a GPU sees a buffer through the copy engine";
  let description = [{
    `buffer` is a position among the buffers of the launch, `offset` counts elements
    from its first; sizes are in elements, innermost first, strides in bytes of all
    but the first; a copy moves `box` elements, swizzled by that many bytes.

    Example: `#program.tensor_map<buffer = 0, element = bf16,
    offset = #guard.expr<0>, sizes = [#guard.expr<64>, #guard.expr<s0>],
    strides = [#guard.expr<128>], box = [64, 128], swizzle = 128>`
  }];
  let parameters = (ins "int64_t":$buffer, "::mlir::Type":$element,
                        "::kiln::guard::ExprAttr":$offset,
                        "::mlir::ArrayAttr":$sizes,
                        "::mlir::ArrayAttr":$strides,
                        "::mlir::DenseI64ArrayAttr":$box, "int64_t":$swizzle);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Program_GridStepAttr : Program_Attr<"GridStep", "grid_step"> {
  let summary = "A function of a GPU and the grid that it runs on";
  let description = [{
    `blocks` blocks of `threads` threads with `shared` bytes of dynamic shared memory
    each. Behind the addresses of the launch's buffers the function takes `symbols`,
    64 bits each, then cells of the grid's checks, and then `maps`. `wide` computes the same with 64 bits.

    Example: `#program.grid_step<kernel = @kernels::@k0, symbols =
    [#guard.expr<s0>], blocks = #guard.expr<ceildiv(s0, 256)>, threads = 256>`
  }];
  let parameters = (ins
    "::mlir::SymbolRefAttr":$kernel,
    OptionalParameter<"::mlir::SymbolRefAttr">:$wide,
    "::mlir::ArrayAttr":$symbols, "::kiln::guard::ExprAttr":$blocks,
    "int64_t":$threads, DefaultValuedParameter<"int64_t", "0">:$shared,
    OptionalParameter<"::mlir::ArrayAttr">:$maps);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Program_MatrixAttr : Program_Attr<"Matrix", "matrix"> {
  let summary = "A matrix of a product, as it lies in a buffer";
  let description = [{
    Element j of row i of matrix b lies `offset + b * apart + i * leading + j` elements
    from the first one of buffer number `buffer` of a launch, or, with `transposed`,
    with i and j exchanged.

    Example: `#program.matrix<buffer = 0, offset = #guard.expr<0>,
    leading = #guard.expr<64>, apart = #guard.expr<0>>`
  }];
  let parameters = (ins "int64_t":$buffer, "::kiln::guard::ExprAttr":$offset,
                        "::kiln::guard::ExprAttr":$leading,
                        "::kiln::guard::ExprAttr":$apart,
                        DefaultValuedParameter<"bool", "false">:$transposed);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Program_ProductAttr : Program_Attr<"Product", "product"> {
  let summary = "A product that a library may compute in place of a launch";
  let description = [{
    `result[b, i, j] = sum over k of left[b, i, k] * right[b, k, j]`, added up in f32, with
    `bias[j]` added where it is the number of a buffer and not -1. `left` and `right` have
    elements of type `factors`, the result and the bias of type `results`; with `tf32`
    factors may be rounded to tf32.

    Example: `#program.product<factors = f32, results = f32, matrices = #guard.expr<1>,
    rows = #guard.expr<s0>, columns = #guard.expr<8>, sum = #guard.expr<4>, left = ...,
    right = ..., result = ...>`
  }];
  let parameters = (ins "::mlir::Type":$factors, "::mlir::Type":$results,
                        "::kiln::guard::ExprAttr":$matrices,
                        "::kiln::guard::ExprAttr":$rows,
                        "::kiln::guard::ExprAttr":$columns,
                        "::kiln::guard::ExprAttr":$sum,
                        "::kiln::program::MatrixAttr":$left,
                        "::kiln::program::MatrixAttr":$right,
                        "::kiln::program::MatrixAttr":$result,
                        DefaultValuedParameter<"int64_t", "-1">:$bias,
                        DefaultValuedParameter<"bool", "false">:$tf32);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Program_ImageAttr : Program_Attr<"Image", "image"> {
  let summary = "An image of a convolution, as it lies in a buffer";
  let description = [{
    The element of image n, channel c at the place p of each dimension lies
    `offset + n * image + c * channel + sum of p * places` elements from the first one of
    buffer number `buffer` of a launch. A step along a dimension of one element may be 0.

    Example: `#program.image<buffer = 0, offset = #guard.expr<0>, image = #guard.expr<12544>,
    channel = #guard.expr<1>, places = [#guard.expr<896>, #guard.expr<64>]>`
  }];
  let parameters = (ins "int64_t":$buffer, "::kiln::guard::ExprAttr":$offset,
                        "::kiln::guard::ExprAttr":$image,
                        "::kiln::guard::ExprAttr":$channel,
                        "::mlir::ArrayAttr":$places);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Program_WeightAttr : Program_Attr<"Weight", "weight"> {
  let summary = "A weight of a convolution, as it lies in a buffer";
  let description = [{
    Dense and row-major from element `offset` of buffer number `buffer` of a launch on: filters
    of all groups, the channels of a group, and the taps of each dimension; with
    `channels_last` the channels come behind the taps.

    Example: `#program.weight<buffer = 1, offset = #guard.expr<0>, channels_last = true>`
  }];
  let parameters = (ins "int64_t":$buffer, "::kiln::guard::ExprAttr":$offset,
                        DefaultValuedParameter<"bool", "false">:$channels_last);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Program_ConvolutionAttr : Program_Attr<"Convolution", "convolution"> {
  let summary = "A convolution that a library may compute in place of a launch";
  let description = [{
    `target[n, g, f, p] = sum over c and t of weight[g, f, c, t] *
    source[n, g, c, p * strides + t * dilations - padding]`, added up in f32, where the source
    is 0 outside of its `inputs`; with `gradient` the weight, which is the sum over n and p of
    source and target. All have `elements`; with `tf32` factors of f32 may be rounded to tf32.

    Example: `#program.convolution<elements = bf16, images = #guard.expr<8>,
    groups = #guard.expr<1>, channels = #guard.expr<64>, filters = #guard.expr<128>,
    inputs = [#guard.expr<28>], outputs = [#guard.expr<14>], taps = [#guard.expr<3>],
    strides = [2], dilations = [1], padding = [1], source = ..., target = ..., weight = ...>`
  }];
  let parameters = (ins "::mlir::Type":$elements,
                        "::kiln::guard::ExprAttr":$images,
                        "::kiln::guard::ExprAttr":$groups,
                        "::kiln::guard::ExprAttr":$channels,
                        "::kiln::guard::ExprAttr":$filters,
                        "::mlir::ArrayAttr":$inputs,
                        "::mlir::ArrayAttr":$outputs, "::mlir::ArrayAttr":$taps,
                        "::mlir::DenseI64ArrayAttr":$strides,
                        "::mlir::DenseI64ArrayAttr":$dilations,
                        "::mlir::DenseI64ArrayAttr":$padding,
                        "::kiln::program::ImageAttr":$source,
                        "::kiln::program::ImageAttr":$target,
                        "::kiln::program::WeightAttr":$weight,
                        DefaultValuedParameter<"bool", "false">:$gradient,
                        DefaultValuedParameter<"bool", "false">:$tf32);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Program_GridAttr : Program_Attr<"Grid", "grid"> {
  let summary = "What a launch is on a GPU";
  let description = [{
    The functions of `steps` run one after the other. With `workspace` the last
    buffer of the launch is memory for them, else they get a null address for it.
    `narrow` is an expression: where it is not 0 the kernels may run that compute
    addresses with 32 bits, elsewhere the `wide` ones. A library may do
    what `library` says instead, which is a `#program.product` or a `#program.convolution`.
    For each of `checks`, which are messages, the functions take the address of a cell behind
    their symbols: one that writes there stops the device, and the run ends with the message.

    Example: `#program.grid<steps = [...], workspace = true>`
  }];
  let parameters = (ins "::mlir::ArrayAttr":$steps,
    DefaultValuedParameter<"bool", "false">:$workspace,
    OptionalParameter<"::kiln::guard::ExprAttr">:$narrow,
    OptionalParameter<"::mlir::Attribute">:$library,
    OptionalParameter<"::mlir::ArrayAttr">:$checks);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif // KILN_DIALECT_PROGRAM_IR_PROGRAMATTRS_TD

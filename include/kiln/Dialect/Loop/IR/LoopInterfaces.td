//===- LoopInterfaces.td - What nests have in common -------*- tablegen -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_IR_LOOPINTERFACES
#define KILN_DIALECT_LOOP_IR_LOOPINTERFACES

include "mlir/IR/OpBase.td"

def Loop_NestOpInterface : OpInterface<"NestOpInterface"> {
  let description = [{
    A loop nest: a domain, bodies that are functions of its indices, and tensors
    that come out. Fusion, schedules, analyses and the frames of all lowerings
    speak of nests; an op is named only where its own code is made or where a
    rewrite is about that op.

    The domain has parallel dimensions, whose points may be visited in any order,
    and then those that are reduced. The row of a scan or sort counts as reduced;
    the extents of a scatter count as parallel although they are visited in order.

    What a nest reads is in `loop.load`s of its bodies, where the dimension that an
    index is follows from `getDimensionOf`, and in operands that it reads by maps of
    its own (`getOperandReads`) or starts from (`getInitialTensor`).

    Example, the tensors that a nest depends on:

    ```c++
    for (NestOpInterface nest : kernel.getNests()) {
      for (const OperandRead &read : nest.getOperandReads())
        tensors.insert(read.tensor);
      nest->walk([&](LoadOp load) { tensors.insert(load.getTensor()); });
      if (Value init = nest.getInitialTensor())
        tensors.insert(init);
    }
    ```
  }];
  let cppNamespace = "::kiln::loop";
  let methods = [
    InterfaceMethod<"The iteration domain.", "::kiln::loop::Domain",
                    "getDomain">,
    InterfaceMethod<[{
        The dimension of its results that it walks along, row by row; nothing for
        nests without rows.
      }], "std::optional<int64_t>", "getRowDimension", (ins), "",
      /*defaultImplementation=*/"return std::nullopt;">,
    InterfaceMethod<[{
        The dimension of the domain that an argument of one of its regions is;
        nothing for other arguments.
      }], "std::optional<unsigned>", "getDimensionOf",
      (ins "::mlir::BlockArgument":$argument), "",
      /*defaultImplementation=*/[{
        if (argument.getOwner()->getParentOp() != $_op.getOperation() ||
            !argument.getType().isIndex())
          return std::nullopt;
        return argument.getArgNumber();
      }]>,
    InterfaceMethod<[{
        The extents of the points at which loads of its bodies are evaluated.
      }], "::llvm::SmallVector<::kiln::guard::ExprAttr>", "getBodyExtents",
      (ins), "", /*defaultImplementation=*/"return $_op.getDomain().all();">,
    InterfaceMethod<[{
        Operands that it reads by maps of its own, in order.
      }], "::llvm::SmallVector<::kiln::loop::OperandRead>", "getOperandReads",
      (ins), "", /*defaultImplementation=*/"return {};">,
    InterfaceMethod<[{
        The operand whose elements its result has before the first point; null if
        there is none.
      }], "::mlir::Value", "getInitialTensor", (ins), "",
      /*defaultImplementation=*/"return {};">,
    InterfaceMethod<[{
        True if the order in which points are visited is part of the meaning: of
        all, or of those of a row.
      }], "bool", "isOrdered", (ins), "",
      /*defaultImplementation=*/
      "return $_op.getRowDimension().has_value();">,
    InterfaceMethod<[{
        True if a whole row must be in memory before its first result is there.
      }], "bool", "holdsRow", (ins), "",
      /*defaultImplementation=*/"return false;">,
    InterfaceMethod<[{
        True if it is the only nest of a kernel that shares this many extents.
      }], "bool", "standsAlone", (ins "unsigned":$shared), "",
      /*defaultImplementation=*/[{
        std::optional<int64_t> row = $_op.getRowDimension();
        return row && *row < int64_t(shared);
      }]>,
    InterfaceMethod<"What logs call it.", "::llvm::StringRef", "getNoun">,
    InterfaceMethod<[{
        The captured nodes it stands for, as an attribute; null for none.
      }], "::mlir::ArrayAttr", "getOriginsAttr">,
    InterfaceMethod<"Sets them.", "void", "setOriginsAttr",
                    (ins "::mlir::ArrayAttr":$origins)>
  ];
  let extraSharedClassDeclaration = [{
    /// Where the point (d0, d1, ...) of its domain stands in its results. Not for
    /// nests that compute positions.
    ::llvm::SmallVector<::kiln::guard::ExprAttr> getResultMap() {
      return ::kiln::loop::detail::getResultMap($_op.getOperation());
    }
    /// True if each point gives one element and may be visited at any time.
    bool isPointwise() {
      return !$_op.isOrdered() && !$_op.standsAlone(0) &&
             $_op.getDomain().reduction.empty();
    }
    /// True if it reduces in any order.
    bool isReduction() {
      return !$_op.isOrdered() && !$_op.getDomain().reduction.empty();
    }
  }];
}

def Loop_AccumulationOpInterface
    : OpInterface<"AccumulationOpInterface", [Loop_NestOpInterface]> {
  let description = [{
    A nest that joins the values of its body with accumulators, by kinds (records
    of LoopReductions.td) or by a region, the combiner. Accumulator `i` is result
    `i`; it is carried in the type that the body yields, and rounded to that of the
    result at the end.

    Example, a reduction without vectors:

    ```c++
    SmallVector<Value> sums;
    for (unsigned i = 0; i < op->getNumResults(); ++i)
      sums.push_back(op.getKind(i).kind == ReductionKind::Generic
                         ? op.getInits()[i]
                         : arith::ConstantOp::create(b, op.getNeutral(b, i)));
    // In the loop over op.getDomain().reduction, after the body:
    sums = *op.combine(b, sums, yielded, emitCombiner);
    ```
  }];
  let cppNamespace = "::kiln::loop";
  let methods = [
    InterfaceMethod<"What accumulators begin with; of `generic` alone.",
                    "::mlir::OperandRange", "getInits">,
    InterfaceMethod<"The kinds, which cover the accumulators in order.",
                    "::mlir::ArrayAttr", "getKinds">,
    InterfaceMethod<"What gives the values.", "::mlir::Region &", "getBody">,
    InterfaceMethod<"What joins them; empty but for `generic`.",
                    "::mlir::Region &", "getCombiner">
  ];
  let extraSharedClassDeclaration = [{
    /// The kind of accumulator `i` and its position among what the kind carries.
    ::kiln::loop::AccumulatorKind getKind(unsigned i) {
      return ::kiln::loop::detail::getKind($_op.getKinds(), i);
    }
    /// The types in which the body yields, that is, accumulates.
    ::llvm::SmallVector<::mlir::Type> getAccumulatorTypes() {
      return ::llvm::to_vector(
          $_op.getBody().front().getTerminator()->getOperandTypes());
    }
    /// The neutral element of accumulator `i`. Not for `generic`.
    ::mlir::TypedAttr getNeutral(::mlir::Builder &builder, unsigned i) {
      return ::kiln::loop::detail::getNeutral($_op.getOperation(), builder, i);
    }
    /// True if all accumulators are floats that each step rounds, which are
    /// therefore added up in blocks.
    bool roundsEachStep() {
      return ::kiln::loop::detail::roundsEachStep($_op.getOperation());
    }
    /// The accumulators of `left` and `right` joined. Values may be scalars or
    /// vectors of one length; `generic` emits the combiner for the same operands.
    ::llvm::FailureOr<::llvm::SmallVector<::mlir::Value>>
    combine(::mlir::ImplicitLocOpBuilder &builder,
            ::llvm::ArrayRef<::mlir::Value> left,
            ::llvm::ArrayRef<::mlir::Value> right,
            ::kiln::loop::GenericCombiner generic) {
      return ::kiln::loop::detail::combine($_op.getOperation(), builder, left,
                                           right, generic);
    }
  }];
}

#endif // KILN_DIALECT_LOOP_IR_LOOPINTERFACES

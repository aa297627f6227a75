//===- Loop.h - The loop dialect --------------------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One header for the dialect: attributes, ops, and their interfaces. What passes and
// emission ask of any nest is in LoopInterfaces.td:
//
//   for (NestOpInterface nest : kernel.getNests())
//     points += hints.product(nest.getDomain().all());
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_LOOP_IR_LOOP_H
#define KILN_DIALECT_LOOP_IR_LOOP_H

#include "kiln/Dialect/Guard/IR/Expr.h"
#include "kiln/Dialect/Loop/IR/Reductions.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "kiln/Dialect/Loop/IR/LoopDialect.h.inc"

#include "kiln/Dialect/Loop/IR/LoopEnums.h.inc"

#include "kiln/Dialect/Loop/IR/LoopScheduleInterface.h.inc"

namespace kiln::loop {

/// The iteration domain of a nest.
struct Domain {
  llvm::SmallVector<guard::ExprAttr> parallel;
  llvm::SmallVector<guard::ExprAttr> reduction;

  unsigned rank() const { return parallel.size() + reduction.size(); }
  /// Parallel and then reduction extents.
  llvm::SmallVector<guard::ExprAttr> all() const;
};

/// A read of an operand that is no load: index k of the element is `map[k]`, over
/// the nest's dimensions.
struct OperandRead {
  mlir::Value tensor;
  llvm::SmallVector<guard::ExprAttr> map;
  bool masked;
};

/// The kind of an accumulator and its position among what the kind carries.
struct AccumulatorKind {
  ReductionKind kind;
  unsigned position;
};

/// Emits the combiner of a `generic` accumulation.
using GenericCombiner =
    llvm::function_ref<llvm::FailureOr<llvm::SmallVector<mlir::Value>>(
        llvm::ArrayRef<mlir::Value> left, llvm::ArrayRef<mlir::Value> right)>;

// Behind the interfaces, which say what these do.
namespace detail {
llvm::SmallVector<guard::ExprAttr> getResultMap(mlir::Operation *nest);
AccumulatorKind getKind(mlir::ArrayAttr kinds, unsigned i);
mlir::TypedAttr getNeutral(mlir::Operation *op, mlir::Builder &builder,
                           unsigned i);
bool roundsEachStep(mlir::Operation *op);
llvm::FailureOr<llvm::SmallVector<mlir::Value>>
combine(mlir::Operation *op, mlir::ImplicitLocOpBuilder &builder,
        llvm::ArrayRef<mlir::Value> left, llvm::ArrayRef<mlir::Value> right,
        GenericCombiner generic);
} // namespace detail

} // namespace kiln::loop

#include "kiln/Dialect/Loop/IR/LoopInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "kiln/Dialect/Loop/IR/LoopAttrs.h.inc"

#define GET_OP_CLASSES
#include "kiln/Dialect/Loop/IR/LoopKernelOps.h.inc"

namespace kiln::loop {

/// The function argument attribute that holds a tensor's strides in elements
/// (`#guard.shape`); without it a tensor is row-major.
inline constexpr llvm::StringLiteral kStridesAttrName = "loop.strides";

/// The function result attribute that says which argument (an i64) the caller
/// wants to hold the result: new contents of a buffer or a parameter.
inline constexpr llvm::StringLiteral kUpdatesAttrName = "loop.updates";

/// The function argument attribute (a unit) of what a forward saved for this function:
/// its memory may be written over once it has been read.
inline constexpr llvm::StringLiteral kSavedAttrName = "loop.saved";

/// The function result attribute (`array<i64>`) that says in which order the caller sees
/// the dimensions of a result: its dimension k is dimension order[k] of the tensor. Only
/// results that have it may change their order.
inline constexpr llvm::StringLiteral kOrderAttrName = "loop.order";

/// The attribute of a module that says which processor its kernels are for:
/// `#loop.target` or `#loop.gpu`.
inline constexpr llvm::StringLiteral kTargetAttrName = "loop.target";

/// The CPU of the module that `op` is or stands in, or the default.
TargetAttr getTarget(mlir::Operation *op);
/// The GPU of the module that `op` is or stands in; null if it is for a CPU.
GPUTargetAttr getGPUTarget(mlir::Operation *op);

/// The least capability of a GPU whose products go by way of shared memory: warps read
/// matrices from there, and units multiply f16.
inline constexpr int64_t kGPUProduct = 75;
/// That of one which copies there while threads multiply, and whose units take bf16 and tf32,
/// too: products with rows between them are for no other.
inline constexpr int64_t kGPUCopiesAhead = 80;
/// The same of one with a copy engine that brings pieces of memory, and barriers in shared memory
/// that count what has arrived.
inline constexpr int64_t kGPUBringsRows = 90;

/// Elements of rows by one key up to which a GPU sorts them by comparing pairs, not by digits.
inline constexpr int64_t kGPUMostCompared = 256;

/// The entries of a list of expressions.
llvm::SmallVector<guard::ExprAttr> getExprs(mlir::ArrayAttr list);

/// A list of expressions as an attribute.
mlir::ArrayAttr getExprArray(mlir::MLIRContext *context,
                             llvm::ArrayRef<guard::ExprAttr> exprs);

/// The index operands themselves: d0, d1, ... d<count-1>.
llvm::SmallVector<guard::ExprAttr> getIdentityMap(mlir::MLIRContext *context,
                                                  unsigned count);

/// True for floats of 8 bits, which no processor computes with.
bool isSmallFloat(mlir::Type elementType);

/// The type of an element inside a body: integers lose their sign, 8-bit floats
/// are their bits (i8), all other types are what the tensor holds.
mlir::Type getBodyType(mlir::Type elementType);

/// True if the lanes of a kernel may be neighbours in its last shared dimension:
/// it has one (a contraction: a parallel one), and needs neither order nor more
/// than one value per point of the shared domain.
bool canWalkAcross(KernelOp kernel);

/// True if the indices of `load` are those of the nest that it stands in: of what
/// another nest has made it reads the element in its own place.
bool readsOwnPlace(LoadOp load);

/// True if threads may share the rows of a kernel: its nests are pointwise or reduce
/// to one value per point of the shared domain, and read of each other's rows the
/// element in their own place.
bool canShareRows(KernelOp kernel);

/// True if the reductions of a kernel may be done part by part by one function and
/// finished by another: all are over the same extents, to one value per point of the
/// shared domain, and read inputs alone; other nests are pointwise over that domain.
bool canReduceInParts(KernelOp kernel);

/// True if a kernel as `#loop.gpu_tile` computes what goes through shared memory, and does not
/// just read it: some nest reduces.
bool stagesResults(KernelOp kernel);

/// Dimensions whose points each write to elements of their own, so that they
/// are visited in any order: the position is the index itself somewhere. Of a
/// scatter that reads what it has written, only those that are said to be
/// independent.
llvm::SmallVector<unsigned> getOwnDims(ScatterOp op);

/// True if the points of a scatter may be visited in any order, at the same time: it
/// adds up, and does not read what it has written.
bool canScatterInAnyOrder(ScatterOp op);

/// True if neighbours along the last dimension of its domain go to neighbouring
/// elements of one row of the result, all of them or none.
bool scattersRows(ScatterOp op);

/// True if each index of the last dimension of its domain is a column of the result, so
/// that columns are written without a look at others.
bool ownsColumns(ScatterOp op);

/// The leading dimensions of a scatter's domain at whose points no other point of them
/// writes, so that each may have a thread of its own: those that are said to be
/// independent, and those whose index is that of the same dimension of the result, which
/// is as long. The last one is none where rows go to rows.
unsigned countIndependent(ScatterOp op);

/// True if `value`, of the body of a nest, may be another one where `index`, an index of
/// that nest, is.
bool dependsOnIndex(mlir::Value value, mlir::BlockArgument index);
/// All such values of the body, in it, and what is read there of other nests of a kernel, which
/// each point has its own of.
llvm::DenseSet<mlir::Value> getDependent(mlir::BlockArgument index);

/// The neighbouring floats that one atomic operation of a GPU adds to memory at most; 1
/// where the target is not known, or it has none for such elements.
int64_t getAtomicLanes(GPUTargetAttr target, mlir::Type element);

/// For each of the extents that a kernel shares, the dimension of one of its
/// contractions that is the shared one: the first ones, or, if the contraction reads
/// what the kernel computes, those that its operand is read at; nothing in the place
/// of an extent 1 that is none of them. The last may be summed up, all others are
/// parallel. Nothing at all if there is no such assignment.
std::optional<llvm::SmallVector<std::optional<unsigned>>>
getSharedDims(ContractOp op, llvm::ArrayRef<guard::ExprAttr> shared);

/// True if a contraction of a kernel sums up the last of the shared dimensions: its
/// result is one of the points of those before.
bool sumsOverRows(ContractOp op, llvm::ArrayRef<guard::ExprAttr> shared);

/// True if the kernel has contractions and nests of other kinds.
bool mixesContractions(KernelOp kernel);

/// The origins of a nest or kernel; empty if it has none.
llvm::SmallVector<llvm::StringRef> getOrigins(mlir::Operation *op);

/// Appends the names in `more` that `origins` does not hold yet.
void mergeOrigins(llvm::SmallVectorImpl<llvm::StringRef> &origins,
                  llvm::ArrayRef<llvm::StringRef> more);

/// `origins` as an attribute, null when there are none.
mlir::ArrayAttr getOriginsAttr(mlir::MLIRContext *context,
                               llvm::ArrayRef<llvm::StringRef> origins);

} // namespace kiln::loop

#endif // KILN_DIALECT_LOOP_IR_LOOP_H

//===- PartitionProblem.cpp - The partition problem of a joint graph ------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Dialect/Guard/IR/SymbolEffects.h"
#include "kiln/Dialect/Joint/IR/Joint.h"
#include "kiln/Dialect/Joint/Transforms/Partition.h"
#include "kiln/Dialect/Joint/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"

#include "llvm/Support/MathExtras.h"

namespace kiln::joint {

/// What a symbol without a hint counts as.
static constexpr int64_t kUnknownSize = 64;
/// Sizes beyond this do not matter to the choice, and must not overflow.
static constexpr int64_t kLargestBytes = int64_t(1) << 50;

namespace {

/// Bytes of values, with hints in place of symbols.
class Sizes {
public:
  explicit Sizes(Operation *op) {
    auto module = op->getParentOfType<ModuleOp>();
    if (!module)
      return;
    for (auto symbol : module.getOps<guard::SymbolOp>())
      if (symbol.getHint())
        hints[symbol.getSymName()] = *symbol.getHint();
  }

  int64_t bytesOf(Type type) const {
    Type element = mlir::getElementTypeOrSelf(type);
    int64_t bits = 64;
    if (element.isIntOrFloat())
      bits = element.getIntOrFloatBitWidth();
    else if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element))
      bits = 2 * complex.getElementType().getIntOrFloatBitWidth();
    int64_t bytes = std::max<int64_t>(1, bits / 8);
    for (int64_t size : sizesOf(type))
      if (llvm::MulOverflow(bytes, size, bytes) || bytes > kLargestBytes)
        bytes = kLargestBytes;
    return bytes;
  }

  /// None for what is not a ranked tensor.
  SmallVector<int64_t> sizesOf(Type type) const {
    SmallVector<int64_t> sizes;
    auto tensor = llvm::dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return sizes;
    auto dims = guard::getDims(tensor);
    for (int64_t i = 0; i < tensor.getRank(); ++i)
      sizes.push_back(!tensor.isDynamicDim(i) ? tensor.getDimSize(i)
                      : dims                  ? evaluate((*dims)[i])
                                              : kUnknownSize);
    return sizes;
  }

private:
  int64_t evaluate(guard::ExprAttr expr) const {
    auto value = guard::evaluate(
        expr, [&](guard::ExprAttr leaf) -> std::optional<guard::Number> {
          if (!leaf.isSymbol())
            return std::nullopt;
          auto found = hints.find(leaf.getSymbol().getValue());
          return guard::Number::of(found == hints.end() ? kUnknownSize
                                                        : found->second);
        });
    if (!value || value->isFloat || value->integer < 0)
      return kUnknownSize;
    return value->integer;
  }

  llvm::StringMap<int64_t> hints;
};

} // namespace

/// The region of the user's checkpoint that `op` is of, or -1.
static int64_t getRegion(Operation *op) {
  auto region = op->getAttrOfType<mlir::IntegerAttr>(kRecomputeAttrName);
  return region ? region.getInt() : -1;
}

/// Tags speak of the op that made the storage. They stand on identity ops, or as
/// attributes on the op itself.
static void readTags(Block &block, const DenseMap<Value, int> &numbers,
                     PartitionProblem &problem) {
  DenseMap<int, int> makers;
  for (auto [i, op] : llvm::enumerate(problem.ops))
    for (int result : op.results)
      makers[result] = static_cast<int>(i);
  auto setTag = [&](Value value, RecomputeTag tag) {
    int storage = problem.values[numbers.lookup(value)].storage;
    auto maker = makers.find(storage);
    if (maker != makers.end())
      problem.ops[maker->second].tag = tag;
  };
  for (auto [i, op] : llvm::enumerate(block.without_terminator()))
    if (getRegion(&op) >= 0)
      problem.ops[i].tag = RecomputeTag::Recompute;
  // What a region hands to a later one is where its recomputation begins.
  for (Operation &op : block.without_terminator())
    for (Value operand : op.getOperands())
      if (Operation *made = operand.getDefiningOp())
        if (getRegion(made) >= 0 && getRegion(&op) > getRegion(made))
          setTag(operand, RecomputeTag::Save);
  for (Operation &op : block.without_terminator()) {
    if (op.hasAttr(kSaveAttrName) && op.getNumResults() > 0)
      setTag(op.getResult(0), RecomputeTag::Save);
    if (llvm::isa<SaveOp>(op))
      setTag(op.getResult(0), RecomputeTag::Save);
    if (llvm::isa<RecomputeOp>(op))
      setTag(op.getResult(0), RecomputeTag::Recompute);
  }
}

PartitionProblem buildPartitionProblem(GraphOp graph) {
  PartitionProblem problem;
  Sizes sizes(graph);
  DenseMap<Value, int> numbers;
  auto addValue = [&](Value value) {
    PartitionValue entry;
    entry.bytes = sizes.bytesOf(value.getType());
    entry.isTensor = llvm::isa<mlir::TensorType>(value.getType());
    entry.storage = static_cast<int>(problem.values.size());
    numbers[value] = entry.storage;
    problem.values.push_back(std::move(entry));
    return problem.values.back().storage;
  };
  for (Value primal : graph.getPrimals())
    problem.values[addValue(primal)].isPrimal = true;
  for (Value tangent : graph.getTangents())
    problem.values[addValue(tangent)].isTangent = true;

  Block &block = graph.getBody().front();
  for (Operation &op : block.without_terminator()) {
    PartitionOp entry;
    // Who gives a symbol its value does so in the forward, once, whether or not
    // anything uses the elements.
    if (guard::hasSymbolEffect(&op))
      entry.recompute = RecomputeClass::Opaque;
    else
      entry.recompute = getRecomputeClass(&op);
    entry.flops = getFlops(
        &op, [&](Value value) { return sizes.sizesOf(value.getType()); });
    entry.comparesExactly = comparesExactly(&op);
    // Values captured by a region are operands as well.
    llvm::SetVector<Value> operands(op.operand_begin(), op.operand_end());
    op.walk([&](Operation *nested) {
      for (Value value : nested->getOperands())
        if (value.getParentBlock() == &block)
          operands.insert(value);
    });
    for (Value value : operands)
      entry.operands.push_back(numbers.lookup(value));
    OpOperand *viewed = getViewedOperand(&op);
    if (entry.recompute == RecomputeClass::View && !viewed)
      entry.recompute = RecomputeClass::Cheap;
    for (Value result : op.getResults()) {
      int number = addValue(result);
      entry.results.push_back(number);
      if (entry.recompute == RecomputeClass::View)
        problem.values[number].storage =
            problem.values[numbers.lookup(viewed->get())].storage;
    }
    problem.ops.push_back(std::move(entry));
  }

  readTags(block, numbers, problem);

  auto terminator = llvm::cast<ReturnOp>(block.getTerminator());
  for (Value output : terminator.getOutputs())
    problem.values[numbers.lookup(output)].isOutput = true;
  for (Value gradient : terminator.getGradients())
    problem.values[numbers.lookup(gradient)].isGradient = true;
  return problem;
}

} // namespace kiln::joint

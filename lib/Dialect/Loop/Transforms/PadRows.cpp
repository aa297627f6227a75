//===- PadRows.cpp - Rows that begin where a GPU reads vectors ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GPUProducts.h"
#include "PermuteNest.h"

#include "kiln/Dialect/Loop/IR/RowParts.h"
#include "kiln/Dialect/Loop/Transforms/ChooseSchedule.h"
#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace kiln::loop {
#define GEN_PASS_DEF_PADROWSPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

/// Bytes of a tensor from which on it matters how its rows lie.
static constexpr int64_t kLeastBytes = 1 << 20;

/// The type with rows that begin at multiples of 16 bytes, or of a line; null
/// where they do, or are not of a known size.
static RankedTensorType getPadded(RankedTensorType type,
                                  const analysis::SizeHints &hints) {
  auto dims = guard::getDims(type);
  if (!dims || dims->size() < 2 || hints.getBytes(type) < kLeastBytes)
    return {};
  auto size = dims->back().getConstant();
  int64_t bytes = analysis::getElementBytes(type.getElementType());
  if (!size || !llvm::isPowerOf2_64(bytes) || *size * bytes < kLine ||
      *size * bytes % kCopiedAtOnce == 0)
    return {};
  dims->back() = guard::getConstant(type.getContext(), padRow(*size, bytes));
  return guard::makeTensorType(type.getElementType(), *dims);
}

/// True if the kernel walks rows of so many elements one by one: where rows of
/// a tensor do not follow each other, it has no fewer neighbours to read or
/// write together.
static bool walksRows(KernelOp kernel, ExprAttr size) {
  auto shared = getExprs(kernel.getShared());
  return !getRowParts(kernel) &&
         llvm::all_of(kernel.getNests(),
                      [](NestOpInterface nest) {
                        return isa<PointwiseOp, ReduceOp>(nest.getOperation());
                      }) &&
         (shared.size() < 2 || !llvm::is_contained(shared, size));
}

/// True if what gives `made` may make rows of `size` elements that are apart.
static bool canMake(OpResult made, ExprAttr size) {
  auto kernel = dyn_cast<KernelOp>(made.getOwner());
  if (!kernel || kernel.getScheduleAttr())
    return false;
  if (getProduct(kernel))
    return true;
  Operation *returned = kernel.getBody().front().getTerminator();
  auto nest = returned->getOperand(made.getResultNumber())
                  .getDefiningOp<PointwiseOp>();
  // Of rows that are shared as a whole there is a thread for each vector.
  return nest && walksRows(kernel, size) &&
         nest.getDomain().parallel.size() > kernel.getShared().size();
}

/// How a product takes rows that are apart.
enum class Takes { Badly, Well, OnUnits };

namespace {
/// A tensor and all who read it, in one function or, where that saves it, in two.
struct PaddedTensor {
  OpResult made;
  RankedTensorType type;
  SmallVector<OpOperand *> reads; ///< inputs of kernels
  BlockArgument saved;            ///< of another function; null: it is not saved
  bool isUseful = false;          ///< to matrix units

  void setType(RankedTensorType other);
};

class PadRows : public loop::impl::PadRowsPassBase<PadRows> {
  void runOnOperation() override;

  void collect(func::FuncOp function, const CarriedTensors &carried,
               const GPUMachine &machine, const analysis::SizeHints &hints);
  void dropMixed();
  void spreadUse();

  /// By the value that a kernel makes, and by the argument that it is saved as.
  llvm::MapVector<Value, PaddedTensor> tensors;
  llvm::DenseMap<Value, Value> saved;
  const PaddedTensor *lookUp(Value tensor) const {
    auto made = saved.find(tensor);
    auto it = tensors.find(made == saved.end() ? tensor : made->second);
    return it == tensors.end() ? nullptr : &it->second;
  }
};
} // namespace

/// What gets longer rows with `made`; nothing where somebody wants them as they
/// are.
static std::optional<PaddedTensor>
findPadded(OpResult made, const CarriedTensors &carried,
           const analysis::SizeHints &hints) {
  auto old = cast<RankedTensorType>(made.getType());
  PaddedTensor padded = {made, getPadded(old, hints), {}, {}, false};
  if (!padded.type)
    return std::nullopt;
  ExprAttr size = guard::getDims(old)->back();
  if (!canMake(made, size))
    return std::nullopt;
  auto takeRead = [&](OpOperand &use) {
    auto kernel = dyn_cast<KernelOp>(use.getOwner());
    padded.reads.push_back(&use);
    return kernel && !kernel.getScheduleAttr() &&
           (getProduct(kernel) || walksRows(kernel, size));
  };
  for (OpOperand &use : made.getUses()) {
    BlockArgument saved = carried.getReader(use);
    if (saved ? bool(padded.saved) : !takeRead(use))
      return std::nullopt;
    if (saved)
      padded.saved = saved;
  }
  if (padded.saved &&
      !llvm::all_of(padded.saved.getUses(),
                    [&](OpOperand &use) { return takeRead(use); }))
    return std::nullopt;
  return padded;
}

void PaddedTensor::setType(RankedTensorType other) {
  made.setType(other);
  for (OpOperand *use : reads)
    cast<KernelOp>(use->getOwner())
        .getBody()
        .getArgument(use->getOperandNumber())
        .setType(other);
  if (!saved)
    return;
  saved.setType(other);
  updateType(made.getOwner()->getParentOfType<func::FuncOp>());
  updateType(cast<func::FuncOp>(saved.getOwner()->getParentOp()));
}

/// `input`: the number of the kernel's input; none: its result.
static Takes getTakes(KernelOp kernel, std::optional<unsigned> input,
                      const GPUMachine &machine,
                      const analysis::SizeHints &hints) {
  ContractOp op = getProduct(kernel);
  if (!op)
    return Takes::Well; // walks each row for itself
  auto strides = analysis::getInputStrides(kernel);
  if (failed(strides))
    return Takes::Badly;
  auto shape = getTileShape(op, *strides);
  if (!shape)
    return Takes::Badly;
  GPUProductShape product = getGPUProductShape(op, *shape, machine, hints);
  Takes well = product.onUnits ? Takes::OnUnits : Takes::Well;
  if (!input)
    return !shape->isIrregular(2) && shape->columns.dims.size() == 1
               ? well
               : Takes::Badly;
  Value tensor = kernel.getBody().getArgument(*input);
  bool isFactor = false;
  for (unsigned k = 0; k < 2; ++k) {
    bool isLeft = (k == 0) != shape->exchanged;
    if ((isLeft ? op.getLhs() : op.getRhs()) != tensor)
      continue;
    isFactor = true;
    if (product.onUnits ? !fitsBoxes(op, *shape, k, product.bytes)
                        : shape->isIrregular(k))
      return Takes::Badly;
  }
  return isFactor ? well : Takes::Well;
}

void PadRows::collect(func::FuncOp function, const CarriedTensors &carried,
                      const GPUMachine &machine,
                      const analysis::SizeHints &hints) {
  for (auto kernel : function.getOps<KernelOp>())
    for (OpResult made : kernel->getResults()) {
      auto padded = findPadded(made, carried, hints);
      if (!padded)
        continue;
      // What products find of it is asked as it would be.
      auto old = cast<RankedTensorType>(made.getType());
      padded->setType(padded->type);
      SmallVector<Takes> takes = {
          getTakes(kernel, std::nullopt, machine, hints)};
      for (OpOperand *use : padded->reads)
        takes.push_back(getTakes(cast<KernelOp>(use->getOwner()),
                                 use->getOperandNumber(), machine, hints));
      padded->setType(old);
      if (llvm::is_contained(takes, Takes::Badly))
        continue;
      padded->isUseful = llvm::is_contained(takes, Takes::OnUnits);
      if (padded->saved)
        saved[padded->saved] = made;
      tensors.insert({made, *padded});
    }
}

/// Tensors of rows of `size` elements that a kernel reads and makes.
static SmallVector<Value> getTensorsOfRows(KernelOp kernel, ExprAttr size) {
  SmallVector<Value> rows(kernel.getInputs());
  llvm::append_range(rows, kernel.getResults());
  llvm::erase_if(rows, [&](Value tensor) {
    auto dims = guard::getDims(cast<RankedTensorType>(tensor.getType()));
    return !dims || dims->size() < 2 || dims->back() != size;
  });
  return rows;
}

/// Those that read it and that which makes it, but for products.
static SmallVector<KernelOp> getWalks(const PaddedTensor &tensor) {
  SmallVector<KernelOp> walks = {cast<KernelOp>(tensor.made.getOwner())};
  for (OpOperand *use : tensor.reads)
    walks.push_back(cast<KernelOp>(use->getOwner()));
  llvm::erase_if(walks, [](KernelOp kernel) { return getProduct(kernel); });
  return walks;
}

static ExprAttr getRowSize(const PaddedTensor &tensor) {
  return guard::getDims(cast<RankedTensorType>(tensor.made.getType()))->back();
}

/// Lets those go that are read or made beside rows that begin elsewhere: vectors of one
/// would be elements of the other.
void PadRows::dropMixed() {
  auto isMixed = [&](const PaddedTensor &tensor) {
    ExprAttr size = getRowSize(tensor);
    return llvm::any_of(getWalks(tensor), [&](KernelOp kernel) {
      return llvm::any_of(getTensorsOfRows(kernel, size),
                          [&](Value other) { return !lookUp(other); });
    });
  };
  SmallVector<Value> mixed;
  do {
    mixed.clear();
    for (auto &entry : tensors)
      if (isMixed(entry.second))
        mixed.push_back(entry.first);
    for (Value made : mixed)
      tensors.erase(made);
  } while (!mixed.empty());
}

/// What walks rows beside those of use is of use to it.
void PadRows::spreadUse() {
  bool hasChanged = true;
  while (hasChanged) {
    hasChanged = false;
    for (auto &[made, tensor] : tensors) {
      if (tensor.isUseful)
        continue;
      ExprAttr size = getRowSize(tensor);
      for (KernelOp kernel : getWalks(tensor))
        tensor.isUseful |=
            llvm::any_of(getTensorsOfRows(kernel, size), [&](Value other) {
              const PaddedTensor *found = lookUp(other);
              return found && found->isUseful;
            });
      hasChanged |= tensor.isUseful;
    }
  }
}

void PadRows::runOnOperation() {
  ModuleOp module = getOperation();
  if (failed(
          verifyPassInput(module, getArgument(), {Stage::Loop, Stage::Loop})))
    return signalPassFailure();
  CarriedTensors carried(module);
  analysis::SizeHints hints(module);
  tensors.clear();
  saved.clear();
  for (auto function : module.getOps<func::FuncOp>()) {
    GPUTargetAttr gpu = getGPUTarget(function);
    if (!gpu || function.isExternal())
      continue;
    GPUMachine machine = getMachine(gpu);
    if (machine.hasWarpgroups)
      collect(function, carried, machine, hints);
  }
  dropMixed();
  spreadUse();
  for (auto &[made, tensor] : tensors)
    if (tensor.isUseful)
      tensor.setType(tensor.type);
}

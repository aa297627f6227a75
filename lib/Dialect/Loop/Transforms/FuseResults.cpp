//===- FuseResults.cpp - Finish what reads a product where its tiles are --===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnSums.h"
#include "GPUProducts.h"

#include "kiln/Analysis/Followers.h"
#include "kiln/Analysis/StoredRows.h"
#include "kiln/Dialect/Guard/IR/SymbolEffects.h"
#include "kiln/Dialect/Loop/Transforms/ChooseSchedule.h"
#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/Remarks.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

namespace kiln::loop {
#define GEN_PASS_DEF_FUSERESULTSPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

/// Bytes that a thread stores at once, at least.
static constexpr int64_t kStored = 16;

namespace {

/// A product whose threads may go on with what they have made.
struct OpenProduct {
  KernelOp kernel;
  ContractOp op;
  analysis::ContractionShape shape;
  GPUProductShape numbers;
  bool isChosen = false; ///< its schedule is the one that is chosen for it
};

class FuseResults : public loop::impl::FuseResultsPassBase<FuseResults> {
public:
  using FuseResultsPassBase::FuseResultsPassBase;
  void runOnOperation() override;

private:
  std::optional<OpenProduct> open(KernelOp kernel) const;
  /// The kernel with a reader of it, or null where none is better off so.
  KernelOp fuseOne(KernelOp kernel);
  KernelOp fuse(const OpenProduct &product, KernelOp reader,
                const GPUProductShape &joined);

  GPUMachine machine;
  std::optional<analysis::SizeHints> hints;
};

} // namespace

/// True if results of the kernel are parts of larger tensors.
static bool storesParts(KernelOp kernel) {
  auto returned = cast<ReturnOp>(kernel.getBody().front().getTerminator());
  return returned.getStridesAttr() != nullptr;
}

std::optional<OpenProduct> FuseResults::open(KernelOp kernel) const {
  auto schedule =
      dyn_cast_or_null<GPUProductScheduleAttr>(kernel.getScheduleAttr());
  auto strides = analysis::getInputStrides(kernel);
  if (!schedule || schedule.getLibrary() != GPULibrary::None ||
      failed(strides) || storesParts(kernel))
    return std::nullopt;
  OpenProduct product;
  product.kernel = kernel;
  product.op = *kernel.getBody().getOps<ContractOp>().begin();
  auto type = cast<RankedTensorType>(product.op.getResult().getType());
  auto shape = getTileShape(product.op, *strides);
  bool storesVectors =
      schedule.getLanes() * analysis::getElementBytes(type.getElementType()) >=
      kStored;
  if (!shape || product.op.isGrouped() || !storesVectors ||
      shape->columns.dims.empty() ||
      analysis::getStoredType(product.op.getResult()) != type)
    return std::nullopt;
  product.numbers = getGPUProductShape(product.op, *shape, machine, *hints);
  // Sums over rows of tiles are as high as these.
  product.isChosen =
      kernel.getBody().getOps<ReduceOp>().empty() &&
      getProductSchedule(product.op, *shape,
                         chooseGPUProduct(product.numbers, machine)) == schedule;
  product.shape = std::move(*shape);
  return product;
}

/// What the body of `product` has for an argument of `reader`; null for what others make.
static Value getMade(KernelOp product, KernelOp reader, Value argument) {
  auto input = dyn_cast<BlockArgument>(argument);
  auto made = input ? dyn_cast<OpResult>(reader.getInputs()[input.getArgNumber()])
                    : OpResult();
  return made && made.getOwner() == product
             ? product.getBody().front().getTerminator()->getOperand(
                   made.getResultNumber())
             : Value();
}

//===----------------------------------------------------------------------===//
// Whether it may be
//===----------------------------------------------------------------------===//

/// Why a nest of `reader` cannot follow the product; nothing if it can.
static StringRef whyNotBehind(const OpenProduct &product, KernelOp reader,
                              PointwiseOp nest) {
  ContractOp op = product.op;
  SmallVector<guard::ExprAttr> extents = nest.getDomain().parallel;
  auto dims = analysis::getFollowedDims(extents, op.getDomain().parallel);
  if (!dims || product.shape.columns.dims.back() < dims->product)
    return "its points are not the elements of the product";
  for (const analysis::Access &access :
       analysis::getReads(cast<NestOpInterface>(nest.getOperation()))) {
    bool isOwn = access.tensor.getDefiningOp() != nullptr;
    if (Value made = getMade(product.kernel, reader, access.tensor)) {
      if (made.getType() != access.tensor.getType())
        return "rows of what it reads are longer than the product's";
      isOwn = true;
    }
    if (isOwn && !analysis::readsOwnElement(access, extents))
      return "it reads other elements of the product than that of its point";
    if (!isOwn && access.indirect)
      return "it reads at computed positions";
  }
  return "";
}

/// True if a result for the caller may be written over an argument, as parameters are updated: a
/// product stores no tile over what it reads.
static bool isUpdate(KernelOp reader) {
  DenseI64ArrayAttr pairs = analysis::getOverwrites(reader);
  for (int64_t k = 0; pairs && k < pairs.size(); k += 2) {
    bool isReturned =
        llvm::any_of(reader.getResult(pairs[k]).getUsers(),
                     [](Operation *user) { return user->hasTrait<OpTrait::IsTerminator>(); });
    if (isReturned && isa<BlockArgument>(reader.getInputs()[pairs[k + 1]]))
      return true;
  }
  return false;
}

/// True if all that `reader` needs besides is there before `product`.
static bool canMoveUp(KernelOp product, KernelOp reader) {
  llvm::SmallDenseSet<StringAttr> known;
  product->walk([&](Operation *op) {
    guard::forEachSymbol(op, [&](StringAttr name) { known.insert(name); });
  });
  bool isKnown = true;
  reader->walk([&](Operation *op) {
    guard::forEachSymbol(
        op, [&](StringAttr name) { isKnown &= known.contains(name); });
  });
  return isKnown && llvm::all_of(reader.getInputs(), [&](Value input) {
           Operation *maker = input.getDefiningOp();
           return !maker || maker == product ||
                  maker->getBlock() != product->getBlock() ||
                  maker->isBeforeInBlock(product);
         });
}

/// True if nobody reads `product` before `reader`.
static bool canMoveDown(KernelOp product, KernelOp reader) {
  return llvm::all_of(product->getUsers(), [&](Operation *user) {
    Operation *at = reader->getBlock()->findAncestorOpInBlock(*user);
    return at == reader || (at && reader->isBeforeInBlock(at));
  });
}

/// Why `reader` cannot be a part of the product's kernel; nothing if it can.
static StringRef whyNot(const OpenProduct &product, KernelOp reader) {
  for (auto nest : reader.getBody().getOps<PointwiseOp>())
    if (StringRef why = whyNotBehind(product, reader, nest); !why.empty())
      return why;
  auto across =
      dyn_cast_or_null<GPUAcrossScheduleAttr>(reader.getScheduleAttr());
  if (!across || across.getLanes() == 1)
    return "what it reads besides lies in another order";
  if (isUpdate(reader))
    return "it is written over what it reads";
  if (storesParts(reader))
    return "it stores a part of a larger tensor";
  if (!canMoveUp(product.kernel, reader) &&
      !canMoveDown(product.kernel, reader))
    return "it reads what is made behind the product, which others read before";
  return "";
}

//===----------------------------------------------------------------------===//
// Whether it gains
//===----------------------------------------------------------------------===//

/// Results of the product's kernel that others than `reader` read.
static SmallVector<OpResult> getKept(KernelOp product, KernelOp reader) {
  SmallVector<OpResult> kept;
  llvm::copy_if(product->getResults(), std::back_inserter(kept),
                [&](OpResult result) {
                  return !llvm::all_of(result.getUsers(), [&](Operation *user) {
                    return user == reader;
                  });
                });
  return kept;
}

/// The product in numbers, with the nests of `reader` behind it.
static GPUProductShape join(const OpenProduct &product, KernelOp reader,
                            const analysis::SizeHints &hints) {
  GPUProductShape joined = product.numbers;
  auto isAtHand = [&](Value tensor) {
    return tensor.getDefiningOp() || getMade(product.kernel, reader, tensor);
  };
  for (auto nest : reader.getBody().getOps<PointwiseOp>())
    addFollower(joined, nest, isAtHand, hints);
  joined.results =
      getKept(product.kernel, reader).size() + reader.getNumResults();
  return joined;
}

KernelOp FuseResults::fuseOne(KernelOp kernel) {
  auto product = open(kernel);
  if (!product)
    return {};
  llvm::SmallSetVector<KernelOp, 4> readers;
  for (Operation *user : kernel->getUsers()) {
    auto reader = dyn_cast<KernelOp>(user);
    if (reader && reader->getBlock() == kernel->getBlock() &&
        llvm::all_of(reader.getNests(), [](NestOpInterface nest) {
          return isa<PointwiseOp>(nest.getOperation());
        }))
      readers.insert(reader);
  }
  for (KernelOp reader : readers) {
    StringRef why = whyNot(*product, reader);
    GPUProductShape joined = product->numbers;
    if (why.empty()) {
      joined = join(*product, reader, *hints);
      auto [read, written] = getMoved(reader, *hints);
      double apart = estimateGPUProduct(product->numbers, machine) +
                     estimateGPUCopies(1, double(read + written));
      if (estimateGPUProduct(joined, machine) < apart)
        return fuse(*product, reader, joined);
      why = "tiles would take longer to finish than another kernel does";
    }
    if (auto told = remark::missed(reader.getLoc(),
                                   remarks::kResultsNotFused.function(
                                       remarks::getFunctionName(reader))))
      told << remark::metric("kernel", reader.getName())
           << remark::metric("product", kernel.getName())
           << remark::reason("{0}", why);
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

KernelOp FuseResults::fuse(const OpenProduct &product, KernelOp reader,
                           const GPUProductShape &joined) {
  KernelOp kernel = product.kernel;
  if (!canMoveUp(kernel, reader))
    kernel->moveBefore(reader);
  Operation *terminator = kernel.getBody().front().getTerminator();
  IRMapping mapping;
  for (auto [input, argument] :
       llvm::zip_equal(reader.getInputs(), reader.getBody().getArguments())) {
    Value made = getMade(kernel, reader, argument);
    mapping.map(argument, made ? made : addInput(kernel, input));
  }
  OpBuilder builder(terminator);
  Block &body = reader.getBody().front();
  for (Operation &each : body.without_terminator())
    builder.clone(each, mapping);

  SmallVector<OpResult> kept = getKept(kernel, reader);
  SmallVector<Value> made, old(kept.begin(), kept.end());
  for (OpResult result : kept)
    made.push_back(terminator->getOperand(result.getResultNumber()));
  for (Value result : body.getTerminator()->getOperands())
    made.push_back(mapping.lookup(result));
  llvm::append_range(old, reader.getResults());
  KernelOp grown = withResults(kernel, made, ValueRange(old).getTypes(), reader);
  // What follows counts rows as it likes.
  grown.setSharedAttr(getExprArray(grown.getContext(), {}));
  if (product.isChosen)
    grown.setScheduleAttr(getProductSchedule(product.op, product.shape,
                                             chooseGPUProduct(joined, machine)));
  int64_t unfused = 0;
  for (KernelOp each : {kernel, reader})
    if (TrafficAttr traffic = each.getTrafficAttr())
      unfused += traffic.getUnfused();
  setMoved(grown, *hints, unfused);
  if (auto told = remark::passed(
          reader.getLoc(),
          remarks::kResultsFused.function(remarks::getFunctionName(reader))))
    told << remark::metric("kernel", reader.getName())
         << remark::metric("product", kernel.getName())
         << remark::metric("results", grown.getNumResults());
  for (auto [from, to] : llvm::zip_equal(old, grown.getResults()))
    from.replaceAllUsesWith(to);
  reader.erase();
  kernel.erase();
  return grown;
}

void FuseResults::runOnOperation() {
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {Stage::Loop, Stage::Loop})))
    return signalPassFailure();
  GPUTargetAttr target = getGPUTarget(getOperation());
  if (!target)
    return;
  machine = getMachine(target);
  hints.emplace(getOperation()->getParentOfType<ModuleOp>());
  // Of two products that a kernel reads it follows the one that is there later.
  for (Block &block : getOperation().getBody()) {
    SmallVector<KernelOp> products;
    for (auto kernel : block.getOps<KernelOp>())
      if (isa_and_nonnull<GPUProductScheduleAttr>(kernel.getScheduleAttr()))
        products.push_back(kernel);
    for (KernelOp kernel : llvm::reverse(products))
      while (kernel)
        kernel = fuseOne(kernel);
  }
}

//===- ChooseLayout.cpp - Channels last, where a convolution reads --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which dimension of each computed tensor has the neighbours in memory:
//
//   widen      (joinGroups)    narrow groups of channels become channels of their own
//   free       (freeResult)    a result that a caller wants in its own order, and that would
//                              be walked across memory in it, is copied to it
//   choose     (ImageLayouts)  the channels of what convolutions read and give, and from
//                              there those of what pointwise nests and reductions read
//                              and give at the same index; groups of channels are a
//                              dimension of their own, in front of those of a group
//   permute    (PermuteNest)   the domain of the nest that makes a tensor, and the
//                              indices of all who read it
//   copy       (CopyOperands)  what cannot change, or fills no vector, and is read often;
//                              on a processor what is returned, too
//   join       (joinTaps)      few channels with the taps of a window's rows
//   pad        (padImage)      on a processor zeros around images of weights' gradients
//   order      (OrderSums)     the channels innermost in the sum of a convolution
//   turn       (OrderSums)     on a processor taps of windows as weights have them
//   lay        (CopyOperands)  the weights of a gradient along that sum
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"
#include "ChannelSums.h"
#include "FewWindows.h"
#include "ImageWindows.h"
#include "OrderSums.h"
#include "PermuteNest.h"

#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Loop/IR/Carried.h"
#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace kiln::loop {
#define GEN_PASS_DEF_CHOOSELAYOUTPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

/// Elements that a convolution sums up from which on another order of its image and result
/// is worth a copy of both, on a processor.
static constexpr int64_t kMinHeavySum = 128;
/// Channels from which on an image that has them last is followed.
static constexpr int64_t kMinFollowed = 8;
/// Of so many convolutions one may have its channels first, there. Those of so small a part
/// of all that is multiplied are not counted.
static constexpr unsigned kMostOthers = 4;
static constexpr double kSlightPart = 1e-4;

//===----------------------------------------------------------------------===//
// Which tensors
//===----------------------------------------------------------------------===//

namespace {
class ImageLayouts {
public:
  ImageLayouts(func::FuncOp function, const CarriedTensors &carried, bool onCPU)
      : function(function), carried(carried), onCPU(onCPU),
        hints(function->getParentOfType<ModuleOp>()) {}

  /// The nests whose results change, each with the dimensions that become the last.
  const llvm::MapVector<Operation *, LastDims> &choose();

private:
  bool mayChange(Operation *nest);
  bool staysStraight(Operation *nest, LastDims last);
  bool takesAnyOrder(OpOperand &use) const;
  void decide(Value tensor, LastDims last);
  void decideAll(ContractOp op);
  void spread(NestOpInterface nest);
  bool wantsOrder(NestOpInterface nest, unsigned dim);
  void spreadByWindows(ContractOp op);
  bool isHeavy(ContractOp op) const;
  void freeResult(NestOpInterface op);
  void copyArguments(ContractOp op);
  void freeGathered(NestOpInterface nest);
  bool pays();
  void keepOrder(OpOperand &operand);
  void giveUp();
  void dropCopies(size_t first);
  void followImages();
  std::optional<LastDims> getLast(Value tensor) const;

  func::FuncOp function;
  const CarriedTensors &carried;
  bool onCPU;
  analysis::SizeHints hints;
  llvm::MapVector<Operation *, LastDims> chosen;
  llvm::MapVector<Operation *, bool> changeable;
  SmallVector<PointwiseOp> returnedCopies;
};
} // namespace

/// The index of an argument along which its elements are neighbours, if that is not the last.
static std::optional<unsigned> getLastOfArgument(BlockArgument argument) {
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  if (!type || type.getRank() < 3)
    return std::nullopt;
  unsigned neighbours = getNeighbourIndex(argument);
  if (neighbours + 1 == type.getRank())
    return std::nullopt;
  return neighbours;
}

/// True if who takes a result of the function takes its dimensions in any order.
bool ImageLayouts::takesAnyOrder(OpOperand &use) const {
  if (!isa<func::ReturnOp>(use.getOwner()))
    return false;
  if (BlockArgument argument = carried.getReader(use))
    return llvm::all_of(argument.getUsers(), llvm::IsaPred<LoadOp, ContractOp>);
  // What is carried to an argument that cannot follow has the order of that.
  auto has = [&](StringRef name) {
    return bool(
        func::FuncOp(function).getResultAttr(use.getOperandNumber(), name));
  };
  return has(kOrderAttrName) && !has(kCarriedAttrName);
}

/// Results of pointwise nests, reductions and contractions that nests alone read.
bool ImageLayouts::mayChange(Operation *nest) {
  if (!isa_and_nonnull<PointwiseOp, ReduceOp, ContractOp>(nest) ||
      nest->getParentOp() != function.getOperation())
    return false;
  auto [it, isNew] = changeable.try_emplace(nest, true);
  if (!isNew)
    return it->second;
  auto type = cast<RankedTensorType>(nest->getResult(0).getType());
  return it->second =
             type.getRank() >= 3 && guard::getDims(type) &&
             llvm::all_of(nest->getUses(), [&](OpOperand &use) {
               return isa<LoadOp, ContractOp>(use.getOwner()) ||
                      takesAnyOrder(use);
             });
}

/// True if whoever walked a result in regular steps still does: a reshape of what
/// were neighbours is one as long as they are.
bool ImageLayouts::staysStraight(Operation *nest, LastDims last) {
  auto type = cast<RankedTensorType>(nest->getResult(0).getType());
  SmallVector<unsigned> order = getOrder(type.getRank(), last);
  SmallVector<Value> tensors(nest->getResults());
  for (OpOperand &use : nest->getUses())
    if (BlockArgument argument = carried.getReader(use))
      tensors.push_back(argument);
  return llvm::all_of(tensors, [&](Value tensor) {
    return loop::staysStraight(
        tensor, permute(type, order),
        [&](const analysis::Access &read, ArrayRef<ExprAttr>) {
          return permute(ArrayRef(read.map), order);
        },
        hints);
  });
}

void ImageLayouts::decide(Value tensor, LastDims last) {
  Operation *nest = tensor.getDefiningOp();
  // Who reads groups of channels as one does not know how narrow they are.
  if (auto op = dyn_cast_if_present<ContractOp>(nest); op && last.count > 1)
    if (Windows windows(op);
        !windows.empty() && !(getResultChannels(windows, op) == last))
      return;
  if (mayChange(nest) && !chosen.count(nest) && staysStraight(nest, last))
    chosen[nest] = last;
}

std::optional<LastDims> ImageLayouts::getLast(Value tensor) const {
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    std::optional<unsigned> last;
    if (carried.isPermuted(argument))
      last = cast<RankedTensorType>(tensor.getType()).getRank() - 1;
    else
      last = getLastOfArgument(argument);
    return last ? std::optional(LastDims{*last}) : std::nullopt;
  }
  auto it = chosen.find(tensor.getDefiningOp());
  return it == chosen.end() ? std::nullopt : std::optional(it->second);
}

/// The dimension of a domain of `rank` at whose index a nest reads these of a tensor, which may
/// have others that are walked nowhere.
static std::optional<unsigned> findReader(ArrayRef<ExprAttr> map, LastDims last,
                                          unsigned rank) {
  auto isWalked = [](ExprAttr index) { return !index.isConstant(); };
  if (llvm::count_if(map, isWalked) != rank + last.count - 1)
    return std::nullopt;
  ExprAttr index = last.count == 1
                       ? map[last.first]
                       : joinParts(map[last.first], map[last.first + 1]);
  if (!index || !index.isDim() || index.getPosition() >= rank)
    return std::nullopt;
  return index.getPosition();
}

/// On a processor a nest whose result a caller takes in any order follows what it reads most
/// of: what lies in the other order is read across.
bool ImageLayouts::wantsOrder(NestOpInterface nest, unsigned dim) {
  if (!onCPU || llvm::none_of(nest->getUses(), [&](OpOperand &use) {
        return takesAnyOrder(use) && !carried.getReader(use);
      }))
    return true;
  Domain domain = nest.getDomain();
  unsigned rank = domain.parallel.size();
  int64_t along = 0, across = 0;
  for (const analysis::Access &read : analysis::getReads(nest)) {
    int64_t bytes = analysis::getFootprint(read, domain, hints);
    auto last = getLast(read.tensor);
    if (last && findReader(read.map, *last, rank) == dim)
      along += bytes;
    else if (!last && !read.map.empty() && read.map.back().isDim() &&
             read.map.back().getPosition() + 1 == rank)
      across += bytes;
  }
  return along > across;
}

/// From what a nest reads to its results, and back.
void ImageLayouts::spread(NestOpInterface nest) {
  if (!isa<PointwiseOp, ReduceOp>(nest.getOperation()) || !mayChange(nest))
    return;
  unsigned rank = nest.getDomain().parallel.size();
  for (const analysis::Access &read : analysis::getReads(nest)) {
    if (auto last = getLast(read.tensor))
      if (auto dim = findReader(read.map, *last, rank);
          dim && wantsOrder(nest, *dim))
        decide(nest->getResult(0), {*dim});
    auto it = chosen.find(nest);
    if (it == chosen.end() || it->second.count != 1)
      continue;
    unsigned dim = it->second.first;
    for (unsigned k = 0; k < read.map.size(); ++k)
      for (unsigned count : {1u, 2u})
        if (LastDims last{k, count};
            k + count <= read.map.size() && findReader(read.map, last, rank) == dim)
          decide(read.tensor, last);
  }
}

/// Gives the result and the operands of a convolution their channels last.
void ImageLayouts::decideAll(ContractOp op) {
  Windows windows(op);
  if (auto channels = getResultChannels(windows, op))
    decide(op.getResult(), *channels);
  for (unsigned side = 0; side < 2; ++side)
    if (auto channels = getOperandChannels(windows, op, side);
        channels && !readsWordsOfTaps(op, side, channels->first))
      decide(side == 0 ? op.getLhs() : op.getRhs(), *channels);
}

/// True if neighbours of an operand are neighbours in the result along a dimension, as the
/// channels of an image are in the gradient of a weight.
static bool walksAlong(ContractOp op, const Windows &windows, unsigned dim) {
  ExprAttr index = guard::getDim(op.getContext(), dim);
  return llvm::any_of(llvm::seq(2u), [&](unsigned side) {
    auto channels = windows.getChannels(op, side);
    return channels && windows.indices[side][*channels] == index;
  });
}

/// True if a convolution on a processor reads images in the order in which they lie, and so
/// gives them: by channels of their own nothing is packed, whatever they are made of.
static bool followsOrder(const Windows &windows, ContractOp op) {
  if (windows.empty())
    return false;
  if (multipliesInOrder(op))
    return true;
  auto channels = getResultChannels(windows, op);
  return channels && hasOwnChannels(op, channels->first) &&
         (channels->count == 1 ||
          areNarrow(op, op.getDomain().parallel[channels->first + 1]));
}

/// On a processor a convolution of few channels or places reads and gives images as its
/// neighbours do: it alone does not pay for another order.
void ImageLayouts::spreadByWindows(ContractOp op) {
  Windows windows(op);
  if (!followsOrder(windows, op))
    return;
  bool isReached = chosen.count(op);
  for (unsigned side = 0; side < 2; ++side) {
    auto last = getLast(side == 0 ? op.getLhs() : op.getRhs());
    if (!last)
      continue;
    // Or what has them last by itself, as the rows of a layer norm do.
    auto own = windows.findChannels(windows.indices[side]);
    isReached |= getOperandChannels(windows, op, side) == last ||
                 (own && *last == LastDims{*own});
  }
  if (!isReached)
    return;
  // By channels of their own nothing is packed: a result with its channels first would gather.
  if (auto channels = getResultChannels(windows, op);
      channels && !chosen.count(op) && hasOwnChannels(op, channels->first))
    freeResult(op);
  decideAll(op);
}

/// True if a result may better be made in another order and copied back to that of a caller:
/// on a GPU the gradient of a weight, whose operands would else be copied element by element,
/// and what walks channels of their own. A processor sums up channels of their own in vectors of
/// them, all taps of a window from one row of it, where rows of an image end in parts of one.
bool ImageLayouts::isHeavy(ContractOp op) const {
  Windows windows(op);
  SmallVector<ExprAttr> parallel = op.getDomain().parallel;
  if (onCPU) {
    auto last = getResultChannels(windows, op);
    if (last && makesFewInPlace(op, last->first, hints))
      return false;
    bool sumsInVectors = last && sumsOwnChannels(op) &&
                         hints.evaluate(parallel[last->first]) >= kMinFollowed;
    return (sumsInVectors || multipliesInOrder(op)) &&
           hints.product(op.getDomain().reduction) >= kMinHeavySum;
  }
  auto channels =
      windows.getChannels(getIdentityMap(op.getContext(), parallel.size()));
  return channels &&
         ((isWorthOrder(op, *channels, hints) &&
           walksAlong(op, windows, *channels)) ||
          readsOwnChannels(op, *channels, hints)) &&
         !llvm::all_of(ArrayRef(parallel).drop_front(*channels + 1),
                       [](ExprAttr extent) { return extent.isConstant(1); });
}

/// Copies a tensor in front of `user` as it is now, on behalf of `nest`.
static PointwiseOp copyInOrder(Value tensor, Operation *user,
                               NestOpInterface nest) {
  auto type = cast<RankedTensorType>(tensor.getType());
  OpBuilder builder(user);
  return createCopy(builder, nest.getLoc(), tensor, *guard::getDims(type),
                    getIdentityMap(user->getContext(), type.getRank()),
                    nest.getOriginsAttr());
}

/// Returns a copy of a result, which then may change.
void ImageLayouts::freeResult(NestOpInterface op) {
  SmallVector<OpOperand *> returned;
  Value result = op->getResult(0);
  for (OpOperand &use : result.getUses())
    if (isa<func::ReturnOp>(use.getOwner()) && !takesAnyOrder(use))
      returned.push_back(&use);
  auto type = cast<RankedTensorType>(result.getType());
  if (returned.empty() || type.getRank() < 3 || !guard::getDims(type))
    return;
  PointwiseOp copy = copyInOrder(result, returned.front()->getOwner(), op);
  for (OpOperand *use : returned)
    use->set(copy.getResult());
  returnedCopies.push_back(copy);
  changeable.erase(op);
}

/// Lets convolutions by channels of their own read copies of the arguments that `op`, which is
/// one of them, reads with their channels first: one copy for all of them may change.
void ImageLayouts::copyArguments(ContractOp op) {
  auto hasOwn = [](ContractOp reader) {
    auto channels = getResultChannels(Windows(reader), reader);
    return channels && channels->count == 1 &&
           hasOwnChannels(reader, channels->first);
  };
  for (Value operand : {op.getLhs(), op.getRhs()}) {
    auto argument = dyn_cast<BlockArgument>(operand);
    if (!argument || getLast(argument))
      continue;
    SmallVector<ContractOp> readers;
    for (auto reader : function.getOps<ContractOp>())
      if (llvm::is_contained(reader->getOperands(), argument) && hasOwn(reader))
        readers.push_back(reader);
    if (readers.size() < 2)
      continue;
    Value copy = copyInOrder(argument, readers.front(), op).getResult();
    for (ContractOp reader : readers)
      reader->replaceUsesOfWith(argument, copy);
  }
}

/// On a processor rows at positions that are computed or are not all there, as of a resized
/// image or one that lies between others, are neighbours where their channels are last; what a
/// caller sees of that is copied, by tiles, which such positions are not read by.
void ImageLayouts::freeGathered(NestOpInterface nest) {
  if (isa<PointwiseOp>(nest.getOperation()) && !chosen.count(nest) &&
      llvm::any_of(analysis::getReads(nest), [&](const analysis::Access &read) {
        return (read.indirect || read.masked) &&
               chosen.count(read.tensor.getDefiningOp());
      }))
    freeResult(nest);
}

/// Whether nearly all convolutions have their channels last. One that reads such an image and
/// cannot give one, as by groups of two channels or in front of a reshape, would gather its
/// panels, and is given a copy of the image as it was.
bool ImageLayouts::pays() {
  unsigned last = 0, others = 0;
  SmallVector<OpOperand *> gathered;
  auto getPoints = [&](ContractOp op) {
    return Windows(op).empty() ? 0 : double(hints.product(op.getDomain().all()));
  };
  double all = 0;
  for (auto op : function.getOps<ContractOp>())
    all += getPoints(op);
  for (auto op : function.getOps<ContractOp>()) {
    if (Windows(op).empty() || !multipliesInOrder(op))
      continue;
    if (chosen.count(op)) {
      ++last;
      continue;
    }
    if (sumsImages(op))
      continue;
    others += getPoints(op) > kSlightPart * all;
    for (OpOperand *operand : {&op.getLhsMutable(), &op.getRhsMutable()})
      if (chosen.count(operand->get().getDefiningOp()))
        gathered.push_back(operand);
  }
  if (others > last / kMostOthers)
    return false;
  for (OpOperand *operand : gathered)
    keepOrder(*operand);
  return true;
}

/// Lets one reader of a result that changes read a copy which does not.
void ImageLayouts::keepOrder(OpOperand &operand) {
  auto reader = cast<NestOpInterface>(operand.getOwner());
  operand.set(copyInOrder(operand.get(), reader, reader).getResult());
}

void ImageLayouts::giveUp() {
  chosen.clear();
  dropCopies(0);
}

/// Returns what the copies from `first` on are of: a result without one is the caller's again.
void ImageLayouts::dropCopies(size_t first) {
  for (PointwiseOp copy : ArrayRef(returnedCopies).drop_front(first)) {
    auto load = *copy.getBody().getOps<LoadOp>().begin();
    copy.getResult().replaceAllUsesWith(load.getTensor());
    copy.erase();
  }
  returnedCopies.truncate(first);
  changeable.clear();
}

/// Where an image has its channels last already, as the tokens of a transformer have, a
/// convolution that walks its places would gather them: its result alone follows, and needs
/// no copy of anything but of a result that a caller sees.
void ImageLayouts::followImages() {
  for (auto op : llvm::to_vector(function.getOps<ContractOp>())) {
    Windows windows(op);
    if (!followsOrder(windows, op) || chosen.count(op))
      continue;
    Domain domain = op.getDomain();
    unsigned rank = domain.parallel.size();
    auto channels = getResultChannels(windows, op);
    if (!channels ||
        hints.evaluate(domain.parallel[channels->first]) < kMinFollowed)
      continue;
    bool isFollowed = llvm::any_of(llvm::seq(2u), [&](unsigned side) {
      if (chosen.count((side == 0 ? op.getLhs() : op.getRhs()).getDefiningOp()))
        return false;
      auto along = getStep(op, side, channels->first),
           across = getStep(op, side, rank - 1);
      return along && along->isConstant(1) && across && !guard::hasDims(*across) &&
             !across->isConstant(0) && !across->isConstant(1);
    });
    if (!isFollowed)
      continue;
    size_t copies = returnedCopies.size();
    if (hints.product(domain.reduction) >= kMinHeavySum)
      freeResult(op);
    decide(op.getResult(), *channels);
    if (!chosen.count(op))
      dropCopies(copies);
  }
}

const llvm::MapVector<Operation *, LastDims> &ImageLayouts::choose() {
  for (auto op : llvm::to_vector(function.getOps<ContractOp>())) {
    bool isFreed = !Windows(op).empty() && isHeavy(op);
    if (Windows(op).empty() || (onCPU && !isFreed))
      continue;
    if (isFreed)
      freeResult(op);
    if (isFreed && onCPU && sumsOwnChannels(op))
      copyArguments(op);
    decideAll(op);
  }
  size_t count;
  do {
    count = chosen.size();
    for (auto nest : llvm::to_vector(function.getOps<NestOpInterface>())) {
      if (onCPU)
        freeGathered(nest);
      spread(nest);
      if (auto op = dyn_cast<ContractOp>(nest.getOperation()); op && onCPU)
        spreadByWindows(op);
    }
  } while (chosen.size() != count);
  if (onCPU && !pays())
    giveUp();
  if (onCPU)
    followImages();
  return chosen;
}

namespace {
class ChooseLayout : public loop::impl::ChooseLayoutPassBase<ChooseLayout> {
public:
  using ChooseLayoutPassBase::ChooseLayoutPassBase;

private:
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(verifyPassInput(module, getArgument(),
                               {Stage::Loop, Stage::Loop})))
      return signalPassFailure();
    CarriedTensors carried(module);
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isExternal())
        run(function, carried);
  }

  void run(func::FuncOp function, CarriedTensors &carried) {
    bool onCPU = !getGPUTarget(function);
    if (joinsGroups)
      for (auto op : function.getOps<ContractOp>())
        joinGroups(op, /*areLast=*/false);
    ImageLayouts layouts(function, carried, onCPU);
    const auto &chosen = layouts.choose();
    for (auto [nest, last] : chosen)
      permuteResults(nest, last, carried);
    for (auto op : function.getOps<ReduceOp>())
      if (llvm::any_of(analysis::getReads(op), [&](const analysis::Access &read) {
            return chosen.count(read.tensor.getDefiningOp());
          }))
        orderSum(op);
    analysis::SizeHints hints(function->getParentOfType<ModuleOp>());
    bool isAny = false;
    for (auto op : llvm::make_early_inc_range(function.getOps<ReduceOp>()))
      isAny |= reduceChannelsFirst(op);
    if (isAny)
      simplifyBodies(function, hints);
    OperandCopies copies(hints, onCPU);
    for (auto op :
         llvm::make_early_inc_range(function.getOps<ContractOp>())) {
      if (op.isGrouped() || (!onCPU && joinsTaps && copies.joinTaps(op)))
        continue;
      // On a processor others have the products that they had.
      if (onCPU && !chosen.count(op)) {
        turnSum(op);
        continue;
      }
      if (!onCPU && sumsOwnChannels(op)) {
        reduceColumns(op, carried);
        continue;
      }
      if (onCPU && joinsTaps && copies.joinTaps(op))
        continue;
      if (onCPU) {
        padImage(op, hints);
        if (joinsGroups)
          joinGroups(op, /*areLast=*/true);
      } else
        copies.fillChannels(op);
      copies.relay(op);
      // By channels of their own places of windows are innermost, which neighbours share; a
      // thread of a GPU reads all channels of a group at once.
      bool isOwn = hasOwnChannels(op, op.getParallelExtents().size() - 1);
      if (!onCPU || !isOwn)
        orderSum(op);
      if (!onCPU && !isOwn)
        copies.layAlongSum(op);
    }
  }
};
} // namespace

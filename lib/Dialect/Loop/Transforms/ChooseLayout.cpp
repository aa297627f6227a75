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
//   choose     (ImageLayouts)  the channels of what convolutions read and give, and from
//                              there those of what pointwise nests and reductions read
//                              and give at the same index
//   permute    (PermuteNest)   the domain of the nest that makes a tensor, and the
//                              indices of all who read it
//   copy       (OperandCopies) what cannot change and is read often
//   order      (orderSum)      the channels innermost in the sum of a convolution
//
//===----------------------------------------------------------------------===//

#include "PermuteNest.h"

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Analysis/ContractionShape.h"
#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace kiln::loop {
#define GEN_PASS_DEF_CHOOSELAYOUTPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

namespace {
/// What a contraction does with the dimensions of its domain.
struct Windows {
  explicit Windows(ContractOp op);

  /// The dimension of a tensor with these indices that has its channels: the last one
  /// that is not walked by windows.
  std::optional<unsigned> findChannels(ArrayRef<ExprAttr> indices) const;
  /// The same if windows walk one behind it.
  std::optional<unsigned> getChannels(ArrayRef<ExprAttr> indices) const;
  /// That of an operand. If there is one channel, it is the dimension that the result's
  /// channels are: a weight of a convolution by channels of their own.
  std::optional<unsigned> getChannels(ContractOp op, unsigned side) const;
  bool empty() const { return walked.none(); }
  bool isWalked(ExprAttr index) const {
    return llvm::any_of(walked.set_bits(), [&](unsigned dim) {
      return guard::contains(index, guard::getDim(index.getContext(), dim));
    });
  }

  SmallVector<ExprAttr> indices[2];
  llvm::SmallBitVector walked; ///< dimensions of the domain
};
} // namespace

static bool mentions(MLIRContext *context, ExprAttr expr, unsigned dim) {
  return guard::contains(expr, guard::getDim(context, dim));
}

/// An index is one of windows if a dimension that moves this operand alone (a place) and
/// one that moves both (a place in the window) are in it: d2 + d5 - 1 of an image.
Windows::Windows(ContractOp op) {
  MLIRContext *context = op.getContext();
  indices[0] = getExprs(op.getLhsIndices());
  indices[1] = getExprs(op.getRhsIndices());
  unsigned rank = op.getDomain().rank();
  walked.resize(rank);
  llvm::SmallBitVector moves[2] = {llvm::SmallBitVector(rank),
                                   llvm::SmallBitVector(rank)};
  for (unsigned k = 0; k < 2; ++k)
    for (ExprAttr index : indices[k])
      for (unsigned dim = 0; dim < rank; ++dim)
        if (mentions(context, index, dim))
          moves[k].set(dim);
  for (unsigned k = 0; k < 2; ++k)
    for (ExprAttr index : indices[k]) {
      llvm::SmallBitVector used(rank);
      for (unsigned dim = 0; dim < rank; ++dim)
        if (mentions(context, index, dim))
          used.set(dim);
      llvm::SmallBitVector alone = used, both = used;
      alone.reset(moves[1 - k]);
      both &= moves[1 - k];
      if (alone.any() && both.any())
        walked |= used;
    }
}

std::optional<unsigned> Windows::findChannels(ArrayRef<ExprAttr> indices) const {
  std::optional<unsigned> channels;
  for (unsigned k = 0; k < indices.size(); ++k)
    if (!isWalked(indices[k]))
      channels = k;
  return channels;
}

std::optional<unsigned>
Windows::getChannels(ArrayRef<ExprAttr> indices) const {
  auto channels = findChannels(indices);
  if (channels && *channels + 1 < indices.size())
    return channels;
  return std::nullopt;
}

std::optional<unsigned> Windows::getChannels(ContractOp op,
                                             unsigned side) const {
  auto channels = getChannels(indices[side]);
  Value tensor = side == 0 ? op.getLhs() : op.getRhs();
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!channels || type.getDimSize(*channels) != 1)
    return channels;
  auto ofResult = findChannels(
      getIdentityMap(op.getContext(), op.getDomain().parallel.size()));
  if (!ofResult)
    return std::nullopt;
  const auto *it = llvm::find(indices[side],
                              guard::getDim(op.getContext(), *ofResult));
  if (it == indices[side].end())
    return std::nullopt;
  return it - indices[side].begin();
}

//===----------------------------------------------------------------------===//
// Which tensors
//===----------------------------------------------------------------------===//

namespace {
class ImageLayouts {
public:
  explicit ImageLayouts(func::FuncOp function)
      : function(function), hints(function->getParentOfType<ModuleOp>()) {}

  /// The nests whose results change, each with the dimension that becomes the last.
  const llvm::MapVector<Operation *, unsigned> &choose();

private:
  bool mayChange(Operation *nest);
  bool staysStraight(Operation *nest, unsigned last);
  void decide(Value tensor, unsigned last);
  void spread(NestOpInterface nest);
  std::optional<unsigned> getLast(Value tensor) const;

  func::FuncOp function;
  analysis::SizeHints hints;
  llvm::MapVector<Operation *, unsigned> chosen;
  llvm::MapVector<Operation *, bool> changeable;
};
} // namespace

/// The position of stride 1 among those of an argument, if that is not the last.
static std::optional<unsigned> getLastOfArgument(BlockArgument argument) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto strides = function.getArgAttrOfType<guard::ShapeAttr>(
      argument.getArgNumber(), kStridesAttrName);
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  if (!strides || !type || type.getRank() < 3)
    return std::nullopt;
  for (auto [k, stride] : llvm::enumerate(strides.getDims()))
    if (stride.isConstant(1) && type.getDimSize(k) != 1 &&
        k + 1 < strides.getDims().size())
      return k;
  return std::nullopt;
}

/// Results of pointwise nests, reductions and contractions that nests alone read.
bool ImageLayouts::mayChange(Operation *nest) {
  if (!isa_and_nonnull<PointwiseOp, ReduceOp, ContractOp>(nest) ||
      nest->getParentOp() != function.getOperation())
    return false;
  auto [it, isNew] = changeable.try_emplace(nest, true);
  if (!isNew)
    return it->second;
  unsigned rank =
      cast<RankedTensorType>(nest->getResult(0).getType()).getRank();
  return it->second =
             rank >= 3 && llvm::all_of(nest->getUsers(),
                                       llvm::IsaPred<LoadOp, ContractOp>);
}

/// True if whoever walked a result in regular steps still does: a reshape of what
/// were neighbours is one as long as they are.
bool ImageLayouts::staysStraight(Operation *nest, unsigned last) {
  auto type = cast<RankedTensorType>(nest->getResult(0).getType());
  SmallVector<unsigned> order = getOrder(type.getRank(), last);
  auto permuted = permute(type, order);
  for (Operation *user : nest->getUsers()) {
    NestOpInterface reader = dyn_cast<NestOpInterface>(user);
    if (!reader)
      reader = user->getParentOfType<NestOpInterface>();
    SmallVector<ExprAttr> extents = reader.getDomain().all();
    for (const analysis::Access &read : analysis::getReads(reader))
      if (read.tensor.getDefiningOp() == nest &&
          analysis::isStraight(type, read.map, extents,
                               hints.getAssumptions()) &&
          !analysis::isStraight(permuted, permute(ArrayRef(read.map), order),
                                extents, hints.getAssumptions()))
        return false;
  }
  return true;
}

void ImageLayouts::decide(Value tensor, unsigned last) {
  Operation *nest = tensor.getDefiningOp();
  if (mayChange(nest) && !chosen.count(nest) && staysStraight(nest, last))
    chosen[nest] = last;
}

std::optional<unsigned> ImageLayouts::getLast(Value tensor) const {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return getLastOfArgument(argument);
  auto it = chosen.find(tensor.getDefiningOp());
  return it == chosen.end() ? std::nullopt : std::optional(it->second);
}

/// From what a nest reads to its results, and back.
void ImageLayouts::spread(NestOpInterface nest) {
  if (!isa<PointwiseOp, ReduceOp>(nest.getOperation()) || !mayChange(nest))
    return;
  unsigned rank = nest.getDomain().parallel.size();
  for (const analysis::Access &read : analysis::getReads(nest)) {
    if (read.map.size() != rank)
      continue;
    if (auto last = getLast(read.tensor)) {
      ExprAttr index = read.map[*last];
      if (index.isDim() && index.getPosition() < rank)
        decide(nest->getResult(0), index.getPosition());
    }
    if (auto it = chosen.find(nest); it != chosen.end()) {
      ExprAttr dim = guard::getDim(nest->getContext(), it->second);
      for (auto [k, index] : llvm::enumerate(read.map))
        if (index == dim)
          decide(read.tensor, k);
    }
  }
}

const llvm::MapVector<Operation *, unsigned> &ImageLayouts::choose() {
  for (auto op : function.getOps<ContractOp>()) {
    Windows windows(op);
    if (windows.empty())
      continue;
    SmallVector<ExprAttr> identity = getIdentityMap(
        op.getContext(), op.getDomain().parallel.size());
    if (auto channels = windows.getChannels(identity))
      decide(op.getResult(), *channels);
    for (unsigned side = 0; side < 2; ++side)
      if (auto channels = windows.getChannels(op, side))
        decide(side == 0 ? op.getLhs() : op.getRhs(), *channels);
  }
  size_t count;
  do {
    count = chosen.size();
    for (auto nest : function.getOps<NestOpInterface>())
      spread(nest);
  } while (chosen.size() != count);
  return chosen;
}

//===----------------------------------------------------------------------===//
// The order of sums
//===----------------------------------------------------------------------===//

/// Strides of a tensor as it lies in memory.
static SmallVector<ExprAttr> getStrides(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    if (auto function =
            dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()))
      if (auto strides = function.getArgAttrOfType<guard::ShapeAttr>(
              argument.getArgNumber(), kStridesAttrName))
        return llvm::to_vector(strides.getDims());
  auto dims = guard::getDims(type);
  return dims ? guard::getContiguousStrides(type.getContext(), *dims)
              : SmallVector<ExprAttr>();
}

/// The reduced dimension along which an operand has neighbours; nothing if there is none.
static std::optional<unsigned> getNeighbours(ContractOp op, unsigned side) {
  SmallVector<ExprAttr> strides = getStrides(side == 0 ? op.getLhs() : op.getRhs());
  if (strides.empty())
    return std::nullopt;
  Domain domain = op.getDomain();
  guard::Assumptions assumptions;
  analysis::addExtents(assumptions, op.getContext(), domain.all());
  ExprAttr address = analysis::linearize(
      op.getContext(), getExprs(side == 0 ? op.getLhsIndices() : op.getRhsIndices()),
      strides, assumptions);
  for (unsigned k = 0; k < domain.reduction.size(); ++k) {
    auto step = guard::getCoefficient(
        address, guard::getDim(op.getContext(), domain.parallel.size() + k));
    if (step && step->isConstant(1) && !domain.reduction[k].isConstant(1))
      return k;
  }
  return std::nullopt;
}

/// Puts the dimension along which both operands of a convolution have neighbours, or else
/// the one that does, innermost into its sum.
static void orderSum(ContractOp op) {
  if (Windows(op).empty() || op.getDomain().reduction.size() < 2)
    return;
  auto left = getNeighbours(op, 0), right = getNeighbours(op, 1);
  if (left || right)
    permuteReduction(op, left ? *left : *right);
}

//===----------------------------------------------------------------------===//
// What stays as it is
//===----------------------------------------------------------------------===//

/// Points of a contraction for each element of an operand from which on it is worth being
/// copied, and the channels that are worth it.
static constexpr int64_t kMinReuse = 64, kMinChannels = 8;

/// Copies a tensor with dimension `last` innermost.
static Value copyPermuted(OpBuilder &builder, Location location, Value tensor,
                          unsigned last, ArrayAttr origins) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<unsigned> order = getOrder(type.getRank(), last);
  auto permuted = permute(type, order);
  auto copy = PointwiseOp::create(builder, location, permuted,
                                  *guard::getDims(permuted), origins);
  OpBuilder::InsertionGuard guard(builder);
  Block &body = copy.getBody().front();
  builder.setInsertionPointToStart(&body);
  SmallVector<Value> indices(type.getRank());
  for (auto [now, before] : llvm::enumerate(order))
    indices[before] = body.getArgument(now);
  Value element = LoadOp::create(builder, location, tensor, indices);
  YieldOp::create(builder, location, element);
  return copy.getResult();
}

namespace {
/// Operands of convolutions on matrix units that keep their order are copied, if each
/// element is read often.
class OperandCopies {
public:
  explicit OperandCopies(const analysis::SizeHints &hints) : hints(hints) {}

  void relay(ContractOp op);

private:
  bool isWorth(ContractOp op, Value tensor, unsigned channels);

  const analysis::SizeHints &hints;
  llvm::MapVector<std::pair<Value, unsigned>, Value> copies;
};
} // namespace

bool OperandCopies::isWorth(ContractOp op, Value tensor, unsigned channels) {
  Type factor = analysis::getFactorType(op);
  auto dims = guard::getDims(cast<RankedTensorType>(tensor.getType()));
  SmallVector<ExprAttr> strides = getStrides(tensor);
  return factor && (factor.isBF16() || factor.isF16()) && dims &&
         !strides.empty() && !strides[channels].isConstant(1) &&
         hints.evaluate((*dims)[channels]) >= kMinChannels &&
         hints.product(op.getDomain().all()) / kMinReuse >=
             hints.product(*dims);
}

void OperandCopies::relay(ContractOp op) {
  Windows windows(op);
  if (windows.empty())
    return;
  for (unsigned side = 0; side < 2; ++side) {
    OpOperand &operand = side == 0 ? op.getLhsMutable() : op.getRhsMutable();
    auto channels = windows.getChannels(op, side);
    Value tensor = operand.get();
    if (!channels || !isWorth(op, tensor, *channels))
      continue;
    Value &copy = copies[{tensor, *channels}];
    OpBuilder builder(op);
    if (!copy)
      copy = copyPermuted(builder, op.getLoc(), tensor, *channels,
                          op.getOriginsAttr());
    SmallVector<unsigned> order = getOrder(windows.indices[side].size(), *channels);
    ArrayAttr indices = getExprArray(
        op.getContext(), permute(ArrayRef(windows.indices[side]), order));
    operand.set(copy);
    side == 0 ? op.setLhsIndicesAttr(indices) : op.setRhsIndicesAttr(indices);
  }
}

namespace {
class ChooseLayout : public loop::impl::ChooseLayoutPassBase<ChooseLayout> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (failed(verifyPassInput(function, getArgument(),
                               {Stage::Loop, Stage::Loop})))
      return signalPassFailure();
    if (!getGPUTarget(function) || function.isExternal())
      return;
    ImageLayouts layouts(function);
    for (auto [nest, last] : layouts.choose())
      permuteResults(nest, last);
    analysis::SizeHints hints(function->getParentOfType<ModuleOp>());
    OperandCopies copies(hints);
    for (auto op : function.getOps<ContractOp>()) {
      copies.relay(op);
      orderSum(op);
    }
  }
};
} // namespace

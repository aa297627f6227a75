//===- ChannelSums.cpp - Sums of channels ---------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group norm of 32 groups of 4 channels, of an image with its channels last:
//
//   reduce (n, g) in [N, 32] over (m, s) in [4, places]: x[n, s, g * 4 + m]
//
// becomes
//
//   y = reduce (n, c) in [N, 128] over (s) in [places]: x[n, s, c]
//   reduce (n, g) in [N, 32] over (m) in [4]: y[n, g * 4 + m]
//
//===----------------------------------------------------------------------===//

#include "ChannelSums.h"

#include "Bodies.h"
#include "ImageWindows.h"
#include "OrderSums.h"

#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Dialect/Loop/Utils/ExpandContraction.h"
#include "kiln/Interfaces/SumMark.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

/// What a processor reads at once, in bytes: neighbours of which there are fewer leave a
/// part of it unread.
static constexpr int64_t kLineBytes = 64;
/// Places of a channel from which on its sum is worth a nest of its own.
static constexpr int64_t kMinPlaces = 16;

unsigned loop::getNeighbourIndex(Value tensor) {
  unsigned last = cast<RankedTensorType>(tensor.getType()).getRank() - 1;
  auto argument = dyn_cast<BlockArgument>(tensor);
  auto function =
      argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
               : func::FuncOp();
  if (!function)
    return last;
  auto strides = function.getArgAttrOfType<guard::ShapeAttr>(
      argument.getArgNumber(), kStridesAttrName);
  if (!strides)
    return last;
  auto type = cast<RankedTensorType>(tensor.getType());
  for (auto [k, stride] : llvm::enumerate(strides.getDims()))
    if (stride.isConstant(1) && type.getDimSize(k) != 1)
      return k;
  return last;
}

namespace {
/// Dimensions of a domain: of the groups, and of the members of one.
struct GroupDims {
  unsigned group = 0, member = 0;
  int64_t size = 0; ///< of a group
};
} // namespace

/// The groups that a read walks along its neighbours: `group * size + member`.
static std::optional<GroupDims> getGroups(const analysis::Access &read,
                                          const Domain &domain) {
  if (read.indirect || read.map.empty())
    return std::nullopt;
  ExprAttr index = read.map[getNeighbourIndex(read.tensor)];
  for (unsigned k = domain.parallel.size(); k < domain.rank(); ++k) {
    ExprAttr member = guard::getDim(index.getContext(), k);
    auto size = domain.all()[k].getConstant();
    auto step = guard::getCoefficient(index, member);
    if (!size || *size < 2 || !step || !step->isConstant(1))
      continue;
    for (unsigned g = 0; g < domain.parallel.size(); ++g)
      if (guard::getDim(index.getContext(), g) * *size + member == index)
        return GroupDims{g, k, *size};
  }
  return std::nullopt;
}

/// Whether groups are to be made of channels: every read that walks members and places, at
/// least one, has few members side by side.
static std::optional<GroupDims> findGroups(ReduceOp op) {
  Domain domain = op.getDomain();
  std::optional<GroupDims> found;
  for (const analysis::Access &read : analysis::getReads(op)) {
    auto walks = [&](unsigned dim) {
      ExprAttr name = guard::getDim(op.getContext(), dim);
      return llvm::any_of(read.map, [&](ExprAttr index) {
        return guard::contains(index, name);
      });
    };
    if (llvm::count_if(llvm::seq<unsigned>(domain.parallel.size(), domain.rank()),
                       walks) < 2)
      continue;
    auto groups = getGroups(read, domain);
    Type element = cast<RankedTensorType>(read.tensor.getType()).getElementType();
    if (!groups || groups->size * analysis::getElementBytes(element) >= kLineBytes ||
        (found && (found->group != groups->group || found->member != groups->member)))
      return std::nullopt;
    found = groups;
  }
  if (!found)
    return std::nullopt;
  int64_t places = 1;
  for (auto [k, extent] : llvm::enumerate(domain.reduction))
    if (domain.parallel.size() + k != found->member)
      places *= std::max<int64_t>(extent.getConstant().value_or(kMinPlaces), 1);
  return places >= kMinPlaces ? found : std::nullopt;
}

bool loop::reduceChannelsFirst(ReduceOp op) {
  auto groups = joinsInAnyOrder(op) ? findGroups(op) : std::nullopt;
  if (!groups)
    return false;
  Domain domain = op.getDomain();
  unsigned outer = domain.parallel.size(), member = groups->member - outer;
  SmallVector<ExprAttr> parallel(domain.parallel), places(domain.reduction);
  parallel[groups->group] = parallel[groups->group] * groups->size;
  places.erase(places.begin() + member);

  OpBuilder builder(op);
  Location location = op.getLoc();
  ExprAttr channel = guard::getDim(op.getContext(), 0);
  SmallVector<Type> types;
  for (Type type : op.getBody().front().getTerminator()->getOperandTypes())
    types.push_back(guard::makeTensorType(type, parallel));
  auto channels = ReduceOp::create(builder, location, types, parallel, places,
                                   getKinds(op), op.getOriginsAttr());
  copySumMark(op, channels);
  Block &body = channels.getBody().front();
  builder.setInsertionPointToStart(&body);
  SmallVector<Value> indices(body.getArguments());
  Value own = body.getArgument(groups->group);
  indices[groups->group] =
      createIndex(builder, location, guard::floorDiv(channel, groups->size), own);
  indices.insert(indices.begin() + groups->member,
                 createIndex(builder, location, guard::mod(channel, groups->size), own));
  YieldOp::create(builder, location,
                  cloneBody(builder, op.getBody().front(), indices));

  builder.setInsertionPoint(op);
  auto joined = ReduceOp::create(builder, location, op->getResultTypes(), domain.parallel,
                                 {domain.reduction[member]}, getKinds(op),
                                 op.getOriginsAttr());
  Block &join = joined.getBody().front();
  builder.setInsertionPointToStart(&join);
  SmallVector<Value> place(join.getArguments().take_front(outer)), values;
  place[groups->group] = createIndex(
      builder, location, channel * groups->size + guard::getDim(op.getContext(), 1),
      {join.getArgument(groups->group), join.getArgument(outer)});
  for (Value result : channels->getResults())
    values.push_back(LoadOp::create(builder, location, result, place));
  YieldOp::create(builder, location, values);
  op->replaceAllUsesWith(joined->getResults());
  op.erase();
  return true;
}

void loop::reduceColumns(ContractOp op, CarriedTensors &carried) {
  std::optional<unsigned> columns;
  for (unsigned dim = 0; dim < op.getDomain().parallel.size(); ++dim) {
    auto left = getStep(op, 0, dim), right = getStep(op, 1, dim);
    if (left && right && left->isConstant(1) && right->isConstant(1))
      columns = dim;
  }
  Operation *before = op->getPrevNode();
  Block *block = op->getBlock();
  expandContraction(op);
  Operation *sum = before ? before->getNextNode() : &block->front();
  if (!columns)
    return;
  // Who takes the sum as a whole takes it in its order.
  Value result = sum->getResult(0);
  if (llvm::any_of(result.getUsers(), [](Operation *user) { return !isa<LoadOp>(user); })) {
    OpBuilder builder(sum->getContext());
    builder.setInsertionPointAfter(sum);
    auto type = cast<RankedTensorType>(result.getType());
    PointwiseOp copy = createCopy(builder, sum->getLoc(), result, *guard::getDims(type),
                                  getIdentityMap(sum->getContext(), type.getRank()),
                                  cast<NestOpInterface>(sum).getOriginsAttr());
    result.replaceUsesWithIf(copy.getResult(), [](OpOperand &use) {
      return !isa<LoadOp>(use.getOwner());
    });
  }
  permuteResults(sum, LastDims{*columns}, carried);
}

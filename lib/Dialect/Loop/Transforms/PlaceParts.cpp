//===- PlaceParts.cpp - Parts of a concatenation, stored where it has them ===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that puts tensors behind each other reads, at each index of one
// dimension, one of them, and which one follows from comparisons of that index
// with numbers:
//
//   [0, 768)      q[i, floordiv(k, 64), j, mod(k, 64)]
//   [768, 1536)   k[i, floordiv(k, 64) - 12, j, mod(k, 64)]
//
// Such a piece is all of a tensor, in some order. Turned around, the index
// gives each element of the tensor its place in the result; where that is a
// stride for each dimension of the tensor, who makes it can store it there.
//
//===----------------------------------------------------------------------===//

#include "PackedCopy.h"
#include "ReaderOrder.h"

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"
#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace kiln::loop {
#define GEN_PASS_DEF_PLACEPARTSPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

/// Bytes of which the place of a part, its strides and what is neighbours in it
/// are multiples: those of a vector, and of what a copy engine moves.
static constexpr int64_t kAligned = 16;
/// Bytes that a GPU moves in the time of a launch.
static constexpr int64_t kLaunchBytes = 4 << 20;
/// Pieces at most that are looked at.
static constexpr size_t kMaxPieces = 64;

namespace {
/// What a nest copies at the indices [low, high) of the dimension that it cuts.
struct Piece {
  int64_t low, high;
  analysis::Access read;
};

/// A piece, and where its elements are in the result: `offset` and `strides`,
/// by the dimensions of the tensor that it is.
struct PlacedPiece {
  OpResult made; ///< null: by the dimensions of the nest, for a copy
  ExprAttr offset;
  SmallVector<ExprAttr> strides;
};

/// A kernel that is nothing but copies of tensors into parts of its result.
class Concatenation {
public:
  Concatenation(KernelOp kernel, const analysis::SizeHints &hints)
      : kernel(kernel), hints(hints) {}

  /// False if it is none.
  bool read();
  /// True if it was replaced.
  bool place();

private:
  std::optional<SmallVector<int64_t>> findBounds();
  std::optional<bool> decide(Value condition, int64_t index);
  LoadOp findLoad(Value value, int64_t index);
  bool addPiece(int64_t low, int64_t high);

  SmallVector<ExprAttr> getExtents(const Piece &piece);
  SmallVector<ExprAttr> getMap(const Piece &piece);
  std::optional<PlacedPiece> findPlace(const Piece &piece);
  PlacedPiece getCopied(const Piece &piece);
  bool isAligned(const PlacedPiece &placed, ArrayRef<ExprAttr> sizes);
  Value copy(const Piece &piece, const PlacedPiece &placed);

  KernelOp kernel;
  const analysis::SizeHints &hints;
  PointwiseOp nest;
  unsigned dim = 0; ///< that is cut
  SmallVector<Piece> pieces;
  SmallVector<ExprAttr> strides; ///< of the result
};
} // namespace

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

static Value withoutCast(Value value) {
  auto cast = value.getDefiningOp<arith::IndexCastOp>();
  return cast ? cast.getIn() : value;
}

/// The indices at which comparisons of one dimension may change; nothing if
/// they are of several, or of anything else.
std::optional<SmallVector<int64_t>> Concatenation::findBounds() {
  std::optional<unsigned> found;
  SmallVector<int64_t> bounds = {0};
  for (auto compare : nest.getBody().getOps<arith::CmpIOp>()) {
    auto index = dyn_cast<BlockArgument>(withoutCast(compare.getLhs()));
    APInt number;
    if (!index || index.getOwner() != &nest.getBody().front() ||
        (found && *found != index.getArgNumber()) ||
        !matchPattern(compare.getRhs(), m_ConstantInt(&number)) ||
        number.getSignificantBits() >= 48)
      return std::nullopt;
    found = index.getArgNumber();
    bounds.append({number.getSExtValue(), number.getSExtValue() + 1});
  }
  if (!found)
    return std::nullopt;
  dim = *found;
  auto extent = nest.getDomain().parallel[dim].getConstant();
  if (!extent)
    return std::nullopt;
  llvm::erase_if(bounds,
                 [&](int64_t bound) { return bound < 0 || bound >= *extent; });
  bounds.push_back(*extent);
  llvm::sort(bounds);
  bounds.erase(llvm::unique(bounds), bounds.end());
  return bounds;
}

/// The value of a condition at an index of the dimension that is cut.
std::optional<bool> Concatenation::decide(Value condition, int64_t index) {
  APInt number;
  if (matchPattern(condition, m_ConstantInt(&number)))
    return !number.isZero();
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    auto left = decide(both.getLhs(), index),
         right = decide(both.getRhs(), index);
    if (!left || !right)
      return std::nullopt;
    return *left && *right;
  }
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || !matchPattern(compare.getRhs(), m_ConstantInt(&number)))
    return std::nullopt;
  return arith::applyCmpPredicate(
      compare.getPredicate(),
      APInt(number.getBitWidth(), index, /*isSigned=*/true), number);
}

/// The load that gives `value` there; null if it is no copy.
LoadOp Concatenation::findLoad(Value value, int64_t index) {
  while (Operation *op = value.getDefiningOp()) {
    auto load = dyn_cast<LoadOp>(op);
    auto select = dyn_cast<arith::SelectOp>(op);
    if (load && !load.getMask())
      return load;
    auto taken = load     ? decide(load.getMask(), index)
                 : select ? decide(select.getCondition(), index)
                          : std::nullopt;
    if (!taken)
      return {};
    if (load && *taken)
      return load;
    value = load     ? load.getOther()
            : *taken ? select.getTrueValue()
                     : select.getFalseValue();
  }
  return {};
}

bool Concatenation::addPiece(int64_t low, int64_t high) {
  Operation *yield = nest.getBody().front().getTerminator();
  LoadOp load = findLoad(yield->getOperand(0), low);
  auto input =
      load ? dyn_cast<BlockArgument>(load.getTensor()) : BlockArgument();
  if (!input || input.getOwner()->getParentOp() != kernel ||
      cast<RankedTensorType>(input.getType()).getElementType() !=
          cast<RankedTensorType>(nest.getResult().getType()).getElementType())
    return false;
  if (!pieces.empty() && pieces.back().read.load == load) {
    pieces.back().high = high;
    return true;
  }
  for (analysis::Access &read :
       analysis::getReads(cast<NestOpInterface>(nest.getOperation())))
    if (read.load == load && !read.indirect) {
      pieces.push_back({low, high, read});
      return true;
    }
  return false;
}

bool Concatenation::read() {
  SmallVector<NestOpInterface> nests = kernel.getNests();
  auto returned = cast<ReturnOp>(kernel.getBody().front().getTerminator());
  if (kernel.getScheduleAttr() || nests.size() != 1 ||
      kernel.getNumResults() != 1 || returned.getStridesAttr())
    return false;
  nest = dyn_cast<PointwiseOp>(nests.front().getOperation());
  auto dims = nest ? guard::getDims(
                         cast<RankedTensorType>(kernel.getResult(0).getType()))
                   : std::nullopt;
  // Of no elements nothing has to be stored.
  if (!dims || kernel.getResult(0).getType() != nest.getResult().getType() ||
      llvm::any_of(*dims, [](ExprAttr size) { return size.isConstant(0); }))
    return false;
  auto bounds = findBounds();
  if (!bounds || bounds->size() > kMaxPieces)
    return false;
  for (size_t k = 0; k + 1 < bounds->size(); ++k)
    if (!addPiece((*bounds)[k], (*bounds)[k + 1]))
      return false;
  strides = guard::getContiguousStrides(kernel.getContext(), *dims);
  return pieces.size() > 1;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

SmallVector<ExprAttr> Concatenation::getExtents(const Piece &piece) {
  SmallVector<ExprAttr> extents = nest.getDomain().parallel;
  extents[dim] =
      guard::getConstant(kernel.getContext(), piece.high - piece.low);
  return extents;
}

/// The index of what a piece copies, over points of the piece.
SmallVector<ExprAttr> Concatenation::getMap(const Piece &piece) {
  MLIRContext *context = kernel.getContext();
  SmallVector<ExprAttr> names = getIdentityMap(context, strides.size());
  names[dim] = names[dim] + piece.low;
  guard::Assumptions assumptions = hints.getAssumptions();
  analysis::addExtents(assumptions, context, getExtents(piece));
  return llvm::map_to_vector(piece.read.map, [&](ExprAttr index) {
    return guard::simplify(guard::substituteDims(index, names), assumptions);
  });
}

/// A stride for each dimension of a tensor of these sizes, of which a point of
/// `order` has the element `order.written`, such that it is `address` elements
/// behind the first; nothing if there are no such numbers.
static std::optional<SmallVector<ExprAttr>>
findStrides(const ReaderOrder &order, ArrayRef<ExprAttr> sizes,
            ExprAttr address) {
  MLIRContext *context = address.getContext();
  SmallVector<ExprAttr> strides(sizes.size());
  ExprAttr placed = guard::getConstant(context, 0);
  for (size_t k = sizes.size(); k-- > 0;) {
    for (unsigned d = 0; d < order.extents.size() && !strides[k]; ++d) {
      ExprAttr name = guard::getDim(context, d);
      auto own = guard::getCoefficient(order.written[k], name);
      auto step = guard::getCoefficient(address, name);
      if (own && own->isConstant(1) && step && step->getConstant())
        strides[k] = *step;
    }
    // Of one element it does not matter.
    if (!strides[k] && !sizes[k].isConstant(1))
      return std::nullopt;
    if (!strides[k])
      strides[k] = k + 1 < sizes.size() ? sizes[k + 1] * strides[k + 1]
                                        : guard::getConstant(context, 1);
    placed = placed + order.written[k] * strides[k];
  }
  SmallVector<ExprAttr> names = getIdentityMap(context, order.extents.size());
  for (auto [name, extent] : llvm::zip_equal(names, order.extents))
    if (extent.isConstant(1))
      name = guard::getConstant(context, 0);
  if (guard::substituteDims(placed, names) !=
      guard::substituteDims(address, names))
    return std::nullopt;
  return strides;
}

/// True if vectors of 16 bytes begin and end where the part has elements.
bool Concatenation::isAligned(const PlacedPiece &placed,
                              ArrayRef<ExprAttr> sizes) {
  int64_t bytes = analysis::getElementBytes(
      cast<RankedTensorType>(nest.getResult().getType()).getElementType());
  auto isMultiple = [&](ExprAttr elements) {
    auto known = elements.getConstant();
    return known && *known * bytes % kAligned == 0;
  };
  if (!isMultiple(placed.offset))
    return false;
  bool hasNeighbours = false;
  for (auto [size, stride] : llvm::zip_equal(sizes, placed.strides)) {
    if (size.isConstant(1))
      continue;
    hasNeighbours |= stride.isConstant(1);
    if (!isMultiple(stride.isConstant(1) ? size : stride))
      return false;
  }
  return hasNeighbours;
}

/// True if who reads `tensor` finds it by regular steps, where it did so
/// before, if it has these strides.
static bool readsByStrides(KernelOp reader, Value tensor,
                           ArrayRef<ExprAttr> strides,
                           const analysis::SizeHints &hints) {
  MLIRContext *context = reader.getContext();
  SmallVector<ExprAttr> dense = guard::getContiguousStrides(
      context, *guard::getDims(cast<RankedTensorType>(tensor.getType())));
  for (NestOpInterface nest : reader.getNests()) {
    if (!isa<PointwiseOp, ReduceOp, ContractOp>(nest.getOperation()))
      return false;
    guard::Assumptions assumptions = hints.getAssumptions();
    SmallVector<ExprAttr> extents = nest.getDomain().all();
    analysis::addExtents(assumptions, context, extents);
    for (const analysis::Access &access : analysis::getReads(nest)) {
      auto input = dyn_cast<BlockArgument>(access.tensor);
      if (!input || reader.getInputs()[input.getArgNumber()] != tensor)
        continue;
      ExprAttr before =
          analysis::linearize(context, access.map, dense, assumptions);
      ExprAttr now =
          analysis::linearize(context, access.map, strides, assumptions);
      for (unsigned d = 0; d < extents.size(); ++d)
        if (analysis::getStride(now, d).kind ==
                analysis::Stride::Kind::Irregular &&
            analysis::getStride(before, d).kind !=
                analysis::Stride::Kind::Irregular)
          return false;
    }
  }
  return true;
}

/// True if `made` is what a kernel makes by elements, for kernels alone, and
/// may lie anywhere.
static bool mayBePart(OpResult made, KernelOp reader) {
  auto kernel = dyn_cast<KernelOp>(made.getOwner());
  if (!kernel || kernel.getScheduleAttr() ||
      kernel->getBlock() != reader->getBlock() || AssembleOp::find(made).first)
    return false;
  auto returned = cast<ReturnOp>(kernel.getBody().front().getTerminator());
  Value value = returned.getValues()[made.getResultNumber()];
  return value.getType() == made.getType() &&
         isa_and_nonnull<PointwiseOp, ContractOp>(value.getDefiningOp()) &&
         llvm::count(returned.getValues(), value) == 1 &&
         llvm::all_of(made.getUsers(), [](Operation *user) {
           auto kernel = dyn_cast<KernelOp>(user);
           return kernel && !kernel.getScheduleAttr();
         });
}

/// Where the tensor of a piece can be stored by who makes it.
std::optional<PlacedPiece> Concatenation::findPlace(const Piece &piece) {
  Value tensor =
      kernel.getInputs()[cast<BlockArgument>(piece.read.tensor).getArgNumber()];
  auto made = dyn_cast<OpResult>(tensor);
  auto sizes = guard::getDims(cast<RankedTensorType>(tensor.getType()));
  if (!made || !sizes || !mayBePart(made, kernel))
    return std::nullopt;
  auto order = getReaderOrder(getExtents(piece), *sizes, getMap(piece), hints);
  if (!order)
    return std::nullopt;
  ExprAttr address = guard::getConstant(kernel.getContext(), 0);
  for (auto [index, stride] : llvm::zip_equal(order->reader, strides))
    address = address + index * stride;
  auto found = findStrides(*order, *sizes, address);
  if (!found)
    return std::nullopt;
  PlacedPiece placed = {made, strides[dim] * piece.low, std::move(*found)};
  bool isRead = llvm::all_of(made.getUsers(), [&](Operation *user) {
    return user == kernel ||
           readsByStrides(cast<KernelOp>(user), made, placed.strides, hints);
  });
  if (!isRead || !isAligned(placed, *sizes))
    return std::nullopt;
  return placed;
}

/// Where a copy of a piece is stored.
PlacedPiece Concatenation::getCopied(const Piece &piece) {
  return {OpResult(), strides[dim] * piece.low, strides};
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// The piece as what a kernel of its own copies.
Value Concatenation::copy(const Piece &piece, const PlacedPiece &placed) {
  auto type = cast<RankedTensorType>(nest.getResult().getType());
  SmallVector<ExprAttr> extents = getExtents(piece);
  PackedCopy copied = {
      kernel.getInputs()[cast<BlockArgument>(piece.read.tensor).getArgNumber()],
      getMap(piece), extents, extents.back(), type.getElementType()};
  KernelOp made = makePackedCopy(kernel, kernel.getName(), copied,
                                 nest.getLoc(), nest.getOriginsAttr());
  return made.getResult(0);
}

bool Concatenation::place() {
  SmallVector<PlacedPiece> places;
  llvm::SmallDenseSet<Value> placed;
  int64_t saved = 0, copies = 0;
  for (const Piece &piece : pieces) {
    auto found = findPlace(piece);
    // Read twice, it is in one place.
    if (!found || !placed.insert(found->made).second) {
      places.push_back(getCopied(piece));
      if (!isAligned(places.back(), getExtents(piece)))
        return false;
      ++copies;
      continue;
    }
    // It would be read and written.
    saved += 2 * hints.getBytes(cast<RankedTensorType>(found->made.getType()));
    places.push_back(std::move(*found));
  }
  if (placed.empty() || (copies != 0 && saved < copies * kLaunchBytes))
    return false;
  MLIRContext *context = kernel.getContext();
  SmallVector<Value> parts;
  SmallVector<ExprAttr> offsets;
  SmallVector<Attribute> all;
  for (auto [piece, own] : llvm::zip_equal(pieces, places)) {
    parts.push_back(own.made ? Value(own.made) : copy(piece, own));
    offsets.push_back(own.offset);
    auto shape = guard::ShapeAttr::get(context, own.strides);
    all.push_back(shape);
    auto made = cast<OpResult>(parts.back());
    auto maker = cast<KernelOp>(made.getOwner());
    cast<ReturnOp>(maker.getBody().front().getTerminator())
        .setPartStrides(made.getResultNumber(), shape);
  }
  OpBuilder builder(kernel);
  auto whole = AssembleOp::create(
      builder, kernel.getLoc(), kernel.getResult(0).getType(), parts,
      getExprArray(context, offsets), builder.getArrayAttr(all));
  kernel.getResult(0).replaceAllUsesWith(whole.getResult());
  kernel.erase();
  return true;
}

namespace {
class PlaceParts : public loop::impl::PlacePartsPassBase<PlaceParts> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (failed(verifyPassInput(function, getArgument(),
                               {Stage::Loop, Stage::Loop})))
      return signalPassFailure();
    if (function.isExternal() || !getGPUTarget(function))
      return;
    analysis::SizeHints hints(function->getParentOfType<ModuleOp>());
    for (auto kernel :
         llvm::make_early_inc_range(function.getOps<KernelOp>())) {
      Concatenation concatenation(kernel, hints);
      if (concatenation.read())
        (void)concatenation.place();
    }
  }
};
} // namespace

//===- MergeSums.cpp - The pass aten-merge-sums ---------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value with several users gets the sum of what they give it. Three kinds of
// such sums are one op over what is concatenated:
//
//   slices put into zeros, side by side   the concatenation itself
//   A x B + C x D                         [A C] x [B; D]
//   sums of B's and D's rows              a sum of the rows of [B; D]
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/IR/Aten.h"
#include "kiln/Dialect/Aten/IR/FormulaBuilder.h"
#include "kiln/Dialect/Aten/Transforms/Passes.h"
#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Interfaces/Stages.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SetVector.h"

#include <map>

namespace kiln::aten {
#define GEN_PASS_DEF_ATENMERGESUMSPASS
#include "kiln/Dialect/Aten/Transforms/Passes.h.inc"

namespace {

/// A matrix, or the transposed one of `base`.
struct Factor {
  Value base;
  bool isTransposed = false;

  explicit Factor(Value value) : base(value) {
    if (auto op = value.getDefiningOp<PermuteOp>();
        op && FormulaBuilder::rankOf(value) == 2 &&
        FormulaBuilder::wrapDim(op.getDims()[0], 2) == 1) {
      base = op.getSelf();
      isTransposed = true;
    }
  }
  Factor transposed() const {
    Factor other = *this;
    other.isTransposed = !isTransposed;
    return other;
  }
  int64_t size(unsigned dim) const {
    return FormulaBuilder::typeOf(base).getDimSize(isTransposed ? 1 - dim : dim);
  }
};

/// What is added up: an op, and whether it is widened first.
struct Leaf {
  Value value;
  Operation *op = nullptr;
  bool isWidened = false;

  explicit Leaf(Value value) : value(value), op(value.getDefiningOp()) {
    auto cast = llvm::dyn_cast_if_present<ToCopyOp>(op);
    if (!cast || !cast->hasOneUse())
      return;
    Type from = FormulaBuilder::elementTypeOf(cast.getSelf());
    Type to = FormulaBuilder::elementTypeOf(value);
    Operation *inner = cast.getSelf().getDefiningOp();
    if (inner && from != to && FormulaBuilder::computeType(from) == to) {
      op = inner;
      isWidened = true;
    }
  }
  Type elementType() const {
    return FormulaBuilder::elementTypeOf(op->getResult(0));
  }
};

/// A gradient of some of the indices of a dimension: all others are zeros.
struct Piece {
  unsigned leaf;
  Value value;
  int64_t start, end;
  bool isOneIndex;
};

/// One sum, and what becomes of it.
class SumMerger {
public:
  using Concatenations =
      std::map<std::pair<std::vector<const void *>, int64_t>, Value>;

  SumMerger(AddTensorOp root, Concatenations &made)
      : root(root), builder(root), c(builder, root.getLoc()), made(made) {}

  static bool isSum(Operation *op);
  /// Finds what is added up, and the sums within the sum.
  void collect(llvm::DenseSet<Operation *> &inner);
  bool mergePieces();
  bool mergeProducts();
  bool mergeSums();
  /// The sum that takes the place of the root; null if nothing is added up any more.
  AddTensorOp replace();

private:
  Value concatenate(ArrayRef<Value> values, int64_t dim);
  void take(ArrayRef<unsigned> merged, Value by, bool isWidened);
  bool mergePieces(int64_t dim, SmallVector<Piece> pieces);

  AddTensorOp root;
  OpBuilder builder;
  FormulaBuilder c;
  Concatenations &made;
  SmallVector<Leaf> leaves;
};

} // namespace

bool SumMerger::isSum(Operation *op) {
  auto add = llvm::dyn_cast_if_present<AddTensorOp>(op);
  return add && !add.getAlpha() &&
         llvm::isa<mlir::FloatType>(
             FormulaBuilder::elementTypeOf(add.getResult())) &&
         FormulaBuilder::typeOf(add.getResult()).hasStaticShape() &&
         add.getSelf().getType() == add.getResult().getType() &&
         add.getOther().getType() == add.getResult().getType();
}

void SumMerger::collect(llvm::DenseSet<Operation *> &inner) {
  SmallVector<Value> work = {root.getOther(), root.getSelf()};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (isSum(op) && op->hasOneUse() && op->getBlock() == root->getBlock()) {
      auto add = llvm::cast<AddTensorOp>(op);
      inner.insert(op);
      work.append({add.getOther(), add.getSelf()});
      continue;
    }
    leaves.emplace_back(value);
  }
}

/// Behind the last of `values`, so that whoever reads them all finds it.
Value SumMerger::concatenate(ArrayRef<Value> values, int64_t dim) {
  std::vector<const void *> key;
  for (Value value : values)
    key.push_back(value.getAsOpaquePointer());
  Value &known = made[{key, dim}];
  if (known)
    return known;
  mlir::OpBuilder::InsertionGuard guard(builder);
  Operation *last = nullptr;
  for (Value value : values)
    if (Operation *op = value.getDefiningOp();
        op && (!last || last->isBeforeInBlock(op)))
      last = op;
  if (last)
    builder.setInsertionPointAfter(last);
  else
    builder.setInsertionPointToStart(root->getBlock());
  return known = c.concat(values, dim);
}

/// Puts `by` in the place of the leaves `merged`.
void SumMerger::take(ArrayRef<unsigned> merged, Value by, bool isWidened) {
  SmallVector<Leaf> left;
  for (auto [i, leaf] : llvm::enumerate(leaves))
    if (!llvm::is_contained(merged, i))
      left.push_back(leaf);
  left.emplace_back(isWidened ? c.widen(by) : by);
  leaves = std::move(left);
}

//===----------------------------------------------------------------------===//
// Slices side by side
//===----------------------------------------------------------------------===//

/// The piece that an op puts into zeros, and its dimension.
static std::optional<std::pair<Piece, int64_t>> getPiece(unsigned leaf,
                                                         Operation *op) {
  Value whole = op->getResult(0);
  int64_t rank = FormulaBuilder::rankOf(whole);
  if (auto one = llvm::dyn_cast<SelectBackwardOp>(op)) {
    int64_t dim = FormulaBuilder::wrapDim(one.getDim(), rank);
    std::optional<int64_t> index = one.getIndex().getConstant();
    if (!index)
      return std::nullopt;
    int64_t at = FormulaBuilder::wrapDim(
        *index, FormulaBuilder::typeOf(whole).getDimSize(dim));
    return std::pair(Piece{leaf, one.getGradOutput(), at, at + 1, true}, dim);
  }
  auto slice = llvm::dyn_cast<SliceBackwardOp>(op);
  if (!slice || !slice.getStep().isConstant(1))
    return std::nullopt;
  int64_t dim = FormulaBuilder::wrapDim(slice.getDim(), rank);
  int64_t size = FormulaBuilder::typeOf(whole).getDimSize(dim);
  std::optional<int64_t> start = slice.getStart().getConstant();
  if (!start)
    return std::nullopt;
  int64_t from =
      std::clamp<int64_t>(FormulaBuilder::wrapDim(*start, size), 0, size);
  // As many as it has, whatever the end says.
  int64_t count =
      FormulaBuilder::typeOf(slice.getGradOutput()).getDimSize(dim);
  return std::pair(
      Piece{leaf, slice.getGradOutput(), from, from + count, false}, dim);
}

bool SumMerger::mergePieces(int64_t dim, SmallVector<Piece> pieces) {
  llvm::sort(pieces, [](const Piece &a, const Piece &b) {
    return std::tie(a.start, a.leaf) < std::tie(b.start, b.leaf);
  });
  SmallVector<Piece> apart;
  for (const Piece &piece : pieces)
    if (apart.empty() || apart.back().end <= piece.start)
      apart.push_back(piece);
  if (apart.size() < 2)
    return false;
  auto type = FormulaBuilder::typeOf(leaves[apart.front().leaf].op->getResult(0));
  // Single indices of the first dimension are rows of one matrix more.
  bool areRows = dim == 0 && type.getRank() > 1 &&
                 llvm::all_of(apart, [](const Piece &p) { return p.isOneIndex; }) &&
                 int64_t(apart.size()) == type.getDimSize(0);
  SmallVector<Value> parts;
  SmallVector<unsigned> merged;
  int64_t at = 0;
  auto fill = [&](int64_t to) {
    if (to <= at)
      return;
    SmallVector<guard::ExprAttr> sizes;
    for (int64_t size : type.getShape())
      sizes.push_back(c.expr(size));
    sizes[dim] = c.expr(to - at);
    parts.push_back(c.filled(sizes, 0.0, type.getElementType()));
  };
  for (const Piece &piece : apart) {
    fill(piece.start);
    parts.push_back(piece.isOneIndex && !areRows ? c.unsqueeze(piece.value, dim)
                                                 : piece.value);
    merged.push_back(piece.leaf);
    at = piece.end;
  }
  fill(type.getDimSize(dim));
  Value whole = areRows ? c.view(concatenate(parts, 0), type.getShape())
                        : c.concat(parts, dim);
  take(merged, whole, leaves[merged.front()].isWidened);
  return true;
}

bool SumMerger::mergePieces() {
  std::map<std::pair<int64_t, const void *>, SmallVector<Piece>> groups;
  for (auto [i, leaf] : llvm::enumerate(leaves))
    if (leaf.op && leaf.op->getBlock() == root->getBlock())
      if (auto found = getPiece(i, leaf.op))
        groups[{found->second, leaf.elementType().getAsOpaquePointer()}]
            .push_back(found->first);
  // Places of leaves change with each group: one, and then again.
  for (auto &[key, pieces] : groups)
    if (mergePieces(key.first, pieces))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Products and sums of rows
//===----------------------------------------------------------------------===//

/// The factors of a product, or of the product that a transposed one is.
static std::optional<std::pair<Factor, Factor>> getFactors(Operation *op) {
  Value value = op->getResult(0);
  Factor whole(value);
  auto product = whole.base.getDefiningOp<MmOp>();
  if (!product || !product->hasOneUse() ||
      product->getBlock() != op->getBlock())
    return std::nullopt;
  Factor left(product.getSelf()), right(product.getMat2());
  if (whole.isTransposed)
    return std::pair(right.transposed(), left.transposed());
  return std::pair(left, right);
}

bool SumMerger::mergeProducts() {
  // What is multiplied alike.
  using Key = std::tuple<bool, bool, const void *>;
  std::map<Key, SmallVector<std::tuple<unsigned, Factor, Factor>>> groups;
  for (auto [i, leaf] : llvm::enumerate(leaves)) {
    if (!leaf.op || leaf.op->getBlock() != root->getBlock())
      continue;
    auto factors = getFactors(leaf.op);
    if (!factors)
      continue;
    auto [left, right] = *factors;
    // Factors are written once more where each product would be: worth it where
    // they are less than that.
    int64_t rows = left.size(0), columns = right.size(1), depth = left.size(1);
    if (depth * (rows + columns) >= rows * columns)
      continue;
    groups[{left.isTransposed, right.isTransposed,
            leaf.elementType().getAsOpaquePointer()}]
        .emplace_back(i, left, right);
  }
  for (auto &[key, products] : groups) {
    if (products.size() < 2)
      continue;
    // The backward adds up what was last in the forward first.
    std::reverse(products.begin(), products.end());
    SmallVector<unsigned> merged;
    SmallVector<Value> lefts, rights;
    for (auto &[leaf, left, right] : products) {
      merged.push_back(leaf);
      lefts.push_back(left.base);
      rights.push_back(right.base);
    }
    bool isLeftTransposed = std::get<0>(key), isRightTransposed = std::get<1>(key);
    Value left = concatenate(lefts, isLeftTransposed ? 0 : 1);
    Value right = concatenate(rights, isRightTransposed ? 1 : 0);
    if (isLeftTransposed)
      left = c.transposeLast(left);
    if (isRightTransposed)
      right = c.transposeLast(right);
    take(merged, c.mm(left, right), leaves[merged.front()].isWidened);
    return true;
  }
  return false;
}

/// Of rows that are concatenated anyway.
bool SumMerger::mergeSums() {
  std::map<const void *, SmallVector<unsigned>> groups;
  for (auto [i, leaf] : llvm::enumerate(leaves)) {
    auto sum = llvm::dyn_cast_if_present<SumDimIntListOp>(leaf.op);
    if (sum && sum->getBlock() == root->getBlock() && !sum.getKeepdim() &&
        !sum.getDtype() && sum.getDim() && sum.getDim()->size() == 1 &&
        sum.getDim()->front() == 0)
      groups[leaf.elementType().getAsOpaquePointer()].push_back(i);
  }
  for (auto &[type, sums] : groups) {
    std::reverse(sums.begin(), sums.end());
    std::vector<const void *> key;
    for (unsigned i : sums)
      key.push_back(leaves[i].op->getOperand(0).getAsOpaquePointer());
    auto known = made.find({key, 0});
    if (known == made.end() || sums.size() < 2)
      continue;
    take(sums, c.sumDimIntList(known->second, {0}),
         leaves[sums.front()].isWidened);
    return true;
  }
  return false;
}

static void eraseDead(Operation *op) {
  SmallVector<Operation *> work = {op};
  while (!work.empty()) {
    Operation *next = work.pop_back_val();
    if (!next || !mlir::isOpTriviallyDead(next))
      continue;
    llvm::SmallSetVector<Operation *, 4> operands;
    for (Value operand : next->getOperands())
      operands.insert(operand.getDefiningOp());
    next->erase();
    work.append(operands.begin(), operands.end());
  }
}

AddTensorOp SumMerger::replace() {
  Value sum = leaves.front().value;
  AddTensorOp last;
  for (const Leaf &leaf : llvm::drop_begin(leaves)) {
    sum = c.add(sum, leaf.value);
    last = sum.getDefiningOp<AddTensorOp>();
  }
  root.getResult().replaceAllUsesWith(sum);
  eraseDead(root);
  return last;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct AtenMergeSumsPass : impl::AtenMergeSumsPassBase<AtenMergeSumsPass> {
  using AtenMergeSumsPassBase::AtenMergeSumsPassBase;

  void runOnBlock(Block &block);
  void runOnOperation() override;
};

} // namespace

void AtenMergeSumsPass::runOnBlock(Block &block) {
  SmallVector<AddTensorOp> roots;
  llvm::DenseSet<Operation *> inner;
  SumMerger::Concatenations made;
  for (Operation &op : llvm::reverse(block))
    if (SumMerger::isSum(&op) && !inner.contains(&op)) {
      roots.push_back(llvm::cast<AddTensorOp>(op));
      SumMerger(roots.back(), made).collect(inner);
    }
  // What is concatenated for products is known before sums of rows ask for it.
  auto run = [&](bool (SumMerger::*merge)()) {
    for (AddTensorOp &root : roots) {
      if (!root)
        continue;
      SumMerger merger(root, made);
      merger.collect(inner);
      bool isChanged = false;
      while ((merger.*merge)())
        isChanged = true;
      if (!isChanged)
        continue;
      root = merger.replace();
    }
  };
  run(&SumMerger::mergePieces);
  run(&SumMerger::mergeProducts);
  run(&SumMerger::mergeSums);
}

void AtenMergeSumsPass::runOnOperation() {
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {Stage::Capture, Stage::Joint})))
    return signalPassFailure();
  SmallVector<Block *> blocks;
  getOperation()->walk([&](Block *block) { blocks.push_back(block); });
  for (Block *block : blocks)
    runOnBlock(*block);
}

} // namespace kiln::aten

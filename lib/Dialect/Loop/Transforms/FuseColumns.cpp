//===- FuseColumns.cpp - Sum up columns where their rows are --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"
#include "ColumnSums.h"
#include "KernelWalk.h"
#include "PackedCopy.h"

#include "kiln/Dialect/Loop/IR/RowParts.h"
#include "kiln/Dialect/Loop/IR/RowValues.h"
#include "kiln/Dialect/Loop/Transforms/ChooseSchedule.h"
#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Interfaces/SumMark.h"
#include "kiln/Support/Remarks.h"

#include "llvm/ADT/SetVector.h"

#include <algorithm>

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace kiln::loop {
#define GEN_PASS_DEF_FUSECOLUMNSPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

namespace {

/// A sum over rows, and the kernel that has these rows.
struct Match {
  ReduceOp sum;
  KernelOp columns; ///< in which it stands
  KernelOp rows;
  RowParts parts;
  int64_t bytes = 0;    ///< that both read
  bool byTurns = false; ///< warps of a GPU have rows of their own
};

class FuseColumns : public loop::impl::FuseColumnsPassBase<FuseColumns> {
public:
  using FuseColumnsPassBase::FuseColumnsPassBase;
  void runOnOperation() override;

private:
  bool reshapeSums(KernelOp columns, const analysis::SizeHints &hints) const;
  std::optional<Match> findRows(KernelOp columns, ReduceOp sum,
                                const analysis::SizeHints &hints,
                                StringRef &why) const;
  std::optional<RowParts> cut(ArrayRef<ExprAttr> extents) const;
  std::optional<RowParts> cutForBlocks(Match &match, StringRef &why) const;
  bool isWorthwhile(const Match &match, const analysis::SizeHints &hints) const;

  std::optional<GPUMachine> gpu;
};

} // namespace

/// The tensor outside of `kernel` that a load in it reads; null for one of the kernel.
static Value getInput(KernelOp kernel, Value tensor) {
  auto argument = dyn_cast<BlockArgument>(tensor);
  if (!argument || argument.getOwner() != &kernel.getBody().front())
    return {};
  return kernel.getInputs()[argument.getArgNumber()];
}

/// True for a sum of floats with columns that reads nothing but inputs.
static bool isColumnSum(KernelOp kernel, ReduceOp op) {
  Domain domain = op.getDomain();
  if (!op.getInits().empty() || domain.parallel.empty() ||
      getRowParts(kernel, cast<NestOpInterface>(op.getOperation())))
    return false;
  auto last = domain.parallel.back().getConstant();
  if (last && *last < 2)
    return false;
  for (Type type : op.getBody().front().getTerminator()->getOperandTypes())
    if (!isa<FloatType>(type))
      return false;
  return !op->walk([&](LoadOp load) {
              return getInput(kernel, load.getTensor())
                         ? WalkResult::advance()
                         : WalkResult::interrupt();
            }).wasInterrupted();
}

/// True if `kernel` walks along rows, which are the points of `extents`, or does so if
/// it shares fewer of its extents.
static bool hasRows(KernelOp kernel, ArrayRef<ExprAttr> extents,
                    const analysis::SizeHints &hints) {
  SmallVector<ExprAttr> shared = getExprs(kernel.getShared());
  SmallVector<NestOpInterface> nests = kernel.getNests();
  if (shared.size() < extents.size() ||
      ArrayRef(shared).take_front(extents.size()) != extents)
    return false;
  bool isWhole = shared.size() == extents.size();
  if (getWalk(kernel, hints, /*joinsReduced=*/true) != (isWhole ? Walk::Within : Walk::Across))
    return false;
  return llvm::all_of(nests, [&](NestOpInterface nest) {
    return !nest.standsAlone(extents.size()) &&
           !isa<ContractOp>(nest.getOperation()) &&
           (isWhole || nest.isPointwise());
  });
}

/// Cuts rows into parts of as many as are allowed.
std::optional<RowParts> FuseColumns::cut(ArrayRef<ExprAttr> extents) const {
  int64_t inner = 1; // rows of one point of the dimension that is cut
  for (unsigned dim = extents.size(); dim-- > 0;) {
    auto all = extents[dim].getConstant();
    if (!all || *all < 1)
      return std::nullopt;
    int64_t outer = 1;
    for (ExprAttr extent : extents.take_front(dim)) {
      auto constant = extent.getConstant();
      // Of unknown number: enough.
      outer = llvm::SaturatingMultiply<uint64_t>(
          outer, constant ? *constant : int64_t(minParts));
    }
    for (int64_t size = std::min<int64_t>(*all, int64_t(maxRows) / inner);
         size > 1; --size) {
      if (*all % size != 0 ||
          llvm::SaturatingMultiply<uint64_t>(outer, *all / size) <
              uint64_t(minParts))
        continue;
      // As many rows as there may be: what is outside fits in no more.
      if (size == *all && dim > 0 && 2 * size * inner <= int64_t(maxRows))
        break;
      return makeParts(extents, dim, size);
    }
    inner = llvm::SaturatingMultiply<uint64_t>(inner, *all);
    if (inner > int64_t(maxRows))
      return std::nullopt;
  }
  return std::nullopt;
}

/// True if all that `sum` reads of what `rows` makes is its own element, or a
/// value of the row: that is with the thread which has this column.
static bool readsOwnElements(ReduceOp sum, KernelOp columns, KernelOp rows) {
  Domain domain = sum.getDomain();
  for (const analysis::Access &access :
       analysis::getReads(cast<NestOpInterface>(sum.getOperation()))) {
    Value tensor = getInput(columns, access.tensor);
    auto result = dyn_cast<OpResult>(tensor);
    if (!result || result.getOwner() != rows.getOperation())
      continue;
    Value made = rows.getBody().front().getTerminator()->getOperand(
        result.getResultNumber());
    if (isOnePerPoint(rows, made))
      continue;
    SmallVector<ExprAttr> own, read;
    for (unsigned dim = 0; dim < domain.parallel.size(); ++dim)
      if (!domain.parallel[dim].isConstant(1))
        own.push_back(guard::getDim(sum.getContext(), dim));
    auto type = cast<RankedTensorType>(tensor.getType());
    for (unsigned k = domain.reduction.size(); k < access.map.size(); ++k)
      if (type.getDimSize(k) != 1)
        read.push_back(access.map[k]);
    if (access.indirect || own != read)
      return false;
  }
  return true;
}

/// The same on a GPU, where a block has a part: as many as run together, if
/// threads have the registers for what they sum up.
std::optional<RowParts> FuseColumns::cutForBlocks(Match &match,
                                                  StringRef &why) const {
  ReduceOp sum = match.sum;
  KernelOp rows = match.rows, columns = match.columns;
  SmallVector<ExprAttr> extents = sum.getDomain().reduction;
  llvm::SetVector<Value> inputs(rows.getInputs().begin(),
                                rows.getInputs().end());
  sum->walk([&](LoadOp load) {
    Value tensor = getInput(columns, load.getTensor());
    if (tensor.getDefiningOp() != rows.getOperation())
      inputs.insert(tensor);
  });
  auto schedule = readsOwnElements(sum, columns, rows)
                      ? chooseGPURowParts(rows, sum, inputs.getArrayRef(), *gpu)
                      : std::nullopt;
  auto parts = getRowParts(rows);
  if (parts && schedule) { // as many as there are of how they are walked
    auto before = chooseGPURowParts(rows, {}, rows.getInputs(), *gpu);
    if (before && before->rows != schedule->rows)
      schedule.reset();
  }
  if (!schedule) {
    why = "a block cannot keep its row and the sums in registers";
    return std::nullopt;
  }
  match.byTurns = schedule->rows > 1;
  if (parts)
    return parts;
  parts = cutInto(schedule->parts, extents);
  // Few rows are over before what warps have of them is joined.
  if (parts && match.byTurns &&
      *guard::product(sum.getContext(), parts->rows).getConstant() <
          2 * schedule->rows) {
    why = "warps would have a row each";
    return std::nullopt;
  }
  return parts;
}

/// True if what both read is so much that it is worth not to be read again:
/// more than what the caches of a GPU have of it, and than sums over parts that
/// are stored and read.
bool FuseColumns::isWorthwhile(const Match &match,
                               const analysis::SizeHints &hints) const {
  constexpr int64_t kOverhead = 8;
  if (match.bytes < int64_t(minBytes))
    return false;
  if (!gpu)
    return true;
  // Where rows are walked already what is read again costs as much without a cache, and where
  // warps have rows of their own these are over as soon.
  int64_t least = getRowParts(match.rows) || match.byTurns ? 0 : gpu->l2;
  int64_t sums = 0;
  for (Type type : match.sum->getResultTypes())
    sums += hints.getBytes(cast<RankedTensorType>(type));
  sums = llvm::SaturatingMultiply<uint64_t>(
      sums, hints.product(match.parts.outer) * kOverhead);
  return match.bytes >= std::max(least, sums);
}

/// True if everybody who reads what `kernel` makes stands behind `place`, or at it.
static bool canMoveTo(KernelOp kernel, Operation *place) {
  return llvm::all_of(kernel->getUsers(), [&](Operation *user) {
    Operation *top = place->getBlock()->findAncestorOpInBlock(*user);
    return top && !top->isBeforeInBlock(place);
  });
}

/// Brings the rows before the columns and what the sum reads before the rows, if both
/// can be.
static bool order(const Match &match, bool isTrial) {
  KernelOp rows = match.rows, columns = match.columns;
  if (columns->isBeforeInBlock(rows)) {
    if (!canMoveTo(columns, rows->getNextNode()))
      return false;
    if (!isTrial)
      columns->moveAfter(rows);
    return true;
  }
  bool isThere = !match.sum
                      ->walk([&](LoadOp load) {
                        Operation *definer =
                            getInput(columns, load.getTensor()).getDefiningOp();
                        // What stands in a block around is there already.
                        return !definer || definer == rows.getOperation() ||
                                       definer->getBlock() != rows->getBlock() ||
                                       definer->isBeforeInBlock(rows)
                                   ? WalkResult::advance()
                                   : WalkResult::interrupt();
                      })
                      .wasInterrupted();
  if (isThere)
    return true;
  if (!canMoveTo(rows, columns))
    return false;
  if (!isTrial)
    rows->moveBefore(columns);
  return true;
}

/// The kernel with whose rows `sum` shares most bytes, or why there is none.
std::optional<Match> FuseColumns::findRows(KernelOp columns, ReduceOp sum,
                                           const analysis::SizeHints &hints,
                                           StringRef &why) const {
  Domain domain = sum.getDomain();
  SmallVector<analysis::Access> reads =
      analysis::getReads(cast<NestOpInterface>(sum.getOperation()));
  if (llvm::none_of(reads, [&](const analysis::Access &access) {
        return readsRow(access, domain);
      }))
    return std::nullopt; // no sum over rows
  std::optional<Match> best;
  why = "no kernel has its rows";
  if (hints.product(domain.parallel) < int64_t(minColumns)) {
    why = "it has too few columns";
    return std::nullopt;
  }
  for (Operation *op : getKernelsOf(
           columns, llvm::map_to_vector(reads, [&](const analysis::Access &read) {
             return getInput(columns, read.tensor);
           }))) {
    auto rows = cast<KernelOp>(op);
    if (!hasRows(rows, domain.reduction, hints) ||
        (gpu && rows.getShared().size() != domain.reduction.size()))
      continue;
    Match match{sum, columns, rows, {}};
    StringRef uncut = "its rows cannot be cut into enough parts of few rows";
    auto parts = gpu ? cutForBlocks(match, uncut) : cut(domain.reduction);
    if (auto others = getRowParts(rows); parts && others && *others != *parts)
      continue;
    match.parts = parts.value_or(RowParts());
    bool readsOthers = false;
    llvm::SmallDenseMap<Value, int64_t> bytes;
    for (const analysis::Access &access : reads) {
      Value tensor = getInput(columns, access.tensor);
      bool isMade = tensor.getDefiningOp() == op;
      if (!readsRow(access, domain))
        readsOthers |= isMade;
      else if (isMade || llvm::is_contained(rows.getInputs(), tensor))
        bytes[tensor] = hints.getBytes(cast<RankedTensorType>(tensor.getType()));
    }
    for (auto [tensor, count] : bytes)
      match.bytes += count;
    if (readsOthers)
      why = "it reads other rows than its own of what their kernel makes";
    else if (!isWorthwhile(match, hints))
      why = "too few bytes are read by both";
    else if (!parts)
      why = uncut;
    else if (!order(match, /*isTrial=*/true))
      why = "it needs what comes after the kernel of its rows";
    else if (!best || best->bytes < match.bytes)
      best = match;
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// The value in the kernel of the rows that is `value` in that of the columns.
static Value bring(const Match &match, Value value, IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  KernelOp rows = match.rows;
  Block &body = rows.getBody().front();
  Value brought;
  if (Value input = getInput(match.columns, value)) {
    if (auto result = dyn_cast<OpResult>(input);
        result && result.getOwner() == rows) {
      brought = body.getTerminator()->getOperand(result.getResultNumber());
    } else if (auto known = llvm::find(rows.getInputs(), input);
               known != rows.getInputs().end()) {
      brought = body.getArgument(known - rows.getInputs().begin());
    } else {
      rows.getInputsMutable().append(input);
      brought = body.addArgument(input.getType(), value.getLoc());
    }
  } else { // a constant
    OpBuilder builder = OpBuilder::atBlockBegin(&body);
    brought = builder.clone(*value.getDefiningOp())->getResult(0);
  }
  mapping.map(value, brought);
  return brought;
}

/// The sum over parts, in the kernel of the rows: before whoever may write over what it
/// reads.
static ReduceOp sumParts(const Match &match) {
  ReduceOp sum = match.sum;
  const RowParts &parts = match.parts;
  KernelOp rows = match.rows;
  Domain domain = sum.getDomain();
  SmallVector<ExprAttr> parallel(parts.outer);
  llvm::append_range(parallel, domain.parallel);
  SmallVector<Type> types;
  for (Type type : sum.getBody().front().getTerminator()->getOperandTypes())
    types.push_back(guard::makeTensorType(type, parallel));

  IRMapping mapping;
  Block &kernelBody = rows.getBody().front();
  Block *from = sum->getBlock();
  Operation *last = nullptr; // of what it reads
  sum->walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      if (operand.getParentBlock() != from)
        continue;
      Operation *definer = bring(match, operand, mapping).getDefiningOp();
      if (definer && (!last || last->isBeforeInBlock(definer)))
        last = definer;
    }
  });
  OpBuilder builder = OpBuilder::atBlockBegin(&kernelBody);
  if (last)
    builder.setInsertionPointAfter(last);
  auto made = ReduceOp::create(builder, sum.getLoc(), types, parallel,
                               parts.rows, getKinds(sum), sum.getOriginsAttr());
  copySumMark(sum, made);
  Block &body = made.getBody().front();
  builder.setInsertionPointToStart(&body);
  unsigned behind = parallel.size();
  auto indices = llvm::to_vector_of<Value>(body.getArguments().slice(
      parts.outer.size(), domain.parallel.size()));
  for (unsigned k = 0; k < domain.reduction.size(); ++k) {
    if (k != parts.dim) {
      indices.push_back(body.getArgument(
          k < parts.dim ? k : behind + k - parts.dim));
      continue;
    }
    MLIRContext *context = sum.getContext();
    indices.push_back(createIndex(
        builder, sum.getLoc(),
        guard::getDim(context, 0) * parts.size + guard::getDim(context, 1),
        {body.getArgument(k), body.getArgument(behind)}));
  }
  SmallVector<Value> yielded =
      cloneBody(builder, sum.getBody().front(), indices);
  YieldOp::create(builder, sum.getLoc(), yielded);
  made->walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (Value brought = mapping.lookupOrNull(operand.get()))
        operand.set(brought);
  });
  return made;
}

/// Joins both; the kernel of the rows is another one then, which is returned.
static KernelOp fuse(Match match, const analysis::SizeHints &hints) {
  order(match, /*isTrial=*/false);
  int64_t unfused = 0;
  for (KernelOp kernel : {match.rows, match.columns})
    if (TrafficAttr traffic = kernel.getTrafficAttr())
      unfused += traffic.getUnfused();
  SmallVector<ExprAttr> shared = getExprs(match.rows.getShared());
  shared.truncate(match.sum.getDomain().reduction.size());
  match.rows.setSharedAttr(getExprArray(shared[0].getContext(), shared));
  ReduceOp parts = sumParts(match);
  KernelOp rows = addResults(match.rows, parts);
  joinParts(match.sum, match.parts.outer,
            rows->getResults().take_back(parts.getNumResults()));
  dropUnreadInputs(match.columns);

  MLIRContext *context = rows.getContext();
  auto [read, written] = getMoved(match.columns, hints);
  match.columns.setTrafficAttr(
      TrafficAttr::get(context, read, written, read + written));
  unfused = std::max<int64_t>(unfused - read - written, 0);
  std::tie(read, written) = getMoved(rows, hints);
  rows.setTrafficAttr(TrafficAttr::get(context, read, written, unfused));
  return rows;
}

/// Has the sums of `columns`, which are all over the same rows, walk these as a kernel does that
/// has as many in other dimensions: a linear layer's rows are one, those of a norm a batch's and
/// a sequence's. True if it has changed them.
bool FuseColumns::reshapeSums(KernelOp columns,
                              const analysis::SizeHints &hints) const {
  auto sums = llvm::to_vector(columns.getBody().front().getOps<ReduceOp>());
  if (sums.empty())
    return false;
  SmallVector<ExprAttr> reduced = sums[0].getDomain().reduction;
  for (ReduceOp sum : sums)
    if (!isColumnSum(columns, sum) || sum.getDomain().reduction != reduced)
      return false;
  auto count = guard::product(columns.getContext(), reduced).getConstant();
  SmallVector<ExprAttr> found;
  for (Operation *op : getKernelsOf(columns, columns.getInputs())) {
    auto rows = cast<KernelOp>(op);
    SmallVector<ExprAttr> shared = getExprs(rows.getShared());
    if (shared.empty() || !hasRows(rows, shared, hints) ||
        guard::product(columns.getContext(), shared).getConstant() != count)
      continue;
    if (shared == reduced)
      return false;
    if (found.empty())
      found = shared;
  }
  if (!count || found.empty())
    return false;
  for (ReduceOp sum : sums)
    reshapeRows(sum, found);
  return true;
}

void FuseColumns::runOnOperation() {
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {Stage::Loop, Stage::Loop})))
    return signalPassFailure();
  gpu.reset();
  if (GPUTargetAttr target = getGPUTarget(getOperation()))
    gpu = getMachine(target);
  analysis::SizeHints hints(getOperation()->getParentOfType<ModuleOp>());
  SmallVector<KernelOp> kernels;
  for (Block &block : getOperation().getBody())
    llvm::append_range(kernels, block.getOps<KernelOp>());
  bool isChanged = false;
  for (KernelOp columns : kernels)
    isChanged |= gpu && reshapeSums(columns, hints);
  if (isChanged)
    simplifyBodies(getOperation(), hints);
  for (KernelOp &columns : kernels) {
    for (auto sum : llvm::make_early_inc_range(
             columns.getBody().front().getOps<ReduceOp>())) {
      if (!isColumnSum(columns, sum))
        continue;
      StringRef why;
      auto match = findRows(columns, sum, hints, why);
      if (!match) {
        if (why.empty())
          continue;
        if (auto told = remark::missed(
                sum.getLoc(), remarks::kColumnsNotFused.function(
                                  remarks::getFunctionName(columns))))
          told << remark::metric("kernel", columns.getName())
               << remark::reason("{0}", why);
        continue;
      }
      KernelOp rows = fuse(*match, hints);
      std::replace(kernels.begin(), kernels.end(), match->rows, rows);
      if (auto told = remark::passed(
              rows.getLoc(), remarks::kColumnsFused.function(
                                 remarks::getFunctionName(rows))))
        told << remark::metric("kernel", rows.getName())
             << remark::metric("rows", match->parts.size);
    }
  }
}

//===- InlineVirtual.cpp - Inline pointwise nests into their readers ------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"
#include "KnownIntegers.h"
#include "NarrowResults.h"

#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"
#include "kiln/Dialect/Loop/Transforms/ChooseSchedule.h"
#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Dialect/Loop/Utils/StructureNumbering.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

namespace kiln::loop {
#define GEN_PASS_DEF_INLINEVIRTUALPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

namespace {

/// Up to this cost a body is as good as a load.
constexpr int64_t freeCost = 2;
/// Operations that a GPU does in the time in which memory moves a byte, with room for f64;
/// and where none is of f64 and nothing has to wait for all of them: nine or ten of f32 go by
/// with a byte, and loads that are counted here become one when their nests do.
constexpr int64_t kGPUOpsPerByte = 2, kGPUNarrowOpsPerByte = 8;

/// Up to this cost per element a GPU computes a row again sooner than it writes
/// and reads it, four bytes each: about a hundred operations take as long as
/// twelve bytes.
constexpr double kCheapOnGPU = 64;

/// Why a nest is stored, or no prologue: a sentence that may have a number in it.
struct StoreReason {
  const char *text;
  std::optional<int64_t> number = std::nullopt;
  const char *rest = "";

  std::string str() const {
    return text + (number ? std::to_string(*number) : std::string()) + rest;
  }
};

class InlineVirtual : public loop::impl::InlineVirtualPassBase<InlineVirtual> {
public:
  using InlineVirtualPassBase::InlineVirtualPassBase;
  void runOnOperation() override;

private:
  void mergeEqualNests(func::FuncOp function);
  /// Nothing if `producer` may be inlined into all of its readers.
  std::optional<StoreReason> whyStore(PointwiseOp producer,
                                      const analysis::SizeHints &hints);
  bool isLongRow(PointwiseOp producer, const analysis::SizeHints &hints) const;
  void inlineOperands(PointwiseOp producer, const analysis::SizeHints &hints);
  /// Nothing if `producer` has become a part of an operand of `contract`.
  std::optional<StoreReason> inlineOperand(ContractOp contract, unsigned side,
                                           PointwiseOp producer,
                                           const analysis::SizeHints &hints);
  std::optional<StoreReason> whyNoPrologue(ContractOp contract,
                                           PointwiseOp producer, LoadOp load);

  /// Bytes of a row that a kernel for a GPU keeps between its nests; 0 for a
  /// CPU.
  int64_t keptBytes = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Equal nests
//===----------------------------------------------------------------------===//

void InlineVirtual::mergeEqualNests(func::FuncOp function) {
  StructureNumbering numbers;
  llvm::DenseMap<std::pair<Block *, unsigned>, NestOpInterface> first;
  SmallVector<std::pair<NestOpInterface, NestOpInterface>> merged;
  function.walk([&](NestOpInterface nest) {
    auto [it, isNew] = first.try_emplace(
        {nest->getBlock(), numbers.getNumber(nest)}, nest);
    if (!isNew)
      merged.emplace_back(nest, it->second);
  });
  // After the walk: a number stands for the operands that an op had.
  for (auto [nest, kept] : merged) {
    // The first keeps its name; the log shows what runs.
    nest->replaceAllUsesWith(kept);
    nest->erase();
  }
}

//===----------------------------------------------------------------------===//
// Into loads
//===----------------------------------------------------------------------===//

/// Points of the domain in which `load` is evaluated.
static int64_t getPoints(LoadOp load, const analysis::SizeHints &hints) {
  return hints.product(getNest(load).getBodyExtents());
}

/// Whether an integer contraction reads what `nest` gives, or what one nest more
/// makes of it.
static bool isFactor(Operation *nest, bool directly) {
  return llvm::any_of(nest->getUsers(), [&](Operation *user) {
    if (auto contract = dyn_cast<ContractOp>(user))
      return isa<IntegerType>(contract.getAccType());
    auto load = dyn_cast<LoadOp>(user);
    auto reader = load ? dyn_cast_or_null<PointwiseOp>(load->getParentOp())
                       : PointwiseOp();
    return !directly && reader && isFactor(reader, /*directly=*/true);
  });
}

/// Whether bytes are extended for an integer contraction by `reader`, and shifted
/// perhaps, which the contraction takes as its prologue: with them 32 bits would
/// be stored.
static bool isByteOfProduct(PointwiseOp producer, NestOpInterface reader) {
  auto type = cast<RankedTensorType>(producer.getResult().getType());
  return type.getElementTypeBitWidth() == 8 &&
         isa<PointwiseOp>(reader.getOperation()) &&
         isFactor(reader, /*directly=*/false);
}

/// True if some reader of `producer` reduces rows of it that no kernel for the
/// GPU keeps: they would go to memory between the reduction and the other
/// readers.
bool InlineVirtual::isLongRow(PointwiseOp producer,
                              const analysis::SizeHints &hints) const {
  int64_t bytes = analysis::getElementBytes(
      cast<RankedTensorType>(producer.getResult().getType()).getElementType());
  return keptBytes > 0 &&
         llvm::any_of(producer->getUsers(), [&](Operation *user) {
           auto reduce = user->getParentOfType<ReduceOp>();
           return reduce && hints.product(reduce.getDomain().reduction) >
                                keptBytes / bytes;
         });
}

/// Operations that recomputing `producer` may cost for each byte that memory does not move
/// then. A reduction keeps its row in registers, for the others that read it; nests that go
/// point by point may as well be products' epilogues, in kernels of their own.
static int64_t getOpsPerByte(PointwiseOp producer) {
  bool goesByPoints =
      llvm::all_of(producer.getResult().getUsers(), [](Operation *user) {
        return isa_and_nonnull<PointwiseOp>(getNest(user).getOperation());
      });
  bool isWide = producer.getBody()
                    .walk([](Operation *op) {
                      return llvm::any_of(op->getResultTypes(),
                                          [](Type type) { return type.isF64(); })
                                 ? WalkResult::interrupt()
                                 : WalkResult::advance();
                    })
                    .wasInterrupted();
  // A product's epilogue has rows under way before its sums are complete, no gathered ones.
  bool gathers = llvm::any_of(
      analysis::getReads(producer),
      [](const analysis::Access &access) { return access.indirect; });
  return goesByPoints && !isWide && !gathers ? kGPUNarrowOpsPerByte
                                             : kGPUOpsPerByte;
}

/// True if `producer` rounds a product for a reader that takes parts of it, as one that puts
/// tensors behind each other does: that cannot follow the product in its kernel, and the
/// product would be stored wide for it.
static bool roundsProduct(PointwiseOp producer) {
  if (!producer.getResult().hasOneUse())
    return false;
  auto reader = dyn_cast<LoadOp>(*producer.getResult().user_begin());
  const char *why = nullptr;
  LoadOp load = getOnlyLoad(producer, why);
  if (!reader || !reader.getMask() || !load)
    return false;
  auto product = load.getTensor().getDefiningOp<ContractOp>();
  auto getBytes = [](Value tensor) {
    return analysis::getElementBytes(
        cast<RankedTensorType>(tensor.getType()).getElementType());
  };
  return product && product.getResult().hasOneUse() &&
         getBytes(producer.getResult()) < getBytes(product.getResult());
}

/// True if `producer` has rows at positions that are computed or are not all there, and
/// its reader `load` walks across them. What lies across is read by tiles, as such positions
/// are not: the reader would gather them.
static bool isTurned(PointwiseOp producer, LoadOp load) {
  auto getLast = [](NestOpInterface nest) {
    return guard::getDim(nest->getContext(),
                         nest.getDomain().parallel.size() - 1);
  };
  NestOpInterface reader = getNest(load);
  if (!isa<PointwiseOp>(reader.getOperation()))
    return false;
  guard::ExprAttr last = getLast(reader);
  bool isAcross = llvm::any_of(
      analysis::getReads(reader), [&](const analysis::Access &read) {
        return read.load == load && !read.indirect && !read.masked &&
               !read.map.empty() && read.map.back().isDim() &&
               read.map.back() != last && llvm::is_contained(read.map, last);
      });
  return isAcross && llvm::any_of(analysis::getReads(producer),
                                  [&](const analysis::Access &read) {
                                    return (read.indirect || read.masked) &&
                                           !read.map.empty() &&
                                           read.map.back() == getLast(producer);
                                  });
}

std::optional<StoreReason>
InlineVirtual::whyStore(PointwiseOp producer,
                        const analysis::SizeHints &hints) {
  Region &body = producer.getBody();
  Domain domain = producer.getDomain();
  int64_t points = std::max<int64_t>(hints.product(domain.parallel), 1);
  int64_t cost = std::max<int64_t>(analysis::getCost(body) - 1, 0);
  size_t ops = body.front().getOperations().size();
  double evaluations = 0;
  size_t loads = 0;
  for (Operation *user : producer.getResult().getUsers()) {
    auto load = dyn_cast<LoadOp>(user);
    if (!load || !getNest(load))
      return StoreReason{isa<ContractOp>(user)
                             ? "a contraction reads it from memory"
                             : "it leaves the program's kernels"};
    if (isByteOfProduct(producer, getNest(load)))
      return StoreReason{"a product of bytes reads it from memory"};
    if (!getGPUTarget(producer) && isTurned(producer, load))
      return StoreReason{"its reader walks across it, by tiles"};
    ++loads;
    evaluations += double(getPoints(load, hints)) / points;
    // A nest that also needs it in memory would compute it twice.
    size_t grown = ops;
    getNest(load)->walk([&](Operation *) { ++grown; });
    if (grown > size_t(maxBodyOps))
      return StoreReason{"the body of its reader would have ", int64_t(grown),
                         " operations"};
  }
  if (getGPUTarget(producer) && roundsProduct(producer))
    return StoreReason{"its product is stored as narrow as it is"};
  if (loads <= 1 && evaluations <= 1.0)
    return std::nullopt;
  int64_t written = hints.getBytes(
      cast<RankedTensorType>(producer.getResult().getType()));
  int64_t read = analysis::getTraffic(producer, hints).read;
  // Many readers of a value made of several tensors would read them all.
  if (loads > 1 && read > written + written / 2)
    return StoreReason{"its ", int64_t(loads),
                       " readers would read more than it writes"};
  if (cost <= freeCost || double(cost) * evaluations <= maxRecomputeCost)
    return std::nullopt;
  // What is much wider than what it is made of takes longer to store and to read again. A
  // load that reads an element several times, as by broadcasting, finds it in the cache.
  double passes = std::min(evaluations, double(loads));
  double moved = written * (1.0 + passes) + read - read * passes;
  double work = double(cost) * evaluations;
  if (getGPUTarget(producer) &&
      work * points <= double(getOpsPerByte(producer)) * moved)
    return std::nullopt;
  if (work <= kCheapOnGPU && isLongRow(producer, hints))
    return std::nullopt;
  return StoreReason{"recomputing it costs ",
                     int64_t(double(cost) * evaluations),
                     " per element, more than 'max-recompute-cost' allows"};
}

//===----------------------------------------------------------------------===//
// Into contractions
//===----------------------------------------------------------------------===//

/// True if a body gives its one load as it is.
static bool isMove(PointwiseOp producer, LoadOp load) {
  return producer.getBody().front().getTerminator()->getOperand(0) ==
         load.getResult();
}

/// True if a body does what the contraction does by itself of what it reads: it
/// extends bytes, which units of a GPU multiply as they lie in memory.
static bool isExtendedAnyway(ContractOp contract, Region &prologue,
                             PointwiseOp producer, LoadOp load) {
  Type element =
      cast<RankedTensorType>(load.getTensor().getType()).getElementType();
  Operation *made =
      producer.getBody().front().getTerminator()->getOperand(0).getDefiningOp();
  bool extends = element.isUnsignedInteger()
                     ? isa_and_nonnull<arith::ExtUIOp>(made)
                     : isa_and_nonnull<arith::ExtSIOp>(made);
  return getGPUTarget(contract) && prologue.empty() &&
         isa<IntegerType>(element) && load.getType().isInteger(8) && extends &&
         made->getOperand(0) == load.getResult() &&
         made->getResult(0).getType() == contract.getAccType();
}

std::optional<StoreReason>
InlineVirtual::whyNoPrologue(ContractOp contract, PointwiseOp producer,
                             LoadOp load) {
  bool onlyUse = producer.getResult().hasOneUse();
  bool ofIntegers = isa<IntegerType>(contract.getAccType());
  if (ofIntegers || isa<IntegerType>(load.getType())) {
    // There are products of bytes. They are extended by all who read them, and what
    // makes bytes of floats is done once.
    if (!load.getType().isInteger(8) || getGPUTarget(contract))
      return StoreReason{"integers are read from memory, but for bytes on a CPU"};
    onlyUse |= ofIntegers;
  }
  if (!prologues)
    return StoreReason{"'prologues' is off"};
  int64_t cost = analysis::getCost(producer.getBody()) - 1;
  if (cost > maxPrologueCost)
    return StoreReason{"it costs ", cost,
                       " per element, more than 'max-prologue-cost' allows"};
  if (!onlyUse)
    return StoreReason{"others read it as well"};
  if (!contract.getMasks().empty())
    return StoreReason{"the product has masks"};
  return std::nullopt;
}

std::optional<StoreReason>
InlineVirtual::inlineOperand(ContractOp contract, unsigned side,
                             PointwiseOp producer,
                             const analysis::SizeHints &hints) {
  const char *why = nullptr;
  LoadOp load = getOnlyLoad(producer, why);
  if (!load)
    return StoreReason{why};
  analysis::Access access = analysis::getReads(producer)[0];
  if (access.indirect)
    return StoreReason{"it is read at computed positions"};
  Region &prologue =
      side == 0 ? contract.getLhsPrologue() : contract.getRhsPrologue();
  bool moves = isMove(producer, load) ||
               isExtendedAnyway(contract, prologue, producer, load);
  if (!moves)
    if (auto reason = whyNoPrologue(contract, producer, load))
      return reason;

  MLIRContext *context = &getContext();
  SmallVector<guard::ExprAttr> indices =
      getExprs(side == 0 ? contract.getLhsIndices() : contract.getRhsIndices());
  guard::Assumptions assumptions = hints.getAssumptions();
  analysis::addExtents(assumptions, context, contract.getDomain().all());
  SmallVector<guard::ExprAttr> map;
  for (guard::ExprAttr expr : access.map)
    map.push_back(
        guard::simplify(guard::substituteDims(expr, indices), assumptions));
  // Panels are packed along straight lines.
  if (!analysis::isStraight(cast<RankedTensorType>(access.tensor.getType()),
                            map, contract.getDomain().all(), assumptions))
    return StoreReason{"it would not be read along straight lines"};

  if (side == 0) {
    contract.getLhsMutable().assign(access.tensor);
    contract.setLhsIndicesAttr(getExprArray(context, map));
  } else {
    contract.getRhsMutable().assign(access.tensor);
    contract.setRhsIndicesAttr(getExprArray(context, map));
  }
  SmallVector<StringRef> origins = getOrigins(producer);
  mergeOrigins(origins, getOrigins(contract));
  contract.setOriginsAttr(getOriginsAttr(context, origins));
  if (moves)
    return std::nullopt;
  // The new prologue is the body, then the old one.
  OpBuilder builder(context);
  Region old;
  old.takeBody(prologue);
  Block *block = builder.createBlock(&prologue, {}, {load.getType()},
                                     {producer.getLoc()});
  IRMapping mapping;
  mapping.map(load.getResult(), block->getArgument(0));
  Block &body = producer.getBody().front();
  for (Operation &op : body.without_terminator())
    if (!isa<LoadOp, IndexOp>(op))
      builder.clone(op, mapping);
  SmallVector<Value> values = {
      mapping.lookupOrDefault(body.getTerminator()->getOperand(0))};
  if (!old.empty())
    values = cloneBody(builder, old.front(), values);
  YieldOp::create(builder, producer.getLoc(), values);
  return std::nullopt;
}

void InlineVirtual::inlineOperands(PointwiseOp producer,
                                   const analysis::SizeHints &hints) {
  SmallVector<ContractOp> contracts;
  for (Operation *user : producer.getResult().getUsers())
    if (auto contract = dyn_cast<ContractOp>(user))
      if (!llvm::is_contained(contracts, contract))
        contracts.push_back(contract);
  for (ContractOp contract : contracts)
    for (unsigned side : {0, 1}) {
      if ((side == 0 ? contract.getLhs() : contract.getRhs()) !=
          producer.getResult())
        continue;
      auto reason = inlineOperand(contract, side, producer, hints);
      if (!reason)
        continue;
      if (auto told = remark::missed(
              contract.getLoc(),
              remarks::kNoPrologue.function(
                  remarks::getFunctionName(contract))))
        told << remark::metric("nest", describe(producer))
             << remark::metric("contraction", describe(contract))
             << remark::metric("bytes", hints.getBytes(cast<RankedTensorType>(
                                            producer.getResult().getType())))
             << remark::reason("{0}", reason->str());
    }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

void InlineVirtual::runOnOperation() {
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {Stage::Loop, Stage::Loop})))
    return signalPassFailure();
  func::FuncOp function = getOperation();
  if (function.isExternal())
    return;
  analysis::SizeHints hints(function->getParentOfType<ModuleOp>());
  keptBytes = 0;
  if (GPUTargetAttr gpu = getGPUTarget(function))
    keptBytes = getGPUFusionOptions(getMachine(gpu)).maxRowBytes;
  mergeEqualNests(function);
  // Traffic of the nests one by one, before anything is fused.
  if (!function->hasAttr("loop.unfused_bytes")) {
    int64_t bytes = 0;
    function.walk([&](NestOpInterface nest) {
      bytes += analysis::getTraffic(nest, hints).total();
    });
    function->setAttr("loop.unfused_bytes",
                      Builder(&getContext()).getI64IntegerAttr(bytes));
  }
  for (auto producer :
       llvm::make_early_inc_range(function.getOps<PointwiseOp>())) {
    inlineOperands(producer, hints);
    std::optional<StoreReason> reason = whyStore(producer, hints);
    StringRef name = "?";
    SmallVector<StringRef> origins = getOrigins(producer);
    if (!origins.empty())
      name = origins.back();
    if (reason) {
      if (auto told =
              remark::missed(producer.getLoc(),
                             remarks::kStored.function(function.getName())))
        told << remark::metric("nest", name)
             << remark::reason("{0}", reason->str());
      continue;
    }
    for (Operation *user :
         llvm::make_early_inc_range(producer.getResult().getUsers())) {
      auto load = cast<LoadOp>(user);
      NestOpInterface reader = getNest(load);
      SmallVector<StringRef> merged = getOrigins(reader);
      mergeOrigins(merged, origins);
      reader.setOriginsAttr(getOriginsAttr(&getContext(), merged));
      inlineLoad(load, producer);
    }
    if (auto told =
            remark::passed(producer.getLoc(),
                           remarks::kInlined.function(function.getName())))
      told << remark::metric("nest", name);
    producer.erase();
  }
  narrowResults(function, [&](Type type) {
    if (getGPUTarget(function))
      return type.isBF16() || type.isF16();
    return type.isBF16() &&
           getMachine(getTarget(function)).bf16 != DotUnit::Fma;
  });
  foldKnownIndices(function, hints);
  dropKnownAssertions(function, hints);
  simplifyBodies(function, hints);
}

//===- FuseProducts.cpp - Join contractions with the rows between --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductDomains.h"

#include "kiln/Analysis/Blocks.h"
#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/Remarks.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace kiln::loop {
#define GEN_PASS_DEF_FUSEPRODUCTSPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

namespace {

/// A kernel of rows and the kernels of contractions that are joined with it.
struct Chain {
  KernelOp rows;
  /// By the argument of `rows` that each makes.
  SmallVector<std::pair<unsigned, KernelOp>> producers;
  /// By the result of `rows` that each sums up.
  SmallVector<std::pair<unsigned, KernelOp>> consumers;
  /// For each producer its leading indices over the shared dimensions.
  SmallVector<SmallVector<ExprAttr>> maps;
};

class FuseProducts : public loop::impl::FuseProductsPassBase<FuseProducts> {
public:
  using FuseProductsPassBase::FuseProductsPassBase;
  void runOnOperation() override;

private:
  bool isLarge(ContractOp op, const analysis::SizeHints &hints) const;
  StringRef findChain(Chain &chain, const analysis::SizeHints &hints) const;
  void findConsumers(Chain &chain, const analysis::SizeHints &hints) const;
  StringRef fuse(const Chain &chain, const analysis::SizeHints &hints);
};

} // namespace

/// True if a result of the chain's rows is summed up by one of its contractions.
static bool isConsumed(const Chain &chain, OpResult result) {
  return llvm::any_of(chain.consumers, [&](const auto &consumer) {
    return consumer.first == result.getResultNumber();
  });
}

/// The contraction that a kernel consists of; null if there is none.
static ContractOp getContraction(Operation *op) {
  auto kernel = dyn_cast_if_present<KernelOp>(op);
  if (!kernel || kernel.getNests().size() != 1)
    return {};
  return dyn_cast<ContractOp>(kernel.getNests().front().getOperation());
}

/// True if the product of one point of the outer dimensions is worth a block.
bool FuseProducts::isLarge(ContractOp op,
                           const analysis::SizeHints &hints) const {
  Domain domain = op.getDomain();
  if (domain.parallel.size() < 2 || domain.reduction.empty())
    return false;
  SmallVector<ExprAttr> extents = {domain.parallel.back(),
                                   domain.parallel[domain.parallel.size() - 2]};
  llvm::append_range(extents, domain.reduction);
  bool isKnown = llvm::all_of(
      extents, [](ExprAttr extent) { return extent.getConstant().has_value(); });
  return !isKnown || hints.product(extents) >= int64_t(minProduct);
}

/// The leading indices at which the rows of argument `input` are read, over the
/// shared dimensions. Empty, and why, if they are not read row by row.
static SmallVector<ExprAttr> getRowMap(KernelOp rows, unsigned input,
                                       ContractOp producer,
                                       const analysis::SizeHints &hints,
                                       StringRef &why) {
  Value argument = rows.getBody().getArgument(input);
  SmallVector<ExprAttr> shared = getExprs(rows.getShared());
  SmallVector<ExprAttr> lead;
  MLIRContext *context = rows.getContext();
  bool fits = true;
  for (NestOpInterface nest : rows.getNests())
    for (const analysis::Access &access : analysis::getReads(nest)) {
      if (access.tensor != argument)
        continue;
      ArrayRef<ExprAttr> map = access.map;
      for (ExprAttr index : map.drop_back())
        fits &= guard::getNumDims(index) <= shared.size();
      for (unsigned d = 0; d < shared.size(); ++d)
        fits &= !guard::contains(map.back(), guard::getDim(context, d));
      fits &= !access.indirect && !access.masked &&
              (lead.empty() || map.drop_back() == ArrayRef(lead));
      lead.assign(map.begin(), map.end() - 1);
    }
  SmallVector<ExprAttr> extents = producer.getDomain().parallel;
  extents.pop_back();
  guard::Assumptions assumptions = hints.getAssumptions();
  analysis::addExtents(assumptions, context, shared);
  if (!fits || lead.empty() ||
      guard::getNumElements(context, extents) !=
          guard::getNumElements(context, shared) ||
      analysis::linearize(context, lead,
                          guard::getContiguousStrides(context, extents),
                          assumptions) !=
          analysis::linearize(context,
                              getIdentityMap(context, shared.size()),
                              guard::getContiguousStrides(context, shared),
                              assumptions)) {
    why = "the rows of a product are not those of the kernel";
    return {};
  }
  return lead;
}

/// True if a result of `op` is needed before `last`, of the same block, other than by a
/// joined kernel. What is in another block is needed where the operation is that holds
/// it, or behind the end of this block.
static bool isUsedBefore(Operation *op, Operation *last,
                         llvm::function_ref<bool(Operation *)> isJoined) {
  return llvm::any_of(op->getUsers(), [&](Operation *user) {
    Operation *place = op->getBlock()->findAncestorOpInBlock(*user);
    return place && place->isBeforeInBlock(last) && !isJoined(user);
  });
}

/// True if a contraction reads `argument` as an operand, and nowhere else: rows do not
/// reach what is done around a product of the same kernel.
static bool isOperandOnly(ContractOp op, Value argument) {
  bool found = false;
  for (const analysis::Access &access : analysis::getReads(op)) {
    if (access.tensor != argument)
      continue;
    if (access.load)
      return false;
    found = true;
  }
  return found;
}

/// Finds the contractions that sum up one result of the rows each. One that reads two
/// results, or depends on another of them, stays a kernel of its own.
void FuseProducts::findConsumers(Chain &chain,
                                 const analysis::SizeHints &hints) const {
  KernelOp rows = chain.rows;
  llvm::SmallDenseSet<Operation *> joined;
  for (OpResult result : rows->getResults()) {
    if (!result.hasOneUse())
      continue;
    OpOperand &use = *result.getUses().begin();
    ContractOp consumer = getContraction(use.getOwner());
    if (!consumer || use.getOwner()->getBlock() != rows->getBlock() ||
        !isLarge(consumer, hints))
      continue;
    auto kernel = cast<KernelOp>(use.getOwner());
    bool isApart =
        llvm::count_if(kernel.getInputs(),
                       [&](Value input) {
                         Operation *maker = input.getDefiningOp();
                         return maker == rows.getOperation() ||
                                joined.contains(maker);
                       }) == 1 &&
        llvm::none_of(kernel->getUsers(), [&](Operation *user) {
          return joined.contains(user);
        });
    if (!isApart ||
        !isOperandOnly(consumer,
                       kernel.getBody().getArgument(use.getOperandNumber())))
      continue;
    joined.insert(kernel);
    chain.consumers.push_back({result.getResultNumber(), kernel});
  }
}

/// Finds the producers and consumers of `chain.rows`; says why there is no chain,
/// and nothing if nobody would expect one.
StringRef FuseProducts::findChain(Chain &chain,
                                  const analysis::SizeHints &hints) const {
  KernelOp rows = chain.rows;
  static constexpr StringLiteral kNoChain = "";
  if (rows.getShared().empty() ||
      !llvm::all_of(rows.getNests(), [](NestOpInterface nest) {
        return nest.isPointwise() || nest.isReduction();
      }) ||
      getContraction(rows))
    return kNoChain;
  auto known = getExprs(rows.getShared()).back().getConstant();
  if (known && *known < int64_t(minRows))
    return kNoChain;
  StringRef why = kNoChain;
  for (auto [k, input] : llvm::enumerate(rows.getInputs())) {
    ContractOp producer = getContraction(input.getDefiningOp());
    if (!producer || input.getDefiningOp()->getBlock() != rows->getBlock())
      continue;
    if (!llvm::all_of(input.getUsers(),
                      [&](Operation *user) { return user == rows; }) ||
        llvm::count(rows.getInputs(), input) != 1) {
      why = "a product is read by other kernels";
      continue;
    }
    if (!isLarge(producer, hints))
      continue;
    auto map = getRowMap(rows, k, producer, hints, why);
    if (map.empty())
      continue;
    chain.producers.push_back({k, cast<KernelOp>(input.getDefiningOp())});
    chain.maps.push_back(map);
  }
  findConsumers(chain, hints);
  if (chain.producers.empty() || chain.consumers.empty())
    return why;
  return kNoChain;
}

/// The kernels of a chain in the order in which they run.
static SmallVector<KernelOp> getParts(const Chain &chain) {
  SmallVector<KernelOp> parts;
  for (auto [k, kernel] : chain.producers)
    parts.push_back(kernel);
  parts.push_back(chain.rows);
  for (auto [k, kernel] : chain.consumers)
    parts.push_back(kernel);
  return parts;
}

/// A kernel with what a chain reads and gives, and nothing in its block, into which
/// `mapping` leads.
static KernelOp makeFrame(OpBuilder &builder, const Chain &chain,
                          ArrayRef<KernelOp> parts, IRMapping &mapping) {
  KernelOp rows = chain.rows;
  llvm::SetVector<Value> inputs;
  SmallVector<StringRef> origins;
  SmallVector<Location> locations;
  llvm::SmallDenseSet<Operation *> inside(parts.begin(), parts.end());
  for (KernelOp part : parts) {
    mergeOrigins(origins, getOrigins(part));
    locations.push_back(part.getLoc());
    for (Value input : part.getInputs())
      if (!inside.contains(input.getDefiningOp()))
        inputs.insert(input);
  }
  SmallVector<Type> types;
  for (OpResult result : rows->getResults())
    if (!isConsumed(chain, result))
      types.push_back(result.getType());
  for (auto [k, kernel] : chain.consumers)
    types.push_back(kernel.getResult(0).getType());

  Location location = builder.getFusedLoc(locations);
  OperationState state(location, KernelOp::getOperationName());
  auto &properties = state.getOrAddProperties<KernelOp::Properties>();
  properties.name = rows.getNameAttr();
  properties.shared = rows.getSharedAttr();
  properties.origins = getOriginsAttr(rows.getContext(), origins);
  state.addOperands(inputs.getArrayRef());
  state.addTypes(types);
  state.addRegion();
  auto fused = cast<KernelOp>(builder.create(state));
  SmallVector<Location> inputLocations(inputs.size(), location);
  Block *body = builder.createBlock(
      &fused.getBody(), {}, ValueRange(inputs.getArrayRef()).getTypes(),
      inputLocations);
  mapping.map(inputs.getArrayRef(), body->getArguments());
  return fused;
}

/// Reads of `made`, a product of the kernel, are at the kernel's points.
static void readAtPoints(Value made, unsigned shared) {
  MLIRContext *context = made.getContext();
  for (OpOperand &use : llvm::make_early_inc_range(made.getUses())) {
    auto load = cast<LoadOp>(use.getOwner());
    NestOpInterface nest = getNest(load);
    SmallVector<Value> indices(load.getIndices());
    SmallVector<ExprAttr> map;
    for (unsigned d = 0; d < shared; ++d) {
      map.push_back(guard::getDim(context, indices.size()));
      indices.push_back(nest->getRegion(0).getArgument(d));
    }
    map.push_back(cast<ExprAttr>(load.getMap().getValue().back()));
    OpBuilder at(load);
    auto moved = LoadOp::create(at, load.getLoc(), made, indices, map);
    load.replaceAllUsesWith(moved.getResult());
    load.erase();
  }
}

/// The kernel of a chain before the last of its kernels, without a place for its
/// results yet; null if a consumer cannot be aligned with the rows.
static KernelOp buildKernel(const Chain &chain, Operation *place,
                            const analysis::SizeHints &hints) {
  KernelOp rows = chain.rows;
  SmallVector<KernelOp> parts = getParts(chain);
  OpBuilder builder(place);
  IRMapping mapping; // of tensors outside
  KernelOp fused = makeFrame(builder, chain, parts, mapping);
  SmallVector<Value> returned;
  for (KernelOp part : parts) {
    IRMapping local;
    for (auto [argument, input] :
         llvm::zip_equal(part.getBody().getArguments(), part.getInputs()))
      local.map(argument, mapping.lookup(input));
    auto producer = llvm::find_if(
        chain.producers, [&](auto &each) { return each.second == part; });
    for (Operation &op : part.getBody().front()) {
      if (isa<ReturnOp>(op))
        continue;
      auto contract = dyn_cast<ContractOp>(op);
      if (contract && producer != chain.producers.end()) {
        ContractOp moved = moveToShared(
            builder, contract, getExprs(rows.getShared()),
            chain.maps[producer - chain.producers.begin()], local, hints);
        local.map(contract.getResult(), moved.getResult());
        continue;
      }
      Operation *clone = builder.clone(op, local);
      if (auto consumer = dyn_cast<ContractOp>(clone)) {
        ContractOp aligned = alignConsumer(builder, consumer,
                                           getExprs(rows.getShared()), hints);
        if (!aligned) {
          fused.erase();
          return {};
        }
        local.map(contract.getResult(), aligned.getResult());
      }
    }
    Operation *terminator = part.getBody().front().getTerminator();
    for (OpResult result : part->getResults()) {
      Value made = local.lookup(terminator->getOperand(result.getResultNumber()));
      mapping.map(result, made);
      if (part == rows ? !isConsumed(chain, result)
                       : producer == chain.producers.end())
        returned.push_back(made);
    }
  }
  ReturnOp::create(builder, fused.getLoc(), returned);
  for (auto [result, value] : llvm::zip_equal(fused.getResults(), returned))
    result.setType(value.getType());
  for (auto [k, kernel] : chain.producers)
    readAtPoints(mapping.lookup(kernel.getResult(0)), rows.getShared().size());
  return fused;
}

/// What the joined kernel reads and writes, and what the parts would.
static TrafficAttr joinTraffic(const Chain &chain, KernelOp fused,
                               const analysis::SizeHints &hints) {
  int64_t read = 0, written = 0, unfused = 0;
  auto add = [&](KernelOp part) {
    if (TrafficAttr traffic = part.getTrafficAttr())
      unfused += traffic.getUnfused();
  };
  for (auto [k, kernel] : chain.producers)
    add(kernel);
  add(chain.rows);
  for (auto [k, kernel] : chain.consumers)
    add(kernel);
  for (Value input : fused.getInputs())
    read += hints.getBytes(cast<RankedTensorType>(input.getType()));
  for (Type type : fused.getResultTypes())
    written += hints.getBytes(cast<RankedTensorType>(type));
  return TrafficAttr::get(fused.getContext(), read, written, unfused);
}

/// Joins a chain; says why not.
StringRef FuseProducts::fuse(const Chain &chain,
                             const analysis::SizeHints &hints) {
  KernelOp rows = chain.rows;
  Operation *last = rows;
  for (auto [k, kernel] : chain.consumers)
    if (last->isBeforeInBlock(kernel))
      last = kernel;
  // Nobody may need a result before the last part has run.
  auto isConsumer = [&](Operation *user) {
    return llvm::any_of(chain.consumers,
                        [&](auto &each) { return each.second == user; });
  };
  if (isUsedBefore(rows, last, isConsumer))
    return "another kernel reads its results before the last product";
  for (auto [k, kernel] : chain.consumers)
    if (isUsedBefore(kernel, last, [](Operation *) { return false; }))
      return "another kernel reads a product before the last product";

  KernelOp fused = buildKernel(chain, last, hints);
  if (!fused)
    return "a contraction is no product of the kernel's rows";
  unsigned first = fused.getNumResults() - chain.consumers.size();
  auto isJoined = [&]() {
    for (unsigned k = 0; k < chain.consumers.size(); ++k) {
      KernelOp consumer = chain.consumers[k].second;
      if (fused.getResult(first + k).getType() !=
              consumer.getResult(0).getType() &&
          !canReshape(consumer.getResult(0)))
        return false;
    }
    auto strides = analysis::getInputStrides(fused);
    return succeeded(strides) &&
           analysis::getBlockProducts(
               fused, analysis::getBlockLayout(fused, *strides));
  };
  if (!isJoined()) {
    fused.erase();
    return "a contraction is no product of the kernel's rows";
  }
  fused.setTrafficAttr(joinTraffic(chain, fused, hints));
  unsigned next = 0;
  for (OpResult result : rows->getResults())
    if (!isConsumed(chain, result))
      result.replaceAllUsesWith(fused.getResult(next++));
  for (auto [k, kernel] : chain.consumers) {
    Value result = fused.getResult(next++);
    if (kernel.getResult(0).getType() == result.getType())
      kernel.getResult(0).replaceAllUsesWith(result);
    else
      replaceReshaped(kernel.getResult(0), result, hints);
  }
  for (auto [k, kernel] : chain.consumers)
    kernel.erase();
  rows.erase();
  for (auto [k, kernel] : chain.producers)
    kernel.erase();
  if (auto told = remark::passed(
          fused.getLoc(),
          remarks::kProductsFused.function(remarks::getFunctionName(fused))))
    told << remark::metric("kernel", fused.getName())
         << remark::metric("products",
                           chain.producers.size() + chain.consumers.size());
  return "";
}

void FuseProducts::runOnOperation() {
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {Stage::Loop, Stage::Loop})))
    return signalPassFailure();
  if (getGPUTarget(getOperation()))
    return; // blocks are for caches
  analysis::SizeHints hints(getOperation()->getParentOfType<ModuleOp>());
  SmallVector<KernelOp> kernels;
  for (Block &block : getOperation().getBody())
    llvm::append_range(kernels, block.getOps<KernelOp>());
  llvm::SmallDenseSet<Operation *> contractions;
  for (KernelOp kernel : kernels)
    if (getContraction(kernel))
      contractions.insert(kernel);
  for (KernelOp kernel : kernels) {
    if (contractions.contains(kernel))
      continue;
    Chain chain;
    chain.rows = kernel;
    StringRef why = findChain(chain, hints);
    if (!chain.producers.empty() && !chain.consumers.empty())
      why = fuse(chain, hints);
    if (why.empty())
      continue;
    if (auto told = remark::missed(
            kernel.getLoc(), remarks::kProductsNotFused.function(
                                 remarks::getFunctionName(kernel))))
      told << remark::metric("kernel", kernel.getName())
           << remark::reason("{0}", why);
  }
}

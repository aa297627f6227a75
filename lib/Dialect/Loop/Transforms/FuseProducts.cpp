//===- FuseProducts.cpp - Join contractions with the rows between --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpilogueRows.h"
#include "GatherRows.h"
#include "PadFactors.h"
#include "ProductChains.h"
#include "ProductDomains.h"
#include "ProductOperands.h"
#include "RowFactors.h"

#include "kiln/Analysis/Blocks.h"
#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Loop/Transforms/ChooseSchedule.h"
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

class FuseProducts : public loop::impl::FuseProductsPassBase<FuseProducts> {
public:
  using FuseProductsPassBase::FuseProductsPassBase;
  void runOnOperation() override;

private:
  StringRef fuse(KernelOp rows, const analysis::SizeHints &hints);
  StringRef fuse(const ProductChain &chain, const analysis::SizeHints &hints);
  std::optional<StringRef> fuseEpilogues(KernelOp last,
                                         const analysis::SizeHints &hints);
  void tellApart(KernelOp kernel, StringRef why) const;
  ChainLimits getLimits() const;

  void dropUnreadKernels();

  llvm::SmallDenseSet<Operation *> joined; ///< kernels that are gone
  /// Kernels from whose inputs a joined one reads what they would have made for it.
  SmallVector<KernelOp> readInPlace;
  GPUTargetAttr gpu;
  bool hasBF16Units = false;
};

} // namespace

/// An empty kernel for the parts of a chain at `place`, and its body in `mapping`.
static KernelOp createKernel(const ProductChain &chain,
                             ArrayRef<KernelOp> parts, Operation *place,
                             IRMapping &mapping) {
  KernelOp rows = chain.rows.front();
  llvm::SetVector<Value> inputs;
  SmallVector<StringRef> origins;
  SmallVector<Location> locations;
  SmallVector<Type> types;
  for (KernelOp part : parts) {
    mergeOrigins(origins, getOrigins(part));
    locations.push_back(part.getLoc());
    for (Value input : part.getInputs())
      if (!chain.contains(input.getDefiningOp()))
        inputs.insert(input);
    for (OpResult result : part->getResults())
      if (!chain.isInside(result))
        types.push_back(result.getType());
  }
  OpBuilder builder(place);
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

/// Clones the nests of a part to `builder`; false if a contraction is none of the rows.
static bool clonePart(OpBuilder &builder, const ProductChain &chain,
                      KernelOp part, IRMapping &mapping,
                      const analysis::SizeHints &hints) {
  KernelOp rows = chain.rows.front();
  SmallVector<ExprAttr> shared = getExprs(rows.getShared());
  IRMapping local;
  for (auto [argument, input] :
       llvm::zip_equal(part.getBody().getArguments(), part.getInputs()))
    local.map(argument, mapping.lookup(input));
  auto producer = chain.producers.find(part);
  for (Operation &op : part.getBody().front().without_terminator()) {
    auto contract = dyn_cast<ContractOp>(op);
    if (contract && producer != chain.producers.end()) {
      ContractOp moved = moveToShared(builder, contract, shared,
                                      producer->second, local, hints);
      local.map(contract.getResult(), moved.getResult());
      continue;
    }
    Operation *clone = builder.clone(op, local);
    if (auto consumer = dyn_cast<ContractOp>(clone)) {
      ContractOp aligned = alignConsumer(builder, consumer, shared, hints);
      if (!aligned)
        return false;
      local.map(contract.getResult(), aligned.getResult());
    }
  }
  Operation *terminator = part.getBody().front().getTerminator();
  for (OpResult result : part->getResults())
    mapping.map(result, local.lookup(terminator->getOperand(
                            result.getResultNumber())));
  return true;
}

/// Lets the kernel read `made`, which it computes, at the point of each nest. The other
/// indices, behind the first `lead`, stay.
static void readOwnRows(Value made, unsigned shared, unsigned lead) {
  MLIRContext *context = made.getContext();
  for (OpOperand &use : llvm::make_early_inc_range(made.getUses())) {
    auto load = dyn_cast<LoadOp>(use.getOwner());
    if (!load) // an operand of a contraction
      continue;
    NestOpInterface nest = getNest(load);
    auto contract = dyn_cast<ContractOp>(nest.getOperation());
    ValueRange own = nest->getRegion(0).getArguments();
    if (contract) // behind the sum
      own = contract.getEpilogue().getArguments().drop_front();
    SmallVector<Value> indices(load.getIndices());
    SmallVector<ExprAttr> map;
    for (Value index : own.take_front(shared)) {
      map.push_back(guard::getDim(context, indices.size()));
      indices.push_back(index);
    }
    assert(load.getMap().size() >= lead && "reads less than a row");
    llvm::append_range(map, ArrayRef(getExprs(load.getMap())).drop_front(lead));
    load.setMapAttr(getExprArray(context, map));
    load.getIndicesMutable().assign(indices);
  }
}

/// The kernel of a chain at `place`; null if a contraction is none of its rows.
static KernelOp buildKernel(const ProductChain &chain, Operation *place,
                            const analysis::SizeHints &hints) {
  SmallVector<KernelOp> parts = chain.getParts();
  IRMapping mapping; // of tensors outside
  KernelOp fused = createKernel(chain, parts, place, mapping);
  OpBuilder builder = OpBuilder::atBlockEnd(&fused.getBody().front());
  unsigned shared = chain.getShared().size();
  SmallVector<Value> returned;
  for (KernelOp part : parts) {
    if (!clonePart(builder, chain, part, mapping, hints)) {
      fused.erase();
      return {};
    }
    for (OpResult result : part->getResults())
      if (!chain.isInside(result))
        returned.push_back(mapping.lookup(result));
  }
  ReturnOp::create(builder, fused.getLoc(), returned);
  for (auto [result, value] : llvm::zip_equal(fused.getResults(), returned))
    result.setType(value.getType());
  for (KernelOp rows : chain.rows)
    for (OpResult result : rows->getResults())
      readOwnRows(mapping.lookup(result), shared, shared);
  for (const auto &[kernel, map] : chain.producers)
    readOwnRows(mapping.lookup(KernelOp(kernel).getResult(0)), shared,
                map.size());
  return fused;
}

/// What the joined kernel reads and writes, and what the parts would.
static TrafficAttr joinTraffic(ArrayRef<KernelOp> parts, KernelOp fused,
                               const analysis::SizeHints &hints) {
  int64_t read = 0, written = 0, unfused = 0;
  for (KernelOp part : parts)
    if (TrafficAttr traffic = part.getTrafficAttr())
      unfused += traffic.getUnfused();
  for (Value input : fused.getInputs())
    read += hints.getBytes(cast<RankedTensorType>(input.getType()));
  for (Type type : fused.getResultTypes())
    written += hints.getBytes(cast<RankedTensorType>(type));
  return TrafficAttr::get(fused.getContext(), read, written, unfused);
}

/// Why a joined kernel cannot be emitted for a GPU; empty if it can. It then
/// reads from other kernels' inputs what these, `readFrom`, only move, and
/// `copies` of what does not lie as it is copied into shared memory.
static StringRef whyNotOnGPU(KernelOp fused, GPUTargetAttr gpu,
                             const analysis::SizeHints &hints,
                             SmallVectorImpl<KernelOp> &readFrom,
                             SmallVectorImpl<KernelOp> &copies) {
  readOperandsInPlace(fused, hints, readFrom);
  auto choose = [&]() -> StringRef {
    auto strides = analysis::getInputStrides(fused);
    StringRef why = "strides of its operands are not known";
    if (succeeded(strides))
      chooseGPUBlocks(fused, *strides, getMachine(gpu), hints, why);
    return why;
  };
  StringRef why = choose();
  if (!why.empty())
    copies = padFactors(fused, hints);
  return copies.empty() ? why : choose();
}

/// The kernel with rows gathered of points that share columns, if it can be
/// emitted so; else itself.
static KernelOp tryGatherRows(KernelOp fused, GPUTargetAttr gpu,
                              const analysis::SizeHints &hints) {
  KernelOp gathered = gatherRows(fused, hints);
  if (!gathered)
    return fused;
  auto strides = analysis::getInputStrides(gathered);
  StringRef why;
  bool fits = succeeded(strides) &&
              chooseGPUBlocks(gathered, *strides, getMachine(gpu), hints, why);
  (fits ? fused : gathered).erase();
  return fits ? gathered : fused;
}

/// The elements of `from` in their order with the sizes of `type`, for who
/// cannot be told that they have others: a kernel behind the one that makes
/// them copies them.
static Value copyReshaped(Value from, RankedTensorType type,
                          const analysis::SizeHints &hints) {
  auto maker = from.getDefiningOp<KernelOp>();
  OpBuilder builder(maker->getContext());
  builder.setInsertionPointAfter(maker);
  Location location = maker.getLoc();
  MLIRContext *context = builder.getContext();
  SmallVector<ExprAttr> sizes = *guard::getDims(type);
  OperationState state(location, KernelOp::getOperationName());
  auto &properties = state.getOrAddProperties<KernelOp::Properties>();
  properties.name = builder.getStringAttr(maker.getName() + "_copy");
  properties.shared = getExprArray(context, sizes);
  properties.origins = maker.getOriginsAttr();
  state.addOperands(from);
  state.addTypes(type);
  state.addRegion();
  auto kernel = cast<KernelOp>(builder.create(state));
  Block *body =
      builder.createBlock(&kernel.getBody(), {}, from.getType(), location);
  auto copy = PointwiseOp::create(builder, location, type, sizes,
                                  maker.getOriginsAttr());
  ReturnOp::create(builder, location, copy.getResult());
  Block &inner = copy.getBody().front();
  builder.setInsertionPointToStart(&inner);
  guard::Assumptions assumptions = hints.getAssumptions();
  analysis::addExtents(assumptions, context, sizes);
  SmallVector<ExprAttr> map = analysis::reshapeIndices(
      context, getIdentityMap(context, sizes.size()), sizes,
      *guard::getDims(cast<RankedTensorType>(from.getType())), assumptions);
  for (ExprAttr &index : map)
    index = guard::simplify(index, assumptions);
  Value element = LoadOp::create(builder, location, body->getArgument(0),
                                 inner.getArguments(), map);
  YieldOp::create(builder, location, element);
  return kernel.getResult(0);
}

/// Leaves of a kernel the results that are read, and what they are made of. False if that
/// is all of it; else the kernel is gone.
static bool dropUnread(KernelOp kernel) {
  SmallVector<OpResult> read;
  for (OpResult result : kernel->getResults())
    if (!result.use_empty())
      read.push_back(result);
  if (read.size() == kernel->getNumResults())
    return false;
  if (read.empty()) {
    kernel.erase();
    return true;
  }
  OpBuilder builder(kernel);
  OperationState state(kernel.getLoc(), KernelOp::getOperationName());
  state.getOrAddProperties<KernelOp::Properties>() = kernel.getProperties();
  state.addOperands(kernel.getInputs());
  for (OpResult result : read)
    state.addTypes(result.getType());
  state.addRegion()->takeBody(kernel.getBody());
  auto made = cast<KernelOp>(builder.create(state));
  Block &body = made.getBody().front();
  Operation *end = body.getTerminator();
  SmallVector<Value> returned;
  for (auto [result, left] : llvm::zip_equal(read, made.getResults())) {
    returned.push_back(end->getOperand(result.getResultNumber()));
    result.replaceAllUsesWith(left);
  }
  end->setOperands(returned);
  SmallVector<Operation *> nests;
  for (Operation &nest : body.without_terminator())
    nests.push_back(&nest);
  for (Operation *nest : llvm::reverse(nests))
    if (nest->use_empty())
      nest->erase();
  kernel.erase();
  return true;
}

/// Joins a chain; says why not.
StringRef FuseProducts::fuse(const ProductChain &chain,
                             const analysis::SizeHints &hints) {
  SmallVector<Operation *> dependents;
  if (!findDependents(chain, dependents))
    return "another kernel reads its results before the last product";
  SmallVector<KernelOp> parts = chain.getParts();
  KernelOp fused = buildKernel(chain, parts.back(), hints);
  static constexpr StringLiteral kNoProduct =
      "a contraction is no product of the kernel's rows";
  if (!fused)
    return kNoProduct;
  SmallVector<OpResult> results;
  for (KernelOp part : parts)
    for (OpResult result : part->getResults())
      if (!chain.isInside(result))
        results.push_back(result);
  SmallVector<KernelOp> readFrom;
  if (hasBF16Units)
    readOperandsInPlace(fused, hints, readFrom,
                        BFloat16Type::get(fused.getContext()));
  if (!gpu) // whose kernel finds the factor by itself
    scaleBehindProducts(fused, results, hasBF16Units);
  bool isJoined = true;
  for (auto [old, made] : llvm::zip_equal(results, fused.getResults()))
    isJoined &= old.getType() == made.getType() || canReshape(old);
  auto strides = analysis::getInputStrides(fused);
  isJoined &= succeeded(strides) &&
              analysis::getBlockProducts(
                  fused, analysis::getBlockLayout(fused, *strides))
                  .has_value();
  StringRef why = isJoined ? "" : kNoProduct;
  SmallVector<KernelOp> copies;
  if (gpu && isJoined)
    why = whyNotOnGPU(fused, gpu, hints, readFrom, copies);
  if (!why.empty()) {
    fused.erase();
    for (KernelOp copy : copies)
      copy.erase();
    return why;
  }
  if (gpu)
    fused = tryGatherRows(fused, gpu, hints);
  fused.setTrafficAttr(joinTraffic(parts, fused, hints));
  for (auto [old, made] : llvm::zip_equal(results, fused.getResults())) {
    if (old.getType() == made.getType())
      old.replaceAllUsesWith(made);
    else if (canReshape(old))
      replaceReshaped(old, made, hints);
    else
      old.replaceAllUsesWith(
          copyReshaped(made, cast<RankedTensorType>(old.getType()), hints));
  }
  Operation *end = parts.back();
  for (Operation *dependent : llvm::reverse(dependents))
    dependent->moveAfter(end);
  for (KernelOp part : llvm::reverse(parts)) {
    joined.insert(part);
    part.erase();
  }
  readInPlace.append(readFrom);
  if (auto told = remark::passed(
          fused.getLoc(),
          remarks::kProductsFused.function(remarks::getFunctionName(fused))))
    told << remark::metric("kernel", fused.getName())
         << remark::metric("products",
                           chain.producers.size() + chain.consumers.size());
  return "";
}

/// A kernel less pays on a GPU whatever its size, and one row is as good as many: nothing
/// is packed for a block.
ChainLimits FuseProducts::getLimits() const {
  return {gpu ? 1 : int64_t(minProduct), gpu ? 1 : int64_t(minRows),
          int64_t(minPoints), int64_t(maxInner)};
}

/// Joins contractions whose epilogues belong together, of which `last` is the last one, if
/// all of them come into one kernel. Says why not; nothing where there are no such ones.
std::optional<StringRef>
FuseProducts::fuseEpilogues(KernelOp last, const analysis::SizeHints &hints) {
  std::optional<EpilogueRows> opened = openEpilogues(last);
  if (!opened)
    return std::nullopt;
  ProductChain chain;
  StringRef why =
      findChain(chain, opened->rows, /*extended=*/true, getLimits(), hints);
  bool isWhole = llvm::all_of(opened->made, [&](KernelOp product) {
    return chain.producers.contains(product);
  });
  if (isWhole && !chain.consumers.empty())
    why = fuse(chain, hints);
  else if (why.empty())
    why = "not all products whose epilogues read each other make its rows";
  if (!why.empty()) {
    opened->undo();
    return why;
  }
  joined.insert(opened->old.begin(), opened->old.end());
  opened->finish();
  return why;
}

/// Joins what belongs to `rows`: all that depends on them, or else what stands directly
/// around them.
StringRef FuseProducts::fuse(KernelOp rows, const analysis::SizeHints &hints) {
  ChainLimits limits = getLimits();
  StringRef why;
  for (bool extended : {true, false}) {
    ProductChain chain;
    why = findChain(chain, rows, extended, limits, hints);
    if (chain.producers.empty() || chain.consumers.empty())
      continue;
    why = fuse(chain, hints);
    if (why.empty())
      return why;
  }
  return why;
}

/// Reports why products are not joined with `kernel`, if there is a reason.
void FuseProducts::tellApart(KernelOp kernel, StringRef why) const {
  if (why.empty())
    return;
  if (auto told = remark::missed(kernel.getLoc(),
                                 remarks::kProductsNotFused.function(
                                     remarks::getFunctionName(kernel))))
    told << remark::metric("kernel", kernel.getName())
         << remark::reason("{0}", why);
}

void FuseProducts::dropUnreadKernels() {
  for (KernelOp kernel : readInPlace)
    if (!joined.contains(kernel.getOperation()) && dropUnread(kernel))
      joined.insert(kernel.getOperation());
  readInPlace.clear();
}

void FuseProducts::runOnOperation() {
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {Stage::Loop, Stage::Loop})))
    return signalPassFailure();
  gpu = getGPUTarget(getOperation());
  hasBF16Units =
      !gpu && getMachine(getTarget(getOperation())).bf16 != DotUnit::Fma;
  analysis::SizeHints hints(getOperation()->getParentOfType<ModuleOp>());
  SmallVector<KernelOp> kernels;
  for (Block &block : getOperation().getBody())
    llvm::append_range(kernels, block.getOps<KernelOp>());
  joined.clear();
  readInPlace.clear();
  for (KernelOp kernel : kernels) {
    if (!epilogues || joined.contains(kernel.getOperation()))
      continue;
    std::optional<StringRef> why = fuseEpilogues(kernel, hints);
    if (!why)
      continue;
    if (why->empty())
      dropUnreadKernels();
    else
      tellApart(kernel, *why);
  }
  for (KernelOp kernel : kernels) {
    if (joined.contains(kernel.getOperation()))
      continue;
    StringRef why = fuse(kernel, hints);
    dropUnreadKernels();
    tellApart(kernel, why);
  }
  if (gpu)
    getOperation().walk([](ContractOp op) { dropExtensions(op); });
}

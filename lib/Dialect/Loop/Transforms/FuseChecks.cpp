//===- FuseChecks.cpp - Who reads indices looks at them -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether all of some indices lie in their table is found by a kernel of its own and looked
// at by another, which for a GPU are two launches. The kernel that gathers with them reads each
// of them anyway, at each of its points or at several:
//
//   check   over i < 128            x[i] in [0, 500)
//   gather  over i < 128, j < 64    reads x[i]        looks at x[i] itself
//
// What it reads stands for point number n of the check where the address that it reads
// at is n, and its points read all addresses.
//
//===----------------------------------------------------------------------===//

#include "FuseChecks.h"
#include "Bodies.h"

#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"
#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/ModelLine.h"
#include "kiln/Support/Remarks.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

namespace kiln::loop {
#define GEN_PASS_DEF_FUSECHECKSPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

bool loop::isAssertion(Operation *op) {
  auto call = dyn_cast<ExternOp>(op);
  return call && call.getInputs().size() == 1 &&
         (call.getOverload() == "aten._assert_async.msg" ||
          call.getOverload() == "aten._assert_async.default");
}

/// True if nobody but assertions sees a flag.
static bool isAsserted(Value flag) {
  return !flag.use_empty() && llvm::all_of(flag.getUsers(), isAssertion);
}

/// True if `op` finds whether all points have something.
static bool isAboutAll(ReduceOp op) {
  return op.getNumResults() == 1 && op.getDomain().parallel.empty() &&
         op.getKind(0).kind == ReductionKind::All &&
         op.getAccumulatorTypes()[0].isInteger(1);
}

bool loop::isCheck(ReduceOp op) {
  return isAboutAll(op) && isAsserted(op->getResult(0));
}

/// The only nest of a kernel that is a check; null for others.
static ReduceOp getCheck(KernelOp kernel) {
  SmallVector<NestOpInterface> nests = kernel.getNests();
  auto op = nests.size() == 1 ? dyn_cast<ReduceOp>(nests[0].getOperation())
                              : ReduceOp();
  return op && isAboutAll(op) && kernel.getNumResults() == 1 &&
                 isAsserted(kernel.getResult(0))
             ? op
             : ReduceOp();
}

/// As the runtime tells of a call that fails, with the model's line.
static std::string getMessage(ExternOp call) {
  StringRef text = "assertion failed";
  if (call.getArguments().size() > 1)
    if (auto given = dyn_cast<StringAttr>(call.getArguments()[1]))
      text = given.getValue();
  std::string line = getModelLine(call.getLoc());
  return (call.getOverload() + ": " + text +
          (line.empty() ? "" : " (at " + line + ")"))
      .str();
}

//===----------------------------------------------------------------------===//
// Who could look
//===----------------------------------------------------------------------===//

namespace {
/// A kernel whose nests could look at something as they read it.
struct Host {
  KernelOp kernel;
  /// The tensors that its nests may read, by those that they are outside.
  llvm::DenseMap<Value, Value> tensors;
  llvm::DenseMap<Value, Value> outside;

  explicit Host(KernelOp kernel) : kernel(kernel) {
    Block &body = kernel.getBody().front();
    auto add = [&](Value from, Value tensor) {
      tensors.try_emplace(from, tensor);
      outside[tensor] = from;
    };
    for (auto [input, argument] :
         llvm::zip_equal(kernel.getInputs(), body.getArguments()))
      add(input, argument);
    for (auto [result, value] : llvm::zip_equal(
             kernel.getResults(), body.getTerminator()->getOperands()))
      add(result, value);
  }
};

/// A load by which a nest reads all that a check looks at.
struct Place {
  LoadOp load;   ///< of the nest
  LoadOp checks; ///< of the check
  /// The point of the check whose element it reads, over the dimensions of the nest.
  SmallVector<ExprAttr> point;
};

class FuseChecks : public loop::impl::FuseChecksPassBase<FuseChecks> {
  void runOnOperation() override;
};
} // namespace

/// True if the bodies of all nests of a kernel are evaluated at each of their points, and
/// nowhere else. A library that may compute it does not look; a block of a product computes
/// beyond its ends.
static bool mayHost(KernelOp kernel) {
  return isa_and_nonnull<GPUAcrossScheduleAttr, GPURowsScheduleAttr,
                         GPUPartsScheduleAttr, GPUColumnsScheduleAttr,
                         GPUTileScheduleAttr, GPUScatterScheduleAttr>(
             kernel.getScheduleAttr()) &&
         kernel.getBody().getOps<ContractOp>().empty() &&
         !llvm::all_of(kernel.getResults(),
                       [](Value result) { return result.use_empty(); });
}

static bool mayHost(NestOpInterface nest) {
  if (auto scatter = dyn_cast<ScatterOp>(nest.getOperation()))
    return !scatter.getGrouped();
  return isa<PointwiseOp, ReduceOp>(nest.getOperation());
}

/// The number of the element that an access reads, in order, over the dimensions of a domain.
static ExprAttr getNumber(analysis::Access access, ArrayRef<ExprAttr> extents,
                          guard::Assumptions assumptions) {
  auto dims = guard::getDims(cast<RankedTensorType>(access.tensor.getType()));
  if (!dims || access.indirect || access.masked || !access.load)
    return {};
  MLIRContext *context = access.tensor.getContext();
  analysis::addExtents(assumptions, context, extents);
  return analysis::linearize(context, access.map,
                             guard::getContiguousStrides(context, *dims),
                             assumptions);
}

/// True if `number` is each of 0, 1, ... at some point of a domain, up to the product of
/// `all`, provided that this is not 0.
static bool runsOverAll(ExprAttr number, ArrayRef<ExprAttr> extents,
                        ArrayRef<ExprAttr> all,
                        const guard::Assumptions &assumptions) {
  MLIRContext *context = number.getContext();
  ExprAttr stride = guard::getConstant(context, 1);
  SmallVector<bool> isUsed(extents.size());
  // From the dimension along which it grows by one outwards.
  while (!number.isConstant(0)) {
    bool isFound = false;
    for (unsigned k = 0; k < extents.size() && !isFound; ++k) {
      ExprAttr dim = guard::getDim(context, k);
      auto step = isUsed[k] ? std::nullopt : guard::getCoefficient(number, dim);
      if (!step || *step != stride)
        continue;
      isFound = isUsed[k] = true;
      number = number - dim * stride;
      stride = stride * extents[k];
    }
    if (!isFound)
      return false;
  }
  if (stride != guard::product(context, llvm::to_vector(all)))
    return false;
  // A domain without points would look at nothing.
  for (auto [k, extent] : llvm::enumerate(extents))
    if (!isUsed[k] && !llvm::is_contained(all, extent) &&
        !guard::isKnownNonNegative(extent - guard::getConstant(context, 1),
                                   assumptions))
      return false;
  return true;
}

/// Where `nest` reads all elements that `check`, of kernel `from`, looks at, each of them at
/// the point of the check that it is.
static std::optional<Place> findPlace(ReduceOp check, KernelOp from,
                                      NestOpInterface nest, Host &host,
                                      const analysis::SizeHints &hints) {
  MLIRContext *context = check.getContext();
  SmallVector<ExprAttr> all = check.getDomain().all(),
                        extents = nest.getDomain().all();
  guard::Assumptions bounded = hints.getAssumptions();
  analysis::addExtents(bounded, context, all);
  ExprAttr inOrder =
      analysis::linearize(context, getIdentityMap(context, all.size()),
                          guard::getContiguousStrides(context, all), bounded);
  for (const analysis::Access &looked :
       analysis::getReads(cast<NestOpInterface>(check.getOperation()))) {
    auto argument = dyn_cast<BlockArgument>(looked.tensor);
    if (!argument || getNumber(looked, all, hints.getAssumptions()) != inOrder)
      continue;
    Value tensor = from.getInputs()[argument.getArgNumber()];
    for (const analysis::Access &read : analysis::getReads(nest)) {
      if (host.outside.lookup(read.tensor) != tensor)
        continue;
      ExprAttr number = getNumber(read, extents, hints.getAssumptions());
      if (!number || !runsOverAll(number, extents, all, hints.getAssumptions()))
        continue;
      guard::Assumptions inside = hints.getAssumptions();
      analysis::addExtents(inside, context, extents);
      return Place{read.load, looked.load,
                   analysis::delinearize(number, all, inside)};
    }
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// What looks
//===----------------------------------------------------------------------===//

/// Maps what the body of `check` uses from around it to what is there in the host. False if
/// something is not, or a tensor that the host makes itself would be read elsewhere than at the
/// point of `place`.
static bool mapOutside(ReduceOp check, KernelOp from, Host &host, Place &place,
                       IRMapping &mapping) {
  Block &body = check.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&host.kernel.getBody().front());
  SmallVector<Operation *> constants;
  for (Operation &op : body.without_terminator()) {
    if (&op == place.checks || op.getNumRegions() != 0)
      continue;
    for (Value operand : op.getOperands()) {
      if (operand.getParentBlock() == &body || mapping.contains(operand))
        continue;
      auto argument = dyn_cast<BlockArgument>(operand);
      if (!argument) {
        constants.push_back(operand.getDefiningOp());
        continue;
      }
      Value tensor =
          host.tensors.lookup(from.getInputs()[argument.getArgNumber()]);
      if (!isa_and_nonnull<BlockArgument>(tensor))
        return false;
      mapping.map(operand, tensor);
    }
  }
  for (Operation *op : constants)
    if (!mapping.contains(op->getResult(0)))
      builder.clone(*op, mapping);
  return true;
}

/// Has the nest of `place` look at what it reads. False if it cannot.
static bool addAssertion(ReduceOp check, KernelOp from, NestOpInterface nest,
                         Host &host, Place &place, ExternOp call) {
  SmallVector<Value> indices(nest.getDomain().rank());
  for (BlockArgument argument : nest->getRegion(0).getArguments())
    if (auto dimension = nest.getDimensionOf(argument))
      indices[*dimension] = argument;
  if (llvm::is_contained(indices, Value()) ||
      place.load->getParentRegion() != &nest->getRegion(0))
    return false;
  IRMapping mapping;
  mapping.map(place.checks.getResult(), place.load.getResult());
  if (!mapOutside(check, from, host, place, mapping))
    return false;
  OpBuilder builder(place.load->getNextNode());
  Block &body = check.getBody().front();
  for (auto [argument, index] :
       llvm::zip_equal(body.getArguments(), place.point))
    if (!argument.use_empty())
      mapping.map(argument,
                  createIndex(builder, call.getLoc(), index, indices));
  for (Operation &op : body.without_terminator())
    if (&op != place.checks)
      builder.clone(op, mapping);
  Value holds = mapping.lookupOrDefault(body.getTerminator()->getOperand(0));
  AssertOp::create(builder, call.getLoc(), holds, getMessage(call));
  return true;
}

/// Has a kernel of the function look at what `check` does. True if one does.
static bool fuse(KernelOp kernel, ReduceOp check,
                 const analysis::SizeHints &hints) {
  auto call = cast<ExternOp>(*kernel.getResult(0).user_begin());
  for (Operation *user : kernel.getResult(0).getUsers())
    if (user->isBeforeInBlock(call))
      call = cast<ExternOp>(user);
  for (KernelOp other : kernel->getBlock()->getOps<KernelOp>()) {
    if (other == kernel || !mayHost(other))
      continue;
    Host host(other);
    for (NestOpInterface nest : other.getNests()) {
      if (!mayHost(nest))
        continue;
      auto place = findPlace(check, kernel, nest, host, hints);
      if (!place || !addAssertion(check, kernel, nest, host, *place, call))
        continue;
      if (auto told = remark::passed(
              kernel.getLoc(),
              remarks::kChecksFused.function(remarks::getFunctionName(kernel))))
        told << remark::metric("check", kernel.getName())
             << remark::metric("kernel", other.getName());
      return true;
    }
  }
  return false;
}

void FuseChecks::runOnOperation() {
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {Stage::Loop, Stage::Loop})))
    return signalPassFailure();
  if (!getGPUTarget(getOperation()) || getOperation().isExternal())
    return;
  analysis::SizeHints hints(getOperation()->getParentOfType<ModuleOp>());
  SmallVector<KernelOp> checks;
  for (KernelOp kernel : getOperation().getOps<KernelOp>())
    if (getCheck(kernel))
      checks.push_back(kernel);
  for (KernelOp kernel : checks) {
    if (!fuse(kernel, getCheck(kernel), hints)) {
      if (auto told = remark::missed(kernel.getLoc(),
                                     remarks::kChecksNotFused.function(
                                         remarks::getFunctionName(kernel))))
        told << remark::metric("kernel", kernel.getName())
             << remark::reason("{0}", "no kernel that could fail reads each "
                                      "of these elements");
      continue;
    }
    for (Operation *call :
         llvm::make_early_inc_range(kernel.getResult(0).getUsers()))
      call->erase();
    kernel.erase();
  }
}

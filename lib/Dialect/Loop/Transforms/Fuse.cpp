//===- Fuse.cpp - Group loop nests into kernels ---------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects a FusionProblem (Fusion.h) from a function, and builds the kernels
// that its solution names. Epilogues of contractions are taken in first.
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"
#include "Epilogue.h"
#include "FuseChecks.h"
#include "JoinMoments.h"
#include "ReductionNodes.h"

#include "kiln/Dialect/Loop/Transforms/ChooseSchedule.h"
#include "kiln/Dialect/Loop/Transforms/Fusion.h"
#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/Remarks.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

namespace kiln::loop {
#define GEN_PASS_DEF_FUSEPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

namespace {

class Fuse : public loop::impl::FusePassBase<Fuse> {
public:
  using FusePassBase::FusePassBase;
  void runOnOperation() override;

private:
  void fuseFunction(func::FuncOp function, const analysis::SizeHints &hints);
};

/// The operations of a block and the problem they pose.
struct Collected {
  FusionProblem problem;
  SmallVector<Operation *> ops; ///< of each node
  llvm::DenseMap<Value, unsigned> tensors;
};

} // namespace

/// Scalars without operands: cloned into kernels, never nodes.
static bool isConstant(Operation *op) {
  return op->getNumRegions() == 0 && op->getNumOperands() == 0 &&
         isMemoryEffectFree(op) &&
         llvm::none_of(op->getResultTypes(),
                       [](Type type) { return isa<TensorType>(type); });
}

static FusionNode::Kind getKind(NestOpInterface nest) {
  using Kind = FusionNode::Kind;
  if (!nest)
    return Kind::Opaque;
  if (nest.standsAlone(/*shared=*/0))
    return nest.isOrdered() ? Kind::Scatter : Kind::Contraction;
  return nest.isPointwise() ? Kind::Pointwise : Kind::Reduction;
}

/// The number of leading indices of a read that are the nest's own: where an extent is
/// 1 its index is, which is written as 0.
static unsigned getAlignment(const analysis::Access &access,
                             const Domain &domain) {
  size_t k = 0, end = std::min(access.map.size(), domain.parallel.size());
  while (k < end && ((access.map[k].isDim() && access.map[k].getPosition() == k) ||
                     (access.map[k].isConstant(0) &&
                      domain.parallel[k].isConstant(1))))
    ++k;
  return k;
}

/// True if a read is of the element at the point itself: dimensions of one element aside, its
/// indices are those of the domain, which are as many as the tensor has.
static bool isOwnPlace(const analysis::Access &access, const Domain &domain) {
  auto type = cast<RankedTensorType>(access.tensor.getType());
  auto sizes = guard::getDims(type);
  if (access.indirect || !sizes)
    return false;
  SmallVector<guard::ExprAttr> extents = domain.all();
  unsigned own = 0;
  auto skip = [&] {
    while (own < extents.size() && extents[own].isConstant(1))
      ++own;
  };
  for (auto [k, expr] : llvm::enumerate(access.map)) {
    if ((*sizes)[k].isConstant(1))
      continue;
    skip();
    if (own == extents.size() || (*sizes)[k] != extents[own] || !expr.isDim() ||
        expr.getPosition() != own)
      return false;
    ++own;
  }
  skip();
  return own == extents.size();
}

/// Which dimension of the nest each index of a read is, or -1.
static SmallVector<int, 4> getIndexDims(const analysis::Access &access,
                                        const Domain &domain) {
  SmallVector<int, 4> dims;
  for (guard::ExprAttr expr : access.map)
    dims.push_back(expr.isDim() && expr.getPosition() < domain.rank()
                       ? expr.getPosition()
                       : -1);
  return dims;
}

/// Lets the nests of `kernel` read of each other's rows at their own index where that
/// was written as 0.
static void readOwnPoint(KernelOp kernel) {
  SmallVector<guard::ExprAttr> shared = getExprs(kernel.getShared());
  kernel.walk([&](LoadOp load) {
    NestOpInterface nest = getNest(load);
    if (!load.getTensor().getDefiningOp<NestOpInterface>() ||
        nest.standsAlone(shared.size()))
      return;
    SmallVector<guard::ExprAttr> map = getExprs(load.getMap());
    SmallVector<Value> indices(load.getIndices());
    for (auto [k, extent] : llvm::enumerate(shared)) {
      if (!extent.isConstant(1) || !map[k].isConstant(0))
        continue;
      map[k] = guard::getDim(kernel.getContext(), indices.size());
      indices.push_back(nest->getRegion(0).getArgument(k));
    }
    if (indices.size() == load.getIndices().size())
      return;
    load.setMapAttr(getExprArray(kernel.getContext(), map));
    load.getIndicesMutable().assign(indices);
  });
}

/// How much of a row of other nests' results `nest` has at a point, whose elements are
/// neighbours in memory; 0 where they lie apart, or it reads no such result.
static int64_t countRowElements(NestOpInterface nest, const Domain &domain,
                                const analysis::SizeHints &hints) {
  if (domain.rank() == 0 ||
      nest.getRowDimension().value_or(domain.rank() - 1) != domain.rank() - 1)
    return 0;
  guard::ExprAttr last =
      guard::getDim(nest->getContext(), domain.rank() - 1);
  bool isAny = false;
  for (const analysis::Access &access : analysis::getReads(nest)) {
    if (!access.tensor.getDefiningOp<NestOpInterface>() || access.map.empty())
      continue;
    bool isAlong = access.map.back() == last;
    bool isElsewhere = llvm::any_of(
        ArrayRef(access.map).drop_back(isAlong ? 1 : 0),
        [&](guard::ExprAttr expr) { return guard::contains(expr, last); });
    if (access.indirect || isElsewhere || (!isAlong && !access.map.back().getConstant()))
      return 0;
    isAny |= isAlong;
  }
  return isAny ? std::max<int64_t>(hints.evaluate(domain.all().back()), 1) : 0;
}

static Collected collect(Block &block, GPUTargetAttr gpu,
                         const analysis::SizeHints &hints) {
  Collected result;
  FusionProblem &problem = result.problem;
  auto tensorOf = [&](Value value) {
    auto [entry, isNew] =
        result.tensors.try_emplace(value, problem.tensors.size());
    if (isNew) {
      FusionTensor tensor;
      if (auto type = dyn_cast<RankedTensorType>(value.getType())) {
        tensor.bytes = hints.getBytes(type);
        tensor.elements = tensor.bytes / std::max<int64_t>(
                              analysis::getElementBytes(type.getElementType()), 1);
      }
      tensor.escapes = llvm::any_of(value.getUsers(), [](Operation *user) {
        return !getNest(user);
      });
      problem.tensors.push_back(tensor);
    }
    return entry->second;
  };
  std::optional<unsigned> effect; // orders operations with effects
  SymbolDefiners definers(block);
  llvm::DenseMap<Operation *, unsigned> defined; // order what needs symbols
  for (Operation &op : block.without_terminator()) {
    if (isConstant(&op))
      continue;
    FusionNode node;
    auto nest = dyn_cast<NestOpInterface>(op);
    node.kind = getKind(nest);
    bool defines = definers.visit(op, [&](Operation *definer) {
      node.reads.push_back({defined.lookup(definer), 0, 0});
    });
    if (defines) {
      defined[&op] = problem.tensors.size();
      node.writes.push_back(problem.tensors.size());
      problem.tensors.push_back({0, true});
    }
    if (node.kind == FusionNode::Kind::Opaque) {
      for (Value operand : op.getOperands())
        node.reads.push_back({tensorOf(operand), 0, 0});
      op.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (operand.getParentBlock() == &block)
            node.reads.push_back({tensorOf(operand), 0, 0});
      });
      if (!isMemoryEffectFree(&op)) {
        if (effect)
          node.reads.push_back({*effect, 0, 0});
        effect = problem.tensors.size();
        problem.tensors.push_back({0, true});
        node.writes.push_back(*effect);
      }
    } else {
      Domain domain = nest.getDomain();
      node.parallel = domain.parallel;
      node.walksRow = nest.getRowDimension().has_value();
      node.leading = nest.getRowDimension().value_or(domain.parallel.size());
      if (gpu)
        setReduction(node, nest, gpu, hints);
      for (guard::ExprAttr extent : domain.parallel)
        node.parallelHints.push_back(hints.evaluate(extent));
      node.points = hints.product(domain.all());
      node.rowElements = countRowElements(nest, domain, hints);
      for (const analysis::Access &access : analysis::getReads(nest)) {
        Type element =
            cast<RankedTensorType>(access.tensor.getType()).getElementType();
        node.reads.push_back({tensorOf(access.tensor),
                              analysis::getFootprint(access, domain, hints) *
                                  analysis::getElementBytes(element),
                              getAlignment(access, domain), access.indirect,
                              isOwnPlace(access, domain),
                              getIndexDims(access, domain)});
      }
      if (Value init = nest.getInitialTensor())
        node.reads.push_back({tensorOf(init), 0, 0});
    }
    for (Value value : op.getResults())
      node.writes.push_back(tensorOf(value));
    problem.nodes.push_back(std::move(node));
    result.ops.push_back(&op);
  }
  return result;
}

/// "fused_sum_div_3": words of the origins, at most four.
static std::string getKernelName(ArrayRef<StringRef> origins, unsigned number) {
  std::string name = "fused";
  unsigned count = 0;
  for (StringRef origin : origins) {
    // The last part of "aten.sum.dim_IntList" says less than "sum".
    StringRef word = origin;
    if (word.consume_front("aten."))
      word = word.take_until([](char c) { return c == '.'; });
    if (++count > 4)
      break;
    name += "_";
    for (char c : word)
      name += llvm::isAlnum(c) ? c : '_';
  }
  return name + "_" + std::to_string(number);
}

/// What the kernel moves, and what its nests would move one by one.
static TrafficAttr getKernelTraffic(KernelOp kernel,
                                    const analysis::SizeHints &hints) {
  int64_t unfused = 0;
  llvm::DenseMap<Value, int64_t> widest;
  for (NestOpInterface nest : kernel.getNests()) {
    unfused += analysis::getTraffic(nest, hints).total();
    Domain domain = nest.getDomain();
    auto note = [&](Value tensor, int64_t bytes) {
      if (isa<BlockArgument>(tensor))
        widest[tensor] = std::max(widest[tensor], bytes);
    };
    for (const analysis::Access &access : analysis::getReads(nest))
      note(access.tensor,
           analysis::getFootprint(access, domain, hints) *
               analysis::getElementBytes(
                   cast<RankedTensorType>(access.tensor.getType())
                       .getElementType()));
    if (Value init = nest.getInitialTensor())
      note(init, hints.getBytes(cast<RankedTensorType>(init.getType())));
  }
  int64_t read = 0, written = 0;
  for (auto [tensor, bytes] : widest)
    read += bytes;
  for (Type type : kernel.getResultTypes())
    written += hints.getBytes(cast<RankedTensorType>(type));
  return TrafficAttr::get(kernel.getContext(), read, written, unfused);
}

/// Makes a kernel of `nests`, which stand in program order, at `builder`.
static KernelOp buildKernel(OpBuilder &builder, ArrayRef<Operation *> nests,
                            unsigned shared, unsigned number) {
  llvm::SetVector<Value> inputs, results, constants;
  llvm::SmallDenseSet<Operation *> inside(nests.begin(), nests.end());
  SmallVector<StringRef> origins;
  SmallVector<Location> locations;
  for (Operation *nest : nests) {
    mergeOrigins(origins, getOrigins(nest));
    locations.push_back(nest->getLoc());
    nest->walk([&](Operation *op) {
      for (Value operand : op->getOperands()) {
        Operation *owner = operand.getParentBlock()->getParentOp();
        if (nest->isAncestor(owner) ||
            inside.contains(operand.getDefiningOp()))
          continue;
        if (isa<TensorType>(operand.getType()))
          inputs.insert(operand);
        else
          constants.insert(operand);
      }
    });
    for (Value result : nest->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !inside.contains(getNest(user));
          }))
        results.insert(result);
  }

  MLIRContext *context = builder.getContext();
  Location location = builder.getFusedLoc(locations);
  SmallVector<guard::ExprAttr> extents =
      cast<NestOpInterface>(nests[0]).getDomain().parallel;
  extents.truncate(shared);
  OperationState state(location, KernelOp::getOperationName());
  auto &properties = state.getOrAddProperties<KernelOp::Properties>();
  properties.name =
      StringAttr::get(context, getKernelName(origins, number));
  properties.shared = getExprArray(context, extents);
  properties.origins = getOriginsAttr(context, origins);
  state.addOperands(inputs.getArrayRef());
  state.addTypes(ValueRange(results.getArrayRef()).getTypes());
  state.addRegion();
  auto kernel = cast<KernelOp>(builder.create(state));

  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Location> inputLocations(inputs.size(), location);
  Block *body = builder.createBlock(
      &kernel.getBody(), {}, ValueRange(inputs.getArrayRef()).getTypes(),
      inputLocations);
  IRMapping mapping;
  mapping.map(inputs.getArrayRef(), body->getArguments());
  for (Value constant : constants)
    builder.clone(*constant.getDefiningOp(), mapping);
  for (Operation *nest : nests)
    builder.clone(*nest, mapping);
  SmallVector<Value> returned = llvm::map_to_vector(
      results, [&](Value value) { return mapping.lookup(value); });
  ReturnOp::create(builder, location, returned);
  for (unsigned i = 0; i < results.size(); ++i)
    Value(results[i]).replaceAllUsesWith(kernel.getResult(i));
  readOwnPoint(kernel);
  return kernel;
}

/// Makes a kernel of each check, and gives their number: with others they would have those run
/// in one block, and who reads what they look at may take their place (`loop-fuse-checks`).
static unsigned setChecksApart(Block &block, const analysis::SizeHints &hints) {
  unsigned number = 0;
  for (auto op : llvm::make_early_inc_range(block.getOps<ReduceOp>())) {
    if (!isCheck(op))
      continue;
    OpBuilder builder(op);
    KernelOp kernel =
        buildKernel(builder, op.getOperation(), /*shared=*/0, number++);
    kernel.setTrafficAttr(getKernelTraffic(kernel, hints));
    op.erase();
  }
  return number;
}

/// Scalars from outside of a nest are constants: kernels are only handed
/// tensors.
static LogicalResult verifyCaptures(func::FuncOp function) {
  if (!llvm::hasSingleElement(function.getBody()))
    return function.emitError("expected a function of one block, but found ")
           << function.getBody().getBlocks().size();
  WalkResult walked = function.walk([&](Operation *op) {
    NestOpInterface nest = getNest(op);
    if (!nest)
      return WalkResult::advance();
    for (Value operand : op->getOperands()) {
      if (isa<TensorType>(operand.getType()) ||
          nest->isAncestor(operand.getParentBlock()->getParentOp()))
        continue;
      Operation *definer = operand.getDefiningOp();
      if (definer && isConstant(definer))
        continue;
      op->emitOpError() << "uses a scalar from outside of its nest that is not "
                           "a constant; pass it as a tensor without dimensions";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

namespace {

/// Tells what the rounds did. Nests are numbered in program order, and a group
/// is called by its nests: "op0_op3".
class FusionReport {
public:
  FusionReport(func::FuncOp function, const Collected &collected)
      : function(function.getName()), ops(collected.ops) {
    unsigned number = 0;
    for (const FusionNode &node : collected.problem.nodes)
      numbers.push_back(node.kind == FusionNode::Kind::Opaque ? 0 : number++);
  }

  void tell(const FusionResult &result) const;
  void tell(KernelOp kernel, ArrayRef<unsigned> nodes) const;

private:
  std::string getName(ArrayRef<unsigned> nodes) const;
  std::string describeNests(ArrayRef<unsigned> nodes) const;

  StringRef function;
  ArrayRef<Operation *> ops;
  SmallVector<unsigned> numbers;
};

} // namespace

std::string FusionReport::getName(ArrayRef<unsigned> nodes) const {
  std::string name;
  for (unsigned node : nodes)
    name += (name.empty() ? "op" : "_op") + std::to_string(numbers[node]);
  return name;
}

std::string FusionReport::describeNests(ArrayRef<unsigned> nodes) const {
  return llvm::join(
      llvm::map_range(nodes, [&](unsigned node) {
        return describe(cast<NestOpInterface>(ops[node]));
      }),
      ", ");
}

void FusionReport::tell(const FusionResult &result) const {
  for (auto [index, round] : llvm::enumerate(result.rounds)) {
    for (const std::vector<unsigned> &nodes : round.candidates)
      if (auto told =
              remark::analysis(ops[nodes[0]]->getLoc(),
                               remarks::kFusionCandidate.function(function)))
        told << remark::metric("round", index + 1)
             << remark::metric("group", getName(nodes))
             << remark::metric("nests", describeNests(nodes));
    for (const auto &[first, second] : round.fusions)
      if (auto told = remark::passed(ops[second[0]]->getLoc(),
                                     remarks::kFused.function(function)))
        told << remark::metric("round", index + 1)
             << remark::metric("first", getName(first))
             << remark::metric("second", getName(second));
    if (auto told = remark::passed(ops[0]->getParentOp()->getLoc(),
                                   remarks::kFusionRound.function(function)))
      told << remark::metric("round", index + 1)
           << remark::metric("before", round.groupsBefore)
           << remark::metric("after", round.groupsAfter);
  }
  for (const FusionRefusal &refusal : result.refusals)
    if (auto told = remark::missed(ops[refusal.second[0]]->getLoc(),
                                   remarks::kNotFused.function(function)))
      told << remark::metric("first", getName(refusal.first))
           << remark::metric("second", getName(refusal.second))
           << remark::reason("{0}", refusal.obstacle.str());
}

void FusionReport::tell(KernelOp kernel, ArrayRef<unsigned> nodes) const {
  if (auto told = remark::analysis(kernel.getLoc(),
                                   remarks::kKernel.function(function)))
    told << remark::metric("kernel", kernel.getName())
         << remark::metric("group", getName(nodes))
         << remark::metric("nests", nodes.size());
}

void Fuse::fuseFunction(func::FuncOp function,
                        const analysis::SizeHints &hints) {
  Block &block = function.getBody().front();
  if (fuse && epilogues)
    fuseEpilogues(function, hints);
  // Nests nobody reads are gone before they are counted.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
  simplifyBodies(function, hints);

  GPUTargetAttr gpu = getGPUTarget(function);
  if (fuse && gpu)
    joinMoments(block, [&](ReduceOp sum) { return isReadAgain(sum, gpu, hints); });
  unsigned number = 0;
  if (gpu)
    number = setChecksApart(block, hints);
  Collected collected = collect(block, gpu, hints);
  FusionOptions options;
  if (gpu)
    options = getGPUFusionOptions(getMachine(gpu));
  options.maxRounds = fuse ? int64_t(maxRounds) : 0;
  options.maxNests = maxNests;
  options.minHorizontalBytes = minHorizontalBytes;
  options.vertical = vertical;
  options.horizontal = horizontal;
  FusionResult result = runFusion(collected.problem, options);
  FusionReport report(function, collected);
  report.tell(result);

  Operation *terminator = block.getTerminator();
  for (Operation &op :
       llvm::make_early_inc_range(block.without_terminator()))
    if (isConstant(&op))
      op.moveBefore(&block, block.begin());
  OpBuilder builder(terminator);
  SmallVector<Operation *> fused;
  for (const FusionGroup &group : result.groups) {
    SmallVector<Operation *> ops;
    for (unsigned node : group.nodes)
      ops.push_back(collected.ops[node]);
    if (!isa<NestOpInterface>(ops[0])) {
      ops[0]->moveBefore(terminator);
      continue;
    }
    KernelOp kernel = buildKernel(builder, ops, group.shared, number++);
    kernel.setTrafficAttr(getKernelTraffic(kernel, hints));
    fused.append(ops.begin(), ops.end());
    report.tell(kernel, group.nodes);
  }
  for (Operation *op : llvm::reverse(fused))
    op->erase();
}

void Fuse::runOnOperation() {
  if (failed(verifyPassInput(getOperation(), getArgument(),
                             {Stage::Loop, Stage::Loop})))
    return signalPassFailure();
  func::FuncOp function = getOperation();
  if (function.isExternal())
    return;
  if (failed(verifyCaptures(function)))
    return signalPassFailure();
  fuseFunction(function,
               analysis::SizeHints(function->getParentOfType<ModuleOp>()));
}

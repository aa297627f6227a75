//===- Rematerialize.cpp - Compute again what would be kept too long ------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelWalk.h"
#include "PermuteNest.h"

#include "kiln/Analysis/KernelLayout.h"
#include "kiln/Dialect/Guard/IR/SymbolEffects.h"
#include "kiln/Dialect/Loop/IR/Carried.h"
#include "kiln/Dialect/Loop/Transforms/Passes.h"
#include "kiln/Dialect/Loop/Transforms/Rematerialization.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/Remarks.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

namespace kiln::loop {
#define GEN_PASS_DEF_REMATERIALIZEPASS
#include "kiln/Dialect/Loop/Transforms/Passes.h.inc"
} // namespace kiln::loop

/// Operations in the time of moving a byte, as the cut between forward and
/// backward counts them.
static constexpr double kOperationsPerByte = 16;
/// Where a buffer of the arena begins.
static constexpr int64_t kAlignment = 64;
/// The attribute of a forward that says what the cut saves (`joint-partition`).
static constexpr StringRef kSavedBytesAttrName = "joint.saved_bytes";

namespace {

/// What a forward saves: a result of it, and the argument that gets it.
struct Carried {
  unsigned result;
  BlockArgument argument;
};

/// One program: a function, or a forward and its backward.
class Rematerializer {
public:
  Rematerializer(func::FuncOp forward, func::FuncOp backward,
                 const analysis::SizeHints &hints)
      : forward(forward), backward(backward), hints(hints) {}
  void run(int64_t limit);

private:
  /// An operand of a step, which is one of its reads.
  struct Read {
    OpOperand *operand;
    unsigned number;
  };

  void findCarried();
  void addFunction(func::FuncOp function);
  void addBackward();
  void addStep(Operation &op, func::FuncOp function);
  void addValue(OpResult result, func::FuncOp function);
  bool mayRepeat(KernelOp kernel, func::FuncOp function);
  bool mayRepeatInBackward(KernelOp kernel);
  int64_t getCost(KernelOp kernel);
  BlockArgument findInBackward(BlockArgument argument, bool adds);
  bool isInBackward(Value value);

  void apply(const RematState &state);
  Operation *cloneRun(const RematRun &run);
  Value getSource(const RematState &state, const RematRun &run, unsigned read);
  Value moveToBackward(Value value);
  void setSaved(const RematState &state);
  void eraseCarried(ArrayRef<Carried> unread);
  void tell(const RematResult &result, int64_t limit);
  std::string describePeak(const RematState &state);

  func::FuncOp forward, backward; ///< without a backward: null
  const analysis::SizeHints &hints;
  RematProblem problem;
  SmallVector<Operation *> ops; ///< of steps
  SmallVector<SmallVector<Read>> reads;
  SmallVector<Value> values;
  llvm::DenseMap<Value, unsigned>
      numberOf; ///< of results, and who carries them
  llvm::MapVector<Value, SmallVector<Carried>> carried; ///< by what is saved
  llvm::DenseMap<Type, unsigned> types;
  SmallVector<Operation *> made;      ///< by position, once there is an order
  llvm::DenseMap<Value, Value> moved; ///< constants of the forward
};

class Rematerialize : public loop::impl::RematerializePassBase<Rematerialize> {
public:
  using RematerializePassBase::RematerializePassBase;
  void runOnOperation() override;
};

} // namespace

static Operation *getReturn(func::FuncOp function) {
  return function.getBody().front().getTerminator();
}

/// What remarks call an operation.
static StringRef getName(Operation *op) {
  auto kernel = dyn_cast<KernelOp>(op);
  return kernel ? kernel.getName() : op->getName().getStringRef();
}

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

void Rematerializer::findCarried() {
  CarriedTensors tensors(forward->getParentOfType<ModuleOp>());
  for (OpOperand &returned : getReturn(forward)->getOpOperands()) {
    BlockArgument argument = tensors.getReader(returned);
    // What the backward returns as it got it stays saved.
    if (argument && argument.getOwner() == &backward.getBody().front() &&
        llvm::none_of(argument.getUsers(), llvm::IsaPred<func::ReturnOp>))
      carried[returned.get()].push_back(
          {returned.getOperandNumber(), argument});
  }
}

void Rematerializer::addValue(OpResult result, func::FuncOp function) {
  RematValue value;
  value.step = problem.steps.size() - 1;
  if (auto type = dyn_cast<RankedTensorType>(result.getType())) {
    value.bytes =
        llvm::alignTo(std::max<int64_t>(1, hints.getBytes(type)), kAlignment);
    value.isStatic = analysis::getByteSize(type).isConstant();
  }
  value.type = types.try_emplace(result.getType(), types.size()).first->second;
  auto found = carried.find(result);
  value.mayBeSaved = found != carried.end();
  for (OpOperand &use : result.getUses()) {
    if (use.getOwner() != getReturn(function))
      continue;
    unsigned number = use.getOperandNumber();
    bool isCarried = value.mayBeSaved && function == forward &&
                     llvm::any_of(found->second, [&](Carried end) {
                       return end.result == number;
                     });
    value.isOutput |= !isCarried;
    // New contents of an argument are written where the old ones are.
    if (function.getResultAttr(number, kUpdatesAttrName))
      value.bytes = 0;
  }
  unsigned number = values.size();
  numberOf[result] = number;
  if (value.mayBeSaved)
    for (Carried end : found->second)
      numberOf[end.argument] = number;
  values.push_back(result);
  problem.values.push_back(value);
  problem.steps.back().makes.push_back(number);
}

int64_t Rematerializer::getCost(KernelOp kernel) {
  double moved = 0;
  if (auto traffic = kernel.getTraffic()) {
    moved = double(traffic->getRead()) + double(traffic->getWritten());
  } else {
    for (Type type : llvm::concat<const Type>(
             TypeRange(kernel.getInputs().getTypes()), kernel.getResultTypes()))
      moved += double(hints.getBytes(cast<RankedTensorType>(type)));
  }
  moved += countOperations(kernel, hints) / kOperationsPerByte;
  return int64_t(std::min(moved, 1e15));
}

/// The argument of the backward that is an argument of the forward: whoever
/// calls both knows it by the same attributes. Null if there is none and none
/// can be added, or with `adds` not set.
BlockArgument Rematerializer::findInBackward(BlockArgument argument,
                                             bool adds) {
  if (auto found = carried.find(argument); found != carried.end())
    return found->second.front().argument;
  DictionaryAttr attributes = forward.getArgAttrDict(argument.getArgNumber());
  if (!attributes || attributes.empty())
    return {};
  for (BlockArgument other : backward.getArguments())
    if (other.getType() == argument.getType() &&
        backward.getArgAttrDict(other.getArgNumber()) == attributes)
      return other;
  if (!adds)
    return {};
  // Behind all others of the forward's.
  unsigned place = 0;
  for (BlockArgument other : backward.getArguments())
    for (unsigned k = 0; k < forward.getNumArguments(); ++k)
      if (backward.getArgAttrDict(other.getArgNumber()) ==
          forward.getArgAttrDict(k))
        place = other.getArgNumber() + 1;
  if (failed(backward.insertArgument(place, argument.getType(), attributes,
                                     argument.getLoc())))
    return {};
  return backward.getArgument(place);
}

/// True if a kernel of the forward can read `value`, which no step makes, in
/// the backward as well.
bool Rematerializer::isInBackward(Value value) {
  if (Operation *definer = value.getDefiningOp())
    return definer->getNumOperands() == 0 &&
           definer->hasTrait<OpTrait::ConstantLike>();
  auto argument = cast<BlockArgument>(value);
  if (findInBackward(argument, /*adds=*/false))
    return true;
  // An argument of its own: nothing else there may be the same in other words.
  DictionaryAttr attributes = forward.getArgAttrDict(argument.getArgNumber());
  return attributes && !attributes.empty() &&
         llvm::none_of(backward.getArguments(), [&](BlockArgument other) {
           DictionaryAttr others =
               backward.getArgAttrDict(other.getArgNumber());
           return others && llvm::any_of(attributes, [&](NamedAttribute one) {
                    return others.get(one.getName()) == one.getValue();
                  });
         });
}

/// True if the kernel gives the same results wherever it runs in its function.
bool Rematerializer::mayRepeat(KernelOp kernel, func::FuncOp function) {
  for (unsigned k = 0; k < function.getNumResults(); ++k) {
    auto updated =
        function.getResultAttrOfType<IntegerAttr>(k, kUpdatesAttrName);
    if (!updated)
      continue;
    if (getReturn(function)->getOperand(k).getDefiningOp() == kernel)
      return false;
    for (Value input : kernel.getInputs())
      if (auto argument = dyn_cast<BlockArgument>(input))
        if (updated.getValue() == argument.getArgNumber())
          return false;
  }
  return true;
}

bool Rematerializer::mayRepeatInBackward(KernelOp kernel) {
  bool hasSymbols = false;
  kernel->walk([&](Operation *op) {
    guard::forEachSymbol(op, [&](StringAttr) { hasSymbols = true; });
  });
  return !hasSymbols && llvm::all_of(kernel.getInputs(), [&](Value input) {
    return numberOf.contains(input) || isInBackward(input);
  });
}

void Rematerializer::addStep(Operation &op, func::FuncOp function) {
  RematStep &step = problem.steps.emplace_back();
  SmallVector<Read> &operands = reads.emplace_back();
  ops.push_back(&op);
  op.walk([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands()) {
      auto known = numberOf.find(operand.get());
      if (known == numberOf.end())
        continue;
      auto place = llvm::find(step.reads, known->second);
      operands.push_back({&operand, unsigned(place - step.reads.begin())});
      if (place == step.reads.end())
        step.reads.push_back(known->second);
    }
  });
  auto kernel = dyn_cast<KernelOp>(op);
  if (kernel) {
    step.cost = getCost(kernel);
    step.mayRepeat = mayRepeat(kernel, function);
    step.mayRepeatInBackward = step.mayRepeat && backward &&
                               function == forward &&
                               mayRepeatInBackward(kernel);
  }
  for (OpResult result : op.getResults())
    addValue(result, function);
  if (DenseI64ArrayAttr pairs =
          kernel ? analysis::getOverwrites(kernel) : DenseI64ArrayAttr())
    for (size_t k = 0; k < pairs.asArrayRef().size(); k += 2) {
      auto read = numberOf.find(kernel.getInputs()[pairs[k + 1]]);
      if (read != numberOf.end())
        step.overwrites.push_back({step.makes[pairs[k]], read->second});
    }
}

void Rematerializer::addFunction(func::FuncOp function) {
  for (Operation &op : function.getBody().front().without_terminator())
    if (!op.hasTrait<OpTrait::ConstantLike>())
      addStep(op, function);
}

void Rematerializer::addBackward() {
  addFunction(backward);
  for (Value returned : getReturn(backward)->getOperands())
    if (auto known = numberOf.find(returned);
        known != numberOf.end() &&
        !llvm::is_contained(problem.outputs, known->second))
      problem.outputs.push_back(known->second);
  // Tangents: what is neither saved nor the forward's.
  for (BlockArgument argument : backward.getArguments()) {
    DictionaryAttr attributes =
        backward.getArgAttrDict(argument.getArgNumber());
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    bool isOfForward = false;
    for (unsigned k = 0; k < forward.getNumArguments(); ++k)
      isOfForward |= forward.getArgAttrDict(k) == attributes;
    if (type && !isOfForward &&
        !backward.getArgAttr(argument.getArgNumber(), kCarriedAttrName))
      problem.fixedBytes += hints.getBytes(type);
  }
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

/// What a kernel of the forward reads where it runs in the backward, if no step
/// makes it.
Value Rematerializer::moveToBackward(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return findInBackward(argument, /*adds=*/true);
  Value &constant = moved[value];
  if (!constant) {
    auto builder = OpBuilder::atBlockBegin(&backward.getBody().front());
    constant = builder.clone(*value.getDefiningOp())
                   ->getResult(cast<OpResult>(value).getResultNumber());
  }
  return constant;
}

Value Rematerializer::getSource(const RematState &state, const RematRun &run,
                                unsigned read) {
  unsigned number = problem.steps[run.step].reads[read];
  unsigned source = run.sources[read];
  bool isSaved = run.slot >= problem.numForward &&
                 state.order[source].slot < problem.numForward;
  if (isSaved)
    return carried.find(values[number])->second.front().argument;
  return made[source]->getResult(
      cast<OpResult>(values[number]).getResultNumber());
}

Operation *Rematerializer::cloneRun(const RematRun &run) {
  OpBuilder builder(ops[run.slot]);
  Operation *clone = builder.clone(*ops[run.step]);
  if (run.slot < problem.numForward || run.step >= problem.numForward)
    return clone;
  llvm::SmallDenseSet<unsigned> ours; // they get their sources later
  for (Read read : reads[run.step])
    ours.insert(read.operand->getOperandNumber());
  for (OpOperand &operand : clone->getOpOperands())
    if (!ours.contains(operand.getOperandNumber()))
      operand.set(moveToBackward(operand.get()));
  return clone;
}

/// Returns what is saved from where it is made last, and no longer what the
/// backward makes itself.
void Rematerializer::setSaved(const RematState &state) {
  for (const RematRun &run : state.order)
    for (unsigned read = 0; read < run.sources.size(); ++read) {
      unsigned source = run.sources[read];
      if (run.slot < problem.numForward ||
          state.order[source].slot >= problem.numForward)
        continue;
      unsigned number = problem.steps[run.step].reads[read];
      auto result = cast<OpResult>(values[number]);
      for (Carried end : carried.find(result)->second)
        getReturn(forward)->setOperand(
            end.result, made[source]->getResult(result.getResultNumber()));
    }
  SmallVector<Carried> unread;
  for (auto &[value, ends] : carried)
    for (Carried end : ends)
      if (numberOf.contains(value) && end.argument.use_empty())
        unread.push_back(end);
  eraseCarried(unread);
}

void Rematerializer::eraseCarried(ArrayRef<Carried> unread) {
  llvm::BitVector results(forward.getNumResults()),
      arguments(backward.getNumArguments());
  int64_t bytes = 0;
  for (Carried end : unread) {
    results.set(end.result);
    arguments.set(end.argument.getArgNumber());
    bytes += hints.getBytes(cast<RankedTensorType>(end.argument.getType()));
  }
  getReturn(forward)->eraseOperands(results);
  bool isErased = succeeded(forward.eraseResults(results)) &&
                  succeeded(backward.eraseArguments(arguments));
  assert(isErased && "functions of blocks");
  (void)isErased;
  if (auto saved = forward->getAttrOfType<IntegerAttr>(kSavedBytesAttrName))
    forward->setAttr(kSavedBytesAttrName,
                     IntegerAttr::get(saved.getType(), saved.getInt() - bytes));
}

void Rematerializer::apply(const RematState &state) {
  llvm::DenseSet<Operation *> kept;
  for (const RematRun &run : state.order) {
    Operation *op = run.isAgain ? cloneRun(run) : ops[run.step];
    kept.insert(op);
    for (Read read : reads[run.step]) {
      Value source = getSource(state, run, read.number);
      if (run.isAgain) // operands of the kernel itself
        op->setOperand(read.operand->getOperandNumber(), source);
      else
        read.operand->set(source);
    }
    made.push_back(op);
  }
  llvm::erase_if(ops, [&](Operation *op) { return kept.contains(op); });
  // What they read is not read for them any more.
  for (Operation *op : ops)
    op->dropAllReferences();
  if (backward)
    setSaved(state);
  for (Operation *op : llvm::reverse(ops))
    op->erase();
}

/// What stands in the way at the peak.
std::string Rematerializer::describePeak(const RematState &state) {
  const RematRun &run = state.order[state.peakPosition];
  std::string text;
  llvm::raw_string_ostream os(text);
  int64_t own = 0;
  for (const std::vector<unsigned> *list :
       {&problem.steps[run.step].reads, &problem.steps[run.step].makes})
    for (unsigned value : *list)
      own += problem.values[value].bytes;
  os << "no kernel that may run again was found to lower the peak at '"
     << getName(ops[run.step]) << "', which reads and makes " << own
     << " bytes";
  return text;
}

void Rematerializer::tell(const RematResult &result, int64_t limit) {
  StringRef name = forward.getName();
  const RematState &state = result.state;
  int64_t again = 0;
  for (const RematRun &run : state.order) {
    if (!run.isAgain)
      continue;
    ++again;
    auto kernel = cast<KernelOp>(ops[run.step]);
    if (auto told =
            remark::passed(kernel.getLoc(), remarks::kRunAgain.function(name)))
      told << remark::metric("kernel", kernel.getName())
           << remark::metric("cost", problem.steps[run.step].cost)
           << remark::metric("before", getName(ops[run.slot]));
  }
  bool isKept = state.peak <= limit;
  auto told = isKept ? remark::passed(forward.getLoc(),
                                      remarks::kLimitKept.function(name))
                     : remark::missed(forward.getLoc(),
                                      remarks::kOverLimit.function(name));
  if (!told)
    return;
  told << remark::metric("limit", limit)
       << remark::metric("before", result.before.peak)
       << remark::metric("after", state.peak)
       << remark::metric("kernels", again)
       << remark::metric("cost", state.cost);
  if (!isKept)
    told << remark::reason("{0}", describePeak(state));
}

void Rematerializer::run(int64_t limit) {
  if (backward)
    findCarried();
  addFunction(forward);
  problem.numForward = problem.steps.size();
  if (backward)
    addBackward();
  if (problem.steps.empty())
    return;
  RematResult result = rematerialize(problem, limit);
  tell(result, limit);
  apply(result.state);
}

/// The only function that takes what another one saves, or null.
static func::FuncOp findBackward(ModuleOp module) {
  func::FuncOp found;
  for (auto function : module.getOps<func::FuncOp>())
    for (unsigned k = 0; k < function.getNumArguments(); ++k)
      if (function.getArgAttr(k, kCarriedAttrName)) {
        if (found && found != function)
          return {};
        found = function;
      }
  return found;
}

void Rematerialize::runOnOperation() {
  ModuleOp module = getOperation();
  if (failed(
          verifyPassInput(module, getArgument(), {Stage::Loop, Stage::Loop})))
    return signalPassFailure();
  analysis::SizeHints hints(module);
  func::FuncOp backward = findBackward(module);
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    // Bodies of control flow have arenas of their own, beside that of who runs
    // them.
    if (function == backward || function.isPrivate() ||
        !llvm::hasSingleElement(function.getBody()))
      continue;
    bool isForward =
        backward &&
        llvm::any_of(llvm::seq(function.getNumResults()), [&](unsigned k) {
          return bool(function.getResultAttr(k, kCarriedAttrName));
        });
    Rematerializer(function, isForward ? backward : func::FuncOp(), hints)
        .run(limit);
  }
}

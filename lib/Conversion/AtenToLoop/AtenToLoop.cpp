//===- AtenToLoop.cpp - The pass and the walk over a function -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Conversion/AtenToLoop.h"

#include "Converter.h"

#include "kiln/Dialect/Aten/IR/AtenBase.h"
#include "kiln/Dialect/Aten/IR/AtenOps.h"
#include "kiln/Dialect/Aten/IR/OutputOrder.h"
#include "kiln/Dialect/Loop/IR/Carried.h"
#include "kiln/Dialect/Loop/IR/Weights.h"
#include "kiln/Interfaces/LoopBodyOpInterface.h"
#include "kiln/Interfaces/LoopLoweringOpInterface.h"
#include "kiln/Interfaces/Stages.h"
#include "kiln/Support/Remarks.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

namespace kiln {
#define GEN_PASS_DEF_CONVERTATENTOLOOPPASS
#include "kiln/Conversion/AtenToLoop/Passes.h.inc"
} // namespace kiln

namespace {

class ConvertAtenToLoop
    : public kiln::impl::ConvertAtenToLoopPassBase<ConvertAtenToLoop> {
public:
  using ConvertAtenToLoopPassBase::ConvertAtenToLoopPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    ConvertAtenToLoopPassBase::getDependentDialects(registry);
    registerAtenLoopLowerings(registry);
  }

  void runOnOperation() override {
    if (failed(verifyPassInput(getOperation(), getArgument(),
                               {Stage::Capture, Stage::Joint})))
      return signalPassFailure();
    func::FuncOp function = getOperation();
    analysis::SizeHints hints(function->getParentOfType<ModuleOp>());
    if (!function.isExternal() &&
        failed(Converter(function, hints, checkIndices, shortSpecials).run()))
      return signalPassFailure();
    if (failed(verifyPassOutput(getOperation(), getArgument(), Stage::Loop)))
      return signalPassFailure();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// The op at hand
//===----------------------------------------------------------------------===//

void Converter::start(Operation *op, bool isCopied) {
  Builder builder(op->getContext());
  // The captured name if there is one, else the operator's.
  StringRef name = op->getName().stripDialect();
  name = name.take_until([](char c) { return c == '.'; });
  if (auto captured = op->getLoc()->findInstanceOf<NameLoc>())
    name = captured.getName().getValue();
  // What is made for an op that stays is a copy of what it reads.
  loops.start(op, builder.getStrArrayAttr({isCopied ? "copy" : name}));
}

void Converter::tellNoKernel(Location loc, StringRef name, StringRef why) {
  if (auto told =
          remark::missed(loc, remarks::kNoKernel.function(function.getName())))
    told << remark::metric("op", name) << remark::reason("{0}", why);
}

/// The tensors and numbers of `op`.
static SmallVector<Type> getAllTypes(Operation *op) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  return types;
}

/// Why bodies cannot compute with the elements of `op`; empty if they can.
static StringRef whyNotComputed(Operation *op, bool takesSmallFloats) {
  for (Type type : getAllTypes(op)) {
    if (!isa<ShapedType>(type))
      continue;
    if (!LoopBuilder::isSupported(type, takesSmallFloats))
      return "elements of this type have no kernels";
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !guard::getDims(tensor))
      return "a size is not known";
  }
  return "";
}

LogicalResult Converter::lower(Operation *op, const aten::OpInfo *info) {
  // Not even views: what is read through one may have to be copied.
  if (llvm::any_of(getAllTypes(op), [](Type type) {
        return isa<ComplexType>(getElementTypeOrSelf(type));
      }))
    return loops.refuse("complex");
  auto lowering = dyn_cast<LoopLoweringOpInterface>(op);
  if (!lowering || !lowering.takesAnyElements())
    if (StringRef why = whyNotComputed(op, info && info->takesSmallFloats);
        !why.empty())
      return loops.refuse(why);
  // Once a nest was refused no more are made, whatever became of the results.
  if (lowering)
    return success(succeeded(lowering.lowerToLoops(loops)) &&
                   loops.getReason().empty());
  if (isa<LoopBodyOpInterface>(op))
    return lowerLoopBody(loops, op);
  return loops.refuse(info && info->isRandom
                          ? "random numbers are drawn by the runtime"
                          : "no kernel is written for this operator");
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

LogicalResult Converter::convertOperator(Operation *op,
                                         const aten::OpInfo *info) {
  start(op, /*isCopied=*/!info);
  // What gives nothing is called for its effect.
  bool isEffect = op->getNumResults() == 0;
  if (!info)
    return makeExtern(op, info,
                      isEffect ? "" : "the operator is not one of ATen's");
  // A number in a tensor is read by who needs it; the call is for others.
  if (isa<aten::ItemOp>(op)) {
    loops.setNumber(op->getResult(0), op->getOperand(0));
    bool needed = op->getAttr("symbol") ||
                  llvm::any_of(op->getUsers(), [](Operation *user) {
                    return !aten::getOpInfo(user);
                  });
    return needed ? makeExtern(op, info, "") : success();
  }
  if (isEffect)
    return makeExtern(op, info, "");
  if (succeeded(lower(op, info)))
    return success();
  // The call copies its arguments: nests are made again.
  std::string reason = loops.getReason().str();
  start(op, /*isCopied=*/false);
  return makeExtern(op, info, reason);
}

bool Converter::convertForeign(Operation *op) {
  // The same op on numbers is none of ours.
  if (!isa<LoopLoweringOpInterface, LoopBodyOpInterface>(op) ||
      !llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return false;
  start(op);
  if (succeeded(lower(op, /*info=*/nullptr)))
    return true;
  tellNoKernel(op->getLoc(), op->getName().getStringRef(), loops.getReason());
  return false;
}

void Converter::keep(Operation *op) {
  start(op, /*isCopied=*/true);
  op->walk([&](Operation *reader) {
    for (OpOperand &operand : reader->getOpOperands()) {
      if (op->isAncestor(operand.get().getParentBlock()->getParentOp()))
        continue;
      if (isa<RankedTensorType>(operand.get().getType()))
        operand.set(loops.materialize(operand.get()));
      else if (Value scalar = scalars.lookup(operand.get()))
        operand.set(scalar);
    }
  });
}

/// Says in terms of loops which arguments a forward saved, and which results are new
/// contents of which arguments.
void Converter::markUpdates() {
  using Kind = aten::OutputKind;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (auto input =
            function.getArgAttrOfType<aten::InputAttr>(i, aten::kInputAttrName);
        input && input.getKind() == aten::InputKind::Saved)
      function.setArgAttr(i, kSavedAttrName, loops.getBuilder().getUnitAttr());
  for (unsigned k = 0; k < function.getNumResults(); ++k) {
    auto output = function.getResultAttrOfType<aten::OutputAttr>(
        k, aten::kOutputAttrName);
    if (!output || (output.getKind() != Kind::BufferMutation &&
                    output.getKind() != Kind::ParameterMutation &&
                    output.getKind() != Kind::InputMutation))
      continue;
    bool byName = output.getKind() == Kind::InputMutation;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      auto input =
          function.getArgAttrOfType<aten::InputAttr>(i, aten::kInputAttrName);
      // Weights are told apart by path, inputs of the caller by name.
      if (input && output.getTarget() &&
          (input.getKind() == aten::InputKind::UserInput) == byName &&
          (byName ? input.getName() : input.getPath()) == output.getTarget())
        function.setResultAttr(k, kUpdatesAttrName,
                               loops.getBuilder().getI64IntegerAttr(i));
    }
  }
}

/// Says which arguments are weights that no call changes. Those of a training step are
/// others in each.
void Converter::markWeights() {
  if (function.getName() == "forward" || function.getName() == "backward")
    return;
  llvm::SmallDenseSet<int64_t> updated;
  for (unsigned k = 0; k < function.getNumResults(); ++k)
    if (auto target = function.getResultAttrOfType<IntegerAttr>(
            k, kUpdatesAttrName))
      updated.insert(target.getInt());
  for (unsigned k = 0; k < function.getNumArguments(); ++k) {
    auto input =
        function.getArgAttrOfType<aten::InputAttr>(k, aten::kInputAttrName);
    if (input && !updated.contains(k) &&
        (input.getKind() == aten::InputKind::Parameter ||
         input.getKind() == aten::InputKind::Buffer ||
         input.getKind() == aten::InputKind::Constant))
      function.setArgAttr(k, kFrozenAttrName,
                          loops.getBuilder().getUnitAttr());
  }
}

/// True for the order 0, 2, ..., 1.
static bool isChannelsLast(DenseI64ArrayAttr order) {
  if (!order || order.size() < 3)
    return false;
  SmallVector<int64_t> expected =
      llvm::to_vector(llvm::seq<int64_t>(0, order.size()));
  std::rotate(expected.begin() + 1, expected.begin() + 2, expected.end());
  return order.asArrayRef() == ArrayRef(expected);
}

/// Who calls a program counts on the strides that its operators gave. So do
/// those who get a gradient: as in eager PyTorch it may lie as what it is the
/// gradient of.
static bool isSeenWithStrides(aten::OutputKind kind) {
  return kind == aten::OutputKind::UserOutput ||
         kind == aten::OutputKind::InputGradient ||
         kind == aten::OutputKind::ParameterGradient;
}

/// What is saved for the backward may have any order. An output may have its channels last
/// where it was recorded so.
void Converter::freeOrders() {
  if (!function.isPublic())
    return;
  for (unsigned k = 0; k < function.getNumResults(); ++k) {
    auto output = function.getResultAttrOfType<aten::OutputAttr>(
        k, aten::kOutputAttrName);
    auto type = dyn_cast<RankedTensorType>(function.getResultTypes()[k]);
    auto recorded = function.getResultAttrOfType<DenseI64ArrayAttr>(
        k, aten::kOutputOrderAttrName);
    if (output && output.getKind() == aten::OutputKind::Saved && type)
      function.setResultAttr(k, kCarriedAttrName, output.getName());
    if (output && isSeenWithStrides(output.getKind()) && type &&
        isChannelsLast(recorded))
      function.setResultAttr(
          k, kOrderAttrName,
          DenseI64ArrayAttr::get(
              function.getContext(),
              llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()))));
  }
}

/// The tangent of an output that may have its channels last is expected to have
/// them so, too. One that comes in another order is copied.
void Converter::orderTangent(unsigned index) {
  auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[index]);
  auto recorded = function.getArgAttrOfType<DenseI64ArrayAttr>(
      index, aten::kOutputOrderAttrName);
  auto dims = type ? guard::getDims(type) : std::nullopt;
  if (!dims || !isChannelsLast(recorded) ||
      recorded.size() != type.getRank())
    return;
  auto laid = llvm::map_to_vector(recorded.asArrayRef(),
                                  [&](int64_t dim) { return (*dims)[dim]; });
  SmallVector<guard::ExprAttr> strides(laid.size());
  for (auto [dim, stride] : llvm::zip_equal(
           recorded.asArrayRef(),
           guard::getContiguousStrides(function.getContext(), laid)))
    strides[dim] = stride;
  function.setArgAttr(index, kStridesAttrName,
                      guard::ShapeAttr::get(function.getContext(), strides));
}

void Converter::readInputs() {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (auto input = function.getArgAttrOfType<aten::InputAttr>(
            i, aten::kInputAttrName)) {
      if (input.getKind() == aten::InputKind::Saved)
        function.setArgAttr(i, kCarriedAttrName, input.getName());
      if (input.getKind() == aten::InputKind::Tangent)
        orderTangent(i);
      // Kernels read a caller's tensor as it lies in memory.
      if (guard::ShapeAttr strides = input.getStrides())
        function.setArgAttr(i, kStridesAttrName, strides);
      if (auto symbol = dyn_cast_if_present<guard::ExprAttr>(input.getValue()))
        loops.noteSymbol(symbol);
    }
  loops.noteSizes(function.getArgumentTypes());
}

void Converter::convertTerminator(Operation *terminator) {
  start(terminator, /*isCopied=*/true);
  for (OpOperand &operand : terminator->getOpOperands()) {
    Value value = operand.get();
    if (isa<RankedTensorType>(value.getType())) {
      Value tensor = loops.materialize(value);
      // A clone of an input must outlive what is later written to the input.
      if (isa<BlockArgument>(tensor) && tensor != value)
        tensor = loops.copy(value);
      operand.set(tensor);
    } else if (Value scalar = scalars.lookup(value)) {
      operand.set(scalar);
    }
  }
}

LogicalResult Converter::eraseAll(ArrayRef<Operation *> ops) {
  for (Operation *op : llvm::reverse(ops)) {
    // An extern call may have asked for a number after all.
    for (Value result : op->getResults())
      if (Value scalar = scalars.lookup(result))
        result.replaceAllUsesWith(scalar);
    if (!op->use_empty()) {
      InFlightDiagnostic diagnostic =
          op->emitOpError("has a result that loops cannot hold");
      diagnostic.attachNote((*op->user_begin())->getLoc())
          << "'" << (*op->user_begin())->getName() << "' still reads it";
      return diagnostic;
    }
    op->erase();
  }
  return success();
}

LogicalResult Converter::run() {
  if (!llvm::hasSingleElement(function.getBody()))
    return function.emitError("expected a function of one block, but found ")
           << function.getBody().getBlocks().size();
  Block &block = function.getBody().front();
  markUpdates();
  markWeights();
  freeOrders();
  readInputs();
  SmallVector<Operation *> old;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      break;
    const aten::OpInfo *info = aten::getOpInfo(&op);
    bool isOperator =
        info || isa_and_nonnull<aten::AtenDialect>(op.getDialect());
    if (isOperator && failed(convertOperator(&op, info)))
      return failure();
    if (isOperator || convertForeign(&op))
      old.push_back(&op);
    else
      keep(&op);
    loops.noteSizes(op.getResultTypes());
    if (auto name = op.getAttrOfType<StringAttr>("symbol"))
      loops.noteSymbol(
          guard::getSymbol(function.getContext(), name.getValue()));
  }
  convertTerminator(block.getTerminator());
  return eraseAll(old);
}

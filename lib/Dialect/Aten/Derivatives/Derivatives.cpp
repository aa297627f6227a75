//===- Derivatives.cpp - External models of the aten ops ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One fallback model for all ops, which looks up the generated table: a model per op would be two hundred instantiations for nothing.
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/Derivatives/Derivatives.h"

#include "Optimizers.h"
#include "Rules.h"
#include "kiln/Dialect/Aten/IR/OpInfo.h"
#include "kiln/Dialect/Aten/IR/OutputOrder.h"
#include "kiln/Dialect/Aten/Transforms/Decompositions.h"
#include "kiln/Interfaces/DifferentiableOpInterface.h"
#include "kiln/Interfaces/RecomputableOpInterface.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/DenseMap.h"

namespace kiln::aten {

#include "kiln/Dialect/Aten/Derivatives/AtenDerivatives.cpp.inc"

const VjpEntry *lookUpDerivative(const OpInfo &info) {
  static const llvm::DenseMap<const OpInfo *, const VjpEntry *> table = [] {
    llvm::DenseMap<const OpInfo *, const VjpEntry *> built;
    for (const VjpEntry &entry : kVjpEntries)
      built[&entry.getInfo()] = &entry;
    return built;
  }();
  return table.lookup(&info);
}

//===----------------------------------------------------------------------===//
// DifferentiableOpInterface
//===----------------------------------------------------------------------===//

namespace {

bool hasFloatResult(Operation *op) {
  return llvm::any_of(op->getResultTypes(), [](Type type) {
    return llvm::isa<mlir::FloatType, mlir::ComplexType>(
        mlir::getElementTypeOrSelf(type));
  });
}

struct VjpModel
    : DifferentiableOpInterface::FallbackModel<VjpModel> {
  static const VjpEntry *entryOf(Operation *op) {
    const OpInfo *info = getOpInfo(op);
    return info ? lookUpDerivative(*info) : nullptr;
  }

  /// A view only moves elements, so nothing is lost if it is decomposed.
  bool isDifferentiatedWhole(Operation *op) const {
    const OpInfo *info = getOpInfo(op);
    return entryOf(op) && (!info || !info->isView);
  }

  bool isStopGradient(Operation *op) const {
    const VjpEntry *entry = entryOf(op);
    return entry ? !entry->rule : !hasFloatResult(op);
  }

  std::string getStopReason(Operation *op) const {
    if (const VjpEntry *entry = entryOf(op))
      return entry->stopReason;
    return hasFloatResult(op) ? "" : "its result is not floating-point";
  }

  SmallVector<Value> getSavedValues(Operation *op) const {
    SmallVector<Value> values;
    const VjpEntry *entry = entryOf(op);
    if (!entry)
      return values;
    unsigned i = 0;
    for (Value operand : op->getOperands())
      if (entry->savedOperands >> std::min(i++, 31u) & 1)
        values.push_back(operand);
    i = 0;
    for (Value result : op->getResults())
      if (entry->savedResults >> std::min(i++, 31u) & 1)
        values.push_back(result);
    return values;
  }

  LogicalResult buildVjp(Operation *op, OpBuilder &builder,
                         ValueRange resultGrads,
                         function_ref<bool(unsigned)> isWanted,
                         MutableArrayRef<Value> operandGrads) const {
    const VjpEntry *entry = entryOf(op);
    auto rule = entry ? entry->rule : nullptr;
    if (!entry && llvm::isa<ViewOpInterface>(op))
      rule = vjpView;
    else if (!entry && lookUpDecomposition(op))
      rule = vjpByDecomposition;
    if (!rule)
      return op->emitOpError("has no derivative, and a gradient flows through "
                             "it; expected an op with a rule in "
                             "AtenDerivatives.td");
    // Of what an op decomposes into, the parts' rules say it.
    auto isComplex = [](Type type) {
      return llvm::isa<mlir::ComplexType>(mlir::getElementTypeOrSelf(type));
    };
    if (entry && !entry->takesComplex &&
        (llvm::any_of(op->getOperandTypes(), isComplex) ||
         llvm::any_of(op->getResultTypes(), isComplex)))
      return op->emitOpError("has no derivative for complex numbers, and a "
                             "gradient flows through it");
    VjpState state(builder, op, resultGrads, isWanted, operandGrads);
    if (failed(rule(op, state)))
      return failure();
    if (state.hasFailed())
      return op->emitOpError("derivative could not be built");
    return success();
  }
};

//===----------------------------------------------------------------------===//
// RecomputableOpInterface
//===----------------------------------------------------------------------===//

/// The class of an op by what its record says, and by whether it draws.
struct RecomputeModel
    : RecomputableOpInterface::FallbackModel<RecomputeModel> {
  RecomputeClass getRecomputeClass(Operation *op) const {
    const OpInfo *info = getOpInfo(op);
    if (!info)
      return RecomputeClass::Opaque;
    if (info->isView)
      return isAlias(op) ? RecomputeClass::View : info->recompute;
    if (normalizesByGiven(op))
      return RecomputeClass::Cheap;
    return drawsNextNumbers(op, *info) ? RecomputeClass::Random
                                       : info->recompute;
  }

  /// True for a batch norm by running statistics: it is pointwise.
  static bool normalizesByGiven(Operation *op) {
    if (auto norm = llvm::dyn_cast<NativeBatchNormOp>(op))
      return !norm.getTraining();
    auto norm = llvm::dyn_cast<NativeBatchNormLegitFunctionalOp>(op);
    return norm && !norm.getTraining();
  }

  /// True if running the op again draws other numbers.
  static bool drawsNextNumbers(Operation *op, const OpInfo &info) {
    if (!info.isRandom || drawsGivenNumbers(op))
      return false;
    if (auto dropout = llvm::dyn_cast<NativeDropoutOp>(op))
      return dropout.getTrain().value_or(true) && !dropout.getP().isZero();
    if (auto attention = llvm::dyn_cast<ScaledDotProductAttentionOp>(op))
      return !attention.getDropoutP().isZero();
    return true;
  }

  int getViewedOperand(Operation *op) const {
    const OpInfo *info = getOpInfo(op);
    return info && info->isView && isAlias(op) ? 0 : -1;
  }

  /// Integers and bools are the same whenever they are computed, but what they are
  /// compared with, or a number, need not be. A sum is infinite in any order, as rows
  /// are that masks hide whole.
  bool comparesExactly(Operation *op) const {
    if (llvm::isa<EqScalarOp, NeScalarOp>(op) &&
        (mlir::matchPattern(op->getOperand(1), mlir::m_NegInfFloat()) ||
         mlir::matchPattern(op->getOperand(1), mlir::m_PosInfFloat())))
      return false;
    return llvm::isa<EqTensorOp, NeTensorOp, EqScalarOp, NeScalarOp>(op) &&
           llvm::any_of(op->getOperandTypes(), [](Type type) {
             auto tensor = llvm::dyn_cast<mlir::TensorType>(type);
             return tensor && llvm::isa<mlir::FloatType, mlir::ComplexType>(
                                  tensor.getElementType());
           });
  }

  /// As PyTorch's FlopCounterMode counts: two for each product that is added.
  double getFlops(Operation *op, SizesFn sizesOf) const {
    auto elements = [&](Value value) {
      double count = 1;
      for (int64_t size : sizesOf(value))
        count *= static_cast<double>(size);
      return count;
    };
    auto lengthOf = [&](Value value, int64_t dim) {
      SmallVector<int64_t> sizes = sizesOf(value);
      if (dim < 0)
        dim += static_cast<int64_t>(sizes.size());
      return dim >= 0 && dim < static_cast<int64_t>(sizes.size())
                 ? static_cast<double>(std::max<int64_t>(1, sizes[dim]))
                 : 1.0;
    };
    const OpInfo *info = getOpInfo(op);
    switch (info ? info->flops : FlopCount::None) {
    case FlopCount::None:
      return 0;
    case FlopCount::Product:
      return 2 * elements(op->getResult(0)) * lengthOf(op->getOperand(0), -1);
    case FlopCount::AddedProduct:
      return 2 * elements(op->getResult(0)) * lengthOf(op->getOperand(1), -1);
    case FlopCount::Convolution: {
      // A transposed one walks its weight at each element of its input.
      auto general = llvm::dyn_cast<ConvolutionOp>(op);
      bool isTransposed = general && general.getTransposed();
      Value walked = isTransposed ? op->getOperand(0) : op->getResult(0);
      Value weight = op->getOperand(1);
      return 2 * elements(walked) * elements(weight) / lengthOf(weight, 0);
    }
    case FlopCount::Attention:
      // Query, key and value.
      return 2 * lengthOf(op->getOperand(1), -2) *
             (elements(op->getOperand(0)) + elements(op->getResult(0)));
    }
    llvm_unreachable("unknown way of counting");
  }

  /// False for the views that had to convert, which are copies.
  static bool isAlias(Operation *op) {
    if (op->getNumOperands() == 0 || op->getNumResults() == 0)
      return false;
    Type element = mlir::getElementTypeOrSelf(op->getOperand(0).getType());
    return llvm::all_of(op->getResultTypes(), [&](Type type) {
      return mlir::getElementTypeOrSelf(type) == element;
    });
  }
};

//===----------------------------------------------------------------------===//
// GradientDialectInterface
//===----------------------------------------------------------------------===//

class AtenGradientInterface : public GradientDialectInterface {
public:
  using GradientDialectInterface::GradientDialectInterface;

  Value buildAdd(OpBuilder &builder, Location loc, Value a,
                 Value b) const override {
    return FormulaBuilder(builder, loc).add(a, b);
  }

  Value buildWiden(OpBuilder &builder, Location loc,
                   Value gradient) const override {
    return FormulaBuilder(builder, loc).widen(gradient);
  }

  Value buildNarrow(OpBuilder &builder, Location loc, Value sum,
                    Type type) const override {
    return FormulaBuilder(builder, loc)
        .cast(sum, mlir::getElementTypeOrSelf(type));
  }

  bool wantsGradient(DictionaryAttr attrs, Type) const override {
    InputAttr input = inputOf(attrs);
    return input && input.getRequiresGrad();
  }

  bool isUserInput(DictionaryAttr attrs) const override {
    InputAttr input = inputOf(attrs);
    return !input || input.getKind() == InputKind::UserInput;
  }

  std::string getName(DictionaryAttr attrs) const override {
    InputAttr input = inputOf(attrs);
    return input && input.getName() ? input.getName().str() : std::string();
  }

  bool takesTangent(DictionaryAttr attrs, Type type) const override {
    OutputAttr output = outputOf(attrs);
    bool isOutput = !output || output.getKind() == OutputKind::UserOutput ||
                    output.getKind() == OutputKind::Loss;
    return isOutput &&
           llvm::isa<mlir::FloatType, mlir::ComplexType>(
               mlir::getElementTypeOrSelf(type));
  }

  DictionaryAttr describeGradient(DictionaryAttr attrs) const override {
    InputAttr input = inputOf(attrs);
    bool isWeight = input && input.getKind() != InputKind::UserInput;
    StringAttr target;
    if (input)
      target = input.getPath() ? input.getPath() : input.getName();
    return withOrder(makeOutput(isWeight ? OutputKind::ParameterGradient
                                         : OutputKind::InputGradient,
                                "grad", input ? input.getName() : StringAttr(),
                                target),
                     getOrder(input));
  }

  DictionaryAttr describeTangent(DictionaryAttr attrs,
                                 unsigned index) const override {
    OutputAttr output = outputOf(attrs);
    StringAttr path = output ? output.getPath() : StringAttr();
    return withOrder(
        makeInput(InputKind::Tangent, ("tangent_" + Twine(index)).str(), path),
        attrs ? attrs.getAs<mlir::DenseI64ArrayAttr>(kOutputOrderAttrName)
              : mlir::DenseI64ArrayAttr());
  }

  DictionaryAttr describeSavedResult(unsigned index) const override {
    return makeOutput(OutputKind::Saved, "saved", StringAttr(),
                      StringAttr::get(getContext(),
                                      "saved_" + Twine(index)));
  }

  DictionaryAttr describeSavedArgument(unsigned index,
                                       Attribute size) const override {
    return makeInput(InputKind::Saved, ("saved_" + Twine(index)).str(),
                     StringAttr(), size);
  }

  DictionaryAttr describeState(StringRef name,
                               DictionaryAttr paramAttrs) const override {
    InputAttr parameter = inputOf(paramAttrs);
    // No name of a weight contains "@".
    std::string path = name.str();
    if (parameter && parameter.getPath())
      path += "@" + parameter.getPath().str();
    std::string label = name.str();
    if (parameter && parameter.getName())
      label += "_" + parameter.getName().str();
    return makeInput(InputKind::OptimizerState, label,
                     StringAttr::get(getContext(), path));
  }

  DictionaryAttr describeUpdate(DictionaryAttr attrs) const override {
    InputAttr input = inputOf(attrs);
    bool isWeight = input && input.getKind() == InputKind::Parameter;
    return makeOutput(isWeight ? OutputKind::ParameterMutation
                               : OutputKind::BufferMutation,
                      "new", input ? input.getName() : StringAttr(),
                      input ? input.getPath() : StringAttr());
  }

  LogicalResult
  buildUpdates(OpBuilder &builder, Location loc, const OptimizerConfig &config,
               Value rate, Value step,
               MutableArrayRef<ParameterUpdate> updates) const override {
    return buildOptimizerUpdates(builder, loc, config, rate, step, updates);
  }

private:
  static InputAttr inputOf(DictionaryAttr attrs) {
    return attrs ? attrs.getAs<InputAttr>(kInputAttrName) : InputAttr();
  }
  static OutputAttr outputOf(DictionaryAttr attrs) {
    return attrs ? attrs.getAs<OutputAttr>(kOutputAttrName) : OutputAttr();
  }

  /// The dimensions of an input by falling strides; null where these are not
  /// known, or fall as in row-major order. Of equal ones, as dimensions of one
  /// element have, the first comes first.
  mlir::DenseI64ArrayAttr getOrder(InputAttr input) const {
    if (!input || !input.getStrides())
      return {};
    llvm::SmallVector<int64_t> strides, order;
    for (guard::ExprAttr stride : input.getStrides().getDims()) {
      auto number = stride.getConstant();
      if (!number)
        return {};
      strides.push_back(*number);
    }
    for (size_t dim = 0; dim < strides.size(); ++dim)
      order.insert(llvm::find_if(order,
                                 [&](int64_t other) {
                                   return strides[other] < strides[dim];
                                 }),
                   dim);
    return llvm::is_sorted(order)
               ? mlir::DenseI64ArrayAttr()
               : mlir::DenseI64ArrayAttr::get(getContext(), order);
  }

  static DictionaryAttr withOrder(DictionaryAttr attrs,
                                  mlir::DenseI64ArrayAttr order) {
    if (!order)
      return attrs;
    mlir::NamedAttrList list(attrs);
    list.set(kOutputOrderAttrName, order);
    return list.getDictionary(attrs.getContext());
  }

  DictionaryAttr makeInput(InputKind kind, StringRef name, StringAttr path,
                           Attribute value = {}) const {
    Builder builder(getContext());
    auto attr = InputAttr::get(getContext(), kind, builder.getStringAttr(name),
                               path, /*requires_grad=*/false, {}, value, {});
    return builder.getDictionaryAttr(
        builder.getNamedAttr(kInputAttrName, attr));
  }

  DictionaryAttr makeOutput(OutputKind kind, StringRef prefix, StringAttr of,
                            StringAttr target) const {
    Builder builder(getContext());
    StringAttr name = of ? builder.getStringAttr(prefix + "_" + of.getValue())
                         : (target ? target : builder.getStringAttr(prefix));
    auto attr = OutputAttr::get(getContext(), kind, name, {}, target, {});
    return builder.getDictionaryAttr(
        builder.getNamedAttr(kOutputAttrName, attr));
  }
};

} // namespace

void registerDerivatives(mlir::DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, AtenDialect *dialect) {
    for (const OpInfo *info : getAllOverloads())
      if (auto name = mlir::RegisteredOperationName::lookup(info->name, context))
        name->attachInterface<VjpModel, RecomputeModel>();
    dialect->addInterfaces<AtenGradientInterface>();
  });
}

} // namespace kiln::aten

//===- GradientTest.cpp - Gradients and decompositions by value -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function of test/Inputs/Gradients/*.mlir is run on the eager operators
// in four ways: as it is, decomposed to the core set, decomposed for loops, and
// as forward and backward of a training step. The first three must agree, and
// the gradients must agree with central differences of the first.
//
// All is f64, so that the differences have ten digits and a tolerance of 1e-6
// tells a wrong formula from rounding. A rule that no function reaches fails
// the test by name.
//
// Functions whose rules take complex numbers are run on those too, with f64
// replaced by complex<f64>; complex.mlir holds what mixes the two. A gradient
// has in its real and imaginary part the slopes along these, as PyTorch's.
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/Derivatives/Derivatives.h"
#include "kiln/Dialect/Aten/IR/AtenBase.h"
#include "kiln/Dialect/Aten/Transforms/Passes.h"
#include "kiln/Dialect/Guard/IR/Guard.h"
#include "kiln/Dialect/Joint/IR/Joint.h"
#include "kiln/Dialect/Joint/Transforms/Passes.h"
#include "kiln/Eager/Registry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include "gtest/gtest.h"

#include <cmath>
#include <complex>
#include <cstdlib>
#include <random>

using namespace kiln;
using mlir::func::FuncOp;
using runtime::OpValue;
using runtime::Tensor;

namespace {

/// Runs functions of aten ops on the eager operators.
class Evaluator {
public:
  Evaluator() {
    Status status = eager::registerAll(registry);
    EXPECT_TRUE(status) << status.error().message;
  }

  /// The results; none after a failure, which is the test's unless `mayRefuse`.
  std::vector<OpValue> run(FuncOp func, std::vector<OpValue> arguments,
                           bool mayRefuse = false) {
    isQuiet = mayRefuse;
    DenseMap<Value, OpValue> values;
    for (auto [argument, value] : llvm::zip(func.getArguments(), arguments))
      values[argument] = value;
    for (Operation &op : func.getBody().front().without_terminator())
      if (!step(&op, values))
        return {};
    std::vector<OpValue> results;
    for (Value value : func.getBody().front().getTerminator()->getOperands())
      results.push_back(values[value]);
    return results;
  }

private:
  bool step(Operation *op, DenseMap<Value, OpValue> &values);
  static OpValue fromAttribute(Attribute attr);
  static OpValue fromDense(mlir::DenseElementsAttr attr);

  runtime::OperatorRegistry registry;
  bool isQuiet = false;
};

DType dtypeOf(Type type) {
  if (type.isF64())
    return DType::F64;
  if (type.isF32())
    return DType::F32;
  if (type.isBF16())
    return DType::BF16;
  if (llvm::isa<mlir::ComplexType>(type))
    return DType::C128;
  return type.isInteger(1)    ? DType::Bool
         : type.isInteger(32) ? DType::I32
                              : DType::I64;
}

OpValue Evaluator::fromDense(mlir::DenseElementsAttr attr) {
  auto type = llvm::cast<RankedTensorType>(attr.getType());
  std::vector<int64_t> sizes(type.getShape().begin(), type.getShape().end());
  auto tensor = Tensor::empty(dtypeOf(type.getElementType()), sizes);
  int64_t i = 0;
  if (type.getElementType().isF64())
    for (double value : attr.getValues<double>())
      tensor->dataAs<double>()[i++] = value;
  else if (type.getElementType().isInteger(1))
    for (bool value : attr.getValues<bool>())
      tensor->dataAs<bool>()[i++] = value;
  else
    for (llvm::APInt value : attr.getValues<llvm::APInt>())
      tensor->dataAs<int64_t>()[i++] = value.getSExtValue();
  return *tensor;
}

OpValue Evaluator::fromAttribute(Attribute attr) {
  if (auto boolean = llvm::dyn_cast<mlir::BoolAttr>(attr))
    return boolean.getValue();
  if (auto integer = llvm::dyn_cast<mlir::IntegerAttr>(attr))
    return integer.getInt();
  if (auto real = llvm::dyn_cast<mlir::FloatAttr>(attr))
    return real.getValueAsDouble();
  if (auto text = llvm::dyn_cast<StringAttr>(attr))
    return text.str();
  if (auto type = llvm::dyn_cast<mlir::TypeAttr>(attr))
    return dtypeOf(type.getValue());
  if (auto expr = llvm::dyn_cast<guard::ExprAttr>(attr)) {
    if (expr.isFloatConstant())
      return expr.getFloat();
    return *expr.getConstant();
  }
  OpValue::List list;
  if (auto shape = llvm::dyn_cast<guard::ShapeAttr>(attr))
    for (guard::ExprAttr expr : shape)
      list.push_back(*expr.getConstant());
  else if (auto ints = llvm::dyn_cast<mlir::DenseI64ArrayAttr>(attr))
    for (int64_t value : ints.asArrayRef())
      list.push_back(value);
  else if (auto bools = llvm::dyn_cast<mlir::DenseBoolArrayAttr>(attr))
    for (bool value : bools.asArrayRef())
      list.push_back(value);
  else
    ADD_FAILURE() << "an attribute of an unexpected kind";
  return list;
}

bool Evaluator::step(Operation *op, DenseMap<Value, OpValue> &values) {
  if (auto constant = llvm::dyn_cast<mlir::arith::ConstantOp>(op)) {
    auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue());
    values[constant] =
        dense ? fromDense(dense) : fromAttribute(constant.getValue());
    return true;
  }
  if (auto constant = llvm::dyn_cast<mlir::complex::ConstantOp>(op)) {
    auto part = [&](unsigned i) {
      return llvm::cast<mlir::FloatAttr>(constant.getValue()[i])
          .getValueAsDouble();
    };
    values[constant] = std::complex<double>(part(0), part(1));
    return true;
  }
  if (auto value = llvm::dyn_cast<guard::ValueOp>(op)) {
    values[value] = fromAttribute(value.getExpr());
    return true;
  }
  const aten::OpInfo *info = aten::getOpInfo(op);
  if (!info) {
    ADD_FAILURE() << "no ATen op: " << op->getName().getStringRef().str();
    return false;
  }
  runtime::OpArguments arguments;
  for (auto [arg, given] :
       llvm::zip(info->args, aten::getSchemaArguments(op))) {
    bool isMeta = arg.kind == aten::ArgKind::Layout ||
                  arg.kind == aten::ArgKind::Device ||
                  arg.kind == aten::ArgKind::MemoryFormat;
    Attribute attr = given.getAttribute();
    if (given.isNone() && !isMeta)
      attr = aten::getDefault(op->getContext(), arg);
    if (isMeta || (given.isNone() && !attr)) {
      arguments.emplace_back();
    } else if (given.isList()) {
      OpValue::List list;
      for (Value value : given.getValues())
        list.push_back(value ? values[value] : OpValue());
      arguments.push_back(list);
    } else if (given.isValue()) {
      arguments.push_back(values[given.getValue()]);
    } else {
      arguments.push_back(fromAttribute(attr));
    }
  }
  // Tensors of the IR have no layout: a view may have to copy.
  std::string name = info->name;
  if (name == "aten.view")
    name = "aten.reshape";
  runtime::OpFunction function = registry.find(name);
  if (!function)
    function = registry.find(name + ".default");
  if (!function) {
    ADD_FAILURE() << "no eager operator " << info->name;
    return false;
  }
  auto results = function(arguments);
  if (!results) {
    if (!isQuiet)
      ADD_FAILURE() << info->name << ": " << results.error().message;
    return false;
  }
  std::vector<OpValue> flat = *results;
  if (flat.size() == 1)
    if (auto *list = std::get_if<OpValue::List>(&flat.front().value)) {
      std::vector<OpValue> inner = *list;
      flat = inner;
    }
  for (auto [result, value] : llvm::zip(op->getResults(), flat))
    values[result] = value;
  return true;
}

int64_t numDoubles(const Tensor &tensor) {
  return tensor.dtype() == DType::C128 ? 2 * tensor.numel() : tensor.numel();
}

/// The elements of a tensor as doubles, row-major, the real part before the
/// imaginary one; empty for integers.
std::vector<double> elementsOf(const OpValue &value) {
  std::vector<double> elements;
  const Tensor *tensor = std::get_if<Tensor>(&value.value);
  if (!tensor ||
      (tensor->dtype() != DType::F64 && tensor->dtype() != DType::C128))
    return elements;
  Tensor dense = *tensor->contiguous();
  elements.assign(dense.dataAs<double>(),
                  dense.dataAs<double>() + numDoubles(dense));
  return elements;
}

class GradientTest : public ::testing::Test {
protected:
  GradientTest() {
    mlir::DialectRegistry registry;
    registry.insert<aten::AtenDialect, guard::GuardDialect, joint::JointDialect,
                    mlir::func::FuncDialect, mlir::arith::ArithDialect,
                    mlir::complex::ComplexDialect>();
    aten::registerDerivatives(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  mlir::OwningOpRef<ModuleOp>
  runPasses(StringRef source, function_ref<void(OpPassManager &)> build) {
    auto module = mlir::parseSourceString<ModuleOp>(source, &context);
    if (!module)
      return module;
    describeArguments(module->lookupSymbol<FuncOp>("main"));
    mlir::PassManager pm(&context);
    build(pm);
    if (failed(pm.run(*module)))
      return nullptr;
    return module;
  }

  /// Arguments that say nothing are inputs `a0`, `a1`... that want gradients.
  void describeArguments(FuncOp func) {
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      if (!func.getArgAttr(i, aten::kInputAttrName))
        func.setArgAttr(
            i, aten::kInputAttrName,
            aten::InputAttr::get(
                &context, aten::InputKind::UserInput,
                StringAttr::get(&context, "a" + llvm::Twine(i)), {},
                /*requires_grad=*/true, {}, {}, {}));
  }

  Tensor randomTensor(Type type, std::mt19937 &random, double low,
                      double high) {
    auto tensorType = llvm::cast<RankedTensorType>(type);
    std::vector<int64_t> sizes(tensorType.getShape().begin(),
                               tensorType.getShape().end());
    Tensor tensor = *Tensor::empty(dtypeOf(tensorType.getElementType()), sizes);
    std::uniform_real_distribution<double> distribution(low, high);
    for (int64_t i = 0; i < numDoubles(tensor); ++i)
      tensor.dataAs<double>()[i] = distribution(random);
    return tensor;
  }

  void check(StringRef source, double low, double high, bool mayRefuse = false);
  void checkComplex(StringRef source);
  void checkTraining(StringRef source, FuncOp original,
                     const std::vector<OpValue> &inputs,
                     const std::vector<OpValue> &tangents);

  mlir::MLIRContext context;
  Evaluator evaluator;
  int64_t numGradients = 0;
  llvm::StringSet<> covered; ///< ops whose gradients were compared
  llvm::StringSet<> coveredComplex; ///< the same, of complex numbers
};

void expectClose(const std::vector<double> &found,
                 const std::vector<double> &expected, const char *what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(expected[i]) && std::isnan(found[i]))
      continue;
    double scale = std::max(1.0, std::fabs(expected[i]));
    EXPECT_NEAR(found[i], expected[i], 1e-6 * scale)
        << what << ", element " << i;
  }
}

/// The sum of the outputs, weighted by their tangents.
double weigh(const std::vector<OpValue> &outputs,
             const std::vector<OpValue> &tangents) {
  double sum = 0;
  for (auto [output, tangent] : llvm::zip(outputs, tangents)) {
    std::vector<double> a = elementsOf(output), b = elementsOf(tangent);
    for (size_t i = 0; i < a.size(); ++i)
      sum += a[i] * b[i];
  }
  return sum;
}

void GradientTest::checkTraining(StringRef source, FuncOp original,
                                 const std::vector<OpValue> &inputs,
                                 const std::vector<OpValue> &tangents) {
  for (const char *to : {"", "core", "loop"}) {
    SCOPED_TRACE(std::string("gradient, decomposed: ") + to);
    auto module = runPasses(source, [&](OpPassManager &pm) {
      if (*to)
        pm.addPass(aten::createAtenDecomposePass());
      pm.addPass(joint::createJointDifferentiatePass());
      pm.addPass(aten::createAtenSimplifyPass());
      pm.addPass(mlir::createCanonicalizerPass());
      pm.addPass(mlir::createCSEPass());
      pm.addPass(joint::createJointPartitionPass());
      if (StringRef(to) == "loop") {
        aten::AtenDecomposePassOptions options;
        options.to = "loop";
        pm.addPass(aten::createAtenDecomposePass(options));
        pm.addPass(mlir::createCanonicalizerPass());
      }
    });
    ASSERT_TRUE(module);
    auto forward = module->lookupSymbol<FuncOp>("forward");
    auto backward = module->lookupSymbol<FuncOp>("backward");
    std::vector<OpValue> outputs = evaluator.run(forward, inputs);
    ASSERT_EQ(outputs.size(), forward.getNumResults());
    unsigned numSaved = forward.getNumResults() - original.getNumResults();

    std::vector<OpValue> arguments(
        outputs.begin() + original.getNumResults(), outputs.end());
    std::vector<OpValue> given;
    for (auto [i, type] : llvm::enumerate(original.getResultTypes()))
      if (!elementsOf(tangents[i]).empty())
        given.push_back(tangents[i]);
    size_t next = 0;
    for (unsigned i = numSaved; i < backward.getNumArguments(); ++i) {
      auto input = llvm::cast<aten::InputAttr>(
          backward.getArgAttr(i, aten::kInputAttrName));
      if (input.getKind() == aten::InputKind::Tangent) {
        ASSERT_LT(next, given.size());
        arguments.push_back(given[next++]);
        continue;
      }
      arguments.push_back(inputs[std::atoi(input.getName().str().c_str() + 1)]);
    }
    std::vector<OpValue> gradients = evaluator.run(backward, arguments);
    ASSERT_EQ(gradients.size(), backward.getNumResults());

    for (auto [i, gradient] : llvm::enumerate(gradients)) {
      auto output = llvm::cast<aten::OutputAttr>(
          backward.getResultAttr(i, aten::kOutputAttrName));
      int which = std::atoi(output.getTarget().str().c_str() + 1);
      SCOPED_TRACE("input " + std::to_string(which));
      const Tensor &input = std::get<Tensor>(inputs[which].value);
      std::vector<double> expected;
      constexpr double step = 1e-5;
      for (int64_t j = 0; j < numDoubles(input); ++j) {
        double old = input.dataAs<double>()[j];
        input.dataAs<double>()[j] = old + step;
        double above = weigh(evaluator.run(original, inputs), tangents);
        input.dataAs<double>()[j] = old - step;
        double below = weigh(evaluator.run(original, inputs), tangents);
        input.dataAs<double>()[j] = old;
        expected.push_back((above - below) / (2 * step));
      }
      expectClose(elementsOf(gradient), expected, "gradient");
      ++numGradients;
    }
  }
}

bool isComplexOp(Operation *op) {
  auto isComplex = [](Type type) {
    return llvm::isa<mlir::ComplexType>(mlir::getElementTypeOrSelf(type));
  };
  return llvm::any_of(op->getOperandTypes(), isComplex) ||
         llvm::any_of(op->getResultTypes(), isComplex);
}

void GradientTest::check(StringRef source, double low, double high,
                         bool mayRefuse) {
  SCOPED_TRACE(source.str());
  std::mt19937 random(5);
  auto module = runPasses(source, [](OpPassManager &) {});
  ASSERT_TRUE(module);
  auto original = module->lookupSymbol<FuncOp>("main");
  std::vector<OpValue> inputs, tangents;
  for (Type type : original.getArgumentTypes())
    inputs.push_back(randomTensor(type, random, low, high));
  for (Type type : original.getResultTypes())
    tangents.push_back(llvm::isa<mlir::Float64Type, mlir::ComplexType>(
                           mlir::getElementTypeOrSelf(type))
                           ? OpValue(randomTensor(type, random, 0.5, 1.5))
                           : OpValue());
  std::vector<OpValue> outputs = evaluator.run(original, inputs, mayRefuse);
  if (mayRefuse && outputs.empty())
    return;
  ASSERT_EQ(outputs.size(), original.getNumResults());
  // Outside of its domain an op has neither value nor slope to compare.
  for (const OpValue &output : outputs)
    for (double element : elementsOf(output))
      if (!std::isfinite(element))
        return;

  for (const char *to : {"core", "loop"}) {
    SCOPED_TRACE(std::string("decomposed to ") + to);
    auto decomposed = runPasses(source, [&](OpPassManager &pm) {
      aten::AtenDecomposePassOptions options;
      options.to = to;
      pm.addPass(aten::createAtenDecomposePass(options));
      pm.addPass(mlir::createCanonicalizerPass());
    });
    ASSERT_TRUE(decomposed);
    std::vector<OpValue> found =
        evaluator.run(decomposed->lookupSymbol<FuncOp>("main"), inputs);
    ASSERT_EQ(found.size(), outputs.size());
    for (size_t i = 0; i < found.size(); ++i)
      expectClose(elementsOf(found[i]), elementsOf(outputs[i]), "value");
  }
  int64_t before = numGradients;
  checkTraining(source, original, inputs, tangents);
  if (numGradients > before)
    for (Operation &op : original.getBody().front().without_terminator()) {
      covered.insert(op.getName().getStringRef());
      if (isComplexOp(&op))
        coveredComplex.insert(op.getName().getStringRef());
    }
}

/// The function on complex numbers, if that is one and its rules take them.
void GradientTest::checkComplex(StringRef source) {
  if (source.contains("complex"))
    return;
  std::string text = source.str();
  for (StringRef before : {"xf64>", "tensor<f64>", "= f64"}) {
    std::string after = before.str();
    after.replace(after.find("f64"), 3, "complex<f64>");
    for (size_t at = 0; (at = text.find(before.str(), at)) != text.npos;
         at += after.size())
      text.replace(at, before.size(), after);
  }
  {
    mlir::ScopedDiagnosticHandler quiet(
        &context, [](mlir::Diagnostic &) { return success(); });
    auto module = mlir::parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return;
    for (Operation &op : module->lookupSymbol<FuncOp>("main").getOps()) {
      const aten::OpInfo *info = aten::getOpInfo(&op);
      const aten::VjpEntry *entry =
          info ? aten::lookUpDerivative(*info) : nullptr;
      if (entry && entry->rule && !entry->takesComplex && isComplexOp(&op))
        return;
    }
  }
  check(text, 0.1, 0.9, /*mayRefuse=*/true);
  check(text, -0.9, 0.9, /*mayRefuse=*/true);
}

/// Each addition of bf16 would lose what is below 1/256 of the sum, which would
/// stay at 256.
TEST_F(GradientTest, RoundsALongSumOnce) {
  constexpr int numUses = 300;
  std::string source =
      "func.func @main(%a0: tensor<4xbf16>) -> tensor<4xbf16> {\n"
      "  %v1 = aten.neg(%a0) : (tensor<4xbf16>) -> tensor<4xbf16>\n";
  for (int i = 1; i < numUses; ++i)
    source += llvm::formatv("  %v{0} = aten.sub.Tensor(%v{1}, %a0) : "
                            "(tensor<4xbf16>, tensor<4xbf16>) -> "
                            "tensor<4xbf16>\n",
                            i + 1, i);
  source += llvm::formatv("  return %v{0} : tensor<4xbf16>\n}\n", numUses);
  auto module = runPasses(source, [&](OpPassManager &pm) {
    pm.addPass(joint::createJointDifferentiatePass());
    pm.addPass(joint::createJointPartitionPass());
  });
  ASSERT_TRUE(module);
  Tensor tangent = *Tensor::empty(DType::BF16, {4});
  std::fill_n(tangent.dataAs<uint16_t>(), 4, 0x3f80); // 1
  std::vector<OpValue> gradients =
      evaluator.run(module->lookupSymbol<FuncOp>("backward"), {tangent});
  ASSERT_EQ(gradients.size(), 1u);
  Tensor gradient = *std::get<Tensor>(gradients.front().value).contiguous();
  ASSERT_EQ(gradient.dtype(), DType::BF16);
  for (int64_t i = 0; i < 4; ++i)
    EXPECT_EQ(gradient.dataAs<uint16_t>()[i], 0xc396); // -300
}

/// Why a rule can not agree with finite differences; empty if it must.
StringRef whyUncovered(const aten::OpInfo &info) {
  const aten::VjpEntry *entry = aten::lookUpDerivative(info);
  if (!entry || !entry->rule || *entry->stopReason)
    return "no rule";
  if (info.isRandom)
    return "draws other numbers each time";
  if (StringRef(info.name) == "aten.as_strided_scatter")
    return "PyTorch's gradient is not the derivative";
  return "";
}

TEST_F(GradientTest, AgreesWithFiniteDifferences) {
  const char *folder = std::getenv("KILN_TEST_INPUTS");
  ASSERT_TRUE(folder) << "KILN_TEST_INPUTS is not set";
  int checked = 0;
  std::error_code error;
  std::vector<std::string> paths;
  for (llvm::sys::fs::directory_iterator
           it(std::string(folder) + "/Gradients", error),
       end;
       it != end && !error; it.increment(error))
    paths.push_back(it->path());
  ASSERT_FALSE(error) << error.message();
  llvm::sort(paths);
  for (const std::string &path : paths) {
    auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
    ASSERT_TRUE(file) << file.getError().message();
    SmallVector<StringRef> cases;
    (*file)->getBuffer().split(cases, "// -----\n");
    for (StringRef source : cases) {
      if (!source.contains("func.func"))
        continue;
      check(source, 0.1, 0.9);
      check(source, -0.9, 0.9);
      checkComplex(source);
      ++checked;
    }
  }
  EXPECT_GE(checked, 100);
  EXPECT_GE(numGradients, 500);
  for (const aten::OpInfo *info : aten::getAllOverloads())
    EXPECT_TRUE(!whyUncovered(*info).empty() || covered.contains(info->name))
        << info->name << " has a derivative that no case compares";
  for (const aten::OpInfo *info : aten::getAllOverloads()) {
    const aten::VjpEntry *entry = aten::lookUpDerivative(*info);
    EXPECT_TRUE(!whyUncovered(*info).empty() || !entry->takesComplex ||
                coveredComplex.contains(info->name))
        << info->name << " has a derivative that no complex case compares";
  }
}

} // namespace

//===- PT2Importer.cpp - torch.export archives as aten modules ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Import/PT2Importer.h"

#include "GraphImporter.h"

#include "kiln/Dialect/Aten/IR/OutputOrder.h"
#include "kiln/Dialect/Guard/IR/ElementTypes.h"
#include "kiln/Dialect/Guard/IR/Guard.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"

#include <set>

using namespace kiln;
using namespace kiln::pt2;
using archive::InputSpec;
using archive::OutputSpec;
using guard::ExprAttr;

void kiln::pt2::loadImportDialects(MLIRContext *context) {
  context->loadDialect<aten::AtenDialect, guard::GuardDialect,
                       mlir::arith::ArithDialect,
                       mlir::complex::ComplexDialect,
                       mlir::func::FuncDialect>();
}

namespace {

class ProgramImporter {
public:
  ProgramImporter(MLIRContext *context, const archive::ExportedProgram &program,
                  const ImportOptions &options)
      : program(program), options(options), b(context),
        shapes(context, options.specialization),
        graph(b, program.graph, shapes, options.operators) {}

  Result<mlir::OwningOpRef<ModuleOp>> run();

private:
  void addSymbols(ModuleOp module);
  Status addInputs();
  Status addInput(const InputSpec &spec);
  Status addOutputs();
  Status addOutput(const OutputSpec &spec);
  void addOrder(const archive::TensorMeta &meta);
  Attribute toAttribute(const archive::ConstantValue &constant);
  Result<SmallVector<Relation>> getRelations();
  StringAttr textOrNull(const std::string &text) {
    return text.empty() ? StringAttr() : b.getStringAttr(text);
  }
  void addResult(Value value, aten::OutputKind kind, const std::string &name,
                 const std::string &path, const std::string &target,
                 Attribute constant = {});

  /// An earlier parameter that is the same tensor; null if there is none.
  const InputSpec *findTied(const InputSpec &spec) const;

  const archive::ExportedProgram &program;
  const ImportOptions &options;
  OpBuilder b;
  SymbolicShapes shapes;
  GraphImporter graph;
  Block *entry = nullptr;
  SmallVector<Type> argumentTypes;
  SmallVector<Attribute> argumentAttrs, resultAttrs;
  SmallVector<Value> results;
  /// Guards name inputs by their source text, "L['x']".
  std::map<std::string, Binding> sources;
};

} // namespace

void ProgramImporter::addSymbols(ModuleOp module) {
  std::set<std::string> names;
  auto collect = [&](const archive::SymExprPtr &expr) {
    if (expr)
      archive::forEachSymbol(*expr,
                             [&](const std::string &name) {
                               names.insert(name);
                             });
  };
  std::function<void(const archive::Graph &)> visit =
      [&](const archive::Graph &graph) {
        for (const auto &[name, meta] : graph.tensors) {
          for (const archive::SymInt &size : meta.sizes)
            collect(size.expr);
          for (const archive::SymInt &stride : meta.strides)
            collect(stride.expr);
        }
        for (const auto &[name, value] : graph.symInts)
          collect(value.expr);
        for (const auto &[name, value] : graph.symFloats)
          collect(value.expr);
        for (const auto &[name, value] : graph.symBools)
          collect(value.expr);
        // Symbols are global to the file.
        for (const archive::Node &node : graph.nodes)
          for (const archive::NamedArgument &input : node.inputs)
            if (auto *nested = input.arg.as<archive::GraphArg>())
              visit(*nested->graph);
      };
  visit(program.graph);

  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  for (const std::string &name : names) {
    if (options.specialization.count(name))
      continue;
    bool isFloat = guard::isFloatSymbolName(name);
    bool unbacked =
        !name.empty() && (name[0] == 'u' || name.rfind("zu", 0) == 0);
    mlir::IntegerAttr min, max, hint;
    auto range = program.ranges.find(name);
    if (range != program.ranges.end() && !isFloat &&
        (range->second.min || range->second.max)) {
      min = b.getI64IntegerAttr(
          range->second.min.value_or(std::numeric_limits<int64_t>::min()));
      max = b.getI64IntegerAttr(
          range->second.max.value_or(std::numeric_limits<int64_t>::max()));
    }
    auto bound = options.lowerBounds.find(name);
    if (bound != options.lowerBounds.end() && !isFloat &&
        (!min || min.getInt() < bound->second)) {
      min = b.getI64IntegerAttr(bound->second);
      if (!max)
        max = b.getI64IntegerAttr(std::numeric_limits<int64_t>::max());
    }
    auto known = program.hints.find(name);
    if (known != program.hints.end())
      if (auto *integer = std::get_if<int64_t>(&known->second))
        hint = b.getI64IntegerAttr(*integer);
    guard::SymbolOp::create(b, module.getLoc(), b.getStringAttr(name),
                            unbacked ? b.getUnitAttr() : mlir::UnitAttr(),
                            isFloat ? b.getUnitAttr() : mlir::UnitAttr(), min,
                            max, hint);
  }
}

Attribute ProgramImporter::toAttribute(const archive::ConstantValue &constant) {
  if (auto *flag = std::get_if<bool>(&constant))
    return b.getBoolAttr(*flag);
  if (auto *integer = std::get_if<int64_t>(&constant))
    return b.getI64IntegerAttr(*integer);
  if (auto *number = std::get_if<double>(&constant))
    return b.getF64FloatAttr(*number);
  if (auto *text = std::get_if<std::string>(&constant))
    return b.getStringAttr(*text);
  return b.getUnitAttr();
}

static aten::InputKind toKind(InputSpec::Kind kind) {
  switch (kind) {
  case InputSpec::Kind::Parameter:
    return aten::InputKind::Parameter;
  case InputSpec::Kind::Buffer:
    return aten::InputKind::Buffer;
  case InputSpec::Kind::TensorConstant:
    return aten::InputKind::Constant;
  case InputSpec::Kind::Token:
    return aten::InputKind::Token;
  default:
    return aten::InputKind::UserInput;
  }
}

const InputSpec *ProgramImporter::findTied(const InputSpec &spec) const {
  const archive::Weight *weight = program.weightOf(spec);
  if (spec.kind != InputSpec::Kind::Parameter || !weight)
    return nullptr;
  for (const InputSpec &other : program.inputs) {
    if (&other == &spec)
      break;
    const archive::Weight *known = program.weightOf(other);
    if (other.kind == spec.kind && known && known->isSameView(*weight))
      return &other;
  }
  return nullptr;
}

Status ProgramImporter::addInput(const InputSpec &spec) {
  MLIRContext *context = b.getContext();
  if (spec.kind == InputSpec::Kind::CustomObj)
    return Error::unsupported("a script object is an input");
  StringAttr name = textOrNull(spec.name);
  StringAttr path = textOrNull(spec.isCallerInput() ? spec.path : spec.target);
  aten::InputKind kind = toKind(spec.kind);
  Location loc = mlir::NameLoc::get(b.getStringAttr(spec.name));
  auto add = [&](Type type, aten::InputAttr attr) {
    argumentTypes.push_back(type);
    argumentAttrs.push_back(b.getDictionaryAttr(
        b.getNamedAttr(aten::kInputAttrName, attr)));
    return entry->addArgument(type, loc);
  };

  if (spec.kind == InputSpec::Kind::Token) {
    // Holds its place; nodes are in order without it.
    add(b.getNoneType(), aten::InputAttr::get(context, kind, name, path, false,
                                              {}, b.getUnitAttr(), {}));
    graph.bind(spec.name, {});
    return Status::success();
  }
  if (spec.kind == InputSpec::Kind::ConstantInput) {
    add(b.getNoneType(),
        aten::InputAttr::get(context, kind, name, path, false, {},
                             toAttribute(spec.constant), {}));
    return Status::success();
  }
  if (!spec.isTensor) {
    auto it = program.graph.symInts.find(spec.name);
    if (it == program.graph.symInts.end())
      return Error::malformed("symbolic input without metadata");
    auto expr = shapes.convert(it->second);
    if (!expr)
      return expr.takeError();
    Value value = add(b.getI64Type(),
                      aten::InputAttr::get(context, kind, name, path, false,
                                           {}, *expr, {}));
    graph.bind(spec.name, {value, *expr, {}});
    sources[spec.source] = {value, *expr, {}};
    return Status::success();
  }

  const archive::TensorMeta *meta = program.graph.tensor(spec.name);
  if (!meta)
    return Error::malformed("no tensor metadata");
  auto type = graph.typeOf(*meta);
  if (!type)
    return type.takeError();
  bool requiresGrad =
      meta->requiresGrad ||
      (kind == aten::InputKind::UserInput &&
       llvm::is_contained(options.gradientInputs, spec.path));
  guard::ShapeAttr strides;
  // Strides that were not understood do not matter: a caller's tensor is laid
  // out anew where it does not fit.
  if (meta->stridesKnown) {
    auto exprs = shapes.convert(meta->strides);
    if (!exprs)
      return exprs.takeError();
    if (*exprs != guard::getContiguousStrides(context, *guard::getDims(*type)))
      strides = guard::ShapeAttr::get(context, *exprs);
  }
  Value value = add(*type, aten::InputAttr::get(context, kind, name, path,
                                                requiresGrad, strides, {}, {}));
  auto offset = shapes.convert(meta->storageOffset);
  if (!offset || !offset->isConstant(0))
    argumentAttrs.back() = b.getDictionaryAttr(
        {b.getNamedAttr(aten::kStorageOffsetAttrName,
                        offset ? Attribute(*offset) : b.getUnitAttr()),
         *llvm::cast<mlir::DictionaryAttr>(argumentAttrs.back()).begin()});
  // Of a parameter with two names the first one counts: uses of both are uses of
  // it, so that it has one gradient and one update.
  if (const InputSpec *first = findTied(spec))
    graph.bindAgain(spec.name, first->name);
  else
    graph.bindTensor(spec.name, value);
  if (spec.isCallerInput())
    sources[spec.source] = {value, {}, {}};
  return Status::success();
}

Status ProgramImporter::addInputs() {
  for (const InputSpec &spec : program.inputs)
    if (Status s = addInput(spec); !s)
      return s.error().withContext("input '" + spec.name + "'");
  return Status::success();
}

void ProgramImporter::addResult(Value value, aten::OutputKind kind,
                                const std::string &name,
                                const std::string &path,
                                const std::string &target, Attribute constant) {
  results.push_back(value);
  auto attr =
      aten::OutputAttr::get(b.getContext(), kind, textOrNull(name),
                            b.getStringAttr(path), textOrNull(target),
                            constant);
  resultAttrs.push_back(
      b.getDictionaryAttr(b.getNamedAttr(aten::kOutputAttrName, attr)));
}

static aten::OutputKind toKind(OutputSpec::Kind kind) {
  switch (kind) {
  case OutputSpec::Kind::Loss:
    return aten::OutputKind::Loss;
  case OutputSpec::Kind::BufferMutation:
    return aten::OutputKind::BufferMutation;
  case OutputSpec::Kind::ParameterMutation:
    return aten::OutputKind::ParameterMutation;
  case OutputSpec::Kind::UserInputMutation:
    return aten::OutputKind::InputMutation;
  case OutputSpec::Kind::GradientToParameter:
    return aten::OutputKind::ParameterGradient;
  case OutputSpec::Kind::GradientToUserInput:
    return aten::OutputKind::InputGradient;
  case OutputSpec::Kind::Token:
    return aten::OutputKind::Token;
  case OutputSpec::Kind::UserOutput:
    break;
  }
  return aten::OutputKind::UserOutput;
}

/// The dimensions of a tensor without gaps that is not row-major, the outermost first;
/// nothing for any other one.
static std::optional<SmallVector<int64_t>>
getRecordedOrder(ArrayRef<guard::ExprAttr> sizes,
                 ArrayRef<guard::ExprAttr> strides) {
  if (sizes.empty() || isContiguous(sizes, strides))
    return std::nullopt;
  SmallVector<int64_t> order;
  guard::ExprAttr expected = guard::getConstant(sizes[0].getContext(), 1);
  while (order.size() < sizes.size()) {
    // A dimension of one element has any stride: it comes first.
    std::optional<int64_t> next, single;
    for (int64_t dim = 0; dim < int64_t(sizes.size()); ++dim) {
      if (llvm::is_contained(order, dim))
        continue;
      if (sizes[dim].isConstant(1))
        single = dim;
      else if (strides[dim] == expected)
        next = dim;
    }
    if (!next)
      next = single;
    if (!next)
      return std::nullopt;
    order.push_back(*next);
    expected = expected * sizes[*next];
  }
  std::reverse(order.begin(), order.end());
  return order;
}

/// Says in what order the result at hand was recorded to lie.
void ProgramImporter::addOrder(const archive::TensorMeta &meta) {
  auto sizes = shapes.convert(meta.sizes), strides = shapes.convert(meta.strides);
  if (!meta.stridesKnown || !sizes || !strides)
    return;
  if (auto order = getRecordedOrder(*sizes, *strides))
    resultAttrs.back() = b.getDictionaryAttr(
        {*llvm::cast<mlir::DictionaryAttr>(resultAttrs.back()).begin(),
         b.getNamedAttr(aten::kOutputOrderAttrName,
                        b.getDenseI64ArrayAttr(*order))});
}

Status ProgramImporter::addOutput(const OutputSpec &spec) {
  std::string name;
  spec.arg.forEachName([&](const std::string &n) { name = n; });
  aten::OutputKind kind = toKind(spec.kind);
  if (!name.empty() && spec.kind != OutputSpec::Kind::Token) {
    auto value = graph.getValue(name);
    if (!value)
      return value.takeError();
    addResult(*value, kind, name, spec.path, spec.target);
    if (const archive::TensorMeta *meta = program.graph.tensor(name))
      addOrder(*meta);
    return Status::success();
  }
  // A constant: the operand is a placeholder, the attribute what is returned.
  archive::ConstantValue constant;
  if (auto *integer = spec.arg.as<int64_t>())
    constant = *integer;
  else if (auto *symbol = spec.arg.as<archive::SymIntArg>())
    constant = symbol->value;
  else if (auto *number = spec.arg.as<double>())
    constant = *number;
  else if (auto *flag = spec.arg.as<bool>())
    constant = *flag;
  else if (auto *text = spec.arg.as<std::string>())
    constant = *text;
  else if (!spec.arg.isNone() && spec.kind != OutputSpec::Kind::Token)
    return Error::unsupported("an output '" + std::string(spec.arg.tag()) +
                              "'");
  Value placeholder = mlir::arith::ConstantOp::create(
      b, b.getUnknownLoc(), b.getBoolAttr(false));
  addResult(placeholder, kind, "", spec.path, spec.target,
            toAttribute(constant));
  return Status::success();
}

Status ProgramImporter::addOutputs() {
  // Mutations that a training program leaves implicit come first, as in
  // functional programs.
  for (const auto &[name, value] : graph.mutations()) {
    for (const InputSpec &spec : program.inputs) {
      if (spec.name != name)
        continue;
      if (spec.kind == InputSpec::Kind::Buffer)
        addResult(value, aten::OutputKind::BufferMutation, name, "",
                  spec.target);
      else if (spec.kind == InputSpec::Kind::Parameter)
        addResult(value, aten::OutputKind::ParameterMutation, name, "",
                  spec.target);
      else if (spec.kind == InputSpec::Kind::UserInput)
        addResult(value, aten::OutputKind::InputMutation, name, "", spec.name);
      else
        return Error::unsupported("'" + spec.target +
                                  "' is changed in place, which constants may "
                                  "not be");
    }
  }
  for (auto [k, spec] : llvm::enumerate(program.outputs))
    if (Status s = addOutput(spec); !s)
      return s.error().withContext("output " + std::to_string(k));
  return Status::success();
}

/// Relations of `guards_code`; ones that cannot be read were skipped with a
/// warning when the archive was loaded.
Result<SmallVector<Relation>> ProgramImporter::getRelations() {
  SmallVector<Relation> relations;
  auto leaf = [&](const archive::SymExpr &expr) -> ExprAttr {
    auto it = sources.find(expr.name);
    if (it == sources.end())
      return {};
    const Binding &binding = it->second;
    if (expr.kind == archive::SymKind::InputValue)
      return binding.expr;
    auto type = binding.value ? llvm::dyn_cast<RankedTensorType>(
                                    binding.value.getType())
                              : RankedTensorType();
    if (expr.kind != archive::SymKind::InputSize || !type ||
        expr.integer < 0 || expr.integer >= type.getRank())
      return {};
    return (*guard::getDims(type))[expr.integer];
  };
  for (const archive::GuardCode &code : program.guards) {
    if (!code.expr)
      continue;
    auto expr = shapes.convert(*code.expr, leaf);
    if (expr)
      relations.push_back({*expr, code.text});
    else if (expr.error().kind != ErrorKind::Unsupported)
      return expr.error().withContext("guard '" + code.text + "'");
  }
  return relations;
}

Result<mlir::OwningOpRef<ModuleOp>> ProgramImporter::run() {
  MLIRContext *context = b.getContext();
  Location loc = mlir::FileLineColLoc::get(context, program.file, 0, 0);
  mlir::OwningOpRef<ModuleOp> module(ModuleOp::create(loc));
  addSymbols(*module);
  b.setInsertionPointToEnd(module->getBody());
  auto function = mlir::func::FuncOp::create(b, loc, "main",
                                             b.getFunctionType({}, {}));
  entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  if (Status s = addInputs(); !s)
    return s.takeError();
  // Of sizes that the program excludes its graph may make no sense.
  auto relations = getRelations();
  if (!relations)
    return relations.takeError();
  for (const Relation &relation : *relations)
    if (!options.specialization.empty() &&
        llvm::cast<ExprAttr>(relation.expr).isConstant(0))
      return Error::guard("the inputs are outside of what the model allows, "
                          "guard failure: expected " + relation.text);
  if (Status s = graph.importNodes(); !s)
    return s.takeError();
  if (Status s = addOutputs(); !s)
    return s.takeError();
  mlir::func::ReturnOp::create(b, loc, results);
  function.setFunctionType(
      b.getFunctionType(argumentTypes, ValueRange(results).getTypes()));
  function.setArgAttrsAttr(b.getArrayAttr(argumentAttrs));
  function.setResAttrsAttr(b.getArrayAttr(resultAttrs));
  auto dependsOnStrides = [&](StringRef input) {
    return graph.dependsOnStrides(input);
  };
  if (Status s = addGuardProgram(function, *relations, /*behind=*/{},
                                 dependsOnStrides);
      !s)
    return s.takeError();

  std::string complaint;
  mlir::ScopedDiagnosticHandler handler(
      context, [&](mlir::Diagnostic &diagnostic) {
        complaint += (complaint.empty() ? "" : "; ") + diagnostic.str();
        return success();
      });
  if (failed(mlir::verify(*module)))
    return Error::malformed("the graph does not verify: " + complaint);
  return std::move(module);
}

Result<mlir::OwningOpRef<ModuleOp>>
kiln::pt2::importExportedProgram(MLIRContext *context,
                                    const archive::ExportedProgram &program,
                                    const ImportOptions &options) {
  loadImportDialects(context);
  auto module = ProgramImporter(context, program, options).run();
  if (!module)
    return module.error().withContext(program.file);
  return module;
}

//===- Composites.cpp - Overloads that are made of others -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Composites.h"

#include "EagerSchemas.h"
#include "GraphImporter.h"

#include "kiln/Dialect/Aten/IR/AtenControlOps.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/StringSwitch.h"

using namespace kiln;
using namespace kiln::pt2;
using aten::ArgKind;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

aten::ArgValue Composite::arg(StringRef name) {
  for (auto [info, value] : llvm::zip_equal(infos, args))
    if (name == info.name)
      return value;
  return {};
}

Value Composite::tensor(StringRef name) {
  aten::ArgValue value = arg(name);
  return value.isValue() ? value.getValue() : Value();
}

Value Composite::scalar(StringRef name) {
  aten::ArgValue value = arg(name);
  if (value.isValue())
    return value.getValue();
  Attribute attribute = value.getAttribute();
  if (auto flag = llvm::dyn_cast_if_present<mlir::BoolAttr>(attribute))
    return number(flag.getValue());
  if (auto integer = llvm::dyn_cast_if_present<mlir::IntegerAttr>(attribute))
    return number(integer.getInt());
  if (auto real = llvm::dyn_cast_if_present<mlir::FloatAttr>(attribute))
    return number(real.getValueAsDouble());
  return {};
}

std::optional<double> Composite::known(StringRef name) {
  Attribute attribute = arg(name).getAttribute();
  if (arg(name).isValue() &&
      !mlir::matchPattern(arg(name).getValue(), mlir::m_Constant(&attribute)))
    return std::nullopt;
  if (auto flag = llvm::dyn_cast_if_present<mlir::BoolAttr>(attribute))
    return flag.getValue();
  if (auto integer = llvm::dyn_cast_if_present<mlir::IntegerAttr>(attribute))
    return double(integer.getInt());
  if (auto real = llvm::dyn_cast_if_present<mlir::FloatAttr>(attribute))
    return real.getValueAsDouble();
  return std::nullopt;
}

bool Composite::flag(StringRef name) { return known(name).value_or(0) != 0; }
int64_t Composite::integer(StringRef name) {
  return int64_t(known(name).value_or(0));
}
double Composite::real(StringRef name) { return known(name).value_or(0); }

StringRef Composite::text(StringRef name) {
  auto value =
      llvm::dyn_cast_if_present<mlir::StringAttr>(arg(name).getAttribute());
  return value ? value.getValue() : StringRef();
}

SmallVector<int64_t> Composite::list(StringRef name) {
  Attribute attribute = arg(name).getAttribute();
  if (auto values =
          llvm::dyn_cast_if_present<mlir::DenseI64ArrayAttr>(attribute))
    return SmallVector<int64_t>(values.asArrayRef());
  return {};
}

SmallVector<Composite::Expr> Composite::sizes(StringRef name) {
  Attribute attribute = arg(name).getAttribute();
  if (auto shape = llvm::dyn_cast_if_present<guard::ShapeAttr>(attribute))
    return SmallVector<Expr>(shape.getDims());
  return {};
}

Composite::Expr Composite::size(StringRef name) {
  return llvm::dyn_cast_if_present<Expr>(arg(name).getAttribute());
}

Type Composite::type(StringRef name) {
  auto value =
      llvm::dyn_cast_if_present<mlir::TypeAttr>(arg(name).getAttribute());
  return value ? value.getValue() : Type();
}

//===----------------------------------------------------------------------===//
// What several have in common
//===----------------------------------------------------------------------===//

Value Composite::refuse(const llvm::Twine &why) {
  if (reason.empty())
    reason = why.str();
  return {};
}

Value Composite::complain(const llvm::Twine &what) {
  if (complaint.empty())
    complaint = what.str();
  return {};
}

int64_t Composite::place(int64_t dim, int64_t rank) {
  int64_t wrapped = wrapDim(dim, rank);
  if (wrapped >= 0 && wrapped < rank)
    return wrapped;
  complain("expects a dimension of " + llvm::Twine(rank) + ", but found " +
           llvm::Twine(dim));
  return 0;
}

Composite::Expr Composite::dimOf(Value x, int64_t dim) {
  int64_t rank = rankOf(x), at = place(dim, rank);
  return at < rank ? AtenBuilder::dimOf(x, at) : expr(0);
}

Values Composite::callRecorded(StringRef overload,
                               ArrayRef<aten::ArgValue> args) {
  Operation *op =
      aten::buildAtenOp(getBuilder(), getLoc(),
                        *aten::lookUpOverload(overload), args, recorded);
  return op ? Values(op->getResults()) : Values();
}

void Composite::check(Value condition, StringRef message) {
  if (!condition)
    return;
  OpBuilder &b = getBuilder();
  Value all = call("aten.all", {condition});
  aten::OperatorOp::create(
      b, getLoc(), mlir::TypeRange(), "aten::_assert_async.msg", all,
      b.getArrayAttr({aten::OperandAttr::get(b.getContext(), 0),
                      b.getStringAttr(message)}));
}

Value Composite::unread(unsigned result, StringRef what) {
  if (result >= recorded.size() || isRead(result))
    return refuse(what + " are read");
  auto type = llvm::cast<RankedTensorType>(recorded[result]);
  auto dims = guard::getDims(type);
  return dims ? full(*dims, 0.0, type.getElementType()) : Value();
}

Value Composite::wrap(Value number, Value other) {
  if (!number || !other)
    return {};
  Type type = number.getType();
  if (llvm::isa<mlir::FloatType>(type) && !elementTypeOf(other).isF64())
    type = getBuilder().getF32Type();
  return full({}, number, type);
}

Value Composite::floating(Value x) {
  if (!x || llvm::isa<mlir::FloatType, mlir::ComplexType>(elementTypeOf(x)))
    return x;
  return cast(x, getBuilder().getF32Type());
}

Value Composite::clamp(Value x, double low) {
  if (!x)
    return x;
  Value bound = llvm::isa<mlir::FloatType>(elementTypeOf(x))
                    ? number(low)
                    : number(int64_t(low));
  return AtenBuilder::clamp(x, bound, Value());
}

Value Composite::reduce(Value losses, int64_t reduction) {
  return !losses || reduction == 0 ? losses
         : reduction == 1          ? meanAll(losses)
                                   : sumAll(losses);
}

//===----------------------------------------------------------------------===//
// Look-up
//===----------------------------------------------------------------------===//

static ArgKind getKind(StringRef type) {
  type.consume_back("?");
  if (type.starts_with("Tensor("))
    type = type.ends_with("[]") ? "Tensor[]" : "Tensor";
  if (type.ends_with("]") && !type.ends_with("[]")) { // int[2]
    StringRef element = type.rsplit('[').first;
    type = element == "SymInt" ? "SymInt[]" : "int[]";
  }
  return llvm::StringSwitch<ArgKind>(type)
      .Case("Tensor", ArgKind::Tensor)
      .Case("Tensor[]", ArgKind::TensorList)
      .Case("Tensor?[]", ArgKind::OptionalTensorList)
      .Case("Scalar", ArgKind::Number)
      .Case("int", ArgKind::Int)
      .Case("SymInt", ArgKind::SymInt)
      .Case("bool", ArgKind::Bool)
      .Case("float", ArgKind::Float)
      .Case("str", ArgKind::String)
      .Case("ScalarType", ArgKind::DType)
      .Case("int[]", ArgKind::IntList)
      .Case("SymInt[]", ArgKind::SymIntList)
      .Case("bool[]", ArgKind::BoolList)
      .Case("float[]", ArgKind::FloatList)
      .Case("Layout", ArgKind::Layout)
      .Case("Device", ArgKind::Device)
      .Case("MemoryFormat", ArgKind::MemoryFormat)
      .Default(ArgKind::Generator);
}

void CompositeTable::add(StringRef schema, Values (*build)(Composite &)) {
  CompositeEntry &entry = entries[overloadOf(schema)];
  entry.build = build;
  entry.schema = schema.str();
  auto keep = [&](StringRef text) {
    return texts.emplace_back(text.str()).c_str();
  };
  for (const SchemaArgument &argument : parseSchema(schema).arguments)
    entry.args.push_back(
        {keep(argument.name), getKind(argument.type),
         argument.isOptional() || argument.defaultText, /*promotes=*/false,
         argument.defaultText ? keep(*argument.defaultText) : nullptr,
         argument.listSize()});
}

const CompositeEntry *pt2::lookUpComposite(StringRef overload) {
  static const CompositeTable table = [] {
    CompositeTable table;
    addCompositeViews(table);
    addCompositeMath(table);
    addCompositeLayers(table);
    addCompositeLinalg(table);
    addCompositeCtc(table);
    addCompositeQuantize(table);
    addCompositeSpectra(table);
    return table;
  }();
  return table.find(overload);
}

/// Other names of operators whose overloads have the same names and arguments.
static const std::pair<StringRef, StringRef> kAliases[] = {
    {"absolute", "abs"},
    {"arccos", "acos"},
    {"arccosh", "acosh"},
    {"arcsin", "asin"},
    {"arcsinh", "asinh"},
    {"arctan", "atan"},
    {"arctan2", "atan2"},
    {"arctanh", "atanh"},
    {"argwhere", "nonzero"},
    {"broadcast_to", "expand"},
    {"clip", "clamp"},
    {"concat", "cat"},
    {"concatenate", "cat"},
    {"divide", "div"},
    {"fix", "trunc"},
    {"ger", "outer"},
    {"greater", "gt"},
    {"greater_equal", "ge"},
    {"less", "lt"},
    {"less_equal", "le"},
    {"linalg_matmul", "matmul"},
    {"matrix_power", "linalg_matrix_power"},
    {"moveaxis", "movedim"},
    {"multiply", "mul"},
    {"negative", "neg"},
    {"not_equal", "ne"},
    {"row_stack", "vstack"},
    {"special_digamma", "digamma"},
    {"special_erf", "erf"},
    {"special_erfc", "erfc"},
    {"special_erfinv", "erfinv"},
    {"special_exp2", "exp2"},
    {"special_expit", "sigmoid"},
    {"special_expm1", "expm1"},
    {"special_gammaln", "lgamma"},
    {"special_log1p", "log1p"},
    {"special_logit", "logit"},
    {"special_logsumexp", "logsumexp"},
    {"special_multigammaln", "mvlgamma"},
    {"special_psi", "digamma"},
    {"special_sinc", "sinc"},
    {"subtract", "sub"},
    {"trapz", "trapezoid"},
};

std::string pt2::canonicalOverload(StringRef overload) {
  static const std::pair<StringRef, StringRef> whole[] = {
      {"aten.__and__.Scalar", "aten.bitwise_and.Scalar"},
      {"aten.__lshift__.Tensor", "aten.bitwise_left_shift.Tensor"},
      {"aten.__or__.Scalar", "aten.bitwise_or.Scalar"},
      {"aten.__rshift__.Tensor", "aten.bitwise_right_shift.Tensor"},
      {"aten.__xor__.Scalar", "aten.bitwise_xor.Scalar"},
      {"aten._conj_physical.default", "aten.conj_physical.default"},
      {"aten._logcumsumexp.default", "aten.logcumsumexp.default"},
      {"aten.special_log_softmax.default", "aten.log_softmax.int"},
      {"aten.special_softmax.default", "aten.softmax.int"},
      {"aten.special_xlogy.default", "aten.xlogy.Tensor"},
      {"aten.special_xlogy.other_scalar", "aten.xlogy.Scalar_Other"},
      {"aten.special_xlogy.self_scalar", "aten.xlogy.Scalar_Self"},
      {"aten.swapdims.default", "aten.transpose.int"},
      {"aten.true_divide.Scalar", "aten.div.Scalar"},
  };
  for (auto [name, other] : whole)
    if (overload == name)
      return other.str();
  auto [space, rest] = overload.split('.');
  auto [name, variant] = rest.split('.');
  for (auto [alias, other] : kAliases)
    if (name == alias)
      return (space + "." + other + "." + variant).str();
  return overload.str();
}

const aten::OpInfo *pt2::lookUpCopiedView(StringRef overload) {
  auto [head, variant] = overload.rsplit('.');
  if (!head.consume_back("_copy"))
    return nullptr;
  const aten::OpInfo *info =
      aten::lookUpOverload((head + "." + variant).str());
  return info && info->isView ? info : nullptr;
}

//===----------------------------------------------------------------------===//
// Import
//===----------------------------------------------------------------------===//

/// Composes the values of a node.
Status GraphImporter::importComposite(const archive::Node &node,
                                      const CompositeEntry &entry) {
  SmallVector<aten::ArgValue> args;
  if (Status s = convertArguments(node, entry.schema, entry.args, args); !s)
    return s;
  auto recorded = recordedTypes(node);
  if (!recorded)
    return recorded.takeError();
  for (auto [arg, info] : llvm::zip_equal(args, entry.args))
    if (arg.isNone())
      arg = aten::getDefault(b.getContext(), info);
  std::string complaint;
  std::vector<std::string> names;
  for (const archive::Argument &output : node.outputs)
    output.forEachName([&](const std::string &name) { names.push_back(name); });
  auto isRead = [&](unsigned result) { return this->isRead(names[result]); };
  Composite composite(b, locationOf(node), entry.args, args, *recorded, isRead);
  Values values;
  {
    mlir::ScopedDiagnosticHandler handler(
        b.getContext(), [&](mlir::Diagnostic &diagnostic) {
          complaint += (complaint.empty() ? "" : "; ") + diagnostic.str();
          return success();
        });
    values = entry.build(composite);
  }
  if (!composite.getComplaint().empty())
    return Error::malformed(composite.getComplaint().str());
  if (!composite.getReason().empty())
    return Error::unsupported(composite.getReason().str());
  // A check has no results.
  bool isMissing = values.empty() && !names.empty();
  if (isMissing || llvm::is_contained(values, Value()) || !complaint.empty())
    return Error::malformed(complaint.empty() ? "arguments do not fit"
                                              : complaint);
  return bindValues(node, values);
}

bool GraphImporter::isRead(const std::string &name) const {
  bool found = false;
  auto look = [&](const std::string &read) { found |= read == name; };
  for (const archive::Node &node : graph.nodes)
    for (const archive::NamedArgument &input : node.inputs)
      input.arg.forEachName(look);
  for (const archive::Argument &output : graph.outputs)
    output.forEachName(look);
  return found;
}

/// What `permute_copy` gives is a copy of what `permute` gives.
Status GraphImporter::importCopiedView(const archive::Node &node,
                                       const aten::OpInfo &view) {
  SmallVector<aten::ArgValue> args;
  if (Status s = convertArguments(node, view.schema, view.args, args); !s)
    return s;
  aten::AtenBuilder builder(b, locationOf(node));
  std::string complaint;
  Values values;
  {
    mlir::ScopedDiagnosticHandler handler(
        b.getContext(), [&](mlir::Diagnostic &diagnostic) {
          complaint += (complaint.empty() ? "" : "; ") + diagnostic.str();
          return success();
        });
    for (Value value : builder.callMany(view.name, args))
      values.push_back(builder.clone(value));
  }
  if (values.empty())
    return Error::malformed(complaint.empty() ? "arguments do not fit"
                                              : complaint);
  return bindValues(node, values);
}

/// Binds composed values to the results of a node. One that is reached from an
/// operand through views looks at its memory.
Status GraphImporter::bindValues(const archive::Node &node,
                                 ArrayRef<Value> values) {
  if (!changing.empty()) {
    auto value = fitContents(values.front(), /*isFixed=*/false, changing);
    if (!value)
      return value.takeError();
    if (Status s = setContents(changing, *value); !s)
      return s;
    return bindChanged(node);
  }
  llvm::DenseMap<Value, Functionalizer::Tensor> operands;
  for (const archive::NamedArgument &input : node.inputs)
    input.arg.forEachName([&](const std::string &name) {
      auto it = bindings.find(name);
      if (it != bindings.end() && it->second.tensor)
        operands.try_emplace(states.read(*it->second.tensor),
                             *it->second.tensor);
    });
  size_t next = 0;
  Status status = Status::success();
  auto bindOne = [&](const std::string &name) {
    if (!status)
      return;
    if (next == values.size()) {
      status = Error::malformed("result '" + name + "' is one more than the "
                                "operator has");
      return;
    }
    Value value = values[next++];
    status = checkRecorded(name, value, /*mayDifferInOnes=*/false);
    if (!status)
      return;
    SmallVector<mlir::OpResult> path;
    while (!operands.contains(value)) {
      auto result = llvm::dyn_cast<mlir::OpResult>(value);
      const aten::OpInfo *info =
          result ? aten::getOpInfo(result.getOwner()) : nullptr;
      if (!info || !info->isView || result.getOwner()->getNumOperands() != 1)
        break;
      path.push_back(result);
      value = result.getOwner()->getOperand(0);
    }
    auto of = operands.find(value);
    if (of == operands.end()) {
      bind(name, {{}, {}, states.add(values[next - 1])});
      return;
    }
    Functionalizer::Tensor tensor = of->second;
    bool isCertain = llvm::none_of(path, [](mlir::OpResult result) {
      return result.getOwner()->getName().getStringRef() == "aten.reshape";
    });
    if (!isCertain) {
      tensor = states.addPerhapsView(tensor, values[next - 1],
                                     "the result '" + name + "'");
    } else {
      for (mlir::OpResult result : llvm::reverse(path))
        tensor = states.addView(tensor, result.getOwner(),
                                result.getResultNumber());
    }
    bind(name, {{}, {}, tensor});
  };
  for (const archive::Argument &output : node.outputs) {
    if (output.isNone())
      ++next;
    else
      output.forEachName(bindOne);
  }
  return status;
}

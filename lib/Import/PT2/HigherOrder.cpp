//===- HigherOrder.cpp - Nodes with graphs among their arguments ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Branches and loops become ops with bodies, which are graphs of their own. Bodies
// pass tensors: a number of the surrounding graph is known in a body by its
// expression, and one that a loop changes is carried as a tensor without dimensions.
//
//===----------------------------------------------------------------------===//

#include "GraphImporter.h"
#include "NodeArguments.h"

#include "kiln/Dialect/Aten/IR/AtenControlOps.h"
#include "kiln/Dialect/Aten/IR/AtenOps.h"
#include "kiln/Dialect/Aten/IR/FormulaBuilder.h"
#include "kiln/Dialect/Guard/IR/Guard.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace kiln;
using namespace kiln::pt2;
using aten::FormulaBuilder;
using guard::ExprAttr;

/// What is passed to an input of a body.
struct GraphImporter::Operand {
  std::string name; ///< of the surrounding graph; empty: a constant
  Value value;      ///< what becomes an argument of the body; null: nothing
};

/// What importing a body tells.
struct GraphImporter::Body {
  /// Its results, null for None. Numbers are tensors without dimensions.
  SmallVector<Value> results;
  /// Per operand: what the body writes into it, or null.
  SmallVector<Value> written;
  Block *block = nullptr;
};

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

/// A list of graph values; numbers have no value.
Result<std::vector<GraphImporter::Operand>>
GraphImporter::operandsOf(const archive::Argument &argument) {
  std::vector<Operand> operands;
  auto add = [&](const std::string &name) -> Status {
    Operand operand{name, {}};
    auto it = bindings.find(name);
    if (!name.empty() && it == bindings.end())
      return Error::malformed("value '" + name + "' is not defined");
    if (!name.empty() && it->second.tensor)
      operand.value = states.read(*it->second.tensor);
    operands.push_back(std::move(operand));
    return Status::success();
  };
  auto addAll = [&](const std::vector<std::string> &names) -> Status {
    for (const std::string &name : names)
      if (Status s = add(name); !s)
        return s;
    return Status::success();
  };
  Status status = Status::success();
  if (auto *tensors = argument.as<archive::TensorsArg>())
    status = addAll(tensors->names);
  else if (auto *tensors = argument.as<archive::OptionalTensorsArg>())
    status = addAll(tensors->names);
  else if (auto *symbols = argument.as<std::vector<archive::SymIntArg>>())
    for (const archive::SymIntArg &symbol : *symbols)
      status = status ? add(symbol.name) : status;
  else if (auto *symbols = argument.as<std::vector<archive::SymFloatArg>>())
    for (const archive::SymFloatArg &symbol : *symbols)
      status = status ? add(symbol.name) : status;
  else if (auto *integers = argument.as<std::vector<int64_t>>())
    operands.resize(integers->size());
  else if (auto *numbers = argument.as<std::vector<double>>())
    operands.resize(numbers->size());
  else if (!argument.isNone())
    return Error::unsupported("a list of operands '" +
                              std::string(argument.tag()) + "'");
  if (!status)
    return status.takeError();
  return operands;
}

/// A number as a tensor without dimensions.
static Value toTensor(OpBuilder &b, Value number) {
  if (llvm::isa<RankedTensorType>(number.getType()))
    return number;
  return FormulaBuilder(b, number.getLoc())
      .scalarTensor(number, number.getType());
}

/// The same for what a loop carries: numbers become tensors.
Result<std::vector<GraphImporter::Operand>>
GraphImporter::carriedOf(const archive::Argument &argument) {
  auto operands = operandsOf(argument);
  if (!operands)
    return operands;
  for (auto [k, operand] : llvm::enumerate(*operands)) {
    if (operand.value)
      continue;
    Result<Value> number = Error::malformed("");
    if (!operand.name.empty())
      number = getValue(operand.name);
    else if (auto *symbols = argument.as<std::vector<archive::SymIntArg>>())
      number = convertNumber(archive::Argument{(*symbols)[k]});
    else if (auto *integers = argument.as<std::vector<int64_t>>())
      number = convertNumber(archive::Argument{(*integers)[k]});
    else if (auto *numbers = argument.as<std::vector<double>>())
      number = convertNumber(archive::Argument{(*numbers)[k]});
    else
      return Error::unsupported("a loop carries None");
    if (!number)
      return number.takeError();
    operand.value = toTensor(b, *number);
    if (!operand.value)
      return Error::unsupported("a loop carries a number of this kind");
  }
  return operands;
}

/// Types of the results that are there, by the metadata of the node.
Result<SmallVector<Type>>
GraphImporter::resultTypes(const archive::Node &node) const {
  SmallVector<Type> types;
  Status status = Status::success();
  for (const archive::Argument &output : node.outputs)
    output.forEachName([&](const std::string &name) {
      if (graph.symInts.count(name))
        return types.push_back(RankedTensorType::get({}, b.getI64Type()));
      if (graph.symFloats.count(name))
        return types.push_back(RankedTensorType::get({}, b.getF64Type()));
      auto type = typeOf(name);
      if (type)
        types.push_back(*type);
      else
        status = type.takeError();
    });
  if (!status)
    return status.takeError();
  return types;
}

/// Binds the results that are there to `values`.
Status GraphImporter::bindBodyResults(const archive::Node &node,
                                      ValueRange values) {
  size_t next = 0;
  Status status = Status::success();
  for (const archive::Argument &output : node.outputs)
    output.forEachName([&](const std::string &name) {
      Value value = values[next++];
      auto integer = graph.symInts.find(name);
      if (integer == graph.symInts.end() && !graph.symFloats.count(name))
        return bind(name, {{}, {}, states.add(value)});
      // A number: read it, and say which symbol it is.
      auto item = aten::ItemOp::create(
          b, locationOf(node),
          TypeRange(llvm::cast<RankedTensorType>(value.getType())
                        .getElementType()),
          ArrayRef<aten::ArgValue>{value});
      Binding binding;
      binding.value = item.getResult();
      auto expr = integer != graph.symInts.end()
                      ? shapes.convert(integer->second)
                      : shapes.convert(graph.symFloats.at(name));
      if (!expr) {
        status = expr.takeError();
        return;
      }
      binding.expr = *expr;
      if (expr->isSymbol())
        item.setSymbolAttr(expr->getSymbol());
      bind(name, binding);
    });
  return status;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// Imports `body` into `region`, up to but without its terminator.
Status GraphImporter::importBody(const archive::Graph &body,
                                 ArrayRef<Operand> operands, Region &region,
                                 Body &result) {
  if (body.inputs.size() != operands.size())
    return Error::malformed("a graph takes " +
                            std::to_string(body.inputs.size()) +
                            " inputs, but is given " +
                            std::to_string(operands.size()));
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&region);
  result.block = block;
  GraphImporter inner(b, body, shapes, operators);
  inner.isAutocast = isAutocast;
  for (auto [operand, input] : llvm::zip_equal(operands, body.inputs)) {
    std::string name;
    input.forEachName([&](const std::string &n) { name = n; });
    if (name.empty())
      continue;
    Location loc = mlir::NameLoc::get(b.getStringAttr(name));
    if (const archive::TensorMeta *meta = body.tensor(name)) {
      auto type = inner.typeOf(*meta);
      if (!type)
        return type.takeError();
      if (!operand.value)
        return Error::malformed("input '" + name +
                                "' of a graph is a tensor, but is given a "
                                "number");
      inner.bindTensor(name, block->addArgument(*type, loc));
      continue;
    }
    // A number that the surrounding graph knows by the same expression.
    Binding binding;
    auto integer = body.symInts.find(name);
    auto real = body.symFloats.find(name);
    auto flag = body.symBools.find(name);
    Result<ExprAttr> expr = Error::malformed("input '" + name +
                                             "' of a graph has no metadata");
    if (integer != body.symInts.end())
      expr = shapes.convert(integer->second);
    else if (real != body.symFloats.end())
      expr = shapes.convert(real->second);
    else if (flag != body.symBools.end())
      expr = shapes.convert(flag->second);
    if (!expr)
      return expr.takeError();
    binding.expr = *expr;
    if (operand.value) {
      // One that the loop changes.
      Type element = llvm::cast<RankedTensorType>(operand.value.getType())
                         .getElementType();
      auto item = aten::ItemOp::create(
          b, loc, TypeRange(element),
          ArrayRef<aten::ArgValue>{
              block->addArgument(operand.value.getType(), loc)});
      binding.value = item.getResult();
      if (expr->isSymbol())
        item.setSymbolAttr(expr->getSymbol());
    }
    inner.bind(name, binding);
  }
  if (Status s = inner.importNodes(); !s)
    return s;

  for (const archive::Argument &output : body.outputs) {
    std::string name;
    output.forEachName([&](const std::string &n) { name = n; });
    if (output.isNone()) {
      result.results.push_back({});
      continue;
    }
    auto value = name.empty() ? inner.convertNumber(output)
                              : inner.getValue(name);
    if (!value)
      return value.takeError();
    // The predicate of a loop may be a bool of any kind.
    bool isPredicate = value->getType().isInteger(1);
    result.results.push_back(isPredicate ? *value : toTensor(b, *value));
    if (!result.results.back())
      return Error::unsupported("a graph gives a number of this kind");
  }
  result.written.resize(operands.size());
  for (auto &[name, value] : inner.mutations())
    for (auto [k, input] : llvm::enumerate(body.inputs))
      if (auto *tensor = input.as<archive::TensorArg>();
          tensor && tensor->name == name)
        result.written[k] = value;
  return Status::success();
}

/// Values of the operands that become arguments of a body.
template <typename Operands>
static SmallVector<Value> valuesOf(const Operands &operands) {
  SmallVector<Value> values;
  for (const auto &operand : operands)
    if (operand.value)
      values.push_back(operand.value);
  return values;
}

static void addYield(OpBuilder &b, Location loc, Block *block,
                     ArrayRef<Value> values) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(block);
  SmallVector<Value> present;
  for (Value value : values)
    if (value)
      present.push_back(value);
  aten::YieldOp::create(b, loc, present);
}

/// A loop whose body writes into what it is given would have to carry it.
static Status refuseWrites(ArrayRef<Value> written) {
  if (llvm::all_of(written, [](Value value) { return !value; }))
    return Status::success();
  return Error::unsupported("the body of a loop changes one of its inputs in "
                            "place; expected a functional body");
}

//===----------------------------------------------------------------------===//
// Branches and loops
//===----------------------------------------------------------------------===//

/// cond(predicate, then graph, else graph, operands)
Status GraphImporter::importCond(const archive::Node &node) {
  auto *thenGraph = argumentAt<archive::GraphArg>(node, 1);
  auto *elseGraph = argumentAt<archive::GraphArg>(node, 2);
  if (!thenGraph || !elseGraph || node.inputs.size() < 4)
    return notAnArgument("a predicate, two graphs and operands");
  Result<Value> predicate = Error::malformed("");
  if (auto *tensor = argumentAt<archive::TensorArg>(node, 0))
    predicate = getValue(tensor->name);
  else
    predicate = convertNumber(node.inputs[0].arg);
  if (!predicate)
    return predicate.takeError();
  auto operands = operandsOf(node.inputs[3].arg);
  if (!operands)
    return operands.takeError();
  auto types = resultTypes(node);
  if (!types)
    return types.takeError();

  Location loc = locationOf(node);
  mlir::OperationState state(loc, aten::CondOp::getOperationName());
  SmallVector<Value> inputs = valuesOf(*operands);
  state.addOperands(*predicate);
  state.addOperands(inputs);
  Region *regions[2] = {state.addRegion(), state.addRegion()};
  const archive::GraphArg *graphs[2] = {thenGraph, elseGraph};
  Body bodies[2];
  for (unsigned i = 0; i < 2; ++i)
    if (Status s = importBody(*graphs[i]->graph, *operands, *regions[i],
                              bodies[i]);
        !s)
      return s.error().withContext("graph '" + graphs[i]->label + "'");
  if (bodies[0].results.size() != bodies[1].results.size())
    return Error::malformed("its graphs give " +
                            std::to_string(bodies[0].results.size()) + " and " +
                            std::to_string(bodies[1].results.size()) +
                            " results");
  // What one of them writes is a result more; the other gives it unchanged.
  std::vector<std::string> written;
  for (auto [k, operand] : llvm::enumerate(*operands)) {
    if (!bodies[0].written[k] && !bodies[1].written[k])
      continue;
    unsigned argument =
        llvm::count_if(ArrayRef(*operands).take_front(k),
                       [](const Operand &o) { return !!o.value; });
    for (Body &body : bodies)
      body.results.push_back(body.written[k]
                                 ? body.written[k]
                                 : body.block->getArgument(argument));
    written.push_back(operand.name);
    types->push_back(operand.value.getType());
  }
  for (Body &body : bodies)
    addYield(b, loc, body.block, body.results);
  state.addTypes(*types);
  Operation *op = b.create(state);
  ValueRange results = op->getResults();
  for (auto [name, value] :
       llvm::zip_equal(written, results.take_back(written.size())))
    if (Status s = setContents(name, value); !s)
      return s;
  return bindBodyResults(node, results.drop_back(written.size()));
}

/// while_loop(condition graph, body graph, carried, extras)
Status GraphImporter::importWhile(const archive::Node &node) {
  auto *condition = argumentAt<archive::GraphArg>(node, 0);
  auto *body = argumentAt<archive::GraphArg>(node, 1);
  if (!condition || !body || node.inputs.size() < 4)
    return notAnArgument("two graphs, carried values and extras");
  auto carried = carriedOf(node.inputs[2].arg);
  if (!carried)
    return carried.takeError();
  auto extras = operandsOf(node.inputs[3].arg);
  if (!extras)
    return extras.takeError();
  auto types = resultTypes(node);
  if (!types)
    return types.takeError();
  std::vector<Operand> operands = *carried;
  llvm::append_range(operands, *extras);

  Location loc = locationOf(node);
  auto op = aten::WhileLoopOp::create(b, loc, *types, valuesOf(*carried),
                                      valuesOf(*extras));
  for (auto [arg, region] : {std::pair(condition, &op.getCondition()),
                             std::pair(body, &op.getBody())}) {
    Body result;
    Status status = importBody(*arg->graph, operands, *region, result);
    if (status)
      status = refuseWrites(result.written);
    if (!status)
      return status.error().withContext("graph '" + arg->label + "'");
    addYield(b, loc, result.block, result.results);
  }
  return bindBodyResults(node, op.getResults());
}

/// scan(combine graph, carried, scanned, extras); before 2.7 the dimension and
/// the direction stood before the extras.
Status GraphImporter::importScan(const archive::Node &node) {
  auto *body = argumentAt<archive::GraphArg>(node, 0);
  if (!body || node.inputs.size() < 4)
    return notAnArgument("a graph, carried values, scanned values and extras");
  for (const archive::NamedArgument &input : ArrayRef(node.inputs).slice(3)) {
    auto *dim = input.arg.as<int64_t>();
    auto *reverse = input.arg.as<bool>();
    if ((dim && *dim != 0) || (reverse && *reverse))
      return Error::unsupported("a scan along another dimension than the "
                                "first, or backwards");
  }
  auto carried = carriedOf(node.inputs[1].arg);
  if (!carried)
    return carried.takeError();
  auto scanned = operandsOf(node.inputs[2].arg);
  if (!scanned)
    return scanned.takeError();
  auto extras = operandsOf(node.inputs.back().arg);
  if (!extras)
    return extras.takeError();
  auto types = resultTypes(node);
  if (!types)
    return types.takeError();
  std::vector<Operand> operands = *carried;
  llvm::append_range(operands, *scanned);
  llvm::append_range(operands, *extras);

  Location loc = locationOf(node);
  auto op = aten::ScanOp::create(b, loc, *types, valuesOf(*carried),
                                 valuesOf(*scanned), valuesOf(*extras));
  Body result;
  Status status = importBody(*body->graph, operands, op.getBody(), result);
  if (status)
    status = refuseWrites(result.written);
  if (!status)
    return status.error().withContext("graph '" + body->label + "'");
  addYield(b, loc, result.block, result.results);
  return bindBodyResults(node, op.getResults());
}

/// map_impl(body graph, mapped, extras)
Status GraphImporter::importMap(const archive::Node &node) {
  auto *body = argumentAt<archive::GraphArg>(node, 0);
  if (!body || node.inputs.size() < 3)
    return notAnArgument("a graph, mapped values and extras");
  auto mapped = operandsOf(node.inputs[1].arg);
  if (!mapped)
    return mapped.takeError();
  auto extras = operandsOf(node.inputs[2].arg);
  if (!extras)
    return extras.takeError();
  auto types = resultTypes(node);
  if (!types)
    return types.takeError();
  std::vector<Operand> operands = *mapped;
  llvm::append_range(operands, *extras);

  Location loc = locationOf(node);
  auto op = aten::MapOp::create(b, loc, *types, valuesOf(*mapped),
                                valuesOf(*extras));
  Body result;
  Status status = importBody(*body->graph, operands, op.getBody(), result);
  if (status)
    status = refuseWrites(result.written);
  if (!status)
    return status.error().withContext("graph '" + body->label + "'");
  addYield(b, loc, result.block, result.results);
  return bindBodyResults(node, op.getResults());
}

//===----------------------------------------------------------------------===//
// Which
//===----------------------------------------------------------------------===//

/// " of 'probe.scale_add.default'", if the node wraps an operator.
static std::string operatorOf(const archive::Node &node) {
  for (const archive::NamedArgument &input : node.inputs)
    if (auto *wrapped = input.arg.as<archive::OperatorArg>())
      return " of '" + wrapped->target + "'";
  return "";
}

Status GraphImporter::importHigherOrder(const archive::Node &node) {
  using Importer = Status (GraphImporter::*)(const archive::Node &);
  static const std::pair<StringRef, Importer> importers[] = {
      {"cond", &GraphImporter::importCond},
      {"while_loop", &GraphImporter::importWhile},
      {"scan", &GraphImporter::importScan},
      {"map_impl", &GraphImporter::importMap},
      {"with_effects", &GraphImporter::importWithEffects},
      {"wrap_with_set_grad_enabled", &GraphImporter::importSetGrad},
      {"wrap_with_autocast", &GraphImporter::importAutocast},
  };
  StringRef name = node.target;
  name.consume_front("torch.ops.higher_order.");
  for (auto [known, importer] : importers)
    if (name == known)
      return (this->*importer)(node);
  return Error::unsupported("higher-order operator '" + name.str() + "'" +
                            operatorOf(node) +
                            "; expected a branch, a loop or a plain operator");
}

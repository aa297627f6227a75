//===- SymbolicNodes.cpp - Arithmetic on sizes, and assertions ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphImporter.h"

#include "kiln/Dialect/Guard/IR/Guard.h"

using namespace kiln;
using namespace kiln::pt2;
using guard::ExprAttr;

/// Whether elements of these sizes and strides lie without gaps with the
/// dimension `order.back()` innermost: 1 or 0, or an expression that is.
static ExprAttr liesInOrder(MLIRContext *context, ArrayRef<ExprAttr> sizes,
                            ArrayRef<ExprAttr> strides,
                            ArrayRef<unsigned> order) {
  ExprAttr one = guard::getConstant(context, 1), expected = one, result = one;
  for (unsigned dim : llvm::reverse(order)) {
    result = guard::logicalAnd(
        result, guard::logicalOr(guard::eq(sizes[dim], one),
                                 guard::eq(strides[dim], expected)));
    expected = expected * sizes[dim];
  }
  return result;
}

/// What `is_contiguous` gives for a tensor with this metadata.
std::optional<ExprAttr>
GraphImporter::isContiguousIn(const archive::Node &node,
                              const archive::TensorMeta &meta) const {
  const archive::Argument *format = node.find("memory_format");
  const auto *wanted = format ? format->as<archive::MemoryFormat>() : nullptr;
  auto sizes = shapes.convert(meta.sizes), strides = shapes.convert(meta.strides);
  if (!meta.stridesKnown || !sizes || !strides)
    return std::nullopt;
  MLIRContext *context = b.getContext();
  if (!wanted || *wanted == archive::MemoryFormat::Contiguous) {
    auto order = llvm::to_vector(llvm::seq<unsigned>(0, sizes->size()));
    return guard::logicalOr(
        guard::eq(guard::getNumElements(context, *sizes),
                  guard::getConstant(context, 0)),
        liesInOrder(context, *sizes, *strides, order));
  }
  // Channels come last, behind the dimensions of an image or a volume.
  SmallVector<unsigned> order = {0, 2, 3, 1};
  if (*wanted == archive::MemoryFormat::ChannelsLast3d)
    order = {0, 2, 3, 4, 1};
  if (order.size() != sizes->size())
    return guard::getConstant(context, 0);
  return liesInOrder(context, *sizes, *strides, order);
}

/// What `sym_size` and its like give, if the metadata of the tensor says it.
std::optional<ExprAttr>
GraphImporter::propertyOf(const archive::Node &node) const {
  const archive::Argument *self = node.find("self");
  const auto *tensor = self ? self->as<archive::TensorArg>() : nullptr;
  const archive::TensorMeta *meta =
      tensor ? graph.tensor(tensor->name) : nullptr;
  if (!meta)
    return std::nullopt;
  auto convert = [&](const archive::SymInt &value) -> std::optional<ExprAttr> {
    auto expr = shapes.convert(value);
    return expr ? std::optional<ExprAttr>(*expr) : std::nullopt;
  };
  auto element = [&](const std::vector<archive::SymInt> &list)
      -> std::optional<ExprAttr> {
    const archive::Argument *dim = node.find("dim");
    const auto *index = dim ? dim->as<int64_t>() : nullptr;
    int64_t rank = static_cast<int64_t>(list.size());
    if (!index || *index < -rank || *index >= rank)
      return std::nullopt;
    return convert(list[*index < 0 ? *index + rank : *index]);
  };
  // These give numbers that types know, and are no ops: they have no records.
  StringRef overload = node.overload();
  if (!overload.consume_front("aten.sym_"))
    return std::nullopt;
  if (overload == "size.int")
    return element(meta->sizes);
  if (overload == "stride.int" && meta->stridesKnown)
    return element(meta->strides);
  if (overload == "storage_offset.default")
    return convert(meta->storageOffset);
  if (overload == "is_contiguous.default")
    return isContiguousIn(node, *meta);
  if (overload != "numel.default")
    return std::nullopt;
  ExprAttr product = guard::getConstant(b.getContext(), 1);
  for (const archive::SymInt &size : meta->sizes) {
    auto expr = convert(size);
    if (!expr)
      return std::nullopt;
    product = guard::mul(product, *expr);
  }
  return product;
}

/// A node that only computes sizes: the metadata of its results says what they
/// are, so the node itself leaves no trace.
Status GraphImporter::importSymbolic(const archive::Node &node) {
  // Properties of a tensor are in its metadata.
  if (StringRef(node.target).starts_with("torch.ops.aten.sym_") &&
      node.outputs.size() == 1) {
    auto *integer = node.outputs[0].as<archive::SymIntArg>();
    auto *flag = node.outputs[0].as<archive::SymBoolArg>();
    std::string name = integer ? integer->name : flag ? flag->name : "";
    if (auto expr = name.empty() ? std::nullopt : propertyOf(node)) {
      // Of a constant alone it would not be known that it is a bool.
      Value value;
      if (auto known = expr->getConstant(); known && flag)
        value = mlir::arith::ConstantOp::create(b, b.getUnknownLoc(),
                                                b.getBoolAttr(*known != 0));
      bind(name, {value, *expr, {}});
      return Status::success();
    }
  }
  for (const archive::Argument &output : node.outputs) {
    Result<ExprAttr> expr = Error::malformed(
        "result '" + std::string(output.tag()) + "' is no symbolic number");
    std::string name;
    if (auto *integer = output.as<archive::SymIntArg>()) {
      name = integer->name;
      auto it = graph.symInts.find(name);
      if (it != graph.symInts.end())
        expr = shapes.convert(it->second);
    } else if (auto *number = output.as<archive::SymFloatArg>()) {
      name = number->name;
      auto it = graph.symFloats.find(name);
      if (it != graph.symFloats.end())
        expr = shapes.convert(it->second);
    } else if (auto *flag = output.as<archive::SymBoolArg>()) {
      name = flag->name;
      auto it = graph.symBools.find(name);
      if (it != graph.symBools.end())
        expr = shapes.convert(it->second);
    }
    if (!expr)
      return expr.takeError();
    bind(name, {{}, *expr, {}});
  }
  return Status::success();
}

/// True for operators on sizes alone.
bool pt2::isSymbolicTarget(StringRef target) {
  return target.starts_with("_operator.") || target.starts_with("math.") ||
         target.starts_with("torch.sym_") ||
         target.starts_with("torch._sym_") ||
         target.starts_with("torch.ops.aten.sym_size") ||
         target.starts_with("torch.ops.aten.sym_stride") ||
         target.starts_with("torch.ops.aten.sym_numel") ||
         target.starts_with("torch.ops.aten.sym_storage_offset") ||
         target.starts_with("torch.ops.aten.sym_is_contiguous");
}

//===----------------------------------------------------------------------===//
// Assertions
//===----------------------------------------------------------------------===//

/// Nodes that check something; nothing for other nodes. Those that a functional
/// program strings together by dependency tokens are in order already. The tracer
/// answers questions about types itself and leaves the node with no result.
std::optional<Status> GraphImporter::importCheck(const archive::Node &node) {
  StringRef name = node.overload();
  // Of these only the assertion about a tensor's properties is an op; what the
  // others say goes into guards and symbols, so that they have no records.
  if (!name.consume_front("aten."))
    return std::nullopt;
  if (name == "promote_types.default" || name.starts_with("result_type."))
    return Status::success();
  if (name == "_assert_tensor_metadata.default")
    return checkMetadata(node);
  if (name == "_assert_scalar.default")
    return importAssertion(node);
  if (name == "sym_constrain_range.default" ||
      name == "sym_constrain_range_for_size.default")
    return importRange(node);
  if (name == "_make_dep_token.default") {
    bindTokens(node.outputs);
    return Status::success();
  }
  if (!name.consume_front("_functional_"))
    return std::nullopt;
  archive::Node check = node;
  StringRef mark = name.starts_with("sym_") ? "" : "_";
  check.target = ("torch.ops.aten." + mark + name).str();
  check.outputs.clear();
  llvm::erase_if(check.inputs, [](const archive::NamedArgument &input) {
    return input.name == "dep_token";
  });
  bindTokens(node.outputs);
  return importNode(check);
}

void GraphImporter::bindTokens(ArrayRef<archive::Argument> outputs) {
  for (const archive::Argument &output : outputs)
    output.forEachName([&](const std::string &name) { bind(name, {}); });
}

/// Compares what the node states with the metadata of its operand.
Status GraphImporter::checkMetadata(const archive::Node &node) const {
  const archive::Argument *a = node.find("a");
  const auto *tensor = a ? a->as<archive::TensorArg>() : nullptr;
  const archive::TensorMeta *meta =
      tensor ? graph.tensor(tensor->name) : nullptr;
  if (!meta)
    return Error::malformed("argument 'a' is no tensor");
  const archive::Argument *dtype = node.find("dtype");
  if (auto *stated = dtype ? dtype->as<DType>() : nullptr;
      stated && *stated != meta->dtype)
    return Error::malformed("tensor dtype mismatch: expected " +
                            std::string(dtypeName(*stated)) + ", found " +
                            std::string(dtypeName(meta->dtype)));
  auto compare = [&](StringRef name,
                     const std::vector<archive::SymInt> &found) -> Status {
    const archive::Argument *argument = node.find(std::string(name));
    auto *stated = argument ? argument->as<std::vector<int64_t>>() : nullptr;
    if (!stated)
      return Status::success();
    bool differs = stated->size() != found.size();
    for (size_t i = 0; !differs && i < found.size(); ++i)
      differs = found[i].isStatic() && found[i].value != (*stated)[i];
    if (!differs)
      return Status::success();
    return Error::malformed(("tensor " + name + " mismatch of '" +
                             tensor->name + "'")
                                .str());
  };
  if (Status s = compare("size", meta->sizes); !s)
    return s;
  return compare("stride", meta->strides);
}

static std::optional<bool> constantTruth(const archive::Argument &argument) {
  if (auto *flag = argument.as<bool>())
    return *flag;
  if (auto *integer = argument.as<int64_t>())
    return *integer != 0;
  if (auto *number = argument.as<double>())
    return *number != 0;
  if (auto *flag = argument.as<archive::SymBoolArg>())
    return flag->value;
  if (auto *integer = argument.as<archive::SymIntArg>())
    return integer->value != 0;
  return std::nullopt;
}

/// `_assert_scalar(condition, message)`: the condition is about sizes.
Status GraphImporter::importAssertion(const archive::Node &node) {
  const archive::Argument *condition = node.find("self");
  const archive::Argument *message = node.find("assert_msg");
  std::string text = "an assertion of the program does not hold";
  if (message)
    if (auto *given = message->as<std::string>())
      text = *given;
  ExprAttr expr;
  auto named = [&](const std::string &name) -> Status {
    auto found = getExpr(name);
    if (!found)
      return found.takeError();
    expr = *found;
    return Status::success();
  };
  if (!condition)
    return Error::malformed("argument 'self' is missing");
  Status status = Status::success();
  if (auto *flag = condition->as<archive::SymBoolArg>(); flag && flag->isName())
    status = named(flag->name);
  else if (auto *number = condition->as<archive::SymIntArg>();
           number && number->isName())
    status = named(number->name);
  else if (auto truth = constantTruth(*condition))
    return *truth ? Status::success() : Status(Error::malformed(text));
  else
    return Error::unsupported("an assertion about '" +
                              std::string(condition->tag()) +
                              "', expected one about sizes");
  if (!status)
    return status;
  guard::AssertOp::create(b, locationOf(node), expr, b.getStringAttr(text));
  return Status::success();
}

/// `sym_constrain_range(size, min, max)`: a number that data decides about.
Status GraphImporter::importRange(const archive::Node &node) {
  const archive::Argument *size = node.find("size");
  if (!size)
    size = node.find("sym_size");
  const auto *symbol = size ? size->as<archive::SymIntArg>() : nullptr;
  const auto *constant = size ? size->as<int64_t>() : nullptr;
  if (!symbol && !constant)
    return Error::malformed("argument 'size' is no integer");
  ExprAttr expr;
  if (symbol) {
    auto found = toExpr(*symbol);
    if (!found)
      return found.takeError();
    expr = *found;
  } else {
    expr = guard::getConstant(b.getContext(), *constant);
  }
  auto bound = [&](StringRef name) -> std::optional<int64_t> {
    const archive::Argument *argument = node.find(std::string(name));
    const auto *value = argument ? argument->as<int64_t>() : nullptr;
    return value ? std::optional<int64_t>(*value) : std::nullopt;
  };
  std::optional<int64_t> min = bound("min"), max = bound("max");
  // A size is not negative, whatever else is known.
  if (!min && StringRef(node.overload()).contains("for_size"))
    min = 0;
  std::string range = (min ? "[" + std::to_string(*min) : "[-inf") + ", " +
                      (max ? std::to_string(*max) : "inf") + "]";
  auto message = b.getStringAttr("invalid value for '" + expr.str() +
                                 "', expected one in " + range);
  auto constantOf = [&](int64_t value) {
    return guard::getConstant(b.getContext(), value);
  };
  if (min)
    guard::AssertOp::create(b, locationOf(node),
                            guard::ge(expr, constantOf(*min)), message);
  if (max)
    guard::AssertOp::create(b, locationOf(node),
                            guard::le(expr, constantOf(*max)), message);
  return Status::success();
}

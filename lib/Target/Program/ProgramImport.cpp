//===- ProgramImport.cpp - Package data as programs --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Constants.h"
#include "Importer.h"

#include "kiln/Dialect/Guard/IR/ElementTypes.h"

#include "mlir/Dialect/Complex/IR/Complex.h"

using namespace kiln;
using namespace kiln::target;
using guard::ExprAttr;
using package::Argument;

Location Importer::getLocation(StringRef text) {
  auto [file, digits] = text.rsplit(':');
  unsigned line = 0;
  if (text.empty() || digits.getAsInteger(10, line))
    return builder.getUnknownLoc();
  return mlir::FileLineColLoc::get(context, file, line, 0);
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

Result<mlir::ArrayAttr>
Importer::toAttributes(ArrayRef<Argument> arguments,
                       SmallVectorImpl<Value> &operands) {
  SmallVector<Attribute> list;
  for (const Argument &argument : arguments) {
    auto attribute = toAttribute(argument, operands);
    if (!attribute)
      return attribute.takeError();
    list.push_back(*attribute);
  }
  return builder.getArrayAttr(list);
}

Result<Attribute> Importer::toAttribute(const Argument &argument,
                                        SmallVectorImpl<Value> &operands) {
  auto addOperand = [&](package::ValueId id) -> Result<Attribute> {
    auto value = getValues(id);
    if (!value)
      return value.takeError();
    operands.push_back(value->front());
    return Attribute(
        program::OperandAttr::get(context, unsigned(operands.size() - 1)));
  };
  const auto &value = argument.value;
  if (auto *tensor = std::get_if<Argument::TensorRef>(&value)) {
    if (numbers.contains(tensor->value))
      return Error::unsupported("value " + std::to_string(tensor->value) +
                                " is read as a number and as a tensor");
    return addOperand(tensor->value);
  }
  if (auto *scalar = std::get_if<Argument::ScalarRef>(&value))
    return addOperand(scalar->value);
  if (auto *expr = std::get_if<Argument::ExprRef>(&value))
    return Attribute(exprs[expr->expr]);
  if (auto *flag = std::get_if<bool>(&value))
    return Attribute(builder.getBoolAttr(*flag));
  if (auto *integer = std::get_if<int64_t>(&value))
    return Attribute(builder.getI64IntegerAttr(*integer));
  if (auto *number = std::get_if<double>(&value))
    return Attribute(builder.getF64FloatAttr(*number));
  if (auto *text = std::get_if<std::string>(&value))
    return Attribute(builder.getStringAttr(*text));
  if (auto *dtype = std::get_if<Argument::DTypeRef>(&value))
    return Attribute(
        mlir::TypeAttr::get(guard::getElementType(context, dtype->dtype)));
  if (auto *number = std::get_if<std::complex<double>>(&value))
    return Attribute(mlir::complex::NumberAttr::get(
        mlir::ComplexType::get(builder.getF64Type()), number->real(),
        number->imag()));
  if (auto *list = std::get_if<Argument::List>(&value)) {
    auto attributes = toAttributes(*list, operands);
    return attributes ? Result<Attribute>(*attributes)
                      : Result<Attribute>(attributes.takeError());
  }
  return Attribute(builder.getUnitAttr());
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

Status Importer::addLaunch(const package::LaunchStep &step) {
  auto buffers = getValues(step.buffers);
  if (!buffers)
    return buffers.takeError();
  SmallVector<bool> writes(step.buffers.size());
  for (uint32_t position : step.writes)
    writes[position] = true;
  SmallVector<Attribute> arguments;
  for (ExprAttr expr : getExprs(step.arguments))
    arguments.push_back(expr);
  SmallVector<int64_t> pairs(step.overwrites.begin(), step.overwrites.end());
  program::LaunchOp::create(
      builder, builder.getUnknownLoc(), names.kernels[step.kernel], *buffers,
      writes, builder.getArrayAttr(arguments), exprs[step.workItems],
      step.grain, getOptional(step.scratchBytes),
      pairs.empty() ? mlir::DenseI64ArrayAttr()
                    : builder.getDenseI64ArrayAttr(pairs),
      /*alone=*/false, program::TrafficAttr(), mlir::ArrayAttr(),
      mlir::ArrayAttr(), program::GridAttr());
  return Status::success();
}

mlir::ArrayAttr Importer::getList(const std::vector<package::ExprId> &ids) {
  SmallVector<Attribute> list;
  for (ExprAttr expr : getExprs(ids))
    list.push_back(expr);
  return builder.getArrayAttr(list);
}

Attribute Importer::getMap(const package::GridStep::TensorMap &map) {
  SmallVector<int64_t> box(map.box.begin(), map.box.end());
  return program::TensorMapAttr::get(
      context, map.buffer, guard::getElementType(context, map.dtype),
      exprs[map.offset], getList(map.sizes), getList(map.strides),
      builder.getDenseI64ArrayAttr(box), map.swizzle);
}

program::MatrixAttr
Importer::getMatrix(const package::GridStep::Product::Matrix &matrix) {
  return program::MatrixAttr::get(context, matrix.buffer, exprs[matrix.offset],
                                  exprs[matrix.leading], exprs[matrix.apart],
                                  matrix.isTransposed);
}

program::ProductAttr
Importer::getProduct(const package::GridStep::Product &product) {
  return program::ProductAttr::get(
      context, guard::getElementType(context, product.factors),
      guard::getElementType(context, product.results), exprs[product.matrices],
      exprs[product.rows], exprs[product.columns], exprs[product.sum],
      getMatrix(product.left), getMatrix(product.right),
      getMatrix(product.result),
      product.bias == package::kNone ? -1 : int64_t(product.bias),
      product.permitsTF32);
}

program::ImageAttr
Importer::getImage(const package::GridStep::Convolution::Image &image) {
  return program::ImageAttr::get(context, image.buffer, exprs[image.offset],
                                 exprs[image.image], exprs[image.channel],
                                 getList(image.places));
}

program::ConvolutionAttr
Importer::getConvolution(const package::GridStep::Convolution &c) {
  auto numbers = [&](const std::vector<uint32_t> &list) {
    return builder.getDenseI64ArrayAttr(
        SmallVector<int64_t>(list.begin(), list.end()));
  };
  return program::ConvolutionAttr::get(
      context, guard::getElementType(context, c.elements), exprs[c.images],
      exprs[c.groups], exprs[c.channels], exprs[c.filters], getList(c.inputs),
      getList(c.outputs), getList(c.taps), numbers(c.strides),
      numbers(c.dilations), numbers(c.padding), getImage(c.source),
      getImage(c.target),
      program::WeightAttr::get(context, c.weight, exprs[c.weightOffset],
                               c.isChannelsLast),
      c.isGradient, c.permitsTF32);
}

Attribute Importer::getLibrary(const package::GridStep &step) {
  if (auto *product = std::get_if<package::GridStep::Product>(&step.library))
    return getProduct(*product);
  if (auto *convolution =
          std::get_if<package::GridStep::Convolution>(&step.library))
    return getConvolution(*convolution);
  return {};
}

Status Importer::addGrid(const package::GridStep &step) {
  auto buffers = getValues(step.buffers);
  if (!buffers)
    return buffers.takeError();
  SmallVector<bool> writes(step.buffers.size());
  for (uint32_t position : step.writes)
    writes[position] = true;
  SmallVector<Attribute> parts;
  for (const package::GridStep::Part &part : step.parts) {
    SmallVector<Attribute> maps;
    for (const package::GridStep::TensorMap &map : part.maps)
      maps.push_back(getMap(map));
    parts.push_back(program::GridStepAttr::get(
        context, names.kernels[part.kernel],
        part.wide == package::kNone ? mlir::SymbolRefAttr()
                                    : names.kernels[part.wide],
        getList(part.arguments), exprs[part.blocks], part.threads,
        part.sharedBytes,
        maps.empty() ? mlir::ArrayAttr() : builder.getArrayAttr(maps)));
  }
  SmallVector<StringRef> checks(step.checks.begin(), step.checks.end());
  SmallVector<int64_t> pairs(step.overwrites.begin(), step.overwrites.end());
  program::LaunchOp::create(
      builder, builder.getUnknownLoc(), names.kernels[step.parts[0].kernel],
      *buffers, writes, builder.getArrayAttr({}),
      guard::getConstant(context, 1), /*grain=*/1, ExprAttr(),
      pairs.empty() ? mlir::DenseI64ArrayAttr()
                    : builder.getDenseI64ArrayAttr(pairs),
      /*alone=*/false, program::TrafficAttr(), mlir::ArrayAttr(),
      mlir::ArrayAttr(),
      program::GridAttr::get(context, builder.getArrayAttr(parts),
                             step.hasWorkspace, getOptional(step.narrow),
                             getLibrary(step),
                             checks.empty() ? mlir::ArrayAttr()
                                            : builder.getStrArrayAttr(checks)));
  return Status::success();
}

Result<Importer::Call>
Importer::getCall(ArrayRef<package::Argument> arguments,
                  ArrayRef<package::ValueId> results) {
  Call call;
  auto attributes = toAttributes(arguments, call.operands);
  if (!attributes)
    return attributes.takeError();
  call.arguments = *attributes;
  auto types = getResultTypes(results);
  if (!types)
    return types.takeError();
  call.types = std::move(*types);
  return call;
}

Status Importer::addCall(const package::ExternStep &step) {
  auto call = getCall(step.arguments, step.results);
  if (!call)
    return call.takeError();
  auto op = program::CallOp::create(
      builder, getLocation(step.location), call->types, step.overload,
      call->operands, call->arguments,
      step.reason.empty() ? StringAttr() : builder.getStringAttr(step.reason));
  return setResults(op, step.results);
}

Status Importer::addInvoke(const package::ControlStep &step) {
  SmallVector<Attribute> callees;
  for (uint32_t body : step.bodies)
    callees.push_back(names.bodies[body]);
  auto call = getCall(step.arguments, step.results);
  if (!call)
    return call.takeError();
  // The enumerations list the same kinds in the same order.
  auto op = program::InvokeOp::create(
      builder, getLocation(step.location), call->types,
      static_cast<program::InvokeKind>(step.kind),
      builder.getArrayAttr(callees), call->operands, call->arguments,
      step.carried, step.scanned);
  return setResults(op, step.results);
}

Status Importer::addDefine(const package::DefineSymbolStep &step) {
  auto value = getValues(step.value);
  if (!value)
    return value.takeError();
  program::DefineOp::create(
      builder, builder.getUnknownLoc(), data.symbols[step.symbol].name,
      value->front(),
      step.dim == package::kNone ? mlir::IntegerAttr()
                                 : builder.getI64IntegerAttr(step.dim));
  return Status::success();
}

Status Importer::addCopy(const package::CopyStep &step) {
  auto ends = getValues({step.source, step.target});
  if (!ends)
    return ends.takeError();
  program::CopyOp::create(builder, builder.getUnknownLoc(), (*ends)[0],
                          (*ends)[1]);
  return Status::success();
}

Status Importer::addRelease(const package::ReleaseStep &step) {
  auto released = getValues(step.values);
  if (!released)
    return released.takeError();
  program::ReleaseOp::create(builder, builder.getUnknownLoc(), *released);
  return Status::success();
}

Status Importer::addStep(const package::Step &step) {
  if (auto *launch = std::get_if<package::LaunchStep>(&step))
    return addLaunch(*launch);
  if (auto *grid = std::get_if<package::GridStep>(&step))
    return addGrid(*grid);
  if (auto *call = std::get_if<package::ExternStep>(&step))
    return addCall(*call);
  if (auto *control = std::get_if<package::ControlStep>(&step))
    return addInvoke(*control);
  if (auto *define = std::get_if<package::DefineSymbolStep>(&step))
    return addDefine(*define);
  if (auto *copy = std::get_if<package::CopyStep>(&step))
    return addCopy(*copy);
  if (auto *release = std::get_if<package::ReleaseStep>(&step))
    return addRelease(*release);
  auto &check = std::get<package::AssertStep>(step);
  program::AssertOp::create(builder, builder.getUnknownLoc(),
                            exprs[check.condition], check.message);
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

Status Importer::addOutputs() {
  auto text = [&](const std::string &given) {
    return given.empty() ? StringAttr() : builder.getStringAttr(given);
  };
  using Kind = package::Output::Kind;
  SmallVector<package::ValueId> returned;
  SmallVector<Attribute> outputs;
  for (const package::Output &output : data.outputs) {
    Attribute value;
    if (output.kind == Kind::Expr)
      value = exprs[output.expr];
    else if (output.kind == Kind::Constant)
      value = target::toAttribute(context, output.constant);
    else
      returned.push_back(output.value);
    outputs.push_back(program::OutputAttr::get(
        context, static_cast<program::Role>(output.role), text(output.name),
        text(output.path), text(output.target), value));
  }
  if (!data.values.empty())
    if (Status s = declareUpTo(data.values.size() - 1); !s)
      return s;
  auto values = getValues(returned);
  if (!values)
    return values.takeError();
  program::ReturnOp::create(builder, builder.getUnknownLoc(), *values,
                            builder.getArrayAttr(outputs));
  return Status::success();
}

Status Importer::run() {
  if (Status s = readExprs(); !s)
    return s;
  if (Status s = findNumbers(); !s)
    return s;
  for (uint32_t k = 0; k < data.slots.size(); ++k)
    if (Status s = addSlot(k); !s)
      return s;
  for (const package::Symbol &symbol : data.symbols)
    addSymbol(symbol);
  for (auto [k, step] : llvm::enumerate(data.steps))
    if (Status s = addStep(step); !s)
      return s.error().withContext("step " + std::to_string(k));
  return addOutputs();
}

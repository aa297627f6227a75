//===- ProgramCoder.cpp - Encode and decode a program --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One `visit` per struct, used in both directions. Variants have a function a
// direction, since a decoder must make the alternative that the tag names.
//
//===----------------------------------------------------------------------===//

#include "Coder.h"
#include "kiln/Package/Verifier.h"

namespace kiln::package {

namespace {

// The least number of bytes an encoded element takes; see PackageABI.h.
constexpr size_t kLeastSymbol = 46;
constexpr size_t kLeastExpr = 4;
constexpr size_t kLeastSlot = 31;
constexpr size_t kLeastValue = 22;
constexpr size_t kLeastStep = 5;
constexpr size_t kLeastOutput = 27;
constexpr size_t kLeastArgument = 1;
constexpr size_t kLeastText = 4;
constexpr size_t kLeastPart = 28;
constexpr size_t kLeastMap = 25;

/// T is `const Foo` for the encoder and `Foo` for the decoder.
template <typename C, typename T> void ids(C &c, T &list) {
  c.list(list, 4, [&](auto &id) { c.u32(id); });
}

template <typename C, typename T> void visitSymbol(C &c, T &symbol) {
  c.text(symbol.name);
  c.enumeration(symbol.source, Symbol::Source::InputSize,
                Symbol::Source::Step);
  c.u32(symbol.slot);
  c.u32(symbol.dim);
  c.i64(symbol.scale);
  c.i64(symbol.offset);
  c.i64(symbol.min);
  c.i64(symbol.max);
  c.boolean(symbol.isFloat);
}

template <typename C, typename T> void visitSlot(C &c, T &slot) {
  c.enumeration(slot.kind, Slot::Kind::UserInput, Slot::Kind::Token);
  c.text(slot.name);
  c.text(slot.path);
  c.boolean(slot.isTensor);
  c.boolean(slot.isSymbolic);
  c.boolean(slot.requiresGrad);
  c.dtype(slot.dtype);
  ids(c, slot.sizes);
  ids(c, slot.strides);
  visit(c, slot.constant);
  c.u32(slot.payload);
  c.u32(slot.ofOutput);
  c.boolean(slot.isFrozen);
}

template <typename C, typename T> void visitValue(C &c, T &value) {
  c.enumeration(value.kind, Value::Kind::Slot, Value::Kind::Prepared);
  c.dtype(value.dtype);
  c.u32(value.slot);
  c.u32(value.base);
  c.u32(value.offset);
  ids(c, value.sizes);
  ids(c, value.strides);
}

template <typename C, typename T> void visitOutput(C &c, T &output) {
  c.enumeration(output.kind, Output::Kind::Tensor, Output::Kind::Scalar);
  c.enumeration(output.role, Output::Role::UserOutput, Output::Role::Token);
  c.u32(output.value);
  c.u32(output.expr);
  visit(c, output.constant);
  c.text(output.name);
  c.text(output.path);
  c.text(output.target);
  c.u32(output.aliasOfSlot);
}

void visitArgument(Encoder &c, const Argument &argument, int) {
  const auto &v = argument.value;
  if (std::holds_alternative<Argument::None>(v)) {
    c.u8(KILN_ARGUMENT_NONE);
  } else if (auto *tensor = std::get_if<Argument::TensorRef>(&v)) {
    c.u8(KILN_ARGUMENT_TENSOR);
    c.u32(tensor->value);
  } else if (auto *expr = std::get_if<Argument::ExprRef>(&v)) {
    c.u8(KILN_ARGUMENT_EXPR);
    c.u32(expr->expr);
  } else if (auto *scalar = std::get_if<Argument::ScalarRef>(&v)) {
    c.u8(KILN_ARGUMENT_SCALAR);
    c.u32(scalar->value);
  } else if (auto *b = std::get_if<bool>(&v)) {
    c.u8(KILN_ARGUMENT_BOOL);
    c.boolean(*b);
  } else if (auto *i = std::get_if<int64_t>(&v)) {
    c.u8(KILN_ARGUMENT_INT);
    c.i64(*i);
  } else if (auto *f = std::get_if<double>(&v)) {
    c.u8(KILN_ARGUMENT_FLOAT);
    c.f64(*f);
  } else if (auto *s = std::get_if<std::string>(&v)) {
    c.u8(KILN_ARGUMENT_TEXT);
    c.text(*s);
  } else if (auto *dtype = std::get_if<Argument::DTypeRef>(&v)) {
    c.u8(KILN_ARGUMENT_DTYPE);
    c.dtype(dtype->dtype);
  } else if (auto *list = std::get_if<Argument::List>(&v)) {
    c.u8(KILN_ARGUMENT_LIST);
    c.list(*list, kLeastArgument,
           [&](const Argument &element) { visitArgument(c, element, 0); });
  } else if (auto *complex = std::get_if<std::complex<double>>(&v)) {
    c.u8(KILN_ARGUMENT_COMPLEX);
    c.f64(complex->real());
    c.f64(complex->imag());
  }
}

void visitArgument(Decoder &c, Argument &argument, int depth) {
  auto tag = KILN_ARGUMENT_NONE;
  size_t at = c.position();
  c.enumeration(tag, KILN_ARGUMENT_NONE, KILN_ARGUMENT_COMPLEX);
  switch (tag) {
  case KILN_ARGUMENT_NONE:
    return;
  case KILN_ARGUMENT_TENSOR:
    c.u32(argument.value.emplace<Argument::TensorRef>().value);
    return;
  case KILN_ARGUMENT_EXPR:
    c.u32(argument.value.emplace<Argument::ExprRef>().expr);
    return;
  case KILN_ARGUMENT_SCALAR:
    c.u32(argument.value.emplace<Argument::ScalarRef>().value);
    return;
  case KILN_ARGUMENT_BOOL:
    c.boolean(argument.value.emplace<bool>());
    return;
  case KILN_ARGUMENT_INT:
    c.i64(argument.value.emplace<int64_t>());
    return;
  case KILN_ARGUMENT_FLOAT:
    c.f64(argument.value.emplace<double>());
    return;
  case KILN_ARGUMENT_TEXT:
    c.text(argument.value.emplace<std::string>());
    return;
  case KILN_ARGUMENT_DTYPE:
    argument.value.emplace<Argument::DTypeRef>().dtype = DType::F32;
    c.dtype(std::get<Argument::DTypeRef>(argument.value).dtype);
    return;
  case KILN_ARGUMENT_LIST: {
    if (depth >= KILN_PROGRAM_MAX_ARGUMENT_DEPTH) {
      c.fail(at, "expected lists nested at most " +
                     std::to_string(KILN_PROGRAM_MAX_ARGUMENT_DEPTH) +
                     " deep, found more");
      return;
    }
    auto &list = argument.value.emplace<Argument::List>();
    c.list(list, kLeastArgument,
           [&](Argument &element) { visitArgument(c, element, depth + 1); });
    return;
  }
  case KILN_ARGUMENT_COMPLEX: {
    double real = 0, imaginary = 0;
    c.f64(real);
    c.f64(imaginary);
    argument.value = std::complex<double>(real, imaginary);
    return;
  }
  }
}

template <typename C, typename T> void visitLaunch(C &c, T &step) {
  c.u32(step.kernel);
  ids(c, step.buffers);
  ids(c, step.writes);
  ids(c, step.overwrites);
  ids(c, step.arguments);
  c.u32(step.workItems);
  c.i64(step.grain);
  c.u32(step.scratchBytes);
}

template <typename C, typename T> void visitMap(C &c, T &map) {
  c.u32(map.buffer);
  c.dtype(map.dtype);
  c.u32(map.offset);
  ids(c, map.sizes);
  ids(c, map.strides);
  ids(c, map.box);
  c.u32(map.swizzle);
}

template <typename C, typename T> void visitMatrix(C &c, T &matrix) {
  c.u32(matrix.buffer);
  c.boolean(matrix.isTransposed);
  c.u32(matrix.offset);
  c.u32(matrix.leading);
  c.u32(matrix.apart);
}

template <typename C, typename T> void visitProduct(C &c, T &product) {
  c.dtype(product.factors);
  c.dtype(product.results);
  c.boolean(product.permitsTF32);
  c.u32(product.matrices);
  c.u32(product.rows);
  c.u32(product.columns);
  c.u32(product.sum);
  visitMatrix(c, product.left);
  visitMatrix(c, product.right);
  visitMatrix(c, product.result);
  c.u32(product.bias);
}

template <typename C, typename T> void visitConvolutionImage(C &c, T &image) {
  c.u32(image.buffer);
  c.u32(image.offset);
  c.u32(image.image);
  c.u32(image.channel);
  ids(c, image.places);
}

template <typename C, typename T> void visitConvolution(C &c, T &convolution) {
  c.dtype(convolution.elements);
  c.boolean(convolution.permitsTF32);
  c.boolean(convolution.isGradient);
  c.u32(convolution.images);
  c.u32(convolution.groups);
  c.u32(convolution.channels);
  c.u32(convolution.filters);
  ids(c, convolution.inputs);
  ids(c, convolution.outputs);
  ids(c, convolution.taps);
  ids(c, convolution.strides);
  ids(c, convolution.dilations);
  ids(c, convolution.padding);
  visitConvolutionImage(c, convolution.source);
  visitConvolutionImage(c, convolution.target);
  c.u32(convolution.weight);
  c.u32(convolution.weightOffset);
  c.boolean(convolution.isChannelsLast);
}

/// What a library may do, behind the number of its kind.
template <typename C, typename T> void visitLibrary(C &c, T &library) {
  enum class Kind : uint8_t { None, Product, Convolution };
  auto kind = static_cast<Kind>(library.index());
  c.enumeration(kind, Kind::None, Kind::Convolution);
  if constexpr (C::isDecoder) {
    if (kind == Kind::Product)
      library = GridStep::Product();
    else if (kind == Kind::Convolution)
      library = GridStep::Convolution();
  }
  if (auto *product = std::get_if<GridStep::Product>(&library))
    visitProduct(c, *product);
  else if (auto *convolution = std::get_if<GridStep::Convolution>(&library))
    visitConvolution(c, *convolution);
}

template <typename C, typename T> void visitGrid(C &c, T &step) {
  ids(c, step.buffers);
  ids(c, step.writes);
  ids(c, step.overwrites);
  c.boolean(step.hasWorkspace);
  c.u32(step.narrow);
  c.list(step.parts, kLeastPart, [&](auto &part) {
    c.u32(part.kernel);
    c.u32(part.wide);
    ids(c, part.arguments);
    c.u32(part.blocks);
    c.u32(part.threads);
    c.u32(part.sharedBytes);
    c.list(part.maps, kLeastMap, [&](auto &map) { visitMap(c, map); });
  });
  visitLibrary(c, step.library);
  c.list(step.checks, kLeastText, [&](auto &check) { c.text(check); });
}

template <typename C, typename T> void visitExtern(C &c, T &step) {
  c.text(step.overload);
  c.list(step.arguments, kLeastArgument,
         [&](auto &argument) { visitArgument(c, argument, 0); });
  ids(c, step.results);
  c.text(step.reason);
  c.text(step.location);
}

template <typename C, typename T> void visitCopy(C &c, T &step) {
  c.u32(step.source);
  c.u32(step.target);
}

template <typename C, typename T> void visitDefine(C &c, T &step) {
  c.u32(step.symbol);
  c.u32(step.value);
  c.u32(step.dim);
}

template <typename C, typename T> void visitAssert(C &c, T &step) {
  c.u32(step.condition);
  c.text(step.message);
}

template <typename C, typename T> void visitControl(C &c, T &step) {
  c.enumeration(step.kind, ControlStep::Kind::Branch, ControlStep::Kind::Scan);
  ids(c, step.bodies);
  c.list(step.arguments, kLeastArgument,
         [&](auto &argument) { visitArgument(c, argument, 0); });
  c.u32(step.carried);
  c.u32(step.scanned);
  ids(c, step.results);
  c.text(step.location);
}

void visitStep(Encoder &c, const Step &step) {
  c.u8(static_cast<uint8_t>(KILN_STEP_LAUNCH + step.index()));
  if (auto *launch = std::get_if<LaunchStep>(&step))
    visitLaunch(c, *launch);
  else if (auto *call = std::get_if<ExternStep>(&step))
    visitExtern(c, *call);
  else if (auto *copy = std::get_if<CopyStep>(&step))
    visitCopy(c, *copy);
  else if (auto *define = std::get_if<DefineSymbolStep>(&step))
    visitDefine(c, *define);
  else if (auto *check = std::get_if<AssertStep>(&step))
    visitAssert(c, *check);
  else if (auto *release = std::get_if<ReleaseStep>(&step))
    ids(c, release->values);
  else if (auto *control = std::get_if<ControlStep>(&step))
    visitControl(c, *control);
  else if (auto *grid = std::get_if<GridStep>(&step))
    visitGrid(c, *grid);
}

void visitStep(Decoder &c, Step &step) {
  auto tag = KILN_STEP_LAUNCH;
  c.enumeration(tag, KILN_STEP_LAUNCH, KILN_STEP_GRID);
  switch (tag) {
  case KILN_STEP_LAUNCH:
    return visitLaunch(c, step.emplace<LaunchStep>());
  case KILN_STEP_EXTERN:
    return visitExtern(c, step.emplace<ExternStep>());
  case KILN_STEP_COPY:
    return visitCopy(c, step.emplace<CopyStep>());
  case KILN_STEP_DEFINE_SYMBOL:
    return visitDefine(c, step.emplace<DefineSymbolStep>());
  case KILN_STEP_ASSERT:
    return visitAssert(c, step.emplace<AssertStep>());
  case KILN_STEP_RELEASE:
    return ids(c, step.emplace<ReleaseStep>().values);
  case KILN_STEP_CONTROL:
    return visitControl(c, step.emplace<ControlStep>());
  case KILN_STEP_GRID:
    return visitGrid(c, step.emplace<GridStep>());
  }
}

template <typename C, typename T> void visitProgram(C &c, T &program) {
  c.text(program.name);
  c.list(program.symbols, kLeastSymbol,
         [&](auto &symbol) { visitSymbol(c, symbol); });
  c.list(program.exprs, kLeastExpr, [&](auto &expr) { c.code(expr.code); });
  c.list(program.slots, kLeastSlot, [&](auto &slot) { visitSlot(c, slot); });
  c.list(program.values, kLeastValue,
         [&](auto &value) { visitValue(c, value); });
  c.list(program.steps, kLeastStep, [&](auto &step) { visitStep(c, step); });
  c.list(program.outputs, kLeastOutput,
         [&](auto &output) { visitOutput(c, output); });
  c.u32(program.arenaBytes);
}

} // namespace

void encodeProgram(const Program &program, std::vector<uint8_t> &out) {
  Encoder encoder(out);
  encoder.u32(KILN_PROGRAM_MAGIC);
  encoder.u32(KILN_PROGRAM_VERSION);
  visitProgram(encoder, program);
}

Result<Program> decodeProgram(const uint8_t *data, size_t size) {
  Decoder decoder(ByteView(data, size), "program");
  uint32_t magic = 0, version = 0;
  decoder.u32(magic);
  decoder.u32(version);
  if (decoder.ok() && magic != KILN_PROGRAM_MAGIC)
    decoder.fail(0, "expected the mark of a program, found other bytes");
  if (decoder.ok() && version != KILN_PROGRAM_VERSION)
    decoder.fail(4, "expected program version " +
                        std::to_string(KILN_PROGRAM_VERSION) + ", found " +
                        std::to_string(version));
  Program program;
  visitProgram(decoder, program);
  if (Status status = decoder.finish(); !status)
    return status.takeError();
  if (Status status = verifyProgram(program); !status)
    return status.takeError();
  return program;
}

} // namespace kiln::package

//===- SampleProgram.h - Programs for tests, built by hand ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_SAMPLEPROGRAM_H
#define KILN_TEST_SAMPLEPROGRAM_H

#include "kiln/Package/ExprBuilder.h"
#include "kiln/Package/Package.h"

namespace kiln::test {

using namespace kiln::package;

/// Adds pieces to a program and returns their indices.
class ProgramBuilder {
public:
  explicit ProgramBuilder(std::string name = "main") {
    program.name = std::move(name);
  }

  ExprId expr(Expr e) {
    program.exprs.push_back(std::move(e));
    return static_cast<ExprId>(program.exprs.size() - 1);
  }
  ExprId integer(int64_t value) {
    return expr(ExprBuilder().integer(value).build());
  }
  ExprId symbol(uint32_t index) {
    return expr(ExprBuilder().symbol(index).build());
  }
  uint32_t sizeSymbol(std::string name, uint32_t slot, uint32_t dim,
                      int64_t min = 0,
                      int64_t max = std::numeric_limits<int64_t>::max()) {
    Symbol s;
    s.name = std::move(name);
    s.slot = slot;
    s.dim = dim;
    s.min = min;
    s.max = max;
    program.symbols.push_back(s);
    return static_cast<uint32_t>(program.symbols.size() - 1);
  }
  uint32_t stepSymbol(std::string name) {
    Symbol s;
    s.name = std::move(name);
    s.source = Symbol::Source::Step;
    program.symbols.push_back(s);
    return static_cast<uint32_t>(program.symbols.size() - 1);
  }
  uint32_t slot(std::string name, std::vector<ExprId> sizes,
                DType dtype = DType::F32) {
    Slot s;
    s.name = std::move(name);
    s.sizes = std::move(sizes);
    s.dtype = dtype;
    program.slots.push_back(s);
    return static_cast<uint32_t>(program.slots.size() - 1);
  }
  ValueId value(Value::Kind kind, std::vector<ExprId> sizes,
                DType dtype = DType::F32) {
    Value v;
    v.kind = kind;
    v.sizes = std::move(sizes);
    v.dtype = dtype;
    program.values.push_back(v);
    return static_cast<ValueId>(program.values.size() - 1);
  }
  /// The value of a slot, with its sizes.
  ValueId slotValue(uint32_t slot) {
    ValueId id = value(Value::Kind::Slot, program.slots[slot].sizes,
                       program.slots[slot].dtype);
    program.values[id].slot = slot;
    return id;
  }
  ValueId arena(ExprId offset, std::vector<ExprId> sizes) {
    ValueId id = value(Value::Kind::Arena, std::move(sizes));
    program.values[id].offset = offset;
    return id;
  }
  ValueId view(ValueId base, ExprId offset, std::vector<ExprId> sizes,
               std::vector<ExprId> strides = {}) {
    ValueId id = value(Value::Kind::View, std::move(sizes));
    program.values[id].base = base;
    program.values[id].offset = offset;
    program.values[id].strides = std::move(strides);
    return id;
  }
  LaunchStep &launch(uint32_t kernel, std::vector<ValueId> buffers,
                     std::vector<ExprId> arguments, ExprId work) {
    LaunchStep step;
    step.kernel = kernel;
    step.buffers = std::move(buffers);
    step.arguments = std::move(arguments);
    step.workItems = work;
    program.steps.emplace_back(step);
    return std::get<LaunchStep>(program.steps.back());
  }
  ExternStep &call(std::string overload, std::vector<Argument> arguments,
                   std::vector<ValueId> results) {
    ExternStep step;
    step.overload = std::move(overload);
    step.arguments = std::move(arguments);
    step.results = std::move(results);
    program.steps.emplace_back(step);
    return std::get<ExternStep>(program.steps.back());
  }
  ControlStep &control(ControlStep::Kind kind, std::vector<uint32_t> bodies,
                       std::vector<Argument> arguments,
                       std::vector<ValueId> results) {
    ControlStep step;
    step.kind = kind;
    step.bodies = std::move(bodies);
    step.arguments = std::move(arguments);
    step.results = std::move(results);
    program.steps.emplace_back(step);
    return std::get<ControlStep>(program.steps.back());
  }
  Output &output(ValueId value, std::string name = "y",
                 Output::Role role = Output::Role::UserOutput) {
    Output o;
    o.value = value;
    o.name = std::move(name);
    o.role = role;
    program.outputs.push_back(o);
    return program.outputs.back();
  }

  Program program;
};

inline Argument tensorArg(ValueId value) {
  return {Argument::TensorRef{value}};
}
inline Argument exprArg(ExprId expr) { return {Argument::ExprRef{expr}}; }

/// y = x + 1 on x : f32[s0, 4], one kernel; the example of Program.h.
inline Package samplePackage() {
  ProgramBuilder b;
  b.sizeSymbol("s0", 0, 0, 2, 64);
  ExprId rows = b.symbol(0);
  ExprId columns = b.integer(4);
  ExprId one = b.integer(1);
  ExprId work =
      b.expr(ExprBuilder().symbol(0).integer(4).op(KILN_EXPR_MUL).build());
  uint32_t slot = b.slot("x", {rows, columns});
  ValueId x = b.slotValue(slot);
  ValueId y = b.value(Value::Kind::New, {rows, columns});
  LaunchStep &launch = b.launch(0, {x, y}, {one}, work);
  launch.writes = {1};
  b.output(y);
  Package package;
  package.programs.push_back(std::move(b.program));
  package.image.target = "x86-64";
  package.image.kernels = {{"add", 0}};
  package.image.bytes = {0xc3};
  package.facts.backend = "inductor";
  return package;
}

/// `samplePackage` for a GPU, with one of everything that a grid can say.
inline Package gridPackage() {
  Package package = samplePackage();
  ProgramBuilder b;
  b.program = std::move(package.programs[0]);
  LaunchStep launch = std::get<LaunchStep>(b.program.steps[0]);
  ValueId workspace =
      b.value(Value::Kind::New, {b.integer(1024)}, DType::I8);
  GridStep grid;
  grid.buffers = {launch.buffers[0], launch.buffers[1], workspace};
  grid.writes = {1, 2};
  grid.overwrites = {1, 0};
  grid.hasWorkspace = true;
  grid.narrow = launch.workItems;
  GridStep::TensorMap map;
  map.offset = b.integer(0);
  map.sizes = {b.integer(4), b.symbol(0)};
  map.strides = {b.integer(16)};
  map.box = {4, 64};
  map.swizzle = 64;
  GridStep::Part part;
  part.wide = 1;
  part.arguments = launch.arguments;
  part.blocks = launch.workItems;
  part.threads = 256;
  part.sharedBytes = 4096;
  part.maps = {map};
  grid.parts = {part, part};
  GridStep::Product product;
  product.matrices = launch.arguments[0];
  product.rows = product.columns = b.symbol(0);
  product.sum = b.integer(4);
  product.left.offset = product.left.apart = map.offset;
  product.left.leading = product.sum;
  product.right = product.left;
  product.right.isTransposed = true;
  product.result = product.left;
  product.result.buffer = 1;
  product.permitsTF32 = true;
  product.bias = 0;
  grid.library = product;
  b.program.steps = {grid};
  package.programs[0] = std::move(b.program);
  package.image.target = "sm_90a";
  package.image.kind = KILN_IMAGE_PTX;
  package.image.requiredFeatures = 90 | KILN_GPU_EXACT;
  package.image.kernels = {{"add", 0}, {"add$64", 2}};
  package.image.bytes = {'a', 0, 'b', 0};
  return package;
}

/// The same with assertions of its own in place of the product.
inline Package checkedPackage() {
  Package package = gridPackage();
  GridStep &grid = std::get<GridStep>(package.programs[0].steps[0]);
  grid.library = std::monostate();
  grid.checks = {"x is large (at model.py:3)", "y is large"};
  return package;
}

/// The same with a convolution in place of the product.
inline Package convolutionPackage() {
  Package package = gridPackage();
  GridStep &grid = std::get<GridStep>(package.programs[0].steps[0]);
  const GridStep::Product product = std::get<GridStep::Product>(grid.library);
  GridStep::Convolution c;
  c.images = c.groups = product.rows;
  c.channels = c.filters = product.sum;
  c.inputs = c.outputs = {product.rows, product.sum};
  c.taps = {product.sum, product.sum};
  c.strides = {2, 3};
  c.dilations = {1, 4};
  c.padding = {0, 5};
  c.source.offset = c.source.image = product.left.offset;
  c.source.channel = product.sum;
  c.source.places = {product.sum, product.rows};
  c.target = c.source;
  c.target.buffer = 1;
  c.weightOffset = product.left.offset;
  c.permitsTF32 = true;
  c.isChannelsLast = true;
  grid.library = c;
  return package;
}

/// t -> t on f32[2]: a body that gives back what it gets.
inline Program sampleBody(std::string name) {
  ProgramBuilder b(std::move(name));
  b.output(b.slotValue(b.slot("t", {b.integer(2)})), "");
  return b.program;
}

/// `samplePackage` with one of everything the format can say.
inline Package richPackage() {
  Package package = samplePackage();
  Program &p = package.programs[0];
  ProgramBuilder b;
  b.program = std::move(p);
  std::get<LaunchStep>(b.program.steps[0]).overwrites = {1, 0};
  uint32_t u0 = b.stepSymbol("u0");
  ExprId count = b.symbol(u0);
  ExprId zero = b.integer(0);
  ExprId size = b.integer(256);
  b.program.arenaBytes = size;
  ValueId temp = b.arena(zero, {count});
  ValueId part = b.view(1, zero, {b.integer(2)}, {b.integer(1)});
  ValueId found = b.value(Value::Kind::Dynamic, {count}, DType::I64);
  ValueId constant = b.value(Value::Kind::Constant, {b.integer(2)});
  ValueId x2 = b.view(1, zero, {b.integer(3), b.integer(2)});
  b.program.values[constant].slot = 0;
  Argument::List list = {{int64_t(-1)}, {true}, {2.5}, {std::string("text")},
                         {Argument::DTypeRef{DType::BF16}},
                         {Argument::None{}}, exprArg(0),
                         {std::complex<double>(1, -2)}};
  ExternStep &call = b.call("aten.nonzero.default",
                            {tensorArg(1), tensorArg(constant),
                             {Argument::List{{list}, {int64_t(7)}}}},
                            {found, kNone});
  call.reason = "no kernel for data-dependent sizes";
  call.location = "model.py:12";
  b.program.steps.emplace_back(DefineSymbolStep{u0, found, 0});
  b.program.steps.emplace_back(CopyStep{part, temp});
  b.program.steps.emplace_back(
      AssertStep{b.expr(ExprBuilder().symbol(u0).integer(0).op(KILN_EXPR_GE)
                            .build()),
                 "u0 >= 0"});
  b.call("aten.item.default", {{Argument::ScalarRef{part}}}, {kNone});
  b.program.steps.emplace_back(ReleaseStep{{found}});
  ValueId chosen = b.value(Value::Kind::Dynamic, {b.integer(2)});
  ControlStep &branch =
      b.control(ControlStep::Kind::Branch, {0, 1},
                {{true}, tensorArg(part)}, {chosen});
  branch.location = "model.py:13";
  b.control(ControlStep::Kind::Scan, {1}, {tensorArg(x2)}, {kNone}).scanned = 1;
  Output &number = b.output(kNone, "n");
  number.kind = Output::Kind::Expr;
  number.expr = count;
  Output &fixed = b.output(kNone, "c");
  fixed.kind = Output::Kind::Constant;
  fixed.constant = std::string("value");
  p = std::move(b.program);
  Guard size0;
  size0.kind = KILN_GUARD_SIZE;
  size0.dim = 1;
  size0.value = 4;
  Guard relation;
  relation.kind = KILN_GUARD_EXPR;
  relation.expr = 0;
  relation.text = "s0";
  package.guards = {size0, relation};
  package.constants = {
      {DType::F32, {2}, SharedBytes::own(std::vector<uint8_t>(8, 1))}};
  package.bodies = {sampleBody("then"), sampleBody("else")};
  package.reasons = {{Reason::Kind::Missed, "loop-fuse", "not-fused", "main",
                      {{"first", "op0"}, {"Reason", "two lines\nof text"}}}};
  package.facts.bytesRead = 77;
  return package;
}

} // namespace kiln::test

#endif // KILN_TEST_SAMPLEPROGRAM_H

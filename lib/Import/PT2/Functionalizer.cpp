//===- Functionalizer.cpp - Tensors that share memory ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Functionalizer.h"

#include "kiln/Dialect/Aten/IR/AtenBuilder.h"
#include "kiln/Dialect/Aten/IR/AtenOps.h"

#include "mlir/IR/IRMapping.h"

using namespace kiln;
using namespace kiln::pt2;
using aten::AtenBuilder;
using aten::ArgValue;

Functionalizer::Tensor Functionalizer::add(Value value, StringRef input) {
  memories.push_back({value, input.str(), 0, {}});
  tensors.push_back({unsigned(memories.size() - 1), {}, value, 0});
  return tensors.size() - 1;
}

Functionalizer::Tensor Functionalizer::addView(Tensor of, Operation *op,
                                               unsigned result,
                                               unsigned operand) {
  State state = tensors[of];
  state.path.push_back({op, result, operand});
  state.value = op->getResult(result);
  state.version = memories[state.memory].version;
  tensors.push_back(std::move(state));
  return tensors.size() - 1;
}

Functionalizer::Tensor
Functionalizer::addPerhapsView(Tensor of, Value value, StringRef why) {
  Tensor result = add(value);
  for (Tensor tensor : {result, of})
    memories[tensors[tensor].memory].unknownView = why.str();
  return result;
}

/// `op` on another operand: what a view operator gives now.
static Value replay(OpBuilder &b, Operation *op, unsigned operand, Value base,
                    unsigned result) {
  Operation *copy = b.clone(*op);
  copy->setOperand(operand, base);
  return copy->getResult(result);
}

Value Functionalizer::read(Tensor tensor) {
  State &state = tensors[tensor];
  const Memory &memory = memories[state.memory];
  if (state.version == memory.version)
    return state.value;
  Value value = memory.contents;
  for (const Step &step : state.path)
    value = replay(b, step.op, step.operand, value, step.result);
  state.value = value;
  state.version = memory.version;
  return value;
}

void Functionalizer::change(Tensor tensor, Operation *op) {
  State &state = tensors[tensor];
  state.path.push_back({op, 0, 0});
  state.value = op->getResult(0);
  state.version = memories[state.memory].version;
}

Status Functionalizer::move(Tensor tensor, Value contents) {
  for (auto [other, state] : llvm::enumerate(tensors))
    if (other != tensor && state.memory == tensors[tensor].memory)
      return Error::unsupported("other tensors look at its memory");
  memories.push_back({contents, {}, 0, {}});
  tensors[tensor] = {unsigned(memories.size() - 1), {}, contents, 0};
  return Status::success();
}

std::vector<std::pair<std::string, Value>> Functionalizer::mutations() const {
  std::vector<std::pair<std::string, Value>> result;
  for (const Memory &memory : memories)
    if (memory.version != 0 && !memory.input.empty())
      result.emplace_back(memory.input, memory.contents);
  return result;
}

Status Functionalizer::write(Tensor tensor, Value contents, Location loc) {
  State &state = tensors[tensor];
  Memory &memory = memories[state.memory];
  if (!memory.unknownView.empty())
    return Error::unsupported("it is not known whether " + memory.unknownView +
                              " shares its memory; expected a program after "
                              "run_decompositions()");
  // What each view on the way sees before the write.
  SmallVector<Value> seen = {memory.contents};
  for (const Step &step : ArrayRef(state.path).drop_back(!state.path.empty()))
    seen.push_back(
        replay(b, step.op, step.operand, seen.back(), step.result));
  Value value = contents;
  for (size_t k = state.path.size(); k-- > 0;) {
    std::string reason;
    value = writeThrough(state.path[k], seen[k], value, loc, reason);
    if (!value)
      return Error::unsupported(
          "it changes a tensor through '" +
          state.path[k].op->getName().getStringRef().str() + "', " +
          (reason.empty() ? "which cannot be written through" : reason));
  }
  memory.contents = value;
  ++memory.version;
  state.value = contents;
  state.version = memory.version;
  return Status::success();
}

//===----------------------------------------------------------------------===//
// The inverse of a view
//===----------------------------------------------------------------------===//

/// The dimensions of a permutation that undoes `dims`.
static SmallVector<int64_t> invert(ArrayRef<int64_t> dims) {
  SmallVector<int64_t> inverse(dims.size());
  for (auto [k, dim] : llvm::enumerate(dims))
    inverse[AtenBuilder::wrapDim(dim, dims.size())] = k;
  return inverse;
}

/// The argument `name` of a view operator.
static ArgValue argumentOf(Operation *op, StringRef name) {
  const aten::OpInfo *info = aten::getOpInfo(op);
  return aten::getSchemaArguments(op)[info->getArgIndex(name)];
}

static int64_t integerOf(Operation *op, StringRef name) {
  return llvm::cast<mlir::IntegerAttr>(argumentOf(op, name).getAttribute())
      .getInt();
}

Value Functionalizer::writePart(const Step &step, Value base, Value source,
                                Location loc) {
  AtenBuilder builder(b, loc);
  int64_t dim = integerOf(step.op, "dim");
  if (llvm::isa<aten::UnbindIntOp>(step.op))
    return builder.call("aten.select_scatter",
                        {base, source, b.getI64IntegerAttr(dim),
                         builder.expr(step.result)});
  // It begins where the parts before it end.
  guard::ExprAttr start = builder.expr(0);
  for (unsigned k = 0; k < step.result; ++k)
    start = start + AtenBuilder::dimOf(step.op->getResult(k), dim);
  guard::ExprAttr end = start + AtenBuilder::dimOf(source, dim);
  return builder.call("aten.slice_scatter",
                      {base, source, b.getI64IntegerAttr(dim), start, end,
                       builder.expr(1)});
}

Value Functionalizer::writeThrough(const Step &step, Value base, Value source,
                                   Location loc, std::string &reason) {
  if (!aten::getOpInfo(step.op))
    return {};
  Operation *op = step.op;
  StringRef name = op->getName().getStringRef();
  AtenBuilder builder(b, loc);
  int64_t rank = AtenBuilder::rankOf(base);
  auto arg = [&](StringRef which) { return argumentOf(op, which); };

  // The same elements in another order.
  if (llvm::isa<aten::PermuteOp>(op))
    return builder.permute(
        source, invert(llvm::cast<mlir::DenseI64ArrayAttr>(
                           arg("dims").getAttribute())
                           .asArrayRef()));
  if (llvm::isa<aten::NumpyTOp>(op)) {
    return builder.permute(source, llvm::to_vector(llvm::reverse(
                                       llvm::seq<int64_t>(0, rank))));
  }
  if (llvm::isa<aten::TOp>(op))
    return rank < 2 ? source : builder.t(source);
  if (llvm::isa<aten::TransposeIntOp>(op))
    return rank == 0 ? source
                     : builder.transpose(source, integerOf(op, "dim0"),
                                         integerOf(op, "dim1"));
  if (llvm::isa<aten::SwapaxesOp>(op))
    return builder.transpose(source, integerOf(op, "axis0"),
                             integerOf(op, "axis1"));
  if (llvm::isa<aten::MovedimIntOp>(op))
    return builder.call(name, {source, arg("destination"), arg("source")});

  // A part of the elements.
  if (llvm::isa<aten::SelectIntOp>(op))
    return builder.call("aten.select_scatter",
                        {base, source, arg("dim"), arg("index")});
  if (llvm::isa<aten::SliceTensorOp>(op))
    return builder.call("aten.slice_scatter",
                        {base, source, arg("dim"), arg("start"), arg("end"),
                         arg("step")});
  if (llvm::isa<aten::NarrowOp>(op)) {
    auto start = llvm::cast<guard::ExprAttr>(arg("start").getAttribute());
    int64_t dim = integerOf(op, "dim");
    if (auto constant = start.getConstant(); constant && *constant < 0)
      start = start + AtenBuilder::dimOf(base, dim);
    return builder.call("aten.slice_scatter",
                        {base, source, arg("dim"), start,
                         start + AtenBuilder::dimOf(source, dim),
                         builder.expr(1)});
  }
  if (llvm::isa<aten::DiagonalOp>(op))
    return builder.call("aten.diagonal_scatter",
                        {base, source, arg("offset"), arg("dim1"),
                         arg("dim2")});
  if (llvm::isa<aten::AsStridedOp>(op))
    return builder.call("aten.as_strided_scatter",
                        {base, source, arg("size"), arg("stride"),
                         arg("storage_offset")});
  if (llvm::isa<aten::SplitTensorOp, aten::SplitWithSizesOp, aten::ChunkOp,
                aten::TensorSplitIndicesOp, aten::TensorSplitSectionsOp,
                aten::UnbindIntOp>(op))
    return writePart(step, base, source, loc);

  // The same bytes as other numbers.
  if (llvm::isa<aten::ConjOp, aten::NegViewOp>(op))
    return builder.call(name, {source});
  if (llvm::isa<aten::ViewAsComplexOp>(op))
    return builder.call("aten.view_as_real", {source});
  if (llvm::isa<aten::ViewAsRealOp>(op))
    return builder.call("aten.view_as_complex", {source});
  if (llvm::isa<aten::ViewDtypeOp>(op))
    return builder.call(
        name, {source, mlir::TypeAttr::get(AtenBuilder::elementTypeOf(base))});
  if (AtenBuilder::elementTypeOf(base) != AtenBuilder::elementTypeOf(source))
    return {};

  // The same elements in the same order.
  auto count = [](Value tensor) { return AtenBuilder::numelOf(tensor); };
  if (llvm::isa<aten::ExpandOp, aten::ExpandAsOp, aten::BroadcastTensorsOp,
                aten::MeshgridOp>(op)) {
    if (count(base) != count(source)) {
      reason = "where several elements share memory";
      return {};
    }
  } else if (llvm::isa<aten::UnfoldOp, aten::RealOp, aten::ImagOp>(op)) {
    return {};
  }
  return builder.view(source, AtenBuilder::dimsOf(base));
}

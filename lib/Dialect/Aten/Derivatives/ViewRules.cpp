//===- ViewRules.cpp - Derivatives of views and parts ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace kiln::aten {

//===----------------------------------------------------------------------===//
// Strides
//===----------------------------------------------------------------------===//

/// For each element of a view with the given sizes and strides, where it is in
/// the storage: a flat i64 tensor.
static Value positionsOf(FormulaBuilder &b, ArrayRef<ExprAttr> sizes,
                         ArrayRef<ExprAttr> strides, ExprAttr offset) {
  Type i64 = b.getBuilder().getI64Type();
  Value positions = b.full(Sizes(), b.number(offset), i64);
  for (auto [size, stride] : llvm::zip(sizes, strides)) {
    Value along = b.mul(b.iota(size, i64), b.number(stride));
    positions = b.add(b.unsqueeze(positions, -1), along);
  }
  return b.view(positions, Sizes{guard::getNumElements(b.getContext(), sizes)});
}

namespace {
/// Which elements of its storage a tensor is made of.
struct Geometry {
  Sizes sizes, strides;
  ExprAttr offset;
};
} // namespace

/// Of a program's input what the program says; anything else has its elements
/// row by row. Null if only the run knows where an input starts.
static std::optional<Geometry> geometryOf(FormulaBuilder &b, Value v) {
  Sizes sizes = b.dimsOf(v);
  Geometry rowMajor{sizes,
                    Sizes(guard::getContiguousStrides(b.getContext(), sizes)),
                    b.expr(0)};
  auto argument = llvm::dyn_cast<mlir::BlockArgument>(v);
  auto func = argument ? llvm::dyn_cast<mlir::FunctionOpInterface>(
                             argument.getOwner()->getParentOp())
                       : mlir::FunctionOpInterface();
  if (!func)
    return rowMajor;
  unsigned i = argument.getArgNumber();
  auto input = func.getArgAttrOfType<InputAttr>(i, kInputAttrName);
  if (input && input.getStrides())
    rowMajor.strides = Sizes(input.getStrides().getDims());
  if (Attribute start = func.getArgAttr(i, kStorageOffsetAttrName)) {
    rowMajor.offset = llvm::dyn_cast<ExprAttr>(start);
    if (!rowMajor.offset)
      return std::nullopt;
  }
  return rowMajor;
}

/// How many elements a storage has that ends with the last one of `g`.
static ExprAttr storageSize(FormulaBuilder &b, const Geometry &g) {
  ExprAttr last = g.offset;
  for (auto [size, stride] : llvm::zip(g.sizes, g.strides))
    last = guard::add(last, guard::mul(guard::sub(size, b.expr(1)), stride));
  return guard::add(last, b.expr(1));
}

/// True unless every element of the storage is surely in `g` once at most: a
/// stride steps over all that smaller strides reach.
static bool mayOverlap(const Geometry &g) {
  SmallVector<std::pair<int64_t, int64_t>> steps; // stride, size
  for (auto [size, stride] : llvm::zip(g.sizes, g.strides)) {
    if (size.isConstant(1))
      continue;
    if (!size.isConstant() || !stride.isConstant())
      return true;
    steps.push_back({stride.getPayload(), size.getPayload()});
  }
  llvm::sort(steps);
  int64_t reach = 0;
  for (auto [stride, size] : steps) {
    if (stride <= reach)
      return true;
    reach += stride * (size - 1);
  }
  return false;
}

/// Gradients of the view add up in a storage that holds both it and the operand,
/// and the operand reads its own from there. Elements of the operand that share
/// memory share what came together there, as in PyTorch.
static LogicalResult vjpStorage(const ViewMap &map, VjpState &state) {
  if (!state.isOperandWanted(0))
    return success();
  FormulaBuilder &b = state.builder;
  Value self = state.getOp()->getOperand(0);
  std::optional<Geometry> in = geometryOf(b, self);
  if (!in)
    return state.refuse("reads the storage of an input that starts where only "
                        "the run knows; expected a known offset for its "
                        "derivative");
  Geometry out{Sizes(map.sizes.begin(), map.sizes.end()), {},
               map.start.empty() ? in->offset : map.start.front()};
  for (const auto &step : map.steps)
    out.strides.push_back(step.by);
  auto isEmpty = [](const Geometry &g) {
    return llvm::any_of(g.sizes, [](ExprAttr s) { return s.isConstant(0); });
  };
  Type element = FormulaBuilder::elementTypeOf(self);
  if (isEmpty(*in) || isEmpty(out)) {
    state.setOperand(0, b.filled(self, 0));
    return success();
  }
  // Row by row from the first element on, the operand is a storage itself.
  bool isStorage =
      in->offset.isConstant(0) &&
      in->strides == Sizes(guard::getContiguousStrides(b.getContext(),
                                                       in->sizes));
  ExprAttr count = b.numelOf(self);
  if (!isStorage) {
    ExprAttr start = guard::min(in->offset, out.offset);
    in->offset = guard::sub(in->offset, start);
    out.offset = guard::sub(out.offset, start);
    count = guard::max(storageSize(b, *in), storageSize(b, out));
  }
  auto addUp = [&](const Geometry &g, Value values) {
    Value flat = b.view(values, Sizes{b.numelOf(values)});
    return b.indexPut(b.full(Sizes{count}, 0.0, element),
                      {positionsOf(b, g.sizes, g.strides, g.offset)}, flat,
                      /*accumulate=*/true);
  };
  Value storage = addUp(out, state.grad(0));
  if (!isStorage) {
    Value positions = positionsOf(b, in->sizes, in->strides, in->offset);
    if (mayOverlap(*in))
      storage = b.div(storage, addUp(*in, b.filled(self, 1)));
    storage = b.indexSelect(storage, 0, positions);
  }
  state.setOperand(0, state.like(storage, self));
  return success();
}

//===----------------------------------------------------------------------===//
// What shows elements of its operand
//===----------------------------------------------------------------------===//

/// The dimension of a tensor of `sizes` that all views together cover, one behind
/// the other.
static std::optional<unsigned> getJoinedDim(ArrayRef<ViewMap> maps,
                                            ArrayRef<ExprAttr> sizes) {
  std::optional<unsigned> joined;
  for (unsigned dim = 0; dim < sizes.size(); ++dim) {
    ExprAttr end = guard::getConstant(sizes[dim].getContext(), 0);
    bool areParts = true, areWhole = true;
    for (const ViewMap &map : maps) {
      if (map.tensor != 0 || map.kind != ViewKind::Strided ||
          map.sizes.size() != sizes.size() ||
          map.steps.size() != sizes.size())
        return std::nullopt;
      const auto &step = map.steps[dim];
      if (step.from != dim || step.to != dim || !step.by.isConstant(1))
        return std::nullopt;
      areParts &= map.start[dim] == end;
      end = end + map.sizes[dim];
      areWhole &= map.start[dim].isConstant(0) && map.sizes[dim] == sizes[dim];
    }
    if (areWhole)
      continue;
    if (joined || !areParts || end != sizes[dim])
      return std::nullopt;
    joined = dim;
  }
  return joined;
}

LogicalResult vjpView(Operation *op, VjpState &state) {
  auto maps = llvm::cast<ViewOpInterface>(op).getViewMaps();
  if (failed(maps))
    return state.refuse("has sizes that are not known; expected known ones for "
                        "its derivative");
  if (!maps->empty() && maps->front().kind == ViewKind::Storage)
    return vjpStorage(maps->front(), state);
  FormulaBuilder &b = state.builder;
  if (maps->size() > 1 && state.isOperandWanted(0))
    if (auto dim = getJoinedDim(*maps, b.dimsOf(op->getOperand(0)))) {
      SmallVector<Value> parts;
      for (unsigned i = 0; i < maps->size(); ++i)
        parts.push_back(state.grad(i) ? state.grad(i)
                                      : b.filled(op->getResult(i), 0));
      state.setOperand(0, b.concat(parts, *dim));
      return success();
    }
  SmallVector<Value> sums(op->getNumOperands());
  for (auto [i, map] : llvm::enumerate(*maps)) {
    if (!state.grad(i) || !state.isOperandWanted(map.tensor))
      continue;
    Value &sum = sums[map.tensor];
    Value part = addThrough(b, map, b.dimsOf(op->getOperand(map.tensor)),
                            state.grad(i));
    if (!part)
      return state.refuse("has a view that nothing can be added to");
    sum = sum ? b.add(sum, part) : part;
  }
  for (auto [i, sum] : llvm::enumerate(sums))
    if (sum)
      state.setOperand(i, sum);
  return success();
}

//===----------------------------------------------------------------------===//
// Helpers of dags
//===----------------------------------------------------------------------===//

Value VjpState::channelShuffleBack(Value grad, ExprAttr groups) {
  ExprAttr channels = builder.dimOf(grad, 1);
  return builder.channelShuffle(
      grad, guard::exactDivide(channels, groups)
                .value_or(guard::floorDiv(channels, groups)));
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

LogicalResult vjpCat(CatOp op, VjpState &state) {
  FormulaBuilder &b = state.builder;
  Value grad = state.grad(0);
  int64_t rank = FormulaBuilder::rankOf(op.getResult());
  int64_t dim = FormulaBuilder::wrapDim(op.getDim(), rank);
  ExprAttr offset = b.expr(0);
  for (auto [i, tensor] : llvm::enumerate(op.getTensors())) {
    // A one-dimensional tensor of size 0 takes no part, whatever the ranks.
    if (FormulaBuilder::rankOf(tensor) != rank) {
      if (state.isOperandWanted(i))
        state.setOperand(i, b.filled(tensor, 0));
      continue;
    }
    ExprAttr end = guard::add(offset, b.dimOf(tensor, dim));
    if (state.isOperandWanted(i))
      state.setOperand(i, b.sliceTensor(grad, dim, offset, end));
    offset = end;
  }
  return success();
}

LogicalResult vjpStack(StackOp op, VjpState &state) {
  FormulaBuilder &b = state.builder;
  int64_t dim = FormulaBuilder::wrapDim(op.getDim(),
                                        FormulaBuilder::rankOf(op.getResult()));
  for (unsigned i = 0; i < op.getTensors().size(); ++i)
    if (state.isOperandWanted(i))
      state.setOperand(i, b.selectInt(state.grad(0), dim, b.expr(i)));
  return success();
}

/// Sums what `repeats` copies of the operand got.
static Value sumRepeats(VjpState &state, ArrayRef<ExprAttr> repeats) {
  FormulaBuilder &b = state.builder;
  Sizes own = b.dimsOf(state.getOp()->getOperand(0));
  size_t lead = repeats.size() - own.size();
  // [r * a, s * b] is [r, a, s, b] with the repeats summed.
  Sizes split;
  SmallVector<int64_t> summed;
  for (size_t i = 0; i < repeats.size(); ++i) {
    summed.push_back(split.size());
    split.push_back(repeats[i]);
    if (i >= lead)
      split.push_back(own[i - lead]);
  }
  Value grad = b.view(state.grad(0), split);
  return summed.empty() ? grad : b.sumOver(grad, summed);
}

LogicalResult vjpRepeat(RepeatOp op, VjpState &state) {
  if (state.isOperandWanted(0))
    state.setOperand(0, sumRepeats(state, op.getRepeats().getDims()));
  return success();
}

LogicalResult vjpRoll(RollOp op, VjpState &state) {
  if (!state.isOperandWanted(0))
    return success();
  FormulaBuilder &b = state.builder;
  Sizes back;
  for (ExprAttr shift : op.getShifts().getDims())
    back.push_back(guard::neg(shift));
  state.setOperand(0, b.roll(state.grad(0), back, op.getDims()));
  return success();
}

LogicalResult vjpPad(ConstantPadNdOp op, VjpState &state) {
  if (!state.isOperandWanted(0))
    return success();
  FormulaBuilder &b = state.builder;
  Sizes widths;
  for (ExprAttr width : op.getPad().getDims())
    widths.push_back(guard::neg(width));
  state.setOperand(0, b.constantPadNd(state.grad(0), widths, 0.0));
  return success();
}

LogicalResult vjpSelectScatter(SelectScatterOp op, VjpState &state) {
  FormulaBuilder &b = state.builder;
  Value grad = state.grad(0);
  if (state.isWanted(op, 0))
    state.set(op, 0,
              b.selectScatter(grad, b.filled(op.getSrc(), 0), op.getDim(),
                              op.getIndex()));
  if (state.isWanted(op, 1))
    state.set(op, 1, b.selectInt(grad, op.getDim(), op.getIndex()));
  return success();
}

LogicalResult vjpSliceScatter(SliceScatterOp op, VjpState &state) {
  FormulaBuilder &b = state.builder;
  Value grad = state.grad(0);
  if (state.isWanted(op, 0))
    state.set(op, 0,
              b.sliceScatter(grad, b.filled(op.getSrc(), 0), op.getDim(),
                             op.getStart(), op.getEnd(), op.getStep()));
  if (state.isWanted(op, 1))
    state.set(op, 1,
              b.sliceTensor(grad, op.getDim(), op.getStart(), op.getEnd(),
                            op.getStep()));
  return success();
}

LogicalResult vjpTile(TileOp op, VjpState &state) {
  if (!state.isOperandWanted(0))
    return success();
  FormulaBuilder &b = state.builder;
  Sizes repeats(op.getDims().getDims());
  size_t rank = FormulaBuilder::rankOf(op.getSelf());
  if (repeats.size() < rank)
    repeats.insert(repeats.begin(), rank - repeats.size(), b.expr(1));
  state.setOperand(0, sumRepeats(state, repeats));
  return success();
}

LogicalResult vjpRepeatInterleave(RepeatInterleaveSelfIntOp op,
                                  VjpState &state) {
  if (!state.isOperandWanted(0))
    return success();
  FormulaBuilder &b = state.builder;
  Value self = op.getSelf();
  // Each element, repeated, is a dimension to be summed.
  Sizes sizes = b.dimsOf(self);
  size_t at = sizes.size();
  if (op.getDim() && at != 0)
    at = FormulaBuilder::wrapDim(*op.getDim(), sizes.size()) + 1;
  sizes.insert(sizes.begin() + at, op.getRepeats());
  state.setOperand(0, b.sumOver(b.view(state.grad(0), sizes), {int64_t(at)}));
  return success();
}

} // namespace kiln::aten

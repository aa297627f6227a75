//===- LoopInterpreter.cpp - What loop nests mean, one scalar at a time ---===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopInterpreter.h"

#include "FloatFormats.h"
#include "IndexExpr.h"
#include "ScalarInterpreter.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

int64_t Array::count() const {
  int64_t product = 1;
  for (int64_t size : sizes)
    product *= size;
  return product;
}

Scalar &Array::at(ArrayRef<int64_t> index) {
  static Scalar nothing;
  int64_t position = 0;
  for (auto [i, size] : llvm::zip_equal(index, sizes)) {
    if (i < 0 || i >= size) {
      ADD_FAILURE() << "index " << i << " is outside of size " << size;
      return nothing;
    }
    position = position * size + i;
  }
  return elements[position];
}

int64_t loop::evaluateExpr(ExprAttr expr, const SymbolValues &symbols) {
  return IndexExpr(expr, symbols).evaluate({});
}

std::vector<int64_t> loop::evaluateSizes(RankedTensorType type,
                                         const SymbolValues &symbols) {
  std::vector<int64_t> sizes;
  auto dims = guard::getDims(type);
  for (ExprAttr dim : *dims)
    sizes.push_back(evaluateExpr(dim, symbols));
  return sizes;
}

Scalar loop::roundTo(Type type, Scalar value) {
  if (isa<FloatType>(type))
    return {decodeFloat(type, encodeFloat(type, value.real)), 0};
  if (type.isIndex())
    return value;
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 1)
    return {0, value.integer & 1};
  return {0, llvm::APInt(64, value.integer).trunc(width).getSExtValue()};
}

namespace {

class Interpreter {
public:
  explicit Interpreter(const SymbolValues &symbols) : symbols(symbols) {}

  void runBlock(Block &block);
  Array &tensor(Value value) {
    auto it = tensors.find(value);
    if (it == tensors.end()) {
      ADD_FAILURE() << "tensor has no value";
      return tensors[value];
    }
    return it->second;
  }
  llvm::DenseMap<Value, Array> tensors;

private:
  IndexExpr &decode(ExprAttr expr) {
    std::unique_ptr<IndexExpr> &made = exprs[expr];
    if (!made)
      made = std::make_unique<IndexExpr>(expr, symbols);
    return *made;
  }
  std::vector<int64_t> sizesOf(ArrayAttr extents) {
    std::vector<int64_t> sizes;
    for (ExprAttr extent : getExprs(extents))
      sizes.push_back(decode(extent).evaluate({}));
    return sizes;
  }
  Array emptyArray(Value result) {
    Array array;
    array.sizes =
        evaluateSizes(cast<RankedTensorType>(result.getType()), symbols);
    array.elements.resize(array.count());
    return array;
  }
  /// Calls `visit` for each index of a domain in row-major order.
  void forEach(ArrayRef<int64_t> extents,
               llvm::function_ref<void(ArrayRef<int64_t>)> visit) {
    if (llvm::is_contained(extents, 0))
      return;
    std::vector<int64_t> index(extents.size(), 0);
    while (true) {
      visit(index);
      int k = int(extents.size()) - 1;
      while (k >= 0 && ++index[k] == extents[k])
        index[k--] = 0;
      if (k < 0)
        return;
    }
  }
  using Scalars = SmallVector<Scalar, 4>;
  /// Evaluates a body and gives the operands of its terminator.
  Scalars runBody(Block &block, ArrayRef<Scalar> leading,
                  ArrayRef<int64_t> index);
  Scalar get(Value value) { return scalars.lookup(value); }
  void runPointwise(PointwiseOp op);
  void runReduce(ReduceOp op);
  void runScan(ScanOp op);
  void runSort(SortOp op);
  Scalars identities(AccumulationOpInterface op);
  Block &getCombiner(AccumulationOpInterface op);
  void runContract(ContractOp op);
  /// An operand of a contraction.
  struct Factor {
    Array *array;
    Type unsignedElement; ///< null if it is no unsigned integer
    std::vector<IndexExpr *> position;
    IndexExpr *mask; ///< null if it counts everywhere
    Block *prologue;       ///< null if it is taken as it is
  };
  Factor decodeFactor(Value operand, ArrayAttr map, Region &prologue);
  Scalar readFactor(const Factor &factor, ArrayRef<int64_t> index);
  void runScatter(ScatterOp op);
  void combine(AccumulationOpInterface op, Scalars &left,
               ArrayRef<Scalar> right);

  const SymbolValues &symbols;
  /// Constants outside of bodies, and values in them, of the last point.
  llvm::DenseMap<Value, Scalar> scalars;
  llvm::DenseMap<Attribute, std::unique_ptr<IndexExpr>> exprs;
  llvm::DenseMap<Operation *, std::unique_ptr<Block>> combiners;
  bool roundsFloats = true;
};

} // namespace

Interpreter::Scalars Interpreter::runBody(Block &block,
                                          ArrayRef<Scalar> leading,
                                          ArrayRef<int64_t> index) {
  for (auto [k, argument] : llvm::enumerate(block.getArguments()))
    scalars[argument] = k < leading.size()
                            ? leading[k]
                            : Scalar{0, index[k - leading.size()]};
  auto getDims = [&](OperandRange indices) {
    SmallVector<int64_t> dims;
    for (Value operand : indices)
      dims.push_back(get(operand).integer);
    return dims;
  };
  for (Operation &op : block.without_terminator()) {
    if (auto load = dyn_cast<LoadOp>(op)) {
      if (load.getMask() && !get(load.getMask()).integer) {
        scalars[load.getResult()] = get(load.getOther());
        continue;
      }
      SmallVector<int64_t> dims = getDims(load.getIndices()), position;
      for (ExprAttr expr : getExprs(load.getMap()))
        position.push_back(decode(expr).evaluate(dims));
      scalars[load.getResult()] = tensor(load.getTensor()).at(position);
      continue;
    }
    if (auto expr = dyn_cast<IndexOp>(op)) {
      scalars[expr.getResult()] = {
          0, decode(expr.getExpr()).evaluate(getDims(expr.getIndices()))};
      continue;
    }
    Scalars in;
    for (Value operand : op.getOperands())
      in.push_back(get(operand));
    Type type = op.getResult(0).getType();
    Scalar value = evaluate(op, in, symbols);
    scalars[op.getResult(0)] =
        roundsFloats || !isa<FloatType>(type) ? roundTo(type, value) : value;
  }
  Scalars out;
  for (Value operand : block.getTerminator()->getOperands())
    out.push_back(get(operand));
  return out;
}

void Interpreter::runPointwise(PointwiseOp op) {
  Array result = emptyArray(op.getResult());
  forEach(sizesOf(op.getExtents()), [&](ArrayRef<int64_t> index) {
    result.at(index) = runBody(op.getBody().front(), {}, index)[0];
  });
  tensors[op.getResult()] = result;
}

/// The kinds of an accumulation as a block, as its records have it: what a combiner
/// region is for `generic`.
Block &Interpreter::getCombiner(AccumulationOpInterface op) {
  if (!op.getCombiner().empty())
    return op.getCombiner().front();
  std::unique_ptr<Block> &block = combiners[op];
  if (block)
    return *block;
  block = std::make_unique<Block>();
  SmallVector<Type> types = op.getAccumulatorTypes();
  for (int side = 0; side < 2; ++side)
    for (Type type : types)
      block->addArgument(type, op.getLoc());
  ImplicitLocOpBuilder b(op.getLoc(), op->getContext());
  b.setInsertionPointToEnd(block.get());
  SmallVector<Value> arguments(block->getArguments());
  auto joined = op.combine(b, ArrayRef(arguments).take_front(types.size()),
                           ArrayRef(arguments).drop_front(types.size()),
                           [](ArrayRef<Value>, ArrayRef<Value>) {
                             return FailureOr<SmallVector<Value>>();
                           });
  YieldOp::create(b, *joined);
  return *block;
}

void Interpreter::combine(AccumulationOpInterface op, Scalars &left,
                          ArrayRef<Scalar> right) {
  Scalars both(left);
  both.insert(both.end(), right.begin(), right.end());
  // A kernel may add up in any order; the sums in double are nearest to all.
  roundsFloats = !op.getCombiner().empty();
  left = runBody(getCombiner(op), both, {});
  roundsFloats = true;
}

Interpreter::Scalars Interpreter::identities(AccumulationOpInterface op) {
  Scalars accumulators;
  Builder builder(op->getContext());
  for (unsigned k = 0; k < op->getNumResults(); ++k)
    accumulators.push_back(op.getKind(k).kind == ReductionKind::Generic
                               ? scalars.lookup(op.getInits()[k])
                               : toScalar(op.getNeutral(builder, k)));
  return accumulators;
}

void Interpreter::runReduce(ReduceOp op) {
  std::vector<Array> results;
  for (Value result : op.getResults())
    results.push_back(emptyArray(result));
  std::vector<int64_t> parallel = sizesOf(op.getParallelExtents());
  std::vector<int64_t> reduction = sizesOf(op.getReductionExtents());
  forEach(parallel, [&](ArrayRef<int64_t> outer) {
    Scalars accumulators = identities(op);
    forEach(reduction, [&](ArrayRef<int64_t> inner) {
      std::vector<int64_t> index(outer);
      index.insert(index.end(), inner.begin(), inner.end());
      combine(op, accumulators, runBody(op.getBody().front(), {}, index));
    });
    for (unsigned k = 0; k < results.size(); ++k) {
      Type element =
          cast<RankedTensorType>(op.getResult(k).getType()).getElementType();
      results[k].at(outer) = roundTo(getBodyType(element), accumulators[k]);
    }
  });
  for (auto [result, array] : llvm::zip_equal(op.getResults(), results))
    tensors[result] = array;
}

void Interpreter::runScan(ScanOp op) {
  std::vector<Array> results;
  for (Value result : op.getResults())
    results.push_back(emptyArray(result));
  forEach(sizesOf(op.getParallelExtents()), [&](ArrayRef<int64_t> outer) {
    Scalars accumulators = identities(op);
    int64_t count = decode(op.getRowExtent()).evaluate({});
    for (int64_t j = 0; j < count; ++j) {
      std::vector<int64_t> index(outer), place(outer);
      index.push_back(j);
      place.insert(place.begin() + op.getDimension(), j);
      combine(op, accumulators, runBody(op.getBody().front(), {}, index));
      for (unsigned k = 0; k < results.size(); ++k) {
        Type element =
            cast<RankedTensorType>(op.getResult(k).getType()).getElementType();
        results[k].at(place) = roundTo(getBodyType(element), accumulators[k]);
      }
    }
  });
  for (auto [result, array] : llvm::zip_equal(op.getResults(), results))
    tensors[result] = array;
}

void Interpreter::runSort(SortOp op) {
  Array result = emptyArray(op.getResult());
  forEach(sizesOf(op.getParallelExtents()), [&](ArrayRef<int64_t> outer) {
    std::vector<std::vector<int64_t>> keys; // and then the position
    int64_t count = decode(op.getRowExtent()).evaluate({});
    for (int64_t j = 0; j < count; ++j) {
      std::vector<int64_t> index(outer), key;
      index.push_back(j);
      for (Scalar value : runBody(op.getBody().front(), {}, index))
        key.push_back(value.integer);
      key.push_back(j);
      keys.push_back(key);
    }
    std::sort(keys.begin(), keys.end());
    int64_t kept = decode(op.getKeptExtent()).evaluate({});
    for (int64_t j = 0; j < kept; ++j) {
      std::vector<int64_t> place(outer);
      place.insert(place.begin() + op.getDimension(), j);
      result.at(place) = {0, keys[j].back()};
    }
  });
  tensors[op.getResult()] = result;
}

void Interpreter::runContract(ContractOp op) {
  Array result = emptyArray(op.getResult());
  std::vector<int64_t> parallel = sizesOf(op.getParallelExtents());
  std::vector<int64_t> reduction = sizesOf(op.getReductionExtents());
  bool isFloat = isa<FloatType>(op.getAccType());
  Factor lhs = decodeFactor(op.getLhs(), op.getLhsIndices(), op.getLhsPrologue());
  Factor rhs = decodeFactor(op.getRhs(), op.getRhsIndices(), op.getRhsPrologue());
  if (SmallVector<ExprAttr> masks = getExprs(op.getMasks()); !masks.empty()) {
    lhs.mask = &decode(masks[0]);
    rhs.mask = &decode(masks[1]);
  }
  auto isInGroup = [&](ArrayRef<int64_t> index) {
    if (!op.isGrouped())
      return true;
    Array &ends = tensor(op.getEnds());
    int64_t group = index[op.getGroupDim()], member = index[op.getMemberDim()];
    return member < ends.at({group}).integer &&
           (group == 0 || member >= ends.at({group - 1}).integer);
  };
  forEach(parallel, [&](ArrayRef<int64_t> outer) {
    Scalar sum;
    SmallVector<int64_t> index(outer);
    index.resize(parallel.size() + reduction.size());
    forEach(reduction, [&](ArrayRef<int64_t> inner) {
      llvm::copy(inner, index.begin() + parallel.size());
      if (!isInGroup(index))
        return;
      Scalar x = readFactor(lhs, index), y = readFactor(rhs, index);
      sum.real += x.real * y.real;
      sum.integer += x.integer * y.integer;
    });
    sum = roundTo(op.getAccType(), sum);
    if (!isFloat)
      sum.real = 0;
    if (!op.getEpilogue().empty())
      sum = runBody(op.getEpilogue().front(), {sum}, outer)[0];
    Type element =
        cast<RankedTensorType>(op.getResult().getType()).getElementType();
    result.at(outer) = roundTo(getBodyType(element), sum);
  });
  tensors[op.getResult()] = result;
}

Interpreter::Factor Interpreter::decodeFactor(Value operand, ArrayAttr map,
                                              Region &prologue) {
  Factor factor = {};
  factor.array = &tensor(operand);
  Type element = cast<RankedTensorType>(operand.getType()).getElementType();
  factor.unsignedElement = element.isUnsignedInteger() ? element : Type();
  factor.prologue = prologue.empty() ? nullptr : &prologue.front();
  for (ExprAttr expr : getExprs(map))
    factor.position.push_back(&decode(expr));
  return factor;
}

Scalar Interpreter::readFactor(const Factor &factor, ArrayRef<int64_t> index) {
  Scalar value;
  if (!factor.mask || factor.mask->evaluate(index) != 0) {
    SmallVector<int64_t> position;
    for (IndexExpr *expr : factor.position)
      position.push_back(expr->evaluate(index));
    value = factor.array->at(position);
  }
  if (factor.prologue)
    value = runBody(*factor.prologue, {value}, {})[0];
  if (factor.unsignedElement)
    value.integer = asUnsigned(factor.unsignedElement, value.integer);
  return value;
}

void Interpreter::runScatter(ScatterOp op) {
  Array result = tensor(op.getInit());
  Type element = getBodyType(
      cast<RankedTensorType>(op.getResult().getType()).getElementType());
  Block &body = op.getBody().front();
  auto yield = cast<YieldAtOp>(body.getTerminator());
  BlockArgument written = op.getWritten();
  forEach(sizesOf(op.getExtents()), [&](ArrayRef<int64_t> index) {
    if (written)
      tensors[written] = result;
    Scalars out = runBody(body, {}, index);
    if (yield.getCondition() && !out.back().integer)
      return;
    std::vector<int64_t> position;
    for (unsigned k = 0; k < yield.getPosition().size(); ++k)
      position.push_back(out[1 + k].integer);
    Scalar &target = result.at(position);
    Scalar value = out[0];
    switch (op.getKind()) {
    case ScatterKind::Set:
      break;
    case ScatterKind::Add:
      value = {target.real + value.real, target.integer + value.integer};
      break;
    case ScatterKind::Prod:
      value = {target.real * value.real, target.integer * value.integer};
      break;
    case ScatterKind::Min:
      value = {minimum(target.real, value.real),
               std::min(target.integer, value.integer)};
      break;
    case ScatterKind::Max:
      value = {maximum(target.real, value.real),
               std::max(target.integer, value.integer)};
      break;
    }
    target = roundTo(element, value);
  });
  tensors[op.getResult()] = result;
}

/// What a kernel gives with longer rows: nobody may read what is behind.
static Array lengthenRows(const Array &made, std::vector<int64_t> sizes) {
  if (made.sizes == sizes)
    return made;
  Array stored;
  stored.sizes = std::move(sizes);
  Scalar nobodys = {std::numeric_limits<double>::quiet_NaN(), -77};
  stored.elements.assign(stored.count(), nobodys);
  int64_t own = made.sizes.back(), length = stored.sizes.back();
  for (int64_t i = 0, count = made.count(); i < count; ++i)
    stored.elements[i / own * length + i % own] = made.elements[i];
  return stored;
}

void Interpreter::runBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (auto kernel = dyn_cast<KernelOp>(op)) {
      Block &body = kernel.getBody().front();
      for (auto [argument, input] :
           llvm::zip_equal(body.getArguments(), kernel.getInputs()))
        tensors[argument] = Array(tensor(input));
      runBlock(body);
      for (auto [result, value] :
           llvm::zip_equal(kernel.getResults(),
                           body.getTerminator()->getOperands()))
        tensors[result] = lengthenRows(
            tensor(value),
            evaluateSizes(cast<RankedTensorType>(result.getType()), symbols));
    } else if (auto pointwise = dyn_cast<PointwiseOp>(op)) {
      runPointwise(pointwise);
    } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
      runReduce(reduce);
    } else if (auto scan = dyn_cast<ScanOp>(op)) {
      runScan(scan);
    } else if (auto sort = dyn_cast<SortOp>(op)) {
      runSort(sort);
    } else if (auto contract = dyn_cast<ContractOp>(op)) {
      runContract(contract);
    } else if (auto scatter = dyn_cast<ScatterOp>(op)) {
      runScatter(scatter);
    } else {
      Type type = op.getResult(0).getType();
      scalars[op.getResult(0)] = roundTo(type, evaluate(op, {}, symbols));
    }
  }
}

std::vector<Array> loop::interpret(func::FuncOp function,
                                   ArrayRef<Array> arguments,
                                   const SymbolValues &symbols) {
  Interpreter interpreter(symbols);
  Block &block = function.getBody().front();
  for (auto [argument, array] :
       llvm::zip_equal(block.getArguments(), arguments))
    interpreter.tensors[argument] = array;
  interpreter.runBlock(block);
  std::vector<Array> results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(interpreter.tensor(value));
  return results;
}

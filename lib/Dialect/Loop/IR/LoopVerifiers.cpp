//===- LoopVerifiers.cpp - What the ops' descriptions promise -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The labels C1, C2, ... are those of the descriptions in the .td files.
//
//===----------------------------------------------------------------------===//

#include "Verifiers.h"

#include "kiln/Dialect/Guard/IR/ElementTypes.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

//===----------------------------------------------------------------------===//
// Shared checks
//===----------------------------------------------------------------------===//

/// `type` has the sizes `extents`.
static LogicalResult verifyShape(Operation *op, Type type,
                                 ArrayRef<guard::ExprAttr> extents) {
  auto tensor = cast<RankedTensorType>(type);
  if (tensor.getRank() != int64_t(extents.size()))
    return op->emitOpError() << "expects a result of rank " << extents.size()
                             << ", but found " << tensor;
  auto dims = guard::getDims(tensor);
  if (!dims)
    return op->emitOpError()
           << "expects a result whose dynamic dimensions are named by a "
              "'#guard.shape', but found "
           << tensor;
  for (auto [i, dim] : llvm::enumerate(*dims)) {
    if (dim != extents[i])
      return op->emitOpError()
             << "expects dimension " << i << " of its result to be "
             << extents[i].str() << ", but found " << dim.str();
  }
  return success();
}

static LogicalResult verifyShape(Operation *op, Type type, ArrayAttr extents) {
  return verifyShape(op, type, getExprs(extents));
}

LogicalResult loop::verifyExtents(Operation *op, ArrayAttr extents) {
  for (auto extent : extents.getAsRange<guard::ExprAttr>()) {
    if (guard::hasDims(extent) || extent.isFloatTyped())
      return op->emitOpError()
             << "expects integer extents over symbols, but found '"
             << extent.str() << "'";
    if (extent.getConstant().value_or(0) < 0)
      return op->emitOpError()
             << "expects extents of at least 0, but found " << extent.str();
  }
  return success();
}

/// The first arguments of a body are `count` indices, and there are no others.
static LogicalResult verifyIndices(Operation *op, Region &body, unsigned count,
                                   unsigned others = 0) {
  if (body.getNumArguments() != count + others)
    return op->emitOpError() << "expects " << count
                             << " index arguments in its body, but found "
                             << body.getNumArguments();
  for (BlockArgument argument : body.getArguments().take_front(count))
    if (!argument.getType().isIndex())
      return op->emitOpError()
             << "expects arguments of type 'index' in its body, but found "
             << argument.getType();
  return success();
}

/// An accumulator of type `from` may become an element of type `to`.
static bool isRounding(Type from, Type to) {
  if (from == to)
    return true;
  if (isa<FloatType>(from) && isa<FloatType>(to))
    return from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth();
  return isa<IntegerType>(from) && isa<IntegerType>(to) &&
         from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth();
}

static Type getElement(Type tensor) {
  return getBodyType(cast<RankedTensorType>(tensor).getElementType());
}

/// An index expression over `count` values.
static LogicalResult verifyMap(Operation *op, ArrayAttr map, Type tensor,
                               unsigned count) {
  int64_t rank = cast<RankedTensorType>(tensor).getRank();
  if (int64_t(map.size()) != rank)
    return op->emitOpError() << "expects " << rank << " indices into " << tensor
                             << ", but found " << map.size();
  for (auto expr : map.getAsRange<guard::ExprAttr>()) {
    if (expr.isFloatTyped())
      return op->emitOpError() << "expects integer indices, but found '"
                               << expr.str() << "'";
    if (guard::getNumDims(expr) > count)
      return op->emitOpError()
             << "expects indices over " << count << " dimensions, but found '"
             << expr.str() << "'";
  }
  return success();
}

/// The least and the greatest value of a sum of indices with factors, where d<k>
/// runs from 0 to below `extents[k]`; nothing for other expressions. Exact: an
/// index is in one summand of a canonical sum.
static std::optional<std::pair<int64_t, int64_t>>
getBounds(guard::ExprAttr expr, ArrayRef<int64_t> extents) {
  int64_t low = 0, high = 0;
  for (const guard::Term &term : guard::getTerms(expr)) {
    int64_t last = 1;
    if (term.monomial && !term.monomial.isDim())
      return std::nullopt;
    if (term.monomial)
      last = extents[term.monomial.getPosition()] - 1;
    int64_t span;
    if (llvm::MulOverflow(last, term.coefficient, span) ||
        ((!term.monomial || span < 0) && llvm::AddOverflow(low, span, low)) ||
        ((!term.monomial || span > 0) && llvm::AddOverflow(high, span, high)))
      return std::nullopt;
  }
  return std::pair(low, high);
}

/// The extents of a domain that surely has points, as numbers.
static std::optional<SmallVector<int64_t>>
getNumbers(ArrayRef<guard::ExprAttr> extents) {
  SmallVector<int64_t> numbers;
  for (guard::ExprAttr extent : extents) {
    numbers.push_back(extent.getConstant().value_or(0));
    if (numbers.back() <= 0)
      return std::nullopt;
  }
  return numbers;
}

/// A read without a mask stays in its tensor, as far as that is known.
static LogicalResult verifyInside(Operation *op, ArrayAttr map, Type tensor,
                                  ArrayRef<int64_t> extents) {
  auto sizes = cast<RankedTensorType>(tensor).getShape();
  for (auto [i, expr] : llvm::enumerate(map.getAsRange<guard::ExprAttr>())) {
    auto bounds = getBounds(expr, extents);
    if (bounds && !ShapedType::isDynamic(sizes[i]) &&
        (bounds->first < 0 || bounds->second >= sizes[i]))
      return op->emitOpError()
             << "reads without a mask at '" << expr.str() << "', which runs from "
             << bounds->first << " to " << bounds->second
             << ", expected indices of dimension " << i << " of " << tensor;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Nests
//===----------------------------------------------------------------------===//

LogicalResult PointwiseOp::verify() {
  if (failed(guard::verifyTensors(*this)))
    return failure();
  if (failed(verifyExtents(*this, getExtents())))
    return failure();
  return verifyShape(*this, getResult().getType(), getExtents()); // C1
}

LogicalResult PointwiseOp::verifyRegions() {
  if (failed(verifyIndices(*this, getBody(), getExtents().size()))) // C2
    return failure();
  auto yield = verifyTerminator<YieldOp>(*this, getBody());
  if (failed(yield))
    return failure();
  Type expected = getElement(getResult().getType());
  if (yield->getNumOperands() != 1 ||
      yield->getOperandTypes()[0] != expected) // C3
    return emitOpError() << "expects its body to yield one " << expected
                         << ", but found " << yield->getOperandTypes();
  return success();
}

/// The kinds and init values of a reduction or scan.
static LogicalResult verifyKinds(AccumulationOpInterface op) {
  unsigned covered = 0;
  bool generic = false;
  for (auto kind : op.getKinds().getAsRange<ReductionKindAttr>()) {
    covered += getRecord(kind.getValue()).carried.size();
    generic |= kind.getValue() == ReductionKind::Generic;
  }
  if (op->getNumResults() == 0 ||
      (generic ? op.getKinds().size() != 1
               : covered != op->getNumResults())) // C2
    return op->emitOpError()
           << "expects kinds that cover its " << op->getNumResults()
           << " accumulators, but found " << covered
           << (generic ? " besides 'generic'" : "");
  unsigned inits = generic ? op->getNumResults() : 0;
  if (op.getInits().size() != inits)
    return op->emitOpError() << "expects " << inits
                             << " init values, but found "
                             << op.getInits().size();
  if (generic == op.getCombiner().empty())
    return op->emitOpError() << (generic ? "expects a combiner region"
                                         : "has a combiner region, which only "
                                           "'generic' expects");
  return success();
}

/// What the body and the combiner of a reduction or scan yield.
static LogicalResult verifyAccumulators(AccumulationOpInterface op) {
  auto yield = verifyTerminator<YieldOp>(op, op.getBody());
  if (failed(yield))
    return failure();
  if (yield->getNumOperands() != op->getNumResults()) // C4
    return op->emitOpError()
           << "expects its body to yield " << op->getNumResults()
           << " values, but found " << yield->getNumOperands();
  for (auto [i, type] : llvm::enumerate(yield->getOperandTypes())) {
    Type result = getElement(op->getResultTypes()[i]);
    if (!isRounding(type, result))
      return op->emitOpError()
             << "cannot round accumulator " << i << " of type " << type
             << " to the result's " << result;
    auto [kind, position] = op.getKind(i);
    const ReductionRecord &record = getRecord(kind);
    if (!record.carried.empty() &&
        !record.carried[position].accepts(type)) // C6
      return op->emitOpError()
             << "expects the " << record.carried[position].name << " of '"
             << stringifyReductionKind(kind) << "' to be "
             << record.carried[position].expected << ", but found " << type;
    if (!isa<IntegerType, FloatType>(type))
      return op->emitOpError() << "cannot accumulate in " << type;
  }
  Region &combiner = op.getCombiner();
  if (combiner.empty())
    return success();
  SmallVector<Type> expected(yield->getOperandTypes());
  if (!llvm::equal(op.getInits().getTypes(), expected))
    return op->emitOpError()
           << "expects init values of types " << expected << ", but found "
           << op.getInits().getTypes();
  expected.append(yield->getOperandTypes().begin(),
                  yield->getOperandTypes().end());
  if (!llvm::equal(combiner.getArgumentTypes(), expected))
    return op->emitOpError()
           << "expects a combiner with arguments " << expected
           << ", but found " << combiner.getArgumentTypes();
  auto combined = verifyTerminator<YieldOp>(op, combiner);
  if (failed(combined))
    return failure();
  if (combined->getOperandTypes() != yield->getOperandTypes())
    return op->emitOpError()
           << "expects its combiner to yield " << yield->getOperandTypes()
           << ", but found " << combined->getOperandTypes();
  return success();
}

LogicalResult ReduceOp::verify() {
  if (failed(guard::verifyTensors(*this)))
    return failure();
  if (getReductionExtents().empty()) // C1
    return emitOpError("expects at least one reduction extent");
  if (failed(verifyExtents(*this, getParallelExtents())) ||
      failed(verifyExtents(*this, getReductionExtents())) ||
      failed(verifyKinds(*this)))
    return failure();
  for (Type type : getResultTypes())
    if (failed(verifyShape(*this, type, getParallelExtents()))) // C3
      return failure();
  return success();
}

LogicalResult ReduceOp::verifyRegions() {
  unsigned rank = getParallelExtents().size() + getReductionExtents().size();
  if (failed(verifyIndices(*this, getBody(), rank))) // C4
    return failure();
  return verifyAccumulators(*this);
}

/// The domain of a scan or sort and the shapes of its results.
template <typename T> static LogicalResult verifyRow(T op) {
  int64_t dimension = op.getDimension();
  if (dimension < 0 || dimension > int64_t(op.getParallelExtents().size())) // C1
    return op.emitOpError() << "expects a dimension from 0 to "
                            << op.getParallelExtents().size()
                            << ", but found " << dimension;
  auto row = getExprArray(op.getContext(), {op.getRowExtent()});
  if (failed(verifyExtents(op, op.getParallelExtents())) ||
      failed(verifyExtents(op, row)))
    return failure();
  for (Type type : op->getResultTypes())
    if (failed(verifyShape(op, type, op.getResultExtents()))) // C3, C2
      return failure();
  return success();
}

LogicalResult ScanOp::verify() {
  if (failed(guard::verifyTensors(*this)))
    return failure();
  return failure(failed(verifyRow(*this)) || failed(verifyKinds(*this)));
}

LogicalResult ScanOp::verifyRegions() {
  if (failed(verifyIndices(*this, getBody(),
                           getParallelExtents().size() + 1))) // C4
    return failure();
  return verifyAccumulators(*this);
}

LogicalResult SortOp::verify() {
  if (failed(guard::verifyTensors(*this)))
    return failure();
  if (failed(verifyExtents(*this,
                           getExprArray(getContext(), {getKeptExtent()}))) ||
      failed(verifyRow(*this)))
    return failure();
  auto row = getRowExtent().getConstant(), kept = getKeptExtent().getConstant();
  if (row && kept && *kept > *row) // C5
    return emitOpError() << "expects to keep at most the " << *row
                         << " elements of a row, but found " << *kept;
  auto type = cast<RankedTensorType>(getResult().getType());
  if (!type.getElementType().isSignlessInteger(64)) // C3
    return emitOpError() << "expects a result of i64, but found " << type;
  return success();
}

LogicalResult SortOp::verifyRegions() {
  if (failed(verifyIndices(*this, getBody(),
                           getParallelExtents().size() + 1))) // C4
    return failure();
  auto yield = verifyTerminator<YieldOp>(*this, getBody());
  if (failed(yield))
    return failure();
  auto isKey = [](Type type) {
    return isa<IntegerType>(type) && type.getIntOrFloatBitWidth() >= 8;
  };
  if (yield->getNumOperands() == 0 ||
      !llvm::all_of(yield->getOperandTypes(), isKey)) // C4
    return emitOpError() << "expects its body to yield keys that are integers "
                            "of at least 8 bits, but found "
                         << yield->getOperandTypes();
  return success();
}

LogicalResult ScatterOp::verify() {
  if (failed(guard::verifyTensors(*this)))
    return failure();
  if (getInit().getType() != getResult().getType()) // C1
    return emitOpError() << "expects the result to have the type of its "
                            "initial value "
                         << getInit().getType() << ", but found "
                         << getResult().getType();
  auto element = cast<RankedTensorType>(getResult().getType()).getElementType();
  if (!element.isIntOrIndexOrFloat())
    return emitOpError() << "expects elements that are integers or floats, but "
                            "found "
                         << element;
  if (failed(verifyExtents(*this, getExtents())))
    return failure();
  auto dims = guard::getDims(cast<RankedTensorType>(getResult().getType()));
  uint64_t count = getIndependent();
  if (count > getExtents().size() || !dims || count > dims->size() ||
      !llvm::equal(ArrayRef(*dims).take_front(count),
                   ArrayRef(getExprs(getExtents())).take_front(count))) // C4
    return emitOpError() << "expects its " << count
                         << " independent extents to be the first sizes of "
                            "its result";
  return success();
}

LogicalResult ScatterOp::verifyRegions() {
  Value written = getWritten();
  if (written && written.getType() != getResult().getType()) // C2
    return emitOpError() << "expects what its body reads to have the type of "
                            "its result, but found "
                         << written.getType();
  if (failed(verifyIndices(*this, getBody(), getExtents().size(),
                           written ? 1 : 0))) // C2
    return failure();
  auto yield = verifyTerminator<YieldAtOp>(*this, getBody());
  if (failed(yield))
    return failure();
  auto type = cast<RankedTensorType>(getResult().getType());
  if (int64_t(yield->getPosition().size()) != type.getRank()) // C3
    return emitOpError() << "expects a position of " << type.getRank()
                         << " indices, but found "
                         << yield->getPosition().size();
  Type value = yield->getValue().getType();
  Type element = getElement(type);
  bool joins = getKind() != ScatterKind::Set;
  if (value != element && !(joins && isRounding(value, element))) // C3
    return emitOpError() << "expects its body to give " << element
                         << ", but found " << value;
  for (uint64_t k = 0; k < getIndependent(); ++k) { // C4
    Value index = getBody().getArgument(k);
    bool isOwn = yield->getPosition()[k] == index;
    if (written)
      for (Operation *user : written.getUsers()) {
        auto load = dyn_cast<LoadOp>(user);
        auto expr = load ? getExprs(load.getMap())[k] : guard::ExprAttr();
        isOwn &= expr && expr.isDim() &&
                 load.getIndices()[expr.getPosition()] == index;
      }
    if (!isOwn)
      return emitOpError() << "expects its body to read and write at index "
                           << k << " itself in dimension " << k
                           << ", which is independent";
  }
  if (getGrouped()) // C5
    for (BlockArgument index : getBody().getArguments())
      if (written || getExtents().empty() ||
          (index.getArgNumber() > 0 &&
           !llvm::is_contained(yield->getPosition(), index)))
        return emitOpError("expects a body that does not read what has been "
                           "written, and every index but the first as a "
                           "position, because its points are grouped");
  return success();
}

/// The constraint (C7).
static LogicalResult verifyGroups(ContractOp op) {
  if (bool(op.getEnds()) != bool(op.getGroups()))
    return op.emitOpError("expects ends and the dimensions of groups together");
  if (!op.isGrouped())
    return success();
  auto type = cast<RankedTensorType>(op.getEnds().getType());
  if (type.getRank() != 1 || !type.getElementType().isInteger(32))
    return op.emitOpError() << "expects the ends of groups to be a row of i32, "
                               "but found "
                            << type;
  unsigned parallel = op.getParallelExtents().size();
  int64_t rank = parallel + op.getReductionExtents().size();
  std::optional<ArrayRef<int64_t>> groups = op.getGroups();
  for (int64_t dim : *groups)
    if (dim < 0 || dim >= rank)
      return op.emitOpError() << "expects groups over " << rank
                              << " dimensions, but found d" << dim;
  if ((op.getGroupDim() < parallel) == (op.getMemberDim() < parallel))
    return op.emitOpError("expects to reduce either the groups or their members");
  guard::ExprAttr extent = op.getDomain().all()[op.getGroupDim()];
  auto size = extent.getConstant();
  if (size && !type.isDynamicDim(0) && type.getDimSize(0) != *size)
    return op.emitOpError() << "expects " << *size << " ends, but found " << type;
  return success();
}

/// Factors are floats where the sum is one, and integers elsewhere.
static bool canAccumulate(Type factor, Type acc) {
  return isa<FloatType>(acc) ? isa<FloatType>(factor)
                             : isa<IntegerType>(factor);
}

LogicalResult ContractOp::verify() {
  if (failed(guard::verifyTensors(*this)))
    return failure();
  if (failed(verifyExtents(*this, getParallelExtents())) ||
      failed(verifyExtents(*this, getReductionExtents())) ||
      failed(verifyShape(*this, getResult().getType(),
                         getParallelExtents()))) // C1
    return failure();
  unsigned rank = getParallelExtents().size() + getReductionExtents().size();
  if (failed(verifyMap(*this, getLhsIndices(), getLhs().getType(), rank)) ||
      failed(verifyMap(*this, getRhsIndices(), getRhs().getType(), rank))) // C2
    return failure();
  Type acc = getAccType();
  if (!acc.isF32() && !acc.isF64() && !isa<IntegerType>(acc)) // C3
    return emitOpError() << "expects to accumulate in f32, f64 or an integer, "
                            "but found "
                         << acc;
  // What a prologue yields is looked at with its region.
  for (auto [operand, prologue] :
       {std::pair(getLhs(), &getLhsPrologue()),
        std::pair(getRhs(), &getRhsPrologue())})
    if (prologue->empty() &&
        !canAccumulate(getElement(operand.getType()), acc)) // C3
      return emitOpError() << "cannot accumulate " << operand.getType()
                           << " in " << acc;
  if (!getMasks().empty() && getMasks().size() != 2)
    return emitOpError() << "expects no mask or two, but found "
                         << getMasks().size();
  for (auto mask : getMasks().getAsRange<guard::ExprAttr>())
    if (guard::getNumDims(mask) > rank)
      return emitOpError() << "expects masks over " << rank
                           << " dimensions, but found '" << mask.str() << "'";
  if (failed(verifyGroups(*this))) // C7
    return failure();
  auto extents = getNumbers(getDomain().all());
  if (extents && getMasks().empty() &&
      (failed(verifyInside(*this, getLhsIndices(), getLhs().getType(),
                           *extents)) ||
       failed(verifyInside(*this, getRhsIndices(), getRhs().getType(),
                           *extents)))) // C6
    return failure();
  if (getEpilogue().empty() &&
      !isRounding(acc, getElement(getResult().getType())))
    return emitOpError() << "cannot round the accumulator of type " << acc
                         << " to the result's "
                         << getElement(getResult().getType());
  return success();
}

LogicalResult ContractOp::verifyRegions() {
  auto verifyBlock = [&](StringRef what, Region &region,
                         ArrayRef<Type> arguments,
                         std::optional<Type> yielded) -> LogicalResult {
    if (region.empty())
      return success();
    if (!llvm::equal(region.getArgumentTypes(), arguments)) // C4
      return emitOpError() << "expects " << what << " with arguments "
                           << arguments << ", but found "
                           << region.getArgumentTypes();
    auto yield = verifyTerminator<YieldOp>(*this, region);
    if (failed(yield))
      return failure();
    if (yield->getNumOperands() != 1 ||
        (yielded && yield->getOperandTypes()[0] != *yielded)) // C4
      return emitOpError() << "expects " << what << " to yield one "
                           << yielded.value_or(Type()) << ", but found "
                           << yield->getOperandTypes();
    Type type = yield->getOperandTypes()[0];
    if (!yielded && !canAccumulate(type, getAccType()))
      return emitOpError() << "cannot accumulate " << type << " from " << what
                           << " in " << getAccType();
    return success();
  };
  SmallVector<Type> types(getParallelExtents().size(),
                          IndexType::get(getContext()));
  types.insert(types.begin(), getAccType());
  if (failed(verifyBlock("the left prologue", getLhsPrologue(),
                         {getElement(getLhs().getType())}, std::nullopt)) ||
      failed(verifyBlock("the right prologue", getRhsPrologue(),
                         {getElement(getRhs().getType())}, std::nullopt)))
    return failure();
  return verifyBlock("the epilogue", getEpilogue(), types,
                     getElement(getResult().getType()));
}

//===----------------------------------------------------------------------===//
// Inside bodies
//===----------------------------------------------------------------------===//

LogicalResult LoadOp::verify() {
  if (failed(guard::verifyTensors(*this)))
    return failure();
  if (failed(verifyMap(*this, getMap(), getTensor().getType(),
                       getIndices().size()))) // C1, C2
    return failure();
  if (bool(getMask()) != bool(getOther())) // C3
    return emitOpError("expects a mask and an other value together");
  Type expected = getElement(getTensor().getType());
  if (getResult().getType() != expected)
    return emitOpError() << "expects to load " << expected << ", but found "
                         << getResult().getType();
  if (getOther() && getOther().getType() != expected)
    return emitOpError() << "expects an other value of type " << expected
                         << ", but found " << getOther().getType();
  auto nest = dyn_cast<NestOpInterface>((*this)->getParentOp());
  auto domain = nest ? getNumbers(nest.getBodyExtents()) : std::nullopt;
  if (getMask() || !domain)
    return success();
  SmallVector<int64_t> extents;
  for (Value index : getIndices()) {
    auto argument = dyn_cast<BlockArgument>(index);
    auto dim = argument ? nest.getDimensionOf(argument) : std::nullopt;
    if (!dim || *dim >= domain->size()) // computed
      return success();
    extents.push_back((*domain)[*dim]);
  }
  return verifyInside(*this, getMap(), getTensor().getType(), extents); // C4
}

LogicalResult IndexOp::verify() {
  if (getExpr().isFloatTyped() ||
      guard::getNumDims(getExpr()) > getIndices().size())
    return emitOpError() << "expects an integer expression over "
                         << getIndices().size() << " indices, but found '"
                         << getExpr().str() << "'";
  return success();
}

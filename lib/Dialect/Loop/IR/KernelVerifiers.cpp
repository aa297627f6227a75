//===- KernelVerifiers.cpp - Kernels and calls against their promises -----===//
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
#include "kiln/Dialect/Loop/IR/RowParts.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

LogicalResult KernelOp::verify() {
  if (failed(guard::verifyTensors(*this)))
    return failure();
  if (!llvm::equal(getBody().getArgumentTypes(), getInputs().getTypes())) // C1
    return emitOpError() << "expects arguments of the types of its inputs, "
                         << getInputs().getTypes() << ", but found "
                         << getBody().getArgumentTypes();
  return verifyExtents(*this, getShared());
}

std::optional<SmallVector<std::optional<unsigned>>>
loop::getSharedDims(ContractOp op, ArrayRef<guard::ExprAttr> shared) {
  using Dims = SmallVector<std::optional<unsigned>>;
  SmallVector<guard::ExprAttr> parallel = getExprs(op.getParallelExtents());
  SmallVector<guard::ExprAttr> extents = op.getDomain().all();
  std::optional<Dims> found;
  for (const OperandRead &read : op.getOperandReads()) {
    if (!read.tensor.getDefiningOp<NestOpInterface>())
      continue;
    if (read.map.size() < shared.size())
      return std::nullopt;
    Dims dims;
    llvm::SmallBitVector taken(extents.size());
    for (auto [k, index, extent] :
         llvm::enumerate(ArrayRef(read.map).take_front(shared.size()), shared)) {
      // Only the last one may be summed up.
      size_t end = k + 1 == shared.size() ? extents.size() : parallel.size();
      if (extent.isConstant(1) && index.isConstant(0)) {
        dims.push_back(std::nullopt);
        continue;
      }
      if (!index.isDim() || index.getPosition() >= end ||
          extents[index.getPosition()] != extent ||
          taken.test(index.getPosition()))
        return std::nullopt;
      taken.set(index.getPosition());
      dims.push_back(index.getPosition());
    }
    // What follows is the row, which is not the shared point's.
    for (guard::ExprAttr index : ArrayRef(read.map).drop_front(shared.size()))
      for (unsigned dim : taken.set_bits())
        if (guard::contains(index, guard::getDim(op.getContext(), dim)))
          return std::nullopt;
    if (found && *found != dims)
      return std::nullopt;
    found = dims;
  }
  if (found)
    return found;
  if (parallel.size() < shared.size() ||
      !llvm::equal(ArrayRef(parallel).take_front(shared.size()), shared))
    return std::nullopt;
  return llvm::to_vector_of<std::optional<unsigned>>(
      llvm::seq<unsigned>(shared.size()));
}

bool loop::sumsOverRows(ContractOp op, ArrayRef<guard::ExprAttr> shared) {
  auto dims = getSharedDims(op, shared);
  return dims && !dims->empty() && dims->back() &&
         *dims->back() >= op.getParallelExtents().size();
}

bool loop::mixesContractions(KernelOp kernel) {
  SmallVector<NestOpInterface> nests = kernel.getNests();
  auto isContraction = [](NestOpInterface nest) {
    return isa<ContractOp>(nest.getOperation());
  };
  return llvm::any_of(nests, isContraction) &&
         !llvm::all_of(nests, isContraction);
}

/// Loads in `nest` of tensors that `kernel` computes are at the nest's own
/// point of the shared domain, which are the dimensions `dims` of it.
static LogicalResult verifyLoads(NestOpInterface nest,
                                 ArrayRef<std::optional<unsigned>> dims) {
  size_t shared = dims.size();
  WalkResult walked = nest->walk([&](LoadOp load) {
    if (!load.getTensor().getDefiningOp<NestOpInterface>())
      return WalkResult::advance();
    for (size_t i = 0; i < shared; ++i) { // C3
      auto expr = i < load.getMap().size()
                      ? cast<guard::ExprAttr>(load.getMap()[i])
                      : guard::ExprAttr();
      auto index = expr && expr.isDim()
                       ? dyn_cast<BlockArgument>(
                             load.getIndices()[expr.getPosition()])
                       : BlockArgument();
      bool isOnly = expr && expr.isConstant(0) && !dims[i]; // of extent 1
      if (isOnly ||
          (index && dims[i] && nest.getDimensionOf(index) == dims[i]))
        continue;
      load.emitOpError() << "expects index " << i
                         << " to be the kernel's shared index " << i
                         << ", because the tensor is computed in the kernel";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

/// The same for a sum over parts of the kernel's rows, whose result leaves the kernel.
static LogicalResult verifyParts(ReduceOp op, const RowParts &parts,
                                 const RowParts &others) {
  if (parts != others) // C2
    return op.emitOpError() << "sums up parts of " << parts.size
                            << " along shared dimension " << parts.dim
                            << ", expected the kernel's " << others.size
                            << " along dimension " << others.dim;
  auto isReturned = [](Value result) {
    return !result.use_empty() &&
           llvm::all_of(result.getUsers(),
                        [](Operation *user) { return isa<ReturnOp>(user); });
  };
  if (!llvm::all_of(op->getResults(), isReturned))
    return op.emitOpError("sums up parts of the rows of its kernel, which "
                          "expects its results to be returned and not read"); // C2
  WalkResult walked = op->walk([&](LoadOp load) {
    if (!load.getTensor().getDefiningOp<NestOpInterface>() ||
        readsOwnRow(op, load, parts))
      return WalkResult::advance();
    load.emitOpError() << "expects the row of the kernel as its first indices, "
                          "because the tensor is computed in the kernel"; // C3
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}

/// True if a kernel may give what a nest of it makes as a tensor of this type: its own, or
/// one with longer rows, of a pointwise nest or a contraction that is alone.
static bool fits(Value made, Type type) {
  if (made.getType() == type)
    return true;
  Operation *nest = made.getDefiningOp();
  auto from = dyn_cast<RankedTensorType>(made.getType());
  auto to = dyn_cast<RankedTensorType>(type);
  if (!from || !to || from.getElementType() != to.getElementType() ||
      !isa_and_nonnull<PointwiseOp, ContractOp>(nest) ||
      (isa<ContractOp>(nest) &&
       !llvm::hasSingleElement(nest->getBlock()->getOps<NestOpInterface>())))
    return false;
  auto own = guard::getDims(from), stored = guard::getDims(to);
  if (!own || !stored || own->empty() || own->size() != stored->size() ||
      ArrayRef(*own).drop_back() != ArrayRef(*stored).drop_back())
    return false;
  auto size = own->back().getConstant(), length = stored->back().getConstant();
  return size && length && *size <= *length;
}

LogicalResult KernelOp::verifyRegions() {
  std::optional<RowParts> parts = getRowParts(*this);
  unsigned nests = 0, contractions = 0;
  bool alone = false, hasOthers = false;
  SmallVector<guard::ExprAttr> shared = getExprs(getShared());
  auto own = llvm::to_vector_of<std::optional<unsigned>>(
      llvm::seq<unsigned>(shared.size()));
  for (Operation &op : getBody().front()) {
    if (isa<ReturnOp>(op))
      continue;
    auto nest = dyn_cast<NestOpInterface>(op);
    if (!nest) {
      if (op.getNumRegions() || !isMemoryEffectFree(&op) ||
          llvm::any_of(op.getResultTypes(),
                       [](Type type) { return isa<TensorType>(type); }))
        return emitOpError() << "expects nests and scalar constants in its "
                                "body, but found '"
                             << op.getName() << "'";
      continue;
    }
    ++nests;
    auto contract = dyn_cast<ContractOp>(op);
    contractions += bool(contract);
    hasOthers |= !contract && !nest.isPointwise() && !nest.isReduction();
    alone |= !contract && nest.standsAlone(shared.size());
    if (contract) {
      auto dims = getSharedDims(contract, shared);
      if (!dims) // C2
        return op.emitOpError()
               << "expects its extents to start with those its kernel shares, "
                  "or to read what the kernel computes at dimensions with "
                  "these extents";
      if (sumsOverRows(contract, shared) &&
          !llvm::all_of(op.getUsers(),
                        [](Operation *user) { return isa<ReturnOp>(user); }))
        return op.emitOpError("sums up the rows of its kernel, which expects "
                              "its result to be returned and not read"); // C2
      if (failed(verifyLoads(nest, *dims)))
        return failure();
      continue;
    }
    if (auto summed = getRowParts(*this, nest)) {
      if (failed(verifyParts(cast<ReduceOp>(op), *summed, *parts)))
        return failure();
      continue;
    }
    Domain domain = nest.getDomain();
    if (domain.parallel.size() < shared.size() ||
        !llvm::equal(ArrayRef(domain.parallel).take_front(shared.size()),
                     shared)) // C2
      return op.emitOpError()
             << "expects its extents to start with those its kernel shares";
    if (failed(verifyLoads(nest, own)))
      return failure();
  }
  if (parts && contractions) // C5
    return emitOpError("expects no contraction beside a sum over parts of its "
                       "rows");
  if (alone && nests > 1)
    return emitOpError("expects a scatter, or a scan or sort along a dimension "
                       "before its shared ones end, to be its only nest");
  if (contractions && nests > 1 && (hasOthers || contractions == nests)) // C5
    return emitOpError("expects a contraction to be its only nest, or to stand "
                       "with pointwise nests and reductions");
  auto results = verifyTerminator<ReturnOp>(*this, getBody());
  if (failed(results))
    return failure();
  if (!llvm::equal(results->getOperands(), getResultTypes(), fits)) // C4
    return emitOpError() << "expects its body to return " << getResultTypes()
                         << ", but found " << results->getOperandTypes();
  for (OpResult result : getOperation()->getResults())
    if (results->getPartStrides(result.getResultNumber()) &&
        !AssembleOp::find(result).first)
      return emitOpError() << "stores result " << result.getResultNumber()
                           << " as a part of what no 'loop.assemble' gives";
  if (ScheduleAttr schedule = getScheduleAttr()) // C6
    return schedule.verifyKernel(*this);
  return success();
}

//===----------------------------------------------------------------------===//
// Parts of tensors
//===----------------------------------------------------------------------===//

guard::ShapeAttr ReturnOp::getPartStrides(unsigned number) {
  ArrayAttr strides = getStridesAttr();
  return strides ? dyn_cast<guard::ShapeAttr>(strides[number])
                 : guard::ShapeAttr();
}

void ReturnOp::setPartStrides(unsigned number, guard::ShapeAttr strides) {
  SmallVector<Attribute> all(getValues().size(), UnitAttr::get(getContext()));
  if (ArrayAttr before = getStridesAttr())
    llvm::copy(before, all.begin());
  all[number] = strides;
  setStridesAttr(ArrayAttr::get(getContext(), all));
}

LogicalResult ReturnOp::verify() {
  ArrayAttr strides = getStridesAttr();
  if (!strides)
    return success();
  if (strides.size() != getValues().size()) // C1
    return emitOpError() << "has strides of " << strides.size()
                         << " tensors, expected those of "
                         << getValues().size();
  auto kernel = cast<KernelOp>((*this)->getParentOp());
  for (auto [k, value] : llvm::enumerate(getValues())) {
    auto shape = dyn_cast<guard::ShapeAttr>(strides[k]);
    if (!shape && isa<UnitAttr>(strides[k]))
      continue;
    if (!shape || int64_t(shape.size()) !=
                      cast<RankedTensorType>(value.getType()).getRank())
      return emitOpError() << "has the strides " << strides[k] << " of tensor "
                           << k
                           << ", expected 'unit' or one for each dimension";
    if (!isa_and_nonnull<PointwiseOp, ContractOp>(value.getDefiningOp()) ||
        llvm::count(getValues(), value) != 1 || k >= kernel.getNumResults() ||
        kernel.getResult(k).getType() != value.getType()) // C2
      return emitOpError() << "stores tensor " << k
                           << " as a part of another one, expected what a "
                              "pointwise nest or a contraction makes";
  }
  return success();
}

std::pair<AssembleOp, unsigned> AssembleOp::find(Value part) {
  for (OpOperand &use : part.getUses())
    if (auto op = dyn_cast<AssembleOp>(use.getOwner()))
      return {op, use.getOperandNumber()};
  return {};
}

guard::ShapeAttr AssembleOp::getPartStrides(unsigned number) {
  return cast<guard::ShapeAttr>(getStrides()[number]);
}

/// True if `part` is a part of `op` once, and of nothing else.
static bool isPartOf(AssembleOp op, Value part) {
  return isa_and_nonnull<KernelOp, LaunchOp, LaunchGridOp>(
             part.getDefiningOp()) &&
         llvm::count_if(part.getUses(), [](OpOperand &use) {
           return isa<AssembleOp>(use.getOwner());
         }) == 1;
}

LogicalResult AssembleOp::verify() {
  if (failed(guard::verifyTensors(*this)))
    return failure();
  size_t count = getParts().size();
  if (count == 0 || getOffsets().size() != count ||
      getStrides().size() != count) // C1
    return emitOpError() << "expects parts, and an offset and strides of each, "
                            "but has "
                         << count << " parts, " << getOffsets().size()
                         << " offsets and strides of " << getStrides().size();
  auto type = cast<RankedTensorType>(getResult().getType());
  guard::ExprAttr elements = guard::getConstant(getContext(), 0);
  for (auto [k, part] : llvm::enumerate(getParts())) {
    auto own = cast<RankedTensorType>(part.getType());
    auto strides = dyn_cast<guard::ShapeAttr>(getStrides()[k]);
    if (!strides || int64_t(strides.size()) != own.getRank()) // C1
      return emitOpError() << "has the strides " << getStrides()[k]
                           << " of part " << k
                           << ", expected one for each dimension";
    if (own.getElementType() != type.getElementType() ||
        !isPartOf(*this, part)) // C2
      return emitOpError() << "has a part " << k
                           << " that is no result of a kernel or a launch for "
                              "it alone";
    if (auto kernel = part.getDefiningOp<KernelOp>()) { // C3
      auto returned = cast<ReturnOp>(kernel.getBody().front().getTerminator());
      unsigned number = cast<OpResult>(part).getResultNumber();
      if (returned.getPartStrides(number) != strides)
        return emitOpError() << "has the strides " << strides << " of part "
                             << k << ", which is not stored so";
    }
    if (auto dims = guard::getDims(own))
      elements = elements + guard::getNumElements(getContext(), *dims);
  }
  auto dims = guard::getDims(type);
  if (dims && elements != guard::getNumElements(getContext(), *dims)) // C2
    return emitOpError() << "has parts of " << elements.str()
                         << " elements, expected "
                         << guard::getNumElements(getContext(), *dims).str();
  return success();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

LogicalResult LaunchOp::verify() {
  if (failed(guard::verifyTensors(*this)))
    return failure();
  if (getGrain() < 1) // C1
    return emitOpError() << "expects a grain of at least 1, but found "
                         << getGrain();
  ArrayRef<int64_t> pairs = getOverwrites().value_or(ArrayRef<int64_t>());
  bool areThere = pairs.size() % 2 == 0; // C2
  for (size_t i = 0; areThere && i < pairs.size(); i += 2)
    areThere = uint64_t(pairs[i]) < getNumResults() &&
               uint64_t(pairs[i + 1]) < getInputs().size();
  if (!areThere)
    return emitOpError() << "expects pairs of one of " << getNumResults()
                         << " results and one of " << getInputs().size()
                         << " inputs in 'overwrites'";
  return success();
}

/// The pointers that a library reads, and the one that it writes.
static int64_t getLibraryPointers(Attribute call,
                                  SmallVectorImpl<int64_t> &reads) {
  if (auto product = dyn_cast<LibraryProductAttr>(call)) {
    reads.append(
        {product.getLeft().getPointer(), product.getRight().getPointer()});
    if (product.getBias() != -1)
      reads.push_back(product.getBias());
    return product.getResult().getPointer();
  }
  auto convolution = cast<LibraryConvolutionAttr>(call);
  int64_t target = convolution.getTarget().getPointer(),
          weight = convolution.getWeight().getPointer();
  reads.append({convolution.getSource().getPointer(),
                convolution.getGradient() ? target : weight});
  return convolution.getGradient() ? weight : target;
}

LogicalResult LaunchGridOp::verify() {
  if (failed(guard::verifyTensors(*this)))
    return failure();
  if (getSteps().empty()) // C1
    return emitOpError("expects at least one step");
  if (!getLibrary())
    return success();
  if (getChecks()) // C2
    return emitOpError("has checks, which a library does not look at");
  SmallVector<int64_t> reads;
  int64_t inputs = getInputs().size(),
          written = getLibraryPointers(*getLibrary(), reads);
  auto isInput = [&](int64_t pointer) {
    return pointer >= 0 && pointer < inputs;
  };
  if (!llvm::all_of(reads, isInput) || written < inputs || // C2
      written - inputs >= int64_t(getNumResults()))
    return emitOpError() << "expects a library to read some of its " << inputs
                         << " inputs and to write one of its "
                         << getNumResults() << " results, but found "
                         << *getLibrary();
  return success();
}

LogicalResult ExternOp::verify() {
  if (failed(guard::verifyTensors(*this)))
    return failure();
  SmallVector<bool> named(getInputs().size());
  AttrTypeWalker walker;
  std::optional<unsigned> unknown;
  walker.addWalk([&](OperandAttr operand) {
    if (operand.getIndex() < named.size())
      named[operand.getIndex()] = true;
    else
      unknown = operand.getIndex();
  });
  walker.walk(getArguments());
  if (unknown) // C1
    return emitOpError() << "names operand " << *unknown << ", but has "
                         << named.size();
  for (auto [i, isNamed] : llvm::enumerate(named))
    if (!isNamed) // C1
      return emitOpError() << "does not name operand " << i
                           << " among its arguments";
  if (getOverload().count('.') != 2) // C2
    return emitOpError() << "expects an overload like 'aten.add.Tensor', but "
                            "found '"
                         << getOverload() << "'";
  return success();
}

LogicalResult InvokeOp::verify() {
  if (failed(guard::verifyTensors(*this)))
    return failure();
  size_t callees = getKind() == InvokeKind::Scan ? 1 : 2;
  if (getCallees().size() != callees) // C1
    return emitOpError() << "expects " << callees << " callees, but found "
                         << getCallees().size();
  int64_t carried = getCarried(), scanned = getScanned();
  bool isBranch = getKind() == InvokeKind::Branch;
  if (isBranch && getInputs().empty()) // C2
    return emitOpError("expects a predicate as its first operand");
  if (carried < 0 || scanned < 0 || (isBranch && carried + scanned != 0) ||
      (getKind() == InvokeKind::While && scanned != 0) ||
      carried + scanned > int64_t(getInputs().size()) ||
      carried > int64_t(getNumResults())) // C2
    return emitOpError() << "cannot carry " << carried << " and take slices of "
                         << scanned << " of its " << getInputs().size()
                         << " operands for " << getNumResults() << " results";
  return success();
}

LogicalResult
InvokeOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  bool isWhile = getKind() == InvokeKind::While;
  size_t taken = getInputs().size() - (getKind() == InvokeKind::Branch);
  for (auto [i, callee] : llvm::enumerate(
           getCallees().getAsRange<FlatSymbolRefAttr>())) {
    auto function =
        symbolTable.lookupNearestSymbolFrom<FunctionOpInterface>(*this, callee);
    if (!function) // C3
      return emitOpError() << "expects '" << callee.getValue()
                           << "' to be a function";
    size_t returned = isWhile && i == 0 ? 1 : getNumResults();
    if (function.getNumArguments() != taken ||
        function.getNumResults() != returned) // C3
      return emitOpError() << "expects '" << callee.getValue() << "' to take "
                           << taken << " arguments and return " << returned
                           << " results, but found "
                           << function.getNumArguments() << " and "
                           << function.getNumResults();
  }
  return success();
}

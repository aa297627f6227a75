//===- ProgramOps.cpp - Effects and verifiers of steps --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramAsm.h"

#include "kiln/Dialect/Guard/IR/SymbolEffects.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::program;

#define GET_OP_CLASSES
#include "kiln/Dialect/Program/IR/ProgramOps.cpp.inc"

//===----------------------------------------------------------------------===//
// program.func, program.return
//===----------------------------------------------------------------------===//

void FuncOp::build(OpBuilder &builder, OperationState &state, StringRef name) {
  state.getOrAddProperties<Properties>().sym_name =
      builder.getStringAttr(name);
  state.addRegion()->emplaceBlock();
}

ReturnOp FuncOp::getReturn() {
  return cast<ReturnOp>(getBody().front().getTerminator());
}

SmallVector<Type> FuncOp::getInputTypes() {
  return llvm::map_to_vector(getBody().getOps<SlotOp>(), [](SlotOp slot) {
    return slot.getResult().getType();
  });
}

std::optional<uint64_t> FuncOp::getInputRank(unsigned slot) {
  auto buffer = dyn_cast<BufferType>(getInputTypes()[slot]);
  return buffer ? std::optional<uint64_t>(buffer.getSizes().size())
                : std::nullopt;
}

LogicalResult FuncOp::verifyRegions() {
  Block &block = getBody().front();
  if (!isa<ReturnOp>(block.getTerminator())) // C1
    return emitOpError("expected 'program.return' at its end");
  bool inSteps = false;
  for (Operation &op : block) {
    bool declares = isa<SlotOp, SymbolOp>(op);
    if (declares && inSteps)
      return op.emitOpError("stands behind a step, expected slots and symbols "
                            "at the beginning of a program");
    inSteps |= !declares;
    // Dominance is checked later, and what follows walks from use to definition.
    for (Value operand : op.getOperands()) {
      Operation *definer = operand.getDefiningOp();
      if (!definer || definer->getBlock() != &block ||
          !definer->isBeforeInBlock(&op))
        return op.emitOpError("uses what no step before it gives");
    }
  }
  return failure(failed(verifySymbols(*this)) ||
                 failed(verifyMemory(*this)) || // C2, C3
                 failed(verifyPreparation(*this))); // C5
}

/// The forward program is verified by now, wherever it stands.
LogicalResult FuncOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (getSymName() != "backward") // C4, reported once
    return success();
  auto forward = symbols.lookupNearestSymbolFrom<FuncOp>(
      *this, StringAttr::get(getContext(), "forward"));
  return forward ? verifyTraining(forward, *this) : success();
}

static bool isMutation(Role role) {
  return role == Role::BufferMutation || role == Role::ParameterMutation ||
         role == Role::InputMutation;
}

SlotOp ReturnOp::getTarget(OutputAttr output) {
  if (!isMutation(output.getRole()) || !output.getTarget())
    return {};
  bool isInput = output.getRole() == Role::InputMutation;
  SlotOp found;
  for (auto slot : (*this)->getBlock()->getOps<SlotOp>())
    if (isInput ? slot.getNameAttr() == output.getTarget()
                : slot.getPathAttr() == output.getTarget() &&
                      slot.getKind() != SlotKind::UserInput)
      found = slot;
  return found;
}

LogicalResult ReturnOp::verify() {
  size_t given = 0;
  for (auto [k, output] :
       llvm::enumerate(getOutputs().getAsRange<OutputAttr>())) {
    given += !output.getValue();
    if (!isMutation(output.getRole())) // C2
      continue;
    StringRef target = output.getTarget() ? output.getTarget().getValue() : "";
    if (!getTarget(output))
      return emitOpError("output ") << k << " changes '" << target
                                    << "', which is no input";
    if (output.getValue())
      return emitOpError("output ")
             << k << " changes '" << target << "', expected a tensor";
  }
  if (given != getValues().size()) // C1
    return emitOpError("has ") << given << " outputs without a value and "
                               << getValues().size() << " operands";
  return success();
}

//===----------------------------------------------------------------------===//
// Slots, symbols
//===----------------------------------------------------------------------===//

static bool isNumber(Type type) { return isa<NumberType>(type); }

LogicalResult SlotOp::verify() {
  bool number = isNumber(getResult().getType());
  if (number && getPayloadAttr()) // C1
    return emitOpError("is a number, expected no payload");
  if (!number && getValueAttr()) // C2
    return emitOpError("is a tensor, expected no value");
  if (getOfOutput() && getKind() != SlotKind::Tangent)
    return emitOpError("belongs to an output, expected a tangent");
  if (auto value = getValueAttr();
      value && !isa<guard::ExprAttr, BoolAttr, IntegerAttr, FloatAttr,
                    StringAttr, UnitAttr>(value))
    return emitOpError("has a value of unknown kind: ") << value;
  return success();
}

/// What `op` reads of `name` is what is stored there.
static LogicalResult verifyStored(Operation *op, FlatSymbolRefAttr name,
                                  BufferType type,
                                  SymbolTableCollection &symbols) {
  auto constant =
      symbols.lookupNearestSymbolFrom<program::ConstantOp>(op, name);
  if (!constant)
    return op->emitOpError("reads ")
           << name << ", which is no constant of the module";
  auto stored = cast<RankedTensorType>(constant.getValue().getType());
  bool fits = stored.getElementType() == type.getElementType() &&
              size_t(stored.getRank()) == type.getSizes().size();
  if (fits)
    for (auto [size, expr] : llvm::zip_equal(stored.getShape(), type.getSizes()))
      fits &= !expr.isConstant() || expr.isConstant(size);
  if (!fits)
    return op->emitOpError("reads ")
           << name << " as " << type << ", but it is " << stored;
  return success();
}

LogicalResult SlotOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!getPayloadAttr()) // C3
    return success();
  return verifyStored(*this, getPayloadAttr(),
                      cast<BufferType>(getResult().getType()), symbols);
}

LogicalResult GetOp::verify() {
  BufferType type = getType();
  if (!type.getStrides().empty() &&
      !llvm::equal(type.getStrides(),
                   guard::getContiguousStrides(getContext(),
                                               type.getSizes()))) // C2
    return emitOpError("expected a row-major buffer");
  return success();
}

LogicalResult GetOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyStored(*this, getConstantAttr(), getType(), symbols); // C1
}

LogicalResult SymbolOp::verify() {
  bool isStep = getSource() == SymbolSource::Step;
  if (isStep != !getSlot()) // C1
    return emitOpError(isStep ? "is given by a step, expected no slot"
                              : "expected the slot that it is read from");
  if (getScale() == 0) // C2
    return emitOpError("expected a scale other than 0");
  bool ofTensor =
      getSource() == SymbolSource::Size || getSource() == SymbolSource::Stride;
  if (ofTensor != getDim().has_value())
    return emitOpError(ofTensor ? "expected a dimension"
                                : "expected no dimension");
  if (isStep)
    return success();
  if (!getSlot().getDefiningOp<SlotOp>() ||
      isNumber(getSlot().getType()) == ofTensor)
    return emitOpError("expected a slot that is a ")
           << (ofTensor ? "tensor" : "number");
  if (!ofTensor)
    return success();
  size_t rank = cast<BufferType>(getSlot().getType()).getSizes().size();
  if (size_t(*getDim()) >= rank) // C3
    return emitOpError("reads dimension ") << *getDim() << " of " << rank;
  return success();
}

LogicalResult DefineOp::verify() {
  auto buffer = dyn_cast<BufferType>(getValue().getType());
  if (!buffer)
    return getDim() ? emitOpError("expected no dimension of a number")
                    : success(); // C3
  // A tensor with one element is a number where a dimension is not named.
  if (!getDim())
    return emitOpError("expected the dimension that is read"); // C1
  size_t rank = buffer.getSizes().size();
  if (size_t(*getDim()) >= rank) // C2
    return emitOpError("reads dimension ") << *getDim() << " of " << rank;
  return success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

LogicalResult AllocOp::verify() {
  if (bool(getPlaceAttr()) + getIsNew() + getIsPrepared() > 1) // C1
    return emitOpError("has more than one place, expected one in the arena, "
                       "'new' or 'prepared'");
  if (!getType().getByteSize()) // C2
    return emitOpError("expected a buffer without gaps");
  return success();
}

LogicalResult ReleaseOp::verify() {
  for (Value value : getValues()) { // C1
    Operation *definer = value.getDefiningOp();
    auto alloc = dyn_cast_or_null<AllocOp>(definer);
    if (alloc ? !alloc.getIsNew() : !isa_and_nonnull<CallOp, InvokeOp>(definer))
      return emitOpError("releases what it does not own, expected results of "
                         "calls and new buffers");
  }
  return success();
}

LogicalResult CopyOp::verify() {
  BufferType from = getSource().getType(), to = getTarget().getType();
  if (from.getSizes() != to.getSizes() ||
      from.getElementType() != to.getElementType()) // C1
    return emitOpError("copies ") << from << " to " << to;
  return success();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void LaunchOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (auto [k, buffer] : llvm::enumerate(getBuffersMutable())) {
    if (getWrites()[k])
      effects.emplace_back(MemoryEffects::Write::get(), &buffer);
    else
      effects.emplace_back(MemoryEffects::Read::get(), &buffer);
  }
  // It evaluates expressions, whose symbols other steps may define.
  effects.emplace_back(MemoryEffects::Read::get(), guard::SymbolValues::get());
}

SmallVector<SymbolRefAttr> LaunchOp::getKernels() {
  if (!getGridAttr())
    return {getKernelAttr()};
  SmallVector<SymbolRefAttr> kernels;
  for (auto step : getGridAttr().getSteps().getAsRange<GridStepAttr>()) {
    kernels.push_back(step.getKernel());
    if (step.getWide())
      kernels.push_back(step.getWide());
  }
  return kernels;
}

/// What a library reads, and what it writes, are such buffers.
static LogicalResult verifyLibrary(LaunchOp launch, Attribute call,
                                   ArrayRef<bool> writes) { // C4
  SmallVector<int64_t> reads;
  int64_t written = -1;
  if (auto product = dyn_cast<ProductAttr>(call)) {
    reads = {product.getLeft().getBuffer(), product.getRight().getBuffer()};
    if (product.getBias() != -1)
      reads.push_back(product.getBias());
    written = product.getResult().getBuffer();
  } else if (auto convolution = dyn_cast<ConvolutionAttr>(call)) {
    int64_t target = convolution.getTarget().getBuffer(),
            weight = convolution.getWeight().getBuffer();
    reads = {convolution.getSource().getBuffer(),
             convolution.getGradient() ? target : weight};
    written = convolution.getGradient() ? weight : target;
  } else {
    return launch.emitOpError("expected a product or a convolution of a "
                              "library, but found ")
           << call;
  }
  auto isWritten = [&](int64_t buffer, bool wanted) {
    return buffer >= 0 && buffer < int64_t(writes.size()) &&
           writes[buffer] == wanted;
  };
  if (isWritten(written, true) && llvm::all_of(reads, [&](int64_t buffer) {
        return isWritten(buffer, false);
      }))
    return success();
  return launch.emitOpError("expected a library to read buffers that are read, "
                            "and to write one that is written, but found ")
         << call;
}

static LogicalResult verifyGrid(LaunchOp launch, GridAttr grid) { // C4
  if (grid.getSteps().empty())
    return launch.emitOpError("has a grid without a step");
  for (Attribute each : grid.getSteps()) {
    auto step = dyn_cast<GridStepAttr>(each);
    if (!step)
      return launch.emitOpError("has ")
             << each << " in its grid, expected '#program.grid_step'";
    if (bool(step.getWide()) != bool(grid.getNarrow()))
      return launch.emitOpError("expected 'narrow' and a wide kernel of each "
                                "step, or neither");
    if (step.getThreads() < 1 || step.getThreads() > 1024 ||
        step.getShared() < 0)
      return launch.emitOpError("expected 1 to 1024 threads of a block and no "
                                "negative shared memory, but found ")
             << step.getThreads() << " and " << step.getShared();
    for (Attribute symbol : step.getSymbols())
      if (!isa<guard::ExprAttr>(symbol))
        return launch.emitOpError("has the symbol ")
               << symbol << " in its grid, expected '#guard.expr'";
    for (Attribute map : step.getMaps() ? step.getMaps().getValue()
                                        : ArrayRef<Attribute>())
      if (!isa<TensorMapAttr>(map))
        return launch.emitOpError("has the map ")
               << map << " in its grid, expected '#program.tensor_map'";
  }
  for (Attribute check : grid.getChecks() ? grid.getChecks().getValue()
                                          : ArrayRef<Attribute>())
    if (!isa<StringAttr>(check) || grid.getLibrary())
      return launch.emitOpError("has the check ")
             << check << " in its grid, expected a message, and no library";
  if (cast<GridStepAttr>(grid.getSteps()[0]).getKernel() !=
      launch.getKernelAttr())
    return launch.emitOpError("is not of the kernel that its grid begins with");
  ArrayRef<bool> writes = launch.getWrites();
  if (grid.getWorkspace() && (writes.empty() || !writes.back()))
    return launch.emitOpError("expected the workspace as its last buffer, which "
                              "is written");
  return grid.getLibrary() ? verifyLibrary(launch, grid.getLibrary(), writes)
                           : success();
}

LogicalResult LaunchOp::verify() {
  int64_t count = getBuffers().size();
  if (getWrites().size() != getBuffers().size()) // C1
    return emitOpError("expected ")
           << count << " accesses, but found " << getWrites().size();
  if (int64_t(getGrain()) < 1) // C2
    return emitOpError("expected a grain of at least 1, but found ")
           << int64_t(getGrain());
  ArrayRef<int64_t> pairs = getOverwrites().value_or(ArrayRef<int64_t>());
  if (pairs.size() % 2 != 0)
    return emitOpError("expected pairs of positions in 'overwrites'");
  for (size_t i = 0; i < pairs.size(); i += 2) { // C3
    int64_t to = pairs[i], from = pairs[i + 1];
    if (to < 0 || from < 0 || to >= count || from >= count ||
        !getWrites()[to] || getWrites()[from])
      return emitOpError("overwrites ")
             << from << " by " << to
             << ", expected the positions of a read and of a written buffer";
  }
  return getGridAttr() ? verifyGrid(*this, getGridAttr()) : success();
}

/// Each `#program.operand` is one of `count` operands.
static LogicalResult verifyArguments(Operation *op, ArrayAttr arguments,
                                     size_t count) {
  WalkResult result =
      arguments.walk([&](OperandAttr operand) {
        return operand.getIndex() < count ? WalkResult::advance()
                                          : WalkResult::interrupt();
      });
  if (!result.wasInterrupted())
    return success();
  return op->emitOpError("an argument names an operand that is not there, "
                         "expected one of ")
         << count;
}

LogicalResult CallOp::verify() {
  if (getOverload().empty())
    return emitOpError("expected the name of an operator");
  return verifyArguments(*this, getArguments(), getInputs().size());
}

LogicalResult InvokeOp::verify() {
  size_t arguments = getArguments().size(), results = getNumResults();
  bool isBranch = getKind() == InvokeKind::Branch;
  bool isScan = getKind() == InvokeKind::Scan;
  if (getCallees().size() != (isScan ? 1 : 2)) // C1
    return emitOpError("expected ")
           << (isScan ? 1 : 2) << " callees, but found " << getCallees().size();
  int64_t carried = getCarried(), scanned = getScanned();
  if (carried < 0 || scanned < 0 || size_t(carried) > results ||
      size_t(carried) > arguments || size_t(scanned) > arguments - carried ||
      (isBranch && (carried || scanned || !arguments)) ||
      (!isScan && scanned) || (isScan && !scanned) ||
      (getKind() == InvokeKind::While && size_t(carried) != results))
    return emitOpError("cannot carry ")
           << carried << " and take slices of " << scanned << " of "
           << arguments << " arguments for " << results << " results";
  return verifyArguments(*this, getArguments(), getInputs().size());
}

LogicalResult InvokeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  size_t taken =
      getArguments().size() - (getKind() == InvokeKind::Branch ? 1 : 0);
  for (auto [k, callee] :
       llvm::enumerate(getCallees().getAsRange<FlatSymbolRefAttr>())) { // C2
    auto function = symbols.lookupNearestSymbolFrom<FuncOp>(*this, callee);
    if (!function)
      return emitOpError("runs ")
             << callee << ", which is no program of the module";
    size_t given =
        getKind() == InvokeKind::While && k == 0 ? 1 : getNumResults();
    size_t slots = llvm::range_size(function.getBody().getOps<SlotOp>());
    size_t outputs = function.getReturn().getOutputs().size();
    if (slots != taken || outputs != given)
      return emitOpError("runs ")
             << callee << " with " << slots << " slots and " << outputs
             << " outputs, expected " << taken << " and " << given;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Training
//===----------------------------------------------------------------------===//

LogicalResult program::verifyTraining(FuncOp forward, FuncOp backward) {
  ReturnOp returned = forward.getReturn();
  SmallVector<Type> saved;
  size_t next = 0;
  for (auto output : returned.getOutputs().getAsRange<OutputAttr>()) {
    Type type = output.getValue()
                    ? Type(NumberType::get(forward.getContext()))
                    : returned.getValues()[next++].getType();
    if (output.getRole() == Role::Saved)
      saved.push_back(type);
  }
  auto layout = [](Type type) {
    auto buffer = dyn_cast<BufferType>(type);
    // Strides are what the one chose and the other is given.
    return buffer ? BufferType::get(type.getContext(), buffer.getSizes(),
                                    buffer.getElementType(), {})
                  : type;
  };
  size_t taken = 0;
  for (auto slot : backward.getBody().getOps<SlotOp>()) {
    if (slot.getKind() != SlotKind::Saved)
      continue;
    Type type = slot.getResult().getType();
    if (taken < saved.size() && layout(saved[taken]) != layout(type))
      return slot.emitOpError("takes ")
             << type << ", but '" << forward.getSymName() << "' saves "
             << saved[taken];
    ++taken;
  }
  if (taken != saved.size())
    return backward.emitError("the forward program saves ")
           << saved.size() << " values, the backward program expects "
           << taken;
  return success();
}

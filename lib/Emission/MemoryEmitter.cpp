//===- MemoryEmitter.cpp - Loads and stores of lanes ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Emission/KernelEmitter.h"
#include "kiln/Emission/VectorIdioms.h"

#include "kiln/Dialect/Guard/IR/ExprRange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Booleans are bytes in memory; integers have no sign there.
static Type memoryType(Type elementType) {
  if (elementType.isInteger(1))
    return IntegerType::get(elementType.getContext(), 8);
  return getBodyType(elementType);
}

static Type widen(Type type, int64_t lanes) {
  return lanes == 1 ? type : VectorType::get({lanes}, type);
}

static unsigned byteWidth(Type elementType) {
  return (memoryType(elementType).getIntOrFloatBitWidth() + 7) / 8;
}

ExprAttr KernelEmitter::linearAddress(const Buffer &buffer,
                                      ArrayRef<ExprAttr> indices) const {
  SmallVector<ExprAttr> terms;
  for (auto [index, stride] : llvm::zip_equal(indices, buffer.strides))
    terms.push_back(index * stride);
  return guard::sum(context, terms);
}

uint64_t KernelEmitter::getFactor(ExprAttr term, ExprAttr dim,
                                  uint64_t multiple, uint64_t most) {
  if (term.getKind() == guard::ExprKind::Add) {
    uint64_t factor = most;
    for (ExprAttr part : term.getOperands())
      factor = std::gcd(factor, getFactor(part, dim, multiple, most));
    return factor;
  }
  uint64_t factor = 1;
  if (term == dim)
    factor = multiple;
  else if (auto constant = term.getConstant())
    factor = *constant;
  else if (term.getKind() == guard::ExprKind::Mul)
    for (ExprAttr part : term.getOperands())
      factor = std::min(factor * getFactor(part, dim, multiple, most), most);
  else if (auto divisor = term.getKind() == guard::ExprKind::FloorDiv
                              ? term.getOperand(1).getConstant()
                              : std::nullopt;
           divisor && *divisor > 0) {
    uint64_t divided =
        getFactor(term.getOperand(0), dim, multiple, most * *divisor);
    factor = divided % *divisor == 0 ? divided / *divisor : 1;
  } else if (term.getKind() == guard::ExprKind::Mod)
    factor = std::gcd(getFactor(term.getOperand(0), dim, multiple, most),
                      getFactor(term.getOperand(1), dim, multiple, most));
  return std::gcd(factor, most);
}

unsigned KernelEmitter::getAlignment(const Buffer &buffer, ExprAttr address,
                                     const Position &position) {
  uint64_t element = byteWidth(buffer.elementType), most = buffer.alignment;
  if (most <= element || position.vectorDim < 0)
    return element;
  ExprAttr dim = guard::getDim(address.getContext(), position.vectorDim);
  uint64_t common = most, multiple = position.multiple;
  if (position.begin) {
    common = std::gcd(most, element * multiple);
    multiple = 1;
    address = address - position.begin - dim;
    if (guard::contains(address, dim))
      return element;
  }
  // Of dimensions that are walked as one, all but the last have one element.
  address = guard::dropUnitDims(address, position.extents);
  auto take = [&](ExprAttr term) {
    common = std::gcd(common, element * getFactor(term, dim, multiple, most));
  };
  if (address.getKind() == guard::ExprKind::Add)
    llvm::for_each(address.getOperands(), take);
  else
    take(address);
  return std::max(common, element);
}

Value KernelEmitter::elementPointer(const Buffer &buffer, ExprAttr address,
                                    const Position &position) {
  Value index = emitIndex(address, position);
  Value offset = arith::IndexCastOp::create(b, b.getI64Type(), index);
  return LLVM::GEPOp::create(b, buffer.pointer.getType(),
                             memoryType(buffer.elementType), buffer.pointer,
                             ArrayRef<LLVM::GEPArg>{offset});
}

Value KernelEmitter::findInput(const Buffer &buffer, Value number,
                               Value offset) {
  findsInputs = true;
  Type type = buffer.pointer.getType();
  auto toWord = [&](Value index) -> Value {
    return arith::IndexCastOp::create(b, b.getI64Type(), index);
  };
  Value slot =
      LLVM::GEPOp::create(b, inputPointers.getType(), type, inputPointers,
                          ArrayRef<LLVM::GEPArg>{toWord(number)});
  return LLVM::GEPOp::create(b, type, memoryType(buffer.elementType),
                             LLVM::LoadOp::create(b, type, slot),
                             ArrayRef<LLVM::GEPArg>{toWord(offset)});
}

Value KernelEmitter::isElsewhere(const Buffer &one, const Buffer &other) {
  return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, one.pointer,
                              other.pointer);
}

Value KernelEmitter::fromMemory(Value loaded, Type elementType) {
  if (!elementType.isInteger(1))
    return loaded;
  Type type = loaded.getType();
  Value zero =
      arith::ConstantOp::create(b, type, cast<TypedAttr>(b.getZeroAttr(type)));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, loaded, zero);
}

Value KernelEmitter::toMemory(Value value, Type elementType) {
  Type target = memoryType(elementType);
  Type source = getElementTypeOrSelf(value.getType());
  if (source == target)
    return value;
  auto vectorType = dyn_cast<VectorType>(value.getType());
  Type type = vectorType ? Type(vectorType.clone(target)) : target;
  if (isa<FloatType>(target)) {
    if (source.getIntOrFloatBitWidth() > target.getIntOrFloatBitWidth())
      return arith::TruncFOp::create(b, type, value);
    return arith::ExtFOp::create(b, type, value);
  }
  if (source.getIntOrFloatBitWidth() > target.getIntOrFloatBitWidth())
    return arith::TruncIOp::create(b, type, value);
  return arith::ExtUIOp::create(b, type, value);
}

namespace {
/// How an address changes from lane to lane.
struct LaneAccess {
  enum Kind { Uniform, Contiguous, EverySecond, Repeated, Irregular } kind;
  analysis::Repeats repeats = {};
};
} // namespace

/// An expression that changes from lane to lane as `expr` does, where lanes begin at a
/// multiple of their number: divided by a multiple of it they have one quotient,
/// and remainders that follow each other. So heads that are part of a row are vectors of it.
static ExprAttr alongLanes(ExprAttr expr, ExprAttr dim,
                           const Position &position) {
  using guard::ExprKind;
  MLIRContext *context = expr.getContext();
  ExprKind kind = expr.getKind();
  if (kind == ExprKind::Add || kind == ExprKind::Mul) {
    bool isSum = kind == ExprKind::Add;
    ExprAttr made = guard::getConstant(context, isSum ? 0 : 1);
    for (ExprAttr operand : expr.getOperands()) {
      ExprAttr part = alongLanes(operand, dim, position);
      made = isSum ? made + part : made * part;
    }
    return made;
  }
  if (kind != ExprKind::FloorDiv && kind != ExprKind::Mod)
    return expr;
  ExprAttr divided = expr.getOperand(0);
  auto divisor = expr.getOperand(1).getConstant();
  auto step = guard::getCoefficient(divided, dim);
  if (!divisor || *divisor <= 0 || *divisor % position.lanes != 0 || !step ||
      !step->isConstant(1) ||
      int64_t(KernelEmitter::getFactor(divided, dim, position.multiple,
                                       position.lanes)) != position.lanes)
    return expr;
  ExprAttr first = guard::substitute(expr, [&](ExprAttr leaf) {
    return leaf == dim ? guard::getConstant(context, 0) : leaf;
  });
  return kind == ExprKind::Mod ? first + dim : first;
}

/// Lanes of which some neighbours have one address, as channels of a group have the image in
/// common that they are made of.
static std::optional<analysis::Repeats> findRepeats(ExprAttr address,
                                                    const Position &position) {
  if (position.begin)
    return std::nullopt;
  auto repeats = analysis::getRepeats(address, position.vectorDim);
  if (!repeats || position.lanes % repeats->count != 0 ||
      position.multiple % repeats->count != 0 ||
      position.lanes / repeats->count * repeats->step > 2 * position.lanes)
    return std::nullopt;
  return repeats;
}

/// Compares the address of the next lane with that of this one. Polynomials in
/// canonical form make the difference exact.
static LaneAccess classify(ExprAttr address, const Position &position,
                           ArrayRef<int> varyingDims) {
  MLIRContext *context = address.getContext();
  for (int dim : varyingDims)
    if (guard::contains(address, guard::getDim(context, dim)))
      return {LaneAccess::Irregular};
  if (position.lanes == 1 || position.vectorDim < 0)
    return {LaneAccess::Uniform};
  ExprAttr dim = guard::getDim(context, position.vectorDim);
  if (beginsVectors(position))
    address = alongLanes(address, dim, position);
  if (!guard::contains(address, dim))
    return {LaneAccess::Uniform};
  ExprAttr next = guard::substitute(
      address, [&](ExprAttr leaf) { return leaf == dim ? leaf + 1 : leaf; });
  ExprAttr step = next - address;
  if (step.isConstant(0))
    return {LaneAccess::Uniform};
  // Only a step that is one for every lane: `guard::contains` excludes steps
  // that depend on where the vector begins.
  if (step.isConstant(1) && guard::getCoefficient(address, dim))
    return {LaneAccess::Contiguous};
  if (step.isConstant(2) && guard::getCoefficient(address, dim))
    return {LaneAccess::EverySecond};
  if (auto repeats = findRepeats(address, position))
    return {LaneAccess::Repeated, *repeats};
  return {LaneAccess::Irregular};
}

/// What lies at an address, one element or one for each lane. Where it is outside the first
/// elements of the tensor are read, let go, and there is `other` instead.
Value KernelEmitter::loadOrFirst(const Buffer &buffer, ExprAttr address,
                                 const Position &position, bool isWide,
                                 Value isInside, Value other) {
  Type type = memoryType(buffer.elementType);
  Value pointer = arith::SelectOp::create(
      b, isInside, elementPointer(buffer, address, position), buffer.pointer);
  Value loaded = LLVM::LoadOp::create(
      b, isWide ? widen(type, position.lanes) : type, pointer,
      getAlignment(buffer, address, position), /*isVolatile=*/false,
      /*isNonTemporal=*/false, buffer.isConstant);
  loaded = fromMemory(loaded, buffer.elementType);
  int64_t lanes =
      isWide || isa<VectorType>(other.getType()) ? position.lanes : 1;
  return arith::SelectOp::create(b, isInside, broadcast(loaded, lanes),
                                 broadcast(other, lanes));
}

/// Neighbours of which each lane says whether its own is inside. Where vectors have no masks,
/// as on a GPU, a branch around each element would have them wait for one another: outside
/// the first element of the tensor is read, let go, and there is `other` instead.
Value KernelEmitter::loadLanesOrFirst(const Buffer &buffer, ExprAttr address,
                                      const Position &position, Value mask,
                                      Value other) {
  Type type = memoryType(buffer.elementType);
  Value first = elementPointer(buffer, address, position);
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < position.lanes; ++lane) {
    Value pointer = LLVM::GEPOp::create(b, first.getType(), type, first,
                                        ArrayRef<LLVM::GEPArg>{int32_t(lane)});
    Value isInside =
        vector::ExtractOp::create(b, mask, ArrayRef<int64_t>{lane});
    pointer = arith::SelectOp::create(b, isInside, pointer, buffer.pointer);
    elements.push_back(LLVM::LoadOp::create(
        b, type, pointer, byteWidth(buffer.elementType), /*isVolatile=*/false,
        /*isNonTemporal=*/false, buffer.isConstant));
  }
  Value loaded = fromMemory(
      vector::FromElementsOp::create(b, cast<VectorType>(widen(type, position.lanes)),
                                     elements),
      buffer.elementType);
  return arith::SelectOp::create(b, mask, loaded,
                                 broadcast(other, position.lanes));
}

/// Lanes that take an element of their group each, where the number of it is the same for
/// all and known, as in a sum that is written out: on a GPU groups are one vector, read once
/// for all of their elements. Null elsewhere, and where they are not.
Value KernelEmitter::loadGroups(const Buffer &buffer, ExprAttr address,
                                const Position &position, Value isInside,
                                Value other) {
  auto repeats = readsFirst && position.lanes > 1 && !position.mask
                     ? findRepeats(address, position)
                     : std::nullopt;
  if (!repeats || repeats->shift != 0)
    return {};
  int64_t width = position.lanes / repeats->count * repeats->step, number = 0;
  if (!llvm::has_single_bit(uint64_t(width)) ||
      (isInside && (!usesPadding || buffer.first < width)))
    return {};
  for (auto [k, index] : llvm::enumerate(position.dims)) {
    ExprAttr dim = guard::getDim(address.getContext(), k);
    auto place = index ? getConstantIntValue(index) : std::nullopt;
    auto step = guard::getCoefficient(address, dim);
    if (!place || !step || !step->isConstant(1) ||
        !position.extents[k].isConstant(repeats->step))
      continue;
    number = *place;
    address = address - dim;
    break;
  }
  uint64_t bytes = width * byteWidth(buffer.elementType);
  if (number >= repeats->step || getAlignment(buffer, address, position) < bytes)
    return {};
  Value pointer = elementPointer(buffer, address, position);
  if (isInside)
    pointer = arith::SelectOp::create(b, isInside, pointer, buffer.pointer);
  Value loaded = LLVM::LoadOp::create(
      b, widen(memoryType(buffer.elementType), width), pointer, bytes,
      /*isVolatile=*/false, /*isNonTemporal=*/false, buffer.isConstant);
  loaded = fromMemory(loaded, buffer.elementType);
  SmallVector<int64_t> places;
  for (int64_t lane = 0; lane < position.lanes; ++lane)
    places.push_back(lane / repeats->count * repeats->step + number);
  Value taken = width == 1
                    ? broadcast(loaded, position.lanes)
                    : vector::ShuffleOp::create(b, loaded, loaded, places)
                          .getResult();
  if (!isInside)
    return taken;
  return arith::SelectOp::create(b, isInside, taken,
                                 broadcast(other, position.lanes));
}

/// Whether an expression has indices of which each lane has its own.
static bool variesByLane(ExprAttr expr, const Position &position) {
  for (auto [k, index] : llvm::enumerate(position.dims))
    if (index &&
        (int(k) == position.vectorDim || isa<VectorType>(index.getType())) &&
        guard::contains(expr, guard::getDim(expr.getContext(), k)))
      return true;
  return false;
}

/// Addresses of lanes that lie apart: one that all have, and what each is beyond it. Elements
/// that are read are of the tensor, so 32 bits say which one of few: those of other lanes
/// may be cut, nothing is read there.
Value KernelEmitter::lanePointers(const Buffer &buffer, ExprAttr address,
                                  const Position &position) {
  constexpr int64_t kMost = int64_t(1) << 30;
  Type type = memoryType(buffer.elementType);
  auto pointers =
      VectorType::get({position.lanes}, buffer.pointer.getType());
  auto move = [&](Value pointer, Value offsets) -> Value {
    return LLVM::GEPOp::create(b, pointers, type, pointer,
                               ArrayRef<LLVM::GEPArg>{offsets});
  };
  ExprAttr common = guard::getConstant(context, 0);
  ArrayRef<ExprAttr> terms(address);
  if (address.getKind() == guard::ExprKind::Add)
    terms = address.getOperands();
  for (ExprAttr term : terms)
    if (!variesByLane(term, position))
      common = common + term;
  guard::Interval range = guard::getRange(common, assumptionsOf(position));
  if (!gathersIn32 || buffer.span == 0 || buffer.span > kMost ||
      range.min < -kMost || range.max > kMost) {
    Value offsets = arith::IndexCastOp::create(
        b, VectorType::get({position.lanes}, b.getI64Type()),
        emitIndexVector(address, position));
    return move(buffer.pointer, offsets);
  }
  return move(elementPointer(buffer, common, position),
              emitNarrowVector(address - common, position));
}

/// True if an element is one of the first of a tensor: it may be read whatever lanes are to.
bool KernelEmitter::isThereForAll(const Buffer &buffer, ExprAttr address) const {
  auto place = address.getConstant();
  return picksLanes && place && *place >= 0 && *place < buffer.first;
}

/// Lanes from places of their own.
Value KernelEmitter::loadApart(const Buffer &buffer, ExprAttr address,
                               const Position &position, Value mask,
                               Value other) {
  Type type = memoryType(buffer.elementType);
  int64_t lanes = position.lanes;
  Value addresses = lanePointers(buffer, address, position);
  Value all = mask;
  if (!mask)
    all = arith::ConstantOp::create(
        b, DenseElementsAttr::get(VectorType::get({lanes}, b.getI1Type()),
                                  true));
  Value fallback =
      mask ? toMemory(broadcast(other, lanes), buffer.elementType) : Value();
  auto loaded = LLVM::masked_gather::create(
      b, widen(type, lanes), addresses, all,
      fallback ? ValueRange(fallback) : ValueRange(),
      b.getI32IntegerAttr(byteWidth(buffer.elementType)));
  return fromMemory(loaded, buffer.elementType);
}

/// What is there in a branch, so that nothing is read where it is not: `other` then.
Value KernelEmitter::loadInBranch(const Buffer &buffer, ExprAttr address,
                                  const Position &position,
                                  ArrayRef<int> varyingDims, Value isInside,
                                  Value other, bool isUniform) {
  bool wide = !isUniform || isa<VectorType>(other.getType());
  if (wide)
    other = broadcast(other, position.lanes);
  auto branch = scf::IfOp::create(b, TypeRange{other.getType()}, isInside,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value value = load(buffer, address, position, varyingDims, {}, {});
  scf::YieldOp::create(b, wide ? broadcast(value, position.lanes) : value);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, other);
  return branch.getResult(0);
}

static Value getOne(ImplicitLocOpBuilder &b, Type element) {
  return arith::ConstantOp::create(b, isa<FloatType>(element)
                                          ? TypedAttr(b.getFloatAttr(element, 1.0))
                                          : b.getIntegerAttr(element, 1));
}

Value KernelEmitter::load(const Buffer &buffer, ExprAttr address,
                          const Position &position, ArrayRef<int> varyingDims,
                          Value mask, Value other) {
  Type type = memoryType(buffer.elementType);
  int64_t lanes = position.lanes;
  LaneAccess access = classify(address, position, varyingDims);
  bool wideMask = mask && isa<VectorType>(mask.getType());
  if (Value taken = wideMask || !varyingDims.empty()
                        ? Value()
                        : loadGroups(buffer, address, position, mask, other))
    return taken;
  if (access.kind == LaneAccess::Uniform && wideMask) {
    if (isThereForAll(buffer, address))
      return arith::SelectOp::create(
          b, mask, broadcast(load(buffer, address, position, {}, {}, {}), lanes),
          broadcast(other, lanes));
    access.kind = LaneAccess::Irregular;
  }
  if (wideMask && readsFirst && access.kind == LaneAccess::Contiguous &&
      buffer.first > 0 && !position.mask)
    return loadLanesOrFirst(buffer, address, position, mask, other);
  bool maySkip = picksLanes && (masksTails || !position.mask);
  // A mask of lanes is read once for each lane that reads an element.
  constexpr int64_t kMostMasked = 4;
  if (access.kind == LaneAccess::Repeated &&
      (wideMask ? !masksTails || access.repeats.count > kMostMasked : !maySkip))
    access.kind = LaneAccess::Irregular;

  // One mask for all lanes: where it is false another place is read that has what is
  // to be there instead, or a branch, so that nothing is read.
  Value isInside, instead;
  bool isWide = access.kind == LaneAccess::Contiguous;
  if (mask && !wideMask && isWide)
    instead = getPadding(other, buffer.elementType, lanes);
  if (mask && !wideMask && usesPadding && readsFirst && buffer.first >= lanes &&
      (isWide || access.kind == LaneAccess::Uniform))
    return loadOrFirst(buffer, address, position, isWide, mask, other);
  bool picks = access.kind == LaneAccess::EverySecond ||
               access.kind == LaneAccess::Repeated;
  if (mask && !wideMask && picks && maySkip)
    instead = getPadding(other, buffer.elementType, 2 * lanes);
  if (instead)
    std::swap(mask, isInside);
  if (mask && !wideMask)
    return loadInBranch(buffer, address, position, varyingDims, mask, other,
                        access.kind == LaneAccess::Uniform);

  // Lanes outside of the domain read a one, which no operation traps on.
  if (!mask && position.mask && access.kind != LaneAccess::Uniform) {
    mask = position.mask;
    wideMask = true;
    other = getOne(b, getBodyType(buffer.elementType));
  } else if (wideMask && position.mask) {
    mask = arith::AndIOp::create(b, mask, position.mask);
  }

  unsigned alignment = byteWidth(buffer.elementType);
  auto getPointer = [&]() -> Value {
    Value pointer = elementPointer(buffer, address, position);
    return instead ? arith::SelectOp::create(b, isInside, pointer, instead)
                   : pointer;
  };
  if (picks && (masksTails || (picksLanes && !mask))) {
    Value pointer = getPointer();
    auto loadedType = VectorType::get({lanes}, type);
    Value loaded =
        access.kind == LaneAccess::EverySecond
            ? loadEverySecond(b, b.getLoc(), pointer, loadedType, mask, alignment)
            : loadRepeated(b, b.getLoc(), pointer, loadedType, access.repeats,
                           mask, masksTails, alignment);
    if (mask)
      loaded = arith::SelectOp::create(
          b, mask, loaded,
          toMemory(broadcast(other, lanes), buffer.elementType));
    return fromMemory(loaded, buffer.elementType);
  }
  assert((!instead || access.kind == LaneAccess::Contiguous) &&
         "another place is for vectors that are loaded");
  if (picks || access.kind == LaneAccess::Irregular)
    return loadApart(buffer, address, position, mask, other);

  Value pointer = getPointer();
  alignment = getAlignment(buffer, address, position);
  if (wideMask) {
    Value fallback = toMemory(broadcast(other, lanes), buffer.elementType);
    Value loaded = LLVM::MaskedLoadOp::create(
        b, widen(type, lanes), pointer, mask, fallback,
        b.getI32IntegerAttr(alignment), /*nontemporal=*/nullptr);
    return fromMemory(loaded, buffer.elementType);
  }
  Value loaded =
      LLVM::LoadOp::create(b, isWide ? widen(type, lanes) : type, pointer,
                           alignment, /*isVolatile=*/false,
                           /*isNonTemporal=*/false,
                           buffer.isConstant && !instead);
  return fromMemory(loaded, buffer.elementType);
}

Value KernelEmitter::loadAt(Value pointer, Type elementType, int64_t lanes,
                            unsigned alignment) {
  Value loaded = LLVM::LoadOp::create(b, widen(memoryType(elementType), lanes),
                                      pointer, alignment);
  return fromMemory(loaded, elementType);
}

void KernelEmitter::store(const Buffer &buffer, ExprAttr address,
                          const Position &position, Value value, bool streams) {
  value = toMemory(broadcast(value, position.lanes), buffer.elementType);
  unsigned alignment = byteWidth(buffer.elementType);
  LaneAccess access = classify(address, position, {});
  if (position.lanes == 1 || access.kind == LaneAccess::Contiguous) {
    Value pointer = elementPointer(buffer, address, position);
    alignment =
        streams ? kLineBytes : getAlignment(buffer, address, position);
    if (position.mask)
      LLVM::MaskedStoreOp::create(b, value, pointer, position.mask,
                                  b.getI32IntegerAttr(alignment));
    else
      LLVM::StoreOp::create(b, value, pointer, alignment, /*isVolatile=*/false,
                            /*isNonTemporal=*/streams);
    return;
  }
  assert(access.kind != LaneAccess::Uniform &&
         "lanes of a result have places of their own");
  Value indices = emitIndexVector(address, position);
  Value offsets = arith::IndexCastOp::create(
      b, VectorType::get({position.lanes}, b.getI64Type()), indices);
  auto pointers =
      VectorType::get({position.lanes}, buffer.pointer.getType());
  Value addresses = LLVM::GEPOp::create(
      b, pointers, memoryType(buffer.elementType), buffer.pointer,
      ArrayRef<LLVM::GEPArg>{offsets});
  Value lanes = position.mask;
  if (!lanes)
    lanes = arith::ConstantOp::create(
        b, DenseElementsAttr::get(
               VectorType::get({position.lanes}, b.getI1Type()), true));
  LLVM::masked_scatter::create(b, value, addresses, lanes,
                               b.getI32IntegerAttr(alignment));
}

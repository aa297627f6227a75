//===- SortedRow.cpp - Elements of a row in order -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements lie in memory twice, and go from one half to the other.
//
// By digits: a radix sort from the least significant digit on (D. Knuth, "The
// Art of Computer Programming", volume 3, 5.2.5). The digits of all elements,
// of eight bits, are counted at once; the counts of one digit, added up, are
// where elements with it begin, and a pass puts each element there. Each pass
// keeps the order of equal digits, so the sort is stable. Where all elements
// have the same digit, as the upper ones of small integers, there is no pass.
// A key of 32 bits or less is one word with its position, and then an element
// is moved by a load and a store.
//
// By merging: from runs of one element upwards each pass merges pairs of runs.
// A merge takes one element a step without branches on the data, so the
// processor has nothing to predict.
//
//===----------------------------------------------------------------------===//

#include "SortedRow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

/// Bits of a digit, and the values that it has.
static constexpr int64_t kDigitBits = 8, kDigitValues = 1 << kDigitBits;
/// Bits of the position in a packed element.
static constexpr unsigned kPositionBits = 32;
/// Counters that are cleared at once.
static constexpr int64_t kClearedCounters = 8;

static unsigned countDigits(Type key) {
  return llvm::divideCeil(key.getIntOrFloatBitWidth(), kDigitBits);
}

SortedShape::SortedShape(MLIRContext *context, ArrayRef<Type> keys,
                         std::optional<int64_t> extent, bool countsDigits)
    : keys(keys), countsDigits(countsDigits) {
  Type word = IntegerType::get(context, 64);
  isPacked = countsDigits && keys.size() == 1 &&
             keys[0].getIntOrFloatBitWidth() <= kPositionBits && extent &&
             *extent <= std::numeric_limits<uint32_t>::max();
  if (!isPacked)
    llvm::append_range(types, keys);
  types.push_back(word);
}

int64_t SortedShape::getCounterBytes() const {
  int64_t digits = 0;
  for (Type key : keys)
    digits += ::countDigits(key);
  return digits * kDigitValues * int64_t(sizeof(int64_t));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value SortedRow::address(Value pointer, Type type, Value at) {
  Value offset = arith::IndexCastOp::create(b, b.getI64Type(), at);
  return LLVM::GEPOp::create(b, pointer.getType(), type, pointer,
                             ArrayRef<LLVM::GEPArg>{offset});
}

SmallVector<Value> SortedRow::loadArrays(Value at) {
  SmallVector<Value> values;
  for (auto [pointer, type] : llvm::zip_equal(pointers, shape.types))
    values.push_back(LLVM::LoadOp::create(b, type, address(pointer, type, at)));
  return values;
}

void SortedRow::storeArrays(Value at, ArrayRef<Value> values) {
  for (auto [value, pointer, type] :
       llvm::zip_equal(values, pointers, shape.types))
    LLVM::StoreOp::create(b, value, address(pointer, type, at));
}

SmallVector<Value> SortedRow::load(Value at) {
  SmallVector<Value> values = loadArrays(at);
  if (!shape.isPacked)
    return values;
  Value upper = arith::ShRUIOp::create(b, values[0], word(kPositionBits));
  Value key = arith::TruncIOp::create(b, shape.keys[0], upper);
  Value position =
      arith::AndIOp::create(b, values[0], word((int64_t(1) << kPositionBits) - 1));
  return {key, position};
}

void SortedRow::store(Value at, ArrayRef<Value> values) {
  if (!shape.isPacked)
    return storeArrays(at, values);
  Value key = arith::ExtUIOp::create(b, b.getI64Type(), values[0]);
  Value upper = arith::ShLIOp::create(b, key, word(kPositionBits));
  storeArrays(at, {arith::OrIOp::create(b, upper, values[1])});
}

void SortedRow::repeat(Value begin, Value end,
                       llvm::function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(b, begin, end, index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  body(loop.getInductionVar());
}

//===----------------------------------------------------------------------===//
// By digits
//===----------------------------------------------------------------------===//

SmallVector<SortedRow::Digits> SortedRow::getDigits() const {
  SmallVector<Digits> all;
  int64_t counters = 0;
  // The last key counts least.
  for (unsigned k = shape.keys.size(); k-- > 0;) {
    unsigned count = ::countDigits(shape.keys[k]);
    all.push_back({k, shape.isPacked ? kPositionBits : 0, count, counters});
    counters += count * kDigitValues;
  }
  return all;
}

Value SortedRow::getCounterPlace(Value number) {
  return address(counters, b.getI64Type(), number);
}

Value SortedRow::loadCounter(Value number) {
  return LLVM::LoadOp::create(b, b.getI64Type(), getCounterPlace(number));
}

void SortedRow::storeCounter(Value number, Value value) {
  LLVM::StoreOp::create(b, value, getCounterPlace(number));
}

Value SortedRow::getWord(Value element) {
  return b.createOrFold<arith::ExtUIOp>(b.getI64Type(), element);
}

/// The digit from bit `shift` on, of which the bits of `flip` are turned over.
Value SortedRow::getDigit(Value element, Value shift, Value flip) {
  Value digit = arith::ShRUIOp::create(b, element, shift);
  digit = arith::AndIOp::create(b, digit, word(kDigitValues - 1));
  digit = arith::XOrIOp::create(b, digit, flip);
  return arith::IndexCastUIOp::create(b, b.getIndexType(), digit);
}

/// Counts the digits of the elements of the half that begins at 0.
void SortedRow::countDigits(ArrayRef<Digits> all, Value count) {
  int64_t end = all.back().counters + all.back().count * kDigitValues;
  auto cleared = VectorType::get({kClearedCounters}, b.getI64Type());
  Value none = arith::ConstantOp::create(b, b.getZeroAttr(cleared));
  repeat(index(0), index(end / kClearedCounters), [&](Value at) {
    Value number = arith::MulIOp::create(b, at, index(kClearedCounters));
    LLVM::StoreOp::create(b, none, getCounterPlace(number),
                          /*alignment=*/sizeof(int64_t));
  });
  repeat(index(0), count, [&](Value at) {
    SmallVector<Value> element = loadArrays(at);
    for (const Digits &digits : all)
      for (unsigned k = 0; k < digits.count; ++k) {
        // Keys are signed: the bit of the sign counts the other way round.
        bool isLast = k + 1 == digits.count;
        Value digit = getDigit(getWord(element[digits.array]),
                               word(digits.firstBit + k * kDigitBits),
                               word(isLast ? kDigitValues / 2 : 0));
        Value number = add(digit, index(digits.counters + k * kDigitValues));
        storeCounter(number, add(loadCounter(number), word(1)));
      }
  });
}

/// Makes the counters of one digit, from `first` on, the sums of those before them.
void SortedRow::addUp(Value first) {
  Value end = add(first, index(kDigitValues));
  auto loop = scf::ForOp::create(b, first, end, index(1), word(0));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(loop.getBody());
  Value sum = loop.getRegionIterArg(0);
  Value own = loadCounter(loop.getInductionVar());
  storeCounter(loop.getInductionVar(), sum);
  scf::YieldOp::create(b, add(sum, own));
}

/// Puts each element where those with its digit have come to.
void SortedRow::distribute(const Digits &digits, Value shift, Value flip,
                           Value first, Value count, Value from, Value to) {
  repeat(from, add(from, count), [&](Value at) {
    SmallVector<Value> element = loadArrays(at);
    Value digit = getDigit(getWord(element[digits.array]), shift, flip);
    Value number = add(first, digit);
    Value place = loadCounter(number);
    storeCounter(number, add(place, word(1)));
    storeArrays(add(to, arith::IndexCastUIOp::create(b, b.getIndexType(), place)),
                element);
  });
}

/// One pass, by digit `number`; gives the half that elements are in then.
Value SortedRow::sortByDigit(const Digits &digits, Value number, Value count,
                             Value from, Value half) {
  Value bit = arith::IndexCastOp::create(
      b, b.getI64Type(), arith::MulIOp::create(b, number, index(kDigitBits)));
  Value shift = add(bit, word(digits.firstBit));
  Value isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number,
                                       index(digits.count - 1));
  Value flip = arith::SelectOp::create(b, isLast, word(kDigitValues / 2), word(0));
  Value first = add(arith::MulIOp::create(b, number, index(kDigitValues)),
                    index(digits.counters));
  Value sample = getDigit(getWord(loadArrays(from)[digits.array]), shift, flip);
  Value same = arith::IndexCastUIOp::create(b, b.getIndexType(),
                                            loadCounter(add(first, sample)));
  Value isSorted =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, same, count);
  auto branch = scf::IfOp::create(b, TypeRange{b.getIndexType()}, isSorted,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, from);
  b.setInsertionPointToStart(branch.elseBlock());
  Value to = arith::SubIOp::create(b, half, from);
  addUp(first);
  distribute(digits, shift, flip, first, count, from, to);
  scf::YieldOp::create(b, to);
  return branch.getResult(0);
}

Value SortedRow::sortByDigits(Value count, Value half) {
  SmallVector<Digits> all = getDigits();
  countDigits(all, count);
  Value from = index(0);
  for (const Digits &digits : all) {
    auto passes = scf::ForOp::create(b, index(0), index(digits.count), index(1),
                                     from);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(passes.getBody());
    scf::YieldOp::create(b, sortByDigit(digits, passes.getInductionVar(), count,
                                        passes.getRegionIterArg(0), half));
    from = passes.getResult(0);
  }
  return from;
}

//===----------------------------------------------------------------------===//
// By merging
//===----------------------------------------------------------------------===//

/// One run from [low, middle) and [middle, high) of the half that begins at
/// `from`, into the half that begins at `to`.
void SortedRow::merge(Value low, Value middle, Value high, Value from,
                      Value to) {
  Value one = arith::ConstantIndexOp::create(b, 1);
  auto loop = scf::ForOp::create(b, low, high, one, ValueRange{low, middle});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(loop.getBody());
  Value left = loop.getRegionIterArg(0), right = loop.getRegionIterArg(1);
  // One of them may have ended: what is read there, at most one element
  // behind the row, is not taken.
  SmallVector<Value> x = load(add(from, left)), y = load(add(from, right));
  Value hasLeft =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, left, middle);
  Value noRight =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sge, right, high);
  Value isLess =
      areKeysLess(b, ArrayRef(y).drop_back(), ArrayRef(x).drop_back());
  Value inOrder = arith::XOrIOp::create(
      b, isLess, arith::ConstantIntOp::create(b, 1, 1));
  Value takesLeft = arith::AndIOp::create(
      b, hasLeft, arith::OrIOp::create(b, noRight, inOrder));
  SmallVector<Value> taken;
  for (auto [a, c] : llvm::zip_equal(x, y))
    taken.push_back(arith::SelectOp::create(b, takesLeft, a, c));
  store(add(to, loop.getInductionVar()), taken);
  Value step = arith::IndexCastUIOp::create(b, b.getIndexType(), takesLeft);
  Value other = arith::SubIOp::create(b, one, step);
  scf::YieldOp::create(b, ValueRange{add(left, step), add(right, other)});
}

Value SortedRow::sortByMerging(Value count, Value half) {
  Type index = b.getIndexType();
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  // The width of the runs, and where the half that holds them begins.
  auto passes = scf::WhileOp::create(
      b, TypeRange{index, index}, ValueRange{one, zero},
      [&](OpBuilder &builder, Location loc, ValueRange state) {
        Value more = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::slt, state[0], count);
        scf::ConditionOp::create(builder, loc, more, state);
      },
      [&](OpBuilder &builder, Location, ValueRange state) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToEnd(builder.getInsertionBlock());
        Value width = state[0], from = state[1];
        Value to = arith::SubIOp::create(b, half, from);
        Value both = add(width, width);
        auto runs = scf::ForOp::create(b, zero, count, both);
        {
          OpBuilder::InsertionGuard inner(b);
          b.setInsertionPoint(runs.getBody()->getTerminator());
          Value low = runs.getInductionVar();
          Value middle = arith::MinSIOp::create(b, add(low, width), count);
          Value high = arith::MinSIOp::create(b, add(middle, width), count);
          merge(low, middle, high, from, to);
        }
        scf::YieldOp::create(b, ValueRange{both, to});
      });
  return passes.getResult(1);
}

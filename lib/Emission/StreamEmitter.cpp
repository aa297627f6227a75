//===- StreamEmitter.cpp - Stores past the caches -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A line that is stored to is read into the caches first, and what it displaces
// is written: of a result that nobody reads soon that is half of what is moved.
// A non-temporal store does neither, if it is of whole lines at aligned
// addresses. Rows begin anywhere, and so does a result that is written where an
// argument of the caller lies, so the addresses are looked at when the kernel
// runs:
//
//     low      first                        last     high
//      |........|========|========|========|..........|
//       head      vectors past the caches     tail
//
// Where vectors begin is given for tiles, whose lines are looked at one by one.
//
// Vectors are whole lines: of parts that do not follow at once (bf16, or what
// is computed in lanes of f64) each is written to memory by itself, which takes
// longer than caches do. Head and tail are one loop of two rounds over the same
// code, in vectors with masks. Where several results do not get aligned
// together, or the caller's memory begins within an element, the head is all
// there is.
//
//===----------------------------------------------------------------------===//

#include "kiln/Emission/KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

static int64_t getElementBytes(const Buffer &buffer) {
  return (getBodyType(buffer.elementType).getIntOrFloatBitWidth() + 7) / 8;
}

/// True if the address is known at a position but for dimension `dim`.
static bool isKnownBut(unsigned dim, ExprAttr address, unsigned rank,
                       const Position &position) {
  for (unsigned k = 0; k < rank; ++k)
    if (k != dim && (k >= position.dims.size() || !position.dims[k]) &&
        guard::contains(address, guard::getDim(address.getContext(), k)))
      return false;
  return true;
}

/// True if a row of so many bytes ends within a line that the next one begins with, and is
/// not long: a line that is written in parts, between others that go past the caches, takes
/// as long as some tens of these.
static bool sharesLines(std::optional<int64_t> elements, int64_t bytes) {
  constexpr int64_t kFewLines = 64;
  return elements && *elements * bytes % kLineBytes != 0 &&
         *elements * bytes < kFewLines * kLineBytes;
}

SmallVector<Value> KernelEmitter::getStreamed(ValueRange results,
                                              const Position &position,
                                              unsigned dim, int64_t lanes) {
  SmallVector<Value> past;
  if (position.mask || position.vectorDim >= 0)
    return past;
  for (Value result : results) {
    auto buffer = buffers.find(result);
    if (!streamed.contains(result) || buffer == buffers.end() ||
        lanes * getElementBytes(buffer->second) < kLineBytes)
      continue; // parts of a line come too late to be put together
    if (sharesLines(position.extents[dim].getConstant(),
                    getElementBytes(buffer->second)))
      continue;
    auto nest = result.getDefiningOp<NestOpInterface>();
    ExprAttr address = linearAddress(buffer->second, nest.getResultMap());
    auto step = guard::getCoefficient(address, guard::getDim(context, dim));
    if (step && step->isConstant(1) &&
        isKnownBut(dim, address, nest.getDomain().rank(), position))
      past.push_back(result);
  }
  return past;
}

/// The address of the element at `index` of dimension `dim`, as i64.
Value KernelEmitter::emitAddress(Value result, Position position, unsigned dim,
                                 Value index) {
  const Buffer &buffer = buffers.find(result)->second;
  setDim(position, dim, index, 1);
  ExprAttr address = linearAddress(
      buffer, result.getDefiningOp<NestOpInterface>().getResultMap());
  return LLVM::PtrToIntOp::create(b, b.getI64Type(),
                                  elementPointer(buffer, address, position));
}

LogicalResult KernelEmitter::emitStreamed(
    const Position &position, unsigned dim, Value low, Value high,
    int64_t lanes, ArrayRef<Value> results,
    llvm::function_ref<LogicalResult(const Position &)> body) {
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, value, 64);
  };
  // What is missing to where the stores of a result are aligned.
  auto emitMissing = [&](Value result, Value index) -> Value {
    Value back = arith::SubIOp::create(
        b, number(0), emitAddress(result, position, dim, index));
    return arith::AndIOp::create(b, back, number(kLineBytes - 1));
  };
  int64_t bytes = getElementBytes(buffers.find(results.front())->second);
  Value head = arith::DivUIOp::create(b, emitMissing(results.front(), low),
                                      number(bytes));
  Value first = arith::MinSIOp::create(
      b, high, arith::AddIOp::create(b, low, toIndex(head)));
  Value rest = arith::RemUIOp::create(b, arith::SubIOp::create(b, high, first),
                                      constantIndex(lanes));
  Value last = arith::SubIOp::create(b, high, rest);
  for (Value result : results) {
    Value isAligned = arith::CmpIOp::create(
        b, arith::CmpIPredicate::eq, emitMissing(result, first), number(0));
    first = arith::SelectOp::create(b, isAligned, first, high);
    last = arith::SelectOp::create(b, isAligned, last, high);
  }

  auto emitFor = [&](Value from, Value to, int64_t width, bool masked) {
    auto loop = scf::ForOp::create(b, from, to, constantIndex(width));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    Position inner = position;
    setDim(inner, dim, loop.getInductionVar(), width);
    if (masked)
      inner.mask = firstLanes(
          arith::SubIOp::create(b, to, loop.getInductionVar()), width);
    return body(inner);
  };
  {
    // Other results are not known to be aligned here.
    llvm::SmallPtrSet<Value, 4> aligned(results.begin(), results.end());
    llvm::SaveAndRestore only(streamed, std::move(aligned));
    llvm::SaveAndRestore streaming(isStreaming, true);
    if (failed(emitFor(first, last, lanes, /*masked=*/false)))
      return failure();
  }
  Value zero = constantIndex(0), one = constantIndex(1);
  auto ends = scf::ForOp::create(b, zero, constantIndex(2), one);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(ends.getBody()->getTerminator());
  Value isHead = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                       ends.getInductionVar(), zero);
  return emitFor(arith::SelectOp::create(b, isHead, low, last),
                 arith::SelectOp::create(b, isHead, first, high),
                 masksTails ? lanes : 1, masksTails);
}

LogicalResult
KernelEmitter::emitStreamedLine(const Position &position, unsigned dim,
                                ArrayRef<Value> results,
                                llvm::function_ref<LogicalResult()> body) {
  if (results.empty())
    return body();
  // One of them that is not aligned shows in the bits of all.
  Value bits;
  for (Value result : results) {
    Value address = emitAddress(result, position, dim, position.dims[dim]);
    bits = bits ? arith::OrIOp::create(b, bits, address) : address;
  }
  auto word = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, value, 64);
  };
  Value isAligned = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq,
      arith::AndIOp::create(b, bits, word(kLineBytes - 1)), word(0));
  auto choice = scf::IfOp::create(b, TypeRange(), isAligned,
                                  /*withElseRegion=*/true);
  llvm::SmallPtrSet<Value, 4> past(results.begin(), results.end());
  llvm::SaveAndRestore only(streamed, std::move(past));
  for (bool streams : {true, false}) {
    OpBuilder::InsertionGuard guard(b);
    Block *block = streams ? choice.thenBlock() : choice.elseBlock();
    b.setInsertionPoint(block->getTerminator());
    llvm::SaveAndRestore streaming(isStreaming, streams);
    if (failed(body()))
      return failure();
  }
  return success();
}

//===- RandomDraws.cpp - Random words in kernels --------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomDraws.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using guard::ExprAttr;

/// The call at the start of the function that gives its draws.
static ExternOp getDraws(LoopBuilder &loops) {
  Block *block = loops.getBuilder().getInsertionBlock();
  const char *overload = "aten._draws.default";
  auto known = block->empty() ? ExternOp() : dyn_cast<ExternOp>(block->front());
  if (known && known.getOverload() == overload)
    return known;
  OpBuilder front = OpBuilder::atBlockBegin(block);
  return ExternOp::create(
      front, block->getParentOp()->getLoc(),
      TypeRange{guard::makeTensorType(front.getI64Type(), loops.expr(2))},
      overload, ValueRange(), front.getArrayAttr(front.getI64IntegerAttr(0)),
      StringAttr());
}

/// The number of the next draw of the function.
static int64_t takeDraw(LoopBuilder &loops) {
  ExternOp draws = getDraws(loops);
  int64_t number = cast<IntegerAttr>(draws.getArguments()[0]).getInt();
  Builder builder(loops.getContext());
  draws.setArgumentsAttr(
      builder.getArrayAttr(builder.getI64IntegerAttr(number + 1)));
  return number;
}

Draw::Draw(LoopBuilder &loops, const Draws &draws) : loops(loops) {
  if (draws.given) {
    state = loops.getView(draws.given);
    number = draws.number;
  } else {
    state = loops.getView(getDraws(loops).getResult(0));
    number = takeDraw(loops);
  }
}

Words Draw::atPosition(BodyContext body, ExprAttr position) {
  OpBuilder &b = body.builder;
  Location loc = body.loc;
  Type i64 = b.getI64Type(), i32 = b.getI32Type();
  auto constant = [&](Type type, int64_t value) -> Value {
    return arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(type, APInt(type.getIntOrFloatBitWidth(),
                                             uint64_t(value), false, true)));
  };
  auto low = [&](Value wide) -> Value {
    return arith::TruncIOp::create(b, loc, i32, wide);
  };
  auto high = [&](Value wide) -> Value {
    return low(arith::ShRUIOp::create(b, loc, wide, constant(i64, 32)));
  };
  Value seed = loops.read(body, state, loops.expr(0));
  Value first = loops.read(body, state, loops.expr(1));
  // Layers that differ in it alone have the same kernels.
  Value own = NumberOp::create(b, loc, i64, number);
  Value draw = arith::AddIOp::create(b, loc, first, own);
  Value element =
      arith::IndexCastOp::create(b, loc, i64, loops.index(body, position));
  SmallVector<Value> counter = {low(element), high(element), low(draw),
                                high(draw)};
  Value keyLow = low(seed), keyHigh = high(seed);
  auto multiply = [&](Value word, int64_t by) -> Value {
    Value wide = arith::ExtUIOp::create(b, loc, i64, word);
    return arith::MulIOp::create(b, loc, wide, constant(i64, by));
  };
  auto mix = [&](Value x, Value y, Value key) -> Value {
    return arith::XOrIOp::create(
        b, loc, arith::XOrIOp::create(b, loc, x, y), key);
  };
  for (int round = 0; round < 10; ++round) {
    Value x = multiply(counter[0], 0xD2511F53);
    Value y = multiply(counter[2], 0xCD9E8D57);
    counter = {mix(high(y), counter[1], keyLow), low(y),
               mix(high(x), counter[3], keyHigh), low(x)};
    keyLow = arith::AddIOp::create(b, loc, keyLow, constant(i32, 0x9E3779B9));
    keyHigh =
        arith::AddIOp::create(b, loc, keyHigh, constant(i32, 0xBB67AE85));
  }
  return Words(body, counter);
}

LogicalResult loop::drawElements(LoopBuilder &loops, const Draws &draws,
                                 Type in, MakeFn make) {
  Draw draw(loops, draws);
  RankedTensorType type = loops.getResultType();
  auto dims = *guard::getDims(type);
  return loops.setReshaped(
      0, loops.makePointwise(type, in,
                             [&](BodyContext body, ScalarBuilder &scalars) {
                               Words words = draw.at(body, dims);
                               return make(body, scalars, words);
                             }));
}

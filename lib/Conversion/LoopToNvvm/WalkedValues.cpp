//===- WalkedValues.cpp - Values of rows or columns that walks read -------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block that walks rows reads values of each of them, such as the logarithm of a softmax's
// sum and the sum of its slopes. Each tile has others, for which threads would wait as long
// as memory takes. Where they lie one behind the other the copy engine brings them with the
// tile's factors. Values of what a block has itself are the same in all tiles, and are read
// before the walk.
//
//===----------------------------------------------------------------------===//

#include "GridWalks.h"
#include "MatrixUnits.h"

#include "kiln/Analysis/AccessRelations.h"
#include "kiln/Analysis/IndexExpr.h"
#include "kiln/Analysis/WholeRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;
using guard::ExprAttr;

/// Where `load`, of a nest of rows and columns, reads an input of the kernel, in elements,
/// over the dimensions of the nest; null if that is known by other numbers, or masked.
ExprAttr GridWalksEmitter::getAddress(LoadOp load, NestOpInterface nest) {
  auto input = dyn_cast<BlockArgument>(load.getTensor());
  if (!input || input.getOwner() != &kernel.getBody().front() || load.getMask())
    return {};
  SmallVector<ExprAttr> dims, indices;
  for (Value operand : load.getIndices()) {
    auto argument = dyn_cast<BlockArgument>(operand);
    if (!argument || argument.getOwner() != &nest->getRegion(0).front())
      return {};
    dims.push_back(guard::getDim(context, argument.getArgNumber()));
  }
  for (ExprAttr expr : getExprs(load.getMap()))
    indices.push_back(guard::substituteDims(expr, dims));
  return analysis::linearize(context, indices,
                             buffers.find(input)->second.strides,
                             guard::Assumptions());
}

/// Reads what is the same wherever a walk is, for each of the thread's rows, or columns.
void GridWalksEmitter::readOwn(const Walk &walk) {
  for (NestOpInterface nest : walk.needed) {
    if (isa<ContractOp>(nest.getOperation()))
      continue;
    unsigned rank = nest.getDomain().all().size();
    ExprAttr moved = guard::getDim(context, overRows ? sharedExtents.size() - 1
                                                     : rank - 1);
    nest->walk([&](LoadOp load) {
      ExprAttr address = getAddress(load, nest);
      auto step = address ? guard::getCoefficient(address, moved) : std::nullopt;
      if (!step || !step->isConstant(0))
        return;
      const Buffer &buffer = buffers.find(load.getTensor())->second;
      for (unsigned row : {0, 1}) {
        Position position = getRow(nest.getDomain(), constantIndex(0));
        position.dims[overRows ? rank - 1 : sharedExtents.size() - 1] =
            rowIndices[row];
        own[{load, row}] =
            this->load(buffer, address, position, {}, {}, {});
      }
    });
  }
}

/// What was computed at the place at hand, values of its row, and what does not change.
Value GridWalksEmitter::loadStaged(LoadOp load, int64_t lanes) {
  Value value = staged.lookup(load.getTensor());
  if (!value && atHand)
    value = own.lookup({load, atHand->row});
  return value ? broadcast(value, lanes) : value;
}

/// True if a tile's values are neighbours that begin at a multiple of what the engine copies,
/// and are as many. Dimension `row` is the row's, and the last one the column's.
static bool isPiece(ExprAttr address, unsigned row, ExprAttr rows,
                    unsigned rank, int64_t width) {
  MLIRContext *context = address.getContext();
  auto isWhole = [&](ExprAttr elements) {
    return guard::mod(elements * width, analysis::kEngineBytes).isConstant(0);
  };
  SmallVector<ExprAttr> none(rank, guard::getConstant(context, 0));
  bool isOne = isWhole(rows) && isWhole(guard::substituteDims(address, none));
  for (unsigned dim = 0; dim < rank && isOne; ++dim) {
    auto step = guard::getCoefficient(address, guard::getDim(context, dim));
    isOne = step && (dim == row        ? step->isConstant(1)
                     : dim + 1 == rank ? step->isConstant(0)
                                       : isWhole(*step));
  }
  return isOne;
}

/// Finds what is brought, and makes room for it behind the stages.
void GridWgmmaWalksEmitter::findWalked() {
  if (!overRows)
    return;
  for (NestOpInterface nest : walks.nests) {
    if (isa<ContractOp>(nest.getOperation()))
      continue;
    unsigned rank = nest.getDomain().all().size();
    nest->walk([&](LoadOp load) {
      ExprAttr address = getAddress(load, nest);
      if (!address)
        return;
      const Buffer &buffer = buffers.find(load.getTensor())->second;
      int64_t width = analysis::getElementBytes(buffer.elementType);
      if (!isPiece(address, sharedExtents.size() - 1, walked, rank, width))
        return;
      broughtWith[load] = brought.size();
      brought.push_back({buffer, address, width, broughtBytes});
      broughtBytes += llvm::alignTo(width * schedule.getColumns(),
                                    analysis::kEngineBytes);
    });
  }
  broughtPlace = sharedBytes;
  sharedBytes += schedule.getStages() * broughtBytes;
}

/// How many rows there are of the tile whose first one is `first`.
Value GridWgmmaWalksEmitter::countWalked(Value first) {
  return arith::MinSIOp::create(
      b, constantIndex(schedule.getColumns()),
      arith::SubIOp::create(b, getArgument(walked), first));
}

/// Asks for what `rows` of them have.
void GridWgmmaWalksEmitter::askWalked(Value first, Value rows, Value stage,
                                      Value barrier) {
  Position position = point;
  position.dims.back() = first;
  Value begin = tools->add(tools->mul(stage, broughtBytes),
                           tools->word(broughtPlace));
  for (const Walked &each : brought)
    tools->bring(elementPointer(each.buffer, each.address, position),
                 tools->add(begin, tools->word(each.place)), barrier,
                 toWord(mul(rows, each.width)));
}

/// What has been brought, at the place at hand.
Value GridWgmmaWalksEmitter::loadStaged(LoadOp load, int64_t lanes) {
  auto found = broughtWith.find(load);
  if (found == broughtWith.end() || !atHand)
    return GridWalksEmitter::loadStaged(load, lanes);
  const Walked &each = brought[found->second];
  int64_t column = atHand->number / kMmaSums * kMmaColumns + atHand->number % 2;
  Value place = tools->add(
      tools->mul(stageAtHand, broughtBytes),
      tools->word(broughtPlace + each.place + column * each.width));
  place = tools->add(place, toWord(mul(quadColumn, each.width)));
  return loadAt(tools->getShared(place), each.buffer.elementType, lanes,
                lanes * each.width);
}

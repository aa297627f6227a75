//===- ImageWindows.h - What convolutions read and give ---------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_LOOP_TRANSFORMS_IMAGEWINDOWS_H
#define KILN_LIB_DIALECT_LOOP_TRANSFORMS_IMAGEWINDOWS_H

#include "PermuteNest.h"

#include "kiln/Analysis/AccessRelations.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallBitVector.h"

#include <tuple>

namespace kiln::loop {

/// What a contraction does with the dimensions of its domain.
struct Windows {
  explicit Windows(ContractOp op);

  /// The dimension of a tensor with these indices that has its channels: the last one
  /// that is not walked by windows.
  std::optional<unsigned> findChannels(ArrayRef<guard::ExprAttr> indices) const;
  /// The same if windows walk one behind it.
  std::optional<unsigned> getChannels(ArrayRef<guard::ExprAttr> indices) const;
  /// That of an operand. If there is one channel, it is the dimension that the result's
  /// channels are: a weight of a convolution by channels of their own.
  std::optional<unsigned> getChannels(ContractOp op, unsigned side) const;
  bool empty() const { return walked.none(); }
  bool isWalked(guard::ExprAttr index) const {
    return llvm::any_of(walked.set_bits(), [&](unsigned dim) {
      return guard::contains(index, guard::getDim(index.getContext(), dim));
    });
  }

  SmallVector<guard::ExprAttr> indices[2];
  llvm::SmallBitVector walked; ///< dimensions of the domain
};

/// Points of a contraction for each element of a tensor from which on it is worth being
/// copied, and channels of 16 bits that are copied at once, or twice of f32.
inline constexpr int64_t kMinReuse = 64, kMinChannels = 8;
/// Points from which on it is on a processor.
inline constexpr int64_t kMinReuseOnCPU = 16;
/// Channels of a group from which on they are neighbours that are read together.
inline constexpr int64_t kMinGroup = 4;

/// True if matrix units of a GPU multiply the factors as they lie in memory: they are of 16
/// bits, or f32 that the target rounds to tf32.
bool multipliesOnUnits(ContractOp op);

/// True if matrix units of a GPU multiply so much for each element of the result of `op`, of
/// so many elements along `dim`, that this is worth being the innermost one.
bool isWorthOrder(ContractOp op, unsigned dim,
                  const analysis::SizeHints &hints);

/// True if dimension `dim` of the result of a convolution moves both operands: its channels
/// have images and weights of their own.
bool hasOwnChannels(ContractOp op, unsigned dim);

/// True if a convolution by channels of their own, which are dimension `dim` of its result,
/// reads an image that has them last: with another one innermost in its result threads beside
/// each other read elements that lie apart.
bool readsOwnChannels(ContractOp op, unsigned dim,
                      const analysis::SizeHints &hints);

/// True if matrix units read an operand of a convolution along the innermost dimension of its
/// result, as the channels of an image in the gradient of a weight: with another one innermost
/// they would be handed it element by element. Or if threads read channels of their own so.
bool readsAlongResult(ContractOp op, const analysis::SizeHints &hints);

/// True if a convolution that multiplies in order reads an image that has its channels last,
/// which it sums up, and gives one: then a processor reads its rows where they lie. Along places
/// of the image it would gather them.
bool readsImageInPlace(ContractOp op);

/// True if an expression depends on a dimension.
bool mentions(guard::ExprAttr expr, unsigned dim);

/// Strides of a tensor of a function as it lies in memory; none where sizes have no names.
SmallVector<guard::ExprAttr> getStrides(Value tensor);

/// True if a processor multiplies the factors of a contraction as they lie in memory: floats of
/// 32 bits that it sums up so, bf16 in vectors of pairs, or bytes, four at once. AMX takes words
/// from panels, and what multiplies bf16 as f32 extends it while it packs.
bool multipliesInOrder(ContractOp op);

/// True for the gradient of a weight: a sum over images, which gives none.
bool sumsImages(ContractOp op);

/// True for such a sum whose result has its channels last, as the image has: vectors of it are
/// columns as they lie in memory, while taps, were they the last, would be gathered.
bool sumsImageInPlace(ContractOp op);

/// True for a sum over images none of whose operands has a dimension of its own, so that no
/// tile of it is read more often than it has elements: the gradient of a weight by channels of
/// their own, whose taps move the image alone.
bool sumsOwnChannels(ContractOp op);

/// The step of an operand of `op` in memory along dimension `dim`; nothing if it is none.
std::optional<guard::ExprAttr> getStep(ContractOp op, unsigned side, unsigned dim);

/// The reduced dimension along which an operand has neighbours; nothing if there is none.
std::optional<unsigned> getNeighbours(ContractOp op, unsigned side);

/// True if neighbours of an operand of bytes that are multiplied together (`DotUnit::Quads`)
/// are taps of a window, and its channels, dimension `channels`, are no words of four: it is
/// read in place as it is.
bool readsWordsOfTaps(ContractOp op, unsigned side, unsigned channels);

/// How many channels of an operand each number of a group stands for: 64 of the image that
/// is read at d1 * 64 + d5, where both operands are moved by d1. Nothing if `dim` is none.
std::optional<int64_t> getGroup(const Windows &windows, ContractOp op, unsigned dim);

/// The channels of the result of a convolution: those of windows, with their groups, or, where
/// these are one, what both operands have in front of it, as the gradient of weights for channels
/// of their own does. Groups of few channels are none that anybody reads together.
std::optional<LastDims> getResultChannels(const Windows &windows, ContractOp op);

/// The channels of an operand, and their groups where a reshape parted them.
std::optional<LastDims> getOperandChannels(const Windows &windows, ContractOp op,
                                           unsigned side);

/// An index that has to be inside of [0, size).
struct Bound {
  guard::ExprAttr index;
  int64_t size;
};

/// A copy of operand `side` of `op`, of these sizes: the element at `map`, zero where an index is
/// out of bounds.
Value copyWithin(ContractOp op, unsigned side, ArrayRef<guard::ExprAttr> sizes,
                 ArrayRef<guard::ExprAttr> map, ArrayRef<Bound> bounds);

/// Lets the gradient of a weight that sums up an image with padding read a copy with zeros around
/// it, if each element of that is read 16 times and more.
void padImage(ContractOp op, const analysis::SizeHints &hints);

/// What two indices are parts of: the channel d3 of d3 floordiv 64 and d3 mod 64. Null if
/// they are not.
guard::ExprAttr joinParts(guard::ExprAttr group, guard::ExprAttr inGroup);

/// True if half of a vector holds so many channels, those of a group of a convolution of floats,
/// and whole groups fill it.
bool areNarrow(ContractOp op, guard::ExprAttr channels);

/// Makes narrow groups of channels, which may be last in the result of a convolution, and the
/// channels of a group one dimension of it.
void joinGroups(ContractOp op, bool areLast);

/// Operands of convolutions on matrix units that keep their order, or whose channels do
/// not fill what is copied at once, or that no copy engine brings, are copied if each
/// element is read often.
class OperandCopies {
public:
  OperandCopies(const analysis::SizeHints &hints, bool onCPU)
      : hints(hints), onCPU(onCPU) {}

  /// Lets a convolution of an image of few channels, or on a GPU the gradient of its weight,
  /// read a copy in which channels and the taps of a window's row are one dimension. False if
  /// that is nothing for `op`, which else is gone.
  bool joinTaps(ContractOp op);
  void fillChannels(ContractOp op);
  void relay(ContractOp op);
  void layAlongSum(ContractOp op);

private:
  bool isReadOften(ContractOp op, Value tensor, unsigned channels,
                   guard::ExprAttr extent);
  Value getCopy(ContractOp op, Value tensor, unsigned channels,
                guard::ExprAttr extent, mlir::Type element = {});

  const analysis::SizeHints &hints;
  bool onCPU;
  llvm::MapVector<std::tuple<Value, unsigned, guard::ExprAttr, mlir::Type>, Value>
      copies;
};

} // namespace kiln::loop

#endif // KILN_LIB_DIALECT_LOOP_TRANSFORMS_IMAGEWINDOWS_H

//===- ConvolutionNests.h - The nests of convolutions -----------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Behind every operator stands a plain convolution of x [n, ci, input] with a
// weight [co, ci / groups, kernel] to y [n, co, output]. Three nests serve all: y,
// the gradient of x, which is also the transposed convolution, and the gradient of
// the weight.
//
// Groups are a dimension of their own, of which every operand takes its part, so
// that each group is a product of matrices. Where there is one channel a group,
// channels are that dimension.
//
// Where windows begin `stride` positions apart, a position lies in as many of them as
// its remainder by the stride says. The gradient of x is made remainder by remainder:
// each is a convolution without a stride, and no tap is tried in vain. They are the
// "sub-pixel" form of Shi et al., "Is the deconvolution layer the same as a
// convolutional layer?" (arXiv:1609.07009), with as many taps as there are.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_ATENTOLOOP_CONVOLUTIONNESTS_H
#define KILN_LIB_CONVERSION_ATENTOLOOP_CONVOLUTIONNESTS_H

#include "Windows.h"

namespace kiln::loop {

class Convolution {
public:
  /// `shapes` are the windows of each dimension.
  Convolution(LoopBuilder &loops, guard::ExprAttr groups,
              guard::ExprAttr groupIn, guard::ExprAttr groupOut,
              llvm::ArrayRef<WindowShape> shapes)
      : loops(loops), groups(groups), groupIn(groupIn), groupOut(groupOut),
        shapes(shapes) {}

  /// Each gives a tensor with the elements of `type` in order, of another rank if
  /// there are groups. A bias, one number a channel, may be null.
  Value makeForward(RankedTensorType type, Value x, Value weight, Value bias);
  Value makeInputGradient(RankedTensorType type, Value y, Value weight,
                          Value bias);
  Value makeWeightGradient(RankedTensorType type, Value x, Value y);

private:
  /// Remainders of a position by the stride that meet equally many taps: those
  /// `tap + r + i * step` for the remainder `first + r` and i < taps, of the windows
  /// that begin at the quotient + `shift` - i * `apart`. None is a dimension that is
  /// not split.
  struct Remainders {
    int64_t first = 0, count = 0, taps = 1;
    int64_t tap = 0, step = 1, shift = 0, apart = 1;
    bool isSplit() const { return count > 0; }
    /// The least quotient by the stride of a position with one of these remainders,
    /// and how many quotients there are from there.
    guard::ExprAttr getFirstQuotient(const WindowShape &shape) const;
    guard::ExprAttr getQuotients(const WindowShape &shape) const;
  };
  using RemaindersList = llvm::SmallVector<Remainders, 2>;
  static RemaindersList splitDimension(int64_t kernel, int64_t stride,
                                       int64_t dilation);
  /// For each dimension; none where it is not split.
  llvm::SmallVector<RemaindersList> split() const;

  /// The dimensions of channels in a nest, and the channel that their indices are.
  guard::ExprAttr addChannels(Exprs &parallel, guard::ExprAttr ofGroup) const;
  /// The channel of the nest's group at `index`.
  guard::ExprAttr inGroup(guard::ExprAttr index, guard::ExprAttr size) const;
  bool isDepthwise() const {
    return groupIn.isConstant(1) && groupOut.isConstant(1);
  }
  bool hasGroupDim() const { return !groups.isConstant(1) && !isDepthwise(); }

  ContractOp make(Type element, llvm::ArrayRef<guard::ExprAttr> parallel,
                  const Factor &lhs, const Factor &rhs,
                  llvm::ArrayRef<guard::ExprAttr> reduction);
  Value addBias(ContractOp nest, Value bias, guard::ExprAttr channel);

  /// The positions with the chosen remainders, [n, ci, remainders, quotients].
  View makePart(RankedTensorType type, Value y, Value weight,
                llvm::ArrayRef<Remainders> chosen, Value bias);
  /// All positions, from the parts of which they are made.
  Value interleave(RankedTensorType type,
                   llvm::ArrayRef<std::pair<llvm::SmallVector<Remainders>, View>>
                       parts,
                   Value bias);

  LoopBuilder &loops;
  guard::ExprAttr groups, groupIn, groupOut;
  llvm::SmallVector<WindowShape> shapes;
};

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_ATENTOLOOP_CONVOLUTIONNESTS_H

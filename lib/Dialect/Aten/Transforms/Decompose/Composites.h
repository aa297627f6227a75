//===- Composites.h - What opens composite overloads ------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PyTorch composes many overloads of others and has nothing else for them: no
// kernel, no derivative. Their records are of class Aten_CompositeOp, and the
// functions that these name are written with a `Composite`: FormulaBuilder, and
// what several of them have in common.
//
//   Value decomposeFliplr(FliplrOp op, Composite &c) {
//     return c.flip(op.getSelf(), {1});
//   }
//
// As PyTorch's own compositions they take what may be malformed: a null result,
// `complain` and `refuse` end in an error that names the op.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_ATEN_TRANSFORMS_DECOMPOSE_COMPOSITES_H
#define KILN_LIB_DIALECT_ATEN_TRANSFORMS_DECOMPOSE_COMPOSITES_H

#include "kiln/Dialect/Aten/IR/AtenOps.h"
#include "kiln/Dialect/Aten/IR/Composites.h"
#include "kiln/Dialect/Aten/IR/FormulaBuilder.h"
#include "kiln/Dialect/Guard/IR/Guard.h"

namespace kiln::aten {

using Values = SmallVector<Value>;

class Composite : public FormulaBuilder {
public:
  /// `opened` says why it stands for nothing, if it does.
  Composite(OpBuilder &builder, Location loc, OpenedComposite &opened,
            IsReadFn isRead)
      : FormulaBuilder(builder, loc), opened(opened), isRead(isRead) {}

  /// Says what is not supported, and is no value.
  Value refuse(const llvm::Twine &why);
  /// Says what is wrong with the arguments, and is no value.
  Value complain(const llvm::Twine &what);
  /// What the program does not read, of zeros; if it does, a refusal that names
  /// it.
  Value unread(mlir::OpResult result, StringRef what, ArrayRef<ExprAttr> dims,
               Type elementType);

  /// `dim` counted from the front of `rank` dimensions, or 0 and a complaint.
  int64_t place(int64_t dim, int64_t rank);
  /// One size; 0 and a complaint if `x` has no such dimension.
  Expr sizeOf(Value x, int64_t dim);
  /// The size of `x` along `dim`, if it is a number.
  std::optional<int64_t> fixed(Value x, int64_t dim) {
    return sizeOf(x, dim).getConstant();
  }

  /// As a formula of a record says that nothing is done.
  Value itself(Value x) { return x; }
  /// All elements in a row.
  Value row(Value x) { return x ? reshape(x, {numelOf(x)}) : x; }
  /// An op with the types of the results of `op`, of which data decide.
  template <typename OpT>
  Values rebuild(Operation *op, ArrayRef<ArgValue> args) {
    auto built =
        create<OpT>(getBuilder(), getLoc(), args, op->getResultTypes());
    return built ? Values(built->getResults()) : Values();
  }

  /// An optional number, or its default.
  template <typename T> Value numberOr(Value given, T byDefault) {
    return given ? given : number(byDefault);
  }
  /// A number that is known when compiling; `byDefault` if it was left out.
  static std::optional<double>
  known(Value given, std::optional<double> byDefault = std::nullopt) {
    return given ? getConstantNumber(given) : byDefault;
  }
  /// A number as a tensor without dimensions, which promotes like one, next to
  /// `other`.
  Value wrap(Value number, Value other);
  /// A tensor of floats: `x`, or `x` as f32.
  Value floating(Value x);
  /// `losses` by `reduction`: 0 none, 1 mean, 2 sum.
  Value reduce(Value losses, int64_t reduction);
  /// Ends the run with `message` unless `condition` holds everywhere.
  void check(Value condition, StringRef message);

private:
  OpenedComposite &opened;
  IsReadFn isRead;
};

/// Shapes of windows.
enum class Window { Hann, Hamming, Blackman, Bartlett };

/// What follows the sum in a recurrent cell without gates.
enum class Activation { Tanh, Relu };

// The functions that records name.
#include "kiln/Dialect/Aten/Transforms/AtenComposites.h.inc"

} // namespace kiln::aten

#endif // KILN_LIB_DIALECT_ATEN_TRANSFORMS_DECOMPOSE_COMPOSITES_H

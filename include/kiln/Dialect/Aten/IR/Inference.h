//===- Inference.h - Inference of result types ------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shape rule is a function of the arguments that appends result types. It
// finds arguments by their schema names, so that one rule serves all overloads
// of a family. Records name rules in their field `shape`:
//
//   LogicalResult mylib::inferGate(aten::Inference &infer) {
//     auto dims = infer.getDims("x");       // expressions over symbols
//     if (failed(dims))
//       return failure();
//     if (dims->empty() || !infer.divides(2, dims->back()))
//       return infer.fail("expects a last dimension of even size");
//     dims->back() = guard::floorDiv(dims->back(), 2);
//     return infer.addPromoted(*dims);      // element type by promotion kind
//   }
//
//===----------------------------------------------------------------------===//

#ifndef KILN_DIALECT_ATEN_IR_INFERENCE_H
#define KILN_DIALECT_ATEN_IR_INFERENCE_H

#include "kiln/Dialect/Aten/IR/SizeOracle.h"
#include "kiln/Dialect/Guard/IR/Expr.h"

#include "mlir/IR/Location.h"

namespace kiln::aten {

using guard::ExprAttr;
using Dims = SmallVector<ExprAttr>;

/// Arguments of one op, and the types that a rule finds for its results.
class Inference {
public:
  Inference(MLIRContext *context, std::optional<Location> loc,
            const OpInfo &info, ArrayRef<ArgValue> args,
            SmallVectorImpl<Type> &types, SizeOracle *oracle = nullptr)
      : context(context), info(info), loc(loc), args(args), types(types),
        oracle(oracle) {}

  /// Applies the overload's rule and what holds for all of them.
  LogicalResult run();

  MLIRContext *context;
  const OpInfo &info;
  /// Of an op that is there already: where sizes leave the number of results
  /// open, whoever made the op knew it, and a guard holds it.
  std::optional<int64_t> resultCount;

  //===--------------------------------------------------------------------===//
  // Arguments by name
  //===--------------------------------------------------------------------===//

  /// False for an argument that the schema lacks or the op leaves out.
  bool has(StringRef name) const;
  const ArgValue &get(StringRef name) const;
  /// By the place in the schema.
  const ArgValue &getArgument(unsigned i) const;
  RankedTensorType getTensorType(StringRef name) const;
  Type getElementType(StringRef name) const;
  /// The sizes of a tensor argument; failure if they are not known.
  FailureOr<Dims> getDims(StringRef name);
  FailureOr<Dims> getDims(Value tensor, StringRef name);
  /// The first tensor of the schema.
  StringRef getFirstTensor() const;

  std::optional<int64_t> getInt(StringRef name) const;
  bool getBool(StringRef name) const;
  std::optional<SmallVector<int64_t>> getInts(StringRef name) const;
  ExprAttr getExpr(StringRef name) const;
  std::optional<Dims> getExprs(StringRef name) const;
  StringRef getString(StringRef name) const;
  /// A number that is a constant or `guard.value`; null for another.
  ExprAttr getNumber(StringRef name) const;
  /// The element type that `dtype` asks for; null if it does not.
  Type getDType(StringRef name = "dtype") const;
  ExprAttr constant(int64_t value) {
    return guard::getConstant(context, value);
  }

  /// Argument `name` as a dimension of a tensor of `rank`, from the front. A
  /// rank of 0 allows what a rank of 1 allows.
  FailureOr<int64_t> getDim(StringRef name, int64_t rank);
  FailureOr<int64_t> wrapDim(int64_t dim, int64_t rank);
  /// A list of dimensions as flags; all if absent or (if `emptyIsAll`) empty.
  FailureOr<SmallVector<bool>> getDimFlags(StringRef name, int64_t rank,
                                           bool emptyIsAll);
  /// Checks the rank of a tensor argument.
  FailureOr<Dims> getDimsOfRank(StringRef name, int64_t rank);

  //===--------------------------------------------------------------------===//
  // Questions about sizes
  //===--------------------------------------------------------------------===//
  //
  // What the expressions leave open an oracle answers. Without one the program
  // is taken to be right: sizes that may agree do, and none is 1 by chance.

  /// False if the condition cannot hold.
  bool holds(ExprAttr condition);
  /// True if two sizes are not the same.
  bool differ(ExprAttr a, ExprAttr b);
  /// True if a size is this number.
  bool is(ExprAttr size, int64_t value);
  bool isAtLeast(ExprAttr size, int64_t value) {
    return holds(guard::ge(size, constant(value)));
  }
  bool divides(int64_t divisor, ExprAttr size) {
    return holds(guard::eq(guard::mod(size, divisor), constant(0)));
  }
  /// A size as a number, for rules that need one. `reason` continues "fixed for
  /// 'aten.unbind.int', ".
  std::optional<int64_t>
  getFixed(ExprAttr size, StringRef reason = "whose number of results it is");
  /// The operands have the sizes of the example: for what no rule tells.
  void fixSizes();
  /// A size that the operands' values decide; null without an oracle.
  ExprAttr getDataSize(guard::Interval range);

  //===--------------------------------------------------------------------===//
  // Results
  //===--------------------------------------------------------------------===//

  void addResult(ArrayRef<ExprAttr> dims, Type elementType) {
    types.push_back(guard::makeTensorType(elementType, dims));
  }
  void addNumber(Type type) { types.push_back(type); }
  /// For a result whose size nothing tells but the program, which is about the
  /// operands that it was recorded with: the builder must be given its type,
  /// which the verifier does not check.
  void addUnknown() {
    fixSizes();
    types.push_back(Type());
  }
  /// Likewise, where values decide about some sizes: those that are null.
  void addDataDependent(ArrayRef<ExprAttr> dims, Type elementType);
  /// Likewise, where programs differ about the rank: an oracle is told what it
  /// is as a rule.
  void addRecorded(ArrayRef<ExprAttr> usualDims, Type elementType);
  /// With the element type of the promotion kind.
  LogicalResult addPromoted(ArrayRef<ExprAttr> dims);
  /// The element type by the promotion kind; failure if there is none.
  FailureOr<Type> getPromotedType();

  /// The same arguments, with other results.
  Inference withResults(SmallVectorImpl<Type> &others) const {
    return Inference(context, loc, info, args, others, oracle);
  }

  /// Reports "'aten.mm' op <message>".
  LogicalResult fail(const llvm::Twine &message);

private:
  /// What a tensor is filled with must be a number of its type.
  LogicalResult checkFilling();

  std::optional<Location> loc;
  unsigned numDataSizes = 0;
  ArrayRef<ArgValue> args;
  SmallVectorImpl<Type> &types;
  SizeOracle *oracle;
};

/// The more specific of two sizes that must be the same.
ExprAttr unify(ExprAttr a, ExprAttr b);
/// Checks the sizes of a tensor argument.
LogicalResult checkSizes(Inference &infer, StringRef name,
                         ArrayRef<ExprAttr> expected);
/// The sizes two tensors broadcast to.
FailureOr<Dims> broadcastDims(Inference &infer, ArrayRef<ExprAttr> a,
                              ArrayRef<ExprAttr> b);
/// The join of two element types by PyTorch's table.
Type joinTypes(Type a, Type b);
bool isIntegral(Type type); ///< integers and bool

/// The sizes that all tensors broadcast to, with the promoted element type: the
/// rule of operators that work element by element.
namespace rules {
LogicalResult broadcast(Inference &infer);
} // namespace rules

} // namespace kiln::aten

#endif // KILN_DIALECT_ATEN_IR_INFERENCE_H

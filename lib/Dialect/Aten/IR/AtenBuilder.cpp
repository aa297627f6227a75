//===- AtenBuilder.cpp - Expressions of aten ops -------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/IR/AtenBuilder.h"

#include "kiln/Dialect/Aten/IR/Aten.h"
#include "kiln/Dialect/Guard/IR/Guard.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace kiln;
using namespace kiln::aten;
using guard::ExprAttr;

//===----------------------------------------------------------------------===//
// Asking
//===----------------------------------------------------------------------===//

SmallVector<ExprAttr> AtenBuilder::dimsOf(Value tensor) {
  std::optional<SmallVector<ExprAttr>> dims = guard::getDims(typeOf(tensor));
  assert(dims && "the verifier of aten ops asks for known sizes");
  return *dims;
}

ExprAttr AtenBuilder::dimOf(Value tensor, int64_t dim) {
  return dimsOf(tensor)[wrapDim(dim, rankOf(tensor))];
}

ExprAttr AtenBuilder::numelOf(Value tensor) {
  return guard::getNumElements(tensor.getContext(), dimsOf(tensor));
}

static bool hasDims(Value x, ArrayRef<ExprAttr> dims) {
  return ArrayRef<ExprAttr>(AtenBuilder::dimsOf(x)) == dims;
}

//===----------------------------------------------------------------------===//
// Any op
//===----------------------------------------------------------------------===//

SmallVector<Value> AtenBuilder::callMany(StringRef overload,
                                         ArrayRef<ArgValue> args) {
  const OpInfo *info = lookUpOverload(overload);
  assert(info && "no such overload");
  Operation *op = buildAtenOp(builder, loc, *info, args);
  if (!op)
    return {};
  return SmallVector<Value>(op->getResults());
}

Value AtenBuilder::call(StringRef overload, ArrayRef<ArgValue> args) {
  SmallVector<Value> results = callMany(overload, args);
  return results.empty() ? Value() : results.front();
}

Value AtenBuilder::unary(StringRef overload, Value x) {
  return x ? call(overload, {x}) : Value();
}

Value AtenBuilder::binary(StringRef overload, Value a, Value b) {
  return a && b ? call(overload, {a, b}) : Value();
}

/// The first result of an op of the class, with arguments in schema order; null
/// after a diagnostic.
template <typename OpT>
static Value make(AtenBuilder &builder, ArrayRef<ArgValue> args) {
  Operation *op =
      buildAtenOp(builder.getBuilder(), builder.getLoc(), OpT::getInfo(), args);
  return op ? op->getResult(0) : Value();
}

//===----------------------------------------------------------------------===//
// Numbers and tensors made from nothing
//===----------------------------------------------------------------------===//

Value AtenBuilder::number(double value) {
  return mlir::arith::ConstantOp::create(builder, loc,
                                         builder.getF64FloatAttr(value));
}

Value AtenBuilder::number(int64_t value) {
  return mlir::arith::ConstantOp::create(builder, loc,
                                         builder.getI64IntegerAttr(value));
}

Value AtenBuilder::number(bool value) {
  return mlir::arith::ConstantOp::create(builder, loc,
                                         builder.getBoolAttr(value));
}

Value AtenBuilder::number(ExprAttr value) {
  if (std::optional<int64_t> constant = value.getConstant())
    return number(*constant);
  if (value.isFloatConstant())
    return number(value.getFloat());
  Type type = value.isFloatTyped() ? Type(builder.getF64Type())
                                   : Type(builder.getI64Type());
  return guard::ValueOp::create(builder, loc, type, value);
}

Value AtenBuilder::numberLike(Value x, double value) {
  Type element = elementTypeOf(x);
  bool isWhole = value == double(int64_t(value));
  return llvm::isa<mlir::IntegerType>(element) && isWhole
             ? number(int64_t(value))
             : number(value);
}

Value AtenBuilder::full(Exprs dims, Value fill, Type elementType) {
  if (!fill)
    return {};
  return make<FullOp>(*this, {shape(dims), fill, type(elementType)});
}

Value AtenBuilder::full(Exprs dims, double fill, Type elementType) {
  bool isWhole = fill == double(int64_t(fill));
  Value value = llvm::isa<mlir::IntegerType>(elementType) && isWhole
                    ? number(int64_t(fill))
                    : number(fill);
  return full(dims, value, elementType);
}

Value AtenBuilder::arange(Expr start, Expr end, Expr step, Type elementType) {
  return make<ArangeStartStepOp>(*this, {start, end, step, type(elementType)});
}

//===----------------------------------------------------------------------===//
// Element by element
//===----------------------------------------------------------------------===//

Value AtenBuilder::add(Value a, double b) {
  if (!a || b == 0)
    return a;
  return add(a, numberLike(a, b));
}

Value AtenBuilder::mul(Value a, double b) {
  if (!a || b == 1)
    return a;
  if (b == -1 && !elementTypeOf(a).isInteger(1))
    return neg(a);
  return mul(a, numberLike(a, b));
}

Value AtenBuilder::div(Value a, double b) {
  if (!a || (b == 1 && llvm::isa<mlir::FloatType>(elementTypeOf(a))))
    return a;
  return div(a, number(b));
}

Value AtenBuilder::rsub(double a, Value x) {
  return x ? make<RsubScalarOp>(*this, {x, numberLike(x, a)}) : Value();
}

Value AtenBuilder::pow(Value x, double exponent) {
  if (!x || exponent == 1)
    return x;
  if (exponent == 2)
    return mul(x, x);
  return make<PowTensorScalarOp>(*this, {x, numberLike(x, exponent)});
}

Value AtenBuilder::pow(Value x, Value exponent) {
  if (!x || !exponent)
    return {};
  bool isTensor = llvm::isa<RankedTensorType>(exponent.getType());
  return isTensor ? make<PowTensorTensorOp>(*this, {x, exponent})
                  : make<PowTensorScalarOp>(*this, {x, exponent});
}

Value AtenBuilder::clamp(Value x, Value low, Value high) {
  if (!x || (!low && !high))
    return x;
  return make<ClampOp>(*this, {x, low, high});
}

Value AtenBuilder::compare(StringRef name, Value a, Value b) {
  if (!a || !b)
    return {};
  bool isTensor = llvm::isa<RankedTensorType>(b.getType());
  std::string overload =
      ("aten." + name + (isTensor ? ".Tensor" : ".Scalar")).str();
  return call(overload, {a, b});
}

Value AtenBuilder::where(Value condition, Value a, Value b) {
  if (!condition || !a || !b)
    return {};
  return make<WhereSelfOp>(*this, {condition, a, b});
}

Value AtenBuilder::cast(Value x, Type elementType) {
  if (!x || elementTypeOf(x) == elementType)
    return x;
  return make<ToCopyOp>(*this, {x, type(elementType)});
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Value AtenBuilder::sum(Value x, Ints dims, bool keepdim, Type dtype) {
  if (!x || dims.empty())
    return x && dtype ? cast(x, dtype) : x;
  return make<SumDimIntListOp>(*this,
                               {x, ints(dims), boolean(keepdim),
                                dtype ? ArgValue(type(dtype)) : ArgValue()});
}

Value AtenBuilder::mean(Value x, Ints dims, bool keepdim) {
  if (!x || dims.empty())
    return x;
  return make<MeanDimOp>(*this, {x, ints(dims), boolean(keepdim)});
}

Value AtenBuilder::amax(Value x, Ints dims, bool keepdim) {
  if (!x || dims.empty())
    return x;
  return make<AmaxOp>(*this, {x, ints(dims), boolean(keepdim)});
}

Value AtenBuilder::amin(Value x, Ints dims, bool keepdim) {
  if (!x || dims.empty())
    return x;
  return make<AminOp>(*this, {x, ints(dims), boolean(keepdim)});
}

/// 0, 1 ... rank - 1.
static SmallVector<int64_t> allDims(Value x) {
  return llvm::to_vector(llvm::seq<int64_t>(0, AtenBuilder::rankOf(x)));
}

Value AtenBuilder::sumAll(Value x) {
  return x ? sum(x, allDims(x)) : Value();
}

Value AtenBuilder::meanAll(Value x) {
  return x ? mean(x, allDims(x)) : Value();
}

Value AtenBuilder::prod(Value x, int64_t dim, bool keepdim) {
  if (!x)
    return {};
  return make<ProdDimIntOp>(*this, {x, integer(dim), boolean(keepdim)});
}

Value AtenBuilder::any(Value x, int64_t dim, bool keepdim) {
  if (!x)
    return {};
  return make<AnyDimOp>(*this, {x, integer(dim), boolean(keepdim)});
}

Value AtenBuilder::cumsum(Value x, int64_t dim) {
  return x ? make<CumsumOp>(*this, {x, integer(dim)}) : Value();
}

Value AtenBuilder::sumToSize(Value x, Exprs dims) {
  if (!x || hasDims(x, dims))
    return x;
  SmallVector<Expr> from = dimsOf(x);
  assert(from.size() >= dims.size() && "a sum cannot add dimensions");
  size_t leading = from.size() - dims.size();
  SmallVector<int64_t> reduced;
  for (size_t i = 0; i < from.size(); ++i)
    if (i < leading ||
        (dims[i - leading].isConstant(1) && !from[i].isConstant(1)))
      reduced.push_back(i);
  return view(sum(x, reduced, /*keepdim=*/true, elementTypeOf(x)), dims);
}

Value AtenBuilder::addmm(Value bias, Value a, Value b) {
  if (!bias || !a || !b)
    return {};
  return make<AddmmOp>(*this, {bias, a, b});
}

//===----------------------------------------------------------------------===//
// Views and rearrangements
//===----------------------------------------------------------------------===//

Value AtenBuilder::view(Value x, Exprs dims) {
  if (!x || hasDims(x, dims))
    return x;
  return make<ViewOp>(*this, {x, shape(dims)});
}

Value AtenBuilder::view(Value x, Ints dims) {
  return view(x, guard::getConstants(getContext(), dims));
}

Value AtenBuilder::expand(Value x, Exprs dims) {
  if (!x || hasDims(x, dims))
    return x;
  return make<ExpandOp>(*this, {x, shape(dims)});
}

Value AtenBuilder::permute(Value x, Ints dims) {
  if (!x)
    return {};
  int64_t rank = rankOf(x);
  bool isIdentity = true;
  for (auto [i, dim] : llvm::enumerate(dims))
    isIdentity &= wrapDim(dim, rank) == int64_t(i);
  return isIdentity ? x : make<PermuteOp>(*this, {x, ints(dims)});
}

Value AtenBuilder::transpose(Value x, int64_t i, int64_t j) {
  if (!x)
    return {};
  SmallVector<int64_t> order = allDims(x);
  std::swap(order[wrapDim(i, order.size())], order[wrapDim(j, order.size())]);
  return permute(x, order);
}

Value AtenBuilder::unsqueeze(Value x, int64_t dim) {
  return x ? make<UnsqueezeOp>(*this, {x, integer(dim)}) : Value();
}

Value AtenBuilder::squeeze(Value x, int64_t dim) {
  return x ? make<SqueezeDimOp>(*this, {x, integer(dim)}) : Value();
}

Value AtenBuilder::squeeze(Value x, Ints dims) {
  if (!x || dims.empty())
    return x;
  return make<SqueezeDimsOp>(*this, {x, ints(dims)});
}

Value AtenBuilder::slice(Value x, int64_t dim, Expr start, Expr end,
                         int64_t step) {
  if (!x || (start.isConstant(0) && end == dimOf(x, dim) && step == 1))
    return x;
  return make<SliceTensorOp>(*this,
                             {x, integer(dim), start, end, integer(step)});
}

Value AtenBuilder::select(Value x, int64_t dim, Expr index) {
  return x ? make<SelectIntOp>(*this, {x, integer(dim), index}) : Value();
}

Value AtenBuilder::cat(ArrayRef<Value> tensors, int64_t dim) {
  if (llvm::is_contained(tensors, Value()))
    return {};
  if (tensors.size() == 1)
    return tensors.front();
  return make<CatOp>(*this, {tensors, integer(dim)});
}

Value AtenBuilder::constantPad(Value x, Exprs widths, double fill) {
  bool isNothing =
      llvm::all_of(widths, [](Expr width) { return width.isConstant(0); });
  if (!x || isNothing)
    return x;
  return make<ConstantPadNdOp>(*this, {x, shape(widths), numberLike(x, fill)});
}

//===----------------------------------------------------------------------===//
// Indexing
//===----------------------------------------------------------------------===//

Value AtenBuilder::embedding(Value weight, Value indices) {
  return weight && indices ? make<EmbeddingOp>(*this, {weight, indices})
                           : Value();
}

Value AtenBuilder::gather(Value x, int64_t dim, Value index) {
  return x && index ? make<GatherOp>(*this, {x, integer(dim), index}) : Value();
}

Value AtenBuilder::scatterAdd(Value x, int64_t dim, Value index,
                              Value source) {
  if (!x || !index || !source)
    return {};
  return make<ScatterAddOp>(*this, {x, integer(dim), index, source});
}

Value AtenBuilder::index(Value x, ArrayRef<Value> indices) {
  return x ? make<IndexTensorOp>(*this, {x, indices}) : Value();
}

Value AtenBuilder::indexPut(Value x, ArrayRef<Value> indices, Value values,
                            bool accumulate) {
  if (!x || !values)
    return {};
  return make<IndexPutOp>(*this, {x, indices, values, boolean(accumulate)});
}

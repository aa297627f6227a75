//===- CompositeQuantized.cpp - Levels on grids, and products of them -----===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What quantized programs consist of, by
// torch/ao/quantization/fx/_decomposed.py:
//
//   level = clamp(round(x * (1 / scale)) + zero, low, high)
//   x     = (level - zero) * scale
//
// Scale and zero are numbers, tensors of one element, or tensors with one for
// each channel, row (token) or group of a row. Numbers, and tensors of one
// element that PyTorch reads as numbers, have 64 bits before they meet the
// tensor, and so has 1 / scale; tensors promote. Levels carry no gradient, nor
// does a grid: PyTorch has no derivatives of these operators.
//
//===----------------------------------------------------------------------===//

#include "Composites.h"

#include <cmath>
#include <limits>

namespace kiln::aten {

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// Checks what PyTorch does of an integer type for levels.
static bool holdsLevels(Composite &c, Type type, double low, double high) {
  auto integer = llvm::dyn_cast<mlir::IntegerType>(type);
  unsigned bits = integer ? integer.getWidth() : 0;
  if (bits != 8 && bits != 16 && bits != 32) {
    if (llvm::isa<mlir::FloatType>(type))
      c.refuse("levels are floats");
    else
      c.complain("expects levels of 8, 16 or 32 bits");
    return false;
  }
  double span = std::ldexp(1.0, int(bits));
  double least = integer.isUnsigned() ? 0 : -span / 2;
  if (low >= least && high <= least + span - 1)
    return true;
  c.complain("expects levels of its element type, but found " +
             llvm::Twine(int64_t(low)) + " to " + llvm::Twine(int64_t(high)));
  return false;
}

template <typename OpT> static bool holdsLevels(Composite &c, OpT op) {
  return holdsLevels(c, op.getDtype(), double(int64_t(op.getQuantMin())),
                     double(int64_t(op.getQuantMax())));
}

/// What is made levels of: f32, or what PyTorch widens to it.
static Value toFloats(Composite &c, Value x) {
  Type type = Composite::elementTypeOf(x);
  if (type.isF32() || type.isF16() || type.isBF16())
    return c.cast(x, c.getBuilder().getF32Type());
  return c.complain("expects an input of f32, f16 or bf16");
}

/// Levels must be of the type that the operator names.
template <typename OpT> static bool isOfLevels(Composite &c, OpT op) {
  if (Composite::elementTypeOf(op.getInput()) == op.getDtype())
    return true;
  c.complain("expects an input of the type that it names");
  return false;
}

/// A tensor of one element, without its dimensions, as f32 or f64.
static Value single(Composite &c, Value tensor, Type type) {
  return tensor ? c.cast(c.view(c.detach(tensor), SmallVector<int64_t>()), type)
                : tensor;
}

/// `parameter`, one for each channel, along `axis` of `x`.
static Value alongAxis(Composite &c, Value parameter, int64_t axis, Value x) {
  int64_t rank = Composite::rankOf(x);
  axis = c.place(axis, rank);
  if (!parameter || axis >= rank)
    return {};
  if (Composite::rankOf(parameter) != 1)
    return c.complain("expects a number for each channel");
  SmallVector<ExprAttr> dims(rank, c.expr(1));
  dims[axis] = c.sizeOf(parameter, 0);
  return c.view(c.detach(parameter), dims);
}

//===----------------------------------------------------------------------===//
// Grids of a tensor
//===----------------------------------------------------------------------===//

/// `inverse` and `zero` promote as numbers do.
template <typename InverseT, typename ZeroT>
static Value toLevels(Composite &c, Value x, InverseT inverse, ZeroT zero,
                      Value low, Value high) {
  Value level = c.add(c.round(c.mul(x, inverse)), zero);
  return c.clamp(level, low, high);
}

Value decomposeQuantizePerTensor(QuantizePerTensorOp op, Composite &c) {
  Value x = toFloats(c, op.getInput());
  if (!x || !holdsLevels(c, op))
    return {};
  Value level = toLevels(c, x, 1.0 / op.getScale().convertToDouble(),
                         double(int64_t(op.getZeroPoint())),
                         c.number(double(int64_t(op.getQuantMin()))),
                         c.number(double(int64_t(op.getQuantMax()))));
  return c.cast(level, op.getDtype());
}

/// 1 / scale, in 64 bits until it meets the tensor.
static Value invertScale(Composite &c, Value scale) {
  return c.cast(c.reciprocal(single(c, scale, c.getBuilder().getF64Type())),
                c.getBuilder().getF32Type());
}

Value decomposeQuantizePerTensorTensor(QuantizePerTensorTensorOp op,
                                       Composite &c) {
  Value x = toFloats(c, op.getInput());
  if (!x || !holdsLevels(c, op))
    return {};
  Value level =
      toLevels(c, x, invertScale(c, op.getScale()),
               single(c, op.getZeroPoint(), c.getBuilder().getF32Type()),
               c.number(double(int64_t(op.getQuantMin()))),
               c.number(double(int64_t(op.getQuantMax()))));
  return c.cast(level, op.getDtype());
}

Value decomposeQuantizePerTensorTensor2(QuantizePerTensorTensor2Op op,
                                        Composite &c) {
  Value x = toFloats(c, op.getInput());
  if (!x || !holdsLevels(c, op.getDtype(), 0, 0))
    return {};
  Type f32 = c.getBuilder().getF32Type();
  Value level = c.add(c.round(c.mul(x, invertScale(c, op.getScale()))),
                      single(c, op.getZeroPoint(), f32));
  level = c.minimum(c.maximum(level, single(c, op.getQuantMin(), f32)),
                    single(c, op.getQuantMax(), f32));
  return c.cast(level, op.getDtype());
}

/// Each step is rounded to the type of the result.
template <typename OpT, typename ZeroT, typename ScaleT>
static Value toFloats(Composite &c, OpT op, ZeroT zero, ScaleT scale) {
  if (!isOfLevels(c, op) || !holdsLevels(c, op.getDtype(), 0, 0))
    return {};
  Type out = op.getOutDtype().value_or(c.getBuilder().getF32Type());
  if (!llvm::isa<mlir::FloatType>(out))
    return c.complain("expects a result of floats");
  Type wide = Composite::computeType(out);
  auto rounded = [&](Value value) { return c.cast(c.cast(value, out), wide); };
  Value level = rounded(op.getInput());
  return c.cast(c.mul(rounded(c.sub(level, zero)), scale), out);
}

Value decomposeDequantizePerTensor(DequantizePerTensorOp op, Composite &c) {
  return toFloats(c, op, double(int64_t(op.getZeroPoint())),
                  op.getScale().convertToDouble());
}

/// A grid of two tensors, in the type that the result is computed in.
template <typename OpT> static Value ofTensors(Composite &c, OpT op) {
  Type wide = Composite::computeType(
      op.getOutDtype().value_or(c.getBuilder().getF32Type()));
  Value zero = single(c, op.getZeroPoint(), wide);
  Value scale = single(c, op.getScale(), wide);
  return zero && scale ? toFloats(c, op, zero, scale) : Value();
}

Value decomposeDequantizePerTensorTensor(DequantizePerTensorTensorOp op,
                                         Composite &c) {
  return ofTensors(c, op);
}

Value decomposeDequantizePerTensorTensor2(DequantizePerTensorTensor2Op op,
                                          Composite &c) {
  return ofTensors(c, op);
}

//===----------------------------------------------------------------------===//
// Grids that are chosen
//===----------------------------------------------------------------------===//

/// By torch.ao.quantization.utils.determine_qparams.
template <bool IsSymmetric, typename OpT>
static Values chooseGrid(Composite &c, OpT op) {
  Type type = Composite::elementTypeOf(op.getInput());
  if (!type.isF32() && !type.isF16() && !type.isBF16())
    return {c.complain("expects an input of f32, f16 or bf16")};
  double low = double(int64_t(op.getQuantMin())),
         high = double(int64_t(op.getQuantMax()));
  if (low > 0 || high < 0 || low >= high)
    return {c.complain("expects a range of levels that has 0 and one more")};
  mlir::Builder &b = c.getBuilder();
  Value x = c.detach(op.getInput());
  Value least = c.amin(x, ArrayRef<int64_t>()),
        greatest = c.amax(x, ArrayRef<int64_t>());
  least = c.minimum(least, c.filled(least, 0));
  greatest = c.maximum(greatest, c.filled(greatest, 0));
  Value eps =
      c.filled(Sizes{c.expr(1)}, op.getEps().convertToDouble(), b.getF32Type());
  if (IsSymmetric) {
    Value scale = c.maximum(
        c.div(c.maximum(c.neg(least), greatest), (high - low) / 2), eps);
    double zero = op.getDtype().isUnsignedInteger(8) ? 128 : 0;
    return {c.cast(scale, b.getF64Type()),
            c.filled(Sizes{c.expr(1)}, zero, b.getI64Type())};
  }
  Value scale = c.maximum(c.div(c.sub(greatest, least), high - low), eps);
  Value steps = c.cast(c.round(c.div(least, scale)), b.getI32Type());
  Value zero = c.clamp(c.add(c.neg(steps), int64_t(low)),
                       c.number(int64_t(low)), c.number(int64_t(high)));
  return {c.cast(scale, b.getF64Type()), c.cast(zero, b.getI64Type())};
}

Values decomposeChooseQparams(ChooseQparamsTensorOp op, Composite &c) {
  return chooseGrid<false>(c, op);
}

Values decomposeChooseQparamsSymmetric(ChooseQparamsSymmetricTensorOp op,
                                       Composite &c) {
  return chooseGrid<true>(c, op);
}

/// On a cast to f64, whose operand is f32: the type that PyTorch's scales have.
constexpr StringRef kChosenAttrName = "aten.chosen";

/// `value`, computed in f32, as `type` holds it.
static Value roundTo(Composite &c, Value value, Type type) {
  if (!value || !Composite::elementTypeOf(value).isF32())
    return value;
  return c.cast(c.cast(value, type), c.getBuilder().getF32Type());
}

/// PyTorch's function gives floats of 32 bits, or bf16 for bf16, and what it
/// says of its types f64 and i64. An exported program goes on with those, its
/// run with the others, so that what reads such a grid has to round as they do.
Values decomposeChooseQparamsPerToken(ChooseQparamsPerTokenOp op,
                                      Composite &c) {
  if (op.getDtype() != c.getBuilder().getI8Type())
    return {c.complain("expects levels of i8")};
  mlir::Builder &b = c.getBuilder();
  Value scales = c.amax(c.abs(c.detach(op.getInput())), {-1}, /*keepdim=*/true);
  if (!scales)
    return {};
  Type type = Composite::elementTypeOf(scales);
  if (type.isF16())
    type = b.getF32Type();
  scales = c.clamp(c.widen(scales), c.number(1e-5));
  scales = roundTo(c, c.div(roundTo(c, scales, type), 127.0), type);
  Value wide = c.cast(scales, b.getF64Type());
  if (wide && wide != scales)
    wide.getDefiningOp()->setDiscardableAttr(kChosenAttrName,
                                             mlir::TypeAttr::get(type));
  return {wide, c.filled(Composite::dimsOf(scales), 0, b.getI64Type())};
}

Values
decomposeChooseQparamsPerTokenAsymmetric(ChooseQparamsPerTokenAsymmetricOp op,
                                         Composite &c) {
  mlir::Builder &b = c.getBuilder();
  Value x = c.detach(op.getInput());
  Value least = c.amin(x, {-1}, /*keepdim=*/true),
        greatest = c.amax(x, {-1}, /*keepdim=*/true);
  if (!least || !greatest)
    return {};
  least = c.minimum(least, c.filled(least, 0));
  greatest = c.maximum(greatest, c.filled(greatest, 0));
  Value scale =
      c.clamp(c.div(c.sub(greatest, least), 255.0),
              c.number(double(std::numeric_limits<float>::epsilon())));
  Value fromLeast = c.div(least, scale), fromGreatest = c.div(greatest, scale);
  Value errsLess =
      c.gt(c.add(c.add(fromLeast, -128.0), c.add(fromGreatest, 127.0)), 0);
  Value zero = c.where(errsLess, c.add(c.neg(fromLeast), -128.0),
                       c.add(c.neg(fromGreatest), 127.0));
  zero = c.round(c.clamp(zero, c.number(-128.0), c.number(127.0)));
  return {c.cast(scale, b.getF64Type()), c.cast(zero, b.getI64Type())};
}

//===----------------------------------------------------------------------===//
// Grids of channels, of rows and of groups
//===----------------------------------------------------------------------===//

Value decomposeQuantizePerChannel(QuantizePerChannelOp op, Composite &c) {
  Value x = toFloats(c, op.getInput());
  if (!x || !holdsLevels(c, op))
    return {};
  int64_t axis = int64_t(op.getAxis());
  Value level =
      toLevels(c, x, c.reciprocal(alongAxis(c, op.getScales(), axis, x)),
               alongAxis(c, op.getZeroPoints(), axis, x),
               c.number(double(int64_t(op.getQuantMin()))),
               c.number(double(int64_t(op.getQuantMax()))));
  return c.cast(level, op.getDtype());
}

Value decomposeDequantizePerChannel(DequantizePerChannelOp op, Composite &c) {
  if (!isOfLevels(c, op) || !holdsLevels(c, op))
    return {};
  Value level = op.getInput();
  int64_t axis = int64_t(op.getAxis());
  Value scales = alongAxis(c, op.getScales(), axis, level);
  if (op.getZeroPoints())
    level = c.sub(level, alongAxis(c, op.getZeroPoints(), axis, level));
  return c.cast(c.mul(level, scales),
                op.getOutDtype().value_or(c.getBuilder().getF32Type()));
}

Value decomposeFakeQuantPerChannel(FakeQuantPerChannelOp op, Composite &c) {
  Value x = op.getInput();
  if (!Composite::elementTypeOf(x).isF32())
    return c.complain("expects an input of f32");
  mlir::Builder &b = c.getBuilder();
  int64_t axis = int64_t(op.getAxis());
  Value scales = alongAxis(c, c.cast(op.getScales(), b.getF32Type()), axis, x);
  Value zeros =
      alongAxis(c, c.cast(op.getZeroPoints(), b.getI32Type()), axis, x);
  if (!scales || !zeros)
    return {};
  double low = double(int64_t(op.getQuantMin())),
         high = double(int64_t(op.getQuantMax()));
  Value level = c.add(c.round(c.mul(c.detach(x), c.reciprocal(scales))), zeros);
  Value y = c.mul(c.sub(c.clamp(level, c.number(low), c.number(high)), zeros),
                  scales);
  // The gradient of x where the grid has the level.
  Value inside = c.logicalAnd(c.ge(level, low), c.le(level, high));
  Value held = c.where(inside, x, c.filled(x, 0));
  return c.add(y, c.sub(held, c.detach(held)));
}

/// The scales that PyTorch's run has, in f32, and their `type`, if they were
/// chosen from a tensor that has less than 64 bits.
static Value getChosen(Value scales, Type &type) {
  auto wide = scales.getDefiningOp<ToCopyOp>();
  auto chosen = wide ? wide->getAttrOfType<mlir::TypeAttr>(kChosenAttrName)
                     : mlir::TypeAttr();
  if (!chosen)
    return {};
  type = chosen.getValue();
  return wide.getSelf();
}

/// Here the zero is rounded with the steps.
static Value toLevelsOf(Composite &c, Value x, Value scales, Value zeros,
                        double low, double high) {
  Value level = c.round(c.add(c.mul(x, c.reciprocal(scales)), zeros));
  return c.clamp(level, c.number(low), c.number(high));
}

/// The same in the type that levels are computed in, where scales are of
/// `type`.
static Value toLevelsOfChosen(Composite &c, QuantizePerTokenOp op, Value scales,
                              Type type) {
  // bf16 beside bf16 stays; all others meet in f32, or in f64.
  Type common = c.getBuilder().getF32Type();
  if (Composite::elementTypeOf(op.getInput()) == type)
    common = type;
  Value x = c.widen(c.detach(op.getInput()));
  Value inverse = roundTo(c, c.reciprocal(c.detach(scales)), type);
  Value level = roundTo(c, c.mul(x, inverse), common);
  level = roundTo(c, c.add(level, c.detach(op.getZeroPoints())), common);
  return c.clamp(c.round(level), c.number(double(int64_t(op.getQuantMin()))),
                 c.number(double(int64_t(op.getQuantMax()))));
}

Value decomposeQuantizePerToken(QuantizePerTokenOp op, Composite &c) {
  if (!holdsLevels(c, op))
    return {};
  Type type;
  if (Value scales = getChosen(op.getScales(), type))
    return c.cast(toLevelsOfChosen(c, op, scales, type), op.getDtype());
  return c.cast(toLevelsOf(c, op.getInput(), c.detach(op.getScales()),
                           c.detach(op.getZeroPoints()),
                           double(int64_t(op.getQuantMin())),
                           double(int64_t(op.getQuantMax()))),
                op.getDtype());
}

Value decomposeDequantizePerToken(DequantizePerTokenOp op, Composite &c) {
  Value level = c.sub(op.getInput(), c.detach(op.getZeroPoints()));
  Value scales = c.detach(op.getScales());
  Type type;
  if (Value chosen = getChosen(op.getScales(), type)) {
    scales = c.detach(chosen);
    if (!type.isF32())
      level = roundTo(c, c.cast(level, c.getBuilder().getF32Type()), type);
    return c.cast(roundTo(c, c.mul(level, scales), type), op.getOutputDtype());
  }
  return c.cast(c.mul(level, scales), op.getOutputDtype());
}

/// `x`, a matrix, as [rows, groups, size]; null if its rows are no whole
/// groups.
template <typename OpT>
static Value inGroups(Composite &c, OpT op, Sizes &ofGrids) {
  Value x = op.getInput(), scales = op.getScales();
  if (Composite::rankOf(x) != 2)
    return c.complain("expects a matrix");
  auto width = c.fixed(x, 1);
  if (!width)
    return c.refuse("how many columns are in groups is known when it runs");
  int64_t size = int64_t(op.getGroupSize());
  if (size > *width && Composite::rankOf(scales) > 0 &&
      c.fixed(scales, -1) == 1)
    size = *width;
  if (size <= 1 || *width % size != 0)
    return c.complain("expects groups of more than one, into which " +
                      llvm::Twine(*width) + " columns are divided, but found " +
                      llvm::Twine(size));
  Sizes dims = {c.sizeOf(x, 0), c.expr(*width / size), c.expr(size)};
  ofGrids = {dims[0], dims[1], c.expr(1)};
  return c.reshape(x, dims);
}

Value decomposeQuantizePerChannelGroup(QuantizePerChannelGroupOp op,
                                       Composite &c) {
  Sizes ofGrids;
  Value x = inGroups(c, op, ofGrids);
  if (!x || !holdsLevels(c, op))
    return {};
  c.check(c.eq(x, x), "to_quant must not contain NaNs");
  Value level = toLevelsOf(
      c, c.detach(x), c.reshape(c.detach(op.getScales()), ofGrids),
      c.reshape(c.detach(op.getZeroPoints()), ofGrids),
      double(int64_t(op.getQuantMin())), double(int64_t(op.getQuantMax())));
  return c.reshape(c.cast(level, op.getDtype()),
                   Composite::dimsOf(op.getInput()));
}

Value decomposeDequantizePerChannelGroup(DequantizePerChannelGroupOp op,
                                         Composite &c) {
  Sizes ofGrids;
  Value level = inGroups(c, op, ofGrids);
  if (!level)
    return {};
  if (op.getZeroPoints())
    level = c.sub(level, c.reshape(c.detach(op.getZeroPoints()), ofGrids));
  Value x = c.mul(level, c.reshape(c.detach(op.getScales()), ofGrids));
  return c.cast(c.reshape(x, Composite::dimsOf(op.getInput())),
                op.getOutputDtype());
}

Value decomposeConvertElementTypeNoFuse(ConvertElementTypeNoFuseOp op,
                                        Composite &c) {
  return c.cast(op.getInput(), op.getDtype());
}

//===----------------------------------------------------------------------===//
// Products of levels
//===----------------------------------------------------------------------===//

Value decomposeIntMm(IntMmOp op, Composite &c) {
  mlir::Builder &b = c.getBuilder();
  for (Value x : {op.getSelf(), op.getMat2()})
    if (Composite::elementTypeOf(x) != b.getI8Type())
      return c.complain("expects matrices of i8");
  return c.mm(c.cast(op.getSelf(), b.getI32Type()),
              c.cast(op.getMat2(), b.getI32Type()));
}

Value decomposeWeightInt8packMm(WeightInt8packMmOp op, Composite &c) {
  mlir::Builder &b = c.getBuilder();
  Type type = Composite::elementTypeOf(op.getSelf());
  if (Composite::elementTypeOf(op.getMat2()) != b.getI8Type() ||
      Composite::rankOf(op.getMat2()) != 2)
    return c.complain("expects a weight that is a matrix of i8");
  if (Composite::elementTypeOf(op.getScales()) != type)
    return c.complain("expects scales of the type of what is multiplied");
  // Sums and the scale have 32 bits before they are rounded once.
  Type wide = Composite::computeType(type);
  // Levels are factors of 16 bits as well, for units that multiply such: few rows do not
  // wait for a unit, and have the bytes extended at once.
  constexpr int64_t kFewRows = 16;
  Value weight = op.getMat2();
  auto rows = FormulaBuilder::dimOf(op.getSelf(), 0).getConstant();
  if (!rows || *rows >= kFewRows)
    weight = c.cast(weight, type);
  weight = c.transpose(c.cast(weight, wide), 0, 1);
  return c.cast(c.mul(c.mm(c.cast(op.getSelf(), wide), weight),
                      c.cast(op.getScales(), wide)),
                type);
}

//===----------------------------------------------------------------------===//
// Products of 8-bit floats
//===----------------------------------------------------------------------===//

static bool isFactorOf8Bits(Type type) {
  return llvm::isa<mlir::Float8E4M3FNType, mlir::Float8E5M2Type>(type);
}

/// Whether `scale` is one number, or numbers along dimension `dim` of a matrix,
/// one for each of `x`.
static bool isScaleOf(Composite &c, Value scale, Value x, int64_t dim) {
  if (Composite::numelOf(scale).isConstant(1))
    return Composite::rankOf(scale) <= 2;
  return Composite::rankOf(scale) == 2 && c.fixed(scale, 1 - dim) == 1 &&
         c.sizeOf(scale, dim) == c.sizeOf(x, dim);
}

Value decomposeScaledMm(ScaledMmOp op, Composite &c) {
  mlir::Builder &b = c.getBuilder();
  Value self = op.getSelf(), mat2 = op.getMat2();
  for (Value x : {self, mat2})
    if (!isFactorOf8Bits(Composite::elementTypeOf(x)) ||
        Composite::rankOf(x) != 2)
      return c.complain("expects matrices of f8E4M3FN or f8E5M2");
  for (Value scale : {op.getScaleA(), op.getScaleB()})
    if (!Composite::elementTypeOf(scale).isF32())
      return c.refuse("scales of other types than f32 are of blocks");
  if (!isScaleOf(c, op.getScaleA(), self, 0) ||
      !isScaleOf(c, op.getScaleB(), mat2, 1))
    return c.refuse("scales are of a matrix, or of its rows and columns");
  if (op.getBias() && Composite::rankOf(op.getBias()) != 1)
    return c.complain("expects a bias of columns");
  if (op.getScaleResult() &&
      !Composite::numelOf(op.getScaleResult()).isConstant(1))
    return c.complain("expects one scale of the result");
  // As bf16 they are what they were, and units multiply them.
  auto widen = [&](Value x) {
    return c.cast(c.cast(x, b.getBF16Type()), b.getF32Type());
  };
  Value sum = c.mm(widen(self), widen(mat2));
  sum = c.mul(c.mul(sum, op.getScaleA()), op.getScaleB());
  if (op.getBias())
    sum = c.add(sum, c.cast(op.getBias(), b.getF32Type()));
  Type type = op.getOutDtype().value_or(Composite::elementTypeOf(self));
  if (op.getScaleResult() && type.getIntOrFloatBitWidth() == 8)
    sum = c.mul(sum, op.getScaleResult());
  return c.cast(sum, type);
}

} // namespace kiln::aten

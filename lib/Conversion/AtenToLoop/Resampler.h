//===- Resampler.h - Taps of resized images ---------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every dimension has, for each output position, a few taps: input positions
// and weights, which are tables. The forward goes dimension by dimension, from the last on,
// where none shrinks, as what it adds up is then read again; else it reads all taps
// at each element. Gradients, and filters as wide as the step, go dimension by
// dimension: a table of weights for each position, and a reduction that reads it.
// Gradients gather: the table holds what each input gets from the outputs around it.
//
// Positions are computed in f32 unless the elements are f64, as in PyTorch,
// because they decide which elements are read.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_ATENTOLOOP_RESAMPLER_H
#define KILN_LIB_CONVERSION_ATENTOLOOP_RESAMPLER_H

#include "Lowerings.h"
#include "Windows.h"

namespace kiln::loop {

/// One dimension: its sizes, and the scale that was given, if any.
struct Resize {
  guard::ExprAttr input, output;
  std::optional<double> scale;

  /// The scale counts for nothing if the sizes are equal, or if one doubles.
  bool idlesIfKept = false, idlesIfDoubled = false;

  bool isConstant() const { return input.isConstant() && output.isConstant(); }
  /// True if each output may be looked at while the graph is compiled.
  bool isCountable() const {
    return loop::isCountable(input) && loop::isCountable(output);
  }
  bool keeps() const { return input == output; }
  bool doubles() const { return output == input * 2; }
  /// True unless there are known to be no fewer outputs than inputs.
  bool shrinks() const {
    return isConstant() ? output.getPayload() < input.getPayload()
                        : !scale || *scale < 1;
  }
};

struct Tap {
  Value input;  ///< an index
  Value weight; ///< f64
};

/// A tap of all outputs of a dimension, one element each.
struct TapTable {
  Value inputs;  ///< i64
  Value weights; ///< of the computation type; none where one input is taken
};

/// The outputs around an input: from `begin` of it, so many.
struct Reach {
  guard::ExprAttr begin, extent;
};

class Resampler {
public:
  Resampler(LoopBuilder &loops, Filter filter, bool corners, Type stored)
      : loops(loops), filter(filter), corners(corners), stored(stored) {
    Builder &b = loops.getBuilder();
    compute = stored.isF64() ? Type(b.getF64Type()) : b.getF32Type();
  }

  SmallVector<Resize> resizes;

  LogicalResult lowerForward(Value source, RankedTensorType type);
  LogicalResult lowerBackward(Value gradient, RankedTensorType type);

private:
  bool isNearest() const { return filter <= Filter::NearestExact; }
  bool isWide() const { return filter >= Filter::LinearWide; }
  /// How far from its center a filter reaches.
  int64_t getRadius() const {
    return filter == Filter::Cubic || filter == Filter::CubicWide ? 2 : 1;
  }

  // When the sizes are known.
  double round(double value) const {
    return compute.isF64() ? value : double(float(value));
  }
  double getStep(const Resize &r) const;
  std::pair<int64_t, int64_t> getTouched(const Resize &r, int64_t output) const;
  guard::ExprAttr getNearest(const Resize &r, guard::ExprAttr output) const;
  std::optional<Window> getNearestOutputs(const Resize &r, guard::ExprAttr input,
                                          guard::ExprAttr index) const;
  std::optional<Reach> getReach(const Resize &r, guard::ExprAttr input) const;
  guard::ExprAttr getWidth(const Resize &r) const;

  // In a body.
  Value buildStep(BodyContext body, ScalarBuilder &s, const Resize &r);
  Value buildCenter(BodyContext body, ScalarBuilder &s, const Resize &r,
                    Value output, Type type);
  Value toIndex(BodyContext body, ScalarBuilder &s, Value position);
  Value clamp(BodyContext body, Value index, guard::ExprAttr size);
  Value buildNearest(BodyContext body, ScalarBuilder &s, const Resize &r,
                     guard::ExprAttr output);
  SmallVector<Tap> buildTaps(BodyContext body, ScalarBuilder &s,
                             const Resize &r, guard::ExprAttr output);
  std::pair<Value, Value> buildWideRange(BodyContext body, ScalarBuilder &s,
                                         const Resize &r, Value output);
  Value buildWideWeight(BodyContext body, ScalarBuilder &s, const Resize &r,
                        Value output, Value input);
  Value buildCubic(ScalarBuilder &s, Value x, bool isNear);

  SmallVector<TapTable> makeTapTables(const Resize &r);
  Value makeTapSums(Value source, unsigned lead, unsigned first, unsigned last);
  Value makeWideSums(const Resize &r);
  Value makeWidePass(Value source, unsigned dim, const Resize &r);
  Value makeGradientPass(Value gradient, unsigned dim, const Resize &r);
  LogicalResult finish(Value result, RankedTensorType type);

  LoopBuilder &loops;
  Filter filter;
  bool corners;
  Type stored, compute;
};

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_ATENTOLOOP_RESAMPLER_H

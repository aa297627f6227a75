//===- PointwiseEngine.h - Elementwise operators of N operands ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pointwise operator is a formula, the categories it accepts, and a promotion
// kind:
//
//   pointwise<1>(table, "exp.default", {kFloat | kComplex, Kind::IntToFloat},
//                [](auto x) { using std::exp; return exp(x); });
//
// The first N arguments are the operands, tensors or numbers alike; scalar
// parameters (the slope of a leaky relu) are simply operands that do not take
// part in promotion. The formula is compiled for the compute types that the
// traits name; everything else - promotion, broadcasting, strides, conversion,
// rounding once at the end - is one routine for all operators.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_EAGER_POINTWISEENGINE_H
#define KILN_LIB_EAGER_POINTWISEENGINE_H

#include "Elements.h"
#include "Support.h"

namespace kiln::eager {

/// Categories of promoted types that an operator accepts.
constexpr unsigned kFloat = 1, kInteger = 2, kBool = 4, kComplex = 8;
/// 8-bit floats, computed in f32; with kFloat only.
constexpr unsigned kSmallFloat = 16;
constexpr unsigned kIntegral = kInteger | kBool;
constexpr unsigned kReal = kFloat | kInteger | kBool;
constexpr unsigned kNumber = kReal | kComplex;

/// How the result's dtype follows from the promoted one.
enum class Kind {
  Default,    ///< the promoted type
  IntToFloat, ///< integers and bool become f32 before computing
  AlwaysBool, ///< computed in the promoted type, stored as bool
  KeepFirst,  ///< the type of the first operand, others are converted to it
};

struct PointwiseTraits {
  unsigned accepts = kReal;
  Kind kind = Kind::Default;
  /// Which operands promote, bit i for operand i.
  unsigned promoting = ~0u;
  /// Numbers and 0-d operands are rounded to the promoted type before the
  /// computation (`add`, `pow`, comparisons); else they keep the precision of
  /// the compute type (`mul`, slopes).
  bool roundsWeak = false;
};

/// Computes `count` elements from one array per operand.
using Chunk = void (*)(const void *const *operands, void *result,
                       int64_t count);

struct PointwiseOperator {
  PointwiseTraits traits;
  size_t numOperands;
  std::array<Chunk, 5> chunks; ///< by ComputeType, null where not accepted
};

/// Evaluates on operands that are tensors or numbers.
Tensor evaluate(const PointwiseOperator &op,
                const std::vector<OpValue> &operands);

namespace detail {
template <size_t N, typename T, typename F> Chunk makeChunk(F f) {
  static const F function = f;
  return [](const void *const *operands, void *result, int64_t count) {
    T *out = static_cast<T *>(result);
    const T *in[N];
    for (size_t k = 0; k < N; ++k)
      in[k] = static_cast<const T *>(operands[k]);
    for (int64_t i = 0; i < count; ++i) {
      if constexpr (N == 1)
        out[i] = static_cast<T>(function(in[0][i]));
      else if constexpr (N == 2)
        out[i] = static_cast<T>(function(in[0][i], in[1][i]));
      else if constexpr (N == 3)
        out[i] = static_cast<T>(function(in[0][i], in[1][i], in[2][i]));
      else if constexpr (N == 4)
        out[i] =
            static_cast<T>(function(in[0][i], in[1][i], in[2][i], in[3][i]));
      else
        out[i] = static_cast<T>(
            function(in[0][i], in[1][i], in[2][i], in[3][i], in[4][i]));
    }
  };
}

template <size_t N, unsigned Accepts, typename F>
PointwiseOperator makeOperator(PointwiseTraits traits, F f) {
  traits.accepts = Accepts;
  PointwiseOperator op{traits, N, {}};
  if constexpr (Accepts & kFloat) {
    op.chunks[size_t(ComputeType::Float)] = makeChunk<N, float>(f);
    op.chunks[size_t(ComputeType::Double)] = makeChunk<N, double>(f);
  }
  if constexpr (Accepts & kIntegral)
    op.chunks[size_t(ComputeType::Integer)] = makeChunk<N, int64_t>(f);
  if constexpr (Accepts & kComplex) {
    op.chunks[size_t(ComputeType::CFloat)] = makeChunk<N, CFloat>(f);
    op.chunks[size_t(ComputeType::CDouble)] = makeChunk<N, CDouble>(f);
  }
  return op;
}

/// The first N arguments of a call.
std::vector<OpValue> firstOperands(const Args &args, size_t count);
} // namespace detail

/// The function of a pointwise overload whose first N arguments are its
/// operands, and the same for its in-place form.
struct PointwiseFunctions {
  OpFunction functional, inPlace;
};

template <size_t N, unsigned Accepts, typename F>
PointwiseFunctions pointwiseFunctions(PointwiseTraits traits, F f) {
  static const PointwiseOperator op =
      detail::makeOperator<N, Accepts>(traits, f);
  static const Operator run = [](const Args &args) {
    return Values{evaluate(op, detail::firstOperands(args, N))};
  };
  return {[](const OpArguments &a) { return guarded(run, a); },
          [](const OpArguments &a) { return guardedInPlace(run, a); }};
}

/// Adds one overload.
template <size_t N, unsigned Accepts, typename F>
void pointwise(Table &table, const std::string &name, PointwiseTraits traits,
               F f) {
  table.add(name, pointwiseFunctions<N, Accepts>(traits, f).functional);
}

/// Adds `base.overload` and `base_.overload` for every overload named.
template <size_t N, unsigned Accepts, typename F>
void pointwiseBoth(Table &table, const std::string &base,
                   std::initializer_list<const char *> overloads,
                   PointwiseTraits traits, F f) {
  PointwiseFunctions functions = pointwiseFunctions<N, Accepts>(traits, f);
  for (const char *overload : overloads) {
    table.add(base + "." + overload, functions.functional);
    table.add(base + "_." + overload, functions.inPlace);
  }
}

} // namespace kiln::eager

#endif // KILN_LIB_EAGER_POINTWISEENGINE_H

//===- CompositeSpectra.cpp - Fourier transforms and windows --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of torch.fft are three transforms over some dimensions, after
// these have been cut or filled up to the sizes asked for.
//
//===----------------------------------------------------------------------===//

#include "Composites.h"

#include "kiln/Dialect/Guard/IR/Guard.h"

#include <cmath>

using namespace kiln;
using namespace kiln::pt2;
using guard::ExprAttr;

static bool isComplex(Value x) {
  return llvm::isa<mlir::ComplexType>(Composite::elementTypeOf(x));
}

static Value toComplex(Composite &c, Value x) {
  x = c.floating(x);
  return isComplex(x)
             ? x
             : c.cast(x, mlir::ComplexType::get(Composite::elementTypeOf(x)));
}

static Value conjugate(Composite &c, Value x) {
  return isComplex(x) ? c.call("aten._conj", {x}) : x;
}

/// 0: none, 1: by the root of the size, 2: by the size.
static Attribute scaling(Composite &c, bool forward) {
  StringRef norm = c.text("norm");
  bool scales = norm == "forward" ? forward : !forward;
  return c.AtenBuilder::integer(norm == "ortho" ? 1 : scales ? 2 : 0);
}

/// `x` with `size` elements along `dim`: the first of them, then zeros.
static Value fit(Composite &c, Value x, int64_t dim, ExprAttr size) {
  int64_t rank = Composite::rankOf(x);
  dim = c.place(dim, rank);
  if (rank == 0)
    return {};
  ExprAttr have = c.dimOf(x, dim);
  if (have == size)
    return x;
  // Where the sizes do not tell which of the two it is, it is both, of which one
  // changes nothing.
  auto more = (size - have).getConstant();
  if (!more || *more < 0)
    x = c.slice(x, dim, c.expr(0), size);
  if (!x || (more && *more < 0))
    return x;
  SmallVector<ExprAttr> widths(2 * rank, c.expr(0));
  widths[2 * (rank - 1 - dim) + 1] = size - c.dimOf(x, dim);
  return c.constantPad(x, widths, 0);
}

/// The dimensions of a transform, and the sizes that are asked for.
struct Extent {
  SmallVector<int64_t> dims;
  SmallVector<ExprAttr> sizes; ///< none: those of the operand
};

/// Of one dimension (`dim`, `n`), or of several (`dim`, `s`).
static Extent getExtent(Composite &c, bool isSingle) {
  Extent extent;
  if (isSingle) {
    extent.dims = {c.integer("dim")};
    if (c.has("n"))
      extent.sizes = {c.size("n")};
    return extent;
  }
  extent.sizes = c.sizes("s");
  extent.dims = c.list("dim");
  int64_t rank = Composite::rankOf(c.self());
  if (!c.has("dim")) {
    int64_t count = c.has("s") ? int64_t(extent.sizes.size()) : rank;
    for (int64_t k = rank - count; k < rank; ++k)
      extent.dims.push_back(k);
  }
  for (auto [dim, size] : llvm::zip(extent.dims, extent.sizes))
    if (size.isConstant(-1))
      size = c.dimOf(c.self(), dim);
  return extent;
}

/// `x` fitted to the sizes that are asked for, but for the last if `butLast`.
static Value fitAll(Composite &c, Value x, const Extent &extent,
                    bool butLast = false) {
  size_t count = std::min(extent.sizes.size(),
                          extent.dims.size() - (butLast ? 1 : 0));
  for (size_t k = 0; k < count && x; ++k)
    x = fit(c, x, extent.dims[k], extent.sizes[k]);
  return x;
}

static Value transform(Composite &c, bool isSingle, bool forward) {
  Extent extent = getExtent(c, isSingle);
  Value x = fitAll(c, toComplex(c, c.self()), extent);
  if (!x)
    return {};
  SmallVector<ExprAttr> dims;
  for (int64_t dim : extent.dims)
    dims.push_back(c.expr(c.place(dim, Composite::rankOf(x))));
  return c.call("aten._fft_c2c", {x, c.shape(dims), scaling(c, forward),
                                  c.boolean(forward)});
}

/// From reals to half of a spectrum; `forward` decides the scaling alone.
static Value fromReal(Composite &c, bool isSingle, bool forward) {
  if (isComplex(c.self()))
    return {};
  Extent extent = getExtent(c, isSingle);
  Value x = fitAll(c, c.floating(c.self()), extent);
  return x ? c.call("aten._fft_r2c",
                    {x, c.ints(extent.dims), scaling(c, forward),
                     c.boolean(true)})
           : x;
}

/// From half of a spectrum to reals.
static Value toReal(Composite &c, Value x, bool isSingle, bool forward) {
  Extent extent = getExtent(c, isSingle);
  if (extent.dims.empty())
    return {};
  int64_t last = extent.dims.back();
  ExprAttr size = extent.sizes.size() == extent.dims.size()
                      ? extent.sizes.back()
                      : (c.dimOf(x, last) - c.expr(1)) * 2;
  x = fitAll(c, toComplex(c, x), extent, /*butLast=*/true);
  x = x ? fit(c, x, last, guard::floorDiv(size, 2) + c.expr(1)) : x;
  return x ? c.call("aten._fft_c2r", {x, c.ints(extent.dims),
                                      scaling(c, forward), size})
           : x;
}

/// Halves exchanged; the first is the shorter one if `back`.
static Value shift(Composite &c, bool back) {
  Value x = c.self();
  SmallVector<int64_t> dims = c.list("dim");
  if (!c.has("dim"))
    for (int64_t k = 0; k < Composite::rankOf(x); ++k)
      dims.push_back(k);
  SmallVector<ExprAttr> shifts;
  for (int64_t dim : dims)
    shifts.push_back(guard::floorDiv(
        c.dimOf(x, dim) + c.expr(back ? 1 : 0), 2));
  return dims.empty() ? x
                      : c.call("aten.roll", {x, c.shape(shifts), c.ints(dims)});
}

static Value frequencies(Composite &c, bool half) {
  int64_t n = c.integer("n");
  Type type = c.type("dtype");
  type = type ? type : Type(c.getBuilder().getF32Type());
  auto range = [&](int64_t from, int64_t to) {
    return c.arange(c.expr(from), c.expr(to), c.expr(1), type);
  };
  Value steps = half ? range(0, n / 2 + 1)
                     : c.cat({range(0, (n + 1) / 2), range(-(n / 2), 0)}, 0);
  return c.mul(steps, 1.0 / (double(n) * c.real("d")));
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// A window of sums of cosines: a - b cos(2 pi x) + d cos(4 pi x), or two slopes.
struct Shape {
  double a, b, d;
  bool isSlope = false;
};

static Value window(Composite &c, const Shape &shape) {
  int64_t length = c.integer("window_length");
  bool periodic = !c.has("periodic") || c.flag("periodic");
  Type type = c.type("dtype");
  type = type ? type : Type(c.getBuilder().getF32Type());
  if (length < 0 || !llvm::isa<mlir::FloatType>(type))
    return {};
  if (length <= 1)
    return c.ones(c.expr(length), type);
  Value x = c.arange(c.expr(0), c.expr(length), c.expr(1), type);
  double last = double(periodic ? length : length - 1);
  if (shape.isSlope) {
    Value rising = c.mul(x, 2 / last);
    return c.minimum(rising, c.rsub(2, rising));
  }
  Value result = c.rsub(shape.a, c.mul(c.cos(c.mul(x, 2 * M_PI / last)), shape.b));
  if (shape.d != 0)
    result = c.add(result, c.mul(c.cos(c.mul(x, 4 * M_PI / last)), shape.d));
  return result;
}

//===----------------------------------------------------------------------===//
// Short-time transforms
//===----------------------------------------------------------------------===//

static Value shortTime(Composite &c, bool center) {
  Value x = c.self();
  int64_t rank = Composite::rankOf(x), size = c.integer("n_fft");
  int64_t hop = c.has("hop_length") ? c.integer("hop_length") : size / 4;
  int64_t length = c.has("win_length") ? c.integer("win_length") : size;
  if (rank < 1 || rank > 2 || hop <= 0 || length <= 0 || length > size)
    return {};
  if (c.flag("align_to_window"))
    return c.refuse("a short-time transform is aligned to its window");
  if (rank == 1)
    x = c.unsqueeze(x, 0);
  if (center) {
    SmallVector<ExprAttr> widths(2, c.expr(size / 2));
    StringRef mode = c.text("pad_mode");
    if (mode == "constant")
      x = c.constantPad(x, widths, 0);
    else if (mode == "reflect")
      x = c.call("aten.reflection_pad1d", {x, c.shape(widths)});
    else if (mode == "replicate")
      x = c.call("aten.replication_pad1d", {x, c.shape(widths)});
    else
      return c.refuse("a short-time transform pads by '" + mode + "'");
  }
  Value weights = c.tensor("window");
  if (length < size) {
    if (!weights)
      weights = c.ones(c.expr(length), Composite::elementTypeOf(x));
    int64_t before = (size - length) / 2;
    weights = c.constantPad(
        weights, {c.expr(before), c.expr(size - length - before)}, 0);
  }
  Value frames = x ? c.call("aten.unfold", {x, c.AtenBuilder::integer(-1),
                                            c.AtenBuilder::integer(size),
                                            c.AtenBuilder::integer(hop)})
                   : x;
  if (weights && frames)
    frames = c.mul(frames, weights);
  if (!frames)
    return {};
  Attribute scale = c.AtenBuilder::integer(c.flag("normalized") ? 1 : 0);
  bool half = c.has("onesided") ? c.flag("onesided") : !isComplex(frames);
  Value spectrum =
      isComplex(frames)
          ? c.call("aten._fft_c2c", {frames, c.shape(c.expr(2)), scale,
                                     c.boolean(true)})
          : c.call("aten._fft_r2c",
                   {frames, c.ints({-1}), scale, c.boolean(half)});
  spectrum = c.transpose(spectrum, 1, 2);
  if (rank == 1)
    spectrum = c.squeeze(spectrum, 0);
  bool staysComplex = c.has("return_complex") ? c.flag("return_complex")
                                              : isComplex(c.self());
  return staysComplex || !spectrum ? spectrum
                                   : c.call("aten.view_as_real", {spectrum});
}

/// The signal whose frames have these spectra: frames are added where they lie,
/// and divided by what the squares of the window add up to.
static Value inverseShortTime(Composite &c) {
  Value x = c.self();
  int64_t size = c.integer("n_fft"), bins = size / 2 + 1;
  int64_t hop = c.has("hop_length") ? c.integer("hop_length") : size / 4;
  int64_t length = c.has("win_length") ? c.integer("win_length") : size;
  int64_t rank = Composite::rankOf(x);
  if (!isComplex(x) || rank < 2 || rank > 3 || hop <= 0 || length <= 0 ||
      length > size || hop > length)
    return {};
  bool isReal = !c.flag("return_complex");
  auto given = c.fixed(x, -2);
  bool half = c.has("onesided") ? c.flag("onesided") : given && *given != size;
  if (!given || *given != (half ? bins : size) || (half && !isReal))
    return {};
  if (rank == 2)
    x = c.unsqueeze(x, 0);
  mlir::Type type =
      llvm::cast<mlir::ComplexType>(Composite::elementTypeOf(x))
          .getElementType();
  Value weights = c.tensor("window");
  if (!weights)
    weights = c.ones(c.expr(length), type);
  int64_t before = (size - length) / 2;
  weights = c.constantPad(
      weights, {c.expr(before), c.expr(size - length - before)}, 0);
  // One row a frame, now with all of its frequencies.
  Value spectrum = c.transpose(x, 1, 2);
  Attribute scale = c.AtenBuilder::integer(c.flag("normalized") ? 1 : 2);
  if (isReal && !half)
    spectrum = c.slice(spectrum, -1, c.expr(0), c.expr(bins));
  Value frames =
      isReal ? c.call("aten._fft_c2r", {spectrum, c.ints({-1}), scale,
                                        c.AtenBuilder::integer(size)})
             : c.call("aten._fft_c2c", {spectrum, c.shape(c.expr(2)), scale,
                                        c.boolean(false)});
  if (!frames || !weights)
    return {};
  ExprAttr count = c.dimOf(x, 2), total = (count + -1) * hop + size;
  auto overlap = [&](Value rows, ExprAttr batch) {
    return c.call("aten.unfold_backward",
                  {rows, c.shape({batch, total}), c.AtenBuilder::integer(1),
                   c.AtenBuilder::integer(size), c.AtenBuilder::integer(hop)});
  };
  Value signal = overlap(c.mul(frames, weights), c.dimOf(x, 0));
  Value envelope = overlap(
      c.expand(c.mul(weights, weights), {c.expr(1), count, c.expr(size)}),
      c.expr(1));
  bool center = c.flag("center");
  ExprAttr start = c.expr(center ? size / 2 : 0);
  ExprAttr end = c.has("length") ? start + c.integer("length")
                 : center        ? total + -(size / 2)
                                 : total;
  ExprAttr last = guard::min(end, total);
  signal = c.slice(signal, 1, start, last);
  envelope = c.slice(envelope, 1, start, last);
  if (!signal || !envelope)
    return {};
  c.check(c.ge(c.abs(envelope), 1e-11), "window overlap add min: 1");
  signal = c.div(signal, envelope);
  if (end != last)
    signal = c.constantPad(signal, {c.expr(0), end - last}, 0);
  return rank == 2 ? c.squeeze(signal, 0) : signal;
}

static constexpr char kFactory[] =
    "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor";

void pt2::addCompositeSpectra(CompositeTable &table) {
  auto single = [&](StringRef name, Values (*build)(Composite &)) {
    table.add(("aten::fft_" + name +
               "(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> "
               "Tensor")
                  .str(),
              build);
  };
  auto pair = [&](StringRef name, Values (*build)(Composite &)) {
    table.add(("aten::fft_" + name +
               "(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? "
               "norm=None) -> Tensor")
                  .str(),
              build);
  };
  auto many = [&](StringRef name, Values (*build)(Composite &)) {
    table.add(("aten::fft_" + name +
               "(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? "
               "norm=None) -> Tensor")
                  .str(),
              build);
  };
  single("fft", [](Composite &c) { return Values{transform(c, true, true)}; });
  single("ifft", [](Composite &c) { return Values{transform(c, true, false)}; });
  single("rfft", [](Composite &c) { return Values{fromReal(c, true, true)}; });
  single("irfft", [](Composite &c) {
    return Values{toReal(c, c.self(), true, false)};
  });
  single("hfft", [](Composite &c) {
    return Values{toReal(c, conjugate(c, c.self()), true, true)};
  });
  single("ihfft", [](Composite &c) -> Values {
    Value half = fromReal(c, true, false);
    return {half ? conjugate(c, half) : half};
  });
  for (bool isPair : {true, false}) {
    auto add = [&](StringRef stem, Values (*build)(Composite &)) {
      if (isPair)
        pair((stem + "2").str(), build);
      else
        many((stem + "n").str(), build);
    };
    add("fft", [](Composite &c) { return Values{transform(c, false, true)}; });
    add("ifft", [](Composite &c) { return Values{transform(c, false, false)}; });
    add("rfft", [](Composite &c) { return Values{fromReal(c, false, true)}; });
    add("irfft", [](Composite &c) {
      return Values{toReal(c, c.self(), false, false)};
    });
  }
  table.add("aten::fft_fftshift(Tensor self, int[1]? dim=None) -> Tensor",
            [](Composite &c) { return Values{shift(c, false)}; });
  table.add("aten::fft_ifftshift(Tensor self, int[1]? dim=None) -> Tensor",
            [](Composite &c) { return Values{shift(c, true)}; });
  for (StringRef name : {"fftfreq", "rfftfreq"})
    table.add(("aten::fft_" + name + "(int n, float d=1., " + kFactory).str(),
              name == "fftfreq"
                  ? +[](Composite &c) { return Values{frequencies(c, false)}; }
                  : +[](Composite &c) { return Values{frequencies(c, true)}; });

  auto windows = [&](StringRef name, Values (*build)(Composite &)) {
    table.add(("aten::" + name + "_window(int window_length, " + kFactory).str(),
              build);
    table.add(("aten::" + name +
               "_window.periodic(int window_length, bool periodic, " + kFactory)
                  .str(),
              build);
  };
  windows("hann", [](Composite &c) {
    return Values{window(c, {0.5, 0.5, 0})};
  });
  windows("hamming", [](Composite &c) {
    return Values{window(c, {0.54, 0.46, 0})};
  });
  windows("blackman", [](Composite &c) {
    return Values{window(c, {0.42, 0.5, 0.08})};
  });
  windows("bartlett", [](Composite &c) {
    return Values{window(c, {0, 0, 0, /*isSlope=*/true})};
  });
  table.add((StringRef("aten::hamming_window.periodic_alpha(int window_length, "
                       "bool periodic, float alpha, ") +
             kFactory)
                .str(),
            [](Composite &c) {
              return Values{window(c, {c.real("alpha"), 0.46, 0})};
            });
  table.add((StringRef("aten::hamming_window.periodic_alpha_beta(int "
                       "window_length, bool periodic, float alpha, float beta, ") +
             kFactory)
                .str(),
            [](Composite &c) {
              return Values{window(c, {c.real("alpha"), c.real("beta"), 0})};
            });

  table.add("aten::stft(Tensor self, int n_fft, int? hop_length=None, int? "
            "win_length=None, Tensor? window=None, bool normalized=False, bool? "
            "onesided=None, bool? return_complex=None, bool? "
            "align_to_window=None) -> Tensor",
            [](Composite &c) { return Values{shortTime(c, false)}; });
  table.add("aten::stft.center(Tensor self, int n_fft, int? hop_length=None, "
            "int? win_length=None, Tensor? window=None, bool center=True, str "
            "pad_mode=\"reflect\", bool normalized=False, bool? onesided=None, "
            "bool? return_complex=None, bool? align_to_window=None) -> Tensor",
            [](Composite &c) {
              return Values{shortTime(c, c.flag("center"))};
            });
  table.add("aten::istft(Tensor self, int n_fft, int? hop_length=None, int? "
            "win_length=None, Tensor? window=None, bool center=True, bool "
            "normalized=False, bool? onesided=None, int? length=None, bool "
            "return_complex=False) -> Tensor",
            [](Composite &c) { return Values{inverseShortTime(c)}; });
}

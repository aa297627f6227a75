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

#include <cmath>

namespace kiln::aten {

static bool isComplex(Value x) {
  return llvm::isa<mlir::ComplexType>(Composite::elementTypeOf(x));
}

static Value toComplex(Composite &c, Value x) {
  x = c.floating(x);
  return isComplex(x)
             ? x
             : c.cast(x, mlir::ComplexType::get(Composite::elementTypeOf(x)));
}

/// 0: none, 1: by the root of the size, 2: by the size.
static int64_t scaling(StringRef norm, bool forward) {
  bool scales = norm == "forward" ? forward : !forward;
  return norm == "ortho" ? 1 : scales ? 2 : 0;
}

/// `x` with `size` elements along `dim`: the first of them, then zeros.
static Value fit(Composite &c, Value x, int64_t dim, ExprAttr size) {
  int64_t rank = Composite::rankOf(x);
  dim = c.place(dim, rank);
  if (rank == 0)
    return {};
  ExprAttr have = c.sizeOf(x, dim);
  if (have == size)
    return x;
  // Where the sizes do not tell which of the two it is, it is both, of which
  // one changes nothing.
  auto more = (size - have).getConstant();
  if (!more || *more < 0)
    x = c.sliceTensor(x, dim, c.expr(0), size);
  if (!x || (more && *more < 0))
    return x;
  SmallVector<ExprAttr> widths(2 * rank, c.expr(0));
  widths[2 * (rank - 1 - dim) + 1] = size - c.sizeOf(x, dim);
  return c.constantPad(x, widths, 0);
}

/// The dimensions of a transform, and the sizes that are asked for.
struct Extent {
  SmallVector<int64_t> dims;
  SmallVector<ExprAttr> sizes; ///< none: those of the operand
};

static Extent getExtent(Composite &c, const FftArgs &fft) {
  Extent extent;
  if (fft.n)
    extent.sizes.push_back(fft.n);
  if (fft.s)
    llvm::append_range(extent.sizes, *fft.s);
  int64_t rank = Composite::rankOf(fft.self);
  int64_t count = fft.s ? int64_t(extent.sizes.size()) : rank;
  extent.dims = fft.dim ? *fft.dim
                        : llvm::to_vector(llvm::seq<int64_t>(
                              std::min(rank - count, rank), rank));
  if (fft.s)
    for (auto [dim, size] : llvm::zip(extent.dims, extent.sizes))
      if (size.isConstant(-1))
        size = c.sizeOf(fft.self, dim);
  return extent;
}

/// `x` fitted to the sizes that are asked for, but for the last if `butLast`.
static Value fitAll(Composite &c, Value x, const Extent &extent,
                    bool butLast = false) {
  size_t count =
      std::min(extent.sizes.size(), extent.dims.size() - (butLast ? 1 : 0));
  for (size_t k = 0; k < count && x; ++k)
    x = fit(c, x, extent.dims[k], extent.sizes[k]);
  return x;
}

Value decomposeFft(const FftArgs &fft, Composite &c, bool forward) {
  Extent extent = getExtent(c, fft);
  Value x = fitAll(c, toComplex(c, fft.self), extent);
  if (!x)
    return {};
  SmallVector<ExprAttr> dims;
  for (int64_t dim : extent.dims)
    dims.push_back(c.expr(c.place(dim, Composite::rankOf(x))));
  return c.fftC2c(x, dims, scaling(fft.norm, forward), forward);
}

/// From reals to half of a spectrum. Backward it is that of a Hermitian signal,
/// which is conjugate, and otherwise scaled.
Value decomposeFftOfReals(const FftArgs &fft, Composite &c, bool forward) {
  if (isComplex(fft.self))
    return {};
  Extent extent = getExtent(c, fft);
  Value x = fitAll(c, c.floating(fft.self), extent);
  x = x ? c.fftR2c(x, extent.dims, scaling(fft.norm, forward), true) : x;
  return forward ? x : c.conjugate(x);
}

/// From half of a spectrum to reals; forward, from half of a Hermitian signal.
Value decomposeFftToReals(const FftArgs &fft, Composite &c, bool forward) {
  Value x = forward ? c.conjugate(fft.self) : fft.self;
  Extent extent = getExtent(c, fft);
  if (extent.dims.empty())
    return {};
  int64_t last = extent.dims.back();
  ExprAttr size = extent.sizes.size() == extent.dims.size()
                      ? extent.sizes.back()
                      : (c.sizeOf(x, last) - c.expr(1)) * 2;
  x = fitAll(c, toComplex(c, x), extent, /*butLast=*/true);
  x = x ? fit(c, x, last, guard::floorDiv(size, 2) + c.expr(1)) : x;
  return x ? c.fftC2r(x, extent.dims, scaling(fft.norm, forward), size) : x;
}

/// Halves exchanged; the first is the shorter one if `back`.
Value decomposeShift(const ShiftArgs &args, Composite &c, bool back) {
  Value x = args.self;
  SmallVector<int64_t> dims =
      args.dim ? *args.dim
               : llvm::to_vector(llvm::seq<int64_t>(0, Composite::rankOf(x)));
  SmallVector<ExprAttr> shifts;
  for (int64_t dim : dims)
    shifts.push_back(
        guard::floorDiv(c.sizeOf(x, dim) + c.expr(back ? 1 : 0), 2));
  return dims.empty() ? x : c.roll(x, shifts, dims);
}

Value decomposeFrequencies(const FrequencyArgs &args, Composite &c, bool half) {
  int64_t n = *args.n;
  Type type = args.dtype ? args.dtype : c.getBuilder().getF32Type();
  auto range = [&](int64_t from, int64_t to) {
    return c.arangeStartStep(c.expr(from), c.expr(to), c.expr(1), type);
  };
  Value steps = half ? range(0, n / 2 + 1)
                     : c.concat({range(0, (n + 1) / 2), range(-(n / 2), 0)}, 0);
  return c.mul(steps, 1.0 / (double(n) * *args.d));
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// A window of sums of cosines: a - b cos(2 pi x) + d cos(4 pi x), or two
/// slopes.
struct Shape {
  double a, b, d;
  bool isSlope = false;
};

static Shape getShape(Window kind, const WindowArgs &window) {
  switch (kind) {
  case Window::Hann:
    return {0.5, 0.5, 0};
  case Window::Hamming:
    return {window.alpha.value_or(0.54), window.beta.value_or(0.46), 0};
  case Window::Blackman:
    return {0.42, 0.5, 0.08};
  case Window::Bartlett:
    return {0, 0, 0, /*isSlope=*/true};
  }
  llvm_unreachable("all kinds of windows are handled");
}

Value decomposeWindow(const WindowArgs &window, Composite &c, Window kind) {
  Shape shape = getShape(kind, window);
  int64_t length = *window.windowLength;
  Type type = window.dtype ? window.dtype : c.getBuilder().getF32Type();
  if (length < 0 || !llvm::isa<mlir::FloatType>(type))
    return {};
  if (length <= 1)
    return c.filled(c.expr(length), 1, type);
  Value x = c.iota(c.expr(length), type);
  double last = double(window.periodic.value_or(true) ? length : length - 1);
  if (shape.isSlope) {
    Value rising = c.mul(x, 2 / last);
    return c.minimum(rising, c.sub(2, rising));
  }
  Value result =
      c.sub(shape.a, c.mul(c.cos(c.mul(x, 2 * M_PI / last)), shape.b));
  if (shape.d != 0)
    result = c.add(result, c.mul(c.cos(c.mul(x, 4 * M_PI / last)), shape.d));
  return result;
}

//===----------------------------------------------------------------------===//
// Short-time transforms
//===----------------------------------------------------------------------===//

Value decomposeStft(const StftArgs &stft, Composite &c) {
  Value x = stft.self;
  // How both ends are filled up for frames that are centered.
  StringRef mode = stft.center.value_or(false) ? stft.padMode : "";
  int64_t rank = Composite::rankOf(x), size = *stft.nFft;
  int64_t hop = stft.hopLength.value_or(size / 4);
  int64_t length = stft.winLength.value_or(size);
  if (rank < 1 || rank > 2 || hop <= 0 || length <= 0 || length > size)
    return {};
  if (stft.alignToWindow.value_or(false))
    return c.refuse("a short-time transform is aligned to its window");
  if (rank == 1)
    x = c.unsqueeze(x, 0);
  if (!mode.empty()) {
    SmallVector<ExprAttr> widths(2, c.expr(size / 2));
    if (mode == "constant")
      x = c.constantPad(x, widths, 0);
    else if (mode == "reflect")
      x = c.reflectionPad1d(x, widths);
    else if (mode == "replicate")
      x = c.replicationPad1d(x, widths);
    else
      return c.refuse("a short-time transform pads by '" + mode + "'");
  }
  Value weights = stft.window;
  if (length < size) {
    if (!weights)
      weights = c.filled(c.expr(length), 1, Composite::elementTypeOf(x));
    int64_t before = (size - length) / 2;
    weights = c.constantPad(
        weights, {c.expr(before), c.expr(size - length - before)}, 0);
  }
  Value frames = x ? c.unfold(x, -1, size, hop) : x;
  if (weights && frames)
    frames = c.mul(frames, weights);
  if (!frames)
    return {};
  int64_t scale = stft.normalized.value_or(false) ? 1 : 0;
  bool half = stft.onesided.value_or(!isComplex(frames));
  Value spectrum = isComplex(frames)
                       ? c.fftC2c(frames, {c.expr(2)}, scale, true)
                       : c.fftR2c(frames, {-1}, scale, half);
  spectrum = c.transpose(spectrum, 1, 2);
  if (rank == 1)
    spectrum = c.squeezeDim(spectrum, 0);
  bool staysComplex = stft.returnComplex.value_or(isComplex(stft.self));
  return staysComplex || !spectrum ? spectrum : c.viewAsReal(spectrum);
}

/// The signal whose frames have these spectra: frames are added where they lie,
/// and divided by what the squares of the window add up to.
Value decomposeIstft(IstftOp op, Composite &c) {
  Value x = op.getSelf();
  int64_t size = int64_t(op.getNFft()), bins = size / 2 + 1;
  int64_t hop = op.getHopLength().value_or(size / 4);
  int64_t length = op.getWinLength().value_or(size);
  int64_t rank = Composite::rankOf(x);
  if (!isComplex(x) || rank < 2 || rank > 3 || hop <= 0 || length <= 0 ||
      length > size || hop > length)
    return {};
  bool isReal = !op.getReturnComplex();
  auto given = c.fixed(x, -2);
  bool half = op.getOnesided().value_or(given && *given != size);
  if (!given || *given != (half ? bins : size) || (half && !isReal))
    return {};
  if (rank == 2)
    x = c.unsqueeze(x, 0);
  mlir::Type type = llvm::cast<mlir::ComplexType>(Composite::elementTypeOf(x))
                        .getElementType();
  Value weights = op.getWindow();
  if (!weights)
    weights = c.filled(c.expr(length), 1, type);
  int64_t before = (size - length) / 2;
  weights = c.constantPad(weights,
                          {c.expr(before), c.expr(size - length - before)}, 0);
  // One row a frame, now with all of its frequencies.
  Value spectrum = c.transpose(x, 1, 2);
  int64_t scale = op.getNormalized() ? 1 : 2;
  if (isReal && !half)
    spectrum = c.sliceTensor(spectrum, -1, c.expr(0), c.expr(bins));
  Value frames = isReal ? c.fftC2r(spectrum, {-1}, scale, size)
                        : c.fftC2c(spectrum, {c.expr(2)}, scale, false);
  if (!frames || !weights)
    return {};
  ExprAttr count = c.sizeOf(x, 2), total = (count + -1) * hop + size;
  auto overlap = [&](Value rows, ExprAttr batch) {
    return c.unfoldBackward(rows, {batch, total}, 1, size, hop);
  };
  Value signal = overlap(c.mul(frames, weights), c.sizeOf(x, 0));
  Value envelope = overlap(
      c.expand(c.mul(weights, weights), {c.expr(1), count, c.expr(size)}),
      c.expr(1));
  bool center = op.getCenter();
  ExprAttr start = c.expr(center ? size / 2 : 0);
  ExprAttr end = op.getLength() ? start + int64_t(*op.getLength())
                 : center       ? total + -(size / 2)
                                : total;
  ExprAttr last = guard::min(end, total);
  signal = c.sliceTensor(signal, 1, start, last);
  envelope = c.sliceTensor(envelope, 1, start, last);
  if (!signal || !envelope)
    return {};
  c.check(c.ge(c.abs(envelope), 1e-11), "window overlap add min: 1");
  signal = c.div(signal, envelope);
  if (end != last)
    signal = c.constantPad(signal, {c.expr(0), end - last}, 0);
  return rank == 2 ? c.squeezeDim(signal, 0) : signal;
}

} // namespace kiln::aten

//===- Copy.cpp - Copies, conversions, fills, checks ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "MemoryFormat.h"
#include "Operators.h"

#include <cmath>

using namespace kiln;
using namespace kiln::eager;

//===----------------------------------------------------------------------===//
// Memory formats
//===----------------------------------------------------------------------===//

/// Channels innermost: (N, H, W, C) or (N, D, H, W, C) in memory.
static Ints channelsLastStrides(const Ints &sizes) {
  Ints strides(sizes.size());
  strides[1] = 1;
  int64_t stride = std::max<int64_t>(sizes[1], 1);
  for (size_t d = sizes.size() - 1; d >= 2; --d) {
    strides[d] = stride;
    stride *= std::max<int64_t>(sizes[d], 1);
  }
  strides[0] = stride;
  return strides;
}

Tensor eager::emptyInFormat(DType dtype, const Ints &sizes,
                            const std::optional<std::string> &format) {
  Tensor result = empty(dtype, sizes);
  if (!format || *format == "contiguous_format" || *format == "preserve_format")
    return result;
  size_t rank = *format == "channels_last"      ? 4
                : *format == "channels_last_3d" ? 5
                                                : 0;
  require(rank != 0, {"unknown memory format '", *format, "'"});
  require(sizes.size() == rank, {"memory format '", *format, "' needs ", rank,
                                 " dimensions, found ", sizes});
  return restrided(result, sizes, channelsLastStrides(sizes));
}

static Tensor copiedInFormat(const Tensor &x, DType dtype,
                             const std::optional<std::string> &format) {
  Tensor result = emptyInFormat(dtype, x.sizes(), format);
  assign(result, x);
  return result;
}

static Values contiguous(const Args &args) {
  const Tensor &x = args.tensor(0);
  auto format = args.optString(1);
  bool rowMajor = !format || *format == "contiguous_format";
  if (format && *format == "preserve_format")
    return {x};
  Tensor wanted = emptyInFormat(x.dtype(), x.sizes(), format);
  if (rowMajor ? x.isContiguous() : x.strides() == wanted.strides())
    return {x};
  assign(wanted, x);
  return {wanted};
}

static Values clone(const Args &args) {
  const Tensor &x = args.tensor(0);
  return {copiedInFormat(x, x.dtype(), args.optString(1))};
}

/// One of PyTorch's `to` overloads: the tensor itself unless it must change.
static Values toDType(const Tensor &x, DType dtype, bool copy,
                      const std::optional<std::string> &format) {
  bool keepsFormat = !format || *format == "preserve_format" ||
                     (*format == "contiguous_format" && x.isContiguous());
  if (dtype == x.dtype() && !copy && keepsFormat)
    return {x};
  return {copiedInFormat(x, dtype, format)};
}

/// Schema: self, *, dtype, layout, device, pin_memory, non_blocking, format.
static Values toCopy(const Args &args) {
  const Tensor &x = args.tensor(0);
  return toDType(x, args.dtypeOr(1, x.dtype()), true, args.optString(6));
}
/// Schema: self, dtype, non_blocking, copy, format.
static Values toDtype(const Args &args) {
  const Tensor &x = args.tensor(0);
  return toDType(x, args.dtypeOr(1, x.dtype()), args.flag(3),
                 args.optString(4));
}
/// Schema: self, device, dtype, non_blocking, copy, format.
static Values toDevice(const Args &args) {
  const Tensor &x = args.tensor(0);
  return toDType(x, args.dtypeOr(2, x.dtype()), args.flag(4),
                 args.optString(5));
}
/// Schema: self, *, dtype, layout, device, pin_memory, non_blocking, copy,
/// format.
static Values toLayout(const Args &args) {
  const Tensor &x = args.tensor(0);
  return toDType(x, args.dtypeOr(1, x.dtype()), args.flag(6),
                 args.optString(7));
}
/// Schema: self, other, non_blocking, copy, format.
static Values toOther(const Args &args) {
  return toDType(args.tensor(0), args.tensor(1).dtype(), args.flag(3),
                 args.optString(4));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static Tensor tensorOrNumber(const Args &args, size_t i) {
  return args[i].isNumber() ? numberTensor(args[i]) : args.tensor(i);
}

static Values copy(const Args &args) {
  const Tensor &x = args.tensor(0);
  Tensor result = empty(x.dtype(), x.sizes());
  assign(result, tensorOrNumber(args, 1));
  return {result};
}
static Values copyInPlace(const Args &args) {
  assign(args.tensor(0), tensorOrNumber(args, 1));
  return {args.tensor(0)};
}

static const OpValue &fillValue(const Args &args) {
  if (args[1].isTensor())
    require(args.tensor(1).rank() == 0,
            {"expected a value of rank 0, found ", args.tensor(1)});
  return args[1];
}
static Values fill(const Args &args) {
  const Tensor &x = args.tensor(0);
  Tensor result = empty(x.dtype(), x.sizes());
  fillWith(result, fillValue(args));
  return {result};
}
static Values fillInPlace(const Args &args) {
  fillWith(args.tensor(0), fillValue(args));
  return {args.tensor(0)};
}
static Values zeroInPlace(const Args &args) {
  fillWith(args.tensor(0), int64_t(0));
  return {args.tensor(0)};
}

/// A row-major tensor of other sizes; it keeps the leading elements and the
/// storage where they fit.
static Values resize(const Args &args) {
  const Tensor &x = args.tensor(0);
  Ints sizes = args.ints(1);
  requireSizes(sizes);
  int64_t needed = (product(sizes) + x.storageOffset()) *
                   int64_t(itemSize(x.dtype()));
  Ints strides = runtime::rowMajorStrides(sizes);
  if (sizes == x.sizes())
    return {x};
  if (needed <= int64_t(x.storage()->bytes()))
    return {restrided(x, sizes, strides)};
  Tensor result = empty(x.dtype(), sizes);
  size_t kept = std::min(result.storage()->bytes(),
                         x.storage()->bytes() -
                             x.storageOffset() * itemSize(x.dtype()));
  std::copy_n(x.data(), kept, result.data());
  return {result};
}

//===----------------------------------------------------------------------===//
// Numbers, complex parts, checks
//===----------------------------------------------------------------------===//

static Values item(const Args &args) { return {itemOf(args.tensor(0))}; }

static Values conj(const Args &args) {
  const Tensor &x = args.tensor(0);
  if (!isComplex(x.dtype()))
    return {x};
  auto values = readAll<CDouble>(x);
  for (CDouble &value : values)
    value = std::conj(value);
  return {makeTensor(x.dtype(), x.sizes(), values)};
}

static Values negView(const Args &args) {
  const Tensor &x = args.tensor(0);
  return {withNumber(x.dtype(), [&](auto zero) {
    auto values = readAll<decltype(zero)>(x);
    for (auto &value : values)
      value = -value;
    return makeTensor(x.dtype(), x.sizes(), values);
  })};
}

/// A complex tensor from two real ones; `polar` takes length and angle.
template <bool Polar> static Values makeComplex(const Args &args) {
  const Tensor &a = args.tensor(0), &b = args.tensor(1);
  requireSameDType(a, b);
  require(a.dtype() == DType::F16 || a.dtype() == DType::F32 ||
              a.dtype() == DType::F64,
          {"expected f16, f32 or f64, found ", a});
  require(!Polar || a.dtype() != DType::F16,
          {"expected f32 or f64, found ", a});
  Ints sizes = broadcastSizes(a.sizes(), b.sizes());
  auto x = readAll<double>(expandTo(a, sizes));
  auto y = readAll<double>(expandTo(b, sizes));
  std::vector<CDouble> values(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    values[i] = Polar ? CDouble(x[i] * std::cos(y[i]), x[i] * std::sin(y[i]))
                      : CDouble(x[i], y[i]);
  DType dtype = a.dtype() == DType::F16 ? DType::C32 : complexDType(a.dtype());
  return {makeTensor(dtype, sizes, values)};
}

static Values assertScalar(const Args &args) {
  bool holds = args[0].isTensor() ? toNumber(itemOf(args.tensor(0)), "") != 0
                                  : args.number(0) != 0;
  require(holds, {args.optString(1).value_or("assertion failed")});
  return {};
}

static Values assertAsync(const Args &args) {
  const Tensor &x = args.tensor(0);
  require(x.numel() == 1, {"expected one element, found ", x});
  require(readAll<CDouble>(x)[0] != CDouble(0),
          {args.optString(1).value_or("assertion failed")});
  return {};
}

/// Schema: a, size, stride, dtype, *, device, layout.
static Values assertMetadata(const Args &args) {
  const Tensor &x = args.tensor(0);
  Ints sizes = args.optInts(1).value_or(x.sizes());
  Ints strides = args.optInts(2).value_or(x.strides());
  require(sizes == x.sizes(), {"expected sizes ", sizes, ", found ", x});
  require(strides == x.strides(),
          {"expected strides ", strides, ", found ", x.strides()});
  DType dtype = args.dtypeOr(3, x.dtype());
  require(dtype == x.dtype(), {"expected dtype ", dtype, ", found ", x});
  return {};
}

static Values print(const Args &args) {
  std::fprintf(stdout, "%s\n", args.string(0).c_str());
  return {};
}

void eager::addCopyOperators(Table &table) {
  table.op<contiguous>("contiguous.default");
  table.op<clone>("clone.default");
  table.op<clone>("lift_fresh_copy.default");
  table.op<toCopy>("_to_copy.default");
  table.op<toDtype>("to.dtype");
  table.op<toDevice>("to.device");
  table.op<toLayout>("to.dtype_layout");
  table.op<toOther>("to.other");
  table.op<copy>("copy.default");
  table.op<copyInPlace>("copy_.default");
  for (const char *overload : {"Scalar", "Tensor"}) {
    table.op<fill>(std::string("fill.") + overload);
    table.op<fillInPlace>(std::string("fill_.") + overload);
  }
  table.op<zeroInPlace>("zero_.default");
  table.op<resize>("resize_.default");
  table.op<item>("item.default");
  table.op<item>("_local_scalar_dense.default");
  table.op<conj>("_conj.default");
  table.op<conj>("conj.default");
  table.op<conj>("conj_physical.default");
  table.op<conj>("resolve_conj.default");
  table.op<negView>("_neg_view.default");
  table.op<makeComplex<false>>("complex.default");
  table.op<makeComplex<true>>("polar.default");
  table.op<assertScalar>("_assert_scalar.default");
  table.op<assertAsync>("_assert_async.default");
  table.op<assertAsync>("_assert_async.msg");
  table.op<assertMetadata>("_assert_tensor_metadata.default");
  table.op<print>("_print.default");
}

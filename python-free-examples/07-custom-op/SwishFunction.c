/*===- SwishFunction.c - Operators of mylib as functions -------------------===*
 *
 * Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
 * See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * What runs where no kernel does: backend eager, the reference of all others.
 * It needs nothing of Kiln but a header.
 *
 *===----------------------------------------------------------------------===*/

#include "kiln/ABI/OperatorABI.h"

#include <math.h>

enum { kF32 = 9 };

/* The element at a row-major position, through the tensor's strides. */
static const float *at(const kiln_tensor *x, int64_t position) {
  int64_t offset = 0;
  for (uint32_t dim = x->rank; dim-- > 0; position /= x->sizes[dim])
    offset += position % x->sizes[dim] * x->strides[dim];
  return (const float *)x->data + offset;
}

static int swish(kiln_operator_call *call) {
  const kiln_argument *args = call->arguments;
  if (call->argument_count < 1 || args[0].kind != KILN_ARGUMENT_TENSOR ||
      args[0].tensor.dtype != kF32)
    return call->fail(call, "expected x to be a tensor of f32");
  double beta = 1.0;
  if (call->argument_count > 1) {
    if (args[1].kind != KILN_ARGUMENT_FLOAT)
      return call->fail(call, "expected beta to be a float");
    beta = args[1].real;
  }
  const kiln_tensor *x = &args[0].tensor;
  kiln_tensor y;
  if (call->make_result(call, 0, kF32, x->rank, x->sizes, &y))
    return 1;
  int64_t count = 1;
  for (uint32_t dim = 0; dim < x->rank; ++dim)
    count *= x->sizes[dim];
  for (int64_t i = 0; i < count; ++i) {
    float value = *at(x, i);
    ((float *)y.data)[i] = value / (1.0f + expf((float)-beta * value));
  }
  return 0;
}

/* The sum of squares of each row. */
static int squares(kiln_operator_call *call) {
  const kiln_argument *args = call->arguments;
  if (call->argument_count < 1 || args[0].kind != KILN_ARGUMENT_TENSOR ||
      args[0].tensor.dtype != kF32 || args[0].tensor.rank == 0)
    return call->fail(call, "expected x to be rows of f32");
  const kiln_tensor *x = &args[0].tensor;
  kiln_tensor y;
  if (call->make_result(call, 0, kF32, x->rank - 1, x->sizes, &y))
    return 1;
  int64_t rows = 1, width = x->sizes[x->rank - 1];
  for (uint32_t dim = 0; dim + 1 < x->rank; ++dim)
    rows *= x->sizes[dim];
  for (int64_t row = 0; row < rows; ++row) {
    float sum = 0;
    for (int64_t i = 0; i < width; ++i) {
      float value = *at(x, row * width + i);
      sum += value * value;
    }
    ((float *)y.data)[row] = sum;
  }
  return 0;
}

const kiln_operator_library *kiln_operators(void) {
  static const kiln_operator_entry entries[] = {
      {"mylib.swish.default", swish}, {"mylib.squares.default", squares}};
  static const kiln_operator_library library = {
      sizeof(library), KILN_OPERATOR_ABI_VERSION, 2, entries};
  return &library;
}

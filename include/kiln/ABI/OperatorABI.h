//===- OperatorABI.h - Operators of a library of one's own ------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain C. A program may call operators that Kiln does not know: those of
// torch.library. A shared library that implements them exports
// `kiln_operators`, and runs in every program that loads it
// (`kiln-run --load-operators=libmylib.so`):
//
//   static int swish(kiln_operator_call *call) {
//     const kiln_argument *x = &call->arguments[0];
//     if (call->argument_count < 1 || x->kind != KILN_ARGUMENT_TENSOR)
//       return call->fail(call, "expected a tensor");
//     kiln_tensor y;
//     if (call->make_result(call, 0, x->tensor.dtype, x->tensor.rank,
//                           x->tensor.sizes, &y))
//       return 1;
//     ... // fill y
//     return 0;
//   }
//   static const kiln_operator_entry entries[] = {
//       {"mylib.swish.default", swish}};
//   static const kiln_operator_library library = {
//       sizeof library, KILN_OPERATOR_ABI_VERSION, 1, entries};
//   const kiln_operator_library *kiln_operators(void) { return &library; }
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ABI_OPERATORABI_H
#define KILN_ABI_OPERATORABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KILN_OPERATOR_ABI_VERSION 1

/// A tensor in memory. It is the host's, and valid during the call.
typedef struct kiln_tensor {
  /// The first element. Arguments must not be written to.
  void *data;
  /// A kiln::DType (kiln/Base/DType.h): 9 is f32, 10 f64, 6 i64.
  uint32_t dtype;
  uint32_t rank;
  const int64_t *sizes;
  /// In elements; any, also 0.
  const int64_t *strides;
} kiln_tensor;

typedef enum kiln_argument_kind {
  KILN_ARGUMENT_NONE = 0, ///< an optional argument that is absent
  KILN_ARGUMENT_TENSOR = 1,
  KILN_ARGUMENT_BOOL = 2, ///< in `integer`: 0 or 1
  KILN_ARGUMENT_INT = 3,
  KILN_ARGUMENT_FLOAT = 4,
  KILN_ARGUMENT_STRING = 5, ///< zero-terminated UTF-8
  KILN_ARGUMENT_DTYPE = 6,  ///< in `integer`: a kiln::DType
  KILN_ARGUMENT_LIST = 7
} kiln_argument_kind;

/// One argument; `kind` says which of the others counts.
typedef struct kiln_argument {
  kiln_argument_kind kind;
  kiln_tensor tensor;
  int64_t integer;
  double real;
  const char *text;
  const struct kiln_argument *elements;
  size_t element_count;
} kiln_argument;

/// One call. Arguments are those of the schema in order, with defaults where
/// the compiler has a record of the operator, else as the program gives them.
typedef struct kiln_operator_call {
  size_t struct_size;
  const kiln_argument *arguments;
  size_t argument_count;
  /// Makes result `index`, row-major with undefined contents; each result must
  /// be made once. Not 0 if that fails, and then the call has failed.
  int (*make_result)(struct kiln_operator_call *call, size_t index,
                     uint32_t dtype, uint32_t rank, const int64_t *sizes,
                     kiln_tensor *result);
  /// Ends the call with a sentence about the arguments: what was expected and
  /// what was found. Returns 1, to be returned.
  int (*fail)(struct kiln_operator_call *call, const char *message);
  void *host; ///< the host's own
} kiln_operator_call;

/// Computes the results. 0 on success. Called from any thread, several at once;
/// must depend on nothing but the arguments.
typedef int (*kiln_operator)(kiln_operator_call *call);

typedef struct kiln_operator_entry {
  /// Library, operator and overload: "mylib.swish.default".
  const char *overload;
  kiln_operator function;
} kiln_operator_entry;

typedef struct kiln_operator_library {
  size_t struct_size;
  uint32_t version; ///< KILN_OPERATOR_ABI_VERSION
  size_t count;
  const kiln_operator_entry *entries;
} kiln_operator_library;

/// What the library exports.
const kiln_operator_library *kiln_operators(void);

typedef const kiln_operator_library *(*kiln_operators_t)(void);
#define KILN_OPERATORS_ENTRY "kiln_operators"

#ifdef __cplusplus
}
#endif

#endif /* KILN_ABI_OPERATORABI_H */

//===- CompilerABI.h - What the compiler library exports ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain C. A tool that runs programs links no LLVM; when nothing cached fits it
// opens libKilnCompiler.so (RTLD_NOW | RTLD_LOCAL, at a path relative to
// libKilnRuntime.so) and asks `kiln_compiler_get` for this table.
//
//   const kiln_compiler_api *api =
//       kiln_compiler_get(KILN_COMPILER_ABI_VERSION);
//   kiln_compile_request request = {sizeof request};
//   request.source_path = "model.pt2";
//   request.options = "backend=inductor\ntraining=1\n";
//   kiln_compile_result result = {sizeof result};
//   if (api->compile(&request, &result) != 0)
//     fprintf(stderr, "%s\n", result.message);
//   api->release(&result);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ABI_COMPILERABI_H
#define KILN_ABI_COMPILERABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KILN_COMPILER_ABI_VERSION 3

/// What to compile. Strings are UTF-8, zero-terminated, and stay the caller's.
typedef struct kiln_compile_request {
  size_t struct_size;

  /// `.pt2`, `.mlir` or `.mlirbc`.
  const char *source_path;
  /// Which program of an archive that holds several, or null.
  const char *model_name;

  /// The options record: lines `key=value`, keys sorted, each key at most once,
  /// defaults left out. Together with the source's digest it determines the
  /// package, so it is part of the cache key as it stands.
  ///   backend         eager | aot_eager | inductor (default)
  ///   training        0 (default) | 1: forward and backward program
  ///   input_gradients comma-separated pytree paths of user inputs that want
  ///                   a gradient besides those that ask for one themselves
  ///   target          native (default) | x86-64-v3 | x86-64-v4
  ///   threads         worker threads the schedule may count on (default 1)
  ///   lowering        direct (default) | linalg
  ///   memory_budget   0..1 (default 1)
  ///   operators       comma-separated operators besides ATen's that can be
  ///                   called, "mylib.swish.default"
  ///   optimizer       ends a training step, as "adamw,beta2=0.95": see
  ///                   kiln/Interfaces/OptimizerConfig.h (default: gradients
  ///                   are results)
  ///   plugins         comma-separated MLIR dialect plugins with records of
  ///                   operators, each as <SHA-256>:<path>
  ///   dynamic         auto (default) | true: sizes of inputs become symbols |
  ///                   false | first (a caller decides what is specialized;
  ///                   here these two only tell variants apart)
  ///   mark_dynamic    comma-separated sizes that must become symbols,
  ///                   `x:0` or `x:0[2..64]`
  ///   mark_static     sizes that dynamic=true leaves alone
  ///   mark_unbacked   sizes of which nothing is to be assumed
  const char *options;

  /// Lines `symbol=value`: compile with these symbols replaced by constants; or
  /// `symbol=2..`: with this lower bound, if the program has none above it.
  const char *specialization;

  /// Called with each stage and pass that begins; may be null.
  void (*progress)(void *user, const char *stage);
  void *user;

  /// A directory that receives one file per stage, or null.
  const char *dump_stages;

  /// Not 0: MLIR's verifier runs after each pass. Changes no package.
  int verify_each;
} kiln_compile_request;

/// What came of it. Owned by the compiler library until `release`.
typedef struct kiln_compile_result {
  size_t struct_size;
  /// 0, or a kiln::ErrorKind.
  int error_kind;
  /// The error's sentence; empty on success.
  const char *message;
  /// The encoded package (kiln/Package/Package.h).
  const uint8_t *package;
  size_t package_size;
  /// One JSON object: milliseconds per stage and pass, kernels compiled.
  const char *timing;
  void *handle;
} kiln_compile_result;

typedef struct kiln_compiler_api {
  uint32_t version;
  /// Returns result->error_kind. Safe to call from several threads.
  int (*compile)(const kiln_compile_request *request,
                 kiln_compile_result *result);
  void (*release)(kiln_compile_result *result);
} kiln_compiler_api;

/// The only symbol libKilnCompiler.so exports for this purpose. Null when the
/// requested version is not the one this library was built for.
const kiln_compiler_api *kiln_compiler_get(uint32_t version);

typedef const kiln_compiler_api *(*kiln_compiler_get_t)(uint32_t version);
#define KILN_COMPILER_ENTRY "kiln_compiler_get"

#ifdef __cplusplus
}
#endif

#endif /* KILN_ABI_COMPILERABI_H */

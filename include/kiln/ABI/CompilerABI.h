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
//   auto source = kiln::archive::Source::open("model.pt2");
//   kiln_compile_request request = {sizeof request};
//   request.source = reinterpret_cast<const kiln_source *>(source->get());
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

#define KILN_COMPILER_ABI_VERSION 7

/// A model that was opened (kiln/Archive/Source.h).
struct kiln_source;
/// Where code of kernels is kept (kiln/Package/KernelStore.h).
struct kiln_kernel_store;
/// Where graphs of training steps are kept (kiln/Package/JointStore.h).
struct kiln_joint_store;
/// Who measures kernels (kiln/Package/KernelTuner.h).
struct kiln_kernel_tuner;

/// What to compile. Strings are UTF-8, zero-terminated, and stay the caller's.
typedef struct kiln_compile_request {
  size_t struct_size;

  /// What libKilnRuntime.so of the same build opened: a kiln::archive::Source.
  /// The compiler reads no file again.
  const struct kiln_source *source;

  /// The options record: lines `key=value` for options of kiln/ABI/Options.def,
  /// keys sorted, each key at most once, defaults left out. Its lines that change
  /// code determine the package together with the source's digest, so they are
  /// part of the cache key as they stand (kiln/Options/CompileOptions.h).
  const char *options;

  /// Lines `symbol=value`: compile with these symbols replaced by constants; or
  /// `symbol=2..`: with this lower bound, if the program has none above it.
  const char *specialization;

  /// Called with each stage and pass that begins; may be null.
  void (*progress)(void *user, const char *stage);
  void *user;

  /// What libKilnRuntime.so of the same build made: a kiln::package::KernelStore.
  /// May be null: every kernel is compiled.
  struct kiln_kernel_store *kernels;

  /// What libKilnRuntime.so of the same build made for this source, these options
  /// and this specialization: a kiln::package::JointStore. May be null: a training
  /// step is differentiated and cut.
  struct kiln_joint_store *joint;

  /// What libKilnRuntime.so of the same build made: a kiln::package::KernelTuner.
  /// May be null: schedules are those that the cost model chooses.
  struct kiln_kernel_tuner *tuner;

  /// Threads that generate code, the caller's among them; 0 and 1 are the caller's
  /// alone. The package does not depend on it.
  unsigned workers;
  /// Calls `work(context, i)` on these threads at once, each time with another `i`
  /// below `workers`, and returns when all calls have. Null for one worker.
  void (*run_workers)(void *threads, void (*work)(void *context, unsigned i),
                      void *context);
  void *threads;
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
  /// Kernels that went through LLVM, and that came from `kernels`.
  unsigned kernels_compiled;
  unsigned kernels_found;
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

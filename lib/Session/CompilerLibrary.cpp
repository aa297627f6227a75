//===- CompilerLibrary.cpp - Opening the compiler when it is needed -------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerLibrary.h"

#include "CompilerFiles.h"
#include "IsolatedCompiler.h"
#include "LaterLibraries.h"

#include "kiln/ABI/CompilerABI.h"
#include "kiln/Session/ProgramKey.h"

#include <dlfcn.h>

using namespace kiln;
using session::LibraryRequest;
using session::LibraryResult;

static Result<const kiln_compiler_api *> load() {
  std::string path = session::libraryFolder() + "/libKilnCompiler.so";
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return Error::unsupported("nothing cached fits and the compiler cannot be "
                              "opened: " +
                              std::string(reason ? reason : path));
  }
  auto get = reinterpret_cast<kiln_compiler_get_t>(
      dlsym(library, KILN_COMPILER_ENTRY));
  const kiln_compiler_api *api =
      get ? get(KILN_COMPILER_ABI_VERSION) : nullptr;
  if (!api)
    return Error::unsupported("'" + path + "' is not the compiler of version " +
                              std::to_string(KILN_COMPILER_ABI_VERSION));
  return api;
}

namespace {
/// The library, as long as the process.
struct Library {
  session::LaterLibraries parts; ///< made before it is opened
  Result<const kiln_compiler_api *> api = load();
};
} // namespace

static const Library &getLibrary() {
  static const Library library;
  return library;
}

/// Has each thread of a pool work, if it is there before the work is done.
static void runOnPool(void *threads, void (*work)(void *, unsigned),
                      void *context) {
  auto &pool = *static_cast<runtime::ThreadPool *>(threads);
  pool.parallelFor(pool.threads(), 1,
                   [&](int64_t, int64_t, unsigned thread) {
                     work(context, thread);
                   });
}

/// Has the library compile in this process.
static LibraryResult compileHere(const kiln_compiler_api &api,
                                 const LibraryRequest &wanted) {
  LibraryResult made;
  auto record = wanted.options.record();
  if (!record) {
    made.package = record.takeError();
    return made;
  }
  std::string specialization = wanted.options.specialization.text();
  kiln_compile_request request = {};
  request.struct_size = sizeof(request);
  request.source = reinterpret_cast<const kiln_source *>(&wanted.source);
  request.options = record->c_str();
  request.specialization = specialization.c_str();
  request.kernels = reinterpret_cast<kiln_kernel_store *>(wanted.kernels);
  request.joint = reinterpret_cast<kiln_joint_store *>(wanted.joint);
  request.tuner = reinterpret_cast<kiln_kernel_tuner *>(wanted.tuner);
  request.workers = wanted.pool.threads();
  request.threads = &wanted.pool;
  request.run_workers = runOnPool;
  request.user =
      const_cast<void *>(static_cast<const void *>(&wanted.progress));
  if (wanted.progress)
    request.progress = [](void *user, const char *stage) {
      (*static_cast<const std::function<void(const std::string &)> *>(user))(
          stage);
    };
  kiln_compile_result result = {};
  result.struct_size = sizeof(result);
  api.compile(&request, &result);
  made.timing = result.timing ? result.timing : "";
  made.kernelsCompiled = result.kernels_compiled;
  made.kernelsFound = result.kernels_found;
  if (result.error_kind == 0)
    made.package->assign(result.package, result.package + result.package_size);
  else
    made.package =
        Error{static_cast<ErrorKind>(result.error_kind), result.message};
  api.release(&result);
  return made;
}

LibraryResult
session::compileByLibrary(const LibraryRequest &wanted,
                          std::optional<double> isolationGraceSeconds) {
  // What keys say, before the dynamic linker chooses.
  static const EnvironmentRecord &expected = ownEnvironment();
  const Result<const kiln_compiler_api *> &api = getLibrary().api;
  if (!api) {
    LibraryResult failed;
    failed.package = api.error();
    return failed;
  }
  static const std::string whyForeign =
      compareWithLoaded(expected.buildIds);
  LibraryRequest request = wanted;
  if (!whyForeign.empty()) {
    request.kernels = nullptr;
    request.joint = nullptr;
    request.tuner = nullptr;
  }
  auto compile = [&api](const LibraryRequest &one) {
    return compileHere(**api, one);
  };
  LibraryResult made =
      isolationGraceSeconds
          ? compileInChild(request, compile, *isolationGraceSeconds)
          : compile(request);
  made.isLoaded = true;
  made.whyForeign = whyForeign;
  return made;
}

void session::releaseCompiler() {
  getLibrary().parts.releasePages();
  releaseFreeMemory();
}

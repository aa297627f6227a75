//===- CompilerLibrary.cpp - Opening the compiler when it is needed -------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerLibrary.h"

#include "Environment.h"

#include <dlfcn.h>

using namespace kiln;

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

Result<const kiln_compiler_api *> session::openCompiler() {
  static const Result<const kiln_compiler_api *> api = load();
  return api;
}

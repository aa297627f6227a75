//===- BlasLibrary.cpp - The functions of cuBLASLt that are used
//-----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlasLibrary.h"

#include <dlfcn.h>

namespace kiln::cuda {

static Result<BlasLibrary> loadBlas(int driverVersion) {
  BlasLibrary blas;
  void *library = nullptr;
  for (int major : {13, 12}) {
    if (library || driverVersion < major * 1000)
      continue;
    blas.soname = "libcublasLt.so." + std::to_string(major);
    library = dlopen(blas.soname.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (!library)
    return Error::unsupported(
        "no libcublasLt.so.12 or .13 is found; expected its folder in "
        "LD_LIBRARY_PATH");
  std::string missing;
#define KILN_FIND(name, result, parameters)                                    \
  blas.name = reinterpret_cast<result(*) parameters>(dlsym(library, #name));   \
  if (!blas.name)                                                              \
    missing += (missing.empty() ? "" : ", ") + std::string(#name);
  KILN_BLAS_FUNCTIONS(KILN_FIND)
#undef KILN_FIND
  if (!missing.empty())
    return Error::unsupported(blas.soname + " lacks " + missing);
  return blas;
}

Result<const BlasLibrary *> BlasLibrary::get(int driverVersion) {
  // A process has one driver.
  static const Result<BlasLibrary> blas = loadBlas(driverVersion);
  if (!blas)
    return blas.error();
  return &*blas;
}

} // namespace kiln::cuda

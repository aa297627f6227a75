//===- DnnLibrary.cpp - The functions of cuDNN that are used --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DnnLibrary.h"

#include <dlfcn.h>

namespace kiln::cuda {

static Result<DnnLibrary> loadDnn(int driverVersion) {
  DnnLibrary dnn;
  dnn.soname = "libcudnn.so.9";
  void *library = dlopen(dnn.soname.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return Error::unsupported("no " + dnn.soname +
                              " is found; expected its folder in "
                              "LD_LIBRARY_PATH");
  std::string missing;
#define KILN_FIND(name, result, parameters)                                    \
  dnn.name = reinterpret_cast<result(*) parameters>(dlsym(library, #name));    \
  if (!dnn.name)                                                               \
    missing += (missing.empty() ? "" : ", ") + std::string(#name);
  KILN_DNN_FUNCTIONS(KILN_FIND)
#undef KILN_FIND
  if (!missing.empty())
    return Error::unsupported(dnn.soname + " lacks " + missing);
  // Of one major version any driver will do.
  if (int major = int(dnn.cudnnGetCudartVersion() / 1000);
      major > driverVersion / 1000)
    return Error::unsupported(dnn.soname + " is for CUDA " +
                              std::to_string(major) +
                              ", which is newer than the driver");
  return dnn;
}

Result<const DnnLibrary *> DnnLibrary::get(int driverVersion) {
  // A process has one driver.
  static const Result<DnnLibrary> dnn = loadDnn(driverVersion);
  if (!dnn)
    return dnn.error();
  return &*dnn;
}

} // namespace kiln::cuda

//===- Driver.cpp - The functions of the driver that are used ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include <dlfcn.h>

namespace kiln::cuda {

static Result<Driver> loadDriver() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *why = dlerror();
    return Error::unsupported(
        std::string("there is no driver for a GPU: ") +
        (why ? why : "libcuda.so.1 cannot be opened") +
        "; expected the driver of NVIDIA, or --device=cpu");
  }
  Driver driver;
  std::string missing;
#define KILN_FIND(name, parameters)                                            \
  driver.name = reinterpret_cast<int(*) parameters>(dlsym(library, #name));    \
  if (!driver.name)                                                            \
    missing += (missing.empty() ? "" : ", ") + std::string(#name);
  KILN_CUDA_FUNCTIONS(KILN_FIND)
#undef KILN_FIND
  if (!missing.empty())
    return Error::unsupported("the driver for GPUs is too old, it lacks " +
                              missing + "; expected one of CUDA 12 or later");
  driver.cuTensorMapEncodeTiled =
      reinterpret_cast<decltype(driver.cuTensorMapEncodeTiled)>(
          dlsym(library, "cuTensorMapEncodeTiled"));
  driver.cuFuncGetParamInfo =
      reinterpret_cast<decltype(driver.cuFuncGetParamInfo)>(
          dlsym(library, "cuFuncGetParamInfo"));
  driver.cuGraphAddDependencies_v2 =
      reinterpret_cast<decltype(driver.cuGraphAddDependencies_v2)>(
          dlsym(library, "cuGraphAddDependencies_v2"));
  int answer = driver.cuInit(0);
  if (answer == kNoDevice)
    return Error::unsupported("this machine has no GPU that its driver knows; "
                              "expected --device=cpu");
  if (answer != kSuccess)
    return Error::unsupported("the driver for GPUs does not start: " +
                              driver.nameOf(answer));
  driver.cuDriverGetVersion(&driver.version);
  return driver;
}

Result<const Driver *> Driver::get() {
  static const Result<Driver> driver = loadDriver();
  if (!driver)
    return driver.error();
  return &*driver;
}

std::string Driver::nameOf(int answer) const {
  const char *name = nullptr, *text = nullptr;
  cuGetErrorName(answer, &name);
  cuGetErrorString(answer, &text);
  std::string result = name ? name : "error " + std::to_string(answer);
  return text ? result + " (" + text + ")" : result;
}

} // namespace kiln::cuda

//===- Guarded.cpp - Calls that let no exception pass ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guarded.h"

#include <exception>

using namespace kiln;

Status capi::callGuarded(const std::function<Status()> &body) noexcept {
  // Short enough to need no memory of its own.
  std::string why = "out of memory";
  try {
    return body();
  } catch (const std::bad_alloc &) {
  } catch (const std::exception &exception) {
    try {
      why = exception.what();
    } catch (...) {
    }
  } catch (...) {
    why = "unknown";
  }
  return Error::internal(std::move(why));
}

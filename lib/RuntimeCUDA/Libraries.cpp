//===- Libraries.cpp - Libraries beside kernels ---------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Libraries.h"

namespace kiln::cuda {

using runtime::ConvolutionLaunch;
using runtime::LibraryKind;
using runtime::LibraryLaunch;
using runtime::ProductLaunch;

std::string Libraries::describe(LibraryKind kind) const {
  return kind == LibraryKind::Products ? products_.describe()
                                       : convolutions_.describe();
}

const char *Libraries::nameOf(const LibraryLaunch &launch) {
  return std::holds_alternative<ProductLaunch>(launch)
             ? "a product of cuBLASLt"
             : "a convolution of cuDNN";
}

Status Libraries::call(const LibraryLaunch &launch, Handle stream) {
  if (auto *product = std::get_if<ProductLaunch>(&launch))
    return products_.multiply(*product, stream);
  return convolutions_.convolve(std::get<ConvolutionLaunch>(launch), stream);
}

Status Libraries::capture(const LibraryLaunch &launch, Handle &graph) {
  constexpr unsigned kNonBlocking = 1; // of the default stream
  if (!captured_ &&
      driver_.cuStreamCreate(&captured_, kNonBlocking) != kSuccess)
    captured_ = nullptr;
  if (!captured_ ||
      driver_.cuStreamBeginCapture_v2(captured_, kCaptureRelaxed) != kSuccess)
    return Error::unsupported("the driver cannot capture what a library does");
  Status asked = call(launch, captured_);
  Handle made = nullptr;
  int answer = driver_.cuStreamEndCapture(captured_, &made);
  if (asked && answer == kSuccess && made) {
    graph = made;
    return Status::success();
  }
  if (made)
    driver_.cuGraphDestroy(made);
  return asked ? Status(
                     Error::unsupported("what a library does cannot be part of "
                                        "a graph: " +
                                        driver_.nameOf(answer)))
               : asked;
}

void Libraries::free() {
  products_.free();
  convolutions_.free();
  if (captured_)
    driver_.cuStreamDestroy_v2(captured_);
  captured_ = nullptr;
}

} // namespace kiln::cuda

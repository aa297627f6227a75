//===- Convolutions.h - Convolutions by a library ---------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each kind of convolution the heuristic of cuDNN is asked once; what came
// of it is kept with the descriptors. An image may have any order of
// dimensions, which its strides say; whether there is an algorithm for it the
// library says.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_RUNTIMECUDA_CONVOLUTIONS_H
#define KILN_LIB_RUNTIMECUDA_CONVOLUTIONS_H

#include "DnnLibrary.h"
#include "LibraryWorkspace.h"
#include "kiln/Runtime/Device.h"

#include <map>
#include <vector>

namespace kiln::cuda {

/// Of one device. All functions need its context to be current, and one thread
/// at a time.
class Convolutions {
public:
  Convolutions(const Driver &driver, LibraryWorkspace &workspace)
      : driver_(driver), workspace_(workspace) {}
  /// Lets go of what the library has made, after the stream has come to its
  /// end.
  void free();

  /// "libcudnn.so.9 91002"; empty if there is none.
  std::string describe() const;
  /// Unsupported, with nothing done, if there is no library or it refuses.
  Status convolve(const runtime::ConvolutionLaunch &convolution, Handle stream);

private:
  /// A kind of convolution: its numbers.
  using Key = std::vector<int64_t>;
  struct Plan {
    std::string refusal; ///< empty: there is an algorithm
    Handle source = nullptr, target = nullptr, weight = nullptr,
           convolution = nullptr;
    int algorithm = 0;
    size_t workspace = 0;
  };

  static Key keyOf(const runtime::ConvolutionLaunch &convolution);
  Status start();
  Plan makePlan(const runtime::ConvolutionLaunch &convolution);
  Status describeImages(Plan &plan,
                        const runtime::ConvolutionLaunch &convolution);
  Status describeWeight(Plan &plan,
                        const runtime::ConvolutionLaunch &convolution);
  Status describeWindows(Plan &plan,
                         const runtime::ConvolutionLaunch &convolution);
  Status choose(Plan &plan, const runtime::ConvolutionLaunch &convolution);
  void destroy(Plan &plan);

  const Driver &driver_;
  LibraryWorkspace &workspace_;
  const DnnLibrary *dnn_ = nullptr;
  Handle handle_ = nullptr;
  std::map<Key, Plan> plans_;
};

} // namespace kiln::cuda

#endif // KILN_LIB_RUNTIMECUDA_CONVOLUTIONS_H

//===- KernelImage.h - Native code in executable memory ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies a flat kernel image into anonymous memory and makes that memory
// read-only and executable. The bytes of a file are never mapped executable,
// since another process could change them after they were checked.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_RUNTIME_KERNELIMAGE_H
#define KILN_RUNTIME_KERNELIMAGE_H

#include "kiln/ABI/KernelABI.h"
#include "kiln/Base/Result.h"
#include "kiln/Package/Package.h"

#include <memory>
#include <string>
#include <vector>

namespace kiln::runtime {

/// kiln_cpu_feature bits that this processor and its operating system support.
/// Computed once.
uint32_t hostCpuFeatures();

/// "avx2, fma" for messages; "none" for 0. Unknown bits print as numbers.
std::string cpuFeatureNames(uint32_t features);

/// Which variant of a package to run on a processor with these features: of those
/// that it can run the one that uses most of them. `target` asks for one by its
/// name; empty and "native" leave the choice. Unsupported if none can run, with
/// what each needs and what the processor has; Usage error for a target that the
/// package does not have.
///
/// For a GPU (`kind` is that of PTX) `features` is its capability, and the latest
/// architecture that it runs is taken.
///
///   auto index = chooseVariant(reader->variants(), "native",
///                              hostCpuFeatures());
Result<size_t> chooseVariant(const std::vector<package::VariantInfo> &variants,
                             const std::string &target, uint32_t features,
                             kiln_image_kind kind = KILN_IMAGE_NATIVE);

class LoadedImage {
public:
  /// Unsupported when the processor lacks a feature that the image needs,
  /// Malformed for an entry outside of the image, Io when memory is refused.
  static Result<std::shared_ptr<LoadedImage>>
  load(const package::KernelImage &image);
  ~LoadedImage();
  LoadedImage(const LoadedImage &) = delete;
  LoadedImage &operator=(const LoadedImage &) = delete;

  size_t kernelCount() const { return entries_.size(); }
  /// Entry of kernel `index`, valid as long as this object.
  kiln_cpu_kernel_t kernel(size_t index) const { return entries_[index]; }

private:
  LoadedImage() = default;
  void *memory_ = nullptr;
  size_t bytes_ = 0;
  std::vector<kiln_cpu_kernel_t> entries_;
};

} // namespace kiln::runtime

#endif // KILN_RUNTIME_KERNELIMAGE_H

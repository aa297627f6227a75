//===- Context.h - A GPU and what its driver says of it ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_RUNTIMECUDA_CONTEXT_H
#define KILN_LIB_RUNTIMECUDA_CONTEXT_H

#include "Checks.h"
#include "kiln/Package/Package.h"
#include "kiln/Runtime/Device.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kiln::cuda {

/// What code is loaded into and errors are told of.
struct Context {
  const Driver *driver = nullptr;
  std::shared_ptr<void> handle; ///< the device's primary context
  int device = 0;
  std::string name;        ///< "cuda:0"
  unsigned capability = 0; ///< 90 for 9.0
  std::shared_ptr<Checks> checks;

  /// Success, or the sentence for an answer that came while something was done. A
  /// kernel's failure comes with some later call: `kernel` is the one that failed if
  /// each is waited for, else the last one before the call. An assertion that failed is
  /// what is told of all failures behind it.
  Status check(int answer, const char *what, const std::string &kernel = "",
               bool isNamed = false) const;
};

/// Functions of the driver work on the context of the calling thread: this one, as
/// long as the scope lasts. What its caller had is put back.
class ContextScope {
public:
  explicit ContextScope(const Context &context) : driver_(*context.driver) {
    Handle current = nullptr;
    driver_.cuCtxGetCurrent(&current);
    isPushed_ = current != context.handle.get() &&
                driver_.cuCtxPushCurrent_v2(context.handle.get()) == kSuccess;
  }
  ~ContextScope() {
    Handle popped = nullptr;
    if (isPushed_)
      driver_.cuCtxPopCurrent_v2(&popped);
  }
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;

private:
  const Driver &driver_;
  bool isPushed_;
};

/// The functions of an image.
class CudaImage : public runtime::DeviceImage {
public:
  /// Assembles the texts, several at a time, but for those whose machine code `store`
  /// has. Unsupported if the device or its driver does not take them. `device` is
  /// waited for before the code goes.
  static Result<std::shared_ptr<CudaImage>>
  load(const Context &context, const package::KernelImage &image,
       package::KernelStore *store, std::shared_ptr<runtime::Device> device);
  ~CudaImage() override;

  std::optional<std::vector<size_t>>
  parameterBytes(uint32_t kernel) const override;
  size_t localBytes() const override;

  struct Kernel {
    std::string name;
    Handle function = nullptr;
    uint32_t sharedBytes = 0; ///< that launches may ask for by now
    /// Its first instruction waits for what is before it (`PTXCompiler`), so it may begin while
    /// that ends.
    bool waits = false;
  };
  std::vector<Kernel> &kernels() const { return kernels_; }
  /// Texts that the driver assembled; of the others there was machine code.
  size_t assembled() const { return assembled_; }

  /// Success when a launch may ask for so much dynamic shared memory. One thread at a
  /// time.
  Status allowShared(uint32_t kernel, uint32_t bytes) const;

private:
  CudaImage(const Context &context, std::shared_ptr<runtime::Device> device)
      : context_(context), device_(std::move(device)) {}
  Status add(const std::string &name, const void *code);
  Status addFunction(const std::string &name, Handle module);

  Context context_;
  std::shared_ptr<runtime::Device> device_;
  std::vector<Handle> modules_, libraries_;
  size_t assembled_ = 0;
  mutable std::vector<Kernel> kernels_;
};

} // namespace kiln::cuda

#endif // KILN_LIB_RUNTIMECUDA_CONTEXT_H

//===- CudaDevice.h - A GPU of NVIDIA as a device ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens a GPU through the driver alone, `libcuda.so.1`, which is looked for when the
// first device is opened; nothing of CUDA is needed to build or to install.
//
//   auto device = cuda::openDevice({});
//   if (!device)
//     ... device.error().message: "there is no driver for a GPU: ..."
//
//===----------------------------------------------------------------------===//

#ifndef KILN_RUNTIMECUDA_CUDADEVICE_H
#define KILN_RUNTIMECUDA_CUDADEVICE_H

#include "kiln/Runtime/Device.h"

namespace kiln::cuda {

struct DeviceOptions {
  unsigned ordinal = 0; ///< which of the machine's GPUs
  /// Wait for each kernel, so that one that fails is named.
  bool blockingLaunches = false;
};

/// Opens a GPU. Unsupported if there is no driver or no GPU, Usage error if there is
/// none of that number, with how many there are.
Result<std::shared_ptr<runtime::Device>>
openDevice(const DeviceOptions &options);

} // namespace kiln::cuda

#endif // KILN_RUNTIMECUDA_CUDADEVICE_H

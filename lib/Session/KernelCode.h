//===- KernelCode.h - The code of one kernel as bytes -----------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_SESSION_KERNELCODE_H
#define KILN_LIB_SESSION_KERNELCODE_H

#include "kiln/Package/KernelStore.h"

namespace kiln::session {

/// The payload that kiln/Session/KernelCache.h describes, of an image with one
/// kernel.
std::vector<uint8_t> encodeKernel(const package::KernelImage &image);
/// Nothing for bytes that `encodeKernel` does not give.
std::optional<package::KernelImage> decodeKernel(ByteView bytes);

} // namespace kiln::session

#endif // KILN_LIB_SESSION_KERNELCODE_H

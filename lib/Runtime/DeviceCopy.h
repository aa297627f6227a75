//===- DeviceCopy.h - Memory and copies on either side -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_RUNTIME_DEVICECOPY_H
#define KILN_LIB_RUNTIME_DEVICECOPY_H

#include "kiln/Runtime/Device.h"

namespace kiln::runtime {

/// Memory of a device, or of the host if it is null.
Result<std::shared_ptr<Storage>> allocateOn(Device *device, size_t bytes,
                                            const char *holder = "results");

/// The dimensions of a copy but for those of size 1, with small strides of the
/// target innermost; such as are adjacent in both tensors are one. Empty: one
/// element.
std::vector<CopyDim> copyDims(const Tensor &source, const Tensor &target);

/// `copyElements` of tensors of which one is on a device at least; they have
/// the same type and an element. What lies in memory as it should is one copy;
/// a device brings other elements into their order. By way of the host goes
/// what has too many dimensions for that, shares memory, or comes from another
/// device.
Status copyAcross(const Tensor &source, const Tensor &target);

} // namespace kiln::runtime

#endif // KILN_LIB_RUNTIME_DEVICECOPY_H

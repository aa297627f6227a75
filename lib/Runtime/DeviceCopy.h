//===- DeviceCopy.h - Memory and copies on either side -------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_RUNTIME_DEVICECOPY_H
#define KILN_LIB_RUNTIME_DEVICECOPY_H

#include "kiln/Runtime/Tensor.h"

namespace kiln::runtime {

/// Memory of a device, or of the host if it is null.
Result<std::shared_ptr<Storage>> allocateOn(Device *device, size_t bytes,
                                            const char *holder = "results");

/// `copyElements` of tensors of which one is on a device at least; they have the same
/// type and an element. What lies in memory as it should is one copy; anything else
/// goes by way of the host.
Status copyAcross(const Tensor &source, const Tensor &target);

} // namespace kiln::runtime

#endif // KILN_LIB_RUNTIME_DEVICECOPY_H

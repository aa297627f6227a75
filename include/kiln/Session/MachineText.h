//===- MachineText.h - Limits of a machine as text --------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// runtime::MachineLimits as one JSON object without spaces, the same in every locale:
//
//   {"processor":"Intel(R) Xeon(R) Processor","threads":2,"l1_bytes":32768,
//    "l2_bytes":2097152,"l3_bytes":110100480,"memory_bytes_per_second":1.5e+10,
//    "cache_bytes_per_second":9e+10,"read_bytes_per_second":2e+10,
//    "f32_flops_per_second":2e+11,"bf16_flops_per_second":0}
//
//===----------------------------------------------------------------------===//

#ifndef KILN_SESSION_MACHINETEXT_H
#define KILN_SESSION_MACHINETEXT_H

#include "kiln/Base/Result.h"
#include "kiln/Runtime/MachineLimits.h"

namespace kiln::session {

std::string printLimits(const runtime::MachineLimits &limits);

/// Reads any text. Malformed unless it is such an object in which sizes are not
/// negative and rates are positive and finite; that of bf16 may be 0.
Result<runtime::MachineLimits> parseLimits(const std::string &text);

} // namespace kiln::session

#endif // KILN_SESSION_MACHINETEXT_H

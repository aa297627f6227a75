//===- Crc32.h - CRC-32 -----------------------------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sum of what may be gigabytes:
//
//   if (crc32(bytes) != written)
//     return Error::malformed("the file is damaged");
//
//===----------------------------------------------------------------------===//

#ifndef KILN_BASE_CRC32_H
#define KILN_BASE_CRC32_H

#include "kiln/Base/Bytes.h"

namespace kiln {

/// CRC-32 (IEEE 802.3, reflected), as in zip files. It finds damage, not malice.
uint32_t crc32(ByteView bytes);

} // namespace kiln

#endif // KILN_BASE_CRC32_H

//===- Hex.h - Bytes as hexadecimal digits ----------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   toHex(0x1f)                     "0000001f"
//   toHex(ByteView(digest.bytes))   two digits a byte, the first byte first
//
//===----------------------------------------------------------------------===//

#ifndef KILN_BASE_HEX_H
#define KILN_BASE_HEX_H

#include "kiln/Base/Bytes.h"

namespace kiln {

/// Two lower-case digits a byte.
std::string toHex(ByteView bytes);

/// Eight lower-case digits, the highest first, as the ids of keys are written.
std::string toHex(uint32_t value);

} // namespace kiln

#endif // KILN_BASE_HEX_H

//===- FileMutator.h - Changed archives, packages, bytecode -----*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Damaged files. What carries a checksum is sealed again in half of the cases,
// so that the damage is seen by the reader behind the checksum.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_FUZZ_FILEMUTATOR_H
#define KILN_TEST_FUZZ_FILEMUTATOR_H

#include "TextMutator.h"

namespace kiln::fuzz {

/// Bits, bytes, runs and cuts.
std::string mutateBytes(const std::string &bytes, Random &random);
/// `.pt2`: as bytes, or one member changed (JSON as text) in a sound zip.
std::string mutateArchive(const std::string &bytes, Random &random);
/// `.kiln`: as bytes, or outside of the native code and sealed again. What
/// native code does is no reader's to judge.
std::string mutatePackage(const std::string &bytes, Random &random);

} // namespace kiln::fuzz

#endif // KILN_TEST_FUZZ_FILEMUTATOR_H

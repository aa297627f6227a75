//===- SampleArchive.h - An exported program of the tests -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_UNITTESTS_ARCHIVE_SAMPLEARCHIVE_H
#define KILN_TEST_UNITTESTS_ARCHIVE_SAMPLEARCHIVE_H

#include <cstdlib>
#include <string>

inline std::string getSampleArchive() {
  const char *folder = std::getenv("KILN_TEST_INPUTS");
  return std::string(folder ? folder : "test/Inputs") +
         "/pt2/sin_matmul/train.pt2";
}

#endif // KILN_TEST_UNITTESTS_ARCHIVE_SAMPLEARCHIVE_H

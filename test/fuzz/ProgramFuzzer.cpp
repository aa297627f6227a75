//===- ProgramFuzzer.cpp - Encoded programs of packages ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fuzzer.h"

#include "kiln/Package/Printer.h"
#include "kiln/Package/Verifier.h"

using namespace kiln;
using namespace kiln::package;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto program = decodeProgram(data, size);
  if (!program)
    return 0;
  std::vector<uint8_t> again;
  encodeProgram(*program, again);
  test::require(again == std::vector<uint8_t>(data, data + size),
                "one program has one encoding");
  (void)printProgram(*program);
  // With itself as a body, which control steps may then name.
  Package package;
  package.programs = {*program};
  package.bodies = {*program, *program};
  (void)verifyPackage(package);
  return 0;
}

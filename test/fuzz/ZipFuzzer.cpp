//===- ZipFuzzer.cpp - Directories and members of zip files --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fuzzer.h"

#include "kiln/Archive/ZipFile.h"

using namespace kiln;
using namespace kiln::archive;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto zip = ZipFile::parse(
      SharedBytes::own(std::vector<uint8_t>(data, data + size)), "fuzz.zip");
  if (!zip)
    return 0;
  test::require(zip->members().size() <= ZipFile::kMaxMembers,
                "no more members than the limit");
  uint64_t total = 0;
  for (const ZipMember &member : zip->members()) {
    test::require(zip->find(member.name) == &member, "names are unique");
    test::require(member.name.find("..") == std::string::npos ||
                      member.name.find("../") == std::string::npos,
                  "no member leaves its folder");
    auto bytes = zip->view(member);
    (void)zip->read(member);
    if (!bytes)
      continue;
    test::require(bytes->size() == member.size, "a view has the member's size");
    test::require(bytes->empty() || (member.dataOffset <= size &&
                                     member.size <= size - member.dataOffset),
                  "members lie in the file");
    total += member.size;
  }
  test::require(total <= size, "members do not overlap");
  return 0;
}

//===- FileMutator.cpp - Changed archives, packages, bytecode -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FileMutator.h"

#include "../../unittests/Archive/ZipBuilder.h"

#include "kiln/ABI/PackageABI.h"
#include "kiln/Base/Digest.h"
#include "kiln/Package/Printer.h"

#include <algorithm>
#include <cstring>

using namespace kiln;
using namespace kiln::fuzz;

static void changeBytes(std::string &bytes, size_t begin, size_t end,
                        Random &random) {
  static constexpr uint8_t kBytes[] = {0, 1, 0x7f, 0x80, 0xff};
  for (size_t changes = 1 + below(random, 4); changes > 0; --changes) {
    char &byte = bytes[begin + below(random, end - begin)];
    byte = below(random, 2) == 0
               ? char(byte ^ (1 << below(random, 8)))
               : char(below(random, 2) == 0
                          ? kBytes[below(random, std::size(kBytes))]
                          : below(random, 256));
  }
}

std::string fuzz::mutateBytes(const std::string &bytes, Random &random) {
  std::string out = bytes;
  if (out.empty())
    return out;
  size_t at = below(random, out.size());
  size_t run = 1 + below(random, std::min<size_t>(out.size() - at, 64));
  switch (below(random, 8)) {
  case 0:
    out.resize(at);
    break;
  case 1:
    out.erase(at, run);
    break;
  case 2:
    out.insert(at, out.substr(at, run));
    break;
  case 3:
    std::memset(out.data() + at, below(random, 2) ? 0xff : 0, run);
    break;
  default:
    changeBytes(out, 0, out.size(), random);
  }
  return out;
}

std::string fuzz::mutateArchive(const std::string &bytes, Random &random) {
  auto zip = archive::ZipFile::parse(SharedBytes::own(bytes), "seed");
  if (!zip || below(random, 4) == 0)
    return mutateBytes(bytes, random);
  const auto &members = zip->members();
  // The model's graph is one member of many, and what matters most.
  size_t which = below(random, members.size());
  for (size_t i = 0; i < members.size(); ++i)
    if (members[i].name.find("models/") != std::string::npos &&
        below(random, 2) == 0)
      which = i;
  archive::ZipBuilder builder;
  for (size_t i = 0; i < members.size(); ++i) {
    auto view = zip->view(members[i]);
    if (!view)
      return mutateBytes(bytes, random);
    std::string data(reinterpret_cast<const char *>(view->data()),
                     view->size());
    if (i == which)
      data = !data.empty() && data.front() == '{' && below(random, 4) != 0
                 ? mutateText(data, data, random)
                 : mutateBytes(data, random);
    builder.add(members[i].name, data);
  }
  return builder.build();
}

static uint64_t readU64(const std::string &bytes, size_t at) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof(value));
  return value;
}

static uint32_t readU32(const std::string &bytes, size_t at) {
  return static_cast<uint32_t>(readU64(bytes, at));
}

/// The programs of a package that launch kernels, as text: which memory they hand
/// to native code. Empty if there are none, or if it is no package.
static std::string launchingPrograms(const std::string &bytes) {
  auto reader = package::PackageReader::open(ByteView(std::string_view(bytes)));
  std::string text;
  for (size_t i = 0; reader && i < reader->variants().size(); ++i) {
    auto package = reader->read(i);
    if (!package)
      continue;
    for (const auto *list : {&package->programs, &package->bodies})
      for (const package::Program &program : *list)
        if (std::string one = package::printProgram(program);
            one.find(": launch ") != std::string::npos)
          text += one;
  }
  return text;
}

std::string fuzz::mutatePackage(const std::string &bytes, Random &random) {
  constexpr size_t table = KILN_PACKAGE_HEADER_SIZE;
  if (bytes.size() <= table || below(random, 2) == 0)
    return mutateBytes(bytes, random);
  uint32_t sections = readU32(bytes, 12);
  size_t payload = table + size_t(sections) * KILN_PACKAGE_ENTRY_SIZE;
  std::string out = bytes;
  size_t entry =
      table + below(random, sections) * size_t(KILN_PACKAGE_ENTRY_SIZE);
  uint64_t begin = readU64(out, entry + 8), size = readU64(out, entry + 16);
  if (readU32(out, entry) == KILN_SECTION_IMAGE || size == 0)
    changeBytes(out, table, payload, random);
  else
    changeBytes(out, begin, begin + size, random);
  Hasher hasher;
  std::string_view text(out);
  hasher.add(ByteView(text.substr(0, KILN_PACKAGE_DIGEST_OFFSET)));
  // Constants have sums of their own, which stay.
  uint64_t data = readU64(out, payload - KILN_PACKAGE_ENTRY_SIZE + 8);
  text = text.substr(0, std::min<uint64_t>(data, text.size()));
  if (text.size() > KILN_PACKAGE_HEADER_SIZE)
    hasher.add(ByteView(text.substr(KILN_PACKAGE_HEADER_SIZE)));
  Digest digest = hasher.finish();
  std::copy(digest.bytes.begin(), digest.bytes.end(),
            out.begin() + KILN_PACKAGE_DIGEST_OFFSET);
  // What a launch hands to its kernel is as much code as the kernel: who changes
  // it and seals the package again can have anything run.
  std::string changed = launchingPrograms(out);
  if (!changed.empty() && changed != launchingPrograms(bytes))
    return mutateBytes(bytes, random);
  return out;
}

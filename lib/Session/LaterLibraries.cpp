//===- LaterLibraries.cpp - What libraries hold in memory -----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaterLibraries.h"

#include <cstdlib>
#include <functional>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

using namespace kiln;
using session::LaterLibraries;

using Visitor = std::function<void(const dl_phdr_info &)>;

static void visitLibraries(Visitor visit) {
  dl_iterate_phdr(
      [](dl_phdr_info *library, size_t, void *data) {
        (*static_cast<Visitor *>(data))(*library);
        return 0;
      },
      &visit);
}

LaterLibraries::LaterLibraries() {
  visitLibraries(
      [&](const dl_phdr_info &library) { earlier_.insert(library.dlpi_addr); });
}

/// True for a library whose code the linker has changed in memory, which no
/// file has.
static bool hasRelocatedText(const dl_phdr_info &library) {
  for (int i = 0; i < library.dlpi_phnum; ++i) {
    const ElfW(Phdr) &part = library.dlpi_phdr[i];
    if (part.p_type != PT_DYNAMIC)
      continue;
    auto *entry =
        reinterpret_cast<const ElfW(Dyn) *>(library.dlpi_addr + part.p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == DT_TEXTREL ||
          (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL)))
        return true;
  }
  return false;
}

size_t LaterLibraries::releasePages() const {
  const uintptr_t page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  size_t bytes = 0;
  visitLibraries([&](const dl_phdr_info &library) {
    if (earlier_.count(library.dlpi_addr) || hasRelocatedText(library))
      return;
    for (int i = 0; i < library.dlpi_phnum; ++i) {
      const ElfW(Phdr) &part = library.dlpi_phdr[i];
      if (part.p_type != PT_LOAD || (part.p_flags & PF_W))
        continue;
      // Pages of this part alone.
      uintptr_t begin = library.dlpi_addr + part.p_vaddr;
      uintptr_t end = (begin + part.p_filesz) / page * page;
      begin = (begin + page - 1) / page * page;
      if (begin < end && ::madvise(reinterpret_cast<void *>(begin), end - begin,
                                   MADV_DONTNEED) == 0)
        bytes += end - begin;
    }
  });
  return bytes;
}

void session::releaseFreeMemory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

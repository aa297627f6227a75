//===- KernelImage.h - From an ELF object to a flat kernel image ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The mini-linker. Kernels are self-contained by construction: they call
// nothing, keep no state, and reach their constants relative to the program
// counter. Then linking is no more than laying text and read-only data out
// next to each other and filling in distances that never change, whatever
// address the image is loaded at:
//
//     0                 text of all functions
//     next multiple     read-only data: vector constants, lookup tables
//     of its alignment
//
// Everything that would break this picture (a library call, writable data,
// thread-local data, an absolute address) is refused with the name of the
// symbol, the relocation and where it is, because it means that a lowering let
// something through.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TARGET_CPU_KERNELIMAGE_H
#define KILN_TARGET_CPU_KERNELIMAGE_H

#include "kiln/Base/Result.h"
#include "kiln/Package/Package.h"

#include "llvm/ADT/StringRef.h"

namespace kiln::target {

/// Alignment of the start of an image in memory that its code relies upon.
/// Mappings are page-aligned, which is more.
inline constexpr uint64_t kImageAlignment = 64;

/// Links `object`, a relocatable x86-64 ELF file, into a flat image. Every
/// global function becomes a kernel of its name, in the order of their
/// addresses. `target` and `requiredFeatures` are left for the caller to set.
///
/// Any bytes are accepted: a file that contradicts the ELF format gives
/// `Malformed`, one that is well formed but not self-contained `Internal`:
///
///   kernel calls "memcpy", which an image cannot contain (R_X86_64_PLT32 at
///   .text+0x1c)
Result<package::KernelImage> linkKernelImage(llvm::StringRef object);

/// Appends the code and kernels of `from` to `image`, keeping alignment.
/// Images are position-independent, so this needs no relocation. Kernel names
/// are not checked for duplicates. Required features are united.
void appendKernelImage(package::KernelImage &image,
                       const package::KernelImage &from);

} // namespace kiln::target

#endif // KILN_TARGET_CPU_KERNELIMAGE_H

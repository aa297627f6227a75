//===- PackageABI.h - The bytes of a package -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format of a compiled program on disk (`.kiln`) and in the cache. Plain C.
// All numbers are little-endian and unaligned. One package has exactly one
// encoding: sections stand in the order below, without gaps but for DATA, and
// nothing follows the last one.
//
//   package  := magic:8 version:u32 sections:u32 size:u64 digest:32
//               entry{sections} payload
//   entry    := kind:u32 variant:u32 offset:u64 size:u64   offset from byte 0
//
// `digest` is the SHA-256 of all that stands before DATA without the digest
// itself: the bytes [0, 24) followed by the bytes from 56 on. A reader checks
// magic, version, size and digest before it looks at anything else. What DATA
// holds, which may be most of the file, has sums in CONSTANTS: who reads a
// constant checks it, and may leave it where it is, in a mapped file.
//
// Building blocks
//
//   text     := length:u32 byte{length}
//   blob     := length:u64 byte{length}
//   list(x)  := count:u32 x{count}
//   bool     := u8                               0 or 1
//   dtype    := u8                               kiln::DType
//   id       := u32                              0xffffffff means "none"
//   constant := tag:u8                           kiln_constant_tag
//               (bool | i64 | f64 | text)?
//
// A package holds one program in one or more variants, each for a processor of
// its own. What they share, the constants, is there once; then come the six
// sections of variant 0, those of variant 1, and so on; then the constants' bytes.
//
//   CONSTANTS := list(dtype list(i64) size:u64 crc:u32)
//                                                variant 0; no two are equal
//   PROGRAMS  := list(blob of program)           one, or forward and backward
//                list(blob of program)           bodies of control steps
//   GUARDS    := list(guard)
//   IMAGE     := target:text kind:u8 features:u32 list(kernel) code:blob
//   USES      := list(index:u32)                 its constants, each once;
//                                                first uses are 0, 1, 2, ...
//   REASONS   := list(kind:u8 pass:text name:text function:text
//                     list(key:text value:text))
//   FACTS     := backend:text optimizer:text u64{5}
//   DATA      := (byte{size} of each constant)   variant 0; each begins at a
//                                                multiple of 64 bytes of the
//                                                file, behind zeros
//
//   guard     := kind:u8 slot:u32 dim:u32 value:i64 expr:id constant text
//   kernel    := name:text entry:u64             into code: an entry point, or
//                                                the PTX with that entry
//
// A program
//
//   program  := magic:u32 version:u32 name:text list(symbol) list(expr)
//               list(slot) list(value) list(step) list(output) arenaBytes:id
//   symbol   := name:text source:u8 slot:u32 dim:u32 scale:i64 offset:i64
//               min:i64 max:i64 isFloat:bool
//   expr     := text                             bytecode of GuardABI.h
//   slot     := kind:u8 name:text path:text isTensor:bool isSymbolic:bool
//               requiresGrad:bool dtype list(id) list(id) constant payload:id
//               output:id frozen:bool
//   value    := kind:u8 dtype slot:id base:id offset:id list(id) list(id)
//   step     := tag:u8                           kiln_step_tag
//     launch   kernel:u32 list(id) writes:list(u32) overwrites:list(u32)
//              list(id) work:id grain:i64 scratch:id
//     extern   overload:text list(argument) list(id) reason:text location:text
//     copy     source:id target:id
//     define   symbol:u32 value:id dim:id
//     assert   condition:id message:text
//     release  list(id)
//     control  kind:u8 list(body:u32) list(argument) carried:u32 scanned:u32
//              list(id) location:text
//     grid     list(id) writes:list(u32) overwrites:list(u32)
//              workspace:bool narrow:id list(part)
//              library:u8 (product | convolution)? checks:list(text)
//   part     := kernel:u32 wide:id list(id) blocks:id threads:u32 shared:u32
//              list(map)
//   map      := buffer:u32 dtype offset:id sizes:list(id) strides:list(id)
//              box:list(u32) swizzle:u32
//   product  := factors:dtype results:dtype tf32:bool matrices:id rows:id
//               columns:id sum:id left:matrix right:matrix result:matrix
//               bias:id                          a position of a buffer
//   matrix   := buffer:u32 transposed:bool offset:id leading:id apart:id
//   convolution := elements:dtype tf32:bool gradient:bool images:id groups:id
//               channels:id filters:id inputs:list(id) outputs:list(id)
//               taps:list(id) strides:list(u32) dilations:list(u32)
//               padding:list(u32) source:image target:image weight:u32
//               offset:id channelsLast:bool
//   image    := buffer:u32 offset:id image:id channel:id places:list(id)
//   argument := tag:u8                           kiln_argument_tag
//               (id | bool | i64 | f64 | f64 f64 | text | dtype |
//                list(argument))?                nested at most 16 deep
//   output   := kind:u8 role:u8 value:id expr:id constant name:text path:text
//               target:text alias:id
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ABI_PACKAGEABI_H
#define KILN_ABI_PACKAGEABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The first eight bytes: a byte above 127 and a line end show text transfers
/// that changed the file, as in PNG.
#define KILN_PACKAGE_MAGIC "\x8bKILN\r\n\x1a"
/// Bumped whenever the meaning of anything in this header changes.
#define KILN_PACKAGE_VERSION 12
#define KILN_PROGRAM_MAGIC 0x474f5250u /* "PROG" */
#define KILN_PROGRAM_VERSION 9

#define KILN_PACKAGE_DIGEST_OFFSET 24
#define KILN_PACKAGE_HEADER_SIZE 56
#define KILN_PACKAGE_ENTRY_SIZE 24
/// Sections of a variant, and those that all share.
#define KILN_PACKAGE_VARIANT_SECTIONS 6
#define KILN_PACKAGE_SHARED_SECTIONS 2
/// Where bytes of a constant begin is a multiple of this.
#define KILN_PACKAGE_DATA_ALIGNMENT 64
#define KILN_PACKAGE_MAX_VARIANTS 16
/// How deep lists of arguments may nest.
#define KILN_PROGRAM_MAX_ARGUMENT_DEPTH 16
/// How deep bodies may run bodies: each level takes room on the stack.
#define KILN_PACKAGE_MAX_BODY_DEPTH 64

enum kiln_package_section {
  KILN_SECTION_CONSTANTS = 1,
  KILN_SECTION_PROGRAMS = 2,
  KILN_SECTION_GUARDS = 3,
  KILN_SECTION_IMAGE = 4,
  KILN_SECTION_USES = 5,
  KILN_SECTION_REASONS = 6,
  KILN_SECTION_FACTS = 7,
  KILN_SECTION_DATA = 8,
};

enum kiln_step_tag {
  KILN_STEP_LAUNCH = 1,
  KILN_STEP_EXTERN = 2,
  KILN_STEP_COPY = 3,
  KILN_STEP_DEFINE_SYMBOL = 4,
  KILN_STEP_ASSERT = 5,
  KILN_STEP_RELEASE = 6,
  KILN_STEP_CONTROL = 7,
  KILN_STEP_GRID = 8,
};

enum kiln_argument_tag {
  KILN_ARGUMENT_NONE = 0,
  KILN_ARGUMENT_TENSOR = 1,
  KILN_ARGUMENT_EXPR = 2,
  KILN_ARGUMENT_SCALAR = 3,
  KILN_ARGUMENT_BOOL = 4,
  KILN_ARGUMENT_INT = 5,
  KILN_ARGUMENT_FLOAT = 6,
  KILN_ARGUMENT_TEXT = 7,
  KILN_ARGUMENT_DTYPE = 8,
  KILN_ARGUMENT_LIST = 9,
  KILN_ARGUMENT_COMPLEX = 10,
};

enum kiln_constant_tag {
  KILN_CONSTANT_NONE = 0,
  KILN_CONSTANT_BOOL = 1,
  KILN_CONSTANT_INT = 2,
  KILN_CONSTANT_FLOAT = 3,
  KILN_CONSTANT_TEXT = 4,
};

#ifdef __cplusplus
}
#endif

#endif /* KILN_ABI_PACKAGEABI_H */

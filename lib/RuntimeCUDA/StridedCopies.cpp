//===- StridedCopies.cpp - Elements brought into another order ------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StridedCopies.h"

#include <algorithm>

namespace kiln::cuda {

static constexpr uint32_t kThreads = 256;
static constexpr int64_t kSide = 32; ///< of a tile

static const char kHead[] = R"(.version 6.4
.target sm_75
.address_size 64
)";

// `count` items, or tiles of 32 x 32 of them; `dims` from the innermost
// outwards, each as its size and bytes from one to the next in the source and
// in the target.
static const char kParameters[] = R"(	.param .u64 source,
	.param .u64 target,
	.param .u64 count,
	.param .u64 rank,
	.param .align 8 .b8 dims[192]
)
.maxntid 256, 1, 1
{
)";
static const char kRegisters[] = R"(	.reg .b64 %source, %target, %count, %rank, %dims, %at, %step, %wide;
	.reg .b64 %read, %write, %left, %next, %index, %dim, %size, %stride, %value;
)";
static const char kLoads[] = R"(	ld.param.u64 %source, [source];
	ld.param.u64 %target, [target];
	ld.param.u64 %count, [count];
	ld.param.u64 %rank, [rank];
)";

// A number in digits of mixed radix gives the place of an item: the remainder
// by the size of each dimension, innermost first. Divisions are of 32 bits
// where both sides are.
static const char kItems[] = R"(
.visible .entry kiln_copy_$N(
$PARAMETERS	.reg .pred %done, %moved, %isWide;
	.reg .b32 %number, %width, %left32, %size32, %next32, %index32;
$REGISTERS$LOADS	mov.b64 %dims, dims;
	mad.lo.u64 %rank, %rank, 24, %dims;
	mov.u32 %number, %ctaid.x;
	mov.u32 %width, %ntid.x;
	mul.wide.u32 %at, %number, %width;
	mov.u32 %number, %tid.x;
	cvt.u64.u32 %wide, %number;
	add.u64 %at, %at, %wide;
	mov.u32 %number, %nctaid.x;
	mul.wide.u32 %step, %number, %width;
ITEM:
	setp.ge.u64 %done, %at, %count;
	@%done ret;
	mov.b64 %left, %at;
	mov.b64 %read, %source;
	mov.b64 %write, %target;
	mov.b64 %dim, %dims;
$DIGITS	ld.global.u$B %value, [%read];
	st.global.u$B [%write], %value;
	add.u64 %at, %at, %step;
	bra ITEM;
}
)";

// The digits of %left from dimension %dim on, and what they add to both places.
static const char kDigits[] = R"(DIM:
	setp.ge.u64 %moved, %dim, %rank;
	@%moved bra MOVE;
	ld.param.u64 %size, [%dim];
	or.b64 %wide, %left, %size;
	shr.u64 %wide, %wide, 32;
	setp.ne.u64 %isWide, %wide, 0;
	@%isWide bra WIDE;
	cvt.u32.u64 %left32, %left;
	cvt.u32.u64 %size32, %size;
	div.u32 %next32, %left32, %size32;
	mul.lo.u32 %index32, %next32, %size32;
	sub.u32 %index32, %left32, %index32;
	cvt.u64.u32 %next, %next32;
	cvt.u64.u32 %index, %index32;
	bra PLACE;
WIDE:
	div.u64 %next, %left, %size;
	mul.lo.u64 %index, %next, %size;
	sub.u64 %index, %left, %index;
PLACE:
	ld.param.u64 %stride, [%dim+8];
	mad.lo.u64 %read, %index, %stride, %read;
	ld.param.u64 %stride, [%dim+16];
	mad.lo.u64 %write, %index, %stride, %write;
	mov.b64 %left, %next;
	add.u64 %dim, %dim, 24;
	bra DIM;
MOVE:
)";

// Dimension 0 has neighbours in the target, dimension 1 in the source. A warp
// reads 32 neighbours four times, and writes 32 neighbours four times. Rows of
// a tile have one item more than is used, so that a column is in different
// banks.
static const char kTiles[] = R"(
.visible .entry kiln_copy_tiles_$N(
$PARAMETERS	.shared .align 8 .b8 tile[$TILE];
	.reg .pred %done, %moved, %isWide, %isInside, %isNear;
	.reg .b32 %number, %lane, %row, %from, %to, %left32, %size32, %next32, %index32;
$REGISTERS	.reg .b64 %near, %far, %nears, %fars, %readFar, %writeFar, %lane64, %row64;
$LOADS	ld.param.u64 %nears, [dims];
	ld.param.u64 %readFar, [dims+8];
	ld.param.u64 %fars, [dims+24];
	ld.param.u64 %writeFar, [dims+40];
	mov.b64 %dims, dims;
	mad.lo.u64 %rank, %rank, 24, %dims;
	mov.u32 %number, %tid.x;
	and.b32 %lane, %number, 31;
	shr.u32 %row, %number, 5;
	cvt.u64.u32 %lane64, %lane;
	cvt.u64.u32 %row64, %row;
	mov.u32 %from, tile;
	mad.lo.u32 %to, %row, $LINE, %from;
	mad.lo.u32 %to, %lane, $N, %to;
	mad.lo.u32 %from, %lane, $LINE, %from;
	mad.lo.u32 %from, %row, $N, %from;
	mov.u32 %number, %ctaid.x;
	cvt.u64.u32 %at, %number;
	mov.u32 %number, %nctaid.x;
	cvt.u64.u32 %step, %number;
TILE:
	setp.ge.u64 %done, %at, %count;
	@%done ret;
	add.u64 %size, %nears, 31;
	shr.u64 %size, %size, 5;
	div.u64 %left, %at, %size;
	mul.lo.u64 %near, %left, %size;
	sub.u64 %near, %at, %near;
	shl.b64 %near, %near, 5;
	add.u64 %size, %fars, 31;
	shr.u64 %size, %size, 5;
	div.u64 %next, %left, %size;
	mul.lo.u64 %far, %next, %size;
	sub.u64 %far, %left, %far;
	shl.b64 %far, %far, 5;
	mov.b64 %left, %next;
	mov.b64 %read, %source;
	mov.b64 %write, %target;
	add.u64 %dim, %dims, 48;
$DIGITS$READS	bar.sync 0;
$WRITES	bar.sync 0;
	add.u64 %at, %at, %step;
	bra TILE;
}
)";

// One of four rows: $R is 0, 8, 16 or 24.
static const char kRead[] = R"(	add.u64 %index, %near, %row64;
	add.u64 %index, %index, $R;
	add.u64 %wide, %far, %lane64;
	setp.lt.u64 %isNear, %index, %nears;
	setp.lt.and.u64 %isInside, %wide, %fars, %isNear;
	mad.lo.u64 %stride, %index, %readFar, %read;
	mad.lo.u64 %stride, %wide, $N, %stride;
	@%isInside ld.global.u$B %value, [%stride];
	@%isInside st.shared.u$B [%to+$TO], %value;
)";
static const char kWrite[] = R"(	add.u64 %index, %near, %lane64;
	add.u64 %wide, %far, %row64;
	add.u64 %wide, %wide, $R;
	setp.lt.u64 %isNear, %index, %nears;
	setp.lt.and.u64 %isInside, %wide, %fars, %isNear;
	mad.lo.u64 %stride, %wide, %writeFar, %write;
	mad.lo.u64 %stride, %index, $N, %stride;
	@%isInside ld.shared.u$B %value, [%from+$FROM];
	@%isInside st.global.u$B [%stride], %value;
)";

static std::string replace(std::string text, const std::string &word,
                           const std::string &by) {
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos;
       at += by.size())
    text.replace(at, word.size(), by);
  return text;
}

std::string stridedCopyPTX(uint32_t itemBytes) {
  const uint32_t line = itemBytes * (kSide + 1);
  std::string reads, writes;
  for (uint32_t row = 0; row < kSide; row += kThreads / kSide) {
    std::string number = std::to_string(row);
    reads += replace(replace(kRead, "$R", number), "$TO",
                     std::to_string(row * line));
    writes += replace(replace(kWrite, "$R", number), "$FROM",
                      std::to_string(row * itemBytes));
  }
  std::string tiles = replace(kTiles, "$READS", reads);
  tiles = replace(tiles, "$WRITES", writes);
  tiles = replace(tiles, "$TILE", std::to_string(kSide * line));
  tiles = replace(tiles, "$LINE", std::to_string(line));
  std::string text = std::string(kHead) + kItems + tiles;
  text = replace(text, "$PARAMETERS", kParameters);
  text = replace(text, "$REGISTERS", kRegisters);
  text = replace(text, "$LOADS", kLoads);
  text = replace(text, "$DIGITS", kDigits);
  text = replace(text, "$N", std::to_string(itemBytes));
  return replace(text, "$B", std::to_string(8 * itemBytes));
}

/// True where items are neighbours along one dimension of the source and along
/// another one of the target, and fill tiles of both. The first is put beside
/// the second.
static bool arrangeTiles(runtime::StridedCopy &copy) {
  constexpr int64_t kWorthIt = 8;
  auto &dims = copy.dims;
  if (dims.empty() || dims.back().target != copy.itemBytes ||
      dims.back().source == copy.itemBytes || dims.back().size < kWorthIt)
    return false;
  auto nearby = std::find_if(dims.begin(), dims.end(), [&](auto &dim) {
    return dim.source == copy.itemBytes && dim.size >= kWorthIt;
  });
  if (nearby == dims.end())
    return false;
  std::iter_swap(nearby, dims.end() - 2);
  return true;
}

int StridedCopies::load(uint32_t itemBytes, Code &code) {
  const std::string text = stridedCopyPTX(itemBytes);
  const std::string bytes = std::to_string(itemBytes);
  Code made;
  int answer = driver_.cuModuleLoadData(&made.module, text.c_str());
  if (answer != kSuccess)
    return answer;
  answer = driver_.cuModuleGetFunction(&made.items, made.module,
                                       ("kiln_copy_" + bytes).c_str());
  if (answer == kSuccess)
    answer = driver_.cuModuleGetFunction(&made.tiles, made.module,
                                         ("kiln_copy_tiles_" + bytes).c_str());
  if (answer == kSuccess)
    code = made;
  else
    driver_.cuModuleUnload(made.module);
  return answer;
}

void StridedCopies::free() {
  for (Code &code : codes_) {
    if (code.module)
      driver_.cuModuleUnload(code.module);
    code = Code();
  }
}

int StridedCopies::launch(const runtime::StridedCopy &wanted, Handle stream,
                          std::string &name) {
  runtime::StridedCopy copy = wanted;
  size_t index = 0;
  while (1u << index < copy.itemBytes)
    ++index;
  const bool isTiled = arrangeTiles(copy);
  name = std::string(isTiled ? "kiln_copy_tiles_" : "kiln_copy_") +
         std::to_string(copy.itemBytes);
  Code &code = codes_[index];
  if (!code.tiles)
    if (int answer = load(copy.itemBytes, code); answer != kSuccess)
      return answer;
  uint64_t dims[runtime::StridedCopy::kMostDims][3] = {}, count = 1, rank = 0;
  for (size_t i = copy.dims.size(); i-- > 0; ++rank) {
    const runtime::CopyDim &dim = copy.dims[i];
    dims[rank][0] = uint64_t(dim.size);
    dims[rank][1] = uint64_t(dim.source);
    dims[rank][2] = uint64_t(dim.target);
    count *= uint64_t(isTiled && rank < 2 ? (dim.size + kSide - 1) / kSide
                                          : dim.size);
  }
  // Beyond that each block has several.
  constexpr uint64_t kMostBlocks = 1 << 16;
  uint64_t blocks = isTiled ? count : (count + kThreads - 1) / kThreads;
  void *parameters[] = {const_cast<void **>(&copy.source), &copy.target, &count,
                        &rank, dims};
  return driver_.cuLaunchKernel(isTiled ? code.tiles : code.items,
                                unsigned(std::min(blocks, kMostBlocks)), 1, 1,
                                kThreads, 1, 1, 0, stream, parameters, nullptr);
}

} // namespace kiln::cuda

//===- NpyFile.cpp - NumPy arrays in files -------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Archive/NpyFile.h"

#include "SymExprDetail.h"
#include "kiln/Base/CheckedMath.h"
#include "kiln/Base/FileSystem.h"

#include <algorithm>

using namespace kiln;
using namespace kiln::archive;

namespace {

struct NpyType {
  std::string_view descr;
  DType dtype;
};
constexpr NpyType npyTypes[] = {
    {"|b1", DType::Bool}, {"|u1", DType::U8},   {"|i1", DType::I8},
    {"<u1", DType::U8},   {"<i1", DType::I8},   {"<i2", DType::I16},
    {"<i4", DType::I32},  {"<i8", DType::I64},  {"<u2", DType::U16},
    {"<u4", DType::U32},  {"<u8", DType::U64},  {"<f2", DType::F16},
    {"<f4", DType::F32},  {"<f8", DType::F64},  {"<c8", DType::C64},
    {"<c16", DType::C128},
};

struct Header {
  std::string descr;
  bool isColumnMajor = false;
  std::vector<int64_t> sizes;
};

/// A Python dictionary of the three known keys, in any order.
Result<Header> parseHeader(std::string_view text) {
  SymScanner scan(text);
  Header header;
  bool hasDescr = false, hasOrder = false, hasShape = false;
  if (!scan.eat("{"))
    return scan.unexpected("'{'");
  while (!scan.eat("}")) {
    auto key = scan.quoted();
    if (!key)
      return key.takeError();
    if (!scan.eat(":"))
      return scan.unexpected("':'");
    if (*key == "descr") {
      if (scan.peek("["))
        return Error::unsupported("records are not supported");
      auto descr = scan.quoted();
      if (!descr)
        return descr.takeError();
      header.descr = *descr;
      hasDescr = true;
    } else if (*key == "fortran_order") {
      header.isColumnMajor = scan.eat("True");
      if (!header.isColumnMajor && !scan.eat("False"))
        return scan.unexpected("True or False");
      hasOrder = true;
    } else if (*key == "shape") {
      if (!scan.eat("("))
        return scan.unexpected("'('");
      while (!scan.eat(")")) {
        auto size = scan.integer();
        if (!size)
          return size.takeError();
        header.sizes.push_back(*size);
        if (!scan.eat(",") && !scan.peek(")"))
          return scan.unexpected("','");
      }
      hasShape = true;
    } else {
      return Error::malformed("unknown key '" + key->substr(0, 60) + "'");
    }
    if (!scan.eat(",") && !scan.peek("}"))
      return scan.unexpected("','");
  }
  if (!scan.atEnd() || !hasDescr || !hasOrder || !hasShape)
    return Error::malformed("header lacks descr, fortran_order or shape");
  return header;
}

/// Row-major bytes of a column-major array.
std::vector<uint8_t> transposed(ByteView bytes, size_t itemBytes,
                                const std::vector<int64_t> &sizes) {
  std::vector<uint8_t> out(bytes.size());
  size_t rank = sizes.size();
  std::vector<int64_t> strides(rank, 1), index(rank, 0);
  for (size_t d = 1; d < rank; ++d)
    strides[d] = strides[d - 1] * sizes[d - 1];
  for (size_t at = 0; at < out.size(); at += itemBytes) {
    int64_t source = 0;
    for (size_t d = 0; d < rank; ++d)
      source += index[d] * strides[d];
    std::memcpy(out.data() + at,
                bytes.data() + static_cast<size_t>(source) * itemBytes,
                itemBytes);
    for (size_t d = rank; d-- > 0 && ++index[d] == sizes[d];)
      index[d] = 0;
  }
  return out;
}

} // namespace

static Result<NpyArray> parse(const SharedBytes &file) {
  ByteReader reader(file.view());
  if (reader.text(6) != "\x93NUMPY")
    return Error::malformed("is not a .npy file");
  uint8_t version = reader.u8();
  reader.skip(1);
  if (reader.ok() && (version < 1 || version > 3))
    return Error::unsupported("is of version " + std::to_string(version) +
                              ", expected 1 to 3");
  uint32_t length = version == 1 ? reader.u16() : reader.u32();
  std::string_view text = reader.text(length);
  if (!reader.ok())
    return Error::malformed("is cut short in its header");
  auto header = parseHeader(text);
  if (!header)
    return header.takeError();
  NpyArray array;
  auto type = std::find_if(
      std::begin(npyTypes), std::end(npyTypes),
      [&](const NpyType &known) { return known.descr == header->descr; });
  if (type == std::end(npyTypes))
    return Error::unsupported("element type '" + header->descr.substr(0, 60) +
                              "' is not supported, expected little-endian "
                              "numbers or bools");
  array.dtype = type->dtype;
  array.sizes = header->sizes;
  auto bytes = byteCount(array.dtype, array.sizes);
  if (!bytes)
    return bytes.takeError();
  if (static_cast<uint64_t>(*bytes) != reader.remaining())
    return Error::malformed("has " + std::to_string(reader.remaining()) +
                            " bytes of data, expected " +
                            std::to_string(*bytes));
  array.bytes = file.slice(reader.position(), static_cast<uint64_t>(*bytes));
  if (header->isColumnMajor && array.sizes.size() > 1 && *bytes > 0)
    array.bytes = SharedBytes::own(transposed(
        array.bytes.view(), itemSize(array.dtype), array.sizes));
  return array;
}

Result<NpyArray> archive::parseNpy(SharedBytes bytes, const std::string &file) {
  auto array = parse(bytes);
  if (!array)
    return array.takeError().withContext("'" + file + "'");
  return array;
}

Result<NpyArray> archive::loadNpy(const std::string &path) {
  auto bytes = mapFile(path);
  if (!bytes)
    return bytes.takeError();
  return parseNpy(std::move(*bytes), path);
}

static DType storedAs(DType dtype) {
  switch (dtype) {
  case DType::BF16:
    return DType::U16;
  case DType::F8E4M3FN:
  case DType::F8E5M2:
  case DType::F8E4M3FNUZ:
  case DType::F8E5M2FNUZ:
  case DType::F8E8M0FNU:
    return DType::U8;
  case DType::C32:
    return DType::U32;
  default:
    return dtype;
  }
}

Result<std::vector<uint8_t>>
archive::encodeNpy(DType dtype, const std::vector<int64_t> &sizes,
                   ByteView bytes) {
  auto expected = byteCount(dtype, sizes);
  if (!expected)
    return expected.takeError();
  if (static_cast<uint64_t>(*expected) != bytes.size())
    return Error::usage("array has " + std::to_string(bytes.size()) +
                        " bytes, expected " + std::to_string(*expected));
  std::string_view descr;
  for (const NpyType &known : npyTypes)
    if (descr.empty() && known.dtype == storedAs(dtype))
      descr = known.descr;
  std::string header = "{'descr': '" + std::string(descr) +
                       "', 'fortran_order': False, 'shape': (";
  for (int64_t size : sizes)
    header += std::to_string(size) + ",";
  header += "), }";
  // Data starts at a multiple of 64; the header ends with a line break.
  while ((header.size() + 11) % 64 != 0)
    header += ' ';
  header += '\n';
  std::vector<uint8_t> out;
  ByteWriter writer(out);
  writer.text("\x93NUMPY");
  writer.u8(1);
  writer.u8(0);
  writer.u16(static_cast<uint16_t>(header.size()));
  writer.text(header);
  writer.bytes(bytes);
  return out;
}

//===- TrialInputs.cpp - What candidates are called with ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TrialInputs.h"

#include "TrialCalls.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>

using namespace kiln;
using namespace kiln::session;
using runtime::Tensor;

/// The part of memory that one set of inputs may take, of what is there and of what is
/// free: results and scratch of candidates come to it.
static constexpr double kMemoryPart = 0.125;

/// What integers of any type can be.
static constexpr int64_t kMaxInteger = 127;

InputMaker::InputMaker(const package::Program &program,
                       const package::SymbolValues &symbols,
                       int64_t integersBelow)
    : program(program),
      integersBelow(static_cast<uint32_t>(
          std::clamp<int64_t>(integersBelow, 1, kMaxInteger + 1))),
      cells(program.symbols.size()) {
  for (size_t i = 0; i < cells.size(); ++i)
    for (const auto &[name, value] : symbols)
      if (program.symbols[i].name == name)
        cells[i] = package::Cell::ofInteger(value);
}

Result<std::vector<int64_t>>
InputMaker::evaluate(const std::vector<package::ExprId> &exprs) const {
  std::vector<int64_t> values;
  for (package::ExprId expr : exprs) {
    package::Cell cell;
    if (package::evaluate(program.exprs[expr], cells.data(), cell) !=
            package::ExprFailure::None ||
        !cell.isInteger() || cell.integer < 0)
      return Error::unsupported("the size of an input is not known");
    values.push_back(cell.integer);
  }
  return values;
}

MemoryBytes session::readMemoryBytes(std::istream &file) {
  MemoryBytes memory;
  auto take = [](const std::string &line, std::string_view name, double &bytes) {
    if (line.compare(0, name.size(), name) == 0)
      bytes = double(std::strtoull(line.c_str() + name.size(), nullptr, 10)) *
              1024;
  };
  for (std::string line; std::getline(file, line);) {
    take(line, "MemTotal:", memory.all);
    take(line, "MemAvailable:", memory.available);
  }
  return memory;
}

Status session::checkInputBytes(double needed, const MemoryBytes &memory) {
  const std::string size =
      std::to_string(int64_t(std::min(needed, 1e18) / (1 << 20))) + " MiB";
  if (needed > kMemoryPart * memory.all)
    return Error::unsupported("its inputs need " + size +
                              ", too much for this machine");
  // What else runs may have ended the next time.
  if (needed > kMemoryPart * memory.available)
    return Error::io("its inputs need " + size +
                     ", too much beside what runs here now");
  return Status::success();
}

/// Fills memory with elements of a dtype.
static void fill(uint8_t *data, size_t count, DType dtype,
                 uint32_t integersBelow, uint64_t &state) {
  auto next = [&state] {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return static_cast<uint32_t>(state >> 40); // 24 bits
  };
  for (size_t i = 0; i < count; ++i) {
    float number = 0.25f + static_cast<float>(next()) * 0x1p-24f;
    switch (dtype) {
    case DType::F32:
      std::memcpy(data + 4 * i, &number, 4);
      break;
    case DType::F64: {
      double wide = number;
      std::memcpy(data + 8 * i, &wide, 8);
      break;
    }
    case DType::BF16: {
      uint32_t bits;
      std::memcpy(&bits, &number, 4);
      uint16_t half = static_cast<uint16_t>(bits >> 16);
      std::memcpy(data + 2 * i, &half, 2);
      break;
    }
    case DType::F16: {
      // From 0.5 to 1.
      uint16_t half = static_cast<uint16_t>(0x3800u | (next() & 0x3ffu));
      std::memcpy(data + 2 * i, &half, 2);
      break;
    }
    case DType::Bool:
      data[i] = i & 1;
      break;
    default:
      std::memset(data + i * itemSize(dtype), 0, itemSize(dtype));
      if (isInteger(dtype))
        data[i * itemSize(dtype)] = uint8_t(next() % integersBelow);
      break;
    }
  }
}

Result<Tensor> InputMaker::makeTensor(const package::Slot &slot) {
  auto sizes = evaluate(slot.sizes);
  if (!sizes)
    return sizes.takeError();
  std::vector<int64_t> strides = runtime::rowMajorStrides(*sizes);
  if (!slot.strides.empty()) {
    auto stated = evaluate(slot.strides);
    if (!stated)
      return stated.takeError();
    strides = std::move(*stated);
  }
  double count = 1;
  bool isEmpty = false;
  for (size_t d = 0; d < sizes->size(); ++d) {
    count += double((*sizes)[d] - 1) * double(strides[d]);
    isEmpty |= (*sizes)[d] == 0;
  }
  count = isEmpty ? 0 : count;
  double needed = double(total) + count * double(itemSize(slot.dtype));
  std::ifstream file("/proc/meminfo");
  if (Status s = checkInputBytes(needed, readMemoryBytes(file)); !s)
    return s.error();
  size_t elements = static_cast<size_t>(count);
  auto storage = runtime::Storage::allocate(elements * itemSize(slot.dtype));
  if (!storage)
    return storage.takeError();
  fill((*storage)->data(), elements, slot.dtype, integersBelow, state);
  total += elements * itemSize(slot.dtype);
  return Tensor::view(std::move(*storage), slot.dtype, *sizes, strides, 0);
}

Result<Inputs> InputMaker::make() {
  Inputs inputs;
  total = 0;
  for (const package::Slot &slot : program.slots) {
    if (slot.payload != package::kNone) {
      inputs.emplace_back();
      continue;
    }
    if (!slot.isTensor)
      return Error::unsupported("it takes a number");
    auto tensor = makeTensor(slot);
    if (!tensor)
      return tensor.takeError();
    inputs.push_back(std::move(*tensor));
  }
  return inputs;
}

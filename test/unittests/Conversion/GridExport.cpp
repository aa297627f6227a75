//===- GridExport.cpp - Recorded grids for a machine with a GPU -----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridExport.h"

#include "kiln/Target/GPU/PTXCompiler.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

const std::string &loop::compilePTX(Operation *kernels, StringRef chip) {
  static std::map<std::string, std::string> known;
  std::string text = chip.str() + "\n";
  llvm::raw_string_ostream stream(text);
  kernels->print(stream, OpPrintingFlags().assumeVerified());
  auto [entry, isNew] = known.try_emplace(std::move(text));
  if (!isNew)
    return entry->second;
  auto target = target::NVVMTarget::parse(chip);
  if (!target) {
    ADD_FAILURE() << target.error().message;
    return entry->second;
  }
  auto compiler = target::PTXCompiler::create(*target);
  auto ptx = (*compiler)->compile(kernels);
  if (ptx)
    entry->second = std::move(*ptx);
  else
    ADD_FAILURE() << ptx.error().message;
  return entry->second;
}

/// The PTX of the `gpu.module`s that have a function of the record, in their order.
static std::vector<std::string> compileRecord(const GridRecord &record,
                                              std::vector<Operation *> &homes) {
  const char *chip = std::getenv("KILN_GRID_CHIP");
  std::vector<std::string> texts;
  for (const GridRecord::Step &step : record.steps) {
    Operation *home = step.function->getParentOp();
    if (llvm::is_contained(homes, home))
      continue;
    homes.push_back(home);
    texts.push_back(compilePTX(home, chip ? chip : "sm_75"));
  }
  return texts;
}

void loop::exportGrids(const std::string &folder, const std::string &name,
                       ModuleOp module, const GridRecord &record,
                       double ulps) {
  std::vector<Operation *> homes;
  std::vector<std::string> texts = compileRecord(record, homes);
  std::string path;
  for (unsigned k = 0; path.empty() || std::filesystem::exists(path); ++k)
    path = folder + "/" + name + "." + std::to_string(k) + ".grid";
  std::ofstream out(path, std::ios::binary);
  out << "kiln-grid 1\n";
  for (const std::string &text : texts)
    out << "ptx " << text.size() << "\n";
  for (const GridRecord::Buffer &buffer : record.buffers)
    out << "buffer " << buffer.type << " " << buffer.content.size() << " "
        << (buffer.expected.empty() ? 0 : 1) << " " << ulps << "\n";
  for (const GridRecord::Map &map : record.maps) {
    out << "map " << map.buffer << " " << map.type << " " << map.offset << " "
        << map.swizzle << " " << map.sizes.size();
    for (const std::vector<int64_t> *list : {&map.sizes, &map.strides, &map.box})
      for (int64_t value : *list)
        out << " " << value;
    out << "\n";
  }
  for (const GridRecord::Step &step : record.steps) {
    out << "step "
        << llvm::find(homes, step.function->getParentOp()) - homes.begin() << " "
        << cast<LLVM::LLVMFuncOp>(step.function).getName().str() << " "
        << step.blocks << " " << step.threads;
    for (const GridRecord::Argument &argument : step.arguments)
      out << (argument.isBuffer ? " b" : " n") << argument.value;
    if (step.shared)
      out << " s" << step.shared;
    for (size_t map : step.maps)
      out << " m" << map;
    out << "\n";
  }
  out << "end\n";
  for (const std::string &text : texts)
    out << text;
  auto put = [&](const std::vector<uint8_t> &bytes) {
    out.write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  };
  for (const GridRecord::Buffer &buffer : record.buffers) {
    put(buffer.content);
    put(buffer.expected);
  }
  EXPECT_TRUE(out.good()) << "cannot write " << path;
}

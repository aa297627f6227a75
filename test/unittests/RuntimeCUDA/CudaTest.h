//===- CudaTest.h - Programs on a driver without a GPU ----------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver of test/fake-cuda runs one kernel: r = 2 x + y.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TEST_UNITTESTS_RUNTIMECUDA_CUDATEST_H
#define KILN_TEST_UNITTESTS_RUNTIMECUDA_CUDATEST_H

#include "../Package/SampleProgram.h"
#include "kiln/Runtime/Executable.h"
#include "kiln/RuntimeCUDA/CudaDevice.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <numeric>
#include <unistd.h>

namespace kiln::test {

using namespace kiln::runtime;

constexpr char kPTX[] = ".version 8.0\n.target sm_90a\n.visible .entry "
                        "fake_saxpy(.param .u64 x, .param .u64 y, "
                        ".param .u64 r, .param .u64 w)\n{ ret; }\n";

class CudaDevice : public testing::Test {
protected:
  CudaDevice() {
    auto opened = cuda::openDevice({});
    EXPECT_TRUE(opened) << opened.error().message;
    device = *opened;
  }

  /// 0, 1, 2, ... on the host.
  static Tensor count(std::vector<int64_t> sizes) {
    Tensor tensor = *Tensor::empty(DType::F32, std::move(sizes));
    std::iota(tensor.dataAs<float>(), tensor.dataAs<float>() + tensor.numel(),
              0.0f);
    return tensor;
  }
  static std::vector<float> contentsOf(const Tensor &tensor) {
    Tensor host = *tensor.toHost()->contiguous();
    return {host.dataAs<float>(), host.dataAs<float>() + host.numel()};
  }

  /// A package with that program, whose kernel 0 is the one that runs.
  Package packageOf(const ProgramBuilder &b) {
    Package package;
    package.programs.push_back(b.program);
    package.image.target = "sm_90a";
    package.image.kind = KILN_IMAGE_PTX;
    package.image.requiredFeatures = 90 | KILN_GPU_EXACT;
    package.image.kernels = {{"fake_saxpy", 0}};
    package.image.bytes.assign(std::begin(kPTX), std::end(kPTX));
    return package;
  }
  static GridStep saxpy(ProgramBuilder &b, ValueId x, ValueId y, ValueId r) {
    GridStep grid;
    grid.buffers = {x, y, r};
    grid.writes = {2};
    GridStep::Part part;
    part.blocks = b.integer(1);
    part.threads = 256;
    grid.parts = {part};
    return grid;
  }

  std::shared_ptr<Device> device;
  OperatorRegistry registry;
};

/// A device whose fake driver has a library beside it and writes down what it is asked for.
class LibraryDevice : public CudaDevice {
protected:
  /// `fake` is what the driver is told, `name` that of the log.
  LibraryDevice(const char *fake, const std::string &name) {
    options.stats = &stats;
    setenv("KILN_FAKE_CUDA", fake, 1);
    log = testing::TempDir() + "kiln-" + name + "-" + std::to_string(getpid());
    setenv("KILN_FAKE_CUDA_LOG", log.c_str(), 1);
  }
  ~LibraryDevice() override {
    unsetenv("KILN_FAKE_CUDA");
    unsetenv("KILN_FAKE_CUDA_LOG");
    std::remove(log.c_str());
  }

  /// Lines of the driver's log that begin with a word.
  std::vector<std::string> lines(const std::string &word) const {
    std::vector<std::string> found;
    std::ifstream file(log);
    for (std::string line; std::getline(file, line);)
      if (line.rfind(word + " ", 0) == 0 || line == word)
        found.push_back(line);
    return found;
  }

  RunStats stats;
  RunOptions options;
  std::string log;
};

} // namespace kiln::test

#endif // KILN_TEST_UNITTESTS_RUNTIMECUDA_CUDATEST_H

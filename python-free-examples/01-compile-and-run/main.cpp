//===- main.cpp - A model in a C++ program --------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Links libKilnRuntime.so and nothing else: the compiler is opened when the cache
// has no program that fits.
//
//   attention MODEL.pt2 INPUT.bin EXPECTED.bin CACHE
//
//===----------------------------------------------------------------------===//

#include "kiln/Base/FileSystem.h"
#include "kiln/Cache/CacheConfig.h"
#include "kiln/Session/Session.h"

#include <cmath>
#include <cstdio>
#include <cstring>

using namespace kiln;

static int fail(const Error &error) {
  std::fprintf(stderr, "attention: error: %s\n", error.message.c_str());
  return error.exitCode();
}

/// A tensor of f32 with the bytes of a file.
static Result<runtime::Tensor> readTensor(const char *path,
                                          std::vector<int64_t> sizes) {
  auto bytes = mapFile(path);
  if (!bytes)
    return bytes.takeError();
  auto tensor = runtime::Tensor::empty(DType::F32, std::move(sizes));
  if (!tensor)
    return tensor;
  ByteView view = bytes->view();
  if (view.size() != tensor->numel() * sizeof(float))
    return Error::malformed(std::string(path) + " has " +
                            std::to_string(view.size()) + " bytes, expected " +
                            tensor->typeString());
  std::memcpy(tensor->data(), view.data(), view.size());
  return tensor;
}

int main(int argc, char **argv) {
  if (argc != 5)
    return fail(Error::usage(
        "expected MODEL.pt2 INPUT.bin EXPECTED.bin CACHE-FOLDER"));
  session::SessionOptions options;
  options.cache = cache::readCacheConfig(std::string(argv[4]));
  auto session = session::Session::open(argv[1], options);
  if (!session)
    return fail(session.error());

  // The sizes are those that the model says of its input.
  std::vector<int64_t> sizes;
  for (const archive::SymInt &size : (*session)->inputs().front().sizes)
    sizes.push_back(size.value);
  auto x = readTensor(argv[2], sizes);
  auto expected = readTensor(argv[3], sizes);
  if (!x || !expected)
    return fail(x ? expected.error() : x.error());

  auto outputs = (*session)->call({*x});
  if (!outputs)
    return fail(outputs.error());
  const auto &y = std::get<runtime::Tensor>(outputs->front().value);
  double worst = 0;
  for (int64_t i = 0; i < y.numel(); ++i)
    worst = std::max(worst, std::fabs(double(y.dataAs<float>()[i]) -
                                      expected->dataAs<float>()[i]));
  std::printf("%s, %s, at most %.1e from PyTorch\n", y.typeString().c_str(),
              (*session)->stats().compilerLoaded ? "compiled" : "from the cache",
              worst);
  return worst < 1e-5 ? 0 : 1;
}

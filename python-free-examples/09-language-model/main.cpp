//===- main.cpp - Tokens from two packages --------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   generate PREFILL.kiln DECODE.kiln TOKENS
//
//===----------------------------------------------------------------------===//

#include "kiln/Session/Session.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

using namespace kiln;
using runtime::OpValue;
using runtime::Tensor;
using session::Session;
using Values = std::vector<OpValue>;

static constexpr int64_t kWords = 32, kWidth = 16, kPositions = 64;

/// Ends the program with the error of a result that has one.
template <typename T> static T orFail(Result<T> result) {
  if (result)
    return std::move(*result);
  std::fprintf(stderr, "generate: error: %s\n", result.error().message.c_str());
  std::exit(result.error().exitCode());
}
static void orFail(Status status) {
  if (status)
    return;
  std::fprintf(stderr, "generate: error: %s\n", status.error().message.c_str());
  std::exit(status.error().exitCode());
}

static Tensor makeTokens(const std::vector<int64_t> &tokens) {
  Tensor tensor =
      orFail(Tensor::empty(DType::I64, {int64_t(tokens.size())}));
  std::copy(tokens.begin(), tokens.end(), tensor.dataAs<int64_t>());
  return tensor;
}

/// Gives a program its weights: the same for the same names.
static void setWeights(Session &session, const Values &inputs) {
  orFail(session.prepareFor(inputs));
  struct Weight {
    const char *name;
    int64_t rows;
  };
  std::mt19937 random(7);
  for (Weight weight : {Weight{"embed", kWords}, Weight{"positions", kPositions},
                        Weight{"wq", kWidth}, Weight{"wk", kWidth},
                        Weight{"wv", kWidth}, Weight{"wo", kWidth}}) {
    Tensor tensor =
        orFail(Tensor::empty(DType::F32, {weight.rows, kWidth}));
    for (int64_t i = 0; i < tensor.numel(); ++i)
      tensor.dataAs<float>()[i] = float(random() % 2001) / 1000 - 1;
    orFail(session.setWeight(weight.name, tensor));
  }
}

/// A copy of the scores among the results of a program.
static std::vector<float> getScores(const Values &results) {
  const auto &scores = std::get<Tensor>(results[0].value);
  return {scores.dataAs<float>(), scores.dataAs<float>() + kWords};
}

static int64_t getBest(const std::vector<float> &scores) {
  return std::max_element(scores.begin(), scores.end()) - scores.begin();
}

int main(int argc, char **argv) {
  long count = argc == 4 ? std::strtol(argv[3], nullptr, 10) : 0;
  const std::vector<int64_t> prompt = {3, 14, 15, 9};
  if (count < 1 || count + int64_t(prompt.size()) >= kPositions) {
    std::fprintf(stderr, "usage: generate PREFILL.kiln DECODE.kiln TOKENS\n");
    return 2;
  }
  auto prefill = orFail(Session::open(argv[1], session::SessionOptions()));
  auto decode = orFail(Session::open(argv[2], session::SessionOptions()));

  // The prompt at once, then token by token.
  setWeights(*prefill, {makeTokens(prompt)});
  Values state = orFail(prefill->call({makeTokens(prompt)}));
  std::vector<std::vector<float>> scores = {getScores(state)};
  std::vector<int64_t> text = prompt;
  for (long i = 1; i < count; ++i) {
    text.push_back(getBest(scores.back()));
    Values inputs = {makeTokens({text.back()}), state[1], state[2]};
    if (i == 1)
      setWeights(*decode, inputs);
    state = orFail(decode->call(inputs));
    scores.push_back(getScores(state));
  }
  text.push_back(getBest(scores.back()));
  for (int64_t token : text)
    std::printf("%d ", int(token));
  std::printf("\n");

  // The whole text for each token gives the same.
  double worst = 0;
  for (long i = 0; i < count; ++i) {
    std::vector<int64_t> before(text.begin(), text.begin() + prompt.size() + i);
    std::vector<float> again =
        getScores(orFail(prefill->call({makeTokens(before)})));
    for (int64_t k = 0; k < kWords; ++k)
      worst = std::max(worst, std::fabs(double(again[k]) - scores[i][k]));
    if (getBest(again) != text[prompt.size() + i]) {
      std::printf("token %ld differs without a cache\n", i);
      return 1;
    }
  }
  std::printf("%ld tokens, the same as without a cache; scores differ by at most "
              "%.1e\n", count, worst);
  return worst < 1e-4 ? 0 : 1;
}

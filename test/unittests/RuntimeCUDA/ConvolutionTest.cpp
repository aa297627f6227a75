//===- ConvolutionTest.cpp - Convolutions by a library --------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cuDNN of test/fake-cuda computes convolutions of f32 with dnn=1. Where
// kernels run instead, the one that does gives 2 x + y.
//
//===----------------------------------------------------------------------===//

#include "CudaTest.h"
#include "kiln/Package/GraphPlan.h"

using namespace kiln;
using namespace kiln::runtime;
using namespace kiln::test;

namespace {

class Convolutions : public LibraryDevice {
protected:
  using Convolution = GridStep::Convolution;

  /// What a test says of a convolution, all in numbers.
  struct Shape {
    int64_t images = 1, groups = 1, channels = 1, filters = 1;
    std::vector<int64_t> inputs, taps;
    std::vector<uint32_t> strides, dilations, padding;
    bool isChannelsLast = false, isGradient = false, permitsTF32 = false;

    std::vector<int64_t> outputs() const {
      std::vector<int64_t> list;
      for (size_t i = 0; i < inputs.size(); ++i)
        list.push_back(
            (inputs[i] + 2 * padding[i] - 1 - (taps[i] - 1) * dilations[i]) /
                strides[i] +
            1);
      return list;
    }
    static int64_t count(const std::vector<int64_t> &sizes) {
      return std::accumulate(sizes.begin(), sizes.end(), int64_t(1),
                             std::multiplies<>());
    }
    int64_t sourceSize() const {
      return images * groups * channels * count(inputs);
    }
    int64_t targetSize() const {
      return images * groups * filters * count(outputs());
    }
    int64_t weightSize() const {
      return groups * filters * channels * count(taps);
    }
    /// Elements from each place, channel and image to the next: {image,
    /// channel, places...}.
    std::vector<int64_t> steps(int64_t all,
                               const std::vector<int64_t> &sizes) const {
      std::vector<int64_t> list(2 + sizes.size());
      int64_t step = isChannelsLast ? all : 1;
      for (size_t i = sizes.size(); i-- > 0;) {
        list[2 + i] = step;
        step *= sizes[i];
      }
      list[1] = isChannelsLast ? 1 : step;
      list[0] = isChannelsLast ? step : step * all;
      return list;
    }
  };

  Convolutions() : LibraryDevice("dnn=1", "convolutions") {}

  static std::vector<ExprId> integers(ProgramBuilder &b,
                                      const std::vector<int64_t> &numbers) {
    std::vector<ExprId> ids;
    for (int64_t number : numbers)
      ids.push_back(b.integer(number));
    return ids;
  }
  static Convolution::Image image(ProgramBuilder &b, uint32_t buffer,
                                  std::vector<int64_t> steps) {
    Convolution::Image made;
    made.buffer = buffer;
    made.offset = b.integer(0);
    made.image = b.integer(steps[0]);
    made.channel = b.integer(steps[1]);
    made.places = integers(b, {steps.begin() + 2, steps.end()});
    return made;
  }
  /// Of buffers 0, the source, and 1, the weight, or of a gradient the target.
  static Convolution describe(ProgramBuilder &b, const Shape &shape) {
    Convolution c;
    c.permitsTF32 = shape.permitsTF32;
    c.isGradient = shape.isGradient;
    c.isChannelsLast = shape.isChannelsLast;
    c.images = b.integer(shape.images);
    c.groups = b.integer(shape.groups);
    c.channels = b.integer(shape.channels);
    c.filters = b.integer(shape.filters);
    c.inputs = integers(b, shape.inputs);
    c.outputs = integers(b, shape.outputs());
    c.taps = integers(b, shape.taps);
    c.strides = shape.strides;
    c.dilations = shape.dilations;
    c.padding = shape.padding;
    c.source =
        image(b, 0, shape.steps(shape.groups * shape.channels, shape.inputs));
    c.target =
        image(b, shape.isGradient ? 1 : 2,
              shape.steps(shape.groups * shape.filters, shape.outputs()));
    c.weight = shape.isGradient ? 2 : 1;
    c.weightOffset = b.integer(0);
    return c;
  }

  /// x and y, and the result of one step that is a convolution.
  void load(ProgramBuilder &b, const Convolution &convolution,
            const Shape &shape) {
    ValueId x = b.slotValue(b.slot("x", {b.integer(shape.sourceSize())}));
    int64_t other = shape.isGradient ? shape.targetSize() : shape.weightSize(),
            made = shape.isGradient ? shape.weightSize() : shape.targetSize();
    ValueId y = b.slotValue(b.slot("y", {b.integer(other)}));
    ValueId r = b.value(Value::Kind::New, {b.integer(made)});
    GridStep grid = saxpy(b, x, y, r);
    grid.library = convolution;
    b.program.steps.emplace_back(grid);
    b.output(r);
    auto loaded = Executable::load(packageOf(b), registry, device);
    ASSERT_TRUE(loaded) << loaded.error().message;
    executable = *loaded;
  }
  Result<std::vector<float>> call(const Shape &shape) {
    Tensor x = count({shape.sourceSize()}),
           y = count(
               {shape.isGradient ? shape.targetSize() : shape.weightSize()});
    auto results = executable->forward().run({x, y}, options);
    if (!results)
      return results.takeError();
    return contentsOf(std::get<Tensor>((*results)[0].value));
  }

  /// What comes of 0, 1, 2, ..., of two dimensions.
  static std::vector<float> expected(const Shape &s) {
    auto outputs = s.outputs();
    auto source = s.steps(s.groups * s.channels, s.inputs),
         target = s.steps(s.groups * s.filters, outputs);
    std::vector<float> result(s.isGradient ? s.weightSize() : s.targetSize());
    for (int64_t n = 0; n < s.images; ++n)
      for (int64_t k = 0; k < s.groups * s.filters; ++k)
        for (int64_t c = 0; c < s.channels; ++c)
          for (int64_t p = 0; p < outputs[0]; ++p)
            for (int64_t q = 0; q < outputs[1]; ++q)
              for (int64_t r = 0; r < s.taps[0]; ++r)
                for (int64_t t = 0; t < s.taps[1]; ++t) {
                  int64_t h = p * s.strides[0] + r * s.dilations[0] -
                              s.padding[0],
                          w = q * s.strides[1] + t * s.dilations[1] -
                              s.padding[1];
                  if (h < 0 || h >= s.inputs[0] || w < 0 || w >= s.inputs[1])
                    continue;
                  int64_t x = n * source[0] +
                              (k / s.filters * s.channels + c) * source[1] +
                              h * source[2] + w * source[3],
                          y = n * target[0] + k * target[1] + p * target[2] +
                              q * target[3],
                          tap = r * s.taps[1] + t, taps = s.taps[0] * s.taps[1],
                          f = k * s.channels * taps +
                              (s.isChannelsLast ? tap * s.channels + c
                                                : c * taps + tap);
                  result[s.isGradient ? f : y] +=
                      float(x) * float(s.isGradient ? y : f);
                }
    return result;
  }
  /// Two images of 5 by 4 with 4 channels, 6 filters in two groups of windows
  /// of 3 by 2.
  static Shape small(bool isChannelsLast, bool isGradient) {
    Shape shape;
    shape.images = 2;
    shape.groups = 2;
    shape.channels = 2;
    shape.filters = 3;
    shape.inputs = {5, 4};
    shape.taps = {3, 2};
    shape.strides = {2, 1};
    shape.dilations = {1, 2};
    shape.padding = {1, 0};
    shape.isChannelsLast = isChannelsLast;
    shape.isGradient = isGradient;
    return shape;
  }

  std::shared_ptr<Executable> executable;
};

TEST_F(Convolutions, InEitherOrder) {
  for (bool isGradient : {false, true})
    for (bool isChannelsLast : {true, false}) {
      Shape shape = small(isChannelsLast, isGradient);
      ProgramBuilder b;
      load(b, describe(b, shape), shape);
      auto got = call(shape);
      ASSERT_TRUE(got) << got.error().message;
      EXPECT_EQ(*got, expected(shape)) << isGradient << isChannelsLast;
    }
  EXPECT_EQ(stats.libraryConvolutions, 4u);
  EXPECT_EQ(stats.kernelLaunches, 0u);
  // Sums are exact, although the library proposes others.
  const std::string windows =
      " pad 1,0 stride 2,1 dilation 1,2 groups 2 type 0 math 3 algorithm 1";
  std::vector<std::string> asked = lines("convolve"),
                           gradients = lines("gradient");
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_EQ(asked[0], "convolve 2,4,5,4/80,1,16,4 by 6,2,3,2 last to "
                      "2,6,3,2/36,1,12,6" +
                          windows);
  EXPECT_EQ(asked[1], "convolve 2,4,5,4/80,20,4,1 by 6,2,3,2 first to "
                      "2,6,3,2/36,6,2,1" +
                          windows);
  ASSERT_EQ(gradients.size(), 2u);
  EXPECT_EQ(gradients[0], "gradient 2,4,5,4/80,1,16,4 by 6,2,3,2 last to "
                          "2,6,3,2/36,1,12,6" +
                              windows);
}

TEST_F(Convolutions, OfOneDimensionAndOneImage) {
  // Steps along what has one element are those of an image without gaps.
  Shape shape;
  shape.channels = 3;
  shape.filters = 2;
  shape.inputs = {7};
  shape.taps = {7};
  shape.strides = shape.dilations = {1};
  shape.padding = {0};
  shape.isChannelsLast = shape.permitsTF32 = true;
  ProgramBuilder b;
  Convolution convolution = describe(b, shape);
  ExprId zero = b.integer(0);
  convolution.source.image = convolution.target.image = zero;
  convolution.target.places = {zero};
  load(b, convolution, shape);
  auto got = call(shape);
  ASSERT_TRUE(got) << got.error().message;
  // The sums of i * i and of i * (21 + i) below 21.
  EXPECT_EQ(*got, (std::vector<float>{2870, 7280}));
  EXPECT_EQ(lines("convolve").back(),
            "convolve 1,3,1,7/21,1,21,3 by 2,3,1,7 last to 1,2,1,1/2,1,2,2 pad "
            "0,0 stride 1,1 dilation 1,1 groups 1 type 0 math 0 algorithm 1");
}

TEST_F(Convolutions, AreChosenOnceAndShareAWorkspace) {
  Shape shape = small(true, false);
  ProgramBuilder b;
  load(b, describe(b, shape), shape);
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(call(shape));
  EXPECT_EQ(lines("convolve").size(), 3u);
  EXPECT_EQ(lines("algorithms").size(), 1u);
  EXPECT_EQ(lines("alloc 33554432").size(), 1u);
  EXPECT_EQ(device->stats().libraryCalls, 3u);
  EXPECT_EQ(device->library(LibraryKind::Convolutions), "libcudnn.so.9 91002");
}

TEST_F(Convolutions, ThatAreRefusedAreKernels) {
  setenv("KILN_FAKE_CUDA", "dnn=2", 1);
  Shape shape = small(true, false);
  ProgramBuilder b;
  load(b, describe(b, shape), shape);
  for (int i = 0; i < 2; ++i)
    ASSERT_TRUE(call(shape));
  EXPECT_EQ(stats.libraryConvolutions, 0u);
  EXPECT_EQ(stats.kernelLaunches, 2u);
  ASSERT_EQ(stats.librarySkips.size(), 1u);
  EXPECT_EQ(stats.librarySkips[0].reason,
            "cuDNN has no algorithm for the convolution");
  EXPECT_EQ(stats.librarySkips[0].count, 2u);
  // Who measures the library wants no kernels.
  options.needsLibraries = true;
  auto got = call(shape);
  ASSERT_FALSE(got);
  EXPECT_NE(got.error().message.find("cuDNN has no algorithm"),
            std::string::npos)
      << got.error().message;
}

TEST_F(Convolutions, WithoutALibraryThatStartsAreKernels) {
  setenv("KILN_FAKE_CUDA", "dnn=3", 1);
  Shape shape = small(true, false);
  ProgramBuilder b;
  load(b, describe(b, shape), shape);
  ASSERT_TRUE(call(shape));
  EXPECT_EQ(stats.kernelLaunches, 1u);
  EXPECT_EQ(stats.librarySkips.at(0).reason,
            "cuDNN answers 1001 to being started");
}

TEST_F(Convolutions, ThatRepeatElementsAreKernels) {
  Shape shape = small(true, false);
  ProgramBuilder b;
  Convolution convolution = describe(b, shape);
  convolution.source.image = b.integer(0);
  load(b, convolution, shape);
  ASSERT_TRUE(call(shape));
  EXPECT_EQ(stats.kernelLaunches, 1u);
  EXPECT_EQ(stats.librarySkips.at(0).reason,
            "cuDNN has no images that repeat elements");
}

TEST_F(Convolutions, ThatBeginAnywhereAreKernels) {
  Shape shape = small(true, false);
  ProgramBuilder b;
  Convolution convolution = describe(b, shape);
  convolution.weightOffset = b.integer(2);
  Shape longer = shape;
  longer.channels *= 2;
  load(b, convolution, longer);
  ASSERT_TRUE(call(longer));
  EXPECT_EQ(stats.kernelLaunches, 1u);
  EXPECT_EQ(stats.librarySkips.at(0).reason,
            "cuDNN is given no image or weight that begins where no vector of "
            "16 bytes does");
}

TEST_F(Convolutions, OfNothingAreKernels) {
  Shape shape = small(true, false);
  ProgramBuilder b;
  Convolution convolution = describe(b, shape);
  convolution.channels = b.integer(0);
  load(b, convolution, shape);
  options.needsLibraries = true;
  EXPECT_TRUE(call(shape));
  EXPECT_EQ(stats.kernelLaunches, 1u);
  EXPECT_TRUE(lines("convolve").empty());
}

TEST_F(Convolutions, StayWithinTheirBuffers) {
  for (bool isGradient : {false, true}) {
    Shape shape = small(true, isGradient);
    auto refused =
        [&](std::function<void(ProgramBuilder &, Convolution &)> change,
            const std::string &text) {
          ProgramBuilder b;
          Convolution convolution = describe(b, shape);
          change(b, convolution);
          // Buffers end on boundaries of the allocator, behind what they hold.
          Shape larger = shape;
          larger.images = 64;
          if (!isGradient)
            larger.filters = 64;
          convolution.images = b.integer(64);
          convolution.filters = b.integer(larger.filters);
          load(b, convolution, larger);
          auto got = call(larger);
          ASSERT_FALSE(got) << text;
          EXPECT_EQ(got.error().kind, ErrorKind::Malformed);
          EXPECT_NE(got.error().message.find(text), std::string::npos)
              << got.error().message;
        };
    refused([](auto &b, auto &c) { c.source.offset = b.integer(64); },
            "convolution, source: expected an image within");
    refused([](auto &b, auto &c) { c.source.offset = b.integer(-1); },
            "found an end at no valid element");
    refused([](auto &b, auto &c) { c.source.places[1] = b.integer(-4); },
            "found an end at no valid element");
    refused([](auto &b, auto &c) { c.source.image = b.integer(INT64_MAX); },
            "convolution, source: expected an image within");
    refused([](auto &b, auto &c) { c.target.channel = b.integer(100000); },
            "convolution, target: expected an image within");
    refused([](auto &b, auto &c) { c.weightOffset = b.integer(4096); },
            "convolution, weight: expected a weight within");
    refused([](auto &b, auto &c) { c.groups = b.integer(INT64_MAX / 2); },
            "convolution: expected fewer than 2^63 channels");
    refused([](auto &b, auto &c) { c.outputs[0] = b.integer(4); },
            "expected as many outputs as windows have places, 3, found 4");
    refused([](auto &b, auto &c) { c.taps[1] = b.integer(3); },
            "expected as many outputs as windows have places, none, found 2");
    refused([](auto &b, auto &c) { c.taps[1] = b.integer(INT64_MAX); },
            "expected as many outputs as windows have places, none, found 2");
  }
  EXPECT_TRUE(lines("convolve").empty());
  EXPECT_TRUE(lines("gradient").empty());
}

/// Three steps, of which the first and the last are convolutions of x: one
/// filter of one tap, which is 2 for the first and what the step before made
/// for the last.
TEST_F(Convolutions, AreLaunchesOfGraphs) {
  Shape shape;
  shape.inputs = {4};
  shape.taps = {1};
  shape.strides = shape.dilations = {1};
  shape.padding = {0};
  ProgramBuilder b;
  ExprId n = b.integer(4), one = b.integer(1);
  ValueId x = b.slotValue(b.slot("x", {n}));
  ValueId w = b.slotValue(b.slot("w", {one}));
  ValueId from = x;
  for (int i = 0; i < 3; ++i) {
    ValueId to = b.value(Value::Kind::New, {n});
    GridStep grid = saxpy(b, from, i == 1 ? from : w, to);
    if (i != 1)
      grid.library = describe(b, shape);
    b.program.steps.emplace_back(grid);
    from = to;
  }
  b.output(from);
  Package package = packageOf(b);
  options.graphs = true;
  EXPECT_NE(package::graphText(package).find("1 graph of 3 kernels"),
            std::string::npos);
  auto loaded = Executable::load(package, registry, device);
  ASSERT_TRUE(loaded) << loaded.error().message;
  std::vector<Tensor> kept;
  for (int i = 0; i < 5; ++i) {
    Tensor weight = count({1});
    weight.dataAs<float>()[0] = float(i);
    kept.push_back(*count({4}).toDevice(*device));
    kept.push_back(*weight.toDevice(*device));
    auto got =
        (*loaded)->forward().run({kept[kept.size() - 2], kept.back()}, options);
    ASSERT_TRUE(got) << got.error().message;
    kept.push_back(std::get<Tensor>((*got)[0].value));
    // w (3 w x)
    std::vector<float> want;
    for (int k = 0; k < 4; ++k)
      want.push_back(float(3 * i * i * k));
    EXPECT_EQ(contentsOf(kept.back()), want) << i;
  }
  EXPECT_EQ(stats.graphReplays, 3u);
  EXPECT_EQ(stats.libraryConvolutions, 10u);
  EXPECT_EQ(stats.kernelLaunches, 5u);
  EXPECT_EQ(lines("edges"),
            (std::vector<std::string>{"edges 0:", "edges 1: 0", "edges 2: 1"}));
  EXPECT_EQ(lines("algorithms").size(), 1u);
}

} // namespace

//===- FrameConvolution.cpp - Convolutions that a library may compute
//------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Beside the buffers (Frame::libraryOperand) the sizes are checked against each
// other: a library that is told of more outputs than windows have would write
// what it likes.
//
//===----------------------------------------------------------------------===//

#include "Frame.h"
#include "kiln/Base/CheckedMath.h"

namespace kiln::runtime {

using package::GridStep;

/// How many places a window has along a dimension; nothing if it has none or
/// numbers are too large.
static std::optional<int64_t> countPlaces(const ConvolutionLaunch &launch,
                                          size_t dim) {
  auto window = checkedMul(launch.taps[dim] - 1, launch.dilations[dim]);
  auto padded = checkedAdd(launch.inputs[dim], 2 * launch.padding[dim]);
  if (!window || !padded || *window >= *padded)
    return std::nullopt;
  return (*padded - 1 - *window) / launch.strides[dim] + 1;
}

Status ProgramRunner::Frame::convolutionImage(
    const GridStep &step, const GridStep::Convolution::Image &image,
    const ConvolutionLaunch &launch, int64_t channels,
    const ConvolutionLaunch::Numbers &sizes, ConvolutionLaunch::Image &found) {
  int64_t offset = 0;
  for (auto [id, number] :
       {std::pair(image.offset, &offset), std::pair(image.image, &found.image),
        std::pair(image.channel, &found.channel)})
    if (Status s = integer(id, *number); !s)
      return s;
  std::vector<LibraryDim> dims = {{launch.images, found.image},
                                  {channels, found.channel}};
  for (size_t i = 0; i < launch.dims; ++i) {
    if (Status s = integer(image.places[i], found.places[i]); !s)
      return s;
    dims.push_back({sizes[i], found.places[i]});
  }
  return libraryOperand(step, image.buffer, launch.elements, offset, dims,
                        "an image", found.data);
}

Status ProgramRunner::Frame::describeConvolution(
    const GridStep &step, const GridStep::Convolution &convolution,
    ConvolutionLaunch &launch, bool &isEmpty) {
  launch.elements = convolution.elements;
  launch.permitsTF32 = convolution.permitsTF32;
  launch.isGradient = convolution.isGradient;
  launch.isChannelsLast = convolution.isChannelsLast;
  launch.dims = convolution.inputs.size();
  isEmpty = false;
  auto read = [&](package::ExprId id, int64_t &number) {
    Status s = integer(id, number);
    isEmpty |= s && number < 1;
    return s;
  };
  for (auto [id, number] : {std::pair(convolution.images, &launch.images),
                            std::pair(convolution.groups, &launch.groups),
                            std::pair(convolution.channels, &launch.channels),
                            std::pair(convolution.filters, &launch.filters)})
    if (Status s = read(id, *number); !s)
      return s;
  for (size_t i = 0; i < launch.dims; ++i) {
    for (auto [id, number] :
         {std::pair(convolution.inputs[i], &launch.inputs[i]),
          std::pair(convolution.outputs[i], &launch.outputs[i]),
          std::pair(convolution.taps[i], &launch.taps[i])})
      if (Status s = read(id, *number); !s)
        return s;
    launch.strides[i] = convolution.strides[i];
    launch.dilations[i] = convolution.dilations[i];
    launch.padding[i] = convolution.padding[i];
  }
  if (isEmpty)
    return Status::success();
  for (size_t i = 0; i < launch.dims; ++i)
    if (auto places = countPlaces(launch, i); places != launch.outputs[i])
      return Error::malformed(
          "convolution: expected as many outputs as windows have places, " +
          (places ? std::to_string(*places) : std::string("none")) +
          ", found " + std::to_string(launch.outputs[i]));
  auto channels = checkedMul(launch.groups, launch.channels),
       filters = checkedMul(launch.groups, launch.filters);
  if (!channels || !filters)
    return Error::malformed("convolution: expected fewer than 2^63 channels");
  if (Status s = convolutionImage(step, convolution.source, launch, *channels,
                                  launch.inputs, launch.source);
      !s)
    return s.error().withContext("convolution, source");
  if (Status s = convolutionImage(step, convolution.target, launch, *filters,
                                  launch.outputs, launch.target);
      !s)
    return s.error().withContext("convolution, target");
  int64_t offset = 0;
  if (Status s = integer(convolution.weightOffset, offset); !s)
    return s;
  // Dense in either order, so the order does not count here.
  std::vector<LibraryDim> dims;
  std::optional<int64_t> elements = 1;
  auto add = [&](int64_t size) {
    dims.push_back({size, elements.value_or(-1)});
    elements = elements ? checkedMul(*elements, size) : std::nullopt;
  };
  for (size_t i = 0; i < launch.dims; ++i)
    add(launch.taps[i]);
  add(launch.channels);
  add(*filters);
  if (Status s = libraryOperand(step, convolution.weight, launch.elements,
                                offset, dims, "a weight", launch.weight);
      !s)
    return s.error().withContext("convolution, weight");
  return Status::success();
}

} // namespace kiln::runtime

//===- Convolutions.cpp - Convolutions by a library -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Convolutions.h"

#include <algorithm>

namespace kiln::cuda {

using runtime::ConvolutionLaunch;

/// Kinds of convolutions that are kept: sizes may be others in every call.
static constexpr size_t kMostConvolutions = 256;
/// Algorithms that are asked for: all that the library has.
static constexpr int kMostAlgorithms = 16;
/// What addresses are multiples of that its algorithms read vectors from.
static constexpr uintptr_t kAlignment = 16;
/// The fewest dimensions of an image beside images and channels.
static constexpr size_t kLeastDims = 2;

static int dnnTypeOf(DType dtype) {
  return dtype == DType::F16    ? kDnnF16
         : dtype == DType::BF16 ? kDnnBF16
                                : kDnnF32;
}

static Status checkDnn(int answer, const char *what) {
  if (answer == 0)
    return Status::success();
  return Error::unsupported("cuDNN answers " + std::to_string(answer) + " " +
                            what);
}

/// What a convolution may be computed in beside exact products.
static bool permitsMath(const ConvolutionLaunch &convolution, int math) {
  return math == kExactMath ||
         ((math == kDefaultMath || math == kTensorMath) &&
          (convolution.elements != DType::F32 || convolution.permitsTF32));
}

/// False for algorithms that transform factors, or add up in no order.
static bool isPlainSum(const ConvolutionLaunch &convolution,
                       const DnnAlgorithm &found) {
  if (found.status != 0 || found.determinism != kDeterministic)
    return false;
  return convolution.isGradient
             ? found.algorithm == kInParts
             : found.algorithm >= kImplicit && found.algorithm <= kDirect;
}

Convolutions::Key Convolutions::keyOf(const ConvolutionLaunch &c) {
  Key key = {int64_t(c.elements), c.permitsTF32,  c.isGradient,
             c.isChannelsLast,    c.images,       c.groups,
             c.channels,          c.filters,      c.source.image,
             c.source.channel,    c.target.image, c.target.channel,
             int64_t(c.dims)};
  for (const ConvolutionLaunch::Numbers *numbers :
       {&c.inputs, &c.outputs, &c.taps, &c.strides, &c.dilations, &c.padding,
        &c.source.places, &c.target.places})
    key.insert(key.end(), numbers->begin(), numbers->begin() + c.dims);
  return key;
}

std::string Convolutions::describe() const {
  auto dnn = DnnLibrary::get(driver_.version);
  return dnn ? (*dnn)->soname + " " + std::to_string((*dnn)->cudnnGetVersion())
             : "";
}

/// Opens the library and takes the workspace.
Status Convolutions::start() {
  if (handle_)
    return Status::success();
  auto dnn = DnnLibrary::get(driver_.version);
  if (!dnn)
    return dnn.takeError();
  dnn_ = *dnn;
  if (Status s = workspace_.take(); !s)
    return s;
  Status made = checkDnn(dnn_->cudnnCreate(&handle_), "to being started");
  if (!made)
    handle_ = nullptr;
  return made;
}

namespace {
/// Numbers as the library wants them: images, channels, then at least two
/// dimensions.
class DnnNumbers {
public:
  /// `filler` is for the dimensions that an image does not have, which come
  /// first.
  DnnNumbers(std::initializer_list<int64_t> first,
             const ConvolutionLaunch::Numbers &numbers, size_t dims,
             int64_t filler) {
    all_ = first;
    all_.resize(all_.size() + std::max(kLeastDims, dims) - dims, filler);
    all_.insert(all_.end(), numbers.begin(), numbers.begin() + dims);
  }
  std::vector<int64_t> &all() { return all_; }
  /// False if one is larger than the library's are.
  bool fit() const {
    return *std::max_element(all_.begin(), all_.end()) <= INT32_MAX;
  }
  std::vector<int> get() const { return {all_.begin(), all_.end()}; }

private:
  std::vector<int64_t> all_;
};
} // namespace

/// Steps along dimensions of one element are what they would be in an image
/// without gaps, by which the library knows in which order it lies.
static void fillSteps(const std::vector<int64_t> &sizes,
                      std::vector<int64_t> &steps) {
  if (sizes[1] == 1)
    steps[1] = 1;
  int64_t reach = steps[1] == 1 ? sizes[1] : 1;
  for (size_t i = sizes.size(); i-- > 2;) {
    if (sizes[i] == 1)
      steps[i] = reach;
    reach = steps[i] * sizes[i];
  }
  if (sizes[0] != 1)
    return;
  steps[0] = 0;
  for (size_t i = 1; i < sizes.size(); ++i)
    steps[0] = std::max(steps[0], steps[i] * sizes[i]);
}

Status Convolutions::describeImages(Plan &plan, const ConvolutionLaunch &c) {
  struct Image {
    const ConvolutionLaunch::Image &image;
    int64_t channels;
    const ConvolutionLaunch::Numbers &sizes;
    Handle &descriptor;
  };
  for (const Image &i :
       {Image{c.source, c.groups * c.channels, c.inputs, plan.source},
        Image{c.target, c.groups * c.filters, c.outputs, plan.target}}) {
    DnnNumbers sizes({c.images, i.channels}, i.sizes, c.dims, 1),
        steps({i.image.image, i.image.channel}, i.image.places, c.dims, 0);
    fillSteps(sizes.all(), steps.all());
    if (!sizes.fit() || !steps.fit())
      return Error::unsupported("cuDNN has no images of 2^31 elements");
    for (size_t dim = 0; dim < sizes.all().size(); ++dim)
      if (sizes.all()[dim] > 1 && steps.all()[dim] < 1)
        return Error::unsupported("cuDNN has no images that repeat elements");
    int answer = dnn_->cudnnCreateTensorDescriptor(&i.descriptor);
    if (answer == 0)
      answer = dnn_->cudnnSetTensorNdDescriptor(
          i.descriptor, dnnTypeOf(c.elements), int(sizes.all().size()),
          sizes.get().data(), steps.get().data());
    if (Status s = checkDnn(answer, "to an image"); !s)
      return s;
  }
  return Status::success();
}

Status Convolutions::describeWeight(Plan &plan, const ConvolutionLaunch &c) {
  DnnNumbers sizes({c.groups * c.filters, c.channels}, c.taps, c.dims, 1);
  if (!sizes.fit())
    return Error::unsupported("cuDNN has no weights of 2^31 elements");
  int answer = dnn_->cudnnCreateFilterDescriptor(&plan.weight);
  if (answer == 0)
    answer = dnn_->cudnnSetFilterNdDescriptor(
        plan.weight, dnnTypeOf(c.elements),
        c.isChannelsLast ? kChannelsLast : kChannelsFirst,
        int(sizes.all().size()), sizes.get().data());
  return checkDnn(answer, "to a weight");
}

Status Convolutions::describeWindows(Plan &plan, const ConvolutionLaunch &c) {
  DnnNumbers padding({}, c.padding, c.dims, 0),
      strides({}, c.strides, c.dims, 1), dilations({}, c.dilations, c.dims, 1);
  int answer = dnn_->cudnnCreateConvolutionDescriptor(&plan.convolution);
  if (answer == 0)
    answer = dnn_->cudnnSetConvolutionNdDescriptor(
        plan.convolution, int(padding.all().size()), padding.get().data(),
        strides.get().data(), dilations.get().data(), kCrossCorrelation,
        kDnnF32);
  if (answer == 0)
    answer =
        dnn_->cudnnSetConvolutionGroupCount(plan.convolution, int(c.groups));
  if (answer == 0)
    answer = dnn_->cudnnSetConvolutionMathType(
        plan.convolution, c.elements != DType::F32 ? kTensorMath
                          : c.permitsTF32          ? kDefaultMath
                                                   : kExactMath);
  return checkDnn(answer, "to windows");
}

/// Asks the heuristic for algorithms, the best first, and takes the first that
/// may be.
Status Convolutions::choose(Plan &plan, const ConvolutionLaunch &c) {
  DnnAlgorithm list[kMostAlgorithms] = {};
  int found = 0;
  int answer = c.isGradient
                   ? dnn_->cudnnGetConvolutionBackwardFilterAlgorithm_v7(
                         handle_, plan.source, plan.target, plan.convolution,
                         plan.weight, kMostAlgorithms, &found, list)
                   : dnn_->cudnnGetConvolutionForwardAlgorithm_v7(
                         handle_, plan.source, plan.weight, plan.convolution,
                         plan.target, kMostAlgorithms, &found, list);
  if (Status s = checkDnn(answer, "to the choice of an algorithm"); !s)
    return s;
  for (int i = 0; i < std::min(found, kMostAlgorithms); ++i) {
    if (!isPlainSum(c, list[i]))
      continue;
    // Where it means another kind of products than may be, that of before
    // stays.
    if (permitsMath(c, list[i].math) &&
        dnn_->cudnnSetConvolutionMathType(plan.convolution, list[i].math) != 0)
      continue;
    plan.algorithm = list[i].algorithm;
    answer = c.isGradient
                 ? dnn_->cudnnGetConvolutionBackwardFilterWorkspaceSize(
                       handle_, plan.source, plan.target, plan.convolution,
                       plan.weight, plan.algorithm, &plan.workspace)
                 : dnn_->cudnnGetConvolutionForwardWorkspaceSize(
                       handle_, plan.source, plan.weight, plan.convolution,
                       plan.target, plan.algorithm, &plan.workspace);
    if (answer == 0 && plan.workspace <= LibraryWorkspace::kBytes)
      return Status::success();
  }
  return Error::unsupported("cuDNN has no algorithm for the convolution");
}

Convolutions::Plan Convolutions::makePlan(const ConvolutionLaunch &c) {
  Plan plan;
  Status made = Status::success();
  const int64_t numbers[] = {c.groups, c.channels, c.filters};
  if (*std::max_element(std::begin(numbers), std::end(numbers)) > INT32_MAX)
    made = Error::unsupported("cuDNN has no convolutions of 2^31 channels");
  if (made)
    made = describeImages(plan, c);
  if (made)
    made = describeWeight(plan, c);
  if (made)
    made = describeWindows(plan, c);
  if (made)
    made = choose(plan, c);
  if (!made)
    plan.refusal = made.error().message;
  return plan;
}

Status Convolutions::convolve(const ConvolutionLaunch &c, Handle stream) {
  if (Status s = start(); !s)
    return s;
  for (const void *data : {static_cast<const void *>(c.source.data),
                           static_cast<const void *>(c.target.data),
                           static_cast<const void *>(c.weight)})
    if (reinterpret_cast<uintptr_t>(data) % kAlignment != 0)
      return Error::unsupported("cuDNN is given no image or weight that begins "
                                "where no vector of 16 bytes does");
  const Key key = keyOf(c);
  auto known = plans_.find(key);
  if (known == plans_.end()) {
    if (plans_.size() >= kMostConvolutions) {
      for (auto &[other, plan] : plans_)
        destroy(plan);
      plans_.clear();
    }
    known = plans_.emplace(key, makePlan(c)).first;
  }
  Plan &plan = known->second;
  if (!plan.refusal.empty())
    return Error::unsupported(plan.refusal);
  if (Status s = checkDnn(dnn_->cudnnSetStream(handle_, stream), "to a stream");
      !s)
    return s;
  const float one = 1, zero = 0;
  if (c.isGradient)
    return checkDnn(dnn_->cudnnConvolutionBackwardFilter(
                        handle_, &one, plan.source, c.source.data, plan.target,
                        c.target.data, plan.convolution, plan.algorithm,
                        workspace_.data(), plan.workspace, &zero, plan.weight,
                        c.weight),
                    "to the gradient of the weight");
  return checkDnn(dnn_->cudnnConvolutionForward(
                      handle_, &one, plan.source, c.source.data, plan.weight,
                      c.weight, plan.convolution, plan.algorithm,
                      workspace_.data(), plan.workspace, &zero, plan.target,
                      c.target.data),
                  "to the convolution");
}

void Convolutions::destroy(Plan &plan) {
  for (Handle image : {plan.source, plan.target})
    if (image)
      dnn_->cudnnDestroyTensorDescriptor(image);
  if (plan.weight)
    dnn_->cudnnDestroyFilterDescriptor(plan.weight);
  if (plan.convolution)
    dnn_->cudnnDestroyConvolutionDescriptor(plan.convolution);
}

void Convolutions::free() {
  for (auto &[key, plan] : plans_)
    destroy(plan);
  plans_.clear();
  if (handle_)
    dnn_->cudnnDestroy(handle_);
  handle_ = nullptr;
}

} // namespace kiln::cuda

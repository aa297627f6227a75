//===- TestKernels.cpp - Native kernels for tests ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestKernels.h"
#include "kiln/Runtime/Element.h"

#include <cstring>

// rdi: ptr, rsi: sym, rdx: begin, rcx: end, r8: scratch.
asm(R"(
  .pushsection .text
  .balign 16
kiln_test_image:
kiln_test_add_symbol:
  movq (%rdi), %rax
  movq 8(%rdi), %r9
  cvtsi2ssq (%rsi), %xmm1
1:
  cmpq %rcx, %rdx
  jge 2f
  movss (%rax,%rdx,4), %xmm0
  addss %xmm1, %xmm0
  movss %xmm0, (%r9,%rdx,4)
  incq %rdx
  jmp 1b
2:
  ret
  .balign 16
kiln_test_add_buffers:
  movq (%rdi), %rax
  movq 8(%rdi), %r9
  movq 16(%rdi), %r10
1:
  cmpq %rcx, %rdx
  jge 2f
  movss (%rax,%rdx,4), %xmm0
  addss (%r9,%rdx,4), %xmm0
  movss %xmm0, (%r10,%rdx,4)
  incq %rdx
  jmp 1b
2:
  ret
  .balign 16
kiln_test_through_scratch:
  movq (%rdi), %rax
  movq 8(%rdi), %r9
1:
  cmpq %rcx, %rdx
  jge 2f
  movss (%rax,%rdx,4), %xmm0
  movss %xmm0, (%r8)
  addss (%r8), %xmm0
  movss %xmm0, (%r9,%rdx,4)
  incq %rdx
  jmp 1b
2:
  ret
kiln_test_image_end:
  .popsection
)");

extern "C" {
extern const uint8_t kiln_test_image[];
extern const uint8_t kiln_test_image_end[];
extern const uint8_t kiln_test_add_symbol[];
extern const uint8_t kiln_test_add_buffers[];
extern const uint8_t kiln_test_through_scratch[];
}

/// Under the address sanitizer an absurd size is an error, as it is without.
extern "C" const char *__asan_default_options();
extern "C" const char *__asan_default_options() {
  return "allocator_may_return_null=1";
}

namespace kiln::test {

using runtime::OpArguments;
using runtime::OpValue;
using runtime::Tensor;
using Results = Result<std::vector<OpValue>>;

package::KernelImage testImage() {
  package::KernelImage image;
  image.target = "x86-64";
  image.bytes.assign(kiln_test_image, kiln_test_image_end);
  auto entry = [](const uint8_t *at) {
    return static_cast<uint64_t>(at - kiln_test_image);
  };
  image.kernels = {{"add_symbol", entry(kiln_test_add_symbol)},
                   {"add_buffers", entry(kiln_test_add_buffers)},
                   {"through_scratch", entry(kiln_test_through_scratch)}};
  return image;
}

static double numberOf(const OpValue &value) {
  if (auto *i = std::get_if<int64_t>(&value.value))
    return static_cast<double>(*i);
  return std::get<double>(value.value);
}

static Results scale(const OpArguments &arguments) {
  Tensor input = *std::get<Tensor>(arguments[0].value).clone();
  for (int64_t i = 0; i < input.numel(); ++i)
    input.dataAs<float>()[i] *= static_cast<float>(numberOf(arguments[1]));
  return std::vector<OpValue>{input};
}

static Results positive(const OpArguments &arguments) {
  Tensor input = *std::get<Tensor>(arguments[0].value).contiguous();
  std::vector<int64_t> found;
  for (int64_t i = 0; i < input.numel(); ++i)
    if (input.dataAs<float>()[i] > 0)
      found.push_back(i);
  auto result = Tensor::empty(DType::I64, {int64_t(found.size())});
  if (!result)
    return result.takeError();
  if (!found.empty())
    std::memcpy(result->data(), found.data(), found.size() * 8);
  return std::vector<OpValue>{*result};
}

static Results item(const OpArguments &arguments) {
  auto value = runtime::itemOf(std::get<Tensor>(arguments[0].value));
  if (!value)
    return value.takeError();
  return std::vector<OpValue>{*value};
}

static Results fail(const OpArguments &) {
  return Error::usage("expected rank 2, found rank 1");
}

static Results pair(const OpArguments &arguments) {
  return std::vector<OpValue>{arguments[0], Tensor()};
}

static Results below(const OpArguments &arguments) {
  const Tensor &input = std::get<Tensor>(arguments[0].value);
  return std::vector<OpValue>{input.dataAs<float>()[0] <
                              numberOf(arguments[1])};
}

static Results same(const OpArguments &arguments) {
  return std::vector<OpValue>{arguments[0]};
}

void registerTestOperators(runtime::OperatorRegistry &registry) {
  (void)registry.add("test.scale", scale);
  (void)registry.add("test.positive", positive);
  (void)registry.add("test.item", item);
  (void)registry.add("test.fail", fail);
  (void)registry.add("test.pair", pair);
  (void)registry.add("test.below", below);
  (void)registry.add("test.same", same);
}

Tensor floats(std::vector<int64_t> sizes, std::vector<float> values) {
  Tensor tensor = *Tensor::empty(DType::F32, std::move(sizes));
  if (!values.empty())
    std::memcpy(tensor.data(), values.data(), values.size() * sizeof(float));
  return tensor;
}

std::vector<float> valuesOf(const Tensor &tensor) {
  Tensor dense = *tensor.contiguous();
  return std::vector<float>(dense.dataAs<float>(),
                            dense.dataAs<float>() + dense.numel());
}

} // namespace kiln::test

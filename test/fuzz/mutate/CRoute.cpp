//===- CRoute.cpp - A package as a C program uses it ----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Routes.h"

#include "kiln-c/Runtime.h"

#include <cstring>

using namespace kiln;

/// The exit code that a tool would end with; none for an input that does not fit.
static int codeOf(KilnStatus *status) {
  KilnCode code = kilnStatusCode(status);
  kilnStatusDestroy(status);
  switch (code) {
  case KILN_IO:
    return 3;
  case KILN_GUARD:
    return 4;
  default:
    return static_cast<int>(code);
  }
}

/// Zeros for each input, 3 where a size varies; values that own their tensors.
static std::vector<KilnValue> makeInputs(const KilnModel *model) {
  std::vector<KilnValue> values;
  for (size_t i = 0; i < kilnModelCount(model, KILN_INPUTS); ++i) {
    const KilnValueInfo *info = kilnModelInfo(model, KILN_INPUTS, i);
    KilnValue value = {};
    value.kind = info->kind;
    int64_t elements = 1;
    std::vector<int64_t> sizes;
    for (size_t d = 0; d < info->rank; ++d) {
      int64_t size = info->dimensions[d].size;
      sizes.push_back(size < 0 ? 3 : size);
      if (__builtin_mul_overflow(elements, sizes.back(), &elements))
        elements = INT64_MAX;
    }
    KilnTensor *tensor = nullptr;
    if (info->kind == KILN_VALUE_TENSOR && elements < (1 << 24))
      kilnStatusDestroy(
          kilnTensorCreate(info->dtype, info->rank, sizes.data(), &tensor));
    if (info->kind == KILN_VALUE_TENSOR)
      value = tensor ? kilnTensorValue(tensor) : KilnValue();
    values.push_back(value);
  }
  return values;
}

static int useModel(KilnModel *model) {
  size_t letters = 0;
  for (int list = KILN_INPUTS; list <= KILN_STATE; ++list)
    for (size_t i = 0; i < kilnModelCount(model, KilnList(list)); ++i) {
      const KilnValueInfo *info = kilnModelInfo(model, KilnList(list), i);
      letters += std::strlen(info->name) + std::strlen(info->path);
      KilnTensor *tensor = nullptr;
      if (list == KILN_WEIGHTS || list == KILN_STATE)
        kilnStatusDestroy(
            kilnModelGetWeight(model, KilnList(list), info->name, &tensor));
      if (tensor && list == KILN_WEIGHTS)
        kilnStatusDestroy(kilnModelSetWeight(model, info->name, tensor));
      kilnTensorDestroy(tensor);
    }
  for (size_t i = 0; kilnModelVariant(model, i); ++i)
    letters += std::strlen(kilnModelVariant(model, i));
  std::vector<KilnValue> inputs = makeInputs(model);
  std::vector<KilnValue> outputs(kilnModelCount(model, KILN_OUTPUTS));
  std::vector<KilnValue> gradients(kilnModelCount(model, KILN_GRADIENTS));
  KilnStatus *status =
      kilnModelIsTraining(model)
          ? kilnModelRunTraining(model, inputs.data(), inputs.size(), nullptr,
                                 outputs.data(), outputs.size(),
                                 gradients.data(), gradients.size())
          : kilnModelRun(model, inputs.data(), inputs.size(), outputs.data(),
                         outputs.size());
  kilnValuesDestroy(inputs.data(), inputs.size());
  kilnValuesDestroy(outputs.data(), outputs.size());
  kilnValuesDestroy(gradients.data(), gradients.size());
  return letters == SIZE_MAX ? 5 : codeOf(status);
}

int fuzz::packageFromC(int, char **argv) {
  int code = 0;
  std::string bytes = readFile(argv[1]);
  for (const char *target : {"native", "x86-64-v3", "x86-64-v4"}) {
    KilnModelOptions options = kilnModelOptionsDefault();
    options.threads = 1;
    options.target = target;
    KilnModel *model = nullptr;
    int found = codeOf(
        kilnModelRead(bytes.data(), bytes.size(), &options, &model));
    if (model)
      found = useModel(model);
    kilnModelDestroy(model);
    code = found == 5 ? 5 : code ? code : found;
  }
  return code;
}

//===- Registry.cpp -------------------------------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Eager/Registry.h"
#include "Operators.h"
#include "Support.h"

using namespace kiln;
using namespace kiln::eager;

Status eager::registerAll(runtime::OperatorRegistry &registry) {
  Table table(registry);
  addUnaryOperators(table);
  addBinaryOperators(table);
  addActivationOperators(table);
  addReductionOperators(table);
  addScanOperators(table);
  addViewOperators(table);
  addCopyOperators(table);
  addFactoryOperators(table);
  addRandomOperators(table);
  addIndexingOperators(table);
  addArrangingOperators(table);
  addCountingOperators(table);
  addScatterOperators(table);
  addContractionOperators(table);
  addSoftmaxOperators(table);
  addNormalizationOperators(table);
  addAttentionOperators(table);
  addConvolutionOperators(table);
  addPaddingOperators(table);
  addLossOperators(table);
  addDistanceOperators(table);
  addPoolingOperators(table);
  addResamplingOperators(table);
  addGridSamplingOperators(table);
  addRecurrentOperators(table);
  addFourierOperators(table);
  addLinearAlgebraOperators(table);
  return table.status();
}

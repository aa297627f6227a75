//===- Operators.h - The operator files' entry points ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every operator file adds its overloads through one function, called by
// `registerAll`.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_EAGER_OPERATORS_H
#define KILN_LIB_EAGER_OPERATORS_H

namespace kiln::eager {

class Table;

void addUnaryOperators(Table &table);
void addBinaryOperators(Table &table);
void addActivationOperators(Table &table);
void addReductionOperators(Table &table);
void addScanOperators(Table &table);
void addViewOperators(Table &table);
void addCopyOperators(Table &table);
void addFactoryOperators(Table &table);
void addRandomOperators(Table &table);
void addIndexingOperators(Table &table);
void addArrangingOperators(Table &table);
void addCountingOperators(Table &table);
void addScatterOperators(Table &table);
void addPaddingOperators(Table &table);
void addContractionOperators(Table &table);
void addAttentionOperators(Table &table);
void addConvolutionOperators(Table &table);
void addPoolingOperators(Table &table);
void addResamplingOperators(Table &table);
void addSoftmaxOperators(Table &table);
void addNormalizationOperators(Table &table);
void addLossOperators(Table &table);
void addDistanceOperators(Table &table);
void addGridSamplingOperators(Table &table);
void addRecurrentOperators(Table &table);
void addFourierOperators(Table &table);
void addLinearAlgebraOperators(Table &table);

} // namespace kiln::eager

#endif // KILN_LIB_EAGER_OPERATORS_H

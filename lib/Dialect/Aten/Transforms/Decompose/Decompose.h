//===- Decompose.h - The table of decompositions, by category -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the library: each category file fills its part of the table.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_ATEN_TRANSFORMS_DECOMPOSE_DECOMPOSE_H
#define KILN_LIB_DIALECT_ATEN_TRANSFORMS_DECOMPOSE_DECOMPOSE_H

#include "kiln/Dialect/Aten/IR/Aten.h"
#include "kiln/Dialect/Aten/Transforms/Composer.h"
#include "kiln/Dialect/Aten/Transforms/Decompositions.h"

#include "llvm/ADT/StringMap.h"

namespace kiln::aten {

/// When an op of the core set is decomposed.
enum class Stage : uint8_t {
  BeforeCore, ///< not in the core set
  BeforeLoop, ///< in the core set; convert-aten-to-loop has nothing for it
  Never,      ///< only to differentiate it: it has a loop body of its own
};

/// Op names to functions.
class DecompositionTable {
public:
  struct Entry {
    Decomposition function;
    Stage stage;
  };

  /// Adds a function of one result, or of many.
  template <typename OpT, Value (*function)(OpT, Composer &)>
  void add(Stage stage = Stage::BeforeCore) {
    entries[OpT::getOperationName()] = {
        [](Operation *op, Composer &c) -> SmallVector<Value> {
          Value value = function(llvm::cast<OpT>(op), c);
          if (!value)
            return {};
          return {value};
        },
        stage};
  }
  template <typename OpT, SmallVector<Value> (*function)(OpT, Composer &)>
  void addMany(Stage stage = Stage::BeforeCore) {
    entries[OpT::getOperationName()] = {
        [](Operation *op, Composer &c) {
          return function(llvm::cast<OpT>(op), c);
        },
        stage};
  }

  const Entry *lookUp(StringRef name) const {
    auto found = entries.find(name);
    return found == entries.end() ? nullptr : &found->second;
  }

private:
  llvm::StringMap<Entry> entries;
};

void addActivations(DecompositionTable &table);
void addNormalizations(DecompositionTable &table);
void addChannelNorms(DecompositionTable &table);
void addImages(DecompositionTable &table);
void addLosses(DecompositionTable &table);
void addContractions(DecompositionTable &table);
void addAttention(DecompositionTable &table);
void addIndexing(DecompositionTable &table);
void addReductions(DecompositionTable &table);
void addComposite(DecompositionTable &table);
void addRecurrences(DecompositionTable &table);
/// Those of AtenDecompositions.td.
void addRecordedDecompositions(DecompositionTable &table);

} // namespace kiln::aten

#endif // KILN_LIB_DIALECT_ATEN_TRANSFORMS_DECOMPOSE_DECOMPOSE_H

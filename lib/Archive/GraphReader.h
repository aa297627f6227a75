//===- GraphReader.h - JSON of the export schema to structs --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the pieces of the schema. Errors go to the document of the view (see
// JsonReader.h), so the functions are written straight down.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_ARCHIVE_GRAPHREADER_H
#define KILN_LIB_ARCHIVE_GRAPHREADER_H

#include "kiln/Archive/Graph.h"
#include "kiln/Archive/JsonReader.h"

namespace kiln::archive {

class GraphReader {
public:
  Graph graph(JsonView view);
  Node node(JsonView view);
  Argument argument(JsonView view);
  TensorMeta tensorMeta(JsonView view);
  SymInt symInt(JsonView view);
  DType dtype(JsonView view);

private:
  std::string valueName(JsonView view);
  std::vector<std::string> valueNames(JsonView list);
  SymExprPtr symExpr(JsonView view);
  SymFloat symFloat(JsonView view);
  SymBool symBool(JsonView view);
  Device device(JsonView view);
  SymIntArg symIntArg(JsonView view);
  SymFloatArg symFloatArg(JsonView view);
  SymBoolArg symBoolArg(JsonView view);
  Argument::Value optionalTensors(JsonView list);

  /// Equal texts are parsed once.
  std::unordered_map<std::string, SymExprPtr> exprs_;
  size_t nodes_ = 0;
};

} // namespace kiln::archive

#endif // KILN_LIB_ARCHIVE_GRAPHREADER_H

//===- GraphImporter.h - One graph of a program ---------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_IMPORT_PT2_GRAPHIMPORTER_H
#define KILN_LIB_IMPORT_PT2_GRAPHIMPORTER_H

#include "EagerSchemas.h"
#include "SymbolicShapes.h"

#include "kiln/Dialect/Aten/IR/Aten.h"
#include "kiln/Import/PT2Importer.h"

namespace kiln::pt2 {

/// What a value name stands for: an SSA value, an expression, or both (the
/// number that `item` reads is also a symbol).
struct Binding {
  Value value;
  guard::ExprAttr expr;
};

/// Imports the nodes of a graph in order.
class GraphImporter {
public:
  GraphImporter(OpBuilder &builder, const archive::Graph &graph,
                const SymbolicShapes &shapes)
      : b(builder), graph(graph), shapes(shapes) {}

  void bind(const std::string &name, Binding binding) {
    bindings[name] = binding;
    roots.try_emplace(name, name);
  }

  Status importNodes();

  /// The value of an output or operand; builds `guard.value` for expressions.
  Result<Value> getValue(const std::string &name);
  Result<guard::ExprAttr> getExpr(const std::string &name) const;
  Result<RankedTensorType> typeOf(const archive::TensorMeta &meta) const;
  Result<RankedTensorType> typeOf(const std::string &name) const;

  /// Names of graph inputs whose contents were replaced, with the new contents.
  const std::vector<std::pair<std::string, Value>> &mutations() const {
    return changed;
  }

private:
  Status importNode(const archive::Node &node, size_t index);
  Status importSymbolic(const archive::Node &node);
  Status importOperator(const archive::Node &node, size_t index);
  Status importUnknown(const archive::Node &node, StringRef overload,
                       const EagerSchema *schema);
  Status importAssertion(const archive::Node &node);
  Status importBatchNorm(const archive::Node &node, size_t index);
  Status checkMetadata(const archive::Node &node) const;
  Status checkLibraries() const;
  std::optional<guard::ExprAttr> propertyOf(const archive::Node &node) const;
  Result<SmallVector<Type>> recordedTypes(const archive::Node &node) const;
  Operation *keepElementType(Operation *op);
  Status setContents(Value value, bool keepsContents);
  Status bindOperator(const archive::Node &node, Operation *op, bool isView,
                      bool keepsContents = false);
  bool isGraphInput(const std::string &name) const;
  /// The first name of the tensor that `name` is: in-place operators give the
  /// same tensor another name.
  std::string selfOf(const std::string &name) const;
  Status bindResults(const archive::Node &node, Operation *op);
  Status checkInPlace(const archive::Node &node, size_t index,
                      const std::string &name);
  Result<aten::ArgValue> convert(const archive::Argument &arg,
                                 const aten::ArgInfo &info);
  Result<Attribute> convertAttribute(const archive::Argument &arg,
                                     const aten::ArgInfo &info);
  Result<Value> convertNumber(const archive::Argument &arg);
  Result<Attribute> convertUnknown(const archive::Argument &arg,
                                   SmallVectorImpl<Value> &operands);
  Result<guard::ExprAttr> toExpr(const archive::SymIntArg &arg) const;
  Location locationOf(const archive::Node &node) const;
  /// Makes `name` an alias of what `of` is a view of.
  void aliases(const std::string &name, const std::string &of);

  OpBuilder &b;
  const archive::Graph &graph;
  const SymbolicShapes &shapes;
  std::map<std::string, Binding> bindings;
  std::map<std::string, std::string> roots; ///< name to the name it views
  std::map<std::string, std::string> selves; ///< see `selfOf`
  /// Metadata of names that stand for new contents of a graph's own names.
  std::map<std::string, archive::TensorMeta> newContents;
  std::string changing; ///< what the node at hand changes in place, or empty
  std::vector<std::pair<std::string, Value>> changed;
};

} // namespace kiln::pt2

#endif // KILN_LIB_IMPORT_PT2_GRAPHIMPORTER_H

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
#include "Functionalizer.h"
#include "SymbolicShapes.h"

#include "kiln/Dialect/Aten/IR/AtenBase.h"
#include "kiln/Import/PT2Importer.h"

#include <map>
#include <optional>

namespace kiln::pt2 {

/// What a value name stands for: a tensor, a number as an SSA value, an
/// expression, or both of the latter (what `item` reads is also a symbol). An
/// effect token is none of these.
struct Binding {
  Value value;
  guard::ExprAttr expr;
  std::optional<Functionalizer::Tensor> tensor;
};

/// Imports the nodes of a graph in order, by concern:
///
///   GraphImporter.cpp    names, types, which node is whose business
///   Operators.cpp        operators by their schema, results against metadata
///   Composites.cpp       overloads that are made of others
///   Arguments.cpp        an argument of a node as operand or attribute
///   Mutation.cpp         in-place operators, views
///   Storage.cpp          resized tensors, running statistics of batch norms
///   SymbolicNodes.cpp    arithmetic on sizes, assertions
///   HigherOrder.cpp      nodes with graphs among their arguments
class GraphImporter {
public:
  /// `operators` of other libraries can be called without a record.
  GraphImporter(OpBuilder &builder, const archive::Graph &graph,
                const SymbolicShapes &shapes,
                const std::set<std::string> &operators)
      : b(builder), graph(graph), shapes(shapes), operators(operators),
        own(builder), states(own) {}

  /// A graph that is a part of `parent`'s: it sees the same memory.
  GraphImporter(GraphImporter &parent, const archive::Graph &graph)
      : b(parent.b), graph(graph), shapes(parent.shapes),
        operators(parent.operators), own(parent.b), states(parent.states),
        isAutocast(parent.isAutocast) {}

  /// Binds an input of the graph.
  void bindTensor(const std::string &name, Value value) {
    bindings[name] = Binding{{}, {}, states.add(value, name)};
  }
  void bind(const std::string &name, Binding binding) {
    bindings[name] = binding;
  }
  /// Makes `name` another name of what `same` is bound to.
  void bindAgain(const std::string &name, const std::string &same) {
    bindings[name] = bindings.at(same);
  }

  Status importNodes();

  /// The value of an output or operand; builds `guard.value` for expressions.
  Result<Value> getValue(const std::string &name);
  Result<guard::ExprAttr> getExpr(const std::string &name) const;
  Result<RankedTensorType> typeOf(const archive::TensorMeta &meta) const;
  Result<RankedTensorType> typeOf(const std::string &name) const;
  /// False for a result whose type is left to inference.
  bool hasMetadata(const std::string &name) const;

  /// Names of graph inputs whose contents were replaced, with the new contents.
  std::vector<std::pair<std::string, Value>> mutations() const {
    return states.mutations();
  }

  /// True if the program holds only for the strides that this input was captured
  /// with.
  bool dependsOnStrides(StringRef input) const {
    return states.dependsOnStrides(input);
  }

private:
  // Nodes.
  Status importNode(const archive::Node &node);
  Status checkLibraries() const;
  Location locationOf(const archive::Node &node) const;
  Result<Functionalizer::Tensor> getTensor(const std::string &name) const;

  // Arithmetic on sizes, and assertions.
  Status importSymbolic(const archive::Node &node);
  std::optional<guard::ExprAttr> propertyOf(const archive::Node &node) const;
  std::optional<guard::ExprAttr>
  isContiguousIn(const archive::Node &node,
                 const archive::TensorMeta &meta) const;
  std::optional<Status> importCheck(const archive::Node &node);
  Status importAssertion(const archive::Node &node);
  Status importRange(const archive::Node &node);
  Status checkMetadata(const archive::Node &node) const;
  /// Tokens only order effects, and nodes are in order already.
  void bindTokens(ArrayRef<archive::Argument> outputs);

  // Operators.
  Status importOperator(const archive::Node &node);
  void fitArguments(const archive::Node &node, ArrayRef<StringRef> names,
                    archive::Node &call) const;
  Status importRecord(const archive::Node &node, const aten::OpInfo &info);
  Status convertArguments(const archive::Node &node, StringRef schema,
                          ArrayRef<aten::ArgInfo> infos,
                          SmallVectorImpl<aten::ArgValue> &args);
  Status importUnknown(const archive::Node &node, StringRef overload,
                       const EagerSchema *schema);
  Result<SmallVector<Type>> recordedTypes(const archive::Node &node) const;
  Operation *buildAutocast(const archive::Node &node, const aten::OpInfo &info,
                           MutableArrayRef<aten::ArgValue> args,
                           Operation *op);
  Status checkStrides(const archive::Node &node, Operation *op) const;
  Status bindResults(const archive::Node &node, Operation *op, bool isView);
  Status checkRecorded(const std::string &name, Value value,
                       bool mayDifferInOnes, bool asked = true) const;
  Status bindChanged(const archive::Node &node);

  // Overloads that are made of others.
  Status importComposite(const archive::Node &node, const aten::OpInfo &info);
  Status importCopiedView(const archive::Node &node, const aten::OpInfo &view);
  Status bindValues(const archive::Node &node, ArrayRef<Value> values);
  bool isRead(const std::string &name) const;

  // Mutation.
  bool aliases(const archive::Node &node, Operation *op,
               const std::string &result, std::string &unknown,
               bool &byStrides) const;
  Status bindView(const archive::Node &node, Operation *op, unsigned result,
                  const std::string &name);
  Status mutate(const std::string &name, Operation *op, bool isView);
  Status setContents(const std::string &name, Value value);
  Status importResize(const archive::Node &node);
  /// Operators that write more than their schemas say, or to several tensors;
  /// nothing for others.
  std::optional<Status> importHiddenChanges(const archive::Node &node);
  Status importChanging(const archive::Node &node, StringRef target,
                        unsigned numResults, ArrayRef<StringRef> changed);
  Status importBatchNorm(const archive::Node &node);
  Status importInstanceNorm(const archive::Node &node);
  Status setStatistics(const archive::Node &node, const std::string &name,
                       Value updated);
  bool overlaps(Functionalizer::Tensor tensor) const;
  Result<Value> fitContents(Value value, bool isFixed, const std::string &of);

  // Nodes with graphs.
  struct Operand;
  struct Body;
  Status importHigherOrder(const archive::Node &node);
  Status importCond(const archive::Node &node);
  Status importWhile(const archive::Node &node);
  Status importScan(const archive::Node &node);
  Status importMap(const archive::Node &node);
  Status importWithEffects(const archive::Node &node);
  Status importSetGrad(const archive::Node &node);
  Status importAutocast(const archive::Node &node);
  Status inlineGraph(const archive::Node &node, size_t graphIndex,
                     bool isDetached, bool autocast);
  /// What a tensor is on the other side of the border of a marked graph.
  using CrossFn =
      llvm::function_ref<Functionalizer::Tensor(Functionalizer::Tensor)>;
  Status bindInputsOf(const archive::Node &node, size_t graphIndex,
                      GraphImporter &inner, CrossFn cross);
  Status bindResultsOf(const archive::Node &node, const std::string &label,
                       GraphImporter &inner, CrossFn cross);
  Status importBody(const archive::Graph &body, ArrayRef<Operand> operands,
                    Region &region, Body &result);
  Result<std::vector<Operand>> operandsOf(const archive::Argument &argument);
  Result<std::vector<Operand>> carriedOf(const archive::Argument &argument);
  Result<SmallVector<Type>> resultTypes(const archive::Node &node) const;
  Status bindBodyResults(const archive::Node &node, ValueRange values);

  // Arguments.
  Result<aten::ArgValue> convert(const archive::Argument &arg,
                                 const aten::ArgInfo &info);
  Result<Attribute> convertAttribute(const archive::Argument &arg,
                                     const aten::ArgInfo &info);
  Result<Attribute> convertInteger(const archive::Argument &arg,
                                   const aten::ArgInfo &info);
  Result<Attribute> convertIntegers(const archive::Argument &arg,
                                    const aten::ArgInfo &info);
  Result<Attribute> convertPlacement(const archive::Argument &arg,
                                     const aten::ArgInfo &info);
  Result<Value> convertNumber(const archive::Argument &arg);
  Result<Attribute> convertUnknown(const archive::Argument &arg,
                                   SmallVectorImpl<Value> &operands);
  Result<guard::ExprAttr> toExpr(const archive::SymIntArg &arg) const;

  OpBuilder &b;
  const archive::Graph &graph;
  const SymbolicShapes &shapes;
  const std::set<std::string> &operators;
  Functionalizer own;
  Functionalizer &states; ///< own, or those of the graph this is a part of
  std::map<std::string, Binding> bindings;
  /// Metadata of names that stand for new contents of a graph's own names.
  std::map<std::string, archive::TensorMeta> newContents;
  std::string changing; ///< what the node at hand changes in place, or empty
  bool isAutocast = false;
};

/// True for operators on sizes alone.
bool isSymbolicTarget(StringRef target);
/// True if elements with these sizes and strides lie in a row, in order.
bool isContiguous(ArrayRef<guard::ExprAttr> sizes,
                  ArrayRef<guard::ExprAttr> strides);
/// True for a batch norm that updates running statistics.
bool updatesStatistics(const archive::Node &node);

/// Has no record, since whether it writes its running statistics is an argument.
inline constexpr llvm::StringLiteral kNormThatUpdates =
    "aten._native_batch_norm_legit.default";

/// What a node that is this overload has as its target.
std::string targetOf(const aten::OpInfo &info);

} // namespace kiln::pt2

#endif // KILN_LIB_IMPORT_PT2_GRAPHIMPORTER_H

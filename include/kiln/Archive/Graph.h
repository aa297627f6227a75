//===- Graph.h - The captured graph of an exported program ---------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The graph part of the export schema (major version 8) as C++ structs: values
// with their metadata, nodes with named arguments, nested graphs. Reading
// checks the rules of the format: every name is defined once and before it is
// used, every name stands in exactly one value table.
//
// Example: x + 1
//
//   Node{target = "torch.ops.aten.add.Tensor",
//        inputs = {{"self", TensorArg{"x"}}, {"other", int64_t(1)}},
//        outputs = {TensorArg{"add"}}}
//
//===----------------------------------------------------------------------===//

#ifndef KILN_ARCHIVE_GRAPH_H
#define KILN_ARCHIVE_GRAPH_H

#include "kiln/Archive/SymExpr.h"
#include "kiln/Base/DType.h"

#include <complex>
#include <unordered_map>
#include <utility>

namespace kiln::archive {

enum class MemoryFormat : uint8_t {
  Contiguous = 1,
  ChannelsLast = 2,
  ChannelsLast3d = 3,
  Preserve = 4
};
/// "contiguous_format", "channels_last", "channels_last_3d", "preserve_format".
std::string_view memoryFormatName(MemoryFormat format);

/// Only `Strided` tensors exist in a program; the others may be named by an
/// argument.
enum class Layout : uint8_t {
  SparseCoo = 1,
  SparseCsr = 2,
  SparseCsc = 3,
  SparseBsr = 4,
  SparseBsc = 5,
  Mkldnn = 6,
  Strided = 7
};

struct Device {
  std::string type; ///< "cpu", "cuda", "meta", ...
  std::optional<int64_t> index;
};

/// An integer that is a number or an expression.
struct SymInt {
  int64_t value = 0;           ///< if `expr` is null
  SymExprPtr expr;             ///< shared between equal texts of a program
  std::optional<int64_t> hint; ///< value in the example run, if recorded
  bool isStatic() const { return !expr; }
};
struct SymFloat {
  double value = 0;
  SymExprPtr expr;
  std::optional<double> hint;
  bool isStatic() const { return !expr; }
};
struct SymBool {
  bool value = false;
  SymExprPtr expr;
  bool isStatic() const { return !expr; }
};

/// What is known of a tensor value.
struct TensorMeta {
  DType dtype = DType::F32;
  std::vector<SymInt> sizes;
  std::vector<SymInt> strides; ///< in elements; may be 0 or symbolic
  SymInt storageOffset;        ///< always 0 in files of 2.7 and earlier
  bool stridesKnown = true;    ///< false: some stride was not understood
  bool requiresGrad = false;   ///< meaningful on inputs only
  Device device;
};

struct Graph;
struct Argument;

// The alternatives of an argument; names refer to the value tables.
struct NoneArg {};
struct TensorArg {
  std::string name;
};
/// A list of graph values. Control-flow operands may name values that are not
/// tensors: look each name up in all tables.
struct TensorsArg {
  std::vector<std::string> names;
};
/// An empty name stands for None.
struct OptionalTensorsArg {
  std::vector<std::string> names;
};
struct NestedTensorsArg {
  std::vector<std::vector<std::string>> names;
};
/// The name of a symbolic value, or if empty a plain `value`.
struct SymIntArg {
  std::string name;
  int64_t value = 0;
  bool isName() const { return !name.empty(); }
};
struct SymFloatArg {
  std::string name;
  double value = 0;
  bool isName() const { return !name.empty(); }
};
struct SymBoolArg {
  std::string name;
  bool value = false;
  bool isName() const { return !name.empty(); }
};
struct GraphArg {
  std::string label; ///< not unique
  std::shared_ptr<const Graph> graph;
};
struct CustomObjArg {
  std::string name;
  std::string className;
};
struct OperatorArg {
  std::string target;
};
struct StringMapArg {
  std::vector<std::pair<std::string, Argument>> entries;
};

/// One argument or result of a node, input or output of a graph.
struct Argument {
  using Value =
      std::variant<NoneArg, TensorArg, TensorsArg, OptionalTensorsArg,
                   NestedTensorsArg, int64_t, std::vector<int64_t>,
                   std::vector<std::vector<int64_t>>, double,
                   std::vector<double>, std::vector<std::vector<double>>,
                   std::complex<double>, bool, std::vector<bool>, std::string,
                   std::vector<std::string>, SymIntArg, std::vector<SymIntArg>,
                   SymFloatArg, std::vector<SymFloatArg>, SymBoolArg,
                   std::vector<SymBoolArg>, DType, MemoryFormat, Layout, Device,
                   GraphArg, CustomObjArg, OperatorArg, StringMapArg>;
  Value value;

  // Elsewhere: a variant of so many alternatives is slow to compile.
  Argument();
  Argument(Value value);
  Argument(const Argument &);
  Argument(Argument &&) noexcept;
  Argument &operator=(const Argument &);
  Argument &operator=(Argument &&) noexcept;
  ~Argument();

  template <typename T> const T *as() const { return std::get_if<T>(&value); }
  bool isNone() const { return std::holds_alternative<NoneArg>(value); }
  /// The tag in the file: "as_tensor".
  std::string_view tag() const;
  /// Calls `visit` for each value name mentioned, nested graphs excluded.
  void forEachName(const std::function<void(const std::string &)> &visit) const;
};

struct NamedArgument {
  std::string name; ///< empty for operands of higher-order operators
  Argument arg;
  bool isKeyword = false;
};

struct Node {
  std::string target; ///< "torch.ops.aten.add.Tensor"
  std::vector<NamedArgument> inputs;
  std::vector<Argument> outputs; ///< one per result; a list result is one
  std::string name;              ///< for messages; not a value name
  bool isSingleTensorReturn = true; ///< higher-order operators only
  std::string stackTrace;           ///< Python text, innermost frame last
  std::string modulePath;           ///< `nn_module_stack` as written
  std::string custom;               ///< notes of the exporter's user, JSON

  /// The argument of that name, or null.
  const Argument *find(std::string_view argument) const;
  /// "aten.add.Tensor" for "torch.ops.aten.add.Tensor"; other targets as is.
  std::string_view overload() const;
  /// "model.py:12" of the innermost frame, or empty.
  std::string location() const;
};

struct Graph {
  std::vector<Argument> inputs;
  std::vector<Argument> outputs;
  std::vector<Node> nodes; ///< in execution order
  std::unordered_map<std::string, TensorMeta> tensors;
  std::unordered_map<std::string, SymInt> symInts;
  std::unordered_map<std::string, SymFloat> symFloats;
  std::unordered_map<std::string, SymBool> symBools;
  std::unordered_map<std::string, std::string> customObjs; ///< class names
  bool isSingleTensorReturn = false;

  /// Null if the name is no tensor.
  const TensorMeta *tensor(const std::string &name) const {
    auto it = tensors.find(name);
    return it == tensors.end() ? nullptr : &it->second;
  }
};

/// The dtype of a code of the file; nothing for codes without a dtype here.
std::optional<DType> dtypeFromCode(int64_t code);

} // namespace kiln::archive

#endif // KILN_ARCHIVE_GRAPH_H

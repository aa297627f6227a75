//===- AtenRecord.h - Reading the records of aten ops -----------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A record of class Aten_OverloadOp as plain data, with its schema parsed. The schema's
// grammar, as PyTorch prints it:
//
//   schema  := library '::' name '(' (arg | '*') (',' (arg | '*'))* ')' '->' result
//   arg     := type name ('=' default)?
//   type    := base alias? ('[' digits? ']')? '?'?
//   result  := type name? | '(' (type name?) (',' type name?)* ')'
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_TBLGEN_ATENRECORD_H
#define KILN_TOOLS_KILN_TBLGEN_ATENRECORD_H

#include "llvm/ADT/StringRef.h"
#include "llvm/TableGen/Record.h"

#include <string>
#include <vector>

namespace kiln::tblgen {

/// An argument of a schema.
struct SchemaArg {
  std::string name;
  std::string declared;    ///< its name in C++: the same, or with '_'
  std::string kind;        ///< enumerator of kiln::aten::ArgKind
  bool isOptional = false; ///< `?`, or a default for an operand
  bool promotes = false;
  bool hasDefault = false;
  std::string defaultText;
  unsigned listSize = 0;
  std::vector<std::string> words; ///< of a mode; empty: anything

  /// True for arguments that are SSA operands.
  bool isOperand() const;
};

/// An attribute of an op as it is stored.
struct StoredAttribute {
  std::string name;
  std::string kind; ///< enumerator of kiln::aten::ArgKind
  bool isOptional = false;
};

/// A function that a record names, with what it is called with behind the
/// arguments that all such functions have: "upsample(2)".
struct NamedFunction {
  std::string name;
  std::string arguments; ///< ", 2"
};
NamedFunction parseFunction(const llvm::Record *def, llvm::StringRef text);

/// A record of class Aten_OverloadOp.
struct AtenRecord {
  const llvm::Record *def = nullptr;
  std::string className; ///< "AddTensorOp"
  std::string cppSpace;  ///< "kiln::aten", of the class
  std::string library;   ///< "aten"
  std::string name;      ///< "aten.add.Tensor"
  std::string overload;  ///< "add.Tensor"
  std::string schema;
  std::string summary;
  std::string shape;
  std::string view; ///< function of ViewRules.h; empty: not a view
  bool undoesItself = false;
  bool hasOwnKernel = false;
  std::string promotion; ///< enumerator of kiln::aten::Promotion
  /// Of class DecomposeBy or Decompose; null if the op is not decomposed.
  const llvm::Record *decomposition = nullptr;
  /// PyTorch has nothing else for it than what it is composed of.
  bool isComposite = false;
  bool isCore = false;
  bool isView = false;
  bool isSilentView = false;
  bool mayCopy = false;
  bool isRandom = false;
  bool hasBody = false;
  bool takesSmallFloats = false;
  bool roundsNumbers = false;
  bool refusesZeroDivisors = false;
  std::string recompute; ///< enumerator of kiln::RecomputeClass
  std::string flops;     ///< enumerator of kiln::aten::FlopCount
  std::string effects;   ///< enumerator of kiln::aten::OpEffects
  bool hasSegments = false;
  bool takesDraws = false; ///< of class Aten_RandomOp
  std::vector<SchemaArg> args; ///< of the schema, and Kiln's own behind them
  std::vector<StoredAttribute> attributes; ///< without the segment sizes
  std::vector<std::string> results; ///< enumerators of kiln::aten::ResultKind
  std::vector<std::string> resultNames;

  /// The place of an operand among the op's, by its name in C++; -1: none.
  int findOperand(llvm::StringRef name) const;
  bool hasAttribute(llvm::StringRef name) const;
};

/// "getKeepDim" for "keep_dim".
std::string getAccessor(llvm::StringRef name);

/// The record of an op that another record speaks of.
AtenRecord readAtenRecord(const llvm::Record *def);

/// A record of class Aten_EagerOverload.
struct EagerOverload {
  std::string name; ///< "aten._assert_async.msg"
  std::vector<SchemaArg> args;
};
std::vector<EagerOverload>
getEagerOverloads(const llvm::RecordKeeper &records);

/// The method of FormulaBuilder for an overload: "addTensor".
std::string getMethodName(const AtenRecord &record);

/// A call of an overload in a formula, `(call "overload", ...)`, as the C++
/// that builds the op with `builder`: its first result. `arguments` are C++,
/// those of the schema in order. Ends the program if there is no such overload.
std::string emitCall(const llvm::RecordKeeper &records,
                     const llvm::Record &user, llvm::StringRef builder,
                     const llvm::DagInit &dag,
                     llvm::ArrayRef<std::string> arguments);

/// All records of class Aten_OverloadOp, sorted by name. Ends the program with a
/// located error if a schema cannot be read.
std::vector<AtenRecord> getAtenRecords(const llvm::RecordKeeper &records);

} // namespace kiln::tblgen

#endif // KILN_TOOLS_KILN_TBLGEN_ATENRECORD_H

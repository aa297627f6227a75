//===- RecordBody.h - Loop bodies of records --------------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a pointwise overload's record (AtenLoopBody.td) is a function of
// scalars over the op's arguments, which it reads by name: kiln-tblgen has
// checked the names. ScalarBodies.inc holds these functions.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_CONVERSION_ATENTOLOOP_RECORDBODY_H
#define KILN_LIB_CONVERSION_ATENTOLOOP_RECORDBODY_H

#include "kiln/Lowering/LoopBuilder.h"
#include "kiln/Dialect/Aten/IR/OpInfo.h"

#include "llvm/ADT/StringMap.h"

namespace kiln::loop {

/// Builds a body of `op` in computation type `in`, where the promoted type of
/// its operands is `promoted`.
class RecordBody : public ScalarBuilder {
public:
  RecordBody(LoopBuilder &loops, Operation *op, const aten::OpInfo &info,
             BodyContext body, Type in, Type promoted)
      : ScalarBuilder(body.builder, body.loc, in), loops(loops), info(info),
        args(aten::getSchemaArguments(op)), body(body) {
    stored = promoted;
    shortSpecials = loops.hasShortSpecials();
  }

  /// An argument in the computation type; null if it is absent.
  Value arg(llvm::StringRef name);
  /// An argument in its own type.
  Value raw(llvm::StringRef name) { return read(name).first; }
  /// True if a number among those that were read is known to the run alone.
  bool isUnknown() const { return unknown; }

private:
  /// The element or number of an argument in its own type, and that type with
  /// its sign; null if absent.
  std::pair<Value, Type> read(llvm::StringRef name);
  std::pair<Value, Type> readUnread(llvm::StringRef name);
  std::pair<Value, Type> readNumber(Value number);
  std::pair<Value, Type> getConstant(mlir::Attribute attribute);

  LoopBuilder &loops;
  const aten::OpInfo &info;
  SmallVector<aten::ArgValue> args;
  BodyContext body;
  llvm::StringMap<std::pair<Value, Type>> known;
  bool unknown = false;
};

/// The body of a pointwise overload, null if it has none.
using ScalarBody = Value (*)(RecordBody &);
ScalarBody lookUpScalarBody(const aten::OpInfo &info);

} // namespace kiln::loop

#endif // KILN_LIB_CONVERSION_ATENTOLOOP_RECORDBODY_H

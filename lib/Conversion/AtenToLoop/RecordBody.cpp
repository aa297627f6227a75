//===- RecordBody.cpp - Loop bodies of records ----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecordBody.h"

#include "kiln/Dialect/Aten/IR/Aten.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;

ScalarBody loop::lookUpScalarBody(const aten::OpInfo &info) {
  static const auto *bodies = [] {
    ArrayRef<const aten::OpInfo *> all = aten::getAllOverloads();
    return new llvm::DenseMap<const aten::OpInfo *, ScalarBody>{
#define KILN_LOOP_BODY(index, body)                                            \
  {all[index], [](RecordBody &b) -> Value { return body; }},
#include "kiln/Conversion/AtenToLoop/ScalarBodies.inc"
#undef KILN_LOOP_BODY
    };
  }();
  return bodies->lookup(&info);
}

Value RecordBody::arg(StringRef name) {
  auto [value, from] = read(name);
  return value ? convert(value, from, getType()) : Value();
}

std::pair<Value, Type> RecordBody::read(StringRef name) {
  auto [entry, isNew] = known.try_emplace(name);
  if (isNew)
    entry->second = readUnread(name);
  return entry->second;
}

std::pair<Value, Type> RecordBody::getConstant(Attribute attribute) {
  auto value = dyn_cast_if_present<TypedAttr>(attribute);
  if (!value)
    return {};
  return {arith::ConstantOp::create(body.builder, body.loc, value),
          value.getType()};
}

std::pair<Value, Type> RecordBody::readUnread(StringRef name) {
  auto *found = llvm::find_if(info.args, [&](const aten::ArgInfo &candidate) {
    return name == candidate.name;
  });
  assert(found != info.args.end() && "kiln-tblgen checks the names");
  const aten::ArgValue &arg = args[found - info.args.begin()];
  if (arg.isNone()) // the schema's default, if it is a number
    return getConstant(aten::getDefault(loops.getContext(), *found));
  if (arg.isAttribute())
    return getConstant(arg.getAttribute());
  Value value = arg.getValue();
  if (!isa<RankedTensorType>(value.getType()))
    return readNumber(value);
  View view = loops.getView(value);
  auto dims = *guard::getDims(loops.getResultType());
  return {loops.read(body, view, loops.broadcast(view, dims)),
          LoopBuilder::getElement(value)};
}

std::pair<Value, Type> RecordBody::readNumber(Value value) {
  Value number = loops.readNumber(body, value);
  Type own = value.getType();
  if (!number) {
    // Some number: the body is made before it is refused.
    unknown = true;
    own = body.builder.getF64Type();
    number = constant(own, 0.0);
  }
  // Through the tensors' type, where eager rounds it so.
  if (stored != getType() && info.roundsNumbers)
    return {convert(number, own, stored), stored};
  return {number, own};
}

//===- SizeMarks.cpp - Sizes of inputs that a user names ------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/Transforms/SizeMarks.h"

#include "kiln/Dialect/Aten/IR/AtenBase.h"

using namespace kiln;
using namespace kiln::aten;
using mlir::func::FuncOp;

bool aten::isCallerTensor(FuncOp main, unsigned argument) {
  auto input = main.getArgAttrOfType<InputAttr>(argument, kInputAttrName);
  return llvm::isa<RankedTensorType>(main.getArgumentTypes()[argument]) &&
         (!input || input.getKind() == InputKind::UserInput);
}

std::string aten::nameOfInput(FuncOp main, unsigned argument) {
  auto input = main.getArgAttrOfType<InputAttr>(argument, kInputAttrName);
  if (input && input.getName())
    return input.getName().str();
  return "arg" + std::to_string(argument);
}

Result<SizeMark> aten::parseSizeMark(FuncOp main, StringRef text) {
  auto fail = [&](const llvm::Twine &message) {
    return Error::usage(("'" + text + "' marks no size: " + message).str());
  };
  SizeMark mark;
  StringRef place = text, bounds;
  if (size_t open = text.find('['); open != StringRef::npos) {
    place = text.take_front(open);
    bounds = text.drop_front(open);
    if (!bounds.consume_front("[") || !bounds.consume_back("]"))
      return fail("expected 'input:dim[min..max]'");
    auto [low, high] = bounds.split("..");
    if (low.getAsInteger(10, mark.range.min) ||
        (!high.empty() && high.getAsInteger(10, mark.range.max)) ||
        mark.range.min < 0 || mark.range.max < mark.range.min)
      return fail("expected a range 'min..max' of sizes");
  }
  auto [name, dim] = place.rsplit(':');
  bool isKnown = false;
  for (unsigned i = 0; i < main.getNumArguments() && !isKnown; ++i)
    if (isCallerTensor(main, i) && name == nameOfInput(main, i)) {
      mark.argument = i;
      isKnown = true;
    }
  if (!isKnown)
    return fail("the program has no input tensor '" + name + "'");
  auto type = llvm::cast<RankedTensorType>(
      main.getArgumentTypes()[mark.argument]);
  int64_t position;
  if (dim.getAsInteger(10, position) || position < -type.getRank() ||
      position >= type.getRank())
    return fail("'" + name + "' has " + llvm::Twine(type.getRank()) +
                " dimensions");
  mark.dim = position < 0 ? position + type.getRank() : position;
  int64_t size = type.getDimSize(mark.dim);
  if (!type.isDynamicDim(mark.dim) && !mark.range.contains(size) &&
      !bounds.empty())
    return fail("the example has a size of " + llvm::Twine(size) + " there");
  return mark;
}

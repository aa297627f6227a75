//===- ViewWorld.h - Rules of views over expressions ------------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What kiln/Base/ViewParts.h asks, answered by inference. Arguments are found by
// their place in the schema; each returns the schema's default for None.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_DIALECT_ATEN_IR_VIEWWORLD_H
#define KILN_LIB_DIALECT_ATEN_IR_VIEWWORLD_H

#include "kiln/Dialect/Aten/IR/Inference.h"
#include "kiln/Dialect/Guard/IR/ExprRange.h"

#include <string>
#include <vector>

namespace kiln::aten {

class ViewWorld {
public:
  using Number = ExprAttr;
  using Sizes = std::vector<ExprAttr>;

  explicit ViewWorld(Inference &infer) : infer(infer) {}

  //===--- Arguments ---------------------------------------------------------//

  Sizes sizes(unsigned i);
  std::vector<Sizes> allSizes(unsigned i);
  Sizes numbers(unsigned i);
  std::vector<int64_t> integers(unsigned i);
  int64_t integer(unsigned i, int64_t otherwise = 0);
  std::optional<ExprAttr> optional(unsigned i);
  ExprAttr number(unsigned i, int64_t otherwise = 0) {
    return optional(i).value_or(constant(otherwise));
  }

  //===--- What rules ask ----------------------------------------------------//

  ExprAttr constant(int64_t value) { return infer.constant(value); }
  std::optional<int64_t> known(ExprAttr n) { return n.getConstant(); }
  bool is(ExprAttr n, int64_t value) { return infer.is(n, value); }
  bool differ(ExprAttr a, ExprAttr b) { return infer.differ(a, b); }
  bool isAtLeast(ExprAttr n, int64_t value) {
    return infer.isAtLeast(n, value);
  }
  bool fits(ExprAttr start, ExprAttr length, ExprAttr size) {
    return infer.holds(guard::le(start + length, size));
  }
  std::optional<int64_t> fixed(ExprAttr n) { return infer.getFixed(n); }
  std::optional<int64_t> resultCount() { return infer.resultCount; }
  ExprAttr times(ExprAttr a, ExprAttr b) { return guard::mul(a, b); }
  ExprAttr sum(const Sizes &sizes) {
    return guard::sum(infer.context, sizes);
  }
  ExprAttr simplify(ExprAttr n) {
    return guard::simplify(n, guard::Assumptions());
  }
  ExprAttr notNegative(ExprAttr n);
  ExprAttr bound(ExprAttr bound, ExprAttr size);
  ExprAttr wrapped(ExprAttr index, ExprAttr size);
  std::optional<Sizes> broadcast(const Sizes &a, const Sizes &b);
  bool haveOneType();
  bool divides(int64_t factor, ExprAttr n) { return infer.divides(factor, n); }
  bool isComplex();
  bool hasComplex();
  int64_t itemSize();
  int64_t itemSizeOfResult();

  template <typename... Parts> std::nullopt_t fail(const Parts &...parts) {
    std::string text;
    (append(text, parts), ...);
    (void)infer.fail(text);
    return std::nullopt;
  }

private:
  static void append(std::string &text, const char *part) { text += part; }
  static void append(std::string &text, int64_t part) {
    text += std::to_string(part);
  }
  static void append(std::string &text, ExprAttr part) { text += part.str(); }

  Inference &infer;
};

} // namespace kiln::aten

#endif // KILN_LIB_DIALECT_ATEN_IR_VIEWWORLD_H

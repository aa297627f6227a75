//===- Composites.h - Overloads that are made of others ---------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PyTorch composes many overloads of others and has nothing else for them: no
// kernel, no derivative. A program that was exported for training names them
// all the same. Here they are composed at import, of overloads that have
// records, so that types, values, derivatives and kernels follow; what the
// archive recorded of the results is compared as for any other node.
//
// An overload that is another one by name only is a line of `kAliases`. The rest
// are functions of their arguments, by name:
//
//   table.add("aten::fliplr(Tensor self) -> Tensor", [](Composite &c) {
//     return Values{c.call("aten.flip", {c.self(), c.ints({1})})};
//   });
//
//===----------------------------------------------------------------------===//

#ifndef KILN_LIB_IMPORT_PT2_COMPOSITES_H
#define KILN_LIB_IMPORT_PT2_COMPOSITES_H

#include "kiln/Dialect/Aten/IR/AtenBuilder.h"
#include "kiln/Support/LLVM.h"

#include "llvm/ADT/StringMap.h"

#include <deque>
#include <vector>

namespace kiln::pt2 {

using Values = SmallVector<Value>;

/// The arguments of a call of a composite overload, and what builds its parts.
class Composite : public aten::AtenBuilder {
public:
  /// `recorded` are the types of the results in the archive, and `isRead` says
  /// which of them the program reads.
  Composite(OpBuilder &builder, Location loc, ArrayRef<aten::ArgInfo> infos,
            ArrayRef<aten::ArgValue> args, ArrayRef<Type> recorded,
            llvm::function_ref<bool(unsigned)> isRead)
      : AtenBuilder(builder, loc), infos(infos), args(args),
        recorded(recorded), isRead(isRead) {}

  using AtenBuilder::ints;

  /// The argument as it stands, for a part that takes the same.
  aten::ArgValue arg(StringRef name);
  bool has(StringRef name) { return !arg(name).isNone(); }
  Value tensor(StringRef name);
  Value self() { return tensor(infos.front().name); }
  SmallVector<Value> tensors(StringRef name) {
    return SmallVector<Value>(arg(name).getValues());
  }
  /// A number as a value; the default if it was left out.
  Value scalar(StringRef name);
  /// The same where it is known at import.
  std::optional<double> known(StringRef name);
  bool flag(StringRef name);
  int64_t integer(StringRef name);
  double real(StringRef name);
  StringRef text(StringRef name);
  SmallVector<int64_t> list(StringRef name);
  SmallVector<Expr> sizes(StringRef name);
  Expr size(StringRef name);
  /// The element type asked for, or null.
  Type type(StringRef name);

  /// Says what is not supported, and is no value.
  Value refuse(const llvm::Twine &why);
  StringRef getReason() const { return reason; }
  /// Says what is wrong with the arguments, and is no value.
  Value complain(const llvm::Twine &what);
  /// What is wrong with the arguments, if something was found.
  StringRef getComplaint() const { return complaint; }

  /// `dim` counted from the front of `rank` dimensions, or 0 and a complaint.
  int64_t place(int64_t dim, int64_t rank);
  /// One size; 0 and a complaint if `x` has no such dimension.
  Expr dimOf(Value x, int64_t dim);

  using AtenBuilder::type;

  /// The results of an overload, of the types that the archive recorded: for
  /// one with sizes that data decide.
  Values callRecorded(StringRef overload, ArrayRef<aten::ArgValue> args);
  ArrayRef<Type> getRecorded() const { return recorded; }
  /// Ends the run with `message` unless `condition` holds everywhere.
  void check(Value condition, StringRef message);
  /// A result that nobody may read: zeros, or a refusal that names it.
  Value unread(unsigned result, StringRef what);
  /// A number as a tensor without dimensions, which promotes like one, next to
  /// `other`.
  Value wrap(Value number, Value other);
  /// A tensor of floats: `x`, or `x` as f32.
  Value floating(Value x);
  Value clamp(Value x, double low);
  Value logicalNot(Value x) { return AtenBuilder::logicalNot(x); }
  /// `losses` by `reduction`: 0 none, 1 mean, 2 sum.
  Value reduce(Value losses, int64_t reduction);
  /// The size of `x` along `dim`, if it is a number.
  std::optional<int64_t> fixed(Value x, int64_t dim) {
    return dimOf(x, dim).getConstant();
  }
  Value t(Value x) { return transpose(x, -2, -1); }

private:
  ArrayRef<aten::ArgInfo> infos;
  ArrayRef<aten::ArgValue> args;
  ArrayRef<Type> recorded;
  llvm::function_ref<bool(unsigned)> isRead;
  std::string reason, complaint;
};

struct CompositeEntry {
  std::string schema;
  std::vector<aten::ArgInfo> args;
  Values (*build)(Composite &);
};

class CompositeTable {
public:
  void add(StringRef schema, Values (*build)(Composite &));
  const CompositeEntry *find(StringRef overload) const {
    auto it = entries.find(overload);
    return it == entries.end() ? nullptr : &it->second;
  }

private:
  llvm::StringMap<CompositeEntry> entries;
  std::deque<std::string> texts; ///< names and defaults of arguments
};

void addCompositeViews(CompositeTable &table);
void addCompositeMath(CompositeTable &table);
void addCompositeLayers(CompositeTable &table);
void addCompositeLinalg(CompositeTable &table);
void addCompositeCtc(CompositeTable &table);
void addCompositeQuantize(CompositeTable &table);
void addCompositeSpectra(CompositeTable &table);

/// How "aten.fliplr.default" is composed; null if it is not.
const CompositeEntry *lookUpComposite(StringRef overload);
/// "aten.abs.default" for "aten.absolute.default", which is the same; an overload
/// that has no other name is returned as it is.
std::string canonicalOverload(StringRef overload);
/// The view "aten.permute" of the copy "aten.permute_copy.default", or null.
const aten::OpInfo *lookUpCopiedView(StringRef overload);

} // namespace kiln::pt2

#endif // KILN_LIB_IMPORT_PT2_COMPOSITES_H

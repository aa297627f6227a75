//===- ThroughViews.cpp - Reading and writing through a view --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A map as ops. Reading, the dimensions of the tensor are cropped (`slice`,
// `select`), then brought to the order of the view (`permute`), then those of
// size 1 and the repeated ones are added (`view`, `expand`). Writing undoes that
// from behind:
//
//   x [4, 8] seen as x.t()[2]     select of dimension 1, nothing else
//   y [4] written to it           select_scatter(x, y, 1, 2)
//   y [4] added to zeros          select_backward(y, [4, 8], 1, 2)
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Aten/IR/AtenOps.h"
#include "kiln/Dialect/Aten/IR/FormulaBuilder.h"
#include "kiln/Dialect/Aten/IR/ViewMaps.h"

using namespace kiln;
using namespace kiln::aten;
using guard::ExprAttr;
using Sizes = SmallVector<ExprAttr>;
using Step = views::ViewStep<ExprAttr>;

namespace {

/// A strided map, looked at from the dimensions of the tensor.
class Through {
public:
  Through(FormulaBuilder &b, const ViewMap &map, ArrayRef<ExprAttr> sizes);

  Value read(Value tensor);
  /// A null tensor is zeros to which is added.
  Value write(Value tensor, Value source, std::string &reason);

private:
  /// Part of dimension `dim` of `tensor`, one index if nothing steps along it.
  Value crop(Value tensor, unsigned dim);
  Value putBack(Value tensor, ArrayRef<ExprAttr> own, unsigned dim,
                Value source);
  /// Writes to the part that dimensions `rest` of what is cropped leave.
  Value writeParts(Value tensor, Sizes own, ArrayRef<unsigned> rest,
                   Value source);
  /// `source`, of the view's sizes, with the dimensions of the cropped tensor.
  Value toTensor(Value source);
  // As `unfold` and `diagonal` make them; null for others.
  Value writeWindows(Value source);
  Value writeDiagonal(Value tensor, Value source);
  ExprAttr getEnd(unsigned dim);

  /// The dimension is gone as it has size 1.
  bool isDropped(unsigned dim) {
    return !along[dim] && sizes[dim].isConstant(1);
  }
  bool hasDropped() {
    return llvm::any_of(llvm::seq<unsigned>(0, sizes.size()),
                        [&](unsigned dim) { return isDropped(dim); });
  }
  /// Dimensions of size 1 that lie behind others are repeated, as `expand` does.
  bool isExpansion();

  FormulaBuilder &b;
  const ViewMap &map;
  Sizes sizes;                   ///< of the tensor
  SmallVector<const Step *> along;    ///< to each of its dimensions
  SmallVector<unsigned> cropped;      ///< of them, the last first
  SmallVector<bool> isStepped;        ///< by dimension of the view
  const Step *window = nullptr;       ///< the second step to a dimension
  const Step *diagonal = nullptr;     ///< the second step from one
};

} // namespace

Through::Through(FormulaBuilder &b, const ViewMap &map,
                 ArrayRef<ExprAttr> sizes)
    : b(b), map(map), sizes(sizes), along(sizes.size(), nullptr),
      isStepped(map.sizes.size(), false) {
  for (const Step &step : map.steps) {
    if (along[step.to])
      window = &step;
    else
      along[step.to] = &step;
    if (isStepped[step.from])
      diagonal = &step;
    isStepped[step.from] = true;
  }
  for (unsigned dim = sizes.size(); dim-- > 0;) {
    const Step *step = along[dim];
    bool isWhole = step && map.start[dim].isConstant(0) &&
                   step->by.isConstant(1) &&
                   map.sizes[step->from] == sizes[dim];
    if (!isWhole && !isDropped(dim))
      cropped.push_back(dim);
  }
}

bool Through::isExpansion() {
  if (map.sizes.size() < sizes.size() || !cropped.empty())
    return false;
  unsigned added = map.sizes.size() - sizes.size();
  for (unsigned i = 0; i < map.sizes.size(); ++i) {
    bool isOwn = i >= added && along[i - added];
    if (isStepped[i] != isOwn || (isOwn && along[i - added]->from != i))
      return false;
  }
  return true;
}

/// Behind the last element. A last step may lead beyond the dimension.
ExprAttr Through::getEnd(unsigned dim) {
  const Step *step = along[dim];
  ExprAttr end = map.start[dim] + map.sizes[step->from] * step->by;
  return step->by.isConstant(1) ? end : guard::min(end, sizes[dim]);
}

Value Through::crop(Value tensor, unsigned dim) {
  if (const Step *step = along[dim])
    return b.sliceTensor(tensor, dim, map.start[dim], getEnd(dim), step->by);
  return b.selectInt(tensor, dim, map.start[dim]);
}

Value Through::read(Value tensor) {
  if (window || diagonal)
    return {};
  if (isExpansion())
    return b.expand(tensor, ArrayRef(map.sizes));
  for (unsigned dim : cropped)
    if (tensor)
      tensor = crop(tensor, dim);
  // What is left, in the tensor's order and in the view's.
  Sizes kept, spread;
  SmallVector<std::pair<unsigned, int64_t>> order;
  for (const Step *step : along)
    if (step) {
      order.push_back({step->from, kept.size()});
      kept.push_back(map.sizes[step->from]);
    }
  llvm::sort(order);
  for (unsigned i = 0; i < map.sizes.size(); ++i)
    spread.push_back(isStepped[i] ? map.sizes[i] : b.expr(1));
  // Sizes that are merely written otherwise stay as they are.
  bool drops = hasDropped(), adds = llvm::is_contained(isStepped, false);
  auto dims = llvm::to_vector(llvm::make_second_range(order));
  if (!llvm::is_sorted(dims)) {
    tensor = b.permute(drops ? b.view(tensor, kept) : tensor, dims);
    drops = false;
  }
  if (drops || adds)
    tensor = b.view(tensor, spread);
  return adds ? b.expand(tensor, ArrayRef(map.sizes)) : tensor;
}

Value Through::toTensor(Value source) {
  SmallVector<int64_t> repeated, order;
  Sizes kept, spread;
  SmallVector<int64_t> place(map.sizes.size(), 0);
  for (unsigned i = 0; i < map.sizes.size(); ++i) {
    if (isStepped[i]) {
      place[i] = kept.size();
      kept.push_back(map.sizes[i]);
    } else if (!map.sizes[i].isConstant(1)) {
      repeated.push_back(i);
    }
  }
  for (unsigned dim = 0; dim < sizes.size(); ++dim) {
    if (along[dim])
      order.push_back(place[along[dim]->from]);
    if (along[dim])
      spread.push_back(map.sizes[along[dim]->from]);
    else if (isDropped(dim))
      spread.push_back(sizes[dim]);
  }
  if (!repeated.empty())
    source = b.sumOver(source, repeated, /*keepdim=*/true,
                       FormulaBuilder::elementTypeOf(source));
  bool adds = llvm::is_contained(isStepped, false);
  if (!llvm::is_sorted(order)) {
    source = b.permute(adds ? b.view(source, kept) : source, order);
    adds = false;
  }
  return adds || hasDropped() ? b.view(source, spread) : source;
}

Value Through::putBack(Value tensor, ArrayRef<ExprAttr> own, unsigned dim,
                       Value source) {
  ExprAttr start = map.start[dim];
  const Step *step = along[dim];
  if (!step)
    return tensor ? b.selectScatter(tensor, source, dim, start)
                  : b.selectBackward(source, own, dim, start);
  ExprAttr end = getEnd(dim);
  return tensor ? b.sliceScatter(tensor, source, dim, start, end, step->by)
                : b.sliceBackward(source, own, dim, start, end, step->by);
}

Value Through::writeParts(Value tensor, Sizes own, ArrayRef<unsigned> rest,
                          Value source) {
  unsigned dim = rest.front();
  if (rest.size() > 1) {
    Sizes part = own;
    if (along[dim])
      part[dim] = map.sizes[along[dim]->from];
    else
      part.erase(part.begin() + dim);
    source = writeParts(tensor ? crop(tensor, dim) : Value(), part,
                        rest.drop_front(), source);
  }
  return source ? putBack(tensor, own, dim, source) : source;
}

Value Through::writeWindows(Value source) {
  const Step *step = along[window->to];
  for (unsigned dim = 0; dim < sizes.size(); ++dim)
    if (!along[dim] || along[dim]->from != dim)
      return {};
  std::optional<int64_t> size = map.sizes[window->from].getConstant();
  std::optional<int64_t> by = step->by.getConstant();
  if (window->from != sizes.size() || diagonal || !size || !by)
    return {};
  return b.unfoldBackward(source, sizes, window->to, *size, *by);
}

Value Through::writeDiagonal(Value tensor, Value source) {
  unsigned row = llvm::find_if(map.steps, [&](const Step &step) {
                   return step.from == diagonal->from;
                 })->to;
  unsigned next = 0;
  for (unsigned dim = 0; dim < sizes.size(); ++dim)
    if (dim != row && dim != diagonal->to &&
        (!along[dim] || llvm::is_contained(cropped, dim) ||
         along[dim]->from != next++))
      return {};
  if (diagonal->from != next)
    return {};
  std::optional<int64_t> offset =
      (map.start[diagonal->to] - map.start[row]).getConstant();
  if (!offset)
    return {};
  return tensor
             ? b.diagonalScatter(tensor, source, *offset, row, diagonal->to)
             : b.diagonalBackward(source, sizes, *offset, row, diagonal->to);
}

Value Through::write(Value tensor, Value source, std::string &reason) {
  bool isRepeated = false;
  for (unsigned i = 0; i < map.sizes.size(); ++i)
    isRepeated |= !isStepped[i] && !map.sizes[i].isConstant(1);
  if (tensor && (isRepeated || window)) {
    reason = "where several elements share memory";
    return {};
  }
  if (window)
    return writeWindows(source);
  if (diagonal)
    return writeDiagonal(tensor, source);
  // Sums of what is repeated are the caller's, who knows the sizes he wants.
  if (isRepeated && isExpansion())
    return source;
  source = toTensor(source);
  if (!source || cropped.empty())
    return source;
  return writeParts(tensor, sizes, cropped, source);
}

//===----------------------------------------------------------------------===//
// Any kind
//===----------------------------------------------------------------------===//

static Sizes stridesOf(const ViewMap &map) {
  Sizes strides;
  for (const Step &step : map.steps)
    strides.push_back(step.by);
  return strides;
}

/// `tensor` seen as other elements, which are of type `to`.
static Value seeAs(FormulaBuilder &b, ViewElements elements, Value tensor,
                   Type to) {
  switch (elements) {
  case ViewElements::Same:
    return tensor;
  case ViewElements::Parts:
    return b.viewAsReal(tensor);
  case ViewElements::Pairs:
    return b.viewAsComplex(tensor);
  case ViewElements::Bytes:
    return b.viewDtype(tensor, to);
  }
  llvm_unreachable("not an enumerator");
}

/// As what the elements of a view are those of the tensor.
static ViewElements getInverse(ViewElements elements) {
  return elements == ViewElements::Parts   ? ViewElements::Pairs
         : elements == ViewElements::Pairs ? ViewElements::Parts
                                           : elements;
}

/// True if nothing is left to do once elements are seen as others.
static bool isWhole(const ViewMap &map) {
  return map.start.size() == map.sizes.size();
}

Value aten::readThrough(FormulaBuilder &b, const ViewMap &map, Value tensor) {
  if (map.elements != ViewElements::Same)
    return {};
  if (map.kind == ViewKind::InOrder)
    return b.view(tensor, ArrayRef(map.sizes));
  if (map.kind == ViewKind::Storage)
    return {};
  return Through(b, map, FormulaBuilder::dimsOf(tensor)).read(tensor);
}

Value aten::writeThrough(FormulaBuilder &b, const ViewMap &map, Value tensor,
                         Value source, std::string &reason) {
  if (map.elements != ViewElements::Same) {
    if (!isWhole(map)) {
      ViewMap rest = map;
      rest.elements = ViewElements::Same;
      Value seen =
          seeAs(b, map.elements, tensor, FormulaBuilder::elementTypeOf(source));
      source = writeThrough(b, rest, seen, source, reason);
    }
    return source ? seeAs(b, getInverse(map.elements), source,
                          FormulaBuilder::elementTypeOf(tensor))
                  : Value();
  }
  Sizes sizes = FormulaBuilder::dimsOf(tensor);
  if (map.kind == ViewKind::InOrder)
    return b.view(source, sizes);
  if (map.kind == ViewKind::Strided)
    return Through(b, map, sizes).write(tensor, source, reason);
  return b.asStridedScatter(tensor, source, ArrayRef(map.sizes), stridesOf(map),
                            map.start.empty() ? SizeArg()
                                              : SizeArg(map.start.front()));
}

Value aten::addThrough(FormulaBuilder &b, const ViewMap &map,
                       ArrayRef<ExprAttr> sizes, Value source) {
  assert(map.kind != ViewKind::Storage && "strides need the memory's sizes");
  if (map.elements == ViewElements::Bytes)
    return {};
  if (map.elements != ViewElements::Same) {
    if (!isWhole(map)) {
      ViewMap rest = map;
      rest.elements = ViewElements::Same;
      SmallVector<ExprAttr> parts(sizes);
      parts.push_back(b.expr(2));
      source = addThrough(b, rest, parts, source);
    } else if (map.elements == ViewElements::Parts) {
      // Pairs lie side by side.
      source = b.contiguous(source);
    }
    return seeAs(b, getInverse(map.elements), source, Type());
  }
  if (map.kind == ViewKind::InOrder)
    return b.view(source, sizes);
  std::string reason;
  return Through(b, map, sizes).write({}, source, reason);
}

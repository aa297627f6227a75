//===- Mutation.cpp - In-place operators and views ------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An in-place operator becomes its functional form; what it gives is written
// where the changed tensor looks (Functionalizer.h).
//
//===----------------------------------------------------------------------===//

#include "GraphImporter.h"

#include "kiln/Dialect/Aten/IR/AtenOps.h"
#include "kiln/Dialect/Aten/IR/FormulaBuilder.h"
#include "kiln/Dialect/Guard/IR/Guard.h"

#include "mlir/IR/Diagnostics.h"

using namespace kiln;
using namespace kiln::pt2;
using guard::ExprAttr;

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

bool pt2::isContiguous(ArrayRef<ExprAttr> sizes, ArrayRef<ExprAttr> strides) {
  ExprAttr expected;
  for (size_t k = sizes.size(); k-- > 0;) {
    if (sizes[k].isConstant(1))
      continue;
    if (!expected)
      expected = guard::getConstant(sizes[k].getContext(), 1);
    if (strides[k] != expected)
      return false;
    expected = expected * sizes[k];
  }
  return true;
}

/// PyTorch's rule whether a tensor can be seen with other sizes; nothing if a
/// size or stride is not a number.
static std::optional<bool> canView(ArrayRef<ExprAttr> sizes,
                                   ArrayRef<ExprAttr> strides,
                                   ArrayRef<ExprAttr> wanted) {
  // What stays as it is in front can be seen whatever becomes of the rest.
  while (!sizes.empty() && !wanted.empty() && sizes.front() == wanted.front() &&
         !sizes.front().isConstant()) {
    sizes = sizes.drop_front();
    strides = strides.drop_front();
    wanted = wanted.drop_front();
  }
  if (isContiguous(sizes, strides))
    return true;
  for (ArrayRef<ExprAttr> list : {sizes, strides, wanted})
    for (ExprAttr expr : list)
      if (!expr.isConstant())
        return std::nullopt;
  auto at = [](ArrayRef<ExprAttr> list, size_t k) {
    return uint64_t(*list[k].getConstant());
  };
  // Runs of dimensions that lie without gaps must end where one of `wanted`
  // ends.
  size_t view = wanted.size();
  uint64_t stride = at(strides, sizes.size() - 1), run = 1, covered = 1;
  for (size_t k = sizes.size(); k-- > 0;) {
    run *= at(sizes, k);
    if (k > 0 &&
        (at(sizes, k - 1) == 1 || at(strides, k - 1) == run * stride))
      continue;
    while (view > 0 && (covered < run || at(wanted, view - 1) == 1))
      covered *= at(wanted, --view);
    if (covered != run)
      return false;
    if (k > 0)
      stride = at(strides, k - 1);
    run = covered = 1;
  }
  return view == 0;
}

/// What the first result shows; nothing if the op is no view.
static std::optional<aten::ViewMap> getMap(Operation *op) {
  auto view = llvm::dyn_cast<aten::ViewOpInterface>(op);
  auto maps = view ? view.getViewMaps() : FailureOr<aten::ViewMaps>();
  if (failed(maps) || maps->empty())
    return std::nullopt;
  return maps->front();
}

/// True for an op that gives the same elements in other sizes.
static bool isReshape(Operation *op) {
  auto map = getMap(op);
  return map && map->kind == aten::ViewKind::InOrder;
}

/// True if a call without a memory format asks for a contiguous result.
static bool makesContiguous(const aten::OpInfo &info) {
  return llvm::any_of(info.args, [](const aten::ArgInfo &arg) {
    return arg.kind == aten::ArgKind::MemoryFormat && !arg.isOptional;
  });
}

/// True if it takes strides to say whether elements of these sizes can be seen as
/// elements of the sizes `wanted`. Splitting a dimension or adding one of a single
/// element is possible for all.
static bool needsStrides(ArrayRef<ExprAttr> sizes, ArrayRef<ExprAttr> wanted) {
  // Of which no two dimensions can be joined.
  SmallVector<ExprAttr> apart(sizes);
  ExprAttr stride, two;
  for (size_t k = sizes.size(); k-- > 0; stride = apart[k] * sizes[k] * two) {
    two = guard::getConstant(sizes[k].getContext(), 2);
    apart[k] = stride ? stride : two;
  }
  return canView(sizes, apart, wanted) != true;
}

/// True if `result` of the node looks at the memory of its first operand. If
/// the file does not tell, `unknown` says of what. `byStrides` if those of the
/// operand decided.
bool GraphImporter::aliases(const archive::Node &node, Operation *op,
                            const std::string &result, std::string &unknown,
                            bool &byStrides) const {
  const auto *self = node.inputs.empty()
                         ? nullptr
                         : node.inputs[0].arg.as<archive::TensorArg>();
  const archive::TensorMeta *from = self ? graph.tensor(self->name) : nullptr;
  const archive::TensorMeta *to = graph.tensor(result);
  StringRef name = op->getName().getStringRef();
  const aten::OpInfo *info = aten::getOpInfo(op);
  bool perhaps = info && info->mayCopy;
  if (!perhaps || !from || !to)
    return !perhaps;
  // These give their operand back if there is nothing to do.
  if (const archive::Argument *train = node.find("train")) {
    auto *flag = train->as<bool>();
    return flag && !*flag;
  }
  if (const archive::Argument *copy = node.find("copy"))
    if (auto *flag = copy->as<bool>(); flag && *flag)
      return false;
  if (from->dtype != to->dtype)
    return false;
  auto sizes = shapes.convert(from->sizes);
  auto wanted = shapes.convert(to->sizes);
  auto strides = shapes.convert(from->strides);
  auto given = shapes.convert(to->strides);
  if (!from->stridesKnown || !to->stridesKnown || !sizes || !wanted ||
      !strides || !given) {
    unknown = "the result '" + result + "' of '" + name.str() + "'";
    return false;
  }
  const archive::Argument *format = node.find("memory_format");
  byStrides = isReshape(op) ? needsStrides(*sizes, *wanted)
                            : makesContiguous(*info) ||
                                  (format && !format->isNone());
  bool isSame = *sizes == *wanted && *strides == *given;
  // The recorded strides are those of other sizes where one is 1 now.
  if (makesContiguous(*info) && !node.find("memory_format"))
    return isSame || isContiguous(*sizes, *strides);
  if (!isReshape(op))
    return isSame;
  auto possible = canView(*sizes, *strides, *wanted);
  if (!possible && !isContiguous(*wanted, *given))
    possible = true; // a copy would be contiguous
  if (!possible)
    unknown = "the result '" + result + "' of '" + name.str() + "'";
  return possible.value_or(false);
}

/// Why PyTorch cannot see elements of one size as elements of another; empty if
/// it can. `factor` is how many of the first make one of the second, 0 if they
/// do not become fewer. Strides of single elements, which are never stepped
/// along, may be any if it `ignoresOnes`.
static std::string whyNotRetyped(ArrayRef<ExprAttr> sizes,
                                 ArrayRef<ExprAttr> strides,
                                 std::optional<int64_t> offset, int64_t factor,
                                 bool ignoresOnes) {
  if (!strides.back().isConstant(1) && strides.back().isConstant())
    return "lie side by side in the last dimension";
  if (factor == 0)
    return "";
  if (offset.value_or(0) % factor != 0)
    return "start at a multiple of " + std::to_string(factor);
  for (auto [size, stride] :
       llvm::zip(sizes.drop_back(), strides.drop_back())) {
    auto step = stride.getConstant();
    if (step && *step % factor != 0 && !(ignoresOnes && size.isConstant(1)))
      return "have strides in multiples of " + std::to_string(factor);
  }
  return "";
}

static unsigned bitsOf(RankedTensorType type) {
  Type element = type.getElementType();
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element))
    return 2 * complex.getElementType().getIntOrFloatBitWidth();
  // A bool takes a byte.
  return std::max(8u, element.getIntOrFloatBitWidth());
}

/// Refuses a view that PyTorch cannot make of an input as it was recorded: from
/// here on a view is about sizes alone.
Status GraphImporter::checkStrides(const archive::Node &node,
                                   Operation *op) const {
  const aten::OpInfo *info = aten::getOpInfo(op);
  auto map = getMap(op);
  if (!map || !info || info->mayCopy || !(info->isView || info->isSilentView))
    return Status::success();
  bool isView = map->kind == aten::ViewKind::InOrder;
  bool toComplex = map->elements == aten::ViewElements::Pairs;
  bool toOtherType = map->elements == aten::ViewElements::Bytes;
  bool isRetyped = toComplex || toOtherType;
  if (!isView && !isRetyped)
    return Status::success();
  const auto *self = node.inputs[0].arg.as<archive::TensorArg>();
  const archive::TensorMeta *meta = self ? graph.tensor(self->name) : nullptr;
  bool isInput = self && llvm::any_of(graph.inputs, [&](const auto &input) {
                   const auto *tensor = input.template as<archive::TensorArg>();
                   return tensor && tensor->name == self->name;
                 });
  auto type = llvm::cast<RankedTensorType>(op->getOperand(0).getType());
  auto result = llvm::cast<RankedTensorType>(op->getResult(0).getType());
  bool isEmpty = llvm::is_contained(type.getShape(), 0);
  if (!isInput || !meta || !meta->stridesKnown || meta->strides.empty() ||
      (isEmpty && !toOtherType))
    return Status::success();
  auto strides = shapes.convert(meta->strides);
  if (!strides)
    return strides.takeError();
  auto sizes = guard::getDims(type);
  if (isView) {
    if (canView(*sizes, *strides, *guard::getDims(result)) == false)
      return Error::malformed("the strides of '" + self->name +
                              "' do not allow a view of these sizes");
    return Status::success();
  }
  unsigned before = bitsOf(type), after = bitsOf(result);
  if (before == after)
    return Status::success();
  std::optional<int64_t> offset;
  if (meta->storageOffset.isStatic())
    offset = meta->storageOffset.value;
  std::string wanted = whyNotRetyped(
      *sizes, *strides, offset, after > before ? after / before : 0, toComplex);
  if (!wanted.empty())
    return Error::malformed("the elements of '" + self->name + "' do not " +
                            wanted + ", as a view of another element size "
                            "needs");
  return Status::success();
}

/// Binds a result of a view operator.
Status GraphImporter::bindView(const archive::Node &node, Operation *op,
                               unsigned result, const std::string &name) {
  // Operators on lists give a view of each element.
  std::string self;
  unsigned operand = 0;
  if (auto *tensor = node.inputs[0].arg.as<archive::TensorArg>()) {
    self = tensor->name;
  } else if (auto *list = node.inputs[0].arg.as<archive::TensorsArg>();
             list && result < list->names.size()) {
    self = list->names[result];
    operand = result;
  }
  Binding &binding = bindings[name];
  std::string unknown;
  bool byStrides = false;
  if (!self.empty() && aliases(node, op, name, unknown, byStrides)) {
    auto of = getTensor(self);
    if (!of)
      return of.takeError();
    binding.tensor = states.addView(*of, op, result, operand, byStrides);
  } else if (!unknown.empty()) {
    auto of = getTensor(self);
    if (!of)
      return of.takeError();
    binding.tensor =
        states.addPerhapsView(*of, op->getResult(result), unknown);
  } else if (byStrides) {
    auto of = getTensor(self);
    if (!of)
      return of.takeError();
    binding.tensor = states.addCopy(*of, op->getResult(result));
  } else {
    binding.tensor = states.add(op->getResult(result));
  }
  return Status::success();
}

//===----------------------------------------------------------------------===//
// In-place operators
//===----------------------------------------------------------------------===//

/// Whether PyTorch writes results of type `from` into a tensor of type `to`: a
/// kind of number (bool, integer, float, complex) only into itself or a wider
/// kind (c10/core/ScalarType.h, `canCast`).
static bool canCast(Type from, Type to) {
  auto kind = [](Type type) {
    return llvm::isa<mlir::ComplexType>(type) ? 3
           : llvm::isa<mlir::FloatType>(type) ? 2
           : type.isInteger(1)                ? 0
                                              : 1;
  };
  return kind(from) <= kind(to);
}

/// PyTorch's name of an element type: `Long` for i64.
static StringRef nameOfType(Type type) {
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(type))
    return complex.getElementType().isF64()   ? "ComplexDouble"
           : complex.getElementType().isF32() ? "ComplexFloat"
                                              : "ComplexHalf";
  if (llvm::isa<mlir::FloatType>(type))
    return type.isF64()    ? "Double"
           : type.isF32()  ? "Float"
           : type.isF16()  ? "Half"
           : type.isBF16() ? "BFloat16"
                           : "Float8";
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return "Bool";
  case 8:
    return type.isUnsignedInteger() ? "Byte" : "Char";
  case 16:
    return "Short";
  case 32:
    return "Int";
  default:
    return "Long";
  }
}

/// "[2, s0]"
static std::string shapeOf(Type type) {
  auto dims = guard::getDims(llvm::cast<RankedTensorType>(type));
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  if (dims)
    llvm::interleaveComma(*dims, os, [&](ExprAttr dim) { os << dim.str(); });
  os << ']';
  return text;
}

/// What an operator in place gives, as what it changes can hold: of the element
/// type of `of`, and of its sizes. With a type of its own (`isFixed`) it must be
/// that one. PyTorch's operators with `out` give `out` other sizes instead.
Result<Value> GraphImporter::fitContents(Value value, bool isFixed,
                                         const std::string &of) {
  auto tensor = getTensor(of);
  if (!tensor)
    return tensor.takeError();
  Value self = states.read(*tensor);
  auto to = llvm::cast<RankedTensorType>(self.getType());
  auto from = llvm::dyn_cast<RankedTensorType>(value.getType());
  if (!from)
    return Error::malformed("it changes '" + of + "' in place and gives no "
                                                  "tensor");
  Type want = to.getElementType(), have = from.getElementType();
  if (failed(mlir::verifyCompatibleShape(to, from)))
    return Error::malformed("it changes '" + of + "' in place: output with "
                            "shape " + shapeOf(to) + " doesn't match the "
                            "broadcast shape " + shapeOf(from));
  if (have != want && (isFixed || !canCast(have, want)))
    return Error::malformed("it changes '" + of + "' in place: result type " +
                            nameOfType(have).str() + " can't be cast to the "
                            "desired output type " + nameOfType(want).str());
  aten::FormulaBuilder builder(b, value.getLoc());
  // What is overwritten by what has no gradient still has one itself.
  if (llvm::isa<mlir::FloatType>(want) && !llvm::isa<mlir::FloatType>(have))
    return builder.copy(self, value);
  return builder.cast(value, want);
}

/// The first result of `op` is what the tensor `name` now holds or, for a view
/// operator, now is.
Status GraphImporter::mutate(const std::string &name, Operation *op,
                             bool isView) {
  if (!isView) {
    auto value =
        fitContents(op->getResult(0), op->hasAttr("dtype"), name);
    return value ? setContents(name, *value) : value.takeError();
  }
  auto tensor = getTensor(name);
  if (!tensor)
    return tensor.takeError();
  states.change(*tensor, op);
  return Status::success();
}

/// True if elements of the graph input that a tensor looks at share memory.
bool GraphImporter::overlaps(Functionalizer::Tensor tensor) const {
  const archive::TensorMeta *meta = graph.tensor(states.inputOf(tensor).str());
  if (!meta)
    return false;
  for (auto [size, stride] : llvm::zip(meta->sizes, meta->strides))
    if (stride.isStatic() && stride.value == 0 &&
        !(size.isStatic() && size.value <= 1))
      return true;
  return false;
}

Status GraphImporter::setContents(const std::string &name, Value value) {
  auto tensor = getTensor(name);
  if (!tensor)
    return tensor.takeError();
  auto before = llvm::cast<RankedTensorType>(states.read(*tensor).getType());
  auto now = llvm::dyn_cast<RankedTensorType>(value.getType());
  if (!now || now.getElementType() != before.getElementType() ||
      failed(mlir::verifyCompatibleShape(before, now))) {
    std::string text;
    llvm::raw_string_ostream(text)
        << "it changes '" << name << "' of type " << before << " to "
        << value.getType();
    return Error::malformed(text);
  }
  if (overlaps(*tensor))
    return Error::unsupported("it changes the input '" +
                              states.inputOf(*tensor).str() +
                              "', several elements of which share memory");
  std::string complaint;
  mlir::ScopedDiagnosticHandler handler(
      b.getContext(), [&](mlir::Diagnostic &diagnostic) {
        complaint += (complaint.empty() ? "" : "; ") + diagnostic.str();
        return success();
      });
  Status status = states.write(*tensor, value, value.getLoc());
  if (!status && !complaint.empty())
    return Error::unsupported(status.error().message + " (" + complaint + ")");
  return status;
}

//===- PickleReader.cpp - The tensors of a `torch.save` file -------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Archive/PickleReader.h"

#include "kiln/Base/CheckedMath.h"

#include <algorithm>
#include <unordered_map>

using namespace kiln;
using namespace kiln::archive;

using Index = PickledObject::Index;
using Tuple = PickledObject::Tuple;
using List = PickledObject::List;
using Dict = PickledObject::Dict;
using Global = PickledObject::Global;
using Storage = PickledObject::Storage;

namespace {

struct StorageType {
  std::string_view name;
  DType dtype;
};
constexpr StorageType storageTypes[] = {
    {"FloatStorage", DType::F32},         {"DoubleStorage", DType::F64},
    {"HalfStorage", DType::F16},          {"BFloat16Storage", DType::BF16},
    {"LongStorage", DType::I64},          {"IntStorage", DType::I32},
    {"ShortStorage", DType::I16},         {"CharStorage", DType::I8},
    {"ByteStorage", DType::U8},           {"BoolStorage", DType::Bool},
    {"ComplexFloatStorage", DType::C64},  {"ComplexDoubleStorage", DType::C128},
};
constexpr std::string_view dtypeGlobals[] = {
    "uint16",        "uint32",      "uint64",          "float8_e4m3fn",
    "float8_e5m2",   "float8_e4m3fnuz", "float8_e5m2fnuz", "complex32"};
constexpr size_t maxNesting = 64;

class PickleMachine {
public:
  explicit PickleMachine(ByteView bytes) : reader_(bytes) {}

  Result<Pickle> run() {
    while (!stopped_) {
      if (reader_.atEnd())
        return Error::malformed("pickle ends without a stop instruction");
      size_t at = reader_.position();
      uint8_t opcode = reader_.u8();
      if (auto status = step(opcode); !status)
        return status.takeError().withContext("pickle instruction at byte " +
                                              std::to_string(at));
      if (!reader_.ok())
        return Error::malformed("pickle is cut short in the instruction at "
                                "byte " +
                                std::to_string(at));
    }
    if (!reader_.atEnd())
      return Error::malformed("pickle has " +
                              std::to_string(reader_.remaining()) +
                              " bytes after its stop instruction");
    if (stack_.size() != 1 || !marks_.empty())
      return Error::malformed("pickle leaves " + std::to_string(stack_.size()) +
                              " objects, expected one");
    pickle_.root = stack_[0];
    return std::move(pickle_);
  }

private:
  static Error underflow() {
    return Error::malformed("takes more objects than there are");
  }

  PickledObject &object(Index index) { return pickle_.objects[index]; }

  template <typename T> void push(T value) {
    pickle_.objects.push_back(PickledObject{std::move(value)});
    stack_.push_back(static_cast<Index>(pickle_.objects.size() - 1));
  }

  /// Objects above the last mark may be taken; without a mark, all.
  bool available(size_t count) const {
    size_t floor = marks_.empty() ? 0 : marks_.back();
    return stack_.size() >= floor + count;
  }
  Index pop() {
    Index top = stack_.back();
    stack_.pop_back();
    return top;
  }
  Result<std::vector<Index>> popToMark() {
    if (marks_.empty())
      return Error::malformed("needs a mark, but there is none");
    std::vector<Index> items(
        stack_.begin() + static_cast<ptrdiff_t>(marks_.back()), stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return items;
  }

  Status step(uint8_t opcode) {
    switch (opcode) {
    case 0x80: { // PROTO
      uint8_t version = reader_.u8();
      if (reader_.ok() && (version < 2 || version > 5))
        return Error::unsupported("pickle protocol " + std::to_string(version) +
                                  ", expected 2 to 5");
      return {};
    }
    case 0x95: // FRAME
      reader_.skip(8);
      return {};
    case 0x63: { // GLOBAL
      Global global{line(), line()};
      push(std::move(global));
      return {};
    }
    case 0x93: // STACK_GLOBAL
      return stackGlobal();
    case 0x71: // BINPUT
      return put(reader_.u8());
    case 0x72: // LONG_BINPUT
      return put(reader_.u32());
    case 0x94: // MEMOIZE
      return put(static_cast<uint32_t>(memo_.size()));
    case 0x68: // BINGET
      return get(reader_.u8());
    case 0x6a: // LONG_BINGET
      return get(reader_.u32());
    case 0x28: // MARK
      marks_.push_back(stack_.size());
      return {};
    case 0x58: // BINUNICODE
      return text(reader_.u32());
    case 0x8c: // SHORT_BINUNICODE
      return text(reader_.u8());
    case 0x4b: // BININT1
      push(static_cast<int64_t>(reader_.u8()));
      return {};
    case 0x4d: // BININT2
      push(static_cast<int64_t>(reader_.u16()));
      return {};
    case 0x4a: // BININT
      push(static_cast<int64_t>(reader_.i32()));
      return {};
    case 0x8a: // LONG1
      return longInteger();
    case 0x47: // BINFLOAT
      return bigEndianDouble();
    case 0x4e: // NONE
      push(std::monostate());
      return {};
    case 0x88: // NEWTRUE
      push(true);
      return {};
    case 0x89: // NEWFALSE
      push(false);
      return {};
    case 0x29: // EMPTY_TUPLE
      push(Tuple());
      return {};
    case 0x85: // TUPLE1
    case 0x86: // TUPLE2
    case 0x87: // TUPLE3
      return smallTuple(opcode - 0x84u);
    case 0x74: { // TUPLE
      auto items = popToMark();
      if (!items)
        return items.takeError();
      push(Tuple{std::move(*items)});
      return {};
    }
    case 0x7d: // EMPTY_DICT
      push(Dict());
      return {};
    case 0x5d: // EMPTY_LIST
      push(List());
      return {};
    case 0x73:   // SETITEM
    case 0x75:   // SETITEMS
      return setItems(opcode == 0x75);
    case 0x61:   // APPEND
    case 0x65:   // APPENDS
      return append(opcode == 0x65);
    case 0x51: // BINPERSID
      return persistentId();
    case 0x52: // REDUCE
      return reduce();
    case 0x2e: // STOP
      stopped_ = true;
      return {};
    default: {
      static const char digits[] = "0123456789abcdef";
      return Error::unsupported(std::string("opcode 0x") + digits[opcode >> 4] +
                                digits[opcode & 15] +
                                " is not allowed; only tensors in plain "
                                "containers can be read");
    }
    }
  }

  std::string line() {
    std::string value;
    while (reader_.ok()) {
      char c = static_cast<char>(reader_.u8());
      if (c == '\n')
        break;
      value += c;
    }
    return value;
  }

  Status stackGlobal() {
    if (!available(2))
      return underflow();
    Index name = pop(), module = pop();
    auto *nameText = std::get_if<std::string>(&object(name).value);
    auto *moduleText = std::get_if<std::string>(&object(module).value);
    if (!nameText || !moduleText)
      return Error::malformed("global name is not a string");
    Global global{*moduleText, *nameText};
    push(std::move(global));
    return {};
  }

  Status put(uint32_t slot) {
    if (!available(1))
      return underflow();
    memo_[slot] = stack_.back();
    return {};
  }
  Status get(uint32_t slot) {
    auto it = memo_.find(slot);
    if (it == memo_.end())
      return Error::malformed("memo " + std::to_string(slot) +
                              " was never set");
    stack_.push_back(it->second);
    return {};
  }

  Status text(uint64_t length) {
    push(std::string(reader_.text(length)));
    return {};
  }

  Status longInteger() {
    uint8_t length = reader_.u8();
    if (length > 8)
      return Error::unsupported("integer of " + std::to_string(length) +
                                " bytes, expected at most 8");
    uint64_t value = 0;
    ByteView raw = reader_.bytes(length);
    for (size_t i = 0; i < raw.size(); ++i)
      value |= static_cast<uint64_t>(raw[i]) << (8 * i);
    if (length > 0 && length < 8 && reader_.ok() && (raw[length - 1] & 0x80))
      value |= ~uint64_t(0) << (8 * length);
    push(static_cast<int64_t>(value));
    return {};
  }

  Status bigEndianDouble() {
    uint64_t bits = __builtin_bswap64(reader_.u64());
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    push(value);
    return {};
  }

  Status smallTuple(size_t count) {
    if (!available(count))
      return underflow();
    Tuple tuple;
    tuple.items.assign(stack_.end() - static_cast<ptrdiff_t>(count),
                       stack_.end());
    stack_.resize(stack_.size() - count);
    push(std::move(tuple));
    return {};
  }

  Status setItems(bool many) {
    std::vector<Index> items;
    if (many) {
      auto popped = popToMark();
      if (!popped)
        return popped.takeError();
      items = std::move(*popped);
    } else {
      if (!available(3))
        return underflow();
      items.assign(stack_.end() - 2, stack_.end());
      stack_.resize(stack_.size() - 2);
    }
    if (items.size() % 2 != 0 || !available(1))
      return underflow();
    auto *dict = std::get_if<Dict>(&object(stack_.back()).value);
    if (!dict)
      return Error::malformed("sets an item of what is no dictionary");
    for (size_t i = 0; i < items.size(); i += 2)
      dict->items.emplace_back(items[i], items[i + 1]);
    return {};
  }

  Status append(bool many) {
    std::vector<Index> items;
    if (many) {
      auto popped = popToMark();
      if (!popped)
        return popped.takeError();
      items = std::move(*popped);
    } else {
      if (!available(2))
        return underflow();
      items.push_back(pop());
    }
    if (!available(1))
      return underflow();
    auto *list = std::get_if<List>(&object(stack_.back()).value);
    if (!list)
      return Error::malformed("appends to what is no list");
    list->items.insert(list->items.end(), items.begin(), items.end());
    return {};
  }

  /// ("storage", type, key, location, count)
  Status persistentId() {
    if (!available(1))
      return underflow();
    Index id = pop();
    auto *tuple = std::get_if<Tuple>(&object(id).value);
    if (!tuple || tuple->items.size() != 5)
      return Error::malformed("persistent id is not a tuple of five");
    auto *kind = std::get_if<std::string>(&object(tuple->items[0]).value);
    auto *type = std::get_if<Global>(&object(tuple->items[1]).value);
    auto *key = std::get_if<std::string>(&object(tuple->items[2]).value);
    auto *count = std::get_if<int64_t>(&object(tuple->items[4]).value);
    if (!kind || *kind != "storage" || !type || !key || !count)
      return Error::malformed("persistent id does not describe a storage");
    if (key->empty() || key->size() > 18 ||
        !std::all_of(key->begin(), key->end(),
                     [](char c) { return c >= '0' && c <= '9'; }))
      return Error::malformed("storage key '" + key->substr(0, 60) +
                              "' is not a decimal number");
    Storage storage;
    storage.key = *key;
    int64_t itemBytes = 1;
    if (!(type->module == "torch.storage" && type->name == "UntypedStorage")) {
      for (const StorageType &known : storageTypes)
        if (type->module == "torch" && type->name == known.name)
          storage.dtype = known.dtype;
      if (!storage.dtype)
        return Error::unsupported("storage type '" + type->module + " " +
                                  type->name + "' is not supported");
      itemBytes = static_cast<int64_t>(itemSize(*storage.dtype));
    }
    auto bytes = checkedMul(*count, itemBytes);
    if (*count < 0 || !bytes)
      return Error::malformed("storage has " + std::to_string(*count) +
                              " elements");
    storage.bytes = *bytes;
    push(std::move(storage));
    return {};
  }

  Status reduce() {
    if (!available(2))
      return underflow();
    Index arguments = pop(), function = pop();
    auto *global = std::get_if<Global>(&object(function).value);
    auto *tuple = std::get_if<Tuple>(&object(arguments).value);
    if (!global || !tuple)
      return Error::malformed("calls what is no function");
    auto result = call(*global, tuple->items, 0);
    if (!result)
      return result.takeError();
    pickle_.objects.push_back(std::move(*result));
    stack_.push_back(static_cast<Index>(pickle_.objects.size() - 1));
    return {};
  }

  Result<PickledObject> call(const Global &function,
                             const std::vector<Index> &arguments,
                             size_t depth) {
    if (depth > maxNesting)
      return Error::malformed("calls are nested too deeply");
    const std::string &name = function.name;
    if (function.module == "collections" && name == "OrderedDict") {
      if (!arguments.empty())
        return Error::unsupported("ordered dictionary with arguments");
      return PickledObject{Dict()};
    }
    if (function.module == "torch._utils") {
      if (name == "_rebuild_tensor_v2")
        return rebuildTensor(arguments, false);
      if (name == "_rebuild_tensor_v3")
        return rebuildTensor(arguments, true);
      if (name == "_rebuild_parameter")
        return rebuildParameter(arguments);
    }
    if (function.module == "torch._tensor" && name == "_rebuild_from_type_v2" &&
        arguments.size() == 4) {
      auto *inner = std::get_if<Global>(&object(arguments[0]).value);
      auto *type = std::get_if<Global>(&object(arguments[1]).value);
      auto *inputs = std::get_if<Tuple>(&object(arguments[2]).value);
      if (!inner || !type || !inputs)
        return Error::malformed("arguments of '_rebuild_from_type_v2' are "
                                "damaged");
      if (type->module != "torch" || type->name != "Tensor")
        return Error::unsupported("tensor subclass '" + type->module + " " +
                                  type->name + "' is not supported");
      return call(*inner, inputs->items, depth + 1);
    }
    return Error::unsupported("class or function '" +
                              function.module.substr(0, 100) + " " +
                              name.substr(0, 100) + "' is not supported");
  }

  const int64_t *integerAt(Index index) {
    return std::get_if<int64_t>(&object(index).value);
  }

  bool integersAt(Index index, std::vector<int64_t> &values) {
    auto *tuple = std::get_if<Tuple>(&object(index).value);
    if (!tuple || tuple->items.size() > kMaxRank)
      return false;
    for (Index item : tuple->items) {
      const int64_t *value = integerAt(item);
      if (!value)
        return false;
      values.push_back(*value);
    }
    return true;
  }

  /// Hooks must be an empty dictionary, or none.
  bool areEmptyHooks(Index index) {
    if (std::holds_alternative<std::monostate>(object(index).value))
      return true;
    auto *dict = std::get_if<Dict>(&object(index).value);
    return dict && dict->items.empty();
  }

  Status checkMetadata(Index index) {
    auto *dict = std::get_if<Dict>(&object(index).value);
    if (!dict)
      return {};
    for (const auto &[key, value] : dict->items) {
      auto *name = std::get_if<std::string>(&object(key).value);
      auto *isSet = std::get_if<bool>(&object(value).value);
      if (name && isSet && *isSet && (*name == "conj" || *name == "neg"))
        return Error::unsupported("tensor with a lazy '" + *name + "' bit");
    }
    return {};
  }

  /// (storage, offset, sizes, strides, requires_grad, hooks[, dtype][, meta])
  Result<PickledObject> rebuildTensor(const std::vector<Index> &arguments,
                                      bool hasDType) {
    size_t least = hasDType ? 7 : 6;
    if (arguments.size() < least || arguments.size() > least + 1)
      return Error::malformed("tensor is rebuilt from " +
                              std::to_string(arguments.size()) +
                              " arguments, expected " + std::to_string(least));
    PickledTensor tensor;
    auto *storage = std::get_if<Storage>(&object(arguments[0]).value);
    const int64_t *offset = integerAt(arguments[1]);
    auto *requiresGrad = std::get_if<bool>(&object(arguments[4]).value);
    if (!storage || !offset || !requiresGrad ||
        !integersAt(arguments[2], tensor.sizes) ||
        !integersAt(arguments[3], tensor.strides))
      return Error::malformed("arguments of a tensor are damaged");
    if (!areEmptyHooks(arguments[5]))
      return Error::unsupported("tensor with backward hooks");
    if (hasDType) {
      auto *type = std::get_if<Global>(&object(arguments[6]).value);
      auto known = std::find(std::begin(dtypeGlobals), std::end(dtypeGlobals),
                             type ? std::string_view(type->name) : "");
      if (!type || type->module != "torch" || known == std::end(dtypeGlobals))
        return Error::unsupported("dtype of a tensor is not supported");
      tensor.dtype = *parseDType(type->name);
    } else if (!storage->dtype) {
      return Error::malformed("tensor over an untyped storage has no dtype");
    } else {
      tensor.dtype = *storage->dtype;
    }
    if (arguments.size() > least)
      if (auto status = checkMetadata(arguments[least]); !status)
        return status.takeError();
    tensor.key = storage->key;
    tensor.storageBytes = storage->bytes;
    tensor.storageOffset = *offset;
    tensor.requiresGrad = *requiresGrad;
    auto extent = storageExtent(tensor.dtype, tensor.sizes, tensor.strides,
                                tensor.storageOffset);
    if (!extent)
      return extent.takeError();
    if (*extent > tensor.storageBytes)
      return Error::malformed("tensor needs " + std::to_string(*extent) +
                              " bytes, but its storage has " +
                              std::to_string(tensor.storageBytes));
    return PickledObject{std::move(tensor)};
  }

  /// (tensor, requires_grad, hooks)
  Result<PickledObject> rebuildParameter(const std::vector<Index> &arguments) {
    if (arguments.size() != 3)
      return Error::malformed("parameter is rebuilt from " +
                              std::to_string(arguments.size()) +
                              " arguments, expected 3");
    auto *tensor = std::get_if<PickledTensor>(&object(arguments[0]).value);
    auto *requiresGrad = std::get_if<bool>(&object(arguments[1]).value);
    if (!tensor || !requiresGrad)
      return Error::malformed("arguments of a parameter are damaged");
    if (!areEmptyHooks(arguments[2]))
      return Error::unsupported("parameter with backward hooks");
    PickledTensor parameter = *tensor;
    parameter.isParameter = true;
    parameter.requiresGrad = *requiresGrad;
    return PickledObject{std::move(parameter)};
  }

  ByteReader reader_;
  Pickle pickle_;
  std::vector<Index> stack_;
  std::vector<size_t> marks_;
  std::unordered_map<uint32_t, Index> memo_;
  bool stopped_ = false;
};

} // namespace

Result<Pickle> archive::parsePickle(ByteView bytes) {
  if (bytes.size() > (uint64_t(1) << 31))
    return Error::malformed("pickle has " + std::to_string(bytes.size()) +
                            " bytes, expected at most 2^31");
  return PickleMachine(bytes).run();
}

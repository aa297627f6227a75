//===- Inputs.cpp - What --inputs means -----------------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"

#include "CommandLine.h"
#include "Values.h"

#include "kiln/Archive/NpyFile.h"
#include "kiln/Base/CheckedMath.h"
#include "kiln/Eager/Registry.h"
#include "kiln/Package/ExprEvaluator.h"

#include <cmath>
#include <set>

using namespace kiln;
using namespace kiln::tools;
using runtime::OpValue;
using runtime::Tensor;
using session::UserInput;

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

/// Files hold row-major tensors. One with the strides that it was recorded with is not
/// copied in every call.
static Result<OpValue> layOut(OpValue value, const UserInput &input) {
  auto *given = std::get_if<Tensor>(&value.value);
  if (!given || given->strides() == input.strides || given->numel() == 0 ||
      given->sizes().size() != input.sizes.size() ||
      input.strides.size() != input.sizes.size())
    return value;
  for (size_t i = 0; i < input.sizes.size(); ++i)
    if (input.sizes[i].value != given->sizes()[i])
      return value;
  auto bytes = storageExtent(given->dtype(), given->sizes(), input.strides, 0);
  if (!bytes)
    return bytes.takeError();
  auto storage = runtime::Storage::allocate(static_cast<size_t>(*bytes));
  if (!storage)
    return storage.takeError();
  auto laid = Tensor::view(std::move(*storage), given->dtype(), given->sizes(),
                           input.strides, 0);
  if (!laid)
    return laid.takeError();
  if (Status s = copyElements(*given, *laid); !s)
    return s.takeError();
  return OpValue(std::move(*laid));
}

//===----------------------------------------------------------------------===//
// Recorded inputs
//===----------------------------------------------------------------------===//

Result<std::vector<OpValue>>
tools::recordedInputs(const session::Session &session,
                      const archive::IoSet &set) {
  std::vector<const archive::IoValue *> recorded;
  for (const archive::IoValue &value : set.inputs)
    if (value.role.empty() || value.role == "user_input")
      recorded.push_back(&value);
  const std::vector<UserInput> &inputs = session.inputs();
  std::vector<OpValue> values;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const archive::IoValue *found = nullptr;
    for (const archive::IoValue *value : recorded)
      if (!inputs[i].path.empty() && value->path == inputs[i].path)
        found = value;
    if (!found && recorded.size() == inputs.size())
      found = recorded[i];
    if (!found)
      return Error::usage("no recorded input for '" + inputs[i].name +
                          "' (path '" + inputs[i].path + "'), found " +
                          std::to_string(recorded.size()) + " inputs for " +
                          std::to_string(inputs.size()));
    auto value = valueOf(*found);
    if (value)
      value = layOut(std::move(*value), inputs[i]);
    if (!value)
      return value.takeError();
    values.push_back(std::move(*value));
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Arrays in files
//===----------------------------------------------------------------------===//

static Result<OpValue> arrayOrNumber(const UserInput &input,
                                     const std::string &text) {
  bool isFile =
      text.size() > 4 && text.compare(text.size() - 4, 4, ".npy") == 0;
  if (!isFile) {
    if (text == "true" || text == "false")
      return OpValue(text == "true");
    if (text == "none")
      return OpValue();
    if (auto integer = parseInteger("--inputs", text, INT64_MIN, INT64_MAX))
      return OpValue(*integer);
    if (auto real = parseNumber("--inputs", text, -HUGE_VAL, HUGE_VAL))
      return OpValue(*real);
    return Error::usage("--inputs: '" + text + "' is no .npy file and no "
                        "number; expected an io.json, .npy files or random");
  }
  auto array = archive::loadNpy(text);
  if (!array)
    return array.takeError();
  DType dtype = array->dtype;
  // NumPy has no bfloat16 and no 8-bit floats: they come as integers.
  if (input.isTensor && itemSize(dtype) == itemSize(input.dtype) &&
      (dtype == DType::U16 || dtype == DType::U8) &&
      (input.dtype == DType::BF16 ||
       (itemSize(dtype) == 1 && isFloat(input.dtype))))
    dtype = input.dtype;
  auto tensor = copyOf(dtype, array->sizes, array->bytes.view());
  if (!tensor)
    return tensor.takeError();
  return OpValue(std::move(*tensor));
}

Result<std::vector<OpValue>>
tools::arrayInputs(const session::Session &session, const std::string &spec) {
  std::vector<std::string> parts = splitList(spec);
  std::vector<OpValue> values;
  size_t next = 0;
  for (const UserInput &input : session.inputs()) {
    // Constants of the program need not be written.
    if (!input.isTensor && !input.isSymbolic) {
      values.push_back(valueOf(input.constant));
      continue;
    }
    if (next >= parts.size())
      return Error::usage("--inputs=" + spec + ": nothing for input '" +
                          input.name + "'");
    auto value = arrayOrNumber(input, parts[next++]);
    if (value)
      value = layOut(std::move(*value), input);
    if (!value)
      return value.takeError();
    values.push_back(std::move(*value));
  }
  if (next != parts.size())
    return Error::usage("--inputs=" + spec + ": the model takes " +
                        std::to_string(next) + " inputs, found " +
                        std::to_string(parts.size()));
  return values;
}

//===----------------------------------------------------------------------===//
// Random inputs
//===----------------------------------------------------------------------===//

namespace {
/// What `random:7,s77=16,x=2x3` says.
struct RandomSpec {
  uint64_t seed = 0;
  std::map<std::string, int64_t> symbols;
  std::map<std::string, std::vector<int64_t>> shapes;
};
} // namespace

static Result<RandomSpec> parseRandom(const std::string &text) {
  RandomSpec spec;
  std::vector<std::string> parts = splitList(text);
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::string &part = parts[i];
    if (i == 0) {
      if (part == "random")
        continue;
      if (part.compare(0, 7, "random:") != 0)
        return Error::usage("--inputs=" + text + ": expected random[:SEED]");
      auto seed = parseInteger("--inputs=random", part.substr(7), 0, INT64_MAX);
      if (!seed)
        return seed.takeError();
      spec.seed = static_cast<uint64_t>(*seed);
      continue;
    }
    size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0)
      return Error::usage("--inputs: '" + part +
                          "': expected SYMBOL=SIZE or INPUT=16x4x64");
    std::string name = part.substr(0, equals);
    std::vector<int64_t> numbers;
    for (const std::string &size : splitList(part.substr(equals + 1), 'x')) {
      auto number = parseInteger(name, size, 0, int64_t(1) << 40);
      if (!number)
        return number.takeError();
      numbers.push_back(*number);
    }
    if (numbers.size() == 1)
      spec.symbols[name] = numbers[0];
    spec.shapes[name] = std::move(numbers);
  }
  return spec;
}

/// Counter-based bits: the same for every order of evaluation.
static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

static double uniform(uint64_t bits) {
  return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t key, uint64_t counter) {
  double u = uniform(mix(key ^ mix(2 * counter)));
  double v = uniform(mix(key ^ mix(2 * counter + 1)));
  return std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v);
}

template <typename T>
static void fillRandom(const Tensor &tensor, int64_t count, uint64_t key,
                       double deviation = 1) {
  T *data = tensor.dataAs<T>();
  for (int64_t i = 0; i < count; ++i) {
    uint64_t counter = static_cast<uint64_t>(i);
    if constexpr (std::is_floating_point_v<T>)
      data[i] = static_cast<T>(deviation * normal(key, counter));
    else
      data[i] = static_cast<T>(mix(key ^ mix(counter)) & 1);
  }
}

/// Numbers of a dtype that C++ does not know: made as `wide`, then rounded.
static Result<Tensor> converted(const Tensor &wide, DType dtype) {
  runtime::OperatorRegistry registry;
  if (Status s = eager::registerAll(registry); !s)
    return s.takeError();
  runtime::OpFunction convert = registry.find("aten._to_copy.default");
  if (!convert)
    return Error::unsupported("random inputs of dtype " +
                              std::string(dtypeName(dtype)));
  // self, dtype, layout, device, pin_memory, non_blocking, memory_format
  auto results = convert({wide, dtype, {}, {}, {}, false, {}});
  if (!results)
    return results.takeError();
  return std::get<Tensor>(results->front().value);
}

static Result<Tensor> randomTensor(DType dtype,
                                   const std::vector<int64_t> &sizes,
                                   uint64_t key, double deviation = 1) {
  bool native = dtype == DType::F32 || dtype == DType::F64 ||
                dtype == DType::C64 || dtype == DType::C128 ||
                isInteger(dtype) || dtype == DType::Bool;
  auto tensor = Tensor::empty(native             ? dtype
                              : isComplex(dtype) ? DType::C64
                                                 : DType::F32,
                              sizes);
  if (!tensor)
    return tensor;
  int64_t count = tensor->numel();
  if (!native || dtype == DType::F32 || dtype == DType::C64)
    fillRandom<float>(*tensor, isComplex(dtype) ? 2 * count : count, key,
                      deviation);
  else if (dtype == DType::F64 || dtype == DType::C128)
    fillRandom<double>(*tensor, isComplex(dtype) ? 2 * count : count, key,
                       deviation);
  else if (itemSize(dtype) == 8)
    fillRandom<uint64_t>(*tensor, count, key);
  else if (itemSize(dtype) == 4)
    fillRandom<uint32_t>(*tensor, count, key);
  else if (itemSize(dtype) == 2)
    fillRandom<uint16_t>(*tensor, count, key);
  else
    fillRandom<uint8_t>(*tensor, count, key);
  return native ? tensor : converted(*tensor, dtype);
}

Result<Tensor> tools::normalTensor(DType dtype,
                                   const std::vector<int64_t> &sizes,
                                   uint64_t seed, double deviation) {
  return randomTensor(dtype, sizes, mix(seed), deviation);
}

/// The program of a source that is no archive: it knows its inputs' sizes.
static const package::Program *programOf(const session::Session &session) {
  bool isKnown = !session.program() && session.function().variantCount() != 0;
  return isKnown ? &session.function().variant(0).package().programs.front()
                 : nullptr;
}

/// The slot of the n-th input.
static uint32_t slotOf(const package::Program &program, size_t input) {
  for (uint32_t i = 0; i < program.slots.size(); ++i)
    if (program.slots[i].kind == package::Slot::Kind::UserInput &&
        input-- == 0)
      return i;
  return package::kNone;
}

/// What sizes and numbers can be called by: symbols and inputs.
static std::set<std::string> knownNames(const session::Session &session) {
  std::set<std::string> names;
  auto add = [&](const std::string &name) { names.insert(name); };
  for (const UserInput &input : session.inputs()) {
    if (input.isTensor || input.isSymbolic)
      add(input.name);
    for (const archive::SymInt &size : input.sizes)
      if (!size.isStatic())
        archive::forEachSymbol(*size.expr, add);
  }
  if (const archive::ExportedProgram *program = session.program())
    for (const auto &[name, hint] : program->hints)
      add(name);
  if (const package::Program *program = programOf(session))
    for (const package::Symbol &symbol : program->symbols)
      if (symbol.source != package::Symbol::Source::Step)
        add(symbol.name);
  return names;
}

static Status checkNames(const session::Session &session,
                         const RandomSpec &spec, const std::string &text) {
  std::set<std::string> names = knownNames(session);
  for (const auto &[name, numbers] : spec.shapes) {
    if (names.count(name))
      continue;
    std::string list;
    for (const std::string &known : names)
      list += (list.empty() ? "'" : ", '") + known + "'";
    return Error::usage("--inputs=" + text + ": the model has no symbol or "
                        "input '" + name + "', expected " +
                        (list.empty() ? "none" : list));
  }
  return Status::success();
}

static Error missingSize(const UserInput &input, const std::string &name,
                         const std::string &expected) {
  return Error::usage("--inputs=random: no size for '" + name +
                      "' of input '" + input.name + "'; expected '" +
                      expected + "' behind the seed");
}

/// The size of a dimension of an archive's input, from the symbols that were
/// given or the hints.
static Result<int64_t> sizeOf(const session::Session &session,
                              const UserInput &input,
                              const archive::SymInt &size,
                              const RandomSpec &spec) {
  if (size.isStatic() && size.value >= 0)
    return size.value;
  if (size.isStatic())
    return missingSize(input, input.name, input.name + "=2x3");
  const archive::ExportedProgram *program = session.program();
  auto value = archive::evaluate(
      *size.expr,
      [&](const archive::SymExpr &leaf) -> std::optional<archive::SymValue> {
        auto given = spec.symbols.find(leaf.name);
        if (given != spec.symbols.end())
          return archive::SymValue(given->second);
        auto hint = program->hints.find(leaf.name);
        if (hint != program->hints.end())
          return hint->second;
        return std::nullopt;
      });
  if (value)
    if (const auto *integer = std::get_if<int64_t>(&*value))
      if (*integer >= 0)
        return *integer;
  std::string name = archive::toString(*size.expr);
  return missingSize(input, name, name + "=16");
}

/// The sizes of an input of a package, from the symbols that were given.
static Result<std::vector<int64_t>> sizesOf(const package::Program &program,
                                            uint32_t slot,
                                            const UserInput &input,
                                            const RandomSpec &spec) {
  std::vector<int64_t> sizes;
  std::vector<package::Cell> cells(program.symbols.size());
  for (package::ExprId id : program.slots[slot].sizes) {
    const package::Expr &expr = program.exprs[id];
    for (uint32_t symbol : package::symbolsOf(expr)) {
      const std::string &name = program.symbols[symbol].name;
      auto given = spec.symbols.find(name);
      if (given == spec.symbols.end())
        return missingSize(input, name, name + "=16");
      cells[symbol] = package::Cell::ofInteger(given->second);
    }
    package::Cell size;
    if (package::evaluate(expr, cells.data(), size) !=
            package::ExprFailure::None ||
        !size.isInteger() || size.integer < 0)
      return Error::usage("--inputs=random: size " +
                          std::to_string(sizes.size()) + " of input '" +
                          input.name + "' is " +
                          package::printExpr(expr, program.symbols) +
                          ", which is none for these symbols");
    sizes.push_back(size.integer);
  }
  return sizes;
}

/// The value of a symbolic number.
static Result<OpValue> symbolicNumber(const session::Session &session,
                                      const UserInput &input, size_t index,
                                      const RandomSpec &spec) {
  auto given = spec.symbols.find(input.name);
  if (given != spec.symbols.end())
    return OpValue(given->second);
  if (const archive::ExportedProgram *program = session.program()) {
    auto integer = program->graph.symInts.find(input.name);
    if (integer != program->graph.symInts.end()) {
      archive::SymInt size = integer->second;
      if (size.isStatic())
        return OpValue(size.value);
      if (auto value = sizeOf(session, input, size, spec))
        return OpValue(*value);
      if (size.hint)
        return OpValue(*size.hint);
    }
    auto real = program->graph.symFloats.find(input.name);
    if (real != program->graph.symFloats.end() && real->second.hint)
      return OpValue(*real->second.hint);
  }
  if (const package::Program *program = programOf(session))
    for (const package::Symbol &symbol : program->symbols) {
      given = spec.symbols.find(symbol.name);
      if (symbol.source == package::Symbol::Source::InputScalar &&
          symbol.slot == slotOf(*program, index) &&
          given != spec.symbols.end())
        return OpValue(given->second);
    }
  return Error::usage("--inputs=random: no value for the number '" +
                      input.name + "'; expected '" + input.name +
                      "=16' behind the seed");
}

/// The sizes of a tensor.
static Result<std::vector<int64_t>> shapeOf(const session::Session &session,
                                            const UserInput &input,
                                            size_t index,
                                            const RandomSpec &spec) {
  auto shape = spec.shapes.find(input.name);
  if (shape != spec.shapes.end())
    return shape->second;
  if (const package::Program *program = programOf(session))
    return sizesOf(*program, slotOf(*program, index), input, spec);
  std::vector<int64_t> sizes;
  for (const archive::SymInt &size : input.sizes) {
    auto number = sizeOf(session, input, size, spec);
    if (!number)
      return number.takeError();
    sizes.push_back(*number);
  }
  return sizes;
}

Result<std::vector<OpValue>>
tools::randomInputs(const session::Session &session, const std::string &text) {
  auto spec = parseRandom(text);
  if (!spec)
    return spec.takeError();
  if (Status s = checkNames(session, *spec, text); !s)
    return s.takeError();
  std::vector<OpValue> values;
  for (size_t i = 0; i < session.inputs().size(); ++i) {
    const UserInput &input = session.inputs()[i];
    if (!input.isTensor) {
      if (!input.isSymbolic) {
        values.push_back(valueOf(input.constant));
        continue;
      }
      auto number = symbolicNumber(session, input, i, *spec);
      if (!number)
        return number.takeError();
      values.push_back(std::move(*number));
      continue;
    }
    auto sizes = shapeOf(session, input, i, *spec);
    if (!sizes)
      return sizes.takeError();
    auto tensor = randomTensor(input.dtype, *sizes, mix(spec->seed * 977 + i));
    if (!tensor)
      return tensor.takeError();
    auto laid = layOut(OpValue(std::move(*tensor)), input);
    if (!laid)
      return laid.takeError();
    values.push_back(std::move(*laid));
  }
  return values;
}

Status tools::drawWeights(session::Session &session, uint64_t seed) {
  const package::Program &program =
      session.function().variant(0).package().programs[0];
  std::vector<std::string> names = session.missingWeights();
  for (size_t i = 0; i < names.size(); ++i)
    for (const package::Slot &slot : program.slots) {
      if (slot.path != names[i])
        continue;
      std::vector<int64_t> sizes;
      for (package::ExprId id : slot.sizes) {
        auto size = package::evaluateExpr(program.exprs[id], program, {});
        if (!size)
          return size.error().withContext("weight '" + slot.path + "'");
        sizes.push_back(size->integer);
      }
      double terms = sizes.empty() ? 1 : std::max<double>(1, sizes.back());
      auto tensor = normalTensor(slot.dtype, sizes, seed * 977 + i,
                                 1 / std::sqrt(terms));
      if (!tensor)
        return tensor.error().withContext("weight '" + slot.path + "'");
      if (Status s = session.setWeight(slot.path, *tensor); !s)
        return s;
    }
  return Status::success();
}

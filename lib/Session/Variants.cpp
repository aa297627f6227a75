//===- Variants.cpp - Compiled variants: cached, compiled, explained ------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Session/Session.h"

#include "CompilerLibrary.h"
#include "Environment.h"

#include "kiln/Base/Log.h"
#include "kiln/Cache/LocalStore.h"
#include "kiln/Package/Explain.h"
#include "kiln/Package/ExprEvaluator.h"

#include <chrono>

using namespace kiln;
using namespace kiln::session;
using runtime::OpValue;
using runtime::Tensor;

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

Status Session::makeKey(const Digest &source, bool withModel) {
  if (!options_.cache.enabled())
    return Status::success();
  auto options = options_.keyRecord();
  if (!options)
    return options.takeError();
  environment_ = environmentId();
  cache::CacheKeyBuilder builder(options_.training
                                     ? cache::KeyKind::AotAutograd
                                     : cache::KeyKind::FxGraph);
  builder.addDigest(cache::KeyTag::EnvironmentId, "environment", environment_);
  builder.addDigest(cache::KeyTag::Source, "source", source);
  if (withModel)
    builder.addText(cache::KeyTag::Model, "model", program_->model);
  builder.addText(cache::KeyTag::Options, "options", *options);
  key_ = builder.finish();
  return Status::success();
}

//===----------------------------------------------------------------------===//
// The cache
//===----------------------------------------------------------------------===//

static void logMilliseconds(const std::string &what,
                            std::chrono::steady_clock::time_point start,
                            const std::string &parts) {
  std::chrono::duration<double, std::milli> spent =
      std::chrono::steady_clock::now() - start;
  char number[32];
  std::snprintf(number, sizeof(number), "%.3f ms", spent.count());
  log::write("timing", log::Level::Info, what + number + parts);
}

/// Adds a variant and makes what it needs.
Status Session::addPackage(package::Package package) {
  if (Status s = prepareSlots(package); !s)
    return s;
  logReasons(package, /*isCompiledNow=*/false);
  return function_->addVariant(std::move(package));
}

/// What was decided when a variant was compiled is told again when it comes
/// from the cache; its graphs only the compiler has.
void Session::logReasons(const package::Package &package,
                         bool isCompiledNow) const {
  auto isWanted = [](std::string_view category) {
    return log::isEnabled(category, log::Level::Info);
  };
  for (const package::Explanation &explanation :
       package::explain(package, isWanted))
    log::write(explanation.topic, log::Level::Info, explanation.text);
  bool isCut = package.programs.size() == 2;
  for (const char *category : {"aot_graphs", "aot_joint_graph"}) {
    bool isJoint = std::string_view(category) == "aot_joint_graph";
    std::string text;
    if (package.facts.backend == "eager")
      text = "no AOT graph: backend eager runs what was captured";
    else if (isJoint && !isCut)
      text = "no joint graph: the program was compiled without a backward";
    else if (!isCompiledNow)
      text = "no AOT graph to show: the program was compiled earlier; expected "
             "a run without the cache";
    if (!text.empty())
      log::write(category, log::Level::Info, text);
  }
}

void Session::miss(const std::string &reason, bool isWarning) {
  stats_.missReasons.push_back(reason);
  bool warns = isWarning && !warnedOfCache_;
  warnedOfCache_ |= isWarning;
  log::write("cache", warns ? log::Level::Warning : log::Level::Info, reason);
}

Status Session::lookUp() {
  if (lookedUp_)
    return Status::success();
  lookedUp_ = true;
  auto say = [](const std::string &text) {
    log::write("cache", log::Level::Info, text);
  };
  bool enabled =
      options_.training ? options_.cache.aotAutograd : options_.cache.fxGraph;
  if (!enabled || !options_.cache.enabled() || !key_) {
    say("cache: switched off");
    return Status::success();
  }
  auto store = cache::LocalStore::open(options_.cache.root);
  if (!store) {
    miss("the cache is not used: " + store.error().message,
         /*isWarning=*/true);
    ++stats_.cacheMisses;
    return Status::success();
  }
  store_ = std::move(*store);
  if (!options_.dumpStages.empty()) {
    miss("the stages are wanted, which only a compilation has",
         /*isWarning=*/false);
    ++stats_.cacheMisses;
    return Status::success();
  }
  auto start = std::chrono::steady_clock::now();
  cache::Lookup found = store_->get(*key_, environment_);
  for (const std::string &fault : found.faults)
    miss(fault, /*isWarning=*/false);
  for (const cache::DecodedEntry &entry : found.variants) {
    auto package =
        package::decodePackage(entry.payload.data(), entry.payload.size());
    Status added = package ? addPackage(std::move(*package))
                           : Status(package.takeError());
    if (added) {
      ++stats_.cacheHits;
      continue;
    }
    // A hit that does not load is thrown away and compiled again.
    store_->removeVariant(*key_, entry.payload);
    miss("entry does not load: " + added.error().message,
         /*isWarning=*/false);
  }
  std::string entry = "'" + options_.cache.root + "/" +
                      cache::entryDirectory(*key_) + "'";
  if (function_->variantCount() == 0) {
    ++stats_.cacheMisses;
    say("cache miss: no entry in " + entry);
    return Status::success();
  }
  say("cache hit: " + std::to_string(function_->variantCount()) +
      (function_->variantCount() == 1 ? " variant in " : " variants in ") +
      entry);
  logMilliseconds("loaded from the cache in ", start, "");
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Specialization
//===----------------------------------------------------------------------===//

/// Value of `expr` with every `name` replaced by `x`, if that is an integer.
static std::optional<int64_t> valueAt(const archive::SymExpr &expr,
                                      const std::string &name, int64_t x) {
  auto result = archive::evaluate(
      expr, [&](const archive::SymExpr &leaf) {
        return leaf.name == name ? std::optional<archive::SymValue>(x)
                                 : std::nullopt;
      });
  if (!result)
    return std::nullopt;
  const auto *integer = std::get_if<int64_t>(&*result);
  return integer ? std::optional<int64_t>(*integer) : std::nullopt;
}

/// The symbols of the sizes that are marked static.
Result<std::set<std::string>> Session::staticSymbols() const {
  std::set<std::string> symbols;
  if (!program_) {
    // The inputs of a module are known when it has been compiled.
    if (options_.markStatic.empty() || options_.dynamic == Dynamic::True)
      return symbols;
    return Error::unsupported("marks of static sizes: '" + path_ + "' has no "
                              "values for its symbols, expected a .pt2 file");
  }
  for (const std::string &mark : options_.markStatic) {
    size_t colon = mark.rfind(':');
    const UserInput *input = nullptr;
    for (const UserInput &candidate : userInputs_)
      if (candidate.isTensor && candidate.name == mark.substr(0, colon))
        input = &candidate;
    int64_t rank = input ? static_cast<int64_t>(input->sizes.size()) : 0;
    int64_t dim = colon == std::string::npos
                      ? rank
                      : std::strtoll(mark.c_str() + colon + 1, nullptr, 10);
    if (dim < -rank || dim >= rank)
      return Error::usage("'" + mark + "' is no size of an input tensor");
    const archive::SymInt &size =
        input->sizes[static_cast<size_t>(dim < 0 ? dim + rank : dim)];
    if (!size.isStatic())
      archive::forEachSymbol(*size.expr, [&](const std::string &name) {
        symbols.insert(name);
      });
  }
  return symbols;
}

/// Solves the sizes of the caller's tensors for the symbols of the program. Sizes
/// of which `sizeOf` knows nothing are left out.
Result<Session::SymbolValues> Session::solveSymbols(
    const std::function<std::optional<int64_t>(size_t slot, size_t dim)>
        &sizeOf) const {
  SymbolValues values;
  for (size_t slot = 0; program_ && slot < program_->inputs.size(); ++slot) {
    const archive::InputSpec &spec = program_->inputs[slot];
    const archive::TensorMeta *meta = program_->graph.tensor(spec.name);
    if (!spec.isCallerInput() || !meta)
      continue;
    for (size_t dim = 0; dim < meta->sizes.size(); ++dim) {
      const archive::SymInt &size = meta->sizes[dim];
      auto actual = size.isStatic() ? std::nullopt : sizeOf(slot, dim);
      if (!actual)
        continue;
      // A size is linear in one symbol: two evaluations give its line.
      std::string name;
      archive::forEachSymbol(*size.expr,
                             [&](const std::string &n) { name = n; });
      auto offset = valueAt(*size.expr, name, 0);
      auto next = valueAt(*size.expr, name, 1);
      if (name.empty() || !offset || !next || *next == *offset)
        continue;
      int64_t scale = *next - *offset;
      int64_t rest = *actual - *offset;
      if (rest % scale != 0)
        return Error::guard("tensor '" + spec.name +
                            "' size mismatch at index " + std::to_string(dim) +
                            ". expected a multiple of " +
                            std::to_string(scale) + " plus " +
                            std::to_string(*offset) + ", actual " +
                            std::to_string(*actual));
      values.try_emplace(name, rest / scale);
    }
  }
  return values;
}

/// The symbols that stand alone as a size of a caller's tensor.
std::set<std::string> Session::sizeSymbols() const {
  std::set<std::string> symbols;
  for (size_t slot = 0; program_ && slot < program_->inputs.size(); ++slot) {
    const archive::InputSpec &spec = program_->inputs[slot];
    const archive::TensorMeta *meta = program_->graph.tensor(spec.name);
    if (spec.isCallerInput() && meta)
      for (const archive::SymInt &size : meta->sizes)
        if (!size.isStatic() && size.expr->kind == archive::SymKind::Symbol)
          symbols.insert(size.expr->name);
  }
  return symbols;
}

/// What tracing takes a dynamic size for.
static constexpr int64_t kTracedFrom = 2;

/// True if the range of a symbol begins at 2 or below, or has no beginning: then
/// its size may be 0 or 1. Tracing takes sizes for at least 2, which some
/// exported ranges say and others do not; PyTorch looks at lower bounds above 2
/// alone. What was traced need not hold for 0 and 1, so they are numbers in
/// variants of their own, and the others begin at 2.
bool Session::mayBeSmall(const std::string &symbol) const {
  auto range = program_->ranges.find(symbol);
  return range == program_->ranges.end() ||
         (range->second.min.value_or(0) <= kTracedFrom &&
          range->second.max.value_or(kTracedFrom) >= kTracedFrom);
}

/// True if PyTorch takes sizes below their ranges: it looks at the lower bounds
/// above 2 of expressions too.
bool Session::allowsSmall(const SymbolValues &values) const {
  for (const auto &[expr, range] : program_->derivedRanges) {
    auto value = archive::evaluate(
        *expr,
        [&](const archive::SymExpr &leaf) -> std::optional<archive::SymValue> {
          auto known = values.find(leaf.name);
          if (known == values.end())
            return std::nullopt;
          return archive::SymValue(known->second);
        });
    const auto *size = value ? std::get_if<int64_t>(&*value) : nullptr;
    if (size && range.min.value_or(0) > 2 && *size < *range.min)
      return false;
  }
  return true;
}

/// What becomes a number in the variant for these inputs.
Result<Session::SymbolValues>
Session::specialization(const std::vector<OpValue> &inputs,
                        bool isStatic) const {
  auto marked = staticSymbols();
  if (!marked || !program_)
    return marked ? Result<SymbolValues>(SymbolValues()) : marked.takeError();
  auto values = solveSymbols(
      [&](size_t slot, size_t dim) -> std::optional<int64_t> {
        const auto *tensor = std::get_if<Tensor>(&inputs[slot].value);
        const archive::TensorMeta *meta =
            program_->graph.tensor(program_->inputs[slot].name);
        if (!tensor || meta->sizes.size() != tensor->sizes().size())
          return std::nullopt;
        return tensor->size(dim);
      });
  // Where symbols stay symbols, guards name what is wrong.
  if (!values && !isStatic && marked->empty())
    return SymbolValues();
  if (!values)
    return values;
  bool allowed = allowsSmall(*values);
  for (auto it = values->begin(); it != values->end();) {
    const auto &[name, value] = *it;
    bool isSmall = allowed && value >= 0 && value < kTracedFrom &&
                   mayBeSmall(name);
    if (!isSmall && !isStatic && !marked->count(name)) {
      it = values->erase(it);
      continue;
    }
    auto range = program_->ranges.find(name);
    if (!isSmall && range != program_->ranges.end() &&
        (value < range->second.min.value_or(value) ||
         value > range->second.max.value_or(value)))
      return Error::guard("the inputs are outside of what the model allows, "
                          "guard failure: expected '" + name + "' from " +
                          std::to_string(range->second.min.value_or(0)) +
                          (range->second.max
                               ? " to " + std::to_string(*range->second.max)
                               : " on") +
                          ", found " + std::to_string(value));
    ++it;
  }
  return values;
}

/// Which variant has the same symbols as numbers, if there is one.
std::optional<size_t>
Session::findVariant(const SymbolValues &specialized) const {
  for (size_t i = 0; i < function_->variantCount(); ++i) {
    const package::Program &program =
        function_->variant(i).package().programs.front();
    auto numbers = solveSymbols(
        [&](size_t slot, size_t dim) -> std::optional<int64_t> {
          const package::Expr &size =
              program.exprs[program.slots[slot].sizes[dim]];
          package::Cell cell;
          if (!package::symbolsOf(size).empty() ||
              package::evaluate(size, nullptr, cell) !=
                  package::ExprFailure::None)
            return std::nullopt;
          return cell.integer;
        });
    if (numbers && *numbers == specialized)
      return i;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

/// The encoded package that the compiler library makes.
Result<std::vector<uint8_t>>
Session::compileByLibrary(const CompileOptions &wanted) {
  auto options = wanted.record();
  if (!options)
    return options.takeError();
  auto api = openCompiler();
  if (!api)
    return api.error();
  stats_.compilerLoaded = true;
  std::string specialized = wanted.specialization.text();
  kiln_compile_request request = {};
  request.struct_size = sizeof(request);
  request.source_path = path_.c_str();
  request.model_name = options_.model.empty() ? nullptr : options_.model.c_str();
  request.options = options->c_str();
  request.specialization = specialized.c_str();
  request.user = this;
  if (options_.progress)
    request.progress = [](void *user, const char *stage) {
      static_cast<Session *>(user)->options_.progress(stage);
    };
  kiln_compile_result result = {};
  result.struct_size = sizeof(result);
  (*api)->compile(&request, &result);
  stats_.timing = result.timing ? result.timing : "";
  Result<std::vector<uint8_t>> bytes = std::vector<uint8_t>();
  if (result.error_kind == 0)
    bytes->assign(result.package, result.package + result.package_size);
  else
    bytes = Error{static_cast<ErrorKind>(result.error_kind), result.message};
  (*api)->release(&result);
  return bytes;
}

Result<package::Package>
Session::compile(const std::vector<OpValue> &inputs,
                 const std::vector<std::string> &reasons) {
  bool first = function_->variantCount() == 0;
  bool isStatic = options_.dynamic == Dynamic::False ||
                  (options_.dynamic == Dynamic::First && first);
  auto values = specialization(inputs, isStatic);
  if (!values)
    return values.takeError();
  // Another compilation would give the same guards.
  if (auto same = findVariant(*values))
    return Error::guard(
        "the inputs are outside of what the model allows, guard failure: " +
        (*same < reasons.size() ? reasons[*same] : "none fits") +
        (program_ ? ""
                  : "; this source is one variant, of a .pt2 file sizes 0 and 1 "
                    "have variants of their own"));
  CompileOptions wanted = options_;
  wanted.specialization.values = *values;
  for (const std::string &name : sizeSymbols())
    if (!values->count(name) && mayBeSmall(name))
      wanted.specialization.lowerBounds[name] = kTracedFrom;
  // Variants behind the first have folders of their own.
  if (!first && !wanted.dumpStages.empty())
    wanted.dumpStages += "/variant_" + std::to_string(function_->variantCount());

  auto start = std::chrono::steady_clock::now();
  std::vector<uint8_t> bytes;
  Result<package::Package> package = Error::internal("nothing was compiled");
  if (options_.compiler && program_) {
    package = options_.compiler(*program_, wanted);
  } else if (auto encoded = compileByLibrary(wanted)) {
    bytes = std::move(*encoded);
    package = package::decodePackage(bytes.data(), bytes.size());
  } else {
    package = encoded.takeError();
  }
  std::chrono::duration<double> spent =
      std::chrono::steady_clock::now() - start;
  stats_.compileSeconds += spent.count();
  if (!package)
    return package;
  ++stats_.graphsCompiled;
  stats_.kernelsCompiled += package->image.kernels.size();
  if (Status s = prepareSlots(*package); !s)
    return s.takeError();
  logReasons(*package, /*isCompiledNow=*/true);
  logMilliseconds("compiled in ", start,
                  stats_.timing.empty() ? "" : ": " + stats_.timing);
  if (store_ && !bytes.empty()) {
    cache::EntryInfo info;
    info.kind = key_->kind;
    info.nativeCode = !package->image.bytes.empty();
    info.compileTimeMicros = static_cast<uint64_t>(spent.count() * 1e6);
    info.createdMillis = static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(
            std::chrono::system_clock::now().time_since_epoch())
            .count());
    if (Status s = store_->put(*key_, environment_, info, bytes); !s)
      miss("the next run will compile again: " + s.error().message,
           /*isWarning=*/true);
  }
  return package;
}

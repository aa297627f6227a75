//===- Session.cpp - A model, its compiled variants and its cache ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Session/Session.h"

#include "Environment.h"

#include "kiln/Base/FileSystem.h"
#include "kiln/Base/Log.h"
#include "kiln/Eager/Registry.h"
#include "kiln/Runtime/OperatorLibrary.h"

#include <algorithm>
#include <chrono>

using namespace kiln;
using namespace kiln::session;
using runtime::OpValue;
using runtime::Tensor;

static double secondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

static bool endsWith(const std::string &text, const std::string &suffix) {
  return text.size() >= suffix.size() &&
         text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0;
}

Session::Session(std::string path, SessionOptions options)
    : path_(std::move(path)), options_(std::move(options)) {}

Session::~Session() = default;

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

/// A session whose source is not read yet.
Result<std::unique_ptr<Session>> Session::create(std::string path,
                                                 SessionOptions options) {
  std::unique_ptr<Session> session(
      new Session(std::move(path), std::move(options)));
  if (Status s = session->options_.verify(); !s)
    return s.takeError();
  if (Status s = eager::registerAll(session->registry_); !s)
    return s.takeError();
  if (Status s = session->loadLibraries(); !s)
    return s.takeError();
  session->pool_ =
      std::make_unique<runtime::ThreadPool>(session->options_.threads);

  runtime::CompiledFunction::Options function;
  function.run.pool = session->pool_.get();
  function.run.reuseOutputs = session->options_.reuseOutputs;
  function.log = [](const std::string &text) {
    log::write("recompiles", log::Level::Info, text);
  };
  Session *self = session.get();
  function.recompile = [self](const std::vector<OpValue> &inputs,
                              const std::vector<std::string> &reasons) {
    return self->compile(inputs, reasons);
  };
  session->function_ = std::make_unique<runtime::CompiledFunction>(
      session->registry_, std::move(function));
  return session;
}

/// Operators of one's own. A package depends on the names that may be called
/// and on what the plugins hold.
Status Session::loadLibraries() {
  for (const std::string &path : options_.operatorLibraries) {
    auto names = runtime::loadOperatorLibrary(path, registry_);
    if (!names)
      return names.takeError();
    options_.operators.insert(options_.operators.end(), names->begin(),
                              names->end());
  }
  std::sort(options_.operators.begin(), options_.operators.end());
  for (const std::string &path : options_.dialectPlugins) {
    auto plugin = runtime::describePlugin(path);
    if (!plugin)
      return plugin.takeError();
    options_.plugins.push_back(std::move(*plugin));
  }
  return Status::success();
}

Result<std::unique_ptr<Session>> Session::open(const std::string &path,
                                               SessionOptions options) {
  auto start = std::chrono::steady_clock::now();
  auto session = create(path, std::move(options));
  if (!session)
    return session;
  if (Status s = (*session)->readSource(); !s)
    return s.takeError();
  (*session)->stats_.loadSeconds = secondsSince(start);
  return session;
}

Result<std::unique_ptr<Session>>
Session::open(std::unique_ptr<archive::ExportedProgram> program,
              SessionOptions options) {
  if (!options.compiler)
    return Error::usage("a program in memory needs an in-process compiler");
  auto session = create(program->file, std::move(options));
  if (!session)
    return session;
  (*session)->lookedUp_ = true;
  (*session)->takeProgram(std::move(*program));
  if (Status s = (*session)->bindWeights(); !s)
    return s.takeError();
  return session;
}

Status Session::readSource() {
  if (endsWith(path_, ".kiln"))
    return readPackage();
  if (endsWith(path_, ".mlir") || endsWith(path_, ".mlirbc")) {
    auto bytes = readFile(path_);
    if (!bytes)
      return bytes.takeError();
    if (Status s = makeKey(sha256(*bytes), /*withModel=*/false); !s)
      return s;
    // Only a package knows the inputs of a module.
    if (Status s = lookUp(); !s || function_->variantCount() != 0)
      return s;
    auto package = compile({}, {});
    return package ? addPackage(std::move(*package))
                   : Status(package.takeError());
  }
  archive::LoadOptions load;
  load.model = options_.model;
  auto program = archive::loadExportedProgram(path_, load);
  if (!program)
    return program.takeError();
  takeProgram(std::move(*program));
  if (Status s = makeKey(program_->digest, /*withModel=*/true); !s)
    return s;
  return bindWeights();
}

Status Session::readPackage() {
  lookedUp_ = true;
  auto bytes = readFile(path_);
  if (!bytes)
    return bytes.takeError();
  auto package = package::decodePackage(bytes->data(), bytes->size());
  if (!package)
    return package.error().withContext("'" + path_ + "'");
  if (options_.training && package->programs.size() != 2)
    return Error::usage("'" + path_ + "' was compiled without a backward "
                        "program; expected 'kiln-compile --training'");
  if (options_.dynamic == Dynamic::True || !options_.markDynamic.empty() ||
      !options_.markStatic.empty() || !options_.markUnbacked.empty())
    return Error::usage("'" + path_ + "' is compiled already, its sizes are "
                        "decided; expected no mark and no --dynamic=true");
  if (!options_.training && package->programs.size() == 2)
    return Error::usage("'" + path_ + "' was compiled for training; expected "
                        "--training");
  return addPackage(std::move(*package));
}

void Session::takeProgram(archive::ExportedProgram program) {
  program_ = std::make_unique<archive::ExportedProgram>(std::move(program));
  slots_.resize(program_->inputs.size());
  for (size_t slot = 0; slot < program_->inputs.size(); ++slot) {
    const archive::InputSpec &spec = program_->inputs[slot];
    if (!spec.isCallerInput())
      continue;
    bool isUser = spec.kind == archive::InputSpec::Kind::UserInput;
    UserInput input;
    input.name = spec.name;
    input.path = spec.path;
    input.constant = spec.constant;
    input.isTensor = isUser && spec.isTensor;
    input.isSymbolic = isUser && !spec.isTensor;
    if (input.isTensor)
      if (const archive::TensorMeta *meta = program_->graph.tensor(spec.name)) {
        input.dtype = meta->dtype;
        input.sizes = meta->sizes;
      }
    inputSlots_.push_back(slot);
    userInputs_.push_back(std::move(input));
  }
}

/// What a session without an archive knows of its inputs is in the package.
void Session::takeInputs(const package::Program &program) {
  slots_.resize(program.slots.size());
  for (size_t i = 0; i < program.slots.size(); ++i) {
    const package::Slot &slot = program.slots[i];
    if (slot.kind != package::Slot::Kind::UserInput)
      continue;
    UserInput input;
    input.name = slot.name;
    input.path = slot.path;
    input.isTensor = slot.isTensor;
    input.isSymbolic = slot.isSymbolic;
    input.dtype = slot.dtype;
    input.constant = slot.constant;
    for (package::ExprId size : slot.sizes) {
      archive::SymInt dim;
      package::Cell cell;
      const package::Expr &expr = program.exprs[size];
      dim.value = package::symbolsOf(expr).empty() &&
                          package::evaluate(expr, nullptr, cell) ==
                              package::ExprFailure::None
                      ? cell.integer
                      : -1;
      input.sizes.push_back(dim);
    }
    inputSlots_.push_back(i);
    userInputs_.push_back(std::move(input));
  }
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

Status Session::bindWeights() {
  weights_.clear();
  std::map<std::string, std::shared_ptr<runtime::Storage>> storages;
  for (size_t slot = 0; slot < program_->inputs.size(); ++slot) {
    const archive::InputSpec &spec = program_->inputs[slot];
    const archive::Weight *weight = program_->weightOf(spec);
    if (!weight)
      continue;
    if (!weight->isSupplied)
      return Error::unsupported("weight '" + spec.target +
                                "' is not in the archive, which was exported "
                                "without its weights");
    auto &storage = storages[weight->storageKey];
    if (!storage || weight->storageKey.empty())
      storage = runtime::Storage::borrow(
          const_cast<uint8_t *>(weight->storage.data()), weight->storage.size(),
          std::const_pointer_cast<void>(weight->storage.owner()),
          /*readOnly=*/true);
    auto tensor = Tensor::view(storage, weight->dtype, weight->sizes,
                               weight->strides, weight->storageOffset);
    if (!tensor)
      return tensor.error().withContext("weight '" + spec.target + "'");
    BoundWeight &bound = weights_[spec.target];
    bound.tensor = *tensor;
    bound.storageKey = weight->storageKey;
    bound.slots.push_back(slot);
    slots_[slot] = std::move(*tensor);
  }
  return Status::success();
}

/// What a call needs besides the caller's inputs.
Status Session::prepareSlots(const package::Package &package) {
  if (!program_) {
    if (slots_.empty())
      takeInputs(package.programs.front());
    if (Status s = bindPackageWeights(package); !s)
      return s;
  }
  if (Status s = ownMutatedWeights(package); !s)
    return s;
  return options_.optimizer.empty() ? Status::success()
                                    : bindOptimizer(package);
}

/// Weights of a source that is no archive: those that the program changes are
/// copied out of the package, others stay there. A module has none at all; they
/// are without contents until `setWeight`.
Status Session::bindPackageWeights(const package::Package &package) {
  const package::Program &program = package.programs.front();
  for (size_t i = 0; i < program.slots.size(); ++i) {
    const package::Slot &slot = program.slots[i];
    bool isWeight = slot.kind == package::Slot::Kind::Parameter ||
                    slot.kind == package::Slot::Kind::Buffer;
    if (!isWeight || weights_.count(slot.path))
      continue;
    BoundWeight &bound = weights_[slot.path];
    bound.slots.push_back(i);
    if (slot.payload == package::kNone)
      continue;
    bool changes = false;
    for (const package::Program &other : package.programs)
      for (const package::Output &output : other.outputs)
        changes |= output.target == slot.path &&
                   (output.role == package::Output::Role::BufferMutation ||
                    output.role == package::Output::Role::ParameterMutation);
    const package::ConstantTensor &constant =
        package.constants[slot.payload];
    auto tensor = Tensor::empty(constant.dtype, constant.sizes);
    if (!tensor)
      return tensor.error().withContext("weight '" + slot.path + "'");
    if (!changes)
      continue;
    std::copy(constant.bytes.begin(), constant.bytes.end(), tensor->data());
    bound.tensor = *tensor;
    slots_[i] = std::move(*tensor);
  }
  return Status::success();
}

/// Weights that the program changes get memory of their own, together with all
/// that share it: the archive is mapped read-only.
Status Session::ownMutatedWeights(const package::Package &package) {
  for (const package::Program &program : package.programs)
    for (const package::Output &output : program.outputs) {
      bool changes = output.role == package::Output::Role::BufferMutation ||
                     output.role == package::Output::Role::ParameterMutation;
      auto weight = weights_.find(output.target);
      if (!changes || weight == weights_.end() ||
          !weight->second.tensor.defined() ||
          !weight->second.tensor.storage()->readOnly())
        continue;
      auto shared = weight->second.tensor.storage();
      auto copy = runtime::Storage::allocate(shared->bytes());
      if (!copy)
        return copy.takeError();
      std::copy_n(shared->data(), shared->bytes(), (*copy)->data());
      for (auto &[name, bound] : weights_) {
        if (bound.tensor.storage() != shared)
          continue;
        auto view = Tensor::view(*copy, bound.tensor.dtype(),
                                 bound.tensor.sizes(), bound.tensor.strides(),
                                 bound.tensor.storageOffset());
        if (!view)
          return view.takeError();
        bound.tensor = std::move(*view);
        for (size_t slot : bound.slots)
          slots_[slot] = bound.tensor;
      }
    }
  return Status::success();
}

Status Session::resetWeights() {
  if (!program_)
    return Status::success();
  if (Status s = bindWeights(); !s)
    return s;
  stepCount_ = 0;
  slots_.resize(program_->inputs.size());
  optimizerState_.clear();
  for (size_t i = 0; i < function_->variantCount(); ++i)
    if (Status s = prepareSlots(function_->variant(i).package()); !s)
      return s;
  return Status::success();
}

bool Session::isTied(const std::string &name, const std::string &other) const {
  Tensor a = weight(name), b = weight(other);
  return a.defined() && b.defined() && a.storage() == b.storage() &&
         a.storageOffset() == b.storageOffset() && a.sizes() == b.sizes() &&
         a.strides() == b.strides();
}

Tensor Session::weight(const std::string &name) const {
  auto it = weights_.find(name);
  return it == weights_.end() ? Tensor() : it->second.tensor;
}

Status Session::setWeight(const std::string &name, const Tensor &contents) {
  auto it = weights_.find(name);
  if (it == weights_.end())
    return Error::usage("the model has no weight '" + name + "'");
  auto copy = contents.clone();
  if (!copy)
    return copy.takeError();
  it->second.tensor = *copy;
  for (size_t slot : it->second.slots)
    slots_[slot] = *copy;
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Status Session::fillSlots(const std::vector<OpValue> &inputs) {
  if (Status s = lookUp(); !s)
    return s;
  if (inputs.size() != inputSlots_.size())
    return Error::usage("the model takes " +
                        std::to_string(inputSlots_.size()) +
                        " inputs, found " + std::to_string(inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i)
    slots_[inputSlots_[i]] = inputs[i];
  return Status::success();
}

Result<std::vector<OpValue>>
Session::call(const std::vector<OpValue> &inputs) {
  if (Status s = fillSlots(inputs); !s)
    return s.takeError();
  return function_->call(slots_);
}

Result<runtime::TrainingResult>
Session::callTraining(const std::vector<OpValue> &inputs,
                      const std::vector<OpValue> &tangents) {
  if (Status s = fillSlots(inputs); !s)
    return s.takeError();
  return function_->callTraining(slots_, tangents);
}

Result<const runtime::Executable *>
Session::prepareFor(const std::vector<OpValue> &inputs) {
  if (Status s = fillSlots(inputs); !s)
    return s.takeError();
  // A source without an archive is one variant, whose weights may come later.
  if (!program_ && function_->variantCount() != 0)
    return &function_->variant(0);
  return function_->prepare(slots_);
}

const runtime::Executable &Session::lastVariant() const {
  return function_->variant(function_->lastCall().variant);
}

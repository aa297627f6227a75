//===- ProgramExport.cpp - Programs as package data -----------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Target/ProgramExport.h"

#include "Exporter.h"
#include "kiln/Dialect/Guard/IR/ElementTypes.h"
#include "kiln/Support/ModelLine.h"
#include "kiln/Support/Remarks.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/Verifier.h"

#include "llvm/ADT/StringExtras.h"

using namespace kiln;
using namespace kiln::target;
using guard::ExprAttr;
using package::Argument;
using package::ValueId;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

Status Exporter::toArguments(mlir::ArrayAttr list, mlir::ValueRange operands,
                             std::vector<Argument> &arguments) {
  for (Attribute element : list) {
    auto argument = toArgument(element, operands);
    if (!argument)
      return argument.takeError();
    arguments.push_back(std::move(*argument));
  }
  return Status::success();
}

Result<Argument> Exporter::toArgument(Attribute value,
                                      mlir::ValueRange operands) {
  Argument argument;
  if (auto operand = llvm::dyn_cast<program::OperandAttr>(value)) {
    Value given = operands[operand.getIndex()];
    auto id = values.find(given);
    if (id == values.end())
      return Error::unsupported("a number that is an input and has no value is "
                                "an argument of an operator");
    if (llvm::isa<program::NumberType>(given.getType()))
      argument.value = Argument::ScalarRef{id->second};
    else
      argument.value = Argument::TensorRef{id->second};
  } else if (auto expr = llvm::dyn_cast<ExprAttr>(value)) {
    auto id = exprs->get(expr);
    if (!id)
      return id.takeError();
    argument.value = Argument::ExprRef{*id};
  } else if (auto array = llvm::dyn_cast<mlir::ArrayAttr>(value)) {
    Argument::List list;
    if (Status s = toArguments(array, operands, list); !s)
      return s.takeError();
    argument.value = std::move(list);
  } else if (auto type = llvm::dyn_cast<mlir::TypeAttr>(value)) {
    auto dtype = guard::getDType(type.getValue());
    if (!dtype)
      return Error::malformed("a type is an argument of an operator, expected "
                              "an element type");
    argument.value = Argument::DTypeRef{*dtype};
  } else if (auto flag = llvm::dyn_cast<mlir::BoolAttr>(value)) {
    argument.value = flag.getValue();
  } else if (auto integer = llvm::dyn_cast<mlir::IntegerAttr>(value)) {
    argument.value = integer.getInt();
  } else if (auto number = llvm::dyn_cast<mlir::FloatAttr>(value)) {
    argument.value = number.getValueAsDouble();
  } else if (auto text = llvm::dyn_cast<StringAttr>(value)) {
    argument.value = text.getValue().str();
  } else if (auto number = llvm::dyn_cast<mlir::complex::NumberAttr>(value)) {
    argument.value = std::complex<double>(number.getReal().convertToDouble(),
                                          number.getImag().convertToDouble());
  } else if (llvm::isa<mlir::UnitAttr>(value)) {
    argument.value = Argument::None{};
  } else {
    std::string text;
    llvm::raw_string_ostream(text) << value;
    return Error::unsupported("attribute '" + text +
                              "' cannot be an argument of an operator");
  }
  return argument;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

std::vector<ValueId> Exporter::idsOf(mlir::ValueRange list) {
  std::vector<ValueId> ids;
  for (Value value : list)
    ids.push_back(values.lookup(value));
  return ids;
}

/// Results that are left out have no value.
std::vector<ValueId> Exporter::idsOf(mlir::ResultRange list) {
  std::vector<ValueId> ids;
  for (Value result : list)
    ids.push_back(llvm::isa<mlir::NoneType>(result.getType())
                      ? package::kNone
                      : values.lookup(result));
  return ids;
}

Status Exporter::addCall(program::CallOp op) {
  package::ExternStep step;
  step.overload = op.getOverload().str();
  step.reason = op.getReason().value_or("").str();
  step.location = getModelLine(op.getLoc());
  if (Status s = toArguments(op.getArguments(), op.getInputs(), step.arguments);
      !s)
    return s;
  step.results = idsOf(op->getResults());
  program.steps.emplace_back(std::move(step));
  return Status::success();
}

Status Exporter::addInvoke(program::InvokeOp op) {
  package::ControlStep step;
  // The enumerations list the same kinds in the same order.
  step.kind = static_cast<package::ControlStep::Kind>(op.getKind());
  for (auto callee : op.getCallees().getAsRange<mlir::FlatSymbolRefAttr>()) {
    auto index = bodies.find(callee.getValue());
    if (index == bodies.end())
      return Error::internal("'" + callee.getValue().str() +
                             "' is no body of the package");
    step.bodies.push_back(index->second);
  }
  if (Status s = toArguments(op.getArguments(), op.getInputs(), step.arguments);
      !s)
    return s;
  step.carried = op.getCarried();
  step.scanned = op.getScanned();
  step.location = getModelLine(op.getLoc());
  step.results = idsOf(op->getResults());
  program.steps.emplace_back(std::move(step));
  return Status::success();
}

/// How a kernel is launched, for who asks about schedules.
static void tellLaunch(program::LaunchOp op, StringRef function) {
  auto told = mlir::remark::analysis(op.getLoc(),
                                     remarks::kLaunched.function(function));
  if (!told)
    return;
  told << mlir::remark::metric("kernel",
                               op.getKernel().getLeafReference().getValue());
  if (auto schedules = op.getSchedules()) {
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::interleave(*schedules, os, " and ");
    told << mlir::remark::metric("schedule", text);
  }
  told << mlir::remark::metric("work", op.getWork().str())
       << mlir::remark::metric("grain", int64_t(op.getGrain()));
  if (auto origins = op.getOrigins()) {
    auto names = llvm::map_range(
        origins->getAsRange<StringAttr>(),
        [](StringAttr name) { return name.getValue(); });
    told << mlir::remark::metric("origins", llvm::join(names, ", "));
  }
}

Result<uint32_t> Exporter::getKernel(mlir::SymbolRefAttr name) {
  std::string kernel = name.getLeafReference().str();
  // Both widths of a kernel bear its name, each in a module of its own.
  if (name.getRootReference() == program::kWideKernels)
    kernel += program::kWideSuffix;
  auto index = kernels.find(kernel);
  if (index == kernels.end())
    return Error::unsupported("kernel '" + kernel +
                              "' is launched and has no code; expected a "
                              "backend that generates code");
  return uint32_t(index->second);
}

Status Exporter::getIds(mlir::ArrayAttr list,
                        std::vector<package::ExprId> &ids) {
  for (auto expr : list.getAsRange<ExprAttr>()) {
    auto id = exprs->get(expr);
    if (!id)
      return id.takeError();
    ids.push_back(*id);
  }
  return Status::success();
}

Status Exporter::addMap(program::TensorMapAttr given,
                        package::GridStep::Part &part) {
  package::GridStep::TensorMap map;
  auto dtype = guard::getDType(given.getElement());
  auto offset = exprs->get(given.getOffset());
  if (!dtype)
    return Error::malformed("a tensor map of elements without a counterpart at "
                            "run time");
  if (!offset)
    return offset.takeError();
  map.buffer = given.getBuffer();
  map.dtype = *dtype;
  map.offset = *offset;
  if (Status s = getIds(given.getSizes(), map.sizes); !s)
    return s;
  if (Status s = getIds(given.getStrides(), map.strides); !s)
    return s;
  llvm::append_range(map.box, given.getBox().asArrayRef());
  map.swizzle = given.getSwizzle();
  part.maps.push_back(std::move(map));
  return Status::success();
}

Status Exporter::addGridPart(program::GridStepAttr given,
                             package::GridStep &step) {
  package::GridStep::Part part;
  auto kernel = getKernel(given.getKernel());
  if (!kernel)
    return kernel.takeError();
  part.kernel = *kernel;
  if (given.getWide()) {
    auto wide = getKernel(given.getWide());
    if (!wide)
      return wide.takeError();
    part.wide = *wide;
  }
  if (Status s = getIds(given.getSymbols(), part.arguments); !s)
    return s;
  auto blocks = exprs->get(given.getBlocks());
  if (!blocks)
    return blocks.takeError();
  part.blocks = *blocks;
  part.threads = given.getThreads();
  part.sharedBytes = given.getShared();
  if (given.getMaps())
    for (auto map : given.getMaps().getAsRange<program::TensorMapAttr>())
      if (Status s = addMap(map, part); !s)
        return s;
  step.parts.push_back(std::move(part));
  return Status::success();
}

Status Exporter::setId(ExprAttr expr, package::ExprId &id) {
  auto found = exprs->get(expr);
  if (!found)
    return found.takeError();
  id = *found;
  return Status::success();
}

Status Exporter::setMatrix(program::MatrixAttr given,
                           package::GridStep::Product::Matrix &matrix) {
  matrix.buffer = given.getBuffer();
  matrix.isTransposed = given.getTransposed();
  for (auto [expr, id] : {std::pair(given.getOffset(), &matrix.offset),
                          std::pair(given.getLeading(), &matrix.leading),
                          std::pair(given.getApart(), &matrix.apart)})
    if (Status s = setId(expr, *id); !s)
      return s;
  return Status::success();
}

Status Exporter::addProduct(program::ProductAttr given,
                            package::GridStep &step) {
  package::GridStep::Product product;
  auto factors = guard::getDType(given.getFactors());
  auto results = guard::getDType(given.getResults());
  if (!factors || !results)
    return Error::malformed("a product of elements without a counterpart at "
                            "run time");
  product.factors = *factors;
  product.results = *results;
  product.permitsTF32 = given.getTf32();
  for (auto [expr, id] : {std::pair(given.getMatrices(), &product.matrices),
                          std::pair(given.getRows(), &product.rows),
                          std::pair(given.getColumns(), &product.columns),
                          std::pair(given.getSum(), &product.sum)})
    if (Status s = setId(expr, *id); !s)
      return s;
  for (auto [matrix, target] : {std::pair(given.getLeft(), &product.left),
                                std::pair(given.getRight(), &product.right),
                                std::pair(given.getResult(), &product.result)})
    if (Status s = setMatrix(matrix, *target); !s)
      return s;
  if (given.getBias() != -1)
    product.bias = given.getBias();
  step.library = product;
  return Status::success();
}

Status Exporter::setImage(program::ImageAttr given,
                          package::GridStep::Convolution::Image &image) {
  image.buffer = given.getBuffer();
  for (auto [expr, id] : {std::pair(given.getOffset(), &image.offset),
                          std::pair(given.getImage(), &image.image),
                          std::pair(given.getChannel(), &image.channel)})
    if (Status s = setId(expr, *id); !s)
      return s;
  return getIds(given.getPlaces(), image.places);
}

Status Exporter::addConvolution(program::ConvolutionAttr given,
                                package::GridStep &step) {
  package::GridStep::Convolution c;
  auto elements = guard::getDType(given.getElements());
  if (!elements)
    return Error::malformed("a convolution of elements without a counterpart "
                            "at run time");
  c.elements = *elements;
  c.permitsTF32 = given.getTf32();
  c.isGradient = given.getGradient();
  program::WeightAttr weight = given.getWeight();
  c.weight = weight.getBuffer();
  c.isChannelsLast = weight.getChannelsLast();
  for (auto [expr, id] : {std::pair(given.getImages(), &c.images),
                          std::pair(given.getGroups(), &c.groups),
                          std::pair(given.getChannels(), &c.channels),
                          std::pair(given.getFilters(), &c.filters),
                          std::pair(weight.getOffset(), &c.weightOffset)})
    if (Status s = setId(expr, *id); !s)
      return s;
  for (auto [list, ids] : {std::pair(given.getInputs(), &c.inputs),
                           std::pair(given.getOutputs(), &c.outputs),
                           std::pair(given.getTaps(), &c.taps)})
    if (Status s = getIds(list, *ids); !s)
      return s;
  llvm::append_range(c.strides, given.getStrides().asArrayRef());
  llvm::append_range(c.dilations, given.getDilations().asArrayRef());
  llvm::append_range(c.padding, given.getPadding().asArrayRef());
  if (Status s = setImage(given.getSource(), c.source); !s)
    return s;
  if (Status s = setImage(given.getTarget(), c.target); !s)
    return s;
  step.library = std::move(c);
  return Status::success();
}

Status Exporter::addGrid(program::LaunchOp op, program::GridAttr grid) {
  package::GridStep step;
  tellLaunch(op, function.getSymName());
  addAccess(op, step);
  step.hasWorkspace = grid.getWorkspace();
  if (grid.getNarrow()) {
    auto narrow = exprs->get(grid.getNarrow());
    if (!narrow)
      return narrow.takeError();
    step.narrow = *narrow;
  }
  for (auto part : grid.getSteps().getAsRange<program::GridStepAttr>())
    if (Status s = addGridPart(part, step); !s)
      return s;
  if (auto product =
          mlir::dyn_cast_or_null<program::ProductAttr>(grid.getLibrary()))
    if (Status s = addProduct(product, step); !s)
      return s;
  if (auto convolution =
          mlir::dyn_cast_or_null<program::ConvolutionAttr>(grid.getLibrary()))
    if (Status s = addConvolution(convolution, step); !s)
      return s;
  if (grid.getChecks())
    for (auto check : grid.getChecks().getAsRange<mlir::StringAttr>())
      step.checks.push_back(check.str());
  program.steps.emplace_back(std::move(step));
  return Status::success();
}

template <typename Step>
void Exporter::addAccess(program::LaunchOp op, Step &step) {
  step.buffers = idsOf(op.getBuffers());
  for (auto [k, isWritten] : llvm::enumerate(op.getWrites()))
    if (isWritten)
      step.writes.push_back(k);
  llvm::append_range(step.overwrites,
                     op.getOverwrites().value_or(ArrayRef<int64_t>()));
}

Status Exporter::addLaunch(program::LaunchOp op) {
  if (op.getGridAttr())
    return addGrid(op, op.getGridAttr());
  package::LaunchStep step;
  auto kernel = getKernel(op.getKernelAttr());
  if (!kernel)
    return kernel.takeError();
  step.kernel = *kernel;
  tellLaunch(op, function.getSymName());
  addAccess(op, step);
  if (Status s = getIds(op.getSymbols(), step.arguments); !s)
    return s;
  auto work = exprs->get(op.getWork());
  if (!work)
    return work.takeError();
  step.workItems = *work;
  step.grain = op.getGrain();
  if (ExprAttr scratch = op.getScratchAttr()) {
    auto bytes = exprs->get(scratch);
    if (!bytes)
      return bytes.takeError();
    step.scratchBytes = *bytes;
  }
  program.steps.emplace_back(std::move(step));
  return Status::success();
}

Status Exporter::addStep(Operation &op) {
  if (llvm::isa<program::SymbolOp, program::SlotOp, program::AllocOp,
                program::ViewOp, program::GetOp>(op))
    return Status::success();
  if (auto launch = llvm::dyn_cast<program::LaunchOp>(op))
    return addLaunch(launch);
  if (auto call = llvm::dyn_cast<program::CallOp>(op))
    return addCall(call);
  if (auto invoke = llvm::dyn_cast<program::InvokeOp>(op))
    return addInvoke(invoke);
  if (auto returned = llvm::dyn_cast<program::ReturnOp>(op))
    return addOutputs(returned);
  if (auto copy = llvm::dyn_cast<program::CopyOp>(op)) {
    program.steps.emplace_back(package::CopyStep{
        values.lookup(copy.getSource()), values.lookup(copy.getTarget())});
  } else if (auto define = llvm::dyn_cast<program::DefineOp>(op)) {
    uint32_t symbol = 0;
    while (program.symbols[symbol].name != define.getName())
      ++symbol;
    program.steps.emplace_back(package::DefineSymbolStep{
        symbol, values.lookup(define.getValue()),
        define.getDim() ? uint32_t(*define.getDim()) : package::kNone});
  } else if (auto release = llvm::dyn_cast<program::ReleaseOp>(op)) {
    program.steps.emplace_back(
        package::ReleaseStep{idsOf(release.getValues())});
  } else if (auto check = llvm::dyn_cast<program::AssertOp>(op)) {
    auto id = exprs->get(check.getCondition());
    if (!id)
      return id.takeError();
    program.steps.emplace_back(
        package::AssertStep{*id, check.getMessage().str()});
  } else {
    std::string place = getModelLine(op.getLoc());
    return Error::unsupported("op '" + op.getName().getStringRef().str() + "'" +
                              (place.empty() ? "" : " at " + place) +
                              " cannot be run: expected an operator or a "
                              "launch");
  }
  return Status::success();
}

Result<package::Program> Exporter::run() {
  program.name = function.getSymName().str();
  for (auto [k, slot] :
       llvm::enumerate(function.getBody().getOps<program::SlotOp>()))
    slots[slot.getResult()] = k;
  addSymbols();
  exprs.emplace(program);
  // Values before steps: where a buffer is made changes no number.
  for (Operation &op : function.getBody().front())
    if (Status s = addValues(op); !s)
      return s.takeError();
  for (Operation &op : function.getBody().front())
    if (Status s = addStep(op); !s)
      return s.takeError();
  if (ExprAttr bytes = function.getArenaAttr()) {
    auto id = exprs->get(bytes);
    if (!id)
      return id.takeError();
    program.arenaBytes = *id;
  }
  return std::move(program);
}

/// What `function` and its steps name in the module, which only the module's
/// verifier looks at.
static LogicalResult verifyNames(program::FuncOp function) {
  mlir::SymbolTableCollection symbols;
  mlir::WalkResult result =
      function.walk([&](mlir::SymbolUserOpInterface user) {
        return failed(user.verifySymbolUses(symbols))
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      });
  return failure(result.wasInterrupted());
}

Result<package::Program> target::exportProgram(program::FuncOp function,
                                               const PackageIndex &index) {
  // The translation believes what the verifier has seen; passes may have run
  // without it.
  std::string complaint;
  mlir::ScopedDiagnosticHandler handler(
      function.getContext(), [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
          llvm::raw_string_ostream(complaint)
              << (complaint.empty() ? "" : "; ") << diagnostic;
        return success();
      });
  if (failed(mlir::verify(function)) || failed(verifyNames(function)))
    return Error::malformed(complaint);
  return Exporter(function, index).run();
}

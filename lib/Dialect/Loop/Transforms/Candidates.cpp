//===- Candidates.cpp - Schedules that are worth measuring ----------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Dialect/Loop/Transforms/Candidates.h"

#include "GPUCandidates.h"

#include "kiln/Dialect/Loop/Transforms/ChooseSchedule.h"
#include "kiln/Dialect/Loop/Transforms/ScheduleText.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace kiln;
using namespace kiln::loop;
using analysis::KernelStrides;

/// Products to try besides the default. A product is most of a model's time, and
/// each costs some 40 ms to compile.
static constexpr unsigned kProducts = 8;

namespace {
/// Collects the schedules of one kernel, each once.
class Collector {
public:
  Collector(KernelOp kernel, const KernelStrides &strides,
            const TuneMachine &machine, const analysis::SizeHints &hints)
      : kernel(kernel), context(kernel.getContext()), strides(strides),
        machine(machine), hints(hints) {}

  std::vector<Attribute> collect(ScheduleAttr first);

private:
  void addProducts(std::optional<PackedSchedule> first);
  void addAcross(AcrossScheduleAttr first);
  void addWithin(WithinScheduleAttr first);
  void addTransposes(TransposeScheduleAttr first);
  void addBlocks(BlocksScheduleAttr first);
  void add(Attribute schedule) {
    if (schedule && !llvm::is_contained(found, schedule))
      found.push_back(schedule);
  }

  KernelOp kernel;
  MLIRContext *context;
  const KernelStrides &strides;
  const TuneMachine &machine;
  const analysis::SizeHints &hints;
  std::vector<Attribute> found;
};
} // namespace

/// `first` is nothing where the default is no packed product.
void Collector::addProducts(std::optional<PackedSchedule> first) {
  auto product = findProduct(kernel, strides, machine.machine, hints);
  if (!product || product->isEmpty())
    return;
  // How long groups are is not known: what is measured would say nothing of a call.
  auto contract = dyn_cast<ContractOp>(kernel.getNests().front().getOperation());
  if (contract && contract.isGrouped())
    return;
  if (!first) {
    first = choosePacked(*product, machine.machine);
    add(toAttribute(context, *first));
  }
  for (const PackedSchedule &schedule :
       loop::getCandidates(*product, *first, machine, kProducts))
    add(toAttribute(context, schedule));
}

void Collector::addAcross(AcrossScheduleAttr first) {
  AcrossSchedule plain = {first.getLanes(), first.getChunk(),
                          first.getSumBlock(), first.getMasked(),
                          first.getGrain(), first.getPoints()};
  Size last;
  if (!kernel.getShared().empty())
    last = getExprs(kernel.getShared()).back().getConstant();
  // After dimensions were joined the last one may be longer.
  if (last && *last < plain.chunk)
    last = std::nullopt;
  for (const AcrossSchedule &s : loop::getCandidates(plain, last))
    add(AcrossScheduleAttr::get(context, s.lanes, s.chunk, s.sumBlock, s.masked,
                                s.grain, s.points, first.getStream()));
}

void Collector::addWithin(WithinScheduleAttr first) {
  auto get = [&](ArrayRef<int64_t> along, ArrayRef<int64_t> beside,
                 int64_t grain) {
    return WithinScheduleAttr::get(context, along, beside, first.getSumBlock(),
                                   first.getMasked(),
                                   std::max<int64_t>(grain, 1),
                                   first.getStream());
  };
  for (const std::vector<int64_t> &along :
       getLaneCandidates(first.getAlong().vec()))
    add(get(along, first.getBeside(), first.getGrain()));
  for (const std::vector<int64_t> &beside :
       getLaneCandidates(first.getBeside().vec()))
    add(get(first.getAlong(), beside, first.getGrain()));
  for (int64_t grain : {4 * first.getGrain(), first.getGrain() / 4})
    add(get(first.getAlong(), first.getBeside(), grain));
}

void Collector::addTransposes(TransposeScheduleAttr first) {
  for (int64_t block : {2 * first.getBlock(), first.getBlock() / 2})
    if (block >= first.getLanes())
      add(TransposeScheduleAttr::get(context, first.getDim(), first.getLanes(),
                                     block, first.getGrain(),
                                     first.getStream()));
  for (int64_t grain : {4 * first.getGrain(), first.getGrain() / 4})
    add(TransposeScheduleAttr::get(context, first.getDim(), first.getLanes(),
                                   first.getBlock(),
                                   std::max<int64_t>(grain, 1),
                                   first.getStream()));
}

void Collector::addBlocks(BlocksScheduleAttr first) {
  int64_t rows = first.getRows();
  for (int64_t wanted : {2 * rows, rows / 2, rows / 3, rows / 4})
    if (wanted >= 1)
      add(chooseBlocks(kernel, strides, machine.machine, hints, wanted));
}

std::vector<Attribute> Collector::collect(ScheduleAttr first) {
  add(first);
  if (auto packed = dyn_cast<PackedScheduleAttr>(first))
    addProducts(PackedSchedule{
        packed.getLanes(), packed.getTileRows(), packed.getTileColumns(),
        packed.getBlockRows(), packed.getBlockDepth(), packed.getItemRows(),
        packed.getItemColumns(), packed.getUnroll(), packed.getMasked(),
        packed.getGrain(), packed.getUnit(), packed.getInPlace()});
  else
    addProducts(std::nullopt);
  if (auto across = dyn_cast<AcrossScheduleAttr>(first))
    addAcross(across);
  if (auto within = dyn_cast<WithinScheduleAttr>(first))
    addWithin(within);
  if (auto transpose = dyn_cast<TransposeScheduleAttr>(first))
    addTransposes(transpose);
  if (auto blocks = dyn_cast<BlocksScheduleAttr>(first))
    addBlocks(blocks);
  // Few rows: how much is read at a time, and how much is an item.
  if (isa<SkinnyRowsScheduleAttr, SkinnyColumnsScheduleAttr>(first))
    for (const std::string &text : getNeighbours(printSchedule(first))) {
      ScopedDiagnosticHandler quiet(context, [](Diagnostic &) {
        return success();
      });
      add(mlir::parseAttribute(text, context));
    }
  return std::move(found);
}

std::string loop::printSchedule(ScheduleAttr schedule) {
  std::string text;
  llvm::raw_string_ostream(text) << schedule;
  return text;
}

ScheduleAttr loop::parseSchedule(KernelOp kernel, StringRef text,
                                 std::string &reason) {
  ScopedDiagnosticHandler handler(
      kernel.getContext(), [&](Diagnostic &diagnostic) {
        if (reason.empty())
          reason = diagnostic.str();
        return success();
      });
  auto schedule = dyn_cast_or_null<ScheduleAttr>(
      mlir::parseAttribute(text, kernel.getContext()));
  if (!schedule) {
    if (reason.empty())
      reason = "is no schedule";
    return {};
  }
  return succeeded(schedule.verifyKernel(kernel)) ? schedule : ScheduleAttr();
}

/// The texts of those that the kernel may have.
static std::vector<std::string>
printLegal(KernelOp kernel, const std::vector<Attribute> &schedules,
           std::vector<RefusedSchedule> &refused) {
  std::vector<std::string> legal;
  for (Attribute attribute : schedules) {
    std::string text = printSchedule(cast<ScheduleAttr>(attribute));
    std::string reason;
    if (attribute == kernel.getScheduleAttr() || parseSchedule(kernel, text, reason))
      legal.push_back(std::move(text));
    else
      refused.push_back({std::move(text), std::move(reason)});
  }
  return legal;
}

std::vector<std::string>
loop::getCandidates(KernelOp kernel, const KernelStrides &strides,
                    const TuneMachine &machine,
                    const analysis::SizeHints &hints,
                    std::vector<RefusedSchedule> &refused) {
  return printLegal(kernel,
                    Collector(kernel, strides, machine, hints)
                        .collect(kernel.getScheduleAttr()),
                    refused);
}

std::vector<std::string>
loop::getCandidates(KernelOp kernel, const KernelStrides &strides,
                    const GPUMachine &machine, const analysis::SizeHints &hints,
                    ArrayRef<GPULibrary> libraries,
                    std::vector<RefusedSchedule> &refused) {
  std::vector<Attribute> schedules = collectGPUSchedules(
      kernel, strides, machine, hints, kernel.getScheduleAttr(), libraries);
  schedules.insert(schedules.begin(), kernel.getScheduleAttr());
  return printLegal(kernel, schedules, refused);
}

//===- PackageVerifier.cpp - What holds between the parts of a package ----===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/ABI/PackageABI.h"
#include "kiln/Base/CheckedMath.h"
#include "kiln/Package/ExprEvaluator.h"
#include "kiln/Package/Printer.h"
#include "kiln/Package/Verifier.h"

#include <set>

#include <algorithm>

namespace kiln::package {

namespace {

Status verifyConstant(const ConstantTensor &constant) {
  auto bytes = byteCount(constant.dtype, constant.sizes);
  if (!bytes)
    return bytes.takeError();
  if (static_cast<uint64_t>(*bytes) != constant.bytes.size())
    return Error::malformed("expected " + std::to_string(*bytes) +
                            " bytes, found " +
                            std::to_string(constant.bytes.size()));
  return Status::success();
}

/// A body is a function of its slots: it changes none of them, and nothing but
/// its caller gives them a value.
Status verifyBody(const Program &body) {
  for (const Slot &slot : body.slots)
    if (slot.kind != Slot::Kind::UserInput || slot.payload != kNone)
      return Error::malformed("slot '" + slot.name +
                              "' is not given by the caller of the body");
  for (const Output &output : body.outputs)
    if (output.role != Output::Role::UserOutput)
      return Error::malformed("a body only has results, but found a " +
                              std::string(outputRoleName(output.role)));
  return Status::success();
}

/// The bodies of a control step exist behind `first` and fit its arguments and
/// results.
Status verifyControl(const Package &package, const ControlStep &control,
                     size_t first) {
  using Kind = ControlStep::Kind;
  size_t arguments = control.arguments.size();
  size_t count = control.kind == Kind::Scan ? 1 : 2;
  if (control.bodies.size() != count)
    return Error::malformed("expected " + std::to_string(count) +
                            " bodies, found " +
                            std::to_string(control.bodies.size()));
  bool isBranch = control.kind == Kind::Branch;
  if (isBranch && arguments == 0)
    return Error::malformed("expected a predicate, found no argument");
  size_t moved = size_t(control.carried) + control.scanned;
  if (moved > arguments || control.carried > control.results.size() ||
      (isBranch && moved != 0) ||
      (control.kind == Kind::While &&
       (control.scanned != 0 || control.carried != control.results.size())) ||
      (control.kind == Kind::Scan && control.scanned == 0))
    return Error::malformed(
        "cannot carry " + std::to_string(control.carried) +
        " and take slices of " + std::to_string(control.scanned) + " of " +
        std::to_string(arguments) + " arguments for " +
        std::to_string(control.results.size()) + " results");
  for (size_t i = 0; i < count; ++i) {
    uint32_t index = control.bodies[i];
    if (index < first || index >= package.bodies.size())
      return Error::malformed("body " + std::to_string(index) +
                              " cannot be run, expected one from " +
                              std::to_string(first) + " and below " +
                              std::to_string(package.bodies.size()));
    const Program &body = package.bodies[index];
    size_t taken = arguments - (isBranch ? 1 : 0);
    size_t given = control.kind == Kind::While && i == 0
                       ? 1
                       : control.results.size();
    if (body.slots.size() != taken || body.outputs.size() != given)
      return Error::malformed(
          "expected body " + std::to_string(index) + " to have " +
          std::to_string(taken) + " inputs and " + std::to_string(given) +
          " outputs, found " + std::to_string(body.slots.size()) + " and " +
          std::to_string(body.outputs.size()));
  }
  return Status::success();
}

/// How deep the bodies behind each body nest, itself included. Control steps
/// are verified.
Status verifyDepth(const Package &package) {
  std::vector<uint32_t> depth(package.bodies.size(), 1);
  for (size_t i = package.bodies.size(); i-- > 0;) {
    for (const Step &step : package.bodies[i].steps)
      if (auto *control = std::get_if<ControlStep>(&step))
        for (uint32_t body : control->bodies)
          depth[i] = std::max(depth[i], depth[body] + 1);
    if (depth[i] > KILN_PACKAGE_MAX_BODY_DEPTH)
      return Error::malformed("bodies nest deeper than " +
                              std::to_string(KILN_PACKAGE_MAX_BODY_DEPTH));
  }
  return Status::success();
}

/// `constant` exists, and has what is declared of it; sizes that vary are those
/// of the constant.
Status verifyStored(const Package &package, const Program &program,
                    uint32_t constant, DType dtype,
                    const std::vector<ExprId> &sizes) {
  if (constant >= package.constants.size())
    return Error::malformed("constant " + std::to_string(constant) +
                            " does not exist, expected one below " +
                            std::to_string(package.constants.size()));
  const ConstantTensor &stored = package.constants[constant];
  if (stored.dtype != dtype || stored.sizes.size() != sizes.size())
    return Error::malformed(
        "constant " + std::to_string(constant) + " has the dtype " +
        std::string(dtypeName(stored.dtype)) + " and " +
        std::to_string(stored.sizes.size()) + " dimensions, expected " +
        std::string(dtypeName(dtype)) + " and " + std::to_string(sizes.size()));
  for (size_t i = 0; i < sizes.size(); ++i) {
    const Expr &size = program.exprs[sizes[i]];
    if (symbolsOf(size).empty() && constantSize(size) != stored.sizes[i])
      return Error::malformed("constant " + std::to_string(constant) +
                              " has " + std::to_string(stored.sizes[i]) +
                              " elements in dimension " + std::to_string(i) +
                              ", expected " +
                              printExpr(size, program.symbols));
  }
  return Status::success();
}

/// What is stored of a prepared value is all of its memory.
Status verifyPrepared(const Package &package, const Program &program,
                      const Value &value) {
  if (value.slot >= package.constants.size())
    return Error::malformed("constant " + std::to_string(value.slot) +
                            " does not exist, expected one below " +
                            std::to_string(package.constants.size()));
  auto layout = getPreparedLayout(program, value);
  if (!layout)
    return layout.takeError();
  const ConstantTensor &stored = package.constants[value.slot];
  if (stored.dtype == value.dtype && stored.sizes.size() == 1 &&
      stored.bytes.size() == static_cast<uint64_t>(layout->bytes))
    return Status::success();
  return Error::malformed("constant " + std::to_string(value.slot) + " has " +
                          std::to_string(stored.bytes.size()) + " bytes of " +
                          std::string(dtypeName(stored.dtype)) + " in " +
                          std::to_string(stored.sizes.size()) +
                          " dimensions, expected " +
                          std::to_string(layout->bytes) + " of " +
                          std::string(dtypeName(value.dtype)) + " in 1");
}

/// A step launches kernels that the image has, in the way of their kind.
Status verifyKernels(const KernelImage &image, const Step &step) {
  std::vector<uint32_t> kernels;
  bool isGrid = false;
  if (auto *launch = std::get_if<LaunchStep>(&step)) {
    kernels.push_back(launch->kernel);
  } else if (auto *grid = std::get_if<GridStep>(&step)) {
    isGrid = true;
    for (const GridStep::Part &part : grid->parts) {
      kernels.push_back(part.kernel);
      if (part.wide != kNone)
        kernels.push_back(part.wide);
    }
  }
  for (uint32_t kernel : kernels)
    if (kernel >= image.kernels.size())
      return Error::malformed("kernel " + std::to_string(kernel) +
                              " does not exist, expected one below " +
                              std::to_string(image.kernels.size()));
  if (!kernels.empty() && isGrid != (image.kind == KILN_IMAGE_PTX))
    return Error::malformed(isGrid ? "a grid of a kernel for a processor"
                                   : "a launch without a grid of a kernel for "
                                     "a GPU");
  return Status::success();
}

/// `firstBody`: the bodies that a control step may run begin here.
Status verifyReferences(const Package &package, const Program &program,
                        size_t firstBody) {
  for (size_t i = 0; i < program.values.size(); ++i) {
    const Value &value = program.values[i];
    if (value.kind == Value::Kind::Constant)
      if (Status s = verifyStored(package, program, value.slot, value.dtype,
                                  value.sizes);
          !s)
        return s.error().withContext("value " + std::to_string(i));
    if (value.kind == Value::Kind::Prepared && value.slot != kNone)
      if (Status s = verifyPrepared(package, program, value); !s)
        return s.error().withContext("value " + std::to_string(i));
  }
  for (const Slot &slot : program.slots) {
    // A backward program takes weights of the forward program's caller.
    if (slot.isFrozen && package.programs.size() != 1)
      return Error::malformed("slot '" + slot.name +
                              "' is frozen, and there "
                              "is a backward program");
    if (slot.payload == kNone)
      continue;
    Status s = slot.isTensor
                   ? verifyStored(package, program, slot.payload, slot.dtype,
                                  slot.sizes)
                   : Status(Error::malformed("a number has no constant"));
    if (!s)
      return s.error().withContext("slot '" + slot.name + "'");
  }
  for (const Step &step : program.steps)
    if (Status s = verifyKernels(package.image, step); !s)
      return s;
  for (size_t i = 0; i < program.steps.size(); ++i)
    if (auto *control = std::get_if<ControlStep>(&program.steps[i]))
      if (Status s = verifyControl(package, *control, firstBody); !s)
        return s.error().withContext("step " + std::to_string(i) + ", " +
                                     controlKindName(control->kind));
  return Status::success();
}

Status verifyGuard(const Guard &guard, const Program &program) {
  std::string_view text = guardText(guard.kind);
  auto has = [&](std::string_view field) {
    return text.find(field) != std::string_view::npos;
  };
  auto missing = [](const char *what, uint64_t index, size_t count) {
    return Error::malformed(std::string(what) + " " + std::to_string(index) +
                            " does not exist, expected one below " +
                            std::to_string(count));
  };
  if (has("{expr}")) {
    if (guard.expr >= program.exprs.size())
      return missing("expression", guard.expr, program.exprs.size());
    for (uint32_t symbol : symbolsOf(program.exprs[guard.expr]))
      if (program.symbols[symbol].source == Symbol::Source::Step)
        return Error::malformed("symbol '" + program.symbols[symbol].name +
                                "' has no value when guards are checked");
  }
  if (!has("{slot}"))
    return Status::success();
  if (guard.slot >= program.slots.size())
    return missing("slot", guard.slot, program.slots.size());
  size_t rank = program.slots[guard.slot].sizes.size();
  if (has("{dim}") && guard.dim >= rank)
    return missing("dimension", guard.dim, rank);
  return Status::success();
}

/// The n-th saved output feeds the n-th saved slot.
Status verifyTraining(const Program &forward, const Program &backward) {
  std::vector<const Output *> saved;
  for (const Output &output : forward.outputs)
    if (output.role == Output::Role::Saved)
      saved.push_back(&output);
  size_t next = 0;
  for (const Slot &slot : backward.slots) {
    if (slot.kind == Slot::Kind::Tangent && slot.ofOutput != kNone &&
        slot.ofOutput >= forward.outputs.size())
      return Error::malformed("tangent '" + slot.name +
                              "' is of an output that does not exist");
    if (slot.kind != Slot::Kind::Saved)
      continue;
    if (next >= saved.size())
      return Error::malformed("the forward program saves " +
                              std::to_string(saved.size()) +
                              " values, the backward program expects more");
    bool isTensor = saved[next]->kind == Output::Kind::Tensor;
    if (isTensor != slot.isTensor)
      return Error::malformed("saved value '" + slot.name +
                              "' is a tensor in one program and a number in "
                              "the other");
    ++next;
  }
  if (next != saved.size())
    return Error::malformed("the forward program saves " +
                            std::to_string(saved.size()) +
                            " values, the backward program expects " +
                            std::to_string(next));
  return Status::success();
}

} // namespace

Status verifyPackage(const Package &package) {
  if (package.programs.empty() || package.programs.size() > 2)
    return Error::malformed("package: expected one or two programs, found " +
                            std::to_string(package.programs.size()));
  std::set<ConstantKey> known;
  for (size_t i = 0; i < package.constants.size(); ++i) {
    std::string place = "constant " + std::to_string(i);
    if (Status s = verifyConstant(package.constants[i]); !s)
      return s.error().withContext(place);
    if (!known.insert(keyOf(package.constants[i])).second)
      return Error::malformed(place + " is equal to one before it, expected "
                                      "each constant once");
  }
  if (package.image.kind == KILN_IMAGE_PTX && !package.image.bytes.empty() &&
      package.image.bytes.back() != 0)
    return Error::malformed("image: expected texts that end with a zero");
  for (const Kernel &kernel : package.image.kernels)
    if (kernel.entry >= package.image.bytes.size())
      return Error::malformed(
          "kernel '" + kernel.name + "': expected an entry below " +
          std::to_string(package.image.bytes.size()) + ", found " +
          std::to_string(kernel.entry));
  for (const Program &program : package.programs) {
    if (Status s = verifyProgram(program); !s)
      return s;
    if (Status s = verifyReferences(package, program, 0); !s)
      return s.error().withContext("program '" + program.name + "'");
  }
  for (size_t i = 0; i < package.bodies.size(); ++i) {
    const Program &body = package.bodies[i];
    if (Status s = verifyProgram(body); !s)
      return s;
    Status status = verifyBody(body);
    if (status)
      status = verifyReferences(package, body, i + 1);
    if (!status)
      return status.error().withContext("program '" + body.name + "'");
  }
  if (Status s = verifyDepth(package); !s)
    return s;
  for (size_t i = 0; i < package.guards.size(); ++i)
    if (Status s = verifyGuard(package.guards[i], package.programs[0]); !s)
      return s.error().withContext("guard " + std::to_string(i));
  if (package.programs.size() == 2)
    return verifyTraining(package.programs[0], package.programs[1]);
  return Status::success();
}

/// What a caller passes to a program and gets of it, as text.
static std::string signatureOf(const Package &package) {
  std::string text;
  auto add = [&](const std::string &word) { text += word + ", "; };
  for (const Program &program : package.programs) {
    add(program.name);
    for (const Slot &slot : program.slots) {
      // What crosses from forward to backward is the variant's own business.
      if (slot.kind == Slot::Kind::Saved)
        continue;
      add(slotKindName(slot.kind));
      add(slot.name);
      add(slot.path);
      add(slot.isTensor ? std::string(dtypeName(slot.dtype)) : "number");
      for (ExprId size : slot.sizes)
        add(printExpr(program.exprs[size], program.symbols));
    }
    for (const Output &output : program.outputs) {
      if (output.role == Output::Role::Saved)
        continue;
      add(outputRoleName(output.role));
      add(output.name);
      add(output.path);
      add(output.target);
    }
  }
  return text;
}

Status verifyVariants(const std::vector<Package> &variants) {
  if (variants.empty() || variants.size() > KILN_PACKAGE_MAX_VARIANTS)
    return Error::malformed("expected 1 to " +
                            std::to_string(KILN_PACKAGE_MAX_VARIANTS) +
                            " variants, found " +
                            std::to_string(variants.size()));
  for (size_t i = 1; i < variants.size(); ++i) {
    const std::string &target = variants[i].image.target;
    for (size_t before = 0; before < i; ++before)
      if (variants[before].image.target == target)
        return Error::malformed("variants " + std::to_string(before) + " and " +
                                std::to_string(i) + " are both for '" + target +
                                "'");
    if (signatureOf(variants[i]) != signatureOf(variants[0]))
      return Error::malformed("variant " + std::to_string(i) + " for '" +
                              target + "' has other inputs or outputs than "
                              "variant 0, expected variants of one program");
  }
  return Status::success();
}

} // namespace kiln::package

//===- InPlaceRefusalTest.cpp - What operators in place may write ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For every record that takes a second tensor, its form in place and its form
// with `out` are called with a larger operand and with operands of all kinds of
// numbers. What the functional form gives decides: of the sizes of the changed
// tensor, and of a type that can be cast to its, it must be what the tensor
// then holds; all else must be refused, by every backend, in PyTorch's words.
//
//===----------------------------------------------------------------------===//

#include "ImportTestSupport.h"

#include "kiln/Dialect/Aten/IR/OpInfo.h"
#include "kiln/Import/InPlace.h"
#include "kiln/Runtime/Compare.h"

using namespace kiln;
using namespace kiln::test;
using aten::ArgKind;

namespace {

struct Call {
  const aten::OpInfo *info;
  std::string target;   ///< "aten.add_.Tensor", or the functional overload
  bool toOut = false;   ///< writes to an argument `out`
  DType self = DType::F32, other = DType::F32;
  bool isLarger = false; ///< the other tensors have one dimension more
};

runtime::Tensor cast(const runtime::Tensor &tensor, DType dtype) {
  static const runtime::OperatorRegistry registry = [] {
    runtime::OperatorRegistry filled;
    (void)eager::registerAll(filled);
    return filled;
  }();
  auto values = registry.find("aten._to_copy.default")({tensor, dtype});
  return std::get<runtime::Tensor>(values->front().value);
}

/// Ones, which every kind of number holds.
runtime::Tensor ones(std::vector<int64_t> sizes, DType dtype) {
  auto tensor = runtime::Tensor::empty(DType::F32, std::move(sizes));
  std::fill_n(tensor->dataAs<float>(), tensor->numel(), 1.0f);
  return cast(*tensor, dtype);
}

bool isTensor(const aten::ArgInfo &arg) {
  return arg.kind == ArgKind::Tensor || arg.kind == ArgKind::TensorOrNumber;
}

/// A program of one call; the tensor that it changes, or its first result, is
/// the result.
Result<Results> run(Backend backend, const Call &call) {
  ProgramMaker p;
  std::vector<runtime::OpValue> values;
  std::vector<NamedArgument> arguments;
  bool isFirst = true;
  auto tensor = [&](const std::string &name, std::vector<int64_t> sizes,
                    DType dtype) {
    Sizes symbolic;
    for (int64_t value : sizes)
      symbolic.push_back(size(value));
    p.input(Out(name, symbolic, dtype));
    values.push_back(ones(std::move(sizes), dtype));
    return t(name);
  };
  for (const aten::ArgInfo &arg : call.info->args) {
    NamedArgument given{arg.name, i(1)};
    if (isTensor(arg)) {
      if (arg.isOptional && arg.kind == ArgKind::Tensor &&
          StringRef(arg.name) != "min")
        continue;
      std::vector<int64_t> sizes{3};
      if (call.isLarger && !isFirst)
        sizes = {2, 3};
      // With `out` the operands have the one type and `out` the other.
      given.arg = tensor(arg.name, sizes, isFirst && !call.toOut ? call.self
                                                                 : call.other);
      isFirst = false;
    } else if (arg.defaultText || arg.isOptional) {
      continue;
    } else if (arg.kind == ArgKind::Int || arg.kind == ArgKind::SymInt) {
      given.arg = i(0);
    } else if (arg.kind == ArgKind::Float) {
      given.arg = f(1);
    } else if (arg.kind == ArgKind::Bool) {
      given.arg = Argument{false};
    } else if (arg.kind == ArgKind::String) {
      given.arg = Argument{std::string("sum")};
    } else if (arg.kind == ArgKind::IntList ||
               arg.kind == ArgKind::SymIntList) {
      given.arg = ints({0});
    } else if (arg.kind != ArgKind::Number) {
      return Error::unsupported("an argument that the test does not make");
    }
    arguments.push_back(given);
  }
  if (call.toOut)
    arguments.push_back({"out", tensor("out", {3}, call.self)});
  std::vector<Argument> outputs;
  for (size_t k = 0; k < call.info->results.size(); ++k)
    outputs.push_back(t("y" + std::to_string(k)));
  p.node(call.target, arguments, outputs);
  p.output("y0");
  return runBy(backend, p, values);
}

/// The forms of an overload that write to a tensor, as PyTorch names them.
std::vector<Call> formsOf(const aten::OpInfo &info) {
  StringRef name = info.name;
  auto [head, variant] = name.rsplit('.');
  if (!head.contains('.')) {
    head = name;
    variant = "default";
  }
  bool isPlain = variant == "default" || variant == "Tensor";
  std::string inPlace = (head + "_." + variant).str();
  std::string out =
      (head + (isPlain ? ".out" : "." + variant.str() + "_out")).str();
  std::vector<Call> result;
  std::string overload = (head + "." + variant).str();
  if (pt2::functionalName(inPlace) == overload)
    result.push_back({&info, inPlace});
  if (pt2::functionalName(out) == overload)
    result.push_back({&info, out, /*toOut=*/true});
  return result;
}

/// Records that take two tensors or more and give one.
std::vector<const aten::OpInfo *> overloadsOfTensors() {
  std::vector<const aten::OpInfo *> result;
  for (const aten::OpInfo *info : aten::getAllOverloads())
    if (!info->isRandom && !info->isView && !info->args.empty() &&
        isTensor(info->args[0]) && !info->args[0].isOptional &&
        llvm::count_if(info->args, isTensor) > 1 &&
        info->results[0] == aten::ResultKind::Tensor)
      result.push_back(info);
  return result;
}

const Backend backends[] = {Backend::Eager, Backend::AotEager, Backend::Inductor};

const runtime::Tensor &resultOf(const Results &results) {
  return std::get<runtime::Tensor>(results.at("y0").value);
}

void expectRefused(const Call &call, const std::string &words) {
  for (Backend backend : backends) {
    auto results = run(backend, call);
    ASSERT_FALSE(results) << "accepted by backend " << int(backend);
    EXPECT_NE(results.error().message.find(words), std::string::npos)
        << results.error().message;
  }
}

TEST(InPlaceRefusal, ALargerResultIsRefused) {
  size_t refused = 0;
  for (const aten::OpInfo *info : overloadsOfTensors()) {
    for (Call call : formsOf(*info)) {
      SCOPED_TRACE(call.target);
      call.isLarger = true;
      Call functional{info, info->name};
      functional.isLarger = true;
      auto given = run(Backend::Eager, functional);
      if (!given) {
        EXPECT_FALSE(run(Backend::Eager, call));
        continue;
      }
      if (resultOf(*given).sizes() == std::vector<int64_t>{3})
        continue;
      ++refused;
      std::string shape;
      for (int64_t size : resultOf(*given).sizes())
        shape += (shape.empty() ? "" : ", ") + std::to_string(size);
      expectRefused(call, "output with shape [3] doesn't match the broadcast "
                          "shape [" + shape + "]");
    }
  }
  // A change of the tables that leaves nothing to test is noticed.
  EXPECT_GT(refused, 100u);
}

int categoryOf(DType dtype) {
  return dtype == DType::Bool ? 0 : isInteger(dtype) ? 1
                                : isFloat(dtype)     ? 2
                                                     : 3;
}

TEST(InPlaceRefusal, ATypeOfANarrowerKindIsRefused) {
  size_t accepted = 0, refused = 0;
  const DType dtypes[] = {DType::Bool, DType::I64, DType::F32, DType::C64};
  for (const aten::OpInfo *info : overloadsOfTensors()) {
    if (!info->isPointwise)
      continue;
    for (Call call : formsOf(*info))
      for (DType self : dtypes)
        for (DType other : dtypes) {
          SCOPED_TRACE(call.target + " " + std::string(dtypeName(self)) + " " +
                       std::string(dtypeName(other)));
          call.self = self;
          call.other = other;
          Call functional{info, info->name};
          functional.self = call.toOut ? other : self;
          functional.other = other;
          auto given = run(Backend::Eager, functional);
          if (!given) {
            // What is no call at all is none in place either.
            EXPECT_FALSE(run(Backend::Eager, call));
            continue;
          }
          if (categoryOf(resultOf(*given).dtype()) > categoryOf(self)) {
            ++refused;
            expectRefused(call, "can't be cast to the desired output type");
            continue;
          }
          ++accepted;
          auto written = run(Backend::Eager, call);
          ASSERT_TRUE(written) << written.error().message;
          const runtime::Tensor &tensor = resultOf(*written);
          EXPECT_EQ(tensor.dtype(), self);
          auto compared = runtime::compareTensors(
              tensor, cast(resultOf(*given), self), {1e-6, 1e-6});
          EXPECT_EQ(compared.message, "");
        }
  }
  EXPECT_GT(accepted, 300u);
  EXPECT_GT(refused, 100u);
}

// A size that is known when it runs is asked for then.
TEST(InPlaceRefusal, ASymbolicResultIsRefusedWhereItIsLarger) {
  ProgramMaker p;
  p.input({"x", {1}});
  p.input({"z", Sizes{size("s0")}});
  p.node("aten.add_.Tensor", {{"self", t("x")}, {"other", t("z")}}, {t("y")});
  p.output("y");
  for (Backend backend : backends) {
    auto larger = runBy(backend, p, {iota({1}), iota({3})});
    EXPECT_FALSE(larger);
    auto same = runBy(backend, p, {iota({1}), tensorOf({1}, {7})});
    if (same)
      EXPECT_EQ(floatsOf(same->at("y")), Floats({7}));
  }
}

} // namespace

//===- SelectionsTest.cpp - The first of rows that are in memory ----------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Floats of any bits: NaN of either sign and with any payload, both zeros,
// infinities and numbers without an exponent. Which of those with equal keys
// are kept is decided by their places. With KILN_GRID_CASES cases are written
// for a device as others are.
//
//===----------------------------------------------------------------------===//

#include "GridExport.h"
#include "GridSchedules.h"

#include "gtest/gtest.h"

#include <cstdlib>

using namespace kiln;
using namespace kiln::loop;
using namespace mlir;

namespace {
struct Elements {
  const char *name;
  const char *type;
  unsigned width;
  const char *infinity; ///< bits of it; null: integers
};
/// A thread has elements of the row in four slots, in two, or in registers.
struct Shares {
  const char *name;
  int64_t threads, lanes;
  bool inRegisters;
  IndexWidth width;
};
class LoopToNvvmSelections
    : public testing::TestWithParam<std::tuple<Elements, Shares, bool, bool>> {
};
} // namespace

static constexpr int64_t kRow = 4104;

/// Bits of any number or, if `special`, of few, most of which are none.
static std::string makeBits(const Elements &elements, bool special) {
  std::string type = " : i" + std::to_string(elements.width) + "\n";
  if (!special)
    return "      %n = loop.load %a[%i, %j] : !m\n";
  // The sign, and the two lowest bits.
  std::string kept = std::to_string(-(int64_t(1) << (elements.width - 1)) + 3);
  return "      %l = loop.load %a[%i, %j] : !m\n"
         "      %zero = arith.constant 0" +
         type + "      %bit = arith.constant 64" + type +
         "      %most = arith.constant " + elements.infinity + type +
         "      %mask = arith.constant " + kept + type +
         "      %o = arith.andi %l, %bit" + type +
         "      %p = arith.cmpi ne, %o, %zero" + type +
         "      %q = arith.select %p, %most, %zero" + type +
         "      %r = arith.andi %l, %mask" + type +
         "      %n = arith.ori %q, %r" + type;
}

/// The key of %n as `makeSortKey` makes it, and what gives it.
static void makeKey(const Elements &elements, bool descending,
                    std::string &body) {
  std::string type = elements.type, from = "%n";
  if (elements.infinity) {
    body += "      %v = arith.bitcast %n : i" + std::to_string(elements.width) +
            " to " + type + "\n";
    if (elements.width == 16)
      body += "      %f = arith.extf %v : " + type + " to f32\n";
    std::string value = elements.width == 16 ? "%f" : "%v";
    auto line = [&](const char *text) {
      body += "      ";
      for (const char *at = text; *at; ++at)
        body += *at == '$' ? value : std::string(1, *at);
      body += "\n";
    };
    line("%c31 = arith.constant 31 : i32");
    line("%c16 = arith.constant 16 : i32");
    line("%none = arith.constant 0 : i32");
    line("%greatest = arith.constant 2147483647 : i32");
    line("%real = arith.constant 0.0 : f32");
    line("%k0 = arith.bitcast $ : f32 to i32");
    line("%k1 = arith.shrsi %k0, %c31 : i32");
    line("%k2 = arith.andi %k1, %greatest : i32");
    line("%k3 = arith.xori %k0, %k2 : i32");
    line("%t0 = arith.cmpf oeq, $, %real : f32");
    line("%k4 = arith.select %t0, %none, %k3 : i32");
    line("%t1 = arith.cmpf uno, $, $ : f32");
    line("%k5 = arith.select %t1, %greatest, %k4 : i32");
    from = "%k5", type = "i32";
    if (llvm::StringRef(elements.type) == "bf16") {
      line("%k6 = arith.shrui %k5, %c16 : i32");
      line("%k7 = arith.trunci %k6 : i32 to i16");
      from = "%k7", type = "i16";
    }
  }
  if (descending) {
    body += "      %ones = arith.constant -1 : " + type + "\n";
    body += "      %down = arith.xori " + from + ", %ones : " + type + "\n";
    from = "%down";
  }
  body += "      loop.yield " + from + " : " + type + "\n";
}

/// Few of a row, and more: of 64 threads more than three quarters, and of all their slots.
static std::string makeSelections(const Elements &elements, bool descending,
                                  bool special) {
  std::string row = std::to_string(kRow), body = makeBits(elements, special);
  makeKey(elements, descending, body);
  std::string text = "!m = tensor<2x" + row + "xi" +
                     std::to_string(elements.width) +
                     ">\nfunc.func @main(%x: !m) -> (tensor<2x11xi64>, "
                     "tensor<2x60xi64>, tensor<2x250xi64>) {\n";
  for (const char *kept : {"11", "60", "250"}) {
    std::string result = std::string("tensor<2x") + kept + "xi64>";
    text += std::string("  %k") + kept + " = loop.kernel @k" + kept +
            " ins(%a = %x : !m) shared [2] -> " + result +
            " {\n    %p = loop.sort parallel (%i) in [2] along (%j) in [" +
            row + "] keeping [" + kept + "] at 1 : " + result + " {\n" + body +
            "    }\n    loop.return %p : " + result + "\n  }\n";
  }
  return text + "  return %k11, %k60, %k250 : tensor<2x11xi64>, "
                "tensor<2x60xi64>, tensor<2x250xi64>\n}";
}

TEST_P(LoopToNvvmSelections, KeepTheFirstOfEachRow) {
  auto [elements, shares, descending, special] = GetParam();
  std::string text = makeSelections(elements, descending, special);
  LoopCase test{"Selections",
                text.c_str(),
                {{}},
                /*indexLimit=*/int64_t(1) << std::min(elements.width, 32u)};
  std::string name = std::string("Selections-") + elements.name + shares.name +
                     (descending ? "Greatest" : "Least") +
                     (special ? "Special" : "");
  checkLowering(
      test,
      [&, &shares = shares, &elements = elements](KernelOp kernel) {
        int64_t lanes = std::min<int64_t>(shares.lanes, 128 / elements.width);
        int64_t steps = shares.inRegisters
                            ? llvm::divideCeil(kRow, shares.threads * lanes)
                            : 0;
        auto attr =
            GPURowsScheduleAttr::get(kernel.getContext(), shares.threads,
                                     /*rows=*/1, lanes, steps, /*stages=*/0);
        kernel.setScheduleAttr(attr);
        EXPECT_TRUE(succeeded(attr.verifyKernel(kernel)));
      },
      lowerToNVVM,
      [&, &shares = shares](ModuleOp module, ArrayRef<Array> arguments,
                            const SymbolValues &symbols) {
        GridRecord record;
        std::vector<Array> results =
            runGrids(module, shares.width, arguments, symbols, &record);
        if (const char *folder = std::getenv("KILN_GRID_CASES"))
          exportGrids(folder, name, module, record, test.ulps);
        return results;
      });
}

static const Elements kFloats[] = {{"BF16", "bf16", 16, "32640"},
                                   {"F16", "f16", 16, "31744"},
                                   {"F32", "f32", 32, "2139095040"}};
static const Elements kIntegers[] = {{"I8", "i8", 8, nullptr},
                                     {"I16", "i16", 16, nullptr},
                                     {"I64", "i64", 64, nullptr}};
static const Shares kShares[] = {
    {"FourSlots", 64, 8, false, IndexWidth::Narrow},
    {"TwoSlots", 512, 8, false, IndexWidth::Wide},
    {"Elements", 128, 1, false, IndexWidth::Narrow},
    {"Registers", 256, 4, true, IndexWidth::Narrow}};

static std::string nameSelection(
    const testing::TestParamInfo<LoopToNvvmSelections::ParamType> &info) {
  auto [elements, shares, descending, special] = info.param;
  return std::string(elements.name) + shares.name +
         (descending ? "Greatest" : "Least") + (special ? "Special" : "");
}
INSTANTIATE_TEST_SUITE_P(Floats, LoopToNvvmSelections,
                         testing::Combine(testing::ValuesIn(kFloats),
                                          testing::ValuesIn(kShares),
                                          testing::Bool(), testing::Bool()),
                         nameSelection);
INSTANTIATE_TEST_SUITE_P(Integers, LoopToNvvmSelections,
                         testing::Combine(testing::ValuesIn(kIntegers),
                                          testing::ValuesIn(kShares),
                                          testing::Bool(),
                                          testing::Values(false)),
                         nameSelection);

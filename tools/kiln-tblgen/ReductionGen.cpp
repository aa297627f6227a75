//===- ReductionGen.cpp - Kinds of reductions -----------------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of each record of class Loop_Reduction an entry of a table, behind
// GET_REDUCTION_RECORDS, in the order of the enumerators' numbers:
//
//   {{{"value", Neutral::One, isNumber, "a number"}}, false},
//
// and a case of a switch, behind GET_REDUCTION_FORMULAS, that appends the joined
// accumulators to `result`:
//
//   case ReductionKind::Prod: {
//     Value v0 = b.mul(left[0], right[0]);
//     result.append({v0});
//     return;
//   }
//
// One statement a function, so that the order of operations is that of the record.
//
//===----------------------------------------------------------------------===//

#include "mlir/TableGen/GenInfo.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Record.h"

#include <string>
#include <vector>

using llvm::dyn_cast;
using llvm::raw_ostream;
using llvm::Record;
using llvm::StringRef;

namespace {

/// Prints the formulas of one kind.
class FormulaPrinter {
public:
  FormulaPrinter(raw_ostream &os, const Record &kind) : os(os), kind(kind) {
    std::vector<const Record *> carried =
        kind.getValueAsListOfDefs("carried");
    for (auto [i, value] : llvm::enumerate(carried)) {
      std::string label =
          carried.size() == 1 ? "" : "_" + value->getValueAsString("name").str();
      for (const char *side : {"left", "right"})
        names[side + label] = side + ("[" + std::to_string(i) + "]");
    }
  }

  void print() {
    const llvm::DagInit *where = kind.getValueAsDag("where");
    for (unsigned i = 0; i < where->getNumArgs(); ++i)
      names[where->getArgNameStr(i)] = printValue(where->getArg(i), "");
    const llvm::DagInit *combine = kind.getValueAsDag("combine");
    size_t carried = kind.getValueAsListOfDefs("carried").size();
    if (combine->getNumArgs() != carried)
      llvm::PrintFatalError(kind.getLoc(),
                            "expected " + llvm::Twine(carried) +
                                " values in 'combine', but found " +
                                llvm::Twine(combine->getNumArgs()));
    std::vector<std::string> results;
    for (unsigned i = 0; i < carried; ++i)
      results.push_back(
          printValue(combine->getArg(i), combine->getArgNameStr(i)));
    os << "  result.append({" << llvm::join(results, ", ") << "});\n";
  }

private:
  /// Prints what computes an expression and returns its name in C++.
  std::string printValue(const llvm::Init *init, StringRef name) {
    const auto *dag = dyn_cast<llvm::DagInit>(init);
    if (!dag) {
      auto known = names.find(name);
      if (known == names.end())
        llvm::PrintFatalError(kind.getLoc(),
                              "'$" + name + "' is no accumulator or local");
      return known->second;
    }
    const auto *op = dyn_cast<llvm::DefInit>(dag->getOperator());
    if (!op || !op->getDef()->isSubClassOf("Loop_AccumulatorFunction"))
      llvm::PrintFatalError(kind.getLoc(),
                            "expected a function of accumulators, but found '" +
                                dag->getOperator()->getAsString() + "'");
    int64_t arity = op->getDef()->getValueAsInt("arity");
    if (int64_t(dag->getNumArgs()) != arity)
      llvm::PrintFatalError(kind.getLoc(),
                            "'" + op->getDef()->getName() + "' expects " +
                                llvm::Twine(arity) + " operands, but found " +
                                llvm::Twine(dag->getNumArgs()));
    std::vector<std::string> operands;
    for (unsigned i = 0; i < dag->getNumArgs(); ++i)
      operands.push_back(printValue(dag->getArg(i), dag->getArgNameStr(i)));
    std::string value = "v" + std::to_string(next++);
    os << "  Value " << value << " = b." << op->getDef()->getName() << "("
       << llvm::join(operands, ", ") << ");\n";
    return value;
  }

  raw_ostream &os;
  const Record &kind;
  llvm::StringMap<std::string> names;
  unsigned next = 0;
};

} // namespace

static bool generateReductions(const llvm::RecordKeeper &records, raw_ostream &os) {
  std::vector<const Record *> kinds(
      records.getAllDerivedDefinitions("Loop_Reduction"));
  llvm::sort(kinds, [](const Record *a, const Record *b) {
    return a->getValueAsInt("value") < b->getValueAsInt("value");
  });
  os << "// Written by kiln-tblgen --gen-loop-reductions.\n\n"
     << "#ifdef GET_REDUCTION_RECORDS\n";
  for (const Record *kind : kinds) {
    os << "{{";
    llvm::interleaveComma(
        kind->getValueAsListOfDefs("carried"), os, [&](const Record *value) {
          const Record *type = value->getValueAsDef("type");
          os << "{\"" << value->getValueAsString("name") << "\", Neutral::"
             << value->getValueAsDef("neutral")->getValueAsString("enumerator")
             << ", [](mlir::Type type) { return bool("
             << type->getValueAsString("predicate") << "); }, \""
             << type->getValueAsString("summary") << "\"}";
        });
    os << "}, " << (kind->getValueAsBit("rounds") ? "true" : "false") << "},\n";
  }
  os << "#undef GET_REDUCTION_RECORDS\n#endif\n\n"
     << "#ifdef GET_REDUCTION_FORMULAS\n";
  for (const Record *kind : kinds) {
    os << "case ReductionKind::" << kind->getValueAsString("symbol")
       << ": {\n";
    if (!kind->getValueAsListOfDefs("carried").empty())
      FormulaPrinter(os, *kind).print();
    os << "  return;\n}\n";
  }
  for (auto [i, kind] : llvm::enumerate(kinds))
    if (kind->getValueAsInt("value") != int64_t(i))
      llvm::PrintFatalError(kind->getLoc(), "expected the number " +
                                                llvm::Twine(i) +
                                                ": kinds count from 0");
  os << "#undef GET_REDUCTION_FORMULAS\n#endif\n";
  return false;
}

static mlir::GenRegistration
    reductionsRegistration("gen-loop-reductions",
                 "Generate the kinds of reductions of the loop dialect",
                 generateReductions);

//===- FunctionRecord.h - Functions that records name ----------*- C++ -*-===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What fields of class Aten_Function (AtenFunctions.td) become in C++, the same
// for lowerings and decompositions: the types that a function takes, the
// arguments that it is called with, and the structs of families:
//
//   struct PoolingArgs {
//     PoolingArgs(aten::MaxPool2dOp op);
//     ...
//     Value self;
//     SmallVector<int64_t> kernelSize;
//     Operation *op;
//   };
//
//===----------------------------------------------------------------------===//

#ifndef KILN_TOOLS_KILN_TBLGEN_FUNCTIONRECORD_H
#define KILN_TOOLS_KILN_TBLGEN_FUNCTIONRECORD_H

#include "AtenRecord.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace kiln::tblgen {

/// The function that a record names for some purpose; null if none.
using GetFunctionFn =
    llvm::function_ref<const llvm::Record *(const AtenRecord &)>;

/// `field` if it names a function; null if it is of another class.
const llvm::Record *getFunction(const AtenRecord &record,
                                const llvm::Record *field);

/// "kiln::aten::AddTensorOp".
std::string getClass(const AtenRecord &record);

/// The type that the op is given as: "const FftArgs &".
std::string getParameterType(const AtenRecord &record,
                             const llvm::Record &function);
/// The types of what follows: ", bool, unsigned".
std::string getArgumentTypes(const AtenRecord &record,
                             const llvm::Record &function);
/// What follows, as it is called: ", true, 2".
std::string getArguments(const llvm::Record &function);
/// `op`, an `Operation *`, as the function takes it.
std::string getOpArgument(const AtenRecord &record,
                          const llvm::Record &function);

/// Declares the structs of the families that functions of `records` take.
void printFamilies(llvm::raw_ostream &os,
                   const std::vector<AtenRecord> &records, GetFunctionFn get);
/// Defines their constructors.
void printFamilyConstructors(llvm::raw_ostream &os,
                             const std::vector<AtenRecord> &records,
                             GetFunctionFn get);

} // namespace kiln::tblgen

#endif // KILN_TOOLS_KILN_TBLGEN_FUNCTIONRECORD_H

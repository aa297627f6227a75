/*===- kiln-c/Dialects.h - Kiln's dialects from C ---------------------------===*\
|*                                                                            *|
|* Part of the Kiln project, under the Apache License v2.0 with LLVM          *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* A handle for each dialect, in the conventions of MLIR's C interface:       *|
|*                                                                            *|
|*   mlirDialectHandleLoadDialect(mlirGetDialectHandle__aten__(), context);   *|
|*                                                                            *|
|* Interfaces that Kiln attaches to ops from outside (derivatives, composites)*|
|* come with kilnRegisterAllDialects of kiln-c/Compiler.h alone.              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef KILN_C_DIALECTS_H
#define KILN_C_DIALECTS_H

#include <mlir-c/IR.h>

#ifdef __cplusplus
extern "C" {
#endif

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Aten, aten);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Guard, guard);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Joint, joint);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Loop, loop);
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Program, program);

#ifdef __cplusplus
}
#endif

#endif /* KILN_C_DIALECTS_H */

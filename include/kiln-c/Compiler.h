/*===- kiln-c/Compiler.h - Compile programs from C --------------------------===*\
|*                                                                            *|
|* Part of the Kiln project, under the Apache License v2.0 with LLVM          *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Imports what torch.export has written and compiles it to the bytes of a    *|
|* package, in the conventions of MLIR's C interface; libkiln-c-compiler.so.  *|
|* Packages run by kiln-c/Runtime.h, here or elsewhere.                       *|
|*                                                                            *|
|*   static void append(MlirStringRef bytes, void *user);                     *|
|*                                                                            *|
|*   MlirStringRef targets[] = {mlirStringRefCreateFromCString("x86-64-v3"),  *|
|*                              mlirStringRefCreateFromCString("x86-64-v4")}; *|
|*   if (mlirLogicalResultIsFailure(kilnCompileFile(                          *|
|*           path, none, none, 2, targets, append, &package, append, &error)))*|
|*     ...                                                                    *|
|*                                                                            *|
|* A program that uses MLIR's own functions, such as mlirContextCreate, links *|
|* upstream's libMLIRCAPIIR.a and libMLIR.so besides.                         *|
|*                                                                            *|
|* Errors go to `onError` as one sentence; nothing is thrown. A compilation   *|
|* runs in a copy of this process, so that a crash of the compiler is such an *|
|* error, and so is a system that has no process more: nothing is compiled in *|
|* this one. Compilations may run in several threads, on contexts of their    *|
|* own. A copy that waits for a lock of MLIR or LLVM that another thread held *|
|* when it was made is given up after 30 seconds, and another one made.       *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef KILN_C_COMPILER_H
#define KILN_C_COMPILER_H

#include <mlir-c/IR.h>
#include <mlir-c/Support.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Adds Kiln's dialects, and the interfaces that it attaches to their ops. */
MLIR_CAPI_EXPORTED void kilnRegisterAllDialects(MlirDialectRegistry registry);

/** Registers Kiln's passes and pipelines (kiln-core, kiln-joint, kiln-loop, ...)
 *  for mlirParsePassPipeline. Calling it twice is harmless. */
MLIR_CAPI_EXPORTED void kilnRegisterAllPasses(void);

/**
 * Reads the program of a `.pt2` archive as its captured graph: a function @main
 * and its guards. `model` names one of several programs, or is empty. The caller
 * destroys the module; it is null if there was an error. The context gets the
 * dialects that it needs.
 */
MLIR_CAPI_EXPORTED MlirModule kilnImportPT2(MlirContext context,
                                            MlirStringRef path,
                                            MlirStringRef model,
                                            MlirStringCallback onError,
                                            void *errorUser);

/**
 * Compiles a module at any stage, which is left as it is, to a package without
 * weights. `options` are lines `key=value`, such as "training=1\n"
 * (`kiln-compile --print-options` lists the keys). The package has a variant for
 * each of `targets`, or for the processor of this machine if there are none.
 * `onPackage` is called once, with all bytes, which it copies.
 */
MLIR_CAPI_EXPORTED MlirLogicalResult kilnCompileModule(
    MlirModule module, MlirStringRef options, intptr_t targetCount,
    const MlirStringRef *targets, MlirStringCallback onPackage,
    void *packageUser, MlirStringCallback onError, void *errorUser);

/**
 * The same for a file, `.pt2`, `.mlir` or `.mlirbc`; the package of a `.pt2` has
 * its weights inside.
 */
MLIR_CAPI_EXPORTED MlirLogicalResult kilnCompileFile(
    MlirStringRef path, MlirStringRef model, MlirStringRef options,
    intptr_t targetCount, const MlirStringRef *targets,
    MlirStringCallback onPackage, void *packageUser,
    MlirStringCallback onError, void *errorUser);

#ifdef __cplusplus
}
#endif

#endif /* KILN_C_COMPILER_H */

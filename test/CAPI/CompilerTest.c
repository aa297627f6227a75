/*===- CompilerTest.c - kiln-c/Compiler.h and Dialects.h from C99 -----------===*\
|*                                                                            *|
|* Part of the Kiln project, under the Apache License v2.0 with LLVM          *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

/* usage: kiln-c-compiler-test ARCHIVE, which is sin(a) @ b with a : f32[3, 4] and
 * b : f32[4, 5]. Compiles it in memory and runs it in the same process. */

#include "kiln-c/Compiler.h"
#include "kiln-c/Dialects.h"
#include "kiln-c/Runtime.h"

#include <mlir-c/Pass.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(holds)                                                          \
  do {                                                                         \
    if (!(holds)) {                                                            \
      fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #holds);     \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

typedef struct Buffer {
  char *data;
  size_t size;
} Buffer;

static void append(MlirStringRef part, void *user) {
  Buffer *buffer = user;
  char *data = realloc(buffer->data, buffer->size + part.length + 1);
  EXPECT(data);
  memcpy(data + buffer->size, part.data, part.length);
  buffer->data = data;
  buffer->size += part.length;
  data[buffer->size] = 0;
}

static MlirStringRef ref(const char *text) {
  return mlirStringRefCreateFromCString(text);
}

/* Runs a package and compares with the formula. */
static void runPackage(const Buffer *package, size_t variants) {
  float a[12], b[20];
  int64_t sizesOfA[2] = {3, 4}, sizesOfB[2] = {4, 5};
  KilnModel *model = NULL;
  KilnTensor *inputs[2] = {NULL, NULL};
  KilnValue in[2], out;
  for (int i = 0; i < 12; ++i)
    a[i] = 0.1f * (float)i;
  for (int i = 0; i < 20; ++i)
    b[i] = (float)(i % 7) - 3;
  KilnStatus *status = kilnModelRead(package->data, package->size, NULL, &model);
  if (status)
    fprintf(stderr, "%s\n", kilnStatusText(status));
  EXPECT(!status);
  EXPECT(kilnModelVariant(model, variants - 1) &&
         !kilnModelVariant(model, variants));
  EXPECT(!kilnTensorBorrow(a, sizeof a, KILN_DTYPE_F32, 2, sizesOfA, NULL, NULL,
                           NULL, &inputs[0]));
  EXPECT(!kilnTensorBorrow(b, sizeof b, KILN_DTYPE_F32, 2, sizesOfB, NULL, NULL,
                           NULL, &inputs[1]));
  in[0] = kilnTensorValue(inputs[0]);
  in[1] = kilnTensorValue(inputs[1]);
  EXPECT(!kilnModelRun(model, in, 2, &out, 1));
  const float *y = kilnTensorData(out.as.tensor);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 5; ++j) {
      double sum = 0;
      for (int k = 0; k < 4; ++k)
        sum += sin(a[i * 4 + k]) * b[k * 5 + j];
      EXPECT(fabs(y[i * 5 + j] - sum) < 1e-5);
    }
  kilnValuesDestroy(&out, 1);
  kilnTensorDestroy(inputs[0]);
  kilnTensorDestroy(inputs[1]);
  kilnModelDestroy(model);
}

static void passes(MlirContext context, MlirModule module) {
  Buffer text = {NULL, 0};
  MlirPassManager manager = mlirPassManagerCreate(context);
  kilnRegisterAllPasses();
  EXPECT(mlirLogicalResultIsSuccess(
      mlirParsePassPipeline(mlirPassManagerGetAsOpPassManager(manager),
                            ref("builtin.module(kiln-core,kiln-loop)"), append,
                            &text)));
  MlirOperation op = mlirOperationClone(mlirModuleGetOperation(module));
  EXPECT(mlirLogicalResultIsSuccess(mlirPassManagerRunOnOp(manager, op)));
  mlirOperationPrint(op, append, &text);
  EXPECT(strstr(text.data, "loop.kernel") && !strstr(text.data, "aten.sin"));
  mlirOperationDestroy(op);
  mlirPassManagerDestroy(manager);
  free(text.data);
}

int main(int argc, char **argv) {
  EXPECT(argc == 2);
  MlirStringRef none = ref(""), path = ref(argv[1]);
  MlirStringRef targets[2] = {ref("x86-64-v3"), ref("x86-64-v4")};
  Buffer package = {NULL, 0}, error = {NULL, 0}, text = {NULL, 0};

  /* A context that knows the dialects by name, and one that gets them. */
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  kilnRegisterAllDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  MlirDialectHandle handles[5];
  handles[0] = mlirGetDialectHandle__aten__();
  handles[1] = mlirGetDialectHandle__guard__();
  handles[2] = mlirGetDialectHandle__joint__();
  handles[3] = mlirGetDialectHandle__loop__();
  handles[4] = mlirGetDialectHandle__program__();
  for (int i = 0; i < 5; ++i) {
    MlirDialect dialect = mlirDialectHandleLoadDialect(handles[i], context);
    EXPECT(!mlirDialectIsNull(dialect));
    EXPECT(mlirStringRefEqual(mlirDialectGetNamespace(dialect),
                              mlirDialectHandleGetNamespace(handles[i])));
  }

  MlirModule module = kilnImportPT2(context, path, none, append, &error);
  EXPECT(!mlirModuleIsNull(module) && error.size == 0);
  mlirOperationPrint(mlirModuleGetOperation(module), append, &text);
  EXPECT(strstr(text.data, "aten.matmul") && strstr(text.data, "guard.program"));
  passes(context, module);

  EXPECT(mlirLogicalResultIsSuccess(kilnCompileModule(
      module, none, 2, targets, append, &package, append, &error)));
  runPackage(&package, 2);
  package.size = 0;
  EXPECT(mlirLogicalResultIsSuccess(
      kilnCompileModule(module, ref("backend=eager\n"), 0, NULL, append,
                        &package, append, &error)));
  runPackage(&package, 1);
  package.size = 0;
  EXPECT(mlirLogicalResultIsSuccess(kilnCompileFile(
      path, none, none, 0, NULL, append, &package, append, &error)));
  runPackage(&package, 1);

  /* Errors are sentences. */
  package.size = 0;
  EXPECT(error.size == 0);
  EXPECT(mlirLogicalResultIsFailure(
      kilnCompileModule(module, ref("backend=abacus\n"), 0, NULL, append,
                        &package, append, &error)));
  EXPECT(strstr(error.data, "backend"));
  error.size = 0;
  targets[1] = ref("pdp-11");
  EXPECT(mlirLogicalResultIsFailure(kilnCompileFile(
      path, none, none, 2, targets, append, &package, append, &error)));
  EXPECT(strstr(error.data, "pdp-11") && package.size == 0);
  error.size = 0;
  EXPECT(mlirModuleIsNull(
      kilnImportPT2(context, ref("/nowhere.pt2"), none, append, &error)));
  EXPECT(strstr(error.data, "/nowhere.pt2"));
  EXPECT(mlirModuleIsNull(kilnImportPT2(context, path, ref("other"), NULL,
                                        NULL)));

  mlirModuleDestroy(module);
  mlirContextDestroy(context);
  free(package.data);
  free(error.data);
  free(text.data);
  puts("compiler ok");
  return 0;
}

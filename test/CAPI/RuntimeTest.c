/*===- RuntimeTest.c - kiln-c/Runtime.h from C99 ----------------------------===*\
|*                                                                            *|
|* Part of the Kiln project, under the Apache License v2.0 with LLVM          *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

/* usage: kiln-c-runtime-test describe|linear|step|threads|device PACKAGE...; what each
 * expects of its packages is said in runtime.test. */
#define _POSIX_C_SOURCE 200809L

#include "kiln-c/Runtime.h"

#include <math.h>
#include <pthread.h>
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

/* Ends the test if there is an error. */
static void ok(KilnStatus *status) {
  if (!status)
    return;
  fprintf(stderr, "unexpected: %s\n", kilnStatusText(status));
  exit(1);
}

/* Expects an error with this code whose text contains `words`. */
static void fails(KilnStatus *status, KilnCode code, const char *words) {
  if (kilnStatusCode(status) != code ||
      !strstr(kilnStatusText(status), words)) {
    fprintf(stderr, "expected %d with '%s', found %d: %s\n", (int)code, words,
            (int)kilnStatusCode(status), kilnStatusText(status));
    exit(1);
  }
  kilnStatusDestroy(status);
}

static KilnTensor *borrow(float *data, int64_t size) {
  KilnTensor *tensor = NULL;
  ok(kilnTensorBorrow(data, (size_t)size * sizeof(float), KILN_DTYPE_F32, 1,
                      &size, NULL, NULL, NULL, &tensor));
  return tensor;
}

/*===----------------------------------------------------------------------===*\
|* describe                                                                   *|
\*===----------------------------------------------------------------------===*/

static void describe(const char *path) {
  static const char *const names[] = {"input", "output", "weight", "gradient",
                                      "state"};
  KilnModel *model = NULL;
  ok(kilnModelOpen(path, NULL, &model));
  printf("target '%s' of", kilnModelTarget(model));
  for (size_t i = 0; kilnModelVariant(model, i); ++i)
    printf(" '%s'", kilnModelVariant(model, i));
  printf(", training %d\n", kilnModelIsTraining(model));
  for (int list = KILN_INPUTS; list <= KILN_STATE; ++list)
    for (size_t i = 0; i < kilnModelCount(model, (KilnList)list); ++i) {
      const KilnValueInfo *info = kilnModelInfo(model, (KilnList)list, i);
      printf("%s '%s' '%s' kind %d %s[", names[list], info->name, info->path,
             (int)info->kind, kilnDTypeName(info->dtype));
      for (size_t d = 0; d < info->rank; ++d)
        printf("%s%s=%ld", d ? ", " : "", info->dimensions[d].text,
               (long)info->dimensions[d].size);
      printf("]%s\n", info->isConstant ? " constant" : "");
    }
  for (size_t i = 0; kilnModelSymbol(model, i); ++i) {
    const KilnSymbol *symbol = kilnModelSymbol(model, i);
    printf("symbol %s from %ld to %ld\n", symbol->name, (long)symbol->least,
           (long)symbol->most);
  }
  EXPECT(!kilnModelInfo(model, KILN_INPUTS,
                        kilnModelCount(model, KILN_INPUTS)));
  EXPECT(kilnModelCount(model, (KilnList)99) == 0);
  kilnModelDestroy(model);
}

/*===----------------------------------------------------------------------===*\
|* linear: y = x * w + b of four elements, without weights                    *|
\*===----------------------------------------------------------------------===*/

static void setWeight(KilnModel *model, const char *name, float a, float b,
                      float c, float d) {
  float values[4];
  values[0] = a, values[1] = b, values[2] = c, values[3] = d;
  KilnTensor *tensor = borrow(values, 4);
  ok(kilnModelSetWeight(model, name, tensor));
  kilnTensorDestroy(tensor);
  memset(values, 0xff, sizeof values); /* they were copied */
}

static void countRelease(void *user) { ++*(int *)user; }

static void tensors(void) {
  float data[8] = {1, 0, 2, 0, 3, 0, 4, 0};
  int64_t four = 4, two = 2, huge[2] = {(int64_t)1 << 40, (int64_t)1 << 40};
  int released = 0;
  KilnTensor *tensor = (KilnTensor *)data;
  fails(kilnTensorBorrow(data, 24, KILN_DTYPE_F32, 1, &four, &two,
                         countRelease, &released, &tensor),
        KILN_USAGE, "byte 28 of a storage of 24");
  EXPECT(!tensor && released == 0);
  fails(kilnTensorBorrow((char *)data + 1, 16, KILN_DTYPE_F32, 1, &four, NULL,
                         NULL, NULL, &tensor),
        KILN_USAGE, "aligned");
  fails(kilnTensorBorrow(data, 16, (KilnDType)77, 1, &four, NULL, NULL, NULL,
                         &tensor),
        KILN_USAGE, "no element type");
  fails(kilnTensorBorrow(data, 16, KILN_DTYPE_F32, 2, huge, NULL, NULL, NULL,
                         &tensor),
        KILN_USAGE, "");
  fails(kilnTensorBorrow(data, 16, KILN_DTYPE_F32, 65, huge, NULL, NULL, NULL,
                         &tensor),
        KILN_USAGE, "at most 64");
  fails(kilnTensorBorrow(NULL, 16, KILN_DTYPE_F32, 1, &four, NULL, NULL, NULL,
                         &tensor),
        KILN_USAGE, "'data' is null");
  four = -4;
  fails(kilnTensorCreate(KILN_DTYPE_F32, 1, &four, &tensor), KILN_USAGE, "");
  four = 4;

  ok(kilnTensorBorrow(data, 28, KILN_DTYPE_F32, 1, &four, &two, countRelease,
                      &released, &tensor));
  float dense[4] = {0};
  ok(kilnTensorCopyTo(tensor, dense, sizeof dense));
  EXPECT(dense[0] == 1 && dense[1] == 2 && dense[2] == 3 && dense[3] == 4);
  fails(kilnTensorCopyTo(tensor, dense, 12), KILN_USAGE, "expected the 16");
  EXPECT(kilnTensorRank(tensor) == 1 && kilnTensorSizes(tensor)[0] == 4 &&
         kilnTensorStrides(tensor)[0] == 2 && kilnTensorData(tensor) == data &&
         kilnTensorDType(tensor) == KILN_DTYPE_F32);
  kilnTensorDestroy(tensor);
  EXPECT(released == 1);
  ok(kilnTensorCreate(KILN_DTYPE_F64, 0, NULL, &tensor));
  EXPECT(kilnTensorElements(tensor) == 1 &&
         *(double *)kilnTensorData(tensor) == 0);
  kilnTensorDestroy(tensor);
  kilnTensorDestroy(NULL);
  kilnStatusDestroy(NULL);
  EXPECT(kilnDTypeSize(KILN_DTYPE_C128) == 16 &&
         kilnDTypeSize((KilnDType)99) == 0);
  EXPECT(strcmp(kilnDTypeName(KILN_DTYPE_BF16), "bf16") == 0);
}

static unsigned char *readAll(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  EXPECT(file && fseek(file, 0, SEEK_END) == 0);
  *size = (size_t)ftell(file);
  rewind(file);
  unsigned char *bytes = malloc(*size);
  EXPECT(bytes && fread(bytes, 1, *size, file) == *size);
  fclose(file);
  return bytes;
}

static void opening(const char *path) {
  KilnModel *model = (KilnModel *)path;
  KilnModelOptions options = kilnModelOptionsDefault();
  fails(kilnModelOpen("/nowhere/m.kiln", NULL, &model), KILN_IO, "/nowhere");
  EXPECT(!model);
  fails(kilnModelOpen(NULL, NULL, &model), KILN_USAGE, "'path' is null");
  fails(kilnModelOpen(path, NULL, NULL), KILN_USAGE, "'model' is null");
  options.structSize = 3;
  fails(kilnModelOpen(path, &options, &model), KILN_USAGE, "structSize");
  options = kilnModelOptionsDefault();
  options.target = "pdp-11";
  fails(kilnModelOpen(path, &options, &model), KILN_USAGE,
        "no variant for 'pdp-11', expected one of 'x86-64-v");
  size_t size = 0;
  unsigned char *bytes = readAll(path, &size);
  fails(kilnModelRead(bytes, size - 1, NULL, &model), KILN_MALFORMED,
        "expected");
  fails(kilnModelRead("PK\3\4", 4, NULL, &model), KILN_MALFORMED,
        "is no package");
  bytes[size / 2] ^= 1;
  fails(kilnModelRead(bytes, size, NULL, &model), KILN_MALFORMED, "checksum");
  bytes[size / 2] ^= 1;
  options = kilnModelOptionsDefault();
  options.threads = 1;
  ok(kilnModelRead(bytes, size, &options, &model));
  memset(bytes, 0, size); /* it was copied */
  free(bytes);
  EXPECT(kilnModelCount(model, KILN_INPUTS) == 1);
  kilnModelDestroy(model);
}

static void linear(const char *path) {
  float x[8] = {1, -1, 2, -1, 3, -1, 4, -1};
  int64_t four = 4, two = 2;
  int released = 0;
  KilnModel *model = NULL;
  KilnTensor *input = NULL, *weight = NULL;
  KilnValue in, out;
  tensors();
  opening(path);
  ok(kilnModelOpen(path, NULL, &model));
  ok(kilnTensorBorrow(x, sizeof x, KILN_DTYPE_F32, 1, &four, &two,
                      countRelease, &released, &input));
  in = kilnTensorValue(input);
  fails(kilnModelRun(model, &in, 1, &out, 1), KILN_USAGE,
        "weight 'b' has no values");
  EXPECT(out.kind == KILN_VALUE_NONE);
  setWeight(model, "w", 2, 2, -1, 0.5f);
  setWeight(model, "b", 10, 20, 30, 40);
  ok(kilnModelRun(model, &in, 1, &out, 1));
  const float *y = kilnTensorData(out.as.tensor);
  EXPECT(y[0] == 12 && y[1] == 24 && y[2] == 27 && y[3] == 42);
  kilnValuesDestroy(&out, 1);
  EXPECT(out.kind == KILN_VALUE_NONE);

  /* Another weight, from the next call on; and back. */
  setWeight(model, "w", 0, 0, 0, 1);
  ok(kilnModelRun(model, &in, 1, &out, 1));
  y = kilnTensorData(out.as.tensor);
  EXPECT(y[0] == 10 && y[3] == 44);
  ok(kilnModelGetWeight(model, KILN_WEIGHTS, "w", &weight));
  EXPECT(((float *)kilnTensorData(weight))[3] == 1);
  kilnTensorDestroy(weight);
  fails(kilnModelSetWeight(model, "v", input), KILN_USAGE, "no weight 'v'");
  ok(kilnTensorCreate(KILN_DTYPE_F64, 1, &four, &weight));
  fails(kilnModelSetWeight(model, "w", weight), KILN_USAGE,
        "weight 'w' is f64[4], expected f32[4]");
  fails(kilnModelLoadWeights(model, "/nowhere.safetensors"), KILN_IO, "");
  fails(kilnModelGetWeight(model, KILN_WEIGHTS, "v", &weight), KILN_USAGE,
        "'v'");

  /* What does not fit the program. */
  KilnValue wrong = kilnIntValue(7);
  KilnValue results[2];
  fails(kilnModelRun(model, &wrong, 1, results, 1), KILN_GUARD, "x");
  fails(kilnModelRun(model, &in, 0, results, 1), KILN_USAGE, "takes 1");
  fails(kilnModelRun(model, &in, 1, results, 2), KILN_USAGE, "gives 1");
  fails(kilnModelRun(model, NULL, 1, results, 1), KILN_USAGE, "null");
  wrong.kind = (KilnValueKind)42;
  fails(kilnModelRun(model, &wrong, 1, results, 1), KILN_USAGE,
        "no kind of value");
  KilnTensor *other = borrow(x, 3);
  wrong = kilnTensorValue(other);
  fails(kilnModelRun(model, &wrong, 1, results, 1), KILN_GUARD,
        "expected 4, actual 3");
  fails(kilnModelStep(model, &in, 1, 0.1, NULL), KILN_USAGE, "optimizer");
  fails(kilnModelRun(NULL, &in, 1, results, 1), KILN_USAGE, "'model'");

  /* A result outlives its model. */
  kilnModelDestroy(model);
  EXPECT(((float *)kilnTensorData(out.as.tensor))[3] == 44);
  kilnValuesDestroy(&out, 1);
  kilnTensorDestroy(other);
  EXPECT(released == 0);
  kilnTensorDestroy(input);
  EXPECT(released == 1);
  EXPECT(kilnVersion() == 1000 && strstr(kilnVersionText(), "kiln"));
  puts("linear ok");
}

/*===----------------------------------------------------------------------===*\
|* step: loss = sum(x * w), sgd with momentum 0.5                             *|
\*===----------------------------------------------------------------------===*/

static double weightAt(KilnModel *model, KilnList list, const char *name,
                       int64_t index) {
  KilnTensor *tensor = NULL;
  ok(kilnModelGetWeight(model, list, name, &tensor));
  double value = ((float *)kilnTensorData(tensor))[index];
  kilnTensorDestroy(tensor);
  return value;
}

static void step(const char *path, const char *checkpoint) {
  float x[4] = {1, 2, 3, 4};
  KilnModel *model = NULL, *other = NULL;
  KilnTensor *input = borrow(x, 4);
  KilnValue in = kilnTensorValue(input), out, gradients[7];
  double loss = 0;
  ok(kilnModelOpen(path, NULL, &model));
  EXPECT(kilnModelIsTraining(model));
  setWeight(model, "w", 1, 1, 1, 1);
  /* d loss / d w = x, whatever w is: velocity x, then 1.5 x. */
  ok(kilnModelStep(model, &in, 1, 0.1, &loss));
  EXPECT(loss == 10);
  EXPECT(fabs(weightAt(model, KILN_WEIGHTS, "w", 3) - 0.6) < 1e-6);
  EXPECT(kilnModelSteps(model) == 1);
  const char *momentum = NULL;
  for (size_t i = 0; i < kilnModelCount(model, KILN_STATE); ++i)
    if (strchr(kilnModelInfo(model, KILN_STATE, i)->name, '@'))
      momentum = kilnModelInfo(model, KILN_STATE, i)->name;
  EXPECT(momentum && weightAt(model, KILN_STATE, momentum, 3) == 4);
  ok(kilnModelSaveCheckpoint(model, checkpoint));
  ok(kilnModelStep(model, &in, 1, 0.1, &loss));
  EXPECT(fabs(loss - 7) < 1e-5); /* sum(x * (1 - 0.1 x)) = 10 - 3 */
  EXPECT(fabs(weightAt(model, KILN_WEIGHTS, "w", 3) - 0) < 1e-6);

  /* Another model continues with the same bits. */
  ok(kilnModelOpen(path, NULL, &other));
  fails(kilnModelStep(other, &in, 1, 0.1, NULL), KILN_USAGE, "no values");
  ok(kilnModelLoadCheckpoint(other, checkpoint));
  EXPECT(kilnModelSteps(other) == 1);
  ok(kilnModelStep(other, &in, 1, 0.1, NULL));
  for (int64_t i = 0; i < 4; ++i)
    EXPECT(weightAt(model, KILN_WEIGHTS, "w", i) ==
           weightAt(other, KILN_WEIGHTS, "w", i));
  fails(kilnModelLoadCheckpoint(other, path), KILN_MALFORMED, "checkpoint");

  fails(kilnModelRunTraining(model, &in, 1, NULL, &out, 1, gradients, 7),
        KILN_USAGE, "room for 7 gradients");
  kilnModelDestroy(other);
  kilnModelDestroy(model);
  kilnTensorDestroy(input);
  puts("step ok");
}

/* gradients: the same loss without an optimizer. */
static void gradients(const char *path) {
  float x[4] = {1, 2, 3, 4}, three = 3;
  KilnModel *model = NULL;
  KilnTensor *input = borrow(x, 4), *tangent = NULL;
  KilnValue in = kilnTensorValue(input), out, gradient;
  ok(kilnModelOpen(path, NULL, &model));
  setWeight(model, "w", 1, 1, 1, 1);
  EXPECT(kilnModelCount(model, KILN_GRADIENTS) == 1);
  EXPECT(strcmp(kilnModelInfo(model, KILN_GRADIENTS, 0)->name, "w") == 0);
  ok(kilnModelRunTraining(model, &in, 1, NULL, &out, 1, &gradient, 1));
  EXPECT(*(float *)kilnTensorData(out.as.tensor) == 10);
  EXPECT(((float *)kilnTensorData(gradient.as.tensor))[3] == 4);
  kilnValuesDestroy(&out, 1);
  kilnValuesDestroy(&gradient, 1);
  ok(kilnTensorBorrow(&three, 4, KILN_DTYPE_F32, 0, NULL, NULL, NULL, NULL,
                      &tangent));
  KilnValue given = kilnTensorValue(tangent);
  ok(kilnModelRunTraining(model, &in, 1, &given, &out, 1, &gradient, 1));
  EXPECT(((float *)kilnTensorData(gradient.as.tensor))[3] == 12);
  kilnValuesDestroy(&out, 1);
  kilnValuesDestroy(&gradient, 1);
  given = kilnIntValue(1);
  fails(kilnModelRunTraining(model, &in, 1, &given, &out, 1, &gradient, 1),
        KILN_USAGE, "tangent 0");
  kilnTensorDestroy(tangent);
  kilnModelDestroy(model);
  kilnTensorDestroy(input);
  puts("gradients ok");
}

/*===----------------------------------------------------------------------===*\
|* threads: calls and changes of weights at once                              *|
\*===----------------------------------------------------------------------===*/

static KilnModel *shared;

static void *runMany(void *argument) {
  float first = (float)*(int *)argument;
  for (int round = 0; round < 300; ++round) {
    float x[4];
    for (int i = 0; i < 4; ++i)
      x[i] = first + (float)i;
    KilnTensor *input = borrow(x, 4);
    KilnValue in = kilnTensorValue(input), out;
    ok(kilnModelRun(shared, &in, 1, &out, 1));
    const float *y = kilnTensorData(out.as.tensor);
    /* One of the two sets of weights, and no mixture. */
    float factor = y[0] / x[0];
    EXPECT(factor == 1 || factor == 2);
    for (int i = 0; i < 4; ++i)
      EXPECT(y[i] == factor * x[i]);
    kilnValuesDestroy(&out, 1);
    kilnTensorDestroy(input);
  }
  return NULL;
}

static void threads(const char *path) {
  pthread_t runners[4];
  int firsts[4] = {1, 5, 9, 13};
  ok(kilnModelOpen(path, NULL, &shared));
  setWeight(shared, "b", 0, 0, 0, 0);
  setWeight(shared, "w", 1, 1, 1, 1);
  for (int i = 0; i < 4; ++i)
    EXPECT(pthread_create(&runners[i], NULL, runMany, &firsts[i]) == 0);
  for (int round = 0; round < 100; ++round) {
    float w = (float)(1 + round % 2);
    setWeight(shared, "w", w, w, w, w);
  }
  for (int i = 0; i < 4; ++i)
    EXPECT(pthread_join(runners[i], NULL) == 0);
  kilnModelDestroy(shared);
  puts("threads ok");
}

/*===----------------------------------------------------------------------===*\
|* device                                                                     *|
\*===----------------------------------------------------------------------===*/

/* r = 2 x + y on a GPU, whose driver the caller has seen to. */
static void device(const char *path) {
  enum { count = 1000 };
  static float x[count], y[count];
  KilnModel *model = NULL;
  KilnModelOptions options = kilnModelOptionsDefault();
  fails(kilnModelOpen(path, NULL, &model), KILN_UNSUPPORTED, "needs a GPU");
  options.device = "gpu";
  fails(kilnModelOpen(path, &options, &model), KILN_USAGE,
        "expected cpu or cuda[:N]");
  options.device = "cuda:7";
  fails(kilnModelOpen(path, &options, &model), KILN_USAGE,
        "there is no cuda:7");
  options.device = "cuda:0";
  options.graphs = 1;
  ok(kilnModelOpen(path, &options, &model));
  EXPECT(strncmp(kilnModelTarget(model), "sm_", 3) == 0);
  for (int i = 0; i < count; ++i) {
    x[i] = (float)i;
    y[i] = 1;
  }
  for (int call = 0; call < 4; ++call) {
    KilnValue in[2], out;
    KilnTensor *inputs[2] = {borrow(x, count), borrow(y, count)};
    in[0] = kilnTensorValue(inputs[0]);
    in[1] = kilnTensorValue(inputs[1]);
    x[10] = (float)call;
    ok(kilnModelRun(model, in, 2, &out, 1));
    const float *result = (const float *)kilnTensorData(out.as.tensor);
    EXPECT(result[10] == 2 * (float)call + 1 && result[999] == 1999);
    kilnValuesDestroy(&out, 1);
    kilnTensorDestroy(inputs[0]);
    kilnTensorDestroy(inputs[1]);
  }
  kilnModelDestroy(model);
  puts("device ok");
}

/* A weight that a model returns is a copy of the caller's own. */
static void returned(const char *path) {
  float x[4] = {1, 2, 3, 4};
  int64_t four = 4;
  KilnModel *model = NULL;
  KilnTensor *input = NULL;
  KilnValue in, out[2];
  ok(kilnModelOpen(path, NULL, &model));
  ok(kilnTensorBorrow(x, sizeof x, KILN_DTYPE_F32, 1, &four, NULL, NULL, NULL,
                      &input));
  in = kilnTensorValue(input);
  setWeight(model, "w", 1, 2, 3, 4);
  ok(kilnModelRun(model, &in, 1, out, 2));
  float *w = kilnTensorData(out[1].as.tensor);
  EXPECT(w[0] == 1 && w[3] == 4);
  memset(w, 0xff, 4 * sizeof *w);
  kilnValuesDestroy(out, 2);
  ok(kilnModelRun(model, &in, 1, out, 2));
  const float *y = kilnTensorData(out[0].as.tensor);
  EXPECT(y[0] == 1 && y[1] == 4 && y[2] == 9 && y[3] == 16);
  kilnValuesDestroy(out, 2);
  kilnTensorDestroy(input);
  kilnModelDestroy(model);
  printf("returned ok\n");
}

int main(int argc, char **argv) {
  const char *command = argc > 2 ? argv[1] : "";
  if (strcmp(command, "describe") == 0)
    describe(argv[2]);
  else if (strcmp(command, "linear") == 0)
    linear(argv[2]);
  else if (strcmp(command, "step") == 0 && argc == 4)
    step(argv[2], argv[3]);
  else if (strcmp(command, "gradients") == 0)
    gradients(argv[2]);
  else if (strcmp(command, "threads") == 0)
    threads(argv[2]);
  else if (strcmp(command, "returned") == 0)
    returned(argv[2]);
  else if (strcmp(command, "device") == 0)
    device(argv[2]);
  else
    return 2;
  return 0;
}

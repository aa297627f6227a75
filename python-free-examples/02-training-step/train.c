/* Trains a package that has its optimizer inside, with nothing but
 * libkiln-c-runtime.so. A checkpoint that is there is continued. */
#include "kiln-c/Runtime.h"
#include <stdio.h>
#include <stdlib.h>

static void must(KilnStatus *status) {
  if (!status)
    return;
  fprintf(stderr, "error: %s\n", kilnStatusText(status));
  kilnStatusDestroy(status);
  exit(1);
}

/* Numbers from -1 to 1, the same on every machine. */
static void draw(KilnTensor *tensor, uint32_t seed) {
  float *values = kilnTensorData(tensor);
  for (int64_t i = 0; i < kilnTensorElements(tensor); ++i) {
    seed = seed * 1664525u + 1013904223u;
    values[i] = (float)(seed >> 8) / 8388608.0f - 1.0f;
  }
}

/* A tensor of zeros for an input or a weight whose sizes are known. */
static KilnTensor *tensorFor(const KilnValueInfo *info) {
  KilnTensor *tensor = NULL;
  int64_t sizes[4];
  if (!info || info->dtype != KILN_DTYPE_F32 || info->rank > 4) {
    fprintf(stderr, "error: expected f32 of at most 4 dimensions\n");
    exit(1);
  }
  for (size_t i = 0; i < info->rank; ++i)
    sizes[i] = info->dimensions[i].size;
  must(kilnTensorCreate(info->dtype, info->rank, sizes, &tensor));
  return tensor;
}

static void drawWeights(KilnModel *model) {
  for (size_t i = 0; i < kilnModelCount(model, KILN_WEIGHTS); ++i) {
    const KilnValueInfo *info = kilnModelInfo(model, KILN_WEIGHTS, i);
    KilnTensor *weight = tensorFor(info);
    draw(weight, (uint32_t)i + 1);
    must(kilnModelSetWeight(model, info->name, weight)); /* copies it */
    kilnTensorDestroy(weight);
  }
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: train PACKAGE CHECKPOINT STEPS\n");
    return 2;
  }
  KilnModel *model = NULL;
  must(kilnModelOpen(argv[1], NULL, &model));
  FILE *checkpoint = fopen(argv[2], "rb");
  if (checkpoint) {
    fclose(checkpoint);
    must(kilnModelLoadCheckpoint(model, argv[2]));
  } else {
    drawWeights(model);
  }
  KilnTensor *points = tensorFor(kilnModelInfo(model, KILN_INPUTS, 0));
  KilnValue in = kilnTensorValue(points);
  for (long step = 0; step < atol(argv[3]); ++step) {
    double loss = 0;
    /* One of four batches; which one, the checkpoint knows, too. */
    draw(points, 100 + (uint32_t)kilnModelSteps(model) % 4);
    must(kilnModelStep(model, &in, 1, 1e-2, &loss));
    printf("%lu %g\n", (unsigned long)kilnModelSteps(model), loss);
  }
  must(kilnModelSaveCheckpoint(model, argv[2]));
  kilnTensorDestroy(points);
  kilnModelDestroy(model);
  return 0;
}

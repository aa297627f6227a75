/* y = softmax(x): runs a package with nothing but libkiln-c-runtime.so. */
#include "kiln-c/Runtime.h"
#include <stdio.h>

static int failed(KilnStatus *status) {
  if (!status)
    return 0;
  fprintf(stderr, "error: %s\n", kilnStatusText(status));
  kilnStatusDestroy(status);
  return 1;
}

int main(int argc, char **argv) {
  float x[4] = {1, 2, 3, 4};
  int64_t sizes[1] = {4};
  KilnModel *model = NULL;
  KilnTensor *input = NULL;
  if (argc != 2 || failed(kilnModelOpen(argv[1], NULL, &model)))
    return 1;
  if (failed(kilnTensorBorrow(x, sizeof x, KILN_DTYPE_F32, 1, sizes, NULL,
                              NULL, NULL, &input)))
    return 1;
  KilnValue in = kilnTensorValue(input), out;
  if (failed(kilnModelRun(model, &in, 1, &out, 1)))
    return 1;
  const float *y = kilnTensorData(out.as.tensor);
  for (int64_t i = 0; i < kilnTensorElements(out.as.tensor); ++i)
    printf("%g\n", y[i]);
  kilnValuesDestroy(&out, 1);
  kilnTensorDestroy(input);
  kilnModelDestroy(model);
  return 0;
}

// y = x * w + b by hand, through the header of its package; and sizes that vary.
#include "batch.h"
#include "linear.h"

#include <cstdio>
#include <cstring>

using namespace kiln::models;

static int expect(bool holds, const char *what) {
  if (!holds)
    std::fprintf(stderr, "expected %s\n", what);
  return holds ? 0 : 1;
}

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  int wrong = 0;
  linear::Model model(argv[1]);
  kiln::c::check(kilnModelLoadWeights(model.get(), argv[2]));
  float x[4] = {1, 2, 3, 4};
#ifdef OTHER_SIZE
  float five[5] = {};
  linear::Outputs none = model.run({five});
#endif
#ifdef OTHER_TYPE
  double doubles[4] = {};
  linear::Outputs none = model.run({doubles});
#endif
  linear::Outputs outputs = model.run({x});
  const float expected[4] = {12, 24, 27, 42};
  static_assert(std::is_same_v<decltype(outputs.y), kiln::c::Tensor<float, 4>>);
  wrong += expect(std::memcmp(outputs.y.data(), expected, 16) == 0, "y");

  // Three sequences, a number that is known here.
  batch::Model other(argv[3]);
  std::vector<float> sequences(3 * 4 * 64, 1.0f);
  batch::Outputs results =
      other.run({kiln::c::View<const float, kiln::c::kDynamic, 4, 64>(
          sequences.data(), 3)});
  wrong += expect(results.matmul_1.size(0) == 3 &&
                      results.matmul_1.count() == 3 * 4 * 64,
                  "3 results");
  wrong += expect(results.matmul_1[0] == results.matmul_1[4 * 64],
                  "equal results of equal sequences");

  // A package of something else is refused when it is opened.
  try {
    batch::Model mistaken(argv[1]);
    wrong += expect(false, "an error");
  } catch (const kiln::c::Error &error) {
    wrong += expect(error.code() == KILN_USAGE &&
                        std::strstr(error.what(), "other inputs"),
                    "an error about inputs");
  }
  try {
    linear::Model nowhere("/nowhere.kiln");
  } catch (const kiln::c::Error &error) {
    wrong += expect(error.code() == KILN_IO, "an error about the file");
  }
  std::puts(wrong == 0 ? "typed ok" : "typed wrong");
  return wrong;
}

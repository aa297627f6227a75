//===- kiln-c/Model.hpp - Typed models in C++ over kiln-c/Runtime.h -------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the headers of `kiln-compile --emit=header` are made with: element types,
// views of arrays and results whose static sizes are part of the type. C++17, all
// in this header; links libkiln-c-runtime.so. Errors are exceptions of `Error`.
//
//   namespace attention = kiln::models::attention;   // of attention.h
//   attention::Model model("attention.kiln");
//   float x[1][4][64] = {...};
//   attention::Outputs y = model.run({x});  // another shape does not compile
//   y.layer_norm.data()[0]
//
//===----------------------------------------------------------------------===//

#ifndef KILN_C_MODEL_HPP
#define KILN_C_MODEL_HPP

#include "kiln-c/Runtime.h"

#include <array>
#include <complex>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kiln::c {

/// A size that is known when the model is called.
inline constexpr int64_t kDynamic = -1;

/// An error with its code.
class Error : public std::runtime_error {
public:
  Error(KilnCode code, const std::string &text)
      : std::runtime_error(text), code_(code) {}
  KilnCode code() const { return code_; }

private:
  KilnCode code_;
};

/// Throws what a status says.
inline void check(KilnStatus *status) {
  if (!status)
    return;
  Error error(kilnStatusCode(status), kilnStatusText(status));
  kilnStatusDestroy(status);
  throw error;
}

/// An element type that C++ does not have, by its bits.
template <KilnDType DType, typename Raw> struct Bits { Raw bits; };
using F16 = Bits<KILN_DTYPE_F16, uint16_t>;
using BF16 = Bits<KILN_DTYPE_BF16, uint16_t>;

template <typename T> struct DTypeOf;
template <KilnDType D, typename Raw> struct DTypeOf<Bits<D, Raw>> {
  static constexpr KilnDType value = D;
};
#define KILN_C_DTYPE(Type, name)                                               \
  template <> struct DTypeOf<Type> {                                           \
    static constexpr KilnDType value = KILN_DTYPE_##name;                      \
  };
KILN_C_DTYPE(bool, BOOL)
KILN_C_DTYPE(uint8_t, U8)
KILN_C_DTYPE(int8_t, I8)
KILN_C_DTYPE(int16_t, I16)
KILN_C_DTYPE(int32_t, I32)
KILN_C_DTYPE(int64_t, I64)
KILN_C_DTYPE(uint16_t, U16)
KILN_C_DTYPE(uint32_t, U32)
KILN_C_DTYPE(uint64_t, U64)
KILN_C_DTYPE(float, F32)
KILN_C_DTYPE(double, F64)
KILN_C_DTYPE(std::complex<float>, C64)
KILN_C_DTYPE(std::complex<double>, C128)
#undef KILN_C_DTYPE

struct TensorDestroyer {
  void operator()(KilnTensor *tensor) const { kilnTensorDestroy(tensor); }
};
using TensorHandle = std::unique_ptr<KilnTensor, TensorDestroyer>;

/// A row-major input over memory of the caller, who keeps it until the results of
/// the call are gone. The program writes to it only if it changes that input.
template <typename T, int64_t... Sizes> class View {
  static constexpr size_t kRank = sizeof...(Sizes);
  static constexpr size_t kDynamicCount = (size_t(0) + ... + (Sizes < 0));
  static constexpr std::array<int64_t, kRank> kSizes = {Sizes...};

  /// Whether an array type has these sizes; one of rank 1 may be all elements.
  template <typename Array, size_t Dim = 0> static constexpr bool fits() {
    if constexpr (std::rank_v<Array> == 1 && Dim == 0 && kRank != 1)
      return int64_t(std::extent_v<Array>) == (int64_t(1) * ... * Sizes);
    else if constexpr (Dim == kRank)
      return std::rank_v<Array> == 0;
    else if constexpr (std::rank_v<Array> == 0)
      return false;
    else
      return int64_t(std::extent_v<Array>) == kSizes[Dim] &&
             fits<std::remove_extent_t<Array>, Dim + 1>();
  }

public:
  /// Of an array with the sizes of the program.
  template <typename Array, typename = std::enable_if_t<
                                std::is_array_v<std::remove_reference_t<Array>>>>
  View(Array &array) : data_(first(array)), sizes_(kSizes) {
    static_assert(kDynamicCount == 0,
                  "this input has sizes that vary: pass a pointer and them");
    static_assert(fits<std::remove_const_t<Array>>(),
                  "the array does not have the sizes of this input");
  }
  /// Of a pointer, and the sizes that vary, in order.
  template <typename... Ints>
  explicit View(T *data, Ints... sizes) : data_(data), sizes_(kSizes) {
    static_assert(sizeof...(Ints) == kDynamicCount,
                  "expected one number for each size that varies");
    std::array<int64_t, kDynamicCount + 1> given = {int64_t(sizes)..., 0};
    size_t next = 0;
    for (int64_t &size : sizes_)
      if (size < 0)
        size = given[next++];
  }

  TensorHandle borrow() const {
    using Element = std::remove_const_t<T>;
    size_t bytes = sizeof(Element);
    for (int64_t size : sizes_)
      bytes *= size_t(size < 0 ? 0 : size);
    KilnTensor *tensor = nullptr;
    check(kilnTensorBorrow(const_cast<Element *>(data_), bytes,
                           DTypeOf<Element>::value, kRank, sizes_.data(),
                           nullptr, nullptr, nullptr, &tensor));
    return TensorHandle(tensor);
  }

private:
  template <typename Array> static T *first(Array &array) {
    if constexpr (std::is_array_v<Array>)
      return first(array[0]);
    else
      return &array;
  }

  T *data_;
  std::array<int64_t, kRank> sizes_;
};

/// A result, row-major.
template <typename T, int64_t... Sizes> class Tensor {
public:
  explicit Tensor(TensorHandle handle) : handle_(std::move(handle)) {
    const int64_t *strides = kilnTensorStrides(handle_.get());
    const int64_t *sizes = kilnTensorSizes(handle_.get());
    int64_t expected = 1;
    bool isDense = true;
    for (size_t i = sizeof...(Sizes); i-- > 0;) {
      isDense &= sizes[i] < 2 || strides[i] == expected;
      expected *= sizes[i];
    }
    if (isDense)
      return;
    dense_.resize(size_t(count()) * sizeof(T));
    check(kilnTensorCopyTo(handle_.get(), dense_.data(), dense_.size()));
  }

  const T *data() const {
    return static_cast<const T *>(dense_.empty() ? kilnTensorData(handle_.get())
                                                 : dense_.data());
  }
  int64_t size(size_t dim) const { return kilnTensorSizes(handle_.get())[dim]; }
  int64_t count() const { return kilnTensorElements(handle_.get()); }
  const T &operator[](int64_t index) const { return data()[index]; }

private:
  TensorHandle handle_;
  std::vector<unsigned char> dense_; ///< of a result with gaps
};

/// What a header expects of a value of its package.
struct Expected {
  const char *name;
  KilnValueKind kind;
  KilnDType dtype;
  std::vector<int64_t> sizes;
};

/// An open package; what all typed models share.
class Package {
public:
  Package(const std::string &path, const KilnModelOptions *options,
          const std::vector<Expected> &inputs,
          const std::vector<Expected> &outputs) {
    KilnModel *model = nullptr;
    check(kilnModelOpen(path.c_str(), options, &model));
    model_.reset(model);
    compare(path, KILN_INPUTS, inputs);
    compare(path, KILN_OUTPUTS, outputs);
  }

  /// For what is not typed: weights, steps, checkpoints.
  KilnModel *get() const { return model_.get(); }

protected:
  /// Runs; the tensors of the results belong to the caller.
  void call(const KilnValue *inputs, size_t inputCount, KilnValue *outputs,
            size_t outputCount) {
    check(kilnModelRun(get(), inputs, inputCount, outputs, outputCount));
  }
  template <typename Result> static Result take(KilnValue &value) {
    TensorHandle handle(value.kind == KILN_VALUE_TENSOR ? value.as.tensor
                                                        : nullptr);
    value = KilnValue();
    if (!handle)
      throw Error(KILN_INTERNAL, "expected a tensor as result");
    return Result(std::move(handle));
  }
  static KilnValue none() { return KilnValue(); }
  static KilnValue real(double number) {
    KilnValue value;
    value.kind = KILN_VALUE_FLOAT;
    value.as.real = number;
    return value;
  }

  /// Destroys the results that nobody took.
  struct Results {
    KilnValue *values;
    size_t count;
    ~Results() { kilnValuesDestroy(values, count); }
  };

private:
  struct ModelDestroyer {
    void operator()(KilnModel *model) const { kilnModelDestroy(model); }
  };

  void compare(const std::string &path, KilnList list,
               const std::vector<Expected> &expected) {
    bool fits = kilnModelCount(get(), list) == expected.size();
    for (size_t i = 0; fits && i < expected.size(); ++i) {
      const KilnValueInfo *info = kilnModelInfo(get(), list, i);
      fits = expected[i].name == std::string(info->name) &&
             expected[i].kind == info->kind && expected[i].dtype == info->dtype &&
             expected[i].sizes.size() == info->rank;
      for (size_t d = 0; fits && d < info->rank; ++d)
        fits = expected[i].sizes[d] == info->dimensions[d].size;
    }
    if (!fits)
      throw Error(KILN_USAGE, "'" + path + "' has other " +
                                  (list == KILN_INPUTS ? "inputs" : "outputs") +
                                  " than the header was made for");
  }

  std::unique_ptr<KilnModel, ModelDestroyer> model_;
};

} // namespace kiln::c

#endif // KILN_C_MODEL_HPP

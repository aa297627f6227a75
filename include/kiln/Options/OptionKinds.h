//===- OptionKinds.h - What values an option may have ---------------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kind of option is a class without objects:
//
//   struct Fraction {
//     using Value = double;                             // the field's type
//     static std::optional<Value> parse(const std::string &text);
//     static std::string print(Value value);            // parse(print(v)) == v
//     static std::string expected();                    // "a number from 0 to 1"
//     static std::string shape();                       // "R", for --help
//   };
//
// The text is that of a flag and of the options record alike. Lists are texts
// with commas, which do not separate inside of brackets.
//
//===----------------------------------------------------------------------===//

#ifndef KILN_OPTIONS_OPTIONKINDS_H
#define KILN_OPTIONS_OPTIONKINDS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kiln::option {

/// "a,b[1,2],c" without empty parts; brackets, braces and parentheses keep
/// commas together.
std::vector<std::string> splitList(const std::string &text,
                                   char separator = ',');

/// `AotEager` and `inputGradients` as `aot_eager` and `input_gradients`.
std::string snakeCase(const std::string &name);

struct Switch {
  using Value = bool;
  static std::optional<bool> parse(const std::string &text);
  static std::string print(bool value) { return value ? "1" : "0"; }
  static std::string expected() { return "0 or 1"; }
  static std::string shape() { return ""; }
};

/// What another part of Kiln reads.
struct Text {
  using Value = std::string;
  static std::optional<std::string> parse(const std::string &text);
  static std::string print(const std::string &value) { return value; }
  static std::string expected() { return "a text"; }
  static std::string shape() { return "SPEC"; }
};

/// A folder, which need not exist. Standard output is none.
struct Folder : Text {
  static std::optional<std::string> parse(const std::string &text);
  static std::string expected() { return "a folder"; }
  static std::string shape() { return "DIR"; }
};

struct Number {
  using Value = double;
  static std::optional<double> parse(const std::string &text, double low,
                                     double high);
  static std::string print(double value);
};

struct Fraction : Number {
  static std::optional<double> parse(const std::string &text) {
    return Number::parse(text, 0, 1);
  }
  static std::string expected() { return "a number from 0 to 1"; }
  static std::string shape() { return "R"; }
};

struct Seconds : Number {
  static std::optional<double> parse(const std::string &text) {
    return Number::parse(text, 0, 1e6);
  }
  static std::string expected() { return "a number from 0 to 1000000"; }
  static std::string shape() { return "N"; }
};

struct Count {
  using Value = uint64_t;
  static constexpr uint64_t kMost = uint64_t(1) << 40;
  static std::optional<uint64_t> parse(const std::string &text,
                                       uint64_t low = 1);
  static std::string print(uint64_t value) { return std::to_string(value); }
  static std::string expected(uint64_t low = 1);
  static std::string shape() { return "N"; }
};

/// 0 leaves the number to Kiln.
struct Bytes : Count {
  static std::optional<uint64_t> parse(const std::string &text) {
    return Count::parse(text, 0);
  }
  static std::string expected() { return Count::expected(0); }
  static std::string shape() { return "BYTES"; }
};

/// 0 leaves the number to Kiln.
struct Mebibytes : Bytes {
  static std::string shape() { return "MIB"; }
};

struct Names {
  using Value = std::vector<std::string>;
  static std::optional<Value> parse(const std::string &text);
  static std::string print(const Value &value);
  static std::string expected() { return "names with commas between them"; }
  static std::string shape() { return "A,B"; }
};

/// Libraries of a GPU.
struct GPULibraries {
  struct Value {
    bool cublas = false, cudnn = false;
    bool isEmpty() const { return !cublas && !cudnn; }
    bool operator==(const Value &other) const {
      return cublas == other.cublas && cudnn == other.cudnn;
    }
  };
  static std::optional<Value> parse(const std::string &text);
  static std::string print(const Value &value);
  static std::string expected() {
    return "none, cublas, cudnn or cublas,cudnn";
  }
  static std::string shape() { return "none|cublas,cudnn"; }
};

/// Places in a pytree: `[0][0]`, `[1]['x']`.
struct Paths : Names {
  static std::string expected() { return "paths with commas between them"; }
};

/// Sizes of inputs: `x:0`, `y:-1[2..64]`. What an input is called only the model
/// knows.
struct SizeMarks : Names {
  static std::optional<Value> parse(const std::string &text);
  static std::string expected() {
    return "'input:dimension', several of them with commas";
  }
  static std::string shape() { return "x:0,..."; }
};

/// The words of an enumeration whose enumerators `enumeratorsOf` lists as they
/// stand in its declaration.
std::vector<std::string> wordsOf(const char *enumerators);
std::string joinWords(const std::vector<std::string> &words,
                      const char *separator, const char *last);

template <typename E> struct Choice {
  using Value = E;
  static const std::vector<std::string> &words() {
    static const std::vector<std::string> list = wordsOf(enumeratorsOf(E()));
    return list;
  }
  static std::optional<E> parse(const std::string &text) {
    for (size_t i = 0; i < words().size(); ++i)
      if (words()[i] == text)
        return static_cast<E>(i);
    return std::nullopt;
  }
  static const std::string &print(E value) {
    return words()[static_cast<size_t>(value)];
  }
  static std::string expected() { return joinWords(words(), ", ", " or "); }
  static std::string shape() { return joinWords(words(), "|", "|"); }
};

} // namespace kiln::option

#endif // KILN_OPTIONS_OPTIONKINDS_H

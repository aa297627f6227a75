//===- Package.h - A compiled program with its kernels and guards ---------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A `Package` is one compiled variant: one program, or a forward and a backward
// program, the guards under which it is valid, a flat kernel image, constants,
// and the reasons for what the compiler decided. Its bytes are the payload of a
// cache entry. A `.kiln` file may hold several, the same program for several
// processors, with the constants that they share once. Container format:
// kiln/ABI/PackageABI.h.
//
// Constants may be most of a file: a package that is read of bytes which somebody
// keeps alive, such as a mapped file, has them there and no copies.
//
//   auto reader = PackageReader::open(bytes);
//   for (const VariantInfo &variant : reader->variants())
//     ... variant.target, variant.requiredFeatures ...
//   auto package = reader->read(0);
//
//===----------------------------------------------------------------------===//

#ifndef KILN_PACKAGE_PACKAGE_H
#define KILN_PACKAGE_PACKAGE_H

#include "kiln/ABI/GuardABI.h"
#include "kiln/ABI/KernelABI.h"
#include "kiln/Base/Bytes.h"
#include "kiln/Package/Program.h"
#include "kiln/Package/Reason.h"

#include <functional>
#include <map>
#include <tuple>

namespace kiln::package {

/// One check of GuardABI.h. `program` symbols are those of the first program.
struct Guard {
  kiln_guard_kind kind = KILN_GUARD_KIND_TENSOR;
  uint32_t slot = 0;
  uint32_t dim = 0;
  int64_t value = 0;
  ExprId expr = kNone; ///< into the first program's expressions
  Constant constant;   ///< KILN_GUARD_SCALAR_VALUE
  std::string text;    ///< the source of the guard, "s77 >= 2", for messages
};

/// One kernel of the image.
struct Kernel {
  std::string name;
  uint64_t entry = 0; ///< byte offset in the image: of the code, or of the PTX
};

/// Of a processor: flat, position-independent native code, text and read-only data
/// laid out contiguously, relocations already applied; never an object file. Of a
/// GPU: texts of PTX with one entry each, which bears the kernel's name.
struct KernelImage {
  std::string target; ///< "x86-64-v4", "sm_90a"
  kiln_image_kind kind = KILN_IMAGE_NATIVE;
  uint32_t requiredFeatures = 0; ///< kiln_cpu_feature or kiln_gpu_feature bits
  std::vector<uint8_t> bytes;
  std::vector<Kernel> kernels;
};

/// A constant tensor stored in the package, row-major.
struct ConstantTensor {
  DType dtype = DType::F32;
  std::vector<int64_t> sizes;
  SharedBytes bytes; ///< with an owner; perhaps a part of a mapped file
};

/// Facts for `--stats`.
struct Facts {
  std::string backend; ///< "eager", "aot_eager", "inductor"
  /// The option of a training step that ends with an update: "adamw,beta2=0.95".
  std::string optimizer;
  uint64_t bytesRead = 0;     ///< planned traffic of all kernels, by hints
  uint64_t bytesWritten = 0;
  uint64_t bytesUnfused = 0;  ///< the same without fusion
  uint64_t savedForBackwardBytes = 0;
  uint64_t plannedPeakBytes = 0;
};

/// What tells constants apart: element type, sizes, bytes. Of bytes that stay.
using ConstantKey = std::tuple<DType, std::vector<int64_t>, std::string_view>;

ConstantKey keyOf(const ConstantTensor &constant);

struct Package {
  std::vector<Program> programs; ///< one, or forward then backward
  std::vector<Program> bodies;   ///< what control steps run
  std::vector<Guard> guards;
  KernelImage image;
  std::vector<ConstantTensor> constants; ///< no two are equal
  std::vector<Reason> reasons;
  Facts facts;
};

/// Adds constants to a package. Equal ones are there once: `add` gives the place
/// of the first.
class ConstantAdder {
public:
  /// With those that the package has already.
  explicit ConstantAdder(Package &package);
  uint32_t add(ConstantTensor constant);

private:
  Package &package_;
  std::map<ConstantKey, uint32_t> known_;
};

/// The bytes of a package; equal packages give equal bytes.
std::vector<uint8_t> encodePackage(const Package &package);

/// The bytes of variants that `verifyVariants` accepts.
std::vector<uint8_t> encodePackages(const std::vector<Package> &variants);

/// Reasons alone, for what is kept before there is a package.
std::vector<uint8_t> encodeReasons(const std::vector<Reason> &reasons);
/// Malformed for bytes that `encodeReasons` does not give.
Result<std::vector<Reason>> decodeReasons(ByteView bytes);

/// Reads the only variant of a package from untrusted bytes: header, section
/// table, checksum, then each section. Malformed names the section and the byte
/// offset; Usage error if there are several variants.
Result<Package> decodePackage(const uint8_t *data, size_t size);

/// What a package says of a variant before it is read.
struct VariantInfo {
  std::string target; ///< "x86-64-v4", "sm_90a"; empty without code
  kiln_image_kind kind = KILN_IMAGE_NATIVE;
  uint32_t requiredFeatures = 0; ///< kiln_cpu_feature or kiln_gpu_feature bits
  bool isTraining = false;       ///< has a backward program
};

/// Calls a function with each number below a count, perhaps on several threads.
using ForEach = std::function<void(size_t count,
                                   const std::function<void(size_t)> &call)>;

/// The variants of a package, of which a caller reads those that it needs.
class PackageReader {
public:
  /// Checks header, digest, section table and which constants each variant has.
  /// Malformed as for `decodePackage`. Everything but constants is copied before it
  /// is checked: nobody changes it behind that, even if `bytes` are a mapped file.
  static Result<PackageReader> open(SharedBytes bytes);
  /// The same for bytes that are borrowed: what is read has copies of constants.
  static Result<PackageReader> open(ByteView bytes) {
    return open(SharedBytes(bytes, nullptr));
  }

  const std::vector<VariantInfo> &variants() const { return variants_; }
  /// Decodes and verifies a variant, whose constants share the bytes' owner. Their
  /// sums are checked with `forEach`, one by one without.
  Result<Package> read(size_t variant, const ForEach &forEach = nullptr) const;
  /// All of them; Malformed also if they are not of one program.
  Result<std::vector<Package>> readAll() const;

private:
  /// A constant that was found, but not looked at.
  struct StoredConstant {
    DType dtype;
    std::vector<int64_t> sizes;
    uint64_t size = 0;
    uint32_t crc = 0;
    SharedBytes bytes;
  };

  Status readTable(uint64_t size);
  Status readConstants();
  Status placeConstants(const SharedBytes &bytes);
  Status readUses(size_t variant, size_t &used);
  Status readInfo(size_t variant);
  Status checkSums(size_t variant, const ForEach &forEach) const;
  ByteView section(size_t variant, uint32_t kind) const;

  SharedBytes head_; ///< all before DATA
  std::vector<ByteView> sections_; ///< of the head, in the order of the table
  std::vector<VariantInfo> variants_;
  std::vector<StoredConstant> constants_;
  std::vector<std::vector<uint32_t>> uses_; ///< by variant
};

} // namespace kiln::package

#endif // KILN_PACKAGE_PACKAGE_H

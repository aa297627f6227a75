//===- KernelCompilerTest.cpp - Targets, images and refusals --------------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompiledKernels.h"

#include "kiln/Target/CPU/KernelImage.h"

#include "llvm/BinaryFormat/ELF.h"

#include <cmath>
#include <random>

using namespace kiln;
using namespace kiln::target;

namespace {

std::string kernel(const std::string &body, const std::string &name = "k") {
  return "func.func @" + name +
         "(%p: !llvm.ptr, %s: !llvm.ptr, %begin: i64, %end: i64, "
         "%scratch: !llvm.ptr) {\n" +
         body + "\nreturn }\n";
}

/// What compiling `source` for `target` says when it fails, or "".
std::string errorOf(const std::string &source,
                    llvm::StringRef name = "x86-64-v3") {
  auto context = makeKernelContext();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(source, context.get());
  if (!module)
    return "cannot parse";
  auto target = CPUTarget::parse(name);
  auto compiler = KernelCompiler::create(*target);
  auto image = (*compiler)->compile(*module);
  return image ? "" : image.error().message;
}

bool contains(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

TEST(CPUTarget, KnowsItsNames) {
  auto level3 = CPUTarget::parse("x86-64-v3");
  ASSERT_TRUE(level3);
  EXPECT_EQ(level3->vectorLanes(32), 8u);
  EXPECT_FALSE(level3->hasFeature(KILN_CPU_AVX512));
  auto level4 = CPUTarget::parse("x86-64-v4");
  ASSERT_TRUE(level4);
  EXPECT_EQ(level4->vectorLanes(64), 8u);
  EXPECT_TRUE(level4->hasFeature(KILN_CPU_AVX512));
  EXPECT_NE(level3->fingerprint(), level4->fingerprint());
  auto other = CPUTarget::parse("pentagon");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, ErrorKind::Usage);
  EXPECT_EQ(other.error().message,
            "unknown processor \"pentagon\", expected native, x86-64-v3 or "
            "x86-64-v4, the last with any of +avx512bf16, +avx512vnni and "
            "+amx-bf16");
  // What exists elsewhere is not a mistake in the name.
  for (const char *name : {"sm_90a", "sm_75", "sm_100f", "gfx942", "znver4",
                           "x86-64-v2", "pentium", "neoverse-v2"})
    EXPECT_EQ(CPUTarget::parse(name).error().kind, ErrorKind::Unsupported)
        << name;
  for (const char *name : {"sm_", "sm_9", "sm_90b", "sm_a", "gfx", ""})
    EXPECT_EQ(CPUTarget::parse(name).error().kind, ErrorKind::Usage) << name;
}

TEST(CPUTarget, KnowsExtensions) {
  auto level4 = CPUTarget::parse("x86-64-v4");
  EXPECT_EQ(level4->bf16, BF16Unit::Fma);
  auto pairs = CPUTarget::parse("x86-64-v4+avx512bf16+avx512vnni");
  ASSERT_TRUE(pairs);
  EXPECT_EQ(pairs->name, "x86-64-v4+avx512bf16+avx512vnni");
  auto other = CPUTarget::parse("x86-64-v4+avx512vnni+avx512bf16");
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().message.find("is called \"" + pairs->name + "\""),
            std::string::npos);
  EXPECT_EQ(pairs->features, "+avx512bf16,+avx512vnni");
  EXPECT_EQ(pairs->bf16, BF16Unit::Pairs);
  auto tiles = CPUTarget::parse("x86-64-v4+amx-bf16");
  ASSERT_TRUE(tiles);
  EXPECT_EQ(tiles->bf16, BF16Unit::Tiles);
  EXPECT_EQ(tiles->featureBits, level4->featureBits | KILN_CPU_AMX);
  EXPECT_NE(tiles->fingerprint(), level4->fingerprint());
  for (const char *name : {"x86-64-v4+", "x86-64-v4+amx", "x86-64-v4+amx-bf16+",
                           "x86-64-v4+amx-bf16+amx-bf16", "x86-64-v3+amx-bf16"})
    EXPECT_EQ(CPUTarget::parse(name).error().kind, ErrorKind::Usage) << name;
  // The instructions of this machine have names.
  auto native = CPUTarget::parse("native");
  ASSERT_TRUE(native);
  EXPECT_EQ(native->bf16, getFastestUnit()) << "keys name another";
  if (native->hasFeature(KILN_CPU_AVX512))
    EXPECT_EQ(CPUTarget::parse(native->name)->featureBits, native->featureBits);
}

// Public functions are kernels, private ones are not; constants are reached
// from wherever the image lies.
TEST(KernelCompiler, MakesPositionIndependentImages) {
  std::string source = R"(
func.func private @twice(%x: vector<8xf32>) -> vector<8xf32> {
  %r = arith.addf %x, %x : vector<8xf32>
  return %r : vector<8xf32>
})" + kernel(R"(
  %o = llvm.load %p : !llvm.ptr -> !llvm.ptr
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]>
    : vector<8xf32>
  %r = func.call @twice(%c) : (vector<8xf32>) -> vector<8xf32>
  llvm.store %r, %o {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr)") +
                       kernel("", "nothing");
  for (const CPUTarget &target : runnableTargets()) {
    LoadedImage image = compileKernels(source, target);
    EXPECT_EQ(image.image.kernels.size(), 2u);
    EXPECT_EQ(image.image.requiredFeatures, target.featureBits);
    EXPECT_EQ(image.image.target, target.name);
    // Also after another image.
    package::KernelImage both = image.image;
    appendKernelImage(both, image.image);
    EXPECT_EQ(both.kernels.size(), 4u);
    package::KernelImage later = both;
    later.kernels.erase(later.kernels.begin(), later.kernels.begin() + 2);
    LoadedImage loaded(later);
    for (const LoadedImage *i : {&image, &loaded}) {
      kiln_cpu_kernel_t run = i->find("k");
      ASSERT_TRUE(run);
      float out[8] = {};
      void *ptr[] = {out};
      run(ptr, nullptr, 0, 1, nullptr);
      for (int j = 0; j < 8; ++j)
        EXPECT_EQ(out[j], 2.0f * (j + 1));
    }
  }
}

TEST(KernelCompiler, GivesTheSameBytesEachTime) {
  std::string source = kernel(R"(
  %o = llvm.load %p : !llvm.ptr -> !llvm.ptr
  %x = llvm.load %o {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
  %y = math.tanh %x : vector<16xf32>
  llvm.store %y, %o {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr)");
  auto target = CPUTarget::parse("x86-64-v4");
  LoadedImage first = compileKernels(source, *target);
  LoadedImage second = compileKernels(source, *target);
  EXPECT_EQ(first.image.bytes, second.image.bytes);
}

TEST(KernelCompiler, ReportsTimesAndText) {
  auto context = makeKernelContext();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      kernel("%o = llvm.load %p : !llvm.ptr -> !llvm.ptr\n"
             "llvm.store %begin, %o : i64, !llvm.ptr"),
      context.get());
  KernelCompileOptions options;
  options.keepAssembly = options.keepLLVMIR = true;
  KernelCompileReport report;
  LoadedImage image = compileKernels(*module, *CPUTarget::parse("x86-64-v3"),
                                     &report, options);
  EXPECT_TRUE(image.find("k") || image.image.kernels.size() == 1);
  EXPECT_TRUE(contains(report.llvmIR, "void @k("));
  EXPECT_TRUE(contains(report.assembly, "ret"));
  EXPECT_GT(report.times.codegen, 0.0);
}

TEST(KernelCompiler, RefusesWhatAnImageCannotContain) {
  // A call to a library, in the IR or by what LLVM makes of it.
  std::string call = errorOf("func.func private @memcpy(!llvm.ptr)\n" +
                             kernel("func.call @memcpy(%p) : (!llvm.ptr) -> "
                                    "()"));
  EXPECT_TRUE(contains(call, "expected a callee that the module defines"))
      << call;
  std::string copy = errorOf(
      kernel("\"llvm.intr.memcpy\"(%scratch, %p, %begin) <{isVolatile = false}> "
             ": (!llvm.ptr, !llvm.ptr, i64) -> ()"));
  EXPECT_TRUE(contains(copy, "refers to \"memcpy\"")) << copy;
  EXPECT_TRUE(contains(copy, "R_X86_64_")) << copy;
  // Writable data.
  std::string data =
      errorOf("llvm.mlir.global internal @counter(1 : i64) : i64\n" +
              kernel("%a = llvm.mlir.addressof @counter : !llvm.ptr\n"
                     "llvm.store %begin, %a : i64, !llvm.ptr"));
  EXPECT_TRUE(contains(data, "8 bytes of writable data")) << data;
  std::string zeros =
      errorOf("llvm.mlir.global internal @counter(0 : i64) : i64\n" +
              kernel("%a = llvm.mlir.addressof @counter : !llvm.ptr\n"
                     "llvm.store %begin, %a : i64, !llvm.ptr"));
  EXPECT_TRUE(contains(zeros, "in section \".bss")) << zeros;
  // Data of a thread.
  std::string thread = errorOf(
      "llvm.mlir.global internal thread_local @counter(1 : i64) : i64\n" +
      kernel("%a = llvm.mlir.addressof @counter : !llvm.ptr\n"
             "llvm.store %begin, %a : i64, !llvm.ptr"));
  EXPECT_TRUE(contains(thread, "thread-local data") ||
              contains(thread, "refers to"))
      << thread;
}

TEST(KernelCompiler, NamesAWrongSignature) {
  std::string error = errorOf("func.func @k(%x: i64) { return }");
  EXPECT_EQ(error, "kernel \"k\" has type void (i64), expected void (ptr, ptr, "
                   "i64, i64, ptr)");
}

TEST(KernelCompiler, PassesDiagnosticsOfPassesOn) {
  std::string error =
      errorOf(kernel("%m = \"memref.alloc\"() <{operandSegmentSizes = "
                     "array<i32: 0, 0>}> : () -> memref<4xf32>"));
  // memref is not a dialect of kernels, so this does not even parse.
  EXPECT_EQ(error, "cannot parse");
  std::string tensor = errorOf(
      kernel("%c = arith.constant dense<1.0> : tensor<4xf32>\n"
             "%d = arith.addf %c, %c : tensor<4xf32>"));
  EXPECT_TRUE(contains(tensor, "cannot lower kernel: ")) << tensor;
}

// Casts, arithmetic and math on every float type compile to code without
// library calls on every target.
TEST(KernelCompiler, NeedsNoLibraryForAnyTypeAndTarget) {
  const char *types[] = {"f16", "bf16", "f32", "f64"};
  const char *unary[] = {
      "arith.negf",  "math.absf",  "math.exp",   "math.exp2",  "math.expm1",
      "math.log",    "math.log1p", "math.log2",  "math.log10", "math.sin",
      "math.cos",    "math.tan",   "math.asin",  "math.acos",  "math.atan",
      "math.sinh",   "math.cosh",  "math.tanh",  "math.asinh", "math.acosh",
      "math.atanh",  "math.erf",   "math.erfc",  "math.sqrt",  "math.rsqrt",
      "math.cbrt",   "math.floor", "math.ceil",  "math.trunc", "math.round",
      "math.roundeven"};
  const char *binary[] = {"arith.addf",     "arith.subf",     "arith.mulf",
                          "arith.divf",     "arith.remf",     "arith.maximumf",
                          "arith.minimumf", "arith.maxnumf",  "arith.minnumf",
                          "math.powf",      "math.atan2",
                          "math.copysign"};
  for (const char *name : {"x86-64-v3", "x86-64-v4", "native"})
    for (std::string element : types)
      for (int lanes : {1, 5, 16}) {
        std::string type =
            lanes == 1 ? element
                       : "vector<" + std::to_string(lanes) + "x" + element +
                             ">";
        std::string body = "%o = llvm.load %p : !llvm.ptr -> !llvm.ptr\n"
                           "%x0 = llvm.load %o {alignment = 2 : i64} : "
                           "!llvm.ptr -> " +
                           type + "\n";
        int n = 0;
        auto next = [&](const std::string &op, const std::string &rest) {
          body += "%x" + std::to_string(n + 1) + " = " + op + " %x" +
                  std::to_string(n) + rest + " : " + type + "\n";
          ++n;
        };
        for (const char *op : unary)
          next(op, "");
        for (const char *op : binary)
          next(op, ", %x0");
        body += "llvm.store %x" + std::to_string(n) +
                ", %o {alignment = 2 : i64} : " + type + ", !llvm.ptr\n";
        EXPECT_EQ(errorOf(kernel(body), name), "") << name << " " << type;
      }
}

TEST(KernelCompiler, NeedsNoLibraryForCasts) {
  const char *floats[] = {"f16", "bf16", "f32", "f64"};
  const char *ints[] = {"i8", "i16", "i32", "i64"};
  auto width = [](std::string type) {
    return std::stoi(type.substr(type.find_first_of("0123456789")));
  };
  for (const char *name : {"x86-64-v3", "x86-64-v4", "native"})
    for (int lanes : {1, 8, 16}) {
      std::string body = "%o = llvm.load %p : !llvm.ptr -> !llvm.ptr\n";
      int n = 0;
      auto cast = [&](const char *op, std::string from, std::string to) {
        std::string in = from, out = to;
        if (lanes > 1) {
          in = "vector<" + std::to_string(lanes) + "x" + from + ">";
          out = "vector<" + std::to_string(lanes) + "x" + to + ">";
        }
        std::string i = std::to_string(n++);
        body += "%a" + i + " = llvm.load %o {alignment = 1 : i64} : !llvm.ptr "
                "-> " + in + "\n%b" + i + " = " + op + " %a" + i + " : " + in +
                " to " + out + "\nllvm.store %b" + i +
                ", %o {alignment = 1 : i64} : " + out + ", !llvm.ptr\n";
      };
      for (std::string f : floats) {
        for (std::string g : floats) {
          if (width(f) < width(g))
            cast("arith.extf", f, g);
          if (width(f) > width(g))
            cast("arith.truncf", f, g);
        }
        for (std::string i : ints) {
          cast("arith.fptosi", f, i);
          cast("arith.fptoui", f, i);
          cast("arith.sitofp", i, f);
          cast("arith.uitofp", i, f);
        }
      }
      EXPECT_EQ(errorOf(kernel(body), name), "") << name << " x " << lanes;
    }
}

// f32 to bf16 rounds to nearest even, keeps denormals, and keeps NaN NaN.
TEST(KernelCompiler, RoundsToBFloat16Exactly) {
  std::string source = kernel(R"(
  %x = llvm.load %p : !llvm.ptr -> !llvm.ptr
  %yp = llvm.getelementptr %p[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %y = llvm.load %yp : !llvm.ptr -> !llvm.ptr
  %v = llvm.load %x {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
  %r = arith.truncf %v : vector<8xf32> to vector<8xbf16>
  llvm.store %r, %y {alignment = 2 : i64} : vector<8xbf16>, !llvm.ptr)");
  for (const CPUTarget &target : runnableTargets()) {
    LoadedImage image = compileKernels(source, target);
    kiln_cpu_kernel_t run = image.find("k");
    ASSERT_TRUE(run);
    uint32_t in[8] = {0x3f800000, 0x3f808000, 0x3f818000, 0x3f808001,
                      0x00018000, 0x7f800000, 0x7f800001, 0x7f7fffff};
    uint16_t out[8], expected[8] = {0x3f80, 0x3f80, 0x3f82, 0x3f81,
                                    0x0002, 0x7f80, 0,      0x7f80};
    void *ptr[] = {in, out};
    run(ptr, nullptr, 0, 1, nullptr);
    for (int i = 0; i < 8; ++i) {
      if (i == 6)
        EXPECT_GT(out[i] & 0x7fff, 0x7f80) << "NaN became a number";
      else
        EXPECT_EQ(out[i], expected[i]) << i << " for " << target.name;
    }
  }
}

TEST(KernelImage, RefusesWhatIsNotAnObject) {
  for (std::string bytes :
       {std::string(), std::string("\x7f" "ELF"), std::string(64, 'x'),
        std::string(4096, '\0')}) {
    auto image = linkKernelImage(bytes);
    ASSERT_FALSE(image);
    EXPECT_EQ(image.error().kind, ErrorKind::Malformed);
  }
}

/// A small hand-made object: .text with one relocation, symbols, names.
std::string makeObject(uint32_t relocationType, uint64_t offset,
                       uint32_t symbol) {
  using namespace llvm::ELF;
  std::string file(sizeof(Elf64_Ehdr), '\0');
  auto append = [&](const void *data, size_t size) {
    file.resize((file.size() + 7) / 8 * 8);
    size_t at = file.size();
    file.append(static_cast<const char *>(data), size);
    return at;
  };
  std::string text = "\xe8" + std::string(4, '\0') + "\xc3";
  size_t textAt = append(text.data(), text.size());
  std::string names("\0k\0away\0", 8);
  size_t namesAt = append(names.data(), names.size());
  Elf64_Sym symbols[3] = {};
  symbols[1].st_name = 1;
  symbols[1].setBindingAndType(STB_GLOBAL, STT_FUNC);
  symbols[1].st_shndx = 1;
  symbols[2].st_name = 3;
  symbols[2].setBindingAndType(STB_GLOBAL, STT_NOTYPE);
  size_t symbolsAt = append(symbols, sizeof(symbols));
  Elf64_Rela rela = {};
  rela.r_offset = offset;
  rela.setSymbolAndType(symbol, relocationType);
  rela.r_addend = -4;
  size_t relaAt = append(&rela, sizeof(rela));
  std::string sectionNames("\0.text\0", 7);
  size_t sectionNamesAt = append(sectionNames.data(), sectionNames.size());
  Elf64_Shdr sections[6] = {};
  auto set = [&](int i, uint32_t type, uint64_t flags, size_t at, size_t size,
                 uint32_t link, uint32_t info, uint64_t entry) {
    sections[i].sh_type = type;
    sections[i].sh_flags = flags;
    sections[i].sh_offset = at;
    sections[i].sh_size = size;
    sections[i].sh_link = link;
    sections[i].sh_info = info;
    sections[i].sh_entsize = entry;
    sections[i].sh_addralign = 1;
  };
  set(1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, textAt, text.size(), 0, 0, 0);
  sections[1].sh_name = 1;
  set(2, SHT_RELA, 0, relaAt, sizeof(rela), 3, 1, sizeof(rela));
  set(3, SHT_SYMTAB, 0, symbolsAt, sizeof(symbols), 4, 1, sizeof(Elf64_Sym));
  set(4, SHT_STRTAB, 0, namesAt, names.size(), 0, 0, 0);
  set(5, SHT_STRTAB, 0, sectionNamesAt, sectionNames.size(), 0, 0, 0);
  size_t sectionsAt = append(sections, sizeof(sections));
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ElfMagic, 4);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = EM_X86_64;
  header.e_shoff = sectionsAt;
  header.e_ehsize = sizeof(header);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 6;
  header.e_shstrndx = 5;
  std::memcpy(file.data(), &header, sizeof(header));
  return file;
}

TEST(KernelImage, AppliesAndRefusesRelocations) {
  using namespace llvm::ELF;
  // The call is to the kernel itself: -5 from the end of the instruction.
  auto image = linkKernelImage(makeObject(R_X86_64_PLT32, 1, 1));
  ASSERT_TRUE(image) << image.error().message;
  ASSERT_EQ(image->kernels.size(), 1u);
  EXPECT_EQ(image->kernels[0].name, "k");
  int32_t distance;
  std::memcpy(&distance, &image->bytes[1], 4);
  EXPECT_EQ(distance, -5);

  auto undefined = linkKernelImage(makeObject(R_X86_64_PC32, 1, 2));
  ASSERT_FALSE(undefined);
  EXPECT_EQ(undefined.error().message,
            "kernel refers to \"away\", which an image cannot contain "
            "(R_X86_64_PC32 at .text+0x1)");
  auto absolute = linkKernelImage(makeObject(R_X86_64_64, 1, 1));
  ASSERT_FALSE(absolute);
  EXPECT_EQ(absolute.error().message,
            "kernel needs relocation R_X86_64_64 at .text+0x1 to \"k\", "
            "expected R_X86_64_PC32 or R_X86_64_PLT32");
  auto outside = linkKernelImage(makeObject(R_X86_64_PC32, 3, 1));
  ASSERT_FALSE(outside);
  EXPECT_EQ(outside.error().kind, ErrorKind::Malformed);
  auto symbol = linkKernelImage(makeObject(R_X86_64_PC32, 1, 9));
  ASSERT_FALSE(symbol);
  EXPECT_EQ(symbol.error().kind, ErrorKind::Malformed);
}

// Damaged objects are refused or linked, but never read out of bounds.
TEST(KernelImage, SurvivesDamage) {
  std::string good = makeObject(llvm::ELF::R_X86_64_PLT32, 1, 1);
  for (size_t size = 0; size < good.size(); ++size) {
    auto image = linkKernelImage(good.substr(0, size));
    EXPECT_FALSE(image);
  }
  std::mt19937 random(1);
  size_t linked = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = good;
    for (unsigned i = 0; i <= random() % 3; ++i)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    auto image = linkKernelImage(damaged);
    if (!image) {
      EXPECT_FALSE(image.error().message.empty());
      continue;
    }
    ++linked;
    for (const package::Kernel &k : image->kernels)
      EXPECT_LT(k.entry, image->bytes.size());
  }
  EXPECT_GT(linked, 0u);
}

} // namespace

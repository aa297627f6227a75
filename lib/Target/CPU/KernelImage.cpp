//===- KernelImage.cpp - From an ELF object to a flat kernel image --------===//
//
// Part of the Kiln project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kiln/Target/CPU/KernelImage.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace kiln;
using namespace kiln::target;
using namespace llvm::object;
using llvm::StringRef;

namespace {

using ELF = ELF64LE;
constexpr uint64_t kNotPlaced = ~uint64_t(0);
/// No kernel image is nearly as large; keeps all distances within 32 bits.
constexpr uint64_t kMaxImageBytes = uint64_t(1) << 30;

class Linker {
public:
  explicit Linker(const ELFFile<ELF> &file) : file(file) {}

  Result<package::KernelImage> run();

private:
  Status readTables();
  Status checkSection(size_t index);
  Status placeSections(bool executable);
  Status relocate(const ELF::Shdr &table);
  Status applyRelocation(const ELF::Rela &rela, size_t section);
  Status collectKernels();

  std::string describe(const ELF::Rela &rela, size_t section);
  StringRef sectionName(size_t index);
  StringRef symbolName(const ELF::Sym &symbol);

  const ELFFile<ELF> &file;
  ELF::ShdrRange sections;
  ELF::SymRange symbols;
  StringRef symbolNames;
  size_t symbolTable = 0;
  /// Where each section starts in the image, or kNotPlaced.
  std::vector<uint64_t> placement;
  package::KernelImage image;
};

} // namespace

static Error malformed(llvm::Error error) {
  return Error::malformed("kernel object: " +
                          llvm::toString(std::move(error)));
}

static std::string hex(uint64_t value) {
  return "0x" + llvm::utohexstr(value, /*LowerCase=*/true);
}

StringRef Linker::sectionName(size_t index) {
  llvm::Expected<StringRef> name = file.getSectionName(sections[index]);
  if (name)
    return *name;
  llvm::consumeError(name.takeError());
  return "?";
}

StringRef Linker::symbolName(const ELF::Sym &symbol) {
  llvm::Expected<StringRef> name = symbol.getName(symbolNames);
  if (name)
    return *name;
  llvm::consumeError(name.takeError());
  return "?";
}

Status Linker::readTables() {
  llvm::Expected<ELF::ShdrRange> range = file.sections();
  if (!range)
    return malformed(range.takeError());
  sections = *range;
  placement.assign(sections.size(), kNotPlaced);
  for (size_t i = 0; i < sections.size(); ++i) {
    if (sections[i].sh_type != llvm::ELF::SHT_SYMTAB)
      continue;
    if (symbolTable)
      return Error::malformed("kernel object: found two symbol tables, "
                              "expected one");
    symbolTable = i;
    llvm::Expected<ELF::SymRange> syms = file.symbols(&sections[i]);
    if (!syms)
      return malformed(syms.takeError());
    symbols = *syms;
    llvm::Expected<StringRef> names = file.getStringTableForSymtab(sections[i]);
    if (!names)
      return malformed(names.takeError());
    symbolNames = *names;
  }
  if (!symbolTable)
    return Error::malformed("kernel object: found no symbol table");
  return Status::success();
}

/// Refuses sections whose contents would have to be writable or per thread.
Status Linker::checkSection(size_t index) {
  const ELF::Shdr &section = sections[index];
  if (!(section.sh_flags & llvm::ELF::SHF_ALLOC) || section.sh_size == 0)
    return Status::success();
  auto refuse = [&](const char *what) -> Status {
    return Error::internal("kernel has " + std::to_string(section.sh_size) +
                           " bytes of " + what + " in section \"" +
                           sectionName(index).str() +
                           "\", expected text and read-only data only");
  };
  if (section.sh_flags & llvm::ELF::SHF_TLS)
    return refuse("thread-local data");
  if (section.sh_flags & llvm::ELF::SHF_WRITE)
    return refuse("writable data");
  if (section.sh_type == llvm::ELF::SHT_NOBITS)
    return refuse("zero-initialised data");
  return Status::success();
}

/// Copies the text sections, or the read-only data, to the end of the image.
Status Linker::placeSections(bool executable) {
  for (size_t i = 0; i < sections.size(); ++i) {
    const ELF::Shdr &section = sections[i];
    bool isText = section.sh_flags & llvm::ELF::SHF_EXECINSTR;
    if (!(section.sh_flags & llvm::ELF::SHF_ALLOC) ||
        section.sh_type != llvm::ELF::SHT_PROGBITS || isText != executable ||
        section.sh_size == 0 || sectionName(i) == ".eh_frame")
      continue;
    uint64_t align = std::max<uint64_t>(section.sh_addralign, 1);
    if (!llvm::isPowerOf2_64(align) || align > kImageAlignment)
      return Error::malformed("kernel object: section \"" +
                              sectionName(i).str() + "\" has alignment " +
                              std::to_string(align) +
                              ", expected a power of two up to " +
                              std::to_string(kImageAlignment));
    llvm::Expected<llvm::ArrayRef<uint8_t>> contents =
        file.getSectionContents(section);
    if (!contents)
      return malformed(contents.takeError());
    uint64_t start = llvm::alignTo(image.bytes.size(), align);
    if (contents->size() > kMaxImageBytes - start)
      return Error::malformed("kernel object: more than 1 GiB of sections");
    // The gap before a section is never executed; int3 makes sure.
    image.bytes.resize(start, executable ? 0xcc : 0);
    placement[i] = start;
    image.bytes.insert(image.bytes.end(), contents->begin(), contents->end());
  }
  return Status::success();
}

std::string Linker::describe(const ELF::Rela &rela, size_t section) {
  return file.getRelocationTypeName(rela.getType(false)).str() + " at " +
         sectionName(section).str() + "+" + hex(rela.r_offset);
}

Status Linker::applyRelocation(const ELF::Rela &rela, size_t section) {
  uint32_t type = rela.getType(false);
  uint32_t symbolIndex = rela.getSymbol(false);
  if (symbolIndex >= symbols.size())
    return Error::malformed("kernel object: relocation " +
                            describe(rela, section) + " names symbol " +
                            std::to_string(symbolIndex) + " of " +
                            std::to_string(symbols.size()));
  const ELF::Sym &symbol = symbols[symbolIndex];
  uint32_t home = symbol.st_shndx;
  std::string name = symbolName(symbol).str();
  if (symbol.getType() == llvm::ELF::STT_SECTION && home < sections.size())
    name = sectionName(home).str();

  if (home == llvm::ELF::SHN_UNDEF)
    return Error::internal("kernel refers to \"" + name +
                           "\", which an image cannot contain (" +
                           describe(rela, section) + ")");
  if (type != llvm::ELF::R_X86_64_PC32 && type != llvm::ELF::R_X86_64_PLT32)
    return Error::internal("kernel needs relocation " +
                           describe(rela, section) + " to \"" + name +
                           "\", expected R_X86_64_PC32 or R_X86_64_PLT32");
  if (home >= sections.size() || placement[home] == kNotPlaced)
    return Error::internal("kernel refers to \"" + name +
                           "\", which is neither text nor read-only data (" +
                           describe(rela, section) + ")");
  if (symbol.st_value > sections[home].sh_size)
    return Error::malformed("kernel object: symbol \"" + name +
                            "\" lies outside its section");
  uint64_t size = sections[section].sh_size;
  if (size < 4 || rela.r_offset > size - 4)
    return Error::malformed("kernel object: relocation " +
                            describe(rela, section) +
                            " lies outside its section");

  uint64_t place = placement[section] + rela.r_offset;
  int64_t target = static_cast<int64_t>(placement[home] + symbol.st_value);
  int64_t addend = rela.r_addend;
  if (!llvm::isInt<32>(addend))
    return Error::malformed("kernel object: relocation " +
                            describe(rela, section) + " has addend " +
                            std::to_string(addend));
  int64_t distance = target + addend - static_cast<int64_t>(place);
  if (!llvm::isInt<32>(distance))
    return Error::malformed("kernel object: relocation " +
                            describe(rela, section) +
                            " reaches beyond 2 GiB");
  llvm::support::endian::write32le(&image.bytes[place],
                                   static_cast<uint32_t>(distance));
  return Status::success();
}

Status Linker::relocate(const ELF::Shdr &table) {
  size_t section = table.sh_info;
  if (section >= sections.size())
    return Error::malformed("kernel object: relocations for section " +
                            std::to_string(section) + " of " +
                            std::to_string(sections.size()));
  // Debug information and unwind tables are not part of an image.
  if (placement[section] == kNotPlaced)
    return Status::success();
  if (table.sh_type == llvm::ELF::SHT_REL)
    return Error::malformed("kernel object: found SHT_REL relocations, "
                            "expected SHT_RELA");
  if (table.sh_link != symbolTable)
    return Error::malformed("kernel object: relocations use symbol table " +
                            std::to_string(table.sh_link) + ", expected " +
                            std::to_string(symbolTable));
  llvm::Expected<ELF::RelaRange> relas = file.relas(table);
  if (!relas)
    return malformed(relas.takeError());
  for (const ELF::Rela &rela : *relas)
    if (Status status = applyRelocation(rela, section); !status)
      return status;
  return Status::success();
}

Status Linker::collectKernels() {
  for (const ELF::Sym &symbol : symbols) {
    if (symbol.getBinding() != llvm::ELF::STB_GLOBAL)
      continue;
    uint32_t home = symbol.st_shndx;
    // Undefined symbols that nothing refers to are harmless declarations.
    if (home == llvm::ELF::SHN_UNDEF)
      continue;
    std::string name = symbolName(symbol).str();
    if (symbol.getType() != llvm::ELF::STT_FUNC || home >= sections.size() ||
        placement[home] == kNotPlaced)
      return Error::internal("kernel exports \"" + name +
                             "\", which is not a function");
    if (symbol.st_value >= sections[home].sh_size)
      return Error::malformed("kernel object: symbol \"" + name +
                              "\" lies outside its section");
    image.kernels.push_back({name, placement[home] + symbol.st_value});
  }
  std::sort(image.kernels.begin(), image.kernels.end(),
            [](const package::Kernel &a, const package::Kernel &b) {
              return std::tie(a.entry, a.name) < std::tie(b.entry, b.name);
            });
  return Status::success();
}

Result<package::KernelImage> Linker::run() {
  if (Status status = readTables(); !status)
    return status.takeError();
  for (size_t i = 0; i < sections.size(); ++i)
    if (Status status = checkSection(i); !status)
      return status.takeError();
  for (bool executable : {true, false})
    if (Status status = placeSections(executable); !status)
      return status.takeError();
  for (const ELF::Shdr &section : sections) {
    if (section.sh_type != llvm::ELF::SHT_RELA &&
        section.sh_type != llvm::ELF::SHT_REL)
      continue;
    if (Status status = relocate(section); !status)
      return status.takeError();
  }
  if (Status status = collectKernels(); !status)
    return status.takeError();
  return std::move(image);
}

Result<package::KernelImage> target::linkKernelImage(StringRef object) {
  llvm::Expected<ELFFile<ELF>> file = ELFFile<ELF>::create(object);
  if (!file)
    return malformed(file.takeError());
  const ELF::Ehdr &header = file->getHeader();
  if (!object.starts_with(llvm::ELF::ElfMagic) ||
      header.getFileClass() != llvm::ELF::ELFCLASS64 ||
      header.getDataEncoding() != llvm::ELF::ELFDATA2LSB ||
      header.e_machine != llvm::ELF::EM_X86_64 ||
      header.e_type != llvm::ELF::ET_REL)
    return Error::malformed(
        "kernel object: expected a relocatable x86-64 ELF file");
  return Linker(*file).run();
}

void target::appendKernelImage(package::KernelImage &image,
                               const package::KernelImage &from) {
  uint64_t start = llvm::alignTo(image.bytes.size(), kImageAlignment);
  image.bytes.resize(start, 0xcc);
  image.bytes.insert(image.bytes.end(), from.bytes.begin(), from.bytes.end());
  for (const package::Kernel &kernel : from.kernels)
    image.kernels.push_back({kernel.name, kernel.entry + start});
  if (image.target.empty())
    image.target = from.target;
  image.requiredFeatures |= from.requiredFeatures;
}

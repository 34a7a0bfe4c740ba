#include "jit/elf.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include <msda/error.hpp>

namespace msda {
namespace {

/// A minimal ELF64 image: header, data section "xy" with "DATA", strings, one symbol "x" for
/// `size` bytes of the data from byte 1 on.
std::vector<std::byte> image(Elf64_Xword size = 2) {
  struct Parts {
    Elf64_Ehdr header{};
    char data[8] = "DATA";
    char strings[8] = {0, 'x', 0, 'x', 'y', 0};
    Elf64_Sym symbols[2]{};
    Elf64_Shdr sections[4]{};
  } parts;
  std::memcpy(parts.header.e_ident, ELFMAG, SELFMAG);
  parts.header.e_ident[EI_CLASS] = ELFCLASS64;
  parts.header.e_shoff = offsetof(Parts, sections);
  parts.header.e_shnum = 4;
  parts.header.e_shstrndx = 2;
  parts.sections[1] = {3, SHT_PROGBITS, 0, 0, offsetof(Parts, data), 4, 0, 0, 1, 0};
  parts.sections[2] = {0, SHT_STRTAB, 0, 0, offsetof(Parts, strings), 8, 0, 0, 1, 0};
  parts.sections[3] = {
      0, SHT_SYMTAB,       0, 0, offsetof(Parts, symbols), sizeof parts.symbols, 2, 0,
      8, sizeof(Elf64_Sym)};
  parts.symbols[1].st_name = 1;
  parts.symbols[1].st_shndx = 1;
  parts.symbols[1].st_value = 1;
  parts.symbols[1].st_size = size;
  const auto* bytes = reinterpret_cast<const std::byte*>(&parts);
  return {bytes, bytes + sizeof parts};
}

TEST(Elf, ReadsTheBytesOfASymbol) {
  const auto bytes = elf_symbol_bytes(image(), "x");
  ASSERT_EQ(bytes.size(), 2U);
  EXPECT_EQ(static_cast<char>(bytes[0]), 'A');
  EXPECT_EQ(static_cast<char>(bytes[1]), 'T');
}

TEST(Elf, ReadsTheBytesOfASection) {
  const auto bytes = elf_section_bytes(image(), "xy");
  ASSERT_EQ(bytes.size(), 4U);
  EXPECT_EQ(static_cast<char>(bytes[0]), 'D');
  EXPECT_TRUE(elf_section_bytes(image(), "x").empty());
}

TEST(Elf, RefusesAnUnknownSymbol) { EXPECT_THROW(elf_symbol_bytes(image(), "xy"), Error); }

TEST(Elf, RefusesEveryTruncation) {
  const auto whole = image();
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    const std::vector<std::byte> part(whole.begin(),
                                      whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_THROW(elf_symbol_bytes(part, "x"), Error) << size;
  }
}

TEST(Elf, RefusesOtherFiles) {
  const std::string text(200, 'z');
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  EXPECT_THROW(elf_symbol_bytes({bytes, text.size()}, "x"), Error);
}

TEST(Elf, RefusesASymbolBeyondItsSection) {
  EXPECT_EQ(elf_symbol_bytes(image(3), "x").size(), 3U);
  EXPECT_THROW(elf_symbol_bytes(image(4), "x"), Error);
  EXPECT_THROW(elf_symbol_bytes(image(~Elf64_Xword{0}), "x"), Error);
}

}  // namespace
}  // namespace msda

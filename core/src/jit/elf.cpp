#include "jit/elf.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>

#include <msda/error.hpp>

namespace msda {
namespace {

/// Copies a T out of the image; the image comes from a cache file, so every range is checked.
template <class T>
T read_at(std::span<const std::byte> image, std::size_t offset) {
  if (offset > image.size() || image.size() - offset < sizeof(T)) {
    throw Error(
        fmt::format("ELF image of {} bytes ends inside a header at {}", image.size(), offset));
  }
  T value;
  std::memcpy(&value, image.data() + offset, sizeof(T));
  return value;
}

std::span<const std::byte> section_bytes(std::span<const std::byte> image,
                                         const Elf64_Shdr& section) {
  if (section.sh_offset > image.size() || image.size() - section.sh_offset < section.sh_size) {
    throw Error("ELF section lies beyond the end of the image");
  }
  return image.subspan(section.sh_offset, section.sh_size);
}

bool names(std::span<const std::byte> strings, std::size_t at, std::string_view name) {
  if (at >= strings.size() || strings.size() - at <= name.size()) return false;
  const auto* text = reinterpret_cast<const char*>(strings.data()) + at;
  return std::string_view(text, name.size()) == name && text[name.size()] == '\0';
}

Elf64_Ehdr read_header(std::span<const std::byte> image) {
  const auto header = read_at<Elf64_Ehdr>(image, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) {
    throw Error("not an ELF64 image");
  }
  return header;
}

}  // namespace

std::vector<std::byte> elf_symbol_bytes(std::span<const std::byte> image, std::string_view name) {
  const Elf64_Ehdr header = read_header(image);
  const auto section_at = [&](std::size_t index) {
    return read_at<Elf64_Shdr>(image, header.e_shoff + index * sizeof(Elf64_Shdr));
  };
  for (std::size_t s = 0; s < header.e_shnum; ++s) {
    const Elf64_Shdr table = section_at(s);
    if (table.sh_type != SHT_SYMTAB) continue;
    const auto strings = section_bytes(image, section_at(table.sh_link));
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = read_at<Elf64_Sym>(image, table.sh_offset + at);
      if (!names(strings, symbol.st_name, name)) continue;
      const auto data = section_bytes(image, section_at(symbol.st_shndx));
      if (symbol.st_value > data.size() || data.size() - symbol.st_value < symbol.st_size) {
        throw Error(fmt::format("symbol {} lies beyond its section", name));
      }
      const auto bytes = data.subspan(symbol.st_value, symbol.st_size);
      return {bytes.begin(), bytes.end()};
    }
  }
  throw Error(fmt::format("no symbol {} in the module", name));
}

std::vector<std::byte> elf_section_bytes(std::span<const std::byte> image, std::string_view name) {
  const Elf64_Ehdr header = read_header(image);
  const auto section_at = [&](std::size_t index) {
    return read_at<Elf64_Shdr>(image, header.e_shoff + index * sizeof(Elf64_Shdr));
  };
  if (header.e_shnum == 0) return {};
  const auto strings = section_bytes(image, section_at(header.e_shstrndx));
  for (std::size_t s = 0; s < header.e_shnum; ++s) {
    const Elf64_Shdr section = section_at(s);
    if (section.sh_type != SHT_PROGBITS || !names(strings, section.sh_name, name)) continue;
    const auto bytes = section_bytes(image, section);
    return {bytes.begin(), bytes.end()};
  }
  return {};
}

}  // namespace msda

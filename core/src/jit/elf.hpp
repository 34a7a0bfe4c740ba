// Reading constants and code out of a compiled GPU module, on machines with and without a GPU.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace msda {

/// The initial bytes of data symbol `name` in an ELF64 little-endian image such as a cubin. Throws
/// Error when the image is malformed or has no such symbol.
std::vector<std::byte> elf_symbol_bytes(std::span<const std::byte> image, std::string_view name);

/// The bytes of a section of instructions or data, ".text.NAME" say; empty where there is none.
/// Throws Error when the image is malformed.
std::vector<std::byte> elf_section_bytes(std::span<const std::byte> image, std::string_view name);

}  // namespace msda

// Files out: whoever opens one sees the old content or the new one, never a part.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <string_view>

#include "files/bytes.hpp"

namespace msda {

/// Whether a file must be there after a power cut. What can be made again, and is checked when it
/// is read, need not.
enum class Durable { kYes, kNo };

/// Throws EnvironmentError that says what to do where a directory, a device, a pipe or a link
/// stands: a file that is renamed to its name would replace it.
void require_file_place(const std::filesystem::path& file);

/// Writes the parts one after the other to a temporary file beside `file`, then renames it. Throws
/// EnvironmentError that names the file, as require_file_place() does; nothing is left behind then.
void write_atomically(const std::filesystem::path& file, std::initializer_list<ByteSpan> parts,
                      Durable durable = Durable::kYes);
void write_atomically(const std::filesystem::path& file, std::string_view text,
                      Durable durable = Durable::kYes);

/// Makes a directory and those that it lies in, where they are not there. Throws EnvironmentError
/// that names it.
void ensure_directory(const std::filesystem::path& directory);

/// Throws EnvironmentError that names the directory where nothing can be written in it, or where it
/// cannot be made: before the work whose results go there. Nothing is left behind.
void require_directory_place(const std::filesystem::path& directory);

/// A name for what is made beside `target` and then renamed to it: no other process or thread makes
/// the same. It ends in kTemporarySuffix.
std::filesystem::path temporary_beside(const std::filesystem::path& target);
inline constexpr std::string_view kTemporarySuffix = ".tmp";

}  // namespace msda

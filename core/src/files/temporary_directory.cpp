#include "files/temporary_directory.hpp"

#include <cstdlib>
#include <string>
#include <system_error>

#include "files/open_file.hpp"
#include "files/write.hpp"

namespace msda {

TemporaryDirectory::TemporaryDirectory(const std::filesystem::path& parent) {
  std::string pattern = (parent / "msda-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw system_error("make a directory in", parent);
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path TemporaryDirectory::write(std::string_view name,
                                                std::string_view text) const {
  std::filesystem::path file = path_ / name;
  write_atomically(file, text, Durable::kNo);
  return file;
}

}  // namespace msda

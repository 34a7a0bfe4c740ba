#include "device/simt/symbols.hpp"
#include "process/command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>
#include <string_view>
#include <vector>

namespace msda::simt {
namespace {

constexpr std::size_t kFrames = 4;
/// Bodies of intrinsics, which say nothing of the kernel that calls them.
constexpr std::string_view kBodies = "msda/simt/host/";

std::string shorten(const Image& image, std::string_view file) {
  const std::string folder = image.file.parent_path().string() + "/";
  if (file.starts_with(folder)) file.remove_prefix(folder.size());
  return std::string(file);
}

/// addr2line's lines for an offset into the image; none where it is missing.
std::vector<std::string> lines_of(const Image& image, std::uintptr_t offset) {
  try {
    std::istringstream output(execute_command({"addr2line", "-i", "-e", image.file.string(),
                                               fmt::format("{:#x}", offset)})
                                  .output);
    std::vector<std::string> lines;
    for (std::string line; std::getline(output, line);) lines.push_back(line);
    return lines;
  } catch (const EnvironmentError&) {
    return {};
  }
}

}  // namespace

std::string place(const Image& image, host::Where where) {
  return where.file == nullptr ? "?" : fmt::format("{}:{}", shorten(image, where.file), where.line);
}

std::string place(const Image& image, const void* pc) {
  // A return address is behind its call.
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(pc) - image.begin - 1;
  std::vector<std::string> places;
  std::vector<std::string> bodies;
  for (const std::string& line : lines_of(image, offset)) {
    if (line.starts_with("??") || places.size() == kFrames) break;
    const std::string where = shorten(image, line.substr(0, line.find(" (")));
    std::vector<std::string>& among = where.starts_with(kBodies) ? bodies : places;
    if (among.empty() || among.back() != where) among.push_back(where);
  }
  if (places.empty()) places = bodies;  // of a function that was not inlined
  if (places.empty()) return fmt::format("{}+{:#x}", image.file.filename().string(), offset);
  return fmt::format("{}", fmt::join(places, ", in "));
}

}  // namespace msda::simt

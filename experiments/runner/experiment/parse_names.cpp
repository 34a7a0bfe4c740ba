#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/dll/runtime_symbol_info.hpp>

#include "characters.hpp"
#include "device/simt/device.hpp"
#include "runner/experiment/parse.hpp"

namespace msda {

std::string parse_device(std::string_view id) {
  constexpr std::string_view kCuda = "cuda:";
  const bool numbered = id.starts_with(kCuda) && id.size() > kCuda.size() &&
                        std::all_of(id.begin() + kCuda.size(), id.end(),
                                    [](unsigned char c) { return std::isdigit(c); });
  if (id == "auto" || id == "cpu" || numbered || parse_simt(id)) return std::string(id);
  throw UsageError(
      fmt::format("no device '{}'{}: give auto, cpu, cuda:N (N from 0) or simt[:SEED[:races]]",
                  shortened(id), suggestion(id, {"auto", "cpu", "cuda:0", "simt"})));
}

std::string parse_label(const YamlNode& node) {
  std::string label = node.as_text();
  const bool plain = label.find_first_of("/ ") == std::string::npos && !has_hidden(label);
  // Names are parts of paths, in which "." and ".." lead elsewhere.
  if (label.empty() || label.size() > kLongestLabel || !plain || label.front() == '.') {
    node.fail(
        fmt::format("{} is '{}'; a name has 1 to {} bytes, no '/', no space, no control "
                    "character and none that hides or orders text anew, and does not begin with "
                    "'.'",
                    node.name(), shortened(label), kLongestLabel));
  }
  return label;
}

std::vector<std::filesystem::path> experiments_directories() {
  // The build tree has the install tree's layout, with a link to the sources' experiments.
  const std::filesystem::path prefix =
      boost::dll::program_location().parent_path().parent_path().string();
  return {prefix / "share" / "msda" / "experiments"};
}

std::optional<std::filesystem::path> shipped_experiment(const std::filesystem::path& name) {
  for (const std::filesystem::path& directory : experiments_directories()) {
    std::error_code error;
    if (std::filesystem::is_regular_file(directory / name, error)) return directory / name;
  }
  return std::nullopt;
}

}  // namespace msda

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/dll/runtime_symbol_info.hpp>

#include "device/simt/device.hpp"
#include "runner/spec/parse.hpp"

namespace msda {
namespace {

/// The value whose name_of() is `name`; throws UsageError that lists them all.
template <class Value, std::size_t count>
Value parse_name(std::string_view what, std::string_view name,
                 const std::array<Value, count>& values) {
  std::vector<std::string> names;
  for (const Value value : values) {
    if (name_of(value) == name) return value;
    names.emplace_back(name_of(value));
  }
  throw UsageError(fmt::format("no {} '{}'{}: there are {}", what, name, suggestion(name, names),
                               fmt::join(names, ", ")));
}

}  // namespace

DType parse_dtype(std::string_view name) {
  return parse_name("type", name, std::array{DType::kFloat32, DType::kFloat16, DType::kBFloat16});
}

std::string_view name_of(ValueLayout layout) {
  return layout == ValueLayout::kPlain ? "plain" : "zero-border";
}

ValueLayout parse_layout(std::string_view name) {
  return parse_name("layout", name, std::array{ValueLayout::kPlain, ValueLayout::kZeroBorder});
}

std::string parse_device(std::string_view id) {
  constexpr std::string_view kCuda = "cuda:";
  const bool numbered = id.starts_with(kCuda) && id.size() > kCuda.size() &&
                        std::all_of(id.begin() + kCuda.size(), id.end(),
                                    [](unsigned char c) { return std::isdigit(c); });
  if (id == "auto" || id == "cpu" || numbered || parse_simt(id)) return std::string(id);
  throw UsageError(
      fmt::format("no device '{}'{}: give auto, cpu, cuda:N (N from 0) or simt[:SEED[:races]]", id,
                  suggestion(id, {"auto", "cpu", "cuda:0", "simt"})));
}

std::string parse_label(const YamlNode& node) {
  std::string label = node.as_text();
  const bool plain = std::none_of(label.begin(), label.end(), [](unsigned char c) {
    return c == '/' || std::isspace(c) || std::iscntrl(c);
  });
  // Names are parts of paths, in which "." and ".." lead elsewhere.
  if (label.empty() || !plain || label.front() == '.') {
    node.fail(
        fmt::format("{} is '{}'; a name has at least one character, no '/' and no space, and "
                    "does not begin with '.'",
                    node.name(), label));
  }
  return label;
}

std::vector<std::filesystem::path> experiments_directories() {
  // The build tree has the install tree's layout, with a link to the sources' experiments.
  const std::filesystem::path prefix =
      boost::dll::program_location().parent_path().parent_path().string();
  return {prefix / "share" / "msda" / "experiments"};
}

}  // namespace msda

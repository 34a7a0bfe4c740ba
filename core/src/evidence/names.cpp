#include "evidence/names.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include <msda/error.hpp>

#include "compose/skeleton.hpp"
#include "device/simt/recorder.hpp"
#include "plugin/registry.hpp"

namespace msda {
namespace {

/// Of all operators.
std::vector<std::string> tensor_names() {
  std::set<std::string> names;
  for (const Operator* op : operators()) {
    for (const TensorSpec& spec : op->tensors()) names.emplace(spec.name);
  }
  return {names.begin(), names.end()};
}

const std::vector<std::string>& known_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names = simt::Recorder::names(tensor_names(), slot_names());
    names.emplace_back(kDevices);
    std::sort(names.begin(), names.end());
    return names;
  }();
  return kNames;
}

}  // namespace

void check_counted(const std::string& name) {
  constexpr std::string_view kSass = "sass.";
  if (name.starts_with(kSass) && name.size() > kSass.size()) return;  // any opcode
  std::string plain = name;
  for (const std::string_view pass : {"prepass.", "postpass."}) {
    if (name.starts_with(pass)) plain = name.substr(pass.size());
  }
  const auto& known = known_names();
  if (std::binary_search(known.begin(), known.end(), plain)) return;
  throw UsageError(
      fmt::format("nothing is counted under the name '{}'{}", name, suggestion(plain, known)));
}

}  // namespace msda

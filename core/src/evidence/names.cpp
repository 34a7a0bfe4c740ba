#include "evidence/names.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include <msda/error.hpp>

#include "compose/skeleton.hpp"
#include "device/simt/recorder.hpp"
#include "plugin/registry.hpp"

namespace msda {
namespace {

const std::vector<std::string>& known_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names = simt::Recorder::names(slot_names());
    names.emplace_back(kDevices);
    std::sort(names.begin(), names.end());
    return names;
  }();
  return kNames;
}

}  // namespace

void check_counted(const std::string& name) {
  constexpr std::string_view kPrepass = "prepass.";
  constexpr std::string_view kSass = "sass.";
  if (name.starts_with(kSass) && name.size() > kSass.size()) return;  // any opcode
  const std::string plain = name.starts_with(kPrepass) ? name.substr(kPrepass.size()) : name;
  const auto& known = known_names();
  if (std::binary_search(known.begin(), known.end(), plain)) return;
  throw UsageError(
      fmt::format("nothing is counted under the name '{}'{}", name, suggestion(plain, known)));
}

}  // namespace msda

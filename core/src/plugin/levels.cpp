#include "plugin/levels.hpp"

#include <array>

namespace msda {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"fixed", "given", "stored"};

class Levels final : public Variant {
 public:
  Levels()
      : Variant({.name = kLevelsVariant,
                 .summary = "where the code has the level sizes from",
                 .parameters = {ParameterSpec::one_of<std::string>(
                     kSizesParameter,
                     "fixed: constants, code for one pyramid; given: arguments of the kernel; "
                     "stored: a tensor in device memory",
                     std::string(kNames.front()), {kNames.begin(), kNames.end()})}}) {}
};

}  // namespace

std::string_view name_of(LevelForm form) { return kNames.at(static_cast<std::size_t>(form)); }

LevelForm level_form(const Parameters& parameters) {
  const auto& name = parameters.get<std::string>(kSizesParameter);
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<LevelForm>(i);
  }
  throw Error("level sizes are fixed, given or stored, not '" + name + "'");
}

std::shared_ptr<const Variant> make_levels_variant() { return std::make_shared<Levels>(); }

}  // namespace msda

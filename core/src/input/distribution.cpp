#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <utility>

#include <msda/error.hpp>

#include "input/input.hpp"
#include "nearest.hpp"

namespace msda {
namespace {

constexpr std::array<std::pair<Distribution, std::string_view>, 7> kNames = {{
    {Distribution::kUniform, "uniform"},
    {Distribution::kLocal, "local"},
    {Distribution::kDirectional, "directional"},
    {Distribution::kClustered, "clustered"},
    {Distribution::kOutside, "outside"},
    {Distribution::kBorder, "border"},
    {Distribution::kSame, "same"},
}};

}  // namespace

std::string_view name_of(Distribution distribution) {
  for (const auto& [value, name] : kNames) {
    if (value == distribution) return name;
  }
  return "?";
}

Distribution parse_distribution(std::string_view name) {
  std::vector<std::string> names;
  for (const auto& [value, known] : kNames) {
    if (known == name) return value;
    names.emplace_back(known);
  }
  throw UsageError(fmt::format("no distribution '{}'{}: there are {}", name,
                               suggestion(name, names), fmt::join(names, ", ")));
}

}  // namespace msda

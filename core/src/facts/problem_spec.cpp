#include "facts/problem_spec.hpp"

namespace msda {

std::string_view name_of(Distribution distribution) {
  switch (distribution) {
    case Distribution::kUniform: return "uniform";
    case Distribution::kLocal: return "local";
    case Distribution::kDirectional: return "directional";
    case Distribution::kClustered: return "clustered";
    case Distribution::kOutside: return "outside";
    case Distribution::kBorder: return "border";
    case Distribution::kSame: return "same";
  }
  return "?";
}

Distribution parse_distribution(std::string_view name) { return value_named<Distribution>(name); }

}  // namespace msda

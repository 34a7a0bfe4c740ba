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

bool is_like(const ProblemSpec& a, const ProblemSpec& b) {
  if (a.op != b.op || a.problem != b.problem || a.directory.has_value() != b.directory.has_value())
    return false;
  Generation of_a = a.generation;
  of_a.seed = b.generation.seed;
  return a.directory.has_value() || of_a == b.generation;
}

}  // namespace msda

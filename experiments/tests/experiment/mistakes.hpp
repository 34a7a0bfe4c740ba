// Mistakes in experiment files, by the part of the file in which they are.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace msda::test {

struct Mistake {
  const char* name;
  std::string yaml;
  const char* place;  ///< "line:column"
  std::vector<const char*> says;
};

inline std::ostream& operator<<(std::ostream& stream, const Mistake& mistake) {
  return stream << mistake.name;
}

/// A file whose problems are right, followed by `lines`.
inline std::string with(const std::string& lines) {
  return "problems: [{name: p, queries: 3, levels: [[4, 4]]}]\n" + lines;
}

/// In problems, presets, sweeps and inputs.
std::vector<Mistake> problem_mistakes();
/// In arms, recipes and ablations.
std::vector<Mistake> arm_mistakes();
/// In what says where and how arms are measured and profiled.
std::vector<Mistake> measure_mistakes();
std::vector<Mistake> claim_mistakes();

}  // namespace msda::test

// An arm as requests, records of runs and reports have it: a name, and the variants that it names.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <msda/parameter.hpp>

namespace msda {

/// One variant as asked for: its name and the parameters given.
struct Use {
  std::string variant;
  std::map<std::string, ParameterValue> parameters;
  friend bool operator==(const Use&, const Use&) = default;
};

struct ArmEntry {
  std::string name;
  std::vector<Use> uses;
  std::string composition;              ///< Composition::describe()
  std::string refused{};                ///< why it cannot run in a group, known without asking it
  std::vector<std::string> evidence{};  ///< conditions of its recipe and of claims about it
};

}  // namespace msda

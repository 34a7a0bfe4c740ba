// Whether an arm was seen to do what its optimizations are about (docs/evidence.md).
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "names.hpp"

namespace msda {

/// What the threads of a kernel were counted to do, by name; what is not there is 0. Names that
/// begin with "sass." count instructions.
using Numbers = std::map<std::string, double>;

struct Evidence {
  enum class Status {
    kShown,      ///< all of it
    kVacuous,    ///< an optimization has nothing to do, or what it declares did not show
    kUnchecked,  ///< see `reason`
  };
  Status status = Status::kUnchecked;
  std::vector<std::string> missing;  ///< of a vacuous arm: "warp-shuffle: ...", one for each thing
  std::string reason;                ///< why it is not checked
  Numbers numbers;                   ///< all that was counted
};

/// "shown", "vacuous", "unchecked"
constexpr std::string_view name_of(Evidence::Status status) {
  switch (status) {
    case Evidence::Status::kShown: return "shown";
    case Evidence::Status::kVacuous: return "vacuous";
    case Evidence::Status::kUnchecked: return "unchecked";
  }
  return "?";
}

template <>
struct Named<Evidence::Status> {
  using S = Evidence::Status;
  static constexpr const char* kWhat = "status of evidence";
  static constexpr std::array kValues = {S::kShown, S::kVacuous, S::kUnchecked};
};

}  // namespace msda

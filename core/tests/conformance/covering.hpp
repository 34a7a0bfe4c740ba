// A covering array of strength 2: compositions among which every two settings occur together that a
// composition can hold, on a problem that it runs (Cohen et al., The AETG system, IEEE TSE 23(7),
// 1997).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "conformance/conformance.hpp"

namespace msda {

/// A composition and the number of one of awkward_problems() that it can run.
struct Covering {
  Composition composition;
  std::size_t problem;
};

/// A setting is an optimization with one value of one of its parameters: each choice, both values
/// of a flag, and of a range its default and an odd number. The same list on every machine.
const std::vector<Covering>& covering_array();

/// Pairs of settings that covering_array() has, and those that cannot be together on any of
/// awkward_problems(), because the parts do not combine or refuse it.
struct CoveredPairs {
  std::size_t covered = 0;
  std::size_t impossible = 0;
};
CoveredPairs covered_pairs();

}  // namespace msda

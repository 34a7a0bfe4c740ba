// Compositions of several optimizations: all pairs, and seeded random ones.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "conformance/conformance.hpp"

namespace msda {

/// The optimizations of `forward` that others can stand beside, by slot.
std::map<std::string, std::vector<const Plugin*>> combinable_by_slot();
/// Each choice, both values of a flag; of a range the default and an odd number; else the default.
std::vector<ParameterValue> tested_values(const ParameterSpec& spec);

/// Every two optimizations that a composition can hold together, with default parameters.
std::vector<Composition> all_pairs();

/// Every optimization alone with every value but the default of each choice and flag.
std::vector<Composition> other_choices();

/// Every optimization that has parameters with a range, with an odd number for each of them.
std::vector<Composition> odd_numbers();

/// `count` compositions: each slot keeps its default or takes one of its optimizations, with
/// parameters drawn from their declared choices and ranges. The same seed gives the same
/// compositions.
std::vector<Composition> random_compositions(int count, std::uint64_t seed);

/// Compiles the composition of each pair for the problem where it supports that on `device`, in
/// parallel, into the cache. Reports what does not compile as test failures.
void compile_pairs(const std::vector<std::pair<const Composition*, const Problem*>>& pairs,
                   const DeviceInfo& device);
/// Each composition for each problem.
void compile_all(const std::vector<Composition>& compositions, const std::vector<Problem>& problems,
                 const DeviceInfo& device);

}  // namespace msda

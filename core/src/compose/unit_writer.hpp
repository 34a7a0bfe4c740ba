// Composition + Problem -> translation unit.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <msda/launch.cuh>

#include "compose/composition.hpp"
#include "compose/unit.hpp"

namespace msda {

/// A pass that a slot's policy may have; the launch plan says whether it does.
struct PassKernel {
  Pass when;
  int slot;
  std::string expression;  ///< name expression
  std::string name;  ///< the optimization that fills the slot, or else the slot: "spatial-order"
};

/// What a composed unit offers the host: names to look up in the compiled module.
struct ComposedUnit {
  Unit unit;
  std::string main_kernel;  ///< name expression
  /// Of given level sizes, by resident levels; main_kernel is the one for the problem as soon as
  /// the unit is compiled (choose_kernel).
  std::vector<std::string> sized_kernels;
  std::vector<PassKernel> passes;           ///< in the order of a launch
  std::map<int, std::string> filled_slots;  ///< numbers, with the names of what fills them
  std::vector<std::string> slots;           ///< the skeleton's, by number
  std::string constant_plan;                ///< expression of the launch plan, for host code in C++
};

/// Writes includes, the problem's constants, one struct of constants for each part's parameters,
/// and the composition: a struct that names the filled slots and is itself named after them and
/// their parameters, as profilers show it. Batch and queries stay run-time
/// arguments, so one unit serves all of them. `space` is the namespace of what is written. Throws
/// UsageError for a string parameter without declared choices.
ComposedUnit write_unit(const Composition& composition, const Problem& problem,
                        const std::string& space = "unit");

/// The framework's own device headers, as embedded in the program.
const std::vector<UnitHeader>& device_headers();

}  // namespace msda

// The tensors of one problem in host memory, with what is right for them, kept from one timing mode
// to the next.
#pragma once

#include <string>
#include <vector>

#include "measure/group_inputs.hpp"
#include "runner/experiment/experiment.hpp"

namespace msda {

class InputSets {
 public:
  /// `count` sets: generated ones differ in their seeds, which also change with `process`; tensors
  /// that are read are the same in every set. Only the last problem asked for is kept.
  const std::vector<InputSet>& get(const ProblemSpec& spec, int count, int process);

 private:
  std::string key_;
  std::vector<InputSet> sets_;
};

}  // namespace msda

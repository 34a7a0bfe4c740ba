// The tensors of one problem in host memory, with their references, kept from one timing mode to
// the next.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runner/spec/experiment.hpp"

namespace msda {

struct InputSet {
  std::shared_ptr<const Input> input;
  std::string hash;  ///< content_hash()
  /// [B, Q, H, C] in float64.
  std::shared_ptr<const std::vector<double>> reference;
};

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

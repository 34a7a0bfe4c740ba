// The input sets that the arms of a group share: on the device, and what is right for each.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "measure/device_input.hpp"
#include "operators/linear.hpp"
#include "reference/truth.hpp"

namespace msda {

/// One input set in host memory.
struct InputSet {
  std::shared_ptr<const Input> input;
  std::string hash;  ///< content_hash()
  const Operator* op = nullptr;
  std::shared_ptr<const std::vector<Truth>> truths;  ///< of the operator's outputs
};

class GroupInputs {
 public:
  /// Places all sets on the device. Throws EnvironmentError when they do not fit.
  GroupInputs(Device& device, std::vector<InputSet> sets);

  std::size_t size() const { return sets_.size(); }
  const Problem& problem() const { return sets_.front().input->problem; }
  const InputSet& set(std::size_t i) const { return sets_.at(i); }
  DeviceInput& on_device(std::size_t i) { return on_device_.at(i); }
  /// The set that launch `launch` of a series gets: one after the other.
  std::size_t set_of_launch(int launch) const {
    return static_cast<std::size_t>(launch) % sets_.size();
  }
  const Tensors& tensors_of_launch(int launch) const {
    return on_device_[set_of_launch(launch)].tensors();
  }
  /// Whether input or derived tensor `tensor` lies there for all sets, and what it holds.
  bool have(std::size_t tensor) const;
  const Bytes& content(std::size_t set, std::size_t tensor) const;
  /// The name of an input that was written to since it was placed or mended, "" when there is none.
  /// Mends all.
  std::string mend(Device& device);
  /// What a composition of this operator must write for a set: one Truth for each output.
  const std::vector<Truth>& truths(const Operator& op, std::size_t set);
  /// Of a query of a set; `linear` is `op`.
  const std::vector<QueryShare>& shares(const Operator& op, const LinearOperator& linear,
                                        std::size_t set, std::size_t query);

 private:
  std::vector<InputSet> sets_;
  std::vector<DeviceInput> on_device_;
  /// Of other operators on the same tensors, by set.
  std::map<std::pair<const Operator*, std::size_t>, std::vector<Truth>> others_;
  /// By operator and set: of any query, and of those that somebody asked for.
  struct Shares {
    SharesOfQuery of;
    std::map<std::size_t, std::vector<QueryShare>> known;
  };
  std::map<std::pair<const Operator*, std::size_t>, Shares> shares_;
};

}  // namespace msda

// Headers and a unit as one text that includes nothing of ours.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compose/unit.hpp"

namespace msda {

class Flattener {
 public:
  /// The text without its includes of `headers`, behind those of them that no earlier call has
  /// had, in an order that compiles: each after those that it includes. Headers for the device simt
  /// stay includes: they are behind MSDA_SIMT_HOST, which nothing but that device defines.
  std::string flat(const std::string& text, const std::vector<UnitHeader>& headers);

  /// What the texts include of others, each once: "cuda_fp16.h".
  const std::set<std::string>& outside() const { return outside_; }

 private:
  std::string included(const std::string& path, const std::vector<UnitHeader>& headers);

  std::set<std::string> seen_;
  std::set<std::string> outside_;
};

}  // namespace msda

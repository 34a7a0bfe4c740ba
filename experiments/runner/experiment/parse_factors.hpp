// The factors of an ablation: what each of their levels changes, and how the rest of the map names
// them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "runner/experiment/ablation_points.hpp"
#include "runner/experiment/yaml_node.hpp"

namespace msda {

/// {name: levels, ...}; a factor changes something of the base. Throws UsageError with the place.
std::vector<FactorSpec> parse_factors(const YamlNode& node, const std::vector<Use>& base,
                                      const Registry& registry);

/// Finds factors by their names. The members throw UsageError with the place and the nearest name.
class FactorNames {
 public:
  explicit FactorNames(const std::vector<FactorSpec>& factors) : factors_(factors) {}

  std::size_t find(const YamlNode& node) const { return find(node, node.as_text()); }
  std::size_t find_key(const YamlMap::Entry& entry) const;
  /// One factor or a list of them.
  std::vector<std::size_t> find_all(const YamlNode& node) const;
  /// The level in {factor: level}.
  int find_level(const YamlMap::Entry& entry) const;
  /// A factor's name for the level that counts as on, or {factor: level}.
  void set_level(const YamlNode& node, Levels& levels) const;

 private:
  std::size_t find(const YamlNode& node, const std::string& name) const;

  const std::vector<FactorSpec>& factors_;
};

}  // namespace msda

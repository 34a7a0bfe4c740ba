// Which outputs of an operator a problem asks for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "operators/operator.hpp"
#include "runner/experiment/form.hpp"

namespace msda {

/// What an experiment may say: names of outputs of any operator, as a list or in one text.
Shape output_names();

/// Problem::unasked for the outputs that the node names: a list of at least one, or "one,other".
/// Throws UsageError with the place and the nearest name for one that the operator has not.
std::uint32_t parse_outputs(const YamlNode& node, const Operator& op);

/// The names of those that the problem asks for.
std::vector<std::string> asked_outputs(const Problem& problem, const Operator& op);

}  // namespace msda

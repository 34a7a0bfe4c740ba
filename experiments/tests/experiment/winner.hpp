// A winner of a search, for tests.
#pragma once

#include <string>

#include "runner/experiment/winners.hpp"
#include "support/support.hpp"

namespace msda::test {

inline DeviceInfo device(const std::string& name, int compute_capability) {
  DeviceInfo info;
  info.name = name;
  info.compute_capability = compute_capability;
  return info;
}

/// Of the fixture on the tiny problem, which is called `label`.
inline Winner winner(const std::string& label, double milliseconds) {
  Winner winner;
  winner.device = device("big", 90);
  winner.problem = tiny_problem();
  winner.problem.problem.name = label;
  winner.error = 1e-5;
  winner.uses = {{"fixture", {{"milliseconds", milliseconds}, {"flag", true}}}};
  winner.baseline = "slow";
  winner.gain = 1.25;
  winner.gain_low = 1.24;
  winner.gain_high = 1.26;
  winner.searched_gain = 1.3;
  winner.seconds = 71.25e-6;
  winner.date = "2026-11-21";
  winner.command = "msda tune x.yaml --budget '2 min'";
  winner.program = "0.1.0 (abc)";
  return winner;
}

}  // namespace msda::test

// A search that takes a second or two, and the place where a test makes it.
#pragma once

#include <gtest/gtest.h>

#include "runner/experiment/winners.hpp"
#include "support/support.hpp"

namespace msda::test {

/// The fastest point takes 1 ms, the baseline 4; two thirds of the points go wrong.
constexpr const char* kSearch = R"(
device: cpu
problems: [{name: p, queries: 3, channels: 4, levels: [[4, 4]]}]
arms: [{name: slow, use: [{fixture: {milliseconds: 4}}]}]
space:
  factors:
    kernel:
      - fixture: {milliseconds: [1, 2, 3], behaviour: [good, crash, wrong, unsupported]}
  excludes: [{kernel.milliseconds: 2, kernel.behaviour: wrong}]
measure: {processes: 3, most_processes: 3, blocks: 8, samples: 2, warmup: 0, timeout: 10 s}
)";

class TuneTest : public testing::Test {
 protected:
  std::filesystem::path results() const { return directory_.path() / "results"; }
  std::filesystem::path winners() const { return directory_.path() / "winners.yaml"; }

  Outcome tune(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "tune");
    arguments.insert(arguments.end(), {"--winners", winners().string()});
    return run(arguments);
  }

  std::vector<Winner> saved() const {
    std::vector<std::string> notes;
    return read_winners(winners(), fixture_registry(), notes);
  }

  TemporaryDirectory directory_;
};

}  // namespace msda::test
